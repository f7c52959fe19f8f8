"""What a key says of heads fits how the tokens lie, and what it says of masks why."""

from __future__ import annotations

import re

import pytest

from symattn.api.solutions import solve
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from symattn.rendering.sections.conventions import heads_sentence

SQUARE = [[1, 0], [0, 1]]


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


def test_shared_keys_are_told_of_all_heads_that_share_them() -> None:
    given = {"Q": [[1, 2, 3, 4]], "K": [[1, 2]], "V": [[1, 2]]}
    titles = [
        (block.title, block.head)
        for section in solve(Problem.build(**given, heads=4, kv_heads=2)).document("every-product").sections
        for block in section.blocks
        if block.kind == "step"
    ]
    assert ("Keys", "number 2, shared by heads 3 and 4") in titles
    assert ("Queries", "head 3") in titles
    assert ("Keys", "head 3") not in titles


def test_what_a_mask_hides_is_said_to_be_hidden_by_it() -> None:
    given = [[1, 0], [0, 1], [1, 1]]
    result = solve(
        Problem.build(X=given, W_Q=SQUARE, W_K=SQUARE, W_V=SQUARE, mask="causal", parts=[{"asks": "pattern"}])
    )
    tex = result.to_latex()
    assert "Output 1 attends to input 1 alone, because the mask hides the others." in tex
    assert "Output 2 attends to inputs 1 and 2 only, because the mask hides the others" in tex
    assert "To 4 decimals output 2" not in tex


def test_an_entropy_of_exactly_0_is_written_so_and_nothing_else() -> None:
    given = [[1, 0], [0, 1], [1, 1]]
    result = solve(
        Problem.build(X=given, W_Q=SQUARE, W_K=SQUARE, W_V=SQUARE, mask="causal", parts=[{"asks": "pattern"}])
    )
    tex = result.to_latex()
    assert "$\\eta_{1} = 0$" in tex
    for wrong in (r"\eta_{1} \approx 0.0000", r"\eta_{1} = 0.0000", r"\eta_{1} = 1", r"\eta_{2} = 0"):
        (finding,) = [item for item in result.read_back(tex.replace(r"\eta_{1} = 0", wrong)) if not item.proved]
        assert "eta_" in finding.marked.source


@pytest.mark.parametrize("steps", ["end", "all"])
def test_whole_numbers_end_a_line_without_decimals_where_nothing_is_rounded_on_the_way(steps: str) -> None:
    """A causal first row has the weight 1; rounded steps, matrices and tables keep their places."""
    result = solve(
        Problem.build(
            Q=[[0], [1]], K=[[0], [2]], V=[[2, 0], [4, 1]], mask="causal", scale="none", rounding={"steps": steps}
        )
    )
    tex = result.to_latex(detail="every-product")
    of = "" if steps == "all" else " | end"
    power, weight = ("1.0000", "1.0000") if steps == "all" else ("1", "1")
    assert f"$e^{{0}} = {power}$ & % symattn: E_11{of}" in tex
    assert re.search(rf"A_\{{11\}} &= .* = {weight} (&\\qquad )?% symattn: A_11{re.escape(of)}\n", tex)
    assert r"\begin{bmatrix} 1.0000 & 0.0000 \\" in tex
    for false in ("e^{0} = 2", "e^{0} = 0", "e^{0} = 1.5"):
        changed = tex.replace(f"e^{{0}} = {power}", false, 1)
        assert [item.marked.note.partition(" ")[0] for item in result.read_back(changed) if not item.proved] == ["E_11"]


@pytest.mark.parametrize(("shown", "false"), [("1.0000", "1"), ("0.0000", "0")])
def test_a_number_that_only_rounds_to_a_whole_one_is_not_written_as_one(shown: str, false: str) -> None:
    result = solve(Problem.build(Q=[[20]], K=[[0], [2]], V=[[1], [2]], scale="none"))
    tex = result.to_latex()
    (line,) = (line for line in tex.split("\n") if line.endswith("% symattn: A | end") and "boxed" in line)
    assert shown in line
    (finding,) = result.read_back(line.replace(shown, false))
    assert not finding.proved


def test_fractions_keep_their_decimals() -> None:
    """Equal scores give weights of a half: no whole number, so that they end in decimals."""
    result = solve(Problem.build(Q=[[0]], K=[[1], [2]], V=[[1], [2]], scale="none", rounding={"places": 2}))
    tex = result.to_latex(detail="every-product")
    assert r"A_{11} &= \frac{e^{0}}{Z_{1}} = 0.50 &" in tex
    assert r"O_{11} &= 1.50 %" in tex
