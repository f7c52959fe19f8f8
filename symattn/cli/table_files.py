"""``symattn solve PROBLEM -o weights.csv``: A, O and the Y of a block as tables of certified decimals, row by row.

A problem of numbers with one head is worked in integers, whatever its size; any other as for a key, each sequence of a
batch and each of several blocks with its number: ``A@2``. Numbers are
rounded once, at the end. A file appears whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from symattn.api import solutions
from symattn.api.transcripts import VERSION
from symattn.cli.progress import progress
from symattn.errors import InputError
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.reals.special_values import UNDEFINED
from symattn.files import written_atomically
from symattn.graph.builders import attention
from symattn.graph.numeric import eligibility, enclosed_layers
from symattn.graph.numeric.integer_rows import NumericLayer, Pair, Texts, numeric_layer
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import KINDS
from symattn.processes import cluster
from symattn.processes import pool as workers
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.linear.matrix import Matrix
    from symattn.graph.builders.layer import Layer

Only: TypeAlias = Literal["A", "O", "Y", ""]
"""The one matrix that is wanted; empty for all."""

Line: TypeAlias = tuple[str, int, Texts]
"""The name of a matrix, the number of a row from 1 on, and its entries."""

PLACES = 15
"""Decimals where neither the command nor the sheet says how many."""

_CHUNK = 32  # rows that a process works at a time
_NONE = str(UNDEFINED)
_FOR_FLOATS = {_NONE: "nan"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Matrices to write: one or all, and the rounding of each."""

    only: Only
    weights: Rounding
    outputs: Rounding


def wanted(problem: Problem, only: Only, rounding: Rounding | None) -> Wanted:
    """Return the matrices and their rounding: as asked, else as the sheet says, else 15 places."""
    policy = problem.policy
    if rounding is None and policy.declared:
        return Wanted(only, policy.display("weights"), policy.display("outputs"))
    rounding = rounding or Rounding(places=PLACES, ties=policy.rounding.ties)
    return Wanted(only, rounding, rounding)


def write_tables(problem: Problem, output: str, what: Wanted, jobs: int = 1, scheduler: str | None = None) -> None:
    """Write the tables of a problem to a ``.csv``, ``.jsonl`` or ``.npy`` file.

    Args:
        problem: one layer.
        output: the file.
        what: the matrices, and their rounding.
        jobs: processes of this machine that work rows.
        scheduler: the address of a running Dask cluster that works them instead.

    Raises:
        InputError: a problem without numbers, or several matrices are to go into one ``.npy`` file.
        OutputError: the file cannot be written.
    """
    ending = output.lower().rpartition(".")[2]
    _check_only(problem, output, what.only, is_one=ending == "npy")
    writers: dict[str, Callable[[BinaryIO, Iterator[Line]], None]]
    writers = {"csv": partial(_csv, bare=bool(what.only)), "jsonl": _jsonl, "npy": _npy}
    with written_atomically(output) as file, _lines(problem, what, jobs, scheduler) as lines:
        writers[ending](file, lines)


def _check_only(problem: Problem, output: str, only: Only, *, is_one: bool) -> None:
    """Refuse a file that is to hold one matrix where there are several, and a matrix that is not there."""
    if only and problem.batch:
        raise InputError(f"{problem.source} has a matrix for each sequence: leave --only out, and write a .csv file.")
    names = ["O"] if problem.heads > 1 else ["A", "O"]
    names += ["Y"] if problem.block is not None else []
    choices = " or ".join(f"--only {name}" for name in names)
    if is_one and not only:
        raise InputError(f"{output} holds one matrix: add {choices}, or write a .csv file.")
    if only == "A" and problem.heads > 1:
        raise InputError(
            f"{problem.source} has {problem.heads} heads, each with weights of its own: take {choices}, or a .csv or "
            ".jsonl file of all its matrices."
        )
    if only == "Y" and problem.block is None:
        raise InputError(f"{problem.source} has no [block], whose output is Y: take {choices}.")


