"""What the program answers when something is written wrongly: the whole sentence, and the style of all of them."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import click
import pytest

from symattn import errors
from symattn.api.solutions import solve
from symattn.cli import progress
from symattn.cli.main import cli
from symattn.cli.options import Command
from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.problem.schema.fields import REFUSED_WITH_DEFINITIONS, TOP_FIELDS
from symattn.problem.settings.parts import ASKS
from symattn.problem.text.synonyms import synonyms_at
from symattn.rendering.latex.compilation import compile_tex
from symattn.rendering.latex.prose import faults, heading, prose
from tests import tables
from tests.cli.runner import refused, run
from tests.messages import messages

CASES: dict[str, list[dict[str, Any]]] = tables.read("data/messages.yaml")
INPUTS = "[inputs]\nQ = [[1, 0]]\nK = [[1, 0], [0, 1]]\nV = [[1, 2, 3], [2, 3, 4]]\n"
HEADERS = {"table": "[{}]", "tables": "[[{}]]", "matrices": "[{}]", "mask": "[{}]", "symbols": "[{}]"}
HEADERS |= {"names": "[{}]", "formulas": "[{}]", "bounds": "[{}]", "heads": "[[{}]]"}
TABLES = {field.name: field for field in TOP_FIELDS if field.kind in HEADERS}


@pytest.mark.parametrize("case", CASES["problems"], ids=lambda case: case["name"])
def test_problems_that_are_refused(case: dict[str, str]) -> None:
    text = f"{case.get('above', '')}\n{INPUTS}{case.get('below', '')}\n"
    assert refused(run("solve", "-", stdin=text)) == f"symattn: {case['expect']}"


@pytest.mark.parametrize("case", CASES["commands"], ids=lambda case: case["name"])
def test_commands_that_are_refused(case: dict[str, str]) -> None:
    assert refused(run(*case["command"].split())) == f"symattn: {case['expect']}"


@pytest.mark.parametrize("table", TABLES)
def test_a_top_level_key_stands_above_the_first_table(table: str) -> None:
    """Of all keys, below the line of each table that does not have such a key of its own."""
    own = {table, *(field.name for field in TABLES[table].fields)}
    own |= {"symbols": {"beta"}, "definitions": set(REFUSED_WITH_DEFINITIONS)}.get(table, set())
    inputs = "" if table == "inputs" else INPUTS
    for field in TOP_FIELDS:
        if field.name in own:
            continue
        header = HEADERS[TABLES[table].kind].format(table)
        with pytest.raises(InputError) as found:
            Problem.from_text(f"{inputs}{header}\n{field.name} = 1\n", "toml", "x.toml")
        assert f'"{field.name}" is a top-level key. Move it above the first [table] line' in str(found.value)


@pytest.mark.parametrize("table", ["inputs", "definitions"])
def test_likewise_beside_definitions(table: str) -> None:
    rest = {"inputs": '[definitions]\nS = "Y Y^T"\n', "definitions": "[inputs]\nY = [[1]]\n"}[table]
    for key in ("title", "text", "points"):
        line = f'{key} = "Self-attention"' if key != "points" else "points = 3"
        with pytest.raises(InputError, match=f'\\[{table}\\]: "{key}" is a top-level key'):
            Problem.from_text(f"{rest}[{table}]\n{line}\n", "toml", "x.toml")


def test_synonyms_stand_for_words_that_there_are() -> None:
    words = {
        "": {field.name for field in TOP_FIELDS},
        "asks": {*ASKS, "prove:NAME"},
        **{field.name: {own.name for own in field.fields} for field in TABLES.values()},
        **{field.name: set(field.words) for field in TOP_FIELDS if field.words and field.name not in TABLES},
    }
    for place in ("", "asks", "inputs", "scale", "rounding", "parts", "mask", "tokens"):
        found = synonyms_at(place)
        assert found
        assert set(found.values()) <= words[place], place
        assert not set(found) & words[place], place


@pytest.mark.parametrize("case", CASES["texts"], ids=lambda case: case["name"])
def test_texts_of_problems(case: dict[str, Any]) -> None:
    assert prose(case["text"]) == case["latex"]
    assert faults(case["text"]) == case.get("faults", [])


@pytest.mark.parametrize("case", CASES["texts"], ids=lambda case: case["name"])
def test_titles_are_one_line(case: dict[str, Any]) -> None:
    assert "\n" not in heading(case["text"])


@pytest.mark.tex
def test_all_texts_are_set_by_latex() -> None:
    """In every place that has a text, side by side."""
    texts = [case["text"] for case in CASES["texts"]]
    parts = [{"asks": "prose", "title": " ".join(text.split()), "text": text, "answer": text} for text in texts]
    problem = Problem.build(Q=[[1]], K=[[1]], V=[[1]], title=parts[0]["title"], text=texts[3], parts=parts)
    result = solve(problem)
    for template in ("article", "sheet", "exam"):
        assert compile_tex(result.to_latex(template)).pdf.startswith(b"%PDF")


@pytest.mark.parametrize("source", ["layer", "batch", "heads", "definitions", "blocks", "theory"])
def test_every_kind_of_problem_warns_of_its_texts_once(source: str) -> None:
    given: dict[str, Any] = {"Q": [[1]], "K": [[1]], "V": [[1]]}
    square: dict[str, Any] = {name: [[1]] for name in ("W_Q", "W_K", "W_V")}
    tables: dict[str, Any] = {
        "layer": given,
        "batch": given | {"Q": [[[1]], [[2]]]},
        "heads": square | {"X": [[1]], "heads": 1, "mask": "causal"},
        "definitions": {"inputs": {"Y": [[1]]}, "definitions": {"S": "Y Y"}},
        "blocks": {"inputs": {"X": [[1]]}, "blocks": [{"inputs": square}, {"inputs": square}]},
        "theory": {"parts": [{"asks": "prose", "title": "It is $x"}]},
    }[source]
    result = solve(Problem.build(**tables, title="注意力"))
    [glyphs] = [item for item in result.warnings if item.code == "text-glyph"]
    assert glyphs.where == "title"
    assert glyphs.text == (
        "title: the fonts of the PDF lack 注, 意, 力, so [U+6CE8] and the like are printed. Use other letters."
    )
    if source == "theory":
        assert [item.where for item in result.warnings if item.code == "text-as-typed"] == ["parts #1 title"]


def test_quotes_of_every_language_have_letters_in_the_pdf() -> None:
    result = solve(Problem.build(Q=[[1]], K=[[1]], V=[[1]], title="„Eins“ «deux» ‹tre› ‚vier‘"))
    assert [item for item in result.warnings if item.code == "text-glyph"] == []
    assert "[U+" not in result.to_latex()


@pytest.mark.parametrize(("ending", "is_warned"), [("html", False), ("tex", True)])
def test_pages_are_not_warned_of_the_fonts_of_the_pdf(ending: str, is_warned: bool, tmp_path: Path) -> None:
    outcome = run("solve", "-", "-o", str(tmp_path / f"key.{ending}"), stdin=f'title = "注意力"\n{INPUTS}')
    assert ("the fonts of the PDF" in outcome.err) == is_warned


@pytest.mark.parametrize(
    ("name", "shown"),
    [("\\mathcal{Q}", "\\mathcal"), ("\\alpha", "\\alpha"), ("$Q$", "$"), ("Q^*", "^"), ("W_{q}", "{"), ("Q_q", "")],
)
def test_names_in_latex_are_warned_of(name: str, shown: str) -> None:
    result = solve(Problem.build(Q=[[1]], K=[[1]], V=[[1]], names={"Q": name}))
    found = [item.text for item in result.warnings if item.code == "text-as-typed"]
    said = f"names.Q: {shown} is printed as typed. Use a plain name, such as Q, alpha or Q_a."
    assert found == ([said] if shown else [])


ERRORS = {name for name in vars(errors) if name.endswith("Error")} | {"CommandLineError", "BudgetError"}
HARD_WORDS = re.compile(r"\b(wants|reckon\w*|whither|worked out here|told here|is no (JSON|table|list|text|number))\b")


def test_errors_are_sentences() -> None:
    """Each ends with a full stop, a question mark, or what another error says."""
    said = [message for message in messages() if message.says in ERRORS]
    assert len(said) > 900
    assert [message for message in said if not message.text.rstrip().endswith((".", "?", "}"))] == []


def test_texts_do_without_hard_words() -> None:
    assert [message for message in messages() if HARD_WORDS.search(message.text)] == []


# The commands --------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    return {name: command for name in cli.list_commands(context) if (command := cli.get_command(context, name))}


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_help_is_cut(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in ((), *((name,) for name in commands())):
        assert "..." not in run(*arguments, "--help").out.replace("[ARGS]...", "")


def test_every_command_says_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()

    @contextmanager
    def patience(command: str) -> Iterator[None]:
        told.append(command)
        yield

    monkeypatch.setattr(progress, "patience", patience)
    for name, command in commands().items():
        assert isinstance(command, Command)
        context = click.Context(command, info_name=name)
        monkeypatch.setattr(command, "callback", None)
        with redirect_stderr(Terminal()):
            command.invoke(context)
    assert told == list(commands())


def test_a_long_run_says_so_ever_more_seldom(capsys: pytest.CaptureFixture[str]) -> None:
    waited = list[float]()

    def is_done(seconds: float) -> bool:
        waited.append(seconds)
        return len(waited) == 6

    progress.tell("symattn solve", is_done)
    assert list(itertools.accumulate(waited)) == [2, 10, 30, 60, 120, 180]
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "symattn solve: still working after 2 s; Ctrl-C stops it."
    assert len(lines) == 5


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.patience("symattn solve"):
        pass
    assert capsys.readouterr().err == ""
