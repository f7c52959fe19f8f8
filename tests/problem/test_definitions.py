"""Problems that define their quantities one by one: formulas, shapes, names, and every refusal."""

from __future__ import annotations

import dataclasses
import json
import pickle
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, ShapeError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.operations.formulas.formula import Constant, Formula, Ref, Transposed, names_in
from symattn.problem.components import formulas as f
from symattn.problem.model import Problem
from symattn.problem.reader.definitions import read_formula
from symattn.problem.schema.examples import commented_problem
from symattn.problem.schema.json_schema import json_schema
from tests.problem.test_schema import faults

SHEET = """
title = "Two tokens"
[inputs]
X = [["1", "0"], ["0", "1"], [1, 1]]
[definitions]
S  = "X X^T"
Ss = "S / sqrt(2)"
A  = "softmax(Ss)"
E  = "exp(Ss)"
Z  = "rowsum(E)"
A2 = "E / Z"
B  = "A"
T  = "A^T"
"""
SHAPES = {
    "X": (3, 2), "Y": (2, 3), "K": (3, 2), "E": (3, 4), "r": (3, 1), "c": (1, 4), "one": (1, 1), "W_Q": (2, 2),
    "mask": (3, 2),
}  # fmt: skip
X, Y, K, E, W, M = Ref("X"), Ref("Y"), Ref("K"), Ref("E"), Ref("W_Q"), Ref("mask")
DIVISORS = "each entry is divided by the number of its row or column"
HALF_ROOT = Quotient.of(Polynomial.sqrt(Fraction(1, 2)))


def constant(number: int) -> Formula:
    return Constant(Matrix([[number]]))


BLOCKS = f.joined((f.joined((X, Ref("r")), "columns"), f.joined((K, Ref("r")), "columns")), "rows")


def read(text: object, symbols: dict[str, str | Fraction] | None = None) -> Formula:
    return read_formula(text, SHAPES, symbols or {}, "S")


def build(**keys: Any) -> Problem:
    return Problem.build(**{"inputs": {"X": [[1, 2]]}, "definitions": {"S": "X^T"}, **keys})


# What is read ------------------------------------------------------------------------------------------


def test_a_sheet_with_definitions() -> None:
    problem = Problem.from_text(SHEET, source="x.toml")
    assert problem.kind == "defined"
    assert list(problem.inputs) == ["X"]
    assert list(problem.definitions) == ["S", "Ss", "A", "E", "Z", "A2", "B", "T"]
    assert problem.definitions["S"] == f.times(X, Transposed(X))
    assert problem.definitions["Ss"] == f.scaled(HALF_ROOT, Ref("S"))
    assert problem.definitions["A"] == f.softmax(Ref("Ss"), "rows")
    assert problem.definitions["E"] == f.exponential(Ref("Ss"))
    assert problem.definitions["Z"] == f.line_sum(E, "rows")
    assert problem.definitions["A2"] == f.ratio(E, Ref("Z"), "rows")
    assert problem.definitions["B"] == Ref("A")
    assert problem.definitions["T"] == Transposed(Ref("A"))
    assert problem.defaults_used == ("rounding",)
    assert problem.scale.kind == "none"


def test_json_says_the_same() -> None:
    tables = {
        "title": "Two tokens",
        "inputs": {"X": [[1, 0], [0, 1], [1, 1]]},
        "definitions": {
            "S": "X X^T",
            "Ss": "S / sqrt(2)",
            "A": "softmax(Ss)",
            "E": "exp(Ss)",
            "Z": "rowsum(E)",
            "A2": "E / Z",
            "B": "A",
            "T": "A^T",
        },
    }
    assert Problem.from_text(json.dumps(tables)) == Problem.from_text(SHEET)
    assert Problem.build(**tables) == Problem.from_text(SHEET)


