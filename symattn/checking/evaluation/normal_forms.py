"""Normal forms of formulas over a graph, products of matrices with their names written out.

Products do not commute, transposes turn them round, and the softmax has an axis. Formulas of one form are equal for
all inputs.
"""

from __future__ import annotations

from typing import TypeAlias

from symattn.checking.graph.formulas import (
    Axis,
    Constant,
    EntrywiseQuotient,
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
    parts,
)
from symattn.checking.graph.quantities import Graph, Valuation, shape_of
from symattn.exact.field.quotient import Quotient
from symattn.graph.quantities import quantity as q
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
    return Form(Quotient.of(1), (("plus", "all", *sorted(terms, key=repr), False),))


def _terms(form: Form) -> list[tuple[object, ...]]:
    is_sum = len(form.atoms) == 1 and form.atoms[0][0] == "plus" and form.factor == 1 and not form.atoms[0][-1]
    return (
        [item for item in form.atoms[0][2:-1] if isinstance(item, tuple)]
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
            case Transposed(of):
                inner_form = self.of(of)
                # A single number is its own transpose.
                return inner_form if shape_of(of, self.graph) == (1, 1) else inner_form.transposed
            case Times(left, right):
                first, second = self.of(left), self.of(right)
                return Form(first.factor * second.factor, first.atoms + second.atoms)
            case Scaled(factor, of):
                inner_form = self.of(of)
                number = self.valuation.get(factor, 0, 0)
                return Form(inner_form.factor * (number or Quotient.of(1)), inner_form.atoms)
            case Multiple(factor_value, of):
                inner_form = self.of(of)
                return Form(inner_form.factor * factor_value, inner_form.atoms)
            case Ratio(numerator, denominator, axis):
                softmax = self._as_softmax(numerator, denominator, axis)
                return softmax or self._function("ratio", axis, [numerator, denominator])
            case Softmax(of, axis, extra):
                return self._function("softmax1" if extra else "softmax", axis, [of])
            case Exponential(of):
                return self._function("exp", "all", [of])
            case LineSum(Hadamard(left, right), axis, False) if self._are_alike(left, right) and axis != "all":
                return self._diagonal(left, right, axis)
            case LineSum(of, axis, extra):
                return self._function("sum1" if extra else "sum", axis, [of])
            case LineMaximum(of, axis):
                return self._function("max", axis, [of])
            case SubtractPerLine(of, by, axis):
                return self._function("less", axis, [of, by])
            case Plus(left, right) | Minus(left, right) | Masked(left, right, "add"):
                sign = -1 if isinstance(formula, Minus) else 1
                return sum_of(self.of(left), self.of(right), sign)
            case Hadamard(left, right):
                return self._function("each", "all", sorted((left, right), key=lambda part: repr(self.of(part))))
            case EntrywiseQuotient(left, right):
                return self._function("over", "all", [left, right])
            case Masked(of, by, way):
                return self._function(way, "all", [of, by])
            case Part(of, axis, 0, stop) if shape_of(of, self.graph)[0 if axis == "rows" else 1] == stop:
                return self.of(of)
            case Part(of, axis, start, stop):
                inner = _opened(of, self.graph)
                if isinstance(inner, Times):
                    # Columns of a product are those of its last factor, rows those of its first.
                    left = Part(inner.left, axis, start, stop) if axis == "rows" else inner.left
                    right = Part(inner.right, axis, start, stop) if axis == "columns" else inner.right
                    return self.of(Times(left, right))
                if isinstance(inner, Transposed):
                    other: q.Axis = "rows" if axis == "columns" else "columns"
                    return self.of(Transposed(Part(inner.of, other, start, stop)))
                return self._function(f"part {start} {stop}", axis, [of])
            case Joined((only,)) | Mean((only,)):
                return self.of(only)
            case Joined(items, axis):
                return self._function("joined", axis, list(items))
            case OverRoot(of, by, eps, axis, is_inside):
                return self._function(f"root {is_inside}", axis, [of, by] if eps is None else [of, by, eps])
            case Mapped("square", Minus(left, right)):
                # A difference and its negative have one square.
                ends = sorted((left, right), key=lambda part: repr(self.of(part)))
                return self._function("square", "all", [Minus(*ends)])
            case Mapped(function, of):
                return self._function(function, "all", [of])
            case Mean(items):
                return self._function("mean", "all", list(items))
            case Constant(values):
                return Form(Quotient.of(1), ((str(values), False),))

    def _are_alike(self, left: Formula, right: Formula) -> bool:
        return shape_of(left, self.graph) == shape_of(right, self.graph)

    def _diagonal(self, left: Formula, right: Formula, axis: Axis) -> Form:
        """Return row sums of an entrywise product as the diagonal of ``L R^T``, or of its transpose."""
        pair = Times(left, Transposed(right)) if axis == "rows" else Times(Transposed(left), right)
        form = self.of(pair)
        atoms = min(form.atoms, form.transposed.atoms, key=repr)
        return Form(form.factor, (("diagonal", axis, atoms, False),))

    def _function(self, name: str, axis: Axis, arguments: list[Formula]) -> Form:
        forms = tuple(self.of(argument) for argument in arguments)
        return Form(Quotient.of(1), ((name, axis, *((str(form.factor), form.atoms) for form in forms), False),))

    def _as_softmax(self, above: Formula, below: Formula, axis: Axis) -> Form | None:
        """Return exponentials over their line sums as a softmax; a shift of the line does not change it."""
        top, bottom = _opened(above, self.graph), _opened(below, self.graph)
        if not isinstance(top, Exponential) or not isinstance(bottom, LineSum) or bottom.axis != axis:
            return None
        if self.of(bottom.of) != self.of(top):
            return None
        if bottom.extra:
            return self.of(Softmax(top.of, axis, extra=True))
        inner = _opened(top.of, self.graph)
        scores = inner.of if isinstance(inner, SubtractPerLine) and inner.axis == axis else top.of
        return self.of(Softmax(scores, axis))


def _opened(formula: Formula, graph: Graph) -> Formula:
    while isinstance(formula, Ref):
        inner = graph.nodes[formula.name].formula
        if inner is None:
            return formula
        formula = inner
    return formula


_MOST_WRITTEN = 20_000
"""Parts of a form that is written out."""
