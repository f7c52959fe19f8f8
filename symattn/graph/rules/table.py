"""TRUSTED. The rules by which one quantity comes from others: one table, used to derive and to replay.

Each rule takes grids of values (None where undefined) and its arguments, and returns a grid. Rounding
is an argument of the rule, so that the exact and the step-rounded derivation are the same rules. Minus
infinity, which masks bring in, is a value like any other; what is undefined is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from symattn import late
from symattn.errors import InputError, UndecidedError
from symattn.exact.evaluation import larger
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.functions import exponential
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import TIES, Rounding, is_rounded, magnitude, round_exact
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.field import common_denominator
    from symattn.exact.reals import elementary
    from symattn.graph.quantities.quantity import Axis, Grid
    from symattn.graph.rules import block_gradients, blocks, entry_formulas, losses, online_softmax, positions
else:
    block_gradients = late.module("symattn.graph.rules.block_gradients")
    blocks = late.module("symattn.graph.rules.blocks")
    elementary = late.module("symattn.exact.reals.elementary")
    common_denominator = late.module("symattn.exact.field.common_denominator")
    losses = late.module("symattn.graph.rules.losses")
    online_softmax = late.module("symattn.graph.rules.online_softmax")
    positions = late.module("symattn.graph.rules.positions")
    entry_formulas = late.module("symattn.graph.rules.entry_formulas")

Arguments: TypeAlias = Mapping[str, str]
"""Arguments of a rule as plain text, writable as JSON."""

_ZERO = Quotient.of(0)
_MAX_MAGNITUDE = 20_000
_MAX_SHOWN = 60


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
        many: whether it may have more premises than these.
    """

    name: str
    apply: Callable[[tuple[Grid, ...], Arguments], Grid]
    statement: str
    source: str
    premises: int
    options: tuple[str, ...] = ()
    many: bool = False

    def misfit(self, premises: int, arguments: tuple[tuple[str, str], ...]) -> str:
        """Return the reason why a step does not have the form of this rule, or empty text.

        >>> RULES["line-sum"].misfit(1, (("axis", "diagonal"),))
        "the argument axis of line-sum is no 'diagonal'"
        """
        if premises < self.premises or (premises > self.premises and not self.many):
            return f"{self.name} has {self.premises} premises, not {premises}"
        names = [name for name, _ in arguments]
        unknown = [name for name in names if name not in self.options]
        if unknown or len(set(names)) != len(names):
            return f"the arguments of {self.name} are {', '.join(self.options) or 'none'}, each once at most"
        missing = [option for option in self.options if option in _NEEDED and option not in names]
        if missing:
            return f"{self.name} needs {_NEEDED[missing[0]]}"
        wrong = [(name, value) for name, value in arguments if not re.fullmatch(_OPTIONS[name], value)]
        return f"the argument {wrong[0][0]} of {self.name} is no {wrong[0][1]!r}" if wrong else ""


_LONGEST_COUNT = 5
_DIGITS = rf"([0-9]{{1,{_LONGEST_COUNT}}}) (places|figures) ({'|'.join(TIES)})"
_COUNT = "[1-9][0-9]{0,4}"
_NEEDED = {
    "with": "words for what it takes",
    "kind": "the name of an activation",
    "axis": "an axis",
    "start": "a start",
    "stop": "a stop",
    "empty": "a word for empty lines",
    "count": "a count",
    "pairs": "a word for pairs",
    "side": "a side",
    "turned": "a letter for each factor",
    "entries": "formulas of entries",
    "one": "a word for what 1 means",
    "loss": "the kind of a loss",
}
_OPTIONS: Mapping[str, str] = {
    "with": "factor|term|factor term",
    "kind": "relu|gelu|gelu-tanh",
    "start": _COUNT,
    "stop": _COUNT,
    "count": _COUNT,
    "turned": "[NT]{2,1000}",
    "loss": "sum|squared|cross-entropy",
    "entries": r"[^\x00-\x1f]{1,5000000}",
    "one": "seen|hidden",
    "empty": "zeros|uniform",
    "axis": "rows|columns",
    "side": "rows|columns",
    "pairs": "adjacent|halves",
    "left": "transposed",
    "right": "transposed",
    "products": _DIGITS,
    "rounding": _DIGITS,
}
"""Patterns of the arguments of steps. Start-up: they are compiled when records are read."""


