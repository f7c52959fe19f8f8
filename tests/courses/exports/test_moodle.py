"""STACK questions: complete XML, and answer tests that Debian's Maxima evaluates.

The elements are those that `questiontype.php` of moodle-qtype_stack writes and reads (`export_to_xml`), and the header
of a question in Moodle's XML format.
"""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from shutil import which

import pytest

from symattn.problem.model import Problem
from tests.cli.runner import run
from tests.courses.exports.course import QUANTITIES, TEXT, values, write_problem, write_variants

ELEMENTS = {
    "question": "name questiontext generalfeedback defaultgrade penalty hidden idnumber stackversion questionvariables "
    "specificfeedback questionnote questiondescription questionsimplify assumepositive assumereal prtcorrect "
    "prtpartiallycorrect prtincorrect decimals scientificnotation multiplicationsign sqrtsign complexno inversetrig "
    "logicsymbol matrixparens isbroken variantsselectionseed input prt qtest",
    "input": "name type tans boxsize strictsyntax insertstars syntaxhint syntaxattribute forbidwords allowwords "
    "forbidfloat requirelowestterms checkanswertype mustverify showvalidation options",
    "prt": "name value autosimplify feedbackstyle feedbackvariables node",
    "node": "name description answertest sans tans testoptions quiet truescoremode truescore truepenalty truenextnode "
    "trueanswernote truefeedback falsescoremode falsescore falsepenalty falsenextnode falseanswernote falsefeedback",
    "qtest": "testcase description testinput expected",
    "expected": "name expectedscore expectedpenalty expectedanswernote",
}
"""Every element that STACK exports; a question without one of them would take a default that may change."""

needs_maxima = pytest.mark.skipif(which("maxima") is None, reason="needs maxima")


def questions(path: Path) -> list[ET.Element]:
    return [item for item in ET.parse(path).getroot() if item.get("type") == "stack"]  # noqa: S314 - our own file


def text(element: ET.Element, path: str) -> str:
    found = element.findtext(path)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> ET.Element:
    path = tmp_path_factory.mktemp("moodle")
    assert run("export", "moodle", write_problem(path), "-o", path / "q.xml").status == 0
    (found,) = questions(path / "q.xml")
    return found


def test_every_element_is_there(question: ET.Element) -> None:
    for name, wanted in ELEMENTS.items():
        elements = [question] if name == "question" else question.findall(f".//{name}")
        assert elements
        for element in elements:
            assert list(dict.fromkeys(child.tag for child in element)) == wanted.split()
    assert (text(question, "name/text"), text(question, "defaultgrade")) == ("Attention of two tokens", "10.0000000")


def test_inputs_and_trees_belong_together(question: ET.Element) -> None:
    inputs, trees = [item.findtext("name") for item in question.findall("input")], question.findall("prt")
    page, feedback = text(question, "questiontext/text"), text(question, "specificfeedback/text")
    for name in inputs:
        assert page.count(f"[[input:{name}]]") == page.count(f"[[validation:{name}]]") == 1
    for tree, name in zip(trees, inputs, strict=True):
        assert feedback.count(f"[[feedback:{tree.findtext('name')}]]") == 1
        assert str(name) in text(tree, "feedbackvariables/text")
    assert sum(Fraction(text(tree, "value")) for tree in trees) == 10


def test_comparisons_are_wrapped(question: ET.Element) -> None:
    for tree in question.findall("prt"):
        bare = re.sub(r"is\(abs\([^<]*\) < [0-9/^]+\)", "", text(tree, "feedbackvariables/text"))
        assert not set("<>") & set(bare)


