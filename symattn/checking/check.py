"""Entry point: chooses the checker, `Checker` for one layer, `StackChecker` for blocks and batches."""

from __future__ import annotations

from symattn.checking.blocks import stack_checker
from symattn.checking.checker import Checker
from symattn.checking.report import Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem


def check_text(
    problem: Problem,
    text: str,
    form: Format,
    source: str = "<work>",
    *,
    strict: bool = False,
) -> Report:
    """Check a work against a problem.

    Args:
        problem: what was asked.
        text: the work.
        form: ``"tex"``, ``"md"``, ``"txt"`` or ``"ipynb"``.
        source: the name of the work in the report.
        strict: whether only the sheet's own rounding is accepted.

    Raises:
        InputError: the text is too long, or is not a notebook.
    """
    if problem.later or problem.batch:
        return stack_checker.StackChecker(problem, strict=strict).report(text, form, source)
    return Checker(problem, strict=strict).report(text, form, source)
