"""The values of definitions, and of a layer, by mpmath at 60 digits, with none of the package's arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from mpmath import mp, mpf

from symattn.exact.field.quotient import Quotient
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed
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


def _value(formula: Formula, known: Mapping[str, Values]) -> Values:
    match formula:
        case Ref(name):
            return known[name]
        case Transposed(of):
            return _turned(_value(of, known))
        case Constant(values):
            return [[_exactly(entry) for entry in row] for row in values.rows]
        case Apply(operation, params, operands):
            return _applied(operation, params, [_value(operand, known) for operand in operands])


def _applied(operation: str, params: Any, values: list[Values]) -> Values:
    """What an operation makes of values, by its name alone."""
    of = values[-1]
    match operation:
        case "product":
            return _product(values[0], of)
        case "scale":
            ((number,),) = values[0]
            return _each(lambda entry: number * entry, of)
        case "exponential":
            return _each(mp.exp, of)
        case "softmax":
            return _along(_softmax, of, params.axis)
        case "softmax-over":
            return _along(_softmax_one if params.more else _softmax, of, params.over)
        case "line-sum":
            return [[mp.fsum(row)] for row in of]
        case "total-line":
            return [[mp.fsum(column) for column in _turned(of)]]
        case "quotient":
            below = of if params.axis == "rows" else _turned(of)
            return _pairwise(lambda a, b: a / b, values[0], below)
        case "mask-where":
            hidden = 0 if params.one == "seen" else 1
            return _pairwise(lambda a, b: mpf("-inf") if b == hidden else a, values[0], of)
        case "part" if params.axis == "columns":
            return [row[params.start - 1 : params.stop] for row in of]
        case "part":
            return of[params.start - 1 : params.stop]
        case "join" if params.axis == "columns":
            return [[entry for row in rows for entry in row] for rows in zip(*values, strict=True)]
        case "join":
            return [row for rows in values for row in rows]
    return _pairwise(_ENTRYWISE[operation], values[0], of)


_ENTRYWISE: Mapping[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "difference": operator.sub,
    "entrywise": operator.mul,
    "entrywise-quotient": operator.truediv,
}


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
