"""The keys of a problem file, said once: the reader and the JSON schema both follow these tables."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.exact.rounding.quotients import TIES
from symattn.languages.catalogue import LANGUAGES
from symattn.problem.schema.field import QUANTITY, Field
from symattn.problem.schema.letters import LETTERS
from symattn.problem.schema.variant_fields import VARIANT_FIELDS
from symattn.problem.settings.conventions import PROJECTIONS, SCORES, SOFTMAX, TOKENS
from symattn.problem.settings.parts import ASKS, DETAILS, FACT, GRADIENT_OF, PROVE
from symattn.problem.settings.policy import DEFAULT_PLACES, NAMED_STEPS, STEPS
from symattn.problem.settings.score_steps import MADE, SCORE_STEPS

DERIVED = ("Q", "K", "V", "S", "S_scaled", "Z", "A", "O")
"""The quantities of every problem; Z are the row sums of exponentials."""

CANONICAL = ("X", "X_1", "X_2", "W_Q", "W_K", "W_V", *DERIVED)
"""The quantities that can be given a name of the sheet's own."""

MAX_LINE = 200
MAX_PROSE = 20_000
MAX_PARTS = 100
MAX_SYMBOLS = 50

MAX_DEFINITIONS = 100
MAX_FORMULA = 1000
MAX_MATRIX_NAME = 30

MAX_PLACES = 1024
"""How far a window, a table of distances or a past may reach, in keys."""
MAX_HEADS = 128
MAX_BATCH = 128

FORMS = ("closed", "decimals", "auto")
FULLY_MASKED = ("undefined", "zeros", "uniform")
COMBINATIONS = ("concat", "mean")
SCORE_INPUTS: dict[str, tuple[str, ...]] = {
    "dot": (),
    "general": ("W_S",),
    "cosine": (),
    "additive": ("W_1", "W_2", "w_S"),
}
"""The score functions, each with the inputs that it takes besides queries and keys."""

NORMS = ("layer", "rms", "none")
PLACEMENTS = ("post", "pre")
ACTIVATIONS = ("relu", "gelu", "gelu-tanh", "silu")

NETWORK_WEIGHTS: Mapping[str, tuple[str, str]] = {
    "W_F1": ("token", "inner"),
    "W_F3": ("token", "inner"),
    "W_F2": ("inner", "output"),
}
"""The weights of a feed-forward network, with the widths that each takes and makes; W_F3 is that of a gate."""
OPTIONAL_WEIGHTS = ("W_F3",)
NETWORK: Mapping[str, str] = {"F_1": "W_F1", "F_act": "W_F1", "F_3": "W_F3", "F_gated": "W_F3", "F_2": "W_F2"}
"""The quantities of a network, in their order, with the weights without which there is none of each."""

NETWORK_INPUTS = tuple(name for weight in NETWORK_WEIGHTS for name in (weight, f"b{weight[1:]}"))
BLOCK_INPUTS = (*NETWORK_INPUTS, "gamma_1", "beta_1", "gamma_2", "beta_2")
"""The inputs that a block has besides those of its attention."""
BLOCK_QUANTITIES = (
    *("eps", "R_1", "mu_1", "var_1", "ms_1", "N_1", "Y_1", *NETWORK),
    *("R_2", "mu_2", "var_2", "ms_2", "N_2", "Y_2"),
)
"""What a block makes: residual sums R, means mu, variances var or mean squares ms, standardised N, Y, a network F."""

OPTIONAL_INPUTS = (
    *("W_O", "b_Q", "b_K", "b_V", "b_O"),
    *(name for names in SCORE_INPUTS.values() for name in names),
    *BLOCK_INPUTS,
)
"""The inputs that a layer can have besides those of its kind."""

OF_POSITIONS = ("P", "X_p", "Q_rot", "K_rot")
OF_CACHES = ("K_cache", "V_cache", "K_new", "V_new")
"""The quantities of layers with positions, and of those with a cache."""

