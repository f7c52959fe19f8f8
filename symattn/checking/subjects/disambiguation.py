"""Disambiguation of incomplete names: scores or scaled scores, a whole quantity or one row.

``S'`` and ``s_12`` are told apart by the formula beside them, else by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import has_list, has_minus_infinity, has_numbers
from symattn.checking.expressions.numerals import figure, is_dash, is_minus_infinity
from symattn.checking.grading.link import Link
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.large_negative_masks import is_far_below
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import BY_KEY, SCORES, SUCCESSORS
from symattn.checking.report import HOLDS, Verdict
from symattn.checking.subjects.notation_variants import NotationVariants, PrimedNames, primed_name, with_index
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk

_PLAIN, _SCALED, _MASKED = "S", "S_scaled", "S_masked"
_LATER = frozenset({_SCALED, _MASKED})
_MOST = 400
"""Entries that are compared."""

_BY_QUERY = BY_KEY | {"Q", "H", "O"}
"""Quantities that have a row for each query."""

_ANYTHING = frozenset({"result", "results", "res", "ans", "answer"})
"""Words for whatever comes out of a step."""

_LONG = 2_000
"""Parts of a side that is looked at once more."""


def is_line(shape: tuple[int, int] | None) -> bool:
    """Return whether a shape is that of one row or column, and of no single number.

    >>> is_line((1, 3)), is_line((1, 1)), is_line((2, 2))
    (True, False, False)
    """
    return shape is not None and 1 in shape and shape != (1, 1)


def _is_closed(node: t.Node) -> bool:
    """Return whether a node is numbers, powers of e and roots alone."""
    items = list(walk(node))
    names = {item.text for item in items if isinstance(item, t.Name)} - {"e", "exp"}
    return not names and len(items) <= _LONG


class Disambiguation:
    """Choice between the scores and the scaled scores where there are both."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.graph = context.graph
        self.primed: dict[str, str] = {}
        self.respelt = NotationVariants(context)
        self.successors = [
            PrimedNames(context, self.fits, ending)
            for ending, names in SUCCESSORS.items()
            if any(f"{name}_{ending}" in context.graph for name in names)
        ]
        self.later: tuple[t.Node, str] | None = None
        self.has_both = _PLAIN in self.graph and _SCALED in self.graph
        self.twins = {_PLAIN: (_SCALED,), _SCALED: (_PLAIN,)} if self.has_both else {}
        for name in self.graph.nodes:
            own, caret, number = name.partition("^")
            if own == _SCALED and caret:
                self.twins.update({name: (f"{_PLAIN}^{number}",), f"{_PLAIN}^{number}": (name,)})

    def settled(self, target: Target, nodes: list[t.Node]) -> Target:
        """Return another quantity for a letter that may mean it beside numbers that only it has."""
        if not target.guess or self.context.binder.heading == target.name:
            return target
        first = nodes[0].base if isinstance(nodes[0], t.Subscript) else nodes[0]
        names = list(self.context.binder.names.others_called(first))
        names.extend(self.twins.get(target.name, ()))
        if self.context.binder.problem.block is not None:
            names.extend(self.context.binder.names.habits_of(first))
        for name in names:
            moved = self._moved(target, name)
            if moved is not None and self._only(nodes, moved, target):
                return moved
        return target

    def scaled_head(self, left: t.Node) -> t.Subscript | None:
        """Return the same entries of the scaled scores, for a conventional name of the scores; None for any other."""
        if not isinstance(left, t.Subscript) or not isinstance(left.base, t.Name) or not self.has_both:
            return None
        key = left.base.text
        is_fixed = key in self.context.binder.names.declared or key.upper() in self.context.binder.names.declared
        if is_fixed or _PLAIN not in self.context.binder.names.habits_of(left.base):
            return None
        return t.Subscript(t.Name(_SCALED), left.indices, span=left.span)

    def means(self, left: t.Node, target: Target) -> None:
        """Take a name of scores for those that the work calls so with numbers: ``S = [0.71, 1.41]``."""
        known = self.context.binder.resolve(left)
        if known is None or known.name == target.name or not {base_of(known.name), base_of(target.name)} <= {*SCORES}:
            return
        if "^" in target.name:
            self.context.binder.heads.rebind(left, base_of(target.name))
        else:
            self.means_scores(left, target.name)

    def means_scores(self, left: t.Node, name: str) -> None:
        """Record a name of the work for some of the scores."""
        head = left.base if isinstance(left, t.Subscript) else left
        names = (name, *self.context.binder.names.habits_of(head))
        self.context.binder.names.rebind(head, name)
        self.context.binder.names.learn(head, names)
        if head == t.Name("e"):  # with indices it is not the base of exponentials
            self.context.binder.names.called["e"] = names

    def hidden(self, target: Target, nodes: list[t.Node]) -> Target:
        """Return the masked scores, where minus infinity stands for any scores, or the numbers are theirs."""
        own, caret, number = target.name.partition("^")
        masked = f"{_MASKED}{caret}{number}"
        if own not in {_PLAIN, _SCALED} or masked not in self.graph or not any(map(has_minus_infinity, nodes)):
            return target
        moved = self._moved(target, masked)
        head = nodes[0].base if isinstance(nodes[0], t.Subscript) else nodes[0]
        may_be = (
            target.guess
            or (isinstance(head, t.Name) and not self.context.binder.names.is_declared(head))
            or has_list(head)
        )
        if moved is None or not (may_be or self._only(nodes, moved, target)):
            return target
        if moved.cells == whole(self.graph, masked).cells and isinstance(nodes[0], t.Name):
            self.context.binder.names.rebind(nodes[0], masked)
            self.context.binder.names.learn(nodes[0], (masked,))
        return moved

    def once_more(self, written: Written, target: Target | None) -> Target | None:
        """Return the scaled scores for the scores, or the reverse, where the first are stated and these are given.

        ``S`` is often used again for what is made of it, and prose below the scaled scores cites the plain ones.
        """
        if (
            target is None
            or target.name not in self.twins
            or target.name in self.context.binder.names.declared.values()
        ):
            return target
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        stated = [node for node in nodes if has_numbers(node) and (has_list(node) or figure(node) is not None)]
        if len(stated) != 1 or len(nodes) > 2 or not self._is_known(target) or self.fits(stated[0], target):
            return target
        for name in self.twins[target.name]:
            moved = self._moved(target, name)
            if moved is not None and self.fits(stated[0], moved):
                if isinstance(nodes[0], t.Name):
                    self.context.binder.names.rebind(nodes[0], name)
                return moved
        return target

    def _is_known(self, target: Target) -> bool:
        """Return whether every entry was stated before."""
        return all((target.name, *place) in self.context.numbers.prints for place in target.flat())

    def _moved(self, target: Target, name: str) -> Target | None:
        """Return the same entries of another quantity, None where they do not exist."""
        rows, columns = self.graph.shape(name)
        is_whole = target.cells == whole(self.graph, target.name).cells
        if name == target.name or any(i >= rows or j >= columns for i, j in target.flat()):
            return None
        return whole(self.graph, name, guess=True) if is_whole else Target(name, target.cells, guess=True)

    def line_of(self, written: Written, target: Target | None, current: Target | None) -> Target | None:
        """Return the intended row where one row is stated for a whole quantity; else the target.

        It is the one that was spoken of, in the line before, in the heading or by the sheet, unless the numbers are
        those of another one. Words (``output = …``) may mean any row; a letter of the sheet's wants a context.
        """
        if target is None or target.is_vector or target.cells != whole(self.graph, target.name).cells:
            return target
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        stated = [node for node in nodes if has_numbers(node) and not self._is_formula_of(node, target)]
        if not stated or any(not is_line(self.context.shape(node)) for node in stated):
            return target
        lines = [line for number in range(max(target.shape)) if (line := self._line(target, number)) is not None]
        lines = [line for line in lines if self._has_shape(stated, line)]
        about = self._spoken_of(target, current)
        about = about if about is not None and self._has_shape(stated, about) else None
        if about is not None and self.fits(stated[-1], about):
            return about
        fitting = [line for line in lines if self.fits(stated[-1], line)]
        is_word = any(isinstance(node, t.Name) and len(node.text) > 1 for node in nodes)
        if len(fitting) == 1 and (is_word or about is not None or self.context.binder.is_of_one):
            return fitting[0]
        if about is None and self.context.binder.is_of_one and lines:
            return (fitting or lines)[0]
        is_said_of_anything = any(isinstance(node, t.Name) and node.text.lower() in _ANYTHING for node in nodes[:1])
        return about or (None if is_said_of_anything else target)

    def _is_formula_of(self, node: t.Node, target: Target) -> bool:
        """Return whether a side defines a whole quantity, ``S/√2``, even if one row is written behind it."""
        found = None if has_list(node) else self.context.formulas.subject(node)
        return found is not None and (found.name, found.cells) == (target.name, target.cells)

    def _has_shape(self, stated: list[t.Node], line: Target) -> bool:
        return all(self.context.shape(node) in {line.shape, line.shape[::-1]} for node in stated)

    def _line(self, target: Target, number: int) -> Target | None:
        found = self.context.binder.part(target, [number + self.context.binder.base])
        return None if found is None or not found.is_vector else replace(found, guess=True)

    def _spoken_of(self, target: Target, current: Target | None) -> Target | None:
        binder = self.context.binder
        for found in (current, binder.spoken_of):
            if found is not None and found.name == target.name and found.is_vector and found.only is None:
                return replace(found, guess=True)
        if binder.line is not None:
            return self._line(target, binder.line - binder.base)
        if binder.line_found is not None:
            return self._line(target, binder.line_found)
        return None if binder.line_in_words is None else self._line(target, binder.line_in_words - binder.base)

    def heard(self, target: Target) -> None:
        """Record the row that the numbers of an unnumbered token belong to."""
        binder = self.context.binder
        if not binder.is_of_one or base_of(target.name) not in _BY_QUERY or not target.is_vector:
            return
        full = whole(self.graph, target.name)
        for number in range(max(full.shape)):
            line = self._line(full, number)
            if line is not None and line.cells == target.cells:
                binder.line_found = number

    def closed(self, link: Link, node: t.Node, target: Target) -> Link:
        """Return the link with the closed-form entries that a chain ends with, ``1/(2+e)``, as stated values."""
        if link.finding.verdict not in HOLDS or not _is_closed(node):
            return link
        shape = self.context.shape(node)
        laid = next((item for item in (target, target.transposed) if item.shape == shape), None)
        if laid is None or (laid.shape != target.shape and not target.is_vector):
            return link
        known = {cell for cell, _ in link.verdicts}
        added: list[tuple[Cell, Verdict]] = []
        for i, row in enumerate(laid.cells):
            for j, place in enumerate(row):
                cell = (laid.name, *place)
                part = self.context.entry(node, i, j)
                exact = self.context.numbers.exact(cell)
                is_plain = exact is None or exact.plain_rational() is not None
                if part is None or cell in known or is_plain or figure(part) is not None:
                    continue
                if value_in(part, self.context.binder, self.context.numbers.base) == exact:
                    added.append((cell, "right"))
        return replace(link, verdicts=link.verdicts + tuple(added)) if added else link

    def with_primes(self, written: Written) -> Written:
        """Return the chain with the scaled scores for a ``S'`` that means them, and for S of ``S = S/2``."""
        written = self._renamed(self._respelt(written))
        written = written.with_nodes(lambda node: with_index(node, self.context))
        for names in self.successors:
            written = names.written(written)
        if not self.twins:
            return written
        found = {
            name
            for side in written.sides
            if side is not None and side.node is not None
            for name in [self._primed_name(side.node)]
            if name is not None
        }
        heading = self._later_scores()
        new = (name for name in found if heading not in {"", self.primed.get(name)} or name not in self.primed)
        meant = {*self.primed, *(name for name in new if self._is_scaled(name, written))}
        if not meant:
            return written
        return written.with_nodes(lambda node: self._put(node, meant))

    def _respelt(self, written: Written) -> Written:
        first = None if written.sides[0] is None else written.sides[0].node
        found = None if first is None or "P_O" not in self.graph else self.context.binder.resolve(first)
        substitute = self.respelt.written
        if found is not None and found.name in {"L", "dO"}:
            substitute = self.respelt.of_loss if found.name == "L" else self.respelt.of_chances
        return written.with_nodes(substitute)

    def _renamed(self, written: Written) -> Written:
        """Read ``S = S/2`` as an assignment of programs: in all that follows S is the new value."""
        if self.later is not None:
            self.context.binder.names.reassign(*self.later)
            self.context.binder.names.learn(self.later[0], (self.later[1],))
            self.later = None
        first, *rest = written.sides
        head = None if first is None else first.node
        if first is None or not isinstance(head, t.Name | t.Subscript) or written.withdrawn:
            return written
        node = rest[0].node if rest and rest[0] is not None else None
        old = self.context.binder.resolve(head)
        if old is None or node is None or node == head or not any(item == head for item in walk(node)):
            return written
        found = self.context.formulas.subject(node)
        is_other = found is not None and found == whole(self.graph, found.name) and found.name != old.name
        if found is None or not is_other or old.cells != whole(self.graph, old.name).cells:
            return written
        if written.operators[0] != "→":  # a rule, ``S -> 3 tanh(S/3)``, may tell of a later step
            self.later = (head, found.name)
        return replace(written, sides=(replace(first, node=t.Name(found.name, span=head.span)), *rest))

    def _put(self, written: t.Node, meant: set[str]) -> t.Node:
        def substitute(node: t.Node) -> t.Node:
            name = self._primed_name(node)
            if name is None or name not in meant or not isinstance(node, t.Transpose):
                return rebuilt(node, substitute)
            return _renamed(node, self.primed.get(name, _SCALED))

        return substitute(written)

    def _primed_name(self, node: t.Node) -> str | None:
        """Return the letter of the scores that a prime stands on."""
        base = primed_name(node, self.context)
        meant = None if base is None else self.context.binder.resolve(base)
        is_plain = meant is not None and base_of(meant.name) == _PLAIN and meant.name in self.twins
        return base.text if base is not None and is_plain else None

    def _is_scaled(self, name: str, written: Written) -> bool:
        """Return whether ``S'`` means the scaled scores: by a formula beside it, or by numbers that S^T has not."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        primed = next((node for node in nodes if self._primed_name(node) == name), None)
        if primed is None:
            return False
        if _MASKED in self.graph and any(map(has_minus_infinity, nodes)):
            self.primed[name] = _MASKED
            return True
        turned = self.context.binder.resolve(primed)
        if turned is None or turned.name not in self.twins:
            return False
        scaled = whole(self.graph, self.twins[turned.name][0])
        if any(self.context.formulas.subject(node) == scaled for node in nodes if node is not primed):
            self.primed[name] = _SCALED
            return True
        if base_of(turned.name) != _PLAIN:
            return False
        stated = [node for node in nodes if has_numbers(node)]
        heading = self._later_scores()
        meant = self.context.binder.resolve(_renamed(primed, heading or _SCALED))
        is_laid = meant is not None and any(meant.in_shape(self.context.shape(node)) is not None for node in stated)
        if meant is not None and ((heading and is_laid) or self._only(nodes, meant, turned)):
            self.primed[name] = base_of(meant.name)
            return True
        return bool(stated) and not any(self.fits(node, turned) for node in stated)

    def _later_scores(self) -> str:
        """Return the scaled or masked scores where the heading speaks of them, else nothing."""
        heading = base_of(self.context.binder.heading or "")
        return heading if heading in _LATER else ""

    def _only(self, nodes: list[t.Node], one: Target, other: Target) -> bool:
        """Return whether numbers are those of one target, and none those of another."""
        stated = [node for node in nodes if has_numbers(node)]
        return any(self.fits(node, one) for node in stated) and not any(self.fits(node, other) for node in stated)

    def fits(self, node: t.Node, target: Target) -> bool:
        """Return whether a node is a target's numbers, every one."""
        found = self.fitting(node, target)
        return found is not None and all(found)

    def share(self, node: t.Node, target: Target) -> float:
        """Return the fraction of the written entries that fit a target, 0 where its shape differs."""
        found = list(self.fitting(node, target) or ())
        return sum(found) / len(found) if found else 0

    def fitting(self, node: t.Node, target: Target) -> Iterator[bool] | None:
        """Return of each written entry whether it fits a target; None where its shape differs, or it is large."""
        laid = target.in_shape(self.context.shape(node))
        if laid is None or laid.shape[0] * laid.shape[1] > _MOST:
            return None
        places = [(i, j, (laid.name, *place)) for i, row in enumerate(laid.cells) for j, place in enumerate(row)]
        parts = ((self.context.entry(node, i, j), cell) for i, j, cell in places)
        return (part is not None and self._fits_entry(part, cell) for part, cell in parts)

    def _fits_entry(self, part: t.Node, cell: tuple[str, int, int]) -> bool:
        number, exact = figure(part), self.context.numbers.exact(cell)
        if is_dash(part):
            return exact is None or exact is MINUS_INFINITY or exact.is_zero
        if exact is MINUS_INFINITY:
            return is_minus_infinity(part) or any(map(is_far_below, self.context.worth(part)))
        if number is not None:
            return self.context.numbers.fits(number, cell)
        if is_minus_infinity(part) and self.context.numbers.hides(cell):
            return True
        return exact is not None and exact in self.context.worth(part)


def _renamed(primed: t.Node, name: str) -> t.Node:
    """Return the same part of another quantity for a primed name."""
    head, base = t.Name(name, span=primed.span), primed.base if isinstance(primed, t.Transpose) else primed
    return t.Subscript(head, base.indices, span=primed.span) if isinstance(base, t.Subscript) else head
