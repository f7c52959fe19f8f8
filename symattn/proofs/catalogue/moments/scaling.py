"""Theorems on the divisor that gives a dot product variance 1."""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.numerals.rational import rational
from symattn.exact.reals.certified_digits import figures
from symattn.exact.reals.computable import sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    FAIR,
    LENGTH,
    SIGMA,
    declare,
    declare_length,
    factor,
    finite_law,
    note,
    number,
    polynomial,
    root_of,
    spread,
    squared,
    times_length,
    worked_values,
)
from symattn.proofs.catalogue.moments.mean import SOURCE
from symattn.proofs.catalogue.moments.variance import ONE_LAW, PAIRS
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope


def _scaling(values: Values) -> Proof:
    if number(spread(values)) == 0:
        raise InputError("sigma is 0: the scores are constant for mu = 0, and no scale gives them variance 1.")
    b = Builder(
        "dot-product-scaling",
        "The scale of a dot product",
        f"Let $q$ and $k$ be independent random vectors of length ${values['D']}$ whose pairs of components are "
        f"independent and have one law, with mean $mu$ and variance ${_spread_of(values)}$. For $mu = 0$ the mean of "
        f"$(q^T k)/s$ is $0$ for every $s != 0$, and its variance is ${_over_square(values)}$: "
        f"it is $1$ for $s = {_root(values)}$ and for no other positive $s${_unit(values)}. The sign of $s$ does not "
        "change mean and variance; the positive one is taken because a negative one would turn the order of the "
        "scores round. For $mu != 0$ no $s$ makes the mean $0$.",
        SOURCE,
    )
    note(b, values)
    facts = _Facts(b, values)
    _mean(b, facts)
    _variance(b, values, facts)
    _no_mean(b, facts)
    return b.proof()


def _over_s(size: str, text: str, below: str = "s^2") -> str:
    """Return the length times something over the scale or its square; a length of 1 is left out."""
    return f"{text}/{below}" if size == "1" else f"({size} {text})/{below}"


def _over_square(values: Values) -> str:
    """Return the variance with mean 0, divided by the square of the scale."""
    found = times_length([(1, {"sigma": 4})], values)
    return f"{found}/s^2" if found.isdecimal() else f"({found})/s^2"


def _spread_of(values: Values) -> str:
    return "sigma^2 > 0" if values["sigma"] == "sigma" else squared(values)


def _unit(values: Values) -> str:
    """Return a remark on the scale for unit variances, where they are general."""
    return f"; for $sigma = 1$ this is $s = {_root({**values, 'sigma': '1'})}$" if values["sigma"] == "sigma" else ""


class _Facts:
    """The names and hypotheses of the theorem."""

    def __init__(self, b: Builder, values: Values) -> None:
        self.size = declare_length(b, values)
        b.vector("q", self.size, random=True)
        b.vector("k", self.size, random=True)
        b.number("mu")
        declare(b, values, "sigma")
        b.number("s")
        square = squared(values)
        self.square = square
        self.independent = b.assume("independent", "q k", "$q$ and $k$ are independent")
        self.pairs = b.assume("coordinates", "q k", PAIRS)
        self.one_law = b.assume("same-law", "q k", ONE_LAW)
        self.mean = b.assume("mean", "q k", "$E(q_i) = E(k_i) = mu$ for every $i$", "mu")
        self.variance = b.assume("variance", "q k", f"$Var(q_i) = Var(k_i) = {square}$ for every $i$", square)
        self.centred = b.assume("equal", "mu", "$mu = 0$", "0")
        self.nonzero = b.assume("nonzero", "s", "$s != 0$")
        self.positive = b.assume("positive", "s", "$s > 0$")


