"""Written arithmetic as signed terms and factors; closed forms with their terms collected.

Collected irrational numbers, ``4 - 2√2``, are values and not working to be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from symattn.checking.expressions.numerals import FITS, Figure, bare, figure
from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t


def is_rounding_of(
    after: t.Node, before: t.Node, worth: Callable[[t.Node], list[Quotient]], close: Callable[[Figure, Quotient], str]
) -> bool:
    """Return whether a side is the one before, partly worked out and rounded: ``2.03/8.16`` after exponentials."""
    later, earlier = bare(after), bare(before)
    number = figure(later)
    if number is not None:
        return any(close(number, value) in FITS for value in worth(earlier))
    if later == earlier:
        return True
    if isinstance(later, t.Sum) and isinstance(earlier, t.Sum):
        ones, others = ([term for term in flat_terms(side) if not has_zero(term)] for side in (later, earlier))
        alike = len(ones) == len(others)
        return alike and all(is_rounding_of(*pair, worth, close) for pair in zip(ones, others, strict=True))
    pairs = list(zip(t.children(later), t.children(earlier), strict=False))
    is_alike = type(later) is type(earlier) and len(t.children(later)) == len(t.children(earlier)) and bool(pairs)
    if not is_alike or getattr(later, "operators", ()) != getattr(earlier, "operators", ()):
        return False
    return all(is_rounding_of(one, other, worth, close) for one, other in pairs)


def flat_terms(node: t.Node) -> list[t.Node]:
    """Return the terms of a sum with their signs, brackets opened."""
    node = bare(node)
    if not isinstance(node, t.Sum) or figure(node) is not None:
        return [node]
    signs = ("+", *node.operators)
    found = []
    for sign, term in zip(signs, node.terms, strict=True):
        inner = flat_terms(term)
        found.extend(inner if sign == "+" else [turned(item) for item in inner])
    return found


def flat_factors(node: t.Node) -> tuple[bool, list[t.Node]]:
    """Return whether a minus sign stands before a product, and its factors, brackets around products opened."""
    node = bare(node)
    if isinstance(node, t.Negative):
        negative, factors = flat_factors(node.body)
        return not negative, factors
    if not isinstance(node, t.Product):
        return False, [node]
    negative = False
    found: list[t.Node] = []
    for factor in node.factors:
        if isinstance(bare(factor), t.Product):
            sign, inner = flat_factors(factor)
            negative, found = negative != sign, found + inner
        else:
            found.append(factor)
    return negative, found


def signings(factors: list[t.Node], *, negative: bool) -> list[list[t.Node]]:
    """Return the factors with the minus sign before them drawn to each in turn."""
    if not negative:
        return [factors]
    return [
        [turned(item) if k == position else item for k, item in enumerate(factors)] for position in range(len(factors))
    ]


def turned(node: t.Node) -> t.Node:
    """Return the negative of a node; dots between subtracted terms are dots."""
    inner = bare(node)
    if isinstance(inner, t.Dots):
        return node
    return inner.body if isinstance(inner, t.Negative) else t.Negative(inner, span=node.span)


def has_zero(node: t.Node) -> bool:
    """Return whether one of the factors of a term is zero."""
    _, factors = flat_factors(node)
    numbers = [figure(factor) for factor in factors]
    return any(number is not None and number.value == 0 for number in numbers)


_MOST = 16
"""Terms beyond which closed forms count only in brackets."""

_FUNCTIONS = frozenset({"sqrt", "sin", "cos", "tanh", "exp"})


def is_collected(node: t.Node, is_symbol: Callable[[t.Node], bool] = lambda _: False) -> bool:
    """Return whether a node is a sum of two or more rational multiples of roots, sines and the like, not all rational.

    Args:
        node: the sum.
        is_symbol: whether a name is a symbol of the sheet, which counts as a root does.

    >>> from symattn.notation.parser.plain import read_plain
    >>> [is_collected(read_plain(text)) for text in ("4 - 2 sqrt(2)", "1*2 + 3*sqrt(2)*4", "3 + 4", "sin(1)/2 + 1")]
    [True, False, False, True]
    """
    terms = flat_terms(bare(node))
    if len(terms) < 2 or all(figure(term) is not None for term in terms):
        return False
    return all(is_term(term, is_symbol) for term in terms)


def with_closed_forms(node: t.Node) -> list[list[t.Node]]:
    """Return the readings of a sum in which closed forms are single terms: those in brackets, or one of adjacent terms.

    >>> from symattn.notation.parser.plain import read_plain
    >>> [list(map(len, with_closed_forms(read_plain(text)))) for text in ("3 + (4 - sqrt(2))", "0.3 + 4 - sqrt(2)")]
    [[2, 1, 2], [1, 2]]
    """
    terms = flat_terms(node)
    found = [_signed(node)] if isinstance(node, t.Sum) and any(map(is_collected, node.terms)) else []
    for start, stop in combinations(range(len(terms) + 1 if len(terms) <= _MOST else 0), 2):
        first, *rest = terms[start:stop]
        run = t.Sum((first, *rest), ("+",) * len(rest), span=node.span) if rest else first
        if is_collected(run):
            found.append([*terms[:start], run, *terms[stop:]])
    return found


def _signed(node: t.Sum) -> list[t.Node]:
    """Return the terms of a sum with their signs, brackets kept."""
    first, *rest = node.terms
    pairs = zip(node.operators, rest, strict=True)
    return [first, *(turned(term) if operator == "-" else term for operator, term in pairs)]


def is_term(node: t.Node, is_symbol: Callable[[t.Node], bool] = lambda _: False) -> bool:
    """Return whether a node is a number times roots, sines, symbols and the like."""
    node = bare(node)
    if figure(node) is not None or is_symbol(node):
        return True
    match node:
        case t.Negative(body):
            return is_term(body, is_symbol)
        case t.Division(above, below):
            return is_term(above, is_symbol) and figure(below) is not None
        case t.Power(t.Name("e"), _) | t.Root() | t.Name("pi"):
            return True
        case t.Power(base, exponent):
            return is_term(base, is_symbol) and figure(exponent) is not None
        case t.Call(function, (argument,)):
            return function.text in _FUNCTIONS and (is_term(argument) or is_collected(argument))
        case t.Product():
            factors = flat_factors(node)[1]
            if any(map(has_zero, factors)):
                return False  # working: nothing collected has such a term
            numbers = sum(figure(factor) is not None for factor in factors)
            return numbers <= 1 and all(is_term(factor, is_symbol) for factor in factors)
    return False
