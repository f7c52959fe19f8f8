"""Indexed statements about all entries, ``z_{i,j} = q_i^T k_j``, tested at every row and column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import matrix_in, substitute
from symattn.checking.expressions.expression_kinds import RUNNING, is_formula
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.targets import OutOfRange, Target, canonical
from symattn.checking.names.lexicon import key_of
from symattn.checking.report import HOLDS, Checks, Diagnosis, Finding
from symattn.checking.subjects.disambiguation import Disambiguation
from symattn.errors import ShapeError, UndecidedError
from symattn.exact.evaluation import Value
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import are_different
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

_MOST = 400
"""Instances that are tried; of larger matrices the first ones."""


class IndexedStatements:
    """Judge of formulas with running indices."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context

    def indices(self, written: Written) -> list[str]:
        """Return the running indices of the left side, none where the chain is about something else."""
        first = written.sides[0]
        node = None if first is None else first.node
        rest = [side.node for side in written.sides[1:] if side is not None and side.node is not None]
        if not isinstance(node, t.Subscript) or not rest or not all(map(is_formula, rest)):
            return []
        flat = _flat(node)
        if self.context.binder.heads.count and len(flat) > 1 and isinstance(flat[-1], t.Number):
            flat = flat[:-1]  # the number of the head
        names = [index.text for index in flat if isinstance(index, t.Name)]
        is_all = len(names) == len(flat) and RUNNING.issuperset(names)
        return names if is_all and self._target(node, dict.fromkeys(names, 1)) is not None else []

    def is_declared(self, left: t.Node) -> bool:
        """Return whether the left side is a quantity of the sheet, or a line of one, and no name of the work's own."""
        binder = self.context.binder
        base = left.base if isinstance(left, t.Subscript) else left
        text = base.text if isinstance(base, t.Name) else ""
        is_own = binder.names.is_declared(base) or (len(text) == 1 and binder.names.is_declared(t.Name(text.upper())))
        if text == "e" and not binder.names.is_declared(base):
            is_own = False  # energies, not the exponentials E
        return is_own or key_of(text) in binder.heads.own

    def links(self, written: Written, disambiguation: Disambiguation) -> list[Link] | None:
        """Judge a statement about all entries at once; None where it may be about anything else.

        Args:
            written: the chain.
            disambiguation: which learns that a letter of the scores means the scaled ones: ``s_{ij} = q_i^T k_j/√d_k``.
        """
        first = written.sides[0]
        indices = self.indices(written)
        if not indices or first is None or first.node is None:
            return None
        found = self._links(written, first.node, indices)
        if not all(link.finding.verdict in HOLDS for link in found):
            scaled = disambiguation.scaled_head(first.node)
            other = [] if scaled is None else self._links(written, scaled, indices)
            if other and all(link.finding.verdict in HOLDS for link in other):
                disambiguation.means_scores(first.node, "S_scaled")
                found = other
        is_sure = self.is_declared(first.node)
        return found if is_sure or all(link.finding.verdict in HOLDS for link in found) else None

    def _links(self, written: Written, left: t.Node, indices: list[str]) -> list[Link]:
        """Return a statement about all entries, side by side."""
        found = []
        for position, side in enumerate(written.sides[1:], 1):
            if side is None:
                continue
            if side.node is None:
                found.append(unread(self.context, written, position, side, None))
                continue
            where = self.context.link_place(written, position, side)
            base = Finding(where, self.context.text(where), None, "right")
            try:
                found.append(self.link(base, left, side.node, indices))
            except ShapeError as error:
                diagnosis = Diagnosis("shape", str(error))
                found.append(Link(self.context.wrong(base, side.node, diagnosis, Checks(operands=False)), None))
        return found

    def link(self, base: Finding, left: t.Node, right: t.Node, names: list[str]) -> Link:
        """Return whether two sides are equal at every instance of the indices.

        Raises:
            ShapeError: matrices of the right side do not conform.
        """
        count, is_settled = 0, True
        for chosen in self._instances(left, names):
            one, other = self._value(left, chosen), self._value(right, chosen)
            if other is None and one is not None:
                # Raises where the matrices do not conform.
                self.context.layout.shape(substitute(right, chosen))
            absent = None if other is not None else self._absent(substitute(right, chosen))
            if absent is not None:
                sentence = f"There is no {self.context.source(absent.node)}: {absent.sentence}"
                diagnosis = Diagnosis("no-such-entry", sentence)
                return Link(changed(base, verdict="wrong", explanation=sentence, diagnosis=diagnosis), None)
            if one is None or other is None:
                return Link(changed(base, verdict="unchecked", explanation="It cannot be computed here."), None)
            is_same = _is_same(one, other)
            if is_same is False:
                return self._wrong(base, right, chosen)
            is_settled = is_settled and (is_same is not None or self._is_definition(left, right, chosen))
            count += 1
        if not is_settled:
            words = "Enclosures do not tell whether it is equal for all of these."
            return Link(changed(base, verdict="undecided", explanation=words), None)
        if not count:
            return Link(changed(base, verdict="unchecked", explanation="It cannot be computed here."), None)
        return Link(changed(base, checks=Checks(operands=True)), None)

    def _is_definition(self, left: t.Node, right: t.Node, chosen: dict[str, int]) -> bool:
        """Return whether a side is what defines the other, ``e^{S_{ij}}``, though two forms of their values differ."""
        target = self._target(left, chosen)
        if target is None or target.only is None:
            return False
        try:
            return self.context.operands.is_definition(substitute(right, chosen), (target.name, *target.only))
        except UndecidedError:
            return False

    def _instances(self, left: t.Node, names: list[str]) -> Iterator[dict[str, int]]:
        base = self.context.binder.base
        first = self._target(left, dict.fromkeys(names, base))
        sizes = []
        for name in names:
            last = base
            while last - base < _MOST and self._is_of(first, left, {**dict.fromkeys(names, base), name: last}):
                last += 1
            sizes.append(range(base, last))
        for count, numbers in enumerate(product(*sizes)):
            if count >= _MOST:
                return
            yield dict(zip(names, numbers, strict=True))

    def _absent(self, node: t.Node) -> OutOfRange | None:
        """Return the first name of a nonexistent head."""
        found = (self.context.binder.absent(item) for item in walk(node) if isinstance(item, t.Subscript))
        return next((item for item in found if item is not None and item.said), None)

    def _is_of(self, first: Target | None, left: t.Node, chosen: dict[str, int]) -> bool:
        """Return whether a name still means the quantity of its first instance: behind its last column it may not."""
        found = self._target(left, chosen)
        return found is not None and first is not None and found.name == first.name

    def _target(self, left: t.Node, chosen: dict[str, int]) -> Target | None:
        return self.context.binder.resolve(left, chosen)

    def _value(self, node: t.Node, chosen: dict[str, int]) -> Value | None:
        return matrix_in(substitute(node, chosen), self.context.binder, self.context.numbers.base)

    def _wrong(self, base: Finding, node: t.Node, chosen: dict[str, int]) -> Link:
        where = ", ".join(f"{name} = {number}" for name, number in chosen.items())
        sentence = f"{self.context.source(node)} is something else, for example for {where}."
        return Link(self.context.wrong(base, node, Diagnosis("formula", sentence), Checks(operands=False)), None)


