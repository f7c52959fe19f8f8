"""TRUSTED. The rules of steps: operations as records name them, with the form of their arguments.

Each rule takes grids of values (None where undefined) and its arguments, and returns a grid. Rounding is an argument
of the rule, so that the exact and the step-rounded derivation are the same rules. The operations themselves are in
`symattn.operations`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from symattn.errors import InputError
from symattn.exact.rounding.quotients import TIES, Rounding
from symattn.operations.evaluation import apply, rounded, without_undefined
from symattn.operations.operation import Grid, Operation
from symattn.operations.table import TABLE
from symattn.records import dataclass

Arguments: TypeAlias = Mapping[str, str]
"""Arguments of a rule as plain text, writable as JSON."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to get a quantity from others.

    Attributes:
        name: its name in steps.
        statement: the inference in words.
        source: the definition that it applies.
        premises: how many premises it has.
        options: the names of its arguments.
        many: whether it may have more premises than these.
        operation: what it applies; None for the rounding of what is there.
    """

    name: str
    statement: str
    source: str
    premises: int
    options: tuple[str, ...] = ()
    many: bool = False
    operation: Operation[Any] | None = None

    def apply(self, premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
        """Return what follows from premises.

        Raises:
            InputError: the premises do not fit, or a value is outside the domain of the operation.
            KeyError: an argument is missing.
        """
        roundings = (arguments.get(key, "") if key in self.options else "" for key in ("products", "rounding"))
        products, rounding = map(parse_rounding, roundings)
        if self.operation is None:
            return rounded(without_undefined(premises[0]), rounding)
        params = self.operation.params.read(arguments)
        return apply(self.operation, premises, params, products=products, rounding=rounding)

    def misfit(self, premises: int, arguments: tuple[tuple[str, str], ...]) -> str:
        """Return the reason why a step does not have the form of this rule, or empty text.

        >>> RULES["line-sum"].misfit(1, (("axis", "diagonal"),))
        "the argument axis of line-sum cannot be 'diagonal'"
        """
        if premises < self.premises or (premises > self.premises and not self.many):
            return f"{self.name} has {self.premises} premises, not {premises}"
        names = [name for name, _ in arguments]
        unknown = [name for name in names if name not in self.options]
        if unknown or len(set(names)) != len(names):
            return f"the arguments of {self.name} are {', '.join(self.options) or 'none'}, each once at most"
        missing = [option for option in self.options if option in _NEEDED and option not in names]
        if missing:
            return f"{self.name} needs {_NEEDED[missing[0]]}"
        own = self.operation.params.options if self.operation else {}
        wrong = [(name, value) for name, value in arguments if not re.fullmatch(own.get(name, _DIGITS), value)]
        return f"the argument {wrong[0][0]} of {self.name} cannot be {wrong[0][1]!r}" if wrong else ""


_LONGEST_COUNT = 5
_DIGITS = rf"([0-9]{{1,{_LONGEST_COUNT}}}) (places|figures) ({'|'.join(TIES)})"
"""The pattern of a rounding. Start-up: patterns are compiled when records are read."""

_NEEDED = {
    "with": "words for what it takes",
    "kind": "the name of an activation",
    "axis": "an axis",
    "start": "a start",
    "stop": "a stop",
    "empty": "a word for empty lines",
    "count": "a count",
    "pairs": "a word for pairs",
    "side": "a side",
    "turned": "a letter for each factor",
    "entries": "formulas of entries",
    "one": "a word for what 1 means",
    "over": "a word for what sums to one",
    "loss": "the kind of a loss",
}


def parse_rounding(text: str) -> Rounding | None:
    """The rounding that `write_rounding` wrote.

    Raises:
        InputError: it is not one that `write_rounding` writes.

    >>> parse_rounding("2 places half-up")
    Rounding(places=2, figures=None, ties='half-up')
    """
    if not text:
        return None
    count, kind, ties = words if len(words := text.split(" ")) == 3 else ("", "", "")
    is_count = count.isascii() and count.isdigit() and len(count) <= _LONGEST_COUNT
    if not is_count or kind not in {"places", "figures"} or ties not in TIES:
        raise InputError(f"The rounding {text[:40]!r} is not of the form '2 places half-up'.")
    return Rounding(places=int(count), ties=ties) if kind == "places" else Rounding(figures=int(count), ties=ties)


def write_rounding(rounding: Rounding | None) -> str:
    """A rounding as an argument of a step; empty for none.

    >>> write_rounding(Rounding(figures=3))
    '3 figures half-up'
    """
    if rounding is None:
        return ""
    if rounding.places is not None:
        return f"{rounding.places} places {rounding.ties}"
    return f"{rounding.figures} figures {rounding.ties}"


class _Rules(Mapping[str, Rule]):
    """The rules by name: a rounding, and one for each operation of the table."""

    def __init__(self) -> None:
        self._known = {"round": Rule("round", "each entry rounded", "rounding policy", 1, ("rounding",))}

    def __getitem__(self, name: str) -> Rule:
        if name not in self._known:
            operation = TABLE[name]
            least, most = operation.arity
            self._known[name] = Rule(
                name, operation.says, operation.source, least, operation.options, most != least, operation
            )
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("round", *TABLE))

    def __len__(self) -> int:
        return 1 + len(TABLE)


RULES: Mapping[str, Rule] = _Rules()
"""The rules, by name."""
