"""Positions and caches in a layer: what is added to tokens, what is rotated, and what is joined with past tokens.

The decimals of a layer of numbers whose angles are those of a base come from enclosed rows, `PositionMatrices`: its
scores are sums of products of sines, of which a closed form has hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from symattn.exact.linear.integer_matrix import IntegerMatrix, integer_matrix, product
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rows.row_intervals import Line, LineArithmetic, transposed
from symattn.exact.rows.turns import Turn, turns
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.numeric.integer_matrices import EnclosedMatrices, products_of_lines
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import define
from symattn.notation.tree import nodes as t
from symattn.problem.components.caches import counts_of
from symattn.problem.components.positions import Positions, angle_table
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import SOURCES

COUNTS: Mapping[str, str] = {
    "N_cache": "products_with_cache",
    "N_again": "products_without",
    "N_kept": "cached_numbers",
}
"""The counts of a layer with a cache: their quantities, and their keys in JSON."""


def add_positions(build: LayerBuilder) -> str:
    """Return the tokens that the projections take: ``X``, or ``X_p`` with what is added to it."""
    problem = build.problem
    if problem.positions is None or not problem.positions.is_added:
        return "X"
    if "P" not in build.quantities:
        positions, axis = problem.positions, _axis(problem)
        _angles(build, "Phi", "X", positions.start + problem.cached)
        pairs = "halves" if positions.pairs == "halves" else "adjacent"
        build.derived("P", define("sinusoid", "Phi", axis=axis, pairs=pairs))
    build.derived("X_p", define("sum", "X", "P"))
    return "X_p"


def placed(build: LayerBuilder, names: Mapping[str, str]) -> dict[str, str]:
    """Return the queries, keys and values that a head works with: rotated, and joined with those of past tokens.

    Args:
        build: of the layer.
        names: its queries, keys and values before, by their letters; with a cache the new ones stand apart.
    """
    problem, found = build.problem, dict(names)
    if problem.positions is not None and not problem.positions.is_added:
        found["Q"] = _rotated(build, "Q", names["Q"], names["Q"])
    for letter in "KV":
        name = names[letter]
        new = _suffixed(name, "new") if problem.cached else name
        if letter == "K" and problem.positions is not None and not problem.positions.is_added:
            new = _rotated(build, "K", new, name)
        found[letter] = _joined(build, name, new) if problem.cached else new
    return found


def _suffixed(name: str, suffix: str) -> str:
    """Return ``K_new^2`` for ``K^2``."""
    base, caret, head = name.partition("^")
    return f"{base}_{suffix}{caret}{head}"


def _joined(build: LayerBuilder, name: str, new: str) -> str:
    """Return keys or values of the past, and the new ones, once for the heads that share them."""
    if name not in build.quantities:
        axis, members = _axis(build.problem), (_suffixed(name, "cache"), new)
        build.derived(name, define("join", *members, axis=axis))
    return name


def _rotated(build: LayerBuilder, letter: str, of: str, name: str) -> str:
    """Return queries or new keys rotated, likewise."""
    made, problem = _suffixed(name, "rot"), build.problem
    positions = problem.positions
    if made in build.quantities or positions is None:
        return made
    start = positions.start + problem.cached
    if letter == "K" and positions.start_keys is not None:
        start = positions.start_keys + problem.cached
    angles = "Phi" if letter == "Q" or _is_shared(problem, positions) else "Phi_K"
    if angles not in build.quantities:
        _angles(build, angles, of, start)
    pairs = "halves" if positions.pairs == "halves" else "adjacent"
    build.derived(made, define("rotate", of, angles, axis=_axis(problem), pairs=pairs))
    return made


def _is_shared(problem: Problem, positions: Positions) -> bool:
    """Return True if queries and new keys have the same positions."""
    return problem.n_q == problem.n_k - problem.cached and positions.start_keys in (None, positions.start)


def _axis(problem: Problem) -> q.Axis:
    """Return the axis along which the entries of one token lie: each token is one row, or one column."""
    return "rows" if problem.tokens == "rows" else "columns"


def _angles(build: LayerBuilder, name: str, of: str, start: int) -> None:
    """Add the table of angles of tokens: given where it has closed forms, else derived from the base."""
    positions, axis, shape = build.problem.positions, _axis(build.problem), build.quantities[of].shape
    if positions is None:
        raise ValueError("tokens without positions have no angles")
    count, length = shape if axis == "rows" else shape[::-1]
    steps = positions.steps(length)
    if all(step.is_closed for step in steps):
        table = Matrix(angle_table(steps, count, start))
        build.given(name, table if axis == "rows" else table.T)
    else:
        build.derived(name, define("angles", of, axis=axis, base=str(positions.base), start=start))


# Decimals -------------------------------------------------------------------------------------------

_LONGEST = 256
"""Entries of a token up to which angles are roots of the base."""


def enclosed_positions(problem: Problem, exact: Callable[[str], Matrix]) -> PositionMatrices | None:
    """Return the matrices of a layer with positions whose decimals come from enclosed rows; None for others.

    Its angles are those of a base, and beyond a mask and a bias it has no other features; tokens stand in rows that
    meet W, and every query sees a key.
    """
    positions, mask = problem.positions, problem.mask
    if positions is None or not positions.traits.has_angles or positions.angles or problem.later:
        return None
    is_plain = set(problem.beyond) <= {"positions", "mask", "bias"} and problem.gradient is None
    is_usual = (problem.tokens, problem.softmax) == ("rows", "rows") and problem.convention.product in ("", "X W")
    if not is_plain or not is_usual or (positions.is_added and problem.kind != "self"):
        return None
    factor = problem.scale.factor(problem.head_sizes[0].d_k)
    grid = None if mask is None else mask.added(problem.n_q, problem.n_k)
    sees = grid is None or all(any(entry is not None for entry in row) for row in grid)
    inputs = {name: integer_matrix(matrix) for name, matrix in problem.inputs.items()}
    rationals = {name: matrix for name, matrix in inputs.items() if matrix and matrix.shape[1] <= _LONGEST}
    if factor.symbols or len(factor.terms) != 1 or not sees or len(rationals) < len(inputs):
        return None
    return PositionMatrices(problem, positions, rationals, exact)


class PositionMatrices(EnclosedMatrices):
    """Quantities of a layer of numbers with positions, from sines and cosines between integers.

    Args:
        problem: what was asked, for which `enclosed_positions` makes them.
        positions: its positions.
        inputs: its inputs.
        exact: makes a quantity of the layer of closed forms.
    """

    def __init__(
        self,
        problem: Problem,
        positions: Positions,
        inputs: Mapping[str, IntegerMatrix],
        exact: Callable[[str], Matrix],
    ) -> None:
        super().__init__(exact, columns=False)
        self._problem, self._positions, self._inputs = problem, positions, inputs
        self._mask = None if problem.mask is None else problem.mask.added(problem.n_q, problem.n_k)
        self._known: dict[int, dict[str, list[Line]]] = {}
        n_q, n_k, size = problem.n_q, problem.n_k, problem.head_sizes[0]
        self.shapes = {"Q": (n_q, size.d_k), "K": (n_k, size.d_k), "V": (n_k, size.d_v)}
        if self._positions.is_added:
            self.shapes |= dict.fromkeys(("P", "X_p"), problem.inputs["X"].shape)
        else:
            self.shapes |= {"Q_rot": (n_q, size.d_k), "K_rot": (n_k, size.d_k)}
        self.shapes |= {"S": (n_q, n_k), "A": (n_q, n_k), "O": (n_q, size.d_v)}

    def lines(self, name: str, bits: int) -> tuple[int, list[Line | None]]:
        """Return a quantity of each token in units of 2**-bits; None where it is not enclosed."""
        if bits not in self._known:
            self._known[bits] = dict(self._worked(LineArithmetic(bits), bits))
        made = self._known[bits].get(name)
        return bits, [None] * self.shapes[name][0] if made is None else [*made]

    def _worked(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        made = dict(self._tokens(arithmetic, bits))
        rotated = "" if self._positions.is_added else "_rot"
        made["S"] = arithmetic.products(made[f"Q{rotated}"], made[f"K{rotated}"])
        yield from made.items()
        scores: Sequence[Line] = self._steps(arithmetic, made["S"])
        rows: list[list[int | None]] = [list(line.mids) for line in scores]
        if self._mask is not None:
            rows = [
                [None if added is None else m for m, added in zip(row, own, strict=True)]
                for row, own in zip(rows, self._mask, strict=True)
            ]
        weights = arithmetic.softmax(rows, max(line.radius for line in scores))
        if weights is not None:
            yield "A", weights
            yield "O", arithmetic.products(weights, transposed(made["V"]))

    def _tokens(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        """Yield what the scores are made of, and the values."""
        start, keys = self._positions.start, self._positions.start_keys
        if self._positions.is_added:
            angles, pairs = self._turns("P", start, bits), self._pairs("P")
            table = [_sinusoid(turned, pairs) for turned in angles]
            yield "P", table
            tokens = self._inputs["X"]
            made = [
                arithmetic.sum(arithmetic.rational(row, tokens.denominator), line)
                for row, line in zip(tokens.rows, table, strict=True)
            ]
            yield "X_p", made
            for letter in "QKV":
                yield letter, products_of_lines(arithmetic, made, self._inputs[f"W_{letter}"])
            return
        for letter, first in (("Q", start), ("K", start if keys is None else keys), ("V", None)):
            tokens = self._projected(letter)
            yield letter, [arithmetic.rational(row, tokens.denominator) for row in tokens.rows]
            if first is not None:
                name = f"{letter}_rot"
                pairs, each = self._pairs(name), zip(tokens.rows, self._turns(name, first, bits), strict=True)
                yield name, [arithmetic.turned(row, tokens.denominator, turned, pairs) for row, turned in each]

    def _projected(self, letter: str) -> IntegerMatrix:
        """Return queries, keys or values that no angle is in."""
        if self._problem.kind == "given":
            return self._inputs[letter]
        source = dict(zip("QKV", SOURCES[self._problem.kind], strict=True))[letter]
        return product(self._inputs[source], self._inputs[f"W_{letter}"])

    def _pairs(self, name: str) -> list[tuple[int, int]]:
        """Return the places of each pair of entries in the rows of a quantity."""
        length, halves = self.shapes[name][1], self._positions.pairs == "halves"
        return [(k, k + length // 2) if halves else (2 * k, 2 * k + 1) for k in range(length // 2)]

    def _turns(self, name: str, start: int, bits: int) -> list[tuple[Turn, ...]]:
        """Return the turns of the pairs of each token of a quantity."""
        count, length = self.shapes[name]
        columns = [
            turns(self._positions.base, Fraction(2 * pair, length), start, count, bits) for pair in range(length // 2)
        ]
        return list(zip(*columns, strict=True))

    def _steps(self, arithmetic: LineArithmetic, lines: list[Line]) -> list[Line]:
        """Return the scores that the softmax is taken of, those that are hidden among them."""
        problem = self._problem
        for step in problem.used:
            if step == "scale":
                factor = problem.scale.factor(self.shapes["Q"][1])
                lines = [arithmetic.times_root(line, factor) for line in lines]
            elif step == "bias" and problem.bias is not None:
                lines = _added(arithmetic, lines, problem.bias.rows(problem.n_q, problem.n_k, problem.past, 0))
            elif self._mask is not None:
                lines = _added(arithmetic, lines, self._mask)
        return lines


def _sinusoid(turned: Sequence[Turn], pairs: Sequence[tuple[int, int]]) -> Line:
    """Return the sine and the cosine of the angle of each pair, at its places."""
    mids = [0] * 2 * len(pairs)
    for (i, j), (cosine, sine, _) in zip(pairs, turned, strict=True):
        mids[i], mids[j] = sine, cosine
    return Line(mids, max(error for _, _, error in turned))


def _added(arithmetic: LineArithmetic, lines: list[Line], grid: Sequence[Sequence[Fraction | None]]) -> list[Line]:
    """Return lines plus rational numbers; None adds nothing."""
    made = []
    for line, row in zip(lines, grid, strict=True):
        known = [added or Fraction(0) for added in row]
        below = lcm(*(added.denominator for added in known))
        tops = [added.numerator * (below // added.denominator) for added in known]
        made.append(arithmetic.sum(line, arithmetic.rational(tops, below)))
    return made


# Counts ---------------------------------------------------------------------------------------------


def add_counts(build: LayerBuilder) -> None:
    """Add the number of products that a cache saves and of values that it stores, each with its formula."""
    problem, counts = build.problem, counts_of(build.problem)
    n, size, heads = problem.n_k, problem.head_sizes[0], max(problem.kv_heads, 1)
    formulas: dict[str, t.Node] = {
        "N_cache": t.Division(_product(n, n + 1), t.Number("2")),
        "N_again": t.Division(_product(n, n + 1, 2 * n + 1), t.Number("6")),
        "N_kept": t.Product(
            (
                *(t.Number(str(number)) for number in (n, *((heads,) if heads > 1 else ()))),
                t.Group(t.Sum((t.Number(str(size.d_k)), t.Number(str(size.d_v))), ("+",))),
            ),
            ("cdot",) * (2 if heads > 1 else 1),
        ),
    }
    for name, formula in formulas.items():
        build.given(name, Matrix([[counts[COUNTS[name]]]]), form=formula, scalar=True)


def _product(*numbers: int) -> t.Node:
    return t.Product(tuple(t.Number(str(number)) for number in numbers), ("cdot",) * (len(numbers) - 1))
