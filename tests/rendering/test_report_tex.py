"""Reports on paper: the work line by line, marked, compiled without a complaint."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from shutil import which
from subprocess import run as subprocess_run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.checking.report import VERDICTS, EntryFinding, Finding, PartMarks, Report, Verdict
from symattn.rendering.latex.compilation import EngineName, compile_tex, engines
from symattn.rendering.reports.latex import COLUMNS, MAX_LINES, report_latex, words
from tests.rendering.reports import EMPTY, FINDINGS, REPORT, of, place, single
from tests.tex_logs import log_problems

ENGINES = [
    pytest.param("system", marks=pytest.mark.tex),
    pytest.param(
        "tinytex",
        marks=pytest.mark.skipif(
            all(engine.name != "tinytex" for engine in engines()),
            reason='no engine from pip: pip install "symattn[pdf]"',
        ),
    ),
]

HOSTILE = "\n".join(
    [
        r"\input{/etc/passwd} \end{document} \write18{touch ran}",
        "100% & #1 $x_1^2$ {open } ~ tilde ^^5cinput{x} }} {{",
        "<% if %> << 7 * 7 >> <# x #> -- --- << >> ?` !` ,, '' `` \"quoted\"",
        "Größe naïve “curly” ‘single’ – — … ¿qué? ¡sí! œ Œ ß ø å ł Ł č ž İ ı Đ þ",
        "β × ≤ € Ω → ∞ ≈ − · ± √ ² ³ ° ∈ ∑ ≠ ≥ µ § ¶ £ ÷ ¬ ← • † ‡ ¹ $",
        "注意力 внимание προσοχή תשומת 😀 e\u0301 \u00ad \u200b \u202e \u00a0x",
        "\x1b[31m \x00 \x07 \x7f \r \f \v \ud800",
        "\ttabs\tand   spaces   ",
        "x" * 500,
        "W" * 79 + "≈" * 3 + "注" * 20,
    ]
)


def rows(tex: str) -> list[str]:
    return [line for line in tex.splitlines() if line.startswith(r"\symattnline")]


def numbered(tex: str) -> list[tuple[str, str]]:
    """Return the numbers of lines, each with the row that it stands at: a formula, or the line itself."""
    shown = [line for line in tex.splitlines() if line.startswith((r"\symattnline", r"\symattnformula"))]
    return [(found[1], row) for row in shown if (found := re.search(r"\}\{([\d:]+)\}\{", row))]


def compiled(report: Report, engine: EngineName) -> bytes:
    result = compile_tex(report_latex(report), engine=engine)
    assert log_problems(result.log) == []
    return result.pdf


def page_text(data: bytes, folder: Path) -> str:
    (folder / "page.pdf").write_bytes(data)
    subprocess_run(["pdftotext", "-layout", "page.pdf", "page.txt"], cwd=folder, check=True)  # noqa: S607 - on the PATH
    return (folder / "page.txt").read_text(encoding="utf-8")


def everywhere(text: str) -> Report:
    """A text as the work, and in every place of its report."""
    lines = [(found.start(), found.end()) for found in re.finditer("[^\n]+", text)]
    findings = tuple(
        Finding(place(text, *span), text[slice(*span)], text[:20], VERDICTS[number % len(VERDICTS)], explanation=text)
        for number, span in enumerate(lines)
    )
    marks = REPORT.marks
    assert marks is not None
    parts = (PartMarks(text, Fraction(2), Fraction(1), (text,)),)
    return replace(
        REPORT, source=text, text=text, findings=findings, missing=(text,), remarks=(text,), first_mistake=0,
        marks=replace(marks, parts=parts, scheme=text), policy=None,
    )  # fmt: skip


# What is in the source -----------------------------------------------------------------------------


def test_every_line_of_the_work_is_there_with_its_number() -> None:
    tex = report_latex(REPORT)
    assert [number for number, _ in numbered(tex)] == ["1", "2", "3", "4", "5", "6"]
    assert len(rows(tex)) == 6


def test_formulas_that_were_read_are_set_above_their_line() -> None:
    """The verdict and the number stand beside the formula, the line as typed is small beneath."""
    lines = report_latex(REPORT).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(r"\symattnformula"))
    assert r"\symattnformula{{\color{symattnwrong}\ensuremath{\times}}}{2}{$\displaystyle Q_{31}" in lines[at]
    assert r"\symattnmarked{symattnwrong}{{" in lines[at]
    assert lines[at + 1].startswith(r"\symattnline{}{}{\symattnbeneath")


@pytest.mark.parametrize("text", ["$Q = \\text{注}$", f"$Q = {' + '.join('1' * 400)}$", "$Q = \\nonsense$", "Q is two"])
def test_what_cannot_be_set_stands_as_typed_alone(text: str) -> None:
    tex = report_latex(replace(single(text, 1, len(text) - 1), source="work.md"))
    assert r"\symattnformula{" not in tex.partition(r"\begin{document}")[2]


def test_each_marked_entry_of_a_matrix_is_coloured() -> None:
    tex = report_latex(three_wrong())
    assert tex.count(r"\symattnmarked{symattnwrong}{{") == 3


def test_the_culprit_is_underlined_in_its_line() -> None:
    row = rows(report_latex(REPORT))[1]
    marked = re.search(r"\\symattnunder\{symattnwrong\}\{(.*?)\}\)", row)
    assert marked
    assert marked[1].replace("{}", "") == r"-2\symattnwide{\cdot}2"


def three_wrong() -> Report:
    """A matrix with three wrong entries on two lines, the first of them the culprit of the statement."""
    text = "S = [1 -2 3\n 4 5/2 6]\n"

    def entry(part: str, verdict: Verdict) -> EntryFinding:
        start = text.index(part)
        return EntryFinding(verdict, part, "0", place(text, start, start + len(part)))

    first, last = entry("-2", "wrong"), entry("6", "wrong")
    finding = Finding(
        place(text, 0, len(text) - 1), text.strip(), "S", "wrong", explanation="Three entries are wrong.",
        entries=(
            (entry("1", "right"), first, entry("3", "right")),
            (entry("4", "right"), entry("5/2", "follows"), last),
        ),
        culprit=first.place,
    )  # fmt: skip
    return Report("work.txt", text, (finding,))


def test_each_faulty_entry_is_underlined() -> None:
    first, second, *_ = rows(report_latex(three_wrong()))
    assert first.count(r"\symattnunder") == 1
    assert second.count(r"\symattnunder") == 2
    assert r"\symattnunder{symattnwrong}{-{}2}" in first
    assert r"\symattnunder{symattnopen}{5/2}" in second
    assert r"\symattnunder{symattnwrong}{6}" in second


def test_an_entry_with_the_culprit_in_it_is_underlined_there_only() -> None:
    report = three_wrong()
    finding = report.findings[0]
    start = report.text.index("/2")
    narrow = replace(finding, culprit=place(report.text, start, start + 2))
    first, second, *_ = rows(report_latex(replace(report, findings=(narrow,))))
    assert r"\symattnunder{symattnwrong}{-{}2}" in first
    assert r"5\symattnunder{symattnwrong}{/2}" in second


def test_what_is_said_stands_below_its_line() -> None:
    lines = report_latex(REPORT).splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith(r"\symattnsay"))
    assert lines[number - 1] == rows(report_latex(REPORT))[1]
    assert "copied as 2" in lines[number]


def test_characters_are_not_joined_to_other_signs() -> None:
    assert words("?` -- ''") == "?`{} -{}-{} '{}'{}"


def test_what_was_struck_out_is_struck_out() -> None:
    assert r"\symattnstruck{Q\char95{}" in rows(report_latex(REPORT))[2]


def test_the_margin_shows_the_worst_of_a_line() -> None:
    first, second = FINDINGS[1], replace(FINDINGS[1], verdict="wrong")
    row = dict(numbered(report_latex(replace(REPORT, findings=(first, second), policy=None))))["2"]
    assert row.startswith(r"\symattnformula{{\color{symattnwrong}\ensuremath{\times}}}")


def test_a_long_work_is_shown_around_its_statements() -> None:
    text = "word\n" * (MAX_LINES * 2) + "Q = 7\n" + "word\n" * MAX_LINES
    start = text.index("Q = 7")
    shown = rows(report_latex(single(text, start, start + 5)))
    assert len(shown) < 10
    assert any("Q\\ =\\ 7" in row or "Q" in row for row in shown)
    assert str(MAX_LINES * 2 + 1) in dict(numbered(report_latex(single(text, start, start + 5))))


def test_a_preamble_is_left_out() -> None:
    text = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n$Q = 7$\n\\end{document}\n"
    start = text.index("Q = 7")
    shown = rows(report_latex(single(text, start, start + 5)))
    assert ["usepackage" in row for row in shown] == [False] * 4
    assert r"\cdots" in shown[0]
    assert ["{3}" in row for row in shown] == [False, True, False, False]


def test_lines_of_a_notebook_have_the_numbers_of_their_cells() -> None:
    assert [number for number, _ in numbered(report_latex(single("Q = 1", 0, 5, cell=3)))] == ["3:1"]


def test_an_empty_report() -> None:
    assert r"0 statements" in report_latex(EMPTY)


@given(st.text(max_size=400))
def test_no_row_is_wider_than_the_page_and_no_text_is_a_command(text: str) -> None:
    for row in rows(report_latex(single(text, 0, len(text)))):
        content = row.split("}{", 1)[1]
        for command in re.findall(r"\\([a-z]+)", content):
            assert command.startswith("symattn") or command in KNOWN, command
        plain = re.sub(r"\\char\d+\{\}|\\ |\\[a-z]+\{?", "x", content)
        assert len(re.sub(r"[{}$\\]", "", plain)) <= 2 * COLUMNS + 40


@pytest.mark.parametrize("sign", "₀₁₉ⱼᵢ⁸⁻ᵀ½¼⅓⋅⟨⟩⊤′∝ℝ‖⋯")
def test_signs_of_formulas_are_shown_and_not_their_code_points(sign: str) -> None:
    text = f"k{sign} = 4"
    assert "U+" not in "".join(rows(report_latex(single(text, 0, len(text)))))


KNOWN = {
    "char", "color", "ensuremath", "times", "approx", "to", "sim", "checkmark", "hspace", "textasciitilde", "cdots",
    "cdot", "pm", "le", "ge", "neq", "infty", "in", "sum", "surd", "circ", "textbackslash",
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "varepsilon", "vartheta", "varphi",
    "div", "neg", "gets", "bullet", "dagger", "ddagger", "mathsection", "mathparagraph", "mathsterling",
    "ast", "langle", "rangle", "equiv", "simeq", "cong", "propto", "leftrightarrow", "mapsto", "prime", "partial",
    "nabla", "top", "odot", "otimes", "oplus", "forall", "exists", "prod", "int", "vdots", "ddots", "mathbf", "notin",
    "subseteq", "subset", "wedge", "vee", "ll", "gg",
}  # fmt: skip


# What comes of it ----------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_compiles_without_a_complaint(engine: EngineName, tmp_path: Path) -> None:
    pdf = compiled(REPORT, engine)
    if which("pdftotext"):
        text = page_text(pdf, tmp_path)
        assert "ps4" in text
        assert "copied as 2" in text
        assert "so it is = 0.7 and then = 8, as asked" in text
        assert r"\begin{bmatrix} 1 & 2 \\" in text


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_text_compiles(engine: EngineName, tmp_path: Path) -> None:
    pdf = compiled(everywhere(HOSTILE), engine)
    if which("pdftotext"):
        text = page_text(pdf, tmp_path)
        assert "root:" not in text
        assert r"\input{/etc/passwd} \end{document} \write18{touch ran}" in text
        assert "[U+6CE8]" in text


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_all_of_latin_and_greek_compiles(engine: EngineName) -> None:
    letters = "".join(
        map(chr, [*range(0x20, 0x250), *range(0x370, 0x400), *range(0x2000, 0x2070), *range(0x2190, 0x2300)])
    )
    compiled(everywhere("\n".join(letters[start : start + 40] for start in range(0, len(letters), 40))), engine)


@pytest.mark.tex
def test_an_empty_report_and_a_long_one_compile() -> None:
    compiled(EMPTY, "system")
    text = "".join(f"Q_{{{number}}} = {number}\n" for number in range(MAX_LINES))
    report = single(text, *(of("Q_{700} = 700", text).start, of("Q_{700} = 700", text).end))
    compiled(replace(report, findings=report.findings * 3, source="a" * 300), "system")
