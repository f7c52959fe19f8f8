"""HTML: keys and proofs as pages of one file, with MathML and SVG, without scripts and without anything fetched.

It imports `rendering.content`, `rendering.proofs`, `rendering.svg`, `rendering.latex` for the tokens of texts and the
widths of formulas, and `rendering.sections`. Start reading at `page`, then `key`.
"""
