"""Random keys, two heads and orthogonal tokens: proofs, and their numbers by quadrature, sampling and plain sums."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood, Theorem
from symattn.proofs.catalogue.registry import theorem as entry_of
from symattn.proofs.kernel.record import Proof, proof_from_json
from symattn.proofs.proof_replay import replay

_NAMES = ("gaussian-keys", "gaussian-keys-long", "two-heads", "orthogonal-tokens", "design-qkv")
_BY_NAME = {name: entry_of(name) for name in _NAMES}
_DIGITS = mpmath.mpf("1e-28")


def _proof(name: str, **values: str) -> Proof:
    theorem = _BY_NAME[name]
    return theorem.build(theorem.values(values))


def _digits(name: str, **values: str) -> list[str]:
    theorem = _BY_NAME[name]
    assert theorem.instance is not None
    return [line.digits for line in theorem.instance(theorem.values(values))]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gaussian-keys", {}),
        ("gaussian-keys-long", {}),
        ("two-heads", {}),
        ("orthogonal-tokens", {}),
        ("orthogonal-tokens", {"B": "10"}),
        ("orthogonal-tokens", {"B": "1/2"}),
        ("design-qkv", {}),
        ("design-qkv", {"B": "5/2"}),
    ],
)
def test_every_theorem_is_proved_from_its_record(name: str, values: dict[str, str]) -> None:
    found = replay(proof_from_json(_proof(name, **values).as_json()))
    assert found.faults == ()
    assert found.is_proved


@pytest.mark.parametrize("name", ["orthogonal-tokens", "design-qkv"])
def test_tokens_need_no_lemma(name: str) -> None:
    assert replay(_proof(name)).cites == ()


def test_the_conclusions_say_what_is_asked() -> None:
    wanted = {
        "gaussian-keys": [
            "Var(L_j) = 2 alpha s^2",
            "Var(d) = 4 alpha s^2",
            "E(w) = 1/2",
            "Var(w) ≤ (alpha s^2)/4",
            "cdf(abs(w - 1/2), eta) = erf(ln((1 + 2 eta)/(1 - 2 eta))/(s sqrt(8 alpha)))",
        ],
        "gaussian-keys-long": [
            "Var(L_a) = s^2 (1/2 + 2 alpha)",
            "Var(L_b) = 2 alpha s^2",
            "Var(d) = s^2 (1/2 + 4 alpha)",
            "E(w) = 1/2",
            "Cov(k_{ar}, k_{at}) = alpha delta_{rt} + (1/2) mu_{ar} mu_{at}",
        ],
        "two-heads": ["Var(q_2^T k_a) = alpha s^2", "Phi(sqrt(2)) = (1 + erf(1))/2"],
        "orthogonal-tokens": ["y^T y - x_1^T y ≥ (3/4) B", "w^T w ≥ (2/5) B"],
        "design-qkv": ["V x_3 = u_b - u_c", "norm(-(u_b + u_c)/(h + 2)) = sqrt(2 * B)/(h + 2)"],
    }
    for name, claims in wanted.items():
        conclusion = _proof(name).conclusion
        assert [claim for claim in claims if claim not in conclusion] == []


@pytest.mark.parametrize(
    ("theorem", "falsehood"),
    [(item, false) for item in _BY_NAME.values() for false in item.falsehoods],
    ids=lambda x: x.says,
)
def test_falsehoods_are_refuted(theorem: Theorem, falsehood: Falsehood) -> None:
    scope = falsehood.scope or theorem.build(theorem.values({})).scope
    found = refuted(falsehood, scope)
    assert found is not None
    assert found.sides.stands is False


@pytest.mark.parametrize(
    ("theorem", "dropped", "falsehood"),
    [(item, name, false) for item in _BY_NAME.values() for name, false in item.without],
    ids=lambda x: getattr(x, "name", str(x)[:20]),
)
def test_without_a_hypothesis_it_is_false(theorem: Theorem, dropped: str, falsehood: Falsehood) -> None:
    found = refuted(falsehood, falsehood.scope or theorem.build(theorem.values({})).scope)
    assert found is not None
    assert found.broken, dropped


# The share of one of two keys ----------------------------------------------------------------------


def _sigma(x: mpmath.mpf) -> mpmath.mpf:
    return 1 / (1 + mpmath.exp(-x))


def _spread_of_share(deviation: mpmath.mpf) -> mpmath.mpf:
    """The variance of the logistic function of a normal number, by quadrature over the number itself."""

    def density(x: mpmath.mpf) -> mpmath.mpf:
        return (_sigma(deviation * x) - mpmath.mpf("0.5")) ** 2 * mpmath.npdf(x)

    return 2 * mpmath.quad(density, [0, 0.05, 0.2, 0.5, 1, 2, 4, 8, 14])


def test_the_variance_of_the_share_of_a_long_key() -> None:
    known = {
        "1": "0.02537663200636024",
        "2": "0.06841907698418473",
        "5": "0.1490339272846715",
        "10": "0.1953206548501867",
        "20": "0.2220186279200737",
        "50": "0.2387310163388526",
        "100": "0.2443599589928528",
    }
    with mpmath.workdps(40):
        for s, digits in known.items():
            found = mpmath.mpf(_digits("gaussian-keys-long", s=s)[0])
            assert abs(found - mpmath.mpf(digits)) < mpmath.mpf("1e-15")
            if int(s) <= 10:
                assert mpmath.almosteq(found, _spread_of_share(int(s) / mpmath.sqrt(2)), mpmath.mpf("1e-20"))


def test_known_probabilities() -> None:
    assert _digits("gaussian-keys-long", s="5")[1] == "0.465708888172518837969505430257"
    assert _digits("gaussian-keys-long", s="10")[1] == "0.243997517078773967424767271542"
    assert _digits("gaussian-keys-long", s="100")[1] == "0.0247890351074285430575061840683"
    assert _digits("gaussian-keys-long")[-1] == "0.0786496035251425653293896824587"
    assert _digits("two-heads") == ["0.999591567517391844484364527772", "0.921350396474857434670610317541"]


def test_small_noise_is_not_enough() -> None:
    deviation, variance, bound, near, _ = _digits("gaussian-keys", s="20", alpha="1/100", eta="2/5")
    assert mpmath.mpf(deviation) == 4
    assert mpmath.mpf("0.12") < mpmath.mpf(variance) <= mpmath.mpf(bound)
    with mpmath.workdps(40):
        assert mpmath.almosteq(mpmath.mpf(near), mpmath.erf(mpmath.log(9) / mpmath.sqrt(32)), _DIGITS)
        assert mpmath.almosteq(mpmath.mpf(variance), _spread_of_share(mpmath.mpf(4)), mpmath.mpf("1e-20"))


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(st.fractions("1/9", 6, max_denominator=9), st.fractions("1/50", 1, max_denominator=60))
def test_the_bounds_of_the_variance_hold(s: Fraction, alpha: Fraction) -> None:
    with mpmath.workdps(25):
        scale, noise = (mpmath.mpf(x.numerator) / x.denominator for x in (s, alpha))
        assert _spread_of_share(2 * scale * mpmath.sqrt(noise)) <= noise * scale**2 / 4
        square = scale**2 * (mpmath.mpf("0.5") + 4 * noise)
        missing = mpmath.mpf("0.25") - _spread_of_share(mpmath.sqrt(square))
        most = 1 / mpmath.sqrt(2 * mpmath.pi * square)
        assert (1 - mpmath.pi**2 / (6 * square)) * most <= missing <= most


@pytest.mark.parametrize(("variance", "peaks"), [("1", 1), ("2", 1), ("9/4", 2), ("50", 2)])
def test_two_peaks_from_a_variance_of_two_on(variance: str, peaks: int) -> None:
    with mpmath.workdps(30):
        v = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator

        def density(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-(mpmath.log(x / (1 - x)) ** 2) / (2 * v)) / (x * (1 - x))

        # Places that are even in the score show the peaks wherever they are.
        places = [_sigma(mpmath.mpf(n) / 20) for n in range(-20 * 60, 20 * 60 + 1)]
        heights = [density(x) for x in places]
        inner = range(1, len(heights) - 1)
        assert sum(heights[n - 1] < heights[n] >= heights[n + 1] for n in inner) == peaks


def test_a_sample_of_random_keys() -> None:
    """Five keys with one of random length: the mean share, the weight of the others, and where samples lie."""
    chance = random.Random(7)
    s, alpha, count = 8.0, 1e-4, 4000
    shares, others = [], []
    for _ in range(count):
        g = chance.gauss(0, 0.5**0.5)
        noise = [chance.gauss(0, (2 * alpha) ** 0.5) for _ in range(5)]
        scores = [s * (1 + g + noise[0]), s * (1 + noise[1]), *(s * z for z in noise[2:])]
        weights = [float(mpmath.exp(x - max(scores))) for x in scores]
        shares.append(weights[0] / (weights[0] + weights[1]))
        others.append(sum(weights[2:]) / sum(weights) / 3)
    assert abs(sum(shares) / count - 0.5) < 0.03
    assert sum(others) / count < float(mpmath.exp(-s + 2 * alpha * s**2))
    between = sum(0.1 < share < 0.9 for share in shares) / count
    assert abs(between - float(mpmath.erf(mpmath.log(9) / (s * (1 + 8 * alpha) ** 0.5)))) < 0.03


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gaussian-keys", {"alpha": "0"}),
        ("gaussian-keys", {"eta": "1/2"}),
        ("gaussian-keys-long", {"s": "-1"}),
        ("two-heads", {"n": "1"}),
        ("orthogonal-tokens", {"B": "0"}),
        ("design-qkv", {"B": "-2"}),
    ],
)
def test_values_without_a_meaning_are_refused(name: str, values: dict[str, str]) -> None:
    with pytest.raises(InputError):
        _digits(name, **values)


# Two heads and tokens ------------------------------------------------------------------------------

_Vector = list[mpmath.mpf]


def _attend(query: _Vector, keys: list[_Vector], values: list[_Vector]) -> _Vector:
    weights = [mpmath.exp(mpmath.fdot(query, key)) for key in keys]
    total = mpmath.fsum(weights)
    return [mpmath.fdot(weights, column) / total for column in zip(*values, strict=True)]


def _unit(n: int, size: int = 4) -> _Vector:
    return [mpmath.mpf(int(n == i)) for i in range(size)]


def test_the_error_of_two_heads() -> None:
    with mpmath.workdps(40):
        n, s = 4, mpmath.mpf(3)
        keys = [_unit(i) for i in range(n)]
        values = [[mpmath.mpf(x) for x in row] for row in ([2, 1], [0, 5], [-1, 3], [4, 4])]
        heads = [_attend([s * x for x in keys[own]], keys, values) for own in (0, 1)]
        for c in range(2):
            error = (heads[0][c] + heads[1][c]) / 2 - (values[0][c] + values[1][c]) / 2
            rest = [mpmath.fsum(values[j][c] for j in range(n) if j != own) / (n - 1) for own in (0, 1)]
            wanted = (n - 1) / (mpmath.exp(s) + n - 1) * ((rest[0] - values[0][c]) + (rest[1] - values[1][c])) / 2
            assert mpmath.almosteq(error, wanted, _DIGITS, _DIGITS)


def test_the_second_head_does_not_see_a_long_key() -> None:
    with mpmath.workdps(40):
        values = [[mpmath.mpf(x)] for x in (1, 2, 3, 4)]
        query = [5 * x for x in _unit(1)]
        found = [_attend(query, [[g * x for x in _unit(0)], *map(_unit, (1, 2, 3))], values) for g in (1, 3, -2)]
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("size", [1, 3])
def test_tokens_as_their_own_keys(size: int) -> None:
    with mpmath.workdps(40):
        root = mpmath.sqrt(size)
        a, b, c, d = ([root * x for x in _unit(i)] for i in range(4))
        tokens = [[x + y for x, y in zip(d, b, strict=True)], a, [x + y for x, y in zip(c, b, strict=True)]]
        found = _attend(tokens[1], tokens, tokens)
        h = mpmath.exp(size)
        wanted = [(h * p + q + r + 2 * t) / (h + 2) for p, q, r, t in zip(a, c, d, b, strict=True)]
        assert all(mpmath.almosteq(x, y, _DIGITS, _DIGITS) for x, y in zip(found, wanted, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.fractions(-20, 20, max_denominator=20), st.integers(1, 6))
def test_an_added_part_does_not_turn_the_attention(t: Fraction, size: int) -> None:
    own, near, far = size * (1 + t * t), size * t, 0
    assert own - near >= Fraction(3, 4) * size
    assert own - far >= Fraction(3, 4) * size


@settings(max_examples=40, deadline=None)
@given(st.fractions(0, 1, max_denominator=30), st.fractions(0, 1, max_denominator=30))
def test_the_hull_stays_away(p: Fraction, q: Fraction) -> None:
    first, third = p * q, p * (1 - q)
    second = 1 - first - third
    assert first**2 + third**2 + second**2 + (first + third - 1) ** 2 >= Fraction(2, 5)


def test_the_hull_is_met() -> None:
    first = third = Fraction(2, 5)
    assert first**2 + third**2 + Fraction(1, 5) ** 2 + (first + third - 1) ** 2 == Fraction(2, 5)
    assert _digits("orthogonal-tokens", B="10") == [
        "0.999909208384340978181149560382",
        "2.00000000000000000000000000000",
    ]


@pytest.mark.parametrize("size", [2, 10])
def test_matrices_for_queries_keys_and_values(size: int) -> None:
    with mpmath.workdps(40):
        root = mpmath.sqrt(size)
        a, b, c, d = (mpmath.matrix(_unit(i)) * root for i in range(4))
        tokens = [d + b, a, c + b]
        V, Q = (b * b.T - c * c.T) / size, (d * a.T + c * d.T) / size
        outputs = [_attend(list(Q * x), [list(y) for y in tokens], [list(V * y) for y in tokens]) for x in tokens]
        misses = [mpmath.norm(mpmath.matrix(outputs[1]) - b), mpmath.norm(mpmath.matrix(outputs[0]) - (b - c))]
        for miss, digits in zip(misses, _digits("design-qkv", B=str(size)), strict=True):
            assert mpmath.almosteq(miss, mpmath.mpf(digits), _DIGITS)
        third = (2 * b - c) / 3
        assert mpmath.norm(mpmath.matrix(outputs[2]) - third) < _DIGITS
