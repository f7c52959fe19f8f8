"""Rules for code syntax: calls of methods, types, arrows of assignment, and verbs typed between names and numbers.

``scores.softmax(dim=-1)`` is the softmax of the scores, and the type before a name in C++ says nothing of its value.
"""

from __future__ import annotations

import re

from symattn.notation.documents.rules.rule import PRINTED, Rewrite, Rule, both, put

_LETTER = r"(?:[a-z](?:_?\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\])?|[A-Z](?:_\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\]))"
_NAME = r"[A-Za-z_]\w{0,40}"
_FREE = r"(?<![\w.)\]])"
_AXIS = r"(?:(?:dim|axis)[ ]?=[ ]?)?"
_INSIDE = r"(?:[^()\n]|\([^()\n]{0,60}\)){1,120}"
_KEEP = r"[ ]?(?:,[ ]?keepdims?[ ]?=[ ]?True[ ]?)?\)"
_SUMMED = (
    rf"{_FREE}(?:(?P<of>{_NAME})\.sum\([ ]?"
    rf"|(?:np|torch|jnp)\.sum\([ ]?(?P<inner>{_NAME}(?:[ ]?[*⊙][ ]?{_NAME})?)[ ]?,[ ]?)"
)
_WITH_SUMS = re.compile(r"^[^\n]{0,200}\.sum\((?:(?:dim|axis)\b|-?[0-9]|[A-Za-z_]+ ?\*)[^\n]{0,200}$", re.MULTILINE)
_STAR = re.compile(r"(?<![*])(?<=[A-Za-z_) ])\*(?=[ ]?[A-Za-z(])(?![*])")
_ENDLESS = r"(?:-?[ ]?(?:np|torch|math|jnp)\.inf|float\(['\"]-inf['\"]\)|-[0-9.]{1,6}e[0-9]{1,2}|-inf)"
_IS_EAST = (
    r"(?:(?:得分|分数|分數|权重|權重|输出|輸出|向量|查询|查詢|点积|點積|内积|結果|结果) ?(?:分别|分別)?"
    r"(?P<verb>等于|等於|就是|[为為是])(?= ?[:：]? ?[\[(（] ?[−-]? ?[0-9.])"
    r"|(?<![A-Za-z0-9_.])[A-Za-z]_?\{?[0-9]{1,2}\}? ?(?P<number>等于|等於|就是|[为為是])"
    r"(?= ?[−-]?[0-9.]{1,12}(?![0-9]? ?[×x])))"
)


def _entrywise(text: str) -> str:
    if "sum(" not in text or "@" not in text:
        return text
    return _WITH_SUMS.sub(lambda line: _STAR.sub("⊙", line[0]), text)


def _sums(axes: str, name: str) -> Rewrite:
    """Return the rewriting of sums along one axis; a name or the call of a product is put in brackets of its own."""
    of_name = put(rf"{_SUMMED}{_AXIS}{axes}{_KEEP}", {0: rf"{name}(\g<of>\g<inner>…)"}, within=[".sum("])
    pattern = rf"{_FREE}\((?P<of>{_INSIDE})\)\.sum\([ ]?{_AXIS}{axes}{_KEEP}"
    return both(of_name, put(pattern, {0: rf"{name}(\g<of>…)"}, within=[").sum("]))


_OPERAND = r"(?=[^,)])[^(),\n]{0,60}(?:\([^(),\n]{0,60}\)[^(),\n]{0,10})?"
_TWO = rf"\((?P<a>{_OPERAND}),[ ]?(?P<b>{_OPERAND})"
_KEYS = r"(?<![\w.])(?:[QKqk]|quer(?:y|ies)|keys?)(?:_?[0-9a-z]{1,4})?"
_LIBRARY = r"(?<![\w.])(?:np|numpy|torch|tf|jnp|tf\.linalg|np\.linalg)\."

_PRODUCTS = put(
    rf"{_LIBRARY}(?:matmul|dot|mm|bmm){_TWO}\)",
    {0: r"(\g<a> @ \g<b>…)"},
    within=["matmul(", "dot(", "mm("],
)

