"""Common falsehoods about copying, averaging and imitated layers, with numbers for which they fail."""

from __future__ import annotations

from dataclasses import replace

from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope

_N = Declared("n", sign="positive")

_HEAT = Scope(
    (_N, Declared("beta", sign="positive"), Declared("z", ("n",))),
    (Defined("a", ("j",), ("n",), "exp(beta z_j)/sum_{l=1}^{n} exp(beta z_l)"),),
)


def _scores(*scores: str, beta: str = "1") -> CounterExample:
    return CounterExample(sizes=(("n", len(scores)),), scalars=(("beta", beta),), entries=(("z", (scores,)),))


# Copying -------------------------------------------------------------------------------------------

_SMALL_BETA = Falsehood(
    "a very small beta makes the weights one-hot",
    "a_1",
    "≥",
    "9/10",
    _scores("3", "1", "-2", beta="1/1000"),
    "a small beta makes them equal; one-hot weights need a large one",
    _HEAT,
)

_LARGE_BETA = Falsehood(
    "a very large beta spreads the weights out",
    "a_1",
    "≤",
    "1/2",
    _scores("2", "1", "0", beta="10"),
    "a large beta makes them one-hot; they are equal for beta = 0",
    _HEAT,
)

_SOME_NEAR_ONE = Falsehood(
    "the weights are spread out when some of them are close to 1",
    "a_1 + a_2",
    "≥",
    "3/2",
    _scores("3", "3", "0"),
    "the weights add up to 1, so at most one of them exceeds 1/2",
    _HEAT,
)

_TIE = Falsehood(
    "a cold softargmax is one-hot whatever the scores",
    "a_2",
    "≥",
    "9/10",
    _scores("1", "2", "2", "0", beta="100"),
    "it is uniform over the keys that tie for the greatest score",
    _HEAT,
)

_OPPOSED = Falsehood(
    "a key is copied when all the other keys oppose the query",
    "a_1",
    "≥",
    "9/10",
    _scores("1", "-1", "-1"),
    "what counts is the margin: it must be large compared with ln(n - 1)",
    _HEAT,
)

_MUST_OPPOSE = Falsehood(
    "a key is copied only when the other keys oppose the query",
    "a_1",
    "≤",
    "9/10",
    _scores("130", "120", "100"),
    "the other keys may agree with the query: here all scores are positive, and still key 1 is copied",
    _HEAT,
)

_TWO_QUERIES = Scope(
    (_N, Declared("beta", sign="positive"), Declared("z", ("n", "n"))),
    (Defined("A", ("j", "i"), ("n", "n"), "exp(beta z_{j,i})/sum_{l=1}^{n} exp(beta z_{l,i})"),),
)

_ONE_HOT_IDENTITY = Falsehood(
    "one-hot columns make A act as the identity",
    "A_{1,1}",
    "≥",
    "9/10",
    CounterExample(sizes=(("n", 2),), scalars=(("beta", "100"),), entries=(("z", (("1", "1"), ("2", "3"))),)),
    "$A$ is a selection matrix: here both queries prefer key 2. It is the identity where key i is the best for query i",
    _TWO_QUERIES,
)

COPY_FALSE = (
    _SMALL_BETA,
    _LARGE_BETA,
    _SOME_NEAR_ONE,
    _TIE,
    _OPPOSED,
    _MUST_OPPOSE,
    _ONE_HOT_IDENTITY,
)
"""False variants of the theorem on copying."""

# Averaging -----------------------------------------------------------------------------------------

_SCALED = Scope((_N, Declared("s")))

_WRONG_WEIGHT = Falsehood(
    "the weight of a chosen key is 1/(2 e^s)",
    "e^s/(2 e^s + n - 2)",
    "=",
    "1/(2 e^s)",
    CounterExample(sizes=(("n", 5),), scalars=(("s", "6"),)),
    "it is e^s/(2 e^s + n - 2); 1/(2 e^s + n - 2) is the weight of every other key",
    _SCALED,
)

_NO_AFFINITY = Falsehood(
    "a key that is orthogonal to the query has the weight 0",
    "(n - 2)/(2 e^s + n - 2)",
    "≤",
    "1/100",
    CounterExample(sizes=(("n", 102),), scalars=(("s", "1"),)),
    "exp(0) = 1: such keys have the weight 1/(2 e^s + n - 2) each, here more than 9/10 together",
    _SCALED,
)

_EXACT_HALF = Falsehood(
    "the two weights are exactly one half",
    "e^s/(2 e^s + n - 2)",
    "=",
    "1/2",
    CounterExample(sizes=(("n", 3),), scalars=(("s", "5"),)),
    "they are for n = 2 only; otherwise the others keep the weight (n - 2)/(2 e^s + n - 2)",
    _SCALED,
)

