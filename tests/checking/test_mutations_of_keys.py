"""A change of one thing in a key, its comments taken out, is found by a strict check, at its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest

from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import Finding
from tests.checking.mutants import KINDS, Kind, Mutant, draw
from tests.checking.second_opinion import is_equivalent
from tests.checking.unmarked import FINE, JUDGED, Key, covering, drawn, example, examples, relations
from tests.rendering.keys import PLAIN

pytestmark = pytest.mark.unmeasured

FEW, MANY = 10, 2000
PER_KEY = 12
SEEDS = 240
"""Problems are drawn from the seeds below this one, whose keys are clean in the tests of keys."""

NAMED = 0.9
"""Of the diagnoses that name a cause, the share that must name one of the mutation's own."""

FITTING: dict[Kind, frozenset[str]] = {
    "sign": frozenset({"sign", "arithmetic", "operand", "shape"}),
    "entries": frozenset({"wrong-entry", "wrong-row", "transposed-index", "operand", "arithmetic"}),
    "rows": frozenset({"wrong-entry", "wrong-row", "transposed-index", "operand", "arithmetic"}),
    "index": frozenset({"wrong-entry", "wrong-row", "transposed-index", "operand", "arithmetic", "formula", "shape"}),
    "digit-swap": frozenset({"digit-swap", "operand", "arithmetic", "part"}),
    "operand": frozenset({"operand", "wrong-entry", "wrong-row", "transposed-index", "sign", "arithmetic"}),
}
"""The codes that are a true description of a mutation; of a digit that was changed for any other none is better."""


@dataclass
class Tally:
    """What came of the mutants of one run."""

    found: int = 0
    equivalent: int = 0
    named: Counter[Kind] = field(default_factory=Counter)
    fitting: Counter[Kind] = field(default_factory=Counter)
    others: Counter[tuple[Kind, str]] = field(default_factory=Counter)

    def count(self, mutant: Mutant, finding: Finding) -> None:
        self.found += 1
        if finding.diagnosis is None or mutant.kind not in FITTING:
            return
        assert finding.diagnosis.code in CODES
        self.named[mutant.kind] += 1
        if finding.diagnosis.code in FITTING[mutant.kind]:
            self.fitting[mutant.kind] += 1
        else:
            self.others[mutant.kind, finding.diagnosis.code] += 1

    @property
    def share(self) -> float:
        return self.fitting.total() / max(self.named.total(), 1)

    def __str__(self) -> str:
        return (
            f" {self.found} mutations found, {self.equivalent} equivalent ones drawn again; of {self.named.total()} "
            f"causes {self.share:.0%} are the mutation's own"
        )


def keys(random: Random) -> Iterator[Key]:
    """Keys of examples and of drawn problems in turn, without end."""
    while True:
        # The second opinion knows one head and no mask; tests/rendering changes the keys of the others.
        yield example(*random.choice([label for label in examples() if label[0] in PLAIN]))
        yield drawn(random.randrange(SEEDS))


def targets(key: Key) -> list[Finding]:
    """The statements of a key that are judged, with a relation and a number in them."""
    findings = key.check().findings
    related = {id(finding) for at, _ in relations(key.tex) for finding in covering(findings, at)}
    return [
        finding
        for finding in findings
        if finding.verdict in JUDGED and id(finding) in related and any(char.isdigit() for char in finding.text)
    ]


def drawn_mutants(key: Key, random: Random, count: int) -> Iterator[Mutant]:
    """Some mutants of a key, all kinds alike; a kind that a statement has nothing for is drawn again."""
    statements = targets(key)
    tries = 20 * count if statements else 0
    while count and tries:
        mutant = draw(key.tex, random.choice(statements), random.choice(KINDS), random)
        tries -= 1
        if mutant is not None:
            count -= 1
            yield mutant


def complaint(mutant: Mutant, key: Key) -> Finding | None:
    """The finding that is held against the first changed place, where every changed place has one."""
    findings = [finding for finding in key.check(mutant.apply(key.tex)).findings if finding.verdict not in FINE]
    found = [[item for item in findings if _touches(item, *place)] for place in mutant.places()]
    return found[0][0] if all(found) else None


def _touches(finding: Finding, start: int, end: int) -> bool:
    return finding.place.start < end and start <= finding.place.end


def hunt(count: int, seed: int) -> Tally:
    random, tally = Random(seed), Tally()
    for key in keys(random):
        for mutant in drawn_mutants(key, random, PER_KEY):
            finding = complaint(mutant, key)
            if finding is not None:
                tally.count(mutant, finding)
                continue
            edits = [(key.tex[start:end], text) for start, end, text in mutant.edits]
            line = mutant.line(key.tex)
            assert is_equivalent(mutant, key), f"{mutant.kind} {edits} is not found in the key {key.label}: {line}"
            tally.equivalent += 1
        if tally.found >= count:
            return tally
    raise AssertionError("there is no end of keys")


def judge(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(tally, end="")  # noqa: T201
    assert tally.share >= NAMED, tally.others


def test_mutations_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    judge(hunt(FEW, seed=1), capsys)


@pytest.mark.long
def test_many_mutations_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    judge(hunt(MANY, seed=2), capsys)


# The mutations themselves ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_and_changes_its_statement_alone(kind: Kind) -> None:
    key, random = example("ps4_self_attention", "article", "full"), Random(3)
    drawn_ones = [draw(key.tex, finding, kind, random) for finding in targets(key)]
    mutants = [mutant for mutant in drawn_ones if mutant is not None]
    assert mutants
    for mutant in mutants:
        changed = mutant.apply(key.tex)
        first, last = mutant.edits[0][0], mutant.edits[-1][1]
        assert changed != key.tex
        assert mutant.finding.place.start <= first <= last <= mutant.finding.place.end
        assert changed[:first] == key.tex[:first]
        assert changed.endswith(key.tex[last:])


@pytest.mark.parametrize(
    ("kind", "before", "after", "same"),
    [
        ("index", r"A_{2\1} \approx 0.000075", "2", True),
        ("index", r"A_{3\1} \approx 0.6225", "2", False),
        ("index", r"S_{2\1} &= (-1)", "2", False),
        ("sign", r"1.00 \cdot (\-2)", "", False),
        ("sign", r"0.00 \+ 0.00 - 2.00", "-", True),
        ("sign", r"0.00 + 0.00 \- 2.00", "+", False),
        ("sign", r"(\-1) \cdot 0 +", "", False),
        ("digit", r"= \1 \cdot 0 +", "2", False),
        ("index", r"O_{\22} &\approx", "1", True),
        ("index", r"O_{\31} &\approx", "1", False),
    ],
)
def test_the_second_opinion(kind: Kind, before: str, after: str, same: bool) -> None:
    r"""What follows the lone backslash is changed."""
    key = example("ps4_self_attention", "article", "every-product")
    head, tail = _split(before)
    at = key.tex.find(head + tail)
    assert at >= 0
    at += len(head)
    finding = covering(key.check().findings, at)[0]
    assert is_equivalent(Mutant(kind, ((at, at + 1, after),), finding), key) is same


def _split(text: str) -> tuple[str, str]:
    """The text before and after the backslash that stands before no letter."""
    at = next(k for k, char in enumerate(text) if char == "\\" and not text[k + 1].isalpha())
    return text[:at], text[at + 1 :]
