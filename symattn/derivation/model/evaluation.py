"""Values of written formulas in one model: trees become numbers, vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from fractions import Fraction
from functools import partial
from itertools import product

from symattn.derivation.model.analysis import coefficient, derivative, limit
from symattn.derivation.model.arithmetic import (
    CTX,
    FUNCTIONS,
    OF_ARRAYS,
    ONE,
    ZERO,
    Array,
    NoValueError,
    Number,
    OutsideError,
    UndecidedError,
    Value,
    add,
    exp,
    factorial,
    inverse,
    map_value,
    multiply,
    negative,
    number,
    over,
    plus,
    power,
    real,
    sqrt,
    times,
    transpose,
)
from symattn.derivation.model.spaces import Base, Entry, integrate, normal_cdf, points
from symattn.derivation.proofs.language import plain_name, read_text
from symattn.derivation.proofs.scope import Hypothesis, Scope
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.records import dataclass

MAX_LENGTH = 12
_MAX_DEPTH = 60
_MAX_ORDER = 6
_TIES = frozenset({"law", "mean", "variance", "covariance", "raw-moment", "normal-vector", "dot-products", "total"})
_SAFETY = 1_000

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """One concrete case of the names of a record.

    Attributes:
        entries: numbers by name and indices; a scalar has none.
        shapes: lengths by name.
        random: random entries by name and indices.
        fixed: values of the fixed indices.
        permutations: images of 1, 2, ... by name.
        functions: concrete functions by name.
    """

    entries: dict[str, dict[Place, Number]] = field(default_factory=dict)
    shapes: dict[str, Place] = field(default_factory=dict)
    random: dict[str, dict[Place, Entry]] = field(default_factory=dict)
    fixed: dict[str, int] = field(default_factory=dict)
    permutations: dict[str, Place] = field(default_factory=dict)
    functions: dict[str, Callable[[Sequence[Number]], Number]] = field(default_factory=dict)


class Evaluator:
    """Evaluates formulas of a scope in one model.

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

    def moment(self, name: str, place: Place, order: int, *, is_central: bool) -> Number:
        """Return a moment of a random entry."""
        if name in self.model.random and order == 1 + is_central:
            entry = self.model.random[name][place]
            return entry.variance if is_central else entry.mean
        _, bases = self.traced(lambda: self.entry(name, place))
        start = self._integral(lambda: self.entry(name, place), bases, set()) if is_central else ZERO
        return number(
            self._integral(lambda: power(plus(self.entry(name, place), -start), Fraction(order)), bases, set())
        )

    def covariance(self, one: tuple[str, Place], other: tuple[str, Place]) -> Number:
        """Return the covariance of two random entries."""
        _, bases = self.traced(lambda: plus(self.entry(*one), self.entry(*other)))
        means = [self._integral(partial(self.entry, *item), bases, set()) for item in (one, other)]
        return number(
            self._integral(
                lambda: times(plus(self.entry(*one), -means[0]), plus(self.entry(*other), -means[1])), bases, set()
            )
        )

    def _bases(self, node: t.Node) -> tuple[Base, ...]:
        """The base variables that a formula depends on."""
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
                    found = add(found, value if operator == "+" else map_value(value, negative))
                return found
            case t.Product(factors, operators):
                found = self._value(factors[0])
                for operator, factor in zip(operators, factors[1:], strict=True):
                    found = multiply(found, self._value(factor), dotted=operator == "cdot")
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
            found = term if found is None else add(found, term)
        return ZERO if found is None else found

    # Names -----------------------------------------------------------------------------------------

    def _named(self, node: t.Name | t.Subscript) -> Value:
        whole = plain_name(node)
        if whole is not None and (whole in self.declared or whole in self.defined):
            return self._whole(whole)
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
        return _part_of(array, self._places(node, 1 if array.is_vector else 2))

    def shape(self, name: str) -> Place:
        """Return the lengths of a declared or defined name."""
        if name not in self.model.shapes:
            sizes = (self.declared.get(name) or self.defined[name]).sizes
            with self._inside({}, alone=True):
                self.model.shapes[name] = tuple(
                    self.length(number(self._value(read_text(size, self.scope)))) for size in sizes
                )
        return self.model.shapes[name]

    def _whole(self, name: str) -> Value:
        return self._part(name, self.shape(name), ())

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
            case t.Number(text) if text.isdecimal() and text in self.model.fixed:
                return self.model.fixed[text]
            case t.Number(text) if text.isdecimal():
                return int(text)
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
        if name in _COUNTS:
            if len(arguments) not in _COUNTS[name]:
                raise UndecidedError
            special: dict[str, Callable[..., Value]] = {
                "E": self._mean,
                "Var": self._covariance,
                "Cov": self._covariance,
                "cdf": self._cdf,
                "density": self._density,
                "cumulant": self._cumulant,
                "diff": self._derivative,
                "lim": self._limit,
                "coefficient": self._coefficient,
            }
            return special[name](*arguments)
        found = [self._value(argument) for argument in arguments]
        if name in self.model.functions:
            return self.model.functions[name]([number(value) for value in found])
        if len(found) == 1 and isinstance(found[0], Array) and name in OF_ARRAYS:
            return OF_ARRAYS[name](found[0])
        if len(found) == 1 and name in FUNCTIONS:
            return FUNCTIONS[name](number(found[0]))
        raise UndecidedError

    def _noted(self, found: tuple[Value, Number]) -> Value:
        value, error = found
        self.error = max(self.error, real(error))
        return value

    # Expectations ----------------------------------------------------------------------------------

    def _mean(self, body: t.Node, given: t.Node | None = None) -> Value:
        held = set() if given is None else self._held(given)
        try:
            found = self._split_mean(body, held)
            if isinstance(found, Array) or CTX.isfinite(real(found)):
                return found
        except NoValueError:
            pass
        # Parts without a mean may cancel.
        return self._integral(lambda: self._value(body), self._bases(body), held)

    def _held(self, given: t.Node) -> set[Base]:
        bases: set[Base] = set()
        for item in given.items if isinstance(given, t.Vector) else (given,):
            bases.update(self._bases(item))
            entries = self.model.random.get(plain_name(item) or "", {}).values()
            if any(len(entry.terms) > 1 for entry in entries):
                raise UndecidedError
            for _, base, feature in (term for entry in entries for term in entry.terms):
                if base.kind == "finite" and len(set(base.features[feature])) < len(base.weights):
                    raise UndecidedError
        return bases

    def _split_mean(self, node: t.Node, held: set[Base]) -> Value:
        """Take means apart by linearity, and by independence of factors."""
        match node:
            case t.Group(body):
                return self._split_mean(body, held)
            case t.Negative(body):
                return map_value(self._split_mean(body, held), negative)
            case t.Sum(terms, operators):
                found = self._split_mean(terms[0], held)
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self._split_mean(term, held)
                    found = add(found, value if operator == "+" else map_value(value, negative))
                return found
            case t.SumOver(index, t.Number("1"), upper, body, ()) if upper is not None:
                total: Value = ZERO
                for n in range(1, self.length(number(self._value(upper))) + 1):
                    with self._inside({index.text: n}):
                        term = self._split_mean(body, held)
                    total = term if n == 1 else add(total, term)
                return total
            case _:
                return self._integral(lambda: self._value(node), self._bases(node), held)

    def _integral(self, function: Callable[[], Value], bases: Sequence[Base], held: set[Base]) -> Value:
        free = [base for base in bases if base not in held]
        if not free:
            return function()

        def at(outcome: Mapping[str, Number]) -> Value:
            with self._changed(outcome):
                return function()

        return self._noted(integrate(at, free))

    def _covariance(self, first: t.Node, second: t.Node | None = None) -> Value:
        second = first if second is None else second
        bases = sorted({*self._bases(first), *self._bases(second)}, key=lambda base: base.name)
        one, other = number(self._mean(first)), number(self._mean(second))

        def of() -> Number:
            return times(plus(number(self._value(first)), -one), plus(number(self._value(second)), -other))

        return self._integral(of, bases, set())

    def _cdf(self, quantity: t.Node, at: t.Node) -> Number:
        """The probability of being at most a number, of what is finite or affine in normal variables."""
        bases, level = self._bases(quantity), number(self._value(at))
        if any(base.kind == "uniform" for base in bases):
            raise UndecidedError
        dense = [base for base in bases if base.kind == "gaussian"]
        found: Number = ZERO
        finite = [base for base in bases if base.kind == "finite"]
        for chosen in product(*(list(points(base)) for base in finite)):
            weight: Number = ONE
            for part, _ in chosen:
                weight = times(weight, part)
            outcome = {base.name: point for base, (_, point) in zip(finite, chosen, strict=True)}
            mean, variance = self._affine(quantity, dense, outcome)
            found = plus(found, times(weight, normal_cdf(mean, variance, level)))
        return found

    def _affine(self, node: t.Node, dense: Sequence[Base], outcome: Mapping[str, Number]) -> tuple[Number, Number]:
        def at(values: Sequence[int]) -> Number:
            moved = {base.name: Fraction(value) for base, value in zip(dense, values, strict=True)}
            with self._changed({**outcome, **moved}):
                return number(self._value(node))

        start = at([0] * len(dense))
        slopes = [plus(at([int(n == m) for m in range(len(dense))]), -start) for n in range(len(dense))]
        for values in ([m + 2 for m in range(len(dense))], [-3 * m - 1 for m in range(len(dense))]):
            wanted = start
            for slope, value in zip(slopes, values, strict=True):
                wanted = plus(wanted, times(slope, Fraction(value)))
            if abs(real(plus(at(values), -wanted))) > CTX.mpf(10) ** -30 * (1 + abs(real(wanted))):
                raise UndecidedError
        variance: Number = ZERO
        for slope in slopes:
            variance = plus(variance, times(slope, slope))
        return start, variance

    def _density(self, quantity: t.Node, at: t.Node) -> Number:
        bases, level = self._bases(quantity), number(self._value(at))
        if any(base.kind != "gaussian" for base in bases):
            raise UndecidedError
        mean, variance = self._affine(quantity, bases, {})
        if not variance:
            raise NoValueError("it takes the density of a constant")
        score = times(plus(level, -mean), plus(level, -mean))
        return over(exp(over(score, times(Fraction(-2), variance))), sqrt(times(+(2 * CTX.pi), variance)))

    def _cumulant(self, quantity: t.Node, order: t.Node) -> Number:
        count = self._order(order)
        bases = self._bases(quantity)
        raw = [ONE]

        def of(n: int) -> Number:
            return power(number(self._value(quantity)), Fraction(n))

        raw += [number(self._integral(partial(of, n), bases, set())) for n in range(1, count + 1)]
        found = [ZERO]
        for n in range(1, count + 1):
            value = raw[n]
            for m in range(1, n):
                ways = over(factorial(Fraction(n - 1)), times(factorial(Fraction(m - 1)), factorial(Fraction(n - m))))
                value = plus(value, -times(ways, times(found[m], raw[n - m])))
            found.append(value)
        return found[count]

    def _order(self, node: t.Node) -> int:
        order = number(self._value(node))
        if not isinstance(order, Fraction) or order.denominator != 1 or not 1 <= order <= _MAX_ORDER:
            raise UndecidedError
        return int(order)

    # Analysis --------------------------------------------------------------------------------------

    def _along(self, body: t.Node, name: str, place: Place) -> Callable[[Number], Number]:
        def at(value: Number) -> Number:
            with self._changed(moved={(name, place): value}):
                return number(self._value(body))

        return at

    def _variable(self, node: t.Node) -> tuple[str, Place]:
        whole = plain_name(node)
        if whole in self.declared and not self.declared[whole].sizes:
            return self._free(whole, ())
        base = plain_name(node.base) if isinstance(node, t.Subscript) else None
        if base not in self.declared or not isinstance(node, t.Subscript):
            raise UndecidedError
        return self._free(base, self._places(node, len(self.declared[base].sizes)))

    def _free(self, name: str, place: Place) -> tuple[str, Place]:
        """Return a variable that no hypothesis ties to others."""
        if name in self._tied or self.declared[name].random:
            raise UndecidedError
        return name, place

    def _derivative(self, body: t.Node, variable: t.Node) -> Value:
        name, place = self._variable(variable)
        at = number(self._value(variable))
        is_boundary = self.declared[name].sign == "nonnegative" and not at
        value = self._value(body)
        if isinstance(value, Array):
            raise UndecidedError
        return self._noted(derivative(self._along(body, name, place), at, is_boundary=is_boundary, finer=self._scale))

    @property
    def _scale(self) -> int:
        """How much finer than usual steps have to be beside a value that was moved towards a limit."""
        return 22 * 3 ** (self._limits - 1) if self._limits else 0

    def _limit(self, variable: t.Node, target: t.Node, body: t.Node) -> Value:
        name, place = self._variable(variable)
        inner = target.body if isinstance(target, t.Negative) else target
        if inner == t.Name("oo"):
            goal: Number = -CTX.inf if isinstance(target, t.Negative) else CTX.inf
        else:
            goal = number(self._value(target))
        is_signed = self.declared[name].sign != "real"
        if is_signed and goal < 0:
            raise UndecidedError
        sides = (1,) if is_signed and not goal else (1, -1)
        self._limits += 1
        try:
            return self._noted(limit(self._along(body, name, place), goal, sides, self._limits - 1))
        finally:
            self._limits -= 1

    def _coefficient(self, body: t.Node, variable: t.Node, order: t.Node) -> Number:
        name, place = self._variable(variable)
        return coefficient(self._along(body, name, place), self._order(order))


