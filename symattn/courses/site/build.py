"""The folder of a practice page, made for any static server.

Nothing is downloaded: Pyodide, and python-flint's wheel where a problem needs it, are files that the user names.
symattn itself is an archive of the installed package, the same bytes for an installed package and for a checkout.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.api import sheets, solutions
from symattn.api.transcripts import VERSION
from symattn.courses.site.practice import Settings
from symattn.data_files import read_text
from symattn.errors import InputError, OutputError, UnprovedError
from symattn.files import reason_of
from symattn.problem.settings.conventions import THEORY
from symattn.records import dataclass
from symattn.rendering.html.key import sheet_html
from symattn.rendering.latex.templates import template_text

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import jinja2
else:
    jinja2 = late.module("jinja2")

ARCHIVE = "symattn.zip"
SETTINGS = "settings.json"
RUNTIME = "pyodide"
_PAGE = "index.html"
_STYLE = "site.css"
_SCRIPTS = ("page.mjs", "worker.mjs")
_OWN = {ARCHIVE, SETTINGS, RUNTIME, _PAGE, _STYLE, *_SCRIPTS}

_RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_RUNTIME_REMEDY = "Unpack the npm package pyodide, as by npm install pyodide, and name node_modules/pyodide."
_OLDEST_PYTHON = 3, 11
_MAX_TABLE = 10_000_000
"""Bytes of a JSON file of Pyodide that are read."""

_PROGRAM_ENDINGS = (".py", ".toml", ".proof", ".css")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The date of all files in the archive, so that the same program gives the same bytes."""

