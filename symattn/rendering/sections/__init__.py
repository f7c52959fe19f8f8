"""Sections of a key: the document model, conventions, displays, diagram, discussion, and reading them back.

It imports `rendering.latex` and `rendering.proofs`. Start reading at `document`, then `displays`.
"""
