"""Whether a changed key still says the same: plain fractions and long decimals, nothing of the checker."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath

from tests.attention.by_hand import work
from tests.checking.mutants import Kind, Mutant, values
from tests.checking.unmarked import Key, rational

_NAME = re.compile(
    r"(?:\\(?:mathbf|boldsymbol)\{(?P<bold>\\?[A-Za-z]+)\}|(?P<plain>\\[a-z]+|[A-Za-z]))"
    r"_\{?(?P<i>\d),?[ ]?(?P<j>\d)?\}?"
)
_TERM_END = re.compile(r" [+-] | ?=|\$|\\approx|&|\\\\|\\end|\\qquad|$", re.MULTILINE)
_POWER = re.compile(
    r"e\^\{(?P<minus>-?)(?:\\[td]?frac\{)?(?P<above>\d+)(?:\\sqrt\{(?P<root>\d+)\})?(?:\}\{(?P<below>\d+)\}|/(?P<after>\d+))?\}"
    r" (?:\\approx|=) (?P<numeral>-?\d+(?:\.\d+)?)"
)
_SUMMARY = re.compile(r"\$?(?P<name>\\eta|\\chi)_\{?(?P<i>\d)\}? (?P<sign>\\approx|=) (?P<numeral>\d+(?:\.\d+)?)\$?")
_PLACES = 40
_BARE = re.compile(r"^[^=]*?(?:=|\\approx)\s*(?P<numeral>-?\d+(?:\.\d+)?)(?:\s*\\times 10\^\{(?P<power>-?\d+)\})?\s*$")


def is_equivalent(mutant: Mutant, key: Key) -> bool:
    """Whether the change leaves what is said true, and as the problem prescribes it."""
    looks = (_LOOKS[mutant.kind], _is_true_power, _is_true_value, _is_true_summary)
    return any(look(mutant, key) for look in looks)


# Values --------------------------------------------------------------------------------------------


def _same_values(mutant: Mutant, key: Key) -> bool:
    """Other digits of the same number: ``0/3`` and ``0/5``."""
    start, end = _around(mutant, key)
    moved = sum(len(text) - (b - a) for a, b, text in mutant.edits)
    before, after = key.tex[start:end], mutant.apply(key.tex)[start : end + moved]
    return rational(before) is not None and rational(before) == rational(after)


def _around(mutant: Mutant, key: Key) -> tuple[int, int]:
    first, last = mutant.edits[0], mutant.edits[-1]
    for start, end in values(key.tex, mutant.finding.place.start, mutant.finding.place.end):
        if start <= first[0] and last[1] <= end:
            return start, end
    return first[0], last[1]


def _same_entries(mutant: Mutant, key: Key) -> bool:
    """Exchanged entries, or rows of them, that are the same numbers written otherwise."""
    first, second = (key.tex[start:end].split("&") for start, end, _ in mutant.edits)
    pairs = list(zip(first, second, strict=True))
    return all(rational(a) is not None and rational(a) == rational(b) for a, b in pairs)


# Powers --------------------------------------------------------------------------------------------


def _is_true_power(mutant: Mutant, key: Key) -> bool:
    """A power of e and its value, about nothing: all that it says is that the one comes to the other."""
    start, end = mutant.finding.place.start, mutant.finding.place.end
    moved = sum(len(text) - (b - a) for a, b, text in mutant.edits)
    found = _POWER.fullmatch(mutant.apply(key.tex)[start : end + moved].strip())
    if found is None:
        return False
    with mpmath.workdps(60):
        exponent = mpmath.mpf(int(found["above"])) / int(found["below"] or found["after"] or 1)
        exponent *= mpmath.sqrt(int(found["root"] or 1)) * (-1 if found["minus"] else 1)
        half = mpmath.mpf(10) ** -len(found["numeral"].partition(".")[2]) / 2
        return bool(abs(mpmath.exp(exponent) - mpmath.mpf(found["numeral"])) <= half)


def _is_true_value(mutant: Mutant, key: Key) -> bool:
    """An entry and a number: the number may be right as it is now, where the sheet cut it off before."""
    start, end = mutant.finding.place.start, mutant.finding.place.end
    moved = sum(len(text) - (b - a) for a, b, text in mutant.edits)
    bare = _BARE.match(mutant.apply(key.tex)[start : end + moved])
    found = None if bare is None else _NAME.match(bare.string)
    return bare is not None and found is not None and found["j"] is not None and _Values(key).shows(found, bare)


def _is_true_summary(mutant: Mutant, key: Key) -> bool:
    """The entropy of another line of weights, or what another token receives, that comes to the same."""
    start, end = mutant.finding.place.start, mutant.finding.place.end
    found = _SUMMARY.fullmatch(mutant.apply(key.tex)[start:end].strip())
    if found is None or found["name"] in key.problem.names.values():
        return False
    return any(_has_summary(key, found, table["A"]) for table in _tables(key) if table.get("A"))


def _has_summary(key: Key, found: re.Match[str], weights: list[list[Any]]) -> bool:
    is_entropy = found["name"] == r"\eta"
    is_by_row = (key.problem.softmax == "rows") == is_entropy
    lines = weights if is_by_row else [list(line) for line in zip(*weights, strict=True)]
    if int(found["i"]) > len(lines):
        return False
    with mpmath.workdps(60):
        shares = [mpmath.mpf(entry) for entry in lines[int(found["i"]) - 1]]
        value = -sum(share * mpmath.log(share) for share in shares if share > 0) if is_entropy else sum(shares)
        unit = mpmath.mpf(10) ** -len(found["numeral"].partition(".")[2])
        less = value - mpmath.mpf(found["numeral"])
        if found["sign"] == "=":
            return bool(abs(less) < mpmath.mpf(10) ** -_PLACES)
        is_cut_off = key.problem.policy.rounding.ties == "truncate" and 0 <= less < unit
        return bool(abs(less) <= unit / 2 or is_cut_off)


# Signs ---------------------------------------------------------------------------------------------


def _sign_of_zero(mutant: Mutant, key: Key) -> bool:
    """A sign before a zero, or before a term that is zero."""
    start, end, text = mutant.edits[0]
    if text.startswith("("):
        return rational(text) == 0
    is_of_a_factor = key.tex[:start].rstrip().endswith("(")
    after = key.tex[end:]
    stop = re.search(r"[)}]", after) if is_of_a_factor or key.tex[:start].endswith("{") else _TERM_END.search(after, 1)
    term = after[: stop.start()] if stop is not None else after
    return any(rational(factor) == 0 for factor in term.split(r"\cdot"))


# Names ---------------------------------------------------------------------------------------------


def _same_names(mutant: Mutant, key: Key) -> bool:
    """One name in the place of another that stands for the same, worked out in the same way."""
    changed = mutant.apply(key.tex)
    start, end = mutant.finding.place.start, mutant.finding.place.end
    before, after = key.tex[start:end], changed[start:end]
    pairs = [
        (old, new)
        for old, new in zip(_NAME.finditer(before), _NAME.finditer(after), strict=True)
        if old.group() != new.group()
    ]
    return all(_stands_for_the_same(key, after, *pair) for pair in pairs)


def _stands_for_the_same(key: Key, link: str, old: re.Match[str], new: re.Match[str]) -> bool:
    values = _Values(key)
    first, second = values.of(old), values.of(new)
    if first is None or second is None:
        return False
    bare = _BARE.match(link)
    if bare is not None and new["j"] is not None and new.start() < link.index(bare["numeral"]):
        return first == second or values.shows(new, bare)
    is_subject = new.start() < 3 and any(mark in link for mark in (r"\cdot", "e^", r"\frac", r"\begin"))
    if not is_subject and values.are_carried_alike(old, new):
        return True
    are_carried = values.are_weights_carried_alike(old, new) or values.are_outputs_carried_alike(old, new)
    alike = first == second or (is_subject and are_carried)
    return alike and (not is_subject or values.worked(old) == values.worked(new))


class _Values:
    """What the names of a key stand for: exactly, and as carried."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.exact, self.carried = _tables(key)

    def _name(self, found: re.Match[str]) -> str | None:
        letter = (found["bold"] or found["plain"]).removeprefix("\\")
        declared = {label: name for name, label in self.key.problem.names.items()}
        if letter in declared:
            return declared[letter]
        large = letter.upper()
        if large in declared:
            return declared[large]
        if found["bold"] is not None or found["j"] is not None:
            return {"U": "S_scaled"}.get(large, large) if large in "QKVSAOXUE" else None
        return {"Z": "Z", "m": "m"}.get(letter)

    def _places(self, found: re.Match[str], rows: list[list[Any]]) -> list[tuple[int, int]]:
        i = int(found["i"]) - 1
        if found["j"] is not None:
            return [(i, int(found["j"]) - 1)]
        if len(rows[0]) == 1:
            return [(i, 0)]
        if self.key.problem.tokens == "columns":
            return [(k, i) for k in range(len(rows))]
        return [(i, k) for k in range(len(rows[0]))]

    def of(self, found: re.Match[str]) -> tuple[Any, ...] | None:
        name = self._name(found)
        if name is None:
            return None
        given: list[Any] = []
        for table in (self.exact, self.carried):
            rows = table.get(name)
            if rows is None:
                continue
            places = self._places(found, rows)
            if any(i >= len(rows) or j >= len(rows[0]) for i, j in places):
                return None
            given.extend(rows[i][j] for i, j in places)
        return tuple(given) or None

    def are_carried_alike(self, old: re.Match[str], new: re.Match[str]) -> bool:
        """Whether two scores round to the same, where the sheet goes on with rounded ones."""
        name = self._name(old)
        if name != self._name(new) or "scores" not in self.key.problem.policy.steps:
            return False
        if name == "m":
            return self._carried_line(old) == self._carried_line(new)
        if name not in {"S", "S_scaled"}:
            return False
        rows = self.carried[name]
        both = [{rows[i][j] for i, j in self._places(found, rows)} for found in (old, new)]
        return both[0] == both[1] and len(both[0]) == 1

    def are_weights_carried_alike(self, old: re.Match[str], new: re.Match[str]) -> bool:
        """Whether two weights round to the same, where the sheet rounds them."""
        if {self._name(old), self._name(new)} != {"A"} or "weights" not in self.key.problem.policy.steps:
            return False
        rows = self.carried["A"]
        return len({rows[i][j] for found in (old, new) for i, j in self._places(found, rows)}) == 1

    def are_outputs_carried_alike(self, old: re.Match[str], new: re.Match[str]) -> bool:
        """Whether two outputs are the same number on a sheet that goes on with rounded weights."""
        if {self._name(old), self._name(new)} != {"O"} or "weights" not in self.key.problem.policy.steps:
            return False
        rows = self.carried["O"]
        return len({rows[i][j] for found in (old, new) for i, j in self._places(found, rows)}) == 1

    def _carried_line(self, found: re.Match[str]) -> list[Any]:
        rows, at = self.carried["S_scaled"], int(found["i"]) - 1
        return sorted([row[at] for row in rows] if self.key.problem.softmax == "columns" else rows[at])

    def worked(self, found: re.Match[str]) -> object:
        """The operands that an entry is worked out from, in any order; a new object where they are not looked at."""
        name = self._name(found)
        i, j = int(found["i"]) - 1, int(found["j"] or 1) - 1
        is_turned = self.key.problem.softmax == "columns"
        query, entry = (j, i) if is_turned else (i, j)
        if name in {"E", "A", "Z", "m"}:
            line = self._line("S_scaled", i if name in {"Z", "m"} else query, is_turned=is_turned)
            return sorted(line) if name in {"Z", "m"} else (sorted(line), line[entry])
        in_columns = self.key.problem.tokens == "columns"
        if name == "S":
            pair = (self._line("Q", query, is_turned=in_columns), self._line("K", entry, is_turned=in_columns))
        elif name == "O":
            token, component = (j, i) if in_columns else (i, j)
            values = self._line("V", component, is_turned=not in_columns)
            pair = (self._line("A", token, is_turned=is_turned), values)
        elif name in {"Q", "K", "V"} and name not in self.key.problem.inputs:
            token, component = (j, i) if in_columns else (i, j)
            source = "X" if "X" in self.exact else "X_1" if name == "Q" else "X_2"
            is_turned = self.key.problem.projection == "W x"
            weight = self._line(f"W_{name}", component, is_turned=not is_turned)
            pair = (self._line(source, token, is_turned=in_columns), weight)
        else:
            return object()
        return sorted(zip(*pair, strict=True))

    def _line(self, name: str, at: int, *, is_turned: bool) -> list[Any]:
        is_rounded = {"S_scaled": "scores", "A": "weights"}.get(name) in self.key.problem.policy.steps
        rows = (self.carried if is_rounded else self.exact)[name]
        return [row[at] for row in rows] if is_turned else list(rows[at])

    def shows(self, found: re.Match[str], bare: re.Match[str]) -> bool:
        """Whether a numeral is the entry to its digits, exactly or as carried."""
        name = self._name(found)
        i, j = int(found["i"]) - 1, int(found["j"]) - 1
        unit = Fraction(10) ** int(bare["power"] or 0)
        shown, half = Fraction(bare["numeral"]) * unit, unit / (2 * 10 ** len(bare["numeral"].partition(".")[2]))
        for table in (self.exact, self.carried):
            rows = table.get(name or "")
            if rows is None or i >= len(rows) or j >= len(rows[0]) or rows[i][j] is None:
                continue
            if abs(Fraction(rows[i][j]) - shown) <= half:
                return True
        return False


