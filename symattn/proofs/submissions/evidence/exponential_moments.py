"""Means of exponentials of normal quantities, worked out step by step with the lemmas of the kernel.

A linear normal quantity goes out of the exponent, a quadratic one leaves a Gaussian integral, and a sum of independent
terms with one law a power. Given some quantities, the mean is taken over the others alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.record import Step
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.tree_parts import exponent_of
from symattn.proofs.language.values import entrywise
from symattn.proofs.lemmas.table import LEMMAS
from symattn.proofs.submissions.attempts import otherwise
from symattn.proofs.submissions.reading.normalization import substitute

_KINDS = frozenset({"independent", "coordinates", "same-law", "law", "positive"})
_VECTOR = "vector "
_MEAN = "E"
_FIRST = t.Number("1")
_TWO = t.Number("2")
_RUNNING = ("w", "u", "z")
_MULTIPLES = ("1", "2", "1/2", "4")


def has_exponential_mean(node: t.Node) -> bool:
    """Tell whether a side holds the mean of an exponential."""
    return any(_exponent_of_mean(item) is not None for item in walk(node))


class ExponentialMeans:
    """Means of exponentials in a scope.

    Args:
        scope: the names and hypotheses.
        ids: the hypotheses that may be used.
        values: letters that have a value here.
        positive: what is positive where the link holds, in plain syntax.
    """

    def __init__(self, scope: Scope, ids: Sequence[str], values: Mapping[str, str], positive: Sequence[str]) -> None:
        self.values = values
        defined = tuple(replace(item, body=self._put(item.body, scope)) for item in scope.defined)
        kept = [item for item in scope.hypotheses if item.id in set(ids) and item.kind in _KINDS]
        hypotheses = [replace(item, values=tuple(self._in_values(item, scope))) for item in kept]
        bounds = [
            Hypothesis(f"positive {n}", text, "positive", (), (self._put(text, scope),))
            for n, text in enumerate(positive)
        ]
        self.laws = {
            name: (item.values[1], item.values[2])
            for item in hypotheses
            if item.kind == "law" and item.values[0] == "gaussian"
            for name in item.about
        }
        joint = {name for item in hypotheses if item.kind == "coordinates" for name in item.about}
        vectors = [
            Hypothesis(f"{_VECTOR}{name}", f"{name} is normal", "normal-vector", (name,), (m, f"({v}) delta_{{ij}}"))
            for name, (m, v) in self.laws.items()
            if name in joint
        ]
        self.scope = replace(scope, defined=defined, hypotheses=(*hypotheses, *bounds, *vectors))
        self.ids = tuple(item.id for item in self.scope.hypotheses)
        signs = [item for item in (*hypotheses, *bounds) if item.kind == "positive"]
        self.positive = [text for item in signs for text in item.values or item.about]
        self.sizes = {item.name: item.sizes for item in scope.declared if item.random}
        self.language = Language(self.scope, Facts())

    def are_equal(self, left: t.Node, right: t.Node) -> bool:
        """Tell whether two sides are one expression once their means of exponentials are worked out."""
        sides = [self._closed(self._with_values(side)) for side in (left, right)]
        pairs = entrywise(self.language.value(sides[0]), self.language.value(sides[1]))
        return pairs is not None and all(one.equals(other) for one, other in pairs)

    # Values of letters -------------------------------------------------------------------------------

    def _in_values(self, item: Hypothesis, scope: Scope) -> Iterator[str]:
        start = 1 if item.kind == "law" else 0
        yield from item.values[:start]
        yield from (self._put(text, scope) for text in item.values[start:])

    def _put(self, text: str, scope: Scope) -> str:
        return describe(self._with_values(read_text(text, scope)))

    def _with_values(self, node: t.Node) -> t.Node:
        name = plain_name(node)
        value = None if name is None or isinstance(node, t.Group) else self.values.get(name)
        if value is not None:
            return t.Number(value)
        return node if isinstance(node, t.Subscript) else rebuilt(node, self._with_values)

    # Means -------------------------------------------------------------------------------------------

    def _closed(self, node: t.Node) -> t.Node:
        """Return the side with every mean of an exponential worked out.

        Raises:
            InputError: one of them is not known here.
        """
        match node:
            case t.Call(t.Name("E"), (t.Call(t.Name("E"), (inner, _)),)):
                return self._closed(t.Call(t.Name(_MEAN), (inner,)))
        exponent = _exponent_of_mean(node)
        if exponent is None or not isinstance(node, t.Call):
            return rebuilt(node, self._closed)
        given = node.arguments[1] if len(node.arguments) > 1 else None
        found = self._mean(exponent) if given is None else self._mean_given(exponent, given)
        return t.Group(read_text(found, self.scope))

    def _mean_given(self, exponent: t.Node, given: t.Node) -> str:
        items = given.items if isinstance(given, t.Vector) else (given,)
        known: set[str] = set()
        for item in items:
            name = plain_name(item)
            if name not in self.sizes and isinstance(item, t.Subscript):
                name = plain_name(item.base)
                if {describe(entry) for entry in self._entries(exponent, name or "")} != {describe(item)}:
                    raise InputError("What is given is not all that the exponent has of it.")
            if name not in self.sizes:
                raise InputError("What is given is not random.")
            known.add(name or "")
        moving = sorted(self._random(exponent) - known)
        if len(moving) != 1 or not self._random(exponent) & known:
            raise InputError("One quantity moves here, and another one is given.")
        return f"exp({self._without(describe(exponent), exponent, moving[0])})"

    def _mean(self, exponent: t.Node) -> str:
        one = self._at_one(exponent)
        if one == exponent:
            return self._mean_of_entries(exponent)
        size = next(self.sizes[name][0] for name in sorted(self._random(exponent)))
        before, after = (f"E(exp({describe(node)}))" for node in (exponent, one))
        self._require("independent-exponentials", before, f"({after})^({size})")
        return f"({self._mean_of_entries(one)})^({size})"

    def _mean_of_entries(self, exponent: t.Node) -> str:
        """Integrate entry by entry: those linear in the exponent first, the last one by a Gaussian integral."""
        text, waiting = describe(exponent), sorted(self._random(exponent))
        while waiting:
            name = next((one for one in waiting if self._is_linear(text, exponent, one)), None)
            if name is None:
                break
            text = self._without(text, exponent, name)
            waiting.remove(name)
        if not waiting:
            return f"exp({text})"
        if len(waiting) > 1:
            raise InputError("The exponent is linear in none of two quantities.")
        return self._integral(text, self._entry(exponent, waiting[0]), waiting[0])

    def _is_linear(self, text: str, exponent: t.Node, name: str) -> bool:
        entry = self._entry(exponent, name)
        slope = self.language.number(read_text(f"diff({text}, {entry})", self.scope))
        return all(atom.name != name for atom in slope.atoms())

    def _without(self, text: str, exponent: t.Node, name: str) -> str:
        """Return the exponent without a normal quantity that is linear in it."""
        mean, variance = self._law(name)
        entries = {describe(item) for item in self._entries(exponent, name)}
        is_entry = len(entries) == 1 and not self._is_whole(exponent, name)
        letter = next(one for one in _RUNNING if t.Name(one) not in walk(exponent))
        at = next(iter(entries)) if is_entry else f"{name}_{letter}"
        slope = f"diff({text}, {at})"
        change = f"(({mean}) - {at}) {slope} + (({variance})/2) ({slope})^2"
        size = self.sizes[name][0]
        after = f"{text} + {change}" if is_entry else f"{text} + sum_{{{letter}=1}}^{{{size}}} ({change})"
        others = self._random(exponent) - {name}
        written = f"E(exp({after}))" if others else f"exp({after})"
        rule = "normal-factor" if is_entry else "normal-vector-factor"
        self._require(rule, f"E(exp({text}))", written, over=at if is_entry else name)
        return after

    def _integral(self, text: str, entry: str, name: str) -> str:
        mean, variance = self._law(name)
        slope = f"diff({text}, {entry})"
        bend = f"diff({slope}, {entry})"
        constant = f"{text} - {entry} {slope} + ({entry}^2/2) {bend} - ({mean})^2/(2 ({variance}))"
        linear = f"{slope} - {entry} {bend} + ({mean})/({variance})"
        for precision in self._precisions(bend, variance):
            value = f"exp({constant} + ({linear})^2/(2 ({precision}))) (({precision}) ({variance}))^(-1/2)"
            if self._is_instance("gaussian-integral", f"E(exp({text}))", value, over=entry, precision=precision):
                return f"({value})"
        raise InputError("That the precision is positive is not known here.")

    def _precisions(self, bend: str, variance: str) -> Iterator[str]:
        """Yield ways to write the precision in which its sign is evident."""
        yield f"(1 - ({variance}) {bend})/({variance})"
        for known in self.positive:
            for multiple in _MULTIPLES:
                yield f"({multiple}) ({known})/({variance})"
                yield f"({multiple}) ({known})"

    def _law(self, name: str) -> tuple[str, str]:
        if name not in self.laws:
            raise InputError(f"{name} is not normal here.")
        return self.laws[name]

    def _require(self, rule: str, before: str, after: str, **arguments: str) -> None:
        if not self._is_instance(rule, before, after, **arguments):
            raise InputError("A mean of an exponential is not known here.")

    @otherwise(default=False)
    def _is_instance(self, rule: str, before: str, after: str, **arguments: str) -> bool:
        step = Step("1", f"lemma:{rule}", before, "=", after, self.ids, arguments=tuple(arguments.items()))
        return not LEMMAS[rule](Context(self.scope, step))

    # Trees -------------------------------------------------------------------------------------------

    def _random(self, node: t.Node) -> set[str]:
        return {atom.name for atom in self.language.number(node).atoms()} & set(self.sizes)

    def _entries(self, node: t.Node, name: str) -> Iterator[t.Node]:
        """Yield the entries of a vector that are written in a side."""
        for item in walk(node):
            if isinstance(item, t.Subscript) and plain_name(item.base) == name and plain_name(item) not in self.sizes:
                yield item

    def _entry(self, node: t.Node, name: str) -> str:
        found = {describe(item) for item in self._entries(node, name)}
        if len(found) != 1 or self._is_whole(node, name):
            raise InputError(f"One entry of {name} was wanted.")
        return next(iter(found))

    def _is_whole(self, node: t.Node, name: str) -> bool:
        """Return whether a vector stands as a whole, or with the index of a sum."""
        if isinstance(node, t.SumOver):
            return any(node.index in walk(item) for item in self._entries(node.body, name)) or self._is_whole(
                node.body, name
            )
        if plain_name(node) == name:
            return True
        if isinstance(node, t.Subscript):
            return plain_name(node.base) != name and self._is_whole(node.base, name)
        return any(self._is_whole(child, name) for child in t.children(node))

    def _at_one(self, node: t.Node) -> t.Node:
        """Return the exponent with the first term of each of its sums."""
        match node:
            case t.SumOver(index, _, _, body, ()):
                return t.Group(substitute(body, index.text, _FIRST))
            case t.Power(t.Call(t.Name("norm"), (inner,)), exponent) if exponent == _TWO and self._is_vector(inner):
                return t.Power(t.Subscript(_bare(inner), (_FIRST,)), _TWO)
            case t.Product(factors, operators):
                vectors = [n for n, factor in enumerate(factors) if self._is_vector(factor)]
                if len(vectors) == 2:
                    parts = tuple(
                        t.Subscript(_bare(factor), (_FIRST,)) if n in vectors else self._at_one(factor)
                        for n, factor in enumerate(factors)
                    )
                    return t.Product(parts, ("",) * len(operators))
        return rebuilt(node, self._at_one)

    def _is_vector(self, node: t.Node) -> bool:
        return plain_name(_bare(node)) in self.sizes


def _bare(node: t.Node) -> t.Node:
    """Return a node without the brackets and marks of transposition around it."""
    while isinstance(node, t.Transpose | t.Group):
        node = node.base if isinstance(node, t.Transpose) else node.body
    return node


def _exponent_of_mean(node: t.Node) -> t.Node | None:
    match node:
        case t.Call(t.Name("E"), (inner, *_)):
            return exponent_of(inner)
    return None
