r"""Lenient reading of TeX commands: fractions, roots, boxes, accents, braces below, matrices."""

from __future__ import annotations

from symattn.notation import symbols
from symattn.notation import tree as t
from symattn.notation.operands import Item, as_operand, as_part, matrix_of
from symattn.notation.side_base import SideBase
from symattn.notation.side_habits import accented, refuse_nested


class SideCommands(SideBase):
    """The grammar of commands with their arguments."""

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
        return Item(accented(item.node, command.text), command.start, item.end, braced=True)

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
        node = matrix_of(rows, symbols.MATRIX_BRACKETS[opened.text], span, places)
        refuse_nested(node)
        return Item(node, *span)
