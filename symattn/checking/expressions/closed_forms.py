"""Closed forms as values: collected irrational numbers, ``4 - 2√2``, are not compared as working."""

from __future__ import annotations

from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.expressions.terms import flat_factors, flat_terms, has_zero
from symattn.notation.tree import nodes as t

_FUNCTIONS = frozenset({"sqrt", "sin", "cos", "tanh", "exp"})


def is_collected(node: t.Node) -> bool:
    """Return whether a node is a sum of two or more rational multiples of roots, sines and the like, not all rational.

    >>> from symattn.notation.parser.plain import read_plain
    >>> [is_collected(read_plain(text)) for text in ("4 - 2 sqrt(2)", "1*2 + 3*sqrt(2)*4", "3 + 4", "sin(1)/2 + 1")]
    [True, False, False, True]
    """
    terms = flat_terms(bare(node))
    return len(terms) > 1 and all(map(is_term, terms)) and not all(figure(term) is not None for term in terms)


def is_term(node: t.Node) -> bool:
    """Return whether a node is a number times roots, sines and the like."""
    node = bare(node)
    if figure(node) is not None:
        return True
    match node:
        case t.Negative(body):
            return is_term(body)
        case t.Division(above, below):
            return is_term(above) and figure(below) is not None
        case t.Power(t.Name("e"), _) | t.Root() | t.Name("pi"):
            return True
        case t.Power(base, exponent):
            return is_term(base) and figure(exponent) is not None
        case t.Call(function, (argument,)):
            return function.text in _FUNCTIONS and (is_term(argument) or is_collected(argument))
        case t.Product():
            factors = flat_factors(node)[1]
            if any(map(has_zero, factors)):
                return False  # working: nothing collected has such a term
            return all(map(is_term, factors)) and sum(figure(factor) is not None for factor in factors) <= 1
    return False
