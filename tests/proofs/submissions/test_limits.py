"""Limits in works: right where they are known, wrong where a case has another one, and open besides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.errors import InputError
from symattn.notation.documents.reader import read_work
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.concrete.arrays import Array
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Declared, Defined, Scope
from symattn.proofs.submissions.evidence.limits import limit_value
from symattn.proofs.submissions.verdicts.judge import judge_work

SCOPE = Scope(
    (Declared("n", sign="positive"), Declared("t"), Declared("z", ("n",))),
    (Defined("a", ("j",), ("n",), "exp(t z_j)/sum_{l=1}^{n} exp(t z_l)"),),
)
MODEL = Model(
    {"n": Fraction(3), "t": Fraction(1)}, {"z": Array(((Fraction(2), Fraction(-1), Fraction(2)),), is_vector=True)}
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lim(t, oo, a_1)", Fraction(1, 2)),
        ("lim(t, oo, a_2)", Fraction(0)),
        ("lim(t, -oo, a_2)", Fraction(1)),
        ("lim(t, 0, a_1)", Fraction(1, 3)),
        ("lim(t, 1, t^2 - t)", Fraction(0)),
        ("lim(t, oo, (3 t^2 + t)/(t^2 + 1))", Fraction(3)),
        ("lim(t, oo, t^3 e^{-t})", Fraction(0)),
        ("lim(t, oo, (e^t + t)/(2 e^t - 5))", Fraction(1, 2)),
        ("lim(t, oo, e^{-t} + n)", Fraction(3)),
    ],
)
def test_limits_of_quotients_of_exponential_sums(text: str, value: Fraction) -> None:
    assert limit_value(read_text(text, SCOPE), NumericEvaluator(SCOPE, MODEL)) == value


@pytest.mark.parametrize("text", ["lim(t, oo, t)", "lim(t, 0, 1/t)", "lim(t, oo, exp(t^2))", "1 + lim(t, 0, t)"])
def test_what_has_no_such_limit_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        limit_value(read_text(text, SCOPE), NumericEvaluator(SCOPE, MODEL))


def judged(text: str, name: str = "temperature-limits") -> list[str]:
    found = judge_work(read_work(text, "md"), theorem(name))
    return [item.verdict for item in found if item.verdict != "unchecked"]


LARGEST = "With $z_1$ the only largest score, "
ALL = r"If $z_1 > z_j$ for all $j \ne 1$, then "


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$\lim_{\beta\to 0} a_i = \frac1n$", "right"),
        (r"$\lim_{\beta\to 0} a_i = 0$", "wrong"),
        (r"As $\beta \to 0$, $a_i \to \frac1n$.", "right"),
        (r"$a_i \to 0$ as $\beta \to 0$.", "wrong"),
        (LARGEST + r"$\lim_{\beta\to\infty} a_1 = 1$", "right"),
        (LARGEST + r"$\lim_{\beta\to\infty} a_1 = 0$", "wrong"),
        (LARGEST + r"$\lim_{\beta\to\infty} a_2 = 0$", "right"),
        (LARGEST + r"$\lim_{\beta\to\infty} a_2 = 1$", "wrong"),
        (ALL + r"$a_1 \to 1$ as $\beta \to \infty$.", "right"),
        (ALL + r"$a_1 \to 0$ as $\beta \to \infty$.", "wrong"),
        (r"If $z_1 > z_2$, then $a_1 \to 1$ as $\beta \to \infty$.", "wrong"),
        (r"As $\beta\to\infty$, $a_i \to \frac1n$.", "wrong"),
        (r"Suppose all scores are equal. Then $\lim_{\beta\to\infty} a_i = \frac1n$.", "undecided"),
        (r"The scores are tied. Then $\lim_{\beta\to\infty} a_i = \frac1n$.", "undecided"),
        (r"$a_1$ is the winner: $a_1 \to 1$.", "undecided"),
    ],
)
def test_weights_as_the_inverse_temperature_changes(text: str, verdict: str) -> None:
    assert (judged(text) or ["none"]) == [verdict]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$\lim_{s\to\infty} \frac{e^s}{2e^s + n - 2} = \frac12$", "right"),
        (r"$\lim_{s\to\infty} \frac{e^s}{2e^s + n - 2} = 1$", "wrong"),
        (r"The keys are orthonormal and $q = s(k_a + k_b)$. As $s\to\infty$, $\alpha_a \to \frac12$.", "right"),
        (r"The keys are orthonormal and $q = s(k_a + k_b)$. As $s\to\infty$, $\alpha_a \to 1$.", "wrong"),
        (r"The keys are orthonormal. Let $q = s(k_a - k_b)$. As $s\to\infty$, $\alpha_a \to 1$.", "undecided"),
        (r"The keys are orthonormal. Let $q = s(k_a - k_b)$. As $s\to\infty$, $\alpha_a \to \frac12$.", "undecided"),
    ],
)
def test_weights_as_the_query_grows(text: str, verdict: str) -> None:
    assert judged(text, "average-of-two") == [verdict]


SHARE = (
    r"With the largest score $z_{\max}$ attained $m$ times, $\lim_{\beta\to\infty} "
    r"\frac{e^{\beta (z_i - z_{\max})}}{\sum_{j=1}^n e^{\beta (z_j - z_{\max})}} = "
)


@pytest.mark.parametrize(("share", "rest", "verdicts"), [(r"\frac1m", "0", ["right", "right"])])
def test_largest_scores_share(share: str, rest: str, verdicts: list[str]) -> None:
    assert judged(rf"{SHARE}{share}$ if $z_i = z_{{\max}}$ and ${rest}$ otherwise.") == verdicts
