"""Blocks: residual sums, norms, and a feed-forward network around attention."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symattn.errors import InputError, ShapeError, counted_entries
from symattn.problem.components.data import FLAT, ProblemData
from symattn.problem.components.declarations import Block
from symattn.problem.schema.fields import (
    ACTIVATIONS,
    BLOCK_FIELDS,
    NETWORK,
    NETWORK_INPUTS,
    NETWORK_WEIGHTS,
    NORMS,
    OPTIONAL_WEIGHTS,
    PLACEMENTS,
)
from symattn.problem.text.spelling import unknown
from symattn.problem.values.checks import check_table, describe, place_of

_SOURCES = {"self": "X", "cross": "X_1"}
_OF_NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")


def read_block(table: object, source: str) -> Block:
    """Return the block that a problem file declares.

    Raises:
        InputError: a norm without its eps, or an eps that is negative or without a norm.

    >>> read_block({"norm": "layer", "eps": "1e-5"}, "x.toml").eps
    Fraction(1, 100000)
    """
    place = place_of(source, "block")
    if not isinstance(table, Mapping):
        raise InputError(f'{place} must be a table, as in {{norm = "layer", eps = "1e-5"}}, not {describe(table)}.')
    checked: dict[str, Any] = check_table(table, BLOCK_FIELDS, source, "block")
    norm = checked.get("norm", "none")
    if norm != "none" and "eps" not in checked:
        raise InputError(
            f"{place_of(source, 'block.eps')} is missing: a norm adds it under its square root. Give a number, or 0."
        )
    if norm == "none":
        for key in ("eps", "placement"):
            if key in checked:
                raise InputError(f"{place_of(source, f'block.{key}')} needs a norm. Set norm, or leave it out.")
    return Block(**checked)


def network_inputs(problem: ProblemData) -> tuple[str, ...]:
    """Return the inputs that a block can have besides those of its attention.

    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], block={"norm": "none"})
    >>> network_inputs(p)
    ('W_F1', 'b_F1', 'W_F3', 'b_F3', 'W_F2', 'b_F2')
    """
    block = problem.block
    if block is None:
        return ()
    count = 2 if "W_F1" in problem.inputs or block.placement == "pre" else 1
    norms = _OF_NORMS[: 2 * count] if block.norm != "none" else ()
    return (*NETWORK_INPUTS, *(name for name in norms if not (block.norm == "rms" and name.startswith("beta"))))


def check_block(problem: ProblemData) -> None:
    """Refuse a block whose keys contradict each other or whose matrices do not fit.

    Raises:
        InputError: one sentence with the key and the remedy.
        ShapeError: with both shapes.

    >>> from symattn.problem.model import Problem
    >>> Problem.build(X=[[1, 2]], W_Q=[[1], [1]], W_K=[[1], [1]], W_V=[[1], [1]], block={"norm": "none"})
    Traceback (most recent call last):
    symattn.errors.ShapeError: block: the residual adds X, with 2 entries a token, to an output with 1; give W_O or \
