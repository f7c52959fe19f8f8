"""Answers that stand in a work which does not say clearly enough that they are these: ambiguous, and not missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from symattn import late
from symattn.checking.expressions.numerals import Figure, figure
from symattn.checking.grading.explanations import entry_label
from symattn.checking.grading.link import Link, changed
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.graph.formulas import Cell
from symattn.checking.names.phrases import NUMBER
from symattn.checking.report import HOLDS, Verdict
from symattn.notation.documents.numbers import has_decimal_commas, put_points_in_prose
from symattn.notation.tree import nodes as t

_OPEN = frozenset({"unchecked", "ambiguous", "unread"})
_MOST = 200
"""Rows that are looked for, and numbers of one statement in which they are."""

_NAMED = late.pattern(r"[\\\w{}^_,\[\]]{0,40}[ ]?[=≈]")
"""A name before a number; its indices do not belong to the row: ``p_{21} =``."""


def added(links: Sequence[Link], absent: Iterable[Cell], numbers: Numbers, text: str) -> list[Link]:
    """Return the links; those that are about nothing, and hold all numbers of a row that was not found, are ambiguous.

    Arithmetic that holds keeps its verdict, and its last numbers alone may be the row.

    Args:
        links: what was judged.
        absent: the entries that were asked for and not found.
        numbers: for the values that fit them.
        text: the work, for its decimal sign.
    """
    rows = [list(cells) for _, cells in groupby(absent, key=lambda cell: cell[:2])][:_MOST]
    has_commas = has_decimal_commas(text)
    found = list(links)
    for position, link in enumerate(found):
        is_arithmetic = link.target is None and link.finding.verdict in HOLDS
        if not rows or not (is_arithmetic or link.finding.verdict in _OPEN):
            continue
        words = _NAMED.sub(" = ", link.finding.text.replace("{,}", "."))
        figures = list(_figures(put_points_in_prose(words) if has_commas else words))[:_MOST]
        here = []
        for row in rows:
            runs = _runs(figures[-len(row) :] if is_arithmetic else figures, len(row))
            if any(_fits(run, row, numbers) for run in runs):
                here.append(row)
        if here:
            rows = [row for row in rows if row not in here]
            found[position] = _ambiguous(link, [cell for row in here for cell in row])
    return found


def _figures(text: str) -> Iterator[Figure]:
    """Yield the numbers of a text, percents as parts of 1, without fractions."""
    for match in NUMBER.finditer(text):
        digits = match[0].removesuffix("%")
        number = t.Number(digits.lstrip("-−"))
        found = figure(number if match[0][0] not in "-−" else t.Negative(number)) if "/" not in match[0] else None
        if found is not None and text[match.start() + len(digits) :].lstrip(" \\").startswith("%"):
            yield Figure(found.value / 100, None if found.unit is None else found.unit / 100)
        elif found is not None:
            yield found


def _runs(figures: list[Figure], length: int) -> Iterator[list[Figure]]:
    return (figures[start : start + length] for start in range(len(figures) - length + 1))


def _fits(run: list[Figure], row: list[Cell], numbers: Numbers) -> bool:
    """Return whether all numbers are those of a row; whole numbers, or one with one place, are those of anything."""
    coarsest = Fraction(1) if len(run) > 1 else Fraction(1, 10)
    is_told = any(number.unit is not None and number.unit < coarsest for number in run)
    return is_told and all(numbers.fits(number, cell) for number, cell in zip(run, row, strict=True))


def _ambiguous(link: Link, cells: list[Cell]) -> Link:
    known: tuple[tuple[Cell, Verdict], ...] = tuple((cell, "ambiguous") for cell in cells)
    if link.finding.verdict in {"unread", *HOLDS}:
        return replace(link, verdicts=(*link.verdicts, *known))
    names = ", ".join(entry_label(cell) for cell in cells)
    words = f"It is not said clearly enough what these numbers are; they would fit {names}."
    finding = changed(link.finding, verdict="ambiguous", explanation=words)
    return replace(link, finding=replace(finding, is_claim=True), verdicts=known)
