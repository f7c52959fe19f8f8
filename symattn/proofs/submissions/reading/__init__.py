"""Formulas of a submission, brought to the forms and the names of the theorem's language.

Imports `phrases` and `proofs.language`. Start reading at `conditions` (where a statement holds) and `name_binding`.
"""