W_V so that both are alike, or residual = false.
    """
    block = problem.block
    if block is None:
        return
    _check_words(problem, block)
    width = _width(problem)
    if block.residual:
        _check_residual(problem, width)
    outer = _check_network(problem, width)
    lengths = (_entries(problem, _source(problem)), width) if block.placement == "pre" else (width, outer)
    for name in _OF_NORMS:
        if name in problem.inputs:
            _need_length(problem, name, lengths[0 if name.endswith("1") else 1])


def _check_words(problem: ProblemData, block: Block) -> None:
    for key, word, known in (
        ("norm", block.norm, NORMS),
        ("placement", block.placement, PLACEMENTS),
        ("activation", block.activation, ACTIVATIONS),
    ):
        if word not in known:
            raise InputError(f"{place_of(problem.source, f'block.{key}')}: {unknown('value', word, known)}")
    if block.eps < 0:
        raise InputError(f"{place_of(problem.source, 'block.eps')} must be at least 0.")
    if problem.kind == "given" and (block.residual or block.placement == "pre"):
        raise InputError(
            f"{place_of(problem.source, 'block')} needs X, which the residual adds and a norm before attention takes; "
            'give X and weights, or residual = false and placement = "post".'
        )
    if any(matrix.symbols for matrix in problem.inputs.values()) or any(
        not isinstance(value, Fraction) for value in problem.symbols.values()
    ):
        raise InputError(f"{place_of(problem.source, 'block')} supports only numbers. Give each symbol a value.")


def _source(problem: ProblemData) -> str:
    return _SOURCES.get(problem.kind, "Q")


def _entries(problem: ProblemData, name: str) -> int:
    return problem.inputs[name].shape[1 if problem.tokens == "rows" else 0]


def _width(problem: ProblemData) -> int:
    """Return the entries of an output of attention."""
    if "W_O" in problem.inputs:
        return _made_by(problem, "W_O")[1]
    sizes = [size.d_v for size in problem.head_sizes]
    return sizes[0] if problem.combine == "mean" else sum(sizes)


def _made_by(problem: ProblemData, weight: str) -> tuple[int, int]:
    """Return the input and the output width of a weight."""
    rows, columns = problem.inputs[weight].shape
    product = problem.convention.product or ("X W" if problem.tokens == "rows" else "W X")
    return (columns, rows) if product in FLAT else (rows, columns)


def _check_residual(problem: ProblemData, width: int) -> None:
    own = _entries(problem, _source(problem))
    if own != width:
        raise ShapeError(
            f"{place_of(problem.source, 'block')}: the residual adds {_source(problem)}, "
            f"with {counted_entries(own)} a token, to an output with {width}; give W_O or W_V so that both are alike, "
            "or residual = false."
        )


def _check_network(problem: ProblemData, width: int) -> int:
    """Return the width of what comes out of the network, or of the tokens without one."""
    first = next(iter(NETWORK_WEIGHTS))
    if first not in problem.inputs:
        return _check_absent(problem, width)
    widths = {"token": width}
    for name, (takes, makes) in NETWORK_WEIGHTS.items():
        if name not in problem.inputs and name in OPTIONAL_WEIGHTS:
            continue
        if name not in problem.inputs:
            raise InputError(
                f"{place_of(problem.source, f'inputs.{name}')} is missing: the output of {first} is multiplied by it."
            )
        _check_weight(problem, name, takes, makes, widths)
    if problem.block is not None and problem.block.residual and widths["output"] != width:
        raise _misfit(
            problem,
            "W_F2",
            f"{counted_entries(widths['inner'])} to {widths['output']}, and the residual adds tokens with {width}",
        )
    return widths["output"]


def _check_absent(problem: ProblemData, width: int) -> int:
    """Refuse parts of a network without its first weights."""
    for name in NETWORK_INPUTS:
        if name in problem.inputs:
            remedy = "give both, or none" if name in NETWORK_WEIGHTS else "give it, or leave both"
            raise InputError(f"{place_of(problem.source, f'inputs.{name}')} goes with W_F1; {remedy}.")
    return width


def _check_weight(problem: ProblemData, name: str, takes: str, makes: str, widths: dict[str, int]) -> None:
    """Refuse a weight that does not fit the widths so far, and note the width that it makes."""
    taken, made = _made_by(problem, name)
    if taken != widths[takes]:
        has = f"a token has {widths[takes]} here" if takes == "token" else f"W_F1 makes {widths[takes]}"
        raise _misfit(problem, name, f"{counted_entries(taken)} of a token, and {has}")
    if widths.setdefault(makes, made) != made:
        raise _misfit(problem, name, f"tokens to {counted_entries(made)}, and W_F1 makes {widths[makes]}")
    if (vector := f"b{name[1:]}") in problem.inputs:
        _need_length(problem, vector, made)


def _misfit(problem: ProblemData, name: str, why: str) -> ShapeError:
    return ShapeError(f"{place_of(problem.source, f'inputs.{name}')} takes {why}: give matrices that fit.")


def _need_length(problem: ProblemData, name: str, length: int) -> None:
    wanted = (1, length) if problem.tokens == "rows" else (length, 1)
    if problem.inputs[name].shape != wanted:
        rows, columns = problem.inputs[name].shape
        raise ShapeError(
            f"{place_of(problem.source, f'inputs.{name}')} is {rows}×{columns}, and it needs "
            + (f"one number for each of the {length} entries of a token." if length > 1 else "1 number: a token has 1.")
        )


def output_width(problem: ProblemData) -> int:
    """Return the width of the tokens that come out of a block.

    >>> from symattn.problem.model import Problem
    >>> output_width(Problem.build(X=[[1, 2]], W_Q=[[1], [1]], W_K=[[1], [1]], W_V=[[1, 0, 2], [0, 1, 2]]))
    3
    """
    return _made_by(problem, "W_F2")[1] if "W_F2" in problem.inputs else _width(problem)


def block_quantities(problem: ProblemData) -> tuple[str, ...]:
    """Return the names of what a block makes, in its order, and of its eps.

    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], block={"norm": "rms", "eps": 0})
    >>> block_quantities(p)
    ('R_1', 'ms_1', 'N_1')
    """
    block = problem.block
    if block is None:
        return ()
    has_network = "W_F1" in problem.inputs
    network = tuple(name for name, weight in NETWORK.items() if weight in problem.inputs)
    first = ("R_1",) if block.residual else ()
    second = ("R_2",) if block.residual and has_network else ()
    norms = [_norm_quantities(problem, block, number) for number in (1, 2)]
    eps = ("eps",) if block.norm != "none" and block.eps else ()
    if block.norm != "none" and block.placement == "pre":
        return (*eps, *norms[0], *first, *(norms[1] if has_network else ()), *network, *second)
    return (*eps, *first, *norms[0], *network, *second, *(norms[1] if has_network else ()))


def _norm_quantities(problem: ProblemData, block: Block, number: int) -> tuple[str, ...]:
    if block.norm == "none":
        return ()
    statistics = ("mu", "var") if block.norm == "layer" else ("ms",)
    is_affine = any(f"{name}_{number}" in problem.inputs for name in ("gamma", "beta"))
    return tuple(f"{name}_{number}" for name in (*statistics, "N", *(("Y",) if is_affine else ())))
