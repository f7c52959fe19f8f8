"""Operations of a backward pass make the central differences of what the reference makes forward."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
import pytest
from mpmath import mp

from symattn.exact.linear.matrix import Matrix
from symattn.operations.operation import Grid
from symattn.operations.table import TABLE
from tests.operations import reference
from tests.operations.draws import Draw, made, numbers
from tests.operations.reference import Rows, flat

Case: TypeAlias = tuple[list[Grid], Callable[[list[Rows]], Rows], Callable[[list[Grid], Grid], list[Grid]]]
"""Operands, what is made of them forward, and the gradients at the operands for one at what was made."""

_STEP = mp.mpf(10) ** -12
_TOLERANCE = mp.mpf(10) ** -18


def run(name: str, *operands: Grid, **arguments: str) -> Grid:
    return made(TABLE[name], list(operands), arguments)


def grid(rows: list[list[Fraction]]) -> Grid:
    return Matrix(rows).rows


def rows(draw: Draw, height: int = 2, width: int = 3) -> Grid:
    return grid(draw.matrix(height, width))


def _softmax(draw: Draw) -> Case:
    axis = draw.axis()

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        weights = run("softmax", operands[0], axis=axis)
        return [run("softmax-gradient", weights, g, run("line-dot", weights, g, axis=axis), axis=axis)]

    return [rows(draw)], lambda x: reference.softmax(x, {"axis": axis}), back


def _layer_norm(draw: Draw) -> Case:
    axis, eps = draw.axis(), grid([[draw.number(positive=True)]])

    def forward(x: list[Rows]) -> Rows:
        means = reference.line_mean(x, {"axis": axis})
        variances = reference.line_variance([*x, means], {"axis": axis})
        return reference.standardise([*x, means, variances, numbers(eps)], {"axis": axis})

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        means = run("line-mean", operands[0], axis=axis)
        variances = run("line-variance", operands[0], means, axis=axis)
        normed = run("standardise", operands[0], means, variances, eps, axis=axis)
        dots = run("line-mean-dot", g, normed, axis=axis)
        own = run("line-mean", g, axis=axis)
        return [run("layer-norm-gradient", g, normed, own, dots, variances, eps, axis=axis)]

    return [rows(draw)], forward, back


def _rms_norm(draw: Draw) -> Case:
    axis = draw.axis()

    def forward(x: list[Rows]) -> Rows:
        return reference.rms_norm([*x, reference.line_mean_square(x, {"axis": axis})], {"axis": axis})

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        squares = run("line-mean-square", operands[0], axis=axis)
        normed = run("rms-norm", operands[0], squares, axis=axis)
        dots = run("line-mean-dot", g, normed, axis=axis)
        return [run("rms-norm-gradient", g, normed, dots, squares, axis=axis)]

    return [rows(draw)], forward, back


def _affine(draw: Draw) -> Case:
    words = {"axis": "rows", "with": "factor term"}

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        at_tokens = run("affine", g, operands[1], axis="rows", **{"with": "factor"})
        return [at_tokens, run("total-dot", g, operands[0], axis="rows"), run("total-line", g, axis="rows")]

    return [rows(draw), rows(draw, 1), rows(draw, 1)], lambda x: reference.affine(x, words), back


def _relu(draw: Draw) -> Case:
    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("relu-gradient", g, operands[0])]

    return [rows(draw)], lambda x: reference.activation(x, {"kind": "relu"}), back


def _gelu(draw: Draw) -> Case:
    kind = draw.pick("gelu", "gelu-tanh")

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("entrywise", g, run("gelu-slope", operands[0], kind=kind))]

    return [rows(draw)], lambda x: reference.activation(x, {"kind": kind}), back


def _softcap(draw: Draw) -> Case:
    cap, number = grid([[draw.number(positive=True)]]), grid([[draw.number()]])

    def forward(x: list[Rows]) -> Rows:
        return reference.softcap([numbers(cap), reference.scale([numbers(number), *x], {})], {})

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        capped = run("softcap", cap, run("scale", number, operands[0]))
        return [run("cap-gradient", g, capped, cap, number)]

    return [rows(draw)], forward, back


def _product(draw: Draw) -> Case:
    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        left, right = operands
        return [run("products", g, right, turned="NT"), run("products", left, g, turned="TN")]

    return [rows(draw, 2, 3), rows(draw, 3, 2)], lambda x: reference.product(x, {}), back


def _scores_of_one_matrix(draw: Draw) -> Case:
    """``c X X^T``, whose gradient is a sum of two products."""
    factor = grid([[draw.number()]])

    def forward(x: list[Rows]) -> Rows:
        return reference.scale([numbers(factor), reference.product([x[0], x[0]], {"right": "transposed"})], {})

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("products", factor, g, operands[0], g, operands[0], turned="NNTN")]

    return [rows(draw)], forward, back


def _rotate(draw: Draw) -> Case:
    words = {"axis": draw.axis(), "pairs": draw.pick("adjacent", "halves")}
    tokens, angles = (rows(draw, 2, 4), rows(draw, 2, 2)) if words["axis"] == "rows" else (rows(draw, 4), rows(draw))

    def back(_: list[Grid], g: Grid) -> list[Grid]:
        return [run("rotate-back", g, angles, **words)]

    return [tokens], lambda x: reference.rotate([*x, numbers(angles)], words), back


def _mean(draw: Draw) -> Case:
    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("share", g, count=str(len(operands)))] * len(operands)

    return [rows(draw) for _ in range(3)], lambda x: reference.mean(x, {}), back


def _squared_loss(draw: Draw) -> Case:
    target = rows(draw)

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("scale", g, run("difference", operands[0], target))]

    return [rows(draw)], lambda x: reference.loss([*x, numbers(target)], {"loss": "squared"}), back


def _cross_entropy(draw: Draw) -> Case:
    labels = grid([[Fraction(0), Fraction(1), Fraction(0)], [Fraction(1), Fraction(0), Fraction(0)]])

    def forward(x: list[Rows]) -> Rows:
        return reference.loss([reference.softmax(x, {"axis": "rows"}), numbers(labels)], {"loss": "cross-entropy"})

    def back(operands: list[Grid], g: Grid) -> list[Grid]:
        return [run("scale", g, run("difference", run("softmax", operands[0], axis="rows"), labels))]

    return [rows(draw)], forward, back


CASES: tuple[Callable[[Draw], Case], ...] = (
    _softmax,
    _layer_norm,
    _rms_norm,
    _affine,
    _relu,
    _gelu,
    _softcap,
    _product,
    _scores_of_one_matrix,
    _rotate,
    _mean,
    _squared_loss,
    _cross_entropy,
)


def weighted(made_forward: Rows, g: Rows) -> Any:
    return mpmath.fdot(flat(made_forward), flat(g))


def difference(
    forward: Callable[[list[Rows]], Rows], operands: list[Rows], g: Rows, place: tuple[int, int, int]
) -> Any:
    number, i, j = place

    def at(step: Any) -> Any:
        moved = [[list(line) for line in matrix] for matrix in operands]
        moved[number][i][j] += step
        return weighted(forward(moved), g)

    return (at(_STEP) - at(-_STEP)) / (2 * _STEP)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 30))])
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_central_differences(case: Callable[[Draw], Case], seed: int) -> None:
    draw = Draw(seed)
    operands, forward, back = case(draw)
    values = [numbers(operand) for operand in operands]
    shape = forward(values)
    g = rows(draw, len(shape), len(shape[0]))
    for number, gradient in enumerate(back(operands, g)):
        for i, line in enumerate(numbers(gradient)):
            for j, entry in enumerate(line):
                expected = difference(forward, values, numbers(g), (number, i, j))
                assert abs(entry - expected) < _TOLERANCE * (1 + abs(expected)), (number, i, j)
