"""Theorems on perturbation: the weights and the output when one key is moved or made longer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Defined, Scope

_SOFTMAX = "exp({0}_j)/sum_{{l=1}}^{{n}} exp({0}_l)"

_SCORES = Scope(
    (Declared("n", sign="positive"), Declared("z", ("n",)), Declared("shift", ("n",))),
    (
        Defined("moved", ("j",), ("n",), "z_j + shift_j"),
        Defined("a", ("j",), ("n",), _SOFTMAX.format("z")),
        Defined("ahat", ("j",), ("n",), _SOFTMAX.format("moved")),
        Defined("b", ("j",), ("n",), _SOFTMAX.format("shift")),
    ),
)

_RAISED = CounterExample(sizes=(("n", 3),), entries=(("z", (("1", "0", "0"),)), ("shift", (("1", "0", "0"),))))

_LINEAR = Falsehood(
    "the output changes linearly with the perturbation: twice the perturbation, twice the change",
    "t^2/(t^2 + 1) - 1/2",
    "=",
    "2 (t/(t + 1) - 1/2)",
    CounterExample(scalars=(("t", "2"),)),
    "two equal keys have the weights 1/2, 2/3, 4/5 for e^d = 1, 2, 4: the change is linear to first order only",
    Scope((Declared("t", sign="positive"),)),
)

_FIRST_ONLY = Falsehood(
    "only what belongs to key 1 changes, the other weights stay",
    "ahat_2",
    "=",
    "a_2",
    _RAISED,
    "every other weight is divided by 1 + p (e^d - 1)",
    _SCORES,
)

_ADDITIVE = Falsehood(
    "softargmax is additive: softargmax(z + s) = softargmax(z) + softargmax(s)",
    "ahat_j",
    "=",
    "a_j + b_j",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("1", "0"),)), ("shift", (("2", "1"),)))),
    "the weights on the left add up to 1, those on the right to 2",
    _SCORES,
)

_ENTRYWISE = Falsehood(
    "softargmax is taken of each score by itself",
    "a_j",
    "=",
    "exp(z_j)/exp(z_j)",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("0", "0"),)),)),
    "softargmax of one number is 1: it is taken of all the scores of a query together",
    _SCORES,
)

_NO_MEAN = Falsehood(
    "a perturbation of mean zero changes nothing on average",
    "E(p e^x/(1 - p + p e^x))",
    "=",
    "p",
    CounterExample(
        scalars=(("p", "1/4"),),
        law=(("1/2", (("x", (("1",),)),)), ("1/2", (("x", (("-1",),)),))),
    ),
    "the mean change of the weight is tau^2 p (1 - p) (1 - 2 p)/2 to leading order",
    Scope((Declared("p", sign="positive"), Declared("x", random=True))),
)

_FIRST_ORDER = Falsehood(
    "the change is exactly d p (1 - p)",
    "p e^d/(1 + p (e^d - 1)) - p",
    "=",
    "d p (1 - p)",
    CounterExample(scalars=(("p", "1/2"), ("d", "1"))),
    "that is the first order; the exact change is p (1 - p) (e^d - 1)/(1 + p (e^d - 1))",
    Scope((Declared("p", sign="positive"), Declared("d"))),
)

PERTURBATION = (_LINEAR, _FIRST_ONLY, _ADDITIVE, _ENTRYWISE, _NO_MEAN, _FIRST_ORDER)
"""False variants of the theorem on a moved key."""

_LONGER = Scope(
    (Declared("p", sign="positive"), Declared("alpha"), Declared("g")),
    (Defined("w", (), (), "p e^{(alpha - 1) g}/(1 - p + p e^{(alpha - 1) g})"),),
)

_ALWAYS_MORE = Falsehood(
    "a longer key always gets more weight",
    "w",
    ">",
    "p",
    CounterExample(scalars=(("p", "1/2"), ("alpha", "2"), ("g", "-1"))),
    "it gets more where $g = beta k_1^T q$ is positive, less where it is negative",
    _LONGER,
)

_ALWAYS_CHANGES = Falsehood(
    "the output changes whenever the key does",
    "w",
    "≠",
    "p",
    CounterExample(scalars=(("p", "1/2"), ("alpha", "2"), ("g", "0"))),
    "nothing changes where the query is orthogonal to the key",
    _LONGER,
)

_PROPORTIONAL = Falsehood(
    "a key of twice the length gets twice the weight",
    "w",
    "=",
    "2 p",
    CounterExample(scalars=(("p", "1/4"), ("alpha", "2"), ("g", "1"))),
    "the odds of key 1 are multiplied by e^((alpha - 1) g)",
    _LONGER,
)

_RATIOS = Falsehood(
    "the other weights change by different factors",
    "ahat_2 a_3",
    "≠",
    "ahat_3 a_2",
    CounterExample(sizes=(("n", 3),), entries=(("z", (("1", "0", "2"),)), ("shift", (("1", "0", "0"),)))),
    "all of them are divided by the same number, so their ratios stay",
    _SCORES,
)

ELONGATION = (_ALWAYS_MORE, _ALWAYS_CHANGES, _PROPORTIONAL, _RATIOS)
"""False variants of the theorem on a longer key."""


_SOURCE = "softmax of scores one of which is shifted; Bridle 1990, Probabilistic interpretation of feedforward outputs"

_POSITIVE = "the exponentials of the other keys are positive"


def _keys(b: Builder, moved: str) -> None:
    """Declare keys, values, the moved keys, weights and outputs before and after."""
    for name in ("n", "D", "m"):
        b.number(name, "positive")
    b.number("beta")
    b.matrix("k", "n", "D")
    b.vector("q", "D")
    b.matrix("v", "n", "m")
    b.fixed("1", "2")
    b.number("p", "positive")
    b.number("r", "positive")
    b.define("khat", moved, "j c", "n D")
    b.define("a", "exp(beta k_j^T q)/sum_{l=1}^{n} exp(beta k_l^T q)", "j", "n", "positive")
    b.define("ahat", "exp(beta khat_j^T q)/sum_{l=1}^{n} exp(beta khat_l^T q)", "j", "n", "positive")
    b.define("h", "sum_{j=1}^{n} a_j v_{j,c}", "c", "m")
    b.define("hhat", "sum_{j=1}^{n} ahat_j v_{j,c}", "c", "m")


def _letters(b: Builder) -> tuple[str, str]:
    """Declare the letters p and r for the weight of key 1 and that of all the others; return both hypotheses."""
    weight = b.assume("equal", "p", "$p$ abbreviates $a_1$, the weight of key 1 before the change", "a_1")
    rest = b.assume(
        "equal", "r", "$r$ abbreviates $1 - p$, the weight of the other keys, of which there is one", "1 - p"
    )
    return weight, rest


def _between(b: Builder, weight: str) -> None:
    """Assume ``0 < a_1 < 1``, so that both letters stand for positive numbers."""
    b.chain("a_1").then(">", "0", "evident sign", words="exponentials are positive").claim("a weight is positive")
    shown = "a_2 + sum_{l=1}^{n} (1 - delta_{l,1} - delta_{l,2}) a_l"
    chain = b.chain("p").then("=", "a_1", "substitution", weight)
    chain.then(
        "<",
        "1",
        "evident sign",
        difference=shown,
        words="$1 - a_1$ is $a_2$ and the weights of all keys but the first two",
    )
    chain.claim("and less than 1, as there is a second key")


def _normaliser(b: Builder, rest: str) -> str:
    chain = b.chain("0")
    chain.then("<", "1 + p (e^d - 1)", "evident sign", rest, difference="r + p e^d", words="it is $r + p e^d$")
    return chain.last


def _weights(b: Builder, score: str, weight: str, positive: str) -> tuple[str, str]:
    """Prove the weights after the change; return the steps that give them for every key, and for key 1."""
    before = "exp(beta khat_j^T q)/sum_{j=1}^{n} exp(beta khat_j^T q)"
    plain = "exp(beta k_j^T q + delta_{j,1} d)/sum_{j=1}^{n} exp(beta k_j^T q + delta_{j,1} d)"
    common = "a_j exp(delta_{j,1} d)/(1 + p (e^d - 1))"
    chain = b.chain("ahat_j").then("=", before, "definition")
    chain.then("=", plain, "earlier result", premises=(score,), words="only the score of key 1 changes, by $d$")
    words = "numerator and denominator over $sum_{j=1}^{n} exp(beta k_j^T q)$"
    chain.then("=", common, "substitution", weight, premises=(positive,), words=words)
    chain.claim("every weight after the change, for every $j$")
    whole = b.chain("ahat_j").then("=", common, "earlier result", premises=(*chain.ids, positive))
    first = b.chain("ahat_1")
    first.then("=", _case(common, "1"), "special case", premises=(whole.last, positive), index="j", value="1")
    first.then("=", "p e^d/(1 + p (e^d - 1))", "substitution", weight, premises=(positive,))
    first.claim("the weight of the moved key")
    moved = b.chain("ahat_1").then("=", "p e^d/(1 + p (e^d - 1))", "earlier result", premises=(*first.ids, positive))
    other = b.chain("ahat_2")
    other.then("=", _case(common, "2"), "special case", premises=(whole.last, positive), index="j", value="2")
    other.then("=", "a_2/(1 + p (e^d - 1))", "algebra", premises=(positive,))
    other.claim("every other weight: all are divided by the same number, so their ratios stay")
    return whole.last, moved.last


def _case(text: str, value: str) -> str:
    return text.replace("a_j", f"a_{value}").replace("delta_{j,", f"delta_{{{value},")


def _outputs(b: Builder, whole: str, weight: str, positive: str) -> None:
    """Prove the exact change of the output, and its direction."""
    change = "(p (e^d - 1)/(1 + p (e^d - 1))) (v_1 - h)"
    chain = b.chain("hhat - h").then("=", "sum_{j=1}^{n} ahat_j v_j - h", "definition")
    plain = "sum_{j=1}^{n} (a_j exp(delta_{j,1} d)/(1 + p (e^d - 1))) v_j - h"
    chain.then("=", plain, "earlier result", premises=(whole, positive))
    words = "$e^{delta_{j,1} d} = 1 + delta_{j,1} (e^d - 1)$, and $sum_{j=1}^{n} a_j v_j = h$"
    chain.then("=", change, "substitution", weight, premises=(positive,), words=words)
    chain.claim("the exact change of the output: along $v_1 - h$, for every $d$")


def _direction(b: Builder, weight: str, below: str) -> None:
    b.define("htilde", "(sum_{j=1}^{n} (1 - delta_{j,1}) a_j v_{j,c})/(1 - p)", "c", "m")
    chain = b.chain("v_1 - h")
    chain.then("=", "v_1 - sum_{j=1}^{n} a_j v_j", "definition")
    chain.then("=", "(1 - p) (v_1 - htilde)", "substitution", weight, premises=(below,), words="the term $j = 1$ apart")
    chain.claim("$htilde$ is the output without key 1")


def _change(b: Builder, score: str, weight: str, rest: str) -> tuple[str, str, str]:
    """Prove weights and outputs after the change of one score; return the steps that later ones rest on.

    These are the weight of key 1, the sign of its denominator, and that it is below 1.
    """
    _between(b, weight)
    below = str(len(b.proof().steps))
    positive = _normaliser(b, rest)
    whole, moved = _weights(b, score, weight, positive)
    _outputs(b, whole, weight, positive)
    _direction(b, weight, below)
    return moved, positive, below


# The theorem on a moved key ------------------------------------------------------------------------


def _perturbation(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "key-perturbation",
        "One key is moved",
        "Let $k_1$ become $k_1 + eps$ while the other keys, the query $q$, the values and $beta$ stay. With "
        "$d = beta eps^T q$ and $p = a_1$ the output changes by exactly "
        "$hhat - h = (p (e^d - 1)/(1 + p (e^d - 1))) (v_1 - h)$, and $v_1 - h = (1 - p) (v_1 - htilde)$, "
        "$htilde$ being "
        "the output without key 1. The weight of key 1 becomes $p e^d/(1 + p (e^d - 1))$, every other weight is "
        "divided by $1 + p (e^d - 1)$. To first order the change is $d p (v_1 - h)$; it is not linear in $d$. "
        "For every $d$ the weight changes by at most $tanh(abs(d)/4) ≤ abs(d)/4$. If $d$ is normal with mean 0 and "
        "variance $tau^2$, the mean of the change is $tau^2 p (1 - p) (1 - 2 p)/2$ times $v_1 - htilde$, up to "
        "$tau^4/16$ times it, and so is not zero unless $p = 1/2$; the mean of the squared change of the weight is "
        "$tau^2 p^2 (1 - p)^2$, up to $tau^4/8$.",
        _SOURCE,
    )
    _keys(b, "k_{j,c} + delta_{j,1} eps_c")
    b.vector("eps", "D")
    b.number("d")
    shift = b.assume("equal", "d", "$d$ abbreviates $beta eps^T q$", "beta eps^T q")
    weight, rest = _letters(b)
    score = b.chain("beta khat_j^T q").then("=", "beta k_j^T q + delta_{j,1} d", "substitution", shift)
    score.claim("the scores after the change: a dot product is linear in the key")
    moved, positive, _ = _change(b, score.last, weight, rest)
    _first_order(b, positive)
    _sharp(b, moved, rest, positive)
    _gaussian(b, rest)
    return b.proof()


def _first_order(b: Builder, positive: str) -> None:
    slope = b.chain("lim(d, 0, diff(p (e^d - 1)/(1 + p (e^d - 1)), d))")
    slope.then("=", "lim(d, 0, p e^d/(1 + p (e^d - 1))^2)", "differentiation", premises=(positive,))
    slope.then("=", "p", "limit", premises=(positive,))
    slope.claim("first order: the change is $d p (v_1 - h)$ up to terms of order $d^2$")
    slope = b.chain("lim(d, 0, diff(p e^d/(1 + p (e^d - 1)), d))")
    slope.then("=", "lim(d, 0, p (1 - p) e^d/(1 + p (e^d - 1))^2)", "differentiation", premises=(positive,))
    slope.then("=", "p (1 - p)", "limit", premises=(positive,))
    slope.claim("the slope of the weight itself")


def _sharp(b: Builder, moved: str, rest: str, positive: str) -> None:
    """Prove the bound by a hyperbolic tangent, between squares, then between absolute values."""
    gap = "((e^{d/2} - 1) (1 - p (e^{d/2} + 1))^2/((e^{d/2} + 1) (1 + p (e^d - 1))))"
    identity = b.chain("(e^{d/2} - 1)/(e^{d/2} + 1) - (p e^d/(1 + p (e^d - 1)) - p)")
    identity.then("=", gap, "algebra", premises=(positive,), words="over the common denominator, with $u = e^{d/2}$")
    identity.claim("a square over a positive denominator, with the sign of $d$")
    half = "((e^{d/2} - 1)/(e^{d/2} + 1))"
    square = f"{half}^2"
    chain = b.chain("(ahat_1 - p)^2")
    chain.then("=", "(p e^d/(1 + p (e^d - 1)) - p)^2", "earlier result", premises=(moved, positive))
    shown = (
        "((e^{d/2} - 1)^2 (1 - p (e^{d/2} + 1))^2/((e^{d/2} + 1) (1 + p (e^d - 1)))) "
        "(1/(e^{d/2} + 1) + p r (e^{d/2} + 1)/(1 + p (e^d - 1)))"
    )
    words = "the difference of the squares is that of the numbers times their sum, and both have the sign of $d$"
    chain.then("≤", square, "evident sign", rest, premises=(positive,), difference=shown, words=words)
    chain.then("=", "tanh(d/4)^2", "hyperbolic tangent")
    chain.claim("the sharp bound, squared")
    bound = b.chain("(ahat_1 - p)^2").then(
        "≤", "tanh(d/4)^2", "combination", premises=tuple(chain.ids), weights="1; 1; 1"
    )
    sides = b.chain("abs(ahat_1 - p)").then("≤", "abs(tanh(d/4))", "absolute values", premises=(bound.last,))
    sides.claim("the sharp bound; both sides are equal where $p (e^{d/2} + 1) = 1$")
    last = b.chain("tanh(d/4)^2").then("≤", "(d/4)^2", "lemma:tanh-at-most")
    size = b.chain("abs(tanh(d/4))").then("≤", "abs(d/4)", "absolute values", premises=(last.last,))
    size.claim("and so the change of a weight is at most $abs(d)/4$")
    equal = b.chain("(e^d/(e^{d/2} + 1))/((e^{d/2} + e^d)/(e^{d/2} + 1)) - 1/(e^{d/2} + 1)")
    words = "here $p e^d$ stands over $1 + p (e^d - 1) = (e^{d/2} + e^d)/(e^{d/2} + 1)$"
    equal.then("=", "(e^{d/2} - 1)/(e^{d/2} + 1)", "algebra", words=words)
    equal.then("=", "tanh(d/4)", "hyperbolic tangent")
    equal.claim("for $p = 1/(e^{d/2} + 1)$ the bound is attained")


# The mean under a small Gaussian -------------------------------------------------------------------


def _gaussian(b: Builder, rest: str) -> None:
    b.number("tau", "positive")
    b.number("sigma", "positive")
    _random(b)
    law = b.assume(
        "law", "x", "$x$, a value of $d$ for a random $eps$, is normal with mean 0 and variance $tau^2$", "gaussian",
        "0", "tau^2",
    )  # fmt: skip
    parts = b.assume("coordinates", "noise", "the components of the noise $noise$ are independent")
    spread = b.assume("law", "noise", "they are normal with mean 0 and variance $sigma^2$", "gaussian", "0", "sigma^2")
    chain = b.chain("Var(beta noise^T q)")
    chain.then("=", "beta^2 sigma^2 q^T q", "expectation", parts, spread)
    chain.claim("for $eps$ with independent normal components $d$ is normal with this variance: it is $tau^2$")
    slopes = ("w", "w u", "w u (u - w)", "w u (1 - 6 w u)", "w u (u - w) (1 - 12 w u)")
    ends = _bounds(b, slopes, "1/2", _positive(_EULER, "1/2", -1), _positive(_EULER, "1/2", 1))
    chain = b.chain("abs(E(w) - p - tau^2 p (1 - p) (1 - 2 p)/2)")
    chain.then("≤", "tau^4/16", _TAYLOR, law, rest, premises=ends, over="x", of="w", bound="1/2")
    chain.claim("the mean change of the weight of key 1 is not zero unless $p = 1/2$")
    slopes = (
        "(w - p)^2",
        "2 (w - p) w u",
        "2 (w u)^2 + 2 (w - p) w u (u - w)",
        "6 (w u)^2 (u - w) + 2 (w - p) w u (1 - 6 w u)",
        "6 (w u (u - w))^2 + 8 (w u)^2 (1 - 6 w u) + 2 (w - p) w u (u - w) (1 - 12 w u)",
    )
    shown = [f"p ({_positive(_BESIDE_P, '1', sign)}) + r ({_positive(_BESIDE_R, '1', sign)})" for sign in (-1, 1)]
    ends = _bounds(b, slopes, "1", shown[0], shown[1], rest)
    chain = b.chain("abs(E((w - p)^2) - tau^2 p^2 (1 - p)^2)")
    chain.then("≤", "tau^4/8", _TAYLOR, law, rest, premises=ends, over="x", of="(w - p)^2", bound="1")
    chain.claim("the mean square of the change")


_TAYLOR = "lemma:taylor-mean"


def _bounds(b: Builder, slopes: Sequence[str], bound: str, above: str, under: str, *hypotheses: str) -> tuple[str, ...]:
    """Return steps for four derivatives of the first, and for the last between -bound and bound."""
    names = (
        f"a derivative of ${slopes[0]}$, $x$ being the change of the score of key 1, $w$ its new weight, $u = 1 - w$"
    )
    found = [
        b.chain(f"diff({one}, x)").then("=", other, "differentiation").claim(names if number == 1 else "the next one")
        for number, (one, other) in enumerate(pairwise(slopes), start=1)
    ]
    words = "as $w + u = 1$, the difference is a sum of positive terms"
    for left, right, shown in ((slopes[-1], bound, above), (f"-{bound}", slopes[-1], under)):
        chain = b.chain(left).then("≤", right, "evident sign", *hypotheses, difference=shown, words=words)
        found.append(chain.claim("a bound of the fourth derivative"))
    return tuple(found)


_EULER = (0, 1, -11, 11, -1, 0)
"""The fourth derivative of w over its coefficients, by powers of w beside u = 1 - w: Euler's numbers."""

