"""Grading of links: verdicts on values, rounding policies, dependencies, explanations and marks.

Start at `value_verdicts`. Imports `mistake_catalogue`, the graph, expressions, names, evaluation and the report.
"""
