"""Works on several blocks as people write them, their numbers made by numpy: right ones, and ones with a slip."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symattn.problem.model import Problem

Numbers = dict[str, Any]
Rounding = Callable[[Any], Any]
Slip = tuple[str, tuple[int, int], float]
"""A quantity, an entry of it from 0, and by how much it is off."""

EPS = 0.1
X = np.array([[1, 2], [3, -1]])
MEMORY = np.array([[1, 2], [0, 1], [3, 1]])
FIRST = {
    "W_Q": np.array([[1, 0], [0, 1]]),
    "W_K": np.array([[0, 1], [1, 0]]),
    "W_V": np.array([[1, 1], [0, 1]]),
    "W_F1": np.array([[1, 0], [1, 1]]),
    "W_F2": np.array([[1, 1], [0, 1]]),
}
SECOND = {**FIRST, "W_Q": np.array([[1, 1], [0, 1]]), "W_V": np.array([[1, 0], [0, 2]])}

PARTS = (
    {"asks": ["projections"], "points": 4},
    {"asks": ["map", "outputs"], "points": 8},
    {"asks": ["block"], "points": 4},
)

FORMULAS = {
    "Q": "X W_Q", "K": "X W_K", "V": "X W_V", "S": "Q K^T", "L": "S/sqrt(2)", "A": "softmax(L)", "O": "A V",
    "R_1": "X + O", "N_1": "RMSNorm(R_1)", "F_1": "N_1 W_F1", "F_act": "ReLU(F_1)", "F_2": "F_act W_F2",
    "R_2": "N_1 + F_2", "N_2": "RMSNorm(R_2)",
}  # fmt: skip


def exactly(matrix: Any) -> Any:
    return matrix


def to(places: int) -> Rounding:
    """Every step rounded half up."""
    return lambda matrix: np.sign(matrix) * np.floor(np.abs(matrix) * 10**places + 0.5) / 10**places


def listed(own: Mapping[str, Any], names: str) -> dict[str, Any]:
    return {name: own[name].tolist() for name in names.split()}


def encoders(**more: Any) -> Problem:
    """Two encoder blocks."""
    names = "W_Q W_K W_V W_F1 W_F2"
    blocks = [{"inputs": listed(own, names)} for own in (FIRST, SECOND)]
    return Problem.build(X=X.tolist(), blocks=blocks, block={"norm": "rms", "eps": "1/10"}, **more)


def decoder(count: int = 1, **more: Any) -> Problem:
    """Decoder blocks: causal attention to the own tokens, then to the memory, with a network."""
    block = {
        "decoder": True,
        "inputs": listed(FIRST, "W_Q W_K W_V"),
        "cross": listed(SECOND, "W_Q W_K W_V W_F1 W_F2"),
        "memory": MEMORY.tolist(),
    }
    return Problem.build(X=X.tolist(), blocks=[block] * count, block={"norm": "rms", "eps": "1/10"}, **more)


def norm(rows: Any) -> Any:
    return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + EPS)


def worked(
    tokens: Any,
    own: Mapping[str, Any],
    rounding: Rounding = exactly,
    slip: Slip | None = None,
    *,
    causal: bool = False,
    memory: Any = None,
    network: bool = True,
) -> Numbers:
    """One block, from what goes into it; with a slip, all that comes after it follows."""
    found: Numbers = {}

    def put(name: str, value: Any) -> Any:
        made = np.array(rounding(value), dtype=float)
        if slip is not None and slip[0] == name:
            made[slip[1]] += slip[2]
        found[name] = made
        return made

    keys = tokens if memory is None else memory
    scores = put("S", put("Q", tokens @ own["W_Q"]) @ put("K", keys @ own["W_K"]).T)
    powers = np.exp(put("L", scores / np.sqrt(2)))
    powers = np.tril(powers) if causal else powers
    values = put("V", keys @ own["W_V"])
    normed = put(
        "N_1", norm(put("R_1", tokens + put("O", put("A", powers / powers.sum(axis=1, keepdims=True)) @ values)))
    )
    if network:
        inner = put("F_2", put("F_act", np.maximum(put("F_1", normed @ own["W_F1"]), 0)) @ own["W_F2"])
        put("N_2", norm(put("R_2", normed + inner)))
    return found


def made(block: Numbers) -> Any:
    return block["N_2"] if "N_2" in block else block["N_1"]


def matrix(values: Any, places: int = 3) -> str:
    rows = ("[" + ", ".join(f"{entry:.{places}f}" for entry in row) + "]" for row in values)
    return "[" + ", ".join(rows) + "]"


def bmatrix(values: Any, places: int = 3) -> str:
    rows = (" & ".join(f"{entry:.{places}f}" for entry in row) for row in values)
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def _of(name: str, *, is_causal: bool, is_cross: bool) -> str:
    formula = FORMULAS[name]
    if is_cross:
        formula = formula.replace("X", "X_2" if name in {"K", "V"} else "X_1")
    return formula.replace("(L)", "(S_masked)") if is_causal else formula


def lines(block: Numbers, places: int = 3, *, is_causal: bool = False, is_cross: bool = False) -> list[str]:
    """A line for each quantity: its formula in names, its numbers."""
    return [
        f"{name} = {_of(name, is_causal=is_causal, is_cross=is_cross)} = {matrix(values, places)}"
        for name, values in block.items()
    ]


def numbered(block: Numbers, style: Callable[[str], str], places: int = 3) -> list[str]:
    """The same with a number on every name."""
    names = re.compile(r"\b(?:[XQKVSLAO]|R_\d|N_\d|F_\d|F_act|W_\w+)(?![\w(])")
    found = []
    for name, values in block.items():
        formula = names.sub(lambda match: style(match[0]), FORMULAS[name])
        found.append(f"{style(name)} = {formula} = {matrix(values, places)}")
    return found


def latex_lines(block: Numbers, places: int = 3) -> list[str]:
    words = {"W_F1": "W_{F1}", "W_F2": "W_{F2}", "F_act": "F_{act}", "sqrt(2)": r"\sqrt{2}", "K^T": r"K^\top"}
    functions = {name: rf"\mathrm{{{name}}}" for name in ("RMSNorm", "softmax", "ReLU")}
    found = []
    for name, values in block.items():
        text = f"{name} = {FORMULAS[name]}"
        for plain, tex in {**words, **functions}.items():
            text = text.replace(plain, tex)
        found.append(rf"\[ {text} \approx {bmatrix(values, places)} \]")
    return found


def text(*paragraphs: str | list[str]) -> str:
    """Paragraphs and lists of them, one below the other."""
    return "\n\n".join(item for part in paragraphs for item in ([part] if isinstance(part, str) else part))
