"""Submissions checked: work on a problem, and proofs of a theorem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import NoReturn, get_args

from symattn.checking import check as checker
from symattn.checking import report as r
from symattn.errors import InputError, expect, shortened
from symattn.files import decoded, read_bytes
from symattn.notation import submission
from symattn.notation.documents import reader
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem, read_problem
from symattn.problem.settings.conventions import THEORY
from symattn.problem.settings.policy import Policy
from symattn.proofs.catalogue import registry
from symattn.proofs.submissions.prose import quotations
from symattn.proofs.submissions.verdicts import judge
from symattn.rendering.reports import html, latex, view
from symattn.rendering.reports import text as plain_text

WORK_FORMATS: tuple[Format, ...] = ("tex", "md", "txt", "ipynb")
"""How people's work is written: LaTeX, Markdown, plain text, a notebook."""

MAX_WORK = 20_000_000
"""Bytes of a file of work; a notebook brings its pictures along."""

_MAX_LINES = 40
"""Lines of a report that is printed as it is; `to_text` has all."""

_WORK_ENDINGS = (".tex", ".md", ".txt", ".ipynb")


class Report(r.Report):
    """Everything that was found in one piece of work: plain data that shows itself.

    Iteration goes through its findings.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the name of the work and the counts: all of its data would fill many screens."""
        return f"<Report on {view.clean(view.one_line(self.source))}: {self.summary}>"

    def __str__(self) -> str:
        """Return the first lines of the report as text; `to_text` has all."""
        lines = self.to_text().splitlines()
        rest = [f"... and {len(lines) - _MAX_LINES + 1} more lines, which to_text() has"] * (len(lines) > _MAX_LINES)
        return "\n".join([*lines[: _MAX_LINES - len(rest)], *rest]) + "\n"

    def to_text(self, *, width: int = 80, verbose: bool = False) -> str:
        """Return the report as text.

        Args:
            width: characters of a line, between 40 and 100.
            verbose: show every statement, not only those that do not hold.

        Raises:
            TypeError: the width is not a number.

        >>> p = Problem.build(Q=[[1]], K=[[1], [0]], V=[[1], [0]], scale="none", rounding={"places": 2})
        >>> "A[1,1] is 0.73, not 0.37." in check(p, "A_11 = 0.37", "txt").to_text(width=100)
        True
        """
        return plain_text.report_text(self, width=width, verbose=verbose)

    def to_latex(self) -> str:
        """Return the work with its verdicts beside it, as LaTeX source."""
        return latex.report_latex(self)

    def to_html(self) -> str:
        """Return the report as a page of HTML, in one file without scripts."""
        return html.report_page(self)

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        return html.report_html(self)

    def __iter__(self) -> Iterator[r.Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: int) -> r.Finding:
        return self.findings[index]

    def __bool__(self) -> NoReturn:
        """Refuse: a report without a mistake may still leave statements open.

        Raises:
            TypeError: always.
        """
        raise TypeError("A Report is not a bool: ask .first_mistake is None, .counts['wrong'] or .exit_status == 0.")

    def __float__(self) -> NoReturn:
        raise TypeError("A Report is not a number: .marks.earned has the points, where the problem gives some.")


def _shown(found: r.Report) -> Report:
    return Report(*(getattr(found, field.name) for field in fields(found)))


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
    problem = _with_policy(read_problem(problem), policy)
    if problem.kind == THEORY:
        raise InputError(
            f"{problem.source} has no inputs, so there are no numbers to check; check a proof with --theorem NAME."
        )
    text, written_as, source = work_text(work, format, source)
    return _shown(checker.check_text(problem, text, written_as, source, strict=strict))


