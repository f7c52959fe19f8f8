"""Every diagnosis has an example, a problem and one line of work, that gets it; the reference shows them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from symattn.checking.check import check_text
from symattn.checking.mistake_catalogue import CODES, KINDS
from symattn.data_files import read_table
from symattn.problem.model import Problem

ROOT = Path(__file__).parents[2]
EXAMPLES = json.loads((ROOT / "tests" / "data" / "diagnoses.json").read_text(encoding="utf-8"))


def test_every_code_has_an_example_and_no_other() -> None:
    assert list(EXAMPLES) == list(CODES)


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_gets_its_diagnosis(code: str) -> None:
    example = EXAMPLES[code]
    report = check_text(Problem.build(**example["problem"]), example["work"], example["format"])
    assert code in {finding.diagnosis.code for finding in report.findings if finding.diagnosis is not None}


SENTENCES: dict[str, dict[str, str]] = read_table("symattn.checking", "mistakes.toml")["sentences"]


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """The calls of `explain` with a code and a case that are written out."""
    for path in sorted((ROOT / "symattn" / "checking").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "explain":
                words = [item.value if isinstance(item, ast.Constant) else None for item in (*node.args, None)]
                code, case = words[0], words[1] if len(node.args) > 1 else "own"
                if isinstance(code, str) and isinstance(case, str):
                    yield code, case, node


@pytest.mark.parametrize(("code", "case", "node"), list(calls()))
def test_a_sentence_gets_the_words_that_it_takes(code: str, case: str, node: ast.Call) -> None:
    assert code in CODES
    sentence = SENTENCES.get(code, {}).get(case, "" if case == "own" else None)
    assert sentence is not None
    given = {keyword.arg for keyword in node.keywords}
    taken = {field for _, field, _, _ in Formatter().parse(sentence) if field is not None}
    assert taken == given or (None in given and taken >= given - {None})


def test_kinds_are_made_of_codes() -> None:
    assert all(codes and codes <= CODES.keys() for codes in KINDS.values())


def test_sentences_belong_to_codes() -> None:
    assert SENTENCES.keys() <= CODES.keys()
