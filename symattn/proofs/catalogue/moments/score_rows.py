"""Scores of one row, and scores of a vector with itself."""

from __future__ import annotations

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    FAIR,
    LENGTH,
    MU,
    SHIFTED,
    SIGMA,
    Monomial,
    declare,
    declare_length,
    factor,
    finite_law,
    note,
    number,
    polynomial,
    spread,
    squared,
    times_length,
)
from symattn.proofs.catalogue.moments.mean import SOURCE
from symattn.proofs.catalogue.moments.variance import EQUAL
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_SHARED: tuple[Monomial, ...] = ((1, {"mu": 2, "sigma": 2}),)
_DIFFERENCE: tuple[Monomial, ...] = ((2, {"sigma": 4}), (2, {"mu": 2, "sigma": 2}))
_TIED: tuple[Monomial, ...] = ((2, {"sigma": 4}), (4, {"mu": 2, "sigma": 2}))
_FOURTH: tuple[Monomial, ...] = ((1, {"mu": 4}), (6, {"mu": 2, "sigma": 2}), (3, {"sigma": 4}))
_SQUARE: tuple[Monomial, ...] = ((1, {"mu": 2}), (1, {"sigma": 2}))


# Two scores of one row -------------------------------------------------------------------------------


def _covariance(values: Values) -> Proof:
    b = Builder(
        "score-covariance",
        "Two scores of one row",
        _shared_row(values),
        SOURCE,
    )
    note(b, values)
    size = declare_length(b, values)
    for name in ("q", "k_1", "k_2"):
        b.vector(name, size, random=True)
    declare(b, values, "mu", "sigma")
    mu, sigma = values["mu"], factor(spread(values))
    m = factor(mu)
    independent = b.assume("independent", "q k_1 k_2", "$q$, $k_1$ and $k_2$ are independent")
    rows = b.assume("coordinates", "q k_1 k_2", "the triples $(q_i, (k_1)_i, (k_2)_i)$ are independent over $i$")
    mean = b.assume("mean", "q k_1 k_2", f"every component has mean ${mu}$", mu)
    square = squared(values)
    variance = b.assume("variance", "q k_1 k_2", f"every component has variance ${square}$", square)
    sums = f"sum_{{i=1}}^{{{size}}}"
    shared = times_length(_SHARED, values)
    chain = b.chain("Cov(q^T k_1, q^T k_2)")
    chain.then(
        "=",
        f"{sums} Cov(q_i (k_1)_i, q_i (k_2)_i)",
        "independence",
        rows,
        words="terms with different indices are independent and have covariance 0",
    )
    chain.then(
        "=",
        f"{sums} (E(q_i^2 (k_1)_i (k_2)_i) - E(q_i (k_1)_i) E(q_i (k_2)_i))",
        "definition of covariance",
    )
    chain.then(
        "=",
        f"{sums} (E(q_i^2) E((k_1)_i) E((k_2)_i) - E(q_i)^2 E((k_1)_i) E((k_2)_i))",
        "independence",
        independent,
    )
    chain.then("=", f"{sums} (({sigma}^2 + {m}^2) * {m}^2 - {m}^4)", "moments", mean, variance)
    chain.then("=", shared, "sum of equal terms")
    chain.claim("the covariance")
    _uncorrelated(b, values, chain.ids, shared)
    difference = b.chain("Var(q^T k_1 - q^T k_2)")
    difference.then(
        "=",
        "Var(q^T k_1) + Var(q^T k_2) - 2 Cov(q^T k_1, q^T k_2)",
        "definition of variance",
        words="the square of a difference multiplied out",
    )
    difference.then(
        "=",
        times_length(_DIFFERENCE, values),
        "expectation",
        independent,
        rows,
        mean,
        variance,
        words=f"each variance is ${times_length(EQUAL, values)}$",
    )
    difference.claim("the variance of a difference of scores")
    if mu in {"mu", "0"}:
        _squares(b, values, independent, rows)
    return b.proof()


