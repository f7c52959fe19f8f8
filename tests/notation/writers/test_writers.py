from __future__ import annotations

import pytest

from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
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

SLASH = t.Division(n(3), n(2), bar=False)

CASES = [
    (n("0.60"), "0.60", "0.60"),
    (n("6.90e-13"), r"6.90 \times 10^{-13}", "6.90e-13"),
    (sub("Q", 31), "Q_{31}", "Q_31"),
    (sub("Q", 3, 1), "Q_{3,1}", "Q_{3,1}"),
    (sub("W", "Q"), "W_{Q}", "W_Q"),
    (t.Subscript(t.Name("W", "bold"), (v("Q"),)), r"\mathbf{W}_{Q}", "W_Q"),
    (sub("x", plus("i", 1)), "x_{i + 1}", "x_{i + 1}"),
    (sub("A", 3, ":"), "A_{3,:}", "A_{3,:}"),
    (beside(t.Name("Q", "bold"), top(t.Name("K", "bold"))), r"\mathbf{Q}\mathbf{K}^{\top}", "Q K^T"),
    (beside("Q", top("K")), r"Q K^{\top}", "Q K^T"),
    (power("e", SLASH), "e^{3/2}", "e^(3/2)"),
    (power("e", over(3, 2)), r"e^{\frac{3}{2}}", "e^(3/2)"),
    (power("e", 8), "e^{8}", "e^8"),
    (power("e", neg(2)), "e^{-2}", "e^(-2)"),
    (neg(over(5, 2)), r"-\frac{5}{2}", "-5/2"),
    (neg(SLASH), "-3/2", "-3/2"),
    (over(plus("a", "b"), 2), r"\frac{a + b}{2}", "(a + b)/2"),
    (t.Division(plus("a", "b"), n(2), bar=False), "(a + b)/2", "(a + b)/2"),
    (beside(SLASH, "x"), r"\frac{3}{2} x", "(3/2) x"),
    (dot(group(neg(2)), 0), r"(-2) \cdot 0", "(-2)*0"),
    (beside(group(neg(2)), group(0)), "(-2)(0)", "(-2)(0)"),
    (beside(2, "beta"), r"2\beta", "2 beta"),
    (t.Product((n(3), n(2)), ("times",)), r"3 \times 2", "3 × 2"),
    (group(over(1, 2)), r"\left( \frac{1}{2} \right)", "(1/2)"),
    (call("exp", neg("x")), r"\exp(-x)", "exp(-x)"),
    (call("softmax", "S"), r"\operatorname{softmax}(S)", "softmax(S)"),
    (t.Root(n(2)), r"\sqrt{2}", "sqrt(2)"),
    (t.Root(v("x"), n(3)), r"\sqrt[3]{x}", "root(3, x)"),
    (v("beta"), r"\beta", "beta"),
    (t.Name("beta", "bold"), r"\boldsymbol{\beta}", "beta"),
    (v("out"), r"\mathrm{out}", "out"),
    (v("attention map"), r"\text{attention map}", '"attention map"'),
    (v("100% \\input{x}"), r"\text{100\% \textbackslash{}input\{x\}}", '"100% \\\\input{x}"'),
    (v(" a  b "), r"\text{\ a \ b\ }", '" a  b "'),
    (t.Product((n(2), neg(SLASH), v("x")), ("cdot", "")), r"2 \cdot -\frac{3}{2} x", "2*-(3/2) x"),
    (beside("x", group(SLASH)), "x(3/2)", "x ((3/2))"),
    (group(t.Matrix(((n(1),),), "")), r"\left( \begin{bmatrix} 1 \end{bmatrix} \right)", "([[1]])"),
    (t.Matrix(((n(1),),), ""), r"\begin{matrix} 1 \end{matrix}", "[[1]]"),
    (tuple_of("1.17", "0.21"), "(1.17, 0.21)", "(1.17, 0.21)"),
    (row("0.21"), "[0.21]", "[0.21]"),
    (matrix((1, 2), (3, 4)), r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (t.Matrix(((n(1),),), "("), r"\begin{pmatrix} 1 \end{pmatrix}", "[[1]]"),
    (matrix((1, 2), (row(3), 4)), r"\begin{bmatrix} 1 & 2 \\ {}[3] & 4 \end{bmatrix}", "[[1, 2], [[3], 4]]"),
    (t.Space((n(3), n(2))), r"\mathbb{R}^{3 \times 2}", "ℝ^{3×2}"),
    (t.Boxed(n(3)), r"\boxed{3}", "boxed(3)"),
    (t.SumOver(v("j"), n(1), n(3), sub("a", "j")), r"\sum_{j=1}^{3} a_{j}", "sum_{j=1}^{3} a_j"),
    (t.Dots("vdots"), r"\vdots", "..."),
    (equal("a", "b", None), "a = b =", "a = b ="),
    (t.Relation((v("a"), v("b")), ("≈",)), r"a \approx b", "a ≈ b"),
]


@pytest.mark.parametrize(("node", "latex", "plain"), CASES, ids=str)
def test_writes(node: t.Node, latex: str, plain: str) -> None:
    assert write_latex(node) == latex
    assert write_plain(node) == plain


@pytest.mark.parametrize("operator", t.RELATIONS)
def test_every_relation_has_a_command(operator: str) -> None:
    commands = {"=": "=", "<": "<", ">": ">", "≈": r"\approx", "≡": r"\equiv", "∈": r"\in", "∼": r"\sim"}
    commands |= {"→": r"\to", "⇒": r"\Rightarrow", "≤": r"\le", "≥": r"\ge", "≠": r"\neq"}
    commands |= {"⇔": r"\iff", "∝": r"\propto", "≫": r"\gg", "≪": r"\ll"}
    node = t.Relation((v("a"), v("b")), (operator,))
    assert write_latex(node) == f"a {commands[operator]} b"
    assert write_plain(node) == f"a {operator} b"


@pytest.mark.parametrize("letter", [*symbols.GREEK])
def test_the_gradient_at_a_greek_letter_is_a_d_before_it_and_is_read_back(letter: str) -> None:
    node = t.Name(f"d{letter}", "roman")
    assert write_latex(node) == rf"\mathrm{{d}}\{letter}"
    assert read_latex(write_latex(t.Subscript(node, (n("1"),)))) == t.Subscript(node, (n("1"),))


ILL_FORMED = [
    (n("-1"), "unsigned numeral"),
    (n("1."), "unsigned numeral"),
    (n("1e+5"), "unsigned numeral"),
    (n("1e9999999"), "exponent is too large"),
    (v(""), "a name has"),
    (v("a\nb"), "control characters"),
    (beside(2, 3), "two numbers stand side by side"),
    (dot(2, beside(2, "x")), "wants brackets"),
    (beside(2, over(1, 2)), "mixed number"),
    (beside(2, power(3, 2)), "two numbers stand side by side"),
    (power(9, group(neg(power(9, 9)))), "tower"),
    (t.Vector((v("a"), v("b")), "<"), "is not a bracket"),
    (t.Matrix(((n(1),),), "<"), "is not a bracket"),
    (t.Matrix(((n(1),) * 150,) * 150), "more than 10000 entries"),
    (t.Call(v("exp"), ()), "1 to 1024 items"),
    (t.Sum((v("a"),) * 1_100, ("+",) * 1_099), "more than 1024 parts"),
    (t.Space((n(1), n(2), n(3))), "one dimension or two"),
    (t.Space((t.Product((n(1), n(2)), ("times",)),)), "wants brackets"),
    (t.Space((n(3), power(10, 2))), "power of ten"),
    (beside("a", neg("b")), "minus sign follows"),
    (beside("exp", "x"), "function stands beside"),
    (dot(neg(2), 3), "wants brackets"),
    (dot("x", plus("a", "b")), "wants brackets"),
    (plus(plus("a", "b"), "c"), "wants brackets"),
    (neg(plus("a", "b")), "wants brackets"),
    (power(neg(2), 2), "its base wants brackets"),
    (power(over(1, 2), 2), "its base wants brackets"),
    (power("x", "T"), "read as a transpose"),
    (power(t.Name("R", "blackboard"), 2), "read as a Space"),
    (power(9, power(9, 9)), "tower"),
    (power("x", "exp"), "name of a function"),
    (top(power("x", 2)), "its base wants brackets"),
    (t.Subscript(n(2), (n(1),)), "its base wants brackets"),
    (t.Subscript(v("x"), ()), "an index is missing"),
    (t.Vector((v("x"),), "("), "square brackets"),
    (row(row(1), row(2)), "read as a Matrix"),
    (group("x", "["), "make it a Vector"),
    (plus(row("x"), 1), "read as a Group"),
    (group("x", "<"), "is not a bracket"),
    (t.Matrix(((n(1), n(2)), (n(3),))), "same number of entries"),
    (matrix((row(1), row(2))), "a row of lists"),
    (t.Matrix(()), "same number of entries"),
    (t.Product((v("a"),), ()), "two parts or more"),
    (t.Sum((v("a"), v("b")), ("*",)), "is not an operator"),
    (call("f", "x"), "is not the name of a function"),
    (call("sqrt", "x"), "a square root is a Root"),
    (group(equal("a", "b")), "relation inside an expression"),
    (t.Relation((None, None), ("=",)), "sides are missing"),
    (t.Relation((v("a"), None, v("b")), ("=", "=")), "only the first or the last"),
    (t.Relation((v("a"), v("b")), ("⊂",)), "is not an operator"),
    (t.Space((minus("n", 1), n(2))), "wants brackets"),
    (dot(t.SumOver(v("j"), n(1), n(3), v("a")), "b"), "wants brackets"),
    (t.Product((n(3), power(10, 2)), ("times",)), "power of ten"),
    (t.Dots("dots"), "is not a shape"),
]


@pytest.mark.parametrize(("node", "reason"), ILL_FORMED, ids=str)
def test_ill_formed_trees_are_refused(node: t.Node, reason: str) -> None:
    for write in (write_latex, write_plain):
        with pytest.raises(ValueError, match="ill-formed tree") as caught:
            write(node)
        assert reason in str(caught.value)


def test_a_tree_that_is_too_deep_is_refused() -> None:
    node: t.Node = v("x")
    for _ in range(5_000):
        node = t.Group(node)
    with pytest.raises(ValueError, match="more than 100 levels"):
        write_latex(node)
