"""Operands and arguments of every operation, drawn by a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, TypeAlias

from mpmath import mp

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.operations.evaluation import apply
from symattn.operations.operation import Grid, Operation
from tests.operations.reference import REFERENCES, Rows

Entries: TypeAlias = list[list[Any]]
Case: TypeAlias = tuple[list[Entries], dict[str, str]]
_DIGITS = 30


class Draw:
    """Sizes, entries and words by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def size(self, least: int = 2, most: int = 4) -> int:
        return self.random.randint(least, most)

    def pick(self, *words: str) -> str:
        return self.random.choice(words)

    def is_so(self) -> bool:
        return self.random.random() < 0.5

    def number(self, *, positive: bool = False) -> Fraction:
        count = self.random.choice([1, 2, 3, 4, 5, 7]) if positive else self.random.choice([-5, -3, -2, -1, 1, 2, 4, 6])
        return Fraction(count, self.random.choice([1, 1, 2, 3]))

    def matrix(self, rows: int, columns: int, *, positive: bool = False) -> Entries:
        return [[self.number(positive=positive) for _ in range(columns)] for _ in range(rows)]

    def lines(self, axis: str, count: int, width: int, *, positive: bool = False) -> Entries:
        return self.matrix(*((count, width) if axis == "rows" else (width, count)), positive=positive)

    def axis(self) -> str:
        return self.pick("rows", "columns")


def _factors(draw: Draw, inner: int = 0, shape: tuple[int, int] = (0, 0)) -> tuple[Entries, Entries, dict[str, str]]:
    inner = inner or draw.size()
    height, width = shape[0] or draw.size(), shape[1] or draw.size()
    turned = {side: "transposed" for side in ("left", "right") if draw.is_so()}
    left = draw.matrix(*((inner, height) if "left" in turned else (height, inner)))
    right = draw.matrix(*((width, inner) if "right" in turned else (inner, width)))
    return left, right, turned


def _product(draw: Draw) -> Case:
    left, right, turned = _factors(draw)
    return [left, right], turned


def _product_plus(draw: Draw) -> Case:
    height, width = draw.size(), draw.size()
    left, right, turned = _factors(draw, shape=(height, width))
    return [left, right, draw.matrix(1, width) if draw.is_so() else draw.matrix(height, 1)], turned


def _products(draw: Draw) -> Case:
    shape, letters = (draw.size(), draw.size()), ""
    operands = [draw.matrix(1, 1)] if draw.is_so() else []
    for _ in range(draw.size(1, 2)):
        left, right, turned = _factors(draw, shape=shape)
        operands += [left, right]
        letters += "".join("T" if side in turned else "N" for side in ("left", "right"))
    return operands, {"turned": letters}


def _norm(draw: Draw) -> Case:
    return _lines(draw)


def _cosine(draw: Draw) -> Case:
    height, width = draw.size(), draw.size()
    left, right, turned = _factors(draw, shape=(height, width))
    lengths = draw.matrix(height, 1, positive=True), draw.matrix(width, 1, positive=True)
    if draw.is_so():
        lengths[0][0][0] = Fraction(0)
    return [left, right, *lengths], turned


def _additive(draw: Draw) -> Case:
    inner = draw.size()
    left, right, turned = _factors(draw, inner)
    return [left, right, draw.matrix(1, inner) if draw.is_so() else draw.matrix(inner, 1)], turned


def _alike(count: int, **arguments: str) -> Callable[[Draw], Case]:
    """Operands of one shape."""

    def drawn(draw: Draw) -> Case:
        shape = draw.size(), draw.size()
        return [draw.matrix(*shape) for _ in range(count)], dict(arguments)

    return drawn


def _spread(draw: Draw) -> Case:
    """Operands of one shape, or one of them a row, a column or a number of the other."""
    rows, columns = draw.size(), draw.size()
    small = draw.random.choice([(rows, columns), (1, columns), (rows, 1), (1, 1)])
    operands = [draw.matrix(rows, columns), draw.matrix(*small)]
    return operands[::-1] if draw.is_so() else operands, {}


def _spread_quotient(draw: Draw) -> Case:
    operands, arguments = _spread(draw)
    if draw.is_so():
        operands[1][0][0] = Fraction(0)
    return operands, arguments


