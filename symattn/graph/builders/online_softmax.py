"""Builder of the softmax of a layer worked block by block.

They stay exact whatever the policy of rounding is: the block by block way is a way to the same output.
"""

from __future__ import annotations

from symattn.errors import InputError
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.quantities import quantity as q
from symattn.problem.model import Problem
from symattn.problem.values.checks import place_of


def blocks_of(problem: Problem) -> list[tuple[int, int]]:
    """Return the first and the last key of each block, counted from 1.

    >>> from symattn.problem.model import Problem
    >>> blocks_of(Problem.build(Q=[[1]], K=[[1], [2], [3]], V=[[1], [2], [3]], online=2))
    [(1, 2), (3, 3)]
    """
    starts = range(1, problem.n_k + 1, problem.online)
    return [(start, min(start + problem.online - 1, problem.n_k)) for start in starts]


def letters_of(problem: Problem) -> tuple[str, str, str]:
    """Return the names of the running maximum, sum and output; where all maxima are subtracted, these have the name m.

    >>> from symattn.problem.model import Problem
    >>> letters_of(Problem.build(Q=[[1]], K=[[1]], V=[[1]], online=1))
    ('m', 'l', 'o')
    """
    return ("g" if problem.policy.shift else "m", "l", "o")


def add_online(build: LayerBuilder, scores: str, values: str, output: str, head: int = 0) -> None:
    """Add the running maximum, sum and output of a head, 0 for none, after each block.

    Raises:
        InputError: a symbol leaves the maximum open, or a query sees no key of the first block.
    """
    problem, axis = build.problem, build.axis
    place = place_of(problem.source, "online")
    if build.quantities[scores].exact.symbols:
        symbols = ", ".join(sorted(build.quantities[scores].exact.symbols))
        raise InputError(f"{place}: the largest score depends on {symbols}: give each a value under [symbols].")
    side: q.Axis = "rows" if problem.tokens == "rows" else "columns"
    blocks, letters, own = blocks_of(problem), letters_of(problem), f"^{head}" if head else ""
    for number, (start, stop) in enumerate(blocks, 1):
        m, l, o = (f"{letter}@{number}{own}" for letter in letters)
        before = tuple(f"{letter}@{number - 1}{own}" if number > 1 else "" for letter in letters)
        last = number == len(blocks)
        maximum = q.RunningMaximum(scores, before[0], axis, start, stop)
        total = q.RunningSum(scores, m, before[1], before[0], axis, start, stop)
        result = (output, l) if last else ("", "")
        weighted = q.RunningOutput(scores, values, m, before[2], before[0], axis, side, start, stop, *result)
        try:
            build.exactly(m, maximum, vector=True)
        except InputError as error:
            raise InputError(f"{place}: {error}") from error
        build.exactly(l, total, vector=True)
        build.exactly(o, weighted)
