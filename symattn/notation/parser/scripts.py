r"""TRUSTED. Subscripts and superscripts: indices, labels, exponents, transposes, and indexing as in programs.

The strict dialects keep what stands above as an exponent, ``K^{(1)}``; in people's work a label above becomes an index.
"""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.arithmetic import Operations
from symattn.notation.parser.operands import Item, as_operand, as_part
from symattn.notation.parser.patterns import (
    head_of,
    is_indexed_name,
    is_reals,
    is_transpose,
    superscript_labels,
)
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import (
    are_running,
    can_be_base,
    can_have_index,
    is_label,
    is_labelled,
    is_tower,
    turned_label,
)

MARKS = frozenset({"above", "below", "prime"})
"""The kinds of tokens that set something above or below an operand."""

TOP = "⊤"
"""Stands for a transpose where an exponent could stand."""

_EULER = t.Name("e")
_PAIR = ["open", "number", "comma", "number", "close"]
_LINE_INDICES = frozenset({("number", "colon"), ("colon", "number"), ("name", "colon"), ("colon", "name")})
_LINES_OF_R = frozenset({("number", "comma", "close"), ("comma", "number", "close")})


class Marks:
    r"""The subscripts and superscripts of one operand; mutable while they are read.

    Attributes:
        item: the operand.
        below: the groups of indices, each with the offset where it ends.
        labels: labels that stand above and become indices.
        above: an exponent, or `TOP` for a transpose.
        turned: whether a transpose follows the exponent, as in ``K^{(1)\top}``.
    """

    def __init__(self, item: Item) -> None:
        self.item = item
        self.below: list[tuple[tuple[t.Node, ...], int]] = []
        self.labels: list[t.Node] = []
        self.above: t.Node | str | None = None
        self.turned = False
        self.prime: Token | None = None

    def set_above(self, above: t.Node | str | None, mark: Token, *, lenient: bool) -> None:
        """Record a superscript that is not a label."""
        node = self.item.node
        if above is None:
            return
        if lenient and self.above is TOP and mark.kind == "prime" and isinstance(node, t.Name):
            # Two primes are not a transpose of a transpose: d'' is another name than d.
            name = t.Name(f"{node.text}''", node.font, span=(self.item.start, mark.end))
            self.item, self.above = Item(name, self.item.start, mark.end), None
        elif above is TOP and not self.turned and isinstance(self.above, t.Group | t.Vector) and is_label(self.above):
            self.turned = True
        elif lenient and self.prime is not None and above is TOP and mark.kind == "above" and not self.labels:
            # The transpose of K' is written K'^T.
            primed = with_marks(self.item, self, self.prime.end)
            self.item = Item(t.Group(primed.node, span=(primed.start, primed.end)), primed.start, primed.end)
            self.below, self.prime = [], None
        elif self.above is not None:
            raise NotationError(
                "Ambiguous: a second exponent or prime follows, a^(b^c) or (a^b)^c: write brackets.", mark.start
            )
        else:
            self.above = above
            self.prime = mark if mark.kind == "prime" else None


def with_marks(item: Item, marks: Marks, end: int) -> Item:
    """Return the base with its indices, then with its exponent or transpose.

    >>> marks = Marks(Item(t.Name("W"), 0, 1))
    >>> marks.below, marks.above = [((t.Name("Q"),), 3)], TOP
    >>> with_marks(marks.item, marks, 5).node
    Transpose(base=Subscript(base=Name(text='W', font=''), indices=(Name(text='Q', font=''),)))

    Raises:
        NotationError: when the base wants brackets.
    """
    node = item.node
    if item.braced and isinstance(node, t.Product):
        # Braces are not seen: in \mathbf{QK}^T the T stands on the K.
        last = node.factors[-1]
        changed = with_marks(Item(last, *(last.span or (item.start, item.end))), marks, end)
        product = t.Product((*node.factors[:-1], changed.node), node.operators, span=(item.start, end))
        return Item(product, item.start, end, braced=True)
    span = (item.start, end)
    for indices, index_end in marks.below:
        if not can_have_index(node):
            raise NotationError("An index cannot stand here: write brackets around what it belongs to.", item.start)
        node = t.Subscript(node, indices, span=(item.start, index_end))
    if marks.above is TOP and item.braced and is_labelled(node):
        return Item(t.Transpose(node, span=span), *span)
    raised = _raised(node, marks.above, item.start, span)
    return Item(t.Transpose(raised, span=span) if marks.turned else raised, *span)


