"""Sides in names alone: the definition or another formula, for all matrices of these shapes or for these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.matrix_layout import without_bars
from symattn.checking.evaluation.values import matrix_in
from symattn.checking.expressions.expression_kinds import has_list, has_numbers
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.grading.link import Cause, Link, changed
from symattn.checking.graph.formulas import scaled
from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.graph.targets import Target, canonical, whole
from symattn.checking.link_judges.entries import Entries
from symattn.checking.link_judges.entry import Said
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes import blocks, gradients
from symattn.checking.names.blocks import NORM, STANDARDISED
from symattn.checking.names.lexicon import SUCCESSORS, spelt
from symattn.checking.names.raised_numbers import has_intermediate
from symattn.checking.report import Checks, Diagnosis, Finding
from symattn.checking.subjects.subjects import Subjects
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import are_different
from symattn.graph.builders.layer import base_of, is_of_gradients
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.operations.formulas.formula import Apply, Formula, Ref, Transposed, names_in

_PROJECTIONS = frozenset({"Q", "K", "V"})
_UNITS = frozenset({"I", "E"})
"""Letters of the identity matrix: E is that of German, Russian and Polish textbooks."""

_UNBOUND = "A formula in names that are not bound here."


class FormulaJudge:
    """Judge of formulas without numbers."""

    def __init__(self, context: GradingContext, subjects: Subjects, entries: Entries) -> None:
        self.context = context
        self.subjects = subjects
        self.entries = entries

    def link(self, base: Finding, node: t.Node, target: Target | None) -> Link:
        """Return the finding on a side in names alone.

        Raises:
            ShapeError: its matrices do not conform.
        """
        if target is None:
            return Link(changed(base, verdict="unchecked", explanation="It has no name of this problem."), None)
        own = self.context.binder.resolve(bare(node)) or self.subjects.of_product(bare(node))
        if bare(node) == t.Name("I") and (own is None or own.guess):
            return self._unit(base, "I", target)
        called = self._input_called(node, own, target)
        if called is not None:
            return self._unit(base, *called)
        if own is not None and own.name == target.name and set(own.flat()) == set(target.flat()):
            return Link(changed(base, verdict="right"), target)
        if target.guess and target.is_vector and self._is_formula_of_all(node, target):
            return Link(changed(base, verdict="right"), target)
        if base_of(target.name) in _PROJECTIONS and self._is_made_of_later(node, target):
            return self.unbound(base, target)
        subject = self.context.formulas.of_target(target)
        readings = (*readings_by_entries(node), self._of_only_rows(node))
        if subject is not None and any(self._is(other, subject) for other in readings):
            return self._right(base, target)
        shape = self.context.layout.shape(node)
        written = self.context.formulas.read(node)
        if shape == target.shape[::-1] != target.shape and target.is_vector:
            # A vector may be written as a row or as a column.
            target, subject = target.transposed, self.context.formulas.of_target(target.transposed)
        if subject is not None and self._is_of_heads(node, subject):
            return self._right(base, target)
        if written is None or subject is None:
            return self._by_value(base, node, target)
        if self.context.formulas.same(written, subject):
            return self._right(base, target)
        if any(self._is(other, subject) for other in (*self._readings(node)[1:], self._successors(node))):
            return self._right(base, target)
        counter = self.context.formulas.counterexample(subject, written)
        if counter is not None:
            slip = self._slip(written, target)
            reason = f"{counter}." if slip is None else slip.text
            return self._wrong(base, node, target, f"{self.context.source(node)} is not {base.name}: {reason}", slip)
        if shape != target.shape:
            return self._wrong(base, node, target, shape_sentence(shape, target, self.context.graph))
        if self.context.formulas.is_within_reach(written):
            by_value = self._by_value(base, node, target)
            if by_value.finding.verdict == "right":
                return by_value
        return self._undecided(base, node, target)

    def _input_called(self, node: t.Node, own: Target | None, target: Target) -> tuple[str, Target] | None:
        """Return a letter that only habit binds and the input that ``V = E`` gives it; None for others."""
        letter = spelt(bare(node))
        for name, loose, given in () if own is None else ((letter, own, target), (target.name, target, own)):
            is_given = self.context.graph.nodes[given.name].formula is None and given.name != loose.name
            if is_given and letter and self.context.binder.names.is_auxiliary(t.Name(name or ""), loose.name):
                return name or "", given
        return None

    def _unit(self, base: Finding, letter: str, target: Target) -> Link:
        """Judge a letter of the identity, I or E; where a quantity is not the identity it may be another."""
        rows = [[self.context.numbers.exact((target.name, *place)) for place in row] for row in target.cells]
        is_unit = all(value == Quotient.of(int(i == j)) for i, row in enumerate(rows) for j, value in enumerate(row))
        if is_unit and target.shape[0] == target.shape[1] and letter in _UNITS:
            return self._right(changed(base, name=target.name), target)
        words = f"{letter} may be the identity matrix or the input."
        return Link(changed(base, verdict="unchecked", name=None, explanation=words), None)

    def _undecided(self, base: Finding, node: t.Node, target: Target) -> Link:
        words = "It could neither be proved nor refuted."
        return Link(changed(base, verdict="undecided", explanation=words, culprit=self.context.span(node)), target)

    def is_definition(self, node: t.Node, target: Target | None) -> bool:
        r"""Return whether a formula with numbers defines a target: ``\frac{R_1 - \mu_1}{\sqrt{\sigma_1^2 + 0.1}}``."""
        subject = None if target is None or has_list(node) else self.context.formulas.of_target(target)
        return subject is not None and any(self._is(reading, subject) for reading in self._readings(node))

    def as_definition(self, node: t.Node | None, target: Target | None) -> t.Node | None:
        """Return a formula with the scores for the word that make it the definition of a target; itself if none do."""
        subject = None if node is None or target is None or has_list(node) else self.context.formulas.of_target(target)
        if node is None or subject is None:
            return node
        return next((reading for reading in self._readings(node)[1:] if self._is(reading, subject)), node)

    def _readings(self, node: t.Node) -> tuple[t.Node, ...]:
        """Return a formula, and the same with other scores for a word, and with rows for numbers below names."""
        return (node, *self.subjects.loose.otherwise(node), self._of_only_rows(node))

    def _of_only_rows(self, node: t.Node) -> t.Node:
        """Read ``softmax(S_1)`` as the softmax of row 1, where it is the only one."""
        entry = self.context.binder.resolve(node) if isinstance(node, t.Subscript) and len(node.indices) == 1 else None
        if not isinstance(node, t.Subscript) or entry is None:
            return rebuilt(node, self._of_only_rows)
        rows, columns = self.context.graph.shape(entry.name)
        is_first = entry.only == (0, 0) and rows == 1 < columns
        return t.Name(entry.name, span=node.span) if is_first else node

    def _is_of_heads(self, node: t.Node, subject: Formula) -> bool:
        """Return whether a formula is the definition if its numbers are those of heads.

        In ``A_2^T dH_2`` beside a row, A_2 may be a row of the head that is spoken of, or all of head 2.
        """
        binder = self.context.binder
        before = binder.beside, binder.heads.current
        binder.beside, binder.heads.current = frozenset(), 0
        try:
            return binder.heads.count > 1 and self._is(node, subject)
        finally:
            binder.beside, binder.heads.current = before

    def _successors(self, node: t.Node) -> t.Node:
        """Read ``S = Q K^T`` as a statement on the successors of queries and keys, where these were stated before."""
        graph, prints = self.context.graph, self.context.numbers.prints
        made = [f"{name}_{ending}" for ending, names in SUCCESSORS.items() for name in names]
        turned = [name for name in made if name in graph]
        is_done = any(cell in prints and prints[cell][-1].holds for name in turned for cell in graph.cells(name))
        if not is_done:
            return node
        full = {base_of(name)[0]: name for name in turned if graph.shape(name) == graph.shape(name[0])}

        def substitute(item: t.Node) -> t.Node:
            found = self.context.binder.resolve(item) if isinstance(item, t.Name | t.Subscript) else None
            if isinstance(item, t.Name | t.Subscript) and (found is None or found.name not in full):
                return item
            if found is None:
                return rebuilt(item, substitute)
            all_of = whole(graph, found.name)
            name = t.Name(full[found.name], span=item.span)
            is_turned = found.cells == all_of.transposed.cells
            return name if found.cells == all_of.cells else t.Transpose(name, span=item.span) if is_turned else item

        return substitute(node)

    def _is(self, node: t.Node, subject: Formula) -> bool:
        """Return whether a formula is that of a subject for all inputs."""
        reading = self.context.formulas.read(node)
        return reading is not None and self.context.formulas.same(reading, subject)

    def _is_formula_of_all(self, node: t.Node, target: Target) -> bool:
        """Return whether a side defines a whole quantity of which one row stands behind it: ``S = QK^T = [4, 3]``."""
        found, full = self.context.formulas.subject(node), whole(self.context.graph, target.name)
        return found is not None and (found.name, found.cells) == (full.name, full.cells)

    def _is_made_of_later(self, node: t.Node, target: Target) -> bool:
        """Return whether a letter is bound to something made of the target: the w of ``q_11 = x_11 w_11``."""
        found = self.context.binder.resolve(node)
        if found is not None:
            return found.guess and found.name in self.context.graph.below(target.name)
        return any(self._is_made_of_later(child, target) for child in t.children(node))

    def _right(self, base: Finding, target: Target) -> Link:
        shown = tuple((cell, True) for cell in target.entries)
        return Link(changed(base, checks=Checks(operands=True)), target, formula=shown)

    def _slip(self, written: Formula, target: Target) -> Diagnosis | None:
        """Return the mistake that explains a formula; None for an unknown one."""
        graph, same = self.context.graph, self.context.formulas.same
        for slip in blocks.slips_of_normed(graph, target.name) if "N_1" in graph else ():
            if same(slip.changed[0][1], written):
                return slip.diagnosis
        if not is_of_gradients(target.name):
            return self._slip_on_the_way(written, target)
        for slip in gradients.slips_of_gradients(graph, target.name, turned=True):
            formula = slip.changed[0][1]
            if shape_of(formula, graph) == shape_of(written, graph) and same(formula, written):
                return slip.diagnosis
        right = scaled(graph.nodes[target.name].formula)
        if right is not None and same(right[1], written):
            return Diagnosis(*explain("missing-scale"))
        return None

    def _slip_on_the_way(self, written: Formula, target: Target) -> Diagnosis | None:
        """Return the mistake at a definition on the way to a whole quantity that makes it the written formula."""
        graph = self.context.graph
        if target.cells != whole(graph, target.name).cells:
            return None
        for slip in self.context.causes.alterations.of(target.name):
            definitions = dict(slip.changed)
            if all(name in graph for formula in definitions.values() for name in names_in(formula)):
                made = with_definitions(Ref(target.name), graph, definitions)
                if shape_of(made, graph) == shape_of(written, graph) and self.context.formulas.same(made, written):
                    return slip.diagnosis
        return None

    def unbound(self, base: Finding, target: Target) -> Link:
        """Return the finding on a formula in names that mean no quantity of the problem."""
        return Link(changed(base, verdict="unchecked", explanation=_UNBOUND), target)

    def _wrong(self, base: Finding, node: t.Node, target: Target, sentence: str, slip: Diagnosis | None = None) -> Link:
        if has_intermediate(node):
            return self.unbound(base, target)
        diagnosis = slip or self.context.causes.explain(Cause(node, None, None, None)) or Diagnosis("formula", sentence)
        return Link(self.context.wrong(base, node, diagnosis, Checks(operands=False), sentence), target)

    def _by_value(self, base: Finding, node: t.Node, target: Target) -> Link:
        """Judge a formula in single rows and entries by its value here; else entry by entry."""
        value = matrix_in(node, self.context.binder, self.context.numbers.base)
        rows = _rows(value)
        shapes = {target.shape, target.shape[::-1]}
        if rows and (len(rows), len(rows[0])) in shapes:
            if self.context.has_value(target, rows):
                return self._right(base, target)
            bare_rows = without_bars(node)
            if bare_rows != node:
                return self._by_value(base, bare_rows, target)
            if not self._differs(target, rows):
                is_defined = len(target.entries) == 1 and self.context.operands.is_definition(node, target.entries[0])
                return self._right(base, target) if is_defined else self._undecided(base, node, target)
            return self._wrong(base, node, target, f"{self.context.source(node)} is not {base.name}.")
        limits = [item.upper for item in walk(node) if isinstance(item, t.SumOver) and item.upper is not None]
        if value is None and any(has_numbers(limit) for limit in limits):
            words = "Its sum cannot be computed: look at the limits."
            return Link(changed(base, verdict="undecided", explanation=words, culprit=self.context.span(node)), target)
        shape = self.context.shape(node)
        if shape in shapes and self._is_bound(node):
            laid = target if shape == target.shape else target.transposed
            link = self.entries.link(base, Said(node, None, ""), laid)
            if link.finding.verdict != "undecided":
                return link
        return Link(changed(base, verdict="unchecked", explanation=_UNBOUND), target)

    def _differs(self, target: Target, rows: tuple[tuple[Quotient, ...], ...]) -> bool:
        """Return whether values are told apart from those of a target; numbers without a closed form may not be."""
        values = map(self.context.numbers.exact, target.entries)
        pairs = zip(chain.from_iterable(rows), values, strict=True)
        return any(exact is not None and are_different(value, exact) for value, exact in pairs)

    def _is_bound(self, node: t.Node) -> bool:
        """Return whether its names mean something here: all of them, or one with an index."""
        resolve = self.context.binder.resolve
        names = [item for item in walk(node) if isinstance(item, t.Name) and item.text not in {"e", "T"}]
        if all(resolve(name) is not None for name in names):
            return True
        return any(isinstance(item, t.Subscript) and resolve(item) is not None for item in walk(node))


def readings_by_entries(node: t.Node) -> tuple[t.Node, ...]:
    """Read ``A * (dA - D)`` as an entrywise product; in ``gamma * LayerNorm(R)`` the norm is without gamma.

    >>> from symattn.notation.writers.plain import describe
    >>> [describe(item) for item in readings_by_entries(t.Product((t.Name("A"), t.Name("B")), ("cdot",)))]
    ['odot(A, B)']
    """
    made = _by_entries(node)
    bare_norms = _standardised(made)
    return () if made == node else (made,) if bare_norms == made else (made, bare_norms)


def _by_entries(node: t.Node) -> t.Node:
    match node:
        case t.Product((first, second), ("cdot",)):
            return t.Call(t.Name("odot"), (_by_entries(first), _by_entries(second)), span=node.span)
    return rebuilt(node, _by_entries)


def _standardised(node: t.Node) -> t.Node:
    match node:
        case t.Call(t.Name(name), arguments) if name == NORM:
            return t.Call(t.Name(STANDARDISED), tuple(map(_standardised, arguments)), span=node.span)
    return rebuilt(node, _standardised)


def with_multiple_of_identity(node: t.Node, target: Target) -> t.Node:
    r"""Return the matrix that ``0.5\,I`` or ``2 \cdot I_3`` is for a square target; others as they are.

    >>> node = t.Product((t.Number("2"), t.Name("I")), ("",))
    >>> square = Target("W_Q", (((0, 0), (0, 1)), ((1, 0), (1, 1))))
    >>> [[entry.text for entry in row] for row in with_multiple_of_identity(node, square).rows]
    [['2', '0'], ['0', '2']]
    """
    match bare(node):
        case t.Product((t.Number() | t.Division() as factor, t.Name("I") | t.Subscript(t.Name("I")))):
            rows, columns = target.shape
            if rows == columns and figure(factor) is not None:
                zero = t.Number("0", span=node.span)
                lines = [tuple(factor if i == j else zero for j in range(rows)) for i in range(rows)]
                return t.Matrix(tuple(lines), span=node.span)
    return node


def with_definitions(formula: Formula, graph: Graph, definitions: Mapping[str, Formula]) -> Formula:
    """Return a formula in which some quantities are defined otherwise, what is made of them being opened.

    Args:
        formula: in quantities of the graph.
        graph: the quantities.
        definitions: the other definitions, by name.
    """
    later = {name for changed in definitions for name in graph.below(changed)}

    def opened(part: Formula) -> Formula:
        match part:
            case Ref(name) if name in definitions:
                return definitions[name]
            case Ref(name) if name in later and (formula := graph.nodes[name].formula) is not None:
                return opened(formula)
            case Transposed(of):
                return Transposed(opened(of))
            case Apply(operands=operands):
                return replace(part, operands=tuple(map(opened, operands)))
        return part

    return opened(formula)


def _rows(value: Matrix | Quotient | None) -> tuple[tuple[Quotient, ...], ...]:
    if isinstance(value, Matrix):
        return value.rows
    return () if value is None else ((value,),)


def shape_sentence(shape: tuple[int, int], target: Target, graph: Graph) -> str:
    """Return the sentence on a shape that differs from the stated one."""
    name = canonical(target, graph)
    rows, columns = graph.shape(target.name)
    if name == target.name and target.shape == (columns, rows) != (rows, columns):
        name += "^T"
    return f"{name} is {target.shape[0]} × {target.shape[1]}, and what is written is {shape[0]} × {shape[1]}."
