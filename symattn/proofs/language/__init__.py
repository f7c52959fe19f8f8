"""Language of proofs: the names of a scope, and written formulas as numbers, vectors and matrices of indexed sums.

Trusted. Imports `notation` and `exact`. Start reading at `scope` (what a proof declares) and `interpretation` (from a
syntax tree to a value).
"""