def test_the_commented_definitions_work() -> None:
    lines = commented_problem().splitlines()
    top = [line.removeprefix("# ") for line in lines if line.startswith(("# definitions =", "# tolerance ="))]
    assert len(top) == 2
    text = "\n".join([*top, "[inputs]", "Q = [[1, 2]]", "K = [[3, 4]]"])
    assert list(Problem.from_text(text).definitions) == ["S", "Ss", "E", "Z", "W", "A"]


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("X", X),
        ("(X)", X),
        ("X Y", f.times(X, Y)),
        ("X Y K", f.times(f.times(X, Y), K)),
        ("X (Y K)", f.times(X, f.times(Y, K))),
        ("X K^T", f.times(X, Transposed(K))),
        ("X K'", f.times(X, Transposed(K))),
        ("X W_Q", f.times(X, W)),
        ("W_Q^T Y", f.times(Transposed(W), Y)),
        ("(X Y)^T", Transposed(f.times(X, Y))),
        ("-X", f.scaled(Quotient.of(-1), X)),
        ("2 X", f.scaled(Quotient.of(2), X)),
        ("0.125 * X", f.scaled(Quotient.of(Fraction(1, 8)), X)),
        ("X * 2 * 3", f.scaled(Quotient.of(6), X)),
        ("X Y / 3", f.scaled(Quotient.of(Fraction(1, 3)), f.times(X, Y))),
        ("X (Y / 3)", f.scaled(Quotient.of(Fraction(1, 3)), f.times(X, Y))),
        ("2 X Y", f.scaled(Quotient.of(2), f.times(X, Y))),
        ("X (2 Y)", f.times(X, f.scaled(Quotient.of(2), Y))),
        ("(1/sqrt(2)) X", f.scaled(HALF_ROOT, X)),
        ("X / sqrt(2)", f.scaled(HALF_ROOT, X)),
        ("X K^T / √2", f.scaled(HALF_ROOT, f.times(X, Transposed(K)))),
        ("exp(X)", f.exponential(X)),
        ("softmax(X)", f.softmax(X, "rows")),
        ("softmax(X, rows)", f.softmax(X, "rows")),
        ("softmax(X, columns)", f.softmax(X, "columns")),
        ("softmax(X, all)", f.softmax(X, "all")),
        ("softmax(X K^T / sqrt(2)) K", f.times(f.softmax(read("X K^T / sqrt(2)"), "rows"), K)),
        ("rowsum(E)", f.line_sum(E, "rows")),
        ("colsum(E)", f.line_sum(E, "columns")),
        ("E / r", f.ratio(E, Ref("r"), "rows")),
        ("E / c", f.ratio(E, Ref("c"), "columns")),
        ("E / one", f.ratio(E, Ref("one"), "all")),
        ("(X Y) / r", f.ratio(f.times(X, Y), Ref("r"), "rows")),
        ("r / one", f.ratio(Ref("r"), Ref("one"), "columns")),
        ("one / one", f.ratio(Ref("one"), Ref("one"), "rows")),
        ("exp(X) / rowsum(exp(X))", f.ratio(f.exponential(X), f.line_sum(f.exponential(X)), "rows")),
        ("X + K", f.plus(X, K)),
        ("X - K + X", f.plus(f.minus(X, K), X)),
        ("X + (K - X)", f.plus(X, f.minus(K, X))),
        ("X K^T / 2 + r", f.plus(f.scaled(Quotient.of(Fraction(1, 2)), f.times(X, Transposed(K))), Ref("r"))),
        ("1 - X", f.minus(constant(1), X)),
        ("X .* K", f.each_times(X, K)),
        ("X ⊙ K ⊙ X", f.each_times(f.each_times(X, K), X)),
        (r"X \odot K / 2", f.scaled(Quotient.of(Fraction(1, 2)), f.each_times(X, K))),
        ("2 X .* K", f.scaled(Quotient.of(2), f.each_times(X, K))),
        ("X .* (1 - X)", f.each_times(X, f.minus(constant(1), X))),
        ("mask(X, K)", f.masked(X, K)),
        ("hide(X, K)", f.masked(X, K, hides=True)),
        ("mask(X, mask)", f.masked(X, M)),
        ("mask (Y K)", f.times(M, f.times(Y, K))),
        ("softmax1(X)", f.softmax(X, "rows", extra=True)),
        ("softmax1(X, columns)", f.softmax(X, "columns", extra=True)),
        ("[X, E]", f.joined((X, E), "columns")),
        ("concat(X, E)", f.joined((X, E), "columns")),
        ("[X; W_Q]", f.joined((X, W), "rows")),
        ("[X, r; K, r]", BLOCKS),
        ("[[X, r], [K, r]]", BLOCKS),
        ("[X]", X),
        ("X[:, 1:2]", f.part(X, "columns", 1, 2)),
        ("X[2:3, :]", f.part(X, "rows", 2, 3)),
        ("X[:, 2]", f.part(X, "columns", 2, 2)),
        ("X[3, 2]", f.part(f.part(X, "rows", 3, 3), "columns", 2, 2)),
        ("(X Y)[1:2, :]", f.part(f.times(X, Y), "rows", 1, 2)),
        ("W_Q[:, 1]^T", Transposed(f.part(W, "columns", 1, 1))),
        ("E[1:2, :][:, 3] ", f.part(f.part(E, "rows", 1, 2), "columns", 3, 3)),
        ("softmax(X)[1, :]", f.part(f.softmax(X), "rows", 1, 1)),
        ("X[:, :]", X),
        ("[1, 0; 1, 1]", Constant(Matrix([[1, 0], [1, 1]]))),
        ("X [1, 0; 1/2, 1]", f.times(X, Constant(Matrix([[1, 0], [Fraction(1, 2), 1]])))),
        ("exp([2, 1])", f.exponential(Constant(Matrix([[2, 1]])))),
        ("1 / exp(1)", f.ratio(constant(1), f.exponential(constant(1)))),
    ],
)
def test_formulas(text: str, formula: Formula) -> None:
    assert read(text) == formula


