"""TRUSTED. LayerNorm and RMSNorm, and their gradients.

A norm ``n = (x - m)/s`` of d entries, with ``s = sqrt(v + eps)``, has the Jacobian ``(1 - 1/d - n n^T/d)/s``, so that a
gradient ``g`` at ``n`` is ``(g - mean(g) - n mean(g n))/s`` at ``x``; without the mean ``m`` nothing takes ``mean(g)``
off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from symattn.operations.linear import line_dot, mean_of
from symattn.operations.operation import (
    AXIS,
    Along,
    Applied,
    Arguments,
    Axis,
    Cotangent,
    Family,
    MisfitError,
    Operation,
    Shape,
    Shapes,
    Tape,
    at,
    count_lines,
    family,
    line_of,
    number_per_line,
    place_of,
    read_axis,
    require_shape,
    require_vector,
    vector_entry,
    width,
)
from symattn.operations.scalar import Add, Call, Index, Leaf, Neg, Pow, Scalar, Total
from symattn.records import dataclass

_CHAIN = "chain rule"
_LAYER_NORM = "Ba et al. 2016, section 3"
_RMS_NORM = "Zhang and Sennrich 2019, eq. 4"


def line_mean(p: Along, shapes: Shapes, i: Index, _j: Index) -> Scalar:
    """Return the mean of a line."""
    count = width(p.axis, shapes[0])
    return mean_of(Total(count, lambda k: at(0, p.axis, i, k), "short"), count)


def variance_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of one number for each line, each line having a mean.

    Raises:
        MisfitError: the operands do not fit.
    """
    shape = count_lines(p.axis, shapes[0]), 1
    require_shape(shapes, 1, shape)
    return shape


def line_variance(p: Along, shapes: Shapes, i: Index, _j: Index) -> Scalar:
    """Return the mean of ``(x_k - m)^2`` of a line."""
    count = width(p.axis, shapes[0])
    squares = Total(count, lambda k: Pow(Add((at(0, p.axis, i, k), Neg(Leaf(1, i, 0))), "short"), 2), "short")
    return mean_of(squares, count)


def line_mean_square(p: Along, shapes: Shapes, i: Index, _j: Index) -> Scalar:
    """Return the mean of ``x_k^2`` of a line."""
    count = width(p.axis, shapes[0])
    return mean_of(Total(count, lambda k: Pow(at(0, p.axis, i, k), 2), "short"), count)


def _numbers_shape(p: Along, shapes: Shapes, first: int, eps: int) -> Shape:
    """The shape of the first operand, with numbers of its lines from `first` on, and a number `eps` if it is there."""
    for operand in range(first, min(eps, len(shapes))):
        require_shape(shapes, operand, (count_lines(p.axis, shapes[0]), 1))
    if len(shapes) > eps:
        require_shape(shapes, eps, (1, 1))
    return shapes[0]


def _root(shapes: Shapes, variance: int, line: Index) -> Scalar:
    """The root of the variance of a line, and of eps, which is the operand after it, if it is there."""
    squares: Scalar = Leaf(variance, line, 0)
    return Call("sqrt", squares + Leaf(variance + 1, 0, 0) if len(shapes) > variance + 1 else squares)


def standardise_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of an operand with a mean and a variance for each line, and maybe eps.

    Raises:
        MisfitError: the operands do not fit.
    """
    return _numbers_shape(p, shapes, 1, 3)


def standardise(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``(x_ij - m_i)/sqrt(v_i + eps)``."""
    line = line_of(p.axis, i, j)
    return Add((Leaf(0, i, j), Neg(Leaf(1, line, 0))), "short") / _root(shapes, 2, line)


