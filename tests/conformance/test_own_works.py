"""The works in people's own layout: their index, their numbers against mpmath, and the figures of the checker."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from tests.conformance import works
from tests.conformance.independent import Values, values_of_layer
from tests.conformance.works import Number, Work

FOLDER = Path(__file__).parent.parent / "data" / "works"
WORKS = works.load(FOLDER)
RATCHET: dict[str, dict[str, int]] = json.loads((FOLDER / "ratchet.json").read_text("utf-8"))
"""The figures of each work that has any; they may only fall."""

KEYS = {
    *("exit", "first_mistake_line", "mistaken_lines", "language", "layout", "rounding"),
    *("mistake", "carried", "aside", "source"),
}


# The index -------------------------------------------------------------------------------------------


def test_the_index_lists_every_folder_and_every_key() -> None:
    assert {work.name for work in WORKS} == {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert all(set(work.known) == KEYS for work in WORKS)
    sources = set(re.findall(r"^\| (\w+) \| <http", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE))
    assert {work.known["source"] for work in WORKS} == sources


def test_the_works_are_many_and_unlike() -> None:
    aside = [work for work in WORKS if work.is_aside]
    foreign = [work for work in WORKS if work.known["language"] != "en"]
    planted = [work for work in WORKS if work.first_line is not None]
    assert len(WORKS) >= 60
    assert 3 * len(aside) >= len(WORKS)
    assert 3 * len(foreign) >= len(WORKS)
    assert len({work.known["language"] for work in WORKS}) >= 8
    assert len({work.known["layout"] for work in WORKS}) >= 10
    assert len(planted) >= 40
    assert sum(work.is_aside for work in planted) >= 30
    assert 0 < sum(work.known["carried"] for work in planted) < len(planted)
    assert {work.known["rounding"] for work in WORKS} == {"each step", "at the end", "cut off"}


def test_a_mistake_is_said_where_there_is_one() -> None:
    for work in WORKS:
        is_planted = work.first_line is not None
        lines = work.known["mistaken_lines"]
        assert work.known["exit"] == is_planted, work.name
        assert (work.known["mistake"] is not None) == is_planted, work.name
        assert ([work.first_line] == lines[:1]) == is_planted, work.name
        marked = {number.line for number in work.numbers or () if number.is_mistaken}
        assert marked <= set(lines), work.name


# The numbers -----------------------------------------------------------------------------------------


def value(printed: str) -> mpf:
    return mpf(printed.replace(",", ".").replace("∞", "inf"))


def unit(printed: str) -> mpf:
    """One unit of the last printed place."""
    exponent = Decimal(printed.replace(",", ".")).as_tuple().exponent
    assert isinstance(exponent, int)
    return mpf(10) ** exponent


def exact_value(known: dict[str, Values], number: Number) -> Any:
    """The value of the entry that a number is about."""
    found = re.fullmatch(r"(.+)\[(\d+),(\d+)\]", number.name)
    assert found is not None, number
    return known[found[1]][int(found[2]) - 1][int(found[3]) - 1]


def is_right(printed: str, exact: Any, rounding: str) -> bool:
    """Whether a number is the exact value, rounded or cut off; step by step, within 2% and 2 units."""
    if mp.isinf(exact):
        return bool(value(printed) == exact)
    off, one = value(printed) - exact, unit(printed)
    if rounding == "each step":
        return bool(abs(off) <= abs(exact) / 50 + 2 * one)
    if rounding == "cut off":
        return bool(abs(off) < one and abs(value(printed)) <= abs(exact) + mpf(10) ** -40)
    return bool(abs(off) <= one / 2 + mpf(10) ** -40)


@pytest.mark.parametrize("work", WORKS, ids=[work.name for work in WORKS])
def test_the_numbers_are_what_the_index_says(work: Work) -> None:
    known = values_of_layer(tomllib.loads((work.folder / "problem.toml").read_text("utf-8")))
    assert work.numbers
    list(works.places(work.numbers, work.path.read_text("utf-8")))
    for number in work.numbers:
        if not number.is_mistaken:
            exact = exact_value(known, number)
            assert is_right(number.printed, exact, work.known["rounding"]), (number, exact)
    first = next((number for number in work.numbers if number.is_mistaken), None)
    if first is not None:
        off = abs(value(first.printed) - exact_value(known, first))
        assert off > min(5 * unit(first.printed), mpf(1)) / 2 - mpf(10) ** -40, first


# The figures of the checker --------------------------------------------------------------------------


def test_no_figure_of_the_works_rises() -> None:
    outcomes = works.score(WORKS)
    assert works.risen(outcomes, RATCHET) == []
    kept = "figures fell: `python -m tests.conformance --works tests/data/works --write` keeps them"
    assert works.ratchet(outcomes) == RATCHET, kept
