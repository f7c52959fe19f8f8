"""The normal form keeps the value, and what is shown to be equal is equal."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Atom, Expr
from tests.exact.indexed.trees import (
    LETTERS,
    RANGES,
    Case,
    Tree,
    UndefinedError,
    build,
    cases,
    formulas,
    is_close,
    leaves,
    number,
    polynomials,
    value_of,
)

QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
MANY = settings(max_examples=1_000, suppress_health_check=QUIET)
SOME = settings(max_examples=40, suppress_health_check=QUIET)


def built(tree: Tree) -> Expr:
    """The expression; a formula that is refused, since it divides by zero, say, is left out."""
    try:
        return build(tree)
    except InputError:
        reject()


def naive(tree: Tree, case: Case) -> object:
    try:
        return number(tree, case)
    except UndefinedError:
        reject()


def found_value(expr: Expr, case: Case) -> object:
    """The value of a form; one that divides by zero in an excluded term of a sum, say, is left out."""
    try:
        return value_of(expr, case)
    except InputError:
        reject()


def keeps_value(tree: Tree, case: Case) -> None:
    expr, wanted = built(tree), naive(tree, case)
    assert is_close(found_value(expr, case), wanted), str(expr)


def keeps_exact_value(tree: Tree, case: Case) -> None:
    assert value_of(built(tree), case, exact=True) == number(tree, case, exact=True)


@SOME
@given(polynomials(8), cases())
def test_polynomials_keep_their_value(tree: Tree, case: Case) -> None:
    keeps_exact_value(tree, case)


@SOME
@given(formulas(7), cases())
def test_formulas_keep_their_value(tree: Tree, case: Case) -> None:
    keeps_value(tree, case)


@pytest.mark.long
@MANY
@given(polynomials(9), cases(4))
def test_polynomials_keep_their_value_long(tree: Tree, case: Case) -> None:
    keeps_exact_value(tree, case)


@pytest.mark.long
@MANY
@given(formulas(8), cases(4))
def test_formulas_keep_their_value_long(tree: Tree, case: Case) -> None:
    keeps_value(tree, case)


# Operations ------------------------------------------------------------------------------------------


@SOME
@given(formulas(6), st.sampled_from(LETTERS), st.sampled_from(LETTERS), cases())
def test_an_index_in_the_place_of_another(tree: Tree, old: str, new: str, case: Case) -> None:
    try:
        expr = built(tree).replaced(ix.free(old), ix.free(new))
    except InputError:
        reject()
    there = Case(case.sizes, case.scalars, case.entries, {**case.indices, old: case.indices[new]}, case.permutations)
    assert is_close(found_value(expr, case), naive(tree, there))


@SOME
@given(formulas(6), leaves(), cases())
def test_an_expression_in_the_place_of_a_scalar(tree: Tree, value: Tree, case: Case) -> None:
    wanted = naive(put(tree, ("scalar", "x"), value, bound=()), case)
    try:
        expr = built(tree).mapped(lambda atom: build(value) if atom == Atom("x") else None)
    except InputError:
        reject()
    assume(not free_letters(value) & bound_letters(tree))
    assert is_close(found_value(expr, case), wanted)


def put(tree: Tree, old: Tree, new: Tree, bound: tuple[str, ...]) -> Tree:
    if tree == old:
        return new
    return tuple(put(part, old, new, bound) if isinstance(part, tuple) else part for part in tree)


def free_letters(tree: Tree) -> set[str]:
    found = {part for part in tree[1:] if isinstance(part, str) and part in RANGES}
    return found.union(*(free_letters(("", *part)) for part in tree if isinstance(part, tuple)))


def bound_letters(tree: Tree) -> set[str]:
    own = {tree[1]} if tree[0] in {"sum", "but"} else set()
    return own.union(*(bound_letters(part) for part in tree if isinstance(part, tuple)))


# Two ways --------------------------------------------------------------------------------------------


@st.composite
def rewritten(draw: st.DrawFn, tree: Tree) -> Tree:
    """The same number, written in another way."""
    parts = tuple(draw(rewritten(part)) if isinstance(part, tuple) and tree[0] not in PLAIN else part for part in tree)
    match parts:
        case ("add" | "times", first, second) if draw(st.booleans()):
            return (parts[0], second, first)
        case ("add", first, ("add", second, third)):
            return ("add", ("add", first, second), third)
        case ("times", first, ("add", second, third)):
            return ("add", ("times", first, second), ("times", first, third))
        case ("sum", index, size, ("add", first, second)):
            return ("add", ("sum", index, size, first), ("sum", index, size, second))
        case ("sum", index, size, ("sum", other, length, body)) if index != other:
            return ("sum", other, length, ("sum", index, size, body))
        case ("sum", str(index), "n", body) if draw(st.booleans()) and not has(body, "sum", "but"):
            return ("sum", index, "n", moved(body, index))
        case ("power", base, 2):
            return ("times", base, base)
        case ("exp", ("add", first, second)):
            return ("times", ("exp", first), ("exp", second))
        case ("but", index, size, gone, body) if gone != index:
            rest = ("add", ("number", 1), ("times", ("number", -1), ("delta", index, gone)))
            return ("sum", index, size, ("times", rest, body))
        case _:
            return parts


PLAIN = frozenset({"entry", "delta", "number", "scalar"})


def has(tree: Tree, *names: str) -> bool:
    return tree[0] in names or any(has(part, *names) for part in tree if isinstance(part, tuple))


def moved(tree: Tree, index: str) -> Tree:
    """With the image of an index under a permutation in its place."""
    if tree[0] in {"entry", "delta"}:
        return (tree[0], *(deep(part, index) for part in tree[1:]))
    return tuple(moved(part, index) if isinstance(part, tuple) else part for part in tree)


def deep(part: str | Tree, index: str) -> str | Tree:
    if isinstance(part, tuple):
        return (part[0], deep(part[1], index))
    return ("pi", index) if part == index else part


@SOME
@given(st.data())
def test_two_ways_to_write_a_polynomial_have_one_form(data: st.DataObject) -> None:
    tree = data.draw(polynomials(6))
    assume(not has(tree, "pi"))  # deltas of images are kept in several forms
    other = data.draw(rewritten(tree))
    assert built(tree).equals(built(other))


@SOME
@given(st.data())
def test_two_ways_to_write_a_formula_have_one_value(data: st.DataObject) -> None:
    tree = data.draw(formulas(6))
    other = data.draw(rewritten(tree))
    case = data.draw(cases())
    naive(tree, case)
    assert is_close(found_value(built(other), case), found_value(built(tree), case))


@SOME
@given(formulas(4), formulas(4), st.lists(cases(), min_size=3, max_size=3))
def test_what_is_shown_to_be_equal_is_equal(first: Tree, second: Tree, tried: list[Case]) -> None:
    shown(first, second, tried)


@pytest.mark.long
@MANY
@given(formulas(4), formulas(4), st.lists(cases(), min_size=3, max_size=3))
def test_what_is_shown_to_be_equal_is_equal_long(first: Tree, second: Tree, tried: list[Case]) -> None:
    shown(first, second, tried)


def shown(first: Tree, second: Tree, tried: list[Case]) -> None:
    """Products and quotients of the same two formulas are near to each other, and equal now and then."""
    pairs = [
        (first, second),
        (("over", first, second), ("times", first, second)),
        (("over", ("add", first, second), second), ("add", ("over", first, second), ("number", 1))),
        (("sqrt", ("power", first, 2)), first),
        (("log", ("exp", first)), first),
        (("exp", ("log", first)), first),
    ]
    for one, other in pairs:
        try:
            if not build(one).equals(build(other)):
                continue
        except InputError:
            continue
        for case in tried:
            try:
                wanted = number(one, case), number(other, case)
            except UndefinedError:
                continue
            assert is_close(*wanted)
