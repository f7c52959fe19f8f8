"""Inputs of any size for every command: long formulas, many statements of one kind, tokens without end.

Each one grows with one number. What the program does for them may grow at most in proportion to it
(`tests.test_growth` counts that).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal, TypeAlias

from symattn.api.comparison import compare
from symattn.api.proofs import prove, read_record, replay_record
from symattn.api.solutions import solve
from symattn.api.submissions import check, check_proof
from symattn.arrays.files import of_json
from symattn.errors import SymattnError
from symattn.problem.model import Problem
from symattn.rendering.reports.text import report_text

Command: TypeAlias = Literal["check", "theorem", "solve", "replay", "compare"]

SHEET = Path(__file__).parent.parent / "examples" / "ps4_self_attention.toml"
THEOREM = "dot-product-variance"


@dataclass(frozen=True, slots=True)
class Input:
    """An input that grows.

    Attributes:
        name: what it holds.
        command: who reads it.
        size: the smallest size that is worth measuring.
        make: the text of a size.
        form: the format of a work.
    """

    name: str
    command: Command
    size: int
    make: Callable[[int], str]
    form: str = "md"


@cache
def sheet() -> Problem:
    return Problem.load(SHEET)


@cache
def _small() -> Problem:
    return Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1], [2]])


def run(command: Command, text: str, form: str = "md") -> str:
    """What the program says about an input: a report, a key, or the sentence that refuses it."""
    try:
        return _run(command, text, form)
    except SymattnError as error:
        return str(error)


def _run(command: Command, text: str, form: str) -> str:
    match command:
        case "check":
            report = check(sheet(), text, form, source="work")
            json.dumps(report.as_json())
            return report_text(report, width=100)
        case "theorem":
            return report_text(check_proof(THEOREM, text, form, source="work"), width=100)
        case "solve":
            return solve(Problem.from_text(text, "toml")).to_latex()
        case "replay":
            return replay_record(read_record(text.encode("utf-8", "replace"), "record")).reason
        case "compare":
            return str(compare(solve(_small()), of_json(text.encode("utf-8", "replace"), "", "array"), of="O"))


# One formula -----------------------------------------------------------------------------------------


def _joined(before: str, piece: Callable[[int], str], between: str, after: str, n: int) -> str:
    return before + between.join(map(piece, range(n))) + after


def _quotient(k: int) -> str:
    return rf"\frac{{e^{{{k % 9 + 1}}}}}{{e^{{{k % 9 + 1}}} + e^{{{k % 7}}} + e^{{-{k}}}}}"


def _nested(opener: str, inner: str, closer: str, n: int) -> str:
    return "$S_{11} = " + opener * n + inner + closer * n + " = 1$"


FORMULAS: dict[str, tuple[int, Callable[[int], str]]] = {
    "sum of quotients": (10, partial(_joined, "$A_{11} = ", _quotient, " + ", " = 0.5$")),
    "sum of quotients alone": (20, partial(_joined, "$", _quotient, " + ", " = 0.5$")),
    "product of quotients": (20, partial(_joined, "$A_{11} = ", _quotient, r" \cdot ", " = 0.5$")),
    "sum of exponentials": (60, partial(_joined, "$A_{11} = ", lambda k: f"e^{{{k}/7}}", " + ", " = 0.5$")),
    "product of sums of exponentials": (
        20, partial(_joined, "$A_{11} = ", lambda k: f"(e^{{{k}/7}} + {k})", r" \cdot ", " = 0.5$"),
    ),
    "sum of fractions": (100, partial(_joined, "$S_{11} = ", lambda k: rf"\frac{{{k}}}{{{k + 1}}}", " + ", " = 5$")),
    "sum of roots": (30, partial(_joined, "$S_{11} = ", lambda k: rf"\sqrt{{{k + 2}}}", " + ", " = 5$")),
    "product of roots": (30, partial(_joined, "$S_{11} = ", lambda k: rf"\sqrt{{{k + 2}}}", r" \cdot ", " = 5$")),
    "sum of quotients of roots": (
        20, partial(_joined, "$S_{11} = ", lambda k: rf"\frac{{1}}{{1 + \sqrt{{{k + 2}}}}}", " + ", " = 5$"),
    ),
    "sum of products": (100, partial(_joined, "$S_{11} = ", lambda k: rf"{k} \cdot 2", " + ", " = 5$")),
    "sum of decimals": (200, partial(_joined, "$S_{11} = ", lambda k: f"{k}.25", " + ", " = 5$")),
    "product of numbers": (200, partial(_joined, "$S_{11} = ", lambda k: f"{k + 1}", r" \cdot ", " = 5$")),
    "sum of logarithms": (30, partial(_joined, "$S_{11} = ", lambda k: rf"\ln {k + 2}", " + ", " = 5$")),
    "sum of tanh": (30, partial(_joined, "$S_{11} = ", lambda k: rf"\tanh({k}/9)", " + ", " = 5$")),
    "sum of entries": (50, partial(_joined, "$S_{11} = ", lambda k: f"A_{{1{k % 3 + 1}}}", " + ", " = 5$")),
    "product of entries": (50, partial(_joined, "$S_{11} = ", lambda k: f"Q_{{1{k % 2 + 1}}}", r" \cdot ", " = 5$")),
    "sum of products of entries": (
        50, partial(_joined, "$S_{11} = ", lambda k: f"Q_{{1{k % 2 + 1}}} K_{{1{k % 2 + 1}}}", " + ", " = 5$"),
    ),
    "sum of a softmax": (50, partial(_joined, "$S_{11} = ", lambda k: f"e^{{S_{{1{k % 3 + 1}}}}}", " + ", " = 5$")),
    "sum of letters": (100, partial(_joined, "$S_{11} = ", lambda k: f"a_{{{k}}}", " + ", " = 5$")),
    "chain": (40, partial(_joined, "$S_{11} = ", lambda _: "1", " = ", "$")),
    "chain of an entry": (200, partial(_joined, "$", lambda _: "S_{11}", " = ", "$")),
    "chain of sums": (100, partial(_joined, "$S_{11} = ", lambda k: f"{k} + 3", " = ", "$")),
    "chain of exponentials": (50, partial(_joined, "$A_{11} = ", _quotient, " = ", "$")),
    "chain of orders": (200, partial(_joined, "$S_{11} = ", str, " < ", "$")),
    "chain of matrices": (30, partial(_joined, "$Q = ", lambda k: f"[[{k}, 1], [2, 3], [4, 5]]", " = ", "$")),
    "nested fractions": (12, lambda n: "$S_{11} = " + r"\frac{1}{1 + " * n + "1" + "}" * n + " = 1$"),
    "nested exponentials": (12, partial(_nested, "e^{-", "1", "}")),
    "nested roots": (12, partial(_nested, r"\sqrt{1 + ", "1", "}")),
    "nested brackets": (12, partial(_nested, "(1 + ", "1", ")")),
    "nested products": (12, partial(_nested, "2(1 + ", "1", ")")),
    "nested powers": (12, partial(_nested, "(1 + ", "e", ")^2")),
    "wide matrix": (60, partial(_joined, "$Q = [[", str, ", ", "]]$")),
    "tall matrix": (60, partial(_joined, "$Q = [", lambda k: f"[{k}, 1]", ", ", "]$")),
    "row of numbers": (100, partial(_joined, "$Q_1 = [", lambda k: f"{k}.5", ", ", "]$")),
    "exponents far apart": (20, partial(_joined, "$A_{11} = ", lambda k: f"e^{{{k * 1000}}}", " + ", " = 0.5$")),
    "decimals of many digits": (20, lambda n: "$S_{11} = 0." + "3" * n + "$"),
    "sum of powers": (30, partial(_joined, "$S_{11} = ", lambda k: f"{k + 2}^{{{k}}}", " + ", " = 5$")),
    "product of matrices": (5, partial(_joined, "$S = ", lambda _: "Q K^T", " ", " = 5$")),
    "sum of matrices": (10, partial(_joined, "$S = ", lambda _: "Q K^T", " + ", " = 5$")),
    "softmax of a list": (40, partial(_joined, r"$A_1 = \mathrm{softmax}([", str, ", ", "])$")),
    "maximum of a list": (40, partial(_joined, r"$S_{11} = \max(", str, ", ", ") = 5$")),
    "implicit product": (100, partial(_joined, "$S_{11} = ", lambda _: "x", " ", "$")),
}  # fmt: skip

# Many lines ------------------------------------------------------------------------------------------


def _softmax_line(k: int) -> str:
    return f"$A_{{11}} = e^{{{k % 9}}}/(e^{{{k % 9}}} + e^{{{k % 7}}} + e^{{{k % 5}}}) = 0.{k % 89 + 10}$"


def _matrix(name: str, rows: int, columns: int, k: int) -> str:
    made = ", ".join("[" + ", ".join(str((k * 7 + i * columns + j) % 97) for j in range(columns)) + "]"
                     for i in range(rows))  # fmt: skip
    return f"{name} = [{made}]"


def _bmatrix(name: str, k: int) -> str:
    return rf"$$ {name} = \begin{{bmatrix}} {k} & 1 \\ 2 & {k % 7} \\ 0 & 1 \end{{bmatrix}} $$"


def _table(k: int) -> str:
    rows = "".join(f"| {i} | {k if i == 1 else 1} | 2 | 3 |\n" for i in (1, 2, 3))
    return f"Table {k}: S\n\n|   | 1 | 2 | 3 |\n|---|---|---|---|\n{rows}"


def _letters(k: int) -> str:
    return "m" + chr(97 + k % 26) + chr(97 + k // 26 % 26) + chr(97 + k // 676 % 26)


LINES: dict[str, tuple[int, Callable[[int], str]]] = {
    "softmax entries": (6, _softmax_line),
    "softmax entries in a sentence": (25, lambda k: f"so {_softmax_line(k)} and"),
    "equal entries": (100, lambda _: "$S_{11} = 3$"),
    "different entries": (100, lambda k: f"$S_{{11}} = {k}$"),
    "different decimals": (100, lambda k: f"$A_{{12}} = 0.{k}$"),
    "right entries": (100, lambda k: ("$Q_{31} = -1.5$", "$Q_{31} = -1.5 = -3/2$")[k % 2]),
    "sums of products": (30, lambda k: f"$S_{{11}} = {k} \\cdot 2 + 3 \\cdot 1 = {2 * k + 3}$"),
    "numbers without a name": (100, lambda k: f"${k} + 1 = {k + 1}$"),
    "wrong numbers without a name": (100, lambda k: f"${k} + 1 = {k + 2}$"),
    "lone numbers": (100, lambda k: f"${k}$"),
    "headings": (30, lambda k: f"# Step {k}: $S_{{11}} = {k}$"),
    "headings of names": (100, lambda k: f"# Scores {k}\n\n$= {k}$"),
    "headings alone": (100, lambda k: f"# Scores of token {k % 3 + 1}"),
    "deep headings": (100, lambda k: f"{'#' * (k % 6 + 1)} Attention weights {k}"),
    "bold headings": (100, lambda k: f"**Step {k}: scores**\n\n$= {k}$"),
    "sections": (100, lambda k: f"\\section{{Scores ${k}$}}"),
    "prose": (100, lambda k: f"We now compute the scores of token {k}.\n"),
    "prose with claims": (50, lambda _: "Token 3 attends mostly to token 1, and the weights sum to 1.\n"),
    "equal wrong matrices": (10, lambda _: "$$ " + _matrix("Q", 3, 2, 5) + " $$"),
    "different wrong matrices": (5, lambda k: "$$ " + _matrix("A", 3, 3, k) + " $$"),
    "different wrong bmatrices": (10, lambda k: _bmatrix("Q", k)),
    "wrong matrices without a name": (10, lambda k: _bmatrix("", k).replace(" = ", "")),
    "wrong matrices of several names": (10, lambda k: "$$ " + _matrix("QKVOAS"[k % 6], 3, 2 + k % 6 // 4, k) + " $$"),
    "wrong outputs": (10, lambda k: "$$ " + _matrix("O", 3, 2, k) + " $$"),
    "products of matrices": (10, lambda k: "$$ S = Q K^T = " + _matrix("", 3, 3, k)[3:] + " $$"),
    "lists": (30, lambda k: f"- $Q_1 = [{k}, 2]$"),
    "wrong rows": (30, lambda k: f"$A_1 = (0.{k + 1}, 0.2, 0.3)$"),
    "tables": (10, _table),
    "equal tables": (10, lambda _: _table(1)),
    "code blocks": (20, lambda k: f"```\n{_matrix('Q', 3, 2, k)}\n```"),
    "consoles": (20, lambda k: f"```python\n>>> Q\narray([[{k}, 1],\n       [2, 3],\n       [4, 5]])\n```"),
    "prints": (20, lambda k: f"Q: [[{k} 1]\n [2 3]\n [4 5]]"),
    "names": (50, lambda k: f"Let $x_{{{k}}} = {k}$."),
    "names used": (50, lambda k: f"Let $x_{{{k}}} = {k}$. Then $x_{{{k}}} + 1 = {k + 1}$."),
    "definitions": (50, lambda k: f"$B_{{{k}}} := Q K^T$"),
    "macros": (50, lambda k: f"\\newcommand{{\\{_letters(k)}}}{{S_{{11}}}} $\\{_letters(k)} = 3$"),
    "footnotes": (50, lambda k: f"$S_{{11}} = 3$[^{k}]\n\n[^{k}]: a remark on $S_{{12}}$."),
    "tex footnotes": (50, lambda k: f"$S_{{11}} = 3$\\footnote{{a remark on $S_{{12}} = {k}$}}"),
    "struck out": (50, lambda k: f"~~$S_{{11}} = {k}$~~ $S_{{11}} = 3$"),
    "cancelled": (50, lambda k: f"$\\cancel{{S_{{11}} = {k}}}$"),
    "quotations": (50, lambda k: f"> $S_{{11}} = {k}$"),
    "html comments": (50, lambda k: f"<!-- {k} --> $S_{{11}} = 3$"),
    "tex comments": (50, lambda k: f"$S_{{11}} = 3$ % {k}"),
    "environments": (20, lambda k: f"\\begin{{align}} S_{{11}} &= {k} \\\\ &= 3 \\end{{align}}"),
    "displays": (50, lambda k: f"\\[ S_{{11}} = {k} \\]"),
    "inline": (50, lambda k: f"\\( S_{{11}} = {k} \\)"),
    "boxes": (50, lambda k: f"$\\boxed{{S_{{11}} = {k}}}$"),
    "images": (50, lambda k: f"![a picture](http://example.org/{k}.png) [link](#{k})"),
    "html": (50, lambda k: f"<p>$S_{{11}} = {k}$</p><br>"),
    "row labels": (50, lambda k: f"row {k}: 1 2 3"),
    "token labels": (50, lambda k: f"Token {k % 3 + 1}: $S_{{{k % 3 + 1}1}} = 3$"),
    "policies": (50, lambda k: f"$A_{{11}} = 0.{'0123456789'[k % 10]}{k % 7}{k % 3}$"),
    "unread formulas": (50, lambda k: f"$S_{{11}} = {k} +$"),
    "text lines": (50, lambda k: f"S_11 = {k}"),
    "text sums": (50, lambda k: f"S_11 = {k}*2 + 3*1 = {k}"),
    "text lines without a name": (50, lambda k: f"= {k}"),
    "softmax of rows": (20, lambda k: f"$A_1 = \\mathrm{{softmax}}(({k}, 2, 3)) = (0.1, 0.2, 0.7)$"),
    "exponentials": (50, lambda k: f"$e^{{{k}}} = {k}.5$"),
    "weights": (20, lambda k: f"$A_{{11}} = \\frac{{e^{{S_{{11}}}}}}{{\\sum_j e^{{S_{{1j}}}}}} = 0.{k}$"),
    "sums of values": (20, lambda k: f"$O_1 = 0.{k + 1} V_1 + 0.2 V_2 + 0.3 V_3 = (1, {k})$"),
    "orders": (50, lambda k: f"$S_{{11}} < {k}$"),
    "memberships": (50, lambda k: f"$Q \\in \\mathbb{{R}}^{{{k} \\times 2}}$"),
    "large numbers": (20, lambda k: f"$S_{{11}} = {10**12 + k}$"),
    "large exponentials": (20, lambda k: f"$e^{{{10**6 + k}}} = {10**12}$"),
    "scales": (20, lambda k: f"$S_{{11}}/\\sqrt{{{k + 2}}} = {k}$"),
    "gradients": (20, lambda k: f"$\\partial L/\\partial V_{{11}} = {k}$"),
    "arrows": (50, lambda k: f"S_11 -> {k} -> 3"),
    "bits of TeX": (50, lambda k: f"\\item {{\\bf {k}}} \\quad \\hfill $S_{{11}}$ \\\\"),
    "notes": (50, lambda k: f"(i.e. {k}, since $S_{{11}} = {k}$; see also $S_{{12}}$)"),
}  # fmt: skip

_PROOF = r"""Let $q_i$, $k_i$ be independent, mean 0, variance 1.
$$\mathrm{Var}(q^\top k) = \sum_i \mathrm{Var}(q_i k_i) = d$$
"""

PROOF_LINES: dict[str, tuple[int, Callable[[int], str]]] = {
    "expectations": (25, lambda k: f"$E[q_1 k_1] = {k}$"),
    "equal expectations": (25, lambda _: "$E[q \\cdot k] = \\sum_i E[q_i] E[k_i] = 0$"),
    "variances": (10, lambda k: f"$\\mathrm{{Var}}(q_{{{k + 1}}} k_{{{k + 1}}}) = 1$"),
    "hypotheses": (25, lambda k: f"Let $q_i$ and $k_i$ be independent with mean {k} and variance 1."),
    "hypotheses in a formula": (25, lambda k: f"Suppose $E[q_i] = {k}$."),
    "denied hypotheses": (25, lambda _: "We do not assume that q and k are independent."),
    "definitions": (25, lambda k: f"Let $a_{{{k}}} = q_{{{k}}} k_{{{k}}}$."),
    "plain lines": (25, lambda k: f"${k} + 1 = {k + 1}$"),
    "headings": (50, lambda k: f"# Step {k}: $D = {k}$"),
    "roots": (25, lambda k: f"$\\sqrt{{{k}}} = {k}.6$"),
    "sums": (10, lambda k: f"$\\sum_{{i=1}}^d q_i k_i = {k} + \\sum_{{j=1}}^d k_j q_j$"),
    "proofs": (10, lambda _: _PROOF),
}  # fmt: skip

PROOF_FORMULAS: dict[str, tuple[int, Callable[[int], str]]] = {
    "chain of numbers": (50, partial(_joined, "$", lambda _: "1", " = ", "$")),
    "chain of expectations": (10, partial(_joined, "$", lambda _: "E[q_1 k_1]", " = ", "$")),
    "sum of expectations": (10, partial(_joined, "$", lambda k: f"E[q_{{{k + 1}}}]", " + ", " = 0$")),
    "product of expectations": (10, partial(_joined, "$", lambda k: f"E[q_{{{k + 1}}}]", " ", " = 0$")),
    "expectation of a product": (6, partial(_joined, "$E[", lambda k: f"q_{{{k + 1}}}", " ", "] = 0$")),
    "expectation of a sum": (6, partial(_joined, "$E[(", lambda k: f"q_{{{k + 1}}}", " + ", ")^2] = 0$")),
    "sum of exponentials": (10, partial(_joined, "$", lambda k: f"e^{{{k}}}", " + ", " = 0$")),
    "sum of roots": (10, partial(_joined, "$", lambda k: f"\\sqrt{{{k + 2}}}", " + ", " = 0$")),
    "sum of fractions": (10, partial(_joined, "$", lambda k: f"\\frac{{1}}{{{k + 2}}}", " + ", " = 0$")),
    "quotients of exponentials": (8, partial(_joined, "$", _quotient, " + ", " = 0.5$")),
    "nested fractions": (6, lambda n: "$x = " + r"\frac{1}{1 + " * n + "x" + "}" * n + "$"),
    "product of sums": (4, partial(_joined, "$", lambda k: f"(x + {k})", " ", " = 1$")),
    "product of sums of letters": (4, partial(_joined, "$", lambda k: f"(x_{{{k + 1}}} + {k})", " ", " = 1$")),
}  # fmt: skip

# Tokens ----------------------------------------------------------------------------------------------

TOKENS = (
    r"\[ ", r"\( ", "$", "$ ", "$$", "$$ ", "$x$ ", r"\begin{", r"\begin{bmatrix} ", r"\begin{align} ",
    r"\begin{verbatim} ", r"\end{align} ", "{", "}", "(", ")", "[", "] ", "`", "``` ", "```\n", "` ", "|",
    "| ", "|\n", "|-|\n", "&", "& ", r"\\", r"\\ ", "<", "< ", ">", "> ", "<!-- ", "<b>", "</b>", "<td>",
    "<table>", "*", "**", "* ", "** ", "_", "__", "~~", "~~ ", "row 1: ", "Row 1: ", "S_11 ", "S = ", "= ",
    "=", "1 ", "1\n", "1, ", "-", "- ", "+ ", "#", "# ", "#\n", "\n", "\n\n", " ", "\t", ".", "...", ",",
    ";", ":", ": ", "'", '"', "%", "% ", "%\n", "^", "^{", "_{", "\\", r"\frac", r"\frac{", r"\sqrt ",
    r"\sqrt{", r"\text{", r"\boxed{", r"\left( ", r"\cancel{", r"\footnote{", r"\section{", r"\newcommand{",
    r"\def\a{", "e^{", "e", "x", "x ", "[[", "[[1, 2], ", "]] ", "array([", "tensor([[", ">>> ", ">>> Q\n",
    "In [1]: ", "Out[1]: ", "![", "[x](", "[^1] ", "[^1]: ", "http://", "1/", "1.5 ", "1,5 ", "1,5; ", "0",
    "12", "exp(", "softmax(", "max(", r"\sum_{i=1}^3 ", "∑", "→ ", "-> ", "=> ", "⇒ ", "≈ ", "Q K^T ",
    "QK^T = ", "Q = [1 2; 3 4]\n", "Token 1: ", "(a) ", "1. ", "1) ", "\r", "\r\n", "\0", "é", "你好",
    "\u200b", "\ud800", "𝑄", "and ", "the scores are ", "Scores: ", "Weights:\n", "---\n", "===\n",
    "+--+--+\n", "  1  2  3\n", "a | b\n", "1 & 2 \\\\\n", "~", r"\, ", r"\quad ", r"\item ", r"\hline ",
    r"\label{a} ", "{S_{11}} ", "($S$) ", "S_{1", "Q_{11} = ", "1 = 1 = ", "1 + ", "= 1 + 2 ",
    "q_1 · k_1 = ", "⎡1⎤\n", "[1\n", "1]\n", "1 2\n3 4\n\n", "e^1 / (", "\\begin{tabular}{c} ", "\\verb|",
    "\\lstinline|", "\\item[", "\\$", "\\{", "<br>", "&lt;", "$S$ is ", "so $1$, ", "1st ", "Step 1. ",
    "## Head 1\n",
)  # fmt: skip
"""What is repeated, closed by nothing."""


def _times(token: str, n: int) -> str:
    return token * n


def _in_a_formula(token: str, n: int) -> str:
    return f"$S = {token * n}$"


def _lines(make: Callable[[int], str], n: int) -> str:
    return "\n\n".join(map(make, range(n)))


def _bare(make: Callable[[int], str], k: int) -> str:
    return make(k).replace("$$ ", "").replace(" $$", "")


def _one_block(make: Callable[[int], str], n: int) -> str:
    return "```\n" + "\n".join(map(make, range(n))) + "\n```\n"


def _close_lines(make: Callable[[int], str], n: int) -> str:
    return "\n".join(map(make, range(n)))


# Problem files, records and arrays -------------------------------------------------------------------


def _rows(height: int, width: int) -> str:
    return "[" + ",\n".join("[" + ", ".join(str((i * 7 + j * 3) % 5 - 2) for j in range(width)) + "]"
                            for i in range(height)) + "]"  # fmt: skip


def _problem(n: int, *, title: str = "A problem", more: str = "") -> str:
    return f'title = "{title}"\nscale = "none"\n[inputs]\nQ = [[1, 2]]\nK = {_rows(n, 2)}\nV = {_rows(n, 1)}\n{more}'


def _tables(n: int) -> str:
    parts = "".join(f'[[parts]]\ntitle = "Part {k}"\nasks = "map"\npoints = 1\n' for k in range(n))
    return _problem(2, more=parts)


def _entry(entry: str) -> str:
    return f'scale = "none"\n[inputs]\nQ = [["{entry}", 2]]\nK = [[1, 0], [0, 1]]\nV = [[1], [2]]\n'


PROBLEMS: dict[str, tuple[int, Callable[[int], str]]] = {
    "keys": (8, _problem),
    "parts": (20, _tables),
    "long title": (500, lambda n: _problem(2, title="x" * n)),
    "title of marks": (500, lambda n: _problem(2, title="$_{}%&" * n)),
    "long entry": (200, lambda n: _entry("1" + "0" * n)),
    "sum in an entry": (50, lambda n: _entry("+".join(["1"] * n))),
    "brackets in an entry": (20, lambda n: _entry("(" * n + "1" + ")" * n)),
    "nested arrays": (100, lambda n: "X = " + "[" * n + "]" * n),
    "unclosed arrays": (1000, lambda n: "X = " + "[" * n),
    "unclosed tables": (1000, lambda n: "[" * n),
    "unknown keys": (100, lambda n: "".join(f"key_{k} = 1\n" for k in range(n))),
    "unknown tables": (100, lambda n: "".join(f"[table_{k}]\na = 1\n" for k in range(n))),
    "dotted key": (100, lambda n: "a" + ".a" * n + " = 1\n"),
    "comments": (1000, lambda n: _problem(2) + "# a comment\n" * n),
    "empty lines": (1000, lambda n: _problem(2) + "\n" * n),
    "quotes": (1000, lambda n: "a = " + '"' * n),
    "lines of a title": (200, lambda n: 'title = """' + "a line\n" * n + '"""\n' + _problem(2).split("\n", 1)[1]),
    "title of formulas": (100, lambda n: _problem(2, title="$x$ and " * n)),
    "symbols": (10, lambda n: _problem(2, more="[symbols]\n" + "".join(f's_{k} = "real"\n' for k in range(n)))),
    "names": (10, lambda n: _problem(2, more="[names]\n" + "".join(f'A_{k} = "B{k}"\n' for k in range(n)))),
    "matrix as text": (20, lambda n: f'[inputs]\nQ = "[1 2]"\nK = "[{"; ".join(["1 0"] * n)}]"\n'),
}  # fmt: skip


@cache
def _record() -> str:
    return json.dumps(prove(THEOREM).as_json())


def _record_of(n: int, change: Callable[[dict[str, list[object]], int], None]) -> str:
    record = json.loads(_record())
    change(record, n)
    return json.dumps(record)


def _more_steps(record: dict[str, list[object]], n: int) -> None:
    record["steps"] = [
        {**step, "id": f"{step['id']}_{k}"} for k in range(n) for step in record["steps"] if isinstance(step, dict)
    ]


def _equal_steps(record: dict[str, list[object]], n: int) -> None:
    record["steps"] = record["steps"] * n


def _more_hypotheses(record: dict[str, list[object]], n: int) -> None:
    record["hypotheses"] = record["hypotheses"] * n


def _long_side(before: str, between: str, after: str, record: dict[str, list[object]], n: int) -> None:
    for step in record["steps"]:
        if isinstance(step, dict):
            step["before"] = before + between * n + after


RECORDS: dict[str, tuple[int, Callable[[int], str]]] = {
    "steps": (4, lambda n: _record_of(n, _more_steps)),
    "equal steps": (4, lambda n: _record_of(n, _equal_steps)),
    "hypotheses": (4, lambda n: _record_of(n, _more_hypotheses)),
    "sums": (50, lambda n: _record_of(n, partial(_long_side, "1", " + 1", ""))),
    "brackets": (50, lambda n: _record_of(n, partial(_long_side, "", "(", "1"))),
    "sums of letters": (20, lambda n: _record_of(n, partial(_long_side, "x", " + mu", ""))),
    "products of sums": (4, lambda n: _record_of(n, partial(_long_side, "1", " * (mu + sigma)", ""))),
    "exponentials": (10, lambda n: _record_of(n, partial(_long_side, "1", " + exp(mu)", ""))),
    "powers": (10, lambda n: _record_of(n, partial(_long_side, "mu", "**2", ""))),
    "nested arrays": (1000, lambda n: "[" * n + "]" * n),
    "unclosed arrays": (1000, lambda n: "[" * n),
    "unclosed objects": (1000, lambda n: '{"a":' * n),
    "a long numeral": (500, lambda n: "1" * n),
    "texts": (500, lambda n: json.dumps(["a"] * n)),
}

ARRAYS: dict[str, tuple[int, Callable[[int], str]]] = {
    "rows": (100, lambda n: json.dumps([[0.5]] * n)),
    "columns": (100, lambda n: json.dumps([[0.5] * n])),
    "nested arrays": (1000, lambda n: "[" * n + "]" * n),
    "unclosed arrays": (1000, lambda n: "[" * n),
    "a long numeral": (200, lambda n: f"[[{'1' * n}]]"),
    "a long decimal": (200, lambda n: f"[[0.{'1' * n}]]"),
    "a large exponent": (200, lambda n: f"[[1e{n}]]"),
    "spaces": (1000, lambda n: "[[0.5]]" + " " * n),
}


def inputs() -> Iterator[Input]:
    """Every input, the works in each form in which they are something else."""
    for name, (size, make) in FORMULAS.items():
        yield Input(f"formula: {name}", "check", size, make)
    for name, (size, line) in LINES.items():
        form = "txt" if name.startswith("text") else "md"
        yield Input(f"lines: {name}", "check", size, partial(_lines, line), form)
        yield Input(f"close lines: {name}", "check", size, partial(_close_lines, line), form)
        yield Input(f"lines of TeX: {name}", "check", size, partial(_lines, line), "tex")
    yield Input("a cell behind blanks", "check", 1000, lambda n: f"0,5\na;b;c\n1;{' ' * n}x\n", "txt")
    yield Input("names of R", "check", 50, lambda n: "".join(f"> a.b{i} <- {i}\n" for i in range(n)), "txt")
    for name in ("equal wrong matrices", "different wrong matrices", "text lines", "prints", "prose", "wrong outputs"):
        size, line = LINES[name]
        bare = partial(_bare, line)
        yield Input(f"a code block: {name}", "check", size, partial(_one_block, bare))
        yield Input(f"a text: {name}", "check", size, partial(_close_lines, bare), "txt")
    for name, (size, line) in PROOF_LINES.items():
        yield Input(f"proof: {name}", "theorem", size, partial(_lines, line))
    for name, (size, make) in PROOF_FORMULAS.items():
        yield Input(f"proof formula: {name}", "theorem", size, make)
    for form in ("md", "tex", "txt"):
        for token in TOKENS:
            yield Input(f"token in {form}: {token!r}", "check", 250, partial(_times, token), form)
    for token in TOKENS:
        yield Input(f"token in a proof: {token!r}", "theorem", 1000, partial(_times, token))
        yield Input(f"token in a problem: {token!r}", "solve", 1000, partial(_times, token))
        yield Input(f"token in a formula: {token!r}", "check", 500, partial(_in_a_formula, token))
    for name, (size, make) in PROBLEMS.items():
        yield Input(f"problem: {name}", "solve", size, make)
    for name, (size, make) in RECORDS.items():
        yield Input(f"record: {name}", "replay", size, make)
    for name, (size, make) in ARRAYS.items():
        yield Input(f"array: {name}", "compare", size, make)
