"""TRUSTED. Limits of expressions in one scalar that goes to infinity, to minus infinity or to a point.

At a point the limit is the value there, where all that the expression is made of is continuous: what it divides by is
evidently not zero there, what a logarithm is taken of positive. At infinity every term is looked
at apart: an exponential whose exponent is linear in the scalar with an evident negative slope goes to zero,
faster than any power; inverses are first divided by their dominating exponential. What is not covered so is
refused, never guessed. Sums are of fixed finite length, so limits go into them term by term.
"""

from __future__ import annotations

from collections.abc import Iterator

from symattn.errors import InputError
from symattn.exact.indexed.expression import INVERSE, LOG, ROOT, ZERO, Atom, Draft, Expr, product, summed
from symattn.proofs.language.signs import Sign, Signs, negated

_MAX_ROUNDS = 8


def limit(expr: Expr, scalar: str, target: Expr | None, signs: Signs, *, negative: bool = False) -> Expr:
    """Return the limit as the scalar goes to `target`, or to infinity (minus infinity) where that is None.

    Raises:
        InputError: the limit is not evident.
    """
    if is_length(expr, scalar):
        raise InputError(f"The length of a sum depends on {scalar}: its limit is not evident.")
    if target is not None:
        return _at_point(expr, scalar, target, signs)
    if negative:
        expr = expr.mapped(lambda atom: -Expr.scalar(scalar) if atom == Atom(scalar) else None)
    for _ in range(_MAX_ROUNDS):
        changed = _divided(expr, scalar, signs)
        if changed == expr:
            break
        expr = changed
    return _at_infinity(expr, scalar, signs)


def is_length(expr: Expr, scalar: str) -> bool:
    """Tell whether the length of a sum depends on the scalar, inside of functions and exponents too."""
    for term, _ in expr.terms:
        if any(_uses(size, scalar) for size in term.sizes):
            return True
        inner = [*term.inner, *(argument for atom, _ in term.factors for argument in atom.arguments)]
        if any(is_length(part, scalar) for part in inner):
            return True
    return False


_CONTINUOUS = frozenset({INVERSE, LOG, ROOT, "tanh", "sin", "cos", "erf", "Phi", "abs"})


_WANTED: dict[str, tuple[str, frozenset[Sign | None]]] = {
    INVERSE: ("a denominator may be zero there", frozenset({"+", "-"})),
    LOG: ("a logarithm may have no value there", frozenset({"+"})),
    ROOT: ("a root may have no value there", frozenset({"+", "0+", "0"})),
}
"""The signs that an argument has to have at the point, and why the limit is not evident with another one."""


def _at_point(expr: Expr, scalar: str, target: Expr, signs: Signs) -> Expr:
    if _uses(target, scalar):
        raise InputError(f"A limit in {scalar} is taken at a point that does not depend on it.")

    def at_target(part: Expr) -> Expr:
        return part.mapped(lambda atom: target if atom == Atom(scalar) else None)

    # What cancels once the target is put in may be zero over zero, so each part is looked at before.
    for atom, power in _moving(expr, scalar):
        if atom.arguments and atom.name not in _CONTINUOUS:
            raise InputError(f"That {atom.name} is continuous is not known here: its limit is not evident.")
        reason, wanted = _WANTED.get(atom.name, ("", frozenset[Sign | None]()))
        if wanted and signs.of_expr(at_target(atom.arguments[0])) not in wanted:
            raise InputError(f"The limit is not evident: {reason}.")
        if power < 0 and signs.of_expr(at_target(Expr.atom(atom))) not in {"+", "-"}:
            raise InputError(f"The limit is not evident: {_WANTED[INVERSE][0]}.")
    return at_target(expr)


def _moving(expr: Expr, scalar: str) -> Iterator[tuple[Atom[Expr], int]]:
    """Iterate over the atoms that depend on the scalar, those inside of others included, with their powers."""
    for draft in expr.opened():
        if draft.exponent.terms:
            yield from _moving(draft.exponent, scalar)
        for atom, power in draft.factors.items():
            if atom == Atom(scalar) or any(_uses(argument, scalar) for argument in atom.arguments):
                yield atom, power
                for argument in atom.arguments:
                    yield from _moving(argument, scalar)


def _uses(expr: Expr, scalar: str) -> bool:
    return any(atom == Atom(scalar) for atom in expr.atoms())


def _slope(exponent: Expr, scalar: str) -> Expr:
    """Return the factor of the scalar in an exponent that is linear in it."""
    slope = ZERO
    for draft in exponent.opened():
        factors = dict(draft.factors)
        power = factors.pop(Atom(scalar), 0)
        value = product(draft.with_factors(factors))
        if power not in {0, 1} or _uses(value, scalar):
            raise InputError(f"An exponent is not linear in {scalar}: its limit is not evident.")
        if power:
            slope = slope + summed(value, draft.bounds)
    return slope


def _divided(expr: Expr, scalar: str, signs: Signs) -> Expr:
    """Divide numerator and denominator of every inverse by its dominating exponential."""

    def change(atom: Atom[Expr]) -> Expr | None:
        if atom.name != INVERSE or not _uses(atom.arguments[0], scalar):
            return None
        base = atom.arguments[0]
        slopes = [_outer_slope(draft, scalar) for draft in base.opened()]
        for candidate in slopes:
            if candidate is None or not candidate.terms:
                continue
            if all(other is None or signs.of_expr(other - candidate) in {"0", "0-", "-"} for other in slopes):
                shift = Expr.exp(-Expr.scalar(scalar) * candidate)
                return shift / (base * shift)
        return None

    return expr.mapped(change)


def _outer_slope(draft: Draft[Expr], scalar: str) -> Expr | None:
    """Return the slope of a term's exponent, None where it runs with a bound index of the term."""
    slope = _slope(draft.exponent, scalar)
    own = {index for index, _ in draft.bounds}
    return None if own & slope.indices else slope


def _at_infinity(expr: Expr, scalar: str, signs: Signs) -> Expr:
    total = ZERO
    for draft in expr.opened():
        slope = signs.of_expr(_slope(draft.exponent, scalar))
        if slope == "-":
            _bounded(draft, scalar, signs)
            continue
        if slope != "0" and _slope(draft.exponent, scalar).terms:
            raise InputError(f"Whether an exponential grows or falls as {scalar} grows is not evident.")
        factors = dict(draft.factors)
        own = factors.pop(Atom(scalar), 0)
        if own > 0:
            raise InputError(f"A term grows without bound as {scalar} grows.")
        value = product(draft.with_factors(factors), lambda atom, power: _of_atom(atom, scalar, signs).power(power))
        if not own:
            total = total + summed(value, draft.bounds)
    return total


def _bounded(draft: Draft[Expr], scalar: str, signs: Signs) -> None:
    """Require of the cofactor of a vanishing exponential a limit, or a power of the scalar."""
    for atom in draft.factors:
        if atom != Atom(scalar):
            _of_atom(atom, scalar, signs)


def _of_atom(atom: Atom[Expr], scalar: str, signs: Signs) -> Expr:
    if not any(_uses(argument, scalar) for argument in atom.arguments):
        return Expr.atom(atom)
    if atom.name != INVERSE:
        raise InputError(f"The limit of {atom.name} as {scalar} grows is not evident.")
    inner = _at_infinity(atom.arguments[0], scalar, signs)
    sign: Sign | None = signs.of_expr(inner)
    if sign not in {"+", "-"} and negated(sign) not in {"+", "-"}:
        raise InputError("A denominator has a limit that is not evidently different from zero.")
    return inner.inverse()
