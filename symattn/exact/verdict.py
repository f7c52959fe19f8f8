"""TRUSTED. Equality as a verdict with three values and its evidence, never as a bool by accident."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Literal, NoReturn, TypeAlias

from symattn.errors import InputError
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient, QuotientLike
from symattn.exact.rounding import Rounding, decimal
from symattn.records import dataclass

Outcome: TypeAlias = Literal["equal", "different", "undecided"]

_EVIDENCE = Rounding(figures=6)
_MAX_POINTS = 200


@dataclass(frozen=True)
class Verdict:
    """What was found about an equality: the outcome, why, and what shows it.

    >>> Verdict("equal", "the same number").is_equal
    True
    """

    outcome: Outcome
    reason: str
    evidence: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Proved equal."""
        return self.outcome == "equal"

    @property
    def is_different(self) -> bool:
        """Proved different."""
        return self.outcome == "different"

    @property
    def is_undecided(self) -> bool:
        """Neither was proved."""
        return self.outcome == "undecided"

    def __bool__(self) -> NoReturn:
        """Refuse: "undecided" is neither true nor false.

        Raises:
            TypeError: always.
        """
        raise TypeError("A Verdict is no bool, for it has three values: ask .is_equal, .is_different or .is_undecided.")


def equal(a: Matrix | QuotientLike, b: Matrix | QuotientLike) -> Verdict:
    """Decide whether two exact values are equal; with symbols, as functions of them.

    >>> from symattn.exact.expsum import ExpSum
    >>> equal(Quotient(ExpSum.exp(2), ExpSum.exp(1)), Quotient(ExpSum.exp(1))).outcome
    'equal'
    >>> equal("1/3", "0.333").evidence
    ('the difference is 0.000333333',)
    """
    if isinstance(a, Matrix) and isinstance(b, Matrix):
        return _equal_matrices(a, b)
    if isinstance(a, Matrix) or isinstance(b, Matrix):
        return Verdict("different", "one is a matrix and the other is a number")
    return _equal_quotients(Quotient.of(a), Quotient.of(b))


def _equal_matrices(a: Matrix, b: Matrix) -> Verdict:
    if a.shape != b.shape:
        shapes = "{}×{} and {}×{}".format(*a.shape, *b.shape)
        return Verdict("different", "the shapes differ", (shapes,))
    for i, (p, q) in enumerate(zip(a.rows, b.rows, strict=True), 1):
        for j, (x, y) in enumerate(zip(p, q, strict=True), 1):
            verdict = _equal_quotients(x, y)
            if not verdict.is_equal:
                reason = f"row {i}, column {j}: {verdict.reason}"
                return Verdict(verdict.outcome, reason, verdict.evidence)
    return Verdict("equal", "all entries are equal")


def _equal_quotients(a: Quotient, b: Quotient) -> Verdict:
    if a == b:
        return Verdict("equal", "cross-multiplied, both sides have the same collected exponentials")
    difference = a - b
    names = sorted(difference.symbols)
    reason = "cross-multiplied, the sides have different collected exponentials"
    if not names:
        return Verdict("different", reason, (f"the difference is {decimal(difference, _EVIDENCE)}",))
    found = _witness(difference, names)
    return Verdict("different", reason, () if found is None else (found,))


def _witness(difference: Quotient, names: list[str]) -> str | None:
    """A rational point where a function that is not zero is not zero, in words."""
    for point in islice(_points(len(names)), _MAX_POINTS):
        at = dict(zip(names, point, strict=True))
        try:
            value = difference.substitute(at)
        except InputError:  # a denominator vanishes there
            continue
        if not value.is_zero:
            where = ", ".join(f"{name} = {x}" for name, x in at.items())
            return f"at {where} the difference is {decimal(value, _EVIDENCE)}"
    return None


def _points(dimension: int) -> Iterator[tuple[Fraction, ...]]:
    """Positive rational points, no two coordinates of one point alike, so that differences show."""
    step = 1
    while True:
        yield tuple(Fraction(step + 2 * k, 1) for k in range(dimension))
        yield tuple(Fraction(1, step + k + 1) for k in range(dimension))
        step += 1
