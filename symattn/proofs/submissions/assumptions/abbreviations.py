"""Abbreviations of a theorem's proof whose letters a work has for something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.values import entrywise
from symattn.proofs.submissions.attempts import otherwise
from symattn.proofs.submissions.evidence.inequalities import letters_of_all
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.normalization import proof_forms
from symattn.proofs.submissions.reading.statement_parts import raw_links


def other_meanings(proof: Proof, placed: Iterable[PlacedPiece], text: str) -> frozenset[str]:
    """Return the abbreviations of a proof that a work has for something else.

    Those of which a claim speaks have to be introduced: ``Write $w = (x-y)/2$``.

    A letter with a bound, or of which something is said for all of its values, is another one as well.

    Args:
        proof: of the theorem.
        placed: the pieces of the work.
        text: the work.
    """
    scope = proof.scope
    placed = tuple(placed)
    links = [(item, *link) for item in placed for link in raw_links(item)]
    introduced = {left.text for item, left, _, _ in links if item.is_assumed and isinstance(left, t.Name)}
    hidden = {item.name for item in scope.defined if not item.sizes}
    hidden &= introduced | hidden - set(_names_of_claims(proof))
    if not hidden:
        return frozenset()
    first: dict[str, t.Node] = {}
    free = set(letters_of_all(text))
    for item, left, operator, right in links:
        if operator == "=" and isinstance(left, t.Name):
            first.setdefault(left.text, right)
        elif item.is_condition or item.is_assumed:
            free |= {node.text for side in (left, right) for node in walk(side) if isinstance(node, t.Name)}
    bodies = {item.name: item.body for item in scope.defined}
    given = {name for name in hidden & set(first) if not _is_same(first[name], bodies[name], scope)}
    return frozenset(given | (hidden & free - set(first)))


def _names_of_claims(proof: Proof) -> Iterator[str]:
    for claim in proof.claims:
        for text in (claim.left, claim.right):
            yield from (node.text for node in walk(read_text(text, proof.scope)) if isinstance(node, t.Name))


@otherwise(default=False)
def _is_same(body: t.Node, known: str, scope: Scope) -> bool:
    """Return whether a value is that of an abbreviation."""
    language = Language(scope, Facts())
    values = (language.value(node) for node in (proof_forms(body, lambda _: False), read_text(known, scope)))
    pairs = entrywise(*values)
    return pairs is not None and all(one.equals(other) for one, other in pairs)
