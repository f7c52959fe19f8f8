"""Templates of what is exported, with Jinja; every value is escaped for XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn import late
from symattn.rendering.latex.templates import template_text

if TYPE_CHECKING:
    import jinja2
else:
    jinja2 = late.module("jinja2")


def fill(name: str, **values: object) -> str:
    """Return the text of a template of `templates/exports` with its values.

    Args:
        name: the path of the template there, without the ending `.j2`.
        values: what it shows.
    """
    return _environment().get_template(f"exports/{name}.j2").render(values)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(template_text),
    )
