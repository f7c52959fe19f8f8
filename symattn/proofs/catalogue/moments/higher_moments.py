"""Third and fourth moments and cumulants of a dot product, for normal components and for random signs."""

from __future__ import annotations

from symattn.proofs.catalogue.authoring.proof_builder import Builder, Chain
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    LENGTH,
    MU,
    SIGMA,
    Monomial,
    counted,
    declare,
    declare_length,
    led,
    note,
    number,
    only_with,
    polynomial,
    rising,
    spread,
    squared,
    times_length,
    worked_values,
)
from symattn.proofs.catalogue.moments.variance import PAIRS, UNEQUAL_PARAMETERS
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

SOURCE = "Kendall and Stuart 1977, The Advanced Theory of Statistics, volume 1, chapter 3 (moments and cumulants)"
_CASES = ("unequal", "equal", "standard", "rademacher")

THIRD: tuple[Monomial, ...] = ((6, {"mu": 2, "sigma": 4}),)
"""The third cumulant of one product of normal components with one mean and variance."""

FOURTH: tuple[Monomial, ...] = ((6, {"sigma": 8}), (24, {"mu": 2, "sigma": 6}))
"""The fourth."""


def _higher(values: Values) -> Proof:
    case = values["case"]
    if case in {"standard", "rademacher"}:
        only_with(values, "equal", "mu", "sigma")
        only_with(values, "unequal", "mu_q", "mu_k", "sigma_q", "sigma_k")
        return _standard(values) if case == "standard" else _rademacher(values)
    return _normal(values)


def _builder(values: Values, statement: str) -> Builder:
    b = Builder("dot-product-higher-moments", "Third and fourth moments of a dot product", statement, SOURCE)
    note(b, values)
    return b


# Normal components -----------------------------------------------------------------------------------


_CUMULANTS: tuple[tuple[Monomial, ...], ...] = (
    ((1, {"m": 1}),),
    ((1, {"v": 1}), (1, {"w": 1})),
    ((6, {"m": 1, "v": 1}),),
    ((6, {"v": 2}), (12, {"v": 1, "w": 1})),
)
_LAST_OF_EQUAL: tuple[tuple[Monomial, ...], ...] = (
    ((6, {"mu": 2, "sigma": 4}),),
    ((6, {"sigma": 8}), (24, {"mu": 2, "sigma": 6})),
)


def _bodies(*, is_equal: bool) -> list[tuple[Monomial, ...]]:
    """Return m, v and w in the moments of one component of each vector."""
    if is_equal:
        return [((1, {"mu": 2}),), ((1, {"sigma": 4}),), ((2, {"mu": 2, "sigma": 2}),)]
    return [
        ((1, {"mu_q": 1, "mu_k": 1}),),
        ((1, {"sigma_q": 2, "sigma_k": 2}),),
        ((1, {"mu_q": 2, "sigma_k": 2}), (1, {"mu_k": 2, "sigma_q": 2})),
    ]


def abbreviated(values: Values, *, is_equal: bool) -> str:
    """Return the abbreviations m, v and w in words, with the numbers that were chosen."""
    m, v, w = (polynomial(body, values) for body in _bodies(is_equal=is_equal))
    return f"$m = {m}$, $v = {v}$ and $w = {w}$"


def declare_normal(b: Builder, values: Values, *, is_equal: bool) -> tuple[str, tuple[str, str]]:
    """Declare normal vectors q and k with m, v and w; return the length and the hypotheses on the laws."""
    size = declare_length(b, values)
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    bodies = _bodies(is_equal=is_equal)
    if is_equal:
        only_with(values, "unequal", "mu_q", "mu_k", "sigma_q", "sigma_k")
        declare(b, values, "mu", "sigma")
        own = {**values, **dict.fromkeys(("mu_q", "mu_k"), values["mu"])}
        own |= dict.fromkeys(("sigma_q", "sigma_k"), spread(values))
    else:
        declare(b, values, "mu_q", "mu_k", "sigma_q", "sigma_k")
        own = dict(values)
    for name, body in zip("mvw", bodies, strict=True):
        b.define(name, polynomial(body, values))
    laws = []
    for name in ("q", "k"):
        mean, square = own[f"mu_{name}"], squared(own, f"sigma_{name}")
        text = f"every ${name}_i$ is normal with mean ${mean}$ and variance ${square}$"
        laws.append(b.assume("law", name, text, "gaussian", mean, square))
    return size, (laws[0], laws[1])


