"""The public face: problems in, exact results out, each public name where it is expected."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import mpmath
import pytest
import sympy

import symattn as sa
from symattn.api.result_quantities import ResultQuantities
from symattn.api.solutions import Result
from symattn.errors import InputError, ShapeError, SymattnError, SymbolicValueError
from symattn.graph.derivation import Derivation
from symattn.printable import json_text
from tests.attention.closed_forms import closed_form

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))
NUMERIC = [path for path in EXAMPLES if "[inputs]" in path.read_text(encoding="utf-8")]
RECORDED = [
    pytest.param(path, id=path.stem, marks=() if path in NUMERIC else pytest.mark.long)  # proofs take a minute
    for path in EXAMPLES
]
GIVEN: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]], "scale": "none"}


@pytest.fixture(scope="module")
def ps4() -> Result:
    return sa.solve(sa.Problem.load(next(path for path in EXAMPLES if path.stem == "ps4_self_attention")))


# The names -----------------------------------------------------------------------------------------


def test_the_public_names_are_there_and_documented() -> None:
    assert {"Problem", "Verdict", "attention", "equal", "solve"} <= set(sa.__all__)
    for name in sa.__all__:
        assert getattr(sa, name) is not None
        if not name.startswith("__"):
            assert getattr(sa, name).__doc__
    assert set(sa.__all__) <= set(dir(sa))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = sa.nonsense


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c", 'the quantity is result["c"].'),
        ("save", "Did you mean to_latex?"),
        ("weights", "Did you mean A?"),
        ("to_htm", "Did you mean to_html?"),
        ("zzz", "A result has no attribute zzz."),
    ],
)
def test_an_attribute_that_a_result_lacks_names_the_nearest(name: str, said: str) -> None:
    batch = sa.solve(sa.Problem.build(Q=[[[1]], [[2]]], K=[[1]], V=[[3]]))
    theory = sa.solve(sa.Problem.build(parts=[{"asks": "prose", "answer": "Yes."}]))
    for result in (sa.attention(Q=[[1]], K=[[2]], V=[[3]]), batch, theory):
        with pytest.raises(AttributeError) as caught:
            getattr(result, name)
        if name != "c" or result not in (batch, theory):
            assert said in str(caught.value)


@pytest.mark.parametrize(
    "problem",
    [
        {"Q": [[1]], "K": [[2]], "V": [[3]]},
        {"inputs": {"X": [[1]]}, "definitions": {"S": "X X^T", "A": "softmax(S)"}},
    ],
)
def test_nothing_is_worked_out_to_refuse_a_name(problem: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    result = sa.solve(sa.Problem.build(**problem))

    def worked(_: object) -> NoReturn:
        raise AssertionError("a layer is worked out")

    monkeypatch.setattr(ResultQuantities, "layer", property(worked))
    assert not hasattr(result, "shape")
    with pytest.raises(AttributeError, match=r"to_latex|defines no"):
        _ = result.to_latx
    with pytest.raises(AssertionError):
        _ = result.E


def test_importing_loads_nothing_heavy() -> None:
    program = "import sys, symattn; print([m for m in ('sympy', 'mpmath', 'flint', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Solving -------------------------------------------------------------------------------------------


def test_the_values_of_the_sheet(ps4: Result) -> None:
    assert [[str(entry) for entry in row] for row in ps4.S.rows] == [
        ["3/2", "-5/2", "8"],
        ["-7/2", "-7/2", "6"],
        ["17/2", "8", "-53/4"],
    ]
    expected = closed_form("exp(8)/(exp(3/2) + exp(-5/2) + exp(8))")
    assert closed_form(str(ps4.A[0, 2])).equals(expected)
    assert ps4.O.rounded(2) == [["-1.99", "-3.00"], ["-2.00", "-3.00"], ["1.18", "0.20"]]
    assert [matrix.shape for matrix in (ps4.Q, ps4.K, ps4.V, ps4.S, ps4.A, ps4.O)] == [(3, 2)] * 3 + [(3, 3)] * 2 + [
        (3, 2)
    ]


def test_other_forms_of_a_matrix(ps4: Result) -> None:
    closed = ps4.A.sympy()
    assert isinstance(closed, sympy.ImmutableMatrix)
    assert closed[2, 0].has(sympy.exp)
    assert abs(closed[2, 0].evalf(40) - sympy.Float("0.6224593310630777285267637399450000", 40)) < 1e-20
    digits = ps4.A.evaluate(50)
    with mpmath.workdps(50):
        assert abs(mpmath.fsum(digits[i, j] for i in range(3) for j in range(3)) - 3) < mpmath.mpf(10) ** -48


def test_quantities_by_name(ps4: Result) -> None:
    assert ps4["S"] == ps4.S
    assert ps4["Z"].shape == (3, 1)
    with pytest.raises(KeyError, match="S_scaled"):
        _ = ps4["S_scaled"]
    with pytest.raises(KeyError, match="there are"):
        _ = ps4["entropy"]


def test_results_say_what_they_are(ps4: Result) -> None:
    assert repr(ps4) == "<Result of Computing attention maps: 3×3 weights>"
    assert "a problem" in repr(sa.attention(**GIVEN))


def test_matrices_do_not_change(ps4: Result) -> None:
    with pytest.raises(TypeError):
        ps4.A[0, 0] = 1


@pytest.mark.parametrize(
    "entries",
    [
        [[Fraction(1, 2), 0]],
        [["1/2", "0"]],
        [[Decimal("0.5"), Decimal(0)]],
        [["0.5", 0]],
        sympy.Matrix([[sympy.Rational(1, 2), 0]]),
        sympy.ImmutableMatrix([[sympy.Rational(1, 2), 0]]),
        "[[1/2, 0]]",
        "[1/2 0]",
    ],
    ids=str,
)
def test_entries_in_every_spelling(entries: object) -> None:
    result = sa.attention(**{**GIVEN, "Q": entries})
    assert closed_form(str(result.A[0, 0])).equals(closed_form("exp(1/2)/(exp(1/2) + 1)"))


@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf"), sympy.Float(0.5), mpmath.mpf(1), None, True, 1j])
def test_inexact_entries_are_refused_with_the_remedy(value: object) -> None:
    with pytest.raises(InputError, match=r"Q, row 1, column 1") as caught:
        sa.attention(**{**GIVEN, "Q": [[value, 0]]})
    assert str(caught.value).endswith(".")


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(ShapeError, match=r"Q is 1×3 and K is 2×2"):
        sa.attention(**{**GIVEN, "Q": [[1, 2, 3]]})


def test_sympy_takes_a_matrix_where_numpy_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.api.values.matrix.find_spec", lambda _: None)
    for rows in ([[1, 2]], [[1], [2]], [[1, 2], [3, 4]]):
        made = sa.Matrix(rows)
        assert sympy.Matrix(made) == made.sympy()
        assert sympy.eye(made.shape[0]) * made == made.sympy()


# Symbols -------------------------------------------------------------------------------------------


def test_entries_are_compared_and_taken_by_sympy_in_closed_form() -> None:
    small, large = sa.softmax([0, 1]).A[0]
    assert (+small == small, small <= large, large <= small, small <= "1/2") == (True, True, False, True)
    assert sympy.latex(small) == small.latex()
    assert sympy.sympify(sa.softmax([0, 1]).A) == sa.softmax([0, 1]).A.sympy()


def test_letters_in_the_matrices_give_closed_forms_in_them() -> None:
    a, b = sympy.symbols("a b")
    result = sa.attention(Q=sympy.Matrix([[a, 0]]), K=[[1, 0], [0, 1]], V=sympy.Matrix([[b], [0]]), scale="none")
    assert str(result.S[0, 0]) == "a"
    assert sympy.simplify(result.A.sympy()[0, 0] - sympy.exp(a) / (sympy.exp(a) + 1)) == 0
    assert sympy.simplify(result.O.sympy()[0, 0] - b * sympy.exp(a) / (sympy.exp(a) + 1)) == 0
    assert result.pattern is None
    assert result.warnings == ()
    assert result._weights == {}


def test_digits_of_a_letter_are_refused_with_the_remedy() -> None:
    result = sa.attention(**{**GIVEN, "Q": [["beta", 0]], "symbols": {"beta": "positive"}})
    for ask in (lambda: result.A.rounded(2), lambda: result.A.evaluate(20), lambda: result.A.digits(3)):
        with pytest.raises(SymbolicValueError, match="beta"):
            ask()
    assert result.K.rounded(1) == [["1.0", "0.0"], ["0.0", "1.0"]]


def test_a_symbol_with_a_value_is_that_value() -> None:
    valued = sa.attention(**{**GIVEN, "Q": [["2*b - 1", 0]], "symbols": {"b": "3/4"}})
    assert valued.A == sa.attention(**{**GIVEN, "Q": [["1/2", 0]]}).A


# Verdicts ------------------------------------------------------------------------------------------


def test_equality_has_three_values_and_is_no_truth_value() -> None:
    result = sa.attention(**GIVEN)
    same, other = sa.equal(result.A[0, 0], 1 - result.A[0, 1]), sa.equal(result.A[0, 0], result.A[0, 1])
    assert same.is_equal
    assert other.is_different
    for verdict in (same, other):
        assert isinstance(verdict, sa.Verdict)
        with pytest.raises(TypeError):
            bool(verdict)


def test_entries_that_differ_by_almost_nothing_are_different() -> None:
    tiny = Fraction(1, 10**200)
    weight = sa.attention(**GIVEN).A[0, 0]
    assert sa.equal(weight, weight + tiny).is_different
    assert sa.equal(weight, weight + tiny - tiny).is_equal


# Keys ----------------------------------------------------------------------------------------------


@pytest.mark.sample(5)
@pytest.mark.parametrize("template", ["article", "sheet", "exam", "fragment"])
@pytest.mark.parametrize("detail", ["brief", "full", "every-product"])
def test_every_template_in_every_detail(ps4: Result, template: str, detail: Any) -> None:
    tex = ps4.to_latex(template, detail)
    assert tex.strip()
    assert all(finding.proved for finding in ps4.read_back(tex))


def test_no_such_template(ps4: Result) -> None:
    with pytest.raises(SymattnError, match="book"):
        ps4.to_latex("book")


def test_no_such_detail(ps4: Result) -> None:
    with pytest.raises(SymattnError, match="everything"):
        ps4.to_latex("article", "everything")  # type: ignore[arg-type]


def test_a_notebook_shows_the_outputs(ps4: Result) -> None:
    shown = ps4._repr_latex_()
    assert shown is not None
    assert shown.startswith("$")
    assert shown.endswith("$")
    assert r"\mathbf{O}" in shown
    assert "e^{" in shown


def test_a_changed_key_is_found_out(ps4: Result) -> None:
    tex = ps4.to_latex()
    assert "= 1.17" in tex or "1.17" in tex
    changed = tex.replace("1.17", "1.16")
    wrong = [finding for finding in ps4.read_back(changed) if not finding.proved]
    assert wrong
    assert all("1.16" in finding.marked.source for finding in wrong)


# Records -------------------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize("path", RECORDED)
def test_records_are_json_and_the_same_every_time(path: Path) -> None:
    text = json_text(sa.solve(sa.Problem.load(path)).as_json())
    assert text == json_text(sa.solve(sa.Problem.load(path)).as_json())
    assert json.loads(text)["format"] == 1


@pytest.mark.sample(4)
@pytest.mark.parametrize("path", NUMERIC, ids=lambda path: path.stem)
def test_derivations_are_plain_data_and_replayed(path: Path) -> None:
    derivation = sa.solve(sa.Problem.load(path)).derivation
    assert isinstance(derivation, Derivation)
    assert all(step.proved for step in derivation.replay())
    assert len(derivation.replay()) == len(derivation.steps)
    assert json.loads(json.dumps(derivation.as_json()))


def test_results_are_the_same_with_other_big_integers_of_sympy() -> None:
    pytest.importorskip("flint")
    program = (
        "import symattn as sa, sympy; m = sympy.Matrix([[sympy.Rational(1, 3), 2]]); "
        "r = sa.attention(Q=m, K=[[1, 0], [0, 1]], V=[[1], [2]]); print(r.O.digits(40), r.O[0, 0])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"SYMPY_GROUND_TYPES": types, "PATH": "", "PYTHONPATH": str(Path(__file__).parent.parent)},
        ).stdout
        for types in ("python", "flint")
    }
    assert len(printed) == 1


# Checking ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "work"),
    [
        (None, "O = 1"),
        ([], "O = 1"),
        (GIVEN, None),
        (GIVEN, 3),
        (GIVEN, b"O = 1"),
        (GIVEN, ["O"]),
    ],
)
def test_what_cannot_be_checked_is_said_in_a_sentence(problem: Any, work: Any) -> None:
    known = sa.Problem.build(**GIVEN) if problem is GIVEN else problem
    with pytest.raises(InputError) as error:
        sa.check(known, work)
    assert str(error.value).endswith(".")
    assert type(work if problem is GIVEN else problem).__name__ in str(error.value)


@pytest.mark.parametrize(
    "policy", ["places=1", sa.Problem.build(**GIVEN, rounding={"places": 1, "steps": "end"}).policy]
)
def test_a_work_is_checked_under_another_policy(policy: Any) -> None:
    """The first weight is e/(e + 1) = 0.731."""
    problem = sa.Problem.build(**GIVEN, rounding={"places": 3, "steps": "end"})
    assert sa.check(problem, "A_11 = 0.7", "txt").findings[0].verdict == "coarse"
    assert sa.check(problem, "A_11 = 0.7", "txt", policy=policy).findings[0].verdict == "rounded"
    wrong: Any = 3
    with pytest.raises(InputError):
        sa.check(problem, "A_11 = 0.7", "txt", policy=wrong)
