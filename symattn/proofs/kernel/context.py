"""TRUSTED. Context of a step: the facts that it may use, as rules and lemmas look at it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.indexed.expression import Atom, Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.proofs.kernel.hypotheses import facts_of, value_of
from symattn.proofs.kernel.integrability import Existence
from symattn.proofs.kernel.record import Step
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import INFINITY, Language, plain_name, read_text
from symattn.proofs.language.scope import Hypothesis, Kind, Scope, formulas, tied_to
from symattn.proofs.language.scope_cache import Memo
from symattn.proofs.language.signs import Sign, Signs
from symattn.proofs.language.tree_signs import TreeSigns
from symattn.proofs.language.values import Value, an_entry, entrywise

_SIGNS = frozenset({"positive", "nonzero", "at-most", "whole"})
_OF_OUTCOMES = frozenset({"positive", "nonzero", "at-most", "equal", "total", "dot-products", "definite", "whole"})


class Known:
    """Readings of one scope, kept for the steps of one replay: see `Memo`.

    Args:
        scope: the names and hypotheses.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.memo = Memo(scope)
        self._facts: dict[tuple[str, ...], Facts] = {}
        self._values: dict[str, Expr] = {}

    @cached_property
    def existence(self) -> Existence:
        """Return the moments that all hypotheses give."""
        facts = self.facts(tuple(item.id for item in self.scope.hypotheses))
        return Existence(self.scope, facts, Signs.of(self.scope))

    def facts(self, ids: tuple[str, ...]) -> Facts:
        """Return the facts that some hypotheses give, in their order."""
        if ids not in self._facts:
            self._facts[ids] = facts_of(self.scope, ids)
        return self._facts[ids]

    def value_of(self, text: str) -> Expr:
        """Return the number that a value of a hypothesis is."""
        if text not in self._values:
            self._values[text] = value_of(text, self.scope)
        return self._values[text]