def test_symbols_stand_in_factors() -> None:
    found = read("beta X / tau", {"beta": "positive", "tau": Fraction(1, 2)})
    assert found == f.scaled(Quotient.of(Polynomial.symbol("beta") * Polynomial.constant(2)), X)


def test_names_are_those_that_are_used_each_once() -> None:
    assert names_in(read("softmax(X K^T) X")) == ("X", "K")
    assert names_in(read("exp(2 E / r)")) == ("E", "r")


@pytest.mark.parametrize("name", ["e", "E", "T", "I", "R", "x2", "Q_1", "W_1_Q", "W_1Q", "W_2e5", "pi", "d" * 30])
def test_any_name_will_do(name: str) -> None:
    problem = Problem.build(inputs={name: [[1, 2]]}, definitions={"Out": f"exp({name}^T {name})"})
    assert names_in(problem.definitions["Out"]) == (name,)


def test_declared_names_of_defined_quantities() -> None:
    problem = build(names={"S": "turned input"})
    assert (problem.label("S"), problem.label("X")) == ("turned input", "X")


# Shapes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("X K^T", (3, 3)),
        ("E^T X", (4, 2)),
        ("rowsum(E)", (3, 1)),
        ("colsum(E)", (1, 4)),
        ("softmax(E, all)", (3, 4)),
        ("E / c", (3, 4)),
        ("2 exp(Y)", (2, 3)),
    ],
)
def test_shapes(text: str, shape: tuple[int, int]) -> None:
    assert f.shape_of(read(text), SHAPES) == shape


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X K", "S: X is 3×2 and K is 3×2: X K does not conform; is K^T meant?"),
        ("X^T Y", "S: X^T is 2×3 and Y is 2×3: X^T Y does not conform; is Y^T meant?"),
        ("X Y^T", "S: X is 3×2 and Y^T is 3×2: X Y^T does not conform; is Y meant?"),
        ("X E", "S: X is 3×2 and E is 3×4: X E does not conform; is X^T meant?"),
        ("c X", "S: c is 1×4 and X is 3×2: c X does not conform; give X as many rows as c has columns."),
        ("E / X", f"S: E is 3×4 and X is 3×2: {DIVISORS}, so X must be 3×1, 1×4 or 1×1."),
    ],
)
def test_shapes_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        read(text)
    assert str(caught.value) == message


def test_the_place_of_a_misfit_is_named() -> None:
    text = '[inputs]\nX = [[1, 2]]\nK = [[1, 2]]\n[definitions]\nS = "X K"\n'
    with pytest.raises(ShapeError, match=r"^x\.toml, \[definitions\] S: X is 1×2 and K is 1×2"):
        Problem.from_text(text, source="x.toml")


def test_products_are_bounded() -> None:
    with pytest.raises(ShapeError, match="more than 300,000 entries"):
        read_formula("a a^T", {"a": (1024, 1)}, {}, "S")


# Refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X^2", '"X^2" cannot stand in a definition'),
        ("e^X", '"e^X" cannot stand in a definition'),
        ("[1, [2]", "cannot be read"),
        ("X + Y", "X is 3×2 and Y is 2×3: matrices that are added have one shape, or one of them is a row, a column"),
        ("r - c", "r is 3×1 and c is 1×4: matrices that are subtracted have one shape"),
        ("X .* Y", "matrices that are multiplied entry by entry have one shape"),
        ("X Y .* X", "mixes products of matrices and products entry by entry; write A (B .* C) or (A B) .* C."),
        ("hide(X)", "hide takes the scores and a matrix of 0 and 1 in which 1 is hidden, as in hide(S, M)."),
        ("mask(X, K, X)", "mask takes the scores and a matrix of 0 and 1 in which 1 is seen, as in mask(S, M)."),
        ("mask(X, Y)", "X is 3×2 and Y is 2×3: a mask has the shape of the scores, 3×2, or is one row for all, 1×2."),
        ("[X, Y]", "X is 3×2 and Y is 2×3: matrices side by side have as many rows."),
        ("[X; E]", "X is 3×2 and E is 3×4: matrices one below the other have as many columns."),
        ("[X, 1]", "X is 3×2 and (1) is 1×1: matrices side by side have as many rows."),
        ("X[:, 1:3]", "X is 3×2 and has no columns 1 to 3: they are counted from 1 to 2, and the last one belongs"),
        ("X[0:1, :]", "X is 3×2 and has no rows 0 to 1: they are counted from 1 to 3"),
        ("X[2:1, :]", "has no rows 2 to 1"),
        ("X[1:, :]", '"1:" needs a first and a last row or column; write P[:, 1:2] for columns 1 and 2'),
        ("X[1:2]", '"[1:2]" is not a part of a matrix; write P[:, 1:2]'),
        ("[:, 1:2]", '"[:, 1:2]" does not follow a matrix; write P[:, 1:2]'),
        ("exp[:, 1](X)", "takes a part of something that is not a matrix"),
        ("softmax1(X, diagonal)", "is not an axis of a softmax"),
        (
            "softmax1(X, rows, rows)",
            "softmax1 takes a matrix, and optionally rows, columns or all, and zeros or uniform for lines",
        ),
        ("tanh(X)", "tanh is not a function of matrices; the functions are exp, softmax, softmax1, mask, hide"),
        ("2", '"2" is not a matrix'),
        ("X = K", "cannot stand in a definition"),
        ("X * K^T", '"K^T" follows a multiplication sign; put matrices side by side'),
        ("Y2", 'unknown name "Y2". Did you mean "Y"?'),
        ("beta X", 'unknown name "beta". Known '),
        ("sofmax(X)", 'unknown function "sofmax". Did you mean "softmax"?'),
        ("row_sum(X)", 'unknown function "row_sum". Did you mean "rowsum"?'),
        ("2 / X", '"2 / X" divides a number by a matrix'),
        ("X / 0", "division by zero"),
        ("exp(X, K)", "exp takes one matrix, not 2 arguments"),
        ("softmax(X, K, E)", "softmax takes a matrix, and"),
        ("softmax(X, row)", '"row" is not an axis of a softmax; write rows, columns or all.'),
        ("max(X)", "max is not a function of matrices"),
        ("sqrt(X)", "cannot stand in a definition"),
        ("sqrt(-2) X", "the square root of a negative number is not a real number"),
        ("X / 2 K", "Ambiguous"),
        ("X Y / r", '"Y / r" follows another factor, as in A V / Z: write A (V / Z) or (A V) / Z.'),
        ("(X", "cannot be read"),
        ("", "cannot be read"),
        (3, "must be text in quotes, not the number 3"),
        (["X"], "must be text in quotes, not a list"),
        ("X\n", "control character"),
    ],
)
def test_formulas_that_are_refused(text: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("S")
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "text",
    [
        "2^1000000000 X",
        "1e999999999 X",
        "((((2^64)^64)^64)^64) X",
        "(" * 1000,
        "X " * 499,
        "sqrt(" * 80 + "2" + ")" * 80 + " X",
        "X^T" + "'" * 300,
        "(a+b+1)^64 (a-b)^64 X",
        "\0",
        "X" * 5000,
        " + ".join(["X"] * 240),
        " .* ".join(["X"] * 180),
        "[X, " * 200,
        "X" + "[1:2, :]" * 120 + "[3, 1]",
        "X[:, 1:999999999]",
        "X[" + "1" * 300 + ", :]",
        "mask(" * 90 + "X" + ", X)" * 90,
        "[" + ", ".join(["1"] * 400) + "] + X",
    ],
)
def test_hostile_formulas_are_answered(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_formula(text, {"X": (2, 3)}, {"a": "real", "b": "real"}, "S")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"tokens": "rows"}, "tokens cannot be used with [definitions]"),
        ({"projection": "X W"}, "projection cannot be used with [definitions]"),
        ({"scores": "Q K^T"}, "scores cannot be used with [definitions]"),
        ({"softmax": "rows"}, "softmax cannot be used with [definitions]"),
        ({"scale": 2}, "scale cannot be used with [definitions]"),
        ({"temperature": 2}, "temperature cannot be used with [definitions]"),
        ({"beta": 2}, "beta cannot be used with [definitions]"),
        ({"titel": "x"}, 'unknown key "titel". Did you mean "title"?'),
        ({"inputs": {}}, "inputs must be a table with at least one matrix"),
        ({"inputs": [[1]]}, "inputs must be a table of matrices, not a list"),
        ({"inputs": {"X": [[1], [2, 3]]}}, "[inputs] X, row 2 has 2 entries and row 1 has 1;"),
        ({"inputs": {"2x": [[1]]}}, '"2x" is not a name; write at most 30 letters'),
        ({"inputs": {"x" * 31: [[1]]}}, "is not a name; write at most 30 letters"),
        ({"inputs": {"a b": [[1]]}}, '"a b" is not a name'),
        ({"inputs": {"softmax": [[1]]}}, "softmax means something else in a formula; choose another name."),
        ({"inputs": {"sum": [[1]]}}, "sum means something else in a formula"),
        ({"inputs": {"a": [[1]]}, "symbols": {"a": "real"}}, "a is already a symbol"),
        ({"inputs": {f"x{i}": [[1]] for i in range(101)}}, "inputs has more than 100 matrices"),
        ({"blocks": [{"inputs": {}}]}, "blocks cannot be used with [definitions]"),
        ({"definitions": {}}, 'definitions is empty; write at least one, as in S = "Q K^T".'),
        ({"definitions": "X^T"}, "definitions must be a table of names and formulas, not the text"),
        ({"definitions": {"X": "X^T"}}, "[definitions] X: X is already an input; give the definition another name."),
        (
            {"definitions": {"S": "T", "T": "X"}},
            "[definitions] S: T is used before its definition; define it first.",
        ),
        ({"definitions": {"S": "S"}}, "S is used before its definition"),
        ({"definitions": {"S'": "X"}}, "is not a name"),
        ({"definitions": {f"x{i}": "X" for i in range(101)}}, "definitions has more than 100 definitions"),
        ({"names": {"A": "map"}}, '[names]: unknown name "A"'),
        ({"names": {"S": "X"}}, "[names] S: S cannot be called X while X has that name"),
        ({"names": {"S": ""}}, "[names] S is empty"),
        ({"names": "S"}, "names must be a table of names"),
        ({"parts": [{"asks": "map"}]}, '[parts #1] asks: with definitions a part asks "prose" or "prove:NAME"'),
        ({"parts": [{"asks": "prose", "tokens": [1]}]}, "with definitions a part asks"),
    ],
)
def test_problems_that_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        build(**keys)
    assert message in str(caught.value)


