"""Names of functions that the writers are told of."""

from __future__ import annotations

from symattn.notation.lexer.dialects import ENTRYWISE
from symattn.notation.sides.reader import WORD_FUNCTIONS

SIDE_FUNCTIONS = WORD_FUNCTIONS | {"normal", ENTRYWISE}
"""Every name that a `Call` may have in what was read."""
