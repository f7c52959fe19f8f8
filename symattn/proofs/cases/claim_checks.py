"""Numeric checks of theorems: every claim at small sizes and values that satisfy its hypotheses.

The numbers come from the formulas by another way than the proof: trees at numbers, expectations as sums over
all outcomes. A check that disagrees with a proved claim is a fault of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from symattn.errors import InputError, NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.counterexamples import Sides, both_sides
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.numeric_tower import AGREE_BITS, Number, closed_form
from symattn.proofs.cases.small_cases import case
from symattn.proofs.kernel.record import Check, Claim, Proof
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.records import dataclass

SIZES = (1, 2, 3, 4)
"""The lengths that are tried."""

_MOST_SEEDS = 10
_TELLING = 2
_MAX_PLACES = 64
_MAX_WORK = 80_000
_MAX_OF_ONE = 12_000
_MOMENTS_OF_THREE_POINTS = 5
_SHORT = 14
_DIGITS = AGREE_BITS * 3 // 10


@dataclass(frozen=True, slots=True)
class _Tried:
    """One case of one claim."""

    model: Model
    sides: tuple[Sides, ...]


def check_claims(proof: Proof) -> tuple[Check, ...]:
    """Return a check for each claim that can be worked out at small sizes; none for the others."""
    claims = [claim for claim in proof.claims if not _beyond_three_points(claim, proof.scope)]
    if not claims:
        return ()
    tried: dict[str, list[_Tried]] = {claim.id: [] for claim in claims}
    left = _MAX_WORK
    for number, size in enumerate(SIZES):  # larger ones take longer, and are left out where they take too long
        model = case(proof.scope, size, number)
        if model is None:
            continue
        for claim in claims:
            found, spent = _tried(claim, proof.scope, model, min(left, _MAX_OF_ONE))
            left -= spent
            if found is not None:
                tried[claim.id].append(found)
    for claim in claims:
        if _is_vacuous(claim, tried[claim.id]):
            tried[claim.id] = _more_telling(claim, proof)
    return tuple(
        Check(
            _text(claim, proof.scope, cases),
            _result(claim, cases),
            all(item.stands is not False for one in cases for item in one.sides),
        )
        for claim in claims
        if (cases := tried[claim.id])
    )


def _is_vacuous(claim: Claim, tried: list[_Tried]) -> bool:
    """Return whether nothing but zeros was compared, where a side is not written as 0 for all values."""
    sides = [item for found in tried for item in found.sides]
    is_general = "0" not in {claim.left, claim.right}
    return (
        bool(sides) and is_general and claim.relation == "=" and all(item.left == item.right == "0" for item in sides)
    )


def _more_telling(claim: Claim, proof: Proof) -> list[_Tried]:
    """Return cases that are not only zeros, with the hypotheses that the claim rests on alone; none if none is found.

    Another claim of the theorem may want a mean of zero, say, and this one not.
    """
    needed = proof.hypotheses_of(claim.steps)
    own = tuple(item for item in proof.scope.hypotheses if item.id in needed)
    scope = replace(proof.scope, hypotheses=own)
    found: list[_Tried] = []
    for seed in range(len(SIZES), _MOST_SEEDS):
        model = case(scope, 1 + seed % 2, seed)
        one = None if model is None else _tried(claim, scope, model, _MAX_OF_ONE)[0]
        if one is not None and not _is_vacuous(claim, [one]):
            found.append(one)
        if len(found) == _TELLING:
            break
    return found


def _tried(claim: Claim, scope: Scope, model: Model, most: int) -> tuple[_Tried | None, int]:
    """Work out one case of a claim; return None where that fails, and the work it took."""
    numeric = NumericEvaluator(scope, model, most)
    apart = [item.about for item in scope.hypotheses if item.kind == "distinct"]
    try:
        found = tuple(islice(both_sides(claim.left, claim.relation, claim.right, numeric, apart), _MAX_PLACES))
    except InputError:
        return None, numeric.spent
    if not found or (claim.relation != "=" and any(item.stands is None for item in found)):
        return None, numeric.spent
    return _Tried(model, found), numeric.spent


# Words ---------------------------------------------------------------------------------------------


def _text(claim: Claim, scope: Scope, tried: list[_Tried]) -> str:
    has_mean = _has_mean(claim, scope)
    lengths, numbers, is_whole = _letters_of(claim, scope, has_mean=has_mean)
    scalars = [found.model.scalars for found in tried]
    told = [_chosen(name, scalars) for name in lengths]
    if _values(claim, tried):
        # Values without what they belong to would say nothing.
        told.extend(_chosen(name, scalars) for name in numbers)
    elif numbers:
        is_whole = False
    shown = [text for text in told if text]
    where = f" at {_listed(shown)}" if shown else ""
    outcomes = sum(len(found.model.law) for found in tried)
    if outcomes and has_mean:
        return f"{claim.id}{where}, by the sum over all {outcomes} outcomes of {_laws(scope)}"
    rest = "" if is_whole else ", with rational numbers for all else" if where else ", with rational numbers"
    return f"{claim.id}{where}{rest}"


def _chosen(name: str, scalars: list[Mapping[str, Number]]) -> str:
    """Return a letter with the values that it had, one after the other; only once where it had one."""
    values = [closed_form(item[name]) for item in scalars if name in item]
    if any(not 1 <= len(value) < _SHORT for value in values):
        return ""
    if len(set(values)) == 1:
        return f"${name} = {values[0]}$"
    return f"${name}$ = {', '.join(f'${value}$' for value in values)}" if values else ""


def _letters_of(claim: Claim, scope: Scope, *, has_mean: bool) -> tuple[list[str], list[str], bool]:
    """Return the lengths and the numbers that a claim depends on, and whether nothing else enters."""
    moments = {"mean", "variance", "raw-moment", "law"}
    texts = [claim.left, claim.right]
    texts.extend(value for item in scope.hypotheses if has_mean and item.kind in moments for value in item.values)
    used = _names_in(texts, scope)
    declared = [item for item in scope.declared if item.name in used]
    lengths = [name for name in _lengths(scope) if name in used]
    numbers = [item.name for item in declared if not (item.sizes or item.random or item.name in lengths)]
    return lengths, numbers, not any(item.sizes and not item.random for item in declared)


def _names_in(texts: list[str], scope: Scope) -> set[str]:
    """Return all names that some formulas speak of, by way of abbreviations and lengths as well."""
    more: dict[str, Sequence[str]] = {item.name: (item.body, *item.sizes) for item in scope.defined}
    more.update((item.name, item.sizes) for item in scope.declared)
    return names_reached((read_text(text, scope) for text in texts), more, scope)


def _has_mean(claim: Claim, scope: Scope) -> bool:
    """Return whether a claim speaks of expectations, by name or by an abbreviation of one."""
    texts = [claim.left, claim.right]
    reached = _names_in(texts, scope)
    texts += [item.body for item in scope.defined if item.name in reached]
    nodes = (node for text in texts for node in walk(read_text(text, scope)))
    return any(isinstance(node, t.Call) and node.function.text in t.MEANS for node in nodes)


def _laws(scope: Scope) -> str:
    if any(item.kind == "law" and item.values[0] == "gaussian" for item in scope.hypotheses):
        return "three-point laws with the first five moments of the normal law"
    if any(item.kind == "law" for item in scope.hypotheses):
        return "the law that is assumed"
    has_moments = any(item.kind in {"mean", "variance", "raw-moment"} for item in scope.hypotheses)
    return "two-point laws with these moments" if has_moments else "two-point laws"


def _values(claim: Claim, tried: list[_Tried]) -> list[str]:
    """Return the values of both sides in each case, where they are short."""
    sides = [item for found in tried for item in found.sides]
    shown = [item.left for item in sides]
    is_short = len(sides) == len(tried) and all(text and len(text) < _SHORT for text in shown)
    return shown if claim.relation == "=" and is_short else []


def _result(claim: Claim, tried: list[_Tried]) -> str:
    sides = [item for found in tried for item in found.sides]
    if any(item.stands is False for item in sides):
        bad = next(item for item in sides if item.stands is False)
        return f"{bad.left or bad.left_digits} on the left and {bad.right or bad.right_digits} on the right"
    if shown := _values(claim, tried):
        return f"both sides are {', '.join(f'${text}$' for text in shown)}"
    exact = all(item.stands for item in sides)
    places = {1: "", 2: " in both cases"}.get(len(sides), f" in all {len(sides)} cases")
    if claim.relation == "⇔":
        return f"both relations are true together or false together{places}"
    if exact:
        return f"{'both sides are equal' if claim.relation == '=' else 'it holds'}{places}, decided exactly"
    return f"the sides agree to {_DIGITS} digits{places}"


def _listed(items: list[str]) -> str:
    """Return lengths in words; those that list several values are kept apart by a semicolon."""
    if len(items) > 1 and any(", " in item for item in items):
        return "; ".join(items)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def _lengths(scope: Scope) -> list[str]:
    nodes = (node for item in scope.items for text in item.sizes for node in walk(read_text(text, scope)))
    return list(dict.fromkeys(node.text for node in nodes if isinstance(node, t.Name)))


# The normal law ------------------------------------------------------------------------------------


def _beyond_three_points(claim: Claim, scope: Scope) -> bool:
    """Return whether a claim may ask for moments of a normal law that three points do not have."""
    try:
        return asks_higher_moments([read_text(text, scope) for text in (claim.left, claim.right)], scope)
    except NotationError:
        return True


def asks_higher_moments(nodes: Sequence[t.Node], scope: Scope, *, is_apart: bool = False) -> bool:
    """Return whether some trees may ask for moments of a normal law that three points do not have.

    Args:
        nodes: the trees.
        scope: the names, with the laws.
        is_apart: whether the names with a normal law are independent, so that the degree in each counts by itself.
    """
    normal = {
        name
        for item in scope.hypotheses
        if item.kind == "normal-vector" or (item.kind == "law" and item.values[0] == "gaussian")
        for name in item.about
    }
    groups = [{name} for name in normal] if is_apart else [normal]
    return any(has_degree_above(_MOMENTS_OF_THREE_POINTS, nodes, group, scope) for group in groups if group)


def has_degree_above(most: int, trees: Iterable[t.Node], names: set[str], scope: Scope) -> bool:
    """Return whether some trees are not polynomials in some names up to a degree."""
    degrees = (_degree(node, names, scope) for node in trees)
    return any(degree is None or degree > most for degree in degrees)


def _degree(node: t.Node, names: set[str], scope: Scope) -> int | None:
    """Return a bound for the degree of a polynomial in some names; None where it is not a polynomial in them."""
    if isinstance(node, t.Subscript):
        # An index is not a factor: the spread sigma_q does not depend on q.
        whole = plain_name(node) or ""
        return _degree_of_name(whole, names, scope) if whole in scope.sizes else _degree(node.base, names, scope)
    parts = [_degree(child, names, scope) for child in t.children(node)]
    if None in parts:
        return None
    known = [part for part in parts if part is not None]
    match node:
        case t.Name(text):
            return _degree_of_name(text, names, scope)
        case t.Product():
            return sum(known)
        case t.Power(_, t.Number(text)) if text.isdecimal():
            return known[0] * int(text)
        case t.Call(t.Name("E" | "norm"), _):
            return 2 * max(known) if node.function.text == "norm" else max(known)
        case t.Call(t.Name("Var"), _):
            return 2 * max(known)
        case t.Call(t.Name("Cov"), _):
            return sum(known)
        case t.Call() | t.Root() | t.Power() | t.Division():
            is_plain = not any(known[1:]) if isinstance(node, t.Division) else not any(known)
            return max(known) if is_plain else None
        case _:
            return max(known, default=0)


def _degree_of_name(name: str, names: set[str], scope: Scope) -> int | None:
    if name in names:
        return 1
    body = next((item.body for item in scope.defined if item.name == name), "0")
    return _degree(read_text(body, scope), names, scope)
