"""The table of rules: what each makes, and what form its steps have."""

from __future__ import annotations

import pytest

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.derivation_replay import grid_text
from symattn.graph.quantities.quantity import Grid
from symattn.graph.rules import RULES, parse_rounding, write_rounding
from symattn.operations.evaluation import rounded


def grid(*rows: tuple[str | None, ...]) -> Grid:
    return tuple(tuple(None if text is None else Quotient.of(text) for text in row) for row in rows)


LEFT = grid(("1", "2"), ("1/2", "-1"))
RIGHT = grid(("3", "0"), ("1/3", "1"))
HOLED = grid((None, "2"), ("1/2", "-1"))
NUMBERS = grid(("2",), ("0",))


@pytest.mark.parametrize(
    ("rule", "premises", "arguments", "made"),
    [
        ("round", (grid(("1/3", None)),), {"rounding": "2 places half-up"}, [["33/100", "-"]]),
        ("product", (LEFT, RIGHT), {}, [["11/3", "2"], ["7/6", "-1"]]),
        ("product", (LEFT, RIGHT), {"right": "transposed"}, [["3", "7/3"], ["3/2", "-5/6"]]),
        ("product", (LEFT, RIGHT), {"left": "transposed"}, [["19/6", "1/2"], ["17/3", "-1"]]),
        ("product", (LEFT, RIGHT), {"rounding": "1 places half-up"}, [["37/10", "2"], ["6/5", "-1"]]),
        ("product", (LEFT, RIGHT), {"products": "1 places half-up"}, [["37/10", "2"], ["6/5", "-1"]]),
        ("product", (HOLED, RIGHT), {}, [["-", "-"], ["7/6", "-1"]]),
        ("scale", (grid(("1/2",)), LEFT), {}, [["1/2", "1"], ["1/4", "-1/2"]]),
        ("scale", (grid((None,)), LEFT), {}, [["-", "-"], ["-", "-"]]),
        ("line-maximum", (LEFT,), {"axis": "rows"}, [["2"], ["1/2"]]),
        ("line-maximum", (LEFT,), {"axis": "columns"}, [["1"], ["2"]]),
        ("line-maximum", (HOLED,), {"axis": "rows"}, [["-"], ["1/2"]]),
        ("shift", (LEFT, NUMBERS), {"axis": "rows"}, [["-1", "0"], ["1/2", "-1"]]),
        ("shift", (LEFT, NUMBERS), {"axis": "columns"}, [["-1", "2"], ["-3/2", "-1"]]),
        ("exponential", (grid(("0", "1/2", None)),), {}, [["1", "exp(1/2)", "-"]]),
        ("exponential", (grid(("0", "1/2")),), {"rounding": "2 places half-up"}, [["1", "33/20"]]),
        ("line-sum", (LEFT,), {"axis": "rows"}, [["3"], ["-1/2"]]),
        ("line-sum", (HOLED,), {"axis": "rows"}, [["-"], ["-1/2"]]),
        ("quotient", (LEFT, NUMBERS), {"axis": "rows"}, [["1/2", "1"], ["-", "-"]]),
        ("quotient", (LEFT, NUMBERS), {"axis": "columns"}, [["1/2", "-"], ["1/4", "-"]]),
    ],
)
def test_what_a_rule_makes(
    rule: str, premises: tuple[Grid, ...], arguments: dict[str, str], made: list[list[str]]
) -> None:
    assert [list(row) for row in grid_text(RULES[rule].apply(premises, arguments))] == made


@pytest.mark.parametrize(
    ("rule", "premises", "arguments"),
    [
        ("product", 1, ()),
        ("product", 3, ()),
        ("product", 2, (("left", "transpose"),)),
        ("product", 2, (("axis", "rows"),)),
        ("product", 2, (("left", "transposed"), ("left", "transposed"))),
        ("product", 2, (("rounding", "2 places"),)),
        ("product", 2, (("rounding", ""),)),
        ("line-sum", 1, ()),
        ("line-sum", 1, (("axis", "row"),)),
        ("line-maximum", 1, (("axis", "rows"), ("rounding", "2 places half-up"))),
        ("scale", 1, ()),
    ],
)
def test_steps_that_do_not_have_the_form_of_their_rule(
    rule: str, premises: int, arguments: tuple[tuple[str, str], ...]
) -> None:
    assert RULES[rule].misfit(premises, arguments)


def test_every_rule_says_what_it_does() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.statement
        assert rule.source
        needed = {
            "axis": "rows",
            "start": "1",
            "stop": "2",
            "empty": "zeros",
            "with": "factor",
            "kind": "relu",
            "count": "2",
            "turned": "NT",
            "pairs": "halves",
            "side": "rows",
            "loss": "sum",
            "entries": "2 p_{1,1,1}",
            "one": "seen",
            "over": "all",
        }
        arguments = tuple((option, needed[option]) for option in rule.options if option in needed)
        assert rule.misfit(rule.premises, arguments) == ""


@pytest.mark.parametrize("text", ["2 places half-up", "12 figures half-even", "0 places truncate", ""])
def test_roundings_as_arguments(text: str) -> None:
    assert write_rounding(parse_rounding(text)) == text


@pytest.mark.parametrize("text", ["2", "2 places", "2 decimals half-up", "-2 places half-up", "² places half-up"])
def test_texts_that_are_no_rounding(text: str) -> None:
    with pytest.raises(InputError, match="is not of the form"):
        parse_rounding(text)


def test_rounding_leaves_what_is_undefined() -> None:
    values = rounded(HOLED, Rounding(places=0))
    assert [list(row) for row in grid_text(values)] == [["-", "2"], ["1", "-1"]]
    assert rounded(LEFT, None) is LEFT
