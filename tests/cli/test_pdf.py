"""PDFs from the command line: with an engine, without one, and with people's text in every place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from shutil import which
from subprocess import run as subprocess_run

import pytest

import symattn
from symattn.problem.model import Problem
from symattn.rendering.latex import compilation
from symattn.rendering.latex.compilation import Engine, EngineName, compile_tex, engines
from tests.cli.runner import SMALL, Outcome, refused, run
from tests.fake_engines import MAKES_A_PDF, PDF, write_script
from tests.tex_logs import log_problems

HOSTILE = [
    r"\input{/etc/passwd}",
    r"\write18{touch ran}",
    r"\openout1=x \end{document}",
    "100% & #1 $x_1^2$ {open } ~ tilde",
    "% symattn: Q_11",
    r"a \ b \\ c",
    r"}} \end{document} {{",
    "^^5cinput{x} ^^M",
    "{{ 7 * 7 }} ((( x ))) <% if %> \\VAR{x} \\BLOCK{if}",
    '"quoted" `ticks\' -- --- << >> ?` !`',
    "Größe naïve “curly” – — …",
    "β × ≤ € Ω",
    "注意力 внимание προσοχή תשומת 😀",
    "e\u0301 combining \u00ad hyphens",
]
"""Text that a careless program would run, lose, or stumble over."""

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


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A problem file, in a folder of its own that is the working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture
def engine_that_prints(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that makes some PDF of everything, at once."""
    script = write_script(tmp_path_factory.mktemp("bin") / "pdflatex", MAKES_A_PDF)
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", script))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "small.toml")


# What is written where -----------------------------------------------------------------------------


@pytest.mark.usefixtures("engine_that_prints")
@pytest.mark.parametrize(
    ("options", "written"),
    [
        (("--pdf",), ["small.pdf", "small.tex"]),
        (("--pdf", "-o", "key.tex"), ["key.pdf", "key.tex"]),
        (("-o", "key.pdf"), ["key.pdf", "key.tex"]),
        (("--pdf", "-o", "key"), ["key.pdf", "key.tex"]),
        (("--pdf", "-o", "week.4.tex"), ["week.4.pdf", "week.4.tex"]),
        (("--pdf", "-o", "key.json", "--json"), ["key.json", "key.pdf", "key.tex"]),
    ],
)
def test_the_pdf_and_its_source_stand_side_by_side(small: Path, options: tuple[str, ...], written: list[str]) -> None:
    outcome = run("solve", small, *options)
    assert (outcome.status, outcome.out) == (0, ""), outcome.err
    assert files(small.parent) == written
    assert next(small.parent.glob("*.tex")).read_text(encoding="utf-8") == run("solve", small).out
    assert next(small.parent.glob("*.pdf")).read_bytes() == PDF


@pytest.mark.usefixtures("engine_that_prints")
def test_json_is_printed_beside_a_pdf(small: Path) -> None:
    outcome = run("solve", small, "--json", "-o", "key.pdf")
    assert outcome.status == 0
    assert json.loads(outcome.out)["format"] == 1
    assert files(small.parent) == ["key.pdf", "key.tex"]


@pytest.mark.usefixtures("engine_that_prints")
def test_a_problem_from_standard_input_has_a_name_for_its_pdf(small: Path) -> None:
    assert run("solve", "-", "--pdf", stdin=SMALL).status == 0
    assert files(small.parent) == ["key.pdf", "key.tex"]


def test_a_pdf_is_not_written_to_a_terminal(small: Path) -> None:
    refused(run("solve", small, "--pdf", "-o", "-"), "Name a file")


@pytest.mark.usefixtures("engine_that_prints")
def test_a_pdf_that_cannot_be_written(small: Path) -> None:
    refused(run("solve", small, "-o", "missing/key.pdf"), "cannot be written")
    assert files(small.parent) == []


