"""Problem files with positions, caches and blocks: what is read, what is taken by default, what is refused and how."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symattn.errors import InputError
from symattn.problem.components.positions import KINDS, Positions
from symattn.problem.model import Problem
from symattn.problem.schema.fields import POSITION_FIELDS

ROOT = Path(__file__).resolve().parents[2]
UNIT = [[1, 0], [0, 1]]
SELF: dict[str, Any] = {"X": [[1, 2]], "W_Q": UNIT, "W_K": UNIT, "W_V": UNIT}
CACHE = {"K": [[1, 2], [3, 4]], "V": [[1, 0], [0, 1]]}
BLOCK: dict[str, Any] = {"inputs": {"W_Q": UNIT, "W_K": UNIT, "W_V": UNIT}}


def test_the_example_says_it_all() -> None:
    problem = Problem.load(ROOT / "examples" / "cached_step.toml")
    assert problem.defaults_used == ()
    assert (problem.n_q, problem.n_k, problem.cached, problem.past, problem.online) == (1, 4, 3, 3, 2)
    assert problem.positions == Positions("rope", angles=problem.positions.angles if problem.positions else ())


def test_the_schema_and_the_kinds_agree() -> None:
    fields = {field.name: field for field in POSITION_FIELDS}
    assert tuple(KINDS) == fields["kind"].words
    assert {key for kind in KINDS.values() for key in kind.refused} <= fields.keys()


def test_what_is_left_open_is_said() -> None:
    problem = Problem.build(**SELF, positions={"kind": "rope"})
    assert {"positions.base", "positions.start", "positions.pairs"} <= set(problem.defaults_used)
    given = Problem.build(**SELF, positions={"kind": "rope", "angles": ["1/2"], "start": 1, "pairs": "halves"})
    assert not any(name.startswith("positions") for name in given.defaults_used)


def test_a_causal_mask_counts_the_cache() -> None:
    problem = Problem.build(**SELF, cache=CACHE, mask="causal")
    assert problem.mask is not None
    assert problem.mask.visible(problem.n_q, problem.n_k) == ((True, True, True),)
    assert Problem.build(**SELF, cache=CACHE).past == 2


@pytest.mark.parametrize(("length", "steps"), [(2, [1]), (4, [1, "1/100"]), (8, [1, "1/10", "1/100", "1/1000"])])
def test_angles_of_the_usual_base(length: int, steps: list[Any]) -> None:
    assert [step.rational() for step in Positions("rope").steps(length)] == [Fraction(step) for step in steps]


def test_any_base_with_rational_powers() -> None:
    assert [step.rational() for step in Positions("rope", base=Fraction(8, 27)).steps(6)] == [
        1, Fraction(3, 2), Fraction(9, 4),
    ]  # fmt: skip
    assert [step.rational() for step in Positions("rope", base=Fraction(1)).steps(6)] == [1, 1, 1]


SIX: dict[str, Any] = {"X": [[1] * 6], "W_Q": [[1]] * 6, "W_K": [[1]] * 6, "W_V": [[1]] * 6}


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({**SELF, "positions": {"kind": "rops"}}, r'^\[positions\] kind: unknown value "rops". Did you mean "rope"'),
        ({**SELF, "positions": {}}, r"^\[positions\] kind is missing"),
        ({**SELF, "positions": {"kind": "rope", "angles": ["pie"]}}, r"number 1 must be a rational multiple of pi"),
        ({**SELF, "positions": {"kind": "rope", "angles": []}}, r"angles must be a list of angles, one for each pair"),
        ({**SELF, "positions": {"kind": "rope", "angles": [1, 2]}}, r"1 pair of entries and 2 angles"),
        ({**SELF, "positions": {"kind": "rope", "base": 2, "angles": [1]}}, r"both set the angles"),
        ({**SELF, "positions": {"kind": "rope", "base": 0}}, r"base must be greater than 0"),
        ({**SELF, "positions": {"kind": "rope", "start": -1}}, r"start must be a whole number from 0"),
        ({**SELF, "positions": {"kind": "learned"}}, r"table is missing"),
        ({**SELF, "positions": {"kind": "learned", "table": [[1]]}}, r"^X is 1×2 and the table of positions 1×1"),
        ({**SELF, "positions": {"kind": "learned", "table": [[1, 2]], "base": 2}}, r"has no effect with kind"),
        ({**SIX, "positions": {"kind": "rope"}}, r"RoPE turns pairs of entries, and keys have 1"),
        (
            {"Q": UNIT, "K": UNIT, "V": UNIT, "positions": {"kind": "sinusoidal"}},
            r"is added to the X of self-attention",
        ),
        ({**SELF, "score": "cosine", "positions": {"kind": "rope"}}, r"goes with the product of queries and keys"),
        ({**SELF, "cache": {"K": [[1, 2]]}}, r"^\[cache\] V is missing"),
        ({**SELF, "cache": {**CACHE, "V": [[1, 2]]}}, r"cached keys are 2×2 and the cached values 1×2"),
        ({**SELF, "cache": {**CACHE, "K": [[1], [2]]}}, r"The cached K is 2×1 and a new one has 2 entries"),
        ({**SELF, "cache": {**CACHE, "past": 3}}, r"past is 3 and there are 2 cached keys"),
        ({**SELF, "cache": CACHE, "mask": {"causal": True, "past": 1}}, r"^\[mask\] past is 1, and 2 keys stand in"),
        ({"Q": UNIT, "K": UNIT, "V": UNIT, "cache": CACHE}, r"is joined with new keys that X makes"),
        ({"X": UNIT, "blocks": [BLOCK, BLOCK], "cache": CACHE}, r"^cache holds the keys of one block"),
        ({"X": [UNIT, UNIT], "blocks": [BLOCK, BLOCK]}, r"^\[inputs\] X has a batch, and several blocks"),
        ({**SELF, "online": 2, "softmax_one": True}, r"^online supports only a plain softmax; leave softmax_one out"),
        ({**SELF, "online": 0}, r"^online must be a whole number from 1"),
        ({**SELF, "parts": [{"asks": "cache"}]}, r'"cache" is asked for, and the problem has no cache'),
        ({**SELF, "symbols": {"pi": "positive"}}, r"pi is already taken"),
    ],
)
def test_what_does_not_go_is_refused_in_one_sentence(tables: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        Problem.build(**tables)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)


def test_a_file_says_where() -> None:
    text = 'inputs = {X = [[1, 2]], W_Q = [[1]], W_K = [[1]], W_V = [[1]]}\npositions = {kind = "rope", angles = ["x"]}'
    with pytest.raises(InputError, match=r"^<text>, \[positions\] angles, number 1"):
        Problem.from_text(text)


def test_huge_angles_and_bases_are_refused_at_once() -> None:
    for positions in ({"kind": "rope", "base": "1e999999"}, {"kind": "rope", "angles": ["1e999999999"]}):
        with pytest.raises(InputError):
            Problem.build(**SELF, positions=positions)
    with pytest.raises(InputError):
        Problem.build(**SELF, positions={"kind": "rope", "angles": ["9" * 5000 + "pi"]})
