"""Several layers as one: the input of a later block, and the steps of all blocks or sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symattn.graph.builders.layer import Layer
from symattn.graph.quantities import quantity as q
from symattn.graph.replay import GIVEN, Step, before_text
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


def joint_steps(each: Sequence[Sequence[Step]], outputs: Sequence[str] = ()) -> Iterator[Step]:
    """Yield the steps of several layers, each id with the number of its layer before it.

    Args:
        each: the steps of each layer.
        outputs: of blocks, the name of what each makes; the next one starts from it. Sequences have none.
    """
    for number, steps in enumerate(each, 1):
        for step in steps:
            rule, arguments = step.rule, step.arguments
            premises = tuple(f"{number}.{name}" for name in step.premises)
            source, is_carried = step.id.removesuffix("~"), step.id.endswith("~")
            if outputs and number > 1 and source in {"X", "X_1"} and rule == GIVEN:
                # What goes in is what came out: the mean of one.
                rule, arguments = "mean", ()
                premises = (f"{number - 1}.{outputs[number - 2]}{'~' * is_carried}",)
            name = f"{number}.{step.id}"
            before = before_text(name, rule, premises)
            yield replace(step, id=name, rule=rule, premises=premises, arguments=arguments, before=before)
