"""Steps on one line with arrows between: ``q1 → scores [1, 0] → softmax [0.67, 0.33]``."""

from __future__ import annotations

import re
from dataclasses import replace

from symattn.notation import tree as t
from symattn.notation.chains import Chain

_STEP = re.compile(r"(?P<word>[A-Za-z]{3,20}(?: [A-Za-z]{3,20}){0,2})[ \t]{1,4}(?P<list>[\[(][^\[\]()]{1,200}[\])])")


def with_words_apart(chain: Chain, text: str) -> Chain:
    """Split the word before a list off as a side of its own, where arrows lead from step to step.

    >>> text = "q1 → scores [1, 0]"
    >>> chain = with_words_apart(Chain(((0, 2), (5, 18)), ("→",), ((3, 4),)), text)
    >>> [text[slice(*side)] for side in chain.sides if side is not None], chain.operators
    (['q1', 'scores', '[1, 0]'], ('→', '='))
    """
    if "→" not in chain.operators:
        return chain
    sides: list[t.Span | None] = []
    operators: list[str] = []
    spans: list[t.Span] = []
    names: set[int] = set()
    for position, side in enumerate(chain.sides):
        if position:
            operators.append(chain.operators[position - 1])
            spans.append(chain.operator_spans[position - 1])
        found = None if side is None else _STEP.fullmatch(text, *side)
        if position in chain.names or found is not None:
            names.add(len(sides))
        if found is None:
            sides.append(side)
            continue
        sides.extend((found.span("word"), found.span("list")))
        operators.append("=")
        spans.append((found.start("list"), found.start("list")))
    if len(sides) == len(chain.sides):
        return chain
    return replace(
        chain, sides=tuple(sides), operators=tuple(operators), operator_spans=tuple(spans), names=frozenset(names)
    )
