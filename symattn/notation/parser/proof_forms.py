r"""TRUSTED. Forms of proofs: means given something, derivatives, limits, bars of norms and absolute values.

Bars that open and close look alike. What is clear is read, ``|a||b|``, ``\|v\|^2``, ``||v||``; where a bar may
open as well as close, ``|a|b|c|``, a strict dialect refuses, and a lenient one closes.
"""

from __future__ import annotations

from typing import NoReturn

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.operands import Item, as_operand, as_part, build_call, build_enclosed
from symattn.notation.parser.scripts import MARKS
from symattn.notation.parser.summation import SumParser
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import calls, derivative, partial_derivative

_OPENING = frozenset({"open", "angle", "brace", "matrix", "baropen"})
_CLOSING = frozenset({"close", "unbrace", "endmatrix", "barclose"})
_PARTS = frozenset({"comma", "semicolon", "relation", "cell", "row", "given"})
_PARTIAL = "partial"
_LONGEST = 1_000
"""Tokens between two signs of a derivative with a slash, at most."""

_UNCLEAR = r"It is unclear which bars belong together: write \lvert a \rvert, \lVert v \rVert, or abs(a), norm(v)."


class ProofParser(SumParser):
    """The grammar of formulas with the forms of proofs."""

    # Blocks side by side ---------------------------------------------------------------------------

    def is_joint(self) -> bool:
        """Return True if a bar here joins two matrices side by side in square brackets."""
        token = self.here
        if token.text != "|" or token.kind not in {"bar", "given"} or not self.lists_open or self.has_open_bar():
            return False
        level, remaining = self.place()
        if self.lists_open[-1] != level or (self.means_open and self.means_open[-1] in {level, -1}):
            return False
        before, after = self.tokens[self.position - 1], self.peek()
        if "bar" in {before.kind, after.kind}:
            return False
        is_apart = before.end < token.start and token.end < after.start
        return token.kind == "given" or is_apart or remaining % 2 == 0

    def has_open_bar(self) -> bool:
        """Return True if a bar was opened in the innermost brackets."""
        return bool(self.bars_open) and self.bars_open[-1][1] == self.place()[0]

    # Means ---------------------------------------------------------------------------------------

    def mean(self, name: t.Name, start: int) -> Item:
        """Read a mean with its condition behind a bar or a comma, or a variance or covariance by such means."""
        opened = self.take()
        self.means_open.append(self.place()[0])
        items = self.items(opened.text)
        arguments = [item.node for item in items]
        if name.text == "Var" and opened.text == "[" and len(items) > 1:
            arguments = [build_enclosed(items, "[", (start, self.here.start))]
        if self.is_given():
            if len(items) != (2 if name.text == "Cov" else 1):
                raise NotationError("A mean has one thing before its bar: write brackets around it.", items[-1].start)
            self.take()
            self.means_open[-1] = -1
            arguments.append(_listed(self.items(opened.text)))
            if name.text != "E":
                self.means_open.pop()
                self.close(opened)
                node = _conditional(arguments, (start, self.read_end))
                return Item(node, start, self.read_end)
        self.means_open.pop()
        self.close(opened)
        return build_call(name, items, arguments, (start, self.read_end))

    def is_given(self) -> bool:
        """Return True if a bar here separates the body of a mean from its condition."""
        token = self.here
        if token.kind == "given":
            return True
        if token.kind != "bar" or token.text != "|" or not self.means_open:
            return False
        level, remaining = self.place()
        is_inside = bool(self.bars_open) and self.bars_open[-1][1] == level
        return level == self.means_open[-1] and not is_inside and remaining % 2 == 0

    # Derivatives ---------------------------------------------------------------------------------

    def quotient(self) -> Item:
        """Read operands with slashes between them, or a derivative with a slash: ``∂a/∂z``."""
        if not self.is_slashed_derivative():
            return super().quotient()
        start = self.take().start
        body = self.scripted()
        self.position += 2
        variable = self.scripted()
        if self.starts_operand() or self.here.kind == "slash":
            raise NotationError(
                "Ambiguous: what follows may belong to this derivative or not: write brackets around it.",
                self.here.start,
            )
        span = (start, variable.end)
        return self.derived(body._replace(node=as_part(body)), as_operand(variable), span)

    def is_slashed_derivative(self) -> bool:
        """Return True if an operand stands between two signs of a partial derivative, before a slash."""
        if not self.is_partial(0) or self.peek().kind not in self.readers:
            return False
        slash = self._past_operand(self.position + 1) - self.position
        return self.peek(slash).kind == "slash" and self.is_partial(slash + 1)

    def is_partial(self, offset: int) -> bool:
        """Return True if the sign of a partial derivative stands there, for a reader that knows derivatives."""
        token = self.peek(offset)
        return token.kind == "name" and token.text == _PARTIAL and "diff" in self.functions

    def _past_operand(self, at: int) -> int:
        while self.tokens[at].kind in {"font", "accent"}:
            at += 1
        token = self.tokens[at]
        at = self._past_one(at)
        if token.kind == "name" and self.tokens[at].kind == "open" and calls(t.Name(token.text), self.functions):
            at = self._past_one(at)
        while self.tokens[at].kind in MARKS:
            at = at + 1 if self.tokens[at].kind == "prime" else self._past_one(at + 1)
        return at

    def _past_one(self, at: int) -> int:
        level = 0
        last = min(len(self.tokens) - 1, at + _LONGEST)
        while at < last:
            level += (self.tokens[at].kind in _OPENING) - (self.tokens[at].kind in _CLOSING)
            at += 1
            if level <= 0:
                break
        return at

    def derived(self, body: Item, variable: t.Node, span: t.Span) -> Item:
        """Build the derivative of something by a name."""
        if not isinstance(variable, t.Name | t.Subscript):
            raise NotationError("A derivative is taken by a name or by an entry.", span[0])
        name = t.Name("diff", span=(span[0], span[0]))
        return Item(t.Call(name, (body.node, variable), span=span), *span)

    def differentiated(self, item: Item) -> Item:
        """Return a fraction, or the derivative that it stands for."""
        node = item.node
        if not isinstance(node, t.Division) or "diff" not in self.functions:
            return item
        if _is_higher(node.numerator):
            raise NotationError("A higher derivative is not read: write a derivative of a derivative.", item.start)
        found = derivative(node.numerator, node.denominator)
        if found is None:
            return item
        body, variable = found
        if body is not None:
            return self.derived(Item(body, item.start, item.end), variable, (item.start, item.end))
        operand = self._differentiand(item)
        if self.here.kind in MARKS:
            raise NotationError(
                "Ambiguous: what stands above may belong to the derivative or to what it is taken of: write brackets.",
                self.here.start,
            )
        return self.derived(operand, variable, (item.start, operand.end))

    def _differentiand(self, sign: Item) -> Item:
        """Read the differentiand behind ``d/dx``, in brackets or one operand."""
        if self.here.kind == "open":
            items, _ = self.list_items()
            if len(items) != 1:
                raise NotationError("A derivative is taken of one thing.", items[1].start)
            return items[0]._replace(end=self.read_end)
        if not self.starts_operand():
            raise NotationError("A derivative needs what it is taken of: write it behind the fraction.", sign.start)
        item = self.lone_operand(sign.start, "what is differentiated")
        as_operand(item)
        return item

    def quotient_of(self, item: Item) -> Item:
        """Return a quotient with a slash, or the derivative that it stands for; ``d/(d x)`` may be a quotient."""
        node = item.node
        if not isinstance(node, t.Division) or "diff" not in self.functions:
            return item
        found = partial_derivative(node.numerator, node.denominator)
        if found is None:
            return item
        if found[0] is None:
            raise NotationError("A derivative needs what it is taken of: write it behind the sign.", item.start)
        return self.derived(Item(found[0], item.start, item.end), found[1], (item.start, item.end))

    # Limits --------------------------------------------------------------------------------------

    def limit_of(self) -> Item:
        r"""Read ``\lim_{x \to a}`` of the term that follows."""
        sign = self.take()
        self.take()
        opened = self.here
        if not self.opens_index(opened):
            self.unexpected("a brace with the variable of the limit, as in x \\to 0,")
        self.take()
        variable = self.expression()
        if self.here.kind != "relation" or self.here.text != "→":
            self.unexpected("an arrow, as in x \\to 0,")
        self.take()
        target = self.expression()
        self.close(opened)
        for item in (variable, target):
            as_operand(item)  # refuses what braces hide
        self.enter(sign.start)
        body = self.term()
        self.leave()
        node = body.node
        if isinstance(node, t.Group) and node.brackets == "(" and not body.braced:
            node = node.body
        else:
            as_operand(body, (t.Relation, t.Sum))
        name = t.Name("lim", "roman", span=(sign.start, sign.end))
        return build_call(name, [body], [variable.node, target.node, node], (sign.start, body.end))

    # Bars ----------------------------------------------------------------------------------------

    def starts_operand(self) -> bool:
        """Return True if an operand begins here; a bar behind an operand may close an earlier one."""
        kind = self.tokens[self.position].kind
        return kind in self.readers and (kind != "bar" or not (self.closes_bar() or self.is_given() or self.is_joint()))

    def place(self) -> tuple[int, int]:
        """Return the depth in brackets of the next token, and the number of bars like it in the same part."""
        if not self.places:
            self.places = _places(self.tokens)
        return self.places[self.position]

    def closes_bar(self) -> bool:
        """Return True if a bar behind an operand closes the last one that was opened.

        Raises:
            NotationError: nobody can tell, in a strict dialect.
        """
        level, remaining = self.place()
        if not self.bars_open or self.bars_open[-1][1] != level:
            return False
        kind, token = self.bars_open[-1][0], self.here
        if kind == "||":
            return self._is_double()
        if kind != token.text:
            return False
        more = 1
        while self.peek(more).kind == "bar" and self.peek(more).text == kind:
            more += 1
        # If it opened, so would all bars that follow it at once, and each would want another to close it.
        if not self.lenient and self.peek(more).kind in self.readers and remaining >= 2 * more:
            raise NotationError(_UNCLEAR, token.start)
        return True

    def _is_double(self) -> bool:
        token, following = self.here, self.peek()
        return token.text == "|" and following.kind == "bar" and following.text == "|" and following.start == token.end

    def bars(self) -> Item:
        r"""Read ``|x|`` and ``\|x\|``, ``||x||``."""
        level, _ = self.place()
        kind = "||" if self._is_double() else self.here.text
        opened = self.take()
        self.position += kind == "||"
        if self.at_close():
            self._not_closed(kind, opened)
        self.bars_open.append((kind, level))
        item = self.expression()
        self.bars_open.pop()
        is_closed = self.here.kind == "bar" and (self._is_double() if kind == "||" else self.here.text == kind)
        is_closed |= self.lenient and (self.here.kind, self.here.text) == ("barclose", kind)
        if not is_closed:
            self._not_closed(kind, opened)
        self.position += len(kind)
        end = self.read_end
        if self.lenient and kind != "|" and self.here.kind == "below" and self.peek().text == "2":
            self.position += 2  # the norm that is meant without an index, too
        return self.measured("abs" if kind == "|" else "norm", item, (opened.start, end))

    def _not_closed(self, kind: str, opened: Token) -> NoReturn:
        raise NotationError(f"The bar {kind} is not closed: {_UNCLEAR[0].lower()}{_UNCLEAR[1:]}", opened.start)

    def sided_bars(self) -> Item:
        r"""Read ``\lvert x \rvert`` and ``\lVert x \rVert``."""
        opened = self.take()
        item = self.expression()
        self.expect("barclose", opened.text, opened)
        return self.measured("abs" if opened.text == "|" else "norm", item, (opened.start, self.read_end))

    def measured(self, function: str, item: Item, span: t.Span) -> Item:
        """Build the norm or the absolute value that bars stand for."""
        if function not in self.functions:
            raise NotationError(
                f"Found a vertical bar where {function} is not a function that is known: write it in words.", span[0]
            )
        return Item(t.Call(t.Name(function, span=(span[0], span[0])), (item.node,), span=span), *span)


