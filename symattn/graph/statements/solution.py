"""The statements of a worked solution: every product, exponential, sum, quotient and output written out.

Nothing here decides whether a statement is true; the judge does that of each one before it is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from symattn.exact.evaluation import is_same
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, round_value
from symattn.graph.forms.definitions import definitions, entry_forms, parts_of_sum
from symattn.graph.forms.names import OperandNames
from symattn.graph.key_judge.judge import has_decimals, signed_terms, worked_term
from symattn.graph.key_judge.matching import Matcher
from symattn.graph.quantities.closed_forms import exponential_sum_tree, slashed
from symattn.graph.quantities.scene import SOFTMAX, Entry, Line, Target, Valuation, Whole
from symattn.graph.quantities.statement import Statement
from symattn.graph.quantities.trees import Trees
from symattn.graph.statements.chains import Chains, Shown, transposed
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base, factor, term
from symattn.notation.tree.traversal import walk
from symattn.operations import scalar as s
from symattn.operations.operation import Numerals

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
            sides.extend(self._matrices(name, valuation, shown))
        if values:
            sides.append(self.matrix(name, valuation, shown))
        return self.link(quantity.symbol, sides, valuation)

    def values(self, name: str, shown: Shown | None = None, valuation: Valuation | None = None) -> Statement:
        """Write a quantity and its value alone: ``A ≈ [..]``."""
        quantity = self.scene.quantities[name]
        valuation, shown = valuation or self.valuation(name), shown or Shown()
        return self.link(quantity.symbol, [quantity.symbol, self.matrix(name, valuation, shown)], valuation)

    def _matrices(self, name: str, valuation: Valuation, shown: Shown) -> list[t.Node]:
        """Return the form of a whole with the values of its operands; nothing for a product with 1."""
        made = self.scene.made(name)
        if made is None or made.operation.matrices == "none":
            return []
        form = definitions(self.scene, Whole(name))[0]
        put_in = self._put_whole(form, valuation, shown)
        return [] if put_in is None else [put_in]

    def _put_whole(self, form: t.Node, valuation: Valuation, shown: Shown) -> t.Node | None:
        """Return a product or a sum with the matrices of its operands; None for one that would be too wide."""
        parts = form.terms if isinstance(form, t.Sum) else form.factors if isinstance(form, t.Product) else ()
        first, *others = parts or (form,)
        if isinstance(form, t.Sum) and isinstance(first, t.Product) and not any(map(_is_composed, others)):
            product = self._put_whole(first, valuation, shown)  # an affine map, whose vector keeps its name
            return None if product is None else replace(form, terms=(product, *others))
        if not parts or any(map(_is_composed, parts)):
            return None
        put_in = [self._matrix_of(part, valuation, shown) for part in parts]
        if isinstance(form, t.Sum):
            return t.added(put_in)
        is_plain = len(put_in) == 2 and put_in[0] == t.Number("1")
        return None if is_plain else t.multiplied(list(map(factor, put_in)), "")

    def _matrix_of(self, name: t.Node, valuation: Valuation, shown: Shown) -> t.Node:
        """Return the value of a quantity as a matrix, a single number as its numeral."""
        if isinstance(name, t.Transpose):
            matrix = self._matrix_of(name.base, valuation, shown)
            return transposed(matrix) if isinstance(matrix, t.Matrix) else matrix
        target = self.scene.resolve(name)
        if target is None:
            raise ValueError("an operand is a quantity")
        is_number = self.scene.quantity(target).scalar
        return self.literal(target, valuation) if is_number else self.matrix(target.name, valuation, shown)

    # Entries ---------------------------------------------------------------------------------------

    def entry(self, name: str, row: int, column: int = 1, *, digits: bool = False) -> Statement:
        """Return an entry worked out: ``Q_{31} = (-2)·0 + 2·1 + … = 5/2``.

        With `digits`, names whose values are rounded at the end are also replaced by the digits shown of them.
        """
        target = Entry(name, row, column)
        valuation = self.valuation(name)
        reference = self.scene.reference(target)
        sides: list[t.Node] = [reference, *self._worked(target, valuation)]
        if digits and valuation == "end" and len(sides) > 1:
            shown = self._with_values(sides[-1], valuation, self._shown_digits)
            sides.extend([] if Matcher(self.scene, valuation).is_literal(shown, target) else [shown])
        if self._ends_in_value(target, valuation, sides):
            sides.append(self.answer(target, valuation))
        return self.link(reference, _without_repeats(sides), valuation)

    def _ends_in_value(self, target: Entry, valuation: Valuation, sides: list[t.Node]) -> bool:
        """Return True if the value itself follows; not over a named denominator, nor in a hundred digits."""
        if len(sides) == 1:
            return True
        if valuation == "exact":
            return not self.scene.plays(target.name, "weights")
        return valuation != "end" or self.is_short(target, valuation)

    def _worked(self, target: Entry, valuation: Valuation) -> list[t.Node]:
        made = self.scene.made(target.name)
        if made is not None and made.operation.products:
            return self._sum_of_products(OperandNames(self.scene, made), target, valuation)
        if made is not None and (traits := made.operation.traits) & SOFTMAX:
            names = OperandNames(self.scene, made)
            if "line-sums" in traits:
                return self._line_sum(names, target, valuation)
            if "weights" in traits:
                return self._weight(names, target, valuation)
            power = self._power(target, valuation)
            return [] if power is None else [power]
        numerals = made.operation.numerals if made else "rounded"
        forms = entry_forms(self.scene, self.scene.quantity(target), target.row, target.column)
        if numerals == "none" or not forms:
            return []
        return [self._put(numerals, forms[0], valuation)]

    def _put(self, numerals: Numerals, form: t.Node, valuation: Valuation) -> t.Node:
        """Return a form with those of its operands as numerals that its operation names."""
        if numerals == "names" or (valuation == "exact" and numerals in {"rounded", "exponents", "constants"}):
            return form
        if numerals == "exponents":
            return self._with_exponents(form, valuation)
        puts = {"rounded": self._operand, "constants": self._operand_or_function, "scalars": self._operand_or_scalar}
        return self._with_values(form, valuation, puts.get(numerals))

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
        """Write the loss as its terms, then with their numbers: ``L = -ln P_{11} - ln P_{22} = 1.178``."""
        target = Whole("L")
        valuation, symbol = self.valuation("L"), self.scene.quantities["L"].symbol
        form = _elided(definitions(self.scene, target)[0])
        sides: list[t.Node] = [symbol, form]
        if valuation == "carried" or (valuation == "end" and self.detail != "brief"):
            put = self._operand if valuation == "carried" else self._shown_digits
            sides.append(self._with_values(form, valuation, put))
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

    def _sum_of_products(self, names: OperandNames, target: Entry, valuation: Valuation) -> list[t.Node]:
        total, _, added = parts_of_sum(names.scalar(target.row, target.column))
        inner, write = total.count, Trees(names).of
        shown = Shown(_MAX_TERMS if inner <= _MAX_TERMS else _HEAD_TERMS + 2).numbers(inner)
        products = [
            t.Dots("cdots") if k is None else self._with_values(write(total.body(k - 1)), valuation, self._operand)
            for k in shown
        ]
        products.extend(term(self._operand(write(item), valuation)) for item in added)
        if len(products) == 1:
            return self._single_product(products[0], target, valuation)
        written = t.added(products)
        sides = [written]
        if not any(isinstance(node, t.Dots) for node in products):
            worked = self._worked_terms(written, len(added), target, valuation)
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

    def _operand(self, name: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of an operand; where it is a closed form, or is not carried, its name."""
        target = self.scene.resolve(name)
        if target is None:
            raise ValueError("an operand is an entry of a quantity")
        quantity = self.scene.quantity(target)
        if quantity.style == "decimal" and (valuation != "carried" or quantity.rounding is None):
            return name
        return self.literal(target, valuation)

    def _shown_digits(self, name: t.Node, valuation: Valuation) -> t.Node:
        """Return the value of a quantity as a key shows it; its name where that has too many digits."""
        target = self.scene.resolve(name)
        return name if target is None or not self.is_short(target, valuation) else self.literal(target, valuation)

    def _worked_terms(self, written: t.Node, added: int, target: Entry, valuation: Valuation) -> t.Node | None:
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
        roundings = [rounding] * (len(known) - added) + [None] * added
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

    def _power(self, exponential: Entry, valuation: Valuation) -> t.Node | None:
        """Return ``e`` to the power of a score; None for an entry that is not an exponential."""
        if not self.scene.plays(exponential.name, "exponentials"):
            return None
        (scores,) = self.scene.quantity(exponential).definition.premises
        score = Entry(scores, exponential.row, exponential.column)
        if valuation == "end" and self.scene.quantities[score.name].style == "decimal":
            return t.Power(t.Name("e"), self.scene.reference(score))
        return t.Power(t.Name("e"), slashed(self.literal(score, valuation)))

    def _line_sum(self, names: OperandNames, target: Entry, valuation: Valuation) -> list[t.Node]:
        """Return a row sum as exponentials, and under step rounding as the rounded exponentials."""
        total, before, _ = parts_of_sum(names.scalar(target.row, target.column))
        one = [Trees(names).of(item) for item in before]
        shown = Shown(_MAX_TERMS if total.count <= _MAX_TERMS else _HEAD_TERMS + 2).numbers(total.count)
        line = [None if k is None else names.target(total.body(k - 1)) for k in shown]
        sides: list[t.Node] = []
        powers = [t.Dots() if entry is None else self._power(entry, valuation) for entry in line]
        if None not in powers:
            sides.append(t.added([*one, *(power for power in powers if power is not None)]))
        if valuation == "carried" and names.operands[0].rounding is not None:
            numbers = [t.Dots() if entry is None else self.literal(entry, valuation) for entry in line]
            sides.append(t.added([*one, *numbers]))
        return sides or [t.added([*one, *self._summands(line, valuation)])]

    def _summands(self, line: list[Entry | None], valuation: Valuation) -> list[t.Node]:
        """Return the summands of a line without exponentials."""
        names = [None if entry is None else self.scene.reference(entry) for entry in line]
        if valuation == "exact":
            return [t.Dots() if name is None else name for name in names]
        first, *rest = [t.Dots() if name is None else self._operand(name, valuation) for name in names]
        return [first, *(node if isinstance(node, t.Dots) else term(node) for node in rest)]

    def _weight(self, names: OperandNames, target: Entry, valuation: Valuation) -> list[t.Node]:
        fold = Trees(names)
        chosen = fold.chosen(names.scalar(target.row, target.column))
        form = fold.of(chosen)
        if not isinstance(chosen, s.Div) or not isinstance(chosen.above, s.Leaf):
            return [form]  # of a line whose scores are all hidden
        above, below = names.target(chosen.above), names.target(chosen.below)
        power, sides = self._power(above, valuation), list[t.Node]()
        if power is not None:
            sides.append(t.Division(power, self.scene.reference(below)))
        if valuation == "carried" and all(self.scene.quantity(entry).rounding is not None for entry in (above, below)):
            sides.append(t.Division(self.literal(above, valuation), self.literal(below, valuation)))
        if sides:
            return sides
        return [form if valuation == "exact" else self._with_values(form, valuation, self._operand)]

    def closed_output(self, row: int, column: int, *, terms: bool = False) -> Statement:
        """Write an output over the named denominator of its row: ``O_{31} = (5/2 e^{17/2} - …)/Z_3 ≈ 1.1786``.

        With `terms`, the products that it is the sum of stand before it.
        """
        target = Entry("O", row, column)
        reference, valuation = self.scene.reference(target), self.valuation("O")
        exact = self.layer.exact("O")[row - 1, column - 1]
        line = row if self.layer.problem.tokens == "rows" else column
        sides: list[t.Node] = [reference, *(self._worked(target, valuation) if terms else ())]
        total = self.layer.exact("Z")[line - 1, 0]
        is_over = exact.is_closed and total.is_closed and exact.polynomial() is None
        if is_over and exact.denominator == total.numerator:
            below = self.scene.reference(Entry("Z", line, 1))
            sides.append(t.Division(exponential_sum_tree(exact.numerator, decimals=self.scene.decimals), below))
        if valuation != "exact" or len(sides) == 1:
            sides.append(self.answer(target, valuation))
        return self.link(reference, sides, valuation)

    # Cells of tables -------------------------------------------------------------------------------

    def exponential_cell(self, row: int, column: int) -> Statement:
        """Write an exponential without the name that heads the column of the table: ``e^{3/2} ≈ 4.48``."""
        target, valuation = Entry("E", row, column), self.valuation("E")
        is_decimal = valuation == "end" and self.scene.quantities[self.layer.logits].style == "decimal"
        if is_decimal and self.is_short(target, valuation):
            return self.value_cell(target)
        power = self._power(target, valuation)
        if power is None:
            raise ValueError("the entry of a table of exponentials is one")
        sides = [power]
        is_rounded = self.scene.quantities["E"].rounding is not None
        if (valuation == "end" and self.is_short(target, valuation)) or (valuation == "carried" and is_rounded):
            sides.append(self.answer(target, valuation))
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
        literal = self.scene.whole_number(target, "end") or self.scene.literal(target, "end", rounding)
        if literal is None:
            raise ValueError("a value rounded once is always defined")
        statement = self.link(reference, [reference, literal], "end", rounding)
        return Statement(reference, statement.written, "end", rounding)

    # One token at a time ---------------------------------------------------------------------------

    def line(self, name: str, index: int, *, worked: bool = True) -> Statement:
        """Write a query, key or value as a vector, `worked` out or not: ``q_1 = W_Q^T x_1 = [..][..] = [..]``."""
        target, valuation = Line(name, index), self.valuation(name)
        reference = self.scene.reference(target)
        definition = definitions(self.scene, target)[0]
        sides: list[t.Node] = [reference, definition]
        if not worked:
            pass
        elif isinstance(definition, t.Product):
            sides.append(self._product_put_in(definition, valuation))
        elif isinstance(definition, t.Sum) and isinstance(product := definition.terms[0], t.Product):
            added = self._put_in(definition.terms[1], valuation)
            sides.append(t.added([self._product_put_in(product, valuation), added]))
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
        sides = [reference, total, t.added([self._weighted_term(item, valuation) for item in terms])]
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
        value = self.scene.carried(target) if valuation == "carried" else self.scene.exact(target)
        is_enclosed = isinstance(value, Quotient) and not value.is_closed and value.is_finite
        return node if is_enclosed else self.literal(target, valuation)

    # Putting a chain together ----------------------------------------------------------------------


def _is_composed(part: t.Node) -> bool:
    """Return True for a product or a group, which beside other matrices would be too wide."""
    return isinstance(part, t.Product | t.Group)


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


def _elided(form: t.Node) -> t.Node:
    """Return a sum, or a product with a sum in it, whose middle terms are left out where they are many."""
    match form:
        case t.Product(factors, operators):
            return t.Product(tuple(map(_elided, factors)), operators)
        case t.Group(body):
            return replace(form, body=_elided(body))
        case t.Sum(terms, operators) if len(terms) > _MAX_TERMS // 2 and len(set(operators)) == 1:
            kept = (*terms[:_HEAD_TERMS], t.Dots("cdots"), terms[-1])
            return t.Sum(kept, operators[: len(kept) - 1])
    return form


def _without_repeats(sides: list[t.Node]) -> list[t.Node]:
    """Return the sides without one that is written just as the one before it."""
    kept = sides[:1]
    kept.extend(side for before, side in pairwise(sides) if side != before)
    return kept
