"""TRUSTED. Significant figures of a value that lies between two fractions."""

from __future__ import annotations

from symattn.exact.decimals import Rounding, round_scaled, write


def figures_text(low: tuple[int, int], high: tuple[int, int], rounding: Rounding) -> str:
    """The text that all numbers between two fractions round to; empty where they do not agree, or hold 0.

    Rounding is monotonous, so two ends that round to one number have all between them round to it. The spacing is that
    of the end nearer to zero; a number beyond the next power of ten would have a coarser one, and is not accepted.

    Args:
        low: numerator and positive denominator of the lower bound.
        high: those of the upper bound.
        rounding: to figures.

    >>> figures_text((1, 3), (334, 1000), Rounding(figures=2)), figures_text((-1, 3), (1, 3), Rounding(figures=2))
    ('0.33', '')
    """
    if low[0] <= 0 <= high[0]:
        return ""
    figures, (top, bottom) = rounding.figures or 0, low if low[0] > 0 else high
    places = _places(abs(top), bottom, figures)
    first, last = (_index(end, places, rounding.ties) for end in (low, high))
    if first != last or abs(first) > 10**figures:
        return ""
    return write(first, places, rounding)


def _places(top: int, bottom: int, figures: int) -> int:
    """The p with 10**(figures - 1) <= top/bottom 10**p < 10**figures: the guess is off by little, and mended."""
    places = figures - 1 - (top.bit_length() - bottom.bit_length()) * 30103 // 100000
    least = 10 ** (figures - 1)
    while True:
        scaled = top * 10**places // bottom if places >= 0 else top // (bottom * 10**-places)
        if scaled < least:
            places += 1
        elif scaled >= 10 * least:
            places -= 1
        else:
            return places


def _index(end: tuple[int, int], places: int, ties: str) -> int:
    top, bottom = end
    if places >= 0:
        return round_scaled(top * 10**places, bottom, ties)
    return round_scaled(top, bottom * 10**-places, ties)
