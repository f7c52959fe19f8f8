"""Attention with dual numbers: the derivative of a loss at one entry of one input, by nothing but the forward pass.

A dual number is a value with its derivative; sums, products, quotients and exponentials of quotients of exponential
sums are taken exactly. Tokens stand in rows throughout; what a problem has in columns is turned first. None of the
rules of a backward pass is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient

ZERO = Quotient.of(0)


@dataclass(frozen=True)
class Dual:
    """A value and its derivative."""

    value: Quotient
    slope: Quotient = field(default_factory=lambda: ZERO)

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Dual) -> Dual:
        if self.slope.is_zero and other.slope.is_zero:
            return Dual(self.value * other.value)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Dual) -> Dual:
        square = other.value * other.value
        return Dual(self.value / other.value, (self.slope * other.value - self.value * other.slope) / square)

    def exp(self) -> Dual:
        exponent = self.value.polynomial()
        assert exponent is not None
        power = Quotient.of(ExpSum.exp(exponent))
        return Dual(power, power * self.slope)


Table = list[list[Dual]]
Inputs = dict[str, list[list[Fraction]]]


def product(left: Table, right: Table) -> Table:
    return [
        [total([a * b for a, b in zip(row, column, strict=True)]) for column in zip(*right, strict=True)]
        for row in left
    ]


def total(items: list[Dual]) -> Dual:
    found = items[0]
    for item in items[1:]:
        found = found + item
    return found


def turned(table: Any) -> Any:
    return [list(line) for line in zip(*table, strict=True)]


@dataclass(frozen=True)
class Case:
    """One layer, as a problem declares it, and its loss."""

    inputs: Inputs
    keys: dict[str, Any]
    hidden: list[list[list[bool]]]
    """By head, by query, by key."""
    added: list[list[Fraction]] | None
    scale: Polynomial
    loss: list[list[Fraction]] | None
    target: list[list[Fraction]] | None

    @property
    def heads(self) -> int:
        heads = self.keys.get("heads", 0)
        return heads if isinstance(heads, int) else len(heads)

    def number(self, value: Fraction | Polynomial | int) -> Dual:
        """A number that does not depend on the input."""
        return Dual(Quotient.of(value))

    def capped(self, score: Dual) -> Dual:
        """What is done to scores once they are scaled: nothing."""
        return score

    def slope(self, name: str, row: int, column: int) -> Quotient:
        """The derivative of the loss at one entry of an input, in the place that it has in the problem."""
        found = {
            key: [
                [Dual(Quotient.of(v), Quotient.of(int((key, i, j) == (name, row, column)))) for j, v in enumerate(line)]
                for i, line in enumerate(table)
            ]
            for key, table in self.inputs.items()
        }
        return self._loss(self.outputs(found)).slope

    def _loss(self, outputs: Table) -> Dual:
        found = []
        for i, line in enumerate(outputs):
            for j, item in enumerate(line):
                if self.target is not None:
                    off = item + self.number(-self.target[i][j])
                    found.append(off * off * self.number(Fraction(1, 2)))
                else:
                    weight = Fraction(1) if self.loss is None else self.loss[i][j]
                    found.append(item * self.number(weight))
        return total(found)

    def outputs(self, found: dict[str, Table]) -> Table:
        columns = self.keys.get("tokens") == "columns"
        rows = {name: turned(table) if columns and name[0] in "XQKVb" else table for name, table in found.items()}
        made = {letter: self._projected(letter, rows) for letter in "QKV"}
        heads = [self._head(head, made, rows) for head in range(max(self.heads, 1))]
        if self.keys.get("combine") == "mean":
            share = self.number(Fraction(1, len(heads)))
            return [
                [total([h[i][j] for h in heads]) * share for j in range(len(heads[0][0]))] for i in range(len(heads[0]))
            ]
        joined = [[item for head in heads for item in head[i]] for i in range(len(heads[0]))]
        if "W_O" not in rows:
            return joined
        output = product(joined, self._upright(rows["W_O"]))
        return (
            [[a + b for a, b in zip(line, rows["b_O"][0], strict=True)] for line in output] if "b_O" in rows else output
        )

    def _upright(self, weight: Table) -> Table:
        """A weight as it meets rows from the right."""
        columns = self.keys.get("tokens") == "columns"
        default = "W x" if columns else "X W"
        return turned(weight) if self.keys.get("projection", default) == "W x" else weight

    def _projected(self, letter: str, rows: dict[str, Table]) -> list[Table]:
        """Queries, keys or values of each head that has its own."""
        count = (self.keys.get("kv_heads", self.heads) if letter != "Q" else self.heads) or 1
        own = [f"{letter}^{number}" for number in range(1, count + 1)]
        if f"W_{letter}^1" in rows or f"{letter}^1" in rows:
            return [self._one(name, rows) for name in own]
        whole = self._one(letter, rows)
        size = len(whole[0]) // count
        return [[line[part * size : (part + 1) * size] for line in whole] for part in range(count)]

    def _one(self, name: str, rows: dict[str, Table]) -> Table:
        if name in rows:
            return rows[name]
        source = rows["X"] if "X" in rows else rows["X_1"] if name[0] == "Q" else rows["X_2"]
        made = product(source, self._upright(rows[f"W_{name}"]))
        bias = rows.get(f"b_{name}")
        return [[a + b for a, b in zip(line, bias[0], strict=True)] for line in made] if bias else made

    def _head(self, head: int, made: dict[str, list[Table]], rows: dict[str, Table]) -> Table:
        group = head * len(made["K"]) // max(self.heads, 1)
        queries, keys, values = made["Q"][head], made["K"][group], made["V"][group]
        if "W_S" in rows:
            queries = product(queries, rows["W_S"])
        scores = product(queries, turned(keys))
        return [self._attend(scores[i], values, head, i) for i in range(len(scores))]

    def _attend(self, scores: list[Dual], values: Table, head: int, i: int) -> list[Dual]:
        factor = self.number(self.scale)
        seen = [j for j in range(len(scores)) if not self.hidden[head][i][j]]
        if not seen:
            return [self.number(0)] * len(values[0])
        powers = []
        for j in seen:
            score = self.capped(scores[j] * factor)
            powers.append((score if self.added is None else score + self.number(self.added[i][j])).exp())
        below = total([*powers, self.number(1)] if self.keys.get("softmax_one") else powers)
        # Over one bar, so that each output has the denominator of its row alone.
        return [
            total([p * values[j][k] for p, j in zip(powers, seen, strict=True)]) / below for k in range(len(values[0]))
        ]
