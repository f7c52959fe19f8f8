"""Formulas: operations of the table applied to named matrices, with their folds and the compositions that they equal.

It may import all files of `operations`. Start reading in `formula.py`.
"""
