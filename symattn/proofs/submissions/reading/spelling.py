r"""Names as people write them that would be read as something else: ``p'`` for a changed p, ``\delta`` alone.

A prime is read as a transpose. Where the theorem knows a changed quantity (``hhat`` beside ``h``), and no factor
follows that a row could be multiplied by, it means that; where the work defines one, ``x'_i = x_{\pi(i)}``, a quantity
of the work's own. A delta without indices is a number, not Kronecker's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from symattn.notation.submission import Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.reading.normalization import name_tree

SMALL_DELTA = "smalldelta"
"""The name of a delta without indices."""

_HAT = "hat "
_RUNNING = frozenset("ijlrst")
_OVER = re.compile(
    r"\\?(?:mathbb|mathrm|operatorname|mathbf)?\s?\{?\s?E\s?\}?\s?_\s?"
    r"(?:(?P<one>[a-z])|\{(?P<more>[a-z](?:_\d)?(?:\s?,\s?[a-z](?:_\d)?)*)\})"
)
_PRIME = re.compile(r"^\\?\w+\s?(?:\{\w+\})?\s?(?:\^\s?\{?\s?)?(?:['′’]|\\prime)|(?:['′’]|\\prime)[\s}]*$")
_PRIME_BEHIND = re.compile(r"(?:['′’]|\\prime)[\s}]*$")
_MOST_NUMBERS = 4
_PAIR = 2


class Spelling:
    """Reader of names as people write them, in the spelling of a theorem.

    Args:
        work: to tell a prime from another mark of transposition, and a changed quantity from a row.
        scope: the theorem's names.
    """

    def __init__(self, work: Work, scope: Scope) -> None:
        self.text = work.text
        self.names = {name: len(sizes) for name, sizes in scope.sizes.items()}
        self.scope = scope
        self.lengths = {size for size in scope.lengths if self.names.get(size) == 0}
        self.has_means = "E" not in self.names and any(item.random for item in scope.declared)
        self.short = {
            item.about[0]: item.values[0]
            for item in scope.hypotheses
            if item.kind == "equal" and "abbreviates" in item.text
        }
        chains = [
            [side.node for side in one.sides if side is not None] for one in work.pieces if isinstance(one, Written)
        ]
        self.changed = self._changed_letters(chains)

    def _changed_letters(self, chains: Sequence[Sequence[t.Node | None]]) -> frozenset[str]:
        """Return the letters whose prime marks a quantity that the work defines: none where it defines no such one."""
        nodes = [item for chain in chains for side in chain if side is not None for item in walk(side)]
        primed = [item for item in nodes if isinstance(item, t.Transpose) and self._is_primed(item)]
        heads = [chain[0] for chain in chains if len(chain) > 1 and self._is_changed_head(chain)]
        heads += [item for item in primed if (rank := self._lacking(item.base)) is not None and rank <= 0]
        if not heads:
            return frozenset()
        own = {_letter(item.base) for item in heads if isinstance(item, t.Transpose)}
        pairs = [pair for item in nodes if isinstance(item, t.Product) for pair in pairwise(item.factors)]
        rows = {_letter(one.base) for one, other in pairs if isinstance(one, t.Transpose) and self._is_row(one, other)}
        return frozenset(filter(None, {_letter(item.base) for item in primed} - (rows - own)))

    def _is_row(self, node: t.Transpose, following: t.Node) -> bool:
        return self._rank(node.base) == 1 and self._rank(following) == 1

    def _is_changed_head(self, chain: Sequence[t.Node | None]) -> bool:
        """Return whether an equation defines a primed quantity: ``x'_i = …`` without rows, or ``X' = P X``."""
        head, right = chain[:2]
        if not isinstance(head, t.Transpose) or right is None or not self._is_primed(head):
            return False
        letter = _letter(head.base)
        upright = {_letter(item) for item in _outside_rows(right)} - {None}
        if letter in upright and upright != {letter}:
            return True
        return self._lacking(head.base) == 1 and not any(isinstance(item, t.Transpose) for item in walk(right))

    def _lacking(self, node: t.Node) -> int | None:
        """Return how many indices a primed name lacks; None for a number, and a letter alone that is unknown."""
        if not isinstance(node, t.Subscript):
            return self.names.get(node.text) or None if isinstance(node, t.Name) else None
        count = sum(len(index.factors) if isinstance(index, t.Product) else 1 for index in node.indices)
        return self.names.get(_letter(node) or "", 2) - count

    def of(self, node: t.Node) -> t.Node:
        """Return a side with such names as the theorem spells them."""
        match node:
            case t.Name("delta") if "delta" not in self.names:
                return t.Name(SMALL_DELTA)
            case t.Subscript(t.Name("delta"), indices):
                return t.Subscript(t.Name("delta"), tuple(map(self.of, indices)))
            case t.Subscript(t.Name(base), indices) if any(
                isinstance(item, t.Subscript) for index in indices for item in walk(index)
            ):
                # ``M_{q_1 k_1}`` is a name as a whole.
                return t.Name(base + "".join(one.text for i in indices for one in walk(i) if isinstance(one, t.Name)))
            case t.Subscript(t.Name(base), (t.Name(index),)) if base in self.lengths and index not in _RUNNING:
                full = f"{base}_{index}"
                return node if full in self.names else t.Name(f"{base}{index}", span=node.span)
            case t.Subscript(t.Name(base), indices) if base not in self.names:
                entry = self._entry(base, indices)
                return rebuilt(node, self.of) if entry is None else replace(entry, span=node.span)
            case t.Transpose(base) if self._is_primed(node):
                changed = self._changed(base) or self._own(base)
                return rebuilt(node, self.of) if changed is None else changed
            case t.Call(t.Name("Cov" | "Var"), (inner,)) if self._rank(inner) == 1:
                return self.of(_covariance_matrix(inner))
            case t.Call(t.Name("E"), (inner,)) if given := self._given(node):
                return t.Call(t.Name("E"), (self.of(inner), given), span=node.span)
            case t.Product((t.Name("N"), t.Vector(items, "(")), ("",)) if self.has_means and len(items) == _PAIR:
                return t.Call(t.Name("normal"), tuple(map(self.of, items)), span=node.span)
            case t.Product(factors, operators):
                mean = self._mean(factors, operators)
                if mean is not None:
                    return self.of(mean)
                return t.Product(tuple(map(self._factor, factors, (*factors[1:], None))), operators, span=node.span)
            case _:
                return rebuilt(node, self.of)

    def _entry(self, base: str, indices: tuple[t.Node, ...]) -> t.Subscript | None:
        """Read ``k_{1,i}``, ``k_{1i}`` or ``k^{(1)}_i`` as entry i of the vector ``k_1``."""
        one = indices[0]
        pair = one.factors if len(indices) == 1 and isinstance(one, t.Product) else indices
        if len(pair) != _PAIR:
            return None
        for number, index in (pair, pair[::-1]):
            is_number = isinstance(number, t.Number) and not (number is pair[1] and isinstance(index, t.Number))
            if is_number and isinstance(number, t.Number) and self.names.get(f"{base}_{number.text}") == 1:
                return t.Subscript(t.Group(t.Subscript(t.Name(base), (number,))), (index,))
        return None

    def _mean(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node | None:
        """Read ``E(w)`` as a mean, where the theorem has means and no number E."""
        place = next(
            (
                n
                for n, (head, operator, following) in enumerate(zip(factors, operators, factors[1:], strict=False))
                if head == t.Name("E") and operator == "" and (isinstance(following, t.Group) or _is_size(following))
            ),
            None,
        )
        if place is None or not self.has_means:
            return None
        body = factors[place + 1]
        call = t.Call(t.Name("E"), (body.body if isinstance(body, t.Group) else body,))
        rest = (*factors[:place], call, *factors[place + 2 :])
        return call if len(rest) == 1 else t.Product(rest, (*operators[:place], *operators[place + 1 :]))

    def _given(self, node: t.Call) -> t.Node | None:
        """Return the vectors over which ``E_q`` takes no mean."""
        match = None if node.span is None else _OVER.match(self.text, *node.span)
        if match is None or not self.has_means:
            return None
        over = set(re.findall(r"[a-z](?:_\d)?", match["one"] or match["more"]))
        rest = tuple(name_tree(name) for name in self.scope.random if name not in over)
        if not over <= {*self.scope.random} or not rest:
            return None
        return rest[0] if len(rest) == 1 else t.Vector(rest, "(")

    def _factor(self, node: t.Node, following: t.Node | None) -> t.Node:
        """Read a factor; a primed vector before another one is a row."""
        if isinstance(node, t.Transpose) and following is not None and self._is_row(node, following):
            return rebuilt(node, self.of) if self._own(node.base) is None else self.of(node)
        return self.of(node)

    def _rank(self, node: t.Node | None) -> int:
        match node:
            case t.Name(text):
                return self.names.get(text, 0)
            case t.Subscript(t.Name(text), indices):
                return self.names.get(text, 0) - len(indices)
            case _:
                return 0

    def _is_primed(self, node: t.Transpose) -> bool:
        written = self.text[slice(*node.span or (0, 0))].rstrip()
        is_name = isinstance(node.base, t.Name | t.Subscript)
        return (_PRIME.search(written) if is_name else _PRIME_BEHIND.search(written)) is not None

    def _own(self, node: t.Node) -> t.Node | None:
        """Return the quantity that the work calls by a letter with a prime."""
        match node:
            case t.Name(text) if text in self.changed or self.names.get(text) == 0:
                return t.Name(f"{text}'", span=node.span)
            case t.Subscript(t.Name(text), indices) if text in self.changed:
                return t.Subscript(t.Name(f"{text}'"), tuple(map(self.of, indices)), span=node.span)
            case _:
                return None

    def _changed(self, node: t.Node) -> t.Node | None:
        """Return the changed quantity that the theorem has for a name."""
        match node:
            case t.Name(text) if f"{text}hat" in self.names:
                return t.Name(f"{_HAT}{text}")
            case t.Name(text) if text in self.short:
                return self._changed(read_text(self.short[text], self.scope))
            case t.Subscript(t.Name(text), indices) if f"{text}hat" in self.names:
                return t.Subscript(t.Name(f"{_HAT}{text}"), indices)
            case t.Group(body):
                return self._changed(body)
            case _:
                return None


def _letter(node: t.Node) -> str | None:
    """Return the letter of a name, perhaps with indices."""
    base = node.base if isinstance(node, t.Subscript) else node
    return base.text if isinstance(base, t.Name) else None


def _outside_rows(node: t.Node) -> Iterator[t.Node]:
    """Yield the parts of a side that are not transposed, indices left out."""
    yield node
    if not isinstance(node, t.Transpose | t.Subscript):
        for child in t.children(node):
            yield from _outside_rows(child)


def _covariance_matrix(vector: t.Node) -> t.Node:
    """Write ``Cov(x)`` as ``E(x x^T) - E(x) E(x)^T``."""
    both = t.Call(t.Name("E"), (t.Product((vector, t.Transpose(vector)), ("",)),))
    mean = t.Call(t.Name("E"), (vector,))
    return t.Group(t.Sum((both, t.Product((mean, t.Transpose(mean)), ("",))), ("-",)))


def _is_size(node: t.Node) -> bool:
    """Return whether it is a norm or an absolute value, or a power of one."""
    match node:
        case t.Power(base, _):
            return _is_size(base)
        case t.Call(t.Name("norm" | "abs"), _):
            return True
    return False


def declare_index_numbers(scope: Scope, sides: tuple[t.Node, ...]) -> Scope:
    """Return the scope with the numbers that stand as indices, which differ from each other: ``a_1`` and ``z_2``.

    Letters for chosen indices might be any of them, so that nothing is added beside those.
    """
    if not all(name.isdecimal() for name in scope.fixed):
        return scope
    known = scope.sizes
    found = [
        int(index.text)
        for side in sides
        for node in walk(side)
        if isinstance(node, t.Subscript) and plain_name(node) not in known
        for index in node.indices
        if isinstance(index, t.Number) and index.text.isdecimal()
    ]
    most = max((number for number in found if 1 <= number <= _MOST_NUMBERS), default=0)
    numbers = tuple(str(number) for number in range(1, most + 1))
    if most < 2 or len(numbers) <= len(scope.fixed):
        return scope
    return replace(scope, fixed=numbers)


def index_letters(sides: tuple[t.Node, ...], scope: Scope) -> frozenset[str]:
    """Return letters that stand as indices, or that a sum runs over, and are not names of the theorem's."""
    known = {*scope.sizes} - set(scope.fixed)
    found: set[str] = set()
    for side in sides:
        for node in walk(side):
            if isinstance(node, t.SumOver):
                found.add(node.index.text)
            if isinstance(node, t.Subscript) and plain_name(node) not in known:
                found.update(item.text for index in node.indices for item in walk(index) if isinstance(item, t.Name))
    return frozenset(name for name in found if len(name) == 1 and name not in known)
