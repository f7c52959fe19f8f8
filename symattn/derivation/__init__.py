"""Quantities, statements, steps and the judge. Knows nothing of problems: quantities are passed to it."""
