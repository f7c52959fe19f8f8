"""TRUSTED. The judge: whether a statement is true, and is what is prescribed at its place.

Both are asked of every statement. Each side of the chain must be a form in which its subject can be
written (its name, its definition with names or prescribed values, its closed form, the terms of the side
before with their products worked out, or its value); each ``=`` must hold exactly between what is
written, and each ``≈`` must lead to a rounding of what stands before it or to a prescribed approximate
form::

    a = b      value(a) = value(b), exactly
    a ≈ b      b is value(a) rounded as the policy says, or the terms of a so rounded,
               or a and b are both forms of the subject
    a ∈ R^…    the shape of a

Where ``b`` is the value that is carried on and ``a`` its definition with the carried values in it, the
rounding is done again. A statement about all ``i`` and ``j`` is judged in `symattn.graph.key_judge.identities`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from symattn.errors import InputError, NotationError, UndecidedError
from symattn.exact.evaluation import Value, is_same, same
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.entropy import entropy, is_zero
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding, decimal, fixed_bounds, format_rational, round_value
from symattn.graph.forms.definitions import denominator_of, parts_of_sum
from symattn.graph.forms.names import OperandNames
from symattn.graph.key_judge.claims import Claim, Weights, claim_fault
from symattn.graph.key_judge.identities import identity_faults
from symattn.graph.key_judge.matching import Matcher, bare, same_written
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.closed_forms import exponential_sum_tree, numeral, quotient_tree
from symattn.graph.quantities.definition import SUMMARIES
from symattn.graph.quantities.scene import Entry, Scene, Target
from symattn.graph.quantities.statement import Fault, Judgement, Statement
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import write_plain

Form = Literal["exact", "carried", "worked"]
"""How a side stands to its subject: exactly, with prescribed rounded values, or worked out from the side before."""


def judge(statement: Statement, scene: Scene) -> Judgement:
    """Judge one statement in a scene, strictly: true, and as prescribed."""
    if any(side is None for side in statement.written_sides):
        return Judgement(statement, (Fault(0, statement.written.span, "a side of the chain is missing"),))
    if statement.ranges:
        return Judgement(statement, tuple(identity_faults(statement, scene)))
    return Judgement(statement, tuple(_Strict(statement, scene).faults()))


def unproved(
    statements: list[Statement], claims: list[Claim], scene: Scene, weights: Mapping[int, Weights]
) -> list[str]:
    """Return the statements and claims that the judge does not prove, each with the reason."""
    found: list[str] = []
    for statement in statements:
        judgement = judge(statement, scene)
        found.extend(f"{statement.note}: {fault.reason}" for fault in judgement.faults)
    for claim in claims:
        reason = claim_fault(claim, weights)
        if reason:
            found.append(reason)
    return found


class _Strict:
    def __init__(self, statement: Statement, scene: Scene) -> None:
        self.statement = statement
        self.scene = scene
        self.matcher = Matcher(scene, statement.valuation, statement.rounding)
        self.target = scene.resolve(bare(statement.subject))
        self.value = _value(statement.subject, scene)
        self.sides = statement.sides
        self.values = [_value(side, scene) for side in self.sides]
        self.forms: list[Form | None] = []
        self.elsewhere: set[int] = set()
        self.is_uncertified = _is_uncertified(scene, self.target)

    def faults(self) -> list[Fault]:
        return self._wrong() or self._out_of_order()

    def _wrong(self) -> list[Fault]:
        found = []
        for position, side in enumerate(self.sides):
            form = self._form(position, side)
            self.forms.append(form)
            reason = self._side_fault(position, side, form)
            if reason:
                found.append(Fault(position, side.span, reason))
        for position, operator in enumerate(self.statement.operators):
            reason = self._link(position, operator)
            if reason:
                found.append(Fault(position + 1, self.sides[position + 1].span, reason))
        return found

    def _side_fault(self, position: int, side: t.Node, form: Form | None) -> str:
        if form is None:
            return f"{write_plain(side)} is not what {write_plain(self.statement.subject)} calls for here"
        if self.values[position] is None and not self._may_lack_value(side):
            return f"{write_plain(side)} has no value"
        if self.is_uncertified and self.scene.resolve(bare(side)) is None:
            return f"the digits of {write_plain(self.statement.subject)} are not those of its definition"
        return ""

    def _out_of_order(self) -> list[Fault]:
        """Return the value of the subject ends a chain, and nothing that is worked out on the way to it does."""
        sides = [(position, side) for position, side in enumerate(self.sides) if not isinstance(side, t.Space)]
        found = [
            Fault(position, side.span, f"{write_plain(side)} is the value, and ends the chain")
            for position, side in sides[:-1]
            if self.target is not None and self.matcher.is_literal(side, self.target)
        ]
        position, side = sides[-1]
        if self.forms[position] == "worked" or position in self.elsewhere:
            reason = f"{write_plain(side)} is not yet the value of {write_plain(self.statement.subject)}"
            found.append(Fault(position, side.span, reason))
        return found

    def _may_lack_value(self, side: t.Node) -> bool:
        """Return True for dots, sets, enclosures and quantities known by digits alone: they have no exact value."""
        if isinstance(side, t.Space) or any(_is_open(node) for node in walk(side)):
            return True
        target = self.scene.resolve(bare(side))
        return target is not None and bool(self.scene.quantity(target).digits)

    # Is it what is prescribed? ---------------------------------------------------------------------

    def _form(self, position: int, side: t.Node) -> Form | None:
        if isinstance(side, t.Space):
            return "exact"
        fit = self.matcher.fit(side, self.statement.subject)
        if fit is not None:
            if fit.elsewhere:
                self.elsewhere.add(position)
            return "exact" if fit.exact else "carried"
        if self._is_closed_form(side, self.values[position]):
            return "exact"
        if self.target is None and self._is_rounded_value(side):
            return "carried"
        follows = position and self.forms[position - 1] is not None
        if follows and self._is_worked_out(self.sides[position - 1], side, self.values[position - 1]):
            return "worked"
        return None

    def _is_closed_form(self, side: t.Node, own: Value | None) -> bool:
        """Return True for the exact value in closed form, its denominator named or not.

        A rational value of a quantity has one prescribed form, which the matcher knows.
        """
        value = self.value
        if not isinstance(value, Quotient) or not isinstance(own, Quotient) or not is_same(value, own):
            return False
        if self.target is not None and not self._may_be_closed(value):
            return False
        if same_written(side, self.scene.written(value)):
            return True
        if not (value.is_finite and own.is_closed):
            return False
        is_single = own.denominator == ExpSum.of(1) and len(own.numerator.terms()) == 1
        return (is_single and same_written(side, self.scene.written(own))) or self._is_over_named_sum(bare(side), value)

    def _may_be_closed(self, value: Quotient) -> bool:
        """Return True where a closed form may stand: not for carried values, nor for a rational rounded at the end."""
        valuation = self.statement.valuation
        return valuation == "exact" or (valuation == "end" and value.rational() is None)

    def _is_over_named_sum(self, side: t.Node, value: Quotient) -> bool:
        """Return True for a closed form over the named sum that normalises the weights of the subject."""
        if not isinstance(side, t.Division) or not isinstance(self.target, Entry):
            return False
        below = denominator_of(self.scene, self.target)
        if below is None or self.scene.resolve(bare(side.denominator)) != below:
            return False
        total = self.scene.exact(below)
        is_below = isinstance(total, Quotient) and _has_below(value, total)
        return is_below and same_written(
            side.numerator, exponential_sum_tree(value.numerator, decimals=self.scene.decimals)
        )

    def _is_rounded_value(self, side: t.Node) -> bool:
        """Return True for the value of an expression, rounded as the statement itself declares."""
        value, rounding = self.value, self.statement.rounding
        if not isinstance(value, Quotient) or rounding is None or value.symbols or not value.is_finite:
            return False
        return same_written(side, numeral(decimal(value, rounding)))

    def _is_worked_out(self, before: t.Node, side: t.Node, value: Value | None) -> bool:
        """Return True for the value of the side before, if rounding changes it, or a sum of the values of its terms."""
        decimals = has_decimals(before)
        if isinstance(value, Quotient) and same_written(side, self.scene.written(value, decimals=decimals)):
            if self.target is None or self.statement.valuation != "carried":
                return False
            made, carried = self.scene.made(self.target.name), self.scene.carried(self.target)
            is_product = made is not None and made.operation.products
            return is_product and isinstance(carried, Quotient) and carried != value
        before, side = bare(before), bare(side)
        if isinstance(before, t.Product) and isinstance(value, Quotient):
            return self._is_term(before, side, decimals=decimals)
        if not isinstance(before, t.Sum) or not isinstance(side, t.Sum):
            return False
        if len(before.terms) != len(side.terms):
            return False
        *pairs, last = zip(signed_terms(before), signed_terms(side), strict=True)
        return all(self._is_term(a, b, decimals=decimals) for a, b in pairs) and self._is_term(
            *last, decimals=decimals, added=self._adds()
        )

    def _adds(self) -> bool:
        """Return True if the last term of the definition's sum is an entry of an added vector, not a product."""
        made = None if self.target is None else self.scene.made(self.target.name)
        if made is None or not made.operation.products:
            return False
        return bool(parts_of_sum(OperandNames(self.scene, made).scalar(1, 1))[2])

    def _is_term(self, before: t.Node, term: t.Node, *, decimals: bool, added: bool = False) -> bool:
        if isinstance(before, t.Dots):
            return isinstance(term, t.Dots)
        value = _value(before, self.scene)
        if not isinstance(value, Quotient) or value.symbols:
            return False
        products = None if added else self._products()
        return same_written(term, worked_term(value, products, self._quantity(), decimals=decimals))

    def _quantity(self) -> q.Quantity | None:
        return None if self.target is None else self.scene.quantity(self.target)

    def _products(self) -> Rounding | None:
        if self.target is None or self.statement.valuation != "carried":
            return None
        return self.scene.quantity(self.target).products

    # Is it true? -----------------------------------------------------------------------------------

    def _link(self, position: int, operator: str) -> str:
        """Return the reason why a relation does not hold, or empty text."""
        left, right = self.sides[position], self.sides[position + 1]
        if operator == "∈":
            return _shape_fault(self.value, right) or _shape_fault(self.values[position], right)
        first, second = self.values[position], self.values[position + 1]
        if operator == "=":
            if first is not None and second is not None:
                return _unequal(first, second, left, right, by_form=self._both_exact(position))
            return "" if self._both_exact(position) else f"{write_plain(left)} is not exactly {write_plain(right)}"
        if operator == "≈":
            return "" if self._approximates(position) else f"{write_plain(left)} does not round to {write_plain(right)}"
        return f"the relation {operator} is not one that a statement of value makes"

    def _both_exact(self, position: int) -> bool:
        return self.forms[position] == self.forms[position + 1] == "exact"

    def _approximates(self, position: int) -> bool:
        before, after = self.forms[position], self.forms[position + 1]
        if before is None or after is None:
            return True  # a fault of that side, and reported there
        if after == "worked":
            # `_form` compared it with the side before, term by term.
            return self._products() is not None
        if before == "worked":
            return self._rounds_to(self.values[position], self.values[position + 1])
        return self._is_rounded_right(position)

    def _rounds_to(self, value: Value | None, rounded: Value | None) -> bool:
        if self.target is None or not isinstance(value, Quotient) or not isinstance(rounded, Quotient):
            return False
        quantity, valuation = self.scene.quantity(self.target), self.statement.valuation
        prescribed = {"carried": quantity.rounding, "end": self.statement.rounding or quantity.display}
        rounding = prescribed.get(valuation)
        return rounding is not None and is_same(_rounded(value, rounding), rounded)

    def _is_rounded_right(self, position: int) -> bool:
        """Return True if both sides are forms of the subject; a value rounded from prescribed numbers is rounded again.

        It is not where a middle is left out, where the numbers are those of an earlier step than the last,
        rounded in between, or where each product of a product of matrices was rounded.
        """
        before, after, target = self.sides[position], self.sides[position + 1], self.target
        if target is None or self.statement.valuation != "carried":
            return True
        if not self.matcher.is_literal(after, target) or not self.matcher.is_direct(before, target):
            return True
        if any(isinstance(node, t.Dots) for node in walk(before)):
            return True
        quantity = self.scene.quantity(target)
        carried = self.scene.carried(target)
        value = _carried_value(before, self.scene)
        if quantity.products is not None:
            terms = self._rounded_products(before, quantity.products)
            if terms is None:
                return True
            value = terms
        if value is None or carried is None:
            return False
        return is_same(_rounded(value, quantity.rounding), carried)

    def _rounded_products(self, before: t.Node, products: Rounding) -> Quotient | None:
        """Return the sum of the products of numbers, each rounded; None where it is a product of matrices."""
        before = bare(before)
        terms = signed_terms(before) if isinstance(before, t.Sum) else [before]
        total = Quotient.of(0)
        for position, term in enumerate(terms, 1):
            value = _carried_value(term, self.scene)
            if not isinstance(value, Quotient) or self._has_matrix(term):
                return None
            is_added = self._adds() and position == len(terms)
            total = total + (value if is_added else _rounded_number(value, products))
        return total

    def _has_matrix(self, node: t.Node) -> bool:
        return any(isinstance(_carried_value(part, self.scene), Matrix) for part in t.children(bare(node)))


