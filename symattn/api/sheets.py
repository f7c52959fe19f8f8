"""The problems of one file, solved: one paper, one key, one total."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from symattn.api.result import FORMAT, Result
from symattn.api.solutions import solve
from symattn.errors import expect
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.statements.chains import Detail
from symattn.problem.caveats import Caveat
from symattn.problem.sheet import Sheet
from symattn.rendering.html import key as key_html
from symattn.rendering.keys.documents import sheet_document
from symattn.rendering.latex.prose import sheet_warnings
from symattn.rendering.sections import readback
from symattn.rendering.sections.document import Document, render

_MARK = re.compile(r"% problem ([1-9][0-9]{0,4})", re.ASCII)


class SheetResult:
    """Problems of one file, solved: `results` in their order, and one document of all.

    >>> one = {"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "points": 3}
    >>> solved = SheetResult(Sheet.of_tables({"scale": "none", "problems": [one, {**one, "scale": "1/2"}]}, "two"))
    >>> [result.A.rounded(2) for result in solved.results], solved.as_json()["points"]
    ([[['0.73', '0.27']], [['0.62', '0.38']]], '6')
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The problems, each solved."""
        return tuple(map(solve, self.sheet.problems))

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out, each with the number of its problem."""
        return (*sheet_warnings(self.sheet), *self._warnings())

    def _warnings(self) -> Iterator[Caveat]:
        for number, result in enumerate(self.results, 1):
            yield from (replace(item, text=f"Problem {number}: {item.text}") for item in result.warnings)

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key of all problems before it is set, every statement of it proved.

        Raises:
            InputError: no such detail or template, or a part that cannot be answered.
        """
        return sheet_document(self.sheet, [result.document(detail, template) for result in self.results])

    def to_latex(self, template: str = "article", detail: Detail = "full") -> str:
        """Return the key of all problems as LaTeX source, or with another template the paper.

        Raises:
            InputError: no such detail or template, or a part that cannot be answered.
        """
        return render(self.document(detail, template), template)

    def to_html(self, detail: Detail = "full") -> str:
        """Return the key of all problems as a web page of one file.

        Raises:
            InputError: no such detail, or a part that cannot be answered.
        """
        return key_html.key_page(self.document(detail))

    def read_back(self, tex: str) -> list[readback.Finding]:
        """Return every judged line of a key, read from its source and judged again by its own problem."""
        expect(tex, str, "A key is read back from text")
        owner, owners = 0, list[int]()
        for line in tex.split("\n"):
            found = _MARK.fullmatch(line)
            owner = int(found[1]) if found else owner
            owners.append(owner)
        return [
            finding
            for number, result in enumerate(self.results, 1)
            for finding in result.read_back(
                "\n".join(line if owner == number else "" for line, owner in zip(tex.split("\n"), owners, strict=True))
            )
        ]

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the problems for machines, each as `Result.as_json` has it.

        Args:
            rounding: of the `decimal` values; that of each problem's own policy where it is None.
        """
        points = self.sheet.points
        return {
            "format": FORMAT,
            "title": self.sheet.title,
            "points": None if points is None else str(points),
            "problems": [result.as_json(rounding) for result in self.results],
        }


def solve_sheet(path: str | Path) -> SheetResult:
    """Solve the problems of a file, one or several under ``[[problems]]``.

    Args:
        path: the path of the file.

    Raises:
        InputError: the file cannot be read, or something in it cannot be used as it stands.

    >>> solved = solve_sheet("examples/how_to/homework.toml")
    >>> [result.problem.title for result in solved.results], solved.as_json()["points"]
    (['Self-attention', 'A masked layer', ''], '41/2')
    """
    return SheetResult(Sheet.load(path))
