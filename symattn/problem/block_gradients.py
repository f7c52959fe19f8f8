"""The backward pass of a block: which gradients there are, and where it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.problem.blocks import block_quantities
from symattn.problem.checks import place_of
from symattn.problem.fields import BLOCK_INPUTS

if TYPE_CHECKING:
    from symattn.problem.gradients import Gradient
    from symattn.problem.model import Problem

_WITH_GRADIENT = ("R", "N", "Y", "F")


def gradients_around(problem: Problem) -> tuple[str, ...]:
    """Return the names of the gradients at what a block takes and makes around its attention.

    >>> from symattn.problem.model import Problem
    >>> keys = {"X": [[1]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]], "gamma_1": [2]}
    >>> gradients_around(Problem.build(**keys, block={"norm": "rms", "eps": 0}, gradient={"loss": "sum"}))
    ('dR_1', 'dN_1', 'dY_1', 'dgamma_1', 'dX_A')
    """
    block = problem.block
    if block is None:
        return ()
    made = [f"d{name}" for name in block_quantities(problem) if name.partition("_")[0] in _WITH_GRADIENT]
    given = [f"d{name}" for name in BLOCK_INPUTS if name in problem.inputs]
    beside = (*(("dF_0",) if "W_F1" in problem.inputs else ()), "dX_A") if block.residual else ()
    return (*made, *given, *beside)


def check_start(problem: Problem, gradient: Gradient) -> None:
    """Refuse a backward pass that starts where its problem has no output.

    Raises:
        InputError: one sentence with the key and the remedy.
    """
    place = place_of(problem.source, "gradient")
    if problem.block is None:
        raise InputError(f"{place}: dY is the gradient at the output of a block, and there is none; give dO.")
    if gradient.dO is not None:
        raise InputError(f"{place}: with a block, dY is the gradient at its output; give it instead of dO.")
