"""Values of a problem file, each checked against the table that describes its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError
from symattn.exact.numerals.rational import rational
from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import MAX_LINE, MAX_PARTS, MAX_PROSE, MAX_SETTINGS, TOP_FIELDS
from symattn.problem.text import synonyms
from symattn.problem.text.document import Numeral
from symattn.problem.text.spelling import quoted, unknown

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = late.module("unicodedata")

PYTHON = "<python>"
"""The source of a problem that was built in Python; messages leave it out."""

_LONG = 10**20
"""What a message does not repeat."""

_OVERRIDES_OF_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_table(value: object, fields: Sequence[Field], where: str, path: str = "") -> dict[str, Any]:
    """Return a table with every value checked; values of the kinds that the reader makes exact are left as they are.

    Args:
        value: what stands in the file.
        fields: the keys that the table may have.
        where: what messages call the file.
        path: what messages call the table.

    Raises:
        InputError: An unknown key, with the nearest known one, or a value that the key cannot take.

    >>> check_table({"points": "5/2"}, [Field("points", "number", "Points.")], "x.toml")
    {'points': Fraction(5, 2)}
    """
    if not isinstance(value, Mapping):
        keys = [field.name for field in fields if isinstance(value, str) and value in field.words]
        example = f", as in {{{keys[0]} = {quoted(str(value))}}}" if keys else ""
        raise InputError(f"{place_of(where, path)} must be a table of keys{example}, not {describe(value)}.")
    known = {field.name: field for field in fields}
    checked: dict[str, Any] = {}
    for key, item in value.items():
        if key not in known:
            raise InputError(unknown_key(str(key), known, where, path))
        checked[key] = _check(item, known[key], where, f"{path}.{key}" if path else key)
    for field in fields:
        if field.required and field.name not in checked:
            words = f" Words: {', '.join(field.words)}." if field.words else ""
            place = place_of(where, f"{path}.{field.name}" if path else field.name)
            raise InputError(f"{place} is missing: {field.about}{words}")
    return checked


def unknown_key(key: str, known: Iterable[str], where: str, path: str, kind: str = "key") -> str:
    """Return the sentence for a key that its table does not have: it names the table where the key belongs.

    >>> unknown_key("scle", ["scale"], "x.toml", "")
    'x.toml: unknown key "scle". Did you mean "scale"?'
    """
    return (
        misplaced(key, where, path) or f"{_inside(where, path)}{unknown(kind, key, known, synonyms.synonyms_at(path))}"
    )


def misplaced(key: str, where: str, path: str) -> str:
    """Return the sentence for a key that belongs elsewhere in the file; empty where no table has such a key.

    >>> misplaced("scale", "x.json", "inputs"), misplaced("zzz", "x.toml", "inputs")
    ('x.json, [inputs]: "scale" is a top-level key. Move it out of "inputs".', '')
    >>> misplaced("places", "x.toml", "")
    'x.toml: "places" is a key of [rounding]. Write it below a line [rounding].'
    """
    top = {field.name: field for field in TOP_FIELDS}
    if path and key in top:
        return f"{_inside(where, path)}{quoted(key)} is a top-level key. {_way_up(top[key], where, path)}"
    owners = [field for field in TOP_FIELDS if field.kind in _HEADERS and key in {own.name for own in field.fields}]
    owners = [field for field in owners if field.name not in {"names", "heads", path.partition(" #")[0]}]
    if not owners:
        return ""
    headers = [_HEADERS[field.kind].format(field.name) for field in owners]
    listed = " or ".join(headers)
    return f"{_inside(where, path)}{quoted(key)} is a key of {listed}. Write it below a line {listed}."


_HEADERS = {"table": "[{}]", "tables": "[[{}]]", "matrices": "[{}]", "mask": "[{}]", "symbols": "[{}]"}
_HEADERS |= {"names": "[{}]", "formulas": "[{}]", "bounds": "[{}]"}
"""The line of a TOML file that begins a table of a kind."""


def _way_up(field: Field, where: str, path: str) -> str:
    """Return the remedy for a top-level key that stands in a table."""
    if where == PYTHON or where.endswith(".json"):
        return f"Move it out of {quoted(path)}."
    header = _HEADERS.get(field.kind)
    own = "" if header is None else f" or write {header.format(field.name)} on a line of its own,"
    return f"Move it above the first [table] line,{own} since keys below [{path}] belong to it."


def _check(value: object, field: Field, where: str, path: str) -> Any:
    place = place_of(where, path)
    match field.kind:
        case "line":
            return check_text(value, place, MAX_LINE, lines=False)
        case "prose":
            return check_text(value, place, MAX_PROSE, lines=True)
        case "choice":
            return _choice(value, field, place, path)
        case "words":
            return _words(value, field, place, path)
        case "switch":
            return _switch(value, place)
        case "count":
            return _count(value, field, place)
        case "counts":
            return tuple(_count(item, field, f"{place}, number {n}") for n, item in enumerate(_list(value, place), 1))
        case "indices":
            return tuple(_whole(item, f"{place}, number {n}") for n, item in enumerate(_list(value, place), 1))
        case "number":
            return _number(value, field, place)
        case "table" | "matrices":
            return check_table(value, field.fields, where, path)
        case "tables":
            return _tables(value, field, where, path)
        case "settings":
            return _settings(value, field, place)
        case _:
            return value


def check_text(value: object, place: str, most: int, *, lines: bool) -> str:
    r"""Return text of people, any of it: bounded, without control characters, and told apart from numbers.

    >>> check_text("a\tb", "title", 10, lines=False)
    Traceback (most recent call last):
    symattn.errors.InputError: title contains the control character U+0009; leave it out.
    """
    if not isinstance(value, str):
        raise InputError(f"{place} must be text in quotes, not {describe(value)}.")
    if len(value) > most:
        raise InputError(f"{place} must be at most {most:,} characters long; shorten it.")
    if (value.replace("\n", "") if lines else value).isprintable():
        return value
    for letter in value:
        if _is_control(letter) and not (lines and letter in "\n\r\t"):
            escape = {"\b": "b", "\f": "f"}.get(letter)
            cause = (
                f" In double quotes \\{escape} makes it: double the backslash, or use single quotes." if escape else ""
            )
            raise InputError(f"{place} contains the control character U+{ord(letter):04X}; leave it out.{cause}")
    return value


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") or letter in _OVERRIDES_OF_DIRECTION


def _choice(value: object, field: Field, place: str, path: str) -> str:
    if not isinstance(value, str):
        listed = ", ".join(f'"{word}"' for word in field.words)
        wanted = f"one of {listed}" if listed else "text in quotes"
        raise InputError(f"{place} must be {wanted}, not {describe(value)}.")
    if not field.words:
        raise InputError(f"{place}: {quoted(value)} has the wrong form. {field.about}")
    if value not in field.words:
        raise InputError(f"{place}: {unknown('value', value, field.words, synonyms.synonyms_at(path))}")
    return value


def _words(value: object, field: Field, place: str, path: str) -> tuple[str, ...]:
    words = (value,) if isinstance(value, str) else tuple(_list(value, place))
    for word in words:
        is_known = word in field.words if isinstance(word, str) else False
        if not is_known and not (isinstance(word, str) and field.pattern and matches(field.pattern, word)):
            _choice(word, field, place, path)
    if len(set(words)) != len(words):
        raise InputError(f"{place} has one entry twice. Leave one of them out.")
    return words


def _switch(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{place} must be true or false, not {describe(value)}.")
    return value


def _whole(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{place} must be a whole number, not {describe(value)}.")
    return value


def _count(value: object, field: Field, place: str) -> int:
    count = _whole(value, place)
    if not field.least <= count <= field.most:
        shown = count if abs(count) < _LONG else "a long number"
        raise InputError(f"{place} must be a whole number from {field.least} to {field.most}, not {shown}.")
    return count


def check_index(index: int, most: int, what: str, place: str) -> None:
    """Refuse a token or a label that the problem does not have; both are counted from 1.

    Raises:
        InputError: The index is 0, negative or larger than `most`.

    >>> check_index(0, 3, "token", "x.toml, [parts #1] tokens")
    Traceback (most recent call last):
    symattn.errors.InputError: x.toml, [parts #1] tokens: there is no token 0. Tokens are counted from 1 to 3 here.
    """
    if not 1 <= index <= most:
        shown = index if abs(index) < _LONG else "so high"
        raise InputError(
            f"{place}: there is no {what} {shown}. {what.capitalize()}s are counted from 1 to {most} here."
        )


def _number(value: object, field: Field, place: str) -> Fraction:
    number = exact_number(value, place)
    if field.is_open and number <= field.least:
        raise InputError(f"{place} must be greater than {field.least}.")
    if number < field.least:
        raise InputError(f"{place} must be at least {field.least}.")
    return number


def _tables(value: object, field: Field, where: str, path: str) -> tuple[dict[str, Any], ...]:
    items = _list(value, place_of(where, path))
    if len(items) > MAX_PARTS:
        raise InputError(f"{place_of(where, path)} has more than {MAX_PARTS} tables.")
    return tuple(check_table(item, field.fields, where, f"{path} #{number}") for number, item in enumerate(items, 1))


def _settings(value: object, field: Field, place: str) -> tuple[tuple[str, str], ...]:
    """Return names with what they are set to, as text; what a theorem can be set to is for the theorem to say."""
    if not isinstance(value, Mapping):
        raise InputError(f"{place} must be a table of values, not {describe(value)}.")
    if len(value) > MAX_SETTINGS:
        raise InputError(f"{place} sets more than {MAX_SETTINGS} values.")
    found = []
    for name, item in value.items():
        if not matches(field.pattern, str(name)):
            raise InputError(f"{place}: {quoted(str(name))} is not the name of a parameter.")
        found.append((str(name), _setting(item, f"{place}.{name}")))
    return tuple(found)


def _setting(value: object, place: str) -> str:
    """Return one value as text; the items of a list have commas between them."""
    if isinstance(value, (list, tuple)):
        if not 1 <= len(value) <= MAX_SETTINGS:
            raise InputError(f"{place} is a list of {len(value)} values: give 1 to {MAX_SETTINGS}.")
        return ", ".join(_setting_item(item, f"{place} #{number}") for number, item in enumerate(value, start=1))
    return _setting_item(value, place)


def _setting_item(value: object, place: str) -> str:
    text = value if isinstance(value, str) else str(exact_number(value, place))
    return check_text(text, place, MAX_LINE, lines=False).strip()


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{place} must be a list in square brackets, not {describe(value)}.")
    return list(value)


def exact_number(value: object, place: str) -> Fraction:
    """Return a rational in any spelling that the kernel takes; numerals of the file exactly as typed.

    Raises:
        InputError: Not a number, not a finite one, or one too long to be meant.

    >>> exact_number(Numeral("0.1"), "points")
    Fraction(1, 10)
    """
    if isinstance(value, Numeral):
        value = value.text.replace("_", "")
    if isinstance(value, str) and is_no_number(value):
        raise InputError(
            f"{place}: {quoted(value.strip())} is not a number that can be computed with exactly: give a finite one."
        )
    if isinstance(value, (int, Fraction, Decimal, str)) and not isinstance(value, bool):
        return rational(value, place)
    if isinstance(value, float):
        return rational(value, place)  # type: ignore[arg-type]  # refused there, with the remedy
    raise InputError(f"{place} must be a number, not {describe(value)}.")


def is_no_number(text: str) -> bool:
    """Return True if a text is a placeholder that programs print for a missing number.

    >>> is_no_number("-Inf"), is_no_number("1e3")
    (True, False)
    """
    word = text.strip().lower()
    return (word[1:] if word[:1] in {"+", "-", "\u2212"} else word) in {"nan", "inf", "infinity"}


def is_plain(value: object) -> bool:
    """Return True for a value that a file can hold, or a number of Python; not for those of SymPy and numpy.

    >>> is_plain(Numeral("0.1")), is_plain(object())
    (True, False)
    """
    plain = (bool, int, float, str, Fraction, Decimal, Numeral, date, time, list, tuple, Mapping)
    return value is None or isinstance(value, plain)


def matches(pattern: str, text: str) -> bool:
    """Return True if the whole of a short text matches; the length is bounded so that no pattern can be slow.

    >>> matches("[a-z]+", "abc"), matches("[a-z]+", "abc1")
    (True, False)
    """
    return len(text) <= MAX_LINE and re.fullmatch(pattern, text) is not None


def describe(value: object) -> str:
    """Return a value for a message: what kind of thing it is, and the thing itself where it is short.

    >>> describe(True), describe([1]), describe("a")
    ('true', 'a list', 'the text "a"')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case Numeral(text):
            return f"the number {text[:20]}"
        case int():
            return f"the number {value}" if abs(value) < _LONG else "a long number"
        case str():
            return f"the text {quoted(value)}"
        case list() | tuple():
            return "a list"
        case None:
            return "null"
        case Mapping():
            return "a table"
        case _:
            return f"a {type(value).__name__}"


def place_of(where: str, path: str) -> str:
    """Return the place of a key for a message: the file, the table in brackets, the key.

    >>> place_of("x.toml", "rounding.each.weights"), place_of("<python>", "scale")
    ('x.toml, [rounding.each] weights', 'scale')
    """
    table, dot, key = path.rpartition(".")
    pieces = ("" if where == PYTHON else where, f"[{table}] {key}" if dot else key)
    return ", ".join(piece for piece in pieces if piece) or "the problem"


def _inside(where: str, path: str) -> str:
    pieces = ("" if where == PYTHON else where, f"[{path}]" if path else "")
    place = ", ".join(piece for piece in pieces if piece)
    return f"{place}: " if place else ""
