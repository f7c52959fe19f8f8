"""Reading of whole submissions: LaTeX, Markdown, plain text, notebooks and console sessions.

Imports all other packages of `notation`. Start with `reader.py`.
"""
