"""Works on several blocks: read as one, judged block by block, a mistake is one mistake however far it goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn.checking.blocks.block_references import block_of_heading, block_of_prose, kind_said
from symattn.checking.blocks.stack_checker import StackChecker
from symattn.checking.report import HOLDS, Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem
from tests.checking import stack_works as w

ENCODERS = StackChecker(w.encoders(parts=w.PARTS))
ONE, TWO = "# Block 1", "# Block 2"


@cache
def decoders(count: int) -> StackChecker:
    return StackChecker(w.decoder(count))


def pair(
    rounding: w.Rounding = w.exactly, first: w.Slip | None = None, second: w.Slip | None = None
) -> list[w.Numbers]:
    one = w.worked(w.X, w.FIRST, rounding, first)
    return [one, w.worked(w.made(one), w.SECOND, rounding, second)]


RIGHT = pair()


def checked(text: str, form: Format = "md", checker: StackChecker = ENCODERS) -> Report:
    return checker.report(text, form, "work")


def is_right(report: Report) -> bool:
    return bool(report.findings) and {finding.verdict for finding in report.findings} <= {*HOLDS, "unchecked"}


def faults(report: Report) -> list[tuple[str | None, str]]:
    return [(f.name, f.verdict) for f in report.findings if f.verdict not in {*HOLDS, "unchecked"}]


def of_blocks(report: Report) -> list[str]:
    """The numbers of blocks, in the order of the statements."""
    names = [finding.name.partition("@")[2][:1] for finding in report.findings if finding.name is not None]
    return [number for place, number in enumerate(names) if place == 0 or number != names[place - 1]]


# What is right ---------------------------------------------------------------------------------------

WRITTEN: dict[Format, Callable[[list[w.Numbers], int], str]] = {
    "md": lambda found, places: w.text(ONE, w.lines(found[0], places), TWO, w.lines(found[1], places)),
    "txt": lambda found, places: w.text("Block 1:", w.lines(found[0], places), "Block 2:", w.lines(found[1], places)),
    "tex": lambda found, places: w.text(
        r"\section*{Block 1}", w.latex_lines(found[0], places), r"\section*{Block 2}", w.latex_lines(found[1], places)
    ),
}
ROUNDINGS: dict[str, w.Rounding] = {"end": w.exactly, "step": w.to(2)}


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_what_is_right_raises_no_alarm(form: Format, rounding: str) -> None:
    report = checked(WRITTEN[form](pair(ROUNDINGS[rounding]), 2), form)
    assert is_right(report), faults(report)
    assert report.missing == ()
    assert of_blocks(report) == ["1", "2"]
    assert report.policy is not None
    assert report.policy.policy["steps"] == ("end" if rounding == "end" else "matrices")
    assert report.marks is not None
    assert report.marks.earned == report.marks.points == 16


# Mistakes --------------------------------------------------------------------------------------------

SLIPS: list[tuple[int, w.Slip]] = [
    (1, ("V", (0, 1), 1)),
    (1, ("R_2", (0, 0), 1)),
    (1, ("S", (1, 0), 0.5)),
    (1, ("N_1", (1, 0), 0.3)),
    (1, ("N_2", (0, 1), -0.5)),
    (2, ("Q", (0, 0), 1)),
    (2, ("O", (1, 1), -0.25)),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("block", "slip"), SLIPS)
@pytest.mark.parametrize("places", [2, 4])
def test_a_mistake_is_one_mistake_however_far_it_goes(block: int, slip: w.Slip, rounding: str, places: int) -> None:
    steps = w.exactly if rounding == "end" else w.to(places)
    report = checked(WRITTEN["md"](pair(steps, *((slip, None) if block == 1 else (None, slip))), places))
    found = faults(report)
    assert found[0] == (f"{slip[0]}@{block}", "wrong")
    assert {word for _, word in found[1:]} == {"follows"}
    assert report.first is not None
    assert report.first.name == f"{slip[0]}@{block}"
    assert report.marks is not None
    reasons = [reason for part in report.marks.parts for reason in part.reasons]
    # A row of weights that a mistake made trivial is what one block has a reason for too.
    assert len([reason for reason in reasons if "leaves nothing to be worked out" not in reason]) == 1


def test_what_goes_in_may_be_copied_wrongly() -> None:
    wrong = w.made(RIGHT[0]) + np.array([[0, 1], [0, 0]])
    second = w.worked(wrong, w.SECOND)
    report = checked(w.text(ONE, w.lines(RIGHT[0]), TWO, f"X = {w.matrix(wrong)}", w.lines(second)))
    assert faults(report)[0] == ("X@2", "wrong")
    assert {word for _, word in faults(report)[1:]} == {"follows"}


def test_a_mistake_that_nothing_asked_for_rests_on_is_counted_in_the_next_block() -> None:
    checker = StackChecker(w.encoders(parts=({"asks": ["outputs"], "points": 8},)))
    report = checked(WRITTEN["md"](pair(first=("R_2", (0, 0), 1)), 3), checker=checker)
    assert report.marks is not None
    assert report.marks.earned == Fraction(15, 2)
    assert report.marks.parts[0].reasons[0].startswith("Block 2: O[")
    assert "of block 1" in report.marks.parts[0].reasons[0]


def test_what_is_missing_has_its_block() -> None:
    report = checked(w.text(ONE, w.lines(RIGHT[0])))
    assert report.missing == ("Q@2", "K@2", "V@2", "A@2", "O@2", "N_2@2")
    assert any("Nothing in this submission belongs to block 2" in remark for remark in report.remarks)


# Which block is meant --------------------------------------------------------------------------------

STYLES: dict[str, Callable[[str, int], str]] = {
    "raised": lambda name, block: f"{name}^({block})",
    "raised, from 0": lambda name, block: f"{name}^({block - 1})",
    "behind an @": lambda name, block: f"{name}@{block}",
}


@pytest.mark.parametrize("style", STYLES)
def test_names_may_number_their_block(style: str) -> None:
    put = STYLES[style]
    of_block = [w.numbered(found, lambda name, n=n: put(name, n)) for n, found in enumerate(RIGHT, 1)]  # type: ignore[misc]
    report = checked(w.text(*of_block))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["1", "2"]


LABELS = ["{name} (block {block}) = {values}", "block{block}_{name} = {values}"]


@pytest.mark.parametrize("label", LABELS)
def test_labels_may_number_their_block(label: str) -> None:
    of_block = [
        label.format(name=name, block=block, values=w.matrix(values))
        for block, found in enumerate(RIGHT, 1)
        for name, values in found.items()
    ]
    report = checked(w.text(of_block))
    assert is_right(report), faults(report)
    assert len(report.findings) == len(of_block)
    assert of_blocks(report) == ["1", "2"]


def test_hidden_states_are_counted_from_the_input() -> None:
    """``X^{(1)}`` is what the first layer makes where ``X^{(0)}`` is what goes into it."""
    states = [w.X, *map(w.made, RIGHT)]
    written = [f"X^({number}) = {w.matrix(values)}" for number, values in enumerate(states)]
    report = checked(w.text(written))
    assert is_right(report), faults(report)
    assert [finding.name for finding in report.findings] == ["X@1", "N_2@1", "N_2@2"]


LINKS = [
    "X^(2) = Y^(1) = {}",
    "X = Y^(1) = {}",
    "input of block 2 = {}",
    "X = output of block 1 = {}",
    "X_2 = {}",
    "Input: {}",
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("link", LINKS)
def test_the_output_of_one_block_is_the_input_of_the_next(link: str) -> None:
    text = w.text(ONE, w.lines(RIGHT[0]), TWO, link.format(w.matrix(w.made(RIGHT[0]))))
    report = checked(text)
    assert is_right(report), faults(report)
    assert report.findings[-1].name in {"X@2", "N_2@1"}


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("Block 2", 2),
        ("## Layer 2 – scores", 2),
        ("Second block", 2),
        ("2nd layer", 2),
        ("(b2) Scores, block 2", 2),
        ("Encoder layer 1", 1),
        ("Block II", 2),
        ("Layer two", 2),
        ("Block 2: from the output of block 1", 2),
        ("Layer 2.1: attention", 2),
        ("Zweite Schicht", 2),
        ("Couche 2", 2),
        ("第二层", 2),
        ("Второй слой", 2),
        ("Block 0", 0),
        ("Block 99", 99),
        ("Blocks 1 and 2", None),
        ("A stack of 2 blocks", None),
        ("LayerNorm 1", None),
        ("Layer norm 2", None),
        ("FFN layer 2", None),
        ("The second layer of the FFN", None),
        ("Sub-layer 2", None),
        ("Residual sum of block 1 and of block 2", None),
    ],
)
def test_headings(heading: str, number: int | None) -> None:
    said = block_of_heading(heading)
    assert (None if said is None else said.number) == number


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("Block 2:", 2),
        ("We now turn to the second layer. Its input is Y.", 2),
        ("There are 2 blocks. Block 1:", 1),
        ("Input of block 2:", 2),
        ("It is used in block 2 later.", None),
        ("The weights of this block, block 2, are", None),
    ],
)
def test_words_at_the_beginning_of_a_paragraph(words: str, number: int | None) -> None:
    said = block_of_prose(words)
    assert (None if said is None else said.number) == number


def test_kinds_of_attention() -> None:
    kinds = [kind_said(words) for words in ("Masked multi-head attention", "Encoder-decoder attention", "Attention")]
    assert kinds == ["self", "cross", None]


def test_without_headings_the_order_tells_and_is_said_to_be_a_guess() -> None:
    report = checked(w.text(w.lines(RIGHT[0]), w.lines(RIGHT[1])))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["1", "2"]
    assert "No heading says where block 2 begins" in report.remarks[0]


def test_what_is_wrong_after_a_guess_says_so() -> None:
    report = checked(w.text(*map(w.lines, pair(second=("Q", (0, 0), 1)))))
    assert report.first is not None
    assert report.first.guess
    assert "taken to be on block 2" in report.first.explanation


def test_blocks_may_stand_in_any_order() -> None:
    report = checked(w.text(TWO, w.lines(RIGHT[1]), ONE, w.lines(RIGHT[0])))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["2", "1"]


def test_what_stands_under_a_block_that_there_is_not_is_not_judged() -> None:
    report = checked(w.text(ONE, w.lines(RIGHT[0]), "# Block 99", "Q = [[7, 7], [7, 7]]"))
    assert report.findings[-1].verdict == "unread"
    assert "there are 2" in report.findings[-1].explanation
    assert report.exit_status == 1  # block 2 is missing


# Decoders --------------------------------------------------------------------------------------------


def decoded(rounding: w.Rounding = w.exactly, slip: w.Slip | None = None, tokens: Any = w.X) -> list[w.Numbers]:
    one = w.worked(tokens, w.FIRST, rounding, slip, causal=True, network=False)
    return [one, w.worked(w.made(one), w.SECOND, rounding, memory=w.MEMORY)]


def halves(found: list[w.Numbers], first: str, second: str) -> str:
    return w.text(first, w.lines(found[0], is_causal=True), second, w.lines(found[1], is_cross=True))


HALVES = [
    ("# Block 1", "# Block 2"),
    ("# Masked self-attention", "# Cross-attention"),
    ("# Decoder block 1\n\n## Causal self-attention", "## Encoder-decoder attention"),
    ("# Decoder layer 1 - self-attention", "# Decoder layer 1 - cross-attention"),
    ("First, causal self-attention.", "Then cross-attention to the memory."),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("first", "second"), HALVES)
def test_the_halves_of_a_decoder_block(first: str, second: str) -> None:
    report = checked(halves(decoded(), first, second), checker=decoders(1))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["1", "2"]


@pytest.mark.parametrize(
    "names", [("Decoder block 1", "Decoder block 2"), pytest.param(("Block 1", "Block 2"), marks=pytest.mark.long)]
)
def test_two_decoder_blocks_are_counted_as_people_count_them(names: tuple[str, str]) -> None:
    one = decoded()
    two = decoded(tokens=w.made(one[1]))
    works = [
        halves(found, f"# {name}\n\n## Self-attention", "## Cross-attention")
        for name, found in zip(names, (one, two), strict=True)
    ]
    report = checked(w.text(works), checker=decoders(2))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["1", "2", "3", "4"]


def test_headings_name_the_only_encoder_and_the_only_decoder() -> None:
    own = w.listed(w.FIRST, "W_Q W_K W_V")
    memory = {"decoder": True, "inputs": own, "cross": own, "memory": w.MEMORY.tolist()}
    problem = Problem.build(X=w.X.tolist(), blocks=[{"inputs": own}, memory], block={"norm": "rms", "eps": "1/10"})
    one = w.worked(w.X, w.FIRST, network=False)
    two = w.worked(w.made(one), w.FIRST, causal=True, network=False)
    three = w.worked(w.made(two), w.FIRST, memory=w.MEMORY, network=False)
    work = w.text("# Encoder", w.lines(one), halves([two, three], "# Decoder", "## Cross-attention"))
    report = checked(work, checker=StackChecker(problem))
    assert is_right(report), faults(report)
    assert of_blocks(report) == ["1", "2", "3"]


def test_a_mistake_goes_from_the_own_tokens_to_the_memory() -> None:
    report = checked(halves(decoded(slip=("V", (0, 0), 1)), *HALVES[1]), checker=decoders(1))
    assert [name for name, word in faults(report) if word == "wrong"] == ["V@1"]
    assert ("N_2@2", "follows") in faults(report)


# Reports ---------------------------------------------------------------------------------------------


def test_everything_that_shows_a_report_shows_one_of_several_blocks() -> None:
    report: Any = sa.check(w.encoders(), WRITTEN["md"](pair(first=("V", (0, 1), 1)), 3))
    record = json.loads(json.dumps(report.as_json()))
    assert record["first_mistake"]["name"] == "V@1"
    assert {item["name"].partition("@")[2] for item in record["statements"]} == {"1", "2"}
    assert "V@1" in report.to_text(width=100)
    assert "follows" in report.to_latex()
    assert "follows" in report._repr_html_()


@pytest.mark.parametrize("strict", [False, True])
def test_a_strict_sheet_accepts_its_own_rounding_alone(strict: bool) -> None:
    problem = w.encoders(rounding={"places": 2, "steps": "end"})
    own = sa.check(problem, WRITTEN["md"](pair(), 2), strict=strict)
    assert is_right(own), faults(own)
    other = sa.check(problem, WRITTEN["md"](pair(w.to(2)), 2), strict=strict)
    assert is_right(other) is not strict


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "text",
    [
        w.text([f"## Block {number}\n\nQ = {number}" for number in range(100)]),
        "Q@99999999999999999999 = 3",
        "Block 99999999999999999999999: Q = 3",
        "Q^(2)" * 300,
        "# Block 2\n" * 300,
        "@" * 1000,
        "Q@2@3 = 4",
        "X^(2) = X^(1) = X^(0) = 3",
        "layer " * 3000,
        "first " * 3000 + "block 2",
        "",
    ],
)
def test_nothing_written_is_too_strange_to_be_read(text: str) -> None:
    for form in ("md", "tex"):
        report = checked(text, form)
        assert not any(finding.verdict in HOLDS for finding in report.findings)


# Backward ----------------------------------------------------------------------------------------------

UNIT = [[1, 0], [0, 1]]
BACKWARD = sa.Problem.build(
    X=[[1, 2]],
    blocks=[
        {"inputs": {"W_Q": UNIT, "W_K": UNIT, "W_V": [[1, 2], [0, 1]]}},
        {"inputs": {"W_Q": UNIT, "W_K": UNIT, "W_V": [[1, 1], [0, 2]]}},
    ],
    block={"norm": "none"},
    gradient={"dY": [[1, 0]]},
)
"""One token, so every weight is 1: dX = g + g W_V^T, which is (2, 0) on block 2 and (4, 0) on block 1."""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("after", "numbers", "verdicts", "first"),
    [
        ("[2, 0]", ("[2, 0]", "[2, 0]", "[4, 0]"), ("right", "right", "right", "right"), None),
        ("[3, 0]", ("[3, 0]", "[3, 0]", "[6, 0]"), ("wrong", "follows", "follows", "follows"), "dX@2"),
        ("[3, 0]", ("[3, 0]", "[3, 0]", "[5, 0]"), ("wrong", "follows", "follows", "wrong"), "dX@2"),
        ("[3, 0]", ("[2, 0]", "[2, 0]", "[4, 0]"), ("wrong", "right", "right", "right"), "dX@2"),
        ("[2, 0]", ("[3, 0]", "[3, 0]", "[6, 0]"), ("right", "wrong", "follows", "follows"), "dR_1@1"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_wrong_gradient_goes_on_into_the_block_before(
    after: str, numbers: tuple[str, ...], verdicts: tuple[str, ...], first: str | None, *, strict: bool
) -> None:
    lines = [f"{name} = {value}" for name, value in zip(("dR_1", "dV", "dX"), numbers, strict=True)]
    report = sa.check(BACKWARD, w.text(["# Block 2", f"dX = {after}", "# Block 1", *lines]), strict=strict)
    assert tuple(finding.verdict for finding in report.findings) == verdicts
    assert (None if report.first is None else report.first.name) == first
