"""One lexer for all notations, driven by the tables of a dialect.

Imports `tree`. Start with `dialects.py`, then `tokenizer.py` and `separators.py`.
"""