PARALLEL = Falsehood(
    "q = s (k_1 + k_2) gives keys 1 and 2 the weight e^s/(2 e^s + n - 2) for all keys of length 1",
    "exp(k_1^T q)/sum_{l=1}^{n} exp(k_l^T q)",
    "=",
    "e^s/(2 e^s + n - 2)",
    CounterExample(
        sizes=(("n", 3), ("D", 2)),
        scalars=(("s", "1"),),
        entries=(("k", (("1", "0"), ("0", "1"), ("3/5", "4/5"))), ("q", (("1", "1"),))),
    ),
    "the keys must be orthogonal: here the third lies between the two and gets more than either",
    Scope(
        (_N, Declared("D", sign="positive"), Declared("s"), Declared("k", ("n", "D")), Declared("q", ("D",))),
        hypotheses=(Hypothesis("H1", "$k_i^T k_j = delta_{ij}$", "dot-products", ("k", "k"), ("delta_{ij}",)),),
    ),
)

AVERAGE_FALSE = (PARALLEL, _WRONG_WEIGHT, _NO_AFFINITY, _EXACT_HALF)
"""False variants of the theorem on averages."""

# Layers --------------------------------------------------------------------------------------------

_TOKENS = Scope(
    (_N, Declared("d", sign="positive"), Declared("b", sign="positive"), Declared("x", ("n", "d"))),
    (
        Defined("A", ("j", "i"), ("n", "n"), "exp(b x_j^T x_i)/sum_{l=1}^{n} exp(b x_l^T x_i)"),
        Defined("w", ("j", "i"), ("n", "n"), "exp(b 0 delta_{j,i})/sum_{l=1}^{n} exp(b 0)"),
        Defined("H", ("i", "c"), ("n", "d"), "sum_{j=1}^{n} w_{j,i} x_{j,c}"),
    ),
)


def _tokens(b: str, *rows: tuple[str, ...]) -> CounterExample:
    return CounterExample(sizes=(("n", len(rows)), ("d", len(rows[0]))), scalars=(("b", b),), entries=(("x", rows),))


_BASIS = (("1", "0", "0"), ("0", "1", "0"), ("0", "0", "1"))

_ORTHONORMAL_IDENTITY = Falsehood(
    "orthonormal X = Q = K = V gives A = I",
    "A_{j,i}",
    "=",
    "delta_{j,i}",
    _tokens("1", *_BASIS),
    "on the diagonal it gives $exp(b)/(exp(b) + n - 1)$, and elsewhere $1/(exp(b) + n - 1)$: the identity "
    "only as $b$ grows",
    _TOKENS,
)

EQUAL_IDENTITY = Falsehood(
    "Q = K = V suffices for the identity, if only b is large",
    "A_{1,1}",
    "≥",
    "9/10",
    _tokens("50", ("1",), ("1",)),
    "two equal tokens have the weight 1/2 each at every temperature",
    replace(
        _TOKENS,
        hypotheses=(Hypothesis("H1", "$x_i^T x_j = delta_{ij}$", "dot-products", ("x", "x"), ("delta_{ij}",)),),
    ),
)

_WRONG_SIDE = Falsehood(
    "orthonormal tokens give X X^T = I",
    "sum_{l=1}^{n} x_{l,c} x_{l,e}",
    "=",
    "delta_{c,e}",
    _tokens("1", ("1", "0", "0"), ("0", "1", "0")),
    "they give X^T X = I; X X^T = I needs as many tokens as dimensions",
    _TOKENS,
)

_ONLY_IDENTITY = Falsehood(
    "a value is preserved only where A is the identity",
    "sum_{j=1}^{n} v_j A_{j,1} = v_2",
    "⇔",
    "A_{1,1} = 1",
    CounterExample(sizes=(("n", 2),), entries=(("v", (("1", "5"),)), ("A", (("0", "0"), ("1", "1"))))),
    "every one-hot column preserves a value: $A$ is a selection matrix, here with the second value twice",
    Scope((_N, Declared("v", ("n",)), Declared("A", ("n", "n")))),
)

IDENTITY_FALSE = (_ORTHONORMAL_IDENTITY, EQUAL_IDENTITY, _WRONG_SIDE, _ONE_HOT_IDENTITY, _ONLY_IDENTITY)
"""False variants of the theorem on the identity."""

_VALUES = _tokens("1", ("3",), ("6",), ("0",))

