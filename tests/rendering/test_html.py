"""Keys and proofs as pages: every formula reads back and is proved, and a page asks nothing of anybody."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import symattn as sa
from symattn.api import proofs
from symattn.graph.key_judge.claims import claim_from_note
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities.statement import from_note
from symattn.graph.statements.chains import Detail
from symattn.notation.tree.wellformed import check
from symattn.problem.settings.conventions import THEORY
from symattn.rendering.content import HeatMap, Pictures
from symattn.rendering.html.page import paragraphs, words
from symattn.rendering.proofs.formulas import functions_of
from symattn.rendering.sections.document import Document
from tests.notation.mathml_reader import read_mathml
from tests.rendering.pages import Page

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
WITH_PROOFS = [path for path in EXAMPLES if "prove:" in path.read_text("utf-8")]
TEX = ("\\", "$")


def maps_of(document: Document) -> list[HeatMap]:
    """Return the heat maps of a key, whose numbers stand in a picture."""
    pieces = (piece for section in document.sections for block in section.blocks for piece in block.lines)
    return [item for piece in pieces if isinstance(piece, Pictures) for item in piece.maps]


def note_of(item: HeatMap) -> str:
    return "" if item.statement is None else item.statement.note


def assert_reads_back(result: sa.Result, page: Page, detail: Detail = "full") -> None:
    """Each statement of the key stands on the page once, and is proved from its MathML alone."""
    statements = [item for item in page.noted if item.formulas and not item.note.startswith(("claim", "%"))]
    drawn = set(map(note_of, maps_of(result.document(detail))))
    ledger = result.document(detail).ledger.statements
    told = Counter((item.note, item.written) for item in ledger if item.note not in drawn)
    assert told == Counter((item.note, item.tree) for item in statements if item.note not in drawn)
    for item in statements:
        check(item.tree)
        assert judge(from_note(item.note, item.tree), result.scene).faults == (), item.note


def assert_claims_are_told(page: Page) -> None:
    for item in page.noted:
        claim = claim_from_note(item.note)
        if claim is not None and item.words.strip():
            numbers = re.findall(r"\d+", item.words + " ".join(re.findall(r"<mn>(\d+)</mn>", "".join(item.formulas))))
            assert set(map(str, claim.numbers[1:])) <= set(numbers), item.note


@pytest.mark.sample(7)
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path not in WITH_PROOFS], ids=lambda path: path.stem)
def test_every_formula_of_a_key_is_read_and_proved(path: Path) -> None:
    result = sa.solve(sa.Problem.load(path))
    page = Page(result.to_html())
    assert_reads_back(result, page)
    assert_claims_are_told(page)
    assert [formula for formula in page.formulas if read_mathml(formula) is None] == []


@pytest.mark.long
@pytest.mark.parametrize("path", WITH_PROOFS, ids=lambda path: path.stem)
def test_every_formula_of_a_key_with_proofs_is_read(path: Path) -> None:
    result = sa.solve(sa.Problem.load(path))
    page = Page(result.to_html())
    functions = frozenset[str]().union(*(functions_of(item.proof.scope) for item in result.proofs))
    for formula in page.formulas:
        assert "<mover" in formula or read_mathml(formula, functions) is not None
    if result.problem.kind != THEORY:
        assert_reads_back(result, page)


@pytest.mark.parametrize("detail", ["brief", "every-product"])
def test_each_detail_is_read_back(detail: Detail) -> None:
    result = sa.solve(sa.Problem.load(EXAMPLES[0].parent / "causal_two_heads.toml"))
    assert_reads_back(result, Page(result.to_html(detail)), detail)


# A page --------------------------------------------------------------------------------------------


def pages() -> dict[str, str]:
    key = sa.solve(sa.Problem.load(EXAMPLES[0].parent / "discussion10_attention.toml")).to_html()
    proof = sa.prove("dot-product-variance", mu=0, sigma=1).to_html(instance=True)
    without = proofs.counterexample("dot-product-mean", "independence").to_html()
    return {"key": key, "proof": proof, "counter-example": without}


@pytest.mark.parametrize("kind", ["key", "proof", "counter-example"])
def test_a_page_is_one_file_with_landmarks_that_asks_nothing(kind: str) -> None:
    text = pages()[kind]
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not any(name.rpartition(" ")[2] in {"src", "href", "action"} for name, _ in page.attributes)
    assert ("html lang", "en") in page.attributes
    assert ("meta http-equiv", "Content-Security-Policy") in page.attributes
    assert any("default-src 'none'" in value for name, value in page.attributes if name == "meta content")
    assert page.tags.count("h1") == page.tags.count("main") == 1
    headings = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(headings))
    outside = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not any(sign in outside for sign in TEX), "no LaTeX is left"


def test_tables_have_captions_and_scopes() -> None:
    page = Page(sa.solve(sa.Problem.load(EXAMPLES[0].parent / "ps4_self_attention.toml")).to_html())
    assert page.tags.count("caption") == page.tags.count("table") > 0
    assert ("th scope", "col") in page.attributes
    assert ("th scope", "row") in page.attributes


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '" onclick="x', "&lt;b&gt;", "$<img src=x>$"])
def test_what_people_type_stays_text(hostile: str) -> None:
    tables = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}
    parts = [{"title": hostile, "text": f"- {hostile}", "asks": ["outputs", "prose"], "answer": hostile}]
    page = Page(sa.solve(sa.Problem.build(title=hostile, text=hostile, parts=parts, **tables)).to_html())
    assert not {"script", "img"} & set(page.tags)
    assert not any("onclick" in name or "src" in name.split() for name, _ in page.attributes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 < 6 & 7", "5 &lt; 6 &amp; 7"),
        ("a -- b", "a – b"),
        ("*no* \\texttt{x}", "<em>no</em> <code>x</code>"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected


def test_formulas_between_commas_are_a_list() -> None:
    found = Page(words(r"for $i = 1, \ldots, n$"))
    assert len(found.formulas) == 2
    assert "…" in words(r"for $i = 1, \ldots, n$")


def test_paragraphs_and_lists_are_closed() -> None:
    made = paragraphs("First.\n\nSecond:\n\n- one\n- $x$\n\n$$ y = 1. $$")
    assert made.count("<p>") == made.count("</p>")
    assert made.count("<ul>") == made.count("</ul>") == 1
    assert made.count("<li>") == 2
    assert 'display="block"' in made


def test_pictures_scroll_in_a_box_of_their_own_and_shrink_on_paper() -> None:
    page = sa.attention(Q=[[1], [2]], K=[[1], [2]], V=[[1], [3]]).to_html()
    assert re.search(r'<figure><div class="wide" tabindex="0" role="group" aria-label="picture[^"]*"><svg ', page)
    style, _, printed = page.partition("@media print")
    assert "svg {" not in style
    assert "svg { max-width: 100%; height: auto; }" in printed


def test_headings_of_several_problems_are_nested() -> None:
    """A problem has h2, its parts h3, and their steps h4; a page of one problem has h1, h2 and h3."""
    levels = re.findall(r"<h([1-6])", sa.solve_sheet(EXAMPLES[0].parent / "how_to" / "homework.toml").to_html())
    assert levels.count("2") > 1
    assert set(levels) == {"1", "2", "3", "4"}
    assert all(int(after) <= int(before) + 1 for before, after in pairwise(levels))