def _is_open(node: t.Node) -> bool:
    """Return True for dots, an infinite enclosure, and a matrix with an enclosure among its entries."""
    if isinstance(node, t.Vector):
        return t.INFINITY in node.items
    if isinstance(node, t.Matrix):
        return any(isinstance(entry, t.Vector) for row in node.rows for entry in row)
    return isinstance(node, t.Dots)


def _is_uncertified(scene: Scene, target: Target | None) -> bool:
    """Return True if a quantity known by its digits has digits that differ from those of its definition."""
    if target is None or not scene.quantity(target).digits:
        return False
    return not isinstance(target, Entry) or (
        scene.quantity(target).digits[target.row - 1] != _certified_digits(scene, target)
    )


def _rounded(value: Value, rounding: Rounding | None) -> Value:
    if rounding is None:
        return value
    if isinstance(value, Quotient):
        return _rounded_number(value, rounding)
    return Matrix([[_rounded_number(entry, rounding) for entry in row] for row in value.rows])


def _rounded_number(value: Quotient, rounding: Rounding) -> Quotient:
    """Return a number rounded; one whose digits do not settle stays what it is, as in the rules."""
    try:
        return round_value(value, rounding)
    except UndecidedError:
        return value


def _unequal(first: Value, second: Value, left: t.Node, right: t.Node, *, by_form: bool = False) -> str:
    """Return nothing where two values are equal, what was written where they are not, another where neither is proved.

    What enclosures leave open is proved `by_form` where both sides are what the definition says.
    """
    try:
        return "" if same(first, second) else f"{write_plain(left)} does not equal {write_plain(right)}"
    except UndecidedError as error:
        return "" if by_form else f"it is not decided: {error}"


