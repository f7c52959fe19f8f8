"""Engines that fail: another one steps in with one warning, or one sentence says what happened."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from symattn.errors import EngineError, OutputError
from symattn.processes import signals
from symattn.rendering.latex import compilation
from symattn.rendering.latex.compilation import Compiled, Engine, compile_tex, engines
from tests import tables
from tests.fake_engines import MAKES_A_PDF, PDF, ends, write_script

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parent.parent.parent
DATA = tables.read("data/pdf_engines.yaml")

SCRIPTS = pytest.mark.parametrize(
    ("script", "reason"), [pytest.param(case["script"], case["reason"], id=case["name"]) for case in DATA["scripts"]]
)
ENVIRONMENTS = pytest.mark.parametrize(
    ("settings", "reason"),
    [pytest.param(case["set"], case["reason"], id="-".join(case["set"])) for case in DATA["environments"]],
)
TINYTEX = pytest.mark.skipif(
    all(engine.name != "tinytex" for engine in engines()), reason='no engine from pip: pip install "symattn[pdf]"'
)

PREAMBLE = (ROOT / "templates" / "preamble.tex.j2").read_text(encoding="utf-8")
DOCUMENT = (
    f"\\documentclass[11pt]{{article}}\n{PREAMBLE}\\begin{{document}}\n"
    "Attention \\emph{weighs} tokens, $a + \\mathbf{b}$.\n\\begin{itemize} \\item One \\end{itemize}\n\\end{document}\n"
)

MAX_LENGTH = 700


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for the script of a system's engine, and no other engine."""
    script = tmp_path / "pdflatex"
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", script))
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: None)
    return script


@pytest.fixture
def fallback(tmp_path: Path, system: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that stands for the engine from pip and makes a PDF, beside the system's."""
    assert system.parent == tmp_path
    script = write_script(tmp_path / "fallback", MAKES_A_PDF)
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: Engine("tinytex", script))
    return script


def write(path: Path, script: str | None) -> None:
    if script is None:
        path.write_bytes(b"\x00no program")
        path.chmod(0o755)
    else:
        write_script(path, script)


def sentence(words: str, reason: str) -> str:
    """The words, after showing that they are one sentence of a bounded length that tells the reason."""
    assert reason in words
    assert words.endswith(".")
    assert "\n" not in words
    assert len(words) < MAX_LENGTH
    assert "mend that" not in words
    return words


def refusal(error: type[EngineError | OutputError] = EngineError, document: str = "", **options: Any) -> str:
    with pytest.raises(error) as caught:
        compile_tex(document, **options)
    return str(caught.value)


# Scripts -------------------------------------------------------------------------------------------


@SCRIPTS
def test_after_any_failure_the_other_engine_steps_in_with_a_warning(
    system: Path, fallback: Path, temporary: Path, script: str | None, reason: str
) -> None:
    assert fallback.exists()
    write(system, script)
    compiled = compile_tex("")
    assert (compiled.pdf, compiled.engine) == (PDF, "tinytex")
    warning = sentence(compiled.warning, reason)
    assert warning.startswith(f"{system} ")
    assert warning.endswith(', so the PDF is made by the engine of "symattn[pdf]".')
    assert list(temporary.iterdir()) == []


@SCRIPTS
def test_without_another_engine_the_reason_and_a_remedy_are_told(
    system: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, reason: str
) -> None:
    for name in [name for name in os.environ if name.startswith("TEX")]:
        monkeypatch.delenv(name)
    write(system, script)
    message = sentence(refusal(), reason)
    assert message.startswith(f"{system} ")
    is_missing = reason.startswith("lacks ")
    remedy = "it with apt-get install texlive-" if is_missing else 'another engine with pip install "symattn[pdf]".'
    assert f". Install {remedy}" in message
    assert list(temporary.iterdir()) == []


@SCRIPTS
def test_where_both_fail_both_reasons_are_told(
    system: Path, fallback: Path, temporary: Path, script: str | None, reason: str
) -> None:
    write(system, script)
    write_script(fallback, "exit 7")
    message = sentence(refusal(), reason)
    assert 'the engine of "symattn[pdf]" ended with status 7 and said nothing' in message
    assert list(temporary.iterdir()) == []


@SCRIPTS
def test_the_engine_from_pip_alone_is_told_with_the_systems_as_remedy(
    system: Path, fallback: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, reason: str
) -> None:
    monkeypatch.setattr(compilation, "_system_engine", lambda: None)
    assert not system.exists()
    write(fallback, script)
    message = sentence(refusal(), reason)
    assert message.startswith('The engine of "symattn[pdf]" ')
    assert "apt-get install" in message
    assert list(temporary.iterdir()) == []


