"""Immutable matrices of exact entries, and integer matrices over one denominator.

It imports `field`, `reals`, `rounding` and `interop`. Start with `matrix`.
"""