def _mean(b: Builder, facts: _Facts) -> None:
    chain = b.chain("E((q^T k)/s)")
    chain.then("=", "E(q^T k)/s", "linearity of expectation", facts.nonzero, words="$1/s$ is a constant")
    chain.then("=", f"(sum_{{i=1}}^{{{facts.size}}} E(q_i) E(k_i))/s", "independence", facts.nonzero, facts.independent)
    chain.then("=", _over_s(facts.size, "mu^2", "s"), "moments", facts.nonzero, facts.mean)
    chain.claim("the mean, whatever $mu$ is")
    premises = tuple(chain.ids)
    chain = b.chain("E((q^T k)/s)")
    chain.then("=", _over_s(facts.size, "mu^2", "s"), "earlier result", facts.nonzero, premises=premises)
    chain.then("=", "0", "substitution", facts.nonzero, facts.centred, words="for every $s$ that is not zero")
    chain.claim("with mean 0 before, the mean stays 0")


def _variance(b: Builder, values: Values, facts: _Facts) -> None:
    size, whole = facts.size, "Var((q^T k)/s)"
    sums = f"sum_{{i=1}}^{{{size}}}"
    chain = b.chain(whole)
    chain.then("=", "Var(q^T k)/s^2", "scaling of variance", facts.nonzero, words="$Var(a X) = a^2 Var(X)$")
    chain.then(
        "=",
        f"({sums} Var(q_i k_i))/s^2",
        "variance of an independent sum",
        facts.nonzero,
        facts.pairs,
        words="the products are functions of independent pairs, and so independent",
    )
    chain.then("=", _over_s(size, "Var(q_1 k_1)"), "identical distribution", facts.nonzero, facts.one_law)
    chain.then("=", _over_s(size, "(E(q_1^2 k_1^2) - E(q_1 k_1)^2)"), "definition of variance", facts.nonzero)
    chain.then(
        "=",
        _over_s(size, "(E(q_1^2) E(k_1^2) - (E(q_1) E(k_1))^2)"),
        "independence",
        facts.nonzero,
        facts.independent,
    )
    chain.then(
        "=",
        _over_s(size, f"(({facts.square} + mu^2)^2 - mu^4)"),
        "moments",
        facts.nonzero,
        facts.mean,
        facts.variance,
    )
    centred = times_length([(1, {"sigma": 4})], values)
    over = _over_square(values)
    chain.then("=", over, "substitution", facts.nonzero, facts.centred)
    chain.claim("the variance for mean 0")
    premises = tuple(chain.ids)
    root = _root(values)
    wanted = b.chain(f"{whole} = 1")
    wanted.then("⇔", f"{over} = 1", "earlier result", facts.nonzero, premises=premises)
    wanted.then("⇔", f"s^2 = {centred}", "equivalence", facts.nonzero, factor="-(1/s)^2", words="times $s^2$")
    wanted.then(
        "⇔",
        f"s = {root}",
        "equivalence",
        facts.positive,
        factor=f"s + {root}",
        words=f"$s^2 - ({root})^2 = (s - {root}) (s + {root})$, and the second factor is positive for positive $s$",
    )
    wanted.claim("the one positive scale with variance 1")
    if values["sigma"] == "sigma":
        unit = b.assume("equal", "sigma", "$sigma = 1$", "1")
        wanted.then("⇔", f"s = {_root({**values, 'sigma': '1'})}", "equivalence", unit, factor="1")
        wanted.claim("with unit variances: the square root of the length")
    turned = b.chain("Var((q^T k)/(-s))")
    turned.then(
        "=",
        whole,
        "scaling of variance",
        facts.nonzero,
        words="$(-1)^2 = 1$: with $s$ its negative has variance 1, and no other number",
    )
    turned.claim("the sign does not matter to the variance")


def _root(values: Values) -> str:
    """Return ``sqrt(D) sigma^2`` with the chosen values."""
    square, root = polynomial([(1, {"sigma": 2})], values), root_of(values["D"])
    if root.isdecimal():
        return polynomial([(int(root), {"sigma": 2})], values)
    if square == "1":
        return root
    return f"{root} {square}" if square[:1].isalpha() else f"{factor(square)} {root}"