_Tables: TypeAlias = dict[str, list[list[Any]]]
_KEPT: dict[str, tuple[_Tables, _Tables]] = {}


def _tables(key: Key) -> tuple[_Tables, _Tables]:
    """Forty decimals of every quantity, and what stands on the sheet of somebody who follows the policy."""
    symbols = {name: "17/10" if value == "positive" else value for name, value in key.tables.get("symbols", {}).items()}
    tables = {**key.tables, "symbols": symbols}
    if key.label not in _KEPT:
        inputs = {
            name: [[Fraction(entry) for entry in row] for row in rows] for name, rows in key.tables["inputs"].items()
        }
        exact = work({**tables, "rounding": {"places": _PLACES}})
        carried = work(tables)
        _KEPT[key.label] = ({**inputs, **exact, **_largest(exact, key)}, {**carried, **_largest(carried, key)})
    return _KEPT[key.label]


def _largest(table: _Tables, key: Key) -> _Tables:
    """The largest scaled score of each line that the softmax runs over."""
    scores = table["S_scaled"]
    lines = scores if key.problem.softmax == "rows" else [list(line) for line in zip(*scores, strict=True)]
    return {"m": [[max(line, key=Fraction)] for line in lines]}


_LOOKS: dict[Kind, Callable[[Mutant, Key], bool]] = {
    "digit": _same_values,
    "digit-swap": _same_values,
    "operand": _same_values,
    "sign": _sign_of_zero,
    "entries": _same_entries,
    "rows": _same_entries,
    "index": _same_names,
}
