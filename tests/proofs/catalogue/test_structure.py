"""The theorems on structure, and what they say against arithmetic done another way."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood, Line, Theorem
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import Proof, proof_from_json
from symattn.proofs.proof_replay import replay

_BY_NAME = {name: item for name, item in theorems().items() if item.group == "structure"}


def _proof(name: str, **values: str) -> Proof:
    theorem = _BY_NAME[name]
    return theorem.build(theorem.values(values))


@pytest.mark.parametrize("name", _BY_NAME)
def test_every_theorem_is_proved_without_lemmas_from_its_record(name: str) -> None:
    proof = _proof(name)
    found = replay(proof_from_json(proof.as_json()))
    assert found.faults == ()
    assert found.is_proved
    assert found.cites == ()


@pytest.mark.parametrize(
    ("theorem", "falsehood"),
    [(item, false) for item in _BY_NAME.values() for false in item.falsehoods],
    ids=lambda x: x.says,
)
def test_falsehoods_are_refuted(theorem: Theorem, falsehood: Falsehood) -> None:
    scope = falsehood.scope or theorem.build(theorem.values({})).scope
    found = refuted(falsehood, scope)
    assert found is not None
    assert found.sides.stands is False


_Matrix = list[list[mpmath.mpf]]
_PS4 = ([[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]], [[0, 1], [1, 0], [1, 0], [1, 1]])


def _product(a: _Matrix, b: _Matrix) -> _Matrix:
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), mpmath.mpf(0)) for column in zip(*b, strict=True)]
        for row in a
    ]


def _attention(x: _Matrix, w: _Matrix, mask: list[list[int]] | None = None) -> _Matrix:
    projected = _product(x, w)
    rows = []
    for i, scores in enumerate(_product(projected, [list(column) for column in zip(*projected, strict=True)])):
        powers = [mpmath.exp(s) * (1 if mask is None else mask[i][j]) for j, s in enumerate(scores)]
        rows.append([power / sum(powers) for power in powers])
    return _product(rows, projected)


def test_permuted_tokens_give_permuted_outputs() -> None:
    x, w = _PS4
    plain = _attention(x, w)
    for order in permutations(range(3)):
        moved = _attention([x[i] for i in order], w)
        for row, place in zip(moved, order, strict=True):
            assert all(mpmath.almosteq(one, other) for one, other in zip(row, plain[place], strict=True))


def test_a_causal_output_does_not_see_later_tokens() -> None:
    x, w = _PS4
    mask = [[1 if j <= i else 0 for j in range(3)] for i in range(3)]
    other = [*x[:2], [7, 5, -3, 1]]
    assert _attention(x, w, mask)[:2] == _attention(other, w, mask)[:2]
    assert _attention(x, w)[:2] != _attention(other, w)[:2]
    assert sum(map(sum, mask)) == 3 * 4 // 2


@pytest.mark.unmeasured
@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.fractions(-5, 5, max_denominator=4), st.fractions(-5, 5, max_denominator=4))
    ).filter(lambda rows: len(rows) > 0)
)
def test_the_gap_of_the_hull_is_what_the_theorem_says(rows: list[tuple[int, Fraction, Fraction]]) -> None:
    total = sum(row[0] for row in rows)
    a = [Fraction(row[0], total) for row in rows]
    v = [row[1:] for row in rows]
    o = [sum((weight * value[c] for weight, value in zip(a, v, strict=True)), Fraction(0)) for c in range(2)]
    square = max(value[0] ** 2 + value[1] ** 2 for value in v)
    gap = sum(weight * (square - value[0] ** 2 - value[1] ** 2) for weight, value in zip(a, v, strict=True))
    spread = sum(
        a[i] * a[j] * ((v[i][0] - v[j][0]) ** 2 + (v[i][1] - v[j][1]) ** 2)
        for i in range(len(a))
        for j in range(len(a))
    )
    assert square - o[0] ** 2 - o[1] ** 2 == gap + spread / 2 >= 0


def test_a_rotated_score() -> None:
    (line,) = _lines("positional-rotation")
    assert line.digits == "5.56217782649107052734606219527"
    with mpmath.workdps(40):
        assert mpmath.almosteq(mpmath.mpf(line.digits), (7 * mpmath.sqrt(3) - 1) / 2, rel_eps=mpmath.mpf("1e-29"))


@pytest.mark.parametrize(
    ("turn", "m", "n"), [("1/7", "2", "5"), ("1/4", "4", "1"), ("1/6", "1", "12"), ("2/3", "3", "3")]
)
def test_rotated_scores_by_turning_both_vectors(turn: str, m: str, n: str) -> None:
    (line,) = _lines("positional-rotation", turn=turn, m=m, n=n, q="1/2, -2", k="3, 5")
    with mpmath.workdps(50):
        theta = mpmath.pi * Fraction(turn).numerator / Fraction(turn).denominator

        def turned(pair: tuple[mpmath.mpf, mpmath.mpf], place: int) -> tuple[mpmath.mpf, mpmath.mpf]:
            c, s = mpmath.cos(place * theta), mpmath.sin(place * theta)
            return pair[0] * c - pair[1] * s, pair[0] * s + pair[1] * c

        q, k = turned((mpmath.mpf("0.5"), mpmath.mpf(-2)), int(m)), turned((mpmath.mpf(3), mpmath.mpf(5)), int(n))
        assert mpmath.almosteq(mpmath.mpf(line.digits), q[0] * k[0] + q[1] * k[1], rel_eps=mpmath.mpf("1e-28"))


def test_a_normalized_token() -> None:
    with mpmath.workdps(40):
        for line, above in zip(_lines("layer-norm"), (-3, -1, 1, 3), strict=True):
            assert mpmath.almosteq(mpmath.mpf(line.digits), above / mpmath.sqrt(5), rel_eps=mpmath.mpf("1e-29"))


@pytest.mark.parametrize(("x", "eps"), [("1, 2, 4", "1/10"), ("0, 0", "1")])
def test_a_normalized_token_with_eps(x: str, eps: str) -> None:
    values = [mpmath.mpf(part) for part in x.split(",")]
    with mpmath.workdps(40):
        mean = sum(values) / len(values)
        e = mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator
        scale = mpmath.sqrt(sum((value - mean) ** 2 for value in values) / len(values) + e)
        for line, value in zip(_lines("layer-norm", x=x, eps=eps), values, strict=True):
            assert mpmath.almosteq(mpmath.mpf(line.digits), (value - mean) / scale, rel_eps=mpmath.mpf("1e-29"))


def test_equal_features_have_no_normalized_token() -> None:
    with pytest.raises(InputError, match="eps"):
        _lines("layer-norm", x="3, 3")


@pytest.mark.parametrize(("heads", "size"), [("64", "2621440"), ("8", "327680"), ("1", "40960")])
def test_bytes_of_a_cache(heads: str, size: str) -> None:
    assert _lines("multi-head-blocks", f=heads)[1].exact == size


def test_parameters_of_published_models() -> None:
    lines = _lines("multi-head-blocks")
    assert [line.exact for line in lines[2:]] == ["124439808", "85798656", "86567656"]
    assert lines[0].exact == str(12 * 768**2 + 13 * 768)
    assert _lines("ffn-is-position-wise")[0].exact == "2099712"


def _lines(name: str, **values: str) -> tuple[Line, ...]:
    theorem = _BY_NAME[name]
    assert theorem.instance is not None
    return theorem.instance(theorem.values(values))


@pytest.mark.parametrize(("centred", "eps", "missing"), [(True, 0, 2), (True, 1, 1), (False, 0, 1), (False, 1, 0)])
@pytest.mark.parametrize("token", [[3, 1], [1, 2, 2, -4], [0, 0, 5, 1, 7]], ids=str)
def test_ranks_of_the_jacobians_of_normalizations(token: list[int], eps: int, missing: int, *, centred: bool) -> None:
    """What remarks of layer-norm and rms-norm say of ranks, by derivatives and elimination in SymPy."""
    size = len(token)
    features = sympy.symbols(f"x1:{size + 1}", real=True)
    centre = sum(features) / sympy.Integer(size) if centred else sympy.Integer(0)
    square = sum((one - centre) ** 2 for one in features) / sympy.Integer(size) + eps
    normalized = sympy.Matrix([(one - centre) / sympy.sqrt(square) for one in features])
    jacobian = normalized.jacobian(features).subs(dict(zip(features, token, strict=True)))
    assert jacobian.applyfunc(sympy.radsimp).rank(simplify=True) == size - missing
