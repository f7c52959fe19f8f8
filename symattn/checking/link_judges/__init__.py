"""Judges of the links of a submission: chains, entries, formulas, arithmetic and prose.

Start at `chains`. Imports every folder but blocks.
"""
