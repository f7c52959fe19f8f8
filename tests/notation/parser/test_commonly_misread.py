"""Forms that other readers of formulas take silently for something else."""

from __future__ import annotations

import pytest

from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from tests.notation.build import beside, call, dot, equal, group, n, plus, power, row, sub, top, v

TOTAL = t.SumOver(v("i"), n(1), sub("D", "k"), beside(sub("q", "i"), sub("k", "i")))

CASES = [
    ("Q_{11} = 1 + 2 = 3", equal(sub("Q", 11), plus(1, 2), 3)),
    (r"\boxed{-2}", t.Boxed(t.Negative(n(2)))),
    ("QK^T", beside("Q", top("K"))),
    ("3(2)", beside(3, group(2))),
    ("(1)(2)", beside(group(1), group(2))),
    ("I W_Q", beside("I", sub("W", "Q"))),
    (r"\mathbf{W}_Q^\top\mathbf{x}_i", beside(top(sub("W", "Q")), sub("x", "i"))),
    (r"\mathbb{E}[q_i^2]", call("E", power(sub("q", "i"), 2))),
    ("1.2e-3", n("1.2e-3")),
    ("0{,}5", n("0.5")),
    ("[0.21]", row("0.21")),
    (r"\sum_{i=1}^{D_k} q_i k_i", TOTAL),
    ("0.60", n("0.60")),
    (r"(1\cdot2)+(-1\cdot1)", plus(group(dot(1, 2)), group(t.Negative(dot(1, 1))))),
    (r"(-1)\cdot1", dot(group(t.Negative(n(1))), 1)),
    ("K^TQ", beside(top("K"), "Q")),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=str)
def test_is_read_as_it_stands(text: str, expected: t.Node) -> None:
    assert read_latex(text) == expected


def test_digits_stay_as_typed() -> None:
    node = read_latex("0.60")
    assert isinstance(node, t.Number)
    assert (node.text, node.places) == ("0.60", 2)


def test_told_that_a_letter_is_a_function_it_calls() -> None:
    assert read_latex("E[q_i^2]", t.FUNCTIONS | {"E"}) == call("E", power(sub("q", "i"), 2))
