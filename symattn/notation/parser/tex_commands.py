"""Shared grammar of TeX's commands and their operands: fonts, roots, rows of matrices."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.operands import Item, as_operand
from symattn.notation.parser.proof_forms import ProofParser
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t


class TexParser(ProofParser):
    """The shared grammar with TeX's commands and their arguments."""

    may_end_with_cell = False
    """True if a row of a matrix may end with an alignment mark."""

    def argument(self) -> Item:
        """Read one argument of a command: braces, a numeral or its first digit, or one operand."""
        start = self.here.start
        if self.here.kind == "brace":
            return self.braced()
        if self.here.kind == "number":
            return self.number_as_argument()
        self.enter(start)
        item = self.primary()
        self.leave()
        return item

    def number_as_argument(self) -> Item:
        """Read as much of a numeral as is one argument."""
        return self.number()

    def braced(self) -> Item:
        """Read the contents of braces; these are not seen, so they are not brackets."""
        opened = self.take()
        item = self.expression()
        return Item(item.node, opened.start, self.close(opened).end, braced=True)

    def leading_digit(self) -> Item:
        """Read the first digit of a numeral, which is all that TeX takes of it; the rest stays to be read."""
        token = self.here
        self.split_end = middle = token.start + 1
        self.tokens[self.position] = Token("number", token.text[1:], middle, token.end)
        return Item(t.Number(token.text[0], span=(token.start, middle)), token.start, middle)

    def transpose_mark(self) -> bool:
        """Read the mark of a transpose, in braces or without, and return True if there is one."""
        if self.here.kind in {"top", "prime"}:
            self.take()
            return True
        if self.here.kind == "brace" and self.peek().kind in {"top", "prime"} and self.peek(2).kind == "unbrace":
            self.position += 3
            return True
        return False

    # Commands ------------------------------------------------------------------------------------

    def divided(self, start: int, numerator: Item, denominator: Item) -> Item:
        """Build a fraction with a bar, or the derivative that it stands for."""
        span = (start, denominator.end)
        return self.differentiated(Item(t.Division(as_operand(numerator), as_operand(denominator), span=span), *span))

    def degree(self) -> t.Node | None:
        """Read the degree of a root, in square brackets."""
        if self.here.kind != "open" or self.here.text != "[":
            return None
        opened = self.take()
        degree = as_operand(self.expression())
        self.close(opened)
        return degree

    def font_command(self) -> Item:
        """Read an argument in a font of its own; braces around it are not seen."""
        command = self.take()
        outer, self.font = self.font, command.text or self.font
        item = self.argument()
        self.font = outer
        if isinstance(item.node, t.Name) and self.can_call(item.node):
            return self.called(item.node, command.start, item.end)
        return Item(item.node, command.start, item.end, braced=True)

    # Matrices ------------------------------------------------------------------------------------

    def matrix_rows(self, opened: Token) -> tuple[list[tuple[t.Node, ...]], list[t.Span]]:
        """Read the rows of a matrix and the place of each, up to the end of its environment."""
        rows: list[tuple[t.Node, ...]] = []
        places: list[t.Span] = []
        entries = 0
        while self.here.kind != "endmatrix":
            if self.here.kind == "row":
                self.take()
                continue
            start = self.here.start
            rows.append(self.matrix_row())
            places.append((start, self.here.start))
            entries += len(rows[-1])
            self.limit(len(rows), "rows")
            if entries > limits.MAX_ENTRIES:
                raise NotationError(f"This matrix has more than {limits.MAX_ENTRIES} entries.", opened.start)
            if self.here.kind not in {"row", "endmatrix"}:
                self.unexpected("an alignment mark or a row end")
        return rows, places

    def matrix_row(self) -> tuple[t.Node, ...]:
        """Read the entries of one row."""
        entries = [self.expression().node]
        while self.here.kind in {"cell", "comma"}:
            self.take()
            if self.may_end_with_cell and self.here.kind in {"row", "endmatrix"}:
                break
            entries.append(self.expression().node)
            self.limit(len(entries), "columns")
        return tuple(entries)
