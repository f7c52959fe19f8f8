from __future__ import annotations

import pytest

from symattn.errors import NotationError
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from tests.notation.build import (
    beside,
    call,
    dot,
    equal,
    group,
    matrix,
    minus,
    n,
    neg,
    over,
    plus,
    power,
    row,
    sub,
    top,
    tuple_of,
    v,
)

SCALED = over(beside("Q", top("K")), t.Root(sub("d", "k")))
R32 = t.Space((n(3), n(2)))

NUMBERS = [
    ("0.60", n("0.60")),
    (".5", n(".5")),
    ("3.", n(3)),
    ("x = 3.", equal("x", 3)),
    ("0{,}5", n("0.5")),
    (r"1\,000", n("1000")),
    (r"12\,345.5", n("12345.5")),
    ("1{,}000{,}000", n("1000000")),
    ("1.2e-3", n("1.2e-3")),
    ("1.2E+03", n("1.2e3")),
    (r"6.90\times10^{-13}", n("6.90e-13")),
    (r"2 \times 10^3", n("2e3")),
    (r"2 \cdot 10^3", dot(2, power(10, 3))),
    (r"3 \times 10", t.Product((n(3), n(10)), ("times",))),
    (r"37\%", n("37e-2")),
    (r"-\tfrac52", neg(over(5, 2))),
    ("−3", neg(3)),  # the character U+2212
    ("+3", n(3)),
]

OPERATORS = [
    ("a+b-c", t.Sum((v("a"), v("b"), v("c")), ("+", "-"))),
    ("-a+b", plus(neg("a"), "b")),
    (r"-a \cdot b", neg(dot("a", "b"))),
    (r"2 \cdot -1", dot(2, neg(1))),
    (r"2 \cdot -1/2", dot(2, neg(over(1, 2)))),
    ("2*3", dot(2, 3)),
    (r"2 \ast 3", dot(2, 3)),
    ("2·3", dot(2, 3)),
    ("2×3", t.Product((n(2), n(3)), ("times",))),
    (r"1{\cdot}2{+}3", plus(dot(1, 2), 3)),
    ("a/b/c", over(over("a", "b"), "c")),
    (r"a \div b", over("a", "b")),
    ("(a+b)/2", over(plus("a", "b"), 2)),
    ("((a+b))/2", over(group(plus("a", "b")), 2)),
    (r"2 \cdot 3/4", dot(2, over(3, 4))),
    ("(-2)(0)", beside(group(neg(2)), group(0))),
    ("3(2)", beside(3, group(2))),
    ("QK^T", beside("Q", top("K"))),
    ("{ab}c", beside("a", "b", "c")),
    ("2[3+4]", beside(2, group(plus(3, 4), "["))),
    (r"V.\hat{a}", dot("V", "a")),
    (r"a - (-b)", minus("a", group(neg("b")))),
]

SCRIPTS = [
    ("Q_{31}", sub("Q", 31)),
    ("Q_{3,1}", sub("Q", 3, 1)),
    ("Q_3", sub("Q", 3)),
    (r"A_{3,:}", sub("A", 3, ":")),
    ("A_{ij}", sub("A", beside("i", "j"))),
    (r"d_\text{model}", sub("d", "model")),
    (r"{W_Q}_{12}", sub(sub("W", "Q"), 12)),
    (r"\mathbf{W}_Q^\top", top(sub("W", "Q"))),
    (r"\mathbf{W}^\top_Q", top(sub("W", "Q"))),
    ("K^T", top("K")),
    ("K^{T}", top("K")),
    (r"K^{\top}", top("K")),
    (r"K^\intercal", top("K")),
    (r"K^{\mathrm{T}}", top("K")),
    ("K'", top("K")),
    (r"K^\prime", top("K")),
    ("z^t", power("z", "t")),
    ("W_1^Q", power(sub("W", 1), "Q")),
    ("W^{(h)}", power("W", group("h"))),
    ("k_j^*", power(sub("k", "j"), "star")),
    ("k_j^{*}", power(sub("k", "j"), "star")),
    ("x^10", beside(power("x", 1), 0)),
    ("x^ab", beside(power("x", "a"), "b")),
    (r"x^\frac12", power("x", over(1, 2))),
    ("e^{3/2}", power("e", over(3, 2))),
    ("e^{-2}", power("e", neg(2))),
    ("2^{10}", power(2, 10)),
    (r"\mathbf{QK}^T", beside("Q", top("K"))),
    (r"\mathbf{W_Q}", sub("W", "Q")),
    (r"(QK^\top)_{12}", sub(group(beside("Q", top("K"))), 12)),
    ("QK_{11}", beside("Q", sub("K", 11))),
    (r"\hat{\mathbf{x}}_1", sub("x", 1)),
]

