"""Exact arithmetic: rationals, exponential sums, their quotients, certified digits, equality."""
