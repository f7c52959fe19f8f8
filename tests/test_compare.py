"""Computed floats against certified values: errors and roundings worked out a second time from Arb's values."""

from __future__ import annotations

import json
import random
import runpy
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import ml_dtypes
import numpy as np
import pytest

import symattn as sa
from symattn.api.solutions import large_result, solved
from symattn.errors import InputError, ShapeError, SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.graph.numeric.integer_rows import NumericLayer
from symattn.problem.model import Problem
from symattn.rendering.reports.comparison import MAX_SIDE
from tests.suites.by_arb import ByArb
from tests.suites.torch_cases import Function, Record, records

ROOT = Path(__file__).parent.parent

TYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}
SHAPES = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}
"""Precision and least exponent, as IEEE 754 and the makers of bfloat16 have them."""

SAMPLE = 25
"""Calls of each program; all of them with the `long` tests."""

_SLACK = Fraction(1, 10**12)
_NOISE = Fraction(1, 2**250)
"""What is left of an error that is zero: the middle of a ball is not exact."""


# A second opinion ------------------------------------------------------------------------------------


def unit(value: Fraction, name: str) -> Fraction:
    """The spacing of floats at a value: binade by binade, from the least one on."""
    precision, exponent = SHAPES[name]
    if abs(value) >= Fraction(1, 2**10):
        exponent = -10
    while Fraction(2) ** (exponent + 1) <= abs(value):
        exponent += 1
    return Fraction(2) ** (exponent - precision + 1)


def is_nearest(value: Fraction, rounded: float, name: str) -> bool:
    """Whether no neighbour of a float is nearer to a value; of two that are equally near, the even one."""
    kind = TYPES[name]
    here = np.array(rounded).astype(kind)
    assert float(here) == rounded
    bits = here.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[here.itemsize])
    distance = abs(value - Fraction(rounded))
    for neighbour in (np.nextafter(here, kind(np.inf)), np.nextafter(here, kind(-np.inf))):
        other = abs(value - Fraction(float(neighbour)))
        if other < distance or (other == distance and int(bits) % 2):
            return False
    return True


def agrees(text: str, error: Fraction) -> bool:
    """Whether 3 figures are those of an error, rounded."""
    shown = Fraction(text)
    if abs(error) < _SLACK:
        return abs(shown) < _SLACK
    place = Fraction(10) ** (len(str(int(abs(error)))) - 3) if abs(error) >= 1 else Fraction(1, 1000)
    while place * 100 > abs(error):
        place /= 10
    return abs(shown - error) <= place / 2 + _SLACK


def check(problem: Problem, array: Any, name: str) -> int:
    """Compares, and works all of it out again from Arb's values; how many entries were numbers."""
    found = sa.compare(sa.solve(problem), array)
    values: list[list[Any]] = ByArb(problem).rows("O")
    errors, nearest = [], 0
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            got = float(array[i][j])
            entry = found[i, j]
            if entry.rounded == "nan":  # a query that sees no key
                assert entry.error == ("0" if np.isnan(got) else "nan")
                continue
            error = (Fraction(got) - value) / unit(value, name)
            assert agrees(entry.error, error), (entry, float(error))
            assert is_nearest(value, found.rounded[i][j], name), entry
            assert entry.is_correctly_rounded == (got == found.rounded[i][j])
            errors.append(abs(error) if abs(error) > _NOISE else Fraction(0))
            nearest += entry.is_correctly_rounded
    assert (found.format, found.shape) == (name, (len(values), len(values[0])))
    if len(errors) == found.shape[0] * found.shape[1]:
        assert found.correctly_rounded == nearest
        assert agrees(found.worst.error.removeprefix("-"), max(errors))
        assert found.within(max(errors) + _SLACK)
        assert max(errors) < _SLACK or not found.within(max(errors) - _SLACK)
        assert sum(one.count for one in found.histogram) == len(errors)
        for one in found.histogram:
            if one.above is not None and one.up_to is not None:
                assert one.count == sum(one.above < error <= one.up_to for error in errors)
    return len(errors)


# Recorded and computed arrays ------------------------------------------------------------------------


