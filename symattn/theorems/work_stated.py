"""What a work assumes: the hypotheses of the theorem that its words or formulas state, and special values.

A hypothesis counts as stated wherever the work says so, before the step or after it. Words that deny it do not
state it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from symattn.derivation.proofs.language import plain_name
from symattn.derivation.proofs.scope import Hypothesis, Scope
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe
from symattn.records import dataclass

_DENIED = re.compile(r"(?:\bnot\b|\bno\b|\bnon-?|\bwithout\b|\bunless\b|n't)\W{0,3}(?:\w+\W{1,3})?$", re.IGNORECASE)
_BEFORE = 24
_NOISE = re.compile(r"\\(?:mathcal|mathbb|mathrm|text|operatorname|left|right)\b|[${}\\~]")
_ZERO = r"(?:0(?!\.?\d)|zero\b)"
_ONE = r"(?:1(?!\.?\d)|one\b|unit\b)"
_IS = r"(?:\s|is|are|of|equal|to|all|=|both|be|value|the|has|have)*"

_ZERO_MEAN = (
    rf"\b(?:zero|0)[\s-]?means?\b|\bmean[\s-]zero\b|\bcent(?:er|re)d\b"
    rf"|\b(?:mean|means|expectation|expectations|expected value)\b{_IS}{_ZERO}"
    r"|均值为\s?0|均值為\s?0|零均值"
)
_UNIT_VARIANCE = (
    rf"\bunit[\s-]variances?\b|\bvariances?\b{_IS}{_ONE}|\bstandard deviations?\b{_IS}{_ONE}"
    r"|方差为\s?1|變異數為\s?1"
)

_WORDS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in (
        ("iid", r"\bi\.?\s?i\.?\s?d\b|独立同分布|獨立同分[布佈]"),
        ("independent", r"\bindependen(?:t|ce|tly)\b|独立|獨立"),
        ("uncorrelated", r"\buncorrelated\b|不相关|不相關"),
        ("same law", r"\bidentical(?:ly)?\s+distribut\w*|\bsame\s+(?:distribution|law)\b|\bone\s+law\b|同分布|同分佈"),
        ("zero mean", _ZERO_MEAN),
        ("mean", r"\b(?:mean|means|expectation|expected value)\b"),
        ("unit variance", _UNIT_VARIANCE),
        ("variance", r"\b(?:variances?|standard deviations?)\b|方差"),
        ("standard normal", r"\bstandard\s+(?:normal|gaussian)\b|\bN\s?\(\s?0\s?,\s?(?:1|I)\s?\)"),
        ("normal", r"\bnormal(?:ly)?\b|\bgaussian\b"),
        ("orthonormal", r"\borthonormal\b"),
        ("orthogonal", r"\borthogonal\b|\bperpendicular\b|⊥|\bperp\b"),
        ("unit norm", r"\bunit\s+(?:norm|length|vectors?)\b|\bnorm\b\s?(?:is|of|=)?\s?1\b"),
        ("total", r"\b(?:sum|add)s?\s+(?:up\s+)?to\s+(?:1|one)\b"),
        ("distinct", r"\bdistinct\b|\bdifferent\b|\bunequal\b"),
        ("positive", r"\bpositive\b"),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that a step may rest on.

    Attributes:
        hypothesis: as data.
        says: in words.
        is_stated: whether the work, or the question, says it.
        is_special: whether it is no hypothesis of the theorem, but a value that people often take for granted.
    """

    hypothesis: Hypothesis
    says: str
    is_stated: bool
    is_special: bool = False

    @property
    def id(self) -> str:
        """Its name in the scope."""
        return self.hypothesis.id


def stated_words(text: str) -> frozenset[str]:
    """Which assumptions the words of a work state.

    >>> sorted(stated_words("Let $q_i$ and $k_i$ be independent with mean $0$ and variance $1$."))
    ['independent', 'mean', 'unit variance', 'variance', 'zero mean']
    >>> sorted(stated_words("We do not need independence."))
    []
    """
    clean = " ".join(_NOISE.sub(" ", text).split())
    found = set()
    for name, pattern in _WORDS.items():
        for match in pattern.finditer(clean):
            if not _DENIED.search(clean[max(0, match.start() - _BEFORE) : match.start()]):
                found.add(name)
                break
    if "iid" in found:
        found |= {"independent", "same law"}
    if "standard normal" in found:
        found |= {"zero mean", "unit variance", "normal"}
    if "orthonormal" in found:
        found |= {"orthogonal", "unit norm"}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Said:
    """A formula that states an assumption: the mean or the variance of one entry.

    Attributes:
        kind: ``"mean"`` or ``"variance"``.
        family: the random quantity.
        value: a number, or a letter.
    """

    kind: str
    family: str
    value: t.Node


def said_in(left: t.Node, operator: str, right: t.Node, scope: Scope) -> tuple[Said, ...]:
    """The assumptions that a link states by its form: ``E(q_i) = 0``, ``Var(k_i) = 1``, ``q_i ∼ normal(0, 1)``."""
    families = {item.name for item in scope.declared if item.random}
    if operator == "∼":
        name = _entry(left)
        if (
            name in families
            and isinstance(right, t.Call)
            and right.function.text == "normal"
            and len(right.arguments) == 2
        ):
            return Said("mean", name or "", right.arguments[0]), Said("variance", name or "", right.arguments[1])
        return ()
    if operator not in {"=", "≡"}:
        return ()
    match left:
        case t.Call(t.Name("E" | "Var"), (inner,)):
            name = _entry(inner)
            kind = "mean" if left.function.text == "E" else "variance"
            if name in families and _is_plain(right):
                return (Said(kind, name or "", right),)
        case _:
            pass
    return ()


