from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings

from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
from tests.notation.trees import well_formed_trees

CASES = [
    (
        read_latex,
        r"Q_{31} &= (-2)(0) + 2\cdot 1 = \tfrac52.",
        [r"Q_{31}", r"(-2)(0)", r"2\cdot 1", r"\tfrac52"],
    ),
    (
        read_latex,
        r"\mathbf{W}_Q^\top\mathbf{x}_i",
        [r"\mathbf{W}_Q^\top", r"\mathbf{W}_Q", "W", r"\mathbf{x}_i"],
    ),
    (read_latex, r"6.90 \times 10^{-13} + 3.", [r"6.90 \times 10^{-13}", "3"]),
    (read_latex, r"\boxed{1.17}", [r"\boxed{1.17}", "1.17"]),
    (read_latex, r"(a+b)/2", ["(a+b)/2", "a+b", "2"]),
    (read_latex, r"\sum_{j=1}^{3} a_j b", [r"\sum_{j=1}^{3} a_j b", "j", "1", "3", "a_j b"]),
    (read_latex, r"\operatorname{softmax}(S)V", [r"\operatorname{softmax}(S)", "S", "V"]),
    (read_latex, r"\frac12", [r"\frac12", "1", "2"]),
    (read_latex, r"37\% x", [r"37\%"]),
    (read_plain, "Q_31 = e^(3/2)/7", ["Q_31", "31", "e^(3/2)", "3/2", "e^(3/2)/7", "7"]),
    (read_plain, "[1 2; 3 -4]", ["1", "2", "3", "-4", "4"]),
    (read_plain, "A_3j", ["A_3j", "3j", "3", "j"]),
    (read_plain, '"attention map" * 2', ['"attention map"']),
]


@pytest.mark.parametrize(("read", "text", "pieces"), CASES, ids=[text for _, text, _ in CASES])
def test_nodes_know_where_they_stood(read: Callable[[str], t.Node], text: str, pieces: list[str]) -> None:
    found = {text[slice(*node.span)] for node in walk(read(text)) if node.span is not None}
    assert set(pieces) <= found


def _pairs(node: t.Node) -> Iterator[tuple[t.Node, t.Node]]:
    for parent in walk(node):
        for child in t.children(parent):
            yield parent, child


def check_spans(node: t.Node, text: str) -> None:
    """Every node has a span, inside that of its parent and after that of the sibling before it."""
    for item in walk(node):
        assert item.span is not None
        assert 0 <= item.span[0] < item.span[1] <= len(text)
    for parent, child in _pairs(node):
        assert parent.span is not None
        assert child.span is not None
        assert parent.span[0] <= child.span[0] < child.span[1] <= parent.span[1]
    for parent in walk(node):
        for left, right in pairwise(t.children(parent)):
            assert left.span is not None
            assert right.span is not None
            assert left.span[1] <= right.span[0]


# What stands in brackets that belong to the layout, or is a list or a bracket by its place, reads as
# something else when it is cut out.
_BY_PLACE = (t.Group, t.Vector, t.Dots, t.Name)


@given(well_formed_trees(15))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_cut_out_by_its_span_reads_as_the_node(node: t.Node) -> None:
    for read, text in ((read_latex, write_latex(node)), (read_plain, write_plain(node))):
        tree = read(text)
        check_spans(tree, text)
        # K^{(1)} has no span of its own in K^{(1)\top}.
        in_one = {id(item.base) for item in walk(tree) if isinstance(item, t.Transpose)}
        for item in walk(tree):
            is_inside = isinstance(item, t.Power) and id(item) in in_one
            if item.span is not None and not is_inside and not isinstance(item, _BY_PLACE):
                assert read(text[slice(*item.span)]) == item
