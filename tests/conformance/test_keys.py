"""The keys of published cases: made, read back, their values against what is known; and bugs by their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.problem.model import Problem
from tests.conformance import __main__ as command
from tests.conformance.cases import Case, load
from tests.conformance.keys import Keys, asked_of, keys_of, keys_of_one

DATA = Path(__file__).parent.parent / "data" / "cases.yaml"
CASES = load(DATA)


def hold(found: list[Keys]) -> None:
    assert [text for one in found for text in one.disagreements] == []
    assert all(one.keys and one.numbers == one.agree for one in found)


def test_some_cases_have_keys_that_agree() -> None:
    hold(keys_of(CASES[3::11]))


@pytest.mark.long
def test_every_case_has_a_key_that_agrees() -> None:
    found = keys_of(CASES)
    hold(found)
    assert sum(one.numbers for one in found) == 1566
    assert command.compiled(found, 6) == []


def test_a_number_that_is_not_as_it_is_known_is_told() -> None:
    raw = {**CASES[0].raw, "verdict": {**CASES[0].raw["verdict"], "items": []}}
    items = [
        {**item, "codes": [row.replace("B", "W") for row in item["codes"]]} for item in CASES[0].raw["verdict"]["items"]
    ]
    raw["verdict"]["items"] = items
    found = keys_of_one(Case(raw))
    assert found.agree < found.numbers
    assert "known W, and it is rounding of" in found.disagreements[0]


FULLY_MASKED = {
    "id": "fully-masked",
    "kind": "mask",
    "inputs": {"S": [["1.0", "3.0"], ["2.0", "2.0"]], "keep": [["1", "1"], ["0", "0"]]},
    "steps": [
        {"name": "Sm", "op": "keep", "args": ["S", "keep"]},
        {"name": "A", "op": "softmax", "args": ["Sm"], "axis": "row"},
    ],
    "printed": [{"step": "A", "values": [["0.1192", "0.8808"], ["0.0", "nan"]]}],
    "verdict": {"overall": "right", "items": [{"step": "A", "codes": ["BB", "BB"]}]},
}


def test_a_number_without_a_value_is_told_and_the_others_are_counted() -> None:
    found = keys_of_one(Case(FULLY_MASKED))
    assert (found.numbers, found.agree) == (4, 3)
    assert found.disagreements == ["fully-masked A[2,1] = 0.0: known B, and it has no value"]


CLAIMS = {
    "id": "claims",
    "kind": "bug",
    "claims": [
        {
            "check": {"type": "value", "expr": "2/(1/sqrt(4))", "printed": "4"},
            "computed": {"right": "4", "code": "="},
        },
        {
            "check": {
                "type": "ident",
                "lhs": "exp(a)/(exp(a)+exp(b))",
                "rhs": "1",
                "points": [{"a": "1", "b": "2"}],
                "expect": "differ",
            },
            "computed": {"lhs_rhs": [["0.26894142136999512074884075817816372563485535983494", "1"]]},
        },
        {"check": {"type": "probe", "name": "a program"}, "computed": {"observed": "0"}},
    ],
}


def test_claims_that_say_numbers_become_problems() -> None:
    asked, reasons = asked_of(Case(CLAIMS))
    assert [str(one.problem.definitions) for one in asked] != []
    assert reasons == ["probe: no number of attention is said"]
    found = keys_of_one(Case(CLAIMS))
    assert (found.keys, found.numbers, found.works, found.disagreements) == (2, 5, 2, [])


S = [[1, 2]]
BUGS: list[tuple[str, dict[str, object], str, str]] = [
    (
        "a mask times 1e-9 instead of -1e9 leaves the hidden key its weight",
        {"inputs": {"S": S, "seen": [[1, 0]]}, "definitions": {"A": "softmax(mask(S, seen))"}},
        "A = [0.2689, 0.7311]",
        "A = [1, 0]",
    ),
    (
        "a softmax along an axis of length 1 makes every weight 1",
        {"inputs": {"S": S}, "definitions": {"A": "softmax(S)"}},
        "A = [1, 1]",
        "A = [0.2689, 0.7311]",
    ),
    (
        "dividing by d^-0.5 multiplies",
        {"inputs": {"q": [[1, 1, 0, 0]], "k": [[1, 1, 0, 0]]}, "definitions": {"S": "q k^T / sqrt(4)"}},
        "S = 4",
        "S = 1",
    ),
    (
        "rows of weights sum to 1",
        {"inputs": {"S": S}, "definitions": {"A": "softmax(S)", "total": "rowsum(A)"}},
        "total = 0",
        "total = 1",
    ),
    (
        "a softmax over rows and a sum over columns",
        {"inputs": {"S": [[1, 0], [2, 0]]}, "definitions": {"A": "softmax(S, columns)", "total": "colsum(A)"}},
        "total = [1.6119, 0.3881]",
        "total = [1, 1]",
    ),
]


@pytest.mark.parametrize(("sheet", "wrong", "right"), [bug[1:] for bug in BUGS], ids=[bug[0] for bug in BUGS])
def test_what_a_bug_prints_is_wrong(sheet: dict[str, object], wrong: str, right: str) -> None:
    """The key is of the right computation, and the numbers of the bug are found wrong against it."""
    problem = Problem.build(**sheet)
    result = solve(problem)
    assert all(finding.proved for finding in result.read_back(result.to_latex()))
    assert "wrong" in {item.verdict for item in check_text(problem, wrong, "txt", "work").findings}
    assert {item.verdict for item in check_text(problem, right, "txt", "work").findings} <= {"right", "rounded"}


def test_the_command_prints_the_sums(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(DATA), "--keys", "--show", CASES[5].id, "--tex", "0"]) == 0
    assert "cases 1, of which 1 have keys" in capsys.readouterr().out
