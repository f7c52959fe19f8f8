"""TRUSTED. Claims: what a sentence says of a weight matrix, as a word and numbers, decided exactly.

A claim is about the lines of a matrix of weights: line ``i`` holds the weights of query ``i``, whether it
is a row or a column of the matrix. Numbers count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar
from weakref import WeakKeyDictionary

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import as_fraction
from symattn.exact.reals.sign import are_apart, compare
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding, fixed_bounds, rounded_indices
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Scene
from symattn.records import dataclass

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Claim:
    """One predicate of a weight matrix and its numbers.

    Attributes:
        kind: a word of `CLAIMS`.
        numbers: the line and the positions, as the word wants them.
        head: the head whose weights it is about, 0 where there are no heads.
    """

    kind: str
    numbers: tuple[int, ...] = ()
    head: int = 0

    @property
    def note(self) -> str:
        """The claim as one line of plain text."""
        head = ["head", str(self.head)] if self.head else []
        return " ".join(["claim", *head, self.kind, *map(str, self.numbers)])


_NOTE = r"claim (?:head ([0-9]{1,5}) )?([a-z-]{1,30})((?: [0-9]{1,5})*)"  # start-up: compiled when a note is read


def claim_from_note(note: str) -> Claim | None:
    """Return the claim that a note stands for, None for the note of something else.

    >>> claim_from_note("claim largest 1 3")
    Claim(kind='largest', numbers=(1, 3), head=0)
    """
    found = re.fullmatch(_NOTE, note)
    if found is None:
        return None
    head, kind, numbers = found.groups()
    return Claim(kind, tuple(int(number) for number in numbers.split()), int(head or 0))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a scene as lines, exactly and as the policy shows them.

    `shown` holds rounded values; a line that is undefined under step rounding is shown rounded once. The
    line of a query that sees no key may lack weights altogether; nothing can be claimed of it.
    """

    lines: tuple[tuple[Quotient, ...], ...]
    shown: tuple[tuple[Quotient, ...], ...]
    scores: tuple[tuple[Quotient, ...], ...]

    @property
    def undefined(self) -> frozenset[int]:
        """The lines without weights, from 1."""
        return frozenset(number for number, line in enumerate(self.lines, 1) if not all(v.is_finite for v in line))

    @property
    def blind(self) -> tuple[int, ...]:
        """The lines whose query sees no key, from 1; a score without a value hides nothing."""
        return tuple(number for number, line in enumerate(self.scores, 1) if is_blind(line))


def weights_of(scene: Scene, logits: str) -> Weights:
    """Return the weights ``A`` of a scene as lines, with the scores that they come from."""
    known = _KNOWN.setdefault(scene, {})
    if logits not in known:
        quantity = scene.quantities["A"]
        axis = quantity.definition.axis
        lines = _lines(quantity.exact.rows, axis)
        carried = _lines(quantity.carried, axis)
        rounding = quantity.rounding or quantity.display
        sources = carried if quantity.rounding else lines
        shown = tuple(_shown(exact, line, rounding) for exact, line in zip(lines, sources, strict=True))
        known[logits] = Weights(lines, shown, _lines(scene.quantities[logits].exact.rows, axis))
    return known[logits]


_KNOWN: WeakKeyDictionary[Scene, dict[str, Weights]] = WeakKeyDictionary()
"""Weights by the names of their scores: a key asks for those of one scene several times."""


def _lines(rows: tuple[tuple[_T, ...], ...], axis: q.Axis) -> tuple[tuple[_T, ...], ...]:
    return rows if axis == "rows" else tuple(zip(*rows, strict=True))


def _shown(
    exact: tuple[Quotient, ...], carried: tuple[Quotient | None, ...], rounding: Rounding
) -> tuple[Quotient, ...]:
    if not all(value.is_finite for value in exact):
        return exact
    defined = [value for value in carried if value is not None]
    source = defined if len(defined) == len(carried) else list(exact)
    return tuple(Quotient.of(as_fraction(index, places)) for index, places in rounded_indices(source, rounding))


