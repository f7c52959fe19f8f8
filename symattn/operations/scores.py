"""TRUSTED. Operations that make or change scores beside products: cosines, additive scores, soft caps, masks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self, TypeAlias

from symattn.errors import shape_text
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.notation.tree import nodes as t
from symattn.operations.linear import sum_of
from symattn.operations.operation import (
    EVERY,
    FIRST,
    Along,
    Applied,
    Arguments,
    Cotangent,
    Family,
    Forms,
    MisfitError,
    Names,
    Nothing,
    Operation,
    Shape,
    Shapes,
    Sides,
    Tape,
    at,
    entrywise_shape,
    family,
    is_spread,
    number_per_line,
    pass_on,
    require_shape,
    require_vector,
    spread,
    vector_entry,
    whole_sum,
    width,
)
from symattn.operations.products import dot_product, factor, inner_length, product, product_shape
from symattn.operations.scalar import (
    ONE,
    ZERO,
    Call,
    Index,
    Leaf,
    Mul,
    Num,
    Pow,
    Require,
    Scalar,
    Select,
    Total,
    side_by_side,
)
from symattn.records import dataclass

_ROUGH = "The length of a query or key is the square root of {value}, which is not a number: give its symbols values."
_MASK = "Vaswani et al. 2017, section 3.2.3"
_HIDDEN = Num(MINUS_INFINITY)

Bit: TypeAlias = Literal["seen", "hidden"]


# Similarities ---------------------------------------------------------------------------------------


def norm(p: Along, shapes: Shapes, i: Index, _: Index) -> Scalar:
    """Return ``sqrt(Σ_k x_k^2)`` of a line."""
    squares = Total(width(p.axis, shapes[0]), lambda k: Pow(at(0, p.axis, i, k), 2))
    return Call("sqrt", Require("number", squares, _ROUGH))


def cosine_shape(p: Sides, shapes: Shapes) -> Shape:
    """Return the shape of a product with a length for each row and each column.

    Raises:
        MisfitError: the operands do not fit.
    """
    shape = product_shape(p, shapes)
    require_shape(shapes, 2, (shape[0], 1))
    require_shape(shapes, 3, (shape[1], 1))
    return shape


def cosine(p: Sides, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``(Σ_k L_ik R_kj)/(l_i r_j)``."""
    return product(p, shapes, i, j) / (Leaf(2, i, 0) * Leaf(3, j, 0))


def cosine_of_lines(p: Sides, names: Names, i: Index, j: Index) -> Forms:
    """Return ``q_i^T k_j/(l_i r_j)``."""
    lengths = t.multiplied([names.entry(2, i, 0), names.entry(3, j, 0)])
    return tuple(t.Division(form, lengths) for form in dot_product(p, names, i, j))


def additive_shape(p: Sides, shapes: Shapes) -> Shape:
    """Return the shape of a product with a weight for each term.

    Raises:
        MisfitError: the operands do not fit.
    """
    shape = product_shape(p, shapes)
    require_vector(shapes, 2, inner_length(p, shapes))
    return shape


