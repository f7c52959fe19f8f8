from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which

import pytest

from symattn.api.solutions import solve
from symattn.errors import EngineError, InputError
from symattn.problem.model import Problem
from symattn.rendering.latex import compilation
from symattn.rendering.latex.compilation import Engine, EngineName, compile_tex, engines
from symattn.rendering.latex.typesetting import escape
from tests.fake_engines import MAKES_A_PDF, PDF, ends, write_script
from tests.tex_logs import log_problems

pytestmark = pytest.mark.unmeasured

PREAMBLE = Path(__file__).parent.parent.parent / "templates" / "preamble.tex.j2"

EVERYTHING = r"""
\newtheorem{claim}{Claim}
\begin{document}
\section{Words}
Flow, ``quoted'', caf\'e, na\"ive, \textless, \texttt{x\_1},
\textbf{bold}, \emph{slanted}, {\footnotesize small}.
\section{Formulas}
$\mathbf{X} \in \mathbb{R}^{3 \times 4}$, $\mathbb{E}$, $\bm{\beta}$, $\boldsymbol{\alpha}$, $a \coloneqq b$
\begin{align*}
  Q_{31} &= (-2)(0) + 2 \cdot 1 + (-1)\left(-\tfrac12\right) = \frac52 \approx 6.90 \times 10^{-13} \\
  \mathbf{Q}\mathbf{K}^{\top}
    &= \begin{bmatrix} \frac32 & -\frac52 \\ 8 & -\frac{53}{4} \end{bmatrix}
    = \begin{bmatrix*}[r] 1 & -10 \\ 100 & 2 \end{bmatrix*}
    = \begin{pmatrix} 1 & 2 & 3 & 4 & 5 & 6 & 7 & 8 & 9 & 10 & 11 & 12 \end{pmatrix}
\end{align*}
\[ \boxed{\sum_{j=1}^{3} A_{ij} V_{j}} \Rightarrow \sqrt{2} \le \cdots \neq \ddots \vdots \equiv e^{3/2} \]
\begin{tabular}{lrr} \toprule token & sum & entropy \\ \midrule 1 & 0.62 & 1.0 \\ \bottomrule \end{tabular}
\begin{claim}\label{c} Rows sum to one. \end{claim}
\begin{proof} By Claim~\ref{c}, $1 = 1$. \end{proof}
\begin{tikzpicture}[>={Stealth}]
  \node[circle, fill, inner sep=1.5pt] (a) at (0, 0) {}; \node (b) at (4, 1) {$x_1$};
  \draw[->] (a) -- (b); \draw[->, dashed] (b) -- (0, 1);
\end{tikzpicture}
\end{document}
"""

SMALL = (
    r"\documentclass{article}\IfFileExists{amssymb.sty}{}{\usepackage[T1]{fontenc}\usepackage{lmodern}}"
    r"\begin{document}%s\end{document}"
)


def needs(name: EngineName) -> pytest.MarkDecorator:
    absent = all(engine.name != name for engine in engines())
    return pytest.mark.skipif(absent, reason='no engine from pip: pip install "symattn[pdf]"')


tinytex = pytest.param("tinytex", marks=needs("tinytex"))
BOTH = pytest.mark.parametrize("engine", [pytest.param("system", marks=pytest.mark.tex), tinytex])


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shell script that stands for the system's engine, and no other engine."""
    script = tmp_path / "pdflatex"
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", script))
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: None)
    return script


@BOTH
def test_the_preamble_compiles_without_complaint_and_reproducibly(engine: EngineName) -> None:
    tex = "\\documentclass[11pt]{article}\n" + PREAMBLE.read_text(encoding="utf-8") + EVERYTHING
    compiled = compile_tex(tex, engine=engine)
    assert compiled.engine == engine
    assert log_problems(compiled.log) == []
    assert compiled.pdf.startswith(b"%PDF-")
    assert compile_tex(tex, engine=engine).pdf == compiled.pdf


# Text ----------------------------------------------------------------------------------------------

