"""Lexicon: names of the quantities of attention, in formulas and in headings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symattn import late
from symattn.notation.lexicon.vocabulary import names
from symattn.notation.tree import nodes as t

LATER_SCORES = ("S_scaled", "S_capped", "S_biased", "S_masked")
"""Scores after further steps, in their order, which people go on calling scores."""

SCORES = ("S", *LATER_SCORES)
"""Scores, and what people go on calling scores."""

BY_KEY = frozenset({*SCORES, "E", "A"})
"""Quantities of which a row has an entry for each key."""

AUXILIARY = frozenset({*SCORES, "E", "Z", "m", "shifted", "c", "C", "G", "B", "M"})
"""Quantities whose letters mean other things to others."""

SOFTMAX = frozenset(names()["softmax"]["names"])
"""Names of the softmax in a tree, in small letters."""

SPELLINGS_OF_SOFTMAX = SOFTMAX.union(names()["softmax"]["others"])

HABITS: Mapping[str, tuple[str, ...]] = names()["quantities"]
"""Names of the quantities of attention, the likelier first."""


def _of_gradients(base: str) -> tuple[str, ...]:
    """Return a mark before each name, but for single small letters: dk and dv are lengths."""
    words = [word for word in HABITS.get(base, (base, base.replace("_", ""))) if len(word) > 1 or word.isupper()]
    return tuple(f"{mark}{word}" for mark in ("d", "grad", "G", "dLd") for word in words)


GRADIENTS: Mapping[str, tuple[str, ...]] = {
    **{f"d{base}": _of_gradients(base) for base in (*"QKVSAXCHG", "X_1", "X_2", "W_Q", "W_K", "W_V", "W_O", "W_S")},
    "dO": ("dO", *_of_gradients("O"), "G"),
    **{f"db_{letter}": (f"db{letter}", f"gradb{letter}") for letter in "QKVO"},
    **names()["gradients"],
}
"""Names of gradients, of the sums that the softmax takes off, and of the target."""

FIRST: Mapping[str, tuple[str, ...]] = names()["first"]
"""Names that mean a quantity, in a problem that has it, before all others that they may mean."""

SUCCESSORS: Mapping[str, tuple[str, ...]] = names()["successors"]
"""Endings of quantities that take the place of others: ``Q_rot`` that of ``Q``."""

RUNNING_VALUES: Mapping[str, tuple[str, ...]] = names()["online"]
"""Names of the running maximum, sum and output of a softmax worked block by block."""

OF_HEADS: Mapping[str, tuple[str, ...]] = names()["heads"]
"""Names of the quantities of one head, beside those of a layer without heads."""

_RAISED = late.pattern(r"(?:\^[ ]?\{?[ ]?[(\[][ ]?|⁽)$")


def key_of(text: str) -> str:
    """Return a name without its variable parts: underscores, blanks, carets, brackets.

    >>> key_of("W_Q"), key_of("attention map"), key_of("W^{(1)}_q")
    ('WQ', 'attentionmap', 'W1q')
    """
    return text if text.isalnum() else re.sub(r"[\s_^{}()\\\-]", "", text)


def spelt(node: t.Node) -> str | None:
    """Return a name as one string: juxtaposed letters joined (``S s``), labels below included; None for others."""
    match node:
        case t.Name(text) | t.Number(text):
            return text
        case t.Subscript(base, indices):
            pieces = [spelt(base), *(spelt(index) for index in indices)]
        case t.Product(factors, operators) if not any(operators):
            pieces = [spelt(factor) for factor in factors]
        case t.Group(body):
            pieces = [spelt(body)]
        case _:
            return None
    return None if any(piece is None for piece in pieces) else "".join(piece or "" for piece in pieces)


def is_raised(text: str, span: t.Span | None) -> bool:
    """Return whether a number stands in brackets above a name, at its place in a text.

    >>> is_raised("A^{(2)}", (4, 5)), is_raised("A_2", (2, 3))
    (True, False)
    """
    return span is not None and _RAISED.search(text[max(0, span[0] - 8) : span[0]]) is not None


def bracketed(node: t.Node) -> tuple[t.Node, ...]:
    """Return the items between square brackets, nothing for any other node."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return (node.body,)
    return node.items if isinstance(node, t.Vector) and node.brackets == "[" else ()
