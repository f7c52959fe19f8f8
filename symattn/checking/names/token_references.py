"""References to a single token, in several languages: ``Row 2``, ``for “love”``, ``第二个词``, ``zweites Wort``.

Below them a single row stands for all of a quantity.
"""

from __future__ import annotations

import re

_COUNTED = (
    r"tokens?|words?|rows?|quer(?:y|ies)|positions?|items?"
    r"|词元|词语|单词|單詞|词|詞|字|行|查询|查詢|位置|令牌|トークン|単語|クエリ|토큰|단어|행|쿼리"
    r"|токен\w{0,3}|слов\w{1,2}|строк\w{1,2}|запрос\w{0,2}|wort\w{0,2}|zeilen?|anfragen?"
    r"|mots?|lignes?|requêtes?|palabras?|filas?|consultas?|parol[ae]|righ?[ae]|palavras?|linhas?"
)
_ORDINALS: tuple[str, ...] = (
    r"first|1st|第 ?[一1１]|첫 ?번째|1번째|1番目|перв\w{2,3}|erste[nrsm]?|premi(?:er|ère)|primer[ao]?|primeir[ao]",
    r"second|2nd|第 ?[二2２]|두 ?번째|2번째|2番目|втор\w{2,3}|zweite[nrsm]?|deuxième|seconde?|segund[ao]|second[ao]",
    r"third|3rd|第 ?[三3３]|세 ?번째|3번째|3番目|трет\w{2,4}|dritte[nrsm]?|troisième|tercer[ao]?|terz[ao]|terceir[ao]",
    r"fourth|4th|第 ?[四4４]|네 ?번째|4번째|4番目|четв[её]рт\w{2,3}|vierte[nrsm]?|quatrième|cuart[ao]|quart[ao]",
    r"fifth|5th|第 ?[五5５]|다섯 ?번째|5번째|5番目|пят\w{2,3}|fünfte[nrsm]?|cinquième|quint[ao]",
    r"sixth|6th|第 ?[六6６]|여섯 ?번째|6번째|6番目|шест\w{2,3}|sechste[nrsm]?|sixième|sext[ao]",
)
"""Ordinal numbers, the first of them first."""

_ANY = "|".join(_ORDINALS)
_ORDINAL = re.compile(
    rf"(?<!\w)(?:{_ANY})(?: ?(?:个|個|の))? ?(?:(?:query|query's|input|查询)[ -])?(?:{_COUNTED})(?![a-zà-ÿ])",
    re.IGNORECASE,
)
_EACH = tuple(re.compile(rf"(?:{words})", re.IGNORECASE) for words in _ORDINALS)
_NUMBERED = re.compile(
    rf"(?<![^\W_])(?:{_COUNTED})[ _]?[#№$(]{{0,2}}[ ]?(?P<number>[0-9]{{1,3}})(?![0-9]|[.,][0-9])", re.IGNORECASE
)
_QUOTED = re.compile(
    r"(?<![^\W_])(?:for|of|from|at|token|word|query|position|für|pour|para|per|для|слова?|токена?)"
    r"(?: the)?(?: (?:token|word|query|mot|palabra|wort))? ?[*_]{0,2}[“„\"'‘«「`]\w[^”“\"'’»」`\n]{0,20}[”“\"'’»」`]"
    r"|(?:对于?|對於?|计算|計算|词|詞|单词|token|トークン|토큰|단어) ?[*_]{0,2}"
    r"[“„\"'‘「`『]\w[^”“\"'’」`』\n]{0,20}[”“\"'’」`』]",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\b(?:(?:a|one|the) single|(?:only|just) (?:one|the \w{1,8})|the (?:current|query|last|final))"
    r" (?:token|word|query|row)\b",
    re.IGNORECASE,
)


def place_said(words: str) -> int | None:
    """Return the place of the token that words count with an ordinal, from 1; None where they count none or several.

    >>> place_said("Now the second token"), place_said("第三个词的输出"), place_said("the first score")
    (2, 3, None)
    """
    counted = [found[0] for found in _ORDINAL.finditer(words)]
    places = {next(place for place, pattern in enumerate(_EACH, 1) if pattern.match(text)) for text in counted}
    return places.pop() if len(places) == 1 else None


def number_said(words: str) -> int | None:
    """Return the number of the token that words name, as they count; None where they name none, or several.

    >>> number_said("Zeile 2"), number_said("토큰 1"), number_said("rows 1 and 2 of row 3")
    (2, 1, None)
    """
    numbers = {int(found["number"]) for found in _NUMBERED.finditer(words)}
    return numbers.pop() if len(numbers) == 1 else None


def is_of_one(words: str) -> bool:
    """Return whether words speak of one token by its name: ``Let us compute the attention for “love”``.

    >>> is_of_one("for “love”:"), is_of_one("the current token"), is_of_one("for all tokens")
    (True, True, False)
    """
    return len({found[0] for found in _QUOTED.finditer(words)}) == 1 or _ALONE.search(words) is not None
