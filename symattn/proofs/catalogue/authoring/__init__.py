"""Reader of theorems that are text files: the form of an entry, the proof builder, texts that depend on parameters.

Imports `language` and `kernel` of proofs. Start reading at `theorem`, then `proof_files`.
"""
