"""Changes of one thing in one formula of a key: a digit, a sign, two entries, two rows, an index, an operand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias

from symattn.checking.report import Finding
from tests.checking.unmarked import rational

Kind: TypeAlias = Literal["digit", "digit-swap", "sign", "entries", "rows", "index", "operand"]
KINDS: tuple[Kind, ...] = ("digit", "digit-swap", "sign", "entries", "rows", "index", "operand")

Edit: TypeAlias = tuple[int, int, str]
"""Where it starts, where it ends, what stands there instead."""

_LAYOUT = re.compile(
    r"\\(?:begin|end)\{[a-z]+\*?\}(?:\{[^}]*\})?|\\in\s*\\mathbb\{R\}|\\arraystretch\}\{[^}]*\}|\\\\\[[^\]]*\]"
)
_INDEX = re.compile(r"_\{?(\d),?[ ]?(\d)?(?!\d)\}?")
_NUMERAL = re.compile(r"\d+(?:\.\d+)?")
_VALUE = re.compile(r"\( -\\[td]frac\{\d+\}\{\d+\} \)|\(-\d+(?:\.\d+)?\)|-?\\[td]frac\{\d+\}\{\d+\}|\d+(?:\.\d+)?")
_MATRIX = re.compile(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", re.DOTALL)
_BINARY = re.compile(r" ([+-]) ")


@dataclass(frozen=True)
class Mutant:
    """A key with a change in it.

    Attributes:
        kind: what was changed.
        edits: the change, in the text of the key.
        finding: the statement that it stands in, before the change.
    """

    kind: Kind
    edits: tuple[Edit, ...]
    finding: Finding

    def apply(self, tex: str) -> str:
        for start, end, text in reversed(self.edits):
            tex = tex[:start] + text + tex[end:]
        return tex

    def places(self) -> Iterator[tuple[int, int]]:
        """Where each change stands after all of them; a place that lost its text is the next character."""
        moved = 0
        for start, end, text in self.edits:
            yield start + moved, start + moved + max(len(text), 1)
            moved += len(text) - (end - start)

    def line(self, tex: str) -> str:
        """The changed line."""
        changed = self.apply(tex)
        start = changed.rfind("\n", 0, self.edits[0][0]) + 1
        return changed[start : changed.find("\n", self.edits[-1][1])]


def draw(tex: str, finding: Finding, kind: Kind, random: Random) -> Mutant | None:
    """One change of a kind in a statement, None where it has nothing of that kind."""
    found = list(MAKERS[kind](tex, *_span(finding), random))
    return Mutant(kind, random.choice(found), finding) if found else None


def _span(finding: Finding) -> tuple[int, int]:
    return finding.place.start, finding.place.end


def blanked(tex: str, start: int, end: int, *, indices: bool = True) -> str:
    """A piece with layout, and indices of names, blanked out; offsets stay."""
    text = _LAYOUT.sub(lambda found: " " * len(found.group()), tex[start:end])
    return _INDEX.sub(lambda found: " " * len(found.group()), text) if indices else text


def _numerals(tex: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for found in _NUMERAL.finditer(blanked(tex, start, end)):
        yield start + found.start(), found.group()


def _digits(tex: str, start: int, end: int, random: Random) -> Iterator[tuple[Edit, ...]]:
    for at, numeral in _numerals(tex, start, end):
        for position, digit in enumerate(numeral):
            if digit == ".":
                continue
            other = random.choice([item for item in "123456789" if item != digit])
            yield ((at + position, at + position + 1, other),)


def _digit_swaps(tex: str, start: int, end: int, _: Random) -> Iterator[tuple[Edit, ...]]:
    for at, numeral in _numerals(tex, start, end):
        places = [position for position, digit in enumerate(numeral) if digit != "."]
        for first, second in pairwise(places):
            swapped = list(numeral)
            swapped[first], swapped[second] = numeral[second], numeral[first]
            text = "".join(swapped)
            is_plain = text[0] != "0" or text[1:2] == "."
            if text != numeral and is_plain:
                yield ((at, at + len(numeral), text),)


def _signs(tex: str, start: int, end: int, _: Random) -> Iterator[tuple[Edit, ...]]:
    text = blanked(tex, start, end)
    for found in _BINARY.finditer(text):
        other = "-" if found[1] == "+" else "+"
        yield ((start + found.start(1), start + found.end(1), other),)
    for found in re.finditer(r"(?<=[({])-|(?<=[(&=x\\}] )-|(?<=approx )-", text):
        yield ((start + found.start(), start + found.end(), ""),)
    for found in re.finditer(r"(?:(?<=[&=\\}] )|(?<=approx )|(?<=\^\{))(?=\d|\\tfrac)", text):
        yield ((start + found.start(), start + found.start(), "-"),)
    for found in re.finditer(r"(?<=\\cdot )\d+(?:\.\d+)?", text):
        yield ((start + found.start(), start + found.end(), f"(-{found.group()})"),)


def matrices(tex: str, start: int, end: int) -> Iterator[list[list[tuple[int, int]]]]:
    """The entries of every matrix: where each stands."""
    for found in _MATRIX.finditer(tex, start, end):
        rows, at = [], found.start(1)
        for row in found[1].split(r"\\"):
            places, column = [], at
            for entry in row.split("&"):
                blank = len(entry) - len(entry.lstrip())
                places.append((column + blank, column + blank + len(entry.strip())))
                column += len(entry) + 1
            rows.append(places)
            at += len(row) + 2
        yield rows


def _exchanged(tex: str, first: tuple[int, int], second: tuple[int, int]) -> tuple[Edit, ...]:
    return ((*first, tex[slice(*second)]), (*second, tex[slice(*first)]))


def _entries(tex: str, start: int, end: int, random: Random) -> Iterator[tuple[Edit, ...]]:
    for rows in matrices(tex, start, end):
        entries = [entry for row in rows for entry in row]
        for first in entries:
            others = [other for other in entries if other > first and tex[slice(*other)] != tex[slice(*first)]]
            if others:
                yield _exchanged(tex, first, random.choice(others))


def _rows(tex: str, start: int, end: int, random: Random) -> Iterator[tuple[Edit, ...]]:
    for rows in matrices(tex, start, end):
        whole = [(row[0][0], row[-1][1]) for row in rows]
        for first in whole:
            others = [other for other in whole if other > first and tex[slice(*other)] != tex[slice(*first)]]
            if others:
                yield _exchanged(tex, first, random.choice(others))


def _indices(tex: str, start: int, end: int, random: Random) -> Iterator[tuple[Edit, ...]]:
    text = blanked(tex, start, end, indices=False)
    for found in _INDEX.finditer(text):
        head = re.search(r"(?:\\mathbf\{)?\w\}?$", tex[: start + found.start()])
        for group in (1, 2):
            if found[group] is None:
                continue
            largest = _largest(
                tex, head.group() if head is not None else "", 1 if found[2] is None else group, single=found[2] is None
            )
            others = [str(number) for number in range(1, largest + 1) if str(number) != found[group]]
            if others:
                yield ((start + found.start(group), start + found.end(group), random.choice(others)),)


def _largest(tex: str, name: str, group: int, *, single: bool) -> int:
    """The largest index that a name has anywhere in the key."""
    pattern = re.escape(name) + (r"_\{?(\d)\}" if single else r"_\{(\d),?[ ]?(\d)\}")
    return max((int(found[group]) for found in re.finditer(pattern, tex)), default=1)


def values(tex: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Numbers and fractions with their signs and brackets: where each stands."""
    for found in _VALUE.finditer(blanked(tex, start, end)):
        yield start + found.start(), start + found.end()


def _operands(tex: str, start: int, end: int, random: Random) -> Iterator[tuple[Edit, ...]]:
    if r"\cdot" not in tex[start:end] and r"\frac" not in tex[start:end]:
        return
    found = [place for place in values(tex, start, end) if rational(tex[slice(*place)]) is not None]
    for place in found:
        own = rational(tex[slice(*place)])
        others = [other for other in found if rational(tex[slice(*other)]) != own]
        if others:
            yield ((*place, tex[slice(*random.choice(others))]),)


MAKERS: dict[Kind, Callable[[str, int, int, Random], Iterator[tuple[Edit, ...]]]] = {
    "digit": _digits,
    "digit-swap": _digit_swaps,
    "sign": _signs,
    "entries": _entries,
    "rows": _rows,
    "index": _indices,
    "operand": _operands,
}
