"""Immutable matrices of exact entries, and integer matrices over one denominator.

It imports `numerals`, `field`, `reals`, `rounding` and `interop`. Start with `matrix`.
"""