def prove_claim(claim: Claim, weights: Weights) -> bool:
    """Decide a claim exactly.

    Raises:
        InputError: a word that is not in the table, or numbers that do not fit it.
    """
    predicate = CLAIMS.get(claim.kind)
    if predicate is None:
        raise InputError(f"Unknown claim {claim.kind!r}; there are {', '.join(sorted(CLAIMS))}.")
    misfit = f"The numbers of the claim {claim.note!r} do not fit these weights."
    most = max(len(weights.lines), len(weights.lines[0]))
    if not all(1 <= number <= most for number in claim.numbers):
        raise InputError(misfit)
    undefined = weights.undefined
    if undefined and claim.kind not in OF_SIZES and (claim.kind not in OF_LINES or undefined & {*_lines_of(claim)}):
        return False
    try:
        return predicate(weights, claim.numbers)
    except (IndexError, ValueError) as error:
        raise InputError(misfit) from error


def claim_fault(claim: Claim, weights: Mapping[int, Weights]) -> str:
    """Return the reason why a claim is not proved of the weights of its head, or nothing."""
    own = weights.get(claim.head)
    if own is None:
        return "the order of the weights is open while a symbol is free"
    try:
        return "" if prove_claim(claim, own) else f"the claim {claim.note!r} does not hold"
    except InputError as error:
        return str(error)


def _lines_of(claim: Claim) -> tuple[int, ...]:
    """Return the lines that a claim about single lines is about."""
    return claim.numbers[: 2 if claim.kind in {"coincide", "same-line"} else 1]


_ZERO = Quotient.of(0)


def _level(scores: tuple[Quotient, ...], excluded: frozenset[int]) -> frozenset[int]:
    """Return the positions of the largest score among those that are neither excluded nor hidden; all ties."""
    best: list[int] = []
    for position, score in enumerate(scores, 1):
        if position in excluded or not score.is_finite:
            continue
        order = compare(score, scores[best[0] - 1]) if best else 1
        best = [position] if order > 0 else [*best, position] if order == 0 else best
    return frozenset(best)


