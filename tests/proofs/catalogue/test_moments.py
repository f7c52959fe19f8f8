"""The theorems on moments: proved for many parameters, right by other means, and refused once something is changed."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb, prod
from typing import Any

import pytest

from symattn.errors import InputError
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import Proof, Step, proof_from_json
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.proof_replay import replay

_BY_NAME = {name: item for name, item in theorems().items() if item.group == "moments"}

_GIVEN: dict[str, tuple[dict[str, str], ...]] = {
    "dot-product-mean": (
        {},
        {"mu": "0"},
        {"mu": "-1/2", "D": "64"},
        {"case": "unequal"},
        {"case": "unequal", "mu_q": "0", "mu_k": "3"},
        {"case": "componentwise"},
        {"case": "componentwise", "D": "3"},
        {"assume": "uncorrelated"},
        {"assume": "uncorrelated", "case": "componentwise"},
    ),
    "dot-product-variance": (
        {},
        {"mu": "0", "sigma": "1"},
        {"mu": "0", "sigma": "1", "D": "64"},
        {"mu": "-1/2", "sigma": "3/2"},
        {"sigma": "0"},
        {"case": "unequal"},
        {"case": "unequal", "mu_q": "0", "sigma_k": "3", "D": "5"},
        {"case": "componentwise"},
        {"case": "covariance"},
        {"case": "covariance", "D": "3"},
        {"case": "joint"},
        {"case": "joint", "D": "2"},
    ),
    "dot-product-scaling": ({}, {"sigma": "1"}, {"sigma": "1", "D": "64"}, {"sigma": "3/2"}, {"D": "8"}),
    "dot-product-higher-moments": (
        {},
        {"mu_q": "0", "mu_k": "0"},
        {"sigma_q": "2", "mu_k": "-1/2", "D": "4"},
        {"case": "equal"},
        {"case": "equal", "mu": "1/2", "sigma": "2"},
        {"case": "standard"},
        {"case": "standard", "D": "3"},
        {"case": "rademacher"},
        {"case": "rademacher", "D": "3"},
    ),
    "dot-product-mgf": (
        {},
        {"mu_q": "0", "mu_k": "0", "sigma_q": "1", "sigma_k": "1"},
        {"mu_q": "0", "mu_k": "0", "sigma_q": "1", "sigma_k": "1", "D": "64", "order": "8"},
        {"D": "2", "mu_q": "2", "sigma_q": "3", "order": "2"},
        {"D": "5", "mu_q": "2", "mu_k": "3", "sigma_q": "3", "sigma_k": "2", "order": "1"},
        {"mu_k": "-1/2", "order": "3"},
    ),
    "dot-product-mgf-infinite": (
        {},
        {"mu_q": "0", "mu_k": "-1/3", "D": "1"},
        {"sigma_q": "1/2", "sigma_k": "3", "D": "64"},
    ),
    "dot-product-characteristic": (
        {},
        {"sigma_q": "1/2", "sigma_k": "3", "D": "5"},
        {"sigma_q": "1", "sigma_k": "1"},
        {"sigma_q": "1", "sigma_k": "1", "D": "1"},
        {"sigma_q": "1", "sigma_k": "1", "D": "2"},
        {"sigma_q": "1", "sigma_k": "1", "D": "7"},
    ),
    "dot-product-mgf-covariance": ({}, {"D": "1"}, {"D": "3"}),
    "score-covariance": ({}, {"mu": "0"}, {"sigma": "1"}, {"mu": "1", "sigma": "2", "D": "5"}),
    "tied-score": ({}, {"mu": "0", "sigma": "1"}, {"mu": "-1/3"}, {"sigma": "2", "D": "4"}),
    "saturation": ({}, {"D": "64"}),
    "weight-initialization": ({}, {"D": "64"}),
    "residual-variance": ({},),
    "score-tails": ({},),
    "largest-score": ({},),
}

_CITED = {
    "dot-product-mgf": {
        "cumulant-series",
        "gaussian-integral",
        "independent-exponentials",
        "normal-factor",
        "series-coefficient",
    },
    "score-tails": {
        "exponential-tail",
        "gaussian-integral",
        "independent-exponentials",
        "log-tangent",
        "normal-factor",
    },
    "residual-variance": {"log-tangent"},
    "largest-score": {"log-tangent", "monotone-mean", "normal-exponential"},
    "dot-product-mgf-infinite": {
        "gaussian-divergence",
        "independent-exponentials",
        "normal-factor",
        "unbounded-power",
    },
    "dot-product-characteristic": {"gaussian-integral", "independent-exponentials", "normal-oscillation"},
    "dot-product-mgf-covariance": {"gaussian-vector-integral", "normal-vector-factor", "positive-determinant"},
}
"""The lemmas that theorems rest on; all others rest on none."""

_ALL = [(name, given) for name, sets in _GIVEN.items() for given in sets]


def _built(name: str, given: Mapping[str, str] | None = None) -> Proof:
    theorem = _BY_NAME[name]
    return theorem.build(theorem.values(given or {}))


def _shown(case: tuple[str, dict[str, str]]) -> str:
    return " ".join((case[0], *(f"{key}={value}" for key, value in case[1].items())))


# Proved --------------------------------------------------------------------------------------------


@pytest.mark.sample(24)
@pytest.mark.parametrize("case", _ALL, ids=_shown)
def test_every_theorem_is_proved_from_its_record(case: tuple[str, dict[str, str]]) -> None:
    proof = proof_from_json(json.loads(json.dumps(_built(*case).as_json())))
    found = replay(proof)
    assert found.faults == ()
    assert found.is_proved
    cited = set(found.cites) - {"bessel-density", "bessel-half"}
    assert cited == _CITED.get(case[0], set())
    is_standard = case[0] == "dot-product-characteristic" and case[1].get("sigma_k") == "1"
    assert ("bessel-density" in found.cites) == is_standard


@pytest.mark.parametrize("case", _ALL, ids=_shown)
def test_every_formula_in_words_can_be_read(case: tuple[str, dict[str, str]]) -> None:
    proof = _built(*case)
    texts = [proof.statement, *(item.text for item in proof.scope.hypotheses)]
    texts += [step.words for step in proof.steps] + [claim.words for claim in proof.claims]
    for text in texts:
        for formula in re.findall(r"\$([^$]*)\$", text):
            read_text(formula, proof.scope)


@pytest.mark.parametrize("name", sorted(_GIVEN))
def test_every_hypothesis_is_used(name: str) -> None:
    for given in _GIVEN[name]:
        proof = _built(name, given)
        used = {item for step in proof.steps for item in step.hypotheses}
        assert used == {item.id for item in proof.scope.hypotheses}


def test_every_theorem_is_listed_once() -> None:
    assert sorted(_BY_NAME) == sorted(_GIVEN)


@pytest.mark.parametrize(
    ("name", "given", "conclusion"),
    [
        ("dot-product-mean", {}, ("E(q^T k) = D mu^2",)),
        ("dot-product-mean", {"case": "unequal"}, ("E(q^T k) = D mu_q mu_k",)),
        ("dot-product-mean", {"mu": "-1/2", "D": "64"}, ("E(q^T k) = 16",)),
        ("dot-product-variance", {}, ("Var(q^T k) = D (sigma^4 + 2 mu^2 sigma^2)",)),
        ("dot-product-variance", {"mu": "0", "sigma": "1"}, ("Var(q^T k) = D",)),
        ("dot-product-variance", {"mu": "0", "sigma": "1", "D": "64"}, ("Var(q^T k) = 64",)),
        (
            "dot-product-variance",
            {"case": "unequal"},
            ("Var(q^T k) = D (sigma_q^2 sigma_k^2 + mu_q^2 sigma_k^2 + mu_k^2 sigma_q^2)",),
        ),
        (
            "dot-product-variance",
            {"case": "componentwise"},
            ("E(q^T k) = m^T n", "Var(q^T k) = sum_{i=1}^{D} (s_i^2 t_i^2 + m_i^2 t_i^2 + n_i^2 s_i^2)"),
        ),
        (
            "dot-product-scaling",
            {"sigma": "1"},
            (
                "E((q^T k)/s) = (D mu^2)/s",
                "E((q^T k)/s) = 0",
                "Var((q^T k)/s) = (D)/s^2",
                "Var((q^T k)/s) = 1 ⇔ s = sqrt(D)",
                "Var((q^T k)/(-s)) = Var((q^T k)/s)",
                "E((q^T k)/s) = 0 ⇔ mu^2 = 0",
            ),
        ),
        (
            "dot-product-higher-moments",
            {"case": "standard"},
            (
                "E((q^T k)^2) = D",
                "E((q^T k)^3) = 0",
                "E((q^T k)^4) = 3 D^2 + 6 D",
                "E((q^T k)^4)/E((q^T k)^2)^2 - 3 = 6/D",
                "E((q^T k)^6) = 15 D (D + 2) (D + 4)",
            ),
        ),
        (
            "dot-product-higher-moments",
            {"case": "rademacher"},
            (
                "E(q^T k) = 0",
                "Var(q^T k) = D",
                "E((q^T k)^4) = 3 D^2 - 2 D",
                "E((q^T k)^4) - 3 Var(q^T k)^2 = -2 D",
            ),
        ),
        (
            "tied-score",
            {},
            (
                "E(x^T x) = D (mu^2 + sigma^2)",
                "Var(x^T x) = D (2 sigma^4 + 4 mu^2 sigma^2)",
                "E((A y)^T (B z)) = 0",
                "Var((A y)^T (B z)) = (D (y^T y) (z^T z))/d^2",
            ),
        ),
    ],
)
def test_conclusions(name: str, given: dict[str, str], conclusion: tuple[str, ...]) -> None:
    assert _built(name, given).conclusion == conclusion


# Right by other means --------------------------------------------------------------------------------


def _value(text: str, names: Mapping[str, Fraction]) -> Fraction:
    """A formula in numbers, by a small reader of its own: sums, products, powers with whole exponents."""
    tokens = re.findall(r"[A-Za-z]\w*|\d+|[-+*/^()]", text)

    def total(at: int) -> tuple[Fraction, int]:
        sign = -1 if tokens[at] == "-" else 1
        value, at = product(at + (sign < 0))
        value *= sign
        while at < len(tokens) and tokens[at] in "+-":
            operator = tokens[at]
            term, at = product(at + 1)
            value += term if operator == "+" else -term
        return value, at

    def product(at: int) -> tuple[Fraction, int]:
        value, at = power(at)
        while at < len(tokens) and tokens[at] not in {"+", "-", ")"}:
            operator = tokens[at] if tokens[at] in "*/" else ""
            factor, at = power(at + bool(operator))
            value = value / factor if operator == "/" else value * factor
        return value, at

    def power(at: int) -> tuple[Fraction, int]:
        if tokens[at] == "(":
            value, at = total(at + 1)
            at += 1
        else:
            value = Fraction(tokens[at]) if tokens[at].isdigit() else names[tokens[at]]
            at += 1
        if at < len(tokens) and tokens[at] == "^":
            return value ** int(tokens[at + 1]), at + 2
        return value, at

    return total(0)[0]


def _normal(order: int, mean: Fraction, spread: Fraction) -> Fraction:
    """A moment of a normal variable from those of a standard one, which are double factorials."""
    return sum(
        (
            comb(order, j) * mean ** (order - j) * spread**j * prod(range(1, j, 2), start=Fraction(1))
            for j in range(0, order + 1, 2)
        ),
        Fraction(0),
    )


def _score_moment(
    order: int, length: int, first: Callable[[int], Fraction], second: Callable[[int], Fraction]
) -> Fraction:
    """``E(S^n)`` of a sum of independent products, by the multinomial theorem."""
    found = Fraction(0)
    for parts in itertools.product(range(order + 1), repeat=length):
        if sum(parts) != order:
            continue
        count, left = 1, order
        for part in parts:
            count *= comb(left, part)
            left -= part
        found += count * prod((first(part) * second(part) for part in parts), start=Fraction(1))
    return found


_POINTS = [
    {"mu_q": Fraction(a), "mu_k": Fraction(b), "sigma_q": Fraction(c), "sigma_k": Fraction(d)}
    for a, b, c, d in (("0", "0", "1", "1"), ("1/2", "-3", "2", "1/3"), ("2", "5/7", "1", "3"))
]


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("point", _POINTS)
def test_cumulants_of_normal_scores(point: dict[str, Fraction], length: int) -> None:
    def moment(order: int) -> Fraction:
        return _score_moment(
            order,
            length,
            lambda n: _normal(n, point["mu_q"], point["sigma_q"]),
            lambda n: _normal(n, point["mu_k"], point["sigma_k"]),
        )

    one, two, three, four = (moment(n) for n in range(1, 5))
    central = four - 4 * three * one + 6 * two * one**2 - 3 * one**4
    v = (point["sigma_q"] * point["sigma_k"]) ** 2
    w = (point["mu_q"] * point["sigma_k"]) ** 2 + (point["mu_k"] * point["sigma_q"]) ** 2
    names = {"D": Fraction(length), "m": point["mu_q"] * point["mu_k"], "v": v, "w": w}
    claims = [claim.right for claim in _built("dot-product-higher-moments").claims]
    found = [_value(text, names) for text in claims[:5]]
    variance = two - one**2
    assert found == [one, variance, three - 3 * two * one + 2 * one**3, central, central - 3 * variance**2]
    cumulants = dict(zip(("c_1", "c_2", "c_3", "c_4"), (one, variance, found[2], found[4]), strict=True))
    assert [_value(text, cumulants) for text in claims[5:]] == [three, four]
    derivatives = [claim.right for claim in _built("dot-product-mgf").claims][-4:]
    assert [_value(text, names) for text in derivatives] == [one, variance, found[2], found[4]]


def test_fifth_and_sixth_cumulants_from_moments() -> None:
    """By the recursion of moments and cumulants, for D = 2."""
    point = _POINTS[1]
    moments = [
        _score_moment(
            order,
            2,
            lambda n: _normal(n, point["mu_q"], point["sigma_q"]),
            lambda n: _normal(n, point["mu_k"], point["sigma_k"]),
        )
        for order in range(7)
    ]
    cumulants: list[Fraction] = [Fraction(0)]
    for n in range(1, 7):
        known = sum((comb(n - 1, j - 1) * cumulants[j] * moments[n - j] for j in range(1, n)), Fraction(0))
        cumulants.append(moments[n] - known)
    v = (point["sigma_q"] * point["sigma_k"]) ** 2
    w = (point["mu_q"] * point["sigma_k"]) ** 2 + (point["mu_k"] * point["sigma_q"]) ** 2
    names = {"D": Fraction(2), "m": point["mu_q"] * point["mu_k"], "v": v, "w": w}
    claims = [claim.right for claim in _built("dot-product-mgf", {"order": "6"}).claims][-6:]
    assert [_value(text, names) for text in claims] == cumulants[1:]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_moments_of_standard_and_of_random_signs(length: int) -> None:
    def entry(order: int) -> Fraction:
        return _normal(order, Fraction(0), Fraction(1))

    def standard(order: int) -> Fraction:
        return _score_moment(order, length, entry, entry)

    names = {"D": Fraction(length)}
    claims = [claim.right for claim in _built("dot-product-higher-moments", {"case": "standard"}).claims]
    expected = [standard(2), standard(3), standard(4), standard(4) / standard(2) ** 2 - 3, standard(6)]
    assert [_value(text, names) for text in claims] == expected
    signs = list(itertools.product((1, -1), repeat=length))
    scores = [sum(a * b for a, b in zip(q, k, strict=True)) for q in signs for k in signs]
    mean, square, fourth = (Fraction(sum(score**n for score in scores), len(scores)) for n in (1, 2, 4))
    claims = [claim.right for claim in _built("dot-product-higher-moments", {"case": "rademacher"}).claims]
    assert [_value(text, names) for text in claims] == [mean, square - mean**2, fourth, fourth - 3 * square**2]


def _outcomes(mean: Fraction, spread: Fraction, length: int) -> list[tuple[Fraction, ...]]:
    """Vectors of independent entries, each at its mean plus or minus its standard deviation, of one probability."""
    return list(itertools.product((mean - spread, mean + spread), repeat=length))


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("point", _POINTS)
def test_means_variances_and_covariances_by_enumeration(point: dict[str, Fraction], length: int) -> None:
    q = _outcomes(point["mu_q"], point["sigma_q"], length)
    k = _outcomes(point["mu_k"], point["sigma_k"], length)
    scores = [sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)) for x in q for y in k]
    mean = sum(scores, Fraction(0)) / len(scores)
    variance = sum(((s - mean) ** 2 for s in scores), Fraction(0)) / len(scores)
    names = {**point, "D": Fraction(length)}
    assert _value(_built("dot-product-mean", {"case": "unequal"}).claims[0].right, names) == mean
    assert _value(_built("dot-product-variance", {"case": "unequal"}).claims[0].right, names) == variance
    rows = [
        tuple(sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)) for y in (y1, y2))
        for x in q
        for y1 in q
        for y2 in q
    ]
    one, two, both = (sum((f(r) for r in rows), Fraction(0)) / len(rows) for f in (_first, _second, _both))
    gaps = [first - second for first, second in rows]
    claims = [claim.right for claim in _built("score-covariance").claims]
    equal = {"mu": point["mu_q"], "sigma": point["sigma_q"], "D": Fraction(length)}
    assert _value(claims[0], equal) == both - one * two
    assert _value(claims[2], equal) == sum((gap**2 for gap in gaps), Fraction(0)) / len(gaps)


def _first(row: tuple[Fraction, ...]) -> Fraction:
    return row[0]


def _second(row: tuple[Fraction, ...]) -> Fraction:
    return row[1]


def _both(row: tuple[Fraction, ...]) -> Fraction:
    return row[0] * row[1]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_tied_scores_and_squares_of_scores_of_a_row(length: int) -> None:
    mean, spread = Fraction(1, 2), Fraction(3)

    def square(order: int) -> Fraction:
        return _normal(2 * order, mean, spread)

    first, second = (_score_moment(n, length, square, lambda _: Fraction(1)) for n in (1, 2))
    names = {"mu": mean, "sigma": spread, "D": Fraction(length)}
    claims = [claim.right for claim in _built("tied-score").claims]
    assert [_value(text, names) for text in claims[:2]] == [first, second - first**2]
    # Given q both scores are normal with variance q.q, so the covariance of their squares is the variance of q.q.
    one, two = (
        _score_moment(n, length, lambda j: _normal(2 * j, Fraction(0), spread), lambda _: Fraction(1)) for n in (1, 2)
    )
    squares = _built("score-covariance").claims[-1].right
    assert _value(squares, names) == spread**4 * (two - one**2)


def test_covariance_matrices_by_enumeration() -> None:
    """q = m + L u and k = n + M u' with random signs: covariances L L^T and M M^T, and no independent components."""
    m, n = (Fraction(1), Fraction(-2)), (Fraction(3), Fraction(1, 2))
    left, right = ((1, 2), (0, 3)), ((2, -1), (1, 1))
    signs = list(itertools.product((1, -1), repeat=2))

    def moved(mean: tuple[Fraction, ...], root: tuple[tuple[int, int], ...], u: tuple[int, ...]) -> list[Fraction]:
        return [a + sum(x * y for x, y in zip(row, u, strict=True)) for a, row in zip(mean, root, strict=True)]

    scores = [
        sum((a * b for a, b in zip(moved(m, left, u), moved(n, right, w), strict=True)), Fraction(0))
        for u in signs
        for w in signs
    ]
    mean = sum(scores, Fraction(0)) / len(scores)
    variance = sum(((score - mean) ** 2 for score in scores), Fraction(0)) / len(scores)
    s, t = ([[sum(a * b for a, b in zip(x, y, strict=True)) for y in root] for x in root] for root in (left, right))
    pairs = list(itertools.product(range(2), repeat=2))
    trace = sum((Fraction(s[i][j] * t[i][j]) for i, j in pairs), Fraction(0))
    forms = sum((m[i] * t[i][j] * m[j] + n[i] * s[i][j] * n[j] for i, j in pairs), Fraction(0))
    assert variance == trace + forms
    right_side = _built("dot-product-variance", {"case": "covariance"}).claims[1].right
    assert right_side == ("sum_{i=1}^{D} sum_{j=1}^{D} (S_q)_{i j} (S_k)_{i j} + m^T S_k m + n^T S_q n")


