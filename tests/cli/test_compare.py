"""``symattn compare``: files of numpy and of rows, exit status, and hostile files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import symattn as sa
from symattn.arrays.files import read_floats
from symattn.arrays.floats import floats_of
from symattn.errors import InputError
from tests.cli.runner import SMALL, refused, run

TYPES: tuple[Any, ...] = ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8")


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def saved(folder: Path, array: Any) -> Path:
    path = folder / "array.npy"
    np.save(path, array)
    return path


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("turned", [np.ascontiguousarray, np.asfortranarray])
def test_an_array_of_numpy_is_read_as_it_is(tmp_path: Path, kind: str, turned: Any) -> None:
    array = turned(np.array([[0.1, -0.0, np.inf], [np.nan, 1e-7, -65504]]).astype(kind))
    assert read_floats(str(saved(tmp_path, array))) == floats_of(array, "O")


@pytest.mark.parametrize("turned", [np.ascontiguousarray, np.asfortranarray])
def test_a_stack_of_numpy_is_read_as_its_matrices(tmp_path: Path, turned: Any) -> None:
    array = turned(np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5))
    assert read_floats(str(saved(tmp_path, array))) == [[floats_of(head, "O") for head in one] for one in array]


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e4m3", "float8_e5m2"])
def test_an_array_of_8_bits_needs_its_name(tmp_path: Path, name: str) -> None:
    array = np.array([[0.125, -2, np.nan]]).astype(getattr(ml_dtypes, name))
    path = str(saved(tmp_path, array))
    assert read_floats(path, name) == floats_of(array, "O")
    with pytest.raises(InputError, match="8 bits"):
        read_floats(path)
    with pytest.raises(InputError, match="8 bits"):
        read_floats(path, "bfloat16")


def test_tolerances_and_a_table_of_errors(problem: Path, tmp_path: Path) -> None:
    path, table = saved(tmp_path, np.array([[1.269]], dtype=np.float32)), tmp_path / "errors.csv"
    assert run("compare", problem, path, "--rtol", "1e-4", "-o", table).status == 0
    assert run("compare", problem, path, "--rtol", "1e-5").status == 1
    assert run("compare", problem, path, "--atol", "1e-4", "--within", "1").status == 1
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines == list(sa.compare(sa.solve(problem), np.array([[1.269]], dtype=np.float32)).lines())
    refused(run("compare", problem, path, "--rtol", "-1"), "rtol must be at least 0")
    refused(run("compare", problem, path, "-o", tmp_path / "errors.txt"), "must be a .csv file")


def test_an_array_of_ml_dtypes_needs_its_name(tmp_path: Path) -> None:
    array = np.array([[0.1, -2]]).astype(ml_dtypes.bfloat16)
    path = str(saved(tmp_path, array))
    assert read_floats(path, "bfloat16") == floats_of(array, "O")
    with pytest.raises(InputError, match="--form bfloat16"):
        read_floats(path)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_printed_rows_are_the_nearest_floats(tmp_path: Path, name: str) -> None:
    kind = {"bfloat16": ml_dtypes.bfloat16}.get(name, name)
    array = np.array([[0.1, -0.25], [1e-5, 3]]).astype(kind)
    path = tmp_path / "rows.json"
    path.write_text("[[0.1, -25e-2], [0.00001, 3]]", encoding="utf-8")
    assert read_floats(str(path), name) == floats_of(array, "O")


def test_a_comparison_is_printed(problem: Path, tmp_path: Path) -> None:
    array = np.array([[1.2689414]], dtype=np.float32)
    found = sa.compare(sa.solve(problem), array)
    outcome = run("compare", problem, saved(tmp_path, array))
    assert (outcome.status, outcome.out, outcome.err) == (0, f"{found}\n", "")
    machine = run("compare", problem, saved(tmp_path, array), "--json")
    assert json.loads(machine.out) == found.as_json()


def test_another_quantity_and_a_picture(problem: Path, tmp_path: Path) -> None:
    path, picture = tmp_path / "rows.json", tmp_path / "errors.svg"
    path.write_text("[[0.7310586, 0.26894143]]", encoding="utf-8")
    outcome = run("compare", problem, path, "--of", "A", "--form", "float32", "--svg", picture)
    assert outcome.status == 0
    assert outcome.out.startswith("A, 1×2 of float32: 2 of 2 correctly rounded")
    assert outcome.err == f"wrote {picture}\n"
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(("bound", "status"), [("1/2", 1), ("2", 0), ("1.5", 1)])
def test_a_bound_decides_the_exit_status(problem: Path, tmp_path: Path, bound: str, status: int) -> None:
    value = np.nextafter(np.nextafter(np.float32(1.2689414), np.float32(2)), np.float32(2))
    path = saved(tmp_path, np.array([[value]]))
    outcome = run("compare", problem, path, "--within", bound)
    assert outcome.status == status
    assert "worst error 1.84 ulp" in outcome.out


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((1, 2)), ("1×2", "O is 1×1")),
        (np.zeros(3), ("shape (3,)",)),
        (np.zeros((1, 1, 1, 1, 1)), ("shape (1, 1, 1, 1, 1)",)),
        (np.zeros((2, 1, 1)), ("2 heads", "has 1")),
        (np.zeros((0, 1)), ("shape (0, 1)",)),
        (np.zeros((1, 1), dtype=int), ("<i8",)),
        (np.zeros((1, 1), dtype=complex), ("<c16",)),
        (np.array([[None]]), ("pickled",)),
        (np.zeros((1, 1), dtype=[("a", "f4")]), ("head",)),
    ],
)
def test_arrays_that_are_no_matrix_of_floats(problem: Path, tmp_path: Path, array: Any, words: tuple[str, ...]) -> None:
    refused(run("compare", problem, saved(tmp_path, array)), *words)


HEAD = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"


def npy(head: bytes, body: bytes = b"\x00" * 4, version: int = 1, count: int | None = None) -> bytes:
    length = (len(head) if count is None else count).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes((version, 0)) + length + head + body


def test_the_other_versions_of_the_head(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for version in (1, 2, 3):
        path.write_bytes(npy(HEAD + b"  \n", version=version))
        assert read_floats(str(path)) == floats_of([[0.0]], "O", "float32")


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("x.npy", b"", "not a .npy file"),
        ("x.npy", b"\x93NUMPY", "not a .npy file"),
        ("x.npy", b"\x93NUMPY\x09\x00\x00\x00", "not a .npy file"),
        ("x.npy", b"PK\x03\x04" * 50, "not a .npy file"),
        ("x.npy", npy(HEAD, b"\x00" * 3), "3 bytes"),
        ("x.npy", npy(HEAD, b"\x00" * 8), "8 bytes"),
        ("x.npy", npy(HEAD.replace(b"(1, 1)", b"(99999, 99999)")), "at most"),
        ("x.npy", npy(HEAD.replace(b"(1, 1)", b"(1" + b"0" * 70 + b", 1)")), "head"),
        ("x.npy", npy(HEAD.replace(b"(1, 1)", b"(__import__('os'), 1)")), "head"),
        ("x.npy", npy(HEAD, version=2, count=2**32 - 1), "head"),
        ("x.npy", npy(b"{" * 60_000), "head"),
        ("x.json", b"", "not JSON"),
        ("x.json", b"[" * 100_000, "not JSON"),
        ("x.json", b"\xff\xfe\x00", "not JSON"),
        ("x.json", b"{}", "no rows"),
        ("x.json", b"[]", "no rows"),
        ("x.json", b"[1, 2]", "no rows"),
        ("x.json", b"[[]]", "no rows"),
        ("x.json", b"[[1], [1, 2]]", "row 2 has 2 entries"),
        ("x.json", b"[[true]]", "is not a number"),
        ("x.json", b"[[null]]", "is not a number"),
        ("x.json", b"[[[1]]]", "is not a number"),
        ("x.json", b'[["one"]]', "not a rational number"),
        ("x.json", b"[[1e999999999]]", "power of ten"),
        ("x.json", b"[[" + b"9" * 5000 + b"]]", "digits"),
        ("x.txt", b"0.5", "save it as .npy"),
    ],
)
def test_hostile_files(problem: Path, tmp_path: Path, name: str, data: bytes, word: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    refused(run("compare", problem, path), word)


def test_files_that_are_not_there(problem: Path, tmp_path: Path) -> None:
    refused(run("compare", problem, tmp_path / "none.npy"), "cannot be read")
    refused(run("compare", tmp_path / "none.toml", saved(tmp_path, np.zeros((1, 1)))), "cannot be read")
    refused(run("compare", problem, saved(tmp_path, np.zeros((1, 1))), "--of", "P"), "Unknown quantity 'P'")
    refused(run("compare", problem, saved(tmp_path, np.zeros((1, 1))), "--within", "few"), "number of units")
    refused(run("compare", problem, saved(tmp_path, np.zeros((1, 1))), "--form", "float32"), "not of float32")


def test_words_for_what_is_no_number(problem: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, shown in (("NaN", "nan"), ('"-inf"', "-inf"), ("Infinity", "inf"), ("1e400", "inf")):
        path.write_text(f"[[{text}]]", encoding="utf-8")
        outcome = run("compare", problem, path)
        assert outcome.status == 0
        assert f"computed   {shown} " in outcome.out
