"""Names of the sheet's own: shown where they were declared, and never mistaken for something else."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.solutions import solve
from symattn.errors import InputError
from symattn.graph.builders.names import namings
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.problem.model import Problem

I2 = [[1, 0], [0, 1]]
EVERYTHING = ["projections", "scores", "map", "outputs", "diagram", "pattern", "shapes", "entry", "row"]
SHEETS: dict[str, dict[str, Any]] = {
    "rows": {"scale": "none", "rounding": {"steps": "all", "places": 2}},
    "shifted": {"rounding": {"shift": True, "places": 3}},
    "beta": {"beta": "b", "symbols": {"b": "1/2"}, "projection": "W^T x"},
    "columns": {"tokens": "columns", "scale": "1/2", "rounding": {"steps": "matrices", "places": 1}},
}


def problem(names: dict[str, str], sheet: str = "rows") -> Problem:
    keys = SHEETS[sheet]
    tokens = [[1, 2], [0, 1], [1, 1]]
    inputs = {"X": tokens, "W_Q": I2, "W_K": I2, "W_V": [[1], [2]]}
    if keys.get("tokens") == "columns":
        inputs = {"X": [list(row) for row in zip(*tokens, strict=True)], "W_Q": I2, "W_K": I2, "W_V": [[1, 2]]}
    return Problem.build(**inputs, names=names, parts=[{"asks": EVERYTHING}], **keys)


def written(names: dict[str, str], sheet: str = "shifted") -> dict[str, tuple[str, str, str]]:
    """Symbol, entry and line of each quantity, as plain text."""
    return {
        name: (
            write_plain(naming.symbol),
            write_plain(naming.entry),
            "" if naming.line is None else write_plain(naming.line),
        )
        for name, naming in namings(problem(names, sheet)).items()
    }


CHOSEN = ("S_scaled", "E", "Z")
"""Quantities for which a key chooses a free letter."""


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({}, {"X": ("X", "X", "x"), "S": ("S", "S", ""), "E": ("E", "E", ""), "Z": ("Z", "Z", "")}),
        ({"S": "z"}, {"S": ("Z", "z", ""), "Z": ("N", "N", "")}),
        ({"S": "Z"}, {"S": ("Z", "Z", ""), "Z": ("N", "N", "")}),
        ({"O": "H"}, {"O": ("H", "H", "h"), "entropy": ("eta", "eta", "")}),
        ({"A": "a"}, {"A": ("A", "a", "")}),
        ({"X": "I"}, {"X": ("I", "I", "x")}),
        ({"A": "attention map"}, {"A": ('"attention map"', '"attention map"', "")}),
        ({"A": "alpha", "O": "Omega"}, {"A": ("alpha", "alpha", ""), "O": ("Omega", "Omega", "o")}),
        ({"W_Q": "L"}, {"W_Q": ("L", "L", ""), "S_scaled": ("U", "U", "")}),
        ({"W_Q": "U"}, {"W_Q": ("U", "U", ""), "S_scaled": ("L", "L", "")}),
        ({"S": "E"}, {"S": ("E", "E", ""), "E": ("F", "F", "")}),
        ({"Z": "D", "S": "N"}, {"Z": ("D", "D", ""), "shifted": ("Xi", "Xi", "")}),
        ({"Q": "a", "A": "A"}, {"Q": ("a", "a", "q"), "A": ("A", "A", "")}),
        ({"V": "v"}, {"V": ("V", "v", "u")}),
        ({"A": "q"}, {"A": ("q", "q", ""), "Q": ("Q", "Q", "u")}),
        ({"O": "Y_1"}, {"O": ("Y_1", "(Y_1)", "o")}),
        ({"K": "m"}, {"K": ("M", "m", "k"), "m": ("g", "g", "")}),
    ],
)
def test_how_things_are_written(names: dict[str, str], expected: dict[str, tuple[str, str, str]]) -> None:
    found = written(names)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.sample(4)
@pytest.mark.sample(16)
@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(
    "names",
    [
        {"S": "Z"},
        {"O": "H", "A": "a"},
        {"X": "I", "S": "QK^T"},
        {"A": "attention map", "O": "Output tokens"},
        {"S": "omega", "A": "alpha", "O": "Omega"},
        {"W_Q": "U", "W_K": "V", "V": "R"},
        {"Q": "q", "K": "k", "V": "v", "X": "x"},
        {"V": "k", "K": "v"},
        {"S": "E", "Z": "S"},
        {"A": "P", "O": "Z", "Z": "N"},
        {"Q": "M_1", "K": "M_2", "V": "M_3"},
        {"A": "Ausgabe β", "O": "注意"},
        {"A": r"\input{/etc/passwd}", "O": "% symattn: Q_11", "S": r"50% & #1_a^b~\write18{ls} {"},
    ],
    ids=str,
)
def test_keys_with_names_of_their_own_read_back(names: dict[str, str], sheet: str) -> None:
    result = solve(problem(names, sheet))
    findings = result.read_back(result.to_latex())
    assert len(findings) > 20
    assert [finding for finding in findings if not finding.proved] == []
    labels: Any = result.as_json()["quantities"]
    given = [name for name in labels if name in names or name not in CHOSEN]
    assert all(labels[name]["label"] == names.get(name, name) for name in given)


LETTERS = [chr(code) for code in (*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1))]
LABELS = st.sampled_from([*LETTERS, "alpha", "Gamma", "Q_1", "k_i", "W_1", "x_1", "map", "A hat", "A_11"])
NAMES = st.dictionaries(st.sampled_from(["X", "W_Q", "W_V", "Q", "K", "V", "S", "S_scaled", "Z", "A", "O"]), LABELS)


@given(NAMES, st.sampled_from(sorted(SHEETS)))
def test_no_two_quantities_are_written_alike(names: dict[str, str], sheet: str) -> None:
    try:
        found = namings(problem(names, sheet))
    except InputError as error:
        assert any(words in str(error) for words in REFUSED)  # noqa: PT017 - either outcome is right
        return
    matrices = {name: naming for name, naming in found.items() if name not in ("c", "d_k")}
    for (_, first), (_, second) in combinations(matrices.items(), 2):
        assert first.symbol != second.symbol
        assert first.entry != second.entry
    lines = [naming.line for naming in matrices.values() if naming.line is not None]
    assert len(set(lines)) == len(lines)
    heads = {naming.entry for naming in matrices.values()} | {naming.symbol for naming in matrices.values()}
    assert not heads & set(lines)


REFUSED = ("another name", "cannot be called")


@settings(max_examples=25)
@given(NAMES, st.sampled_from(sorted(SHEETS)))
def test_whatever_the_names_the_key_is_proved(names: dict[str, str], sheet: str) -> None:
    try:
        result = solve(problem(names, sheet))
    except InputError as error:
        assert any(words in str(error) for words in REFUSED)  # noqa: PT017
        return
    assert result.document() is not None


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("softmax", "a function"),
        ("max", "a function"),
        ("d_k", "the length of a key"),
        ("e", "the base of the exponential"),
        ("i", "the number of a query"),
        ("j", "the number of a key"),
        ("r", "a running index"),
        ("V_1", "a part of V"),
        ("V_12", "a part of V"),
        ("V", "cannot be called V"),
        (" ", "is empty"),
    ],
)
def test_names_that_mean_something_already_are_refused(label: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        solve(problem({"A": label}))
    assert caught.value.exit_status == 2
    assert "[names] A" in str(caught.value)


@pytest.mark.parametrize("symbol", ["q", "x", "m", "E", "L", "H", "beta", "v_1"])
def test_letters_of_symbols_are_left_to_them(symbol: str) -> None:
    made = Problem.build(
        Q=[[1, 2]],
        K=[[0, 1], [1, 1]],
        V=[[1], [2]],
        beta=symbol,
        symbols={symbol: "1/2"},
        rounding={"shift": True},
        parts=[{"asks": ["scores", "map", "outputs", "pattern", "entry", "row"]}],
    )
    assert symbol not in {write_plain(naming.entry) for name, naming in namings(made).items() if name != "c"}
    result = solve(made)
    assert all(finding.proved for finding in result.read_back(result.to_latex()))


def test_fonts_do_not_tell_names_apart() -> None:
    naming = namings(problem({}))["Q"]
    assert naming.symbol == t.Name("Q")
    assert naming.line == t.Name("q")


@pytest.mark.parametrize("beta", ["3/2", "0.25", "2"])
def test_a_scale_that_is_a_number_is_called_beta(beta: str) -> None:
    problem = Problem.build(Q=[[1]], K=[[2]], V=[[3]], beta=beta)
    assert write_plain(namings(problem)["c"].entry) == "beta"
