"""The gallery: each example with a picture of its key, its file and its JSON, made while the site is built."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

import symattn

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GENERATED = ROOT / "docs" / "_generated"
PAGES = GENERATED / "extra" / "keys"
"""Keys as web pages, which the site has as they are: the parent is among `html_extra_path`."""

_WIDTH = 420
"""Width of a thumbnail in pixels."""


def examples() -> list[Path]:
    """Return the problem files of the gallery."""
    return sorted(EXAMPLES.glob("**/*.toml"))


def build(app: Sphinx) -> None:
    """Make what cards show of each example, unless it is there from an earlier build."""
    del app
    PAGES.mkdir(parents=True, exist_ok=True)
    for path in examples():
        _make(path)


def _make(path: Path) -> None:
    stamp = GENERATED / f"{path.stem}.stamp"
    digest = _digest(path)
    if stamp.exists() and stamp.read_text() == digest:
        return
    _solve(path, GENERATED / f"{path.stem}.json")
    _solve(path, GENERATED / f"{path.stem}.pdf")
    _solve(path, PAGES / f"{path.stem}.html")
    (GENERATED / path.name).write_bytes(path.read_bytes())
    _draw(GENERATED / f"{path.stem}.pdf", GENERATED / f"{path.stem}.png")
    stamp.write_text(digest)


def _digest(path: Path) -> str:
    """Return a digest of the example and of all that its key is made with."""
    package = Path(symattn.__file__).parent
    made_with = [*package.glob("**/*.py"), *package.glob("**/*.css")]
    sources = [path, *sorted(made_with), *sorted((ROOT / "templates").glob("*.j2"))]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def _solve(path: Path, output: Path) -> None:
    command = [sys.executable, "-m", "symattn", "solve", path, "-o", output]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)  # noqa: S603


def _draw(pdf: Path, picture: Path) -> None:
    document = pypdfium2.PdfDocument(pdf)
    page = document[0]
    page.render(scale=2 * _WIDTH / page.get_width()).to_pil().convert("L").save(picture, optimize=True)


def cards() -> str:
    """Return a grid with a card for each example."""
    return "\n".join(["::::{grid} 1 2 2 3", ":gutter: 3", "", *map(_card, examples()), "::::"])


def _card(path: Path) -> str:
    title = tomllib.loads(path.read_text(encoding="utf-8")).get("title", path.stem)
    page = f'<a href="keys/{path.stem}.html">web page</a>'
    files = " · ".join(f"{{download}}`{kind} <_generated/{path.stem}.{kind}>`" for kind in ("toml", "json", "pdf"))
    return "\n".join(
        [
            f":::{{grid-item-card}} {title}",
            f":img-top: _generated/{path.stem}.png",
            f":img-alt: First page of the key of {path.name}",
            "",
            f"{page} · {files}",
            ":::",
        ]
    )
