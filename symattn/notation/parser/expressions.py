"""TRUSTED. Chains of relations, names, calls, brackets and lists."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.parser.operands import Item, as_operand, build_call, build_enclosed, build_matrix
from symattn.notation.parser.patterns import (
    is_bracketed_matrix,
    is_matrix_like,
    is_plain_number,
    refuse_nested,
)
from symattn.notation.parser.proof_forms import ProofParser
from symattn.notation.parser.scripts import MARKS
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import calls, is_function, is_open_call, is_variance
from symattn.notation.tree.traversal import depth

_BLACKBOARD = {"reals": ("R", "blackboard"), "mean": ("E", "blackboard")}
_KEYWORDS = frozenset({"root", "boxed", "sum"})
"""Words of plain text that mean more than a name."""
_PREFIXED = (t.FUNCTIONS - {"concat"}) | {"sigmoid"}
"""Functions whose argument people write without brackets."""
_WITH_POWERS = frozenset({"sin", "cos", "tan", "tanh", "sinh", "cosh", "log", "ln"})
"""Functions whose powers are written on their names."""
_SPELLINGS = dict.fromkeys(("Softmax", "SoftMax", "softMax", "SOFTMAX", "rowsoftmax"), "softmax") | {
    "Softargmax": "softargmax", "SoftArgMax": "softargmax", "Exp": "exp", "Max": "max", "Min": "min", "Log": "log",
}  # fmt: skip


class Parser(ProofParser):
    """The grammar of formulas and of the operands that all notations share."""

    # Chains --------------------------------------------------------------------------------------

    def formula(self) -> t.Node:
        """Read the whole text: an expression or a chain of relations."""
        node = self.chain()
        if self.here.kind == "comma":
            self._refuse_digit_groups()
            raise NotationError(
                "A second statement begins at this comma: read one statement at a time.", self.here.start
            )
        return self._whole(node, 0)

    def side(self) -> t.Node:
        """Read the whole text as one side of a chain: an expression, or a list without brackets."""
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
        return self._whole(node, items[0].start)

    def _whole(self, node: t.Node, start: int) -> t.Node:
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
        if all(side is None for side in sides):
            raise NotationError("There is nothing on either side: write an expression.", start.start)
        if not operators and sides[0] is not None:
            return sides[0]
        return t.Relation(tuple(sides), tuple(operators), span=(start.start, end))

    # Names ---------------------------------------------------------------------------------------

    def dots(self) -> Item:
        """Read an ellipsis."""
        token = self.take()
        return Item.of(t.Dots(token.text, span=token.span))

    def name(self) -> Item:
        """Read a name, the call that it begins, or a word of plain text that means more than a name."""
        token = self.here
        if token.text == "lim" and self.peek().kind == "below" and "lim" in self.functions:
            return self.limit_of()
        if self.words and token.kind == "name" and (token.text in self.dialect.wrappers or token.text in _KEYWORDS):
            following = self.peek()
            is_sum = token.text == "sum" and following.kind in {"below", "above"}
            if is_sum and (self.lenient or self.opens_index(self.peek(2))):
                return self.sum_over()
            if following.kind == "open" and (self.lenient or following.text == "("):
                return self._keyword()
        self.take()
        text, font = _BLACKBOARD.get(token.kind, (token.text, token.font or self.font))
        name = t.Name(text, font, span=token.span)
        # A name in quotes calls nothing, except in people's work, where a few words are in quotes, too.
        if token.kind == "quoted" and not self.lenient:
            return Item(name, *token.span)
        return self.called(name, *token.span)

    def _keyword(self) -> Item:
        word = self.take()
        if word.text == "boxed":
            opened = self.take()
            body = self.expression().node if self.lenient else self.chain()
            return Item.of(t.Boxed(body, span=(word.start, self.close(opened).end)))
        items, _ = self.list_items()
        span = (word.start, self.read_end)
        if word.text == "root":
            if len(items) != 2:
                raise NotationError("A root has two arguments, its degree first.", word.start)
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if word.text == "sum" and self.lenient:
            return Item(t.Call(t.Name("sum"), tuple(item.node for item in items), span=span), *span)
        if len(items) != 1 or word.text == "sum":
            raise NotationError(f"{word.text} needs one list in brackets, and nothing else.", word.start)
        return Item(items[0].node, *span)

    # Calls ---------------------------------------------------------------------------------------

    def can_call(self, name: t.Name) -> bool:
        r"""Return True if a name calls the brackets behind it, as ``\mathbb{V}`` does.

        In people's work E calls square brackets, a calligraphic N any, and σ may call what has rows.
        """
        is_roman_mean = self.lenient and (name.text, name.font) == ("E", "roman")
        if (self.lenient and name.text == "sigma") or (calls(name, self.functions) and not is_roman_mean):
            return True
        if self.here.kind != "open":
            return False
        if self.lenient and name.text == "E":
            return self.here.text == "[" or is_roman_mean
        # The calligraphic N is that of the normal distribution.
        return is_variance(name) or (self.lenient and (name.text, name.font) == ("N", "calligraphic"))

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """Read the call that the name of a function begins; any other name is returned alone."""
        if self.lenient:
            name = t.Name(_SPELLINGS[name.text], name.font, span=name.span) if name.text in _SPELLINGS else name
            if name.text == "sigma":
                return self._sigma(name) if self.here.kind == "open" else Item(name, start, end)
        if not self.can_call(name):
            return Item(name, start, end)
        if self.lenient and name.text in {"E", "N"}:
            text, font = ("E", "blackboard") if name.text == "E" else ("normal", name.font)
            name = t.Name(text, font, span=name.span)
        name = t.Name("Var", "roman", span=name.span) if is_variance(name) else name
        base, power = self._function_scripts(name) if self.lenient else (None, None)
        prefixed = _PREFIXED if self.lenient else self.functions
        if self.here.kind == "open":
            item = self._call_of_brackets(name, start)
        elif self.starts_operand() and is_function(name.text, prefixed):
            item = self._call_of_operand(name, start)
        else:
            return Item(name, start, end)
        span = (start, item.end)
        if base is not None:
            item = Item(t.Division(item.node, t.Call(name, (base,), span=base.span), bar=False, span=span), *span)
        if power is None:
            return item
        body = item.node if base is None else t.Group(item.node, "(", span=item.node.span)
        return Item(t.Power(body, power, span=span), *span)

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
        power = self.number().node if is_plain else as_operand(self.argument())
        power = power.body if isinstance(power, t.Group) else power
        if name.text not in _WITH_POWERS or not isinstance(power, t.Number) or power.text not in {"2", "3", "4"}:
            raise NotationError(f"A power of {name.text} is not read: write brackets around the call.", start)
        return power

    def _call_of_brackets(self, name: t.Name, start: int) -> Item:
        if name.text in t.MEANS:
            return self.mean(name, start)
        items, opened = self.list_items()
        span = (start, self.read_end)
        arguments = [item.node for item in items]
        if opened == "[" and len(items) > 1:
            enclosed = build_enclosed(items, "[", span)
            arguments = [enclosed] if self.lenient or isinstance(enclosed, t.Matrix) else arguments
        return build_call(name, items, arguments, span)

    def _call_of_operand(self, name: t.Name, start: int) -> Item:
        """Read the call of a function whose argument has no brackets, or in people's work those inside of braces."""
        if not self.lenient:
            item = self.lone_operand(start, f"the argument of {name.text}")
            return build_call(name, [item], [item.node], (start, item.end))
        is_braced = self.here.kind == "brace"
        item = self.nested_operand(start)
        node = item.node
        if is_braced and isinstance(node, t.Group) and node.brackets == "(":
            node = node.body
        return build_call(name, [item._replace(node=node)], [node], (start, item.end))

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

    # Brackets ------------------------------------------------------------------------------------

    def brackets(self) -> Item:
        """Read brackets around an expression, a list, or rows with semicolons between them."""
        opened = self.here
        if opened.text == "[" and (self.words or self.lenient):
            self.take()
            rows = self._rows()
            span = (opened.start, self.close(opened).end)
            if len(rows) > 1:
                nodes = [tuple(item.node for item in row) for row in rows]
                return Item(build_matrix(nodes, "[", span, [(row[0].start, row[-1].end) for row in rows]), *span)
            items = rows[0]
        else:
            items, _ = self.list_items()
            span = (opened.start, self.read_end)
        if not self.lenient:
            whole = Item(build_enclosed(items, opened.text, span), *span)
            return whole if self.words else _bare_call(items, opened.text, whole)
        return Item(_angled(items, span) if opened.kind == "angle" else _enclosed(items, opened.text, span), *span)

    def _rows(self) -> list[list[Item]]:
        """Read lists with semicolons between them, as MATLAB writes the rows of a matrix."""
        rows = [self.items("[")]
        while self.here.kind == "semicolon":
            self.take()
            if self.here.kind != "close":
                rows.append(self.items("["))
            self.limit(len(rows), "rows")
        return rows

    def list_items(self) -> tuple[list[Item], str]:
        """Read the items between two brackets; people put semicolons between them where commas are decimal."""
        opened = self.take()
        items = self.items(opened.text)
        while self.lenient and self.here.kind == "semicolon" and opened.text == "(":
            self.take()  # (0,4; 0,6)
            items.extend(self.items(opened.text))
            self.limit(len(items), "items")
        self.close(opened)
        return items, opened.text

    def items(self, opened: str) -> list[Item]:
        r"""Read expressions with commas between them, or matrices with bars: ``[A \mid B]``.

        A comma at the end says nothing in people's work.
        """
        self.lists_open.append(self.place()[0] if opened == "[" else -1)
        start = self.position
        items = [self.expression()]
        while self.here.kind == "comma" or self.is_joint():
            if not self.lenient:
                self._refuse_digit_groups(opened)
            self.take()
            if self.lenient and self.here.kind == "close":
                break
            items.append(self.expression())
            self.limit(len(items), "items")
        self.lists_open.pop()
        bars = [token for token in self.tokens[start : self.position] if token.kind in {"bar", "given"}]
        lists = [item for item in items if isinstance(item.node, t.Vector | t.Group) and item.node.brackets == "["]
        if bars and lists and len(items) > 1:
            raise NotationError("Lists with a bar between them are not read: write one matrix.", lists[0].start)
        return items

    def _refuse_digit_groups(self, opened: str = "") -> None:
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


def _bare_call(items: list[Item], opened: str, whole: Item) -> Item:
    """Remove round brackets directly around a limit or a derivative, which only show where it ends."""
    item = items[0]
    is_bare = len(items) == 1 and opened == "(" and (item.start, item.end) == item.node.span
    return whole._replace(node=item.node) if is_bare and is_open_call(item.node) else whole


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
