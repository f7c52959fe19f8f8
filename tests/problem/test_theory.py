"""Parts that ask for theorems, and problems of proofs and prose alone: what is read, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.problem.schema.examples import commented_problem
from symattn.problem.schema.json_schema import json_schema
from symattn.problem.settings.conventions import THEORY
from symattn.problem.settings.parts import Part
from tests.problem.test_schema import faults

INPUTS = {"inputs": {"Q": [[1]], "K": [[2]], "V": [[3]]}}


def part(**keys: Any) -> Part:
    return Problem.build(parts=[keys]).parts[0]


def test_every_key_of_a_theorem_part() -> None:
    found = part(
        asks=["prose", "prove:copy"],
        set={"mu": 0, "D": "64"},
        claims=["C1", "C12"],
        detail="brief",
        instance=True,
        facts=["theorem:shift-invariance", "theorem:copy:C4"],
    )
    assert found.theorems == ("copy",)
    assert found.settings == (("mu", "0"), ("D", "64"))
    assert (found.claims, found.detail, found.instance) == (("C1", "C12"), "brief", True)
    assert [found.named_fact(fact) for fact in found.facts] == [("shift-invariance", ""), ("copy", "C4")]
    assert found.needs_catalogue
    assert not part(asks="prose").needs_catalogue


def test_numbers_of_a_file_are_read_exactly() -> None:
    text = '[[parts]]\nasks = "prove:tied-score"\nset = {sigma = 0.1, mu = "1/3"}\n'
    assert Problem.from_text(text).parts[0].settings == (("sigma", "1/10"), ("mu", "1/3"))


def test_a_problem_of_proofs_and_prose_has_no_inputs() -> None:
    problem = Problem.from_text('title = "T"\npoints = 3\n[[parts]]\nasks = ["prose", "prove:copy"]\n', source="t.toml")
    assert (problem.kind, problem.title, problem.points) == (THEORY, "T", Fraction(3))
    assert not problem.inputs
    assert problem.defaults_used == ()
    for ask in (lambda: problem.convention, lambda: problem.n_q):
        with pytest.raises(InputError, match="without inputs"):
            ask()


def test_with_inputs_theorems_are_parts_like_others() -> None:
    problem = Problem.build(**INPUTS, parts=[{"asks": "map"}, {"asks": "prove:copy"}])
    assert problem.kind == "given"
    assert [item.needs_catalogue for item in problem.parts] == [False, True]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"parts": [{"asks": "map"}]}, "inputs is missing or empty"),
        ({"parts": []}, "inputs is missing or empty"),
        (
            {"parts": [{"asks": "prose"}], "tokens": "rows"},
            "tokens has no effect where parts ask for proofs and prose alone; leave it out",
        ),
        (
            {"parts": [{"asks": "prose"}], "rounding": {"places": 2}},
            "rounding has no effect where parts ask for proofs and prose alone",
        ),
        ({"parts": [{"asks": "prose", "tokens": [1]}]}, 'without inputs a part asks "prose" or "prove:NAME"'),
        ({"parts": [{"asks": "prose", "claims": "C1"}]}, 'goes with one "prove:NAME" in asks'),
        ({"parts": [{"asks": ["prove:a", "prove:b"], "claims": "C1"}]}, 'goes with one "prove:NAME" in asks'),
        ({"parts": [{"asks": "prose", "detail": "brief"}]}, 'goes with "prove:NAME" in asks'),
        ({"parts": [{"asks": "prose", "instance": True}]}, 'goes with "prove:NAME" in asks'),
        ({"parts": [{"asks": "prose", "set": {"mu": 0}}]}, 'goes with "prove:NAME" in asks'),
        ({"parts": [{"asks": "prove:a", "detail": "ful"}]}, 'Did you mean "full"?'),
        ({"parts": [{"asks": "prove:a", "claims": "4"}]}, '"4" has the wrong form'),
        ({"parts": [{"asks": "prove:a", "claims": [4]}]}, "must be text in quotes, not"),
        (
            {"parts": [{"asks": "prose", "facts": "copy"}]},
            '"copy" has the wrong form. Theorems shown as proved beside an answer',
        ),
        ({"parts": [{"asks": "prove:a", "set": {"a b": 1}}]}, '"a b" is not the name of a parameter'),
        ({"parts": [{"asks": "prove:a", "set": {"mu": 0.5}}]}, "0.5"),
        ({"parts": [{"asks": "prove:a", "set": {"mu": True}}]}, "must be a number"),
        ({"parts": [{"asks": "prove:a", "set": "mu"}]}, "must be a table of values"),
        ({"parts": [{"asks": "prove:a", "set": {f"m{'a' * n}": 1 for n in range(21)}}]}, "more than 20 values"),
        ({"parts": [{"asks": "prove:a", "set": {"mu": "1" * 300}}]}, "at most 200 characters long"),
        ({"parts": [{"asks": "prove:../a"}]}, "unknown value"),
    ],
)
def test_what_is_refused(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Problem.build(**tables)
    assert message in str(caught.value)


def test_the_kind_is_held_when_made_by_hand() -> None:
    with pytest.raises(InputError, match="has parts, and neither inputs nor definitions"):
        Problem(inputs={}, kind=THEORY)
    with pytest.raises(InputError, match="without inputs a part asks"):
        Problem(inputs={}, kind=THEORY, parts=(Part(asks=("map",)),))


def test_the_schema_knows_the_keys() -> None:
    good = {
        "asks": ["prose", "prove:copy"], "set": {"mu": 0, "D": "64"}, "claims": ["C1"], "detail": "full",
        "instance": False, "facts": ["theorem:copy", "theorem:copy:C2"],
    }  # fmt: skip
    assert faults({"parts": [good]}, json_schema()) == []
    wrong: tuple[dict[str, Any], ...] = (
        {"set": {"mu": []}},
        {"claims": ["4"]},
        {"detail": "long"},
        {"instance": "yes"},
        {"facts": ["copy"]},
    )
    for bad in wrong:
        assert faults({"parts": [{**good, **bad}]}, json_schema())


def test_the_commented_problem_shows_the_keys() -> None:
    lines = commented_problem().split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("# A theorem with its proof"))
    stop = lines.index("", start)
    shown = "\n".join(line.removeprefix("#").strip() for line in lines[start + 1 : stop])
    problem = Problem.from_text(shown)
    assert problem.kind == THEORY
    assert [item.asks for item in problem.parts] == [("prove:dot-product-variance",), ("prose",)]
    assert faults({"parts": [{"asks": "prove:dot-product-variance"}]}, json_schema()) == []
