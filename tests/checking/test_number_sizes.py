"""A mistyped number of any size costs its own statement, and no more work than any other mistake."""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest

from symattn.checking.checker import Checker
from symattn.errors import EffortError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, round_exact
from tests.checking.mutants import blanked
from tests.checking.unmarked import Key, example
from tests.effort import effort

pytestmark = pytest.mark.unmeasured

NAMES = (
    "ps4_self_attention", "ps4_cross_attention", "discussion10_attention", "nyu_columns", "causal_two_heads",
    "padded_cross_attention", "cached_step", "causal_backward",
)  # fmt: skip
EXTREMES = (
    "0", "300000", "3000000", "1000000000000", f"{10**100}", "1e-300", "1e999", "-300000", "10^{100}", "e^{300000}",
    "e^{-3000000}", "e^{e^{10}}", r"\frac{1}{" + "9" * 300 + "}", "9" * 400,
)  # fmt: skip
MOST_CALLS = 4_000_000
"""Calls that the check of one statement may make: two or three seconds of a processor."""


def numeral(random: Random) -> str:
    """A number between 0 and 10^12, each length as often as another, or an extreme one."""
    if random.random() < 0.3:
        return random.choice(EXTREMES)
    value = 10 ** random.uniform(-6, 12)
    return random.choice((str(int(value)), f"-{int(value)}", f"{value:.2f}", f"{value:.8f}"))


@cache
def places(name: str) -> tuple[Key, list[tuple[int, int, int, int]]]:
    """The key of an example, and the numbers in it, each with the paragraph that it stands in."""
    key = example(name, "article", "full")
    found: list[tuple[int, int, int, int]] = []
    for finding in key.check().findings:
        start, end = finding.place.start, finding.place.end
        if finding.verdict not in {"right", "rounded", "carried"}:
            continue
        low, high = key.tex.rfind("\n\n", 0, start) + 2, key.tex.find("\n\n", end)
        found.extend(
            (low, start + item.start(), start + item.end(), high if high > 0 else len(key.tex))
            for item in re.finditer(r"\d+(?:\.\d+)?", blanked(key.tex, start, end))
        )
    return key, found


def check_changed(random: Random) -> None:
    key, found = places(random.choice(NAMES))
    low, start, end, high = random.choice(found)
    text = key.tex[low:start] + numeral(random) + key.tex[end:high]
    with effort(MOST_CALLS):
        Checker(key.problem, strict=random.random() < 0.3).report(text, "tex", "work").as_json()


def test_numbers_of_any_size_are_judged() -> None:
    random = Random(1)
    for _ in range(5):
        check_changed(random)


@pytest.mark.long
def test_many_numbers_of_any_size_are_judged() -> None:
    random = Random(2)
    for _ in range(4000):
        check_changed(random)


@pytest.mark.sample(16)
@pytest.mark.parametrize("number", EXTREMES)
@pytest.mark.parametrize("entry", ["Q_{11}", "S_{11}", "A_{13}", "O_{11}"])
def test_one_statement_is_wrong_and_the_rest_is_judged(entry: str, number: str) -> None:
    """`Q_11` is 1, `S_11` is 3/2, and `A_13` and `O_11` are no such numbers either; `Q_12` is 3."""
    key, _ = places("ps4_self_attention")
    with effort(MOST_CALLS):
        first, second = Checker(key.problem).report(f"${entry} = {number}$\n\n$Q_{{12}} = 3$", "md", "work").findings
    assert first.verdict == "wrong"
    assert second.verdict == "right"


LARGE = Quotient(ExpSum.exp(300_000))
PLACES = Rounding(places=2)


def test_digits_that_nobody_writes_are_not_worked_out() -> None:
    kept = KeptBounds()
    with effort(10_000):
        with pytest.raises(EffortError):
            kept.round_exact(LARGE, PLACES)
        with pytest.raises(EffortError):
            kept.decimal(LARGE, PLACES)
        assert kept.round_value(LARGE, PLACES) is LARGE
        assert not kept.rounds_to(LARGE, round_exact(Quotient.of(5), PLACES), PLACES)


def test_a_number_is_what_a_value_rounds_to() -> None:
    kept, e = KeptBounds(), Quotient(ExpSum.exp(1))
    for rounding in (PLACES, Rounding(figures=3), Rounding(places=2, ties="truncate"), Rounding(figures=1)):
        value = round_exact(e, rounding)
        assert kept.rounds_to(e, value, rounding)
        assert not kept.rounds_to(e, value + value / 1000, rounding)
        assert not kept.rounds_to(e, -value, rounding)


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        (r"\cos(e^{2})", "wrong"), (r"2 \sin(e^{-300000})", "wrong"), (r"\cos(e^{2}) + 0.5517 = 1.00", "wrong"),
        (r"\sin(e) = 0.41", "right"), (r"\tanh(e^{300000})", None), (r"\cos(e^{300000})", None),
    ],
)  # fmt: skip
def test_functions_of_exponentials_have_values(written: str, verdict: str | None) -> None:
    """`sin e = 0.41078`, as mpmath has it; of cosines of huge numbers nothing need be known, and no work is lost."""
    pytest.importorskip("flint")
    key, _ = places("ps4_self_attention")
    with effort(MOST_CALLS):
        name = "" if written.startswith(r"\sin(e)") else "Q_{11} = "
        found = Checker(key.problem).report(f"${name}{written}$\n\n$Q_{{12}} = 3$", "md", "work").findings
    assert found[-1].verdict == "right"
    if verdict is not None:
        assert found[0].verdict in {verdict, "rounded"}
