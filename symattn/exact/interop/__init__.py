"""Exchange with SymPy and mpmath: reading expressions, substitution, export.

It imports `field`, `reals` and `rounding`; SymPy and mpmath are imported only when a value of theirs is at hand.
Start with `sympy_reader`.
"""
