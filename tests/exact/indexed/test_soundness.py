"""Cases in which a careless normal form would call different expressions equal; one test for each kind."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from symattn.errors import InputError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.calculus import derivative
from symattn.exact.indexed.expectation import Mean, RawMoment, SameLaw, expectation, here
from symattn.exact.indexed.expression import DELTA, Atom, Expr
from tests.exact.indexed.evaluation import evaluate

I, J, K = ix.free("i"), ix.free("j"), ix.free("k")
N, M, X = Expr.scalar("n"), Expr.scalar("m"), Expr.scalar("x")
RANDOM = frozenset({"q", "k"})


Tables = dict[str, dict[tuple[int, ...], Fraction | int]]


def z(index: ix.Index) -> Expr:
    return Expr.entry("z", index)


def q(index: ix.Index) -> Expr:
    return Expr.entry("q", index)


# Lengths that depend on an index ----------------------------------------------------------------------


def ragged(index: ix.Index) -> Expr:
    """The sum of the first s_i entries of z."""
    return Expr.sum_over(J, Expr.entry("s", index), z(J))


def test_a_length_goes_with_its_index() -> None:
    assert ragged(I).replaced(I, K) == ragged(K)
    assert ragged(I).indices == {I}


def test_a_sum_over_ragged_sums_is_no_multiple_of_one() -> None:
    found = Expr.sum_over(I, N, ragged(I))
    entries: Tables = {"s": {(1,): 1, (2,): 2}, "z": {(1,): 5, (2,): 7}}
    assert evaluate(found, {"n": 2}, entries=entries) == 5 + (5 + 7)


def test_no_permutation_is_taken_from_an_index_that_a_length_depends_on() -> None:
    image = ix.moved("pi", I)
    body = Expr.sum_over(J, Expr.entry("s", I), Expr.entry("A", image, J))
    found = Expr.sum_over(I, N, body)
    entries: Tables = {"s": {(1,): 1, (2,): 2}, "A": {(1, 1): 1, (1, 2): 10, (2, 1): 100, (2, 2): 1000}}
    assert evaluate(found, {"n": 2}, entries=entries, permutations={"pi": (2, 1)}) == 100 + (1 + 10)


def test_a_sum_has_no_length_in_its_own_index() -> None:
    with pytest.raises(InputError, match="does not depend on that index"):
        Expr.sum_over(I, Expr.entry("s", I), z(I))


# Deltas ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [J, ix.moved("pi", J)])
def test_a_delta_joins_ranges_of_one_length(second: ix.Index) -> None:
    first, last = Expr.sum_over(I, N, z(I)), Expr.sum_over(J, M, Expr.entry("w", J))
    (left,), (right,) = first.opened(), last.opened()
    joined = left.times(right)
    names = [index for index, _ in joined.bounds]
    moved = names[1] if second == J else ix.moved("pi", names[1])
    joined.factors[Atom(DELTA, tuple(sorted((names[0], moved))))] = 1
    with pytest.raises(InputError, match="different lengths"):
        Expr.of_draft(joined)


def test_excluded_values_may_coincide() -> None:
    found = Expr.sum_over(I, N, z(I), excluded=(J, K))
    entries: Tables = {"z": {(1,): 1, (2,): 10, (3,): 100}}
    assert evaluate(found, {"n": 3}, entries=entries, indices={J: 1, K: 2}) == 100
    assert evaluate(found, {"n": 3}, entries=entries, indices={J: 1, K: 1}) == 110


def test_the_excluded_value_is_read_outside_of_the_sum() -> None:
    found = Expr.sum_over(I, N, z(I), excluded=(I,))
    assert found == Expr.sum_over(J, N, z(J)) - z(I)


def test_numbers_are_distinct_as_numbers() -> None:
    assert Expr.delta(ix.fixed("1"), ix.fixed("01")) == 1
    assert Expr.delta(ix.fixed("1"), ix.fixed("2")) == 0
    with pytest.raises(InputError, match="whole"):
        ix.fixed("1.0")


def test_a_named_value_may_be_a_number() -> None:
    assert not Expr.delta(ix.fixed("a"), ix.fixed("1")).is_zero()
    assert Expr.delta(ix.fixed("a"), ix.fixed("b")).is_zero()


def test_a_sum_runs_over_a_plain_index() -> None:
    for index in (ix.fixed("1"), ix.moved("pi", I), ix.bound(2, 0)):
        with pytest.raises(InputError, match="plain index"):
            Expr.sum_over(index, N, z(I))


# Names -----------------------------------------------------------------------------------------------


def test_a_quantity_named_delta_is_no_kronecker_delta() -> None:
    assert Expr.sum_over(I, N, Expr.entry("delta", I, J)) != 1
    assert Expr.entry("delta", ix.fixed("1"), ix.fixed("2")) != 0


@pytest.mark.parametrize("name", ["inverse", "Log", "E"])
def test_a_function_with_a_known_name_is_a_function(name: str) -> None:
    assert not (Expr.function(name, X) * X).equals(1)


def test_logarithm_and_root_are_known_by_their_names() -> None:
    assert Expr.function("log", Expr.function("exp", X)) == X
    assert Expr.function("sqrt", 4) == 2


@pytest.mark.parametrize("name", ["#delta", "a*b", "a+b", "f(x", "a^2", "", "a b", "S<n>"])
def test_names_hold_no_signs_of_texts(name: str) -> None:
    makers: list[Callable[[str], object]] = [Expr.scalar, Expr.entry, lambda text: Expr.function(text, X), ix.free]
    for make in makers:
        with pytest.raises(InputError):
            make(name)


# Inverses --------------------------------------------------------------------------------------------


def test_an_inverse_of_zero_is_refused_wherever_it_comes_up() -> None:
    gap = 1 / (z(I) - z(J))
    makers: list[Callable[[], Expr]] = [
        lambda: gap.replaced(J, I),
        lambda: Expr.delta(I, J) * gap,
        lambda: Expr.sum_over(J, N, gap, excluded=(I,)),
        lambda: gap.mapped(lambda atom: z(I) if atom == Atom("z", (J,)) else None),
        lambda: 1 / (1 / (1 + X) + X / (1 + X) - 1),
        lambda: 1 / (Expr.function("f", (X**2 - 1) / (X - 1)) - Expr.function("f", X + 1)),
    ]
    for make in makers:
        with pytest.raises(InputError, match="division by zero"):
            make()


def test_a_delta_has_no_inverse() -> None:
    with pytest.raises(InputError, match="no inverse"):
        (2 * Expr.delta(I, J)).inverse()
    with pytest.raises(InputError, match="no inverse"):
        Expr.atom(Atom(DELTA, (I, J)), -1)


def test_a_sum_cancels_against_its_own_inverse_alone() -> None:
    total, other = Expr.sum_over(I, N, Expr.exp(z(I))), Expr.sum_over(I, M, Expr.exp(z(I)))
    assert total / total == 1
    assert not (total / other).equals(1)
    rows = Expr.sum_over(J, N, Expr.entry("A", I, J))
    assert not Expr.sum_over(I, N, Expr.entry("A", I, J) / rows).equals(1)
    assert Expr.sum_over(J, N, Expr.entry("A", I, J) / rows).equals(1)


# Captured indices ------------------------------------------------------------------------------------


def test_no_index_is_captured_by_an_inner_sum() -> None:
    inner = Expr.sum_over(J, N, Expr.exp(z(J) * Expr.entry("w", I)))
    assert inner.replaced(I, J).replaced(J, K) == inner.replaced(I, K)
    nested = Expr.sum_over(I, N, Expr.function("f", inner))
    assert nested == Expr.sum_over(K, N, Expr.function("f", inner.replaced(I, K)))


def test_an_index_outside_of_its_sum_is_not_captured() -> None:
    inner = Expr.sum_over(I, N, Expr.exp(z(I))) * Expr.entry("w", K)
    with pytest.raises(InputError, match="outside of the sum"):
        inner.replaced(K, ix.bound(2, 0))


def test_functions_of_equal_arguments_stay_in_their_sums() -> None:
    one = 1 / (1 + z(I)) + z(I) / (1 + z(I))
    whole = Expr.sum_over(I, N, Expr.function("f", one) * z(I)) + Expr.function("f", 1)
    assert not (whole - Expr.function("f", 1)).is_zero()


# Roots and logarithms --------------------------------------------------------------------------------


def test_a_root_of_a_square_is_not_the_base() -> None:
    assert not Expr.sqrt(X**2).equals(X)
    assert Expr.sqrt(X**2).power(2) == X**2
    assert Expr.sqrt(X).power(-1) == Expr.sqrt(X) / X


def test_roots_and_logarithms_of_numbers_after_a_change() -> None:
    delta = Expr.delta(I, J)
    assert Expr.sqrt(1 + delta).replaced(J, I) == Expr.sqrt(2)
    assert Expr.log(delta).replaced(J, I) == 0
    with pytest.raises(InputError, match="negative"):
        Expr.sqrt(delta - 2).replaced(J, I)
    with pytest.raises(InputError, match="not a real number"):
        Expr.log(-delta).replaced(J, I)
    assert Expr.log(2) != Expr.log(3)


def test_a_logarithm_of_a_product_is_not_split() -> None:
    y = Expr.scalar("y")
    assert not Expr.log(X * y).equals(Expr.log(X) + Expr.log(y))  # both may be negative


# Derivatives -----------------------------------------------------------------------------------------


def test_no_derivative_by_a_length() -> None:
    with pytest.raises(InputError, match="length of a sum"):
        derivative(Expr.sum_over(I, N, z(I)), Atom("n"))


def test_no_derivative_of_an_expectation() -> None:
    inside = expectation(Expr.function("f", X * q(I)), RANDOM)
    with pytest.raises(InputError, match="expectation"):
        derivative(inside, Atom("x"))
    assert derivative(inside, Atom("y")) == 0


def test_an_entry_has_one_number_of_indices() -> None:
    with pytest.raises(InputError, match="indices"):
        derivative(Expr.entry("z", I, J), Atom("z", (I,)))


# Expectations ----------------------------------------------------------------------------------------


def test_a_conditional_expectation_is_another_number() -> None:
    inside = Expr.function("f", q(I) + Expr.entry("k", I))
    assert not expectation(inside, frozenset({"q"})).equals(expectation(inside, RANDOM))
    assert expectation(Expr.function("f", q(I)), frozenset({"q"})) == expectation(Expr.function("f", q(I)), RANDOM)


def test_an_expectation_is_no_random_quantity() -> None:
    inner = expectation(Expr.function("f", q(I)), RANDOM)
    assert expectation(inner * q(J), RANDOM, (Mean("q", X),)) == inner * X
    given = expectation(Expr.function("f", q(I) + Expr.entry("k", I)), frozenset({"q"}))
    assert expectation(given, RANDOM) != given  # it still depends on k


def test_functions_and_powers_of_random_entries_do_not_come_out() -> None:
    facts = (Mean("q", X), SameLaw(("q",)))
    assert not expectation(Expr.function("f", q(I)), RANDOM, facts).equals(Expr.function("f", X))
    assert not expectation(q(I).power(-1), RANDOM, facts).equals(X.inverse())
    assert not expectation(q(I) ** 2, RANDOM, facts).equals(X**2)
    assert not expectation(q(I) * q(J), RANDOM, facts).equals(X**2)


def test_a_function_named_like_a_family_is_no_entry() -> None:
    assert expectation(Expr.function("q", Expr.entry("k", I)), RANDOM, (Mean("q", Expr(1)),)) != 1


def test_a_random_length_is_refused() -> None:
    with pytest.raises(InputError, match="random"):
        expectation(Expr.sum_over(I, N, q(I)), frozenset({"q", "n"}), (Mean("q", Expr(1)),))


def test_what_is_known_of_a_law_is_not_random() -> None:
    with pytest.raises(InputError, match="random"):
        expectation(q(I), RANDOM, (Mean("q", Expr.entry("k", here())),))


def test_the_indices_of_a_fact_are_put_in_at_once() -> None:
    facts = (Mean("A", Expr.entry("M", here(0), here(1))),)
    found = expectation(Expr.entry("A", here(1), here(0)), frozenset({"A"}), facts)
    assert found == Expr.entry("M", here(1), here(0))


def test_one_law_for_every_index_is_not_one_value() -> None:
    same = (SameLaw(("q",)),)
    assert expectation(q(I) ** 3, RANDOM, same) == expectation(q(J) ** 3, RANDOM, same)
    assert expectation(q(I) ** 3, RANDOM) != expectation(q(J) ** 3, RANDOM)
    apart = (SameLaw(("q",)), SameLaw(("k",)))
    both = q(I) * Expr.entry("k", I)
    assert expectation(both, RANDOM, apart) != expectation(both.replaced(I, J), RANDOM, apart)
    assert expectation(q(I) * q(J), RANDOM, same) != expectation(q(I) ** 2, RANDOM, same)


def test_a_moment_is_that_of_its_order() -> None:
    facts = (RawMoment("q", 2, X),)
    assert expectation(q(I) ** 2, RANDOM, facts) == X
    assert expectation(q(I) ** 4, RANDOM, facts) != X**2
