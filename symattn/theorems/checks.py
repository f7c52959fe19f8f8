"""What a theorem claims, looked at in numbers: every claim at small sizes and values that satisfy its hypotheses.

The numbers come from the formulas by another way than the proof: trees at numbers, expectations as sums over
all outcomes. A check that disagrees with a proved claim is a fault of ours.
"""

from __future__ import annotations

from itertools import islice

from symattn.derivation.proofs.language import read_text
from symattn.derivation.proofs.record import Check, Claim, Proof
from symattn.derivation.proofs.scope import Hypothesis, Scope
from symattn.errors import InputError, NotationError, ShapeError
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.records import dataclass
from symattn.theorems.cases import case
from symattn.theorems.numeric import Model, Numeric
from symattn.theorems.refute import Sides, both_sides
from symattn.theorems.tower import AGREE_BITS

SIZES = (1, 2, 3, 4)
"""The lengths that are tried."""

_MAX_PLACES = 64
_MAX_WORK = 80_000
_MAX_OF_ONE = 12_000
_MOMENTS_OF_THREE_POINTS = 5
_DIGITS = AGREE_BITS * 3 // 10


@dataclass(frozen=True, slots=True)
class _Tried:
    """One case of one claim."""

    model: Model
    sides: tuple[Sides, ...]


def checks(proof: Proof) -> tuple[Check, ...]:
    """A check for each claim that can be worked out at small sizes; none for the others."""
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
    return tuple(_check(claim, proof.scope, tried[claim.id]) for claim in claims if tried[claim.id])


def _check(claim: Claim, scope: Scope, tried: list[_Tried]) -> Check:
    agrees = all(item.stands is not False for found in tried for item in found.sides)
    return Check(_text(claim, scope, tried), _result(claim, tried), agrees)


def _tried(claim: Claim, scope: Scope, model: Model, most: int) -> tuple[_Tried | None, int]:
    """One case of a claim, None where it is not worked out, and the work it took."""
    numeric = Numeric(scope, model, most)
    apart = [item.about for item in scope.hypotheses if item.kind == "distinct"]
    try:
        found = tuple(islice(both_sides(claim.left, claim.relation, claim.right, numeric, apart), _MAX_PLACES))
    except (InputError, ShapeError, NotationError):
        return None, numeric.spent
    if not found or (claim.relation != "=" and any(item.stands is None for item in found)):
        return None, numeric.spent
    return _Tried(model, found), numeric.spent


# Words ---------------------------------------------------------------------------------------------


def _text(claim: Claim, scope: Scope, tried: list[_Tried]) -> str:
    lengths = _lengths(scope)
    sizes = []
    for name in lengths:
        values = list(dict.fromkeys(str(found.model.scalars[name]) for found in tried if name in found.model.scalars))
        if values:
            sizes.append(f"${name} = {values[0]}$" if len(values) == 1 else f"${name}$ = {', '.join(values)}")
    where = f" at {' and '.join(sizes)}" if sizes else ""
    outcomes = sum(len(found.model.law) for found in tried)
    if outcomes and _has_mean(claim, scope):
        how = f"the sum over all {outcomes} outcomes of {_laws(scope)}"
    else:
        how = "both sides at rational values of everything else"
    return f"{claim.id}{where}: {how}"


def _has_mean(claim: Claim, scope: Scope) -> bool:
    """Whether a claim speaks of expectations, by name or by an abbreviation of one."""
    texts = [claim.left, claim.right]
    seen: set[str] = set()
    while texts:
        for node in walk(read_text(texts.pop(), scope)):
            if isinstance(node, t.Call) and node.function.text in {"E", "Var", "Cov"}:
                return True
            for item in scope.defined:
                if isinstance(node, t.Name) and node.text == item.name.partition("_")[0] and item.name not in seen:
                    seen.add(item.name)
                    texts.append(item.body)
    return False


def _laws(scope: Scope) -> str:
    if any(item.kind == "law" and item.values[0] == "gaussian" for item in scope.hypotheses):
        return "three-point laws with the first five moments of the normal law"
    if any(item.kind == "law" for item in scope.hypotheses):
        return "the law that is assumed"
    return "two-point laws with these moments" if _has_moments(scope) else "two-point laws"


def _has_moments(scope: Scope) -> bool:
    return any(item.kind in {"mean", "variance", "raw-moment"} for item in scope.hypotheses)


def _result(claim: Claim, tried: list[_Tried]) -> str:
    sides = [item for found in tried for item in found.sides]
    if any(item.stands is False for item in sides):
        bad = next(item for item in sides if item.stands is False)
        return f"{bad.left or bad.left_digits} on the left and {bad.right or bad.right_digits} on the right"
    if claim.relation == "=" and len(sides) == len(tried):
        shown = [item.left or item.left_digits for item in sides]
        if all(len(text) < 14 for text in shown):
            return f"both sides are {', '.join(f'${text}$' for text in shown)}"
    exact = all(item.stands for item in sides)
    places = f"{len(sides)} value{'s' if len(sides) != 1 else ''}"
    if claim.relation == "⇔":
        return f"both relations are true together or false together in {places[:-1] if places == '1 value' else places}"
    if exact:
        return f"it holds exactly in {places}"
    return f"the sides agree to {_DIGITS} digits in {places}"


def _lengths(scope: Scope) -> list[str]:
    sizes = [*(item.sizes for item in scope.declared), *(item.sizes for item in scope.defined)]
    names = [
        node.text for own in sizes for text in own for node in walk(read_text(text, scope)) if isinstance(node, t.Name)
    ]
    return list(dict.fromkeys(names))


# The normal law ------------------------------------------------------------------------------------


def _beyond_three_points(claim: Claim, scope: Scope) -> bool:
    """Whether a claim may ask for moments of a normal law that three points do not have."""
    normal = {name for item in scope.hypotheses if _is_normal(item) for name in item.about}
    if not normal:
        return False
    try:
        degrees = [_degree(read_text(text, scope), normal, scope) for text in (claim.left, claim.right)]
    except NotationError:
        return True
    return any(degree is None or degree > _MOMENTS_OF_THREE_POINTS for degree in degrees)


def _is_normal(item: Hypothesis) -> bool:
    return item.kind == "law" and item.values[0] == "gaussian"


def _degree(node: t.Node, names: set[str], scope: Scope) -> int | None:
    """A bound for the degree of a polynomial in some names; None where it is no polynomial in them."""
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
    for item in scope.defined:
        if item.name == name:
            return _degree(read_text(item.body, scope), names, scope)
    return 0
