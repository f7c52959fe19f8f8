"""Theorems in problem files: proved in their place in the key, counted, read back, and refused in one sentence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import symattn as sa
from symattn.api.solutions import Result
from symattn.cli.main import cli
from symattn.errors import InputError, UnprovedError
from symattn.printable import json_text
from symattn.rendering.latex.compilation import compile_tex, engines
from tests.tex_logs import log_problems

GIVEN: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]], "scale": "none"}
MEAN = {"asks": "prove:dot-product-mean", "points": 2, "text": "What is the mean of $q^\\top k$?"}
PROSE = {
    "asks": "prose",
    "text": "When are positions needed?",
    "answer": "Whenever order matters.",
    "facts": ["theorem:permutation-equivariance:C4", "theorem:shift-invariance"],
}
ENGINES = [engine.name for engine in engines()]


def solved(*parts: dict[str, Any], **keys: Any) -> Result:
    return sa.solve(sa.Problem.build(parts=list(parts), **keys))


def marks(tex: str) -> list[str]:
    return re.findall(r"% symattn-proof: (.*)", tex)


# Keys ----------------------------------------------------------------------------------------------


def test_a_key_holds_statement_proof_and_checks_in_the_place_of_the_part() -> None:
    tex = solved({"asks": "prose", "answer": "First."}, MEAN, {"asks": "prose", "answer": "Last."}).to_latex()
    places = [
        tex.index(text)
        for text in (
            "First.",
            "What is the mean",
            "{Theorem.}",
            "{Hypotheses.}",
            "{Proof.}",
            "Computed besides",
            "Last.",
        )
    ]
    assert places == sorted(places)
    assert "(b) The mean of a dot product" in tex
    assert "[2 points]" in tex


def test_a_sheet_shows_the_question_only() -> None:
    sheet = solved(MEAN, PROSE).to_latex("sheet")
    assert "What is the mean" in sheet
    assert "When are positions needed" in sheet
    for hidden in ("{Theorem", "{Proof.}", "D\\mu", "Whenever", "{Proved", "symattn-proof"):
        assert hidden not in sheet


def test_steps_and_claims_are_counted() -> None:
    alone = solved(MEAN).as_json()
    assert alone["statements"] == {"total": 6, "proved": 6}
    plain, both = sa.attention(**GIVEN).as_json(), solved(MEAN, {"asks": "map"}, **GIVEN).as_json()
    only_map = solved({"asks": "map"}, **GIVEN).as_json()
    assert both["statements"]["total"] == only_map["statements"]["total"] + 6  # type: ignore[index]
    assert "theorems" not in plain


def test_values_are_put_in_and_the_record_names_them() -> None:
    result = solved({"asks": "prove:dot-product-variance", "set": {"mu": 0, "sigma": "1"}, "instance": False})
    assert result.proofs[0].proof.conclusion == ("Var(q^T k) = D",)
    assert result.as_json()["theorems"][0]["parameters"] == {"mu": "0", "sigma": "1"}  # type: ignore[index]
    assert set(marks(result.to_latex())) > {"dot-product-variance(mu=0,sigma=1) C1"}


def test_chosen_claims_come_with_the_steps_that_they_need() -> None:
    part = {"asks": "prove:dot-product-scaling", "claims": ["C4"]}
    proved = solved(part).proofs[0]
    assert [claim.id for claim in proved.proof.claims] == ["C4"]
    ids = {step.id for step in proved.proof.steps}
    assert {name for step in proved.proof.steps for name in step.premises} <= ids
    assert set(proved.proof.claims[0].steps) <= ids
    assert proved.replayed.is_proved
    assert len(proved.replayed.steps) == len(ids) < len(solved({**part, "claims": []}).proofs[0].proof.steps)
    assert "shows all" in solved(part).to_latex()


def test_facts_stand_beside_an_answer() -> None:
    result = solved(PROSE)
    tex = result.to_latex()
    assert tex.index("Whenever order matters") < tex.index("{Proved.}")
    assert "permutation-equivariance C4" in marks(tex)
    assert "shift-invariance statement" in marks(tex)
    assert "{Proof.}" not in tex
    assert [item["as"] for item in result.as_json()["theorems"]] == ["fact", "fact"]  # type: ignore[attr-defined]


def test_detail_is_that_of_the_part_else_of_the_key() -> None:
    def rows(level: Any, **part: Any) -> int:
        return solved({**MEAN, **part}).to_latex("article", level).count("symattnwhy")

    assert rows("brief") < rows("full")
    assert rows("brief", detail="full") == rows("full")
    assert rows("full", detail="brief") == rows("brief")


def test_a_worked_case_follows() -> None:
    assert "In numbers" in solved({"asks": "prove:softmax-jacobian", "claims": ["C1"], "instance": True}).to_latex()
    with pytest.raises(InputError, match=r"\[parts #1\] instance: copy has no worked case"):
        solved({"asks": "prove:copy", "instance": True}).to_latex()


def test_a_key_that_is_not_proved_does_not_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    result = solved(MEAN)
    spoilt = replace(result.proofs[0].replayed, claims=())
    monkeypatch.setitem(result.__dict__, "proofs", (replace(result.proofs[0], replayed=spoilt),))
    with pytest.raises(UnprovedError, match="dot-product-mean"):
        result.to_latex()


# Without inputs ------------------------------------------------------------------------------------


def test_a_problem_without_inputs_has_a_key_and_a_record() -> None:
    result = solved(MEAN, title="On paper", points=2)
    keys = {"format", "versions", "digest", "problem", "theorems", "statements", "warnings"}
    assert set(result.as_json()) == keys
    assert '"kind": "theory"' in json_text(result.as_json())
    assert result.derivation.is_proved
    assert "no numbers" in repr(result)
    assert result._repr_latex_() is None


def test_it_has_no_quantities_and_says_so() -> None:
    result = solved(MEAN)
    with pytest.raises(InputError, match="no inputs"):
        _ = result.A
    with pytest.raises(InputError, match="--theorem NAME"):
        sa.check(result.problem, "E = 0", "md")


def test_points_that_do_not_add_up_are_told() -> None:
    assert [warning.code for warning in solved(MEAN, points=3).warnings] == ["points"]


# Reading back --------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", ["article", "exam", "fragment"])
@pytest.mark.parametrize("detail", ["brief", "full"])
def test_a_key_reads_back(template: str, detail: Any) -> None:
    result = solved(MEAN, PROSE, {"asks": "map"}, **GIVEN)
    tex = result.to_latex(template, detail)
    assert marks(tex)
    findings = result.read_back(tex)
    assert len(findings) > len(marks(tex))
    assert [finding.reasons for finding in findings if not finding.proved] == []


def test_any_changed_line_of_a_proof_is_found_at_that_line() -> None:
    result = solved(MEAN)
    lines = result.to_latex().split("\n")
    marked = [number for number, line in enumerate(lines) if "% symattn-proof:" in line]
    assert len(marked) == 6
    for number in marked:
        changed = [*lines]
        changed[number] = changed[number].replace("\\mu", "\\nu").replace("q_", "k_").replace("[q", "[k")
        assert changed[number] != lines[number]
        faults = [item for item in result.read_back("\n".join(changed)) if not item.proved]
        assert [item.marked.line for item in faults] == [number + 1]


def test_a_line_under_the_mark_of_another_is_found() -> None:
    result = solved(MEAN)
    tex = result.to_latex()
    assert [item.proved for item in result.read_back(tex.replace("C1 3", "C1 4"))].count(False) == 1


# What is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            {"asks": "prove:dot-product-maen"},
            r"\[parts #1\] asks: There is no theorem 'dot-product-maen'. Did you mean",
        ),
        ({**MEAN, "claims": ["C7"]}, r"\[parts #1\] claims: dot-product-mean has no claim C7; it has C1."),
        ({**MEAN, "set": {"nu": 1}}, r"\[parts #1\] set: what the part proves has no parameter nu; it has .*mu"),
        ({**MEAN, "set": {"D": "1/2"}}, r"\[parts #1\] asks: D must be a whole number"),
        ({"asks": "prose", "facts": ["theorem:copy:C99"]}, r"\[parts #1\] facts: copy has no claim C99"),
        ({"asks": "prose", "facts": ["theorem:nothing"]}, r"\[parts #1\] facts: There is no theorem 'nothing'"),
    ],
)
def test_what_the_catalogue_does_not_have(part: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solved(part).to_latex()


# Start-up and TeX ----------------------------------------------------------------------------------


def test_a_problem_without_theorems_does_not_import_them() -> None:
    program = (
        "import sys, symattn as sa; from symattn.late import WaitingModule; "
        "sa.attention(Q=[[1]], K=[[1]], V=[[1]]).to_latex(); "
        "sa.solve(sa.Problem.build(parts=[{'asks': 'prose', 'answer': 'Yes.'}])).to_latex(); "
        "files = {name: module for name, module in sys.modules.items() if not hasattr(module, '__path__')}; "
        "ran = [name for name, module in files.items() if type(module) is not WaitingModule]; "
        "print([name for name in ran if 'theorems' in name or 'proof' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("engine", "template"),
    [(engine, template) for engine in ENGINES for template in ("article", "sheet", *(["exam"] * (engine == "system")))],
)
def test_keys_with_proofs_compile(engine: Any, template: str) -> None:
    tex = solved(MEAN, PROSE, {"asks": "map"}, **GIVEN).to_latex(template)
    assert log_problems(compile_tex(tex, engine=engine).log) == []


def test_the_command_makes_key_and_record(tmp_path: Path) -> None:
    problem = tmp_path / "paper.toml"
    problem.write_text('title = "On paper"\n[[parts]]\nasks = "prove:dot-product-mean"\n', encoding="utf-8")
    key = CliRunner().invoke(cli, ["solve", str(problem)])
    assert (key.exit_code, "{Theorem.}" in key.stdout) == (0, True)
    record = CliRunner().invoke(cli, ["solve", str(problem), "--json"])
    assert json.loads(record.stdout)["statements"] == {"total": 6, "proved": 6}
    refused = CliRunner().invoke(cli, ["check", str(problem), "-"], input="E = 0")
    assert refused.exit_code != 0
