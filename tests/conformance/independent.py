"""The values of definitions, and of a layer, by mpmath at 60 digits, with none of the package's arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from mpmath import mp, mpf

from symattn.exact.field.quotient import Quotient
from symattn.problem.components import formulas as f
from symattn.problem.model import Problem

Values: TypeAlias = list[list[Any]]

DIGITS = 60


def values_of(problem: Problem) -> dict[str, Values]:
    """Every input and every quantity of a problem with definitions."""
    with mp.workdps(DIGITS):
        known: dict[str, Values] = {
            name: [[_number(str(matrix[i, j])) for j in range(matrix.shape[1])] for i in range(matrix.shape[0])]
            for name, matrix in problem.inputs.items()
        }
        for name, formula in problem.definitions.items():
            known[name] = _value(formula, known)
        return known


def _number(text: str) -> Any:
    value = Fraction(text)
    return mpf(value.numerator) / value.denominator


def _value(formula: f.Formula, known: Mapping[str, Values]) -> Values:
    match formula:
        case f.Ref(name):
            return known[name]
        case f.Transposed(of):
            return _turned(_value(of, known))
        case f.Times(left, right):
            return _product(_value(left, known), _value(right, known))
        case f.Scaled(factor, of):
            number = _root(factor)
            return _each(lambda entry: number * entry, _value(of, known))
        case f.Exponential(of):
            return _each(mp.exp, _value(of, known))
        case f.Softmax(of, axis, extra):
            return _along(_softmax_one if extra else _softmax, _value(of, known), axis)
        case f.LineSum(of, "columns"):
            return [[mp.fsum(column) for column in _turned(_value(of, known))]]
        case f.LineSum(of):
            return [[mp.fsum(row)] for row in _value(of, known)]
        case f.Ratio(numerator, denominator, axis):
            return _ratio(_value(numerator, known), _value(denominator, known), axis)
        case f.Constant(values):
            return [[_exactly(entry) for entry in row] for row in values.rows]
        case f.Plus(left, right):
            return _pairwise(lambda a, b: a + b, _value(left, known), _value(right, known))
        case f.Minus(left, right):
            return _pairwise(lambda a, b: a - b, _value(left, known), _value(right, known))
        case f.EachTimes(left, right):
            return _pairwise(lambda a, b: a * b, _value(left, known), _value(right, known))
        case f.Masked(of, by, hides):
            hidden = 1 if hides else 0
            return _pairwise(lambda a, b: mpf("-inf") if b == hidden else a, _value(of, known), _value(by, known))
        case f.Part(of, "columns", start, stop):
            return [row[start - 1 : stop] for row in _value(of, known)]
        case f.Part(of, _, start, stop):
            return _value(of, known)[start - 1 : stop]
        case f.Joined(parts, "columns"):
            blocks = [_value(part, known) for part in parts]
            return [[entry for row in rows for entry in row] for rows in zip(*blocks, strict=True)]
        case f.Joined(parts):
            return [row for part in parts for row in _value(part, known)]


def _exactly(value: Quotient) -> Any:
    """A number that is rational, or a square root of one times a rational."""
    return mpf(0) if value.is_zero else _root(value)


def _pairwise(function: Callable[[Any, Any], Any], left: Values, right: Values) -> Values:
    """Entry by entry; a single row, column or number stands for as many as the other has."""
    height, width = max(len(left), len(right)), max(len(left[0]), len(right[0]))

    def at(rows: Values, i: int, j: int) -> Any:
        return rows[i if len(rows) > 1 else 0][j if len(rows[0]) > 1 else 0]

    return [[function(at(left, i, j), at(right, i, j)) for j in range(width)] for i in range(height)]


def _root(factor: Quotient) -> Any:
    """A factor whose square is rational, which is what scales of scores are."""
    square = (factor * factor).rational()
    assert square is not None
    return mp.sqrt(_number(str(square))) * (-1 if str(factor).startswith("-") else 1)


def _turned(rows: Values) -> Values:
    return [list(column) for column in zip(*rows, strict=True)]


def _each(function: Callable[[Any], Any], rows: Values) -> Values:
    return [[function(entry) for entry in row] for row in rows]


def _along(function: Callable[[list[Any]], list[Any]], rows: Values, axis: str) -> Values:
    if axis == "rows":
        return [function(row) for row in rows]
    if axis == "columns":
        return _turned([function(column) for column in _turned(rows)])
    flat = function([entry for row in rows for entry in row])
    width = len(rows[0])
    return [flat[start : start + width] for start in range(0, len(flat), width)]


def _softmax(line: list[Any]) -> list[Any]:
    powers = [mp.exp(entry) for entry in line]
    return [power / mp.fsum(powers) for power in powers]


def _softmax_one(line: list[Any]) -> list[Any]:
    powers = [mp.exp(entry) for entry in line]
    return [power / (1 + mp.fsum(powers)) for power in powers]


def _ratio(top: Values, bottom: Values, axis: str) -> Values:
    def below(i: int, j: int) -> Any:
        return bottom[i if axis == "rows" else 0][j if axis == "columns" else 0]

    return [[entry / below(i, j) for j, entry in enumerate(row)] for i, row in enumerate(top)]


def values_of_layer(problem: Mapping[str, Any]) -> dict[str, Values]:
    """Return the quantities of a layer of dot products from the keys of its problem file; of a head, as ``A^1``.

    Known are inputs or projections, heads of equal width, a causal mask, the scale of a layer or none.
    """
    with mp.workdps(DIGITS):
        known = {
            name: [[_number(str(entry)) for entry in row] for row in rows] for name, rows in problem["inputs"].items()
        }
        for name in "QKV":
            if name not in known:
                known[name] = _product(known["X"], known[f"W_{name}"])
        count = problem.get("heads", 1)
        for head in range(count):
            ending = f"^{head + 1}" if count > 1 else ""
            for name in "QKV":
                width = len(known[name][0]) // count
                known[name + ending] = [row[head * width : (head + 1) * width] for row in known[name]]
            known |= _head(problem, known, ending)
        if "W_O" in known:
            outputs = [known[f"H^{head + 1}"] for head in range(count)]
            known["C"] = [[entry for row in rows for entry in row] for rows in zip(*outputs, strict=True)]
            known["O"] = _product(known["C"], known["W_O"])
        return known


def _head(problem: Mapping[str, Any], known: Mapping[str, Values], ending: str) -> dict[str, Values]:
    queries, keys, values = (known[name + ending] for name in "QKV")
    root = mpf(1) if problem.get("scale") == "none" else mp.sqrt(len(queries[0]))
    scores = _product(queries, _turned(keys))
    scaled = _each(lambda score: score / root, scores)
    masked = [
        [-mp.inf if problem.get("mask") == "causal" and j > i else score for j, score in enumerate(row)]
        for i, row in enumerate(scaled)
    ]
    powers = _each(mp.exp, masked)
    sums = [[mp.fsum(row)] for row in powers]
    weights = [[power / total for power in row] for row, (total,) in zip(powers, sums, strict=True)]
    names = ("S", "S_scaled", "S_masked", "E", "Z", "A", "H" if ending else "O")
    found = (scores, scaled, masked, powers, sums, weights, _product(weights, values))
    return {name + ending: rows for name, rows in zip(names, found, strict=True)}


def _product(left: Values, right: Values) -> Values:
    columns = _turned(right)
    return [[mp.fdot(row, column) for column in columns] for row in left]
