"""Assumptions of a submission: what its words and formulas state, bound to the hypotheses of the theorem.

Imports `reading`, `prose` and `evidence`. Start reading at `stated_hypotheses`; `context` joins the files.
"""