def _softmax_over(draw: Draw) -> Case:
    more = {"more": "one"} if draw.is_so() else {}
    return [draw.matrix(draw.size(), draw.size())], {"over": draw.pick("rows", "columns", "all"), **more}


def _mask_where(draw: Draw) -> Case:
    rows, columns = draw.size(), draw.size()
    height, width = draw.random.choice([(rows, columns), (1, columns), (rows, 1), (1, 1)])
    bits = [[Fraction(int(draw.is_so())) for _ in range(width)] for _ in range(height)]
    return [draw.matrix(rows, columns), bits], {"one": draw.pick("seen", "hidden")}


def _lines(draw: Draw, count: int = 1, *, positive: bool = False) -> Case:
    shape = draw.size(), draw.size()
    return [draw.matrix(*shape, positive=positive) for _ in range(count)], {"axis": draw.axis()}


def _mean(draw: Draw) -> Case:
    return _alike(draw.size(1, 4))(draw)


def _scale(draw: Draw) -> Case:
    return [draw.matrix(1, 1), draw.matrix(draw.size(), draw.size())], {}


def _share(draw: Draw) -> Case:
    return [draw.matrix(draw.size(), draw.size())], {"count": str(draw.size(2, 9))}


def _part(draw: Draw) -> Case:
    axis, count = draw.axis(), draw.size(3, 5)
    start = draw.random.randint(1, count)
    stop = draw.random.randint(start, count)
    return [draw.lines(axis, count, draw.size())], {"axis": axis, "start": str(start), "stop": str(stop)}


def _join(draw: Draw) -> Case:
    axis, width = draw.axis(), draw.size()
    return [draw.lines(axis, draw.size(1, 3), width) for _ in range(draw.size(1, 3))], {"axis": axis}


def _with_numbers(draw: Draw) -> Case:
    axis, count, width = draw.axis(), draw.size(), draw.size()
    numbers = draw.matrix(count, 1)
    if draw.is_so():
        numbers[-1][0] = Fraction(0)
    return [draw.lines(axis, count, width), numbers], {"axis": axis}


def _masked_quotient(draw: Draw) -> Case:
    axis, count, width = draw.axis(), draw.size(), draw.size()
    scores, powers = draw.lines("rows", count, width), draw.lines("rows", count, width, positive=True)
    sums = draw.matrix(count, 1, positive=True)
    for line in scores:
        seen = draw.random.randint(0, width)  # one place, or none
        line[:] = [score if k == seen else MINUS_INFINITY for k, score in enumerate(line)]
    if draw.is_so():
        sums[0] = [Fraction(0)]
    laid = [rows if axis == "rows" else [list(c) for c in zip(*rows, strict=True)] for rows in (powers, scores)]
    return [laid[0], sums, laid[1]], {"axis": axis, "empty": draw.pick("zeros", "uniform")}


def _softmax_gradient(draw: Draw) -> Case:
    axis, count, width = draw.axis(), draw.size(), draw.size()
    both = [draw.lines(axis, count, width) for _ in range(2)]
    return [*both, draw.matrix(count, 1)], {"axis": axis}


def _softcap(draw: Draw) -> Case:
    return [draw.matrix(1, 1, positive=True), draw.matrix(draw.size(), draw.size())], {}


def _cap_gradient(draw: Draw) -> Case:
    (gradient, capped), _ = _alike(2)(draw)
    cap = [[Fraction(draw.size(7, 9))]]
    return [gradient, capped, cap, *([draw.matrix(1, 1)] if draw.is_so() else [])], {}


def _mask(draw: Draw) -> Case:
    (scores, mask), _ = _alike(2)(draw)
    mask[0][0] = MINUS_INFINITY
    return [scores, mask], {}


def _hide(draw: Draw) -> Case:
    rows, columns = draw.size(), draw.size()
    bits = [[Fraction(int(draw.is_so())) for _ in range(columns)] for _ in range(rows)]
    return [bits], {"one": draw.pick("seen", "hidden")}


def _variance(draw: Draw) -> Case:
    axis, count, width = draw.axis(), draw.size(), draw.size()
    return [draw.lines(axis, count, width), draw.matrix(count, 1)], {"axis": axis}


