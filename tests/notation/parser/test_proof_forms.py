"""The forms of proofs: means, sums over every index, derivatives, limits, norms, and relations of proofs."""

from __future__ import annotations

import pytest

from symattn.errors import NotationError
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.sides.reader import read_side
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.mathml import write_mathml
from symattn.notation.writers.plain import write_plain
from tests.effort import effort
from tests.notation.build import beside, call, group, minus, n, over, plus, power, sub, tuple_of, v
from tests.notation.mathml_reader import read_mathml
from tests.notation.sides.functions import SIDE_FUNCTIONS
from tests.notation.trees import FUNCTIONS


def total(index: str, body: t.Node | str, *excluded: t.Node | str, ends: tuple[str, str] | None = None) -> t.SumOver:
    lower, upper = (n(ends[0]), v(ends[1])) if ends else (None, None)
    others = tuple(v(item) if isinstance(item, str) else item for item in excluded)
    return t.SumOver(v(index), lower, upper, v(body) if isinstance(body, str) else body, others)


A_J, A_IJ = sub("a", "j"), sub("a", beside("i", "j"))

SUMS = [
    (r"\sum_j a_j", total("j", A_J)),
    (r"\sum_{j} a_j", total("j", A_J)),
    (r"\sum_{j \neq i} a_j", total("j", A_J, "i")),
    (r"\sum_{j \ne a, b} a_j", total("j", A_J, "a", "b")),
    (r"\sum_{j \notin \{a, b\}} a_j", total("j", A_J, "a", "b")),
    (r"\sum_{j \notin \{i\}} a_j", total("j", A_J, "i")),
    (r"\sum_{l \neq j}^{n} a_j", total("l", A_J, "j", ends=("1", "n"))),
    (r"\sum_{l=1, l \neq j}^{n} a_j", total("l", A_J, "j", ends=("1", "n"))),
    (r"\sum_{j \le i} a_j", total("j", A_J, ends=("1", "i"))),
    (r"\sum_{i,j} a_{ij}", total("i", total("j", A_IJ))),
    (r"\sum_{i,j=1}^n a_{ij}", total("i", total("j", A_IJ, ends=("1", "n")), ends=("1", "n"))),
    (r"\sum_{i \neq j} a_{ij}", total("i", total("j", A_IJ, "i"))),
    (r"\sum_{i, j, i \neq j} a_{ij}", total("i", total("j", A_IJ, "i"))),
    # Only one runs where the other is an index of the sum outside, where nothing depends on it, or where it is said.
    (r"\sum_j \sum_{i \neq j} a_{ij}", total("j", total("i", A_IJ, "j"))),
    (r"\sum_{i \neq j} a_i", total("i", sub("a", "i"), "j")),
    (r"\sum_{i, i \neq j} a_{ij}", total("i", A_IJ, "j")),
    (r"\sum_{j \neq i} a_j - b", minus(total("j", A_J, "i"), "b")),
]

