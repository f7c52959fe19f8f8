"""Sheets as text with the options of a check, which can be handed to another process."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING

from symattn.api.transcripts import VERSION
from symattn.problem.sheet import Sheet
from symattn.problem.text import document
from symattn.processes.limits import Budget
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.checking.report import Reveal


@dataclass(frozen=True, slots=True)
class SheetText:
    """A problem as text, which can be handed to another process.

    Attributes:
        text: its file.
        source: the name of the file.
        policy: keys of the rounding policy to replace, as the command line gives them.
        budget: what the check of one file may take.
        reveal: the amount that the reports tell.
        name: of several problems the one that is checked, None for all.
    """

    text: str
    source: str
    policy: str | None = None
    budget: Budget = Budget()
    reveal: Reveal = "value"
    name: str | None = None

    def problems(self) -> Sheet:
        """Return the problems that the text says.

        Raises:
            InputError: something in it, or in the policy, cannot be used as it stands.
        """
        return _problems(self)

    def digest(self, *, strict: bool, is_over: bool = False) -> str:
        """Return a digest of all that decides what is right: the problem, the options, and the release of the program.

        For a file that takes more than its budget, the budget is among them.
        """
        named = [] if self.name is None else [self.name]
        parts = [VERSION, self.text, self.policy, strict, self.reveal, *named, *(self.budget if is_over else ())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@cache
def _problems(sheet: SheetText) -> Sheet:
    tables = document.parse(sheet.text, "", sheet.source)
    return Sheet.of_tables(tables, sheet.source).chosen(sheet.name, sheet.policy)
