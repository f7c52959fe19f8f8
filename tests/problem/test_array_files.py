"""Arrays that a problem file names, against the same numbers given in Python."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import jsonschema
import ml_dtypes
import numpy as np
import pytest

import symattn as sa
from symattn.errors import InputError, SymattnError
from symattn.problem.schema.json_schema import json_schema

_LAYER = "K = [[1, 2], [0.5, -1]]\nV = [[1], [2]]\n"


def _problem(folder: Path, text: str) -> sa.Problem:
    (folder / "p.toml").write_text(text)
    return sa.Problem.load(folder / "p.toml")


def _queries(folder: Path, value: str) -> sa.Problem:
    return _problem(folder, f"[inputs]\nQ = {value}\n{_LAYER}")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("floats", ["binary", "shortest"])
@pytest.mark.parametrize("kind", ["<f2", "<f4", ">f4", "<f8", ">f8"])
def test_floats_are_those_of_an_array_in_python(tmp_path: Path, kind: str, floats: str, order: str) -> None:
    drawn = np.random.default_rng(3).normal(size=(3, 2))
    array = np.asarray(np.concatenate([drawn, [[0.1, -0.0], [1e-7, 40000]]]), dtype=kind, order=order)  # type: ignore[call-overload]
    np.save(tmp_path / "q.npy", array)
    given = _queries(tmp_path, f'{{file = "q.npy", floats = "{floats}"}}').inputs["Q"]
    built = sa.Problem.build(Q=array.astype(kind.replace(">", "<")), K=[[1, 2]], V=[[1]], floats=floats).inputs["Q"]
    assert given == built
    assert (given.shape, str(given), given.symbols) == (built.shape, str(built), built.symbols)


@pytest.mark.parametrize(
    "numbers",
    [
        [5e-324, 1.5, -1e308, 0.0],
        [2.0**499, -(2.0**-499), 1.1, -0.0],
        [2.0**500, 2.0**-500, 0.1, 3.0],
        [1e16, 1e-16, -0.1, 7.0],
        [1e308, 0.1, 2.5, -1e300],
    ],
)
def test_floats_of_any_size_keep_their_binary_value(tmp_path: Path, numbers: list[float]) -> None:
    np.save(tmp_path / "q.npy", np.array([numbers[:2], numbers[2:]]))
    rows = _queries(tmp_path, '{file = "q.npy", floats = "binary"}').inputs["Q"].rows
    assert [Fraction(str(entry)) for row in rows for entry in row] == [*map(Fraction, numbers)]


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"])
def test_whole_numbers_need_no_reading(tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "q.npy", np.array([[1, 2], [3, 127]], dtype=kind))
    assert str(_queries(tmp_path, '{file = "q.npy"}').inputs["Q"]) == "[[1, 2], [3, 127]]"


def test_types_without_a_name_are_told_their_form(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", np.array([[0.1, -3]], dtype=ml_dtypes.bfloat16))
    found = _queries(tmp_path, '{file = "q.npy", floats = "binary", form = "bfloat16"}').inputs["Q"]
    assert [entry.rational() for entry in found] == [Fraction(float(ml_dtypes.bfloat16(0.1))), -3]


def test_decimals_of_a_csv_file_are_exact(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "q.csv").write_text("\ufeff0.1, 1/3\r\n\r\n-2,1e-3\r\n", "utf-8")
    assert str(_queries(tmp_path, '{file = "below/q.csv"}').inputs["Q"]) == "[[1/10, 1/3], [-2, 1/1000]]"


def test_symbols_in_a_csv_file_are_those_of_the_problem(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("a,2\n")
    found = _problem(tmp_path, f'symbols = {{a = "real"}}\n[inputs]\nQ = {{file = "q.csv"}}\n{_LAYER}')
    assert found.inputs["Q"].symbols == {"a"}


def test_results_are_those_of_written_numbers(tmp_path: Path) -> None:
    rows = np.array([[0.5, -1.25], [2, 0.125]])
    np.save(tmp_path / "q.npy", rows)
    (tmp_path / "q.csv").write_text("0.5,-1.25\n2,0.125\n")
    texts = [
        [[str(entry) for entry in row] for row in sa.solve(_queries(tmp_path, value)).A.rows]
        for value in ('{file = "q.npy", floats = "binary"}', '{file = "q.csv"}', "[[0.5, -1.25], [2, 0.125]]")
    ]
    assert texts[0] == texts[1] == texts[2]


def test_masks_vectors_and_batches(tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.array([[True, False], [True, True]]))
    np.save(tmp_path / "bias.npy", np.array([[0.5, -np.inf], [0, 1]]))
    np.save(tmp_path / "x.npy", np.arange(8).reshape(2, 2, 2))
    masked = _problem(tmp_path, f'mask.keep = {{file = "mask.npy"}}\n[inputs]\nQ = [[1, 2], [3, 4]]\n{_LAYER}')
    written = _problem(tmp_path, f"mask.keep = [[true, false], [true, true]]\n[inputs]\nQ = [[1, 2], [3, 4]]\n{_LAYER}")
    assert str(sa.solve(masked).A) == str(sa.solve(written).A)
    for layout in ('mask.add = {file = "bias.npy", floats = "binary"}', 'mask.add = [[0.5, "-inf"], [0, 1]]'):
        found = _problem(tmp_path, f"{layout}\n[inputs]\nQ = [[1, 2], [3, 4]]\n{_LAYER}")
        assert [row[1] for row in sa.solve(found).A.rounded(4)] == ["0.0000", "0.0002"]
    batch = _problem(
        tmp_path,
        'scale = "none"\n[inputs]\nX = {file = "x.npy"}\nW_Q = [[1], [0]]\nW_K = [[1], [1]]\nW_V = [[1], [0]]\n',
    )
    assert [str(one) for one in batch.sequences["X"]] == ["[[0, 1], [2, 3]]", "[[4, 5], [6, 7]]"]


def test_the_schema_knows_them() -> None:
    table = {"inputs": {"Q": {"file": "q.npy", "floats": "binary"}, "K": [[1]], "V": {"file": "v.csv"}}}
    jsonschema.validate(table, json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"inputs": {"Q": {"file": 3}, "K": [[1]], "V": [[1]]}}, json_schema())


_REFUSED = {
    '{file = "no.npy"}': "cannot be read",
    '{file = "../q.npy"}': "lies outside the folder of the problem file",
    '{file = "/etc/passwd"}': "lies outside the folder of the problem file",
    '{file = "link.npy"}': "lies outside the folder of the problem file",
    '{file = "loop.npy"}': "cannot be",
    '{file = "a\\u0000.npy"}': "lies outside the folder of the problem file",
    '{file = "q.txt"}': "neither .npy",
    "{file = 3}": "file is text",
    '{file = "q.npy", shape = "2"}': 'unknown key "shape"',
    '{file = "q.npy"}': 'add floats = "binary"',
    '{file = "q.npy", floats = "decimal"}': 'floats is "binary" or "shortest"',
    '{file = "q.csv", floats = "binary"}': "leave floats and form out",
    '{file = "nan.npy", floats = "binary"}': "holds nan, which cannot be computed with",
    '{file = "objects.npy", floats = "binary"}': "the type |O is none of numbers",
    '{file = "text.npy", floats = "binary"}': "is none of numbers",
    '{file = "short.npy", floats = "binary"}': "do not fit the shape",
    '{file = "empty.npy", floats = "binary"}': "none of them 0",
    '{file = "huge.npy", floats = "binary"}': "an array has at most",
    '{file = "wide.npy"}': "a matrix has at most",
    '{file = "ragged.csv"}': "row 2 has 1 entry",
    '{file = "words.csv"}': "row 1, column 2",
    '{file = "latin.csv"}': "not rows of decimals",
    '{file = "nothing.csv"}': "empty",
}


@pytest.mark.parametrize(
    ("value", "words"), _REFUSED.items(), ids=[re.sub(r"[^a-z.]+", "-", value) for value in _REFUSED]
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path: Path, value: str, words: str) -> None:
    outside, folder = tmp_path / "q.npy", tmp_path / "in"
    folder.mkdir()
    for path in (outside, folder / "q.npy"):
        np.save(path, np.ones((2, 2)))
    (folder / "link.npy").symlink_to(outside)
    (folder / "loop.npy").symlink_to(folder / "loop.npy")
    np.save(folder / "nan.npy", np.array([[1, np.nan]]))
    np.save(folder / "objects.npy", np.array([[{}]]), allow_pickle=True)
    np.save(folder / "text.npy", np.array([["1"]]))
    np.save(folder / "empty.npy", np.ones((0, 2)))
    np.save(folder / "wide.npy", np.ones((1, 3000), dtype="i1"))
    data = (folder / "q.npy").read_bytes()
    (folder / "short.npy").write_bytes(data[:-1])
    (folder / "huge.npy").write_bytes(data.replace(b"(2, 2)", b"(99999, 99999)"))
    (folder / "q.csv").write_text("1,2\n3,4\n")
    (folder / "ragged.csv").write_text("1,2\n3\n")
    (folder / "words.csv").write_text("1,__import__('os')\n")
    (folder / "latin.csv").write_bytes(b"\xff\xfe1")
    (folder / "nothing.csv").write_text("")
    with pytest.raises(SymattnError, match=re.escape(words)) as told:
        _queries(folder, value)
    assert "[inputs] Q" in str(told.value) or "/in/" in str(told.value)
    assert "\n" not in str(told.value)


def test_text_without_a_folder_names_no_file() -> None:
    with pytest.raises(InputError, match="names a file, which is looked for beside a problem file"):
        sa.Problem.from_text('inputs = {Q = {file = "q.npy"}, K = [[1]], V = [[1]]}')