# Refused -------------------------------------------------------------------------------------------


def _judged(proof: Proof, step: Step) -> bool:
    """Whether a step is proved, with the premises that it names in their old form."""
    before = [other for other in proof.steps if other.id in _premises(proof, step)]
    alone = replace(proof, steps=(*before, step), claims=())
    return replay(alone).steps[-1].proved


def _premises(proof: Proof, step: Step) -> set[str]:
    found: set[str] = set()
    todo = list(step.premises)
    by_id = {item.id: item for item in proof.steps}
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(by_id[name].premises)
    return found


_IN_LETTERS = [case for case in _ALL if set(case[1]) <= {"case", "assume"} and case[1].get("case") != "standard"]
"""Numbers may make a hypothesis needless. The sixth moment is slow to fail."""


@pytest.mark.sample(8)
@pytest.mark.parametrize("case", _IN_LETTERS, ids=_shown)
def test_a_step_without_one_of_its_hypotheses_is_refused(case: tuple[str, dict[str, str]]) -> None:
    proof = _built(*case)
    for step in proof.steps:
        for name in step.hypotheses:
            fewer = replace(step, hypotheses=tuple(item for item in step.hypotheses if item != name))
            assert not _judged(proof, fewer), (step.id, step.after, name)


def _changed(text: str) -> Iterator[str]:
    """A number, a sign or an index changed; names with an index and what a sum is bounded by are left alone."""
    for found in re.finditer(r"(?<![_\w{])\d+(?![}\w])", text):
        yield text[: found.start()] + str(int(found[0]) + 1) + text[found.end() :]
    for found in re.finditer(r"\^(\d)", text):
        yield f"{text[: found.start()]}^{int(found[1]) + 1}{text[found.end() :]}"
    for found in re.finditer(r" ([+-]) ", text):
        other = "-" if found[1] == "+" else "+"
        yield f"{text[: found.start()]} {other} {text[found.end() :]}"


