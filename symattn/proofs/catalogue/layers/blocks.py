"""The parts of a transformer block: heads, feed-forward network, layer normalization, rotary positions."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Parameter, Theorem
from symattn.proofs.catalogue.authoring.worked_numbers import (
    count_lines,
    normalized_lines,
    perceptron_lines,
    rotary_lines,
)
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_HEADS = "Vaswani et al. 2017, Attention Is All You Need, section 3.2.2"


def _heads(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "multi-head-blocks",
        "Heads as blocks",
        "Let $h$ heads of width $p$ read tokens of width $d$, the rows of $X$. Head $r$ has the weights $G_r$, $K_r$ "
        "and $V_r$ for queries, keys and values, the map $A_r$ and the output $Y_r$, and $O_r$ are its rows of "
        "$W_O$. The projections side by side are one matrix whose columns are counted by the pairs $(r, k)$ of a head "
        "and a column of it. Concatenating the outputs of the heads and multiplying by $W_O$, whose rows are counted "
        "by the same pairs, is the sum over the heads of each output times its own rows of $W_O$; in the tokens, head "
        "$r$ adds its map times the tokens times the product of its value and output matrices. With $d = h p$ the "
        "split form has $4 d^2$ weights, heads of full width have $4 h d^2$, and heads that read only their own chunk "
        "of the tokens have $3 d^2/h$ for queries, keys and values. With $f$ heads for keys and values, attention has "
        "$2 d^2 + 2 d f p$ weights and a cache of $2 N f p b$ bytes for each token in $N$ layers with $b$ bytes for a "
        "number. A block with biases has $12 d^2 + 13 d$ parameters.",
        _HEADS,
    )
    for name in ("h", "n", "p", "f", "b", "N", "d"):
        b.number(name, "positive")
    b.number("beta")
    b.matrix("X", "n", "d")
    for name in ("G", "K", "V"):
        b.array(name, "h", "d", "p")
    b.array("O", "h", "p", "d")
    b.define("Q", "sum_{c=1}^{d} X_{ic} G_{r,c,k}", "r i k", "h n p")
    b.define("S", "sum_{k=1}^{p} Q_{r,i,k} sum_{c=1}^{d} X_{jc} K_{r,c,k}", "r i j", "h n n")
    b.define("A", "exp(beta S_{r,i,j})/sum_{l=1}^{n} exp(beta S_{r,i,l})", "r i j", "h n n", "positive")
    b.define("Y", "sum_{j=1}^{n} A_{r,i,j} sum_{c=1}^{d} X_{jc} V_{r,c,k}", "r i k", "h n p")
    width = b.assume("equal", "d", "the heads share the width of a token: $d = h p$", "h p")
    rows = b.chain("sum_{j=1}^{n} A_{r,i,j}")
    rows.then("=", "1", "algebra", words="each head has a denominator of its own")
    rows.claim("every head has rows of weights that add up to one")
    output = b.chain("sum_{r=1}^{h} sum_{k=1}^{p} Y_{r,i,k} O_{r,k,t}")
    output.then(
        "=",
        "sum_{r=1}^{h} sum_{k=1}^{p} (sum_{j=1}^{n} A_{r,i,j} sum_{c=1}^{d} X_{jc} V_{r,c,k}) O_{r,k,t}",
        "definition",
        words="the columns of the concatenation are the pairs $(r, k)$",
    )
    output.then(
        "=",
        "sum_{r=1}^{h} sum_{j=1}^{n} A_{r,i,j} sum_{c=1}^{d} X_{jc} (sum_{k=1}^{p} V_{r,c,k} O_{r,k,t})",
        "algebra",
        words="finite sums in another order: head by head",
    )
    output.claim("the concatenation times $W_O$ is a sum over the heads")
    _counts(b, width)
    return b.proof()


def _counts(b: Builder, width: str) -> None:
    split = b.chain("3 h d p + (h p) d").then("=", "4 d^2", "substitution", width, words="$h p = d$")
    split.claim("weights of the split form: three projections and the output")
    b.chain("3 h d d + (h d) d").then("=", "4 h d^2", "algebra").claim("heads with matrices of full width")
    b.chain("3 h p^2").then("=", "3 d^2/h", "substitution", width).claim("heads that read only their chunk")
    shared = b.chain("d (h p) + 2 d (f p) + (h p) d")
    shared.then("=", "2 d^2 + 2 d f p", "substitution", width)
    shared.claim("weights when $f$ heads serve keys and values")
    b.chain("N (f p + f p) b").then("=", "2 N f p b", "algebra", words="a key and a value in each layer").claim(
        "bytes of the cache for a token"
    )
    block = b.chain("4 (d^2 + d) + (d (4 d) + 4 d) + ((4 d) d + d) + 2 (2 d)")
    block.then("=", "12 d^2 + 13 d", "algebra", words="attention, two layers of the network, two normalizations")
    block.claim("parameters of a block with biases")


def _network(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "ffn-is-position-wise",
        "The feed-forward network works token by token",
        "For the map $phi(x W_1 + b_1) W_2 + b_2$ with any function $phi$ of numbers, applied to each token $x$, the "
        "output of token $i$ holds no other token: changing token $l$ by any vector changes nothing in row $i$, and "
        "permuted tokens give permuted outputs. Where $phi$ has a derivative, that of row $i$ by token $l$ is $0$. "
        "It has $2 d f + f + d$ parameters, $8 d^2 + 5 d$ for $f = 4 d$.",
        "Vaswani et al. 2017, Attention Is All You Need, section 3.3",
    )
    for name in ("n", "d", "f"):
        b.number(name, "positive")
    b.matrix("X", "n", "d")
    b.matrix("W", "d", "f")
    b.vector("b", "f")
    b.matrix("U", "f", "d")
    b.vector("e", "d")
    b.vector("u", "d")
    b.function("phi")
    b.permutation("pi")
    b.define("F", "sum_{k=1}^{f} phi(sum_{c=1}^{d} X_{ic} W_{ck} + b_k) U_{kt} + e_t", "i t", "n d")
    apart = b.assume("distinct", "i l", "$l$ is another token than $i$")
    wide = b.assume("equal", "f", "the inner width is $f = 4 d$", "4 d")
    moved = b.chain("sum_{k=1}^{f} phi(sum_{c=1}^{d} (X_{ic} + delta_{il} u_c) W_{ck} + b_k) U_{kt} + e_t")
    moved.then("=", "F_{it}", "substitution", apart, words="row $i$ of the tokens is the same")
    moved.claim("token $l$ becomes $x_l + u$")
    slope = b.chain("diff(F_{it}, X_{lc})").then("=", "0", "differentiation", apart, words="$x_l$ does not occur")
    slope.claim("the derivative by another token")
    row = b.chain("sum_{k=1}^{f} phi(sum_{c=1}^{d} X_{pi(i), c} W_{ck} + b_k) U_{kt} + e_t")
    row.then("=", "F_{pi(i), t}", "definition", words="the same function of the same token")
    row.claim("permuted tokens")
    count = b.chain("d f + f + f d + d").then(
        "=", "2 d f + f + d", "algebra", words="weights and biases of both layers"
    )
    count.claim("parameters")
    b.chain("2 d f + f + d").then("=", "8 d^2 + 5 d", "substitution", wide).claim("with the usual inner width")
    return b.proof()


def _normalization(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "layer-norm",
        "Layer normalization",
        "For one token $x$ with mean $mu = sum_{r=1}^{d} x_r/d$ and variance $v = sum_{r=1}^{d} (x_r - mu)^2/d$ over "
        "its $d$ "
        "features, the normalized token $y_r = (x_r - mu)/s$ with $s = sqrt(v + eps)$ has mean $0$ and variance "
        "$v/(v + eps)$. With $eps = 0$ it does not change when $x$ becomes $c x + k$ with $c > 0$. Its Jacobian is "
        "$(delta_{rl} - 1/d - y_r y_l/d)/s$. A gain and a bias come after it, feature by feature. No other token and "
        "no "
        "batch enters.",
        "Ba, Kiros and Hinton 2016, Layer Normalization, section 3",
    )
    b.number("d", "positive")
    b.vector("x", "d")
    b.number("eps", "positive")
    b.number("c", "positive")
    b.number("k")
    b.define("mu", "sum_{r=1}^{d} x_r/d")
    b.define("v", "sum_{r=1}^{d} (x_r - mu)^2/d", sign="nonnegative")
    b.define("s", "sqrt(v + eps)", sign="positive")
    b.define("y", "(x_r - mu)/s", "r", "d")
    b.define("nu", "sum_{r=1}^{d} (c x_r + k)/d")
    b.define("w", "sum_{r=1}^{d} (c x_r + k - nu)^2/d", sign="nonnegative")
    varied = b.assume("positive", "v", "the features are not all equal: $v > 0$")
    mean = b.chain("sum_{r=1}^{d} y_r")
    mean.then("=", "(sum_{r=1}^{d} (x_r - mu))/s", "definition")
    mean.then("=", "(sum_{r=1}^{d} x_r - d mu)/s", "algebra in letters", letters="mu s")
    mean.then("=", "0", "algebra", words="the mean put in its place")
    mean.claim("the mean is zero")
    variance = b.chain("(sum_{r=1}^{d} y_r^2)/d")
    variance.then("=", "(sum_{r=1}^{d} (x_r - mu)^2/d)/s^2", "algebra in letters", letters="mu s")
    variance.then("=", "v/(v + eps)", "definition")
    variance.claim("the variance")
    _invariance(b, varied)
    _slope(b)
    return b.proof()


def _invariance(b: Builder, varied: str) -> None:
    shift = b.chain("nu").then("=", "c mu + k", "algebra", words="the mean is linear").claim("the new mean")
    square = b.chain("w").then("=", "c^2 v", "algebra", words="the shift cancels, the factor is squared")
    square.claim("the new variance")
    varies = b.chain("0").then(
        "<", "w", "evident sign", varied, difference="c^2 v", words="the new variance is positive"
    )
    root = b.chain("sqrt(c^2 v)").then("=", "c sqrt(v)", "square root", words="$c$ is positive")
    chain = b.chain("(c x_r + k - nu)/sqrt(w)")
    chain.then(
        "=",
        "(c x_r + k - (c mu + k))/sqrt(c^2 v)",
        "earlier result",
        varied,
        premises=(shift, square.last, varies.last),
    )
    chain.then("=", "(c x_r + k - (c mu + k))/(c sqrt(v))", "earlier result", varied, premises=(root.last,))
    chain.then("=", "(x_r - mu)/sqrt(v)", "algebra in letters", varied, letters="mu v", words="$c$ cancels")
    chain.claim("nothing changes, for $eps = 0$ and features that are not all equal")


def _slope(b: Builder) -> None:
    above = b.chain("diff(x_r - mu, x_l)").then("=", "delta_{rl} - 1/d", "differentiation")
    above.claim("the centered feature")
    below = b.chain("diff(s, x_l)").then(
        "=",
        "(x_l - mu)/(d s)",
        "differentiation",
        words="chain rule for the root; the change of the mean drops out as the centered features add up to zero",
    )
    below.claim("the scale")
    whole = b.chain("diff((x_r - mu)/s, x_l)")
    whole.then("=", "diff(x_r - mu, x_l)/s - (x_r - mu) diff(s, x_l)/s^2", "quotient rule")
    whole.then(
        "=",
        "(delta_{rl} - 1/d)/s - (x_r - mu) ((x_l - mu)/(d s))/s^2",
        "earlier result",
        premises=(above.last, below.last),
    )
    whole.then(
        "=", "(delta_{rl} - 1/d - y_r y_l/d)/s", "algebra in letters", letters="mu s", words="$x_r - mu = s y_r$"
    )
    whole.claim("the Jacobian")


def _rotation(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "positional-rotation",
        "Rotary positions",
        "Turn pair $r$ of a query at position $m$ by the angle $m theta_r$ and pair $r$ of a key at position $n$ by "
        "$n theta_r$. With the rotations $R_m$ this gives $R_m^T R_n = R_{n-m}$: the score of the turned vectors "
        "depends "
        "on the positions by $n - m$ only, and lengths do not change.",
        "Su et al. 2021, RoFormer, section 3.2.2",
    )
    b.number("P", "positive")
    b.number("m")
    b.number("n")
    b.number("phi")
    b.vector("theta", "P")
    for name in ("a", "b", "f", "g"):
        b.vector(name, "P")
    _products(b)
    turned = {
        "a": "(a_r cos(m theta_r) - b_r sin(m theta_r))",
        "b": "(a_r sin(m theta_r) + b_r cos(m theta_r))",
        "f": "(f_r cos(n theta_r) - g_r sin(n theta_r))",
        "g": "(f_r sin(n theta_r) + g_r cos(n theta_r))",
    }
    away = "cos((n - m) theta_r) + (b_r f_r - a_r g_r) sin((n - m) theta_r)"
    one = b.chain(f"{turned['a']} {turned['f']} + {turned['b']} {turned['g']}")
    one.then(
        "=",
        f"(a_r f_r + b_r g_r) {away}",
        "addition theorems",
        words="multiplied out, with cosine and sine of the difference of the angles",
    )
    one.claim("one pair, the query with the coordinates $a_r$, $b_r$ and the key with $f_r$, $g_r$")
    score = b.chain(f"sum_{{r=1}}^{{P}} ({turned['a']} {turned['f']} + {turned['b']} {turned['g']})")
    score.then(
        "=",
        f"sum_{{r=1}}^{{P}} ((a_r f_r + b_r g_r) {away})",
        "addition theorems",
        words="pair by pair",
    )
    score.claim("the score depends on $n - m$ only")
    length = b.chain(f"sum_{{r=1}}^{{P}} ({turned['a']}^2 + {turned['b']}^2)")
    length.then("=", "sum_{r=1}^{P} (a_r^2 + b_r^2)", "addition theorems", words="$sin(x)^2 + cos(x)^2 = 1$")
    length.claim("lengths stay")
    return b.proof()


def _products(b: Builder) -> None:
    """Prove the entries of R_m^T R_n for one angle."""
    for left, right, words in (
        ("cos(m phi) cos(n phi) + sin(m phi) sin(n phi)", "cos((n - m) phi)", "on the diagonal of $R_m^T R_n$"),
        ("-cos(m phi) sin(n phi) + sin(m phi) cos(n phi)", "-sin((n - m) phi)", "above it"),
        ("-sin(m phi) cos(n phi) + cos(m phi) sin(n phi)", "sin((n - m) phi)", "below it"),
    ):
        b.chain(left).then("=", right, "addition theorems").claim(words)


_TWO_HEADS = Scope(tuple(Declared(name, ()) for name in ("h", "d")))
_STACK = Falsehood(
    "splitting a layer into h heads multiplies its weights by h",
    "3 h d (d/h)",
    "=",
    "3 h d^2",
    CounterExample(scalars=(("h", "2"), ("d", "4"))),
    "each head has the width d/h: all heads together have as many weights as one head of full width",
    _TWO_HEADS,
)
_CHUNKS = Falsehood(
    "heads that read only their own chunk have as many weights as heads that read the whole token",
    "3 h (d/h)^2",
    "=",
    "3 d^2",
    CounterExample(scalars=(("h", "2"), ("d", "4"))),
    "chunks are the special case of block-diagonal matrices, with 3 d^2/h weights",
    _TWO_HEADS,
)
_WIDTHS = Scope(tuple(Declared(name, ()) for name in ("h", "d", "p")))
_CONCATENATED = Falsehood(
    "the outputs of h heads of width p, put side by side, are as wide as one of them",
    "h p",
    "=",
    "p",
    CounterExample(scalars=(("h", "2"), ("p", "2"))),
    "they have h p columns and one matrix of them, no array with a third index; W_O takes them back to the width d",
    _WIDTHS,
)
_BEADS = Falsehood(
    "a token of width d is split over d/h heads",
    "d/h",
    "=",
    "h",
    CounterExample(scalars=(("h", "8"), ("d", "512"))),
    "there are h heads, each of width d/h",
    _WIDTHS,
)
_DEPTH = Falsehood(
    "several heads are several layers, one after the other",
    "A A",
    "=",
    "A + A",
    CounterExample(sizes=(("n", 2),), entries=(("A", (("0", "1"), ("0", "0"))),)),
    "heads work side by side on one input and their outputs are added or joined; layers are applied in turn",
    Scope((Declared("n", (), "positive"), Declared("A", ("n", "n")))),
)
_MIX = Scope(
    (Declared("n", (), "positive"), Declared("d", (), "positive"), Declared("S", ("n", "n")), Declared("T", ("n", "n")))
)
_ONE_HEAD = Falsehood(
    "two heads do what one head with the mean of their scores does",
    "(softmax(S)_{ij} + softmax(T)_{ij})/2",
    "=",
    "softmax((S + T)/2)_{ij}",
    CounterExample(sizes=(("n", 2),), entries=(("S", (("2", "0"), ("0", "0"))), ("T", (("0", "0"), ("0", "0"))))),
    "each head has a softmax of its own; maps of heads are averaged, scores are not",
    _MIX,
)
_LOCAL = Falsehood(
    "the feed-forward network gathers patterns of neighbouring tokens",
    "diff(sum_{k=1}^{f} (sum_{c=1}^{d} X_{1c} W_{ck} + b_k)^2 U_k, X_{21})",
    "≠",
    "0",
    CounterExample(
        sizes=(("n", 2), ("d", 1), ("f", 2)),
        entries=(
            ("X", (("1",), ("2",))),
            ("W", (("1", "3"),)),
            ("b", (("1", "-1"),)),
            ("U", (("1", "2"),)),
        ),
    ),
    "each token is mapped by itself, with whatever function between the two matrices: the derivative is 0",
    Scope(
        (
            *(Declared(name, (), "positive") for name in ("n", "d", "f")),
            Declared("X", ("n", "d")),
            Declared("W", ("d", "f")),
            Declared("b", ("f",)),
            Declared("U", ("f",)),
        )
    ),
)
_TOKEN = Scope((Declared("d", (), "positive"), Declared("x", ("d",)), Declared("c")))
_CENTERED = "(x_r - sum_{l=1}^{d} x_l/d)"
_NEGATIVE_FACTOR = Falsehood(
    "layer normalization does not see any factor c of the token",
    "c (x_r - sum_{l=1}^{d} x_l/d)/sqrt(sum_{k=1}^{d} c^2 (x_k - sum_{l=1}^{d} x_l/d)^2/d)",
    "=",
    f"{_CENTERED}/sqrt(sum_{{k=1}}^{{d}} (x_k - sum_{{l=1}}^{{d}} x_l/d)^2/d)",
    CounterExample(sizes=(("d", 2),), scalars=(("c", "-1"),), entries=(("x", (("0", "1"),)),)),
    "the factor must be positive: a negative one turns all signs round",
    _TOKEN,
)
_NO_ROOT = Falsehood(
    "dividing by the variance, without the root, gives variance 1",
    f"(sum_{{r=1}}^{{d}} ({_CENTERED}/(sum_{{k=1}}^{{d}} (x_k - sum_{{l=1}}^{{d}} x_l/d)^2/d))^2)/d",
    "=",
    "1",
    CounterExample(sizes=(("d", 2),), scalars=(("c", "1"),), entries=(("x", (("0", "4"),)),)),
    "one divides by the standard deviation, the root of the variance",
    _TOKEN,
)
_SUM_OF_POSITIONS = Falsehood(
    "the score of rotated vectors depends on the sum of the positions",
    "cos(m phi) cos(n phi) + sin(m phi) sin(n phi)",
    "=",
    "cos((m + n) phi)",
    CounterExample(scalars=(("m", "1"), ("n", "1"), ("phi", "1"))),
    "R_m^T R_n turns by the difference n - m",
    Scope((Declared("m"), Declared("n"), Declared("phi"))),
)

THEOREMS = (
    Theorem(
        "multi-head-blocks",
        "structure",
        "heads are blocks of one matrix; concatenation times W_O is a sum over heads; counts",
        _heads,
        (
            Parameter("d", "768", "the width of a token, for an instance", kind="count", worked=True),
            Parameter("N", "80", "how many layers, for an instance", kind="count", worked=True),
            Parameter("f", "8", "how many heads for keys and values, for an instance", kind="count", worked=True),
            Parameter("p", "128", "the width of a head, for an instance", kind="count", worked=True),
            Parameter("b", "2", "bytes for a number, for an instance", kind="count", worked=True),
        ),
        falsehoods=(_STACK, _CHUNKS, _ONE_HEAD, _CONCATENATED, _BEADS, _DEPTH),
        instance=count_lines,
    ),
    Theorem(
        "ffn-is-position-wise",
        "structure",
        "the feed-forward network mixes no tokens",
        _network,
        (
            Parameter("d", "512", "the width of a token, for an instance", kind="count", worked=True),
            Parameter("f", "2048", "the inner width, for an instance", kind="count", worked=True),
        ),
        falsehoods=(_LOCAL,),
        instance=perceptron_lines,
    ),
    Theorem(
        "layer-norm",
        "structure",
        "mean 0, variance v/(v + eps), invariance under c x + k, Jacobian",
        _normalization,
        (
            Parameter("x", "1, 2, 3, 4", "the features of a token, for an instance", kind="list", worked=True),
            Parameter("eps", "0", "what is added to the variance, for an instance", worked=True),
        ),
        falsehoods=(_NEGATIVE_FACTOR, _NO_ROOT),
        instance=normalized_lines,
    ),
    Theorem(
        "positional-rotation",
        "structure",
        "rotated queries and keys: the score depends on n - m only",
        _rotation,
        (
            Parameter("q", "1, 2", "a pair of a query, for an instance", kind="list", worked=True),
            Parameter("k", "3, -1", "a pair of a key, for an instance", kind="list", worked=True),
            Parameter("turn", "1/3", "theta as a part of pi, for an instance", worked=True),
            Parameter("m", "1", "the position of the query, for an instance", kind="count", worked=True),
            Parameter("n", "3", "the position of the key, for an instance", kind="count", worked=True),
        ),
        falsehoods=(_SUM_OF_POSITIONS,),
        instance=rotary_lines,
    ),
)
"""The theorems on the parts of a block."""
