"""Works on positions and caches: what people write for them, and mistakes beside those of the catalogue of slips."""

from __future__ import annotations

import re
from typing import Any

import pytest

import symattn as sa
from symattn.checking.check import check_text
from symattn.checking.graph.layer import graph_of_layer
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import Finding
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from tests.attention.placed import placed_tables

X, W = [[1, 0, 2]], [[1, 0], [2, 1], [0, 1]]
STEP: dict[str, Any] = {
    "X": X,
    "W_Q": W,
    "W_K": [[0, 1], [1, 0], [1, 0]],
    "W_V": [[1, 1], [0, 2], [0, 1]],
    "cache": {"K": [[1, 0], [-1, 1], [0, -2]], "V": [[2, 0], [0, 1], [1, 1]]},
    "positions": {"kind": "rope", "angles": ["pi/2"], "start": 0},
    "mask": "causal",
    "online": 2,
    "rounding": {"places": 3},
}
"""One step from a cache: the query (1, 2) and key (2, 1) are turned three quarters round, to (2, -1) and (1, -2)."""

ADDED: dict[str, Any] = {
    "X": [[1, 2, 0, 1], [0, 1, 1, 0]],
    "W_Q": [[1], [0], [1], [0]],
    "W_K": [[1], [0], [1], [0]],
    "W_V": [[1], [0], [0], [1]],
    "positions": {"kind": "sinusoidal"},
}
TURNED: dict[str, Any] = {
    "Q": [[1, 2, 3, 4], [2, 1, 0, 1]],
    "K": [[1, 2, 3, 4], [0, 1, 0, 1]],
    "V": [[1], [2]],
    "positions": {"kind": "rope", "angles": ["pi/3", "pi/4"], "pairs": "halves"},
}


def last(tables: dict[str, Any], text: str) -> Finding:
    return check_text(Problem.build(**tables), text, "md").findings[-1]


def written(tables: dict[str, Any], name: str, **other: Any) -> str:
    """A quantity as somebody writes it who takes the positions otherwise."""
    changed = {**tables, "positions": {**tables["positions"], **other}}
    rows = attention_layer(Problem.build(**changed)).exact(name).rounded(4)
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"


RIGHT = [
    (STEP, r"Q_{rot} = [2, -1]", "Q_rot"),
    (STEP, r"K_{new} = [2, 1]", "K_new"),
    (STEP, r"K = X W_K = [2, 1]", "K_new"),
    (STEP, r"K = [[1, 0], [-1, 1], [0, -2], [1, -2]]", "K"),
    (STEP, r"Q_{rot} = [1 \cos(3\pi/2) - 2 \sin(3\pi/2), 1 \sin(3\pi/2) + 2 \cos(3\pi/2)]", "Q_rot"),
    (STEP, r"O = [1.158, 2.176]", "O"),
    (STEP, r"l_1^{(1)} = 1 + e^{-5\sqrt{2}/2} = 1.029", "l@1"),
    (STEP, r"m_1^{(2)} = \max(m_1^{(1)}, \sqrt{2}, 2\sqrt{2}) = 2\sqrt{2}", "m@2"),
    (STEP, r"l_1^{(2)} = l_1^{(1)} e^{-\sqrt{2}} + e^{-\sqrt{2}} + 1 = 1.493", "l@2"),
    (STEP, r"O_{12} = o_{12}^{(2)} / l_1^{(2)} = 2.176", "O[1,2]"),
    (STEP, r"q' = [2, -1]", "Q_rot"),
    (STEP, r"k' = [1, -2]", "K_rot"),
    (STEP, r"S = q' K^T = [2, -3, 2, 4]", "S"),
    (ADDED, r"PE_{21} = \sin(1) = 0.8415", "P[2,1]"),
    (ADDED, r"PE(0) = (0, 1, 0, 1)", "P[1,:]"),
    (ADDED, r"\mathrm{PE}(1) = (0.8415, 0.5403, 0.0100, 1.0000)", "P[2,:]"),
    (ADDED, r"P = [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 1.0000]]", "P"),
    (ADDED, r"X_p = X + P", "X_p"),
    (ADDED, r"Q_{21} = \sin(1) + \sin(1/100) + 1", "Q[2]"),
    (TURNED, r"(Q_{rot})_{21} = 2 \cdot \cos(\pi/3) - 0 \cdot \sin(\pi/3) = 1", "Q_rot[2,1]"),
]


@pytest.mark.parametrize(("tables", "text", "name"), RIGHT)
def test_what_is_right_is_found_right(tables: dict[str, Any], text: str, name: str | None) -> None:
    report = check_text(Problem.build(**tables), f"${text}$", "md")
    assert {finding.verdict for finding in report.findings} <= {"right", "rounded"}, report.findings
    assert report.findings[-1].name == name


