"""Written mathematics: its syntax tree, its readers and writers, and the reading of whole submissions.

The folders, each of which imports only those before it: `lexicon` (the words of submissions in eleven languages, as
tables), `tree` (syntax tree, precedence, symbols), `lexer` (one lexer for all dialects), `parser` (one precedence
parser, and the strict readers), `writers`, `sides` (lenient reading of one side of an equation), `markup` (masking of
markup, formulas in documents), `statements` (splitting of formulas into chains), `tables` (tables and matrices over
several lines), `documents` (whole submissions). It imports no other package. Start with `tree/nodes.py`, then
`documents/reader.py`.
"""
