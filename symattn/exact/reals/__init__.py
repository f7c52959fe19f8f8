"""Enclosures, signs and order of real numbers, and values beyond the decidable theory.

It imports `numerals` and `field`. Start with `sign`, the exact sign of a sum, and `enclosure`, the integer ball
arithmetic under it; `constants` and `arb_numbers` hold numbers that only Arb encloses.
"""