FURTHER = (
    *(name for name in MADE if name not in DERIVED),
    *("B", "M", "H", "C"),
    *BLOCK_QUANTITIES,
    *OPTIONAL_INPUTS,
    *OF_POSITIONS,
    *OF_CACHES,
)
"""The quantities of layers with masks, biases, heads or other score functions."""

GRADIENT_OF_BLOCK = (
    *("dY_2", "dgamma_2", "dbeta_2", "dN_2", "dR_2", "dF_2", "dW_F2", "db_F2"),
    *("dF_gated", "dF_act", "dF_3", "dW_F3", "db_F3", "dF_1", "dW_F1", "db_F1"),
    *("dF_0", "dY_1", "dgamma_1", "dbeta_1", "dN_1", "dR_1", "dX_A"),
)
"""The gradients of what stands around attention; dF_0 and dX_A are what comes back beside a residual's own path."""
GRADIENT = (
    *GRADIENT_OF_BLOCK,
    *("dO", "dW_O", "db_O", "dC", "dH", "dV", "dV_new", "dA", "dS", "dS_scaled", "dS_uncapped"),
    *("dW_S", "dG", "dQ_rot", "dQ", "dK_rot", "dK", "dK_new"),
    *("dW_Q", "db_Q", "dW_K", "db_K", "dW_V", "db_V", "dX_p", "dP", "dX", "dX_1", "dX_2"),
)
"""The gradients of a backward pass, in its order."""

LOSSES = ("sum", "squared", "cross-entropy")

SYMBOL = "[A-Za-z]+(_[0-9]+)?"
OF_HEAD = rf"{QUANTITY}(\^[1-9][0-9]*)?"
"""The name of a quantity, or of one head's: S^2."""
DISTANCE = "-?[0-9]+"
THEOREM = "[a-z0-9]+(-[a-z0-9]+)*"
CLAIM = "C[1-9][0-9]?"
MAX_SETTINGS = 20


_PLACES = Field("places", "count", "Decimal places.", least=0)
_FIGURES = Field("figures", "count", "Significant figures, instead of places.", least=1)

EACH_FIELDS = (_PLACES, _FIGURES)

ROUNDING_FIELDS = (
    Field("places", "count", "Decimal places of every rounded value.", least=0, default=DEFAULT_PLACES),
    _FIGURES,
    Field(
        "steps",
        "words",
        'The steps that round: "end", "matrices", "all", or a list of steps.',
        words=(*NAMED_STEPS, *STEPS),
        default="end",
    ),
    Field(
        "ties", "choice", "The rule for ties, values half-way between two neighbours.", words=TIES, default="half-up"
    ),
    Field("shift", "switch", "Subtract the row maximum before exponentiating.", default=False),
    Field(
        "each",
        "table",
        "Rounding of single steps, where it differs.",
        fields=tuple(Field(step, "table", f"Rounding of {step}.", fields=EACH_FIELDS) for step in STEPS),
    ),
)

BLANKS = ("none", "matrices", "space")
PART_FIELDS = (
    Field(
        "asks",
        "words",
        f"The quantities or answers that the part asks for, {PROVE}NAME, or {GRADIENT_OF}dQ and the like.",
        words=ASKS,
        pattern=f"({PROVE}{THEOREM}|{GRADIENT_OF}{QUANTITY})",
        required=True,
    ),
    Field(
        "tokens",
        "indices",
        "The queries that the part is about, counted from 1 (default: all).",
        least=1,
        most=1024,
    ),
    Field("points", "number", "The points of the part."),
    Field("title", "line", "The heading of the part."),
    Field("text", "prose", "The question, in the words of the sheet."),
    Field("answer", "prose", "The instructor's answer to a question in prose."),
    Field("space", "count", "The height in centimetres that a sheet leaves for the answer.", least=1, most=50),
    Field("set", "settings", f"Values of the parameters of the theorem of {PROVE}NAME.", pattern=QUANTITY),
    Field(
        "claims", "words", f"The claims of {PROVE}NAME that the key shows, such as C1 (default: all).", pattern=CLAIM
    ),
    Field("detail", "choice", f"The amount of detail in the proof of {PROVE}NAME .", words=DETAILS),
    Field("instance", "switch", f"Add an example in numbers to {PROVE}NAME.", default=False),
    Field(
        "facts",
        "words",
        f"Theorems shown as proved beside an answer in prose: {FACT}NAME, or one claim of it, {FACT}NAME:C4.",
        pattern=f"{FACT}{THEOREM}(:{CLAIM})?",
    ),
)

