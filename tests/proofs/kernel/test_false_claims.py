"""Claims that a file of records cannot hold, is too large for, or must prove: refused or proved as they should be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from symattn.errors import InputError
from symattn.proofs.kernel.record import Claim, Proof, Step, proof_from_json
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay
from symattn.records import dataclass
from tests.effort import effort

D, F, H = Declared, Defined, Hypothesis
n, m = D("n", sign="positive"), D("m", sign="positive")
x, y, c, beta = D("x"), D("y"), D("c"), D("beta", sign="positive")
z = D("z", ("n",))


@dataclass(frozen=True, slots=True)
class _Try:
    """A false claim, its steps, and the beginning of the reason why it is refused."""

    name: str
    proof: Proof
    why: str


def Sc(
    declared: Sequence[Declared],
    defined: Sequence[Defined] = (),
    hyp: Sequence[Hypothesis] = (),
    fixed: tuple[str, ...] = (),
    permutations: tuple[str, ...] = (),
    functions: tuple[str, ...] = (),
) -> Scope:
    return Scope(tuple(declared), tuple(defined), tuple(hyp), fixed, permutations, functions)


def S(
    before: str, rule: str, relation: str, after: str, h: Sequence[str] = (), p: Sequence[str] = (), **arguments: str
) -> Step:
    return Step("", rule, before, relation, after, tuple(h), tuple(p), tuple(arguments.items()))


def _proof(scope: Scope, steps: Sequence[Step], claim: tuple[str, str, str, tuple[str, ...]] | None = None) -> Proof:
    numbered = tuple(
        Step(str(place), s.rule, s.before, s.relation, s.after, s.hypotheses, s.premises, s.arguments)
        for place, s in enumerate(steps, start=1)
    )
    last = numbered[-1]
    left, relation, right, chain = claim or (last.before, last.relation, last.after, (last.id,))
    return Proof("x", "", "", (), scope, (Claim("C", left, relation, right, chain),), numbered)


def _case(
    name: str,
    scope: Scope,
    steps: Sequence[Step],
    claim: tuple[str, str, str, tuple[str, ...]] | None = None,
    *,
    why: str,
) -> _Try:
    return _Try(name, _proof(scope, steps, claim), why)


TRIES = (
    _case(
        "dup hyp ids",
        Sc([x], hyp=[H("H", "", "positive", ("x",)), H("H", "", "nonzero", ("x",))]),
        [S("0", "evident sign", "<", "x", ["H"])],
        why="Two hypotheses have one id: number them apart.",
    ),
    _case(
        "defn with hyp name positive body",
        Sc([x], [F("a", (), (), "x", sign="positive")]),
        [S("0", "evident sign", "<", "a")],
        why="That a is positive is not evident from what it stands for, x",
    ),
)


def _reason(proof: Proof) -> str:
    """Why a proof is refused, in one sentence; nothing where it is proved."""
    try:
        found = replay(proof)
    except InputError as fault:
        return str(fault)
    return "" if found.is_proved else found.faults[0].reason


@pytest.mark.parametrize("item", TRIES, ids=lambda item: item.name)
def test_a_false_claim_is_refused(item: _Try) -> None:
    assert _reason(item.proof).startswith(item.why)


@pytest.mark.parametrize("item", TRIES, ids=lambda item: item.name)
def test_and_as_a_record(item: _Try) -> None:
    assert _reason(proof_from_json(item.proof.as_json())).startswith(item.why)


def _doubled() -> Scope:
    names = [F("a_0", (), (), "x")]
    names += [F(f"a_{i}", (), (), "+".join([f"a_{i - 1}"] * 8)) for i in range(1, 14)]
    return Sc([x], names)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "proof",
    [
        _proof(_doubled(), [S("a_13", "algebra", "=", "1")]),
        _proof(Sc([x, y, c, beta]), [S("(x+y+c+beta+1)^64", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("((((x+1)^16)^16)^16)^16", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("((((3^64)^64)^64)^64)^64", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("(" * 5000 + "x" + ")" * 5000, "algebra", "=", "x")]),
        _proof(Sc([x]), [S("+".join(["x"] * 9000), "algebra", "=", "9000 x")]),
    ],
)
def test_what_is_too_large_is_refused_soon(proof: Proof) -> None:
    with effort(10_000_000):
        reason = _reason(proof)
    assert reason
    assert "\n" not in reason


TRUE = (
    _proof(Sc([beta]), [S("exp(-ln(beta))", "algebra", "=", "1/beta")]),
    _proof(Sc([beta]), [S("sqrt(beta)^2", "algebra", "=", "beta")]),
    _proof(Sc([x], (), [H("H", "", "positive", (), ("x",))]), [S("exp(ln(x))", "algebra", "=", "x", ["H"])]),
    _proof(Sc([n, z]), [S("0", "evident sign", "<", "sum_{j=1}^{n} exp(z_j)")]),
    _proof(Sc([n, m]), [S("sum_{j=1}^{n-1} 1", "algebra", "=", "n-1")]),
    _proof(Sc([beta]), [S("lim(beta, oo, exp(-beta))", "limit", "=", "0")]),
)


@pytest.mark.parametrize("proof", TRUE)
def test_what_is_true_there_is_proved(proof: Proof) -> None:
    assert replay(proof).is_proved
