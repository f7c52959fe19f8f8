"""MathML of written mathematics: what a browser is given, and that it says no more and no less than the tree."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.errors import NotationError
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t
from symattn.notation.writers.mathml import NAMESPACE, show_mathml, write_mathml
from tests.effort import effort
from tests.notation import mathml_reader
from tests.notation.mathml_reader import read_mathml
from tests.notation.trees import names, well_formed_trees

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def inside(written: str) -> str:
    """What stands in the math element."""
    return written[written.index(">") + 1 : -len("</math>")]


def shown(written: str) -> str:
    """What a reader sees, without the layout: the characters that are not invisible."""
    text = "".join(ET.fromstring(written).itertext())  # noqa: S314 - our own
    return text.replace("\u2062", "").replace("\u2061", "")


# There and back ------------------------------------------------------------------------------------


@given(well_formed_trees())
@settings(max_examples=80, deadline=None, suppress_health_check=SLOW)
def test_it_is_read_back(node: t.Node) -> None:
    assert read_mathml(write_mathml(node)) == node
    assert read_mathml(write_mathml(node, display=True)) == node


@pytest.mark.long
@given(well_formed_trees(60))
@settings(max_examples=3_000, deadline=None, derandomize=False, suppress_health_check=SLOW)
def test_many_trees_are_read_back(node: t.Node) -> None:
    assert read_mathml(write_mathml(node)) == node


@given(names())
def test_fonts_are_read_back(node: t.Name) -> None:
    again = read_mathml(write_mathml(node))
    assert again == node
    if node.text.isascii() and len(node.text) == 1 and node.text.isupper():
        assert isinstance(again, t.Name)
        assert again.font == node.font


@pytest.mark.parametrize("font", ["blackboard", "calligraphic", "bold"])
def test_letters_with_characters_of_their_own(font: str) -> None:
    written = {letter: write_mathml(t.Name(letter, font)) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    assert len(set(written.values())) == 26
    for letter, source in written.items():
        again = read_mathml(source)
        assert isinstance(again, t.Name)
        assert (again.text, again.font) == (letter, font)


def test_the_characters_of_letters_are_those_of_unicode() -> None:
    assert inside(write_mathml(t.Name("E", "blackboard"))) == "<mi>𝔼</mi>"
    assert inside(write_mathml(t.Name("R", "blackboard"))) == "<mi>ℝ</mi>"
    assert inside(write_mathml(t.Name("L", "calligraphic"))) == "<mi>ℒ</mi>"
    assert inside(write_mathml(t.Name("X", "bold"))) == "<mi>𝐗</mi>"


@given(well_formed_trees())
@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
def test_it_is_xml_in_its_namespace(node: t.Node) -> None:
    root = ET.fromstring(write_mathml(node))  # noqa: S314 - our own
    assert {element.tag.partition("}")[0] for element in root.iter()} == {f"{{{NAMESPACE}"}


# What it looks like --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("0.60", "<mn>0.60</mn>"),
        (r"6.90 \times 10^{-13}", ("<mrow><mn>6.90</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>13</mn></mrow>"
                                  "</msup></mrow>")),
        (r"-\beta", "<mrow><mo>−</mo><mi>β</mi></mrow>"),
        ("a + b - c", "<mrow><mi>a</mi><mo>+</mo><mi>b</mi><mo>−</mo><mi>c</mi></mrow>"),
        (r"2 \cdot -1", "<mrow><mn>2</mn><mo>⋅</mo><mrow><mo>−</mo><mn>1</mn></mrow></mrow>"),
        ("2x", "<mrow><mn>2</mn><mo>&#x2062;</mo><mi>x</mi></mrow>"),
        (r"\frac{1}{2}", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        ("1/2", "<mrow><mn>1</mn><mo>/</mo><mn>2</mn></mrow>"),
        ("Q_{31}", "<msub><mi>Q</mi><mn>31</mn></msub>"),
        ("Q_{3,1}", "<msub><mi>Q</mi><mrow><mn>3</mn><mo>,</mo><mn>1</mn></mrow></msub>"),
        ("W_Q^T", "<msubsup><mi>W</mi><mi>Q</mi><mo>⊤</mo></msubsup>"),
        ("q_i^2", "<msubsup><mi>q</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\exp(x)", ('<mrow><mi>exp</mi><mo>&#x2061;</mo><mrow><mo stretchy="false">(</mo><mrow><mi>x</mi></mrow>'
                     '<mo stretchy="false">)</mo></mrow></mrow>')),
        (r"\begin{pmatrix} 1 & 2 \end{pmatrix}", ("<mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn>"
                                                 "</mtd></mtr></mtable><mo>)</mo></mrow>")),
        (r"\sum_{i=1}^{n} x_i", ("<mrow><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
                                "</munderover><msub><mi>x</mi><mi>i</mi></msub></mrow>")),
        (r"\mathbb{R}^{3 \times 2}", "<msup><mi>ℝ</mi><mrow><mn>3</mn><mo>×</mo><mn>2</mn></mrow></msup>"),
        ("= 4 <", "<mrow><mo>=</mo><mn>4</mn><mo>&lt;</mo></mrow>"),
        (r"\text{a < \&}", "<mtext>a &lt; &amp;</mtext>"),
    ],
)  # fmt: skip
def test_each_kind_of_node(source: str, expected: str) -> None:
    assert inside(write_mathml(read_latex(source))) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"(a + b) \cdot c", "(a+b)⋅c"),
        (r"(1 \cdot 2) + (-1 \cdot 1)", "(1⋅2)+(−1⋅1)"),
        ("(a + b)/c", "(a+b)/c"),
        ("((a + b))/c", "((a+b))/c"),
        ("a/(b/c)", "a/(b/c)"),
        ("a/b/c", "a/b/c"),
        (r"(-2) \times 1", "(−2)×1"),
        (r"\exp((a))", "exp((a))"),
        (r"[x] \cdot 2", "[x]⋅2"),
        ("1.50 + .5 + 007", "1.50+.5+007"),
    ],
)
def test_brackets_and_digits_are_those_that_were_written(source: str, expected: str) -> None:
    assert shown(write_mathml(read_latex(source))) == expected


def test_a_slash_beside_a_factor_becomes_a_bar() -> None:
    quotient = t.Division(t.Name("a"), t.Name("b"), bar=False)
    node = t.Product((t.Negative(quotient), t.Name("x")), ("",))
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in show_mathml(node)
    assert "<mo>/</mo>" in show_mathml(t.Product((quotient, t.Name("x")), ("cdot",)))


def test_display_is_said() -> None:
    assert ' display="block">' in write_mathml(t.Name("x"), display=True)
    assert ' display="inline">' in write_mathml(t.Name("x"))


@pytest.mark.parametrize("node", [t.Number("-1"), t.Product((t.Number("1"), t.Number("2")), ("",)), t.Name("a\ufffe")])
def test_ill_formed_trees_are_refused(node: t.Node) -> None:
    with pytest.raises(ValueError, match="ill-formed tree"):
        write_mathml(node)


# Marks ---------------------------------------------------------------------------------------------


def marked(source: str, start: int, end: int) -> list[str]:
    """What stands in the marked elements."""
    written = show_mathml(read_latex(source), [(start, end, "color:red")])
    root = ET.fromstring(written)  # noqa: S314 - our own
    return ["".join(item.itertext()) for item in root.iter() if item.get("style") == "color:red"]


@pytest.mark.parametrize(
    ("source", "part", "expected"),
    [
        ("1 + 23 + 4", "23", ["23"]),
        ("1 + 23 + 4", "23 + 4", ["23", "+", "4"]),
        ("1 + 23 + 4", "3", ["23"]),
        (r"(-2 \cdot 2) + 1", r"-2 \cdot 2", ["−2⋅2"]),
        (r"a_{12} = \frac{1}{2}", r"\frac{1}{2}", ["12"]),
        ("x_1^2", "x_1", ["x1"]),
    ],
)
def test_the_largest_nodes_inside_a_mark_are_styled(source: str, part: str, expected: list[str]) -> None:
    start = source.index(part)
    assert marked(source, start, start + len(part)) == expected


def test_signs_of_a_chain_are_marked_by_their_places() -> None:
    node = read_latex("a = 1")
    assert isinstance(node, t.Relation)
    written = show_mathml(node, [(2, 5, "color:red")], signs=[(2, 3)])
    assert '<mo style="color:red">=</mo><mn style="color:red">1</mn>' in written


@given(well_formed_trees(), st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
def test_marks_change_nothing_else(node: t.Node, start: int, length: int) -> None:
    spanned = read_mathml(write_mathml(node))
    assert read_mathml(show_mathml(spanned, [(start, start + length, "color:red")])) == node


# Hostile input -------------------------------------------------------------------------------------

LAUGHS = (
    '<!DOCTYPE math [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<math><mtext>&b;</mtext></math>"
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS, "entities"),
        ('<!DOCTYPE math SYSTEM "file:///etc/passwd"><math><mi>x</mi></math>', "Document types"),
        ("<?php x ?><math><mi>x</mi></math>", "instructions"),
        ("<math><mi>&xxe;</mi></math>", "undefined entity"),
        ("<math>" + "<mrow>" * 100_000, "deeply nested"),
        ("<math><mrow>" + "<mi/>" * 600_000, "larger"),
        ("x" * (mathml_reader.MAX_MATHML + 1), "more than"),
        ("<math><mn>1e999999999</mn></math>", "exponent"),
        (f"<math><mn>{'9' * 2000}</mn></math>", "numeral"),
        ("<math><mn>-1</mn></math>", "not an unsigned numeral"),
        ("<math><mi>x</mi><mi>y</mi></math>", "math element"),
        ("<math></math>", "math element"),
        ("<mrow><mi>x</mi></mrow>", "mrow element"),
        ("<math><script>x</script></math>", "script"),
        ('<math><mi onclick="x">x</mi></math>', "attributes"),
        ('<math xmlns="urn:other"><mi>x</mi></math>', "namespace"),
        ("<math>x</math>", "between the elements"),
        ("<math><mi>x<mn>1</mn></mi></math>", "mi element"),
        ("<math><mi>√√</mi></math>", "mi element"),
        ("<math><mrow><mi>x</mi></mrow></math>", "mrow element"),
        ("<math><mrow><mi>x</mi><mo>+</mo></mrow></math>", "mrow element"),
        ("<math><mrow><mo>(</mo><mi>x</mi><mo>]</mo></mrow></math>", "mo element"),
        ("<math><mrow><mo>=</mo><mo>=</mo></mrow></math>", "mo element"),
        ("<math><mfrac><mi>x</mi></mfrac></math>", "mfrac element"),
        ("<math><mi>x</math>", "mismatched tag"),
        ("", "no element found"),
        ("\x00", "not XML"),
        ("\ud800", "Unpaired surrogate"),
    ],
)
def test_what_is_not_ours_is_refused_at_once(text: str, message: str) -> None:
    with effort(10_000_000), pytest.raises(NotationError, match=message):
        read_mathml(text)


def test_the_place_is_counted_in_characters() -> None:
    text = "<math><mrow><mtext>ééé</mtext><mo>+</mo><ms>x</ms></mrow></math>"
    with pytest.raises(NotationError) as caught:
        read_mathml(text)
    assert caught.value.start == text.index("<ms>")


@pytest.mark.parametrize("kind", ["matrix", "call", "power", "slash"])
def test_the_deepest_trees_are_read_back(kind: str) -> None:
    node: t.Node = t.Number("1")
    for _ in range(limits.MAX_DEPTH // 2 - 1):
        match kind:
            case "matrix":
                node = t.Matrix(((t.Boxed(node),),))
            case "call":
                node = t.Call(t.Name("exp"), (t.Negative(node),))
            case "power":
                node = t.Power(t.Name("x"), t.Root(node))
            case _:
                node = t.Division(t.Name("x"), t.Negative(node), bar=False)
    assert read_mathml(write_mathml(node)) == node


@given(st.text("<>/&;mathrowinufcspd \"'=+−(⋅)⁢x1", max_size=200))
def test_garbled_text_never_breaks_it(text: str) -> None:
    for source in (text, f"<math>{text}</math>"):
        try:
            read_mathml(source)
        except NotationError:
            continue


@given(well_formed_trees(), st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
def test_a_garbled_formula_is_read_or_refused(node: t.Node, data: st.DataObject) -> None:
    written = write_mathml(node)
    first, last = sorted((data.draw(st.integers(0, len(written))), data.draw(st.integers(0, len(written)))))
    try:
        again = read_mathml(written[:first] + written[last:])
    except NotationError:
        return
    assert read_mathml(write_mathml(again)) == again
