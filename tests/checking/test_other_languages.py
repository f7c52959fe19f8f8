"""Words for the quantities in other languages: before numbers, in headings, in tables, in formulas and in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

TABLES: dict[str, Any] = {
    "inputs": {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 1], [0, 2]], "W_V": [[1, 0], [0, 4]]}
}
"""S = [1 0; 1 2], scaled [0.71 0; 0.71 1.41], A = [0.6698 0.3302; 0.3302 0.6698], O = [0.67 1.32; 0.33 2.68]."""

WORDS: dict[str, tuple[str, str, str, str, str]] = {
    "zh": ("第 1 个词", "得分", "缩放后", "注意力权重", "输出"),
    "zh-tw": ("第一個詞", "分數", "縮放後", "注意力權重", "輸出"),
    "ja": ("トークン1", "スコア", "スケーリング後", "アテンション重み", "出力"),
    "ko": ("첫 번째 토큰", "점수", "스케일링", "어텐션 가중치", "출력"),
    "ru": ("Токен 1", "Оценки", "Масштабированные оценки", "Веса внимания", "Выход"),
    "de": ("Erstes Token", "Skalarprodukte", "Skaliert", "Aufmerksamkeitsgewichte", "Ausgabe"),
    "fr": ("Premier mot", "Scores", "Mis à l'échelle", "Poids d'attention", "Sortie"),
    "es": ("Primer token", "Puntuaciones", "Escaladas", "Pesos de atención", "Salida"),
    "it": ("Prima parola", "Prodotti scalari", "Punteggi scalati", "Pesi di attenzione", "Uscita"),
    "pt": ("Primeira palavra", "Pontuações", "Escalonadas", "Pesos de atenção", "Saída"),
    "tr": ("Birinci kelime", "Skorlar", "Ölçeklenmiş skorlar", "Dikkat ağırlıkları", "Çıktı"),
}
NAMES = ["S[1,:]", "S_scaled[1,:]", "A[1,:]", "O[1,:]"]
RIGHT = ["[1, 0]", "[0.71, 0]", "[0.67, 0.33]", "[0.67, 1.32]"]


def found(text: str, form: Any = "md") -> list[tuple[str | None, str]]:
    report = check_text(Problem.build(**TABLES), text + "\n", form)
    return [(finding.name, finding.verdict) for finding in report.findings if finding.verdict != "unchecked"]


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("colon", [": ", "："])
def test_words_before_numbers(language: str, colon: str) -> None:
    title, *words = WORDS[language]
    lines = [f"{word}{colon}{row}" for word, row in zip(words, RIGHT, strict=True)]
    judged = found("\n\n".join([f"## {title}", *lines]))
    assert [name for name, _ in judged] == NAMES
    assert all(word in {"right", "rounded"} for _, word in judged)


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("place", [2, 3])
def test_a_wrong_number_behind_them_is_found(language: str, place: int) -> None:
    title, *words = WORDS[language]
    rows = [row if k != place else row.replace("3", "4") for k, row in enumerate(RIGHT)]
    lines = [f"**{word}:** {row}" for word, row in zip(words, rows, strict=True)]
    judged = dict(found("\n\n".join([f"## {title}", *lines])))
    assert [name for name, word in judged.items() if word == "wrong"] == [NAMES[place]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第二个词的输出：[0.33, 2.78]", [("O[2,:]", "wrong")]),
        ("トークン2の出力：[0.33, 2.68]", [("O[2,:]", "rounded")]),
        ("토큰 2의 출력: [0.33, 2.78]", [("O[2,:]", "wrong")]),
        ("Die Ausgabe für Token 2 ist (0.33, 2.78).", [("O[2,:]", "wrong")]),
        ("La sortie pour le token 2 est (0.33, 2.68).", [("O[2,:]", "rounded")]),
        ("La salida para el token 2 es (0.33, 2.78).", [("O[2,:]", "wrong")]),
        ("Выход для токена 2 равен (0.33, 2.68).", [("O[2,:]", "rounded")]),
        ("对于“我”，得分为 [1, 0]，权重为 [0.67, 0.43]。", [("S[1,:]", "right"), ("A[1,:]", "wrong")]),
        ("$\\text{注意力权重} = \\begin{pmatrix} 0.67 & 0.33 \\\\ 0.33 & 0.77 \\end{pmatrix}$", [("A", "wrong")]),
        ("s11 = 1 und s12 = 0, k1 = (1, 1) und k2 = (0, 2)",
         [("S[1,1]", "right"), ("S[1,2]", "right"), ("K[1,:]", "right"), ("K[2,:]", "right")]),
        ("s11 = 1 et s12 = 3", [("S[1,1]", "right"), ("S[1,2]", "wrong")]),
        ("q1·k1 = 1，q1·k2 = 0；q2·k1 = 1，q2·k2 = 3。",
         [("S[1,1]", "right"), ("S[1,2]", "right"), ("S[2,1]", "right"), ("S[2,2]", "wrong")]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("head", "row", "names"),
    [
        ("| 键 | 得分 | 缩放 | 指数 | 注意力权重 |", "| k{} | {} | {} | {} | {} |", "zh"),
        ("| キー | スコア | スケーリング | 指数 | 重み |", "| k{} | {} | {} | {} | {} |", "ja"),
        ("| Schlüssel | Skalarprodukt | skaliert | exp | Gewicht |", "| k{} | {} | {} | {} | {} |", "de"),
    ],
)
def test_headers_of_tables(head: str, row: str, names: str) -> None:
    rows = [row.format(1, 1, "0.71", "2.03", "0.67"), row.format(2, 0, 0, 1, "0.43")]
    judged = found("\n".join(["## Token 1", "", head, "|---|---|---|---|---|", *rows]))
    expected = [("S[1,:]", "right"), ("S_scaled[1,:]", "rounded"), ("E[1,:]", "rounded"), ("A[1,:]", "wrong")]
    assert judged == expected, names


@pytest.mark.parametrize("word", ["词", "トークン", "토큰 ", "токен ", "mot ", "Wort ", "palabra "])
def test_labels_of_tables_of_all_tokens(word: str) -> None:
    table = f"|  | {word}1 | {word}2 |\n|---|---|---|\n| {word}1 | 0.67 | 0.33 |\n| {word}2 | 0.43 | 0.67 |"
    assert found(f"## Attention weights\n\n{table}") == [("A", "wrong")]


def test_words_that_no_one_knows_are_prose() -> None:
    text = "I의 hidden state: 2\n\n예시 2: z = [10, 9]\n\n总结：这一步 O(n^2)。\n\n平均值是 3.5，最大值为 7"
    report = check_text(Problem.build(**TABLES), text, "md")
    assert {finding.verdict for finding in report.findings} == {"unchecked"}


def test_decimal_commas_between_semicolons() -> None:
    text = "Gewichte für Token 1: [0,67; 0,33]\n\nAusgabe für Token 1: 0,67·[1, 0] + 0,33·[0, 4] = [0,67; 1,42]"
    assert found(text)[0] == ("A[1,:]", "rounded")
    assert [word for _, word in found(text)] == ["rounded", "right", "wrong"]


LISTS = Problem.build(Q=[[1, 2], [0, 1]], K=[[1, 0], [1, 1]], V=[[1, 2], [3, 4]], scale="1/2")
"""S = [1 3; 0 1], A = [0.27 0.73; 0.38 0.62]."""


@pytest.mark.parametrize(
    "line",
    [
        "A_1 = 0,27 ; 0,73",
        "A_1 = 0,27 et 0,73",
        "A_1 = (0,27 , 0,73)",
        "A_1 = [0,27 ; 0,73]",
        "Les poids du token 1 : 0,27 ; 0,73",
        "Les poids du token 1 : 0,27 et 0,73",
        "Die Gewichte von Token 1: 0,27 und 0,73.",
        "A = [[0,27 ; 0,73] ; [0,38 ; 0,62]]",
        "A = [[0,27, 0,73], [0,38, 0,62]]",
        "A = [0,27 0,73 ; 0,38 0,62]",
        "A_1 = 0.27 and 0.73",
        "The weights of token 1: 0.27 and 0.73.",
        "S_1 = 1 and 3",
        "S_11 and S_12 = 1 and 3",
    ],
)
def test_lists_with_decimal_commas_and_words(line: str) -> None:
    (found,) = check_text(LISTS, line, "md").findings
    assert found.verdict in {"right", "rounded"}, found.explanation
    assert found.text == line.rstrip(".")


@pytest.mark.parametrize("line", ["S = [1,3; 0,1]", "S = [[1,3],[0,1]]", "S_1 = (1,3)"])
def test_items_side_by_side_are_no_decimals_in_a_work_that_has_them(line: str) -> None:
    first, second = check_text(LISTS, f"{line}\n\nA_11 = 0,27", "md").findings
    assert (first.verdict, second.verdict) == ("right", "rounded")


@pytest.mark.parametrize("line", ["A_1 = 0,28 ; 0,72", "A_1 = 0,27 et 0,72", "A = [0,27 0,73 ; 0,38 0,26]"])
def test_a_wrong_number_in_such_a_list_is_found(line: str) -> None:
    (found,) = check_text(LISTS, line, "md").findings
    assert found.verdict == "wrong"