SPECIALS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
LATIN = "".join(map(chr, range(0xA1, 0x100))).replace("\xad", "")
SIGNS = "–—‘’“”…€•†‡™←→≤≥≈≠∞∈∑√−œŒšŠžŽłŁčřğőÿ"


def paragraph(signs: str, length: int = 1500) -> str:
    """A long paragraph in which each sign stands behind words and digits; most of its lines want stretching."""
    text = " ".join(f"attention{sign} weighs {number}{sign} tokens" for number, sign in enumerate(signs))
    while len(text) < length:
        text = f"{text} and {text}"
    return text


def with_preamble(body: str) -> str:
    start = "\\documentclass[11pt]{article}\n" + PREAMBLE.read_text(encoding="utf-8")
    return f"{start}\\begin{{document}}\n{body}\n\\end{{document}}\n"


@pytest.mark.sample(1)
@BOTH
@pytest.mark.parametrize("style", ["", r"\itshape", r"\bfseries", r"\small", r"\bfseries\itshape", r"\Large\bfseries"])
def test_long_paragraphs_of_every_sign_compile_without_complaint(engine: EngineName, style: str) -> None:
    """A font that is there as a bitmap only stops the engine in a paragraph that is long enough to be stretched."""
    body = "\n".join(f"{{{style} {escape(paragraph(signs))}\\par}}" for signs in (SPECIALS, LATIN, SIGNS))
    compiled = compile_tex(with_preamble(body), engine=engine)
    # Words of this length leave loose lines in the larger fonts; that is this paragraph's fault, not the signs'.
    assert [
        problem for problem in log_problems(compiled.log) if not problem.startswith(("Underfull", "Overfull"))
    ] == []
    assert "pk>" not in compiled.log


@pytest.mark.sample(1)
@BOTH
def test_a_long_paragraph_of_all_signs_fits_its_lines(engine: EngineName) -> None:
    text = paragraph(SPECIALS + "§¶£°±²³¹×÷·µ¬ßäöüéèñçå¿¡" + "–—“”…•†")
    compiled = compile_tex(with_preamble(f"{escape(text)}\\par"), engine=engine)
    assert log_problems(compiled.log) == []


@pytest.mark.sample(1)
@BOTH
def test_a_problem_full_of_signs_has_its_key(engine: EngineName) -> None:
    text = f"{paragraph(SPECIALS.replace('$', ''))} for 5$."
    problem = (
        f'title = {json.dumps("Costs $5, £3 & §2")}\ntext = {json.dumps(text)}\nscale = "none"\n'
        "[inputs]\nQ = [[1, 0]]\nK = [[1, 0], [0, 1]]\nV = [[1], [2]]\n"
        f'[[parts]]\ntext = {json.dumps(text)}\nasks = ["map"]\n'
    )
    tex = solve(Problem.from_text(problem)).to_latex()
    assert tex.count(r"{\upshape\char36}") == 3
    assert log_problems(compile_tex(tex, engine=engine).log) == []


def test_a_dollar_is_a_dollar_in_every_font() -> None:
    """In the italic of Computer Modern its place holds a pound sign, and the command for it wants a font of symbols."""
    assert escape("$5") == r"{\upshape\char36}5"


@pytest.mark.sample(2)
@pytest.mark.tex
@pytest.mark.skipif(which("pdftotext") is None, reason="needs poppler-utils")
@pytest.mark.parametrize("style", ["", r"\itshape", r"\bfseries", r"\ttfamily"])
def test_signs_are_those_that_were_meant(tmp_path: Path, style: str) -> None:
    data = compile_tex(with_preamble(f"{{{style} {escape('A$B C§D E¶F G£H')}\\par}}"), engine="system").pdf
    (tmp_path / "page.pdf").write_bytes(data)
    subprocess.run(["pdftotext", "page.pdf", "page.txt"], cwd=tmp_path, check=True)  # noqa: S607 - on the PATH
    text = (tmp_path / "page.txt").read_text(encoding="utf-8")
    for words in ("A$B", "C§D", "E¶F", "G£H"):
        assert words in text.replace(" ", "")


