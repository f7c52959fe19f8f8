r"""Names that carry the number of their block: ``Q^{(2)}``, ``Q@2``, ``layer 2 Q``, ``output of block 1``.

In work that begins with ``X^{(0)}`` a raised number counts what comes out of layers, as papers write hidden states:
``X^{(1)}`` is then what block 1 makes and what goes into block 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from symattn import late
from symattn.checking.blocks.block_references import Unit, numbers_said
from symattn.checking.expressions.numerals import bare
from symattn.checking.expressions.renaming import Rewriting
from symattn.checking.names.lexicon import is_raised, key_of, spelt
from symattn.notation.lexicon.reader import without
from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped, walk
from symattn.records import dataclass

_BELOW = frozenset("XQKVSLAPO")
"""Letters of which there is one on each block, and no other that a number below could tell from it."""

_STATES = frozenset({"X", "H"})
"""Letters of what goes from layer to layer."""

_FILLERS = frozenset({"of", "to", "the"})
_MARKS = late.pattern(r"['’]s\b|[:()–,'’_-]")
_IN = frozenset({"input", "inputs", "tokens"})
_OUT = frozenset({"output", "outputs", "result"})

_MOST_SAID = 120
"""Characters of a left side in which the number of a block is looked for."""


@dataclass(frozen=True, slots=True)
class WithNumber:
    """A name without the number of its block, and that number as written.

    Attributes:
        node: the name; that of a label is what is left of its words.
        number: the number.
        is_raised: whether it stands above the name, where it may count something else.
        is_below: whether it stands below, where it may count lines.
    """

    node: t.Node
    number: int
    is_raised: bool
    is_below: bool = False


@dataclass(frozen=True, slots=True)
class Counting:
    """Numbering convention of a work for its blocks, read off its names.

    Attributes:
        text: the work.
        count: how many blocks there are.
        has_heads: whether a raised number may be that of a head.
        first: 0 where blocks are counted from 0, else 1.
        below: letters whose number below may be that of a block, where all of a matrix is stated.
        is_of_states: whether ``X^{(1)}`` is what comes out of block 1.
        unit: a block, each of which starts from what the one before it makes, or a sequence of a batch.
    """

    text: str
    count: int
    has_heads: bool
    first: int = 1
    below: frozenset[str] = frozenset()
    is_of_states: bool = False
    unit: Unit = "block"

    def taken_apart(self, node: t.Node) -> WithNumber | None:
        """Return a name and the number of its block, None where it has none."""
        found = self._written(node)
        if found is None or (found.is_raised and self.has_heads):
            return None
        if found.is_below:
            return found
        head = _head(found.node)
        is_token = found.is_raised and isinstance(found.node, t.Name) and len(head) == 1 and head.islower()
        return None if is_token else found

    def _written(self, node: t.Node) -> WithNumber | None:
        match node:
            case t.Subscript(base, (*front, t.Number(digits, span=span))) if (
                is_raised(self.text, span) and digits.isdigit()
            ):
                inner = replace(node, indices=tuple(front)) if front else base
                return WithNumber(inner, int(digits[:6]), is_raised=True)
            case t.Power(base, t.Group(t.Number(digits, span=span))) if is_raised(self.text, span) and digits.isdigit():
                return WithNumber(base, int(digits[:6]), is_raised=True)
            case t.Subscript(t.Name(text), (t.Number(digits),)) if text in self.below and digits.isdigit():
                return WithNumber(node.base, int(digits[:6]), is_raised=False, is_below=True)
            case t.Subscript(t.Name(text), (index,)) if (number := self._only(text)) is not None:
                return WithNumber(index, number, is_raised=False)
            case t.Subscript(base, (*front, t.Name(text))) if (number := self._only(text)) is not None:
                inner = replace(node, indices=tuple(front)) if front else base
                return WithNumber(inner, number, is_raised=False)
            case t.Name(text, span=span) if " " in text and len(said := numbers_said(text, self.unit)) == 1:
                rest = without(text[: said[0].start] + " " + text[said[0].end :], lambda item: item.name in _FILLERS)
                left = " ".join(_MARKS.sub(" ", rest).split())
                return WithNumber(t.Name(left, node.font, span=span), said[0].number, is_raised=False) if left else None
        return None

    def _only(self, text: str) -> int | None:
        """Return the number of a block where a name says nothing else: ``block2``, ``layer 2``."""
        # The number behind an @ is labelled as that of a block, whatever it is of.
        said = (numbers_said(text, self.unit) or numbers_said(text)) if len(text) < _MOST_SAID else []
        return said[0].number if len(said) == 1 and said[0].start == 0 and said[0].end == len(text) else None

    def of_chain(self, written: Written, *, is_told: bool) -> int | None:
        """Return the block that a chain is about by the names in it, those of its first side before the others.

        Args:
            written: the chain.
            is_told: whether words say on which block it stands, so that the names behind its first decide nothing.
        """
        first, *others = [None if side is None else side.node for side in written.sides]
        known = self._blocks_of(first)
        if known:
            return known[0]
        for other in () if is_told else others:
            known = self._blocks_of(other)
            if known:
                is_into = self.unit == "block" and first is not None and _head(first) == "X"
                is_next = is_into and known[0] < self.count
                return known[0] + is_next
        if not written.operator_spans or written.sides[0] is None:
            return None
        said = numbers_said(self.text[written.span[0] : written.operator_spans[0][0]][:_MOST_SAID], self.unit)
        number = said[0].number + 1 - self.first if len(said) == 1 else 0
        return number if 1 <= number <= self.count else None

    def _blocks_of(self, node: t.Node | None) -> list[int]:
        """Return the blocks whose names stand in a tree; the first layer's input, number 0 of states, is on block 1."""
        found = () if node is None else self.in_node(joined_at(node, self.text))
        numbers = (max(self.written_block(item), 1 if self.is_state(item) else 0) for item in found)
        return [number for number in numbers if 1 <= number <= self.count]

    def on(self, written: Written) -> Counting:
        """Return the numbering convention of the names of a chain: below too, where it states a whole matrix."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        return self if any(map(_is_matrix, nodes)) else self.plain

    @property
    def plain(self) -> Counting:
        """The same convention without numbers below."""
        return replace(self, below=frozenset())

    def in_node(self, node: t.Node) -> Iterator[WithNumber]:
        """Yield every name in a tree that has a number."""
        return (found for item in walk(node) if (found := self.taken_apart(item)) is not None)

    def is_state(self, found: WithNumber) -> bool:
        """Return whether a name is a hidden state, passed from layer to layer: ``H^{(1)}``."""
        return self.is_of_states and found.is_raised and _head(found.node) in _STATES

    def written_block(self, found: WithNumber) -> int:
        """Return the number of a name's block, from 1; of hidden states that of their origin, 0 for the first input."""
        return found.number if self.is_state(found) else found.number + 1 - self.first


