"""The gradients of attention: proved without lemmas, and their numbers against derivatives that mpmath takes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from symattn.proofs.cases.claim_checks import check_claims
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Proof, Step, proof_from_json
from symattn.proofs.proof_replay import replay
from tests.proofs.catalogue.proving import HOW_MANY, changed, is_step_proved, looked_at, robbed

_THEOREM = theorem("attention-gradients")

_Rows = list[list[mpmath.mpf]]

_GIVEN = {
    "X_1": [[-1, 1, 0], [0, 1, 0]],
    "X_2": [[-1, 1], [0, 1], [1, 1], [2, 0]],
    "W_Q": [[0, -1], [1, 1], [-1, 0]],
    "W_K": [[1, 0], [-1, 1]],
    "W_V": [[-1, 0, 1, 2], [1, -1, 0, -2]],
}
_KNOWN = {
    "dV[1,1]": "0.086123195469081462250",
    "dV[4,4]": "1.0434005645382751000",
    "dS[1,1]": "-0.27506773728893055721",
    "dS[1,4]": "1.1633994953685961320",
    "dS[2,3]": "-0.53846638519783867910",
    "dQ[1,1]": "3.3307205001621039324",
    "dQ[2,2]": "-1.1119536494325757523",
    "dK[1,1]": "-0.47617565116341500053",
    "dK[4,2]": "3.4387526401697680163",
    "dW_Q[2,1]": "6.3292229771364769534",
    "dW_K[1,2]": "6.2211908371288128695",
    "dW_V[1,3]": "2.6370470563476816583",
    "dW_V[2,1]": "0.95659943546172490000",
}


def _proof(scale: str = "1/sqrt(D_k)") -> Proof:
    return _THEOREM.build(_THEOREM.values({"scale": scale}))


def _times(first: _Rows, second: _Rows) -> _Rows:
    columns = list(zip(*second, strict=True))
    return [[mpmath.fsum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in first]


def _softmax(row: list[mpmath.mpf]) -> list[mpmath.mpf]:
    total = mpmath.fsum(mpmath.exp(x) for x in row)
    return [mpmath.exp(x) / total for x in row]


def _loss(q: _Rows, k: _Rows, v: _Rows) -> mpmath.mpf:
    """The sum of all outputs."""
    scores = _times(q, [list(column) for column in zip(*k, strict=True)])
    return mpmath.fsum(x for row in _times([_softmax(row) for row in scores], v) for x in row)


def _numbers(rows: list[list[int]]) -> _Rows:
    return [[mpmath.mpf(x) for x in row] for row in rows]


def _slope(loss: Callable[[_Rows], mpmath.mpf], at: _Rows, i: int, j: int) -> mpmath.mpf:
    """The derivative by one entry, by symmetric differences and Richardson's rule in mpmath."""

    def moved(x: mpmath.mpf) -> mpmath.mpf:
        rows = [list(row) for row in at]
        rows[i][j] = x
        return loss(rows)

    return mpmath.diff(moved, at[i][j])


def _lines() -> dict[str, str]:
    assert _THEOREM.instance is not None
    return {line.text.partition(", unscaled")[0]: line.digits for line in _THEOREM.instance({})}


@pytest.mark.parametrize("scale", ["1/sqrt(D_k)", "1"])
def test_it_is_proved_without_lemmas_from_its_record(scale: str) -> None:
    found = replay(proof_from_json(_proof(scale).as_json()))
    assert found.faults == ()
    assert found.is_proved
    assert found.cites == ()


def test_small_cases_agree() -> None:
    found = check_claims(_proof())
    assert found
    assert all(check.agrees for check in found)


def test_the_conclusions_are_the_formulas() -> None:
    conclusion = _proof().conclusion
    for wanted in (
        "diff(L, V_{jc}) = (A^T G)_{jc}",
        "diff(L, Q_{ir}) = (dS K)_{ir}/sqrt(D_k)",
        "diff(L, K_{jr}) = (dS^T Q)_{jr}/sqrt(D_k)",
        "sum_{j=1}^{m} dS_{ij} = 0",
        "diff(F, (W_V)_{pc}) = (X_2^T (a^T G))_{pc}",
    ):
        assert wanted in conclusion


