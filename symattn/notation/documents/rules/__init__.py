"""Rules that put what people write into one form before it is read, a file for each area.

`normalization.py` beside this folder lists them in their order. Start with `rule.py`.
"""
