"""All rules of normalization, in the order in which they are applied."""

from __future__ import annotations

from symattn.notation.documents.rules.arrays import ARRAYS
from symattn.notation.documents.rules.formulas import FORMULAS
from symattn.notation.documents.rules.marks import MARKS, PUNCTUATION
from symattn.notation.documents.rules.numbers import NUMBERS
from symattn.notation.documents.rules.programs import PROGRAMS
from symattn.notation.documents.rules.remarks import REMARKS
from symattn.notation.documents.rules.rule import Kind, Rule

RULES: tuple[Rule, ...] = (
    *PUNCTUATION,
    *MARKS,
    *FORMULAS,
    *PROGRAMS,
    *NUMBERS,
    *ARRAYS,
    *REMARKS,
)


def normalize(text: str, kind: Kind) -> str:
    """Return a text with all rules for its kind applied; every character that stays keeps its offset.

    >>> normalize("x1 = (1, 0)     'the'", "loose")
    'x1 = (1, 0)          '
    """
    for rule in RULES:
        if kind in rule.kinds:
            text = rule.rewrite(text)
    return text
