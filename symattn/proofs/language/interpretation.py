"""TRUSTED. Language of proofs: a syntax tree becomes a number, a vector or a matrix of indexed sums.

The names mean what the scope declares. Functions that are known: ``exp``, ``log``, ``ln``, ``sqrt``,
``softmax`` (of a vector, or of each row of a matrix), ``diag``, ``E``, ``Var``, ``Cov``, ``diff`` (a partial
derivative), ``norm``, ``det`` and ``factorial``, and ``delta`` with two indices. Expectations are worked out with the
facts of the step that is read, and with no others. An index has one range throughout; a fixed index (``1``, or a letter
of the scope's) is taken to be a value of every range that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache

from symattn.errors import InputError, NotationError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.calculus import derivative
from symattn.exact.indexed.effort import spend
from symattn.exact.indexed.expectation import MEAN, expectation
from symattn.exact.indexed.expression import Atom, Expr
from symattn.exact.indexed.index_ranges import Ranges
from symattn.exact.indexed.indices import Index
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language import values as v
from symattn.proofs.language.elementary_functions import logarithm
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.functions import OF_NUMBERS, OF_TENSORS, PI, number_in
from symattn.proofs.language.limits import limit
from symattn.proofs.language.matrices import inverse_matrix
from symattn.proofs.language.scope import Declared, Defined, Scope, Tie, refuse_tied, ties
from symattn.proofs.language.scope_cache import Entry, Memo
from symattn.proofs.language.signs import Signs
from symattn.proofs.language.values import Tensor, Value
from symattn.records import dataclass

_MAX_DEPTH = 40
_WHATEVER, _WITHOUT = 0, -1
"""In the place of the number of the facts: what is the same with all of them, and what is known without any."""

FOR_LEMMAS = frozenset({"cdf", "coefficient", "cumulant", "density"})
"""Words that stand for themselves: no rule works with them, and lemmas alone say what they are.

