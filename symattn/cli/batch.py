"""A folder of works, checked in processes of their own: one JSON line a file, written when it is there.

A file that cannot be read, or that breaks the process that checks it, costs only its own line. A run
that was stopped goes on where its results end: every line holds a digest of the work and one of what it
was checked on, so that what has changed since is checked again and its line replaced. What else lies in the
folder is told of, with the reason why it is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from symattn.api import sheet_submissions, submissions
from symattn.api.sheet_texts import SheetText
from symattn.cli.output import ReaderGoneError, stream, tell
from symattn.cli.progress import progress
from symattn.courses.folders import contents, leads_out
from symattn.errors import InputError, OutputError, SymattnError
from symattn.files import reason_of, write_atomically
from symattn.printable import json_text
from symattn.processes.isolation import Failure, run_isolated
from symattn.processes.limits import BudgetError, limited
from symattn.records import dataclass

UNREAD_STATUS = 141
"""The exit status where nobody read all results: that of a process which SIGPIPE ends."""

_HEAD = '{"file": '


@dataclass(frozen=True, slots=True)
class Stamp:
    """Digests of the submission and of the problem that a result line belongs to.

    Attributes:
        work: a digest of the bytes of the file; empty where they cannot be read.
        problem: a digest of the problem and of all else that decides what is right.
    """

    work: str
    problem: str


@dataclass(frozen=True, slots=True)
class Line:
    """Result of one file: its exit status, its name, and its line, which begins with the name.

    `is_over` says that it took more than its budget: with another budget it is checked again.
    """

    status: int
    name: str
    text: str
    is_over: bool = False

    def stamped(self, stamp: Stamp) -> Line:
        """Return the line with the digests of what it is the result of behind the name."""
        head = _json({"file": self.name})[:-1]
        digests = _json({"work_digest": stamp.work, "problem_digest": stamp.problem})[1:-1]
        return Line(self.status, self.name, f"{head}, {digests}{self.text.removeprefix(head)}")


Check: TypeAlias = Callable[[SheetText, str, bool], Line]
Emit: TypeAlias = Callable[[Line], None]


def check_folder(
    sheet: SheetText,
    folder: str,
    output: str | None = None,
    *,
    strict: bool = False,
    jobs: int = 1,
    check: Check | None = None,
) -> int:
    """Check every work below a folder and return the highest exit status of its files.

    Args:
        sheet: the problem that they are checked on.
        folder: hidden files and folders in it are left out.
        output: where the lines are appended, None for standard output. What has one already and has not changed
            since, neither itself nor what it is checked on, is not checked again.
        strict: accept the sheet's rounding alone.
        jobs: how many files are checked at a time.
        check: how one file is checked.

    Raises:
        InputError: an unusable problem, or a folder without submissions.
        OutputError: the lines cannot be written, or the file holds something else.
    """
    sheet.problems()
    found = contents(folder)
    files = found.works
    if not files:
        others = f"; {found.words}" if found.words else ""
        raise InputError(f"{folder} holds no work: a work is a .tex, .md, .txt or .ipynb file{others}.")
    if found.words:
        tell(found.words)
    problem, over = (sheet.digest(strict=strict, is_over=is_over) for is_over in (False, True))
    stamps = {name: Stamp(_digest(folder, name), problem) for name in files}
    earlier = earlier_results(output) if output is not None else {}
    done = {
        name
        for name, stamp in stamps.items()
        if name in earlier and stamp.work and earlier[name].stamp in {stamp, Stamp(stamp.work, over)}
    }
    highest = max((earlier[name].status for name in done), default=0)
    _say(output, kept=len(done), again=len(earlier.keys() & stamps.keys()) - len(done))
    waiting = deque(name for name in files if name not in done)
    try:
        with _lines_to(output) as write, progress("checking", len(files), len(done)) as advance:

            def emit(line: Line) -> None:
                nonlocal highest
                highest = max(highest, line.status)
                stamp = stamps[line.name]
                write(line.stamped(Stamp(stamp.work, over) if line.is_over else stamp).text)
                advance()

            _check_all(_Task(sheet, strict, check or check_file), _without_links(folder, waiting, emit), emit, jobs)
    except ReaderGoneError:
        return UNREAD_STATUS
    finally:
        if output is not None and earlier:
            _drop_replaced(output)
    return highest


def _say(output: str | None, *, kept: int, again: int) -> None:
    if kept or again:
        reason = ": they, the problem or the options are not what they were" if again else ""
        tell(f"{output}: {kept} kept, {again} checked again{reason}")


def _without_links(folder: str, names: deque[str], emit: Emit) -> deque[str]:
    """Report the links that lead out of the folder, whose targets strangers choose, and leave them out."""
    for name in names:
        if leads_out(folder, Path(name)):
            words = f"{name} is a link that leads out of {folder}, and is not followed: put the work itself there."
            emit(failed(name, words, InputError.exit_status))
    return deque(name for name in names if not leads_out(folder, Path(name)))


def _digest(folder: str, name: str) -> str:
    """Return a digest of the content of a work, empty if unreadable; for a link out of the folder, of its target."""
    path = Path(name)
    try:
        if leads_out(folder, path):
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
        with path.open("rb") as file:
            # A larger file is refused, whatever else is in it.
            return hashlib.sha256(file.read(submissions.MAX_WORK + 1)).hexdigest()
    except (OSError, ValueError):
        return ""


def check_file(sheet: SheetText, name: str, strict: bool) -> Line:  # noqa: FBT001 - a process is handed positions
    """Check one file; one that cannot be read is a result too."""
    try:
        with limited(sheet.budget, name):
            report = sheet_submissions.check_sheet(sheet.problems(), Path(name), strict=strict).redacted(sheet.reveal)
    except SymattnError as error:
        return failed(name, str(error), error.exit_status, is_over=isinstance(error, BudgetError))
    record = report.as_json()
    rest = {"exit_status": report.exit_status, "summary": record["summary"], "report": record}
    return _line(name, report.exit_status, rest)


def failed(name: str, error: str, status: int, *, is_over: bool = False) -> Line:
    """Return the line of a file that was not checked.

    >>> failed("a.md", "No.", 2).text
    '{"file": "a.md", "error": "No.", "exit_status": 2}'
    """
    return replace(_line(name, status, {"error": error, "exit_status": status}), is_over=is_over)


def _line(name: str, status: int, rest: dict[str, object]) -> Line:
    return Line(status, name, _json({"file": name, **rest}))


def _json(record: dict[str, object]) -> str:
    return json_text(record, indent=None)


# Processes -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Task:
    """The work of one process on each file."""

    sheet: SheetText
    strict: bool
    check: Check

    def submit(self, pool: ProcessPoolExecutor, name: str) -> Future[Line]:
        return pool.submit(self.check, self.sheet, name, self.strict)


def _check_all(task: _Task, waiting: deque[str], emit: Emit, jobs: int) -> None:
    def emit_outcome(name: str, outcome: Line | Failure) -> None:
        emit(outcome if isinstance(outcome, Line) else failed(name, *outcome.told, is_over=outcome.is_over))

    run_isolated(task.submit, waiting, jobs, emit_outcome)


# Results -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier line: the exit status, and what it was the result of; None in lines of older releases."""

    status: int
    stamp: Stamp | None = None


