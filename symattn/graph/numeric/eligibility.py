"""Conditions under which decimals come from enclosed rows, whose modules are loaded when one is asked for."""

from __future__ import annotations

from symattn.problem.model import Problem

_LONGEST = 256
"""Entries of a token up to which angles are roots of the base."""


def enclosed_by_positions(problem: Problem) -> tuple[str, ...]:
    """Return the names of the quantities that `PositionMatrices` makes of a layer with positions; none of others.

    Its angles are those of a base, and beyond a mask and a bias it has no other features; tokens stand in rows that
    meet W, and every query sees a key.

    >>> from symattn.problem.components.positions import TURNING
    >>> keys = {"Q": [[1, 2]], "K": [[3, 4]], "V": [[5]], "positions": {"kind": TURNING}}
    >>> enclosed_by_positions(Problem.build(**keys)), enclosed_by_positions(Problem.build(**keys, softmax_one=True))
    (('Q', 'K', 'V', 'S', 'A', 'O', 'Q_rot', 'K_rot'), ())
    """
    positions, mask = problem.positions, problem.mask
    if positions is None or not positions.traits.has_angles or positions.angles or problem.later:
        return ()
    is_plain = set(problem.beyond) <= {"positions", "mask", "bias"} and problem.gradient is None
    is_usual = (problem.tokens, problem.softmax) == ("rows", "rows") and problem.convention.product in ("", "X W")
    if not is_plain or not is_usual or (positions.is_added and problem.kind != "self"):
        return ()
    factor = problem.scale.factor(problem.head_sizes[0].d_k)
    grid = None if mask is None else mask.added(problem.n_q, problem.n_k)
    if factor.symbols or len(factor.terms) != 1 or not all(any(x is not None for x in row) for row in grid or ()):
        return ()
    if any(matrix.shape[1] > _LONGEST for matrix in problem.inputs.values()) or not all(
        entry.plain_rational() is not None for matrix in problem.inputs.values() for row in matrix.rows for entry in row
    ):
        return ()
    return (*"QKVSAO", *positions.traits.makes)
