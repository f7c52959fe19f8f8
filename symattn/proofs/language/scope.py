"""TRUSTED. Names of a proof with their meanings, and the hypotheses that its steps may call upon.

Everything is plain text or plain data, so that a record can hold it: sizes and values are written in plain
syntax and read when they are needed. A hypothesis that ties a number to others is a `Tie`: what depends on the number
moves with it in a derivative or a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.records import dataclass

Sign = Literal["real", "positive", "nonnegative"]

Kind = Literal[
    "independent",
    "coordinates",
    "uncorrelated",
    "same-law",
    "mean",
    "variance",
    "covariance",
    "raw-moment",
    "law",
    "equal",
    "distinct",
    "dot-products",
    "total",
    "at-most",
    "positive",
    "nonzero",
    "positions",
    "whole",
    "normal-vector",
    "definite",
]
"""What kind of hypothesis it is; `symattn.proofs.language.facts` says what each gives."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A name of the proof.

    Attributes:
        name: as it is written in plain syntax, ``q``, ``W_Q``, ``sigma_q``.
        sizes: the lengths of its index ranges in plain syntax: none for a scalar, one for a (column) vector,
            two for a matrix. ``k`` of sizes ``n``, ``D`` may also be written as vectors ``k_j`` of length D.
        sign: what is known of every entry.
        random: whether its entries are random.
        latex: how it is written in LaTeX, where that is not what the name gives.
    """

    name: str
    sizes: tuple[str, ...] = ()
    sign: Sign = "real"
    random: bool = False
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Defined:
    """A name that abbreviates an expression: ``a`` with index j for ``exp(z_j)/sum_{l=1}^{n} exp(z_l)``.

    Attributes:
        name: the name.
        indices: the indices in the body that stand for its own.
        sizes: the lengths of their ranges.
        body: what it stands for, in plain syntax.
        sign: what is known of it, proved elsewhere or evident.
    """

    name: str
    indices: tuple[str, ...]
    sizes: tuple[str, ...]
    body: str
    sign: Sign = "real"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Assumption, in words and as data.

    Attributes:
        id: the name that steps call it by, ``H1``.
        text: the hypothesis in words; formulas between dollar signs, in plain syntax.
        kind: what it is.
        about: the names that it speaks of.
        values: what it says of them, in plain syntax.
    """

    id: str
    text: str
    kind: Kind
    about: tuple[str, ...]
    values: tuple[str, ...] = ()


def formulas(item: Hypothesis) -> tuple[str, ...]:
    """Return what a hypothesis says in formulas: its values, without the name of a law and the order of a moment."""
    return item.values[1:] if item.kind in {"law", "raw-moment"} else item.values


@dataclass(frozen=True, slots=True)
class Scope:
    """The names and hypotheses of one proof.

    Attributes:
        declared: quantities.
        defined: abbreviations.
        hypotheses: what steps may call upon, each by its id.
        fixed: indices that stand for one value each, distinct from each other (``a``, ``b``).
        permutations: names that permute an index.
        functions: names of functions of which nothing is known, applied to numbers.
    """

    declared: tuple[Declared, ...]
    defined: tuple[Defined, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    fixed: tuple[str, ...] = ()
    permutations: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Declared | Defined, ...]:
        """The quantities and the abbreviations."""
        return (*self.declared, *self.defined)

    @property
    def sizes(self) -> dict[str, tuple[str, ...]]:
        """The lengths of the ranges of each quantity and abbreviation by its name."""
        return {item.name: item.sizes for item in self.items}

    @property
    def random(self) -> tuple[str, ...]:
        """The names of the random quantities."""
        return tuple(item.name for item in self.declared if item.random)

    @property
    def lengths(self) -> frozenset[str]:
        """All lengths of ranges of quantities, as they are written."""
        return frozenset(text for item in self.declared for text in item.sizes)


EQUATIONS: frozenset[Kind] = frozenset({"equal", "total", "dot-products"})
"""Hypotheses that put one thing in the place of another."""

_MOMENTS: frozenset[Kind] = frozenset({"mean", "variance", "covariance", "raw-moment", "law", "normal-vector"})


@dataclass(frozen=True, slots=True)
class Tie:
    """A hypothesis that says in other names what quantities are, or which moments they have.

    Attributes:
        id: its name.
        about: the names that it speaks of.
        said: the names in what it says.
        is_equation: whether the names that it speaks of are what it says.
    """

    id: str
    about: frozenset[str]
    said: frozenset[str]
    is_equation: bool


def ties(scope: Scope, names_in: Callable[[str], frozenset[str]]) -> tuple[Tie, ...]:
    """Return the ties of a scope.

    Args:
        scope: the names and hypotheses.
        names_in: the names that a text comes to, those that abbreviations stand for included.
    """

    def all_in(texts: Iterable[str]) -> frozenset[str]:
        return frozenset[str]().union(*map(names_in, texts))

    return tuple(
        Tie(item.id, all_in(item.about), all_in(formulas(item)), item.kind in EQUATIONS)
        for item in scope.hypotheses
        if item.kind in EQUATIONS | _MOMENTS
    )


def tied_to(name: str, known: Iterable[Tie]) -> dict[str, str]:
    """Return the other names that move with a name, each with the hypothesis that ties it to one of them.

    >>> tied_to("h", [Tie("H1", frozenset("s"), frozenset("r"), True), Tie("H2", frozenset("r"), frozenset("h"), True)])
    {'r': 'H2', 's': 'H1'}
    """
    given = tuple(known)
    found: dict[str, str] = {}
    waiting, seen = [(name, "")], {(name, "")}
    while waiting:
        moving, by = waiting.pop()
        for tie in given:
            ahead = tie.about if moving in tie.said else frozenset[str]()
            # What moves by an equation moves nothing else in it: s = r + h, where h moves, leaves r as it is.
            back = tie.said if tie.is_equation and moving in tie.about and tie.id != by else frozenset[str]()
            found.update({other: tie.id for other in ahead | back if other not in {name, moving, *found}})
            # Of several numbers that a quantity is made of, one that is left open moves with it.
            pairs = {(other, tie.id) for other in (ahead | back if len(back) == 1 else ahead)} - seen
            seen |= pairs
            waiting += sorted(pairs)
    return found


def refuse_tied(known: Iterable[Tie], value: Expr, name: str) -> None:
    """Refuse a variable on which, by hypotheses, something else in a value depends.

    Raises:
        InputError: there is such a quantity; the message names it and the hypothesis.
    """
    tied = tied_to(name, known)
    for other in sorted(value.names & tied.keys()):
        raise InputError(f"The hypothesis {tied[other]} ties {other} to {name}: put in what it says first.")