class Context:
    """One step of a proof, in its scope.

    Args:
        scope: the names and hypotheses.
        step: the step.
        premises: the earlier steps that it names, which were proved.
        known: what was read for other steps in this scope; none is shared where none is given.
    """

    def __init__(self, scope: Scope, step: Step, premises: tuple[Step, ...] = (), known: Known | None = None) -> None:
        self.known = Known(scope) if known is None else known
        self.scope = scope
        self.step = step
        self.premises = premises

    @cached_property
    def facts(self) -> Facts:
        """Facts that its hypotheses give."""
        return self.known.facts(self.step.hypotheses)

    @cached_property
    def language(self) -> Language:
        """Language of the scope, with the hypotheses of the step at hand."""
        return Language(self.scope, self.facts, memo=self.known.memo)

    @cached_property
    def before(self) -> t.Node:
        """The left side."""
        return read_text(self.step.before, self.scope)

    @cached_property
    def after(self) -> t.Node:
        """The right side."""
        return read_text(self.step.after, self.scope)

    @cached_property
    def signs(self) -> TreeSigns:
        """Known signs: those declared, and those that the hypotheses and premises of the step add."""
        known = [sign for premise in self.premises for sign in self._proved_sign(premise)]
        positive: list[str] = []
        for item in self.scope.hypotheses:
            if item.id not in self.step.hypotheses:
                continue
            if item.kind == "positive":
                known += [(self.known.value_of(text), True) for text in item.values]
                positive += item.about
            if item.kind == "at-most":
                low, high = item.values
                known.append((self.known.value_of(high) - self.known.value_of(low), False))
        return TreeSigns.of(self.language, known, positive)

    def _proved_sign(self, premise: Step) -> Iterator[tuple[Expr, bool]]:
        """Yield the difference of the sides of an inequality between numbers that was proved."""
        if premise.relation not in {"≤", "<", "≥", ">"}:
            return
        low, high = (self.number(self.read(text)) for text in (premise.before, premise.after))
        yield (high - low if premise.relation in {"≤", "<"} else low - high), premise.relation in {"<", ">"}

    @cached_property
    def nonzero(self) -> tuple[Expr, ...]:
        """Expressions that are not zero by the hypotheses of the step."""
        items = [item for item in self.scope.hypotheses if item.kind == "nonzero" and item.id in self.step.hypotheses]
        return tuple(self.known.value_of(text) for item in items for text in (*item.about, *item.values))

    def has_mean(self, mean: t.Call, bound: frozenset[str]) -> bool:
        """Tell whether a mean, a variance or a covariance exists, by the moments that the hypotheses state."""
        # What is written shows signs that it may lose once hypotheses rewrite it.
        language = Language(self.scope, Facts(), memo=self.known.memo).under(*bound)
        existence = self.known.existence
        bodies = mean.arguments if mean.function.text != "E" else mean.arguments[:1]
        values = [an_entry(language.value(body)) for body in bodies]
        given = frozenset(language.given(mean.arguments[1])) if len(mean.arguments) > len(bodies) else frozenset[str]()
        if mean.function.text != "E":
            values.append(values[0] * values[-1])
        return all(existence.has_mean(value, given) for value in values)

    def some_outcomes(self) -> str:
        """Return why a relation may hold for certain outcomes only, which says nothing of a mean, or nothing."""
        for item in self.scope.hypotheses:
            if item.kind not in _OF_OUTCOMES:
                continue
            # What an abbreviation stands for may be random.
            language = Language(self.scope, Facts(), memo=self.known.memo)
            found = [language.text(text) for text in (*formulas(item), *item.about)]
            entries = [an_entry(value) for value in found]
            if any(atom.name in self.language.random for entry in entries for atom in entry.atoms()):
                return f"the hypothesis {item.id} speaks of some outcomes only"
        return ""

    def argument(self, name: str) -> str:
        """Return an argument of the rule.

        Raises:
            InputError: the step does not give it.
        """
        for key, value in self.step.arguments:
            if key == name:
                return value
        raise InputError(f"the step does not say its {name}")

    def read(self, text: str) -> t.Node:
        """Return the tree of plain text."""
        return read_text(text, self.scope)

    def value(self, node: t.Node) -> Value:
        """Return the value of a tree."""
        return self.language.value(node)

    def pair(self, one: t.Node, other: t.Node) -> tuple[Expr, Expr] | None:
        """Return the entries of two trees at the same indices, None where their shapes differ."""
        first, second = self.language.entry(one), self.language.entry(other)
        if (first.sizes, first.is_row) != (second.sizes, second.is_row):
            return None
        return first.value, second.value

    def number(self, node: t.Node) -> Expr:
        """Return the value of a tree, a number."""
        return self.language.number(node)

    def sign(self, node: t.Node) -> Sign | None:
        """Return the sign that is evident."""
        return self.signs.of_tree(node)

    def has_sign(self, node: t.Node, bound: frozenset[str], *wanted: Sign) -> bool:
        """Return whether a part has one of some signs, whatever the indices that are summed over around it are."""
        signs = self.signs.under(*bound) if bound else self.signs
        if signs.of_tree(node) in wanted:
            return True
        value = signs.language.value(node)
        # What is written may show less than what it comes to, or than what a hypothesis says of it.
        return isinstance(value, Expr) and signs.of_expr(value) in wanted

    def is_nonzero(self, node: t.Node) -> bool:
        """Return whether a divisor is evidently not zero."""
        match node:
            case t.Group(body) | t.Negative(body) | t.Root(body, None):
                return self.is_nonzero(body)
            case t.Product(factors):
                return all(self.is_nonzero(factor) for factor in factors)
            case t.Division(above, below):
                return self.is_nonzero(above) and self.is_nonzero(below)
            case t.Name("e") if not {"e"} & (self.language.declared.keys() | self.language.defined.keys()):
                return True
            case t.Power(base, _):
                return self.is_nonzero(base) or self._is_not_zero(node)
            case _:
                return self._is_not_zero(node)

    def _is_not_zero(self, node: t.Node) -> bool:
        if isinstance(node, t.Number):
            return node.value != 0
        try:
            if self.sign(node) in {"+", "-"}:
                return True
            value = self.value(node)
        except InputError:
            return False
        if not isinstance(value, Expr):
            return False
        # What is written may show less than what it comes to, or than what a hypothesis says of it.
        return self.signs.of_expr(value) in {"+", "-"} or any(known.equals(value) for known in self.nonzero)

    def is_matrix(self, node: t.Node) -> bool:
        """Return whether it comes to entries, whose signs say nothing of an inverse."""
        try:
            return not isinstance(self.value(node), Expr)
        except InputError:
            return False

    def is_definite(self, value: Value) -> bool:
        """Return whether a hypothesis of the step says that a matrix is positive definite, and so has an inverse."""
        names = [name for item in self.of_kind("definite") for name in item.about]
        for name in names:
            known = entrywise(self.value(self.read(name)), value)
            if known is not None and all(one.equals(other) for one, other in known):
                return True
        return False

    def whole_numbers(self) -> frozenset[str]:
        """Return the names that stand for whole numbers from 1 on, by the hypotheses of the step."""
        return frozenset(name for item in self.of_kind("whole") for name in item.about)

    def assumed_of(self, name: str) -> str:
        """Return the id of a hypothesis of the scope that speaks of a number, by abbreviations too, or nothing."""
        for item in self.scope.hypotheses:
            # What is distinct are indices; all else that a hypothesis speaks of are quantities.
            about = () if item.kind == "distinct" else item.about
            values = [self.known.value_of(text) for text in formulas(item)]
            values += [self.language.entry(self.read(text)).value for text in about]
            if any(name in value.names for value in values):
                return item.id
        return ""

    def pin(self, variable: t.Node, target: t.Node, used: frozenset[str]) -> str:
        """Return the hypothesis by which a number may not take all values near a target, or nothing.

        Args:
            variable: the number that moves.
            target: where it goes.
            used: the hypotheses of the step and of those that it rests on.
        """
        atom: Atom[Expr] = Atom(plain_name(variable) or "")
        tied = tied_to(atom.name, self.language.ties).keys()
        for item in self.scope.hypotheses:
            if item.kind not in _SIGNS or item.id not in used:
                continue
            low, high = item.values if item.kind == "at-most" else ("0", "0")
            values = [self.language.entry(self.read(text)).value for text in (*item.about, *item.values)]
            if any(tied & value.names for value in values):
                return item.id
            if not any(atom.name in value.names for value in values):
                continue
            if item.kind == "at-most":
                values = [self.known.value_of(high) - self.known.value_of(low)]
            if item.kind == "whole" or not all(self._holds_near(value, atom, target) for value in values):
                return item.id
        return ""

    def _holds_near(self, value: Expr, atom: Atom[Expr], target: t.Node) -> bool:
        """Tell whether a condition is strict at a target, and so holds around it."""
        if any(node == t.Name(INFINITY) for node in walk(target)):
            return False
        point = self.number(target)
        return self.signs.of_expr(value.mapped(lambda other: point if other == atom else None)) == "+"

    def of_kind(self, kind: Kind) -> Iterator[Hypothesis]:
        """Yield the hypotheses of one kind that the step uses."""
        return (item for item in self.scope.hypotheses if item.kind == kind and item.id in self.step.hypotheses)


