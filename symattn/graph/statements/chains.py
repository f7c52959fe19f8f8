"""Parts of the statements of a solution: written values, and chains of relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from symattn.errors import InputError, TooLongError, UndecidedError
from symattn.exact.evaluation import Value, same
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import Layer
from symattn.graph.key_judge.matching import Matcher
from symattn.graph.quantities.scene import MAX_DIGITS, Entry, Scene, Target, Valuation
from symattn.graph.quantities.statement import Statement
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.records import dataclass

Detail = Literal["brief", "full", "every-product"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Number of rows and columns of a matrix that are shown before its middle is elided."""

    limit: int = 8

    def numbers(self, length: int) -> list[int | None]:
        """Return the numbers shown of 1..length, None for the gap."""
        if length <= self.limit:
            return list(range(1, length + 1))
        return [*range(1, self.limit - 1), None, length]


class Chains:
    """Writes values of one layer, and chains of them.

    Args:
        layer: the worked layer.
        detail: how much of each product is written out.
    """

    def __init__(self, layer: Layer, detail: Detail = "full") -> None:
        self.layer = layer
        self.scene: Scene = layer.scene
        self.detail = detail
        self._symbolic = {name: layer.is_symbolic(name) for name in self.scene.quantities}

    def valuation(self, name: str) -> Valuation:
        """Return the valuation that a key prints for a quantity; with a free symbol only the exact one."""
        if self._symbolic[name]:
            return "exact"
        return "carried" if self.layer.problem.policy.steps else "end"

    def matrix(self, name: str, valuation: Valuation, shown: Shown) -> t.Matrix:
        """Return the value of a quantity as a written matrix, its middle left out where it is large."""
        rows, columns = self.scene.quantities[name].shape
        across = shown.numbers(columns)
        written = [tuple(self._cell(name, i, j, valuation) for j in across) for i in shown.numbers(rows)]
        return t.Matrix(tuple(written))

    def _cell(self, name: str, row: int | None, column: int | None, valuation: Valuation) -> t.Node:
        if row is None:
            return t.Dots("ddots" if column is None else "vdots")
        if column is None:
            return t.Dots("cdots")
        return self.literal(Entry(name, row, column), valuation)

    def is_defined(self, name: str) -> bool:
        """Return True if every entry has the value that a key prints."""
        quantity = self.scene.quantities[name]
        if any(value is UNDEFINED for value in quantity.exact):
            return False
        return self.valuation(name) != "carried" or all(value is not None for row in quantity.carried for value in row)

    def literal(self, target: Target, valuation: Valuation) -> t.Node:
        """Return the prescribed way to write a value.

        Raises:
            InputError: the value is undefined.
            TooLongError: it has too many digits before its point to be worked with by hand.
        """
        literal = self.scene.literal(target, valuation)
        if literal is None:
            raise InputError(f"{target.name} is undefined where a row sum rounds to 0.")
        if isinstance(target, Entry) and (digits := digits_before_point(literal)) > MAX_DIGITS:
            name = write_plain(self.scene.reference(target))
            if self.scene.quantities[target.name].style == "rational":
                # It is written as it is under every policy.
                raise TooLongError(
                    f"{name} has {digits} digits before the point, too many to work with: take smaller ones."
                )
            raise TooLongError(
                f"{name} has {digits} digits before the point under this rounding policy, too many to work with: "
                "subtract the maximum of each row (shift = true), or round to significant figures (figures = 5)."
            )
        return literal

    def answer(self, target: Target, valuation: Valuation) -> t.Node:
        """Return a value for the end of a worked line, a whole number without decimals; see `literal`."""
        return self.scene.whole_number(target, valuation) or self.literal(target, valuation)

    def is_short(self, target: Target, valuation: Valuation) -> bool:
        """Return True if the value of an entry has few enough digits to be printed."""
        literal = self.scene.literal(target, valuation)
        return literal is not None and digits_before_point(literal) <= MAX_DIGITS

    def link(
        self, subject: t.Node, sides: Sequence[t.Node], valuation: Valuation, rounding: Rounding | None = None
    ) -> Statement:
        """Return the sides with ``=`` where it holds exactly and ``≈`` where something was rounded."""
        matcher = Matcher(self.scene, valuation, rounding)
        values = [self._value(side) for side in sides]
        operators: list[str] = []
        for position in range(len(sides) - 1):
            first, second = values[position], values[position + 1]
            equal = None if first is None or second is None else _same_if_decided(first, second)
            if equal is None:
                fits = [matcher.fit(side, subject) for side in sides[position : position + 2]]
                equal = all(fit is not None and fit.exact for fit in fits)
            operators.append("=" if equal else "≈")
        if len(sides) == 1:
            return Statement(subject, sides[0], valuation)
        return Statement(subject, t.Relation(tuple(sides), tuple(operators)), valuation)

    def _value(self, side: t.Node) -> Value | None:
        try:
            return self.scene.value(side)
        except InputError:
            return None

    def chain(
        self, subject: t.Node, sides: Sequence[t.Node], valuation: Valuation, rounding: Rounding | None = None
    ) -> Statement:
        """Return a statement of the given sides about any subject; see `Statement`."""
        written = self.link(subject, sides, valuation, rounding).written
        return Statement(subject, written, valuation, rounding)


def _same_if_decided(left: Value, right: Value) -> bool | None:
    """Compare two values; return None if their enclosures do not decide it."""
    try:
        return same(left, right)
    except UndecidedError:
        return None


def transposed(matrix: t.Matrix) -> t.Matrix:
    """Return rows as columns, dots turned too."""
    turned = {"cdots": t.Dots("vdots"), "vdots": t.Dots("cdots")}
    rows = zip(*matrix.rows, strict=True)
    return t.Matrix(tuple(tuple(turned.get(e.shape, e) if isinstance(e, t.Dots) else e for e in row) for row in rows))


def digits_before_point(node: t.Node) -> int:
    """Count the digits before the decimal point of the longest numeral in a written number."""
    match node:
        case t.Number(text):
            return len(text.partition(".")[0]) if "e" not in text else 1
        case t.Negative(body):
            return digits_before_point(body)
        case t.Division(numerator, denominator):
            return max(digits_before_point(numerator), digits_before_point(denominator))
    return 0
