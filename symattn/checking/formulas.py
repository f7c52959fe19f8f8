"""Formulas without numbers: equal for all matrices of these shapes, or different with a counter-example.

Products do not commute, transposes turn them round, and the softmax has an axis. Two formulas whose
names, written out down to what is given, come to the same product are equal for all inputs.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias

from symattn.checking.figures import bare
from symattn.checking.graph import (
    Axis,
    Exponential,
    Formula,
    Graph,
    Less,
    LineMaximum,
    LineSum,
    Multiple,
    Node,
    Ratio,
    Ref,
    Scaled,
    Softmax,
    Times,
    Transposed,
    Valuation,
    names_in,
    parts,
    shape_of,
)
from symattn.checking.layout import Names
from symattn.checking.targets import Target, whole
from symattn.checking.values import value_in
from symattn.errors import InputError
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t
from symattn.records import dataclass

_MAX_DEGREE = 3
_MAX_FACTORS = 6
"""Factors of a product of matrices that is read as a formula."""

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


def form_of(formula: Formula, graph: Graph, valuation: Valuation) -> Form:
    """The form of a formula, its names written out down to what is given."""
    match formula:
        case Ref(name):
            inner = graph.nodes[name].formula
            return Form(Quotient.of(1), ((name, False),)) if inner is None else form_of(inner, graph, valuation)
        case Transposed(of):
            inner_form = form_of(of, graph, valuation)
            # A single number is its own transpose.
            return inner_form if shape_of(of, graph) == (1, 1) else inner_form.transposed
        case Times(left, right):
            first, second = form_of(left, graph, valuation), form_of(right, graph, valuation)
            return Form(first.factor * second.factor, first.atoms + second.atoms)
        case Scaled(factor, of):
            inner_form = form_of(of, graph, valuation)
            number = valuation.get(factor, 0, 0)
            return Form(inner_form.factor * (number or Quotient.of(1)), inner_form.atoms)
        case Multiple(factor_value, of):
            inner_form = form_of(of, graph, valuation)
            return Form(inner_form.factor * factor_value, inner_form.atoms)
        case Ratio(numerator, denominator, axis):
            softmax = _as_softmax(numerator, denominator, axis, graph, valuation)
            return softmax or _function("ratio", axis, [numerator, denominator], graph, valuation)
        case Softmax(of, axis):
            return _function("softmax", axis, [of], graph, valuation)
        case Exponential(of):
            return _function("exp", "all", [of], graph, valuation)
        case LineSum(of, axis):
            return _function("sum", axis, [of], graph, valuation)
        case LineMaximum(of, axis):
            return _function("max", axis, [of], graph, valuation)
        case Less(of, by, axis):
            return _function("less", axis, [of, by], graph, valuation)


def _function(name: str, axis: Axis, arguments: list[Formula], graph: Graph, valuation: Valuation) -> Form:
    forms = tuple(form_of(argument, graph, valuation) for argument in arguments)
    return Form(Quotient.of(1), ((name, axis, *((str(form.factor), form.atoms) for form in forms), False),))


def _as_softmax(above: Formula, below: Formula, axis: Axis, graph: Graph, valuation: Valuation) -> Form | None:
    """Exponentials over their line sums are a softmax; a shift of the line does not change it."""
    top, bottom = _opened(above, graph), _opened(below, graph)
    if not isinstance(top, Exponential) or not isinstance(bottom, LineSum) or bottom.axis != axis:
        return None
    if form_of(bottom.of, graph, valuation) != form_of(top, graph, valuation):
        return None
    inner = _opened(top.of, graph)
    scores = inner.of if isinstance(inner, Less) and inner.axis == axis else top.of
    return form_of(Softmax(scores, axis), graph, valuation)


def _opened(formula: Formula, graph: Graph) -> Formula:
    while isinstance(formula, Ref):
        inner = graph.nodes[formula.name].formula
        if inner is None:
            return formula
        formula = inner
    return formula


class Formulas:
    """Reads written formulas in names of a graph, and compares them.

    Args:
        graph: the quantities.
        resolve: what names mean.
        axis: along which lines a softmax runs that does not say so.
    """

    def __init__(self, graph: Graph, resolve: Names, axis: Axis) -> None:
        self.graph = graph
        self.resolve = resolve
        self.axis = axis
        self.valuation = Valuation(graph)
        self.forms = {name: form_of(Ref(name), graph, self.valuation) for name in graph.nodes}

    def subject(self, node: t.Node) -> Target | None:
        """The quantity that a written expression is by definition: ``QK^T`` for the scores."""
        formula = self.read(node)
        if formula is None or isinstance(formula, Ref):
            return None
        form = form_of(formula, self.graph, self.valuation)
        for name, own in self.forms.items():
            if own == form and len(own.atoms) > 0 and self.graph.nodes[name].formula is not None:
                return whole(self.graph, name)
            if own.transposed == form and self.graph.nodes[name].formula is not None:
                return whole(self.graph, name).transposed
        return None

    def read(self, node: t.Node) -> Formula | None:
        """A written formula, None where it is outside what formulas of matrices are made of."""
        node = bare(node)
        target = self.resolve(node)
        if target is not None:
            return self.of_target(target)
        given = self.resolve.formula(node, {})
        if given is not None and given[1] == {}:
            return self.read(given[0]) if given[0] != node else None
        match node:
            case t.Transpose(base):
                inner = self.read(base)
                return None if inner is None else Transposed(inner)
            case t.Product(factors):
                return self._product(factors)
            case t.Division(numerator, denominator):
                return self._division(numerator, denominator)
            case t.Call(function, (argument, *_)) if function.text in {"softmax", "softargmax", "Softmax", "sigma"}:
                inner = self.read(argument)
                return None if inner is None else Softmax(inner, self.axis)
            case t.Call(function, (argument,)) if function.text == "exp":
                inner = self.read(argument)
                return None if inner is None else Exponential(inner)
            case t.Power(base, exponent) if bare(base) == t.Name("e"):
                inner = self.read(exponent)
                return None if inner is None else Exponential(inner)
        return None

    def of_target(self, target: Target) -> Formula | None:
        """A whole quantity, or its transpose, as a formula; None for a part of one."""
        full = whole(self.graph, target.name)
        if target.cells == full.cells:
            return Ref(target.name)
        return Transposed(Ref(target.name)) if target.cells == full.transposed.cells else None

    def _product(self, factors: tuple[t.Node, ...]) -> Formula | None:
        if len(factors) > _MAX_FACTORS:
            return None
        found: Formula | None = None
        scale: str | None = None
        for factor in factors:
            number = self._factor(factor)
            if number is not None:
                scale = number
                continue
            inner = self.read(factor)
            if inner is None:
                return None
            found = inner if found is None else Times(found, inner)
        return Scaled(scale, found) if scale is not None and found is not None else found

    def _factor(self, node: t.Node) -> str | None:
        """A scale by its name."""
        target = self.resolve(bare(node))
        is_scalar = target is not None and self.graph.shape(target.name) == (1, 1)
        is_scale = (
            is_scalar
            and target is not None
            and any(
                isinstance(other.formula, Scaled) and other.formula.factor == target.name
                for other in self.graph.nodes.values()
            )
        )
        return target.name if is_scale and target is not None else None

    def _division(self, numerator: t.Node, denominator: t.Node) -> Formula | None:
        inner = self.read(numerator)
        if inner is None:
            return None
        below = self.read(denominator)
        if (
            below is not None
            and shape_of(inner, self.graph)[0] == shape_of(below, self.graph)[0]
            and not self._root(denominator)
        ):
            return Ratio(inner, below, "rows" if self.axis == "all" else self.axis)
        root = self._root(denominator)
        return None if root is None or root.is_zero else Multiple(Quotient.of(1) / root, inner)

    def _root(self, node: t.Node) -> Quotient | None:
        """The value of ``√d_k`` or of a number below a fraction bar."""
        return value_in(node, self.resolve, self.valuation)

    # Equality --------------------------------------------------------------------------------------

    def same(self, first: Formula, second: Formula) -> bool:
        """Whether two formulas are equal for all inputs of these shapes."""
        one, other = (form_of(formula, self.graph, self.valuation) for formula in (first, second))
        is_number = shape_of(first, self.graph) == shape_of(second, self.graph) == (1, 1)
        return one == other or (is_number and one.transposed == other) or self._commutes(one, other)

    def _commutes(self, one: Form, other: Form) -> bool:
        """Products of single numbers stand in any order, and may be written transposed."""
        if one.factor != other.factor or any(self._size(atom) != (1, 1) for atom in (*one.atoms, *other.atoms)):
            return False
        return sorted(map(repr, (atom[:-1] for atom in one.atoms))) == sorted(
            map(repr, (atom[:-1] for atom in other.atoms))
        )

    def _size(self, atom: Atom) -> tuple[int, int] | None:
        name = atom[0]
        return self.graph.shape(name) if isinstance(name, str) and name in self.graph else None

    def counterexample(self, first: Formula, second: Formula, seed: int = 1) -> str | None:
        """Small whole inputs for which they differ, with both values at one entry; None when none was found."""
        if not (self.is_within_reach(first) and self.is_within_reach(second)):
            return None
        random = Random(seed)  # noqa: S311 - examples, not secrets
        used = sorted(self._inputs(first) | self._inputs(second))
        for _ in range(20):
            given = dict(self.graph.given)
            for name in used:
                rows, columns = self.graph.shape(name)
                given[name] = Matrix([[random.randint(-2, 3) for _ in range(columns)] for _ in range(rows)])
            try:
                found = self._difference(first, second, Valuation(Graph(self.graph.nodes, given)))
            except InputError:
                return None  # sums of exponentials with too many terms
            if found is not None:
                return found
        return None

    def is_within_reach(self, formula: Formula) -> bool:
        """Whether its entries can be worked out in a moment: products of sums of exponentials grow fast."""
        return self._degree(formula) <= _MAX_DEGREE

    def _degree(self, formula: Formula) -> int:
        """How many sums of exponentials are multiplied in a formula, its names written out."""
        match formula:
            case Ref(name):
                inner = self.graph.nodes[name].formula
                return 0 if inner is None else self._degree(inner)
            case Times(left, right) | Ratio(left, right):
                return self._degree(left) + self._degree(right)
            case Softmax(of) | Exponential(of):
                return 1 + self._degree(of)
        return max(map(self._degree, parts(formula)), default=0)

    def _inputs(self, formula: Formula) -> set[str]:
        found: set[str] = set()
        for name in names_in(formula):
            node: Node = self.graph.nodes[name]
            found |= {name} if node.formula is None else self._inputs(node.formula)
        return {name for name in found if self.graph.shape(name) != (1, 1)}

    def _difference(self, first: Formula, second: Formula, valuation: Valuation) -> str | None:
        rows, columns = shape_of(first, self.graph)
        if (rows, columns) != shape_of(second, self.graph):
            return None
        for i in range(rows):
            for j in range(columns):
                left, right = valuation.entry(first, i, j), valuation.entry(second, i, j)
                if left is not None and right is not None and left != right:
                    given = "; ".join(
                        f"{name} = {_plain(valuation.graph.given[name])}" for name in sorted(self._inputs(second))
                    )
                    return f"for {given} their entries ({i + 1},{j + 1}) are {left} and {right}"
        return None


def _plain(matrix: Matrix) -> str:
    return "[" + "; ".join(" ".join(str(value) for value in row) for row in matrix.rows) + "]"
