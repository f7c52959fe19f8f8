"""Documents through templates: LaTeX-safe delimiters, and nothing of people's text unescaped.

Everything that a `Document` holds is LaTeX already; people's text was escaped where it entered. The
templates only arrange it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from symattn.errors import InputError, expect, shortened
from symattn.rendering.sections.document import Document

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

TEMPLATES = ("article", "sheet", "exam", "fragment")
"""The documents that can be made: a worked key, the sheet alone, the exam class, a piece for ``\\input``."""

LINES = {"exam": 440.0}
"""The width of a line in points where a template is narrower than the page."""

WITH_GIVEN = ("sheet", "exam")
"""The templates that display what was given before the questions."""

_SUFFIX = ".tex.j2"


def render(document: Document, template: str = "article") -> str:
    """Return a document as LaTeX source.

    Raises:
        InputError: no such template.
    """
    expect(template, str, "A template is named by text")
    if template not in TEMPLATES:
        raise InputError(f"There is no template {shortened(template)!r}; there are {', '.join(TEMPLATES)}.")
    return _environment().get_template(template + _SUFFIX).render(document=document)


def _environment() -> Environment:
    # start-up: jinja2 costs as much as everything else together; only documents need it.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the output is LaTeX, escaped where text enters
        loader=FunctionLoader(_source),
        bytecode_cache=_cache(),
    )


def _cache() -> BytecodeCache | None:
    """Return a cache of compiled templates beside the bytecode of this module, if that folder is writable.

    An entry is used for the very text that it was made of, which jinja2 sees to; the number in its name goes up with
    every change of the settings above.
    """
    from jinja2 import FileSystemBytecodeCache

    folder = _bytecode_folder()
    if folder is None or not os.access(folder, os.W_OK):
        return None
    return FileSystemBytecodeCache(str(folder), "symattn-1-%s.template")


def _bytecode_folder() -> Path | None:
    cached = __spec__.cached
    return None if sys.dont_write_bytecode or cached is None else Path(cached).parent


def _source(name: str) -> str | None:
    """Return the text of a template: from the package where it is installed, else from the checkout."""
    # start-up: importlib.resources costs a dozen milliseconds; this reads from a zip too.
    from pkgutil import get_data

    try:
        inside = get_data("symattn", f"templates/{name}")
    except OSError:
        inside = None
    if inside is not None:
        return inside.decode("utf-8")
    beside = Path(__file__).resolve().parents[__name__.count(".")] / "templates" / name
    return beside.read_text(encoding="utf-8") if beside.is_file() else None
