"""Checks of a practice page: the part of it that runs in a browser, on Pyodide.

`templates/site/worker.mjs` calls it there, out of an archive of symattn alone. No other package is at hand: neither
SymPy nor click, and python-flint only once somebody asked for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, NamedTuple, Self

from symattn.api import sheet_submissions, submissions
from symattn.errors import InputError
from symattn.printable import json_text
from symattn.problem.sheet import Sheet
from symattn.problem.text.document import parse
from symattn.rendering.reports.html import report_html

if TYPE_CHECKING:
    from types import ModuleType

    from symattn.checking.report import Reveal

SOURCE = "Your work"
"""The name of a submission in reports and messages."""


class Settings(NamedTuple):
    """Problem and options of a page: the content of its `settings.json`.

    Attributes:
        source: the name of the problem file.
        problem: its text.
        seconds: the time that one check may take.
        gigabytes: the memory that one check may take.
        name: the problem of several that is practised, by number or title; None for all.
        policy: keys of the rounding policy to replace.
        reveal: the amount that the report tells.
        strict: accept the rounding of the problem alone.
        flint: the file name of python-flint's wheel; None where the page has none.
    """

    source: str
    problem: str
    seconds: float
    gigabytes: float
    name: str | None = None
    policy: str | None = None
    reveal: Reveal = "place"
    strict: bool = False
    flint: str | None = None

    def sheet(self) -> Sheet:
        """Return the problems of the page.

        Raises:
            InputError: the text is not a problem file, or lacks the problem of this name.
        """
        found = Sheet.of_tables(parse(self.problem, "", self.source), self.source)
        return found.chosen(self.name, self.policy)

    def to_json(self) -> str:
        """Return the settings as JSON."""
        return json_text(self._asdict()) + "\n"

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Return settings from their JSON."""
        return cls(**json.loads(text))


class _FlintRequests(MetaPathFinder):
    """A finder of modules that finds none, and records whether python-flint was asked for."""

    def __init__(self) -> None:
        self.is_asked = False

    def find_spec(self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> None:
        """Record the name of a module that is not loaded yet."""
        self.is_asked = self.is_asked or fullname == "flint"

    def __enter__(self) -> Self:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)


class Checker:
    r"""The problems of a page, and checks of submissions on them.

    >>> problem = 'scale = "none"\n[inputs]\nQ = [[1]]\nK = [[1], [0]]\nV = [[1], [0]]\n[rounding]\nplaces = 2\n'
    >>> answer = json.loads(Checker(Settings("p.toml", problem, 30, 1).to_json()).check("A_11 = 0.37"))
    >>> answer["status"], json.loads(answer["json"])["statements"][0]["verdict"], "0.73" in answer["html"]
    ('1 statement: 1 wrong', 'wrong', False)
    """

    def __init__(self, settings: str) -> None:
        """Take the settings of the page, as JSON."""
        self._settings = Settings.of_json(settings)

    @cached_property
    def _sheet(self) -> Sheet:
        return self._settings.sheet()

    def check(self, text: str, written_as: str = "") -> str:
        """Return the answer to a submission as JSON.

        Args:
            text: the submission.
            written_as: its format, as for `symattn.check`.

        Returns:
            An object with `status`, one line; `html` and `json`, the report, both empty where the submission was
            refused; and `needs_flint`: digits were asked for that need python-flint, which is not loaded.
        """
        with _FlintRequests() as flint:
            try:
                report = self._report(text, written_as)
            except InputError as error:
                answer = {"status": str(error), "html": "", "json": ""}
            else:
                answer = {
                    "status": report.summary,
                    "html": report_html(report),
                    "json": json_text(report.as_json()) + "\n",
                }
        return json_text({**answer, "needs_flint": flint.is_asked})

    def _report(self, text: str, written_as: str) -> submissions.Report:
        work = submissions.decode_work(text.encode("utf-8", "replace"), SOURCE)
        strict = self._settings.strict
        report = sheet_submissions.check_sheet(self._sheet, work, written_as, strict=strict, source=SOURCE)
        return report.redacted(self._settings.reveal)


def try_out() -> None:
    """Read ``{"settings": …, "work": …}`` from standard input, check the work, a key, and print the answer."""
    given = json.load(sys.stdin.buffer)
    sys.stdout.buffer.write(Checker(given["settings"]).check(given["work"], "tex").encode())
