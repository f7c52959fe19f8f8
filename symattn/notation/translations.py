"""Translations of the names of attention's quantities in other languages into English.

Chinese, Japanese, Korean, Russian, German, French, Spanish, Italian and Portuguese. Where words are written without
blanks a word is found inside of others, the longer ones first.
"""

from __future__ import annotations

import re
from functools import lru_cache

_EAST: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("masked scores", ("掩码后的?(?:得分|分数|分數|注意力分数)", "掩码(?:得分|分数|分數)", "遮罩後的?分數",
        "マスク後のスコア", "마스크된 ?점수")),
    ("attention scores", ("注意力(?:得分|分数|分數)", "アテンションスコア", "注意スコア", "어텐션 ?(?:스코어|점수)")),
    ("attention weights", ("注意力(?:权重|權重|分布|分佈|矩阵|矩陣)", "アテンション(?:の)?(?:重み|ウェイト)",
        "注意(?:の)?重み", "어텐션 ?(?:가중치|분포)", "주의 ?가중치")),
    ("weighted sum", ("加权(?:求)?和", "加權(?:求)?和", "加权平均", "加權平均", "加重和", "重み付き和",
        "重み付け和", "加重平均", "가중 ?합", "가중 ?평균")),
    ("dot products", ("点积", "點積", "内积", "內積", "内積", "ドット積", "내적", "점곱")),
    ("scaled", ("缩放(?:后|之后)?的?", "縮放(?:後|之後)?的?", "スケーリング(?:後)?(?:の)?",
        "スケール(?:後|済み)?(?:の)?", "스케일링?(?:된)?")),
    ("normalized", ("归一化(?:后)?的?", "歸一化(?:後)?的?", "正規化(?:後)?(?:の)?", "정규화(?:된)?")),
    ("exponentials", ("指数(?:値|值)?", "指數(?:值)?", "자연 ?지수", "지수")),
    ("row sums", ("行和", "行の和", "행 ?합")),
    ("denominator", ("分母", "분모")),
    ("mask", ("掩码", "掩碼", "遮罩", "マスク", "마스크")),
    ("scores", ("得分", "分数", "分數", "打分", "スコア", "점수", "스코어")),
    ("weights", ("权重", "權重", "重み", "ウェイト", "가중치")),
    ("context vector", ("上下文(?:向量)?", "語境向量", "文脈ベクトル", "コンテキスト(?:ベクトル)?",
        "컨텍스트 ?(?:벡터)?", "문맥 ?벡터")),
    ("output", ("输出(?:向量|结果)?", "輸出(?:向量|結果)?", "出力(?:ベクトル)?", "출력 ?(?:벡터)?")),
    ("query", ("查询(?:向量)?", "查詢(?:向量)?", "クエリー?(?:ベクトル)?", "쿼리 ?(?:벡터)?")),
    ("key", ("[键鍵](?:向量|(?![值値]))", "キー(?:ベクトル)?", "키 ?벡터", "(?<![가-힣])키(?![가-힣])")),
    ("value", ("值向量", "バリュー(?:ベクトル)?", "値ベクトル", "(?<![一-龥])[值値](?![一-龥])", "밸류 ?(?:벡터)?",
        "값 ?벡터", "(?<![가-힣])값(?![가-힣])")),
    ("token", ("词元", "词语", "单词", "單詞", "トークン", "単語", "토큰", "단어", "(?<![一-龥])[词詞](?![一-龥])")),
    ("head", ("(?:注意力)?[头頭](?= ?[0-9一二三四])", "ヘッド", "헤드")),
    ("row", ("第(?=[0-9 ]{1,4}行)",)),
)  # fmt: skip
_WEST: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("attention weights", (r"вес\w{0,3} внимани\w", "aufmerksamkeitsgewichte?n?", "poids d.attention",
        "pesos de (?:la )?atenci[óo]n", "pesi di attenzione", "pesos de atenção")),
    ("attention scores", (r"оценк\w внимани\w", "aufmerksamkeits(?:werte|punkt(?:e|zahlen))", "scores? d.attention",
        "puntuaci(?:ón|ones) de (?:la )?atenci[óo]n", "punteggi di attenzione", "pontuaç(?:ão|ões) de atenção")),
    ("weighted sum", (r"взвешенн\w{1,3} сумм\w{0,2}", "gewichtete summe", "somme pondérée", "suma ponderada",
        "somma pesata", "soma ponderada")),
    ("dot products", (r"скалярн\w{1,3} произведени\w{1,2}", "skalarprodukte?", "produits? scalaires?",
        "productos? (?:escalar(?:es)?|punto)", "prodott[oi] scalar[ei]", "produtos? escalar(?:es)?")),
    ("scaled", (r"масштабир\w+", r"отмасштабир\w+", "skalierte?[nr]?", "mise? à l.échelle", "mis à l.échelle",
        "normalisés par la racine", "escalad[oa]s?", "scalat[oiae]", "escalonad[oa]s?")),
    ("normalized", (r"нормализ\w+", r"нормиров\w+", "normalisierte?[nr]?", "normalisée?s?", "normalizad[oa]s?",
        "normalizzat[oiae]")),
    ("exponentials", (r"экспонент\w{0,3}", "exponentielles?", "exponenciales?", "esponenziali", "exponenciais")),
    ("denominator", (r"знаменател\w{1,2}", "nenner", "dénominateur", "denominador", "denominatore")),
    ("sum", (r"сумм\w", "summe", "somme", "suma", "somma", "soma")),
    ("mask", (r"маск\w{1,2}", "maske", "masque", "máscara", "maschera")),
    ("scores", ("оцен(?:ки|ка|ок)", r"скор\w{0,2}", "баллы?", "punktzahl(?:en)?", "punkte", "bewertung(?:en)?",
        "puntuaci(?:ón|ones)", "puntajes?", "punteggi[o]?", "pontuaç(?:ão|ões)")),
    ("weights", ("вес(?:а|ов)?", "gewichte?n?", "poids", "pesos?", "pes[oi]")),
    ("output", (r"выход\w{0,2}", "ausgaben?", "sorties?", "salidas?", "uscit[ae]", "saídas?")),
    ("context vector", (r"контекстн\w{1,3} вектор\w{0,2}", "kontextvektor(?:en)?", "vecteur de contexte",
        "vector(?:es)? de contexto", "vettore di contesto", "vetor de contexto")),
    ("query", (r"запрос\w{0,2}", "anfragen?", "requêtes?", "consultas?", "interrogazion[ei]")),
    ("key", (r"ключ\w{0,2}", "schlüssel", "clés?", "claves?", "chiav[ei]", "chaves?")),
    ("value", (r"значени\w{1,2}", "werte?", "valeurs?", "valor(?:es)?", "valor[ei]")),
    ("head", (r"голов\w{1,2}", "kopf", "tête", "cabeza", "testa", "cabeça")),
    ("token", (r"токен\w{0,2}", r"слов\w", "wort", "wörter", "mots?", "palabras?", "parol[ae]", "palavras?")),
    ("row", (r"строк\w{1,2}", "zeilen?", "lignes?", "filas?", "righ?[ae]", "linhas?")),
    ("for", ("für", "pour", "para", "per", "для", "von", "de", "di", "des", "der", "du", "del", "della", "da", "do")),
    ("the", ("die", "das", "les", "la", "le", "las", "los", "el", "il", "lo", "gli", "os", "as")),
)  # fmt: skip

