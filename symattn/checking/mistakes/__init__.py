"""Common mistakes, each tried by recomputing with an altered definition.

Start at `causes`, which orders them. Imports the folders up to grading.
"""
