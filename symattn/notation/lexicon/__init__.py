"""Words of attention in eleven languages, as tables, and their one reader.

Imports `letters`. Start with `en.toml`, then `reader.py`.
"""