_BESIDE_P = (0, -2, 36, -66, 16, 0, 0)
_BESIDE_R = (0, 0, 16, -66, 36, -2, 0)
"""The fourth derivative of (w - p)^2, which is linear in p and r = 1 - p, by powers of w beside u."""


def _positive(coefficients: Sequence[int], bound: str, sign: int) -> str:
    """Write ``bound + sign g`` as a sum of positive multiples of ``w^i u^j``, of the least degree that allows it."""
    for more in range(20):
        degree = len(coefficients) - 1 + more
        found = [
            Fraction(bound) * comb(degree, i)
            + sign * sum(c * comb(more, i - j) for j, c in enumerate(coefficients) if 0 <= i - j <= more)
            for i in range(degree + 1)
        ]
        if all(c >= 0 for c in found):
            return " + ".join(f"({c}) w^{i} u^{degree - i}" for i, c in enumerate(found) if c)
    raise ValueError("the bound is too tight for a sum of positive terms")


def _random(b: Builder) -> None:
    b.number("x", random=True)
    b.vector("noise", "D", random=True, latex=r"\eta")
    b.define("w", "p e^x/(r + p e^x)", sign="positive")
    b.define("u", "r/(r + p e^x)", sign="positive")


# The theorem on a longer key -----------------------------------------------------------------------


