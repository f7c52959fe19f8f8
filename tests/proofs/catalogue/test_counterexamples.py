"""Counter-examples and checks: formulas at numbers, worked out beside the proofs, against values found by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, ShapeError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.proofs.cases.claim_checks import check_claims
from symattn.proofs.cases.counterexamples import model_of, refuted
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.hypotheses import holds
from symattn.proofs.cases.numeric_tower import closed_form, digits, order, power
from symattn.proofs.cases.small_cases import case
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Theorem
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.concrete.arrays import Array, Value
from symattn.proofs.kernel.record import Claim, Proof
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope

RANDOM = Scope(
    (
        Declared("D", sign="positive"),
        Declared("mu"),
        Declared("q", ("D",), random=True),
        Declared("k", ("D",), random=True),
    )
)
PLAIN = Scope(
    (
        Declared("n", sign="positive"),
        Declared("m", sign="positive"),
        Declared("beta"),
        Declared("z", ("n",)),
        Declared("W", ("m", "n")),
    ),
    (Defined("a", ("j",), ("n",), "exp(beta z_j)/sum_{l=1}^{n} exp(beta z_l)", sign="positive"),),
    fixed=("b", "c"),
    permutations=("pi",),
)

CATALOGUE = [pytest.param(entry, id=name) for name, entry in theorems().items()]


def plain(**more: str) -> NumericEvaluator:
    """n = 3, m = 2, z = (1, 0, -2), W = [[1, 2, 3], [4, 5, 6]], beta = 1."""
    values = {"beta": "1", **more}
    example = CounterExample(
        sizes=(("n", 3), ("m", 2)),
        scalars=tuple(values.items()),
        entries=(("z", (("1", "0", "-2"),)), ("W", (("1", "2", "3"), ("4", "5", "6"))), ("pi", (("2", "3", "1"),))),
    )
    return NumericEvaluator(PLAIN, model_of(example, PLAIN))


def signs(size: int) -> NumericEvaluator:
    """Independent signs for q and k."""
    rows = list(product(("1", "-1"), repeat=2 * size))
    law = tuple((f"1/{len(rows)}", (("q", (row[:size],)), ("k", (row[size:],)))) for row in rows)
    example = CounterExample(sizes=(("D", size),), scalars=(("mu", "0"),), law=law)
    return NumericEvaluator(RANDOM, model_of(example, RANDOM))


def values(found: Value) -> list[list[Fraction]]:
    """The entries of a matrix of rationals."""
    assert isinstance(found, Array)
    return [[Fraction(str(entry)) for entry in row] for row in found.rows]


# Formulas at numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum_{j=1}^{n} z_j^2", 5),
        ("z^T z", 5),
        ("norm(z)^2", 5),
        ("W_{12} + W_{2,3}", 8),
        ("delta_{bc} + delta_{bb}", 1),
        ("z_{pi(b)}", 0),
        ("z_2 - z_3/4 + 2^n", Fraction(17, 2)),
        ("sum_{j=1}^{n} a_j", 1),
        ("sum_{j=1}^{n} delta_{1j} z_j", 1),
        ("diff(z_1^3 z_2 + z_1^2, z_1)", 2),
        ("diff(beta^3, beta)", 3),
        ("log(exp(3/2))", Fraction(3, 2)),
        ("sqrt(n + 1)", 2),
        ("sum_{j=1}^{n} softmax(z)_j", 1),
    ],
)
def test_formulas_at_numbers(text: str, value: Fraction | int) -> None:
    found = plain().number(text)
    assert order(found, Fraction(value)) == 0


def test_exponentials_are_exact() -> None:
    e = ExpSum.exp(1)
    weight = plain().number("a_1")
    assert weight == Quotient(e, e + 1 + ExpSum.exp(-2))
    assert digits(weight) == "0.70538451"  # e/(e + 1 + e^-2)


def test_the_softmax_derivative_is_that_of_the_weights() -> None:
    numeric = plain()
    for i, j in product((1, 2, 3), repeat=2):
        left = numeric.number(f"diff(a_{i}, z_{j})")
        right = numeric.number(f"a_{i} (delta_{{{i},{j}}} - a_{j})")
        assert order(left, right) == 0


def test_a_derivative_inside_a_derivative() -> None:
    assert order(plain(beta="5").number("diff(diff(beta^4 z_1, beta), beta)"), Fraction(300)) == 0
    assert order(plain().number("diff(z_1 diff(z_1 z_2, z_2), z_1)"), Fraction(2)) == 0


def test_matrices_and_vectors() -> None:
    numeric = plain()
    assert numeric.text("W z") == Array(((Fraction(-5), Fraction(-8)),))
    product_with_itself = numeric.text("W W^T")
    assert values(product_with_itself) == [[14, 32], [32, 77]]
    outer = numeric.text("z z^T")
    assert values(outer)[2] == [-2, 0, 4]
    diagonal = numeric.text("diag(z)")
    assert values(diagonal) == [[1, 0, 0], [0, 0, 0], [0, 0, -2]]


@pytest.mark.parametrize("text", ["W W", "z z", "W + z", "1/z", "z^2"])
def test_what_does_not_conform_has_no_value(text: str) -> None:
    with pytest.raises((ShapeError, InputError)):
        plain().text(text)


@pytest.mark.parametrize("text", ["x", "z_7", "1/(z_2)", "foo_1", "sqrt(z_3)", "lim(beta, oo, a_1)", "q_i"])
def test_what_has_no_value_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        plain().text(text)


def test_work_is_bounded() -> None:
    scope = Scope((Declared("n"),))
    numeric = NumericEvaluator(scope, Model({"n": Fraction(60)}, {}), 10_000)
    with pytest.raises(InputError, match="too long"):
        numeric.text("sum_{i=1}^{n} sum_{j=1}^{n} sum_{k=1}^{n} sum_{l=1}^{n} 1")
    with pytest.raises(InputError, match="more than"):
        NumericEvaluator(scope, Model({"n": Fraction(10**9)}, {})).text("sum_{i=1}^{n} 1")
    with pytest.raises(InputError, match="beyond"):
        power(Fraction(2), 10**9)


def test_numbers_beyond_sums_of_exponentials_are_enclosed() -> None:
    numeric = plain()
    assert digits(numeric.number("log(n)")) == "1.0986123"
    assert digits(numeric.number("tanh(1/2)")) == "0.46211716"
    assert closed_form(numeric.number("log(n)")) == ""
    assert order(numeric.number("log(n)"), numeric.number("log(n + 1)")) == -1
    assert order(numeric.number("log(n) + log(2)"), numeric.number("log(2 n)")) is None


# Expectations --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3])
def test_moments_of_signs(size: int) -> None:
    numeric = signs(size)
    for text, value in (
        ("E(q^T k)", 0),
        ("Var(q^T k)", size),
        ("E((q^T k)^4)", 3 * size**2 - 2 * size),
        ("Cov(q_1, k_1)", 0),
        ("E(q_1^2 + 1)", 2),
        ("Var(E(q^T k, q))", 0),
        ("E(E((q^T k)^2, q))", size),
    ):
        assert order(numeric.number(text), Fraction(value)) == 0, text


def test_a_conditional_mean_is_taken_outcome_by_outcome() -> None:
    law = (("1/4", (("q", (("0",),)), ("k", (("2",),)))), ("3/4", (("q", (("1",),)), ("k", (("4",),)))))
    numeric = NumericEvaluator(RANDOM, model_of(CounterExample(sizes=(("D", 1),), law=law), RANDOM))
    # Given q, k is known, so that the conditional mean varies as k does: (4 - 2)^2 3/16.
    assert order(numeric.number("Var(E(k_1, q))"), Fraction(3, 4)) == 0


def test_what_is_random_stands_inside_an_expectation() -> None:
    with pytest.raises(InputError, match="outside"):
        signs(1).text("q_1")


# Hypotheses ----------------------------------------------------------------------------------------


def assume(kind: str, about: str, *values: str) -> Hypothesis:
    return Hypothesis("H1", "", kind, tuple(about.split()), values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (assume("independent", "q k"), True),
        (assume("coordinates", "q k"), True),
        (assume("same-law", "q k"), True),
        (assume("uncorrelated", "q k"), True),
        (assume("mean", "q k", "0"), True),
        (assume("mean", "q", "1"), False),
        (assume("variance", "q", "1"), True),
        (assume("variance", "q", "2"), False),
        (assume("raw-moment", "q", "4", "1"), True),
        (assume("law", "q", "rademacher"), True),
        (assume("law", "q", "gaussian", "0", "1"), False),
    ],
)
def test_hypotheses_about_a_law(item: Hypothesis, found: bool) -> None:
    assert holds(item, signs(2)) is found


def test_a_tied_pair_is_not_independent() -> None:
    law = (("1/2", (("q", (("1",),)), ("k", (("1",),)))), ("1/2", (("q", (("-1",),)), ("k", (("-1",),)))))
    numeric = NumericEvaluator(RANDOM, model_of(CounterExample(sizes=(("D", 1),), law=law), RANDOM))
    assert holds(assume("independent", "q k"), numeric) is False
    assert holds(assume("uncorrelated", "q k"), numeric) is False
    assert holds(assume("coordinates", "q k"), numeric) is True


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (assume("equal", "z", "3/2 - i/2 - delta_{3i}"), False),
        (assume("equal", "beta", "1"), True),
        (assume("total", "z", "-1"), True),
        (assume("total", "W"), False),
        (assume("distinct", "b c"), True),
        (assume("positive", "n", "m - 1"), True),
        (assume("nonzero", "", "z_2"), False),
        (assume("at-most", "", "z_1", "n"), True),
        (assume("dot-products", "z z", "5"), True),
        (assume("mean", "nothing", "1"), None),
    ],
)
def test_hypotheses_about_entries(item: Hypothesis, found: bool | None) -> None:
    assert holds(item, plain()) in ({found} if item.kind != "equal" or item.about == ("beta",) else {False, None})


# Refutations ---------------------------------------------------------------------------------------


FALSE = Falsehood(
    "the variance of a dot product of unit vectors is 1",
    "Var(q^T k)",
    "=",
    "1",
    CounterExample(
        sizes=(("D", 2),),
        law=tuple(
            ("1/16", (("q", (row[:2],)), ("k", (row[2:],)))) for row in product(("1", "-1"), repeat=4)
        ),
    ),
    "it is D",
)  # fmt: skip


def test_a_counterexample_gives_both_sides() -> None:
    found = refuted(FALSE, RANDOM)
    assert found is not None
    assert (found.sides.left, found.sides.right, found.sides.stands) == ("2", "1", False)
    assert found.claim == "Var(q^T k) = 1"
    assert found.as_json()["left"] == "2"


@pytest.mark.parametrize(("relation", "right"), [("=", "D"), ("≤", "2"), (">", "1"), ("≥", "D"), ("<", "D + 1")])
def test_a_true_claim_is_not_refuted(relation: str, right: str) -> None:
    assert refuted(replace(FALSE, relation=relation, right=right), RANDOM) is None


@pytest.mark.parametrize(("relation", "right"), [("<", "D"), ("≥", "3"), (">", "2"), ("≤", "1"), ("=", "sqrt(2)")])
def test_each_relation_can_fail(relation: str, right: str) -> None:
    assert refuted(replace(FALSE, relation=relation, right=right), RANDOM) is not None


def test_free_indices_take_every_value() -> None:
    claim = Falsehood("", "z_j", "≤", "0", plain_example(), "")
    found = refuted(claim, PLAIN)
    assert found is not None
    assert found.sides.place == (("j", "1"),)


def test_vectors_are_compared_entry_by_entry() -> None:
    claim = Falsehood("", "diag(z)", "=", "z z^T", plain_example(), "")
    found = refuted(claim, PLAIN)
    assert found is not None
    assert found.sides.place == (("entry", "1,3"),)


def plain_example() -> CounterExample:
    return CounterExample(
        sizes=(("n", 3), ("m", 2)), scalars=(("beta", "1"),), entries=(("z", (("1", "0", "-2"),)),)
    )  # fmt: skip


def test_the_broken_hypotheses_are_named() -> None:
    scope = replace(RANDOM, hypotheses=(assume("mean", "q", "0"), replace(assume("mean", "k", "5"), id="H2")))
    found = refuted(FALSE, scope)
    assert found is not None
    assert found.broken == ("H2",)


def test_probabilities_add_up_to_one() -> None:
    short = replace(FALSE, example=replace(FALSE.example, law=FALSE.example.law[1:]))
    with pytest.raises(InputError, match="add up to 1"):
        refuted(short, RANDOM)


def test_a_false_equivalence_is_refuted() -> None:
    claim = Falsehood("", "z_1 = 1", "⇔", "z_2 = 1", plain_example(), "")
    found = refuted(claim, PLAIN)
    assert found is not None
    assert (found.sides.left, found.sides.right) == ("true", "false")
    assert refuted(replace(claim, right="z_2 = 0"), PLAIN) is None


@pytest.mark.parametrize("entry", CATALOGUE)
def test_every_falsehood_of_the_catalogue_is_refuted(entry: Theorem) -> None:
    scope = entry.build(entry.values({})).scope
    for item in (*entry.falsehoods, *(falsehood for _, falsehood in entry.without)):
        assert refuted(item, scope) is not None, item.says


@pytest.mark.parametrize("entry", CATALOGUE)
def test_dropping_a_hypothesis_breaks_one(entry: Theorem) -> None:
    scope = entry.build(entry.values({})).scope
    for word, item in entry.without:
        found = refuted(item, scope)
        assert found is not None
        assert found.broken, word


# Small cases and checks ----------------------------------------------------------------------------


@given(
    mean=st.fractions(-3, 3, max_denominator=4),
    spread=st.fractions(0, 4, max_denominator=4),
    size=st.integers(1, 3),
    seed=st.integers(0, 5),
)
def test_cases_satisfy_the_hypotheses(mean: Fraction, spread: Fraction, size: int, seed: int) -> None:
    items = (
        assume("independent", "q k"),
        assume("coordinates", "q k"),
        assume("mean", "q", str(mean)),
        assume("mean", "k", "mu"),
        assume("variance", "q k", str(spread)),
    )
    scope = replace(RANDOM, hypotheses=items)
    model = case(scope, size, seed)
    assert model is not None
    assert sum(weight for weight, _ in model.law) == 1
    numeric = NumericEvaluator(scope, model)
    assert all(holds(item, numeric) for item in items)


def test_cases_satisfy_hypotheses_about_entries() -> None:
    items = (
        assume("total", "z"),
        assume("positive", "", "z_1"),
        assume("dot-products", "W W", "delta_{i,j}"),
        assume("equal", "beta", "n"),
    )
    scope = replace(PLAIN, hypotheses=items)
    for size in (2, 3):
        model = case(scope, size, 0)
        assert model is not None
        assert all(holds(item, NumericEvaluator(scope, model)) for item in items)


def claimed(scope: Scope, left: str, relation: str, right: str) -> Proof:
    return Proof("x", "", "", (), scope, (Claim("C1", left, relation, right, ()),), ())


@pytest.mark.parametrize(
    ("left", "relation", "right", "agrees"),
    [
        ("E(q^T k)", "=", "D mu^2", True),
        ("E(q^T k)", "=", "D mu", False),
        ("Var(q^T k)", "=", "D (4 + 4 mu^2)", True),
        ("Var(q^T k)", "=", "D (4 + 2 mu^2)", False),
        ("Var(q^T k)", "≥", "0", True),
        ("Var(q^T k)", "<", "D", False),
    ],
)
def test_checks_tell_true_claims_from_false_ones(left: str, relation: str, right: str, agrees: bool) -> None:
    items = (
        assume("independent", "q k"), assume("coordinates", "q k"), assume("mean", "q k", "mu"),
        assume("variance", "q k", "2"),
    )  # fmt: skip
    (found,) = check_claims(claimed(replace(RANDOM, hypotheses=items), left, relation, right))
    assert found.agrees is agrees


@pytest.mark.parametrize(
    ("left", "right", "agrees"),
    [
        ("sum_{j=1}^{n} a_j", "1", True),
        ("diff(a_i, z_j)", "beta a_i (delta_{ij} - a_j)", True),
        ("diff(a_i, z_j)", "a_i (delta_{ij} - a_j)", False),
        ("a_i", "exp(z_i)", False),
    ],
)
def test_checks_of_identities(left: str, right: str, agrees: bool) -> None:
    scope = Scope(PLAIN.declared[:1] + PLAIN.declared[2:4], PLAIN.defined)
    (found,) = check_claims(claimed(scope, left, "=", right))
    assert found.agrees is agrees


def test_moments_that_three_points_do_not_have_are_not_checked() -> None:
    items = (assume("law", "q", "gaussian", "0", "1"), assume("law", "k", "gaussian", "0", "1"))
    scope = replace(RANDOM, hypotheses=items)
    assert check_claims(claimed(scope, "E(q_1^4)", "=", "3"))[0].agrees
    assert check_claims(claimed(scope, "E(q_1^6)", "=", "15")) == ()
    assert check_claims(claimed(scope, "E(exp(q_1))", "=", "exp(1/2)")) == ()


def test_what_cannot_be_worked_out_is_not_checked() -> None:
    assert check_claims(claimed(PLAIN, "lim(beta, oo, a_1)", "=", "1")) == ()


@pytest.mark.sample(10)
@pytest.mark.parametrize("entry", CATALOGUE)
def test_every_check_of_the_catalogue_agrees(entry: Theorem) -> None:
    for item in check_claims(entry.build(entry.values({}))):
        assert item.agrees, item
