"""Assumptions of a work: the hypotheses of the theorem that its words or formulas state, and special values."""

from __future__ import annotations

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
        if self.stated_in is None:
            return self
        return replace(self, is_stated=any(first <= place < last for first, last in self.stated_in))


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


def assumptions(
    scope: Scope,
    statements: Statements,
    said: Sequence[StatedMoment],
    used: frozenset[str],
    settings: Mapping[str, str],
    *,
    is_given: bool,
) -> tuple[Assumption, ...]:
    """Return the assumptions on which a step of a work may rest, and their places.

    Args:
        scope: the names, with the theorem's hypotheses.
        statements: what the prose states.
        said: what formulas state.
        used: the names that the work's formulas use.
        settings: values of letters that the question fixes.
        is_given: whether the question states the theorem's hypotheses.
    """
    found: list[Assumption] = []
    letters = _letters_of_moments(scope)
    for item in scope.hypotheses:
        if item.kind == "equal" and item.about[0] in letters:
            continue  # a value of a mean or a variance is for one claim of the theorem, not for all
        found.append(_assumption(item, statements, said, is_given=is_given))
    found.extend(_uncorrelated(scope, statements))
    found.extend(_beyond(scope, statements, said))
    found.extend(_settings(scope, settings))
    found.extend(_special(scope, statements, said, used, settings, is_given=is_given))
    return tuple(found)


def _assumption(
    item: Hypothesis, statements: Statements, said: Sequence[StatedMoment], *, is_given: bool
) -> Assumption:
    says = item.text.replace("$", "")
    if "abbreviates" in item.text:
        return Assumption(item, says, is_stated=True)  # no assumption, but a name
    is_own = item.id.startswith("own ")
    listed = None if is_own else statements.listed(item)
    if is_given and not is_own:
        where = statements.given(item)
    elif listed is not None:
        where = statements.given(item, since=listed)
    else:
        where = statements.ranges(item)
    if item.kind in _USUAL:
        topic = _USUAL[item.kind][1]
        where = (*where, *statements.ranges_of(topic, item.about), *_said_of(item.kind, item.about, said, statements))
    return Assumption(item, says, bool(where), stated_in=where)


def _said_of(
    kind: str, about: Sequence[str], said: Sequence[StatedMoment], statements: Statements, value: str = ""
) -> tuple[t.Span, ...]:
    """Return the spans in which formulas give every one of some vectors a moment."""
    items = [one for one in said if one.kind == kind and value in {"", describe(one.value)}]
    if not {one.family for one in items} >= set(about):
        return ()
    scopes = [one.scope for one in items if one.family in about and one.scope is not None]
    return tuple(scopes[-1:]) or ((0, statements.length + 1),)


def _uncorrelated(scope: Scope, statements: Statements) -> Iterator[Assumption]:
    """Yield that entries with one index are uncorrelated, where the work says so: it may be all that a mean needs."""
    if any(item.kind == "uncorrelated" for item in scope.hypotheses):
        return
    for item in scope.hypotheses:
        if item.kind == "independent" and len(item.about) == 2:
            says = f"{item.about[0]} and {item.about[1]} are uncorrelated"
            hypothesis = Hypothesis(f"said {says}", says, "uncorrelated", item.about)
            where = statements.ranges(hypothesis)
            if where:
                yield Assumption(hypothesis, says, is_stated=True, stated_in=where)
            return


def _beyond(scope: Scope, statements: Statements, said: Sequence[StatedMoment]) -> Iterator[Assumption]:
    """Yield statements of the work on the theorem's random vectors that the theorem does not need."""
    known: dict[str, set[str]] = {}
    for item in scope.hypotheses:
        for kind in _IMPLIED.get(item.kind, (item.kind,)):
            known.setdefault(kind, set()).update(item.about)
    vectors = {item.name for item in scope.declared if item.random and len(item.sizes) == 1}
    groups = {
        about
        for item in scope.hypotheses
        if not item.id.startswith("own ") and (about := tuple(name for name in item.about if name in vectors))
    }
    groups = {group for group in groups if not any(set(group) < set(other) for other in groups)}
    shared: tuple[tuple[Kind, str], ...] = (
        ("coordinates", "independent components"),
        ("same-law", "components of one law"),
    )
    for kind, words in shared:
        for group in sorted(groups):
            says = f"{' and '.join(group)} have {words}"
            hypothesis = Hypothesis(f"said {says}", says, kind, group)
            where = statements.ranges(hypothesis)
            if where and not known.get(kind, set()) & set(group):
                yield Assumption(hypothesis, says, is_stated=True, is_special=True, stated_in=where)
    for kind, (value, topic) in _USUAL.items():
        for name in sorted({name for group in groups for name in group}):
            if name in known.get(kind, set()):
                continue
            says = f"the components of {name} have {kind} {value}"
            where = (*statements.ranges_of(topic, (name,)), *_said_of(kind, (name,), said, statements, value))
            if where:
                hypothesis = Hypothesis(f"said {says}", says, kind, (name,), (value,))
                yield Assumption(hypothesis, says, is_stated=True, is_special=True, stated_in=where)


