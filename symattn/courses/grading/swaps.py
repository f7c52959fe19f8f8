"""Works on another student's numbers: the variants to try, and the evidence that a work answers one of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from symattn.api import solutions
from symattn.api.sheet_texts import SheetText
from symattn.checking.report import Report
from symattn.errors import SymattnError
from symattn.problem.settings.conventions import THEORY

SWAPPED = 4
"""Wrong entries on the student's own variant at least, and for each one on another, to call a work the other's."""

_CANDIDATES = 12
"""Variants of others that one work is tried on."""

_MOST = 5_000
"""Numbers of a work that are compared."""

_DECIMALS = ("decimal", "stepwise")
_NUMBER = re.compile(r"(?:[0-9]*\.|[0-9]+,(?=[0-9]{2}))?[0-9]+")
_STATED = re.compile(  # an operand of a sum, product, quotient or power is none
    r"(?<![\w.^({+*/·×])(?<![({]-)(?<![+*/·×] )(?<!cdot )(?<!times )"
    rf"({_NUMBER.pattern})(?![\w.-])(?! - )(?!\s*(?:[+*/^(·×]|\\+(?:cdot|times)))"
)
_ENTRY = re.compile(r"(?P<name>.+?)\[(?P<row>\d+|:)(?:,(?P<column>\d+|:))?\]")


class PrintedNumbers:
    """Index of the numbers of each variant, in the order in which a work states them.

    A work is compared with all variants at once, by the longest common subsequence with each of their quantities. All
    these stand in one long integer, a bit for each number, and a 0 behind each quantity, where carries of the addition
    end (the bit-parallel recurrence of Hyyrö, 2004).

    Args:
        sheets: the problems, by the numbers of the variants.
    """

    def __init__(self, sheets: Mapping[str, SheetText]) -> None:
        self.sheets = sheets
        self._spans: dict[str, tuple[int, int]] = {}
        places: defaultdict[str, list[int]] = defaultdict(list)
        end = 0
        for variant, sheet in sheets.items():
            start = end
            for sequence in _sequences(sheet):
                for place, number in enumerate(sequence, end):
                    places[number].append(place)
                end += len(sequence) + 1
            self._spans[variant] = start, end
        self._size = end
        self._masks = {number: _bits(found, end) for number, found in places.items()}
        self._every = _bits((place for found in places.values() for place in found), end)

    def nearest(self, data: bytes, own: str) -> tuple[tuple[str, SheetText], ...]:
        """Return other variants, nearest first: each holds half of a work's numbers, and no fewer than its own."""
        text = data.decode("utf-8", "replace").replace("{,}", ",")
        stated = [_normal(found[1]) for found in islice(_STATED.finditer(text), _MOST)]
        held = self._held(stated)
        best = max(held.values(), default=0)
        least = max(held.pop(own, 0), len(stated), best - best // 5)
        near = [variant for variant, count in held.items() if count >= least > 0]
        near.sort(key=lambda variant: -held[variant])
        return tuple((variant, self.sheets[variant]) for variant in near[:_CANDIDATES])

    def _held(self, stated: Iterable[str]) -> dict[str, int]:
        """Return how many numbers of each variant are stated in their order; each has two, its roundings."""
        rest = self._every
        for number in stated:
            hit = rest & self._masks.get(number, 0)
            rest = ((rest + hit) | (rest - hit)) & self._every
        bits = f"{self._every ^ rest:0{self._size}b}"[::-1]
        return {variant: bits.count("1", *span) for variant, span in self._spans.items()}


def wrong_entries(report: Report) -> set[str]:
    """Return the names of the entries that a work gets wrong by mistakes of its own."""
    return set(_wrong_entries(report))


def _wrong_entries(report: Report) -> Iterator[str]:
    """Yield these names, one as often as it is stated."""
    for finding in report.findings:
        if finding.name is None or finding.verdict == "withdrawn":
            continue
        if finding.entries is None:
            if finding.verdict == "wrong":
                yield finding.name
            continue
        for number, row in enumerate(finding.entries, 1):
            for place, entry in enumerate(row, 1):
                if entry.verdict == "wrong":
                    yield _entry_name(finding.name, number, place)


def _entry_name(name: str, row: int, column: int) -> str:
    """Return the name of an entry of a stated matrix, row or column.

    >>> _entry_name("A", 2, 3), _entry_name("A[2,:]", 1, 3), _entry_name("A[:,3]", 2, 1), _entry_name("A[2]", 1, 3)
    ('A[2,3]', 'A[2,3]', 'A[2,3]', 'A[2,3]')
    """
    found = _ENTRY.fullmatch(name)
    if found is None:
        return f"{name}[{row},{column}]"
    given = found["row"], found["column"] or ":"
    first, second = (str(own) if one == ":" else one for one, own in zip(given, (row, column), strict=True))
    return f"{found['name']}[{first},{second}]"


def _sequences(sheet: SheetText) -> Iterator[list[str]]:
    """Yield the numbers of each quantity of a problem, rounded at the end and at the steps."""
    for problem in sheet.problems().problems:
        if problem.kind == THEORY:
            continue
        try:
            solved = solutions.solve(problem)
            tree = solved.numbers_json() if problem.batch or problem.later else solved.quantities_json(None)
        except SymattnError:
            continue  # a variant that cannot be solved names nobody
        yield from _printed(tree)


def _printed(tree: object) -> Iterator[list[str]]:
    """Yield the decimals in the JSON form of quantities."""
    if isinstance(tree, Mapping):
        for key, item in tree.items():
            if key in _DECIMALS:
                yield list(map(_normal, _NUMBER.findall(str(item))))
            else:
                yield from _printed(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from _printed(item)


def _normal(number: str) -> str:
    """Return a number without its sign, which may stand apart, and without zeros that say nothing.

    >>> _normal("0.50"), _normal("0,5"), _normal("007"), _normal("0.0")
    ('.5', '.5', '7', '')
    """
    whole, _, decimals = number.replace(",", ".").partition(".")
    whole, decimals = whole.lstrip("0"), decimals.rstrip("0")
    return whole + (f".{decimals}" if decimals else "")


def _bits(places: Iterable[int], size: int) -> int:
    data = bytearray(size // 8 + 1)
    for place in places:
        data[place // 8] |= 1 << place % 8
    return int.from_bytes(data, "little")
