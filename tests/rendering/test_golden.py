"""The keys and the JSON of the examples, compared with what was reviewed.

They change only on request: ``python -m pytest tests/rendering/test_golden.py --update-golden``, and the
difference is read before it is committed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symattn.api.proofs import replay_record
from symattn.api.solutions import Result, solve
from symattn.printable import json_text
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import EngineName, compile_tex, engines
from tests.tex_logs import log_problems

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.toml"))


def solved(name: str) -> Result:
    text = (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    return solve(Problem.from_text(text, source=f"{name}.toml"))


def numbers(record: dict[str, object]) -> str:
    """Return the JSON of a result without versions, which differ between environments, and without steps.

    The digest covers the steps.
    """
    shown = {key: value for key, value in record.items() if key not in {"versions", "derivation"}}
    return json_text(shown) + "\n"


def compare(path: Path, text: str, config: pytest.Config) -> None:
    if config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name} has changed"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_key_and_its_numbers_are_the_reviewed_ones(name: str, pytestconfig: pytest.Config) -> None:
    """One solution serves all three comparisons: that of a sheet of proofs takes a while."""
    result = solved(name)
    tex = result.to_latex()
    findings = result.read_back(tex)
    assert findings
    assert [finding.reasons for finding in findings if not finding.proved] == []
    compare(GOLDEN / f"{name}.tex", tex, pytestconfig)
    record: Any = result.as_json()
    compare(GOLDEN / f"{name}.json", numbers(record), pytestconfig)
    if "derivation" in record:
        assert replay_record(record).is_proved


@pytest.mark.sample(2)
@pytest.mark.tex
@pytest.mark.parametrize("engine", [engine.name for engine in engines()])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_reviewed_key_compiles_without_a_warning(name: str, engine: EngineName) -> None:
    tex = (GOLDEN / f"{name}.tex").read_text(encoding="utf-8")
    assert log_problems(compile_tex(tex, engine=engine).log) == []
