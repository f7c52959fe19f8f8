"""Words of languages stand in the lexicon: patterns elsewhere have those of programs and TeX, and few others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from symattn.notation.lexicon.reader import said

PACKAGE = Path("symattn")
ALLOWED = Path("tests/data/pattern_words.yaml")
COMPILED = {"compile", "search", "match", "sub", "findall", "fullmatch", "finditer", "split", "pattern"}

NO_WORDS = re.compile(
    r"\(\?P[<=]\w+[>)]|\\u[0-9a-fA-F]{4}|\\\\[A-Za-z]+|\\[A-Za-z]|\[[^\]]*\]|\\\\\(\?:[^()]*\)|\.[A-Za-z_]+|[A-Za-z_]+\\?[.(]"
)
"""Names of groups, escapes, commands of TeX, sets of characters, and names that a program calls."""


def texts_of_patterns(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in COMPILED):
            continue
        module = node.func.value
        if isinstance(module, ast.Name) and module.id in {"late", "re"}:
            inside = ast.walk(node.args[0])
            yield from (part.value for part in inside if isinstance(part, ast.Constant) and isinstance(part.value, str))


def words_in(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]{3,}", NO_WORDS.sub(" ", text))
    return {word.lower() for word in words if any(item.end - item.start == len(word) for item in said(word))}


def test_words_in_patterns_are_those_that_are_known() -> None:
    found: dict[str, list[str]] = {}
    for folder in ("checking", "notation"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            if file.parent.name != "lexicon":
                words = {word for text in texts_of_patterns(file) for word in words_in(text)}
                found |= {file.relative_to(PACKAGE).as_posix(): sorted(words)} if words else {}
    assert found == yaml.safe_load(ALLOWED.read_text("utf-8")), "put words into symattn/notation/lexicon"


def test_a_word_in_a_pattern_is_seen() -> None:
    assert words_in(r"(?:the\s+)?(?P<row>row|Zeile) [0-9]+") == {"the", "row", "zeile"}
    assert words_in(r"\\text\{[a-z]+\}|np\.round\(|(?P<token>\w+)") == set()
