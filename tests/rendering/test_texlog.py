from __future__ import annotations

from types import EllipsisType

import pytest

from symattn.rendering.latex.compilation import LogError, first_error, missing_file, wants_rerun
from tests.tex_logs import log_problems


@pytest.mark.parametrize(
    ("log", "error"),
    [
        ("This is pdfTeX\nOutput written on key.pdf", None),
        (
            "! Undefined control sequence.\n<recently read> \\foo\n\nl.12 a \\foo\n           b\n! ==> End",
            LogError("Undefined control sequence.", 12, "a \\foo"),
        ),
        ("! Emergency stop.\n<*> key.tex\n\nno line here", LogError("Emergency stop.")),
        (
            "!pdfTeX error: pdflatex (file cmr10): Font cmr10 not found",
            LogError("pdfTeX error: pdflatex (file cmr10): Font cmr10 not found"),
        ),
        ("! Missing $ inserted.\nl.7", LogError("Missing $ inserted.", 7)),
    ],
)
def test_first_error(log: str, error: LogError | None) -> None:
    assert first_error(log) == error


def test_the_missing_class_is_named() -> None:
    log = "! LaTeX Error: File `exam.cls' not found.\n\nType X to quit\n! Emergency stop.\nl.3 \\usepackage"
    assert missing_file(log) == "exam.cls"
    assert missing_file("! LaTeX Error: File `chapter.tex' not found.") is None
    assert missing_file("! Undefined control sequence.") is None


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        ("LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.", True),
        (
            "Package rerunfilecheck Warning: File `key.out' has changed.\n(rerunfilecheck)   Rerun to get it",
            True,
        ),
        ("Class exam Warning: You must run LaTeX again to produce the table.", True),
        ("Package rerunfilecheck Info: File `key.out' has not changed.", False),
    ],
)
def test_wants_rerun(log: str, wanted: bool) -> None:
    assert wants_rerun(log) is wanted


@pytest.mark.parametrize(
    ("log", "problems"),
    [
        ("", []),
        (
            "Overfull \\hbox (12.0pt too wide) in paragraph at lines 3--4\n\\OT1/cmr/m/n/10 words\n []\n",
            ["Overfull \\hbox (12.0pt too wide) in paragraph at lines 3--4"],
        ),
        ("Underfull \\vbox (badness 10000) has occurred while \\output is active []", ...),
        ("Missing character: There is no ÿ in font cmr10!", ...),
        ("LaTeX Warning: Reference `c' on page 1 undefined on input line 5.", ...),
        ("pdfTeX warning (dest): name{x} has been referenced but does not exist", ...),
        (
            "Package hyperref Warning: Not allowed in a PDF string:\n(hyperref)    removing `math shift'.\n",
            ["Package hyperref Warning: Not allowed in a PDF string: removing `math shift'."],
        ),
        ("LaTeX Font Warning: Command \\small invalid in math mode on input line 9.", ...),
        (
            "LaTeX Font Warning: Font shape `OT1/cmr/m/n' in size <9.2> not available\n(Font)  used.\n",
            [],
        ),
        (
            "LaTeX Font Warning: Size substitutions with differences\n(Font)    up to 0.3pt occurred.",
            [],
        ),
        ("LaTeX Font Warning: Some font shapes were not available, defaults substituted.", []),
        ("LaTeX Font Info:    Trying to load font information for U+msa on input line 5.", []),
        ("Package hyperref Info: Option `colorlinks' set `true'", []),
    ],
)
def test_log_problems(log: str, problems: list[str] | EllipsisType) -> None:
    assert log_problems(log) == ([log] if problems is ... else problems)