def check_proof(
    name: str,
    work: str | Path,
    format: str = "",  # noqa: A002 (the word that people use)
    *,
    settings: Mapping[str, str] | None = None,
    is_given: bool = False,
    source: str = "",
) -> Report:
    r"""Check somebody's proof of a theorem line by line.

    Args:
        name: the theorem of the catalogue whose names and hypotheses the work speaks of.
        work: a ``Path``, or text, as for `symattn.check`.
        format: ``"tex"``, ``"md"``, ``"txt"`` or ``"ipynb"``; by the file's ending or the text's look where empty.
        settings: values of the theorem's parameters that the question fixes, ``{"D": "512"}``.
        is_given: whether the question states the theorem's hypotheses, so that the work need not.
        source: the name of the text in messages; with it, a ``str`` is text.

    Raises:
        InputError: an unknown theorem or parameter, or an unreadable submission.

    >>> text = "If q and k are independent, $E[q \\cdot k] = \\sum_i E[q_i] E[k_i]$."
    >>> check_proof("dot-product-mean", text, "md", source="hand in").summary
    '2 statements: 1 unchecked, 1 right'
    """
    entry = registry.theorem(name)
    text, written_as, source = work_text(work, format, source)
    if written_as == "tex":
        read = replace(reader.read_work(quotations.remove_spare_definitions(text), written_as), text=text)
    else:
        read = reader.read_work(text, written_as)
    links = judge.judge_work(read, entry, settings, is_given=is_given)
    findings = tuple(_finding(link, read) for link in links)
    first = next((place for place, item in enumerate(findings) if item.verdict == "wrong"), None)
    return _shown(r.Report(source, read.text, findings, first_mistake=first))


def _finding(link: judge.JudgedLink, work: submission.Work) -> r.Finding:
    """Return a judged link as the report has it."""
    start, end = link.span
    line, column, cell = work.position(start)
    end_line, end_column, _ = work.position(end)
    verdict: r.Verdict = next(known for known in get_args(r.Verdict) if known == link.verdict)
    return r.Finding(
        place=r.Place(start, end, line, column, end_line, end_column, cell),
        text=work.text[start:end].strip(),
        name=None,
        verdict=verdict,
        value=link.value,
        expected=link.expected,
        checks=r.Checks(arithmetic=link.arithmetic, value=link.is_valid),
        explanation=link.explanation,
        diagnosis=None if link.slip is None else r.Diagnosis(link.slip.code, link.slip.text),
        missing_hypotheses=link.missing,
        is_claim=link.is_claim,
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


def work_text(work: str | Path, format: str, source: str) -> tuple[str, Format, str]:  # noqa: A002 (as above)
    """Return the text of a work, how it is written, and its name.

    Raises:
        InputError: an unknown format, or a work that cannot be read.
    """
    known = next((item for item in WORK_FORMATS if item == format), None)
    if format and known is None:
        raise InputError(f"Unknown format {shortened(format)!r}: take {', '.join(WORK_FORMATS)}.")
    if not isinstance(work, str | Path):
        raise InputError(f"A submission must be text or the path of a file, not of the type {type(work).__name__}.")
    if isinstance(work, Path) or not (known or source or not _is_path(work)):
        path = Path(work)
        return _read_work(path), known or reader.format_of(path.name), source or str(path)
    text = str(work)
    return text, known or _format_by_look(text), source or "<work>"


def _is_path(work: str) -> bool:
    """Return whether a text without a format is a path: by its looks alone, never by what is on the disk."""
    return "\n" not in work and work.lower().endswith(_WORK_ENDINGS)


def _read_work(path: Path) -> str:
    return decode_work(read_bytes(path, MAX_WORK), str(path))


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
    return decoded(data, source).replace("\r\n", "\n").replace("\r", "\n")


def _format_by_look(text: str) -> Format:
    r"""Return the format of a text without a name; Markdown holds plain text too.

    >>> _format_by_look("Q = 1"), _format_by_look("\\begin{document}"), _format_by_look(' {"cells": []}')
    ('md', 'tex', 'ipynb')
    """
    if "\\documentclass" in text or "\\begin{document}" in text:
        return "tex"
    return "ipynb" if text.lstrip()[:1] == "{" and '"cells"' in text else "md"
