"""Labels of keys: words, as LaTeX, for what a problem declares or takes by default; the tables of ``labels.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.data_files import read_table

_TABLES: Mapping[str, Any] = read_table(__package__, "labels.toml")

ACTIVATIONS: Mapping[str, Mapping[str, str]] = _TABLES["activations"]
"""Activations, by their words in a problem file: the ``definition`` of each, and how the gradient comes ``back``."""

NETWORK_WORDS: Mapping[str, str] = _TABLES["network"]
"""What a key says of quantities of a network, for the definition of its activation."""

LOSSES: Mapping[str, str] = _TABLES["losses"]
"""Sentences on losses and their gradients."""

SCORE_STEPS: Mapping[str, Mapping[str, str]] = _TABLES["score_steps"]
"""Steps between scores and weights, by what each makes.

Of each: the ``title`` of its part, what a key ``says`` of it, and what was ``done`` to the scores.
"""

ROUNDING_STEPS: Mapping[str, str] = _TABLES["rounding_steps"]
DEFAULTS: Mapping[str, str] = _TABLES["defaults"]
