"""What a work says near a statement counts: vectors of ones, premises, its own primed quantities, and causal sums."""

from __future__ import annotations

import pytest

from symattn.api.submissions import check_proof

pytestmark = pytest.mark.unmeasured

RIGHT, WRONG, OPEN = 0, 1, 3


def status(text: str, name: str) -> int:
    """Return the exit status for a work in Markdown."""
    return check_proof(name, text, "md", source="proof.md").exit_status


# Vectors of ones -----------------------------------------------------------------------------------

ONES = [
    ("", r"\mathbf{1}"),
    ("", r"\mathbf 1"),
    ("", r"\mathbb{1}"),
    ("", r"\mathbbm{1}"),
    ("", r"\mathds{1}"),
    ("", r"\vec 1"),
    ("", r"\bm{1}"),
    ("", r"\pmb{1}"),
    ("", r"{\bf 1}"),
    ("", r"\underline{1}"),
    ("", "1_n"),
    ("", r"\mathbf{1}_n"),
    ("", r"\mathbb{1}_N"),
    (r"Let $\mathbf{1} = (1, \dots, 1)^\top$. ", r"\mathbf{1}"),
    (r"Let $e = (1, \dots, 1)^\top$. ", "e"),
    (r"Let $\mathbf{e} \in \mathbb{R}^n$ be the all-ones vector. ", r"\mathbf{e}"),
    ("Write $u$ for the vector of ones. ", "u"),
    ("With the vector $u$ of ones. ", "u"),
    ("Sei $e$ der Einsvektor. ", "e"),
    ("设 $e$ 为全1向量。", "e"),
]


@pytest.mark.sample(5)
@pytest.mark.parametrize(("words", "ones"), ONES)
def test_a_vector_of_ones_is_one_in_all_its_spellings(words: str, ones: str) -> None:
    weights = rf"{words}Let $a_j = e^{{z_j}}/\sum_{{l=1}}^n e^{{z_l}}$ and $J = \operatorname{{diag}}(a) - a a^\top$. "
    chain = rf"${ones}^\top a = 1$ and $J{ones} = a - a (a^\top {ones}) = a - a = 0$."
    assert status(weights + chain, "softmax-jacobian") == RIGHT
    for wrong in (f"$J{ones} = a$.", rf"${ones}^\top a = 2$.", rf"$J{ones} = a - a = 2a$."):
        assert status(weights + wrong, "softmax-jacobian") == WRONG


def test_a_bold_e_without_a_meaning_is_neither_any_vector_nor_a_number() -> None:
    assert status(r"$J\mathbf{e} = 0$.", "softmax-jacobian") == OPEN
