"""Masks and biases, against a reading of their words entry by entry."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components.biases import Slopes
from symattn.problem.model import Problem
from symattn.problem.settings.masks import Mask

NUMBERS = st.fractions(-3, 3, max_denominator=4)


def zeros(rows: int, columns: int) -> list[list[int]]:
    return [[0] * columns for _ in range(rows)]


def problem(n_q: int, n_k: int, **keys: Any) -> Problem:
    """Attention over zeros, two entries for each head, whose mask and bias are what is looked at."""
    width = 2 * (keys.get("heads") or 1)
    Q = zeros(n_q, width)
    batch = keys.pop("batch", 0)
    return Problem.build(**{"Q": [Q] * batch if batch else Q, "K": zeros(n_k, width), "V": zeros(n_k, width), **keys})


@st.composite
def grids(draw: st.DrawFn, n_q: int, n_k: int, entries: st.SearchStrategy[Any]) -> list[list[Any]]:
    rows = draw(st.sampled_from([1, n_q]))
    return [[draw(entries) for _ in range(n_k)] for _ in range(rows)]


@st.composite
def masks(draw: st.DrawFn) -> tuple[int, int, int, int, dict[str, Any]]:
    """Numbers of queries, keys, heads, sequences, and a table that masks something."""
    n_q, n_k, heads, batch = (draw(st.integers(low, 3)) for low in (1, 1, 0, 0))
    table: dict[str, Any] = {}
    chance = st.booleans()
    if draw(chance):
        table["causal"] = True
    if draw(chance):
        table["window"] = [draw(st.integers(0, 3)), draw(st.integers(0, 3))]
    places: list[dict[str, Any]] = [{}, {"past": 2}, {"alignment": "bottom-right"}, {"alignment": "top-left"}]
    if table:
        table |= places[draw(st.integers(0, 3))]
    if draw(chance):
        one = st.integers(0, n_k)
        table["length"] = draw(st.lists(one, min_size=batch, max_size=batch) if batch else one)
    for key, entries in (
        (draw(st.sampled_from(["keep", "drop"])), st.sampled_from([0, 1, True, False])),
        ("add", st.one_of(st.just("-inf"), NUMBERS.map(str))),
    ):
        if not table or draw(chance):
            grid: Any = grids(n_q, n_k, entries)
            if heads and draw(chance):
                grid = st.lists(grid, min_size=heads, max_size=heads)
                if batch and draw(chance):
                    grid = st.lists(grid, min_size=batch, max_size=batch)
            elif batch and not heads and draw(chance):
                grid = st.lists(grid, min_size=batch, max_size=batch)
            table[key] = draw(grid)
    return n_q, n_k, heads, batch, table


def entry(value: Any, heads: int, at: tuple[int, int, int, int]) -> Any:
    """One entry of a table of a file: what its outer lists stand for is told by their depth."""
    i, j, head, sequence = at
    depth, inner = 0, value
    while isinstance(inner, list):
        depth, inner = depth + 1, inner[0]
    if depth == 4:
        value = value[sequence][head]
    elif depth == 3:
        value = value[head if heads else sequence]
    return value[0 if len(value) == 1 else i][j]


def read_by_hand(
    table: dict[str, Any], n_q: int, n_k: int, heads: int, at: tuple[int, int, int, int]
) -> Fraction | None:
    """What a mask adds to one score: every condition in the words of the problem file, counted from 1."""
    i, j = at[0] + 1, at[1] + 1
    past = n_k - n_q if table.get("alignment") == "bottom-right" else table.get("past", 0)
    seen = not table.get("causal") or j <= i + past
    if "window" in table:
        left, right = table["window"]
        seen = seen and i + past - left <= j <= i + past + right
    if "length" in table:
        length = table["length"]
        seen = seen and j <= (length[at[3]] if isinstance(length, list) else length)
    if "keep" in table:
        seen = seen and bool(entry(table["keep"], heads, at))
    if "drop" in table:
        seen = seen and not entry(table["drop"], heads, at)
    added = entry(table["add"], heads, at) if "add" in table else "0"
    return Fraction(added) if seen and added != "-inf" else None


@given(masks())
def test_masks_are_what_their_words_say(drawn: tuple[int, int, int, int, dict[str, Any]]) -> None:
    n_q, n_k, heads, batch, table = drawn
    found = problem(n_q, n_k, mask=table, **({"heads": heads} if heads else {}), batch=batch)
    for sequence in range(max(batch, 1)):
        alone = found.inputs_of(sequence + 1) if batch else found
        for head in range(max(heads, 1)):
            where = (head + 1 if heads else 0, sequence + 1 if batch else 0)
            wanted = tuple(
                tuple(read_by_hand(table, n_q, n_k, heads, (i, j, head, sequence)) for j in range(n_k))
                for i in range(n_q)
            )
            assert found.mask is not None
            assert alone.mask is not None
            assert found.mask.added(n_q, n_k, *where) == wanted
            assert alone.mask.added(n_q, n_k, where[0]) == wanted
            visible = found.mask.visible(n_q, n_k, *where)
            assert visible == tuple(tuple(one is not None for one in row) for row in wanted)
    assert found.batch == batch
    assert "mask" in found.beyond
    assert found.mask is not None
    assert found.mask.describe()


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2), st.lists(NUMBERS, min_size=1, max_size=3))
def test_slopes_take_off_the_distance_back_to_the_key(n_q: int, n_k: int, past: int, slopes: list[Fraction]) -> None:
    found = problem(n_q, n_k, heads=len(slopes), bias={"alibi": list(map(str, slopes))}, mask={"past": past})
    for head, slope in enumerate(slopes, 1):
        assert found.bias is not None
        assert found.bias.rows(n_q, n_k, found.past, head) == tuple(
            tuple(-slope * (i + past - j) for j in range(1, n_k + 1)) for i in range(1, n_q + 1)
        )


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2), st.data())
def test_tables_of_distances(n_q: int, n_k: int, past: int, data: st.DataObject) -> None:
    distances = range(1 - n_q - past, n_k - past)
    table = {str(d): str(data.draw(NUMBERS)) for d in distances}
    found = problem(n_q, n_k, bias={"relative": table}, mask={"past": past})
    assert found.bias is not None
    assert found.bias.rows(n_q, n_k, found.past) == tuple(
        tuple(Fraction(table[str(j - i - past)]) for j in range(n_k)) for i in range(n_q)
    )
    assert "mask" not in found.beyond
    gone = data.draw(st.sampled_from(sorted(table)))
    with pytest.raises(InputError, match=f"no number for the distance {gone};|table of numbers by distance"):
        problem(n_q, n_k, bias={"relative": {d: b for d, b in table.items() if d != gone}}, mask={"past": past})


@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_bias_matrices(n_q: int, n_k: int, data: st.DataObject) -> None:
    grid = data.draw(grids(n_q, n_k, NUMBERS.map(str)))
    found = problem(n_q, n_k, bias={"add": grid}).bias
    assert found is not None
    assert found.rows(n_q, n_k) == tuple(
        tuple(Fraction(one) for one in grid[0 if len(grid) == 1 else i]) for i in range(n_q)
    )


def test_a_head_that_differs_must_be_named() -> None:
    bias = Slopes((Fraction(1), Fraction(2)))
    for head in (0, 3):
        with pytest.raises(InputError, match="The heads differ here; name one of them, from 1 to 2"):
            bias.rows(1, 1, head=head)
    with pytest.raises(InputError, match="The sequences differ here"):
        Mask(length=(1, 2)).visible(1, 2)


def test_large_negative_numbers_are_the_numbers_that_they_are() -> None:
    found = problem(2, 3, mask={"add": [[0, "-1e9", "-inf"]]}).mask
    assert found is not None
    assert found.added(2, 3)[1] == (Fraction(0), Fraction(-(10**9)), None)
    assert found.stand_ins == (Fraction(-(10**9)),)


@pytest.mark.parametrize("text", ["-inf", "-Infinity", " -inf ", "\N{MINUS SIGN}inf", "-∞", float("-inf")])
def test_minus_infinity_is_read_in_its_spellings(text: object) -> None:
    found = problem(1, 2, mask={"add": [[0, text]]}).mask
    assert found is not None
    assert found.visible(1, 2) == ((True, False),)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("mask = {add = [[0, -inf]]}\ninputs = {Q = [[1]], K = [[1], [2]], V = [[1], [2]]}", "toml"),
        ('{"mask": {"add": [[0, -Infinity]]}, "inputs": {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}}', "json"),
        ('mask = {keep = "[true false]"}\ninputs = {Q = [[1]], K = [[1], [2]], V = [[1], [2]]}', "toml"),
        ("mask = {drop = [false, true]}\ninputs = {Q = [[1]], K = [[1], [2]], V = [[1], [2]]}", "toml"),
        ('mask = {keep = ["[1 0]"]}\nheads = 1\ninputs = {Q = [[1]], K = [[1], [2]], V = [[1], [2]]}', "toml"),
    ],
)
def test_files_spell_masks(text: str, form: str) -> None:
    found = Problem.from_text(text, form).mask
    assert found is not None
    assert found.visible(1, 2, 1) == ((True, False),)


def test_python_gives_masks_as_arrays() -> None:
    import numpy as np  # start-up: only this test needs it

    keep = np.array([[True, False]])
    for value in (
        keep,
        keep.astype(int),
        [np.array([1, 0])],
        [list(np.array([1, 0]))],
        [list(keep[0])],
        Matrix([[1, 0]]),
    ):
        found = problem(1, 2, mask={"keep": value}).mask
        assert found is not None
        assert found.visible(1, 2) == ((True, False),)
    for value in ([[keep, keep]], np.array([[0.5, 1]]), np.array(1), [[[[keep]]]], np.zeros((1, 1, 1, 1, 1))):
        with pytest.raises(InputError):
            problem(1, 2, mask={"keep": value})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            {"causal": True, "past": 2},
            "causal, each query sees the keys up to its own place; query i stands at key i + 2",
        ),
        ({"window": [2, 0]}, "window, each query sees 2 to the left and 0 to the right of its own place"),
        ({"length": 1}, "padding, only the first key is there"),
        ({"drop": [0, 0, 1], "add": [0, 0, 0]}, "keys marked 1 are hidden; the mask is added to the scores"),
        (
            {"causal": True, "alignment": "bottom-right"},
            "causal, each query sees the keys up to its own place; the last query stands at the last key",
        ),
    ],
)
def test_masks_say_what_they_are(table: dict[str, Any], words: str) -> None:
    found = problem(2, 3, mask=table).mask
    assert found is not None
    assert found.describe() == words