def _no_mean(b: Builder, facts: _Facts) -> None:
    chain = b.chain("E((q^T k)/s) = 0")
    chain.then(
        "⇔", _over_s(facts.size, "mu^2", "s") + " = 0", "earlier result", facts.nonzero, premises=("1", "2", "3")
    )
    chain.then(
        "⇔",
        "mu^2 = 0",
        "equivalence",
        facts.nonzero,
        factor=f"{facts.size}/s",
        words=f"times $s/{facts.size}$, which is not zero",
    )
    chain.claim("a mean other than 0 is not scaled away")


# What is false, and numbers ----------------------------------------------------------------------------

_SCORES = Scope(
    (
        Declared("D", (), "positive"),
        Declared("q", ("D",), random=True),
        Declared("k", ("D",), random=True),
        Declared("mu"),
        Declared("sigma", (), "positive"),
        Declared("s"),
    )
)
_UNIT = CounterExample(
    sizes=(("D", 2),),
    scalars=(("mu", "0"), ("sigma", "1")),
    law=finite_law({"q": 2, "k": 2}, FAIR),
)

_DIMENSION = Falsehood(
    "the scale sqrt(D) is the dimension of q and k",
    "sqrt(D)",
    "=",
    "D",
    CounterExample(sizes=(("D", 64),)),
    "D is the dimension; sqrt(D) is the standard deviation of $q^T k$ for components of mean 0 and variance 1",
    Scope((Declared("D", (), "positive"),)),
)

_BY_THE_DIMENSION = Falsehood(
    "dividing by D makes the variance 1",
    "Var((q^T k)/D)",
    "=",
    "1",
    _UNIT,
    "$Var((q^T k)/D) = 1/D$; dividing by sqrt(D) makes it 1",
    _SCORES,
)

_NO_SQUARE = Falsehood(
    "Var(X/s) = Var(X)/s",
    "Var((q^T k)/s)",
    "=",
    "Var(q^T k)/s",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("s", "2"), ("mu", "0"), ("sigma", "1")),
        law=finite_law({"q": 1, "k": 1}, FAIR),
    ),
    "a constant leaves a variance squared: Var(X/s) = Var(X)/s^2",
    _SCORES,
)

_SIGMA = Falsehood(
    "the scaled variance is to be sigma",
    "Var((q^T k)/sqrt(D))",
    "=",
    "sigma",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "0"), ("sigma", "2")),
        law=finite_law({"q": 1, "k": 1}, (("1/2", "2"), ("1/2", "-2"))),
    ),
    "a variance is a square: with $s = sqrt(D)$ it is $sigma^4$, which equals $sigma$ for $sigma = 1$ only",
    _SCORES,
)

_ANY_MEAN = Falsehood(
    "scaling makes the mean 0 whatever the means of the components are",
    "E((q^T k)/sqrt(D))",
    "=",
    "0",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "1"), ("sigma", "1")),
        law=finite_law({"q": 1, "k": 1}, (("1/2", "0"), ("1/2", "2"))),
    ),
    "the mean of $(q^T k)/s$ is $(D mu^2)/s$, which is 0 for mu = 0 only",
    _SCORES,
)


def _instance(values: Values) -> tuple[Line, ...]:
    chosen = worked_values(values)
    square = spread(chosen)
    where = f"for D = {chosen['D']}, sigma = {square}"
    variance = times_length([(1, {"sigma": 4})], chosen)
    root = sqrt(chosen["D"]) * rational(polynomial([(1, {"sigma": 2})], chosen), "sigma^2")
    exact = str(root.exact) if root.exact is not None else _root(chosen)
    return (
        Line(f"$Var(q^T k)$ {where}", variance, variance),
        Line(f"the scale $s$ {where}", exact, figures(root, 30).text if root.exact is None else exact),
        Line("$Var((q^T k)/s)$ with this scale", "1", "1"),
    )


THEOREMS = (
    Theorem(
        "dot-product-scaling",
        "moments",
        "dividing by sqrt(D) makes the variance of q . k equal to 1",
        _scaling,
        (SIGMA, LENGTH),
        falsehoods=(_DIMENSION, _BY_THE_DIMENSION, _NO_SQUARE, _SIGMA, _ANY_MEAN),
        instance=_instance,
    ),
)
"""The theorem on the scale."""
