"""Every key reads back: as many findings as marked lines, and each of them proved."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.graph.key_judge.judge import unproved
from symattn.graph.statements.chains import Detail
from symattn.rendering.sections.readback import marked_lines
from tests.rendering.keys import Key, drawn_key, example_key, example_labels

SAMPLE = Random(7).sample(example_labels(), 12)


def check(key: Key) -> None:
    findings = key.result.read_back(key.tex)
    assert len(findings) == key.tex.count("% symattn:"), key.label
    assert [finding for finding in findings if not finding.proved] == [], key.label


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "policy", "detail", "template"), SAMPLE)
def test_examples(name: str, policy: str, detail: Detail, template: str) -> None:
    check(example_key(name, policy, detail, template))


@pytest.mark.parametrize("seed", range(12))
def test_drawn_problems(seed: int) -> None:
    check(drawn_key(seed))


@pytest.mark.long
@pytest.mark.parametrize(("name", "policy", "detail", "template"), example_labels())
def test_all_examples(name: str, policy: str, detail: Detail, template: str) -> None:
    check(example_key(name, policy, detail, template))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12, 212))
def test_many_drawn_problems(seed: int) -> None:
    check(drawn_key(seed))


# What stands on a line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "source", "column"),
    [
        (r"\[ Q_{31} = 1 \] % symattn: Q_31", r"Q_{31} = 1", 4),
        (r"Q_{31} &= 1 \\ % symattn: Q_31", r"Q_{31} &= 1", 1),
        (r"& 0.62 &\qquad % symattn: A_31", r"0.62", 3),
        (r"$0.62$ & % symattn: A_31", r"0.62", 2),
        (r"$\tfrac{1}{2}$% symattn: A_31", r"\tfrac{1}{2}", 2),
        (r"\symattnfit{0.82}{\frac{1}{2}} % symattn: A_31", r"\frac{1}{2}", 19),
        (r"Input 3 gets the most. % symattn: claim hub 3", r"Input 3 gets the most", 1),
        (r"% symattn: claim tie 2 1 2", "", 1),
    ],
)
def test_the_formula_of_a_line(line: str, source: str, column: int) -> None:
    (marked,) = marked_lines(f"text\n{line}\ntext")
    assert (marked.line, marked.column, marked.source) == (2, column, source)


def test_lines_without_a_mark_are_not_judged() -> None:
    assert list(marked_lines("Q_{31} = 7\n$1$ % a comment\n\\% symattn: Q_31")) == []


SELF = example_key("ps4_self_attention", "", "full", "article")


@pytest.mark.parametrize(
    "line",
    [
        r"$Q_{31$ % symattn: Q_31",
        r"$$ % symattn: Q_31",
        r"$\tfrac52$ % symattn: Q_31 | later",
        r"$\tfrac52$ % symattn: Q_3(",
        r"$\tfrac52$ % symattn:",
        r"$= \tfrac52$ % symattn: Q_31",
        r"$Q_{31} =$ % symattn: Q_31",
        r"$\mathbf{Q} \in \mathbb{R}^{3 \times -2}$ % symattn: Q | exact",
        r"$1/0$ % symattn: Q_31",
        r"$e^{e^{9}}$ % symattn: E_11",
        r"$9^{9^{9}}$ % symattn: E_11",
        r"Output 3 attends to input 1 alone % symattn: claim only 1 3",
        r"attends to input 3 alone % symattn: claim only 1 3",
        r"To 2 decimals, nothing % symattn: claim only 1 3",
        r"Input 3 of 4 gets the most. % symattn: claim hub 3",
        r"Input three gets the most. % symattn: claim hub 3",
        r"\draw (i3) -- (o1) -- (o2); % symattn: claim largest 1 3",
        r"\draw (i3) -- (o1) (i2) -- (o1); % symattn: claim largest 1 3",
        r"\draw (i3) -- (o1); % symattn: claim largest",
        r"Something. % symattn: claim nonsense 1",
        r"for all $i = 2, \ldots, 3$ % symattn: claim outputs 3",
        r"for all $i = 11, \ldots, 3$ % symattn: claim outputs 3",
        r"for all $i = 1, \ldots, 4$ % symattn: claim outputs 3",
        r"$A_{i 3}$ % symattn: A_{i,2} | exact | i = 1..3",
        r"$e^{S_{2 i}}$ % symattn: E_{i,2} | exact | i = 1..3",
    ],
)
def test_what_cannot_be_read_or_is_not_so_is_refused(line: str) -> None:
    (finding,) = SELF.result.read_back(line)
    assert not finding.proved
    assert all(1 <= first <= last for first, last in finding.places)


@pytest.mark.parametrize(
    "line",
    [
        r"$Q_{31}$ & % symattn: Q_31",
        r"$e^{S_{i,1}}$ & % symattn: E_{i,1} | exact | i = 1..3",
        r"$e^{S_{i 1}}$ & % symattn: E_{i,1} | exact | i = 1..3",
        r"$A_{i 3}$ \\ % symattn: A_{i,3} | exact | i = 1..3",
        r"$Z_{i}$ & % symattn: Z_i | exact | i = 1..3",
        r"for all $i = 1, \ldots, 3$ % symattn: claim outputs 3",
        r"input 3 & % symattn: claim largest 1 3",
        r"inputs 1, 2 (not drawn) & % symattn: claim second 2 1 2",
        r"Inputs 1 and 2 tie exactly for second place: % symattn: claim tie 2 1 2",
        r"$\ln 3$ for all alike % symattn: claim inputs 3",
    ],
)
def test_other_lines_that_can_be_marked(line: str) -> None:
    (finding,) = SELF.result.read_back(line)
    assert finding.reasons == ()


def test_claims_about_an_open_order_are_refused() -> None:
    from tests.derivation.scenes import symbolic

    (finding,) = symbolic().read_back("Input 1 gets the most. % symattn: claim hub 1")
    assert finding.reasons == ("the order of the weights is open while a symbol is free",)


def test_statements_and_claims_before_they_are_printed() -> None:
    from symattn.graph.key_judge.claims import Claim
    from symattn.graph.quantities.statement import from_note
    from symattn.notation.parser.latex import read_latex

    result = SELF.result
    statements = [from_note("Q_31", read_latex(text)) for text in (r"\tfrac52", "3")]
    claims = [Claim("hub", (3,)), Claim("hub", (1,)), Claim("hub", (0,))]
    faults = unproved(statements, claims, result.scene, result._weights)
    assert faults == [
        "Q_31: 3 is not what Q_31 calls for here",
        "the claim 'claim hub 1' does not hold",
        "The numbers of the claim 'claim hub 0' do not fit these weights.",
    ]


MARKED = [line for line in SELF.tex.split("\n") if "% symattn:" in line]


@given(st.sampled_from(MARKED), st.integers(0, 10**6), st.text(st.characters(codec="ascii"), max_size=4))
def test_whatever_is_written_on_a_line_gets_a_finding(line: str, at: int, text: str) -> None:
    """Random text in a random place: an answer, no fault of the program."""
    body, mark, note = line.partition("% symattn:")
    position = at % (len(body) + 1)
    changed = body[:position] + text.replace("\n", "").replace("\r", "") + body[position:] + mark + note
    try:
        findings = SELF.result.read_back(changed)
    except InputError as error:
        pytest.fail(str(error))
    assert len(findings) <= 1
