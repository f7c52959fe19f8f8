"""One query for two keys that are random: what the weights of the two do, with short keys and with one long key."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

from symattn.errors import InputError
from symattn.exact.laws.gaussian_scores import (
    is_bimodal,
    logit_normal_between,
    logit_normal_modes,
    logit_normal_variance,
)
from symattn.exact.reals.certified_digits import Real, RealLike, erf, exp, figures, pi, sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, note, number
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope
from symattn.records import dataclass

_SOURCE = "Stanford CS224N 2021, assignment 5, question 1 (c); Johnson 1949 for the law of the share"
_DIGITS = 30


@dataclass(frozen=True, slots=True)
class Keys:
    """The ids of the hypotheses on random keys.

    Attributes:
        dots: the means are orthonormal.
        noise: the small noise has independent entries, and its law.
        length: the random length is independent of it, and its law; nothing for short keys.
        apart: i is neither a nor b.
    """

    dots: str
    noise: tuple[str, str]
    length: tuple[str, ...]
    apart: str

    @property
    def laws(self) -> tuple[str, ...]:
        """All hypotheses on independence and laws."""
        return (*self.noise, *self.length)

    @property
    def means(self) -> tuple[str, ...]:
        """The laws alone: enough for means."""
        return (self.noise[1], *self.length[1:])


def keys(b: Builder, query: str, *, is_long: bool) -> Keys:
    """Declare random keys around orthonormal means, and a query with the entries `query`."""
    for size in ("n", "D", "s"):
        b.number(size, "positive")
    b.number("alpha", "nonnegative" if is_long else "positive")
    b.fixed("a", "b")
    b.matrix("mu", "n", "D")
    b.matrix("z", "n", "D", random=True)
    if is_long:
        b.number("g", random=True)
    dots = b.assume("dot-products", "mu mu", "the means $mu_1$ to $mu_n$ are orthonormal", "delta_{ij}")
    noise = (
        b.assume("coordinates", "z", "all entries $z_{jc}$ are independent"),
        b.assume("law", "z", "every $z_{jc}$ is normal with mean 0 and variance $alpha$", "gaussian", "0", "alpha"),
    )
    length: tuple[str, ...] = ()
    if is_long:
        length = (
            b.assume("independent", "z g", "$g$ is independent of $z$"),
            b.assume("law", "g", "$g$ is normal with mean 0 and variance $1/2$", "gaussian", "0", "1/2"),
        )
    apart = b.assume("distinct", "i a b", "$i$ is a key other than $a$ and $b$")
    if query:
        b.define("q", query, "c", "D")
    b.define("k", f"mu_{{jc}} + z_{{jc}}{' + delta_{ja} g mu_{ac}' if is_long else ''}", "j c", "n D")
    return Keys(dots, noise, length, apart)


def _scores(b: Builder) -> None:
    """Name the scores, their difference, the weights and the share of a."""
    b.define("L", "q^T k_j", "j", "n")
    b.define("d", "L_a - L_b")
    b.define("p", "exp(L_j)/sum_{l=1}^{n} exp(L_l)", "j", "n", "positive")
    b.define("w", "exp(L_a)/(exp(L_a) + exp(L_b))", sign="positive")


_QUERY = "s mu_{ac} + s mu_{bc}"
_RATIO = "(1 + 2 eta)/(1 - 2 eta)"


# Short keys ----------------------------------------------------------------------------------------


def _short(values: Values) -> Proof:
    b = Builder(
        "gaussian-keys",
        "One query for two keys with small noise",
        "Let the keys $k_j = mu_j + z_j$ be independent and normal with orthonormal means and covariance $alpha I$, "
        "and $q = s (mu_a + mu_b)$ with $s > 0$. The scores $L_j = q^T k_j$ are independent and normal with variance "
        "$2 alpha s^2$ and mean $s$ for the keys $a$ and $b$, $0$ for the others. The share $w = p_a/(p_a + p_b)$ of "
        "$a$ in the weight of the two is the logistic function of $d = L_a - L_b$, normal with mean $0$ and variance "
        "$4 alpha s^2$; so $E(w) = 1/2$, $abs(2 w - 1) = tanh(abs(d/2))$ and $Var(w) <= (alpha s^2)/4$. With $cdf(X, "
        f"x)$ for the probability that $X$ is at most $x$, $cdf(abs(w - 1/2), eta) = erf(ln({_RATIO})/(s sqrt(8 "
        "alpha)))$ for $0 < eta < 1/2$: it goes to $1$ if and only if $alpha s^2$ goes to $0$, and to $0$ if it grows "
        "without bound. Any other key has a weight of mean at most $exp(-s + 2 alpha s^2)$; without noise the others "
        "together have $(n - 2)/(2 exp(s) + (n - 2))$, which falls to $0$ as $s$ grows and, for $n > 2$, not "
        "otherwise. The output is close to the average of $v_a$ and $v_b$ if $s$ is large and $alpha s^2$ is small; "
        "for a given $alpha$, a larger $s$ ends it.",
        _SOURCE,
    )
    note(b, values)
    found = keys(b, _QUERY, is_long=False)
    _scores(b)
    b.number("x")
    apart = b.assume("distinct", "h l", "$h$ and $l$ are two different keys")
    _short_scores(b, found, apart)
    chain = b.chain("d")
    chain.then("=", "q^T z_a - q^T z_b", "substitution", found.dots, words="the means of both scores are $s$")
    chain.claim("the difference of the two scores")
    chain = b.chain("Var(d)")
    chain.then("=", "2 alpha q^T q", "expectation", *found.laws, words="two independent keys")
    chain.then("=", "4 alpha s^2", "substitution", found.dots, words="$q^T q = 2 s^2$")
    chain.claim("its variance")
    chain = b.chain("cdf(d, x)")
    chain.then("=", "Phi(x/(2 s sqrt(alpha)))", "lemma:normal-linear-image", found.dots, *found.laws)
    chain.claim("its law")
    half = _share(b, found)
    _spread(b, found, half)
    _near(b, found, "s sqrt(8 alpha)")
    _others(b, found)
    _without_noise(b)
    return b.proof()


def _short_scores(b: Builder, found: Keys, apart: str) -> None:
    chain = b.chain("L_j")
    chain.then(
        "=", "s (delta_{ja} + delta_{jb}) + q^T z_j", "substitution", found.dots, words="the means are orthonormal"
    )
    chain.claim("a score")
    chain = b.chain("E(L_j)")
    chain.then("=", "E(q^T mu_j + q^T z_j)", "definition")
    chain.then("=", "q^T mu_j", "moments", *found.means, words="the noise has mean 0")
    chain.then("=", "s (delta_{ja} + delta_{jb})", "substitution", found.dots)
    chain.claim("its mean")
    chain = b.chain("Var(L_j)")
    chain.then("=", "Var(q^T z_j)", "scaling of variance", words="a number added changes no variance")
    chain.then("=", "alpha q^T q", "expectation", *found.laws, words="independent entries of variance $alpha$")
    chain.then("=", "2 alpha s^2", "substitution", found.dots, words="$q^T q = s^2 (1 + 1)$")
    chain.claim("its variance")
    chain = b.chain("Cov(L_h, L_l)")
    # `distinct` is an equation of the step after the expectation.
    chain.then("=", "alpha delta_{hl} q^T q", "expectation", *found.laws, words="two keys share no entry of $z$")
    chain.then("=", "0", "substitution", apart)
    chain.claim("two scores depend on independent keys")
    for index, above, more in (("a", "(x - s)", ()), ("i", "x", (found.apart,))):
        chain = b.chain(f"cdf(L_{index}, x)")
        chain.then(
            "=",
            f"Phi({above}/(s sqrt(2 alpha)))",
            "lemma:normal-linear-image",
            found.dots,
            *found.laws,
            *more,
            words="linear in independent normal entries, with the mean and the variance from above",
        )
        chain.claim(
            "the law of the score of $a$, and by symmetry of $b$" if index == "a" else "the law of another score"
        )


def _share(b: Builder, found: Keys) -> str:
    """Prove the share as a function of the difference, and its mean; return the id of the step that shows the mean."""
    b.chain("p_a/(p_a + p_b)").then("=", "w", "algebra", words="the denominator cancels").claim("the share of $a$")
    chain = b.chain("w").then("=", "1/(1 + exp(-d))", "algebra", words="divided by $exp(L_a)$")
    chain.claim("the share is the logistic function of the difference")
    chain = b.chain("E(w)")
    chain.then(
        "=",
        "E(1 - w)",
        "lemma:reflection",
        found.dots,
        *found.laws,
        words="the opposite noise has the same law, and takes $d$ to $-d$ and $w$ to $1 - w$",
    )
    chain.then("=", "1 - E(w)", "linearity of expectation")
    steps = tuple(chain.ids)
    chain = b.chain("E(w)")
    chain.then("=", "1/2", "combination", premises=steps, weights="1/2; 1/2", words="solved for $E(w)$")
    return chain.claim("the mean of the share")


def _spread(b: Builder, found: Keys, half: str) -> None:
    """Prove the size of w - 1/2, and the bound of its variance."""
    tangent = b.chain("2 w - 1").then("=", "tanh(d/2)", "hyperbolic tangent")
    tangent.claim("the share in terms of tanh")
    chain = b.chain("abs(2 w - 1)")
    chain.then("=", "abs(tanh(d/2))", "earlier result", premises=(tangent.last,))
    chain.then("=", "tanh(abs(d/2))", "lemma:tanh-of-size")
    chain.claim("its distance from $1/2$, twice")
    mean = b.chain("tanh(d/2)^2").then("≤", "(d/2)^2", "lemma:tanh-at-most")
    mean = b.chain("E(tanh(d/2)^2)").then("≤", "E((d/2)^2)", "lemma:monotone-mean", premises=(mean.last,))
    chain = b.chain("Var(w)")
    chain.then("=", "E((w - 1/2)^2) - (E(w) - 1/2)^2", "definition of variance")
    chain.then("=", "E((w - 1/2)^2)", "earlier result", premises=(half,), words="$E(w) = 1/2$")
    chain.then("=", "(1/4) E((2 w - 1)^2)", "linearity of expectation")
    chain.then("=", "(1/4) E(tanh(d/2)^2)", "earlier result", premises=(tangent.last,))
    chain.then(
        "≤",
        "(1/4) E((d/2)^2)",
        "evident sign",
        premises=(mean.last,),
        difference="(1/4) (E((d/2)^2) - E(tanh(d/2)^2))",
        words="$tanh(x)^2 <= x^2$",
    )
    inner = "(1/16) (2 alpha q^T q + (q^T mu_a - q^T mu_b)^2)"
    chain.then("=", inner, "expectation", *found.laws, words="the second moment of $d$")
    chain.then("=", "(alpha s^2)/4", "substitution", found.dots)
    chain.claim("its variance is small if $alpha s^2$ is")


def _near(b: Builder, found: Keys, spread: str) -> None:
    """Prove the probability that the share is within eta of 1/2, and its limit."""
    b.number("eta", "positive")
    b.number("t", "positive")
    inside = b.assume("positive", "", "$0 < eta < 1/2$", "1 - 2 eta")
    ratio = b.chain("1").then("<", _RATIO, "evident sign", inside, difference="4 eta/(1 - 2 eta)")
    chain = b.chain("cdf(abs(w - 1/2), eta)")
    chain.then(
        "=",
        f"cdf(abs(d), ln({_RATIO}))",
        "lemma:logistic-event",
        inside,
        words="the share is within $eta$ of $1/2$ exactly if the difference is at most the logarithm of this ratio",
    )
    chain.then(
        "=",
        f"erf(ln({_RATIO})/({spread}))",
        "lemma:normal-two-sided",
        inside,
        found.dots,
        *found.laws,
        premises=(ratio.last,),
        words="$d$ is normal with mean $0$; below stands the root of twice its variance",
    )
    chain.claim("the probability that the share is near $1/2$")
    for target, value, words in (("oo", "1", "small"), ("0", "0", "large")):
        limit = b.chain(f"lim(t, {target}, erf(ln({_RATIO}) t))")
        limit.then("=", value, "lemma:erf-limits", inside, premises=(ratio.last,))
        limit.claim(f"with $t$ for one over that root: where it goes as the noise of the difference becomes {words}")


def _others(b: Builder, found: Keys) -> None:
    below = b.chain("p_i")
    below.then(
        "≤",
        "exp(L_i - L_b)",
        "evident sign",
        difference="exp(L_i - L_b) (sum_{l=1}^{n} (1 - delta_{lb}) exp(L_l))/sum_{l=1}^{n} exp(L_l)",
        words="the denominator is at least $exp(L_b)$",
    )
    chain = b.chain("E(p_i)")
    chain.then("≤", "E(exp(L_i - L_b))", "lemma:monotone-mean", premises=(below.last,))
    chain.then(
        "=",
        "exp(-s + 2 alpha s^2)",
        "lemma:normal-exponential",
        found.dots,
        *found.noise,
        found.apart,
        words="$L_i - L_b$ is normal with mean $-s$ and variance $4 alpha s^2$, whatever the key $a$ does",
    )
    chain.claim("the weight of any other key")


def _without_noise(b: Builder) -> None:
    least = b.assume("at-most", "n", "there are at least two keys, $n >= 2$", "2", "n")
    total = "sum_{j=1}^{n} exp(s (delta_{ja} + delta_{jb}))"
    chain = b.chain(total).then("=", "2 exp(s) + (n - 2)", "algebra", words="two scores are $s$, the others $0$")
    chain.claim("the denominator of the weights without noise")
    rest = "(n - 2)/(2 exp(s) + (n - 2))"
    chain = b.chain("1 - 2 exp(s)/(2 exp(s) + (n - 2))").then("=", rest, "algebra", least)
    chain.claim("what the other keys have together")
    chain = b.chain(f"lim(s, oo, {rest})").then("=", "0", "limit", least)
    chain.claim("it vanishes as $s$ grows")
    chain = b.chain(f"diff({rest}, s)")
    chain.then("=", "-2 (n - 2) exp(s)/(2 exp(s) + (n - 2))^2", "differentiation", least)
    chain.then(
        "≤",
        "0",
        "evident sign",
        least,
        difference="2 (n - 2) exp(s)/(2 exp(s) + (n - 2))^2",
    )
    chain.claim("and falls with $s$, so for bounded $s$ it does not")


# A long key ----------------------------------------------------------------------------------------


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
        f"is $1/2$, it is within $eta$ of $1/2$ with probability $erf(ln({_RATIO})/(s sqrt(1 + 8 alpha)))$, which for "
        "$alpha = 0$ and $eta = 2/5$ is $erf(ln(9)/s)$, and $1/4 - Var(w)$ lies between $(1 - pi^2/(6 V))/sqrt(2 pi "
        "V)$ and $1/sqrt(2 pi V)$ for the variance $V$ of $d$. Its density has two "
        "peaks if and only if the variance of $d$ exceeds $2$, for $alpha = 0$ if $s > 2$. Any other key has a weight "
        "of mean at most $exp(-s + 2 alpha s^2)$, whatever $g$ is. So for large $s$ and small $alpha s^2$ the output "
        "$v_b + w (v_a - v_b)$, but for what the other keys add, jumps between $v_a$ and $v_b$: its mean is the "
        "average, hardly any sample is, and its covariance goes to $(1/4) (v_a - v_b) (v_a - v_b)^T$. The component "
        "$mu_a^T k_a$ is negative with probability $(1 - erf(1))/2$ for $alpha = 0$.",
        _SOURCE,
    )
    note(b, values)
    found = keys(b, _QUERY, is_long=True)
    _scores(b)
    b.number("x", "positive")
    _long_key(b, found)
    _long_scores(b, found)
    half = _share(b, found)
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
    _near(b, found, "s sqrt(1 + 8 alpha)")
    chain = b.chain("lim(alpha, 0, erf(ln(9)/(s sqrt(1 + 8 alpha))))")
    chain.then("=", "erf(ln(9)/s)", "limit", words="$eta = 2/5$: the ratio is $9$")
    chain.claim("the probability of a share between $1/10$ and $9/10$ without small noise")
    _wide(b, found, half)
    _peaks(b)
    _others(b, found)
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


# What is false -------------------------------------------------------------------------------------

_SHARE = "exp(s (1 + g))/(exp(s (1 + g)) + exp(s))"
_ONE = Scope((Declared("s"), Declared("g")))
_TWO = Scope((Declared("s"), Declared("g"), Declared("v_a"), Declared("v_b")))
_MEANS = Scope(
    (Declared("n", (), "positive"), Declared("D", (), "positive"), Declared("mu", ("D",)), Declared("x", ("D",)))
)

_ANY_SCALE = Falsehood(
    "keys that differ from their means by 1/10 at most are their means, so a share is near 1/2 for every large s",
    _SHARE,
    "≤",
    "3/5",
    CounterExample(scalars=(("s", "100"), ("g", "1/10"))),
    "the noise is multiplied by s: s^2 alpha has to be small as well, and for a given alpha a larger s ends "
    "the average",
    _ONE,
)
_LONGER = Falsehood(
    "a long key makes the output long: c repeats the large perturbations of the keys",
    f"({_SHARE}) v_a + (1 - {_SHARE}) v_b",
    ">",
    "v_a",
    CounterExample(scalars=(("s", "10"), ("g", "2"), ("v_a", "1"), ("v_b", "0"))),
    "c stays in the hull of the values: a long key brings it to v_a, a short one to v_b",
    _TWO,
)
_TYPICAL = Falsehood(
    "the mean share is 1/2, so a sample has a share between 1/10 and 9/10",
    _SHARE,
    "≤",
    "9/10",
    CounterExample(scalars=(("s", "10"), ("g", "1/2"))),
    "for large s nearly every sample has a share near 0 or near 1; only their mean is 1/2",
    _ONE,
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


_SIGNS = tuple(product(["1", "-1"], repeat=2))
_SAME_NOISE = Falsehood(
    "the noise of the keys need not be independent: let all keys have the same",
    "Var(d)",
    "=",
    "4 alpha s^2",
    CounterExample(
        sizes=(("n", 2), ("D", 2)),
        scalars=(("s", "1"), ("alpha", "1")),
        entries=(("mu", (("1", "0"), ("0", "1"))),),
        law=tuple(("1/4", (("z", (pair, pair)),)) for pair in _SIGNS),
    ),
    "noise that two keys share cancels in the difference of their scores; independent noise adds up",
)
_ONE_MEAN = Falsehood(
    "the means need not be orthonormal: let two keys have the same mean",
    "Var(L_j)",
    "=",
    "2 alpha s^2",
    CounterExample(
        sizes=(("n", 2), ("D", 1)),
        scalars=(("s", "1"), ("alpha", "1")),
        entries=(("mu", (("1",), ("1",))),),
        law=tuple(("1/4", (("z", ((one,), (other,))),)) for one, other in _SIGNS),
    ),
    "the variance is alpha q^T q, which is 2 alpha s^2 for orthonormal means and 4 alpha s^2 for equal ones",
)
_WITHOUT = (("independence", _SAME_NOISE), ("orthonormality", _ONE_MEAN))


# Numbers -------------------------------------------------------------------------------------------


def _given(values: Values, name: str, default: str, *, zero: bool = False) -> Fraction:
    found = number(values[name])
    found = Fraction(default) if found is None else found
    if found < 0 or (found == 0 and not zero):
        raise InputError(f"{name} is {'not negative' if zero else 'positive'} here: give such a number, not {found}.")
    return found


def _line(text: str, exact: str, value: RealLike) -> Line:
    return Line(text, exact, figures(value, _DIGITS).text)


def _inside(values: Values) -> Fraction:
    eta = _given(values, "eta", "2/5")
    if eta >= Fraction(1, 2):
        raise InputError(f"eta is a distance of a share from 1/2: give a number below 1/2, not {eta}.")
    return eta


def _rooted(factor: Fraction | int, radicand: Fraction) -> str:
    """Return a number times a square root, worked out where it is rational.

    >>> _rooted(40, Fraction(1, 100)), _rooted(20, Fraction(2, 25)), _rooted(1, Fraction(3))
    ('4', '20 * sqrt(2/25)', 'sqrt(3)')
    """
    above, below = isqrt(radicand.numerator), isqrt(radicand.denominator)
    if (above**2, below**2) == (radicand.numerator, radicand.denominator):
        return str(factor * Fraction(above, below))
    return f"sqrt({radicand})" if factor == 1 else f"{factor} * sqrt({radicand})"


def _near_line(eta: Fraction, spread: Real, root: str, where: str) -> Line:
    ratio = (1 + 2 * eta) / (1 - 2 * eta)
    value = logit_normal_between(Fraction(1, 2) - eta, Fraction(1, 2) + eta, spread)
    inner = f"ln({ratio})" if root == "1" else f"ln({ratio})/({root})"
    return _line(f"the probability that the share is within {eta} of $1/2$, {where}", f"erf({inner})", value)


def _short_lines(values: Values) -> tuple[Line, ...]:
    s, alpha, eta = _given(values, "s", "20"), _given(values, "alpha", "1/100"), _inside(values)
    where = f"for $s = {s}$ and $alpha = {alpha}$"
    spread = 2 * s * sqrt(alpha)
    return (
        _line(f"the standard deviation of $d$ {where}", _rooted(2 * s, alpha), spread),
        _line(f"the variance of the share {where}", "", logit_normal_variance(spread)),
        _line(f"its bound $(alpha s^2)/4$ {where}", str(alpha * s**2 / 4), alpha * s**2 / 4),
        _near_line(eta, spread, _rooted(s, 8 * alpha), where),
        _line(
            f"the bound of the mean weight of another key {where}",
            f"exp({-s + 2 * alpha * s**2})",
            exp(2 * alpha * s**2 - s),
        ),
    )


_SCALES = (1, 2, 5, 10, 20, 50, 100)


def _expansion(variance: Real, where: str) -> Line:
    """Return the upper bound of 1/4 - Var(w) in terms of the variance, its expansion for large s."""
    value = Fraction(1, 4) - (1 - pi() * pi() / (6 * variance)) / sqrt(2 * pi() * variance)
    return _line(f"its upper bound $1/4 - (1 - pi^2/(6 V))/sqrt(2 pi V)$ {where}, $V$ the variance of $d$", "", value)


def _long_lines(values: Values) -> tuple[Line, ...]:
    alpha, eta = _given(values, "alpha", "0", zero=True), _inside(values)
    scales = _SCALES if number(values["s"]) is None else (_given(values, "s", "1"),)
    lines = []
    for s in scales:
        where = f"for $s = {s}$ and $alpha = {alpha}$"
        spread = s * sqrt(Fraction(1, 2) + 4 * alpha)
        lines.append(_line(f"the variance of the share {where}", "", logit_normal_variance(spread)))
        lines.append(_near_line(eta, spread, _rooted(s, 1 + 8 * alpha), where))
        modes = logit_normal_modes(spread)
        if is_bimodal(spread) and modes is not None:
            lines.append(_line(f"the lower of the two peaks of its density {where}", "", modes[0]))
            lines.append(_expansion(spread * spread, where))
    root = 1 / sqrt(1 + 2 * alpha)
    exact = f"(1 - erf(1/sqrt({1 + 2 * alpha})))/2" if alpha else "(1 - erf(1))/2"
    lines.append(_line(f"the probability that $mu_a^T k_a < 0$ for $alpha = {alpha}$", exact, (1 - erf(root)) / 2))
    return tuple(lines)


_NUMBERS = (
    Parameter("s", "s", "the length of the query, in the numeric instance", worked=True),
    Parameter("alpha", "alpha", "the variance of the small noise, in the numeric instance", worked=True),
    Parameter("eta", "eta", "a distance of the share from 1/2, in the numeric instance", worked=True),
)

THEOREMS = (
    Theorem(
        "gaussian-keys",
        "constructions",
        "one query averages two values as long as the noise times the query is small",
        _short,
        _NUMBERS,
        falsehoods=(_ANY_SCALE,),
        instance=_short_lines,
        without=_WITHOUT,
    ),
    Theorem(
        "gaussian-keys-long",
        "constructions",
        "with one key of random length the output jumps between the two values",
        _long,
        _NUMBERS,
        falsehoods=(_LONGER, _TYPICAL, _EVERYWHERE),
        instance=_long_lines,
    ),
)
"""The theorems on random keys."""
