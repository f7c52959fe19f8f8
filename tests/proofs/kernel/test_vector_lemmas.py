"""Lemmas on normal vectors with covariance matrices, determinants and inverse matrices, and what is no instance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_SCOPE = Scope(
    (
        Declared("D", (), "positive"),
        Declared("r", (), "positive"),
        Declared("t"),
        Declared("q", ("D",), random=True),
        Declared("k", ("D",), random=True),
        Declared("m", ("D",)),
        Declared("n", ("D",)),
        Declared("S", ("D", "D")),
        Declared("T", ("D", "D")),
        Declared("A", ("D", "D"), "positive"),
        Declared("R", ("r", "D")),
    ),
    (
        Defined("I", ("i", "j"), ("D", "D"), "delta_{ij}"),
        Defined("P", ("i", "j"), ("D", "D"), "(S^(-1))_{ij} - t^2 T_{ij}"),
        Defined("b", ("i",), ("D",), "(S^(-1) m)_i + t n_i"),
    ),
    (
        Hypothesis("q", "", "normal-vector", ("q",), ("m_i", "S_{ij}")),
        Hypothesis("k", "", "normal-vector", ("k",), ("n_i", "T_{ij}")),
        Hypothesis("independent", "", "independent", ("q", "k")),
        Hypothesis("S", "", "definite", ("S",)),
        Hypothesis("P", "", "definite", ("P",)),
        Hypothesis("signs", "", "law", ("k",), ("rademacher",)),
    ),
)


def _proved(*steps: Step) -> bool:
    return replay(Proof("x", "", "", (), _SCOPE, (), steps)).steps[-1].proved


def _factor(before: str, after: str, *hypotheses: str, relation: str = "=") -> bool:
    return _proved(Step("1", "lemma:normal-vector-factor", before, relation, after, hypotheses, (), (("over", "k"),)))


_SCORE, _GIVEN = "E(exp(t q^T k))", "E(exp(t q^T n + t^2 q^T T q/2))"


def test_a_normal_vector_is_averaged_out() -> None:
    assert _factor(_SCORE, _GIVEN, "independent", "k")
    assert _factor("E(exp(m^T k))", "exp(m^T n + m^T T m/2)", "k")
    assert _factor("E(exp(k_1 + q^T q))", "E(exp(n_1 + T_{1,1}/2 + q^T q))", "independent", "k")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        (_SCORE, _GIVEN, ("k",)),
        (_SCORE, _GIVEN, ("independent",)),
        (_SCORE, _GIVEN, ("independent", "q")),
        (_SCORE, _GIVEN, ("independent", "signs")),
        (_SCORE, _GIVEN.replace("/2", ""), ("independent", "k")),
        (_SCORE, _GIVEN.replace("T q", "S q"), ("independent", "k")),
        (_SCORE, _GIVEN.replace("t^2", "t"), ("independent", "k")),
        (_SCORE, _GIVEN.replace(" n", " m"), ("independent", "k")),
        (_SCORE, _GIVEN[2:-1], ("independent", "k")),
        ("E(exp(k^T k))", "exp(n^T n)", ("k",)),
        ("E(exp(t k_1 + exp(k_1)))", "exp(t n_1)", ("k",)),
    ],
)
def test_what_is_no_factor(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _factor(before, after, *hypotheses)
    assert not _factor(_SCORE, _GIVEN, "independent", "k", relation="≤")


_DET = Step(
    "1",
    "lemma:positive-determinant",
    "det(I - t^2 S T)",
    ">",
    "0",
    ("S", "P"),
    (),
    (("covariance", "S"), ("precision", "P")),
)
_VALUE = "det(I - t^2 S T)^(-1/2) exp((b^T P^(-1) b - m^T S^(-1) m)/2)"
_ARGUMENTS = {"over": "q", "linear": "b", "precision": "P", "constant": "-(m^T S^(-1) m)/2"}


def _integral(before: str, after: str, *hypotheses: str, relation: str = "=", **arguments: str) -> bool:
    given = tuple({**_ARGUMENTS, **arguments}.items())
    step = Step("2", "lemma:gaussian-vector-integral", before, relation, after, hypotheses, ("1",), given)
    return _proved(_DET, step)


def test_the_integral() -> None:
    assert _integral(_GIVEN, _VALUE, "q", "S", "P")
    same = _VALUE.replace("m^T S^(-1) m", "sum_{i=1}^{D} sum_{j=1}^{D} m_i m_j (S^(-1))_{j i}")
    assert _integral(_GIVEN, same, "q", "S", "P")


@pytest.mark.parametrize(
    ("after", "arguments"),
    [
        (_VALUE.replace("(-1/2)", "(1/2)"), {}),
        (_VALUE.replace("(-1/2)", "(-1)"), {}),
        (_VALUE.replace("- t^2", "+ t^2"), {}),
        (_VALUE.replace("- t^2 S T", "- t S T"), {}),
        (_VALUE.replace("S T", "S S"), {}),
        (_VALUE.replace(")/2)", "))"), {}),
        (_VALUE.replace("P^(-1)", "P"), {}),
        (_VALUE.replace("P^(-1)", "S^(-1)"), {}),
        (_VALUE.replace("b - m", "b + m"), {}),
        (_VALUE.replace("m^T S^(-1) m", "m^T S m"), {}),
        (_VALUE.replace("m^T S^(-1) m", "n^T S^(-1) n"), {}),
        (f"2 {_VALUE}", {}),
        (_VALUE, {"linear": "m"}),
        (_VALUE, {"linear": "b^T"}),
        (_VALUE, {"linear": "q"}),
        (_VALUE, {"precision": "S"}),
        (_VALUE, {"precision": "S^(-1)"}),
        (_VALUE, {"precision": "T"}),
        (_VALUE, {"constant": "0"}),
        (_VALUE, {"constant": "(m^T S^(-1) m)/2"}),
        (_VALUE, {"over": "k"}),
    ],
)
def test_what_is_no_integral(after: str, arguments: dict[str, str]) -> None:
    assert not _integral(_GIVEN, after, "q", "S", "P", **arguments)


@pytest.mark.parametrize("hypotheses", list(itertools.combinations(("q", "S", "P"), 2)))
def test_every_hypothesis_is_needed(hypotheses: tuple[str, ...]) -> None:
    assert not _integral(_GIVEN, _VALUE, *hypotheses)


def test_what_is_left_random_is_no_integral() -> None:
    assert not _integral(_GIVEN.replace("q^T n", "q^T k"), _VALUE, "q", "S", "P")
    assert not _integral(_GIVEN, _VALUE, "q", "S", "P", relation="≥")


def test_determinants_of_definite_matrices_are_positive() -> None:
    assert _proved(_DET)
    for relation, before, after, hypotheses, precision in (
        ("<", _DET.before, "0", ("S", "P"), "P"),
        (">", _DET.before, "1", ("S", "P"), "P"),
        (">", "det(I + t^2 S T)", "0", ("S", "P"), "P"),
        (">", "det(P)", "0", ("S", "P"), "P"),
        (">", _DET.before, "0", ("S",), "P"),
        (">", _DET.before, "0", ("P",), "P"),
        (">", _DET.before, "0", ("S", "P"), "S"),
    ):
        arguments = (("covariance", "S"), ("precision", precision))
        assert not _proved(Step("1", "lemma:positive-determinant", before, relation, after, hypotheses, (), arguments))


# Determinants and inverses by themselves -------------------------------------------------------------


def _algebra(before: str, after: str, *hypotheses: str) -> bool:
    return _proved(Step("1", "algebra", before, "=", after, hypotheses))


def test_determinants_of_one_matrix_are_equal() -> None:
    assert _algebra("det(S + T)", "det(T + S)")
    assert _algebra("det(S T)", "det(sum_{l=1}^{D} S_{l} T_{l})") is False
    assert not _algebra("det(S)", "det(T)")
    assert not _algebra("det(S)", "det(S^T)", "S")
    assert not _algebra("det(2 S)", "2 det(S)")
    assert not _algebra("det(R)", "det(R)")
    assert not _algebra("det(m)", "det(m)")


def test_inverses_of_one_matrix_are_equal() -> None:
    assert _algebra("m^T S^(-1) n", "sum_{i=1}^{D} sum_{j=1}^{D} m_i (S^(-1))_{i j} n_j", "S")
    assert not _algebra("m^T S^(-1) n", "n^T S^(-1) m", "S")
    assert not _algebra("m^T S^(-1) n", "m^T S n", "S")
    assert not _algebra("m^T P^(-1) n", "m^T S^(-1) n", "S", "P")
    assert _algebra("m^T (P^(-1) + S^(-1)) n", "m^T S^(-1) n + m^T P^(-1) n", "S", "P")
    # A matrix in a determinant of a matrix is kept apart from that one.
    assert _algebra("det(S^(-1) + P^(-1))", "det(P^(-1) + S^(-1))", "S", "P")
    assert not _algebra("det(S^(-1) + P^(-1))", "det(S^(-1) + S^(-1))", "S", "P")


def test_a_matrix_has_an_inverse_by_hypothesis_alone() -> None:
    """Positive entries are no reason: a matrix of ones has none."""
    assert not _algebra("m^T T^(-1) n - m^T T^(-1) n", "0", "S")
    assert not _algebra("m^T A^(-1) n - m^T A^(-1) n", "0", "S")
    assert _algebra("m^T S^(-1) n - m^T S^(-1) n", "0", "S")


def test_no_derivative_of_a_determinant() -> None:
    assert not _proved(Step("1", "differentiation", "diff(det(t S), t)", "=", "diff(det(t S), t)"))
    assert _proved(Step("1", "differentiation", "diff(t det(S), t)", "=", "det(S)"))


def _trace(before: str, after: str, first: str = "R", second: str = "R", relation: str = "≤") -> bool:
    arguments = (("first", first), ("second", second))
    return _proved(Step("1", "lemma:trace-and-width", before, relation, after, (), (), arguments))


def test_a_trace_is_bounded_by_the_width_and_the_squared_entries() -> None:
    trace, squares = "(sum_{i=1}^{r} R_i^T R_i)^2", "sum_{i=1}^{r} sum_{j=1}^{r} (R_i^T R_j)^2"
    assert _trace(trace, f"D {squares}")
    assert _trace("(sum_{i=1}^{D} S_i^T T_i)^2", "D sum_{i=1}^{D} sum_{j=1}^{D} (S_i^T T_j)^2", "S", "T")
    assert not _trace(trace, f"D {squares}", relation="<")
    assert not _trace(trace, f"D {squares}", relation="≥")
    assert not _trace(trace, squares)
    assert not _trace(trace, f"D {squares}", "R", "S")
    assert not _trace("2 (sum_{i=1}^{r} R_i^T R_i)^2", f"D {squares}")
    assert not _trace("(sum_{i=1}^{D} S_i^T T_i)^2", "D sum_{i=1}^{D} (S_i^T T_i)^2", "S", "T")
    assert not _trace("(sum_{i=1}^{D} S_i^T S_i)^2", "D sum_{i=1}^{D} sum_{j=1}^{D} (S_i^T T_j)^2", "S", "T")


def test_the_trace_and_the_width_in_numbers() -> None:
    """The bound is attained by projections, and no smaller factor than the width will do."""
    chosen = np.random.default_rng(5)
    for height, width in itertools.product(range(1, 6), range(1, 5)):
        first = chosen.standard_normal((height, width))
        second = chosen.standard_normal((height, width))
        products = (first @ second.T, first @ np.linalg.pinv(first))
        bounds = [np.trace(one) ** 2 / np.sum(one**2) for one in products]
        assert max(bounds) <= width + 1e-9
        assert bounds[1] == pytest.approx(min(width, height))