def _elongation(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "key-elongation",
        "One key is made longer",
        "Let $k_1$ become $alpha k_1$. With $g = beta k_1^T q$ and $p = a_1$ its weight is "
        "$p e^{(alpha - 1) g}/(1 + p (e^{(alpha - 1) g} - 1))$, whose derivative by $alpha$ is $g$ times the "
        "weight times "
        "one minus the weight. As $alpha$ grows the weight rises to 1 and the output goes to $v_1$ if $g > 0$; "
        "it falls to "
        "0 and the output goes to that without key 1 if $g < 0$; nothing changes if $g = 0$. The ratios of the other "
        "weights never change.",
        _SOURCE,
    )
    _keys(b, "k_{j,c} + delta_{j,1} (alpha - 1) k_{j,c}")
    for name in ("alpha", "g", "d"):
        b.number(name)
    b.number("y", "positive")
    turn = b.assume("equal", "g", "$g$ abbreviates $beta k_1^T q$", "beta k_1^T q")
    shift = b.assume("equal", "d", "$d$ abbreviates $(alpha - 1) g$", "(alpha - 1) g")
    weight, rest = _letters(b)
    score = b.chain("beta khat_j^T q").then("=", "beta k_j^T q + delta_{j,1} d", "substitution", turn, shift)
    score.claim("the scores after the change: only that of key 1 changes, by $d$")
    moved, positive, below = _change(b, score.last, weight, rest)
    _in_alpha(b, moved, shift, rest, positive)
    _as_alpha_grows(b, weight, rest, below)
    return b.proof()


