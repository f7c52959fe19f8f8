"""Layouts of people: tokens named by words, numbers behind words, prints and remarks of programs, lists in formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.names.token_names import TokenNames
from symattn.checking.report import Report
from symattn.problem.model import Part, Problem
from tests import tables

TWO = Problem.build(Q=[[1, 2], [0, 1]], K=[[1, 2], [1, 0]], V=[[3, -1], [1, 4]])
"""S = [5 1; 2 0], S_scaled = [3.54 .71; 1.41 0], A = [.944 .056; .804 .196], O = [2.888 -.721; 2.609 -.022]."""

ONE = Problem.build(Q=[[1, 2]], K=[[1, 1], [0, 1], [2, 0]], V=[[1, 0], [0, 2], [2, 2]])
"""S = [3 2 2], S_scaled = [2.121 1.414 1.414], E = [8.342 4.113 4.113], Z = 16.569, A = [.503 .248 .248]."""

HEADS = Problem.build(
    X=[[1, 0, 2, 1], [0, 1, 1, -1], [2, 1, 0, 1]],
    W_Q=[[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, -1]],
    W_K=[[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]],
    W_V=[[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0]],
    W_O=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    heads=2,
    rounding={"places": 3},
)
"""Q_1 = [2 0; -1 1; 3 1], Q_2 = [2 2; 2 2; 1 1], K_1 = [2 3; 2 1; 1 2], row 1 of H (.771, 1.217), (1.111, 1.056)."""

TILES = Problem.build(
    Q=[[1, 2]],
    K=[[1, 0], [0, 1], [1, 1], [2, -1]],
    V=[[1, 0], [0, 2], [3, 1], [-1, 1]],
    online=2,
    rounding={"places": 3},
    parts=[{"asks": ["online"]}],
)
"""S_scaled = [.707 1.414 2.121 0], m = 1.414, 2.121, l = 1.493, 1.856, O = (1.683, 1.135)."""

CAUSAL = Problem.build(
    Q=[[1, 2], [0, 1], [2, 1]],
    K=[[1, 2], [1, 0], [0, 1]],
    V=[[3, -1], [1, 4], [0, 1]],
    mask="causal",
    rounding={"places": 2},
)
"""S_scaled = [3.54; 1.41 0; 2.83 1.41 .71], A = [1; .80 .20; .73 .18 .09], O = [3 -1; 2.61 -.02; 2.38 .07]."""

SIDE_BY_SIDE = Problem.build(
    Q=[[1, 0, 2, 0]],
    K=[[1, 1, 0, 1], [0, 1, 1, 0]],
    V=[[1, 1, 1, 0], [0, 1, 1, 1]],
    heads=2,
    rounding={"places": 3},
)
"""Two heads, H_1 = (.670, 1), H_2 = (1, .804), and no W_O."""

UNIT = Problem.build(X=[[1, 2], [3, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]])

ALIKE = Problem.build(Q=[[2, 3], [1, 1]], K=[[1, 2], [0, 1]], V=[[1, 0], [0, 1]])
"""S = [8 3; 3 1]: two entries are alike and have other operands."""

PROBLEMS = {"causal": CAUSAL, "one": ONE, "two": TWO, "heads": HEADS, "tiles": TILES}

LAYOUTS: list[dict[str, Any]] = tables.read("data/layouts_of_people.yaml")


def wrong(report: Report) -> list[str | None]:
    return [item.name for item in report.findings if item.verdict == "wrong"]


@pytest.mark.parametrize("layout", LAYOUTS, ids=[layout["text"].split("\n")[0][:40] for layout in LAYOUTS])
def test_a_layout_is_read(layout: dict[str, Any]) -> None:
    problem, text, name = PROBLEMS[layout["problem"]], layout["text"], layout["name"]
    report = check_text(problem, text, layout["form"])
    assert wrong(report) == []
    assert name in {item.name for item in report.findings if item.verdict in {"right", "rounded", "carried"}}
    assert layout["right"] in text
    changed = text.replace(layout["right"], layout["wrong"], 1)
    assert wrong(check_text(problem, changed, layout["form"])) == [name]


@pytest.mark.parametrize(
    "first", ["h = 1:\n", "$h=1$: ", "# h = 1\n", "**h = 1** ", "For h=1: ", "head=1: ", "Head 1. We have "]
)
def test_a_head_is_told_by_its_letter_or_its_word(first: str) -> None:
    texts = "q_1 = (2, 0)", "q_3 = (3, 1)", "k_1 = (2, 3)"
    second = "q_1 = (2, 2)", "q_3 = (1, 1)", "k_1 = (2, 1)"
    work = "\n\n".join(
        first.replace("1", str(head)) + ", ".join(f"${part}$" for part in one) + "."
        for head, one in ((1, texts), (2, second))
    )
    found = [item.name for item in check_text(HEADS, work, "md").findings if item.verdict == "right"]
    assert found == [f"{name}^{head}[{row},:]" for head in (1, 2) for name, row in (("Q", 1), ("Q", 3), ("K", 1))]


@pytest.mark.parametrize(
    "head",
    [
        "w*v1",
        "w*x",
        "A·V1",
        "weight*v1",
        "v1*weight",
        "peso·v1",
        "Gewicht*V1",
        "权重*v1",
        "a_j v_j1",
        "α·v₁",
        "exp*v1",
        "e·v1",
        "e^s·v1",
    ],
)
def test_products_below_a_formula_are_no_quantity_of_its_factors(head: str) -> None:
    heads = f"|token|score|exp|weight|{head}|{head.replace('1', '2').replace('₁', '₂').replace('x', 'y')}|"
    rows = ["|a|3|8.342|0.503|0.503|0.000|", "|b|2|4.113|0.248|0.000|0.496|", "|c|2|4.113|0.248|0.496|0.496|"]
    table = "\n".join([heads, "|---|---|---|---|---|---|", *rows, "|total|||0.999|0.999|0.992|"])
    assert wrong(check_text(ONE, table, "md")) == []
    pasted = "\n".join(line.strip("|").replace("|", "\t") for line in [heads, *rows])
    assert wrong(check_text(ONE, pasted, "txt")) == []
    assert wrong(check_text(ONE, pasted.replace("0.248", "0.284"), "txt")) == ["A"]


@pytest.mark.parametrize("head", ["s*1/√2", "s · 1/√2"])
def test_scores_times_a_number_are_scaled(head: str) -> None:
    table = f"|key|s|{head}|\n|---|---|---|\n|k1|3|2.121|\n|k2|2|1.414|\n|k3|2|1.414|"
    assert wrong(check_text(ONE, table, "md")) == []
    assert wrong(check_text(ONE, table.replace("2.121", "2.112"), "md")) == ["S_scaled"]


CORRECTIONS = [
    "wait, that should be %s. Typed it too fast", "[19:06] mia: sorry, I meant %s", "my mistake: %s",
    "correction: weights = %s", "Moment, das muss %s heißen", "Korrektur: %s", "perdón, quise decir %s",
    "debería ser %s",
    "pardon, je voulais dire %s", "scusate, volevo dire %s", "desculpe, quis dizer %s", "düzeltme: %s",
    "исправление: %s", "должно быть %s",
    "更正：%s", "應該是 %s", "訂正：%s", "すみません、正しくは %s", "정정: %s",
]  # fmt: skip


@pytest.mark.parametrize("words", CORRECTIONS)
@pytest.mark.parametrize("form", ["(%s)", "%s"])
def test_what_is_taken_back_at_once_is_withdrawn(words: str, form: str) -> None:
    first, anew = form % "0.305, 0.248, 0.248", form % "0.503, 0.248, 0.248"
    report = check_text(ONE, f"weights = {first}\n{words % anew}\n", "txt")
    assert [item.verdict for item in report.findings if item.name] == ["withdrawn", "rounded"]
    report = check_text(ONE, f"weights = {first}\n{words % first}\n", "txt")
    assert [item.verdict for item in report.findings if item.name] == ["withdrawn", "wrong"]


@pytest.mark.parametrize(
    "behind",
    [
        "thanks, 0.503, 0.248, 0.248",  # no words of correction
        "wait, that should be 1.000",  # another shape
        "1, 2, 3 should be fine. Correction: 0.503, 0.248, 0.248",  # behind other numbers
        "oops: scores = 3, 2, 2",  # another quantity
        "sorry for the scores: correction: 3, 2, 2",
        "correction: 0.503, 0.248, 0.248",  # the factor of online softmax has this name
        "wait, that should be 0.503, 0.248, 0.248 + 0.1",
    ],
)
def test_nothing_is_withdrawn_without_words_or_the_same_quantity(behind: str) -> None:
    assert wrong(check_text(ONE, f"weights = 0.305, 0.248, 0.248\n{behind}\n", "txt")) == ["A"]


NOT_BLAMED = [
    (
        "two",
        "权重:\n\n    [[0.944 0.056]\n     [0.804 0.196]]\n\n权重叉乘V:\n\n    [[2.888 -0.721]\n     [2.609 -0.027]]\n",
    ),
    (
        "heads",
        "Kopf 1: Gewichte: 0,446; 0,446; 0,108.\n\nKopf 2: Gewichte: 0,056; 0,000; 0,944.\nAusgabe: (1,111; 1,056).\n",
    ),
    ("heads", "We have $q_1 = (2, 0)$, $q_2 = (-1, 1)$, $q_3 = (3,1)$ and $k_1 = (2,3)$, $k_3=(1,2)$.\n"),
    (
        "tiles",
        "tile 1 (keys 1-2): scores 0.707, 1.414. m = 1.414\ntile 2 (keys 3-4): scores 2.121, 0.000. new m = 2.121\n",
    ),
    ("two", "A =\n\nq1\n0.944\n0.056\n\nq2\n0.804\n0.196\n"),
    (
        "two",
        "```julia\njulia> softmax(S' / sqrt(2))'\n2×2 Matrix{Float64}:\n 0.944  0.056\n 0.804  0.196\n```\n",
    ),
]


@pytest.mark.parametrize(("problem", "text"), NOT_BLAMED, ids=[text.split("\n")[0][:30] for _, text in NOT_BLAMED])
def test_numbers_that_are_those_of_another_part_are_not_called_wrong(problem: str, text: str) -> None:
    report = check_text(PROBLEMS[problem], text, "md")
    assert wrong(report) == []
    assert "misshapen" not in {item.diagnosis.code for item in report.findings if item.diagnosis is not None}


# What is right in another way ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["exp: 34.47 and 2.03", "exp: 34.5 and 2.0", "exp: 34.329 and 2.028"])
def test_exponentials_of_rounded_scores_that_were_not_shown_are_right(text: str) -> None:
    report = check_text(TWO, f"Row 1\n\n{text}\n", "txt")
    assert wrong(report) == []
    assert wrong(check_text(TWO, f"Row 1\n\n{text}\n".replace("34.", "36."), "txt")) != []


def test_row_sums_of_r_are_sums_of_rows() -> None:
    text = "> scaled <- S / sqrt(2)\n> weights <- exp(scaled) / rowSums(exp(scaled))\n"
    assert wrong(check_text(TWO, text, "txt")) == []


@pytest.mark.parametrize(
    "text", ["exp 8.33", "exp = 8.33", "E = sum 16.57", "divide by sqrt(2): 0.71 1.41 / 1.41 0.71", "sum 16.6"]
)
def test_a_number_behind_a_word_multiplies_nothing(text: str) -> None:
    assert wrong(check_text(ONE, f"{text}\n", "txt")) == []


@pytest.mark.parametrize(
    "line", ["$5$ and $6$ tokens", "The keys are $3$, and $2.5$ is a number.", "## Row sum\n\nOf $3$ keys:"]
)
def test_numbers_of_sentences_are_no_list(line: str) -> None:
    assert wrong(check_text(ONE, line, "md")) == []


@pytest.mark.parametrize("number", ["8.342", "8.84"])
def test_a_letter_of_other_numbers_than_the_scores_names_no_scores(number: str) -> None:
    text = f"s1 = 3\ns2 = 2\ns3 = 2\n\ne1 = {number}\ne2 = 4.113\n"
    names = {item.name for item in check_text(ONE, text, "txt").findings if number in item.text}
    assert names <= {"E[1,1]", None}


@pytest.mark.parametrize(
    ("written", "kind", "is_wrong"),
    [
        ("0.80442968", "float32", False),
        ("0.80442975", "float32", False),  # the sum of another order
        ("0.80442975", "float64", True),
        ("0.80443968", "float32", True),
        ("0.80452", "float32", True),
    ],
)
def test_single_precision_has_seven_digits(written: str, kind: str, is_wrong: bool) -> None:
    text = f"attention_weights = array([[0.94419277, 0.0558072 ],\n [{written}, 0.19557032]], dtype={kind})\n"
    assert (wrong(check_text(TWO, text, "txt")) == ["A"]) == is_wrong


# Tokens named by words -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('Tokens: "the" (1), "cat" (2). $w_{\\text{cat}} = 1$', ["the", "cat"]),
        ('"cats sleep" (token 1 = cats, token 2 = sleep): $\\alpha_{sleep}$', ["cats", "sleep"]),
        ("The sentence “cats sleep”, q_cats", ["cats", "sleep"]),
        ("$k_{\\mathrm{cats}}$, $k_{\\mathrm{sleep}}$", ["cats", "sleep"]),
        ("$S_{\\text{raw}}$ and $S_{\\text{scaled}}$ of $d_{\\text{model}}$", []),
        ("$x_i$ and $x_j$", []),
        ('"one", "two", "three": $w_{one}$', []),
    ],
)
def test_the_words_of_tokens_are_found(text: str, tokens: list[str]) -> None:
    assert list(TokenNames(text, 2, 2).places) == tokens


def test_words_become_numbers_where_they_are_indices_and_nowhere_else() -> None:
    text = 'Tokens "the", "cat": $w_{\\text{the}\\to\\text{cat}}$, q_cat · k_the, the cat'
    names = TokenNames(text, 2, 2)
    assert names.respelled(text) == 'Tokens "the", "cat": $w_{1,2                    }$, q_2   · k_1  , the cat'
    assert names.respelled(text, 0).count("0") == 2
    assert TokenNames(text, 1, 2).respelled("q_cat · k_cat") == "q_1   · k_2  "


def test_a_report_shows_a_work_as_it_was_handed_in() -> None:
    text = 'Tokens: "the", "cat".\n\n$w_{\\text{the}\\to\\text{cat}} = 0.065$\n'
    report = check_text(TWO, text, "md")
    assert report.text == text
    (found,) = [item for item in report.findings if item.verdict == "wrong"]
    assert found.text == "w_{\\text{the}\\to\\text{cat}} = 0.065"


def test_indices_of_words_count_from_0_where_the_work_does() -> None:
    text = 'Tokens: "the", "cat".\n\nS[0][1] = 1\n\na_cat\n\n$w_{\\text{cat},\\text{the}} = 0.804$\n'
    report = check_text(TWO, text, "md")
    assert wrong(report) == []
    assert "A[2,1]" in {item.name for item in report.findings}


@pytest.mark.parametrize("names", [("old", "new"), ("prev", "next"), ("in", "out")])
def test_states_name_no_tokens(names: tuple[str, str]) -> None:
    first, second = names
    problem = Problem.build(Q=[[1, 0]], K=[[1, 1], [2, 0]], V=[[1], [3]], scale="none", rounding={"places": 3})
    lines = f"$x_{{{first}}} = 4$, $x_{{{second}}} = 5$\n\n$o_{{{first}}} = 1$\n\n$o_{{{second}}} = 0.368 + 3 = 3.368$"
    found = check_text(problem, lines, "md").findings
    assert {item.verdict for item in found} <= {"unchecked", "right", "rounded"}


def test_numbers_that_fit_another_row_are_no_mistake_of_a_title() -> None:
    problem = Problem.build(
        X=[[1, 0, 2, 1], [0, 1, 1, -1]],
        W_Q=[[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, -1]],
        W_K=[[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]],
        W_V=[[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0]],
        W_O=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]],
        heads=2,
    )
    text = """## Tête 1

