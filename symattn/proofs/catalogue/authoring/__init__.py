"""Tools for the authors of theorems: the form of an entry, the proof builder, common wording, numbers of worked cases.

Imports `language` and `kernel` of proofs. Start reading at `theorem`, then `proof_builder`.
"""