``cdf(X, x)`` is the probability that X is at most x, ``density(X, x)`` the density of the law of X at x,
``coefficient(f, t, r)`` the factor of ``t^r`` in the power series of f in t, ``cumulant(X, r)`` the cumulant of order
r of X.
"""

FUNCTIONS = t.PROOF_FUNCTIONS | FOR_LEMMAS | {"exp", "log", "ln", "sqrt", "softmax", "diag", "det", "factorial"}
"""The functions that the language knows."""

INFINITY = "oo"
"""How infinity is written in plain syntax."""

ELEMENTARY = frozenset({"tanh", "sin", "cos", "erf", "Phi", "abs", "besselK"})
"""Functions that stand for themselves; their derivatives are known where `symattn.exact.indexed.calculus` says."""


def read_text(text: str, scope: Scope) -> t.Node:
    """Return the tree of plain text, with the functions of a scope.

    Raises:
        NotationError: it cannot be read.
    """
    return _tree(text, frozenset(scope.functions))


@lru_cache(maxsize=1_024)
def _tree(text: str, functions: frozenset[str]) -> t.Node:
    """Parse plain text; the tree is cached, for the same text is read in every step that its names occur in."""
    return read_plain(text, FUNCTIONS | ELEMENTARY | functions | t.FUNCTIONS)


@dataclass(frozen=True, slots=True)
class _Place:
    """Place of an expression: the indices that are bound around it, and its depth."""

    indices: Mapping[str, Index]
    depth: int = 0

    def inside(self, name: str, index: Index) -> _Place:
        return _Place({**self.indices, name: index}, self.depth + 1)


def _bound(place: _Place) -> frozenset[tuple[str, Index]]:
    return frozenset(place.indices.items())


class Language:
    """Reader of trees in a scope, with some facts at hand.

    Args:
        scope: the names.
        facts: what expectations and sums may be worked out with.
        indices: names of indices with what they stand for, as in facts about an entry.
        memo: what was read before in this scope; none is shared where none is given.
    """

    def __init__(
        self, scope: Scope, facts: Facts, indices: Mapping[str, Index] | None = None, memo: Memo | None = None
    ) -> None:
        if memo is not None and memo.scope is not scope:
            raise TypeError("a memo is of one scope")
        self.scope = scope
        self._facts = facts
        self._asked = 0
        self.memo = Memo(scope) if memo is None else memo
        self.declared = {item.name: item for item in scope.declared}
        self.defined = {item.name: item for item in scope.defined}
        self.random = frozenset(scope.random)
        self.ranges = Ranges(self.least_length)
        self._start = _Place(dict(indices or {}))
        self._number = self.memo.number_of(facts) if facts.moments or facts.rewrites else _WITHOUT
        self._around = (self._number, _bound(self._start))

    @property
    def facts(self) -> Facts:
        """Facts for working out expectations and sums; the requests for them are counted."""
        self._asked += 1
        return self._facts

    def value(self, node: t.Node) -> Value:
        """Return the value of a tree.

        Raises:
            NotationError: a name is not declared, or a form has no meaning here.
            ShapeError: matrices do not conform.
            InputError: a limit of size is reached.
        """
        # What is rewritten by equations is another value than what was read.
        what = f"value with {self._number}" if self._facts.rewrites else "value"
        return self._kept(what, node, self._start, lambda: self._simplified(self._read(node, self._start)))

    def _kept(self, what: str, node: t.Node, place: _Place, read: Callable[[], Value]) -> Value:
        """Return a number that was read before, or is read now and kept.

        What was read without a look at the facts is the same for all facts, and kept for all. Vectors and matrices
        are not kept: their entries are read later, where the indices stand.
        """
        around = _bound(place)
        for number in (_WHATEVER, self._number):
            known = self.memo.found((what, number, around, node), self.ranges)
            if isinstance(known, Expr):
                self._asked += number != _WHATEVER
                return known
        mark, asked = self.ranges.mark(), self._asked
        value = read()
        if isinstance(value, Expr):
            number = _WHATEVER if self._asked == asked else self._number
            self.memo.keep((what, number, around, node), value, self.ranges.since(mark), len(value.terms))
        return value

    def entry(self, node: t.Node) -> Entry:
        """Return the value of a tree, a vector or a matrix by its entry: those of one shape at the same indices."""
        key = ("entry", self._around, node)
        known = self.memo.found(key, self.ranges)
        if isinstance(known, Entry):
            return known
        mark = self.ranges.mark()
        value = self.value(node)
        if isinstance(value, Expr):
            return Entry((), is_row=False, value=value)
        found = Entry(value.sizes, value.is_row, value.at(*self.memo.standing(value.sizes, len(value.sizes))))
        self.memo.keep(key, found, self.ranges.since(mark), len(found.value.terms))
        return found

    def number(self, node: t.Node) -> Expr:
        """Return the same, where it must be a number."""
        return number_in(self.value(node), node)

    def text(self, text: str) -> Value:
        """Return the value of plain text."""
        return self.value(read_text(text, self.scope))

    def under(self, *names: str) -> Language:
        """Return the same, where some indices are summed over: nothing is known of them, whatever the scope says."""
        found = self.memo.standing(("under", self._around, names), len(names))
        return Language(
            self.scope, self._facts, {**self._start.indices, **dict(zip(names, found, strict=True))}, self.memo
        )

    def _simplified(self, value: Value) -> Value:
        return v.mapped(value, self.facts.apply) if self._facts.rewrites else value

    # Nodes -----------------------------------------------------------------------------------------

    def _read(self, node: t.Node, place: _Place) -> Value:
        if place.depth > _MAX_DEPTH:
            raise NotationError(f"A formula is nested more than {_MAX_DEPTH} deep.", _at(node))
        spend()
        if isinstance(node, _KEPT) and (not place.indices or place.indices is self._start.indices):
            return self._kept(f"part at {place.depth}", node, place, lambda: self._read_anew(node, place))
        return self._read_anew(node, place)

    def _read_anew(self, node: t.Node, place: _Place) -> Value:
        inner = _Place(place.indices, place.depth + 1)
        match node:
            case t.Number():
                return Expr(node.value)
            case t.Name() | t.Subscript():
                return self._named(node, inner)
            case t.Group(body) | t.Boxed(body):
                return self._read(body, inner)
            case t.Negative(body):
                return v.mapped(self._read(body, inner), lambda entry: -entry)
            case t.Transpose(body):
                found = self._read(body, inner)
                if isinstance(found, Expr) and self._may_be_power(body):
                    raise NotationError(f"{describe(node)} may be a power: write the exponent (T).", _at(node))
                return found if isinstance(found, Expr) else found.transposed
            case t.Sum(terms, operators):
                total = self._read(terms[0], inner)
                for operator, term in zip(operators, terms[1:], strict=True):
                    total = v.added(total, self._read(term, inner), 1 if operator == "+" else -1)
                return total
            case t.Product(factors, operators):
                product = self._read(factors[0], inner)
                for operator, factor in zip(operators, factors[1:], strict=True):
                    product = v.multiplied(product, self._read(factor, inner), dotted=operator == "cdot")
                return product
            case t.Division(above, below):
                divisor = number_in(self._read(below, inner), below)
                return v.mapped(self._read(above, inner), lambda entry: entry / divisor)
            case t.Power():
                return self._power(node, inner)
            case t.Root(body, degree) if degree is None:
                return Expr.sqrt(number_in(self._read(body, inner), body))
            case t.SumOver():
                return self._sum(node, inner)
            case t.Call(function, arguments):
                return self._call(function.text, arguments, inner)
            case _:
                raise _unknown(node)

    def _may_be_power(self, base: t.Node) -> bool:
        """Tell whether a number transposed may be one to the power T; a product of transposed vectors is not."""
        is_known = "T" in self.declared.keys() | self.defined.keys()
        return is_known and not any(isinstance(part, t.Transpose) for part in walk(base))

    def _power(self, node: t.Power, place: _Place) -> Value:
        exponent = number_in(self._read(node.exponent, place), node.exponent)
        if isinstance(node.base, t.Name) and node.base.text == "e":
            if "e" in self.declared.keys() | self.defined.keys():
                raise NotationError(
                    "A power of e is an exponential, and e is another name here: write exp(x).", _at(node)
                )
            return Expr.exp(exponent)
        base = self._read(node.base, place)
        if not isinstance(base, Expr):
            if exponent.rational() == -1:
                return inverse_matrix(base)
            raise NotationError(f"{describe(node)} is a power of no number.", _at(node))
        whole = exponent.rational()
        if whole is not None and whole.denominator == 1:
            return base.power(whole.numerator)
        if whole == Fraction(1, 2):
            return Expr.sqrt(base)
        return Expr.exp(exponent * Expr.log(base))

    def _sum(self, node: t.SumOver, place: _Place) -> Value:
        if node.excluded:
            raise NotationError("A sum that leaves terms out is not read here: subtract them.", _at(node))
        if not isinstance(node.lower, t.Number) or node.lower.value != 1 or node.upper is None:
            raise NotationError("A sum begins at 1 here and has an end.", _at(node))
        size = number_in(self._read(node.upper, place), node.upper)
        self.refuse_length(size)
        index = v.fresh_index()
        self.ranges.put(index, size)
        body = self._read(node.body, place.inside(node.index.text, index))
        return v.mapped(body, lambda entry: Expr.sum_over(index, size, entry))

    def refuse_length(self, size: Expr) -> None:
        """Refuse a length of a sum or a range that is not made of lengths, taken as often as whole numbers say.

        Raises:
            InputError: it is not evidently one.
        """
        if self.least_length(size) is None:
            raise InputError("The length of a sum is not evidently a whole number: declare its letters as positive.")

    def least_length(self, size: Expr) -> int | None:
        """Return the least value of a length by what is declared of its letters, None for what is not evidently one."""
        least = 0
        for term, coefficient in size.terms:
            number = coefficient.rational()
            names = [atom.name for atom, power in term.factors if power > 0 and not atom.indices and not atom.arguments]
            is_plain = term.exponent is None and not term.sizes and len(names) == len(term.factors)
            signs = {self._sign_of_length(name) for name in names}
            if number is None or number.denominator != 1 or not is_plain or (names and number < 0) or "real" in signs:
                return None
            # A length that is positive is at least 1, one that is not negative at least 0.
            least += int(number) if signs <= {"positive"} else 0
        return least if least >= 0 else None

    def _sign_of_length(self, name: str) -> str:
        """Return the sign of a letter that may stand in a length, ``real`` for another one."""
        item = self.declared.get(name)
        return "real" if item is None or item.sizes or item.random else item.sign

    # Names -----------------------------------------------------------------------------------------

    def _named(self, node: t.Name | t.Subscript, place: _Place) -> Value:
        name = plain_name(node)
        if isinstance(node, t.Name) and name in place.indices:
            raise NotationError(f"{name} is an index here, and no number: take another letter.", _at(node))
        if name is not None and name in self.declared:
            return self._whole(self.declared[name])
        if name is not None and name in self.defined:
            return self._abbreviated(self.defined[name], (), place)
        if name == PI:
            return Expr.scalar(PI)
        if not isinstance(node, t.Subscript):
            raise _unknown(node)
        base = plain_name(node.base)
        if base == "delta" and base not in self.declared:
            joined = self._indices(node, 2, place)
            if len(joined) != 2:
                raise NotationError("delta has two indices.", _at(node))
            first, second = joined
            self.ranges.join(first, second, self.scope.fixed)
            return Expr.delta(first, second)
        if base in self.declared:
            whole = self._whole(self.declared[base])
            if isinstance(whole, Expr):
                raise NotationError(f"{base} is a number and has no indices.", _at(node))
            return _part(whole, self._indices(node, len(whole.sizes), place), node)
        if base in self.defined:
            found = self.defined[base]
            return self._abbreviated(found, self._indices(node, len(found.indices), place), place)
        inner = self._read(node.base, place)
        if isinstance(inner, Expr):
            raise _unknown(node)
        return _part(inner, self._indices(node, len(inner.sizes), place), node)

    def _whole(self, item: Declared) -> Value:
        sizes = tuple(self.size(size) for size in item.sizes)
        if not sizes:
            return Expr.scalar(item.name)

        def at(*indices: Index) -> Expr:
            self._ranged(indices, sizes)
            return Expr.entry(item.name, *indices)

        return Tensor(sizes, at)

    def _ranged(self, indices: tuple[Index, ...], sizes: tuple[Expr, ...]) -> None:
        """Note how far indices run, and refuse one that runs to two lengths."""
        for index, size in zip(indices, sizes, strict=True):
            self.ranges.put(index, size, is_certain=ix.root(index)[-1] in self.scope.fixed)

    def _abbreviated(self, item: Defined, indices: tuple[Index, ...], place: _Place) -> Value:
        body = read_text(item.body, self.scope)
        deeper = place.depth + 1
        sizes = tuple(self.size(size) for size in item.sizes)

        def at(*own: Index) -> Expr:
            self._ranged(own, sizes)
            inside = dict(zip(item.indices, own, strict=True))
            return number_in(self._read(body, _Place(inside, deeper)), body)

        if not item.indices:
            return self._read(body, _Place({}, deeper))
        return _part(Tensor(sizes, at), indices, body)

    def size(self, text: str) -> Expr:
        """Return a length that is declared, from its text."""
        node = read_text(text, self.scope)
        return number_in(self._kept("size", node, _NOWHERE, lambda: self._read(node, _NOWHERE)), t.Name(text))

    def _indices(self, node: t.Subscript, rank: int, place: _Place) -> tuple[Index, ...]:
        return tuple(self._index(item, place) for item in split_indices(node.indices, rank))

    def _index(self, node: t.Node, place: _Place) -> Index:
        match node:
            case t.Number(text):
                return ix.fixed(text)
            case t.Name(text):
                if text in place.indices:
                    return place.indices[text]
                return ix.fixed(text) if text in self.scope.fixed else ix.free(text)
            case t.Product((t.Name(name), t.Group(inner)), _) | t.Call(t.Name(name), (inner,)) if (
                name in self.scope.permutations
            ):
                return ix.moved(name, self._index(inner, place))
            case t.Group(inner):
                return self._index(inner, place)
            case _:
                raise NotationError(f"{describe(node)} is not an index.", _at(node))

    # Functions -------------------------------------------------------------------------------------

    def _call(self, name: str, arguments: tuple[t.Node, ...], place: _Place) -> Value:
        if name == "diff" and len(arguments) == 2:
            body, variable = self._read(arguments[0], place), self._differential(arguments[1], place)
            return v.mapped(body, lambda entry: self._slope(entry, variable))
        if name == "lim" and len(arguments) == 3:
            return self._limit(arguments, place)
        found = [self._read(argument, place) for argument in arguments]
        if name in {MEAN, "Var", "Cov"}:
            return self._moment(name, found, arguments)
        if len(found) == 1 and name in OF_TENSORS:
            return OF_TENSORS[name](found[0], arguments[0])
        numbers = [number_in(value, node) for value, node in zip(found, arguments, strict=True)]
        if len(numbers) == 1 and name in {"log", "ln"}:
            return logarithm(numbers[0], {item.name for item in self.scope.declared if item.sign == "positive"})
        if len(numbers) == 1 and name in OF_NUMBERS:
            return OF_NUMBERS[name](numbers[0])
        if name in ELEMENTARY or name in self.scope.functions:
            return Expr.function(name, *numbers)
        raise NotationError(f"{name} is not a function of this proof.", _at(arguments[0]))

    def variable(self, node: t.Node) -> Atom[Expr]:
        """Return the number or the entry that a derivative is taken by.

        Raises:
            InputError: it is something else, a length, or tied to others by a hypothesis.
        """
        return self._differential(node, self._start)

    def _differential(self, node: t.Node, place: _Place) -> Atom[Expr]:
        variable = _variable(number_in(self._read(node, place), node))
        if self.facts.ties(variable.name):
            raise InputError(f"A hypothesis of the step ties {variable.name}: no derivative is taken by it there.")
        if self._is_length(variable.name):
            raise InputError(f"{variable.name} is a length, a whole number: no derivative is taken by it.")
        return variable

    def _slope(self, entry: Expr, variable: Atom[Expr]) -> Expr:
        """Return the derivative, which has to come out without that of a function of which nothing is known."""
        self.refuse_tied(entry, variable.name)
        found = self.facts.apply(derivative(entry, variable))
        for name in found.names:
            base, prime, _ = name.partition("'")
            if prime and base in self.scope.functions:
                raise InputError(f"Whether {base} has a derivative is not known: define it.")
        return found

    def refuse_tied(self, value: Expr, name: str) -> None:
        """Refuse a variable on which, by a hypothesis of the scope, something else in the value depends."""
        refuse_tied(self.ties, value, name)

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """The hypotheses of the scope that tie quantities to each other."""

        def names_in(text: str) -> frozenset[str]:
            # The indices of one hypothesis run to other lengths than those of another.
            return v.an_entry(Language(self.scope, Facts(), memo=self.memo).text(text)).names

        return ties(self.scope, names_in)

    def _is_length(self, name: str) -> bool:
        """Tell whether a letter is in a length that is declared, or in that of a sum that was read."""
        return name in self.lengths or any(name in size.names for size in self.ranges.lengths)

    @cached_property
    def lengths(self) -> frozenset[str]:
        """The letters in the lengths of what is declared and defined."""
        declared = [size for item in self.scope.declared for size in item.sizes]
        defined = [size for item in self.scope.defined for size in item.sizes]
        return frozenset(name for size in (*declared, *defined) for name in self.size(size).names)

    def _limit(self, arguments: tuple[t.Node, ...], place: _Place) -> Value:
        """Evaluate ``lim(beta, oo, x)``: at infinity (``oo``, ``-oo``), or at a number."""
        scalar, target, body = arguments
        atom = _variable(number_in(self._read(scalar, place), scalar))
        point: Expr | None = None
        is_negative = isinstance(target, t.Negative)
        inner = target.body if isinstance(target, t.Negative) else target
        if not (isinstance(inner, t.Name) and inner.text == INFINITY):
            point, is_negative = number_in(self._read(target, place), target), False
        signs = Signs.of(self.scope)
        known = signs.atoms.get(atom.name)
        if atom.indices or self.facts.ties(atom.name):
            raise InputError("A limit is taken by a number with a name that no hypothesis of the step ties.")
        if known is not None and (is_negative or (point is not None and signs.of_expr(point) not in {"+", "0+", "0"})):
            raise InputError(f"{atom.name} is not negative: it does not go there.")
        value = v.mapped(self._read(body, place), self.facts.apply)
        if point is not None and self._is_length(atom.name):
            raise InputError(f"{atom.name} is a length, a whole number: it goes to no point.")

        def limit_of(entry: Expr) -> Expr:
            self.refuse_tied(entry, atom.name)
            return limit(entry, atom.name, point, signs, negative=is_negative)

        return v.mapped(value, limit_of)

    def _moment(self, name: str, found: list[Value], arguments: tuple[t.Node, ...]) -> Value:
        if name == MEAN and len(found) == 1:
            return v.mapped(found[0], self._mean)
        if name == MEAN and len(found) == 2:
            return v.mapped(found[0], lambda entry: self._mean(entry, self.given(arguments[1])))
        numbers = [number_in(value, node) for value, node in zip(found, arguments, strict=True)]
        if len(numbers) not in {1, 2} or (name == "Var") != (len(numbers) == 1):
            raise NotationError(f"{name} has another number of arguments.", _at(arguments[0]))
        first, second = numbers[0], numbers[-1]
        return self._mean(first * second) - self._mean(first) * self._mean(second)

    def _mean(self, entry: Expr, given: frozenset[str] = frozenset()) -> Expr:
        """Return the expectation; given some families, that of the others, which must be independent of them."""
        simplified = self.facts.apply(entry)
        moving = frozenset(atom.name for atom in simplified.atoms()) & (self.random - given)
        if given and not self.facts.are_independent(moving | given):
            return Expr.function(f"{MEAN}|{','.join(sorted(given))}", simplified)
        return expectation(simplified, self.random - given, self.facts.moments)

    def given(self, node: t.Node) -> frozenset[str]:
        """Return the random quantities that a conditional mean is given.

        Raises:
            NotationError: one of them is not random.
        """
        items = node.items if isinstance(node, t.Vector) else (node,)
        names = frozenset(plain_name(item) or "" for item in items)
        if not names <= self.random:
            raise NotationError(f"{describe(node)} is not a random quantity to condition on.", _at(node))
        return names


def plain_name(node: t.Node) -> str | None:
    """Return the name of a name, an index of letters or digits included: ``sigma_q``, ``k_1``.

    >>> plain_name(t.Subscript(t.Name("W"), (t.Name("Q"),)))
    'W_Q'
    """
    match node:
        case t.Name(text):
            return text
        case t.Subscript(t.Name(text), (t.Name(index) | t.Number(index),)):
            return f"{text}_{index}"
        case t.Group(inner):
            return plain_name(inner)
        case _:
            return None


def _part(whole: Tensor, indices: tuple[Index, ...], node: t.Node) -> Value:
    rank = len(whole.sizes)
    if not indices:
        return whole
    if len(indices) == rank:
        return whole.at(*indices)
    if len(indices) == 1 and rank == 2:
        (row,) = indices
        return Tensor((whole.sizes[1],), lambda column: whole.at(row, column))
    raise NotationError(f"{describe(node)} has {len(indices)} indices, not {rank}.", _at(node))


def split_indices(items: tuple[t.Node, ...], rank: int) -> tuple[t.Node, ...]:
    """Split ``ij`` and ``12`` into two indices where two are wanted; ``pi(i)`` is one.

    >>> one, other = split_indices((t.Product((t.Name("i"), t.Name("j")), ("",)),), 2)
    >>> len(split_indices((t.Product((t.Name("pi"), t.Group(t.Name("i"))), ("",)),), 2))
    1
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


def _variable(by: Expr) -> Atom[Expr]:
    if len(by.terms) == 1:
        term, c = by.terms[0]
        if term.exponent is None and not term.sizes and c.rational() == 1 and len(term.factors) == 1:
            (atom, power) = term.factors[0]
            if power == 1 and not atom.arguments and atom.name != PI:
                return atom
    raise InputError("A derivative is taken by a number or by an entry with a name.")


_NOWHERE = _Place({})
_KEPT = (t.SumOver, t.Call, t.Division, t.Power)
"""Parts of formulas that are worth keeping where they stand under no index of a sum."""


def _at(node: t.Node) -> int:
    return node.span[0] if node.span is not None else 0


def _unknown(node: t.Node) -> NotationError:
    return NotationError(f"{describe(node)} means nothing here: it is neither declared nor defined.", _at(node))
