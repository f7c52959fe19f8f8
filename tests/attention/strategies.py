"""Hypothesis strategies for small problems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.problem.model import Problem

Rows = list[list[Fraction]]

ENTRIES = st.builds(Fraction, st.integers(-6, 6), st.sampled_from([1, 1, 2, 3]))
SCALES = st.sampled_from(["none", "none", "1/sqrt(d_k)", "1/2", "-3/4"])


@dataclass(frozen=True)
class Given:
    """Queries, keys and values, one token in each row, and a scale."""

    Q: Rows
    K: Rows
    V: Rows
    scale: str

    def layer(self, **keys: Any) -> Layer:
        given = {"Q": self.Q, "K": self.K, "V": self.V, "scale": self.scale}
        return attention_layer(Problem.build(**{**given, **keys}))


def matrices(rows: int, columns: int) -> st.SearchStrategy[Rows]:
    row = st.lists(ENTRIES, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def given_problems(draw: st.DrawFn, most: int = 3) -> Given:
    n_q, n_k, d_k, d_v = (draw(st.integers(1, most)) for _ in range(4))
    return Given(draw(matrices(n_q, d_k)), draw(matrices(n_k, d_k)), draw(matrices(n_k, d_v)), draw(SCALES))
