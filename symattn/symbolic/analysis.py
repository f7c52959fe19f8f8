"""Analysis of weights and weighted averages: derivatives, series, limits, the largest scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.api.values.arguments import kernel_of
from symattn.errors import InputError, ShapeError, expect, shown
from symattn.exact.field.calculus import derivative, power_slope, taylor
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import (
    Generator,
    SympyExpr,
    is_exact,
    is_sympy,
    is_sympy_matrix,
    sympy_rows,
    two_symbols,
)
from symattn.exact.interop.export import SympyMatrix, sympy_matrix
from symattn.exact.interop.sympy_reader import Reading, by_denominator
from symattn.exact.linear.matrix import Matrix
from symattn.exact.linear.matrix_input import scalar
from symattn.records import dataclass
from symattn.symbolic.conversion import listed, plain_symbol, renamed
from symattn.symbolic.scores import Row, Score, fastest, growth_of, largest_of, limit_of_weights

if TYPE_CHECKING:
    import sympy
else:
    sympy = late.module("sympy")


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
    """Analysis of weights and of their weighted averages."""

    _names: Mapping[str, Generator]
    _positive: frozenset[str]

    @abstractmethod
    def _matrix(self, of: str) -> Matrix:
        """Return a quantity by its name, as the kernel has it; the main one where none is given."""

    @abstractmethod
    def _rows(self) -> tuple[Row, ...]:
        """Return the scaled scores of each query."""

    @abstractmethod
    def _averaged(self, of: str) -> tuple[Matrix | None, bool]:
        """Return the rows that the weights average (None: the weights alone), and whether the result is transposed."""

    def sympy(self, of: str = "") -> SympyMatrix:
        """Return a quantity as a matrix of SymPy: the weights ``"A"``, the outputs ``"O"``, or another by its name.

        >>> import symattn as sa
        >>> sa.softmax([0, 1]).sympy()
        Matrix([[1/(1 + E), E/(1 + E)]])
        """
        return self._shown(self._matrix(of).rows)

    def jacobian(self, variables: object = None, of: str = "") -> SympyMatrix:
        """Return the derivatives of all entries, row by row, each by every variable.

        Args:
            variables: a symbol, a list of them, or a SymPy matrix of them; all symbols in the order of their
                names where there are none.
            of: the quantity, by its name.

        Raises:
            InputError: a variable other than a symbol, or none at all.

        >>> import sympy, symattn as sa
        >>> x, y = sympy.symbols("x y")
        >>> row = sa.softmax([x, y])
        >>> a, b = row.sympy()
        >>> sa.equal(row.jacobian([x, y]), sympy.Matrix([[a * (1 - a), -a * b], [-a * b, b * (1 - b)]])).is_equal
        True
        """
        matrix, chosen = self._matrix(of), self._chosen(variables)
        return self._shown([[self._by(entry, item) for item in chosen] for entry in matrix])

    def gradient(self, loss: object, variables: object = None, of: str = "") -> SympyMatrix:
        """Return the derivatives of a loss: in the shape of the variables, or as a column where they are a list.

        Args:
            loss: an expression of SymPy, a function that makes one from the matrix of the outputs, or a matrix
                of the shape of the outputs: what comes back to them, the derivatives of a loss by each.
            variables: a symbol, a list of them, or a SymPy matrix of them; all symbols in the order of their
                names where there are none.
            of: the quantity that the function or the matrix speaks of.

        Raises:
            ShapeError: the matrix has another shape than the outputs.
            InputError: an inexact loss, a variable other than a symbol, or none at all.

        >>> import sympy, symattn as sa
        >>> q, v = sympy.symbols("q v")
        >>> result = sa.attention(Q=[[q]], K=[[1], [0]], V=[[v], [0]], scale="none")
        >>> result.gradient(lambda O: O[0, 0] ** 2, [v])
        Matrix([[2*v*exp(2*q)/(exp(2*q) + 2*exp(q) + 1)]])
        """
        terms = by_denominator(self._loss(loss, of))
        chosen = self._chosen(variables)
        shown = [self._shown([[self._by(term, item) for term in terms]]) for item in chosen]
        width = len(sympy_rows(variables)[0]) if is_sympy_matrix(variables) else 1
        return sympy.ImmutableMatrix(len(shown) // width, width, [sympy.Add(*row) for row in shown])

    def series(self, symbol: object, point: object = 0, order: int = 6, of: str = "") -> SympyMatrix:
        """Return the Taylor polynomials of all entries about a point, up to the power ``order - 1`` as in SymPy.

        Raises:
            InputError: a point other than a number or polynomial, or one without a series.

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
        """Return the limits of all entries of O, or of the quantity `of`.

        At infinity they follow from which scores are largest, as `Piecewise` where that is open.

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
        item = self._variable(symbol)
        target = self._far(point, item)
        if target is None:
            start = self._point(point, item)
            return self._shown([[e.with_values({item.name: start}) for e in row] for row in self._matrix(of).rows])
        found = [self._cases(row, item, target, number, of) for number, row in enumerate(self._rows())]
        width = found[0][0].value.shape[1]
        rows = [[_piecewise(cases, column) for column in range(width)] for cases in found]
        result = sympy.ImmutableMatrix(rows)
        return result.T if self._averaged(of)[1] else result

    def cases(self, symbol: object, point: object = None, of: str = "") -> tuple[tuple[Case, ...], ...]:
        """Return the cases of a limit at infinity, for each query in turn.

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
        item = self._variable(symbol)
        target = self._far(sympy.oo if point is None else point, item)
        if target is None:
            raise InputError("Cases are told for a limit at infinity: give oo or -oo.")
        return tuple(self._cases(row, item, target, number, of) for number, row in enumerate(self._rows()))

    def argmax(self, at: Mapping[Any, Any] | None = None) -> tuple[tuple[int, ...], ...]:
        """Return the columns of the largest scores of each query, from 0: all of them where several are equal.

        Args:
            at: values of symbols that decide it.

        Raises:
            SymbolicValueError: symbols leave open which score is largest.

        >>> import symattn as sa
        >>> sa.softmax([[1, 3, 3], ["1/3", "0.33", 0]]).argmax()
        ((1, 2), (0,))
        """
        if at is not None:
            expect(at, Mapping, "Values of symbols are a mapping")
        items = [(self._variable(key), value) for key, value in (at or {}).items()]
        values = {item.name: self._point(value, item) for item, value in items}
        return tuple(
            largest_of(
                [Score(score.exponent.substitute(values), score.factor) for score in row], self._positive, number
            )
            for number, row in enumerate(self._rows())
        )

    # Names -------------------------------------------------------------------------------------------

    def _shown(self, rows: Sequence[Sequence[Quotient]]) -> SympyMatrix:
        return sympy_matrix(rows, {name: item.expression for name, item in self._names.items()})

    def _chosen(self, variables: object) -> list[Generator]:
        chosen = [self._variable(item) for item in self._variables(variables)]
        if not chosen:
            raise InputError("There is no symbol to differentiate by: put symbols into the inputs, or name some.")
        return chosen

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
            names |= values.names
        return [self._names[name].symbol if name in self._names else name for name in names]

    def _variable(self, symbol: object) -> Generator:
        """Return the kernel's name of a symbol; an absent one is a name of its own."""
        if not isinstance(symbol, str) and not is_sympy(symbol):
            raise InputError(f"A {type(symbol).__name__} is not a symbol: give one, or its name.")
        for item in self._names.values():
            if item.symbol == symbol or (isinstance(symbol, str) and str(item.symbol) == symbol):
                return item
        if not isinstance(symbol, str) and not getattr(symbol, "is_Symbol", False):
            raise InputError(f"An expression ({type(symbol).__name__}) is not a symbol: give one, or its name.")
        if any(str(item.symbol) == str(symbol) for item in self._names.values()):
            raise two_symbols(str(symbol))
        return Generator(plain_symbol(symbol).name, plain_symbol(symbol), Fraction(1))

    def _by(self, value: Quotient, item: Generator) -> Quotient:
        found = derivative(value, item.name)
        return found if item.power == 1 else found * power_slope(item.name, item.power)

    def _number(self, value: object) -> Polynomial:
        found = self._read(value).polynomial()
        if found is None:
            raise InputError(f"{shown(value)} is neither a number nor a polynomial: give one.")
        return found

    def _point(self, point: object, item: Generator) -> Polynomial:
        """Return a finite point, as a value of the generator; 0 for 1/x or 1/√x as x goes to ∞."""
        if is_sympy(point) and is_exact(point) and getattr(point, "is_infinite", False):
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
        """Return the direction of a generator as its symbol goes to infinity: 1 or -1, or None for a finite limit."""
        if not is_sympy(point) or not is_exact(point) or not getattr(point, "is_infinite", False):
            return None
        direction = 1 if getattr(point, "is_extended_positive", False) else -1
        if item.power == 1:
            return direction
        if direction < 0:
            raise InputError(f"{item.symbol} stands under a root or a fraction bar: it goes to oo, not to -oo.")
        return 1 if item.power > 0 else None

    def _read(self, value: object) -> Quotient:
        """Return a number or an expression in the names of the kernel."""
        if not is_sympy(value):
            return scalar(value)
        reading = Reading([value])
        return renamed(reading.quotient(value), reading, self._names)

    def _loss(self, loss: object, of: str) -> list[Quotient]:
        """Return the terms of a loss."""
        if callable(loss) and not is_sympy(loss):
            return self._loss(loss(self.sympy(of)), of)
        loss = kernel_of(loss)
        if not is_sympy_matrix(loss) and not isinstance(loss, (list, tuple, Matrix)):
            parts = getattr(loss, "args", ()) if getattr(loss, "is_Add", False) else (loss,)
            return [self._read(part) for part in parts]
        rows = [[self._read(entry) for entry in row] for row in listed(loss)]
        matrix = self._matrix(of)
        if [len(row) for row in rows] != [len(row) for row in matrix.rows]:
            shapes = "{}×{}".format(*matrix.shape)
            raise ShapeError(f"What comes back to a matrix of shape {shapes} has another shape: give one number each.")
        pairs = zip((weight for row in rows for weight in row), matrix, strict=True)
        return [weight * entry for weight, entry in pairs]

    def _mapped(self, of: str, make: Callable[[Quotient], SympyExpr]) -> SympyMatrix:
        return sympy.ImmutableMatrix([[make(entry) for entry in row] for row in self._matrix(of).rows])

    def _taylor_text(self, coefficients: Sequence[Quotient], step: SympyExpr) -> SympyExpr:
        row = self._shown([list(coefficients)])
        return sympy.Add(*(row[0, k] * step**k for k in range(len(coefficients))))

    # Limits at infinity ------------------------------------------------------------------------------

    def _cases(self, row: Row, item: Generator, direction: int, number: int, of: str) -> tuple[Case, ...]:
        values = self._averaged(of)[0]
        if values is not None and item.name in values.names:
            raise InputError(
                f"The values hold {item.symbol}, so that the limit of their average is not supported here."
            )
        growth = [growth_of(score.exponent, item.name, direction) for score in row]
        found = []
        for winners, relations in fastest(growth, self._positive, item, number):
            condition = sympy.And(*(self._relation(*relation) for relation in relations))
            if condition == sympy.false:
                continue
            weights = limit_of_weights(row, growth, winners)
            shown = self._shown([weights])
            value = shown if values is None else self._shown((Matrix([weights]) @ values).rows)
            found.append(Case(winners, condition, shown, value))
        return tuple(found)

    def _relation(self, difference: Polynomial, other: Polynomial, word: str) -> SympyExpr:
        left, right = (self._shown([[Quotient(side)]])[0, 0] for side in (difference, other))
        if word == "=":
            return sympy.Eq(left, right)
        return sympy.Lt(right, left) if left.is_number else sympy.Gt(left, right)


def _piecewise(cases: Sequence[Case], column: int) -> SympyExpr:
    values = [(case.value[0, column], case.condition) for case in cases]
    if len(values) == 1 or all(value == values[0][0] for value, _ in values):
        return values[0][0]
    return sympy.Piecewise(*values, evaluate=False)
