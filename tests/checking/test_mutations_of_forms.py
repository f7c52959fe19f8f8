"""A changed number in the new forms of keys is found by a strict check, at its place.

Tables, heat maps, closed forms, certified decimals, gradients, heads side by side, several problems on one paper, and
keys in other languages: in each a digit is changed, or two digits of a number are exchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from symattn.api.sheet_submissions import check_sheet
from symattn.api.sheets import SheetResult
from symattn.api.solutions import solve
from symattn.api.submissions import check
from symattn.checking.report import Finding, Report
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.problem.sheet import Sheet
from tests.checking.mutants import Kind, Mutant, draw
from tests.checking.unmarked import FINE, JUDGED, without_comments
from tests.rendering.keys import EXAMPLES
from tests.rendering.page_measures import SHEETS

pytestmark = pytest.mark.unmeasured

FEW, MANY = 8, 500
PER_PIECE, TRIES = 4, 12
KINDS: tuple[Kind, ...] = ("digit", "digit", "digit", "digit-swap")
HOMEWORK = "homework"
DETAILS: tuple[Detail, ...] = ("brief", "full")
LANGUAGES = ("de", "fr", "es")

_SECTION = re.compile(r"(?=\\subsection\*\{\([a-z])")
_BELOW = re.compile(r"_\{[^{}]*$|_$|\^\{\([0-9]*$|\\symattnfit\{[0-9.]*$")
"""What stands before a digit of an index, of the number of a head, or of a size."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A section of a key below its head, as a submission without comments.

    Attributes:
        label: how messages call it.
        problem: the problem, or all of them.
        tex: the source.
    """

    label: str
    problem: Problem | Sheet
    tex: str

    def check(self, tex: str) -> Report:
        if isinstance(self.problem, Sheet):
            return check_sheet(self.problem, tex, "tex", strict=True, source="key.tex")
        return check(self.problem, tex, "tex", strict=True, source="key.tex")

    def is_within(self, name: str, finding: Finding) -> bool:
        before = self.tex[: finding.place.start]
        return before.count(f"\\begin{{{name}}}") > before.count(f"\\end{{{name}}}")


Choice = tuple[tuple[str, ...], Callable[[Piece, Finding], bool]]
FORMS: dict[str, Choice] = {
    "tables": (
        ("two_tokens", "rotary", "temperature", "cross_decimals", "cached"),
        lambda piece, finding: piece.is_within("tabular", finding),
    ),
    "heat maps": (
        ("two_tokens", "padding", "columns_shifted", "general_distances", "cached"),
        lambda _, finding: "\\symattnheat" in finding.text or "\\symattnseen" in finding.text,
    ),
    "closed forms": (
        ("two_tokens", "padding", "biased_capped", "additive", "symbols"),
        lambda _, finding: re.search(r"\\sqrt|\\tanh|\\frac|e\^", finding.text) is not None,
    ),
    "certified decimals": (
        ("rotary", "sinusoidal", "encoder_block", "gated_block_spanish"),
        lambda _, finding: "\\approx" in finding.text,
    ),
    "gradients": (
        ("backward", "cross_entropy", "gradient_german"),
        lambda _, finding: re.match(r"d[A-Z]", finding.name or "") is not None,
    ),
    "heads": (
        ("two_heads", "grouped_queries"),
        lambda _, finding: "^" in (finding.name or ""),
    ),
    "several problems": ((HOMEWORK,), lambda *_: True),
    "languages": (
        ("course_names_french", "cross_entropy", "two_heads", "two_tokens", "columns_by_vector"),
        lambda *_: True,
    ),
}


@cache
def pieces(name: str, detail: Detail, language: str) -> tuple[Piece, ...]:
    """Return the sections of a key, each below the head of the key."""
    if name == HOMEWORK:
        sheet = Sheet.load(EXAMPLES / "how_to" / "homework.toml")
        return (Piece(name, sheet, without_comments(SheetResult(sheet).to_latex("article", detail))),)
    problem = Problem.load(SHEETS / f"{name}.toml")
    problem = replace(problem, language=language or problem.language)
    head, *sections = _SECTION.split(without_comments(solve(problem).to_latex("article", detail)))
    return tuple(Piece(f"{name}, {detail}, {language}", problem, head + section) for section in sections)


@cache
def targets(piece: Piece, form: str) -> tuple[Finding, ...]:
    """Return the judged statements of a form, with a number in them; nothing is held against an unchanged piece."""
    findings = clean(piece).findings
    assert [item.text for item in findings if item.verdict not in FINE] == [], piece.label
    is_meant = FORMS[form][1]
    return tuple(
        item
        for item in findings
        if item.verdict in JUDGED and re.search(r"[=≈]|\\approx", item.text) and is_meant(piece, item)
    )


@cache
def clean(piece: Piece) -> Report:
    return piece.check(piece.tex)


def drawn(form: str, among: tuple[Piece, ...], random: Random) -> Piece:
    """Return a piece, one with a statement of the form if there is any."""
    shuffled = random.sample(among, len(among))
    return next((piece for piece in shuffled if targets(piece, form)), shuffled[0])


def mutants(piece: Piece, form: str, random: Random) -> Iterator[Mutant]:
    """Yield changed numbers of a piece, none of them an index."""
    found = targets(piece, form)
    made = (draw(piece.tex, random.choice(found), random.choice(KINDS), random) for _ in range(TRIES if found else 0))
    numbers = (item for item in made if item is not None and not _BELOW.search(piece.tex[: item.edits[0][0]]))
    return islice(numbers, PER_PIECE)


def is_found(mutant: Mutant, piece: Piece) -> bool:
    findings = [item for item in piece.check(mutant.apply(piece.tex)).findings if item.verdict not in FINE]
    return all(
        any(item.place.start < end and start <= item.place.end for item in findings) for start, end in mutant.places()
    )


def hunt(count: int, seed: int) -> Counter[str]:
    """Change numbers of all forms in turn, and return how many were found of each."""
    random, found = Random(seed), Counter[str]()
    while True:
        for form, (names, _) in FORMS.items():
            language = random.choice(LANGUAGES) if form == "languages" else ""
            piece = drawn(form, pieces(random.choice(names), random.choice(DETAILS), language), random)
            for mutant in mutants(piece, form, random):
                edits = [(piece.tex[start:end], text) for start, end, text in mutant.edits]
                assert is_found(mutant, piece), f"{form}, {piece.label}, {edits}: {mutant.line(piece.tex)}"
                found[form] += 1
                if found.total() >= count:
                    return found


def report(found: Counter[str], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f" {found.total()} mutations found: {dict(found)}", end="")  # noqa: T201


def test_changed_numbers_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    report(hunt(FEW, seed=1), capsys)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_changed_numbers_are_found(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    report(hunt(MANY // 10, seed), capsys)