_FLINT_WHEEL = re.compile(
    r"python_flint-[0-9A-Za-z.]+-cp([0-9]+)-cp[0-9]+-(?:pyemscripten|pyodide)_([0-9_]+)_wasm32\.whl"
)

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""What a browser may load for the page: its own files. The formulas and reports of symattn have styles of their own."""

_TRIAL = "import sys; sys.path.insert(0, sys.argv[1]); from symattn.courses.site import practice; practice.try_out()"


@dataclass(frozen=True, slots=True)
class Runtime:
    """Pyodide, as its unpacked npm package has it.

    Attributes:
        folder: the package.
        version: its version.
        python: the version of Python that it brings.
        abi: the version of its binary interface, which wheels name.
    """

    folder: Path
    version: str
    python: str
    abi: str

    @classmethod
    def read(cls, folder: Path) -> Runtime:
        """Return the package in a folder.

        Raises:
            InputError: a file of it is missing or cannot be read, or its Python is too old.
        """
        for name in (*_RUNTIME_FILES, "package.json"):
            if not (folder / name).is_file():
                raise InputError(f"{folder} has no file {name}, so it is not Pyodide. {_RUNTIME_REMEDY}")
        try:
            version = _table(folder / "package.json")["version"]
            info = _table(folder / "pyodide-lock.json")["info"]
            python, abi = info["python"], info["abi_version"]
            numbers = tuple(int(part) for part in python.split(".")[:2])
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise InputError(f"{folder} does not say which version of Pyodide it is. {_RUNTIME_REMEDY}") from error
        if numbers < _OLDEST_PYTHON:
            raise InputError(f"{folder} brings Python {python}, and symattn needs 3.11. Take a newer Pyodide.")
        return cls(folder, str(version), str(python), str(abi))

    def check_wheel(self, wheel: Path) -> None:
        """Refuse a file that is not a wheel of python-flint for this package.

        Raises:
            InputError: it is something else, or for another version.
        """
        tag = "cp" + "".join(self.python.split(".")[:2])
        wanted = f"python_flint-VERSION-{tag}-{tag}-pyemscripten_{self.abi}_wasm32.whl"
        found = _FLINT_WHEEL.fullmatch(wheel.name)
        if found is None or (f"cp{found[1]}", found[2]) != (tag, self.abi):
            raise InputError(f"{wheel} is not the wheel that Pyodide {self.version} needs. Name {wanted}.")
        if not zipfile.is_zipfile(wheel):
            raise InputError(f"{wheel} cannot be read as a wheel. Download {wanted} again.")


def _table(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        found = json.loads(file.read(_MAX_TABLE))
    if not isinstance(found, dict):
        raise TypeError(path)
    return found


def build_site(settings: Settings, output: Path, pyodide: Path, flint: Path | None = None) -> int:
    """Write the folder of a practice page and return its size in bytes.

    Args:
        settings: the problem, and how it is checked.
        output: the folder, which is new, empty, or a practice page that is replaced.
        pyodide: the unpacked npm package of Pyodide.
        flint: a wheel of python-flint for it, which the page loads where digits need it.

    Raises:
        InputError: the problem lacks numbers, or the wheel of python-flint that it needs; a folder or file named is
            not what it should be.
        OutputError: the folder holds other files, or cannot be written.
    """
    runtime = Runtime.read(pyodide)
    if flint is not None:
        runtime.check_wheel(flint)
    output = output.absolute()
    _refuse_folder(output)
    settings = settings._replace(flint=None if flint is None else flint.name)
    page, key = _page_and_key(settings, runtime)
    try:
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=".symattn-") as made:
            site = Path(made) / "site"
            _write(site, settings, page, runtime, flint)
            _try_out(site, settings, key)
            size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
            if output.exists():
                output.rename(Path(made) / "old")
            site.rename(output)
    except OSError as error:
        reason = reason_of(error).lower()
        raise OutputError(f"{output} cannot be written ({reason}): name another folder.") from error
    return size


def _refuse_folder(output: Path) -> None:
    if not output.parent.is_dir():
        raise OutputError(f"{output} cannot be written: its folder does not exist, so make it first.")
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise OutputError(f"{output} cannot be written: it is not a folder, so name another one.")
    others = sorted({path.name for path in output.iterdir()} - _OWN) if output.exists() else []
    if others:
        raise OutputError(f"{output} has other files, such as {others[0]}. Name a new folder.")


def _page_and_key(settings: Settings, runtime: Runtime) -> tuple[str, str]:
    """Return the page with its sheet, and the key as a submission to try the page with."""
    sheet = settings.sheet()
    if all(problem.kind == THEORY for problem in sheet.problems):
        raise InputError(f"{settings.source} has no numbers to check. A practice page needs a problem with [inputs].")
    several = len(sheet.problems) > 1
    solved = sheets.SheetResult(sheet) if several else solutions.solve(sheet.problems[0])
    document = solved.document("brief", "sheet")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, loader=jinja2.FunctionLoader(template_text)
    )
    page = environment.get_template(f"site/{_PAGE}.j2").render(
        policy=POLICY,
        title=document.title,
        language=document.words.language,
        sheet=sheet_html(document),
        several=several,
        reveal=settings.reveal,
        version=VERSION,
        runtime=runtime,
    )
    return page, solved.to_latex(detail="brief")


def _write(site: Path, settings: Settings, page: str, runtime: Runtime, flint: Path | None) -> None:
    (site / RUNTIME).mkdir(parents=True)
    for name in _RUNTIME_FILES:
        shutil.copyfile(runtime.folder / name, site / RUNTIME / name)
    if flint is not None:
        shutil.copyfile(flint, site / RUNTIME / flint.name)
    texts = {name: template_text(f"site/{name}") or "" for name in _SCRIPTS}
    texts |= {_PAGE: page, SETTINGS: settings.to_json()}
    texts[_STYLE] = read_text("symattn.rendering.html", "page.css") + (template_text(f"site/{_STYLE}") or "")
    for name, text in texts.items():
        (site / name).write_bytes(text.encode())
    (site / ARCHIVE).write_bytes(program_archive())


def program_archive() -> bytes:
    """Return the installed package as a zip archive from which Python imports it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in _program_files("symattn", resources.files("symattn")):
            entry = zipfile.ZipInfo(name, _FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return made.getvalue()


def _program_files(name: str, folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Yield the modules and tables of a package in order; templates serve no check."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir() and item.name.isidentifier() and item.name not in {"__pycache__", "templates"}:
            yield from _program_files(f"{name}/{item.name}", item)
        elif item.is_file() and item.name.endswith(_PROGRAM_ENDINGS):
            yield f"{name}/{item.name}", item


def _try_out(site: Path, settings: Settings, key: str) -> None:
    """Check the key as the page will, with the archive alone: in a Python without other packages.

    Raises:
        InputError: the checks of this problem need python-flint, and the page lacks its wheel.
        UnprovedError: the page does not find its own key free of mistakes.
    """
    given = json.dumps({"settings": settings.to_json(), "work": key})
    command = [sys.executable, "-I", "-S", "-c", _TRIAL, os.fspath(site / ARCHIVE)]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)  # noqa: S603 - our own program
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise UnprovedError(f"The page cannot check its own key: {last}")
    answer = json.loads(done.stdout)
    if answer["needs_flint"]:
        if settings.flint is None:
            raise InputError(
                f"{settings.source} has digits that only python-flint computes. Name its wheel with --flint."
            )
    elif not answer["json"]:
        raise InputError(f"{settings.source}: no work on it can be checked. {answer['status']}")
