"""The moment generating function of a dot product of normal vectors."""

from __future__ import annotations

from math import factorial

from symattn.errors import InputError
from symattn.proofs.catalogue.authoring.proof_builder import Builder, Chain
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    LENGTH,
    factor,
    led,
    note,
    number,
    polynomial,
    refuse_constants,
)
from symattn.proofs.catalogue.moments.higher_moments import SOURCE, abbreviated, declare_normal
from symattn.proofs.catalogue.moments.variance import ONE_LAW, PAIRS, UNEQUAL_PARAMETERS
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_HEIGHT = "(t m + (t^2 w)/2)/(1 - t^2 v)"
_MAX_ORDER = 8
_ROOT = "(1 - t^2 v)^(-1/2)"


def power_of_one_pair(b: Builder, size: str, pairs: str, one_law: str) -> Chain:
    """Prove the generating function as a power of that of one pair of components."""
    whole = b.chain("E(exp(t q^T k))")
    whole.then("=", f"E(exp(sum_{{i=1}}^{{{size}}} t q_i k_i))", "definition")
    whole.then(
        "=",
        f"E(exp(t q_1 k_1))^{size}",
        "lemma:independent-exponentials",
        pairs,
        one_law,
        words="the exponential of a sum is a product of independent factors of one law",
    )
    return whole


def _generating(values: Values) -> Proof:
    refuse_constants(values)
    times = values["D"] if number(values["D"]) is None else f"{values['D']} *"
    b = Builder(
        "dot-product-mgf",
        "The moment generating function of a dot product",
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent normal components, and with "
        f"{abbreviated(values, is_equal=False)}, the moment generating function of $q^T k$ is "
        f"$(1 - t^2 v)^({_half(values)}) exp({values['D']} {_HEIGHT})$ wherever $t^2 v < 1$. The derivatives of its "
        "logarithm at $t = 0$ are the cumulants: for whole numbers $n$ from 1 on the cumulant of order $2 n - 1$ is "
        f"${times} factorial(2 n - 1) m v^(n - 1)$, and that of order $2 n$ is "
        f"${times} factorial(2 n) ((w v^(n - 1))/2 + v^n/(2 n))$; the first ones are worked out as derivatives too.",
        SOURCE,
    )
    note(b, values)
    b.number("t")
    b.number("y")
    size, (law_q, law_k) = declare_normal(b, {**values, "mu": "mu", "sigma": "sigma"}, is_equal=False)
    own = {name: factor(values[name]) for name in ("mu_q", "mu_k", "sigma_q", "sigma_k")}
    independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
    pairs = b.assume("coordinates", "q k", PAIRS)
    one_law = b.assume("same-law", "q k", ONE_LAW)
    both = polynomial([(1, {"sigma_q": 1, "sigma_k": 1})], values)
    domain = b.assume("positive", "", f"$t^2 v < 1$, that is $abs(t) < 1/({both})$", "1 - t^2 v")
    b.define("P", f"(1 - t^2 v)/{own['sigma_q']}^2")
    b.define("c", f"({own['mu_q']} + t {own['sigma_q']}^2 {_after_number(own, 'sigma_q', 'mu_k')})/(1 - t^2 v)")
    b.define("K", f"{size} {_HEIGHT} - ({size}/2) log(1 - t^2 v)")
    inner = f"t {own['mu_k']} q_1 + (t^2 {own['sigma_k']}^2 q_1^2)/2"
    square = b.chain(f"{inner.replace('q_1', 'y')} - (y - {own['mu_q']})^2/({led(2, own['sigma_q'], '^2')})")
    square.then(
        "=",
        f"{_HEIGHT} - (P (y - c)^2)/2",
        "algebra",
        domain,
        words="the square completed, with precision $P$ and centre $c$",
    )
    square.claim("an identity in $y$")
    one = b.chain("E(exp(t q_1 k_1))")
    one.then(
        "=",
        f"E(exp({inner}))",
        "lemma:normal-factor",
        independent,
        law_k,
        over="k_1",
        words="the mean over $k_1$ given $q_1$: the moment generating function of a normal law at $t q_1$",
    )
    one.then(
        "=",
        f"exp({_HEIGHT}) {_ROOT}",
        "lemma:gaussian-integral",
        law_q,
        domain,
        premises=(square.last,),
        over="q_1",
        precision=f"(1 - t^2 v)/{own['sigma_q']}^2",
        words=f"the integral of $exp(-(P (y - c)^2)/2)$ is $sqrt((2 pi)/P)$, and $P * {own['sigma_q']}^2 = 1 - t^2 v$",
    )
    one.claim("one pair of components")
    whole = power_of_one_pair(b, size, pairs, one_law)
    whole.then("=", f"(exp({_HEIGHT}) {_ROOT})^{size}", "earlier result", domain, premises=tuple(one.ids))
    _closed(b, whole, values, domain)
    _every_order(b, whole, size, domain)
    _derivatives(b, size, _order(values), domain)
    return b.proof()


def _half(values: Values) -> str:
    """Return minus half the length, as an exponent."""
    size = number(values["D"])
    return "-D/2" if size is None else str(-size / 2)


def _order(values: Values) -> int:
    order = int(values["order"])
    if order > _MAX_ORDER:
        raise InputError(f"order is {order}: cumulants are derived up to order {_MAX_ORDER}.")
    return order


def _after_number(own: dict[str, str], before: str, name: str) -> str:
    """Return a factor behind another, with a sign where both are numbers."""
    return f"* {own[name]}" if own[before].isdecimal() and own[name].isdecimal() else own[name]


