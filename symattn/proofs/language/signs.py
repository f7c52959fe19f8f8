"""TRUSTED. Evident signs of expressions: from what is declared, from hypotheses and from sums of one sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import here
from symattn.exact.indexed.expression import DELTA, INVERSE, ROOT, Atom, Expr, Term
from symattn.exact.reals.sign import sign as sign_of_number
from symattn.proofs.language.facts import vanishing
from symattn.proofs.language.functions import PI
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.scope import Sign as Known
from symattn.records import dataclass

Sign: TypeAlias = Literal["+", "0+", "0", "0-", "-"]
"""Positive, not negative, zero, not positive, negative."""

_ABSOLUTE = "abs"
_FACTORIAL = "factorial"
_MAX_CASES = 6

_NUMBER: dict[Sign, tuple[int, int]] = {"+": (1, 1), "0+": (0, 1), "0": (0, 0), "0-": (-1, 0), "-": (-1, -1)}
_WORD = {pair: word for word, pair in _NUMBER.items()}
_DECLARED: dict[Known, Sign] = {"positive": "+", "nonnegative": "0+"}


@dataclass(frozen=True, slots=True)
class Signs:
    """Known signs of expressions.

    Attributes:
        atoms: signs of scalars and entries by name.
        known: expressions that are positive (True) or not negative, for every value of their free indices and
            of `here`.
    """

    atoms: dict[str, Sign]
    known: tuple[tuple[Expr, bool], ...] = ()

    @classmethod
    def of(cls, scope: Scope, known: Iterable[tuple[Expr, bool]] = (), positive: Iterable[str] = ()) -> Signs:
        """Return the signs in a scope: those declared, and those that hypotheses add."""
        atoms: dict[str, Sign] = {item.name: _DECLARED[item.sign] for item in scope.declared if item.sign in _DECLARED}
        if all(item.name != PI for item in scope.declared):
            atoms[PI] = "+"
        return cls(atoms | dict.fromkeys(positive, "+"), tuple(known))

    def of_expr(self, expr: Expr) -> Sign | None:
        """Return the sign of a sum whose terms have one sign, or of an expression that is known.

        ``1 - delta_{i,a} - delta_{i,b}`` is looked at by cases: i is a, or b, or neither.
        """
        found = added([self._of_term(term, c) for term, c in expr.terms])
        if found in {None, "0+", "0-"}:
            # A hypothesis may say more than the terms show.
            found = self._by_hypothesis(expr) or found
        return found if found is not None else self._by_cases(expr)

    def _by_cases(self, expr: Expr) -> Sign | None:
        """Return the sign that an expression has whether or not two indices are the same."""
        deltas = [atom for term, _ in expr.terms for atom, _ in term.factors if atom.name == DELTA]
        for atom in deltas[:_MAX_CASES]:
            for one, other in (atom.indices, atom.indices[::-1]):
                if len(one) == 1 and ix.root(other) != one:
                    apart = expr.mapped(vanishing(atom))
                    return _either(self.of_expr(expr.replaced(one, other)), self.of_expr(apart))
        return None

    def _of_term(self, term: Term[Expr], coefficient: Polynomial) -> Sign | None:
        signs: list[Sign | None] = [_of_coefficient(coefficient)]
        # A sum that may have no terms may be zero.
        signs += ["+" if self.of_expr(size) == "+" else "0+" for size in term.sizes]
        for atom, power in term.factors:
            own = self._of_atom(atom)
            signs.append(raised(own, power))
        return multiplied(signs)

    def _of_atom(self, atom: Atom[Expr]) -> Sign | None:
        if atom.name == DELTA:
            return "0+"
        if atom.name == INVERSE:
            return inverted(self.of_expr(atom.arguments[0]))
        if atom.name == ROOT:
            return "+" if self.of_expr(atom.arguments[0]) == "+" else "0+"
        if atom.name == _ABSOLUTE:
            return "+" if self.of_expr(atom.arguments[0]) in {"+", "-"} else "0+"
        if atom.name == _FACTORIAL:
            return "+" if self.of_expr(atom.arguments[0] + 1) == "+" else None
        return self.atoms.get(atom.name) if not atom.arguments else None

    def _by_hypothesis(self, expr: Expr) -> Sign | None:
        for known, is_positive in self.known:
            candidates = [known]
            if here() in known.indices:
                candidates = [known.replaced(here(), index) for index in sorted(expr.indices)]
            if any(candidate.equals(expr) for candidate in candidates):
                return "+" if is_positive else "0+"
            if any(candidate.equals(-expr) for candidate in candidates):
                return "-" if is_positive else "0-"
        return None


def _of_coefficient(value: Polynomial) -> Sign:
    number = sign_of_number(Quotient.of(value))
    return "+" if number > 0 else "-" if number < 0 else "0"


def _either(first: Sign | None, second: Sign | None) -> Sign | None:
    """Return the sign that is known where one of two signs holds."""
    if first is None or second is None:
        return None
    (a, b), (c, d) = _NUMBER[first], _NUMBER[second]
    return _WORD.get((min(a, c), max(b, d)))


def negated(sign: Sign | None) -> Sign | None:
    """Return the sign of the negative."""
    return None if sign is None else _WORD[(-_NUMBER[sign][1], -_NUMBER[sign][0])]


def inverted(sign: Sign | None) -> Sign | None:
    """Return the sign of one over it, which exists."""
    return {"+": "+", "0+": "+", "-": "-", "0-": "-"}.get(sign or "")  # type: ignore[return-value]


def raised(sign: Sign | None, power: int) -> Sign | None:
    """Return the sign of an integer power."""
    if power < 0:
        return raised(inverted(sign), -power)
    if power % 2 == 0:
        return "+" if sign in {"+", "-"} else "0" if sign == "0" and power else "0+"
    return sign


def multiplied(signs: Sequence[Sign | None]) -> Sign | None:
    """Return the sign of a product; a factor that is zero decides."""
    if "0" in signs:
        return "0"
    lowest = [s for s in signs if s is not None]
    if len(lowest) != len(signs):
        return None
    is_strict = all(s in {"+", "-"} for s in lowest)
    is_negative = sum(s in {"-", "0-"} for s in lowest) % 2 == 1
    return ("-" if is_strict else "0-") if is_negative else ("+" if is_strict else "0+")


def added(signs: Sequence[Sign | None]) -> Sign | None:
    """Return the sign of a sum of terms of one sign."""
    found = [s for s in signs if s is not None]
    if len(found) != len(signs):
        return None
    low, high = min((_NUMBER[s][0] for s in found), default=0), max((_NUMBER[s][1] for s in found), default=0)
    if low < 0 < high:
        return None
    if low >= 0:
        return "+" if "+" in found else "0+" if high else "0"
    return "-" if "-" in found else "0-"