COMMANDS = [
    (r"\frac12", over(1, 2)),
    (r"\frac1{23}", over(1, 23)),
    (r"\dfrac{a}{b}", over("a", "b")),
    (r"\frac\alpha2", over("alpha", 2)),
    (r"\sqrt2", t.Root(n(2))),
    (r"\sqrt[3]{x}", t.Root(v("x"), n(3))),
    (r"\exp(x)", call("exp", "x")),
    (r"\exp\left(-\frac{x}{2}\right)", call("exp", neg(over("x", 2)))),
    ("exp(x)", call("exp", "x")),
    (r"\exp x", call("exp", "x")),
    (r"\max\{a, b\}", call("max", "a", "b")),
    ("softmax(S)", call("softmax", "S")),
    ("Softmax(S)", call("Softmax", "S")),
    (r"\text{softmax}(S)", call("softmax", "S")),
    (r"\mathrm{softmax}\bigl(S\bigr)V", beside(call("softmax", "S"), "V")),
    (r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", beside(call("softmax", SCALED), "V")),
    (r"softargmax_\beta(S)", beside(sub("softargmax", "beta"), group("S"))),
    ("sqrt(2)", t.Root(n(2))),
    (r"\mathbb{E}[x]", call("E", "x")),
    ("f(x)", beside("f", group("x"))),
    (r"\text{attention map}", v("attention map")),
    (r"\text{ 100\% \textbackslash{}in }", v("100% \\in")),
    (r"\boxed{1.17}", t.Boxed(n("1.17"))),
    (r"O = \boxed{(1,2)}", equal("O", t.Boxed(tuple_of(1, 2)))),
    (r"\boxed{O = 3}", t.Boxed(equal("O", 3))),
    (r"\sum_{j=1}^{3} a_j b", t.SumOver(v("j"), n(1), n(3), beside(sub("a", "j"), "b"))),
    (r"\sum_{j=1}^3 a - b", minus(t.SumOver(v("j"), n(1), n(3), v("a")), "b")),
    (r"\sum\limits^n_{j=1} a", t.SumOver(v("j"), n(1), v("n"), v("a"))),
    (r"\sum_{t=1}^T a", t.SumOver(v("t"), n(1), v("T"), v("a"))),
    (r"\sum_j^n a", t.SumOver(v("j"), n(1), v("n"), v("a"))),
    (r"X \in \mathbb{R}^{3\times 2}", t.Relation((v("X"), R32), ("∈",))),
    (r"x \in \mathbb{R}^n", t.Relation((v("x"), t.Space((v("n"),))), ("∈",))),
    (r"\mathbb{R}^T", t.Space((v("T"),))),
    (r"-\infty", neg("infty")),
    (r"\ldots", t.Dots()),
    ("...", t.Dots()),
    (r"\text{a \quad\textbf{b}~$c$}", v("a b c")),
    (r"\operatorname{softmax}[[1,2],[3,4]]", call("softmax", matrix((1, 2), (3, 4)))),
    (r"\mathbb{E}\left[\mathbf{q}^\top\mathbf{k}\right]", call("E", beside(top("q"), "k"))),
]

MATRICES = [
    (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", matrix((1, 2), (3, 4))),
    (r"\begin{bmatrix}1&2\\3&4\\\end{bmatrix}", matrix((1, 2), (3, 4))),
    (r"\begin{pmatrix}1\\[4pt]2\end{pmatrix}", matrix((1,), (2,))),
    (r"\begin{bmatrix*}[r]1&2\end{bmatrix*}", matrix((1, 2))),
    (r"\begin{bmatrix}1&amp;2\end{bmatrix}", matrix((1, 2))),
    (r"\begin{bmatrix}1, 2\\3, 4\end{bmatrix}", matrix((1, 2), (3, 4))),
    ("\\begin{bmatrix}1&2\\\n3&4\\end{bmatrix}", matrix((1, 2), (3, 4))),
    (r"\begin{bmatrix}1&2\\\\3&4\end{bmatrix}", matrix((1, 2), (3, 4))),
    (r"\left[\begin{array}{cc|c}1&2&3\\\hline 4&5&6\end{array}\right]", matrix((1, 2, 3), (4, 5, 6))),
    (r"\bigl(\begin{smallmatrix}1&2\end{smallmatrix}\bigr)", matrix((1, 2))),
    (r"\begin{bmatrix}1\cdot2+3&-x\end{bmatrix}", matrix((plus(dot(1, 2), 3), neg("x")))),
    (r"\begin{bmatrix}1&\cdots\\\vdots&\ddots\end{bmatrix}", matrix((1, t.Dots()), (t.Dots(), t.Dots()))),
    ("(1.17, 0.21)", tuple_of("1.17", "0.21")),
    (r"[1,\ -2]", row(1, neg(2))),
    ("[0.21]", row("0.21")),
    ("[[1,2],[3,4]]", matrix((1, 2), (3, 4))),
    (r"\{x\}", group("x", "{")),
]

LAYOUT = [
    (r"Q_{31} &= 1 \\ &= 2", equal(sub("Q", 31), 1, 2)),
    (r"\begin{aligned} a &= b \\ &\quad + c \end{aligned}", equal("a", plus("b", "c"))),
    (r"\begin{align*} a &= b \label{x} \tag{1} \nonumber \\ \end{align*}", equal("a", "b")),
    (r"\begin{alignat}{2} a &= b &&= c \end{alignat}", equal("a", "b", "c")),
    ("= 3", equal(None, 3)),
    ("a =", equal("a", None)),
    ("a = b % a remark\n + c", equal("a", plus("b", "c"))),
    (r"\displaystyle a {}= b,", equal("a", "b")),
    ("$a = b$;", equal("a", "b")),
    (r"\[ a = b. \]", equal("a", "b")),
    (r"a \approx b \le c", t.Relation((v("a"), v("b"), v("c")), ("≈", "≤"))),
    (r"a \to b \implies c \neq d", t.Relation((v("a"), v("b"), v("c"), v("d")), ("→", "⇒", "≠"))),
    (r"a &lt; b", t.Relation((v("a"), v("b")), ("<",))),
]


@pytest.mark.parametrize(("text", "expected"), [*NUMBERS, *OPERATORS, *SCRIPTS, *COMMANDS, *MATRICES, *LAYOUT], ids=str)
def test_reads(text: str, expected: t.Node) -> None:
    assert read_latex(text) == expected


def test_fonts_are_kept_but_not_compared() -> None:
    node = read_latex(r"\mathbf{Q}\boldsymbol{\beta}\mathrm{d}\mathcal{L}")
    assert isinstance(node, t.Product)
    fonts = [factor.font for factor in node.factors if isinstance(factor, t.Name)]
    assert fonts == ["bold", "bold", "roman", "calligraphic"]


def test_a_fraction_knows_whether_it_has_a_bar() -> None:
    bar, slash = read_latex(r"\frac{1}{2}"), read_latex("1/2")
    assert isinstance(bar, t.Division)
    assert isinstance(slash, t.Division)
    assert (bar.bar, slash.bar, bar == slash) == (True, False, True)


def test_functions_can_be_added() -> None:
    assert read_latex("H(p)", t.FUNCTIONS | {"H"}) == call("H", "p")
    assert read_latex("E[x]", t.FUNCTIONS | {"E"}) == call("E", "x")


AMBIGUOUS = [
    (r"1\frac12", "mixed number"),
    ("2 1/2", "mixed number"),
    ("1,000", "ambiguous: the integer 1000"),
    ("(1,000, 2)", "ambiguous: the integer 1000"),
    ("1{,}000", "1.000 with a decimal comma"),
    ("1/2x", "(a/b) c or a/(b c)"),
    (r"1/2 \times 10^{3}", "power of ten belongs to the divisor or not"),
    ("2^10", "2^10 means all of 10 to people"),
    ("Q_11", "Q_11 means all of 11 to people"),
    (r"x^1.5", "TeX takes only the 1 of 1.5"),
    (r"\sqrt.5", "TeX takes only the . of .5"),
    (r"\exp 2 x", "argument of exp may end here"),
    ("x^2^3", "a second exponent"),
    (r"\frac{1}{2}^2", "write brackets"),
]

WRONG = [
    (r"1.41\;\;0.71", "two numbers stand side by side", 8),
    ("a = 1 \\\\ b = 2", "A new statement begins after", 6),
    (r"a = 1 \quad b = 2", "A new statement begins after", 6),
    ("a = 1\n\nb = 2", "A new statement begins after", 5),
    ("a = 1, b = 2", "A second statement begins at this comma", 5),
    (r"\begin{bmatrix}1&2\\3\end{bmatrix}", "Row 2 of this matrix has 1 entry and row 1 has 2", 20),
    (r"\begin{bmatrix}1&&2\end{bmatrix}", "An entry of this matrix is empty", 17),
    (r"\begin{bmatrix}1&2", "is not closed", 0),
    (r"\begin{bmatrix}\end{bmatrix}", "no entries", 0),
    (r"1\end{bmatrix}", "has no \\begin{bmatrix}", 1),
    ("(1 + 2]", "where ) was expected to close the ( before it", 6),
    ("(1 + 2", "Found the end of the formula where ) was expected", 6),
    ("1 +", "Found the end of the formula where a number", 3),
    ("e^{} + 2", "Found a closing brace } where a number", 3),
    ("28{,}", "A comma in braces stands between two digits only", 2),
    ("a + * b", "Found a multiplication sign where a number", 4),
    ("", "nothing on either side", 0),
    ("=", "nothing on either side", 0),
    (r"\foo{x}", "The command \\foo is not known", 0),
    (r"|x|", "a vertical bar", 0),
    ("3_1", "An index cannot stand here", 0),
    ("a_1_2", "A second index follows", 3),
    ("{a+b}c", "Braces are not seen", 0),
    (r"\sum_{j=1} a_j", "both bounds or none", 6),
    (r"\text{a", "not closed", 5),
    (r"\frac{1}", "Found the end of the formula", 8),
    (r"\boxed 3", "where a brace was expected", 7),
    (r"\begin{bmatrix}1]\end{bmatrix}", "where an alignment mark or a row end", 16),
    (r"\?", "is not a known command", 0),
    (r"\begin x", "name of an environment is missing", 0),
    (r"\begin{tikzpicture}", "environment tikzpicture is not known", 7),
    (r"\sum_{j=1}_{k=1}^2 a", "two bounds on one side", 10),
    (r"\sum_{2=1}^2 a", "index of a sum must be a name", 6),
    (r"\text x", "needs its argument in braces", 5),
    ("a ) b", "where an operator or the end of the formula", 2),
    ("5!", "The character '!'", 1),
    (r"\mathbb{R}^{a\times b\times c}", "one dimension or two", 12),
    (r"\text{a \input{b}}", "The command \\input is not known among words", 8),
]


@pytest.mark.parametrize(("text", "part"), AMBIGUOUS, ids=str)
def test_ambiguous_forms_are_reported(text: str, part: str) -> None:
    with pytest.raises(NotationError, match=r"(?i)ambiguous") as caught:
        read_latex(text)
    assert part in str(caught.value)


@pytest.mark.parametrize(("text", "part", "start"), WRONG, ids=str)
def test_what_cannot_be_read_is_said_with_its_place(text: str, part: str, start: int) -> None:
    with pytest.raises(NotationError) as caught:
        read_latex(text)
    assert part in str(caught.value)
    assert caught.value.start == start
