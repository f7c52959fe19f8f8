"""Kernel of proofs: records, the context of a step, its well-formedness, and the table of rules.

Trusted. Imports `language`; `symattn.proofs.proof_replay` joins it with the lemmas. Start reading at `record` (a proof
as plain data), then `rules` (the table).
"""
