"""Conventions of a sheet for writing attention, and the shapes that its matrices must then have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from symattn.errors import InputError, ShapeError
from symattn.records import dataclass

Shape: TypeAlias = tuple[int, int]
Side: TypeAlias = Literal["rows", "columns"]

TOKENS = ("rows", "columns")
PROJECTIONS = ("X W", "W x", "W^T x")
SCORES = ("Q K^T", "K^T Q", "Q^T K")
SOFTMAX = ("rows", "columns")

KINDS: dict[str, tuple[str, ...]] = {
    "self": ("X", "W_Q", "W_K", "W_V"),
    "cross": ("X_1", "X_2", "W_Q", "W_K", "W_V"),
    "given": ("Q", "K", "V"),
}
"""The inputs of each kind of problem that follows a convention."""

DEFINED = "defined"
THEORY = "theory"
"""The kind of a problem whose quantities the sheet defines one by one."""

SOURCES = {"self": ("X", "X", "X"), "cross": ("X_1", "X_2", "X_2")}
"""What queries, keys and values are made from."""

_SOFTMAX_OF = {"Q K^T": "rows", "K^T Q": "columns", "Q^T K": "rows"}


@dataclass(frozen=True, slots=True)
class Convention:
    """The definition that a sheet uses.

    Tokens stand in rows or in columns; `projection` is how a weight meets the input (``"W x"`` and
    ``"W^T x"`` define it for one token at a time; empty where Q, K, V are given); `scores` is the
    product of queries and keys, and `softmax` says what sums to one: each row of it, or each column.

    >>> Convention("rows", "X W", "Q K^T", "rows").outputs
    'A V'
    """

    tokens: str
    projection: str
    scores: str
    softmax: str

    @property
    def outputs(self) -> str:
        """The product that makes the outputs."""
        return {"Q K^T": "A V", "K^T Q": "V A", "Q^T K": "V A^T"}[self.scores]

    @property
    def product(self) -> str:
        """The product of matrices that a projection is: ``"X W"``, ``"X W^T"``, ``"W X"`` or ``"W^T X"``.

        >>> Convention("rows", "W^T x", "Q K^T", "rows").product
        'X W'
        """
        return projection_product(self.tokens, self.projection)


def projection_product(tokens: str, projection: str) -> str:
    """Return the projection of all tokens at once as a product of matrices.

    >>> projection_product("columns", "W x"), projection_product("rows", "W x")
    ('W X', 'X W^T')
    """
    if not projection:
        return ""
    in_rows = {"X W": "X W", "W x": "X W^T", "W^T x": "X W"}
    in_columns = {"W x": "W X", "W^T x": "W^T X"}
    return (in_rows if tokens == "rows" else in_columns)[projection]


def resolve(
    tokens: str | None, projection: str | None, scores: str | None, softmax: str | None, *, given: bool
) -> Convention:
    """Return the convention that the declared keys and the defaults make.

    Raises:
        InputError: Keys that contradict each other.

    >>> resolve("columns", None, None, None, given=False)
    Convention(tokens='columns', projection='W x', scores='K^T Q', softmax='columns')
    """
    tokens = tokens or "rows"
    if scores is None:
        across = "Q^T K" if softmax == "rows" else "K^T Q"
        scores = "Q K^T" if tokens == "rows" else across
    softmax = softmax or _SOFTMAX_OF[scores]
    if given and projection is not None:
        raise InputError("Q, K and V are given, so projection has no effect. Leave it out.")
    if not given:
        projection = projection or ("X W" if tokens == "rows" else "W x")
    convention = Convention(tokens, projection or "", scores, softmax)
    check_convention(convention)
    return convention


def check_convention(convention: Convention) -> None:
    """Refuse keys that contradict each other.

    Raises:
        InputError: With the pair that does not go together and what would.

    >>> check_convention(Convention("rows", "X W", "Q K^T", "rows"))
    """
    tokens, projection, scores, softmax = (
        convention.tokens,
        convention.projection,
        convention.scores,
        convention.softmax,
    )
    for key, value, known in (
        ("tokens", tokens, TOKENS),
        ("projection", projection, ("", *PROJECTIONS)),
        ("scores", scores, SCORES),
        ("softmax", softmax, SOFTMAX),
    ):
        if value not in known:
            raise InputError(f'{key} is one of {", ".join(known)}, not "{value}".')
    if (tokens == "rows") != (scores == "Q K^T"):
        fitting = '"Q K^T"' if tokens == "rows" else '"K^T Q" or "Q^T K"'
        raise InputError(f'With tokens = "{tokens}" the scores are {fitting}, not "{scores}".')
    if softmax != _SOFTMAX_OF[scores]:
        raise InputError(
            f'With scores = "{scores}" the weights of one query stand in one of the {_SOFTMAX_OF[scores]}: '
            f'softmax = "{_SOFTMAX_OF[scores]}", not "{softmax}".'
        )
    if tokens == "columns" and projection == "X W":
        raise InputError(
            'projection = "X W" multiplies rows of tokens; with tokens = "columns" it is "W x" or "W^T x".'
        )


def check_shapes(kind: str, convention: Convention, shapes: Mapping[str, Shape], where: str = "") -> None:
    """Refuse inputs whose shapes do not fit in the declared convention.

    Raises:
        ShapeError: Naming both matrices, both shapes, and what must agree.

    >>> convention = Convention("rows", "", "Q K^T", "rows")
    >>> check_shapes("given", convention, {"Q": (2, 3), "K": (4, 3), "V": (4, 5)})
    """
    if kind == "given":
        _check_given(convention, shapes, where)
        return
    for source, weight in zip(SOURCES[kind], ("W_Q", "W_K", "W_V"), strict=True):
        check_projection(source, weight, convention, shapes, where)
    side: Side = "rows" if convention.product in ("X W^T", "W X") else "columns"
    if _count(shapes["W_Q"], side) != _count(shapes["W_K"], side):
        needs = f"{convention.scores} needs as many {side} in W_Q as in W_K"
        raise ShapeError(_sentence("W_Q", "W_K", shapes, needs, where))


def check_projection(source: str, weight: str, convention: Convention, shapes: Mapping[str, Shape], where: str) -> None:
    """Refuse a weight that cannot meet its input.

    Raises:
        ShapeError: Naming both matrices, both shapes, and what must agree.

    >>> check_projection("X", "W_Q", Convention("rows", "X W", "Q K^T", "rows"), {"X": (2, 3), "W_Q": (3, 4)}, "")
    """
    product = convention.product
    of_source: Side = "columns" if convention.tokens == "rows" else "rows"
    of_weight: Side = "columns" if product in ("X W^T", "W X") else "rows"
    if _count(shapes[source], of_source) == _count(shapes[weight], of_weight):
        return
    written = " ".join({"X": source, "W": weight, "W^T": f"{weight}^T"}[factor] for factor in product.split())
    needs = f"{written} needs as many {of_source} in {source} as {of_weight} in {weight}"
    raise ShapeError(_sentence(source, weight, shapes, needs, where))


def _check_given(convention: Convention, shapes: Mapping[str, Shape], where: str) -> None:
    lengths: Side = "columns" if convention.tokens == "rows" else "rows"
    counts: Side = "rows" if convention.tokens == "rows" else "columns"
    if _count(shapes["Q"], lengths) != _count(shapes["K"], lengths):
        needs = f"{convention.scores} needs as many {lengths} in Q as in K"
        raise ShapeError(_sentence("Q", "K", shapes, needs, where))
    if _count(shapes["K"], counts) != _count(shapes["V"], counts):
        needs = f"{convention.outputs} needs as many {counts} in V as in K, one for each token"
        raise ShapeError(_sentence("K", "V", shapes, needs, where))


def _count(shape: Shape, side: Side) -> int:
    return shape[0] if side == "rows" else shape[1]


def _sentence(first: str, second: str, shapes: Mapping[str, Shape], needs: str, where: str) -> str:
    (a, b), (c, d) = shapes[first], shapes[second]
    place = f" ({where}, [inputs] {second})" if where else ""
    return f"{first} is {a}×{b} and {second} is {c}×{d}: {needs}{place}."
