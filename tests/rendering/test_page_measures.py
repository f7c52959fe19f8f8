"""Pages of keys of all kinds of layers: readable sizes, nothing too wide, few pages, and all of it read back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.api.solutions import Result, solve
from symattn.checking.report import HOLDS, Verdict
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import engines
from symattn.rendering.latex.typesetting import display, is_legible, table
from symattn.rendering.latex.widths import LINE, width
from tests.rendering.page_measures import (
    BASE,
    DETAILS,
    FLOOR,
    SHEETS,
    TEMPLATES,
    compiled,
    engines_of,
    headings_at_feet,
    scalings,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in SHEETS.glob("*.toml"))
FORMS = ("closed", "decimals", "auto")
_FINE: frozenset[Verdict] = HOLDS | {"unchecked"}
COUNTS: list[tuple[Path, Detail, int]] = [
    (EXAMPLES / "ps4_self_attention.toml", "brief", 2),
    (EXAMPLES / "ps4_self_attention.toml", "full", 3),
    (EXAMPLES / "causal_two_heads.toml", "brief", 2),
    (EXAMPLES / "causal_two_heads.toml", "full", 4),
    (SHEETS / "encoder_block.toml", "brief", 3),
    (SHEETS / "grouped_queries.toml", "full", 5),
]


def documents() -> Iterator[Any]:
    """Yield a case for each document under each of its engines."""
    absent = all(engine.name != "tinytex" for engine in engines())
    needs_tinytex = pytest.mark.skipif(absent, reason='no engine from pip: pip install "symattn[pdf]"')
    for name, detail, template in product(NAMES, DETAILS, TEMPLATES):
        has_accents = "language =" in (SHEETS / f"{name}.toml").read_text(encoding="utf-8")
        for engine in engines_of(template, has_accents=has_accents):
            yield pytest.param(name, detail, template, engine, marks=[needs_tinytex] if engine == "tinytex" else [])


@cache
def solved(name: str, forms: str = "auto") -> Result:
    return solve(replace(Problem.load(SHEETS / f"{name}.toml"), forms=forms))


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "forms", "detail"), list(product(NAMES, FORMS, DETAILS)))
def test_no_formula_is_set_below_eight_points(name: str, forms: str, detail: Detail) -> None:
    for template in TEMPLATES:
        tex = solved(name, forms).to_latex(template, detail)
        assert [(source, size) for source, size in scalings(tex) if size < FLOOR] == []


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "forms", "detail"), list(product(NAMES, FORMS, DETAILS)))
def test_keys_in_every_form_are_read_back(name: str, forms: str, detail: Detail) -> None:
    result = solved(name, forms)
    tex = result.to_latex("article", detail)
    findings = result.read_back(tex)
    assert len(findings) == tex.count("% symattn:") > 0
    assert [finding for finding in findings if not finding.proved] == []


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "detail"), list(product(NAMES, DETAILS)))
def test_check_finds_keys_right_without_their_comments(name: str, detail: Detail) -> None:
    result = solved(name)
    bare = re.sub(r"(?<!\\)%.*", "", result.to_latex("article", detail))
    report = sa.check(result.problem, bare, strict=True)
    assert report.counts["right"] > 0
    assert [(item.verdict, item.text) for item in report.findings if item.verdict not in _FINE] == []


@pytest.mark.tex
@pytest.mark.unmeasured
@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "detail", "template", "engine"), list(documents()))
def test_pages_hold_what_stands_on_them(name: str, detail: Detail, template: str, engine: str, tmp_path: Path) -> None:
    pages = compiled(solved(name).to_latex(template, detail), engine, tmp_path)
    assert (pages.problems, pages.feet) == ([], [])


@pytest.mark.parametrize(
    ("lines", "is_found"),
    [
        (["Step 3. Values"], True),
        (["Étape 3. Valeurs, tête 2"], True),
        (["Kopf 2."], True),
        (["(b) Scores      [4 points]", "3"], True),
        (["Lösung.", "Each digit is proved.", "2"], True),
        (["Draw the ﬁrst diagram."], True),
        (["A = softmax(L)", "Each digit is proved.", "2"], False),
        (["0.62 0.38", "12"], False),
        (["to inputs 1 and 2 only"], False),
    ],
)
def test_headings_at_the_foot_of_a_page_are_found(lines: list[str], *, is_found: bool) -> None:
    tex = "key}\\footnotetext{\\symattnsoft Each digit is proved.}\\\\[-6pt]"
    tex += "\\par{\\itshape Draw the first diagram.\\par}\\nopagebreak"
    assert bool(list(headings_at_feet(["\n".join(lines), "the last page"], tex))) is is_found


@pytest.mark.sample(2)
@pytest.mark.tex
@pytest.mark.unmeasured
@pytest.mark.parametrize(("path", "detail", "most"), COUNTS, ids=lambda item: getattr(item, "stem", item))
def test_keys_are_short(path: Path, detail: Detail, most: int, tmp_path: Path) -> None:
    assert compiled(solve(Problem.load(path)).to_latex("article", detail), "pdflatex", tmp_path).count <= most


def has_root(result: Result, name: str) -> bool:
    """Whether the displayed value of a quantity has a root, a sine or a cosine in it."""
    shown = [item for item in result.document("full").ledger.statements if item.note.partition(" ")[0] == name]
    assert shown
    source = " ".join(repr(item.sides[-1]) for item in shown)
    return "Root" in source or "Call" in source


@pytest.mark.parametrize(
    ("name", "quantity", "by_forms"),
    [
        ("two_tokens", "U", {"closed": True, "decimals": False, "auto": True}),
        ("rotary", "U", {"closed": True, "decimals": False, "auto": False}),
        ("sinusoidal", "Q", {"closed": True, "decimals": False, "auto": False}),
        ("encoder_block", "Q", {"closed": True, "decimals": False, "auto": False}),
    ],
)
def test_forms_are_those_that_are_asked_for(name: str, quantity: str, by_forms: dict[str, bool]) -> None:
    assert {forms: has_root(solved(name, forms), quantity) for forms in FORMS} == by_forms


@pytest.mark.parametrize("name", ["rotary", "sinusoidal", "encoder_block"])
def test_decimals_in_place_of_closed_forms_are_told_once(name: str) -> None:
    words = "decimals stand in their place"
    counts = {forms: solved(name, forms).to_latex().count(words) for forms in FORMS}
    assert counts == {"closed": 0, "decimals": 0, "auto": 1}


def test_a_key_of_decimals_mixes_no_roots_among_them() -> None:
    """A normalised row of the sheet is decimals, and so is everything that is made of it."""
    for statement in solved("encoder_block").document("full").ledger.statements:
        nodes = [node for node in statement.sides if isinstance(node, t.Matrix)]
        assert not any("Root" in repr(node) for node in nodes), statement.note


@pytest.mark.parametrize("name", ["two_tokens", "two_heads", "backward", "columns_shifted"])
def test_each_detail_states_more_than_the_one_before(name: str) -> None:
    counts = [solved(name).document(detail).ledger.count for detail in DETAILS]
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("digits", [20, 84, 90, 100, 112, 120, 400])
def test_sizes_are_stated_and_never_below_the_floor(digits: int) -> None:
    """A numeral does not break: it is set smaller, as long as that is readable, and by no more where it is not."""
    statement = Statement(t.Name("x"), t.Relation((t.Name("x"), t.Number("7" * digits)), ("=",)), "exact")
    lines = display(statement)
    assert all(size >= FLOOR for _, size in scalings("\n".join(lines)))
    factor = next((size / BASE for _, size in scalings("\n".join(lines))), 1.0)
    assert (factor < 1) == (width(statement.written) > LINE)
    assert is_legible(statement.written) == (factor * width(statement.written) <= LINE + 1)


@pytest.mark.parametrize("places", [4, 40, 90])
def test_tables_that_are_too_wide_are_set_in_two(places: int) -> None:
    cells = [Statement(t.Name("x"), t.Number(f"0.{'3' * places}"), "exact") for _ in range(6)]
    lines = "\n".join(table(["", *cells], [["row", *cells]], "lcccccc"))
    assert all(size >= FLOOR for _, size in scalings(lines))
    assert lines.count("% symattn: x | exact") == 12
    assert (lines.count("\\toprule") > 1) == (places > 4)
