"""Names of one record: its formulas become terms, entry by entry, and definitions are opened."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection
from fractions import Fraction
from functools import cache, partial
from typing import TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.proofs.export.printing import Printer
from symattn.proofs.export.terms import (
    ONE,
    ZERO,
    Add,
    Chance,
    Delta,
    Diff,
    Div,
    Entry,
    Fn,
    Index,
    Lim,
    Mul,
    Neg,
    NotExportedError,
    Num,
    Pi,
    Pow,
    Size,
    Sum,
    Term,
    Use,
    free_indices,
    rebuilt,
    walk,
    with_indices,
)
from symattn.proofs.language.interpretation import plain_name, read_text, split_indices
from symattn.proofs.language.scope import Declared, Defined, Scope
from symattn.records import dataclass

_FUNCTIONS = {name: name for name in ("exp", "ln", "sqrt", "sin", "cos", "tanh", "abs", "erf", "Phi")} | {"log": "ln"}
_CHANCES = {("E", 1): "mean", ("Var", 1): "variance", ("Cov", 2): "covariance", ("cdf", 2): "cdf"}
"""What Coq calls a number that random numbers have, by its name and number of arguments in records."""
_OWN = re.compile("[BKSU][0-9]+")
_MAX_POWER = 12
_ROUNDS = 2
"""Formulas are read twice: the first time to learn how far each letter runs."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A vector or a matrix: its sizes, the entry at indices, and whether a vector stands as a row."""

    sizes: tuple[str, ...]
    at: Callable[..., Term]
    is_row: bool = False


