"""The variance of a dot product: equal, unequal and component-wise moments, covariance matrices, joint normal laws."""

from __future__ import annotations

from symattn.proofs.catalogue.authoring.proof_builder import Builder, Chain
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    FAIR,
    LENGTH,
    MU,
    SHIFTED,
    SIGMA,
    Monomial,
    counted,
    declare,
    declare_length,
    factor,
    finite_law,
    note,
    number,
    only_with,
    polynomial,
    second_moment,
    spread,
    squared,
    times_length,
    worked_values,
)
from symattn.proofs.catalogue.moments.mean import SOURCE
from symattn.proofs.kernel.record import Proof

EQUAL: tuple[Monomial, ...] = ((1, {"sigma": 4}), (2, {"mu": 2, "sigma": 2}))
"""The variance of one product of entries with one mean and one variance."""

UNEQUAL: tuple[Monomial, ...] = (
    (1, {"sigma_q": 2, "sigma_k": 2}),
    (1, {"mu_q": 2, "sigma_k": 2}),
    (1, {"mu_k": 2, "sigma_q": 2}),
)
"""The same with means and variances of their own."""

_UNEQUAL_NAMES = ("mu_q", "mu_k", "sigma_q", "sigma_k")
_CASES = ("equal", "unequal", "componentwise", "covariance", "joint")
_INDEPENDENT = "$q$ and $k$ are independent"
PAIRS = "the pairs $(q_i, k_i)$ are independent over $i$"
ONE_LAW = "the pairs $(q_i, k_i)$ have one law for every $i$"


def _variance(values: Values) -> Proof:
    case = values["case"]
    if case in {"equal", "unequal"}:
        return _identical(values)
    only_with(values, "equal", "mu", "sigma")
    only_with(values, "unequal", *_UNEQUAL_NAMES)
    return {"componentwise": _componentwise, "covariance": _covariance, "joint": _joint}[case](values)


def _builder(values: Values, statement: str) -> Builder:
    b = Builder("dot-product-variance", "The variance of a dot product", statement, SOURCE)
    note(b, values)
    return b


def _vectors(b: Builder, values: Values) -> str:
    size = declare_length(b, values)
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    return size


# One law for every component -----------------------------------------------------------------------


def _identical(values: Values) -> Proof:
    is_equal = values["case"] == "equal"
    b = _builder(
        values,
        f"For independent random vectors $q$ and $k$ of length ${values['D']}$, whose pairs of components are "
        f"independent and have one law, {_says(values, is_equal=is_equal)} Nothing else of the laws enters.",
    )
    size = _vectors(b, values)
    independent = b.assume("independent", "q k", _INDEPENDENT)
    pairs = b.assume("coordinates", "q k", PAIRS)
    one_law = b.assume("same-law", "q k", ONE_LAW)
    moments = one_component(b, values, is_equal=is_equal)
    chain = b.chain("Var(q^T k)")
    one_product(chain, size, independent, pairs, one_law)
    names = ("mu", "sigma", "mu", "sigma") if is_equal else ("mu_q", "sigma_q", "mu_k", "sigma_k")
    m, s, n, t = names
    seconds = [second_moment(values, *pair) for pair in ((m, s), (n, t))]
    result = times_length(EQUAL if is_equal else UNEQUAL, values)
    between = " * " if all(item.strip("()").replace("/", "").isdecimal() for item in seconds) else " "
    chain.then(
        "=",
        counted(size, f"({seconds[0]}{between}{seconds[1]}{_less_product(values, m, n)})"),
        "moments",
        *moments,
        words="a second moment is the variance plus the square of the mean",
    )
    chain.then("=", result, "algebra")
    chain.claim()
    return b.proof()


def _less_product(values: Values, first: str, second: str) -> str:
    """Return minus the square of the product of two means; nothing where it is 0."""
    means = [number(values[name]) for name in (first, second)]
    if 0 in means:
        return ""
    if means[0] is None and means[1] is None:
        return f" - ({factor(values[first])} * {factor(values[second])})^2"
    return f" - {polynomial([(1, {first: 2, second: 2} if first != second else {first: 4})], values)}"


def _says(values: Values, *, is_equal: bool) -> str:
    """Return the theorem in words, with the moments that were chosen."""
    variance = times_length(EQUAL if is_equal else UNEQUAL, values)
    if not is_equal:
        return (
            f"with means ${values['mu_q']}$ and ${values['mu_k']}$ and variances ${squared(values, 'sigma_q')}$ and "
            f"${squared(values, 'sigma_k')}$ of their components, the variance of $q^T k$ is ${variance}$."
        )
    usual = {"mu": "0", "sigma": "1"}
    general = [f"${name} = {value}$" for name, value in usual.items() if values[name] == name]
    is_usual = general and all(values[name] in {name, value} for name, value in usual.items())
    rest = f" For {' and '.join(general)} it is ${values['D']}$." if is_usual else ""
    return (
        f"with mean ${values['mu']}$ and variance ${squared(values)}$ of every component, the variance of $q^T k$ is "
        f"${variance}$.{rest}"
    )


