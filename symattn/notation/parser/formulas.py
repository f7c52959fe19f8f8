"""TRUSTED. The parser of formulas: commands with their arguments, and which method reads which operand.

It is built of parts, each on the one before: `arithmetic` (sums, products, quotients), `scripts` (indices and
exponents), `summation`, `proof_forms` (means, derivatives, limits, bars) and `expressions` (chains, names, calls,
brackets).
"""

from __future__ import annotations

from typing import ClassVar

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import Dialect
from symattn.notation.lexer.separators import settle
from symattn.notation.lexer.tokenizer import tokenize
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Readers
from symattn.notation.parser.expressions import Parser
from symattn.notation.parser.operands import Item, as_operand, as_part, build_matrix
from symattn.notation.parser.patterns import add_accent, refuse_nested
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t


def parse(text: str, dialect: Dialect, functions: frozenset[str]) -> t.Node:
    """Parse one formula in a strict dialect: an expression, or a chain of relations.

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    tokens, _ = settle(tokenize(text, dialect, functions), dialect, frozenset())
    return FormulaParser(tokens, dialect, functions).formula()


class FormulaParser(Parser):
    """The whole grammar, with commands of LaTeX: fractions, roots, fonts, boxes, accents, matrices."""

    def fraction(self) -> Item:
        r"""Read a fraction: ``\frac12`` is one half; people write ``\frac 10 20``, too."""
        start = self.take().start
        token, following = self.here, self.peek()
        is_apart = following.kind == "brace" or (following.kind == "number" and token.end < following.start)
        is_single = token.kind == "number" and len(token.text) > 1 and token.text.isdigit() and not is_apart
        part = self.first_digit if is_single else self.argument
        above, below = part(), part()
        span = (start, below.end)
        return self.differentiated(Item(t.Division(as_operand(above), as_operand(below), span=span), *span))

    def root(self) -> Item:
        """Read a root; in people's work that of a name with its index, too: ``√d_k``."""
        start = self.take().start
        is_braced = self.here.kind == "brace"
        if self.words and not self.lenient:
            degree = None
            self.enter(start)
            body = self.primary()
            self.leave()
        else:
            degree = self._degree()
            is_braced = self.here.kind == "brace"
            body = self.short("\\sqrt ", splits=True)
        is_whole = is_braced or not (self.words or self.lenient)
        node = as_operand(body) if is_whole else as_part(body)
        if self.lenient and self.here.kind == "below" and not is_braced and isinstance(node, t.Name):
            node = self.indexed(node)
        return Item.of(t.Root(node, degree, span=(start, self.read_end)))

    def _degree(self) -> t.Node | None:
        """Read the degree of a root, in square brackets."""
        if self.here.kind != "open" or self.here.text != "[":
            return None
        opened = self.take()
        degree = as_operand(self.expression())
        self.close(opened)
        return degree

    def box(self) -> Item:
        """Read a box, around an expression alone in people's work."""
        start = self.take().start
        if self.lenient:
            item = self.argument()
            return Item(t.Boxed(item.node, span=(start, item.end)), start, item.end)
        if self.here.kind != "brace":
            self.unexpected("a brace")
        opened = self.take()
        body = self.chain()
        return Item.of(t.Boxed(body, span=(start, self.close(opened).end)))

    def font_command(self) -> Item:
        """Read an argument in a font of its own; braces around it are not seen."""
        command = self.take()
        outer, self.font = self.font, command.text or self.font
        item = self.argument()
        self.font = outer
        if isinstance(item.node, t.Name) and self.can_call(item.node):
            return self.called(item.node, command.start, item.end)
        return Item(item.node, command.start, item.end, braced=True)

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

    # Matrices ------------------------------------------------------------------------------------

    def column(self) -> Item:
        r"""Read a column of two entries: ``\binom{1}{2}``, which takes less room than a matrix."""
        start = self.take().start
        entries = [self.argument(), self.argument()]
        span = (start, entries[-1].end)
        return Item(t.Matrix(tuple((as_operand(entry),) for entry in entries), "(", span=span), *span)

    def matrix(self) -> Item:
        """Read a matrix; in people's work dots alone in a row stand for a row of dots."""
        opened = self.take()
        self.enter(opened.start)
        rows, places = self._rows_of_matrix(opened)
        self.leave()
        span = (opened.start, self.take().end)
        if self.lenient:
            width = max(map(len, rows), default=0)
            rows = [row * width if len(row) == 1 and isinstance(row[0], t.Dots) else row for row in rows]
        node = build_matrix(rows, symbols.MATRIX_BRACKETS[opened.text], span, places)
        if self.lenient:
            refuse_nested(node)
        return Item(node, *span)

    def _rows_of_matrix(self, opened: Token) -> tuple[list[tuple[t.Node, ...]], list[t.Span]]:
        """Read the rows of a matrix and the place of each, up to the end of its environment."""
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
        return rows, places

    def _row(self) -> tuple[t.Node, ...]:
        """Read the entries of one row, at the end of which people put an alignment mark, too."""
        entries = [self.expression().node]
        while self.here.kind in {"cell", "comma"}:
            self.take()
            if self.lenient and self.here.kind in {"row", "endmatrix"}:
                break
            entries.append(self.expression().node)
            self.limit(len(entries), "columns")
        return tuple(entries)

    readers: ClassVar[Readers] = {
        "number": Parser.number, "name": Parser.name, "quoted": Parser.name,
        "reals": Parser.name, "mean": Parser.name, "open": Parser.brackets,
        "angle": Parser.brackets, "brace": Parser.braced, "bar": Parser.bars,
        "baropen": Parser.sided_bars, "sum": Parser.sum_over, "dots": Parser.dots,
        "fraction": fraction, "root": root, "box": box,
        "font": font_command, "accent": accent,
        "brace-under": braced_under, "over": over, "matrix": matrix, "column": column,
    }  # fmt: skip
