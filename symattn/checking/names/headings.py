"""Normalisation of headings: words in brackets or behind a word belong to it, a title is not a step."""

from __future__ import annotations

import re

_TITLE = re.compile(r"\bscaled[ -]dot[ -]?product(?:[ -]attention)?\b")
"""The name of the whole method: it says of no matrix that it is scaled."""

_UNSCALED = re.compile(
    r"\b(?:un-?scaled|non-?scaled|pre-?scal\w{2,4}|not (?:yet )?scaled|(?:before|without|prior to) (?:the )?scal\w{1,4}"
    r"|(?:before|without) (?:the )?(?:division|dividing)(?: by)?)\b"
)
_SCALED = re.compile(
    r"\b(?:scores?|logits?|similarit(?:y|ies)|dot products?|energies)\b(?=[^.;]{0,40}"
    r"(?:\bscaled\b|\bafter scaling\b|\bdivided by\b|\bnormali[sz]ed by\b|/ ?\\?(?:√|sqrt)))"
)


def as_meant(heading: str) -> str:
    """Return a heading in lower case with its words in normal order.

    >>> as_meant("Attention scores (scaled):"), as_meant("# Scaled dot-product attention")
    ('attention scaled scores (scaled):', '# ')
    >>> as_meant("Unscaled scores"), as_meant("Masked scores (before scaling)")
    (' scores', 'masked scores ()')
    """
    text = _UNSCALED.sub("", _TITLE.sub("", heading.lower()))
    return _SCALED.sub(lambda found: f"scaled {found[0]}", text) if "scaled score" not in text else text