Value: TypeAlias = Term | Tensor
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a relation at one entry, and the indices of the entry where the sides are vectors."""

    left: Term
    relation: str
    right: Term


class Elaborator:
    """Reader of the formulas of one scope.

    Args:
        scope: the names of the record.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.declared = {item.name: item for item in scope.declared}
        self.defined = {item.name: item for item in scope.defined}
        self.lengths = frozenset(size for item in scope.items for size in item.sizes if not size.isdigit())
        self._fresh = itertools.count()
        self._ranges: dict[str, str] = {}
        self._joined: list[tuple[str, str]] = []

    # Entry points ----------------------------------------------------------------------------------

    def term(self, text: str, ranges: dict[str, str] | None = None) -> Term:
        """Return a number from its text; the ranges of letters may be given.

        Raises:
            NotExportedError: it holds a form that the export does not know.
        """
        return self._twice(lambda: self._number(read_text(text, self.scope), {}), ranges or {})

    def relation(self, text: str) -> Sides:
        """Return a relation of two sides from its text."""

        def read() -> Sides:
            node = read_text(text, self.scope)
            if not isinstance(node, t.Relation) or len(node.sides) != 2 or None in node.sides:
                raise NotExportedError(f"{text} is not a relation of two sides.")
            left, right = (self._number(side, {}) for side in node.sides if side is not None)
            return Sides(left, node.operators[0], right)

        return self._twice(read, {})

    def sides(self, left: str, relation: str, right: str) -> Sides:
        """Return the sides of a step or a claim; vectors and matrices at the indices ``row`` and ``column``."""

        def read() -> Sides:
            one, other = (self._value(read_text(text, self.scope), {}) for text in (left, right))
            if isinstance(one, Tensor) and isinstance(other, Tensor):
                if one.sizes != other.sizes or one.is_row != other.is_row:
                    raise NotExportedError(f"{left} and {right} have different shapes.")
                places = [Index(name, size) for name, size in zip(("row", "column", "layer"), one.sizes, strict=False)]
                return Sides(one.at(*places), relation, other.at(*places))
            if isinstance(one, Tensor) or isinstance(other, Tensor):
                raise NotExportedError(f"{left} and {right} have different shapes.")
            return Sides(one, relation, other)

        return self._twice(read, {})

    def body(self, name: str) -> tuple[tuple[Index, ...], Term]:
        """Return the own indices of a definition, and its body."""
        item = self.defined[name]
        if len(item.indices) != len(item.sizes):
            raise NotExportedError(f"{name} has {len(item.indices)} indices and {len(item.sizes)} ranges.")
        own = tuple(Index(index, size) for index, size in zip(item.indices, item.sizes, strict=True))
        found = self.term(item.body, dict(zip(item.indices, item.sizes, strict=True)))
        if any(isinstance(part, Chance) for part in walk(found)):
            raise NotExportedError(f"{name} is a mean or a probability, which the export does not define.")
        return own, found

    def _twice(self, read: Callable[[], _Found], ranges: dict[str, str]) -> _Found:
        self._ranges, self._joined = dict(ranges), []
        for _ in range(_ROUNDS):
            try:
                found = read()
            except NotExportedError:
                raise
            except InputError as error:
                raise NotExportedError(str(error)) from error
            for one, other in (*self._joined, *reversed(self._joined)):
                for first, second in ((one, other), (other, one)):
                    if first in self._ranges:
                        self._run(second, self._ranges[first])
        return found

    # Indices ---------------------------------------------------------------------------------------

    def _run(self, name: str, size: str) -> None:
        if self._ranges.setdefault(name, size) != size:
            raise NotExportedError(f"The index {name} runs to {size} and to {self._ranges[name]}.")

    def _placed(self, index: Index, size: str) -> Index:
        """Return an index with the range of the place that it stands in."""
        if not index.is_fixed:
            self._run(index.name, size)
        elif index.name.isdigit() and not self._is_value(index.name, size):
            raise NotExportedError(f"That {index.name} is a value of a range of length {size} is not known.")
        return Index(index.name, size, index.moves, index.is_fixed)

    def _is_value(self, name: str, size: str) -> bool:
        """Return whether a numeral is a value of a range: within a number, 1, or one that the scope fixes."""
        if size.isdigit():
            return 1 <= int(name) <= int(size)
        return name == "1" or (name != "0" and name in self.scope.fixed)

    def _index(self, node: t.Node, bound: dict[str, Index]) -> Index:
        match node:
            case t.Number(text):
                return Index(text, "", (), is_fixed=True)
            case t.Name(text) if text in bound:
                return bound[text]
            case t.Name(text) if _OWN.fullmatch(text):
                raise NotExportedError(f"The index {text} has a name that the export uses itself.")
            case t.Name(text):
                return Index(text, self._ranges.get(text, ""), (), text in self.scope.fixed)
            case t.Group(inner):
                return self._index(inner, bound)
            case t.Product((t.Name(name), t.Group(inner)), _) | t.Call(t.Name(name), (inner,)):
                if name in self.scope.permutations:
                    found = self._index(inner, bound)
                    return Index(found.name, found.size, (name, *found.moves), found.is_fixed)
        raise NotExportedError(f"{describe(node)} is not an index.")

    def _indices(self, node: t.Subscript, rank: int, bound: dict[str, Index]) -> tuple[Index, ...]:
        return tuple(self._index(item, bound) for item in split_indices(node.indices, rank))

    def _delta(self, node: t.Subscript, bound: dict[str, Index]) -> Term:
        indices = self._indices(node, 2, bound)
        if len(indices) != 2:
            raise NotExportedError("delta has two indices.")
        first, second = indices
        if first.is_fixed and second.is_fixed:
            return ONE if first.name == second.name else ZERO
        if not first.is_fixed and not second.is_fixed:
            self._joined.append((first.name, second.name))
        size = first.size or second.size
        if size:
            first, second = self._placed(first, size), self._placed(second, size)
        return Delta(first, second)

    # Values ----------------------------------------------------------------------------------------

    def _number(self, node: t.Node, bound: dict[str, Index]) -> Term:
        found = self._value(node, bound)
        if isinstance(found, Tensor):
            raise NotExportedError(f"{describe(node)} is not a number.")
        return found

    def _value(self, node: t.Node, bound: dict[str, Index]) -> Value:
        match node:
            case t.Number():
                return Num(node.value)
            case t.Name() | t.Subscript():
                return self._named(node, bound)
            case t.Group(body):
                return self._value(body, bound)
            case t.Negative(body):
                return _mapped(self._value(body, bound), Neg)
            case t.Transpose(body):
                return _transposed(self._value(body, bound))
            case t.Sum(terms, operators):
                total = self._value(terms[0], bound)
                for operator, item in zip(operators, terms[1:], strict=True):
                    right = self._value(item, bound)
                    total = _joined(total, right if operator == "+" else _mapped(right, Neg))
                return total
            case t.Product(factors, operators):
                result = self._value(factors[0], bound)
                for operator, item in zip(operators, factors[1:], strict=True):
                    result = self._times(result, self._value(item, bound), dotted=operator == "cdot")
                return result
            case t.Division(above, below):
                divisor = self._number(below, bound)
                return _mapped(self._value(above, bound), lambda entry: Div(entry, divisor))
            case t.Power():
                return self._power(node, bound)
            case t.Root(body, None):
                return Fn("sqrt", self._number(body, bound))
            case t.SumOver():
                return self._sum(node, bound)
            case t.Call(function, arguments):
                return self._call(function.text, arguments, bound)
        raise NotExportedError(f"{describe(node)} is not exported.")

    def _named(self, node: t.Name | t.Subscript, bound: dict[str, Index]) -> Value:
        name = plain_name(node)
        if isinstance(node, t.Name) and node.text in bound:
            raise NotExportedError(f"{node.text} is an index here, and no number.")
        if name is not None and name in self.declared | self.defined:
            return self._whole(name)
        if name == "pi":
            return Pi()
        if isinstance(node, t.Subscript):
            base = plain_name(node.base)
            if base == "delta" and base not in self.declared:
                return self._delta(node, bound)
            whole = self._whole(base) if base in self.declared | self.defined else self._value(node.base, bound)
            if isinstance(whole, Tensor):
                return self._part(whole, self._indices(node, len(whole.sizes), bound))
        raise NotExportedError(f"{describe(node)} is not exported.")

    def _whole(self, name: str | None) -> Value:
        item = self.declared.get(name or "") or self.defined[name or ""]
        if name in self.lengths:
            if item not in self.scope.declared or self.declared[item.name].sign != "positive":
                raise NotExportedError(f"The length {name} is not declared positive.")
            return Size(item.name)
        make = Entry if name in self.declared else Use
        if not item.sizes:
            return make(item.name)
        return Tensor(item.sizes, lambda *indices: make(item.name, self._at(indices, item.sizes)))

    def _at(self, indices: tuple[Index, ...], sizes: tuple[str, ...]) -> tuple[Index, ...]:
        return tuple(self._placed(index, size) for index, size in zip(indices, sizes, strict=True))

    def _part(self, whole: Tensor, indices: tuple[Index, ...]) -> Value:
        missing = len(whole.sizes) - len(indices)
        indices = self._at(indices, whole.sizes[: len(indices)])
        if missing == 0:
            return whole.at(*indices)
        if missing == 1:
            return Tensor(whole.sizes[-1:], lambda last: whole.at(*indices, last))
        raise NotExportedError("A part of a value has too few indices.")

    def _length(self, node: t.Node | None) -> str:
        name = plain_name(node) if node is not None else None
        if isinstance(node, t.Number) and node.text.isdigit() and node.text != "0":
            return node.text
        if name in self.lengths and self.declared[name].sign == "positive":
            return name
        raise NotExportedError("The length of a sum is not a length of the scope.")

    def _new(self, size: str) -> Index:
        """Return an index that occurs nowhere else."""
        index = Index(f"K{next(self._fresh)}", size)
        self._ranges[index.name] = size
        return index

    def _sum(self, node: t.SumOver, bound: dict[str, Index]) -> Value:
        if node.excluded or not isinstance(node.lower, t.Number) or node.lower.value != 1:
            raise NotExportedError("A sum begins at 1 and leaves nothing out.")
        index = self._new(self._length(node.upper))
        inside = {**bound, node.index.text: index}
        return _mapped(self._value(node.body, inside), lambda body: Sum(index, body))

    def _contracted(self, size: str, make: Callable[[Index], Term]) -> Term:
        index = self._new(size)
        return Sum(index, make(index))

    def _times(self, left: Value, right: Value, *, dotted: bool) -> Value:
        if not isinstance(left, Tensor):
            return _mapped(right, lambda entry: Mul(left, entry))
        if not isinstance(right, Tensor):
            return _mapped(left, lambda entry: Mul(entry, right))
        ranks = len(left.sizes), len(right.sizes)
        is_row = left.is_row or (dotted and ranks == (1, 1))
        if ranks == (1, 1) and not is_row and right.is_row:
            return Tensor((*left.sizes, *right.sizes), lambda i, j: Mul(left.at(i), right.at(j)))
        if (ranks[0] == 1 and not is_row) or (ranks[1] == 1 and right.is_row) or left.sizes[-1] != right.sizes[0]:
            raise NotExportedError("A product does not conform.")
        summed = partial(self._contracted, left.sizes[-1])
        match ranks:
            case (1, 1):
                return summed(lambda c: Mul(left.at(c), right.at(c)))
            case (1, 2):
                return Tensor(right.sizes[1:], lambda j: summed(lambda c: Mul(left.at(c), right.at(c, j))), is_row=True)
            case (2, 1):
                return Tensor(left.sizes[:1], lambda i: summed(lambda c: Mul(left.at(i, c), right.at(c))))
            case (2, 2):
                sizes = left.sizes[0], right.sizes[1]
                return Tensor(sizes, lambda i, j: summed(lambda c: Mul(left.at(i, c), right.at(c, j))))
        raise NotExportedError("A product of this rank is not exported.")

    def _power(self, node: t.Power, bound: dict[str, Index]) -> Term:
        exponent = self._number(node.exponent, bound)
        if isinstance(node.base, t.Name) and node.base.text == "e":
            if "e" in self.declared | self.defined:
                raise NotExportedError("A power of e is an exponential, and e is another name here.")
            return Fn("exp", exponent)
        base = self._number(node.base, bound)
        match exponent:
            case Num(value) if value.denominator == 1 and 0 <= value <= _MAX_POWER:
                return Pow(base, int(value))
            case Neg(Num(value)) if value.denominator == 1 and 0 < value <= _MAX_POWER:
                return Div(ONE, base if value == 1 else Pow(base, int(value)))
            case Div(Num(one), Num(two)) if Fraction(one, two) == Fraction(1, 2):
                return Fn("sqrt", base)
        raise NotExportedError(f"The power {describe(node)} is not exported.")

    # Functions -------------------------------------------------------------------------------------

    def _call(self, name: str, arguments: tuple[t.Node, ...], bound: dict[str, Index]) -> Value:
        if name == "diff" and len(arguments) == 2:
            variable = self._number(arguments[1], bound)
            if not isinstance(variable, Entry):
                raise NotExportedError("A derivative is taken by a declared number.")
            return _mapped(
                self._value(arguments[0], bound), lambda entry: Diff(_without_index(entry, variable), variable)
            )
        if name == "lim" and len(arguments) == 3:
            return self._limit(arguments, bound)
        if (name, len(arguments)) in _CHANCES and name not in self.declared | self.defined:
            numbers = tuple(self._number(argument, bound) for argument in arguments)
            count = 2 if name == "Cov" else 1
            return Chance(_CHANCES[name, len(arguments)], numbers[:count], numbers[count:])
        if name in _FUNCTIONS and len(arguments) == 1:
            return Fn(_FUNCTIONS[name], self._number(arguments[0], bound))
        if name in self.scope.functions and len(arguments) == 1:
            return Fn(f"@{name}", self._number(arguments[0], bound))
        if name in {"norm", "diag", "softmax"} and len(arguments) == 1:
            found = self._value(arguments[0], bound)
            if isinstance(found, Tensor):
                return self._of_tensor(name, found)
        raise NotExportedError(f"{name} is not exported.")

    def _of_tensor(self, name: str, found: Tensor) -> Value:
        if name == "softmax":

            def weight(*indices: Index) -> Term:
                total = self._contracted(found.sizes[-1], lambda c: Fn("exp", found.at(*indices[:-1], c)))
                return Div(Fn("exp", found.at(*indices)), total)

            return Tensor(found.sizes, weight, found.is_row)
        if len(found.sizes) != 1:
            raise NotExportedError(f"{name} of a matrix is not exported.")
        size = found.sizes[0]
        if name == "norm":
            return Fn("sqrt", self._contracted(size, lambda c: Mul(found.at(c), found.at(c))))
        return Tensor((size, size), lambda i, j: Mul(found.at(i), Delta(self._placed(i, size), self._placed(j, size))))

    def _limit(self, arguments: tuple[t.Node, ...], bound: dict[str, Index]) -> Value:
        variable = self._number(arguments[0], bound)
        if not isinstance(variable, Entry) or variable.indices:
            raise NotExportedError("A limit is taken in a declared number.")
        match arguments[1]:
            case t.Name("oo"):
                target: Term | str = "oo"
            case t.Negative(t.Name("oo")):
                target = "-oo"
            case point:
                target = self._number(point, bound)
                if variable in walk(target):
                    raise NotExportedError("A limit is taken at a point that moves.")
        sign = self.declared[variable.name].sign
        if sign != "real" and (target == "-oo" or (not isinstance(target, str) and target != ZERO)):
            raise NotExportedError(f"{variable.name} goes to a point that is not exported.")
        one_sided = sign != "real" and target == ZERO
        return _mapped(
            self._value(arguments[2], bound),
            lambda entry: Lim(variable, target, _without_index(entry, variable), one_sided),
        )


