"""The table of letters on the page about names is that of the keys."""

from __future__ import annotations

import re

from symattn.graph.builders import names
from tests import house

ROW = re.compile(r"^\| `(\w+)`, [^|]+ \| \$\\?(\w+)\$ \| ([^|]+) \|$", re.MULTILINE)


def test_the_letters_of_keys_are_those_of_the_page() -> None:
    page = (house.ROOT / "docs" / "how-to" / "course-names.md").read_text("utf-8")
    told = {name: (first, *re.findall(r"\$\\?(\w+)\$", rest)) for name, first, rest in ROW.findall(page)}
    letters = {**names._ONLY_WHERE_USED, **names._AUXILIARY}
    assert len(told) == 16
    assert told == {name: letters[name] for name in told}
