"""Uses of names in the formulas of a submission: their indices, as vectors as wholes, and in expectations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.language.interpretation import ELEMENTARY, INFINITY, plain_name, split_indices
from symattn.proofs.language.scope import Scope
from symattn.records import dataclass

_DECORATED = re.compile(r"(?:(?P<accent>tilde|hat|bar) )?(?P<letter>\w+)(?P<primes>'*)")
IsKnown: TypeAlias = Callable[[str], bool]
WORDS = frozenset({"e", INFINITY, "infinity", "delta", "pi", "std", "SD", "sd", "Std"})
_INDEXED_LETTERS = frozenset({"d", "D", "mu", "sigma", "m", "s", "N"})
_INDEX_LETTERS = frozenset("ijlrst")
_FUNCTION_LETTERS = frozenset({"f", "g", "h", "F", "G", "phi", "psi", "varphi"})
_VARIANCE_WORDS = frozenset({"V", "var", "Var", "std", "SD", "cov", "Cov", "sd"})


@dataclass(frozen=True, slots=True)
class Use:
    """Use of a name in a work.

    Attributes:
        rank: how many indices it has at most.
        is_whole: whether it stands as a vector without its last index, transposed or in a softmax.
        in_mean: whether it stands in an expectation.
        whole_rank: how many indices it has at most where it stands as a vector.
    """

    rank: int = 0
    is_whole: bool = False
    in_mean: bool = False
    whole_rank: int = 0

    def with_(self, rank: int, *, is_whole: bool, in_mean: bool) -> Use:
        """Return the same with one more place where it stands."""
        whole_rank = max(self.whole_rank, rank if is_whole else 0)
        return Use(max(self.rank, rank), self.is_whole or is_whole, self.in_mean or in_mean, whole_rank)


def all_uses(scope: Scope, sides: Sequence[t.Node]) -> dict[str, Use]:
    """Return the use of each name in the sides of a work."""
    known = names_of(scope).__contains__
    uses: dict[str, Use] = {}
    for side in sides:
        for key, rank, is_whole, in_mean in uses_in(side, known):
            uses[key] = uses.get(key, Use()).with_(rank, is_whole=is_whole, in_mean=in_mean)
    return uses


def names_of(scope: Scope) -> frozenset[str]:
    """Return all names of a scope."""
    return frozenset((*scope.sizes, *scope.fixed, *scope.permutations, *scope.functions))


def joined_differential(first: t.Node, second: t.Node, has: IsKnown) -> t.Node | None:
    """Join ``d`` and ``S^T`` to ``dS^T``, where that has a name that is known; return None for any other pair."""
    return _with_d(second, has) if first == t.Name("d") else None


def _with_d(node: t.Node, has: IsKnown) -> t.Node | None:
    match node:
        case t.Name(text) if has(f"d{text}"):
            return t.Name(f"d{text}", span=node.span)
        case t.Subscript(t.Name(text), _) if has(f"d{plain_name(node)}"):
            return replace(node, base=t.Name(f"d{text}"), span=node.span)
        case t.Transpose(base) | t.Subscript(base, _):
            joined = _with_d(base, has)
            return None if joined is None else replace(node, base=joined)
    return None


def head_of(node: t.Node, has: IsKnown) -> tuple[str | None, tuple[str, ...]]:
    """Return the name of a defined side, with its indices; None for any other form."""
    match node:
        case t.Name(text):
            return text, ()
        case t.Subscript(t.Name(text), indices):
            full = plain_name(node)
            if full is not None and (has(full) or _is_letter(node)):
                return full, ()
            apart = split_indices(indices, 2)
            names = tuple(index.text for index in apart if isinstance(index, t.Name))
            return (text, names) if len(names) == len(apart) else (None, ())
        case _:
            return None, ()


def _is_letter(node: t.Subscript) -> bool:
    """Return whether base and index are one letter together: ``d_k``, ``sigma_q``."""
    match node:
        case t.Subscript(t.Name(base), (t.Name(index),)):
            return base in _INDEXED_LETTERS and (index not in {"i", "j", "l", "r"})
        case _:
            return False


def undecorated(name: str) -> str | None:
    """Return the letter below an accent or before primes that mark a changed quantity; None for other names."""
    found = _DECORATED.fullmatch(name)
    return found["letter"] if found is not None and (found["accent"] or found["primes"]) else None


def is_decorated_alike(one: str, other: str) -> bool:
    """Return whether two names have one accent and as many primes."""
    marks = [found.group("accent", "primes") for name in (one, other) if (found := _DECORATED.fullmatch(name))]
    return len(marks) == 2 and marks[0] == marks[1]


def uses_in(
    node: t.Node, has: IsKnown, *, in_mean: bool = False, is_whole: bool = False
) -> Iterator[tuple[str, int, bool, bool]]:
    """Yield names with the number of their indices, and whether each stands as a vector and in an expectation."""
    match node:
        case t.Name(text):
            if text not in WORDS:
                yield text, 0, is_whole, in_mean
        case t.Subscript(base, indices):
            full = plain_name(node)
            if full is not None and (
                has(full) or (_is_letter(node) and isinstance(base, t.Name) and not has(base.text))
            ):
                yield full, 0, is_whole, in_mean
            elif isinstance(base, t.Name):
                if base.text not in WORDS:
                    yield base.text, len(split_indices(indices, 2)), is_whole, in_mean
            else:
                yield from uses_in(base, has, in_mean=in_mean)
        case t.SumOver(index, lower, upper, body):
            for part in (lower, upper):
                if part is not None:
                    yield from (item for item in uses_in(part, has) if item[0] not in _INDEX_LETTERS or has(item[0]))
            yield from (item for item in uses_in(body, has, in_mean=in_mean) if item[0] != index.text)
        case t.Call(function, arguments):
            inside = in_mean or function.text in t.MEANS
            whole = function.text.lower() in {"softmax", "softargmax", "inner", "norm"}
            for argument in arguments:
                is_plain = not any(isinstance(item, t.Transpose) for item in walk(argument))
                yield from uses_in(argument, has, in_mean=inside, is_whole=whole and is_plain)
        case t.Transpose(base):
            yield from uses_in(base, has, in_mean=in_mean, is_whole=True)
        case t.Product(factors):
            yield from _uses_in_product(factors, has, in_mean=in_mean)
        case _:
            below = is_whole and isinstance(node, t.Sum | t.Group | t.Negative)
            for child in t.children(node):
                yield from uses_in(child, has, in_mean=in_mean, is_whole=below)


def _uses_in_product(
    factors: tuple[t.Node, ...], has: IsKnown, *, in_mean: bool
) -> Iterator[tuple[str, int, bool, bool]]:
    for position, factor in enumerate(factors):
        following = factors[position + 1] if position + 1 < len(factors) else None
        if following is not None and joined_differential(factor, following, has) is not None:
            continue  # one name with what follows it
        before = factors[position - 1] if position else None
        if isinstance(factor, t.Name) and factor.text in _VARIANCE_WORDS and isinstance(following, t.Group | t.Vector):
            continue
        is_call = isinstance(factor, t.Name) and factor.text in ELEMENTARY and isinstance(following, t.Group)
        if is_call or (following is not None and calls_unknown(factor, following, has)):
            continue
        opened = (
            isinstance(before, t.Name) and before.text in _VARIANCE_WORDS and isinstance(factor, t.Group | t.Vector)
        )
        after_row = isinstance(before, t.Transpose)
        yield from uses_in(factor, has, in_mean=in_mean or opened, is_whole=after_row)


def calls_unknown(head: t.Node | None, following: t.Node, has: IsKnown) -> bool:
    """Return whether a word that is not a name stands before brackets, as an unknown function does."""
    if not isinstance(head, t.Name) or not isinstance(following, t.Group | t.Vector):
        return False
    is_word = len(head.text) > 1 and head.font in {"roman", "text"}
    return (is_word or head.text in _FUNCTION_LETTERS) and not has(head.text)