def counting_of(work: Work, count: int, unit: Unit, *, has_heads: bool, has_memory: bool) -> Counting:
    """Return a work's numbering of blocks: from 0 where ``Q^{(0)}`` occurs; ``X^{(0)}`` alone numbers states."""
    below = frozenset() if has_heads else _BELOW - {"X"} if has_memory else _BELOW
    plain = Counting(work.text, count, has_heads, below=below, unit=unit)
    if has_heads or re.search(r"[(\[][ ]?0[ ]?[)\]]|⁽⁰⁾", work.text) is None:
        return plain
    sides = (side for piece in work.pieces if isinstance(piece, Written) for side in piece.sides)
    nodes = [side.node for side in sides if side is not None and side.node is not None]
    found = [item for node in nodes for item in plain.in_node(node) if item.is_raised]
    of_zero = {_head(item.node) for item in found if item.number == 0}
    states = _STATES if unit == "block" else frozenset()
    is_from_zero = bool(of_zero - states) and all(item.number < count for item in found)
    if is_from_zero:
        return replace(plain, first=0)
    return replace(plain, is_of_states=bool(of_zero & states))


@dataclass(frozen=True, slots=True)
class Ends:
    """Input and output of a block, and the meaning of names on it.

    Attributes:
        number: its number.
        into: what goes into it, ``X``.
        made: what it makes, ``R_2``.
        named: the quantity that a name without a number means on it, None for a name that is not known.
        before: of a later block, what goes into it by its name there, ``R_2@1``.
    """

    number: int
    into: str
    made: str
    named: Callable[[t.Node], str | None]
    before: str = ""


