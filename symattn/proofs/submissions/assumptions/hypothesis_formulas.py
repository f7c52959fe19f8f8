"""Formulas of a work that state a hypothesis of the theorem, perhaps with other letters for its indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from symattn.errors import InputError, NotationError, ShapeError
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.kernel.hypotheses import facts_of
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.values import Value, entrywise
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption
from symattn.proofs.submissions.evidence.inequalities import square_sides
from symattn.proofs.submissions.reading.conditions import Domain, Relation
from symattn.proofs.submissions.reading.index_cases import IndexCase, index_cases
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.statement_parts import free_letters

_MOST_LETTERS = 3
_EQUATIONS = frozenset({"equal", "dot-products", "total"})
_TURNED = {"≥": "≤", ">": "<"}

Found = tuple[str, dict[str, str]]


def match_hypothesis(
    relation: Relation,
    domain: Domain,
    pool: Sequence[Assumption],
    scope: Scope,
    indices: frozenset[str],
    used: frozenset[str],
) -> Found | None:
    """Return the hypothesis that a relation states, and the theorem's chosen indices by the work's letters for them.

    Args:
        relation: two bound sides.
        domain: where it is meant to hold.
        pool: the hypotheses.
        scope: the names.
        indices: letters that are indices in the work.
        used: all names that the work writes.
    """
    left, operator, right = relation
    for item in pool:
        if item.is_special:
            continue
        if operator == "=" and item.hypothesis.kind in _EQUATIONS and _is_about(item.hypothesis, left, right, scope):
            if _is_equation(item.hypothesis, left, right, scope):
                return item.id, {}
        elif operator in {"≤", "≥", "<", ">"} and item.hypothesis.kind in {"at-most", "positive"}:
            letters = _as_order(item.hypothesis, relation, domain, scope, indices, used)
            if letters is not None:
                return item.id, letters
    return None


def _is_about(item: Hypothesis, left: t.Node, right: t.Node, scope: Scope) -> bool:
    """Return whether a side has the form of what a hypothesis gives a value to, or both are made of lengths."""
    match item.kind:
        case "equal":
            bases = (side.base if isinstance(side, t.Subscript) else side for side in (left, right))
            lengths = {name for one in scope.declared for name in one.sizes}
            is_size = item.about[0] in lengths and isinstance(left, t.Name) and _names(left, right) <= lengths
            return item.about[0] in map(plain_name, bases) or is_size
        case "dot-products":
            return _is_product_of(left, item.about) or _is_product_of(right, item.about)
        case _:
            body = left.body if isinstance(left, t.SumOver) else None
            return isinstance(body, t.Subscript) and plain_name(body.base) in item.about


def _is_product_of(node: t.Node, names: tuple[str, ...]) -> bool:
    if not isinstance(node, t.Product) or len(node.factors) != 2:
        return False
    found = [item.base if isinstance(item, t.Transpose) else item for item in node.factors]
    return all(
        isinstance(item, t.Subscript) and plain_name(item.base) == name and isinstance(item.indices[0], t.Name)
        for item, name in zip(found, names, strict=False)
    ) and len(names) == len(found)


def _is_equation(item: Hypothesis, left: t.Node, right: t.Node, scope: Scope) -> bool:
    """Return whether it holds with the hypothesis and not without."""
    with_it = Language(scope, facts_of(scope, (item.id,)))
    without = Language(scope, Facts())
    return _agree(with_it, left, right) and not _agree(without, left, right)


def _agree(language: Language, left: t.Node, right: t.Node) -> bool:
    try:
        pairs = entrywise(language.value(left), language.value(right))
    except (InputError, NotationError, ShapeError):
        return False
    return pairs is not None and all(one.equals(other) for one, other in pairs)


# Inequalities --------------------------------------------------------------------------------------


def _as_order(
    item: Hypothesis,
    relation: Relation,
    domain: Domain,
    scope: Scope,
    indices: frozenset[str],
    used: frozenset[str],
) -> dict[str, str] | None:
    left, operator, right = relation
    low, high = (right, left) if operator in _TURNED else (left, right)
    is_strict = operator in {"<", ">"}
    if item.kind == "at-most" and not is_strict:
        wanted = [read_text(text, scope) for text in item.values]
    elif item.kind == "positive" and is_strict and len(item.values) == 1:
        wanted = [t.Number("0"), read_text(item.values[0], scope)]
    else:
        return None
    if not _names(low, high) & _names(*wanted):
        return None
    fixed = [name for name in scope.fixed if any(node == t.Name(name) for side in wanted for node in walk(side))]
    for letters in _matchings((low, high), wanted, fixed, indices, used):
        if _is_same_order((low, high), wanted, domain, letters, scope):
            return {letter: index for letter, index in letters.items() if index in scope.fixed and letter != index}
    return None


def _names(*sides: t.Node) -> frozenset[str]:
    return frozenset(item.text for side in sides for item in walk(side) if isinstance(item, t.Name))


def _matchings(
    sides: tuple[t.Node, t.Node],
    wanted: Sequence[t.Node],
    fixed: Sequence[str],
    indices: frozenset[str],
    used: frozenset[str],
) -> Iterator[dict[str, str]]:
    """Yield every matching of the free letters of the work with those of the hypothesis."""
    mine = sorted((free_letters(sides[0]) | free_letters(sides[1])) & (indices | set(fixed)))
    free = (free_letters(wanted[0]) | free_letters(wanted[1])) & set("ijlr") - set(fixed)
    theirs = sorted(free | set(fixed))
    if len(mine) != len(theirs) or len(mine) > _MOST_LETTERS:
        return
    for chosen in permutations(theirs):
        pairs = dict(zip(mine, chosen, strict=True))
        # A chosen index that the work calls by its own name is not another one as well.
        if all(index not in fixed or letter == index or index not in used for letter, index in pairs.items()):
            yield pairs


def _is_same_order(
    sides: tuple[t.Node, t.Node], wanted: Sequence[t.Node], domain: Domain, letters: dict[str, str], scope: Scope
) -> bool:
    renamed = [_renamed(side, letters) for side in sides]
    ways = (
        (IndexCase(),)
        if domain.is_everywhere
        else index_cases(domain.mapped(lambda side: _renamed(side, letters)), scope)
    )
    for way in ways:
        own = replace(scope, hypotheses=(*scope.hypotheses, *way.hypotheses))
        language = Language(own, facts_of(own, tuple(item.id for item in way.hypotheses)))
        try:
            squares = square_sides(renamed[0], renamed[1], own)
            found = [
                _is_same_difference([language.value(way.at(side)) for side in (*written, *wanted)])
                for written in (renamed, *(() if squares is None else (squares,)))
            ]
        except (InputError, NotationError, ShapeError):
            return False
        if not any(found):
            return False
    return bool(ways)


def _is_same_difference(values: Sequence[Value]) -> bool:
    low, high, least, most = values
    if not (isinstance(low, Expr) and isinstance(high, Expr) and isinstance(least, Expr) and isinstance(most, Expr)):
        return False
    return (high - low).equals(most - least)


def _renamed(node: t.Node, letters: dict[str, str]) -> t.Node:
    """Rename all letters at once, so that two may be exchanged."""
    for letter in letters:
        node = substitute(node, letter, t.Name(f"{letter}{letter}{letter}"))
    for letter, index in letters.items():
        node = substitute(node, f"{letter}{letter}{letter}", t.Name(index))
    return node
