"""Names and words of submissions, and the quantities that they stand for.

Start at `binding`; `lexicon` holds the vocabulary. Imports the graph and expressions.
"""
