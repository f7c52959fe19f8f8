"""Keys with positions, caches and blocks: read back, changed, handed in as work, and what they hand out as JSON."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from symattn.api.solutions import Result, solve
from symattn.checking.check import check_text
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import EngineName, compile_tex, engines
from tests.attention.placed import placed_tables
from tests.checking.unmarked import FINE, without_comments
from tests.rendering.independent import same_entries
from tests.rendering.keys import DETAILS, EXAMPLES, POLICIES, TEMPLATES, example_key
from tests.rendering.mutations import draw
from tests.rendering.test_mutations import is_found
from tests.tex_logs import log_problems

FEW = (3, 7)
"""A cache, rotations and blocks are among them."""


def drawn(seed: int) -> tuple[Result, str]:
    """A solved problem and its key, at some detail."""
    random = Random(seed)
    result = solve(Problem.build(**placed_tables(seed, with_heads=seed % 4 == 0)))
    return result, result.to_latex(random.choice(("article", "exam")), random.choice(DETAILS))


def check_key(seed: int) -> None:
    """The key reads back, a changed number is found, steps are replayed, and as work nothing is held against it."""
    result, tex = drawn(seed)
    findings = result.read_back(tex)
    assert len(findings) == tex.count("% symattn:")
    assert [finding for finding in findings if not finding.proved] == [], seed
    assert result.derivation.is_proved, seed
    random = Random(seed)
    for _ in range(2):
        mutation = draw(tex, random)
        if not is_found(mutation, result.read_back(mutation.apply(tex))):
            line = mutation.apply(tex).split("\n")[mutation.line - 1]
            assert same_entries(mutation, tex, result.problem), f"seed {seed}: {line}"
    if result.problem.heads or result.problem.policy.steps:
        return  # joined heads, and tables of two ways to round beside two rows, are read in other ways
    report = check_text(result.problem, without_comments(tex), "tex", strict=True)
    held = [
        f"{finding.text}: {finding.verdict} {finding.explanation}"
        for finding in report.findings
        if finding.verdict not in FINE | {"undecided"}
    ]
    assert held == [], seed


@pytest.mark.parametrize("seed", FEW)
def test_drawn_keys(seed: int) -> None:
    check_key(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", [seed for seed in range(200) if seed not in FEW])
def test_many_drawn_keys(seed: int) -> None:
    check_key(seed)


@pytest.mark.tex
@pytest.mark.long
@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_drawn_keys_compile_without_a_warning(seed: int) -> None:
    engine: EngineName = engines()[0].name
    assert log_problems(compile_tex(drawn(seed)[1], engine=engine).log) == []


def test_json_has_the_counts_and_what_was_joined() -> None:
    unit = [[1, 0], [0, 1]]
    cache = {"K": [[1, 2], [3, 4]], "V": [[1, 0], [0, 1]]}
    problem = Problem.build(X=[[1, 2]], W_Q=unit, W_K=unit, W_V=unit, cache=cache, positions={"kind": "rope"}, online=2)
    result = solve(problem)
    data = result.as_json()
    assert data["counts"] == {"products_with_cache": 6, "products_without": 14, "cached_numbers": 12}
    quantities, convention = data["quantities"], data["convention"]
    assert isinstance(quantities, dict)
    assert isinstance(convention, dict)
    assert {"Q_rot", "K_rot", "K_new", "K_cache", "K", "l@2", "o@2"} <= set(quantities)
    assert (convention["cached"], convention["online"]) == (2, 2)
    assert result.K_rot.rounded(3) == result["K_rot"].rounded(3) == [["-2.235", "0.077"]]
    assert result.counts["cached_numbers"] == 12
    with pytest.raises(AttributeError, match="There is no P"):
        _ = result.P


def test_a_key_says_how_positions_are_counted() -> None:
    unit = [[1, 0], [0, 1]]
    tex = solve(Problem.build(X=[[1, 2]], W_Q=unit, W_K=unit, W_V=unit, positions={"kind": "rope"})).to_latex()
    assert "the first token stands at position 0" in tex
    assert "the number of the first position" in tex


# The example ------------------------------------------------------------------------------------------

LABELS = list(product(("cached_step",), POLICIES, DETAILS, TEMPLATES))


def check_example(label: tuple[str, str, Detail, str], seed: int, count: int) -> None:
    """A key of the example reads back, and changed numbers of it are found."""
    key, random = example_key(*label), Random(seed)
    findings = key.result.read_back(key.tex)
    assert len(findings) == key.tex.count("% symattn:")
    assert [finding for finding in findings if not finding.proved] == [], key.label
    for _ in range(count):
        mutation = draw(key.tex, random)
        if not is_found(mutation, key.result.read_back(mutation.apply(key.tex))):
            assert same_entries(mutation, key.tex, key.result.problem), (key.label, mutation)


def test_the_example_reads_back_and_survives_changes() -> None:
    check_example(LABELS[0], 1, 3)
    check_example(next(label for label in LABELS if label[1] == "steps=all,places=2,shift=true"), 2, 2)


@pytest.mark.long
@pytest.mark.parametrize("label", LABELS, ids=" ".join)
def test_the_example_under_every_policy(label: tuple[str, str, Detail, str]) -> None:
    check_example(label, 3, 8)


def held_against_the_example(template: str, detail: Detail) -> list[str]:
    tex = without_comments(example_key("cached_step", "", detail, template).tex)
    problem = Problem.load(EXAMPLES / "cached_step.toml")
    report = check_text(problem, tex, "tex", strict=True)
    assert report.missing == ()
    return [finding.text for finding in report.findings if finding.verdict not in FINE]


def test_nothing_is_held_against_the_example() -> None:
    assert held_against_the_example("article", "brief") == []


@pytest.mark.long
@pytest.mark.parametrize(("template", "detail"), list(product(TEMPLATES, DETAILS)))
def test_nothing_is_held_against_any_key_of_the_example(template: str, detail: Detail) -> None:
    assert held_against_the_example(template, detail) == []
