"""Several layers as one: the input of a later block, and the steps of all blocks or sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer, is_of_gradients
from symattn.graph.derivation_replay import Step, before_text
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import GIVEN
from symattn.problem.components.stacks import input_of, with_tokens
from symattn.problem.model import Problem
from symattn.problem.settings.policy import Policy

_TOKENS = ("X", "X_1")


def following(later: Problem, before: Layer, policy: Policy) -> tuple[Problem, dict[str, q.Grid] | None]:
    """Return the problem of a later block, and its input as the steps before it rounded it, None where they did not.

    Args:
        later: the block, with zeros for its input.
        before: the worked block in front of it.
        policy: the rounding of all blocks.
    """
    made = before.scene.quantities[before.output]
    own = replace(later, inputs=with_tokens(later, made.exact), policy=policy, forms=before.problem.forms)
    return own, ({input_of(own): made.carried} if before.output in before.carried else None)


def with_gradients(problem: Problem) -> Problem:
    """Return blocks that each start their backward pass from the gradient at the input of the next one.

    Args:
        problem: the first block, with the later ones in it; without those or a backward pass it is returned as it is.
    """
    if problem.gradient is None or not problem.later:
        return problem
    blocks = [replace(problem, later=())]
    starts: list[dict[str, q.Grid] | None] = [None]
    for later in problem.later:
        layer = attention_layer(replace(blocks[-1], gradient=None, parts=()), starts[-1])
        own, start = following(later, layer, problem.policy)
        blocks.append(own)
        starts.append(start)
    gradients = [block.gradient for block in blocks]
    for place in range(len(blocks) - 1, 0, -1):
        layer = attention_layer(replace(blocks[place], gradient=gradients[place]), starts[place])
        name, before = f"d{input_of(blocks[place])}", gradients[place - 1]
        rounded = layer.scene.quantities[name].carried if name in layer.carried else None
        if before is not None:
            gradients[place - 1] = replace(before, dY=layer.exact(name), rounded=rounded)
    pairs = zip(problem.later, gradients[1:], strict=True)
    return replace(problem, gradient=gradients[0], later=tuple(replace(block, gradient=own) for block, own in pairs))


def joint_steps(each: Sequence[Sequence[Step]], outputs: Sequence[str] = ()) -> Iterator[Step]:
    """Yield the steps of several layers, each id with the number of its layer before it.

    Args:
        each: the steps of each layer.
        outputs: of blocks, the name of what each makes; the next one starts from it, and the backward pass of the one
            before from the gradient at its input. Sequences have none.
    """
    found = [(number, step) for number, steps in enumerate(each, 1) for step in steps]
    if outputs:
        forward = [(number, step) for number, step in found if not _is_backward(step)]
        # The last block goes back first; a sort keeps the order of the steps of each.
        found = [*forward, *sorted((item for item in found if _is_backward(item[1])), key=lambda item: -item[0])]
    for number, step in found:
        yield _joined(step, number, _source(step, number, each, outputs))


def _is_backward(step: Step) -> bool:
    return is_of_gradients(step.id.removesuffix("~"))


def _source(step: Step, number: int, each: Sequence[Sequence[Step]], outputs: Sequence[str]) -> str:
    """Return the quantity of another block that a step takes over, empty where it takes none."""
    name = step.id.removesuffix("~")
    if step.rule == GIVEN and name in _TOKENS and 1 < number <= len(outputs):
        return f"{number - 1}.{outputs[number - 2]}"
    if step.rule == GIVEN and number < len(outputs) and name == f"d{outputs[number - 1]}":
        tokens = next(other.id for other in each[number] if other.id in _TOKENS)
        return f"{number + 1}.d{tokens}"
    return ""


def _joined(step: Step, number: int, source: str) -> Step:
    """Return a step with the number of its layer; what is taken over from another is the mean of one."""
    rule, arguments = ("mean", ()) if source else (step.rule, step.arguments)
    premises = tuple(f"{number}.{name}" for name in step.premises)
    if source:
        premises = (f"{source}~" if step.id.endswith("~") else source,)
    name = f"{number}.{step.id}"
    before = before_text(name, rule, premises)
    return replace(step, id=name, rule=rule, premises=premises, arguments=arguments, before=before)
