"""Problems with definitions of their own, solved: values, keys, names, JSON, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.graph.derivation_replay import replay
from symattn.problem.model import Problem
from tests.conformance.independent import values_of
from tests.rendering.mutations import draw

X = [["0.5", 1], [0, -1], [2, 1]]
SHEETS: dict[str, dict[str, object]] = {
    "backward": {
        "inputs": {"X": X, "seen": [[1, 0, 0], [1, 1, 0], [1, 1, 1]]},
        "definitions": {
            "S": "X X^T / sqrt(2)",
            "A": "softmax(mask(S, seen))",
            "O": "A X",
            "dS": "A .* (O X^T - rowsum(A .* (O X^T)))",
        },
    },
    "joined": {
        "inputs": {"X": X, "drop": [[0, 1], [1, 0], [0, 0]]},
        "definitions": {
            "A": "softmax(X, all)",
            "B": "softmax(hide(X, drop), columns)",
            "C": "softmax1(X)",
            "H": "[A, B; C, -X]",
            "P": "H[2:4, 1:3]",
            "c": "colsum(P)",
            "R": "exp(X) / rowsum(exp(X))",
        },
    },
    "twice": {"inputs": {"X": X}, "definitions": {"A": "softmax(X X^T)", "B": "softmax(A X X^T)", "C": "B - 2 A"}},
    "entries": {
        "inputs": {"x": [[1, 2]]},
        "definitions": {"a": "softmax(x)", "J": "[a[1, 1] .* (1 - a[1, 1]), -a[1, 1] .* a[1, 2]]"},
    },
}
LIKE_PARTS = "A A_1 A_11 A1 a a_1 Z z Z_1 E e E_1 N n M m D dA W_Q W_Q1 x X X_1 X_12 q Q beta pi T i d_k"
POLICIES = ("steps=end", "steps=all,places=2", "steps=matrices,figures=3,shift=true")


def sheet(name: str, policy: str = "steps=end") -> Problem:
    problem = Problem.build(**SHEETS[name])
    return replace(problem, policy=problem.policy.with_overrides(policy))


@pytest.mark.parametrize("name", SHEETS)
def test_values_are_those_of_a_second_way(name: str) -> None:
    problem = sheet(name)
    result, theirs = sa.solve(problem), values_of(problem)
    for quantity in problem.definitions:
        for row, other in zip(result[quantity].rounded(12), theirs[quantity], strict=True):
            assert [float(text) for text in row] == pytest.approx([float(value) for value in other], abs=1e-11)


@pytest.mark.sample(4)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", SHEETS)
def test_every_statement_of_every_detail_reads_back(name: str, policy: str) -> None:
    result = sa.solve(sheet(name, policy))
    for detail in ("brief", "full"):
        findings = result.read_back(result.to_latex(detail=detail))
        assert findings
        assert [finding.reasons for finding in findings if not finding.proved] == []
    assert result.derivation.is_proved


@pytest.mark.parametrize("template", ["sheet", "exam", "fragment"])
def test_every_template_is_made(template: str) -> None:
    result = sa.solve(sheet("backward"))
    assert all(finding.proved for finding in result.read_back(result.to_latex(template)))


@pytest.mark.unmeasured
def test_a_changed_number_is_found() -> None:
    hunt(3, POLICIES[:1])


@pytest.mark.long
def test_many_changed_numbers_are_found() -> None:
    hunt(60, POLICIES)


def hunt(count: int, policies: tuple[str, ...]) -> None:
    random = Random(7)
    for policy in policies:
        result = sa.solve(sheet("backward", policy))
        tex = result.to_latex()
        for _ in range(count):
            mutation = draw(tex, random)
            refused = [item.marked.line for item in result.read_back(mutation.apply(tex)) if not item.proved]
            assert refused == [mutation.line]


def test_a_changed_formula_is_refused_by_replay() -> None:
    steps = sa.solve(sheet("backward")).derivation.steps
    number = next(at for at, step in enumerate(steps) if step.id == "dS")
    (name, text), *others = steps[number].arguments
    changed = replace(steps[number], arguments=((name, text.replace("-", "+", 1)), *others))
    found = replay((*steps[:number], changed, *steps[number + 1 :]))
    assert [item.id for item in found if not item.proved] == ["dS"]


def test_quantities_by_name_from_python_and_in_json() -> None:
    result = sa.solve(sheet("backward"))
    assert list(result.quantities) == ["S^1", "S", "M", "A^1", "E", "Z", "A", "O", "dS^1", "dS^2", "dS^3", "dS"]
    assert result["dS"] == result.dS == result.quantities["dS"]
    assert result.A.rounded(3)[0] == ["1.000", "0.000", "0.000"]
    found = json.loads(json.dumps(result.as_json()))["quantities"]
    assert list(found) == list(result.quantities)
    assert found["S"]["shape"] == [3, 3]
    assert found["S"]["exact"][0][0] == "5/8*sqrt(2)"
    with pytest.raises(KeyError, match="Unknown quantity 'Q'"):
        _ = result["Q"]
    with pytest.raises(AttributeError):
        _ = result.V


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(12))
def test_names_that_look_like_parts_of_others(seed: int) -> None:
    first, second, third, fourth, fifth, sixth = Random(seed).sample(LIKE_PARTS.split(), 6)
    problem = Problem.build(
        inputs={first: [["1/2", 1], [0, 1]], second: [[1, 2], [2, 1]]},
        definitions={
            third: f"{first} {second}",
            fourth: f"softmax({third})",
            fifth: f"rowsum({fourth})",
            sixth: f"{fourth} .* ({first} - {fifth})",
        },
    )
    result = sa.solve(problem)
    assert all(finding.proved for finding in result.read_back(result.to_latex()))


def test_what_has_no_value_is_said() -> None:
    result = sa.solve(Problem.build(inputs={"X": [[1, 2]], "z": [[0]]}, definitions={"R": "X / z", "U": "R - X"}))
    assert [(warning.code, warning.where) for warning in result.warnings] == [("undefined", "R"), ("undefined", "U")]
    assert "Without a value" in result.to_latex()
    with pytest.raises(InputError, match=r"\[definitions\] N: Minus infinity times a negative number"):
        sa.solve(Problem.build(inputs={"X": [[1, 2]], "k": [[0, 1]]}, definitions={"N": "-mask(X, k)"}))


def test_long_exponentials_keep_their_closed_form() -> None:
    result = sa.solve(Problem.build(inputs={"X": [[1000, 2]]}, definitions={"E": "exp(X)", "A": "E / rowsum(E)"}))
    assert all(finding.proved for finding in result.read_back(result.to_latex()))


def test_a_free_symbol_stays_in_closed_form() -> None:
    sheet = {"inputs": {"X": [[1], [2]]}, "symbols": {"beta": "real"}, "definitions": {"A": "softmax(beta X X^T)"}}
    result = sa.solve(Problem.build(**sheet))
    assert str(result.A[0, 0]) == "exp(beta)/(exp(beta) + exp(2*beta))"
    assert all(finding.proved for finding in result.read_back(result.to_latex()))


@pytest.mark.parametrize(("ties", "right"), [("half-up", "0.6563"), ("half-even", "0.6562")])
def test_ties_fall_as_the_policy_says(ties: str, right: str) -> None:
    problem = Problem.build(
        inputs={"x": [["0.65625"]]}, definitions={"y": "1 .* x"}, rounding={"places": 4, "ties": ties}
    )
    assert sa.solve(problem).as_json()["quantities"]["y"]["decimal"] == [[right]]  # type: ignore[index]


HIDDEN: dict[str, object] = {"X": X, "seen": [[0, 0, 0], [1, 1, 0], [1, 1, 1]]}


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("softmax(mask(X X^T, seen), zeros)", ["0", "0", "0"]),
        ("softmax(mask(X X^T, seen), uniform)", ["1/3", "1/3", "1/3"]),
        ("softmax(mask(X X^T, seen)^T, columns, zeros)^T", ["0", "0", "0"]),
        ("softmax(hide(X X^T, 1 - seen), rows, uniform)", ["1/3", "1/3", "1/3"]),
    ],
)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_sheet_says_the_weights_of_a_line_without_keys(formula: str, line: list[str], policy: str) -> None:
    """All other lines are those of the plain softmax."""
    problem = Problem.build(inputs=HIDDEN, definitions={"A": formula, "O": "A X"})
    problem = replace(problem, policy=problem.policy.with_overrides(policy))
    plain = Problem.build(inputs=HIDDEN, definitions={"A": formula.replace(", zeros", "").replace(", uniform", "")})
    result = sa.solve(problem)
    first, *others = result["A"].rows
    assert [str(entry) for entry in first] == line
    assert others == list(sa.solve(plain)["A"].rows[1:])
    assert result.derivation.is_proved
    assert all(found.proved for found in result.read_back(result.to_latex("exam")))
    rows = [line, *result["A"].rounded(3)[1:]]
    written = ", ".join(f"[{', '.join(row)}]" for row in rows)
    report = sa.check(problem, f"A = [{written}]", "md")
    assert {item.verdict for item in report.findings} <= {"right", "rounded", "carried"}


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("softmax1(X, zeros)", "softmax1 has 1 in every sum, so no line is without weights; leave zeros out"),
        ("softmax(X, all, uniform)", "all entries together have one sum, so no line is without weights"),
        ("softmax(X, rows, columns)", "optionally rows, columns or all, and zeros or uniform"),
        ("softmax(X, zeros, rows)", "optionally rows, columns or all, and zeros or uniform"),
    ],
)
def test_weights_of_lines_without_keys_are_said_where_there_can_be_such(formula: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Problem.build(inputs={"X": X}, definitions={"A": formula})
