"""Theorem on saturation: the softmax of two scores saturates as their gap grows, so large scores are divided."""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.laws.gaussian_scores import MAX_DIMENSION, saturation_probability
from symattn.exact.reals.certified_digits import figures
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import LENGTH, note, number, polynomial, root_of
from symattn.proofs.catalogue.moments.mean import SOURCE
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_DIGITS = 30


def _saturation(values: Values) -> Proof:
    b = Builder(
        "saturation",
        "The softmax of two scores saturates",
        "Let $a$ be the first softmax weight of two scores $x$ and $y$. Its derivative by $x$ is $a (1 - a)$. It "
        "depends on the gap of the scores alone, so it is not their size that matters: with the gap $g$ it is less "
        "than $exp(-g)$, and goes to 0 as $g$ grows, while the weight goes to 1; for two equal scores it is $1/4$, "
        "however large they are. For independent vectors of length "
        f"${values['D']}$ with independent components of mean $0$ and variance $1$, the gap of two scores has standard "
        f"deviation ${root_of(polynomial([(2, {'D': 1})], values))}$, and $sqrt(2)$ once they are divided by "
        f"${root_of(values['D'])}$.",
        SOURCE,
    )
    note(b, values)
    for name in ("x", "y", "g", "z"):
        b.number(name)
    b.define("a", "exp(x)/(exp(x) + exp(y))", sign="positive")
    b.define("p", "exp(g)/(exp(g) + 1)", sign="positive")
    chain = b.chain("diff(a, x)")
    chain.then("=", "exp(x)/(exp(x) + exp(y)) - exp(x)^2/(exp(x) + exp(y))^2", "differentiation", words="quotient rule")
    chain.then("=", "a (1 - a)", "definition")
    chain.claim("the derivative by the score of the weight itself")
    chain = b.chain("diff(a, y)")
    chain.then("=", "-exp(x) exp(y)/(exp(x) + exp(y))^2", "differentiation")
    chain.then("=", "-a (1 - a)", "definition", words="$1 - a = exp(y)/(exp(x) + exp(y))$")
    chain.claim("the derivative by the other score")
    chain = b.chain("exp(x + z)/(exp(x + z) + exp(y + z))")
    chain.then("=", "(exp(z) exp(x))/(exp(z) (exp(x) + exp(y)))", "algebra", words="$exp(z)$ is a common factor")
    chain.then("=", "a", "algebra")
    chain.claim("a number added to both scores changes nothing: overflow is no reason to scale")
    chain = b.chain("exp(y + g)/(exp(y + g) + exp(y))")
    chain.then("=", "p", "algebra", words="divided by $exp(y)$ above and below")
    chain.claim("the weight in the gap $g = x - y$")
    chain = b.chain("p (1 - p)")
    chain.then("=", "exp(-g)/(1 + exp(-g))^2", "algebra")
    chain.then(
        "<",
        "exp(-g)",
        "evident sign",
        difference="exp(-g) (2 exp(-g) + exp(-g)^2)/(1 + exp(-g))^2",
        words="the denominator is greater than 1",
    )
    chain.claim("the derivative falls as fast as the exponential of the gap")
    chain = b.chain("lim(g, oo, p)").then("=", "1", "limit", words="$p = 1/(1 + exp(-g))$")
    chain.claim("the weight of the larger score goes to 1")
    chain = b.chain("lim(g, oo, p (1 - p))").then("=", "0", "limit")
    chain.claim("the derivative vanishes: almost no gradient comes through")
    chain = b.chain("lim(x, z, lim(y, z, a (1 - a)))")
    chain.then("=", "(1/2) (1 - 1/2)", "limit", words="both scores are $z$, so both weights are $1/2$")
    chain.then("=", "1/4", "algebra")
    chain.claim("two equal scores, however large, have the largest derivative there is")
    chain = b.chain("a (1 - a)")
    chain.then("≤", "1/4", "evident sign", difference="(a - 1/2)^2", words="$1/4 - a (1 - a) = (a - 1/2)^2$")
    chain.claim("the derivative is nowhere larger")
    _gap(b, values)
    return b.proof()


