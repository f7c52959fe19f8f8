"""Splitting of formulas and lines of text into chains of relations.

Imports `letters`, `lexicon`, `tree`, `lexer`, `sides` and `submission`. Start with `signs.py`, then `chains.py`.
"""
