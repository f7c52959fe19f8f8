"""Templates of LaTeX documents, with LaTeX-safe delimiters.

All values are LaTeX already: text from outside was escaped where it entered, and the templates only arrange it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from symattn import late
from symattn.languages.catalogue import ENGLISH, Words

if TYPE_CHECKING:
    import pkgutil

    import jinja2
else:
    jinja2 = late.module("jinja2")
    pkgutil = late.module("pkgutil")

TEMPLATES = ("article", "sheet", "exam", "fragment")
"""The documents that can be made: a worked key, the sheet alone, the exam class, a piece for ``\\input``."""

LINES = {"exam": 440.0}
"""The width of a line in points where a template is narrower than the page."""

WITH_GIVEN = ("sheet", "exam")
"""The templates that display what was given before the questions."""

_SUFFIX = ".tex.j2"


def fill(template: str, words: Words = ENGLISH, **values: object) -> str:
    """Return the text of a template with its values and the fixed texts of a language."""
    return _environment().get_template(template + _SUFFIX).render(values, say=words.say)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        loader=jinja2.FunctionLoader(template_text),
        bytecode_cache=_cache(),
    )


def _cache() -> jinja2.BytecodeCache | None:
    """Return a cache of compiled templates beside the bytecode of this module, if that folder is writable.

    An entry is used for the very text that it was made of, which jinja2 sees to; the number in its name goes up with
    every change of the settings above.
    """
    folder = _bytecode_folder()
    if folder is None or not os.access(folder, os.W_OK):
        return None
    return jinja2.FileSystemBytecodeCache(str(folder), "symattn-1-%s.template")


def _bytecode_folder() -> Path | None:
    cached = __spec__.cached
    return None if sys.dont_write_bytecode or cached is None else Path(cached).parent


def template_text(name: str) -> str | None:
    """Return the text of a template: from the package where it is installed, else from the checkout."""
    try:
        # start-up: importlib.resources costs a dozen milliseconds; this reads from a zip too.
        inside = pkgutil.get_data("symattn", f"templates/{name}")
    except OSError:
        inside = None
    if inside is not None:
        return inside.decode("utf-8")
    beside = Path(__file__).resolve().parents[__name__.count(".")] / "templates" / name
    return beside.read_text(encoding="utf-8") if beside.is_file() else None
