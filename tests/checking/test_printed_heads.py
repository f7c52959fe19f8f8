"""Arrays of three dimensions, a matrix for each head, with a name, below words, or with nothing but their numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import symattn as sa
from symattn.checking.check import check_text
from symattn.problem.model import Problem

EYE = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
HEADS: dict[str, Any] = {"inputs": {"X": [[1, 0, 1, 0], [0, 1, 0, 2]], "W_Q": EYE, "W_K": EYE, "W_V": EYE}, "heads": 2}
WEIGHTS = (("0.6698", "0.3302", "0.3302", "0.6698"), ("0.6698", "0.3302", "0.0558", "0.9442"))
OUTPUTS = (("0.6698", "0.3302", "0.3302", "0.6698"), ("0.6698", "0.6605", "0.0558", "1.8884"))


def numpy(heads: tuple[tuple[str, ...], ...]) -> str:
    return "[" + "\n\n ".join("[[{} {}]\n  [{} {}]]".format(*head) for head in heads) + "]"


def torch(heads: tuple[tuple[str, ...], ...]) -> str:
    body = ",\n\n        ".join("[[{}, {}],\n         [{}, {}]]".format(*head) for head in heads)
    return f"tensor([{body}])"


def spoilt(heads: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return (heads[0], (*heads[1][:3], "0.4242"))


def found(text: str, form: Any = "txt") -> list[tuple[str | None, str]]:
    report = check_text(Problem.build(**HEADS), text + "\n", form)
    return [(finding.name, finding.verdict) for finding in report.findings if finding.verdict != "unchecked"]


PLACES = {
    "a name": "attn =\n{}",
    "a console": ">>> attn\n{}",
    "words": "Attention weights:\n\n{}",
    "nothing": "{}",
}


@pytest.mark.parametrize("printed", [numpy, torch])
@pytest.mark.parametrize("place", PLACES)
def test_weights(printed: Any, place: str) -> None:
    assert found(PLACES[place].format(printed(WEIGHTS))) == [("A^1", "rounded"), ("A^2", "rounded")]
    assert found(PLACES[place].format(printed(spoilt(WEIGHTS)))) == [("A^1", "rounded"), ("A^2", "wrong")]


@pytest.mark.parametrize("printed", [numpy, torch])
def test_outputs_of_heads(printed: Any) -> None:
    text = "Weights:\n\n```\n{}\n```\n\nOutputs of the heads:\n\n```\n{}\n```"
    judged = found(text.format(printed(WEIGHTS), printed(spoilt(OUTPUTS))), "md")
    assert judged == [("A^1", "rounded"), ("A^2", "rounded"), ("H^1", "rounded"), ("H^2", "wrong")]


def test_a_batch_of_one() -> None:
    text = torch(WEIGHTS).replace("tensor([", "tensor([[").replace("])", "]])")
    assert found(text) == [("A^1", "rounded"), ("A^2", "rounded")]


def test_numbers_that_nothing_has_are_not_judged() -> None:
    strange = (("5.1", "6.2", "7.3", "8.4"), ("1.5", "2.6", "3.7", "4.8"))
    assert "wrong" not in [word for _, word in found(numpy(strange))]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("heads", "of_keys"), [(2, 1), (3, 1), (3, 3)])
def test_a_number_above_a_name_is_that_of_a_head_below_the_heading_of_another(heads: int, of_keys: int) -> None:
    def cycle(columns: int, step: int) -> list[list[int]]:
        return [[(i + step * j) % 3 - (i == j) for j in range(columns)] for i in range(3)]

    asked = sa.Problem.build(
        inputs={
            "X": [[1, 0, 2], [2, 1, 0]],
            **{
                name: cycle(2 * n, k)
                for k, (name, n) in enumerate({"W_Q": heads, "W_K": of_keys, "W_V": of_keys}.items())
            },
        },
        heads=heads,
        kv_heads=of_keys,
        gradient={"dO": [[1, 0] * heads, [0, 1] * heads]},
        rounding={"places": 2},
    )
    tex = re.sub("% symattn.*", "", sa.solve(asked).to_latex("exam"))
    found = [item.text for item in sa.check(asked, tex, "tex").findings if item.verdict in {"wrong", "follows"}]
    assert not found


@pytest.mark.parametrize("letter", ["q", "Q"])
def test_numbers_above_names_stay_those_of_rows_where_the_work_has_rows(letter: str) -> None:
    text = rf"\section{{Head 1}} ${letter}^{{(2)}} = (0, 1)$, $S^{{(2)}} = {letter}^{{(2)}} K^T$"
    found = sa.check(sa.Problem.build(**HEADS), text, "tex").findings
    assert [(item.name, item.verdict) for item in found if item.name] == [
        ("Q^1[2,:]", "right"),
        ("S^1[2,:]", "right"),
    ]
