"""Keys of layers some or all of whose queries see no key: nothing fails, no heading stays bare, what lacks is said."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from symattn.api.solutions import Result, solve
from symattn.problem.model import Problem
from symattn.rendering.sections.document import Document, render, typeset

QUERIES = [[1, 0, 1, 2], [0, 1, 2, 1]]
KEYS = [[1, 0, 1, 1], [0, 2, 1, 0], [1, 1, 0, 1]]
VALUES = [[1, 2, 3, 4], [3, 4, 5, 6], [0, 1, 0, 1]]
GIVEN: dict[str, Any] = {"Q": QUERIES, "K": KEYS, "V": VALUES}
FOUR = [[int(i == j) for j in range(4)] for i in range(4)]
MASKS: dict[str, Any] = {
    "all": {"drop": [1, 1, 1]},
    "no length": {"length": 0},
    "one query": {"keep": [[1, 1, 0], [0, 0, 0]]},
    "all, added": {"add": ["-inf", "-inf", "-inf"]},
}
LAYERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "projected": {"W_O": FOUR},
    "heads": {"heads": 2},
    "heads, projected": {"heads": 2, "W_O": FOUR},
    "mean of heads": {"heads": 2, "combine": "mean"},
    "batch": {"Q": [QUERIES, QUERIES], "K": [KEYS, KEYS], "V": [VALUES, VALUES]},
}
RULES = ("undefined", "zeros", "uniform")


def keys() -> list[tuple[str, str, str, bool]]:
    """Every mask in every layer, each under one rule and with or without the extra 1, all of which occur."""
    pairs = list(product(LAYERS, MASKS))
    return [(layer, mask, RULES[n % 3], n % 2 == 1) for n, (layer, mask) in enumerate(pairs)]


def result(layer: str, mask: Any, **further: Any) -> Result:
    return solve(Problem.build(**{**GIVEN, "scale": "none", **LAYERS[layer], "mask": mask, **further}))


def bare_headings(document: Document) -> list[str]:
    """The steps with nothing below them."""
    found = []
    for section in document.sections:
        blocks = [block for block in typeset(section.blocks) if block.kind == "step" or any(block.lines)]
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            if block.kind == "step" and (after is None or after.kind == "step"):
                found.append(block.title)
    return found


@pytest.mark.sample(8)
@pytest.mark.parametrize(("layer", "mask", "rule", "has_one"), keys())
def test_a_key_with_queries_that_see_nothing_is_whole(layer: str, mask: str, rule: str, has_one: bool) -> None:
    found = result(layer, MASKS[mask], fully_masked=rule, softmax_one=has_one)
    document = found.document()
    tex = render(document, "article")
    assert [item.reasons for item in found.read_back(tex) if not item.proved] == []
    assert found.as_json()["format"] == 1
    assert bare_headings(document) == []
    assert re.search(r"\\item\s*\\(item|end)\b", tex) is None
    assert "leave out the middle" not in tex, "nothing of these small matrices is left out"


@pytest.mark.parametrize("layer", [name for name in LAYERS if name != "batch"])
@pytest.mark.parametrize(("detail", "tokens"), [("brief", ()), ("full", (2,)), ("every-product", ())])
def test_undefined_outputs_are_named(layer: str, detail: Any, tokens: tuple[int, ...]) -> None:
    asked = [{"asks": ["map", "outputs", "pattern"], **({"tokens": list(tokens)} if tokens else {})}]
    found = result(layer, MASKS["one query"], parts=asked)
    document = found.document(detail)
    assert bare_headings(document) == []
    text = "\n".join(
        str(line) for section in document.sections for block in typeset(section.blocks) for line in block.lines
    )
    last = text[text.rindex("O_{2") :] if "O_{2" in text else text
    assert "not defined" in last or "are not defined" in text
    assert "Query 2 sees no key: the sum is 0, and the weights are not defined." in text
    assert "Output 2 has no weights, because the mask hides every input from it." in text


@pytest.mark.parametrize(
    ("rule", "has_one", "said"),
    [
        ("undefined", False, "the sum is 0, and the weights are not defined"),
        ("undefined", True, "the sum is the extra 1 alone, and the weights are 0"),
        ("zeros", False, "the weights are 0"),
        ("zeros", True, "the weights are 0"),
        ("uniform", False, "every weight is $1/3$"),
        ("uniform", True, "every weight is $1/3$"),
    ],
)
@pytest.mark.parametrize("detail", ["brief", "full"])
def test_the_key_says_what_the_weights_are_and_why(rule: str, has_one: bool, said: str, detail: Any) -> None:
    found = result("plain", MASKS["one query"], fully_masked=rule, softmax_one=has_one)
    assert said in found.to_latex(detail=detail)
    text = next(item.text for item in found.warnings if item.code == "fully-masked")
    is_undefined = str(found.A[1, 0]) == "-"
    assert ("undefined" in text) == is_undefined


def test_own_positions_are_told_of_the_queries_that_have_weights() -> None:
    found = solve(Problem.build(X=FOUR[:3], W_Q=FOUR, W_K=FOUR, W_V=FOUR, mask={"keep": [[0] * 3, [1] * 3, [1] * 3]}))
    tex = found.to_latex()
    own = tex[tex.index("The weights at the own positions") :].split("\\item")[0]
    assert re.findall(r"A_\{(\d\d)\}", own) == ["22", "33"]


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ([1, 1], ["The weights of outputs 1 and 2 are exactly the same."]),
        ([1, 1, 1], ["The weights of outputs 1 and 2 and of outputs 1 and 3 are exactly the same."]),
        ([1, 2, 1], ["The weights of outputs 1 and 3 are exactly the same."]),
        (
            [1, 2, 1, 2, 1],
            [
                "The weights of outputs 1 and 3, of outputs 1 and 5, and of outputs 2 and 4 are exactly the same.",
            ],
        ),
        (
            [50, 60, 50],
            [
                "The weights of outputs 1 and 3 are exactly the same.",
                "To 4 decimals the weights of outputs 1 and 2 are the same.",
            ],
        ),
    ],
)
def test_outputs_with_the_same_weights_are_told_once(queries: list[int], said: list[str]) -> None:
    found = solve(Problem.build(Q=[[query] for query in queries], K=[[1], [0]], V=[[1], [2]], scale="none"))
    tex = found.to_latex()
    text = " ".join(line.partition(" % ")[0] for line in tex.split("\n"))
    assert text.lower().count("the weights of outputs") == len(said)
    assert all(sentence in text for sentence in said)
    assert all(item.proved for item in found.read_back(tex))
