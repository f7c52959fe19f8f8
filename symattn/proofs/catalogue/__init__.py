"""Catalogue of theorems: statements with hypotheses, proofs, false variants with counter-examples.

Nothing here is trusted: replay judges every proof. Imports `language` and `kernel`. Each theorem is a text file in the
folder of its group. Start reading at `registry` (the table of all theorems), a file such as `moments/tied-score.proof`,
and `authoring.proof_files` (their reader); `worked` has numbers of worked cases, and imports `authoring`.
"""