def _shared_row(values: Values) -> str:
    """Return the theorem on two scores in words, with the numbers that were chosen."""
    mu, sigma = values["mu"], values["sigma"]
    is_general = mu == "mu" and number(sigma) != 0
    positive = " > 0" if sigma == "sigma" else ""
    said = (
        f"For independent random vectors $q$, $k_1$, $k_2$ of length ${values['D']}$, with independent components of "
        f"mean ${mu}$ and variance ${squared(values)}{positive}$, the scores $q^T k_1$ and $q^T k_2$ have covariance "
        f"${times_length(_SHARED, values)}${': they share $q$' if is_general else ''}. "
        f"{'They are uncorrelated only for $mu = 0$, and their' if is_general else 'Their'} difference has variance "
        f"${times_length(_DIFFERENCE, values)}$."
    )
    if mu not in {"mu", "0"}:
        return said
    centred = "$mu = 0$ and normal components" if mu == "mu" else "normal components"
    return (
        f"{said} Uncorrelated does not mean independent: for {centred} the squares of the two scores have covariance "
        f"${times_length([(2, {'sigma': 8})], values)}$."
    )


def _uncorrelated(b: Builder, values: Values, steps: list[str], shared: str) -> None:
    if values["mu"] != "mu" or number(values["sigma"]) == 0:
        return
    chain = b.chain("Cov(q^T k_1, q^T k_2) = 0")
    chain.then("⇔", f"{shared} = 0", "earlier result", premises=tuple(steps))
    times = times_length([(1, {"sigma": 2})], values)
    chain.then("⇔", "mu^2 = 0", "equivalence", factor=times, words=f"divided by ${times}$, which is positive")
    chain.claim("uncorrelated only for mean 0")


def _squares(b: Builder, values: Values, independent: str, rows: str) -> None:
    size, mu, sigma = values["D"], values["mu"], factor(values["sigma"])
    square = squared(values)
    text = f"every component is normal with mean ${mu}$ and variance ${square}$"
    normal = b.assume("law", "q k_1 k_2", text, "gaussian", mu, square)
    found = times_length([(2, {"sigma": 8})], values)
    chain = b.chain("Cov((q^T k_1)^2, (q^T k_2)^2)")
    given = f"{sigma}^2 q^T q" if mu == "0" else f"{mu}^2 (sum_{{i=1}}^{{{size}}} q_i)^2 + {sigma}^2 q^T q"
    chain.then(
        "=",
        f"Var({given})",
        "expectation",
        independent,
        rows,
        normal,
        words="given $q$ the scores are independent, and each of their squares has this mean",
    )
    if mu != "0":
        centred = b.assume("equal", "mu", "$mu = 0$", "0")
        chain.then("=", f"Var({sigma}^2 q^T q)", "substitution", centred)
        whole = times_length([(2, {"sigma": 8}), (4, {"mu": 2, "sigma": 6})], values)
        chain.then("=", whole, "expectation", rows, normal, words="the variance of a sum of squares of normals")
        chain.then("=", found, "substitution", centred)
    else:
        chain.then("=", found, "expectation", rows, normal, words="the variance of a sum of squares of normals")
    chain.claim("for mean 0 and normal components: uncorrelated, and still dependent")


_ROW = Scope(
    (
        Declared("D", (), "positive"),
        *(Declared(name, ("D",), random=True) for name in ("q", "k_1", "k_2")),
        Declared("mu"),
        Declared("sigma", (), "positive"),
    )
)

_UNRELATED = Falsehood(
    "the scores of one row are uncorrelated because the keys are independent",
    "Cov(q^T k_1, q^T k_2)",
    "=",
    "0",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "1"), ("sigma", "1")),
        law=finite_law({"q": 1, "k_1": 1, "k_2": 1}, SHIFTED),
    ),
    "they share q: the covariance is D mu^2 sigma^2, which is 0 for mu = 0 only",
    _ROW,
)

