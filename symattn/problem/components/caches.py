"""Caches of keys and values, and the softmax worked block by block: what a problem file says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from symattn.errors import InputError, ShapeError, shape_text
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components.data import ProblemData
from symattn.problem.components.positions import TURNING, Positions, missing_table, read_positions
from symattn.problem.schema.fields import OF_CACHES
from symattn.problem.values.checks import place_of

ReadMatrix = Callable[[object, str], Matrix]

CACHED = ("K_cache", "V_cache")


def positioned(positions: Positions | None, inputs: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the quantities that positions and a cache bring.

    >>> positioned(None, {"K_cache": 0, "V_cache": 0})
    ('K_cache', 'V_cache', 'K_new', 'V_new')
    """
    made = positions.traits.makes if positions is not None else ()
    return (*made, *(OF_CACHES if "K_cache" in inputs else ()))


def read_further(
    checked: Mapping[str, Any], layer: dict[str, Any], read: ReadMatrix, tokens: str, source: str
) -> dict[str, Any]:
    """Read positions, a cache and the key `online` as keyword arguments of a `Problem`.

    Args:
        checked: the tables of the problem file.
        layer: the keyword arguments so far; matrices are added to its inputs.
        read: what reads a matrix.
        tokens: whether tokens are rows or columns.
        source: what messages call the file.

    Raises:
        InputError: a value that cannot be used.
    """
    found: dict[str, Any] = {}
    if "positions" in checked:
        found["positions"] = read_positions(checked["positions"], source)
        if "table" in checked["positions"]:
            layer["inputs"]["P"] = read(checked["positions"]["table"], place_of(source, "positions.table"))
    if "cache" in checked:
        found |= _read_cache(checked["cache"], layer, read, tokens, source)
    if "online" in checked:
        found["online"] = checked["online"]
    return found


def _read_cache(
    table: Mapping[str, Any], layer: dict[str, Any], read: ReadMatrix, tokens: str, source: str
) -> dict[str, Any]:
    for letter in "KV":
        layer["inputs"][f"{letter}_cache"] = read(table[letter], place_of(source, f"cache.{letter}"))
    past = layer["inputs"]["K_cache"].shape[0 if tokens == "rows" else 1]
    if table.get("past", past) != past:
        raise InputError(
            f"{place_of(source, 'cache.past')} is {table['past']} and there are {past} cached keys: "
            "they are one number; leave it out, or mend the cache."
        )
    mask = layer["mask"]
    if mask is None:
        return {}
    if mask.past not in (0, past):
        raise InputError(
            f"{place_of(source, 'mask.past')} is {mask.past}, and {past} keys stand in the cache; leave it out."
        )
    # The first new token stands behind the cached ones.
    return {"mask": mask if mask.alignment or not mask.by_place else replace(mask, past=past)}


def check_positions(problem: ProblemData) -> None:
    """Refuse positions that do not go with the rest of a problem.

    Raises:
        InputError: One sentence with the key and the remedy.

    >>> from symattn.problem.model import Problem
    >>> given = {"X": [[1]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    >>> Problem.build(**given, positions={"kind": "learned", "table": [[1, 2]]})
    Traceback (most recent call last):
    symattn.errors.ShapeError: X is 1×1 and the table of positions 1×2: give both one shape ([positions] table).
    """
    positions = problem.positions
    if positions is None:
        return
    place = place_of(problem.source, "positions.kind")
    if positions.is_added and problem.kind != "self":
        raise InputError(
            f'{place}: "{positions.kind}" is added to the X of self-attention, and there is none here; '
            f'take "{TURNING}", or add positions to the inputs yourself.'
        )
    if not positions.traits.has_angles:
        _check_position_table(problem)
        return
    if positions.is_added:
        lengths = {problem.inputs["X"].shape[1 if problem.tokens == "rows" else 0]}
    else:
        lengths = _lengths_of_heads(problem, place, positions.traits.title)
    for length in lengths:
        if length % 2:
            raise InputError(f"{place}: {positions.traits.pairing} {length}: give an even length.")
        key = "angles" if positions.angles else "base"
        try:
            positions.steps(length)
        except InputError as error:
            raise InputError(f"{place_of(problem.source, f'positions.{key}')}: {error}") from error


