"""Symbolic analysis from Python: softmax and attention over expressions, with exact derivatives, series and limits.

Scores are polynomials in any symbols, so weights and outputs are quotients of exponential sums, and so are
their derivatives and Taylor coefficients: everything here is worked out in the exact kernel and handed to
SymPy at the end. Limits for a growing factor are told by cases where symbols leave open which score is largest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn.api import Result
from symattn.api import attention as solved_attention
from symattn.api_batch import BatchResult
from symattn.errors import InputError, ShapeError, SymbolicValueError, UndecidedError
from symattn.exact.calculus import derivative, known_sign, taylor
from symattn.exact.entries import scalar
from symattn.exact.expressions import (
    Generator,
    Reading,
    by_denominator,
    is_sympy,
    is_sympy_matrix,
    sympy_rows,
    with_symbols,
)
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import Matrix
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.sign import sign
from symattn.problem.checks import matches
from symattn.problem.conventions import KINDS
from symattn.problem.fields import CANONICAL, SYMBOL
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.peers import SympyExpr, SympyMatrix
    from symattn.problem.model import Problem

MAX_OPEN = 6
"""The most scores of a row of which symbols may leave open which is largest, for a limit by cases."""

_SCALARS = ("scale", "beta", "temperature")
_TAKEN = frozenset((*CANONICAL, "e", "T", "R"))
_NOT_NAMED = "give its name, as in of='A'"

_Row: TypeAlias = "tuple[Score, ...]"


@dataclass(frozen=True, slots=True)
class Score:
    """A score, whose exponential is ``factor * exp(exponent)``: a factor comes from a logarithm, ln 2 say."""

    exponent: Polynomial
    factor: Fraction = Fraction(1)

    @property
    def power(self) -> ExpSum:
        """Its exponential."""
        return ExpSum.exp(self.exponent) * self.factor


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a limit of a row: where some scores are the largest ones.

    Attributes:
        largest: the columns of those scores, counted from 0.
        condition: when that is so, a relation of SymPy, or its ``true``.
        weights: the limit of the weights then, a matrix of one row.
        value: the limit of the row of the result.
    """

    largest: tuple[int, ...]
    condition: SympyExpr
    weights: SympyMatrix
    value: SympyMatrix