def recorded() -> list[Record]:
    """The calls of torch's function in the two formats, one of each in turn."""
    each = [
        [one for one in records() if one["type"] == name and one["call"] == "scaled_dot_product_attention"]
        for name in ("float32", "bfloat16")
    ]
    return [one for pair in zip(*each, strict=False) for one in pair]


def number_of(word: Any) -> float:
    return float.fromhex(word) if "0x" in word else float(word)


def check_recorded(record: Record) -> int:
    call, name = Function(record), record["type"]
    count = 0
    for sequence, heads in enumerate(record["outputs"]["output"]):
        problem = Problem.build(**call.keys(sequence))
        side_by_side = [[number_of(word) for rows in row for word in rows] for row in zip(*heads, strict=True)]
        count += check(problem, np.array(side_by_side).astype(TYPES[name]), name)
    return count


@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_recorded_array_of_torch(number: int) -> None:
    assert check_recorded(recorded()[number]) >= 4


@pytest.mark.long
def test_all_recorded_arrays_of_torch() -> None:
    assert len([check_recorded(record) for record in recorded()]) >= 48


def computed(number: int, names: Sequence[str]) -> Iterator[tuple[Problem, Any, str]]:
    """A layer by numpy, in some formats: as it is written in courses, without a word on accuracy."""
    source = random.Random(f"numpy {number}")
    n_q, n_k, d_k, d_v = (source.randint(1, 5) for _ in range(4))
    factor = source.choice((1, 1, 4))
    numbers = [
        np.array([[source.gauss(0, factor) for _ in range(columns)] for _ in range(rows)])
        for rows, columns in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    ]
    for name in names:
        kind = TYPES[name]
        Q, K, V = (matrix.astype(kind) for matrix in numbers)
        scores = np.matmul(Q, K.T) * kind(0.5)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        output = np.matmul(powers / powers.sum(axis=1, keepdims=True), V)
        yield Problem.build(Q=Q, K=K, V=V, scale="1/2", floats="binary"), output.astype(kind), name


@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_computed_array_of_numpy(number: int) -> None:
    names = ("float32", "bfloat16", "float16", "float64")
    for problem, output, name in computed(number, [names[number % 2], *names[2 : 2 + (number % 10 == 0) * 2]]):
        assert check(problem, output, name) == output.size


@pytest.mark.long
def test_many_computed_arrays_of_numpy() -> None:
    for number in range(200):
        for problem, output, name in computed(number, tuple(TYPES)):
            assert check(problem, output, name) == output.size


# Rows of bounds --------------------------------------------------------------------------------------


def spoilt(array: Any, source: random.Random) -> Any:
    """The array with some entries of another size, infinite, or not numbers."""
    flat = array.copy().ravel()
    for _ in range(source.randint(0, 3)):
        flat[source.randrange(flat.size)] = source.choice([0, -1, 1e4, 1e-7, np.inf, -np.inf, np.nan])
    return flat.reshape(array.shape)


def check_rows(number: int) -> int:
    """Compare by rows of bounds, and by exact values: word for word the same."""
    source, count = random.Random(f"rows {number}"), 0
    names = list(TYPES) if number % 4 == 0 else [list(TYPES)[number % 4]]
    for plain, output, name in computed(number, names):
        mask = {"mask": "causal"} if plain.n_q == plain.n_k and number % 3 == 0 else {}
        problem = Problem.build(**{letter: plain.inputs[letter] for letter in "QKV"}, scale="1/2", **mask)
        by_rows, exact = large_result(problem), solved(problem)
        assert by_rows is not None
        weights = np.array(exact.A.evaluate(9).tolist(), dtype=float).astype(TYPES[name])
        for of, right in (("O", output), ("A", weights)):
            array = spoilt(right, source)
            fast, slow = sa.compare(by_rows, array, of=of), sa.compare(exact, array, of=of)
            assert fast.as_json() == slow.as_json()
            assert list(fast.lines()) == list(slow.lines())
            for bound in ("1/2", 1, 2):
                assert fast.within(bound) == slow.within(bound)
            for bound in ("1e-3", "1e-7"):
                assert fast.allclose(rtol=bound) == slow.allclose(rtol=bound)
                assert fast.allclose(atol=bound) == slow.allclose(atol=bound)
            count += array.size
    return count


@pytest.mark.parametrize("number", range(24))
def test_rows_of_bounds_tell_what_exact_values_tell(number: int) -> None:
    assert check_rows(number)


