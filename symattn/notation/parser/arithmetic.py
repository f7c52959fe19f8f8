"""TRUSTED. Sums, products and quotients: the arithmetic that all readers of formulas share.

It goes once over the tokens. What an operand is, and what becomes of places where people are loose, the
subclass says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Cursor, numeral
from symattn.notation.parser.operands import Item, as_operand, as_part, build_product
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t

Readers: TypeAlias = Mapping[str, Callable[[Any], Item]]
"""The method of a reader that reads an operand, by the kind of the token that the operand begins with."""


_DASH = (t.UNDEFINED.text, t.UNDEFINED.font)
_ENTRY_BEGINS = frozenset({"open", "matrix", "cell", "row", "comma", "semicolon"})
_ENTRY_ENDS = frozenset({"close", "endmatrix", "cell", "row", "comma", "semicolon"})


class Operations(Cursor):
    """The grammar of arithmetic: operands with signs between them."""

    readers: ClassVar[Readers] = {}

    def starts_expression(self) -> bool:
        """Return True if an expression begins here."""
        return self.here.kind == "sign" or self.starts_operand()

    def starts_operand(self) -> bool:
        """Return True if an operand begins here, so that it stands beside the one before."""
        return self.tokens[self.position].kind in self.readers

    def primary(self) -> Item:
        """Read a number, a name, a bracket, or a command with its arguments."""
        kind = self.tokens[self.position].kind
        return self.readers[kind](self) if kind in self.readers else self.stray()

    def stray(self) -> Item:
        """Refuse a token in the place of an operand, or read it as one."""
        return self.unexpected("a number, a name or a bracket")

    def scripted(self) -> Item:
        """Read an operand with its indices and exponents."""
        raise NotImplementedError

    # Sums ----------------------------------------------------------------------------------------

    def expression(self) -> Item:
        """Read terms with plus and minus between them, or one term."""
        if self.here.kind == "sign" and self.is_lone_dash():
            token = self.take()
            return Item(t.Name(*_DASH, span=(token.start, token.end)), token.start, token.end)
        self.enter(self.here.start)
        items = [self.term()]
        operators: list[str] = []
        while self.here.kind == "sign":
            operators.append(self.take().text)
            items.append(self.term())
            self.limit(len(items), "terms")
        self.leave()
        return self.sum_of(items, operators) if operators else items[0]

    def is_lone_dash(self) -> bool:
        """Return True if the sign here is a whole entry of a matrix or of a list: an undefined one."""
        before = self.tokens[self.position - 1] if self.position else self.here
        is_alone = before.kind in _ENTRY_BEGINS and self.peek().kind in _ENTRY_ENDS
        return self.here.text == "-" and is_alone and (before.kind != "open" or before.text == "[")

    def sum_of(self, items: list[Item], operators: list[str]) -> Item:
        """Build the sum of two terms or more."""
        terms = tuple(as_operand(item, (t.Relation, t.Sum)) for item in items)
        span = (items[0].start, items[-1].end)
        return Item(t.Sum(terms, tuple(operators), span=span), *span)

    def signed(self, operand: Callable[[], Item]) -> Item:
        """Read an operand behind its sign; a plus sign says nothing."""
        sign = self.take()
        self.enter(sign.start)
        item = self.signed(operand) if self.here.kind == "sign" else operand()
        self.leave()
        if sign.text == "+":
            return item._replace(start=sign.start)
        return Item(t.Negative(self.negated(item), span=(sign.start, item.end)), sign.start, item.end)

    def negated(self, item: Item) -> t.Node:
        """Return the operand of a minus sign."""
        return as_operand(item, (t.Relation, t.Sum) if item.braced else (t.Relation,))

    # Products ------------------------------------------------------------------------------------

    def term(self) -> Item:
        """Read a product, with minus signs before it."""
        if self.here.kind == "sign":
            return self.signed(self.term)
        items = [self.quotient()]
        operators: list[str] = []
        while True:
            if self.here.kind == "times":
                operators.append(self.take().text)
                items.append(self.signed(self.quotient) if self.here.kind == "sign" else self.quotient())
            elif self.starts_operand():
                operators.append("")
                items.append(self.quotient())
            else:
                break
            self.limit(len(items), "factors")
        return self.product(items, operators) if operators else items[0]

    def product(self, items: list[Item], operators: list[str]) -> Item:
        """Build the product of two factors or more."""
        node = build_product(items, operators, self.functions)
        return Item(node, items[0].start, items[-1].end)

    # Quotients -----------------------------------------------------------------------------------

    def quotient(self) -> Item:
        """Read operands with slashes between them, the first two together first."""
        item = self.scientific() or self.scripted()
        if self.here.kind != "slash":
            return item
        for _ in range(limits.MAX_NESTING):
            self.take()
            divisor = self.divisor()
            node = t.Division(as_part(item), as_part(divisor), bar=False, span=(item.start, divisor.end))
            item = self.quotient_of(Item(node, item.start, divisor.end))
            if self.here.kind != "slash":
                return item
        raise NotationError(f"There are more than {limits.MAX_NESTING} slashes in a row here.", self.here.start)

    def quotient_of(self, item: Item) -> Item:
        """Return a quotient, or the node that it stands for."""
        return item

    def divisor(self) -> Item:
        """Read a divisor; 1/2x and 1/6.9 × 10^3 are refused: nobody can tell where it ends."""
        start = self.here.start
        item = self.signed(self.scripted) if self.here.kind == "sign" else self.scripted()
        if self.starts_operand():
            raise NotationError(
                "Ambiguous: what stands beside a quotient with a slash may belong to its divisor or not, "
                "(a/b) c or a/(b c): write the brackets.",
                start,
            )
        if self.here.kind == "times" and self.here.text == "times" and self.exponent_of_ten(1):
            raise NotationError("Ambiguous: the power of ten may belong to the divisor or not: write brackets.", start)
        return item

    # Numbers with a power of ten -----------------------------------------------------------------

    def scientific(self) -> Item | None:
        """Read a numeral with its power of ten, ``6.90 × 10^{-13}``, which is one number."""
        mantissa = self.tokens[self.position]
        if mantissa.kind != "number" or "e" in mantissa.text or self.peek().text != "times":
            return None
        found = self.exponent_of_ten(2)
        if found is None:
            return None
        exponent, length = found
        self.position += 2 + length
        end = self.tokens[self.position - 1].end
        text = numeral(f"{mantissa.text}e{exponent}", mantissa.start)
        return Item(t.Number(text, span=(mantissa.start, end)), mantissa.start, end)

    def exponent_of_ten(self, offset: int) -> tuple[str, int] | None:
        """Return the integer exponent of a 10 at this offset, and the number of tokens of both."""
        if self.peek(offset).text != "10" or self.peek(offset + 1).kind != "above":
            return None
        at = offset + 2
        opened = self.peek(at).text if self.peek(at).kind in {"brace", "open"} else ""
        at += bool(opened)
        sign = self.peek(at).text if self.peek(at).kind == "sign" else ""
        at += bool(sign)
        digits = self.peek(at)
        closed = not opened or self.peek(at + 1).text == symbols.CLOSING[opened]
        if digits.kind != "number" or not digits.text.isdigit() or not closed:
            return None
        if not self.is_whole_exponent(opened, sign, digits.text):
            return None
        return sign.replace("+", "") + digits.text, at + 1 + bool(opened) - offset

    def is_whole_exponent(self, opened: str, sign: str, digits: str) -> bool:  # noqa: ARG002 - for a subclass
        """Return True if these tokens are the whole exponent; in TeX only one token or braces are."""
        return True
