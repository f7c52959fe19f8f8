"""Proofs as LaTeX: the page of a theorem, its chains of steps, and the formulas in them.

It imports `rendering.latex`, `content` and `notebooks`, and the records of proofs; nothing is proved here. Start
reading at `page.proof_page`.
"""
