"""Lemmas on power series and cumulants: instances with the right coefficients, and what is no instance."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from symattn.errors import InputError
from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_NAMES = (
    Declared("D", (), "positive"),
    Declared("n", (), "positive"),
    Declared("l", (), "positive"),
    Declared("t"),
    Declared("s"),
    Declared("a"),
    Declared("v", (), "positive"),
    Declared("x", (), random=True),
)
_LAWS = (
    Hypothesis("whole", "", "whole", ("n",)),
    Hypothesis("domain", "", "positive", (), ("1 - t^2 v",)),
    Hypothesis("law", "", "law", ("x",), ("gaussian", "a", "v")),
)
_SCOPE = Scope(_NAMES, (), _LAWS)


def _proved(*steps: Step, scope: Scope = _SCOPE) -> bool:
    return replay(Proof("x", "", "", (), scope, (), steps)).steps[-1].proved


def _coefficient(before: str, after: str, *hypotheses: str, relation: str = "=") -> bool:
    return _proved(Step("1", "lemma:series-coefficient", before, relation, after, hypotheses))


_GEOMETRIC, _LOGARITHM = "(a t + 3 t^2)/(1 - t^2 v)", "log(1 - t^2 v)"


@pytest.mark.parametrize(
    ("function", "order", "after"),
    [
        (_GEOMETRIC, "2 n - 1", "a v^(n - 1)"),
        (_GEOMETRIC, "2 n + 1", "a v^n"),
        (_GEOMETRIC, "2 n", "3 v^(n - 1)"),
        (_LOGARITHM, "2 n", "-v^n/n"),
        (_LOGARITHM, "2 n - 1", "0"),
        (f"{_GEOMETRIC} - (D/2) {_LOGARITHM}", "2 n", "3 v^(n - 1) + D v^n/(2 n)"),
        ("a t^2 + 1/(1 - t^2 v)", "2 n + 1", "0"),
        (_GEOMETRIC, "5", "a v^2"),
        (_LOGARITHM, "0", "0"),
        ("a t^3 + 5", "3", "a"),
        ("a t^3 + 5", "0", "5"),
    ],
)
def test_coefficients(function: str, order: str, after: str) -> None:
    before = f"coefficient({function}, t, {order})"
    assert _coefficient(before, after, "whole", "domain")
    assert not _coefficient(before, f"{after} + 1", "whole", "domain")
    assert not _coefficient(before, f"1/3 + 2 ({after})", "whole", "domain")
    assert not _coefficient(before, after, "whole", "domain", relation="≤")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        (f"coefficient({_GEOMETRIC}, t, 2 n - 1)", "a v^(n - 1)", ("domain",)),
        (f"coefficient({_GEOMETRIC}, t, 2 l - 1)", "a v^(l - 1)", ("whole", "domain")),
        (f"coefficient({_GEOMETRIC}, t, n)", "a v^(n/2)", ("whole", "domain")),
        (f"coefficient({_GEOMETRIC}, t, 2 n - 3)", "a v^(n - 2)", ("whole", "domain")),
        (f"coefficient({_GEOMETRIC}, t, 2 n - 1)", "a v^n", ("whole", "domain")),
        (f"coefficient({_LOGARITHM}, t, 2 n)", "v^n/n", ("whole", "domain")),
        (f"coefficient({_LOGARITHM}, t, 2 n)", "-v^n/(2 n)", ("whole", "domain")),
        (f"coefficient({_LOGARITHM}, t, 2 n - 2)", "-v^(n - 1)/(n - 1)", ("whole", "domain")),
        (f"coefficient({_GEOMETRIC}, x, 1)", "0", ("whole", "domain")),
        (f"coefficient({_GEOMETRIC}, v, 1)", "0", ("whole", "domain")),
        ("coefficient(exp(t), t, 1)", "1", ("whole",)),
        ("coefficient(a t^2 + 5, t, 2 n)", "a", ("whole",)),
        ("coefficient(t^3, t, -1)", "0", ("whole",)),
        ("coefficient(t^3, t, 1/2)", "0", ("whole",)),
        ("coefficient(t^3, t, t)", "0", ("whole",)),
    ],
)
def test_what_is_no_coefficient(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _coefficient(before, after, *hypotheses)


def test_a_ratio_of_unknown_sign_has_powers_with_numbers_alone() -> None:
    scope = Scope(
        _NAMES, (), (Hypothesis("whole", "", "whole", ("n",)), Hypothesis("d", "", "positive", (), ("1 - t a",)))
    )
    function = "coefficient(1/(1 - t a), t, {})"
    one = Step("1", "lemma:series-coefficient", function.format("3"), "=", "a^3", ("whole", "d"))
    assert _proved(one, scope=scope)
    other = Step("1", "lemma:series-coefficient", function.format("n"), "=", "exp(n log(a))", ("whole", "d"))
    assert not _proved(other, scope=scope)


def test_no_series_in_a_number_that_is_tied() -> None:
    """With t = 2 at hand t^3 would be read as 8, and the coefficient of t^0 in it is 0."""
    scope = Scope(_NAMES, (), (Hypothesis("tied", "", "equal", ("t",), ("2",)),))
    for after in ("8", "0"):
        step = Step("1", "lemma:series-coefficient", "coefficient(t^3, t, 0)", "=", after, ("tied",))
        assert not _proved(step, scope=scope)
    assert _proved(Step("1", "lemma:series-coefficient", "coefficient(t^3, t, 0)", "=", "0"), scope=scope)


def test_coefficients_against_another_program() -> None:
    """The series of SymPy, at rational numbers."""
    t, v, a = sympy.Symbol("t"), sympy.Rational(2, 3), sympy.Rational(-3, 5)
    series = sympy.series((a * t + 3 * t**2) / (1 - t**2 * v) - sympy.log(1 - t**2 * v), t, 0, 10).removeO()
    for order in range(1, 9):
        half = (order + 1) // 2
        text = "a v^(n - 1)" if order % 2 else "3 v^(n - 1) + v^n/n"
        letter = "2 n - 1" if order % 2 else "2 n"
        assert _coefficient(f"coefficient({_GEOMETRIC} - {_LOGARITHM}, t, {letter})", text, "whole", "domain")
        power = Fraction(2, 3) ** (half - 1)
        wanted = Fraction(-3, 5) * power if order % 2 else 3 * power + power * Fraction(2, 3) / half
        assert series.coeff(t, order) == sympy.Rational(wanted.numerator, wanted.denominator)


# Cumulants -----------------------------------------------------------------------------------------

_MGF = Step("1", "lemma:normal-factor", "E(exp(t x))", "=", "exp(t a + t^2 v/2)", ("law",), (), (("over", "x"),))
_BODY = "t a + t^2 v/2"


def _cumulant(
    before: str, after: str, *hypotheses: str, premises: tuple[str, ...] = ("1",), scope: Scope = _SCOPE
) -> bool:
    return _proved(_MGF, Step("2", "lemma:cumulant-series", before, "=", after, hypotheses, premises), scope=scope)


def test_cumulants() -> None:
    assert _cumulant("cumulant(x, 2)", f"factorial(2) coefficient({_BODY}, t, 2)")
    assert _cumulant("cumulant(x, n)", f"factorial(n) coefficient({_BODY}, t, n)", "whole")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cumulant(x, 2)", f"factorial(1) coefficient({_BODY}, t, 2)"),
        ("cumulant(x, 2)", f"factorial(2) coefficient({_BODY}, t, 3)"),
        ("cumulant(x, 1)", f"factorial(2) coefficient({_BODY}, t, 2)"),
        ("cumulant(2 x, 2)", f"factorial(2) coefficient({_BODY}, t, 2)"),
        ("cumulant(x, 2)", "factorial(2) coefficient(t a + t^2 v, t, 2)"),
        ("cumulant(x, 2)", f"factorial(2) coefficient({_BODY}, s, 2)"),
        ("cumulant(x, 2)", f"coefficient({_BODY}, t, 2)"),
        ("cumulant(x, 0)", f"factorial(0) coefficient({_BODY}, t, 0)"),
        ("cumulant(x, n)", f"factorial(n) coefficient({_BODY}, t, n)"),
    ],
)
def test_what_is_no_cumulant(before: str, after: str) -> None:
    assert not _cumulant(before, after)
    assert not _cumulant(before, after, premises=())


@pytest.mark.parametrize(
    "assumed",
    [
        Hypothesis("t", "", "positive", (), ("t",)),
        Hypothesis("t", "", "positive", (), ("t^2 v - 1",)),
        Hypothesis("t", "", "positive", ("t",)),
        Hypothesis("t", "", "at-most", ("t",), ("1", "t^2 v")),
        Hypothesis("t", "", "at-most", (), ("t", "1")),
        Hypothesis("t", "", "equal", ("t",), ("2",)),
        Hypothesis("t", "", "nonzero", (), ("t",)),
        Hypothesis("t", "", "nonzero", ("t - 1",)),
        Hypothesis("t", "", "mean", ("x",), ("t",)),
        Hypothesis("t", "", "positive", (), ("1 - log(1 - t)",)),
    ],
)
def test_the_generating_function_is_known_around_zero(assumed: Hypothesis) -> None:
    """Under a hypothesis on t that fails at 0, or that may fail near it, the derivatives at 0 are not known."""
    after = f"factorial(2) coefficient({_BODY}, t, 2)"
    assert not _cumulant("cumulant(x, 2)", after, scope=Scope(_NAMES, (), (*_LAWS, assumed)))
    assert _cumulant(
        "cumulant(x, 2)", after, scope=Scope(_NAMES, (), (*_LAWS, Hypothesis("s", "", "mean", ("x",), ("a",))))
    )


def test_words_for_lemmas_are_no_numbers() -> None:
    for text in (f"coefficient({_BODY}, t, 2)", "cumulant(x, 2)", "density(x, s)"):
        assert not _proved(Step("1", "algebra", f"{text} - {text}", "=", "0"))


def test_factorials() -> None:
    for before, after in (
        ("factorial(4)", "24"),
        ("factorial(0)", "1"),
        ("factorial(-1/2)", "sqrt(pi)"),
        ("factorial(3/2)", "3 sqrt(pi)/4"),
    ):
        assert _proved(Step("1", "algebra", before, "=", after))
        assert not _proved(Step("1", "algebra", before, "=", f"{after} + 1"))
    assert not _proved(Step("1", "algebra", "factorial(-1)", "=", "1"))
    assert _proved(Step("1", "evident sign", "0", "<", "factorial(n - 1)"))
    assert not _proved(Step("1", "evident sign", "0", "<", "factorial(n - 2)"))


def test_pi_is_the_number() -> None:
    """A record may not call another number so: lemmas speak of it."""
    with pytest.raises(InputError, match="pi"):
        replay(Proof("x", "", "", (), Scope((Declared("pi", (), "positive"),)), (), ()))
