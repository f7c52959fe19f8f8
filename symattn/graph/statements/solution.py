"""The statements of a worked solution: every product, exponential, sum, quotient and output written out.

Nothing here decides whether a statement is true; the judge does that of each one before it is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, round_value
from symattn.graph.forms.definitions import (
    added_entry,
    definitions,
    empty_share,
    entry_definitions,
    inner_dimension,
    operand_entry,
)
from symattn.graph.judge.judge import has_decimals, signed_terms, worked_term
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.closed_forms import exponential_sum_tree, slashed
from symattn.graph.quantities.scene import Entry, Line, Target, Valuation, Whole, sum_tree
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Chains, Shown, is_same, transposed
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base, factor, term
from symattn.notation.tree.traversal import walk

_LONG_DENOMINATOR = 10_000
_MAX_TERMS = 8
_HEAD_TERMS = 3

Put: TypeAlias = Callable[[t.Node, Valuation], t.Node]
"""What is put in the place of a name."""


class Statements(Chains):
    """Writes the statements of one layer.

    Args:
        layer: the worked layer.
        detail: how much of each product is written out.
    """

    # Whole matrices --------------------------------------------------------------------------------

    def whole(self, name: str, shown: Shown | None = None, *, operands: bool = True, values: bool = True) -> Statement:
        """Write a quantity, its definition, the substituted numbers, and its value: ``Q = X W_Q = [..][..] = [..]``."""
        quantity = self.scene.quantities[name]
        valuation, shown = self.valuation(name), shown or Shown()
        sides: list[t.Node] = [quantity.symbol, *definitions(self.scene, Whole(name))[:1]]
        if operands:
            sides.extend(self._operands(quantity.definition, valuation, shown))
        if values:
            sides.append(self.matrix(name, valuation, shown))
        return self.link(quantity.symbol, sides, valuation)

    def values(self, name: str, shown: Shown | None = None, valuation: Valuation | None = None) -> Statement:
        """Write a quantity and its value alone: ``A ≈ [..]``."""
        quantity = self.scene.quantities[name]
        valuation, shown = valuation or self.valuation(name), shown or Shown()
        return self.link(quantity.symbol, [quantity.symbol, self.matrix(name, valuation, shown)], valuation)

    def _operands(self, definition: q.Definition, valuation: Valuation, shown: Shown) -> list[t.Node]:
        match definition:
            case q.ProductOf(left, right, ""):
                factors = [self._operand_matrix(operand, valuation, shown) for operand in (left, right)]
                return [t.Product(tuple(factors), ("",))]
            case q.SumOf(left, right) | q.MaskedBy(left, right):
                return [self._two_matrices((left, right), valuation, shown)]
            case q.ProductsOf(((left, right),)) if self._may_be_put_in(definition, valuation):
                matrices = [self._operand_matrix(operand, valuation, shown) for operand in (left, right)]
                number = [self.literal(Whole(definition.factor), valuation)] if definition.factor else []
                put_in = (*map(factor, number), *matrices)
                return [t.Product(put_in, ("",) * (len(put_in) - 1))]
            case q.ScaledBy(number, of):
                literal = self.literal(Whole(number), valuation)
                if literal == t.Number("1"):
                    return []
                return [t.Product((factor(literal), self.matrix(of, valuation, shown)), ("",))]
        return []

    def _may_be_put_in(self, definition: q.ProductsOf, valuation: Valuation) -> bool:
        """Return True if the shown matrices of a product are its operands; False where their digits are only shown."""
        names = [operand.name for pair in definition.pairs for operand in pair]
        return all(
            quantity.style == "rational" or (valuation == "carried" and quantity.rounding is not None)
            for quantity in map(self.scene.quantities.__getitem__, names)
        )

    def _two_matrices(self, names: tuple[str, str], valuation: Valuation, shown: Shown) -> t.Node:
        return t.Sum(tuple(self.matrix(name, valuation, shown) for name in names), ("+",))

    def _operand_matrix(self, operand: q.Operand, valuation: Valuation, shown: Shown) -> t.Node:
        matrix = self.matrix(operand.name, valuation, shown)
        return transposed(matrix) if operand.transposed else matrix

    # Entries ---------------------------------------------------------------------------------------

    def entry(self, name: str, row: int, column: int = 1) -> Statement:
        """Return an entry worked out: ``Q_{31} = (-2)·0 + 2·1 + … = 5/2``."""
        target = Entry(name, row, column)
        valuation = self.valuation(name)
        reference = self.scene.reference(target)
        sides: list[t.Node] = [reference, *self._worked(target, valuation)]
        if self._ends_in_value(target, valuation, sides):
            sides.append(self.literal(target, valuation))
        return self.link(reference, _without_repeats(sides), valuation)

    def _ends_in_value(self, target: Entry, valuation: Valuation, sides: list[t.Node]) -> bool:
        """Return True if the value itself follows; not over a named denominator, nor in a hundred digits."""
        if len(sides) == 1:
            return True
        if valuation == "exact":
            return not isinstance(self.scene.quantity(target).definition, q.RatioOf)
        return valuation != "end" or self.is_short(target, valuation)

    def _worked(self, target: Entry, valuation: Valuation) -> list[t.Node]:
        definition = self.scene.quantity(target).definition
        match definition:
            case q.ProductOf():
                return self._sum_of_products(definition, target, valuation)
            case q.ExponentialOf(of):
                return [self._power(of, target, valuation)]
            case q.LineSum(of, axis) | q.PlusOneSum(of, axis):
                return self._line_sum(of, axis, target, valuation)
            case q.SumOf() | q.MaskedBy() | q.PartOf() | q.JoinedOf() | q.MeanOf():
                return list(entry_definitions(self.scene, definition, target.row, target.column)[:1])
            case q.RatioOf():
                return self._ratio(definition, target, valuation)
            case q.ScaledBy(number, of):
                literals = (Whole(number), Entry(of, target.row, target.column))
                return [t.Product(tuple(factor(self.literal(item, valuation)) for item in literals), ("cdot",))]
            case q.ShiftedBy(of, by, axis):
                index = target.row if axis == "rows" else target.column
                first = self.literal(Entry(of, target.row, target.column), valuation)
                return [t.Sum((first, term(self.literal(Entry(by, index, 1), valuation))), ("-",))]
            case q.CappedBy() | q.NormOf() | q.CosineOf() | q.AdditiveOf() | q.SinusoidOf() | q.RotatedBy():
                form = entry_definitions(self.scene, definition, target.row, target.column)[0]
                return [self._with_values(form, valuation)]
            case q.SoftmaxOf():
                form = entry_definitions(self.scene, definition, target.row, target.column)[0]
                return [form if valuation == "exact" else self._with_exponents(form, valuation)]
            case q.CapGradientOf():
                form = entry_definitions(self.scene, definition, target.row, target.column)[0]
                return [form if valuation == "exact" else self._with_values(form, valuation, self._operand_or_function)]
            case (
                q.WrittenOut()
                | q.DifferenceOf()
                | q.ShareOf()
                | q.ProductsOf()
                | q.LineDot()
                | q.TotalLine()
                | q.SoftmaxGradientOf()
            ):
                form = entry_definitions(self.scene, definition, target.row, target.column)[0]
                return [form if valuation == "exact" else self._with_values(form, valuation, self._operand)]
            case _ if isinstance(definition, q.BlockDefinition):
                form = entry_definitions(self.scene, definition, target.row, target.column)[0]
                return [self._with_values(form, valuation, self._operand_or_scalar)]
            case q.LineMaximum(of, axis):
                places = self._line(of, axis, target.row)
                return [t.Call(t.Name("max"), tuple(self.literal(place, valuation) for place in places))]
        return []

    def _with_values(self, node: t.Node, valuation: Valuation, put: Put | None = None) -> t.Node:
        """Return a form in names with the values of the names in their places, or with what `put` puts there."""
        if self.scene.resolve(node) is not None:
            return (put or self._named_literal)(node, valuation)

        def inside(item: t.Node) -> t.Node:
            return self._with_values(item, valuation, put)

        match node:
            case t.Group(body):
                return inside(body)
            case t.Negative(body):
                return t.Negative(factor(inside(body)))
            case t.Sum(terms, operators):
                first, *rest = map(inside, terms)
                first = t.Group(first) if isinstance(first, t.Sum) else first
                return t.Sum((first, *map(term, rest)), operators)
            case t.Product(factors, operators):
                return t.Product(tuple(factor(inside(item)) for item in factors), operators)
            case t.Division(above, below):
                return t.Division(inside(above), inside(below))
            case t.Power(body, exponent):
                return t.Power(base(inside(body)), exponent)
            case t.Root(body):
                return t.Root(inside(body))
            case t.Call(function, arguments):
                return t.Call(function, tuple(map(inside, arguments)))
        return node

    def _operand_or_function(self, name: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of an operand as `_operand` has it; one that is a function of a number stays a name."""
        target = self.scene.resolve(name)
        value = None if target is None else self.scene.exact(target)
        is_function = isinstance(value, Quotient) and value.has_constants
        if is_function and (valuation != "carried" or target is None or self.scene.quantity(target).rounding is None):
            return name
        return self._operand(name, valuation)

    def loss(self) -> Statement:
        """Write the loss, with its terms while they are few: ``L = -ln P_{11} - ln P_{22} = 1.178``."""
        target = Whole("L")
        valuation, symbol = self.valuation("L"), self.scene.quantities["L"].symbol
        sides: list[t.Node] = [symbol]
        form = definitions(self.scene, target)[0]
        if sum(isinstance(node, t.Subscript) for node in walk(form)) <= 2 * _MAX_TERMS:
            sides.append(form)
            if valuation == "carried":
                sides.append(self._with_values(form, valuation, self._operand))
        sides.append(self.literal(target, valuation))
        return self.link(symbol, _without_repeats(sides), valuation)

    def _with_exponents(self, node: t.Node, valuation: Valuation) -> t.Node:
        """Return a quotient of sums of powers of e with the values of the names in its exponents."""
        match node:
            case t.Division(above, below):
                return t.Division(self._with_exponents(above, valuation), self._with_exponents(below, valuation))
            case t.Sum(terms, operators):
                return t.Sum(tuple(self._with_exponents(item, valuation) for item in terms), operators)
            case t.Power(body, exponent):
                return t.Power(body, slashed(self._operand(exponent, valuation)))
        return node

    def _operand_or_scalar(self, name: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of an operand as `_operand` has it; a single number such as eps stays a name."""
        target = self.scene.resolve(name)
        is_scalar = target is not None and self.scene.quantity(target).scalar
        return name if is_scalar else self._operand(name, valuation)

    def _sum_of_products(self, definition: q.ProductOf, target: Entry, valuation: Valuation) -> list[t.Node]:
        inner = inner_dimension(self.scene, definition)
        shown = Shown(_MAX_TERMS if inner <= _MAX_TERMS else _HEAD_TERMS + 2).numbers(inner)
        products = [self._product(definition, target, k, valuation) for k in shown]
        if definition.plus:
            added = added_entry(self.scene, definition.plus, target.row, target.column)
            products.append(term(self._operand(added, valuation)))
        if len(products) == 1:
            return self._single_product(products[0], target, valuation)
        written = sum_tree(products)
        sides = [written]
        if not any(isinstance(node, t.Dots) for node in products):
            worked = self._worked_terms(written, target, valuation)
            sides.extend([] if worked is None else [worked])
            sides.extend(self._value_before_rounding(sides[-1], target, valuation))
        return sides

    def _single_product(self, written: t.Node, target: Entry, valuation: Valuation) -> list[t.Node]:
        """Return a sum of one product: rounded as a product first, where the policy rounds those."""
        sides = [written]
        quantity, value = self.scene.quantity(target), self._rational(written, valuation)
        if valuation == "carried" and quantity.products is not None and value is not None:
            rounded = worked_term(value, quantity.products, quantity, decimals=has_decimals(written))
            if not is_same(self.scene.value(rounded), value):
                sides.append(rounded)
        sides.extend(self._value_before_rounding(sides[-1], target, valuation))
        return sides

    def _product(self, definition: q.ProductOf, target: Entry, k: int | None, valuation: Valuation) -> t.Node:
        if k is None:
            return t.Dots("cdots")
        left = operand_entry(self.scene, definition.left, target.row, k)
        right = operand_entry(self.scene, definition.right, k, target.column)
        return t.Product((factor(self._operand(left, valuation)), factor(self._operand(right, valuation))), ("cdot",))

    def _operand(self, name: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of an operand; where it is a closed form, or is not carried, its name."""
        target = self.scene.resolve(name)
        if target is None:
            raise ValueError("an operand is an entry of a quantity")
        quantity = self.scene.quantity(target)
        if quantity.style == "decimal" and (valuation != "carried" or quantity.rounding is None):
            return name
        return self.literal(target, valuation)

    def _worked_terms(self, written: t.Node, target: Entry, valuation: Valuation) -> t.Node | None:
        """Return the products worked out: always under product rounding that changes one, and in the last detail."""
        if not isinstance(written, t.Sum) or valuation == "exact":
            return None
        rounding = self.scene.quantity(target).products if valuation == "carried" else None
        quantity = self.scene.quantity(target)
        is_wanted = self.detail == "every-product" or (quantity.style == "decimal" and valuation == "carried")
        if not is_wanted and rounding is None:
            return None
        values = [self._rational(product, valuation) for product in signed_terms(written)]
        known = [value for value in values if value is not None and (rounding is not None or _is_brief(value))]
        if len(known) < len(values):
            return None
        is_added = isinstance(quantity.definition, q.ProductOf) and bool(quantity.definition.plus)
        roundings = [rounding] * (len(known) - is_added) + [None] * is_added
        pairs = list(zip(known, roundings, strict=True))
        if not is_wanted and all(own is None or round_value(value, own) == value for value, own in pairs):
            return None
        decimals = has_decimals(written)
        return _sum_with_signs([worked_term(value, own, quantity, decimals=decimals) for value, own in pairs])

    def _rational(self, node: t.Node, valuation: Valuation) -> Quotient | None:
        """Return the value of what is written, where it is rational and the names in it stand for that value here."""
        value = self.scene.value(node)
        if not isinstance(value, Quotient) or value.rational() is None:
            return None
        if valuation == "carried" and any(isinstance(part, t.Name) for part in walk(node)):
            carried = self.scene.carried_value(node)
            return value if isinstance(carried, Quotient) and is_same(carried, value) else None
        return value

    def _value_before_rounding(self, side: t.Node, target: Entry, valuation: Valuation) -> list[t.Node]:
        """Return the exact value of a side, where rounding then changes it and it is short."""
        value = self._rational(side, valuation)
        if valuation != "carried" or value is None or self.scene.quantity(target).rounding is None:
            return []
        rational = value.rational()
        carried = self.scene.quantity(target).carried[target.row - 1][target.column - 1]
        if rational is None or carried == value or rational.denominator > _LONG_DENOMINATOR:
            return []
        return [self.scene.written(value, decimals=has_decimals(side))]

    def _power(self, of: str, target: Entry, valuation: Valuation) -> t.Node:
        score = Entry(of, target.row, target.column)
        if valuation == "end" and self.scene.quantities[of].style == "decimal":
            return t.Power(t.Name("e"), self.scene.reference(score))
        return t.Power(t.Name("e"), slashed(self.literal(score, valuation)))

    def _line(self, name: str, axis: q.Axis, index: int) -> list[Entry]:
        rows, columns = self.scene.quantities[name].shape
        if axis == "rows":
            return [Entry(name, index, column) for column in range(1, columns + 1)]
        return [Entry(name, row, index) for row in range(1, rows + 1)]

    def _line_sum(self, of: str, axis: q.Axis, target: Entry, valuation: Valuation) -> list[t.Node]:
        """Return a row sum as exponentials, and under step rounding as the rounded exponentials."""
        exponential = self.scene.quantities[of].definition
        line = self._line(of, axis, target.row)
        shown = Shown(_MAX_TERMS if len(line) <= _MAX_TERMS else _HEAD_TERMS + 2).numbers(len(line))
        sides: list[t.Node] = []
        one = [t.Number("1")] if isinstance(self.scene.quantity(target).definition, q.PlusOneSum) else []
        if isinstance(exponential, q.ExponentialOf):
            powers = [t.Dots() if k is None else self._power(exponential.of, line[k - 1], valuation) for k in shown]
            sides.append(sum_tree([*one, *powers]))
        if valuation == "carried" and self.scene.quantities[of].rounding is not None:
            numbers = [t.Dots() if k is None else self.literal(line[k - 1], valuation) for k in shown]
            sides.append(sum_tree([*one, *numbers]))
        return sides or [sum_tree([*one, *self._summands(line, shown, valuation)])]

    def _summands(self, line: list[Entry], shown: list[int | None], valuation: Valuation) -> list[t.Node]:
        """Return the summands of a line without exponentials."""
        names = [None if k is None else self.scene.reference(line[k - 1]) for k in shown]
        if valuation == "exact":
            return [t.Dots() if name is None else name for name in names]
        first, *rest = [t.Dots() if name is None else self._operand(name, valuation) for name in names]
        return [first, *(node if isinstance(node, t.Dots) else term(node) for node in rest)]

    def _ratio(self, definition: q.RatioOf, target: Entry, valuation: Valuation) -> list[t.Node]:
        share = empty_share(self.scene, definition, target.row, target.column)
        if share is not None:
            return [share]
        exponential = self.scene.quantities[definition.numerator].definition
        index = target.row if definition.axis == "rows" else target.column
        below = self.scene.reference(Entry(definition.denominator, index, 1))
        sides: list[t.Node] = []
        if isinstance(exponential, q.ExponentialOf):
            sides.append(t.Division(self._power(exponential.of, target, valuation), below))
        names = (definition.numerator, definition.denominator)
        if valuation == "carried" and all(self.scene.quantities[name].rounding is not None for name in names):
            above = self.literal(Entry(definition.numerator, target.row, target.column), valuation)
            sides.append(t.Division(above, self.literal(Entry(definition.denominator, index, 1), valuation)))
        if sides:
            return sides
        above = self.scene.reference(Entry(definition.numerator, target.row, target.column))
        form = t.Division(above, below)
        return [form if valuation == "exact" else self._with_values(form, valuation, self._operand)]

    def closed_output(self, row: int, column: int) -> Statement:
        """Write an output over the named denominator of its row: ``O_{31} = (5/2 e^{17/2} - …)/Z_3 ≈ 1.1786``."""
        target = Entry("O", row, column)
        reference, valuation = self.scene.reference(target), self.valuation("O")
        exact = self.layer.exact("O")[row - 1, column - 1]
        line = row if self.layer.problem.tokens == "rows" else column
        sides: list[t.Node] = [reference]
        total = self.layer.exact("Z")[line - 1, 0]
        is_over = exact.is_closed and total.is_closed and exact.polynomial() is None
        if is_over and exact.denominator == total.numerator:
            below = self.scene.reference(Entry("Z", line, 1))
            sides.append(t.Division(exponential_sum_tree(exact.numerator, decimals=self.scene.decimals), below))
        if valuation != "exact" or len(sides) == 1:
            sides.append(self.literal(target, valuation))
        return self.link(reference, sides, valuation)

    # Cells of tables -------------------------------------------------------------------------------

    def exponential_cell(self, row: int, column: int) -> Statement:
        """Write an exponential without the name that heads the column of the table: ``e^{3/2} ≈ 4.48``."""
        target, valuation = Entry("E", row, column), self.valuation("E")
        definition = self.scene.quantities["E"].definition
        of = definition.of if isinstance(definition, q.ExponentialOf) else ""
        sides: list[t.Node] = [self._power(of, target, valuation)]
        is_rounded = self.scene.quantities["E"].rounding is not None
        if (valuation == "end" and self.is_short(target, valuation)) or (valuation == "carried" and is_rounded):
            sides.append(self.literal(target, valuation))
        return self.link(self.scene.reference(target), sides, valuation)

    def value_cell(self, target: Target, valuation: Valuation | None = None) -> Statement:
        """Return the value of an entry or of a line alone."""
        valuation = valuation or self.valuation(target.name)
        literal = self.literal(target, valuation)
        if isinstance(target, Line) and isinstance(literal, t.Matrix):
            literal = t.Vector(tuple(row[0] for row in literal.rows))
        return Statement(self.scene.reference(target), literal, valuation)

    def rounded_once(self, target: Target, rounding: Rounding | None = None) -> Statement:
        """Write a name and its exact value rounded once, as shown or as told: ``A_{13} ≈ 0.9985``."""
        reference = self.scene.reference(target)
        literal = self.scene.literal(target, "end", rounding)
        if literal is None:
            raise ValueError("a value rounded once is always defined")
        statement = self.link(reference, [reference, literal], "end", rounding)
        return Statement(reference, statement.written, "end", rounding)

    # One token at a time ---------------------------------------------------------------------------

    def line(self, name: str, index: int) -> Statement:
        """Write a query, key or value as a vector: ``q_1 = W_Q^T x_1 = [..][..] = [..]``."""
        target, valuation = Line(name, index), self.valuation(name)
        reference = self.scene.reference(target)
        definition = definitions(self.scene, target)[0]
        sides: list[t.Node] = [reference, definition]
        if isinstance(definition, t.Product):
            sides.append(self._product_put_in(definition, valuation))
        elif isinstance(definition, t.Sum) and isinstance(product := definition.terms[0], t.Product):
            added = self._put_in(definition.terms[1], valuation)
            sides.append(sum_tree([self._product_put_in(product, valuation), added]))
        sides.append(self.literal(target, valuation))
        return self.link(reference, sides, valuation)

    def _product_put_in(self, product: t.Product, valuation: Valuation) -> t.Node:
        return t.Product(tuple(self._put_in(node, valuation) for node in product.factors), ("",))

    def dot_product(self, row: int, column: int) -> Statement:
        """Write a score as a product of two vectors: ``z_{31} = q_3^T k_1 = [..][..] = 2``."""
        target, valuation = Entry("S", row, column), self.valuation("S")
        reference = self.scene.reference(target)
        forms = [form for form in definitions(self.scene, target) if isinstance(form, t.Product)]
        vectors = next(form for form in forms if isinstance(form.factors[0], t.Transpose))
        put_in = t.Product(tuple(self._put_in(node, valuation) for node in vectors.factors), ("",))
        return self.link(reference, [reference, vectors, put_in, self.literal(target, valuation)], valuation)

    def weighted_sum(self, index: int) -> Statement:
        """Write an output as the weighted sum of the values: ``o_3 = Σ_j a_{3j} v_j = a_{31} [..] + … ≈ [..]``."""
        target, valuation = Line("O", index), self.valuation("O")
        reference = self.scene.reference(target)
        forms = definitions(self.scene, target)
        total = next(form for form in forms if isinstance(form, t.SumOver))
        if valuation == "carried":
            # The products are rounded one by one; the entries of the output show them.
            return self.link(reference, [reference, total], "exact")
        written_out = forms[-1]
        terms = signed_terms(written_out) if isinstance(written_out, t.Sum) else [written_out]
        sides = [reference, total, sum_tree([self._weighted_term(item, valuation) for item in terms])]
        if valuation == "end":
            sides.append(self.literal(target, valuation))
        return self.link(reference, sides, valuation)

    def _weighted_term(self, node: t.Node, valuation: Valuation) -> t.Node:
        """Return a weight by its name, since it is exact and its digits are not, times a value as a vector."""
        if not isinstance(node, t.Product):
            return node
        weight, vector = node.factors
        return t.Product((weight, self._put_in(vector, valuation)), ("",))

    def _put_in(self, node: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of a named matrix or vector, transposed where the name is."""
        if isinstance(node, t.Transpose):
            matrix = self._put_in(node.base, valuation)
            return transposed(matrix) if isinstance(matrix, t.Matrix) else matrix
        return self._named_literal(node, valuation)

    def _named_literal(self, node: t.Node, valuation: Valuation) -> t.Node:
        target = self.scene.resolve(node)
        if target is None:
            raise ValueError("only a name has a value to put in")
        return self.literal(target, valuation)

    # Putting a chain together ----------------------------------------------------------------------


def _is_brief(value: Quotient) -> bool:
    """Return True if a rational is short enough to be written in full."""
    rational = value.rational()
    return rational is not None and max(abs(rational.numerator), rational.denominator) < 10**12


def _sum_with_signs(terms: list[t.Node]) -> t.Node:
    """Return a sum in which a negative term after the first is subtracted."""
    head, *rest = terms
    operators = tuple("-" if isinstance(node, t.Negative) else "+" for node in rest)
    bodies = [node.body if isinstance(node, t.Negative) else node for node in rest]
    return t.Sum((head, *bodies), operators)


def _without_repeats(sides: list[t.Node]) -> list[t.Node]:
    """Return the sides without one that is written just as the one before it."""
    kept = sides[:1]
    kept.extend(side for before, side in pairwise(sides) if side != before)
    return kept
