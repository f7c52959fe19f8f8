"""Texts of a theorem that depend on its parameters: chosen values, formulas with numbers put in, conditions."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt, prod
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import Parameter, Values
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language
from symattn.proofs.language.scope import Scope

Monomial: TypeAlias = tuple[int, Mapping[str, int]]
"""A coefficient and letters with their powers."""

Law: TypeAlias = tuple[tuple[str, tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]], ...]
"""Outcomes of a counter-example: a probability, and the entries by name."""

LENGTH = Parameter("D", "D", "the length of the vectors", kind="count")
MU = Parameter("mu", "mu", "the mean of every component")
SIGMA = Parameter("sigma", "sigma", "the standard deviation of every component, not negative")

_MAX_LENGTH = 64
_NAME = r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*"
_CHOSEN = re.compile(rf"@(?:\(({_NAME})\)|\{{({_NAME})\}}|({_NAME}))")
_TIMES_LENGTH = re.compile(rf"({_NAME})(?:\^([0-9]+))? \((.*)\)")
_MONOMIAL = re.compile(rf"(?:[0-9]+ ?)?(?:{_NAME}(?:\^[0-9]+)? ?)*")
_COMPARED = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, ">=": operator.ge}
_MAX_TEXT = 20_000


def number(text: str) -> Fraction | None:
    """Return the number that a parameter is, None where it is a letter.

    >>> number("3/2"), number("mu")
    (Fraction(3, 2), None)
    """
    return None if text[:1].isalpha() else Fraction(text)


def worked_values(values: Values) -> dict[str, str]:
    """Return the length, the mean and the deviation of a worked case: usual numbers in the place of letters."""
    usual = {"D": "64", "mu": "0", "sigma": "1"}
    return {name: usual[name] if number(values[name]) is None else values[name] for name in usual if name in values}


def factor(text: str) -> str:
    """Return a text as it stands beside other factors and under a power.

    >>> factor("mu"), factor("-1/2")
    ('mu', '(-1/2)')
    """
    return text if text.isdecimal() or text[:1].isalpha() else f"({text})"


def spread(values: Values, name: str = "sigma") -> str:
    """Return a standard deviation that was chosen.

    Raises:
        InputError: it is negative.
    """
    found = number(values[name])
    if found is not None and found < 0:
        raise InputError(f"{name} is a standard deviation and must be a number from 0 on, not {values[name]}.")
    return values[name]


def refuse_constants(values: Values) -> None:
    """Refuse what a theorem on normal vectors cannot have.

    The laws have densities, and a length that is chosen stands as an exponent, and those are bounded.

    Raises:
        InputError: a standard deviation is 0, or the length is too large.
    """
    for name in ("sigma_q", "sigma_k"):
        if number(spread(values, name)) == 0:
            raise InputError(f"{name} is 0: the component is constant, and its law has no density to integrate.")
    if (number(values["D"]) or 0) > _MAX_LENGTH:
        raise InputError(f"D is larger than {_MAX_LENGTH} here: leave it out for the proof with the letter.")


def squared(values: Values, name: str = "sigma") -> str:
    """Return the square of a standard deviation, worked out where it is a number.

    >>> squared({"sigma": "3/2"}), squared({"sigma": "sigma"})
    ('9/4', 'sigma^2')
    """
    found = number(spread(values, name))
    return f"{values[name]}^2" if found is None else str(found**2)


def root_of(text: str) -> str:
    """Return a square root, worked out where it is a whole number.

    >>> root_of("64"), root_of("2 D"), root_of("128")
    ('8', 'sqrt(2 D)', 'sqrt(128)')
    """
    if text.isdecimal() and isqrt(int(text)) ** 2 == int(text):
        return str(isqrt(int(text)))
    return f"sqrt({text})"


def polynomial(monomials: Sequence[Monomial], values: Values) -> str:
    """Return a polynomial in parameters, the chosen numbers put in and like terms collected.

    >>> polynomial([(1, {"sigma": 4}), (2, {"mu": 2, "sigma": 2})], {"mu": "mu", "sigma": "1/2"})
    '1/16 + (1/2) mu^2'
    """
    collected: dict[tuple[tuple[str, int], ...], Fraction] = {}
    for coefficient, letters in monomials:
        total, kept = Fraction(coefficient), []
        for letter, power in letters.items():
            value = number(values.get(letter, letter))
            if value is None:
                kept.append((letter, power))
            else:
                total *= value**power
        collected[tuple(kept)] = collected.get(tuple(kept), Fraction(0)) + total
    text = ""
    for letters_kept, total in collected.items():
        if not total:
            continue
        sign = "-" if total < 0 else "+"
        own = _monomial(abs(total), letters_kept)
        text = (f"-{own}" if total < 0 else own) if not text else f"{text} {sign} {own}"
    return text or "0"


def _monomial(coefficient: Fraction, letters: tuple[tuple[str, int], ...]) -> str:
    parts = [letter if power == 1 else f"{letter}^{power}" for letter, power in letters]
    if coefficient != 1 or not parts:
        parts.insert(0, str(coefficient) if not parts else factor(str(coefficient)))
    return " ".join(parts)


def times_length(monomials: Sequence[Monomial], values: Values, power: int = 1) -> str:
    """Return a power of the length times a polynomial.

    >>> times_length([(1, {"sigma": 4}), (2, {"mu": 2, "sigma": 2})], {"D": "D", "mu": "mu", "sigma": "sigma"})
    'D (sigma^4 + 2 mu^2 sigma^2)'
    >>> times_length([(1, {"sigma": 4})], {"D": "D", "sigma": "2"})
    '16 D'
    """
    text = polynomial(monomials, values)
    is_sum = " + " in text or " - " in text or text.startswith("-")
    if number(values["D"]) is not None or not is_sum:
        return polynomial([(c, {"D": power, **letters}) for c, letters in monomials], values)
    return f"{values['D']}{'' if power == 1 else f'^{power}'} ({text})"


def counted(size: str, rest: str) -> str:
    """Return a length times something in brackets, the length left out where it is 1.

    >>> counted("D", "(a + b)"), counted("1", "(a + b)")
    ('D (a + b)', '(a + b)')
    """
    return rest if size == "1" else f"{size} {rest}"


def second_moment(values: Values, mean: str, spread_of: str) -> str:
    """Return the variance plus the square of the mean as a factor, chosen numbers put in.

    >>> second_moment({"mu": "0", "sigma": "sigma"}, "mu", "sigma")
    'sigma^2'
    >>> second_moment({"mu": "mu", "sigma": "1"}, "mu", "sigma")
    '(1 + mu^2)'
    """
    found = polynomial([(1, {spread_of: 2}), (1, {mean: 2})], values)
    return f"({found})" if " + " in found else factor(found) if number(found) is not None else found


def rising(coefficient: int, size: str, *more: int) -> str:
    """Return a number times a length times the length and more, worked out where the length is a number.

    >>> rising(3, "D", 2), rising(3, "4", 2)
    ('3 D (D + 2)', '72')
    """
    if size.isdecimal():
        return str(coefficient * int(size) * prod(int(size) + item for item in more))
    return " ".join([led(coefficient, size), *(f"({size} + {item})" for item in more)])


def led(coefficient: int, size: str, rest: str = "") -> str:
    """Return a number times a length, or its square, worked out where the length is a number.

    >>> led(3, "D", "^2"), led(3, "64", "^2"), led(6, "64"), led(1, "D", "^2")
    ('3 D^2', '12288', '384', 'D^2')
    """
    if size.isdecimal() and rest in {"", "^2"}:
        return str(coefficient * int(size) ** (2 if rest else 1))
    if coefficient == 1:
        return f"{size}{rest}"
    return f"{coefficient} {'* ' if size.isdecimal() else ''}{size}{rest}"


def declare_length(b: Builder, values: Values) -> str:
    """Declare the length where it is a letter; return it as it is written."""
    if number(values["D"]) is None:
        b.number("D", "positive")
    return values["D"]


def declare(b: Builder, values: Values, *names: str) -> None:
    """Declare parameters that are letters; standard deviations are positive."""
    for name in names:
        if number(values[name]) is None:
            b.number(name, "positive" if name.startswith("sigma") else "real")


def note(b: Builder, values: Values) -> None:
    """Note the values of the parameters in the proof."""
    for name, value in values.items():
        b.parameter(name, value)


def only_with(values: Values, case: str, *names: str) -> None:
    """Refuse a choice that the case does not use.

    Raises:
        InputError: a parameter was chosen that has no place in this case.
    """
    for name in names:
        if values[name] != name:
            raise InputError(f"{name} has no place in the case {values['case']}: set case={case} as well.")


def finite_law(
    families: Mapping[str, int], outcomes: Sequence[tuple[str, str]], tied: Mapping[str, str] | None = None
) -> Law:
    """Return the joint law of independent entries that have one law each, families by name with their lengths.

    Args:
        families: the independent vectors.
        outcomes: probability and value of an entry.
        tied: further vectors by name, each equal to one of the families.

    >>> len(finite_law({"q": 1, "k": 1}, (("1/2", "1"), ("1/2", "-1"))))
    4
    """
    count = sum(families.values())
    law = []
    for choice in itertools.product(outcomes, repeat=count):
        probability, entries, left = Fraction(1), [], list(choice)
        for name, length in families.items():
            own, left = left[:length], left[length:]
            entries.append((name, (tuple(value for _, value in own),)))
        for weight, _ in choice:
            probability *= Fraction(weight)
        known = dict(entries)
        entries.extend((name, known[other]) for name, other in (tied or {}).items())
        law.append((str(probability), tuple(entries)))
    return tuple(law)


FAIR = (("1/2", "1"), ("1/2", "-1"))
"""Mean 0 and variance 1."""

SHIFTED = (("1/2", "0"), ("1/2", "2"))
"""Mean 1 and variance 1."""


# Texts of files --------------------------------------------------------------------------------


def chosen(text: str, values: Mapping[str, str]) -> str:
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


def collected(text: str, values: Mapping[str, str]) -> str:
    """Return a polynomial with the chosen numbers put in and like terms collected.

    A letter or its power before a bracket stays outside it, unless it is a number.

    >>> collected("D (sigma^4 + 2 mu^2 sigma^2)", {"D": "D", "mu": "mu", "sigma": "2"})
    'D (16 + 8 mu^2)'
    >>> collected("3 D^2", {"D": "64"})
    '12288'
    """
    whole = _TIMES_LENGTH.fullmatch(text)
    if whole is None:
        return polynomial(_monomials(text), values)
    length, power, inner = whole.groups()
    return times_length(_monomials(inner), {**values, "D": values.get(length, length)}, int(power or 1))


def _monomials(text: str) -> list[Monomial]:
    found: list[Monomial] = []
    for sign, term in re.findall(r"(^|[+-] ?)([^+-]+)", text):
        if not _MONOMIAL.fullmatch(term):
            raise InputError(f"{term.strip()!r} is not a number times powers of letters, such as 2 mu^2 sigma^2.")
        letters: dict[str, int] = {}
        coefficient = -1 if sign.startswith("-") else 1
        for part in term.split():
            letter, _, power = part.partition("^")
            if letter.isdecimal():
                coefficient *= int(letter)
            else:
                letters[letter] = int(power or 1)
        found.append((coefficient, letters))
    return found


def evaluated(text: str, values: Mapping[str, str]) -> str:
    """Return the number that an expression is where all its letters are numbers, else the expression.

    >>> evaluated("3 D (D + 2)", {"D": "4"}), evaluated("-D/2", {"D": "D"})
    ('72', '-D/2')
    """
    put = re.sub(_NAME, lambda found: f"({values.get(found[0], found[0])})", text)
    if re.search("[A-Za-z]", put):
        return text
    return _closed_number(put)


def _closed_number(text: str) -> str:
    value = Language(Scope(()), Facts()).text(text)
    found = value.rational() if isinstance(value, Expr) else None
    if found is None:
        raise InputError(f"{text} is not a rational number.")
    return str(found)


def rooted(text: str, values: Mapping[str, str]) -> str:
    """Return the square root of a polynomial, worked out where it is a whole number.

    >>> rooted("2 D", {"D": "32"}), rooted("2 D", {"D": "D"})
    ('8', 'sqrt(2 D)')
    """
    return root_of(collected(text, values))


def holds(condition: str, values: Mapping[str, str]) -> bool:
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
        raise InputError(f"{name} is not a parameter. A condition compares one: when {next(iter(values), 'n')} = 2.")
    value = values[name]
    if said in {"is a letter", "is a number"}:
        return (number(value) is None) == (said == "is a letter")
    if said == "is odd":
        found = number(value)
        return found is not None and found % 2 == 1
    sign, _, other = said.partition(" ")
    if sign not in _COMPARED:
        raise InputError(f"{condition!r} is not a condition. Write = != < > >= and a value, or: is a letter, is odd.")
    other = values.get(other, other)
    if sign in {"=", "!="}:
        return bool(_COMPARED[sign](value, other))
    try:
        return bool(_COMPARED[sign](Fraction(value), Fraction(other)))
    except ValueError:
        return False