def _normal(values: Values) -> Proof:
    is_equal = values["case"] == "equal"
    if not is_equal:
        only_with(values, "equal", "mu", "sigma")
    cumulants = ", ".join(f"${times_length(item, values)}$" for item in _CUMULANTS[:-1])
    third, fourth = (times_length(item, values) for item in _LAST_OF_EQUAL)
    b = _builder(
        values,
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent normal components, and with "
        f"{abbreviated(values, is_equal=is_equal)}, the cumulants of $q^T k$ are {cumulants} and "
        f"${times_length(_CUMULANTS[-1], values)}$. The third central moment is the third cumulant; the fourth central "
        "moment is the fourth cumulant plus three times the square of the variance."
        + (f" The last two cumulants are ${third}$ and ${fourth}$." if is_equal else ""),
    )
    size, laws = declare_normal(b, values, is_equal=is_equal)
    b.define("x", "q_i k_i - m", "i", size)
    hypotheses = (
        b.assume("independent", "q k", "$q$ and $k$ are independent"),
        b.assume("coordinates", "q k", PAIRS),
    )
    _Cumulants(b, values, size, hypotheses, laws).write(is_equal=is_equal)
    return b.proof()


class _Cumulants:
    """The claims on mean, variance, third and fourth moments, one after the other."""

    def __init__(
        self, b: Builder, values: Values, size: str, hypotheses: tuple[str, str], laws: tuple[str, str]
    ) -> None:
        self.b, self.values, self.size = b, values, size
        self.independent, self.pairs = hypotheses
        self.laws = laws
        self.all = (*hypotheses, *laws)
        self.sums = f"sum_{{i=1}}^{{{size}}}"
        self.centred = f"q^T k - {counted(size, 'm')}"

    def write(self, *, is_equal: bool) -> None:
        self._mean()
        self._variance()
        self._third(is_equal=is_equal)
        self._fourth(is_equal=is_equal)
        self._raw()

    def _mean(self) -> None:
        chain = self.b.chain("E(q^T k)")
        chain.then("=", f"{self.sums} E(q_i) E(k_i)", "independence", self.independent)
        chain.then("=", f"{self.sums} m", "moments", *self.laws)
        chain.then("=", counted(self.size, "m"), "sum of equal terms")
        chain.claim("the first cumulant")

    def _variance(self) -> None:
        chain = self.b.chain("Var(q^T k)")
        chain.then("=", f"{self.sums} Var(q_i k_i)", "variance of an independent sum", self.pairs)
        chain.then("=", f"{self.sums} (E(q_i^2 k_i^2) - E(q_i k_i)^2)", "definition of variance")
        chain.then("=", f"{self.sums} (E(q_i^2) E(k_i^2) - (E(q_i) E(k_i))^2)", "independence", self.independent)
        chain.then("=", f"{self.sums} (v + w)", "moments", *self.laws)
        chain.then("=", counted(self.size, "(v + w)"), "sum of equal terms")
        chain.claim("the second cumulant")
        self.variance = tuple(chain.ids)

    def _third(self, *, is_equal: bool) -> None:
        chain = self.b.chain(f"E(({self.centred})^3)")
        chain.then("=", f"E(({self.sums} x_i)^3)", "definition", words="$x_i = q_i k_i - m$ has mean 0")
        chain.then(
            "=",
            f"{self.sums} E(x_i^3)",
            "expectation",
            *self.all,
            words="a factor with an index of its own has mean 0 and takes its term away",
        )
        chain.then(
            "=",
            f"{self.sums} (E(q_i^3) E(k_i^3) - 3 m E(q_i^2) E(k_i^2) + 3 m^2 E(q_i) E(k_i) - m^3)",
            "independence",
            self.independent,
            words="the cube multiplied out",
        )
        chain.then(
            "=",
            f"{self.sums} 6 m v",
            "moments",
            *self.laws,
            words="$E(X^n) = E(X) E(X^{n-1}) + (n-1) Var(X) E(X^{n-2})$ for a normal $X$",
        )
        chain.then("=", f"{led(6, self.size)} m v", "algebra")
        chain.claim("the third central moment, which is the third cumulant")
        if is_equal:
            chain.then("=", times_length(THIRD, self.values), "definition")
            chain.claim()

    def _fourth(self, *, is_equal: bool) -> None:
        whole = f"E(({self.centred})^4)"
        fourth = counted(self.size, "(6 v^2 + 12 v w)")
        chain = self.b.chain(whole)
        chain.then("=", f"E(({self.sums} x_i)^4)", "definition")
        chain.then(
            "=",
            f"3 ({self.sums} E(x_i^2))^2 + {self.sums} (E(x_i^4) - 3 E(x_i^2)^2)",
            "expectation",
            *self.all,
            words="four indices are equal, or equal in two pairs, which is possible in three ways",
        )
        chain.then(
            "=",
            f"3 ({self.sums} (v + w))^2 + {self.sums} ((3 (v + w)^2 + 6 v^2 + 12 v w) - 3 (v + w)^2)",
            "expectation",
            self.independent,
            *self.laws,
            words="the second and fourth moments of one term",
        )
        chain.then("=", f"{led(3, self.size, '^2')} (v + w)^2 + {fourth}", "algebra")
        chain.claim("the fourth central moment")
        cumulant = self.b.chain(f"{whole} - 3 Var(q^T k)^2")
        cumulant.then(
            "=",
            f"({led(3, self.size, '^2')} (v + w)^2 + {fourth}) - 3 ({counted(self.size, '(v + w)')})^2",
            "earlier result",
            premises=(*chain.ids, *self.variance),
        )
        cumulant.then("=", fourth, "algebra")
        cumulant.claim("the fourth cumulant")
        if is_equal:
            cumulant.then("=", times_length(FOURTH, self.values), "definition")
            cumulant.claim()

    def _raw(self) -> None:
        bodies = (
            counted(self.size, "m"),
            counted(self.size, "(v + w)"),
            counted(self.size, "(6 m v)"),
            counted(self.size, "(6 v^2 + 12 v w)"),
        )
        for n, body in enumerate(bodies, 1):
            self.b.define(f"c_{n}", body)
        for power, value in (
            (3, "c_3 + 3 c_2 c_1 + c_1^3"),
            (4, "c_4 + 4 c_3 c_1 + 3 c_2^2 + 6 c_2 c_1^2 + c_1^4"),
        ):
            chain = self.b.chain(f"E((q^T k)^{power})")
            chain.then(
                "=", value, "expectation", *self.all, words="$c_1$, ..., $c_4$ are the cumulants that were found above"
            )
            chain.claim("a moment about 0, in the cumulants")


