"""Common mistakes, each tried by recomputing with an altered definition.

Start at `causes`, which searches `alterations`. A further mistake is a code in `checking/mistakes.toml`, and a slip in
the file of its area. Imports the folders up to grading.
"""
