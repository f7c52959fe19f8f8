"""Numbers without a name beside them: printed arrays, tables, rows with labels, words that lead to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import symattn as sa
from symattn.checking.check import check_text

if TYPE_CHECKING:
    from symattn.checking.report import Finding
    from symattn.notation.documents.reader import Format

HOLD = {"right", "rounded", "carried"}
TWO: dict[str, Any] = {"inputs": {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}}
"""S = [1 0; 1 2], A = [0.6698 0.3302; 0.3302 0.6698], O = [0.6698 1.3210; 0.3302 2.6790]."""

ONE: dict[str, Any] = {
    "inputs": {"Q": [[1, 2, 0]], "K": [[1, 0, 1], [0, 1, 0], [1, 1, 1]], "V": [[2, 0], [0, 4], [1, 1]]}
}
"""S = [1 2 3]; the exponentials of S/√3 are 1.78, 3.17, 5.65, and their sum is 10.61."""

DEFINED: dict[str, Any] = {
    "definitions": {"S": "Q K^T / sqrt(2)", "B": "softmax(S)", "Y": "B V"},
    "inputs": TWO["inputs"],
}
TEMPERATURE: dict[str, Any] = {
    "definitions": {"ZT": "z / 2", "A": "softmax(ZT)"},
    "inputs": {"z": [[2, 1, 0]]},
}


def judged(tables: dict[str, Any], text: str, form: Format) -> tuple[Finding, ...]:
    return check_text(problem_of(tables), text, form).findings


def problem_of(tables: dict[str, Any]) -> sa.Problem:
    return sa.Problem.from_text(json.dumps(tables), "json")


WORKS: dict[str, tuple[dict[str, Any], Format, list[str], str, str, str]] = {
    "a line above": (
        TWO,
        "txt",
        ["logits = Q K^T / sqrt(d_k) =", "", "    [[0.707, 0.000],", "     [0.707, ?]]"],
        "1.414",
        "1.514",
        "S_scaled",
    ),
    "a printed name": (TWO, "txt", ["scores = Q @ K.T", "print(scores)", "[[1 0]", " [1 ?]]"], "2", "3", "S"),
    "a formula above": (TWO, "txt", ["Q * K^T", "", "    |  1   0 |", "    |  1   ? |"], "2", "3", "S"),
    "a function above": (
        TWO,
        "txt",
        ["softmax (each row)", "", "    | 0.67 0.33 |", "    | 0.33 ? |"],
        "0.67",
        "0.76",
        "A",
    ),
    "remarks below": (
        TWO,
        "md",
        ["```python", "scores = Q @ K.T", "# [[1, 0], [1, ?]]", "w = softmax(scores)", "```"],
        "2",
        "3",
        "S",
    ),
    "remarks behind": (
        TWO,
        "md",
        ["```python", "import numpy as np", "scores = Q @ K.T  # [[1, 0], [1, ?]]", "```"],
        "2",
        "3",
        "S",
    ),
    "a batch of one": (
        TWO,
        "txt",
        ["attn", "tensor([[[0.6698, 0.3302],", "         [0.3302, ?]]])"],
        "0.6698",
        "0.6798",
        "A",
    ),
    "tensorflow": (
        TWO,
        "txt",
        ["Attention weights are:", "tf.Tensor([[0.6698 0.3302]", " [0.3302 ?]], shape=(2, 2), dtype=float32)"],
        "0.6698",
        "0.7698",
        "A",
    ),
    "R": (
        TWO,
        "txt",
        ["> attn", "          [,1]      [,2]", "[1,]    0.6698    0.3302", "[2,]    ?    0.6698"],
        "0.3302",
        "0.4302",
        "A",
    ),
    "the language R": (
        TWO,
        "txt",
        ["> S <- Q %*% t(K)", "> S", "     [,1] [,2]", "[1,]    1    0", "[2,]    1    ?"],
        "2",
        "3",
        "S",
    ),
    "steps of a token": (
        TWO,
        "txt",
        ["Token 1 scores: [1, 0] -> scaled [0.71, 0.00] -> softmax [0.67, 0.33] -> output [0.67, ?]"],
        "1.32",
        "1.92",
        "O[1,:]",
    ),
    "columns with a corner": (
        TWO,
        "txt",
        ["Softmax", "", "token  k1    k2", "I      0.670 0.330", "tea    0.330 ?"],
        "0.670",
        "0.760",
        "A",
    ),
    "a formula in words above": (
        TWO,
        "txt",
        ["probs = softmax(Q K^T / sqrt(2))", "attended = probs V", "", "    [[0.670, 1.321],", "     [0.330, ?]]"],
        "2.679",
        "2.976",
        "O",
    ),
    "labelled rows": (
        TWO,
        "md",
        ["**Attention weights**", "", "- The: [0.67, 0.33]", "- cat: [?, 0.67]"],
        "0.33",
        "0.43",
        "A[2,:]",
    ),
    "numbered rows": (
        TWO,
        "md",
        ["## Softmax", "", "Row 1: $[0.67, 0.33]$", "", "Row 2: $[?, 0.67]$"],
        "0.33",
        "0.43",
        "A[2,:]",
    ),
    "a table under words": (
        TWO,
        "md",
        ["2. Scale by 1/√2", "", "| | k1 | k2 |", "|---|---|---|", "| q1 | 0.71 | 0.00 |", "| q2 | 0.71 | ? |"],
        "1.41",
        "1.45",
        "S_scaled",
    ),
    "a table alone": (
        TWO,
        "md",
        ["| | k1 | k2 |", "|---|---|---|", "| q1 | 0.71 | 0.00 |", "| q2 | 0.71 | ? |"],
        "1.41",
        "1.45",
        "S_scaled",
    ),
    "rows of steps": (
        TWO,
        "md",
        [
            "| Score | q1 • k1 = 1 | q1 • k2 = 0 |",
            "|---|---|---|",
            "| Divide by √2 | 0.71 | 0.00 |",
            "| Softmax | ? | 0.33 |",
        ],
        "0.67",
        "0.77",
        "A[1,:]",
    ),
    "commas": (TWO, "txt", ["Attention weights,,", ",k1,k2", "q1,0.67,0.33", "q2,?,0.67"], "0.33", "0.43", "A"),
    "a data frame": (
        TWO,
        "txt",
        ["Attention weights", "          0         1", "0  0.669762  0.330238", "1  ?  0.669762"],
        "0.330238",
        "0.430238",
        "A",
    ),
    "HTML": (
        TWO,
        "md",
        [
            "The attention weights:",
            "",
            "<table><tr><th></th><th>k1</th><th>k2</th></tr>",
            "<tr><td>q1</td><td>0.67</td><td>0.33</td></tr>",
            "<tr><td>q2</td><td>?</td><td>0.67</td></tr></table>",
        ],
        "0.33",
        "0.43",
        "A",
    ),
    "digits behind a letter": (TWO, "txt", ["α11 = 0.67, α12 = 0.33", "α21 = ?"], "0.33", "0.43", "A[2,1]"),
    "a function of two lines": (TWO, "txt", ["score(q2, k2) = [0, 1] · [0, 2] = ?"], "2", "3", "S[2,2]"),
    "attention of all": (
        TWO,
        "md",
        ["$$\\text{Attention}(Q, K, V) = \\begin{bmatrix} 0.67 & 1.32 \\\\ 0.33 & ? \\end{bmatrix}$$"],
        "2.68",
        "2.88",
        "O",
    ),
    "energies": (
        TWO,
        "md",
        ["$e = \\begin{pmatrix} 0.71 & 0 \\\\ 0.71 & ? \\end{pmatrix}$"],
        "1.41",
        "1.51",
        "S_scaled",
    ),
    "words of programs": (TWO, "txt", ["context_vec -> [[0.67, 1.32], [0.33, ?]]"], "2.68", "2.88", "O"),
    "German": (
        TWO,
        "md",
        ["Gewichte:", "", "$$\\begin{pmatrix} 0.67 & 0.33 \\\\ 0.33 & ? \\end{pmatrix}$$"],
        "0.67",
        "0.76",
        "A",
    ),
    "a sum in words": (
        ONE,
        "md",
        ["The exponentials are $1.78$, $3.17$, $5.65$ and their sum is $?$."],
        "10.60",
        "8.82",
        "Z",
    ),
    "lists in words": (
        ONE,
        "txt",
        ["Divide by sqrt(3): 0.58, 1.15, 1.73", "", "softmax: 0.17, 0.30, ?"],
        "0.53",
        "0.35",
        "A",
    ),
    "one query": (ONE, "md", ["Let $q = (1, 2, 0)^\\top$. Then $k_1^\\top q = ?$."], "1", "2", "S[1,1]"),
    "definitions": (DEFINED, "txt", ["weights = [[0.670, 0.330], [?, 0.670]]"], "0.330", "0.430", "B"),
    "a chosen letter": (TEMPERATURE, "txt", ["T = 2", "z / T = [1.00, ?, 0.00]"], "0.50", "2.00", "ZT"),
}


@pytest.mark.parametrize("case", WORKS)
def test_numbers_are_judged_where_words_say_what_they_are(case: str) -> None:
    tables, form, lines, good, bad, name = WORKS[case]
    text = "\n".join(lines)
    right = judged(tables, text.replace("?", good), form)
    assert {item.verdict for item in right} <= {*HOLD, "unchecked"}
    assert name in {item.name for item in right if item.verdict in HOLD}
    wrong = judged(tables, text.replace("?", bad), form)
    assert [item.name for item in wrong if item.verdict == "wrong"] == [name]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (
            "md",
            "## Softmax\n\nThe exponentials first:\n\n$$\\begin{pmatrix} 2.03 & 1 \\\\ 2.03 & 4.11 \\end{pmatrix}$$",
        ),
        ("md", "The weight matrices of the layer:\n\n$$\\begin{pmatrix} 1 & 0 \\\\ 5 & 1 \\end{pmatrix}$$"),
        ("md", "After dropout the weights are:\n\n[[0.00, 0.66], [0.66, 0.00]]"),
        ("txt", "encoder_output = [[5, 6], [7, 8]]"),
        ("txt", "losses of the attention output: [[3.1, 2.2], [1.9, 0.4]]"),
        ("md", "| word | count |\n|---|---|\n| cat | 3 |\n| dog | 5 |"),
        ("md", "| | recall | precision |\n|---|---|---|\n| ours | 0.61 | 0.70 |\n| theirs | 0.52 | 0.33 |"),
        ("txt", "See [1, 2] for the softmax, and #[3, 4] for more."),
        ("txt", "W = torch.rand(2, 2)\nprint(W)\n[[0.1 0.2]\n [0.3 0.4]]"),
        ("txt", "d_model = 512, T = 10\n\nscores: see below"),
        ("txt", "time  mean  best\nours  0.31  0.20\nbase  0.55  0.44"),
        ("md", "The keys, transposed:\n\n$$\\begin{pmatrix} 1 & 0 \\\\ 1 & 2 \\end{pmatrix}$$"),
        ("txt", "scores.shape: (2, 2)\nShape of the output: [2, 2]"),
        ("md", "There are $2$ keys, and the scores of $3$ more are not needed."),
    ],
)
def test_what_is_about_something_else_is_not_held_against_anybody(form: Format, text: str) -> None:
    assert "wrong" not in {item.verdict for item in judged(TWO, text, form)}


def test_the_first_mistake_is_where_the_list_stands_that_has_it() -> None:
    last = "out = 0.17*[2, 0] + 0.30*[0, 4] + 0.35*[1, 1]"
    text = f"Divide by sqrt(3): 0.58, 1.15, 1.73\n\nsoftmax: 0.17, 0.30, 0.35\n\n{last}"
    report = check_text(problem_of(ONE), text, "txt")
    assert report.first is not None
    assert report.first.place.line == 3


@pytest.mark.parametrize(
    ("title", "rows", "name"),
    [
        ("Mask", "[[0, -inf], [0, 0]]", "M"),
        ("After the mask", "[[0.71, -inf], [0.71, 1.41]]", "S_masked"),
        ("Scores before masking", "[[1, 0], [1, 2]]", "S"),
        ("Scaled", "[[0.71, 0], [0.71, 1.41]]", "S_scaled"),
        ("Softmax", "[[1, 0], [0.33, 0.67]]", "A"),
    ],
)
def test_titles_of_a_masked_layer(title: str, rows: str, name: str) -> None:
    found = judged({"mask": "causal", **TWO}, f"{title}:\n\n{rows}", "md")
    assert [(item.name, item.verdict in HOLD) for item in found if item.verdict != "unchecked"] == [(name, True)]