# Standard normal components and signs -----------------------------------------------------------------


def _vectors(b: Builder, values: Values) -> tuple[str, str, str]:
    size = declare_length(b, values)
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
    return size, independent, b.assume("coordinates", "q k", PAIRS)


def _sixth(values: Values) -> str:
    size = number(values["D"])
    return "15 D (D + 2) (D + 4)" if size is None else str(15 * size * (size + 2) * (size + 4))


def _kurtosis(values: Values) -> str:
    size = number(values["D"])
    return "6/D" if size is None else str(6 / size)


def _standard(values: Values) -> Proof:
    b = _builder(
        values,
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent standard normal components, "
        f"$q^T k$ has the moments $E((q^T k)^2) = {values['D']}$, $E((q^T k)^3) = 0$, "
        f"$E((q^T k)^4) = {polynomial([(3, {'D': 2}), (6, {'D': 1})], values)}$ and $E((q^T k)^6) = {_sixth(values)}$. "
        f"Its excess kurtosis is ${_kurtosis(values)}$: it is not normal"
        + (", and comes close to normal as $D$ grows." if number(values["D"]) is None else "."),
    )
    size, independent, pairs = _vectors(b, values)
    law = b.assume("law", "q k", "every $q_i$ and $k_i$ is standard normal", "gaussian", "0", "1")
    every = (independent, pairs, law)
    second = b.chain("E((q^T k)^2)").then("=", size, "expectation", *every)
    second.claim()
    third = b.chain("E((q^T k)^3)").then("=", "0", "expectation", *every, words="odd moments of $q_i$ vanish")
    third.claim()
    value = f"{led(3, size, '^2')} + {led(6, size)}"
    fourth = _given_q(b, 4, "3 (q^T q)^2", rising(3, size, 2), every)
    fourth.then("=", value, "algebra")
    fourth.claim()
    ratio = b.chain("E((q^T k)^4)/E((q^T k)^2)^2 - 3")
    ratio.then(
        "=",
        f"({value})/{size}^2 - 3",
        "expectation",
        *every,
        words="the two moments from above",
    )
    ratio.then("=", f"6/{size}", "algebra")
    ratio.claim("the excess kurtosis")
    _given_q(b, 6, "15 (q^T q)^3", rising(15, size, 2, 4), every).claim()
    return b.proof()


def _given_q(b: Builder, power: int, inner: str, value: str, hypotheses: tuple[str, ...]) -> Chain:
    """Prove a moment by way of the conditional one: given q the score is normal with variance q^T q.

    The first of the hypotheses is the independence of q and k.
    """
    given = b.chain(f"E((q^T k)^{power}, q)")
    given.then(
        "=", inner, "expectation", *hypotheses, words="given $q$, the score is normal with mean 0 and variance $q^T q$"
    )
    chain = b.chain(f"E((q^T k)^{power})")
    chain.then("=", f"E(E((q^T k)^{power}, q))", "tower property", words="first the mean over $k$, then that over $q$")
    chain.then("=", f"E({inner})", "earlier result", premises=tuple(given.ids))
    chain.then("=", value, "expectation", *hypotheses[1:], words="the moments of a sum of squares of standard normals")
    return chain