def _entry(node: t.Node) -> str | None:
    """The name of an entry with a running index, of a vector as a whole, or of a scalar."""
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
    words: frozenset[str],
    said: Sequence[Said],
    used: frozenset[str],
    settings: Mapping[str, str],
    *,
    is_given: bool,
) -> tuple[Assumption, ...]:
    """Everything that a step of a work may rest on, and whether it was stated.

    Args:
        scope: the names, with the theorem's hypotheses.
        words: what the prose states.
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
        is_own = item.id.startswith("own ")
        is_stated = (is_given and not is_own) or _is_stated(item, words, said)
        found.append(Assumption(item, item.text.replace("$", ""), is_stated))
    found.extend(_uncorrelated(scope, words))
    found.extend(_settings(scope, settings))
    found.extend(_special(scope, words, said, used, settings, is_given=is_given))
    return tuple(found)


def _uncorrelated(scope: Scope, words: frozenset[str]) -> Iterator[Assumption]:
    """That entries with one index are uncorrelated, where the work says so: it may be all that a mean needs."""
    if "uncorrelated" not in words or any(item.kind == "uncorrelated" for item in scope.hypotheses):
        return
    for item in scope.hypotheses:
        if item.kind == "independent" and len(item.about) == 2:
            says = f"{item.about[0]} and {item.about[1]} are uncorrelated"
            yield Assumption(Hypothesis(f"said {says}", says, "uncorrelated", item.about), says, is_stated=True)
            return


def _letters_of_moments(scope: Scope) -> frozenset[str]:
    """The letters that means and variances are."""
    values = (item.values[0] for item in scope.hypotheses if item.kind in {"mean", "variance"})
    return frozenset(value.partition("^")[0] for value in values)


def _is_stated(item: Hypothesis, words: frozenset[str], said: Sequence[Said]) -> bool:
    if "abbreviates" in item.text:
        return True  # no assumption, but a name
    if item.kind in {"mean", "variance"}:
        families = {one.family for one in said if one.kind == item.kind}
        special = {"mean": "zero mean", "variance": "unit variance"}[item.kind]
        return bool({item.kind, special, "standard normal"} & words) or families >= set(item.about)
    known = {
        "independent": {"independent"},
        "coordinates": {"independent"},
        "uncorrelated": {"uncorrelated", "independent"},
        "same-law": {"same law"},
        "law": {"normal"},
        "normal-vector": {"normal"},
        "definite": {"positive"},
        "dot-products": {"orthogonal", "orthonormal"},
        "total": {"total"},
        "distinct": {"distinct"},
        "positive": {"positive"},
    }
    return bool(known.get(item.kind, set()) & words)


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
    words: frozenset[str],
    said: Sequence[Said],
    used: frozenset[str],
    settings: Mapping[str, str],
    *,
    is_given: bool,
) -> Iterator[Assumption]:
    """Zero means and unit variances: stated, or not excluded by what the work says."""
    declared = {item.name for item in scope.declared if not item.sizes}
    for item in scope.hypotheses:
        if item.kind not in {"mean", "variance"}:
            continue
        letter = item.values[0].partition("^")[0]
        if letter not in declared or letter in settings:
            continue
        usual, word = ("0", "zero mean") if item.kind == "mean" else ("1", "unit variance")
        values = {describe(one.value) for one in said if one.kind == item.kind and one.family in item.about}
        numbers = {value for value in values if value.lstrip("-(").rstrip(")")[:1].isdigit()}
        value = next(iter(numbers), usual)
        is_stated = word in words or len(numbers) == 1
        # Who speaks of "mean m" has another value in mind than the usual one.
        if not is_stated and (letter in used or is_given or item.kind in words):
            continue
        if item.kind == "variance" and value != "1":
            continue
        names = " and ".join(item.about)
        is_mean = item.kind == "mean"
        text = (
            f"the components of {names} have mean {value}"
            if is_mean
            else f"the components of {names} have variance {value}"
        )
        yield Assumption(
            Hypothesis(f"{letter} = {value}", text, "equal", (letter,), (value,)),
            text,
            is_stated=is_stated,
            is_special=True,
        )
    yield from _special_of_own(scope, words, said)


def _special_of_own(scope: Scope, words: frozenset[str], said: Sequence[Said]) -> Iterator[Assumption]:
    """Means and variances of random quantities of which the theorem says nothing."""
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
        for kind, value, word in (("mean", "0", "zero mean"), ("variance", "1", "unit variance")):
            given = {describe(one.value) for one in said if one.kind == kind and one.family == item.name}
            is_stated = word in words or value in given
            name = f"the {kind} of {item.name} is {value}"
            if kind == "mean" or is_stated:
                hypothesis = Hypothesis(
                    f"own {name}", name, "mean" if kind == "mean" else "variance", (item.name,), (value,)
                )
                yield Assumption(hypothesis, name, is_stated=is_stated, is_special=True)
