"""Lenient subscripts and superscripts: indices, labels, exponents, transposes, indexing, the bounds of sums."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.expressions import MARKS
from symattn.notation.parser.operands import Item, as_operand, as_part
from symattn.notation.parser.scripts import TOP, Scripts, is_reals, with_scripts
from symattn.notation.parser.summation import Run
from symattn.notation.sides.patterns import head_of, is_indexed_name, is_transpose, superscript_labels
from symattn.notation.sides.state import SideBase
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import can_be_base, can_have_index, is_label

_EULER = t.Name("e")
_PAIR = ["open", "number", "comma", "number", "close"]
_LINE_INDICES = frozenset({("number", "colon"), ("colon", "number"), ("name", "colon"), ("colon", "name")})


class SideScripts(SideBase):
    """The grammar of operands with subscripts and superscripts."""

    def scripted(self) -> Item:
        """Read an operand with its subscripts and superscripts; labels above become indices."""
        item = self.primary()
        if self.here.kind == "open":
            item = self.entry_of(item)
        if self.here.kind not in MARKS:
            return item
        marked = self._with_marks(item)
        if self.here.kind != "open":
            return marked
        entry = self.entry_of(marked)
        return self._with_marks(entry) if entry is not marked and self.here.kind in MARKS else entry

    def _with_marks(self, item: Item) -> Item:
        found = _Found(item)
        count = 0
        while self.here.kind in MARKS:
            mark = self.take()
            count += 1
            self.limit(count, "indices")
            if mark.kind == "below":
                found.below.append((self.index(found.item), self.read_end))
            else:
                found.set_above(TOP if mark.kind == "prime" else self._above(found), mark)
        return _joined(found, self.read_end)

    def _above(self, found: _Found) -> t.Node | str | None:
        """Read an exponent; return `TOP` for a transpose, None for a label."""
        if self.transpose_mark():
            return TOP
        label = self._label_with_transpose()
        if label is not None:
            found.turned = head_of(found.item.node) is None
            found.labels.extend([] if found.turned else [label.body])
            return label if found.turned else TOP
        star = self._star()
        if star is not None:
            found.labels.append(star)
            return None
        base = found.item.node
        is_bracketed = self.is_label()
        above = self.exponent(found.item)
        if base == _EULER and isinstance(above, t.Name) and self.here.kind == "below":
            return self.indexed(above)
        if isinstance(above, t.Name) and is_transpose(above.text, base):
            return TOP
        head = head_of(base)
        if head is None or is_reals(head) or head.text == "e":
            return above
        labels = superscript_labels(head, above, is_bracketed=is_bracketed, plain=self.plain)
        found.labels.extend(labels)
        return None if labels else above

    def _label_with_transpose(self) -> t.Group | None:
        r"""Read a label with the mark of a transpose behind it: ``{(1)\\top}``, ``{(1)T}``, ``{(1)^T}``."""
        kinds = [self.peek(offset).kind for offset in range(4)]
        if kinds[:2] != ["brace", "open"] or kinds[2] not in {"number", "name"} or kinds[3] != "close":
            return None
        has_mark = self.peek(4).kind == "above"
        mark, closing = self.peek(4 + has_mark), self.peek(5 + has_mark)
        is_mark = mark.kind in {"top", "prime"} or (mark.kind == "name" and mark.text == "T")
        if not is_mark or closing.kind != "unbrace" or self.peek().text != "(":
            return None
        start = self.peek().start
        self.position += 2
        label = self._single()
        self.position += 3 + has_mark
        return t.Group(label, span=(start, mark.start))

    def _star(self) -> t.Node | None:
        """Read a star above, in braces or not, which is a mark and not a product."""
        is_braced = self.here.kind == "brace" and self.peek(2).kind == "unbrace"
        star = self.peek() if is_braced else self.here
        if star.kind != "times" or star.text != "cdot":
            return None
        self.position += 3 if is_braced else 1
        return t.Name("star", span=(star.start, star.end))

    def exponent(self, item: Item) -> t.Node:
        """Read the exponent after an exponent mark."""
        start = self.here
        if self.plain and start.kind == "sign":
            return as_part(self.signed(self.primary))
        if self.plain and start.kind != "brace":
            self.enter(start.start)
            found = self.primary()
            self.leave()
            return as_operand(found) if _keeps_brackets(item, found) else as_part(found)
        base = item.node.text if isinstance(item.node, t.Number | t.Name) else ""
        return as_operand(self.short(f"{base}^"))

    # Indices -------------------------------------------------------------------------------------

    def opens_index(self, token: Token) -> bool:
        """Return True if a token opens brackets or braces that hold indices together."""
        return token.kind == "brace" or (self.plain and token.kind == "open" and token.text in {"{", "("})

    def index(self, item: Item) -> tuple[t.Node, ...]:
        """Read the indices after an index mark."""
        if self.opens_index(self.here):
            return self._line_indices() or self.index_list()
        if self.plain:
            return (self._word_index(),)
        base = item.node.text if isinstance(item.node, t.Name) else "x"
        return (as_operand(self.short(f"{base}_")),)

    def _line_indices(self) -> tuple[t.Node, ...] | None:
        r"""Read the indices of a row or a column without a comma between them: ``1\cdot``, ``:2``."""
        first, second = self.peek(1), self.peek(2)
        if self.peek(3).kind not in {"unbrace", "close"} or _is_all(first) == _is_all(second):
            return None
        if not {first.kind, second.kind} & {"number", "name"}:
            return None
        opened = self.take()
        indices = tuple(self.every() if _is_all(token) else self._single() for token in (first, second))
        self.close(opened)
        return indices

    def next_index(self) -> tuple[t.Node, ...]:
        """Read one index; a colon, a dot or a star stands for all rows or columns."""
        if self.here.kind in {"colon", "times"}:
            return (self.every(),)
        item = self.expression()
        if self.here.kind == "relation":
            raise NotationError(
                "A family over an index is not read: write its members, and a sum with Σ.", self.here.start
            )
        return (as_operand(item),)

    def _word_index(self) -> t.Node:
        """Read an index without brackets, which in plain text ends where the word does: ``A_3j``."""
        first = self._single()
        following = self.here
        touches = following.kind == "name" and following.start == (first.span or (0, 0))[1]
        if not isinstance(first, t.Number) or not touches or self.peek().kind in MARKS:
            return first  # q_1k_1 is a product
        second = self._single()
        return t.Product((first, second), ("",), span=((first.span or (0, 0))[0], following.end))

    def _single(self) -> t.Node:
        token = self.here
        if token.kind == "number":
            return self.number().node
        if token.kind in {"name", "quoted", "colon"}:
            self.take()
            return t.Name(token.text, span=(token.start, token.end))
        return as_operand(self.argument())

    # Sums over an index --------------------------------------------------------------------------

    def sum_over(self) -> Item:
        """Read a sum over an index; a sign with neither an index nor a body is a name."""
        sign = self.take()
        if self.here.kind in {"above", "below"} or self.starts_operand():
            self.position -= 1
            return super().sum_over()
        span = (sign.start, sign.end)
        return Item(t.Name("sum", span=span), *span)

    def settle_bounds(self, run: Run, upper: t.Node | None) -> None:
        """Let an index with a lower bound alone go to n."""
        is_endless = upper is None and run.upper is None and run.lower is not None
        super().settle_bounds(run, t.Name("n") if is_endless else upper)

    def runs_alone(self, run: Run) -> bool:
        """Note the ambiguity of two indices that differ; both run, unless the other reading is asked for."""
        reason = "Of two indices that differ both run or only the first: write a sum sign for each."
        return self.note("pair", reason, run.start)

    def bare_run(self) -> Run:
        """Read ``j=1`` in plain text, or ``j`` alone, without brackets around it."""
        if self.plain:
            return super().bare_run()
        item = self.argument()
        if not isinstance(item.node, t.Name):
            raise NotationError("The index of a sum must be a name.", item.start)
        return Run(item.node, start=item.start)

    # Program-style indexing: ``score(1, 3)``, ``Q[0, :]`` ----------------------------------------

    def entry_of(self, item: Item) -> Item:
        """Read the entry or the line that brackets behind a name choose; otherwise return the item unchanged."""
        if not isinstance(item.node, t.Name | t.Subscript):
            return item
        return self._in_square(item) if self.here.text == "[" else self._in_round(item)

    def _in_round(self, item: Item) -> Item:
        """Read small numbers behind the name of a quantity as indices; a mark behind makes them a list."""
        tokens = self.tokens[self.position : self.position + 6]
        if [token.kind for token in tokens[:5]] != _PAIR or tokens[5].kind in MARKS:
            return item
        opened, first, comma, second, _ = tokens[:5]
        if opened.text != "(" or opened.start != item.end or comma.start == comma.end:
            return item
        if not is_indexed_name(item.node, first.text, second.text):
            return item
        self.take()
        indices = (self.number().node, self._behind_comma())
        span = (item.start, self.take().end)
        return Item(t.Subscript(item.node, indices, span=span), *span)

    def _in_square(self, item: Item) -> Item:
        """Read ``Q[0, :]`` as an array with its indices, held together by brackets that nobody sees."""
        first, comma, second, closing = (self.peek(offset).kind for offset in range(1, 5))
        if (comma, closing) != ("comma", "close") or (first, second) not in _LINE_INDICES:
            return item
        start = self.take().start
        indices = (self._number_or_mark(), self._behind_comma())
        end = self.take().end
        span = (item.start, end)
        line = t.Product((item.node, t.Vector(indices, "[", span=(start, end))), ("",), span=span)
        return Item(t.Group(line, span=span), *span)

    def _behind_comma(self) -> t.Node:
        self.take()
        return self._number_or_mark()

    def _number_or_mark(self) -> t.Node:
        if self.here.kind == "number":
            return self.number().node
        token = self.take()
        return t.Name(token.text, span=(token.start, token.end))


class _Found:
    """The subscripts and superscripts of one operand found so far."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.below: list[tuple[tuple[t.Node, ...], int]] = []
        self.labels: list[t.Node] = []
        self.above: t.Node | str | None = None
        self.turned = False
        self.prime: Token | None = None

    def set_above(self, above: t.Node | str | None, mark: Token) -> None:
        """Record a superscript that is not a label."""
        node = self.item.node
        if above is None:
            return
        if self.above is TOP and mark.kind == "prime" and isinstance(node, t.Name):
            # Two primes are not a transpose of a transpose: d'' is another name than d.
            name = t.Name(f"{node.text}''", node.font, span=(self.item.start, mark.end))
            self.item, self.above = Item(name, self.item.start, mark.end), None
        elif above is TOP and not self.turned and isinstance(self.above, t.Group) and is_label(self.above):
            self.turned = True
        elif self.prime is not None and above is TOP and mark.kind == "above" and not self.labels:
            # The transpose of K' is written K'^T.
            primed = with_scripts(self.item, Scripts(self.below, TOP, self.prime.end))
            self.item = Item(t.Group(primed.node, span=(primed.start, primed.end)), primed.start, primed.end)
            self.below, self.prime = [], None
        elif self.above is not None:
            raise NotationError("A second exponent or prime follows: write brackets around the first.", mark.start)
        else:
            self.above = above
            self.prime = mark if mark.kind == "prime" else None


