"""Variants: draws that depend on nothing else, constraints that hold, designs that are refused with counts."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from symattn.checking.graph.layer import graph_of_layer
from symattn.cli.main import cli
from symattn.courses.roster import read_variants
from symattn.courses.variants.design import load_design, read_design
from symattn.courses.variants.draws import Rows
from symattn.courses.variants.operations import counted_operations
from symattn.courses.variants.problem_files import toml_text, variant_text
from symattn.courses.variants.program import Program
from symattn.courses.variants.search import Found, Search, find_variants
from symattn.errors import InputError, OutputError
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from symattn.processes.pool import pool
from tests.courses import brute_force

EXAMPLE = Path(__file__).parents[2] / "examples" / "variants.toml"


def tables(**changes: Any) -> dict[str, Any]:
    found = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"), parse_float=str)
    found["variants"] = {key: value for key, value in {**found["variants"], **changes}.items() if value is not None}
    return found


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, ["variants", *map(str, arguments)])


def rows_of(course: Path) -> list[list[str]]:
    return list(csv.reader((course / "variants.csv").read_text(encoding="utf-8").splitlines()))


def test_a_folder_has_problems_sheets_keys_and_their_table(tmp_path: Path) -> None:
    result = run(EXAMPLE, "-n", 2, "--seed", 7, "-o", tmp_path / "course")
    assert result.exit_code == 0, result.output
    found = read_variants(tmp_path / "course" / "variants.csv")
    assert [row.variant for row in found.variants] == ["0001", "0002"]
    problems = [Problem.from_text(found.problem_text(row)) for row in found.variants]
    assert problems[0].inputs["X"] != problems[1].inputs["X"]
    assert all((found.folder / row.sheet).exists() and (found.folder / row.key).exists() for row in found.variants)
    page = (found.folder / "report.html").read_text(encoding="utf-8")
    assert all(
        f"<h2>{heading}" in page for heading in ("Variants by operations", "Draws rejected", "Pairs of variants")
    )
    assert "tikzpicture" in (found.folder / "report.tex").read_text(encoding="utf-8")


def test_operations_are_counted_without_trivial_ones() -> None:
    layer = attention_layer(Problem.build(Q=[[1, 2]], K=[[1, 1], [0, 3]], V=[["1/2"], [0]], scale="none"))
    # S = [1*1 + 2*1, 1*0 + 2*3] = [3, 6]; E = [e^3, e^6]; Z; A; O = [A_11/2].
    assert counted_operations(graph_of_layer(layer)) == {
        "multiplications": 2, "additions": 2, "exponentials": 2, "divisions": 2
    }  # fmt: skip


def test_a_student_who_comes_later_changes_nobody(tmp_path: Path) -> None:
    roster, course = tmp_path / "roster.csv", tmp_path / "course"
    roster.write_text("Student,ID\nAda,a1\nCem,c3\n", encoding="utf-8")
    assert run(EXAMPLE, "--roster", roster, "-o", course).exit_code == 0
    before = rows_of(course)
    roster.write_text("Student,ID\nAda,a1\nBen,b2\nCem,c3\n", encoding="utf-8")
    assert run(EXAMPLE, "--roster", roster, "-o", course).exit_code == 0
    after = rows_of(course)
    assert after[: len(before)] == before
    assert [row[1] for row in after[len(before) :]] == ["b2"]


def test_another_seed_is_refused_in_the_folder_of_an_earlier_one(tmp_path: Path) -> None:
    assert run(EXAMPLE, "-n", 1, "--seed", 1, "-o", tmp_path).exit_code == 0
    result = run(EXAMPLE, "-n", 1, "--seed", 2, "-o", tmp_path)
    assert isinstance(result.exception, InputError)
    assert "another seed or design" in str(result.exception)


def test_a_design_that_no_draw_meets_is_refused_with_counts() -> None:
    program = Program(read_design(tables(weights=["0.5", "0.6"]), "x.toml"))
    with pytest.raises(InputError, match=r"no variant for 1 in 2,000 draws.*weights [0-9,]+"):
        Search(program, 7, "1", most=2000).found()


def test_draws_do_not_depend_on_other_students() -> None:
    program = Program(read_design(tables(), "x.toml"))
    alone = Search(program, 7, "ada").found()
    Search(program, 7, "ben").found()
    assert Search(Program(read_design(tables(), "x.toml")), 7, "ada").found() == alone


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vary": {"Y": [0, 1]}}, "the problem has no input Y"),
        ({"vary": {"X": []}}, "must be a list of numbers"),
        ({"vary": {"X": [[0, 1]]}}, "lists for 1 rows, and the matrix has 3"),
        ({"vary": {"X": [1, "1"]}}, "one number twice"),
        ({"margin": "1/2 unit"}, "between 0 and 1/2"),
        ({"margin": "0.1"}, "number of units"),
        ({"weights": ["0.9", "0.1"]}, "the smaller one first"),
        ({"apart": 100}, "only 18 entries vary"),
        ({"apart": 0}, "from 1 to"),
        ({"telling": "some"}, "unknown value"),
    ],
)
def test_a_design_that_cannot_be_used_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_design(tables(**changes), "x.toml")


NARROW = """\
[inputs]
Q = [[1, 0], [0, 1]]
K = [[1, 1], [0, 2], [1, 0]]
V = [[1, 2], [3, 1], [0, 1]]
[variants]
vary.V = [0, 1]
apart = 2
"""


def test_any_number_of_processes_draws_the_same(tmp_path: Path) -> None:
    design = tmp_path / "design.toml"
    design.write_text(NARROW, encoding="utf-8")
    program, found = Program(load_design(design)), list[Found]()
    for number in range(1, 13):
        found.append(Search(program, 1, str(number), [one.inputs for one in found]).found())
    assert any("apart" in one.rejected for one in found)
    keys = [one.student for one in found]
    assert [list(find_variants(program, 1, keys, jobs=jobs)) for jobs in (1, 2)] == [found, found]
    with pytest.raises(InputError, match="no variant for 1 in 1 draws"):
        list(find_variants(Program(read_design(tables(), "x.toml")), 1, keys, 1, 2))
    for jobs in (1, 2):
        assert run(design, "-n", 12, "-o", tmp_path / f"course{jobs}", "--jobs", jobs).exit_code == 0
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / f"course{jobs}").rglob("*.*")} for jobs in (1, 2))
    assert one == two


def test_a_process_that_ends_is_told() -> None:
    with pytest.raises(OutputError, match="Use fewer --jobs"), pool(1) as processes:
        processes.submit(os._exit, 1).result()


DESIGNS = (EXAMPLE, *sorted((Path(__file__).parent / "designs").glob("*.toml")))
DIGESTS = Path(__file__).parents[1] / "data" / "variants.json"


def drawn(design: Path, count: int, seed: int = 7) -> list[str]:
    """Return the problem files of the first variants."""
    read = load_design(design)
    program, texts = Program(read), []
    found: list[Mapping[str, Rows]] = []
    for number in range(1, count + 1):
        found.append(Search(program, seed, str(number), found).found().inputs)
        texts.append(variant_text(read.tables, found[-1], number, "variant"))
    return texts


@pytest.mark.parametrize("design", DESIGNS, ids=lambda path: path.stem)
def test_draws_are_the_same_on_every_machine_and_python(design: Path) -> None:
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in drawn(design, 1)]
    assert digests == json.loads(DIGESTS.read_text(encoding="utf-8"))[design.stem]


def _confirm(design: Path, count: int) -> None:
    texts, wanted = drawn(design, count), design.read_text(encoding="utf-8")
    assert [brute_force.failures(text, wanted) for text in texts] == [[]] * count
    apart = tomllib.loads(wanted)["variants"]["apart"]
    assert all(brute_force.distance(one, other) >= apart for one, other in combinations(texts, 2))


@pytest.mark.sample(1)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda path: path.stem)
def test_brute_force_confirms_a_few_variants(design: Path) -> None:
    _confirm(design, 2)


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS, ids=lambda path: path.stem)
def test_brute_force_confirms_every_variant(design: Path) -> None:
    _confirm(design, {"causal": 760, "variants": 140}.get(design.stem, 100))


SPOILED: dict[str, tuple[dict[str, Any], str]] = {
    "margin": ({"margin": "0.49 unit"}, "margin"),
    "weights": ({"weights": ["0.3", "0.4"]}, "weights"),
    "size": ({"size": {"numerator": 1, "denominator": 1}}, "size"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SPOILED)
def test_brute_force_finds_what_a_design_does_not_ask_for(name: str) -> None:
    changes, failure = SPOILED[name]
    wanted = tables(**changes)
    assert failure in brute_force.failures(drawn(EXAMPLE, 1)[0], toml_text(wanted))
