"""Joint assignment of items to candidates, with max-marginals."""

from __future__ import annotations

from collections.abc import Sequence


def max_marginals(scores: Sequence[Sequence[float]], orders: Sequence[Sequence[Sequence[float]]]) -> list[list[float]]:
    """Return for each candidate of each item the score of the best assignment of all items that gives it to it.

    Args:
        scores: of the candidates of each item by itself, the items in the order of the text.
        orders: for each item but the first what each candidate of the one before, and its own after it, speak for.

    >>> max_marginals([[1.0, 0.0], [0.0, 0.5]], [[[2.0, 0.0], [0.0, 0.0]]])
    [[3.0, 0.5], [3.0, 1.5]]
    """
    forward = [list(found) for found in scores[:1]]
    for found, order in zip(scores[1:], orders, strict=True):
        before = forward[-1]
        pairs = [[score + row[k] for score, row in zip(before, order, strict=True)] for k in range(len(found))]
        forward.append([score + max(before) for score, before in zip(found, pairs, strict=True)])
    backward = [[0.0] * len(found) for found in scores[-1:]]
    for found, order in zip(reversed(scores[1:]), reversed(orders), strict=True):
        later = [one + other for one, other in zip(found, backward[-1], strict=True)]
        backward.append([max(score + after for score, after in zip(later, row, strict=True)) for row in order])
    return [
        [one + other for one, other in zip(first, second, strict=True)]
        for first, second in zip(forward, reversed(backward), strict=True)
    ]