# With an engine that fails -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "small.toml", "--pdf"),
        ("solve", "small.toml", "-o", "key.pdf"),
        ("solve", "small.toml", "--pdf", "-o", "key.json"),
        ("solve", "small.toml", "--pdf", "--template", "exam"),
        ("solve", "small.toml", "--pdf", "--template", "sheet"),
        ("prove", "dot-product-variance", "--pdf"),
        ("prove", "dot-product-variance", "-o", "proof.pdf"),
        ("check", "small.toml", "work.md", "--pdf"),
        ("check", "small.toml", "work.md", "-o", "work.pdf"),
    ],
)
def test_every_command_falls_back_with_one_warning(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, arguments: tuple[str, ...]
) -> None:
    (small.parent / "work.md").write_text("Q K^T = [[1, 0]]\n", encoding="utf-8")
    folder = tmp_path_factory.mktemp("engines")
    broken, whole = write_script(folder / "pdflatex", "exit 1"), write_script(folder / "other", MAKES_A_PDF)
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", broken))
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: Engine("tinytex", whole))
    outcome = run(*arguments)
    assert outcome.status in {0, 1}
    (made,) = small.parent.glob("*.pdf")
    assert made.read_bytes() == PDF
    warning = (
        f'warning: {broken} ended with status 1 and said nothing, so the PDF is made by the engine of "symattn[pdf]".'
    )
    assert [line for line in outcome.err.splitlines() if "engine" in line] == [warning]


def test_pdfs_are_made_in_few_places() -> None:
    program = Path(symattn.__file__).parent
    users = {
        path.relative_to(program).as_posix()
        for path in program.rglob("*.py")
        if re.search(r"rendering\.latex(\.compilation import| import compilation)", path.read_text(encoding="utf-8"))
    }
    courses = {"courses/grading/judging.py", "courses/variants/folder.py", "courses/variants/report.py"}
    assert users == {"cli/output.py", *courses}


# Without an engine ---------------------------------------------------------------------------------


def ended_with_the_source_written(outcome: Outcome, folder: Path, name: str) -> str:
    assert outcome.status == 2
    assert outcome.out == ""
    first, second = outcome.err.splitlines()
    assert first == f"wrote {name}"
    assert second.startswith("symattn: ")
    assert second.endswith(".")
    assert files(folder) == [name]
    return second


def test_without_an_engine_the_source_is_still_written(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compilation, "find_spec", lambda _name: None)
    outcome = run("solve", small, "-o", "key.pdf")
    sentence = ended_with_the_source_written(outcome, small.parent, "key.tex")
    assert 'pip install "symattn[pdf]"' in sentence
    assert "apt-get install" in sentence
    assert (small.parent / "key.tex").read_text(encoding="utf-8") == run("solve", small).out


def test_without_the_exam_class_its_package_is_named(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = small.parent.parent / "pdflatex"
    write_script(script, 'echo "! LaTeX Error: File \\`exam.cls\' not found." > key.log; exit 1')
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", script))
    monkeypatch.setattr(compilation, "_tinytex_engine", lambda: None)
    outcome = run("solve", small, "--template", "exam", "--pdf", "-o", "exam.tex")
    sentence = ended_with_the_source_written(outcome, small.parent, "exam.tex")
    assert "exam.cls" in sentence
    assert "apt-get install texlive-latex-extra" in sentence


def test_an_old_pdf_is_not_left_half_replaced(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small.parent / "key.pdf").write_bytes(b"old")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compilation, "find_spec", lambda _name: None)
    assert run("solve", small, "-o", "key.pdf").status == 2
    assert (small.parent / "key.pdf").read_bytes() == b"old"


# People's text -------------------------------------------------------------------------------------


def is_latin(text: str) -> bool:
    return all(ord(letter) < 0x250 or letter in "“”–—…" for letter in text)