def _normed(numbers: int, fields: int = 1) -> Callable[[Draw], Case]:
    """Matrices of one shape, numbers of their lines, the last of which are not negative, and maybe eps."""

    def drawn(draw: Draw) -> Case:
        axis, count, width = draw.axis(), draw.size(), draw.size()
        first = [draw.lines(axis, count, width) for _ in range(fields)]
        further = [draw.matrix(count, 1) for _ in range(numbers - 1)]
        variances, eps = draw.matrix(count, 1, positive=True), draw.matrix(1, 1, positive=True)
        if draw.is_so():
            variances[0][0] = Fraction(0)
        return [*first, *further, variances, *([eps] if draw.is_so() else [])], {"axis": axis}

    return drawn


def _affine(draw: Draw) -> Case:
    axis, count, width = draw.axis(), draw.size(), draw.size()
    words = draw.pick("factor", "term", "factor term")
    vectors = [draw.matrix(1, width) if draw.is_so() else draw.matrix(width, 1) for _ in words.split()]
    return [draw.lines(axis, count, width), *vectors], {"axis": axis, "with": words}


def _activation(*kinds: str) -> Callable[[Draw], Case]:
    def drawn(draw: Draw) -> Case:
        rows = draw.matrix(2, draw.size(1, 2))
        rows[0][0] = Fraction(0)
        return [rows], {"kind": draw.pick(*kinds)}

    return drawn


def _relu_gradient(draw: Draw) -> Case:
    (gradient, taken), _ = _alike(2)(draw)
    taken[0][0] = Fraction(0)
    return [gradient, taken], {}


def _angles(*, with_tokens: bool) -> Callable[[Draw], Case]:
    def drawn(draw: Draw) -> Case:
        axis, count, pairs = draw.axis(), draw.size(), draw.size(2, 3)
        tokens = [draw.lines(axis, count, 2 * pairs)] if with_tokens else []
        arguments = {"axis": axis, "pairs": draw.pick("adjacent", "halves")}
        return [*tokens, draw.lines(axis, count, pairs)], arguments

    return drawn


def _tokens_with_angles(draw: Draw) -> Case:
    axis, base = draw.axis(), draw.pick("10000", "2", "7/2")
    arguments = {"axis": axis, "base": base, "start": str(draw.random.randint(0, 3))}
    return [draw.lines(axis, draw.size(), 2 * draw.size(2, 3))], arguments


def _block(draw: Draw) -> tuple[Entries, int, dict[str, str]]:
    axis, queries, keys = draw.axis(), draw.size(), draw.size(3, 5)
    start = draw.random.randint(1, keys)
    stop = draw.random.randint(start, keys)
    scores = draw.lines(axis, queries, keys)
    scores[0][0] = scores[0][0] if start == stop else MINUS_INFINITY
    return scores, queries, {"axis": axis, "start": str(start), "stop": str(stop)}


def _running_maximum(draw: Draw) -> Case:
    scores, queries, arguments = _block(draw)
    return [scores, *([draw.matrix(queries, 1)] if draw.is_so() else [])], arguments


def _running_sum(draw: Draw) -> Case:
    scores, queries, arguments = _block(draw)
    further = [draw.matrix(queries, 1) for _ in range(2)] if draw.is_so() else []
    return [scores, draw.matrix(queries, 1), *further], arguments


def _running_output(draw: Draw) -> Case:
    scores, queries, arguments = _block(draw)
    side, width = draw.axis(), draw.size()
    keys = len(scores[0]) if arguments["axis"] == "rows" else len(scores)
    further = [draw.lines(side, queries, width), draw.matrix(queries, 1)] if draw.is_so() else []
    operands = [scores, draw.lines(side, keys, width), draw.matrix(queries, 1), *further]
    return operands, {**arguments, "side": side}


def _loss(draw: Draw) -> Case:
    kind = draw.pick("sum", "squared", "cross-entropy")
    rows, columns = draw.size(), draw.size()
    first = draw.matrix(rows, columns, positive=kind == "cross-entropy")
    if kind == "sum":
        return [first], {"loss": kind}
    if kind == "squared":
        return [first, draw.matrix(rows, columns)], {"loss": kind}
    first = [[chance / 10 for chance in row] for row in first]  # below 1, so that no product of them is 1
    labels = [[Fraction(int(j == chosen)) for j in range(columns)] for chosen in _labels(draw, rows, columns)]
    return [first, labels], {"loss": kind}


def _labels(draw: Draw, rows: int, columns: int) -> list[int]:
    return [draw.random.randrange(columns) for _ in range(rows)]


