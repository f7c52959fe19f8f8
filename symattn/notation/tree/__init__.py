"""The syntax tree of written mathematics, with the rules that readers and writers share.

Imports nothing else of `notation`. Start with `nodes.py`, then `precedence.py`.
"""
