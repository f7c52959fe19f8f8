"""Judgement of a key before it is printed: statements as they were built, and claims about weights."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.errors import InputError
from symattn.graph.key_judge.claims import Claim, Weights, prove_claim
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities.scene import Scene
from symattn.graph.quantities.statement import Statement


def claim_fault(claim: Claim, weights: Mapping[int, Weights]) -> str:
    """Return the reason why a claim is not proved of the weights of its head, or nothing."""
    own = weights.get(claim.head)
    if own is None:
        return "the order of the weights is open while a symbol is free"
    try:
        return "" if prove_claim(claim, own) else f"the claim {claim.note!r} does not hold"
    except InputError as error:
        return str(error)


def unproved(
    statements: list[Statement], claims: list[Claim], scene: Scene, weights: Mapping[int, Weights]
) -> list[str]:
    """Return the statements and claims that the judge does not prove, each with the reason."""
    found: list[str] = []
    for statement in statements:
        judgement = judge(statement, scene)
        found.extend(f"{statement.note}: {fault.reason}" for fault in judgement.faults)
    for claim in claims:
        reason = claim_fault(claim, weights)
        if reason:
            found.append(reason)
    return found
