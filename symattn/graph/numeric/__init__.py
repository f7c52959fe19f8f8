"""Layers of numbers, worked by rows: integers and enclosures in the place of closed forms, so that size matters little.

Start at `integer_rows`. Imports exact and problem.
"""