def graded(question: ET.Element, answers: Sequence[Mapping[str, Sequence[Sequence[str]]]]) -> list[list[Fraction]]:
    """Return the scores of all trees for each answer, as Maxima computes them with STACK's settings of a tree."""
    lines = ["simp: true$", text(question, "questionvariables/text").replace(";", "$"), "symattnout: []$"]
    for answer in answers:
        for number, given in enumerate(answer.values(), 1):
            rows = ",".join(f"[{','.join(row)}]" for row in given)
            lines.append(f"ans{number}: matrix({rows})$")
        for tree in question.findall("prt"):
            lines.append(text(tree, "feedbackvariables/text").replace(";", "$"))
            node = tree.find("node")
            assert node is not None
            first, second = text(node, "sans"), text(node, "tans")
            score = (
                f"if is(ratsimp({first} - {second}) = 0) then {text(node, 'truescore')} else {text(node, 'falsescore')}"
            )
            lines.append(f"symattnout: endcons({score}, symattnout)$")
    lines.append('for item in symattnout do print("score", string(item))$')
    done = subprocess.run(
        ["maxima", "--very-quiet", "--batch-string=" + "\n".join(lines)],  # noqa: S607 - found on the PATH
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    numbers, size = [*map(Fraction, re.findall(r"(?m)^score (\S+)\s*$", done.stdout))], len(question.findall("prt"))
    return [numbers[i : i + size] for i in range(0, len(numbers), size)]


@needs_maxima
def test_answers_in_maxima(question: ET.Element) -> None:
    problem = Problem.from_text(TEXT.format(rows="[[1, -1], [0, 1]]"))
    every, end, matrices = (values(problem, steps) for steps in ("all", "end", "matrices"))
    wrong = {name: [[str(float(item) + 0.05) for item in row] for row in rows] for name, rows in end.items()}
    half = {name: [rows[0], *(["1000"] * len(row) for row in rows[1:])] for name, rows in end.items()}
    letters = {name: [["x"] * len(row) for row in rows] for name, rows in end.items()}
    fractions = {**end, "V": [["1/2", "-1"], ["0", "1"]]}
    found = graded(question, [every, end, matrices, wrong, half, letters, fractions])
    full, none = [Fraction(1)] * len(QUANTITIES), [Fraction(0)] * len(QUANTITIES)
    assert found == [full, full, full, none, [Fraction(1, 2)] * len(QUANTITIES), none, full]


@needs_maxima
def test_its_own_tests_hold_in_maxima(question: ET.Element) -> None:
    answers = []
    for case in question.findall("qtest"):
        given = [text(item, "value") for item in case.findall("testinput")]
        # A matrix in the answers that `graded` takes is rows of texts: here one entry stands for each, by its index.
        answers.append({value: _entries(value, 2) for value in given})
    expected = [
        [Fraction(text(item, "expectedscore")) for item in case.findall("expected")]
        for case in question.findall("qtest")
    ]
    assert graded(question, answers) == expected
    assert [sum(row) for row in expected] == [len(QUANTITIES), 0]


def _entries(matrix: str, size: int) -> Sequence[Sequence[str]]:
    return [[f"({matrix})[{i},{j}]" for j in range(1, size + 1)] for i in range(1, size + 1)]


@needs_maxima
@pytest.mark.parametrize(
    ("written", "is_right"),
    [
        ("0.62", True),
        ("31/50", True),
        ("0.6225", True),
        ("0.622459331", True),
        ("0.6224", False),
        ("0.63", False),
        ("0.621", False),
        ("%pi/5", False),
    ],
)
def test_numbers_in_maxima(tmp_path: Path, written: str, *, is_right: bool) -> None:
    source = 'scale = "none"\n[inputs]\nQ = [[1]]\nK = [["1/2"], [0]]\nV = [[1], [0]]\n'
    parts = '[rounding]\nplaces = 2\nsteps = "all"\n[[parts]]\nasks = "map"\npoints = 2\n'
    (tmp_path / "p.toml").write_text(source + parts, encoding="utf-8")
    assert run("export", "moodle", tmp_path / "p.toml", "-o", tmp_path / "q.xml").status == 0
    (found,) = questions(tmp_path / "q.xml")
    assert graded(found, [{"A": [[written, "0.38"]]}]) == [[Fraction(1 if is_right else "1/2")]]


def test_variants_stand_in_a_category(tmp_path: Path) -> None:
    table = write_variants(tmp_path, ["", ""])
    assert run("export", "moodle", write_problem(tmp_path), "--variants", table, "-o", tmp_path / "q.xml").status == 0
    root = ET.parse(tmp_path / "q.xml").getroot()  # noqa: S314 - our own file
    assert [item.get("type") for item in root] == ["category", "stack", "stack"]
    assert root.findtext("question/category/text") == "$course$/top/Attention of two tokens"
    names = [item.findtext("name/text") for item in questions(tmp_path / "q.xml")]
    assert names == ["Attention of two tokens, variant 0001", "Attention of two tokens, variant 0002"]


def test_texts_of_the_author_are_no_code(tmp_path: Path) -> None:
    hostile = '<b>]]> & {@1+1@} [[jsxgraph]] {#x#} "quoted"'
    problem = TEXT.format(rows="[[1, -1], [0, 1]]").replace("Two tokens, one head.", hostile.replace('"', '\\"'))
    (tmp_path / "p.toml").write_text(problem, encoding="utf-8")
    assert run("export", "moodle", tmp_path / "p.toml", "-o", tmp_path / "q.xml").status == 0
    (found,) = questions(tmp_path / "q.xml")
    page = text(found, "questiontext/text")
    assert "&lt;b&gt;" in page
    assert not {"{@", "{#"} & {page[i : i + 2] for i in range(len(page))}
    assert re.findall(r"\[\[(\w+)", page) == [word for _ in QUANTITIES for word in ("input", "validation")]


def test_more_places_than_floats_have_are_refused(tmp_path: Path) -> None:
    problem = TEXT.format(rows="[[1, -1], [0, 1]]").replace("places = 2", "places = 12")
    (tmp_path / "p.toml").write_text(problem, encoding="utf-8")
    done = run("export", "moodle", tmp_path / "p.toml", "-o", tmp_path / "q.xml")
    assert done.status == 2
    assert "STACK reads decimals as floats" in done.err
