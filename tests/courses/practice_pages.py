"""Practice pages for tests: Pyodide where it is installed, a static server, and works on every example."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from symattn.api import sheets
from symattn.problem.settings.conventions import THEORY
from symattn.problem.sheet import Sheet
from tests.cli.runner import run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PYODIDE = os.environ.get("SYMATTN_PYODIDE", "")
"""The unpacked npm package `pyodide`."""
FLINT = os.environ.get("SYMATTN_FLINT_WHEEL", "")
"""The wheel of python-flint for it."""

needs_pyodide = pytest.mark.skipif(not PYODIDE, reason="SYMATTN_PYODIDE does not name the npm package pyodide")

RUNTIME = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"}
"""The files of the package that a page takes along."""

GATE = "ps4_self_attention"
_NEED_FLINT = {
    "block_backward",
    "cached_step",
    "decoder_block",
    "encoder_block",
    "rotary_positions",
    "sinusoidal_positions",
}
_WITH_NUMBERS = sorted(
    path
    for path in (*EXAMPLES.glob("*.toml"), *EXAMPLES.glob("how_to/*.toml"))
    if any(problem.kind != THEORY for problem in Sheet.load(path).problems)
)
needs_flint = pytest.mark.skipif(not FLINT, reason="SYMATTN_FLINT_WHEEL does not name a wheel of python-flint")


def examples() -> list[Any]:
    """Return every example with numbers as a parameter; all but one are long."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[
                *([] if path.stem == GATE else [pytest.mark.long]),
                *([needs_flint] if path.stem in _NEED_FLINT else []),
            ],
        )
        for path in _WITH_NUMBERS
    ]


def stub_pyodide(folder: Path, python: str = "3.14.2") -> Path:
    """Return a folder that looks like the package: a build copies its files and reads two of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        (folder / name).write_text(name, encoding="utf-8")
    lock = {"info": {"abi_version": "2026_0", "python": python}, "packages": {}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    (folder / "package.json").write_text('{"name": "pyodide", "version": "314.0.7"}', encoding="utf-8")
    return folder


def build(problem: Path, folder: Path, *options: object) -> Path:
    """Return the folder of a practice page, made by the command line."""
    flint = ["--flint", FLINT] if FLINT else []
    done = run("site", problem, "-o", folder, "--pyodide", PYODIDE, *flint, *options)
    assert done.status == 0, done.err
    return folder


def works(problem: Path) -> list[str]:
    """Return the key of a problem as a submission, and the same with some digits changed, which has mistakes."""
    key = sheets.SheetResult(Sheet.load(problem)).to_latex(detail="brief")
    head, mark, body = key.partition("\\begin{document}")
    return [key, head + mark + re.sub(r"(?<=\d\.\d)[13579]", "8", body)]


def on_the_command_line(problem: Path, work: str, folder: Path, *options: object) -> dict[str, Any]:
    """Return the JSON of ``symattn check``, without the name of the work."""
    file = folder / "work.tex"
    file.write_text(work, encoding="utf-8")
    done = run("check", problem, file, "--json", *(options or ("--reveal", "place")))
    assert done.out, done.err
    return without_source(done.out)


def without_source(text: str) -> dict[str, Any]:
    """Return a report from its JSON, without the name of the work."""
    found: dict[str, Any] = json.loads(text)
    return {key: value for key, value in found.items() if key != "source"}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Return the address of a folder on a static server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