WRONG = [
    ("cache-forgotten", STEP, "A = [1.000]"),
    ("new-key-missing", STEP, "S = [[2, -3, 2]]"),
    ("position-offset", STEP, "Q_{rot} = [-1, -2]"),
    ("sin-cos", ADDED, "P = [[1, 0, 1, 0], [0.5403, 0.8415, 1.0000, 0.0100]]"),
    ("position-offset", ADDED, f"P = {written(ADDED, 'P', start=1)}"),
    ("position-pairs", ADDED, f"P = {written(ADDED, 'P', pairs='halves')}"),
    ("position-pairs", TURNED, f"S = {written(TURNED, 'S', pairs='adjacent')}"),
    ("rotation-sign", TURNED, f"S = {written(TURNED, 'S', angles=['-pi/3', '-pi/4'])}"),
    ("position-offset", TURNED, f"K_{{rot}} = {written(TURNED, 'K_rot', start=1)}"),
    ("sin-cos", ADDED, "PE(1) = (0.5403, 0.8415, 1.0000, 0.0100)"),
    ("rotation-sign", STEP, "q' = [-2, 1]"),
    ("bias-forgotten", ADDED, "X_p = [[1, 2, 0, 1], [0, 1, 1, 0]]"),
]


@pytest.mark.parametrize(("code", "tables", "text"), WRONG)
def test_a_mistake_is_named(code: str, tables: dict[str, Any], text: str) -> None:
    found = last(tables, f"${text}$")
    assert found.verdict == "wrong"
    assert found.diagnosis is not None, found.explanation
    assert found.diagnosis.code == code, found.explanation
    assert code in CODES


@pytest.mark.parametrize(
    "words",
    ["in cache: @", "## Cache\n\n@", "Im Cache: @", "@ (from the cache)", "缓存中：@", "キャッシュ：@", "В кэше: @"],
)
def test_keys_in_the_cache_are_cached_ones(words: str) -> None:
    cached, other = "$K = [[1, 0], [-1, 1], [0, -2]]$", "$K = [[1, 0], [-1, 1], [0, 2]]$"
    found = check_text(Problem.build(**STEP), words.replace("@", cached), "md").findings
    assert [(item.name, item.verdict) for item in found if item.name] == [("K_cache", "right")]
    for text in (other, f"$K_{{new}} = [[2, 1]]$\n\n{cached}"):
        found = check_text(Problem.build(**STEP), words.replace("@", text), "md").findings
        assert [item.name for item in found if item.verdict == "wrong"] == ["K"]


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        (("K = [[-1, 1], [0, -2], [1, -2]]", "S = [[-3, 2, 4]]"), "cache-forgotten", "key 1 of 4"),
        (("K = [[1, 0], [0, -2], [1, -2]]", "S = [[2, 2, 4]]"), "cache-forgotten", "key 2 of 4"),
        (("K = [[1, 0], [-1, 1], [0, -2]]", "S = [[2, -3, 2]]"), "new-key-missing", "not joined"),
        (("K_{new} = [[2, 1]]", "K = [[1, -2]]", "S = [[4]]"), "cache-forgotten", "in the cache"),
        (("K_{rot} = [[1, -2]]", "K = [[1, 0], [-1, 1], [0, -2], [2, 1]]"), "rotation-forgotten", "Keys were not"),
    ],
)
def test_keys_that_are_left_out_are_told_by_their_numbers(lines: tuple[str, ...], code: str, said: str) -> None:
    report = check_text(Problem.build(**STEP), "\n\n".join(f"${line}$" for line in lines), "md")
    (wrong,) = (finding for finding in report.findings if finding.verdict == "wrong")
    assert wrong.text.startswith("K =")
    assert wrong.diagnosis is not None
    assert wrong.diagnosis.code == code
    assert said in wrong.diagnosis.text
    after = report.findings[report.findings.index(wrong) + 1 :]
    assert all(finding.verdict == "follows" for finding in after)


@pytest.mark.parametrize("side", ["S = q K^T", "S = Q K^T", "S = q_{rot} K^T", "S = q' K^T"])
def test_scores_of_who_rotated_before(side: str) -> None:
    for before, verdict in (("Q_{rot} = [2, -1]", "right"), ("Q_{rot} = [1, 2]", "wrong")):
        text = f"${before}$\n\n${side}$"
        is_said = "rot" in side or "'" in side
        expected = "right" if is_said else verdict
        assert check_text(Problem.build(**STEP), text, "md").findings[-1].verdict == expected


