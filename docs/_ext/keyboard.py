"""Code and tables that scroll can be scrolled with the keyboard: the theme leaves out their place in the tab order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

_SCROLLING = re.compile(r'<(?:pre|div(?= class="table-wrapper))\b')


def focusable(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None) -> None:
    """Put everything that scrolls into the tab order."""
    if "body" in context:
        context["body"] = _SCROLLING.sub(r'\g<0> tabindex="0"', context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Change each page before it is written."""
    app.connect("html-page-context", focusable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
