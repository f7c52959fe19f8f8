"""Numbers that a theorem takes for positive, and of which a work does not say so: ``Let $y = c x$``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symattn.notation.tree import nodes as t
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.submissions.phrases import CUES
from symattn.proofs.submissions.prose.sentences import Sentence
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.statement_parts import raw_links

_ABOVE = {"<": 1, "≤": 1, ">": 0, "≥": 0}
"""The side of each order that is not the smaller one."""


def signed_letters(scope: Scope, others: Iterable[str]) -> frozenset[str]:
    """Return the numbers that a theorem takes for positive, without those that are so by what they are.

    A Greek or a capital letter is one by convention: a deviation, a temperature, a bound.

    Args:
        scope: the names.
        others: lengths and deviations.
    """
    signed = {one.name for one in scope.declared if one.sign != "real" and not one.sizes and not one.random}
    return frozenset(name for name in signed - {*others} if len(name) == 1 and name.islower())


def open_signs(
    letters: Iterable[str], placed: Sequence[PlacedPiece], sentences: Sequence[Sentence], text: str
) -> frozenset[str]:
    """Return the numbers that a work does not take for positive.

    Args:
        letters: those that the theorem does.
        placed: the pieces of the work.
        sentences: those of the work.
        text: the work.
    """
    links = [link for item in placed for link in raw_links(item)]
    return frozenset(
        name for name in letters if not any(_bounds(links, name)) and not _is_said_positive(name, sentences, text)
    )


def _bounds(links: Sequence[tuple[t.Node, str, t.Node]], name: str) -> Iterator[bool]:
    """Yield, for each order that has a letter alone on its larger side, that it has."""
    for left, operator, right in links:
        if operator in _ABOVE:
            larger, smaller = ((left, right), (right, left))[_ABOVE[operator]]
            yield larger == t.Name(name) and not isinstance(smaller, t.Negative)


def _is_said_positive(name: str, sentences: Sequence[Sentence], text: str) -> bool:
    spoken = (text[slice(*sentence.span)] for sentence in sentences)
    return any(has_letter(words, name) and CUES["positive"].search(words) for words in spoken)


def has_letter(words: str, name: str) -> bool:
    """Return whether words have a letter by itself."""
    return re.search(rf"(?<![a-zA-Z\\]){name}(?![a-zA-Z])", words) is not None


def without_signs(scope: Scope, names: Iterable[str]) -> Scope:
    """Return a scope in which some numbers may have either sign, and what is made of them."""
    free = {*names}
    bodies = {one.name: (one.body,) for one in scope.defined}
    made = {one.name for one in scope.defined if free & names_reached([read_text(one.body, scope)], bodies, scope)}
    return replace(
        scope,
        declared=tuple(replace(one, sign="real") if one.name in free else one for one in scope.declared),
        defined=tuple(replace(one, sign="real") if one.name in made else one for one in scope.defined),
    )