def standardise_back(p: Along, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add the gradient of LayerNorm at what it took, through mean and variance besides."""
    means = tape.make("mean", node, "line-mean", g.whole, axis=p.axis)
    dots = tape.make("mean-dot", node, "line-mean-dot", g.whole, node.name, axis=p.axis)
    of, _, *numbers = node.operands
    names = (number.name for number in numbers)
    tape.add(of, "layer-norm-gradient", g.whole, node.name, means, dots, *names, axis=p.axis)


def rms_norm_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of an operand with a mean square for each line, and maybe eps.

    Raises:
        MisfitError: the operands do not fit.
    """
    return _numbers_shape(p, shapes, 1, 2)


def rms_norm(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``x_ij/sqrt(v_i + eps)``."""
    return Leaf(0, i, j) / _root(shapes, 1, line_of(p.axis, i, j))


def rms_norm_back(p: Along, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add the gradient of RMSNorm at what it took, through the mean square besides."""
    dots = tape.make("mean-dot", node, "line-mean-dot", g.whole, node.name, axis=p.axis)
    of, *numbers = node.operands
    names = (number.name for number in numbers)
    tape.add(of, "rms-norm-gradient", g.whole, node.name, dots, *names, axis=p.axis)


@dataclass(frozen=True, slots=True)
class Affine:
    """The direction of lines, and whether a factor and a term belong to each place of a line."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "with": "factor|term|factor term"}

    axis: Axis
    factor: bool
    term: bool

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return what arguments state."""
        words = arguments["with"].split()
        return cls(read_axis(arguments), "factor" in words, "term" in words)


def affine_shape(p: Affine, shapes: Shapes) -> Shape:
    """Return the shape of an operand with numbers for each place of its lines.

    Raises:
        MisfitError: the operands do not fit.
    """
    if len(shapes) != 1 + p.factor + p.term:
        raise MisfitError((), f"{len(shapes) - 1} operands hold the factors and the terms that were named.")
    for operand in range(1, len(shapes)):
        require_vector(shapes, operand, width(p.axis, shapes[0]))
    return shapes[0]


def affine(p: Affine, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``f_j x_ij + t_j``, as far as there is a factor or a term."""
    place = place_of(p.axis, i, j)
    made: Scalar = Leaf(0, i, j)
    if p.factor:
        made = vector_entry(1, shapes, place) * made
    return made + vector_entry(1 + p.factor, shapes, place) if p.term else made


def affine_back(p: Affine, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``f_j G_ij``, and the sums over all lines of ``G_ij x_ij`` at a factor and of ``G_ij`` at a term."""
    of, *given = node.operands
    if p.term:
        tape.add(given[-1], "total-line", g.whole, axis=p.axis)
    if not p.factor:
        tape.pass_on(of, g)
        return
    tape.add(given[0], "total-dot", g.whole, of.name, axis=p.axis)
    tape.add(of, "affine", g.whole, given[0].name, axis=p.axis, **{"with": "factor"})


def line_mean_dot(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the mean of ``a_k b_k`` of a line."""
    return mean_of(line_dot(p, shapes, i, j), width(p.axis, shapes[0]))


def layer_norm_gradient_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of a gradient with its norm, means, dots and variances, and maybe eps.

    Raises:
        MisfitError: the operands do not fit.
    """
    require_shape(shapes, 1, shapes[0])
    return _numbers_shape(p, shapes, 2, 5)


def layer_norm_gradient(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``(g_ij - m_i - n_ij d_i)/sqrt(v_i + eps)``."""
    line = line_of(p.axis, i, j)
    terms = (Leaf(0, i, j), Neg(Leaf(2, line, 0)), Neg(Leaf(1, i, j) * Leaf(3, line, 0)))
    return Add(terms, "common") / _root(shapes, 4, line)


def rms_norm_gradient_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of a gradient with its norm, dots and mean squares, and maybe eps.

    Raises:
        MisfitError: the operands do not fit.
    """
    require_shape(shapes, 1, shapes[0])
    return _numbers_shape(p, shapes, 2, 4)


def rms_norm_gradient(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``(g_ij - n_ij d_i)/sqrt(v_i + eps)``."""
    line = line_of(p.axis, i, j)
    return Add((Leaf(0, i, j), Neg(Leaf(1, i, j) * Leaf(2, line, 0))), "common") / _root(shapes, 3, line)


OPERATIONS: Family = family(
    Operation(
        "line-mean",
        "the mean of each line",
        _LAYER_NORM,
        Along,
        (1, 1),
        number_per_line,
        line_mean,
        numerals="scalars",
    ),
    Operation(
        "line-variance",
        "the mean of the squares of what each line is off its mean, over their number",
        _LAYER_NORM,
        Along,
        (2, 2),
        variance_shape,
        line_variance,
        numerals="scalars",
    ),
    Operation(
        "line-mean-square",
        "the mean of the squares of each line",
        _RMS_NORM,
        Along,
        (1, 1),
        number_per_line,
        line_mean_square,
        numerals="scalars",
    ),
    Operation(
        "standardise",
        "each entry less the mean of its line, over the root of the variance and eps; undefined where that is 0",
        _LAYER_NORM,
        Along,
        (3, 4),
        standardise_shape,
        standardise,
        vjp=standardise_back,
        numerals="scalars",
    ),
    Operation(
        "rms-norm",
        "each entry over the root of the mean square of its line and eps; undefined where that is 0",
        _RMS_NORM,
        Along,
        (2, 3),
        rms_norm_shape,
        rms_norm,
        vjp=rms_norm_back,
        numerals="scalars",
    ),
    Operation(
        "affine",
        "each entry times the factor of its place in a line, and a number added",
        _LAYER_NORM,
        Affine,
        (2, 3),
        affine_shape,
        affine,
        vjp=affine_back,
        numerals="scalars",
    ),
    Operation(
        "line-mean-dot",
        "for each line the mean of the products of two entries",
        _CHAIN,
        Along,
        (2, 2),
        number_per_line,
        line_mean_dot,
        numerals="scalars",
    ),
    Operation(
        "layer-norm-gradient",
        "(g - mean(g) - n mean(g n))/sqrt(v + eps) line by line",
        _CHAIN,
        Along,
        (5, 6),
        layer_norm_gradient_shape,
        layer_norm_gradient,
        numerals="scalars",
    ),
    Operation(
        "rms-norm-gradient",
        "(g - n mean(g n))/sqrt(ms + eps) line by line",
        _CHAIN,
        Along,
        (4, 5),
        rms_norm_gradient_shape,
        rms_norm_gradient,
        numerals="scalars",
    ),
)
