"""What every group of theorems is asked: steps that are changed or robbed of a hypothesis are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.proof_replay import replay

_SWAPS = {"+": "-", "-": "+", "1": "2", "2": "3", "j": "i"}
_MOST = 3
_SAMPLE = 4

HOW_MANY = pytest.mark.parametrize(
    "whole", [pytest.param(False, id="sample"), pytest.param(True, id="whole", marks=pytest.mark.long)]
)
"""Some steps of a long proof, or all of them in the long run."""


def looked_at(proof: Proof, *, whole: bool) -> tuple[Step, ...]:
    """All steps of a proof, or about four that are spread over it."""
    return proof.steps[:: 1 if whole else max(1, len(proof.steps) // _SAMPLE)]


def is_step_proved(proof: Proof, step: Step) -> bool:
    """Whether a step in the place of the one with its id is proved, its premises before it."""
    known = {item.id: item for item in proof.steps}
    needed: dict[str, Step] = {}

    def gather(names: tuple[str, ...]) -> None:
        for name in names:
            gather(known[name].premises)
            needed[name] = known[name]

    gather(step.premises)
    outcome = replay(replace_steps(proof, (*needed.values(), step)))
    return outcome.steps[-1].proved


def replace_steps(proof: Proof, steps: tuple[Step, ...]) -> Proof:
    """The proof with other steps and no claims."""
    return Proof(proof.name, proof.title, proof.statement, proof.parameters, proof.scope, (), steps, (), proof.source)


def changed(step: Step) -> Iterator[Step]:
    """The step with one sign, number or index of its right side changed, a few of them.

    An exponential that is compared with another is left alone: it may well be below the changed one too.
    """
    found = 0
    if step.rule == "growth of exp":
        return
    for place, letter in enumerate(step.after):
        before = step.after[place - 1 : place]
        if letter not in _SWAPS or (letter == "j" and before != "_") or before == "=":
            continue
        if letter in "12" and before.isalnum():
            continue
        yield _with(step, step.after[:place] + _SWAPS[letter] + step.after[place + 1 :])
        found += 1
        if found == _MOST:
            return


def _with(step: Step, after: str) -> Step:
    return replace(step, after=after)


def robbed(step: Step) -> Iterator[Step]:
    """The step without one of its hypotheses."""
    for name in step.hypotheses:
        yield replace(step, hypotheses=tuple(other for other in step.hypotheses if other != name))