INPUT_FIELDS = (
    *(
        Field(name, "sequences", about)
        for name, about in (
            ("X", "The tokens, for self-attention; a list of matrices is a batch of sequences."),
            ("X_1", "The tokens that make the queries, for cross-attention."),
            ("X_2", "The tokens that make keys and values, for cross-attention."),
        )
    ),
    *(
        Field(name, "matrix", about)
        for name, about in (
            ("W_Q", "The query weights; those of all heads side by side where heads is a number."),
            ("W_K", "The key weights."),
            ("W_V", "The value weights."),
        )
    ),
    *(
        Field(name, "sequences", about)
        for name, about in (
            ("Q", "The queries, where they are given."),
            ("K", "The keys, where they are given."),
            ("V", "The values, where they are given."),
        )
    ),
    Field("W_O", "matrix", "The output weights, applied to the concatenated heads."),
    *(Field(f"b_{letter}", "vector", f"The bias of {letter}.") for letter in "QKVO"),
    Field("W_S", "matrix", 'The matrix of score = "general", Q W_S K^T.'),
    Field("W_1", "matrix", 'The matrix applied to the queries with score = "additive".'),
    Field("W_2", "matrix", 'The matrix applied to the keys with score = "additive".'),
    Field("w_S", "vector", 'The vector of score = "additive", w_S^T tanh(q W_1 + k W_2).'),
    Field("W_F1", "matrix", "The first weights of the feed-forward network of a block."),
    Field("b_F1", "vector", "The bias after W_F1."),
    Field("W_F3", "matrix", "The weights of a gate: what the activation makes is multiplied by the tokens times W_F3."),
    Field("b_F3", "vector", "The bias after W_F3."),
    Field("W_F2", "matrix", "The second weights of the feed-forward network."),
    Field("b_F2", "vector", "The bias after W_F2."),
    *(Field(f"gamma_{n}", "vector", f"The scale of norm {n} of a block (default: 1).") for n in (1, 2)),
    *(Field(f"beta_{n}", "vector", f"The shift of norm {n} of a block (default: 0).") for n in (1, 2)),
)

BLOCK_FIELDS = (
    Field(
        "norm",
        "choice",
        "The norm of tokens: (x - mean)/sqrt(variance + eps), x/sqrt(mean square + eps), or none.",
        words=NORMS,
        default="none",
    ),
    Field(
        "placement",
        "choice",
        "Whether a norm comes after each residual sum, or before attention and before the network.",
        words=PLACEMENTS,
        default="post",
    ),
    Field("eps", "number", "The number that a norm adds under its square root; required with a norm, and may be 0."),
    Field("activation", "choice", "The activation of the network.", words=ACTIVATIONS, default="relu"),
    Field("residual", "switch", "Add the input of each sublayer to its output.", default=True),
)

_OF_ONE_HEAD = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "V")

HEAD_FIELDS = tuple(
    Field(field.name, field.kind, f"{field.name} of this head.") for field in INPUT_FIELDS if field.name in _OF_ONE_HEAD
)

_GRID = "a row for each query or one for all, or a list of matrices, one for each head"

MASK_FIELDS = (
    Field("causal", "switch", "Hide every key behind the position of the query.", default=False),
    Field("past", "count", "The number of keys before the key of the first query.", most=MAX_PLACES, default=0),
    Field(
        "alignment",
        "choice",
        "Instead of past: whether the first query stands at the first key, or the last at the last.",
        words=("top-left", "bottom-right"),
    ),
    Field("length", "lengths", "The number of real keys, the rest being padding; a list in a batch.", most=MAX_PLACES),
    Field(
        "window",
        "counts",
        "The number of keys seen to the left and to the right of the query's own, as in [2, 0].",
        most=MAX_PLACES,
    ),
    Field("keep", "grid", f"1 is seen, 0 is hidden: {_GRID}."),
    Field("drop", "grid", f"1 is hidden, 0 is seen: {_GRID}."),
    Field("add", "grid", f'Numbers and "-inf" that are added to the scores: {_GRID}.'),
)

