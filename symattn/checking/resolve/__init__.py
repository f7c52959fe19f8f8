"""Inference of the quantity, row or entry that a chain of numbers belongs to.

Start at `subjects`. Imports the folders up to mistakes; a verdict is given elsewhere.
"""
