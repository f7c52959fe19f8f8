"""Positions and caches in a layer: what is added to tokens, what is rotated, and what is joined with past tokens."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import define
from symattn.notation.tree import nodes as t
from symattn.problem.components.caches import counts_of
from symattn.problem.components.positions import Positions, angle_table
from symattn.problem.model import Problem

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
