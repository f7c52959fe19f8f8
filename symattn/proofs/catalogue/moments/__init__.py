"""Theorems on the mean, the variance and higher moments of scores, and on their scaling.

Imports `catalogue.authoring`. Start reading at `mean`; `variance` builds on it, and the others on both.
"""