def level(scores: tuple[Quotient, ...], excluded: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """Return the positions of the largest score that is not excluded, in order; all ties, no hidden ones.

    The softmax is increasing, so these are the positions of the largest weight.

    >>> level(tuple(map(Quotient.of, (2, 5, 5))))
    (2, 3)
    """
    return tuple(sorted(_level(scores, excluded)))


def _largest(weights: Weights, numbers: tuple[int, ...]) -> bool:
    line, *positions = numbers
    return level(weights.scores[line - 1]) == tuple(positions)


def _second(weights: Weights, numbers: tuple[int, ...]) -> bool:
    line, *positions = numbers
    scores = weights.scores[line - 1]
    return bool(positions) and level(scores, _level(scores, frozenset())) == tuple(positions)


def _nonzero(weights: Weights, line: int) -> tuple[int, ...]:
    return tuple(position for position, value in enumerate(weights.shown[line - 1], 1) if value != _ZERO)


def _only(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that, to the digits shown, these positions have all the weight of the line."""
    line, *positions = numbers
    return _nonzero(weights, line) == tuple(positions)


def _every(weights: Weights, numbers: tuple[int, ...]) -> bool:
    (line,) = numbers
    return len(_nonzero(weights, line)) == len(weights.lines[line - 1])


def _spread(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that, to the digits shown, this many positions have weight in the line."""
    line, count = numbers
    return len(_nonzero(weights, line)) == count


def _tie(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that two positions of a line or more, in order, have exactly the same weight."""
    line, first, second, *more = numbers
    positions = (first, second, *more)
    weight = weights.lines[line - 1][first - 1]
    is_ordered = all(a < b for a, b in pairwise(positions))
    return is_ordered and all(weights.lines[line - 1][position - 1] == weight for position in positions[1:])


def _no_own(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that, to the digits shown, no line has weight at its own position."""
    square = all(len(line) == len(weights.lines) for line in weights.lines)
    return not numbers and square and all(weights.shown[i][i] == _ZERO for i in range(len(weights.lines)))


def _own_largest(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that each line has its largest weight, alone, at its own position."""
    lines = range(1, len(weights.lines) + 1)
    return not numbers and all(level(weights.scores[line - 1]) == (line,) for line in lines)


MAX_BITS = 1024
"""The precision at which totals that are still not told apart are left undecided."""


def total_bounds(weights: Weights, bits: int) -> list[tuple[Fraction, Fraction]]:
    """Return rational bounds of the total weight that all lines give to each position.

    The exact sum has a common denominator of as many factors as there are lines, so it is enclosed
    term by term.
    """
    count = len(weights.lines[0])
    ends = fixed_bounds([value for line in weights.lines for value in line], bits)
    columns = [ends[position::count] for position in range(count)]
    unit = Fraction(1, 1 << bits)
    return [(sum(low for low, _ in column) * unit, sum(high for _, high in column) * unit) for column in columns]


def hub(weights: Weights) -> int | None:
    """Return the position whose total weight is provably larger than every other, None where that is not proved."""
    bits = 64
    while bits <= MAX_BITS:
        ends = total_bounds(weights, bits)
        best = max(range(len(ends)), key=lambda position: ends[position][0])
        if all(ends[best][0] > high for position, (_, high) in enumerate(ends) if position != best):
            return best + 1
        bits *= 4
    return None


def _hub(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that one position has a larger total weight than any other."""
    (position,) = numbers
    return hub(weights) == position


def _coincide(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that two lines are the same to the digits shown."""
    first, second = numbers
    return first < second and weights.shown[first - 1] == weights.shown[second - 1]


def _same_line(weights: Weights, numbers: tuple[int, ...]) -> bool:
    first, second = numbers
    return first < second and same_line(weights, first, second)


def same_line(weights: Weights, first: int, second: int) -> bool:
    """Decide that two lines have the same weights, by their form; first enclosures tell most that do not."""
    pairs = list(zip(weights.lines[first - 1], weights.lines[second - 1], strict=True))
    return not any(are_apart(*pair) for pair in pairs) and all(a is b or a == b for a, b in pairs)


def _order_kept(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that all lines have their largest weight at one and the same position."""
    (position,) = numbers
    return all(level(scores) == (position,) for scores in weights.scores)


def _outputs(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide the number of lines."""
    return numbers == (len(weights.lines),)


def _inputs(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide the number of positions in each line."""
    return numbers == (len(weights.lines[0]),)


def _uniform(weights: Weights, numbers: tuple[int, ...]) -> bool:
    (line,) = numbers
    return len(level(weights.scores[line - 1])) == len(weights.lines[line - 1])


def seen(scores: tuple[Quotient, ...]) -> tuple[int, ...]:
    """Return the positions that are not hidden.

    >>> seen(tuple(map(Quotient.of, (2, 5))))
    (1, 2)
    """
    return tuple(position for position, score in enumerate(scores, 1) if score.is_finite)


def is_blind(scores: Iterable[Quotient]) -> bool:
    """Return True if all scores of a query are minus infinity; an undefined score hides no key.

    >>> is_blind([MINUS_INFINITY]), is_blind([MINUS_INFINITY, Quotient.of(2)])
    (True, False)
    """
    return all(score is MINUS_INFINITY for score in scores)


def _seen(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that these positions of a line are seen, and no others."""
    line, *positions = numbers
    return seen(weights.scores[line - 1]) == tuple(positions)


def _alike(weights: Weights, numbers: tuple[int, ...]) -> bool:
    """Decide that these positions of a line are seen, no others, and all have the same weight."""
    line, *positions = numbers
    return _seen(weights, numbers) and level(weights.scores[line - 1]) == tuple(positions)


CLAIMS: Mapping[str, Callable[[Weights, tuple[int, ...]], bool]] = {
    "largest": _largest,
    "second": _second,
    "only": _only,
    "every": _every,
    "spread": _spread,
    "tie": _tie,
    "no-own": _no_own,
    "own-largest": _own_largest,
    "hub": _hub,
    "coincide": _coincide,
    "same-line": _same_line,
    "all-to": _order_kept,
    "uniform": _uniform,
    "seen": _seen,
    "alike": _alike,
    "outputs": _outputs,
    "inputs": _inputs,
}
"""The predicates, by the word of the claim."""

OF_SIZES = frozenset({"outputs", "inputs"})
"""The claims that are about numbers of lines and positions alone."""

OF_LINES = frozenset(
    {"largest", "second", "only", "every", "spread", "tie", "coincide", "same-line", "uniform", "seen", "alike"}
)
"""The claims about single lines, which are their first numbers; the others are about all lines."""

AS_SHOWN = frozenset({"only", "spread", "no-own", "coincide"})
"""The claims that hold of the digits shown alone: a sentence that makes one says so."""

OF_A_LINE = frozenset({"largest", "second", "tie"})
"""The claims whose line a sentence can leave to the one before it."""
