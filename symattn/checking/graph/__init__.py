"""Computation graph of a problem: quantities, their definitions, and the regions of them that statements are about.

Start at `quantities`. Imports nothing else of the checker.
"""
