"""Written mathematics: its syntax tree, its readers and writers, and the reading of whole submissions.

The packages, each of which imports only those before it: `tree` (syntax tree, precedence, symbols), `lexer` (one
lexer for all dialects), `parser` (one precedence parser, and the strict readers), `writers`, `sides` (lenient reading
of one side of an equation), `markup` (masking of markup, formulas in documents), `statements` (splitting of formulas
into chains), `tables` (tables and matrices over several lines), `documents` (whole submissions). `words.toml` holds the
words of submissions for functions and quantities. Imports nothing of symattn but `errors`, `records` and `data_files`.
Start with `tree/nodes.py`, then `documents/reader.py`.
"""
