"""The reader of plain text: names are words, exponents and indices end where the word does."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation import symbols
from symattn.notation import tree as t
from symattn.notation.operands import Item, as_operand, as_part, enclosed, matrix_of
from symattn.notation.parser import BLACKBOARD, Parser
from symattn.notation.plain_tokens import tokenize
from symattn.notation.precedence import clash, holds_quotient, is_set_apart
from symattn.notation.scripts import TOP
from symattn.notation.tokens import Token


def read_plain(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """The tree of one formula in plain text: an expression, or a chain of relations.

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
    return _PlainParser(tokenize(text), functions).formula()


class _PlainParser(Parser):
    operand_kinds = frozenset({"number", "name", "quoted", "open", "root", "sum", "dots", "reals", "mean"})

    def primary(self) -> Item:
        match self.here.kind:
            case "number":
                return self.number()
            case "name":
                return self._word()
            case "quoted":
                token = self.take()
                return Item(t.Name(token.text, span=(token.start, token.end)), token.start, token.end)
            case "reals" | "mean":
                token = self.take()
                name = t.Name(*BLACKBOARD[token.kind], span=(token.start, token.end))
                return self.called(name, token.start, token.end)
            case "open":
                return self.brackets()
            case "root":
                return self._root_sign()
            case "sum":
                return self.sum_over()
            case "dots":
                return self.dots()
            case _:
                return self.unexpected("a number, a name or a bracket")

    def _word(self) -> Item:
        token = self.here
        following = self.peek()
        opens = following.kind == "open" and following.text == "("
        if token.text == "sum" and following.kind in {"below", "above"} and self.peek(2).text in {"{", "("}:
            return self.sum_over()
        if opens and token.text in symbols.PLAIN_KEYWORDS:
            return self._keyword()
        self.take()
        name = t.Name(token.text, span=(token.start, token.end))
        return self.called(name, token.start, token.end)

    def _keyword(self) -> Item:
        word = self.take()
        if word.text == "boxed":
            opened = self.take()
            body = self.chain()
            span = (word.start, self.expect("close", ")", opened).end)
            return Item(t.Boxed(body, span=span), *span)
        items, _ = self.list_items()
        span = (word.start, self.tokens[self.position - 1].end)
        if word.text == "root":
            if len(items) != 2:
                raise NotationError("A root has two arguments, its degree first.", word.start)
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if len(items) != 1 or word.text == "sum":
            raise NotationError(f"{word.text} wants one list in brackets, and nothing else.", word.start)
        return Item(items[0].node, *span)

    def _root_sign(self) -> Item:
        start = self.take().start
        self.enter(start)
        body = self.primary()
        self.leave()
        return Item(t.Root(as_part(body), span=(start, body.end)), start, body.end)

    # Lists and products --------------------------------------------------------------------------

    def brackets(self) -> Item:
        opened = self.here
        self.take()
        rows = [self._entries(opened)]
        while self.here.kind == "semicolon" and opened.text == "[":
            self.take()
            if self.here.kind != "close":
                rows.append(self._entries(opened))
            self.limit(len(rows), "rows")
        end = self.expect("close", symbols.CLOSING[opened.text], opened).end
        span = (opened.start, end)
        if len(rows) > 1:
            nodes = [tuple(item.node for item in row) for row in rows]
            places = [(row[0].start, row[-1].end) for row in rows]
            return Item(matrix_of(nodes, "[", span, places), *span)
        return Item(enclosed(rows[0], opened.text, span), *span)

    def _entries(self, opened: Token) -> list[Item]:
        items = [self.expression()]
        while self.here.kind == "comma":
            self.refuse_digit_groups(opened.text)
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        return items

    def product(self, items: list[Item], operators: list[str]) -> Item:
        item = super().product(items, operators)
        if not operators or not isinstance(item.node, t.Product):
            return item
        return item._replace(node=self._without_layout(item.node))

    def _without_layout(self, node: t.Product) -> t.Product:
        """Beside another factor the brackets of (a/b) are layout: in LaTeX the fraction has a bar."""
        factors = list(node.factors)
        for position, factor in enumerate(factors):
            if not is_set_apart(node, position):
                continue
            bare = _without_brackets(factor)
            left = factors[position - 1] if position else None
            if left is None or not clash(left, node.operators[position - 1], bare, self.functions):
                factors[position] = bare
        return t.Product(tuple(factors), node.operators, span=node.span)

    # Above and below -----------------------------------------------------------------------------

    def index(self, item: Item) -> tuple[t.Node, ...]:  # noqa: ARG002 - TeX's reader wants it
        opened = self.here
        if opened.kind == "open" and opened.text in {"{", "("}:
            self.take()
            indices = [self._one_index()]
            while self.here.kind == "comma":
                self.take()
                indices.append(self._one_index())
                self.limit(len(indices), "indices")
            self.expect("close", symbols.CLOSING[opened.text], opened)
            return tuple(indices)
        return (self._word_index(),)

    def _word_index(self) -> t.Node:
        """An index without brackets ends where the word does: ``A_3j`` has the index 3j."""
        first = self._single("an index")
        following = self.here
        if not isinstance(first.node, t.Number) or following.kind != "name" or following.start != first.end:
            return first.node
        second = self._single("an index")
        return t.Product((first.node, second.node), ("",), span=(first.start, second.end))

    def _one_index(self) -> t.Node:
        return self._single("an index").node if self.here.kind == "colon" else as_operand(self.expression())

    def _single(self, wanted: str) -> Item:
        token = self.here
        span = (token.start, token.end)
        if token.kind == "number":
            return self.number()
        if token.kind in {"name", "quoted", "colon"}:
            self.take()
            return Item(t.Name(token.text, span=span), *span)
        return self.unexpected(wanted)

    def exponent(self, item: Item) -> t.Node | str:  # noqa: ARG002 - TeX's reader wants it
        start = self.here
        if start.kind == "top":
            self.take()
            return TOP
        if start.kind == "open" and start.text == "{":
            self.take()
            found = self.expression()
            self.expect("close", "}", start)
            return as_operand(found)
        if start.kind == "sign":
            found = self.signed(self.primary)
        else:
            self.enter(start.start)
            found = self.primary()
            self.leave()
        return as_part(found)

    def lower_bound(self) -> tuple[t.Name, t.Node]:
        opened = self.here
        if opened.kind != "open" or opened.text not in {"{", "("}:
            return self.bound_index()
        self.take()
        bound = self.bound_index()
        self.expect("close", symbols.CLOSING[opened.text], opened)
        return bound


def _without_brackets(node: t.Node) -> t.Node:
    """A quotient without its outer brackets, signs before it kept."""
    if isinstance(node, t.Negative):
        return t.Negative(_without_brackets(node.body), span=node.span)
    return node.body if isinstance(node, t.Group) and holds_quotient(node) else node
