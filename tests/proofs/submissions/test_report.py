"""A checked proof as a report, and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from symattn.api.submissions import check_proof
from symattn.cli.check import check
from symattn.cli.options import CommandLineError
from symattn.errors import InputError

WORK = r"""The components of $q$ and $k$ are independent with mean 0 and variance 1.

$$\mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k^2$$
"""


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(check, arguments, input=text)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "work.md"
    path.write_text(WORK, encoding="utf-8")
    return path


def test_a_report_has_the_places_and_words_of_every_other(work: Path) -> None:
    report = check_proof("dot-product-variance", work)
    assert [item.verdict for item in report.findings] == ["unchecked", "right", "wrong"]
    wrong = report.findings[2]
    assert wrong.text == "= d_k^2"
    assert (wrong.place.line, wrong.checks.value) == (3, False)
    assert report.first_mistake == 2
    assert report.exit_status == 1
    assert "wrong" in report.to_text()
    assert report.to_latex().startswith("\\documentclass")


def test_the_command_line_prints_the_report(work: Path) -> None:
    outcome = run("--theorem", "dot-product-variance", str(work), "--json")
    record = json.loads(outcome.output)
    assert outcome.exit_code == 1
    assert record["first_mistake"]["line"] == 3
    assert [item["verdict"] for item in record["statements"]] == ["unchecked", "right", "wrong"]


def test_missing_hypotheses_are_listed() -> None:
    text = r"$$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$"
    outcome = run("--theorem", "dot-product-variance", "-", "--format", "md", "--json", text=text)
    (found,) = json.loads(outcome.output)["statements"]
    assert (found["verdict"], found["missing_hypotheses"]) == ("unstated", ["q and k are independent"])
    assert outcome.exit_code == 3
    outcome = run("--theorem", "dot-product-variance", "-", "--format", "md", "--json", "--given", text=text)
    (found,) = json.loads(outcome.output)["statements"]
    assert found["verdict"] == "right"


def test_values_are_set() -> None:
    text = r"$\sqrt{d_k} \approx 22.6$"
    outcome = run("-t", "dot-product-variance", "-", "-f", "md", "--json", "--set", "D=512", text=text)
    assert [item["verdict"] for item in json.loads(outcome.output)["statements"]] == ["rounded"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("problem.toml", "work.md", "--theorem", "dot-product-variance"),
        ("work.md", "--theorem", "dot-product-variance", "--strict"),
        ("work.md", "problem.toml", "--set", "D=512"),
        ("work.md",),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: tuple[str, ...]) -> None:
    assert isinstance(run(*arguments).exception, CommandLineError)


def test_an_unknown_theorem_or_parameter_is_bad_input() -> None:
    with pytest.raises(InputError, match="no theorem"):
        check_proof("dot-product-varianse", WORK, "md", source="x")
    with pytest.raises(InputError, match="no parameter"):
        check_proof("dot-product-variance", WORK, "md", settings={"X": "1"}, source="x")


def test_sums_in_plain_words_name_the_remedy() -> None:
    text = "Var(q·k) = sum_i Var(q_i k_i) = sum_{i=1}^{d} 1 = d"
    named, family, _ = check_proof("dot-product-variance", text, "txt").findings
    assert named.verdict == "undecided"
    assert named.explanation == "The word sum is read as a name. Write Σ_i, or \\sum_{i=1}^d between $…$."
    assert (family.verdict, family.explanation) == (
        "unread",
        "A family over an index is not read: write its members, and a sum with Σ.",
    )


@pytest.mark.parametrize("index", ["ijQK^T", "i 1 1", "1^T", "{i^T}j", "i+"])
def test_an_index_that_is_none_is_left_open(index: str) -> None:
    report = check_proof("causal-independence", rf"$\sum_{{j=3}}^{{i}} A_{{{index}}} = 1$", "md", source="work")
    assert report.exit_status == 3


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("De componenten van $q$ en $k$ zijn onafhankelijk.", "does not say so in words that are read here."),
        (
            "Les composantes seraient indépendantes.",
            "line 1 has words that are not read here: “Les composantes seraient indépendantes”. State it in English.",
        ),
        ("", "the work does not say so."),
        ("The components have mean 0.", "the work does not say so."),
    ],
)
def test_words_that_are_not_read_are_told_from_silence(words: str, end: str) -> None:
    text = words + "\n\n" + r"$$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$"
    found = check_proof("dot-product-variance", text, "md").findings[-1]
    assert found.verdict == "unstated"
    assert found.explanation.endswith(end)


@pytest.mark.parametrize("entry", ["a^{(3)}_l", "a_{3,l}", "a_{1,2,3}"])
def test_an_entry_with_too_many_indices_is_left_open(entry: str) -> None:
    found = check_proof("softmax-jacobian", rf"$\delta_{{il}} - {entry} = y_l - a_l$", "md", source="work").findings
    assert {item.verdict for item in found} <= {"undecided", "unread"}
