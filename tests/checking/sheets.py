"""A sheet and the right numbers of its work, worked out here with `fractions` and `decimal` alone."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, getcontext
from fractions import Fraction
from functools import cache

from symattn.checking.check import check_text
from symattn.checking.report import EntryFinding, Finding, Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

X = [[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]]
W_Q = [["0", "1"], ["1", "0"], ["-0.5", "0"], ["1", "1"]]
W_K = [["1", "-0.5"], ["0", "1"], ["0.5", "-0.5"], ["1", "0.5"]]
W_V = [["1", "0.5"], ["-0.5", "0"], ["-1", "2"], ["0.5", "-1"]]

Rows = list[list[str]]
HELD_AGAINST = frozenset({"wrong", "unread", "undecided", "ambiguous", "follows"})


def _product(left: list[list[Fraction]], right: list[list[Fraction]]) -> list[list[Fraction]]:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*right, strict=True)]
        for row in left
    ]


def _fractions(rows: list[list[int]] | Rows) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in rows]


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _shown(value: Decimal) -> str:
    text = str(value.quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return "0.0000" if text == "-0.0000" else text


@cache
def numbers() -> dict[str, Rows]:
    """Q, K, V, S exactly, and E, A, O rounded once to four places."""
    getcontext().prec = 50
    q, k, v = (_product(_fractions(X), _fractions(w)) for w in (W_Q, W_K, W_V))
    s = _product(q, [list(column) for column in zip(*k, strict=True)])
    e = [[_decimal(x).exp() for x in row] for row in s]
    a = [[x / sum(row) for x in row] for row in e]
    o = [[sum((w * _decimal(v[j][c]) for j, w in enumerate(row)), Decimal(0)) for c in range(2)] for row in a]
    exact = {"Q": q, "K": k, "V": v, "S": s}
    found = {name: [[f"{_decimal(x):f}" for x in row] for row in rows] for name, rows in exact.items()}
    return found | {name: [[_shown(x) for x in row] for row in rows] for name, rows in (("E", e), ("A", a), ("O", o))}


@cache
def sheet(*, part: int | None = None, asks: str = "map") -> Problem:
    tables: dict[str, object] = {
        "tokens": "rows", "projection": "X W", "scale": "none",
        "inputs": {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V},
        "parts": [{"asks": asks} | ({} if part is None else {"tokens": [part]})],
    }  # fmt: skip
    return Problem.build(**tables)


def checked(text: str, form: Format = "md", *, part: int | None = None, asks: str = "map") -> Report:
    return check_text(sheet(part=part, asks=asks), text, form)


def judged(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.verdict != "unchecked"]


def names(report: Report) -> list[str | None]:
    return [finding.name for finding in judged(report)]


def wrong_entries(report: Report) -> list[tuple[int, int]]:
    """Line and column of every entry, or number, that is held to be wrong."""
    entries: list[EntryFinding] = [
        entry
        for finding in report.findings
        for row in finding.entries or ()
        for entry in row
        if entry.verdict == "wrong"
    ]
    alone = [f.place for f in report.findings if f.entries is None and f.verdict == "wrong"]
    return sorted((place.line, place.column) for place in [*(entry.place for entry in entries), *alone])


def spoilt(rows: Rows, i: int, j: int) -> Rows:
    """The same numbers with one of them changed beyond every rounding."""
    changed = [list(row) for row in rows]
    changed[i][j] = str(Decimal(changed[i][j]) + Decimal("0.31"))
    return changed


def place_of(text: str, number: str) -> tuple[int, int]:
    """Line and column of the only place of a number."""
    assert text.count(number) == 1, number
    at = text.index(number)
    before = text[:at]
    return before.count("\n") + 1, at - before.rfind("\n")
