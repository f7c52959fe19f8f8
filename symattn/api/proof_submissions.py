"""Somebody's proof of a theorem, checked: the judge of the catalogue and the report of works, joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from symattn.api.solutions import WORK_FORMATS, _report_class, _work
from symattn.checking import report as r
from symattn.errors import InputError
from symattn.notation.documents.reader import read_work
from symattn.notation.submission import Work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.prose.quotations import without_spares
from symattn.proofs.submissions.verdicts.judge import JudgedLink, judge_work

if TYPE_CHECKING:
    from symattn.api.solutions import Report


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
    known = next((item for item in WORK_FORMATS if item == format), None)
    if format and known is None:
        raise InputError(f"There is no format {format!r}: take {', '.join(WORK_FORMATS)}.")
    entry = theorem(name)
    text, written_as, source = _work(work, known, source)
    if written_as == "tex":
        read = replace(read_work(without_spares(text), written_as), text=text)
    else:
        read = read_work(text, written_as)
    links = judge_work(read, entry, settings, is_given=is_given)
    findings = tuple(_finding(link, read) for link in links)
    first = next((place for place, item in enumerate(findings) if item.verdict == "wrong"), None)
    found = r.Report(source, read.text, findings, first_mistake=first)
    return _report_class()(*(getattr(found, field.name) for field in fields(found)))


def _finding(link: JudgedLink, work: Work) -> r.Finding:
    """Return a judged link as the report has it."""
    start, end = link.span
    line, column, cell = work.position(start)
    end_line, end_column, _ = work.position(end)
    return r.Finding(
        place=r.Place(start, end, line, column, end_line, end_column, cell),
        text=work.text[start:end].strip(),
        name=None,
        verdict=_verdict(link.verdict),
        value=link.value,
        expected=link.expected,
        checks=r.Checks(arithmetic=link.arithmetic, value=link.is_valid),
        explanation=link.explanation,
        diagnosis=None if link.slip is None else r.Diagnosis(link.slip.code, link.slip.text),
        missing_hypotheses=link.missing,
        is_claim=link.is_claim,
    )


def _verdict(word: str) -> r.Verdict:
    found: r.Verdict = next(known for known in get_args(r.Verdict) if known == word)
    return found


__all__ = ["check_proof"]
