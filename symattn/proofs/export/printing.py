"""Terms in Coq's syntax. Every name is mangled, so that none of a record means anything else in Coq."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from symattn.proofs.export.terms import (
    Add,
    Chance,
    Delta,
    Diff,
    Div,
    Entry,
    Fn,
    Index,
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
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*|[0-9]+")
_FUNCTIONS = {"abs": "Rabs"}


def mangled(kind: str, name: str) -> str:
    """Return the name of a quantity (``v``), definition (``d``), index (``i``), length (``n``) and so on in Coq."""
    if not _NAME.fullmatch(name):
        raise NotExportedError(f"The name {name} has characters that are not exported.")
    return f"{kind}_{name}"


def length(size: str) -> str:
    """Return a length in Coq."""
    return size if size.isdigit() else mangled("n", size)


def index(item: Index) -> str:
    """Return an index in Coq."""
    if not item.size:
        raise NotExportedError(f"The index {item.name} has no range.")
    found = f"{mangled('f', item.name)}_{item.size}" if item.is_fixed else mangled("i", item.name)
    for move in reversed(item.moves):
        found = f"({mangled('p', move)} {found})"
    return found


def binder(item: Index) -> str:
    """Return an index with its type in Coq."""
    return f"({index(item)} : ix {length(item.size)})"


def number(value: Fraction) -> str:
    """Return a rational number in Coq."""
    whole = str(value.numerator) if value.numerator >= 0 else f"(-{-value.numerator})"
    return whole if value.denominator == 1 else f"({whole} / {value.denominator})"


class Printer:
    """Writer of terms.

    Args:
        arguments: the declared names that a definition takes, by its name.
        random: the names of random quantities.
    """

    def __init__(self, arguments: Callable[[str], tuple[str, ...]], random: Iterable[str] = ()) -> None:
        self._arguments = arguments
        self.outcome = {name: f"({mangled('r', name)} w_)" for name in random}

    def text(self, term: Term, moving: Mapping[str, str] | None = None) -> str:
        """Return a term in Coq; `moving` names what stands in the place of declared quantities."""
        given = moving or {}

        def say(part: Term) -> str:
            return self.text(part, given)

        match term:
            case Num(value):
                return number(value)
            case Size(name):
                return f"(INR {length(name)})"
            case Entry(name, indices):
                return _applied([given.get(name, mangled("v", name)), *map(index, indices)])
            case Use(name, indices):
                own = [given.get(item, mangled("v", item)) for item in self._arguments(name)]
                return _applied([mangled("d", name), *own, *map(index, indices)])
            case Sum(bound, body):
                return f"(sum {length(bound.size)} (fun {binder(bound)} => {say(body)}))"
            case Delta(first, second):
                return f"(delta {index(first)} {index(second)})"
            case Add(left, Neg(right)):
                return f"({say(left)} - {say(right)})"
            case Add(left, right):
                return f"({say(left)} + {say(right)})"
            case Mul(left, right):
                return f"({say(left)} * {say(right)})"
            case Div(left, right):
                return f"({say(left)} / {say(right)})"
            case Neg(body):
                return f"(- {say(body)})"
            case Pow(body, exponent):
                return f"({say(body)} ^ {exponent})"
            case Pi():
                return "PI"
            case Chance(name, bodies, points):
                inside = {**given, **self.outcome}
                numbers = [f"(fun w_ => {self.text(body, inside)})" for body in bodies]
                return _applied([name, "P_", *numbers, *map(say, points)])
            case Fn(name, body):
                word = mangled("g", name[1:]) if name.startswith("@") else _FUNCTIONS.get(name, name)
                return f"({word} {say(body)})"
        raise NotExportedError(f"{type(term).__name__} stands where a number without limits is wanted.")

    def moved(self, variable: Entry, value: str) -> dict[str, str]:
        """Return what stands in the place of a quantity of which one entry moves."""
        name = mangled("v", variable.name)
        if not variable.indices:
            return {variable.name: value}
        rank = len(variable.indices)
        places = " ".join(map(index, variable.indices))
        return {variable.name: f"(upd{rank if rank > 1 else ''} {name} {places} {value})"}

    def derivative(self, term: Diff) -> str:
        """Return the function of one number whose derivative is taken, and the place, in Coq."""
        moving = self.moved(term.variable, "t_")
        return f"(fun t_ => {self.text(term.body, moving)}) {self.text(term.variable)}"


def _applied(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"({' '.join(words)})"