class Analysis(ABC):
    """What can be worked out about weights, and about what they average."""

    _names: Mapping[str, Generator]
    _positive: frozenset[str]

    @abstractmethod
    def _matrix(self, of: str) -> Matrix:
        """A quantity by its name; the main one where none is given."""

    @abstractmethod
    def _rows(self) -> tuple[_Row, ...]:
        """The scaled scores of each query."""

    @abstractmethod
    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        """The rows that the weights average (None: the weights themselves), and whether the result lies on its side."""

    def sympy(self, of: str = "") -> SympyMatrix:
        """A quantity as a matrix of SymPy: the weights ``"A"``, the outputs ``"O"``, or another by its name.

        >>> softmax([0, 1]).sympy()
        Matrix([[1/(1 + E), E/(1 + E)]])
        """
        return self._shown(self._matrix(of).rows)

    def jacobian(self, variables: object = None, of: str = "") -> SympyMatrix:
        """The derivatives of all entries, row by row, each by every variable.

        Args:
            variables: a symbol, a list of them, or a SymPy matrix of them; all symbols in the order of their
                names where there are none.
            of: the quantity, by its name.

        Raises:
            InputError: a variable is no symbol.

        >>> import sympy, symattn as sa
        >>> x, y = sympy.symbols("x y")
        >>> row = sa.softmax([x, y])
        >>> a, b = row.sympy()
        >>> sa.equal(row.jacobian([x, y]), sympy.Matrix([[a * (1 - a), -a * b], [-a * b, b * (1 - b)]])).is_equal
        True
        """
        chosen = [self._variable(item) for item in self._variables(variables)]
        return self._shown([[self._by(entry, item) for item in chosen] for entry in self._matrix(of)])

    def gradient(self, loss: object, variables: object = None, of: str = "") -> SympyMatrix:
        """The derivatives of a loss: in the shape of the variables, or as a column where they are a list.

        Args:
            loss: an expression of SymPy, a function that makes one from the matrix of the outputs, or a matrix
                of the shape of the outputs: what comes back to them, the derivatives of a loss by each.
            variables: a symbol, a list of them, or a SymPy matrix of them; all symbols in the order of their
                names where there are none.
            of: the quantity that the function or the matrix speaks of.

        Raises:
            ShapeError: the matrix has another shape than the outputs.
            InputError: the loss is no exact expression, a variable is no symbol, or there is none.

        >>> import sympy, symattn as sa
        >>> q, v = sympy.symbols("q v")
        >>> result = sa.attention(Q=[[q]], K=[[1], [0]], V=[[v], [0]], scale="none")
        >>> result.gradient(lambda O: O[0, 0] ** 2, [v])
        Matrix([[2*v*exp(2*q)/(exp(2*q) + 2*exp(q) + 1)]])
        """
        import sympy  # start-up: only symbolic work needs it

        terms = by_denominator(self._loss(loss, of))
        chosen = [self._variable(item) for item in self._variables(variables)]
        if not chosen:
            raise InputError("There is no symbol to differentiate by: put symbols into the inputs, or name some.")
        shown = [self._shown([[self._by(term, item) for term in terms]]) for item in chosen]
        width = len(sympy_rows(variables)[0]) if is_sympy_matrix(variables) else 1
        return sympy.ImmutableMatrix(len(shown) // width, width, [sympy.Add(*row) for row in shown])

    def series(self, symbol: object, point: object = 0, order: int = 6, of: str = "") -> SympyMatrix:
        """The Taylor polynomials of all entries about a point, up to the power ``order - 1`` as in SymPy.

        Raises:
            InputError: a point that is no number or polynomial, or at which there is no series.

        >>> import sympy, symattn as sa
        >>> b = sympy.Symbol("b")
        >>> sa.softmax([b, 0]).series(b, 0, 4)
        Matrix([[-b**3/48 + b/4 + 1/2, b**3/48 - b/4 + 1/2]])
        """
        item = self._variable(symbol)
        if item.power != 1:
            raise InputError(f"{item.symbol} stands under a root or a fraction bar, so there is no series in it here.")
        start = self._point(point, item)
        step = self._shown([[Quotient(Polynomial.symbol(item.name) - start)]])[0, 0]
        return self._mapped(of, lambda entry: self._taylor_text(taylor(entry, item.name, start, order), step))

    def limit(self, symbol: object, point: object, of: str = "") -> SympyMatrix:
        """The limits of all entries; at infinity by which scores are largest, as `Piecewise` where that is open.

        Symbols are real numbers, and positive where they are declared so.

        Raises:
            InputError: the values hold the symbol, or the scores are not ordered by it in a way that is told here.

        >>> import sympy, symattn as sa
        >>> beta = sympy.Symbol("beta")
        >>> sa.softmax([2, 5, 5, 0], scale=beta).limit(beta, sympy.oo)
        Matrix([[0, 1/2, 1/2, 0]])
        >>> x = sympy.Symbol("x", real=True)
        >>> sa.softmax([x, 0], scale=beta).limit(beta, sympy.oo)[0, 0]
        Piecewise((1, x > 0), (0, x < 0), (1/2, Eq(x, 0)))
        """
        import sympy  # start-up: only symbolic work needs it

        item = self._variable(symbol)
        target = self._far(point, item)
        if target is None:
            start = self._point(point, item)
            return self._shown([[e.substitute({item.name: start}) for e in row] for row in self._matrix(of).rows])
        found = [self._cases(row, item, target, number, of) for number, row in enumerate(self._rows())]
        width = found[0][0].value.shape[1]
        rows = [[_piecewise(cases, column) for column in range(width)] for cases in found]
        result = sympy.ImmutableMatrix(rows)
        return result.T if self._averaged(of)[1] else result

    def cases(self, symbol: object, point: object = None, of: str = "") -> tuple[tuple[Case, ...], ...]:
        """The cases of a limit at infinity, for each query in turn.

        Raises:
            InputError: as for `limit`, or the point is not infinite.

        >>> import sympy, symattn as sa
        >>> x, y, beta = sympy.symbols("x y beta", real=True)
        >>> for case in sa.softmax([x, y], scale=beta).cases(beta)[0]:
        ...     print(case.largest, case.condition, case.weights)
        (0,) x > y Matrix([[1, 0]])
        (1,) y > x Matrix([[0, 1]])
        (0, 1) Eq(x, y) Matrix([[1/2, 1/2]])
        """
        import sympy  # start-up: only symbolic work needs it

        item = self._variable(symbol)
        target = self._far(sympy.oo if point is None else point, item)
        if target is None:
            raise InputError("Cases are told for a limit at infinity: give oo or -oo.")
        return tuple(self._cases(row, item, target, number, of) for number, row in enumerate(self._rows()))

    def argmax(self, at: Mapping[Any, Any] | None = None) -> tuple[tuple[int, ...], ...]:
        """For each query, the columns of its largest scores, counted from 0: all of them where several are equal.

        Args:
            at: values of symbols that decide it.

        Raises:
            SymbolicValueError: symbols leave open which score is largest.

        >>> import symattn as sa
        >>> sa.softmax([[1, 3, 3], ["1/3", "0.33", 0]]).argmax()
        ((1, 2), (0,))
        """
        values = {self._variable(key).name: self._number(value) for key, value in (at or {}).items()}
        return tuple(
            _largest([Score(score.exponent.substitute(values), score.factor) for score in row], self._positive, number)
            for number, row in enumerate(self._rows())
        )

    # Names -------------------------------------------------------------------------------------------

    def _shown(self, rows: Sequence[Sequence[Quotient]]) -> SympyMatrix:
        return with_symbols(rows, {name: item.expression for name, item in self._names.items()})

    def _variables(self, variables: object) -> list[object]:
        if variables is None:
            return sorted(self._free(), key=str)
        if is_sympy_matrix(variables):
            return [entry for row in sympy_rows(variables) for entry in row]
        if isinstance(variables, Sequence) and not isinstance(variables, str):
            return list(variables)
        return [variables]

    def _free(self) -> list[object]:
        names = {name for row in self._rows() for score in row for name in score.exponent.symbols}
        values = self._averaged("")[0]
        if values is not None:
            names |= values.symbols
        return [self._names[name].symbol if name in self._names else name for name in names]

    def _variable(self, symbol: object) -> Generator:
        """What the kernel calls a symbol; one that does not occur is a name of its own."""
        for item in self._names.values():
            if item.symbol == symbol or (isinstance(symbol, str) and str(item.symbol) == symbol):
                return item
        is_symbol = is_sympy(symbol) and not getattr(symbol, "args", ())
        if not isinstance(symbol, str) and not (is_symbol and getattr(symbol, "is_Symbol", False)):
            raise InputError(f"{symbol} is no symbol: give one, or its name.")
        return Generator(_plain_symbol(symbol).name, _plain_symbol(symbol), Fraction(1))

    def _by(self, value: Quotient, item: Generator) -> Quotient:
        found = derivative(value, item.name)
        return found if item.power == 1 else found * item.slope()

    def _number(self, value: object) -> Polynomial:
        found = self._read(value).polynomial()
        if found is None:
            raise InputError(f"{value} is no number and no polynomial: give one.")
        return found

    def _point(self, point: object, item: Generator) -> Polynomial:
        """A finite point, as a value of the generator; 0 for 1/x or 1/√x as x goes to ∞."""
        if getattr(point, "is_infinite", False):
            return Polynomial(0)
        value = self._number(point)
        if item.power == 1:
            return value
        number = value.rational()
        if number is None or number <= 0:
            raise InputError(f"{item.symbol} stands under a root or a fraction bar: give a point that is > 0.")
        root = Polynomial.sqrt(number) if item.power.denominator == 2 else Polynomial(number)
        inverse = Polynomial(1).divide(root)
        if item.power > 0 or inverse is None:
            return root
        return inverse

    def _far(self, point: object, item: Generator) -> int | None:
        """Where a generator goes as its symbol goes to infinity: 1 or -1 for ∞ or -∞; None for a finite point."""
        if not is_sympy(point) or not getattr(point, "is_infinite", False):
            return None
        direction = 1 if getattr(point, "is_extended_positive", False) else -1
        if item.power == 1:
            return direction
        if direction < 0:
            raise InputError(f"{item.symbol} stands under a root or a fraction bar: it goes to oo, not to -oo.")
        return 1 if item.power > 0 else None

    def _read(self, value: object) -> Quotient:
        """A number or an expression in the names of the kernel."""
        if not is_sympy(value):
            return scalar(value)
        reading = Reading([value])
        return _renamed(reading.quotient(value), reading, self._names)

    def _loss(self, loss: object, of: str) -> list[Quotient]:
        """The terms of a loss."""
        if callable(loss) and not is_sympy(loss):
            return self._loss(loss(self.sympy(of)), of)
        if not is_sympy_matrix(loss) and not isinstance(loss, (list, tuple, Matrix)):
            parts = getattr(loss, "args", ()) if getattr(loss, "is_Add", False) else (loss,)
            return [self._read(part) for part in parts]
        rows = [[self._read(entry) for entry in row] for row in _listed(loss)]
        matrix = self._matrix(of)
        if [len(row) for row in rows] != [len(row) for row in matrix.rows]:
            shapes = "{}×{}".format(*matrix.shape)
            raise ShapeError(f"What comes back to a matrix of shape {shapes} has another shape: give one number each.")
        pairs = zip((weight for row in rows for weight in row), matrix, strict=True)
        return [weight * entry for weight, entry in pairs]

    def _mapped(self, of: str, make: Callable[[Quotient], SympyExpr]) -> SympyMatrix:
        import sympy  # start-up: only symbolic work needs it

        return sympy.ImmutableMatrix([[make(entry) for entry in row] for row in self._matrix(of).rows])

    def _taylor_text(self, coefficients: Sequence[Quotient], step: SympyExpr) -> SympyExpr:
        import sympy  # start-up: only symbolic work needs it

        row = self._shown([list(coefficients)])
        return sympy.Add(*(row[0, k] * step**k for k in range(len(coefficients))))

    # Limits at infinity ------------------------------------------------------------------------------

    def _cases(self, row: _Row, item: Generator, direction: int, number: int, of: str) -> tuple[Case, ...]:
        import sympy  # start-up: only symbolic work needs it

        values = self._averaged(of)[0]
        if values is not None and item.name in values.symbols:
            raise InputError(f"The values hold {item.symbol}, so that the limit of their average is not told here.")
        growth = [_powers(score.exponent, item.name, direction) for score in row]
        found = []
        for winners, relations in _orders(growth, self._positive, item, number):
            condition = sympy.And(*(self._relation(*relation) for relation in relations))
            if condition == sympy.false:
                continue
            weights = _shares(row, growth, winners)
            shown = self._shown([weights])
            value = shown if values is None else self._shown((Matrix([weights]) @ values).rows)
            found.append(Case(winners, condition, shown, value))
        return tuple(found)

    def _relation(self, difference: Polynomial, other: Polynomial, word: str) -> SympyExpr:
        import sympy  # start-up: only symbolic work needs it

        left, right = (self._shown([[Quotient(side)]])[0, 0] for side in (difference, other))
        if word == "=":
            return sympy.Eq(left, right)
        return sympy.Lt(right, left) if left.is_number else sympy.Gt(left, right)


class Softmax(Analysis):
    """The softmax of scores: of a vector, or of every row of a matrix.

    `A` is the exact matrix of the weights, with certified digits where no symbol is left.

    >>> softmax([0, 1]).A.rounded(4)
    [['0.2689', '0.7311']]
    """

    def __init__(
        self, scores: tuple[_Row, ...], names: Mapping[str, Generator], scale: Quotient, *, is_column: bool = False
    ) -> None:
        """Used by `softmax`; the scores are the scaled ones."""
        self._scores = scores
        self._scale = scale
        self._names = names
        self._positive = _positive_names(names)
        self._is_column = is_column
        rows = Matrix([_weights(row) for row in scores])
        self.A = rows.T if is_column else rows

    def __repr__(self) -> str:
        """The shape."""
        return "<Softmax: {}×{} weights>".format(*self.A.shape)

    def jacobian(self, variables: object = None, of: str = "") -> SympyMatrix:
        """The derivatives of all weights by the variables; by the scores as they were given where none are named.

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
        weights = [_weights(row) for row in self._scores]
        places = [(i, j) for i, row in enumerate(weights) for j in range(len(row))]
        return self._shown([[self._by_score(weights, one, other) for other in places] for one in places])

    def _by_score(
        self, weights: Sequence[Sequence[Quotient]], one: tuple[int, int], other: tuple[int, int]
    ) -> Quotient:
        found = _score_derivative(weights, one, other)
        return found if self._scale == Quotient(1) else found * self._scale

    def _matrix(self, of: str) -> Matrix:
        if of not in ("", "A"):
            raise InputError(f"A softmax has its weights alone, of='A', and no {of}.")
        return self.A

    def _rows(self) -> tuple[_Row, ...]:
        return self._scores

    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        self._matrix(of)
        return None, self._is_column


class Attention(Analysis, Result):
    """Solved attention, with the analysis of its symbols: what it shows is what `Result` shows."""

    def __init__(self, result: Result, names: Mapping[str, Generator]) -> None:
        """Used by `attention`."""
        Result.__init__(self, result.problem, result.layer, result.pattern, result.views)
        declared = {name for name, kind in self.problem.symbols.items() if kind == "positive"}
        self._names = names
        self._positive = _positive_names(names) | declared

    @cached_property
    def heads(self) -> tuple[Attention, ...]:
        """Each head as solved attention of its own; itself without heads.

        >>> result = attention([[1, 2]], [[1, 0], [0, 1]], [[1, 2], [3, 4]], heads=2, scale="none")
        >>> [head.argmax() for head in result.heads]
        [((0,),), ((1,),)]
        """
        if self.views[0][0] is self.layer:
            return (self,)
        return tuple(Attention(Result(self.problem, *view), self._names) for view in self.views)

    def _matrix(self, of: str) -> Matrix:
        return self[of or "O"]

    def _free(self) -> list[object]:
        layers = [head.layer for head in self.heads]
        matrices = [layer.exact(name) for layer in layers for name in (layer.logits, "V")]
        matrices += [self.problem.inputs[name] for name in ("W_O", "b_O") if name in self.problem.inputs]
        names = {name for matrix in matrices for name in matrix.symbols}
        return [self._names[name].symbol if name in self._names else name for name in names]

    def _cases(self, row: _Row, item: Generator, direction: int, number: int, of: str) -> tuple[Case, ...]:
        if self.problem.softmax_one:
            raise InputError("Limits at infinity are told of a plain softmax, and softmax_one adds 1 to its sum.")
        if of != "A" and "C" in self.layer.recipes:
            raise InputError(
                "Limits at infinity are told of weights and their averages, not of what W_O makes: of='A'."
            )
        return super()._cases(row, item, direction, number, of)

    def _rows(self) -> tuple[_Row, ...]:
        if self.layer.logits not in self.layer.recipes:
            raise InputError("Each head has its own scores: take result.heads[0] and so on.")
        scores = self[self.layer.logits]
        lines = scores.T if self.layer.axis == "columns" else scores
        return tuple(tuple(Score(_exponent(entry)) for entry in row) for row in lines.rows)

    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        if of not in ("", "A", "O"):
            raise InputError(f"A limit is told of the weights, of='A', and of the outputs, of='O', not of {of}.")
        is_column = self.layer.axis == "columns"
        if of == "A":
            return None, is_column
        product = self.problem.convention.outputs
        if product == "A V":
            return self["V"], False
        if product == "V A":
            return self["V"].T, True
        raise InputError(f"The limit of outputs {product} is not told here: {_NOT_NAMED}.")


class AttentionBatch(BatchResult, Attention):
    """A solved batch: `sequences` holds what can be analysed of each sequence.

    >>> batch = attention(Q=[[[1]], [[2]]], K=[[1], [0]], V=[[1], [0]], scale="none")
    >>> [sequence.O.rounded(2) for sequence in batch.sequences], batch.sequences[0].argmax()
    ([[['0.73']], [['0.88']]], ((0,),))
    """

    sequences: tuple[Attention, ...]

    def __init__(self, problem: Problem, names: Mapping[str, Generator]) -> None:
        """Used by `attention`."""
        BatchResult.__init__(self, problem)
        self._names = names
        self.sequences = tuple(Attention(result, names) for result in self.sequences)


def softmax(scores: object, *, scale: object = 1) -> Softmax:
    """The softmax of scores: of a vector (a list, a single row or a single column), or of each row of a matrix.

    Args:
        scores: numbers (int, Fraction, "1/3", "0.25"), expressions of SymPy that are polynomials in symbols,
            ``x/sqrt(d)`` included, or logarithms of positive rationals plus such; never floats.
        scale: what multiplies every score: a number or an expression.

    Raises:
        InputError: a float, or a score whose exponential is no exponential sum.

    >>> import sympy, symattn as sa
    >>> x, d = sympy.symbols("x d", positive=True)
    >>> sa.softmax([x, 0], scale=1 / sympy.sqrt(d)).jacobian([x])[0, 0].subs({x: 0, d: 4})
    1/8
    >>> sa.softmax([x, 0]).argmax()
    ((0,),)
    """
    rows = _listed(scores) if is_sympy_matrix(scores) or isinstance(scores, Matrix) else _nested(scores)
    is_column = len(rows) > 1 and all(len(row) == 1 for row in rows)
    if is_column:
        rows = [[row[0] for row in rows]]
    split = [[_without_logarithms(entry) for entry in row] for row in rows]
    has_factors = any(factor != 1 for row in split for _, factor in row)
    if has_factors and scale != 1:
        raise InputError("Logarithms in the scores take no scale here: leave one of the two out.")
    reading = Reading([], [_factors(entry, scale) for row in split for entry, _ in row])
    found = tuple(tuple(Score(_scaled(entry, scale, reading), own) for entry, own in row) for row in split)
    if not found or any(len(row) != len(found[0]) or not row for row in found):
        raise ShapeError("The rows of scores are empty, or not of one length: give at least one score in each.")
    multiplier = reading.quotient(scale) if is_sympy(scale) else scalar(scale)
    return Softmax(found, _by_name(reading), multiplier, is_column=is_column)


def attention(*matrices: object, **keys: object) -> Attention:
    """Solves attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        matrices: Q, K and V, where they are not named.
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals, strings and SymPy expressions, SymPy matrices, or arrays), and ``scale``
            (also an expression, such as ``1/sqrt(d)``), ``tokens``, ``floats`` (how floats are read, ``"binary"`` or
            ``"shortest"``) …

    Raises:
        InputError: something of it cannot be used, with its place.

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    Quotient('exp(1/2)/(exp(1/2) + 1)')
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
    inputs = [name for name in given if any(name in names for names in KINDS.values())]
    foreign = list(_foreign(given, inputs))
    if not foreign:
        return _analysed(solved_attention(**given), {})
    reading = _read_all(foreign)
    aliases = _aliases(reading, given)
    for name in inputs:
        given[name] = _converted(given[name], reading, aliases)
    for name in _SCALARS:
        if is_sympy(given.get(name)):
            given[name] = _kernel(given[name], reading, aliases)
    given["symbols"] = _declared(given.get("symbols"), reading, aliases)
    names = {aliases[item.name]: Generator(aliases[item.name], item.symbol, item.power) for item in _items(reading)}
    return _analysed(solved_attention(**given), names)


