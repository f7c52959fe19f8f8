"""Theorems on the inverse temperature and the weights of a softmax."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.worked_numbers import beta_lines, parse_scores
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_SOURCE = "Boyd and Vandenberghe 2004, Convex Optimization, sections 3.1.5 and 4.5 (log-sum-exp)"


def _scope(b: Builder, m: str) -> None:
    if m == "m":
        b.number("m", "positive")
    b.number("r", "positive")
    b.number("beta", "nonnegative")
    b.number("t")
    b.vector("g", "r", "positive")
    b.number("Delta", "positive")
    b.number("eps", "positive")
    b.number("gamma", "positive")
    b.number("s", "positive")
    total = f"({_times(m, 'exp(beta t)')} + sum_{{l=1}}^{{r}} exp(beta (t - g_l)))"
    b.define("w", f"exp(beta t)/{total}", sign="positive")
    b.define("u", f"exp(beta (t - g_j))/{total}", "j", "r", "positive")
    b.number("n", "positive")
    b.number("M")
    b.number("L")
    b.define("R", "M - L")
    b.vector("z", "n")
    b.vector("v", "n")
    b.define("a", "exp(beta z_j)/sum_{l=1}^{n} exp(beta z_l)", "j", "n", "positive")
    b.define("zbar", "sum_{i=1}^{n} a_i z_i")
    b.define("V", "sum_{i=1}^{n} a_i (z_i - zbar)^2", sign="nonnegative")


def _temperature(values: Mapping[str, str]) -> Proof:
    m = values["m"]
    largest = "one score has" if m == "1" else f"${m}$ scores have"
    share_of_all = "the largest score takes all" if m == "1" else f"the ${m}$ largest scores share all equally"
    bound = f"$1 - {_times(m, 'w')} <= {_over('r exp(-beta Delta)', m)}$"
    b = Builder(
        "temperature-limits",
        "The inverse temperature",
        f"Suppose {largest} the largest value $t$ and the $r$ others lie below it by the gaps $g_1$ to $g_r$, all at "
        "least $Delta > 0$. With the inverse temperature $beta >= 0$ each largest score has the weight $w$ and the "
        f"others have $u_j$. As $beta$ goes to $0$ all weights become equal and the output is the mean of the values; "
        f"as it grows {share_of_all}. On the way {bound}. For one largest score, $1 - w <= eps$ exactly when "
        "$sum_{j=1}^{r} exp(-beta g_j) <= eps/(1 - eps)$, whose left side falls strictly: the least such $beta$ is "
        "the only root. In between every weight moves with its distance from the mean score, "
        "$diff(a_j, beta) = a_j (z_j - zbar)$; the mean score rises with their variance $V$ and the entropy falls. "
        "With scores between $L$ and $M$, $R = M - L$, "
        "each weight lies between $1/(1 + (n - 1) exp(beta R))$ and $1/(1 + (n - 1) exp(-beta R))$.",
        _SOURCE,
    )
    b.parameter("m", m)
    _scope(b, m)
    gap = b.assume("at-most", "Delta g", "no gap is below $Delta > 0$: $Delta <= g_j$ for every $j$", "Delta", "g_i")
    share = b.assume("positive", "", "$0 < eps < 1$", "1 - eps")
    high = b.assume("at-most", "z M", "no score is above $M$: $z_i <= M$ for every $i$", "z_i", "M")
    low = b.assume("at-most", "z L", "no score is below $L$: $L <= z_i$ for every $i$", "L", "z_i")
    some = b.assume("at-most", "n", "there is a score: $n >= 1$", "1", "n")
    _limits(b, m)
    _bounds(b, m, gap)
    _threshold(b, share)
    _motion(b)
    _range(b, (high, low), some)
    return b.proof()


_FALL = "sum_{j=1}^{r} exp(-beta g_j)"


def _times(m: str, text: str) -> str:
    return text if m == "1" else f"{m} {text}"


def _over(text: str, m: str) -> str:
    return text if m == "1" else f"{text}/{m}"


def _limits(b: Builder, m: str) -> None:
    chain = b.chain("w").then("=", f"1/({m} + {_FALL})", "algebra", words="$exp(beta t)$ cancels: only gaps matter")
    chain.claim("the weight of a largest score")
    uniform = "every exponential goes to one"
    b.chain("lim(beta, 0, w)").then("=", f"1/({m} + r)", "limit", words=uniform).claim("hot: all weights are equal")
    b.chain("lim(beta, 0, u_j)").then("=", f"1/({m} + r)", "limit", words=uniform).claim("the other weights as well")
    b.chain("lim(beta, 0, sum_{j=1}^{n} a_j v_j)").then("=", "(sum_{j=1}^{n} v_j)/n", "limit", words=uniform).claim(
        "hot: the output is the mean of the values"
    )
    b.chain("lim(beta, oo, w)").then(
        "=", _over("1", m), "limit", words="every gap is positive, so every $exp(-beta g_j)$ goes to zero"
    ).claim("cold: the largest scores share all")
    b.chain("lim(beta, oo, u_j)").then("=", "0", "limit", words="for the same reason").claim(
        "cold: the others get nothing"
    )


def _bounds(b: Builder, m: str, gap: str) -> None:
    exponent = b.chain("-beta g_j").then("≤", "-beta Delta", "evident sign", gap, difference="beta (g_j - Delta)")
    one = b.chain("exp(-beta g_j)").then("≤", "exp(-beta Delta)", "growth of exp", premises=(exponent.last,))
    chain = b.chain(_FALL)
    chain.then("≤", "sum_{j=1}^{r} exp(-beta Delta)", "term by term", premises=(one.last,))
    chain.then("=", "r exp(-beta Delta)", "sum of equal terms")
    chain.claim("what the others have, compared with a largest score")
    rest = f"({_FALL})"
    bound = b.chain(f"1 - {_times(m, 'w')}")
    bound.then("=", f"{rest}/({m} + {_FALL})", "algebra")
    bound.then(
        "≤",
        _over(rest, m),
        "evident sign",
        difference=f"{rest}^2/({_times(m, f'({m} + {_FALL})')})",
        words="the denominator becomes smaller",
    )
    bound.then(
        "≤",
        _over("r exp(-beta Delta)", m),
        "combination",
        premises=(chain.last, chain.ids[0]),
        weights=f"1/{m}; 1/{m}",
        words="the bound above",
    )
    bound.claim("how little is left to the others")


def _threshold(b: Builder, share: str) -> None:
    top = f"1/(1 + {_FALL})"
    chain = b.chain(f"1 - {top} ≤ eps")
    chain.then(
        "⇔",
        f"{_FALL} ≤ eps/(1 - eps)",
        "equivalence",
        share,
        factor=f"(1 - eps)/(1 + {_FALL})",
        words="multiplied by the denominators, which are positive",
    )
    chain.claim("one largest score: when the others have at most $eps$ together")
    step = b.chain("exp(-(beta + s) g_j)").then("<", "exp(-beta g_j)", "growth of exp", words="$s g_j$ is positive")
    b.chain("sum_{j=1}^{r} exp(-(beta + s) g_j)").then("<", _FALL, "term by term", premises=(step.last,)).claim(
        "a larger $beta$ makes the sum smaller, so it takes each value at most once"
    )
    b.chain(f"lim(beta, 0, {_FALL})").then("=", "r", "limit").claim("the sum begins at $r$")
    b.chain(f"lim(beta, oo, {_FALL})").then("=", "0", "limit").claim(
        "the sum goes to zero: each value up to $r$ is taken once"
    )
    equal = b.chain("sum_{j=1}^{r} exp(-(ln(r (1 - eps)/eps)/gamma) gamma)")
    equal.then("=", "r exp(-ln(r (1 - eps)/eps))", "algebra", share, words="all terms are equal")
    equal.then("=", "eps/(1 - eps)", "algebra", share, words="$exp(-ln(x)) = 1/x$")
    equal.claim("where all gaps are equal, to a number $gamma > 0$, the root is $beta = ln(r (1 - eps)/eps)/gamma$")


def _motion(b: Builder) -> None:
    weight = b.chain("diff(a_j, beta)")
    weight.then("=", "a_j z_j - a_j sum_{i=1}^{n} a_i z_i", "differentiation", words="quotient rule")
    weight.then("=", "a_j (z_j - zbar)", "definition", words="the mean score under the weights")
    weight.claim("a weight grows while its score is above the mean score")
    mean = b.chain("diff(zbar, beta)")
    mean.then("=", "sum_{i=1}^{n} a_i (z_i - zbar) z_i", "differentiation", words="weight by weight")
    mean.then("=", "V", "algebra", words="$sum_{i=1}^{n} a_i (z_i - zbar) = 0$")
    mean.then("≥", "0", "evident sign", difference="-V", words="a sum of weighted squares")
    mean.claim("the mean score never falls")
    entropy = b.chain("-sum_{i=1}^{n} a_i ln(a_i)")
    entropy.then("=", "ln(sum_{l=1}^{n} exp(beta z_l)) - beta zbar", "algebra", words="$ln(a_i) = beta z_i - ln(Z)$")
    entropy.claim("the entropy of the weights")
    change = b.chain("diff(ln(sum_{l=1}^{n} exp(beta z_l)) - beta zbar, beta)")
    change.then("=", "zbar - zbar - beta diff(zbar, beta)", "differentiation")
    change.then("=", "-beta V", "differentiation", words="the derivative of the mean score is the variance")
    change.then("≤", "0", "evident sign", difference="beta V")
    change.claim("the entropy never rises")


def _range(b: Builder, ends: tuple[str, str], some: str) -> None:
    others = "sum_{l=1}^{n} (1 - delta_{lj}) exp(beta (z_l - z_j))"
    weight = b.chain("a_j").then("=", f"1/(1 + {others})", "algebra", words="the numerator taken out")
    weight.claim("a weight in the differences of scores")
    least, most = b.chain("-beta R"), b.chain("beta (z_l - z_j)")
    most.then("≤", "beta R", "evident sign", *ends, difference="beta ((M - z_l) + (z_j - L))")
    least.then("≤", "beta (z_l - z_j)", "evident sign", *ends, difference="beta ((z_l - L) + (M - z_j))")
    upper = b.chain("exp(beta (z_l - z_j))").then("≤", "exp(beta R)", "growth of exp", premises=(most.last,))
    part = b.chain("(1 - delta_{lj}) exp(beta (z_l - z_j))").then(
        "≤",
        "(1 - delta_{lj}) exp(beta R)",
        "evident sign",
        premises=(upper.last,),
        difference="(1 - delta_{lj}) (exp(beta R) - exp(beta (z_l - z_j)))",
    )
    total = b.chain(others)
    total.then("≤", "sum_{l=1}^{n} (1 - delta_{lj}) exp(beta R)", "term by term", premises=(part.last,))
    total.then("=", "(n - 1) exp(beta R)", "algebra")
    total.claim("the others, at most")
    lower = b.chain("exp(-beta R)").then("≤", "exp(beta (z_l - z_j))", "growth of exp", premises=(least.last,))
    term = b.chain("(1 - delta_{lj}) exp(-beta R)").then(
        "≤",
        "(1 - delta_{lj}) exp(beta (z_l - z_j))",
        "evident sign",
        premises=(lower.last,),
        difference="(1 - delta_{lj}) (exp(beta (z_l - z_j)) - exp(-beta R))",
    )
    bottom = b.chain("(n - 1) exp(-beta R)")
    bottom.then("=", "sum_{l=1}^{n} (1 - delta_{lj}) exp(-beta R)", "algebra")
    bottom.then("≤", others, "term by term", premises=(term.last,))
    bottom.claim("the others, at least")
    smallest = "1/(1 + sum_{l=1}^{n} (1 - delta_{lj}) exp(beta R))"
    largest = "1/(1 + sum_{l=1}^{n} (1 - delta_{lj}) exp(-beta R))"
    chain = b.chain(f"1/(1 + {others})")
    chain.then(
        "≥",
        smallest,
        "evident sign",
        premises=(total.ids[0],),
        difference=f"-((sum_{{l=1}}^{{n}} (1 - delta_{{lj}}) exp(beta R) - {others})"
        f"/((1 + {others}) (1 + sum_{{l=1}}^{{n}} (1 - delta_{{lj}}) exp(beta R))))",
        words="one over a larger number is smaller",
    )
    chain.then("=", "1/(1 + (n - 1) exp(beta R))", "algebra", some)
    chain.claim("with $R$ the range of the scores: no weight is smaller")
    above = b.chain(f"1/(1 + {others})")
    above.then(
        "≤",
        largest,
        "evident sign",
        premises=(bottom.ids[1],),
        difference=f"({others} - sum_{{l=1}}^{{n}} (1 - delta_{{lj}}) exp(-beta R))"
        f"/((1 + {others}) (1 + sum_{{l=1}}^{{n}} (1 - delta_{{lj}}) exp(-beta R)))",
        words="one over a smaller number is larger",
    )
    above.then("=", "1/(1 + (n - 1) exp(-beta R))", "algebra", some)
    above.claim("and none is larger")


_SCORES = Scope((Declared("n", (), "positive"), Declared("z", ("n",)), Declared("beta", (), "nonnegative")))
_HOT_IS_UNIFORM = Falsehood(
    "a beta of zero gives one-hot weights",
    "softmax(0 z)_j",
    "=",
    "delta_{1j}",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("1", "0"),)),)),
    "at $beta = 0$ every weight is 1/n; one-hot weights belong to large beta and a single largest score",
    _SCORES,
)
_TIES = Falsehood(
    "for large beta one of the largest scores takes more than half",
    "softmax(beta z)_1",
    ">",
    "1/2",
    CounterExample(sizes=(("n", 2),), scalars=(("beta", "100"),), entries=(("z", (("1", "1"),)),)),
    "scores that tie for the largest share the weight equally, whatever beta is",
    _SCORES,
)
_COLD_IS_SHARP = Falsehood(
    "a very large beta spreads the weights evenly",
    "softmax(beta z)_1",
    "≤",
    "1/n",
    CounterExample(sizes=(("n", 2),), scalars=(("beta", "100"),), entries=(("z", (("1", "0"),)),)),
    "even weights belong to $beta = 0$; a very large beta is the opposite",
    _SCORES,
)


def _instance(values: Mapping[str, str]) -> tuple[Line, ...]:
    scores = parse_scores(values["z"])
    return () if scores is None else beta_lines(scores, Fraction(values["weight"]))


THEOREMS = (
    Theorem(
        "temperature-limits",
        "softmax",
        "hot weights are uniform, cold ones go to the largest scores; the least beta for a given weight; derivatives",
        _temperature,
        (
            Parameter("m", "m", "how many scores are the largest", kind="count"),
            Parameter("z", "2, 1, 0", "scores for an instance", kind="list", worked=True),
            Parameter("weight", "9/10", "the weight that the largest score is to have, for an instance", worked=True),
        ),
        falsehoods=(_HOT_IS_UNIFORM, _COLD_IS_SHARP, _TIES),
        instance=_instance,
    ),
)
"""The theorems on temperature."""
