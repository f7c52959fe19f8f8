r"""Lenient brackets and bars: lists, rows with semicolons, nested lists, inner products, norms."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation import tree as t
from symattn.notation.operands import Item, enclosed, matrix_of
from symattn.notation.side_base import SideBase
from symattn.notation.side_habits import is_bracketed_matrix, is_plain_number, refuse_nested
from symattn.notation.tokens import Token


class SideBrackets(SideBase):
    """The grammar of brackets."""

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
        return matrix_of(rows, "[", span, [node.span or span for node in nodes])
    if brackets == "[":
        are_matrices = [is_bracketed_matrix(node) for node in nodes]
        if are_matrices == [True]:
            return nodes[0]
        if len(nodes) > 1 and all(are_matrices):
            raise NotationError("A list of matrices is not read: write one matrix at a time.", span[0])
    node = enclosed(items, brackets, span)
    if isinstance(node, t.Matrix):
        refuse_nested(node)
    return node
