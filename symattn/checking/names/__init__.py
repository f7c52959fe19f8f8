"""Names and words of submissions, and the quantities that they stand for.

Start at `binding`; `name_table` holds what names stand for, `lexicon` the vocabulary. Imports the graph and
expressions.
"""