def additive(p: Sides, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``Σ_k w_k tanh(L_ik + R_kj)``."""

    def term(k: Index) -> Scalar:
        both = factor(0, i, k, turned=p.left) + factor(1, k, j, turned=p.right)
        return vector_entry(2, shapes, k) * Call("tanh", both)

    return Total(inner_length(p, shapes), term)


# Soft caps ------------------------------------------------------------------------------------------


def softcap_shape(_p: Nothing, shapes: Shapes) -> Shape:
    """Return the shape of capped scores.

    Raises:
        MisfitError: the cap is not a number.
    """
    require_shape(shapes, 0, (1, 1))
    return shapes[1]


def softcap(_p: Nothing, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``c tanh(s_ij/c)``."""
    cap = Leaf(0, 0, 0)
    return side_by_side(cap, Call("tanh", Leaf(1, i, j) / cap))


def whole_softcap(_: Nothing, names: Names) -> Forms:
    """Return ``c tanh(S/c)``."""
    cap = names.whole(0)
    return (t.multiplied([cap, t.Call(t.Name("tanh"), (t.Division(names.whole(1), cap),))], ""),)


def softcap_back(_p: Nothing, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G (1 - tanh^2)``, times the number that multiplies ``G``."""
    cap, scores = node.operands
    numbers = (g.factor,) if g.factor else ()
    tape.add(scores, "cap-gradient", g.name, node.name, cap.name, *numbers)


def cap_gradient_shape(_p: Nothing, shapes: Shapes) -> Shape:
    """Return the shape of a gradient at capped scores, with a cap and maybe a number.

    Raises:
        MisfitError: the operands do not fit.
    """
    for operand in range(2, len(shapes)):
        require_shape(shapes, operand, (1, 1))
    return entrywise_shape(_p, shapes[:2])


def cap_gradient(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``n g_ij (1 - (s_ij/c)^2)``.

    The derivative of ``c tanh(s/c)`` is ``1 - tanh^2(s/c)``, and ``tanh(s/c)`` the capped score over the cap.
    """
    slope = ONE - Pow(Leaf(1, i, j) / Leaf(2, 0, 0), 2)
    numbers = tuple(Leaf(operand, 0, 0) for operand in range(3, len(shapes)))
    return Mul((*numbers, Leaf(0, i, j), slope))


# Masks ----------------------------------------------------------------------------------------------


def seen_score(_: Nothing, names: Names, i: Index, j: Index) -> Forms:
    """Return a score alone where 0 is added to it."""
    is_seen = isinstance(i, int) and isinstance(j, int) and names.exact(1, i, j) == 0
    return (names.entry(0, i, j),) if is_seen else ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of 1 in a matrix of 0 and 1."""

    options: ClassVar[Mapping[str, str]] = {"one": "seen|hidden"}

    one: Bit

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the meaning that arguments state."""
        return cls("seen" if arguments["one"] == "seen" else "hidden")


def _chosen(p: Meaning, bit: Scalar, seen: Scalar) -> Scalar:
    """An expression where a bit lets the key be seen, minus infinity where it is hidden."""
    required = Require("bit", bit, "A mask is a matrix of 0 and 1, and {value} stands in it.")
    return Select("one", (required,), seen, _HIDDEN) if p.one == "seen" else Select("one", (required,), _HIDDEN, seen)


def hide(p: Meaning, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return what is added to a score: 0 where the key is seen, minus infinity where it is hidden."""
    return _chosen(p, Leaf(0, i, j), ZERO)


def mask_where_shape(_p: Meaning, shapes: Shapes) -> Shape:
    """Return the shape of scores with a bit for each, or one row, column or number of bits for all.

    Raises:
        MisfitError: the bits do not fit.
    """
    if not is_spread(shapes[1], shapes[0]):
        found, needed = shape_text(shapes[1]), shape_text(shapes[0])
        raise MisfitError((0, 1), f"Operand 2 must be {needed} here, or one row of it, and is {found}.")
    return shapes[0]


def mask_where(p: Meaning, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the score where the key is seen, minus infinity where it is hidden."""
    return _chosen(p, spread(1, shapes, i, j), Leaf(0, i, j))


OPERATIONS: Family = family(
    Operation(
        "norm",
        "the square root of the sum of the squares of each line",
        "Euclidean norm",
        Along,
        (1, 1),
        number_per_line,
        norm,
        follows=EVERY,
        numerals="values",
    ),
    Operation(
        "cosine",
        "each entry of L R over the length of the row of L and that of the column of R; undefined where one is 0",
        "cosine of two vectors",
        Sides,
        (4, 4),
        cosine_shape,
        cosine,
        follows=EVERY,
        also=cosine_of_lines,
        numerals="values",
    ),
    Operation(
        "additive",
        "for a row of L and a column of R, the sum of w_r tanh(L_r + R_r)",
        "Bahdanau et al. 2015, appendix A.1.2",
        Sides,
        (3, 3),
        additive_shape,
        additive,
        numerals="values",
    ),
    Operation(
        "softcap",
        "the cap times tanh of each entry over the cap",
        "Gemma Team 2024, section 2",
        Nothing,
        (2, 2),
        softcap_shape,
        softcap,
        follows=range(1, 2),
        vjp=softcap_back,
        whole=whole_softcap,
        numerals="values",
    ),
    Operation(
        "cap-gradient",
        "each entry times 1 - (capped/cap)^2, the derivative of the soft cap, and a number where one is given",
        "chain rule",
        Nothing,
        (3, 4),
        cap_gradient_shape,
        cap_gradient,
        follows=EVERY,
        numerals="constants",
    ),
    Operation(
        "mask",
        "the mask added entry by entry, minus infinity hides",
        _MASK,
        Nothing,
        (2, 2),
        entrywise_shape,
        sum_of,
        follows=FIRST,
        vjp=pass_on,
        whole=whole_sum,
        matrices="shown",
        also=seen_score,
        numerals="names",
    ),
    Operation(
        "hide",
        "minus infinity where a key is hidden, 0 where it is seen",
        _MASK,
        Meaning,
        (1, 1),
        entrywise_shape,
        hide,
        rounds=False,
        numerals="none",
    ),
    Operation(
        "mask-where",
        "minus infinity where a key is hidden, the score where it is seen",
        _MASK,
        Meaning,
        (2, 2),
        mask_where_shape,
        mask_where,
        follows=FIRST,
    ),
)
