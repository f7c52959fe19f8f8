r"""Names that people have for what a theorem speaks of under another one: ``X`` for the tokens, ``c_2`` for an output.

A theorem that has the tokens :math:`x_i` says nothing of the matrix of which they are the columns, and the one about
the tokens of an assignment nothing of :math:`\alpha_{22}`. What such a name means is written down here for each
theorem, in its own names; a name that the theorem has itself keeps its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from symattn.data_files import read_table
from symattn.errors import NotationError
from symattn.exact.indexed.expression import Expr
from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped, walk
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.scope import Declared, Defined, Scope
from symattn.proofs.language.values import Tensor
from symattn.proofs.submissions.assumptions.softmax_limits import is_of_kind
from symattn.proofs.submissions.attempts import otherwise
from symattn.proofs.submissions.reading.entrywise_products import EntryReader, is_entrywise
from symattn.proofs.submissions.reading.name_uses import joined_differential
from symattn.proofs.submissions.reading.normalization import proof_forms
from symattn.proofs.submissions.reading.statement_parts import map_readings, map_written, nodes_of
from symattn.proofs.submissions.reading.vectors_of_ones import ONES, name_ones
from symattn.records import dataclass

_SOFTARGMAX = frozenset({"softargmax", "softArgMax"})
_SOFTMAX = _SOFTARGMAX | {"softmax", "softMax", "SoftMax", "SOFTMAX"}
_SCALED = re.compile(r"\\?[A-Za-z]*\s?\{?\s?soft(?:arg)?max\s?\}?\s?_\s?\{?\s?\\beta", re.IGNORECASE)
_MATRIX = 2
_PAIR = 2
_END = "end"
_TRACES = frozenset({"tr", "Tr", "trace", "Trace"})
_LETTERS = (*"uwoghfpstlmabcdejknrvxyz", *"UWOGHFPSTLM")
"""Letters for the index of a trace."""

_ZERO = t.Number("0")
_UNITS = {"I": (("r", "s"), "delta_{r,s}"), ONES: (("r",), "1")}
"""The identity matrix and the vector of ones: their indices and entries."""


@dataclass(frozen=True, slots=True)
class SynonymTable:
    """Meanings of the usual names for the quantities of a theorem; `vocabulary.toml` says what each entry is."""

    wholes: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)
    is_by_columns: bool = False
    scale: str = ""
    score: str = ""
    value: str = ""
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)
    loss: str = ""
    kind: str = ""

    @property
    def outputs(self) -> dict[str, str]:
        """The weights and outputs of three tokens: ``alpha_21`` and ``c_2``; none where no score is given."""
        found: dict[str, str] = {}
        for i in "123" if self.score else "":
            score = self.score.replace("<i>", i)
            exponentials = [f"exp({score.replace('<j>', j)})" for j in "123"]
            below = " + ".join(exponentials)
            terms = [f"{weight} {self.value.replace('<j>', j)}" for j, weight in zip("123", exponentials, strict=True)]
            found |= {f"alpha_{i}{j}": f"{weight}/({below})" for j, weight in zip("123", exponentials, strict=True)}
            found[f"c_{i}"] = f"({' + '.join(terms)})/({below})"
        return found


_PERMUTATION = "P"
USUAL = {name: SynonymTable(**entry) for name, entry in read_table(__package__, "vocabulary.toml").items()}
"""By the names of theorems."""


def usual_letters(theorem: str) -> frozenset[str]:
    """Return the letters whose entries people use for a theorem's outputs: ``alpha`` of ``alpha_21``."""
    usual = USUAL.get(theorem)
    return frozenset() if usual is None else frozenset(name.partition("_")[0] for name in usual.outputs)


def resolve_synonyms(work: Work, theorem: str, scope: Scope) -> tuple[Work, Scope]:
    """Return the work in the theorem's names, and the scope with the identity matrices and ones that it speaks of."""
    usual = USUAL.get(theorem)
    if usual is not None and usual.kind and not is_of_kind(_PERMUTATION, usual.kind, work.text):
        usual = replace(usual, extra={name: item for name, item in usual.extra.items() if name != _PERMUTATION})
    work = name_ones(work, scope)
    wider = _with_units(work, scope if usual is None else _with_extra(scope, usual))
    if usual is None and wider is scope:
        return work, scope
    reader = _Reader(usual or SynonymTable(), scope, wider, work.text)
    return map_written(work, reader.piece), wider


