"""What is wrong with a layer is told with the file and the key, also where only the numbers show it."""

from __future__ import annotations

import pytest

from symattn.api import solve
from symattn.errors import InputError
from symattn.problem.model import Problem

GIVEN = "inputs = {Q = [[1, 0], [0, 1]], K = [[3, 4], [4, 3]], V = [[1, 2], [3, 4]]}\n"
MASKED = GIVEN + 'mask = "causal"\norder = ["mask", "scale"]\n'
HEAD = "inputs = {X = [[1, 0], [0, 1]]}\n[[heads]]\n"

FAULTS = {
    "a scale of 0 after the mask": (MASKED + "scale = 0", "order"),
    "a negative scale after the mask": (MASKED + "scale = -1", "order"),
    "a negative temperature after the mask": (MASKED + "temperature = -2", "order"),
    "a symbol after the mask": (MASKED + 'beta = "b"\n[symbols]\nb = "positive"', "order"),
    "a temperature of 0": (GIVEN + "temperature = 0", "temperature"),
    "a length with a root": (GIVEN.replace("[3, 4]", '["1+sqrt(2)", 4]', 1) + 'score = "cosine"', "score"),
    "a zero query": (GIVEN.replace("[1, 0]", "[0, 0]") + 'score = "cosine"', "score"),
    "a cap of symbols": (GIVEN.replace("[1, 0]", '["b", 0]') + 'softcap = 3\n[symbols]\nb = "real"', "softcap"),
    "a shift beside the extra 1": (GIVEN + "softmax_one = true\n[rounding]\nshift = true", "shift"),
    "a head without W_K": (HEAD + "W_Q = [[1], [1]]\nW_V = [[1], [1]]", "[heads #1] W_K"),
    "heads without V": ("[[heads]]\nQ = [[1]]\nK = [[1]]", "[heads #1] V"),
    "one matrix beside two": ("inputs = {Q = [[[1]], [[2]]], K = [[[1]]], V = [[1]]}", "1 matrix "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_the_file_and_the_key(fault: str) -> None:
    text, key = FAULTS[fault]
    with pytest.raises(InputError) as found:
        solve(Problem.from_text(text, "toml", "week5.toml")).to_latex()
    assert str(found.value).startswith("week5.toml")
    assert key in str(found.value)


@pytest.mark.parametrize("further", ["scale = 0", "scale = -1"])
def test_a_mask_that_hides_nothing_leaves_any_scale(further: str) -> None:
    text = GIVEN + 'mask = {keep = [[1, 1], [1, 1]]}\norder = ["mask", "scale"]\n' + further
    assert solve(Problem.from_text(text, "toml", "week5.toml")).O.shape == (2, 2)