@pytest.mark.long
def test_rows_of_bounds_tell_what_exact_values_tell_of_100_000_entries() -> None:
    assert sum(map(check_rows, range(24, 4024))) > 100_000


def test_only_disputed_entries_have_closed_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    source = np.random.default_rng(3)
    Q, K, V = (source.standard_normal((32, 8)).astype(np.float16) for _ in range(3))
    result = sa.solve(Problem.build(Q=Q, K=K, V=V, floats="binary"))
    array = np.array([list(map(float, row)) for row in result.O.rounded(12)], dtype=np.float16)
    array[3, 4] *= np.float16(1.25)
    made = []

    def counted(self: NumericLayer, row: int) -> Any:
        made.append(row)
        return weights(self, row)

    weights = NumericLayer.weights
    monkeypatch.setattr("symattn.api.solutions.solved", lambda _: pytest.fail("the whole layer is worked"))
    monkeypatch.setattr(NumericLayer, "weights", counted)
    found = sa.compare(result, array)
    assert (found.worst.row, found.worst.column, len(made)) == (4, 5, 1)
    assert (found.within(2), found.within(600), found.correctly_rounded) == (False, True, 255)
    assert made == [3]


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e4m3", "float8_e5m2"])
def test_formats_of_8_bits(name: str) -> None:
    kind = getattr(ml_dtypes, name)
    found = sa.compare(
        Matrix([[1, 464, "464.1", 1000, "1/3", "1e-9"]]), np.array([[1, 448, 448, 448, 0.34, 0]]).astype(kind)
    )
    right = np.array([1, 464, 464.1, 1000, 1 / 3, 1e-9]).astype(kind).astype(float)
    assert str(found.rounded) == str([right.tolist()])
    assert found.format == name


# Stacks ----------------------------------------------------------------------------------------------


def test_sequences_and_heads_are_compared_in_one_call() -> None:
    source = np.random.default_rng(4)
    Q, K, V = (source.standard_normal((2, heads, 5, 4)).astype(np.float32) for heads in (4, 2, 2))
    batch = sa.attention(Q=Q, K=K, V=V, mask={"keep": np.tri(5, dtype=bool)}, floats="binary")
    assert (batch.problem.heads, batch.problem.kv_heads, len(batch.sequences)) == (4, 2, 2)
    scores = np.where(np.tri(5, dtype=bool), Q @ np.repeat(K, 2, axis=1).swapaxes(2, 3) / 2, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    output = (weights @ np.repeat(V, 2, axis=1)).astype(np.float32)
    found = sa.compare(batch, output)
    assert (found.shape, found.format) == ((2, 4, 5, 4), "float32")
    assert found.allclose(rtol="1e-4", atol="1e-6")
    assert not found.allclose(atol="1e-12")
    for at in np.ndindex(2, 4):
        one = sa.compare(batch.sequences[at[0]].heads[at[1]].O, output[at])
        assert found.errors[at[0]][at[1]] == one.errors
        assert found.rounded_bits[at[0]][at[1]] == one.rounded_bits
    output[1, 2, 3, 0] = np.nan
    spoilt = sa.compare(batch, output)
    assert (spoilt.worst.part, spoilt.worst.row, spoilt.worst.column, spoilt.worst.error) == ((2, 3), 4, 1, "nan")
    assert spoilt[1, 2, 3, 0] == spoilt.worst
    assert not spoilt.within(10**9)
    assert "part 2, 3, row 4, column 1" in str(spoilt)
    lines = list(spoilt.lines())
    assert lines[0] == "sequence,head,row,column,computed,nearest,error_ulp"
    assert (len(lines), next(line for line in lines if line.endswith("nan")).split(",")[:4]) == (
        161,
        ["2", "3", "4", "1"],
    )
    record = spoilt.as_json()
    assert (record["shape"], np.array(record["errors"]).shape) == ([2, 4, 5, 4], (2, 4, 5, 4))
    assert sa.compare(batch.sequences[0], weights[0].astype(np.float32), of="A").shape == (4, 5, 5)


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (((1, 2, 3, 2), (2, 3, 2), (1, 2, 3, 2)), "Q has an axis of heads: give Q, K and V with four axes"),
        (((1, 2, 3, 2), (1, 2, 3, 2), (1, 1, 3, 2)), "different numbers of heads"),
    ],
)
def test_stacks_that_do_not_fit(shapes: Any, sentence: str) -> None:
    given = {name: np.ones(shape) for name, shape in zip("QKV", shapes, strict=True)}
    with pytest.raises(ShapeError, match=sentence):
        sa.attention(**given, floats="binary")
    with pytest.raises(InputError, match="contradicts the 2 heads"):
        sa.attention(**dict.fromkeys("QKV", np.ones((1, 2, 3, 2))), heads=3, floats="binary")