def _flat(node: t.Subscript) -> list[t.Node]:
    return [part for index in node.indices for part in (index.factors if isinstance(index, t.Product) else (index,))]


def _is_same(one: Value, other: Value) -> bool | None:
    """Return whether two values are equal, None where that is open; vectors may be typed as rows or as columns."""
    first = one.rows if isinstance(one, Matrix) else ((one,),)
    second = other.rows if isinstance(other, Matrix) else ((other,),)
    shapes = {(len(first), len(first[0])), (len(first[0]), len(first))}
    if (len(second), len(second[0])) not in shapes:
        return False
    pairs = list(zip(chain.from_iterable(first), chain.from_iterable(second), strict=True))
    is_laid_alike = 1 in (len(first), len(first[0])) or len(first) == len(second)
    if not is_laid_alike or any(are_different(a, b) for a, b in pairs):
        return False
    return all(a == b for a, b in pairs) or None


def unread(context: GradingContext, written: Written, position: int, side: Side, target: Target | None) -> Link:
    """Return the link of a side that cannot be read, or that belongs to a set."""
    where = context.link_place(written, position, side)
    name = None if target is None else canonical(target, context.graph)
    culprit = context.place(side.at, min(side.at + 1, side.span[1]))
    base = Finding(where, context.text(where), name, "unread", explanation=side.reason, culprit=culprit)
    if side.code == "ragged":
        diagnosis = Diagnosis("ragged-matrix", side.reason)
        return Link(changed(base, verdict="wrong", checks=Checks(value=False), diagnosis=diagnosis), target)
    if position and written.operators[position - 1] == "∈":
        words = "Whether something belongs to a set is not judged here."
        return Link(changed(base, verdict="unchecked", explanation=words, culprit=None), target)
    return Link(base, target)