def _is_higher(node: t.Node) -> bool:
    head = node.factors[0] if isinstance(node, t.Product) else node
    return isinstance(head, t.Power) and head.base == t.Name(_PARTIAL)


def _listed(items: list[Item]) -> t.Node:
    """Return one item alone, or several as a list."""
    if len(items) == 1:
        return items[0].node
    return t.Vector(tuple(item.node for item in items), "(", span=(items[0].start, items[-1].end))


def _places(tokens: list[Token]) -> list[tuple[int, int]]:
    """Return, for each token, its depth in brackets, and the number of bars like it in the same part."""
    found: list[tuple[int, int]] = []
    counts: list[dict[str, int]] = [{}]
    for token in reversed(tokens):
        if token.kind in _CLOSING:
            counts.append({})
        elif token.kind in _OPENING and len(counts) > 1:
            counts.pop()
        elif token.kind in _PARTS:
            counts[-1] = {}
        found.append((len(counts), counts[-1].get(token.text, 0) if token.kind == "bar" else 0))
        if token.kind == "bar":
            counts[-1][token.text] = counts[-1].get(token.text, 0) + 1
    return found[::-1]


def _conditional(arguments: list[t.Node], span: t.Span) -> t.Node:
    """Expand ``Var(X | Y)`` or ``Cov(X, Z | Y)``: the mean of the product less the product of the means."""
    *bodies, given = arguments

    def mean(body: t.Node) -> t.Node:
        return t.Call(t.Name("E", "blackboard"), (body, given))

    first, second = (
        body if isinstance(body, t.Name | t.Subscript) else t.Group(body) for body in (bodies[0], bodies[-1])
    )
    product = t.Power(first, t.Number("2")) if first == second else t.Product((first, second), ("",))
    means = (
        t.Power(mean(bodies[0]), t.Number("2"))
        if first == second
        else t.Product((mean(bodies[0]), mean(bodies[-1])), ("",))
    )
    return t.Group(t.Sum((mean(product), means), ("-",)), span=span)
