"""A domain as the trusted language takes it: cases, each with equal indices replaced and the others kept apart."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.submissions.reading.domains import Domain, Relation
from symattn.proofs.submissions.reading.normalization import substitute, substitute_all
from symattn.records import dataclass

_APART = frozenset({"≠", "<", ">"})


@dataclass(frozen=True, slots=True)
class IndexCase:
    """One case of a domain.

    Attributes:
        replaced: indices with what they are, none of them among the values.
        hypotheses: what holds besides.
    """

    replaced: tuple[tuple[str, t.Node], ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()

    def at(self, node: t.Node) -> t.Node:
        """Return a side in this case.

        Raises:
            NotationError: a sum in it binds the letter that an index becomes.
        """
        return substitute_all(node, dict(self.replaced))


def index_cases(domain: Domain, scope: Scope) -> tuple[IndexCase, ...]:
    """Return the cases of a domain that are not empty; none where they are too many to look at."""
    if not domain.is_split:
        return ()
    found = (_way(list(relations), scope) for relations in domain.ways())
    return tuple(way for way in found if way is not None)


def _way(relations: list[Relation], scope: Scope) -> IndexCase | None:
    """Return a case; None where its relations deny each other."""
    replaced: list[tuple[str, t.Node]] = []
    waiting = [relation for relation in relations if relation[1] == "=" and _are_indices(relation, scope)]
    others = [relation for relation in relations if relation not in waiting]
    while waiting:
        left, _, right = waiting.pop(0)
        if left == right:
            continue
        if not _is_free(left, scope):
            left, right = right, left
        if not _is_free(left, scope) or not isinstance(left, t.Name):
            return None  # two indices that are not the same one
        change = (left.text, right)
        replaced = [*((name, substitute(value, *change)) for name, value in replaced), change]
        waiting = [_at(relation, change) for relation in waiting]
        others = [_at(relation, change) for relation in others]
    hypotheses: list[Hypothesis] = []
    for relation in others:
        left, operator, right = relation
        if _are_indices(relation, scope) and operator in _APART:
            if left == right:
                return None
            hypotheses.extend(_apart(left, right, scope, len(hypotheses)))
        elif operator == "=":
            hypotheses.extend(_equal(left, right, scope, len(hypotheses)))
    return IndexCase(tuple(replaced), tuple(hypotheses))


def _at(relation: Relation, change: tuple[str, t.Node]) -> Relation:
    left, operator, right = relation
    return substitute(left, *change), operator, substitute(right, *change)


def _are_indices(relation: Relation, scope: Scope) -> bool:
    known = {*scope.sizes} - set(scope.fixed)
    return all(
        (isinstance(side, t.Name) and side.text not in known) or (isinstance(side, t.Number) and side.text.isdecimal())
        for side in (relation[0], relation[2])
    )


def _is_free(node: t.Node, scope: Scope) -> bool:
    return isinstance(node, t.Name) and node.text not in scope.fixed


def _apart(left: t.Node, right: t.Node, scope: Scope, number: int) -> Iterator[Hypothesis]:
    names = (describe(left), describe(right))
    pairs = zip((left, right), names, strict=True)
    is_usable = all(isinstance(side, t.Name) or name in scope.fixed for side, name in pairs)
    if is_usable and not set(names) <= set(scope.fixed):
        yield Hypothesis(f"domain {number}", f"{names[0]} and {names[1]} differ", "distinct", names)


def _equal(left: t.Node, right: t.Node, scope: Scope, number: int) -> Iterator[Hypothesis]:
    """Yield a letter with a value: ``if mu = 0``."""
    name = plain_name(left)
    item = next((one for one in scope.declared if one.name == name), None)
    if item is not None and not item.sizes and not item.random and name is not None:
        text = f"{name} = {describe(right)}"
        yield Hypothesis(f"domain {number}", text, "equal", (name,), (describe(right),))