def with_text(text: str, *others: str) -> str:
    """A problem with the text in its title, prose and parts, and with as much of it in names as fits a formula."""
    latin = is_latin(text)
    return json.dumps(
        {
            "title": text,
            "text": f"{text}\n\n{text}",
            "scale": "none",
            "names": {"A": text[: 9 if latin else 2], "O": f"O{text[-6 if latin else -1 :]}"},
            "inputs": {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]},
            "parts": [
                {"asks": ["scores", "map", "outputs", "diagram", "pattern", "shapes", "entry", "row"]},
                *(
                    {"asks": "prose", "title": part, "text": part, "answer": part, "points": 2}
                    for part in (text, *others)
                ),
            ],
        }
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("template", ["article", "sheet", "exam", "fragment"])
def test_text_does_not_become_commands(text: str, template: str) -> None:
    outcome = run("solve", "-", "--template", template, stdin=with_text(text))
    assert outcome.status == 0, outcome.err
    source = without_comments(outcome.out)
    for command in (r"\input{/", r"\write18{", r"\openout", "{{ 7", "^^5c"):
        assert command not in source
    assert source.count(r"\end{document}") == (template != "fragment")


def without_comments(tex: str) -> str:
    return re.sub(r"(?<!\\)((?:\\\\)*)%.*", r"\1", tex)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_does_not_disturb_the_reading_back(text: str) -> None:
    from symattn.api.solutions import solve

    result = solve(Problem.from_text(with_text(text), "json"))
    findings = result.read_back(result.to_latex())
    ledger = result.document().ledger
    assert len(findings) == len(ledger.statements) + len(ledger.claims) > 20
    assert all(finding.proved for finding in findings)


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_text_compiles(engine: EngineName, tmp_path: Path) -> None:
    # The engine from pip has no exam class.
    for template in ("article", "sheet", *(["exam"] if engine == "system" else [])):
        text_compiles(template, engine, tmp_path)


def text_compiles(template: str, engine: EngineName, tmp_path: Path) -> None:
    texts = [text for text in HOSTILE if is_latin(text)]
    tex = run("solve", "-", "--template", template, stdin=with_text(*texts)).out
    compiled = compile_tex(tex, engine=engine)
    assert log_problems(compiled.log) == []
    if which("pdftotext"):
        shown = page_text(compiled.pdf, tmp_path)
        assert "root:" not in shown
        assert [text for text in texts if not set(words_of(text)) <= set(words_of(shown))] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_letters_that_the_fonts_lack_compile(engine: EngineName) -> None:
    for text in HOSTILE:
        if not is_latin(text):
            # They are shown by their numbers, which may be too long for their line.
            log = compile_tex(run("solve", "-", stdin=with_text(text)).out, engine=engine).log
            assert [problem for problem in log_problems(log) if "full \\hbox" not in problem] == []


@pytest.mark.sample(2)
@pytest.mark.tex
@pytest.mark.parametrize("text", [text for text in HOSTILE if is_latin(text)])
def test_text_in_names_and_titles_compiles(text: str) -> None:
    assert log_problems(compile_tex(run("solve", "-", stdin=with_text(text)).out).log) == []


def words_of(text: str) -> list[str]:
    return re.findall("[A-Za-z]{3,}", text)


def page_text(data: bytes, folder: Path) -> str:
    (folder / "page.pdf").write_bytes(data)
    subprocess_run(["pdftotext", "page.pdf", "page.txt"], cwd=folder, check=True)  # noqa: S607 - found on the PATH
    return (folder / "page.txt").read_text(encoding="utf-8")


# Large problems ------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_large_problem_makes_a_key_that_compiles(engine: EngineName) -> None:
    scale = "none" if engine == "system" else "1/sqrt(d_k)"
    rng = Random(64)
    square = [[rng.randint(-3, 3) for _ in range(64)] for _ in range(64)]
    inputs = {name: [rng.sample(row, 64) for row in square] for name in "QKV"}
    text = json.dumps({"scale": scale, "inputs": inputs, "rounding": {"places": 2}})
    outcome = run("solve", "-", stdin=text)
    assert outcome.status == 0
    assert r"\cdots" in outcome.out
    assert log_problems(compile_tex(outcome.out, engine=engine).log) == []


@pytest.mark.tex
def test_the_whole_way_to_a_pdf(small: Path) -> None:
    outcome = run("solve", small, "--pdf")
    assert outcome.status == 0
    assert "engine" not in outcome.err
    assert (small.parent / "small.pdf").read_bytes().startswith(b"%PDF-")
