"""The master notebook for `otter assign`, and the plugin that grades with symattn where Otter runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from symattn.api.transcripts import VERSION
from symattn.courses.exports.assignment import Assignment, decimal_points, full_marks
from symattn.courses.exports.marking import NO_WORK, marked
from symattn.courses.exports.notebook_text import (
    PROMPT,
    WORK,
    WRITES,
    code,
    markdown,
    notebook,
    packed,
    raw,
    sheet_cells,
    unpacked,
)
from symattn.errors import InputError

QUESTION = "work"
PLUGIN = f"{__name__}.Marks"
_TEST = f"""def test_work():
    from pathlib import Path

    text = Path("{WORK}").read_text(encoding="utf-8").strip()
    assert text and text != "{PROMPT}", "Write your work into the cell that begins with %%writefile, and run it."
"""


class Results(Protocol):
    """The part of Otter's results that the plugin changes."""

    def update_score(self, test_name: str, new_score: float) -> None:
        """Set the score of a question."""

    def set_output(self, output: str) -> None:
        """Set the text that is shown with the scores."""


class Marks:
    """Plugin of Otter that sets the score of the question to the marks of symattn.

    It reads the cell of the student as text: nothing that the notebook runs can change what is graded.

    Args:
        submission_path: the notebook that was handed in.
        submission_metadata: unused; Otter gives it to every plugin.
        plugin_config: the problem and the level of the report, as `otter` writes them into the notebook.
    """

    def __init__(
        self, submission_path: str, submission_metadata: object, plugin_config: Mapping[str, str | None]
    ) -> None:
        del submission_metadata
        self.path = submission_path
        self.settings = plugin_config

    def after_grading(self, results: Results) -> None:
        """Set the score and the report."""
        text = _work_of(Path(self.path).read_text(encoding="utf-8"))
        if text is None:
            results.update_score(QUESTION, 0.0)
            results.set_output(NO_WORK)
            return
        settings = self.settings
        found = marked(unpacked(settings["problem"] or ""), text, settings["name"], settings["reveal"] or "")
        results.update_score(QUESTION, found.points)
        results.set_output(found.text)


def otter(assignment: Assignment) -> str:
    """Return the master notebook of an assignment for `otter assign`.

    Raises:
        InputError: several variants, or no points that a program can judge.
    """
    version = assignment.only_version("otter")
    settings = {"problem": packed(version.text), "name": assignment.name, "reveal": assignment.reveal}
    config = {
        "name": assignment.slug,
        "requirements": [f"symattn=={VERSION}"],
        "run_tests": False,  # the notebook has no solution, whose score would have to be full
        "export_cell": {"pdf": False, "run_tests": False},
        "tests": {"ok_format": False},
        "plugins": [{PLUGIN: settings}],
    }
    question = {"name": QUESTION, "points": decimal_points(full_marks(version.sheet).points)}
    return notebook(
        [
            raw(f"# ASSIGNMENT CONFIG\n{json.dumps(config)}"),
            *(markdown(text) for text in sheet_cells(assignment.title, version.document())),
            raw(f"# BEGIN QUESTION\n{json.dumps(question)}"),
            raw("# BEGIN PROMPT"),
            code(f"{WRITES}\n{PROMPT}"),
            raw("# END PROMPT"),
            raw("# BEGIN TESTS"),
            code(_TEST),
            raw("# END TESTS"),
            raw("# END QUESTION"),
        ]
    )


def _work_of(text: str) -> str | None:
    """Return the work in the text of a notebook; None where no cell writes one.

    Raises:
        InputError: the text is not a notebook.
    """
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError("The submission is not a Jupyter notebook. Save it once more in Jupyter.") from error
    found = [source.partition("\n")[2] for source in sources if source.partition("\n")[0].strip() == WRITES]
    return found[-1] if found else None
