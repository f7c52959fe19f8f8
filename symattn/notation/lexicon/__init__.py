"""Words of attention in eleven languages, as tables, and their one reader.

Imports nothing else of `notation`. Start with `en.toml`, then `reader.py`.
"""