CALLS = [
    (r"\mathbb{E}[X]", call("E", "X")),
    (r"\mathbb{E}\left[X \mid q\right]", call("E", "X", "q")),
    (r"\mathbb{E}[X \mid q, k]", call("E", "X", tuple_of("q", "k"))),
    (r"\mathrm{E}(X)", call("E", "X")),
    ("E[X]", call("E", "X")),
    ("E[X|q]", call("E", "X", "q")),
    ("E[|X| | q]", call("E", call("abs", "X"), "q")),
    ("E[X |q|]", call("E", beside("X", call("abs", "q")))),
    (r"\mathrm{Var}(X)", call("Var", "X")),
    (r"\operatorname{Cov}(X, Y)", call("Cov", "X", "Y")),
    (r"\mathbb{V}[X]", call("Var", "X")),
    (r"\frac{\partial a_j}{\partial z_l}", call("diff", A_J, sub("z", "l"))),
    (r"\partial a_j/\partial z_l", call("diff", A_J, sub("z", "l"))),
    (r"\partial a_j/\partial z_l + 1", plus(call("diff", A_J, sub("z", "l")), 1)),
    (r"\frac{\partial}{\partial z_l}(a b)", call("diff", beside("a", "b"), sub("z", "l"))),
    (r"\frac{\partial (a + b)}{\partial z}", call("diff", plus("a", "b"), "z")),
    (r"\frac{\partial}{\partial z} \sum_j a_j", call("diff", total("j", A_J), "z")),
    (r"\frac{d}{dx}(x^2)", call("diff", power("x", 2), "x")),
    (r"\frac{da}{d\beta}", call("diff", "a", "beta")),
    (r"\frac{d_k}{d}", over(sub("d", "k"), "d")),
    (r"\partial a / b", beside("partial", t.Division(v("a"), v("b")))),
    (r"\lim_{\beta \to \infty} X + 1", plus(call("lim", "beta", "oo", "X"), 1)),
    (r"\lim_{x \to -\infty} x", call("lim", "x", t.Negative(v("oo")), "x")),
    (r"\lim_{\beta \to 0} (a + b)", call("lim", "beta", 0, plus("a", "b"))),
    (r"\left(\lim_{x \to 0} x\right) y", beside(call("lim", "x", 0, "x"), "y")),
    (r"((\lim_{x \to 0} x)) y", beside(group(call("lim", "x", 0, "x")), "y")),
    (r"\lVert v \rVert", call("norm", "v")),
    (r"\|v\|^2", power(call("norm", "v"), 2)),
    ("||v||", call("norm", "v")),
    ("‖v‖", call("norm", "v")),
    (r"\left\| \frac{a}{b} \right\|", call("norm", over("a", "b"))),
    ("|v|", call("abs", "v")),
    ("|a||b|", beside(call("abs", "a"), call("abs", "b"))),
    ("|a| + |b|", plus(call("abs", "a"), call("abs", "b"))),
    ("|a + |b||", call("abs", plus("a", call("abs", "b")))),
    (r"\|a\|\|b\|", beside(call("norm", "a"), call("norm", "b"))),
    (r"\left|a \left|b\right| c\right|", call("abs", beside("a", call("abs", "b"), "c"))),
    (r"|(|a| b)|", call("abs", group(beside(call("abs", "a"), "b")))),
]


@pytest.mark.parametrize(("text", "node"), SUMS + CALLS, ids=str)
def test_latex_is_read_as_it_is_meant(text: str, node: t.Node) -> None:
    assert read_latex(text, FUNCTIONS) == node


@pytest.mark.parametrize(("text", "node"), SUMS + CALLS, ids=str)
def test_what_was_read_can_be_written(text: str, node: t.Node) -> None:
    del text
    assert read_latex(write_latex(node, FUNCTIONS), FUNCTIONS) == node
    assert read_plain(write_plain(node, FUNCTIONS), FUNCTIONS) == node
    assert read_mathml(write_mathml(node, functions=FUNCTIONS), FUNCTIONS) == node
    assert rebuilt(node, lambda child: child) == node


WRITTEN = [
    (total("j", A_J), r"\sum_{j} a_{j}", "sum_{j} a_j"),
    (total("j", A_J, "i", "k"), r"\sum_{j \neq i, k} a_{j}", "sum_{j != i, k} a_j"),
    (total("i", A_J, "j"), r"\sum_{i, i \neq j} a_{j}", "sum_{i, i != j} a_j"),
    (total("l", A_J, "j", ends=("1", "n")), r"\sum_{l=1, l \neq j}^{n} a_{j}", "sum_{l=1, l != j}^{n} a_j"),
    (call("E", "X", "q"), r"\mathbb{E}[X \mid q]", "E(X, q)"),
    (call("E", "X", tuple_of("q", "k")), r"\mathbb{E}[X \mid q, k]", "E(X, (q, k))"),
    (call("diff", "a", "z"), r"\frac{\partial a}{\partial z}", "diff(a, z)"),
    (call("diff", beside("a", "b"), "z"), r"\frac{\partial}{\partial z}(a b)", "diff(a b, z)"),
    (power(call("diff", "a", "z"), 2), r"\left( \frac{\partial a}{\partial z} \right)^{2}", "diff(a, z)^2"),
    (call("lim", "beta", "oo", plus("a", "b")), r"\lim_{\beta \to \infty} (a + b)", "lim(beta, oo, a + b)"),
    (beside(call("lim", "x", 0, "a"), "b"), r"(\lim_{x \to 0} a) b", "lim(x, 0, a) b"),
    (power(call("norm", "v"), 2), r"\lVert v \rVert^{2}", "norm(v)^2"),
    (call("abs", over("a", "b")), r"\left\lvert \frac{a}{b} \right\rvert", "abs(a/b)"),
    (sub("delta", beside("i", "j")), r"\delta_{ij}", "delta_{i j}"),
]