class _Reader:
    def __init__(self, usual: SynonymTable, scope: Scope, wider: Scope, text: str) -> None:
        self.usual = usual
        self.scope = scope
        self.wider = wider
        self.text = text
        self.names = {*scope.sizes}
        self.own = {item.name for item in wider.defined}
        self.letters = set(re.findall(r"[a-z]", text)) | self.names | set(scope.fixed)
        self.lengths = {str(Expr.scalar(length)): length for length in _identities(scope)}
        self.wholes = {
            name: read_text(body, scope)
            for name, body in (usual.outputs | {**usual.wholes}).items()
            if name not in self.names or body == f"{name}^T"
        }
        self.bases = {name: other for name, other in usual.bases.items() if name not in self.names}

    def piece(self, piece: Written) -> Written:
        """Return a chain, with identity matrices and vectors of ones of the size that fits their place."""
        sides = [None if side is None else self.side(side) for side in piece.sides]
        for length in _identities(self.scope) if any(map(_has_unit, sides)) else ():
            sized = [_with_size(side, length) for side in sides]
            if self._fit(sides, sized):
                sides = sized
                break
        sides = [map_readings(side, self._without_traces) for side in sides]
        self._learn(sides, piece.operators)
        return replace(piece, sides=tuple(self._by_entries(sides)))

    def _learn(self, sides: Sequence[Side | None], operators: Sequence[str]) -> None:
        """Note the shape of a name that the work defines, on which later identity matrices and ones depend."""
        nodes = [None if side is None else side.node for side in sides]
        name = None if nodes[0] is None else plain_name(nodes[0])
        shape = self._shape_in_names(nodes[1]) if operators[:1] == ("=",) and nodes[1] is not None else None
        if name is not None and shape and name not in self.wider.sizes:
            self.wider = replace(self.wider, declared=(*self.wider.declared, Declared(name, shape)))

    def _by_entries(self, sides: list[Side | None]) -> list[Side | None]:
        """Return an equation with products entry by entry, as one between entries."""
        written = [side for side in sides if side is not None and side.node is not None]
        nodes = [side.node for side in written if side.node is not None]
        if len(written) != len(sides) or not any(map(is_entrywise, nodes)):
            return sides
        letters = (letter for letter in _LETTERS if letter not in self.letters)
        found = EntryReader(self._shape_in_names, self._end, letters).equation(nodes)
        return sides if found is None else [replace(s, node=n, others=()) for s, n in zip(written, found, strict=True)]

    def _any_shape(self, node: t.Node | None) -> tuple[str, ...] | None:
        """Return the sizes of a side, also of one with products entry by entry."""
        if node is None or not is_entrywise(node):
            return self._shape(node)
        try:
            return EntryReader(self._shape, self._end, iter(())).shape(node)
        except NotationError:
            return None

    def _shape_in_names(self, node: t.Node) -> tuple[str, ...] | None:
        shape = self._shape(node)
        return None if shape is None else tuple(self.lengths.get(length, length) for length in shape)

    def _end(self, length: str) -> t.Node:
        """Return a name of a length that is not the length's own, for which the work may have another letter."""
        return t.Subscript(t.Name(_END), (t.Name(length),))

    def _without_traces(self, node: t.Node) -> t.Node:
        """Return a trace as the sum that it abbreviates, and the square or the cube of a matrix as a product."""
        node = mapped(node, self._without_traces)
        match node:
            case t.Power(t.Group() as base, t.Number("2" | "3" as count)) if self._is_square(base):
                return t.Group(t.Product((base,) * int(count), ("",) * (int(count) - 1)))
            case t.Call(t.Name(trace), (matrix,)) if trace in _TRACES and self._is_square(matrix):
                length = self.lengths.get((self._shape(matrix) or ("",))[0])
            case _:
                return node
        if length is None:
            return node
        index = t.Name(next(letter for letter in _LETTERS if letter not in self.letters))
        self.letters.add(index.text)
        end = self._end(length)
        return t.SumOver(index, t.Number("1"), end, t.Subscript(t.Group(matrix), (index, index)), span=node.span)

    def _is_square(self, node: t.Node) -> bool:
        shape = self._shape(node)
        return shape is not None and len(shape) == _MATRIX and shape[0] == shape[1]

    def _fit(self, sides: Sequence[Side | None], sized: Sequence[Side | None]) -> bool:
        """Return whether all sides have one shape, and those with an identity matrix or ones have a shape at all.

        A zero has any shape.
        """
        nodes = [None if side is None else side.node for side in sized]
        shapes = [None if node == _ZERO else self._any_shape(node) for node in nodes]
        has_all = all(shape is not None for side, shape in zip(sides, shapes, strict=True) if _has_unit(side))
        return has_all and len({shape for shape in shapes if shape is not None}) == 1

    def side(self, side: Side) -> Side:
        if side.node is None:
            return side
        nodes = [found for node in (side.node, *side.others) for found in self.readings(node)]
        return replace(side, node=nodes[0], others=tuple(dict.fromkeys(nodes[1:])))

    def readings(self, node: t.Node) -> Iterator[t.Node]:
        """Yield a side in the theorem's names; the softargmax alone also with the scale of the theorem."""
        yield self.of(node, "")
        if self.usual.scale and any(
            isinstance(item, t.Call) and item.function.text in _SOFTARGMAX for item in walk(node)
        ):
            yield self.of(node, self.usual.scale)

    def of(self, node: t.Node, scale: str) -> t.Node:
        name = plain_name(node)
        if name is not None and name in self.wholes:
            return _at(self.wholes[name], node)
        if name is not None and name in self.names:
            return node
        match node:
            case t.Subscript(t.Name(base), indices) if base in self.bases:
                return replace(node, base=t.Name(self.bases[base]), indices=indices)
            case t.Subscript(t.Name(base), indices) if (whole := f"{base}_{_digits(indices)}") in self.wholes:
                return _at(self.wholes[whole], node)  # ``alpha_{2,2}`` is ``alpha_22``
            case t.Subscript(t.Name(base), _) if base in self.wholes and base not in self.names:
                return replace(node, base=_at(self.wholes[base], node.base))
            case t.Subscript(base, _):
                return node if isinstance(base, t.Name) else replace(node, base=self.of(base, scale))
            case t.SumOver(index, _, _, body):
                hidden = self.wholes.pop(index.text, None)
                whole_sum = replace(node, body=self.of(body, scale))
                if hidden is not None:
                    self.wholes[index.text] = hidden
                return whole_sum
            case t.Product((t.Name(trace) as head, first, *rest), (_, *signs)) if trace in _TRACES:
                inner = t.Product((first, *rest), tuple(signs)) if rest else first
                return self.of(t.Call(head, (inner,), span=node.span), scale)
            case t.Product(factors, operators):
                names = self.own | self.names
                factors, operators = _with_differentials(factors, operators, names, self.usual.loss)
                found = tuple(self.of(factor, scale) for factor in factors)
                return replace(found[0] if len(found) == 1 else t.Product(found, operators), span=node.span)
            case t.Call(t.Name("diff"), (t.Name(loss), by)) if (
                loss == self.usual.loss and self._gradient(by) in self.own
            ):
                return t.Name(self._gradient(by) or "", span=node.span)
            case t.Call(t.Name(function), (argument,)) if function in _SOFTMAX:
                return self._softmax(node, self.of(argument, scale), scale)
            case _:
                return mapped(node, lambda child: self.of(child, scale))

    def _gradient(self, by: t.Node) -> str | None:
        name = plain_name(by)
        return None if name is None else f"d{name}"

    def _softmax(self, call: t.Call, argument: t.Node, scale: str) -> t.Node:
        """Return a softmax with the factor that stands below it, by columns where tokens are columns."""
        span = call.span
        has_index = span is not None and _SCALED.match(self.text, span[0], span[1]) is not None
        factor = next((name for name in ("beta", self.usual.scale) if name in self.names), "") if has_index else scale
        if factor:
            argument = t.Product((t.Name(factor), t.Group(argument)), ("",))
        shape = self._shape(argument) if self.usual.is_by_columns else None
        if shape is None or len(shape) != _MATRIX:
            return replace(call, arguments=(argument,))
        return t.Transpose(replace(call, arguments=(t.Transpose(t.Group(argument)),)))

    @otherwise(None)
    def _shape(self, node: t.Node | None) -> tuple[str, ...] | None:
        """Return the sizes of what a side comes to; None where that is not plain."""
        if node is None:
            return None
        value = Language(self.wider, Facts()).value(proof_forms(self._without_traces(node), lambda _: False))
        return tuple(map(str, value.sizes)) if isinstance(value, Tensor) else ()


