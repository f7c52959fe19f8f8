"""Correct rounding of closed forms, by proof.

It imports `numerals`, `field` and `reals`. Start with `quotients`; `floats` rounds to binary formats, `bounds_cache`
keeps the bounds of values that are compared often.
"""
