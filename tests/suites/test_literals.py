"""Numbers that the tests of onnxruntime, Keras, burn, candle, AllenNLP and ONNX hold fixed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from tests.suites.bounds import LEFT_OUT, UNITS, LayerBounds, Written, distance, lows

DATA: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "data" / "literals.toml").read_text("utf-8"))
CASES = {case["name"]: case for case in DATA["cases"]}
UNIT = UNITS["float32"]
NUMBERS = {"add"}
"""Keys below those of inputs whose entries are computed with."""


def nearest(value: Any) -> Any:
    """The float of 32 bits nearest to a number that is written, in all entries of lists."""
    return [nearest(item) for item in value] if isinstance(value, list) else Fraction(float(np.float32(value)))


def written(text: str) -> Written | str:
    """A number as it is written to some places, rounded or cut off; a zero is written as what it is."""
    if not text:
        return LEFT_OUT
    number = Decimal(text)
    return Written(Fraction(number), Fraction(10) ** int(number.as_tuple().exponent) if number else Fraction(0))


def problem_of(keys: Mapping[str, Any]) -> Problem:
    """The problem of a case: every matrix of numbers as floats, other keys as they are."""
    found = {}
    for key, value in keys.items():
        if isinstance(value, list):
            found[key] = nearest(value)
        elif isinstance(value, dict):
            found[key] = {name: nearest(item) if name in NUMBERS else item for name, item in value.items()}
        else:
            found[key] = value
    return Problem.build(**found)


@pytest.mark.parametrize("name", CASES)
def test_an_expected_number_lies_within_the_bound(name: str) -> None:
    case = CASES[name]
    bounds = LayerBounds(problem_of(case["problem"]), UNIT)
    worst = [bounds.worst(quantity, nearest(rows)) for quantity, rows in case.get("floats", {}).items()]
    for quantity, rows in case.get("places", {}).items():
        worst.append(bounds.worst(quantity, [list(map(written, row)) for row in rows]))
    assert worst
    assert [item for item in worst if item.part > 1] == []


@pytest.mark.parametrize("name", ["p", "q"])
def test_the_softmax_of_logarithms_is_a_ratio(name: str) -> None:
    case = DATA["logarithms"]
    for numbers, recorded in zip(case[name], case[f"softmax_{name}"], strict=True):
        logs = dict(zip("abc", (sympy.log(int(number)) for number in numbers), strict=True))
        identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        problem = Problem.build(
            Q=[list(logs)], K=identity, V=identity, scale="none", symbols=dict.fromkeys(logs, "real")
        )
        weights = attention_layer(problem).exact("A").sympy().subs(logs)
        for weight, text in zip(weights, recorded, strict=True):
            entry = written(text)
            assert isinstance(entry, Written)
            # Four places, rounded; a ratio needs no allowance for the computation.
            assert abs(Fraction(int(weight.p), int(weight.q)) - entry.value) <= Fraction(1, 2 * 10**4)


def test_the_gradients_of_a_sum_of_outputs_lie_within_the_bound() -> None:
    """With P = softmax(A B) and all entries of P B added up, what the scores get is P o (R - sums of P o R), R = 1 B^T.

    Nothing is negative there, so the same formulas with + for - say how large the terms are.
    """
    case = DATA["gradient"]
    A, B, ones = Matrix(nearest(case["A"])), Matrix(nearest(case["B"])), Matrix([[1, 1], [1, 1]])
    problem = Problem.build(Q=A, K=B.T, V=B, scale="none")
    bounds = LayerBounds(problem, UNIT)
    P, R = attention_layer(problem).exact("A"), ones @ B.T
    (exact_A, exact_B), (size_A, size_B) = (
        (G @ B.T, A.T @ G + P.T @ ones) for G in (of_scores(P, R, -1), of_scores(P, R, 1))
    )
    steepness = bounds.terms * UNIT * max(bounds.heads[0].steepness)
    for name, exact, size in (("dA", exact_A, size_A), ("dB", exact_B, size_B)):
        entries = zip(lows(exact), lows(size), case[name], strict=True)
        for low, large, text in (entry for rows in entries for entry in zip(*rows, strict=True)):
            assert isinstance(large, Fraction)
            assert distance(written(text), low, steepness * large) <= 1


def of_scores(P: Matrix, R: Matrix, sign: int) -> Matrix:
    """P o (R + sign times the line sums of P o R)."""
    rows = []
    for weights, gradients in zip(P.rows, R.rows, strict=True):
        total = sum((w * g for w, g in zip(weights, gradients, strict=True)), Quotient.of(0))
        rows.append([w * (g + total * sign) for w, g in zip(weights, gradients, strict=True)])
    return Matrix(rows)
