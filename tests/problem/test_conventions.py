"""What the keys of a convention mean together, and the shapes that they want."""

from __future__ import annotations

import re

import pytest

from symattn.errors import InputError, ShapeError
from symattn.problem.settings.conventions import Convention, check_shapes, resolve

ROWS = Convention("rows", "X W", "Q K^T", "rows")


@pytest.mark.parametrize(
    ("keys", "expected", "outputs"),
    [
        ((None, None, None, None), ROWS, "A V"),
        (("rows", "W^T x", None, None), Convention("rows", "W^T x", "Q K^T", "rows"), "A V"),
        (("columns", None, None, None), Convention("columns", "W x", "K^T Q", "columns"), "V A"),
        (("columns", None, "Q^T K", None), Convention("columns", "W x", "Q^T K", "rows"), "V A^T"),
        (("columns", "W^T x", None, "rows"), Convention("columns", "W^T x", "Q^T K", "rows"), "V A^T"),
    ],
)
def test_defaults_follow_from_what_is_declared(
    keys: tuple[str | None, ...], expected: Convention, outputs: str
) -> None:
    tokens, projection, scores, softmax = keys
    convention = resolve(tokens, projection, scores, softmax, given=False)
    assert convention == expected
    assert convention.outputs == outputs


@pytest.mark.parametrize(
    ("keys", "given", "words"),
    [
        (("rows", None, "K^T Q", None), False, 'With tokens = "rows" the scores are "Q K^T"'),
        (("columns", None, "Q K^T", None), False, 'the scores are "K^T Q" or "Q^T K"'),
        (("rows", None, None, "columns"), False, 'softmax = "rows", not "columns"'),
        (("columns", None, "Q^T K", "columns"), False, 'softmax = "rows", not "columns"'),
        (("columns", None, "K^T Q", "rows"), False, 'softmax = "columns", not "rows"'),
        (("columns", "X W", None, None), False, 'it is "W x" or "W^T x"'),
        (("rows", "X W", None, None), True, "so projection has no effect"),
        (("rows", "x W", None, None), False, "projection is one of"),
    ],
)
def test_contradictions_are_named(keys: tuple[str | None, ...], given: bool, words: str) -> None:
    tokens, projection, scores, softmax = keys
    with pytest.raises(InputError, match=re.escape(words)):
        resolve(tokens, projection, scores, softmax, given=given)


@pytest.mark.parametrize(
    ("tokens", "projection", "shape_x", "shape_w", "product"),
    [
        ("rows", "X W", (5, 3), (3, 2), "X W"),
        ("rows", "W^T x", (5, 3), (3, 2), "X W"),
        ("rows", "W x", (5, 3), (2, 3), "X W^T"),
        ("columns", "W x", (3, 5), (2, 3), "W X"),
        ("columns", "W^T x", (3, 5), (3, 2), "W^T X"),
    ],
)
def test_projections_take_the_weights_of_their_definition(
    tokens: str, projection: str, shape_x: tuple[int, int], shape_w: tuple[int, int], product: str
) -> None:
    convention = resolve(tokens, projection, None, None, given=False)
    assert convention.product == product
    shapes = {"X": shape_x, "W_Q": shape_w, "W_K": shape_w, "W_V": shape_w}
    check_shapes("self", convention, shapes)
    turned = {**shapes, "W_K": shape_w[::-1]}
    with pytest.raises(ShapeError, match="W_K"):
        check_shapes("self", convention, turned)


CROSS = {"X_1": (2, 3), "X_2": (4, 2), "W_Q": (3, 2), "W_K": (2, 2), "W_V": (2, 4)}


@pytest.mark.parametrize(
    ("kind", "convention", "shapes", "message"),
    [
        (
            "self",
            ROWS,
            {"X": (3, 4), "W_Q": (3, 2), "W_K": (4, 2), "W_V": (4, 2)},
            "X is 3×4 and W_Q is 3×2: X W_Q needs as many columns in X as rows in W_Q (…W_Q).",
        ),
        (
            "self",
            ROWS,
            {"X": (3, 4), "W_Q": (4, 2), "W_K": (4, 3), "W_V": (4, 2)},
            "W_Q is 4×2 and W_K is 4×3: Q K^T needs as many columns in W_Q as in W_K (…W_K).",
        ),
        (
            "self",
            Convention("rows", "W x", "Q K^T", "rows"),
            {"X": (3, 4), "W_Q": (2, 4), "W_K": (2, 4), "W_V": (4, 2)},
            "X is 3×4 and W_V is 4×2: X W_V^T needs as many columns in X as columns in W_V (…W_V).",
        ),
        (
            "cross",
            ROWS,
            {**CROSS, "X_2": (4, 3)},
            "X_2 is 4×3 and W_K is 2×2: X_2 W_K needs as many columns in X_2 as rows in W_K (…W_K).",
        ),
        (
            "self",
            Convention("columns", "W x", "K^T Q", "columns"),
            {"X": (4, 3), "W_Q": (2, 3), "W_K": (2, 4), "W_V": (2, 4)},
            "X is 4×3 and W_Q is 2×3: W_Q X needs as many rows in X as columns in W_Q (…W_Q).",
        ),
        (
            "given",
            Convention("columns", "", "K^T Q", "columns"),
            {"Q": (2, 5), "K": (3, 4), "V": (1, 4)},
            "Q is 2×5 and K is 3×4: K^T Q needs as many rows in Q as in K (…K).",
        ),
        (
            "given",
            Convention("rows", "", "Q K^T", "rows"),
            {"Q": (5, 2), "K": (4, 2), "V": (3, 1)},
            "K is 4×2 and V is 3×1: A V needs as many rows in V as in K, one for each token (…V).",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_both_named(
    kind: str, convention: Convention, shapes: dict[str, tuple[int, int]], message: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        check_shapes(kind, convention, shapes, "x.toml")
    assert str(caught.value) == message.replace("…", "x.toml, [inputs] ")
