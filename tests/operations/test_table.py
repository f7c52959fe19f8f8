"""The table of operations: its names, the shapes that it takes, and the values that it refuses."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.rules import RULES, write_rounding
from symattn.operations import scalar as s
from symattn.operations.evaluation import apply
from symattn.operations.operation import Grid, MisfitError
from symattn.operations.table import TABLE
from tests.operations.draws import drawn, made

SEEDS = 8
PART_OF_AN_OPERAND = {"angles", "part", "running-maximum", "running-sum", "running-output", "written"}
"""Operations that need not look at every entry of their operands."""


def test_names_are_those_of_their_records() -> None:
    assert set(TABLE) | {"round"} == set(RULES)
    for name, operation in TABLE.items():
        assert operation.name == name
        assert operation.says
        assert operation.source


@pytest.mark.parametrize("name", TABLE)
def test_a_rule_applies_its_operation(name: str) -> None:
    """The exact and the step-rounded derivation are one rule: roundings are arguments of it."""
    operation = TABLE[name]
    for seed in range(SEEDS):
        operands, arguments = drawn(name, seed)
        places = {"rounding": Rounding(places=2), "products": Rounding(places=1) if seed % 2 else None}
        used = {key: rounding for key, rounding in places.items() if key in operation.options}
        ours = apply(operation, operands, operation.params.read(arguments), **used)
        words = {key: write_rounding(rounding) for key, rounding in places.items()}
        assert ours == RULES[name].apply(tuple(operands), {**arguments, **words})


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name].products])
def test_rounded_products_are_those_of_the_entries(name: str) -> None:
    operation = TABLE[name]
    for seed in range(SEEDS):
        operands, arguments = drawn(name, seed)
        params, rounding = operation.params.read(arguments), Rounding(places=1)
        by_entries = apply(replace(operation, kernel=None), operands, params, products=rounding)
        assert apply(operation, operands, params, products=rounding) == by_entries


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name].products])
def test_a_product_with_a_free_symbol_has_no_rounded_digits(name: str) -> None:
    """No term of a sum is left out because it cannot be rounded."""
    x = Quotient.of(Polynomial.symbol("x"))
    operands: list[Grid] = [((x, Quotient.of(2)),), ((Quotient.of(3),), (Quotient.of(5),)), ((Quotient.of(7),),)]
    operation = TABLE[name]
    made_of = operands[: operation.arity[0]]
    assert apply(operation, made_of, operation.params.read({}), products=Rounding(places=1)) == ((None,),)
    assert apply(operation, made_of, operation.params.read({})) != ((None,),)


def _resized(values: Grid, random: Random) -> Grid:
    rows, columns = random.randint(1, 4), random.randint(1, 4)
    return tuple(tuple(values[i % len(values)][j % len(values[0])] for j in range(columns)) for i in range(rows))


@pytest.mark.parametrize("name", TABLE)
def test_operands_of_any_shape_are_refused_or_used_whole(name: str) -> None:
    """No entry of an operand is left out unseen, and none that is missing is asked for."""
    operation = TABLE[name]
    for seed in range(4 * SEEDS):
        random = Random(seed)
        operands, arguments = drawn(name, seed)
        changed = [_resized(rows, random) if random.random() < 0.5 else rows for rows in operands]
        params = operation.params.read(arguments)
        shapes = [(len(rows), len(rows[0])) for rows in changed]
        try:
            height, width = operation.shape(params, shapes)
        except MisfitError:
            continue
        entries = [operation.entry(params, shapes, i, j) for i in range(height) for j in range(width)]
        looked_at = {(leaf.operand, leaf.row, leaf.column) for entry in entries for leaf in s.leaves(entry)}
        all_of_them = {
            (k, i, j) for k, (rows, columns) in enumerate(shapes) for i in range(rows) for j in range(columns)
        }
        assert looked_at <= all_of_them
        assert name in PART_OF_AN_OPERAND or looked_at == all_of_them, (seed, shapes)


@pytest.mark.parametrize("name", TABLE)
def test_an_undefined_operand_entry_makes_what_rests_on_it_undefined(name: str) -> None:
    """Undefined entries come out exactly where the entry looks at one, but behind a choice."""
    operation = TABLE[name]
    for seed in range(SEEDS):
        operands, arguments = drawn(name, seed)
        random = Random(seed)
        holed = random.randrange(len(operands))
        i, j = random.randrange(len(operands[holed])), random.randrange(len(operands[holed][0]))
        values = [[list(row) for row in rows] for rows in operands]
        values[holed][i][j] = None
        with_hole: list[Grid] = [tuple(map(tuple, rows)) for rows in values]
        params = operation.params.read(arguments)
        shapes = [(len(rows), len(rows[0])) for rows in operands]
        before, after = made(operation, operands, arguments), made(operation, with_hole, arguments)
        for row, (old, new) in enumerate(zip(before, after, strict=True)):
            for column, (was, value) in enumerate(zip(old, new, strict=True)):
                entry = operation.entry(params, shapes, row, column)
                rests_on_it = any((leaf.operand, leaf.row, leaf.column) == (holed, i, j) for leaf in s.leaves(entry))
                if value is not None:
                    assert value == was or rests_on_it
                    assert not rests_on_it or name in {"masked-quotient", "loss", "mask-where"}
                else:
                    assert was is None or rests_on_it or name == "written"


@pytest.mark.parametrize(
    ("name", "operands", "arguments", "message"),
    [
        ("hide", [[["1/2"]]], {"one": "seen"}, "A mask is a matrix of 0 and 1, and 1/2 stands in it."),
        (
            "running-maximum",
            [[["-inf", "1"]]],
            {"axis": "rows", "start": "1", "stop": "1"},
            "A block of keys is hidden whole before any is seen, so there is no largest score yet.",
        ),
        ("part", [[["1", "2"]]], {"axis": "rows", "start": "1", "stop": "2"}, "There are no rows 1 to 2; there are 1."),
        ("join", [[["1", "2"]], [["1"]]], {"axis": "rows"}, "Quantities of different sizes cannot be joined"),
        ("loss", [[["1"]]], {"loss": "squared"}, "A loss of the kind squared is not made of 1 quantities."),
        ("product", [[["1", "2"]], [["1", "2"]]], {}, "A 1×2 matrix cannot be multiplied by a 1×2 one"),
        ("products", [[["1"]], [["1"]]], {"turned": "NTN"}, "3 letters tell of 2 factors"),
        ("shift", [[["1"], ["2"]], [["1"]]], {"axis": "rows"}, "Operand 2 must be 2×1 here, and is 1×1."),
    ],
)
def test_what_is_refused_says_so(
    name: str, operands: list[list[list[str]]], arguments: dict[str, str], message: str
) -> None:
    values = [
        Matrix([[MINUS_INFINITY if text == "-inf" else text for text in row] for row in rows]).rows for rows in operands
    ]
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        made(TABLE[name], [*values], arguments)


def test_a_length_is_that_of_numbers_not_of_symbols() -> None:
    """The length of (e) is e, known by enclosures; that of a symbol is refused."""
    power = made(TABLE["exponential"], [Matrix([[1]]).rows], {})
    ((length,),) = made(TABLE["norm"], [power], {"axis": "rows"})
    assert length is not None
    assert Matrix([[length]]).rounded(10) == [["2.7182818285"]]
    with pytest.raises(InputError, match=r"square root of a\*\*2, which is not a number: give its symbols values"):
        made(TABLE["norm"], [Matrix([[Polynomial.symbol("a")]]).rows], {"axis": "rows"})
