"""Computation graphs of an attention layer and of custom definitions: each quantity with the formula that makes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.checking.graph.quantities import Graph, Node
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import constants
from symattn.graph.builders.layer import Layer, step_of
from symattn.graph.quantities.definition import Definition
from symattn.operations.formulas.compositions import composed
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, make, of_step, substitute
from symattn.operations.operation import Axis, Shape
from symattn.operations.table import TABLE
from symattn.problem.model import Problem


def graph_of_layer(layer: Layer) -> Graph:
    """Return the graph of an attention layer, without the summaries that are known by their digits alone."""
    kept = {name: item for name, item in layer.scene.quantities.items() if not item.digits}
    nodes: dict[str, Node] = {}
    known = {name: _in_one_form(item.exact) for name, item in kept.items()}
    for name, item in kept.items():
        recipe = layer.recipes.get(name)
        formula = formula_of(layer, recipe) if recipe is not None and recipe.rule in TABLE else None
        nodes[name] = Node(name, item.shape, formula, step_of(name))
        nodes.update({part.name: part for part in _weights_of_heads(layer, nodes[name])})
    nodes.update({node.name: node for node in _divided_last(nodes, known, layer.problem.tokens)})
    given = {name: known[name] for name in kept if nodes[name].formula is None}
    if layer.problem.positions is not None:
        # A number without a closed form is made of sines and cosines as they came: it is worked out again.
        known = {name: values for name, values in known.items() if all(value.is_closed for value in values)}
    return Graph(nodes, given, known)


def _divided_last(nodes: Mapping[str, Node], known: Mapping[str, Matrix], tokens: str) -> Iterator[Node]:
    """Yield the outputs of a softmax that goes from block to block, which divides once, at the end: ``o/l``.

    Where the row sums of shifted exponentials are the last running sums, their name does as well.
    """
    lines: Axis = "rows" if tokens == "rows" else "columns"
    last = max((int(name.partition("^")[0][2:]) for name in nodes if name.startswith("o@")), default=0)
    for name, node in nodes.items():
        own, caret, head = name.partition("^")
        sums, total = f"o@{last}{caret}{head}", f"l@{last}{caret}{head}"
        if own in {"O", "H"} and sums in nodes and nodes[sums].shape == node.shape:
            row_sums = f"Z{caret}{head}"
            totals = [total, *([row_sums] if known.get(row_sums) == known[total] else [])]
            yield replace(node, also=tuple(make("quotient", Ref(sums), Ref(one), axis=lines) for one in totals))


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


def graph_of_definitions(key: Layer) -> Graph:
    """Return the inputs and the quantities of the key, in its order: the defined ones, and what they are made of.

    A number that scales is a quantity of its own, so that its roundings can be followed.

    >>> from symattn.graph.builders.definitions import defined_layer
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(inputs={"X": [[1, 2]]}, definitions={"S": "X X^T / sqrt(2)"})
    >>> list(graph_of_definitions(defined_layer(p)).nodes)
    ['X', 'S⁽1⁾', 'S factor', 'S']
    """
    return _Builder(key).graph()


def node_name(name: str) -> str:
    """Return the name in a graph of a quantity of the key: no name of a head, though it has a number, too.

    >>> node_name("O^1"), node_name("O")
    ('O⁽1⁾', 'O')
    """
    label, is_numbered, number = name.partition("^")
    return f"{label}⁽{number}⁾" if is_numbered else name


class _Builder:
    def __init__(self, key: Layer) -> None:
        self.key = key
        self.nodes: dict[str, Node] = {}
        self.given: dict[str, Matrix] = {}

    def graph(self) -> Graph:
        for name, quantity in self.key.scene.quantities.items():
            label, formula = node_name(name), self._definition(name)
            read = None if formula is None else self._formula(formula, label)
            if read is None:
                self.given[label] = quantity.exact
            self.nodes[label] = Node(label, quantity.shape, read)
        return Graph(self.nodes, self.given)

    def _definition(self, name: str) -> Formula | None:
        """Return the formula of a quantity of the key; None for an input."""
        recipe = self.key.recipes[name]
        if name in self.key.formulas or recipe.rule not in TABLE:
            return self.key.formulas.get(name)
        return of_step(recipe.rule, recipe.arguments, recipe.premises)

    def _factor(self, name: str, factor: Quotient) -> Ref:
        count = sum(label.startswith(f"{name} factor") for label in self.nodes)
        label = f"{name} factor" if not count else f"{name} factor {count + 1}"
        self.nodes[label] = Node(label, (1, 1), None)
        self.given[label] = Matrix([[factor]])
        return Ref(label)

    def _formula(self, formula: Formula, name: str) -> Formula:
        """Return a formula with its factors under names, and with column sums as the sums of lines that they are."""
        match formula:
            case Apply("scale", params, (Constant(values), of)):
                factor = self._factor(name, values[0, 0])
                return Apply("scale", params, (factor, self._formula(of, name)))
            case Apply(operation, params, operands):
                inner: list[Formula] = []
                for operand in operands:  # one frame a level: sums nest deeply
                    inner.append(self._formula(operand, name))  # noqa: PERF401
                return composed(Apply(operation, params, tuple(inner)), lambda other: self.nodes[other].shape)
            case Transposed(of):
                return Transposed(self._formula(of, name))
            case Ref(other):
                return Ref(node_name(other))
        return formula


def _in_one_form(values: Matrix) -> Matrix:
    if not any(value.has_constants for value in values):
        return values
    return Matrix([[in_one_form(value) for value in row] for row in values.rows])


def in_one_form(value: Quotient) -> Quotient:
    """Return a value in which no sines and cosines are multiplied, so that whoever puts them together is right.

    >>> in_one_form(Quotient.of(2)) == 2
    True
    """
    return constants.without_products(value) if value.has_constants else value