def _rademacher(values: Values) -> Proof:
    b = _builder(
        values,
        f"For independent vectors $q$ and $k$ of length ${values['D']}$ with independent random signs as components, "
        f"$q^T k$ has mean $0$ and variance ${values['D']}$, as for standard normal components; but its fourth "
        f"cumulant is ${polynomial([(-2, {'D': 1})], values)}$, and not ${polynomial([(6, {'D': 1})], values)}$. Mean "
        "and variance do not depend on the law of the components, higher moments do.",
    )
    size, independent, pairs = _vectors(b, values)
    law = b.assume("law", "q k", "every $q_i$ and $k_i$ is 1 or -1, with probability $1/2$ each", "rademacher")
    every = (independent, pairs, law)
    mean = b.chain("E(q^T k)").then("=", "0", "expectation", independent, law)
    mean.claim()
    variance = b.chain("Var(q^T k)").then("=", size, "expectation", *every)
    variance.claim("as for standard normal components")
    square = led(3, size, "^2")
    fourth = b.chain("E((q^T k)^4)").then(
        "=",
        f"{square} - {led(2, size)}",
        "expectation",
        *every,
        words="every square is 1, so $D$ terms are lost",
    )
    fourth.claim()
    cumulant = b.chain("E((q^T k)^4) - 3 Var(q^T k)^2")
    cumulant.then(
        "=",
        f"({square} - {led(2, size)}) - {square}",
        "earlier result",
        premises=(fourth.last, variance.last),
    )
    cumulant.then("=", f"-{led(2, size)}", "algebra")
    cumulant.claim("the fourth cumulant")
    return b.proof()


# What is false, and numbers ----------------------------------------------------------------------------

_LENGTH_ONLY = Scope((Declared("D", (), "positive"), Declared("mu"), Declared("sigma", (), "nonnegative")))

_AS_NORMAL = Falsehood(
    "the fourth moment is that of a normal variable of variance D",
    "3 D^2 + 6 D",
    "=",
    "3 D^2",
    CounterExample(sizes=(("D", 1),)),
    "for standard normal components it is 3 D^2 + 6 D: the product of two normals has heavier tails than a normal",
    _LENGTH_ONLY,
)

_ANY_LAW = Falsehood(
    "the fourth moment follows from mean 0 and variance 1 of the components alone",
    "3 D^2 - 2 D",
    "=",
    "3 D^2 + 6 D",
    CounterExample(sizes=(("D", 1),)),
    "random signs have mean 0 and variance 1 too, and give 3 D^2 - 2 D: normality is used",
    _LENGTH_ONLY,
)

_NO_SKEW = Falsehood(
    "the score is symmetric about its mean for every mean of the components",
    "6 D mu^2 sigma^4",
    "=",
    "0",
    CounterExample(sizes=(("D", 1),), scalars=(("mu", "1"), ("sigma", "1"))),
    "the third central moment is 6 D mu^2 sigma^4, which vanishes for mu = 0",
    _LENGTH_ONLY,
)


def _instance(values: Values) -> tuple[Line, ...]:
    if values["case"] not in {"unequal", "equal", "standard"} or any(number(values[name]) is not None for name in _OWN):
        return ()
    chosen = worked_values(values)
    where = f"for D = {chosen['D']}, mu = {chosen['mu']}, sigma = {spread(chosen)} and normal components"
    spread_terms: tuple[Monomial, ...] = ((1, {"sigma": 4}), (2, {"mu": 2, "sigma": 2}))
    second, third, fourth = (times_length(terms, chosen) for terms in (spread_terms, THIRD, FOURTH))
    about = polynomial([(1, {"c": 1}), (3, {"s": 2})], {"c": fourth, "s": second})
    return tuple(
        Line(f"{name} {where}", value, value)
        for name, value in (
            ("the variance", second),
            ("the third central moment", third),
            ("the fourth cumulant", fourth),
            ("the fourth central moment", about),
        )
    )


_OWN = ("mu_q", "mu_k", "sigma_q", "sigma_k")

THEOREMS = (
    Theorem(
        "dot-product-higher-moments",
        "moments",
        "third and fourth moments and cumulants of q . k for normal components",
        _higher,
        (
            MU,
            SIGMA,
            LENGTH,
            Parameter("case", "unequal", "what is known of the components", _CASES, kind="word"),
            *UNEQUAL_PARAMETERS,
        ),
        falsehoods=(_AS_NORMAL, _ANY_LAW, _NO_SKEW),
        instance=_instance,
    ),
)
"""The theorem on third and fourth moments."""
