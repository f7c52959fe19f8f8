r"""Program-style indexing of entries, rows and columns: ``score(1, 3)``, ``Q[0, :]``."""

from __future__ import annotations

from symattn.notation import tree as t
from symattn.notation.operands import Item
from symattn.notation.parser import MARKS
from symattn.notation.side_base import SideBase
from symattn.notation.side_habits import is_indexed_name

_PAIR = ["open", "number", "comma", "number", "close"]
_LINES = frozenset({("number", "colon"), ("colon", "number"), ("name", "colon"), ("colon", "name")})


class SideEntries(SideBase):
    """The grammar of indices in brackets behind a name."""

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
        if (comma, closing) != ("comma", "close") or (first, second) not in _LINES:
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