_SQUARES = Falsehood(
    "for mean 0 the scores of one row are independent",
    "E((q^T k_1)^2 (q^T k_2)^2)",
    "=",
    "E((q^T k_1)^2) E((q^T k_2)^2)",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "0"), ("sigma", "1")),
        law=finite_law({"q": 1, "k_1": 1, "k_2": 1}, (("1/8", "-2"), ("3/4", "0"), ("1/8", "2"))),
    ),
    "they are uncorrelated, but a long q makes both scores large",
    _ROW,
)


# A vector with itself --------------------------------------------------------------------------------


def _tied(values: Values) -> Proof:
    b = Builder(
        "tied-score",
        "The score of a vector with itself, and of projected vectors",
        f"For a random vector $x$ of length ${values['D']}$ with independent components of mean ${values['mu']}$ and "
        f"variance ${squared(values)}$, the mean of $x^T x$ is ${times_length(_SQUARE, values)}$; for normal "
        f"components its variance is ${times_length(_TIED, values)}$, twice that of $q^T k$ with independent vectors. "
        f"For given $y$ and $z$ and projections $A$ and $B$ with ${values['D']}$ rows, whose entries are independent "
        f"with mean $0$ and variance $1/d$, the score $(A y)^T (B z)$ has mean $0$ and variance "
        f"$({values['D']} (y^T y) (z^T z))/d^2$.",
        SOURCE,
    )
    note(b, values)
    size = declare_length(b, values)
    b.vector("x", size, random=True)
    declare(b, values, "mu", "sigma")
    mu, sigma = values["mu"], factor(spread(values))
    m, square = factor(mu), squared(values)
    apart = b.assume("coordinates", "x", "the components of $x$ are independent")
    mean = b.assume("mean", "x", f"every $x_i$ has mean ${mu}$", mu)
    variance = b.assume("variance", "x", f"every $x_i$ has variance ${square}$", square)
    normal = b.assume("law", "x", "every $x_i$ is normal with this mean and variance", "gaussian", mu, square)
    sums = f"sum_{{i=1}}^{{{size}}}"
    chain = b.chain("E(x^T x)")
    chain.then("=", f"{sums} E(x_i^2)", "linearity of expectation")
    chain.then("=", f"{sums} ({square} + {m}^2)", "moments", mean, variance)
    chain.then("=", times_length(_SQUARE, values), "sum of equal terms")
    chain.claim("the mean, for any law")
    chain = b.chain("Var(x^T x)")
    chain.then("=", f"{sums} Var(x_i^2)", "variance of an independent sum", apart)
    chain.then("=", f"{sums} (E(x_i^4) - E(x_i^2)^2)", "definition of variance")
    three = f"3 {sigma}^4" if sigma == "sigma" else f"3 * {sigma}^4"
    six = f"6 {m}^2 {sigma}^2" if (m, sigma) == ("mu", "sigma") else f"6 * {m}^2 * {sigma}^2"
    chain.then(
        "=",
        f"{sums} ({m}^4 + {six} + {three} - ({square} + {m}^2)^2)",
        "moments",
        normal,
        words=f"for a normal $x_i$ the mean $E(x_i^4)$ is ${polynomial(_FOURTH, values)}$",
    )
    chain.then("=", times_length(_TIED, values), "sum of equal terms")
    chain.claim("the variance, for normal components")
    _projected(b, size)
    return b.proof()


