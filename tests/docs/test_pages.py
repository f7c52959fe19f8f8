"""Every block of code of the README and of the documentation holds: commands print what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.courses.practice_pages import stub_pyodide
from tests.docs.blocks import Session, blocks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_of_a_page_holds(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    """Outputs change only with ``--update-golden``."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    stub_pyodide(tmp_path / "node_modules" / "pyodide")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    text = page.read_text(encoding="utf-8")
    session = Session(tmp_path, update=pytestconfig.getoption("--update-golden"))
    for block in blocks(text):
        session.follow(block)
    for old, new in session.new.items():
        text = text.replace(old, new, 1)
    if session.new:
        page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_shows_the_whole_of_each_file_that_it_includes(page: Path) -> None:
    """A listing of some lines ends in the middle as soon as the file changes."""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "literalinclude":
            assert (page.parent / block.argument).is_file(), block.argument
            assert set(block.options) <= {"language", "caption"}, f"line {block.line}: include the whole file"