def _raised(node: t.Node, above: t.Node | str | None, start: int, span: t.Span) -> t.Node:
    if above is None:
        return node
    if not can_be_base(node):
        raise NotationError(
            "Ambiguous: what stands above may belong to all before it or to its last part: write brackets.",
            start,
        )
    if isinstance(above, str):
        return t.Transpose(node, span=span)
    if is_reals(node):
        return t.Space(_dimensions(above), span=span)
    power = t.Power(as_operand(Item(node, *span)), above, span=span)
    if is_tower(power):
        raise NotationError("A power of numbers in the exponent of a number is not read: write its value.", start)
    return power


def _dimensions(node: t.Node) -> tuple[t.Node, ...]:
    """Split the exponent of a set of matrices at its times signs."""
    if not isinstance(node, t.Product) or "times" not in node.operators:
        return (node,)
    if node.operators.count("times") > 1:
        raise NotationError("A set of matrices has one dimension or two.", (node.span or (0, 0))[0])
    cut = node.operators.index("times") + 1
    return (
        _product(node.factors[:cut], node.operators[: cut - 1]),
        _product(node.factors[cut:], node.operators[cut:]),
    )


def _product(factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
    if len(factors) == 1:
        return factors[0]
    ends = factors[0].span, factors[-1].span
    span = (ends[0][0], ends[1][1]) if ends[0] and ends[1] else None
    return t.Product(factors, operators, span=span)


class ScriptParser(Operations):
    """The grammar of operands with subscripts and superscripts."""

    def scripted(self) -> Item:
        """Read an operand with its indices and exponents."""
        item = self.primary()
        if self.lenient and self.here.kind == "open":
            item = self._entry_of(item)
        if self.here.kind not in MARKS:
            return item
        marked = self._marked(item)
        if not self.lenient or self.here.kind != "open":
            return marked
        entry = self._entry_of(marked)
        return self._marked(entry) if entry is not marked and self.here.kind in MARKS else entry

    def _marked(self, item: Item) -> Item:
        marks = Marks(item)
        count = 0
        while self.here.kind in MARKS:
            mark = self.take()
            count += 1
            self.limit(count, "indices")
            if mark.kind != "below":
                above = TOP if mark.kind == "prime" else self._above(marks)
                marks.set_above(above, mark, lenient=self.lenient)
            elif marks.below and not self.words and not self.lenient:
                raise NotationError("A second index follows: write both in one pair of braces.", mark.start)
            else:
                marks.below.append((self.index(marks.item), self.read_end))
        return self._joined(marks, self.read_end)

    def _joined(self, marks: Marks, end: int) -> Item:
        """Build the operand with its subscripts and superscripts."""
        item = marks.item
        if marks.labels:
            indices = tuple(index for group, _ in marks.below for index in group)
            marks.below = [((*indices, *marks.labels), end)]
        node = item.node
        if self.lenient and isinstance(node, t.Name) and node.text == "R" and _is_shape(marks.above):
            item = item._replace(node=t.Name("R", "blackboard", span=node.span))
        is_visible = isinstance(node, t.Product) and item.braced
        if self.lenient and not is_visible and not (can_have_index(node) if marks.below else can_be_base(node)):
            # Braces and fraction bars hold together what stands in them; only the brackets are missing.
            item = Item(t.Group(as_operand(item), span=(item.start, item.end)), item.start, item.end)
        return with_marks(item, marks, end)

    # Above ---------------------------------------------------------------------------------------

    def _above(self, marks: Marks) -> t.Node | str | None:
        """Read an exponent; return `TOP` for a transpose, None for a label."""
        base = marks.item.node
        star = self._star()
        if star is not None:
            marks.labels.extend([star] if self.lenient else [])
            return None if self.lenient else star
        is_bracketed = self.is_label()
        above = self.exponent(marks.item)
        if isinstance(above, str):
            return above
        head = head_of(base) if self.lenient else None
        label = None if is_reals(base) else turned_label(above)
        if label is not None:
            if head is not None and isinstance(label, t.Group):
                marks.labels.append(label.body)
                return TOP
            marks.turned = True
            return label
        if not self.lenient:
            return TOP if above == t.Name("T") and not is_reals(base) else above
        if base == _EULER and isinstance(above, t.Name) and self.here.kind == "below":
            return self.indexed(above)
        if isinstance(above, t.Name) and is_transpose(above.text, base):
            return TOP
        if head is None or is_reals(head) or head.text == "e":
            return above
        labels = superscript_labels(head, above, is_bracketed=is_bracketed, plain=self.words)
        marks.labels.extend(labels)
        return None if labels else above

    def _star(self) -> t.Node | None:
        """Read a star above, in braces or not, which is a mark and not a product."""
        is_braced = self.here.kind == "brace" and self.peek(2).kind == "unbrace"
        star = self.peek() if is_braced else self.here
        if star.kind != "times" or star.text != "cdot":
            return None
        self.position += 3 if is_braced else 1
        return t.Name("star", span=star.span)

    def is_label(self) -> bool:
        """Return True if brackets follow, in braces or not, as around the number of a head."""
        return self.here.kind == "open" or (self.here.kind == "brace" and self.peek().kind == "open")

    def exponent(self, item: Item) -> t.Node | str:
        """Read the exponent after an exponent mark, or return `TOP` for the mark of a transpose."""
        if self._transpose_mark():
            return TOP
        start = self.here
        if start.kind == "brace":
            return as_operand(self.braced(is_above=True))
        if not self.words:
            base = item.node.text if isinstance(item.node, t.Number | t.Name) else ""
            return as_operand(self.short(f"{base}^", splits=not isinstance(item.node, t.Number)))
        if start.kind == "sign":
            return as_part(self.signed(self.primary))
        self.enter(start.start)
        found = self.primary()
        self.leave()
        return as_operand(found) if self.lenient and _keeps_brackets(item, found) else as_part(found)

    def _transpose_mark(self) -> bool:
        """Read the mark of a transpose, in braces or without, and return True if there is one."""
        is_prime = self.here.kind == "prime" and (self.lenient or not self.words)
        if self.here.kind == "top" or is_prime:
            self.take()
            return True
        if self.here.kind == "brace" and self.peek().kind in {"top", "prime"} and self.peek(2).kind == "unbrace":
            self.position += 3
            return True
        return False

    # Arguments without braces --------------------------------------------------------------------

    def argument(self) -> Item:
        """Read one argument of a command: braces, a numeral or its first digit, or one operand."""
        if self.here.kind == "brace":
            return self.braced()
        if self.here.kind == "number":
            return self.number() if self.words or self.lenient else self.first_digit()
        self.enter(self.here.start)
        item = self.primary()
        self.leave()
        return item

    def short(self, before: str, *, splits: bool = False) -> Item:
        """Read an argument without braces: the whole numeral, or its first digit if TeX's reading is asked for.

        A strict dialect reads the first digit alone where it `splits` numerals; elsewhere it refuses a longer one.

        Args:
            before: what stands before the argument, for the reason of an ambiguity.
            splits: whether nobody takes the whole numeral for the argument.
        """
        token = self.here
        if self.lenient and token.kind == "sign":
            return self.signed(self.argument)
        is_long = token.kind == "number" and len(token.text) > 1 and token.end - token.start == len(token.text)
        if self.words or not is_long or (splits and not self.lenient):
            return self.argument()
        reason = (
            f"{before}{token.text} means all of {token.text} to people, and only {token.text[0]} to TeX: write braces."
        )
        return self.first_digit() if self.unclear("digits", reason, token.start) else self.argument()

    def first_digit(self) -> Item:
        """Read the first digit of a numeral, which is all that TeX takes of it; the rest stays to be read."""
        token = self.here
        digits, rest = token.text, token.text[1:]
        if token.kind != "number":
            return self.argument()
        if not rest:
            return self.number()
        are_digits = rest.isdigit() or (self.lenient and rest[-1].isdigit() and rest.replace(".", "", 1).isdigit())
        if not (digits[0].isdigit() and are_digits) or token.end - token.start != len(digits):
            if self.lenient:
                return self.number()
            raise NotationError(
                f"Ambiguous: TeX takes only the {digits[0]} of {digits} here: write it in braces.", token.start
            )
        self.split_end = middle = token.start + 1
        self.tokens[self.position] = Token("number", rest, middle, token.end)
        return Item(t.Number(digits[0], span=(token.start, middle)), token.start, middle)

    def braced(self, *, is_above: bool = False) -> Item:
        r"""Read the contents of braces, which are not seen, so they are not brackets; people put lists in them.

        A label above may have a transpose mark behind it, ``{(1)\top}``.
        """
        opened = self.take()
        items = self.items(opened.text) if self.lenient else [self.expression()]
        node = items[0].node
        if is_above and self.here.kind in {"top", "prime"} and is_label(node):
            node = t.Transpose(node, span=(items[0].start, self.take().end))
        span = (opened.start, self.close(opened).end)
        if len(items) > 1:
            return Item(t.Vector(tuple(item.node for item in items), "(", span=span), *span)
        return Item(node, *span, braced=True)

    # Below ---------------------------------------------------------------------------------------

    def opens_index(self, token: Token) -> bool:
        """Return True if a token opens brackets or braces that hold indices together."""
        return token.kind == "brace" or (self.words and token.kind == "open" and token.text in {"{", "("})

    def index(self, item: Item) -> tuple[t.Node, ...]:
        """Read the indices after an index mark."""
        opened = self.here
        if not self.opens_index(opened) and not self.words:
            base = item.node.text if isinstance(item.node, t.Name) else "x"
            return (as_operand(self.short(f"{base}_")),)
        is_quoted = opened.kind == "quoted" or (self.opens_index(opened) and self.peek().kind == "quoted")
        indices = (self._line_indices() or self._index_list()) if self.opens_index(opened) else (self._word_index(),)
        if self.words and not self.lenient and not is_quoted and len(indices) == 1:
            return (_two_letters(indices[0]),)
        return indices

    def _index_list(self) -> tuple[t.Node, ...]:
        """Read indices in one pair of braces or brackets."""
        opened = self.take()
        indices = [self._next_index()]
        while self.here.kind == "comma" or (self.lenient and self.here.kind == "semicolon"):
            self.take()
            indices.append(self._next_index())
            self.limit(len(indices), "indices")
        self.close(opened)
        return tuple(indices)

    def _next_index(self) -> t.Node:
        """Read one index; a colon, in people's work a dot or a star too, stands for all rows or columns."""
        if self.here.kind == "colon" or (self.lenient and self.here.kind == "times"):
            return self._every()
        item = self.expression()
        if self.lenient and self.here.kind == "relation":
            raise NotationError(
                "A family over an index is not read: write its members, and a sum with Σ.", self.here.start
            )
        return as_operand(item)

    def _every(self) -> t.Name:
        token = self.take()
        return t.Name(":", span=token.span)

    def _line_indices(self) -> tuple[t.Node, ...] | None:
        r"""Read the indices of a row or a column without a comma between them: ``1\cdot``, ``:2``."""
        first, second = self.peek(1), self.peek(2)
        if not self.lenient or self.peek(3).kind not in {"unbrace", "close"} or _is_all(first) == _is_all(second):
            return None
        if not {first.kind, second.kind} & {"number", "name"}:
            return None
        opened = self.take()
        indices = tuple(self._every() if _is_all(token) else self._single() for token in (first, second))
        self.close(opened)
        return indices

    def _word_index(self) -> t.Node:
        """Read an index without brackets, which in plain text ends where the word does: ``A_3j``."""
        first = self._single()
        following = self.here
        start, end = first.span or (0, 0)
        is_double = isinstance(first, t.Number) and following.kind == "name" and following.start == end
        if not is_double or (self.lenient and self.peek().kind in MARKS):
            return first  # q_1k_1 is a product
        return t.Product((first, self._single()), ("",), span=(start, following.end))

    def _single(self) -> t.Node:
        token = self.here
        if token.kind == "number":
            return self.number().node
        if token.kind in {"name", "quoted", "colon"}:
            self.take()
            return t.Name(token.text, span=token.span)
        return as_operand(self.argument()) if self.lenient else self.unexpected("an index")

    def indexed(self, name: t.Name) -> t.Node:
        """Read the index of a name where no braces hold both: ``e^z_j``, ``√d_k``."""
        self.take()
        start = name.span[0] if name.span else 0
        indices = self.index(Item(name, start, self.here.start))
        return t.Subscript(name, indices, span=(start, self.read_end))

    # Indexing as in programs: ``score(1, 3)``, ``Q[0, :]`` -----------------------------------------

    def _entry_of(self, item: Item) -> Item:
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
        return Item.of(t.Subscript(item.node, indices, span=(item.start, self.take().end)))

    def _in_square(self, item: Item) -> Item:
        """Read ``Q[0, :]``, of R ``Q[1, ]``, as an array with its indices, between brackets that nobody sees."""
        first, second, third, closing = (self.peek(offset).kind for offset in range(1, 5))
        is_pair = (second, closing) == ("comma", "close") and (first, third) in _LINE_INDICES
        if not is_pair and (first, second, third) not in _LINES_OF_R:
            return item
        start = self.take().start
        indices = (self._line_index(), self._behind_comma())
        end = self.take().end
        span = (item.start, end)
        line = t.Product((item.node, t.Vector(indices, "[", span=(start, end))), ("",), span=span)
        return Item(t.Group(line, span=span), *span)

    def _line_index(self) -> t.Node:
        """Read an index of a line; a missing one stands for all rows or columns."""
        at = self.here.start
        return t.Name(":", span=(at, at)) if self.here.kind in {"comma", "close"} else self._single()

    def _behind_comma(self) -> t.Node:
        self.take()
        return self._line_index()

    # Numerals and closing brackets ---------------------------------------------------------------

    def number(self) -> Item:
        """Read a numeral."""
        token = self.take()
        return Item.of(t.Number(token.text, span=token.span))

    def close(self, opened: Token) -> Token:
        """Read the bracket or brace that closes `opened`."""
        return self.expect("unbrace" if opened.kind == "brace" else "close", symbols.CLOSING[opened.text], opened)


def _is_all(token: Token) -> bool:
    """Return True if a mark stands for all rows or columns."""
    return token.kind == "colon" or (token.kind == "times" and token.text == "cdot")


def _is_shape(above: t.Node | str | None) -> bool:
    return isinstance(above, t.Product) and "times" in above.operators


def _keeps_brackets(item: Item, found: Item) -> bool:
    """Return True for ``W^(1)`` in plain text, which is a label, where ``x^(1/2)`` is a power."""
    head = head_of(item.node)
    if head is None or not head.text[:1].isupper() or not isinstance(found.node, t.Group):
        return False
    return isinstance(found.node.body, t.Number | t.Name)


def _two_letters(node: t.Node) -> t.Node:
    """Split two running letters, ``delta_ij``, into two indices side by side, as LaTeX sets them."""
    if not isinstance(node, t.Name) or not are_running(node.text):
        return node
    start, end = node.span or (0, 2)
    letters = t.Name(node.text[0], span=(start, start + 1)), t.Name(node.text[1], span=(start + 1, end))
    return t.Product(letters, ("",), span=node.span)
