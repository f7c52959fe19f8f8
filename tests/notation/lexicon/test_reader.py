"""What the lexicon reads out of words: quantities, lines, parts, states, and where they stand."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from symattn.data_files import read_table
from symattn.notation.lexicon.lines import lines_said
from symattn.notation.lexicon.reader import MOST, parts_said, said
from symattn.notation.lexicon.vocabulary import (
    ROLES,
    SCRIPTS,
    Meaning,
    Vocabulary,
    alternatives,
    fold,
    names,
    tokens,
    unmarked,
)


def likeliest(text: str) -> list[str]:
    return [item.name for item in said(text) if item.kind == "quantity" and item.rank == 0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Attention weights", ["A"]),
        ("attn_weights = F.softmax(scores, dim=-1)", ["A", "S"]),
        ("combined values, values", ["O", "V"]),
        ("weighted sum of the values", ["O"]),
        ("Scores (scaled)", ["S_scaled"]),
        ("the scores divided by √2", ["S_scaled"]),
        ("unscaled scores", ["S"]),
        ("masked scores before scaling", ["S_masked"]),
        ("Scaled dot-product attention", []),
        ("row sums", ["Z"]),
        ("They add up to 2.5", ["Z"]),
        ("row maximum, shifted scores, exponentials", ["m", "shifted", "E"]),
        ("The gradient of the queries", ["dQ"]),
        ("context vector", ["O"]),
        ("q_proj, k_proj, v_proj, out_proj", ["Q", "K", "V", "W_O"]),
        ("query weight matrix", ["W_Q"]),
        ("It is a cat", []),
    ],
)
def test_quantities(text: str, names: list[str]) -> None:
    assert likeliest(text) == names


def test_further_meanings_have_ranks() -> None:
    assert [(item.name, item.rank) for item in said("scores")][:3] == [
        ("S", 0), ("S_scaled", 1), ("S_masked", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the second token", [("token", 2, True)]),
        ("Row 1", [("row", 1, False)]),
        ("row number 3", [("row", 3, False)]),
        ("rows 1 and 2 of A", [("row", 1, False), ("row", 2, False)]),
        ("token two", [("token", 2, False)]),
        ("x_2", [("input", 2, False)]),
        ("$q_{3}$", [("query", 3, False)]),
        ("the last word", [("token", -1, True)]),
        ("the 2nd row", [("row", 2, True)]),
        ("row 0.5", []),
        ("the first score", []),
        ("two tokens", []),
    ],
)
def test_lines(text: str, lines: list[tuple[str, int, bool]]) -> None:
    assert [(item.name, item.number, item.is_ordinal) for item in lines_said(text)] == lines


@pytest.mark.parametrize(
    ("text", "number"), [("Head two", 2), ("the second head", 2), ("head_1", 1), ("both heads", None)]
)
def test_heads(text: str, number: int | None) -> None:
    assert parts_said(text, "head") == ([] if number is None else [number])


def test_spans_are_of_the_text_that_was_given() -> None:
    text = "…  The ATTENTION\u00a0weights of the 2nd token"
    assert [text[item.start : item.end] for item in said(text) if item.kind in {"quantity", "line"}] == [
        "ATTENTION\u00a0weights", "2nd token",
    ]  # fmt: skip


SHEETS = {"", "block", "gradient", "head", "online", "target"}


def faults(table: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the table of a language: unknown names, and words that stand twice."""
    known = {name for role in ("quantities", "gradients", "heads", "inputs", "online") for name in names()[role]}
    seen: set[tuple[str, str, int, str]] = set()
    for role, meanings in table.items():
        if role not in ROLES and isinstance(meanings, dict):
            yield f"unknown table {role}"
        for name, words in meanings.items() if isinstance(meanings, dict) else ():
            if role == "quantity" and name not in known:
                yield f"unknown quantity {name}"
            for pattern, rank, when in map(unmarked, words):
                if when not in SHEETS:
                    yield f"unknown sheet @{when}"
                for word in alternatives(pattern):
                    if (role, fold(word), rank, when) in seen:
                        yield f"{word!r} stands twice at rank {rank}"
                    seen.add((role, fold(word), rank, when))


@pytest.mark.parametrize("file", [file for files in SCRIPTS.values() for file in files])
def test_tables_have_known_names_and_each_word_once(file: str) -> None:
    assert [*faults(read_table("symattn.notation.lexicon", file))] == []


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"quantity": {"WW": ["weights"]}}, "unknown quantity WW"),
        ({"quantities": {"A": ["weights"]}}, "unknown table quantities"),
        ({"quantity": {"S": ["scores"], "S_scaled": ["scores"]}}, "'scores' stands twice at rank 0"),
        ({"quantity": {"S": ["[raw] scores", "raw scores"]}}, "'raw scores' stands twice at rank 0"),
        ({"quantity": {"O": ["Y @sometimes"]}}, "unknown sheet @sometimes"),
        ({"quantity": {"S": ["scores"], "S_scaled": ["scores #1"]}}, None),
    ],
)
def test_faults_of_tables_are_found(table: dict[str, Any], fault: str | None) -> None:
    assert [*faults(table)] == ([] if fault is None else [fault])