_ZERO_PERMUTES = Falsehood(
    "zero scores give a permutation of the tokens",
    "H_{1,1}^2 + H_{2,1}^2 + H_{3,1}^2",
    "=",
    "x_{1,1}^2 + x_{2,1}^2 + x_{3,1}^2",
    _VALUES,
    "they give every token the mean: 3, 6, 0 become 3, 3, 3, and the sum of squares is no longer 45",
    _TOKENS,
)

_ZERO_AVERAGE = Falsehood(
    "zero scores give the average zero",
    "H_{1,1}",
    "=",
    "0",
    _VALUES,
    "the weights are 1/n, not 0: the output is the mean of the values",
    _TOKENS,
)

_ZERO_WEIGHTS = Falsehood(
    "zero scores are zero weights",
    "w_{1,2}",
    "=",
    "0",
    _VALUES,
    "they are weights 1/n",
    _TOKENS,
)

PERMUTATION_FALSE = (_ZERO_PERMUTES, _ZERO_AVERAGE, _ZERO_WEIGHTS)
"""False variants of the theorem on permutations."""

_BIASED = Scope(
    (_N, Declared("z", ("n",)), Declared("t")),
    (Defined("a", ("j",), ("n",), "exp(z_j + t)/sum_{l=1}^{n} exp(z_l + t)"),),
)

_BIAS_ONE = Falsehood(
    "attention biases that are all 1 make every token attend to itself alone",
    "a_1",
    "≥",
    "9/10",
    CounterExample(sizes=(("n", 3),), scalars=(("t", "1"),), entries=(("z", (("3", "1", "0"),)),)),
    "a constant on all scores changes nothing; A = I needs a mask or cold attention with orthonormal codes",
    _BIASED,
)

_NEIGHBOURS = Falsehood(
    "a layer of kernel size 1 depends on the neighbours too",
    "diff(w c_1, c_2)",
    "≠",
    "0",
    CounterExample(sizes=(("n", 2),), scalars=(("w", "2"),), entries=(("c", (("1", "3"),)),)),
    "it depends on the token itself alone; neighbours need a kernel of size 3",
    Scope((_N, Declared("w"), Declared("c", ("n",)))),
)

RUNNING_FALSE = (_BIAS_ONE, _NEIGHBOURS)
"""False variants of the theorem on position-wise layers."""

_NEAR = Scope(
    (_N, Declared("beta", sign="positive"), Declared("T"), Declared("t", ("n",)), Declared("c", ("n",))),
    (
        Defined("w", ("j",), ("n",), "exp(-beta (t_j - T)^2)/sum_{l=1}^{n} exp(-beta (t_l - T)^2)"),
        Defined("h", (), (), "sum_{j=1}^{n} w_j c_j"),
    ),
)


def _positions(beta: str, target: str) -> CounterExample:
    return CounterExample(
        sizes=(("n", 3),),
        scalars=(("beta", beta), ("T", target)),
        entries=(("t", (("1", "2", "3"),)), ("c", (("4", "5", "6"),))),
    )


_ZERO_PADDING = Falsehood(
    "beyond the border such a head gives zero (zero padding)",
    "h",
    "≤",
    "1",
    _positions("5", "4"),
    "it gives the token at the border (replicate padding); zeros need a token of their own",
    _NEAR,
)

_EXACT_SHIFT = Falsehood(
    "at a finite beta the head is exactly a shift",
    "w_2",
    "=",
    "1",
    _positions("1", "2"),
    "at a finite beta it is a normalised Gaussian filter; the weight is at least 1 - 2 e^(-beta)/(1 - e^(-beta))",
    _NEAR,
)

CONVOLUTION_FALSE = (_ZERO_PADDING, _EXACT_SHIFT)
"""False variants of the theorem on convolutions."""

_LOOK_UP = Scope(
    (_N, Declared("x", ("n",)), Declared("y", ("n",))),
    (
        Defined("a", ("i", "j"), ("n", "n"), "exp(x_i x_j)/sum_{l=1}^{n} exp(x_i x_l)"),
        Defined("ahat", ("i", "j"), ("n", "n"), "exp(y_i y_j)/sum_{l=1}^{n} exp(y_i y_l)"),
    ),
)

_SAME_AS_ATTENTION = Falsehood(
    "with queries and keys, too, a row of weights depends on its own token alone",
    "ahat_{1,2}",
    "=",
    "a_{1,2}",
    CounterExample(sizes=(("n", 3),), entries=(("x", (("1", "2", "3"),)), ("y", (("1", "3", "2"),)))),
    "when tokens 2 and 3 are swapped the row is permuted with them; that of a synthesizer stays",
    _LOOK_UP,
)

SYNTHESIZER_FALSE = (_SAME_AS_ATTENTION,)
"""False variants of the theorem on synthesizers."""
