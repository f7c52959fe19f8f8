"""Changes of one number in a judged line of a key: its value, the number of its places, or where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

MARK = "% symattn:"
_NUMERAL = re.compile(r"\d+(?:\.\d+)?")
_LAYOUT = re.compile(
    r"\\(?:begin|end)\{[a-z]+\*?\}(?:\{[^}]*\}|\[[^\]]*\])?|\\draw\[[^\]]*\]|\\arraystretch\}\{[^}]*\}"
)
"""What holds numbers that set how a line looks."""


@dataclass(frozen=True)
class Numeral:
    """A number of a judged line that says something: its line (from 1), its column (from 0), its digits."""

    line: int
    start: int
    text: str
    negative: bool = False


@dataclass(frozen=True)
class Mutation:
    """One or two numbers of one line, and what stands there instead.

    Attributes:
        line: the number of the line, from 1.
        edits: the column where each number begins (from 0), the number, and what it becomes.
    """

    line: int
    edits: tuple[tuple[int, str, str], ...]

    def apply(self, tex: str) -> str:
        lines = tex.split("\n")
        text = lines[self.line - 1]
        for start, before, after in reversed(self.edits):
            text = text[:start] + after + text[start + len(before) :]
        lines[self.line - 1] = text
        return "\n".join(lines)

    def is_of_places(self) -> bool:
        """Whether whole numbers stay what they are, with or without their places."""
        return all(re.fullmatch(r"\d+\.0+", max(edit[1:], key=len)) and _alike(*edit[1:]) for edit in self.edits)

    def columns(self) -> Iterator[range]:
        """Where each changed number stands after the change, in columns from 1."""
        moved = 0
        for start, before, after in self.edits:
            yield range(start + moved + 1, start + moved + len(after) + 1)
            moved += len(after) - len(before)


def _alike(before: str, after: str) -> bool:
    return min(before, after, key=len) == max(before, after, key=len).partition(".")[0]


def numerals(tex: str) -> Iterator[Numeral]:
    """Every number of every judged line, with whether a minus sign stands before it."""
    for number, line in enumerate(tex.split("\n"), 1):
        source, mark, _ = line.partition(MARK)
        if not mark:
            continue
        blank = _LAYOUT.sub(lambda found: " " * len(found.group()), source)
        for found in _NUMERAL.finditer(blank):
            negative = blank[: found.start()].endswith(("(-", "{-"))
            yield Numeral(number, found.start(), found.group(), negative)


def draw(tex: str, random: Random) -> Mutation:
    """One change of one number, all numbers and all changes of each alike; none of the places of a whole number alone.

    A value that is exactly 2 may be written as 2 or 2.000.
    """
    while (mutation := _drawn(tex, random)).is_of_places():
        pass
    return mutation


def _drawn(tex: str, random: Random) -> Mutation:
    found = list(numerals(tex))
    at = random.randrange(len(found))
    neighbours = [other for other in found[at + 1 :] if other.line == found[at].line and other.text != found[at].text]
    if neighbours and random.random() < 0.1:
        return exchanged(found[at], random.choice(neighbours))
    return random.choice(list(changed(found[at], random)))


def every(tex: str) -> Iterator[Mutation]:
    """Every change of every number, and every exchange of two that stand next to each other."""
    found = list(numerals(tex))
    for numeral in found:
        yield from changed(numeral, Random(0))
    for first, second in pairwise(found):
        if first.line == second.line and first.text != second.text:
            yield exchanged(first, second)


def exchanged(first: Numeral, second: Numeral) -> Mutation:
    edits = ((first.start, first.text, second.text), (second.start, second.text, first.text))
    return Mutation(first.line, edits)


def changed(numeral: Numeral, random: Random) -> Iterator[Mutation]:
    for after in changes(numeral.text, random):
        yield Mutation(numeral.line, ((numeral.start, numeral.text, after),))
    if numeral.negative:
        yield Mutation(numeral.line, ((numeral.start - 1, f"-{numeral.text}", numeral.text),))


def changes(text: str, random: Random) -> list[str]:
    """Other numerals in the place of one: another value, or the same with other places.

    >>> changes("0.62", Random(0))[:5]
    ['0.63', '0.61', '0.6', '0.620', '1.62']
    """
    whole, point, decimals = text.partition(".")
    found = [_nudged(text, 1), _nudged(text, -1)]
    if point:
        found += [f"{whole}.{decimals[:-1]}".rstrip("."), f"{text}0", f"{int(whole) + 1}.{decimals}", whole]
    else:
        found += [f"{text}.0", f"{text}0", f"{text}.5", text[:-1]]
    position = random.choice([at for at, digit in enumerate(text) if digit != "."])
    found.append(text[:position] + random.choice("0123456789") + text[position + 1 :])
    found.append(f"-{text}")
    return list(dict.fromkeys(other for other in found if other not in {"", text}))


def _nudged(text: str, step: int) -> str:
    """The last digit one up or one down, without a sign."""
    decimals = len(text.partition(".")[2])
    units = abs(int(text.replace(".", "")) + step)
    digits = str(units).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
