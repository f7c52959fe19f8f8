"""Lemmas: classical facts outside the normal forms, each with its source and a check that a step is an instance.

Trusted. Imports `language` and `kernel`. Start reading at `lemma` (one entry) and `table` (all of them).
"""
