"""TRUSTED. The judge: whether a statement is true, and is what is prescribed at its place.

Both are asked of every statement. Each side of the chain must be a form in which its subject can be
written (its name, its definition with names or prescribed values, the terms of the side before with
their products worked out, or its value); each ``=`` must hold exactly between what is written, and each
``≈`` must lead to a rounding of what stands before it or to a prescribed approximate form::

    a = b      value(a) = value(b), exactly
    a ≈ b      b is value(a) rounded as the policy says, or the terms of a so rounded,
               or a and b are both forms of the subject
    a ∈ R^…    the shape of a
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

from symattn.derivation.closed_form import numeral, quotient_tree
from symattn.derivation.match import Matcher, bare, same_written
from symattn.derivation.scene import Entry, Line, Scene, Target, Whole
from symattn.derivation.statement import Statement
from symattn.errors import InputError, NotationError
from symattn.exact.evaluate import Indices, Value, same
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimal
from symattn.notation import tree as t
from symattn.notation.plain_writer import write_plain

Form = Literal["exact", "carried", "worked"]
"""How a side stands to its subject: exactly, with prescribed rounded values, or worked out from the side before."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a statement fails: the offending side, counted from 0, its place in the source, and why."""

    side: int
    span: t.Span | None
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge found: proved when no fault was."""

    statement: Statement
    faults: tuple[Fault, ...]

    @property
    def proved(self) -> bool:
        """Whether every side and every relation was proved."""
        return not self.faults


def judge(statement: Statement, scene: Scene) -> Judgement:
    """Judges one statement in a scene, strictly: true, and as prescribed."""
    if statement.ranges:
        return Judgement(statement, tuple(_identity_faults(statement, scene)))
    return Judgement(statement, tuple(_Strict(statement, scene).faults()))


class _Strict:
    def __init__(self, statement: Statement, scene: Scene) -> None:
        self.statement = statement
        self.scene = scene
        self.matcher = Matcher(scene, statement.valuation, statement.rounding)
        self.target = scene.resolve(bare(statement.subject))
        self.sides = statement.sides
        self.values = [_value(side, scene, {}) for side in self.sides]
        self.forms: list[Form | None] = []

    def faults(self) -> list[Fault]:
        found = []
        for position, side in enumerate(self.sides):
            form = "exact" if isinstance(side, t.Space) else self._form(position, side)
            self.forms.append(form)
            if form is None:
                reason = f"{write_plain(side)} is not what {write_plain(self.statement.subject)} calls for here"
                found.append(Fault(position, side.span, reason))
        for position, operator in enumerate(self.statement.operators):
            reason = self._link(position, operator)
            if reason:
                found.append(Fault(position + 1, self.sides[position + 1].span, reason))
        return found

    # Is it what is prescribed? ---------------------------------------------------------------------

    def _form(self, position: int, side: t.Node) -> Form | None:
        fit = self.matcher.fit(side, self.statement.subject)
        if fit is not None:
            return "exact" if fit.exact else "carried"
        if self._is_exact_value(side, self.values[position]):
            return "exact"
        if self.target is None and self._is_rounded_value(side):
            return "carried"
        if position and self._is_worked_out(self.sides[position - 1], side, self.values[position - 1]):
            return "worked"
        return None

    def _is_exact_value(self, side: t.Node, own: Value | None) -> bool:
        """The exact value, in the prescribed form, or in any closed form while it is irrational."""
        value = _value(self.statement.subject, self.scene, {})
        if value is None or own is None or not same(value, own):
            return False
        if isinstance(own, Quotient) and own.rational() is None:
            return True
        if isinstance(own, Matrix):
            return False
        return same_written(side, quotient_tree(own))

    def _is_rounded_value(self, side: t.Node) -> bool:
        """The value of an expression, rounded as the statement itself declares."""
        value = _value(self.statement.subject, self.scene, {})
        rounding = self.statement.rounding
        return isinstance(value, Quotient) and rounding is not None and same_written(side, numeral(decimal(value, rounding)))

    def _is_worked_out(self, before: t.Node, side: t.Node, value: Value | None) -> bool:
        """The value of the side before, or a sum of the values of its terms."""
        if isinstance(value, Quotient) and same_written(side, quotient_tree(value)):
            return True
        before, side = bare(before), bare(side)
        if isinstance(before, t.Product) and isinstance(value, Quotient):
            return self._is_term(before, side)
        if not isinstance(before, t.Sum) or not isinstance(side, t.Sum):
            return False
        pairs = zip(signed_terms(before), signed_terms(side), strict=False)
        return len(before.terms) == len(side.terms) and all(self._is_term(a, b) for a, b in pairs)

    def _is_term(self, before: t.Node, term: t.Node) -> bool:
        if isinstance(before, t.Dots):
            return isinstance(term, t.Dots)
        value = _value(before, self.scene, {})
        return isinstance(value, Quotient) and same_written(term, worked_term(value, self._products()))

    def _products(self) -> Rounding | None:
        if self.target is None or self.statement.valuation != "carried":
            return None
        return self.scene.quantity(self.target).products

    # Is it true? -----------------------------------------------------------------------------------

    def _link(self, position: int, operator: str) -> str:
        """Why a relation does not hold, or nothing."""
        left, right = self.sides[position], self.sides[position + 1]
        if operator == "∈":
            return _shape_fault(self.values[position], right)
        first, second = self.values[position], self.values[position + 1]
        if operator == "=":
            if first is not None and second is not None:
                return "" if same(first, second) else f"{write_plain(left)} does not equal {write_plain(right)}"
            return "" if self._both_exact(position) else f"{write_plain(left)} is not exactly {write_plain(right)}"
        if operator == "≈":
            return "" if self._approximates(position) else f"{write_plain(left)} does not round to {write_plain(right)}"
        return f"the relation {operator} is not one that a statement of value makes"

    def _both_exact(self, position: int) -> bool:
        return self.forms[position] == self.forms[position + 1] == "exact"

    def _approximates(self, position: int) -> bool:
        before, after = self.forms[position], self.forms[position + 1]
        if before is None or after is None:
            return False
        first, second = self.values[position], self.values[position + 1]
        if after == "worked":
            return self._rounded_terms(position)
        if before == "worked" and isinstance(first, Quotient) and isinstance(second, Quotient):
            return self._rounds_to(first, second)
        return True

    def _rounds_to(self, value: Quotient, rounded: Quotient) -> bool:
        if self.target is None or not isinstance(self.target, Entry | Whole):
            return False
        rounding = self.scene.quantity(self.target).rounding
        return rounding is not None and decimal(value, rounding) == decimal(rounded, rounding)

    def _rounded_terms(self, position: int) -> bool:
        """The side after is the side before with each product rounded; `_form` compared them term by term."""
        return self._products() is not None


def worked_term(value: Quotient, products: Rounding | None) -> t.Node:
    """How the value of one product of a sum is written: rounded where the policy rounds products."""
    return quotient_tree(value) if products is None else numeral(decimal(value, products))


def signed_terms(node: t.Sum) -> list[t.Node]:
    """The terms of a sum with their signs drawn in."""
    rest = zip(node.operators, node.terms[1:], strict=True)
    return [node.terms[0], *(term if operator == "+" else t.Negative(term) for operator, term in rest)]


def _value(node: t.Node, scene: Scene, indices: Indices) -> Value | None:
    """The exact value of a side, None where dots or a name outside the theory leave it without one."""
    try:
        return scene.value(node, indices)
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


def _identity_faults(statement: Statement, scene: Scene) -> list[Fault]:
    """The relations of a statement about all indices, tried at every value of each."""
    names = [name for name, _ in statement.ranges]
    for numbers in product(*(range(1, limit + 1) for _, limit in statement.ranges)):
        indices = dict(zip(names, numbers, strict=True))
        values = [_value(side, scene, indices) for side in statement.sides]
        for position, operator in enumerate(statement.operators):
            first, second = values[position], values[position + 1]
            if operator != "=" or first is None or second is None or not same(first, second):
                side = statement.sides[position + 1]
                at = ", ".join(f"{name} = {number}" for name, number in indices.items())
                return [Fault(position + 1, side.span, f"{write_plain(side)} is not the side before it at {at}")]
    return []


def canonical_name(target: Target | None) -> str | None:
    """The name of a target for machines: ``Q``, ``Q[3,1]``, ``q[1]`` as ``Q[1,:]``.

    >>> canonical_name(Entry("Q", 3, 1))
    'Q[3,1]'
    """
    match target:
        case Whole(name):
            return name
        case Entry(name, row, column):
            return f"{name}[{row},{column}]"
        case Line(name, index):
            return f"{name}[{index},:]"
    return None
