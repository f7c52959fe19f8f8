"""Shared state of one grading run: written numbers, rounding policies, judged links, dependencies and marks.

Start at `context`. Imports the graph, expressions, names, evaluation and the report.
"""
