"""``symattn solve``: its options, what it prints where, and how it ends."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.problem.settings.policy import MAX_DIGITS
from tests.cli.runner import SMALL, refused, run

ROOT = Path(__file__).resolve().parents[2]
PS4 = ROOT / "examples" / "ps4_self_attention.toml"
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.toml")) if "prove:" not in path.read_text("utf-8")]
"""The problems that ask for numbers alone; tests/test_api_theory.py has the others."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def printed(*arguments: object, stdin: str = "") -> dict[str, Any]:
    outcome = run("solve", *arguments, "--json", stdin=stdin)
    assert outcome.status == 0, outcome.err
    record: dict[str, Any] = json.loads(outcome.out)
    return record


@pytest.mark.sample(4)
@pytest.mark.parametrize("problem", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_solved(problem: Path) -> None:
    outcome = run("solve", problem)
    assert outcome.status == 0
    assert outcome.out.startswith("\\documentclass")
    assert outcome.out.endswith("\\end{document}\n")


# What --json prints --------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("problem", EXAMPLES, ids=lambda path: path.stem)
def test_the_json_of_the_examples_is_complete(problem: Path) -> None:
    record = printed(problem)
    asks = tomllib.loads(problem.read_text(encoding="utf-8"))
    further = {"counts"} if "cache" in asks else set()
    assert set(record) - further == {
        "format", "versions", "digest", "problem", "convention", "policy", "quantities", "pattern", "statements",
        "warnings", "derivation",
    }  # fmt: skip
    assert further <= set(record)
    assert record["format"] == 1
    assert record["problem"]["source"] == str(problem)
    assert set(record["policy"]) >= {"places", "figures", "steps", "ties", "shift", "each", "strict"}
    heads = range(1, record["convention"].get("heads", 0) + 1)
    of_heads = {f"{name}^{head}" for head in heads for name in "SAH"}
    own = set(asks.get("definitions", ()))
    assert set(record["quantities"]) >= (own or {"Q", "K", "V", "O"} | (of_heads or {"S", "A"}))
    assert record["statements"]["proved"] == record["statements"]["total"] > 0
    assert all(set(warning) == {"code", "where", "text"} for warning in record["warnings"])
    for name, quantity in record["quantities"].items():
        assert set(quantity) == {"label", "shape", "exact", "decimal", "stepwise"}
        rows, columns = quantity["shape"]
        # What a block makes of the outputs has no closed form, nor has what goes back through it.
        of_block = "[A-Za-z]+_(1|2|act)" + "|L|D|d[A-Z].*|d(b|gamma|beta)_.*" * ("gradient" in asks)
        is_beyond = "block" in asks and re.fullmatch(of_block, name) is not None
        for key in ("exact", "decimal", "stepwise"):
            assert [len(row) for row in quantity[key]] == [columns] * rows
            is_open = is_beyond and key == "exact"
            assert all(isinstance(entry, str) or (is_open and entry is None) for row in quantity[key] for entry in row)


def test_labels_are_the_declared_names() -> None:
    quantities = printed(ROOT / "examples" / "discussion10_attention.toml")["quantities"]
    assert quantities["S"]["label"] == "z"
    assert quantities["Q"]["label"] == "Q"


def test_scaled_scores_stand_beside_the_plain_ones() -> None:
    record = printed("-", stdin=SMALL.replace("none", "1/sqrt(d_k)"))
    assert record["quantities"]["S"]["exact"] == [["1", "0"]]
    assert record["quantities"]["S_scaled"]["decimal"] == [["0.7071", "0.0000"]]
    assert "S_scaled" not in printed("-", stdin=SMALL)["quantities"]


def test_entries_with_a_free_symbol_are_null() -> None:
    text = SMALL.replace("[inputs]", '[symbols]\nb = "real"\n[inputs]').replace("Q = [[1, 0]]", 'Q = [["b", 0]]')
    record = printed("-", stdin=text)
    assert record["pattern"] is None
    weights = record["quantities"]["A"]
    assert weights["decimal"] == weights["stepwise"] == [[None, None]]
    assert "exp(b)" in weights["exact"][0][0]
    assert record["quantities"]["K"]["decimal"] == [["1.0000", "0.0000"], ["0.0000", "1.0000"]]


def test_undefined_entries_are_null_with_the_exact_ones_beside_them() -> None:
    text = SMALL.replace("Q = [[1, 0]]", "Q = [[-9, -9]]")
    record = printed("-", "--policy", "steps=all,places=2", stdin=text)
    for name in "AO":
        assert all(entry is None for entry in record["quantities"][name]["stepwise"][0])
        assert None not in record["quantities"][name]["decimal"][0]
    assert {warning["code"] for warning in record["warnings"]} == {"row-sum-zero", "tied-largest"}


# --places and --digits -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ((), ["0.7311", "0.2689"]),
        (("--places", "0"), ["1", "0"]),
        (("--places", "7"), ["0.7310586", "0.2689414"]),
        (("--digits", "1"), ["0.7", "0.3"]),
        (("--digits", "12"), ["0.731058578630", "0.268941421370"]),
    ],
)
def test_decimals(options: tuple[str, ...], weights: list[str]) -> None:
    record = printed("-", *options, stdin=SMALL)
    assert record["quantities"]["A"]["decimal"] == [weights]
    assert record["quantities"]["A"]["stepwise"] == [["0.7311", "0.2689"]]
    assert record["policy"]["places"] == 4