BIAS_FIELDS = (
    Field("add", "grid", f"Numbers that are added to the scores: {_GRID}."),
    Field(
        "alibi",
        "slopes",
        "The slope of ALiBi: slope times distance is subtracted from the score; a list gives one slope for each head.",
    ),
    Field(
        "relative",
        "relative",
        "A number for each distance (position of the key minus that of the query); a list gives a table for each head.",
        pattern=DISTANCE,
    ),
    Field(
        "buckets",
        "table",
        "The bias of T5: a number for each bucket of distances, which grow as logarithms do.",
        fields=(
            Field(
                "values",
                "grid",
                "The number of each bucket; a list of such lists has one for each head.",
                required=True,
            ),
            Field(
                "max_distance",
                "count",
                "The distance from which on all are in the last bucket.",
                most=MAX_PLACES,
                least=2,
                default=128,
            ),
            Field(
                "bidirectional",
                "switch",
                "Whether keys ahead of their query have buckets of their own, the second half.",
                default=True,
            ),
        ),
    ),
)

GRADIENT_FIELDS = (
    Field("dO", "sequences", "The gradient of the loss at the output, of the same shape; in a batch a list of such."),
    Field("dY", "sequences", "The same at the output of a block, instead of dO."),
    Field(
        "loss",
        "choice",
        "Instead of dO: the sum of all outputs; half the sum of the squared differences from the target; or the "
        "cross-entropy of the softmax of each output at its label.",
        words=LOSSES,
    ),
    Field("target", "sequences", 'The target that the outputs are compared with, for loss = "squared".'),
    Field(
        "labels",
        "indices",
        'The label of each token, an entry of its output counted from 1, for loss = "cross-entropy"; in a batch those '
        "of all tokens, sequence after sequence.",
        least=1,
    ),
    Field("of", "words", "The gradients to show (default: all).", words=GRADIENT),
)

POSITION_FIELDS = (
    Field(
        "kind",
        "choice",
        "The kind of positions: sines and cosines or a table added to X, or rotations of queries and keys.",
        words=("sinusoidal", "learned", "rope"),
        required=True,
    ),
    Field(
        "base",
        "number",
        "The base b of the angles: pair i at position p has the angle p / b^(2i/d).",
        default="10000",
        is_open=True,
    ),
    Field("start", "count", "The position of the first token, or of the first query.", most=MAX_PLACES, default=0),
    Field("start_keys", "count", "The position of the first key, if it differs.", most=MAX_PLACES),
    Field("angles", "angles", 'Instead of base: the angle of each pair for one position, as "pi/3" or "1/2".'),
    Field(
        "pairs",
        "choice",
        "The pairs that rotate: neighbours (1 and 2, 3 and 4), or halves (1 and 1 + d/2, 2 and 2 + d/2).",
        words=("adjacent", "halves"),
        default="adjacent",
    ),
    Field("table", "matrix", 'The table that kind = "learned" adds to X, of the shape of X.'),
)

CACHE_FIELDS = (
    Field("K", "matrix", "The keys of the past tokens, after the rotation if positions rotate.", required=True),
    Field("V", "matrix", "The values of the past tokens.", required=True),
    Field("past", "count", "The number of past tokens, as many as K has.", most=MAX_PLACES),
)

NAME_FIELDS = tuple(
    Field(name, "line", f"The name on the sheet for {LETTERS[name].about if name in LETTERS else name}.")
    for name in dict.fromkeys((*CANONICAL, *FURTHER, *LETTERS))
)

MAX_BLOCKS = 24
MAX_SIDE = 2048
MAX_ENTRIES = 300_000

