"""The question for PrairieLearn, run through generate, parse and grade as its documentation says they are called.

The keys of `info.json` and of `data` are those of PrairieLearn's pages "Questions" (question/overview.md) and
"server.py" (question/server.md). The harness plays the part of `pl-string-input` (elements/pl-string-input.md).
"""

from __future__ import annotations

import hashlib
import json
import re
import runpy
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from symattn.problem.model import Problem
from tests.cli.runner import run
from tests.courses.exports.course import PARTS, QUANTITIES, ROWS, TEXT, values, write_problem, write_variants

INFO = {
    "type": "object",
    "required": ["uuid", "type", "title", "topic"],
    "additionalProperties": False,
    "properties": {
        "uuid": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "type": {"const": "v3"},
        "title": {"type": "string", "minLength": 1},
        "topic": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "authors": {"type": "array"},
        "gradingMethod": {"enum": ["Internal", "External", "Manual"]},
        "singleVariant": {"type": "boolean"},
        "showCorrectAnswer": {"type": "boolean"},
        "partialCredit": {"type": "boolean"},
        "externalGradingOptions": {"type": "object"},
        "dependencies": {"type": "object"},
        "preferences": {"type": "object"},
        "sharePublicly": {"type": "boolean"},
        "shareSourcePublicly": {"type": "boolean"},
        "sharingSets": {"type": "array"},
        "comment": {},
    },
}
"""The documented keys of `info.json`."""

MODIFIABLE = {
    "generate": {"correct_answers", "params"},
    "parse": {"correct_answers", "feedback", "format_errors", "params", "submitted_answers"},
    "grade": {
        "correct_answers",
        "feedback",
        "format_errors",
        "params",
        "partial_scores",
        "score",
        "submitted_answers",
    },
}
"""The documented keys of `data` that each function may change."""


