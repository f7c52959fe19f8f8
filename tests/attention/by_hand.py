"""Attention worked step by step as a person with a long calculator does it, apart from the package.

A value is a Fraction while it is rational and a Decimal of 150 digits from then on. Values of small
problems are far from anything that 150 digits do not show, so a Decimal within 1e-100 of a number with
few digits is that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = Fraction | Decimal
Table: TypeAlias = list[list[Number | None]]

_CONTEXT = Context(prec=150, Emin=-(10**9), Emax=10**9)
_SHORT = Context(prec=100, Emin=-(10**9), Emax=10**9)
_ONE_HALF = Decimal("0.5")

STEPS = ("scale_factor", "projections", "scores", "exponentials", "row_sums", "weights", "products", "outputs")
NAMED = {
    "end": frozenset[str](),
    "matrices": frozenset({"projections", "scores", "weights", "outputs"}),
    "all": frozenset(STEPS) - {"scale_factor"},
}


@dataclass(frozen=True)
class Rule:
    """So many places or figures, and how a tie falls."""

    places: int | None
    figures: int | None
    ties: str

    def __call__(self, value: Number) -> Decimal:
        exact = decimal(value)
        if exact.adjusted() < -100:
            return Decimal(0)
        exact = _SHORT.plus(exact)
        places = self.places if self.places is not None else (self.figures or 0) - 1 - exact.adjusted()
        found = self._at(exact, places)
        if self.figures is not None and found and found.adjusted() > exact.adjusted():
            found = self._at(exact, places - 1)
        return found

    def _at(self, value: Decimal, places: int) -> Decimal:
        unit = Decimal((0, (1,), -places))
        if self.ties == "half-ceiling":
            raised = _CONTEXT.add(value.scaleb(places, _CONTEXT), _ONE_HALF)
            return raised.to_integral_value(ROUND_FLOOR, _CONTEXT).scaleb(-places, _CONTEXT)
        mode = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}[self.ties]
        return value.quantize(unit, mode, _CONTEXT)


@dataclass(frozen=True)
class Policy:
    """What rounds, and how."""

    rule: Rule
    steps: frozenset[str]
    each: dict[str, Rule]
    shift: bool

    def shown(self, step: str) -> Rule:
        return self.each.get(step, self.rule)

    def keep(self, step: str, value: Number) -> Number:
        return Fraction(self.shown(step)(value)) if step in self.steps else value


def decimal(value: Number) -> Decimal:
    if isinstance(value, Decimal):
        return value
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def read_policy(table: dict[str, Any]) -> Policy:
    ties = table.get("ties", "half-up")
    places, figures = table.get("places"), table.get("figures")
    rule = Rule(4 if places is None and figures is None else places, figures, ties)
    each = {step: Rule(own.get("places"), own.get("figures"), ties) for step, own in table.get("each", {}).items()}
    steps = table.get("steps", "end")
    chosen = (
        NAMED[steps]
        if isinstance(steps, str) and steps in NAMED
        else frozenset([steps] if isinstance(steps, str) else steps)
    )
    return Policy(rule, chosen, each, table.get("shift", False))


def work(tables: dict[str, Any]) -> dict[str, list[list[str | None]]]:
    """Every quantity of a problem as it stands on the sheet of somebody who follows its policy."""
    return _Sheet(tables).shown()


class _Sheet:
    """Tokens stand in rows throughout; a problem in columns is turned at its start and at its end."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self.tables = tables
        self.policy = read_policy(tables.get("rounding", {}))
        self.columns = tables.get("tokens", "rows") == "columns"
        self.turned = self.columns and tables.get("scores", "K^T Q") == "K^T Q"
        self.given = {name: _read(rows) for name, rows in tables["inputs"].items()}

    def shown(self) -> dict[str, list[list[str | None]]]:
        queries, keys, values = (self._projected(name) for name in "QKV")
        scores = self._product(queries, _turn(keys), "scores")
        scaled = self._scaled(scores, len(queries[0]))
        exponentials = _each(self._shifted(scaled), lambda x: self.policy.keep("exponentials", _exp(x)))
        sums = [[self._kept("row_sums", _total(row))] for row in exponentials]
        weights = [
            [self._kept("weights", _over(entry, total)) for entry in row]
            for row, (total,) in zip(exponentials, sums, strict=True)
        ]
        outputs = self._product(weights, values, "outputs")
        tokens = {"Q": queries, "K": keys, "V": values, "O": outputs}
        maps = {"S": scores, "S_scaled": scaled, "E": exponentials, "A": weights}
        steps = {"Q": "projections", "K": "projections", "V": "projections", "O": "outputs"}
        steps |= {"S": "scores", "S_scaled": "scores", "E": "exponentials", "A": "weights"}
        shown = {
            name: self._text(_turn(table) if self.columns else table, steps[name]) for name, table in tokens.items()
        }
        shown |= {name: self._text(_turn(table) if self.turned else table, steps[name]) for name, table in maps.items()}
        return shown | {"Z": self._text(sums, "row_sums")}

    def _projected(self, name: str) -> Table:
        if name in self.given:
            return _turn(self.given[name]) if self.columns else self.given[name]
        source = next(key for key in ("X", "X_1" if name == "Q" else "X_2") if key in self.given)
        tokens = _turn(self.given[source]) if self.columns else self.given[source]
        weight = self.given[f"W_{name}"]
        default = "W x" if self.columns else "X W"
        if self.tables.get("projection", default) == "W x":
            weight = _turn(weight)
        return self._product(tokens, weight, "projections")

    def _scaled(self, scores: Table, d_k: int) -> Table:
        factor = self.policy.keep("scale_factor", _factor(self.tables, d_k))
        if self.tables.get("scale") == "none":
            return scores
        return _each(scores, lambda x: self.policy.keep("scores", _times(factor, x)))

    def _shifted(self, scores: Table) -> Table:
        if not self.policy.shift:
            return scores
        return [[_plus(x, _times(Fraction(-1), _largest(row))) for x in row if x is not None] for row in scores]

    def _product(self, left: Table, right: Table, step: str) -> Table:
        return [[self._kept(step, self._dot(row, column)) for column in _turn(right)] for row in left]

    def _dot(self, row: list[Number | None], column: list[Number | None]) -> Number | None:
        pairs = list(zip(row, column, strict=True))
        if any(a is None or b is None for a, b in pairs):
            return None
        return _total([self.policy.keep("products", _times(a, b)) for a, b in pairs if a is not None and b is not None])

    def _kept(self, step: str, value: Number | None) -> Number | None:
        return None if value is None else self.policy.keep(step, value)

    def _text(self, table: Table, step: str) -> list[list[str | None]]:
        rule = self.policy.shown(step)
        return [[None if value is None else f"{_CONTEXT.plus(rule(value)):f}" for value in row] for row in table]