STACK_FIELDS = (
    Field("inputs", "matrices", "The weights of this block.", pattern=QUANTITY, fields=INPUT_FIELDS),
    Field("memory", "matrix", "The output of an encoder, which the block attends to instead of its own tokens."),
    Field(
        "decoder",
        "switch",
        "Attend causally to its own tokens first (with inputs), and then to memory (with cross).",
        default=False,
    ),
    Field(
        "cross",
        "matrices",
        "The weights of the second half of a decoder block.",
        pattern=QUANTITY,
        fields=INPUT_FIELDS,
    ),
    Field("heads", "heads", "The number of heads.", fields=HEAD_FIELDS, least=1, most=MAX_HEADS),
    Field("kv_heads", "count", "The number of heads of keys and values.", least=1, most=MAX_HEADS),
    Field("mask", "mask", "Which keys each query sees.", words=("causal",), fields=MASK_FIELDS),
    *BLOCK_FIELDS,
)
"""The keys of one of several blocks."""

TOP_FIELDS = (
    Field("language", "choice", "The language of the fixed texts, English where none is named.", words=LANGUAGES),
    Field("title", "line", "The heading of the problem."),
    Field("text", "prose", "The problem, in the words of the sheet."),
    Field("points", "number", "The points of the whole problem, if its parts have none."),
    Field("tokens", "choice", "Whether tokens are the rows or the columns of X.", words=TOKENS, default="rows"),
    Field(
        "projection",
        "choice",
        'The definition of a projection; "W x" and "W^T x" define it for one token.',
        words=PROJECTIONS,
    ),
    Field("scores", "choice", "The product of queries and keys.", words=SCORES),
    Field(
        "softmax",
        "choice",
        "The axis of the softmax: the weights of each row, or of each column, sum to 1.",
        words=SOFTMAX,
    ),
    Field(
        "scale",
        "expression",
        'The factor of the scores: "none", "1/sqrt(d_k)" or a number. Without it, a score other than "dot" has none.',
        words=("none", "1/sqrt(d_k)"),
        default="1/sqrt(d_k)",
    ),
    Field("temperature", "expression", "A number that divides the scores, instead of scale or beta."),
    Field("beta", "expression", "A number or a declared symbol that multiplies the scores."),
    Field(
        "order",
        "words",
        "The operations on the scores before the softmax, in their order.",
        words=tuple(SCORE_STEPS),
    ),
    Field("softcap", "number", "A positive number c; scores s become c tanh(s/c)."),
    Field("softmax_one", "switch", "Add 1 to the sum of exponentials.", default=False),
    Field(
        "fully_masked",
        "choice",
        "The weights of a query that sees no key.",
        words=FULLY_MASKED,
        default="undefined",
    ),
    Field("mask", "mask", "Which keys each query sees.", words=("causal",), fields=MASK_FIELDS),
    Field("bias", "table", "Finite numbers that are added to the scores.", fields=BIAS_FIELDS),
    Field(
        "heads",
        "heads",
        "The number of heads side by side in the matrices, or one table of matrices for each head.",
        fields=HEAD_FIELDS,
        least=1,
        most=MAX_HEADS,
    ),
    Field(
        "kv_heads", "count", "The number of heads of keys and values; it must divide heads.", least=1, most=MAX_HEADS
    ),
    Field(
        "combine",
        "choice",
        "The combination of the outputs of the heads: concatenated, or their mean.",
        words=COMBINATIONS,
        default="concat",
    ),
    Field(
        "score",
        "choice",
        "The score function: Q K^T, Q W_S K^T, the cosine, or w_S^T tanh(q W_1 + k W_2).",
        words=tuple(SCORE_INPUTS),
        default="dot",
    ),
    Field(
        "gradient",
        "table",
        "The backward pass: its loss or starting gradient, and the gradients to show.",
        fields=GRADIENT_FIELDS,
    ),
    Field(
        "block", "table", "A block around attention: residual sums, norms, a feed-forward network.", fields=BLOCK_FIELDS
    ),
    Field(
        "blocks",
        "tables",
        "Several blocks, each taking the output of the one before; [inputs] then has X alone.",
        fields=STACK_FIELDS,
    ),
    Field("positions", "table", "Positional encodings.", fields=POSITION_FIELDS),
    Field("cache", "table", "Keys and values of past tokens; X then has the new tokens alone.", fields=CACHE_FIELDS),
    Field("online", "count", "The number of keys in a block, for parts that ask for online.", least=1, most=MAX_PLACES),
    Field("symbols", "symbols", 'Declared symbols: "positive", "real", or a value.', pattern=SYMBOL),
    Field("names", "names", "Names of the sheet for canonical names.", pattern=OF_HEAD, fields=NAME_FIELDS),
    Field(
        "inputs",
        "matrices",
        "X, or X_1 and X_2, with W_Q, W_K and W_V; or Q, K and V; with definitions, matrices of any name.",
        pattern=QUANTITY,
        fields=INPUT_FIELDS,
        required=True,
    ),
    Field(
        "definitions",
        "formulas",
        'Quantities in their order, each a formula over inputs and earlier ones, as in S = "Q K^T / sqrt(2)".',
        pattern=QUANTITY,
    ),
    Field("rounding", "table", "The rounding policy of the sheet.", fields=ROUNDING_FIELDS),
    Field(
        "forms",
        "choice",
        "The form of values that no step rounds: closed forms, decimals, or decimals where closed forms are long.",
        words=FORMS,
        default="auto",
    ),
    Field("strict_rounding", "switch", "Accept no rounding but this one.", default=False),
    Field(
        "tolerance",
        "bounds",
        "The error allowed in single quantities, for submissions computed in floating point.",
        pattern=QUANTITY,
    ),
    Field(
        "diagram_threshold",
        "number",
        "The diagram shows the second most influential input if its rounded weight is above this.",
        default=0,
    ),
    Field(
        "diagram_widths",
        "choice",
        "The width of the lines of the diagram: the same for all, or larger for a larger weight.",
        words=("equal", "weight"),
        default="equal",
    ),
    Field(
        "blanks",
        "choice",
        "What a sheet leaves for answers: nothing, empty matrices to fill in, or empty space.",
        words=BLANKS,
        default=BLANKS[0],
    ),
    Field(
        "method_share",
        "number",
        "The share of the points of an entry that its method earns, from 0 to 1.",
        default="1/2",
    ),
    Field("parts", "tables", "The parts of the problem.", fields=PART_FIELDS),
    Field(
        "variants", "table", "The design of variants that `symattn variants` draws; else unused.", fields=VARIANT_FIELDS
    ),
)

