"""A commented problem file to start from."""

from __future__ import annotations

from symattn.problem.schema.fields import PART_FIELDS
from symattn.problem.settings.policy import STEPS


def commented_problem() -> str:
    """Return a small problem, complete, with every key explained; it loads and solves as it stands.

    >>> from symattn.problem.model import Problem
    >>> Problem.from_text(commented_problem()).kind
    'self'
    """
    asks = ", ".join(next(field for field in PART_FIELDS if field.name == "asks").words)
    return _TEMPLATE.replace("{{asks}}", asks).replace("{{steps}}", ", ".join(STEPS))


_TEMPLATE = """\
# A problem for symattn. Try it:  symattn solve FILE -o key.tex

title = "Self-attention over two tokens"
text = "Compute the attention map and the output tokens of the layer below."

# --- how the sheet writes attention -------------------------------------------------------------------
tokens = "rows"              # "rows": scores Q K^T, softmax over rows, outputs A V
                             # "columns": scores K^T Q, softmax over columns, outputs V A
projection = "X W"           # or "W x" or "W^T x", the definition for one token
# scores = "Q^T K"           # with tokens = "columns": the other habit, softmax over rows
scale = "1/sqrt(d_k)"        # or "none", or a number that multiplies, e.g. "1/2"
# temperature = 2            # instead of scale: a number that divides the scores
# beta = "beta"              # instead of scale: a symbol or a number that multiplies them

# Masks, biases, heads and other scores:
# mask = "causal"            # or a table: {causal = true, length = 3, window = [2, 0], past = 1},
                             # alignment = "bottom-right" instead of past;
                             # {keep = [[1, 0], [1, 1]]}: 1 is seen; {drop = [[0, 1], [0, 0]]}: 1 is hidden;
                             # {add = [[0, "-inf"], [0, 0]]}
# bias = {alibi = "1/2"}     # or {add = [[0, 1], [2, 3]]}, or by distance {relative = {"-1" = "1/2", "0" = 0, "1" = 2}}
# softcap = 30               # scores s become 30 tanh(s/30)
# order = ["scale", "softcap", "bias", "mask"]
# softmax_one = true         # 1 is added to the sum of exponentials
# fully_masked = "zeros"     # with a mask: the weights of a query that sees no key; or "undefined", "uniform"
# heads = 2                  # side by side in W_Q, W_K, W_V; or one table [[heads]] of matrices for each
# kv_heads = 1               # with heads: how many keys and values have
# combine = "mean"           # with heads: their outputs side by side ("concat") or their mean
# positions = {kind = "rope", angles = ["pi/3"], start = 0}
                             # or "sinusoidal" (base = 10000), "learned" with a table; pairs = "adjacent" or "halves"
# cache = {K = [[1, 0]], V = [[0, 1]]}
                             # keys and values of past tokens; X holds the new ones
# online = 2                 # a part that asks for "online" works the softmax in blocks of 2 keys
# score = "cosine"           # or "dot", "general" (Q W_S K^T), "additive" (w_S^T tanh(q W_1 + k W_2))

# A backward pass from the gradient at the output, or from a loss: "sum", "squared" with a target, "cross-entropy".
# gradient = {loss = "sum"}  # or {dO = [[1, 0], [0, 1]]}; of = ["dQ", "dK"] asks for some gradients alone
# gradient = {loss = "cross-entropy", labels = [1, 2]}

# Instead of the keys above: inputs of any names, and each quantity by a formula over inputs and earlier ones.
# Also softmax(S, columns), softmax(S, all), colsum(E).
# definitions = {S = "Q K^T", Ss = "S / sqrt(2)", E = "exp(Ss)", Z = "rowsum(E)", W = "E / Z", A = "softmax(Ss)"}
# tolerance = {A = "1e-6"}   # how far numbers may lie from the right ones, for work in floating point

# Letters that may stand in entries: "positive", "real", or a value. With a free letter the answers are
# closed forms; digits want a value.
[symbols]
# a = "real"
# beta = "3/2"

# What the sheet calls things: canonical name = declared name.
[names]
# X = "I"
# A = "attention map"
# O = "H"

# --- what is given: X; or X_1 (queries) and X_2 (keys, values); each with W_Q, W_K, W_V; or Q, K and V ---
# Numbers are exact: 0.1 is 1/10. Also "1/3", "2 1/2", "1e-3", "sqrt(2)/2", polynomials in the symbols,
# or a whole matrix as one string: "[[1, 2], [3, 4]]" or "[1 2; 3 4]". Also W_O, and b_Q, b_K, b_V, b_O, which are
# added to every token; a list of matrices for X (or X_1, X_2, Q, K, V) is a batch of sequences.
[inputs]
X   = [[1, 0, 2], [0, 1, -1]]
W_Q = [[1, 0], [0, 1], ["1/2", 0]]
W_K = [[0, 1], [1, 0], [1, -0.5]]
W_V = "[1 0; 0 2; 1 1]"

# --- how results are rounded; without this table: exact to the end, then 4 places -------------------------
[rounding]
places = 2                   # or figures = 3
steps = "end"                # "end", "matrices", "all", or a list out of
                             # {{steps}}
ties = "half-up"             # "half-up", "half-even", "half-ceiling", "truncate"
shift = false                # true: subtract the row maximum before exponentiating
# each = {exponentials = {places = 3}}

# --- what is asked: one table for each part ----------------------------------------------------------------
# asks: {{asks}},
# or prove:NAME, a theorem of "symattn theorems"; without [inputs] a problem may ask for proofs and prose alone
[[parts]]
title = "Attention map"
text = "Compute the scores and the attention map."
asks = ["projections", "scores", "map"]
points = 6

[[parts]]
title = "Outputs"
text = "Compute the output of the second token."
asks = "outputs"
tokens = [2]                 # counted from 1; absent: all
points = 2.5

[[parts]]
title = "Diagram"
text = "Draw which inputs each output attends to, and describe the pattern."
asks = ["diagram", "pattern"]
points = 1

# A theorem with its proof, and a question in prose with the facts that are proved beside its answer:
# [[parts]]
# text = "What is the variance of the dot product of a query and a key?"
# asks = "prove:dot-product-variance"
# set = {mu = 0, sigma = 1}  # values of the theorem's parameters
# claims = ["C1"]            # the claims that the key shows; absent: all
# detail = "brief"           # or "full"; absent: as the key
# instance = true            # a worked case in numbers
#
# [[parts]]
# text = "When are positions needed?"
# asks = "prose"
# answer = "Whenever the order of the tokens matters: without them the layer does not see it."
# facts = ["theorem:permutation-equivariance:C4"]
"""
