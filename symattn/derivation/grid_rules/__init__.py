"""Rules that make a grid of values from others, apart from how definitions are written.

Replay applies them and needs none of the trees that keys print. `symattn.derivation.rules` has the table of all rules.
The files here import exact values only.
"""
