"""Common mistakes, each tried by recomputing with an altered definition.

Start at `causes`, which searches `alterations`. Imports the folders up to grading.
"""
