"""Common mistakes, each tried by recomputing with an altered definition.

Start at `causes`, which searches `alterations`; `catalogue` orders all codes. Imports the folders up to grading.
"""