def _analysed(result: Result, names: Mapping[str, Generator]) -> Attention:
    if result.problem.batch:
        return AttentionBatch(result.problem, names)
    return Attention(result, names)


# Inputs ----------------------------------------------------------------------------------------------


def _items(reading: Reading) -> list[Generator]:
    return list(reading.generators.values())


def _by_name(reading: Reading) -> dict[str, Generator]:
    return {item.name: item for item in _items(reading)}


def _positive_names(names: Mapping[str, Generator]) -> frozenset[str]:
    """A root is positive, and so is a symbol that SymPy takes for positive."""
    return frozenset(
        name for name, item in names.items() if item.power != 1 or getattr(item.symbol, "is_positive", False)
    )


def _plain_symbol(symbol: object) -> Any:
    import sympy  # start-up: only symbolic work needs it

    return sympy.Symbol(symbol) if isinstance(symbol, str) else symbol


def _listed(value: Any) -> list[list[Any]]:
    if isinstance(value, Matrix):
        return [list(row) for row in value.rows]
    return sympy_rows(value) if is_sympy_matrix(value) else [list(row) for row in value]


def _nested(scores: object) -> list[list[Any]]:
    if hasattr(scores, "tolist"):
        scores = scores.tolist()
    if not isinstance(scores, (list, tuple)):
        raise InputError(f"Scores are a list of numbers or of rows, or a matrix, not {scores!r}.")
    if not any(isinstance(entry, (list, tuple)) for entry in scores):
        return [list(scores)]
    if not all(isinstance(entry, (list, tuple)) for entry in scores):
        raise ShapeError("Some of the scores are rows and others are numbers: give a vector or a matrix.")
    return [list(row) for row in scores]


