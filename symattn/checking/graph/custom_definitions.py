"""Computation graph of a problem with custom definitions."""

from __future__ import annotations

from symattn.checking.graph.partial_arithmetic import ONE, ZERO
from symattn.checking.graph.quantities import Graph, Node, Valuation, shape_of
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.operations.formulas.compositions import composed
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, make, parts
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

    def _factor(self, name: str, factor: Quotient) -> Ref:
        count = sum(label.startswith(f"{name} factor") for label in self.nodes)
        label = f"{name} factor" if not count else f"{name} factor {count + 1}"
        self.nodes[label] = Node(label, (1, 1), None)
        self.given[label] = Matrix([[factor]])
        return Ref(label)

    def _formula(self, formula: f.Formula, name: str) -> Formula:
        inner = [self._formula(part, name) for part in f.parts_of(formula)]
        match formula:
            case f.Ref(of):
                return Ref(of)
            case f.Transposed():
                return Transposed(*inner)
            case f.Times():
                return make("product", *inner)
            case f.Scaled(factor):
                return make("scale", self._factor(name, factor), *inner)
            case f.Exponential():
                return make("exponential", *inner)
            case f.Softmax(_, "all", extra) | f.Softmax(_, _, True as extra):
                return make("softmax-over", *inner, over=formula.axis, **({"more": "one"} if extra else {}))
            case f.Softmax():
                return make("softmax", *inner, axis=formula.axis)
            case f.LineSum(_, "columns"):
                return composed(make("total-line", *inner, axis="rows"), lambda name: self.nodes[name].shape)
            case f.LineSum():
                return make("line-sum", *inner, axis="rows")
            case f.Ratio(_, _, "all"):
                return make("entrywise-quotient", *inner)
            case f.Ratio(_, _, axis):
                return make("quotient", inner[0], Transposed(inner[1]) if axis == "columns" else inner[1], axis=axis)
            case f.Constant(values):
                return Constant(values)
            case f.Plus():
                return make("sum", *inner)
            case f.Minus():
                return make("difference", *inner)
            case f.EachTimes():
                return make("entrywise", *inner)
            case f.Masked(_, _, hides):
                return make("mask-where", *inner, one="hidden" if hides else "seen")
            case f.Part(_, axis, start, stop):
                return make("part", *inner, axis=axis, start=str(start), stop=str(stop))
            case f.Joined(_, axis):
                return make("join", *inner, axis=axis)
        raise InputError(f"{formula} is not a formula.")

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
