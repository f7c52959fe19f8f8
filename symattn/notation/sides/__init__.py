"""Lenient reading of one side of an equation, as people write it in LaTeX or plain text, with all its readings.

Imports `tree`, `lexer`, `parser`, `submission` and `lexicon`. Start with `reader.py`.
"""
