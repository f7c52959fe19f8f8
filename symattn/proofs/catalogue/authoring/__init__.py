"""Reader of theorems that are text files: an entry with its builder, texts that depend on parameters.

Imports `language` and `kernel` of proofs. Start reading at `theorem`, then `proof_files`.
"""
