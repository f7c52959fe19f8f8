"""Verdicts on statements: chains, entries, formulas, arithmetic and prose.

Start at `chains`. Imports every folder but blocks.
"""
