"""Texts of a theorem that depend on its parameters: chosen values, formulas with numbers put in, conditions."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isqrt, prod
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.proofs.catalogue.authoring.theorem import Values
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language
from symattn.proofs.language.scope import Scope

Law: TypeAlias = tuple[tuple[str, tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]], ...]
"""Outcomes of a counter-example: a probability, and the entries by name."""

_Monomial: TypeAlias = tuple[int, dict[str, int]]

_NAME = r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*"
_CHOSEN = re.compile(rf"@(?:\(({_NAME})\)|\{{({_NAME})\}}|({_NAME}))")
_NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
_TIMES_SUM = re.compile(rf"({_NAME})(?:\^([0-9]+))? \((.*)\)")
_TERM = re.compile(rf"(?:[0-9]+ ?)?(?:{_NAME}(?:\^[0-9]+)? ?)*")
_MAX_TEXT = 20_000
_MAX_POWER = 40
_MAX_BITS = 3_000
_MAX_DIGITS = 1_000


def number(text: str) -> Fraction | None:
    """Return the number that a text is, None where it is a letter or a formula.

    >>> number("3/2"), number("mu")
    (Fraction(3, 2), None)
    """
    return Fraction(text) if len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) else None


def factor(text: str) -> str:
    """Return a text as it stands beside other factors and under a power.

    >>> factor("mu"), factor("-1/2"), factor("1 + mu^2")
    ('mu', '(-1/2)', '(1 + mu^2)')
    """
    is_sum = " + " in text or " - " in text
    return text if not is_sum and (text.isdecimal() or text[:1].isalpha()) else f"({text})"


def chosen(text: str, values: Values) -> str:
    """Return a text with the values of the names after ``@``; ``@(name)`` puts brackets where a factor needs them.

    Raises:
        InputError: a name has no value, or the text becomes too long.

    >>> chosen("@mu @(mu)^2 e^{@s}", {"mu": "-1/2", "s": "3"})
    '-1/2 (-1/2)^2 e^{3}'
    """

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2] or found[3]
        if name not in values:
            known = ", ".join(f"@{other}" for other in sorted(values)) or "none"
            raise InputError(f"@{name} has no value. Known are: {known}. A line let {name} = TEXT before adds it.")
        return factor(values[name]) if found[1] else values[name]

    made = _CHOSEN.sub(value, text)
    if len(made) > _MAX_TEXT:
        raise InputError(f"a text grows beyond {_MAX_TEXT} characters. Shorten the texts that it is made of.")
    return made


# Formulas with numbers put in ----------------------------------------------------------------------


def collected(text: str, values: Values) -> str:
    """Return a polynomial with the chosen numbers put in and like terms collected.

    A letter or its power before a bracket stays outside it, unless it is a number.

    >>> collected("D (sigma^4 + 2 mu^2 sigma^2)", {"D": "D", "mu": "mu", "sigma": "2"})
    'D (16 + 8 mu^2)'
    >>> collected("3 D^2", {"D": "64"})
    '12288'
    """
    whole = _TIMES_SUM.fullmatch(text)
    if whole is None:
        return _polynomial(_monomials(text), values)
    length, power, inner = whole.groups()
    found = _polynomial(_monomials(inner), values)
    is_sum = " + " in found or " - " in found or found.startswith("-")
    if is_sum and number(values.get(length, length)) is None:
        return f"{length}{f'^{power}' if power else ''} ({found})"
    return _polynomial([(c, {length: int(power or 1), **letters}) for c, letters in _monomials(inner)], values)


def _monomials(text: str) -> list[_Monomial]:
    found: list[_Monomial] = []
    for sign, term in re.findall(r"(^-?|[+-]) ?([^+-]+)", text):
        if not _TERM.fullmatch(term) or len(term) > _MAX_DIGITS:
            raise InputError(f"{term.strip()!r} is not a number times powers of letters, such as 2 mu^2 sigma^2.")
        letters: dict[str, int] = {}
        coefficient = -1 if sign == "-" else 1
        for part in term.split():
            letter, _, power = part.partition("^")
            if letter.isdecimal():
                coefficient *= int(letter)
            elif len(power) > 2 or int(power or 1) > _MAX_POWER:
                raise InputError(f"{part} has a power above {_MAX_POWER}. Write a smaller one.")
            else:
                letters[letter] = int(power or 1)
        found.append((coefficient, letters))
    return found


def _polynomial(monomials: Sequence[_Monomial], values: Values) -> str:
    sums: dict[tuple[tuple[str, int], ...], Fraction] = {}
    for coefficient, letters in monomials:
        total, rest = Fraction(coefficient), []
        for letter, power in letters.items():
            value = number(values.get(letter, letter))
            if value is None:
                rest.append((letter, power))
            else:
                total *= value**power
            if max(total.numerator.bit_length(), total.denominator.bit_length()) > _MAX_BITS:
                raise InputError("a number grows beyond 900 digits. Take smaller numbers or powers.")
        sums[tuple(rest)] = sums.get(tuple(rest), Fraction(0)) + total
    text = ""
    for letters_left, total in sums.items():
        if not total:
            continue
        own = _monomial(abs(total), letters_left)
        text = f"{text} {'-' if total < 0 else '+'} {own}" if text else f"-{own}" if total < 0 else own
    return text or "0"


def _monomial(coefficient: Fraction, letters: tuple[tuple[str, int], ...]) -> str:
    parts = [letter if power == 1 else f"{letter}^{power}" for letter, power in letters]
    if coefficient != 1 or not parts:
        parts.insert(0, str(coefficient) if not parts else factor(str(coefficient)))
    return " ".join(parts)


def evaluated(text: str, values: Values) -> str:
    """Return the number that an expression is where all its letters are numbers, else the expression.

    >>> evaluated("3 D (D + 2)", {"D": "4"}), evaluated("-D/2", {"D": "D"})
    ('72', '-D/2')
    """
    put = re.sub(_NAME, lambda found: f"({values.get(found[0], found[0])})", text)
    if re.search("[A-Za-z]", put):
        return text
    value = Language(Scope(()), Facts()).text(put)
    found = value.rational() if isinstance(value, Expr) else None
    if found is None:
        raise InputError(f"{put} is not a rational number.")
    return str(found)


def rooted(text: str, values: Values) -> str:
    """Return the square root of a polynomial, worked out where it is a whole number.

    >>> rooted("2 D", {"D": "32"}), rooted("2 D", {"D": "D"}), rooted("D", {"D": "3"})
    ('8', 'sqrt(2 D)', 'sqrt(3)')
    """
    found = collected(text, values)
    root = isqrt(int(found)) if found.isdecimal() else 0
    return str(root) if root and root**2 == int(found) else f"sqrt({found})"


# Conditions ----------------------------------------------------------------------------------------

_KINDS: Mapping[str, Callable[[Fraction | None], bool]] = {
    "is a letter": lambda found: found is None,
    "is a number": lambda found: found is not None,
    "is whole": lambda found: found is not None and found.denominator == 1,
    "is odd": lambda found: found is not None and found % 2 == 1,
}
_SAME: Mapping[str, Callable[[str, str], bool]] = {"=": operator.eq, "!=": operator.ne}
_ORDERED: Mapping[str, Callable[[Fraction, Fraction], bool]] = {"<": operator.lt, ">": operator.gt, ">=": operator.ge}


def holds(condition: str, values: Values) -> bool:
    """Return whether a condition holds: comparisons with ``and`` between them, or with ``or``.

    Letters are compared by ``=`` and ``!=``; an order between numbers holds for no letter.

    >>> holds("D is a letter", {"D": "D"}), holds("sigma = 1 and mu < 0", {"sigma": "1", "mu": "-2"})
    (True, True)
    """
    if " or " in condition:
        return any(holds(part, values) for part in condition.split(" or "))
    if " and " in condition:
        return all(holds(part, values) for part in condition.split(" and "))
    name, _, said = condition.partition(" ")
    if name not in values:
        raise InputError(f"{name} is not a parameter or a text of this file: a condition begins with one.")
    if said in _KINDS:
        return _KINDS[said](number(values[name]))
    sign, _, other = said.partition(" ")
    other = values.get(other, other)
    if sign in _SAME:
        return _SAME[sign](values[name], other)
    if sign not in _ORDERED:
        signs = " ".join((*_SAME, *_ORDERED))
        raise InputError(
            f"{condition!r} is not a condition. Write one of {signs} and a value, or: {', '.join(_KINDS)}."
        )
    first, second = number(values[name]), number(other)
    return first is not None and second is not None and _ORDERED[sign](first, second)


# Laws ----------------------------------------------------------------------------------------------


def finite_law(families: Mapping[str, int], outcomes: Sequence[tuple[Fraction, str]], tied: Mapping[str, str]) -> Law:
    """Return the joint law of independent entries that have one law each.

    Args:
        families: the independent vectors, by name with their lengths.
        outcomes: probability and value of an entry.
        tied: further vectors by name, each equal to one of the families.

    >>> len(finite_law({"q": 1, "k": 1}, ((Fraction(1, 2), "1"), (Fraction(1, 2), "-1")), {}))
    4
    """
    law = []
    for choice in itertools.product(outcomes, repeat=sum(families.values())):
        values = iter(value for _, value in choice)
        entries = {name: (tuple(itertools.islice(values, length)),) for name, length in families.items()}
        entries |= {name: entries[other] for name, other in tied.items()}
        law.append((str(prod(weight for weight, _ in choice)), tuple(entries.items())))
    return tuple(law)
