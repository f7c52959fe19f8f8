"""Values that users hold: entries and matrices with the methods of SymPy, and the equality of two of them.

Start at `entry`; `matrix` does the same for all entries. Imports what is below `api`.
"""
