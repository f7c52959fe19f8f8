"""One query for two keys, one of them of random length: the output jumps between two values."""

from __future__ import annotations

from fractions import Fraction

from symattn.exact.laws.gaussian_scores import (
    is_bimodal,
    logit_normal_modes,
    logit_normal_variance,
)
from symattn.exact.reals.certified_digits import Real, erf, pi, sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, note, number
from symattn.proofs.catalogue.constructions.random_keys import (
    ONE,
    PARAMETERS,
    QUERY,
    RATIO,
    SHARE_OF_A,
    SOURCE,
    Keys,
    declare_scores,
    digits_line,
    distance,
    keys,
    nearness_line,
    positive_value,
    prove_nearness,
    prove_others,
    prove_share,
    times_root,
)
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope


def _long(values: Values) -> Proof:
    b = Builder(
        "gaussian-keys-long",
        "One query for two keys, one of them of random length",
        "Let the keys $k_j = mu_j + z_j$ be independent and normal with orthonormal means and covariance $alpha I$, "
        "except for $k_a = (1 + g) mu_a + z_a$ with $g$ normal of mean $0$ and variance $1/2$, so that its covariance "
        "is $alpha I + (1/2) mu_a mu_a^T$ and its component along its mean, $mu_a^T k_a$, is normal with mean $1$ and "
        "variance $1/2 + alpha$. With $q = s (mu_a + mu_b)$ the score $L_a$ is normal with mean $s$ and variance "
        "$s^2 (1/2 + 2 alpha)$, $L_b$ with mean $s$ and variance $2 alpha s^2$, and $d = L_a - L_b$ with mean $0$ and "
        "variance $s^2 (1/2 + 4 alpha)$. The share $w = p_a/(p_a + p_b)$ is the logistic function of $d$: it is at "
        "most $x$ with probability $Phi(ln(x/(1 - x))/(s sqrt(1/2 + 4 alpha)))$, so its law is logit-normal; its mean "
        f"is $1/2$, it is within $eta$ of $1/2$ with probability $erf(ln({RATIO})/(s sqrt(1 + 8 alpha)))$, which for "
        "$alpha = 0$ and $eta = 2/5$ is $erf(ln(9)/s)$, and $1/4 - Var(w)$ lies between $(1 - pi^2/(6 V))/sqrt(2 pi "
        "V)$ and $1/sqrt(2 pi V)$ for the variance $V$ of $d$. Its density has two "
        "peaks if and only if the variance of $d$ exceeds $2$, for $alpha = 0$ if $s > 2$. Any other key has a weight "
        "of mean at most $exp(-s + 2 alpha s^2)$, whatever $g$ is. So for large $s$ and small $alpha s^2$ the output "
        "$v_b + w (v_a - v_b)$, but for what the other keys add, jumps between $v_a$ and $v_b$: its mean is the "
        "average, hardly any sample is, and its covariance goes to $(1/4) (v_a - v_b) (v_a - v_b)^T$. The component "
        "$mu_a^T k_a$ is negative with probability $(1 - erf(1))/2$ for $alpha = 0$.",
        SOURCE,
    )
    note(b, values)
    found = keys(b, QUERY, is_long=True)
    declare_scores(b)
    b.number("x", "positive")
    _long_key(b, found)
    _long_scores(b, found)
    half = prove_share(b, found)
    below = b.assume("positive", "", "$0 < x < 1$", "1 - x")
    chain = b.chain("cdf(w, x)")
    chain.then("=", "cdf(d, ln(x/(1 - x)))", "lemma:logistic-event", below, words="the logistic function increases")
    chain.then(
        "=",
        "Phi(ln(x/(1 - x))/(s sqrt(1/2 + 4 alpha)))",
        "lemma:normal-linear-image",
        below,
        found.dots,
        *found.laws,
    )
    chain.claim("the law of the share: logit-normal")
    _density(b, below)
    prove_nearness(b, found, "s sqrt(1 + 8 alpha)")
    chain = b.chain("lim(alpha, 0, erf(ln(9)/(s sqrt(1 + 8 alpha))))")
    chain.then("=", "erf(ln(9)/s)", "limit", words="$eta = 2/5$: the ratio is $9$")
    chain.claim("the probability of a share between $1/10$ and $9/10$ without small noise")
    _wide(b, found, half)
    _peaks(b)
    prove_others(b, found)
    _sample(b)
    return b.proof()


