r"""The parser for one side of a chain as people write it, LaTeX and plain text alike.

Where people's habits leave two readings it takes the likelier one, notes what was ambiguous, and takes the
other one instead when it is asked for (`flips`). The kinds: ``"mixed"`` (``2\frac12``), ``"digits"``
(``2^10``), ``"slash"`` (``1/2x``), ``"ten"`` (``1/2 \times 10^3``), ``"shared"`` (``QK_{11}``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Never

from symattn.errors import NotationError
from symattn.notation import limits, symbols
from symattn.notation import tree as t
from symattn.notation.operands import Item, as_operand, as_part, enclosed, matrix_of, splice
from symattn.notation.parser import BLACKBOARD, Parser
from symattn.notation.precedence import (
    calls,
    can_be_base,
    can_have_index,
    clash,
    is_function,
    is_set_apart,
)
from symattn.notation.scripts import TOP, Scripts, is_reals, with_scripts
from symattn.notation.side_habits import (
    accented,
    head_of,
    is_bracketed_matrix,
    is_capital,
    is_matrix_like,
    is_mixed,
    is_plain_number,
    is_transpose,
    labels_of,
    refuse_nested,
    shared_entry,
    without_brackets,
)
from symattn.notation.side_layout import Note
from symattn.notation.side_tokens import WORD_FUNCTIONS
from symattn.notation.tokens import Token
from symattn.notation.walk import depth

_EULER = t.Name("e")
_WRAPPERS = frozenset({"array", "tensor", "matrix", "Matrix", "FloatTensor", "Tensor", "asarray", "list", "tuple"})
_PREFIXED = t.FUNCTIONS | {"tanh", "sigmoid"}
_PLACE_ENDS = frozenset({"close", "comma", "cell", "row", "endmatrix"})
_KEYWORDS = frozenset({"boxed", "root", "sum"})
_FUNCTION_NAMES = dict.fromkeys(("Softmax", "SoftMax", "softMax", "SOFTMAX", "rowsoftmax"), "softmax") | {
    "Softargmax": "softargmax", "SoftArgMax": "softargmax", "Exp": "exp", "Max": "max", "Min": "min", "Log": "log",
}  # fmt: skip


class SideParser(Parser):
    """The grammar of people's work."""

    operand_kinds = frozenset({
        "number", "name", "quoted", "open", "angle", "brace", "fraction", "root", "box", "sum", "font", "accent",
        "matrix", "dots", "reals", "mean", "bar", "brace-under", "over",
    })  # fmt: skip

    def __init__(self, tokens: list[Token], *, plain: bool, flips: frozenset[str]) -> None:
        super().__init__(list(tokens), WORD_FUNCTIONS)
        self.plain = plain
        self.flips = flips
        self.notes: dict[str, Note] = {}
        self.font = ""
        self.in_bars = False

    def side(self) -> t.Node:
        """The whole side."""
        items = [self.expression()]
        while self.here.kind in {"comma", "semicolon"} and self.peek().kind != "end":
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        if self.here.kind in {"comma", "semicolon"}:
            self.take()
        if self.here.kind != "end":
            self.unexpected("an operator or the end of the formula")
        node = items[0].node
        if len(items) > 1:
            node = t.Vector(tuple(item.node for item in items), "(", span=(items[0].start, items[-1].end))
        if depth(node) > limits.MAX_DEPTH:
            raise NotationError(f"The formula has more than {limits.MAX_DEPTH} levels.", items[0].start)
        return node

    def note(self, kind: str, reason: str, at: int) -> bool:
        """Whether the other reading was asked for; the first place of each kind is kept."""
        self.notes.setdefault(kind, Note(reason, at))
        return kind in self.flips

    def unexpected(self, wanted: str) -> Never:
        """Refuse the next token, with more words where people are known to stumble."""
        token = self.here
        if token.kind == "plusminus":
            raise NotationError("A plus-minus sign says two values: write each by itself.", token.start)
        if token.kind == "relation":
            raise NotationError(
                "A relation inside an expression is not read: write it outside of brackets and boxes.", token.start
            )
        if token.kind in {"cell", "row", "endmatrix"} and wanted.startswith("a number"):
            raise NotationError("An entry of this matrix is empty: write it.", token.start)
        super().unexpected(wanted)

    def expect(self, kind: str, text: str, opened: Token) -> Token:
        """Read the token that closes `opened`."""
        if self.here.kind == "relation":
            self.unexpected(text)
        return super().expect(kind, text, opened)

    def starts_operand(self) -> bool:
        """Inside bars the next bar closes them."""
        kind = self.here.kind
        return kind in self.operand_kinds and not (kind == "bar" and self.in_bars)

    def refuse_digit_groups(self, opened: str = "") -> None:
        """In brackets a comma parts two items; elsewhere it was settled with the layout."""

    def expression(self) -> Item:
        """A sum; what stood in braces behind a plus is part of it, since braces are not seen."""
        self.enter(self.here.start)
        items, operators = [self.term()], list[str]()
        while self.here.kind == "sign":
            operators.append(self.take().text)
            items.append(self.term())
            self.limit(len(items), "terms")
        self.leave()
        if not operators:
            return items[0]
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

    def signed(self, operand: Callable[[], Item]) -> Item:
        """An operand behind its sign; braces around a sum are taken for brackets here."""
        sign = self.take()
        self.enter(sign.start)
        item = self.signed(operand) if self.here.kind == "sign" else operand()
        self.leave()
        if sign.text == "+":
            return item._replace(start=sign.start)
        node = as_operand(item)
        if isinstance(node, t.Sum):
            node = t.Group(node, span=(item.start, item.end))
        return Item(t.Negative(node, span=(sign.start, item.end)), sign.start, item.end)

    # Products and quotients ----------------------------------------------------------------------

    def refuse_unclear_divisor(self, start: int) -> None:
        """It is read in the usual order instead."""

    def quotient(self) -> Item:
        """Operands with slashes between them, the first two together first."""
        item = self.scientific() or self.scripted()
        for _ in range(limits.MAX_NESTING):
            if self.here.kind != "slash":
                return item
            self.take()
            start = self.here.start
            divisor = self._divisor()
            if self._is_unclear() and self.note(
                "slash", "What stands beside a quotient with a slash belongs to its divisor or not.", start
            ):
                divisor = self._with_neighbours(divisor)
            node = t.Division(as_part(item), as_part(divisor), bar=False, span=(item.start, divisor.end))
            item = Item(node, item.start, divisor.end)
        if self.here.kind == "slash":
            raise NotationError(f"There are more than {limits.MAX_NESTING} slashes in a row here.", self.here.start)
        return item

    def _is_unclear(self) -> bool:
        """Whether what follows may belong to the divisor; nobody divides by a matrix or a list."""
        return self.starts_operand() and self.here.kind != "matrix" and self.here.text != "["

    def _divisor(self) -> Item:
        if self.here.kind == "sign":
            return self.signed(self._divisor)
        token, following = self.here, self.peek()
        if token.kind == "number" and following.kind == "times" and self.exponent_of_ten(2):
            reason = "The power of ten belongs to the divisor or not: write brackets."
            if self.note("ten", reason, following.start):
                return self.scripted()
        return self.scientific() or self.scripted()

    def _with_neighbours(self, item: Item) -> Item:
        items = [item]
        while self.starts_operand():
            items.append(self.scripted())
            self.limit(len(items), "factors")
        return self.product(items, [""] * (len(items) - 1))

    def scientific(self) -> Item | None:
        r"""Also ``6.9 \cdot 10^{-13}``; a positive power behind a dot is more likely arithmetic."""
        sign = self.peek()
        if sign.kind != "times" or sign.text == "times" or self.here.kind != "number":
            return super().scientific()
        found = self.exponent_of_ten(2)
        if sign.text != "cdot" or found is None or not found[0].startswith("-"):
            return None
        self.tokens[self.position + 1] = sign._replace(text="times")
        return super().scientific()

    def product(self, items: list[Item], operators: list[str]) -> Item:
        """The product of the factors, mixed numbers and shared indices found in it."""
        if not operators:
            return items[0]
        flat, between = splice(items, operators)
        flat = [self._as_factor(item, position, len(flat)) for position, item in enumerate(flat)]
        flat, between = self._mixed(flat, between)
        flat, between = self._shared(flat, between)
        span = (flat[0].start, flat[-1].end)
        if len(flat) == 1:
            return flat[0]
        for position, operator in enumerate(between):
            left, right = flat[position], flat[position + 1]
            reason = clash(left.node, operator, right.node, self.functions)
            if reason and isinstance(left.node, t.Number) and isinstance(right.node, t.Number):
                raise NotationError(
                    f"Found no operator where one was expected: {reason}; write a sign or a comma.", right.start
                )
            if reason:
                between[position] = "cdot"
        node = t.Product(tuple(item.node for item in flat), tuple(between), span=span)
        return Item(self._without_layout(node) if self.plain else node, *span)

    def _as_factor(self, item: Item, position: int, count: int) -> Item:
        """The factor; what braces held together gets the brackets that nobody saw."""
        node = as_operand(item)
        is_loose = isinstance(node, t.Sum) or (isinstance(node, t.Negative) and item.braced and position)
        if is_loose or (isinstance(node, t.SumOver) and position < count - 1):
            node = t.Group(node, span=(item.start, item.end))
        return item._replace(node=node)

    def _mixed(self, items: list[Item], operators: list[str]) -> tuple[list[Item], list[str]]:
        r"""``2\frac12`` and ``2 1/2`` are sums, unless the product is asked for."""
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
        """``QK_{11}`` and ``QK^T_{11}`` are entries of the product, unless told otherwise."""
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

    def _without_layout(self, node: t.Product) -> t.Product:
        """In plain text the brackets of (a/b) beside another factor are layout, as in the strict reader."""
        factors = list(node.factors)
        for position, item in enumerate(factors):
            if is_set_apart(node, position):
                bare = without_brackets(item)
                left = factors[position - 1] if position else None
                if left is None or not clash(left, node.operators[position - 1], bare, self.functions):
                    factors[position] = bare
        return t.Product(tuple(factors), node.operators, span=node.span)

    # What stands by itself -----------------------------------------------------------------------

    def primary(self) -> Item:
        """A number, a name, a bracket, or a command with its arguments."""
        match self.here.kind:
            case "number":
                return self.number()
            case "name" | "reals" | "mean" | "quoted":
                return self._name()
            case "open" | "angle":
                return self.brackets()
            case "brace":
                return self.argument()
            case "fraction":
                return self._fraction()
            case "root":
                return self._root()
            case "box":
                return self._boxed()
            case "sum":
                return self.sum_over()
            case "font":
                return self._font()
            case "accent":
                return self._accent()
            case "matrix":
                return self._matrix()
            case "dots":
                return self.dots()
            case "bar":
                return self._bars()
            case "brace-under":
                return self._braced_under()
            case "over":
                self.take()
                self.argument()
                return self.argument()
            case "times" if self.peek().kind in _PLACE_ENDS:
                # A place that is left open: Var(·).
                token = self.take()
                return Item(t.Dots("cdots", span=(token.start, token.end)), token.start, token.end)
            case _:
                return self.unexpected("a number, a name or a bracket")

    def _name(self) -> Item:
        token = self.here
        opens = self.peek().kind == "open"
        if self.plain and token.kind == "name":
            if token.text == "sum" and self.peek().kind in {"below", "above"}:
                return self.sum_over()
            if opens and (token.text in _WRAPPERS or token.text in _KEYWORDS):
                return self._keyword()
        self.take()
        text, font = BLACKBOARD.get(token.kind, (token.text, token.font or self.font))
        name = t.Name(text, font, span=(token.start, token.end))
        if token.kind == "quoted":
            return Item(name, token.start, token.end)
        return self.called(name, token.start, token.end)

    def _keyword(self) -> Item:
        word = self.take()
        items, _ = self.list_items()
        span = (word.start, self.read_end)
        if word.text == "root" and len(items) == 2:
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if word.text == "sum":
            return Item(t.Call(t.Name("sum"), tuple(item.node for item in items), span=span), *span)
        if len(items) != 1:
            raise NotationError(f"{word.text} wants one thing in brackets here.", word.start)
        if word.text == "boxed":
            return Item(t.Boxed(items[0].node, span=span), *span)
        return Item(items[0].node, *span)

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """A name, or the call that it begins; indices of the function's name are not kept."""
        name = t.Name(_FUNCTION_NAMES.get(name.text, name.text), name.font, span=name.span)
        if name.text == "sigma" and self.here.kind == "open":
            return self._sigma(name)
        if not self._calls(name):
            return Item(name, start, end)
        name = t.Name("E", "blackboard", span=name.span) if name.text == "E" else name
        name = t.Name("normal", name.font, span=name.span) if name.text == "N" else name
        base = self._function_scripts(name)
        if not self.starts_operand():
            return Item(name, start, end)
        if self.here.kind == "open":
            item = self._call_of_brackets(name, start)
        elif is_function(name.text, _PREFIXED):
            item = self._call_of_operand(name, start)
        else:
            return Item(name, start, end)
        if base is None:
            return item
        divisor = t.Call(name, (base,), span=base.span)
        return Item(t.Division(item.node, divisor, bar=False, span=(start, item.end)), start, item.end)

    def _calls(self, name: t.Name) -> bool:
        if calls(name, self.functions):
            return True
        if self.here.kind != "open":
            return False
        if name.text == "E":
            return self.here.text == "[" or name.font == "roman"
        # The calligraphic N is that of the normal distribution.
        return name.text == "N" and name.font == "calligraphic"

    def _function_scripts(self, name: t.Name) -> t.Node | None:
        """Past the indices of a function's name; the base of a logarithm is handed back."""
        base: t.Node | None = None
        while self.here.kind in {"above", "below", "prime"}:
            mark = self.take()
            if mark.kind == "prime":
                continue
            if mark.kind == "above" and not self._is_label():
                raise NotationError(f"A power of {name.text} is not read: write brackets around the call.", mark.start)
            if mark.kind == "above":
                self.argument()
                continue
            indices = self.index(Item(name, mark.start, mark.end))
            base = indices[0] if name.text == "log" else None
        return base

    def _is_label(self) -> bool:
        return self.here.kind == "open" or (self.here.kind == "brace" and self.peek().kind == "open")

    def _call_of_brackets(self, name: t.Name, start: int) -> Item:
        items, opened = self.list_items()
        span = (start, self.read_end)
        arguments = [item.node for item in items]
        if opened == "[" and len(items) > 1 and name.text != "E":
            arguments = [enclosed(items, "[", span)]
        return self.call(name, items, arguments, span)

    def _call_of_operand(self, name: t.Name, start: int) -> Item:
        self.enter(start)
        is_braced = self.here.kind == "brace"
        item = self.scripted()
        self.leave()
        node = (
            item.node.body if is_braced and isinstance(item.node, t.Group) and item.node.brackets == "(" else item.node
        )
        return self.call(name, [item._replace(node=node)], [node], (start, item.end))

    def _sigma(self, name: t.Name) -> Item:
        """σ of a matrix or a list is a softmax; before other brackets it is a name."""
        start = self.here.start
        items, opened = self.list_items()
        end = self.read_end
        span = (name.span[0] if name.span else start, end)
        body = enclosed(items, opened, (start, end))
        if any(map(is_matrix_like, (item.node for item in items))):
            softmax = t.Name("softmax", "roman", span=name.span)
            arguments = (body,) if isinstance(body, t.Matrix) else tuple(item.node for item in items)
            return Item(t.Call(softmax, arguments, span=span), *span)
        return Item(t.Product((name, as_operand(Item(body, start, end))), ("",), span=span), *span, braced=True)

    def brackets(self) -> Item:
        """Brackets around an expression, a list, or rows with semicolons between them."""
        opened = self.here
        outer, self.in_bars = self.in_bars, False
        if opened.kind == "open" and opened.text == "[":
            item = self._square(opened)
        else:
            items, text = self.list_items()
            span = (opened.start, self.read_end)
            item = Item(self._enclosed(items, text, span, is_angle=opened.kind == "angle"), *span)
        self.in_bars = outer
        return item

    def _square(self, opened: Token) -> Item:
        self.take()
        rows = [self._items()]
        while self.here.kind == "semicolon":
            self.take()
            if self.here.kind != "close":
                rows.append(self._items())
            self.limit(len(rows), "rows")
        span = (opened.start, self._close(opened))
        if len(rows) == 1:
            return Item(self._enclosed(rows[0], "[", span, is_angle=False), *span)
        places = [(row[0].start, row[-1].end) for row in rows]
        return Item(matrix_of([tuple(item.node for item in row) for row in rows], "[", span, places), *span)

    def _items(self) -> list[Item]:
        items = [self.expression()]
        while self.here.kind == "comma":
            self.take()
            if self.here.kind == "close":
                break
            items.append(self.expression())
            self.limit(len(items), "items")
        return items

    def list_items(self) -> tuple[list[Item], str]:
        """The items between two brackets, and the opening bracket; a comma at the end says nothing."""
        opened = self.take()
        outer, self.in_bars = self.in_bars, False
        items = self._items()
        while self.here.kind == "semicolon" and opened.text == "(":
            self.take()  # (0,4; 0,6): where the comma is decimal
            items.extend(self._items())
            self.limit(len(items), "items")
        self.in_bars = outer
        self._close(opened)
        return items, opened.text

    def _close(self, opened: Token) -> int:
        return self.expect("close", symbols.CLOSING[opened.text], opened).end

    def _enclosed(self, items: list[Item], brackets: str, span: t.Span, *, is_angle: bool) -> t.Node:
        nodes = tuple(item.node for item in items)
        if is_angle and len(nodes) == 2 and not any(map(is_plain_number, nodes)):
            return t.Call(t.Name("inner"), nodes, span=span)
        if is_angle and len(nodes) == 1:
            raise NotationError("An average in angle brackets is not read: write what it is.", span[0])
        if brackets == "{" and all(isinstance(node, t.Vector) and node.brackets == "{" for node in nodes):
            rows = [node.items for node in nodes if isinstance(node, t.Vector)]
            return matrix_of(rows, "[", span, [node.span or span for node in nodes])
        if brackets == "[" and len(nodes) == 1 and is_bracketed_matrix(nodes[0]):
            return nodes[0]
        if brackets == "[" and len(nodes) > 1 and any(map(is_bracketed_matrix, nodes)) and not self._is_block(nodes):
            raise NotationError("A list of matrices is not read: write one matrix at a time.", span[0])
        node = enclosed(items, brackets, span)
        if isinstance(node, t.Matrix):
            refuse_nested(node)
        return node

    def _is_block(self, nodes: tuple[t.Node, ...]) -> bool:
        return not all(map(is_bracketed_matrix, nodes))

    def _bars(self) -> Item:
        r"""``|x|`` and ``\|x\|``."""
        opened = self.take()
        if self.in_bars:
            raise NotationError("Bars inside bars are not read: write abs(...) or norm(...).", opened.start)
        self.in_bars = True
        item = self.expression()
        self.in_bars = False
        closing = self.here
        if opened.text == "|" and closing.text == "‖" and closing.end - closing.start == 2:
            # Two single bars side by side: |a||b|.
            end = closing.start + 1
            self.tokens[self.position] = Token("bar", "|", end, closing.end)
        else:
            end = self.expect("bar", opened.text, opened).end
        span = (opened.start, end)
        node = t.Call(t.Name("abs" if opened.text == "|" else "norm"), (item.node,), span=span)
        if self.here.kind == "below" and self.peek().text == "2" and opened.text != "|":
            self.position += 2
        return Item(node, *span)

    # Commands ------------------------------------------------------------------------------------

    def argument(self) -> Item:
        """One argument of a command: what stands in braces, a numeral, or one operand."""
        start = self.here
        if start.kind == "brace":
            self.take()
            outer, self.in_bars = self.in_bars, False
            items = self._items()
            self.in_bars = outer
            end = self.expect("unbrace", "}", start).end
            if len(items) == 1:
                return Item(items[0].node, start.start, end, braced=True)
            span = (start.start, end)
            return Item(t.Vector(tuple(item.node for item in items), "(", span=span), *span)
        if start.kind == "number":
            return self.number()
        self.enter(start.start)
        item = self.primary()
        self.leave()
        return item

    def _short(self, told: str) -> Item:
        """An argument without braces: the whole numeral, or its first digit where TeX's reading is asked for."""
        token = self.here
        if token.kind == "sign":
            return self.signed(self.argument)
        if self.plain or token.kind != "number" or len(token.text) == 1 or token.end - token.start != len(token.text):
            return self.argument()
        reason = (
            f"{told}{token.text} means all of {token.text} to people, and only {token.text[0]} to TeX: write braces."
        )
        return self._first_digit() if self.note("digits", reason, token.start) else self.argument()

    def _first_digit(self) -> Item:
        """TeX's reading of a numeral: one digit, and what follows is no part of the argument."""
        token = self.here
        if token.kind != "number" or len(token.text) == 1 or not (token.text[0] + token.text[-1]).isdigit():
            return self.argument()
        self.split_end = middle = token.start + 1
        rest = token.text[1:]
        if not rest.replace(".", "", 1).isdigit() or token.end - token.start != len(token.text):
            return self.argument()
        self.tokens[self.position] = Token("number", rest, middle, token.end)
        return Item(t.Number(token.text[0], span=(token.start, middle)), token.start, middle)

    def _fraction(self) -> Item:
        start = self.take().start
        token, following = self.here, self.peek()
        # \frac12 is one half; \frac 10 20 has a space where TeX needs none.
        is_split = (
            token.kind == "number"
            and token.text.isdigit()
            and not (following.kind == "number" and token.end < following.start)
        )
        is_single = token.kind == "number" and len(token.text) > 1 and is_split and following.kind != "brace"
        numerator = self._first_digit() if is_single else self.argument()
        denominator = self._first_digit() if is_single else self.argument()
        span = (start, denominator.end)
        return Item(t.Division(as_operand(numerator), as_operand(denominator), span=span), *span)

    def _root(self) -> Item:
        start = self.take().start
        degree = None
        if self.here.text == "[" and self.here.kind == "open":
            opened = self.take()
            degree = as_operand(self.expression())
            self.expect("close", "]", opened)
        is_braced = self.here.kind == "brace"
        body = self._short("\\sqrt ")
        node = as_operand(body) if is_braced else as_part(body)
        if self.here.kind == "below" and not is_braced and isinstance(node, t.Name):
            node = self._indexed(node)
        span = (start, self.read_end)
        return Item(t.Root(node, degree, span=span), *span)

    def _boxed(self) -> Item:
        start = self.take().start
        item = self.argument()
        if self.here.kind == "relation":
            self.unexpected("the end of the box")
        span = (start, item.end)
        return Item(t.Boxed(item.node, span=span), *span)

    def _font(self) -> Item:
        command = self.take()
        outer, self.font = self.font, command.text or self.font
        item = self.argument()
        self.font = outer
        if isinstance(item.node, t.Name) and (self._calls(item.node) or item.node.text == "sigma"):
            return self.called(item.node, command.start, item.end)
        return Item(item.node, command.start, item.end, braced=True)

    def _accent(self) -> Item:
        command = self.take()
        item = self.argument()
        return Item(accented(item.node, command.text), command.start, item.end, braced=True)

    def _braced_under(self) -> Item:
        command = self.take()
        item = self.argument()
        while self.here.kind in {"below", "above"}:
            self.take()
            self.argument()
        return Item(item.node, command.start, item.end, braced=True)

    # Matrices ------------------------------------------------------------------------------------

    def _matrix(self) -> Item:
        opened = self.take()
        self.enter(opened.start)
        outer, self.in_bars = self.in_bars, False
        rows: list[tuple[t.Node, ...]] = []
        places: list[t.Span] = []
        entries = 0
        while self.here.kind != "endmatrix":
            if self.here.kind == "row":
                self.take()
                continue
            start = self.here.start
            rows.append(self._row())
            places.append((start, self.here.start))
            entries += len(rows[-1])
            self.limit(len(rows), "rows")
            if entries > limits.MAX_ENTRIES:
                raise NotationError(f"This matrix has more than {limits.MAX_ENTRIES} entries.", opened.start)
            if self.here.kind not in {"row", "endmatrix"}:
                self.unexpected("an alignment mark or a row end")
        self.leave()
        self.in_bars = outer
        span = (opened.start, self.take().end)
        width = max(map(len, rows), default=0)
        rows = [row * width if len(row) == 1 and isinstance(row[0], t.Dots) else row for row in rows]
        node = matrix_of(rows, symbols.MATRIX_BRACKETS[opened.text], span, places)
        refuse_nested(node)
        return Item(node, *span)

    def _row(self) -> tuple[t.Node, ...]:
        entries = [self.expression().node]
        while self.here.kind in {"cell", "comma"}:
            self.take()
            if self.here.kind in {"row", "endmatrix"}:
                break
            entries.append(self.expression().node)
            self.limit(len(entries), "columns")
        return tuple(entries)

    # Above and below -----------------------------------------------------------------------------

    def scripted(self) -> Item:
        """An operand with what stands above and below it; labels above become indices."""
        item = self.primary()
        if self.here.kind not in {"above", "below", "prime"}:
            return item
        below: list[tuple[tuple[t.Node, ...], int]] = []
        labels: list[t.Node] = []
        above: t.Node | str | None = None
        count = 0
        while self.here.kind in {"above", "below", "prime"}:
            mark = self.take()
            count += 1
            self.limit(count, "indices")
            if mark.kind == "below":
                below.append((self.index(item), self.read_end))
                continue
            found = TOP if mark.kind == "prime" else self._above(item, labels)
            if found is None:
                continue
            if above is TOP and mark.kind == "prime" and isinstance(item.node, t.Name):
                # Two primes are no transpose of a transpose: d'' is another name than d.
                name = t.Name(f"{item.node.text}''", item.node.font, span=(item.start, mark.end))
                item, above = Item(name, item.start, mark.end), None
                continue
            if above is not None:
                raise NotationError("A second exponent or prime follows: write brackets around the first.", mark.start)
            above = found
        end = self.read_end
        return self._with_scripts(item, below, labels, above, end)

    def _with_scripts(
        self,
        item: Item,
        below: list[tuple[tuple[t.Node, ...], int]],
        labels: list[t.Node],
        above: t.Node | str | None,
        end: int,
    ) -> Item:
        if labels:
            indices = tuple(index for group, _ in below for index in group)
            below = [((*indices, *labels), end)]
        node = item.node
        if (
            isinstance(node, t.Name)
            and node.text == "R"
            and isinstance(above, t.Product)
            and "times" in above.operators
        ):
            item = item._replace(node=t.Name("R", "blackboard", span=node.span))
        is_visible = isinstance(node, t.Product) and item.braced
        if not is_visible and not (can_have_index(node) if below else can_be_base(node)):
            # Braces and fraction bars hold together what stands in them; only the brackets are missing.
            item = Item(t.Group(as_operand(item), span=(item.start, item.end)), item.start, item.end)
        return with_scripts(item, Scripts(below, above, end))

    def _above(self, item: Item, labels: list[t.Node]) -> t.Node | str | None:
        """An exponent, `TOP` for a transpose, or None when it was a label."""
        start = self.here
        if start.kind in {"top", "prime"}:
            self.take()
            return TOP
        closes = self.peek(2).kind == "unbrace" if start.kind == "brace" else False
        if closes and self.peek().kind in {"top", "prime"}:
            self.position += 3
            return TOP
        star = self.peek() if closes else start
        if star.kind == "times" and star.text == "cdot":
            self.position += 3 if closes else 1
            labels.append(t.Name("star", span=(star.start, star.end)))
            return None
        is_bracketed = self._is_label()
        found = self._exponent(item)
        if item.node == _EULER and isinstance(found, t.Name) and self.here.kind == "below":
            return self._indexed(found)
        head = head_of(item.node)
        if isinstance(found, t.Name) and is_transpose(found.text, item.node):
            return TOP
        if head is None or is_reals(head) or head.text == "e":
            return found
        made = labels_of(head, found, is_bracketed=is_bracketed, plain=self.plain)
        labels.extend(made)
        return None if made else found

    def _indexed(self, name: t.Name) -> t.Node:
        """A name with its index where no braces hold both: ``e^z_j``, ``√d_k``."""
        self.take()
        start = name.span[0] if name.span else 0
        indices = self.index(Item(name, start, self.here.start))
        return t.Subscript(name, indices, span=(start, self.read_end))

    def _exponent(self, item: Item) -> t.Node:
        start = self.here
        if self.plain and start.kind == "sign":
            return as_part(self.signed(self.primary))
        if self.plain and start.kind != "brace":
            self.enter(start.start)
            found = self.primary()
            self.leave()
            return as_operand(found) if self._keeps_brackets(item, found) else as_part(found)
        base = item.node.text if isinstance(item.node, t.Number | t.Name) else ""
        return as_operand(self._short(f"{base}^"))

    def _keeps_brackets(self, item: Item, found: Item) -> bool:
        """``W^(1)`` in plain text: a label, where ``x^(1/2)`` is a power."""
        head = head_of(item.node)
        if head is None or not head.text[:1].isupper() or not isinstance(found.node, t.Group):
            return False
        body = found.node.body
        return isinstance(body, t.Number | t.Name)

    def index(self, item: Item) -> tuple[t.Node, ...]:
        """The indices after an index mark."""
        opened = self.here
        if opened.kind == "brace" or (self.plain and opened.kind == "open" and opened.text in {"{", "("}):
            self.take()
            indices = [self._one_index()]
            while self.here.kind in {"comma", "semicolon"}:
                self.take()
                indices.append(self._one_index())
                self.limit(len(indices), "indices")
            kind = "unbrace" if opened.kind == "brace" else "close"
            self.expect(kind, symbols.CLOSING[opened.text], opened)
            return tuple(indices)
        if not self.plain:
            base = item.node.text if isinstance(item.node, t.Name) else "x"
            return (as_operand(self._short(f"{base}_")),)
        return (self._word_index(),)

    def _word_index(self) -> t.Node:
        """In plain text an index without brackets ends where the word does: ``A_3j`` has the index 3j."""
        first = self._single()
        following = self.here
        touches = following.kind == "name" and following.start == (first.span or (0, 0))[1]
        if not isinstance(first, t.Number) or not touches or self.peek().kind in {"below", "above", "prime"}:
            return first  # q_1k_1 is a product
        second = self._single()
        return t.Product((first, second), ("",), span=((first.span or (0, 0))[0], following.end))

    def _single(self) -> t.Node:
        token = self.here
        if token.kind == "number":
            return self.number().node
        if token.kind in {"name", "quoted", "colon"}:
            self.take()
            return t.Name(token.text, span=(token.start, token.end))
        return as_operand(self.argument())

    def _one_index(self) -> t.Node:
        if self.here.kind in {"colon", "times"}:
            # A colon, a dot or a star below stands for all rows or columns.
            token = self.take()
            return t.Name(":", span=(token.start, token.end))
        item = self.expression()
        if self.here.kind == "relation":
            raise NotationError("A family over an index is not read: write its members.", self.here.start)
        return as_operand(item)

    # Sums over an index --------------------------------------------------------------------------

    def sum_over(self) -> Item:
        """A sum over an index; without bounds it goes from 1 to n."""
        opened = self.take()
        index: t.Name | None = None
        lower: t.Node = t.Number("1")
        upper: t.Node = t.Name("n")
        marks: set[str] = set()
        while self.here.kind in {"above", "below"}:
            mark = self.take()
            if mark.kind in marks:
                raise NotationError("This sum has two bounds on one side.", mark.start)
            marks.add(mark.kind)
            if mark.kind == "above":
                upper = self._exponent(Item(t.Name("sum"), opened.start, opened.end))
            else:
                index, lower = self.lower_bound()
        if not marks and not self.starts_operand():
            span = (opened.start, opened.end)
            return Item(t.Name("sum", span=span), *span)
        if index is None:
            raise NotationError(
                "A sum wants its index, as in sum over j=1 to n: write it below the sign.", opened.start
            )
        self.enter(opened.start)
        body = self.term()
        self.leave()
        node = as_operand(body)
        if isinstance(node, t.Sum):
            node = t.Group(node, span=(body.start, body.end))
        span = (opened.start, body.end)
        return Item(t.SumOver(index, lower, upper, node, span=span), *span)

    def lower_bound(self) -> tuple[t.Name, t.Node]:
        """``j=1`` or ``j``, in braces or not."""
        opened = self.here
        is_open = opened.kind == "brace" or (self.plain and opened.kind == "open")
        if is_open:
            self.take()
        bound = self.bound_index() if is_open or self.plain else (self._bare_index(), t.Number("1"))
        if is_open:
            if self.here.kind == "relation":
                raise NotationError("A sum over a set or a condition is not read: write its bounds.", self.here.start)
            kind = "unbrace" if opened.kind == "brace" else "close"
            self.expect(kind, symbols.CLOSING[opened.text], opened)
        return bound

    def _bare_index(self) -> t.Name:
        item = self.argument()
        if not isinstance(item.node, t.Name):
            raise NotationError("The index of a sum must be a name.", item.start)
        return item.node