def test_own_names_want_definitions() -> None:
    with pytest.raises(InputError, match='unknown key "Foo"'):
        Problem.from_text("[inputs]\nFoo = [[1]]\n")


def test_a_defined_problem_has_no_queries() -> None:
    problem = build(parts=[{"asks": ["prose", "prove:row-column"]}])
    for name in ("n_q", "n_k", "d_k", "d_v"):
        with pytest.raises(InputError, match="does not say which of its matrices are queries"):
            getattr(problem, name)
    with pytest.raises(InputError, match="has no convention"):
        _ = problem.convention


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "given"}, 'A problem with definitions is of kind "defined", not "given".'),
        ({"kind": "other"}, 'A problem is of kind self, cross, given, defined, theory, not "other".'),
        ({"definitions": {}}, 'A problem of kind "defined" has inputs and definitions.'),
        ({"definitions": {"X": X}}, "[definitions] X: X is already an input"),
        ({"definitions": {"S": f.times(X, X)}}, "X is 1×2 and X is 1×2"),
        ({"definitions": {"S": Ref("Y")}}, "[definitions] S: unknown name"),
        ({"definitions": {"S": "X^T"}}, "A definition is a formula over matrices, not a str."),
    ],
)
def test_problems_made_in_python_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        dataclasses.replace(build(), **changes)
    assert message in str(caught.value)


