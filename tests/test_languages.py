"""Fixed texts of keys: every text is used, every placeholder has a value, and languages have the same texts."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import jinja2.nodes
import pytest

from symattn.api.result import Result
from symattn.api.solutions import solve
from symattn.api.submissions import check
from symattn.errors import InputError
from symattn.exact.rounding.quotients import TIES
from symattn.languages.catalogue import LANGUAGES, PLURAL, WEB_ONLY, Words, words_of
from symattn.problem.components.positions import KINDS
from symattn.problem.model import Problem
from symattn.problem.schema.fields import ACTIVATIONS, LOSSES
from symattn.problem.settings.parts import ASKS
from symattn.problem.settings.policy import STEPS
from symattn.problem.settings.score_steps import MADE
from symattn.rendering.latex.compilation import EngineName, compile_tex, engines
from symattn.rendering.latex.templates import _environment
from symattn.rendering.latex.typesetting import MARK
from tests import house
from tests.rendering.pages import Page
from tests.rendering.test_html import assert_reads_back
from tests.tex_logs import log_problems

FOLDER = house.ROOT / "symattn" / "languages"
NAMES = re.compile(r"(?<![A-Za-z}^_])\{([a-z_]+)\}|<([a-z_]+)>")
ANY = "[A-Za-z0-9_.-]*"
"""The pattern of a computed part of a key."""

ENGLISH = words_of("en")
SET = [language for language in LANGUAGES if language not in WEB_ONLY]
"""Languages that LaTeX has fonts for."""


def forms(text: object) -> list[str]:
    """The forms of a text: one, or those of a table."""
    return list(text.values()) if isinstance(text, dict) else [str(text)]


def names_in(text: str) -> set[str]:
    return {first or second for first, second in NAMES.findall(text)}


def wanted(key: str) -> set[str]:
    """The names of the values that a text needs."""
    text = ENGLISH.texts[key]
    return set().union(*map(names_in, forms(text))) | ({"count"} if isinstance(text, dict) else set())


def key_pattern(node: ast.AST) -> str:
    """The pattern of the keys that an expression can be; of none, where it names no table."""
    match node:
        case ast.Constant(str(text)):
            return re.escape(text)
        case ast.JoinedStr([ast.Constant(str(start)), *rest]) if "." in start:
            parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else ANY for part in rest)
            return re.escape(start) + "".join(parts)
        case ast.IfExp():
            return f"{key_pattern(node.body)}|{key_pattern(node.orelse)}"
        case _:
            return ""


@cache
def keys_of(pattern: str) -> tuple[str, ...]:
    return tuple(key for key in ENGLISH.texts if re.fullmatch(pattern, key))


@cache
def calls() -> list[tuple[str, set[str] | None, str]]:
    """Calls for a text: the pattern of its key, the names of the values (None if computed), and the place."""
    found = [*calls_in_templates()]
    for path, tree in house.trees().items():
        for node in ast.walk(tree):
            name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else name
            if name in {"say", "tell"} and isinstance(node, ast.Call) and len(node.args) > (name == "tell"):
                given = [keyword.arg for keyword in node.keywords]
                names = None if None in given else {str(item) for item in given}
                found.append((key_pattern(node.args[name == "tell"]), names, f"{path.name}:{node.lineno}"))
    return found


def calls_in_templates() -> Iterator[tuple[str, set[str] | None, str]]:
    for path in sorted((house.ROOT / "templates").glob("*.j2")):
        for call in _environment().parse(path.read_text("utf-8")).find_all(jinja2.nodes.Call):
            if isinstance(call.node, jinja2.nodes.Name) and call.node.name == "say":
                key = call.args[0]
                assert isinstance(key, jinja2.nodes.Const)
                yield re.escape(key.value), {item.key for item in call.kwargs}, path.name


@cache
def used() -> frozenset[str]:
    """Keys that a text in the code, or a template, names; a text with computed parts names all that fit it."""
    nodes = {
        key_pattern(node)
        for path, tree in house.trees().items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and "docs" not in path.parts
    }
    return frozenset(key for pattern in {*nodes, *(item[0] for item in calls())} for key in keys_of(pattern))


def test_every_text_is_used() -> None:
    assert sorted(ENGLISH.texts.keys() - used()) == []


def test_every_call_has_a_text_and_values_for_its_names() -> None:
    for pattern, names, place in calls():
        keys = keys_of(pattern)
        assert all(keys_of(one) or not one for one in pattern.split("|")), f"{place} wants a missing text: {pattern}"
        if names is not None and keys:
            lacking = {key: wanted(key) - names for key in keys if wanted(key) - names}
            assert not lacking, f"{place} gives no values for {lacking}"
            idle = names.difference(*map(wanted, keys))
            assert not idle, f"{place} gives values that no text takes: {idle}"


WORDS = {
    "block.activation.{}": ACTIVATIONS,
    "gradients.activation.{}": ACTIVATIONS,
    "losses.{}": ("given", *LOSSES),
    "score_steps.{}.title": MADE,
    "score_steps.{}.done": MADE,
    "rounding_steps.{}": STEPS,
    "policy.ties.{}": TIES,
    "positions.{}.says": tuple(KINDS),
    "parts.{}": ASKS,
}
"""Texts for what a problem file can name."""


@pytest.mark.parametrize("key", WORDS)
def test_texts_cover_the_schema(key: str) -> None:
    assert [word for word in WORDS[key] if key.format(word) not in ENGLISH.texts] == []


def test_the_languages_are_the_files() -> None:
    assert sorted(LANGUAGES) == sorted(path.stem for path in FOLDER.glob("*.toml"))


def differences(words: Words) -> Iterator[str]:
    """Texts of a language that are missing, too many, or differ from the English ones in names or forms."""
    yield from (f"{key}: missing" for key in ENGLISH.texts.keys() - words.texts.keys())
    yield from (f"{key}: not a text of the English file" for key in words.texts.keys() - ENGLISH.texts.keys())
    for key in ENGLISH.texts.keys() & words.texts.keys():
        own, english = words.texts[key], ENGLISH.texts[key]
        if isinstance(own, str) != isinstance(english, str) or (not isinstance(own, str) and own.keys() != PLURAL):
            yield f"{key}: not one text, or not the forms one and other, as in English"
            continue
        names = set().union(*map(names_in, forms(english)))
        found = set().union(*map(names_in, forms(own)))
        missing, unknown = names - found - {"count"}, found - names
        if missing or unknown:
            yield f"{key}: without {sorted(missing)}, unknown {sorted(unknown)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_all_texts_with_their_names(language: str) -> None:
    assert not list(differences(words_of(language)))


def test_faults_of_a_language_are_found() -> None:
    words = Words("en")
    words.__dict__["texts"] = {key: text for key, text in ENGLISH.texts.items() if key != "foot.exact"} | {
        "decimals": "{count} decimals",
        "outputs.two": "two",
        "document.step": "Step {nummer}.",
    }
    assert sorted(differences(words)) == [
        "decimals: not one text, or not the forms one and other, as in English",
        "document.step: without ['number'], unknown ['nummer']",
        "foot.exact: missing",
        "outputs.two: not a text of the English file",
    ]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="language"):
        Problem.build(Q=[[1]], K=[[1]], V=[[1]], language="xx")


def test_a_key_is_written_in_the_words_of_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words("en")
    own = {"softmax.step.rows": "Exponentiale", "pattern.every": "<claim>Zeile {number} auf alle,</claim>"}
    words.__dict__["texts"] = {**ENGLISH.texts, **own, "list.last": "{before} und {last}"}
    monkeypatch.setattr("symattn.problem.components.data.words_of", lambda _: words)
    result = solve(Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1], [0, 2]], V=[[1], [2], [3]]))
    tex = result.to_latex()
    assert "Exponentiale" in tex
    assert "Zeile 1 auf alle, % symattn: claim every 1" in tex
    assert all(finding.proved for finding in result.read_back(tex))
    assert words.listed([1, 2, 3]) == "1, 2 und 3"


EXAMPLES = ("causal_two_heads", "ps4_self_attention", "encoder_block", "causal_backward")


@cache
def key(language: str, name: str) -> tuple[Result, str]:
    problem = replace(Problem.load(house.ROOT / "examples" / f"{name}.toml"), language=language)
    result = solve(problem)
    return result, result.to_latex()


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", SET[1:])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_key_in_each_language_is_read_back(language: str, name: str) -> None:
    """Strictly, and by `check` without its comments, which finds as much in it as in the English one."""
    result, tex = key(language, name)
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    bare = re.sub(f"{MARK}.*", "", tex)
    found = Counter(finding.verdict for finding in check(result.problem, bare, "tex").findings)
    assert set(found) <= {"right", "rounded", "carried", "coarse", "unchecked"}
    english, source = key("en", name)
    wanted = Counter(finding.verdict for finding in check(english.problem, source, "tex").findings)
    judged = sum(found.values()) - found["unchecked"]
    assert judged >= 0.95 * (sum(wanted.values()) - wanted["unchecked"])


@pytest.mark.sample(1)
@pytest.mark.tex
@pytest.mark.parametrize("engine", [engine.name for engine in engines()])
@pytest.mark.parametrize("language", SET[1:])
def test_a_key_in_each_language_compiles(language: str, engine: EngineName) -> None:
    for name in EXAMPLES[:2]:
        assert log_problems(compile_tex(key(language, name)[1], engine=engine).log) == []


@pytest.mark.parametrize("language", SET)
def test_a_sheet_in_each_language_asks_in_its_words(language: str) -> None:
    tables = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]], "parts": [{"asks": "map", "tokens": [1]}]}
    tex = solve(Problem.build(**tables, language=language)).to_latex("sheet")
    assert words_of(language).say("questions.things.map") in tex
    assert words_of(language).say("decimals", count=4) in tex


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_in_a_language_without_fonts_is_read_back(name: str) -> None:
    """Every statement stands on it once and is proved from its MathML; the words are of the language alone."""
    problem = replace(
        Problem.load(house.ROOT / "examples" / f"{name}.toml"), language="zh", title="", text="", parts=()
    )
    result = solve(problem)
    source = result.to_html()
    assert_reads_back(result, Page(source))
    assert source.startswith('<!DOCTYPE html>\n<html lang="zh">')
    plain = re.sub(r"<style>.*?</style>|<math.*?</math>|<[^>]+>", " ", source, flags=re.DOTALL)
    assert set(re.findall(r"[A-Za-z]{4,}", plain)) <= {"token", "softmax", "tanh", "ReLU", "GELU"}


@pytest.mark.parametrize("language", sorted(WEB_ONLY))
def test_latex_in_a_language_without_fonts_is_refused(language: str) -> None:
    result = solve(Problem.build(Q=[[1]], K=[[1]], V=[[1]], language=language, title="注意力"))
    with pytest.raises(InputError, match=r"write it with -o key\.html"):
        result.to_latex()
    assert [item for item in result.warnings if item.code == "text-glyph"] == []
