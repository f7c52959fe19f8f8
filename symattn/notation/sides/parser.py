r"""Lenient parser for one side of a chain as people write it, LaTeX and plain text alike.

Where people's habits leave two readings it takes the likelier one, notes what was ambiguous, and takes the
other one instead when it is asked for (`flips`). The kinds: ``"mixed"`` (``2\frac12``), ``"digits"``
(``2^10``), ``"slash"`` (``1/2x``), ``"ten"`` (``1/2 \times 10^3``), ``"shared"`` (``QK_{11}``).

Braces hold together what nobody sees. Braces and signs that are missing are put in.
"""

from __future__ import annotations

from typing import ClassVar

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import ENTRYWISE
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Readers
from symattn.notation.parser.expressions import MARKS
from symattn.notation.parser.operands import Item, as_operand, as_part, build_enclosed, build_matrix, splice
from symattn.notation.sides.patterns import (
    add_accent,
    is_bracketed_matrix,
    is_capital,
    is_matrix_like,
    is_mixed,
    is_plain_number,
    refuse_nested,
    shared_entry,
)
from symattn.notation.sides.scripts import SideScripts
from symattn.notation.sides.state import SideBase
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import calls, clash, is_function, is_variance, without_layout

_WRAPPERS = frozenset({"array", "tensor", "matrix", "Matrix", "FloatTensor", "Tensor", "asarray", "list", "tuple"})
_KEYWORDS = frozenset({"boxed", "root", "sum"})
_PREFIXED = (t.FUNCTIONS - {"concat"}) | {"sigmoid"}
_WITH_POWERS = frozenset({"sin", "cos", "tan", "tanh", "sinh", "cosh", "log", "ln"})
"""Functions whose powers are written on their names."""

_SPELLINGS = dict.fromkeys(("Softmax", "SoftMax", "softMax", "SOFTMAX", "rowsoftmax"), "softmax") | {
    "Softargmax": "softargmax", "SoftArgMax": "softargmax", "Exp": "exp", "Max": "max", "Min": "min", "Log": "log",
}  # fmt: skip


