"""Bad input: one sentence, exit status 2, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runner import SMALL, refused, run

LONG = "9" * 5000


def changed(before: str, after: str) -> str:
    assert before in SMALL
    return SMALL.replace(before, after)


CASES: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "empty": ("", ("inputs",)),
    "not TOML": (SMALL + "W = = 2\n", ("line 6", "TOML")),
    "not closed": ("title = 'x\n" + SMALL, ("TOML",)),
    "the same key twice": ('scale = "none"\n' + SMALL, ("line 2", "TOML")),
    "not JSON": ('{"inputs": {"Q": [[1]],,}}', ("line 1", "JSON")),
    "JSON without a table": ("[1, 2]", ("TOML",)),
    "unknown key": ('scle = "none"\n' + SMALL, ("scle", "scale")),
    "unknown key in a table": (SMALL + "[rounding]\nplace = 2\n", ("place", "places")),
    "unknown input": (SMALL + "W_q = [[1]]\n", ("W_q", "W_Q")),
    "unknown word": (changed('"none"', '"1/sqrt(d)"'), ("scale",)),
    "ragged": (changed("[0, 1]]", "[0, 1, 2]]"), ("K", "row 2")),
    "empty matrix": (changed("Q = [[1, 0]]", "Q = []"), ("Q",)),
    "empty row": (changed("Q = [[1, 0]]", "Q = [[]]"), ("Q", "row 1")),
    "no matrix": (changed("Q = [[1, 0]]", "Q = [1, 0]"), ("Q",)),
    "shapes": (changed("Q = [[1, 0]]", "Q = [[1, 0, 0]]"), ("Q is 1×3", "K is 2×2", "columns")),
    "values for other keys": (changed("V = [[1], [2]]", "V = [[1]]"), ("K is 2×2", "V is 1×1")),
    "an input is missing": (changed("V = [[1], [2]]\n", ""), ("lacks V",)),
    "inputs that do not go together": (SMALL + "X = [[1]]\n", ("do not go together",)),
    "NaN": (changed("[1, 0]]", "[nan, 0]]"), ("Q, row 1, column 1", "nan")),
    "infinity": (changed("[1, 0]]", "[1, inf]]"), ("Q, row 1, column 2", "inf")),
    "minus infinity": (changed("[1, 0]]", '[1, "-inf"]]'), ("Q, row 1, column 2", "inf")),
    "division by zero": (changed("[1, 0]]", '[1, "1/0"]]'), ("Q, row 1, column 2", "denominator 0")),
    "a huge exponent": (changed("[1, 0]]", "[1, 1e999999999]]"), ("Q, row 1, column 2",)),
    "a huge exponent in text": (changed("[1, 0]]", '[1, "1e999999999"]]'), ("Q, row 1, column 2",)),
    "a tower of powers": (changed("[1, 0]]", '[1, "9^9^9^9"]]'), ("Q, row 1, column 2",)),
    "5,000 digits": (changed("[1, 0]]", f"[1, {LONG}]]"), ("line 3", "1,000 digits")),
    "5,000 digits in text": (changed("[1, 0]]", f'[1, "{LONG}"]]'), ("line 3", "1,000 digits")),
    "5,000 decimals": (changed("[1, 0]]", f"[1, 0.{LONG}]]"), ("line 3", "1,000 digits")),
    "5,000 letters": (changed("[1, 0]]", '[1, "' + "a" * 5000 + '"]]'), ("Q, row 1, column 2",)),
    "100,000 brackets": (changed("[1, 0]]", '[1, "' + "(" * 100_000 + '"]]'), ("Q, row 1, column 2",)),
    "digits of another script": (changed("[1, 0]]", '[1, "٣"]]'), ("Q, row 1, column 2",)),
    "fullwidth digits": (changed("[1, 0]]", '[1, "１２"]]'), ("Q, row 1, column 2",)),
    "a numerator without its denominator": (changed("[1, 0]]", '[1, "⅟"]]'), ("Q, row 1, column 2",)),
    "a letter that is not declared": (changed("[1, 0]]", '[1, "b"]]'), ("Q, row 1, column 2", "b")),
    "a boolean": (changed("[1, 0]]", "[1, true]]"), ("Q, row 1, column 2", "true")),
    "code": (changed("[1, 0]]", "[1, \"__import__('os')\"]]"), ("Q, row 1, column 2",)),
    "LaTeX": (changed("[1, 0]]", "[1, '\\input{/etc/passwd}']]"), ("Q, row 1, column 2",)),
    "too many columns": (changed("[[1, 0]]", "[[" + "1," * 2000 + "1]]"), ("Q",)),
    "NUL": (SMALL.encode() + b'title = "a\x00b"\n', ("line 6",)),
    "not UTF-8": (b"\xff\xfe" + SMALL.encode(), ("UTF-8",)),
    "Latin-1": ('title = "Lösung"\n'.encode("latin-1") + SMALL.encode(), ("UTF-8",)),
    "10 MB": ("# " + "x" * 10_000_000 + "\n" + SMALL, ("10,000,000 bytes",)),
    "deeply nested": ("a = " + "[" * 100_000, ("nested",)),
    "deeply nested JSON": ('{"inputs":' + "[" * 100_000, ("nested",)),
    "a bell in the title": ('title = "a\\u0007b"\n' + SMALL, ("title", "control character")),
    "a title without end": (f'title = "{"x" * 5000}"\n' + SMALL, ("title", "200")),
    "places that are no number": (SMALL + '[rounding]\nplaces = "two"\n', ("places",)),
    "negative places": (SMALL + "[rounding]\nplaces = -1\n", ("places",)),
    "a million places": (SMALL + "[rounding]\nplaces = 1000000\n", ("places",)),
    "a thousand figures": (SMALL + "[rounding]\nfigures = 1000\n", ("figures",)),
    "places and figures": (SMALL + "[rounding]\nplaces = 1\nfigures = 2\n", ("both places and figures",)),
    "no such step": (SMALL + '[rounding]\nsteps = "weight"\n', ("weight", "weights")),
    "no such token": (SMALL + '[[parts]]\nasks = "map"\ntokens = [2]\n', ("token 2", "1 to 1")),
    "no such question": (SMALL + '[[parts]]\nasks = "maps"\n', ("maps", "map")),
    "a temperature of 0": (changed('scale = "none"', "temperature = 0"), ("temperature", "other than 0")),
    "two scales": ("beta = 2\n" + SMALL, ("only one of",)),
    "names that clash": (SMALL + '[names]\nS = "A"\n', ("[names] S", "cannot be called A")),
    "a name that is a function": (SMALL + '[names]\nA = "softmax"\n', ("[names] A", "function")),
    "conventions that contradict": ('tokens = "rows"\nscores = "K^T Q"\n' + SMALL, ("tokens", "K^T Q")),
    "a pattern without an order": (
        changed("[1, 0]]", '["b", 0]]') + '[symbols]\nb = "positive"\n[[parts]]\nasks = "pattern"\n',
        ("b", "[symbols]"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence(case: str, tmp_path: Path) -> None:
    text, words = CASES[case]
    path = tmp_path / "problem"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    refused(run("solve", path, "-o", tmp_path / "key.tex"), *words)
    assert [file.name for file in tmp_path.iterdir()] == ["problem"]


@pytest.mark.parametrize("case", CASES)
def test_the_same_from_standard_input(case: str) -> None:
    text, words = CASES[case]
    if "line" in words[0]:
        words = ("<stdin>", *words)
    refused(run("solve", "-", "--json", stdin=text), *words)


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere.toml", "No such file"), (".", "directory"), ("a\x00b", "cannot be read"), ("x" * 300, "too long")],
)
def test_files_that_are_not_there(tmp_path: Path, name: str, words: str) -> None:
    refused(run("solve", f"{tmp_path}/{name}"), words)


def test_a_name_with_a_line_break_stays_on_its_line(tmp_path: Path) -> None:
    refused(run("solve", f"{tmp_path}/a\nsymattn: all is well"), "cannot be read")
