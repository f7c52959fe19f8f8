"""The page on combinations says of each pair of features what the program does."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from tests.docs.combinations import FEATURES, SAME, all_refusals, page, problem, refusal

pytestmark = pytest.mark.unmeasured

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "combinations.md"
PAIRS = [pair for pair in combinations(FEATURES, 2) if frozenset(pair) not in SAME]
_BEGIN, _END = "<!-- pairs -->\n", "<!-- end -->\n"


@cache
def shown() -> dict[str, list[str]]:
    """Return the cells of each row of the tables by its first one: a feature, or the names of two."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    return {cells[0].lstrip("0123456789 "): cells[1:] for cells in rows}


@pytest.mark.sample(24)
@pytest.mark.parametrize("pair", PAIRS, ids=", ".join)
def test_a_pair_is_told_as_it_is(pair: tuple[str, str]) -> None:
    sentence = refusal(problem(*pair))
    cells = {shown()[name][[*FEATURES].index(other)] for name, other in (pair, pair[::-1])}
    assert cells == {"no" if sentence else "yes"}
    assert shown().get(", ".join(pair), [""])[0].replace("\\", "") == sentence


def test_the_page_has_the_form_of_the_table(pytestconfig: pytest.Config) -> None:
    """Its content changes only with ``--update-golden``."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    present, _, tail = rest.partition(_END)
    if pytestconfig.getoption("--update-golden"):
        PAGE.write_text(f"{head}{_BEGIN}{_text(all_refusals())}{_END}{tail}", encoding="utf-8")
        return
    told = {pair: shown().get(", ".join(pair), [""])[0].replace("\\", "") for pair in PAIRS}
    assert present == _text(told)


def _text(found: dict[tuple[str, str], str]) -> str:
    return "\n".join(page(found)) + "\n"
