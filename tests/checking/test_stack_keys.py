"""Keys of several blocks, their comments taken out: nothing of them is wrong, and a changed number is found."""

from __future__ import annotations

import re
from contextlib import suppress
from random import Random

import pytest

from symattn.errors import InputError
from tests.checking.mutants import Kind, Mutant, draw
from tests.checking.stacks import stack_key
from tests.checking.test_keys import held_against
from tests.checking.test_mutations_of_keys import complaint, targets
from tests.checking.unmarked import Key

pytestmark = pytest.mark.unmeasured

FEW = (7, 14, 82)
"""The last is a key in which a row sum is shown as 0.000."""

MANY = (3, *(seed for seed in range(20, 120) if seed not in FEW))

KINDS: tuple[Kind, ...] = ("digit", "digit-swap", "operand")
"""The signs of zeros, and equal entries that change places, change nothing."""

_MARK = re.compile(r"(?:, block |(?<!\w)Block )([1-9])(?: starts|[:}\\]|$)", re.MULTILINE)
_NAME = re.compile(r"(?:[A-Z]\w*\}*_\{?\d?|\^\{\(|\\mathrm\{F|\)\^\{)$")


def drawn(seed: int) -> Key:
    """The key of the first of some drawn problems that is none to be refused."""
    for other in range(seed, seed + 10_000, 1_000):
        with suppress(InputError):
            return stack_key(other)
    raise AssertionError(f"every problem drawn from seed {seed} on is refused")


def is_clean(seed: int) -> None:
    key = drawn(seed)
    assert held_against(key) == [], key.label
    marks = key.check().marks
    if marks is not None and "full" in key.label:
        assert marks.earned == marks.points, [part.reasons for part in marks.parts]


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", FEW)
def test_keys_of_several_blocks(seed: int) -> None:
    is_clean(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", MANY)
def test_keys_of_many_stacks(seed: int) -> None:
    is_clean(seed)


def block_at(key: Key, place: int) -> str:
    """The block that a place of a key is on, by the titles above it."""
    said = _MARK.findall(key.tex[:place])
    return said[-1] if said else "1"


def is_of_a_name(key: Key, mutant: Mutant) -> bool:
    """Whether only names were changed: another name may stand for the same number."""
    return all(_NAME.search(key.tex[max(0, start - 12) : start]) is not None for start, _, _ in mutant.edits)


def hunt(seed: int, count: int) -> int:
    """Changes numbers of a key, each of which a strict check must find at its place and on its block."""
    key, random, found = drawn(seed), Random(seed), 0
    statements = targets(key)
    for _ in range(20 * count):
        mutant = draw(key.tex, random.choice(statements), random.choice(KINDS), random)
        if mutant is None or is_of_a_name(key, mutant):
            continue
        finding = complaint(mutant, key)
        place = mutant.edits[0][0]
        assert finding is not None, f"{key.label}: {mutant.line(key.tex)}"
        if finding.name is not None:
            assert f"@{block_at(key, place)}" in finding.name, f"{key.label}: {mutant.line(key.tex)}"
        found += 1
        if found == count:
            break
    return found


def test_a_changed_number_is_found_on_its_block() -> None:
    assert hunt(20, 2) == 2


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_many_changed_numbers_are_found_on_their_blocks(seed: int) -> None:
    assert hunt(seed, 5)