def _read(rows: list[list[int | str]]) -> Table:
    return [[Fraction(entry) for entry in row] for row in rows]


def _factor(tables: dict[str, Any], d_k: int) -> Number:
    """What the scores are multiplied by; a symbol stands for its declared value."""

    def value(key: str) -> Fraction:
        raw = tables[key]
        return Fraction(tables.get("symbols", {}).get(raw, raw))

    if "temperature" in tables:
        return 1 / value("temperature")
    if "beta" in tables:
        return value("beta")
    if tables.get("scale", "1/sqrt(d_k)") not in ("none", "1/sqrt(d_k)"):
        return value("scale")
    root = _CONTEXT.sqrt(Decimal(d_k))
    return Fraction(1, int(root)) if root == int(root) else _CONTEXT.divide(Decimal(1), root)


def _turn(table: Table) -> Table:
    return [list(column) for column in zip(*table, strict=True)]


def _each(table: Table, function: Callable[[Number], Number]) -> Table:
    return [[None if value is None else function(value) for value in row] for row in table]


def _plus(left: Number, right: Number) -> Number:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    return _CONTEXT.add(decimal(left), decimal(right))


def _times(left: Number, right: Number) -> Number:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    return _CONTEXT.multiply(decimal(left), decimal(right))


def _over(above: Number | None, below: Number | None) -> Number | None:
    if above is None or below is None or below == 0:
        return None
    if isinstance(above, Fraction) and isinstance(below, Fraction):
        return above / below
    return _CONTEXT.divide(decimal(above), decimal(below))


def _exp(value: Number) -> Number:
    return Fraction(1) if value == 0 else _CONTEXT.exp(decimal(value))


def _largest(row: list[Number | None]) -> Number:
    return max((value for value in row if value is not None), key=decimal)


def _total(values: list[Number | None] | list[Number]) -> Number | None:
    total: Number = Fraction(0)
    for value in values:
        if value is None:
            return None
        total = _plus(total, value)
    return total