@HOW_MANY
def test_changed_steps_are_refused(*, whole: bool) -> None:
    proof = _proof("1")
    for step in looked_at(proof, whole=whole):
        for other in changed(step):
            assert not is_step_proved(proof, other), (step.id, other.after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("diff(L, V_{jc})", "(A G)_{jc}"),
        ("diff(L, Q_{ir})", "(dS K)_{ir}"),
        ("diff(L, Q_{ir})", "(dA K)_{ir}/sqrt(D_k)"),
        ("diff(L, K_{jr})", "(dS Q)_{jr}/sqrt(D_k)"),
        ("diff(L, K_{jr})", "(dS^T K)_{jr}/sqrt(D_k)"),
        ("diff(F, (W_Q)_{pr})", "(X_2^T (ds k))_{pr}/sqrt(D_k)"),
        ("sum_{i=1}^{n} dS_{ij}", "0"),
    ],
)
def test_wrong_formulas_are_not_proved(before: str, after: str) -> None:
    assert not is_step_proved(_proof(), Step("x", "differentiation", before, "=", after))
    assert not is_step_proved(_proof(), Step("x", "algebra", before, "=", after))


@HOW_MANY
def test_steps_need_their_hypotheses(*, whole: bool) -> None:
    proof = _proof()
    assert any(step.hypotheses for step in proof.steps)
    for step in looked_at(proof, whole=whole):
        for other in robbed(step):
            assert not is_step_proved(proof, other), step.id


@pytest.mark.parametrize("falsehood", _THEOREM.falsehoods, ids=lambda item: item.left)
def test_falsehoods_are_refuted(falsehood: Falsehood) -> None:
    found = refuted(falsehood, falsehood.scope or _proof().scope)
    assert found is not None
    assert found.sides.stands is False


def test_known_digits() -> None:
    found = _lines()
    assert {name: found[name] for name in _KNOWN} == _KNOWN


def test_the_numbers_are_derivatives() -> None:
    found = _lines()
    with mpmath.workdps(60):
        given = {name: _numbers(rows) for name, rows in _GIVEN.items()}
        q, k, v = (_times(given[x], given[w]) for x, w in (("X_1", "W_Q"), ("X_2", "W_K"), ("X_2", "W_V")))
        losses: dict[str, tuple[Callable[[_Rows], mpmath.mpf], _Rows]] = {
            "dQ": (lambda rows: _loss(rows, k, v), q),
            "dK": (lambda rows: _loss(q, rows, v), k),
            "dV": (lambda rows: _loss(q, k, rows), v),
            "dW_Q": (lambda rows: _loss(_times(given["X_1"], rows), k, v), given["W_Q"]),
            "dW_K": (lambda rows: _loss(q, _times(given["X_2"], rows), v), given["W_K"]),
            "dW_V": (lambda rows: _loss(q, k, _times(given["X_2"], rows)), given["W_V"]),
        }
        for name, (loss, at) in losses.items():
            for i, j in product(range(len(at)), range(len(at[0]))):
                digits = mpmath.mpf(found[f"{name}[{i + 1},{j + 1}]"])
                assert mpmath.almosteq(digits, _slope(loss, at, i, j), mpmath.mpf("1e-19"), mpmath.mpf("1e-19"))


def test_rows_of_the_gradient_of_the_scores_add_up_to_zero() -> None:
    found = _lines()
    with mpmath.workdps(40):
        for i in (1, 2):
            total = mpmath.fsum(mpmath.mpf(found[f"dS[{i},{j}]"]) for j in (1, 2, 3, 4))
            assert abs(total) < mpmath.mpf("1e-18")


def test_cross_entropy_at_logarithms() -> None:
    assert _THEOREM.instance is not None
    lines = [line.exact for line in _THEOREM.instance({})][-12:]
    p = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
    assert lines[:3] == ["-5/6", "1/3", "1/2"]
    wanted = [str(p[i] * ((1 if i == j else 0) - p[j])) for i, j in product(range(3), repeat=2)]
    assert lines[3:] == wanted