def _density(b: Builder, below: str) -> None:
    """Prove the derivative of the law of the share, with S for the standard deviation of d."""
    b.number("S", "positive")
    score = "ln(x/(1 - x))"
    chain = b.chain(f"diff(Phi({score}/S), x)")
    chain.then(
        "=",
        f"(exp(-({score}/S)^2/2) diff({score}/S, x))/sqrt(2 pi)",
        "lemma:normal-density",
        below,
        words="the density is the derivative of the law; $S$ stands for the standard deviation of $d$",
    )
    chain.then(
        "=",
        f"exp(-{score}^2/(2 S^2))/(S sqrt(2 pi) x (1 - x))",
        "differentiation",
        below,
        words="the logarithm has the derivative $1/(x (1 - x))$",
    )
    chain.claim("the density of the share")


def _long_key(b: Builder, found: Keys) -> None:
    chain = b.chain("Cov(k_{ar}, k_{at})")
    chain.then(
        "=", "alpha delta_{rt} + (1/2) mu_{ar} mu_{at}", "expectation", *found.laws, words="$g$ and $z$ are independent"
    )
    chain.claim("the covariance of the long key")
    chain = b.chain("mu_a^T k_a").then("=", "1 + g + mu_a^T z_a", "substitution", found.dots)
    chain.claim("its component along its mean")
    chain = b.chain("cdf(mu_a^T k_a, 0)")
    chain.then("=", "Phi(-1/sqrt(1/2 + alpha))", "lemma:normal-linear-image", found.dots, *found.laws)
    low = chain.then(
        "=",
        "(1 - erf(1/sqrt(1 + 2 alpha)))/2",
        "lemma:normal-and-error-function",
    )
    low.claim("the probability that this component is negative")
    chain = b.chain("lim(alpha, 0, (1 - erf(1/sqrt(1 + 2 alpha)))/2)").then("=", "(1 - erf(1))/2", "limit")
    chain.claim("without small noise")


def _long_scores(b: Builder, found: Keys) -> None:
    for index, variance, spread in (
        ("a", "s^2 (1/2 + 2 alpha)", "s sqrt(1/2 + 2 alpha)"),
        ("b", "2 alpha s^2", ""),
    ):
        own_laws = found.laws if index == "a" else found.noise
        own_means = found.means if index == "a" else found.noise[1:]
        chain = b.chain(f"E(L_{index})")
        chain.then("=", f"q^T mu_{index}", "moments", *own_means, words="what is random has mean 0")
        chain.then("=", "s", "substitution", found.dots).claim("the mean of a score")
        chain = b.chain(f"Var(L_{index})")
        own = "alpha q^T q + (1/2) (q^T mu_a)^2" if index == "a" else "alpha q^T q"
        chain.then("=", own, "expectation", *own_laws, words="$q^T Sigma q$ with the covariance of the key")
        chain.then("=", variance, "substitution", found.dots).claim("its variance")
        if spread:
            chain = b.chain(f"cdf(L_{index}, x)")
            chain.then("=", f"Phi((x - s)/({spread}))", "lemma:normal-linear-image", found.dots, *found.laws)
            chain.claim("its law")
    chain = b.chain("d")
    chain.then("=", "s g + q^T z_a - q^T z_b", "substitution", found.dots).claim("the difference of the two scores")
    chain = b.chain("Var(d)")
    chain.then("=", "2 alpha q^T q + (1/2) (q^T mu_a)^2", "expectation", *found.laws)
    chain.then("=", "s^2 (1/2 + 4 alpha)", "substitution", found.dots).claim("its variance")


