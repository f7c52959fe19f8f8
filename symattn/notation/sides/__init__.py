"""Lenient parser for one side of an equation, as people write it in LaTeX or plain text.

Imports `tree`, `lexer`, `parser`, `submission` and `translations`. Start with `reader.py`; `parser.py` lists the
ambiguities that it notes.
"""
