"""What people would use in the place of symattn, and what the limit is: each makes what ours does, in its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from symattn.exact.linear.integer_matrix import IntegerMatrix
from tests.benchmarks.data import Layer

IN_C = 0.6
"""A loop in C over Arb stands at 0.55 to 0.75 of this loop in Python over python-flint."""


def is_there(module: str) -> bool:
    return find_spec(module) is not None


def arb_layer(layer: Layer, places: int) -> tuple[list[list[str]], list[list[str]]]:
    """Texts of A and O by balls of Arb: exponentials one by one, outputs as one product of matrices."""
    import flint

    flint.ctx.prec = int(places * 3.33) + 40
    ten, half = flint.arb(10) ** places, flint.arb("0.5")
    below = layer.scores.denominator
    weights = []
    for row in layer.scores.rows:
        largest = max(row)
        powers = [flint.arb(flint.fmpq(x - largest, below)).exp() for x in row]
        total = sum(powers, flint.arb(0))
        weights.append([power / total for power in powers])
    values = flint.arb_mat([[flint.arb(x) / layer.values.denominator for x in row] for row in layer.values.rows])
    outputs = flint.arb_mat(weights) * values

    def text(ball: Any) -> str:
        index = int((ball * ten + half).floor().unique_fmpz())
        digits = str(abs(index)).zfill(places + 1)
        return ("-" if index < 0 else "") + digits[:-places] + "." + digits[-places:]

    n, width = len(weights), layer.values.shape[1]
    return [[text(x) for x in row] for row in weights], [[text(outputs[i, j]) for j in range(width)] for i in range(n)]


def mpmath_layer(layer: Layer, places: int) -> object:
    """Matrices of mpmath, a few digits in reserve and nothing certified."""
    import mpmath

    with mpmath.workdps(places + 10):
        below = layer.scores.denominator
        rows = []
        for row in layer.scores.rows:
            largest = max(row)
            powers = [mpmath.exp(mpmath.mpf(x - largest) / below) for x in row]
            total = mpmath.fsum(powers)
            rows.append([power / total for power in powers])
        weights = mpmath.matrix(rows)
        values = mpmath.matrix([[mpmath.mpf(x) / layer.values.denominator for x in row] for row in layer.values.rows])
        outputs = weights * values
        return [[mpmath.nstr(x, places) for x in m] for m in (weights, outputs)]


def sympy_layer(layer: Layer, places: int) -> object:
    """The closed form in sympy, and N of each entry."""
    import sympy

    weights = sympy.Matrix([sympy_row(row) for row in layer.fractions_of_scores(sympy.Rational)])
    outputs = weights * sympy.Matrix(layer.fractions_of_values(sympy.Rational))
    return [[sympy.N(x, places) for x in matrix] for matrix in (weights, outputs)]


def numpy_layer(layer: Layer, places: int) -> object:
    """Binary floats, printed with as many places; nothing is certified, and some last digits are wrong."""
    import numpy as np

    scores = np.array(layer.scores.rows, dtype=float) / layer.scores.denominator
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    outputs = weights @ (np.array(layer.values.rows, dtype=float) / layer.values.denominator)
    form = f"%.{places}f"
    return [[form % x for x in row] for matrix in (weights, outputs) for row in matrix.tolist()]


def sympy_scores(layer: Layer) -> Callable[[], object]:
    import sympy

    q, k = (sympy.Matrix(layer.fractions_of(m, sympy.Rational)) for m in (layer.queries, layer.keys))
    return lambda: q * k.T


def flint_scores(queries: IntegerMatrix, keys: IntegerMatrix) -> object:
    """Integer matrices of flint, from Python's integers and back."""
    import flint

    made = flint.fmpz_mat(list(map(list, queries.rows))) * flint.fmpz_mat(list(map(list, keys.rows))).transpose()
    return [[int(x) for x in row] for row in made.table()]


def sympy_rationals(scores: Sequence[Fraction]) -> list[Any]:
    import sympy

    return [sympy.Rational(x.numerator, x.denominator) for x in scores]


def sympy_row(scores: Sequence[Any]) -> list[Any]:
    """The weights of a row of sympy's rationals, nothing taken from earlier calls."""
    import sympy
    from sympy.core.cache import clear_cache

    clear_cache()
    powers = [sympy.exp(x) for x in scores]
    total = sympy.Add(*powers)
    return [power / total for power in powers]


def sympy_simplify(first: Sequence[Fraction], second: Sequence[Fraction]) -> object:
    """Whether the first weights of two rows are equal, by simplify."""
    import sympy

    a, b = (sympy_row(sympy_rationals(scores))[0] for scores in (first, second))
    return sympy.simplify(a - b) == 0


def sympy_latex(layer: Layer) -> object:
    import sympy

    return sympy.Matrix([sympy_row(row) for row in layer.fractions_of_scores(sympy.Rational)])


def latex2sympy_page(formulas: Sequence[str]) -> object:
    from latex2sympy2_extended import latex2sympy

    def read(formula: str) -> object:
        try:
            return latex2sympy(formula)
        except Exception as error:  # noqa: BLE001 - whatever it raises of a formula that it cannot read
            return error

    return [read(formula) for formula in formulas]
