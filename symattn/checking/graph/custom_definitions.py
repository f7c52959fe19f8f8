"""Computation graph of a problem with custom definitions."""

from __future__ import annotations

from symattn.checking.graph import formulas as g
from symattn.checking.graph.partial_arithmetic import ONE, ZERO
from symattn.checking.graph.quantities import Graph, Node, Valuation, shape_of
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components import formulas as f
from symattn.problem.model import Problem


def graph_of_definitions(problem: Problem) -> Graph:
    """Return the inputs and the defined quantities in the order of the problem file.

    A number that scales is a quantity of its own, so that its roundings can be followed.

    >>> p = Problem.build(inputs={"X": [[1, 2]]}, definitions={"S": "X X^T / sqrt(2)"})
    >>> list(graph_of_definitions(p).nodes)
    ['X', 'S factor', 'S']
    """
    return _Builder(problem).graph()


class _Builder:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.nodes: dict[str, Node] = {}
        self.given: dict[str, Matrix] = {}

    def graph(self) -> Graph:
        for name, matrix in self.problem.inputs.items():
            self.nodes[name] = Node(name, matrix.shape, None)
            self.given[name] = matrix
        for name, formula in self.problem.definitions.items():
            read = self._formula(formula, name)
            shape = shape_of(read, Graph(self.nodes, self.given))
            self.nodes[name] = Node(name, shape, read)
            self._check_masks(read, name)
        return Graph(self.nodes, self.given)

    def _factor(self, name: str, factor: Quotient) -> str:
        count = sum(label.startswith(f"{name} factor") for label in self.nodes)
        label = f"{name} factor" if not count else f"{name} factor {count + 1}"
        self.nodes[label] = Node(label, (1, 1), None)
        self.given[label] = Matrix([[factor]])
        return label

    def _formula(self, formula: f.Formula, name: str) -> g.Formula:
        match formula:
            case f.Ref(of):
                return g.Ref(of)
            case f.Transposed(of):
                return g.Transposed(self._formula(of, name))
            case f.Times(left, right):
                return g.Times(self._formula(left, name), self._formula(right, name))
            case f.Scaled(factor, of):
                return g.Scaled(self._factor(name, factor), self._formula(of, name))
            case f.Exponential(of):
                return g.Exponential(self._formula(of, name))
            case f.Softmax(of, axis, extra):
                return g.Softmax(self._formula(of, name), axis, extra)
            case f.LineSum(of, axis):
                sums = g.LineSum(self._formula(of, name), axis)
                # Sums of columns stand in a row there, and in a column here.
                return g.Transposed(sums) if axis == "columns" else sums
            case f.Ratio(numerator, denominator, axis):
                below = self._formula(denominator, name)
                below = g.Transposed(below) if axis == "columns" else below
                return g.Ratio(self._formula(numerator, name), below, axis)
            case f.Constant(values):
                return g.Constant(values)
            case f.Plus(left, right):
                return g.Plus(self._formula(left, name), self._formula(right, name))
            case f.Minus(left, right):
                return g.Minus(self._formula(left, name), self._formula(right, name))
            case f.EachTimes(left, right):
                return g.Hadamard(self._formula(left, name), self._formula(right, name))
            case f.Masked(of, by, hides):
                return g.Masked(self._formula(of, name), self._formula(by, name), "drop" if hides else "keep")
            case f.Part(of, axis, start, stop):
                return g.Part(self._formula(of, name), axis, start - 1, stop)
            case f.Joined(parts, axis):
                return g.Joined(tuple(self._formula(part, name) for part in parts), axis)

    def _check_masks(self, formula: g.Formula, name: str) -> None:
        """Refuse masks with other numbers than 0 and 1, so that polarity need not be guessed."""
        for part in g.parts(formula):
            self._check_masks(part, name)
        if not isinstance(formula, g.Masked):
            return
        valuation = Valuation(Graph(self.nodes, self.given))
        rows, columns = valuation.shape(formula.by)
        for i in range(rows):
            for j in range(columns):
                value = valuation.entry(formula.by, i, j)
                if value not in (ZERO, ONE):
                    word = "mask (1 is seen)" if formula.way == "keep" else "hide (1 is hidden)"
                    shown = "undecided" if value is None else str(value)
                    raise InputError(
                        f"[definitions] {name}: entry ({i + 1},{j + 1}) of what {word} is given is {shown}; it takes a "
                        "matrix of 0 and 1."
                    )
