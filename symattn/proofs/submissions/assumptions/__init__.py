"""Assumptions of a submission: what its words and formulas state, bound to the hypotheses of the theorem.

Imports `reading`, `prose`, `evidence`, `attempts` and `phrases`. Start reading at `stated_hypotheses`; `context` joins
the files.
"""
