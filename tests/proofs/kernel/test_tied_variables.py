"""A derivative by a name is taken only where no hypothesis of the step ties that name."""

from __future__ import annotations

import pytest

from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.proof_replay import replay


@pytest.mark.parametrize(
    ("about", "value", "left", "right"),
    [
        ("z", "w^2", "diff(z, w)", "0"),
        ("w", "0", "diff(w^2 + w, w)", "0"),
        ("w", "0", "diff(w, w)", "0"),
        ("z", "3 w", "diff(z w, w)", "3 w"),
    ],
)
def test_a_tied_variable_is_refused(about: str, value: str, left: str, right: str) -> None:
    hypothesis = Hypothesis("H1", "an equation", "equal", (about,), (value,))
    scope = Scope((Declared("z"), Declared("w")), hypotheses=(hypothesis,))
    step = Step("1", "differentiation", left, "=", right, ("H1",))
    proof = Proof("tied", "", "", (), scope, (Claim("C1", left, "=", right, ("1",)),), (step,))
    outcome = replay(proof)
    assert not outcome.is_proved
    assert "ties w" in outcome.steps[0].reason


def test_other_equations_may_be_used_beside_a_derivative() -> None:
    hypothesis = Hypothesis("H1", "an equation", "equal", ("z",), ("2",))
    scope = Scope((Declared("z"), Declared("w")), hypotheses=(hypothesis,))
    step = Step("1", "differentiation", "diff(z w, w)", "=", "2", ("H1",))
    claim = Claim("C1", "diff(z w, w)", "=", "2", ("1",))
    assert replay(Proof("free", "", "", (), scope, (claim,), (step,))).is_proved
