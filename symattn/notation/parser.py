"""The precedence parser that both readers share: sums, products, quotients, scripts, brackets.

It goes once over the tokens. What stands by itself (a number, a name, a command) is read by the
subclass of the notation; everything between is the same in LaTeX and in plain text.
"""

from __future__ import annotations

from collections.abc import Callable

from symattn.errors import NotationError
from symattn.notation import limits
from symattn.notation import tree as t
from symattn.notation.cursor import Cursor
from symattn.notation.operands import Item, as_operand, as_part, enclosed, product_of
from symattn.notation.precedence import calls, is_function
from symattn.notation.scripts import TOP, Scripts, is_reals, with_scripts
from symattn.notation.tokens import numeral
from symattn.notation.walk import depth

BLACKBOARD = {"reals": ("R", "blackboard"), "mean": ("E", "blackboard")}
"""The names that blackboard characters stand for, by the kind of their token."""

_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


class Parser(Cursor):
    """The shared grammar.

    A subclass says which kinds of token an operand can begin with, and whether a second index may follow
    the first.
    """

    operand_kinds: frozenset[str] = frozenset()
    has_second_index = True

    def formula(self) -> t.Node:
        """The whole text: an expression or a chain of relations."""
        node = self.chain()
        if self.here.kind == "comma":
            self.refuse_digit_groups()
            raise NotationError(
                "A second statement begins at this comma: read one statement at a time.", self.here.start
            )
        if self.here.kind != "end":
            self.unexpected("an operator or the end of the formula")
        if depth(node) > limits.MAX_DEPTH:
            raise NotationError(f"The formula has more than {limits.MAX_DEPTH} levels.", 0)
        return node

    def chain(self) -> t.Node:
        """Sides with relations between them; the first and the last side can be missing."""
        start = self.here
        sides: list[t.Node | None] = []
        operators: list[str] = []
        end = start.end
        while True:
            if self.starts_expression():
                item = self.expression()
                sides.append(item.node)
                end = item.end
            elif self.at_close() or (self.here.kind == "relation" and not sides):
                sides.append(None)
            else:
                self.unexpected("a number, a name or a bracket")
            if self.here.kind != "relation":
                break
            end = self.here.end
            operators.append(self.take().text)
            self.limit(len(sides), "sides")
        return self.related(sides, operators, (start.start, end))

    def related(self, sides: list[t.Node | None], operators: list[str], span: t.Span) -> t.Node:
        """The chain of what was read, or its only side."""
        if all(side is None for side in sides):
            raise NotationError("There is nothing on either side: write an expression.", span[0])
        if not operators and sides[0] is not None:
            return sides[0]
        return t.Relation(tuple(sides), tuple(operators), span=span)

    def at_close(self) -> bool:
        """Whether nothing follows that could be read."""
        return self.here.kind in {"end", "unbrace", "close"}

    def starts_expression(self) -> bool:
        """Whether an expression begins here."""
        return self.here.kind == "sign" or self.starts_operand()

    def starts_operand(self) -> bool:
        """Whether an operand begins here, so that it stands beside what was read before."""
        return self.here.kind in self.operand_kinds

    def expression(self) -> Item:
        """A sum: terms with plus and minus between them."""
        self.enter(self.here.start)
        items = [self.term()]
        operators: list[str] = []
        while self.here.kind == "sign":
            operators.append(self.take().text)
            items.append(self.term())
            self.limit(len(items), "terms")
        self.leave()
        if not operators:
            return items[0]
        terms = tuple(as_operand(item, (t.Relation, t.Sum)) for item in items)
        span = (items[0].start, items[-1].end)
        return Item(t.Sum(terms, tuple(operators), span=span), *span)

    def term(self) -> Item:
        """A product, with minus signs before it."""
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
        return self.product(items, operators)

    def product(self, items: list[Item], operators: list[str]) -> Item:
        """The product of the factors that were read, or the only one."""
        if not operators:
            return items[0]
        node = product_of(items, operators, self.functions)
        return Item(node, items[0].start, items[-1].end)

    def signed(self, operand: Callable[[], Item]) -> Item:
        """An operand behind its sign; a plus sign says nothing."""
        sign = self.take()
        self.enter(sign.start)
        item = self.signed(operand) if self.here.kind == "sign" else operand()
        self.leave()
        if sign.text == "+":
            return item._replace(start=sign.start)
        loose = (t.Relation, t.Sum) if item.braced else (t.Relation,)
        return Item(t.Negative(as_operand(item, loose), span=(sign.start, item.end)), sign.start, item.end)

    def quotient(self) -> Item:
        """Operands with slashes between them, the first two together first."""
        item = self.scientific() or self.scripted()
        if self.here.kind != "slash":
            return item
        for _ in range(limits.MAX_NESTING):
            self.take()
            start = self.here.start
            divisor = self.signed(self.scripted) if self.here.kind == "sign" else self.scripted()
            self.refuse_unclear_divisor(start)
            node = t.Division(as_part(item), as_part(divisor), bar=False, span=(item.start, divisor.end))
            item = Item(node, item.start, divisor.end)
            if self.here.kind != "slash":
                return item
        raise NotationError(f"There are more than {limits.MAX_NESTING} slashes in a row here.", self.here.start)

    def refuse_unclear_divisor(self, start: int) -> None:
        """1/2x and 1/6.9 × 10^3: nobody can tell what belongs to the divisor."""
        if self.starts_operand():
            raise NotationError(
                "Ambiguous: what stands beside a quotient with a slash may belong to its divisor or not, "
                "(a/b) c or a/(b c): write the brackets.",
                start,
            )
        if self.here.kind == "times" and self.here.text == "times" and self.exponent_of_ten(1):
            raise NotationError("Ambiguous: the power of ten may belong to the divisor or not: write brackets.", start)

    def scientific(self) -> Item | None:
        """A numeral with its power of ten, ``6.90 × 10^{-13}``, which is one number."""
        mantissa = self.here
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
        """The integer exponent of a 10 that stands at this offset, and how many tokens both are."""
        if self.peek(offset).text != "10" or self.peek(offset + 1).kind != "above":
            return None
        at = offset + 2
        opened = self.peek(at).text if self.peek(at).kind in {"brace", "open"} else ""
        at += bool(opened)
        sign = self.peek(at).text if self.peek(at).kind == "sign" else ""
        at += bool(sign)
        digits = self.peek(at)
        closed = not opened or self.peek(at + 1).text == _CLOSED_BY[opened]
        if digits.kind != "number" or not digits.text.isdigit() or not closed:
            return None
        if not self.is_whole_exponent(opened, sign, digits.text):
            return None
        return sign.replace("+", "") + digits.text, at + 1 + bool(opened) - offset

    def is_whole_exponent(self, opened: str, sign: str, digits: str) -> bool:  # noqa: ARG002 - for a subclass
        """Whether these tokens are the whole exponent; in TeX only one token or braces are."""
        return True

    # What stands by itself -----------------------------------------------------------------------

    def scripted(self) -> Item:
        """An operand with what stands above and below it."""
        item = self.primary()
        if self.here.kind not in {"above", "below", "prime"}:
            return item
        return with_scripts(item, self.scripts(item))

    def scripts(self, item: Item) -> Scripts:
        """The indices and the exponent or transpose that follow a base, in either order."""
        below: list[tuple[tuple[t.Node, ...], int]] = []
        above: t.Node | str | None = None
        while self.here.kind in {"above", "below", "prime"}:
            mark = self.take()
            if mark.kind == "below":
                if below and not self.has_second_index:
                    raise NotationError("A second index follows: write both in one pair of braces.", mark.start)
                indices = self.index(item)
                below.append((indices, self.read_end))
            elif above is not None:
                raise NotationError(
                    "Ambiguous: a second exponent or prime follows, a^(b^c) or (a^b)^c: write brackets.",
                    mark.start,
                )
            else:
                above = TOP if mark.kind == "prime" else self.star() or self.exponent(item)
                above = TOP if above == t.Name("T") and not is_reals(item.node) else above
            self.limit(len(below), "indices")
        return Scripts(below, above, self.read_end)

    def star(self) -> t.Node | None:
        """A star in the exponent, which is a mark and no product."""
        token = self.here
        if token.kind != "times" or token.text != "cdot":
            return None
        self.take()
        return t.Name("star", span=(token.start, token.end))

    def index(self, item: Item) -> tuple[t.Node, ...]:
        """The indices after an index mark."""
        raise NotImplementedError

    def exponent(self, item: Item) -> t.Node | str:
        """The exponent after an exponent mark, or `TOP` for the mark of a transpose."""
        raise NotImplementedError

    def primary(self) -> Item:
        """A number, a name, a bracket, or a command with its arguments."""
        raise NotImplementedError

    def number(self) -> Item:
        """A numeral."""
        token = self.take()
        return Item(t.Number(token.text, span=(token.start, token.end)), token.start, token.end)

    def dots(self) -> Item:
        """Dots for what was left out."""
        token = self.take()
        return Item(t.Dots(token.text, span=(token.start, token.end)), token.start, token.end)

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """A name, or the call that it begins when it is the name of a function."""
        if not calls(name, self.functions):
            return Item(name, start, end)
        if self.here.kind == "open":
            items, opened = self.list_items()
            end = self.tokens[self.position - 1].end
            arguments = [item.node for item in items]
            if opened == "[" and len(items) > 1 and isinstance(enclosed(items, "[", (start, end)), t.Matrix):
                arguments = [enclosed(items, "[", (start, end))]
            return self.call(name, items, arguments, (start, end))
        if not self.starts_operand() or not is_function(name.text, self.functions):
            return Item(name, start, end)
        self.enter(start)
        item = self.scripted()
        self.leave()
        if self.starts_operand():
            raise NotationError(
                f"Ambiguous: the argument of {name.text} may end here or not: write it in brackets.",
                self.here.start,
            )
        return self.call(name, [item], [item.node], (start, item.end))

    def call(self, name: t.Name, items: list[Item], arguments: list[t.Node], span: t.Span) -> Item:
        """A call; that of sqrt is a root."""
        if name.text == "sqrt":
            if len(arguments) != 1:
                raise NotationError("A square root has one argument.", span[0])
            return Item(t.Root(as_operand(items[0]), span=span), *span)
        return Item(t.Call(name, tuple(arguments), span=span), *span)

    def brackets(self) -> Item:
        """Brackets around an expression or a list."""
        start = self.here.start
        items, opened = self.list_items()
        end = self.tokens[self.position - 1].end
        return Item(enclosed(items, opened, (start, end)), start, end)

    def list_items(self) -> tuple[list[Item], str]:
        """The items between two brackets, and the opening bracket."""
        opened = self.take()
        items = [self.expression()]
        while self.here.kind == "comma":
            self.refuse_digit_groups(opened.text)
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        self.expect("close", _CLOSED_BY[opened.text], opened)
        return items, opened.text

    def refuse_digit_groups(self, opened: str = "") -> None:
        """1,000 is a thousand to some and two numbers to others."""
        left, comma, right = self.tokens[self.position - 1], self.here, self.peek()
        if left.kind != "number" or right.kind != "number" or left.end != comma.start or comma.end != right.start:
            return
        grouped = left.text.isdigit() and len(left.text) <= 3 and not left.text.startswith("0")
        if not grouped or len(right.text.partition(".")[0]) != 3 or (opened == "[" and not right.text.startswith("0")):
            return
        raise NotationError(
            f"{left.text},{right.text} is ambiguous: the integer {left.text}{right.text}, a decimal comma, "
            "or a list of two numbers.",
            left.start,
        )

    def sum_over(self) -> Item:
        """A sum over an index, with its bounds in either order; its body goes to the next plus or minus."""
        opened = self.take()
        index: t.Name | None = None
        lower: t.Node = t.Number("1")
        upper: t.Node | str | None = None
        while self.here.kind in {"above", "below"}:
            mark = self.take()
            if mark.kind == "above" and upper is None:
                upper = self.exponent(Item(t.Name("sum"), opened.start, opened.end))
            elif mark.kind == "below" and index is None:
                index, lower = self.lower_bound()
            else:
                raise NotationError("This sum has two bounds on one side.", mark.start)
        if index is None or upper is None or isinstance(upper, str):
            raise NotationError("A sum wants its index and both bounds, from j=1 below to n above.", opened.start)
        self.enter(opened.start)
        body = self.term()
        self.leave()
        node = as_operand(body, (t.Relation, t.Sum))
        span = (opened.start, body.end)
        return Item(t.SumOver(index, lower, upper, node, span=span), *span)

    def lower_bound(self) -> tuple[t.Name, t.Node]:
        """The index of a sum and where it begins; without a beginning it begins at 1."""
        raise NotImplementedError

    def bound_index(self) -> tuple[t.Name, t.Node]:
        """``j=1``, or ``j`` alone."""
        item = self.primary()
        if not isinstance(item.node, t.Name):
            raise NotationError("The index of a sum must be a name.", item.start)
        if self.here.kind != "relation" or self.here.text != "=":
            return item.node, t.Number("1")
        self.take()
        return item.node, as_operand(self.expression())