@pytest.mark.sample(10)
@pytest.mark.parametrize(
    "case", [case for case in _IN_LETTERS if case[1].get("case") not in {"equal", "joint"}], ids=_shown
)
def test_a_step_with_another_number_or_sign_is_refused(case: tuple[str, dict[str, str]]) -> None:
    proof = _built(*case)
    for step in proof.steps:
        # Every change has its turn, but not at every step: the first and the last few of a long formula.
        texts = list(_changed(step.after))
        for text in {*texts[:2], *texts[-2:]}:
            assert not _judged(proof, replace(step, after=text)), (step.id, text)
        if step.relation == "=":
            assert not _judged(proof, replace(step, relation="<")), step.id
            assert not _judged(proof, replace(step, relation=">")), step.id


def test_a_claim_that_its_steps_do_not_lead_to_is_refused() -> None:
    proof = _built("dot-product-variance")
    (claim,) = proof.claims
    others = (replace(claim, right="D sigma^4"), replace(claim, relation="<"), replace(claim, steps=claim.steps[1:]))
    for other in others:
        assert not replay(replace(proof, claims=(other,))).is_proved


# False variants and numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", _BY_NAME.values(), ids=lambda theorem: theorem.name)
def test_every_false_variant_is_refuted(theorem: Theorem) -> None:
    scope = theorem.build(theorem.values({})).scope
    assert theorem.falsehoods
    for falsehood in theorem.falsehoods:
        assert refuted(falsehood, scope) is not None, falsehood.says
    for _, falsehood in theorem.without:
        found = refuted(falsehood, scope)
        assert found is not None
        assert found.broken


