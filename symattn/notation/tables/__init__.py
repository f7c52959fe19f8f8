"""Tables, and matrices written over several lines of text, as statements about their entries.

Imports `markup`, `statements`, `sides`, and what those import. Start with `grids.py`, then `entries.py`.
"""
