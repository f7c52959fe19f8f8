"""Several problems in one file: one paper, one key, one total; work that answers them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.problem.sheet import Sheet
from symattn.rendering.latex.compilation import compile_tex
from tests.cli.runner import refused, run

HOMEWORK = Path(__file__).parent.parent / "examples" / "how_to" / "homework.toml"
ONE: dict[str, Any] = {"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}}


def sheet(**keys: Any) -> Sheet:
    return Sheet.of_tables(keys, "x.toml")


@pytest.mark.parametrize("template", ["article", "sheet", "exam"])
def test_all_problems_stand_on_one_paper_with_one_total(template: str) -> None:
    tex = sa.solve_sheet(HOMEWORK).to_latex(template)
    assert re.findall(r"^% problem (\d)$", tex, re.MULTILINE) == ["1", "2", "3"]
    for words in ("Homework 4", "Self-attention", "A masked layer"):
        assert words in tex
    if template != "exam":
        assert "20.5 points" in tex
        assert re.findall(r"\[([0-9.]+) points\]", tex).count("11") == 1


def test_a_page_has_all_problems() -> None:
    page = sa.solve_sheet(HOMEWORK).to_html()
    assert re.findall(r"Problem (\d)\.", page) == ["1", "2", "3"]
    assert "20.5 points" in page


def test_every_statement_of_all_problems_is_read_back() -> None:
    solved = sa.solve_sheet(HOMEWORK)
    tex = solved.to_latex()
    findings = solved.read_back(tex)
    assert len(findings) >= sum(len(result.document().ledger.statements) for result in solved.results)
    assert [finding.reasons for finding in findings if not finding.proved] == []
    changed = tex.replace("\\symattnheat{1.00}", "\\symattnheat{0.99}", 1)
    assert [finding.marked.note for finding in solved.read_back(changed) if not finding.proved] == ["A"]


def test_a_key_of_several_problems_is_right_in_check(tmp_path: Path) -> None:
    work = tmp_path / "key.tex"
    work.write_text(re.sub("% symattn:.*", "", sa.solve_sheet(HOMEWORK).to_latex()), encoding="utf-8")
    outcome = run("check", HOMEWORK, work, "--json")
    report = json.loads(outcome.out)
    assert outcome.status == 0
    assert {item["verdict"] for item in report["statements"]} <= {"right", "rounded", "carried", "unchecked"}
    assert report["marks"]["earned"] == report["marks"]["points"] == "33/2"


WORK = "Problem 1\n\nA = [[1, 0], [0, 1]]\n\n{heading}\n\n"
WORK += "A^(1) = [[1, 0], [0.5, 0.5]]\nA^(2) = [[1, 0], [0.73, 0.28]]\n"


@pytest.mark.parametrize(
    "heading", ["Problem 2", "## Problem 2: masks", "Aufgabe 2:", "**A masked layer**", "Exercice 2."]
)
def test_headings_tell_which_problem_is_answered(heading: str, tmp_path: Path) -> None:
    work = tmp_path / "work.md"
    work.write_text(WORK.format(heading=heading), encoding="utf-8")
    report = json.loads(run("check", HOMEWORK, work, "--json").out)
    found = {item["name"]: (item["verdict"], item["line"]) for item in report["statements"] if item["name"]}
    assert found["A^1"] == ("right", 7)
    assert found["A^2"] == ("wrong", 8)
    assert report["first_mistake"]["line"] in {3, 8}
    assert [part["part"][:2] for part in report["marks"]["parts"]] == ["1.", "1.", "2."]


def test_one_problem_is_named(tmp_path: Path) -> None:
    work = tmp_path / "work.md"
    work.write_text("A^(1) = [[1, 0], [0.5, 0.5]]\n", encoding="utf-8")
    refused(run("check", HOMEWORK, work), "does not say which problem", "--problem")
    refused(run("check", HOMEWORK, work, "--problem", "4"), "none of the problems")
    for name in ("2", "a masked", "A masked layer"):
        report = json.loads(run("check", HOMEWORK, work, "--json", "--problem", name).out)
        assert report["marks"]["points"] == "13/2"


def test_a_folder_of_work_on_several_problems(tmp_path: Path) -> None:
    folder = tmp_path / "works"
    folder.mkdir()
    for name in ("ana", "ben"):
        (folder / f"{name}.md").write_text(WORK.format(heading="Problem 2"), encoding="utf-8")
    lines = [json.loads(line) for line in run("check", HOMEWORK, folder).out.splitlines()]
    assert [line["report"]["marks"]["points"] for line in lines] == ["33/2", "33/2"]


def test_json_holds_every_problem() -> None:
    record = json.loads(run("solve", HOMEWORK, "--json").out)
    assert record["points"] == "41/2"
    assert [item["problem"]["title"] for item in record["problems"]] == ["Self-attention", "A masked layer", ""]


def test_keys_above_the_problems_hold_for_all_that_have_no_own() -> None:
    found = sheet(scale="none", rounding={"places": 3}, problems=[ONE, {**ONE, "temperature": 2}])
    assert [problem.scale.kind for problem in found.problems] == ["none", "temperature"]
    assert [problem.policy.rounding.places for problem in found.problems] == [3, 3]
    theory = {"parts": [{"asks": "prose", "text": "Why?"}]}
    assert sheet(scale="none", problems=[ONE, theory]).problems[1].kind == "theory"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"problems": []}, "has 0 problems; take 1 to 40"),
        ({"problems": 3}, r"must be tables: write \[\[problems\]\]"),
        ({"problems": [ONE], "inputs": {}}, "inputs belongs to one problem"),
        ({"problems": [ONE], "titel": "x"}, "titel"),
        ({"problems": [ONE, {"inputs": {"Q": [[1]]}}]}, "problems #2"),
        ({"problems": [{"problems": [ONE]}]}, "several problems in this file"),
    ],
)
def test_a_sheet_that_cannot_be_used_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sheet(**keys)


def test_one_problem_of_several_is_no_problem_file() -> None:
    with pytest.raises(InputError, match="Name one with --problem"):
        sa.Problem.load(HOMEWORK)


# Questions and room for answers ----------------------------------------------------------------------


def tasks(**keys: Any) -> list[str]:
    given: dict[str, Any] = {"X": [[1, 0], [0, 1]], "W_Q": [[1], [0]], "W_K": [[1], [0]], "W_V": [[1], [2]]}
    return [section.task for section in sa.solve(sa.Problem.build(**given, **keys)).document().sections]


def test_parts_without_a_question_get_one_in_the_words_of_the_conventions() -> None:
    rounding = {"places": 2, "steps": "all"}
    parts: list[Any] = [{"asks": ["scores", "map"]}, {"asks": "outputs", "tokens": [2]}]
    parts.append({"asks": ["diagram", "pattern"]})
    assert tasks(rounding=rounding, parts=parts) == [
        "Compute the scores and the attention weights. Round every step to 2 decimals.",
        "Compute the outputs, of token 2 alone. Round every step to 2 decimals.",
        (
            "Draw the diagram that joins each output to its most influential inputs. "
            "Describe the pattern of the attention weights."
        ),
    ]
    assert tasks(parts=[{"asks": "map", "text": "Find $A$."}]) == ["Find $A$."]
    assert tasks(rounding={"figures": 3, "ties": "truncate"}, parts=[{"asks": "map"}]) == [
        "Compute the attention weights. Truncate the results to 3 significant figures."
    ]
    assert tasks(rounding={"places": 1, "steps": ["weights"]}, parts=[{"asks": "map"}]) == [
        "Compute the attention weights. Round to 1 decimal: weights. Keep everything else exact."
    ]
    assert tasks(parts=[{"asks": "prove:dot-product-mean"}])[0].startswith("Prove: ")


def blank_sheet(*options: str) -> str:
    return run("solve", HOMEWORK, "--problem", "2", "-t", "sheet", *options).out.partition("\\begin{document}")[2]


def test_a_sheet_leaves_empty_matrices_of_the_right_shape() -> None:
    tex = blank_sheet("--blanks", "matrices")
    blanks = re.findall(r"\$(\\mathbf\{[A-Z]\}(?:\^\{\(\d\)\})?) = \\begin\{bmatrix\} (.*?) \\end", tex)
    shapes = {name: (body.count("\\\\") + 1, body.count("blank") // (body.count("\\\\") + 1)) for name, body in blanks}
    assert shapes == {"\\mathbf{A}^{(1)}": (2, 2), "\\mathbf{A}^{(2)}": (2, 2), "\\mathbf{O}": (2, 2)}
    assert "blank" not in blank_sheet()
    assert "\\vspace{4.0cm}" in blank_sheet("--blanks", "space")


def test_space_is_left_as_a_part_says() -> None:
    result = sa.attention(**ONE["inputs"], scale="none", parts=[{"asks": "map", "space": 3}])
    assert "\\vspace{3.0cm}" in result.to_latex("sheet")
    assert "\\vspace{3.0cm}" not in result.to_latex()


def test_blanks_are_for_a_sheet() -> None:
    refused(run("solve", HOMEWORK, "--blanks", "space"), "Add --template sheet")


@pytest.mark.sample(1)
@pytest.mark.tex
@pytest.mark.parametrize("template", ["article", "sheet", "exam"])
def test_a_paper_is_set_by_latex(template: str) -> None:
    assert compile_tex(sa.solve_sheet(HOMEWORK).to_latex(template)).pdf.startswith(b"%PDF")


def test_replay_recomputes_every_problem(tmp_path: Path) -> None:
    record = tmp_path / "key.json"
    run("solve", HOMEWORK, "--json", "-o", record)
    outcome = run("replay", record)
    assert outcome.status == 0
    assert "Problem 2: The digest matches the content." in outcome.out
    assert "Problem 3: no steps in numbers." in outcome.out
    told = json.loads(record.read_text("utf-8"))
    steps = told["problems"][1]["derivation"]
    steps[-1]["after"][0][0] = "7"
    record.write_text(json.dumps(told), encoding="utf-8")
    outcome = run("replay", record)
    assert outcome.status == 1
    assert outcome.out.startswith("refused: Problem 2: Step ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"decimal": [["0.99"]]}, "The decimal values of A are not those of its step"),
        ({"label": "P"}, "The digest of the record"),
    ],
)
def test_a_change_beside_the_steps_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    told = json.loads(run("solve", HOMEWORK, "--json").out)
    told["problems"][0]["quantities"]["A"].update(change)
    record = tmp_path / "key.json"
    record.write_text(json.dumps(told), encoding="utf-8")
    assert run("replay", record).out.startswith(f"refused: Problem 1: {said}")


@pytest.mark.parametrize(
    ("problems", "said"),
    [([], "none of its steps"), ([1], "problems[1] must be a table"), ({}, "problems must be a list")],
)
def test_records_of_problems_that_have_another_form_are_refused(problems: object, said: str, tmp_path: Path) -> None:
    record = tmp_path / "key.json"
    record.write_text(json.dumps({"format": 1, "problems": problems}), encoding="utf-8")
    assert said in refused(run("replay", record))
