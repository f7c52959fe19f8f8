"""Writers of syntax trees: LaTeX, plain text and presentation MathML.

Imports `tree` and the escapes of `lexer`. Start with `plain.py`, the shortest.
"""
