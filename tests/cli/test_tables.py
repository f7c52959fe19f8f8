"""Tables of A and O: the digits of the key, whatever way they are worked, and files that appear whole."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn.cli import table_files
from symattn.cli.table_files import Only, Wanted
from symattn.exact.numerals.decimals import Rounding
from symattn.graph.numeric.eligibility import enclosed_names
from symattn.graph.numeric.integer_rows import Pair, numeric_layer
from symattn.problem.model import Problem
from tests import house
from tests.cli.runner import SMALL, refused, run

RANDOM = Random(7)
HEADS = SMALL.replace("[inputs]", "heads = 2\n[inputs]").replace("V = [[1], [2]]", "V = [[1, 2], [3, 5]]")
SOFTCAP = SMALL.replace("[inputs]", "softcap = 2\n[inputs]")
BLIND = SMALL.replace("[inputs]", "mask = {keep = [[0, 1], [0, 0]]}\n[inputs]").replace("[[1, 0]]", "[[1, 0], [2, 1]]")
COLUMNS = SMALL.replace("[inputs]", 'tokens = "columns"\n[inputs]').replace("[[1, 0]]", "[[1], [0]]")
COLUMNS = COLUMNS.replace("V = [[1], [2]]", "V = [[1, 2]]")
BATCH = SMALL.replace("[[1, 0]]", "[[[1, 0]], [[2, 0]]]")
SYMBOLIC = SMALL.replace('scale = "none"', 'beta = "b"\nsymbols = {b = "real"}')


def problem(folder: Path, text: str, name: str = "p.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def larger(side: int, width: int) -> str:
    def matrix() -> str:
        return str([[float(f"{RANDOM.randint(-99, 99) / 100:.2f}") for _ in range(width)] for _ in range(side)])

    return f'scale = "none"\nmask = "causal"\n[inputs]\nQ = {matrix()}\nK = {matrix()}\nV = {matrix()}\n'


def written(folder: Path, text: str, ending: str, *options: object) -> Path:
    output = folder / f"out.{ending}"
    done = run("solve", problem(folder, text), "-o", output, *options)
    assert (done.status, done.out, done.err) == (0, "", f"wrote {output}\n")
    assert sorted(path.name for path in folder.iterdir()) == [f"out.{ending}", "p.toml"]
    return output


def test_a_csv_file_names_the_matrix_and_the_row(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL, "csv")
    assert path.read_text() == "A,1,0.731058578630005,0.268941421369995\nO,1,1.268941421369995\n"


def test_one_matrix_alone_is_what_numpy_reads(tmp_path: Path) -> None:
    text = larger(5, 2)
    exact = np.array(sa.solve(Problem.from_text(text)).A.rounded(15)).astype(float)
    path = written(tmp_path, text, "csv", "--only", "A")
    assert (np.loadtxt(path, delimiter=",") == exact).all()
    path.unlink()
    array = np.load(written(tmp_path, text, "npy", "--only", "A"))
    assert array.dtype == "S17"
    assert (array.astype(float) == exact).all()


def test_a_jsonl_file_has_one_object_for_each_row(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL, "jsonl", "--digits", 3)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"matrix": "A", "row": 1, "values": ["0.731", "0.269"]},
        {"matrix": "O", "row": 1, "values": ["1.27"]},
    ]


POLICY = SMALL + "[rounding]\nplaces = 1\nties = 'truncate'\neach = {outputs = {places = 3}}\n"


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (SMALL, ("--places", 2), "A,1,0.73,0.27\nO,1,1.27\n"),
        (POLICY, (), "A,1,0.7,0.2\nO,1,1.268\n"),
        (POLICY, ("--places", 1), "A,1,0.7,0.3\nO,1,1.3\n"),
        (POLICY, ("--only", "O"), "1.268\n"),
        (SMALL, ("-p", "figures=2"), "A,1,0.73,0.27\nO,1,1.3\n"),
        (BLIND, ("--places", 2), "A,1,0.00,1.00\nA,2,nan,nan\nO,1,2.00\nO,2,nan\n"),
        (COLUMNS, ("--places", 2), "A,1,0.73\nA,2,0.27\nO,1,1.27\n"),
        (COLUMNS, ("--places", 2, "--only", "A"), "0.73\n0.27\n"),
        (HEADS, ("--places", 2), "A^1,1,0.73,0.27\nA^2,1,0.50,0.50\nO,1,1.54,3.50\n"),
        (HEADS, ("--places", 2, "--only", "O"), "1.54,3.50\n"),
        (SOFTCAP, ("--places", 2, "--only", "A"), "0.72,0.28\n"),
    ],
)
def test_numbers_are_rounded_once(tmp_path: Path, text: str, options: tuple[object, ...], expected: str) -> None:
    assert written(tmp_path, text, "csv", *options).read_text() == expected


BLOCK = "[inputs]\nX = [[1, 2], [2, 1]]\nW_Q = [[0], [0]]\nW_K = [[0], [0]]\nW_V = [[1, 0], [0, 1]]\n[block]\n"
"""Weights of a half each, so that O is the mean of the tokens, and Y the sum of it and the token."""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "A,1,0.5,0.5\nA,2,0.5,0.5\nO,1,1.5,1.5\nO,2,1.5,1.5\nY,1,2.5,3.5\nY,2,3.5,2.5\n"),
        (("--only", "Y"), "2.5,3.5\n3.5,2.5\n"),
        (("--only", "O"), "1.5,1.5\n1.5,1.5\n"),
    ],
)
def test_a_table_of_a_block_has_what_comes_out_of_it(
    tmp_path: Path, options: tuple[object, ...], expected: str
) -> None:
    assert written(tmp_path, BLOCK, "csv", "--places", 1, *options).read_text() == expected


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (HEADS, (), "add --only O, or write a .csv file"),
        (HEADS, ("--only", "A"), "take --only O, or a .csv or .jsonl file of all its matrices"),
        (SMALL, (), "add --only A or --only O"),
        (SMALL, ("--only", "Y"), "has no [block], whose output is Y: take --only A or --only O"),
        (BLOCK, (), "add --only A or --only O or --only Y"),
    ],
)
def test_what_is_advised_is_taken(tmp_path: Path, text: str, options: tuple[object, ...], words: str) -> None:
    """Every choice that a refusal names is one that is not refused."""
    (tmp_path / "p.toml").write_text(text)
    line = refused(run("solve", tmp_path / "p.toml", "-o", tmp_path / "x.npy", *options), words)
    for name in re.findall(r"--only (\w)", line):
        written(tmp_path, text, "npy", "--only", name)


def test_what_is_undefined_is_null(tmp_path: Path) -> None:
    lines = written(tmp_path, BLIND, "jsonl", "--places", 0, "--only", "A").read_text().splitlines()
    assert json.loads(lines[1])["values"] == [None, None]


@pytest.mark.parametrize("only", ["A", "O", ""])
def test_several_processes_write_the_same_bytes(tmp_path: Path, only: str) -> None:
    text = larger(70, 2)
    options = ("--only", only) if only else ()
    found = [written(tmp_path, text, "csv", "-j", jobs, *options).read_bytes() for jobs in (1, 2)]
    assert found[0] == found[1]
    lines = found[0].decode().splitlines()
    assert len(lines) == (70 if only else 140)
    result = sa.solve(Problem.from_text(text))
    if only:
        assert lines == [",".join(row) for row in result[only].rounded(15)]


@pytest.mark.parametrize("only", ["A", "O", ""])
def test_entries_with_many_different_denominators_are_rounded_as_over_one(tmp_path: Path, only: Only) -> None:
    r = Random(8)
    below = [[r.randrange(10**119, 10**120) for _ in range(5)] for _ in range(4)]
    rows = [[f"{r.randrange(-3 * x, 3 * x)}/{x}" for x in row] for row in below]
    rows[1] = ["0", "0", "0", "0", "0"]  # its weights are 1/4, a tie
    text = f"mask = {{keep = {[[1, 1, 1, 1]] * 3 + [[0, 0, 1, 0]]}}}\n[inputs]\nQ = {rows}\nK = {rows}\nV = {rows}\n"
    path = written(tmp_path, text, "csv", "--places", 1, *(("--only", only) if only else ()))
    loaded = Problem.from_text(text)
    layer, one = numeric_layer(loaded), Rounding(places=1)
    assert enclosed_names(loaded)
    assert layer is not None
    weights, outputs = zip(*layer.texts(one, one), strict=True)
    assert weights[1] == ["0.3"] * 4
    wanted = [*(weights if only != "O" else ()), *(outputs if only != "A" else ())]
    assert [line.split(",")[0 if only else 2 :] for line in path.read_text().splitlines()] == wanted


def test_sequences_and_blocks_stand_in_one_file_with_their_numbers(tmp_path: Path) -> None:
    lines = written(tmp_path, BATCH, "csv").read_text().splitlines()
    sequences = sa.solve(Problem.from_text(BATCH)).sequences
    expected = [
        f"{name}@{number},1,{','.join(piece[name].rounded(15)[0])}"
        for number, piece in enumerate(sequences, 1)
        for name in ("A", "O")
    ]
    assert lines == expected


@pytest.mark.parametrize("only", ["", "A", "O", "Y"])
def test_blocks_stand_in_one_file_and_the_last_alone_is_asked_for(tmp_path: Path, only: str) -> None:
    sheet = house.ROOT / "tests" / "data" / "sheets" / "two_blocks_backward.toml"
    output = tmp_path / "out.csv"
    run("solve", sheet, "-o", output, *(("--only", only) if only else ()))
    result = sa.solve(sheet)
    places = result.problem.policy.rounding.places or 0
    lines = output.read_text().splitlines()
    if only:
        assert lines == [",".join(row) for row in result[only].rounded(places)]
        return
    expected = [
        ",".join([f"{name}@{number}", str(row), *digits])
        for number, block in enumerate(result.blocks, 1)
        for name in ("A", "O", "Y")
        for row, digits in enumerate(block[name].rounded(places), 1)
    ]
    assert lines == expected


@pytest.mark.parametrize(
    ("text", "output", "options", "words"),
    [
        (SMALL, "out.npy", (), "add --only A or --only O"),
        (SMALL, "out.csv", ("--places", 3, "--digits", 3), "exclude each other"),
        (SMALL, "out.csv", ("--pdf",), "leave --pdf out"),
        (SMALL, "out.csv", ("--json", "-t", "exam"), "leave --json and --template out"),
        (SMALL, "out.tex", ("--only", "A"), "is for tables"),
        (SMALL, "out.tex", ("--jobs", 2), "is for tables"),
        (HEADS, "out.csv", ("--only", "A"), "2 heads"),
        (BATCH, "out.csv", ("--only", "A"), "a matrix for each sequence"),
        (BATCH, "out.npy", ("--only", "O"), "a matrix for each sequence"),
        ('parts = [{asks = "prose", answer = "So."}]', "out.csv", (), "no layer of numbers"),
        (SYMBOLIC, "out.csv", (), "give"),
        (SMALL, "missing/out.csv", (), "its folder does not exist"),
        (SMALL, "out.xls", (), ".csv, .jsonl or .npy"),
    ],
)
def test_what_cannot_be_a_table_is_refused(
    tmp_path: Path, text: str, output: str, options: tuple[object, ...], words: str
) -> None:
    done = run("solve", problem(tmp_path, text), "-o", tmp_path / output, *options)
    assert done.status == 2
    assert words in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


def test_a_fault_in_the_middle_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        yield from list(chunk(*given))[:1]
        raise KeyboardInterrupt

    chunk = table_files._chunk
    monkeypatch.setattr(table_files, "_chunk", broken)
    output = tmp_path / "out.csv"
    output.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        table_files.write_tables(
            Problem.from_text(BLIND), str(output), Wanted("", Rounding(places=1), Rounding(places=1))
        )
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "old")]


def test_a_full_device_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    link = tmp_path / "out.csv"
    link.symlink_to("/dev/full")
    refused(run("solve", problem(tmp_path, SMALL), "-o", link), "no space left")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    path = problem(tmp_path, larger(600, 2))
    options = ["-o", str(tmp_path / "out.csv"), "--places", "2000", "-j", "2"]
    # What a shell starts in the background ignores Ctrl-C, and so would this.
    program = (
        "import signal, sys\nfrom symattn.cli.main import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nmain(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "solve", str(path), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".symattn-*")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in err
    assert [found.name for found in tmp_path.iterdir()] == ["p.toml"]


def test_progress_is_told_for_each_row() -> None:
    steps: list[Pair] = []
    rows: list[Pair] = [(["1"], ["2"]), (["3"], ["4"])]
    assert list(table_files._told(iter(rows), lambda: steps.append(rows[len(steps)]))) == steps == rows


def test_the_weights_of_a_row_sum_to_one(tmp_path: Path) -> None:
    lines = written(tmp_path, larger(40, 3), "csv", "--only", "A", "--places", 30).read_text().splitlines()
    for line in lines:
        assert abs(sum(map(Fraction, line.split(",")), Fraction(-1))) <= Fraction(40, 2 * 10**30)
