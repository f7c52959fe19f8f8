"""TRUSTED. Checks that a step is an instance of a lemma: their type, and what several of them use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.context import Context

Check: TypeAlias = Callable[[Context], str]
"""Why a step is no instance of a lemma, or nothing."""

HALF = Expr(1) / 2
NOT_NEGATIVE = {"+", "0+", "0"}
"""Signs of numbers that are positive or zero."""


def equation(check: Check) -> Check:
    """Return the same check, restricted to equations."""
    return lambda context: check(context) if context.step.relation == "=" else "the lemma is an equation"


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


def normal_law(context: Context, name: str) -> m.Law:
    """Return the normal law that the entries of a quantity have.

    Raises:
        InputError: they have none by the hypotheses of the step.
    """
    for fact in context.facts.moments:
        if isinstance(fact, m.Law) and (fact.family, fact.name) == (name, "gaussian"):
            return fact
    raise InputError(f"{name} is not normal by the hypotheses of the step.")


def check_normal_entries(context: Context, name: str) -> None:
    """Require that a quantity is normal, and its entries independent where it has several.

    Raises:
        InputError: that is not among the hypotheses of the step.
    """
    normal_law(context, name)
    facts = context.facts.moments
    is_apart = any(isinstance(fact, m.Coordinates) and name in fact.families for fact in facts)
    if context.language.declared[name].sizes and not is_apart:
        raise InputError(f"The entries of {name} are not independent by the hypotheses of the step.")
