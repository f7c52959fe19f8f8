"""The theorems on generating functions, held against other formulas and against numbers that were found otherwise."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import comb

import mpmath
import pytest
import sympy

from symattn.errors import InputError, ShapeError
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.matrices import determinant, inverse, leading_minors
from symattn.proofs.cases.numeric_tower import plus, times
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.concrete.arrays import Array
from symattn.proofs.kernel.record import Proof

_SPREAD_Q = ((1, Fraction(1, 2)), (Fraction(1, 2), 1))
_SPREAD_K = ((1, 0), (0, 2))
_MEAN_Q, _MEAN_K = (1, -1), (Fraction(1, 2), 1)


def _proof(name: str, **values: str) -> Proof:
    entry = theorem(name)
    return entry.build(entry.values(values))


def _lines(name: str, **values: str) -> dict[str, tuple[str, str]]:
    entry = theorem(name)
    assert entry.instance is not None
    return {line.text: (line.exact, line.digits) for line in entry.instance(entry.values(values))}


def _fractions(rows: tuple[tuple[Fraction | int, ...], ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(entry) for entry in row) for row in rows)


# Covariance matrices -------------------------------------------------------------------------------


def _jointly(t: Fraction) -> tuple[Fraction, Fraction]:
    """For x = (q, k) and t q.k = x^T A x/2 the determinant of 1 - A S and the exponent m^T (1 - A S)^(-1) A m/2."""
    zero = sympy.zeros(2, 2)
    a = sympy.Rational(t.numerator, t.denominator) * sympy.Matrix([[zero, sympy.eye(2)], [sympy.eye(2), zero]])
    spread_q, spread_k = (sympy.Matrix(2, 2, lambda i, j, s=s: _exact(s[i][j])) for s in (_SPREAD_Q, _SPREAD_K))
    spread = sympy.Matrix(sympy.BlockDiagMatrix(spread_q, spread_k))
    mean = sympy.Matrix([_exact(value) for value in (*_MEAN_Q, *_MEAN_K)])
    whole = sympy.eye(4) - a * spread
    exponent = (mean.T * whole.inv() * a * mean)[0] / 2
    return Fraction(str(whole.det())), Fraction(str(exponent))


def _exact(value: Fraction | int) -> sympy.Rational:
    return sympy.Rational(Fraction(value).numerator, Fraction(value).denominator)


@pytest.mark.parametrize("text", ["1/2", "-1/3", "0", "3/5"])
def test_covariance_form_against_the_joint_law(text: str) -> None:
    t = Fraction(text)
    determinant, exponent = _jointly(t)
    lines = _lines("dot-product-mgf-covariance", t=text)
    assert [exact for exact, _ in lines.values()][:2] == [str(determinant), str(exponent)]
    with mpmath.workdps(40):
        wanted = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
        wanted /= mpmath.sqrt(mpmath.mpf(determinant.numerator) / determinant.denominator)
        (found,) = [digits for _, digits in list(lines.values())[2:]]
        assert abs(mpmath.mpf(found) / wanted - 1) < mpmath.mpf(10) ** -29
    proof = _proof("dot-product-mgf-covariance")
    entries = {
        "S_q": Array(_fractions(_SPREAD_Q), is_vector=False),
        "S_k": Array(_fractions(_SPREAD_K), is_vector=False),
        "m": Array(_fractions((_MEAN_Q,))),
        "n": Array(_fractions((_MEAN_K,))),
    }
    numeric = NumericEvaluator(proof.scope, Model({"D": Fraction(2), "t": t}, entries))
    claim = proof.claims[-1].right
    assert numeric.number("det(I - t^2 S_q S_k)") == determinant
    assert numeric.number("(b^T P^(-1) b - m^T S_q^(-1) m)/2") == exponent
    assert claim == "det(I - t^2 S_q S_k)^(-1/2) exp((b^T P^(-1) b - m^T S_q^(-1) m)/2)"


def test_outside_of_its_domain_the_worked_case_is_refused() -> None:
    with pytest.raises(InputError, match="positive definite"):
        _lines("dot-product-mgf-covariance", t="2")


# Cumulants of every order --------------------------------------------------------------------------


def _moments(mean: Fraction, spread: Fraction, most: int) -> list[Fraction]:
    found = [Fraction(1), mean]
    for n in range(2, most + 1):
        found.append(mean * found[n - 1] + (n - 1) * spread**2 * found[n - 2])
    return found


@pytest.mark.parametrize("point", [("1/2", "-3", "2", "1/3"), ("2", "5/7", "1", "3"), ("0", "1", "1", "1")])
def test_cumulants_of_every_order_from_moments(point: tuple[str, str, str, str]) -> None:
    """The recursion of moments and cumulants for one product q k, and D times its cumulants for D of them."""
    mu_q, mu_k, sigma_q, sigma_k = map(Fraction, point)
    pairs = zip(_moments(mu_q, sigma_q, 8), _moments(mu_k, sigma_k, 8), strict=True)
    moments = [first * second for first, second in pairs]
    cumulants = [Fraction(0)]
    for n in range(1, 9):
        known = sum((comb(n - 1, j - 1) * cumulants[j] * moments[n - j] for j in range(1, n)), Fraction(0))
        cumulants.append(moments[n] - known)
    proof = _proof("dot-product-mgf")
    claims = {claim.left: claim.right for claim in proof.claims}
    names = dict(zip(("mu_q", "mu_k", "sigma_q", "sigma_k"), (mu_q, mu_k, sigma_q, sigma_k), strict=True))
    for n in range(1, 5):
        numeric = NumericEvaluator(proof.scope, Model({**names, "D": Fraction(5), "n": Fraction(n)}, {}))
        assert numeric.number(claims["cumulant(q^T k, 2 n - 1)"]) == 5 * cumulants[2 * n - 1]
        assert numeric.number(claims["cumulant(q^T k, 2 n)"]) == 5 * cumulants[2 * n]


# Where the mean is infinite, and the characteristic function -----------------------------------------


@pytest.mark.parametrize(("factor", "is_finite"), [("9/10", True), ("1", False), ("11/10", False)])
def test_the_integrand_falls_only_inside_the_domain(factor: str, is_finite: bool) -> None:
    """E exp(t q k) = E exp(t μ_k q + t² σ_k² q²/2): with the density of q the integrand falls, or it does not."""
    mu_q, mu_k, sigma_q, sigma_k = 0.5, -0.25, 2.0, 0.5
    t = float(Fraction(factor)) / (sigma_q * sigma_k)

    def exponent(q: float) -> float:
        return t * mu_k * q + t**2 * sigma_k**2 * q**2 / 2 - (q - mu_q) ** 2 / (2 * sigma_q**2)

    far = [max(exponent(q), exponent(-q)) for q in (1e3, 1e4)]
    assert (far[1] < far[0] < 0) == is_finite
    least = next(iter(_lines("dot-product-mgf-infinite", sigma_q="2", sigma_k="1/2").values()))
    assert least == ("1", "1")


@pytest.mark.parametrize(("size", "at"), [("64", "1/8"), ("5", "1"), ("1", "1/8")])
def test_the_characteristic_function_in_numbers(size: str, at: str) -> None:
    lines = _lines("dot-product-characteristic", D=size, sigma_q="1/2", sigma_k="3")
    (digits,) = [digits for text, (_, digits) in lines.items() if f"$u = {at}$" in text]
    with mpmath.workdps(40):
        u = mpmath.mpf(Fraction(at).numerator) / Fraction(at).denominator
        wanted = (1 + (u * 3 / 2) ** 2) ** (-mpmath.mpf(size) / 2)
        assert abs(mpmath.mpf(digits) / wanted - 1) < mpmath.mpf(10) ** -28


def test_the_characteristic_function_of_one_product_by_quadrature() -> None:
    """E cos(u q k) as the mean of exp(-u² q²/2) over a standard normal q."""
    with mpmath.workdps(20):
        u = mpmath.mpf(2) / 3
        scale = mpmath.sqrt(2 * mpmath.pi)
        found = 2 * mpmath.quad(lambda q: mpmath.exp(-(1 + u**2) * q**2 / 2) / scale, [0, 4, 12])
        assert abs(found - (1 + u**2) ** mpmath.mpf(-0.5)) < mpmath.mpf(10) ** -14


def test_densities_are_claims_for_standard_components_alone() -> None:
    assert len(_proof("dot-product-characteristic").claims) == 2
    standard = _proof("dot-product-characteristic", sigma_q="1", sigma_k="1", D="2")
    assert standard.conclusion[-1] == "density(q^T k, z) = exp(-z)/2"


# The second opinion on matrices --------------------------------------------------------------------


def test_determinants_and_inverses_of_small_matrices() -> None:
    rows = _fractions(((0, 2, 1), (3, 1, 0), (1, 0, 4)))
    assert determinant(rows) == Fraction(-25)
    assert list(leading_minors(rows)) == [Fraction(0), Fraction(-6), Fraction(-25)]
    columns = list(zip(*inverse(rows), strict=True))
    product = [[reduce(plus, map(times, row, column)) for column in columns] for row in rows]
    assert product == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(InputError, match="no inverse"):
        inverse(_fractions(((1, 2), (2, 4))))
    with pytest.raises(ShapeError, match="square"):
        determinant(_fractions(((1, 2),)))
