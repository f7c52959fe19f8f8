"""Binary floats: against Python's own floats, `struct`, numpy and ml_dtypes; ties, ends and boundaries by hand."""

from __future__ import annotations

import math
import random
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.floats import FORMATS, Format, decode, encode, nearest, place, shortest

NAMES = tuple(FORMATS)
CODES = {"float16": "e", "float32": "f", "float64": "d"}
FLOAT8 = ("float8_e4m3fn", "float8_e4m3", "float8_e5m2")
TYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
    **{name: getattr(ml_dtypes, name) for name in FLOAT8},
}


def unpacked(pattern: int, name: str) -> float:
    """What `struct` makes of the bits; bfloat16 is the upper half of float32, and ml_dtypes knows those of 8 bits."""
    if name == "bfloat16":
        return unpacked(pattern << 16, "float32")
    if name in FLOAT8:
        return float(np.array([pattern], dtype=np.uint8).view(TYPES[name])[0])
    return float(struct.unpack(f">{CODES[name]}", pattern.to_bytes(FORMATS[name].width // 8, "big"))[0])


def patterns(name: str, count: int, seed: int = 0) -> list[int]:
    """Patterns of all kinds: drawn ones, and the ends of what there is with their neighbours."""
    form, source = FORMATS[name], random.Random(f"{name} {seed}")
    lowest = 1 << (form.precision - 1)
    ends = [0, lowest, form.infinity, 5 * lowest, form.sign_bit]
    near = [end + step for end in ends for step in (-1, 0, 1) if end + step >= 0]
    return [*near, *(form.sign_bit | one for one in near), *(source.getrandbits(form.width) for _ in range(count))]


def only(value: Quotient | str | int, form: Format) -> int:
    """The pattern nearest to one value."""
    return nearest([Quotient.of(value)], form)[0]


# Values of patterns ----------------------------------------------------------------------------------


def agrees_with_struct(name: str, pattern: int) -> bool:
    found, wanted = decode(pattern, FORMATS[name]), unpacked(pattern, name)
    if isinstance(found, str):
        return str(wanted) == found
    kept = encode(found, FORMATS[name])
    return math.isfinite(wanted) and found == Fraction(wanted) and kept == (pattern if found else 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_is_what_struct_says(name: str) -> None:
    assert [one for one in patterns(name, 300) if not agrees_with_struct(name, one)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_all_patterns_of_16_bits_are_what_struct_says(name: str) -> None:
    assert [one for one in range(1 << 16) if not agrees_with_struct(name, one)] == []


@pytest.mark.parametrize(("name", "value"), [("float16", Fraction(65504)), ("bfloat16", Fraction(255) * 2**120)])
def test_the_largest_number(name: str, value: Fraction) -> None:
    assert FORMATS[name].largest == value
    assert encode(value, FORMATS[name]) == FORMATS[name].infinity - 1
    assert encode(2 * value, FORMATS[name]) is None


@pytest.mark.parametrize("pattern", [-1, 1 << 16])
def test_too_many_bits_are_refused(pattern: int) -> None:
    with pytest.raises(InputError, match="16 bits"):
        decode(pattern, FORMATS["float16"])


# Shortest decimals -----------------------------------------------------------------------------------


def is_shortest(name: str, pattern: int) -> bool:
    """Whether numpy, or Python itself, prints the same digits; ml_dtypes prints some that are not the shortest."""
    form = FORMATS[name]
    found = shortest(pattern, form)
    if only(found, form) != pattern:
        return not Decimal(found)
    if name == "bfloat16" or name in FLOAT8:
        return float(TYPES[name](float(found))) == unpacked(pattern, name)
    return Decimal(found) == Decimal(str(TYPES[name](unpacked(pattern, name))))


@pytest.mark.parametrize("name", NAMES)
def test_a_shortest_decimal_is_the_one_that_is_printed(name: str) -> None:
    finite = [one for one in patterns(name, 150) if not isinstance(decode(one, FORMATS[name]), str)]
    assert [one for one in finite if not is_shortest(name, one)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_shortest_decimals(name: str) -> None:
    finite = [one for one in patterns(name, 20_000, 1) if not isinstance(decode(one, FORMATS[name]), str)]
    assert [one for one in finite if not is_shortest(name, one)] == []


def test_shortest_decimals_of_powers_of_two() -> None:
    """Below a power of two floats are nearer than above it, so the nearest decimal may not read back."""
    powers = [2.0**e for e in range(-1074, 1024, 7)]
    found = [shortest(struct.unpack(">Q", struct.pack(">d", one))[0], FORMATS["float64"]) for one in powers]
    assert [Decimal(one) for one in found] == [Decimal(repr(one)) for one in powers]


def test_no_decimal_of_fewer_figures_reads_back() -> None:
    form = FORMATS["bfloat16"]
    for pattern in range(1, form.infinity, 97):
        value = decode(pattern, form)
        assert isinstance(value, Fraction)
        digits = Decimal(shortest(pattern, form)).normalize().as_tuple()
        if len(digits.digits) == 1:
            continue
        ten = Fraction(10) ** (int(digits.exponent) + 1)
        shorter = (value // ten * ten, (value // ten + 1) * ten)
        assert pattern not in [only(Quotient.of(one), form) for one in shorter]


def test_what_is_no_number_has_no_decimal() -> None:
    with pytest.raises(InputError, match="stands for nan"):
        shortest(0x7E00, FORMATS["float16"])


# Rounding --------------------------------------------------------------------------------------------


@given(st.fractions(max_denominator=10**30))
def test_a_rational_rounds_as_python_rounds_it(value: Fraction) -> None:
    assert unpacked(only(Quotient.of(value), FORMATS["float64"]), "float64") == value.numerator / value.denominator


@pytest.mark.parametrize("name", ["float16", "float32"])
@given(number=st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_double_rounds_as_struct_rounds_it(name: str, number: float) -> None:
    try:
        wanted = struct.pack(f">{CODES[name]}", number)
    except OverflowError:
        wanted = struct.pack(f">{CODES[name]}", math.copysign(math.inf, number))
    found = only(Quotient.of(Fraction(number)), FORMATS[name])
    assert found == int.from_bytes(wanted, "big") or found == 0 == Fraction(unpacked(found, name))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_float32_rounds_to_bfloat16_as_ml_dtypes_rounds_it(number: float) -> None:
    found = only(Quotient.of(Fraction(number)), FORMATS["bfloat16"])
    with np.errstate(over="ignore"):
        assert unpacked(found, "bfloat16") == float(np.float32(number).astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("name", NAMES)
def test_ties_go_to_even_and_overflow_to_infinity(name: str) -> None:
    form = FORMATS[name]
    for size in (0, 1, 2, (1 << form.precision - 1) - 1, 1 << form.precision - 1, form.infinity - 2):
        low, high = (decode(one, form) for one in (size, size + 1))
        assert not isinstance(low, str)
        assert not isinstance(high, str)
        assert only(Quotient.of((low + high) / 2), form) == size + size % 2
        assert only(Quotient.of(-(low + high) / 2), form) in (form.sign_bit | size + size % 2, 0)
    last = form.largest + Fraction(2) ** (form.emax - form.precision)
    beyond = form.infinity - (not form.has_infinity)  # the largest number of float8_e4m3fn is even
    assert only(Quotient.of(last), form) == beyond
    assert only(Quotient.of(last + Fraction(1, 10**9)), form) == form.infinity
    assert only(Quotient.of(last - Fraction(1, 10**9)), form) == form.infinity - 1
    assert only(Quotient.of(-last), form) == beyond | form.sign_bit


@pytest.mark.parametrize("name", FLOAT8)
@given(number=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_float32_rounds_to_8_bits_as_ml_dtypes_rounds_it(name: str, number: float) -> None:
    found = only(Quotient.of(Fraction(number)), FORMATS[name])
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = float(np.float32(number).astype(TYPES[name]))
    assert str(unpacked(found, name)) == str(wanted + 0.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("gap", [1, 40, 1000, 10**6])
@pytest.mark.parametrize("side", [1, -1])
def test_a_value_next_to_a_tie_goes_to_its_side(name: str, gap: int, side: int) -> None:
    """tie + side e^-gap agrees with the tie in up to 400,000 digits: only a sign tells."""
    form = FORMATS[name]
    size = form.infinity // 2
    low, high = (decode(one, form) for one in (size, size + 1))
    assert not isinstance(low, str)
    assert not isinstance(high, str)
    tie = (low + high) / 2
    step = (high - low) / 4
    value = Quotient(ExpSum.exp(gap) * tie + step * side, ExpSum.exp(gap))
    assert only(value, form) == (size + 1 if side > 0 else size)
    assert only(-value, form) == (size + 1 if side > 0 else size) | form.sign_bit


def ulps(values: list[Quotient], form: Format) -> list[Fraction]:
    """The unit in the last place of each value."""
    return [one.ulp(form) for one in place(values)]


@pytest.mark.parametrize("name", NAMES)
def test_values_beyond_all_floats(name: str) -> None:
    form = FORMATS[name]
    tiny, huge = Quotient(ExpSum.exp(-(10**9))), Quotient(ExpSum.exp(10**9))
    assert nearest([tiny, -tiny, huge, -huge], form) == [0, 0, form.infinity, form.infinity | form.sign_bit]
    assert ulps([tiny, huge], form) == [form.smallest, Fraction(2) ** (form.emax - form.precision + 1)]
    half = form.smallest / 2
    near = Quotient(ExpSum.exp(50) * half + half, ExpSum.exp(50))
    assert nearest([Quotient.of(half), near], form) == [0, 1]


def test_a_free_symbol_is_refused() -> None:
    with pytest.raises(SymbolicValueError):
        nearest([Quotient(ExpSum.exp(Polynomial.symbol("x")))], FORMATS["float32"])


# Units -----------------------------------------------------------------------------------------------


@given(st.floats(min_value=0, allow_infinity=False))
def test_the_unit_of_a_double_is_that_of_python(number: float) -> None:
    assert ulps([Quotient.of(Fraction(number))], FORMATS["float64"]) == [Fraction(math.ulp(number))]


@pytest.mark.parametrize("gap", [1, 80, 5000])
@pytest.mark.parametrize("name", NAMES)
def test_the_unit_changes_at_a_power_of_two(name: str, gap: int) -> None:
    form, e = FORMATS[name], ExpSum.exp(gap)
    unit = Fraction(1, 2 ** (form.precision - 1))
    below, above = Quotient(e - Fraction(1, 8), e), Quotient(e + Fraction(1, 8), e)
    assert ulps([below, Quotient.of(1), above, -below], form) == [unit / 2, unit, unit, unit / 2]


@given(st.fractions(max_denominator=10**12), st.sampled_from(NAMES))
def test_the_nearest_float_lies_within_half_a_unit(value: Fraction, name: str) -> None:
    form = FORMATS[name]
    found = decode(only(Quotient.of(value), form), form)
    if not isinstance(found, str):
        assert abs(found - value) <= ulps([Quotient.of(value)], form)[0] / 2


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=4), st.sampled_from(NAMES))
def test_an_enclosure_holds_its_value(exponents: list[int], name: str) -> None:
    """Between the boundaries on both sides of the nearest float, which are no floats of the format."""
    form = FORMATS[name]
    value = Quotient(ExpSum.exp(exponents[0]), sum(map(ExpSum.exp, exponents), ExpSum(0)))
    (placed,) = place([value])
    size = placed.nearest(form)
    here = decode(size, form)
    assert not isinstance(here, str)
    assert placed.beyond(here + placed.ulp(form)) < 0 <= placed.beyond(max(here - placed.ulp(form), Fraction(0)))
