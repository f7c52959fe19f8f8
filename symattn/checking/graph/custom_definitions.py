"""Computation graph of a problem with custom definitions."""

from __future__ import annotations

from symattn.checking.graph.quantities import Graph, Node, Valuation, shape_of
from symattn.checking.graph.scalar_values import ONE, ZERO
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.operations.formulas.compositions import composed
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, parts
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
        return formula

    def _check_masks(self, formula: Formula, name: str) -> None:
        """Refuse masks with other numbers than 0 and 1, so that polarity need not be guessed."""
        for part in parts(formula):
            self._check_masks(part, name)
        if not isinstance(formula, Apply) or formula.operation != "mask-where":
            return
        valuation, by = Valuation(Graph(self.nodes, self.given)), formula.operands[1]
        rows, columns = valuation.shape(by)
        for i in range(rows):
            for j in range(columns):
                value = valuation.entry(by, i, j)
                if value not in (ZERO, ONE):
                    word = "mask (1 is seen)" if formula.params.one == "seen" else "hide (1 is hidden)"
                    shown = "undecided" if value is None else str(value)
                    raise InputError(
                        f"[definitions] {name}: entry ({i + 1},{j + 1}) of what {word} is given is {shown}; it takes a "
                        "matrix of 0 and 1."
                    )
