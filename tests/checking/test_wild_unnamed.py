"""Numbers without a name beside them: printed arrays, tables, rows with labels, words that lead to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import symattn as sa
from symattn.checking.check import check_text
from symattn.rendering.reports.text import report_text
from tests import tables

if TYPE_CHECKING:
    from symattn.checking.report import Finding
    from symattn.notation.documents.reader import Format

HOLD = {"right", "rounded", "carried"}
TWO: dict[str, Any] = {"inputs": {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}}
"""S = [1 0; 1 2], A = [0.6698 0.3302; 0.3302 0.6698], O = [0.6698 1.3210; 0.3302 2.6790]."""

ONE: dict[str, Any] = {
    "inputs": {"Q": [[1, 2, 0]], "K": [[1, 0, 1], [0, 1, 0], [1, 1, 1]], "V": [[2, 0], [0, 4], [1, 1]]}
}
"""S = [1 2 3]; the exponentials of S/√3 are 1.78, 3.17, 5.65, and their sum is 10.61."""

DEFINED: dict[str, Any] = {
    "definitions": {"S": "Q K^T / sqrt(2)", "B": "softmax(S)", "Y": "B V"},
    "inputs": TWO["inputs"],
}
TEMPERATURE: dict[str, Any] = {
    "definitions": {"ZT": "z / 2", "A": "softmax(ZT)"},
    "inputs": {"z": [[2, 1, 0]]},
}


def judged(tables: dict[str, Any], text: str, form: Format) -> tuple[Finding, ...]:
    return check_text(problem_of(tables), text, form).findings


def problem_of(tables: dict[str, Any]) -> sa.Problem:
    return sa.Problem.from_text(json.dumps(tables), "json")


SHEETS = {"two": TWO, "one": ONE, "defined": DEFINED, "temperature": TEMPERATURE}
WORKS = [
    pytest.param(SHEETS[sheet], work, id=work["case"])
    for sheet, works in tables.read("data/unlabelled_numbers.yaml").items()
    for work in works
]


@pytest.mark.parametrize(("sheet", "work"), WORKS)
def test_numbers_are_judged_where_words_say_what_they_are(sheet: dict[str, Any], work: dict[str, Any]) -> None:
    right, wrong = (judged(sheet, work["text"].replace("?", work[word]), work["form"]) for word in ("right", "wrong"))
    assert {item.verdict for item in right} <= {*HOLD, "unchecked"}
    assert work["quantity"] in {item.name for item in right if item.verdict in HOLD}
    assert [item.name for item in wrong if item.verdict == "wrong"] == [work["quantity"]]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (
            "md",
            "## Softmax\n\nThe exponentials first:\n\n$$\\begin{pmatrix} 2.03 & 1 \\\\ 2.03 & 4.11 \\end{pmatrix}$$",
        ),
        ("md", "The weight matrices of the layer:\n\n$$\\begin{pmatrix} 1 & 0 \\\\ 5 & 1 \\end{pmatrix}$$"),
        ("md", "After dropout the weights are:\n\n[[0.00, 0.66], [0.66, 0.00]]"),
        ("txt", "encoder_output = [[5, 6], [7, 8]]"),
        ("txt", "losses of the attention output: [[3.1, 2.2], [1.9, 0.4]]"),
        ("md", "| word | count |\n|---|---|\n| cat | 3 |\n| dog | 5 |"),
        ("md", "| | recall | precision |\n|---|---|---|\n| ours | 0.61 | 0.70 |\n| theirs | 0.52 | 0.33 |"),
        ("md", "| | k1 | k2 | Summe |\n|---|---|---|---|\n| q1 | 1 | 0 | 1 |\n| q2 | 1 | 2 | 3 |"),
        ("md", "| Weights | k1 | k2 | Σ |\n|---|---|---|---|\n| q1 | 0.67 | 0.33 | 1 |\n| q2 | 0.33 | 0.67 | 1 |"),
        ("txt", "See [1, 2] for the softmax, and #[3, 4] for more."),
        ("txt", "W = torch.rand(2, 2)\nprint(W)\n[[0.1 0.2]\n [0.3 0.4]]"),
        ("txt", "d_model = 512, T = 10\n\nscores: see below"),
        ("txt", "time  mean  best\nours  0.31  0.20\nbase  0.55  0.44"),
        ("md", "The keys, transposed:\n\n$$\\begin{pmatrix} 1 & 0 \\\\ 1 & 2 \\end{pmatrix}$$"),
        ("txt", "scores.shape: (2, 2)\nShape of the output: [2, 2]"),
        ("md", "There are $2$ keys, and the scores of $3$ more are not needed."),
    ],
)
def test_what_is_about_something_else_is_not_held_against_anybody(form: Format, text: str) -> None:
    assert "wrong" not in {item.verdict for item in judged(TWO, text, form)}


def test_the_first_mistake_is_where_the_list_stands_that_has_it() -> None:
    last = "out = 0.17*[2, 0] + 0.30*[0, 4] + 0.35*[1, 1]"
    text = f"Divide by sqrt(3): 0.58, 1.15, 1.73\n\nsoftmax: 0.17, 0.30, 0.35\n\n{last}"
    report = check_text(problem_of(ONE), text, "txt")
    assert report.first is not None
    assert report.first.place.line == 3


def test_the_first_mistake_of_a_table_is_at_its_wrong_number() -> None:
    table = "Weights\n\n| | k1 | k2 |\n|---|---|---|\n| q1 | 0.67 | 0.33 |\n| q2 | 0.43 | 0.67 |"
    report = check_text(problem_of(TWO), table, "md")
    record: Any = report.as_json()
    assert report.first is not None
    assert (report.first.place.line, report.first.shown_at.line) == (5, 6)
    assert (record["first_mistake"]["line"], record["first_mistake"]["column"]) == (6, 8)
    assert "first mistake: line 6, A" in report_text(report)


@pytest.mark.parametrize(
    ("title", "rows", "name"),
    [
        ("Mask", "[[0, -inf], [0, 0]]", "M"),
        ("After the mask", "[[0.71, -inf], [0.71, 1.41]]", "S_masked"),
        ("Scores before masking", "[[1, 0], [1, 2]]", "S"),
        ("Scaled", "[[0.71, 0], [0.71, 1.41]]", "S_scaled"),
        ("Softmax", "[[1, 0], [0.33, 0.67]]", "A"),
    ],
)
def test_titles_of_a_masked_layer(title: str, rows: str, name: str) -> None:
    found = judged({"mask": "causal", **TWO}, f"{title}:\n\n{rows}", "md")
    assert [(item.name, item.verdict in HOLD) for item in found if item.verdict != "unchecked"] == [(name, True)]
