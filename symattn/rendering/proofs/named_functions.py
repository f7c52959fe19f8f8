r"""Functions of the proof language in the symbols of textbooks: cumulants as ``\kappa_r(X)``, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare

AT_LEAST = "≥"
_MEANINGS = {
    "Phi": r"$\Phi$ is the distribution function of the standard normal law",
    "erf": r"$\operatorname{erf}$ is the error function",
    "cdf": r"$\operatorname{cdf}(X, x)$ is the probability that $X$ is at most $x$",
    "cumulant": r"$\kappa_{r}(X)$ is the cumulant of order $r$ of $X$",
    "coefficient": r"$[t^{r}] K$ is the coefficient of $t^{r}$ in the power series of $K$",
    "density": r"$f_{X}$ is the density of $X$",
    "besselK": r"$K_{\nu}$ is the modified Bessel function of the second kind",
}
"""The symbols that a reader may not know, by the functions that they stand for."""

_WORD = re.compile(r"[A-Za-z]+")
_LIKE_AT_LEAST = re.compile(r"cdf\(-\(?abs\(")
_PARTIAL = t.Name("partial")


def in_symbols(node: t.Node) -> t.Node:
    r"""Return a call in the symbols of textbooks; any other tree as it is.

    >>> from symattn.notation.writers.latex import write_latex
    >>> write_latex(in_symbols(t.Call(t.Name("cumulant"), (t.Name("X"), t.Number("3")))))
    '\\kappa_{3}(X)'
    """
    if not isinstance(node, t.Call) or node.function.text not in _SYMBOLS:
        return node
    return _SYMBOLS[node.function.text](*node.arguments) or node


def meanings(texts: Iterable[str]) -> str:
    r"""Return in a sentence what the symbols of some formulas in plain text mean; nothing where all are common.

    >>> print(meanings(["Phi(x)", "1"]))
    In the formulas, $\Phi$ is the distribution function of the standard normal law.
    """
    used = set(_WORD.findall(_LIKE_AT_LEAST.sub("abs(", " ".join(texts))))
    found = [meaning for name, meaning in _MEANINGS.items() if name in used]
    return f"In the formulas, {'; '.join(found)}." if found else ""


def _applied(symbol: str) -> Callable[[t.Node, t.Node], t.Node]:
    """Return a layout with the first argument as the index of a symbol, the second in brackets."""

    def indexed(index: t.Node, argument: t.Node) -> t.Node:
        below = t.Division(index.numerator, index.denominator, bar=False) if isinstance(index, t.Division) else index
        return t.Product((t.Subscript(t.Name(symbol), (bare(below),)), t.Group(bare(argument))), ("",))

    return indexed


def _cumulant(variable: t.Node, order: t.Node) -> t.Node:
    return _applied("kappa")(order, variable)


def _coefficient(series: t.Node, variable: t.Node, order: t.Node) -> t.Node:
    body = series if isinstance(series, t.Name | t.Subscript | t.Group) else t.Group(series)
    return t.Product((t.Group(t.Power(variable, bare(order)), "["), body), ("",))


def _probability(variable: t.Node, bound: t.Node) -> t.Node | None:
    """Return the probability of an upper tail, which the language writes by the opposite variable."""
    sides = [bare(item.body) for item in (variable, bound) if isinstance(item, t.Negative)]
    if len(sides) < 2 or any(isinstance(item, t.Sum | t.Product) for item in sides):
        return None
    # A relation in brackets would not be read back as one.
    tail = t.Product((sides[0], t.Name(AT_LEAST, font="text"), sides[1]), ("", ""))
    return t.Product((t.Name("P", font="blackboard"), t.Group(tail)), ("",))


def derivative(order: int, body: t.Node, variable: t.Node) -> t.Node:
    r"""Return a partial derivative of an order.

    >>> from symattn.notation.writers.latex import write_latex
    >>> write_latex(derivative(3, t.Name("K"), t.Name("t")))
    '\\frac{\\partial^{3} K}{\\partial t^{3}}'
    """
    if order == 1:
        return t.Call(t.Name("diff"), (body, variable))
    sign, below = (t.Power(base, t.Number(str(order))) for base in (_PARTIAL, variable))
    under = t.Product((_PARTIAL, below), ("",))
    if isinstance(body, t.Name | t.Subscript):
        return t.Division(t.Product((sign, body), ("",)), under, bar=True)
    return t.Product((t.Division(sign, under, bar=True), t.Group(body)), ("",))


def is_derivative(node: t.Division) -> bool:
    """Return whether a quotient is a derivative of higher order."""
    return isinstance(node.denominator, t.Product) and node.denominator.factors[0] == _PARTIAL


def spliced(factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Product:
    """Return a product whose factors may be products, as one."""
    found = t.Product((), ())
    for operator, factor in zip(("", *operators), factors, strict=True):
        own = factor if isinstance(factor, t.Product) else t.Product((factor,), ())
        joint = (operator,) if found.factors else ()
        found = t.Product((*found.factors, *own.factors), (*found.operators, *joint, *own.operators))
    return found


def repeated(node: t.Call) -> tuple[int, t.Node, t.Node]:
    """Return how often a derivative is taken by its variable, of what, and the variable."""
    body, variable = bare(node.arguments[0]), node.arguments[1]
    if isinstance(body, t.Call) and body.function.text == "diff" and body.arguments[1] == variable:
        order, innermost, _ = repeated(body)
        return order + 1, innermost, variable
    return 1, body, variable


_SYMBOLS: dict[str, Callable[..., t.Node | None]] = {
    "cumulant": _cumulant,
    "coefficient": _coefficient,
    "density": _applied("f"),
    "besselK": _applied("K"),
    "cdf": _probability,
}