@pytest.mark.parametrize(("script", "file"), [(script, file) for script, files in SCRIPTS.items() for file in files])
def test_every_word_of_a_table_is_read_by_itself(script: str, file: str) -> None:
    table, language = read_table("symattn.notation.lexicon", file), file.removesuffix(".toml")
    own = Vocabulary(script)
    for role in ROLES & table.keys():
        for name, words in table[role].items():
            for pattern, rank, when in map(unmarked, words):
                for word in alternatives(pattern):
                    meaning = Meaning(role, name, rank, when, language)
                    assert meaning in meanings_of(own, word), (word, meaning)


def meanings_of(words: Vocabulary, word: str) -> list[Meaning]:
    """Return the meanings of a word that stands alone, of each stem without an ending."""
    found = tokens(word.strip("|"))
    branches = [words.opened(found[0].text)]
    for token in found:
        below = [branch.words.get(token.text) for branch in branches]
        stems = [stem for branch in branches for stem in branch.stems.get(token.text, {}).values()]
        branches = [*(branch for branch in below if branch is not None), *stems]
    return [meaning for branch in branches for ending in branch.meanings.values() for meaning in ending]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("第二个词的输出", ["token", "O"]),
        ("第二行的注意力權重", ["row", "A"]),
        ("トークン2の出力", ["token", "O"]),
        ("2番目のトークンの重み", ["token", "A"]),
        ("두 번째 토큰의 가중치", ["token", "A"]),
        ("Выход для токена 2 равен", ["O", "token"]),
        ("Ausgabe der zweiten Zeile", ["O", "row"]),
        ("Les poids d’attention du deuxième mot", ["A", "token"]),
        ("La salida de la segunda palabra", ["O", "token"]),
        ("I punteggi scalati della seconda riga", ["S_scaled", "row"]),
        ("Pontuações da segunda linha", ["S", "row"]),
        ("İkinci satırın çıktısı", ["row", "O"]),
        ("2'nci satırın dikkat ağırlıkları", ["row", "A"]),
        ("der 2. Zeile des Nenners", ["row", "Z"]),
    ],
)
def test_languages(text: str, names: list[str]) -> None:
    found = [item for item in said(text) if item.kind in {"line", "quantity"} and item.rank == 0]
    assert [item.name for item in found] == names
    assert [item.number for item in found if item.kind == "line"] == [2]


@pytest.mark.parametrize(
    "text", ["第2头", "ヘッド2", "헤드 2", "голова 2", "Kopf 2", "deuxième tête", "Cabeza 2", "ikinci baş"]
)
def test_heads_in_languages(text: str) -> None:
    assert parts_said(text, "head") == [2]


def test_a_number_before_a_point_that_begins_an_item_of_a_list_counts_nothing() -> None:
    assert not lines_said("2. Zeile")


KNOWN = tomllib.loads((Path(__file__).parents[2] / "data" / "lexicon_words.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("meaning", KNOWN)
def test_known_words_keep_their_meaning(meaning: str) -> None:
    kind, _, name = meaning.rpartition(" ")
    lost = [word for word in KNOWN[meaning] if not _means(word, kind or "quantity", name)]
    assert not lost


def _means(word: str, kind: str, name: str) -> bool:
    if name == "counted":
        return any(item.kind == "line" and item.number == 3 for item in said(f"{word} 3"))
    if kind == "ordinal":
        beside = [item for noun in ("token", "トークン", "토큰") for item in said(f"{word} {noun}")]
        return any(item.kind == "line" and item.number == int(name) and item.is_ordinal for item in beside)
    if kind == "cardinal":
        return any(item.number == int(name) for item in said(f"token {word}"))
    text = f"{word} 1" if kind == "line" else f"{word} Gewichte" if kind == "relation" else word
    return any((item.kind, item.name) == (kind, name) and item.end >= len(word) for item in said(text))


@pytest.mark.parametrize(
    "words", ["scores, then scaled, ", "token 2 and ", "gradient of ", "第", "row sum of the ", "a "]
)
def test_long_texts_are_read_in_time_that_grows_with_them(words: str) -> None:
    text = words * (2 * MOST // len(words))
    start = process_time()
    said(text)
    assert process_time() - start < 5
    assert max((item.end for item in said(text)), default=0) <= MOST