# What is told ----------------------------------------------------------------------------------------


def test_a_saturated_weight_is_exact_to_the_eye_only() -> None:
    """1 - e^-1000 lies below 1, where floats are half as far apart; its error is not zero, and has digits."""
    weight = Quotient(ExpSum.exp(1000), ExpSum.exp(1000) + 1)
    found = sa.compare(Matrix([[weight]]), np.array([[1.0]], dtype=np.float32), of="A")
    assert (found.is_correctly_rounded, found.worst.error) == (True, "8.52e-428")
    assert [(one.label, one.count) for one in found.histogram] == [("0 to 0.5", 1)]
    assert found.within("1e-427")
    assert not found.within("8.5e-428")


def test_half_a_unit_is_decided_exactly() -> None:
    """Of 1 + 2^-24 + e^-500 the float 1 is more than half a unit away; without the exponential, half a unit."""
    tie = 1 + Fraction(1, 2**24)
    above, below = (Quotient(ExpSum.exp(500) * tie + side, ExpSum.exp(500)) for side in (1, -1))
    one = np.array([[1.0, 1.0, 1.0]], dtype=np.float32)
    found = sa.compare(Matrix([[below, Quotient.of(tie), above]]), one)
    assert found.errors == [["-0.500", "-0.500", "-0.500"]]
    assert [found[0, j].is_correctly_rounded for j in range(3)] == [True, True, False]
    assert [found[0, j].rounded_bits for j in range(3)] == ["0x3f800000", "0x3f800000", "0x3f800001"]
    assert [(one.label, one.count) for one in found.histogram] == [("0 to 0.5", 2), ("0.5 to 1", 1)]
    assert not found.within("1/2")
    assert found.within("0.50000001")


def test_the_unit_is_that_of_the_certified_value() -> None:
    """At 1 the float below is half a unit away and wrong all the same; below 1 the unit is half as large."""
    eps = Fraction(1, 2**10)
    found = sa.compare(Matrix([[1, 1 - eps / 2]]), [[float(1 - eps / 2), 1.0]], form="float16")
    assert found.errors == [["-0.500", "1.00"]]
    assert found.correctly_rounded == 0
    assert found.within("1")


@pytest.mark.parametrize(("computed_zero", "bits"), [(0.0, "0x00000000"), (-0.0, "0x80000000")])
def test_zeros_of_both_signs_are_zero(computed_zero: float, bits: str) -> None:
    tiny = Quotient(ExpSum.exp(-200))
    found = sa.compare(Matrix([[0, tiny, -tiny]]), np.full((1, 3), computed_zero, dtype=np.float32))
    assert found.is_correctly_rounded
    assert found.rounded_bits == [["0x00000000"] * 3]
    assert found[0, 0].got_bits == bits
    assert found.errors == [["0", "-9.88e-43", "9.88e-43"]]


def test_what_overflows() -> None:
    """Past 65520 all of float16 is infinity; the largest number is wrong there, and infinity is wrong before."""
    huge = Quotient(ExpSum.exp(10**9))
    values = Matrix([[65520, 65519, huge, 65520, -huge]])
    found = sa.compare(values, np.array([[np.inf, np.inf, np.inf, 65504, -np.inf]], dtype=np.float16))
    assert found.errors == [["0", "inf", "0", "-0.500", "0"]]
    assert [found[0, j].is_correctly_rounded for j in range(5)] == [True, False, True, False, True]
    assert (found.worst.column, found.worst.got, found.worst.rounded) == (2, "inf", "65500")
    assert found.rounded[0][2] == np.inf
    assert not found.within(10**9)
    right = sa.compare(Matrix([[huge, "1/3"]]), np.array([[np.inf, 0.25]], dtype=np.float16))
    assert (right.worst.column, right.worst.error) == (2, "-341")
    off = sa.compare(Matrix([[huge]]), np.array([[1]], dtype=np.float16))
    assert off.errors[0][0].startswith("-2.5")
    assert not off.within(10**30)