_GROWN = "e^{(alpha - 1) g}"


def _in_alpha(b: Builder, moved: str, shift: str, rest: str, positive: str) -> None:
    """Prove the weight as a function of alpha, and its derivative."""
    below = f"1 + p ({_GROWN} - 1)"
    own = b.chain("0").then("<", below, "evident sign", rest, difference=f"r + p {_GROWN}")
    closed = f"p {_GROWN}/({below})"
    chain = b.chain("ahat_1").then("=", "p e^d/(1 + p (e^d - 1))", "earlier result", premises=(moved, positive))
    chain.then("=", closed, "substitution", shift, premises=(positive, own.last))
    chain.claim("the closed form in $alpha$")
    slope = b.chain(f"diff({closed}, alpha)")
    slope.then("=", f"g ({closed}) (1 - {closed})", "differentiation", premises=(own.last,))
    slope.claim("its derivative: $g$ times the weight times one minus the weight")


def _as_alpha_grows(b: Builder, weight: str, rest: str, below: str) -> None:
    """Prove both signs of g, as y and -y with a positive y, and g = 0."""
    for sign, end, words in (
        ("", "1", "for $g = y > 0$ the weight rises to 1"),
        ("-", "0", "for $g = -y < 0$ it falls to 0"),
    ):
        power = f"e^{{{sign}(alpha - 1) y}}"
        closed = f"p {power}/(r + p {power})"
        slope = b.chain(f"diff({closed}, alpha)")
        slope.then("=", f"{sign}y p r {power}/(r + p {power})^2", "differentiation")
        slope.then("<" if sign else ">", "0", "evident sign")
        slope.claim("it falls" if sign else "it rises")
        b.chain(f"lim(alpha, oo, {closed})").then("=", end, "limit").claim(words)
        change = f"(p ({power} - 1)/(r + p {power})) (v_1 - h)"
        limit = b.chain(f"lim(alpha, oo, h + {change})")
        if sign:
            limit.then("=", "h - (p/r) (v_1 - h)", "limit")
            limit.then("=", "htilde", "substitution", weight, rest, premises=(below,))
            limit.claim("and the output goes to that without key 1")
        else:
            limit.then("=", "v_1", "limit").claim("and the output goes to $v_1$")
    b.chain("p e^{(alpha - 1) 0}/(r + p e^{(alpha - 1) 0})").then("=", "p", "substitution", rest).claim(
        "for $g = 0$ nothing changes"
    )


THEOREMS = (
    Theorem(
        "key-perturbation",
        "perturbation",
        "a moved key changes the output by p (e^d - 1)/(1 + p (e^d - 1)) times v_1 - h, exactly",
        _perturbation,
        falsehoods=PERTURBATION,
    ),
    Theorem(
        "key-elongation",
        "perturbation",
        "a longer key draws all the weight, loses all of it, or nothing changes, by the sign of its score",
        _elongation,
        falsehoods=ELONGATION,
    ),
)
"""The theorems on one changed key."""