class SidePrimaries(SideBase):
    """The grammar of operands without indices and exponents."""

    # Names and calls -----------------------------------------------------------------------------

    def word(self) -> Item:
        """Read a name, or a word of plain text that means more than a name."""
        token, following = self.here, self.peek().kind
        if self.plain and token.text == "sum" and following in {"below", "above"}:
            return self.sum_over()
        if self.plain and following == "open" and (token.text in _WRAPPERS or token.text in _KEYWORDS):
            return self._keyword()
        return self.name()

    def _keyword(self) -> Item:
        word = self.take()
        items, _ = self.list_items()
        span = (word.start, self.read_end)
        if word.text == "root" and len(items) == 2:
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if word.text == "sum":
            return Item(t.Call(t.Name("sum"), tuple(item.node for item in items), span=span), *span)
        if len(items) != 1:
            raise NotationError(f"{word.text} needs one thing in brackets here.", word.start)
        if word.text == "boxed":
            return Item(t.Boxed(items[0].node, span=span), *span)
        return Item(items[0].node, *span)

    def can_call(self, name: t.Name) -> bool:
        """Return True also for E before square brackets, a calligraphic N, and σ of something that has rows."""
        is_roman = name.text == "E" and name.font == "roman"
        if name.text == "sigma" or (calls(name, self.functions) and not is_roman):
            return True
        if self.here.kind != "open":
            return False
        if name.text == "E":
            return self.here.text == "[" or is_roman
        # The calligraphic N is that of the normal distribution.
        return is_variance(name) or (name.text == "N" and name.font == "calligraphic")

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """Read a name, or the call that it begins; indices of the function's name are not kept."""
        name = t.Name(_SPELLINGS.get(name.text, name.text), name.font, span=name.span)
        if name.text == "sigma":
            return self._sigma(name) if self.here.kind == "open" else Item(name, start, end)
        if not self.can_call(name):
            return Item(name, start, end)
        name = t.Name("E", "blackboard", span=name.span) if name.text == "E" else name
        name = t.Name("Var", "roman", span=name.span) if is_variance(name) else name
        name = t.Name("normal", name.font, span=name.span) if name.text == "N" else name
        base, power = self._function_scripts(name)
        if self.here.kind == "open":
            item = self._call_of_brackets(name, start)
        elif self.starts_operand() and is_function(name.text, _PREFIXED):
            item = self.call_of_operand(name, start)
        else:
            return Item(name, start, end)
        if base is not None:
            divisor = t.Call(name, (base,), span=base.span)
            item = Item(t.Division(item.node, divisor, bar=False, span=(start, item.end)), start, item.end)
        if power is None:
            return item
        body = item.node if base is None else t.Group(item.node, "(", span=item.node.span)
        return Item(t.Power(body, power, span=(start, item.end)), start, item.end)

    def _function_scripts(self, name: t.Name) -> tuple[t.Node | None, t.Node | None]:
        r"""Skip the indices of a function's name; return the base of a logarithm and the 2 of ``\tanh^2``."""
        base: t.Node | None = None
        power: t.Node | None = None
        while self.here.kind in MARKS:
            mark = self.take()
            if mark.kind == "above" and not self.is_label():
                power = self._power_of_function(name, mark.start)
            elif mark.kind == "above":
                self.argument()
            elif mark.kind == "below":
                indices = self.index(Item(name, mark.start, mark.end))
                base = indices[0] if name.text == "log" else None
        return base, power

    def _power_of_function(self, name: t.Name, start: int) -> t.Node:
        r"""Read the exponent of ``\tanh^2 x``, the square of the value; an inverse is not read."""
        is_plain = self.here.kind == "number" and name.text in _WITH_POWERS
        power = self._digits() if is_plain else as_operand(self.argument())
        power = power.body if isinstance(power, t.Group) else power
        if name.text not in _WITH_POWERS or not isinstance(power, t.Number) or power.text not in {"2", "3", "4"}:
            raise NotationError(f"A power of {name.text} is not read: write brackets around the call.", start)
        return power

    def _digits(self) -> t.Node:
        token = self.take()
        return t.Number(token.text, span=(token.start, token.end))

    def _call_of_brackets(self, name: t.Name, start: int) -> Item:
        if name.text in t.MEANS:
            return self.mean(name, start)
        items, opened = self.list_items()
        span = (start, self.read_end)
        arguments = [item.node for item in items]
        if opened == "[" and len(items) > 1:
            arguments = [build_enclosed(items, "[", span)]
        return self.call(name, items, arguments, span)

    def call_of_operand(self, name: t.Name, start: int) -> Item:
        """Read the call of a function whose argument has no brackets, or only those inside of braces."""
        self.enter(start)
        is_braced = self.here.kind == "brace"
        item = self.scripted()
        self.leave()
        node = item.node
        if is_braced and isinstance(node, t.Group) and node.brackets == "(":
            node = node.body
        return self.call(name, [item._replace(node=node)], [node], (start, item.end))

    def _sigma(self, name: t.Name) -> Item:
        """Read σ: a softmax before a matrix or a list; a name before other brackets."""
        start = self.here.start
        items, opened = self.list_items()
        end = self.read_end
        span = (name.span[0] if name.span else start, end)
        body = build_enclosed(items, opened, (start, end))
        if any(map(is_matrix_like, (item.node for item in items))):
            softmax = t.Name("softmax", "roman", span=name.span)
            arguments = (body,) if isinstance(body, t.Matrix) else tuple(item.node for item in items)
            return Item(t.Call(softmax, arguments, span=span), *span)
        return Item(t.Product((name, as_operand(Item(body, start, end))), ("",), span=span), *span, braced=True)

    # Brackets and bars ---------------------------------------------------------------------------

    def brackets(self) -> Item:
        """Read brackets around an expression, a list, or rows with semicolons between them."""
        opened = self.here
        outer, self.in_bars = self.in_bars, False
        if opened.kind == "open" and opened.text == "[":
            item = self._square()
        else:
            items, text = self.list_items()
            span = (opened.start, self.read_end)
            item = Item(_angled(items, span) if opened.kind == "angle" else _enclosed(items, text, span), *span)
        self.in_bars = outer
        return item

    def _square(self) -> Item:
        opened = self.take()
        rows = self.rows(opened)
        span = (opened.start, self.close(opened).end)
        return self.matrix_of_lists(rows, span) if len(rows) > 1 else Item(_enclosed(rows[0], "[", span), *span)

    def items(self, opened: str) -> list[Item]:
        """Read expressions with commas between them; a comma at the end says nothing."""
        self.lists_open.append(self.place()[0] if opened == "[" else -1)
        start = self.position
        items = [self.expression()]
        while self.parts_items():
            self.take()
            if self.here.kind == "close":
                break
            items.append(self.expression())
            self.limit(len(items), "items")
        self.lists_open.pop()
        return self.without_lists(items, start)

    def list_items(self) -> tuple[list[Item], str]:
        """Read the items between two brackets; semicolons separate them where commas are decimal."""
        opened = self.take()
        outer, self.in_bars = self.in_bars, False
        items = self.items(opened.text)
        while self.here.kind == "semicolon" and opened.text == "(":
            self.take()  # (0,4; 0,6)
            items.extend(self.items(opened.text))
            self.limit(len(items), "items")
        self.in_bars = outer
        self.close(opened)
        return items, opened.text

    def bars(self) -> Item:
        r"""Read ``|x|`` and ``\|x\|``."""
        opened = self.take()
        if self.in_bars:
            raise NotationError("Bars inside bars are not read: write abs(...) or norm(...).", opened.start)
        self.in_bars = True
        item = self.expression()
        self.in_bars = False
        span = (opened.start, self._closing_bar(opened))
        node = t.Call(t.Name("abs" if opened.text == "|" else "norm"), (item.node,), span=span)
        if self.here.kind == "below" and self.peek().text == "2" and opened.text != "|":
            self.position += 2
        return Item(node, *span)

    def _closing_bar(self, opened: Token) -> int:
        """Return the end of the closing bar; the first half of a double one may close: ``|a||b|``."""
        closing = self.here
        if opened.text != "|" or closing.text != "‖" or closing.end - closing.start != 2:
            return self.expect("bar", opened.text, opened).end
        middle = closing.start + 1
        self.tokens[self.position] = Token("bar", "|", middle, closing.end)
        return middle

    # Commands ------------------------------------------------------------------------------------

    def fraction(self) -> Item:
        r"""Read a fraction: ``\frac12`` is one half; ``\frac 10 20`` has a space where TeX needs none."""
        start = self.take().start
        token, following = self.here, self.peek()
        is_apart = following.kind == "brace" or (following.kind == "number" and token.end < following.start)
        is_single = token.kind == "number" and len(token.text) > 1 and token.text.isdigit() and not is_apart
        part = self.first_digit if is_single else self.argument
        return self.divided(start, part(), part())

    def root(self) -> Item:
        """Read a root, of a name with its index too: ``√d_k``."""
        start = self.take().start
        degree = self.degree()
        is_braced = self.here.kind == "brace"
        body = self.short("\\sqrt ")
        node = as_operand(body) if is_braced else as_part(body)
        if self.here.kind == "below" and not is_braced and isinstance(node, t.Name):
            node = self.indexed(node)
        span = (start, self.read_end)
        return Item(t.Root(node, degree, span=span), *span)

    def box(self) -> Item:
        """Read a box around an expression; a relation in it is refused."""
        start = self.take().start
        item = self.argument()
        if self.here.kind == "relation":
            self.unexpected("the end of the box")
        span = (start, item.end)
        return Item(t.Boxed(item.node, span=span), *span)

    def accent(self) -> Item:
        """Read a hat or a tilde, as a part of the name below it."""
        command = self.take()
        item = self.argument()
        return Item(add_accent(item.node, command.text), command.start, item.end, braced=True)

    def braced_under(self) -> Item:
        """Read the expression above or below a brace; the words beside the brace say nothing."""
        command = self.take()
        item = self.argument()
        while self.here.kind in {"below", "above"}:
            self.take()
            self.argument()
        return Item(item.node, command.start, item.end, braced=True)

    def over(self) -> Item:
        """Read the base that something small is set over or under."""
        self.take()
        self.argument()
        return self.argument()

    def matrix(self) -> Item:
        """Read a matrix; dots alone in a row stand for a row of dots."""
        opened = self.take()
        self.enter(opened.start)
        outer, self.in_bars = self.in_bars, False
        rows, places = self.matrix_rows(opened)
        self.leave()
        self.in_bars = outer
        span = (opened.start, self.take().end)
        width = max(map(len, rows), default=0)
        rows = [row * width if len(row) == 1 and isinstance(row[0], t.Dots) else row for row in rows]
        node = build_matrix(rows, symbols.MATRIX_BRACKETS[opened.text], span, places)
        refuse_nested(node)
        return Item(node, *span)