@pytest.mark.parametrize(("node", "latex", "plain"), WRITTEN, ids=str)
def test_the_forms_are_set_as_people_set_them(node: t.Node, latex: str, plain: str) -> None:
    assert write_latex(node, FUNCTIONS) == latex
    assert write_plain(node, FUNCTIONS) == plain


def test_two_running_letters_are_two_indices() -> None:
    two = sub("delta", beside("i", "j"))
    assert read_plain("delta_ij") == read_plain("delta_{ij}") == read_latex(r"\delta_{ij}") == two
    assert read_plain("d_in") == sub("d", "in")
    assert read_plain('z_"ij"') == sub("z", "ij")
    assert read_plain(write_plain(sub("z", "ij"))) == sub("z", "ij")


@pytest.mark.parametrize("text", [r"a \iff b", r"a \Leftrightarrow b", "a ⇔ b"])
def test_equivalence_is_a_relation(text: str) -> None:
    assert read_latex(text) == t.Relation((v("a"), v("b")), ("⇔",))


def test_relations_of_proofs() -> None:
    assert read_plain("a <=> b") == read_latex(r"a \iff b")
    assert read_plain("a = b <=> c <= d") == t.Relation((v("a"), v("b"), v("c"), v("d")), ("=", "⇔", "≤"))
    assert read_latex(r"a \propto b") == t.Relation((v("a"), v("b")), ("∝",))
    assert read_latex(r"a \gg b \ll c") == t.Relation((v("a"), v("b"), v("c")), ("≫", "≪"))
    assert read_latex(r"a \implies b") == t.Relation((v("a"), v("b")), ("⇒",))
    assert read_latex(r"q \sim b") == t.Relation((v("q"), v("b")), ("∼",))


REFUSED = [
    ("|a|b|c|", "unclear which bars"),
    ("|a| b |c|", "unclear which bars"),
    ("|a", "is not closed"),
    (r"\|a", "is not closed"),
    ("||a|", "is not closed"),
    ("|a||", "is not closed"),
    (r"\lVert a \rvert", "was expected"),
    (r"\sum_{j \in S} a", "set or a condition"),
    (r"\sum_{j < i} a", "set or a condition"),
    (r"\sum_{j=1} a", "both bounds or none"),
    (r"\sum_{j, j} a", "twice"),
    (r"\sum_{j \le n}^{n} a", "two bounds"),
    (r"\sum_{j \notin S} a", "written out"),
    (r"\sum^{n} a", "needs its index"),
    (r"\sum_{j+1} a", "must be a name"),
    (r"\frac{\partial}{\partial z} a b", "may end here or not"),
    (r"\frac{\partial}{\partial z}", "what it is taken of"),
    (r"\frac{\partial}{\partial z}(a)^2", "what stands above"),
    (r"\frac{\partial^2 f}{\partial x^2}", "higher derivative"),
    (r"\partial a/\partial z b", "belong to this derivative"),
    (r"\lim_{x} x", "an arrow"),
    (r"\lim_x x", "a brace"),
    (r"\mathbb{E}[a, b \mid q]", "one thing before its bar"),
]


@pytest.mark.parametrize(("text", "part"), REFUSED, ids=str)
def test_what_is_unclear_is_refused(text: str, part: str) -> None:
    with pytest.raises(NotationError) as caught:
        read_latex(text, FUNCTIONS)
    assert part in str(caught.value)


def test_a_reader_that_was_not_told_reads_no_derivative() -> None:
    node = read_latex(r"\frac{\partial a}{\partial z}")
    assert isinstance(node, t.Division)
    assert read_latex(write_latex(node)) == node
    for write in (write_latex, write_plain):
        with pytest.raises(ValueError, match="derivative"):
            write(node, FUNCTIONS)


