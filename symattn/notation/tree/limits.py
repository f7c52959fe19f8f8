"""TRUSTED. Size limits of written formulas, which hold before anything is converted or built.

The deepest tree stays well inside Python's recursion limit, comparison, `repr` and hashing included
(they need up to five frames for one level).
"""

from __future__ import annotations

MAX_LENGTH = 200_000
"""Characters of one formula."""

MAX_TOKENS = 60_000
"""Numbers, names and signs of one formula."""

MAX_NESTING = 60
"""Brackets, braces and indices inside each other, while reading."""

MAX_DEPTH = 100
"""Levels of the finished tree."""

MAX_DIGITS = 1_000
"""Characters of one numeral."""

MAX_EXPONENT = 1_000_000
"""The exponent of a numeral such as ``1.5e-13``."""

MAX_NAME = 200
"""Characters of one name."""

MAX_ITEMS = 1_024
"""Terms of a sum, factors of a product, items of a list, sides of a chain, rows and columns of a matrix."""

MAX_ENTRIES = 10_000
"""Entries of one matrix."""
