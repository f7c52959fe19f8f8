"""TRUSTED. The precedence parser that all readers share: chains, scripts, names, calls, brackets.

What is particular to a notation (TeX's arguments, words in plain text, people's habits) is read by the
subclass; everything else is the same in LaTeX and in plain text.
"""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Operations
from symattn.notation.parser.operands import Item, as_operand, build_enclosed, build_matrix
from symattn.notation.parser.scripts import TOP, Scripts, is_reals, with_scripts
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import calls, is_function, is_label, turned_label
from symattn.notation.tree.traversal import depth

MARKS = frozenset({"above", "below", "prime"})
"""The kinds of tokens that set something above or below an operand."""

_BLACKBOARD = {"reals": ("R", "blackboard"), "mean": ("E", "blackboard")}


class Parser(Operations):
    """The shared grammar; a subclass defines the readers of its operands (`readers`)."""

    has_second_index = True
    """True if a second index may follow the first."""

    index_separators = frozenset({"comma"})
    """Kinds of tokens that separate the indices in one pair of braces."""

    def __init__(self, tokens: list[Token], functions: frozenset[str]) -> None:
        super().__init__(tokens, functions)
        self.font = ""

    # Chains --------------------------------------------------------------------------------------

    def formula(self) -> t.Node:
        """Read the whole text: an expression or a chain of relations."""
        node = self.chain()
        if self.here.kind == "comma":
            self.refuse_digit_groups()
            raise NotationError(
                "A second statement begins at this comma: read one statement at a time.", self.here.start
            )
        return self.whole(node, 0)

    def whole(self, node: t.Node, start: int) -> t.Node:
        """Return the tree, when nothing follows and it is not too deep."""
        if self.here.kind != "end":
            self.unexpected("an operator or the end of the formula")
        if depth(node) > limits.MAX_DEPTH:
            raise NotationError(f"The formula has more than {limits.MAX_DEPTH} levels.", start)
        return node

    def chain(self) -> t.Node:
        """Read sides with relations between them; the first and the last side can be missing."""
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
        """Build the chain of these sides, or return its only side."""
        if all(side is None for side in sides):
            raise NotationError("There is nothing on either side: write an expression.", span[0])
        if not operators and sides[0] is not None:
            return sides[0]
        return t.Relation(tuple(sides), tuple(operators), span=span)

    def at_close(self) -> bool:
        """Return True if nothing follows that could be read."""
        return self.here.kind in {"end", "unbrace", "close"}

    # Above and below -----------------------------------------------------------------------------

    def scripted(self) -> Item:
        """Read an operand with its indices and exponents."""
        item = self.primary()
        if self.here.kind not in MARKS:
            return item
        return with_scripts(item, self.scripts(item))

    def scripts(self, item: Item) -> Scripts:
        """Read the indices and the exponent or transpose that follow a base, in either order."""
        below: list[tuple[tuple[t.Node, ...], int]] = []
        above: t.Node | str | None = None
        turned = False
        while self.here.kind in MARKS:
            mark = self.take()
            if mark.kind == "below":
                if below and not self.has_second_index:
                    raise NotationError("A second index follows: write both in one pair of braces.", mark.start)
                indices = self.index(item)
                below.append((indices, self.read_end))
            elif above is None:
                above = self.mark_above(item, mark)
                label = None if isinstance(above, str) or is_reals(item.node) else turned_label(above)
                above, turned = (above, False) if label is None else (label, True)
            elif isinstance(above, str) or turned or not is_label(above) or self.mark_above(item, mark) is not TOP:
                raise NotationError(
                    "Ambiguous: a second exponent or prime follows, a^(b^c) or (a^b)^c: write brackets.",
                    mark.start,
                )
            else:
                turned = True
            self.limit(len(below), "indices")
        return Scripts(below, above, self.read_end, turned)

    def mark_above(self, item: Item, mark: Token) -> t.Node | str:
        """Read a superscript behind its mark: an exponent, or `TOP` for a transpose."""
        above = TOP if mark.kind == "prime" else self.star() or self.exponent(item)
        return TOP if above == t.Name("T") and not is_reals(item.node) else above

    def star(self) -> t.Node | None:
        """Read a star in the exponent, which is a mark and not a product."""
        token = self.here
        if token.kind != "times" or token.text != "cdot":
            return None
        self.take()
        return t.Name("star", span=(token.start, token.end))

    def exponent(self, item: Item) -> t.Node | str:
        """Read the exponent after an exponent mark, or return `TOP` for the mark of a transpose."""
        raise NotImplementedError

    def index(self, item: Item) -> tuple[t.Node, ...]:
        """Read the indices after an index mark."""
        raise NotImplementedError

    def index_list(self) -> tuple[t.Node, ...]:
        """Read indices in one pair of braces or brackets."""
        opened = self.take()
        indices = [*self.next_index()]
        while self.here.kind in self.index_separators:
            self.take()
            indices.extend(self.next_index())
            self.limit(len(indices), "indices")
        self.close(opened)
        return tuple(indices)

    def next_index(self) -> tuple[t.Node, ...]:
        """Read one index; a colon stands for all rows or columns."""
        if self.here.kind == "colon":
            return (self.every(),)
        return (as_operand(self.expression()),)

    def every(self) -> t.Name:
        """Read the mark that stands for all rows or columns."""
        token = self.take()
        return t.Name(":", span=(token.start, token.end))

    def close(self, opened: Token) -> Token:
        """Read the bracket or brace that closes `opened`."""
        return self.expect("unbrace" if opened.kind == "brace" else "close", symbols.CLOSING[opened.text], opened)

    # Numbers, names and calls --------------------------------------------------------------------

    def number(self) -> Item:
        """Read a numeral."""
        token = self.take()
        return Item(t.Number(token.text, span=(token.start, token.end)), token.start, token.end)

    def dots(self) -> Item:
        """Read an ellipsis."""
        token = self.take()
        return Item(t.Dots(token.text, span=(token.start, token.end)), token.start, token.end)

    def name(self) -> Item:
        """Read a name, or the call that it begins; a name in quotes calls nothing."""
        token = self.take()
        text, font = _BLACKBOARD.get(token.kind, (token.text, token.font or self.font))
        name = t.Name(text, font, span=(token.start, token.end))
        if token.kind == "quoted":
            return Item(name, token.start, token.end)
        return self.called(name, token.start, token.end)

    def can_call(self, name: t.Name) -> bool:
        """Return True if a name calls the brackets behind it."""
        return calls(name, self.functions)

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """Read the call that the name of a function begins; any other name is returned alone."""
        if not self.can_call(name):
            return Item(name, start, end)
        if self.here.kind == "open":
            items, opened = self.list_items()
            end = self.tokens[self.position - 1].end
            arguments = [item.node for item in items]
            if opened == "[" and len(items) > 1 and isinstance(build_enclosed(items, "[", (start, end)), t.Matrix):
                arguments = [build_enclosed(items, "[", (start, end))]
            return self.call(name, items, arguments, (start, end))
        if not self.starts_operand() or not is_function(name.text, self.functions):
            return Item(name, start, end)
        return self.call_of_operand(name, start)

    def call_of_operand(self, name: t.Name, start: int) -> Item:
        """Read the call of a function whose argument has no brackets."""
        item = self.lone_operand(start, f"the argument of {name.text}")
        return self.call(name, [item], [item.node], (start, item.end))

    def lone_operand(self, start: int, role: str) -> Item:
        """Read an operand without brackets, and refuse another one beside it."""
        self.enter(start)
        item = self.scripted()
        self.leave()
        if self.starts_operand():
            raise NotationError(f"Ambiguous: {role} may end here or not: write it in brackets.", self.here.start)
        return item

    def call(self, name: t.Name, items: list[Item], arguments: list[t.Node], span: t.Span) -> Item:
        """Build a call; that of sqrt is a root."""
        if name.text == "sqrt":
            if len(arguments) != 1:
                raise NotationError("A square root has one argument.", span[0])
            return Item(t.Root(as_operand(items[0]), span=span), *span)
        return Item(t.Call(name, tuple(arguments), span=span), *span)

    # Brackets ------------------------------------------------------------------------------------

    def brackets(self) -> Item:
        """Read brackets around an expression or a list."""
        start = self.here.start
        items, opened = self.list_items()
        end = self.tokens[self.position - 1].end
        return Item(build_enclosed(items, opened, (start, end)), start, end)

    def list_items(self) -> tuple[list[Item], str]:
        """Read the items between two brackets, and the opening bracket."""
        opened = self.take()
        items = self.items(opened.text)
        self.close(opened)
        return items, opened.text

    def items(self, opened: str) -> list[Item]:
        """Read expressions with commas between them, up to the closing bracket."""
        items = [self.expression()]
        while self.parts_items():
            self.refuse_digit_groups(opened)
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        return items

    def parts_items(self) -> bool:
        """Return True if the next token separates two items of a list."""
        return self.here.kind == "comma"

    def rows(self, opened: Token) -> list[list[Item]]:
        """Read lists with semicolons between them, as MATLAB writes the rows of a matrix."""
        rows = [self.items(opened.text)]
        while self.here.kind == "semicolon" and opened.text == "[":
            self.take()
            if self.here.kind != "close":
                rows.append(self.items(opened.text))
            self.limit(len(rows), "rows")
        return rows

    def matrix_of_lists(self, rows: list[list[Item]], span: t.Span) -> Item:
        """Build the matrix that has these lists as its rows."""
        nodes = [tuple(item.node for item in row) for row in rows]
        return Item(build_matrix(nodes, "[", span, [(row[0].start, row[-1].end) for row in rows]), *span)

    def refuse_digit_groups(self, opened: str = "") -> None:
        """Refuse 1,000, which is a thousand to some and two numbers to others."""
        left, comma, right = self.tokens[self.position - 1], self.here, self.peek()
        if comma.kind != "comma":
            return
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