def one_product(chain: Chain, size: str, independent: str, pairs: str, one_law: str) -> None:
    """Reduce the variance of a dot product to the moments of one component of each vector."""
    chain.then("=", f"Var(sum_{{i=1}}^{{{size}}} q_i k_i)", "definition", words="the dot product written out")
    chain.then(
        "=",
        f"sum_{{i=1}}^{{{size}}} Var(q_i k_i)",
        "variance of an independent sum",
        pairs,
        words="the products are functions of independent pairs, and so independent: no covariance is left",
    )
    chain.then(
        "=",
        counted(size, "Var(q_1 k_1)"),
        "identical distribution",
        one_law,
        words="every term has the value of the first",
    )
    chain.then("=", counted(size, "(E(q_1^2 k_1^2) - E(q_1 k_1)^2)"), "definition of variance")
    chain.then(
        "=",
        counted(size, "(E(q_1^2) E(k_1^2) - (E(q_1) E(k_1))^2)"),
        "independence",
        independent,
        words="$q_1$ and $k_1$ are independent, and so are their squares",
    )


def one_component(b: Builder, values: Values, *, is_equal: bool) -> list[str]:
    """Declare means and standard deviations and assume them of every component."""
    if is_equal:
        only_with(values, "unequal", *_UNEQUAL_NAMES)
        declare(b, values, "mu", "sigma")
        mu, square = values["mu"], squared(values)
        return [
            b.assume("mean", "q k", f"$E(q_i) = E(k_i) = {mu}$ for every $i$", mu),
            b.assume("variance", "q k", f"$Var(q_i) = Var(k_i) = {square}$ for every $i$", square),
        ]
    only_with(values, "equal", "mu", "sigma")
    declare(b, values, *_UNEQUAL_NAMES)
    found = []
    for name in ("q", "k"):
        mu, square = values[f"mu_{name}"], squared(values, f"sigma_{name}")
        found.append(b.assume("mean", name, f"$E({name}_i) = {mu}$ for every $i$", mu))
        found.append(b.assume("variance", name, f"$Var({name}_i) = {square}$ for every $i$", square))
    return found


# Components of their own -----------------------------------------------------------------------------


def _componentwise(values: Values) -> Proof:
    b = _builder(
        values,
        f"For independent random vectors $q$ and $k$ of length ${values['D']}$, whose pairs of components are "
        "independent, with means $m_i$, $n_i$ and variances $s_i^2$, $t_i^2$, the mean of $q^T k$ is $m^T n$ and its "
        f"variance is $sum_{{i=1}}^{{{values['D']}}} "
        "(s_i^2 t_i^2 + m_i^2 t_i^2 + n_i^2 s_i^2)$.",
    )
    size = _vectors(b, values)
    for name in "mnst":
        b.vector(name, size, "nonnegative" if name in "st" else "real")
    independent = b.assume("independent", "q k", _INDEPENDENT)
    pairs = b.assume("coordinates", "q k", PAIRS)
    means = [b.assume("mean", x, f"$E({x}_i) = {m}_i$ for every $i$", f"{m}_i") for x, m in (("q", "m"), ("k", "n"))]
    spreads = [
        b.assume("variance", x, f"$Var({x}_i) = {s}_i^2$ for every $i$", f"{s}_i^2")
        for x, s in (("q", "s"), ("k", "t"))
    ]
    _mean_of(b, size, independent, means)
    sums = f"sum_{{i=1}}^{{{size}}}"
    chain = b.chain("Var(q^T k)")
    chain.then("=", f"Var({sums} q_i k_i)", "definition", words="the dot product written out")
    chain.then(
        "=",
        f"{sums} Var(q_i k_i)",
        "variance of an independent sum",
        pairs,
        words="the products are functions of independent pairs, and so independent",
    )
    chain.then("=", f"{sums} (E(q_i^2 k_i^2) - E(q_i k_i)^2)", "definition of variance")
    chain.then("=", f"{sums} (E(q_i^2) E(k_i^2) - (E(q_i) E(k_i))^2)", "independence", independent)
    chain.then("=", f"{sums} ((s_i^2 + m_i^2) (t_i^2 + n_i^2) - (m_i n_i)^2)", "moments", *means, *spreads)
    chain.then("=", f"{sums} (s_i^2 t_i^2 + m_i^2 t_i^2 + n_i^2 s_i^2)", "algebra")
    chain.claim()
    return b.proof()