def test_scores_do_not_show_where_counting_begins() -> None:
    """All positions one further on leave every distance, and so the scores."""
    assert last(TURNED, f"$S = {written(TURNED, 'S', start=1)}$").verdict in {"right", "rounded"}


def test_what_a_sheet_asks_of_a_cache_is_looked_for() -> None:
    problem = Problem.build(**STEP, parts=[{"asks": "cache"}, {"asks": "online"}])
    assert check_text(problem, "$K = [2, 1]$", "md").missing == ("K", "V", "O")
    work = "$K = [[1, 0], [-1, 1], [0, -2], [1, -2]]$\n\n$V = [[2, 0], [0, 1], [1, 1], [1, 3]]$\n\n$O = [1.158, 2.176]$"
    assert check_text(problem, work, "md").missing == ()


def check_graph(seed: int) -> None:
    """Every quantity worked out by the formulas that works are judged by, from the inputs alone."""
    layer = attention_layer(Problem.build(**placed_tables(seed)))
    graph = graph_of_layer(layer)
    valuation = Valuation(Graph(graph.nodes, graph.given))
    for name in layer.recipes:
        exact = layer.exact(name)
        found = valuation.matrix(name)
        assert all(found[i][j] == exact[i, j] for i in range(exact.shape[0]) for j in range(exact.shape[1])), name


@pytest.mark.parametrize("seed", range(4))
def test_the_graph_has_the_values_of_the_layer(seed: int) -> None:
    check_graph(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 100))
def test_the_graph_has_the_values_of_many_layers(seed: int) -> None:
    check_graph(seed)


def test_running_indices_end_with_the_quantity_that_they_began_with() -> None:
    """E is 2 × 2, and what else a person may call E has four columns: the index j runs to 2."""
    unit = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    tables = {"X": [[1, 0, 0, 2], [2, 1, 1, 0]], "W_Q": unit, "W_K": unit, "W_V": unit}
    problem = Problem.build(**tables, positions={"kind": "sinusoidal"}, mask="causal")
    for form, verdict in ((r"e^{\Lambda_{ij}}", "right"), ("e^{U_{ij}}", "wrong")):
        (found,) = sa.check(problem, f"$E_{{ij}} = {form}$", "md").findings
        assert found.verdict == verdict


ROTATED = {"X": [[1, 2], [0, 1], [1, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1], [2]]}


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        (r"S_{23} = \cos(1) + \sin(1)", "right"),
        (r"S_{23} = \cos(2)\cos(1) + \sin(1)\sin(2) + \cos(1)\sin(2) - \sin(1)\cos(2)", "right"),
        (r"S_{22} = \cos(1)^2 + \sin(1)^2", "right"),
        (r"S_{22} = 1", "right"),
        (r"S_{23} - S_{22} = \cos(1) + \sin(1) - 1", "right"),
        (r"Z_2 = e^{2\cos(1) - \sin(1)} + e + e^{\cos(1) + \sin(1)}", "right"),
        (r"S_{23} = \cos(1) - \sin(1)", "wrong"),
        (r"S_{23} = \cos(1) + \sin(2)", "wrong"),
        (r"S_{22} = \cos(1)^2 - \sin(1)^2", "wrong"),
        (r"S_{22} = 2", "wrong"),
    ],
)
def test_products_of_sines_and_cosines_may_be_put_together(statement: str, verdict: str) -> None:
    """``cos(2 - 1)`` for ``cos 2 cos 1 + sin 2 sin 1``: equal by the theorems of addition, which are proved."""
    problem = Problem.build(**ROTATED, scale="none", positions={"kind": "rope"})
    (found,) = sa.check(problem, f"${statement}$", "md").findings
    assert found.verdict == verdict


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["rope", "sinusoidal"])
def test_keys_in_closed_forms_put_them_together_and_are_right(kind: str) -> None:
    result = sa.solve(Problem.build(**ROTATED, scale="none", positions={"kind": kind}, forms="closed"))
    tex = result.to_latex(detail="every-product")
    assert [item.reasons for item in result.read_back(tex) if not item.proved] == []
    if kind == "rope":
        assert r"S_{22} &= (-\sin(1)) \cdot (-\sin(1)) + \cos(1) \cdot \cos(1) = 1" in tex
        assert r"\cos(1) \cdot (\cos(2) + \sin(2)) = \cos(1) + \sin(1)" in tex
    found = sa.check(result.problem, re.sub(r"(?<!\\)%.*", "", tex), "tex").findings
    assert {item.verdict for item in found} <= {"right", "rounded", "unchecked"}
