"""Norms that are 0/0: what is made of them has no value, and no mask is blamed for it."""

from __future__ import annotations

from typing import Any

import pytest

import symattn as sa
from symattn.api.comparison import compare
from symattn.errors import InputError
from symattn.problem.model import Problem

ONE = [[1, 0], [0, 1]]
WEIGHTS: dict[str, Any] = {"W_Q": ONE, "W_K": ONE, "W_V": ONE}
BEFORE: dict[str, Any] = {"norm": "layer", "eps": 0, "placement": "pre"}
AFTER: dict[str, Any] = {"norm": "layer", "eps": 0, "placement": "post"}
FURTHER: list[dict[str, Any]] = [
    {},
    {"mask": "causal"},
    {"mask": "causal", "fully_masked": "zeros"},
    {"mask": "causal", "fully_masked": "uniform"},
    {"heads": 2},
    {"softmax_one": True},
    {"tokens": "columns", "X": [[1, 0], [1, 3]]},
    {"block": {**BEFORE, "norm": "rms"}, "X": [[0, 0], [1, 2]]},
]
BLAME = ("no key", "sees no", "see no")


def solved(**keys: Any) -> Any:
    return sa.solve(Problem.build(**keys))


def bare_headings(tex: str) -> list[str]:
    """The steps of a key with nothing below them."""
    lines = [line for line in tex.split("\n") if line.strip()]
    ends = ("\\symattnstep", "\\subsection", "%")
    is_step = [line.startswith(ends[0]) for line in lines]
    return [
        line
        for line, is_one, after in zip(lines, is_step, lines[1:], strict=False)
        if is_one and after.startswith(ends)
    ]


def codes(result: Any) -> list[str]:
    return [warning.code for warning in result.warnings]


@pytest.mark.parametrize("further", FURTHER, ids=str)
def test_a_norm_of_0_over_0_hides_no_key(further: dict[str, Any]) -> None:
    """The first token has equal entries: its norm is 0/0, and so are all scores with it."""
    keys: dict[str, Any] = {"X": [[1, 1], [0, 3]], **WEIGHTS, "block": BEFORE}
    result = solved(**{**keys, **further})
    tex, said = result.to_latex(), [warning.text for warning in result.warnings]
    assert not [words for words in BLAME for text in (tex.partition("begin{document}")[2], *said) if words in text]
    assert codes(result) == ["norm-undefined"]
    assert "norm of token 1 is 0/0" in tex
    assert "weights of queries 1 and 2 are not defined" in tex
    assert bare_headings(result.to_latex(detail="brief")) == []
    assert all(finding.proved for finding in result.read_back(tex))


def test_hidden_queries_and_undefined_ones_are_told_apart() -> None:
    """Query 1 sees nothing, query 2 is of a token without a norm, query 3 is as usual."""
    keep = [[0, 0], [1, 1], [1, 1]]
    result = solved(X_1=[[0, 3], [1, 1], [3, 0]], X_2=[[1, 0], [0, 1]], **WEIGHTS, block=BEFORE, mask={"keep": keep})
    tex = result.to_latex()
    for text in (
        "Query 1 sees no key: the sum is 0",
        "The weights of query 2 are not defined, as scores among its own are not.",
        "Output 1 has no weights, because the mask hides every input from it",
        "Output 2 has no weights: scores among its own have no value.",
    ):
        assert text in tex
    assert {"fully-masked", "norm-undefined"} <= {*codes(result)}
    hidden = next(warning for warning in result.warnings if warning.code == "fully-masked")
    assert hidden.text.startswith("Query 1 sees no key")


def test_a_norm_after_attention_is_warned_of_once_and_at_its_cause() -> None:
    """Attention adds nothing: R_1 is X, and the second norm lacks what the first does not give."""
    network = {"W_F1": ONE, "W_F2": ONE}
    none = {**WEIGHTS, "W_V": [[0, 0], [0, 0]]}
    result = solved(X=[[1, 1], [1, 0]], **none, **network, block=AFTER, heads=2)
    assert codes(result).count("norm-undefined") == 1
    tex = result.to_latex()
    assert tex.count("is 0/0") == 1
    assert "The norm of token 1 has no value, as what it is taken of has none." in tex


def test_many_tokens_without_a_norm_are_counted() -> None:
    result = solved(X=[[k, k] for k in range(1, 10)], **WEIGHTS, block=BEFORE)
    (text,) = [warning.text for warning in result.warnings]
    assert "tokens 1, 2, 3, 4, 5, 6 and 3 more is 0/0, as the entries of each are all alike" in text