def _foreign(given: Mapping[str, Any], inputs: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """All expressions of SymPy in the inputs and the scale, each with its place."""
    for name in inputs:
        value = given[name]
        rows = sympy_rows(value) if is_sympy_matrix(value) else value
        for i, row in enumerate(rows if isinstance(rows, (list, tuple)) else (), 1):
            for j, entry in enumerate(row if isinstance(row, (list, tuple)) else (), 1):
                if is_sympy(entry):
                    yield f"{name}, row {i}, column {j}", entry
    yield from ((name, given[name]) for name in _SCALARS if is_sympy(given.get(name)))


def _read_all(foreign: Sequence[tuple[str, Any]]) -> Reading:
    """The expressions read together.

    Raises:
        InputError: one of them cannot be read, with its place; or they do not go together.
    """
    try:
        return Reading([], [(entry,) for _, entry in foreign])
    except InputError:
        for place, entry in foreign:
            try:
                Reading([], [(entry,)])
            except InputError as error:
                raise type(error)(f"{place}: {error}") from error
        raise


def _aliases(reading: Reading, given: Mapping[str, Any]) -> dict[str, str]:
    """A name that a problem file could declare for every generator: its own where that is one."""
    taken = {str(name) for name in _symbols_of(given)} | {item.name for item in _items(reading)}
    found: dict[str, str] = {}
    free = (f"s_{number}" for number in range(1, len(taken) + len(reading.generators) + 2))
    for item in _items(reading):
        is_plain = matches(SYMBOL, item.name) and item.name not in _TAKEN
        found[item.name] = item.name if is_plain else next(name for name in free if name not in taken)
    return found


def _symbols_of(given: Mapping[str, Any]) -> Mapping[str, Any]:
    symbols = given.get("symbols")
    return symbols if isinstance(symbols, Mapping) else {}


def _declared(symbols: object, reading: Reading, aliases: Mapping[str, str]) -> object:
    """The declared symbols, and those of SymPy that are positive."""
    if symbols is not None and not isinstance(symbols, Mapping):
        return symbols
    found: dict[str, object] = {}
    positive = _positive_names(_by_name(reading))
    for name, alias in aliases.items():
        found[alias] = "positive" if name in positive else "real"
    return {**found, **(symbols or {})}


def _kernel(value: Any, reading: Reading, aliases: Mapping[str, str]) -> Quotient:
    changes = {name: Polynomial.symbol(alias) for name, alias in aliases.items() if name != alias}
    return Quotient(reading.exponent(value).substitute(changes))


def _converted(value: Any, reading: Reading, aliases: Mapping[str, str]) -> Any:
    """An input with every expression of SymPy in the terms of the kernel."""
    if is_sympy_matrix(value):
        return [[_kernel(entry, reading, aliases) for entry in row] for row in sympy_rows(value)]
    if not isinstance(value, (list, tuple)):
        return value
    return [
        [_kernel(entry, reading, aliases) if is_sympy(entry) else entry for entry in row]
        if isinstance(row, (list, tuple))
        else row
        for row in value
    ]


def _factors(*values: object) -> list[Any]:
    return [value for value in values if is_sympy(value)]


def _scaled(entry: object, scale: object, reading: Reading) -> Polynomial:
    """A score times the scale, of which either may be an expression of SymPy."""
    result = reading.exponent(*_factors(entry, scale))
    for value in (entry, scale):
        if not is_sympy(value):
            result *= _exponent(scalar(value))
    return result


def _renamed(value: Quotient, reading: Reading, names: Mapping[str, Generator]) -> Quotient:
    """A value that was read by itself, in the generators that are known."""
    known = {str(item.symbol): item for item in names.values()}
    changes: dict[str, Polynomial] = {}
    for item in _items(reading):
        own = known.get(str(item.symbol))
        if own is None or (own.name == item.name and own.power == item.power):
            continue
        ratio = item.power / own.power
        if ratio.denominator != 1 or ratio < 0:
            raise UndecidedError(f"{item.symbol} occurs here with other powers than in the scores: write it alike.")
        changes[item.name] = Polynomial.symbol(own.name) ** int(ratio)
    return value.substitute(changes)


def _exponent(value: Quotient) -> Polynomial:
    found = value.polynomial()
    if not value.is_finite:
        raise InputError("A hidden key has no score, and this is told of scores: leave the mask out.")
    if found is None:
        raise InputError(f"The score {value} is no polynomial in its symbols, so its softmax has no exact form here.")
    return found


def _without_logarithms(entry: Any) -> tuple[Any, Fraction]:
    """A score without its logarithms of rationals, and the factor that they give the exponential."""
    if not is_sympy(entry):
        return entry, Fraction(1)
    rest, factor = [], Fraction(1)
    for part in entry.args if entry.is_Add else (entry,):
        found = _logarithm(part)
        if found is None:
            rest.append(part)
        else:
            factor *= found
    return (entry if factor == 1 and len(rest) == 1 else sum(rest)), factor


def _logarithm(part: Any) -> Fraction | None:
    """The rational r of ``ln r``, or of ``n ln s`` with r = s^n, or None."""
    import sympy  # an expression of sympy is here, so sympy is loaded

    count, log = part.as_coeff_Mul() if part.is_Mul else (sympy.Integer(1), part)
    if not isinstance(log, sympy.log) or not log.args[0].is_Rational or not log.args[0] > 0 or not count.is_Integer:
        return None
    if abs(int(count)) > MAX_POWER:
        raise InputError(f"{part} has a factor beyond {MAX_POWER}: use a smaller one.")
    return Fraction(int(log.args[0].p), int(log.args[0].q)) ** int(count)


MAX_POWER = 100
"""The largest whole number that may multiply a logarithm."""


# Weights ---------------------------------------------------------------------------------------------


def _weights(row: Sequence[Score]) -> list[Quotient]:
    powers = [score.power for score in row]
    total = ExpSum.weighted(powers, [1] * len(powers))
    return [Quotient(power, total) for power in powers]


def _score_derivative(weights: Sequence[Sequence[Quotient]], one: tuple[int, int], other: tuple[int, int]) -> Quotient:
    """The derivative of a weight by a scaled score."""
    if one[0] != other[0]:
        return Quotient(0)
    mine, yours = weights[one[0]][one[1]], weights[other[0]][other[1]]
    return mine * (int(one[1] == other[1]) - yours)


def _largest(row: Sequence[Score], positive: frozenset[str], number: int) -> tuple[int, ...]:
    best = [0]
    for column in range(1, len(row)):
        found = _order(row[column], row[best[0]], positive)
        if found is None:
            raise SymbolicValueError(
                f"Row {number}: whether score {column} or score {best[0]} is larger depends on symbols: "
                "give their values, argmax(at={...})."
            )
        if found > 0:
            best = [column]
        elif found == 0:
            best.append(column)
    return tuple(best)


def _order(first: Score, second: Score, positive: frozenset[str]) -> int | None:
    difference = first.exponent - second.exponent
    if first.factor == second.factor:
        return known_sign(difference, positive)
    if difference.symbols:
        return None
    return sign(ExpSum.exp(difference) * first.factor - second.factor)


# Limits ----------------------------------------------------------------------------------------------


def _powers(value: Polynomial, name: str, direction: int) -> dict[int, Polynomial]:
    """The coefficients of the powers of a symbol, as it goes to ∞; for -∞, those of its opposite."""
    found: dict[int, Polynomial] = {}
    for (radicand, powers), c in value.terms:
        degree = dict(powers).get(name, 0)
        rest = tuple((n, p) for n, p in powers if n != name)
        factor = c if direction > 0 or degree % 2 == 0 else -c
        found[degree] = found.get(degree, Polynomial()) + Polynomial.of_terms([((radicand, rest), factor)])
    return found


def _difference(first: Mapping[int, Polynomial], second: Mapping[int, Polynomial]) -> dict[int, Polynomial]:
    """What grows in a difference of two scores: its coefficients of positive degree that are not zero."""
    degrees = {degree for degree in (*first, *second) if degree}
    found = {d: first.get(d, Polynomial()) - second.get(d, Polynomial()) for d in degrees}
    return {degree: c for degree, c in found.items() if c}


_Relation: TypeAlias = "tuple[Polynomial, Polynomial, str]"


def _orders(
    growth: Sequence[Mapping[int, Polynomial]], positive: frozenset[str], item: Generator, number: int
) -> Iterator[tuple[tuple[int, ...], tuple[_Relation, ...]]]:
    """Every way in which some scores can grow fastest: their columns, and the relations that say so."""
    classes = _classes(growth)
    candidates = [one for one in classes if not any(_grows(growth, other[0], one[0], positive) for other in classes)]
    if len(candidates) > MAX_OPEN:
        raise InputError(
            f"Row {number}: symbols leave open which of {len(candidates)} scores is largest, and cases are told for "
            f"{MAX_OPEN} at most: give some of the symbols values."
        )
    degrees = {d for one, other in combinations(candidates, 2) for d in _difference(growth[one[0]], growth[other[0]])}
    if len(degrees) > 1:
        raise InputError(
            f"Row {number}: the scores hold several powers of {item.symbol} with symbols before them, so which is "
            "largest is not told by cases here."
        )
    degree = degrees.pop() if degrees else 1
    for count in range(1, len(candidates) + 1):
        for chosen in combinations(candidates, count):
            others = [one for one in candidates if one not in chosen]
            yield tuple(sorted(j for one in chosen for j in one)), tuple(_relations(growth, degree, chosen, others))


def _classes(growth: Sequence[Mapping[int, Polynomial]]) -> list[list[int]]:
    """Scores that grow alike, whatever the symbols are, together."""
    classes: list[list[int]] = []
    for column, one in enumerate(growth):
        home = next((found for found in classes if not _difference(growth[found[0]], one)), None)
        if home is None:
            classes.append([column])
        else:
            home.append(column)
    return classes


def _grows(growth: Sequence[Mapping[int, Polynomial]], one: int, other: int, positive: frozenset[str]) -> bool:
    """Whether the first score grows faster than the second, whatever the symbols are."""
    difference = _difference(growth[one], growth[other])
    return bool(difference) and known_sign(difference[max(difference)], positive) == 1


def _relations(
    growth: Sequence[Mapping[int, Polynomial]],
    degree: int,
    chosen: Sequence[Sequence[int]],
    others: Sequence[Sequence[int]],
) -> Iterator[_Relation]:
    def rate(one: Sequence[int]) -> Polynomial:
        return growth[one[0]].get(degree, Polynomial())

    for one, other in pairwise(chosen):
        yield rate(one), rate(other), "="
    for other in others:
        yield rate(chosen[0]), rate(other), ">"


def _shares(row: _Row, growth: Sequence[Mapping[int, Polynomial]], winners: Sequence[int]) -> list[Quotient]:
    """The limit of the weights: what does not grow decides among those that grow alike."""
    kept = [
        Score(growth[column].get(0, Polynomial()), score.factor) if column in winners else None
        for column, score in enumerate(row)
    ]
    powers = [ExpSum() if score is None else score.power for score in kept]
    total = ExpSum.weighted(powers, [1] * len(powers))
    return [Quotient(power, total) for power in powers]


def _piecewise(cases: Sequence[Case], column: int) -> SympyExpr:
    import sympy  # start-up: only symbolic work needs it

    values = [(case.value[0, column], case.condition) for case in cases]
    if len(values) == 1 or all(value == values[0][0] for value, _ in values):
        return values[0][0]
    return sympy.Piecewise(*values, evaluate=False)
