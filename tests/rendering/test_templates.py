"""Compiled templates are kept beside the program's own bytecode, and change nothing that is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.problem.model import Problem
from symattn.rendering.latex import templates


def test_a_kept_template_writes_what_a_new_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = solve(Problem.build(Q=[[1]], K=[[1], [2]], V=[[3], [4]]))
    monkeypatch.setattr(templates, "_bytecode_folder", lambda: None)
    wanted = result.to_latex()
    monkeypatch.setattr(templates, "_bytecode_folder", lambda: tmp_path)
    assert result.to_latex() == wanted
    assert list(tmp_path.iterdir())
    assert result.to_latex() == wanted


def test_where_nothing_can_be_kept_the_templates_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_bytecode_folder", lambda: tmp_path / "missing")
    assert r"\documentclass" in solve(Problem.build(Q=[[1]], K=[[1]], V=[[1]])).to_latex()
