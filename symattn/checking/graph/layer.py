"""Computation graph of an attention layer: each quantity with the formula of the step that makes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.checking.graph.quantities import Graph, Node
from symattn.graph.builders.layer import Layer, step_of
from symattn.graph.quantities.definition import Definition
from symattn.operations.formulas.compositions import composed
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, make, of_step, substitute
from symattn.operations.operation import Axis, Shape
from symattn.operations.table import TABLE
from symattn.problem.model import Problem


def graph_of_layer(layer: Layer) -> Graph:
    """Return the graph of an attention layer, without the summaries that are known by their digits alone."""
    kept = {name: item for name, item in layer.scene.quantities.items() if not item.digits}
    nodes: dict[str, Node] = {}
    known = {name: item.exact for name, item in kept.items()}
    for name, item in kept.items():
        recipe = layer.recipes.get(name)
        formula = formula_of(layer, recipe) if recipe is not None and recipe.rule in TABLE else None
        nodes[name] = Node(name, item.shape, formula, step_of(name))
        nodes.update({part.name: part for part in _weights_of_heads(layer, nodes[name])})
    nodes.update({node.name: node for node in _divided_last(nodes)})
    return Graph(nodes, {name: known[name] for name in kept if nodes[name].formula is None}, known)


def _divided_last(nodes: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the outputs of a softmax that goes from block to block, which divides once, at the end: ``o/l``."""
    last = max((int(name.partition("^")[0][2:]) for name in nodes if name.startswith("o@")), default=0)
    for name, node in nodes.items():
        own, caret, head = name.partition("^")
        sums, total = f"o@{last}{caret}{head}", f"l@{last}{caret}{head}"
        if own in {"O", "H"} and sums in nodes and nodes[sums].shape == node.shape:
            yield replace(node, also=(make("quotient", Ref(sums), Ref(total), axis="rows"),))


def formula_of(layer: Layer, recipe: Definition) -> Formula:
    """Return the formula of a recipe, with numbers for angles and caps, which nobody works out."""
    formula: Formula = of_step(recipe.rule, recipe.arguments, recipe.premises)
    for name in recipe.premises:
        if name == "cap" or name.startswith("Phi"):
            formula = substitute(formula, name, Constant(layer.exact(name)))
    return composed(formula, lambda name: layer.exact(name).shape) if isinstance(formula, Apply) else formula


def _weights_of_heads(layer: Layer, node: Node) -> Iterator[Node]:
    """Yield the part of stacked weights that projects each head, which is not a quantity of a layer."""
    letter = node.name.removeprefix("W_")
    count = layer.problem.heads if letter == "Q" else layer.problem.kv_heads
    made = layer.recipes.get(letter)
    if node.name not in {"W_Q", "W_K", "W_V"} or made is None or not count:
        return
    is_turned = (("right" if made.premises[1] == node.name else "left"), "transposed") in made.arguments
    lies: Axis = "columns" if (layer.problem.tokens == "rows") != is_turned else "rows"
    size = node.shape[1 if lies == "columns" else 0] // count
    shape: Shape = (node.shape[0], size) if lies == "columns" else (size, node.shape[1])
    for part in range(count):
        formula = make("part", Ref(node.name), axis=lies, start=str(part * size + 1), stop=str((part + 1) * size))
        yield Node(f"{node.name}^{part + 1}", shape, formula)


def is_defined(problem: Problem) -> bool:
    """Return whether a problem brings definitions of its own."""
    return problem.kind == "defined"
