"""TRUSTED. Lemmas on power series: coefficients of geometric series and logarithms, and cumulants of any order.

``coefficient(f, t, r)`` is the factor of ``t^r`` in the power series of f in t, and ``cumulant(X, r)`` the cumulant of
order r of X. An order is a whole number, or made of letters that a hypothesis of the step says are whole numbers.
"""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.indexed.expression import INVERSE, LOG, ONE, ZERO, Atom, Draft, Expr, product
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.context import Context
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import formulas
from symattn.proofs.lemmas.lemma import Check, called, equation
from symattn.records import dataclass

_LEAST = 1
"""The least value of a letter that stands for a whole number."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A whole number: letters from 1 on, each as often as it is taken, and a whole number more.

    Attributes:
        letters: how often each letter is taken, never zero times.
        rest: the number.
    """

    letters: tuple[tuple[str, int], ...]
    rest: int

    @property
    def least(self) -> int | None:
        """The least value that it has, None where it has none or that is not told."""
        if any(times < 0 for _, times in self.letters):
            return None
        return self.rest + sum(times * _LEAST for _, times in self.letters)

    @property
    def value(self) -> Expr:
        """The order as an expression."""
        total = Expr(self.rest)
        for name, times in self.letters:
            total = total + times * Expr.scalar(name)
        return total

    def less(self, number: int) -> _Order:
        """Return the order less a number."""
        return _Order(self.letters, self.rest - number)

    def divided(self, number: int) -> _Order | None:
        """Return the quotient, None where it is never a whole number.

        Raises:
            InputError: it is one for some values of the letters only.
        """
        if any(times % number for _, times in self.letters):
            raise InputError("Whether a power of the series has this order depends on the letters in it.")
        if self.rest % number:
            return None
        return _Order(tuple((name, times // number) for name, times in self.letters), self.rest // number)


def _order(context: Context, node: t.Node) -> _Order:
    """Return an order as it is written.

    Raises:
        InputError: it is not a whole number by the hypotheses of the step.
    """
    whole = context.whole_numbers()
    letters: dict[str, int] = {}
    rest = 0
    for term, c in context.number(node).terms:
        times = c.rational()
        names = [(atom.name, power) for atom, power in term.factors if not atom.indices and not atom.arguments]
        is_plain = term.exponent is None and not term.sizes and len(names) == len(term.factors)
        if not is_plain or times is None or times.denominator != 1:
            raise InputError("An order is made of whole numbers, each letter as often as a whole number says.")
        if not names:
            rest = times.numerator
        elif len(names) == 1 and names[0][1] == 1 and names[0][0] in whole:
            letters[names[0][0]] = times.numerator
        else:
            raise InputError("No hypothesis of the step says that the letters of an order are whole numbers.")
    return _Order(tuple(sorted(letters.items())), rest)


def _variable(context: Context, node: t.Node) -> Atom[Expr]:
    """Return the number that a series is a series in: one that is declared, of any sign, and not random.

    Raises:
        InputError: it is none.
    """
    item = context.language.declared.get(plain_name(node) or "")
    if item is None or item.sizes or item.random or item.sign != "real":
        raise InputError("A power series is one in a real number that is declared.")
    if context.facts.ties(item.name):
        raise InputError(f"A hypothesis of the step ties {item.name}: no power series is one in it there.")
    return Atom(item.name)


# Coefficients --------------------------------------------------------------------------------------


def _coefficient(context: Context) -> str:
    """Check ``coefficient(f, t, r)`` for f made of powers of t, alone or times ``1/(1 - u t^b)`` or a logarithm of it.

    ``1/(1 - x)`` is the sum of ``x^j`` over j from 0 on, ``log(1 - x)`` that of ``-x^j/j`` over j from 1 on.
    """
    of, by, at = called(context.before, "coefficient", 3)
    variable, order = _variable(context, by), _order(context, at)
    if order.least is None or order.least < 0:
        return "the order is not evidently a whole number from 0 on"
    if any(atom.name == variable.name for atom in order.value.atoms()):
        return "the order depends on the number that the series is in"
    function, total = context.number(of), ZERO
    context.language.refuse_tied(function, variable.name)
    for draft in function.opened():
        total = total + _of_term(context, draft, variable, order)
    return "" if context.number(context.after).equals(total) else "the right side is not the coefficient of this order"


def _of_term(context: Context, draft: Draft[Expr], variable: Atom[Expr], order: _Order) -> Expr:
    """Return the coefficient of one term of the function."""
    if draft.bounds or _uses(draft.exponent, variable):
        raise InputError("A sum or an exponential has no power series that is known here.")
    factors = dict(draft.factors)
    power = factors.pop(variable, 0)
    moving = [atom for atom in factors if any(_uses(argument, variable) for argument in atom.arguments)]
    constant = product(draft.with_factors({atom: times for atom, times in factors.items() if atom not in moving}))
    if power < 0:
        raise InputError("A negative power of the number has no power series.")
    if not moving:
        return constant * _of_power(power, order)
    (series, *others) = moving
    if others or factors[series] != 1 or series.name not in {INVERSE, LOG}:
        raise InputError("The power series of a factor is not known here.")
    return constant * _of_series(context, series, variable, order.less(power))


def _of_power(power: int, order: _Order) -> Expr:
    """Return 1 where the order is that power, 0 where it is not."""
    if not order.letters:
        return ONE if order.rest == power else ZERO
    least = order.least
    odd = all(times % 2 == 0 for _, times in order.letters) and (order.rest - power) % 2 == 1
    if odd or (least is not None and least > power):
        return ZERO
    raise InputError("Whether a power of the series has this order depends on the letters in it.")


def _of_series(context: Context, series: Atom[Expr], variable: Atom[Expr], order: _Order) -> Expr:
    """Return the coefficient of ``1/(k - k u t^b)`` or of ``log(1 - u t^b)``."""
    start, ratio, step = _base(series.arguments[0], variable)
    number = order.divided(step)
    is_log = series.name == LOG
    if number is None:
        return ZERO
    least = number.least
    if least is None or least < (1 if is_log else 0):
        if number.letters:
            raise InputError("Whether the series has a power of this order depends on the letters in it.")
        return ZERO
    power = _power(context, ratio, number)
    if not is_log:
        return power / start
    if start != ONE:
        raise InputError("The logarithm of 1 minus a power has a series that is known here, and no other has.")
    return -power / number.value


def _base(value: Expr, variable: Atom[Expr]) -> tuple[Expr, Expr, int]:
    """Return the k, u and b of ``k - k u t^b``."""
    parts: dict[int, Expr] = {}
    for draft in value.opened():
        factors = dict(draft.factors)
        power = factors.pop(variable, 0)
        rest = product(draft.with_factors(factors))
        if draft.bounds or power < 0 or _uses(rest, variable):
            raise InputError("Under a bar or a logarithm stands a number less a multiple of one power here.")
        parts[power] = parts.get(power, ZERO) + rest
    start = parts.pop(0, ZERO)
    if start.rational() in {None, 0} or len(parts) != 1:
        raise InputError("Under a bar or a logarithm stands a number less a multiple of one power here.")
    ((power, factor),) = parts.items()
    return start, -factor / start, power


def _power(context: Context, ratio: Expr, number: _Order) -> Expr:
    """Return a power as it is read: of any number with a whole exponent, of a positive one with a letter."""
    if not number.letters:
        return ratio.power(number.rest)
    if context.signs.of_expr(ratio) != "+":
        raise InputError("The ratio of a geometric series is not evidently positive: its powers are not written out.")
    return Expr.exp(number.value * Expr.log(ratio))


def _uses(value: Expr, variable: Atom[Expr]) -> bool:
    return any(atom.name == variable.name for atom in value.atoms())


# Cumulants -----------------------------------------------------------------------------------------


def _cumulant(context: Context) -> str:
    """Check ``cumulant(X, r) = factorial(r) coefficient(K, t, r)``, premises giving ``E(exp(t X)) = exp(K)``.

    They have to hold for all t around 0: whatever the scope assumes of t is an inequality that is strict at 0.
    """
    of, at = called(context.before, "cumulant", 2)
    factor, series = _two_factors(context.after)
    (own,) = called(factor, "factorial", 1)
    body, by, order = called(series, "coefficient", 3)
    if not at == own == order:
        return "the orders differ"
    least = _order(context, at).least
    if least is None or least < 1:
        return "the order is not evidently a whole number from 1 on"
    variable = _variable(context, by)
    reason = _not_around_zero(context, variable)
    if reason:
        return reason
    return _generating(context, of, body, variable)


def _two_factors(node: t.Node) -> tuple[t.Node, t.Node]:
    match node:
        case t.Product((first, second), ("",)):
            return first, second
        case _:
            raise InputError("A factorial times a coefficient was expected here.")


def _generating(context: Context, of: t.Node, body: t.Node, variable: Atom[Expr]) -> str:
    """Return why premises do not lead from the moment generating function of X to the exponential of K, or nothing."""
    if not context.premises or any(premise.relation != "=" for premise in context.premises):
        return "its premises are the equations that lead to the moment generating function"
    ends = [context.read(text) for premise in context.premises for text in (premise.before, premise.after)]
    if ends[1:-1:2] != ends[2::2]:
        return "its premises do not follow each other"
    (inside,) = called(called(ends[0], "E", 1)[0], "exp", 1)
    value = context.number(of)
    if any(atom.name == variable.name for atom in value.atoms()):
        return "the random number depends on the number that the series is in"
    if not context.number(inside).equals(Expr.atom(variable) * value):
        return "its premises begin with another mean than that of exp(t X)"
    (above,) = called(ends[-1], "exp", 1)
    return "" if above == body or context.number(above).equals(context.number(body)) else "its premises end elsewhere"


def _not_around_zero(context: Context, variable: Atom[Expr]) -> str:
    """Return why the hypotheses may not hold for all small values of a number, or nothing."""
    for item in context.scope.hypotheses:
        # What is distinct are indices; all else that a hypothesis speaks of are quantities.
        about = () if item.kind == "distinct" else item.about
        values = [context.known.value_of(text) for text in formulas(item)]
        values += [context.language.entry(context.read(text)).value for text in about]
        if not any(_uses(value, variable) for value in values):
            continue
        if item.kind != "positive":
            return f"the hypothesis {item.id} speaks of {variable.name}"
        if not all(_is_positive_at_zero(context, value, variable) for value in values if _uses(value, variable)):
            return f"that {item.id} holds for all small {variable.name} is not evident"
    return ""


def _is_positive_at_zero(context: Context, value: Expr, variable: Atom[Expr]) -> bool:
    """Return whether a polynomial in the number is positive at 0, and so around it."""
    at_zero = ZERO
    for draft in value.opened():
        if any(_uses(argument, variable) for atom in draft.factors for argument in atom.arguments):
            return False
        if draft.bounds or _uses(draft.exponent, variable) or draft.factors.get(variable, 0) < 0:
            return False
        if variable not in draft.factors:
            at_zero = at_zero + product(draft)
    return context.signs.of_expr(at_zero) == "+"


SERIES: dict[str, Check] = {
    "series-coefficient": equation(_coefficient),
    "cumulant-series": equation(_cumulant),
}
"""The checks by the names of the lemmas."""
