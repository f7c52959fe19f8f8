"""An evaluator of printed closed forms that shares no code with the package.

Exponentials of distinct rationals are linearly independent over the rationals (Lindemann and Weierstrass),
so two quotients of sums c·exp(x) are equal exactly when their cross products have the same coefficients.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import mpmath

Sum = dict[Fraction, Fraction]
"""Exponent to coefficient, no coefficient zero."""


@dataclass(frozen=True)
class Ratio:
    """A quotient of two exponential sums."""

    above: Sum
    below: Sum

    def equals(self, other: Ratio) -> bool:
        return times(self.above, other.below) == times(other.above, self.below)

    def digits(self, precision: int) -> mpmath.mpf:
        with mpmath.workdps(precision):
            return total(self.above) / total(self.below)


def closed_form(text: str) -> Ratio:
    """The value of text in integers, ``+ - * / **``, brackets and ``exp``; nothing else is read."""
    return _value(ast.parse(text, mode="eval").body)


def plus(left: Sum, right: Sum) -> Sum:
    keys = left.keys() | right.keys()
    summed = {key: left.get(key, Fraction(0)) + right.get(key, Fraction(0)) for key in keys}
    return {key: value for key, value in summed.items() if value}


def times(left: Sum, right: Sum) -> Sum:
    return reduce(plus, ({a + b: c * d for b, d in right.items()} for a, c in left.items()), {})


def total(terms: Sum) -> mpmath.mpf:
    return mpmath.fsum(
        mpmath.mpf(c.numerator) / c.denominator * mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        for x, c in terms.items()
    )


def _value(node: ast.expr) -> Ratio:
    one = {Fraction(0): Fraction(1)}
    match node:
        case ast.Constant(value=int(number)):
            return Ratio({Fraction(0): Fraction(number)} if number else {}, one)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _value(operand)
            return Ratio(times({Fraction(0): Fraction(-1)}, value.above), value.below)
        case ast.Call(func=ast.Name(id="exp"), args=[argument]):
            return Ratio({_rational(_value(argument)): Fraction(1)}, one)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(power))) if power >= 0:
            value = _value(base)
            return reduce(_times, [value] * power, Ratio(one, one))
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(_value(left), operator, _value(right))
    raise ValueError(ast.dump(node))


def _combined(left: Ratio, operator: ast.operator, right: Ratio) -> Ratio:
    match operator:
        case ast.Add() | ast.Sub():
            sign = Fraction(1 if isinstance(operator, ast.Add) else -1)
            crossed = times({Fraction(0): sign}, times(right.above, left.below))
            return Ratio(plus(times(left.above, right.below), crossed), times(left.below, right.below))
        case ast.Mult():
            return _times(left, right)
        case ast.Div() if right.above:
            return Ratio(times(left.above, right.below), times(left.below, right.above))
    raise ValueError(ast.dump(operator))


def _times(left: Ratio, right: Ratio) -> Ratio:
    return Ratio(times(left.above, right.above), times(left.below, right.below))


def _rational(value: Ratio) -> Fraction:
    zero = Fraction(0)
    if set(value.above) | set(value.below) > {zero}:
        raise ValueError("an exponent is a rational number")
    return value.above.get(zero, zero) / value.below[zero]
