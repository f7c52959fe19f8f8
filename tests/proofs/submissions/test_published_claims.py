"""Claims found in worked solutions, each met by the engine: a counter-example, a proof, or the exact numbers.

The claims come from four public worked solutions, a student's sheet with numbers (000), a staff solution (002), and
answers to questions on theory (003, 004), with a number for each claim. What needs a reader's judgement is not among
them, nor are the single lines of arithmetic for queries, keys, values and outputs, which the tests of the checker
hold; those for scores are at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import symattn as sa
from symattn.checking.check import check_text
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import compare
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope
from symattn.proofs.proof_replay import replay

EXAMPLES = Path(__file__).parents[3] / "examples"
PS4 = "ps4_self_attention.toml"
D10 = "discussion10_attention.toml"


@dataclass(frozen=True)
class Known:
    """A falsehood of the catalogue: the theorem, and words of the claim."""

    theorem: str
    words: str


@dataclass(frozen=True)
class Proved:
    """What is right instead is a theorem of the catalogue: one of its claims, and what it does not suppose."""

    theorem: str
    left: str
    right: str
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Direct:
    """A claim in plain syntax with a counter-example; sizes are whole numbers, entries are rows of texts."""

    left: str
    relation: str
    right: str
    scalars: Mapping[str, str]
    entries: Mapping[str, str]
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Entry:
    """A number written for an entry of a sheet: different from the exact value, or right when rounded."""

    sheet: str
    name: str
    row: int
    column: int
    written: str
    is_rounded: bool = False


def direct(left: str, relation: str, right: str, entries: Mapping[str, str] | None = None, **scalars: str) -> Direct:
    return Direct(left, relation, right, scalars, entries or {}, {})


MET: dict[str, tuple[Known | Proved | Direct | Entry, ...]] = {
    # A student's sheet.
    "000-02": (direct("w x + u h", "=", "w x + v h", w="1", x="3", h="5", u="2", v="3"),),
    "000-04": (Known("output-is-weighted-sum", "its own value"),),
    "000-06": (Known("dot-product-scaling", "is the dimension"),),
    "000-07": (
        Known("saturation", "large exponentials"),
        Proved("shift-invariance", "exp(z_j + c)/sum_{l=1}^{n} exp(z_l + c)", "a_j"),
    ),
    "000-09": (Known("output-is-weighted-sum", "rows of the scores"),),
    "000-10": (Known("softmax-is-a-distribution", "exactly 1"), Proved("softmax-is-a-distribution", "a_j", "1")),
    "000-13": (Entry(PS4, "W_Q", 3, 1, "-1"),),
    "000-14": (Entry(PS4, "Q", 3, 1, "sqrt 2"),),
    "000-15": (direct("4", "=", "2"),),
    "000-16": (Entry(PS4, "K", 1, 2, "-1"), Entry(PS4, "K", 2, 1, "-1")),
    "000-17": (Entry(PS4, "K", 2, 1, "-1"), Entry(PS4, "K", 1, 2, "-3/2")),
    "000-18": (Entry(PS4, "Q", 3, 2, "-1/2"),),
    "000-20": (Entry(PS4, "S", 1, 2, "5/2"),),
    "000-22": (Entry(PS4, "S", 1, 1, "5/2"), Entry(PS4, "S", 1, 2, "-3"), Entry(PS4, "S", 1, 3, "-1")),
    "000-23": (
        Entry(PS4, "A", 3, 1, "0.62", is_rounded=True),
        Entry(PS4, "A", 3, 2, "0.38", is_rounded=True),
        Entry(PS4, "A", 1, 3, "1.00", is_rounded=True),
        Entry(PS4, "A", 3, 3, "0.00", is_rounded=True),
    ),
    "000-24": (Entry(PS4, "V", 1, 2, "5/2"),),
    "000-25": (Entry(PS4, "V", 2, 1, "-1/2"),),
    "000-26": (Entry(PS4, "O", 3, 1, "1.17"), Entry(PS4, "O", 3, 1, "1.18", is_rounded=True)),
    "000-27": (Entry(PS4, "O", 3, 2, "0.21"), Entry(PS4, "O", 3, 2, "0.20", is_rounded=True)),
    "000-28": (Entry(PS4, "O", 1, 1, "-2"), Entry(PS4, "O", 1, 1, "-1.99", is_rounded=True)),
    # A staff solution.
    "002-01": (Entry(D10, "Q", 2, 3, "2"),),
    "002-03": (
        Entry(D10, "O", 3, 1, "-7.94"),
        Entry(D10, "O", 3, 1, "-7.94", is_rounded=True),
        Entry(D10, "O", 3, 2, "0.067", is_rounded=True),
    ),
    "002-04": (
        Entry(D10, "A", 3, 1, "0.00247", is_rounded=True),
        Entry(D10, "A", 3, 2, "0.99753", is_rounded=True),
        Entry(D10, "A", 3, 1, "0.00247"),
    ),
    "002-07": (Known("dot-product-scaling", "is to be sigma"),),
    "002-10": (
        Known("dot-product-variance", "for q = k as well"),
        Proved("tied-score", "Var(x^T x)", "D (2 sigma^4 + 4 mu^2 sigma^2)"),
    ),
    # Answers on theory.
    "003-02": (Known("temperature-limits", "more than half"), Known("copy", "one-hot whatever the scores")),
    "003-04": (Known("identity-attention", "only where A is the identity"),),
    "003-05": (Known("copy", "very small beta"), Known("temperature-limits", "beta of zero")),
    "003-06": (Known("softmax-is-a-distribution", "come close to 1"),),
    "003-07": (Known("identity-attention", "one-hot columns"),),
    "003-08": (Known("copy", "some of them are close to 1"), Proved("synthesizer-limit", "a_{r,s} + a_{r,o}", "1")),
    "003-09": (Known("copy", "very large beta"), Known("temperature-limits", "very large beta")),
    "003-11": (Known("key-perturbation", "changes linearly"),),
    "003-14": (Known("key-perturbation", "of each score by itself"),),
    "003-15": (Known("key-perturbation", "additive"),),
    "003-16": (Known("key-perturbation", "only what belongs to key 1"),),
    "003-18": (
        Known("key-elongation", "always gets more weight"),
        Known("key-elongation", "changes whenever the key does"),
    ),
    "003-19": (Known("key-perturbation", "of each score by itself"),),
    "003-21": (Known("multi-head-blocks", "put side by side"),),
    "003-23": (direct("(c/g) o", "=", "(c/c) o", c="4", g="2", o="6"),),
    "003-24": (
        direct("diff(a x, y)", "≠", "0", a="2", x="1", y="1"),
        Known("running-linear", "depends on the neighbours"),
    ),
    "003-26": (Known("multi-head-blocks", "put side by side"),),
    "003-27": (
        Known("permutation-equivariance", "with positions added"),
        Known("permutation-equivariance", "is invariant"),
    ),
    "003-28": (Known("permutation-equivariance", "do not influence each other"),),
    "003-29": (Known("identity-attention", "X X^T = I"),),
    "003-30": (Known("identity-attention", "gives A = I"),),
    "003-31": (Known("identity-attention", "Q = K = V suffices"),),
    "003-32": (Known("permutation-attention", "give a permutation"),),
    "003-33": (Known("permutation-attention", "zero weights"), Known("permutation-attention", "average zero")),
    "003-34": (Known("permutation-attention", "give a permutation"), direct("3^2 + 6^2 + 0", "=", "0")),
    "003-35": (
        Known("running-linear", "all 1"),
        Proved("shift-invariance", "exp(z_j + c)/sum_{l=1}^{n} exp(z_l + c)", "a_j"),
    ),
    "003-36": (Known("running-linear", "depends on the neighbours"),),
    "003-37": (Proved("attention-as-convolution", "w_r", "1 - 2 e^{-beta}/(1 - e^{-beta})", without=("c",)),),
    "003-40": (Known("shift-invariance", "common factor"),),
    "003-42": (
        Known("ffn-is-position-wise", "neighbouring tokens"),
        Proved("ffn-is-position-wise", "diff(F_{it}, X_{lc})", "0"),
    ),
    "003-43": (
        Proved("layer-norm", "sum_{r=1}^{d} y_r", "0"),
        Proved("layer-norm", "(sum_{r=1}^{d} y_r^2)/d", "v/(v + eps)"),
    ),
    "003-46": (direct("3072", "≤", "2048"), direct("5120", "≤", "4096"), direct("3072/768", "<", "2048/512")),
    "003-48": (
        direct("abs(16^2 3 d + d + d + 197 d + n (12 d^2 + 13 d) + 2 d - 307000000)", "≤", "500000", n="24", d="1024"),
        direct(
            "abs(16^2 3 d + d + d + 197 d + n (12 d^2 + 13 d) + 2 d + 1000 (d + 1) - 307000000)",
            "≤",
            "500000",
            n="24",
            d="1024",
        ),
        direct(
            "abs(32^2 3 d + d + d + 50 d + n (12 d^2 + 13 d) + 2 d + 1000 (d + 1) - 307000000)",
            ">",
            "500000",
            n="24",
            d="1024",
        ),
        direct(
            "abs(14^2 3 d + d + d + 257 d + n (12 d^2 + 13 d) + 2 d + 1000 (d + 1) - 632000000)",
            ">",
            "500000",
            n="32",
            d="1280",
        ),
    ),
    "004-01": (Known("row-column-duality", "along the queries"),),
    "004-02": (Known("saturation", "cut them off"),),
    "004-03": (Known("score-is-dot-product", "both weight matrices on one side"),),
    "004-04": (
        Known("softmax-is-a-distribution", "own score alone"),
        Known("key-perturbation", "of each score by itself"),
    ),
    "004-06": (Known("multi-head-blocks", "several layers"),),
    "004-07": (Known("multi-head-blocks", "d/h heads"),),
    "004-08": (Known("multi-head-blocks", "put side by side"),),
    "004-09": (Known("multi-head-blocks", "their own chunk"),),
    "004-11": (Known("causal-independence", "allows every key"),),
    "004-13": (Known("copy", "when all the other keys oppose"), Known("copy", "only when the other keys oppose")),
    "004-14": (direct("sqrt(p^2 + q^2)", "=", "p^2 + q^2", p="3", q="4"),),
    "004-16": (Known("average-of-two", "1/(2 e^s)"),),
    "004-17": (Known("average-of-two", "has the weight 0"),),
    "004-18": (Known("gaussian-keys", "may be replaced by them"),),
    "004-19": (Known("gaussian-keys-long", "makes the output long"), Proved("convex-hull", "o^T o", "M^2")),
    "004-20": (Known("gaussian-keys-long", "in every direction"),),
    "004-21": (Known("two-heads", "agrees equally"),),
    "004-24": (Known("two-heads", "grows with the norm"),),
    "004-25": (Known("orthogonal-tokens", "the denominator"),),
    "004-27": (Known("orthogonal-tokens", "near x_2"),),
    "004-28": (Known("orthogonal-tokens", "1/(2 + exp(beta))"),),
    "004-29": (Known("orthogonal-tokens", "2 u_d added"),),
    "004-30": (
        Known("synthesizer-limit", "with queries and keys"),
        Proved("synthesizer-limit", "diff(a_{r,j}, x_{s,e})", "0"),
    ),
}
"""The number of each claim, and where it is met."""

ELSEWHERE = {
    "000-19": "test_scores_are_not_symmetric",
    "000-21": "test_the_softmax_of_the_sheet_runs_along_rows",
    "000-29": "test_shapes_of_the_sheets",
    "000-30": "test_the_strongest_inputs",
    "000-31": "test_no_output_attends_to_its_own_input",
    "000-32": "test_the_steps_that_are_missing",
    "002-02": "test_a_transpose_that_changes_nothing",
    "002-05": "test_bars_are_no_minus_signs",
    "002-06": "test_shapes_that_a_solution_leaves_out",
    "003-44": "test_patches_are_a_convolution",
}
"""Claims about whole matrices, each met by a test of its own below."""

CASES = [pytest.param(item, id=f"{name}-{n}") for name, items in MET.items() for n, item in enumerate(items)]


@cache
def general(name: str) -> Proof:
    entry = theorem(name)
    return entry.build(entry.values({}))


@cache
def solved(sheet: str) -> sa.Result:
    return sa.solve(EXAMPLES / sheet)


def exact(sheet: str, name: str) -> Matrix:
    result = solved(sheet)
    inputs: Mapping[str, Matrix] = result.problem.inputs
    return inputs[name] if name in inputs else result[name].kernel


def meets(item: Known | Proved | Direct | Entry) -> None:
    """One claim against the engine."""
    if isinstance(item, Known):
        meets_known(item)
    elif isinstance(item, Proved):
        meets_proved(item)
    elif isinstance(item, Direct):
        assert refuted(falsehood(item), Scope(())) is not None
    else:
        meets_entry(item)


def meets_known(item: Known) -> None:
    found = [one for one in theorem(item.theorem).falsehoods if item.words in one.says]
    assert len(found) == 1, [one.says for one in theorem(item.theorem).falsehoods]
    outcome = refuted(found[0], general(item.theorem).scope)
    assert outcome is not None
    assert outcome.sides.stands is False
    assert outcome.sides.left_digits
    assert outcome.sides.right_digits


def meets_proved(item: Proved) -> None:
    proof = general(item.theorem)
    assert replay(proof).is_proved
    assert any(one.left == item.left and one.right == item.right for one in proof.claims), [
        one.left for one in proof.claims
    ]
    supposed = {name for one in proof.scope.hypotheses for name in one.about}
    assert not supposed & set(item.without)


def falsehood(item: Direct) -> Falsehood:
    declared = tuple(Declared(name) for name in item.scalars)
    example = CounterExample(scalars=tuple(item.scalars.items()))
    return Falsehood("", item.left, item.relation, item.right, example, "", Scope(declared))


def meets_entry(item: Entry) -> None:
    value = exact(item.sheet, item.name)[item.row - 1, item.column - 1]
    if item.is_rounded:
        places = len(item.written.partition(".")[2])
        assert sa.Matrix([[value]]).rounded(places) == [[item.written]]
    elif item.written == "sqrt 2":
        import sympy

        assert sa.equal(value, sympy.sqrt(2)).is_different
    else:
        assert sa.equal(value, item.written).is_different


@pytest.mark.parametrize("item", CASES)
def test_each_claim_is_met(item: Known | Proved | Direct | Entry) -> None:
    meets(item)


def test_every_claim_has_a_place() -> None:
    assert not MET.keys() & ELSEWHERE.keys()
    counts = {
        document: sum(name.startswith(document) for name in (*MET, *ELSEWHERE))
        for document in ("000", "002", "003", "004")
    }
    assert counts == {"000": 26, "002": 8, "003": 34, "004": 23}
    assert all(callable(globals()[name]) for name in ELSEWHERE.values())


def test_the_table_can_fail() -> None:
    """A true claim is not refuted, and a right entry is not different."""
    assert refuted(falsehood(direct("w x", "=", "x w", w="2", x="3")), Scope(())) is None
    with pytest.raises(AssertionError):
        meets_entry(Entry(PS4, "Q", 3, 1, "5/2"))
    with pytest.raises(AssertionError):
        meets_entry(Entry(PS4, "O", 3, 1, "1.17", is_rounded=True))


# Whole matrices --------------------------------------------------------------------------------------


def test_scores_are_not_symmetric() -> None:
    scores = exact(PS4, "S")
    assert scores.shape == (3, 3)
    assert sa.equal(scores, scores.T).is_different


def test_the_softmax_of_the_sheet_runs_along_rows() -> None:
    scores = exact(PS4, "S")
    columns = sa.softmax([list(row) for row in scores.T.rows]).A.T
    assert sa.equal(columns, exact(PS4, "A")).is_different
    assert columns.rounded(5)[0][0] == "0.00091"
    assert exact(PS4, "A").rounded(4)[0][0] == "0.0015"


def test_shapes_of_the_sheets() -> None:
    assert exact(PS4, "O").shape == (3, 2)
    verdict = sa.equal(exact(PS4, "O"), sa.Matrix([["0.21"]]))
    assert verdict.is_different
    assert verdict.reason == "the shapes differ"


def test_the_strongest_inputs() -> None:
    assert sa.softmax([list(row) for row in exact(PS4, "S").rows]).argmax() == ((2,), (2,), (0,))
    rest = [[row[j] for j in range(3) if j != best] for row, best in zip(exact(PS4, "S").rows, (2, 2, 0), strict=True)]
    assert sa.softmax(rest).argmax() == ((0,), (0, 1), (0,))  # the tie of row 2; in row 3 it is input 2


def test_no_output_attends_to_its_own_input() -> None:
    weights = exact(PS4, "A")
    limit = Matrix([["1/500"]])[0, 0]
    assert all(compare(weights[i, i], limit) < 0 for i in range(3))


def test_the_steps_that_are_missing() -> None:
    quantities = solved(PS4).layer.scene.quantities
    carried = [[value.rational() for value in row if value is not None] for row in quantities["E"].carried]
    assert carried == [
        [Fraction("4.48"), Fraction("0.08"), Fraction("2980.96")],
        [Fraction("0.03"), Fraction("0.03"), Fraction("403.43")],
        [Fraction("4914.77"), Fraction("2980.96"), 0],
    ]
    sums = [value.rational() for row in quantities["Z"].carried for value in row if value is not None]
    assert sums == [Fraction("2985.52"), Fraction("403.49"), Fraction("7895.73")]


def test_a_transpose_that_changes_nothing() -> None:
    weights = exact(D10, "W_V")
    assert sa.equal(weights, weights.T).is_equal  # right, but only because this matrix is symmetric


def test_bars_are_no_minus_signs() -> None:
    problem = solved(D10).problem
    names = ("X", "W_Q", "W_K", "W_V")
    given = {name: problem.inputs[name] for name in names}
    one, other = (sa.attention(**{**given, "X": tokens}, scale="none") for tokens in (given["X"], -given["X"]))
    assert sa.equal(one.S, other.S).is_equal
    assert sa.equal(one.O, other.O).is_different
    assert sa.equal(one.O, -other.O).is_equal


def test_patches_are_a_convolution() -> None:
    """Patches of two pixels times a matrix, and kernels of width 2 moved by 2: the same for all pixels and weights."""
    import sympy

    pixels, kernels = sympy.symbols("x_1:7"), sympy.Matrix(2, 3, sympy.symbols("w_1:7"))
    patches = sympy.Matrix(3, 2, pixels)
    moved = sympy.Matrix(3, 3, lambda i, c: sum(kernels[u, c] * pixels[2 * i + u] for u in range(2)))
    assert sa.equal(patches * kernels, moved).is_equal


def test_shapes_that_a_solution_leaves_out() -> None:
    """Keys and values in matrix form, and the entries of Q K^T that a part asks for."""
    inputs = {name: exact(D10, name) for name in ("X", "W_K", "W_V")}
    assert sa.equal(inputs["X"] @ inputs["W_K"], exact(D10, "K")).is_equal
    assert sa.equal(inputs["X"] @ inputs["W_V"], exact(D10, "V")).is_equal
    assert [exact(D10, name).shape for name in ("Q", "K", "V")] == [(3, 3), (3, 3), (3, 2)]
    assert sa.equal(exact(D10, "Q") @ exact(D10, "K").T, exact(D10, "S")).is_equal
    meets_proved(Proved("score-is-dot-product", "(Q K^T)_{ij}", "Q_i^T K_j"))


# Lines of scores: are the operands those of the matrices, does the line come to its value, is that right? ---------

LINES_OF_SCORES = {
    r"S_{11} = (1 \cdot 1) + (3 \cdot -1/2) = 1/2": (False, False, False),
    r"S_{12} = (1 \cdot -1/2) + (3 \cdot 1/2) = 1": (False, True, False),
    r"S_{21} = (-1 \cdot 1) + (1 \cdot -1/2) = -1/2": (False, False, False),
    r"S_{22} = (-1 \cdot -1/2) + (1 \cdot 1/2) = 1/2": (False, False, False),
    r"S_{31} = (5/2 \cdot 1) + (-1/2 \cdot -1/2) = 5/2": (False, False, False),
    r"S_{32} = (5/2 \cdot -1/2) + (-1/2 \cdot 1) = -3/2": (False, False, False),
    r"S_{31} = (5/2 \cdot 3) + (-2 \cdot -1/2) = 17/2": (True, True, True),
}


@pytest.mark.parametrize(("line", "expected"), LINES_OF_SCORES.items())
def test_single_lines_of_scores(line: str, expected: tuple[bool, bool, bool]) -> None:
    found = check_text(solved(PS4).problem, f"${line}$", "md").findings
    answers = [
        [answer for finding in found if (answer := getattr(finding.checks, question)) is not None]
        for question in ("operands", "arithmetic", "value")
    ]
    assert tuple(all(answer) for answer in answers) == expected
    assert any(finding.verdict == "wrong" for finding in found) != all(expected)
