"""The softmax as a distribution, its shift invariance, its derivatives, and rows against columns."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.worked_numbers import (
    cross_entropy_lines,
    entropy_lines,
    jacobian_lines,
    parse_scores,
    weight_lines,
)
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Defined, Scope

_SOURCE = "Boyd and Vandenberghe 2004, Convex Optimization, section 3.1.5"
_SOFTMAX = "exp(z_j)/sum_{l=1}^{n} exp(z_l)"
_TOTAL = "sum_{l=1}^{n} exp(z_l)"

_SCORES = Scope((Declared("n", (), "positive"), Declared("z", ("n",))))
"""A row of scores, for false claims about the softmax of it."""


def _row(b: Builder) -> None:
    b.number("n", "positive")
    b.vector("z", "n")
    b.define("a", _SOFTMAX, "j", "n", "positive")


def _distribution(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "softmax-is-a-distribution",
        "The softmax is a distribution",
        "For any scores $z_1$ to $z_n$ the weights $a = softmax(z)$ are positive and their total is $1$. With two "
        "scores or more each weight lies strictly between $0$ and $1$: no finite score gives the weight $0$ or $1$. "
        "A larger score has the larger weight.",
        _SOURCE,
    )
    _row(b)
    b.number("p")
    b.number("q")
    apart = b.assume("distinct", "j k", "$k$ is another index than $j$")
    two = b.assume("at-most", "n", "there are two scores or more: $n >= 2$", "2", "n")
    ordered = b.assume("at-most", "p q", "$p <= q$ are two of the scores", "p", "q")
    total = b.chain("sum_{j=1}^{n} a_j")
    total.then("=", f"sum_{{j=1}}^{{n}} {_SOFTMAX}", "definition", words="the weights written out")
    total.then("=", f"({_TOTAL})/{_TOTAL}", "algebra", words="the denominator does not depend on $j$")
    total.then("=", "1", "algebra")
    total.claim("the weights add up to one")
    sign = b.chain("0").then("<", "a_j", "evident sign", difference="a_j", words="a quotient of exponentials")
    sign.claim("every weight is positive")
    less = b.chain("a_j")
    less.then(
        "<",
        "1",
        "evident sign",
        two,
        apart,
        difference="a_k + sum_{l=1}^{n} (1 - delta_{jl}) (1 - delta_{kl}) a_l",
        words="what is left to one is the weight of $k$, which is positive, and the weights of all the others",
    )
    less.claim("with two scores or more, no weight reaches one")
    grown = b.chain("exp(p)").then("≤", "exp(q)", "growth of exp", ordered)
    b.chain(f"exp(p)/{_TOTAL}").then(
        "≤",
        f"exp(q)/{_TOTAL}",
        "evident sign",
        premises=(grown.last,),
        difference=f"(exp(q) - exp(p))/{_TOTAL}",
        words="the denominator is positive and the same",
    ).claim("the weights have the order of the scores")
    return b.proof()


def _shift(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "shift-invariance",
        "The softmax does not see a common shift",
        "Adding one number $c$ to every score leaves every weight as it is. With $c$ the negative of the largest score "
        "all exponents are at most $0$, so overflow is no reason to divide the scores by anything. A shift of all "
        "keys by one vector $u$ adds the same number to all scores of a query and changes no weight either.",
        _SOURCE,
    )
    _row(b)
    b.number("D", "positive")
    b.number("c")
    b.vector("q", "D")
    b.vector("u", "D")
    b.matrix("k", "n", "D")
    shifted = b.chain("exp(z_j + c)/sum_{l=1}^{n} exp(z_l + c)")
    shifted.then(
        "=",
        f"(exp(c) exp(z_j))/(exp(c) {_TOTAL})",
        "algebra",
        words="$exp(c)$ is a factor of every term",
    )
    shifted.then("=", _SOFTMAX, "algebra", words="it is not zero and cancels")
    shifted.then("=", "a_j", "definition")
    shifted.claim()
    keys = b.chain("exp(q^T (k_j + u))/sum_{l=1}^{n} exp(q^T (k_l + u))")
    keys.then(
        "=",
        "exp(q^T k_j + q^T u)/sum_{l=1}^{n} exp(q^T k_l + q^T u)",
        "algebra",
        words="the dot product is linear in the key",
    )
    keys.then("=", "exp(q^T k_j)/sum_{l=1}^{n} exp(q^T k_l)", "algebra", words="as above, with $c = q^T u$")
    keys.claim("one vector added to every key")
    return b.proof()


def _jacobian(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "softmax-jacobian",
        "The derivative of the softmax",
        "For $a = softmax(z)$ the Jacobian is $J = diag(a) - a a^T$. It is symmetric and takes the vector of ones to "
        "zero; it is positive semidefinite, $v^T J v$ being the variance of $v$ under the weights; and "
        "$v^T J v <= (1/2) v^T v$, which two equal weights attain. For a target $y$ with total $1$ the "
        "cross-entropy $-sum_{i=1}^{n} y_i ln(a_i)$ has the gradient $a - y$ and the Hessian $J$.",
        _SOURCE,
    )
    _row(b)
    b.vector("v", "n")
    b.vector("y", "n")
    b.number("alpha", "positive")
    total = b.assume("total", "y", "the targets add up to one, $sum_{i=1}^{n} y_i = 1$", "1")
    b.define("J", "delta_{jl} a_j - a_j a_l", "j l", "n n")
    entry = b.chain("diff(a_j, z_l)")
    entry.then("=", f"diff({_SOFTMAX}, z_l)", "definition", words="the softmax written out")
    entry.then(
        "=",
        f"(delta_{{jl}} exp(z_j))/{_TOTAL} - (exp(z_j) exp(z_l))/({_TOTAL})^2",
        "differentiation",
        words="quotient rule; only the term of $l$ in the sum depends on $z_l$",
    )
    entry.then("=", "delta_{jl} a_j - a_j a_l", "definition", words="the weights put in their places")
    entry.claim("entry by entry")
    whole = b.chain("J").then("=", "diag(a) - a a^T", "definition")
    whole.claim("as a matrix")
    null = b.chain("sum_{l=1}^{n} J_{jl}")
    null.then("=", "sum_{l=1}^{n} (delta_{jl} a_j - a_j a_l)", "definition")
    null.then("=", "a_j - a_j sum_{l=1}^{n} a_l", "algebra", words="the delta keeps one term")
    null.then("=", "0", "algebra", words="the weights add up to one")
    null.claim("$J$ takes the vector of ones to zero")
    form = b.chain("v^T J v")
    form.then("=", "sum_{i=1}^{n} a_i v_i^2 - (sum_{i=1}^{n} a_i v_i)^2", "algebra", words="multiplied out")
    form.then(
        "=",
        "(1/2) sum_{i=1}^{n} sum_{j=1}^{n} a_i a_j (v_i - v_j)^2",
        "algebra",
        words="the square multiplied out, with $sum_{i=1}^{n} a_i = 1$",
    )
    form.then("≥", "0", "evident sign", difference="-(1/2) sum_{i=1}^{n} sum_{j=1}^{n} a_i a_j (v_i - v_j)^2")
    form.claim("$J$ is positive semidefinite")
    bound = b.chain("v^T J v")
    bound.then(
        "≤",
        "(1/2) v^T v",
        "evident sign",
        difference="2 sum_{i=1}^{n} (a_i - 1/2)^2 v_i^2"
        " + (1/2) sum_{i=1}^{n} sum_{j=1}^{n} (1 - delta_{ij}) a_i a_j (v_i + v_j)^2",
        words="the difference of the sides is a sum of squares",
    )
    bound.claim("no eigenvalue of $J$ is above $1/2$")
    pair = b.chain("alpha (1 - alpha)")
    pair.then("=", "1/4 - (alpha - 1/2)^2", "algebra")
    pair.then("≤", "1/4", "evident sign", difference="(alpha - 1/2)^2")
    pair.claim("the derivative of a weight $alpha$ by its own score is at most $1/4$, and small near $0$ and $1$")
    loss = "-sum_{i=1}^{n} y_i ln(a_i)"
    written = b.chain(loss)
    written.then(
        "=",
        f"ln({_TOTAL}) - sum_{{i=1}}^{{n}} y_i z_i",
        "substitution",
        total,
        words="$ln(a_i) = z_i - ln(Z)$ with the sum $Z$ of the exponentials, and the targets add up to one",
    )
    written.claim("the cross-entropy in the scores")
    gradient = b.chain(f"diff({loss}, z_l)")
    gradient.then("=", "(sum_{i=1}^{n} y_i) a_l - y_l", "differentiation", words="chain rule")
    gradient.then("=", "a_l - y_l", "substitution", total)
    gradient.claim("the gradient of the cross-entropy")
    hessian = b.chain("diff(a_j - y_j, z_l)").then("=", "J_{jl}", "differentiation", words="the targets are constant")
    hessian.claim("its Hessian")
    return b.proof()


def _duality(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "row-column-duality",
        "Tokens as rows and tokens as columns",
        "With tokens as columns, $Q$ of size $d$ by $n$, $K$ of size $d$ by $m$ and $V$ of size $t$ by $m$, the map "
        "$A$ of size $m$ by $n$ has the softmax of each column of $beta K^T Q$, and $H = V A$. Transposed, this is "
        "the same layer with tokens as rows: $H^T = softmax(beta Q^T K) V^T$ with the softmax of each row.",
        "Vaswani et al. 2017, Attention Is All You Need, equation 1, transposed",
    )
    for size in ("d", "m", "n", "t"):
        b.number(size, "positive")
    b.number("beta")
    b.matrix("Q", "d", "n")
    b.matrix("K", "d", "m")
    b.matrix("V", "t", "m")
    score = "beta sum_{c=1}^{d} K_{cj} Q_{ci}"
    b.define("A", f"exp({score})/sum_{{l=1}}^{{m}} exp({score.replace('K_{cj}', 'K_{cl}')})", "j i", "m n", "positive")
    b.define("H", "sum_{j=1}^{m} A_{ji} V_{rj}", "r i", "t n")
    b.chain("(K^T Q)_{ji}").then("=", "sum_{c=1}^{d} K_{cj} Q_{ci}", "definition").claim("a score")
    b.chain("sum_{j=1}^{m} A_{ji}").then("=", "1", "algebra", words="the denominator is that of column $i$").claim(
        "every column of $A$ adds up to one"
    )
    b.chain("H_{ri}").then("=", "sum_{j=1}^{m} A_{ji} V_{rj}", "definition").claim(
        "column $i$ of $H$ is the weighted sum of the columns of $V$"
    )
    chain = b.chain("H^T")
    chain.then("=", "(V A)^T", "definition")
    chain.then("=", "A^T V^T", "algebra", words="the transpose of a product")
    chain.then(
        "=",
        "softmax(beta Q^T K) V^T",
        "algebra",
        words="row $i$ of $A^T$ is the softmax of row $i$ of $(beta K^T Q)^T = beta Q^T K$",
    )
    chain.claim()
    return b.proof()


_SATURATED = Falsehood(
    "the softmax can give a weight of exactly 1",
    "softmax(z)_j",
    "=",
    "delta_{1j}",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("9", "0"),)),)),
    "every weight lies strictly between 0 and 1; only in the limit does one of them go to 1",
    _SCORES,
)
_NOT_HOMOGENEOUS = Falsehood(
    "the softmax does not see a common factor of the scores",
    "softmax(2 z)_j",
    "=",
    "softmax(z)_j",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("1", "0"),)),)),
    "it does not see a common shift; a factor is an inverse temperature and changes the weights",
    _SCORES,
)
_OWN_SCORE_ONLY = Falsehood(
    "a weight is the exponential of its own score alone",
    "softmax(z)_j",
    "=",
    "exp(z_j)",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("0", "0"),)),)),
    "the whole row enters: exp(z_j) over the sum of all exponentials; the softmax of one single number is 1",
    _SCORES,
)
_ALL_NEAR_ONE = Falsehood(
    "for large scores the weights come close to 1",
    "softmax(z)_j",
    "≥",
    "9/10",
    CounterExample(sizes=(("n", 3),), entries=(("z", (("50", "10", "0"),)),)),
    "they add up to 1: one of them comes close to 1 and the others to 0",
    _SCORES,
)
_DIAGONAL = Falsehood(
    "the Jacobian of the softmax is diagonal with entries a_j (1 - a_j)",
    "diff(softmax(z)_j, z_l)",
    "=",
    "delta_{jl} softmax(z)_j (1 - softmax(z)_j)",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("0", "0"),)),)),
    "off the diagonal stands -a_j a_l, not 0",
    _SCORES,
)
_WRONG_AXIS = Falsehood(
    "the softmax of the rows and that of the columns give transposed maps of one score matrix",
    "softmax(Z)_{ij}",
    "=",
    "softmax(Z^T)_{ji}",
    CounterExample(sizes=(("n", 2),), entries=(("Z", (("1", "0"), ("0", "0"))),)),
    "the softmax of the rows is taken over the keys of each query; of the columns, it is another map",
    Scope((Declared("n", (), "positive"), Declared("Z", ("n", "n")))),
)
_ROW_SUMS = Falsehood(
    "a softmax along the queries leaves rows of weights that add up to 1",
    "sum_{j=1}^{n} softmax(Z^T)_{ji}",
    "=",
    "1",
    CounterExample(sizes=(("n", 2),), entries=(("Z", (("0", "1"), ("2", "5"))),)),
    "it is taken along the keys, the last axis of the scores; the weights of each query then add up to 1",
    Scope((Declared("n", (), "positive"), Declared("Z", ("n", "n")))),
)
_GRADIENT_SIGN = Falsehood(
    "the gradient of the cross-entropy is y - a",
    "diff(-sum_{i=1}^{n} y_i ln(a_i), z_l)",
    "=",
    "y_l - a_l",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("0", "0"),)), ("y", (("1", "0"),)))),
    "it is $a - y$: a step against it raises the score of the target",
    Scope(
        (Declared("n", (), "positive"), Declared("z", ("n",)), Declared("y", ("n",))),
        (Defined("a", ("j",), ("n",), _SOFTMAX, "positive"),),
    ),
)


def _weights(values: Mapping[str, str]) -> tuple[Line, ...]:
    scores = parse_scores(values["z"])
    return () if scores is None else (*weight_lines(scores), *entropy_lines(scores))


def _derivatives(values: Mapping[str, str]) -> tuple[Line, ...]:
    scores = parse_scores(values["z"])
    if scores is None:
        return ()
    return (*weight_lines(scores), *jacobian_lines(scores), *cross_entropy_lines(scores, int(values["class"])))


_CLASS = Parameter("class", "1", "the class of the target, for an instance", kind="count", worked=True)
_ROW = Parameter("z", "0, 1, 2, 2", "scores for an instance, rational or ln r", kind="list", worked=True)
_LOGARITHMS = Parameter("z", "0, ln 2, ln 3", "scores for an instance, rational or ln r", kind="list", worked=True)

THEOREMS = (
    Theorem(
        "softmax-is-a-distribution",
        "softmax",
        "softmax weights are positive and add up to 1",
        _distribution,
        (_ROW,),
        falsehoods=(_SATURATED, _OWN_SCORE_ONLY, _ALL_NEAR_ONE),
        instance=_weights,
    ),
    Theorem(
        "shift-invariance",
        "softmax",
        "one number added to every score changes no weight",
        _shift,
        falsehoods=(_NOT_HOMOGENEOUS,),
    ),
    Theorem(
        "softmax-jacobian",
        "softmax",
        "J = diag(a) - a a^T, null vector, positive semidefinite, at most 1/2; gradient of the cross-entropy",
        _jacobian,
        (_LOGARITHMS, _CLASS),
        falsehoods=(_DIAGONAL, _GRADIENT_SIGN),
        instance=_derivatives,
    ),
)
"""The theorems on the softmax itself."""

ROWS_AND_COLUMNS = Theorem(
    "row-column-duality",
    "softmax",
    "H^T = softmax(Q^T K) V^T: tokens as columns are tokens as rows, transposed",
    _duality,
    falsehoods=(_WRONG_AXIS, _ROW_SUMS),
)
"""The theorem on layers whose tokens are columns, which is listed after those on temperature."""
