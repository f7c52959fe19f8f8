"""``symattn init``, ``schema``, ``completion``, ``--version`` and ``--help``."""

from __future__ import annotations

import json
import platform
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import symattn
from symattn.problem.schema.fields import SHEET_FIELDS, TOP_FIELDS
from tests.cli.runner import refused, run

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMANDS = ("solve", "init", "schema", "completion")


def test_version() -> None:
    outcome = run("--version")
    assert (outcome.status, outcome.out, outcome.err) == (0, f"symattn {symattn.__version__}\n", "")


def test_versions_of_all_libraries() -> None:
    for arguments in (("--version", "--json"), ("--json", "--version")):
        outcome = run(*arguments)
        assert (outcome.status, outcome.err) == (0, "")
        found = json.loads(outcome.out)["versions"]
        assert found["symattn"] == symattn.__version__
        assert found["python"] == platform.python_version()
        named = {
            re.split("[>=<]", item)[0] for item in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["pdf"])
        }
        assert found.keys() == {"symattn", "python", "gmpy2", *named}
        assert found["click"] == metadata.version("click")


def test_the_release_is_that_of_the_package() -> None:
    assert PROJECT["version"] == symattn.__version__


@pytest.mark.parametrize("arguments", [("--json",), ("--json", "solve")])
def test_json_alone_is_no_command(arguments: tuple[str, ...]) -> None:
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert "beside --version" in outcome.err


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command(option: str) -> None:
    outcome = run(option)
    assert (outcome.status, outcome.err) == (0, "")
    assert all(command in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    outcome = run(command, "--help")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: symattn")


def test_the_help_of_solve_names_every_option() -> None:
    text = run("solve", "--help").out
    for option in ("-o", "--output", "--pdf", "-t", "--template", "-d", "--detail", "--places", "--digits"):
        assert option in text
    assert "-p" in text
    assert "--policy" in text
    assert "--json" in text


def test_without_a_command_there_is_help() -> None:
    outcome = run()
    assert (outcome.status, outcome.out) == (2, "")
    assert "Usage: symattn" in outcome.err


@pytest.mark.parametrize("arguments", [("nonsense",), ("--nonsense",), ("solve",), ("completion", "cmd")])
def test_usage(arguments: tuple[str, ...]) -> None:
    refused(run(*arguments), arguments[-1] if arguments != ("solve",) else "PROBLEM is missing")


# init ----------------------------------------------------------------------------------------------


def test_init_prints_a_problem_that_is_solved() -> None:
    text = run("init").out
    assert tomllib.loads(text)["inputs"]
    outcome = run("solve", "-", "--json", stdin=text)
    assert outcome.status == 0
    record = json.loads(outcome.out)
    assert record["statements"]["proved"] == record["statements"]["total"] > 0


def test_init_explains_the_keys_of_a_problem() -> None:
    text = run("init").out
    rare = {"strict_rounding", "diagram_threshold", "diagram_widths", "method_share", "points"}
    assert {field.name for field in TOP_FIELDS if field.name not in text} <= rare


def test_init_writes_a_file_once(tmp_path: Path) -> None:
    path = tmp_path / "problem.toml"
    outcome = run("init", "-o", path)
    assert (outcome.status, outcome.out, outcome.err) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == run("init").out
    path.write_text("mine")
    refused(run("init", "-o", path), "exists already")
    assert path.read_text() == "mine"


def test_init_with_a_dash_prints() -> None:
    assert run("init", "-o", "-").out == run("init").out


def test_init_where_nothing_can_be_written(tmp_path: Path) -> None:
    refused(run("init", "-o", tmp_path / "missing" / "p.toml"), "cannot be written")


# schema --------------------------------------------------------------------------------------------


def test_the_schema_is_json_and_knows_every_key() -> None:
    outcome = run("schema")
    assert (outcome.status, outcome.err) == (0, "")
    schema = json.loads(outcome.out)
    assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12")
    assert set(schema["properties"]) == {field.name for field in SHEET_FIELDS}
    assert schema["additionalProperties"] is False


# completion ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    outcome = run("completion", shell)
    assert (outcome.status, outcome.err) == (0, "")
    assert "_SYMATTN_COMPLETE" in outcome.out


def test_completion_completes() -> None:
    from click.shell_completion import ShellComplete

    from symattn.cli.main import cli

    complete = ShellComplete(cli, {}, "symattn", "_SYMATTN_COMPLETE")
    assert {item.value for item in complete.get_completions([], "s")} >= {"solve", "schema"}
    found = {item.value for item in complete.get_completions(["solve"], "--")}
    assert {"--output", "--pdf", "--template", "--detail", "--policy", "--json"} <= found
    assert [item.value for item in complete.get_completions(["solve", "--detail"], "ev")] == ["every-product"]
