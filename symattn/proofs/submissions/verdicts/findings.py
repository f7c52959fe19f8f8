"""Findings on one link of a submission, and the choice among its readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.proofs.catalogue.authoring.theorem import CounterExample
from symattn.proofs.submissions.verdicts.mistakes import Mistake
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """Finding on one link, or on words.

    Attributes:
        span: where it stands, from its relation on.
        verdict: one of the words that `symattn check` has.
        explanation: sentences; empty for what is simply right.
        missing: the hypotheses that it needs and that were not stated.
        slip: the likeliest cause of what is wrong.
        value: the number that was written, where one was.
        expected: the right number.
        example: a case that satisfies what was assumed and in which the link fails.
        used: the hypotheses that it rests on.
        arithmetic: whether numbers follow from each other; None where none were compared.
        is_valid: whether the claim holds; None where that was not found out.
        origin: where the mistake begins that it follows from.
        is_claim: whether it claims something; words, and what the work assumes, do not.
    """

    span: t.Span
    verdict: str
    explanation: str = ""
    missing: tuple[str, ...] = ()
    slip: Mistake | None = None
    value: str | None = None
    expected: str | None = None
    example: CounterExample | None = None
    used: tuple[str, ...] = ()
    arithmetic: bool | None = None
    is_valid: bool | None = None
    origin: int | None = None
    is_claim: bool = True


HOLDING = frozenset({"right", "rounded", "truncated", "coarse"})
"""Verdicts on links that hold as they are written."""

_CHARITY = {
    "right": 0,
    "rounded": 1,
    "truncated": 2,
    "coarse": 3,
    "follows": 4,
    "unstated": 5,
    "unchecked": 6,
    "undecided": 7,
    "wrong": 8,
}
"""Of several readings, the one that is best for the work counts."""


def best_of(found: Sequence[JudgedLink]) -> JudgedLink:
    """Return the reading that is best for the work."""
    return min(found, key=lambda item: _CHARITY.get(item.verdict, len(_CHARITY)))


def unchecked_as(span: t.Span, role: str) -> JudgedLink:
    """Return the link of a formula that the work is free to state: ``"an assumption of the work"``."""
    return JudgedLink(span, "unchecked", f"It is taken as {role}.", is_claim=False)


def mark_withdrawn(link: JudgedLink, written: Written) -> JudgedLink:
    """Return the link as it is, or as withdrawn where the work strikes it out."""
    return replace(link, verdict="withdrawn") if written.withdrawn else link
