"""The likeliest cause of a false link: a usual slip whose undoing makes it right, or a falsehood of the catalogue.

A slip is named only when both sides agree once it is undone (or once it is made on the other side), and when no
other kind of slip would do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from symattn.data_files import read_table
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.proofs.submissions.verdicts.rewriting_steps import (
    Change,
    everywhere,
    factor_out,
    mean_of_power,
    product_split,
    second_moment,
    softmax_split,
    sum_split,
    without_cross_terms,
)
from symattn.records import dataclass

Agree = Callable[[t.Node, t.Node], bool]
"""Whether two bound sides are one expression, with no more assumed than it takes."""

_MOST_TRIES = 60

SLIPS: dict[str, str] = read_table(__package__, "slips.toml")
"""The codes of causes with a sentence each."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A cause: its code, and a sentence."""

    code: str
    text: str


def find_mistake(left: t.Node, right: t.Node, agree: Agree) -> Mistake | None:
    """Return the usual slip that explains why the right side of a link is not the left one; None where several may.

    A step that does not hold here and leads to the right side explains most. Behind those come changes of one
    place, where they are all of one kind: two kinds explain nothing.
    """
    if not any(isinstance(node, t.Name) for node in walk(right)):
        # Too many slips lead to a mere number, but a sign is all that -1 and 1 differ in.
        return _named("sign") if agree(left, _negated(right)) else None
    tried = 0
    found: dict[str, None] = {}
    for code, one, other in _candidates(left, right):
        tried += 1
        if tried > _MOST_TRIES:
            break
        if (one, other) == (left, right) or code in found or not agree(one, other):
            continue
        if code not in _ONE_PLACE:
            return _named(code)
        found[code] = None
    return _named(next(iter(found))) if len(found) == 1 else None


def _named(code: str) -> Mistake:
    return Mistake(code, SLIPS[code])


def _candidates(left: t.Node, right: t.Node) -> Iterator[tuple[str, t.Node, t.Node]]:
    for code, changes in _MADE.items():
        for change in changes:
            for one, other in ((left, right), (right, left)):
                changed = everywhere(one, change)
                if changed != one:
                    yield code, changed, other
    if any(isinstance(node, t.Root) for side in (left, right) for node in walk(side)):
        yield "root", t.Power(t.Group(left), t.Number("2")), right
        yield "root", left, t.Power(t.Group(right), t.Number("2"))
    yield "sign", left, _negated(right)
    for code, changed in _single(right):
        yield code, left, changed
    for code, changed in _single(left):
        if code != "exponent":  # what a chain begins with is taken as it is
            yield code, changed, right
    if isinstance(bare(right), t.Product | t.Division):
        for factor in _FACTORS:
            yield "factor", left, t.Product((factor, t.Group(right)), ("cdot",))


def _negated(node: t.Node) -> t.Node:
    return t.Negative(t.Group(node))


_TWO, _FOUR = t.Number("2"), t.Number("4")
_FACTORS: tuple[t.Node, ...] = (_TWO, _FOUR, *(t.Group(t.Division(t.Number("1"), number)) for number in (_TWO, _FOUR)))

_MADE: dict[str, tuple[Change, ...]] = {
    "cross-terms": (without_cross_terms,),
    "product-of-variances": (partial(product_split, "Var"),),
    "mean-of-product": (partial(product_split, "E"), partial(mean_of_power, 2), partial(mean_of_power, 3)),
    "variance-of-sum": (partial(sum_split, "Var", sign="+"),),
    "scaling-of-variance": (partial(factor_out, "Var"),),
    "square-of-mean": (second_moment,),
    "softmax-is-not-linear": (softmax_split,),
}
"""Steps that do not hold everywhere, made where they do not."""

_ONE_PLACE = frozenset({"sign", "exponent", "off-by-one", "factor"})


# Slips in one place --------------------------------------------------------------------------------


def _single(node: t.Node) -> Iterator[tuple[str, t.Node]]:
    """Yield the tree with one slip undone, place after place."""
    match node:
        case t.Power(base, t.Number(text)) if text.isdecimal():
            for exponent in (2 * int(text), int(text) // 2, int(text) + 1, int(text) - 1):
                if exponent > 0 and exponent != int(text):
                    yield "exponent", base if exponent == 1 else t.Power(base, t.Number(str(exponent)))
        case t.Name() | t.Subscript(t.Name(), _):
            yield "exponent", t.Power(node, t.Number("2"))
        case t.Call(t.Name("Var" | "E"), _):
            yield "exponent", t.Power(node, t.Number("2"))
        case t.SumOver(index, lower, upper, body) if upper is not None:
            for sign in ("+", "-"):
                end = t.Group(upper) if isinstance(upper, t.Sum) else upper
                yield "off-by-one", t.SumOver(index, lower, t.Sum((end, t.Number("1")), (sign,)), body)
        case t.Sum(terms, operators):
            for place, operator in enumerate(operators):
                turned = "-" if operator == "+" else "+"
                yield "sign", t.Sum(terms, (*operators[:place], turned, *operators[place + 1 :]))
        case t.Negative(body):
            yield "sign", body
        case _:
            pass
    if isinstance(node, t.Subscript):
        return
    for child in t.children(node)[1 if isinstance(node, t.Call | t.SumOver) else 0 :]:
        for code, changed in _single(child):
            yield code, _replaced_once(node, child, changed)


def _replaced_once(node: t.Node, old: t.Node, new: t.Node) -> t.Node:
    done = False

    def change(child: t.Node) -> t.Node:
        nonlocal done
        if child is old and not done:
            done = True
            return t.Group(new) if isinstance(new, t.Power | t.Sum | t.Negative) and not isinstance(old, t.Sum) else new
        return child

    return rebuilt(node, change)
