"""Measures of the pages of keys: page counts, scaled formulas, overfull boxes, headings at the foot of a page.

``python -m tests.rendering.page_measures FILE.toml …`` prints them for every detail and template; ``--engine lualatex``
takes the other engine, ``-o FOLDER`` keeps the PDFs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from symattn.api.solutions import solve
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import log_problems

SHEETS = Path(__file__).resolve().parents[1] / "data" / "sheets"
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
TEMPLATES = ("article", "exam", "fragment")
ENGINES = ("pdflatex", "lualatex")
BASE = 10.95
"""The size in points of the text of a key, and of its formulas."""

FLOOR = 8.0
"""The size in points below which no formula is set."""

_SIZES = {"tiny": 6.0, "scriptsize": 8.0, "footnotesize": 9.0, "small": 10.0}
_SIZE = re.compile(rf"\\({'|'.join(_SIZES)})(?![a-zA-Z])")
_FACTOR = re.compile(r"\\(?:symattnfit|scalebox)\{([0-9.]+)\}")
_OTHER = re.compile(r"\\(?:resizebox|fontsize|scalebox(?!\{[0-9.#]+\})|symattnfit(?!\{[0-9.]+\}|\}))")
_HOST = "\\documentclass[11pt,a4paper]{article}\n%s\n\\begin{document}\n\\input{fragment}\n\\end{document}\n"
_PREAMBLE = Path(__file__).resolve().parents[2] / "templates" / "preamble.tex.j2"
_HEADING = re.compile(r"(Step \d+\..*|\([a-z]\d*\) .*|Head \d+\.|Solution\.|.*:)")


@dataclass(frozen=True)
class Pages:
    """The measures of one document.

    Attributes:
        count: how many pages it has.
        problems: complaints of TeX, of overfull boxes among others; not those about PDF outlines in a single run.
        feet: the headings behind which a page ends.
    """

    count: int
    problems: list[str]
    feet: list[str]


def scalings(tex: str) -> list[tuple[str, float]]:
    """Return every change of the size of type in a source, with the size in points that it leads to, 0 if unknown."""
    found = [(match[0], BASE * float(match[1])) for match in _FACTOR.finditer(tex)]
    found.extend((match[0], _SIZES[match[1]]) for match in _SIZE.finditer(tex))
    found.extend((match[0], 0.0) for match in _OTHER.finditer(tex))
    return found


def compiled(tex: str, engine: str, folder: Path, name: str = "key") -> Pages:
    """Compile a document, or a fragment within one, and measure its pages."""
    if "\\documentclass" not in tex:
        (folder / "fragment.tex").write_text(tex, encoding="utf-8")
        tex = _HOST % _PREAMBLE.read_text(encoding="utf-8")
    (folder / f"{name}.tex").write_text(tex, encoding="utf-8")
    for _ in range(2 if "{exam}" in tex[:60] else 1):
        _run([engine, "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"], folder)
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    sheets = _run(["pdftotext", "-layout", f"{name}.pdf", "-"], folder).split("\f")[:-1]
    problems = [problem for problem in log_problems(log) if "rerunfilecheck" not in problem]
    return Pages(len(sheets), problems, list(_headings_at_feet(sheets)))


def _run(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=300, text=True).stdout


def _headings_at_feet(sheets: list[str]) -> Iterator[str]:
    for sheet in sheets[:-1]:
        lines = [line.strip() for line in sheet.splitlines() if line.strip()]
        if lines and re.fullmatch(r"\d+", lines[-1]):
            lines.pop()
        if lines and _HEADING.fullmatch(lines[-1]):
            yield lines[-1]


def main() -> None:
    """Print the measures of the keys of some problem files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--engine", choices=ENGINES, default="pdflatex")
    parser.add_argument("--detail", choices=DETAILS, action="append")
    parser.add_argument("--template", choices=TEMPLATES, action="append")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = arguments.output or Path(scratch)
        folder.mkdir(exist_ok=True)
        for file in arguments.files:
            result = solve(Problem.load(file))
            for template in arguments.template or TEMPLATES:
                for detail in arguments.detail or DETAILS:
                    tex = result.to_latex(template, detail)
                    pages = compiled(tex, arguments.engine, folder, f"{file.stem}-{template}-{detail}")
                    small = sorted({size for _, size in scalings(tex) if size < FLOOR})
                    lines = [f"{file.stem} {template} {detail}: {pages.count} pages", *pages.problems, *pages.feet]
                    lines.extend([f"sizes {small}"] if small else [])
                    print("\n    ".join(lines))  # noqa: T201 - a list for people


if __name__ == "__main__":
    main()