def test_an_axis_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match='one of rows, columns, all, not "diagonals"'):
        f.softmax(X, cast("Any", "diagonals"))
    with pytest.raises(InputError, match='one of rows, columns, not "all"'):
        f.line_sum(X, cast("Any", "all"))


def test_the_schema_takes_definitions() -> None:
    tables = {
        "inputs": {"Foo": [[1, "1/2"]]},
        "definitions": {"S": "Foo^T"},
        "tolerance": {"S": "1e-6"},
    }
    assert faults(tables, json_schema()) == []
    assert faults({"inputs": {"a b": [[1]]}}, json_schema())
    assert faults({"inputs": {}, "definitions": {"S": 3}}, json_schema())
    assert faults({"inputs": {"Foo": [[True]]}}, json_schema())


# Laws --------------------------------------------------------------------------------------------------

FACTORS = st.sampled_from([Quotient.of(2), Quotient.of(Fraction(-1, 3)), HALF_ROOT, Quotient.of(1) + HALF_ROOT])


def _above(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    """Formulas over square matrices, all of which conform."""
    return st.one_of(
        st.builds(Transposed, inner),
        st.builds(f.times, inner, inner),
        st.builds(f.scaled, FACTORS, inner),
        st.builds(f.exponential, inner),
        st.builds(f.softmax, inner, st.sampled_from(f.AXES)),
        st.builds(
            lambda top, axis: f.ratio(top, f.line_sum(top, axis), axis), inner, st.sampled_from(["rows", "columns"])
        ),
        st.builds(lambda top: f.ratio(top, f.line_sum(f.line_sum(top), "columns"), "all"), inner),
        st.builds(f.plus, inner, inner),
        st.builds(f.minus, inner, inner),
        st.builds(f.minus, st.just(constant(1)), inner),
        st.builds(f.each_times, inner, inner),
        st.builds(lambda of, by, hides: f.masked(of, by, hides=hides), inner, inner, st.booleans()),
        st.builds(lambda of: f.softmax(of, extra=True), inner),
        st.builds(
            lambda of, axis: f.joined((f.part(of, axis, 1, 1), f.part(of, axis, 2, 3)), axis),
            inner,
            st.sampled_from(f.LINES),
        ),
        st.builds(lambda of: f.times(of, Constant(Matrix([[1, 0, 2], [0, 1, 1], [1, 1, 1]]))), inner),
    )


FORMULAS = st.recursive(st.sampled_from([Ref("P"), Ref("W_Q"), Ref("x2")]), _above, max_leaves=6)
SQUARE = {"P": (3, 3), "W_Q": (3, 3), "x2": (3, 3)}


@given(FORMULAS)
def test_what_is_written_reads_back(formula: Formula) -> None:
    text = f.text_of(formula)
    if len(text) <= 1000:
        assert read_formula(text, SQUARE, {}, "S") == formula
    assert f.shape_of(formula, SQUARE) == (3, 3)
    assert set(names_in(formula)) <= set(SQUARE)
    assert hash(formula) == hash(pickle.loads(pickle.dumps(formula)))  # noqa: S301 (our own)


@given(st.text(st.sampled_from("XKE ^T'/*()2.,-+√_rcsoftmaxexp[]:;1⊙hide"), max_size=30))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    formula: Formula | None
    try:
        formula = read(text)
    except InputError as error:
        formula, message = None, str(error)
    if formula is None:
        assert message.startswith("S")
    else:
        assert read(f.text_of(formula)) == formula


def test_values_of_symbols_are_put_into_inputs() -> None:
    problem = build(symbols={"a": "3/2"}, inputs={"X": [["a", "2*a"]]})
    assert problem.inputs["X"] == Matrix([[Fraction(3, 2), 3]])