def _has_below(value: Quotient, total: Quotient) -> bool:
    """Return True if a total is the denominator of a value; a number without a closed form has no denominator."""
    return value.is_closed and total.is_closed and value.denominator == total.numerator


def worked_term(
    value: Quotient, products: Rounding | None, quantity: q.Quantity | None = None, *, decimals: bool = False
) -> t.Node:
    """Write the value of one product of a sum, rounded where the policy rounds products.

    A product that rounding leaves as it is stays a fraction where its sum is written so; of a sum in `decimals`
    it is a decimal where one ends.
    """
    decimals = decimals or (quantity is not None and quantity.decimals)
    stays = quantity is None or quantity.style == "rational"
    if products is None or not value.is_finite or (stays and _rounded_number(value, products) == value):
        return quotient_tree(value, decimals=decimals)
    return numeral(decimal(value, products))


def has_decimals(node: t.Node) -> bool:
    """Return True if a number in it is written as a decimal; results of such numbers are decimals too where they end.

    >>> has_decimals(t.Product((t.Number("0.309"), t.Number("2")), ("cdot",))), has_decimals(t.Number("2"))
    (True, False)
    """
    return any(isinstance(part, t.Number) and "." in part.text for part in walk(node))


def signed_terms(node: t.Sum) -> list[t.Node]:
    """Return the terms of a sum with their signs drawn in."""
    rest = zip(node.operators, node.terms[1:], strict=True)
    return [node.terms[0], *(term if operator == "+" else t.Negative(term) for operator, term in rest)]


