"""Every bound of the integer kernel matters: where one is changed, the check that belongs to it fails."""

from __future__ import annotations

import pytest

from tests.exact.kernel import changed, modules
from tests.exact.kernel_checks import CHECKS

MUTATIONS: tuple[tuple[str, str, str, str], ...] = (
    # bounds that are one smaller
    ("powers", "BASE_ERROR = 9", "BASE_ERROR = 8", "base_power"),
    ("powers", "TABLE_ERROR = 2", "TABLE_ERROR = 1", "windows"),
    ("powers", "LINEAR_ERROR = 1", "LINEAR_ERROR = 0", "fixed_point"),
    ("powers", "SHIFT_ERROR = 1", "SHIFT_ERROR = 0", "fixed_point"),
    ("powers", "return first + second + 1", "return first + second", "product_error"),
    ("powers", "return first + second + 1", "return max(first, second) + 1", "product_error"),
    ("powers", "return steps.bit_length() + error.bit_length()", "return steps.bit_length()", "guard_bits"),
    (
        "powers",
        "return steps.bit_length() + error.bit_length()",
        "return steps.bit_length() + error.bit_length() - 1",
        "guard_bits",
    ),
    ("certified_rows", "return reciprocal * eta, one", "return reciprocal * eta - 1, one", "weight_margins"),
    ("certified_rows", "one + error * (reciprocal + 1)", "one + error * reciprocal", "weight_margins"),
    ("certified_rows", "one + error * (reciprocal + 1)", "one - 1 + error * (reciprocal + 1)", "weight_margins"),
    ("certified_rows", "one + error * (reciprocal + 1)", "error * (reciprocal + 1)", "weight_margins"),
    ("certified_rows", "largest * below + most * above", "most * above", "output_margin"),
    ("certified_rows", "largest * below + most * above", "largest * below", "output_margin"),
    ("certified_rows", ">> cut) + 1 + most", ">> cut) + 1", "output_margin"),
    ("certified_rows", ">> cut) + 1 + most", ">> cut + 1) + 1 + most", "output_margin"),
    ("certified_rows", "if width >= 1 << shift:", "if width > 1 << shift:", "grid"),
    ("certified_rows", "free = mask - width", "free = mask - width + 2", "grid"),
    ("certified_rows", "self.half - below - 1", "self.half - below", "grid"),
    ("certified_rows", "self.half - below - 1", "self.half - 1", "grid"),
    ("integer_matrix", "(terms * first * second).bit_length()", "(terms * first * second).bit_length() - 1", "packing"),
    ("integer_matrix", "(terms * first * second).bit_length()", "(first * second).bit_length()", "packing"),
    ("integer_matrix", "size = bits // 8 + 1", "size = bits // 8", "packing"),
    ("integer_matrix", "8 if size <= 8 else 16", "8", "packing"),
    ("integer_scores", "self.error * len(found)", "self.error", "row_sums"),
    ("mixed_scores", "self.error * len(found)", "self.error", "mixed_rows"),
    ("mixed_scores", "least * 14427", "least * 7213", "mixed_rows"),
    ("mixed_scores", "found = [e >> cut for e in found]", "found = [e + 1 >> cut for e in found]", "mixed_rows"),
    ("mixed_scores", "value(j) * b - t", "value(j) * b + t", "mixed_rows"),
    (
        "mixed_scores",
        "ExpSum.exp(-self._scores.exponent(pair))",
        "ExpSum.exp(self._scores.exponent(pair))",
        "mixed_rows",
    ),
    ("mixed_scores", "found = [a * b >> wide for", "found = [(a * b >> wide) + 1 for", "mixed_rows"),
    ("certified_rows", "int(self._unit + 1) <<", "int(self._unit) <<", "row_sums"),
    # steps that are left out, or one off
    ("powers", "return bits + 1 - -(-bits // 2)", "return bits + 2 - -(-bits // 2)", "fixed_point"),
    ("powers", "return bits + 1 - -(-bits // 2)", "return bits + 1 - bits // 2", "fixed_point"),
    ("powers", "(10_000 * isqrt(radicand)) + 1", "(10_000 * isqrt(radicand))", "vanishing"),
    ("powers", "bits * 6932 * denominator", "bits * 6931 * denominator", "vanishing"),
    ("powers", "bits + guard)\n        if error", "bits + guard - 1)\n        if error", "windows"),
    ("powers", "table.append(power >> guard)", "table.append((power >> guard) - 1)", "windows"),
    ("powers", "        base = power\n", "        base = table[-1] << guard\n", "windows"),
    ("powers", "(last,) = fixed_exponents", "last, *_ = 0, fixed_exponents", "powers"),
    ("powers", "if max(exponents, default=0) < limit:", "if max(exponents, default=0) < 2 * limit:", "powers"),
    ("powers", "error = product_error(self._windows.error", "error = (lambda a, b: b)(self._windows.error", "powers"),
    ("integer_scores", "total + powers.error * below", "total", "sides"),
    ("integer_scores", "total + powers.error * above", "total", "sides"),
    ("integer_scores", "if c < 0)", "if c < -50)", "sides"),
    ("integer_scores", "collected.get(k, 0) + c", "c", "sides"),
    ("certified_rows", "-(-high // bottom) - 1", "high // top", "cells_of_figures"),
    (
        "certified_rows",
        "-(-(2 * high + bottom) // (2 * bottom)) - 1",
        "(2 * low + top) // (2 * top)",
        "cells_of_figures",
    ),
    ("certified_rows", "or last > 10**figures", "or last > 10 ** (figures + 1)", "cells_of_figures"),
    ("certified_rows", "low // top, -", "low // bottom, -", "cells_of_figures"),
    ("certified_rows", "zfill(places + 1)", "zfill(places)", "texts"),
    ("certified_rows", "max(indices) >= 10**places", "max(indices) > 10**places", "texts"),
    # roundings that are turned round
    ("powers", "(mid - rad) >> shift, -(-", "-(-(mid - rad) >> shift), -(-", "base_power"),
    ("powers", "-(-(mid + rad) >> shift)", "(mid + rad) >> shift", "base_power"),
    ("powers", "(mid - rad) >> shift", "(mid + rad) >> shift", "base_power"),
    ("powers", "table.append(power >> guard)", "table.append(-(-power >> guard))", "windows"),
    (
        "powers",
        "first[k & mask] * second[k >> width] >> bits for",
        "-(-first[k & mask] * second[k >> width] >> bits) for",
        "powers",
    ),
    ("powers", "(k * step >> cut) + 1 for", "(k * step >> cut) for", "fixed_point"),
    (
        "powers",
        "(isqrt(radicand << 2 * bits) + 1) // denominator + 1",
        "isqrt(radicand << 2 * bits) // denominator",
        "fixed_point",
    ),
    ("powers", "one - ((t & mask) + 1 >> 1)", "one - ((t & mask) >> 1)", "fixed_point"),
    ("certified_rows", "floor + 1 if self.ties", "floor if self.ties", "grid"),
    ("certified_rows", "index - (side < 0)", "index - (side > 0)", "grid"),
    ("certified_rows", "Fraction(2 * index - 1, 2)", "Fraction(2 * index + 1, 2)", "grid"),
)


@pytest.mark.parametrize(("module", "old", "new", "check"), MUTATIONS)
def test_mutation_is_caught(module: str, old: str, new: str, check: str) -> None:
    with changed(module, old, new) as kernel, pytest.raises((AssertionError, ArithmeticError, IndexError)):
        CHECKS[check](kernel)


def test_the_kernel_is_put_back() -> None:
    before = modules().powers.product_error
    with changed("powers", "return first + second + 1", "return 0") as kernel:
        assert kernel.powers.product_error(2, 2) == 0
        assert kernel.integer_scores.powers_of.__globals__ is kernel.powers.__dict__
    assert modules().powers.product_error is before
    assert before(2, 2) == 5
