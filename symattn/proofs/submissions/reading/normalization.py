r"""People's notation of proofs, brought to the forms that the language of proofs knows. Names stay as they are.

``V(X)``, ``var[X]`` and ``\sigma^2(X)`` are variances, ``\langle q, k \rangle`` a dot product, a sum from 0 or
with terms left out a difference of sums from 1, and ``q_1 k_1 + ... + q_d k_d`` a sum over an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.proofs.language.interpretation import ELEMENTARY

_VARIANCES = frozenset({"V", "Var", "var", "VAR", "Variance", "variance", "D"})
_SPREADS = frozenset({"std", "Std", "STD", "SD", "sd", "stddev", "stdev"})
_COVARIANCES = frozenset({"cov", "COV"})
_MOST_FIRST_TERMS = 8

_CONSTANTS = frozenset({"a", "b", "c", "s", "t", "alpha", "beta", "gamma", "lambda", "c_1", "c_2"})
"""Letters for numbers with which random quantities are multiplied."""

_CORRELATIONS = frozenset({"Corr", "corr", "cor", "Cor"})

IsRandom = Callable[[t.Node], bool]


def proof_forms(node: t.Node, is_random: IsRandom, functions: frozenset[str] = frozenset()) -> t.Node:
    r"""Return a side of a chain in the forms of proofs.

    Args:
        node: what was read.
        functions: names that call what stands in brackets behind them, besides those of every proof.
        is_random: whether an expression speaks of random quantities, so that ``\sigma^2(...)`` is a variance.

    Raises:
        NotationError: a sum leaves out what cannot be taken from the whole.

    >>> from symattn.notation.writers.plain import describe
    >>> from symattn.notation.parser.plain import read_plain
    >>> describe(proof_forms(read_plain("sum_{i=0}^{d - 1} q_i"), lambda node: False))
    'sum_{i=1}^{d} q_i'
    """
    return _Forms(is_random, functions | ELEMENTARY).form(node)


def differentiated_names(sides: Iterable[t.Node]) -> frozenset[str]:
    """Return the names alone of which a derivative is taken: they are not lengths."""
    calls = [node for side in sides for node in walk(side) if isinstance(node, t.Call) and node.function.text == "diff"]
    return frozenset(call.arguments[0].text for call in calls if isinstance(call.arguments[0], t.Name))


class _Forms:
    def __init__(self, is_random: IsRandom, functions: frozenset[str]) -> None:
        self.is_random = is_random
        self.functions = functions

    def form(self, node: t.Node) -> t.Node:
        match node:
            case t.Product(factors, operators):
                return self._product(factors, operators)
            case t.Call(t.Name("inner"), (first, second)):
                return t.Product((self.form(first), self.form(second)), ("cdot",))
            case t.Call(t.Name("mean"), arguments):
                return t.Call(t.Name("E"), tuple(map(self.form, arguments)))
            case t.Call(t.Name("softargmax" | "softMax" | "SoftMax" | "SOFTMAX" | "softArgMax"), arguments):
                return t.Call(t.Name("softmax"), tuple(map(self.form, arguments)))
            case t.Call(t.Name(name), arguments) if name in _CORRELATIONS:
                return _correlation(tuple(map(self.form, arguments)))
            case t.Call(function, arguments):
                return t.Call(t.Name(function.text), tuple(map(self.form, arguments)))
            case t.SumOver():
                return self._sum(node)
            case t.Sum(terms) if any(isinstance(term, t.Dots) for term in terms):
                return _written_out(t.Sum(tuple(map(self.form, terms)), node.operators))
            case t.Group(body, brackets) if brackets != "(":
                return t.Group(self.form(body))
            case t.Boxed(body):
                return t.Group(self.form(body))
            case _:
                return rebuilt(node, self.form)

    # Calls that were read as products ------------------------------------------------------------------

    def _product(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
        found: list[t.Node] = []
        signs: list[str] = []
        position = 0
        while position < len(factors):
            following = factors[position + 1] if position + 1 < len(factors) else None
            call = self._call(factors[position], following)
            if position:
                signs.append(operators[position - 1])
            found.append(self.form(factors[position]) if call is None else call)
            position += 1 if call is None else 2
        return found[0] if len(found) == 1 else t.Product(tuple(found), tuple(signs))

    def _call(self, head: t.Node, following: t.Node | None) -> t.Node | None:
        if not isinstance(following, t.Group | t.Vector):
            return None
        body = following.body if isinstance(following, t.Group) else following
        if isinstance(head, t.Name) and head.text in _COVARIANCES and isinstance(body, t.Vector):
            return t.Call(t.Name("Cov"), tuple(map(self.form, body.items)))
        if isinstance(head, t.Name) and head.text in _CORRELATIONS and isinstance(body, t.Vector):
            return _correlation(tuple(map(self.form, body.items)))
        if isinstance(body, t.Vector):
            return None
        if isinstance(head, t.Name) and head.text in self.functions:
            return t.Call(t.Name(head.text), (self.form(body),))
        if isinstance(head, t.Name) and head.text in _SPREADS:
            return t.Root(t.Call(t.Name("Var"), (self.form(body),)))
        is_square = head == t.Power(t.Name("sigma"), t.Number("2"))
        is_word = isinstance(head, t.Name) and head.text in _VARIANCES
        if (is_square or is_word) and self.is_random(body):
            return t.Call(t.Name("Var"), (self.form(body),))
        return None

    # Sums ----------------------------------------------------------------------------------------------

    def _sum(self, node: t.SumOver) -> t.Node:
        """Write a sum from 1 on, with nothing left out."""
        body, upper = self.form(node.body), None if node.upper is None else self.form(node.upper)
        lower = t.Number("1") if node.lower is None else node.lower
        name = node.index.text
        if not isinstance(lower, t.Number) or lower.value.denominator != 1:
            raise NotationError("A sum begins at a whole number here.", _at(node))
        taken: list[t.Node] = []
        first = int(lower.value)
        if first == 0 and upper is not None:
            upper = _next(upper)
            if any(item == node.index for item in _outside_indices(body)):
                body = substitute(body, name, t.Group(t.Sum((node.index, t.Number("1")), ("-",))))
        elif not 1 <= first <= _MOST_FIRST_TERMS:
            raise NotationError("A sum begins at 0, 1 or a small number here.", _at(node))
        else:
            taken = [substitute(body, name, t.Number(str(n))) for n in range(1, first)]
        taken.extend(substitute(body, name, value) for value in node.excluded)
        whole: t.Node = t.SumOver(t.Name(name), t.Number("1") if upper is not None else None, upper, body)
        if not taken:
            return whole
        terms = tuple(t.Group(term) if isinstance(term, t.Sum) else term for term in taken)
        return t.Group(t.Sum((whole, *terms), ("-",) * len(terms)))


def _correlation(arguments: tuple[t.Node, ...]) -> t.Node:
    """Return the covariance over the standard deviations."""
    spreads = tuple(t.Root(t.Call(t.Name("Var"), (one,))) for one in arguments)
    return t.Group(
        t.Division(t.Call(t.Name("Cov"), arguments), t.Group(t.Product(spreads, ("",) * (len(spreads) - 1))))
    )


def averaged_names(sides: Iterable[t.Node]) -> frozenset[str]:
    """Return the names of which a mean is taken by themselves, or given them."""
    calls = [
        item
        for side in sides
        for item in walk(side)
        if isinstance(item, t.Call) and item.function.text in t.MEANS | {"mean"}
    ]
    found = (bare(argument) for call in calls for argument in call.arguments)
    return frozenset(node.text for node in found if isinstance(node, t.Name))


def constant_names(sides: Iterable[t.Node]) -> frozenset[str]:
    """Return the usual letters of constants, but for those that are random."""
    return _CONSTANTS - averaged_names(sides)


def name_tree(text: str) -> t.Node:
    """Return the tree of a name: ``k_1`` has an index."""
    base, _, index = text.partition("_")
    ends = (t.Number(index) if index.isdigit() else t.Name(index),)
    return t.Subscript(t.Name(base), ends) if index else t.Name(base)


def _next(node: t.Node) -> t.Node:
    """Add one: ``d - 1`` becomes ``d``."""
    match node:
        case t.Sum((first, t.Number("1")), ("-",)):
            return first
        case t.Number(text) if text.isdecimal():
            return t.Number(str(int(text) + 1))
        case t.Sum(terms, operators):
            return t.Sum((*terms, t.Number("1")), (*operators, "+"))
        case _:
            return t.Sum((node, t.Number("1")), ("+",))


def _outside_indices(node: t.Node) -> list[t.Node]:
    """Return all nodes of a tree but the indices of subscripts."""
    found: list[t.Node] = [node]
    for child in t.children(node)[:1] if isinstance(node, t.Subscript) else t.children(node):
        found.extend(_outside_indices(child))
    return found


def substitute(node: t.Node, name: str, value: t.Node) -> t.Node:
    """Return the tree with a value for an index, where no sum binds it.

    Raises:
        NotationError: a sum inside binds a name of the value.
    """
    if node == t.Name(name):
        return value
    if isinstance(node, t.Subscript) and node.base == t.Name(name):
        # A letter with an index is not an index itself: c in c_1.
        return t.Subscript(node.base, tuple(substitute(index, name, value) for index in node.indices))
    if isinstance(node, t.SumOver):
        if node.index.text == name:
            return node
        if any(item == node.index for item in walk(value)) and any(item == t.Name(name) for item in walk(node.body)):
            raise NotationError("Two sums use one index for two things: give one of them another letter.", _at(node))
    return rebuilt(node, lambda child: substitute(child, name, value))


def substitute_all(node: t.Node, values: Mapping[str, t.Node]) -> t.Node:
    """Return the tree with values for indices, all at once: a value may hold one of the indices itself.

    Raises:
        NotationError: a sum inside binds a name of a value.
    """
    for name in values:
        node = substitute(node, name, t.Name(name * 3))
    for name, value in values.items():
        node = substitute(node, name * 3, value)
    return node


def _written_out(node: t.Sum) -> t.Node:
    """Write ``q_1 k_1 + q_2 k_2 + ... + q_d k_d`` as a sum over an index, where the pattern is plain."""
    terms = node.terms
    first, last = terms[0], terms[-1]
    if set(node.operators) != {"+"} or sum(isinstance(term, t.Dots) for term in terms) != 1:
        raise NotationError("What the dots leave out is not clear here.", _at(node))
    if not isinstance(terms[-2], t.Dots):
        raise NotationError("What the dots leave out is not clear here: one term stands behind them.", _at(node))
    used = {item.text for item in walk(node) if isinstance(item, t.Name)}
    running = next(letter for letter in ("i", "j", "l", "r", "u", "w", "running") if letter not in used)
    body = _generalised(first, t.Number("1"), running)
    for number, term in enumerate(terms[:-2], start=1):
        if _generalised(term, t.Number(str(number)), running) != body:
            raise NotationError("What the dots leave out is not clear here.", _at(node))
    for end in {item for side in walk(last) if isinstance(side, t.Subscript) for item in side.indices}:
        if _generalised(last, end, running) == body:
            return t.Group(t.SumOver(t.Name(running), t.Number("1"), end, body))
    raise NotationError("What the dots leave out is not clear here.", _at(node))


def _generalised(node: t.Node, value: t.Node, name: str) -> t.Node:
    if isinstance(node, t.Subscript):
        indices = tuple(t.Name(name) if index == value else index for index in node.indices)
        return t.Subscript(_generalised(node.base, value, name), indices)
    return rebuilt(node, lambda child: _generalised(child, value, name))


def _at(node: t.Node) -> int:
    return node.span[0] if node.span is not None else 0
