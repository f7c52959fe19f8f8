r"""Words of submissions about largest scores, and the limits of softmax weights that follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.evidence.counterexamples import Supposition
from symattn.proofs.submissions.phrases import read_phrases
from symattn.proofs.submissions.reading.domains import Domain
from symattn.proofs.submissions.reading.name_binding import Names

_WORDS = read_phrases("softmax")

_MAX = "max"
_SCORE = t.Name("z")
"""The scores of the theorem about the inverse temperature."""
_OTHER = "j"

Agree = Callable[[t.Node, t.Node], bool]


def says(text: str, what: str) -> bool:
    """Return whether a work says something of scores and weights, perhaps in a way that is not understood here.

    Args:
        text: the work.
        what: ``"spoken"`` of largest or equal scores, ``"tied"`` of scores that are equal, so that a weight may go to
            a share, ``"equal"`` where it supposes that things are, so that no small case is known to be what it means,
            ``"any_weights"`` where the weights may be any numbers, so that what is said of them is left open.
    """
    return _WORDS[what].search(text) is not None


def constrained_letters(text: str) -> frozenset[str]:
    """Return the letters of which a work says in words that they are matrices or vectors of a certain kind.

    >>> sorted(constrained_letters("Let $P$ be a permutation matrix, under the causal mask $M$."))
    ['M', 'P']
    """
    return frozenset(letter for match in _WORDS["properties"].finditer(text) for letter in match.groups() if letter)


def named_letters(text: str) -> frozenset[str]:
    r"""Return the letters that words give to something before them.

    >>> sorted(named_letters(r"Call this bound $\varepsilon$, and denote the right side by $c$."))
    ['c', 'varepsilon']
    """
    return frozenset(letter for match in _WORDS["named"].finditer(text) for letter in match.groups() if letter)


def is_of_kind(letter: str, kind: str, text: str) -> bool:
    """Tell whether a work does not say that its matrices of a letter are of another kind.

    >>> is_of_kind("P", "permutation", "Let $P$ be any orthogonal matrix.")
    False
    >>> is_of_kind("R", "rotation", "Let $R_m$ be the block-diagonal rotation matrix, and $X$ any matrix.")
    True
    """
    phrases = read_phrases("kinds", re.NOFLAG, symbol=letter, wanted=kind[:5])
    if phrases["denied"].search(text):
        return False
    said = (phrases[name] for name in ("said_behind", "said_before", "other"))
    found = (match[0].lower() for phrase in said for match in phrase.finditer(text))
    return all(kind[:5] in words for words in found)


def suppositions_in_words(text: str, names: Names, used: frozenset[str]) -> Iterator[Supposition]:
    """Yield suppositions: ``z_1`` as the only largest, and the meaning of ``z_max``."""
    for match in _WORDS["only"].finditer(text):
        letter, index = (match[1], match[2]) if match[1] else (match[3], match[4])
        at: t.Node = t.Name(index or _MAX)
        if index and index.isdecimal():
            at = t.Number(index)
        scores = t.Name(names.renamed.get(letter, letter))
        other = t.Subscript(scores, (t.Name(_OTHER),))
        domain = Domain((((t.Name(_OTHER), "≠", at),),))
        yield Supposition(t.Subscript(scores, (at,)), ">", other, domain)
    for item in sorted(used):
        name, _, place = item.partition("_")
        if place == _MAX:
            entry = t.Subscript(t.Name(name), (t.Name(_OTHER),))
            yield Supposition(entry, "≤", t.Subscript(t.Name(name), (t.Name(_MAX),)))


def softmax_limit(
    left: t.Node, domain: Domain, supposed: Sequence[Supposition], text: str, agree: Agree, scope: Scope
) -> t.Node | None:
    """Return the limit of a softmax weight as the inverse temperature grows; None where it is not known here.

    Args:
        left: a bound side.
        domain: where the link holds.
        supposed: what the work supposes.
        text: the work, which says how often the largest score is there.
        agree: whether two sides are one.
        scope: the names.
    """
    match left:
        case t.Call(t.Name("lim"), (t.Name("beta"), target, body)) if target in (t.Name("oo"), t.Name("infinity")):
            index = _index_of(body, agree, scope)
        case _:
            return None
    if index is None:
        return None
    for item in supposed:
        largest = item.left.indices[0] if isinstance(item.left, t.Subscript) else None
        if largest is None or not _is_above_all(item, largest, scope):
            continue
        if index == largest or _is_clause(domain, index, "=", largest):
            return t.Number("1")
        differ = isinstance(index, t.Number) and isinstance(largest, t.Number) and index != largest
        if differ or _is_clause(domain, index, "≠", largest):
            return t.Number("0")
    for clause in domain.clauses:
        for one, operator, other in clause if len(clause) == 1 else ():
            lower = {">": other, "<": one}.get(operator)
            if isinstance(lower, t.Subscript) and lower.base == _SCORE and lower.indices[0] == index:
                return t.Number("0")
    return _share(domain, index, text)


def _is_above_all(item: Supposition, largest: t.Node, scope: Scope) -> bool:
    """Return whether a score is supposed to be above every other."""
    if item.operator != ">" or not isinstance(item.left, t.Subscript) or not isinstance(item.right, t.Subscript):
        return False
    other = item.right.indices[0]
    is_any = isinstance(other, t.Name) and other.text not in scope.fixed and item.left.base == item.right.base
    others = {((other, "≠", largest),), ((largest, "≠", other),)}
    return is_any and item.left.base == _SCORE and bool(item.domain.clauses) and set(item.domain.clauses) <= others


def _share(domain: Domain, index: t.Node, text: str) -> t.Node | None:
    """Return the share of each of m for ``z_i = z_max``, zero for ``z_i ≠ z_max``."""
    for clause in domain.clauses:
        for left, operator, right in clause if len(clause) == 1 else ():
            bases = [side.base if isinstance(side, t.Subscript) else None for side in (left, right)]
            indices = [side.indices[0] for side in (left, right) if isinstance(side, t.Subscript)]
            if bases != [_SCORE, _SCORE] or set(indices) != {index, t.Name(_MAX)}:
                continue
            if operator in {"≠", "<"}:
                return t.Number("0")
            if operator == "=" and _WORDS["many"].search(text):
                return t.Division(t.Number("1"), t.Name("m"))
    return None


def _is_clause(domain: Domain, first: t.Node, operator: str, second: t.Node) -> bool:
    return any(
        len(clause) == 1 and clause[0][1] == operator and {clause[0][0], clause[0][2]} == {first, second}
        for clause in domain.clauses
    )


def _index_of(body: t.Node, agree: Agree, scope: Scope) -> t.Node | None:
    """Return the index of the weight that an expression is."""
    weights = [item.name for item in scope.defined if item.name in {"a", "A"} and len(item.indices) == 1]
    indices: list[t.Node] = []
    for node in walk(body):
        if isinstance(node, t.Subscript) and len(node.indices) == 1 and node.indices[0] not in indices:
            indices.append(node.indices[0])
    bound = {node.index for node in walk(body) if isinstance(node, t.SumOver)}
    for index in indices:
        if index not in bound and weights and agree(t.Subscript(t.Name(weights[0]), (index,)), body):
            return index
    return None
