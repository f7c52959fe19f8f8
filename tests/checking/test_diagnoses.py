"""Every diagnosis has an example, a problem and one line of work, that gets it; the reference shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symattn.checking.check import check_text
from symattn.checking.mistakes.catalogue import CODES
from symattn.problem.model import Problem

EXAMPLES = json.loads((Path(__file__).parents[1] / "data" / "diagnoses.json").read_text(encoding="utf-8"))


def test_every_code_has_an_example_and_no_other() -> None:
    assert list(EXAMPLES) == list(CODES)


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_gets_its_diagnosis(code: str) -> None:
    example = EXAMPLES[code]
    report = check_text(Problem.build(**example["problem"]), example["work"], example["format"])
    assert code in {finding.diagnosis.code for finding in report.findings if finding.diagnosis is not None}
