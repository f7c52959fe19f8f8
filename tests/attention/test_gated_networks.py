"""Networks with a gate, SwiGLU and its kin: values, gradients, keys, and the mistakes that people make at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import mpmath
import pytest
from mpmath import mp

import symattn as sa
from symattn.errors import InputError, ShapeError
from symattn.problem.model import Problem

Rows: TypeAlias = list[list[Any]]

X, GATE, UP, DOWN = [[1, -1], [0, 2]], [[1, 0], [1, 2]], [[1, 1], [0, -1]], [[1, 2], [-1, 1]]
LAYER: dict[str, Any] = {
    "X": X,
    "W_Q": [[0], [0]],
    "W_K": [[0], [0]],
    "W_V": [[0, 0], [0, 0]],
    "W_F1": GATE,
    "W_F3": UP,
    "W_F2": DOWN,
    "gradient": {"dY": [[1, 2], [-1, 1]]},
    "rounding": {"places": 4},
}
"""Attention adds nothing, so that the network takes X."""

ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "gelu": lambda x: x * mpmath.ncdf(x),
    "relu": lambda x: max(x, mp.zero),
}


def times(left: Rows, right: Rows) -> Rows:
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*right, strict=True)] for row in left
    ]


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def each(function: Callable[..., Any], *matrices: Rows) -> Rows:
    return [[function(*entries) for entries in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def fixed(rows: Rows) -> Rows:
    return [[f"{float(x):.4f}" for x in row] for row in rows]


def of_network(kind: str) -> dict[str, Rows]:
    """Return what Shazeer 2020, eq. 6 makes, and its gradients by the chain rule."""
    with mp.workdps(30):
        act = ACTIVATIONS[kind]
        first, third = times(X, GATE), times(X, UP)
        back = times([[1, 2], [-1, 1]], turned(DOWN))
        slopes = each(lambda x: mpmath.diff(act, x, h=mp.mpf(10) ** -12) if x else mp.zero, first)
        if kind != "relu":
            slopes = each(lambda x: mpmath.diff(act, mp.mpf(x)), first)
        activated = each(act, each(mp.mpf, first))
        gated = each(lambda a, b: a * b, activated, third)
        d_act = each(lambda g, b: g * b, back, third)
        return {
            "F_act": activated,
            "F_gated": gated,
            "F_2": times(gated, DOWN),
            "dF_3": each(lambda g, a: g * a, back, activated),
            "dF_1": each(lambda g, s: g * s, d_act, slopes),
            "dW_F3": times(turned(X), each(lambda g, a: g * a, back, activated)),
        }


def built(kind: str, **keys: Any) -> Problem:
    return Problem.build(**{**LAYER, "block": {"norm": "none", "activation": kind}, **keys})


@pytest.mark.parametrize("kind", ["silu", "gelu", "relu"])
def test_a_gated_network_is_that_of_its_equation(kind: str) -> None:
    result = sa.solve(built(kind))
    expected = of_network(kind)
    assert {name: result[name].rounded(4) for name in expected} == {
        name: fixed(rows) for name, rows in expected.items()
    }
    assert result.derivation.is_proved


@pytest.mark.parametrize("tokens", ["rows", "columns"])
def test_a_key_is_checked_without_a_wrong_statement(tokens: str) -> None:
    keys: dict[str, Any] = {}
    if tokens == "columns":
        keys = {
            "tokens": tokens,
            **{name: turned(LAYER[name]) for name in ("X", "W_Q", "W_K", "W_V", "W_F1", "W_F3", "W_F2")},
        }
        keys |= {"gradient": {"dY": turned([[1, 2], [-1, 1]])}}
    problem = built("silu", **keys, b_F3=[1, 0])
    report: Any = sa.check(problem, sa.solve(problem).to_latex()).as_json()
    assert {item["verdict"] for item in report["statements"]} <= {"right", "rounded", "unchecked"}


WRONG: dict[str, tuple[str, Callable[[dict[str, Rows]], Rows]]] = {
    "gate-forgotten": ("F_gated", lambda made: made["F_act"]),
    "gate-swapped": ("F_gated", lambda _: each(lambda a, b: ACTIVATIONS["silu"](a) * b, times(X, UP), times(X, GATE))),
    "gate-skipped": ("dF_3", lambda _: times([[1, 2], [-1, 1]], turned(DOWN))),
    "silu-skipped": (
        "dF_1",
        lambda _: each(lambda g, b: g * b, times([[1, 2], [-1, 1]], turned(DOWN)), times(X, UP)),
    ),
}


@pytest.mark.parametrize("code", WRONG)
def test_usual_mistakes_at_a_gate_are_named(code: str) -> None:
    name, made = WRONG[code]
    work = f"{name} = {json.dumps(fixed(made(of_network('silu')))).replace(chr(34), '')}"
    report: Any = sa.check(built("silu"), work).as_json()
    statement = report["statements"][0]
    assert (statement["verdict"], statement["diagnosis"]["code"]) == ("wrong", code), statement
    documented = json.loads((Path(__file__).parents[1] / "data" / "diagnoses.json").read_text("utf-8"))
    assert code in documented


@pytest.mark.parametrize("name", ["SwiGLU", "gated", "F_gated"])
def test_people_name_what_a_gate_makes(name: str) -> None:
    work = f"{name} = {json.dumps(fixed(of_network('silu')['F_gated'])).replace(chr(34), '')}"
    statement: Any = sa.check(built("silu"), work).as_json()["statements"]
    assert (statement[0]["name"], statement[0]["verdict"]) == ("F_gated", "rounded")


@pytest.mark.parametrize(
    ("keys", "error", "words"),
    [
        ({"W_F3": [[1], [1]]}, ShapeError, "W_F3 takes tokens to 1 entry, and W_F1 makes 2"),
        ({"W_F3": [[1, 1]]}, ShapeError, "W_F3 takes 1 entry of a token, and a token has 2 here"),
        ({"b_F3": [1]}, ShapeError, "b_F3 is 1×1"),
        ({"W_F1": None, "W_F2": None}, InputError, "W_F3 goes with W_F1; give both, or none."),
    ],
)
def test_gates_that_do_not_fit(keys: dict[str, Any], error: type[InputError], words: str) -> None:
    tables = {name: value for name, value in {**LAYER, **keys}.items() if value is not None}
    with pytest.raises(error, match=words):
        Problem.build(**{**tables, "block": {"norm": "none", "activation": "silu"}})
