"""Compositions: operations of one step that equal several simpler ones, applied to each other.

A record has one step for a norm or for the gradient of a softmax. Works write the parts of such a step, in other orders
and with other brackets, so formulas are compared part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from symattn.operations.formulas.formula import Apply, Formula, Transposed, make, scale, shape
from symattn.operations.online import Block
from symattn.operations.operation import Axis, Shape, Shapes, width

Operands: TypeAlias = tuple[Formula, ...]
Composition: TypeAlias = Callable[[Any, Shapes, Operands], Formula]


def composed(formula: Apply, shape_of: Callable[[str], Shape]) -> Formula:
    """Return the composition that a formula equals, or itself.

    >>> from symattn.operations.formulas.formula import Ref
    >>> made = composed(make("line-mean", Ref("R"), axis="rows"), {"R": (2, 4)}.__getitem__)
    >>> made.operation, made.operands[1]
    ('scale', Apply(operation='line-sum', params=Along(axis='rows'), operands=(Ref(name='R'),)))
    """
    composition = COMPOSITIONS.get(formula.operation)
    if composition is None:
        return formula
    return composition(formula.params, [shape(operand, shape_of) for operand in formula.operands], formula.operands)


def _mean(axis: Axis, shapes: Shapes, of: Formula) -> Formula:
    """The mean of each line."""
    return scale(Fraction(1, width(axis, shapes[0])), make("line-sum", of, axis=axis))


def _across(axis: Axis, of: Formula) -> Formula:
    """The sum of all lines: one row, or one column."""
    sums = make("line-sum", of, axis="columns" if axis == "rows" else "rows")
    return Transposed(sums) if axis == "rows" else sums


def _numbers(axis: Axis, of: Formula) -> Formula:
    """A number for each line, laid beside the lines."""
    return of if axis == "rows" else Transposed(of)


def _places(axis: Axis, shapes: Shapes, operand: int, of: Formula) -> Formula:
    """A number for each place of a line, laid as the lines lie."""
    length = width(axis, shapes[0])
    return of if shapes[operand] == ((1, length) if axis == "rows" else (length, 1)) else Transposed(of)


def _product_plus(_p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    left, right, added = operands
    return make("sum", make("product", left, right), added)


def _products(_p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    first = len(operands) % 2
    products = [make("product", *operands[k : k + 2]) for k in range(first, len(operands), 2)]
    total = reduce(lambda one, other: make("sum", one, other), products)
    return make("scale", operands[0], total) if first else total


def _line_variance(p: Any, shapes: Shapes, operands: Operands) -> Formula:
    off = make("shift", *operands, axis=p.axis)
    return _mean(p.axis, shapes, make("entrywise", off, off))


def _standardise(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    of, means, *below = operands
    return make("rms-norm", make("shift", of, means, axis=p.axis), *below, axis=p.axis)


def _affine(p: Any, shapes: Shapes, operands: Operands) -> Formula:
    laid = [_places(p.axis, shapes, k, operand) for k, operand in enumerate(operands[1:], 1)]
    made = make("entrywise", operands[0], laid[0]) if p.factor else operands[0]
    return make("sum", made, laid[-1]) if p.term else made


def _softmax_gradient(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    weights, gradient, dots = operands
    return make("entrywise", weights, make("shift", gradient, dots, axis=p.axis))


def _centred_gradient(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    gradient, normed, means, dots, *below = operands
    return _norm_gradient(p.axis, make("shift", gradient, means, axis=p.axis), normed, dots, below)


def _centreless_gradient(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    gradient, normed, dots, *below = operands
    return _norm_gradient(p.axis, gradient, normed, dots, below)


def _norm_gradient(axis: Axis, start: Formula, normed: Formula, dots: Formula, below: list[Formula]) -> Formula:
    product = make("entrywise", normed, _numbers(axis, dots))
    return make("rms-norm", make("difference", start, product), *below, axis=axis)


def _block(axis: Axis, p: Block, of: Formula) -> Formula:
    """The lines of a block of keys."""
    return make("part", of, axis=axis, start=str(p.start), stop=str(p.stop))


def _scores(p: Block, of: Formula) -> Formula:
    """The scores of a block of keys, with a row for each query."""
    return _block("columns", p, of) if p.axis == "rows" else Transposed(_block("rows", p, of))


def _running_maximum(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    of, *before = operands
    scores = _scores(p, of)
    return make("line-maximum", make("join", *before, scores, axis="columns") if before else scores, axis="rows")


def _powers(p: Block, of: Formula, largest: Formula) -> Formula:
    return make("exponential", make("shift", _scores(p, of), largest, axis="rows"))


def _running_sum(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    of, largest, *before = operands
    total = make("line-sum", _powers(p, of, largest), axis="rows")
    return _continued("rows", before, largest, total)


def _running_output(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    of, values, largest, *before = operands
    powers, block = _powers(p.block, of, largest), _block(p.side, p.block, values)
    product = make("product", *((powers, block) if p.side == "rows" else (block, Transposed(powers))))
    return _continued(p.side, before, largest, product)


def _continued(axis: Axis, before: list[Formula], largest: Formula, own: Formula) -> Formula:
    """The result of a block, after that of the blocks before it, moved to the new maximum."""
    if not before:
        return own
    made, earlier = before
    kept = make("exponential", make("difference", earlier, largest))
    return make("sum", make("entrywise", made, _numbers(axis, kept)), own)


def _loss(p: Any, _shapes: Shapes, operands: Operands) -> Formula:
    if p.loss != "squared":
        return Apply("loss", p, operands)
    off = make("difference", *operands)
    return scale(Fraction(1, 2), make("loss", make("entrywise", off, off), loss="sum"))


COMPOSITIONS: Mapping[str, Composition] = {
    "product-plus": _product_plus,
    "products": _products,
    "share": lambda p, _, operands: scale(Fraction(1, p.count), operands[0]),
    "total-line": lambda p, _, operands: _across(p.axis, operands[0]),
    "total-dot": lambda p, _, operands: _across(p.axis, make("entrywise", *operands)),
    "line-dot": lambda p, _, operands: make("line-sum", make("entrywise", *operands), axis=p.axis),
    "line-mean": lambda p, shapes, operands: _mean(p.axis, shapes, operands[0]),
    "line-variance": _line_variance,
    "line-mean-square": lambda p, shapes, operands: _mean(p.axis, shapes, make("entrywise", operands[0], operands[0])),
    "line-mean-dot": lambda p, shapes, operands: _mean(p.axis, shapes, make("entrywise", *operands)),
    "standardise": _standardise,
    "affine": _affine,
    "softmax-gradient": _softmax_gradient,
    "layer-norm-gradient": _centred_gradient,
    "rms-norm-gradient": _centreless_gradient,
    "running-maximum": _running_maximum,
    "running-sum": _running_sum,
    "running-output": _running_output,
    "loss": _loss,
}
"""The operations that are compositions, by name; any other one stands for itself."""
