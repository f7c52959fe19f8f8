"""Cosine and additive scores, and capped ones: laws, a second evaluation in mpmath, replay, keys read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import InputError, UndecidedError
from symattn.exact.evaluation import evaluate
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import constants
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.analysis.pattern import attention_pattern
from symattn.graph.builders.attention import attention_layer
from symattn.graph.derivation_replay import replay
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import Definition
from symattn.graph.quantities.scene import Entry, Scene
from symattn.graph.quantities.statement import Statement
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.problem.model import Problem
from tests.attention.strategies import matrices

Rows = Sequence[Sequence[Any]]
Q: Rows = [[1, 3], [2, -1]]
K: Rows = [[2, 4], [1, 0], ["1/2", 1]]
V: Rows = [[1], [2], [5]]
ADDITIVE: dict[str, Any] = {
    "score": "additive",
    "W_1": [[1, 0], ["1/2", 1]],
    "W_2": [[1, -1], [0, 2]],
    "w_S": [2, "-1/3"],
}


def layer(**keys: Any) -> Any:
    return attention_layer(Problem.build(**keys))


def real(x: Any) -> Any:
    value = Fraction(x)
    return mpmath.mpf(value.numerator) / value.denominator


def outputs(score: Callable[[Any, Any], Any], queries: Rows, keys: Rows, values: Rows) -> list[Any]:
    """Single outputs of attention by mpmath, from a score function of two rows."""
    rows = [[real(x) for x in row] for row in queries], [[real(x) for x in row] for row in keys]
    found = []
    for query in rows[0]:
        weights = [mpmath.exp(score(query, key)) for key in rows[1]]
        found.append(sum(w * real(v[0]) for w, v in zip(weights, values, strict=True)) / sum(weights))
    return found


def dot(a: Any, b: Any) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(row: Any, weights: Rows) -> list[Any]:
    return [sum(x * real(w[c]) for x, w in zip(row, weights, strict=True)) for c in range(len(weights[0]))]


def additive(query: Any, key: Any) -> Any:
    mapped = zip(times(query, ADDITIVE["W_1"]), times(key, ADDITIVE["W_2"]), ADDITIVE["w_S"], strict=True)
    return sum(real(w) * mpmath.tanh(a + b) for a, b, w in mapped)


def capped(score: Any, cap: int) -> Any:
    return cap * mpmath.tanh(score / cap)


SCORES: dict[str, tuple[dict[str, Any], Callable[[Any, Any], Any]]] = {
    "cosine": ({"score": "cosine"}, lambda a, b: dot(a, b) / mpmath.sqrt(dot(a, a) * dot(b, b))),
    "cosine, scaled": (
        {"score": "cosine", "scale": 10},
        lambda a, b: 10 * dot(a, b) / mpmath.sqrt(dot(a, a) * dot(b, b)),
    ),
    "additive": (ADDITIVE, additive),
    "softcap": ({"softcap": 3}, lambda a, b: capped(dot(a, b) / mpmath.sqrt(2), 3)),
    "softcap before the scale": (
        {"softcap": 3, "order": ["softcap", "scale"]},
        lambda a, b: capped(dot(a, b), 3) / mpmath.sqrt(2),
    ),
    "additive, capped": ({**ADDITIVE, "softcap": 2}, lambda a, b: capped(additive(a, b), 2)),
}


@pytest.mark.parametrize("name", SCORES)
def test_fifty_digits_are_those_of_mpmath(name: str) -> None:
    keys, score = SCORES[name]
    found = layer(Q=Q, K=K, V=V, **keys).exact("O").rounded(50)
    with mpmath.workdps(80):
        for (digits,), right in zip(found, outputs(score, Q, K, V), strict=True):
            assert abs(mpmath.mpf(digits) - right) < mpmath.mpf(10) ** -50


# Laws --------------------------------------------------------------------------------------------------


@given(matrices(2, 2), matrices(2, 2), st.fractions("1/5", 5, max_denominator=5))
@settings(max_examples=25, deadline=None)
def test_the_cosine_knows_no_lengths(queries: Rows, keys: Rows, factor: Fraction) -> None:
    if any(not any(row) for row in (*queries, *keys)):
        with pytest.raises(InputError, match="zero vector"):
            layer(Q=queries, K=keys, V=keys, score="cosine")
        return
    found = layer(Q=queries, K=keys, V=keys, score="cosine")
    longer = [[Fraction(x) * factor for x in row] for row in queries]
    assert layer(Q=longer, K=keys, V=keys, score="cosine").exact("S") == found.exact("S")
    own = layer(Q=queries, K=queries, V=queries, score="cosine").exact("S")
    assert all(own[i, i] == 1 for i in range(2))


def test_parallel_keys_tie_exactly() -> None:
    found = layer(Q=[[1, 2]], K=[[3, 1], [1, 5], ["6/7", "2/7"]], V=V, score="cosine")
    pattern = attention_pattern(found)
    assert pattern is not None
    assert pattern.queries[0].second == (1, 3)


@given(matrices(2, 2), matrices(2, 2), st.fractions("1/5", 5, max_denominator=5))
@settings(max_examples=25, deadline=None)
def test_a_cap_is_odd_and_keeps_scores_below_it(queries: Rows, keys: Rows, cap: Fraction) -> None:
    found = layer(Q=queries, K=keys, V=keys, softcap=cap, scale="none")
    turned = layer(Q=[[-Fraction(x) for x in row] for row in queries], K=keys, V=keys, softcap=cap, scale="none")
    assert -found.exact("S_capped") == turned.exact("S_capped")
    for value in found.exact("S_capped"):
        assert abs(Fraction(Matrix([[value / cap]]).digits(60)[0][0])) <= 1


def test_a_mask_before_the_cap_hides_nothing() -> None:
    """c tanh of minus infinity is -c: the order is what is declared."""
    found = layer(
        Q=[[1]], K=[[1], [2]], V=[[1], [2]], mask={"keep": [[1, 0]]}, softcap=3, order=["scale", "mask", "softcap"]
    )
    assert found.exact("S_capped")[0, 1] == -3
    assert not found.exact("A")[0, 1].is_zero
    usual = layer(Q=[[1]], K=[[1], [2]], V=[[1], [2]], mask={"keep": [[1, 0]]}, softcap=3)
    assert usual.exact("A")[0, 1].is_zero


def test_heads_have_the_scores_that_they_have_alone() -> None:
    given_rows, weights = [[1, 2], [0, 1], [1, 1]], [[1, 2, 0, 1], [0, 1, 1, 1]]
    for keys in ({"score": "cosine"}, ADDITIVE, {"softcap": 2}):
        both = layer(X=given_rows, W_Q=weights, W_K=weights, W_V=weights, heads=2, mask="causal", **keys)
        for head in (1, 2):
            own = [row[2 * head - 2 : 2 * head] for row in weights]
            alone = layer(X=given_rows, W_Q=own, W_K=own, W_V=own, mask="causal", **keys)
            assert both.exact(f"A^{head}") == alone.exact("A")


def test_lengths_need_no_closed_form() -> None:
    """The query (1 + sqrt(2), 1) has the length sqrt(4 + 2 sqrt(2))."""
    found = layer(Q=[["1 + sqrt(2)", 1]], K=[[1, 0], [0, 2]], V=V[:2], score="cosine", scale="none").exact("S")
    with mpmath.workdps(40):
        length = mpmath.sqrt(4 + 2 * mpmath.sqrt(2))
        right = [(1 + mpmath.sqrt(2)) / length, 1 / length]
        assert all(
            abs(mpmath.mpf(text) - value) < 1e-30 for text, value in zip(found.rounded(31)[0], right, strict=True)
        )


# What is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"Q": [[1, 0], [0, 0]], "score": "cosine"}, "Query 2 is the zero vector"),
        ({"K": [[1, 0], [0, 0], [1, 1]], "score": "cosine"}, "Key 2 is the zero vector"),
        ({"Q": [["a", 1]], "score": "cosine", "symbols": {"a": "real"}}, "give its symbols values"),
        ({"beta": "positive", "softcap": 2}, "softcap caps numbers"),
    ],
)
def test_one_sentence_says_what_cannot_be_worked_out(keys: dict[str, Any], words: str) -> None:
    if "beta" in keys:
        keys = {"softcap": 2, "scale": "beta", "symbols": {"beta": "positive"}}
    with pytest.raises(InputError, match=words):
        layer(**{"Q": Q, "K": K, "V": V, **keys})


# Replay ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", ["end", "all"])
@pytest.mark.parametrize("name", SCORES)
def test_replay_recomputes_every_step_and_refuses_another(name: str, steps: str) -> None:
    made = layer(Q=Q, K=K, V=V, **SCORES[name][0], rounding={"places": 3, "steps": steps, "shift": True}).steps()
    assert all(step.proved for step in replay(made))
    changed = {"cosine": "norm_Q", "additive": "w_S", "softcap": "cap"}[name.partition(",")[0].partition(" ")[0]]
    at = next(k for k, step in enumerate(made) if step.id == changed)
    first, *rest = made[at].after
    other = ((str(Fraction(7, 2)), *first[1:]), *rest)
    found = replay((*made[:at], replace(made[at], after=other), *made[at + 1 :]))
    assert not all(step.proved for step in found)


# Keys -----------------------------------------------------------------------------------------------------

OF_TOKENS = {"X": [[1, 2], [3, 1]], "W_Q": [[1, 0], [1, 1]], "W_K": [[1, 0], [2, 1]], "W_V": [[1, 2], [0, 1]]}
SHEETS: dict[str, dict[str, Any]] = {
    "cosine": {"Q": Q, "K": K, "V": V, "score": "cosine"},
    "cosine of heads": {**OF_TOKENS, "score": "cosine", "heads": 2, "scale": 2, "mask": "causal"},
    "cosine in columns": {**OF_TOKENS, "tokens": "columns", "score": "cosine"},
    "cap": {"Q": Q, "K": K, "V": V, "softcap": "5/2", "mask": {"drop": [[0, 1, 0], [0, 0, 0]]}},
    "cap of heads": {**OF_TOKENS, "softcap": 2, "heads": 2, "bias": {"alibi": "1/2"}, "W_O": [[1, 2], [0, 1]]},
    "additive": {"Q": Q, "K": K, "V": V, **ADDITIVE},
    "additive in columns": {
        **OF_TOKENS, "tokens": "columns", "score": "additive", "W_1": [["0.5", 1]], "W_2": [[1, "0.2"]],
        "w_S": ["0.3"], "softcap": 5,
    },
}  # fmt: skip


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("steps", ["end", "all"])
def test_keys_read_back_as_right(name: str, steps: str) -> None:
    problem = Problem.build(title=name, **SHEETS[name], rounding={"places": 2, "steps": steps})
    result = sa.solve(problem)
    tex = result.to_latex(detail="every-product")
    findings = result.read_back(tex)
    assert len(findings) > 20
    assert [(finding.marked.source, finding.reasons) for finding in findings if not finding.proved] == []
    assert ("certified by enclosures" in tex) == ("cosine" not in name)
    assert set(result.as_json()["quantities"]) >= ({"S_capped^1"} if name == "cap of heads" else set())  # type: ignore[call-overload]


def test_forms_are_those_of_paper() -> None:
    tex = sa.solve(Problem.build(**SHEETS["cosine"])).to_latex(detail="every-product")
    assert r"n_{1} &= \sqrt{1^{2} + 3^{2}} = \sqrt{10}" in tex
    assert r"S_{11} &= \frac{1 \cdot 2 + 3 \cdot 4}{\sqrt{10} \cdot (2\sqrt{5})} = \frac{7\sqrt{2}}{10}" in tex
    tex = sa.solve(Problem.build(**SHEETS["cap"], rounding={"places": 2, "steps": "all"})).to_latex(
        detail="every-product"
    )
    assert r"\Gamma_{12} &\approx \tfrac{5}{2}\tanh\left( \frac{0.71}{\tfrac{5}{2}} \right) \approx 0.69" in tex


@pytest.mark.parametrize("steps", ["end", "all"])
def test_digits_that_do_not_settle_stop_no_key(steps: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> tuple[int, int]:
        raise UndecidedError("not settled")

    problem = Problem.build(Q=Q, K=K, V=V, softcap=2, rounding={"places": 2, "steps": steps})
    monkeypatch.setattr(constants, "rounded_index", refuse)
    monkeypatch.setattr(constants, "unsettled", lambda *_: "[0.1249, 0.1251] (not settled)")
    result = sa.solve(problem)
    assert result.pattern is None
    tex = result.to_latex()
    assert ("0.1249" in tex) == (steps == "end")  # at a step, what does not settle is carried on in closed form
    assert "not settled" in tex
    assert all(step.proved for step in result.derivation.replay())
    assert [(item.marked.source, item.reasons) for item in result.read_back(tex) if not item.proved] == []


# The judge ------------------------------------------------------------------------------------------------


def scene_of(value: Quotient) -> Scene:
    matrix = Matrix([[value]])
    name = t.Name("S")
    made = q.Quantity(
        name="S", symbol=name, entry_symbol=name, exact=matrix, carried=matrix.rows, definition=Definition(),
        display=Rounding(places=2), style="decimal",
    )  # fmt: skip
    return Scene([made])


def test_the_judge_calls_nothing_wrong_that_is_not_decided() -> None:
    double, same_number = (
        evaluate(read_plain(text), lambda *_: None) for text in ("tanh(3/10)", "2 tanh(3/20)/(1 + tanh(3/20)^2)")
    )
    assert isinstance(double, Quotient)
    assert isinstance(same_number, Quotient)
    scene = scene_of(double)
    reference = scene.reference(Entry("S", 1, 1))

    def reasons(text: str, operator: str = "=") -> str:
        written = t.Relation((reference, read_plain(text)), (operator,))
        return " ".join(fault.reason for fault in judge(Statement(reference, written, "exact"), scene).faults)

    assert not reasons("tanh(3/10)")
    assert "it is not decided" in reasons("2 tanh(3/20)/(1 + tanh(3/20)^2)")
    assert "does not equal" in reasons("tanh(3/11)")


def test_an_entry_that_does_not_settle_is_written_as_an_enclosure() -> None:
    """The value is 1 + 1/200, half-way between 1.00 and 1.01, and only an identity of tanh says so."""
    text = "tanh(3/10) (1 + tanh(3/20)^2)/(2 tanh(3/20)) + 1/200"
    value = evaluate(read_plain(text), lambda *_: None)
    assert isinstance(value, Quotient)
    scene = scene_of(value)
    entry = Entry("S", 1, 1)
    literal = scene.literal(entry, "end")
    assert literal is not None
    assert write_plain(literal) == "(1.004999999999, 1.005000000001)"
    written = t.Relation((scene.reference(entry), literal), ("≈",))
    assert judge(Statement(scene.reference(entry), written, "end"), scene).proved


def test_constants_are_no_free_symbols_of_a_layer() -> None:
    found = layer(Q=Q, K=K, V=V, softcap=2)
    assert found.free == ()
    assert not found.is_symbolic("A")
    assert found.exact("A").symbols == frozenset()
    assert Quotient.of(Polynomial.symbol("tanh(1)")).has_constants