def earlier_results(output: str) -> dict[str, Earlier]:
    """Return the files whose lines are whole in an earlier output, the last line of each; a torn last line is cut off.

    Raises:
        OutputError: the file holds something other than results, or cannot be read.
    """
    path = Path(output)
    found: dict[str, Earlier] = {}
    try:
        if not path.is_file():
            return found
        with path.open("r+b") as file:
            whole = 0
            for number, data in enumerate(file, 1):
                if not data.endswith(b"\n"):
                    if not _could_begin(data):
                        raise _foreign(output, number)
                    file.truncate(whole)
                    break
                name, result = _read_line(data, output, number)
                found[name] = result
                whole += len(data)
    except (OSError, ValueError) as error:
        raise _unwritable(output, error) from error
    return found


def _drop_replaced(output: str) -> None:
    """Leave the last line of each file; until then both the old one and the new are there, and nothing is lost."""
    try:
        lines = Path(output).read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise _unwritable(output, error) from error
    names = [_read_line(data, output, number)[0] for number, data in enumerate(lines, 1)]
    last = {name: position for position, name in enumerate(names)}
    if len(last) < len(lines):
        write_atomically(output, b"".join(lines[position] for position in sorted(last.values())))


def _could_begin(data: bytes) -> bool:
    head = _HEAD.encode()
    return data.startswith(head) or head.startswith(data)


def _read_line(data: bytes, output: str, number: int) -> tuple[str, Earlier]:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _foreign(output, number) from error
    if not isinstance(record, dict):
        raise _foreign(output, number)
    name, status = record.get("file"), record.get("exit_status")
    if not isinstance(name, str) or not isinstance(status, int):
        raise _foreign(output, number)
    work, problem = record.get("work_digest"), record.get("problem_digest")
    if isinstance(work, str) and isinstance(problem, str):
        return name, Earlier(status, Stamp(work, problem))
    return name, Earlier(status)


def _foreign(output: str, number: int) -> OutputError:
    return OutputError(f"{output}, line {number}: not the results of a check; name another output file.")


def _unwritable(output: str, error: OSError | ValueError) -> OutputError:
    reason = reason_of(error).lower()
    return OutputError(f"{output} cannot be written ({reason}): name another output file.")


@contextmanager
def _lines_to(output: str | None) -> Iterator[Callable[[str], None]]:
    if output is None:
        yield lambda text: stream(text + "\n")
        return
    try:
        file = Path(output).open("a", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise _unwritable(output, error) from error

    def write(text: str) -> None:
        try:
            file.write(text + "\n")
            file.flush()
        except OSError as error:
            raise _unwritable(output, error) from error

    with file:
        yield write
