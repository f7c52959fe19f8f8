"""The page on combinations says of each pair of features what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.combinations import FEATURES, SAME, all_refusals, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "combinations.md"
_BEGIN, _END = "<!-- pairs -->\n", "<!-- end -->\n"


@pytest.mark.unmeasured
def test_the_page_shows_what_becomes_of_each_pair(pytestconfig: pytest.Config) -> None:
    """It changes only with ``--update-golden``."""
    found = all_refusals()
    assert len(found) == len(FEATURES) * (len(FEATURES) - 1) // 2 - len(SAME)
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    shown, _, tail = rest.partition(_END)
    made = "\n".join(page(found)) + "\n"
    if pytestconfig.getoption("--update-golden"):
        PAGE.write_text(f"{head}{_BEGIN}{made}{_END}{tail}", encoding="utf-8")
        return
    assert shown == made
