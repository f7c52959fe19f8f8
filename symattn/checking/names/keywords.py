"""Keywords that say what the numbers below or behind them are: ``Divide by √2``, ``Softmax``, ``Ausgabe``."""

from __future__ import annotations

import re

from symattn import late
from symattn.checking.names.lexicon import BY_KEY, SCORES
from symattn.checking.names.phrases import MOST
from symattn.notation.lexicon.reader import Said, said, words_beside

_OTHER = frozenset({
    *("m", "shifted", "P", "T", "L", "P_O", "W_Q", "W_K", "W_V", "W_O"),
    *("R_1", "R_2", "N_1", "N_2", "Y_1", "F_1", "F_act", "F_2"),
    *("norm", "project", "maximum", "shift", "gradient", "before"),
})  # fmt: skip
"""Quantities, operations and states below whose names other numbers stand as well."""

_MEANT: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset({"O", "weigh", "Y_2"}), ("O",)),
    (frozenset({"Z/"}), ("A",)),
    (frozenset({"S_masked", "masked", "M", "mask"}), ("S_masked", "M")),
    (frozenset({"unscaled"}), ("S",)),
    (frozenset({"Z", "sum"}), ("Z",)),
    (frozenset({"A", "softmax", "normalized"}), ("A",)),
    (frozenset({"E", "exponentiate"}), ("E",)),
    (frozenset({"S_scaled", "scale", "scaled"}), ("S_scaled",)),
    (frozenset({"S"}), ("S", "S_scaled")),
    (frozenset({"Q"}), ("Q",)),
    (frozenset({"K", "K_new", "K_cache"}), ("K",)),
    (frozenset({"V", "V_new", "V_cache"}), ("V",)),
)
"""Quantities by what words say together, the more telling first."""

_SYMBOLS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[·@×*] ?V\b|\bA ?V\b"), "O"),
    (re.compile(r"\bV\b"), "V/"),
    (re.compile(r"/ ?(?:√|\\?sqrt)"), "scale"),
    (re.compile(r"\be(?:\^|\*\*)"), "E"),
    (re.compile(r"[Qq] ?[*·@]? ?[Kk]\b|QK|K\^?T ?Q\b"), "S"),
)
"""Formulas among the words."""

_DIVIDED = frozenset({"scale", "normalized", "softmax"})
_PLAIN = frozenset({"quantity", "operation", "state", "line", "relation"})
_CLAUSES = late.pattern(r"(?<=[.;!?])\s+|\n")
_LISTED = late.pattern(r"^\s*(?:\(?[0-9a-z]{1,2}[.)]\s+|[-*+]\s+|step [0-9]+\s*[:.)-]\s*)", re.IGNORECASE)


def cue(words: str) -> tuple[str, ...] | None:
    """Return the quantities that words may name, the likelier first; None where they name none.

    >>> cue("Divide by √2"), cue("2. Softmax"), cue("Multiply V with A"), cue("It is a cat")
    (('S_scaled',), ('A',), ('O',), None)
    """
    text = words[-MOST:].replace("$", "")
    bare = text.strip(" .:*#[]=")
    alone = [item.name for item in said(bare) if item.kind == "quantity" and item.end - item.start == len(bare)]
    if alone[:1] == ["M"] or alone[:1] == ["A"]:
        return (alone[0],)
    items = [item for item in said(text) if not item.when]
    likely = [item for item in items if item.rank == 0]
    names = {item.name for item in likely if item.kind in {"quantity", "operation", "state"}}
    if names & _OTHER or any(item.kind == "outside" for item in likely):
        return ()
    if says_unscaled(text):
        names.add("unscaled")
    names.update(name for pattern, name in _SYMBOLS if pattern.search(text) is not None)
    if names & {"V", "V/"} and names & {"product", "A"} and "S" not in names:
        names.add("O")
    if "Z" in names and names & _DIVIDED:
        names.add("Z/")
    found = [meant for known, meant in _MEANT if known & names]
    what = _argument(likely) if ("A",) in found[:1] else ()
    if what:  # before what comes out of the softmax, or before what goes in
        return (*found[0], *what)
    return found[0] if found else None


def statistic(words: str) -> tuple[str, ...] | None:
    """Return the mean or the variance of a norm, where words name nothing else.

    >>> statistic("Variance of each row"), statistic("variance of the scores"), statistic("Row sums")
    (('var_1',), None, None)
    """
    items = said(words)
    names = {item.name for item in items if item.kind == "quantity" and not item.rank}
    is_alone = names <= {"mu_1"} or names <= {"var_1"}
    is_plain = all(item.kind in {"quantity", "relation", "line"} for item in items) and not words_beside(words, items)
    return tuple(names) if names and is_alone and is_plain else None


def says_unscaled(words: str) -> bool:
    """Return whether words say that scores are not scaled yet.

    >>> says_unscaled("the raw scores"), says_unscaled("scores before scaling"), says_unscaled("the scores")
    (True, True, False)
    """
    names = {item.name for item in said(words) if item.language == "en"}  # "scores" alone may be the scaled ones
    return "unscaled" in names or ("S" in names and "S_scaled" not in names)


def _argument(items: list[Said]) -> tuple[str, ...]:
    """Return the scores of which words take the softmax at their end: ``softmax to the scaled scores``."""
    names = [item.name for item in items if item.name not in {"the", "filler", "label"}]
    if names[-3:-2] == ["softmax"] and names[-2] in {"of", "to"} and names[-1] in SCORES:
        return ("S", "S_scaled") if names[-1] == "S" else (names[-1],)
    return ()


_BY_STEP = {
    "softmax": "A", "scale": "S_scaled", "scaled": "S_scaled", "mask": "S_masked", "concatenate": "C", "multihead": "O",
    "weigh": "O", "exponentiate": "E",
}  # fmt: skip
"""Results of steps that a heading names."""

_IN_HEADINGS = frozenset({*BY_KEY, "Z", "C", "O", "Q", "K", "V"})


def in_heading(heading: str) -> list[str]:
    """Return the quantities that may stand below a heading, in the order of its words.

    >>> in_heading("Attention scores (scaled):"), in_heading("# Scaled dot-product attention")
    (['S_scaled', 'S'], [])
    >>> in_heading("Unscaled scores"), in_heading("Masked scores (before scaling)")
    (['S'], ['S_masked', 'S'])
    """
    found: list[str] = []
    for item in said(heading):
        name = _BY_STEP.get(item.name) if item.kind in {"operation", "state"} else item.name
        name = name[1:] if name is not None and item.when == "gradient" else name
        is_likely = not item.rank or name in SCORES
        if name in _IN_HEADINGS and is_likely and item.when in {"", "gradient"}:
            found += [name, "S"] if name in SCORES else [name]
    return list(dict.fromkeys(found))


def is_clear(words: str) -> bool:
    """Return whether words say nothing but which quantity is meant.

    >>> is_clear("attn_scores_scaled"), is_clear("The weights of the second layer")
    (True, False)
    """
    return not words_beside(words, filter(_is_plain, said(words)), least=3)


def _is_plain(item: Said) -> bool:
    """Return whether a word only says which quantity is meant, and not which line of it, or on what sheet."""
    return (item.kind in _PLAIN or item.name == "head") and not item.is_ordinal and not item.when


def last_clause(words: str) -> str:
    """Return the last sentence of a paragraph, which introduces the formula below it."""
    parts = [part for part in _CLAUSES.split(words.strip()) if part.strip(" .:*-")]
    return _LISTED.sub("", parts[-1]) if parts else ""
