"""Softmax rows of integer scores as certified decimals, a whole row at a time.

It imports `numerals`, `field`, `reals`, `rounding` and `linear`. Start with `certified_rows`; `powers` makes
the exponentials.
"""
