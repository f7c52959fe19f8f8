"""A change of one number in a key is found, at its place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from symattn.rendering.sections.readback import Finding
from tests.rendering.independent import same_entries
from tests.rendering.keys import NAMES, Key, drawn_key, example_key, example_labels
from tests.rendering.mutations import Mutation, draw, numerals

pytestmark = pytest.mark.unmeasured

PER_KEY = 5
FEW, MANY = 20, 500


def keys(random: Random) -> Iterator[Key]:
    """Keys of examples and of drawn problems in turn, without end."""
    while True:
        yield example_key(*random.choice(example_labels()))
        yield drawn_key(random.randrange(100_000))


def is_found(mutation: Mutation, findings: list[Finding]) -> bool:
    """Whether nothing but the changed line is refused, and there every changed number lies in a reported place."""
    refused = [finding for finding in findings if not finding.proved]
    if [finding.marked.line for finding in refused] != [mutation.line]:
        return False
    places = refused[0].places
    return all(any(a <= column <= b for a, b in places for column in columns) for columns in mutation.columns())


def hunt(count: int, seed: int) -> int:
    """Looks for `count` mutations, one after the other; returns how many others were equivalent."""
    random = Random(seed)
    found = equivalent = 0
    for key in keys(random):
        for _ in range(PER_KEY):
            mutation = draw(key.tex, random)
            if is_found(mutation, key.result.read_back(mutation.apply(key.tex))):
                found += 1
            else:
                line = mutation.apply(key.tex).split("\n")[mutation.line - 1]
                problem = key.result.problem
                assert same_entries(mutation, key.tex, problem), f"not found in the key {key.label}: {line}"
                equivalent += 1
        if found >= count:
            return equivalent
    raise AssertionError("there is no end of keys")


def test_mutations_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    report(capsys, FEW, hunt(FEW, seed=1))


@pytest.mark.long
@pytest.mark.parametrize("seed", [2])
def test_many_mutations_are_found(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    report(capsys, MANY, hunt(MANY, seed))


def report(capsys: pytest.CaptureFixture[str], count: int, equivalent: int) -> None:
    with capsys.disabled():
        print(f" {count} mutations found, {equivalent} equivalent ones drawn again", end="")  # noqa: T201


# Chosen ones ---------------------------------------------------------------------------------------


@cache
def chosen() -> Key:
    return example_key("ps4_self_attention", "", "every-product", "article")


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"2 \cdot 1 + (-1)", r"2 \cdot 2 + (-1)"),
        (r"0 \cdot 0 + (-1) \cdot 1", r"5 \cdot 0 + (-1) \cdot 1"),
        (r"Q_{31} &=", r"Q_{32} &="),
        (r"A_{21} \approx 0.000075", r"A_{22} \approx 0.000075"),
        (r"A_{21} \approx 0.000075", r"A_{21} \approx 0.0000750"),
        (r"\approx 4.48 + 0.08", r"\approx 4.480 + 0.08"),
        (r"+ e^{8} \approx", r"+ e^{8.0} \approx"),
        (r"\approx 0.62 &", r"\approx 0.63 &"),
        (r"\approx 0.62 &", r"\approx 0.6 &"),
        (r"\approx 0.62 &", r"\approx 0.620 &"),
        (r"0.62 & 0.38 & 0.00", r"0.38 & 0.62 & 0.00"),
        (r"= 1.55 - 0.38", r"= 1.56 - 0.38"),
        (r"(i3) -- (o1)", r"(i2) -- (o1)"),
        (r"(i3) -- (o1)", r"(i3) -- (o2)"),
        (r"output 1 attends to input 3 alone", r"output 2 attends to input 3 alone"),
        (r"To 2 decimals output 1", r"To 3 decimals output 1"),
        (r"to inputs 1 and 2 only", r"to inputs 1 and 3 only"),
        (r"Input 3 gets the most", r"Input 2 gets the most"),
        (r"= e^{1/2} \approx 1.65", r"= e^{1/2} \approx 1.64"),
        (r"= e^{1/2} \approx 1.65", r"= e^{3/2} \approx 1.65"),
    ],
)
def test_chosen_mutations(before: str, after: str) -> None:
    key = chosen()
    lines = key.tex.split("\n")
    number = next(at for at, line in enumerate(lines, 1) if before in line and "% symattn:" in line)
    findings = key.result.read_back(key.tex.replace(before, after, 1))
    assert [finding.marked.line for finding in findings if not finding.proved] == [number]


def test_the_reasons_are_sentences_about_the_place() -> None:
    key = chosen()
    tex = key.tex.replace(r"= 1.55 - 0.38 + 0.00", r"= 1.55 - 0.39 + 0.00")
    (finding,) = [found for found in key.result.read_back(tex) if not found.proved]
    line = tex.split("\n")[finding.marked.line - 1]
    first, last = finding.places[0]
    assert line[first - 1 : last] == "1.55 - 0.39 + 0.00"
    assert finding.reasons[0] == "1.55 - 0.39 + 0.00 is not what O_31 calls for here"


def test_what_stands_in_comments_and_layout_is_not_mutated() -> None:
    lines = chosen().tex.split("\n")
    for numeral in numerals(chosen().tex):
        line = lines[numeral.line - 1]
        assert numeral.start < line.index("% symattn:")
        assert line[numeral.start :].startswith(numeral.text)


# The second opinion -------------------------------------------------------------------------------


def name_changed(key: Key, before: str, after: str) -> Mutation:
    line, text = next((at, text) for at, text in enumerate(key.tex.split("\n"), 1) if before in text)
    start = text.index(before) + before.index("{") + 1
    return Mutation(line, ((start, before.strip("}").split("{")[1], after),))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("A_{21}", "22", True),
        ("S_{21}", "22", True),
        ("A_{31}", "32", False),
        ("Q_{31}", "32", False),
        ("O_{11}", "21", False),
        ("Z_{1}", "2", False),
    ],
)
def test_entries_that_are_worth_the_same(before: str, after: str, same: bool) -> None:
    key = chosen()
    assert same_entries(name_changed(key, before, after), key.tex, key.result.problem) is same


@pytest.mark.parametrize("name", NAMES)
def test_the_second_opinion_agrees_with_the_key(name: str) -> None:
    """The independent numbers are the ones that the program rounds."""
    from tests.rendering.independent import _solved

    result = example_key(name, "", "full", "article").result
    theirs = _solved(result.problem)
    for matrix in theirs:
        ours = result[matrix].rounded(6)
        for i, row in enumerate(ours):
            for j, digits in enumerate(row):
                assert abs(float(theirs[matrix][i][j]) - float(digits)) < 1e-6
