"""Arrays of the frameworks as inputs: exact values, shortest decimals, layouts, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.arrays.floats import dtype_name, floats_of, is_array
from symattn.arrays.keys import exact_keys
from symattn.errors import InputError, ShapeError
from symattn.exact.linear.matrix import Matrix
from symattn.problem.model import Problem

TYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


class TorchDtype:
    """Prints as a type of torch does, and has no `name`."""

    def __init__(self, name: str) -> None:
        self.text = f"torch.{name}"

    def __repr__(self) -> str:
        return self.text


class Tensor:
    """What torch gives to read: entries of a tensor that records gradients, on a device, are not to be had."""

    def __init__(self, rows: Any, name: str, *, at_hand: bool = False) -> None:
        self.rows, self.dtype, self.at_hand = rows, TorchDtype(name), at_hand
        self.shape = (len(rows), len(rows[0]))

    def detach(self) -> Tensor:
        return Tensor(self.rows, self.dtype.text.removeprefix("torch."))

    def cpu(self) -> Tensor:
        return Tensor(self.rows, self.dtype.text.removeprefix("torch."), at_hand=True)

    def tolist(self) -> Any:
        if not self.at_hand:
            raise RuntimeError("a tensor of another device was read")
        return self.rows


def given_Q(array: Any, **keys: Any) -> Matrix:
    problem = Problem.build(Q=array, K=[[1] * np.asarray(array, dtype=object).shape[-1]], V=[[1]], **keys)
    return problem.inputs["Q"]


# Values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
def test_floats_are_taken_by_their_binary_values(kind: Any) -> None:
    array = np.array([[0.1, -2.5, 1e-3]]).astype(kind)
    assert given_Q(array, floats="binary") == Matrix([[Fraction(float(one)) for one in array[0]]])


@pytest.mark.parametrize("kind", TYPES)
def test_floats_are_taken_by_their_shortest_decimals(kind: Any) -> None:
    array = np.array([[0.1, -2.5, 0.007]]).astype(kind)
    assert given_Q(array, floats="shortest") == Matrix([["0.1", "-2.5", "0.007"]])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64, ml_dtypes.int4])
def test_integers_need_no_word(kind: Any) -> None:
    assert given_Q(np.array([[1, 7]]).astype(kind)) == Matrix([[1, 7]])


def test_truth_values_are_ones_and_zeros() -> None:
    assert given_Q(np.array([[True, False]])) == Matrix([[1, 0]])


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-(2.0**100), max_value=2.0**100, width=32))
def test_a_shortest_decimal_reads_back(number: float) -> None:
    found: Any = exact_keys({"Q": np.array([[number]], dtype=np.float32), "floats": "shortest"})["Q"]
    assert np.float32(float(found[0][0])) == np.float32(number)


def test_the_ends_of_doubles() -> None:
    array = np.array([[5e-324, -0.0]])
    assert given_Q(array, floats="binary") == Matrix([[Fraction(1, 2**1074), 0]])
    assert given_Q(array, floats="shortest") == Matrix([["5e-324", 0]])


@pytest.mark.parametrize("reading", ["binary", "shortest"])
def test_floats_of_python_stand_in_lists(reading: str) -> None:
    wanted = Fraction(0.1) if reading == "binary" else Fraction(1, 10)
    problem = Problem.build(Q=[[0.1, 1, "1/3"]], K=[[1, 1, 1]], V=[[1]], scale=0.1, floats=reading)
    assert problem.inputs["Q"] == Matrix([[wanted, 1, "1/3"]])
    assert problem.scale.value is not None
    assert problem.scale.value.rational() == wanted


# Layouts and places ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turned",
    [
        np.asfortranarray,
        lambda array: array.astype(array.dtype.newbyteorder()),
        lambda array: np.repeat(array, 2, axis=1)[:, ::2],
        lambda array: array[::-1, ::-1][::-1, ::-1],
        np.ma.masked_array,
        lambda array: array.astype(object),
        lambda array: [list(row) for row in array],
        list,
    ],
)
def test_the_layout_is_of_no_matter(turned: Callable[[Any], Any]) -> None:
    array = np.array([[0.5, 1.25], [-3.0, 0.1]], dtype=np.float32)
    assert given_Q(turned(array), floats="binary") == given_Q(array, floats="binary")


def test_memory_of_the_standard_library() -> None:
    array = np.array([[0.5, 1.25], [-3.0, 0.1]], dtype=np.float32)
    assert given_Q(array, floats="binary") == Matrix(exact_keys({"Q": memoryview(array), "floats": "binary"})["Q"])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_tensors_are_read_without_their_gradients(name: str) -> None:
    tensor = Tensor([[0.5, -0.25]], name)
    assert (is_array(tensor), dtype_name(tensor)) == (True, name)
    problem = Problem.build(Q=tensor, K=[[1, 0]], V=[[1]], floats="binary")
    assert problem.inputs["Q"] == Matrix([["1/2", "-1/4"]])
    assert floats_of(tensor, "Q") == floats_of([[0.5, -0.25]], "Q", name)


def test_three_axes_are_a_batch_and_one_is_a_vector() -> None:
    Q = np.arange(8, dtype=np.float16).reshape(2, 2, 2)
    result = sa.attention(Q=Q, K=Q, V=[Q[0], Q[1]], floats="binary")
    assert [one.Q for one in result.sequences] == [Matrix([[0, 1], [2, 3]]), Matrix([[4, 5], [6, 7]])]
    eye = np.eye(2)
    own = Problem.build(
        X=eye, W_Q=eye, W_K=eye, W_V=eye, b_Q=np.array([0.5, 2]), scale=np.float32(0.5), floats="binary"
    )
    assert str(own.inputs["b_Q"]) == "[[1/2, 2]]"


def test_masks_and_biases() -> None:
    keep = np.tril(np.ones((2, 2), dtype=bool))
    add = np.where(keep, np.float32(0), np.float32(-np.inf))
    keys: dict[str, Any] = {"Q": np.eye(2), "K": np.eye(2), "V": np.eye(2), "floats": "binary"}
    by_flags, by_numbers = (sa.attention(**keys, mask=mask) for mask in ({"keep": keep}, {"add": add}))
    assert by_flags.A == by_numbers.A
    assert by_flags.A.rounded(2) == sa.attention(**keys, mask="causal").A.rounded(2)
    with pytest.raises(InputError, match="a mask does that"):
        sa.attention(**keys, bias={"add": add})


def test_heads_with_arrays_of_their_own() -> None:
    eye = np.eye(2, dtype=np.float32)
    head = {"W_Q": eye, "W_K": eye, "W_V": eye}
    assert len(sa.attention(X=eye, heads=[head, head], floats="binary").heads) == 2


# Refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["Q", "inputs"])
@pytest.mark.parametrize("kind", TYPES)
def test_without_a_reading_floats_are_refused(kind: Any, place: str) -> None:
    array = np.array([[0.5]]).astype(kind)
    given = {"Q": array} if place == "Q" else {"inputs": {"Q": array}}
    with pytest.raises(InputError, match=r'Q holds floats \(\w+\), .*floats="binary" .* or floats="shortest"'):
        Problem.build(**given, K=[[1]], V=[[1]])


@pytest.mark.parametrize("reading", ["decimal", None, 1, True, []])
def test_another_reading_is_refused(reading: object) -> None:
    with pytest.raises(InputError, match='floats is "binary" or "shortest"'):
        Problem.build(Q=[[1]], K=[[1]], V=[[1]], floats=reading)


def test_a_file_has_no_such_key() -> None:
    with pytest.raises(InputError, match="floats"):
        Problem.from_text('floats = "binary"\ninputs = {Q = [[1]], K = [[2]], V = [[3]]}')


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_with_its_place(value: float) -> None:
    array = np.array([[1, 2], [3, value]], dtype=np.float32)
    with pytest.raises(InputError, match=r"^K, row 2, column 2: .* give a finite one"):
        Problem.build(Q=[[1, 1]], K=array, V=[[1], [1]], floats="binary")


def test_plus_infinity_is_no_mask() -> None:
    with pytest.raises(InputError, match=r"mask\.add, row 1, column 1: inf"):
        Problem.build(Q=[[1]], K=[[1]], V=[[1]], mask={"add": np.array([[np.inf]])}, floats="binary")


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1j]]),
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
        np.array([[1.5]], dtype=np.longdouble),
        np.array([[1.5]]).astype(ml_dtypes.float8_e4m3b11fnuz),
        memoryview(b"abcd").cast("i"),
    ],
)
def test_other_types_are_refused(array: Any) -> None:
    with pytest.raises(InputError, match=r"make it one of float16, bfloat16, float32, .*, or integers"):
        Problem.build(Q=array, K=[[1]], V=[[1]], floats="binary")


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_missing_entries_are_refused(kind: Any) -> None:
    array = np.ma.masked_array(np.array([[1, 2]], dtype=kind), mask=[[False, True]])
    with pytest.raises(InputError, match="number at every place"):
        Problem.build(Q=array, K=[[1, 1]], V=[[1]], floats="binary")


def test_an_array_that_is_too_large_is_not_read() -> None:
    array = np.broadcast_to(np.float32(1), (2001, 2000))
    with pytest.raises(InputError, match="at most 4,000,000"):
        Problem.build(Q=array, K=[[1]], V=[[1]], floats="binary")


@pytest.mark.parametrize("shape", [(), (2,), (0, 2), (1, 1, 1, 1)])
def test_what_is_no_matrix_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="Q"):
        Problem.build(Q=np.ones(shape, dtype=np.float32), K=[[1, 1]], V=[[1]], floats="binary")
    with pytest.raises(ShapeError, match="matrix"):
        floats_of(np.ones(shape, dtype=np.float32), "O")


# Bits of a matrix ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
def test_the_bits_are_those_of_memory(kind: Any) -> None:
    array = np.array([[0.1, -0.0], [np.inf, 7]]).astype(kind)
    bits = array.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[array.itemsize])
    assert [list(row) for row in floats_of(array, "O").rows] == bits.tolist()


def test_rows_of_python_floats_have_a_format() -> None:
    assert floats_of([[0.5, 1]], "O").form.name == "float64"
    assert floats_of([[0.5, 1]], "O", "bfloat16").rows == ((0x3F00, 0x3F80),)


@pytest.mark.parametrize(
    ("array", "form", "sentence"),
    [
        ([[0.1]], "float32", "O, row 1, column 1: 0.1 is not a float32"),
        ([[0.5]], "float8", "O has the type float8"),
        (np.array([[1]]), "", "O has the type int64"),
        (np.array([[1.0]]), "float32", "an array of float64, not of float32"),
        ([[None]], "", "O, row 1, column 1 must be a number, not None"),
        ([["0.5"]], "", "must be a number, not '0.5'"),
        ([[True]], "", "must be a number, not True"),
        ([[0.5, 1.0], [0.5]], "", "row 2 has 1 entries where row 1 has 2"),
        ([0.5], "", "O is not a matrix"),
        ([[[0.5]]], "", "O, row 1, column 1 is a list"),
        ("0.5", "", "O is not a matrix"),
    ],
)
def test_what_holds_no_floats_is_refused(array: Any, form: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        floats_of(array, "O", form)