def test_ten_thousand_digits() -> None:
    ((weight, _),) = printed("-", "--digits", "10000", stdin=SMALL)["quantities"]["A"]["decimal"]
    assert len(weight) == 10_002
    assert weight.startswith("0.7310585786300048792511592418218362743651446401650")


@pytest.mark.parametrize(
    ("score", "weight"),
    [
        (12, "0.00000614417460221"),
        (11, "0.0000167014218480"),
        (13, "0.00000226032429790"),
    ],
)
def test_exponent_form_begins_below_ten_to_the_minus_five(score: int, weight: str) -> None:
    text = SMALL.replace("Q = [[1, 0]]", f"Q = [[{score}, 0]]")
    shown = printed("-", "--digits", "12", stdin=text)["quantities"]["A"]["decimal"][0][1]
    assert float(shown) == pytest.approx(float(weight), rel=1e-11)
    assert ("e" in shown) == (float(weight) < 1e-5)


# --policy ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("steps=all,places=1", {"steps": "all", "places": 1, "figures": None, "declared": True}),
        ("figures=3", {"places": None, "figures": 3, "steps": "end"}),
        ("steps=weights+outputs", {"steps": ["weights", "outputs"]}),
        ("shift=true,ties=half-even", {"shift": True, "ties": "half-even"}),
        ("strict=true", {"strict": True}),
    ],
)
def test_the_policy_is_replaced(policy: str, expected: dict[str, Any]) -> None:
    found = printed("-", "--policy", policy, stdin=SMALL)["policy"]
    assert {key: found[key] for key in expected} == expected


def test_the_policy_changes_the_key_too() -> None:
    sheets = {policy: run("solve", "-", "-p", policy, stdin=SMALL).out for policy in ("places=2", "places=5")}
    assert "0.73106" in sheets["places=5"]
    assert "0.73106" not in sheets["places=2"]


# Templates and details -----------------------------------------------------------------------------


@pytest.mark.parametrize("template", ["article", "sheet", "exam", "fragment"])
def test_templates(template: str) -> None:
    outcome = run("solve", PS4, "--template", template)
    assert outcome.status == 0
    assert ("\\documentclass" in outcome.out) == (template != "fragment")
    assert ("{exam}" in outcome.out) == (template == "exam")
    assert ("% symattn: O_31" in outcome.out) == (template != "sheet")


def test_the_sheet_gives_nothing_away() -> None:
    text = SMALL.replace("V = [[1], [2]]", "V = [[1], [977]]")
    sheet = run("solve", "-", "-t", "sheet", stdin=text).out
    key = run("solve", "-", "-t", "article", stdin=text).out
    assert "977" in sheet
    assert "0.7311" in key
    assert "0.7311" not in sheet


def test_details_grow() -> None:
    lengths = [len(run("solve", PS4, "--detail", detail).out) for detail in ("brief", "full", "every-product")]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == 3


# Where things go -----------------------------------------------------------------------------------


def test_standard_input_and_files_give_the_same(small: Path) -> None:
    assert run("solve", "-", stdin=SMALL).out == run("solve", small).out


def test_results_on_stdout_messages_on_stderr(small: Path) -> None:
    text = SMALL.replace("Q = [[1, 0]]", "Q = [[1, 1]]")
    outcome = run("solve", "-", "--json", stdin=text)
    assert outcome.status == 0
    assert json.loads(outcome.out)["warnings"]
    assert outcome.err.startswith("warning: ")
    assert run("solve", small).err == ""


def test_json_problems_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"scale": "none", "inputs": {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]}}')
    assert printed(path)["quantities"] == printed("-", stdin=SMALL)["quantities"]


