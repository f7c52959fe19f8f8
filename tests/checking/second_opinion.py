"""Whether a changed key still says the same: plain fractions, decimals and mpmath, nothing of the checker."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath

from tests.attention.by_hand import work
from tests.checking.mutants import Kind, Mutant, values
from tests.checking.unmarked import Key, drawn, rational
from tests.rendering.independent import _solved

_NAME = re.compile(
    r"(?:\\(?:mathbf|boldsymbol)\{(?P<bold>\\?[A-Za-z]+)\}|(?P<plain>\\[a-z]+|[A-Za-z]))_\{?(?P<i>\d),?[ ]?(?P<j>\d)?\}?"
)
_TERM_END = re.compile(r" [+-] | ?=|\\approx|&|\\\\|\\end|\\qquad|$", re.MULTILINE)
_BARE = re.compile(r"^[^=]*?(?:=|\\approx)\s*(?P<numeral>-?\d+(?:\.\d+)?)\s*$")


def is_equivalent(mutant: Mutant, key: Key) -> bool:
    """Whether the change leaves what is said true, and as the problem prescribes it."""
    return _LOOKS[mutant.kind](mutant, key)


# Values --------------------------------------------------------------------------------------------


def _same_values(mutant: Mutant, key: Key) -> bool:
    """Other digits of the same number: ``0/3`` and ``0/5``."""
    start, end = _around(mutant, key)
    moved = sum(len(text) - (b - a) for a, b, text in mutant.edits)
    before, after = key.tex[start:end], mutant.apply(key.tex)[start : end + moved]
    return rational(before) is not None and rational(before) == rational(after)


def _around(mutant: Mutant, key: Key) -> tuple[int, int]:
    first, last = mutant.edits[0], mutant.edits[-1]
    for start, end in values(key.tex, mutant.finding.place.start, mutant.finding.place.end):
        if start <= first[0] and last[1] <= end:
            return start, end
    return first[0], last[1]


def _same_entries(mutant: Mutant, key: Key) -> bool:
    """Exchanged entries, or rows of them, that are the same numbers written otherwise."""
    first, second = (key.tex[start:end].split("&") for start, end, _ in mutant.edits)
    pairs = list(zip(first, second, strict=True))
    return all(rational(a) is not None and rational(a) == rational(b) for a, b in pairs)


# Signs ---------------------------------------------------------------------------------------------


def _sign_of_zero(mutant: Mutant, key: Key) -> bool:
    """A sign before a zero, or before a term that is zero."""
    start, end, text = mutant.edits[0]
    if text.startswith("("):
        return rational(text) == 0
    is_of_a_factor = key.tex[:start].rstrip().endswith("(")
    after = key.tex[end:]
    stop = re.search(r"[)}]", after) if is_of_a_factor or key.tex[:start].endswith("{") else _TERM_END.search(after, 1)
    term = after[: stop.start()] if stop is not None else after
    return any(rational(factor) == 0 for factor in term.split(r"\cdot"))


# Names ---------------------------------------------------------------------------------------------


def _same_names(mutant: Mutant, key: Key) -> bool:
    """One name in the place of another that stands for the same, worked out in the same way."""
    changed = mutant.apply(key.tex)
    start, end = mutant.finding.place.start, mutant.finding.place.end
    before, after = key.tex[start:end], changed[start:end]
    pairs = [
        (old, new)
        for old, new in zip(_NAME.finditer(before), _NAME.finditer(after), strict=True)
        if old.group() != new.group()
    ]
    return all(_stands_for_the_same(key, after, *pair) for pair in pairs)


def _stands_for_the_same(key: Key, link: str, old: re.Match[str], new: re.Match[str]) -> bool:
    values = _Values(key)
    first, second = values.of(old), values.of(new)
    if first is None or second is None:
        return False
    bare = _BARE.match(link)
    if bare is not None and new["j"] is not None and new.start() < link.index(bare["numeral"]):
        return values.shows(new, bare["numeral"])
    is_subject = new.start() < 3 and any(mark in link for mark in (r"\cdot", "e^", r"\frac", r"\begin"))
    return first == second and (not is_subject or values.worked(old) == values.worked(new))


class _Values:
    """What the names of a key stand for: exactly, and as carried."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.exact, self.carried = _tables(key.label)(key)

    def _name(self, found: re.Match[str]) -> str | None:
        letter = (found["bold"] or found["plain"]).removeprefix("\\")
        declared = {label: name for name, label in self.key.problem.names.items()}
        if letter in declared:
            return declared[letter]
        large = letter.upper()
        if found["bold"] is not None or found["j"] is not None:
            return {"L": "S_scaled"}.get(large, large) if large in "QKVSAOXLE" else None
        return large if large == "Z" else None

    def _places(self, found: re.Match[str], rows: list[list[Any]]) -> list[tuple[int, int]]:
        i = int(found["i"]) - 1
        if found["j"] is not None:
            return [(i, int(found["j"]) - 1)]
        if len(rows[0]) == 1:
            return [(i, 0)]
        if self.key.problem.tokens == "columns":
            return [(k, i) for k in range(len(rows))]
        return [(i, k) for k in range(len(rows[0]))]

    def of(self, found: re.Match[str]) -> tuple[Any, ...] | None:
        name = self._name(found)
        if name is None:
            return None
        given: list[Any] = []
        for table in (self.exact, self.carried):
            rows = table.get(name)
            if rows is None:
                continue
            places = self._places(found, rows)
            if any(i >= len(rows) or j >= len(rows[0]) for i, j in places):
                return None
            given.extend(rows[i][j] for i, j in places)
        return tuple(given) or None

    def worked(self, found: re.Match[str]) -> object:
        """The operands that an entry is worked out from, in any order."""
        name = self._name(found)
        i, j = int(found["i"]) - 1, int(found["j"] or 1) - 1
        scores = self.carried.get("S_scaled", self.carried.get("S", []))
        if name in {"E", "A", "Z"} and scores:
            is_turned = self.key.problem.softmax == "columns"
            line = [row[i if name == "Z" else j] for row in scores] if is_turned else scores[i]
            return sorted(line) if name == "Z" else (sorted(line), scores[i][j])
        pair = {"S": ("Q", "K"), "O": ("A", "V")}.get(name or "")
        if pair is None:
            return object()
        left, right = (self.carried[item] for item in pair)
        return self._operands(name, left, right, i, j)

    def _operands(self, name: str | None, left: list[list[Any]], right: list[list[Any]], i: int, j: int) -> object:
        if self.key.problem.tokens == "columns":
            return object()
        column = right[j] if name == "S" else [row[j] for row in right]
        return sorted(zip(left[i], column, strict=True))

    def shows(self, found: re.Match[str], numeral: str) -> bool:
        """Whether a numeral is the entry to its digits, exactly or as carried."""
        name = self._name(found)
        i, j = int(found["i"]) - 1, int(found["j"]) - 1
        half = Fraction(1, 2 * 10 ** len(numeral.partition(".")[2]))
        for table in (self.exact, self.carried):
            rows = table.get(name or "")
            if rows is None or i >= len(rows) or j >= len(rows[0]) or rows[i][j] is None:
                continue
            if abs(mpmath.mpf(str(rows[i][j])) - mpmath.mpf(numeral)) <= mpmath.mpf(half.numerator) / half.denominator:
                return True
        return False


