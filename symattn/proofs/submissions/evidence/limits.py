r"""Limits at numbers, exactly: what ``\lim_{\beta \to \infty}`` of a quotient of exponential sums comes to.

Everything but the one variable has a value. An expression in the variable v is a quotient of sums of terms
``c v^p e^{r v}`` with rational r; at infinity the terms that grow fastest decide, at a point their values do.
What is not of that form has no limit here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.evaluation import NumericEvaluator
from symattn.proofs.cases.matrices import Array
from symattn.proofs.cases.numeric_tower import ONE, ZERO, Number, apply, order, over, plus, times
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.softmax_quotients import Entries
from symattn.records import dataclass

_Key = tuple[Fraction, int]
_Terms = Mapping[_Key, Number]
_START: _Key = (Fraction(0), 0)
_MOST_TERMS = 400
_MOST_DEPTH = 12
_MOST_POWER = 8


@dataclass(frozen=True, slots=True)
class _Quotient:
    above: _Terms
    below: _Terms


def has_limit(node: t.Node) -> bool:
    """Return whether a side takes a limit."""
    return any(isinstance(item, t.Call) and item.function.text == "lim" for item in walk(node))


def is_at_infinity(node: t.Node) -> bool:
    """Return whether a limit of it is taken at infinity."""
    names = {t.Name("oo"), t.Name("infinity")}
    targets = (item.arguments[1] for item in walk(node) if isinstance(item, t.Call) and item.function.text == "lim")
    return any(end in names for target in targets for end in walk(target))


def limit_value(node: t.Node, numeric: NumericEvaluator) -> Number:
    """Return the value of a side that is a limit.

    Args:
        node: a call of ``lim``, perhaps in brackets.
        numeric: the case.

    Raises:
        InputError: the limit is not of a form that is worked out here, or is infinite.
    """
    match node:
        case t.Group(body):
            return limit_value(body, numeric)
        case t.Call(t.Name("lim"), (t.Name(variable), target, body)):
            found = _Grown(numeric, variable).value(body)
        case _:
            raise InputError("A limit inside of an expression is not supported here.")
    sign = {t.Name("oo"): 1, t.Negative(t.Name("oo")): -1, t.Name("infinity"): 1}.get(target)
    if sign is not None:
        return _at_infinity(found, sign)
    point = numeric.value(target)
    if not isinstance(point, Fraction):
        raise InputError("A limit is taken at a rational number here.")
    return over(_at(found.above, point), _at(found.below, point))


def _at_infinity(found: _Quotient, sign: int) -> Number:
    above, below = (_leading(terms, sign) for terms in (found.above, found.below))
    if below is None:
        raise InputError("A quotient has no value there.")
    if above is None:
        return ZERO
    if above[0] == below[0]:
        # Odd powers of a variable that goes to minus infinity are the same above and below.
        return over(above[1], below[1])
    if (sign * above[0][0], above[0][1]) < (sign * below[0][0], below[0][1]):
        return ZERO
    raise InputError("The limit is not finite.")


def _leading(terms: _Terms, sign: int) -> tuple[_Key, Number] | None:
    kept = {key: value for key, value in terms.items() if _is_not_zero(value)}
    if not kept:
        return None
    key = max(kept, key=lambda item: (sign * item[0], item[1]))
    return key, kept[key]


def _is_not_zero(value: Number) -> bool:
    found = order(value, ZERO)
    if found is None:
        raise InputError("Whether a term vanishes is not decided.")
    return found != 0


def _at(terms: _Terms, point: Fraction) -> Number:
    total: Number = ZERO
    for (rate, power), value in terms.items():
        total = plus(total, times(times(value, point**power), apply("exp", rate * point)))
    return total


class _Grown:
    """Reader of a tree as a quotient of exponential sums in one variable."""

    def __init__(self, numeric: NumericEvaluator, variable: str) -> None:
        self.numeric = numeric
        self.variable = variable
        scope = numeric.scope
        meanings: dict[str, Sequence[str]] = {item.name: (item.body,) for item in scope.defined}
        for item in scope.hypotheses:
            if item.kind == "equal":
                meanings[item.about[0]] = (*meanings.get(item.about[0], ()), *item.values)
        names = (name for name in meanings if variable in names_reached([t.Name(name)], meanings, scope))
        self.varying = {variable, *names}

    def value(self, node: t.Node, depth: int = 0) -> _Quotient:
        """Return the quotient.

        Raises:
            InputError: it is none.
        """
        if depth > _MOST_DEPTH:
            raise InputError("Names are defined by each other too deeply.")
        if not self._varies(node):
            found = self.numeric.value(node)
            if isinstance(found, Array):
                raise InputError("A limit is taken of numbers here.")
            return _constant(found)
        match node:
            case t.Name(text) if text == self.variable:
                return _Quotient({(Fraction(0), 1): ONE}, {_START: ONE})
            case t.Group(body) | t.Boxed(body):
                return self.value(body, depth)
            case t.Negative(body):
                return _product(_constant(Fraction(-1)), self.value(body, depth))
            case t.Sum(terms, operators):
                total = self.value(terms[0], depth)
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self.value(term, depth)
                    total = _sum(total, value if operator == "+" else _product(_constant(Fraction(-1)), value))
                return total
            case t.Product(factors, _):
                result = self.value(factors[0], depth)
                for factor in factors[1:]:
                    result = _product(result, self.value(factor, depth))
                return result
            case t.Division(above, below):
                one, other = self.value(above, depth), self.value(below, depth)
                return _product(one, _Quotient(other.below, other.above))
            case t.Power(t.Name("e"), exponent) | t.Call(t.Name("exp"), (exponent,)):
                return self._exponential(self.value(exponent, depth))
            case t.Power(base, t.Number(text)) if text.isdecimal() and int(text) <= _MOST_POWER:
                result = _constant(ONE)
                for _ in range(int(text)):
                    result = _product(result, self.value(base, depth))
                return result
            case t.SumOver(index, _, upper, body, ()) if upper is not None:
                return self._sum_over(index.text, upper, body, depth)
            case t.Name() | t.Subscript():
                return self.value(self._spelt_out(node), depth + 1)
            case _:
                raise InputError("A form has no limit here.")

    def _sum_over(self, name: str, upper: t.Node, body: t.Node, depth: int) -> _Quotient:
        size = self.numeric.value(upper)
        if not isinstance(size, Fraction) or size.denominator != 1 or not 0 <= size <= _MOST_TERMS:
            raise InputError("A sum has no fixed number of terms here.")
        total = _constant(ZERO)
        for n in range(1, int(size) + 1):
            total = _sum(total, self.value(substitute(body, name, t.Number(str(n))), depth))
        return total

    def _exponential(self, inner: _Quotient) -> _Quotient:
        below = dict(inner.below)
        if set(below) != {_START} or not set(inner.above) <= {_START, (Fraction(0), 1)}:
            raise InputError("An exponent is not linear in the variable.")
        rate = over(inner.above.get((Fraction(0), 1), ZERO), below[_START])
        start = over(inner.above.get(_START, ZERO), below[_START])
        if not isinstance(rate, Fraction):
            raise InputError("The slope of an exponent is not a rational number here.")
        return _Quotient({(rate, 0): apply("exp", start)}, {_START: ONE})

    # Names -----------------------------------------------------------------------------------------

    def _varies(self, node: t.Node) -> bool:
        return any(isinstance(item, t.Name) and item.text in self.varying for item in walk(node))

    def _spelt_out(self, node: t.Node) -> t.Node:
        match node:
            case t.Subscript(t.Call(t.Name("softmax"), (inner,)), (index,)):
                return Entries(self.numeric.scope).quotient(inner, index)
            case t.Subscript(base, indices):
                item = self.numeric.defined.get(plain_name(base) or "")
            case t.Name(text):
                item, indices = self.numeric.defined.get(text), ()
            case _:
                item, indices = None, ()
        if item is None or len(item.indices) != len(indices):
            raise InputError("A name has no value here.")
        body = read_text(item.body, self.numeric.scope)
        for name, value in zip(item.indices, indices, strict=True):
            body = substitute(body, name, self._as_number(value))
        return t.Group(body)

    def _as_number(self, node: t.Node) -> t.Node:
        if isinstance(node, t.Name) and node.text in self.numeric.model.fixed:
            return t.Number(str(self.numeric.model.fixed[node.text]))
        return node


def _constant(value: Number) -> _Quotient:
    return _Quotient({_START: value}, {_START: ONE})


def _multiplied(first: _Terms, second: _Terms) -> _Terms:
    found: dict[_Key, Number] = {}
    for (rate, power), value in first.items():
        for (other, exponent), factor in second.items():
            key = (rate + other, power + exponent)
            found[key] = plus(found.get(key, ZERO), times(value, factor))
    if len(found) > _MOST_TERMS:
        raise InputError("A product has too many terms.")
    return found


def _added(first: _Terms, second: _Terms) -> _Terms:
    found = dict(first)
    for key, value in second.items():
        found[key] = plus(found.get(key, ZERO), value)
    return found


def _product(first: _Quotient, second: _Quotient) -> _Quotient:
    return _Quotient(_multiplied(first.above, second.above), _multiplied(first.below, second.below))


def _sum(first: _Quotient, second: _Quotient) -> _Quotient:
    if dict(first.below) == dict(second.below):
        return _Quotient(_added(first.above, second.above), first.below)
    above = _added(_multiplied(first.above, second.below), _multiplied(second.above, first.below))
    return _Quotient(above, _multiplied(first.below, second.below))