def _lengths_of_heads(problem: ProblemData, place: str, title: str) -> set[int]:
    if problem.score != "dot":
        raise InputError(
            f'{place}: {title} goes with the product of queries and keys; leave score = "{problem.score}" out.'
        )
    lengths = {size.d_k for size in problem.head_sizes}
    if len(lengths) > 1:
        raise InputError(
            f"{place}: the heads have keys of different lengths, and {title} here needs one length for all."
        )
    return lengths


def _check_position_table(problem: ProblemData) -> None:
    shapes = [problem.inputs[name].shape for name in ("X", "P") if name in problem.inputs]
    place = place_of(problem.source, "positions.table")
    if len(shapes) < 2:
        raise missing_table(problem.source)
    if shapes[0] != shapes[1]:
        first, second = (f"{rows}×{columns}" for rows, columns in shapes)
        raise ShapeError(f"X is {first} and the table of positions {second}: give both one shape ({place}).")


def check_further(problem: ProblemData) -> None:
    """Refuse a cache or blocks that do not go with the rest of a problem.

    Raises:
        InputError: One sentence with the key and the remedy.
        ShapeError: With both shapes.

    >>> from symattn.problem.model import Problem
    >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], cache={"K": [[1]], "V": [[1]]})
    Traceback (most recent call last):
    symattn.errors.InputError: [cache] K is joined with new keys that X makes; give X and the weights, or leave it out.
    """
    if problem.cached:
        _check_cache(problem)
    if problem.online:
        place = place_of(problem.source, "online")
        for is_there, what in (
            (problem.softmax_one, "softmax_one"),
            (problem.fully_masked != "undefined", "fully_masked"),
        ):
            if is_there:
                raise InputError(f"{place} supports only a plain softmax; leave {what} out.")


def _check_cache(problem: ProblemData) -> None:
    place = place_of(problem.source, "cache.K")
    if problem.kind != "self":
        raise InputError(f"{place} is joined with new keys that X makes; give X and the weights, or leave it out.")
    if problem.heads_apart:
        raise InputError(f"{place} goes with heads side by side in one matrix; give heads as a number.")
    side = "rows" if problem.tokens == "rows" else "columns"
    along, across = (0, 1) if problem.tokens == "rows" else (1, 0)
    keys, values = (problem.inputs[name].shape for name in CACHED)
    if keys[along] != values[along]:
        raise ShapeError(
            f"The cached keys are {shape_text(keys)} and the cached values {shape_text(values)}: "
            f"give both as many {side} ({place_of(problem.source, 'cache.V')})."
        )
    sizes, count = problem.head_sizes, max(problem.kv_heads, 1)
    for letter, shape, length in (("K", keys, sizes[0].d_k * count), ("V", values, sizes[0].d_v * count)):
        if shape[across] != length:
            raise ShapeError(
                f"The cached {letter} is {shape_text(shape)} and a new one has {length} entries: give every token "
                f"as many ({place_of(problem.source, f'cache.{letter}')})."
            )


# Counts ---------------------------------------------------------------------------------------------


def counts_of(problem: ProblemData) -> dict[str, int]:
    """Count, over all tokens so far, the query-key products that a cache saves and the numbers that it stores.

    With the cache a token makes one product with each key up to its own, ``n(n + 1)/2`` in all; without it every
    step works out all scores of its tokens again, ``1^2 + 2^2 + ... + n^2 = n(n + 1)(2n + 1)/6``. The numbers are
    those of one head of queries.

    >>> from symattn.problem.model import Problem
    >>> cache = {"K": [[1], [2]], "V": [[1], [2]]}
    >>> counts_of(Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], cache=cache))
    {'products_with_cache': 6, 'products_without': 14, 'cached_numbers': 6}
    """
    n, size = problem.n_k, problem.head_sizes[0]
    return {
        "products_with_cache": n * (n + 1) // 2,
        "products_without": n * (n + 1) * (2 * n + 1) // 6,
        "cached_numbers": n * max(problem.kv_heads, 1) * (size.d_k + size.d_v),
    }