def test_a_tex_file_is_written(small: Path, tmp_path: Path) -> None:
    outcome = run("solve", small, "-o", tmp_path / "key.tex")
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == f"wrote {tmp_path / 'key.tex'}\n"
    assert (tmp_path / "key.tex").read_text(encoding="utf-8") == run("solve", small).out


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_json_file_is_written(small: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    outcome = run("solve", small, "-o", tmp_path / "key.json", *options)
    assert (outcome.status, outcome.out) == (0, "")
    assert (tmp_path / "key.json").read_text(encoding="utf-8") == run("solve", small, "--json").out


def test_a_dash_is_standard_output(small: Path) -> None:
    assert run("solve", small, "-o", "-").out == run("solve", small).out
    assert run("solve", small, "-o", "-", "--json").out == run("solve", small, "--json").out


def test_an_old_key_is_replaced_whole(small: Path, tmp_path: Path) -> None:
    (tmp_path / "key.tex").write_text("old " * 100_000)
    assert run("solve", small, "-o", tmp_path / "key.tex").status == 0
    assert (tmp_path / "key.tex").read_text(encoding="utf-8") == run("solve", small).out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.tex", "small.toml"]


@pytest.mark.parametrize("ending", [".tex", ".json"])
@pytest.mark.parametrize("target", ["missing/key", "folder", "small.toml/key", "k" * 300, "a\x00b"])
def test_an_output_that_cannot_be_written(small: Path, tmp_path: Path, target: str, ending: str) -> None:
    (tmp_path / f"folder{ending}").mkdir()
    refused(run("solve", small, "-o", f"{tmp_path}/{target}{ending}"), "cannot be written")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"folder{ending}", "small.toml"]


@pytest.mark.parametrize("ending", [".odt", ".toml", ".4", ".tex.gz"])
def test_an_output_of_another_kind(small: Path, tmp_path: Path, ending: str) -> None:
    refused(
        run("solve", small, "-o", f"{tmp_path}/key{ending}"),
        f"{ending[ending.rindex('.') :]} files cannot be written",
        ".tex, .pdf, .html or .json",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


def test_a_key_is_a_web_page(small: Path, tmp_path: Path) -> None:
    assert run("solve", small, "-o", tmp_path / "key.html", "--detail", "brief").status == 0
    assert (tmp_path / "key.html").read_text("utf-8") == sa.solve(str(small)).to_html("brief")


def test_a_problem_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"scale": "none", "inputs": {"Q": [[1]], "K": [[1]], "V": [[1]]}}')
    (tmp_path / "link.json").symlink_to(path)
    before = path.read_bytes()
    for name in ("p.json", "link.json"):
        refused(run("solve", path, "-o", tmp_path / name), "is the problem itself")
    assert path.read_bytes() == before


# Usage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--places", "3", "--digits", "4", "--json"), "exclude each other"),
        (("--places", "3"), "is for --json and tables"),
        (("--digits", "3"), "is for --json and tables"),
        (("--places", "-1", "--json"), "must be a whole number from"),
        (("--digits", "0", "--json"), "must be a whole number from"),
        (("--digits", "100000000", "--json"), "must be a whole number from"),
        (("--places", "two", "--json"), "must be a whole number from"),
        (("--json", "-o", "key.tex"), "--json cannot be written to a .tex file"),
        (("--json", "-o", "key.html"), "--json cannot be written to a .html file"),
        (("--pdf", "-o", "key.html"), "A .html file is a web page"),
        (("--template", "exam", "-o", "key.html"), "A .html file is a web page"),
        (("--pdf", "--template", "fragment"), "it cannot be made into a PDF"),
        (("--template", "book"), "unknown value"),
        (("--detail", "more"), "unknown value"),
        (("--nonsense",), "Unknown option"),
        (("second.toml",), "unexpected extra argument"),
    ],
)
def test_usage(small: Path, options: tuple[str, ...], words: str) -> None:
    outcome = run("solve", small, *options)
    assert outcome.status == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("places", "key=value"),
        ("", "key=value"),
        ("places=2,", "key=value"),
        ("place=2", 'Did you mean "places"'),
        ("places=2,places=3", "twice"),
        ("places=2,figures=3", "both places and figures"),
        ("places=-1", "whole number"),
        ("places=1e9", "whole number"),
        ("places=٣", "whole number"),
        ("figures=0", "whole number"),
        ("places=999999", "whole number"),
        ("steps=weight", "weights"),
        ("steps=", "key=value"),
        ("ties=up", "half-up"),
        ("shift=yes", "true or false"),
    ],
)
def test_policies_that_mean_nothing(small: Path, policy: str, words: str) -> None:
    refused(run("solve", small, "--policy", policy), words)


def test_a_key_that_is_not_proved_does_not_come_out(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symattn.api import result

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(result, "unproved", lambda *_arguments: ["A_11: 0.73 is not 0.74"])
    for options in (("-o", "key.tex"), ("-o", "key.json"), ("-o", "key.pdf"), ("--json",), ()):
        outcome = run("solve", small, *options)
        assert outcome.status == 4
        assert outcome.out == ""
        assert "A_11: 0.73 is not 0.74" in outcome.err
        assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


@pytest.mark.parametrize("kind", ["places", "figures"])
def test_the_finest_policy_makes_a_key(kind: str) -> None:
    outcome = run("solve", "-", "--policy", f"{kind}={MAX_DIGITS},steps=all", stdin=SMALL)
    assert outcome.status == 0
    assert re.search(rf"[0-9.]{{{MAX_DIGITS}}}", outcome.out)
