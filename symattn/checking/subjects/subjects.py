"""Subject of a chain: the quantity, row or entry that its sides name, or that its numbers continue."""

from __future__ import annotations

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import RUNNING, has_list, has_numbers, is_formula
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.formulas import operands_of, scaled
from symattn.checking.graph.targets import Place, Target, whole
from symattn.checking.names.lexicon import SCORES
from symattn.checking.names.name_table import split
from symattn.checking.subjects.ambiguous_names import LetterAmbiguity, ScoreAmbiguity
from symattn.checking.subjects.disambiguation import Disambiguation
from symattn.checking.subjects.unlabelled_values import UnlabelledValues
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import Ref, is_of, parts


class Subjects:
    """Resolver of the subjects of chains."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.binder = context.binder
        self.graph = context.graph
        self.disambiguation = Disambiguation(context)
        self.unlabelled = UnlabelledValues(context, self.disambiguation)
        self.letters = LetterAmbiguity(context, self.disambiguation)
        self.loose = ScoreAmbiguity(context)

    def define(self, written: Written) -> None:
        """Record a name that the work defines for itself: ``C_j = Σ_i A_ij``, ``Q_s = Q/√2``."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        if len(nodes) < 2:
            return
        if isinstance(nodes[0], t.Transpose) and isinstance(nodes[0].base, t.Name):
            self._define_primed(nodes[0].base, nodes[1:])
        if not isinstance(nodes[0], t.Subscript | t.Name):
            return
        self._rebind(nodes)
        self._rebind_of_heads(nodes)
        head, indices = _head(nodes[0])
        number = 0
        if self.binder.heads.count and isinstance(nodes[0], t.Subscript) and not indices:
            number, shorter = _without_number(nodes[0])
            head, indices = _head(shorter) if number else (head, indices)
            if number and not indices:
                return
        if self.binder.names.is_declared(head) or ":" in indices:
            return
        for node in nodes[1:]:
            inner = {item.text for item in walk(node) if isinstance(item, t.Name)}
            is_new = not isinstance(bare(node), t.Name | t.Subscript | t.Call)
            if is_new and inner.issuperset(indices) and self._is_definition(node, indices):
                self.binder.names.define(head, indices, node, number)
                return

    def _define_primed(self, name: t.Name, nodes: list[t.Node]) -> None:
        """Record ``Q' = Q/√2`` as a new name and not a transpose: it has the shape of Q."""
        target = self.binder.resolve(name)
        for node in nodes:
            if any(item == t.Transpose(name) for item in walk(node)):
                continue  # Q' of itself
            is_alike = target is not None and self.context.shape(node) == target.shape and not has_list(node)
            if is_alike and target is not None and target.shape[0] != target.shape[1]:
                self.binder.names.primed.add(name.text)
                self.binder.names.given[f"{name.text}'"] = ((), node)
                return

    def _rebind(self, nodes: list[t.Node]) -> None:
        if not isinstance(nodes[0], t.Name):
            return
        own = self.binder.head(nodes[0])
        large = None if own is not None else self.binder.large(nodes[0].text)
        if large is not None and any(has_list(node) and self.context.shape(node) == large.shape for node in nodes[1:]):
            self.binder.names.learn(nodes[0], (large.name,))
            return
        for node in nodes[1:]:
            found = None if isinstance(bare(node), t.Name) else self.context.formulas.subject(node)
            if found is None or found != whole(self.graph, found.name) or (own is not None and found.name == own[0]):
                continue
            if own is not None:
                self.binder.names.rebind(nodes[0], found.name)
            forms = self.context.formulas.forms
            # Where c is 1, c S is S and the scaled scores alike.
            is_other = own is not None and (own[1] or self._is_made_of(own[0], node))
            if own is None or (is_other and forms[own[0]] != forms[found.name]):
                self.binder.names.learn(nodes[0], (found.name, *self.binder.names.habits_of(nodes[0])))
            return

    def _is_made_of(self, name: str, formula: t.Node) -> bool:
        """Return whether a formula cannot define a quantity: it is given, or the formula is made of it."""
        parts = (self.binder.resolve(item) for item in walk(formula) if isinstance(item, t.Name))
        return self.graph.nodes[name].formula is None or any(part is not None and part.name == name for part in parts)

    def _rebind_of_heads(self, nodes: list[t.Node]) -> None:
        """Rebind the letter of the scores after ``S_1 = Q_1 K_1^T/√2``, for this head and for all."""
        target = self.binder.resolve(nodes[0]) if self.binder.heads.count else None
        if target is None or target != whole(self.graph, target.name):
            return
        _, caret, number = target.name.partition("^")
        for node in nodes[1:]:
            found = self.context.formulas.subject(node)
            if found is None or found != whole(self.graph, found.name):
                continue
            base = base_of(found.name)
            if base in SCORES and found.name == f"{base}{caret}{number}":
                self.binder.heads.rebind(nodes[0], base)
            return

    def _is_definition(self, node: t.Node, indices: list[str]) -> bool:
        if indices:
            return is_formula(node)
        names = [item for item in walk(node) if isinstance(item, t.Name)]
        is_scaled = isinstance(bare(node), t.Division | t.Product) and has_numbers(node) and not has_list(node)
        return is_scaled and any(self.binder.names.is_declared(name) for name in names)

    def look_beside(self, written: Written) -> None:
        """Record the shapes of the numbers of a chain, which disambiguate the names beside them."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        self.binder.beside = frozenset()
        shapes = [self.context.shape(node) for node in nodes if has_numbers(node)]
        self._count_rows(nodes, shapes)
        self.binder.beside = frozenset(shape for shape in shapes if shape is not None and self.binder.heads.count)

    def _count_rows(self, nodes: list[t.Node], shapes: list[tuple[int, int] | None]) -> None:
        """Take the number below a name for that of the only row where the whole row stands beside it."""
        head = nodes[0] if nodes else None
        if not isinstance(head, t.Subscript) or len(head.indices) != 1:
            return
        entry = self.binder.resolve(head)
        full = None if entry is None or entry.only is None else whole(self.graph, entry.name).shape
        if full is not None and full != (1, 1) and 1 in full and {full, full[::-1]} & set(shapes):
            self.binder.names.count_rows(head.base)

    def of(self, written: Written, current: Target | None) -> Target | None:
        """Return the target of the first side that has one, else that of the line before."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        self.look_beside(written)
        other = self.letters.otherwise(nodes)
        if other is not None:
            return other
        named = [target for target in map(self.named, nodes) if target is not None]
        sure = [target for target in named if not target.guess]
        if sure:
            return self.disambiguation.hidden(sure[0], nodes)
        guessed = [target for target in named if self._may_be(target, nodes)]
        if guessed:
            return self.disambiguation.hidden(self.disambiguation.settled(guessed[0], nodes), nodes)
        for target in named:
            line = self.disambiguation.line_of(written, target, current)
            if line is not None and line is not target and self.disambiguation.fits(nodes[-1], line):
                return line
        if written.sides[0] is None and not written.after_text:
            return current
        shifted = self.loose.shifted(nodes)
        if shifted is not None:
            return shifted
        if not any(has_numbers(node) for node in nodes):
            return None
        is_read = all(side is None or side.node is not None for side in written.sides)
        is_leading = is_read and (written.sides[0] is not None or written.after_text)
        unlabelled = self.unlabelled.of(nodes, is_leading=is_leading)
        if unlabelled is not None:
            return self.disambiguation.hidden(unlabelled, nodes)
        first = nodes[0]
        is_known = figure(first) is not None or isinstance(bare(first), t.Matrix | t.Vector)
        heading = self._by_heading(nodes) if is_known else None
        return self.unlabelled.fitting(heading, nodes) if self.unlabelled.is_other else heading

    def named(self, node: t.Node) -> Target | None:
        """Return the target of a side: by a name, an entry of a product, or a formula that is a definition."""
        node = bare(node)
        if isinstance(node, t.Relation):
            return None
        return (
            self.binder.resolve(node)
            or self.of_product(node)
            or self.of_lines(node)
            or self.context.formulas.subject(node)
            or self._of_joined(node)
        )

    def _of_joined(self, node: t.Node) -> Target | None:
        """Return the joined quantity for ``Concat(head_2, head_1)``, in any order."""
        formula = self.context.formulas.read(node) if self.binder.heads.count else None
        if formula is None or not is_of(formula, "join"):
            return None
        names = [name for name, item in self.graph.nodes.items() if is_of(item.formula, "join")]
        alike = [name for name in names if set(parts(formula)) == set(parts(self.graph.nodes[name].formula or formula))]
        return whole(self.graph, alike[0]) if alike else None

    def of_lines(self, node: t.Node) -> Target | None:
        """Return the entry of a product that a row and a column of its factors make: ``q_1 · k_2``."""
        node = bare(node)
        if isinstance(node, t.Division):
            return self._of_scaled_lines(node)
        if not isinstance(node, t.Product) or len(node.factors) != 2 or any(node.operators):
            return None
        lines = [self.binder.resolve(bare(factor)) for factor in node.factors]
        if any(line is None or line.guess or not line.is_vector or line.only is not None for line in lines):
            return None
        first, second = (set(line.flat()) for line in lines if line is not None)
        names = [line.name for line in lines if line is not None]
        for name, item in self.graph.nodes.items():
            operands = operands_of(item.formula)
            for one, other, order in ((first, second, names), (second, first, names[::-1])):
                if [operand for operand, _ in operands] != order:
                    continue
                row = self._line_at(operands[0], one, is_row=True)
                column = self._line_at(operands[1], other, is_row=False)
                if row is not None and column is not None:
                    return whole(self.graph, name).part(row, column)
        return None

    def _line_at(self, operand: tuple[str, bool], cells: set[Place], *, is_row: bool) -> int | None:
        """Return the row or the column of an operand with exactly these entries."""
        name, is_turned = operand
        full = whole(self.graph, name)
        full = full.transposed if is_turned else full
        lines = full.cells if is_row else full.transposed.cells
        return next((position for position, line in enumerate(lines) if set(line) == cells), None)

    def _of_scaled_lines(self, node: t.Division) -> Target | None:
        """Return the scaled entry for ``q_1 · k_2/√2``, where the divisor is the sheet's."""
        found = self.of_lines(node.numerator)
        value = None if found is None else value_in(node, self.binder, self.context.numbers.base)
        if found is None or value is None:
            return None
        for name, item in self.graph.nodes.items():
            scale, target = scaled(item.formula), Target(name, found.cells)
            is_scaled = scale is not None and scale[1] == Ref(found.name)
            if is_scaled and self.context.has_value(target, ((value,),)):
                return target
        return None

    def of_product(self, node: t.Node) -> Target | None:
        """Return an entry of an unnamed formula: ``QK_{12}``, ``(QK^T)_{12}``, ``softmax(S)_{12}``."""
        found = self.product(node)
        if found is None or not isinstance(node, t.Subscript):
            return None
        numbers = split(node.indices, {})[1]
        return None if numbers is None else self.binder.part(found, numbers)

    def product(self, node: t.Node) -> Target | None:
        """Return all of an unnamed formula with an index on it: ``QK`` of ``QK_{12}``."""
        if not isinstance(node, t.Subscript) or not isinstance(node.base, t.Group | t.Call):
            return None
        inside = bare(node.base)
        found = self.context.formulas.subject(inside)
        if found is None and isinstance(inside, t.Product) and len(inside.factors) == 2:
            turned = t.Product((inside.factors[0], t.Transpose(inside.factors[1])), inside.operators)
            found = self.context.formulas.subject(turned)
        return found

    def _may_be(self, target: Target, nodes: list[t.Node]) -> bool:
        """Return whether a conventionally bound letter stands beside numbers that fit it."""
        if target.name == "c":
            return any(self.disambiguation.fits(node, target) or _is_inverse(node) for node in nodes[1:])
        fitting = {target.shape, target.shape[::-1]} if target.is_vector else {target.shape}
        is_entry = target.only is not None
        return any(
            self.context.shape(node) in fitting and (has_numbers(node) if is_entry else has_list(node))
            for node in nodes
        )

    def _by_heading(self, nodes: list[t.Node]) -> Target | None:
        if self.binder.heading is None:
            return None
        target = whole(self.graph, self.binder.heading, guess=True)
        fits = any(self.context.shape(node) in {target.shape, target.shape[::-1]} for node in nodes)
        return target if fits else None


def _is_inverse(node: t.Node) -> bool:
    """Return whether a node is one over something, or holds a root, as a scale does."""
    above = figure(node.numerator) if isinstance(node, t.Division) else None
    return (above is not None and above.value == 1) or any(isinstance(item, t.Root) for item in walk(node))


def _without_number(node: t.Subscript) -> tuple[int, t.Subscript | t.Name]:
    """Return the head number at the end of a name's subscripts, 0 for none, and the name without it."""
    *rest, last = node.indices
    if not isinstance(last, t.Number) or not last.text.isdigit() or not isinstance(node.base, t.Name):
        return 0, node
    flat = tuple(part for item in rest for part in (item.factors if isinstance(item, t.Product) else (item,)))
    return int(last.text[:4]), t.Subscript(node.base, flat, span=node.span) if flat else node.base


def _head(node: t.Subscript | t.Name) -> tuple[t.Node, list[str]]:
    """Return a name and its running indices; labels belong to the name."""
    if isinstance(node, t.Name) or not all(isinstance(index, t.Name) for index in node.indices):
        return node, []
    letters = [index.text for index in node.indices if isinstance(index, t.Name)]
    running = [text for text in letters if text in RUNNING]
    return (node.base, letters) if running else (node, [])
