"""Reading the log of a LaTeX run: its first error, what it wants, and everything it complained of.

The logs are expected with unbroken lines (`max_print_line` set high), as `symattn.rendering.latex.compilation` has
the engines write them. Errors are read with the file and line in front, and without.
"""

from __future__ import annotations

import re

from symattn.records import dataclass

_PROBLEM = re.compile(
    r"(?:Overfull|Underfull) \\[hv]box"
    r"|Missing character: "
    r"|(?:LaTeX|LaTeX3|LaTeX Font|pdfTeX|Package \S+|Class \S+) [Ww]arning\b"
)
_SUBSTITUTION = re.compile(
    r"LaTeX Font Warning: (?:Font shape .*|Size substitutions .*|Some font shapes were not available.*)"
)
_CONTINUED = re.compile(r"\([A-Za-z0-9]+\) {2,}(?P<text>.*)")
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


def log_problems(log: str) -> list[str]:
    r"""Return the complaints in a log, in its order, except font substitutions.

    Overfull and underfull boxes, missing characters, and warnings of LaTeX, pdfTeX, classes and
    packages, each as one line.

    >>> log_problems("Overfull \\hbox (3.0pt too wide) in paragraph at lines 3--4\n[] text\n")
    ['Overfull \\hbox (3.0pt too wide) in paragraph at lines 3--4']
    """
    problems: list[str] = []
    joining = False
    for line in log.splitlines():
        continued = _CONTINUED.match(line)
        if joining and continued:
            problems[-1] += " " + continued["text"].strip()
            continue
        joining = _PROBLEM.match(line) is not None
        if joining:
            problems.append(line.strip())
    return [problem for problem in problems if not _SUBSTITUTION.match(problem)]
