"""TRUSTED. The rules by which one quantity comes from others: one table, used to derive and to replay.

Each rule takes grids of values (None where undefined) and its arguments, and returns a grid. Rounding
is an argument of the rule, so that the exact and the step-rounded derivation are the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from symattn.derivation.quantity import Axis, Grid
from symattn.errors import InputError
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import TIES, Rounding, magnitude, round_exact
from symattn.exact.sign import compare
from symattn.records import dataclass

Arguments: TypeAlias = Mapping[str, str]
"""Arguments of a rule as plain text, writable as JSON."""

_ZERO = Quotient.of(0)
_MAX_MAGNITUDE = 20_000


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to get a quantity from others.

    Attributes:
        name: its name in steps.
        apply: premises and arguments to the grid that follows.
        statement: the inference in words.
        source: the definition that it applies.
        premises: how many premises it has.
        options: the names of its arguments.
    """

    name: str
    apply: Callable[[tuple[Grid, ...], Arguments], Grid]
    statement: str
    source: str
    premises: int
    options: tuple[str, ...] = ()

    def misfit(self, premises: int, arguments: tuple[tuple[str, str], ...]) -> str:
        """Why a step does not have the form of this rule, or nothing.

        >>> RULES["line-sum"].misfit(1, (("axis", "diagonal"),))
        "the argument axis of line-sum is no 'diagonal'"
        """
        if premises != self.premises:
            return f"{self.name} has {self.premises} premises, not {premises}"
        names = [name for name, _ in arguments]
        unknown = [name for name in names if name not in self.options]
        if unknown or len(set(names)) != len(names):
            return f"the arguments of {self.name} are {', '.join(self.options) or 'none'}, each once at most"
        if "axis" in self.options and "axis" not in names:
            return f"{self.name} needs an axis"
        wrong = [(name, value) for name, value in arguments if not _OPTIONS[name].fullmatch(value)]
        return f"the argument {wrong[0][0]} of {self.name} is no {wrong[0][1]!r}" if wrong else ""


_DIGITS = re.compile(rf"([0-9]{{1,5}}) (places|figures) ({'|'.join(TIES)})", re.ASCII)
_OPTIONS: Mapping[str, re.Pattern[str]] = {
    "axis": re.compile("rows|columns"),
    "left": re.compile("transposed"),
    "right": re.compile("transposed"),
    "products": _DIGITS,
    "rounding": _DIGITS,
}


def parse_rounding(text: str) -> Rounding | None:
    """The rounding that `write_rounding` wrote.

    Raises:
        InputError: it is not one that `write_rounding` writes.

    >>> parse_rounding("2 places half-up")
    Rounding(places=2, figures=None, ties='half-up')
    """
    if not text:
        return None
    found = _DIGITS.fullmatch(text)
    if found is None:
        raise InputError(f"The rounding {text[:40]!r} is not of the form '2 places half-up'.")
    count, kind, ties = found.groups()
    return Rounding(places=int(count), ties=ties) if kind == "places" else Rounding(figures=int(count), ties=ties)


def write_rounding(rounding: Rounding | None) -> str:
    """A rounding as an argument of a step; empty for none.

    >>> write_rounding(Rounding(figures=3))
    '3 figures half-up'
    """
    if rounding is None:
        return ""
    if rounding.places is not None:
        return f"{rounding.places} places {rounding.ties}"
    return f"{rounding.figures} figures {rounding.ties}"


def rounded(values: Grid, rounding: Rounding | None) -> Grid:
    """Every defined value of a grid, rounded; a value with a free symbol has no digits and is undefined from here."""
    if rounding is None:
        return values
    return tuple(tuple(_round(value, rounding) for value in row) for row in values)


def _round(value: Quotient | None, rounding: Rounding | None) -> Quotient | None:
    if value is None or rounding is None:
        return value
    return None if value.symbols else Quotient.of(_round_number(value, rounding))


def _round_number(value: Quotient, rounding: Rounding) -> Fraction:
    if value.plain_rational() is None and abs(magnitude(value)) > _MAX_MAGNITUDE:
        raise InputError(
            f"A value near 10^{magnitude(value)} cannot be rounded and worked with by hand: "
            "subtract the maximum of each row (shift = true), or round to places at the end only."
        )
    return round_exact(value, rounding)


def _transpose(values: Grid) -> Grid:
    return tuple(zip(*values, strict=True))