def test_what_is_no_number() -> None:
    """A query that sees no key has no weights, which nan says; zeros there are another answer."""
    values = Matrix([[UNDEFINED, UNDEFINED, MINUS_INFINITY, MINUS_INFINITY, 1]])
    found = sa.compare(values, np.array([[np.nan, 0, -np.inf, -1e30, np.nan]], dtype=np.float32), of="S_masked")
    assert found.errors == [["0", "nan", "0", "inf", "nan"]]
    assert found.correctly_rounded == 2
    assert found.rounded_bits[0][2:] == ["0xff800000", "0xff800000", "0x3f800000"]
    assert found.histogram[-1].label == "no number"
    assert (found.histogram[-1].count, found.worst.column) == (3, 2)
    assert "no number" in str(found)


def test_what_was_computed_in_another_order_of_magnitude() -> None:
    found = sa.compare(Matrix([[1, 0]]), np.array([[1e10, 1e-45]], dtype=np.float32))
    assert next((one.label, one.count) for one in found.histogram) == ("0.5 to 1", 1)
    assert (found.histogram[-1].label, found.histogram[-1].count) == ("more than 1024", 1)


def layer(**keys: Any) -> Any:
    return sa.attention(**{"Q": [[1, 0], [0, 1]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], **keys})


def test_each_quantity_can_be_compared() -> None:
    result = layer()
    for name in ("S", "A", "O"):
        found = sa.compare(result, np.array(result[name].evaluate(20).tolist(), dtype=float), of=name)
        assert found.is_correctly_rounded, name
        assert str(found).startswith(f"{name}, 2×2 of float64: 4 of 4 correctly rounded")
    again = sa.compare(result.A, [[0.5, 0.5], [0.5, 0.5]])
    assert again.correctly_rounded == 0


def test_heads_and_sequences_are_compared_one_by_one() -> None:
    two = layer(heads=2)
    outputs = np.zeros((2, 2, 1))
    for head, output in zip(two.heads, outputs, strict=True):
        assert sa.compare(head.O, output).shape == (2, 1)
    assert sa.compare(two, np.zeros((2, 2)), of="A^2").of == "A^2"
    batch: Any = sa.attention(Q=[[[1]], [[2]]], K=[[1]], V=[[3]])
    assert [sa.compare(one, np.array([[3.0]])).is_correctly_rounded for one in batch.sequences] == [True, True]
    with pytest.raises(InputError, match="sequence"):
        sa.compare(batch, np.array([[3.0]]))


