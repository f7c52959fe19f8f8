r"""Lenient parser for one side of a chain as people write it, LaTeX and plain text alike.

Where people's habits leave two readings it takes the likelier one, notes what was ambiguous, and takes the
other one instead when it is asked for (`flips`). The kinds: ``"mixed"`` (``2\frac12``), ``"digits"``
(``2^10``), ``"slash"`` (``1/2x``), ``"ten"`` (``1/2 \times 10^3``), ``"shared"`` (``QK_{11}``).

Braces hold together what nobody sees. Braces and signs that are missing are put in.
"""

from __future__ import annotations

from typing import ClassVar

from symattn.errors import NotationError
from symattn.notation.parser.arithmetic import Readers
from symattn.notation.parser.operands import Item, as_operand, splice
from symattn.notation.sides.lexer.vocabulary import ENTRYWISE
from symattn.notation.sides.patterns import is_capital, is_mixed, shared_entry
from symattn.notation.sides.primaries import SidePrimaries
from symattn.notation.sides.scripts import SideScripts
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import clash, without_layout


class SideParser(SideScripts, SidePrimaries):
    """The grammar of one side, and its arithmetic; its bases read operands."""

    readers: ClassVar[Readers] = {
        "number": SidePrimaries.number, "name": SidePrimaries.word, "quoted": SidePrimaries.name,
        "reals": SidePrimaries.name, "mean": SidePrimaries.name, "open": SidePrimaries.brackets,
        "angle": SidePrimaries.brackets, "bar": SidePrimaries.bars, "brace": SidePrimaries.braced,
        "fraction": SidePrimaries.fraction, "root": SidePrimaries.root, "box": SidePrimaries.box,
        "font": SidePrimaries.font_command, "accent": SidePrimaries.accent, "brace-under": SidePrimaries.braced_under,
        "over": SidePrimaries.over, "matrix": SidePrimaries.matrix, "sum": SideScripts.sum_over,
        "dots": SidePrimaries.dots,
    }  # fmt: skip

    def side(self) -> t.Node:
        """Read the whole side."""
        items = [self.expression()]
        while self.here.kind in {"comma", "semicolon"} and self.peek().kind != "end":
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        if self.here.kind in {"comma", "semicolon"}:
            self.take()
        node = items[0].node
        if len(items) > 1:
            node = t.Vector(tuple(item.node for item in items), "(", span=(items[0].start, items[-1].end))
        return self.whole(node, items[0].start)

    # Sums ----------------------------------------------------------------------------------------

    def sum_of(self, items: list[Item], operators: list[str]) -> Item:
        """Build the sum; a sum in braces behind a plus is part of it, since braces are not seen."""
        terms, between = list[t.Node](), list[str]()
        for position, item in enumerate(items):
            node = as_operand(item)
            if position:
                between.append(operators[position - 1])
            if not isinstance(node, t.Sum):
                terms.append(node)
            elif position and between[-1] == "-":
                terms.append(t.Group(node, span=(item.start, item.end)))
            else:
                terms.extend(node.terms)
                between.extend(node.operators)
        span = (items[0].start, items[-1].end)
        return Item(t.Sum(tuple(terms), tuple(between), span=span), *span)

    def negated(self, item: Item) -> t.Node:
        """Return the operand of a minus; braces around a sum are taken for brackets here."""
        return _held(as_operand(item), item)

    def summand(self, body: Item) -> t.Node:
        """Return the body of a sum over an index; braces around a sum are taken for brackets here."""
        return _held(as_operand(body), body)

    # Quotients -----------------------------------------------------------------------------------

    def divisor(self) -> Item:
        """Read a divisor by the usual order: an operand beside the quotient is not part of it, unless asked for."""
        start = self.here.start
        item = self._bare_divisor()
        is_unclear = self._is_unclear() and self.note(
            "slash", "What stands beside a quotient with a slash belongs to its divisor or not.", start
        )
        return self._with_neighbours(item) if is_unclear else item

    def _bare_divisor(self) -> Item:
        if self.here.kind == "sign":
            return self.signed(self._bare_divisor)
        following = self.peek()
        if self.here.kind == "number" and following.kind == "times" and self.exponent_of_ten(2):
            reason = "The power of ten belongs to the divisor or not: write brackets."
            if self.note("ten", reason, following.start):
                return self.scripted()
        return self.scientific() or self.scripted()

    def _is_unclear(self) -> bool:
        """Return True if the next operand may belong to the divisor; nobody divides by a matrix or a list."""
        return self.starts_operand() and self.here.kind != "matrix" and self.here.text != "["

    def _with_neighbours(self, item: Item) -> Item:
        items = [item]
        while self.starts_operand():
            items.append(self.scripted())
            self.limit(len(items), "factors")
        return self.product(items, [""] * (len(items) - 1))

    def scientific(self) -> Item | None:
        r"""Read also ``6.9 \cdot 10^{-13}``; a positive power behind a dot is more likely arithmetic."""
        if self.here.kind != "number":
            return None
        sign = self.peek()
        if sign.kind != "times" or sign.text == "times":
            return super().scientific()
        found = self.exponent_of_ten(2)
        if sign.text != "cdot" or found is None or not found[0].startswith("-"):
            return None
        self.tokens[self.position + 1] = sign._replace(text="times")
        return super().scientific()

    # Products ------------------------------------------------------------------------------------

    def product(self, items: list[Item], operators: list[str]) -> Item:
        """Build the product of the factors, mixed numbers and shared indices found in it.

        Matrices that are multiplied entry by entry are a function of both, so that nobody takes it for their product.
        """
        if ENTRYWISE in operators:
            return self._entrywise(items, operators)
        flat, between = splice(items, operators)
        flat = [_as_factor(item, position, len(flat)) for position, item in enumerate(flat)]
        flat, between = self._mixed(flat, between)
        flat, between = self._shared(flat, between)
        span = (flat[0].start, flat[-1].end)
        if len(flat) == 1:
            return flat[0]
        node = t.Product(tuple(item.node for item in flat), self._with_dots(flat, between), span=span)
        return Item(without_layout(node, self.functions) if self.plain else node, *span)

    def _entrywise(self, items: list[Item], operators: list[str]) -> Item:
        cut = operators.index(ENTRYWISE)
        sides = ((items[: cut + 1], operators[:cut]), (items[cut + 1 :], operators[cut + 1 :]))
        left, right = (self.product(own, between) if between else own[0] for own, between in sides)
        span = (left.start, right.end)
        arguments = tuple(as_operand(item, (t.Relation,)) for item in (left, right))
        return Item(t.Call(t.Name(ENTRYWISE), arguments, span=span), *span)

    def _with_dots(self, items: list[Item], operators: list[str]) -> tuple[str, ...]:
        """Return the operators, with a dot where two factors could not be read back without one."""
        for position, operator in enumerate(operators):
            left, right = items[position], items[position + 1]
            reason = clash(left.node, operator, right.node, self.functions)
            if reason and isinstance(left.node, t.Number) and isinstance(right.node, t.Number):
                raise NotationError(
                    f"Found no operator where one was expected: {reason}; write a sign or a comma.", right.start
                )
            if reason:
                operators[position] = "cdot"
        return tuple(operators)

    def _mixed(self, items: list[Item], operators: list[str]) -> tuple[list[Item], list[str]]:
        r"""Turn ``2\frac12`` and ``2 1/2`` into sums, unless the product is asked for."""
        result, between = [items[0]], list[str]()
        for operator, item in zip(operators, items[1:], strict=True):
            left = result[-1]
            if operator or not is_mixed(left.node, item.node):
                result.append(item)
                between.append(operator)
                continue
            reason = "A whole number beside a fraction is their sum to some and their product to others: write a sign."
            if self.note("mixed", reason, left.start):
                result.append(item)
                between.append("cdot")
                continue
            span = (left.start, item.end)
            node = t.Group(t.Sum((left.node, item.node), ("+",), span=span), span=span)
            result[-1] = Item(node, *span)
        return result, between

    def _shared(self, items: list[Item], operators: list[str]) -> tuple[list[Item], list[str]]:
        """Turn ``QK_{11}`` and ``QK^T_{11}`` into entries of the product, unless the other reading is asked for."""
        result, between = [items[0]], list[str]()
        for position, (operator, item) in enumerate(zip(operators, items[1:], strict=True)):
            left = result[-1]
            is_third = len(result) > 1 and not operators[position - 1] and is_capital(result[-2].node)
            entry = None if operator or is_third else shared_entry(left, item)
            reason = "An index behind two names is that of their product or of the second: write brackets."
            if entry is None or self.note("shared", reason, left.start):
                result.append(item)
                between.append(operator)
            else:
                result[-1] = Item(entry, left.start, item.end)
        return result, between


def _held(node: t.Node, item: Item) -> t.Node:
    return t.Group(node, span=(item.start, item.end)) if isinstance(node, t.Sum) else node


def _as_factor(item: Item, position: int, count: int) -> Item:
    """Return a factor; an expression held together by braces gets the brackets that nobody saw."""
    node = as_operand(item)
    is_loose = isinstance(node, t.Sum) or (isinstance(node, t.Negative) and item.braced and position)
    if is_loose or (isinstance(node, t.SumOver) and position < count - 1):
        node = t.Group(node, span=(item.start, item.end))
    return item._replace(node=node)
