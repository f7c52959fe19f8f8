from __future__ import annotations

import pytest
from hypothesis import given, settings

from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base, factor, term
from symattn.notation.tree.wellformed import check
from tests.notation.build import beside, dot, group, n, neg, over, plus, power, row, v
from tests.notation.trees import expressions, well_formed_trees

FACTORS = [(neg(2), True), (plus("a", "b"), True), (dot("a", "b"), True), (over(1, 2), False), (n(2), False)]
TERMS = [(neg(2), True), (plus("a", "b"), True), (dot("a", "b"), False), (over(1, 2), False), (n(2), False)]
BASES = [
    (neg(2), True),
    (beside(2, "x"), True),
    (over(1, 2), True),
    (power("x", 2), True),
    (n("6.9e-13"), True),
    (n(2), False),
    (v("x"), False),
]


@pytest.mark.parametrize(("node", "is_grouped"), FACTORS, ids=str)
def test_factor(node: t.Node, is_grouped: bool) -> None:
    assert factor(node) == (group(node) if is_grouped else node)


@pytest.mark.parametrize(("node", "is_grouped"), TERMS, ids=str)
def test_term(node: t.Node, is_grouped: bool) -> None:
    assert term(node) == (group(node) if is_grouped else node)


@pytest.mark.parametrize(("node", "is_grouped"), BASES, ids=str)
def test_base(node: t.Node, is_grouped: bool) -> None:
    assert base(node) == (group(node) if is_grouped else node)


def test_a_list_of_one_item_becomes_a_bracket_in_arithmetic() -> None:
    assert factor(row("x")) == term(row("x")) == base(row("x")) == group("x", "[")


@given(expressions(8), expressions(8))
@settings(max_examples=60, deadline=None)
def test_what_they_make_is_well_formed(left: t.Node, right: t.Node) -> None:
    check(t.Product((factor(left), factor(right)), ("cdot",)))
    check(t.Sum((term(left), term(right)), ("-",)))
    check(t.Negative(term(left)))
    check(t.Power(base(left), n(2)))


@given(well_formed_trees())
@settings(max_examples=60, deadline=None)
def test_the_generator_makes_well_formed_trees(node: t.Node) -> None:
    check(node)
