"""The keys of a problem file, said once: the reader and the JSON schema both follow these tables."""

from __future__ import annotations

from symattn.exact.rounding import TIES
from symattn.problem.conventions import PROJECTIONS, SCORES, SOFTMAX, TOKENS
from symattn.problem.parts import ASKS, DETAILS, FACT, PROVE
from symattn.problem.policy import DEFAULT_PLACES, MAX_DIGITS, NAMED_STEPS, STEPS
from symattn.records import dataclass

DERIVED = ("Q", "K", "V", "S", "S_scaled", "Z", "A", "O")
"""The quantities of every problem; Z are the row sums of exponentials."""

GIVES_WAY = ("S_scaled", "Z")
"""The quantities that a key names with a free letter unless a name is declared for them."""

CANONICAL = ("X", "X_1", "X_2", "W_Q", "W_K", "W_V", *DERIVED)
"""The quantities that can be given a name of the sheet's own."""

MAX_LINE = 200
MAX_PROSE = 20_000
MAX_PARTS = 100
MAX_SYMBOLS = 50

MAX_DEFINITIONS = 100
MAX_FORMULA = 1000
MAX_MATRIX_NAME = 30

SYMBOL = "[A-Za-z]+(_[0-9]+)?"
QUANTITY = "[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*"
THEOREM = "[a-z0-9]+(-[a-z0-9]+)*"
CLAIM = "C[1-9][0-9]?"
MAX_SETTINGS = 20


@dataclass(frozen=True)
class Field:
    """One key: its name, the kind of its value, and what it is for.

    Kinds: ``line`` and ``prose`` (text), ``choice`` (a word of `words`), ``words`` (one or a list of
    them), ``switch``, ``count`` (a whole number from `least` to `most`), ``counts`` (a list of them),
    ``number`` (exact, in any spelling, from `least`), ``expression`` (a number or a polynomial),
    ``settings`` (a table of numbers and texts),
    ``matrix``, ``table`` (of `fields`), ``tables`` (a list of such), ``symbols``, ``matrices``
    (those of `fields`, and with definitions any others), ``formulas``, ``bounds``, ``open`` (a table of any
    names, left to the reader).
    """

    name: str
    kind: str
    about: str
    words: tuple[str, ...] = ()
    pattern: str = ""
    fields: tuple[Field, ...] = ()
    least: int = 0
    most: int = MAX_DIGITS
    default: str | int | bool | None = None
    required: bool = False


_PLACES = Field("places", "count", "Decimal places.", least=0)
_FIGURES = Field("figures", "count", "Significant figures; either this or places.", least=1)

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
    Field("ties", "choice", "How a value half way between two neighbours rounds.", words=TIES, default="half-up"),
    Field("shift", "switch", "Whether the row maximum is subtracted before exponentiating.", default=False),
    Field(
        "each",
        "table",
        "Places or figures of single steps.",
        fields=tuple(Field(step, "table", f"Rounding of {step}.", fields=EACH_FIELDS) for step in STEPS),
    ),
)

PART_FIELDS = (
    Field(
        "asks",
        "words",
        f"What the part asks, one or several, or {PROVE}NAME.",
        words=ASKS,
        pattern=PROVE + THEOREM,
        required=True,
    ),
    Field(
        "tokens",
        "counts",
        "The queries that the part is about, counted from 1; absent: all.",
        least=1,
        most=1024,
    ),
    Field("points", "number", "The points of the part."),
    Field("title", "line", "The heading of the part."),
    Field("text", "prose", "The question, in the words of the sheet."),
    Field("answer", "prose", "The instructor's answer to a question in prose."),
    Field("set", "settings", f"Values of the parameters of the theorem of {PROVE}NAME.", pattern=QUANTITY),
    Field("claims", "words", f"The claims of {PROVE}NAME that the key shows, such as C1; absent: all.", pattern=CLAIM),
    Field("detail", "choice", f"How much of the proof of {PROVE}NAME is written out.", words=DETAILS),
    Field("instance", "switch", f"Whether a worked case in numbers follows {PROVE}NAME.", default=False),
    Field(
        "facts",
        "words",
        f"What is proved beside an answer in prose: {FACT}NAME, or one claim of it, {FACT}NAME:C4.",
        pattern=f"{FACT}{THEOREM}(:{CLAIM})?",
    ),
)

