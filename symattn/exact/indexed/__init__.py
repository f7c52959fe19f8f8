"""Expressions in indexed quantities with sums of symbolic length, in canonical form."""
