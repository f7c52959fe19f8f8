"""Theorems as text files: what the reader takes, what it refuses and with which words, and a file of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.errors import InputError
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue import registry
from symattn.proofs.catalogue.authoring.proof_files import FileError, read_theorem
from symattn.proofs.catalogue.authoring.wording import collected, evaluated, holds
from symattn.proofs.kernel.record import Proof
from symattn.proofs.proof_replay import replay
from tests.cli.runner import refused, run

FILES = sorted(Path(registry.__file__).parent.rglob("*.proof"))

OWN = """\
theorem sums
title Sums
summary the sum of n ones, and of their squares
source a test
parameter n count = n: how many numbers
parameter case one of one, two = one: which of them
parameter m count = m: another number
  only case = two

statement The sum of $@n$ ones is $@n$@more.
when case = two
  let more = " for $m = @m$"
otherwise
  let more = ""

name n positive
name x, y
define z[j: @n] = 1
when case = two
  assume other positive x: $x > 0$

chain sum_{j=1}^{@n} z_j
  [first] = sum_{j=1}^{@n} 1 by definition using other: $z_j$ written out, which is
      one line with the line above
  = @n by sum of equal terms
  claim the sum

# an inequality
chain (x + y)^2
  >= 4 x y by evident sign with difference = -(x - y)^2

false the square of a sum is the sum of the squares
  claim (x + y)^2 = x^2 + y^2
  numbers x = 1, y = 1
  instead twice the product comes on top
  drops everything
