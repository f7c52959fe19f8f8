"""Where a problem and a work come from: objects, mappings, paths and texts are told apart by type alone."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn.api.submissions import check_proof
from symattn.errors import InputError

SHEET: dict[str, Any] = {
    "scale": "none",
    "inputs": {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]},
    "rounding": {"places": 2},
}
EXAMPLE = Path("examples/ps4_self_attention.toml")


def test_a_mapping_is_the_problem_of_the_file_with_the_same_keys() -> None:
    keys = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"), parse_float=Decimal)
    result = sa.solve(keys)
    for name in ("quantities", "policy", "convention", "statements"):
        assert result.as_json()[name] == sa.solve(EXAMPLE).as_json()[name] == sa.solve(str(EXAMPLE)).as_json()[name]
    work = Path("examples/ps4_student_work.md")
    found, same = sa.check(keys, work), sa.check(EXAMPLE, work)
    assert [item.verdict for item in found.findings] == [item.verdict for item in same.findings]


@pytest.mark.parametrize("name", ["ps4_self_attention", "causal_two_heads", "own_definitions", "cached_step"])
def test_a_problem_has_one_digest_wherever_it_came_from(name: str, tmp_path: Path) -> None:
    path = Path("examples", f"{name}.toml")
    text = path.read_text(encoding="utf-8")
    keys = tomllib.loads(text, parse_float=Decimal)
    (tmp_path / "sheet.json").write_text(json.dumps(keys, default=str), encoding="utf-8")
    digests = {sa.solve(problem).as_json()["digest"] for problem in (path, keys, tmp_path / "sheet.json")}
    assert len(digests) == 1
    assert sa.solve({**keys, "title": "another"}).as_json()["digest"] not in digests


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "mapping"),
        (b"x.toml", "mapping"),
        ([["Q", [[1]]]], "mapping"),
        (np.array([[1]]), "mapping"),
        ({1: 2}, "A key of a problem is text"),
        ({"cls": 1}, "cls"),
        ({"self": 1}, "self"),
        ({}, "inputs"),
        ({**SHEET, "scal": 1}, "scale"),
        ({**SHEET, "inputs": {"Q": [[1.5]], "K": [[1]], "V": [[1]]}}, "float"),
    ],
)
def test_other_problems_are_refused_in_one_sentence(wrong: Any, words: str) -> None:
    for use in (sa.solve, lambda problem: sa.check(problem, "A_11 = 0.73", "txt")):
        with pytest.raises(InputError, match=words):
            use(wrong)


@pytest.mark.parametrize("text", ["A_11 = 0.73", "work", "A_11 = 0.73 notes.md"])
def test_text_is_never_looked_for_on_the_disk(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / text).write_text("A_11 = 0.99\n\nA_12 = 0.99", encoding="utf-8")
    told: list[dict[str, Any]] = [{"format": "md"}, {"source": "hand in"}]
    for keys in told:
        report = sa.check(SHEET, text, **keys)
        assert report.text.strip() == text
        assert check_proof("dot-product-mean", text, **keys).text.strip() == text
    if not text.endswith(".md"):
        assert sa.check(SHEET, text).text.strip() == text
    for keys in ({"format": "md"}, dict[str, Any](format="md", source="hand in")):
        report = sa.check(SHEET, Path(text), **keys)
        assert [item.verdict for item in report.findings] == ["wrong", "wrong"]
        assert report.source == keys.get("source", text)


def test_one_line_with_the_ending_of_a_work_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "work.md").write_text("A_11 = 0.73", encoding="utf-8")
    assert sa.check(SHEET, str(tmp_path / "work.md")).findings[0].verdict == "rounded"
    with pytest.raises(InputError, match=r"nowhere\.md cannot be read"):
        sa.check(SHEET, "nowhere.md")
    with pytest.raises(InputError, match="cannot be read"):
        sa.check(SHEET, Path("nowhere"))


@pytest.mark.parametrize("wrong", [None, 3, b"A_11 = 0.73", ["A_11 = 0.73"]])
def test_other_works_are_refused_in_one_sentence(wrong: Any) -> None:
    with pytest.raises(InputError, match="A submission must be text or the path of a file"):
        sa.check(SHEET, wrong)
    with pytest.raises(InputError, match="A submission must be text or the path of a file"):
        check_proof("dot-product-mean", wrong)