def parse_rounding(text: str) -> Rounding | None:
    """The rounding that `write_rounding` wrote.

    Raises:
        InputError: it is not one that `write_rounding` writes.

    >>> parse_rounding("2 places half-up")
    Rounding(places=2, figures=None, ties='half-up')
    """
    if not text:
        return None
    count, kind, ties = words if len(words := text.split(" ")) == 3 else ("", "", "")
    is_count = count.isascii() and count.isdigit() and len(count) <= _LONGEST_COUNT
    if not is_count or kind not in {"places", "figures"} or ties not in TIES:
        raise InputError(f"The rounding {text[:40]!r} is not of the form '2 places half-up'.")
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
    if value is None or rounding is None or not value.is_finite:
        return value
    plain = value.plain_rational()
    if plain is not None and is_rounded(plain, rounding):
        return value
    try:
        return None if value.symbols else Quotient.of(_round_number(value, rounding))
    except UndecidedError:
        return value  # digits behind constants that do not settle: what is carried on is the value itself


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


def _product_plus(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    unrounded = {key: value for key, value in arguments.items() if key != "rounding"}
    products, added = _product(premises[:2], unrounded), premises[2]
    height, width = len(products), len(products[0])
    if (len(added), len(added[0])) == (1, width):
        lines = added * height
    elif (len(added), len(added[0])) == (height, 1):
        lines = tuple(row * width for row in added)
    else:
        raise InputError(f"{len(added)}×{len(added[0])} numbers cannot be added to the lines of {height}×{width}.")
    return rounded(_added(products, lines), parse_rounding(arguments.get("rounding", "")))


def _added(left: Grid, right: Grid) -> Grid:
    pairs = zip(left, right, strict=True)
    return tuple(
        tuple(None if a is None or b is None else a + b for a, b in zip(first, second, strict=True))
        for first, second in pairs
    )


def _sum(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return rounded(_added(*premises), parse_rounding(arguments.get("rounding", "")))


def _part(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    lines = _lines(premises[0], _axis(arguments))
    start, stop = int(arguments["start"]), int(arguments["stop"])
    if not 1 <= start <= stop <= len(lines):
        raise InputError(f"There are no {_axis(arguments)} {start} to {stop}; there are {len(lines)}.")
    return _lines(lines[start - 1 : stop], _axis(arguments))


def _joined(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    lines = tuple(line for values in premises for line in _lines(values, _axis(arguments)))
    if any(len(line) != len(lines[0]) for line in lines):
        raise InputError("Quantities of different sizes cannot be joined: their other sides must be alike.")
    return _lines(lines, _axis(arguments))


def _mean(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    total = reduce(_added, premises)
    count = len(premises)
    means = tuple(tuple(None if value is None else value / count for value in row) for row in total)
    return rounded(means, parse_rounding(arguments.get("rounding", "")))


def _scale(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    factor = premises[0][0][0]
    final = parse_rounding(arguments.get("rounding", ""))
    scaled = tuple(
        tuple(None if value is None or factor is None else factor * value for value in row) for row in premises[1]
    )
    return rounded(scaled, final)


def _entrywise(values: Grid, function: Callable[[Quotient], Quotient]) -> Grid:
    return tuple(tuple(None if value is None else function(value) for value in row) for row in values)


def _tanh(value: Quotient) -> Quotient:
    return elementary.apply("tanh", value)


def _softcap(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    cap = premises[0][0][0]
    if cap is None:
        return tuple((None,) * len(row) for row in premises[1])
    capped = _entrywise(premises[1], lambda value: cap * _tanh(value / cap))
    return rounded(capped, parse_rounding(arguments.get("rounding", "")))


def _norm(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    lengths = tuple((_length(line),) for line in _lines(premises[0], _axis(arguments)))
    return rounded(lengths, parse_rounding(arguments.get("rounding", "")))


def _length(line: tuple[Quotient | None, ...]) -> Quotient | None:
    total = _total(tuple(None if value is None else value * value for value in line))
    if total is None:
        return None
    square = total.rational()
    if square is None:
        shown = str(total)
        if len(shown) > _MAX_SHOWN:
            shown = f"{shown[:_MAX_SHOWN]}…"
        raise InputError(
            f"The length of a query or key is the square root of {shown}, which is not a rational number, "
            "so its cosines have no exact form here: give rational entries."
        )
    return Quotient.of(Polynomial.sqrt(square))


def _cosine(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    products = _product(premises[:2], {key: value for key, value in arguments.items() if key in {"left", "right"}})
    rows, columns = premises[2:]
    values = tuple(
        tuple(_over(value, of_row, of_column) for value, (of_column,) in zip(line, columns, strict=True))
        for line, (of_row,) in zip(products, rows, strict=True)
    )
    return rounded(values, parse_rounding(arguments.get("rounding", "")))


def _over(value: Quotient | None, first: Quotient | None, second: Quotient | None) -> Quotient | None:
    if value is None or first is None or second is None or first.is_zero or second.is_zero:
        return None
    return value / (first * second)


def _additive(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    left = _transpose(premises[0]) if arguments.get("left") == "transposed" else premises[0]
    columns = premises[1] if arguments.get("right") == "transposed" else _transpose(premises[1])
    weights = tuple(value for row in premises[2] for value in row)
    values = tuple(tuple(_sum_of_tanh(row, column, weights) for column in columns) for row in left)
    return rounded(values, parse_rounding(arguments.get("rounding", "")))


def _sum_of_tanh(
    row: tuple[Quotient | None, ...], column: tuple[Quotient | None, ...], weights: tuple[Quotient | None, ...]
) -> Quotient | None:
    terms = [
        None if a is None or b is None or weight is None else weight * _tanh(a + b)
        for a, b, weight in zip(row, column, weights, strict=True)
    ]
    return _total(tuple(terms))


def _softmax_lines(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    axis = _axis(arguments)
    values = losses.softmax_lines(_lines(premises[0], axis))
    return rounded(_lines(values, axis), parse_rounding(arguments.get("rounding", "")))


def _cap_gradient(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return rounded(losses.cap_gradient(premises), parse_rounding(arguments.get("rounding", "")))


def _loss(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return rounded(losses.loss_value(arguments["loss"], premises), parse_rounding(arguments.get("rounding", "")))


def _written(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    values = entry_formulas.written(premises, arguments["entries"])
    return rounded(values, parse_rounding(arguments.get("rounding", "")))


def _hidden(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    return entry_formulas.hidden(premises[0], is_seen=arguments["one"] == "seen")


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
    return reduce(larger, values)


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
    power = exponential(value)
    if power is None:
        raise InputError(f"The exponent {value} is not a number or a polynomial in the declared symbols.")
    return power


def _line_sum(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    final = parse_rounding(arguments.get("rounding", ""))
    sums = tuple((_total(line),) for line in _lines(premises[0], _axis(arguments)))
    return rounded(sums, final)


def _line_sum_plus_one(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    final = parse_rounding(arguments.get("rounding", ""))
    totals = (_total(line) for line in _lines(premises[0], _axis(arguments)))
    return rounded(tuple((None if total is None else 1 + total,) for total in totals), final)


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


def _masked_quotient(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    """The third premise, the scores, tells which lines are empty: a sum that only rounds to 0 is none of them."""
    axis = _axis(arguments)
    lines = _lines(_quotient(premises[:2], {"axis": axis}), axis)
    scores = _lines(premises[2], axis)
    share = _ZERO if arguments["empty"] == "zeros" else Quotient.of(Fraction(1, len(scores[0])))
    filled = tuple(
        (share,) * len(line) if all(score is MINUS_INFINITY for score in own) else line
        for line, own in zip(lines, scores, strict=True)
    )
    return rounded(_lines(filled, axis), parse_rounding(arguments.get("rounding", "")))


def _settled(apply: Callable[[tuple[Grid, ...], Arguments], Grid]) -> Callable[[tuple[Grid, ...], Arguments], Grid]:
    """The same rule, with None for whatever is undefined in what it takes and in what it makes."""

    def settled(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        return _without_undefined(apply(tuple(map(_without_undefined, premises)), arguments))

    return settled


def _without_undefined(values: Grid) -> Grid:
    if not any(value is UNDEFINED for row in values for value in row):
        return values
    return tuple(tuple(None if value is UNDEFINED else value for value in row) for row in values)


def _difference(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    left, right = premises
    return rounded(_added(left, _entrywise(right, lambda value: -value)), parse_rounding(arguments.get("rounding", "")))


def _share(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    count = int(arguments["count"])
    return rounded(_entrywise(premises[0], lambda value: value / count), parse_rounding(arguments.get("rounding", "")))


def _products(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    """Pairs of factors, after the number that multiplies them all; a letter for each says whether it is turned."""
    turned = arguments["turned"]
    has_factor = len(premises) % 2 == 1
    factors = premises[1:] if has_factor else premises
    if len(turned) != len(factors) or not factors:
        raise InputError(f"{len(turned)} letters tell of {len(factors)} factors: there must be one for each of a pair.")
    laid = [_transpose(values) if letter == "T" else values for values, letter in zip(factors, turned, strict=True)]
    pairs = [(left, _transpose(right)) for left, right in zip(laid[::2], laid[1::2], strict=True)]
    height, width = len(pairs[0][0]), len(pairs[0][1])
    if any((len(left), len(columns)) != (height, width) for left, columns in pairs):
        raise InputError("Products of different sizes cannot be added.")
    number = premises[0][0][0] if has_factor else Quotient.of(1)
    sums = tuple(
        tuple(_of_pairs([(left[i], columns[j]) for left, columns in pairs], number) for j in range(width))
        for i in range(height)
    )
    return rounded(sums, parse_rounding(arguments.get("rounding", "")))


def _of_pairs(
    lines: list[tuple[tuple[Quotient | None, ...], tuple[Quotient | None, ...]]], number: Quotient | None
) -> Quotient | None:
    products = [pair for row, column in lines for pair in zip(row, column, strict=True)]
    total = _common_sum([None if a is None or b is None else a * b for a, b in products])
    return None if total is None or number is None else number * total


def _common_sum(values: Sequence[Quotient | None]) -> Quotient | None:
    """A sum over lines with sums of their own under the bar."""
    found = [value for value in values if value is not None]
    return None if len(found) != len(values) else common_denominator.added(found)


def _total_line(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    across = _transpose(_lines(premises[0], _axis(arguments)))
    total = (tuple(_common_sum(line) for line in across),)
    return rounded(_lines(total, _axis(arguments)), parse_rounding(arguments.get("rounding", "")))


def _line_dot(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    axis = _axis(arguments)
    pairs = zip(_lines(premises[0], axis), _lines(premises[1], axis), strict=True)
    one = Quotient.of(1)
    return rounded(
        tuple((_of_pairs([(first, second)], one),) for first, second in pairs),
        parse_rounding(arguments.get("rounding", "")),
    )


def _softmax_gradient(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    axis = _axis(arguments)
    weights, gradients, dots = _lines(premises[0], axis), _lines(premises[1], axis), premises[2]
    lines = tuple(
        tuple(_through_softmax(weight, gradient, dot) for weight, gradient in zip(own, other, strict=True))
        for own, other, (dot,) in zip(weights, gradients, dots, strict=True)
    )
    return rounded(_lines(lines, axis), parse_rounding(arguments.get("rounding", "")))


def _through_softmax(weight: Quotient | None, gradient: Quotient | None, dot: Quotient | None) -> Quotient | None:
    difference = None if dot is None else _common_sum([gradient, -dot])
    return None if weight is None or difference is None else weight * difference


def _of_blocks(name: str) -> Callable[[tuple[Grid, ...], Arguments], Grid]:
    def apply(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        return rounded(blocks.APPLY[name](premises, arguments), parse_rounding(arguments.get("rounding", "")))

    return apply


def _back_in_blocks(name: str) -> Callable[[tuple[Grid, ...], Arguments], Grid]:
    def apply(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        return rounded(block_gradients.APPLY[name](premises, arguments), parse_rounding(arguments.get("rounding", "")))

    return apply


_DEFINITION = "Vaswani et al. 2017, eq. 1"


def _of_positions(name: str) -> Callable[[tuple[Grid, ...], Arguments], Grid]:
    def apply(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        made = positions.APPLY[name](premises, arguments)
        return rounded(made, parse_rounding(arguments.get("rounding", "")))

    return apply


def _online(name: str) -> Callable[[tuple[Grid, ...], Arguments], Grid]:
    def apply(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        rules = {
            "running-maximum": online_softmax.running_maximum,
            "running-sum": online_softmax.running_sum,
            "running-output": online_softmax.running_output,
        }
        return rules[name](premises, arguments)

    return apply


_ONLINE = "Milakov and Gimelshein 2018, algorithm 3"
_NORM = "Ba et al. 2016, section 3"

_HEADS = "Vaswani et al. 2017, section 3.2.2"
_MASK = "Vaswani et al. 2017, section 3.2.3"

_LENGTH = "Euclidean norm"
_CHAIN = "chain rule"
_JACOBIAN = "chain rule with the Jacobian of the softmax, diag(a) - a a^T"

_WITH_PRODUCTS = ("left", "right", "products", "rounding")

RULES: Mapping[str, Rule] = {
    rule.name: replace(rule, apply=_settled(rule.apply))
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
        Rule(
            "product-plus",
            _product_plus,
            "P = L R, and a vector added to every row, or to every column",
            "affine map",
            3,
            _WITH_PRODUCTS,
        ),
        Rule("sum", _sum, "entry by entry", "matrix sum", 2, ("rounding",)),
        Rule("mask", _sum, "the mask added entry by entry, minus infinity hides", _MASK, 2, ("rounding",)),
        Rule("part", _part, "some columns, or rows, side by side", _HEADS, 1, ("axis", "start", "stop")),
        Rule("join", _joined, "put together side by side, or one below the other", _HEADS, 1, ("axis",), many=True),
        Rule("mean", _mean, "the mean, entry by entry", "mean", 1, ("rounding",), many=True),
        Rule("scale", _scale, "each entry times one factor", _DEFINITION, 2, ("rounding",)),
        Rule(
            "softcap",
            _softcap,
            "the cap times tanh of each entry over the cap",
            "Gemma Team 2024, section 2",
            2,
            ("rounding",),
        ),
        Rule("norm", _norm, "the square root of the sum of the squares of each line", _LENGTH, 1, ("axis", "rounding")),
        Rule(
            "cosine",
            _cosine,
            "each entry of L R over the length of the row of L and that of the column of R; undefined where one is 0",
            "cosine of two vectors",
            4,
            ("left", "right", "rounding"),
        ),
        Rule(
            "additive",
            _additive,
            "for a row of L and a column of R, the sum of w_r tanh(L_r + R_r)",
            "Bahdanau et al. 2015, appendix A.1.2",
            3,
            ("left", "right", "rounding"),
        ),
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
            "line-sum-plus-one",
            _line_sum_plus_one,
            "one more than the sum of each line",
            "softmax with an extra 1 in the denominator",
            1,
            ("axis", "rounding"),
        ),
        Rule(
            "quotient",
            _quotient,
            "each entry over the number of its line; undefined where that is 0",
            "softmax",
            2,
            ("axis", "rounding"),
        ),
        Rule("line-mean", _of_blocks("line-mean"), "the mean of each line", _NORM, 1, ("axis", "rounding")),
        Rule(
            "line-variance",
            _of_blocks("line-variance"),
            "the mean of the squares of what each line is off its mean, over their number",
            _NORM,
            2,
            ("axis", "rounding"),
        ),
        Rule(
            "line-mean-square",
            _of_blocks("line-mean-square"),
            "the mean of the squares of each line",
            "Zhang and Sennrich 2019, eq. 4",
            1,
            ("axis", "rounding"),
        ),
        Rule(
            "standardise",
            _of_blocks("standardise"),
            "each entry less the mean of its line, over the root of the variance and eps; undefined where that is 0",
            _NORM,
            3,
            ("axis", "rounding"),
            many=True,
        ),
        Rule(
            "rms-norm",
            _of_blocks("rms-norm"),
            "each entry over the root of the mean square of its line and eps; undefined where that is 0",
            "Zhang and Sennrich 2019, eq. 4",
            2,
            ("axis", "rounding"),
            many=True,
        ),
        Rule(
            "affine",
            _of_blocks("affine"),
            "each entry times the factor of its place in a line, and a number added",
            _NORM,
            2,
            ("axis", "with", "rounding"),
            many=True,
        ),
        Rule(
            "activation",
            _of_blocks("activation"),
            "the activation of each entry",
            "Vaswani et al. 2017, eq. 2; Hendrycks and Gimpel 2016",
            1,
            ("kind", "rounding"),
        ),
        *(
            Rule(name, _back_in_blocks(name), statement, _CHAIN, premises, (*options, "rounding"), many="norm" in name)
            for name, statement, premises, options in (
                ("line-mean-dot", "for each line the mean of the products of two entries", 2, ("axis",)),
                ("layer-norm-gradient", "(g - mean(g) - n mean(g n))/sqrt(v + eps) line by line", 5, ("axis",)),
                ("rms-norm-gradient", "(g - n mean(g n))/sqrt(ms + eps) line by line", 4, ("axis",)),
                ("relu-gradient", "each entry where what the ReLU took is above 0, and 0 elsewhere", 2, ()),
                ("gelu-slope", "the derivative of GELU at each entry", 1, ("kind",)),
                ("entrywise", "the products of the entries of two matrices, each where it stands", 2, ()),
                ("total-dot", "the products of two entries, all rows, or all columns, added up", 2, ("axis",)),
            )
        ),
        Rule(
            "masked-quotient",
            _masked_quotient,
            "each entry over the number of its line; the same weight for all, or none, where all scores are hidden",
            "softmax",
            3,
            ("axis", "empty", "rounding"),
        ),
        *(
            Rule(name, _of_positions(name), statement, source, premises, (*options, "rounding"))
            for name, statement, source, premises, options in (
                (
                    "sinusoid",
                    "the sine and the cosine of each angle",
                    "Vaswani et al. 2017, section 3.5",
                    1,
                    ("axis", "pairs"),
                ),
                ("rotate", "each pair of entries turned by its angle", "Su et al. 2021, eq. 34", 2, ("axis", "pairs")),
                (
                    "rotate-back",
                    "each pair of entries turned back by its angle: a rotation transposed",
                    _CHAIN,
                    2,
                    ("axis", "pairs"),
                ),
            )
        ),
        *(
            Rule(name, _online(name), statement, _ONLINE, premises, options, many=True)
            for name, statement, premises, options in (
                ("running-maximum", "the largest score so far", 1, ("axis", "start", "stop")),
                ("running-sum", "l e^(m - m') plus the exponentials of the block", 2, ("axis", "start", "stop")),
                (
                    "running-output",
                    "o e^(m - m') plus the values of the block, each times its exponential",
                    3,
                    ("axis", "side", "start", "stop"),
                ),
            )
        ),
        Rule("difference", _difference, "entry by entry", "matrix difference", 2, ("rounding",)),
        Rule("softmax", _softmax_lines, "the softmax of each line", "softmax", 1, ("axis", "rounding")),
        Rule(
            "cap-gradient",
            _cap_gradient,
            "each entry times 1 - (capped/cap)^2, the derivative of the soft cap, and a number where one is given",
            _CHAIN,
            3,
            ("rounding",),
            many=True,
        ),
        Rule(
            "written",
            _written,
            "each entry by the formula that is written for it",
            "definition of the sheet",
            0,
            ("entries", "rounding"),
            many=True,
        ),
        Rule("hide", _hidden, "minus infinity where a key is hidden, 0 where it is seen", _MASK, 1, ("one",)),
        Rule("loss", _loss, "the value of a loss", "loss", 1, ("loss", "rounding"), many=True),
        Rule("share", _share, "each entry over a count", _CHAIN, 1, ("count", "rounding")),
        Rule(
            "products",
            _products,
            "the sum of products of matrices, times a number where the premises are odd in number",
            _CHAIN,
            2,
            ("turned", "rounding"),
            many=True,
        ),
        Rule("total-line", _total_line, "all rows, or all columns, added up", _CHAIN, 1, ("axis", "rounding")),
        Rule(
            "line-dot",
            _line_dot,
            "for each line the sum of A_ij G_ij",
            _JACOBIAN,
            2,
            ("axis", "rounding"),
        ),
        Rule(
            "softmax-gradient",
            _softmax_gradient,
            "A_ij (G_ij - D_i), D_i the sum over the line of A_ij G_ij",
            _JACOBIAN,
            3,
            ("axis", "rounding"),
        ),
    )
}
"""The rules, by name."""