@pytest.mark.tex
def test_the_exam_class_takes_the_preamble() -> None:
    start = "\\documentclass[11pt,answers]{exam}\n" + PREAMBLE.read_text(encoding="utf-8")
    body = r"\begin{questions}\question[11] Why?\begin{solution}So.\end{solution}\end{questions}\numpoints"
    compiled = compile_tex(start + r"\begin{document}" + body + r"\end{document}", engine="system")
    assert log_problems(compiled.log) == []


@BOTH
def test_references_settle(engine: EngineName) -> None:
    compiled = compile_tex(SMALL % r"\section{A}\label{a}\ref{a}, \pageref{a}", engine=engine)
    assert log_problems(compiled.log) == []


@BOTH
def test_an_error_is_told_with_line_and_place(engine: EngineName) -> None:
    with pytest.raises(EngineError, match=r"Undefined control sequence.* at line 2 of the \.tex file.*nosuchmacro"):
        compile_tex(SMALL % "\nOne \\nosuchmacro two", engine=engine)


@BOTH
def test_files_outside_the_scratch_folder_are_out_of_reach(engine: EngineName, tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    with pytest.raises(EngineError, match="secret"):
        compile_tex(SMALL % rf"\input{{{tmp_path}/secret.tex}}", engine=engine)
    with pytest.raises(EngineError):
        compile_tex(SMALL % rf"\newwrite\w\immediate\openout\w={tmp_path}/new.tex x", engine=engine)
    compile_tex(SMALL % rf"\immediate\write18{{touch {tmp_path}/ran}}x", engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.tex"]


@pytest.mark.parametrize("engine", [tinytex])
def test_a_class_that_the_pip_engine_lacks_is_named_with_its_package(engine: EngineName) -> None:
    with pytest.raises(EngineError, match=r"lacks exam\.cls\. .*texlive-latex-extra"):
        compile_tex(r"\documentclass{exam}\begin{document}\end{document}", engine=engine)


def test_a_class_that_the_system_lacks_is_named_with_its_package(fake: Path) -> None:
    write_script(fake, 'echo "! LaTeX Error: File \\`exam.cls\' not found." > key.log; exit 1')
    with pytest.raises(EngineError, match=r"lacks exam\.cls\. .*apt-get install texlive-latex-extra"):
        compile_tex("")


def test_without_an_engine_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compilation, "find_spec", lambda _name: None)
    assert engines() == []
    with pytest.raises(EngineError, match=r'pip install "symattn\[pdf\]".*apt-get install'):
        compile_tex("")
    with pytest.raises(EngineError, match="No pdflatex is on the PATH"):
        compile_tex("", engine="system")
    with pytest.raises(EngineError, match="pip install"):
        compile_tex("", engine="tinytex")


@pytest.mark.parametrize("engine", [tinytex])
def test_a_font_that_the_engine_lacks_is_named(engine: EngineName) -> None:
    with pytest.raises(EngineError, match="cmr10"):
        compile_tex(r"\documentclass{article}\begin{document}x\end{document}", engine=engine)


def test_a_run_that_does_not_end_is_ended_with_all_it_started(fake: Path, tmp_path: Path) -> None:
    write_script(fake, f"sleep 60 & echo $! > {tmp_path}/child; wait")
    with pytest.raises(EngineError, match=r"within 0\.5 seconds"):
        compile_tex("", timeout=0.5)
    assert ends(int((tmp_path / "child").read_text()))


def test_runs_are_bounded(fake: Path, tmp_path: Path) -> None:
    write_script(fake, f"echo run >> {tmp_path}/runs", MAKES_A_PDF, "echo 'Rerun to get it right' > key.log")
    assert compile_tex("").pdf == PDF
    assert (tmp_path / "runs").read_text() == "run\n" * compilation.MAX_RUNS


@pytest.mark.parametrize("name", ["", "../key", "a b", "-shell-escape", "k" * 101, "a\n"])
def test_job_names_are_plain(name: str) -> None:
    with pytest.raises(InputError, match="job name"):
        compile_tex("", jobname=name)
