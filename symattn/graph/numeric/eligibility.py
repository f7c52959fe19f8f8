"""Conditions under which decimals come from enclosed rows, whose modules are loaded when one is asked for."""

from __future__ import annotations

from itertools import chain, islice
from math import lcm

from symattn.exact.linear.integer_matrix import MatrixOfIntegers
from symattn.problem.model import Problem

_LONGEST = 256
"""Entries of a token up to which angles are roots of the base."""

_SAMPLE = 64
"""Entries of a matrix whose denominators are looked at."""

_SHORT = 2048
"""Bits of the common denominator of these up to which exact scores are short."""


def enclosed_names(problem: Problem) -> tuple[str, ...]:
    """Return the names of the quantities that `EnclosedLayer` makes; none of a problem whose rows are not enclosed.

    Their exact scores are long: they have angles that are those of a base, or entries with many different denominators.
    Beyond that, a mask and a bias they have no other features; tokens stand in rows that meet W, and every query sees
    a key.

    >>> from symattn.problem.components.positions import TURNING
    >>> keys = {"Q": [[1, 2]], "K": [[3, 4]], "V": [[5]], "positions": {"kind": TURNING}}
    >>> enclosed_names(Problem.build(**keys)), enclosed_names(Problem.build(**keys, softmax_one=True))
    (('Q', 'K', 'V', 'S', 'A', 'O', 'Q_rot', 'K_rot'), ())
    """
    positions, mask = problem.positions, problem.mask
    is_plain = set(problem.beyond) <= {"positions", "mask", "bias"} and problem.gradient is None and not problem.later
    is_usual = (problem.tokens, problem.softmax) == ("rows", "rows") and problem.convention.product in ("", "X W")
    is_long = _has_angles_of_base(problem) if positions is not None else _has_long_denominators(problem)
    if not is_plain or not is_usual or not is_long or not _has_rationals(problem):
        return ()
    factor = problem.scale.factor(problem.head_sizes[0].d_k)
    grid = None if mask is None else mask.added(problem.n_q, problem.n_k)
    if factor.symbols or len(factor.terms) != 1 or not all(any(x is not None for x in row) for row in grid or ()):
        return ()
    return (*"QKVSAO", *(() if positions is None else positions.traits.makes))


def _has_angles_of_base(problem: Problem) -> bool:
    positions = problem.positions
    if positions is None or not positions.traits.has_angles or positions.angles:
        return False
    is_short = all(matrix.shape[1] <= _LONGEST for matrix in problem.inputs.values())
    return is_short and (not positions.is_added or problem.kind == "self")


def _has_long_denominators(problem: Problem) -> bool:
    """Return True if the common denominator of some entries is long already."""
    common = 1
    for matrix in problem.inputs.values():
        if isinstance(matrix, MatrixOfIntegers):
            return False
        for entry in islice(chain.from_iterable(matrix.rows), _SAMPLE):
            value = entry.plain_rational()
            common = lcm(common, 1 if value is None else value.denominator)
    return common.bit_length() > _SHORT


def _has_rationals(problem: Problem) -> bool:
    return all(
        isinstance(matrix, MatrixOfIntegers) or all(entry.plain_rational() is not None for entry in chain(*matrix.rows))
        for matrix in problem.inputs.values()
    )
