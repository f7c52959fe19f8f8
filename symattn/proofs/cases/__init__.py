"""Finite cases: formulas of proofs evaluated exactly at small sizes and numbers, to check claims and to refute them.

Nothing here is trusted. Imports `concrete`, `language`, `kernel` and `catalogue.authoring` of proofs. Start reading at
`evaluation`, then `counterexamples`.
"""