@pytest.mark.parametrize(
    ("name", "given", "digits"),
    [
        ("dot-product-variance", {}, ["0", "1", "64"]),
        ("dot-product-variance", {"mu": "1/2", "sigma": "2", "D": "3"}, ["3/4", "18", "54"]),
        ("dot-product-scaling", {}, ["64", "8", "1"]),
        ("dot-product-scaling", {"D": "2"}, ["2", "1.41421356237309504880168872421", "1"]),
        ("dot-product-higher-moments", {}, ["64", "0", "384", "12672"]),
        ("score-covariance", {"mu": "1", "D": "2"}, ["2", "8"]),
        ("tied-score", {}, ["64", "128"]),
    ],
)
def test_instances(name: str, given: dict[str, str], digits: list[str]) -> None:
    theorem = _BY_NAME[name]
    assert theorem.instance is not None
    assert [line.digits for line in theorem.instance(theorem.values(given))] == digits


def test_probabilities_of_saturation() -> None:
    """E erfc(L/(2 |q|)) over a chi-squared law with 64 degrees of freedom: by quadrature with mpmath."""
    mpmath = pytest.importorskip("mpmath")
    theorem = _BY_NAME["saturation"]
    assert theorem.instance is not None
    lines = theorem.instance(theorem.values({}))
    with mpmath.workdps(30):
        level = mpmath.log(99)
        for line, scale in zip(lines, (1, 8), strict=True):

            def density(r: Any, scale: int = scale) -> Any:
                weight = r**31 * mpmath.exp(-r / 2) / (mpmath.mpf(2) ** 32 * mpmath.gamma(32))
                return weight * mpmath.erfc(scale * level / (2 * mpmath.sqrt(r)))

            value = mpmath.quad(density, [0, 20, 40, 60, 80, 120, 200, 400])
            assert abs(value - mpmath.mpf(line.digits)) < mpmath.mpf(10) ** -15
    assert [line.digits[:14] for line in lines] == ["0.681285545885", "0.001542686127"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("dot-product-variance", {"sigma": "-1"}),
        ("dot-product-variance", {"mu": "1", "case": "unequal"}),
        ("dot-product-variance", {"mu_q": "1"}),
        ("dot-product-variance", {"sigma": "1", "case": "joint"}),
        ("dot-product-mean", {"mu": "1", "case": "componentwise"}),
        ("dot-product-scaling", {"sigma": "0"}),
        ("dot-product-mgf", {"sigma_q": "0"}),
        ("dot-product-mgf-infinite", {"sigma_q": "0"}),
        ("dot-product-characteristic", {"D": "65"}),
        ("dot-product-mgf", {"order": "9"}),
    ],
)
def test_what_has_no_place_is_refused_with_a_reason(name: str, given: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        _built(name, given)


@pytest.mark.parametrize("level", ["0", "1", "3/2"])
def test_a_level_is_a_weight(level: str) -> None:
    theorem = _BY_NAME["saturation"]
    assert theorem.instance is not None
    with pytest.raises(InputError, match="between 0 and 1"):
        theorem.instance(theorem.values({"level": level}))
