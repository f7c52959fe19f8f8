"""Theorems on an attention layer: scores, weighted sums, their hull, and the order that it cannot see."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Defined, Scope

_SOURCE = "Vaswani et al. 2017, Attention Is All You Need, section 3.2.1"


def _tokens(b: Builder, *weights: str) -> None:
    for size in ("n", "d", "D_k", "D_v"):
        b.number(size, "positive")
    b.matrix("X", "n", "d")
    for name in weights:
        b.matrix(name, "d", "D_v" if name == "W_V" else "D_k")


def _score(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "score-is-dot-product",
        "A score is a dot product",
        "With tokens as the rows $x_i$ of $X$, $q_i = W_Q^T x_i$, $k_j = W_K^T x_j$ and $v_j = W_V^T x_j$ are the rows "
        "of "
        "$Q = X W_Q$ and $K = X W_K$ of size $n$ by $D_k$ and of $V = X W_V$ of size $n$ by $D_v$. The entry of $Q "
        "K^T$ in "
        "row $i$ and column $j$ is $q_i^T k_j$. In the tokens, $Q K^T = X (W_Q W_K^T) X^T$: only the product "
        "$W_Q W_K^T$ matters, of rank at most $D_k$, so $W_Q A$ and $W_K B$ give the same scores whenever $A B^T$ is "
        "the "
        "identity, that is for every invertible $A$.",
        _SOURCE,
    )
    _tokens(b, "W_Q", "W_K", "W_V")
    b.matrix("A", "D_k", "D_k")
    b.matrix("B", "D_k", "D_k")
    b.define("Q", "(X W_Q)_{ir}", "i r", "n D_k")
    b.define("K", "(X W_K)_{ir}", "i r", "n D_k")
    b.define("V", "(X W_V)_{ir}", "i r", "n D_v")
    inverse = b.assume(
        "dot-products", "A B", "$A B^T$ is the identity: $B$ is the transposed inverse of $A$", "delta_{ij}"
    )
    for name, weight, row in (("Q", "W_Q", "query"), ("K", "W_K", "key"), ("V", "W_V", "value")):
        chain = b.chain(f"{name}_i")
        chain.then("=", f"sum_{{c=1}}^{{d}} X_{{ic}} ({weight})_c", "definition", words="row $i$ of a product")
        chain.then("=", f"({weight})^T X_i", "definition", words="the transposed matrix times the token as a column")
        chain.claim(f"row $i$ of ${name}$ is the {row} of token $i$")
    chain = b.chain("(Q K^T)_{ij}")
    chain.then("=", "sum_{r=1}^{D_k} Q_{ir} (K^T)_{rj}", "definition", words="the product of two matrices")
    chain.then("=", "sum_{r=1}^{D_k} Q_{ir} K_{jr}", "definition", words="the transpose exchanges the indices")
    chain.then("=", "Q_i^T K_j", "definition", words="the dot product of the rows $i$ and $j$")
    chain.claim()
    whole = b.chain("Q K^T")
    whole.then("=", "(X W_Q) (X W_K)^T", "definition")
    whole.then("=", "X (W_Q W_K^T) X^T", "algebra", words="the transpose of a product, and associativity")
    whole.claim("the scores in the tokens")
    gauge = b.chain("(X W_Q A) (X W_K B)^T")
    gauge.then("=", "X W_Q (A B^T) W_K^T X^T", "algebra")
    gauge.then("=", "X W_Q W_K^T X^T", "substitution", inverse)
    gauge.claim("other weights with the same scores, hence the same map")
    return b.proof()


def _weighted(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "output-is-weighted-sum",
        "An output is a weighted sum of values",
        "Row $i$ of $O = A V$ is $sum_{j=1}^{m} A_{ij} v_j$ with the values $v_j$, the rows of $V$. With "
        "$A = softmax(S)$ by rows the weights of a row are positive and add up to $1$, so every output row is a convex "
        "combination of the values; if all values are one vector, so is every output.",
        _SOURCE,
    )
    for size in ("n", "m", "D_v"):
        b.number(size, "positive")
    b.matrix("S", "n", "m")
    b.matrix("v", "m", "D_v")
    b.vector("u", "D_v")
    b.define("A", "exp(S_{ij})/sum_{l=1}^{m} exp(S_{il})", "i j", "n m", "positive")
    b.chain("softmax(S)").then("=", "A", "definition", words="each row has its own denominator").claim("the map")
    entry = b.chain("(A v)_{ic}")
    entry.then("=", "sum_{j=1}^{m} A_{ij} v_{jc}", "definition", words="the product of two matrices")
    entry.claim("an entry of the output")
    row = b.chain("(A v)_i")
    row.then("=", "sum_{j=1}^{m} A_{ij} v_j", "definition", words="all columns $c$ at once")
    row.claim()
    total = b.chain("sum_{j=1}^{m} A_{ij}").then("=", "1", "algebra", words="the denominator is the total")
    total.claim("the weights of a row")
    sign = b.chain("0").then("<", "A_{ij}", "evident sign", difference="A_{ij}", words="a quotient of exponentials")
    sign.claim("each of them")
    same = b.chain("sum_{j=1}^{m} A_{ij} u")
    same.then("=", "(sum_{j=1}^{m} A_{ij}) u", "algebra")
    same.then("=", "u", "algebra")
    same.claim("equal values")
    return b.proof()


def _hull(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "convex-hull",
        "An output stays in the hull of the values",
        "For $a = softmax(s)$ and $o = sum_{j=1}^{n} a_j v_j$: if $b^T v_j <= h$ for every $j$ then $b^T o <= h$, for "
        "every "
        "direction $b$, so $o$ lies in the convex hull of the values. If no value is longer than $M$, neither is $o$: "
        "$M^2 - o^T o$ is a sum of terms that are not negative.",
        "Rockafellar 1970, Convex Analysis, theorem 2.3",
    )
    b.number("n", "positive")
    b.number("d", "positive")
    b.number("M", "positive")
    b.number("h")
    b.vector("s", "n")
    b.vector("b", "d")
    b.matrix("v", "n", "d")
    b.define("a", "exp(s_j)/sum_{l=1}^{n} exp(s_l)", "j", "n", "positive")
    b.define("o", "sum_{j=1}^{n} a_j v_{jc}", "c", "d")
    side = b.assume("at-most", "b v h", "$b^T v_j <= h$ for every $j$", "b^T v_i", "h")
    length = b.assume(
        "at-most", "v M", "$v_j^T v_j <= M^2$ for every $j$: no value is longer than $M$", "v_i^T v_i", "M^2"
    )
    chain = b.chain("b^T o")
    chain.then("=", "sum_{j=1}^{n} a_j b^T v_j", "algebra", words="the dot product is linear")
    chain.then(
        "≤",
        "h",
        "evident sign",
        side,
        difference="sum_{j=1}^{n} a_j (h - b^T v_j)",
        words="the weights are positive and add up to one",
    )
    chain.claim("on each side of the hull")
    gap = b.chain("M^2 - o^T o")
    terms = "sum_{j=1}^{n} a_j (M^2 - v_j^T v_j) + (1/2) sum_{i=1}^{n} sum_{j=1}^{n} a_i a_j (v_i - v_j)^T (v_i - v_j)"
    gap.then(
        "=",
        terms,
        "algebra",
        words="multiplied out: the double sum is $sum_{j=1}^{n} a_j v_j^T v_j - o^T o$",
    )
    gap.claim("what is left to the square of $M$")
    spread = "sum_{i=1}^{n} sum_{j=1}^{n} a_i a_j sum_{c=1}^{d} (v_{ic} - v_{jc})^2"
    squares = b.chain("o^T o").then(
        "≤",
        "M^2",
        "evident sign",
        length,
        difference=f"sum_{{j=1}}^{{n}} a_j (M^2 - v_j^T v_j) + (1/2) {spread}",
        words="weights, the differences of the hypothesis, and squares",
    )
    squares.claim("the square of the length")
    norm = b.chain("norm(o)^2 ≤ M^2")
    norm.then("⇔", "norm(o) ≤ M", "equivalence", factor="norm(o) + M", words="the sum of both is positive")
    norm.claim("the length itself")
    return b.proof()


def _equivariance(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "permutation-equivariance",
        "Attention does not see the order of its tokens",
        "Without a mask and without positions, self-attention of permuted tokens is the permuted self-attention: for "
        "every permutation $pi$ of the tokens and every scale $beta$, the layer applied to the tokens $x_{pi(i)}$ "
        "gives in "
        "row $i$ what it gives in row $pi(i)$ for the tokens in their order. A pooled output does not change at all.",
        "Lee et al. 2019, Set Transformer, section 3.2",
    )
    _tokens(b, "W_Q", "W_K", "W_V")
    b.number("beta")
    b.permutation("pi")
    b.define("Y", "X_{pi(i), c}", "i c", "n d")
    score = "sum_{r=1}^{D_k} (X W_Q)_{ir} (X W_K)_{jr}"
    b.define("S", score, "i j", "n n")
    b.define("T", score.replace("X", "Y"), "i j", "n n")
    b.define("A", "exp(beta S_{ij})/sum_{l=1}^{n} exp(beta S_{il})", "i j", "n n", "positive")
    b.define("B", "exp(beta T_{ij})/sum_{l=1}^{n} exp(beta T_{il})", "i j", "n n", "positive")
    row = b.chain("(Y W_Q)_{ir}").then(
        "=", "(X W_Q)_{pi(i), r}", "definition", words="queries, keys and values are made token by token"
    )
    row.claim("a query of the permuted tokens")
    b.chain("T_{ij}").then("=", "S_{pi(i), pi(j)}", "definition", words="the same for the keys").claim("the scores")
    weight = b.chain("B_{ij}")
    weight.then(
        "=",
        "exp(beta S_{pi(i), pi(j)})/sum_{l=1}^{n} exp(beta S_{pi(i), pi(l)})",
        "definition",
        words="the scores put in their places",
    )
    weight.then(
        "=",
        "A_{pi(i), pi(j)}",
        "algebra",
        words="as $l$ runs through all tokens, so does $pi(l)$: the denominator is the same sum",
    )
    weight.claim("the map")
    output = b.chain("sum_{j=1}^{n} B_{ij} (Y W_V)_{jr}")
    output.then("=", "sum_{j=1}^{n} A_{pi(i), pi(j)} (X W_V)_{pi(j), r}", "definition")
    output.then("=", "sum_{j=1}^{n} A_{pi(i), j} (X W_V)_{jr}", "algebra", words="the same sum in another order")
    output.claim()
    pooled = b.chain("sum_{i=1}^{n} sum_{j=1}^{n} B_{ij} (Y W_V)_{jr}")
    pooled.then("=", "sum_{i=1}^{n} sum_{j=1}^{n} A_{ij} (X W_V)_{jr}", "algebra", words="once more, over $i$")
    pooled.claim("a pooled output")
    return b.proof()


def _causal(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "causal-independence",
        "A masked token has no influence",
        "Let $M_{ij}$ be $1$ where query $i$ may see key $j$ and $0$ elsewhere; a score of minus infinity before the "
        "softmax is the weight factor $0$: $A_{ij} = M_{ij} exp(beta S_{ij})/sum_{k=1}^{n} M_{ik} exp(beta S_{ik})$. "
        "Every row of weights adds up to $1$. For a query $q$ and another token $t$ with $M_{qt} = 0$, the weight "
        "$A_{qt}$ is $0$ and so is the derivative of the output $y_q$ by every entry of $x_t$, whatever the tokens "
        "are: "
        "$y_q$ does not depend on $x_t$. Under the causal mask ($M_{ij} = 1$ exactly when $j <= i$) this holds for "
        "every "
        "$t > q$: $y_q$ depends on the tokens $1$ to $q$ only; the first row of weights is $(1, 0, ...)$, and "
        "$n (n + 1)/2$ pairs are allowed.",
        "Vaswani et al. 2017, Attention Is All You Need, section 3.2.3",
    )
    for size in ("n", "d", "D_v"):
        b.number(size, "positive")
    b.number("beta")
    b.matrix("X", "n", "d")
    b.matrix("W", "d", "d")
    b.matrix("W_V", "d", "D_v")
    b.matrix("G", "n", "n", "nonnegative")
    b.matrix("L", "n", "n")
    b.matrix("N", "n", "n")
    b.fixed("q", "t")
    b.define("M", "G_{ij} (1 - delta_{iq} delta_{jt})", "i j", "n n", "nonnegative")
    b.define("S", "sum_{c=1}^{d} sum_{e=1}^{d} X_{ic} W_{ce} X_{je}", "i j", "n n")
    total = "sum_{k=1}^{n} M_{%sk} exp(beta S_{%sk})"
    b.define("A", f"(M_{{ij}} exp(beta S_{{ij}}))/{total % ('i', 'i')}", "i j", "n n", "nonnegative")
    b.define("y", "sum_{j=1}^{n} A_{ij} (X W_V)_{jr}", "i r", "n D_v")
    some = b.assume("positive", "", "every query may see at least one key", total % ("i", "i"))
    causal = b.assume(
        "equal",
        "N",
        "$N$ is the causal mask, $N_{ij} = (1 + delta_{ij} + L_{ij} - L_{ji})/2$ with $L_{ij} = 1$ where $j < i$, "
        "else $0$",
        "(1 + delta_{ij} + L_{ij} - L_{ji})/2",
    )
    b.chain("M_{qt}").then("=", "G_{qt} (1 - delta_{qq} delta_{tt})", "definition").then("=", "0", "algebra").claim(
        "$M$ is any mask $G$ of factors that are not negative, but that it hides token $t$ from query $q$"
    )
    rows = b.chain("sum_{j=1}^{n} A_{ij}")
    written = total % ("i", "i")
    rows.then("=", f"({written})/{written}", "definition", some, words="the denominator is that of the row")
    rows.then("=", "1", "algebra", some)
    rows.claim("a row of weights")
    b.chain("A_{qt}").then("=", "0", "algebra", some, words="its factor $M_{qt}$ is zero").claim("the hidden token")
    slope = b.chain("diff(y_{qr}, X_{tc})")
    slope.then(
        "=",
        "0",
        "differentiation",
        some,
        words="$x_t$ stands in the terms with $j = t$ only, in the key and the value of $t$; each of them has the "
        "factor $M_{qt} = 0$, and the query is that of another token",
    )
    slope.claim("the derivative")
    first = b.chain("(delta_{1j} exp(beta S_{1j}))/sum_{k=1}^{n} delta_{1k} exp(beta S_{1k})")
    first.then("=", "delta_{1j}", "algebra", words="the first query sees the first key alone: one term is left")
    first.claim("the first row under the causal mask")
    count = b.chain("sum_{i=1}^{n} sum_{j=1}^{n} N_{ij}")
    count.then(
        "=",
        "sum_{i=1}^{n} sum_{j=1}^{n} (1 + delta_{ij} + L_{ij} - L_{ji})/2",
        "substitution",
        causal,
    )
    count.then("=", "n (n + 1)/2", "algebra", words="the sums over $L_{ij}$ and $L_{ji}$ are the same sum")
    count.claim("how many pairs are allowed")
    return b.proof()


_LAYER = Scope(
    (Declared("n", (), "positive"), Declared("d", (), "positive"), Declared("S", ("n", "n")), Declared("v", ("n", "d")))
)
_COLUMN_WEIGHTS = Falsehood(
    "row i of the output weighs the values with column i of the map",
    "(softmax(S) v)_{ic}",
    "=",
    "sum_{j=1}^{n} softmax(S)_{ji} v_{jc}",
    CounterExample(sizes=(("n", 2), ("d", 1)), entries=(("S", (("1", "0"), ("0", "0"))), ("v", (("1",), ("0",))))),
    "with tokens as rows it is row $i$ of the map: $sum_{j=1}^{n} A_{ij} v_j$",
    _LAYER,
)
_OWN_VALUE = Falsehood(
    "the output of a token is made from its own value",
    "sum_{j=1}^{n} a_j v_j",
    "=",
    "v_1",
    CounterExample(sizes=(("n", 2),), entries=(("a", (("1/4", "3/4"),)), ("v", (("1", "8"),)))),
    "the values of all tokens enter, each with its weight",
    Scope((Declared("n", (), "positive"), Declared("a", ("n",), "positive"), Declared("v", ("n",)))),
)
_RAW = Falsehood(
    "the rows of the scores are the attention weights",
    "sum_{j=1}^{n} S_{ij}",
    "=",
    "1",
    CounterExample(sizes=(("n", 2), ("d", 1)), entries=(("S", (("1", "-3"), ("0", "2"))), ("v", (("1",), ("0",))))),
    "scores are any numbers; the softmax of each row turns them into weights, over all tokens, its own included",
    _LAYER,
)
_PAIR = Scope(
    (Declared("n", (), "positive"), Declared("d", (), "positive"), Declared("Q", ("n", "d")), Declared("K", ("n", "d")))
)
_TRANSPOSED = Falsehood(
    "the score of query i with key j stands in row j and column i of Q K^T",
    "(Q K^T)_{ji}",
    "=",
    "Q_i^T K_j",
    CounterExample(sizes=(("n", 2), ("d", 1)), entries=(("Q", (("1",), ("2",))), ("K", (("1",), ("3",))))),
    "it stands in row i and column j; Q K^T is not symmetric",
    _PAIR,
)
_PRODUCT = Falsehood(
    "a score is the product of the token with both weight matrices on one side",
    "(X W_Q W_K X)_{ij}",
    "=",
    "(X W_Q W_K^T X^T)_{ij}",
    CounterExample(
        sizes=(("n", 2),),
        entries=(("X", (("1", "0"), ("0", "2"))), ("W_Q", (("1", "0"), ("0", "1"))), ("W_K", (("0", "1"), ("0", "0")))),
    ),
    "both sides of the product hold a token: x_i^T W_Q W_K^T x_j",
    Scope((Declared("n", (), "positive"), *(Declared(name, ("n", "n")) for name in ("X", "W_Q", "W_K")))),
)
_OUTSIDE = Falsehood(
    "an output is as long as the longest value",
    "norm(sum_{j=1}^{n} softmax(s)_j v_j)",
    "=",
    "norm(v_1)",
    CounterExample(sizes=(("n", 2), ("d", 1)), entries=(("s", (("0", "0"),)), ("v", (("1",), ("-1",))))),
    "it is at most as long as the longest value; equal weights of opposite values give 0",
    Scope(
        (Declared("n", (), "positive"), Declared("d", (), "positive"), Declared("s", ("n",)), Declared("v", ("n", "d")))
    ),
)
_INVARIANT = Falsehood(
    "self-attention is invariant: permuted tokens give the same output in every row",
    "(softmax(Y Y^T) Y)_{ic}",
    "=",
    "(softmax(X X^T) X)_{ic}",
    CounterExample(sizes=(("n", 2), ("d", 1)), entries=(("X", (("0",), ("1",))), ("Y", (("1",), ("0",))))),
    "the rows are permuted along (equivariance); only a pooled output is invariant",
    Scope(
        (
            Declared("n", (), "positive"),
            Declared("d", (), "positive"),
            Declared("X", ("n", "d")),
            Declared("Y", ("n", "d")),
        )
    ),
)
_POSITIONED = Falsehood(
    "self-attention with positions added to the tokens is still permutation equivariant",
    "(softmax((Y + P) (Y + P)^T) (Y + P))_{1c}",
    "=",
    "(softmax((X + P) (X + P)^T) (X + P))_{2c}",
    CounterExample(
        sizes=(("n", 2), ("d", 1)),
        entries=(("X", (("0",), ("1",))), ("Y", (("1",), ("0",))), ("P", (("0",), ("1",)))),
    ),
    "positions (and a causal mask) break the symmetry: they belong to places, not to tokens",
    Scope(
        (
            Declared("n", (), "positive"),
            Declared("d", (), "positive"),
            Declared("X", ("n", "d")),
            Declared("Y", ("n", "d")),
            Declared("P", ("n", "d")),
        )
    ),
)
_MASK_AFTER = Falsehood(
    "multiplying the weights by the mask after the softmax leaves rows that add up to 1",
    "sum_{j=1}^{n} M_{ij} softmax(S)_{ij}",
    "=",
    "1",
    CounterExample(sizes=(("n", 2),), entries=(("S", (("0", "0"), ("0", "0"))), ("M", (("1", "0"), ("1", "1"))))),
    "minus infinity goes in before the softmax; a mask after it needs the rows divided by their totals again",
    Scope((Declared("n", (), "positive"), Declared("S", ("n", "n")), Declared("M", ("n", "n")))),
)
_ZERO_SCORE = Falsehood(
    "a score of 0 hides a key",
    "A_{12}",
    "=",
    "0",
    CounterExample(sizes=(("n", 2),), entries=(("S", (("1", "5"), ("0", "0"))), ("M", (("1", "0"), ("1", "1"))))),
    "exp(0) = 1 is a weight like any other: a hidden key needs the score minus infinity",
    Scope(
        (Declared("n", (), "positive"), Declared("S", ("n", "n")), Declared("M", ("n", "n"))),
        (Defined("A", ("i", "j"), ("n", "n"), "exp(M_{ij} S_{ij})/sum_{l=1}^{n} exp(M_{il} S_{il})", "positive"),),
    ),
)
_INDEPENDENT = Falsehood(
    "positions are not needed where the tokens do not influence each other",
    "x_3",
    "=",
    "x_{pi(3)}",
    CounterExample(sizes=(("n", 3),), entries=(("x", (("1", "2", "3"),)), ("pi", (("3", "2", "1"),)))),
    "what counts is whether the answer is that of a set: to give the third token, positions are needed for any law",
    Scope((Declared("n", (), "positive"), Declared("x", ("n",))), permutations=("pi",)),
)
_FULL_ROW = Falsehood(
    "the first row of a causal mask allows every key",
    "sum_{j=1}^{n} M_{1j}",
    "=",
    "n",
    CounterExample(sizes=(("n", 3),), entries=(("M", (("1", "0", "0"), ("1", "1", "0"), ("1", "1", "1"))),)),
    "row i allows the first i keys, so the mask is a lower triangle of ones",
    Scope((Declared("n", (), "positive"), Declared("M", ("n", "n")))),
)

THEOREMS = (
    Theorem(
        "score-is-dot-product",
        "structure",
        "the entry i, j of Q K^T is q_i . k_j; only W_Q W_K^T matters",
        _score,
        falsehoods=(_TRANSPOSED, _PRODUCT),
    ),
    Theorem(
        "output-is-weighted-sum",
        "structure",
        "row i of A V is the weighted sum of the values",
        _weighted,
        falsehoods=(_COLUMN_WEIGHTS, _RAW, _OWN_VALUE),
    ),
    Theorem(
        "convex-hull",
        "structure",
        "an output lies in the convex hull of the values and is no longer than the longest",
        _hull,
        falsehoods=(_OUTSIDE,),
    ),
    Theorem(
        "permutation-equivariance",
        "structure",
        "permuted tokens give permuted outputs, without mask and positions",
        _equivariance,
        falsehoods=(_INVARIANT, _POSITIONED, _INDEPENDENT),
    ),
    Theorem(
        "causal-independence",
        "structure",
        "a masked token has no influence on the output",
        _causal,
        falsehoods=(_MASK_AFTER, _ZERO_SCORE, _FULL_ROW),
    ),
)
"""The theorems on one layer."""
