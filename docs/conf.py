"""Configuration of the documentation: `sphinx-build -W docs site` builds it without a request to elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from symattn import __version__

project = "symattn"
author = "The symattn authors"
copyright = author  # noqa: A001 - Sphinx names it
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "generated_pages",
    "keyboard",
    "mathml",
]
# Links into the documentation of Python, NumPy and SymPy ask other hosts, so they are opt-in.
if os.environ.get("SYMATTN_DOCS_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "sympy": ("https://docs.sympy.org/latest", None),
    }

source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_ext", "_generated/**/*.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_member_order = "groupwise"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "symattn"
html_static_path = ["_static"]
html_extra_path = ["_generated/extra"]
(Path(__file__).parent / "_generated" / "extra").mkdir(parents=True, exist_ok=True)  # filled while the site is built
html_css_files = ["symattn.css"]
html_math_renderer = "mathml"
html_theme_options = {"source_edit_link": "", "top_of_page_buttons": []}
html_show_sourcelink = False
html_copy_source = False
