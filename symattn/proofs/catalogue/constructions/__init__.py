"""Theorems on constructions: keys and queries that make attention copy, average, permute or filter.

Imports `catalogue.authoring`. Start reading at `copying`.
"""