def _mean_of(b: Builder, size: str, independent: str, means: list[str]) -> None:
    sums = f"sum_{{i=1}}^{{{size}}}"
    chain = b.chain("E(q^T k)").then("=", f"{sums} E(q_i k_i)", "linearity of expectation")
    chain.then("=", f"{sums} E(q_i) E(k_i)", "independence", independent)
    chain.then("=", "m^T n", "moments", *means)
    chain.claim()


# Covariance matrices -------------------------------------------------------------------------------


def _covariance(values: Values) -> Proof:
    b = _builder(
        values,
        f"For independent random vectors $q$ and $k$ of length ${values['D']}$ with means $m$, $n$ and covariance "
        "matrices $S_q$, $S_k$, the mean of $q^T k$ is $m^T n$ and its variance is "
        "$tr(S_q S_k) + m^T S_k m + n^T S_q n$. The trace is written as "
        f"$sum_{{i=1}}^{{{values['D']}}} sum_{{j=1}}^{{{values['D']}}} (S_q)_{{i j}} (S_k)_{{i j}}$, which it is "
        "because covariance matrices are symmetric. "
        "The components of a vector may depend on each other, and no law is assumed.",
    )
    size = _vectors(b, values)
    _means_and_covariances(b, size)
    independent = b.assume("independent", "q k", _INDEPENDENT)
    means = [b.assume("mean", x, f"$E({x}_i) = {m}_i$ for every $i$", f"{m}_i") for x, m in (("q", "m"), ("k", "n"))]
    second = [
        b.assume(
            "covariance",
            f"{x} {x}",
            f"$Cov({x}_i, {x}_j) = (S_{x})_{{i j}}$ for every $i$ and $j$",
            f"(S_{x})_{{i j}}",
        )
        for x in "qk"
    ]
    _mean_of(b, size, independent, means)
    sums = f"sum_{{i=1}}^{{{size}}} sum_{{j=1}}^{{{size}}}"
    trace = f"{sums} (S_q)_{{i j}} (S_k)_{{i j}}"
    chain = b.chain("Var(q^T k)")
    chain.then("=", "E((q^T k)^2) - E(q^T k)^2", "definition of variance")
    chain.then(
        "=",
        f"{sums} E(q_i q_j k_i k_j) - {sums} E(q_i k_i) E(q_j k_j)",
        "linearity of expectation",
        words="both squares of sums as double sums",
    )
    chain.then(
        "=",
        f"{sums} (E(q_i q_j) E(k_i k_j) - E(q_i) E(k_i) E(q_j) E(k_j))",
        "independence",
        independent,
        words="$q$ and $k$ are independent as wholes",
    )
    chain.then(
        "=",
        f"{sums} (((S_q)_{{i j}} + m_i m_j) ((S_k)_{{i j}} + n_i n_j) - m_i n_i m_j n_j)",
        "moments",
        *means,
        *second,
        words="$E(q_i q_j) = (S_q)_{i j} + m_i m_j$, and the same for $k$",
    )
    chain.then("=", f"{trace} + m^T S_k m + n^T S_q n", "algebra")
    chain.claim()
    return b.proof()


def _means_and_covariances(b: Builder, size: str) -> None:
    b.vector("m", size)
    b.vector("n", size)
    b.matrix("S_q", size, size)
    b.matrix("S_k", size, size)


def _joint(values: Values) -> Proof:
    b = _builder(
        values,
        "Let $q = m + L u$ and $k = n + M u$, where $u$ has independent standard normal components: so every jointly "
        "normal pair is written, with covariance matrices $S_q = L L^T$, $S_k = M M^T$ and $C = L M^T$ between $q$ and "
        "$k$. The mean of $q^T k$ is $m^T n + tr(C)$, and its variance is "
        "$tr(S_q S_k) + tr(C^2) + m^T S_k m + n^T S_q n + 2 m^T C^T n$. The traces are written as sums.",
    )
    size = declare_length(b, values)
    b.number("r", "positive")
    b.vector("u", "r", random=True)
    b.vector("m", size)
    b.vector("n", size)
    b.matrix("L", size, "r")
    b.matrix("M", size, "r")
    b.define("q", "m_i + sum_{a=1}^{r} L_{i a} u_a", "i", size)
    b.define("k", "n_i + sum_{a=1}^{r} M_{i a} u_a", "i", size)
    for name, first, second in (("S_q", "L", "L"), ("S_k", "M", "M"), ("C", "L", "M")):
        b.define(name, f"sum_{{a=1}}^{{r}} {first}_{{i a}} {second}_{{j a}}", "i j", f"{size} {size}")
    apart = b.assume("coordinates", "u", "the components of $u$ are independent")
    normal = b.assume("law", "u", "every $u_a$ is standard normal", "gaussian", "0", "1")
    one, both = f"sum_{{i=1}}^{{{size}}}", f"sum_{{i=1}}^{{{size}}} sum_{{j=1}}^{{{size}}}"
    chain = b.chain("E(q^T k)")
    chain.then("=", f"m^T n + {one} C_{{i i}}", "expectation", apart, normal, words="$E(u_a u_b) = delta_{a b}$")
    chain.claim()
    chain = b.chain("Var(q^T k)")
    chain.then("=", "E((q^T k)^2) - E(q^T k)^2", "definition of variance")
    chain.then(
        "=",
        f"{both} (S_q)_{{i j}} (S_k)_{{i j}} + {both} C_{{i j}} C_{{j i}} + m^T S_k m + n^T S_q n + 2 m^T C^T n",
        "expectation",
        apart,
        normal,
        words="the third moments of $u$ vanish, and the fourth are sums over the three ways to pair four factors",
    )
    chain.claim()
    return b.proof()