def _wide(b: Builder, found: Keys, half: str) -> None:
    """Prove that the variance of the share is nearly the largest there is."""
    variance = "s^2 (1/2 + 4 alpha)"
    root = f"sqrt(2 pi {variance})"
    for relation, bound, words in (
        ("≤", f"1/{root}", "the normal density is at most this, and the integral of $w (1 - w)$ over $d$ is $1$"),
        ("≥", f"(1 - pi^2/(6 {variance}))/{root}", "the density is at least this times $1 - d^2/2$ over its variance"),
    ):
        chain = b.chain("1/4 - Var(w)")
        chain.then("=", "1/4 - E(w^2) + E(w)^2", "definition of variance")
        chain.then("=", "E(w (1 - w)) + (E(w) - 1/2)^2", "linearity of expectation")
        chain.then("=", "E(w (1 - w))", "earlier result", premises=(half,), words="$E(w) = 1/2$")
        chain.then(relation, bound, "lemma:logistic-slope-mean", found.dots, *found.laws, score="d", words=words)
        chain.claim("the variance of the share goes to $1/4$ as $s$ grows, and no faster than this")


def _peaks(b: Builder) -> None:
    """Prove the logarithm of the density of w as a function of y = ln(w/(1 - w)), with the variance V of d."""
    b.number("y", "positive")
    b.number("V", "positive")
    density = "-y^2/(2 V) + y + 2 ln(1 + exp(-y))"
    slope = "tanh(y/2) - y/V"
    chain = b.chain(f"diff({density}, y)")
    chain.then("=", "1 - 2 exp(-y)/(1 + exp(-y)) - y/V", "differentiation")
    chain.then(
        "=",
        slope,
        "hyperbolic tangent",
        words="the logarithm of $exp(-y^2/(2 V))/(w (1 - w))$ with $w = 1/(1 + exp(-y))$, but for a constant",
    )
    chain.claim("the slope of the logarithm of the density, with $V$ for the variance of $d$; it is odd in $y$")
    small = b.assume("at-most", "V", "for one peak: $V <= 2$", "V", "2")
    large = b.assume("positive", "", "for two peaks: $V > 2$", "V - 2")
    far = b.assume("at-most", "y V", "far out: $V <= y$", "V", "y")
    below = b.chain("tanh(y/2)").then("<", "y/2", "lemma:tanh-below")
    chain = b.chain(slope)
    chain.then("<", "y/2 - y/V", "evident sign", premises=(below.last,), difference="y/2 - tanh(y/2)")
    chain.then("≤", "0", "evident sign", small, difference="y (2 - V)/(2 V)")
    chain.claim("for $V <= 2$ the density falls all the way from the middle: one peak")
    chain = b.chain("lim(y, 0, diff(1 - 2 exp(-y)/(1 + exp(-y)) - y/V, y))")
    chain.then("=", "1/2 - 1/V", "limit").then(">", "0", "evident sign", large, difference="-(V - 2)/(2 V)")
    chain.claim("for $V > 2$ the slope becomes positive from the middle on: no peak there")
    chain = b.chain(slope)
    chain.then("=", "-2 exp(-y)/(1 + exp(-y)) - (y - V)/V", "hyperbolic tangent")
    chain.then("<", "0", "evident sign", far, difference="2 exp(-y)/(1 + exp(-y)) + (y - V)/V")
    chain.claim("far out the density falls")
    chain = b.chain("diff(diff(1 - 2 exp(-y)/(1 + exp(-y)) - y/V, y), y)")
    bend = "2 exp(-y) (1 - exp(-y))/(1 + exp(-y))^3"
    chain.then("=", f"-{bend}", "differentiation")
    smaller = b.chain("exp(-y)").then("<", "exp(0)", "growth of exp")
    chain.then("<", "0", "evident sign", premises=(smaller.last,), difference=bend)
    chain.claim("the slope is concave, so it is zero once at most: one peak on each side, the density being even")


