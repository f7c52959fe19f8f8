"""The catalogue's own steps, written as people write them: right ones raise no alarm, changed ones do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from symattn.notation.documents.reader import read_work
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.latex import write_latex
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.interpretation import ELEMENTARY, FUNCTIONS, read_text
from symattn.proofs.submissions.verdicts.judge import judge_work

pytestmark = pytest.mark.unmeasured

NAMES = ("dot-product-mean", "dot-product-variance", "score-covariance")
KNOWN = FUNCTIONS | ELEMENTARY | t.FUNCTIONS
Change = Callable[[t.Node], t.Node]


@cache
def proof(name: str) -> Proof:
    entry = theorem(name)
    return entry.build(entry.values({}))


def steps(name: str) -> Iterator[tuple[t.Node, t.Node]]:
    """The sides of the catalogue's equalities, as trees."""
    own = proof(name)
    # A letter that is given a value for one claim of the theorem has it in no other.
    values = {item.id for item in own.scope.hypotheses if item.kind == "equal"}
    for step in own.steps:
        if step.relation == "=" and not step.premises and not values & set(step.hypotheses):
            yield read_text(step.before, own.scope), read_text(step.after, own.scope)


def everywhere(change: Change) -> Change:
    def changed(node: t.Node) -> t.Node:
        return change(rebuilt(node, changed))

    return changed


def renamed(pairs: dict[str, str]) -> Change:
    def change(node: t.Node) -> t.Node:
        return t.Name(pairs[node.text]) if isinstance(node, t.Name) and node.text in pairs else node

    def inside(node: t.Node) -> t.Node:
        if isinstance(node, t.SumOver):
            limits = [None if limit is None else inside(limit) for limit in (node.lower, node.upper)]
            index = t.Name(pairs.get(node.index.text, node.index.text))
            return t.SumOver(index, limits[0], limits[1], inside(node.body), node.excluded)
        return change(rebuilt(node, inside))

    return inside


def turned(node: t.Node) -> t.Node:
    """Numbers that are multiplied, the other way round; sums without a minus too."""
    match node:
        case t.Sum(terms, operators) if set(operators) == {"+"}:
            return t.Sum(terms[::-1], operators)
        case _:
            return node


def mathbb(node: t.Node) -> t.Node:
    match node:
        case t.Call(t.Name("E"), arguments):
            return t.Call(t.Name("E", "blackboard"), arguments)
        case _:
            return node


def unbounded(node: t.Node) -> t.Node:
    return t.SumOver(node.index, None, None, node.body) if isinstance(node, t.SumOver) and _runs(node) else node


def _runs(node: t.SumOver) -> bool:
    """Whether the index stands on an entry, so that its range is plain without limits."""
    return any(isinstance(item, t.Subscript) and node.index in item.indices for item in walk(node.body))


def dotted(node: t.Node) -> t.Node:
    match node:
        case t.Product((t.Transpose(first), second), ("",)):
            return t.Product((first, second), ("cdot",))
        case _:
            return node


def written(node: t.Node) -> str:
    return write_latex(node, KNOWN)


REWRITINGS: dict[str, Change] = {
    "as it is": lambda node: node,
    "length d_k": everywhere(lambda node: t.Subscript(t.Name("d"), (t.Name("k"),)) if node == t.Name("D") else node),
    "length d, index r": renamed({"D": "d", "i": "r"}),
    "mean m, index l": renamed({"mu": "m", "i": "l"}),
    "terms turned round": everywhere(turned),
    "no limits": everywhere(unbounded),
    "dots for transposes": everywhere(dotted),
}


def judged(name: str, sides: tuple[t.Node, t.Node], change: Change) -> str:
    first, second = (written(change(side)) for side in sides)
    found = judge_work(read_work(f"$${first} = {second}$$", "md"), theorem(name), is_given=True)
    return found[-1].verdict


def _is_apt(sides: tuple[t.Node, t.Node], change: Change, rewriting: str) -> bool:
    """Whether a rewriting changes anything, and the letters that it takes are free."""
    names = {item.text for side in sides for item in walk(side) if isinstance(item, t.Name)}
    return rewriting == "as it is" or (any(change(side) != side for side in sides) and not names & {"s", "m", "r", "l"})


@pytest.mark.sample(2)
@pytest.mark.parametrize("rewriting", REWRITINGS)
def test_right_steps_raise_no_alarm(rewriting: str) -> None:
    change = REWRITINGS[rewriting]
    found = [
        (name, written(change(sides[0])), written(change(sides[1])), judged(name, sides, change))
        for name in NAMES
        for sides in steps(name)
        if _is_apt(sides, change, rewriting)
    ]
    assert len(found) >= 6
    assert not [item for item in found if item[-1] != "right"]


# Mutations -----------------------------------------------------------------------------------------


def mutants(node: t.Node) -> Iterator[t.Node]:
    """The tree with a coefficient, a sign, an index or an exponent changed."""
    match node:
        case t.Power(base, t.Number(text)) if text.isdecimal():
            yield t.Power(base, t.Number(str(int(text) + 1)))
        case t.Sum(terms, operators):
            for place, operator in enumerate(operators):
                flipped = "-" if operator == "+" else "+"
                yield t.Sum(terms, (*operators[:place], flipped, *operators[place + 1 :]))
        case t.Number(text) if text.isdecimal():
            yield t.Number(str(int(text) + 2))
        case t.SumOver(index, lower, upper, body) if upper is not None:
            yield t.SumOver(index, lower, t.Sum((upper, t.Number("1")), ("-",)), body)
        case _:
            pass
    if isinstance(node, t.Subscript | t.SumOver | t.Power):
        children: tuple[t.Node, ...] = ()
        if isinstance(node, t.SumOver | t.Power):
            children = (node.body if isinstance(node, t.SumOver) else node.base,)
    else:
        children = t.children(node)
    for child in children:
        for changed in mutants(child):
            yield rebuilt(node, lambda item, old=child, new=changed: new if item is old else item)  # type: ignore[misc]


@pytest.mark.parametrize("name", [*NAMES[:2], pytest.param(NAMES[2], marks=pytest.mark.long)])
def test_changed_steps_are_found(name: str) -> None:
    tried, accepted, missed = 0, [], []
    for first, second in steps(name):
        for changed in mutants(second):
            if changed == second:
                continue
            verdict = judged(name, (first, changed), lambda node: node)
            tried += 1
            if verdict == "right":
                accepted.append((written(first), written(changed)))
            elif verdict != "wrong":
                missed.append((written(first), written(changed), verdict))
    assert tried >= 5
    assert not accepted
    # A normal law of high degree has no small case here: that stays open.
    assert len(missed) <= 1, missed
