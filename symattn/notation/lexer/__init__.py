"""Tokenizers of the strict notations, LaTeX and plain text.

Imports `tree`. Start with `tokens.py`, then `plain.py` or `latex.py`.
"""