def _at(found: t.Node, node: t.Node) -> t.Node:
    """Return a meaning in the place of a name; more than a name keeps together."""
    whole = found if isinstance(found, t.Name | t.Subscript) else t.Group(found)
    return replace(whole, span=node.span)


def _digits(indices: Sequence[t.Node]) -> str:
    return "".join(item.text for item in indices if isinstance(item, t.Number))


# Identity matrices and vectors of ones -------------------------------------------------------------


def _identities(scope: Scope) -> list[str]:
    """Return the lengths of the theorem's that an identity matrix or a vector of ones may have."""
    return list(dict.fromkeys(size for item in scope.declared for size in item.sizes if size.isalpha()))


def _with_extra(scope: Scope, usual: SynonymTable) -> Scope:
    """Return the scope with the quantities that people name beside the theorem's."""
    known = {*scope.sizes}
    own = tuple(
        Defined(name, ("i", "j"), (rows, columns), entry)
        for name, (rows, columns, entry) in usual.extra.items()
        if name not in known
    )
    return replace(scope, defined=(*scope.defined, *own)) if own else scope


def _with_differentials(
    factors: Sequence[t.Node], operators: Sequence[str], names: Collection[str], loss: str
) -> tuple[tuple[t.Node, ...], tuple[str, ...]]:
    """Join factors ``d`` and ``S`` side by side to the name ``dS``, and a gradient with its loss to a derivative."""
    found, signs = [factors[0]], list[str]()
    for operator, factor in zip(operators, factors[1:], strict=True):
        joined = joined_differential(found[-1], factor, names.__contains__) if operator == "" else None
        match found[-1]:
            case t.Subscript(t.Name("nabla"), (by,)) if loss and factor == t.Name(loss):
                joined = t.Call(t.Name("diff"), (t.Name(loss), by))
        if joined is None:
            signs.append(operator)
            found.append(factor)
        else:
            found[-1] = joined
    return tuple(found), tuple(signs)


