"""Text of exact values, in the style of the numbers that they stand beside."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.expressions.numerals import Figure, figure, places_of, terminates
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, decimal, magnitude, round_exact
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

_MAX_SHOWN_DIGITS = 60

_LARGE = 10**_MAX_SHOWN_DIGITS

_MAX_FRACTION = 12

MANY_PLACES = 12


def show(value: Quotient, written: Figure | None, asked: Rounding | None, kept: KeptBounds | None = None) -> str:
    """Return a value for people: exactly while it is short, else rounded as the number or the sheet is."""
    kept = KeptBounds() if kept is None else kept
    if kept.is_symbolic(value) or not value.is_finite:
        return str(value)
    rational = kept.rational(value)
    if rational is not None and (written is None or written.unit is None) and len(str(rational)) < _MAX_FRACTION:
        return str(rational)
    places = None if written is None else written.places
    if places is not None and places > MANY_PLACES and not value.is_zero and kept.is_below(value, 1):
        figures = places + magnitude(value) + 1
        if 0 < figures <= MANY_PLACES:
            return kept.decimal(value, Rounding(figures=figures))  # ``6.8973e-13``, as people write such numbers
    if rational is not None and places is not None:
        own = Rounding(places=max(places, 0))
        if round_exact(rational, own) == rational:
            return kept.decimal(value, own)
    if places is None or places <= 0:
        if rational is not None and (rational.denominator == 1 or places is None) and len(str(rational)) < 24:
            return str(rational)
        rounding = asked or Rounding(places=4)
    else:
        rounding = Rounding(places=max(places, asked.places or 0) if asked is not None else places)
    is_short = kept.is_below(value, _LARGE)
    if rounding.places is not None and not is_short and magnitude(value) > _MAX_SHOWN_DIGITS:
        rounding = Rounding(figures=6)
    return kept.decimal(value, rounding)


def in_style(value: Quotient, style: Figure | None, asked: Rounding | None = None) -> str:
    """Return an exact value as text: beside decimals a decimal, with all its digits where it terminates.

    >>> in_style(Quotient.of("-53/4"), Figure(Fraction(-7, 2), Fraction(1, 10))), in_style(Quotient.of("1/4"), None)
    ('-13.25', '1/4')
    """
    rational = None if style is None or value.symbols else value.rational()
    if rational is not None and style is not None and terminates(rational):
        needed = max(places_of(rational), style.places or 0)
        if needed <= _MAX_FRACTION:
            return decimal(rational, Rounding(places=needed))
    return show(value, style, asked)


def style_of(*nodes: t.Node) -> Figure | None:
    """Return the decimal of written arithmetic with the most places, the style of its result.

    >>> style_of(t.Product((t.Number("2"), t.Number("0.50")), ("cdot",)))
    Figure(value=Fraction(1, 2), unit=Fraction(1, 100), mixed=None)
    """
    found = [figure(item) for node in nodes for item in walk(node) if isinstance(item, t.Number)]
    decimals = [item for item in found if item is not None and item.unit is not None and item.unit < 1]
    return min(decimals, key=lambda item: item.unit or Fraction(1)) if decimals else None
