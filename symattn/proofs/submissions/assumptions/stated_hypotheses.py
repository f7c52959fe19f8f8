"""Assumptions of a work: the hypotheses of the theorem that its words or formulas state, and special values."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import Hypothesis, Kind, Scope
from symattn.proofs.submissions.assumptions.synonyms import without_ones
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.records import dataclass

_IMPLIED = {
    "law": ("law", "mean", "variance", "same-law"),
    "normal-vector": ("normal-vector", "mean", "variance", "coordinates", "same-law"),
    "covariance": ("covariance", "variance", "coordinates"),
    "raw-moment": ("raw-moment", "mean", "variance"),
}
"""What kinds of hypotheses fix besides what they say."""


_USUAL: dict[Kind, tuple[str, str]] = {"mean": ("0", "zero mean"), "variance": ("1", "unit variance")}
"""The values of moments that people take for granted, and the topics that state them."""

_SHARED: dict[Kind, str] = {"coordinates": "independent components", "same-law": "components of one law"}
_LAWS = frozenset({"law", "normal-vector"})
_OF_MOMENTS = frozenset({"mean", "variance", "law", "normal-vector", "raw-moment", "covariance"})


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that a step may rest on.

    Attributes:
        hypothesis: as data.
        says: in words.
        is_stated: whether the work, or the question, says it.
        is_special: whether it is not a hypothesis of the theorem, but a value that people often take for granted.
        stated_in: the passages of the work in which it counts as stated; None for all of it.
    """

    hypothesis: Hypothesis
    says: str
    is_stated: bool
    is_special: bool = False
    stated_in: tuple[t.Span, ...] | None = None

    @property
    def id(self) -> str:
        """Its name in the scope."""
        return self.hypothesis.id

    def at(self, place: int) -> Assumption:
        """Return the same as it stands at a place of the work."""
        is_stated = self.is_stated
        if self.stated_in is not None:
            is_stated = any(first <= place < last for first, last in self.stated_in)
        return self if is_stated == self.is_stated else replace(self, is_stated=is_stated)

    def outside(self, gap: t.Span) -> Assumption:
        """Return the same as it stands in a passage of the work, in which it does not count as stated."""
        spans = ((0, sys.maxsize),) if self.stated_in is None else self.stated_in
        parts = (
            (max(first, low), min(last, high))
            for first, last in spans
            for low, high in ((0, gap[0]), (gap[1], sys.maxsize))
        )
        return replace(self, is_stated=False, stated_in=tuple(part for part in parts if part[0] < part[1]))


@dataclass(frozen=True, slots=True)
class StatedMoment:
    """A formula that states an assumption: the mean or the variance of one entry.

    Attributes:
        kind: ``"mean"``, ``"variance"`` or ``"second moment"``.
        family: the random quantity.
        value: a number, or a letter.
        scope: the passage in which it holds; None for all of the work.
    """

    kind: str
    family: str
    value: t.Node
    scope: t.Span | None = None


def stated_moments(left: t.Node, operator: str, right: t.Node, scope: Scope) -> tuple[StatedMoment, ...]:
    """Return the assumptions in a link's form: ``E(q_i) = 0``, ``E(q) = mu ones``, ``q_i ∼ normal(0, 1)``."""
    families = {*scope.random}
    if operator == "∼":
        names = [_entry(item) for item in (left.items if isinstance(left, t.Vector) else (left,))]
        if isinstance(right, t.Call) and right.function.text == "normal" and len(right.arguments) == 2:
            kinds = zip(("mean", "variance"), right.arguments, strict=True)
            return tuple(StatedMoment(kind, name, value) for kind, value in kinds for name in names if name in families)
        return ()
    if operator not in {"=", "≡"}:
        return ()
    right = without_ones(right)
    match left:
        case t.Call(t.Name("E" | "Var"), (inner,)):
            is_square = isinstance(inner, t.Power) and inner.exponent == t.Number("2") and left.function.text == "E"
            name = _entry(inner.base if isinstance(inner, t.Power) and is_square else inner)
            kind = "second moment" if is_square else "mean" if left.function.text == "E" else "variance"
            if name in families and _is_plain(right):
                return (StatedMoment(kind, name or "", right),)
        case _:
            pass
    return ()


def add_variances(said: Sequence[StatedMoment], statements: Statements) -> list[StatedMoment]:
    """Read second moments as variances, where the mean is stated to be zero and no formula gives the variance."""
    found = [one for one in said if one.kind != "second moment"]
    is_given = any(one.kind == "variance" for one in found)
    for one in said:
        is_centered = statements.ranges_of("zero mean", (one.family,)) or any(
            other.kind == "mean" and other.family == one.family and other.value == t.Number("0") for other in found
        )
        if one.kind == "second moment" and is_centered and not is_given:
            found.append(replace(one, kind="variance"))
    return found