class Question:
    """A question of a folder, at one seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.server: Mapping[str, Any] = runpy.run_path(str(folder / "server.py"))
        self.html = (folder / "question.html").read_text("utf-8")
        self.data: dict[str, Any] = {
            "params": {}, "correct_answers": {}, "submitted_answers": {}, "raw_submitted_answers": {},
            "format_errors": {}, "partial_scores": {}, "score": 0, "feedback": {}, "variant_seed": seed,
            "options": {"question_path": str(folder)},
        }  # fmt: skip
        self.call("generate")

    def call(self, name: str) -> None:
        before = json.dumps({key: value for key, value in self.data.items() if key not in MODIFIABLE[name]})
        self.server[name](self.data)
        # All of it is stored as JSON.
        self.data = json.loads(json.dumps(self.data))
        after = json.dumps({key: value for key, value in self.data.items() if key not in MODIFIABLE[name]})
        assert before == after

    def submit(self, answers: Mapping[str, str]) -> float | None:
        """Return the score of a submission; None where its format is wrong."""
        self.data |= {"format_errors": {}, "partial_scores": {}, "score": 0, "raw_submitted_answers": dict(answers)}
        self.data["submitted_answers"] = {
            name: answers.get(name, "").strip() for name in self.data["params"]["answers"]
        }
        self.call("parse")
        if self.data["format_errors"]:
            return None
        self.call("grade")
        score: float = self.data["score"]
        return score

    def names(self) -> list[str]:
        """Return the fields in the order of the page."""
        rows = [[grid["first"], *(row["cells"] for row in grid["others"])] for grid in self.data["params"]["grids"]]
        return [field["name"] for grid in rows for row in grid for field in row]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prairielearn")
    table = write_variants(path, [""] * len(ROWS))
    done = run("export", "prairielearn", write_problem(path), "--variants", table, "-o", path / "attention")
    assert (done.status, done.err) == (0, f"wrote {path / 'attention'}\n")
    return path / "attention"


def problem_of(folder: Path, question: Question) -> Problem:
    """Return the problem whose sheet a question shows; the variants stand in the order of their table."""
    sheets = [variant["sheet"] for variant in json.loads((folder / "variants.json").read_text("utf-8"))]
    return Problem.from_text(TEXT.format(rows=ROWS[sheets.index(question.data["params"]["sheet"])]))


def flat(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, text) for name in QUANTITIES for row in numbers[name] for text in row]


def test_the_metadata_has_the_documented_keys(folder: Path) -> None:
    info = json.loads((folder / "info.json").read_text("utf-8"))
    jsonschema.validate(info, INFO)
    assert (info["title"], info["singleVariant"]) == ("Attention of two tokens", False)
    assert sorted(path.name for path in folder.iterdir()) == [
        "info.json",
        "question.html",
        "server.py",
        "variants.json",
    ]


def test_seeds_reach_all_variants(folder: Path) -> None:
    shown = {json.dumps(problem_of(folder, Question(folder, seed)).inputs["X"].rows, default=str) for seed in range(40)}
    assert len(shown) == len(ROWS)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(40))
def test_right_wrong_and_other_rounding(folder: Path, seed: int) -> None:
    question = Question(folder, seed)
    problem, names = problem_of(folder, question), question.names()
    weights = _weights()
    for steps in ("all", "end", "matrices"):
        right = dict(zip(names, (text for _, text in flat(values(problem, steps))), strict=True))
        assert question.submit(right) == 1
    draw = Random(seed)
    missed = draw.sample(range(len(names)), draw.randint(1, len(names)))
    for changed in (_wrong, _blank):
        answers = {name: changed(text) if i in missed else text for i, (name, text) in enumerate(right.items())}
        lost = sum((weights[i] for i in missed), Fraction(0))
        assert question.submit(answers) == pytest.approx(float(1 - lost), abs=1e-12)
        scores = [question.data["partial_scores"][name]["score"] for name in names]
        assert scores == [float(i not in missed) for i in range(len(names))]
    assert question.submit({**right, names[0]: "about 1"}) is None
    assert list(question.data["format_errors"]) == [names[0]]


def _weights() -> list[Fraction]:
    """Return the share of each entry: the points of a part divided equally over its entries."""
    size = {"Q": 4, "K": 4, "V": 4, "S": 4, "A": 4, "O": 4}
    entries = {4: 16, 6: 8}
    return [Fraction(PARTS[name], entries[PARTS[name]] * 10) for name in QUANTITIES for _ in range(size[name])]


def _blank(_: str) -> str:
    return ""


def _wrong(text: str) -> str:
    return f"{Fraction(text) + Fraction('0.05')}"


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("0.62", True),
        (" .62 ", True),
        ("0,62", True),
        ("+0.62", True),
        ("6.2e-1", True),
        ("0.6225", True),
        ("0.622459331202", True),
        ("0.622459331201", False),
        ("31/50", True),
        ("0.63", False),
        ("0.6", False),
        ("0.6224", False),
        ("0.61", False),
        ("-0.62", False),
        ("62", False),
    ],
)
def test_ways_to_write_a_number(tmp_path: Path, text: str, *, is_right: bool) -> None:
    source = 'scale = "none"\n[inputs]\nQ = [[1]]\nK = [["1/2"], [0]]\nV = [[1], [0]]\n'
    parts = '[rounding]\nplaces = 2\nsteps = "all"\n[[parts]]\nasks = "map"\npoints = 2\n'
    (tmp_path / "p.toml").write_text(source + parts, encoding="utf-8")
    assert run("export", "prairielearn", tmp_path / "p.toml", "-o", tmp_path / "q").status == 0
    question = Question(tmp_path / "q", 1)
    first, second = question.names()
    assert question.submit({first: text, second: ""}) == (0.5 if is_right else 0)


def test_unreadable_text_is_refused_not_run(tmp_path: Path) -> None:
    path = write_problem(tmp_path)
    assert run("export", "prairielearn", path, "-o", tmp_path / "q").status == 0
    question = Question(tmp_path / "q", 1)
    first, *_ = question.names()
    for text in (
        "1/0",
        "__import__('os')",
        "9" * 5000,
        "1e999",
        "1.2.3",
        "1,000,000",
        "\u0661",
        "nan",
        "-",
        ".",
        "<b>",
    ):
        assert question.submit({first: text}) is None


def test_its_own_test_function_agrees_with_parse_and_grade(folder: Path) -> None:
    question = Question(folder, 3)
    for kind, score in (("correct", 1.0), ("incorrect", 0.0), ("invalid", None)):
        question.data |= {"test_type": kind, "raw_submitted_answers": {}, "partial_scores": {}, "format_errors": {}}
        question.server["test"](question.data)
        expected = {key: question.data[key] for key in ("partial_scores", "format_errors")}
        assert question.submit(question.data["raw_submitted_answers"]) == score
        assert {**expected, "partial_scores": {}} | {"partial_scores": question.data["partial_scores"]} == {
            key: question.data[key] for key in ("partial_scores", "format_errors")
        }
        assert expected["partial_scores"] == question.data["partial_scores"]


def test_every_field_of_the_page_is_graded(folder: Path) -> None:
    question = Question(folder, 0)
    assert sorted(question.names()) == sorted(question.data["params"]["answers"])
    assert set(question.data["correct_answers"]) == set(question.names())
    assert question.html.count("<pl-string-input") == 2
    unescaped = re.findall(r"\{\{\{(.*?)\}\}\}", question.html)
    assert unescaped == ["params.sheet", "symbol"]  # written by our own writer of HTML


def test_texts_of_the_author_are_escaped(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> {{params.answers}} ]]>"
    text = TEXT.format(rows=ROWS[0]).replace("Two tokens, one head.", hostile).replace('"Scores"', json.dumps(hostile))
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    assert run("export", "prairielearn", tmp_path / "p.toml", "-o", tmp_path / "q").status == 0
    sheet = Question(tmp_path / "q", 0).data["params"]["sheet"]
    assert "<script" not in sheet
    assert "&lt;script&gt;" in sheet


@pytest.mark.long
def test_a_variant_with_other_fields_is_refused(tmp_path: Path) -> None:
    table = write_variants(tmp_path, ["", ""])
    other = TEXT.format(rows="[[1, 0], [0, 1], [1, 1]]").encode()
    _replace(table, tmp_path / "variants/0002.toml", other)
    done = run("export", "prairielearn", write_problem(tmp_path), "--variants", table, "-o", tmp_path / "q")
    assert done.status == 2
    assert "variant 0002 asks for other entries than variant 0001" in done.err
    assert not (tmp_path / "q").exists()


def _replace(table: Path, path: Path, data: bytes) -> None:
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(data)
    table.write_text(table.read_text("utf-8").replace(old, hashlib.sha256(data).hexdigest()), encoding="utf-8")