def _without_index(term: Term, variable: Entry) -> Term:
    """Return a term, unless the letter by which it moves is an index in it as well."""
    if variable.name in {index.name for index in free_indices(term)}:
        raise NotExportedError(f"{variable.name} is a number that moves, and an index.")
    return term


def _mapped(value: Value, change: Callable[[Term], Term]) -> Value:
    if isinstance(value, Tensor):
        return Tensor(value.sizes, lambda *indices: change(value.at(*indices)), value.is_row)
    return change(value)


def _transposed(value: Value) -> Value:
    if not isinstance(value, Tensor):
        raise NotExportedError("The transpose of a number is not exported.")
    if len(value.sizes) == 1:
        return Tensor(value.sizes, value.at, not value.is_row)
    return Tensor(value.sizes[::-1], lambda i, j: value.at(j, i))


def _joined(left: Value, right: Value) -> Value:
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if left.sizes != right.sizes or left.is_row != right.is_row:
            raise NotExportedError("A sum of two shapes.")
        return Tensor(left.sizes, lambda *indices: Add(left.at(*indices), right.at(*indices)), left.is_row)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        raise NotExportedError("A sum of a number and a vector.")
    return Add(left, right)


_BOUNDS = {"at-most", "positive", "nonzero", "whole", "positions", "definite"}


