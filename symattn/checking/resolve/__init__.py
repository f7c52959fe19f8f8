"""Inference of the quantity, row or entry that a chain of numbers belongs to.

Start at `subjects`. Imports the folders up to mistakes. No verdict is given here, and yet a wrong binding makes one.
"""