def _with_units(work: Work, scope: Scope) -> Scope:
    """Return the scope with those of every length, where the work speaks of one that the theorem has not."""
    names = {*scope.sizes, *scope.fixed}
    sides = list(nodes_of(work.pieces))
    spoken = {node.text for side in sides for node in _units(side)}
    own = [
        Defined(f"{unit}_{length}", indices, (length,) * len(indices), body)
        for unit, (indices, body) in _UNITS.items()
        if unit in spoken - names
        for length in _identities(scope)
    ]
    heads = (item.function if isinstance(item, t.Call) else item for side in sides for item in walk(side))
    has_trace = any(isinstance(head, t.Name) and head.text in _TRACES for head in heads)
    if has_trace or any(map(is_entrywise, sides)):
        own += [Defined(f"{_END}_{length}", (), (), length) for length in _identities(scope)]
    own = [item for item in own if item.name not in names]
    return replace(scope, defined=(*scope.defined, *own)) if own else scope


def _has_unit(side: Side | None) -> bool:
    return side is not None and side.node is not None and next(_units(side.node), None) is not None


def _units(node: t.Node) -> Iterator[t.Name]:
    """Iterate over the identity matrices and vectors of ones that stand without their sizes."""
    return (item for item in walk(node) if isinstance(item, t.Name) and item.text in _UNITS)


def _with_size(side: Side | None, length: str) -> Side | None:
    def sized(node: t.Node) -> t.Node:
        match node:
            case t.Name(text) if text in _UNITS:
                return t.Subscript(t.Name(text), (t.Name(length),), span=node.span)
            case t.Subscript():
                return node
            case _:
                return mapped(node, sized)

    return map_readings(side, sized)


def without_ones(node: t.Node) -> t.Node:
    """Return the entry of a multiple of a vector of ones; another tree as it is."""
    match node:
        case t.Subscript(t.Name(base), _) if base == ONES:
            return t.Number("1")
        case t.Group(body):
            return without_ones(body)
        case t.Product(factors):
            rest = [factor for factor in factors if without_ones(factor) != t.Number("1") or factor == t.Number("1")]
            return rest[0] if len(rest) == 1 and len(factors) == _PAIR else node
        case _:
            return node
