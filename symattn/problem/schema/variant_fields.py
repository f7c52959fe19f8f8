"""The keys of a design of variants, the `[variants]` table of a problem file."""

from __future__ import annotations

from symattn.problem.schema.field import QUANTITY, Field

MAX_CHOICES = 100
"""Numbers that one entry of a variant is drawn from."""

VARIANT_FIELDS = (
    Field(
        "vary",
        "choices",
        "The numbers from which entries of inputs are drawn: a list for a whole matrix, or one for each row or entry.",
        pattern=QUANTITY,
        required=True,
    ),
    Field("weights", "interval", "The smallest and the largest weight, as in [0.03, 0.94]; a hidden key has weight 0."),
    Field(
        "distinct",
        "words",
        "No two printed weights of a line are equal; no two lines of the map; or one printed weight of each line is "
        "the largest.",
        words=("weights", "rows", "influential"),
    ),
    Field("rows_sum", "switch", "The printed weights of each line sum to 1.", default=False),
    Field(
        "margin",
        "line",
        'The distance of each number from a rounding boundary, in units of its last place, as "0.1 unit".',
    ),
    Field(
        "policies",
        "choice",
        "Whether answers rounded at every step and answers rounded at the end print the same.",
        words=("agree", "differ", "any"),
        default="any",
    ),
    Field(
        "telling",
        "choice",
        "Whether each usual mistake changes a printed answer, and also any two of them print different answers.",
        words=("all", "distinct"),
    ),
    Field("apart", "count", "The entries of the inputs in which two variants differ at least.", least=1, default=1),
    Field(
        "size",
        "table",
        "Bounds for the numbers before the scale.",
        fields=(
            Field("numerator", "count", "The largest numerator in size.", least=1, most=10**9),
            Field("denominator", "count", "The largest denominator.", least=1, most=10**9),
        ),
    ),
)
