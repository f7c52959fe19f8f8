"""Steps that hold but for a side condition: refused without it, and their true siblings are proved."""

from __future__ import annotations

import pytest

from symattn.derivation.proofs.replay import replay
from symattn.derivation.proofs.scope import Kind
from tests.derivation.proofs.test_false_claims import D, F, H, S, Sc, _case, _proof, _reason, _Try

n, m = D("n", sign="positive"), D("m", sign="nonnegative")
z, q = D("z", ("n",)), D("q", ("n",), random=True)
pair = D("q", ("2",))

EMPTY_RANGES = (
    _case(
        "m",
        Sc([m]),
        [S("sum_{i=1}^{m} delta_{i,1}", "algebra", "=", "1")],
        why="That 1 is a value of a range of length m",
    ),
    _case(
        "n - 1",
        Sc([n]),
        [S("sum_{i=1}^{n-1} delta_{i,1}", "algebra", "=", "1")],
        why="That 1 is a value of a range of length",
    ),
    _case(
        "2 of n",
        Sc([n]),
        [S("sum_{i=1}^{n} delta_{i,2}", "algebra", "=", "1")],
        why="That 2 is a value of a range of length n",
    ),
    _case(
        "n m - 2",
        Sc([n, D("m", sign="positive")]),
        [S("sum_{i=1}^{n m-2} 1", "algebra", "=", "n m-2")],
        why="The length of a sum is not evidently a whole number",
    ),
    _case("z_2", Sc([n, z]), [S("z_2 - z_2", "algebra", "=", "0")], why="That 2 is a value of a range of length n"),
    _case(
        "a hidden value",
        Sc([m], fixed=("a",)),
        [
            S("1", "algebra", "=", "sum_{i=1}^{m} delta_{i,a}"),
            S("delta_{i,a}", "evident sign", "≤", "1"),
            S("sum_{i=1}^{m} delta_{i,a}", "term by term", "≤", "sum_{i=1}^{m} 1", p=["2"]),
            S("sum_{i=1}^{m} 1", "algebra", "=", "m"),
        ],
        ("1", "≤", "m", ("1", "3", "4")),
        why="",
    ),
)

INDICES = (
    *(
        _case(
            name,
            Sc([n, z], hyp=[H("H", "", "distinct", (name, "i"))]),
            [S("sum_{j=1}^{n} delta_{i,j}", "substitution", "=", "0", ["H"])],
            why=repr(name),
        )
        for name in ("~0", "~1", "#0", "@a", ".0", "")
    ),
    _case(
        "fixed",
        Sc([n, z], fixed=("~0",)),
        [S("sum_{j=1}^{n} delta_{j,~0}", "algebra", "=", "1")],
        why="",
    ),
)

_RANGES: tuple[tuple[Kind, tuple[str, ...], str, str, str], ...] = (
    ("equal", ("sum_{k=1}^{1} delta_{i,k}",), "sum_{i=1}^{n} z_i", "substitution", "n"),
    ("mean", ("sum_{k=1}^{1} delta_{i,k}",), "sum_{i=1}^{n} E(q_i)", "moments", "n"),
    ("variance", ("sum_{k=1}^{2} delta_{i,k}",), "sum_{i=1}^{n} Var(q_i)", "moments", "n"),
    ("raw-moment", ("3", "sum_{k=1}^{2} delta_{i,k}"), "sum_{i=1}^{n} E(q_i^3)", "moments", "n"),
    ("law", ("gaussian", "sum_{k=1}^{1} delta_{i,k}", "1"), "sum_{i=1}^{n} E(q_i)", "moments", "n"),
)
"""A hypothesis with an index of another range in it, and what it would show."""

RANGES_OF_HYPOTHESES = (
    *(
        _case(
            kind,
            Sc([n, q if kind != "equal" else z], hyp=[H("H", "", kind, ("q" if kind != "equal" else "z",), values)]),
            [S(before, rule, "=", after, ["H"])],
            why="The index",
        )
        for kind, values, before, rule, after in _RANGES
    ),
    _case(
        "entry of another length",
        Sc([pair, D("u", ("3",))], hyp=[H("H", "", "equal", ("q",), ("u_i",))]),
        [S("q_2", "substitution", "=", "u_2", ["H"])],
        why="The index",
    ),
    _case(
        "index that a number does not have",
        Sc([n, D("x"), z], hyp=[H("H", "", "equal", ("x",), ("z_i",))]),
        [S("z_i", "substitution", "=", "x", ["H"])],
        why="z_i depends on an index",
    ),
)

FALSE = (*EMPTY_RANGES, *INDICES, *RANGES_OF_HYPOTHESES)

TRUE = {
    "positive length": _proof(Sc([n]), [S("sum_{i=1}^{n} delta_{i,1}", "algebra", "=", "1")]),
    "m + 1": _proof(Sc([m]), [S("sum_{i=1}^{m+1} delta_{i,1}", "algebra", "=", "1")]),
    "n + 1, the second": _proof(Sc([n]), [S("sum_{i=1}^{n+1} delta_{i,2}", "algebra", "=", "1")]),
    "a length that may be 0": _proof(Sc([m]), [S("sum_{i=1}^{m} 1", "algebra", "=", "m")]),
    "a value that is shown": _proof(
        Sc([n, z], fixed=("a",)), [S("sum_{i=1}^{n} delta_{i,a} z_i", "algebra", "=", "z_a")]
    ),
    "indices that differ": _proof(
        Sc([n, z], hyp=[H("H", "", "distinct", ("i", "j"))]), [S("delta_{i,j} z_i", "substitution", "=", "0", ["H"])]
    ),
    "an equal vector": _proof(
        Sc([n, z, D("u", ("n",))], hyp=[H("H", "", "equal", ("z",), ("u_i + 1",))]),
        [S("sum_{i=1}^{n} z_i", "substitution", "=", "sum_{i=1}^{n} u_i + n", ["H"])],
    ),
    "a mean for each entry": _proof(
        Sc([n, q, D("u", ("n",))], hyp=[H("H", "", "mean", ("q",), ("u_i",))]),
        [S("sum_{i=1}^{n} E(q_i)", "moments", "=", "sum_{i=1}^{n} u_i", ["H"])],
    ),
    "an abbreviation": _proof(
        Sc([n, z], [F("s", (), (), "sum_{i=1}^{n} z_i")]), [S("s", "definition", "=", "sum_{j=1}^{n} z_j")]
    ),
}


@pytest.mark.parametrize("item", FALSE, ids=lambda item: item.name)
def test_a_step_without_its_condition_is_refused(item: _Try) -> None:
    reason = _reason(item.proof)
    assert reason
    assert item.why in reason


@pytest.mark.parametrize("name", TRUE)
def test_and_with_it_proved(name: str) -> None:
    assert not replay(TRUE[name]).faults
