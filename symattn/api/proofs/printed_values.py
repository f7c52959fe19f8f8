"""TRUSTED. Printed values of a solved problem: a record's digits are rounded again from the values of its steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from symattn.errors import InputError
from symattn.exact.rounding.printed import digits
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.derivation_replay import Step
from symattn.graph.quantities.quantity import Grid
from symattn.graph.rules import parse_rounding
from symattn.records import dataclass

Texts = Sequence[Sequence[str | None]]
"""Rows of printed values, null where nothing is printed."""

_NUMBER = r"([0-9]+)(?:\.([0-9]+))?(e[+-][0-9]+)?"
_AT_THE_END, _EVERYWHERE = "end", "all"
_LONGEST = 16
"""Digits before the point of a number in figures that has no exponent."""


@dataclass(frozen=True, slots=True)
class PrintedPolicy:
    """Rounding policy of a record.

    Attributes:
        roundings: the roundings of its steps.
        ties: the rule for ties.
        steps: which steps round: a name of a list of them, or the list.
    """

    roundings: tuple[Rounding, ...]
    ties: str
    steps: object

    @classmethod
    def read(cls, record: object) -> PrintedPolicy:
        """Return the policy that a record names.

        Raises:
            InputError: it is not one.
        """
        if not isinstance(record, Mapping) or not isinstance(record.get("each"), Mapping):
            raise InputError("The policy of the record must be a table of places or figures, ties and each.")
        ties: Any = record.get("ties")
        tables = (record, *record["each"].values())
        if not all(isinstance(table, Mapping) for table in tables):
            raise InputError("The key each of the record's policy must hold tables of places or figures.")
        return cls(
            tuple(Rounding(table.get("places"), table.get("figures"), ties) for table in tables),
            ties,
            record.get("steps"),
        )

    def misfit(self, steps: Sequence[Step]) -> str:
        """Return why a step rounds otherwise than the policy says, or nothing."""
        found = [(step.id, value) for step in steps for key, value in step.arguments if key in {"products", "rounding"}]
        if bool(found) != (self.steps != _AT_THE_END) and (found or self.steps == _EVERYWHERE):
            return f"The policy of the record rounds {self.steps}, and its steps do not."
        for name, value in found:
            if parse_rounding(value) not in self.roundings:
                return f"{name} is rounded to {value}, which is not the policy of the record."
        return ""

    def misprint(self, values: Grid, texts: Texts, *, stepwise: bool) -> str:
        """Return a printed value that no rounding of the values gives, or nothing.

        Args:
            values: the values.
            texts: the values as they are printed.
            stepwise: whether they have the digits of the policy; others may have any number of them.
        """
        if [len(row) for row in values] != [len(row) for row in texts]:
            return "another number of entries"
        shown = [*chain.from_iterable(texts)]
        wrong = shown
        for rounding in self._roundings(shown):
            if stepwise and rounding not in self.roundings:
                continue
            pairs = zip(shown, chain.from_iterable(digits(values, rounding)), strict=True)
            wrong = [text for text, own in pairs if text not in {own, None}]
            if not wrong:
                return ""
        return next(filter(None, wrong), "")

    def _roundings(self, texts: Iterable[str | None]) -> Iterator[Rounding]:
        """Yield the roundings whose results have as many digits as some texts."""
        shown = [text for text in texts if text is not None]
        found = [match.groups(default="") for match in (re.search(_NUMBER, text) for text in shown) if match]
        if not found or any(text.startswith("[") for text in shown):
            # Infinities, and the ends of an enclosure, do not tell how many digits were asked for.
            yield from self.roundings
            return
        places = {len(behind) for _, behind, _ in found}
        if len(places) == 1 and not any(power for *_, power in found):
            yield Rounding(places.pop(), None, self.ties)
        counts = {len((whole + behind).lstrip("0")) for whole, behind, power in found if behind or power} - {0}
        whole_numbers = [whole for whole, behind, power in found if not behind and not power]
        least = max((len(whole.strip("0")) for whole in whole_numbers), default=1)
        for figures in counts or range(max(least, 1), _LONGEST + 1):
            yield Rounding(None, figures, self.ties)