def _written(draw: Draw) -> Case:
    first = draw.matrix(1, 2)
    if draw.is_so():
        first[0][1] = Fraction(0)
    entries = "2 p_{1,1,1} - p_{1,1,2} | p_{1,1,1} p_{1,1,2} ; p_{1,1,1}/p_{1,1,2} | e^{p_{1,1,1}}"
    return [first], {"entries": entries}


DRAWS: Mapping[str, Callable[[Draw], Case]] = {
    "product": _product,
    "product-plus": _product_plus,
    "products": _products,
    "norm": _norm,
    "cosine": _cosine,
    "additive": _additive,
    **dict.fromkeys(("sum", "difference", "entrywise"), _spread),
    "entrywise-quotient": _spread_quotient,
    "softmax-over": _softmax_over,
    "mask-where": _mask_where,
    "mean": _mean,
    "scale": _scale,
    "share": _share,
    "part": _part,
    "join": _join,
    **dict.fromkeys(("total-line", "line-maximum", "line-sum", "line-sum-plus-one", "softmax"), _lines),
    **dict.fromkeys(("line-mean", "line-mean-square"), _lines),
    **dict.fromkeys(("total-dot", "line-dot", "line-mean-dot"), lambda draw: _lines(draw, 2)),
    **dict.fromkeys(("shift", "quotient"), _with_numbers),
    "exponential": _alike(1),
    "masked-quotient": _masked_quotient,
    "softmax-gradient": _softmax_gradient,
    "softcap": _softcap,
    "cap-gradient": _cap_gradient,
    "mask": _mask,
    "hide": _hide,
    "line-variance": _variance,
    "standardise": _normed(2),
    "rms-norm": _normed(1),
    "affine": _affine,
    "layer-norm-gradient": _normed(3, 2),
    "rms-norm-gradient": _normed(2, 2),
    "activation": _activation("relu", "gelu", "gelu-tanh", "silu"),
    "gelu-slope": _activation("gelu", "gelu-tanh"),
    "silu-slope": _activation("silu"),
    "relu-gradient": _relu_gradient,
    "angles": _tokens_with_angles,
    "sinusoid": _angles(with_tokens=False),
    **dict.fromkeys(("rotate", "rotate-back"), _angles(with_tokens=True)),
    "running-maximum": _running_maximum,
    "running-sum": _running_sum,
    "running-output": _running_output,
    "loss": _loss,
    "written": _written,
}


@cache
def drawn(name: str, seed: int) -> tuple[list[Grid], dict[str, str]]:
    """Operands and arguments of an operation."""
    operands, arguments = DRAWS[name](Draw(seed))
    return [Matrix(rows).rows for rows in operands], arguments


@cache
def expected(name: str, seed: int) -> Rows:
    """What the reference makes of drawn operands."""
    operands, arguments = drawn(name, seed)
    return REFERENCES[name]([numbers(rows) for rows in operands], arguments)


def numbers(values: Grid) -> Rows:
    """The values of a grid in mpmath."""
    return [[None if value is None else number(value) for value in row] for row in values]


def number(value: Quotient) -> Any:
    if value is MINUS_INFINITY:
        return -mp.inf
    rational = value.plain_rational()
    if rational is not None:
        return mp.mpf(rational.numerator) / rational.denominator
    return +Matrix([[value]]).evaluate(_DIGITS)[0]


def agree(ours: Rows, theirs: Rows) -> bool:
    """Whether two matrices are equal to 25 digits, with the same holes."""
    if [len(row) for row in ours] != [len(row) for row in theirs]:
        return False
    pairs = [pair for rows in zip(ours, theirs, strict=True) for pair in zip(*rows, strict=True)]
    return all(_equal(a, b) for a, b in pairs)


def _equal(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return bool(first == second or abs(first - second) <= mp.mpf(10) ** -25 * max(1, abs(first)))


def made(operation: Operation[Any], operands: list[Grid], arguments: Mapping[str, str]) -> Grid:
    """What an operation makes, without rounding."""
    return apply(operation, operands, operation.params.read(arguments))


def is_right(operation: Operation[Any], seed: int) -> bool:
    """Whether an operation makes what the reference makes; an error is not right."""
    operands, arguments = drawn(operation.name, seed)
    try:
        ours = numbers(made(operation, operands, arguments))
    except (InputError, IndexError, ArithmeticError, ValueError):
        return False
    return agree(ours, expected(operation.name, seed))