def normal_laws(scope: Scope, statements: Statements) -> Iterator[Assumption]:
    """Iterate over the normal laws that the work states besides the means and variances of the theorem."""
    known = {name for item in scope.hypotheses if item.kind in {"law", "normal-vector"} for name in item.about}
    means = {name: item.values[0] for item in scope.hypotheses if item.kind == "mean" for name in item.about}
    for item in scope.hypotheses:
        for name in item.about if item.kind == "variance" else ():
            if name in means and name not in known:
                says = f"the components of {name} are normal"
                values = ("gaussian", means[name], item.values[0])
                hypothesis = Hypothesis(f"said {says}", says, "law", (name,), values)
                where = statements.ranges(hypothesis)
                if where:
                    yield Assumption(hypothesis, says, is_stated=True, stated_in=where)


def _letters_of_moments(scope: Scope) -> frozenset[str]:
    """Return the letters that means and variances are."""
    values = (item.values[0] for item in scope.hypotheses if item.kind in {"mean", "variance"})
    return frozenset(value.partition("^")[0] for value in values)


def _settings(scope: Scope, settings: Mapping[str, str]) -> Iterator[Assumption]:
    declared = {item.name for item in scope.declared if not item.sizes}
    for name, value in settings.items():
        if name in declared:
            words = f"{name} = {value}"
            yield Assumption(
                Hypothesis(words, words, "equal", (name,), (value,)), words, is_stated=True, is_special=True
            )


def _special(
    scope: Scope,
    statements: Statements,
    said: Sequence[StatedMoment],
    used: frozenset[str],
    settings: Mapping[str, str],
    *,
    is_given: bool,
) -> Iterator[Assumption]:
    """Yield zero means and unit variances: stated, or not excluded by the work."""
    declared = {item.name for item in scope.declared if not item.sizes}
    for kind, about, text in _moments(scope):
        letter = text.partition("^")[0]
        if letter not in declared or letter in settings:
            continue
        usual, word = _USUAL[kind]
        values = {describe(one.value) for one in said if one.kind == kind and one.family in about}
        numbers = {value for value in values if value.lstrip("-(").rstrip(")")[:1].isdigit()}
        value = next(iter(numbers), usual)
        where = statements.ranges_of(word, about)
        if len(numbers) == 1:
            where = (*where, *_said_of(kind, about, said, statements, value))
        is_other = statements.speaks_of(f"another {kind}") and not statements.speaks_of(word)
        if not where and (letter in used or is_given or is_other):
            continue
        if kind == "variance" and value != "1":
            continue
        names = " and ".join(about)
        says = f"the components of {names} have {kind} {value}"
        hypothesis = Hypothesis(f"{letter} = {value}", says, "equal", (letter,), (value,))
        yield Assumption(hypothesis, says, is_stated=bool(where), is_special=True, stated_in=where)
    yield from _special_of_own(scope, statements, said)


def _moments(scope: Scope) -> Iterator[tuple[Kind, tuple[str, ...], str]]:
    """Yield the means and variances of the theorem, those of normal laws among them: kind, vectors, value."""
    for item in scope.hypotheses:
        if item.kind in {"mean", "variance"}:
            yield item.kind, item.about, item.values[0]
        elif item.kind == "law" and item.values[0] == "gaussian":
            yield "mean", item.about, item.values[1]
            yield "variance", item.about, item.values[2]


def _special_of_own(scope: Scope, statements: Statements, said: Sequence[StatedMoment]) -> Iterator[Assumption]:
    """Yield means and variances of random quantities of which the theorem says nothing."""
    about = {
        name
        for item in scope.hypotheses
        if item.kind in {"mean", "variance", "law", "normal-vector", "raw-moment", "covariance"}
        for name in item.about
    }
    for item in scope.declared:
        if (
            not item.random
            or item.name in about
            or not any(known.id.startswith("own") and item.name in known.about for known in scope.hypotheses)
        ):
            continue
        for kind, (value, word) in _USUAL.items():
            where = (*statements.ranges_of(word, (item.name,)), *_said_of(kind, (item.name,), said, statements, value))
            name = f"the {kind} of {item.name} is {value}"
            if kind == "mean" or where:
                hypothesis = Hypothesis(f"own {name}", name, kind, (item.name,), (value,))
                yield Assumption(hypothesis, name, is_stated=bool(where), is_special=True, stated_in=where)
