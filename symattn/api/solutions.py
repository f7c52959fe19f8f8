"""The Python interface: solve a problem, check a submission, write results as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.api.result import DETAILS, Result, quantity_json, solved
from symattn.errors import InputError, expect, shortened
from symattn.graph.derivation import Derivation
from symattn.printable import json_text
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED, KINDS, THEORY
from symattn.problem.settings.policy import Policy

if TYPE_CHECKING:
    from symattn.api import batch, definitions, large_layers, stack
    from symattn.checking import check as checker
    from symattn.checking import report
    from symattn.checking.report import Report as Findings
    from symattn.notation.documents import reader
    from symattn.notation.documents.reader import Format
    from symattn.rendering.reports import text as views
    from symattn.rendering.reports.text import Shown

    class Report(Shown, Findings):
        """Everything that was found in one piece of work: plain data that shows itself."""

        __slots__ = ()
else:
    batch = late.module("symattn.api.batch")
    definitions = late.module("symattn.api.definitions")
    large_layers = late.module("symattn.api.large_layers")
    stack = late.module("symattn.api.stack")
    checker = late.module("symattn.checking.check")
    report = late.module("symattn.checking.report")
    reader = late.module("symattn.notation.documents.reader")
    views = late.module("symattn.rendering.reports.text")


LARGE = 1024
"""Weights from which on a layer is large: below it, one of closed forms takes a few tenths of a second at most."""


def solve(problem: Problem | Mapping[str, object] | str | Path) -> Result:
    """Solve a problem exactly and under its rounding policy.

    Args:
        problem: a problem, a mapping with the keys of a problem file, or the path of a file (``str`` or ``Path``).

    Raises:
        InputError: the problem cannot be read or used.

    >>> solve({"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "scale": "none"}).O.rounded(2)
    [['0.73']]
    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solve(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    problem = _problem(problem)
    if problem.batch:
        return batch.BatchResult(problem)
    if problem.later:
        return stack.StackResult(problem)
    if problem.kind == DEFINED:
        return definitions.DefinedResult(problem)
    if problem.kind in KINDS and problem.n_q * problem.n_k >= LARGE:
        return large_layers.large_result(problem) or solved(problem)
    return solved(problem)


def attention(**keys: object) -> Result:
    """Solve attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals and strings, SymPy matrices, or arrays), and ``scale``, ``tokens``,
            ``floats`` (how floats are read, ``"binary"`` or ``"shortest"``) …

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    Quotient('exp(1/2)/(exp(1/2) + 1)')
    """
    return solve(Problem.build(**keys))


WORK_FORMATS: tuple[Format, ...] = ("tex", "md", "txt", "ipynb")
"""How people's work is written: LaTeX, Markdown, plain text, a notebook."""

MAX_WORK = 20_000_000
"""Bytes of a file of work; a notebook brings its pictures along."""

_WORK_ENDINGS = (".tex", ".md", ".txt", ".ipynb")


def check(
    problem: Problem | Mapping[str, object] | str | Path,
    work: str | Path,
    format: str = "",  # noqa: A002 (the word that people use)
    *,
    strict: bool = False,
    policy: str | Policy | None = None,
    source: str = "",
) -> Report:
    """Check a submission on a problem: judge every statement and name the first mistake.

    Args:
        problem: a problem, a mapping with the keys of a problem file, or the path of a file (``str`` or ``Path``).
        work: a ``Path`` is a file. A ``str`` is the text itself, unless it is one line that ends in ``.tex``,
            ``.md``, ``.txt`` or ``.ipynb`` and neither `format` nor `source` is given: then it is the path of a
            file. No other text is ever looked for on the disk.
        format: ``"tex"``, ``"md"``, ``"txt"`` or ``"ipynb"``; by the ending of the file or the look of the text
            where it is empty. With a ``str``, it says that the ``str`` is text.
        strict: accept the sheet's rounding alone.
        policy: the rounding policy instead of the sheet's, or keys of it to replace: ``"places=3,shift=true"``.
        source: the name of the text in messages; with it, a ``str`` is text.

    Raises:
        InputError: the problem or the work cannot be read.

    >>> p = Problem.build(Q=[[1]], K=[[1], [0]], V=[[1], [0]], scale="none", rounding={"places": 2})
    >>> check(p, "A_11 = 0.37", "txt").first_mistake
    0
    """
    expect(format, str, "The format of a work is text")
    expect(source, str, "The name of a work is text")
    known = next((item for item in WORK_FORMATS if item == format), None)
    if format and known is None:
        raise InputError(f"There is no format {shortened(format)!r}: take {', '.join(WORK_FORMATS)}.")
    problem = _with_policy(_problem(problem), policy)
    if problem.kind == THEORY:
        raise InputError(
            f"{problem.source} has no inputs, so there are no numbers to check; check a proof with --theorem NAME."
        )
    text, written_as, source = _work(work, known, source)
    found = checker.check_text(problem, text, written_as, source, strict=strict)
    return _report_class()(*(getattr(found, field.name) for field in fields(found)))


def _problem(problem: Problem | Mapping[Any, object] | str | Path) -> Problem:
    """Return the problem, read from its file or its keys where it is not one."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, str | Path):
        return Problem.load(problem)
    if isinstance(problem, Mapping):
        wrong = next((key for key in problem if not isinstance(key, str)), None)
        if wrong is not None:
            raise InputError(f"A key of a problem is text, and {wrong!r} is of the type {type(wrong).__name__}.")
        return Problem.build(**problem)
    raise InputError(
        f"A problem must be a Problem, a mapping or the path of a file, not of the type {type(problem).__name__}: "
        "make one of keys and values with Problem.build(...)."
    )


def _with_policy(problem: Problem, policy: str | Policy | None) -> Problem:
    """Return the problem under another rounding policy, or with some keys of its own replaced."""
    if policy is None:
        return problem
    if isinstance(policy, Policy):
        return replace(problem, policy=policy)
    if isinstance(policy, str):
        return replace(problem, policy=problem.policy.with_overrides(policy))
    raise InputError(f"A policy is text such as 'places=3', and this is of the type {type(policy).__name__}.")


def _work(work: str | Path, known: Format | None, source: str) -> tuple[str, Format, str]:
    """Return the text of a work, how it is written, and its name."""
    if not isinstance(work, str | Path):
        raise InputError(f"A submission must be text or the path of a file, not of the type {type(work).__name__}.")
    if isinstance(work, Path) or not (known or source or not _is_path(work)):
        path = Path(work)
        return _read_work(path), known or _format_of(path), source or str(path)
    text = str(work)
    return text, known or _format_by_look(text), source or "<work>"


def _format_of(path: Path) -> Format:
    return reader.format_of(path.name)


def _is_path(work: str) -> bool:
    """Return whether a text without a format is a path: by its looks alone, never by what is on the disk."""
    return "\n" not in work and work.lower().endswith(_WORK_ENDINGS)


def _read_work(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_WORK + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}.") from error
    return decode_work(data, str(path))


def decode_work(data: bytes, source: str) -> str:
    r"""Return the text of a work from its bytes, every line ended by ``\n``.

    Raises:
        InputError: more than `MAX_WORK` bytes, or not UTF-8.

    >>> decode_work(b"Q = 1\r\n", "work.md")
    'Q = 1\n'
    """
    if len(data) > MAX_WORK:
        raise InputError(
            f"{source} is larger than {MAX_WORK:,} bytes: leave out what does not belong to the submission."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}, line {line}: not UTF-8 text; save the file as UTF-8.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _format_by_look(text: str) -> Format:
    r"""Return the format of a text without a name; Markdown holds plain text too.

    >>> _format_by_look("Q = 1"), _format_by_look("\\begin{document}"), _format_by_look(' {"cells": []}')
    ('md', 'tex', 'ipynb')
    """
    if "\\documentclass" in text or "\\begin{document}" in text:
        return "tex"
    return "ipynb" if text.lstrip()[:1] == "{" and '"cells"' in text else "md"


def _report_class() -> type[Report]:
    """Return the public `Report`, made on first use: the data of `checking` with the views of `rendering`."""
    found = globals().get("Report")
    if not isinstance(found, type):
        words = "Everything that was found in one piece of work: plain data that shows itself."
        found = type(
            "Report", (views.Shown, report.Report), {"__slots__": (), "__doc__": words, "__module__": __name__}
        )
        globals()["Report"] = found
    return found


def __getattr__(name: str) -> object:
    """Make `Report` on first use."""
    if name == "Report":
        return _report_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def to_json(record: Mapping[str, object]) -> str:
    """Return a record as JSON text, one key a line and each row of a matrix on a line of its own.

    >>> print(to_json({"format": 1}))
    {
      "format": 1
    }
    """
    return json_text(record)


__all__ = ["DETAILS", "Derivation", "Report", "Result", "attention", "check", "quantity_json", "solve", "to_json"]
