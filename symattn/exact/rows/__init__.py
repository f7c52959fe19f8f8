"""Softmax rows of integer scores as certified decimals, a whole row at a time.

It imports `numerals`, `field`, `reals`, `rounding` and `linear`. Start with `softmax`; `powers` makes the
exponentials, `decimal_places` bounds the errors.
"""
