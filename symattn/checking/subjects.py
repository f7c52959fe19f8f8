"""What a chain is about: the quantity, row or entry that its sides name, or that its numbers continue."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.checking.desk import Desk
from symattn.checking.figures import bare, figure
from symattn.checking.graph import Node, Times, shape_of
from symattn.checking.kinds import RUNNING, has_list, has_numbers, is_formula
from symattn.checking.targets import Target, whole
from symattn.checking.values import matrix_in
from symattn.exact.matrix import Matrix
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.notation.work import Written

_LONG = 8
"""Terms of a sum beyond which a single term is not taken for all of it."""

_MOST = 400
"""Entries that are tried for working that names none."""


class Subjects:
    """Finds what chains are about."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.binder = desk.binder
        self.graph = desk.graph

    def define(self, written: Written) -> None:
        """Takes note of a name that the work defines for itself: ``C_j = Σ_i A_ij``, ``Q_s = Q/√2``."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        if len(nodes) < 2:
            return
        if isinstance(nodes[0], t.Transpose) and isinstance(nodes[0].base, t.Name):
            self._define_primed(nodes[0].base, nodes[1:])
        if not isinstance(nodes[0], t.Subscript | t.Name):
            return
        self._rebind(nodes)
        head, indices = _head(nodes[0])
        if self.binder.is_declared(head) or ":" in indices:
            return
        for node in nodes[1:]:
            inner = {item.text for item in walk(node) if isinstance(item, t.Name)}
            is_new = not isinstance(bare(node), t.Name | t.Subscript | t.Call)
            if is_new and inner.issuperset(indices) and self._is_definition(node, indices):
                self.binder.define(head, indices, node)
                return

    def _define_primed(self, name: t.Name, nodes: list[t.Node]) -> None:
        """``Q' = Q/√2`` is a new name, and no transpose: it has the shape of Q."""
        target = self.binder.resolve(name)
        for node in nodes:
            is_alike = target is not None and self.desk.shape(node) == target.shape and not has_list(node)
            if is_alike and target is not None and target.shape[0] != target.shape[1]:
                self.binder.primed.add(name.text)
                self.binder.given[f"{name.text}'"] = ((), node)
                return

    def _rebind(self, nodes: list[t.Node]) -> None:
        if not isinstance(nodes[0], t.Name):
            return
        own = self.binder.head(nodes[0])
        for node in nodes[1:]:
            found = self.desk.formulas.subject(node)
            if (
                found is not None
                and own is not None
                and found.name != own[0]
                and found == whole(self.graph, found.name)
            ):
                self.binder.rebind(nodes[0], found.name)
                return

    def _is_definition(self, node: t.Node, indices: list[str]) -> bool:
        if indices:
            return is_formula(node)
        names = [item for item in walk(node) if isinstance(item, t.Name)]
        is_scaled = isinstance(bare(node), t.Division | t.Product) and has_numbers(node) and not has_list(node)
        return is_scaled and any(self.binder.is_declared(name) for name in names)

    def of(self, written: Written, current: Target | None) -> Target | None:
        """The first side that names something, else what the line before was about."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        named = [target for target in map(self.named, nodes) if target is not None]
        sure = [target for target in named if not target.guess]
        if sure:
            return self._sooner(named, sure[0])
        guessed = [target for target in named if self._may_be(target, nodes)]
        if guessed:
            return guessed[0]
        if written.sides[0] is None and not written.after_text:
            return current
        if not any(has_numbers(node) for node in nodes):
            return None
        first = nodes[0]
        is_known = figure(first) is not None or isinstance(bare(first), t.Matrix | t.Vector)
        return self._by_heading(nodes) if is_known else self._by_value(first) or self._by_structure(first)

    def named(self, node: t.Node) -> Target | None:
        """What a side names: by a name, by an entry of a product, or by a formula that is a definition."""
        node = bare(node)
        if isinstance(node, t.Relation):
            return None
        return self.binder.resolve(node) or self.of_product(node) or self.desk.formulas.subject(node)

    def of_product(self, node: t.Node) -> Target | None:
        """``QK_{12}``, ``(QK^T)_{12}``, ``softmax(S)_{12}``: an entry of what has no name."""
        found = self.product(node)
        if found is None or not isinstance(node, t.Subscript):
            return None
        numbers = self.binder.split(node.indices, {})[1]
        return None if numbers is None else self.binder.part(found, numbers)

    def product(self, node: t.Node) -> Target | None:
        """All of what has no name, where an index stands on it: ``QK`` of ``QK_{12}``."""
        if not isinstance(node, t.Subscript) or not isinstance(node.base, t.Group | t.Call):
            return None
        inside = bare(node.base)
        found = self.desk.formulas.subject(inside)
        if found is None and isinstance(inside, t.Product) and len(inside.factors) == 2:
            turned = t.Product((inside.factors[0], t.Transpose(inside.factors[1])), inside.operators)
            found = self.desk.formulas.subject(turned)
        return found

    def _sooner(self, named: list[Target], sure: Target) -> Target:
        """A name of habit that stands before a sure one and has its value is meant: ``L = c S`` where c is 1."""
        first, exact = named[0], self.desk.numbers.exact
        if first is sure or first.shape != sure.shape:
            return sure
        pairs = zip(first.flat(), sure.flat(), strict=True)
        alike = all(exact((first.name, *a)) == exact((sure.name, *b)) for a, b in pairs)
        return first if alike else sure

    def _may_be(self, target: Target, nodes: list[t.Node]) -> bool:
        """Whether a letter that is bound by habit stands beside numbers that fit it."""
        fitting = {target.shape, target.shape[::-1]} if target.is_vector else {target.shape}
        is_entry = target.only is not None
        if is_entry and any(is_formula(node) and self._comes_to(node, target) for node in nodes[1:]):
            return True
        return any(
            self.desk.shape(node) in fitting and (has_numbers(node) if is_entry else has_list(node)) for node in nodes
        )

    def _comes_to(self, node: t.Node, target: Target) -> bool:
        value = matrix_in(node, self.binder, self.desk.numbers.base)
        return value is not None and not isinstance(value, Matrix) and self.desk.has_value(target, ((value,),))

    def _by_heading(self, nodes: list[t.Node]) -> Target | None:
        if self.binder.heading is None:
            return None
        target = whole(self.graph, self.binder.heading, guess=True)
        fits = any(self.desk.shape(node) in {target.shape, target.shape[::-1]} for node in nodes)
        return target if fits else None

    def _by_value(self, node: t.Node) -> Target | None:
        """What an expression in names comes to: the only quantity, row or entry that has this value."""
        if not isinstance(bare(node), t.SumOver | t.Product | t.Transpose):
            return None
        value = matrix_in(node, self.binder, self.desk.numbers.base)
        if value is None:
            return None
        rows = value.rows if isinstance(value, Matrix) else ((value,),)
        found = [target for target in self._targets(len(rows), len(rows[0])) if self.desk.has_value(target, rows)]
        return found[0] if len(found) == 1 else None

    def _by_structure(self, node: t.Node) -> Target | None:
        """Working in names that only one entry calls for: ``S_12/2`` for the scaled score."""
        if not isinstance(bare(node), t.Division | t.Product) or self.desk.shape(node) != (1, 1):
            return None
        used = [self.binder.resolve(item) for item in walk(node) if isinstance(item, t.Subscript)]
        sources = {target.name for target in used if target is not None}
        later = {name for source in sources for name in self.graph.below(source)}
        names = [name for name, item in self.graph.nodes.items() if name in later and self._may_be_term(item)]
        cells = [cell for name in names for cell in self.graph.cells(name)]
        part = self.desk.layout.entry(node, 0, 0)
        found = [cell for cell in cells[:_MOST] if self.desk.operands.compare(part, cell) == ()]
        return Target(found[0][0], ((found[0][1:],),)) if len(found) == 1 else None

    def _may_be_term(self, node: Node) -> bool:
        """Whether an entry may be worked out without a sum: all but one term of a long one will not be zero."""
        if isinstance(node.formula, Times):
            return shape_of(node.formula.left, self.graph)[1] <= _LONG
        return node.formula is not None

    def _targets(self, rows: int, columns: int) -> Iterator[Target]:
        """Every computed quantity, line and entry of a shape."""
        for name, node in self.graph.nodes.items():
            if node.formula is None:
                continue
            full = whole(self.graph, name)
            if full.shape == (rows, columns):
                yield full
            if 1 in (rows, columns) and 1 not in full.shape:
                yield from self._lines(full, (rows, columns))

    def _lines(self, full: Target, shape: tuple[int, int]) -> Iterator[Target]:
        height, width = full.shape
        if shape == (1, 1):
            parts = [full.part(i, j) for i in range(height) for j in range(width)]
        else:
            parts = [full.part(i, None) for i in range(height)] + [full.part(None, j) for j in range(width)]
        for part in parts:
            if part is not None and shape in {part.shape, part.shape[::-1]}:
                yield part if part.shape == shape else part.transposed


def _head(node: t.Subscript | t.Name) -> tuple[t.Node, list[str]]:
    """A name and its running indices; labels belong to the name."""
    if isinstance(node, t.Name) or not all(isinstance(index, t.Name) for index in node.indices):
        return node, []
    letters = [index.text for index in node.indices if isinstance(index, t.Name)]
    running = [text for text in letters if text in RUNNING]
    return (node.base, letters) if running else (node, [])
