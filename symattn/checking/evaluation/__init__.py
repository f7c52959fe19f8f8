"""Exact values of written expressions, and comparison of written operands with definitions.

Start at `values`. Imports the graph, expressions and names.
"""
