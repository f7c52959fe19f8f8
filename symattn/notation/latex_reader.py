r"""The reader of LaTeX: what stands by itself there, and TeX's rules for arguments."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation import limits, symbols
from symattn.notation import tree as t
from symattn.notation.latex_tokens import tokenize
from symattn.notation.operands import Item, as_operand, matrix_of
from symattn.notation.parser import BLACKBOARD, Parser
from symattn.notation.precedence import calls
from symattn.notation.scripts import TOP
from symattn.notation.tokens import Token


def read_latex(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    r"""The tree of one formula in LaTeX: an expression, or a chain of relations.

    Every node knows where it stood: ``text[slice(*node.span)]``.

    Args:
        text: the formula, with or without its dollar signs.
        functions: names that call what stands in brackets behind them.

    >>> read_latex(r"Q_{31} = \tfrac52").sides[1]
    Division(numerator=Number(text='5'), denominator=Number(text='2'), bar=True)

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    return _LatexParser(tokenize(text, functions), functions).formula()


class _LatexParser(Parser):
    operand_kinds = frozenset({
        "number", "name", "open", "brace", "fraction", "root", "box", "sum", "font", "matrix", "dots",
        "reals", "mean",
    })  # fmt: skip

    has_second_index = False

    def __init__(self, tokens: list[Token], functions: frozenset[str]) -> None:
        super().__init__(tokens, functions)
        self.font = ""

    def primary(self) -> Item:
        match self.here.kind:
            case "number":
                return self.number()
            case "name" | "reals" | "mean":
                return self._name()
            case "open":
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
            case "matrix":
                return self._matrix()
            case "dots":
                return self.dots()
            case _:
                return self.unexpected("a number, a name or a bracket")

    def _name(self) -> Item:
        token = self.take()
        text, font = BLACKBOARD.get(token.kind, (token.text, token.font or self.font))
        name = t.Name(text, font, span=(token.start, token.end))
        return self.called(name, token.start, token.end)

    def argument(self) -> Item:
        """One argument of a command: what stands in braces, one digit, or one operand."""
        start = self.here
        if start.kind == "brace":
            self.take()
            item = self.expression()
            end = self.expect("unbrace", "}", start).end
            return Item(item.node, start.start, end, braced=True)
        if start.kind == "number":
            return self._digit()
        self.enter(start.start)
        item = self.primary()
        self.leave()
        return item

    def _digit(self) -> Item:
        token = self.here
        if len(token.text) == 1:
            return self.number()
        rest = token.text[1:]
        if not rest.isdigit() or token.end - token.start != len(token.text):
            raise NotationError(
                f"Ambiguous: TeX takes only the {token.text[0]} of {token.text} here: write it in braces.",
                token.start,
            )
        self.split_end = middle = token.start + 1
        self.tokens[self.position] = Token("number", rest, middle, token.end)
        return Item(t.Number(token.text[0], span=(token.start, middle)), token.start, middle)

    def _fraction(self) -> Item:
        start = self.take().start
        numerator, denominator = self.argument(), self.argument()
        span = (start, denominator.end)
        return Item(t.Division(as_operand(numerator), as_operand(denominator), span=span), *span)

    def _root(self) -> Item:
        start = self.take().start
        degree = None
        if self.here.text == "[" and self.here.kind == "open":
            opened = self.take()
            degree = as_operand(self.expression())
            self.expect("close", "]", opened)
        body = self.argument()
        span = (start, body.end)
        return Item(t.Root(as_operand(body), degree, span=span), *span)

    def _boxed(self) -> Item:
        start = self.take()
        if self.here.kind != "brace":
            self.unexpected("a brace")
        opened = self.take()
        body = self.chain()
        span = (start.start, self.expect("unbrace", "}", opened).end)
        return Item(t.Boxed(body, span=span), *span)

    def _font(self) -> Item:
        command = self.take()
        outer, self.font = self.font, command.text or self.font
        item = self.argument()
        self.font = outer
        if isinstance(item.node, t.Name) and calls(item.node, self.functions):
            return self.called(item.node, command.start, item.end)
        return Item(item.node, command.start, item.end, braced=True)

    def _matrix(self) -> Item:
        opened = self.take()
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
        span = (opened.start, self.take().end)
        return Item(matrix_of(rows, symbols.MATRIX_BRACKETS[opened.text], span, places), *span)

    def _row(self) -> tuple[t.Node, ...]:
        entries = [self.expression().node]
        while self.here.kind in {"cell", "comma"}:
            self.take()
            entries.append(self.expression().node)
            self.limit(len(entries), "columns")
        return tuple(entries)

    # Above and below -----------------------------------------------------------------------------

    def is_whole_exponent(self, opened: str, sign: str, digits: str) -> bool:
        return opened == "{" or (not opened and not sign and len(digits) == 1)

    def index(self, item: Item) -> tuple[t.Node, ...]:
        opened = self.here
        if opened.kind == "number" and len(opened.text) > 1:
            base = item.node.text if isinstance(item.node, t.Name) else "x"
            raise NotationError(
                f"{base}_{opened.text} is ambiguous: {base}_{{{opened.text}}}, or {base}_{opened.text[0]} "
                f"times {opened.text[1:]}, as TeX sets it.",
                opened.start,
            )
        if opened.kind != "brace":
            return (as_operand(self.argument()),)
        self.take()
        indices = [self._one_index()]
        while self.here.kind == "comma":
            self.take()
            indices.append(self._one_index())
            self.limit(len(indices), "indices")
        self.expect("unbrace", "}", opened)
        return tuple(indices)

    def _one_index(self) -> t.Node:
        if self.here.kind == "colon":
            colon = self.take()
            return t.Name(":", span=(colon.start, colon.end))
        return as_operand(self.expression())

    def exponent(self, item: Item) -> t.Node | str:
        start = self.here
        if start.kind in {"top", "prime"}:
            self.take()
            return TOP
        if start.kind == "brace" and self.peek().kind in {"top", "prime"} and self.peek(2).kind == "unbrace":
            self.position += 3
            return TOP
        if start.kind == "number" and len(start.text) > 1 and isinstance(item.node, t.Number):
            base = item.node.text
            raise NotationError(
                f"{base}^{start.text} is ambiguous: {base}^{{{start.text}}}, or {base}^{{{start.text[0]}}} "
                f"and then {start.text[1:]}, as TeX sets it.",
                start.start,
            )
        return as_operand(self.argument())

    def lower_bound(self) -> tuple[t.Name, t.Node]:
        opened = self.here
        if opened.kind != "brace":
            return self.bound_index()
        self.take()
        bound = self.bound_index()
        self.expect("unbrace", "}", opened)
        return bound
