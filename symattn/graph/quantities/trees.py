"""TRUSTED. Written forms of entries: the fold of scalar expressions over the names, or the numerals, of entries.

A choice is made by exact values, where all indices are numbers; one that rounding would make otherwise has no form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.graph.quantities.closed_forms import quotient_tree, slashed
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base, bracketed, factor, term
from symattn.notation.tree.traversal import rebuilt
from symattn.operations import scalar as s
from symattn.operations.evaluation import holds
from symattn.operations.operation import number
from symattn.operations.scalar import Index

_ValueAt: TypeAlias = Callable[[int, int, int], Quotient | None]


class NoFormError(InputError):
    """An entry that cannot be written by its definition."""


class Leaves(Protocol):
    """Entries of operands as written, and their values; rows and columns are counted from 0."""

    def entry(self, operand: int, row: Index, column: Index) -> t.Node:
        """Return what is written for an entry of an operand."""

    def exact(self, operand: int, row: int, column: int) -> Quotient:
        """Return the exact value of an entry of an operand."""

    def carried(self, operand: int, row: int, column: int) -> Quotient | None:
        """Return the step-rounded value of an entry of an operand, None where it has none."""


class Trees:
    """The fold over written trees.

    Args:
        leaves: of the operands.
        bound: the index over which sums run; None where they are written out.
        numerals: whether numerals stand for entries, so that a fraction in an exponent has a slash.
    """

    def __init__(self, leaves: Leaves, bound: t.Name | None = None, *, numerals: bool = False) -> None:
        self._leaves = leaves
        self._numerals = numerals
        self._bound = bound
        self.has_run = False
        """Whether a sum over the index was written."""

    def of(self, scalar: s.Scalar) -> t.Node:
        """Return an expression as a tree.

        Raises:
            NoFormError: a choice in it is open.
            RunningIndexError: it cannot be written at a running index.
        """
        return self._folds[type(scalar)](self, scalar)

    def _leaf(self, leaf: s.Leaf) -> t.Node:
        return self._leaves.entry(leaf.operand, leaf.row, leaf.column)

    def _num(self, num: s.Num) -> t.Node:
        value = num.value
        return t.Number(str(value)) if isinstance(value, int) else quotient_tree(value, decimals=True)

    def _pi(self, _: s.Pi) -> t.Node:
        return t.Name("pi")

    def _formula(self, formula: s.Formula) -> t.Node:
        return self._named(formula.tree)

    def _named(self, node: t.Node) -> t.Node:
        """A formula with what is written for entries in the places of ``p_{k,i,j}``."""
        match node:
            case t.Subscript(t.Name("p"), (t.Number(operand), t.Number(row), t.Number(column))):
                return self._leaves.entry(int(operand) - 1, int(row) - 1, int(column) - 1)
            case t.Division(above, below):  # with a bar, in whichever way a record writes it
                return t.Division(self._named(above), self._named(below))
        return rebuilt(node, self._named)

    def _total(self, total: s.Total) -> t.Node:
        if self._bound is None:
            return self._sum([total.body(index) for index in range(total.count)])
        self.has_run = True
        return t.SumOver(self._bound, t.Number("1"), t.Number(str(total.count)), self.of(total.body(self._bound)))

    def _add(self, sum_of: s.Add) -> t.Node:
        return self._sum(sum_of.terms)

    def _sum(self, terms: Sequence[s.Scalar]) -> t.Node:
        """A sum, flat where a term is one; a choice of 0 is left out."""
        signed: list[tuple[str, t.Node]] = []
        for given in terms:
            own = self.chosen(given)
            if own is s.ZERO and given is not own:
                continue
            if isinstance(own, s.Neg):
                signed.append(("-", self.of(own.of)))
                continue
            node = self.of(own)
            flat = zip(("+", *node.operators), node.terms, strict=True) if isinstance(node, t.Sum) else (("+", node),)
            signed.extend(flat)
        (sign, first), *rest = signed or [("+", t.Number("0"))]
        first = t.Negative(term(first)) if sign == "-" else first
        return t.Sum((first, *(node for _, node in rest)), tuple(own for own, _ in rest)) if rest else first

    def _mul(self, product: s.Mul) -> t.Node:
        """A product, flat where a factor is one."""
        factors: list[t.Node] = []
        signs: list[str] = []
        for own in product.factors:
            node = self.of(own)
            signs.append(product.sign)
            if isinstance(node, t.Product):
                factors.extend(node.factors)
                signs.extend(node.operators)
            else:
                factors.append(factor(node))
        return t.Product(tuple(factors), tuple(signs[1:]))

    def _neg(self, negated: s.Neg) -> t.Node:
        return t.Negative(term(self.of(negated.of)))

    def _div(self, quotient: s.Div) -> t.Node:
        return t.Division(self.of(quotient.above), self.of(quotient.below))

    def _pow(self, power: s.Pow) -> t.Node:
        node = self.of(power.of)
        return t.Power(bracketed(node) if isinstance(node, t.Call) else base(node), t.Number(str(power.exponent)))

    def _call(self, call: s.Call) -> t.Node:
        inner = self.of(call.of)
        if call.function == "exp":
            return t.Power(t.Name("e"), slashed(inner) if self._numerals else inner)
        return t.Root(inner) if call.function == "sqrt" else t.Call(t.Name(call.function), (inner,))

    def _max(self, largest: s.Max) -> t.Node:
        return t.Call(t.Name("max"), tuple(map(self.of, largest.items)))

    def _select(self, select: s.Select) -> t.Node:
        return self.of(self.chosen(select))

    def _require(self, require: s.Require) -> t.Node:
        return self.of(require.of)

    def chosen(self, scalar: s.Scalar) -> s.Scalar:
        """Return what a choice comes to, any other expression as it is."""
        if not isinstance(scalar, s.Select):
            return scalar
        leaves = [leaf for tested in scalar.of for leaf in s.leaves(tested)]
        if not all(isinstance(index, int) for leaf in leaves for index in (leaf.row, leaf.column)):
            if scalar.test == "all-hidden":
                return scalar.other
            raise NoFormError("A choice cannot be written at a running index.")
        chosen = self._holds(scalar.test, leaves, self._leaves.exact)
        if scalar.test == "positive" and self._holds(scalar.test, leaves, self._leaves.carried) != chosen:
            raise NoFormError("Rounding takes a number over to the other side of 0.")
        return scalar.then if chosen else scalar.other

    def _holds(self, test: s.Test, leaves: Sequence[s.Leaf], value_at: _ValueAt) -> bool:
        values = [value_at(leaf.operand, number(leaf.row), number(leaf.column)) for leaf in leaves]
        if test == "positive" and not all(value is not None and value.is_finite for value in values):
            raise NoFormError("The sign of an undefined value decides nothing.")
        return holds(test, values)

    _folds: ClassVar[Mapping[type[s.Scalar], Callable[[Trees, Any], t.Node]]] = {
        s.Leaf: _leaf,
        s.Num: _num,
        s.Pi: _pi,
        s.Add: _add,
        s.Total: _total,
        s.Mul: _mul,
        s.Neg: _neg,
        s.Div: _div,
        s.Pow: _pow,
        s.Call: _call,
        s.Max: _max,
        s.Select: _select,
        s.Require: _require,
        s.Formula: _formula,
    }
