"""The end of a counter-example to an inequality says what does not hold: ``which is not ≥ 9/10``."""

from __future__ import annotations

import pytest

from symattn.proofs.cases.counterexamples import Refuted, Sides
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Declared, Scope
from symattn.rendering.proofs.refutations import _values

SCOPE = Scope((Declared("x"), Declared("y")))


@pytest.mark.parametrize(("relation", "sign"), [("≥", r"\ge"), ("≤", r"\le"), (">", ">"), ("<", "<")])
def test_a_bound_that_is_a_number_is_denied(relation: str, sign: str) -> None:
    sides = Sides((), "1", "2", "1", "2", stands=False)
    item = Refuted(Falsehood("", "x", relation, "2", CounterExample(), ""), sides, (), SCOPE)
    assert f"which is not ${sign} 2$" in _values(item, read_text("x", SCOPE), read_text("2", SCOPE))
