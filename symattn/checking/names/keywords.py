"""Keywords that say what the numbers below or behind them are: ``Divide by √2``, ``Softmax``, ``Ausgabe``."""

from __future__ import annotations

import re

from symattn.checking.names.phrases import MOST
from symattn.notation.lexicon.translation import in_english

_NOTHING = (
    r"subtract|shift|minus (?:the |its |each )?(?:row )?max|\bmax(?:im\w+)?\b|\brank|\berror|\bloss|\bgradient",
    r"\bshapes?\b|\bdimension",
    r"dropout|relu|layer ?norm|residual|one-hot|position|argmax|target|(?<!attention )weight matri|projection|\blearn",
    r"parameter|\bW_|\btrain|\binitial|feed-?forward|\bmlp\b|\bffn\b|encoder|entropy|difference|\bif\b|instead",
    r"\bw (?:q|k|v|key|query|value|o)\b|weights? (?:for|of) (?:the )?(?:key|quer|value|project)",
    r"without|\bprevious|\bbefore\b(?! scal| divid| soft| the scal| mask)",
)
_OUTPUTS = (
    r"outputs?\b|\bcontext|new embedding|\b(?:contextual|updated|new) (?:embedding|representation|vector)s?",
    r"weighted (?:sum|average|mean|value|feature|combination)|multipl\w+ .{0,40}\b(?:values?|V)\b",
    r"(?:times|[·*@×]) ?V\b",
    r"\bA ?V\b|ausgabe|salida|sortie|kontext|saída|uscita|输出|出力",
)
_WEIGHTS = (
    r"softmax|softargmax|weights?\b|normali[sz]|probabilit|attention (?:matrix|map|pattern|distribution)",
    r"\bgewichte?\b|\bpesos?\b|\bpoids\b|\bpesi\b|权重",
)
_SCALED = (
    r"scaled?\b|scaling|/ ?(?:√|sqrt|\\sqrt)|\b(?:1/√|1/sqrt)|durch (?:√|sqrt)",
    r"divid\w* (?:\w+ ){0,3}(?:by )?(?:the )?(?:sqrt|√|root|square|\\sqrt|1\.[47]|2\b)",
    r"skaliert|escalad|géteilt|mise à l.échelle",
)
_PRODUCTS = (
    r"scores?\b|dot[ -]products?|similarit|\blogits?\b|\benerg|Q ?[*·@]? ?K\b|QK",
    r"K\^?T ?(?:and|with|times|by|[·*@])? ?Q\b|puntuaci|puntaje|skalarprodukt|produits? scalaires?|punteggi|得分|分数",
)
_CUES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_NOTHING, ()),
    (_OUTPUTS, ("O",)),
    ((r"(?:divid|normali[sz])\w* .{0,40}\b(?:sums?|total|denominators?)\b",), ("A",)),
    ((r"^\W*(?:(?:the|causal|attention|padding|our) ){0,3}mask(?: matrix)?(?: M)?\W*$",), ("M",)),
    (("mask",), ("S_masked", "M")),
    ((r"\b(?:raw|unscaled|before scaling|before dividing)\b",), ("S",)),
    ((r"\bsums?\b|\bdenominators?\b|\bsumme\b|\bsuma\b|\bsomme\b",), ("Z",)),
    (_WEIGHTS, ("A",)),
    ((r"\bexp\b|exponential|exponentiat|\be\^|e\*\*|exponenti|\bexps\b",), ("E",)),
    (_SCALED, ("S_scaled",)),
    (_PRODUCTS, ("S", "S_scaled")),
    ((r"\bquer(?:y|ies)\b",), ("Q",)),
    ((r"\bkeys?\b",), ("K",)),
    ((r"\bvalues?\b",), ("V",)),
    ((r"^\W*(?:self )?(?:attn|attention)\W*$",), ("A",)),
)
"""Quantities of keywords, the more telling first; nothing for words outside the problem."""

_CLEAR = frozenset(
    "attn attention self scores score weights weight scaled raw unscaled context vec vecs vector vectors output "  # noqa: SIM905 - a list of words
    "outputs "
    "softmax softargmax matrix final row rows the and with from all each column columns probs probabilities embedding "
    "embeddings head dot product products similarity similarities logits exp exps exponentials exponentiate divide by "
    "divided scale scaling sqrt sum sums normalize normalise multiply times apply compute step then now are get map "
    "after before masked mask query queries key keys value values weighted gewichte ausgabe salida pesos sortie poids "
    "for our this that these following result resulting gives give token tokens word words their new as root square "
    "matmul print result distribution row-wise rowwise applying taking take over".split()
)
"""Words that say no more than which quantity it is."""

_WORDS = re.compile(r"[^\W\d_]{3,}")
_PATTERNS = tuple((re.compile("|".join(patterns), re.IGNORECASE), names) for patterns, names in _CUES)
_NUMBERED = re.compile(
    r"(?:row|token|query|position|word|output|zeile|fila|ligne|[qxt])[ _]?\{?([0-9]{1,3})\}?", re.IGNORECASE
)
_OF_TOKEN = re.compile(r"(?:token|row|query|word|position) ([0-9]{1,3})(?:'s)?,? ", re.IGNORECASE)
_APPLIED = re.compile(r"\bsoft(?:arg)?max\b[^.;:]{0,30}?\b(?:to|on|of|over)\b(?P<what>[^.;:]{3,60})$", re.IGNORECASE)
"""``We apply softmax to the scaled scores``, before what comes out or before what goes in."""

_CLAUSES = re.compile(r"(?<=[.;!?])\s+|\n")
_LISTED = re.compile(r"^\s*(?:\(?[0-9a-z]{1,2}[.)]\s+|[-*+]\s+|step [0-9]+\s*[:.)-]\s*)", re.IGNORECASE)


def cue(words: str) -> tuple[str, ...] | None:
    """Return the quantities that words may name, the likelier first; None where they name none.

    >>> cue("Divide by √2"), cue("2. Softmax"), cue("Multiply V with A"), cue("It is a cat")
    (('S_scaled',), ('A',), ('O',), None)
    """
    text = in_english(words[-MOST:])
    text = text.replace("$", "").replace("_", " " if text.islower() else "_")
    found = next((names for pattern, names in _PATTERNS if pattern.search(text)), None)
    applied = _APPLIED.search(text) if found else None
    what = None if applied is None else cue(applied["what"])
    return (*found, *(name for name in what if name not in found)) if found and what else found


def is_clear(words: str) -> bool:
    """Return whether words say nothing but which quantity is meant.

    >>> is_clear("attn_scores_scaled"), is_clear("The weights of the second layer")
    (True, False)
    """
    return all(word.lower() in _CLEAR for word in _WORDS.findall(in_english(words).replace("_", " ")))


def last_clause(words: str) -> str:
    """Return the last sentence of a paragraph, which introduces the formula below it."""
    parts = [part for part in _CLAUSES.split(words.strip()) if part.strip(" .:*-")]
    return _LISTED.sub("", parts[-1]) if parts else ""


def number_in(words: str) -> int | None:
    """Return the number of the row that a label gives: ``Row 1``, ``token 2``.

    >>> number_in("Row 1"), number_in("cat")
    (1, None)
    """
    found = _NUMBERED.fullmatch(in_english(words).strip(" :.*$`"))
    return None if found is None else int(found[1])


def token_in(words: str) -> int | None:
    """Return the token that a label begins with: ``Token 1 scores``.

    >>> token_in("Token 1 scores"), token_in("scores")
    (1, None)
    """
    found = _OF_TOKEN.match(in_english(words))
    return None if found is None else int(found[1])