# Rows ----------------------------------------------------------------------------------------------


@contextmanager
def _lines(problem: Problem, what: Wanted, jobs: int, scheduler: str | None) -> Iterator[Iterator[Line]]:
    """Open the rows in the order of the file: those of A, then those of O."""
    # Over one common denominator, a cluster shares out what takes long; one process encloses each entry by itself.
    layer = None if scheduler is None and _is_enclosed(problem) else numeric_layer(problem)
    if layer is None and scheduler is not None:
        raise InputError(
            f"{problem.source} is not a layer of numbers with one head, whose rows a cluster works: "
            "leave --scheduler out."
        )
    if layer is None:
        yield _numbered(_ordinary(problem, what))
        return
    turned = {"A": problem.softmax == "columns", "O": problem.tokens == "columns"}
    with progress("rounding", layer.n_q) as advance, _rows(layer, what, jobs, scheduler) as rows:
        yield _in_order(_told(rows, advance), what, turned)


def _told(rows: Iterable[Pair], advance: Callable[[], None]) -> Iterator[Pair]:
    for row in rows:
        yield row
        advance()


def _in_order(rows: Iterator[Pair], what: Wanted, turned: dict[str, bool]) -> Iterator[Line]:
    """Yield rows of A as they come, those of O after them; where a matrix stands in columns, all of it at once."""
    kept: dict[str, list[Texts]] = {"A": [], "O": []}
    for number, (weights, outputs) in enumerate(rows, 1):
        if what.only != "O" and not turned["A"]:
            yield "A", number, weights
        elif what.only != "O":
            kept["A"].append(weights)
        if what.only != "A":
            kept["O"].append(outputs)
    for name, lines in kept.items():
        whole: Iterable[Sequence[str]] = zip(*lines, strict=True) if turned[name] else lines
        yield from ((name, number, list(line)) for number, line in enumerate(whole, 1))


@contextmanager
def _rows(layer: NumericLayer, what: Wanted, jobs: int, scheduler: str | None) -> Iterator[Iterator[Pair]]:
    """Open the rows of the layer in their order, worked in as many processes as there are jobs, or on a cluster."""
    chunks = range(0, layer.n_q, _CHUNK)
    if scheduler is not None:
        yield chain.from_iterable(cluster.in_order(scheduler, _chunk_there, (layer, what, VERSION), chunks))
        return
    jobs = min(jobs, len(chunks))
    if jobs == 1:
        yield _chunk(layer, what, 0, layer.n_q)
        return
    with workers.pool(jobs, _prepare, layer, what) as processes:
        yield chain.from_iterable(processes.map(_held_chunk, chunks))


def _chunk(layer: NumericLayer, what: Wanted, start: int, stop: int) -> Iterator[Pair]:
    if what.only == "A":
        return ((weights, []) for weights in layer.weight_texts(what.weights, start, stop))
    weights = what.outputs if what.only == "O" else what.weights
    return layer.texts(weights, what.outputs, start, stop)


_held: list[tuple[NumericLayer, Wanted]] = []
"""What a process of the pool was started with: a layer is large, and handed over once."""


def _prepare(layer: NumericLayer, what: Wanted) -> None:
    _held[:] = [(layer, what)]


def _held_chunk(start: int) -> list[Pair]:
    (layer, what), *_ = _held
    return list(_chunk(layer, what, start, start + _CHUNK))


def _chunk_there(held: tuple[NumericLayer, Wanted, str], start: int) -> list[Pair]:
    layer, what, version = held
    cluster.check_release(version, VERSION)
    return list(_chunk(layer, what, start, start + _CHUNK))


def _is_enclosed(problem: Problem) -> bool:
    is_single = problem.kind in KINDS and not problem.batch and not problem.later
    return is_single and bool(eligibility.enclosed_names(problem))


