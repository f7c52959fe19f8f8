"""Tokenizer of the lenient parser: LaTeX, plain text, Unicode and program syntax in one formula.

Imports `tree` and `lexer`, never the parser above it. Start with `tokenizer.py`.
"""
