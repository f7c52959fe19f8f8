"""Ranges of letters: a condition such as ``|t| < 1`` keeps ``1 - t^2``, which a theorem wants positive, above 0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from symattn.errors import InputError, NotationError, ShapeError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.matrices import Array, Value
from symattn.proofs.cases.numeric_tower import ZERO, Number, order
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.reading.conditions import Clause

_HOLDS = {"=": {0}, "≤": {-1, 0}, "<": {-1}, "≥": {0, 1}, ">": {1}, "≠": {-1, 1}}
_SIZES = (*(Fraction(n, 4) for n in range(1, 9)), *map(Fraction, ("9/10", "99/100", "101/100", "3", "10", "1000")))
_REALS = (Fraction(0), *(sign * size for size in _SIZES for sign in (1, -1)))
_POSITIVE = (Fraction(1, 2), Fraction(1), Fraction(2))
_FAULTS = (InputError, NotationError, ShapeError)
_EVERY = re.compile(
    r"\b(?:(?:for|at) (?:all|every|any|each|whatever)|whatever|any|every|arbitrary)(?: real| numbers?| values? of)*"
    r"\s?\$?\\?(?P<letter>[a-zA-Z]+)\b|\$\\?(?P<one>[a-zA-Z]+)\s?\\in\s?\\mathbb\s?\{?\s?R",
    re.IGNORECASE,
)


def letters_of_all(text: str) -> frozenset[str]:
    r"""Return the letters of which a work says that they may be any number.

    >>> sorted(letters_of_all(r"for all $t$ and every real $\beta$"))
    ['beta', 't']
    """
    return frozenset(match["letter"] or match["one"] for match in _EVERY.finditer(text))


class Ranges:
    """The values that the condition of a formula allows for its letters.

    Args:
        scope: the names.
        clauses: the condition.
        values: letters that have a value here.
        free: letters that may be any number.
    """

    def __init__(
        self, scope: Scope, clauses: Sequence[Clause], values: Mapping[str, str], free: frozenset[str]
    ) -> None:
        self.scope = Scope(scope.declared, scope.defined)
        self.clauses = [tuple((_squared(a), o, _squared(b)) for a, o, b in clause) for clause in clauses]
        self.values = {name: Fraction(value) for name, value in values.items()}
        self.free = free
        self.signs = {item.name: item.sign for item in scope.declared if not item.sizes and not item.random}
        self.bodies = {item.name: item.body for item in scope.defined}

    def allows_only(self, positive: str) -> bool:
        """Tell whether an expression is positive wherever the condition holds, as far as samples show.

        A condition that says nothing of its letters is none: then it is taken for granted.
        """
        letters = {name for name in self._letters(positive) if name in self.signs}
        own = [clause for clause in self.clauses if any(self._speaks_of(clause, name) for name in letters)]
        if not own:
            return not letters & self.free
        names = sorted(letters | {name for clause in own for name in self.signs if self._speaks_of(clause, name)})
        tries = [(self.values[name],) if name in self.values else self._tried(name) for name in names]
        found = False
        for chosen in product(*tries):
            try:
                numeric = NumericEvaluator(self.scope, Model(dict(zip(names, chosen, strict=True)), {}))
                if not all(_holds(numeric, clause) for clause in own):
                    continue
                if order(numeric.number(positive), ZERO) != 1:
                    return False
            except _FAULTS:
                return False
            found = True
        return found

    def _tried(self, name: str) -> tuple[Fraction, ...]:
        return _REALS if self.signs[name] == "real" else _POSITIVE

    def _speaks_of(self, clause: Clause, name: str) -> bool:
        return any(name in self._names(side) for a, _, b in clause for side in (a, b))

    def _letters(self, text: str) -> Iterator[str]:
        yield from self._names(read_text(text, self.scope))

    def _names(self, node: t.Node) -> set[str]:
        found: set[str] = set()
        waiting = [plain_name(item) for item in walk(node)]
        while waiting:
            name = waiting.pop()
            if name is None or name in found:
                continue
            found.add(name)
            if name in self.bodies:
                waiting.extend(plain_name(item) for item in walk(read_text(self.bodies[name], self.scope)))
        return found


def _holds(numeric: NumericEvaluator, clause: Clause) -> bool:
    return any(
        order(_number(numeric.value(a)), _number(numeric.value(b))) in _HOLDS.get(operator, ())
        for a, operator, b in clause
    )


def _number(value: Value) -> Number:
    if isinstance(value, Array):
        raise ShapeError("A condition compares numbers here.")
    return value


def _squared(node: t.Node) -> t.Node:
    """Write absolute values as roots of squares."""
    node = rebuilt(node, _squared)
    match node:
        case t.Call(t.Name("abs"), (inner,)):
            return t.Root(t.Power(t.Group(inner), t.Number("2")), None)
    return node


__all__ = ["Ranges", "letters_of_all"]
