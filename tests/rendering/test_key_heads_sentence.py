"""What a key says of heads fits how the tokens lie."""

from __future__ import annotations

import pytest

from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from symattn.rendering.sections.conventions import heads_sentence


@pytest.mark.parametrize(
    ("tokens", "given", "words"),
    [
        ("rows", [[1, 2]], "its own columns of the queries, keys and values, side by side in"),
        ("columns", [[1], [2]], "its own rows of the queries, keys and values, one below the other in"),
    ],
)
def test_heads_are_cut_as_the_tokens_lie(tokens: str, given: list[list[int]], words: str) -> None:
    problem = Problem.build(Q=given, K=given, V=given, heads=2, tokens=tokens)
    assert words in heads_sentence(attention_layer(problem))