def _numbered(matrices: Iterable[tuple[str, Matrix, Rounding]]) -> Iterator[Line]:
    for name, matrix, rounding in matrices:
        if rounding.places is not None:
            texts = matrix.rounded(rounding.places, rounding.ties)
        else:
            texts = matrix.digits(rounding.figures or 1, rounding.ties)
        yield from ((name, number, row) for number, row in enumerate(texts, 1))


def _ordinary(problem: Problem, what: Wanted) -> list[tuple[str, Matrix, Rounding]]:
    """Return the matrices of any other layer, those of sequences and blocks with their numbers, A@2; of each head."""
    if problem.kind not in KINDS:
        raise InputError(f"{problem.source} has no layer of numbers: leave the tables to problems that have one.")
    if problem.batch or problem.later:
        result = solutions.solve(problem)
        pieces = result.sequences if problem.batch else result.blocks
        if what.only:  # of several blocks the last, as of a result
            return _of_layer(pieces[-1].problem, pieces[-1].layer, what)
        return [
            (f"{name}@{number}", matrix, places)
            for number, piece in enumerate(pieces, 1)
            for name, matrix, places in _of_layer(piece.problem, piece.layer, what)
        ]
    named: Callable[[str], Matrix]
    large = solutions.large_result(problem) if problem.heads and problem.block is None else None
    if _is_enclosed(problem):
        exact = cache(lambda: attention.attention_layer(problem))
        named = enclosed_layers.enclosed_layer(problem, lambda name: exact().exact(name)).named
    elif large is not None:
        named = large.kernel_matrix
    else:
        return _of_layer(problem, attention.attention_layer(problem), what)
    names = [f"A^{number}" for number in range(1, problem.heads + 1)] or ["A"]
    made = [(name, named(name), what.weights) for name in names]
    made.append(("O", named("O"), what.outputs))
    return [one for one in made if what.only in {"", one[0].partition("^")[0]}]


def _of_layer(problem: Problem, layer: Layer, what: Wanted) -> list[tuple[str, Matrix, Rounding]]:
    """Return the matrices of one layer."""
    found = [(name, name, what.weights) for name in layer.recipes if name.partition("^")[0] == "A"]
    found.append(("O", "O", what.outputs))
    if problem.block is not None:
        found.append(("Y", layer.output, what.outputs))
    return [(name, layer.exact(of), places) for name, of, places in found if what.only in {"", name.partition("^")[0]}]


# Files ---------------------------------------------------------------------------------------------


def _csv(file: BinaryIO, lines: Iterator[Line], *, bare: bool) -> None:
    """Write the rows as CSV; with several matrices, the name and the row number come first."""
    for name, number, row in lines:
        cells = [_quoted(_FOR_FLOATS.get(text, text)) for text in row]
        file.write((",".join(cells if bare else [name, str(number), *cells]) + "\n").encode())


def _quoted(text: str) -> str:
    return f'"{text}"' if "," in text else text


def _jsonl(file: BinaryIO, lines: Iterator[Line]) -> None:
    """Write a JSON object for each row, its numbers as text to keep all digits, null where undefined."""
    for name, number, row in lines:
        values = [None if text == _NONE else text for text in row]
        file.write(json.dumps({"matrix": name, "row": number, "values": values}).encode() + b"\n")


def _npy(file: BinaryIO, lines: Iterator[Line]) -> None:
    """Write an array of byte strings as numpy saves it: all of one width, which is known only at the end."""
    rows = [[_FOR_FLOATS.get(text, text).encode("ascii") for text in row] for _, _, row in lines]
    width = max(len(text) for row in rows for text in row)
    head = f"{{'descr': '|S{width}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    # The head ends with a new line, and the numbers begin at a multiple of 64.
    head += " " * (-(len(head) + 11) % 64) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode("ascii"))
    file.writelines(b"".join(text.ljust(width, b"\0") for text in row) for row in rows)