@cache
def _tables(label: str) -> Callable[[Key], tuple[dict[str, Any], dict[str, Any]]]:
    """Both tables of values, worked out once for each key."""
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def of(key: Key) -> tuple[dict[str, Any], dict[str, Any]]:
        assert key.label == label
        if not found:
            found.append((_exact(key), _carried(key)))
        return found[0]

    return of


def _exact(key: Key) -> dict[str, Any]:
    """Forty digits of Q, K, V, S, A, O and X, where the second opinion of read-back has them."""
    if key.problem.symbols or key.problem.scores != ("Q K^T" if key.problem.tokens == "rows" else "K^T Q"):
        return {}
    with mpmath.workdps(60):
        return {name: [[mpmath.nstr(value, 40) for value in row] for row in rows] for name, rows in _solved(key.problem).items()}


def _carried(key: Key) -> dict[str, Any]:
    """What somebody has on the sheet who follows the policy; the inputs as they are given."""
    if key.problem.symbols:
        return {}
    inputs = {name: [[Decimal(0) + _number(entry) for entry in row] for row in rows] for name, rows in ()}
    return {**inputs, **work(key.tables)}


def _number(entry: object) -> Decimal:
    value = Fraction(str(entry))
    return Decimal(value.numerator) / Decimal(value.denominator)


_LOOKS: dict[Kind, Callable[[Mutant, Key], bool]] = {
    "digit": _same_values,
    "digit-swap": _same_values,
    "operand": _same_values,
    "sign": _sign_of_zero,
    "entries": _same_entries,
    "rows": _same_entries,
    "index": _same_names,
}

__all__ = ["drawn", "is_equivalent"]
