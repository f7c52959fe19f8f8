"""Values of written formulas in one model: trees become numbers, vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

from symattn.notation.tree import nodes as t
from symattn.proofs.concrete.arrays import Array, Number, Value, map_value, part_of, transpose
from symattn.proofs.language.interpretation import plain_name, read_text, split_indices
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.model.arithmetic import (
    ARITHMETIC,
    CTX,
    FUNCTIONS,
    OF_ARRAYS,
    ONE,
    ZERO,
    OutsideError,
    UndecidedError,
    exp,
    inverse,
    negative,
    number,
    over,
    power,
    real,
    sqrt,
)
from symattn.proofs.model.models import Model, Place, names_in
from symattn.proofs.model.probability_spaces import Base

MAX_LENGTH = 12
_MAX_DEPTH = 60
_TIES = frozenset({"law", "mean", "variance", "covariance", "raw-moment", "normal-vector", "dot-products", "total"})
_SAFETY = 1_000

SPECIAL = {
    "E": {1, 2},
    "Var": {1},
    "Cov": {2},
    "cdf": {2},
    "density": {2},
    "cumulant": {2},
    "diff": {2},
    "lim": {3},
    "coefficient": {3},
}
"""The words that look at how their arguments depend on others, with the numbers of arguments that they take."""


class Formulas:
    """Evaluator of formulas of a scope in one model, without the words that `special` answers.

    Args:
        scope: the names.
        model: what they are.
        hypotheses: those that hold; what is given by an equation is evaluated from it.
        outcome: the outcome for random quantities outside expectations.
        most: how many nodes of trees may be visited.
    """

    def __init__(
        self,
        scope: Scope,
        model: Model,
        hypotheses: Sequence[Hypothesis] = (),
        outcome: Mapping[str, Number] | None = None,
        most: int = 20_000,
    ) -> None:
        self.scope = scope
        self.model = model
        self.declared = {item.name: item for item in scope.declared}
        self.defined = {item.name: item for item in scope.defined}
        self.equal: dict[str, str] = {}
        for item in hypotheses:
            if item.kind == "equal" and item.about[0] in self.declared:
                self.equal.setdefault(item.about[0], item.values[0])
        self._tied = {
            name for item in hypotheses if item.kind in _TIES for text in item.values for name in names_in(text, scope)
        } | set(self.equal)
        self.error: Number = CTX.mpf(0)
        self.left = most
        self._indices: dict[str, int] = {}
        self._outcome: Mapping[str, Number] = outcome or {}
        self._moved: dict[tuple[str, Place], Number] = {}
        self._limits = self._state = self._states = self._depth = 0
        self._touched: set[Base] = set()
        self._known: dict[tuple[str, Place, int], tuple[Number, set[Base], Number]] = {}

    def text(self, text: str, indices: Mapping[str, int] | None = None) -> Value:
        """Return the value of plain text; free indices have the values that are given.

        Raises:
            NoValueError: it has none in this model.
            UndecidedError: it is not worked out here.
            OutsideError: an index is out of range.
        """
        return self.value(read_text(text, self.scope), indices)

    def value(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Value:
        """Return the value of a tree, likewise."""
        before, self._indices = self._indices, dict(indices or {})
        try:
            return self._value(node)
        finally:
            self._indices = before

    def number(self, text: str, indices: Mapping[str, int] | None = None) -> Number:
        """Return the value of text that must be a number, likewise."""
        return number(self.text(text, indices))

    @property
    def bound(self) -> Number:
        """The error beyond which a relative difference of two values counts."""
        return max(CTX.mpf(10) ** -25, _SAFETY * self.error)

    # State -----------------------------------------------------------------------------------------

    @contextmanager
    def _changed(
        self, outcome: Mapping[str, Number] | None = None, moved: Mapping[tuple[str, Place], Number] | None = None
    ) -> Iterator[None]:
        before = self._outcome, self._moved, self._state
        self._outcome = self._outcome if outcome is None else {**self._outcome, **outcome}
        self._moved = {**self._moved, **(moved or {})}
        self._states += 1
        self._state = self._states
        try:
            yield
        finally:
            self._outcome, self._moved, self._state = before

    def traced(self, value: Callable[[], Value]) -> tuple[Value, tuple[Base, ...]]:
        """Return a value with the base variables that it depends on."""
        before, self._touched = self._touched, set()
        try:
            found = value()
            return found, tuple(sorted(self._touched, key=lambda base: base.name))
        finally:
            self._touched = before

    def at_outcome(self, outcome: Mapping[str, Number], value: Callable[[], Value]) -> Value:
        """Return a value where some base variables are what an outcome says."""
        with self._changed(outcome):
            return value()

    def entry(self, name: str, place: Place) -> Number:
        """Return an entry of a declared or defined name."""
        return number(self._part(name, self.shape(name), place))

    def _bases(self, node: t.Node) -> tuple[Base, ...]:
        """Return the base variables that a formula depends on."""
        return self.traced(lambda: self._value(node))[1]

    # Trees -----------------------------------------------------------------------------------------

    def _value(self, node: t.Node) -> Value:
        self.left -= 1
        if self.left < 0 or self._depth > _MAX_DEPTH:
            raise UndecidedError
        self._depth += 1
        try:
            return self._dispatched(node)
        finally:
            self._depth -= 1

    def _dispatched(self, node: t.Node) -> Value:
        match node:
            case t.Number():
                return node.value
            case t.Name() | t.Subscript():
                return self._named(node)
            case t.Group(body) | t.Boxed(body):
                return self._value(body)
            case t.Negative(body):
                return map_value(self._value(body), negative)
            case t.Transpose(body):
                return transpose(self._value(body))
            case t.Sum(terms, operators):
                found = self._value(terms[0])
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self._value(term)
                    found = ARITHMETIC.add(found, value if operator == "+" else map_value(value, negative))
                return found
            case t.Product(factors, operators):
                found = self._value(factors[0])
                for operator, factor in zip(operators, factors[1:], strict=True):
                    found = ARITHMETIC.multiply(found, self._value(factor), dotted=operator == "cdot")
                return found
            case t.Division(above, below):
                divisor = number(self._value(below))
                return map_value(self._value(above), lambda entry: over(entry, divisor))
            case t.Power():
                return self._power(node)
            case t.Root(body, None):
                return sqrt(number(self._value(body)))
            case t.SumOver(index, t.Number("1"), upper, body, ()) if upper is not None:
                return self._sum(index.text, self.length(number(self._value(upper))), body)
            case t.Call(function, arguments):
                return self._call(function.text, arguments)
            case _:
                raise UndecidedError

    @staticmethod
    def length(value: Number) -> int:
        """Return a length.

        Raises:
            UndecidedError: it is negative, not whole, or too large.
        """
        if not isinstance(value, Fraction) or value.denominator != 1 or not 0 <= value <= MAX_LENGTH:
            raise UndecidedError
        return int(value)

    def _power(self, node: t.Power) -> Value:
        exponent = number(self._value(node.exponent))
        if node.base == t.Name("e") and "e" not in self.declared.keys() | self.defined.keys():
            return exp(exponent)
        base = self._value(node.base)
        if isinstance(base, Array):
            if exponent != -1:
                raise UndecidedError
            return inverse(base)
        return power(base, exponent)

    @contextmanager
    def _inside(self, values: Mapping[str, int], *, alone: bool = False) -> Iterator[None]:
        before = self._indices
        self._indices = dict(values) if alone else {**before, **values}
        try:
            yield
        finally:
            self._indices = before

    def _sum(self, name: str, size: int, body: t.Node) -> Value:
        found: Value = None
        for n in range(1, size + 1):
            with self._inside({name: n}):
                term = self._value(body)
            found = term if found is None else ARITHMETIC.add(found, term)
        return ZERO if found is None else found

    # Names -----------------------------------------------------------------------------------------

    def _named(self, node: t.Name | t.Subscript) -> Value:
        whole = plain_name(node)
        if whole is not None and (whole in self.declared or whole in self.defined):
            return self._part(whole, self.shape(whole), ())
        if whole == "pi":
            return +CTX.pi
        if not isinstance(node, t.Subscript):
            raise UndecidedError
        base = plain_name(node.base)
        if base == "delta" and base not in self.declared:
            first, second = self._places(node, 2)
            return ONE if first == second else ZERO
        if base in self.declared or base in self.defined:
            shape = self.shape(base)
            return self._part(base, shape, self._places(node, len(shape)))
        array = self._value(node.base)
        if not isinstance(array, Array):
            raise UndecidedError
        found = part_of(array, self._places(node, 1 if array.is_vector else 2))
        if found is None:
            raise OutsideError
        return found

    def shape(self, name: str) -> Place:
        """Return the lengths of a declared or defined name."""
        if name not in self.model.shapes:
            sizes = (self.declared.get(name) or self.defined[name]).sizes
            with self._inside({}, alone=True):
                self.model.shapes[name] = tuple(
                    self.length(number(self._value(read_text(size, self.scope)))) for size in sizes
                )
        return self.model.shapes[name]

    def _part(self, name: str, shape: Place, indices: Place) -> Value:
        if any(not 1 <= index <= size for index, size in zip(indices, shape, strict=False)):
            raise OutsideError
        rest = shape[len(indices) :]
        if len(indices) > len(shape):
            raise UndecidedError
        if not rest:
            return self._entry(name, indices)
        if len(rest) == 1:
            return Array((tuple(self._entry(name, (*indices, n)) for n in range(1, rest[0] + 1)),))
        if len(rest) > 2 or not rest[0]:
            raise UndecidedError
        rows = (tuple(self._entry(name, (i, j)) for j in range(1, rest[1] + 1)) for i in range(1, rest[0] + 1))
        return Array(tuple(rows), is_vector=False)

    def _entry(self, name: str, place: Place) -> Value:
        if (name, place) in self._moved:
            return self._moved[name, place]
        if name in self.defined:
            return self._cached(name, place, self.defined[name].body, self.defined[name].indices)
        if name in self.equal:
            return self._cached(name, place, self.equal[name], ("i", "j")[: len(place)])
        if name in self.model.random:
            entry = self.model.random[name][place]
            self._touched.update(base for _, base, _ in entry.terms)
            return entry.at(self._outcome)
        return self.model.entries[name][place]

    def _cached(self, name: str, place: Place, text: str, indices: tuple[str, ...]) -> Value:
        key = (name, place, self._state)
        if key not in self._known:
            before, self._touched = self._touched, set()
            error, self.error = self.error, CTX.mpf(0)
            try:
                with self._inside(dict(zip(indices, place, strict=True)), alone=True):
                    found = self._value(read_text(text, self.scope))
                if isinstance(found, Array):
                    return found
                self._known[key] = found, self._touched, self.error
            finally:
                self._touched |= before
                self.error = max(self.error, error)
            return found
        found, touched, error = self._known[key]
        self._touched |= touched
        self.error = max(self.error, error)
        return found

    def _places(self, node: t.Subscript, rank: int) -> Place:
        return tuple(self._index(item) for item in split_indices(node.indices, rank))

    def _index(self, node: t.Node) -> int:
        match node:
            case t.Number(text) if text.isdecimal():
                return self.model.fixed.get(text, int(text))
            case t.Name(text) if text in self._indices:
                return self._indices[text]
            case t.Name(text) if text in self.model.fixed:
                return self.model.fixed[text]
            case t.Product((t.Name(name), t.Group(inner)), _) | t.Call(t.Name(name), (inner,)) if (
                name in self.model.permutations
            ):
                images, at = self.model.permutations[name], self._index(inner)
                if not 1 <= at <= len(images):
                    raise OutsideError
                return images[at - 1]
            case t.Group(inner):
                return self._index(inner)
            case _:
                raise UndecidedError

    # Functions -------------------------------------------------------------------------------------

    def _call(self, name: str, arguments: tuple[t.Node, ...]) -> Value:
        if name in SPECIAL:
            if len(arguments) not in SPECIAL[name]:
                raise UndecidedError
            return self.special(name, arguments)
        found = [self._value(argument) for argument in arguments]
        if name in self.model.functions:
            return self.model.functions[name]([number(value) for value in found])
        if len(found) == 1 and isinstance(found[0], Array) and name in OF_ARRAYS:
            return OF_ARRAYS[name](found[0])
        if len(found) == 1 and name in FUNCTIONS:
            return FUNCTIONS[name](number(found[0]))
        raise UndecidedError

    def special(self, name: str, arguments: tuple[t.Node, ...]) -> Value:
        """Return the value of a mean, a derivative or another word that looks at how its arguments depend on others."""
        raise NotImplementedError(name)

    def _noted(self, found: tuple[Value, Number]) -> Value:
        value, error = found
        self.error = max(self.error, real(error))
        return value
