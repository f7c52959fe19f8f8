"""Complaints in the logs of TeX engines."""

from __future__ import annotations

import re

_PROBLEM = re.compile(
    r"(?:Overfull|Underfull) \\[hv]box"
    r"|Missing character: "
    r"|(?:LaTeX|LaTeX3|LaTeX Font|pdfTeX|Package \S+|Class \S+) [Ww]arning\b"
)
_SUBSTITUTION = re.compile(
    r"LaTeX Font Warning: (?:Font shape .*|Size substitutions .*|Some font shapes were not available.*)"
)
_CONTINUED = re.compile(r"\([A-Za-z0-9]+\) {2,}(?P<text>.*)")


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
