"""Expressions in indexed quantities with sums of symbolic length, in canonical form.

It imports `symattn.exact.field`. Start with `expression`; `normal_form` has the rewriting steps, `expectation` the
expectations over random vectors.
"""