def _entry(node: t.Node) -> str | None:
    """Return the name of an entry with a running index, of a vector as a whole, or of a scalar."""
    if isinstance(node, t.Subscript) and all(isinstance(index, t.Name) for index in node.indices):
        return plain_name(node.base)
    return plain_name(node)


def _is_plain(node: t.Node) -> bool:
    match node:
        case t.Number() | t.Name() | t.Subscript(t.Name(), _):
            return True
        case t.Power(base, t.Number("2")):
            return _is_plain(base)
        case t.Negative(body) | t.Group(body):
            return _is_plain(body)
        case _:
            return False


# The pool ------------------------------------------------------------------------------------------


class StatedAssumptions:
    """Assumptions on which a step of a work may rest, with the passages that state them.

    Args:
        scope: the names, with the theorem's hypotheses.
        statements: what the prose states.
        said: what formulas state.
        used: the names that the work's formulas use.
        settings: values of letters that the question fixes.
        is_given: whether the question states the theorem's hypotheses.
    """

    def __init__(
        self,
        scope: Scope,
        statements: Statements,
        said: Sequence[StatedMoment],
        used: frozenset[str],
        settings: Mapping[str, str],
        *,
        is_given: bool,
    ) -> None:
        self.scope, self.statements, self.said = scope, statements, said
        self.used, self.settings, self.is_given = used, settings, is_given
        self.numbers = {item.name for item in scope.declared if not item.sizes}

    def collect(self) -> Iterator[Assumption]:
        """Yield all assumptions, those of the theorem first."""
        moments = {item.values[0].partition("^")[0] for item in self.scope.hypotheses if item.kind in _USUAL}
        for item in self.scope.hypotheses:
            if item.kind != "equal" or item.about[0] not in moments:
                yield self._of_theorem(item)  # a value of a moment is for one claim of the theorem, not for all
        yield from self._uncorrelated()
        yield from self._beyond()
        for name, value in self.settings.items():
            if name in self.numbers:
                words = f"{name} = {value}"
                hypothesis = Hypothesis(words, words, "equal", (name,), (value,))
                yield Assumption(hypothesis, words, is_stated=True, is_special=True)
        yield from self._special()
        yield from self._special_of_own()
        yield from self._normal_laws()

    def _of_theorem(self, item: Hypothesis) -> Assumption:
        says = item.text.replace("$", "")
        if "abbreviates" in item.text:
            return Assumption(item, says, is_stated=True)  # no assumption, but a name
        is_own = item.id.startswith("own ")
        listed = None if is_own else self.statements.listed(item)
        if self.is_given and not is_own:
            where = self.statements.given(item)
        elif listed is not None:
            where = self.statements.given(item, since=listed)
        else:
            where = self.statements.ranges(item)
        if item.kind in _USUAL:
            topic = _USUAL[item.kind][1]
            where = (*where, *self.statements.ranges_of(topic, item.about), *self._said_of(item.kind, item.about))
        return Assumption(item, says, bool(where), stated_in=where)

    def _said_of(self, kind: str, about: Sequence[str], value: str = "") -> tuple[t.Span, ...]:
        """Return the spans in which formulas give every one of some vectors a moment."""
        items = [one for one in self.said if one.kind == kind and value in {"", describe(one.value)}]
        if not {one.family for one in items} >= set(about):
            return ()
        scopes = [one.scope for one in items if one.family in about and one.scope is not None]
        return tuple(scopes[-1:]) or ((0, self.statements.length + 1),)

    def _where_usual(self, kind: Kind, name: str) -> tuple[t.Span, ...]:
        """Return the spans in which words or formulas give a vector the usual value of a moment."""
        value, topic = _USUAL[kind]
        return (*self.statements.ranges_of(topic, (name,)), *self._said_of(kind, (name,), value))

    def _uncorrelated(self) -> Iterator[Assumption]:
        """Yield that entries with one index are uncorrelated, where the work says so: a mean may need no more."""
        pairs = [item.about for item in self.scope.hypotheses if item.kind == "independent" and len(item.about) == 2]
        if pairs and not any(item.kind == "uncorrelated" for item in self.scope.hypotheses):
            says = f"{pairs[0][0]} and {pairs[0][1]} are uncorrelated"
            yield from _in_words(says, "uncorrelated", pairs[0], statements=self.statements)

    def _beyond(self) -> Iterator[Assumption]:
        """Yield statements of the work on the theorem's random vectors that the theorem does not need."""
        known: dict[str, set[str]] = {}
        for item in self.scope.hypotheses:
            for kind in _IMPLIED.get(item.kind, (item.kind,)):
                known.setdefault(kind, set()).update(item.about)
        vectors = {item.name for item in self.scope.declared if item.random and len(item.sizes) == 1}
        groups = {
            about
            for item in self.scope.hypotheses
            if not item.id.startswith("own ") and (about := tuple(name for name in item.about if name in vectors))
        }
        groups = {group for group in groups if not any(set(group) < set(other) for other in groups)}
        for one, words in _SHARED.items():
            for group in sorted(groups):
                if not known.get(one, set()) & set(group):
                    says = f"{' and '.join(group)} have {words}"
                    found = _in_words(says, one, group, statements=self.statements)
                    yield from (replace(item, is_special=True) for item in found)
        for moment, (value, _) in _USUAL.items():
            for name in sorted({name for group in groups for name in group} - known.get(moment, set())):
                where = self._where_usual(moment, name)
                if where:
                    says = f"the components of {name} have {moment} {value}"
                    hypothesis = Hypothesis(f"said {says}", says, moment, (name,), (value,))
                    yield Assumption(hypothesis, says, is_stated=True, is_special=True, stated_in=where)

    def _special(self) -> Iterator[Assumption]:
        """Yield zero means and unit variances: stated, or not excluded by the work."""
        for kind, about, text in _moments(self.scope):
            letter = text.partition("^")[0]
            if letter not in self.numbers or letter in self.settings:
                continue
            usual, word = _USUAL[kind]
            values = {describe(one.value) for one in self.said if one.kind == kind and one.family in about}
            numbers = {value for value in values if value.lstrip("-(").rstrip(")")[:1].isdigit()}
            value = next(iter(numbers), usual)
            where = self.statements.ranges_of(word, about)
            if len(numbers) == 1:
                where = (*where, *self._said_of(kind, about, value))
            is_other = self.statements.speaks_of(f"another {kind}") and not self.statements.speaks_of(word)
            if not where and (letter in self.used or self.is_given or is_other):
                continue
            if kind == "variance" and value != "1":
                continue
            says = f"the components of {' and '.join(about)} have {kind} {value}"
            hypothesis = Hypothesis(f"{letter} = {value}", says, "equal", (letter,), (value,))
            yield Assumption(hypothesis, says, is_stated=bool(where), is_special=True, stated_in=where)

    def _special_of_own(self) -> Iterator[Assumption]:
        """Yield means and variances of random quantities of which the theorem says nothing."""
        about = {name for item in self.scope.hypotheses if item.kind in _OF_MOMENTS for name in item.about}
        own = {name for item in self.scope.hypotheses if item.id.startswith("own") for name in item.about}
        for name in self.scope.random:
            for kind, (value, _) in _USUAL.items() if name in own - about else ():
                where = self._where_usual(kind, name)
                says = f"the {kind} of {name} is {value}"
                if kind == "mean" or where:
                    hypothesis = Hypothesis(f"own {says}", says, kind, (name,), (value,))
                    yield Assumption(hypothesis, says, is_stated=bool(where), is_special=True, stated_in=where)

    def _normal_laws(self) -> Iterator[Assumption]:
        """Yield the normal laws that the work states besides the means and variances of the theorem."""
        known = {name for item in self.scope.hypotheses if item.kind in _LAWS for name in item.about}
        means = {name: item.values[0] for item in self.scope.hypotheses if item.kind == "mean" for name in item.about}
        values = {
            name: (means[name], item.values[0])
            for item in self.scope.hypotheses
            for name in (item.about if item.kind == "variance" else ())
            if name in means
        }
        for name in set(self.scope.random) - set(values):
            mean, variance = (self._moment_of_own(kind, name) for kind in _USUAL)
            if mean is not None and variance is not None:
                values[name] = mean, variance
        for name in sorted(set(values) - known):
            law = ("gaussian", *values[name])
            yield from _in_words(f"{name} is normal", "law", (name,), law, statements=self.statements)

    def _moment_of_own(self, kind: Kind, name: str) -> str | None:
        """Return the value that words, or else formulas, give to a moment of a quantity, if it is one value."""
        if self.statements.ranges_of(_USUAL[kind][1], (name,)):
            return _USUAL[kind][0]
        found = {describe(one.value) for one in self.said if one.kind == kind and one.family == name}
        return found.pop() if len(found) == 1 else None


def _in_words(
    says: str, kind: Kind, about: tuple[str, ...], values: tuple[str, ...] = (), *, statements: Statements
) -> Iterator[Assumption]:
    """Yield an assumption besides those of the theorem, where the words of the work state it."""
    hypothesis = Hypothesis(f"said {says}", says, kind, about, values)
    where = statements.ranges(hypothesis)
    if where:
        yield Assumption(hypothesis, says, is_stated=True, stated_in=where)


def _moments(scope: Scope) -> Iterator[tuple[Kind, tuple[str, ...], str]]:
    """Yield the means and variances of the theorem, those of normal laws among them: kind, vectors, value."""
    for item in scope.hypotheses:
        if item.kind in _USUAL:
            yield item.kind, item.about, item.values[0]
        elif item.kind == "law" and item.values[0] == "gaussian":
            yield "mean", item.about, item.values[1]
            yield "variance", item.about, item.values[2]
