"""TRUSTED. Hypotheses that tie a number to others: what depends on it moves with it in a derivative or a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.proofs.language.scope import Kind, Scope, formulas
from symattn.records import dataclass

_EQUATIONS: frozenset[Kind] = frozenset({"equal", "total", "dot-products"})
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
        Tie(item.id, all_in(item.about), all_in(formulas(item)), item.kind in _EQUATIONS)
        for item in scope.hypotheses
        if item.kind in _EQUATIONS | _MOMENTS
    )


def refuse_tied(known: Iterable[Tie], value: Expr, name: str) -> None:
    """Refuse a variable on which, by a hypothesis, something else in a value depends.

    Raises:
        InputError: there is such a quantity; the message names it and the hypothesis.
    """
    for tie in known:
        others = tie.about if name in tie.said else tie.said if tie.is_equation and name in tie.about else frozenset()
        found = sorted(value.names & (others - {name}))
        if found:
            raise InputError(f"The hypothesis {tie.id} ties {found[0]} to {name}: put in what it says first.")