def _projected(b: Builder, size: str) -> None:
    b.number("d", "positive")
    b.vector("y", "d")
    b.vector("z", "d")
    b.matrix("A", size, "d", random=True)
    b.matrix("B", size, "d", random=True)
    independent = b.assume("independent", "A B", "$A$ and $B$ are independent")
    entries = b.assume("coordinates", "A B", "the entries of $A$ are independent of each other, and those of $B$")
    mean = b.assume("mean", "A B", "every entry has mean 0", "0")
    variance = b.assume("variance", "A B", "every entry has variance $1/d$", "1/d")
    score = f"sum_{{i=1}}^{{{size}}} sum_{{a=1}}^{{d}} sum_{{b=1}}^{{d}}"
    terms = "A_{i a} y_a B_{i b} z_b"
    chain = b.chain("E((A y)^T (B z))")
    chain.then("=", f"{score} E(A_{{i a}}) E(B_{{i b}}) y_a z_b", "independence", independent)
    chain.then("=", "0", "moments", mean)
    chain.claim("the mean of a projected score")
    chain = b.chain("Var((A y)^T (B z))")
    chain.then("=", f"Var({score} {terms})", "definition", words="the score written out")
    chain.then(
        "=",
        f"{score} E(A_{{i a}}^2) E(B_{{i b}}^2) y_a^2 z_b^2",
        "expectation",
        independent,
        entries,
        mean,
        words="of the square of the sum, only squares of entries have a mean other than 0",
    )
    chain.then("=", f"{score} y_a^2 z_b^2/d^2", "moments", mean, variance)
    chain.then("=", f"({size} (y^T y) (z^T z))/d^2", "algebra")
    chain.claim("the variance of a projected score")


_LENGTH_ONLY = Scope((Declared("D", (), "positive"), Declared("mu"), Declared("sigma", (), "nonnegative")))

_SAME_AS_UNTIED = Falsehood(
    "the variance of a tied score is that of an untied one",
    "D (2 sigma^4 + 4 mu^2 sigma^2)",
    "=",
    "D (sigma^4 + 2 mu^2 sigma^2)",
    CounterExample(sizes=(("D", 1),), scalars=(("mu", "0"), ("sigma", "1"))),
    "it is twice as large for normal components",
    _LENGTH_ONLY,
)

_CENTRED = Falsehood(
    "a score of a vector with itself has mean D mu^2",
    "E(x^T x)",
    "=",
    "D mu^2",
    CounterExample(sizes=(("D", 1),), scalars=(("mu", "0"), ("sigma", "1")), law=finite_law({"x": 1}, FAIR)),
    "the mean is D (mu^2 + sigma^2): a vector is not independent of itself",
    Scope(
        (
            Declared("D", (), "positive"),
            Declared("x", ("D",), random=True),
            Declared("mu"),
            Declared("sigma", (), "positive"),
        )
    ),
)


def _row_instance(values: Values) -> tuple[Line, ...]:
    return _instance(values, (("the covariance", _SHARED), ("the variance of the difference", _DIFFERENCE)))


def _tied_instance(values: Values) -> tuple[Line, ...]:
    return _instance(values, (("the mean", _SQUARE), ("the variance for normal components", _TIED)))


def _instance(values: Values, formulas: tuple[tuple[str, tuple[Monomial, ...]], ...]) -> tuple[Line, ...]:
    defaults = {"D": "64", "mu": "0", "sigma": "1"}
    chosen = {name: default if number(values[name]) is None else values[name] for name, default in defaults.items()}
    where = f"for D = {chosen['D']}, mu = {chosen['mu']}, sigma = {spread(chosen)}"
    found = ((name, times_length(formula, chosen)) for name, formula in formulas)
    return tuple(Line(f"{name} {where}", value, value) for name, value in found)


THEOREMS = (
    Theorem(
        "score-covariance",
        "moments",
        "two scores of one row have covariance D mu^2 sigma^2",
        _covariance,
        (MU, SIGMA, LENGTH),
        falsehoods=(_UNRELATED, _SQUARES),
        instance=_row_instance,
    ),
    Theorem(
        "tied-score",
        "moments",
        "x . x has mean D (mu^2 + sigma^2) and variance D (2 sigma^4 + 4 mu^2 sigma^2)",
        _tied,
        (MU, SIGMA, LENGTH),
        falsehoods=(_SAME_AS_UNTIED, _CENTRED),
        instance=_tied_instance,
    ),
)
"""The theorems on scores of one row and on tied scores."""
