"""Formulas of a work that contradict a hypothesis: ``k = -q``, ``Cov(q_i, k_i) = 1``, ``k_a = k_b``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.prose.subjects import Subject
from symattn.proofs.submissions.reading.domains import Relation

_RELATIONS = frozenset({"=", "≡", "≠", "≈"})


def contradiction(relation: Relation, scope: Scope) -> Subject | None:
    """Return the subject whose independence a relation between random quantities contradicts, or leaves in doubt.

    Args:
        relation: two bound sides.
        scope: the names.
    """
    left, operator, right = relation
    families = frozenset(scope.random)
    if operator not in _RELATIONS:
        return None
    if operator != "≠":
        found = [entry for side in (left, right) for entry in _entries(side, families)]
        subject = _tie(found)
        if subject is not None:
            return subject
    calls = [node for side in (left, right) for node in walk(side) if _is_moment(node)]
    joint = (_tie([entry for child in t.children(call) for entry in _entries(child, families)]) for call in calls)
    return next((subject for subject in joint if subject is not None), None)


def _tie(entries: Sequence[tuple[str, t.Node]]) -> Subject | None:
    """Return the vectors that stand together, or one vector with two of its entries."""
    found = frozenset(name for name, _ in entries)
    if len(found) > 1:
        return Subject("across", found)
    places = {node for _, node in entries if isinstance(node, t.Subscript) and plain_name(node) not in found}
    return Subject("within", found) if len(places) > 1 and len(places) == len({node for _, node in entries}) else None


def _entries(node: t.Node, families: frozenset[str]) -> Iterator[tuple[str, t.Node]]:
    """Yield the random vectors and their entries outside of expectations."""
    name = plain_name(node)
    base = plain_name(node.base) if isinstance(node, t.Subscript) else None
    if name in families or base in families:
        yield (name if name in families else base) or "", node
    elif not _is_moment(node):
        for child in t.children(node):
            yield from _entries(child, families)


def _is_moment(node: t.Node) -> bool:
    return isinstance(node, t.Call) and node.function.text in t.MEANS


def speaks_only_of(relation: Relation, names: Sequence[str], scope: Scope) -> bool:
    """Return whether a relation names some vectors, and nothing else that is declared."""
    declared = {*scope.sizes}
    found = {plain_name(node) for side in (relation[0], relation[2]) for node in walk(side)}
    return bool(found & set(names)) and not (found & declared) - set(names)
