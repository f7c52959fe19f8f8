"""Builder of the softmax of a layer worked block by block.

They stay exact whatever the policy of rounding is: the block by block way is a way to the same output.
"""

from __future__ import annotations

from dataclasses import replace

from symattn.errors import InputError
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import define
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
        before_m, before_l, before_o = (f"{letter}@{number - 1}{own}" if number > 1 else "" for letter in letters)
        keys = {"start": start, "stop": stop}
        try:
            build.exactly(m, define("running-maximum", scores, before_m, axis=axis, **keys), vector=True)
        except InputError as error:
            raise InputError(f"{place}: {error}") from error
        build.exactly(l, define("running-sum", scores, m, before_l, before_m, axis=axis, **keys), vector=True)
        premises = (scores, values, m, before_o, before_m)
        build.exactly(o, define("running-output", *premises, axis=axis, side=side, **keys))
    build.quantities[output] = replace(build.quantities[output], by_blocks=(o, l))
