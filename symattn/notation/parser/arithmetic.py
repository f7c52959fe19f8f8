r"""TRUSTED. Sums, products and quotients, and the state of the parser of formulas.

It goes once over the tokens. Where people's habits leave two readings, a lenient dialect takes the likelier one, notes
what was ambiguous, and takes the other one instead when it is asked for (`flips`): ``"mixed"`` (``2\frac12``),
``"digits"`` (``2^10``), ``"slash"`` (``1/2x``), ``"ten"`` (``1/2 \times 10^3``), ``"shared"`` (``QK_{11}``) and
``"pair"`` (``i \neq j``). A strict dialect refuses. Where nothing but braces, which nobody sees, holds an operand
together, a strict dialect refuses, too, and a lenient one puts the brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar, NoReturn, TypeAlias

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import ENTRYWISE, Dialect
from symattn.notation.lexer.separators import Note
from symattn.notation.lexer.tokens import Cursor, Token, numeral
from symattn.notation.parser.operands import Item, as_operand, as_part, splice
from symattn.notation.parser.patterns import is_capital, is_mixed, shared_entry
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import clash, without_layout

Readers: TypeAlias = Mapping[str, Callable[[Any], Item]]
"""The method of the parser that reads an operand, by the kind of the token that the operand begins with."""

_NO_OPERATOR = "Found no operator where one was expected"
_DASH = (t.UNDEFINED.text, t.UNDEFINED.font)
_ENTRY_BEGINS = frozenset({"open", "matrix", "cell", "row", "comma", "semicolon"})
_ENTRY_ENDS = frozenset({"close", "endmatrix", "cell", "row", "comma", "semicolon"})


class Operations(Cursor):
    """The grammar of arithmetic: operands with signs between them.

    Args:
        tokens: those of one formula, the separators settled.
        dialect: how it is written.
        functions: names that call what stands in brackets behind them.
        flips: the kinds of ambiguity in which the less likely reading is asked for.
    """

    readers: ClassVar[Readers] = {}

    def __init__(
        self, tokens: list[Token], dialect: Dialect, functions: frozenset[str], flips: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(list(tokens), functions)
        self.dialect = dialect
        self.words = dialect.words
        self.lenient = dialect.lenient
        self.flips = flips
        self.notes: dict[str, Note] = {}
        # What is open here: the font, the indices of sums, and bars, means and lists with the depth of their brackets.
        self.font = ""
        self.summing: list[str] = []
        self.bars_open: list[tuple[str, int]] = []
        self.means_open: list[int] = []
        self.lists_open: list[int] = []
        self.places: list[tuple[int, int]] = []

    def unclear(self, kind: str, reason: str, at: int) -> bool:
        """Note an ambiguity, the first of each kind, and return True if its other reading was asked for.

        Raises:
            NotationError: in a strict dialect.
        """
        if not self.lenient:
            raise NotationError(f"Ambiguous: {reason}", at)
        self.notes.setdefault(kind, Note(reason, at))
        return kind in self.flips

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the next token; what is read of people's work is one side, without relations."""
        if self.lenient:
            self.refuse_relation()
        super().unexpected(wanted)

    def held(self, item: Item, loose: tuple[type, ...]) -> t.Node:
        """Return an operand; one of the `loose` nodes, which braces alone hold together, wants brackets."""
        node = as_operand(item, () if self.lenient else loose)
        return t.Group(node, span=(item.start, item.end)) if isinstance(node, loose) else node

    # Operands ------------------------------------------------------------------------------------

    def starts_expression(self) -> bool:
        """Return True if an expression begins here."""
        return self.here.kind == "sign" or self.starts_operand()

    def at_close(self) -> bool:
        """Return True if nothing follows that could be read."""
        return self.here.kind in {"end", "unbrace", "close"}

    def primary(self) -> Item:
        """Read a number, a name, a bracket, or a command with its arguments."""
        kind = self.tokens[self.position].kind
        return self.readers[kind](self) if kind in self.readers else self._stray()

    def _stray(self) -> Item:
        """Read a place that people leave open, ``Var(·)``, as dots; refuse any other token that begins no operand."""
        if not self.lenient or self.here.kind != "times" or self.peek().kind not in _ENTRY_ENDS:
            self.unexpected("a number, a name or a bracket")
        token = self.take()
        return Item.of(t.Dots("cdots", span=token.span))

    def nested_operand(self, start: int) -> Item:
        """Read an operand one level deeper."""
        self.enter(start)
        item = self.scripted()
        self.leave()
        return item

    def lone_operand(self, start: int, role: str) -> Item:
        """Read an operand without brackets, and refuse another one beside it."""
        item = self.nested_operand(start)
        if self.starts_operand():
            raise NotationError(f"Ambiguous: {role} may end here or not: write it in brackets.", self.here.start)
        return item

    # Read by subclasses --------------------------------------------------------------------------

    def starts_operand(self) -> bool:
        """Return True if an operand begins here, so that it stands beside the one before."""
        raise NotImplementedError

    def scripted(self) -> Item:
        """Read an operand with its indices and exponents."""
        raise NotImplementedError

    def items(self, opened: str) -> list[Item]:
        """Read expressions with commas between them, up to the closing bracket."""
        raise NotImplementedError

    def list_items(self) -> tuple[list[Item], str]:
        """Read the items between two brackets, and the opening bracket."""
        raise NotImplementedError

    def quotient_of(self, item: Item) -> Item:
        """Return a quotient, or the derivative that it stands for."""
        raise NotImplementedError

    # Sums ----------------------------------------------------------------------------------------

    def expression(self) -> Item:
        """Read terms with plus and minus between them, or one term."""
        if self.here.kind == "sign" and self._is_lone_dash():
            token = self.take()
            return Item.of(t.Name(*_DASH, span=token.span))
        self.enter(self.here.start)
        items = [self.term()]
        operators: list[str] = []
        while self.here.kind == "sign":
            operators.append(self.take().text)
            items.append(self.term())
            self.limit(len(items), "terms")
        self.leave()
        return self._sum_of(items, operators) if operators else items[0]

    def _is_lone_dash(self) -> bool:
        """Return True if the sign here is a whole entry of a matrix or of a list: an undefined one."""
        before = self.tokens[self.position - 1] if self.position else self.here
        is_alone = before.kind in _ENTRY_BEGINS and self.peek().kind in _ENTRY_ENDS
        return self.here.text == "-" and is_alone and (before.kind != "open" or before.text == "[")

    def _sum_of(self, items: list[Item], operators: list[str]) -> Item:
        """Build the sum; what people put in braces behind a plus is part of it, since braces are not seen."""
        terms, between = list[t.Node](), list[str]()
        for item, operator in zip(items, ["", *operators], strict=True):
            between.extend([operator] if operator else [])
            if self.lenient and operator != "-" and isinstance(item.node, t.Sum):
                terms.extend(item.node.terms)
                between.extend(item.node.operators)
            else:
                terms.append(self.held(item, (t.Relation, t.Sum)))
        return Item.of(t.Sum(tuple(terms), tuple(between), span=(items[0].start, items[-1].end)))

    def signed(self, operand: Callable[[], Item]) -> Item:
        """Read an operand behind its sign; a plus sign says nothing."""
        sign = self.take()
        self.enter(sign.start)
        item = self.signed(operand) if self.here.kind == "sign" else operand()
        self.leave()
        if sign.text == "+":
            return item._replace(start=sign.start)
        node = self.held(item, (t.Relation, t.Sum))
        return Item(t.Negative(node, span=(sign.start, item.end)), sign.start, item.end)

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
        """Build the product of the factors; in people's work mixed numbers and shared indices are found in it.

        Matrices that are multiplied entry by entry are a function of both, so that nobody takes it for their product.
        """
        if ENTRYWISE in operators:
            return self._entrywise(items, operators)
        flat, between = splice(items, operators)
        flat = [item._replace(node=self._factor(item, k, len(flat))) for k, item in enumerate(flat)]
        if self.lenient:
            flat, between = self._shared(*self._mixed(flat, between))
        if len(flat) == 1:
            return flat[0]
        span = (flat[0].start, flat[-1].end)
        node = t.Product(tuple(item.node for item in flat), self._checked(flat, between), span=span)
        return Item(without_layout(node, self.functions) if self.words else node, *span)

    def _factor(self, item: Item, position: int, count: int) -> t.Node:
        is_sign_alone = (position and item.braced) if self.lenient else not position
        loose = (t.Negative,) if is_sign_alone else ()
        return self.held(item, (t.Relation, t.Sum, *loose, *((t.SumOver,) if position < count - 1 else ())))

    def _checked(self, items: list[Item], operators: list[str]) -> tuple[str, ...]:
        """Return the operators, with a dot between two factors of people's work that could not be read back."""
        for position, (left, right) in enumerate(pairwise(items)):
            reason = clash(left.node, operators[position], right.node, self.functions)
            if self.lenient and not operators[position] and self._are_apart(left, right):
                reason = "two numbers stand side by side"
                raise NotationError(f"{_NO_OPERATOR}: {reason}; write a sign or a comma.", right.start)
            if not reason:
                continue
            if not self.lenient and isinstance(right.node, t.Division):
                raise NotationError(
                    f"Ambiguous: {reason}: write the sum with a plus, or the product with a multiplication sign.",
                    right.start,
                )
            if not self.lenient:
                raise NotationError(f"{_NO_OPERATOR}: {reason}; write a sign or a comma.", right.start)
            operators[position] = "cdot"
        return tuple(operators)

    def _are_apart(self, left: Item, right: Item) -> bool:
        """Return True for a number behind a number or a list: a row, or a new statement, but no product.

        In plain text a gap parts a number from all but names, and a root from a number.
        """
        head, distance = _head(right.node), right.start - left.end if self.words else 0
        if isinstance(head, t.Root):
            return distance > 1 and _ends_with_number(left.node)
        if not isinstance(head, t.Number) or self._is_mixed(left, right):
            return False
        if isinstance(left.node, t.Vector | t.Matrix) or _ends_with_number(left.node):
            return True
        return distance > 1 and not isinstance(left.node, t.Name | t.Subscript)

    def _is_mixed(self, left: Item, right: Item) -> bool:
        """Return True for a mixed number, in plain text one without a gap inside."""
        return is_mixed(left.node, right.node) and not (self.words and right.start - left.end > 1)

    def _entrywise(self, items: list[Item], operators: list[str]) -> Item:
        cut = operators.index(ENTRYWISE)
        sides = ((items[: cut + 1], operators[:cut]), (items[cut + 1 :], operators[cut + 1 :]))
        left, right = (self.product(own, between) if between else own[0] for own, between in sides)
        span = (left.start, right.end)
        arguments = as_operand(left), as_operand(right)
        return Item(t.Call(t.Name(ENTRYWISE), arguments, span=span), *span)

    def _mixed(self, items: list[Item], operators: list[str]) -> tuple[list[Item], list[str]]:
        r"""Turn ``2\frac12`` and ``2 1/2`` into sums, unless the product is asked for."""
        result, between = [items[0]], list[str]()
        for operator, item in zip(operators, items[1:], strict=True):
            left = result[-1]
            reason = "A whole number beside a fraction is their sum to some and their product to others: write a sign."
            if operator or not self._is_mixed(left, item) or self.unclear("mixed", reason, left.start):
                result.append(item)
                between.append(operator)
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
            if entry is None or self.unclear("shared", reason, left.start):
                result.append(item)
                between.append(operator)
            else:
                result[-1] = Item(entry, left.start, item.end)
        return result, between

    # Quotients -----------------------------------------------------------------------------------

    def quotient(self) -> Item:
        """Read operands with slashes between them, the first two together first."""
        item = self.scientific() or self.scripted()
        if self.here.kind != "slash":
            return item
        for _ in range(limits.MAX_NESTING):
            self.take()
            divisor = self._divisor()
            node = t.Division(as_part(item), as_part(divisor), bar=False, span=(item.start, divisor.end))
            item = self.quotient_of(Item(node, item.start, divisor.end))
            if self.here.kind != "slash":
                return item
        raise NotationError(f"There are more than {limits.MAX_NESTING} slashes in a row here.", self.here.start)

    def _divisor(self) -> Item:
        """Read a divisor by the usual order: an operand beside the quotient is not part of it, unless asked for.

        Nobody can tell where the divisor of ``1/2x`` or ``1/6.9 × 10^3`` ends; nobody divides by a matrix or a list.
        """
        start = self.here.start
        item = self.signed(self._bare_divisor) if self.here.kind == "sign" else self._bare_divisor()
        reason = (
            "What stands beside a quotient with a slash belongs to its divisor or not, (a/b) c or a/(b c): "
            "write the brackets."
        )
        is_list = self.lenient and (self.here.kind == "matrix" or self.here.text == "[")
        if not self.starts_operand() or is_list or not self.unclear("slash", reason, start):
            return item
        items = [item]
        while self.starts_operand():
            items.append(self.scripted())
            self.limit(len(items), "factors")
        return self.product(items, [""] * (len(items) - 1))

    def _bare_divisor(self) -> Item:
        reason = "The power of ten belongs to the divisor or not: write brackets."
        if self.lenient:
            times = self.peek()
            is_power = self.here.kind == "number" and times.kind == "times" and self._exponent_of_ten(2) is not None
            if is_power and self.unclear("ten", reason, times.start):
                return self.scripted()
            return self.scientific() or self.scripted()
        start = self.here.start
        item = self.scripted()
        if self.here.kind == "times" and self.here.text == "times" and self._exponent_of_ten(1):
            self.unclear("ten", reason, start)
        return item

    # Numbers with a power of ten -----------------------------------------------------------------

    def scientific(self) -> Item | None:
        r"""Read a numeral with its power of ten, ``6.90 × 10^{-13}``, which is one number.

        People write it with a dot, too; a positive power behind a dot is more likely arithmetic.
        """
        mantissa, sign = self.tokens[self.position], self.peek()
        if mantissa.kind != "number" or "e" in mantissa.text or sign.kind != "times":
            return None
        found = self._exponent_of_ten(2)
        is_dot = self.lenient and sign.text == "cdot" and found is not None and found[0].startswith("-")
        if found is None or not (sign.text == "times" or is_dot):
            return None
        exponent, length = found
        self.position += 2 + length
        end = self.tokens[self.position - 1].end
        text = numeral(f"{mantissa.text}e{exponent}", mantissa.start)
        return Item(t.Number(text, span=(mantissa.start, end)), mantissa.start, end)

    def _exponent_of_ten(self, offset: int) -> tuple[str, int] | None:
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
        # In TeX only one token or braces are the whole exponent.
        is_whole = opened == "{" or (not opened and not sign and len(digits.text) == 1)
        if not (is_whole or self.words or self.lenient):
            return None
        return sign.replace("+", "") + digits.text, at + 1 + bool(opened) - offset


def _head(node: t.Node) -> t.Node:
    """Return the operand that a factor is written with first."""
    while isinstance(node, t.Power | t.Division) and not (isinstance(node, t.Division) and node.bar):
        node = node.base if isinstance(node, t.Power) else node.numerator
    return node


def _ends_with_number(node: t.Node) -> bool:
    while isinstance(node, t.Negative | t.Division) and not (isinstance(node, t.Division) and node.bar):
        node = node.body if isinstance(node, t.Negative) else node.denominator
    return isinstance(node, t.Number)
