"""What is measured, against whom, and which ratio is to be reached."""

from __future__ import annotations

import atexit
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from symattn.api.comparison import compare
from symattn.api.solutions import solve
from symattn.cli.table_files import Wanted, write_tables
from symattn.exact.linear import algorithm_selection
from symattn.exact.linear.integer_matrix import product_transposed
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rounding.quotients import decimal
from symattn.exact.rows.certified_rows import layer_rows
from symattn.notation.parser.latex import read_latex
from symattn.problem.model import Problem
from symattn.rendering.latex.typesetting import closed_rows
from tests.benchmarks import peers
from tests.benchmarks.data import (
    PAGE,
    WIDTH,
    Layer,
    block_problem,
    denominators_problem,
    float_layer,
    gradient_problem,
    head_problem,
    layer,
    positioned_problem,
    row,
)
from tests.benchmarks.timing import Work


@dataclass(frozen=True, slots=True)
class Peer:
    """One to compare with: our time is to be at most `reach` times its own, of which `factor` counts.

    `missing` names the package that is not installed.
    """

    name: str
    reach: float
    make: Callable[[], Work]
    factor: float = 1.0
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table: ours, its peers, and where there is one the most milliseconds."""

    name: str
    title: str
    make: Callable[[], Work]
    peers: tuple[Peer, ...] = ()
    limit: float | None = None


def faster(times: float) -> float:
    """The ratio of what is to be so many times as fast."""
    return 1 / times


def needs(module: str) -> str:
    return "" if peers.is_there(module) else module


def cases(*, quick: bool = False) -> list[Case]:
    """All of them; quick ones are the same at sizes that take seconds together, and tell nothing of speed."""
    small = 16 if quick else 1
    # sympy keeps so much of what it made that whatever runs after it in the process is slower: it comes last.
    return [
        *_layers(small),
        *(_oracle(n // small) for n in (64, 256, 1024)),
        _heads(60),
        _block(64),
        _gradients(24),
        *(_positions(n, kind) for n in (2, 64) for kind in ("sinusoidal", "rope")),
        *(_doubt(exponent) for exponent in (3, 6, 9, 30)),
        _page(),
        *(_scores(n // small, times, limit) for n, times, limit in ((64, 15, 1.5), (256, 40, 1.2))),
        _closed_row(64 // small),
        *_equality(64 // small),
        _array_file(1024 // small),
        _many_denominators(small),
        _sympy_layer(max(16 // small, 2)),
        _latex(64 // small),
    ]


def _scores(n: int, times: float, limit: float) -> Case:
    def ours() -> Work:
        made = layer(n, n)
        return lambda: product_transposed(made.queries, made.keys)

    def flint() -> Work:
        made = layer(n, n)
        return lambda: peers.flint_scores(made.queries, made.keys)

    return Case(
        f"scores-{n}",
        f"exact scores, n = d = {n}",
        ours,
        (
            Peer("sympy Matrix", faster(times), lambda: peers.sympy_scores(layer(n, n)), missing=needs("sympy")),
            Peer("flint with conversion", limit, flint, missing=needs("flint")),
        ),
    )


def _closed_row(n: int) -> Case:
    scores = row(n)

    def theirs() -> Work:
        return partial(peers.sympy_row, peers.sympy_rationals(scores))

    return Case(
        "closed-form-row",
        f"a row in closed form, n = {n}",
        lambda: partial(softmax_rows, Matrix([scores])),
        (Peer("sympy exp and Add", faster(100), theirs, missing=needs("sympy")),),
    )


def denominators_as_table(n: int, d: int) -> Work:
    """Rows of the layer of `many_denominators` in a .csv file."""
    problem, rounding = denominators_problem(n, d), Rounding(places=6)
    folder = Path(mkdtemp())
    atexit.register(rmtree, folder)
    work = partial(write_tables, problem, str(folder / "layer.csv"), Wanted("", rounding, rounding))
    work()  # what is imported late is no part of it
    return work


def many_denominators(n: int, d: int) -> Work:
    """Decimals of a layer whose entries have denominators of 20 digits, all different."""
    problem = denominators_problem(n, d)

    def work() -> object:
        result = solve(problem)
        return result.A.rounded(6), result.O.rounded(6)

    work()  # what is imported late is no part of it
    return work


def _many_denominators(small: int) -> Case:
    return Case(
        "many-denominators",
        "denominators of 20 digits, 40 rows and 8 columns",
        lambda: many_denominators(40 // small, 8),
        (Peer("10 rows and 4 columns", 20, lambda: many_denominators(max(10 // small, 1), 4)),),
    )


def _array_file(n: int) -> Case:
    """Compares the reading of three n × 64 matrices from .npy files with that of the same numbers in TOML."""

    def problem_file(write: Callable[[Path, str, list[list[float]]], str]) -> Work:
        folder = Path(mkdtemp())
        atexit.register(rmtree, folder)
        rows = {name: [[float(x) for x in row] for row in layer(n, 64).values.rows] for name in "QKV"}
        texts = [f"{name} = {write(folder, name, values)}\n" for name, values in rows.items()]
        path = folder / "problem.toml"
        path.write_text("[inputs]\n" + "".join(texts), "utf-8")
        return partial(Problem.load, path)

    return Case(
        "arrays-in-files",
        f"three {n}×64 matrices in .npy files",
        lambda: problem_file(_as_npy),
        (Peer("the same in TOML", 0.1, lambda: problem_file(lambda _, __, rows: str(rows))),),
    )


def _as_npy(folder: Path, name: str, rows: list[list[float]]) -> str:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".encode()
    numbers = struct.pack(f"<{len(rows) * len(rows[0])}d", *chain.from_iterable(rows))
    (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + numbers)
    return f'{{file = "{name}.npy", floats = "binary"}}'


def _equality(n: int) -> Iterator[Case]:
    first = row(n)
    second = [x + Fraction(7, 3) for x in first]
    simplify = Peer(
        "sympy simplify", faster(2000), lambda: partial(peers.sympy_simplify, first, second), missing=needs("sympy")
    )
    yield Case("equality-shift", f"equality after a shift, n = {n}", lambda: _compared(first, second), (simplify,), 1.0)
    # Other scores: that the two differ shows in the products of all terms with all terms alone.
    other = row(n, seed=3)
    yield Case("equality-cross", f"equality, cross-multiplied, n = {n}", lambda: _compared(first, other), limit=3.0)


def _compared(first: list[Fraction], second: list[Fraction]) -> Work:
    """Compares an output of two rows; those of the first and of a shifted one are equal."""
    weights = Matrix([range(1, len(first) + 1)]).T
    a, b = ((softmax_rows(Matrix([scores])) @ weights)[0, 0] for scores in (first, second))
    is_shifted = len({x - y for x, y in zip(first, second, strict=True)}) == 1

    def work() -> object:
        if (a == b) != is_shifted:
            raise ValueError("two rows are compared wrongly")
        return None

    return work


_MANY = 1000


def _layers(small: int) -> Iterator[Case]:
    for n, places, mpmath, arb in (
        (16, 15, 8, 1.7),
        (64, 15, 18, 1.2),
        (64, 50, 12, 1.2),
        (256, 15, 40, 0.8),
        (1024, 15, None, 0.65),
        (1024, 50, None, 0.5),
    ):
        yield _layer(max(n // small, 2), places, mpmath=mpmath, arb=arb)
    yield _layer(64 // small, _MANY // small, mpmath=2.2, arb=1.25, name="without gmpy2", gmpy2=False)
    yield _layer(64 // small, _MANY // small, mpmath=2.2, arb=0.4, name="with gmpy2")


def _layer(
    n: int,
    places: int,
    *,
    mpmath: float | None = None,
    arb: float,
    name: str = "",
    gmpy2: bool = True,
) -> Case:
    found = []
    if mpmath is not None:
        found.append(Peer("mpmath", faster(mpmath), lambda: partial(peers.mpmath_layer, layer(n), places)))
    found.append(
        Peer("C loop over Arb", arb, lambda: partial(peers.arb_layer, layer(n), places), peers.IN_C, needs("flint"))
    )
    if places == 15 and n >= 16:
        found.append(
            Peer("numpy and %.15f", 4, lambda: partial(peers.numpy_layer, layer(n), places), missing=needs("numpy"))
        )
    if name == "with gmpy2" and needs("gmpy2"):
        found = [Peer(peer.name, peer.reach, peer.make, peer.factor, "gmpy2") for peer in found]
    label = f"layer-{n}-{places}" + ("" if not name else "-" + name.replace(" ", "-"))
    title = f"A and O, n = {n}, D = {places}" + (f", {name}" if name else "")
    return Case(label, title, lambda: partial(certified, layer(n), places, gmpy2=gmpy2), tuple(found))


def _oracle(n: int) -> Case:
    """Floats compared with the outputs of a layer of floats, against the certified decimals of its A and O."""

    def ours() -> Work:
        problem, computed = float_layer(n)
        result = solve(problem)
        compare(result, computed, form="float16")  # what is imported late is no part of it
        return lambda: compare(result, computed, form="float16").worst

    def decimals() -> Work:
        result = solve(float_layer(n)[0])
        return lambda: (result.A.rounded(15), result.O.rounded(15))

    return Case(
        f"compare-{n}", f"compare {n}×{WIDTH} float16", ours, (Peer("certified decimals of A and O", 3, decimals),)
    )


def heads_of_layer(n: int, heads: int) -> Work:
    """Decimals of the weights and outputs of a layer of n tokens with heads 16 wide."""
    problem = head_problem(n, heads)

    def work() -> object:
        result = solve(problem)
        return [head.A.rounded(15) for head in result.heads], result.O.rounded(15)

    work()  # what is imported late is no part of it
    return work


def _heads(n: int) -> Case:
    one = Peer("one of them", 2.2, lambda: heads_of_layer(n, 1))
    return Case(f"heads-{n}", f"two heads of {n} tokens, D = 15", lambda: heads_of_layer(n, 2), (one,))


def block_of_layer(n: int, *, around: bool = True) -> Work:
    """Decimals of a block of n tokens, 16 wide, or of its attention alone."""
    problem = block_problem(n, around=around)

    def work() -> object:
        return solve(problem)["Y" if around else "O"].rounded(15)

    work()  # what is imported late is no part of it
    return work


def _block(n: int) -> Case:
    attention = Peer("its attention", 6, lambda: block_of_layer(n, around=False))
    return Case(f"block-{n}", f"an encoder block of {n} tokens, D = 15", lambda: block_of_layer(n), (attention,))


def gradients_of_layer(n: int, *, back: bool = True) -> Work:
    """Decimals of all gradients of a layer of n tokens, 16 wide, or of its weights and outputs."""
    problem = gradient_problem(n)
    names = ("dV", "dA", "D", "dS", "dQ", "dK") if back else ("A", "O")

    def work() -> object:
        result = solve(problem)
        return [result[name].rounded(15) for name in names]

    work()  # what is imported late is no part of it
    return work


def _gradients(n: int) -> Case:
    forward = Peer("the forward pass", 8, lambda: gradients_of_layer(n, back=False))
    return Case(f"gradients-{n}", f"all gradients of {n} tokens, D = 15", lambda: gradients_of_layer(n), (forward,))


def positioned_layer(n: int, kind: str = "") -> Work:
    """Decimals of the weights and outputs of a layer of n tokens, 16 wide, with positions of a kind or without."""
    problem = positioned_problem(n, kind)

    def work() -> object:
        result = solve(problem)
        return result.A.rounded(15), result.O.rounded(15)

    work()  # what is imported late is no part of it
    return work


def _positions(n: int, kind: str) -> Case:
    plain = Peer("the layer without", 1.5, lambda: positioned_layer(n))
    title = f"{kind} positions of {n} tokens, D = 15"
    return Case(f"positions-{kind}-{n}", title, lambda: positioned_layer(n, kind), (plain,))


def _sympy_layer(n: int) -> Case:
    peer = Peer("sympy N", faster(4000), lambda: partial(peers.sympy_layer, layer(n), 15), missing=needs("sympy"))
    return Case(
        f"sympy-layer-{n}-15",
        f"A and O, n = {n}, D = 15, in closed form",
        lambda: partial(certified, layer(n), 15),
        (peer,),
    )


def certified(made: Layer, places: int, *, gmpy2: bool = True) -> list[tuple[list[str], list[str]]]:
    """Ours: all rows of A and O as text."""
    with _without_gmpy2() if not gmpy2 else _as_it_is():
        return list(layer_rows(made.scores, made.values, Rounding(places=places)))


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _without_gmpy2() -> Iterator[None]:
    before = algorithm_selection.GMPY2_FROM
    algorithm_selection.GMPY2_FROM = 10**9
    try:
        yield
    finally:
        algorithm_selection.GMPY2_FROM = before


def _doubt(exponent: int) -> Case:
    return Case(
        f"doubt-{exponent}",
        f"one doubtful rounding, gap 10^{exponent}",
        lambda: doubtful(10**exponent),
        limit=1.0,
    )


def doubtful(gap: int) -> Work:
    """An output that lies e^-gap below the tie 7/8, to two places."""
    value = (softmax_rows(Matrix([[gap, 0]])) @ Matrix([["7/8"], [0]]))[0, 0]

    def work() -> object:
        if decimal(value, Rounding(places=2)) != "0.87":
            raise ValueError("a doubtful value is rounded to the wrong side")
        return None

    return work


def _latex(n: int) -> Case:
    def ours() -> Work:
        weights = softmax_rows(Matrix(layer(n).fractions_of_scores(Fraction)))
        return lambda: closed_rows(weights)

    def theirs() -> Work:
        import sympy

        matrix = peers.sympy_latex(layer(n))
        return lambda: sympy.latex(matrix)

    return Case(
        f"latex-{n}",
        f"LaTeX of a closed-form {n}×{n} A",
        ours,
        (Peer("sympy's printer", faster(1000), theirs, missing=needs("sympy")),),
    )


def _page() -> Case:
    theirs = Peer(
        "latex2sympy2_extended",
        faster(50),
        lambda: partial(peers.latex2sympy_page, PAGE),
        missing=needs("latex2sympy2_extended"),
    )
    return Case("page", "reading a page of hand work", lambda: lambda: list(map(read_latex, PAGE)), (theirs,))
