"""Keys of a cross-entropy and of gradients through a soft cap: read back strictly, no changed number passes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from symattn.api.solutions import Result, solve
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem
from tests.attention.differences import measured
from tests.rendering.independent import same_entries
from tests.rendering.mutations import draw
from tests.rendering.test_key_gradients import DRAWN
from tests.rendering.test_mutations import is_found

KINDS = ("cross-entropy", "softcap", "both")
LAYER = {"X": [[1, 0], [2, 1]], "W_Q": [[1, 0], [1, 1]], "W_K": [[1, 2], [0, 1]], "W_V": [[1, 1], [0, 2]]}


@cache
def solved(kind: str, steps: str = "all") -> Result:
    keys = {} if kind == "cross-entropy" else {"softcap": 2}
    gradient: dict[str, object] = {"loss": "cross-entropy", "labels": [2, 1]}
    if kind == "softcap":
        gradient = {"loss": "squared", "target": [[1, 0], [0, 1]]}
    return solve(Problem.build(**LAYER, **keys, gradient=gradient, rounding={"places": 3, "steps": steps}))


@cache
def tex_of(kind: str, steps: str = "all") -> str:
    return solved(kind, steps).to_latex()


@pytest.mark.parametrize(("kind", "steps"), [("both", "end"), ("softcap", "all")])
def test_keys_are_read_back(kind: str, steps: str) -> None:
    tex = tex_of(kind, steps)
    assert "L = " in tex or "L &= " in tex
    found = solved(kind, steps).read_back(tex)
    assert [finding.reasons for finding in found if not finding.proved] == []


def _read_back(seed: int) -> None:
    problem, policy = measured(seed, KINDS[seed % 3]).problem(), DRAWN[seed % len(DRAWN)]
    if policy:
        problem = replace(problem, policy=problem.policy.with_overrides(policy))
    result = solve(problem)
    assert [finding.reasons for finding in result.read_back(result.to_latex()) if not finding.proved] == []


def test_the_key_of_a_drawn_layer_is_read_back() -> None:
    _read_back(18)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_keys_of_many_drawn_layers_are_read_back(seed: int) -> None:
    _read_back(seed)


def _hunt(kind: str, steps: str, count: int, seed: int) -> None:
    tex, result, random = tex_of(kind, steps), solved(kind, steps), Random(seed)
    start = next(at for at, line in enumerate(tex.split("\n"), 1) if "The loss" in line)
    found = 0
    while found < count:
        mutation = draw(tex, random)
        if mutation.line < start:
            continue
        line = mutation.apply(tex).split("\n")[mutation.line - 1]
        is_refused = is_found(mutation, result.read_back(mutation.apply(tex)))
        assert is_refused or same_entries(mutation, tex, result.problem), line
        found += is_refused


@pytest.mark.parametrize("kind", KINDS[:2])
def test_mutations_are_found(kind: str) -> None:
    _hunt(kind, "all", 2, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("steps", ["all", "end"])
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutations_are_found(kind: str, steps: str) -> None:
    _hunt(kind, steps, 60, seed=2)


def test_formulas_that_are_none_are_refused() -> None:
    tex = tex_of("both", "end")
    changes = [
        (r"L = -\ln(\Pi_{12}) - \ln(\Pi_{21})", r"L = -\ln(\Pi_{11}) - \ln(\Pi_{21})"),
        (r"\textbf{dO} = \boldsymbol{\Pi} - \mathbf{T}", r"\textbf{dO} = \mathbf{T} - \boldsymbol{\Pi}"),
        (r"\Pi_{11} &= \frac{e^{O_{11}}}{", r"\Pi_{11} &= \frac{e^{O_{12}}}{"),
    ]
    for before, after in changes:
        assert tex.count(before) == 1, before
        tex = tex.replace(before, after)
    assert len([item for item in solved("both", "end").read_back(tex) if not item.proved]) == len(changes)


SQUARES = r"(O_{11} - T_{11})^{2} + (O_{12} - T_{12})^{2} + (O_{21} - T_{21})^{2} + \cdots + (O_{32} - T_{32})^{2}"
LOGARITHMS = r"-\ln(\Pi_{11}) - \ln(\Pi_{22}) - \ln(\Pi_{31}) - \cdots - \ln(\Pi_{51})"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("gradient", "rows", "terms", "wrong"),
    [
        ({"loss": "sum"}, [[1, 2, 3], [0, 1, 1]], r"O_{11} + O_{12} + O_{13} + \cdots + O_{23}", r"\cdots - O_{23}"),
        ({"loss": "squared", "target": [[1, 0]] * 3}, [[1, 0]] * 3, SQUARES, r"\cdots + (O_{31} - T_{31})^{2}"),
        ({"loss": "cross-entropy", "labels": [1, 2, 1, 2, 1]}, [[1, 0]] * 5, LOGARITHMS, r"\cdots + \ln(\Pi_{51})"),
    ],
)
def test_a_loss_of_many_terms_shows_the_first_and_the_last(
    gradient: dict[str, object], rows: list[list[int]], terms: str, wrong: str
) -> None:
    """A loss shown by its value alone leaves its rule to be guessed."""
    layer = {"Q": [[1]] * len(rows), "K": [[at] for at in range(len(rows))], "V": rows}
    result = solve(Problem.build(**layer, gradient=gradient, rounding={"places": 3}))
    tex = result.to_latex()
    (line,) = (line for line in tex.split("\n") if line.endswith("% symattn: L | end"))
    assert terms in line
    _, form, numbers, value = next(
        item.sides for item in result.document("full").ledger.statements if item.note == "L | end"
    )
    assert {type(node) for node in walk(numbers)} - {type(node) for node in walk(form)} <= {t.Number, t.Negative}
    assert not any(isinstance(node, t.Subscript) for node in walk(numbers)), value
    right = r"\cdots" + terms.rpartition(r"\cdots")[2]
    (finding,) = result.read_back(line.replace(right, wrong))
    assert not finding.proved


def test_keys_say_which_numbers_have_no_closed_form() -> None:
    words = "have no closed form; the digits of the loss"
    assert words in tex_of("cross-entropy")
    plain = solve(Problem.build(Q=[[1]], K=[[2]], V=[[1, 2]], gradient={"loss": "cross-entropy", "labels": [1]}))
    assert words not in plain.to_latex()
    assert plain.as_json()["quantities"]["P_O"]["exact"][0][0] == "exp(1)/(exp(1) + exp(2))"  # type: ignore[index]
    assert solved("cross-entropy").as_json()["quantities"]["dQ"]["exact"] == [[None] * 2] * 2  # type: ignore[index]
