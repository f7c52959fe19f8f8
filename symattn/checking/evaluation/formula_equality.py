"""Equality of formulas without numbers: for all matrices of these shapes, or refuted by a counterexample.

Products do not commute, transposes turn them round, and the softmax has an axis. Two formulas whose
names, written out down to what is given, come to the same product are equal for all inputs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from symattn import late
from symattn.checking.evaluation.normal_forms import Form, Forms
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import power_of_e
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.formulas import Axis, centred, scaled
from symattn.checking.graph.quantities import Graph, Node, Valuation, other_roots, shape_of
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.binding import Binder
from symattn.checking.names.blocks import ACTIVATIONS, FUNCTIONS, NETWORK, STANDARDISED
from symattn.checking.names.lexicon import SPELLINGS_OF_SOFTMAX
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import are_different
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t
from symattn.operations.formulas.formula import (
    Apply,
    Constant,
    Formula,
    Ref,
    Transposed,
    is_of,
    make,
    names_in,
    parts,
    scale,
    shape,
    softmax,
)

if TYPE_CHECKING:
    import random
else:
    random = late.module("random")

_MAX_DEGREE = 3

_MAX_FACTORS = 6
"""Factors of a product of matrices that is read as a formula."""

_MAX_JOINED = 128

_MOST_SHOWN = 400
"""Characters of two values that are shown beside each other."""

_MOST_TERMS = 100
"""Terms over one denominator up to which an example is worked out in closed form; longer sums are enclosed."""

_CONCAT = frozenset({"concat", "Concat", "hcat", "cat"})


class Formulas:
    """Reader and comparer of written formulas in names of a graph.

    Args:
        graph: the quantities.
        resolve: what names mean.
        axis: along which lines a softmax runs that does not say so.
    """

    def __init__(self, graph: Graph, resolve: Binder, axis: Axis) -> None:
        self.graph = graph
        self.resolve = resolve
        self.axis = axis
        self.valuation = Valuation(graph)
        self.written = Forms(graph, self.valuation)
        self._degrees: dict[str, int] = {}
        self._given: dict[str, frozenset[str]] = {}
        self.forms = {name: self.written.named(name) for name in graph.nodes}

    def subject(self, node: t.Node) -> Target | None:
        """Return the quantity that a written expression is by definition: ``QK^T`` for the scores."""
        formula = self.read(node)
        if isinstance(formula, Ref):
            # What a function makes is a quantity by definition: LayerNorm(R_2).
            return whole(self.graph, formula.name) if isinstance(bare(node), t.Call) else None
        if formula is None:
            return None
        form = self.written.of(formula)
        for name, own in self.forms.items():
            if own == form and len(own.atoms) > 0 and self.graph.nodes[name].formula is not None:
                return whole(self.graph, name)
            if own.transposed == form and self.graph.nodes[name].formula is not None:
                return whole(self.graph, name).transposed
        return self._with_another_scale(form)

    def _with_another_scale(self, form: Form) -> Target | None:
        """Return the scaled scores for scores divided by the root of another size, or by ``d_k`` itself."""
        for name, own in self.forms.items():
            found = scaled(self.graph.nodes[name].formula)
            if found is None or own.atoms != form.atoms:
                continue
            factor = self.valuation.get(found[0], 0, 0)
            if factor is None or factor.symbols or factor.is_zero:
                continue
            others = [factor * factor, *(root for _, root in other_roots(self.graph, factor))]
            if any(own.factor / factor * other == form.factor for other in others):
                return whole(self.graph, name)
        return None

    def read(self, node: t.Node) -> Formula | None:
        """Read a written formula, None where it is not a formula of matrices."""
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
            case t.Product((t.Name(name), t.Vector(items)), ("",)) if name in _CONCAT:
                return self._joined(items)
            case t.Product(factors):
                return self._capped(factors) or self._product(factors)
            case t.Division(numerator, denominator):
                return self._division(numerator, denominator)
            case t.Call(function, (argument, *said)) if function.text in SPELLINGS_OF_SOFTMAX:
                inner = self.read(argument)
                axis = None if inner is None else self._axis_said(said, inner)
                return None if inner is None or axis is None else softmax(inner, axis, more=self.graph.adds_one)
            case t.Call() | t.Power() if (exponent := power_of_e(node)) is not None:
                return self._made("exponential", exponent)
            case t.Sum(terms, operators):
                return self._sum(terms, operators)
            case t.Call(t.Name("rowsum" | "colsum" as name), (argument,)):
                return self._made("line-sum", argument, axis="rows" if name == "rowsum" else "columns")
            case t.Call(t.Name("odot"), (first, second)):
                return self._made("entrywise", first, second)
            case t.Power() | t.Call(t.Name("sum")) if (body := _squared(node)) is not None:
                squares = self._made("entrywise", body, body)
                return None if squares is None else make("loss", squares, loss="sum")
            case t.Call(t.Name(name), (argument,)) if name in FUNCTIONS:
                inner = self.read(argument)
                return None if inner is None else self._of_block(name, inner)
            case t.Call(t.Name(name), items) if name in _CONCAT:
                return self._joined(items)
            case t.Vector(items, "[") | t.Matrix((items,)):
                return self._joined(items)
        return None

    def _made(self, operation: str, *nodes: t.Node, **arguments: str) -> Formula | None:
        """Return an operation applied to written operands, None where one of them is not a formula."""
        read = [self.read(node) for node in nodes]
        operands = [formula for formula in read if formula is not None]
        return make(operation, *operands, **arguments) if len(operands) == len(read) else None

    def _of_block(self, function: str, of: Formula) -> Formula | None:
        """Read a function of a block; a norm and a network are recognised by their argument."""
        formulas = {name: node.formula for name, node in self.graph.nodes.items()}
        if function in ACTIVATIONS:
            made = formulas.get("F_act")
            is_so = isinstance(made, Apply) and made.operation == "activation"
            is_so = is_so and isinstance(made, Apply) and made.params.kind.startswith(function.lower())
            return Apply("activation", made.params, (of,)) if isinstance(made, Apply) and is_so else None
        if function == NETWORK:
            first = formulas.get("F_1")
            taken = first.operands[0] if isinstance(first, Apply) and first.operation == "sum" else first
            is_taken = is_of(taken, "product") and taken and any(self.same(part, of) for part in parts(taken))
            return Ref("F_2") if is_taken else None
        for number in "12":
            normed = formulas.get(f"N_{number}")
            if normed is not None and is_of(normed, "rms-norm") and self.same(centred(normed), of):
                is_affine = f"Y_{number}" in formulas and function != STANDARDISED
                return Ref(f"{'Y' if is_affine else 'N'}_{number}")
        return None

    def _axis_said(self, said: list[t.Node], of: Formula) -> Axis | None:
        """Return the axis that a second argument tells, ``softmax(S, dim=0)``; a vector has one only."""
        if not said:
            return self.axis
        number = figure(said[0])
        if len(said) > 1 or number is None or number.value not in {-2, -1, 0, 1}:
            return None
        return self.axis if 1 in shape_of(of, self.graph) else "columns" if number.value in {-2, 0} else "rows"

    def _sum(self, terms: tuple[t.Node, ...], operators: tuple[str, ...]) -> Formula | None:
        if len(terms) > _MAX_FACTORS:
            return None
        found = self.read(terms[0])
        for operator, term in zip(operators, terms[1:], strict=True):
            shifted = self._shifted(found, term) if operator == "-" and found is not None else None
            if shifted is not None:
                found = shifted
                continue
            inner = self.read(term)
            if found is None or inner is None or not self._may_be_added(found, inner):
                return None
            found = make("sum" if operator == "+" else "difference", found, inner)
        return found

    def _may_be_added(self, found: Formula, term: Formula) -> bool:
        """Return whether two formulas have one shape; a bias is added to every token."""
        shape, own = shape_of(found, self.graph), shape_of(term, self.graph)
        is_bias = (
            isinstance(term, Ref) and term.name.startswith(("b_", "beta_")) and own in {(1, shape[1]), (shape[0], 1)}
        )
        return shape == own or is_bias

    def _shifted(self, scores: Formula, term: t.Node) -> Formula | None:
        """Read ``S - m`` and ``S - max S``: scores less the maximum of each line, where the sheet subtracts it."""
        inner = bare(term)
        is_call = isinstance(inner, t.Call) and inner.function.text == "max"
        target = self.resolve(t.Name("max") if is_call else inner)
        shifts = [node.formula for node in self.graph.nodes.values()]
        # What the softmax makes of a gradient is the product of the weights and of a gradient less a number.
        shifts += [part for formula in shifts if formula and is_of(formula, "entrywise") for part in parts(formula)]
        shifts += [parts(formula)[0] for formula in shifts if formula and is_of(formula, "rms-norm")]
        for shift in shifts:
            match shift:
                case Apply("shift", _, (of, Ref(by))) if self._is_taken_off(by, inner, target) and self.same(
                    of, scores
                ):
                    return shift
        return None

    def _is_taken_off(self, by: str, node: t.Node, target: Target | None) -> bool:
        """Return whether a node is a quantity by its name, or the line sums of which the quantity is made."""
        if target is not None:
            return by == target.name
        written = self.read(node) if isinstance(node, t.Call) and node.function.text == "rowsum" else None
        return written is not None and self.same(Ref(by), written)

    def _joined(self, items: tuple[t.Node, ...]) -> Formula | None:
        """Read ``Concat(H_1, H_2)``: heads beside each other, as the sheet joins them."""
        formulas = (node.formula for node in self.graph.nodes.values())
        joined = [formula for formula in formulas if isinstance(formula, Apply) and formula.operation == "join"]
        found = [self.read(item) for item in items[:_MAX_JOINED]]
        kept = tuple(item for item in found if item is not None)
        if not joined or len(kept) != len(items) or len(kept) < 2:
            return None
        # Keys of a cache stand below each other, and heads beside each other.
        alike = [formula for formula in joined if set(formula.operands) == set(kept)]
        return Apply("join", (alike or joined)[0].params, kept)

    def of_target(self, target: Target) -> Formula | None:
        """Return a whole quantity, or its transpose, as a formula; None for a part of one."""
        full = whole(self.graph, target.name)
        if target.cells == full.cells:
            return Ref(target.name)
        return Transposed(Ref(target.name)) if target.cells == full.transposed.cells else None

    def _product(self, factors: tuple[t.Node, ...]) -> Formula | None:
        if len(factors) > _MAX_FACTORS:
            return None
        found: Formula | None = None
        name: str | None = None
        plain = Quotient.of(1)
        for factor in factors:
            number = self._factor(factor)
            if number is not None:
                name = number
                continue
            value = self._plain_number(factor)
            if value is not None:
                plain *= value
                continue
            inner = self.read(factor)
            if inner is None:
                return None
            found = inner if found is None else self._times(found, inner)
        if found is not None and plain != Quotient.of(1):
            found = scale(plain, found)
        return make("scale", Ref(name), found) if name is not None and found is not None else found

    def _capped(self, factors: tuple[t.Node, ...]) -> Formula | None:
        """Read ``c tanh(S/c)``, scores under a cap, as the sheet caps them."""
        formulas = (node.formula for name, node in self.graph.nodes.items() if base_of(name) == "S_capped")
        own = next((formula for formula in formulas if isinstance(formula, Apply)), None)
        for k, factor in enumerate(factors):
            match bare(factor):
                case t.Call(t.Name("tanh"), (argument,)) if len(factors) > 1:
                    others = t.multiplied([*factors[:k], *factors[k + 1 :]], "")
                    cap, inner = value_in(others, self.resolve, self.valuation), self.read(argument)
                    if own is None or cap is None or inner is None or cap.is_zero:
                        return None
                    return replace(own, operands=(Constant(Matrix([[cap]])), scale(cap, inner)))
        return None

    def _times(self, left: Formula, right: Formula) -> Formula:
        """Multiply two formulas; a vector may be written as a row or as a column: ``q K^T``."""
        first, second = shape_of(left, self.graph), shape_of(right, self.graph)
        if first[1] != second[0] and (1, 1) not in {first, second}:
            if 1 in second and first[1] == second[1]:
                right = Transposed(right)
            elif 1 in first and first[0] == second[0]:
                left = Transposed(left)
        return make("product", left, right)

    def _plain_number(self, node: t.Node) -> Quotient | None:
        """Return the value of a nonzero factor in numbers and dimensions alone, ``1/√d_k``; None for anything else."""
        if not isinstance(bare(node), t.Number | t.Division | t.Root | t.Power) or self._has_quantity(node):
            return None
        value = value_in(node, self.resolve, self.valuation)
        return None if value is None or value.is_zero or not value.is_finite else value

    def _has_quantity(self, node: t.Node) -> bool:
        """Return whether a name in it means a quantity; the k of ``d_k`` does not."""
        if isinstance(node, t.Name | t.Subscript):
            return self.resolve.constant(node) is None and self.resolve(node) is not None
        return any(map(self._has_quantity, t.children(node)))

    def _factor(self, node: t.Node) -> str | None:
        """Return a scale by its name."""
        target = self.resolve(bare(node))
        is_factor = target is not None and target.name in self.graph.factors
        return target.name if target is not None and is_factor and self.graph.shape(target.name) == (1, 1) else None

    def _division(self, numerator: t.Node, denominator: t.Node) -> Formula | None:
        inner = self.read(numerator)
        if inner is None:
            return None
        under = bare(denominator)
        if isinstance(under, t.Root) and under.degree is None and (normed := self._over_root(inner, under.body)):
            return normed
        below = self.read(denominator)
        if (
            below is not None
            and shape_of(inner, self.graph)[0] == shape_of(below, self.graph)[0]
            and (self._has_quantity(denominator) or not value_in(denominator, self.resolve, self.valuation))
        ):
            return make("quotient", inner, below, axis="rows" if self.axis == "all" else self.axis)
        root = value_in(denominator, self.resolve, self.valuation)
        return None if root is None or root.is_zero else scale(Quotient.of(1) / root, inner)

    def _over_root(self, above: Formula, body: t.Node) -> Formula | None:
        """Read a norm from its numerator and the radicand of its denominator: a variance, with or without eps."""
        inner = bare(body)
        terms = inner.terms if isinstance(inner, t.Sum) and inner.operators == ("+",) else (inner,)
        for node in self.graph.nodes.values():
            match node.formula:
                case Apply("rms-norm", params, (of, Ref(by), *eps)) if self._is_named(terms[0], by) and self.same(
                    of, above
                ):
                    if len(terms) > 1 and not self._is_eps(terms[1], eps[0] if eps else None):
                        return None
                    return Apply("rms-norm", params, (above, Ref(by), *(eps if len(terms) > 1 else ())))
        return None

    def _is_named(self, node: t.Node, name: str) -> bool:
        target = self.resolve(bare(node))
        return target is not None and target.name == name

    def _is_eps(self, node: t.Node, eps: Formula | None) -> bool:
        """Return whether a node is the eps of a norm, by its name or its value; a sheet may have none."""
        inner = bare(node)
        if eps is None:
            return isinstance(inner, t.Name) and inner.text in {"eps", "epsilon", "varepsilon"}
        if isinstance(eps, Ref) and self._is_named(inner, eps.name):
            return True
        value = value_in(node, self.resolve, self.valuation)
        return value is not None and isinstance(eps, Ref) and value == self.valuation.get(eps.name, 0, 0)

    # Equality --------------------------------------------------------------------------------------

    def same(self, first: Formula, second: Formula) -> bool:
        """Return whether two formulas are equal for all inputs of these shapes.

        A quantity too long to be written out is a name in both forms; its definition is compared in its place, too.
        """
        is_number = shape_of(first, self.graph) == shape_of(second, self.graph) == (1, 1)
        for pair in ((first, second), tuple(map(self._definition, (first, second)))):
            one, other = map(self.written.of, pair)
            if one == other or (is_number and one.transposed == other):
                return True
        return False

    def _definition(self, formula: Formula) -> Formula:
        own = self.graph.nodes[formula.name].formula if isinstance(formula, Ref) else None
        return formula if own is None else own

    def counterexample(self, first: Formula, second: Formula, seed: int = 1) -> str | None:
        """Return small whole inputs with different values, both values at one entry; None when none was found."""
        if not (self.is_within_reach(first) and self.is_within_reach(second)):
            return None
        numbers = random.Random(seed)
        used = sorted(self._inputs(first) | self._inputs(second))
        for _ in range(20):
            given = dict(self.graph.given)
            for name in used:
                rows, columns = self.graph.shape(name)
                given[name] = Matrix([[numbers.randint(-2, 3) for _ in range(columns)] for _ in range(rows)])
            try:
                valuation = Valuation(Graph(self.graph.nodes, given), most=_MOST_TERMS)
                found = self._difference(first, second, valuation)
            except InputError:
                return None  # sums of exponentials with too many terms, or matrices that do not fit
            if found is not None:
                return found
        return None

    def is_within_reach(self, formula: Formula) -> bool:
        """Return whether its entries can be worked out in a moment: products of sums of exponentials grow fast."""
        return self._degree(formula) <= _MAX_DEGREE

    def _degree(self, formula: Formula) -> int:
        """Return the number of exponential sums that are multiplied in a formula, its names written out."""
        match formula:
            case Ref(name):
                if name not in self._degrees:
                    inner = self.graph.nodes[name].formula
                    self._degrees[name] = 0 if inner is None else self._degree(inner)
                return self._degrees[name]
            case Apply("product" | "quotient" | "masked-quotient" | "entrywise-quotient", _, (left, right, *_)):
                return self._degree(left) + self._degree(right)
            case Apply("softmax" | "softmax-over" | "exponential", _, (of,)):
                return 1 + self._degree(of)
        return max(map(self._degree, parts(formula)), default=0)

    def _inputs(self, formula: Formula) -> set[str]:
        found: set[str] = set()
        for name in names_in(formula):
            if name not in self._given:
                node: Node = self.graph.nodes[name]
                self._given[name] = frozenset({name} if node.formula is None else self._inputs(node.formula))
            found |= self._given[name]
        return {name for name in found if self.graph.shape(name) != (1, 1)}

    def _difference(self, first: Formula, second: Formula, valuation: Valuation) -> str | None:
        rows, columns = shape(first, self.graph.shape)
        if (rows, columns) != shape(second, self.graph.shape):
            return None
        for i in range(rows):
            for j in range(columns):
                left, right = valuation.entry(first, i, j), valuation.entry(second, i, j)
                if left is not None and right is not None and are_different(left, right):
                    given = "; ".join(
                        f"{name} = {_plain(valuation.graph.given[name])}" for name in sorted(self._inputs(second))
                    )
                    place, values = f"their entries ({i + 1},{j + 1})", f"{left} and {right}"
                    # Sums over a row in the middle of others fill lines that nobody reads.
                    is_short = len(values) <= _MOST_SHOWN
                    return f"for {given} {place} are {values}" if is_short else f"for {given} {place} differ"
        return None


def _squared(node: t.Node) -> t.Node | None:
    """Return the matrix whose squares are summed: ``‖O - T‖^2``, ``‖O - T‖_F^2``, ``sum((O - T)^2)``; else None."""
    match node:
        case t.Call(t.Name("sum"), (t.Power(body, t.Number("2")),)):
            return body
        case t.Power(base, t.Number("2")):
            match bare(base):
                case t.Call(t.Name("norm"), (body,)) | t.Subscript(t.Call(t.Name("norm"), (body,)), (t.Name("F"),)):
                    return body
    return None


def _plain(matrix: Matrix) -> str:
    return "[" + "; ".join(" ".join(str(value) for value in row) for row in matrix.rows) + "]"
