"""Splitting of formulas and lines of text into chains of relations.

Imports `tree`, `sides`, and `submission`. Start with `signs.py`, then `chains.py`.
"""
