"""The precedence parser, and the strict readers of LaTeX and plain text that are built on it.

Imports `tree` and `lexer`. Start with `expressions.py`, then `plain.py` or `latex.py`.
"""
