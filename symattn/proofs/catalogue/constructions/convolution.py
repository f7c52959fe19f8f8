"""Self-attention as a convolution, and what a synthesizer cannot do."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.constructions.falsehoods import CONVOLUTION_FALSE, SYNTHESIZER_FALSE
from symattn.proofs.kernel.record import Proof


def _convolution(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "attention-as-convolution",
        "Attention heads as a convolution",
        "Positions $t_j = j$ with the codes $(t_j, t_j^2, 1)$, a query map with the rows $beta (2, 0, 2 D)$ and "
        "$beta (0, 0, -1)$ and a key map with the rows $(1, 0, 0)$ and $(0, 1, 0)$ give the scores "
        "$-beta (t_j - T)^2 + beta T^2$ with $T = t_i + D$; the second term is the same for every key and cancels. Let "
        "$r$ be the existing position nearest to $T$: $T$ itself, or the border when $T$ lies beyond it (replicate "
        "padding). Its weight is at least $1 - 2 e^{-beta}/(1 - e^{-beta})$, which goes to 1 as $beta$ grows. Then the "
        "head copies $W c_r$, and the sum over heads with the shifts $D$ is a convolution with one tap for each head.",
        "Cordonnier, Loukas and Jaggi 2020, On the relationship between self-attention and convolutional "
        "layers, theorem 1",
    )
    for name in ("n", "m", "d", "beta"):
        b.number(name, "positive")
    for name in ("D", "T"):
        b.number(name)
    b.vector("t", "n")
    b.matrix("c", "n", "d")
    b.matrix("W", "m", "d")
    b.fixed("1", "2", "3", "r")
    b.define("P", "delta_{g,1} t_j + delta_{g,2} t_j^2 + delta_{g,3}", "j g", "n 3")
    b.define(
        "Q", "beta (2 delta_{f,1} delta_{g,1} + 2 D delta_{f,1} delta_{g,3} - delta_{f,2} delta_{g,3})", "f g", "2 3"
    )
    b.define("K", "delta_{f,1} delta_{g,1} + delta_{f,2} delta_{g,2}", "f g", "2 3")
    b.define("w", "exp(-beta (t_j - T)^2)/sum_{l=1}^{n} exp(-beta (t_l - T)^2)", "j", "n", "positive")
    _codes(b)
    order = b.assume("positions", "t", "$t_j = j$: the positions are the whole numbers from 1 to $n$")
    nearest = b.assume(
        "at-most", "t T", "no position lies between $r$ and $T$ or beyond $T$, unless $T$ is $t_r$: "
        "$(t_j - t_r) (t_r - T) ≥ 0$ for every $j$", "0", "(t_i - t_r) (t_r - T)",
    )  # fmt: skip
    below = _concentration(b, order, nearest)
    cold = b.chain("lim(beta, oo, 1 - 2 e^{-beta}/(1 - e^{-beta}))")
    cold.then("=", "1", "limit", premises=(below,))
    cold.claim("so the weight goes to 1")
    b.chain("sum_{j=1}^{n} delta_{j,r} (W c_j)").then("=", "W c_r", "algebra").claim("what a head then gives")
    return b.proof()


def _codes(b: Builder) -> None:
    chain = b.chain("sum_{f=1}^{2} (sum_{g=1}^{3} Q_{f,g} P_{i,g}) (sum_{g=1}^{3} K_{f,g} P_{j,g})")
    chain.then("=", "2 beta (t_i + D) t_j - beta t_j^2", "definition", words="query and key have two components")
    chain.then("=", "-beta (t_j - (t_i + D))^2 + beta (t_i + D)^2", "algebra", words="the square is completed")
    chain.claim("the scores")
    same = b.chain("exp(-beta (t_j - T)^2 + beta T^2)/sum_{l=1}^{n} exp(-beta (t_l - T)^2 + beta T^2)")
    same.then("=", "w_j", "algebra", words="a constant on all scores of a row cancels").claim("the weights")


def _concentration(b: Builder, order: str, nearest: str) -> str:
    """Prove the weight of the nearest position; return the id of the step exp(-beta) < 1."""
    near, own = "-beta ((t_j - T)^2 - (t_r - T)^2)", "-beta (t_j - t_r)^2"
    gap = b.chain(near)
    words = "$(t_j - T)^2 - (t_r - T)^2 = (t_j - t_r)^2 + 2 (t_j - t_r) (t_r - T)$"
    gap.then("≤", own, "evident sign", nearest, difference="2 beta ((t_j - t_r) (t_r - T))", words=words)
    near, own = f"exp({near})", f"exp({own})"
    term = b.chain(near).then("≤", own, "growth of exp", premises=(gap.last,))
    away = b.chain(f"(1 - delta_{{j,r}}) {near}")
    away.then("≤", f"(1 - delta_{{j,r}}) {own}", "combination", premises=(term.last,), weights="1 - delta_{j,r}")
    below = b.chain("exp(-beta)").then("<", "exp(0)", "growth of exp", words="$beta$ is positive").last
    rest, bound = f"sum_{{j=1}}^{{n}} (1 - delta_{{j,r}}) {near}", "2 e^{-beta}/(1 - e^{-beta})"
    total = b.chain(rest)
    total.then("≤", f"sum_{{j=1}}^{{n}} (1 - delta_{{j,r}}) {own}", "term by term", premises=(away.last,))
    total.then("≤", bound, "lemma:geometric-tail", order, premises=(below,), positions="t", at="r", rate="beta")
    total.claim("the other exponentials over that of $r$")
    chain = b.chain("w_r").then("=", f"1/(1 + {rest})", "algebra", words="over $exp(-beta (t_r - T)^2)$")
    shown = f"-(({rest})^2/(1 + {rest}))"
    chain.then("≥", f"1 - {rest}", "evident sign", difference=shown, words="$1/(1 + x) ≥ 1 - x$ for $x ≥ 0$")
    middle = f"sum_{{j=1}}^{{n}} (1 - delta_{{j,r}}) {own}"
    shown = f"-(({bound}) - {middle}) - (({middle}) - {rest})"
    chain.then("≥", f"1 - {bound}", "evident sign", premises=(below, *total.ids), difference=shown)
    chain.claim("the weight of the nearest position")
    return below


def _synthesizer(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "synthesizer-limit",
        "What a synthesizer cannot do in one layer",
        "A dense synthesizer makes the scores of row $i$ from $x_i$ alone: "
        "$z_{i,j} = sum_{h=1}^{H} f(sum_{c=1}^{d} A_{h,c} x_{i,c} + b_h) B_{h,j} + g_j$ with any function $f$. "
        "Let $y$ be "
        "any other sequence with $y_r = x_r$. Then row $r$ has the same weights for $y$ as for $x$, whatever the other "
        "tokens are; so it cannot put more than half of its weight both where a token stands in $x$ and where "
        "it stands "
        "in $y$. The scores $x_i^T M x_j$ of queries and keys compare the tokens: when the other tokens are "
        "permuted, the "
        "row of scores is permuted with them, and $x_r^T M x_s$ has the derivative $M^T x_r$ by $x_s$.",
        "Tay et al. 2021, Synthesizer: Rethinking self-attention for transformer models",
    )
    for name in ("n", "d", "H"):
        b.number(name, "positive")
    for name in ("x", "u"):
        b.matrix(name, "n", "d")
    b.matrix("A", "H", "d")
    b.matrix("B", "H", "n")
    b.matrix("M", "d", "d")
    b.vector("b", "H")
    b.vector("g", "n")
    b.fixed("r", "s", "o")
    b.function("f")
    b.permutation("pi")
    b.define("y", "delta_{i,r} x_{r,c} + (1 - delta_{i,r}) u_{i,c}", "i c", "n d")
    for name, tokens in (("z", "x"), ("zhat", "y")):
        body = f"sum_{{h=1}}^{{H}} f(sum_{{c=1}}^{{d}} A_{{h,c}} {tokens}_{{i,c}} + b_h) B_{{h,j}} + g_j"
        b.define(name, body, "i j", "n n")
    for name, scores in (("a", "z"), ("ahat", "zhat")):
        b.define(name, f"exp({scores}_{{i,j}})/sum_{{l=1}}^{{n}} exp({scores}_{{i,l}})", "i j", "n n", "positive")
    b.chain("y_r").then("=", "x_r", "definition").claim("token $r$ is the same in both")
    row = b.chain("zhat_{r,j}").then("=", "z_{r,j}", "definition", words="token $r$ is all that enters")
    row.claim("the scores of its row")
    b.chain("ahat_{r,j}").then("=", "a_{r,j}", "definition").claim("the weights of its row")
    b.chain("diff(a_{r,j}, x_{s,e})").then("=", "0", "differentiation").claim("no other token is felt")
    most = b.chain("a_{r,s} + a_{r,o}")
    most.then("≤", "1", "evident sign", difference="sum_{l=1}^{n} (1 - delta_{l,s} - delta_{l,o}) a_{r,l}")
    most.claim("not both weights are above one half")
    move = b.chain("x_r^T M x_{pi(j)}").then("=", "(M^T x_r)^T x_{pi(j)}", "algebra")
    move.claim("scores of queries and keys go with the tokens")
    felt = b.chain("diff(x_r^T M x_s, x_{s,e})").then("=", "sum_{c=1}^{d} M_{c,e} x_{r,c}", "differentiation")
    felt.claim("and feel them")
    return b.proof()


THEOREMS = (
    Theorem(
        "attention-as-convolution",
        "constructions",
        "relative scores -beta (j - i - D)^2 pick one neighbour as beta grows, with replicated borders",
        _convolution,
        falsehoods=CONVOLUTION_FALSE,
    ),
    Theorem(
        "synthesizer-limit",
        "constructions",
        "a row of a synthesizer depends on its own token alone, so it cannot look anything up",
        _synthesizer,
        falsehoods=SYNTHESIZER_FALSE,
    ),
)
"""The theorems of this module."""
