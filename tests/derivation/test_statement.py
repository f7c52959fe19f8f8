"""Notes: one line of plain text from which a statement can be had back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.rounding.quotients import TIES, Rounding
from symattn.graph.quantities.scene import Valuation
from symattn.graph.quantities.statement import Fault, Judgement, Statement, from_note
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t

SUBJECTS = (
    "Q",
    "Q_31",
    "Q_{3,11}",
    "W_Q",
    "(W_Q)_11",
    "S_13 - S_11",
    "A_31/A_32",
    "(Q K^T)_{i,j}",
    "(A V)_i",
    "E_{i,1}",
    '"attention map"_31',
    "alpha_12",
    "q_1",
)

roundings = st.one_of(
    st.builds(Rounding, places=st.integers(0, 50), ties=st.sampled_from(TIES)),
    st.builds(Rounding, figures=st.integers(1, 50), ties=st.sampled_from(TIES)),
)
ranges = st.sampled_from([(), (("i", 3),), (("i", 3), ("j", 12))])
valuations: st.SearchStrategy[Valuation] = st.sampled_from(["exact", "carried", "end"])


@given(st.sampled_from(SUBJECTS), valuations, st.none() | roundings, ranges)
def test_round_trip(
    subject: str, valuation: Valuation, rounding: Rounding | None, limits: tuple[tuple[str, int], ...]
) -> None:
    statement = Statement(read_plain(subject), t.Number("1"), valuation, rounding, limits)
    assert "\n" not in statement.note
    assert from_note(statement.note, t.Number("1")) == statement


@pytest.mark.parametrize(
    "note",
    [
        "Q_31 | later",
        "Q_31 | 2 places",
        "Q_31 | 2 places upward",
        "Q_31 | 0 figures half-up",
        "Q_31 | 99999 places half-up",
        "Q_31 | i = 1..",
        "Q_31 | i = 1..999999",
        "Q_31 |",
        "Q_3(",
        "",
    ],
)
def test_notes_that_were_changed_by_hand(note: str) -> None:
    with pytest.raises(InputError):
        from_note(note, t.Number("1"))


def test_sides() -> None:
    one, two = t.Number("1"), t.Number("2")
    chain = t.Relation((None, one, two), ("=", "≈"))
    statement = Statement(t.Name("Q"), chain)
    assert statement.sides == (one, two)
    assert statement.written_sides == (None, one, two)
    assert statement.operators == ("=", "≈")
    assert Statement(t.Name("Q"), one).operators == ()
    assert not Judgement(statement, (Fault(0, None, "a side is missing"),)).proved