Produits scalaires :

$$\\begin{bmatrix}4 & 4\\\\ 1 & -1\\end{bmatrix}$$

Sortie de la tête : première ligne $(0{,}500 ; 1{,}000)$, deuxième ligne $(1{,}413 ; 1{,}000)$.
"""
    assert wrong(check_text(problem, text, "md")) == []


def test_the_last_norm_of_a_block_is_its_output() -> None:
    problem = Problem.build(
        X=[[1, 2], [3, 0]], W_Q=[[1, 0], [0, 1]], W_K=[[0, 1], [1, 0]], W_V=[[1, 1], [0, 1]],
        W_F1=[[1, -1], [0, 1]], b_F1=[0, 0], W_F2=[[1, 0], [1, 1]], b_F2=[0, 0],
        block={"norm": "layer", "placement": "post", "eps": "0.00001"}, rounding={"places": 4},
    )  # fmt: skip
    text = "second LayerNorm = final output: token 1: [-1.0000, 1.0000], token 2: [1.0000, -1.0000]"
    findings = check_text(problem, text, "txt").findings
    assert {item.name for item in findings if item.verdict == "rounded"} == {"N_2[1,:]", "N_2[2,:]"}


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        # Products of weights and values are not values, though a title speaks of these.
        (TWO, "## Values\n\n- 0.804 × [3, -1] = [2.412, -0.804]\n- 0.196 × [1, 4] = [0.196, 0.784]\n"),
        (TWO, "Row sums: 1.00, 1.00\n"),
        (CAUSAL, "rows sum to: [1.0, 1.0, 1.0]\n"),
        (ONE, "The scores are S = Q K^T.\n\ns = [2, 2]\n"),
        (TILES, "alpha = 0.493\n"),
        (TWO, "x = 1.0000 * 1.6065 + 1.6065 = 3.2131\n"),
        (TILES, "Block 2: accumulator (3.126, 2.108)\n"),
        (TILES, "Block 1: $O / l = (0.330, 1.340)$\n"),
        # Names of a bias and of another layer, which the problem does not have.
        (TWO, "$O = A V + b$\n"),
        (TWO, "$k_1 = h_1^{1} W_K$\n"),
        (TWO, "**Weights** of token 1: $e$ gives 34.47 and 2.03.\n"),
        (ONE, "I pesi di attenzione sono\n\n$A = (0.503, 0.248, 0.248)$\n\nCon $I = V$.\n"),
        (TWO, "Веса: 34,31/36,34 = 0,94 и 2,03/36,34 = 0,06\n\nПесы: 34,31/36,34 = 0,94 плюс 2,03/36,34 = 0,06\n"),
        (TWO, "We set $V = I$.\n"),
        (UNIT, "$W_Q = W_K = W_V = I$\n"),
        (ALIKE, "1. kelimenin 2. anahtarla skoru: 2·0 + 3·1 = 3\n2. kelimenin 1. anahtarla skoru: 1·1 + 1·2 = 3\n"),
        (HEADS, "h = 2 so each head has two columns.\n\nhead output [[0.771, 1.217], [1.999, 1.500]]\n"),
        (TWO, "$x + \\text{Attn} = \\begin{bmatrix} 1.2 & 3.4 \\\\ 5.6 & 7.8 \\end{bmatrix}$\n"),
    ],
)
def test_right_statements_about_parts_are_not_wrong(problem: Problem, text: str) -> None:
    assert wrong(check_text(problem, text, "md")) == []


@pytest.mark.parametrize("written", ["3.2141", "3.3131"])
def test_sums_of_products_are_wrong_beyond_a_last_digit(written: str) -> None:
    assert wrong(check_text(TWO, f"x = 1.0000 * 1.6065 + 1.6065 = {written}\n", "md")) == [None]


TILES_WITHOUT_SCALE = Problem.build(
    Q=[[2, 1]], K=[[1, 0], [0, 1], [1, 1], [1, -1]], V=[[2, 1], [0, 3], [1, 1], [4, 2]], scale="none", online=2
)


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("2.277", "rounded"),
        ("2.276", "carried"),  # 2.000 · 0.368 + 1 + 0.135 · 4
        ("2.278", "undecided"),
        ("2.275", "undecided"),
        ("2.267", "wrong"),
        ("2.287", "wrong"),
    ],
)
def test_running_values_are_right_only_from_rounded_factors(written: str, verdict: str) -> None:
    head = "| tile | m | l | o |\n|---|---|---|---|\n| 1 | 2 | 1.368 | (2.000, 2.104) |\n"
    text = f"{head}| 2 | 3 | 1.638 | ({written}, 2.044) |\n"
    found = check_text(TILES_WITHOUT_SCALE, text, "md").findings
    entries = [item.entries or () for item in found if item.name == "o@2"]
    assert [rows[0][0].verdict for rows in entries] == [verdict]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Block 2: l = 1.493 * 0.493 + ? = 1.856\n", "l@2"),
        ("Block 2: l = ? + 0.493 * 1.493 = 1.856\n", "l@2"),
        ("Block 2: l = 0.736 + ? = 1.856\n", "l@2"),
        ("Block 2: o = 0.493 * (0.493, 2.000) + (2.880, ?) = (3.123, 2.106)\n", "o@2"),
    ],
)
@pytest.mark.parametrize(("part", "verdict"), [("1.120", "right"), ("1.210", "wrong")])
def test_partial_sums_of_a_block_may_be_worked_out(text: str, name: str, part: str, verdict: str) -> None:
    found = check_text(TILES, text.replace("?", part), "txt").findings
    assert next(item.verdict for item in found if item.name == name) == verdict


@pytest.mark.parametrize("name", ["O", "acc", "out", "o"])
@pytest.mark.parametrize("number", ["3.123", "3.132"])
@pytest.mark.parametrize(
    "text",
    [
        "Block 1: $@ = (0.493, 2.000)$\n\nBlock 2: $@ = (?, 2.106)$\n",
        "Block 2: $@ = 0.493 \\cdot @ + (2.880, 1.120) = (?, 2.106)$\n\n$O = (1.683, 1.135)$\n",
        "Block 2: $@ = 0.493 (0.493, 2.000) + (2.880, 1.120) = (?, 2.106)$\n\n$@ = @/l = (1.683, 1.135)$\n",
        "Block 2: $@ = (?, 2.106)$\n\n$@ = @/1.856 = (1.683, 1.135)$\n",
        "Block 2: $@ = 0.493 @ + 1 (3, 1) + 0.120 (-1, 1) = (?, 2.106)$\n\n$O = (?, 2.106)/1.856 = (1.683, 1.135)$\n",
    ],
)
def test_an_accumulator_that_is_not_divided_may_be_called_like_the_output(text: str, name: str, number: str) -> None:
    found = check_text(TILES, text.replace("@", name).replace("?", number), "md").findings
    mistakes = [item.name for item in found if item.verdict == "wrong"]
    assert mistakes[:1] == ([] if number == "3.123" else ["o@2"])
    assert number != "3.123" or any(item.name == "o@2" and item.verdict == "rounded" for item in found)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("Block 2: O = (3.126, 2.208)\n", ["wrong"]),
        ("Block 2: $O_{11}^{(2)} = 3.123$\n", ["rounded"]),
        ("Block 2: O_11 = 3.123\n", ["rounded"]),
        ("Block 2: m = max(m, 2.121) = 2.121\n", ["right", "rounded"]),
        ("Block 2: m = max(1.414, 2.121) = 2.121\n", ["right", "rounded"]),
        ("Block 2: m = max(1.441, 2.121) = 2.121\n", ["wrong", "rounded"]),
        ("Block 2: l = 0.493 l + 1.120 = 1.856\n", ["right", "rounded"]),
        ("Block 2: l_new = 0.493 l + 1.120 = 1.856\n", ["right", "rounded"]),
        ("Block 2: Z = 0.493 Z + 1.120 = 1.856\n", ["right", "rounded"]),
        ("Block 2: Z = 0.493 Z + 1.210 = 1.856\n", ["wrong", "wrong"]),
    ],
)
def test_a_running_value_is_made_of_the_one_before_it(text: str, verdicts: list[str]) -> None:
    assert [item.verdict for item in check_text(TILES, text, "md").findings if item.name] == verdicts


PRIMES = Problem.build(
    Q=[[2, 0, 1, 1], [0, 2, 2, 0]], K=[[1, 1, 0, 0], [1, 0, 2, 0], [0, 2, 1, 1]], V=[[1, 2], [3, 0], [0, 1]]
)
"""S = [2 4 2; 2 4 6], S_scaled = [1 2 1; 1 2 3]."""


@pytest.mark.parametrize("name", ["S1'", "s1'", "S'_1", "S_1'", "S1′", "${S'}_1$", "$s_{1}'$", r"$\tilde{s}_1$"])
@pytest.mark.parametrize(("numbers", "verdict"), [("[1, 2, 1]", "right"), ("[0.5, 1, 0.5]", "wrong")])
def test_a_prime_below_the_scaled_scores_is_no_transpose(name: str, numbers: str, verdict: str) -> None:
    statement = f"{name[:-1]} = {numbers}$" if name.startswith("$") else f"{name} = {numbers}"
    found = check_text(PRIMES, f"Scores:\n\nS1 = [2, 4, 2]\n\nOlceklenmis skorlar:\n\n{statement}\n", "md").findings
    assert [(item.name, item.verdict) for item in found if item.name] == [
        ("S[1,:]", "right"),
        ("S_scaled[1,:]", verdict),
    ]


@pytest.mark.parametrize(
    ("problem", "text", "names"),
    [
        (PRIMES, "S' = [2 2; 4 4; 2 6]\n", ["S"]),
        (PRIMES, "Scaled scores:\n\ns'_{23} = 3\n", ["S_scaled[2,3]"]),
        (PRIMES, "K1' = [1; 1; 0; 0]\n\nS11 = Q1*K1' = 2\n", ["K[1,:]", "S[1,1]", "S[1,1]"]),
        (TWO, "S' = [5 2; 1 0]\n", ["S"]),
        (CAUSAL, "Masked scores:\n\nS3' = [2.83, 1.41, 0.71]\n", ["S_masked[3,:]"]),
        (
            CAUSAL,
            "Scaled scores:\n\ns_12' = 0.71\n\nMasked scores:\n\ns_12' = -inf\n",
            ["S_scaled[1,2]", "S_masked[1,2]"],
        ),
    ],
)
def test_a_prime_means_what_its_shape_and_its_heading_say(problem: Problem, text: str, names: list[str]) -> None:
    found = check_text(problem, text, "txt").findings
    assert [item.name for item in found] == names
    assert not wrong(check_text(problem, text, "txt"))


@pytest.mark.parametrize(
    ("problem", "text", "missing"),
    [
        # Nobody has to write the zeros of hidden keys, but the weights beside them.
        (CAUSAL, "$a_{11} = 1$, $a_{21} = 0.80$, $a_{22} = 0.20$\n\n$a_{31} = 0.73$, $a_{32} = 0.18$\n", ("A[3,3]",)),
        # What one letter means by habit, it means twice in a chain.
        (ONE, "$a_1 = 0.503$ and $a_2 = a_3 = 0.248$\n", ()),
        # Outputs of heads that are put side by side are the output.
        (SIDE_BY_SIDE, "Head 1: $O = (0.670, 1)$\n\nHead 2: $O = (1, 0.804)$\n", ()),
        # The only key that the first row sees has the weight 1, and its value is the output.
        (CAUSAL, "$a_{21} = 0.80$, $a_{22} = 0.20$\n\n$a_{31} = 0.73$, $a_{32} = 0.18$, $a_{33} = 0.09$\n", ()),
        (CAUSAL, "Only $a_{21} = 0.80$ and $a_{22} = 0.20$.\n", ("A[3,1]", "A[3,2]", "A[3,3]")),
        # Numbers that nothing names and that fit what stands nowhere else are ambiguous.
        (TWO, "$a_{11} = 0.944$, $a_{12} = 0.056$\n\nthen finally 0.804 | 0.196\n", ()),
        (TWO, "$a_{11} = 0.944$, $a_{12} = 0.056$\n\nthen 80% / 20%\n", ()),
        (TWO, "$a_{11} = 0.944$, $a_{12} = 0.056$\n\nthen finally 0.803 | 0.196\n", ("A[2,1]", "A[2,2]")),
        (SIDE_BY_SIDE, "Head 1: $O = (0.670, 1)$\n", ("O[1,3]", "O[1,4]")),
    ],
)
def test_answers_that_are_there_are_not_missing(problem: Problem, text: str, missing: tuple[str, ...]) -> None:
    part = "outputs" if problem is SIDE_BY_SIDE else "map"
    report = check_text(replace(problem, parts=(Part(asks=(part,)),)), text, "md")
    assert (wrong(report), report.missing) == ([], missing)


def test_exponentials_less_a_maximum_in_lines_of_text_are_right() -> None:
    problem = Problem.build(Q=[[2, 1], [0, 3]], K=[[1, 1], [2, 0], [0, 1]], V=[[1, 2], [3, 0], [0, 4]])
    text = """Query 1
  logits            2.121  2.828  0.707
  max               2.828
  minus max         -0.707  0.000  -2.121
  exp               0.493  1.000  0.120
  total             1.613
  attention         0.306  0.620  0.074
