"""Inputs of a later block of a stack, taken from the output of the block before it."""

from __future__ import annotations

from dataclasses import replace

from symattn.graph.builders.layer import Layer
from symattn.graph.quantities import quantity as q
from symattn.problem.components.stacks import with_tokens
from symattn.problem.model import Problem
from symattn.problem.settings.policy import Policy


def input_of(problem: Problem) -> str:
    """Return the name of the tokens that go into a block: ``X``, and beside a memory ``X_1``."""
    return "X" if problem.kind == "self" else "X_1"


def following(later: Problem, before: Layer, policy: Policy) -> tuple[Problem, dict[str, q.Grid] | None]:
    """Return the problem of a later block, and its input as the steps before it rounded it, None where they did not.

    Args:
        later: the block, with zeros for its input.
        before: the worked block in front of it.
        policy: the rounding of all blocks.
    """
    made = before.scene.quantities[before.output]
    own = replace(later, inputs=with_tokens(later, made.exact), policy=policy)
    return own, ({input_of(own): made.carried} if before.output in before.carried else None)