def test_a_block_of_several_says_so_too() -> None:
    block = {**BEFORE, "inputs": WEIGHTS}
    assert "norm-undefined" in codes(solved(X=[[1, 1], [0, 3]], blocks=[block]))


# The output of a block ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("further", "name"),
    [
        ({"block": {"norm": "none"}}, "R_1"),
        ({"block": {**AFTER, "eps": 1}}, "N_1"),
        ({"block": {**AFTER, "eps": 1}, "gamma_1": [2, 1]}, "Y_1"),
        ({"block": {**BEFORE, "eps": 1}, "W_F1": ONE, "W_F2": ONE}, "R_2"),
        ({"block": {**AFTER, "eps": 1}, "W_F1": ONE, "W_F2": ONE}, "N_2"),
        ({"block": {"norm": "none", "residual": False}}, "O"),
    ],
)
def test_what_comes_out_of_a_block_has_one_name(further: dict[str, Any], name: str) -> None:
    result = solved(X=[[1, 2], [2, 4]], **WEIGHTS, **further)
    assert result.layer.output == name
    assert result["Y"] == result[name]


def test_errors_are_counted_in_no_negative_units() -> None:
    result = solved(X=[[1, 2]], **WEIGHTS, block={"norm": "none"})
    found = compare(result, [[2.0, 4.0]], of="Y", form="float32")
    assert found.within(0)
    with pytest.raises(InputError, match="at least 0"):
        found.within(-1)


def test_without_a_block_nothing_is_called_so() -> None:
    with pytest.raises(KeyError, match="Unknown quantity 'Y'"):
        solved(X=[[1, 2]], **WEIGHTS)["Y"]


# Angles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("angle", "meant"),
    [
        (90, '"pi/2"'),
        (-30, '"-pi/6"'),
        ("1.0471975511965976", '"pi/3"'),
        ("1.57", '"pi/2"'),
        ("4.71239", '"3*pi/2"'),
        (1, ""),
        ("1/2", ""),
        ("0.01", ""),
        ("pi/2", ""),
    ],
)
def test_degrees_and_rounded_multiples_of_pi_are_warned_of(angle: Any, meant: str) -> None:
    result = solved(X=[[1, 2], [2, 1]], **WEIGHTS, positions={"kind": "rope", "angles": [angle]})
    found = [warning.text for warning in result.warnings if warning.code == "angle-radians"]
    assert len(found) == bool(meant)
    assert all(meant in text for text in found)


# What is refused ---------------------------------------------------------------------------------------

BLOCKS = [{"inputs": WEIGHTS, "norm": "layer"}]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"parts": [{"asks": ["norm"]}]}, '[parts #1] asks: "norm" is asked for, and the problem has no [block]'),
        ({"parts": [{"asks": ["block"]}]}, "has no [block]; give it"),
        ({"parts": [{"asks": ["ffn"]}], "block": {"norm": "none"}}, "has no W_F1; give it"),
        ({"positions": {"kind": "rope", "base": -4}}, "base must be greater than 0"),
        ({"positions": {"kind": "rope", "base": 0}}, "base must be greater than 0"),
        ({"positions": {"kind": "rope", "angles": [1, 2]}}, "there is 1 pair of entries and 2 angles"),
        ({"block": {"norm": "rms", "eps": 0}, "beta_1": [1, 1]}, 'norm = "rms" does not have'),
        ({"block": {"norm": "none"}, "W_F1": [[1], [1], [1]], "W_F2": [[1]]}, "takes 3 entries of a token"),
        ({"block": {"norm": "none"}, "W_F1": [[1], [1]], "W_F2": [[1, 1]], "b_F1": [1, 2]}, "it needs 1 number"),
        ({"gradient": {"loss": "sum", "of": []}}, "of is empty"),
    ],
)
def test_what_is_refused_says_where_and_how(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as told:
        Problem.build(X=[[1, 2], [2, 1]], **WEIGHTS, **keys)
    assert words in str(told.value)


def test_a_block_of_a_stack_is_named_once_and_by_its_own_keys() -> None:
    with pytest.raises(InputError) as told:
        Problem.build(X=[[1, 2]], blocks=BLOCKS)
    assert str(told.value).startswith("blocks #1, eps is missing")


def test_a_file_with_a_stack_is_named_once(tmp_path: Any) -> None:
    path = tmp_path / "stack.toml"
    path.write_text("[inputs]\nX = [[1, 2]]\n[[blocks]]\n[blocks.inputs]\nW_Q = [[1, 0], [0, 1]]\n", "utf-8")
    with pytest.raises(InputError) as told:
        sa.solve(path)
    assert str(told.value).startswith(f"{path}, blocks #1, inputs lacks W_K and W_V")
    assert str(told.value).count("stack.toml") == 1
