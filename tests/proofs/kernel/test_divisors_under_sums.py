"""What is known of one entry does not let a sum over all of them divide."""

from __future__ import annotations

import pytest

from symattn.proofs.catalogue.authoring.theorem import Builder
from symattn.proofs.language.scope import Kind
from symattn.proofs.proof_replay import replay


@pytest.mark.parametrize(
    ("kind", "about", "values", "is_proved"),
    [
        ("positive", "z", (), True),
        ("positive", "", ("z_i",), True),
        ("positive", "", ("z_l",), False),
        ("nonzero", "", ("z_l",), False),
    ],
)
def test_a_divisor_in_a_sum(kind: Kind, about: str, values: tuple[str, ...], *, is_proved: bool) -> None:
    b = Builder("x", "x", "x")
    b.declare("n", sign="positive")
    b.declare("z", "n")
    known = b.assume(kind, about, "what is known", *values)
    b.chain("sum_{l=1}^{n} z_l/z_l").then("=", "n", "algebra", known).claim()
    assert replay(b.proof()).is_proved is is_proved
