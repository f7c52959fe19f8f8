r"""Large matrices with dots: only the entries that are shown are judged, each where it stands.

Rows before ``\vdots`` are counted from the top and those behind it from the bottom, columns likewise, so that
a matrix of five rows, dots and one row shows rows 1 to 5 and the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.checking.desk import Desk
from symattn.checking.figures import bare
from symattn.checking.graph import operands_of
from symattn.checking.link import Link, changed
from symattn.checking.operands import Mismatch
from symattn.checking.report import Checks, Finding
from symattn.checking.sentences import mismatch_diagnosis, mismatch_sentence
from symattn.checking.targets import Target, whole
from symattn.notation import tree as t
from symattn.notation.walk import rebuilt, walk


def shown(node: t.Node, target: Target) -> tuple[t.Node, Target] | None:
    """The side without its dots, and the entries that it shows; None where it is no matrix with dots.

    A number may stand before the matrix; products of matrices with dots are for `Elided`.
    """
    matrices = [item for item in walk(node) if isinstance(item, t.Matrix)]
    if len(matrices) != 1:
        return None
    found = _stripped(matrices[0], target)
    if found is None:
        return None
    matrix, part = found

    def without_dots(item: t.Node) -> t.Node:
        return matrix if item is matrices[0] else rebuilt(item, without_dots)

    return without_dots(node), part


def _stripped(matrix: t.Matrix, target: Target) -> tuple[t.Matrix, Target] | None:
    rows = _kept([all(isinstance(entry, t.Dots) for entry in row) for row in matrix.rows], target.shape[0])
    columns = _kept(
        [all(isinstance(entry, t.Dots) for entry in line) for line in zip(*matrix.rows, strict=True)], target.shape[1]
    )
    if rows is None or columns is None or (len(rows), len(columns)) == (len(matrix.rows), len(matrix.rows[0])):
        return None
    entries = tuple(tuple(matrix.rows[i][j] for j, _ in columns) for i, _ in rows)
    cells = tuple(tuple(target.cells[i][j] for _, j in columns) for _, i in rows)
    return t.Matrix(entries, matrix.brackets, span=matrix.span), Target(target.name, cells, target.guess)


def _kept(dots: Sequence[bool], size: int) -> list[tuple[int, int]] | None:
    """Positions that are written with the lines that they are, None where there is no place for what is left out."""
    count = len(dots)
    if True not in dots:
        return [(n, n) for n in range(count)] if count == size else None
    gap = dots.index(True)
    if dots.count(True) > 1 or count - 1 >= size:
        return None
    return [(n, n) for n in range(gap)] + [(n, size - (count - n)) for n in range(gap + 1, count)]


class Elided:
    """Judges products of matrices with dots, factor by factor."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def product(self, base: Finding, node: t.Node, target: Target) -> Link | None:
        """The finding on a product of two matrices, dots in both; None where it is something else."""
        inner = bare(node)
        if not isinstance(inner, t.Product) or len(inner.factors) != 2 or not _is_whole(target, self.desk):
            return None
        operands = operands_of(self.desk.graph.nodes[target.name].formula)
        factors = [bare(factor) for factor in inner.factors]
        pairs = [
            _stripped(factor, operand)
            for factor, operand in zip(factors, (self._whole(operand) for operand in operands), strict=False)
            if isinstance(factor, t.Matrix) and operand is not None
        ]
        found = [pair for pair in pairs if pair is not None]
        if len(found) != 2:
            return None
        wrong = next(self._mismatches(found), None)
        if wrong is None:
            return Link(changed(base, checks=Checks(operands=True)), target)
        sentence = mismatch_sentence(wrong, self.desk.source(wrong.node), self.desk.numbers.copied)
        finding = changed(
            base,
            verdict="wrong",
            checks=Checks(operands=False),
            explanation=sentence,
            diagnosis=mismatch_diagnosis(wrong, sentence),
            culprit=self.desk.span(wrong.node),
        )
        return Link(finding, target)

    def _whole(self, operand: tuple[str, bool]) -> Target | None:
        name, is_turned = operand
        found = whole(self.desk.graph, name)
        return found.transposed if is_turned else found

    def _mismatches(self, found: list[tuple[t.Matrix, Target]]) -> Iterator[Mismatch]:
        for matrix, part in found:
            for row, places in zip(matrix.rows, part.cells, strict=True):
                for entry, (i, j) in zip(row, places, strict=True):
                    if not self.desk.accepts(entry, (part.name, i, j)):
                        yield Mismatch(entry, (part.name, i, j))


def _is_whole(target: Target, desk: Desk) -> bool:
    return set(target.flat()) == set(whole(desk.graph, target.name).flat())