def _gap(b: Builder, values: Values) -> None:
    """Prove the gap of two scores of one row, before and after scaling."""
    size = values["D"]
    if number(size) is None:
        b.number(size, "positive")
    for name in ("q", "k_1", "k_2"):
        b.vector(name, size, random=True)
    independent = b.assume("independent", "q k_1 k_2", "$q$, $k_1$ and $k_2$ are independent")
    rows = b.assume("coordinates", "q k_1 k_2", "the triples $(q_i, (k_1)_i, (k_2)_i)$ are independent over $i$")
    mean = b.assume("mean", "q k_1 k_2", "every component has mean 0", "0")
    variance = b.assume("variance", "q k_1 k_2", "every component has variance 1", "1")
    chain = b.chain("Var(q^T k_1 - q^T k_2)")
    chain.then(
        "=",
        f"2 * {size}" if number(size) is None else str(2 * int(size)),
        "expectation",
        independent,
        rows,
        mean,
        variance,
    )
    chain.claim("the variance of the gap of two scores")
    chain = b.chain(f"Var((q^T k_1 - q^T k_2)/{root_of(size)})" if size != "1" else "Var(q^T k_1 - q^T k_2)")
    if size != "1":
        chain.then("=", f"Var(q^T k_1 - q^T k_2)/{size}", "scaling of variance")
    chain.then("=", "2", "expectation", independent, rows, mean, variance)
    chain.claim("after scaling, whatever the length is")


# What is false, and numbers ----------------------------------------------------------------------------

_TWO = Scope((Declared("x"), Declared("y"), Declared("z")))

_OVERFLOW = Falsehood(
    "large exponentials in the denominator change the weights, and so the scores are divided",
    "exp(x)/(exp(x) + exp(y))",
    "≠",
    "exp(x - y)/(exp(x - y) + 1)",
    CounterExample(scalars=(("x", "1001"), ("y", "1000"))),
    "the weights depend on the gaps alone, and the row maximum may be subtracted; the reason to scale is saturation",
    _TWO,
)

_LARGE = Falsehood(
    "large scores make the derivative vanish",
    "exp(x)/(exp(x) + exp(y)) * (1 - exp(x)/(exp(x) + exp(y)))",
    "<",
    "exp(-x)",
    CounterExample(scalars=(("x", "100"), ("y", "100"))),
    "it is a large gap that does: for two equal scores the derivative is 1/4, however large they are",
    _TWO,
)

_CLIPPED = Falsehood(
    "to divide the scores and to cut them off at a bound give the same weights",
    "exp(x/4)/(exp(x/4) + exp(y/4))",
    "=",
    "exp(z)/(exp(z) + exp(z))",
    CounterExample(scalars=(("x", "24"), ("y", "8"), ("z", "4"))),
    "scores 24 and 8 divided by 4 keep a gap of 4; both cut off at 4 are equal, and the weights are 1/2",
    _TWO,
)


def _instance(values: Values) -> tuple[Line, ...]:
    length = 64 if number(values["D"]) is None else int(values["D"])
    if length > MAX_DIMENSION:
        raise InputError(f"D is {length}: probabilities are worked out for lengths up to {MAX_DIMENSION}.")
    level = values["level"]
    exact = number(level)
    if exact is None or not 0 < exact < 1:
        raise InputError(f"level must be a weight between 0 and 1, not {level}.")
    lines = []
    for scaled in (False, True):
        found = figures(saturation_probability(length, exact, scaled=scaled), _DIGITS)
        how = "divided by $sqrt(D)$" if scaled else "not divided"
        text = (
            f"the probability that the larger of two weights exceeds {level}, for independent standard normal "
            f"$q$, $k_1$, $k_2$ with $D = {length}$ and scores {how}"
        )
        lines.append(Line(text, "", found.text if found.is_settled else f"{found.text} (not settled)"))
    return tuple(lines)


THEOREMS = (
    Theorem(
        "saturation",
        "moments",
        "a large gap of scores makes the softmax flat, large equal scores do not",
        _saturation,
        (
            LENGTH,
            Parameter(
                "level", "99/100", "the weight that the larger one exceeds, in the numeric instance", worked=True
            ),
        ),
        falsehoods=(_OVERFLOW, _LARGE, _CLIPPED),
        instance=_instance,
    ),
)
"""The theorem on saturation."""
