r"""Lenient parser for one side of a chain as people write it, LaTeX and plain text alike.

Where people's habits leave two readings it takes the likelier one, notes what was ambiguous, and takes the
other one instead when it is asked for (`flips`). The kinds: ``"mixed"`` (``2\frac12``), ``"digits"``
(``2^10``), ``"slash"`` (``1/2x``), ``"ten"`` (``1/2 \times 10^3``), ``"shared"`` (``QK_{11}``).
"""

from __future__ import annotations

from typing import ClassVar

from symattn.notation import tree as t
from symattn.notation.operations import Readers
from symattn.notation.side_arithmetic import SideArithmetic
from symattn.notation.side_brackets import SideBrackets
from symattn.notation.side_commands import SideCommands
from symattn.notation.side_entries import SideEntries
from symattn.notation.side_names import SideNames
from symattn.notation.side_scripts import SideScripts


class SideParser(SideArithmetic, SideScripts, SideEntries, SideNames, SideBrackets, SideCommands):
    """The grammar of submissions: each part of it stands in a file of its own."""

    readers: ClassVar[Readers] = {
        "number": SideNames.number, "name": SideNames.word, "quoted": SideNames.name, "reals": SideNames.name,
        "mean": SideNames.name, "open": SideBrackets.brackets, "angle": SideBrackets.brackets,
        "bar": SideBrackets.bars, "brace": SideCommands.braced, "fraction": SideCommands.fraction,
        "root": SideCommands.root, "box": SideCommands.box, "font": SideCommands.font_command,
        "accent": SideCommands.accent, "brace-under": SideCommands.braced_under, "over": SideCommands.over,
        "matrix": SideCommands.matrix, "sum": SideScripts.sum_over, "dots": SideCommands.dots,
    }  # fmt: skip

    def side(self) -> t.Node:
        """Read the whole side."""
        items = [self.expression()]
        while self.here.kind in {"comma", "semicolon"} and self.peek().kind != "end":
            self.take()
            items.append(self.expression())
            self.limit(len(items), "items")
        if self.here.kind in {"comma", "semicolon"}:
            self.take()
        node = items[0].node
        if len(items) > 1:
            node = t.Vector(tuple(item.node for item in items), "(", span=(items[0].start, items[-1].end))
        return self.whole(node, items[0].start)