def divisors(node: t.Node) -> Iterator[t.Node]:
    """Yield the divisors in the tree, negative powers included."""
    return (part for kind, part, _ in domains_under(node) if kind in {NONZERO, INVERTIBLE})


NONZERO, POSITIVE, NOT_NEGATIVE, INVERTIBLE = "nonzero", "positive", "not negative", "invertible"
"""What a formula wants of its parts: of what it divides by, of logarithms and bases of powers, of roots, and of bases
of negative powers."""

INTEGRABLE = "integrable"
"""What means, variances and covariances want of what they are taken of: the mean exists."""

SMOOTH = "smooth"
"""What a derivative wants of a root in it, written as the derivative of that root: it does not depend on the variable,
or is not zero."""

SETTLED = "settled"
"""What derivatives, limits and the words for lemmas want to be: shown to have a value."""

Wanted: TypeAlias = "tuple[str, t.Node, frozenset[str]]"
"""What is wanted of a part (`POWER`: what its exponent says), the part, and the indices that are summed over there."""

POWER = "power"


def domains_under(node: t.Node, bound: frozenset[str] = frozenset()) -> Iterator[Wanted]:
    """Yield the conditions for the tree to have a value."""
    match node:
        case t.Division(_, below):
            yield NONZERO, below, bound
        case t.Power(t.Name("e") as base, t.Negative()):
            yield NONZERO, base, bound
            yield POWER, node, bound
        case t.Power(base, t.Negative()):
            yield INVERTIBLE, base, bound
            yield POWER, node, bound
        case t.Power(_, t.Number(text)) if text.isdecimal():
            pass
        case t.Power():
            yield POWER, node, bound
        case t.Root(body, None) | t.Call(t.Name("sqrt"), (body,)):
            yield NOT_NEGATIVE, body, bound
        case t.Call(t.Name("log" | "ln"), (body,)) | t.Call(t.Name("besselK"), (_, body)):
            yield POSITIVE, body, bound
        case t.Call(t.Name("factorial"), (body,)):
            yield POSITIVE, t.Sum((t.Group(body), t.Number("1")), ("+",)), bound
        case t.Call(t.Name("E" | "Var" | "Cov"), _):
            yield INTEGRABLE, node, bound
        case t.Call(t.Name("diff"), (body, by)):
            yield SETTLED, node, bound
            yield from ((SMOOTH, t.Call(t.Name("diff"), (part, by)), b) for part, b in _corners(body, bound))
        case t.Call(t.Name("lim" | "coefficient" | "cumulant" | "density"), _):
            yield SETTLED, node, bound
        case _:
            pass
    inner = bound | {node.index.text} if isinstance(node, t.SumOver) else bound
    for child in t.children(node):
        yield from domains_under(child, inner)


