"""Theorems on generating functions of a dot product of normal vectors: their domain, and any covariance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from symattn.errors import InputError
from symattn.exact.laws.gaussian_scores import MAX_DIMENSION, product_tail
from symattn.exact.reals.certified_digits import exp, figures, sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    LENGTH,
    declare,
    declare_length,
    factor,
    led,
    note,
    number,
    polynomial,
    refuse_constants,
    squared,
)
from symattn.proofs.catalogue.moments.higher_moments import SOURCE
from symattn.proofs.catalogue.moments.moment_generating_function import power_of_one_pair
from symattn.proofs.catalogue.moments.variance import ONE_LAW, PAIRS, UNEQUAL_PARAMETERS
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_DIGITS = 30
_SPREADS = UNEQUAL_PARAMETERS[2:]


def _normal(b: Builder, values: Values, name: str, mean: str) -> str:
    square = squared(values, f"sigma_{name}")
    text = f"every ${name}_i$ is normal with mean ${mean}$ and variance ${square}$"
    return b.assume("law", name, text, "gaussian", mean, square)


# Where the moment generating function is infinite ------------------------------------------------------


def _infinite(values: Values) -> Proof:
    refuse_constants(values)
    both = polynomial([(1, {"sigma_q": 1, "sigma_k": 1})], values)
    b = Builder(
        "dot-product-mgf-infinite",
        "Where the moment generating function of a dot product is infinite",
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent normal components, and with "
        f"$v = {polynomial([(1, {'sigma_q': 2, 'sigma_k': 2})], values)}$, the mean of $exp(t q^T k)$ is larger than "
        f"every number $B$ once $t^2 v >= 1$, that is $abs(t) >= 1/({both})$: it is infinite there. So the tails of a "
        "score fall no faster than an exponential does, and no normal law has such tails.",
        SOURCE,
    )
    note(b, values)
    b.number("t")
    b.number("B")
    size = declare_length(b, values)
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    declare(b, values, "mu_q", "mu_k", "sigma_q", "sigma_k")
    b.define("v", polynomial([(1, {"sigma_q": 2, "sigma_k": 2})], values))
    laws = [_normal(b, values, name, values[f"mu_{name}"]) for name in ("q", "k")]
    independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
    pairs = b.assume("coordinates", "q k", PAIRS)
    one_law = b.assume("same-law", "q k", ONE_LAW)
    outside = b.assume("at-most", "v", f"$t^2 v >= 1$, that is $abs(t) >= 1/({both})$", "1", "t^2 v")
    own = {name: factor(values[name]) for name in ("mu_q", "mu_k", "sigma_q", "sigma_k")}
    one = b.chain("E(exp(t q_1 k_1))")
    one.then(
        "=",
        f"E(exp(t {own['mu_k']} q_1 + (t^2 {own['sigma_k']}^2 q_1^2)/2))",
        "lemma:normal-factor",
        independent,
        laws[1],
        over="k_1",
        words="the mean over $k_1$ given $q_1$, which is finite for every $t$",
    )
    one.then(
        ">",
        "B",
        "lemma:gaussian-divergence",
        laws[0],
        outside,
        over="q_1",
        precision=f"(1 - t^2 v)/{own['sigma_q']}^2",
        words="with the density of $q_1$ the exponent has the square $q_1^2$ with a factor that is not negative",
    )
    one.claim("one pair of components, whatever $B$ is")
    shown = b.chain("E(exp(t q_1 k_1))")
    shown.then(">", "B", "combination", premises=tuple(one.ids), weights="1; 1")
    whole = power_of_one_pair(b, size, pairs, one_law)
    whole.then(">", "B", "lemma:unbounded-power", premises=(shown.last,))
    whole.claim("the moment generating function, whatever $B$ is")
    return b.proof()


# The characteristic function ---------------------------------------------------------------------------


def _characteristic(values: Values) -> Proof:
    refuse_constants(values)
    v = polynomial([(1, {"sigma_q": 2, "sigma_k": 2})], values)
    size = number(values["D"])
    half = "-D/2" if size is None else str(-size / 2)
    base = f"1 + u^2 {v}" if v != "1" else "1 + u^2"
    b = Builder(
        "dot-product-characteristic",
        "The characteristic function of a dot product",
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent normal components of mean "
        f"$0$, the mean of $cos(u q^T k)$ is $({base})^({half})$ for every $u$, and that of $sin(u q^T k)$ is $0$: the "
        "first is the characteristic function of the score, which is real."
        + (
            f" The density of the score at $z$ is {_DENSITY.get(values['D'], _BESSEL)}." if _is_standard(values) else ""
        ),
        SOURCE,
    )
    note(b, values)
    b.number("u")
    length = declare_length(b, values)
    b.vector("q", length, random=True)
    b.vector("k", length, random=True)
    declare(b, values, "sigma_q", "sigma_k")
    laws = [_normal(b, values, name, "0") for name in ("q", "k")]
    independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
    pairs = b.assume("coordinates", "q k", PAIRS)
    one_law = b.assume("same-law", "q k", ONE_LAW)
    own = {name: factor(values[name]) for name in ("sigma_q", "sigma_k")}
    scale = "u^2" if values["sigma_k"] == "1" else f"u^2 {own['sigma_k']}^2"
    given = (independent, pairs, laws[1])
    sine = b.chain("E(sin(u q^T k))")
    sine.then("=", "0", "lemma:normal-oscillation", *given, over="k", words="given $q$, the score is symmetric about 0")
    sine.claim("the imaginary part")
    one = b.chain(f"E(exp(-({scale} q_1^2)/2))")
    one.then(
        "=",
        f"({base})^(-1/2)",
        "lemma:gaussian-integral",
        laws[0],
        over="q_1",
        precision=f"1/{own['sigma_q']}^2 + {scale}",
        words=f"the integral of $exp(-(P y^2)/2)$ is $sqrt((2 pi)/P)$, here with ${_scaled(own['sigma_q'])} = {base}$",
    )
    chain = b.chain("E(cos(u q^T k))")
    chain.then(
        "=",
        f"E(exp(-({scale} q^T q)/2))",
        "lemma:normal-oscillation",
        *given,
        over="k",
        words=f"given $q$, the score is normal with mean 0 and variance ${led(1, own['sigma_k'], '^2')} q^T q$"
        if values["sigma_k"] != "1"
        else "given $q$, the score is normal with mean 0 and variance $q^T q$",
    )
    chain.then("=", f"E(exp(sum_{{i=1}}^{{{length}}} -({scale} q_i^2)/2))", "definition")
    chain.then(
        "=",
        f"E(exp(-({scale} q_1^2)/2))^{length}",
        "lemma:independent-exponentials",
        pairs,
        one_law,
        words="the exponential of a sum is a product of independent factors of one law",
    )
    chain.then("=", f"(({base})^(-1/2))^{length}", "earlier result", premises=(one.last,))
    chain.then("=", f"({base})^({half})", "algebra")
    chain.claim("the characteristic function")
    if _is_standard(values):
        _density(b, values, (*chain.ids, sine.last))
    return b.proof()


_BESSEL = (
    "a modified Bessel function $besselK$ of the second kind times a power of $abs(z)$, with $factorial(x)$ for the "
    "gamma function at $x + 1$"
)
_DENSITY = {"1": "$besselK(0, abs(z))/pi$, with the modified Bessel function $besselK$", "2": "$exp(-abs(z))/2$"}


def _is_standard(values: Values) -> bool:
    return values["sigma_q"] == values["sigma_k"] == "1"


def _density(b: Builder, values: Values, steps: tuple[str, ...]) -> None:
    """Prove the density of a score of standard normal components; it is even, so z > 0 suffices."""
    b.number("z", "positive")
    size = values["D"]
    length = number(size)
    order = "(D - 1)/2" if length is None else str((length - 1) / 2)
    half = "D/2 - 1" if length is None else str(length / 2 - 1)
    chain = b.chain("density(q^T k, z)")
    bessel = f"(z^({order}) besselK({order}, z))/(sqrt(pi) 2^({order}) factorial({half}))"
    chain.then(
        "=",
        bessel,
        "lemma:bessel-density",
        premises=steps,
        count=size,
        words="the law is the one with this characteristic function",
    )
    if length == 1:
        chain.then("=", "besselK(0, z)/pi", "algebra", words="$factorial(-1/2) = sqrt(pi)$")
    if length == 2:
        bessel_half = b.chain("besselK(1/2, z)")
        bessel_half.then("=", "(sqrt(pi) exp(-z))/(sqrt(2) sqrt(z))", "lemma:bessel-half")
        replaced = bessel.replace("besselK(1/2, z)", f"({bessel_half.here})")
        chain.then("=", replaced, "earlier result", premises=(bessel_half.last,))
        chain.then("=", "exp(-z)/2", "algebra", words="Laplace's law")
    chain.claim("the density for $z > 0$, and by symmetry that at $-z$")


def _scaled(deviation: str) -> str:
    """Return the precision times a variance."""
    return "P" if deviation == "1" else f"P * {deviation}^2"


def _at_one(values: Values) -> tuple[Line, ...]:
    """Return the characteristic function at a few places, for standard normal components."""
    size = int(number(values["D"]) or 64)
    spreads = [number(values[name]) or Fraction(1) for name in ("sigma_q", "sigma_k")]
    lines = []
    for place in (Fraction(1, 8), Fraction(1)):
        base = 1 + (place * spreads[0] * spreads[1]) ** 2
        whole, odd = divmod(size, 2)
        root = sqrt(base) if odd else 1
        power = f"({1 / base})^{whole}" if whole else "1"
        exact = f"{power}/sqrt({base})" if odd else power
        where = f"$u = {place}$, $D = {size}$, $sigma_q = {spreads[0]}$ and $sigma_k = {spreads[1]}$"
        text = f"the characteristic function at {where}"
        lines.append(Line(text, exact, figures(1 / (base**whole * root), _DIGITS).text))
    return tuple(lines)


# Any covariance ----------------------------------------------------------------------------------------


def _covariance(values: Values) -> Proof:
    b = Builder(
        "dot-product-mgf-covariance",
        "The moment generating function of a dot product of normal vectors with covariance matrices",
        f"Let $q$ and $k$ be independent normal vectors of length ${values['D']}$ with means $m$ and $n$ and "
        "covariance matrices $S_q$ and $S_k$, of which $S_q$ has an inverse. Wherever $P = S_q^(-1) - t^2 S_k$ is "
        "positive definite, and with $b = S_q^(-1) m + t n$, the moment generating function of $q^T k$ is "
        "$det(I - t^2 S_q S_k)^(-1/2) exp((b^T P^(-1) b - m^T S_q^(-1) m)/2)$.",
        SOURCE,
    )
    note(b, values)
    size = declare_length(b, values)
    b.number("t")
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    b.vector("m", size)
    b.vector("n", size)
    b.matrix("S_q", size, size)
    b.matrix("S_k", size, size)
    b.define("I", "delta_{ij}", "i j", f"{size} {size}")
    b.define("P", "(S_q^(-1))_{i j} - t^2 (S_k)_{i j}", "i j", f"{size} {size}")
    b.define("b", "(S_q^(-1) m)_i + t n_i", "i", size)
    law_q, law_k = (
        b.assume(
            "normal-vector",
            name,
            f"${name}$ is a normal vector with mean ${mean}$ and covariance matrix $S_{name}$",
            f"{mean}_i",
            f"(S_{name})_{{i j}}",
        )
        for name, mean in (("q", "m"), ("k", "n"))
    )
    independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
    regular = b.assume("definite", "S_q", "$S_q$ is positive definite: it is a covariance matrix with an inverse")
    domain = b.assume("definite", "P", "$P = S_q^(-1) - t^2 S_k$ is positive definite")
    square = b.chain("t q^T n + (t^2 q^T S_k q)/2 - ((q - m)^T S_q^(-1) (q - m))/2")
    square.then(
        "=",
        "b^T q - (q^T P q)/2 + (m^T S_q^(-1) q - q^T S_q^(-1) m)/2 - (m^T S_q^(-1) m)/2",
        "algebra",
        regular,
        words="multiplied out; the bracket is 0, since $S_q$ and its inverse are symmetric",
    )
    square.claim("the exponent that is integrated")
    positive = b.chain("det(I - t^2 S_q S_k)")
    positive.then(
        ">",
        "0",
        "lemma:positive-determinant",
        regular,
        domain,
        covariance="S_q",
        precision="P",
        words="$I - t^2 S_q S_k = S_q P$, a product of two positive definite matrices",
    )
    positive.claim("the root that is taken is that of a positive number")
    chain = b.chain("E(exp(t q^T k))")
    chain.then(
        "=",
        "E(exp(t q^T n + (t^2 q^T S_k q)/2))",
        "lemma:normal-vector-factor",
        independent,
        law_k,
        over="k",
        words="the mean over $k$ given $q$: $t q^T k$ is then normal with mean $t q^T n$ and variance $t^2 q^T S_k q$",
    )
    chain.then(
        "=",
        "det(I - t^2 S_q S_k)^(-1/2) exp((b^T P^(-1) b - m^T S_q^(-1) m)/2)",
        "lemma:gaussian-vector-integral",
        law_q,
        regular,
        domain,
        premises=(positive.last,),
        over="q",
        linear="b",
        precision="P",
        constant="-(m^T S_q^(-1) m)/2",
        words="the Gaussian integral over $q$ with precision $P$, and $det(S_q) det(P) = det(I - t^2 S_q S_k)$",
    )
    chain.claim("the moment generating function")
    return b.proof()


# What is false, and numbers ----------------------------------------------------------------------------

_AS_NORMAL = Falsehood(
    "a score is normal, so its moment generating function is exp((D t^2)/2), which is finite for every t",
    "(1 - t^2)^(-D/2)",
    "=",
    "exp((D t^2)/2)",
    CounterExample(sizes=(("D", 2),), scalars=(("t", "1/2"),)),
    "for standard normal components it is (1 - t^2)^(-D/2), and infinite for abs(t) >= 1",
    Scope((Declared("D", (), "positive"), Declared("t"))),
)

_SAME_SIGN = Falsehood(
    "the characteristic function is the moment generating function with u in the place of t",
    "(1 + u^2)^(-D/2)",
    "=",
    "(1 - u^2)^(-D/2)",
    CounterExample(sizes=(("D", 2),), scalars=(("u", "1/2"),)),
    "t^2 becomes -u^2, so that it exists for every u",
    Scope((Declared("D", (), "positive"), Declared("u"))),
)

_NORMAL_WAVE = Falsehood(
    "a score of independent standard normal components is normal with variance D",
    "(1 + u^2)^(-D/2)",
    "=",
    "exp(-(D u^2)/2)",
    CounterExample(sizes=(("D", 1),), scalars=(("u", "1"),)),
    "the two agree up to u^2 and no further: the law comes close to a normal one as D grows",
    Scope((Declared("D", (), "positive"), Declared("u"))),
)

_CASE = CounterExample(
    sizes=(("D", 1),),
    scalars=(("t", "1/2"),),
    entries=(("m", (("1",),)), ("n", (("1",),)), ("S_q", (("1",),)), ("S_k", (("1",),))),
)
_AT_ZERO = CounterExample(sizes=_CASE.sizes, scalars=(("t", "0"),), entries=_CASE.entries)
_ROOT = "det(I - t^2 S_q S_k)^(-1/2)"
_WHOLE = f"{_ROOT} exp((b^T P^(-1) b - m^T S_q^(-1) m)/2)"

_NO_CONSTANT = Falsehood(
    "the exponent is (b^T P^(-1) b)/2 alone, and for t = 0 the moment generating function is 1",
    f"{_ROOT} exp((b^T P^(-1) b)/2)",
    "=",
    "1",
    _AT_ZERO,
    "the square that was completed leaves -(m^T S_q^(-1) m)/2, which makes it 1 for t = 0",
)

_OTHER_SIGN = Falsehood(
    "the determinant is that of I + t^2 S_q S_k",
    _WHOLE,
    "=",
    _WHOLE.replace("I - t^2", "I + t^2"),
    _CASE,
    "it is that of I - t^2 S_q S_k = S_q P, and becomes 0 where the generating function becomes infinite",
)

_NOT_HALVED = Falsehood(
    "the exponent is b^T P^(-1) b - m^T S_q^(-1) m",
    _WHOLE,
    "=",
    f"{_ROOT} exp(b^T P^(-1) b - m^T S_q^(-1) m)",
    _CASE,
    "both squares are halved, as the Gaussian integral has them",
)

_SPREAD_Q = ((Fraction(1), Fraction(1, 2)), (Fraction(1, 2), Fraction(1)))
_SPREAD_K = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(2)))
_MEAN_Q = (Fraction(1), Fraction(-1))
_MEAN_K = (Fraction(1, 2), Fraction(1))
_WHERE = "S_q = ((1, 1/2), (1/2, 1)), S_k = ((1, 0), (0, 2)), m = (1, -1), n = (1/2, 1)"
"""Two components, for the worked case."""

_Square = Sequence[Sequence[Fraction]]


def _two_components(values: Values) -> tuple[Line, ...]:
    """Return the determinant, the exponent and the value for two components."""
    at = number(values["t"])
    at = Fraction(1, 2) if at is None else at
    weight = _inverse(_SPREAD_Q)
    precision = [[weight[i][j] - at**2 * _SPREAD_K[i][j] for j in range(2)] for i in range(2)]
    if precision[0][0] <= 0 or _determinant(precision) <= 0:
        raise InputError(f"P is not positive definite for t = {at} in the worked case: take a t nearer to 0.")
    b = [weight[i][0] * _MEAN_Q[0] + weight[i][1] * _MEAN_Q[1] + at * _MEAN_K[i] for i in range(2)]
    root = _determinant(_SPREAD_Q) * _determinant(precision)
    exponent = (_form(b, _inverse(precision)) - _form(_MEAN_Q, weight)) / 2
    where = f"for $t = {at}$ and {_WHERE}"
    value = figures(exp(exponent) / sqrt(root), _DIGITS).text
    return (
        Line(f"the determinant of $I - t^2 S_q S_k$ {where}", str(root), str(root)),
        Line(f"the exponent $(b^T P^(-1) b - m^T S_q^(-1) m)/2$ {where}", str(exponent), str(exponent)),
        Line(f"the mean of $exp(t q^T k)$ {where}", f"exp({exponent})/sqrt({root})", value),
    )


def _determinant(matrix: _Square) -> Fraction:
    return matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]


def _inverse(matrix: _Square) -> list[list[Fraction]]:
    (a, b), (c, d) = matrix
    size = _determinant(matrix)
    return [[d / size, -b / size], [-c / size, a / size]]


def _form(x: Sequence[Fraction], matrix: _Square) -> Fraction:
    return sum((x[i] * matrix[i][j] * x[j] for i in range(2) for j in range(2)), Fraction(0))


def _where_infinite(values: Values) -> tuple[Line, ...]:
    """Return the least size of t, and the tail of a score of standard normal components."""
    spreads = [number(values[name]) or Fraction(1) for name in ("sigma_q", "sigma_k")]
    least = 1 / (spreads[0] * spreads[1])
    size = int(number(values["D"]) or 64)
    if size > MAX_DIMENSION:
        raise InputError(f"D is {size}: probabilities are worked out for lengths up to {MAX_DIMENSION}.")
    chosen = f"$sigma_q = {spreads[0]}$ and $sigma_k = {spreads[1]}$"
    lines = [Line(f"the least size of $t$ for which it is infinite, for {chosen}", str(least), str(least))]
    for times in (4, 8):
        at = Fraction(times * (isqrt(size - 1) + 1))
        where = f"for $D = {size}$ and standard normal components"
        tail = figures(product_tail(size, at), _DIGITS).text
        lines.append(Line(f"the probability that $abs(q^T k) > {at}$ {where}", "", tail))
    return tuple(lines)


THEOREMS = (
    Theorem(
        "dot-product-mgf-infinite",
        "moments",
        "the moment generating function of q . k is infinite for abs(t) >= 1/(sigma_q sigma_k)",
        _infinite,
        (LENGTH, *UNEQUAL_PARAMETERS),
        falsehoods=(_AS_NORMAL,),
        instance=_where_infinite,
    ),
    Theorem(
        "dot-product-characteristic",
        "moments",
        "the characteristic function of q . k for normal components of mean 0",
        _characteristic,
        (LENGTH, *_SPREADS),
        falsehoods=(_SAME_SIGN, _NORMAL_WAVE),
        instance=_at_one,
    ),
    Theorem(
        "dot-product-mgf-covariance",
        "moments",
        "the moment generating function of q . k for normal vectors with covariance matrices",
        _covariance,
        (LENGTH, Parameter("t", "t", "the argument of the generating function, in the numeric case", worked=True)),
        falsehoods=(_NO_CONSTANT, _OTHER_SIGN, _NOT_HALVED),
        instance=_two_components,
    ),
)
"""The theorems on generating functions."""
