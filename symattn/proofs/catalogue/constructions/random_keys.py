"""One query for two keys that are random and short: the law of their weights, and numbers for it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

from symattn.errors import InputError
from symattn.exact.laws.gaussian_scores import (
    logit_normal_between,
    logit_normal_variance,
)
from symattn.exact.reals.certified_digits import Real, RealLike, exp, figures, sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, note, number
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope
from symattn.records import dataclass

SOURCE = "Stanford CS224N 2021, assignment 5, question 1 (c); Johnson 1949 for the law of the share"
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


def declare_scores(b: Builder) -> None:
    """Name the scores, their difference, the weights and the share of a."""
    b.define("L", "q^T k_j", "j", "n")
    b.define("d", "L_a - L_b")
    b.define("p", "exp(L_j)/sum_{l=1}^{n} exp(L_l)", "j", "n", "positive")
    b.define("w", "exp(L_a)/(exp(L_a) + exp(L_b))", sign="positive")


QUERY = "s mu_{ac} + s mu_{bc}"
RATIO = "(1 + 2 eta)/(1 - 2 eta)"


def _short(values: Values) -> Proof:
    b = Builder(
        "gaussian-keys",
        "One query for two keys with small noise",
        "Let the keys $k_j = mu_j + z_j$ be independent and normal with orthonormal means and covariance $alpha I$, "
        "and $q = s (mu_a + mu_b)$ with $s > 0$. The scores $L_j = q^T k_j$ are independent and normal with variance "
        "$2 alpha s^2$ and mean $s$ for the keys $a$ and $b$, $0$ for the others. The share $w = p_a/(p_a + p_b)$ of "
        "$a$ in the weight of the two is the logistic function of $d = L_a - L_b$, normal with mean $0$ and variance "
        "$4 alpha s^2$; so $E(w) = 1/2$, $abs(2 w - 1) = tanh(abs(d/2))$ and $Var(w) <= (alpha s^2)/4$. With $cdf(X, "
        f"x)$ for the probability that $X$ is at most $x$, $cdf(abs(w - 1/2), eta) = erf(ln({RATIO})/(s sqrt(8 "
        "alpha)))$ for $0 < eta < 1/2$: it goes to $1$ if and only if $alpha s^2$ goes to $0$, and to $0$ if it grows "
        "without bound. Any other key has a weight of mean at most $exp(-s + 2 alpha s^2)$; without noise the others "
        "together have $(n - 2)/(2 exp(s) + (n - 2))$, which falls to $0$ as $s$ grows and, for $n > 2$, not "
        "otherwise. The output is close to the average of $v_a$ and $v_b$ if $s$ is large and $alpha s^2$ is small; "
        "for a given $alpha$, a larger $s$ ends it.",
        SOURCE,
    )
    note(b, values)
    found = keys(b, QUERY, is_long=False)
    declare_scores(b)
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
    half = prove_share(b, found)
    _spread(b, found, half)
    prove_nearness(b, found, "s sqrt(8 alpha)")
    prove_others(b, found)
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


def prove_share(b: Builder, found: Keys) -> str:
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


def prove_nearness(b: Builder, found: Keys, spread: str) -> None:
    """Prove the probability that the share is within eta of 1/2, and its limit."""
    b.number("eta", "positive")
    b.number("t", "positive")
    inside = b.assume("positive", "", "$0 < eta < 1/2$", "1 - 2 eta")
    ratio = b.chain("1").then("<", RATIO, "evident sign", inside, difference="4 eta/(1 - 2 eta)")
    chain = b.chain("cdf(abs(w - 1/2), eta)")
    chain.then(
        "=",
        f"cdf(abs(d), ln({RATIO}))",
        "lemma:logistic-event",
        inside,
        words="the share is within $eta$ of $1/2$ exactly if the difference is at most the logarithm of this ratio",
    )
    chain.then(
        "=",
        f"erf(ln({RATIO})/({spread}))",
        "lemma:normal-two-sided",
        inside,
        found.dots,
        *found.laws,
        premises=(ratio.last,),
        words="$d$ is normal with mean $0$; below stands the root of twice its variance",
    )
    chain.claim("the probability that the share is near $1/2$")
    for target, value, words in (("oo", "1", "small"), ("0", "0", "large")):
        limit = b.chain(f"lim(t, {target}, erf(ln({RATIO}) t))")
        limit.then("=", value, "lemma:erf-limits", inside, premises=(ratio.last,))
        limit.claim(f"with $t$ for one over that root: where it goes as the noise of the difference becomes {words}")


def prove_others(b: Builder, found: Keys) -> None:
    """Prove the bound of the mean weight of any other key."""
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


SHARE_OF_A = "exp(s (1 + g))/(exp(s (1 + g)) + exp(s))"
ONE = Scope((Declared("s"), Declared("g")))
_ANY_SCALE = Falsehood(
    "keys that differ from their means by 1/10 at most are their means, so a share is near 1/2 for every large s",
    SHARE_OF_A,
    "≤",
    "3/5",
    CounterExample(scalars=(("s", "100"), ("g", "1/10"))),
    "the noise is multiplied by s: s^2 alpha has to be small as well, and for a given alpha a larger s ends "
    "the average",
    ONE,
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


def positive_value(values: Values, name: str, default: str, *, zero: bool = False) -> Fraction:
    """Return the value of a parameter for a worked case, positive or, where that is allowed, zero."""
    found = number(values[name])
    found = Fraction(default) if found is None else found
    if found < 0 or (found == 0 and not zero):
        raise InputError(f"{name} is {'not negative' if zero else 'positive'} here: give such a number, not {found}.")
    return found


def digits_line(text: str, exact: str, value: RealLike) -> Line:
    """Return a line of a worked case with certified digits."""
    return Line(text, exact, figures(value, _DIGITS).text)


def distance(values: Values) -> Fraction:
    """Return the distance of a share from 1/2 for a worked case."""
    eta = positive_value(values, "eta", "2/5")
    if eta >= Fraction(1, 2):
        raise InputError(f"eta is a distance of a share from 1/2: give a number below 1/2, not {eta}.")
    return eta


def times_root(factor: Fraction | int, radicand: Fraction) -> str:
    """Return a number times a square root, worked out where it is rational.

    >>> times_root(40, Fraction(1, 100)), times_root(20, Fraction(2, 25)), times_root(1, Fraction(3))
    ('4', '20 * sqrt(2/25)', 'sqrt(3)')
    """
    above, below = isqrt(radicand.numerator), isqrt(radicand.denominator)
    if (above**2, below**2) == (radicand.numerator, radicand.denominator):
        return str(factor * Fraction(above, below))
    return f"sqrt({radicand})" if factor == 1 else f"{factor} * sqrt({radicand})"


def nearness_line(eta: Fraction, spread: Real, root: str, where: str) -> Line:
    """Return the probability that the share is within a distance of 1/2."""
    ratio = (1 + 2 * eta) / (1 - 2 * eta)
    value = logit_normal_between(Fraction(1, 2) - eta, Fraction(1, 2) + eta, spread)
    inner = f"ln({ratio})" if root == "1" else f"ln({ratio})/({root})"
    return digits_line(f"the probability that the share is within {eta} of $1/2$, {where}", f"erf({inner})", value)


def _short_lines(values: Values) -> tuple[Line, ...]:
    s, alpha, eta = positive_value(values, "s", "20"), positive_value(values, "alpha", "1/100"), distance(values)
    where = f"for $s = {s}$ and $alpha = {alpha}$"
    spread = 2 * s * sqrt(alpha)
    return (
        digits_line(f"the standard deviation of $d$ {where}", times_root(2 * s, alpha), spread),
        digits_line(f"the variance of the share {where}", "", logit_normal_variance(spread)),
        digits_line(f"its bound $(alpha s^2)/4$ {where}", str(alpha * s**2 / 4), alpha * s**2 / 4),
        nearness_line(eta, spread, times_root(s, 8 * alpha), where),
        digits_line(
            f"the bound of the mean weight of another key {where}",
            f"exp({-s + 2 * alpha * s**2})",
            exp(2 * alpha * s**2 - s),
        ),
    )


PARAMETERS = (
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
        PARAMETERS,
        falsehoods=(_ANY_SCALE,),
        instance=_short_lines,
        without=_WITHOUT,
    ),
)
"""The theorem on short random keys."""
