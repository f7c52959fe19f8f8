"""TRUSTED. Strict reader of plain text: names are words, exponents and indices end where the word does."""

from __future__ import annotations

from typing import ClassVar

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import PLAIN
from symattn.notation.lexer.separators import settle
from symattn.notation.lexer.tokenizer import tokenize
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Readers
from symattn.notation.parser.operands import Item, as_operand, as_part, build_enclosed
from symattn.notation.parser.proof_forms import ProofParser
from symattn.notation.parser.scripts import TOP
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import are_running, without_layout


def read_plain(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """Parse one formula in plain text: an expression, or a chain of relations.

    Every node knows where it stood: ``text[slice(*node.span)]``. A run of letters is one name, and a
    name in double quotes may hold any characters.

    Args:
        text: the formula.
        functions: names that call what stands in brackets behind them.

    >>> read_plain("Q_31 = 5/2").sides[1]
    Division(numerator=Number(text='5'), denominator=Number(text='2'), bar=False)

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    tokens, _ = settle(tokenize(text, PLAIN, functions), PLAIN, frozenset())
    return _PlainParser(tokens, functions).formula()


class _PlainParser(ProofParser):
    def word(self) -> Item:
        text, following = self.here.text, self.peek()
        if text == "sum" and following.kind in {"below", "above"} and self.opens_index(self.peek(2)):
            return self.sum_over()
        if text in symbols.PLAIN_KEYWORDS and following.kind == "open" and following.text == "(":
            return self.keyword()
        return self.name()

    def keyword(self) -> Item:
        word = self.take()
        if word.text == "boxed":
            opened = self.take()
            body = self.chain()
            span = (word.start, self.close(opened).end)
            return Item(t.Boxed(body, span=span), *span)
        items, _ = self.list_items()
        span = (word.start, self.tokens[self.position - 1].end)
        if word.text == "root":
            if len(items) != 2:
                raise NotationError("A root has two arguments, its degree first.", word.start)
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if len(items) != 1 or word.text == "sum":
            raise NotationError(f"{word.text} needs one list in brackets, and nothing else.", word.start)
        return Item(items[0].node, *span)

    def root_sign(self) -> Item:
        start = self.take().start
        self.enter(start)
        body = self.primary()
        self.leave()
        return Item(t.Root(as_part(body), span=(start, body.end)), start, body.end)

    # Lists and products --------------------------------------------------------------------------

    def brackets(self) -> Item:
        opened = self.take()
        rows = self.rows(opened)
        span = (opened.start, self.close(opened).end)
        if len(rows) > 1:
            return self.matrix_of_lists(rows, span)
        return Item(build_enclosed(rows[0], opened.text, span), *span)

    def product(self, items: list[Item], operators: list[str]) -> Item:
        item = super().product(items, operators)
        return item._replace(node=without_layout(item.node, self.functions))

    # Above and below -----------------------------------------------------------------------------

    def opens_index(self, token: Token) -> bool:
        return token.kind == "brace" or (token.kind == "open" and token.text == "(")

    def index(self, item: Item) -> tuple[t.Node, ...]:  # noqa: ARG002 - TeX's reader wants it
        is_quoted = self.here.kind == "quoted" or (self.opens_index(self.here) and self.peek().kind == "quoted")
        indices = self.index_list() if self.opens_index(self.here) else (self.word_index(),)
        return indices if is_quoted else tuple(map(_two_letters, indices)) if len(indices) == 1 else indices

    def word_index(self) -> t.Node:
        """Read an index without brackets, which ends where the word does: ``A_3j`` has the index 3j."""
        first = self.single()
        following = self.here
        if not isinstance(first.node, t.Number) or following.kind != "name" or following.start != first.end:
            return first.node
        second = self.single()
        return t.Product((first.node, second.node), ("",), span=(first.start, second.end))

    def single(self) -> Item:
        token = self.here
        if token.kind == "number":
            return self.number()
        if token.kind in {"name", "quoted", "colon"}:
            self.take()
            return Item(t.Name(token.text, span=(token.start, token.end)), token.start, token.end)
        return self.unexpected("an index")

    def exponent(self, item: Item) -> t.Node | str:  # noqa: ARG002 - TeX's reader wants it
        start = self.here
        if start.kind == "top":
            self.take()
            return TOP
        if start.kind == "brace":
            self.take()
            found = self.expression()
            self.close(start)
            return as_operand(found)
        if start.kind == "sign":
            return as_part(self.signed(self.primary))
        self.enter(start.start)
        found = self.primary()
        self.leave()
        return as_part(found)

    readers: ClassVar[Readers] = {
        "number": ProofParser.number, "name": word, "quoted": ProofParser.name, "reals": ProofParser.name,
        "mean": ProofParser.name, "open": brackets, "root": root_sign, "sum": ProofParser.sum_over,
        "dots": ProofParser.dots, "bar": ProofParser.bars,
    }  # fmt: skip


def _two_letters(node: t.Node) -> t.Node:
    """Split two running letters, ``delta_ij``, into two indices side by side, as LaTeX sets them."""
    if not isinstance(node, t.Name) or not are_running(node.text):
        return node
    start, end = node.span or (0, 2)
    letters = t.Name(node.text[0], span=(start, start + 1)), t.Name(node.text[1], span=(start + 1, end))
    return t.Product(letters, ("",), span=node.span)