MAX_PROBLEMS = 40
PROBLEMS = Field("problems", "problems", "Several problems of one paper, each a table of the keys of this page.")
SHEET_FIELDS = (*TOP_FIELDS, PROBLEMS)
"""The keys of a file of one problem or of several."""

SHARED = (
    *("language", "tokens", "projection", "scores", "softmax", "scale", "temperature", "beta", "symbols", "names"),
    *("rounding", "strict_rounding", "diagram_threshold", "diagram_widths", "blanks", "method_share"),
)
"""The keys above several problems that hold for each of them without its own."""

LAYER_KEYS = (
    "order",
    "softcap",
    "softmax_one",
    "fully_masked",
    "mask",
    "bias",
    "heads",
    "kv_heads",
    "combine",
    "score",
    "positions",
    "cache",
    "online",
    "block",
)
"""The keys that make a layer more than the plain one."""

REFUSED_WITH_DEFINITIONS = (
    "tokens",
    "projection",
    "scores",
    "softmax",
    "scale",
    "temperature",
    "beta",
    *LAYER_KEYS,
    "blocks",
    "gradient",
    "diagram_threshold",
    "diagram_widths",
    "variants",
)
"""The keys that say how attention is written, which definitions say themselves."""

DEFINED_FIELDS = tuple(
    Field(field.name, "open", field.about, required=field.required) if field.name in {"inputs", "names"} else field
    for field in TOP_FIELDS
    if field.name not in REFUSED_WITH_DEFINITIONS
)
"""The keys of a problem with definitions, whose inputs have names of their own."""

THEORY_FIELDS = tuple(field for field in TOP_FIELDS if field.name in {"language", "title", "text", "points", "parts"})
"""The keys of a problem without inputs, whose parts ask for proofs and prose alone."""
