"""TRUSTED. Lemma: a classical fact with its source, and the check that a step is an instance of it."""

from __future__ import annotations

from collections.abc import Callable

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.context import Context
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Lemma:
    """A classical fact.

    Attributes:
        name: as it is printed.
        statement: the fact in words.
        source: where it is proved.
        check: whether a step is an instance: why not, or nothing.
    """

    name: str
    statement: str
    source: str
    check: Callable[[Context], str]


def called(node: t.Node, name: str, count: int = 1) -> tuple[t.Node, ...]:
    """Return the arguments of a call.

    Raises:
        InputError: it is another form.
    """
    match node:
        case t.Group(inner):
            return called(inner, name, count)
        case t.Call(t.Name(text), arguments) if text == name and len(arguments) == count:
            return arguments
        case _:
            raise InputError(f"{name} with {count} argument{'s' if count > 1 else ''} was expected here.")