PROGRAMS = (
    Rule(
        "transposes",
        "``K.t()``, ``K.transpose(-2, -1)``, ``K.mT`` and ``np.transpose(K)`` are K transposed.",
        both(
            put(
                rf"{_LIBRARY}transpose\((?P<of>{_NAME})(?:,[^()\n]{{1,30}})?\)", {0: r"\g<of>.T"}, within=["transpose("]
            ),
            put(
                r"(?<=\w)(?P<call>\.(?:t\(\)|mT\b|(?:transpose|swapaxes)\([^()\n]{0,30}\)|permute\([ ]?1,[ ]?0[ ]?\)))",
                {"call": ".T"},
                within=[".t(", ".mT", "transpose(", "swapaxes(", "permute("],
            ),
        ),
        PRINTED,
    ),
    Rule(
        "products-of-libraries",
        "``np.matmul(Q, K.T)`` and ``Q.dot(K.T)`` are products.",
        both(
            put(
                rf"{_LIBRARY}matmul{_TWO},[ ]?transpose_b[ ]?=[ ]?True[ ]?\)",
                {0: r"(\g<a> @ \g<b>.T…)"},
                within=["transpose_b"],
            ),
            _PRODUCTS,
            _PRODUCTS,  # those inside of others come first
            put(
                r"(?<=[\w)\]])(?<!\bnp)(?<!numpy)(?<!torch)(?<!\btf)(?P<call>\.(?:dot|matmul|mm|bmm))\(",
                {"call": "@"},
                within=[".dot(", "mm(", ".matmul("],
            ),
        ),
        PRINTED,
    ),
    Rule(
        "quotients-of-libraries",
        "``scores.div(math.sqrt(2))`` is a quotient, ``pow(d_k, 0.5)`` a power, ``K.shape[-1]`` the size of a key.",
        both(
            put(
                rf"{_KEYS}(?:\.shape\[[ ]?(?:-1|1)[ ]?\]|\.size\([ ]?(?:-1|1)[ ]?\))",
                {0: "d_k"},
                within=[".shape[", ".size("],
            ),
            put(r"(?<=[\w)\]])(?P<call>\.div_?)\(", {"call": "/"}, within=[".div"]),
            put(r"(?<![\w.])(?P<of>[A-Za-z]\w{0,20})\.sqrt\(\)", {0: r"sqrt(\g<of>…)"}, within=[".sqrt()"]),
            put(
                rf"(?:{_LIBRARY}power|{_LIBRARY}pow|(?<![\w.])(?:math\.)?pow){_TWO}\)",
                {0: r"(\g<a>**\g<b>…)"},
                within=["pow"],
            ),
            put(r"(?<![\w.])(?:square_?)?root(?=\()", {0: "sqrt"}, within=["root("]),
        ),
        PRINTED,
    ),
    Rule(
        "entrywise-stars",
        "In a line that sums along an axis, the star of a program that has ``@`` beside it multiplies entry by entry.",
        _entrywise,
    ),
    Rule(
        "inner-products",
        "``<q1, k1>`` is typed for the angle brackets of an inner product.",
        put(
            rf"(?<![\w)\]}}<])(?P<open><)[ ]?{_LETTER}[ ]?,[ ]{{0,2}}{_LETTER}[ ]?(?P<close>>)(?![>\w])",
            {"open": "⟨", "close": "⟩"},
            within=["<"],
        ),
    ),
    Rule(
        "query-and-key",
        "``q1 and k2: 3`` states a product.",
        put(
            r"(?<![\w.])[qQ]_?[0-9]{1,2}[ ](?P<and>and|with|vs|&)[ ][kK]_?[0-9]{1,2}(?=[ ]?[=:≈→][ ]?[-−0-9.])",
            {"and": "·"},
        ),
    ),
    Rule(
        "softmax-methods",
        "``scores.softmax(dim=-1)`` is ``softmax(scores)``; along the other axis it is told apart.",
        both(
            *(
                put(
                    rf"{_FREE}(?:(?P<of>{_NAME})|\((?P<inner>(?:[^()\n=]|\([^()\n]{{0,40}}\)){{1,80}})\))"
                    rf"\.softmax\([ ]?{_AXIS}{axes}[ ]?\)(?![\w.(\[])",
                    {0: rf"softmax(\g<of>\g<inner>{second}…)"},
                    within=[".softmax("],
                )
                for axes, second in ((r"(?:0|-2)", ", 0"), (r"-?[1-9]", ""))
            )
        ),
    ),
    Rule(
        "sums-along-axes",
        "``E.sum(-1)`` and ``np.sum(E, axis=1)`` are sums of rows, along the other axis those of columns.",
        both(_sums("-?1", "rowsum"), _sums("(?:0|-2)", "colsum")),
    ),
    Rule(
        "stretched-columns",
        "``Z[:, None]`` and ``Z.unsqueeze(1)`` are a number for each row.",
        put(
            r"(?<=[A-Za-z0-9_])(?:\[[ ]?:[ ]?,[ ]?(?:None|np\.newaxis)[ ]?\]"
            r"|\.unsqueeze\([ ]?(?:dim[ ]?=[ ]?)?(?:1|-1)[ ]?\))",
            {0: ""},
            within=["[", ".unsqueeze"],
        ),
    ),
    Rule(
        "masks-of-programs",
        "``s.masked_fill(m == 0, -inf)`` and ``np.where(m, s, -np.inf)`` add a mask to the scores.",
        both(
            put(
                rf"{_FREE}(?P<of>{_NAME})\.masked_fill_?\({_INSIDE}\)(?![\w.(\[])",
                {0: r"\g<of> +…M"},
                within=["masked_fill"],
            ),
            put(
                r"(?<![\w.])(?:np|torch|jnp)\.where\([^,()\n]{1,40},[ ]?"
                rf"(?:{_ENDLESS},[ ]?(?P<last>{_NAME})|(?P<first>{_NAME}),[ ]?{_ENDLESS})\)",
                {0: r"\g<first>\g<last> +…M"},
                within=[".where("],
            ),
        ),
    ),
    Rule(
        "words-between-statements",
        "``s_11 = 3 und s_12 = 6`` are two statements.",
        put(
            r"(?<=[0-9\])}])(?P<and>\s(?:und|sowie|et|y|e|ed|и|а|oder|ou)(?=\s)"
            r"|[ ]?(?:和|以及|及|，?且|と|및|그리고)(?=[ ]?))"
            r"(?=\s{0,2}[A-Za-zα-ωΑ-Ω\\][\w₀-₉·.^{}()'\\ ]{0,24}[=≈])",
            {"and": ";"},
        ),
    ),
    Rule(
        "verbs-of-east-asia",
        "``得分为 [1, 0]`` and ``s_12 为 0.67`` have a verb between what is meant and its numbers.",
        put(_IS_EAST, {"verb": "=", "number": "="}, within="于於是为為"),
    ),
    Rule(
        "arrows-of-assignment",
        "``S ← QKᵀ`` gives a name to what stands behind the arrow; behind a number an arrow begins a remark.",
        put(
            r"^[ \t>*-]{0,8}[A-Za-zα-ωΑ-Ω][\w^{}'′,]{0,30}(?:\[[^\]\n]{0,20}\]){0,2}[ \t]{0,8}(?P<arrow>[←⟵])"
            r"(?=[^\n]{0,400}[0-9\[(^_·×*/√ᵀ])",
            {"arrow": "="},
            within="←⟵",
        ),
    ),
    Rule(
        "types",
        "Types before names, and modules before functions, say nothing of values.",
        both(
            put(
                r"(?<![\w:])(?:const[ ])?(?:std::)?(?:vector|array|Matrix)<[\w:<>, ]{1,60}>[ &]{1,3}"
                r"(?=[A-Za-z_]\w{0,40}[ ]?[={])",
                {0: ""},
                within=["<"],
            ),
            put(r"(?<![\w.])(?:torch\.)?nn\.functional\.(?=softmax\()", {0: ""}, within=["nn."]),
            put(
                r"^[ \t]*(?P<type>(?:(?:static|const|final|constexpr)[ ]+){0,2}"
                r"(?:(?:float|double|int)(?:\[\]){0,3}|auto|var|val|let|const)[ ]+)"
                r"[A-Za-z_]\w{0,40}(?P<sizes>(?:\[[0-9]{0,3}\]){0,3})(?=[ ]?=[^=])",
                {"type": "", "sizes": ""},
            ),
        ),
    ),
    Rule(
        "last-axes",
        "``softmax(scores, dim=-1)`` is along the rows, as every softmax that does not say so.",
        put(
            rf"\bsoftmax\((?=[A-Za-z(])(?:[^()\n,]|\([^()\n]{{0,60}}\)){{1,80}}(?P<axis>,[ ]?{_AXIS}-1)[ ]?\)",
            {"axis": ""},
            within=["softmax("],
        ),
    ),
    Rule(
        "entrywise-quotients",
        "``exp(S) ./ sum(exp(S), 2)``: MATLAB divides entry by entry.",
        put(r"(?<=[\w)\]'])[ \t]?(?P<point>\.)(?=/[ ]?[A-Za-z(])", {"point": ""}, within=["./"]),
        PRINTED,
    ),
)
