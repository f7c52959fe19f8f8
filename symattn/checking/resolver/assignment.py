"""Joint assignment of items to candidates, with max-marginals."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.checking.resolver.evidence import Candidate, Evidence
from symattn.checking.resolver.items import Item


def max_marginals(
    items: Sequence[Item], candidates: Sequence[Sequence[Candidate]], evidence: Evidence
) -> list[list[float]]:
    """Return for each candidate of each item the score of the best assignment of all items that gives it to it.

    Args:
        items: in the order of the text.
        candidates: those of each item.
        evidence: for what the order of two items speaks for.
    """
    forward: list[list[float]] = []
    for position, found in enumerate(candidates):
        before = candidates[position - 1] if position else ()
        scores = [
            candidate.score
            + max(
                (score + evidence.after(other, candidate, items[position])
                 for score, other in zip(forward[-1], before, strict=True)),
                default=0.0,
            )
            for candidate in found
        ] if position else [candidate.score for candidate in found]  # fmt: skip
        forward.append(scores)
    backward = [[0.0] * len(found) for found in candidates]
    for position in range(len(candidates) - 2, -1, -1):
        later = list(zip(candidates[position + 1], backward[position + 1], strict=True))
        backward[position] = [
            max(
                score + candidate.score + evidence.after(earlier, candidate, items[position + 1])
                for candidate, score in later
            )
            for earlier in candidates[position]
        ]
    return [
        [one + other for one, other in zip(first, second, strict=True)]
        for first, second in zip(forward, backward, strict=True)
    ]