@pytest.mark.parametrize(
    ("array", "of", "kind", "sentence"),
    [
        (np.zeros((2, 3)), "O", ShapeError, "array for O is 2×3, and O is 2×2"),
        (np.zeros((3, 2, 2)), "O", ShapeError, "has 3 heads where the result has 1"),
        (np.zeros((1, 1, 2, 2)), "O", ShapeError, "has 4 axes"),
        (np.zeros((2, 2), dtype=int), "O", InputError, "has the type int64"),
        (np.zeros((2, 2)), "P", InputError, "Unknown quantity 'P'"),
        ("zeros", "O", ShapeError, "not a matrix"),
    ],
)
def test_what_cannot_be_compared(array: Any, of: str, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        sa.compare(layer(), array, of=of)


def test_symbols_and_other_things_are_refused() -> None:
    result = layer(Q=[["x", 0], [0, 1]], symbols={"x": "real"})
    with pytest.raises(SymbolicValueError):
        sa.compare(result, np.zeros((2, 2)))
    with pytest.raises(InputError, match="solve first"):
        sa.compare(result.problem, np.zeros((2, 2)))
    with pytest.raises(InputError, match="binary float"):
        sa.compare(layer(), np.zeros((2, 2))).within(0.5)  # type: ignore[arg-type]


def test_it_is_no_bool() -> None:
    with pytest.raises(TypeError, match="within"):
        bool(sa.compare(layer(), np.zeros((2, 2))))


def test_soft_caps_are_compared_too() -> None:
    result = layer(softcap=2)
    found = sa.compare(result, np.array(result.O.evaluate(30).tolist(), dtype=np.float32))
    assert found.is_correctly_rounded


# Shown -----------------------------------------------------------------------------------------------


def test_the_json_holds_all() -> None:
    result = layer()
    array = np.array(result.O.evaluate(20).tolist(), dtype=np.float32)
    array[1, 0] = np.nextafter(array[1, 0], np.float32(9))
    found = sa.compare(result, array)
    record = json.loads(found.to_json())
    assert record == found.as_json()
    assert (record["type"], record["shape"], record["correctly_rounded"]) == ("float32", [2, 2], 3)
    assert (record["worst"]["row"], record["worst"]["column"]) == (2, 1)
    assert record["errors"] == found.errors
    assert sum(one["count"] for one in record["histogram"]) == 4
    right = np.array(record["rounded"], dtype=np.float32)
    assert right.tolist() == found.rounded
    assert [[f"0x{bits:08x}" for bits in row] for row in right.view(np.uint32).tolist()] == record["rounded_bits"]


SVG = "{http://www.w3.org/2000/svg}"


def rectangles(svg: str) -> list[ET.Element]:
    """Those with a title, the entries of the map."""
    found = ET.fromstring(svg).iter(f"{SVG}rect")  # noqa: S314 - our own document
    return [one for one in found if one.find(f"{SVG}title") is not None]


def test_the_picture_has_a_square_for_each_entry() -> None:
    found = sa.compare(Matrix([["1/3", 1, 0]]), np.array([[0.5, np.nan, 0]]), of="A < B")
    squares = rectangles(found.to_svg())
    assert [one.findtext(f"{SVG}title") for one in squares] == found.errors[0]
    colours = [one.get("fill") for one in squares]
    assert len(set(colours)) == 3
    assert colours[1] == "#000000"
    assert found._repr_svg_() == found.to_svg()
    assert found._repr_html_().startswith("<div>A &lt; B, 1×3 of float64")
    assert repr(found).startswith("<Comparison of A < B, 1×3 of float64")


def test_a_large_picture_shows_the_worst_of_each_block() -> None:
    array = np.zeros((1, 2 * MAX_SIDE + 1), dtype=np.float32)
    array[0, 4] = 1
    squares = rectangles(sa.compare(Matrix([[0] * array.size]), array).to_svg())
    assert len(squares) == (2 * MAX_SIDE + 1) // 3
    assert len({one.get("fill") for one in squares}) == 2


# The example -----------------------------------------------------------------------------------------


def test_the_example_prints_what_was_reviewed(capsys: pytest.CaptureFixture[str], pytestconfig: pytest.Config) -> None:
    """It changes only with ``--update-golden``."""
    runpy.run_path(str(ROOT / "examples" / "compare_float32.py"), run_name="__main__")
    printed, golden = capsys.readouterr().out, ROOT / "tests" / "golden" / "compare_float32.txt"
    if pytestconfig.getoption("--update-golden"):
        golden.write_text(printed, encoding="utf-8")
    assert printed == golden.read_text(encoding="utf-8")


def test_the_example_computes_as_numpy_does() -> None:
    """Each operation of float32, so that what is compared is what a program of numpy's would give."""
    module = runpy.run_path(str(ROOT / "examples" / "compare_float32.py"))
    source = random.Random("example")
    for _ in range(50):
        left, right = (np.array([source.gauss(0, 1) for _ in range(4)], dtype=np.float32) for _ in range(2))
        total = np.float32(0)
        for a, b in zip(left, right, strict=True):
            total += a * b
        assert module["dot"](left.tolist(), right.tolist()) == float(total)


def test_heads_that_are_compared_have_the_right_floats_and_a_picture() -> None:
    eye = [[1, 0], [0, 1]]
    result = sa.solve(Problem.build(X=[[1, 2], [3, 1]], W_Q=eye, W_K=eye, W_V=eye, heads=2))
    found = sa.compare(result, [[[0.5]] * 2] * 2, form="float32")
    assert np.shape(found.rounded) == (2, 2, 1)
    assert len(found.cells()) == 4
