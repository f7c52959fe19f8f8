"""Mathematics of the pages as MathML, which browsers show without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def to_mathml(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML.

    Raises:
        ValueError: a command of the formula is unknown to the converter.
    """
    written = convert(latex, display="block" if display else "inline")
    tree = ET.fromstring(written)  # noqa: S314 - made one line above
    unread = next((part.text for part in tree.iter() if part.text and part.text.startswith("\\")), None)
    if unread is not None:
        raise ValueError(f"the command {unread} is unknown")
    return written


def _write(self: HTML5Translator, node: nodes.Element, *, display: bool) -> None:
    try:
        written = to_mathml(node.astext(), display=display)
    except (ValueError, ET.ParseError) as fault:
        logger.warning("formula %r: %s", node.astext(), fault, location=node)
        written = self.encode(node.astext())
    self.body.append(f'<div class="math" tabindex="0">{written}</div>\n' if display else written)


def visit_inline(self: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula of a line and leave its children alone."""
    from docutils.nodes import SkipNode

    _write(self, node, display=False)
    raise SkipNode


def visit_display(self: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula of its own and leave its children alone."""
    from docutils.nodes import SkipNode

    _write(self, node, display=True)
    raise SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