def _angled(items: list[Item], span: t.Span) -> t.Node:
    """Build an inner product of two operands, or a list of numbers."""
    nodes = tuple(item.node for item in items)
    if len(nodes) == 1:
        raise NotationError("An average in angle brackets is not read: write what it is.", span[0])
    if len(nodes) == 2 and not any(map(is_plain_number, nodes)):
        return t.Call(t.Name("inner"), nodes, span=span)
    return _enclosed(items, "(", span)


def _enclosed(items: list[Item], brackets: str, span: t.Span) -> t.Node:
    """Build the node for these brackets; a matrix may be written as nested lists of any kind."""
    nodes = tuple(item.node for item in items)
    if brackets == "{" and all(isinstance(node, t.Vector) and node.brackets == "{" for node in nodes):
        rows = [node.items for node in nodes if isinstance(node, t.Vector)]
        return build_matrix(rows, "[", span, [node.span or span for node in nodes])
    if brackets == "[":
        are_matrices = [is_bracketed_matrix(node) for node in nodes]
        if are_matrices == [True]:
            return nodes[0]
        if len(nodes) > 1 and all(are_matrices):
            raise NotationError("A list of matrices is not read: write one matrix at a time.", span[0])
    node = build_enclosed(items, brackets, span)
    if isinstance(node, t.Matrix):
        refuse_nested(node)
    return node


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
