"""Measures of the pages of keys: page counts, scaled formulas, overfull boxes, headings at the foot of a page.

``python -m tests.rendering.page_measures FILE.toml …`` prints them for every detail and template under both engines;
``--engine lualatex`` takes that one alone, ``-o FOLDER`` keeps the PDFs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize

from symattn.api.solutions import solve
from symattn.graph.statements.chains import Detail
from symattn.languages.catalogue import LANGUAGES, words_of
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import engines
from tests.tex_logs import log_problems

SHEETS = Path(__file__).resolve().parents[1] / "data" / "sheets"
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
TEMPLATES = ("article", "exam", "fragment")
ENGINES = ("pdflatex", "lualatex", "tinytex")


def engines_of(template: str, *, has_accents: bool) -> tuple[str, ...]:
    """Return the engines that a template is set by.

    The engine from pip lacks the class exam; LuaTeX stands in for it, without letters with accents.
    """
    if template == "exam":
        return ("pdflatex",) if has_accents else ("pdflatex", "lualatex")
    return "pdflatex", "tinytex"


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
_FEW_LETTERS = 6
_FOOT = re.compile(r"\\footnotetext\{\\symattnsoft (.*?)\}(?=\\\\)", re.DOTALL)
_QUESTION = re.compile(r"\\itshape (.*?)\\par\}\\nopagebreak", re.DOTALL)


def _headings() -> Iterator[str]:
    """Yield patterns of lines that lead to the next, in every language."""
    yield r"\([a-z]\d*\) .*"
    yield r".*:"
    for words in map(words_of, LANGUAGES):
        yield words.say("document.solution")
        for key, rest in (("document.step", ".*"), ("heads.head", ""), ("document.problem", ".*")):
            yield re.escape(words.say(key, number="NUMBER")).replace("NUMBER", r"\d+") + rest


_HEADING = re.compile("|".join(f"(?:{pattern})" for pattern in _headings()))


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
    command = (
        next(str(found.executable) for found in engines() if found.name == engine) if engine == "tinytex" else engine
    )
    for _ in range(2 if "{exam}" in tex[:60] else 1):
        _run([command, "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"], folder)
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    sheets = _run(["pdftotext", "-layout", f"{name}.pdf", "-"], folder).split("\f")[:-1]
    problems = [problem for problem in log_problems(log) if "rerunfilecheck" not in problem]
    return Pages(len(sheets), problems, list(headings_at_feet(sheets, tex)))


def _run(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=300, text=True).stdout


def headings_at_feet(sheets: list[str], tex: str) -> Iterator[str]:
    """Yield the last line of each page but the last, above page number and note, if it leads to what follows."""
    note = "".join(map(_letters, _FOOT.findall(tex)))
    questions = [_letters(question) for question in _QUESTION.findall(tex)]
    for sheet in sheets[:-1]:
        lines = [line.strip() for line in sheet.splitlines() if line.strip()]
        while lines and (re.fullmatch(r"\d+", lines[-1]) or (_is_prose(lines[-1]) and _letters(lines[-1]) in note)):
            lines.pop()
        last = lines[-1] if lines else "nothing"
        ends_a_question = _is_prose(last) and any(question.endswith(_letters(last)) for question in questions)
        if not lines or ends_a_question or _HEADING.fullmatch(last):
            yield last


def _is_prose(line: str) -> bool:
    return len(_letters(line)) > _FEW_LETTERS


def _letters(text: str) -> str:
    """Return the letters of a text, without commands and ligatures."""
    return re.sub(r"\\[a-zA-Z]+|[\W\d_]", "", normalize("NFKC", text))


def main() -> None:
    """Print the measures of the keys of some problem files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--engine", choices=ENGINES)
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
                    small = sorted({size for _, size in scalings(tex) if size < FLOOR})
                    for engine in (
                        [arguments.engine] if arguments.engine else engines_of(template, has_accents=not tex.isascii())
                    ):
                        pages = compiled(tex, engine, folder, f"{file.stem}-{template}-{detail}")
                        lines = [f"{file.stem} {template} {detail} {engine}: {pages.count} pages"]
                        lines.extend([*pages.problems, *pages.feet, *([f"sizes {small}"] if small else [])])
                        print("\n    ".join(lines), flush=True)  # noqa: T201 - a list for people


if __name__ == "__main__":
    main()
