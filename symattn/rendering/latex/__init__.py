"""LaTeX: typesetting of statements and texts, estimated widths, templates, and PDF engines.

It imports `notation`, `exact`, `derivation`, `problem` and nothing else of `rendering`. Start reading at
`typesetting.math`.
"""
