"""Entries and matrices in every spelling that a file may use, and what the others are told."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix
from symattn.notation.lexer.dialects import VULGAR
from symattn.problem.text.document import Numeral
from symattn.problem.values.matrix_input import read_entry, read_matrix, split_matrix

BETA = Polynomial.symbol("beta")
ROOT2 = Polynomial.sqrt(2)
SYMBOLS: dict[str, str | Fraction] = {"beta": "positive", "a": "real", "x_1": "real", "c": Fraction(3, 2)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Numeral("0.1"), Fraction(1, 10)),
        (Numeral("1_000.5"), Fraction(2001, 2)),
        (Numeral("+1e-3"), Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        ("-1/3", Fraction(-1, 3)),
        ("\u22121/3", Fraction(-1, 3)),
        ("2 1/2", Fraction(5, 2)),
        ("-2 1/2", Fraction(-5, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("-0.50", Fraction(-1, 2)),
        (" 7 ", 7),
        ("1/3 + 1/2", Fraction(5, 6)),
        ("2^3", 8),
        ("c", Fraction(3, 2)),
        ("2*c^2", Fraction(9, 2)),
        ("4^(1/2)", 2),
        ("2^(-3)", Fraction(1, 8)),
        ("3²", 9),
        *((mark, Fraction(int(digits[0]), int(digits[1]))) for mark, digits in VULGAR.items()),
        ("2½", Fraction(5, 2)),
        ("\u22122½", Fraction(-5, 2)),
        ("¾ + ¼", 1),
        ("3 (½ + 1)", Fraction(9, 2)),
        (r"\frac{1}{3}", Fraction(1, 3)),
        (r"-\tfrac12", Fraction(-1, 2)),
        (r"$2\cdot 3$", 6),
    ],
)
def test_numbers(value: object, expected: Fraction) -> None:
    assert read_entry(value, SYMBOLS, "X").rational() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("beta", BETA),
        ("2*beta - 1/3", 2 * BETA - Fraction(1, 3)),
        ("-(beta + 1)^2", -(BETA**2) - 2 * BETA - 1),
        ("sqrt(2)/2", ROOT2 * Fraction(1, 2)),
        ("1/sqrt(2)", ROOT2 * Fraction(1, 2)),
        ("1/(1 + sqrt(2))", ROOT2 - 1),
        ("a*beta/4", Polynomial.symbol("a") * BETA * Fraction(1, 4)),
        ("√2/2", ROOT2 * Fraction(1, 2)),
        ("√½", ROOT2 * Fraction(1, 2)),
        (r"\sqrt{2}/2", ROOT2 * Fraction(1, 2)),
        (r"\beta^2 - \frac{a}{2}", BETA**2 - Polynomial.symbol("a") * Fraction(1, 2)),
        ("½beta²", BETA**2 * Fraction(1, 2)),
        ("x_1 + c", Polynomial.symbol("x_1") + Fraction(3, 2)),
    ],
)
def test_polynomials(text: str, expected: Polynomial) -> None:
    assert read_entry(text, SYMBOLS, "X") == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.5, "X"),
        (True, "true"),
        (None, "null"),
        ([1], "a list"),
        (Numeral("nan"), '"nan" is not a number'),
        (Numeral("-inf"), '"-inf" is not a number'),
        ("-inf", '"-inf" is not a number'),
        ("NaN", '"NaN" is not a number'),
        ("Infinity", '"Infinity" is not a number'),
        ("1/0", "X"),
        ("1e999999999", "X"),
        (Numeral("1e999999999"), "X"),
        (Numeral("1e-999999999"), "X"),
        ("1" * 3000, "X"),
        ("1" * 5000, "more than 4,000 characters"),
        ("9" * 1500 + "*a", "X"),
        ("", "the entry is empty"),
        ("1.5½", "'½' has no meaning"),
        ("1/2½", "'½' has no meaning"),
        (r"\input{x}", "is not known"),
        ("\frac{1}{3}", r"in double quotes \f makes a control character. Use single quotes, or double the backslash."),
        ("\beta", r"in double quotes \b makes a control character"),
        (r"\frac{1}{", "cannot be read"),
        ("0,5", 'A decimal takes a point, "0.5", and a number has nothing between its thousands.'),
        ("-1,414", 'A decimal takes a point, "-1.414"'),
        ("1,000", 'A decimal takes a point, "1.000"'),
        ("1,2,3", "cannot be read"),
        ("pi/4", '"pi" is neither a fraction nor a root'),
        ("π", '"pi" is neither a fraction nor a root'),
        (r"\pi", '"pi" is neither a fraction nor a root'),
        ("e^2", '"e" is neither a fraction nor a root'),
        ("sqrt(-1)", "the square root of a negative number is not a real number"),
        ("sqrt(sqrt(2))", "a square root must be of a rational number; write its value as"),
        ("١", "not one of the digits 0 to 9"),
        ("1,5", "X"),
        ("betta", 'Did you mean "beta"'),
        ("gamma", 'Known symbols: "beta", "a"'),
        ("1/a", "division by the symbol a"),
        ("1/(c - c)", "division by zero"),
        ("a^a", "whole number of at most 64"),
        ("a^65", "whole number of at most 64"),
        ("9^(9^9)", "cannot be read"),
        ("9^9^9", "cannot be read"),
        ("(((9^64)^64)^64)^64", "too many digits"),
        ("(a + beta + x_1)^64", "more than 400 terms"),
        ("sqrt(a)", "square root"),
        ("sqrt(12345678901)", "a number up to 1,000,000,000"),
        ("x_a", "a symbol must be letters"),
        ("x_1_2", "a symbol must be letters"),
        ("2^(-c)", "whole number"),
        ("+".join(f"a^{i}" for i in range(60)) + "+(a+beta+c)^27", "more than 400 terms"),
        ("sqrt(-1)", "square root"),
        ("sqrt(12345678901234567891)", "square root"),
        ("1/(1+sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+sqrt(11)+sqrt(13))", "denominator"),
        ("exp(a)", '"exp" is not allowed'),
        ("a = 1", "cannot stand in an entry"),
        ("(a, beta)", "cannot stand in an entry"),
        ("a +", "cannot be read"),
        ("(" * 3000, "cannot be read"),
        ("a\0", "cannot be read"),
        ("__import__('os')", "X"),
    ],
)
def test_other_entries_are_refused_with_their_place(value: object, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read_entry(value, SYMBOLS, "X, row 1, column 2")
    message = str(caught.value)
    assert message.startswith("X, row 1, column 2")
    assert len(message) < 400
    assert message.endswith((".", "?"))


@pytest.mark.parametrize(
    "text",
    [
        "[[1, 2], [3, 4]]",
        "[[1,2],[3,4]]",
        "[[1 2] [3 4]]",
        "[[1. 2.]\n [3. 4.]]",
        "[[1 2]\n [3 4]]",
        "array([[1, 2],\n       [3, 4]])",
        "np.array([[1, 2], [3, 4]])",
        "[1 2; 3 4]",
        "[1, 2; 3, 4]",
        "[ 1 2\n 3 4 ]",
        "[1 2; 3 4;]",
        "[[1, 2,], [3, 4,],]",
        "[2/2 2;3 8/2]",
    ],
)
def test_whole_matrices_in_one_string(text: str) -> None:
    assert read_matrix(text, {}, "X") == Matrix([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[1 2 3]", [["1", "2", "3"]]),
        ("[1; 2]", [["1"], ["2"]]),
        ("[[2 1/2, a + 1]]", [["2 1/2", "a + 1"]]),
        ("[2 1/2]", [["2", "1/2"]]),
        ("[-1 -2]", [["-1", "-2"]]),
    ],
)
def test_spaces_part_entries_only_without_commas(text: str, rows: list[list[str]]) -> None:
    assert split_matrix(text, "X") == rows


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "X must be a matrix"),
        (3, "X must be a matrix"),
        (True, "X must be a matrix"),
        (0.5, "X must be a matrix"),
        ({"a": 1}, "X must be a matrix"),
        ([], "X is empty"),
        ([1, 2], "X, row 1 must be a list of entries"),
        ([[]], "X, row 1 is empty"),
        ([[1], []], "X, row 2 is empty"),
        ([[1, 2], [3]], "X, row 2 has 1 entry and row 1 has 2"),
        ([[1], [2], [3, 4, 5]], "X, row 3 has 3 entries and row 1 has 1"),
        ([[1, 2], [0, 5, 1]], "the same length. A decimal takes a point: 0.5, not 0,5."),
        ([[0, 25, 0, 5], [1, 2]], "the same length. A decimal takes a point: 0.25, not 0,25."),
        ("[1, 2; -0,5, 1]", "the same length. A decimal takes a point: -0.5, not -0,5."),
        ([[1, "zz"]], "X, row 1, column 2"),
        ([[1, True]], "X, row 1, column 2 must be a number, not true"),
        ([[1, [2]]], "X, row 1, column 2 must be a number, not a list"),
        ([[1] * 2049], "at most 2,048 rows and columns"),
        ([[1] * 600] * 600, "300,000 entries"),
        ("", "is not a matrix"),
        ("3", "is not a matrix"),
        ("[", "is not a matrix"),
        ("[]", "X, row 1 is empty"),
        ("[[]]", "X, row 1 is empty"),
        ("[[1, 2], 3]", "where a row in square brackets should"),
        ("[[1, 2], [3, 4]", "X: the brackets of row 2 do not match"),
        ("[[[1]]]", "do not match"),
        ("[1 [2]; 3]", "a bracket stands inside"),
        ("[1 2; 3]", "X, row 2 has 1 entry and row 1 has 2"),
        ("[1, , 2]", "X, row 1, column 2: the entry is empty"),
        ("[[1 ... 2]]", "the dots stand for missing entries"),
        ("[" * 100_000, "is not a matrix"),
        ("[" * 100_000 + "]" * 100_000, "do not match"),
        ("[" + "1;" * 4000 + "]", "at most 2,048"),
    ],
)
def test_other_matrices_are_refused_with_their_row(value: object, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        read_matrix(value, {}, "X")


@given(st.lists(st.lists(st.fractions(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_every_spelling_of_a_matrix_is_the_same_matrix(rows: list[list[Fraction]]) -> None:
    expected = Matrix(rows)
    nested = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    matlab = "; ".join(" ".join(map(str, row)) for row in rows)
    assert read_matrix([[str(entry) for entry in row] for row in rows], {}, "X") == expected
    assert read_matrix(f"[{nested}]", {}, "X") == expected
    assert read_matrix(f"[{matlab}]", {}, "X") == expected


def test_exact_numbers_of_other_libraries_stand_in_lists() -> None:
    import numpy as np  # start-up: only this test needs them
    import sympy

    rows = [[sympy.Rational(1, 3), np.int64(2)], [sympy.sqrt(2), Fraction(1, 2)]]
    assert read_matrix(rows, {}, "X") == Matrix([["1/3", 2], [ROOT2, "1/2"]])
    assert read_matrix(np.array([[1, 2]]), {}, "X") == Matrix([[1, 2]])
    for wrong in (
        [[np.float64(0.5)]],
        np.array([[0.5]]),
        [[object()]],
        object(),
        np.zeros((4000, 1), dtype=int),
    ):
        with pytest.raises(InputError, match="X"):
            read_matrix(wrong, {}, "X")


def test_sympy_matrices_bring_their_own_symbols() -> None:
    import sympy  # start-up: only this test needs it

    a = sympy.Symbol("a")
    matrix = read_matrix(sympy.Matrix([[a, sympy.sqrt(2) / 2], [sympy.Rational(1, 3), 2 * a - 1]]), {}, "X")
    assert matrix.symbols == {"a"}
    assert matrix[0, 1].polynomial() == ROOT2 * Fraction(1, 2)
    with pytest.raises(InputError):
        read_matrix(sympy.Matrix([[sympy.Float("0.5")]]), {}, "X")


@pytest.mark.parametrize("value", [[[1, 2], [1, 2, 0]], [[0, 25, 0, 5], [1]], [[2, 5, 1], [1, 2]]])
def test_rows_that_a_comma_in_decimals_does_not_explain(value: list[list[int]]) -> None:
    with pytest.raises(InputError, match=r"give all rows the same length\.$"):
        read_matrix(value, {}, "X")