"""


def _built(text: str, **values: str) -> Proof:
    found = read_theorem(text, "sums.proof")
    return found.build(found.values(values))


def test_a_file_that_claims_nothing_is_not_proved() -> None:
    assert replay(_built(OWN)).is_proved
    assert not replay(_built(OWN.replace("  claim the sum", ""))).is_proved


@pytest.mark.parametrize("name", ["self", "relation", "right", "rule", "words", "premises"])
def test_an_argument_with_a_name_of_the_step_is_refused(name: str) -> None:
    with pytest.raises(FileError, match=f"no rule has an argument {name}"):
        _built(OWN.replace("by evident sign with", f"by evident sign with {name} = 1 with"))


def test_every_file_is_listed() -> None:
    assert [path.stem for path in FILES] == [
        path.stem for path in FILES if registry.theorem(path.stem).group == path.parent.name
    ]
    assert len(FILES) == len(registry.THEOREMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lines_are_as_wide_as_those_of_code(path: Path) -> None:
    assert [line for line in path.read_text("utf-8").splitlines() if len(line) > 120] == []


def test_a_theorem_with_its_parts() -> None:
    found = read_theorem(OWN, "sums.proof")
    proof = found.build(found.values({}))
    assert replay(proof).is_proved
    assert proof.statement == "The sum of $n$ ones is $n$."
    assert [item.name for item in proof.scope.declared] == ["n", "x", "y"]
    assert proof.conclusion == ("sum_{j=1}^{n} z_j = n",)
    assert proof.steps[0].words == "$z_j$ written out, which is one line with the line above"
    assert [step.relation for step in proof.steps] == ["=", "=", "≥"]
    assert proof.steps[2].arguments == (("difference", "-(x - y)^2"),)
    assert [item.example.scalars for item in found.falsehoods] == [(("x", "1"), ("y", "1"))]
    assert [word for word, _ in found.without] == ["everything"]


def test_a_chosen_number_stands_in_the_place_of_its_letter() -> None:
    found = read_theorem(OWN, "sums.proof")
    proof = found.build(found.values({"n": "5", "case": "two", "m": "7"}))
    assert replay(proof).is_proved
    assert proof.statement == "The sum of $5$ ones is $5$ for $m = 7$."
    assert [item.name for item in proof.scope.declared] == ["x", "y"]
    assert proof.steps[0].hypotheses == ("H1",)
    with pytest.raises(InputError, match="m has no place in the case one: set case=two as well"):
        found.build(found.values({"m": "7"}))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("  = @n by sum", "  = @n bysum", 25, "this line cannot be read. Write it as: = TEXT by RULE"),
        ("sum of equal terms", "sum of equal term", 25, "Write one of: sum of equal terms"),
        ("using other", "using others", 23, "Write one of: "),
        ("of equal terms\n", "of equal terms from frist\n", 25, "'frist' is not known here. Write one of: first"),
        ("  = @n by sum", "   = @n by sum", 25, "indented by 3 blanks"),
        ("chain sum_", "chian sum_", 22, "a line may not begin with chian here"),
        ("$@n$@more", "$@k$@more", 10, "@k has no value. Known are: @case, @m, @more, @n."),
        ("assume other positive", "assume other positve", 20, "Write one of: positive"),
        ("when case = two\n  assume", "when cases = two\n  assume", 19, "cases is not a parameter or a text"),
        ("when case = two\n  assume", "when case ~ two\n  assume", 19, "is not a condition"),
        ("when case = two\n  assume", "when case = two\n  title A\n  assume", 20, "title is said once"),
        ("  [first] =", "  claim\n  [first] =", 23, "a claim needs a step before it"),
        ("with difference = -", "with difference: -", 30, "NAME = VALUE"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in OWN
    with pytest.raises(FileError, match=rf"^sums\.proof, line {line}: ") as caught:
        _built(OWN.replace(old, new), case="two")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title Sums\n", "", "0 lines begin with title"),
        ("title Sums\n", "title Sums\ntitle Sums\n", "2 lines begin with title"),
        ("statement The", "# The", "no line begins with statement"),
        ("parameter n count", "parameter n counts", "Write one of: count"),
        ("  only case", "  only cases", "Write one of: case"),
        ("  claim (x + y)^2 = x^2 + y^2\n", "", "a false variant needs a line that begins with claim"),
        ("  claim (x + y)^2 = x^2", "  claim (x + y)^2 - x^2", "a claim needs one of these signs"),
        ("  numbers x = 1, y = 1", "  number x = 1", "may not begin with number"),
        ("  numbers x = 1, y = 1", "  sizes x = 1/2", "a size is a whole number"),
        ("  numbers x = 1, y = 1", "  numbers x: 1", "NAME = VALUE"),
        ("  numbers x = 1, y = 1", "  in other", "none, it must be left out"),
        ("  numbers x = 1, y = 1", "  independent x[9]: 1/2 of 1, 1/2 of 2", "at most 6 independent entries"),
        ("  numbers x = 1, y = 1", "  independent x[1]: half of 1", "a probability is a number"),
        ("# an", "\tname q\n# an", "Indent a part by 2 blanks"),
        ("# an", "name x\n" * 2_000 + "# an", "more than 2000 statements"),
        ("# an", "#" * 200_000 + "\n# an", "more than 200000 characters"),
        ("# an", "\n".join("  " * depth + "when n = 2" for depth in range(10)) + "\n# an", "nested deeper than 8"),
    ],
)  # fmt: skip
def test_a_file_that_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(FileError, match=r"^sums\.proof") as caught:
        _built(OWN.replace(old, new))
    assert message in str(caught.value)


def test_formulas_with_numbers_put_in() -> None:
    assert collected("D (sigma^4 - 2 mu^2)", {"D": "D", "sigma": "sigma", "mu": "mu"}) == "D (sigma^4 - 2 mu^2)"
    assert collected("D (sigma^4 - 2 mu^2)", {"D": "3", "sigma": "sigma", "mu": "1/2"}) == "3 sigma^4 - 3/2"
    assert evaluated("6/D", {"D": "4"}) == "3/2"
    for text in ("mu (", "2.5 mu", "mu^99", "9" * 2_000, "a a^40", "x^40 y^40"):
        with pytest.raises(InputError):
            collected(text, {"a": "9" * 900, "x": "1/" + "9" * 20, "y": "1/" + "7" * 20})
    with pytest.raises(InputError, match="not a rational number"):
        evaluated("2^(D/2)", {"D": "1"})


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [("D = 3", True), ("D != 3", False), ("D > 2 and mu is a letter", True), ("mu > 0 or mu < 1", False),
     ("D is odd", True), ("D >= m", True), ("m is whole", True), ("mu is a number", False)],
)  # fmt: skip
def test_conditions(condition: str, is_true: bool) -> None:
    assert holds(condition, {"D": "3", "mu": "mu", "m": "2"}) is is_true


def test_the_example_of_the_reference_is_proved() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "proof-file.md"
    text = page.read_text("utf-8").partition(":caption: shifted-mean.proof\n")[2].partition("```")[0]
    for values in ({}, {"n": "3", "c": "-1/2"}):
        assert replay(_built(text, **values)).is_proved
    (false,) = read_theorem(text, "sums.proof").falsehoods
    assert refuted(false, _built(text).scope) is not None


def test_the_command_line_proves_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sums.proof"
    file.write_text(OWN, encoding="utf-8")
    assert run("prove", str(file), "--set", "n=5").status == 0
    record = run("prove", str(file), "--json")
    assert '"name": "sums"' in record.out
    assert run("prove", str(file), "--without", "everything").status == 3
    file.write_text(OWN.replace(">= 4 x y", ">= 5 x y"), encoding="utf-8")
    assert f"{file.name}, line 30: -(x - y)^2 is not the right side" in refused(run("prove", str(file)))
    file.write_text(OWN.replace("  claim the sum", ""), encoding="utf-8")
    assert "sums claims nothing" in refused(run("prove", str(file)))
    file.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refused(run("prove", str(file)))
    assert "cannot be read" in refused(run("prove", str(tmp_path / "none.proof")))
