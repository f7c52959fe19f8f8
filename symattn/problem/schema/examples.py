"""An example of each key of a problem file, as TOML: one for each kind of value, and some for single keys.

A commented problem file to start from is an example of them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symattn.data_files import read_text
from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import PART_FIELDS
from symattn.problem.settings.parts import FACT
from symattn.problem.settings.policy import STEPS

_OF_KEY: Mapping[str, str] = {
    "answer": '"Each output is a mean of values."',
    "asks": '["map", "outputs"]',
    "base": "100",
    "beta": '"1/2"',
    "block": '{norm = "layer", eps = "1/100000"}',
    "claims": '["C1", "C2"]',
    "definitions": '{S = "X X^T", A = "softmax(S)"}',
    "diagram_threshold": '"1/10"',
    "each": "{weights = {places = 3}}",
    "eps": '"1/100000"',
    "facts": f'"{FACT}dot-product-mean"',
    "keep": "[[1, 0], [1, 1]]",
    "drop": "[[0, 1], [0, 0]]",
    "add": "[[0, -1], [1, 0]]",
    "margin": '"0.1 unit"',
    "method_share": '"1/3"',
    "of": '["dQ", "dK"]',
    "parts": '[{asks = "map", points = 6}]',
    "score": '"cosine"',
    "set": "{mu = 0, sigma = 1}",
    "temperature": "2",
    "text": '"Find the attention map."',
    "title": '"Self-attention by hand"',
}
"""Keys for which the example of the kind says little."""


def _table(field: Field) -> str:
    """Return a table with the keys that it needs, or else the first one."""
    needed = [one for one in field.fields if one.required] or [field.fields[0]]
    return f"{{{', '.join(f'{one.name} = {example_of(one)}' for one in needed)}}}"


def _other_word(field: Field) -> str:
    """Return a word that is not the default."""
    return next(word for word in field.words if word != field.default)


def _is_list(field: Field) -> bool:
    return field.name == "order"


_SQUARE = "[[1, 0], [0, 1]]"
_WEIGHTS = ", ".join(f"{name} = {_SQUARE}" for name in ("W_Q", "W_K", "W_V"))

_OF_KIND: Mapping[str, Callable[[Field], str]] = {
    "line": lambda field: f'"my {field.name}"',
    "choice": lambda field: f'"{_other_word(field)}"',
    "words": lambda field: (
        f'["{field.words[0]}", "{field.words[1]}"]' if _is_list(field) else f'"{_other_word(field)}"'
    ),
    "switch": lambda field: "false" if field.default is True else "true",
    "count": lambda field: str(min(max(field.least, 2), field.most)),
    "counts": lambda _: "[1, 2]",
    "indices": lambda _: "[1, 2]",
    "number": lambda _: '"3/2"',
    "expression": lambda field: f'"{_other_word(field)}"',
    "settings": lambda _: "{D = 4}",
    "matrix": lambda _: '[[1, 0], ["1/2", -2]]',
    "sequences": lambda _: '[[1, 0], ["1/2", -2]]',
    "vector": lambda _: '[1, "1/2"]',
    "grid": lambda _: "[[1, 0], [1, 1]]",
    "lengths": lambda _: "2",
    "slopes": lambda _: '"1/2"',
    "relative": lambda _: '{"-1" = "1/2", "0" = 1}',
    "angles": lambda _: '["pi/3", "1/2"]',
    "mask": lambda _: '"causal"',
    "heads": lambda _: "2",
    "symbols": lambda _: '{a = "real", b = "3/2"}',
    "matrices": lambda field: f"{{X = {_SQUARE}, {_WEIGHTS}}}" if field.required else f"{{{_WEIGHTS}}}",
    "names": lambda _: '{S = "E", A = "attention map"}',
    "choices": lambda _: '{X = [-1, "-1/2", 0, "1/2", 1]}',
    "interval": lambda _: "[0.03, 0.94]",
    "bounds": lambda _: '{A = "1/1000"}',
    "table": _table,
    "tables": lambda field: f"[{_table(field)}]",
}


def example_of(field: Field) -> str:
    """Return an example of the value of a key as TOML.

    >>> example_of(Field("own", "table", "", fields=(Field("places", "count", ""),)))
    '{places = 2}'
    """
    known = _OF_KEY.get(field.name)
    return known if known is not None else _OF_KIND[field.kind](field)


def commented_problem() -> str:
    """Return a small problem, complete, with every key explained; it loads and solves as it stands.

    >>> from symattn.problem.model import Problem
    >>> Problem.from_text(commented_problem()).kind
    'self'
    """
    asks = ", ".join(next(field for field in PART_FIELDS if field.name == "asks").words)
    text = read_text(__package__, "template.toml")
    return text.replace("{{asks}}", asks).replace("{{steps}}", ", ".join(STEPS))
