"""The example notebooks run from top to bottom, and what they show is rich."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

pytestmark = [pytest.mark.unmeasured, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in code_cells(notebook) for output in cell.outputs]
    forms = [output.data for output in shown if output.output_type in {"execute_result", "display_data"}]
    assert sum("text/html" in form for form in forms) >= 3
    for form in forms:
        assert len(form["text/plain"].splitlines()) <= 40
        assert " object at 0x" not in form["text/plain"]
        assert "<script" not in form.get("text/html", "")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_its_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.outputs or cell.execution_count for cell in code_cells(notebook))
    assert len(notebook.cells) <= 30


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3