class OfBlock(Rewriting):
    """Renaming of a work's part on one block to the names of a problem of this block alone.

    Args:
        counting: how the work counts blocks.
        own: the block.
        earlier: the block before, None for the first.
    """

    def __init__(self, counting: Counting, own: Ends, earlier: Ends | None = None) -> None:
        self.counting = self.here = counting
        self.own = own
        self.earlier = earlier

    def _written(self, written: Written) -> Written:
        self.here = self.counting.on(written)
        return super()._written(written)

    def _side(self, side: Side) -> Side:
        text = self.counting.text
        node = None if side.node is None else joined_at(side.node, text)
        others = tuple(joined_at(other, text) for other in side.others)
        return super()._side(replace(side, node=node, others=others))

    def _named(self, node: t.Node) -> t.Node | None:
        found = self.here.taken_apart(node)
        if found is None:
            return None
        distance = self.counting.written_block(found) - self.own.number
        if self.counting.is_state(found):
            name = {0: self.own.made, -1: self.own.into}.get(distance, "")
        else:
            name = self._name(found, distance)
        if name:
            return _renamed(found.node, name)
        if found.is_below and distance:
            return None
        return found.node if distance == 0 else _unknown(node)

    def _name(self, found: WithNumber, distance: int) -> str:
        """Return the name of a quantity that is not only of this block; empty for any other."""
        label = "" if found.is_raised or found.is_below else _head(found.node).lower()
        is_letter = _head(found.node) == "X" and self.own.named(found.node) in {None, "X", self.own.into}
        is_input = is_letter or label in _IN
        if distance == 0:
            return self.own.into if is_input else self.own.made if label in _OUT else ""
        if distance == 1 and is_input and self.counting.unit == "block":
            return self.own.made
        if distance == -1 and self.earlier is not None and (label in _OUT or _is_made(found.node, self.earlier)):
            return self.own.before
        return ""


def joined_at(node: t.Node, text: str) -> t.Node:
    """Return a tree in which the number behind an @ is an index of the name before it: ``Q@2``, ``K@2^T``."""
    if "@" not in text:
        return node

    def substitute(item: t.Node) -> t.Node:
        made = mapped(item, substitute)
        return _joined(made, text) if isinstance(made, t.Product) else made

    return substitute(node)


def _joined(product: t.Product, text: str) -> t.Node:
    factors: list[t.Node] = []
    operators: list[str] = []
    for position, factor in enumerate(product.factors):
        number = _first_number(factor)
        before = factors[-1] if factors else None
        if (
            isinstance(number, t.Number)
            and number.text.isdigit()
            and before is not None
            and _is_at(before.span, number.span, text)
        ):
            label = t.Name(f"block {number.text}", span=number.span)
            base, front = (before.base, before.indices) if isinstance(before, t.Subscript) else (before, ())
            span = None if before.span is None or number.span is None else (before.span[0], number.span[1])
            factors[-1] = _with_first(factor, t.Subscript(base, (*front, label), span=span))
            continue
        if factors:
            operators.append(product.operators[position - 1])
        factors.append(factor)
    return factors[0] if len(factors) == 1 else replace(product, factors=tuple(factors), operators=tuple(operators))


def _first_number(factor: t.Node) -> t.Node:
    """Return the leading number of a factor: the 2 of ``2^T`` and of ``2/√3``, which are behind an @."""
    if isinstance(factor, t.Transpose):
        return factor.base
    return factor.numerator if isinstance(factor, t.Division) else factor


def _with_first(factor: t.Node, node: t.Node) -> t.Node:
    """Return a factor with its leading node replaced."""
    if isinstance(factor, t.Transpose):
        return replace(factor, base=node)
    return replace(factor, numerator=node) if isinstance(factor, t.Division) else node


def _is_at(first: t.Span | None, second: t.Span | None, text: str) -> bool:
    return first is not None and second is not None and text[first[1] : second[0]] == "@"


def _is_matrix(node: t.Node) -> bool:
    """Return whether a node is written out with several rows and columns."""
    inner = bare(node)
    return isinstance(inner, t.Matrix) and min(len(inner.rows), len(inner.rows[0])) > 1


def _head(node: t.Node) -> str:
    """Return the letter of a name without its subscripts."""
    head = node.base if isinstance(node, t.Subscript) else node
    return head.text if isinstance(head, t.Name) else ""


def _is_made(node: t.Node, block: Ends) -> bool:
    """Return whether a name is that of a block's output, or of an entry of it."""
    name = block.named(node)
    if name is None and isinstance(node, t.Subscript):
        name = block.named(node.base)
    return name == block.made


def _renamed(node: t.Node, name: str) -> t.Node:
    """Return a quantity by its own name, with the numbers that choose an entry of it."""
    if not isinstance(node, t.Subscript) or not all(isinstance(index, t.Number) for index in node.indices):
        return t.Name(name, span=node.span)
    is_label = key_of(spelt(node) or "") == key_of(name.partition("@")[0]) or len(_head(node)) != 1
    return t.Name(name, span=node.span) if is_label else replace(node, base=t.Name(name, span=node.base.span))


def _unknown(node: t.Node) -> t.Node:
    """Return a name of another block, which means nothing on this one."""
    return t.Name(f"{spelt(node) or 'a name'} of another block", "text", span=node.span)