def _is_all(token: Token) -> bool:
    """Return True if a mark stands for all rows or columns."""
    return token.kind == "colon" or (token.kind == "times" and token.text == "cdot")


def _joined(found: _Found, end: int) -> Item:
    """Build the operand with its subscripts and superscripts."""
    below, item = found.below, found.item
    if found.labels:
        indices = tuple(index for group, _ in below for index in group)
        below = [((*indices, *found.labels), end)]
    node = item.node
    if isinstance(node, t.Name) and node.text == "R" and _is_shape(found.above):
        item = item._replace(node=t.Name("R", "blackboard", span=node.span))
    is_visible = isinstance(node, t.Product) and item.braced
    if not is_visible and not (can_have_index(node) if below else can_be_base(node)):
        # Braces and fraction bars hold together what stands in them; only the brackets are missing.
        item = Item(t.Group(as_operand(item), span=(item.start, item.end)), item.start, item.end)
    return with_scripts(item, Scripts(below, found.above, end, found.turned))


def _is_shape(above: t.Node | str | None) -> bool:
    return isinstance(above, t.Product) and "times" in above.operators


def _keeps_brackets(item: Item, found: Item) -> bool:
    """Return True for ``W^(1)`` in plain text, which is a label, where ``x^(1/2)`` is a power."""
    head = head_of(item.node)
    if head is None or not head.text[:1].isupper() or not isinstance(found.node, t.Group):
        return False
    return isinstance(found.node.body, t.Number | t.Name)
