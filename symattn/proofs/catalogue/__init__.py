"""Catalogue of theorems: statements with hypotheses, proofs, false variants with counter-examples.

Nothing here is trusted: replay judges every proof. Imports `language` and `kernel`. Start reading at `registry` (the
table of all theorems) and `authoring.theorem` (one entry).
"""
