"""LaTeX: typesetting of content, statements and texts, estimated widths, templates, and PDF engines.

It imports `notation`, `exact`, `graph.derivation`, `problem` and `rendering.content`. Start reading at
`typesetting.math`.
"""
