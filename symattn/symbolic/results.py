"""Softmax and attention over expressions, from Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from symattn.api import solutions
from symattn.api.result import Result
from symattn.api.values import matrix as api_matrix
from symattn.errors import InputError, ShapeError, expect
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import Generator, is_sympy, is_sympy_matrix
from symattn.exact.interop import export
from symattn.exact.interop.sympy_reader import Reading
from symattn.exact.linear.matrix import Matrix
from symattn.exact.linear.matrix_input import scalar
from symattn.graph.quantities.closed_forms import symbol_tree
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED, KINDS
from symattn.symbolic.analysis import Analysis, Case
from symattn.symbolic.conversion import (
    SCALARS,
    aliases_for,
    by_name,
    converted,
    declared_symbols,
    expressions_among,
    foreign_entries,
    in_kernel,
    items_of,
    listed,
    nested,
    plain_input,
    positive_names,
    read_all,
    scaled_score,
)
from symattn.symbolic.scores import Row, Score, exponent_of, score_derivative, weights_of, without_logarithms


class Softmax(Analysis):
    """The softmax of scores: of a vector, or of every row of a matrix.

    `A` is the exact matrix of the weights, with certified digits where no symbol is left.

    >>> softmax([0, 1]).A.rounded(4)
    [['0.2689', '0.7311']]
    """

    def __init__(
        self, scores: tuple[Row, ...], names: Mapping[str, Generator], scale: Quotient, *, is_column: bool = False
    ) -> None:
        """Take the scaled scores; `softmax` calls this."""
        self._scores = scores
        self._scale = scale
        self._names = names
        self._positive = positive_names(names)
        self._is_column = is_column
        meanings = {name: item.expression for name, item in names.items()}
        rows = Matrix([weights_of(row) for row in scores], meanings)
        self.A = api_matrix.Matrix.wrap(rows.T if is_column else rows)

    def __repr__(self) -> str:
        """Return the shape."""
        return "<Softmax: {}×{} weights>".format(*self.A.shape)

    def _repr_latex_(self) -> str | None:
        """Return the weights for notebooks that show LaTeX."""
        return self.A._repr_latex_()

    def _repr_html_(self) -> str:
        """Return the weights for notebooks."""
        return self.A._repr_html_()

    def jacobian(self, variables: object = None, of: str = "") -> export.SympyMatrix:
        """Return the derivatives of all weights by the variables; by the given scores where none are named.

        The scale is a factor of the latter: the weights are those of scale times score.

        >>> import sympy, symattn as sa
        >>> softmax([0, sympy.log(2)], scale=1).jacobian()[0, 0], softmax([0, 0], scale=3).jacobian()[0, 0]
        (2/9, 3/4)
        >>> sa.softmax([0, sympy.log(2), sympy.log(3)]).jacobian()
        Matrix([
        [ 5/36, -1/18, -1/12],
        [-1/18,   2/9,  -1/6],
        [-1/12,  -1/6,   1/4]])
        """
        if variables is not None:
            return super().jacobian(variables, of)
        weights = [weights_of(row) for row in self._scores]
        places = [(i, j) for i, row in enumerate(weights) for j in range(len(row))]
        return self._shown([[self._by_score(weights, one, other) for other in places] for one in places])

    def _by_score(
        self, weights: Sequence[Sequence[Quotient]], one: tuple[int, int], other: tuple[int, int]
    ) -> Quotient:
        found = score_derivative(weights, one, other)
        return found if self._scale == Quotient(1) else found * self._scale

    def _matrix(self, of: str) -> Matrix:
        if of not in ("", "A"):
            raise InputError(f"A softmax has its weights alone, of='A', and no {of}.")
        return self.A.kernel

    def _rows(self) -> tuple[Row, ...]:
        return self._scores

    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        self._matrix(of)
        return None, self._is_column


class Attention(Analysis, Result):
    """Solved attention, with the analysis of its symbols: what it shows is what `Result` shows.

    >>> result = attention([[1, 2]], [[1, 0], [0, 1]], [[1, 2], [3, 4]], heads=2, scale="none")
    >>> [head.argmax() for head in result.heads]
    [((0,),), ((1,),)]
    """

    def __init__(self, result: Result, names: Mapping[str, Generator]) -> None:
        """Take the layer; `names` has the generators by their declared names."""
        children = {word: tuple(type(self)(child, names) for child in each) for word, each in result.children.items()}
        Result.__init__(self, result.problem, result.work, children, result.matrices)
        declared = {name for name, kind in self.problem.symbols.items() if kind == "positive"} - names.keys()
        self._aliases = names
        self._names = {item.name: item for item in names.values()}
        self._positive = positive_names(names) | declared

    def kernel_matrix(self, name: str) -> Matrix:
        """Return a quantity in the symbols that were put in, whatever the problem calls them."""
        return self._in_symbols(super().kernel_matrix(name))

    def _in_symbols(self, matrix: Matrix) -> Matrix:
        if not self._names:
            return matrix
        changes = {alias: Polynomial.symbol(item.name) for alias, item in self._aliases.items() if alias != item.name}
        meanings = {name: item.expression for name, item in self._names.items()}
        return Matrix([[entry.with_values(changes) for entry in row] for row in matrix.rows], meanings)

    def _matrix(self, of: str) -> Matrix:
        expect(of, str, "A quantity is named by text")
        return self[of or "O"].kernel

    def _free(self) -> list[object]:
        if self.problem.kind == DEFINED:
            return list(self.problem.symbols)
        matrices = [head[name].kernel for head in self.heads for name in (head.layer.logits, "V")]
        inputs = self.problem.inputs
        matrices += [self._in_symbols(inputs[name]) for name in ("W_O", "b_O") if name in inputs]
        names = {name for matrix in matrices for name in matrix.names}
        return [self._names[name].symbol if name in self._names else name for name in names]

    def _cases(self, row: Row, item: Generator, direction: int, number: int, of: str) -> tuple[Case, ...]:
        if self.problem.softmax_one:
            raise InputError("Limits at infinity need a plain softmax, and softmax_one adds 1 to its sum.")
        if of != "A" and "C" in self.layer.recipes:
            raise InputError(
                "Limits at infinity are given for weights and their averages, not for the output of W_O: take of='A'."
            )
        return super()._cases(row, item, direction, number, of)

    def _rows(self) -> tuple[Row, ...]:
        if self.layer.logits not in self.layer.recipes:
            raise InputError("Each head has its own scores: take result.heads[0] and so on.")
        scores = self[self.layer.logits].kernel
        lines = scores.T if self.layer.axis == "columns" else scores
        return tuple(tuple(Score(exponent_of(entry)) for entry in row) for row in lines.rows)

    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        if of not in ("", "A", "O"):
            raise InputError(f"A limit is given for the weights, of='A', or the outputs, of='O', not for {of}.")
        is_column = self.layer.axis == "columns"
        if of == "A":
            return None, is_column
        product = self.problem.convention.outputs
        if product == "A V":
            return self["V"].kernel, False
        if product == "V A":
            return self["V"].kernel.T, True
        raise InputError(f"The limit of outputs {product} is not supported here: give its name, as in of='A'.")


def softmax(scores: object, *, scale: object = 1) -> Softmax:
    """Return the softmax of scores: of a vector (a list, a single row or a single column), or of each row of a matrix.

    Args:
        scores: numbers (int, Fraction, "1/3", "0.25"), expressions of SymPy that are polynomials in symbols,
            ``x/sqrt(d)`` included, or logarithms of positive rationals plus such; never floats.
        scale: what multiplies every score: a number or an expression.

    Raises:
        InputError: a float, or a score whose exponential is not an exponential sum.

    >>> import sympy, symattn as sa
    >>> x, d = sympy.symbols("x d", positive=True)
    >>> sa.softmax([x, 0], scale=1 / sympy.sqrt(d)).jacobian([x])[0, 0].subs({x: 0, d: 4})
    1/8
    >>> sa.softmax([x, 0]).argmax()
    ((0,),)
    """
    scores, scale = plain_input(scores), plain_input(scale)
    rows = listed(scores) if is_sympy_matrix(scores) or isinstance(scores, Matrix) else nested(scores)
    is_column = len(rows) > 1 and all(len(row) == 1 for row in rows)
    if is_column:
        rows = [[row[0] for row in rows]]
    split = [[without_logarithms(entry) for entry in row] for row in rows]
    has_factors = any(factor != 1 for row in split for _, factor in row)
    if has_factors and scale != 1:
        raise InputError("Logarithms in the scores take no scale here: leave one of the two out.")
    reading = Reading([], [expressions_among(entry, scale) for row in split for entry, _ in row])
    found = tuple(tuple(Score(scaled_score(entry, scale, reading), own) for entry, own in row) for row in split)
    if not found or any(len(row) != len(found[0]) or not row for row in found):
        raise ShapeError("The rows of scores are empty, or not of one length: give at least one score in each.")
    multiplier = reading.quotient(scale) if is_sympy(scale) else scalar(scale)
    return Softmax(found, by_name(reading), multiplier, is_column=is_column)


def solve(problem: Problem | Mapping[str, object] | str | Path) -> Attention:
    """Solve a problem exactly and under its rounding policy.

    Args:
        problem: a problem, a mapping with the keys of a problem file, or the path of a file (``str`` or ``Path``).

    Raises:
        InputError: the problem cannot be read or used.

    >>> inputs = {"Q": [["b"]], "K": [[1], [0]], "V": [[1], [0]]}
    >>> result = solve({"inputs": inputs, "symbols": {"b": "real"}, "scale": "none"})
    >>> result.O, result.gradient(lambda O: O[0, 0], "b")
    (Matrix([[exp(b)/(exp(b) + 1)]]), Matrix([[exp(b)/(exp(2*b) + 2*exp(b) + 1)]]))
    """
    return Attention(solutions.solve(problem), {})


def attention(*matrices: object, **keys: object) -> Attention:
    """Solve attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        matrices: Q, K and V, where they are not named.
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals, strings and SymPy expressions, SymPy matrices, or arrays), and ``scale``
            (also an expression, such as ``1/sqrt(d)``), ``tokens``, ``floats`` (how floats are read, ``"binary"`` or
            ``"shortest"``) …

    Raises:
        InputError: something of it cannot be used, with its place.

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    exp(1/2)/(exp(1/2) + 1)
    >>> import sympy, symattn as sa
    >>> q, v, beta = sympy.symbols("q v beta", positive=True)
    >>> result = sa.attention(sympy.Matrix([[q]]), [[1], [0]], [[v], [0]], scale=beta)
    >>> result.sympy("O")
    Matrix([[v*exp(beta*q)/(exp(beta*q) + 1)]])
    >>> result.limit(beta, sympy.oo), result.argmax()
    (Matrix([[v]]), ((0,),))
    """
    if len(matrices) not in (0, 3):
        raise InputError(f"Attention takes Q, K and V, or inputs by their names, not {len(matrices)} matrices.")
    given = dict(zip(("Q", "K", "V"), matrices, strict=False))
    if repeated := sorted(given.keys() & keys.keys()):
        raise InputError(f"{repeated[0]} is given twice: by its place and by its name.")
    given.update(keys)
    given = {name: plain_input(value) for name, value in given.items()}
    inputs = [name for name in given if any(name in names for names in KINDS.values())]
    foreign = list(foreign_entries(given, inputs))
    if not foreign:
        return Attention(solutions.attention(**given), {})
    reading = read_all(foreign)
    result = _with_symbols(given, inputs, reading, ())
    clashing = _clashing(result)
    return _with_symbols(given, inputs, reading, clashing) if clashing else result


def _with_symbols(
    given: Mapping[str, Any], inputs: Sequence[str], reading: Reading, clashing: Collection[str]
) -> Attention:
    keys = dict(given)
    aliases = aliases_for(reading, keys, clashing)
    for name in inputs:
        keys[name] = converted(keys[name], reading, aliases)
    for name in SCALARS:
        if is_sympy(keys.get(name)):
            keys[name] = in_kernel(keys[name], reading, aliases)
    keys["symbols"] = declared_symbols(keys.get("symbols"), reading, aliases)
    return Attention(solutions.attention(**keys), {aliases[item.name]: item for item in items_of(reading)})


def _clashing(result: Attention) -> set[str]:
    """Return the symbols whose names are those of quantities in the key."""
    symbols = {symbol_and_power(name)[0] for name in result.problem.symbols}
    scenes = [view.scene for part in result.sequences for view, _ in part.views]
    return {name for name in symbols if any(scene.resolve(symbol_tree(name)) is not None for scene in scenes)}
