"""TRUSTED. Recipes: the rule, the arguments and the premises by which a definition is applied and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symattn.graph.quantities import quantity as q
from symattn.operations.operation import Operation
from symattn.operations.table import TABLE
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """Recipe of a quantity: the rule, its arguments, and the premises."""

    rule: str
    arguments: tuple[tuple[str, str], ...]
    premises: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """An operation with its parameters, and the names of its operands."""

    operation: Operation[Any]
    params: Any
    operands: tuple[str, ...]


WITHOUT_OPERATION = q.Given | q.WrittenOut | q.WrittenAs | q.EntropyOf | q.TotalOf
"""Definitions that no operation makes, or one whose parameters are not in the definition."""


def made_by(definition: q.Definition) -> Made | None:
    """Return the operation of a definition, None where it names none.

    >>> made_by(q.ShiftedBy("S", "m", "rows")).operands
    ('S', 'm')
    """
    if isinstance(definition, WITHOUT_OPERATION):
        return None
    recipe = recipe_of(definition)
    operation = TABLE[recipe.rule]
    return Made(operation, operation.params.read(dict(recipe.arguments)), recipe.premises)


def recipe_of(definition: q.Definition) -> Recipe:
    """Return the recipe of a definition.

    Raises:
        ValueError: no rule makes it, or its arguments are not in the definition.

    >>> recipe_of(q.ShiftedBy("S", "m", "rows"))
    Recipe(rule='shift', arguments=(('axis', 'rows'),), premises=('S', 'm'))
    """
    made = _of_softmax(definition) or _of_products(definition) or _of_gradients(definition) or _of_others(definition)
    if made is None:
        raise ValueError(f"{type(definition).__name__} has no recipe")
    return made


def _named(*names: str) -> tuple[str, ...]:
    """The names that are not empty."""
    return tuple(name for name in names if name)


def _along(axis: q.Axis, *further: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("axis", axis), *further)


def _range(start: int, stop: int) -> tuple[tuple[str, str], ...]:
    return ("start", str(start)), ("stop", str(stop))


def _sides(left: q.Operand, right: q.Operand) -> tuple[tuple[str, str], ...]:
    pairs = (("left", left), ("right", right))
    return tuple((side, "transposed") for side, operand in pairs if operand.transposed)


def _of_softmax(definition: q.Definition) -> Recipe | None:
    match definition:
        case q.LineMaximum(of, axis):
            return Recipe("line-maximum", _along(axis), (of,))
        case q.ShiftedBy(of, by, axis):
            return Recipe("shift", _along(axis), (of, by))
        case q.ExponentialOf(of):
            return Recipe("exponential", (), (of,))
        case q.LineSum(of, axis):
            return Recipe("line-sum", _along(axis), (of,))
        case q.PlusOneSum(of, axis):
            return Recipe("line-sum-plus-one", _along(axis), (of,))
        case q.RatioOf(above, below, axis, "undefined"):
            return Recipe("quotient", _along(axis), (above, below))
        case q.RatioOf(above, below, axis, empty, scores):
            return Recipe("masked-quotient", _along(axis, ("empty", empty)), (above, below, scores))
        case q.SoftmaxOf(of, axis):
            return Recipe("softmax", _along(axis), (of,))
        case q.RunningMaximum(of, before, axis, start, stop):
            return Recipe("running-maximum", _along(axis, *_range(start, stop)), _named(of, before))
        case q.RunningSum(of, largest, before, earlier, axis, start, stop):
            return Recipe("running-sum", _along(axis, *_range(start, stop)), _named(of, largest, before, earlier))
        case q.RunningOutput(of, values, largest, before, earlier, axis, side, start, stop):
            arguments = _along(axis, ("side", side), *_range(start, stop))
            return Recipe("running-output", arguments, _named(of, values, largest, before, earlier))
        case q.CappedBy(cap, of):
            return Recipe("softcap", (), (cap, of))
        case q.MaskedBy(of, mask):
            return Recipe("mask", (), (of, mask))
        case q.HiddenBy(by, is_seen):
            return Recipe("hide", (("one", "seen" if is_seen else "hidden"),), (by,))
    return None


def _of_products(definition: q.Definition) -> Recipe | None:
    match definition:
        case q.ProductOf(left, right, ""):
            return Recipe("product", _sides(left, right), (left.name, right.name))
        case q.ProductOf(left, right, plus):
            return Recipe("product-plus", _sides(left, right), (left.name, right.name, plus))
        case q.ProductsOf(pairs, factor):
            operands = [operand for pair in pairs for operand in pair]
            letters = "".join("T" if operand.transposed else "N" for operand in operands)
            premises = _named(factor, *(operand.name for operand in operands))
            return Recipe("products", (("turned", letters),), premises)
        case q.NormOf(of, axis):
            return Recipe("norm", _along(axis), (of,))
        case q.CosineOf(left, right, rows, columns):
            return Recipe("cosine", _sides(left, right), (left.name, right.name, rows, columns))
        case q.AdditiveOf(left, right, weights):
            return Recipe("additive", _sides(left, right), (left.name, right.name, weights))
        case q.ScaledBy(factor, of):
            return Recipe("scale", (), (factor, of))
        case q.SumOf(left, right):
            return Recipe("sum", (), (left, right))
        case q.DifferenceOf(left, right):
            return Recipe("difference", (), (left, right))
        case q.EntrywiseOf(left, right):
            return Recipe("entrywise", (), (left, right))
        case q.MeanOf(names):
            return Recipe("mean", (), names)
        case q.ShareOf(of, count):
            return Recipe("share", (("count", str(count)),), (of,))
        case q.PartOf(of, axis, start, stop):
            return Recipe("part", _along(axis, *_range(start, stop)), (of,))
        case q.JoinedOf(names, axis):
            return Recipe("join", _along(axis), names)
        case q.TotalLine(of, axis):
            return Recipe("total-line", _along(axis), (of,))
    return None


def _of_gradients(definition: q.Definition) -> Recipe | None:
    match definition:
        case q.LineDot(left, right, axis):
            return Recipe("line-dot", _along(axis), (left, right))
        case q.TotalDot(left, right, axis):
            return Recipe("total-dot", _along(axis), (left, right))
        case q.LineMeanDot(left, right, axis):
            return Recipe("line-mean-dot", _along(axis), (left, right))
        case q.SoftmaxGradientOf(weights, gradient, dots, axis):
            return Recipe("softmax-gradient", _along(axis), (weights, gradient, dots))
        case q.CapGradientOf(gradient, capped, cap, number):
            return Recipe("cap-gradient", (), _named(gradient, capped, cap, number))
        case q.NormGradientOf(gradient, normed, means, dots, variances, eps, axis):
            rule = "layer-norm-gradient" if means else "rms-norm-gradient"
            return Recipe(rule, _along(axis), _named(gradient, normed, means, dots, variances, eps))
        case q.ReluGradientOf(gradient, of):
            return Recipe("relu-gradient", (), (gradient, of))
        case q.GeluSlopeOf(of, kind):
            return Recipe("gelu-slope", (("kind", kind),), (of,))
        case q.LossOf(kind, names):
            return Recipe("loss", (("loss", kind),), names)
    return None


def _of_others(definition: q.Definition) -> Recipe | None:
    match definition:
        case q.LineMean(of, axis):
            return Recipe("line-mean", _along(axis), (of,))
        case q.LineVariance(of, means, axis):
            return Recipe("line-variance", _along(axis), (of, means))
        case q.LineMeanSquare(of, axis):
            return Recipe("line-mean-square", _along(axis), (of,))
        case q.Standardised(of, means, variances, eps, axis):
            rule = "standardise" if means else "rms-norm"
            return Recipe(rule, _along(axis), _named(of, means, variances, eps))
        case q.AffineOf(of, factor, term, axis):
            words = " ".join(word for word, name in (("factor", factor), ("term", term)) if name)
            return Recipe("affine", _along(axis, ("with", words)), _named(of, factor, term))
        case q.ActivatedBy(of, kind):
            return Recipe("activation", (("kind", kind),), (of,))
        case q.SinusoidOf(of, pairs, axis):
            return Recipe("sinusoid", _along(axis, ("pairs", pairs)), (of,))
        case q.RotatedBy(of, angles, pairs, axis, back):
            return Recipe("rotate-back" if back else "rotate", _along(axis, ("pairs", pairs)), (of, angles))
    return None


# The other way ----------------------------------------------------------------------------------------


def _norm_gradient(*names: str, axis: q.Axis) -> q.Definition:
    gradient, normed, means, dots, variances, *eps = names
    return q.NormGradientOf(gradient, normed, means, dots, variances, "".join(eps), axis)


_DEFINITIONS: Mapping[str, Callable[..., q.Definition]] = {
    "difference": q.DifferenceOf,
    "entrywise": q.EntrywiseOf,
    "share": q.ShareOf,
    "part": q.PartOf,
    "join": lambda *names, axis: q.JoinedOf(names, axis),
    "total-line": q.TotalLine,
    "total-dot": q.TotalDot,
    "line-dot": q.LineDot,
    "line-mean": q.LineMean,
    "line-mean-dot": q.LineMeanDot,
    "affine": lambda of, factor, axis: q.AffineOf(of, factor, "", axis),
    "softmax-gradient": q.SoftmaxGradientOf,
    "cap-gradient": q.CapGradientOf,
    "layer-norm-gradient": _norm_gradient,
    "rms-norm-gradient": lambda *names, axis: _norm_gradient(*names[:2], "", *names[2:], axis=axis),
    "relu-gradient": q.ReluGradientOf,
    "gelu-slope": q.GeluSlopeOf,
    "rotate-back": lambda of, angles, pairs, axis: q.RotatedBy(of, angles, pairs, axis, back=True),
}


def definition_of(rule: str, *operands: str, **arguments: str | int) -> q.Definition:
    """Return the definition of what a rule of a backward pass makes.

    >>> definition_of("line-dot", "A", "dA", axis="rows")
    LineDot(left='A', right='dA', axis='rows')
    """
    return _DEFINITIONS[rule](*operands, **arguments)
