"""Results that have no single layer: of heads, of batches, of theory. What they have is given, the rest is refused."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.api.solutions import Result, solve
from symattn.errors import InputError
from symattn.problem.model import Problem

X = sympy.Symbol("x")
GIVEN: dict[str, Any] = {"K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "scale": "none"}
LAYERS: dict[str, dict[str, Any]] = {
    "plain": {"Q": [[1, 2]]},
    "one": {"Q": [[1, 2]], "softmax_one": True},
    "masked": {"Q": [[1, 2]], "mask": {"keep": [1, 0]}},
    "projected": {"Q": [[1, 2]], "W_O": [[1], [2]]},
    "heads": {"Q": [[1, 2]], "heads": 2},
    "heads, projected": {"Q": [[1, 2]], "heads": 2, "W_O": [[1], [2]]},
    "batch": {"Q": [[[1, 2]], [[2, 1]]]},
    "batch of heads": {"Q": [[[1, 2]], [[2, 1]]], "heads": 2},
}
OWN: dict[str, Any] = {"inputs": {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}}
OTHERS: dict[str, dict[str, Any]] = {
    "blocks": {"X": [[1], [2]], "blocks": [OWN, OWN]},
    "definitions": {"inputs": {"X": [[1], [2]]}, "definitions": {"S": "X X^T", "A": "softmax(S)"}},
    "theory": {"parts": [{"asks": "prose", "answer": "Yes."}]},
}
CALLS: dict[str, tuple[Any, ...]] = {
    "sympy": (),
    "jacobian": (),
    "series": ("x",),
    "limit": ("x", sympy.oo),
    "cases": ("x",),
    "argmax": (),
    "stepwise": ("A",),
    "to_latex": (),
    "as_json": (),
    "_repr_latex_": (),
    "__repr__": (),
    "__getitem__": ("A",),
}


def results() -> dict[str, Result]:
    found: dict[str, Result] = {}
    for name, keys in {**{name: {**GIVEN, **own} for name, own in LAYERS.items()}, **OTHERS}.items():
        found[f"{name}, analysed"] = sa.attention(**keys)
        found[f"{name}, solved"] = solve(Problem.build(**keys))
    return found


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_everything_public_is_given_or_refused_in_a_sentence(name: str) -> None:
    """A key of a dictionary that is missing may be told by KeyError; anything else is a fault of ours."""
    result = RESULTS[name]
    asked = [word for word, _ in inspect.getmembers(type(result)) if not word.startswith("_")]
    for word in [*asked, *CALLS]:
        # A sheet need not define what a layer always has; Python asks for AttributeError there.
        with suppress(InputError, KeyError, *([AttributeError] if word in "QKVO" else [])):
            value = getattr(result, word, None) if word in CALLS else getattr(result, word)
            if word in CALLS and value is not None:
                value(*CALLS[word])


def test_each_head_is_a_result_of_its_own() -> None:
    result = sa.attention(**GIVEN, Q=[[X, 2]], heads=2)
    first, second = result.heads
    assert first.limit(X, sympy.oo) == sympy.Matrix([[1]])
    assert second.argmax() == ((1,),)
    assert "2 heads" in repr(result)
    assert result.jacobian([X]).shape == (2, 1)
    assert result.jacobian() == result.jacobian([X])
    numbers = sa.attention(**GIVEN, Q=[[1, 2]], heads=2)
    for one in (numbers, *numbers.heads):
        assert all(item.proved for item in one.read_back(one.to_latex()))


def test_each_sequence_is_a_result_of_its_own() -> None:
    result: Any = sa.attention(**GIVEN, Q=[[[1, 2]], [[2, 1]]])
    assert [sequence.argmax() for sequence in result.sequences] == [((1,),), ((0,),)]
    for word in ("heads", "A"):
        with pytest.raises(InputError, match=r"take result\.sequences\[0\]"):
            getattr(result, word)


@pytest.mark.parametrize("queries", [[[["x"]], [[1]]], [[[1]], [["x"]]]])
def test_sequences_with_and_without_an_order_of_weights_share_a_key(queries: Any) -> None:
    keys = {"K": [[1], [0]], "V": [[1], [0]], "scale": "none", "symbols": {"x": "real"}}
    titles = [section.title for section in solve(Problem.build(Q=queries, **keys)).document().sections]
    order = [title for title in titles if title.startswith("Pattern")]
    assert order == [f"Pattern, sequence {1 + (queries[0][0] == ['x'])}"]
    assert len(titles) == len(set(titles)) == 8


def test_each_block_is_a_result_of_its_own() -> None:
    result = sa.attention(**OTHERS["blocks"])
    first, last = result.blocks
    assert first.argmax() == ((1,), (1,))
    assert (result["A@1"], result["A@2"], result.A) == (first.A, last.A, last.A)
    assert result.stepwise("A@1") == first.stepwise("A") != result.stepwise("A")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_without_parts_is_its_only_part(name: str) -> None:
    result = RESULTS[name]
    assert result.sequences == result.children.get("sequences", (result,))
    assert result.blocks == result.children.get("blocks", (result,))
    assert (len(result.sequences) > 1, len(result.blocks) > 1) == (name.startswith("batch"), name.startswith("blocks"))


def test_definitions_say_which_there_are() -> None:
    for ask in ("Q", "O", "dS", "missing"):
        with pytest.raises(AttributeError, match=f"The problem defines no {ask}: it defines S, A"):
            getattr(RESULTS["definitions, analysed"], ask)


def test_limits_are_not_told_of_what_is_no_plain_average() -> None:
    """The extra 1 takes all the weight where every score falls; the outputs of W_O are no averages of values."""
    with pytest.raises(InputError, match="softmax_one"):
        sa.attention(**GIVEN, Q=[[X, X]], softmax_one=True).limit(X, -sympy.oo)
    projected = sa.attention(**GIVEN, Q=[[X, 0]], W_O=[[1], [2]])
    with pytest.raises(InputError, match="W_O"):
        projected.limit(X, sympy.oo)
    assert projected.limit(X, sympy.oo, of="A") == sympy.Matrix([[1, 0]])


def test_limits_and_largest_scores_refuse_a_mask() -> None:
    masked = sa.attention(Q=[[X, 0], [1, X]], K=[[1, 0], [0, 1]], V=[[1], [2]], mask="causal")
    for ask in (lambda: masked.limit(X, sympy.oo), masked.argmax):
        with pytest.raises(InputError, match="not worked out with a mask: leave the mask out"):
            ask()
    assert masked.limit(X, 0).shape == (2, 1)