class Names:
    """The names of a scope with their meanings as terms.

    Args:
        scope: the names of the record.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.elaborator = Elaborator(scope)
        self._fresh = itertools.count(1)
        self._items = {item.name: item for item in scope.items}
        self.body = cache(self.elaborator.body)
        self.arguments = cache(self._arguments)
        self.printer = Printer(self.arguments, [item.name for item in scope.declared if item.random])

    def item(self, name: str) -> Declared | Defined:
        """Return what a name of the scope is declared or defined as."""
        if name not in self._items:
            raise NotExportedError(f"{name} is neither declared nor defined.")
        return self._items[name]

    def _arguments(self, name: str) -> tuple[str, ...]:
        """Return the declared quantities that a definition depends on, in the order of the scope."""
        found = self.reached(self.body(name)[1])
        return tuple(item.name for item in self.scope.declared if item.name in found)

    def reached(self, term: Term) -> frozenset[str]:
        """Return the declared quantities that a term comes to."""
        found = set[str]()
        for part in walk(term):
            match part:
                case Entry(name):
                    found.add(name)
                case Use(name):
                    found.update(self.arguments(name))
        return frozenset(found)

    def unfolded(self, term: Term, letters: Collection[str] = ()) -> Term:
        """Return a term with definitions opened, every bound index a new one.

        Args:
            term: the term.
            letters: definitions that stay names.
        """

        def opened(part: Term) -> Term:
            return self.unfolded(part, letters)

        match term:
            case Use(name, indices) if name not in letters:
                own, body = self.body(name)
                return with_indices(opened(body), dict(zip(own, indices, strict=True)))
            case Sum(index, body):
                new = Index(f"B{next(self._fresh)}", index.size)
                return Sum(new, opened(with_indices(body, {index: new})))
            case _:
                return rebuilt(term, opened)

    def refuse_tied(self, term: Term) -> None:
        """Refuse a derivative or a limit by a quantity that a hypothesis ties to others in the term.

        Raises:
            NotExportedError: it names the quantity and the hypothesis.
        """
        for part in walk(term):
            if not isinstance(part, Diff | Lim):
                continue
            reached = self.reached(part.body)
            for item in self.scope.hypotheses:
                texts = (*item.values, *item.about) if isinstance(part, Lim) and item.kind in _BOUNDS else ()
                if part.variable.name in {name for text in texts for name in self._names_in(text)}:
                    raise NotExportedError(f"{item.id} is about {part.variable.name}, which moves in a limit.")
                if item.kind not in {"equal", "total", "dot-products"}:
                    continue
                said = frozenset(name for text in item.values for name in self._names_in(text))
                tied = frozenset(item.about) if part.variable.name in said else said
                if part.variable.name in said | set(item.about) and reached & tied - {part.variable.name}:
                    raise NotExportedError(f"{item.id} ties what {part.variable.name} moves.")
            if reached & self._moved_along(part.variable.name):
                raise NotExportedError(f"Hypotheses tie what {part.variable.name} moves.")

    def _moved_along(self, name: str) -> frozenset[str]:
        """Return the other quantities that equations of hypotheses move with a quantity, one after the other."""
        found = {name}
        equations = [
            (set(item.about), {other for text in item.values for other in self._names_written(text)})
            for item in self.scope.hypotheses
            if item.kind == "equal"
        ]
        for _ in equations:
            for about, said in equations:
                if said & found:
                    found |= about
                elif about & (found - {name}):
                    found |= said
        return frozenset(found - {name})

    def _names_in(self, text: str) -> frozenset[str]:
        """Return the quantities that a text comes to; one that is not a number, all that stand in it."""
        try:
            return self.reached(self.elaborator.term(text))
        except NotExportedError:
            return self._names_written(text) & self.elaborator.declared.keys()

    def _names_written(self, text: str) -> frozenset[str]:
        """Return the quantities whose names stand in a text, and those that its definitions depend on."""
        written = {name for name in self._items if re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", text)}
        below = (self.arguments(name) for name in written & self.elaborator.defined.keys())
        return frozenset(written).union(*below)