def _corners(node: t.Node, bound: frozenset[str]) -> Iterator[tuple[t.Node, frozenset[str]]]:
    """Iterate over what may have no derivative where it is zero: roots, norms, absolute values, fractional powers."""
    match node:
        case t.Power(base, t.Number(text)) if text.isdecimal() and int(text) % 2 == 0 and _is_corner(base):
            # The square is smooth; what stands inside may not be.
            node = t.Vector(tuple(t.children(bare(base))))
        case _ if _is_corner(node):
            yield node, bound
        case t.Power(_, exponent) if not isinstance(exponent, t.Number) or not exponent.text.isdecimal():
            yield node, bound
        case t.Call(t.Name("lim") as limit, (scalar, target, body)):
            # What is smooth all the way may have a corner where it goes.
            yield from ((t.Call(limit, (scalar, target, part)), inner) for part, inner in _corners(body, bound))
        case _:
            pass
    inner = bound | {node.index.text} if isinstance(node, t.SumOver) else bound
    for child in t.children(node):
        yield from _corners(child, inner)


def _is_corner(node: t.Node) -> bool:
    match node:
        case t.Group(body):
            return _is_corner(body)
        case t.Root(_, None) | t.Call(t.Name("sqrt" | "norm" | "abs"), _):
            return True
    return False


def _differentiated(node: t.Node) -> Iterator[tuple[t.Node, t.Node]]:
    """Iterate over what derivatives in the tree are taken of, and by."""
    calls = (item for item in walk(node) if isinstance(item, t.Call) and item.function == t.Name("diff"))
    return ((call.arguments[0], call.arguments[1]) for call in calls if len(call.arguments) == 2)


def all_domains(node: t.Node, scope: Scope) -> Iterator[Wanted]:
    """Yield the same, what the abbreviations in it want included; those are defined by names that came before them."""
    yield from domains_under(node)
    names = set(names_of(node))
    moving = [(set(names_of(inner)), by) for inner, by in _differentiated(node)]
    for defined in reversed(scope.defined):
        if defined.name in names:
            body = read_text(defined.body, scope)
            # It shows what indices it depends on: whatever they are, and whatever sums stand around.
            bound, own = frozenset(defined.indices), set(names_of(body))
            yield from domains_under(body, bound)
            names |= own
            for inside, by in (pair for pair in moving if defined.name in pair[0]):
                inside.update(own)
                yield from ((SMOOTH, t.Call(t.Name("diff"), (part, by)), b) for part, b in _corners(body, bound))
            moving += [(set(names_of(inner)), by) for inner, by in _differentiated(body)]


def names_of(node: t.Node) -> Iterator[str]:
    """Yield the names of quantities in a tree; letters of indices are none."""
    match node:
        case t.Name(text):
            yield text
        case t.Subscript(base, _):
            name = plain_name(node)
            if name is not None:
                yield name
            yield from names_of(base)
        case t.SumOver(_, _, upper, body):
            if upper is not None:
                yield from names_of(upper)
            yield from names_of(body)
        case _:
            for child in t.children(node):
                yield from names_of(child)