"""
    report = check_text(problem, text, "txt")
    assert wrong(report) == []
    assert {"shifted[1,:]", "E[1,:]", "Z[1]"} <= {item.name for item in report.findings if item.verdict == "rounded"}


KEY_BY_KEY = Problem.build(
    Q=[[2]], K=[[1], ["1/2"], [2], ["3/2"]], V=[[1, 0], [0, 4], [2, 2], [3, 1]], scale="none", online=1
)
RUNNING_TABLE = """| j | $s_j$ | m | α = exp(m_old − m_new) | p = exp(s_j − m) | l | acc |
|---|---|---|---|---|---|---|
| 1 | 2 | 2 | — | 1 | 1 | (1, 0) |
| 2 | 1 | 2 | 1 | @ | 1.3679 | (1.0000, 1.4715) |
| 3 | 4 | 4 | 0.1353 | 1 | 1.1851 | (2.1353, 2.1991) |
| 4 | 3 | 4 | 1 | 0.3679 | 1.5530 | (3.2390, 2.5670) |

"""


@pytest.mark.parametrize(("written", "verdict"), [("0.3679", "rounded"), ("0.3769", "wrong"), ("2.7183", "wrong")])
def test_exponentials_of_an_online_softmax_are_less_the_running_maximum(written: str, verdict: str) -> None:
    found = check_text(KEY_BY_KEY, RUNNING_TABLE.replace("@", written), "md").findings
    assert [item.verdict for item in found if item.name == "E"] == [verdict]


@pytest.mark.parametrize(
    "words",
    ["所以旧的 l 和 acc 都要乘以 0.1353；不用重新缩放。", "The old l and acc are multiplied by 0.1353."],
)
def test_factors_that_rescale_running_values_are_not_wrong(words: str) -> None:
    assert wrong(check_text(KEY_BY_KEY, RUNNING_TABLE.replace("@", "0.3679") + words, "md")) == []


@pytest.mark.parametrize(
    "start",
    [
        "Init: m = -inf, l = 0, o = (0, 0)",
        "初始化：m = -∞，l = 0，o = (0, 0)",
        "$m^{(0)} = -\\infty$, $\\ell^{(0)} = 0$, $o^{(0)} = (0, 0)$",
        "Block 1: start with m = -inf, l = 0, o = (0, 0)",
        "Running output: O = (0, 0)",
    ],
)
def test_zeros_before_the_first_block_are_no_results(start: str) -> None:
    block = "\n\nBlock 1\n\nm = 1.414, l = 1.493, o = (0.493, 2.000)\n\n"
    found = check_text(TILES, start + block, "md").findings
    assert not {item.verdict for item in found} & {"wrong", "follows"}
    assert [item.name for item in found if item.verdict in {"right", "rounded"}] == ["m@1", "l@1", "o@1"]
    assert not wrong(check_text(TILES, f"{block}{start}", "md"))


AT_ONCE = Problem.build(Q=[[2]], K=[[1], ["1/2"], [2], ["3/2"]], V=[[1, 0], [0, 4], [2, 2], [3, 1]], scale="none")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("O = (3.2390, 2.5670) / 1.5530 = (2.0856, 1.6529)", "right"),
        ("O = (176.8420, 140.1550) / 84.7910 = (2.0856, 1.6529)", "right"),
        ("O_12 = 2.5670 / 1.5530 = 1.6529", "right"),
        ("O = (3.2390, 2.6570) / 1.5530 = (2.0856, 1.6529)", "wrong"),
        ("O = (3.2390, 2.5670) / 1.5350 = (2.0856, 1.6529)", "wrong"),
    ],
)
def test_a_sum_of_values_may_be_divided_at_last(text: str, verdict: str) -> None:
    assert check_text(AT_ONCE, text, "md").findings[0].verdict == verdict


KEYS_DOWN = Problem.build(Q=[[1, 2], [2, 0]], K=[[1, 1], [0, 1], [2, 0]], V=[[1, 0], [0, 2], [2, 2]])
"""E = [8.342 4.113 4.113; 4.113 1 16.919], Z = 16.569, 22.032, A = [.503 .248 .248; .187 .045 .768]."""

EXPONENTIALS = ["8.342", "4.113"], ["4.113", "1.000"], ["4.113", "16.919"]
WEIGHTS = ["0.503", "0.187"], ["0.248", "0.045"], ["0.248", "0.768"]


@pytest.mark.parametrize("total", ["sum", "toplam", "Summe", "合计"])
@pytest.mark.parametrize("corner", ["exp", "e^", ""])
def test_labels_say_that_keys_stand_one_below_the_other(corner: str, total: str) -> None:
    lines = [[corner, "q1", "q2"], *([f"k{k}", *row] for k, row in enumerate(EXPONENTIALS, 1))]
    title = "" if corner else "Exponentials\n\n"
    text = title + "\n".join(map("\t".join, [*lines, [total, "16.569", "22.032"]]))
    report = check_text(KEYS_DOWN, text, "txt")
    assert {item.name for item in report.findings if item.verdict in {"rounded", "right"}} == {"E", "Z"}
    assert wrong(report) == []
    changed = check_text(KEYS_DOWN, text.replace("1.000", "1.100"), "txt")
    assert ["E[2,2] is 1.000" in item.explanation for item in changed.findings if item.verdict == "wrong"] == [True]


@pytest.mark.parametrize("corner", ["weights", "Gewichte", "A"])
def test_a_ruled_table_may_have_its_keys_one_below_the_other(corner: str) -> None:
    rows = [[f"k{k}", *row] for k, row in enumerate(WEIGHTS, 1)]
    lines = [[corner, "q1", "q2"], ["---"] * 3, *rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    assert wrong(check_text(KEYS_DOWN, table, "md")) == []
    assert wrong(check_text(KEYS_DOWN, table.replace("0.187", "0.178"), "md")) == ["A"]


def test_decimal_commas_with_three_places_each_are_told_by_all_numbers_of_a_table() -> None:
    lines = [["exp", "q1", "q2"], *([f"k{k}", *row] for k, row in enumerate(EXPONENTIALS, 1))]
    text = "\n".join(map("\t".join, lines)).replace(".", ",")
    assert wrong(check_text(KEYS_DOWN, text, "txt")) == []
    changed = check_text(KEYS_DOWN, text.replace("1,000", "1,100"), "txt")
    (found,) = [item for item in changed.findings if item.verdict == "wrong"]
    assert "E[2,2] is 1.000, not 1.100" in found.explanation


PROGRAM = """
S = Q @ K.T  # = [[3, 2, 2]]
S = S / np.sqrt(2)  # = [[2.121, 1.414, 1.414]]
A = softmax(S, axis=-1)  # = [[0.503, 0.248, 0.248]]
"""


@pytest.mark.parametrize(
    "text",
    [
        # What a formula makes of a name in between counts, and the heading does not take its other meanings away.
        PROGRAM,
        "scores[0][0] = 1*1 + 2*1 = 3.0\n\n# Scale by √d_k\n\nscaled_scores = scores / sqrt(2)",
    ],
)
def test_names_of_scores_that_numbers_give_stay_open_to_formulas(text: str) -> None:
    report = check_text(ONE, f"```python\n{text}\n```" if "@" in text else text, "md")
    assert wrong(report) == []
    assert {item.verdict for item in report.findings} >= {"right"}