def test_an_engine_that_works_gives_no_warning(system: Path, fallback: Path) -> None:
    write_script(system, MAKES_A_PDF)
    write_script(fallback, "exit 1")
    assert compile_tex("") == Compiled(PDF, "fine\n", "system")
    assert compile_tex("").pdf == PDF


def test_an_error_of_both_engines_is_a_fault_of_the_program(system: Path, fallback: Path) -> None:
    same = "echo './key.tex:3: Undefined control sequence.' > key.log; exit 1"
    write_script(system, same)
    write_script(fallback, same)
    assert "This is a fault of symattn. Please report it with the .tex file." in refusal()
    write_script(fallback, "echo './key.tex:3: Emergency stop.' > key.log; exit 1")
    assert "Run pdflatex on the .tex file by hand" in refusal()


def test_variables_of_tex_are_named_where_no_other_engine_steps_in(
    system: Path, fallback: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(system, "exit 1")
    for name in [name for name in os.environ if name.startswith("TEX")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TEXINPUTS", "/nonexistent")
    monkeypatch.setenv("TEXMFCNF", "/nonexistent")
    assert refusal(engine="system").endswith(", or unset TEXINPUTS and TEXMFCNF.")
    write_script(fallback, "exit 1")
    assert "unset" not in refusal(engine="tinytex")


def test_an_engine_is_found_by_a_path_that_begins_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    write_script(tmp_path / "bin" / "pdflatex", MAKES_A_PDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: None)
    assert compile_tex("").pdf == PDF


# Engines that do not end ---------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times that the engines of the system are waited for, which pass at once; those of the others end."""
    waits: list[float] = []
    wait = subprocess.Popen.wait

    def wait_no_time(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is not None and str(process.args[0]).endswith("pdflatex"):  # type: ignore[index]
            waits.append(timeout)
            raise subprocess.TimeoutExpired("pdflatex", timeout)
        return wait(process, None)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_no_time)
    monkeypatch.setattr(compilation, "time", SimpleNamespace(monotonic=lambda: sum(waits)))
    return waits


def test_an_engine_that_hangs_is_stopped_at_the_stated_limit(
    system: Path, fallback: Path, temporary: Path, impatient: list[float]
) -> None:
    write_script(system, "sleep 600")
    compiled = compile_tex("")
    assert (compiled.pdf, compiled.engine) == (PDF, "tinytex")
    sentence(compiled.warning, f"did not finish within {compilation.TIME_LIMIT} seconds and was stopped")
    assert sum(impatient) == pytest.approx(compilation.TIME_LIMIT)
    reference = ROOT / "docs" / "reference"
    assert f"{compilation.TIME_LIMIT} s for each engine" in (reference / "limits.md").read_text(encoding="utf-8")
    assert f"{compilation.TIME_LIMIT} seconds" in (reference / "pdf-engines.md").read_text(encoding="utf-8")
    fallback.unlink()
    sentence(refusal(), "did not finish within")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("ending", ["exit 1", MAKES_A_PDF])
def test_what_an_engine_leaves_running_is_ended(system: Path, fallback: Path, tmp_path: Path, ending: str) -> None:
    write_script(system, f"sleep 600 & echo $! > {tmp_path}/child", ending)
    assert fallback.exists()
    assert compile_tex("").pdf == PDF
    assert ends(int((tmp_path / "child").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="files are limited on Linux only")
def test_an_engine_that_prints_without_end_does_not_fill_the_disk(
    system: Path, fallback: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fallback.exists()
    monkeypatch.setattr(compilation, "MAX_FILE", 100_000)
    write_script(system, "while :; do echo and so on; done")
    sentence(compile_tex("").warning, f"was ended by signal {signal.SIGXFSZ.value}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped_takes_its_engine_along(tmp_path: Path, temporary: Path, number: signal.Signals) -> None:
    write_script(tmp_path / "pdflatex", f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; sleep 600")
    process = subprocess.Popen(
        [sys.executable, "-m", "symattn", "solve", "examples/ps4_self_attention.toml", "-o", f"{tmp_path}/key.pdf"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(temporary)},
        stderr=subprocess.DEVNULL,
    )
    while not (tmp_path / "pid").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait() == 128 + number
    assert ends(int((tmp_path / "pid").read_text()))
    assert list(temporary.iterdir()) == []
    assert sorted(path.suffix for path in tmp_path.glob("key*")) == [".tex"]


@pytest.fixture
def handled(request: pytest.FixtureRequest) -> Iterator[tuple[signal.Signals, list[int]]]:
    """A signal whose handler raises `Stopped`, or only notes the signal, with the notes."""
    number, is_fatal = request.param
    seen: list[int] = []

    def handle(at: int, _frame: FrameType | None) -> None:
        seen.append(at)
        if is_fatal:
            raise signals.Stopped(at)

    before = signal.signal(number, handle)
    yield number, seen
    assert signal.getsignal(number) is handle
    signal.signal(number, before)


NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1") if hasattr(signal, name)]
FATAL = pytest.mark.parametrize("handled", [(number, True) for number in NUMBERS], indirect=True)


def signal_at_start(monkeypatch: pytest.MonkeyPatch, number: int, *, before: bool = False) -> list[int]:
    """Send a signal while `Popen` starts a process, whose number it has not returned yet; return the numbers."""
    started: list[int] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            if before:
                signal.raise_signal(number)
            super().__init__(*args, **options)
            started.append(self.pid)
            signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    return started


@FATAL
@pytest.mark.parametrize("before", [False, True])
def test_a_signal_while_the_engine_starts_ends_it(
    system: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    handled: tuple[signal.Signals, list[int]],
    before: bool,
) -> None:
    number, seen = handled
    write_script(system, "sleep 600")
    started = signal_at_start(monkeypatch, number, before=before)
    with pytest.raises(signals.Stopped):
        compile_tex("")
    assert seen[0] == number
    assert len(started) == 1
    assert ends(started[0])
    assert list(temporary.iterdir()) == []


@FATAL
def test_a_signal_while_the_engine_is_ended_waits(
    system: Path, monkeypatch: pytest.MonkeyPatch, handled: tuple[signal.Signals, list[int]]
) -> None:
    number, seen = handled
    write_script(system, f"sleep 600 & echo $! > {system}.child; exit 1")
    end = os.killpg

    def interrupted(group: int, by: int) -> None:
        signal.raise_signal(number)
        end(group, by)

    monkeypatch.setattr(os, "killpg", interrupted)
    with pytest.raises(signals.Stopped):
        compile_tex("")
    assert seen == [number]
    assert ends(int(Path(f"{system}.child").read_text()))


@pytest.mark.parametrize("handled", [(number, False) for number in NUMBERS], indirect=True)
def test_a_signal_whose_handler_returns_ends_nothing(
    system: Path, monkeypatch: pytest.MonkeyPatch, handled: tuple[signal.Signals, list[int]]
) -> None:
    number, seen = handled
    write_script(system, MAKES_A_PDF)
    signal_at_start(monkeypatch, number)
    assert compile_tex("").pdf == PDF
    assert seen == [number]


def test_an_engine_is_run_in_a_thread(system: Path) -> None:
    write_script(system, MAKES_A_PDF)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(compile_tex, "").result().pdf == PDF


@FATAL
def test_a_handler_that_another_one_sets_stays(handled: tuple[signal.Signals, list[int]]) -> None:
    number, seen = handled
    other = signal.SIGTERM if number != signal.SIGTERM else signal.SIGINT

    def replace(_number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)

    kept, own = signal.getsignal(number), signal.signal(other, replace)
    with signals.deferred() as deliver:
        signal.raise_signal(other)
        assert signal.getsignal(number) != signal.SIG_IGN
        deliver()
    assert signal.getsignal(number) == signal.SIG_IGN
    signal.signal(number, kept)
    signal.signal(other, own)
    assert seen == []


# Engines of the machine ----------------------------------------------------------------------------


@pytest.fixture
def broken_environment(settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The settings of a case, made; and an empty home folder, unless it is set."""
    broken = tmp_path / "broken"
    for folder in (broken, broken / "texmf" / "tex" / "latex"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "microtype.sty").write_text("\\ProvidesPackage{microtype}\\nosuchmacro\n", encoding="utf-8")
    (tmp_path / "home").mkdir()
    for name in [name for name in os.environ if name.startswith("TEX")]:
        monkeypatch.delenv(name)
    made = {name: value.replace("$broken", str(broken)) for name, value in settings.items()}
    for name, value in {"HOME": str(tmp_path / "home"), **made}.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.mark.sample(1)
@pytest.mark.tex
@TINYTEX
@ENVIRONMENTS
def test_an_environment_that_breaks_the_systems_tex_is_no_obstacle(
    broken_environment: dict[str, str], temporary: Path, tmp_path: Path, reason: str
) -> None:
    assert broken_environment
    compiled = compile_tex(DOCUMENT)
    assert compiled.engine == "tinytex"
    sentence(compiled.warning, reason)
    assert list(temporary.iterdir()) == list((tmp_path / "home").iterdir()) == []


@pytest.mark.sample(3)
@pytest.mark.tex
@ENVIRONMENTS
def test_an_environment_that_breaks_the_only_engine_is_told(
    broken_environment: dict[str, str], temporary: Path, tmp_path: Path, reason: str
) -> None:
    message = sentence(refusal(document=DOCUMENT, engine="system"), reason)
    for name in broken_environment:
        assert (name in message) is name.startswith("TEX")
    assert list(temporary.iterdir()) == list((tmp_path / "home").iterdir()) == []


@pytest.mark.tex
@TINYTEX
def test_a_font_that_is_there_as_a_bitmap_only_is_not_made(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes seconds, looks bad, and fills the home folder; documents of ours need none."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert compile_tex(DOCUMENT).engine == "system"
    assert compile_tex(DOCUMENT.replace("One", r"\textbullet")).engine == "tinytex"
    assert list(temporary.iterdir()) == list((tmp_path / "home").iterdir()) == []


# Full disks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "!pdfTeX error: pdflatex: fflush() failed (No space left on device)",
        "!pdfTeX error: pdflatex: fwrite() failed",
        "!pdfTeX error: pdflatex: fflush() failed (Disk quota exceeded)",
    ],
)
def test_an_engine_that_cannot_write_names_the_temporary_folder(
    system: Path, fallback: Path, temporary: Path, words: str
) -> None:
    for script in (system, fallback):
        write_script(script, f"echo '{words}' > key.log; exit 1")
    sentence(refusal(OutputError), f"The temporary folder {temporary} cannot be used (No space left on device)")
    assert list(temporary.iterdir()) == []


def test_a_folder_without_room_is_named_whatever_the_engine_says(
    system: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes = Path.write_bytes

    def write_a_little(path: Path, data: bytes) -> int:
        write_bytes(path, data[:1000])
        if len(data) > 100_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return len(data)

    write_script(system, "exit 1")
    monkeypatch.setattr(Path, "write_bytes", write_a_little)
    sentence(refusal(OutputError), f"The temporary folder {temporary} cannot be used (No space left on device)")
    assert list(temporary.iterdir()) == []


def test_a_temporary_folder_that_is_missing_is_named(system: Path, temporary: Path) -> None:
    temporary.rmdir()
    write_script(system, MAKES_A_PDF)
    sentence(refusal(OutputError), f"The temporary folder {temporary} cannot be used (No such file or directory)")


def test_no_temporary_folder_at_all_is_told(system: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(temporary / "missing")])
    write_script(system, MAKES_A_PDF)
    sentence(refusal(OutputError), "set TMPDIR to a folder that can be written")


SMALL_DISK = 'mount -t tmpfs -o size="$0" tmpfs "$1" && shift && "$@"; status=$?; ls -A "$DISK"; exit $status'
SMALLER_THAN_THE_SOURCE = {"4k"}
CAN_MOUNT = (
    sys.platform == "linux"
    and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],  # noqa: S607 - on the PATH
        capture_output=True,
        check=False,
    ).returncode
    == 0
)


@pytest.mark.sample(3)
@pytest.mark.skipif(not CAN_MOUNT, reason="needs the right to mount a small disk")
@pytest.mark.tex
@pytest.mark.parametrize("size", ["4k", "20k", "60k", "100k", "160k"])
@pytest.mark.parametrize("is_output", [True, False])
def test_a_full_disk_is_named_for_its_file(tmp_path: Path, size: str, *, is_output: bool) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    output = disk / "key" if is_output else tmp_path / "key"
    done = subprocess.run(
        [
            *("unshare", "-m", "sh", "-c", SMALL_DISK, size, disk),
            *(sys.executable, "-m", "symattn", "solve", "examples/ps4_self_attention.toml", "-o", f"{output}.pdf"),
        ],
        cwd=ROOT,
        env={**os.environ, "DISK": str(disk), "TMPDIR": str(tmp_path if is_output else disk)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    has_source = is_output and size not in SMALLER_THAN_THE_SOURCE
    written = f"{output}.pdf" if has_source else f"{output}.tex"
    place = f"{written} cannot be written" if is_output else f"The temporary folder {disk} cannot be used"
    words = rf"symattn: {re.escape(place)} \((?i:no space left on device)\)(: f|\. F)ree some space there, or .*\."
    assert re.fullmatch(words, done.stderr.splitlines()[-1])
    assert done.stdout.split() == (["key.tex"] if has_source else [])
