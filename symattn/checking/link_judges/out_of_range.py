"""Out-of-range names: ``Q_{13}`` of a 3 × 2 matrix, row 4 of 3."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.matrix_layout import SCALAR
from symattn.checking.expressions.expression_kinds import is_formula
from symattn.checking.expressions.numerals import bare
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.targets import OutOfRange
from symattn.checking.names.name_table import split
from symattn.checking.report import Checks, Diagnosis, Finding
from symattn.checking.subjects.subjects import Subjects
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk


class OutOfRangeNames:
    """Detector of indices beyond the shape of the quantity that they index."""

    def __init__(self, context: GradingContext, subjects: Subjects) -> None:
        self.context = context
        self.subjects = subjects

    def found(self, written: Written) -> dict[int, OutOfRange]:
        """Return the first out-of-range name of each side, by the position of the side.

        What stands on the left by itself is held against only where the other sides are what such an entry or
        line would be: ``Q_4`` may be the queries of a fourth head.
        """
        nodes = [None if side is None or side.others else side.node for side in written.sides]
        absent: dict[int, OutOfRange] = {}
        for position, node in enumerate(nodes):
            if node is None or len(nodes) == 1:
                continue
            alone = self._absent(bare(node))
            if alone is not None:
                others = [other for k, other in enumerate(nodes) if k != position and other is not None]
                if others and all(self._may_be(other, alone) for other in others):
                    absent[position] = alone
                continue
            lacking = (item for item in self._inside(node) if len(item.numbers) == 2 or item.is_line or item.said)
            inside = next(lacking, None)
            if inside is not None:
                absent[position] = inside
        return absent

    def _absent(self, node: t.Node) -> OutOfRange | None:
        return self.context.binder.absent(node) or self._of_product(node)

    def _of_product(self, node: t.Node) -> OutOfRange | None:
        """Return the out-of-range entry of an unnamed product, ``(QK^T)_{41}``."""
        whole = self.subjects.product(node)
        if whole is None or not isinstance(node, t.Subscript):
            return None
        numbers = split(node.indices, {})[1]
        return None if numbers is None else self.context.binder.beyond(node, whole, numbers, node.base)

    def _inside(self, node: t.Node) -> Iterator[OutOfRange]:
        found = self._absent(node)
        if found is not None:
            yield found
        elif self.context.binder.resolve(node) is None:
            for child in t.children(node):
                yield from self._inside(child)

    def _may_be(self, node: t.Node, absent: OutOfRange) -> bool:
        shape, is_pair = self.context.shape(node), len(absent.numbers) == 2
        if absent.said and not absent.numbers:
            return shape == absent.shape
        if is_formula(node):
            is_bound = any(self.context.binder.resolve(part) is not None for part in walk(node))
            is_lacking = any(not item.reason for item in self._inside(node))
            return (is_pair or absent.is_line) and (is_lacking or (shape == SCALAR and is_bound))
        if is_pair or 1 in absent.shape:
            return shape == SCALAR
        length = absent.shape[0 if absent.is_column else 1]
        return shape in {(1, length), (length, 1)}

    def link(self, base: Finding, absent: OutOfRange) -> Link:
        """Return the finding on a link with an out-of-range name."""
        name = self.context.source(absent.node)
        if absent.reason:
            return Link(changed(base, verdict="unchecked", name=None, explanation=absent.reason), None)
        sentence = f"There is no {name}: {absent.sentence}"
        diagnosis = Diagnosis("no-such-entry", sentence)
        return Link(self.context.wrong(changed(base, name=None), absent.node, diagnosis, Checks(operands=False)), None)
