"""The directive `generated`: parts of pages that are made from the tables of the program while the site is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import commands
import gallery
import tables
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes
    from sphinx.application import Sphinx

PARTS: dict[str, Callable[[], str]] = {
    "combinations": tables.combinations,
    "commands": commands.commands,
    "diagnoses": tables.diagnoses,
    "gallery": gallery.cards,
    "json-outputs": tables.json_outputs,
    "letters": tables.letters,
    "problem-keys": tables.problem_keys,
    "rounding-steps": tables.rounding_steps,
    "theorems": tables.theorems,
    "verdicts": tables.verdicts,
}
"""The parts by name, each a function that returns Markdown."""


class Generated(SphinxDirective):
    """Insert the Markdown of one part."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the part.

        Raises:
            DirectiveError: the part is unknown.
        """
        name = self.arguments[0]
        if name not in PARTS:
            raise self.error(f"unknown part {name}: use one of {', '.join(PARTS)}")
        return self.parse_text_to_nodes(PARTS[name](), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and make the gallery before pages are read."""
    app.add_directive("generated", Generated)
    app.connect("builder-inited", gallery.build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