def _value(node: t.Node, scene: Scene) -> Value | None:
    """Return the exact value of a side, None where dots or a name outside the theory leave it without one."""
    try:
        return scene.value(node)
    except (InputError, NotationError):
        return None


def _carried_value(node: t.Node, scene: Scene) -> Value | None:
    try:
        return scene.carried_value(node)
    except (InputError, NotationError):
        return None


def _shape_fault(value: Value | None, space: t.Node) -> str:
    if not isinstance(space, t.Space) or value is None:
        return f"{write_plain(space)} is not a set of matrices"
    shape = value.shape if isinstance(value, Matrix) else (1, 1)
    written = [node.text for node in space.dimensions if isinstance(node, t.Number)]
    wanted = [str(size) for size in shape]
    if written == wanted or (shape[1] == 1 and written == wanted[:1]):
        return ""
    return f"the shape is {' × '.join(wanted)}, not {' × '.join(written)}"


_DIGIT_BITS = (64, 256, 1024)
"""Precisions at which the digits of a total are tried."""


def _certified_digits(scene: Scene, target: Entry) -> str | None:
    """Return the digits of an entropy or of a total, None where they do not settle or nothing defines them."""
    quantity = scene.quantity(target)
    definition = quantity.definition
    if definition.rule not in SUMMARIES:
        return None
    if definition.rule == "entropy":
        scores = _line_values(scene, definition.premises[0], definition.axis, target.row)
        low, high = entropy(scores, quantity.display)
        return q.ZERO if is_zero(scores) else low if low == high else None
    across: q.Axis = "columns" if definition.axis == "rows" else "rows"
    weights = _line_values(scene, definition.premises[0], across, target.row)
    return q.ZERO if all(weight.is_zero for weight in weights) else _total_digits(weights, quantity)


def _line_values(scene: Scene, name: str, axis: q.Axis, number: int) -> list[Quotient]:
    rows = scene.quantities[name].exact.rows
    return list(rows[number - 1]) if axis == "rows" else [row[number - 1] for row in rows]


def _total_digits(values: list[Quotient], quantity: q.Quantity) -> str | None:
    for bits in _DIGIT_BITS:
        ends = fixed_bounds(values, bits)
        unit = Fraction(1, 1 << bits)
        low, high = (sum(end) * unit for end in zip(*ends, strict=True))
        digits = format_rational(low, quantity.display)
        if digits == format_rational(high, quantity.display):
            return digits
    return None