def _closed(b: Builder, whole: Chain, values: Values, domain: str) -> None:
    """Prove the generating function in closed form, and its logarithm."""
    size = values["D"]
    length = number(size)
    if length is not None and length % 2 == 1 and length > 1:
        # Half an odd number in an exponent has no one form of its own: the power of one factor is left as it is.
        b.define("K_1", f"{_HEIGHT} - (1/2) log(1 - t^2 v)")
        whole.then("=", f"exp(K_1)^{size}", "algebra", domain, words=f"so $K = {size} K_1$ is its logarithm")
        whole.claim("the moment generating function, with $K_1$ the cumulant generating function of one pair")
        return
    whole.then("=", f"(1 - t^2 v)^(-{size}/2) exp({size} {_HEIGHT})", "algebra", domain)
    whole.claim("the moment generating function")
    if all(values[f"mu_{name}"] == "0" and values[f"sigma_{name}"] == "1" for name in "qk"):
        whole.then("=", f"(1 - t^2)^(-{size}/2)", "definition", domain, words="$m = w = 0$ and $v = 1$")
        whole.claim("for standard normal components")
    whole.then("=", "exp(K)", "algebra", domain, words="so $K$ is its logarithm")
    whole.claim("$K$ is the cumulant generating function")


def _every_order(b: Builder, whole: Chain, size: str, domain: str) -> None:
    """Prove the cumulants of any order: the coefficients of a geometric series and of a logarithm."""
    if whole.here != "exp(K)":
        whole.then("=", "exp(K)", "algebra", domain)
    b.number("n", "positive")
    count = b.assume("whole", "n", "$n$ is a whole number from 1 on", "n")
    steps = tuple(whole.ids)
    times = size if number(size) is None else f"{size} *"
    for order, value, words in (
        ("2 n - 1", "m v^(n - 1)", "the odd powers come from $t m$ times $1/(1 - t^2 v)$, a geometric series"),
        (
            "2 n",
            "((w v^(n - 1))/2 + v^n/(2 n))",
            "$t^2 w/2$ times $1/(1 - t^2 v)$ gives the first term, the series of the logarithm the second",
        ),
    ):
        series = b.chain(f"coefficient(K, t, {order})")
        series.then("=", f"{times} {value}", "lemma:series-coefficient", domain, count, words=words)
        series.claim(f"the coefficient of the power ${order}$ of $t$ in the cumulant generating function")
        chain = b.chain(f"cumulant(q^T k, {order})")
        chain.then(
            "=",
            f"factorial({order}) coefficient(K, t, {order})",
            "lemma:cumulant-series",
            domain,
            count,
            premises=steps,
            words="the derivative of that order at $t = 0$",
        )
        chain.then("=", f"factorial({order}) ({times} {value})", "earlier result", domain, premises=(series.last,))
        chain.then("=", f"{times} factorial({order}) {value}", "algebra")
        chain.claim(f"the cumulant of order ${order}$")


def _derivatives(b: Builder, size: str, order: int, domain: str) -> None:
    at = "K"
    for n in range(1, order + 1):
        at = f"diff({at}, t)"
        chain = b.chain(f"lim(t, 0, {at})")
        chain.then("=", cumulant(n, size), "limit", domain, words="differentiated, and then $t = 0$")
        chain.claim(f"the derivative of order {n} at 0 is the cumulant of order {n}")


def cumulant(n: int, size: str) -> str:
    """Return the cumulant of order n: ``(2 j - 1)! D m v^(j - 1)``, and ``(2 j)! D (v^j/(2 j) + w v^(j - 1)/2)``.

    >>> cumulant(3, "D"), cumulant(4, "D")
    ('6 D m v', 'D (6 v^2 + 12 v w)')
    """
    half = (n + 1) // 2
    if n % 2 == 1:
        first = size if n == 1 else led(factorial(n), size)
        return f"{first} m{_power(half - 1)}"
    own = "v" if half == 1 else f"{factorial(n - 1)} v^{half}"
    shared = "w" if half == 1 else f"{factorial(n) // 2}{_power(half - 1)} w"
    return f"{size} ({own} + {shared})"


def _power(exponent: int) -> str:
    return {0: "", 1: " v"}.get(exponent, f" v^{exponent}")


_NORMAL_FUNCTION = Falsehood(
    "the score has the cumulants of a normal law",
    "D (6 v^2 + 12 v w)",
    "=",
    "0",
    CounterExample(sizes=(("D", 1),), scalars=(("v", "1"), ("w", "0"))),
    "the fourth cumulant is D (6 v^2 + 12 v w), and all even ones are positive: the tails are exponential",
    Scope((Declared("D", (), "positive"), Declared("v", (), "positive"), Declared("w", (), "nonnegative"))),
)

_NO_HALF = Falsehood(
    "the cumulant of order 2 n is D factorial(2 n) (w v^(n - 1) + v^n/(2 n)), so the variance is that for n = 1",
    "D factorial(2 n) (w v^(n - 1) + v^n/(2 n))",
    "=",
    "D (v + w)",
    CounterExample(sizes=(("D", 1),), scalars=(("n", "1"), ("v", "1"), ("w", "1"))),
    "the first term is halved: t^2 w/2 times the geometric series of 1/(1 - t^2 v)",
    Scope(
        (
            Declared("D", (), "positive"),
            Declared("n", (), "positive"),
            Declared("v", (), "positive"),
            Declared("w", (), "nonnegative"),
        )
    ),
)

THEOREMS = (
    Theorem(
        "dot-product-mgf",
        "moments",
        "the moment generating function of q . k for normal components, and its cumulants",
        _generating,
        (
            LENGTH,
            *UNEQUAL_PARAMETERS,
            Parameter("order", "4", "up to which order cumulants are derived, at most 8", kind="count"),
        ),
        falsehoods=(_NORMAL_FUNCTION, _NO_HALF),
    ),
)
"""The theorem on the moment generating function."""
