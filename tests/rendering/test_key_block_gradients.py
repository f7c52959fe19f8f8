"""The backward pass of a block in a key: read back strictly, and no changed number in it passes."""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Any

import pytest

from symattn.api.solutions import Result, solve
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import compile_tex, engines
from tests.attention import block_differences
from tests.rendering.mutations import draw
from tests.rendering.test_mutations import is_found
from tests.tex_logs import log_problems

KEYS: dict[str, Any] = {
    "X": [[1, 0, 2]],
    "W_Q": [[1], [0], [1]],
    "W_K": [[0], [1], [1]],
    "W_V": [[1, 0, 0], [0, 2, 0], [0, 0, 1]],
    "W_F1": [[1, 0], [0, 1], [1, -1]],
    "b_F1": [0, 1],
    "W_F2": [[1, 0, 0], [0, 1, -1]],
    "gamma_1": [1, 2, 1],
    "block": {"norm": "layer", "eps": "1e-5"},
    "gradient": {"dY": [[1, 0, -2]]},
    "parts": [{"asks": "gradients"}],
}


@cache
def _key(policy: str, placement: str) -> tuple[Result, str]:
    keys = {**KEYS, "block": {**KEYS["block"], "placement": placement}}
    problem = Problem.build(**keys, rounding={"places": 3, "steps": policy})
    result = solve(problem)
    return result, result.to_latex(detail="every-product")


def _faults(result: Result, tex: str) -> list[Any]:
    return [finding.reasons for finding in result.read_back(tex) if not finding.proved]


def _read_back(policy: str, placement: str) -> None:
    result, tex = _key(policy, placement)
    assert _faults(result, tex) == []
    for title in ("Through norm 2", "Through the network", "Through norm 1", "At residual sum 1", "To the inputs"):
        assert title in tex


def test_the_key_of_a_block_is_read_back() -> None:
    _read_back("all", "pre")


@pytest.mark.parametrize("kind", ["gelu", pytest.param("gelu-tanh", marks=pytest.mark.long)])
def test_the_key_back_through_gelu_is_read_back(kind: str) -> None:
    keys = {name: value for name, value in KEYS.items() if name != "gamma_1"}
    network = {**keys, "block": {"norm": "none", "activation": kind}}
    result = solve(Problem.build(**network, rounding={"places": 3, "steps": "all"}))
    tex = result.to_latex(detail="every-product")
    assert _faults(result, tex) == []
    found = re.search(r"(\(F_slope\)_11|\(F_\{\\mathrm\{slope\}\}\)_\{11\}).* (-?[0-9]\.[0-9]{3})\}? ", tex)
    assert found is not None
    start, end = found.span(2)
    assert _faults(result, f"{tex[:start]}{float(found[2]) + 0.003:.3f}{tex[end:]}")


def test_the_key_of_a_block_without_steps_is_read_back() -> None:
    _read_back("end", "post")


@pytest.mark.long
def test_the_key_compiles() -> None:
    if engines():
        assert log_problems(compile_tex(_key("end", "post")[1], engine=engines()[0].name).log) == []


def _hunt(count: int, seed: int) -> None:
    (result, tex), random, found = _key("all", "post"), Random(seed), 0
    start = next(at for at, line in enumerate(tex.split("\n"), 1) if "Through norm 2" in line)
    while found < count:
        mutation = draw(tex, random)
        if mutation.line < start:
            continue
        changed = mutation.apply(tex)
        assert is_found(mutation, result.read_back(changed)), changed.split("\n")[mutation.line - 1]
        found += 1


def test_a_changed_number_is_found() -> None:
    _hunt(1, 1)


@pytest.mark.long
def test_many_changed_numbers_are_found() -> None:
    _hunt(60, 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_keys_of_drawn_blocks_are_read_back(seed: int) -> None:
    policies = ("end", "all", "matrices")
    problem = Problem.build(
        **block_differences.drawn(seed), rounding={"places": 3, "steps": policies[seed % len(policies)]}
    )
    result = solve(problem)
    assert _faults(result, result.to_latex(detail="every-product")) == [], f"seed {seed}"


def test_a_sum_with_a_root_stands_in_brackets_before_what_is_taken_off() -> None:
    keys = {"Q": [[1]], "K": [[1], [2]], "V": [["1 + sqrt(2)"], [1]], "gradient": {"dO": [[1]]}}
    result = solve(Problem.build(**keys, rounding={"places": 3, "steps": "end"}))
    assert _faults(result, result.to_latex(detail="every-product")) == []
