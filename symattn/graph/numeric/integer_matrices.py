"""Matrices of a layer of numbers: their rows are made when asked for, their decimals without any of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.integer_matrix import IntegerMatrix, integer_matrix, product_transposed
from symattn.exact.linear.matrix import INDEX, Matrix, Rows
from symattn.exact.numerals.decimals import Rounding, round_rational, round_scaled, write
from symattn.exact.rounding.quotients import decimals
from symattn.exact.rows.enclosed_rows import Bounds, Enclosure, enclosed_rationals
from symattn.exact.rows.row_intervals import Line, LineArithmetic, Weight, transposed, weight_of
from symattn.graph.numeric.integer_rows import Entries, NumericLayer, Texts
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import SOURCES
from symattn.records import dataclass

_GIVEN = frozenset({"X", "X_1", "X_2", "Q", "K", "V", "W_Q", "W_K", "W_V"})
_SOURCES = {"self": "X", "cross": "X_1"}
_PROBE = 48
"""Bits with which decimals of no places are looked for."""


class RowMatrix(Matrix):
    """A matrix that makes each row when it is asked for, and its decimals without any of them.

    Args:
        shape: rows and columns.
        make: one row in closed form, counted from 0; one column of the matrix where it is `turned`.
        texts: all rows (or columns) as certified decimals.
        enclose: bounds of all rows (or columns), with about so many bits.
        turned: whether what is made are the columns.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        make: Callable[[int], Entries],
        texts: Callable[[Rounding], list[Texts]],
        enclose: Callable[[int], Enclosure],
        *,
        turned: bool = False,
    ) -> None:
        self._shape, self._make, self._turned = shape, make, turned
        self.texts, self.line_bounds = texts, enclose
        self._made: dict[int, Entries] = {}
        self._meanings = {}

    @cached_property
    def _rows(self) -> Rows:  # type: ignore[override]  # a slot there, which is filled at once
        lines = tuple(map(self.line, range(self._shape[self._turned])))
        return tuple(zip(*lines, strict=True)) if self._turned else lines

    def line(self, number: int) -> Entries:
        """Return one row in closed form, counted from 0; one column where these are what is made."""
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols: a layer of numbers has none."""
        return frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The names of the free symbols and their powers: none."""
        return frozenset()

    def __getitem__(self, index: tuple[int, int]) -> Quotient:
        try:
            i, j = (range(side)[place] for side, place in zip(self._shape, index, strict=True))
        except (TypeError, ValueError):
            raise InputError(f"{INDEX}, and this is of the type {type(index).__name__}.") from None
        return self.line(j)[i] if self._turned else self.line(i)[j]

    def bounds(self, bits: int) -> Enclosure:
        """Return bounds of the rows, with about so many bits; None for rows that are known in closed form alone."""
        found = self.line_bounds(bits)
        if not self._turned:
            return found
        lines = list(found.rows)
        if None in lines:
            return Enclosure(found.bits, [None] * self._shape[0])
        whole = [line for line in lines if line is not None]
        width = max(line.width for line in whole)
        return Enclosure(
            found.bits, [Bounds(column, width) for column in zip(*(line.lows for line in whole), strict=True)]
        )

    def rounded(self, places: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `places` digits after the point."""
        return self._decimals(Rounding(places=places, ties=ties))

    def digits(self, n: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `n` significant figures."""
        return self._decimals(Rounding(figures=n, ties=ties))

    def _decimals(self, rounding: Rounding) -> list[list[str]]:
        lines = self.texts(rounding)
        return list(map(list, zip(*lines, strict=True))) if self._turned else lines


class NumericMatrices:
    """The matrices of a layer of numbers, in the orientation that its problem has."""

    def __init__(self, layer: NumericLayer, *, columns: bool, across: bool) -> None:
        """Note the orientation: tokens in columns or not, weights that sum to 1 in columns or not."""
        self.layer, self.columns, self.across = layer, columns, across

    def named(self, name: str) -> RowMatrix:
        """Return Q, K, V, S, A or O."""
        layer = self.layer
        match name:
            case "A":
                return RowMatrix(
                    self._shape("A"), layer.weights, self._weights, layer.weight_bounds, turned=self.across
                )
            case "O":
                return RowMatrix(
                    self._shape("O"), self._outputs, self._output_texts, layer.output_bounds, turned=self.columns
                )
            case "S":
                return _of_integers(layer.products, turned=self.across)
            case _:
                given = {"Q": layer.queries, "K": layer.keys, "V": layer.values}[name]
                return _of_integers(given, turned=self.columns)

    def _shape(self, name: str) -> tuple[int, int]:
        lines = self.layer.n_q, self.layer.values.shape[0 if name == "A" else 1]
        return lines[::-1] if (self.across if name == "A" else self.columns) else lines

    def _weights(self, rounding: Rounding) -> list[Texts]:
        return list(self.layer.weight_texts(rounding))

    def _output_texts(self, rounding: Rounding) -> list[Texts]:
        return [o for _, o in self.layer.texts(rounding, rounding)]

    @cached_property
    def _values(self) -> Matrix:
        return _of_integers(self.layer.values, turned=False)

    def _outputs(self, row: int) -> Entries:
        return (Matrix([self.layer.weights(row)]) @ self._values).rows[0]


def joined(parts: Sequence[RowMatrix], *, columns: bool) -> RowMatrix:
    """Return the outputs of heads as one matrix, in which they stand side by side in each token.

    Args:
        parts: the outputs, all with as many tokens.
        columns: whether tokens are columns, so that heads stand one below the other.
    """
    own = _Joined(tuple(parts))
    width, count = sum(part.shape[not columns] for part in parts), parts[0].shape[columns]
    return RowMatrix((width, count) if columns else (count, width), own.line, own.texts, own.bounds, turned=columns)


@dataclass(frozen=True, slots=True)
class _Joined:
    """The tokens of several matrices, side by side."""

    parts: tuple[RowMatrix, ...]

    def line(self, number: int) -> Entries:
        return tuple(chain.from_iterable(part.line(number) for part in self.parts))

    def texts(self, rounding: Rounding) -> list[Texts]:
        each = zip(*(part.texts(rounding) for part in self.parts), strict=True)
        return [list(chain.from_iterable(texts)) for texts in each]

    def bounds(self, bits: int) -> Enclosure:
        found = [part.line_bounds(bits) for part in self.parts]
        (own,) = {one.bits for one in found}
        return Enclosure(own, map(_side_by_side, *(one.rows for one in found)))


def _side_by_side(*parts: Bounds | None) -> Bounds | None:
    """Return the bounds of a row as those of its parts, as wide as the widest; None where those of one are missing."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Bounds(list(chain.from_iterable(part.lows for part in known)), max(part.width for part in known))


_TRIES = 3
"""Precisions that decimals of a block are looked for at, each of twice the bits of the one before."""


class EnclosedMatrices(ABC):
    """Quantities known by enclosed rows; entries that they leave open have exact values from a layer of closed forms.

    Args:
        exact: makes a quantity of the layer of closed forms.
        columns: whether the rows are columns of the matrices.
    """

    shapes: Mapping[str, tuple[int, int]]
    """The number of rows and their width, by the names of what is made."""

    def __init__(self, exact: Callable[[str], Matrix], *, columns: bool) -> None:
        self._exact, self._columns = exact, columns

    @abstractmethod
    def lines(self, name: str, bits: int) -> tuple[int, list[Line | None]]:
        """Return the bits of the unit, at least as many as asked for, and rows; None where one is not enclosed."""

    def named(self, name: str) -> RowMatrix:
        """Return one of the quantities that `shapes` names."""
        shape = self.shapes[name]
        return RowMatrix(
            shape[::-1] if self._columns else shape,
            partial(self._line, name),
            partial(self._texts, name),
            partial(self._bounds, name),
            turned=self._columns,
        )

    def _line(self, name: str, number: int) -> Entries:
        exact = self._exact(name)
        return (exact.T if self._columns else exact).rows[number]

    def _bounds(self, name: str, bits: int) -> Enclosure:
        own, lines = self.lines(name, bits)
        arithmetic = LineArithmetic(own)
        return Enclosure(own, [None if line is None else arithmetic.bounds(line) for line in lines])

    def _texts(self, name: str, rounding: Rounding) -> list[Texts]:
        bits = _PROBE + 4 * (rounding.places or rounding.figures or 0)
        found = self._settled(name, rounding, bits)
        for _ in range(_TRIES - 1):
            if all(map(all, found)):
                break
            bits *= 2
            found = self._settled(name, rounding, bits)
        for number, texts in enumerate(found):
            open_ones = [j for j, text in enumerate(texts) if not text]
            values = self._line(name, number) if open_ones else ()
            for j, text in zip(open_ones, decimals([values[j] for j in open_ones], rounding), strict=True):
                texts[j] = text
        return found

    def _settled(self, name: str, rounding: Rounding, bits: int) -> list[Texts]:
        own, lines = self.lines(name, bits)
        arithmetic, width = LineArithmetic(own), self.shapes[name][1]
        return [[""] * width if line is None else arithmetic.texts(line, rounding) for line in lines]


class BlockMatrices(EnclosedMatrices):
    """Quantities after attention in a layer of numbers: an output projection and a block, token by token.

    Args:
        problem: what was asked, for which `around` is true.
        attention: what attention makes of each token, the heads side by side.
        exact: makes a quantity of the layer of closed forms.
    """

    def __init__(self, problem: Problem, attention: RowMatrix, exact: Callable[[str], Matrix]) -> None:
        super().__init__(exact, columns=problem.tokens == "columns")
        self._attention, self._block = attention, problem.block
        product = problem.convention.product or ("W X" if self._columns else "X W")
        self._weights: dict[str, Weight] = {}
        self._vectors: dict[str, tuple[list[int], int]] = {}
        for name, matrix in problem.inputs.items():
            own = integer_matrix(matrix) if name not in _GIVEN else None
            if own is not None and name.startswith("W_"):
                self._weights[name] = weight_of(own, by_rows=product in ("X W^T", "W X"))
            elif own is not None:
                self._vectors[name] = list(chain.from_iterable(own.rows)), own.denominator
        tokens = problem.inputs[_SOURCES.get(problem.kind, "Q")]
        self._tokens = integer_matrix(tokens.T if self._columns else tokens)
        self._known: dict[int, list[dict[str, Line]]] = {}
        count = attention.shape[self._columns]
        self.shapes = {name: (count, width) for name, width in self._named_widths()}

    def _named_widths(self) -> Iterator[tuple[str, int]]:
        """Iterate over the names of what is made and its entries of a token, in the order of the work."""
        if "W_O" in self._weights:
            yield "O", len(self._weights["W_O"].columns)
        if self._block is None or self._tokens is None:
            return
        width = self._tokens.shape[1]
        sides = [side for side in "12" if side == "1" or "W_F1" in self._weights]
        for side in sides:
            if side == "2":
                yield from ((f"F_{name}", len(self._weights["W_F1"].columns)) for name in self._inner)
                yield "F_2", len(self._weights["W_F2"].columns)
            if self._block.residual:
                yield f"R_{side}", width
            if self._block.norm != "none":
                yield f"N_{side}", width
                if self._vectors.keys() & {f"gamma_{side}", f"beta_{side}"}:
                    yield f"Y_{side}", width

    @property
    def _inner(self) -> tuple[str, ...]:
        return ("1", "act", "3", "gated") if "W_F3" in self._weights else ("1", "act")

    # Tokens ------------------------------------------------------------------------------------------

    def lines(self, name: str, bits: int) -> tuple[int, list[Line | None]]:
        """Return a quantity of each token in units of 2**-bits; None where it is not enclosed."""
        if bits not in self._known:
            arithmetic = LineArithmetic(bits)
            self._known[bits] = [
                dict(self._token(arithmetic, number, arithmetic.of_bounds(bounds))) if bounds else {}
                for number, bounds in enumerate(self._attention.line_bounds(bits).rows)
            ]
        return bits, [each.get(name) for each in self._known[bits]]

    def _token(self, arithmetic: LineArithmetic, number: int, line: Line) -> Iterator[tuple[str, Line]]:
        if "W_O" in self._weights:
            line = self._weighted(arithmetic, line, "O")
            yield "O", line
        if self._block is None or self._tokens is None:
            return
        if self._block.residual:
            line = arithmetic.sum(arithmetic.rational(self._tokens.rows[number], self._tokens.denominator), line)
            yield "R_1", line
        tokens = yield from self._normed(arithmetic, line, 1)
        if tokens is None or "W_F1" not in self._weights:
            return
        line = yield from self._network(arithmetic, tokens)
        if self._block.residual:
            line = arithmetic.sum(tokens, line)
            yield "R_2", line
        yield from self._normed(arithmetic, line, 2)

    def _network(self, arithmetic: LineArithmetic, tokens: Line) -> Generator[tuple[str, Line], None, Line]:
        inner = self._weighted(arithmetic, tokens, "F1")
        yield "F_1", inner
        inner = arithmetic.relu(inner)
        yield "F_act", inner
        if "W_F3" in self._weights:
            gate = self._weighted(arithmetic, tokens, "F3")
            yield "F_3", gate
            inner = arithmetic.product(inner, gate)
            yield "F_gated", inner
        inner = self._weighted(arithmetic, inner, "F2")
        yield "F_2", inner
        return inner

    def _normed(
        self, arithmetic: LineArithmetic, line: Line, number: int
    ) -> Generator[tuple[str, Line], None, Line | None]:
        block = self._block
        if block is None or block.norm == "none":
            return line
        normed = (arithmetic.standardise if block.norm == "layer" else arithmetic.rms)(line, block.eps)
        if normed is None:
            return None
        yield f"N_{number}", normed
        gamma, beta = (self._vectors.get(f"{letter}_{number}") for letter in ("gamma", "beta"))
        if gamma is None and beta is None:
            return normed
        if gamma is not None:
            normed = arithmetic.times(normed, *gamma)
        if beta is not None:
            normed = arithmetic.sum(normed, arithmetic.rational(*beta))
        yield f"Y_{number}", normed
        return normed

    def _weighted(self, arithmetic: LineArithmetic, line: Line, name: str) -> Line:
        """Return the product with a weight, plus its bias where there is one."""
        (line,) = arithmetic.times_matrix([line], *self._weights[f"W_{name}"])
        bias = self._vectors.get(f"b_{name}")
        return line if bias is None else arithmetic.sum(line, arithmetic.rational(*bias))


class GradientMatrices(EnclosedMatrices):
    """Gradients of a layer of numbers with one head: from that of its output, dO, to all that it is made of.

    Args:
        problem: what was asked, for which `has_enclosed_gradients` is true.
        layer: its layer of integers.
        exact: makes a quantity of the layer of closed forms.
    """

    def __init__(self, problem: Problem, layer: NumericLayer, exact: Callable[[str], Matrix]) -> None:
        super().__init__(exact, columns=False)
        self._layer, self._problem = layer, problem
        gradient = problem.gradient
        given = None if gradient is None or gradient.dO is None else integer_matrix(gradient.dO)
        (n_q, d_k), (n_k, d_v) = layer.queries.shape, layer.values.shape
        self._start = given or IntegerMatrix([[1] * d_v for _ in range(n_q)])
        self._known: dict[int, tuple[int, dict[str, list[Line]]]] = {}
        shapes = {
            "dV": (n_k, d_v),
            "dA": (n_q, n_k),
            "D": (n_q, 1),
            "dS": (n_q, n_k),
            "dQ": (n_q, d_k),
            "dK": (n_k, d_k),
        }
        self._inputs = {name: integer_matrix(matrix) for name, matrix in problem.inputs.items()}
        if problem.kind != "given":
            shapes |= {f"d{name}": matrix.shape for name, matrix in problem.inputs.items()}
        self.shapes = {
            name: shape for name, shape in shapes.items() if gradient is None or not gradient.of or name in gradient.of
        }

    def lines(self, name: str, bits: int) -> tuple[int, list[Line | None]]:
        """Return the rows of a gradient in units of 2**-bits or smaller ones."""
        if bits not in self._known:
            found = self._layer.weight_bounds(bits)
            arithmetic = LineArithmetic(found.bits)
            weights = [arithmetic.of_bounds(bounds) for bounds in found.rows if bounds is not None]
            self._known[bits] = found.bits, self._gradients(arithmetic, weights)
        own, made = self._known[bits]
        return own, [*made[name]]

    def _gradients(self, arithmetic: LineArithmetic, weights: list[Line]) -> dict[str, list[Line]]:
        layer, start = self._layer, self._start
        at_weights = product_transposed(start, layer.values)
        below = at_weights.denominator
        pairs = zip(weights, at_weights.rows, strict=True)
        dots = [line for a, row in pairs for line in arithmetic.times_matrix([a], [row], below)]
        plain = [arithmetic.rational(row, below) for row in at_weights.rows]
        scores = []
        for a, row, dot in zip(weights, plain, dots, strict=True):
            less = Line([-dot.mids[0]] * len(row.mids), dot.radius)
            scores.append(arithmetic.product(a, arithmetic.sum(row, less)))
        factor = self._problem.scale.factor(layer.queries.shape[1]) if "scale" in self._problem.used else Polynomial(1)
        scaled = [arithmetic.times_root(line, factor) for line in scores]
        made = {
            "dV": products_of_lines(arithmetic, transposed(weights), start),
            "dA": plain,
            "D": dots,
            "dS": scores,
            "dQ": products_of_lines(arithmetic, scaled, layer.keys),
            "dK": products_of_lines(arithmetic, transposed(scaled), layer.queries),
        }
        return made | self._behind(arithmetic, made)

    def _behind(self, arithmetic: LineArithmetic, made: Mapping[str, list[Line]]) -> dict[str, list[Line]]:
        """Return the gradients at tokens and weights of Q = X W_Q and its like."""
        found: dict[str, list[Line]] = {}
        for source, letter in zip(SOURCES.get(self._problem.kind, ()), "QKV", strict=False):
            tokens, weight, own = self._inputs[source], self._inputs[f"W_{letter}"], made[f"d{letter}"]
            if tokens is None or weight is None:
                raise ArithmeticError("an input of a layer of numbers is not a number")
            found[f"dW_{letter}"] = transposed(products_of_lines(arithmetic, transposed(own), tokens))
            turned = IntegerMatrix(list(zip(*weight.rows, strict=True)), weight.denominator)
            back = products_of_lines(arithmetic, own, turned)
            before = found.get(f"d{source}")
            found[f"d{source}"] = back if before is None else list(map(arithmetic.sum, before, back))
        return found


def products_of_lines(arithmetic: LineArithmetic, lines: Sequence[Line], matrix: IntegerMatrix) -> list[Line]:
    """Return the product of enclosed rows and a matrix."""
    return arithmetic.times_matrix(lines, list(zip(*matrix.rows, strict=True)), matrix.denominator)


@dataclass(frozen=True, slots=True)
class _Rationals:
    """The rows of a matrix of integers over one denominator."""

    matrix: IntegerMatrix

    def line(self, number: int) -> Entries:
        below = self.matrix.denominator
        return tuple(Quotient(Fraction(x, below)) for x in self.matrix.rows[number])

    def texts(self, rounding: Rounding) -> list[Texts]:
        places, below = rounding.places, self.matrix.denominator
        if places is None:
            return [
                [write(*round_rational(Fraction(x, below), rounding), rounding) for x in row]
                for row in self.matrix.rows
            ]
        ten: int = 10**places
        return [
            [write(round_scaled(x * ten, below, rounding.ties), places, rounding) for x in row]
            for row in self.matrix.rows
        ]


def _of_integers(matrix: IntegerMatrix, *, turned: bool) -> RowMatrix:
    rationals, shape = _Rationals(matrix), matrix.shape
    enclose = partial(enclosed_rationals, matrix)
    return RowMatrix(shape[::-1] if turned else shape, rationals.line, rationals.texts, enclose, turned=turned)
