"""Masking of markup, and detection of formulas, in LaTeX, Markdown and plain text.

Text is masked by spaces of the same length, so every offset is one of the original. Imports `tree`. Start with
`masking.py`, then `formulas.py`.
"""
