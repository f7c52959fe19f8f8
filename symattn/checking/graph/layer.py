"""Computation graph of an attention layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce

from symattn.checking.graph.activations import SLOPES
from symattn.checking.graph.formulas import (
    Constant,
    Exponential,
    Formula,
    Hadamard,
    Joined,
    LineMaximum,
    LineSum,
    Mapped,
    Masked,
    Mean,
    Minus,
    Multiple,
    OverRoot,
    Part,
    Plus,
    Ratio,
    Ref,
    Scaled,
    Softmax,
    SubtractPerLine,
    Times,
    Transposed,
)
from symattn.checking.graph.partial_arithmetic import ONE
from symattn.checking.graph.positions import of_positions
from symattn.checking.graph.quantities import Graph, Node
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import Layer, step_of
from symattn.graph.quantities import quantity as q
from symattn.problem.model import Problem


def _of_quantity(quantity: q.Quantity, sizes: Mapping[str, tuple[int, int]]) -> Formula | None:
    match quantity.definition:
        case q.ProductOf(left, right, plus):
            product = Times(_operand(left), _operand(right))
            return Plus(product, Ref(plus)) if plus else product
        case q.ScaledBy(factor, of):
            return Scaled(factor, Ref(of))
        case q.LineMaximum(of, axis):
            return LineMaximum(Ref(of), axis)
        case q.ShiftedBy(of, by, axis):
            return SubtractPerLine(Ref(of), Ref(by), axis)
        case q.ExponentialOf(of):
            return Exponential(Ref(of))
        case q.LineSum(of, axis):
            return LineSum(Ref(of), axis)
        case q.PlusOneSum(of, axis):
            return LineSum(Ref(of), axis, extra=True)
        case q.RatioOf(numerator, denominator, axis, empty, scores):
            return Ratio(Ref(numerator), Ref(denominator), axis, empty, scores)
        case q.SumOf(left, right):
            return Plus(Ref(left), Ref(right))
        case q.MaskedBy(of, mask):
            return Masked(Ref(of), Ref(mask), "add")
        case q.PartOf(of, axis, start, stop):
            return Part(Ref(of), axis, start - 1, stop)
        case q.JoinedOf(names, axis):
            return Joined(tuple(map(Ref, names)), axis)
        case q.MeanOf(names):
            return Mean(tuple(map(Ref, names)))
        case _ if isinstance(quantity.definition, q.BlockDefinition):
            return of_block(quantity.definition, sizes)
        case q.DifferenceOf(left, right):
            return Minus(Ref(left), Ref(right))
        case q.SoftmaxOf(of, axis):
            return Softmax(Ref(of), axis)
        case q.ShareOf(of, count):
            return Mean((Ref(of), *(Constant(Matrix([[0] * quantity.shape[1]] * quantity.shape[0])),) * (count - 1)))
        case q.ProductsOf(pairs, factor):
            products: list[Formula] = [Times(_operand(left), _operand(right)) for left, right in pairs]
            whole = reduce(Plus, products)
            return Scaled(factor, whole) if factor else whole
        case q.TotalLine(of, axis):
            sums = LineSum(Ref(of), "columns" if axis == "rows" else "rows")
            return Transposed(sums) if axis == "rows" else sums
        case q.LineDot(left, right, axis):
            return LineSum(Hadamard(Ref(left), Ref(right)), axis)
        case q.SoftmaxGradientOf(weights, gradient, dots, axis):
            return Hadamard(Ref(weights), SubtractPerLine(Ref(gradient), Ref(dots), axis))
        case _:
            return None


def _operand(operand: q.Operand) -> Formula:
    ref = Ref(operand.name)
    return Transposed(ref) if operand.transposed else ref


def graph_of_layer(layer: Layer) -> Graph:
    """Return the graph of an attention layer, without the summaries that are known by their digits alone."""
    kept = {name: item for name, item in layer.scene.quantities.items() if not item.digits}
    sizes = {name: item.shape for name, item in kept.items()}
    nodes: dict[str, Node] = {}
    known = {name: item.exact for name, item in kept.items()}
    for name, item in kept.items():
        nodes[name] = Node(name, item.shape, _of_quantity(item, sizes), step_of(name))
        nodes.update({part.name: part for part in _weights_of_heads(layer, nodes[name])})
    if layer.problem.softcap is not None or layer.problem.gradient is not None:
        for name, item in kept.items():
            if nodes[name].formula is None:
                nodes[name] = replace(nodes[name], formula=of_cap_or_loss(layer, item))
    if layer.problem.positions is not None or layer.problem.cached or layer.problem.online:
        for name, item in kept.items():
            nodes[name] = replace(nodes[name], formula=nodes[name].formula or of_positions(layer, item))
    return Graph(nodes, {name: known[name] for name in kept if nodes[name].formula is None}, known)


def _weights_of_heads(layer: Layer, node: Node) -> Iterator[Node]:
    """Yield the part of stacked weights that projects each head, which is not a quantity of a layer."""
    letter = node.name.removeprefix("W_")
    count = layer.problem.heads if letter == "Q" else layer.problem.kv_heads
    made = layer.recipes.get(letter)
    if node.name not in {"W_Q", "W_K", "W_V"} or made is None or not count:
        return
    is_turned = (("right" if made.premises[1] == node.name else "left"), "transposed") in made.arguments
    lies: q.Axis = "columns" if (layer.problem.tokens == "rows") != is_turned else "rows"
    size = node.shape[1 if lies == "columns" else 0] // count
    shape = (node.shape[0], size) if lies == "columns" else (size, node.shape[1])
    for part in range(count):
        formula = Part(Ref(node.name), lies, part * size, (part + 1) * size)
        yield Node(f"{node.name}^{part + 1}", shape, formula)


def is_defined(problem: Problem) -> bool:
    """Return whether a problem brings definitions of its own."""
    return problem.kind == "defined"


def of_block(definition: q.BlockDefinition, sizes: Mapping[str, tuple[int, int]]) -> Formula:
    """Return the formula of an operation that only blocks have.

    >>> of_block(q.ActivatedBy("F_1", "relu"), {})
    Mapped(function='relu', of=Ref(name='F_1'))
    """
    match definition:
        case q.LineMean(of, axis):
            return Multiple(ONE / length_of(sizes[of], axis), LineSum(Ref(of), axis))
        case q.LineVariance(of, means, axis):
            return mean_of_squares(SubtractPerLine(Ref(of), Ref(means), axis), length_of(sizes[of], axis), axis)
        case q.LineMeanSquare(of, axis):
            return mean_of_squares(Ref(of), length_of(sizes[of], axis), axis)
        case q.Standardised(of, means, variances, eps, axis):
            above: Formula = SubtractPerLine(Ref(of), Ref(means), axis) if means else Ref(of)
            return OverRoot(above, Ref(variances), Ref(eps) if eps else None, axis)
        case q.AffineOf(of, factor, term):
            made: Formula = Hadamard(Ref(of), Ref(factor)) if factor else Ref(of)
            return Plus(made, Ref(term)) if term else made
        case q.ActivatedBy(of, kind):
            return Mapped(kind, Ref(of))
        case q.LineMeanDot(left, right, axis):
            return Multiple(ONE / length_of(sizes[left], axis), LineSum(Hadamard(Ref(left), Ref(right)), axis))
        case q.NormGradientOf(gradient, normed, means, dots, variances, eps, axis):
            numbers: Formula = Ref(dots) if axis == "rows" else Transposed(Ref(dots))
            start: Formula = SubtractPerLine(Ref(gradient), Ref(means), axis) if means else Ref(gradient)
            above = Minus(start, Hadamard(Ref(normed), numbers))
            return OverRoot(above, Ref(variances), Ref(eps) if eps else None, axis)
        case q.ReluGradientOf(gradient, of):
            return Hadamard(Ref(gradient), Mapped(SLOPES["relu"], Ref(of)))
        case q.GeluSlopeOf(of, kind):
            return Mapped(SLOPES[kind], Ref(of))
        case q.EntrywiseOf(left, right):
            return Hadamard(Ref(left), Ref(right))
        case q.TotalDot(left, right, axis):
            sums = LineSum(Hadamard(Ref(left), Ref(right)), "columns" if axis == "rows" else "rows")
            return Transposed(sums) if axis == "rows" else sums


def length_of(size: tuple[int, int], axis: q.Axis) -> int:
    """Return the number of entries of a line."""
    return size[1] if axis == "rows" else size[0]


def mean_of_squares(of: Formula, count: int, axis: q.Axis) -> Formula:
    """Return the sum of the squares of each line over a count."""
    return Multiple(ONE / count, LineSum(Hadamard(of, of), axis))


_HALF = Quotient.of("1/2")


def of_cap_or_loss(layer: Layer, quantity: q.Quantity) -> Formula | None:
    """Return the formula of capped scores, of the gradient before a cap, or of a loss; None of anything else."""
    match quantity.definition:
        case q.CappedBy(cap, of):
            number = layer.exact(cap)[0, 0]
            return Multiple(number, Mapped("tanh", Multiple(ONE / number, Ref(of))))
        case q.CapGradientOf(gradient, capped, cap, factor):
            share = Multiple(ONE / layer.exact(cap)[0, 0], Ref(capped))
            ones = Constant(Matrix([[ONE] * quantity.shape[1]] * quantity.shape[0]))
            through = Hadamard(Ref(gradient), Minus(ones, Mapped("square", share)))
            return Scaled(factor, through) if factor else through
        case q.LossOf("sum", (output,)):
            return LineSum(Ref(output), "all")
        case q.LossOf("squared", (output, target)):
            off = Minus(Ref(output), Ref(target))
            return Multiple(_HALF, LineSum(Mapped("square", off), "all"))
        case q.LossOf(_, (chances, _)) if layer.problem.gradient is not None:
            places = enumerate(label - 1 for label in layer.problem.gradient.labels)
            is_turned = layer.problem.tokens == "columns"
            found = tuple(_entry(chances, *(pair[::-1] if is_turned else pair)) for pair in places)
            return LineSum(Mapped("-ln", Joined(found, "rows")), "all")
    return None


def _entry(name: str, row: int, column: int) -> Formula:
    """Return one entry of a quantity, counted from 0."""
    return Part(Part(Ref(name), "rows", row, row + 1), "columns", column, column + 1)
