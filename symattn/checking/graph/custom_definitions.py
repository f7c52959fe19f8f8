"""Computation graph of a problem with custom definitions."""

from __future__ import annotations

from symattn.checking.graph.quantities import Graph, Node
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import Layer
from symattn.operations.formulas.compositions import composed
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, of_step
from symattn.operations.table import TABLE


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
