"""Written arithmetic as trees: numerals, terms, closed forms, ellipses.

Start at `numerals` and `expression_kinds`. Imports only the graph.
"""