def test_a_quotient_of_products_with_d_is_one_in_plain_text() -> None:
    node = over(beside("d", "a"), beside("d", "b"))
    assert read_plain(write_plain(node, FUNCTIONS), FUNCTIONS) == node
    with pytest.raises(ValueError, match="derivative"):
        write_latex(node, FUNCTIONS)


ILL_FORMED = [
    t.SumOver(v("j"), n(1), None, v("a")),
    t.SumOver(v("j"), None, v("n"), v("a")),
    t.SumOver(v("j"), None, None, v("a"), (t.Relation((v("a"), v("b")), ("=",)),)),
    call("lim", "x", "infty", "x"),
]


@pytest.mark.parametrize("node", ILL_FORMED, ids=str)
def test_ill_formed_trees_are_refused(node: t.Node) -> None:
    for write in (write_latex, write_plain):
        with pytest.raises(ValueError, match="ill-formed"):
            write(node, FUNCTIONS)


# People's work -------------------------------------------------------------------------------------

IN_WORK = [(text, node) for text, node in SUMS + CALLS if not text.startswith(("\\left(", "(("))]


@pytest.mark.parametrize(("text", "node"), IN_WORK, ids=str)
def test_people_are_read_alike(text: str, node: t.Node) -> None:
    side = read_side(text, 0, len(text), "latex")
    assert side.node is not None, side.reason
    assert write_plain(side.node, SIDE_FUNCTIONS | {"E"}) == write_plain(_as_in_work(node), SIDE_FUNCTIONS | {"E"})


def _as_in_work(node: t.Node) -> t.Node:
    """A mean is told by its font there."""
    if isinstance(node, t.Call) and node.function == v("E"):
        return t.Call(t.Name("E", "blackboard"), tuple(map(_as_in_work, node.arguments)))
    return rebuilt(node, _as_in_work)


def test_of_two_indices_that_differ_both_readings_are_told() -> None:
    text = r"\sum_{i \neq j} a_{ij}"
    side = read_side(text, 0, len(text), "latex")
    assert side.node == total("i", total("j", A_IJ, "i"))
    assert side.others == (total("i", A_IJ, "j"),)
    assert "both run or only the first" in side.reason


# Hostile text --------------------------------------------------------------------------------------

HOSTILE = [
    (r"\sum_{" + ",".join(["j"] * 10_000) + "} a", "twice"),
    (r"\sum_{" + ",".join(f"x_{{{k}}}" for k in range(5_000)) + "} a", "must be a name"),
    (r"\sum_{" + ",".join(f"\\mathrm{{x{k}}}" for k in range(10_000)) + "} a", "indices"),
    (r"\sum_{j \neq " + ",".join(["a"] * 10_000) + "} a", "conditions"),
    (r"\sum_{i \neq j} " * 1_000 + "a", "levels"),
    (r"\sum_{i,j} " * 59 + "a", "levels"),
    ("|" * 50_000, "levels"),
    ("|a" * 20_000, ""),
    ("|a|" * 15_000, "bars"),
    ("|a|+" * 10_000 + "a", "terms"),
    ("a|b|*" * 10_000 + "a", ""),
    (r"\|" * 20_000, "levels"),
    (r"\lvert " * 20_000, "levels"),
    (r"\mathbb{E}[" * 8_000 + "a", "levels"),
    ("E[" + "a|b|*" * 8_000 + "a]", ""),
    ("E[" + "a|" * 15_000 + "a]", ""),
    (r"\lim_{x \to " * 5_000, "levels"),
    (r"\lim_{x \to 0} " * 5_000 + "x", "levels"),
    (r"\frac{\partial}{\partial z} " * 2_000 + "a", "levels"),
    (r"\partial " * 20_000 + "a", "factors"),
    (r"\partial (" * 15_000 + "a", "levels"),
    (r"\partial a/\partial z" * 5_000, "derivative"),
    ("(" * 50 + r"\partial (a)/" * 5_000, ""),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("text", "part"), HOSTILE, ids=lambda item: item[:20])
def test_hostile_text_is_refused_at_once(text: str, part: str) -> None:
    with effort(5_000_000):
        with pytest.raises(NotationError) as caught:
            read_latex(text, FUNCTIONS)
        side = read_side(text, 0, len(text), "latex")
    assert part in str(caught.value)
    assert len(str(caught.value)) < 300
    assert len(side.reason) < 300
