"""Fixed texts of keys and sheets: one TOML file for each language, and their reader.

Start at `catalogue.py`; ``en.toml`` says how a file is written. Imports the reader of data files alone.
"""
