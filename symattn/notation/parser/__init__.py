"""One precedence parser for all dialects, and the strict readers of LaTeX and plain text that are built on it.

Imports `tree` and `lexer`. Start with `formulas.py`, which says which method reads which operand.
"""