# What is false, and numbers ----------------------------------------------------------------------------

COORDINATES = Falsehood(
    "the variance is D (sigma^4 + 2 mu^2 sigma^2) without independent components",
    "Var(q^T k)",
    "=",
    "D (sigma^4 + 2 mu^2 sigma^2)",
    CounterExample(
        sizes=(("D", 2),),
        scalars=(("mu", "0"), ("sigma", "1")),
        law=tuple(
            ("1/4", (("q", ((first, first),)), ("k", ((second, second),))))
            for first in ("1", "-1")
            for second in ("1", "-1")
        ),
    ),
    "with q = (r, r) and k = (w, w) the score is 2 r w, of variance 4: the variances of the products add only where "
    "the products are uncorrelated",
)

TIED = Falsehood(
    "the variance is D (sigma^4 + 2 mu^2 sigma^2) for q = k as well",
    "Var(q^T k)",
    "=",
    "D (sigma^4 + 2 mu^2 sigma^2)",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "0"), ("sigma", "1")),
        law=finite_law({"q": 1}, FAIR, {"k": "q"}),
    ),
    "for q = k the fourth moment of a component enters; for normal components the variance is "
    "D (2 sigma^4 + 4 mu^2 sigma^2), twice as much",
)

_PRODUCT_OF_VARIANCES = Falsehood(
    "the variance of a product is the product of the variances",
    "Var(q^T k)",
    "=",
    "D sigma^4",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "1"), ("sigma", "1")),
        law=finite_law({"q": 1, "k": 1}, SHIFTED),
    ),
    "that holds for mu = 0 only: in general D (sigma^4 + 2 mu^2 sigma^2)",
)

_SQUARED_LENGTH = Falsehood(
    "the variance of a sum of D products is D^2",
    "Var(q^T k)",
    "=",
    "D^2 (sigma^4 + 2 mu^2 sigma^2)",
    CounterExample(
        sizes=(("D", 2),),
        scalars=(("mu", "0"), ("sigma", "1")),
        law=finite_law({"q": 2, "k": 2}, FAIR),
    ),
    "variances of independent terms add: D (sigma^4 + 2 mu^2 sigma^2)",
)


def _instance(values: Values) -> tuple[Line, ...]:
    if values["case"] != "equal":
        return ()
    chosen = worked_values(values)
    mean, variance = times_length([(1, {"mu": 2})], chosen), times_length(EQUAL, chosen)
    where = f"for D = {chosen['D']}, mu = {chosen['mu']}, sigma = {spread(chosen)}"
    return (
        Line(f"$E(q^T k)$ {where}", mean, mean),
        Line(f"$Var(q_1 k_1)$ {where}", polynomial(EQUAL, chosen), polynomial(EQUAL, chosen)),
        Line(f"$Var(q^T k)$ {where}", variance, variance),
    )


UNEQUAL_PARAMETERS = (
    Parameter("mu_q", "mu_q", "the mean of every q_i, in the case unequal"),
    Parameter("mu_k", "mu_k", "the mean of every k_i, in the case unequal"),
    Parameter("sigma_q", "sigma_q", "the standard deviation of every q_i, in the case unequal"),
    Parameter("sigma_k", "sigma_k", "the standard deviation of every k_i, in the case unequal"),
)

THEOREMS = (
    Theorem(
        "dot-product-variance",
        "moments",
        "the variance of q . k is D (sigma^4 + 2 mu^2 sigma^2), and D for mu = 0 and sigma = 1",
        _variance,
        (
            MU,
            SIGMA,
            LENGTH,
            Parameter("case", "equal", "what is known of the moments", _CASES, kind="word"),
            *UNEQUAL_PARAMETERS,
        ),
        falsehoods=(COORDINATES, TIED, _PRODUCT_OF_VARIANCES, _SQUARED_LENGTH),
        instance=_instance,
        without=(
            ("independence", COORDINATES),
            ("independence of the coordinates", COORDINATES),
            ("independence of q and k", TIED),
        ),
    ),
)
"""The theorem on the variance."""