def _product(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    left = _transpose(premises[0]) if arguments.get("left") == "transposed" else premises[0]
    right = _transpose(premises[1]) if arguments.get("right") == "transposed" else premises[1]
    products = parse_rounding(arguments.get("products", ""))
    final = parse_rounding(arguments.get("rounding", ""))
    if products is None and _defined(left) and _defined(right):
        return rounded((_matrix(left) @ _matrix(right)).rows, final)
    columns = _transpose(right)
    sums = tuple(tuple(_sum_of_products(row, column, products) for column in columns) for row in left)
    return rounded(sums, final)


def _sum_of_products(
    row: tuple[Quotient | None, ...], column: tuple[Quotient | None, ...], products: Rounding | None
) -> Quotient | None:
    pairs = [(a, b) for a, b in zip(row, column, strict=True)]
    if any(a is None or b is None for a, b in pairs):
        return None
    terms = [_round(a * b, products) for a, b in pairs if a is not None and b is not None]
    return reduce(lambda total, term: total + term, (term for term in terms if term is not None))


def _defined(values: Grid) -> bool:
    return all(value is not None for row in values for value in row)


def _matrix(values: Grid) -> Matrix:
    return Matrix([[value for value in row if value is not None] for row in values])


def _scale(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    factor = premises[0][0][0]
    final = parse_rounding(arguments.get("rounding", ""))
    scaled = tuple(
        tuple(None if value is None or factor is None else factor * value for value in row) for row in premises[1]
    )
    return rounded(scaled, final)


def _axis(arguments: Arguments) -> Axis:
    return "columns" if arguments["axis"] == "columns" else "rows"


def _rounded_once(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return rounded(premises[0], parse_rounding(arguments["rounding"]))


def _lines(values: Grid, axis: Axis) -> Grid:
    return values if axis == "rows" else _transpose(values)


def _maximum(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return tuple((_largest(line),) for line in _lines(premises[0], _axis(arguments)))


def _largest(line: tuple[Quotient | None, ...]) -> Quotient | None:
    values = [value for value in line if value is not None]
    if len(values) != len(line):
        return None
    return reduce(lambda best, value: value if compare(value, best) > 0 else best, values)


def _by_line(values: Grid, numbers: Grid, axis: Axis, combine: Callable[[Quotient, Quotient], Quotient | None]) -> Grid:
    lines = tuple(
        tuple(None if value is None or number is None else combine(value, number) for value in line)
        for line, (number,) in zip(_lines(values, axis), numbers, strict=True)
    )
    return _lines(lines, axis)


def _shift(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return _by_line(premises[0], premises[1], _axis(arguments), lambda value, number: value - number)


def _exponential(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    final = parse_rounding(arguments.get("rounding", ""))
    return rounded(tuple(tuple(None if value is None else _exp(value) for value in row) for row in premises[0]), final)


def _exp(value: Quotient) -> Quotient:
    exponent = value.polynomial()
    if exponent is None:
        raise InputError(f"The exponent {value} is not a number or a polynomial in the declared symbols.")
    return Quotient.of(ExpSum.exp(exponent))


def _line_sum(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    final = parse_rounding(arguments.get("rounding", ""))
    sums = tuple((_total(line),) for line in _lines(premises[0], _axis(arguments)))
    return rounded(sums, final)


def _total(line: tuple[Quotient | None, ...]) -> Quotient | None:
    values = [value for value in line if value is not None]
    if len(values) != len(line):
        return None
    return reduce(lambda total, value: total + value, values)


def _quotient(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    final = parse_rounding(arguments.get("rounding", ""))
    ratios = _by_line(
        premises[0],
        premises[1],
        _axis(arguments),
        lambda value, number: None if number == _ZERO else value / number,
    )
    return rounded(ratios, final)


_DEFINITION = "Vaswani et al. 2017, eq. 1"

_WITH_PRODUCTS = ("left", "right", "products", "rounding")

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("round", _rounded_once, "each entry rounded", "rounding policy", 1, ("rounding",)),
        Rule(
            "product",
            _product,
            "P = L R, each entry a row of L times a column of R",
            "matrix product",
            2,
            _WITH_PRODUCTS,
        ),
        Rule("scale", _scale, "each entry times one factor", _DEFINITION, 2, ("rounding",)),
        Rule("line-maximum", _maximum, "the largest entry of each line", "maximum", 1, ("axis",)),
        Rule(
            "shift",
            _shift,
            "each entry less the number of its line",
            "softmax is invariant under a shift",
            2,
            ("axis",),
        ),
        Rule("exponential", _exponential, "e to the power of each entry", "softmax, numerator", 1, ("rounding",)),
        Rule("line-sum", _line_sum, "the sum of each line", "softmax, denominator", 1, ("axis", "rounding")),
        Rule(
            "quotient",
            _quotient,
            "each entry over the number of its line; undefined where that is 0",
            "softmax",
            2,
            ("axis", "rounding"),
        ),
    )
}
"""The rules, by name."""