_COUNTS = {
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


def _part_of(array: Array, indices: Place) -> Value:
    if not indices:
        return array
    row, column = (0, indices[0] - 1) if array.is_vector else (indices[0] - 1, indices[-1] - 1)
    if not (0 <= row < len(array.rows) and 0 <= column < len(array.rows[0])):
        raise OutsideError
    if len(indices) == 1 and not array.is_vector:
        return Array((array.rows[row],))
    return array.rows[row][column]


def split_indices(items: tuple[t.Node, ...], rank: int) -> tuple[t.Node, ...]:
    """Read ``ij`` and ``12`` as two indices where two are wanted.

    >>> len(split_indices((t.Name("ij"),), 2)), len(split_indices((t.Name("ij"),), 1))
    (2, 1)
    """
    if len(items) != 1 or rank != 2:
        return items
    match items[0]:
        case t.Name(text) if len(text) == 2 and text.isascii():
            return t.Name(text[0]), t.Name(text[1])
        case t.Number(text) if len(text) == 2 and text.isdigit():
            return t.Number(text[0]), t.Number(text[1])
        case t.Product((first, second), ("",)) if not isinstance(second, t.Group):
            return first, second
        case _:
            return items


def names_in(text: str, scope: Scope) -> set[str]:
    """Return all names in a formula, letters of indices included."""
    nodes = list(walk(read_text(text, scope)))
    return {name for node in nodes if isinstance(node, t.Name | t.Subscript) and (name := plain_name(node))}