def _sample(b: Builder) -> None:
    """Prove the law of the output, the other keys left out."""
    b.matrix("v", "n", "D")
    b.define("o", "v_{bc} + w (v_{ac} - v_{bc})", "c", "D")
    chain = b.chain("sum_{j=1}^{n} p_j v_j")
    rest = "sum_{j=1}^{n} (1 - delta_{ja} - delta_{jb}) p_j (v_j - o)"
    chain.then("=", f"o + {rest}", "algebra", words="the weights add up to one, and $w$ is the share of $a$")
    chain.claim("the whole output: what the other keys add is their weights times distances between values")
    chain = b.chain("Cov(o_r, o_t)")
    chain.then("=", "Var(w) (v_{ar} - v_{br}) (v_{at} - v_{bt})", "scaling of variance", words="linear in $w$")
    chain.claim("its covariance, with a variance of $w$ that goes to $1/4$")


_TWO = Scope((Declared("s"), Declared("g"), Declared("v_a"), Declared("v_b")))
_MEANS = Scope(
    (Declared("n", (), "positive"), Declared("D", (), "positive"), Declared("mu", ("D",)), Declared("x", ("D",)))
)
_LONGER = Falsehood(
    "a long key makes the output long: c repeats the large perturbations of the keys",
    f"({SHARE_OF_A}) v_a + (1 - {SHARE_OF_A}) v_b",
    ">",
    "v_a",
    CounterExample(scalars=(("s", "10"), ("g", "2"), ("v_a", "1"), ("v_b", "0"))),
    "c stays in the hull of the values: a long key brings it to v_a, a short one to v_b",
    _TWO,
)
_TYPICAL = Falsehood(
    "the mean share is 1/2, so a sample has a share between 1/10 and 9/10",
    SHARE_OF_A,
    "≤",
    "9/10",
    CounterExample(scalars=(("s", "10"), ("g", "1/2"))),
    "for large s nearly every sample has a share near 0 or near 1; only their mean is 1/2",
    ONE,
)
_EVERYWHERE = Falsehood(
    "the covariance of the long key is larger than that of the others in every direction",
    "(mu^T x)^2/2",
    ">",
    "0",
    CounterExample(sizes=(("D", 2),), entries=(("mu", (("1", "0"),)), ("x", (("0", "1"),)))),
    "it is larger along its mean alone, and equal at right angles to it",
    _MEANS,
)
_SCALES = (1, 2, 5, 10, 20, 50, 100)


def _expansion(variance: Real, where: str) -> Line:
    """Return the upper bound of 1/4 - Var(w) in terms of the variance, its expansion for large s."""
    value = Fraction(1, 4) - (1 - pi() * pi() / (6 * variance)) / sqrt(2 * pi() * variance)
    return digits_line(
        f"its upper bound $1/4 - (1 - pi^2/(6 V))/sqrt(2 pi V)$ {where}, $V$ the variance of $d$", "", value
    )


def _long_lines(values: Values) -> tuple[Line, ...]:
    alpha, eta = positive_value(values, "alpha", "0", zero=True), distance(values)
    scales = _SCALES if number(values["s"]) is None else (positive_value(values, "s", "1"),)
    lines = []
    for s in scales:
        where = f"for $s = {s}$ and $alpha = {alpha}$"
        spread = s * sqrt(Fraction(1, 2) + 4 * alpha)
        lines.append(digits_line(f"the variance of the share {where}", "", logit_normal_variance(spread)))
        lines.append(nearness_line(eta, spread, times_root(s, 1 + 8 * alpha), where))
        modes = logit_normal_modes(spread)
        if is_bimodal(spread) and modes is not None:
            lines.append(digits_line(f"the lower of the two peaks of its density {where}", "", modes[0]))
            lines.append(_expansion(spread * spread, where))
    root = 1 / sqrt(1 + 2 * alpha)
    exact = f"(1 - erf(1/sqrt({1 + 2 * alpha})))/2" if alpha else "(1 - erf(1))/2"
    lines.append(
        digits_line(f"the probability that $mu_a^T k_a < 0$ for $alpha = {alpha}$", exact, (1 - erf(root)) / 2)
    )
    return tuple(lines)


THEOREMS = (
    Theorem(
        "gaussian-keys-long",
        "constructions",
        "with one key of random length the output jumps between the two values",
        _long,
        PARAMETERS,
        falsehoods=(_LONGER, _TYPICAL, _EVERYWHERE),
        instance=_long_lines,
    ),
)
"""The theorem on a key of random length."""
