"""The page of the command line holds every command and every option of the program."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt

from symattn.cli.main import cli

DOCS = Path(__file__).parents[2] / "docs"
ROOT = click.Context(cli, info_name="symattn")
NAMES = ["", *cli.list_commands(ROOT)]


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The sections of the page by their headings, as HTML."""
    assert "```{generated} commands\n```" in (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "_ext"))
        text: str = import_module("commands").commands()
        del sys.modules["commands"]
    _, *parts = re.split(r"<h2>(.+?)</h2>", MarkdownIt().render(text))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_page_has_a_section_for_each_command(sections: dict[str, str]) -> None:
    assert list(sections) == [f"symattn {name}".strip() for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_the_section_of_a_command_has_its_arguments_and_options(sections: dict[str, str], name: str) -> None:
    command = cli.get_command(ROOT, name) if name else cli
    assert command is not None
    section = sections[f"symattn {name}".strip()]
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert re.search(rf"<code>{re.escape(', '.join(parameter.opts))}\b", section), parameter.opts
    usage = " ".join(command.collect_usage_pieces(ROOT))
    assert f"{usage}\n</code></pre>" in section


def test_each_option_says_what_it_does(sections: dict[str, str]) -> None:
    for section in sections.values():
        assert section.count("\n: ") == len(re.findall(r"<p><code>.*?</code>\n: \w", section))


def test_no_markup_is_left_as_text(sections: dict[str, str]) -> None:
    for section in sections.values():
        prose = re.sub(r"<pre>.*?</pre>", "", section, flags=re.DOTALL)
        assert not re.search(r"^\s*\.\. |::|\\|\x08|``|--\w", re.sub(r"<code>.*?</code>", "", prose), re.MULTILINE)
