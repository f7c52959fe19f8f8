"""Normal forms of formulas over a graph, products of matrices with their names written out.

Products do not commute, transposes turn them round, and the softmax has an axis. Formulas of one form are equal for
all inputs.
"""

from __future__ import annotations

from typing import TypeAlias

from symattn.checking.graph.quantities import Graph, Valuation, shape_of
from symattn.exact.field.quotient import Quotient
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, is_of, make, parts
from symattn.operations.linear import Lines
from symattn.operations.operation import Axis
from symattn.records import dataclass

Atom: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A number times a product of atoms: given quantities, transposed or not, and functions of other forms."""

    factor: Quotient
    atoms: tuple[Atom, ...]

    @property
    def transposed(self) -> Form:
        """The same turned round."""
        return Form(self.factor, tuple((*atom[:-1], not atom[-1]) for atom in reversed(self.atoms)))


def sum_of(first: Form, second: Form, sign: int) -> Form:
    """Return a sum as a function of its terms, whatever their order."""
    terms = [*_terms(first), *_terms(Form(second.factor * sign, second.atoms))]
    return Form(Quotient.of(1), (("plus", *sorted(terms, key=repr), False),))


def _terms(form: Form) -> list[tuple[object, ...]]:
    is_sum = len(form.atoms) == 1 and form.atoms[0][0] == "plus" and form.factor == 1 and not form.atoms[0][-1]
    return (
        [item for item in form.atoms[0][1:-1] if isinstance(item, tuple)]
        if is_sum
        else [(str(form.factor), form.atoms)]
    )


class Forms:
    """Normal forms of formulas over a graph.

    A name whose form would be too long, as of sums of sums of sums, is not written out.

    Args:
        graph: the quantities.
        valuation: for the numbers that scale.
    """

    def __init__(self, graph: Graph, valuation: Valuation) -> None:
        self.graph = graph
        self.valuation = valuation
        self._named: dict[str, Form] = {}
        self._weights: dict[str, int] = {}

    def named(self, name: str) -> Form:
        """Return the form of a quantity."""
        if name not in self._named:
            formula = self.graph.nodes[name].formula
            is_atom = formula is None or self._weight(formula) > _MOST_WRITTEN
            self._weights[name] = 1 if is_atom or formula is None else self._weight(formula)
            own = Form(Quotient.of(1), ((name, False),))
            self._named[name] = own if is_atom or formula is None else self.of(formula)
        return self._named[name]

    def _weight(self, formula: Formula) -> int:
        """Return the approximate length of a form."""
        if isinstance(formula, Ref):
            self.named(formula.name)
            return self._weights[formula.name]
        return 1 + sum(map(self._weight, parts(formula)))

    def of(self, formula: Formula) -> Form:
        """Return the form of a formula, its names expanded down to the inputs."""
        match formula:
            case Ref(name):
                return self.named(name)
            case Constant(values):
                return Form(Quotient.of(1), ((str(values), False),))
            case Transposed(of):
                inner = self.of(of)
                # A single number is its own transpose.
                return inner if shape_of(of, self.graph) == (1, 1) else inner.transposed
            case Apply(operation, params, operands):
                made = self._known(formula)
                return made or self._function((operation, params), list(operands))

    def _known(self, formula: Apply) -> Form | None:
        """Return the form of an operation with laws of its own, None for a function of its operands."""
        match formula:
            case Apply("product", _, (left, right)):
                first, second = self.of(left), self.of(right)
                return Form(first.factor * second.factor, first.atoms + second.atoms)
            case Apply("scale", _, (factor, of)):
                inner = self.of(of)
                return Form(inner.factor * (self.valuation.entry(factor, 0, 0) or Quotient.of(1)), inner.atoms)
            case Apply("quotient" | "masked-quotient", params, (numerator, denominator, *_)):
                softmax = self._as_softmax(numerator, denominator, params.axis)
                return softmax or self._function(("quotient", params.axis), [numerator, denominator])
            case Apply("softmax", params, (of,)) if params.axis == "columns":
                return self.of(make("softmax", Transposed(of), axis="rows")).transposed
            case Apply("line-sum", params, (Apply("entrywise", _, (left, right)),)) if self._are_alike(left, right):
                return self._diagonal(left, right, params.axis)
            case Apply("sum" | "difference" | "mask" as operation, _, (left, right)):
                return sum_of(self.of(left), self.of(right), -1 if operation == "difference" else 1)
            case Apply("entrywise", _, (Apply("difference", _, ends), other)) if formula.operands[0] == other:
                # A difference and its negative have one square.
                return self._function("square", [make("difference", *self._sorted(ends))])
            case Apply("entrywise", _, operands):
                return self._function("each", self._sorted(operands))
            case Apply("part", params, (of,)):
                return self._part(params, of)
            case Apply("join" | "mean", _, (only,)):
                return self.of(only)
        return None

    def _sorted(self, operands: tuple[Formula, ...]) -> list[Formula]:
        return sorted(operands, key=lambda part: repr(self.of(part)))

    def _part(self, lines: Lines, of: Formula) -> Form:
        """Return some lines; columns of a product are those of its last factor, rows those of its first."""
        if (lines.start, lines.stop) == (1, shape_of(of, self.graph)[0 if lines.axis == "rows" else 1]):
            return self.of(of)
        match _opened(of, self.graph):
            case Apply("product", _, (left, right)) if lines.axis == "rows":
                return self.of(make("product", Apply("part", lines, (left,)), right))
            case Apply("product", _, (left, right)):
                return self.of(make("product", left, Apply("part", lines, (right,))))
            case Transposed(inner):
                other = Lines("rows" if lines.axis == "columns" else "columns", lines.start, lines.stop)
                return self.of(Transposed(Apply("part", other, (inner,))))
        return self._function(("part", lines), [of])

    def _are_alike(self, left: Formula, right: Formula) -> bool:
        return shape_of(left, self.graph) == shape_of(right, self.graph)

    def _diagonal(self, left: Formula, right: Formula, axis: Axis) -> Form:
        """Return row sums of an entrywise product as the diagonal of ``L R^T``, or of its transpose."""
        pair = (left, Transposed(right)) if axis == "rows" else (Transposed(left), right)
        form = self.of(make("product", *pair))
        atoms = min(form.atoms, form.transposed.atoms, key=repr)
        return Form(form.factor, (("diagonal", axis, atoms, False),))

    def _function(self, name: object, arguments: list[Formula]) -> Form:
        forms = tuple(self.of(argument) for argument in arguments)
        return Form(Quotient.of(1), ((str(name), *((str(form.factor), form.atoms) for form in forms), False),))

    def _as_softmax(self, above: Formula, below: Formula, axis: Axis) -> Form | None:
        """Return exponentials over their line sums as a softmax; a shift of the line does not change it."""
        top, bottom = _opened(above, self.graph), _opened(below, self.graph)
        match top, bottom:
            case Apply("exponential", _, (exponent,)), Apply("line-sum" | "line-sum-plus-one", params, (summed,)):
                if params.axis != axis or self.of(summed) != self.of(top):
                    return None
            case _:
                return None
        if is_of(bottom, "line-sum-plus-one"):
            return self.of(make("softmax-over", exponent, over=axis, more="one"))
        inner = _opened(exponent, self.graph)
        match inner:
            case Apply("shift", params, (scores, _)) if params.axis == axis:
                return self.of(make("softmax", scores, axis=axis))
        return self.of(make("softmax", exponent, axis=axis))


def _opened(formula: Formula, graph: Graph) -> Formula:
    while isinstance(formula, Ref):
        inner = graph.nodes[formula.name].formula
        if inner is None:
            return formula
        formula = inner
    return formula


_MOST_WRITTEN = 20_000
"""Parts of a form that is written out."""