INPUT_FIELDS = tuple(
    Field(name, "matrix", about)
    for name, about in (
        ("X", "The tokens, for self-attention."),
        ("X_1", "The tokens that make the queries, for cross-attention."),
        ("X_2", "The tokens that make keys and values, for cross-attention."),
        ("W_Q", "The query weights."),
        ("W_K", "The key weights."),
        ("W_V", "The value weights."),
        ("Q", "The queries, where they are given."),
        ("K", "The keys, where they are given."),
        ("V", "The values, where they are given."),
    )
)

NAME_FIELDS = tuple(Field(name, "line", f"What the sheet calls {name}.") for name in CANONICAL)

TOP_FIELDS = (
    Field("title", "line", "The heading of the problem."),
    Field("text", "prose", "The problem, in the words of the sheet."),
    Field("points", "number", "The points of the whole problem, where its parts have none."),
    Field("tokens", "choice", "Whether tokens are the rows or the columns of X.", words=TOKENS, default="rows"),
    Field(
        "projection",
        "choice",
        'How a weight meets the input; "W x" and "W^T x" define it for one token.',
        words=PROJECTIONS,
    ),
    Field("scores", "choice", "The product of queries and keys.", words=SCORES),
    Field(
        "softmax",
        "choice",
        "What the softmax makes sum to 1: each row or each column of the scores.",
        words=SOFTMAX,
    ),
    Field(
        "scale",
        "expression",
        'What multiplies the scores: "none", "1/sqrt(d_k)" or a number.',
        words=("none", "1/sqrt(d_k)"),
        default="1/sqrt(d_k)",
    ),
    Field("temperature", "expression", "A number that divides the scores; either this, scale or beta."),
    Field("beta", "expression", "A number or a declared symbol that multiplies the scores."),
    Field("symbols", "symbols", 'Declared symbols: "positive", "real", or a value.', pattern=SYMBOL),
    Field("names", "table", "Canonical names to the names of the sheet.", fields=NAME_FIELDS),
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
    Field("strict_rounding", "switch", "Whether work under any other rounding is not accepted.", default=False),
    Field(
        "tolerance",
        "bounds",
        "How far the numbers of single quantities may lie from the right ones, for work in floating point.",
        pattern=QUANTITY,
    ),
    Field(
        "diagram_threshold",
        "number",
        "The second most influential input is drawn where its rounded weight is above this.",
        default=0,
    ),
    Field(
        "method_share",
        "number",
        "What part of the points of an entry its method earns when work is marked, from 0 to 1.",
        default="1/2",
    ),
    Field("parts", "tables", "The parts of the problem.", fields=PART_FIELDS),
)

REFUSED_WITH_DEFINITIONS = (
    "tokens",
    "projection",
    "scores",
    "softmax",
    "scale",
    "temperature",
    "beta",
    "diagram_threshold",
)
"""The keys that say how attention is written, which definitions say themselves."""

DEFINED_FIELDS = tuple(
    Field(field.name, "open", field.about, required=field.required) if field.name in {"inputs", "names"} else field
    for field in TOP_FIELDS
    if field.name not in REFUSED_WITH_DEFINITIONS
)
"""The keys of a problem with definitions, whose inputs have names of their own."""

THEORY_FIELDS = tuple(field for field in TOP_FIELDS if field.name in {"title", "text", "points", "parts"})
"""The keys of a problem without inputs, whose parts ask for proofs and prose alone."""
