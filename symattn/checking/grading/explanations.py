"""Sentences that explain verdicts on numbers and operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from symattn.checking.evaluation.operands import Mismatch
from symattn.checking.expressions.numerals import Figure, figure
from symattn.checking.grading.value_text import show
from symattn.checking.grading.value_verdicts import Judged
from symattn.checking.graph.expansion import leaves
from symattn.checking.graph.formulas import Cell
from symattn.checking.report import Diagnosis
from symattn.exact.field.quotient import Quotient

_MOST = 3
_CODES = {"missing": "dropped-term", "extra": "extra-term", "sign": "sign", "value": "part", "operand": "operand"}


def entry_label(cell: Cell) -> str:
    """Return an entry as sentences name it, counted from 1.

    >>> entry_label(("S", 0, 1))
    'S[1,2]'
    """
    return f"{cell[0]}[{cell[1] + 1},{cell[2] + 1}]"


def value_sentence(number: Figure, cell: Cell, expected: str | None, judged: Judged, comes: str | None) -> str:
    """Return the sentence on a number that does not simply hold.

    Args:
        number: what was written.
        cell: the entry.
        expected: the right value as it would be written.
        judged: the verdict, and whether the value is right in spite of it.
        comes: what stands before it comes to, where that is something else.
    """
    written, name = show(Quotient.of(number.value), number, None), entry_label(cell)
    tail = "" if comes is None else f" what is written before it comes to {comes}."
    if judged.is_right:
        return f"The value {written} is right, but{tail}"
    match judged.verdict:
        case "follows":
            return f"{written} follows from an earlier mistake; {name} is {expected}."
        case "truncated":
            return f"{written} was cut off; rounded it is {expected}."
        case "coarse":
            return f"{written} is right, but with fewer places than asked: {expected}."
        case "undecided" if expected is not None:
            return f"{name} is {expected}; {written} may come from rounded factors that are not shown."
        case "undecided":
            return f"{name} has no value that could be compared."
    return f"{name} is {expected}, not {written};{tail}" if tail else f"{name} is {expected}, not {written}."


Copied: TypeAlias = Callable[[Cell, Figure | None], str | None]
"""The right value of an entry, in the style of the number that was written for it."""


def mismatch_sentence(item: Mismatch, written: str, copied: Copied, worth: str = "") -> str:
    """Return the sentence on an operand that differs; `worth` is the right value of a part."""
    match item.kind:
        case "missing":
            cells = [] if item.part is None else leaves(item.part)
            names = " and ".join(entry_label(cell) for cell in cells[:_MOST])
            return f"The term with {names} is missing." if names else "A term is missing."
        case "extra":
            return f"The term {written} does not belong here."
        case "sign":
            return f"The sign of {written} is wrong."
        case "value":
            return f"{written} is not what it stands for, {worth or 'a part of the working'}."
    if item.cell is None:
        return f"{written} is not called for here."
    return f"{entry_label(item.cell)} is {copied(item.cell, figure(item.node))}, copied as {written}."


def mismatch_diagnosis(mismatch: Mismatch, sentence: str) -> Diagnosis:
    """Return the plain diagnosis of an operand for which no better cause is known."""
    return Diagnosis(_CODES[mismatch.kind], sentence)


def joined(sentences: list[str]) -> str:
    """Return the first few different sentences, and how many more there are."""
    shown = list(dict.fromkeys(sentence for sentence in sentences if sentence))
    more = len(shown) - _MOST
    return " ".join(shown[:_MOST]) + (f" And {more} more." if more > 0 else "")
