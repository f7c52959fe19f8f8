"""Sections of a key: the document model, conventions, displays, diagram, discussion, and reading them back.

It imports `rendering.latex`, `rendering.proofs`, `content` and `sentences`. Start reading at `document`, then
`displays`.
"""
