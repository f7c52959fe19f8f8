r"""Strict reader of LaTeX: its primaries, and TeX's rules for arguments."""

from __future__ import annotations

from typing import ClassVar

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import LATEX
from symattn.notation.lexer.separators import settle
from symattn.notation.lexer.tokenizer import tokenize
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Readers
from symattn.notation.parser.operands import Item, as_operand, build_matrix
from symattn.notation.parser.scripts import TOP
from symattn.notation.parser.tex_commands import TexParser
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import is_label


def read_latex(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    r"""Parse one formula in LaTeX: an expression, or a chain of relations.

    Every node knows where it stood: ``text[slice(*node.span)]``.

    Args:
        text: the formula, with or without its dollar signs.
        functions: names that call what stands in brackets behind them.

    >>> read_latex(r"Q_{31} = \tfrac52").sides[1]
    Division(numerator=Number(text='5'), denominator=Number(text='2'), bar=True)

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    tokens, _ = settle(tokenize(text, LATEX, functions), LATEX, frozenset())
    return _LatexParser(tokens, functions).formula()


class _LatexParser(TexParser):
    has_second_index = False

    def number_as_argument(self) -> Item:
        token = self.here
        if len(token.text) == 1:
            return self.number()
        if not token.text[1:].isdigit() or token.end - token.start != len(token.text):
            raise NotationError(
                f"Ambiguous: TeX takes only the {token.text[0]} of {token.text} here: write it in braces.",
                token.start,
            )
        return self.leading_digit()

    def fraction(self) -> Item:
        start = self.take().start
        return self.divided(start, self.argument(), self.argument())

    def root(self) -> Item:
        start = self.take().start
        degree = self.degree()
        body = self.argument()
        span = (start, body.end)
        return Item(t.Root(as_operand(body), degree, span=span), *span)

    def box(self) -> Item:
        start = self.take().start
        if self.here.kind != "brace":
            self.unexpected("a brace")
        opened = self.take()
        body = self.chain()
        span = (start, self.close(opened).end)
        return Item(t.Boxed(body, span=span), *span)

    def matrix(self) -> Item:
        opened = self.take()
        rows, places = self.matrix_rows(opened)
        span = (opened.start, self.take().end)
        return Item(build_matrix(rows, symbols.MATRIX_BRACKETS[opened.text], span, places), *span)

    # Above and below -----------------------------------------------------------------------------

    def is_whole_exponent(self, opened: str, sign: str, digits: str) -> bool:
        return opened == "{" or (not opened and not sign and len(digits) == 1)

    def opens_index(self, token: Token) -> bool:
        return token.kind == "brace"

    def index(self, item: Item) -> tuple[t.Node, ...]:
        opened = self.here
        if opened.kind == "number" and len(opened.text) > 1:
            base = item.node.text if isinstance(item.node, t.Name) else "x"
            raise NotationError(
                f"{base}_{opened.text} is ambiguous: {base}_{{{opened.text}}}, or {base}_{opened.text[0]} "
                f"times {opened.text[1:]}, as TeX sets it.",
                opened.start,
            )
        return self.index_list() if self.opens_index(opened) else (as_operand(self.argument()),)

    def exponent(self, item: Item) -> t.Node | str:
        if self.transpose_mark():
            return TOP
        start = self.here
        if start.kind == "number" and len(start.text) > 1 and isinstance(item.node, t.Number):
            base = item.node.text
            raise NotationError(
                f"{base}^{start.text} is ambiguous: {base}^{{{start.text}}}, or {base}^{{{start.text[0]}}} "
                f"and then {start.text[1:]}, as TeX sets it.",
                start.start,
            )
        return self.braced_exponent() if start.kind == "brace" else as_operand(self.argument())

    def braced_exponent(self) -> t.Node:
        r"""Read an exponent in braces; a label may have a transpose mark behind it, ``{(1)\top}``."""
        opened = self.take()
        item = self.expression()
        is_turned = self.here.kind in {"top", "prime"} and is_label(item.node)
        end = self.take().end if is_turned else item.end
        node = as_operand(Item(item.node, opened.start, self.close(opened).end, braced=True))
        return t.Transpose(node, span=(item.start, end)) if is_turned else node

    readers: ClassVar[Readers] = {
        "number": TexParser.number, "name": TexParser.name, "reals": TexParser.name, "mean": TexParser.name,
        "open": TexParser.brackets, "brace": TexParser.braced, "fraction": fraction, "root": root, "box": box,
        "sum": TexParser.sum_over, "font": TexParser.font_command, "matrix": matrix, "dots": TexParser.dots,
        "bar": TexParser.bars, "baropen": TexParser.sided_bars,
    }  # fmt: skip
