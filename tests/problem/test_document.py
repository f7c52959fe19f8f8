"""Bytes to tables: limits, lines, numerals as typed."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from symattn.errors import InputError
from symattn.problem.text.document import Numeral, parse, read_file

if TYPE_CHECKING:
    from pathlib import Path

LONG = "1" * 5000


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("a = 0.10", "toml", Numeral("0.10")),
        ("a = 1e999999999", "toml", Numeral("1e999999999")),
        ("a = nan", "toml", Numeral("nan")),
        ("a = -inf", "toml", Numeral("-inf")),
        ("a = 1_000.5", "toml", Numeral("1_000.5")),
        ('{"a": 0.10}', "json", Numeral("0.10")),
        ('{"a": 1e999999999}', "json", Numeral("1e999999999")),
        ('{"a": NaN}', "json", Numeral("NaN")),
        ('{"a": -Infinity}', "json", Numeral("-Infinity")),
        ('\ufeff{"a": 7}', "json", 7),
    ],
)
def test_numerals_stay_as_typed(text: str, form: str, value: object) -> None:
    assert parse(text, form, "x") == {"a": value}


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ('{"a": 1}', "x.json", {"a": 1}),
        ('\n {"a": 1}', "<stdin>", {"a": 1}),
        ("a = 1", "<stdin>", {"a": 1}),
        ("a = 1", "x.problem", {"a": 1}),
    ],
)
def test_format_is_known_by_ending_or_look(text: str, source: str, expected: object) -> None:
    assert parse(text, "", source) == expected


@pytest.mark.parametrize(
    ("text", "form", "words"),
    [
        ("a = 1\nb = = 2", "toml", r"x, line 2, column 5: not TOML: invalid value"),
        ("a = 1\na = 2\n", "toml", "x, line 2.*: not TOML: cannot overwrite"),
        ("a = 1\n[b]\n[b]\nc = 1", "toml", r"x, line 3, column 3: not TOML"),
        ("a = 2024-13-45", "toml", r"x.*: not TOML"),
        ("a = 1\na = 2", "toml", "x, line 2.*: not TOML: cannot overwrite"),
        ("a = [1, 2", "toml", r"x, line 1: not TOML"),
        ('{"a": 1,\n "b": }', "json", r"x, line 2, column 7: not JSON: expecting value"),
        ('{"a": 1, "a": 2}', "json", r'x: the key "a" is given twice'),
        ("[1, 2]", "json", r"x: a problem file is one table of keys"),
        (f"b = 1\na = {LONG}", "toml", r"x, line 2: a number has more than 1,000 digits"),
        (f"a = {LONG}.5", "toml", r"x, line 1: a number has more than 1,000 digits"),
        (f"a = 0.{LONG}", "toml", r"x, line 1: a number has more than 1,000 digits"),
        (f'{{"a": {LONG}}}', "json", r"x, line 1: a number has more than 1,000 digits"),
        ("a = " + "[" * 100_000, "toml", "x.* nested"),
        ('{"a": ' + "[" * 100_000, "json", "x is nested too deeply"),
        ("a = 1\n" + "a." * 20_000 + "a = 1", "toml", "x, line 2: nested too deeply"),
        ("x = {" + "a . " * 20_000 + "a = 1}", "toml", "x, line 1: nested too deeply"),
        ("'a'" + ".'a'" * 20_000 + "= 1", "toml", "x, line 1: nested too deeply"),
        ("a = 1\nb = '\0'", "toml", "x, line 2: a NUL character"),
        ("a = '\x07'", "toml", "x, line 1, column .*: not TOML: .*character"),
        ("a = 1" + " " * 10_000_000, "toml", "x is larger than 10,000,000 bytes"),
        ("a = ١", "toml", "x, line 1, column 5: not TOML: invalid value"),
        ("a = 1", "yaml", '"toml" or "json", not "yaml"'),
    ],
)
def test_bad_text_is_named_with_its_line(text: str, form: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse(text, form, "x")


def test_limits_look_once_at_every_character() -> None:
    # Texts on which a careless search would go back again and again.
    for text in ("a" * 900_000, '"' * 900_000, "a . " * 60 + "a" * 900_000, "1 " * 450_000, "a " * 450_000):
        with pytest.raises(InputError):
            parse(text, "toml", "x")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = 1\nb = '\xff'", "line 2: not UTF-8"),
        (b"x" * 10_000_001, "larger than 10,000,000 bytes"),
        (b"x" * 50_000_000, "larger than 10,000,000 bytes"),
        ("a = 1".encode("utf-16"), "line 1: not UTF-8"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=words):
        read_file(path)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_file(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_file(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_file("a\0b")


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a = 1")))
    assert read_file("-") == ("a = 1", "<stdin>")
