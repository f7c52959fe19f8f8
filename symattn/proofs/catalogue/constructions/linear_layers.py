"""Self-attention as the identity, as a permutation, and as one linear map for every position."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.constructions.falsehoods import (
    EQUAL_IDENTITY,
    IDENTITY_FALSE,
    PERMUTATION_FALSE,
    RUNNING_FALSE,
)
from symattn.proofs.kernel.record import Proof

_SOURCE = "softmax of a matrix with two different entries; Cordonnier, Loukas and Jaggi 2020, section 3"


def _tokens(b: Builder) -> str:
    """Declare orthonormal tokens x_1, ..., x_n of length d, the columns of X, and the inverse temperature b."""
    b.number("n", "positive")
    b.number("d", "positive")
    b.number("b", "positive")
    b.matrix("x", "n", "d")
    text = "the tokens are orthonormal, $x_i^T x_j = delta_{i,j}$: the columns of $X$, so that $n ≤ d$"
    return b.assume("dot-products", "x x", text, "delta_{i,j}")


def _identity(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "identity-attention",
        "Self-attention as the identity",
        "Let $Q = K = V = X$ with orthonormal columns $x_1$ to $x_n$. At the inverse temperature $b$ the "
        "weight of token "
        "$j$ for token $i$ is $A_{j,i} = (1 + (e^b - 1) delta_{j,i})/(e^b + n - 1)$ and the output "
        "$h_i = ((e^b - 1) x_i + sum_{l=1}^{n} x_l)/(e^b + n - 1)$. As $b$ grows $A$ goes to the identity and $h_i$ to "
        "$x_i$; for finite $b$ and two tokens or more it is never the identity: the diagonal falls short of 1 by "
        "$(n - 1)/(e^b + n - 1)$.",
        _SOURCE,
    )
    orthonormal = _tokens(b)
    several = b.assume("positive", "", "there are at least two tokens", "n - 1")
    b.define("A", "exp(b x_j^T x_i)/sum_{l=1}^{n} exp(b x_l^T x_i)", "j i", "n n", "positive")
    b.define("H", "sum_{j=1}^{n} A_{j,i} x_{j,c}", "i c", "n d")
    total = "e^b + (n - 1)"
    b.chain("x_j^T x_i").then("=", "delta_{j,i}", "substitution", orthonormal).claim("the scores are the identity")
    weight = b.chain("A_{j,i}")
    weight.then("=", f"(1 + (e^b - 1) delta_{{j,i}})/({total})", "substitution", orthonormal, several)
    weight.claim("but the weights are not")
    output = b.chain("H_i")
    output.then("=", f"((e^b - 1) x_i + sum_{{l=1}}^{{n}} x_l)/({total})", "substitution", orthonormal, several)
    output.claim("the output")
    short = b.chain(f"1 - (1 + (e^b - 1) delta_{{i,i}})/({total})")
    short.then("=", f"(n - 1)/({total})", "algebra", several)
    short.then(">", "0", "evident sign", several, difference=f"-((n - 1)/({total}))")
    short.claim("the diagonal falls short of 1 at every finite $b$")
    _limits(b, "j", "i", "i")
    return b.proof()


def _limits(b: Builder, row: str, column: str, kept: str) -> None:
    """Prove the limits of weights and outputs as the temperature falls."""
    several = "H2"
    cold = b.chain(f"lim(b, oo, (1 + (e^b - 1) delta_{{{row},{column}}})/(e^b + (n - 1)))")
    cold.then("=", f"delta_{{{row},{column}}}", "limit", several)
    cold.claim("one-hot weights as $b$ grows")
    output = b.chain(f"lim(b, oo, ((e^b - 1) x_{{{kept}}} + sum_{{l=1}}^{{n}} x_l)/(e^b + (n - 1)))")
    output.then("=", f"x_{{{kept}}}", "limit", several)
    output.claim("and the outputs that they copy")


def _permutation(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "permutation-attention",
        "Self-attention as a permutation",
        "Let the columns $x_1$ to $x_n$ of $X$ be orthonormal, $pi$ a permutation with matrix $P$, $P_{l,i} = "
        "delta_{l,pi(i)}$, and $W_Q = X P X^T$, $W_K = W_V = I$. Then $q_i = x_{pi(i)}$, the scores are $P$, "
        "and as the "
        "inverse temperature $b$ grows the weights go to $P$ and the output of token $i$ to $x_{pi(i)}$. Zero "
        "scores do "
        "something else: they give every token the mean of all.",
        _SOURCE,
    )
    orthonormal = _tokens(b)
    several = b.assume("positive", "", "there are at least two tokens", "n - 1")
    b.permutation("pi")
    b.define("q", "sum_{l=1}^{n} sum_{g=1}^{n} x_{l,c} delta_{l,pi(g)} (x_g^T x_i)", "i c", "n d")
    b.define("A", "exp(b x_j^T q_i)/sum_{l=1}^{n} exp(b x_l^T q_i)", "j i", "n n", "positive")
    b.define("H", "sum_{j=1}^{n} A_{j,i} x_{j,c}", "i c", "n d")
    b.chain("q_i").then("=", "x_{pi(i)}", "substitution", orthonormal, words="$X P X^T x_i$").claim("the queries")
    b.chain("x_j^T q_i").then("=", "delta_{j,pi(i)}", "substitution", orthonormal).claim("the scores are $P$")
    weight = b.chain("A_{j,i}")
    weight.then("=", "(1 + (e^b - 1) delta_{j,pi(i)})/(e^b + (n - 1))", "substitution", orthonormal, several)
    weight.claim("the weights")
    output = b.chain("H_i")
    output.then("=", "((e^b - 1) x_{pi(i)} + sum_{l=1}^{n} x_l)/(e^b + (n - 1))", "substitution", orthonormal, several)
    output.claim("the outputs")
    _limits(b, "j", "pi(i)", "pi(i)")
    flat = b.chain("sum_{j=1}^{n} (exp(b 0)/sum_{l=1}^{n} exp(b 0)) x_j")
    flat.then("=", "(1/n) sum_{j=1}^{n} x_j", "algebra").claim("zero scores give the mean, for every token")
    return b.proof()


def _running(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "running-linear",
        "Self-attention as one linear map for every position",
        "If every token attends to itself alone, $A = I$, then $h_i = W c_i$: the same linear map at every position, a "
        "convolution with kernel size 1. With orthonormal codes $x_i$ of the positions as queries and keys and "
        "the values "
        "$W c_j$ the output at the inverse temperature $b$ is "
        "$h_i = W ((e^b - 1) c_i + sum_{l=1}^{n} c_l)/(e^b + n - 1)$, which goes to $W c_i$ as $b$ grows. "
        "A constant that is added to all scores changes nothing.",
        _SOURCE,
    )
    orthonormal = _tokens(b)
    several = b.assume("positive", "", "there are at least two tokens", "n - 1")
    b.number("m", "positive")
    b.number("t")
    b.matrix("c", "n", "d")
    b.matrix("W", "m", "d")
    b.fixed("r", "s")
    b.define("A", "exp(b x_j^T x_i)/sum_{l=1}^{n} exp(b x_l^T x_i)", "j i", "n n", "positive")
    b.define("H", "sum_{j=1}^{n} A_{j,i} sum_{g=1}^{d} W_{f,g} c_{j,g}", "i f", "n m")
    alone = b.chain("sum_{j=1}^{n} delta_{j,i} (W c_j)")
    alone.then("=", "W c_i", "algebra", words="the sum has one term that is not zero")
    alone.claim("$A = I$ gives the same map at every position")
    apart = b.chain("diff(sum_{g=1}^{d} W_{f,g} c_{r,g}, c_{s,e})")
    apart.then("=", "0", "differentiation").claim("which sees no other position")
    finite = b.chain("H_i")
    right = "(1/(e^b + (n - 1))) (W ((e^b - 1) c_i + sum_{l=1}^{n} c_l))"
    finite.then("=", right, "substitution", orthonormal, several).claim("at a finite temperature")
    cold = b.chain(f"lim(b, oo, {right})").then("=", "W c_i", "limit", several)
    cold.claim("and as $b$ grows")
    shift = b.chain("exp(b x_j^T x_i + t)/sum_{l=1}^{n} exp(b x_l^T x_i + t)")
    shift.then("=", "A_{j,i}", "algebra", words="the factor $e^t$ cancels").claim("a constant on all scores")
    return b.proof()


THEOREMS = (
    Theorem(
        "identity-attention",
        "constructions",
        "orthonormal Q = K = V give ((e^b - 1) I + 1 1^T)/(e^b + n - 1), the identity only as b grows",
        _identity,
        falsehoods=IDENTITY_FALSE,
        without=(("orthonormality", EQUAL_IDENTITY),),
    ),
    Theorem(
        "permutation-attention",
        "constructions",
        "W_Q = X P X^T with orthonormal tokens gives a permutation of the tokens as b grows",
        _permutation,
        falsehoods=PERMUTATION_FALSE,
    ),
    Theorem(
        "running-linear",
        "constructions",
        "attention to oneself alone is one linear map for every position",
        _running,
        falsehoods=RUNNING_FALSE,
    ),
)
"""The theorems of this module."""
