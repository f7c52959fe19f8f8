"""File names, problems, records and works with characters that a terminal would obey: none reaches it as itself."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from symattn.errors import EngineError
from symattn.printable import json_text, visible
from symattn.rendering.latex.compilation import Compiled
from tests.cli.runner import SMALL, Outcome, run

HOSTILE = {
    "colours": "a\x1b[31mred",
    "title": "a\x1b]0;title\x07",
    "clear": "a\x9b2J",
    "line feed": "a\nsymattn: all is well",
    "return": "a\rall is well",
    "override": "a\u202egnp",
    "isolate": "a\u2066b\u2069",
    "invisible": "a\u200bb",
    "separator": "a\u2028b",
    "tag": "a\U000e0041b",
    "delete": "a\x7f\x08",
    "markup": "[bold red]a",
    "surrogate": os.fsdecode(b"a\xff"),
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be given there")


def assert_is_harmless(text: str, *, lines: bool = True) -> None:
    assert all(letter.isprintable() or (lines and letter == "\n") for letter in text), ascii(text)
    text.encode()


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sheet.toml").write_text(SMALL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(outcome: Outcome, *, lines: int = 1) -> None:
    """The messages are harmless, and each is one line."""
    assert_is_harmless(outcome.err)
    assert_is_harmless(outcome.out)
    assert len(outcome.err.splitlines()) == lines, outcome.err


@pytest.mark.sample(60)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "sheet.toml", "{}.md"), ("check", "{}.toml", "sheet.toml"), ("check", "sheet.toml", "{}"),
        ("check", "-t", "{}", "work.md"), ("check", "-t", "dot-product-mean", "{}.md"), ("solve", "{}.toml"),
        ("check", "-t", "dot-product-mean", "-s", "{}=1", "sheet.toml"), ("check", "-t", "x", "-s", "{}", "sheet.toml"),
        ("solve", "sheet.toml", "-o", "{}/key.tex"), ("solve", "sheet.toml", "-o", "key.{}"),
        ("solve", "-p", "{}", "sheet.toml"),
        ("solve", "sheet.toml", "-t", "{}"), ("replay", "{}.json"), ("compare", "sheet.toml", "{}.npy"),
        ("compare", "sheet.toml", "{}"), ("compare", "{}.toml", "a.npy"), ("init", "-o", "{}/x.toml"), ("prove", "{}"),
        ("prove", "dot-product-mean", "-s", "{}=1"), ("prove", "dot-product-mean", "--without", "{}"),
        ("prove", "dot-product-mean", "-o", "{}/x.tex"), ("schema", "{}"), ("completion", "{}"), ("{}",),
        ("solve", "--{}"),
        ("check", "sheet.toml", "sheet.toml", "--timeout", "{}"), ("check", "sheet.toml", "sheet.toml", "-f", "{}"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_refused_is_one_harmless_line(name: str, arguments: tuple[str, ...]) -> None:
    outcome = run(*(argument.replace("{}", name) for argument in arguments))
    assert outcome.status == 2
    told(outcome)


@pytest.mark.sample(1)
def test_files_of_such_names(folder: Path, name: str) -> None:
    record = folder / f"{name}.json"
    told(run("init", "-o", f"{name}.new.toml"))
    told(run("solve", "sheet.toml", "-o", f"{name}.tex"))
    told(run("prove", "dot-product-mean", "-o", str(record)))
    told(run("replay", record), lines=0)
    (folder / f"{name}.md").write_text("$O = 1.5$", encoding="utf-8")
    for more in ((), ("-v",), ("--json",)):
        told(run("check", "sheet.toml", f"{name}.md", *more), lines=0)
        told(run("check", "-t", "dot-product-mean", f"{name}.md", *more), lines=0)
    (folder / "o.json").write_text("[[1.25]]", encoding="utf-8")
    (folder / f"{name}.toml").write_text(SMALL, encoding="utf-8")
    told(run("compare", f"{name}.toml", "o.json", "--svg", f"{name}.svg"))
    works = folder / f"{name}.works"
    works.mkdir()
    for ending in ("md", "odd"):
        (works / f"{name}.{ending}").write_text("$O = 1.5$", encoding="utf-8")
    outcome = run("check", "sheet.toml", works)
    told(outcome)
    assert json.loads(outcome.out)["file"] == str(works / f"{name}.md")


def test_such_text_in_works_and_records(folder: Path, name: str) -> None:
    text = name.encode("utf-8", "replace").decode()
    (folder / "work.md").write_text(
        f"$O = 1.5$ {text}\n\n# {text}\n\n$\\text{{{text}}} = 3 {text}$\n", encoding="utf-8"
    )
    for more in (("sheet.toml", "work.md"), ("-t", "dot-product-mean", "work.md")):
        for options in ((), ("-v",), ("--json",), ("-o", "-")):
            told(run("check", *more, *options), lines=0)
    quoted = json.dumps(text)
    (folder / "named.toml").write_text(
        f"title = {quoted}\ntext = {quoted}\n{SMALL}\n[[parts]]\nasks = 'outputs'\npoints = 1\ntitle = {quoted}\n",
        encoding="utf-8",
    )
    for command in (("solve", "named.toml"), ("solve", "named.toml", "--json"), ("check", "named.toml", "work.md")):
        outcome = run(*command)
        assert_is_harmless(outcome.out)
        assert_is_harmless(outcome.err)
    (folder / "record.json").write_text(
        json.dumps({"format": 1, "name": text, "statement": text, "steps": [{"id": text}]}), encoding="utf-8"
    )
    outcome = run("replay", "record.json")
    assert_is_harmless(outcome.out + outcome.err)
    (folder / "bad.json").write_text(json.dumps({"inputs": {text: [[text]]}, text: 1}), encoding="utf-8")
    told(run("solve", "bad.json"))


def test_such_text_in_the_log_of_an_engine(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: str) -> Compiled:
        raise EngineError(f"LaTeX stopped with {name!s}: mend that line.")

    monkeypatch.setattr("symattn.rendering.latex.compilation.compile_tex", stopped)
    told(run("solve", folder / "sheet.toml", "-o", "key.pdf"), lines=2)
    monkeypatch.setattr(
        "symattn.rendering.latex.compilation.compile_tex", lambda _: Compiled(b"%PDF", "", "system", name)
    )
    told(run("solve", folder / "sheet.toml", "-o", "key.pdf"), lines=3)


def test_every_character_is_shown_or_stands_for_itself() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert_is_harmless(visible(every), lines=False)
    assert visible("Größe ∑ 注") == "Größe ∑ 注"
    assert visible("\n\t\x00\x7f\x9b\u202e\ud800") == "␊␉␀␡���"
    assert visible("a\r\n\tb", lines=True) == "a␍\n\tb"
    assert json.loads(json_text({"all": every}))["all"] == every.encode("utf-16", "surrogatepass").decode(
        "utf-16", "surrogatepass"
    )
    assert_is_harmless(json_text({"all": every}))
