"""The backward pass of a key: read back strictly, and no changed number in it passes."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from symattn.api.solutions import Result, solve
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import compile_tex, engines
from tests.attention.gradient_cases import drawn, problem_of
from tests.rendering.keys import example_key
from tests.rendering.mutations import draw
from tests.rendering.page_measures import DETAILS, SHEETS
from tests.rendering.test_mutations import is_found
from tests.tex_logs import log_problems

POLICIES = ("", "steps=end,places=4", "steps=matrices,places=3", "figures=3")
DRAWN = ("", "steps=all,places=2", "steps=matrices,places=3", "steps=weights,places=2", "steps=all,figures=3")


def with_policy(seed: int) -> Result:
    problem, policy = problem_of(drawn(seed)), DRAWN[seed % len(DRAWN)]
    if policy:
        problem = replace(problem, policy=problem.policy.with_overrides(policy))
    return solve(problem)


def _read_back(seed: int) -> None:
    result = with_policy(seed)
    tex = result.to_latex()
    assert "Gradient at the outputs" in tex
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == [], f"seed {seed}"


@pytest.mark.parametrize("seed", [0, 3])
def test_keys_of_drawn_layers_are_read_back(seed: int) -> None:
    _read_back(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_keys_of_many_drawn_layers_are_read_back(seed: int) -> None:
    _read_back(seed)


TOKENS: dict[str, Any] = {"X": [[1, 0], [2, 1]], **{f"W_{letter}": [[1, 0], [1, 1]] for letter in "QKV"}}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"cache": {"K": [[1, 2]], "V": [[0, 1]]}}, "Cached keys and values are constants"),
        ({"online": 1}, "Through the softmax"),
        ({"block": {"norm": "none"}, "positions": {"kind": "sinusoidal"}}, "what comes back through attention"),
    ],
)
def test_keys_of_layers_with_more_to_them_are_read_back(keys: dict[str, Any], words: str) -> None:
    start = "dY" if "block" in keys else "dO"
    result = solve(Problem.build(**TOKENS, **keys, gradient={start: [[1, 0], [0, 1]]}, rounding={"places": 3}))
    tex = result.to_latex()
    assert words in tex
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    assert result.derivation.is_proved


def test_keys_of_heads_that_share_keys_put_in_no_sum_of_products() -> None:
    """The keys get a sum of products times the scale, whose matrices would be too wide for a line."""
    square = [[int(i == j) for j in range(4)] for i in range(4)]
    given = {"X": [[1, 0, 0, 2], [2, 1, 1, 0]], "W_Q": square, "W_K": [row[:2] for row in square], "W_V": [[1, 0]] * 4}
    policy = {"places": 2, "steps": "all"}
    result = solve(Problem.build(**given, heads=2, kv_heads=1, gradient={"loss": "sum"}, rounding=policy))
    assert [finding.reasons for finding in result.read_back(result.to_latex()) if not finding.proved] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["backward", "gradient_german", "two_blocks_backward"])
def test_products_rounded_at_the_end_show_the_numbers_of_their_factors(name: str) -> None:
    """Names alone leave the reader to look up every factor; sums of products of matrices are too wide for more."""
    result = solve(Problem.load(SHEETS / f"{name}.toml"))
    statements = [item for item in result.document("full").ledger.statements if item.valuation == "end"]
    gradients = [item for item in statements if item.note.startswith(("d", "O |"))]
    products = [item for item in gradients if isinstance(item.sides[1], t.Product)]
    assert len({item.note for item in products}) >= 9
    for item in products:
        leaves = [node for node in walk(item.sides[-2]) if not t.children(node)]
        assert all(isinstance(node, t.Number) for node in leaves), item.note
    assert result.to_latex().count(result.problem.words.say("policy.unrounded")) == 1


def test_the_first_head_shows_how_entries_are_worked_out() -> None:
    result = solve(Problem.load(SHEETS / "gradient_german.toml"))
    entry = re.compile(r"d[A-Z]+_\d+\^\(\((\d)\)\)")
    notes = {detail: [item.note for item in result.document(detail).ledger.statements] for detail in DETAILS}
    heads = {detail: {found[1] for note in notes[detail] if (found := entry.match(note))} for detail in DETAILS}
    assert heads == {"brief": set(), "full": {"1"}, "every-product": {"1", "2"}}
    assert any(note.startswith("dQ^((2))") for note in notes["full"])


def _hunt(policy: str, count: int, seed: int) -> None:
    """Changes one number after the other in what the key says of gradients."""
    key, random = example_key("causal_backward", policy, "full", "article"), Random(seed)
    start = next(at for at, line in enumerate(key.tex.split("\n"), 1) if "Gradient at the outputs" in line)
    found = 0
    while found < count:
        mutation = draw(key.tex, random)
        if mutation.line < start:
            continue
        line = mutation.apply(key.tex).split("\n")[mutation.line - 1]
        assert is_found(mutation, key.result.read_back(mutation.apply(key.tex))), line
        found += 1


@pytest.mark.parametrize("policy", POLICIES[1:2])
def test_mutations_are_found(policy: str) -> None:
    _hunt(policy, 2, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES)
def test_many_mutations_are_found(policy: str) -> None:
    _hunt(policy, 100, seed=2)


NO_DEFINITIONS = [
    (
        r"\textbf{dQ} = c \cdot \textbf{dS} \cdot \mathbf{K}",
        r"\textbf{dQ} = c \cdot \textbf{dS}^{\top} \cdot \mathbf{K}",
    ),
    (
        r"\textbf{dK} = c \cdot \textbf{dS}^{\top} \cdot \mathbf{Q}",
        r"\textbf{dK} = c \cdot \mathbf{Q}^{\top} \cdot \textbf{dS}",
    ),
    (r"A_{i,j}(\mathrm{dA}_{i,j} - D_{i})", r"A_{i,j}(\mathrm{dA}_{i,j} - D_{j})"),
    (r"\textbf{dV} = \mathbf{A}^{\top} \cdot \textbf{dO}", r"\textbf{dV} = \mathbf{A} \cdot \textbf{dO}"),
]


def test_formulas_that_are_none_are_refused() -> None:
    key = example_key("causal_backward", "", "full", "article")
    tex = key.tex
    for before, after in NO_DEFINITIONS:
        assert tex.count(before) == 1
        tex = tex.replace(before, after)
    refused = [item for item in key.result.read_back(tex) if not item.proved]
    assert len(refused) == len(NO_DEFINITIONS)


PUBLISHED = (
    {
        "Q": [[1, 0], [0, 1]],
        "K": [[1, 1], [1, 0], [0, 1]],
        "V": [[1, 0], [0, 1], [1, 1]],
        "gradient": {"dO": [[1, 0], [0, 1]]},
    },
    {
        "Q": [[0, 1], [3, 4]],
        "K": [[6, 9], [7, 10]],
        "V": [[6, 7], [9, 10]],
        "scale": "none",
        "gradient": {"loss": "sum"},
    },
)
"""A pass that a textbook works by hand, and one that a library tests itself with."""


@pytest.mark.parametrize("tables", PUBLISHED, ids=("textbook", "library"))
def test_keys_of_published_passes_are_read_back(tables: dict[str, Any]) -> None:
    result = solve(Problem.build(**tables, rounding={"places": 3, "steps": "all"}))
    tex = result.to_latex()
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    assert re.search(r"\\textbf\{dQ\} .*\\boxed", tex)


def test_symbols_keep_gradients_in_names() -> None:
    problem = Problem.build(
        Q=[[1, 0]],
        K=[[1, 0], [0, 1]],
        V=[[1], [2]],
        beta="beta",
        symbols={"beta": "positive"},
        gradient={"loss": "sum"},
    )
    result = solve(problem)
    tex = result.to_latex()
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    assert r"\textbf{dQ} = \beta \cdot \textbf{dS} \cdot \mathbf{K}" in tex


@pytest.mark.long
def test_the_key_of_four_tokens_that_all_see_each_other_is_proved() -> None:
    """Sums over all of them have hundreds of terms under the bar."""
    problem = Problem.build(
        X=[[-1, 2, 0], [1, 0, 3], [2, -2, 1], [0, 1, -1]],
        W_Q=[[1, 0], [2, -1], [0, 1]],
        W_K=[[0, 1], [-1, 1], [2, 0]],
        W_V=[[1, 1], [0, 2], [-1, 0]],
        gradient={"loss": "sum"},
    )
    result = solve(problem)
    assert [finding.reasons for finding in result.read_back(result.to_latex()) if not finding.proved] == []


def test_a_part_asks_for_one_gradient() -> None:
    keys = {"parts": [{"asks": "gradient:dS"}], "gradient": {"loss": "sum"}}
    tex = solve(Problem.build(Q=[[1]], K=[[0], [1]], V=[[1], [3]], **keys)).to_latex()
    assert r"\textbf{dS} \approx" in tex
    assert "dQ" not in tex


@pytest.mark.long
@pytest.mark.tex
@pytest.mark.parametrize("seed", range(8))
def test_keys_compile_without_a_warning(seed: int) -> None:
    assert log_problems(compile_tex(with_policy(seed).to_latex(), engine=engines()[0].name).log) == []
