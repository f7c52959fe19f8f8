r"""Rotations as matrices: ``R_m^\top R_n = R_{n-m}`` in the sines and cosines of a theorem about positions.

A rotation turns each pair of entries by an angle of its own. Such block matrices multiply like complex numbers, so a
matrix is read as ``c + s z`` and a vector as ``x + y z``, entries at a pair, with a letter z that may be any number:
two are equal for every z just when both parts are. A dot product is the sum over the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symattn.errors import NotationError
from symattn.notation.submission import Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Declared, Scope
from symattn.proofs.submissions.assumptions.softmax_limits import is_of_kind
from symattn.proofs.submissions.reading.statement_parts import map_written, nodes_of
from symattn.records import dataclass

_ROTATION = "R"
_DEFINING = frozenset({"=", "≡", ":="})
_ZERO, _ONE, _TWO = t.Number("0"), t.Number("1"), t.Number("2")
_MINUS_ONE = t.Negative(_ONE)


@dataclass(frozen=True, slots=True)
class RotationPairs:
    """Names of the pairs of entries in a theorem.

    Attributes:
        vectors: the first and the second entries of each vector.
        angle: the angle of a pair.
        index: the index of a pair.
        count: how many pairs there are.
        letter: a letter that the theorem has not, for any number.
    """

    vectors: tuple[tuple[str, str], ...]
    angle: str
    index: str
    count: str
    letter: str


ROTATIONS = {"positional-rotation": RotationPairs((("a", "b"), ("f", "g")), "theta", "r", "P", "z")}
"""By the names of theorems."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """``c + s z`` at a pair of entries.

    Attributes:
        first: c of a matrix, whose block is c times the identity and s times the turn by a right angle; the first
            entry of a column or a row.
        second: s of a matrix; the second entry.
        kind: ``"matrix"``, ``"column"`` or ``"row"``.
    """

    first: t.Node
    second: t.Node
    kind: str = "matrix"


@dataclass(frozen=True, slots=True)
class _Written:
    """A rotation of one pair as it is written: by how many angles, which one, and whether it turns back."""

    position: t.Node
    angle: str
    is_back: bool


_Value = t.Node | _Pair
"""A number, or a sum over the pairs, stands for itself."""


def write_in_pairs(work: Work, theorem: str, scope: Scope) -> tuple[Work, Scope]:
    """Return the work with its rotations and what they turn by pairs, and the scope with the letter for any number."""
    pairs = ROTATIONS.get(theorem)
    nodes = list(nodes_of(work.pieces))
    if pairs is None or not any(map(_is_rotation, (item for node in nodes for item in walk(node)))):
        return work, scope
    if not is_of_kind(_ROTATION, "rotation", work.text):
        return work, scope
    reader = _Reader(pairs, scope, nodes)
    return map_written(work, reader.piece), replace(scope, declared=(*scope.declared, Declared(pairs.letter)))


def _is_rotation(node: t.Node) -> bool:
    return isinstance(node, t.Subscript) and node.base == t.Name(_ROTATION)


class _Reader:
    def __init__(self, pairs: RotationPairs, scope: Scope, nodes: Sequence[t.Node]) -> None:
        self.pairs = pairs
        self.scope = scope
        self.numbers = known = {item.name for item in scope.declared if not item.sizes}
        self.defined: dict[str, _Value] = {}
        found = dict.fromkeys(name for node in nodes for item in walk(node) for name in _beside_rotations(item))
        self.vectors = dict(zip((name for name in found if name not in known), pairs.vectors, strict=False))
        written = [item for node in nodes if isinstance(node, t.Matrix) and (item := self._written(node)) is not None]
        self.is_back = any(item.is_back for item in written)
        self.angle = next((item.angle for item in written if item.angle != self.pairs.angle), "")

    def piece(self, piece: Written) -> Written:
        """Return a chain by pairs, where all of its sides are of one kind; as it is otherwise."""
        self._take_definition(piece)
        try:
            values = [None if side is None or side.node is None else self._value(side.node) for side in piece.sides]
        except NotationError:
            return piece
        kinds = {value.kind if isinstance(value, _Pair) else "number" for value in values if value is not None}
        if len(kinds) != 1 or None in values:
            return piece
        sides = [
            side if side is None or value is None else replace(side, node=self._tree(value), others=())
            for side, value in zip(piece.sides, values, strict=True)
        ]
        return replace(piece, sides=tuple(sides))

    def _take_definition(self, piece: Written) -> None:
        """Take the definition of a turned vector: ``q_m = R_m q``."""
        nodes = list(nodes_of((piece,)))
        if len(piece.sides) != 2 or piece.operators[0] not in _DEFINING or len(nodes) != 2:
            return
        head, body = nodes
        if not isinstance(head, t.Name | t.Subscript) or _is_rotation(head):
            return
        name = describe(head)
        is_known = name in self.defined or name in self.vectors or plain_name(head) in self.numbers
        if is_known or not self._speaks(body):
            return
        try:
            value = self._value(body)
        except NotationError:
            return
        if isinstance(value, _Pair):
            self.defined[name] = value

    def _tree(self, value: _Value) -> t.Node:
        if isinstance(value, _Pair):
            return _sum(value.first, _product(t.Name(self.pairs.letter), value.second))
        return value

    # Values ------------------------------------------------------------------------------------------

    def _value(self, node: t.Node) -> _Value:
        defined = self.defined.get(describe(node)) if isinstance(node, t.Name | t.Subscript) else None
        if defined is not None:
            return defined
        match node:
            case t.Group(body):
                return self._value(body)
            case t.Name("I"):
                return _Pair(_ONE, _ZERO)
            case t.Name(text) if text in self.vectors:
                first, second = self.vectors[text]
                return _Pair(self._entry(first), self._entry(second), "column")
            case t.Subscript() if _is_rotation(node):
                # The last index of ``R_{n - m}`` and ``R_{Theta, m}`` is the position.
                return self._turn(node.indices[-1], is_back=self.is_back)
            case t.Matrix() if (found := self._written(node)) is not None:
                return self._turn(found.position, is_back=found.is_back)
            case t.Transpose(body):
                return _transposed(self._value(body))
            case t.Power(base, exponent) if exponent == _MINUS_ONE and _is_rotation(base):
                return _transposed(self._value(base))
            case t.Power(base, exponent) if self._speaks(base):
                return t.Power(t.Group(self._number(base)), exponent)
            case t.Negative(body):
                return _scaled(self._value(body), _MINUS_ONE)
            case t.Sum(terms, operators):
                total = self._value(terms[0])
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self._value(term)
                    total = _added(total, value if operator == "+" else _scaled(value, _MINUS_ONE))
                return total
            case t.Product(factors, operators):
                total = self._value(factors[0])
                for operator, factor in zip(operators, factors[1:], strict=True):
                    total = self._times(total, self._value(factor), is_dotted=operator == "cdot")
                return total
            case t.Call(t.Name("inner"), (first, second)):
                return self._times(self._value(first), self._value(second), is_dotted=True)
            case t.Call(t.Name("norm"), (body,)):
                vector = self._value(body)
                if isinstance(vector, _Pair) and vector.kind != "matrix":
                    return t.Root(self._over_pairs(vector, vector), None)
        if self._speaks(node):
            raise NotationError("This form of a rotation is not read here.", 0)
        return node

    def _speaks(self, node: t.Node) -> bool:
        """Return whether a part holds a rotation or a vector."""
        return any(
            _is_rotation(item) or (isinstance(item, t.Name) and item.text in self.vectors) for item in walk(node)
        )

    def _number(self, node: t.Node) -> t.Node:
        value = self._value(node)
        if isinstance(value, _Pair):
            raise NotationError("A number was wanted here.", 0)
        return value

    def _entry(self, name: str) -> t.Node:
        return read_text(f"{name}_{self.pairs.index}", self.scope)

    def _turn(self, position: t.Node, *, is_back: bool) -> _Pair:
        by = t.Name(self.angle) if self.angle else self._entry(self.pairs.angle)
        angle = t.Product((t.Group(position), by), ("",))
        cosine, sine = (t.Call(t.Name(name), (angle,)) for name in ("cos", "sin"))
        return _Pair(cosine, _minus(sine) if is_back else sine)

    def _written(self, node: t.Matrix) -> _Written | None:
        """Return a rotation of one pair that is written out with its sines and cosines."""
        if [len(row) for row in node.rows] != [2, 2]:
            return None
        found = [_angle_of(entry) for row in node.rows for entry in row]
        signs = [(name, is_negative) for name, is_negative, _, _ in found]
        if len({(position, by) for _, _, position, by in found}) != 1:
            return None
        _, _, position, by = found[0]
        for is_back in (False, True):
            if position is not None and signs == [
                ("cos", False), ("sin", not is_back), ("sin", is_back), ("cos", False),
            ]:  # fmt: skip
                return _Written(position, by, is_back)
        return None

    def _times(self, first: _Value, second: _Value, *, is_dotted: bool) -> _Value:
        if not isinstance(first, _Pair):
            return _scaled(second, first)
        if not isinstance(second, _Pair):
            return _scaled(first, second)
        match first.kind, second.kind:
            case ("row", "column") | ("column", "column") if first.kind == "row" or is_dotted:
                return self._over_pairs(first, second)
            case "row", "matrix":
                return _complex(_Pair(second.first, _minus(second.second)), first, "row")
            case "matrix", "matrix" | "column":
                return _complex(first, second, second.kind)
        raise NotationError("This product of columns and rows is not read here.", 0)

    def _over_pairs(self, first: _Pair, second: _Pair) -> t.Node:
        body = _sum(_product(first.first, second.first), _product(first.second, second.second))
        return t.SumOver(t.Name(self.pairs.index), _ONE, t.Name(self.pairs.count), body)


def _angle_of(node: t.Node) -> tuple[str, bool, t.Node | None, str]:
    """Return the function, its sign, the position and the angle of ``-sin(m theta)``."""
    match node:
        case t.Negative(body):
            name, is_negative, position, by = _angle_of(body)
            return name, not is_negative, position, by
        case t.Group(body):
            return _angle_of(body)
        case t.Call(t.Name(name), (t.Product((position, t.Name(by)), ("",)),)):
            return name, False, position, by
        case t.Product((t.Call(t.Name(name), (position,)), t.Name(by)), ("",)):
            return name, False, position, by  # brackets left out around the angle
    return "", False, None, ""


def _beside_rotations(node: t.Node) -> Iterator[str]:
    """Yield the vectors that stand behind a rotation, or as a row before one."""
    if not isinstance(node, t.Product):
        return
    for before, factor in zip(node.factors, node.factors[1:], strict=False):
        match before, factor:
            case t.Transpose(t.Name(text)), _ if _is_turned(factor):
                yield text
            case _, t.Name(text) if _is_turned(before):
                yield text


def _is_turned(node: t.Node) -> bool:
    """Return whether it is a rotation, transposed or inverted or not, or a product that ends with one."""
    match node:
        case t.Transpose(base) | t.Group(base) | t.Power(base, _):
            return _is_turned(base)
        case t.Product(factors):
            return _is_turned(factors[-1])
    return _is_rotation(node)


def _complex(first: _Pair, second: _Pair, kind: str) -> _Pair:
    """Return a product of complex numbers."""
    real = _sum(_product(first.first, second.first), _minus(_product(first.second, second.second)))
    return _Pair(real, _sum(_product(first.first, second.second), _product(first.second, second.first)), kind)


def _transposed(value: _Value) -> _Value:
    match value:
        case _Pair(first, second, "matrix"):
            return _Pair(first, _minus(second))
        case _Pair():
            return replace(value, kind="column" if value.kind == "row" else "row")
    return value


def _scaled(value: _Value, factor: t.Node) -> _Value:
    if isinstance(value, _Pair):
        return replace(value, first=_product(factor, value.first), second=_product(factor, value.second))
    return _product(factor, value)


def _added(first: _Value, second: _Value) -> _Value:
    if not isinstance(first, _Pair) and not isinstance(second, _Pair):
        return _sum(first, second)
    if not isinstance(first, _Pair) or not isinstance(second, _Pair) or first.kind != second.kind:
        raise NotationError("Two kinds of quantities are added.", 0)
    return _Pair(_sum(first.first, second.first), _sum(first.second, second.second), first.kind)


def _product(first: t.Node, second: t.Node) -> t.Node:
    return t.Product((t.Group(first), t.Group(second)), ("",))


def _sum(first: t.Node, second: t.Node) -> t.Node:
    return t.Group(t.Sum((t.Group(first), t.Group(second)), ("+",)))


def _minus(node: t.Node) -> t.Node:
    return t.Group(t.Negative(t.Group(node)))
