from __future__ import annotations

import pytest

from symattn.errors import NotationError
from symattn.notation.parser.plain import read_plain
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

CASES = [
    ("Q_31 = 5/2", equal(sub("Q", 31), over(5, 2))),
    ("Q_{3,1} = 5/2.", equal(sub("Q", 3, 1), over(5, 2))),
    ("Q_(3,1)", sub("Q", 3, 1)),
    ("A_3j", sub("A", beside(3, "j"))),
    ("A_{3,:}", sub("A", 3, ":")),
    ("W_Q_12", sub(sub("W", "Q"), 12)),
    ("W_Q^T x_i", beside(top(sub("W", "Q")), sub("x", "i"))),
    ("QK^T", top("QK")),
    ("K.T @ Q", beside(top("K"), "Q")),
    ("K'", top("K")),
    ("Kᵀ", top("K")),
    ("K^(T)", top("K")),
    ("e^(3/2)", power("e", over(3, 2))),
    ("e^{3/2}", power("e", over(3, 2))),
    ("e^3/2", over(power("e", 3), 2)),
    ("e**-2", power("e", neg(2))),
    ("x^10", power("x", 10)),
    ("x²", power("x", 2)),
    ("x⁻¹²", power("x", neg(12))),
    ("e^exp(2)", power("e", call("exp", 2))),
    ("sqrt(2)/2", over(t.Root(n(2)), 2)),
    ("√2", t.Root(n(2))),
    ("√(a+b)", t.Root(plus("a", "b"))),
    ("root(3, x)", t.Root(v("x"), n(3))),
    ("2*beta - 1/3", minus(dot(2, "beta"), over(1, 3))),
    ("2β", beside(2, "beta")),
    ("(-2)(0) + 2·1", plus(beside(group(neg(2)), group(0)), dot(2, 1))),
    ("2 * -1/2", dot(2, neg(over(1, 2)))),
    ("(1/2) Q K^T", beside(over(1, 2), "Q", top("K"))),
    ("2 * -(a/b) x", t.Product((n(2), neg(over("a", "b")), v("x")), ("cdot", ""))),
    ("2 (1/2)", beside(2, group(over(1, 2)))),
    ("((1/2)) x", beside(group(over(1, 2)), "x")),
    ("(a+b)/(c)", over(plus("a", "b"), "c")),
    ("1e-3", n("1e-3")),
    ("6.90 × 10^-13", n("6.90e-13")),
    ("6.90 × 10^(-13)", n("6.90e-13")),
    ("37%", n("37e-2")),
    ("exp(-x)", call("exp", neg("x"))),
    ("softmax(QK^T / sqrt(d_k)) V", beside(call("softmax", over(top("QK"), t.Root(sub("d", "k")))), "V")),
    ("max(a, b)", call("max", "a", "b")),
    ("log x", call("log", "x")),
    ("f(x)", beside("f", group("x"))),
    ("𝔼[x]", call("E", "x")),
    ('"attention map" = 3', equal("attention map", 3)),
    (r'"a \"b\" \\c"', v('a "b" \\c')),
    ("boxed(Q = 3)", t.Boxed(equal("Q", 3))),
    ("sum_{j=1}^{3} a_j", t.SumOver(v("j"), n(1), n(3), sub("a", "j"))),
    ("∑_j^n a_j", t.SumOver(v("j"), n(1), v("n"), sub("a", "j"))),
    ("∑_{j=1}^n a_j", t.SumOver(v("j"), n(1), v("n"), sub("a", "j"))),
    ("X ∈ ℝ^{3×2}", t.Relation((v("X"), t.Space((n(3), n(2)))), ("∈",))),
    ("a ≈ b -> c => d", t.Relation((v("a"), v("b"), v("c"), v("d")), ("≈", "→", "⇒"))),
    ("a <= b != c == d", t.Relation((v("a"), v("b"), v("c"), v("d")), ("≤", "≠", "="))),
    ("= 3", equal(None, 3)),
    ("a =", equal("a", None)),
    ("a\n = b\n = c", equal("a", "b", "c")),
    ("(1.17, 0.21)", tuple_of("1.17", "0.21")),
    ("[0.21]", row("0.21")),
    ("[1, 200]", row(1, 200)),
    ("[1,200]", row(1, 200)),
    ("[1 -2]", row(1, neg(2))),
    ("[1 - 2]", t.Vector((minus(1, 2),), "[")),
    ("[1 2.5 1e-3]", row(1, "2.5", "1e-3")),
    ("[0.1 0.2 ... 0.9]", row("0.1", "0.2", t.Dots(), "0.9")),
    ("[[1, 2], [3, 4]]", matrix((1, 2), (3, 4))),
    ("[[1], [2]]", matrix((1,), (2,))),
    ("[[1 2]\n [3 -4.]]", matrix((1, 2), (3, neg(4)))),
    ("[[1 2][3 4]]", matrix((1, 2), (3, 4))),
    ("[1 2; 3 4]", matrix((1, 2), (3, 4))),
    ("[1, 2; 3, 4;]", matrix((1, 2), (3, 4))),
    ("[1; 2]", matrix((1,), (2,))),
    ("[a b; c -d]", matrix(("a", "b"), ("c", neg("d")))),
    ("np.array([[1., 2.]])", matrix((1, 2))),
    ("tensor([[0.1000, 0.2000]])", matrix(("0.1000", "0.2000"))),
    ("{x}", group("x", "{")),
    ("...", t.Dots()),
    ("a + ... + b", plus("a", t.Dots(), "b")),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=str)
def test_reads(text: str, expected: t.Node) -> None:
    assert read_plain(text) == expected


WRONG = [
    ("2 1/2", "mixed number", 2),
    ("1,000", "ambiguous: the integer 1000", 0),
    ("(1,000)", "ambiguous: the integer 1000", 1),
    ("1/2x", "(a/b) c or a/(b c)", 2),
    ("a^b^c", "a second exponent", 3),
    ("1.41 0.71", "two numbers stand side by side", 5),
    ("[[1, 2], [3]]", "Row 2 of this matrix has 1 entry and row 1 has 2", 9),
    ("[1 2; 3]", "Row 2 of this matrix has 1 entry and row 1 has 2", 6),
    ("a = 1\nb = 2", "A new statement begins after the line break", 5),
    ("a, b", "A second statement begins at this comma", 1),
    ("(1, 2", "Found the end of the formula where ) was expected", 5),
    ("()", "Found a closing bracket ) where a number", 1),
    ("(1,)", "Found a closing bracket ) where a number", 3),
    ("x_", "Found the end of the formula where an index", 2),
    ("x^", "Found the end of the formula where a number", 2),
    ("e^{} + 2", "Found a closing brace } where a number", 3),
    ("q^' k", "Found a prime ' where a number", 2),
    ("a $ b", "The character '$'", 2),
    ("१", "The character '१'", 0),
    ('""', "A quoted name has 0 characters", 0),
    ('"a', "The character '\"'", 0),
    ("root(2)", "two arguments", 0),
    ("array(1, 2)", "needs one list", 0),
    ("sqrt(1, 2)", "one argument", 0),
]


@pytest.mark.parametrize(("text", "part", "start"), WRONG, ids=str)
def test_what_cannot_be_read_is_said_with_its_place(text: str, part: str, start: int) -> None:
    with pytest.raises(NotationError) as caught:
        read_plain(text)
    assert part in str(caught.value)
    assert caught.value.start == start