_PATTERN = re.compile(
    "|".join(
        [rf"(?P<e{place}>{'|'.join(words)})" for place, (_, words) in enumerate(_EAST)]
        + [rf"(?<![^\W_])(?P<w{place}>{'|'.join(words)})(?![^\W_])" for place, (_, words) in enumerate(_WEST)]
    ),
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FOREIGN = re.compile(
    r"(?<![^\W_])(?:aufmerksamkeits\w{1,20}|gewichte?n?|ausgaben?|skaliert\w{0,2}|skalarprodukte?|summe|nenner|maske|anfragen?|werte?|zeilen?"
    r"|poids|sorties?|somme|masque|valeurs?|lignes?|produits? scalaires?|pesos?|salidas?|suma|consultas?|claves?"
    r"|valores|filas?|puntuaciones|puntajes?|escalad[oa]s?|pesi|uscit[ae]|somma|chiav[ei]|punteggi|punktzahl(?:en)?)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""Words that no English text holds; only of what holds them, or such letters, are words put into English."""

_HAN = "一二三四五六七八九"
_COUNTED = re.compile(
    rf"第 ?(?:[{_HAN}]|[0-9]{{1,2}}) ?(?:个|個)? ?(?:词元|词语|单词|單詞|词|詞|字|token|トークン|単語)"
    r"|[0-9]{1,2} ?(?:番目の?|번째) ?(?:トークン|単語|토큰|단어)",
    re.IGNORECASE,
)
_OWN = re.compile(r"token (?P<number>[0-9]{1,2}) ?(?:的|の|의) ?")

_MOST = 400


def is_foreign(words: str) -> bool:
    """Return True if words are of another language, as far as one can see.

    >>> is_foreign("Poids d'attention"), is_foreign("得分"), is_foreign("attention weights")
    (True, True, False)
    """
    return any(pattern.search(words[:_MOST]) is not None for pattern in (_LETTERS, _FOREIGN))


@lru_cache(maxsize=1024)
def in_english(words: str) -> str:
    """Return words with those for quantities of attention in English; English ones come back as they are.

    >>> in_english("注意力权重"), in_english("Веса внимания"), in_english("Ausgabe für Token 2")
    ('attention weights', 'attention weights', 'output for Token 2')
    """
    if len(words) > _MOST or not is_foreign(words):
        return words
    counted = _COUNTED.sub(lambda found: f" token {_place(found[0])} ", words)
    put = _PATTERN.sub(lambda found: f" {_meaning(found.lastgroup or '')} ", counted)
    plain = " ".join(put.split()).replace("the token ", "token ")
    return _OWN.sub(r"token \g<number>'s ", plain)


def _place(words: str) -> int:
    digits = re.search("[0-9]{1,2}", words)
    return int(digits[0]) if digits is not None else 1 + _HAN.index(next(sign for sign in words if sign in _HAN))


def _meaning(group: str) -> str:
    return (_EAST if group[:1] == "e" else _WEST)[int(group[1:])][0]
