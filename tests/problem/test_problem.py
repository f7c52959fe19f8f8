"""Whole problems: defaults, names, scales, parts, and every refusal with its key."""

from __future__ import annotations

import dataclasses
import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, ShapeError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding
from symattn.problem.model import Part, Problem, Scale
from symattn.problem.schema.examples import commented_problem

GIVEN = "[inputs]\nQ = [[1, 2]]\nK = [[0, 1], [1, 1]]\nV = [[1], [2]]\n"
ONE = {"Q": [[1]], "K": [[1]], "V": [[1]]}


def load(top: str = "", below: str = "", inputs: str = GIVEN) -> Problem:
    return Problem.from_text(f"{top}\n{inputs}\n{below}", source="x.toml")


def test_defaults_are_the_definition() -> None:
    problem = load()
    assert (problem.tokens, problem.projection, problem.scores, problem.softmax) == (
        "rows",
        "",
        "Q K^T",
        "rows",
    )
    assert problem.scale == Scale("1/sqrt(d_k)")
    assert problem.scale.factor(problem.d_k) == Polynomial.sqrt(Fraction(1, 2))
    assert problem.policy.rounding == Rounding(places=4)
    assert problem.defaults_used == ("tokens", "scores", "softmax", "scale", "rounding")
    assert (problem.n_q, problem.n_k, problem.d_k, problem.d_v) == (1, 2, 2, 1)
    assert problem.parts == ()
    assert problem.diagram_threshold == 0


def test_what_is_declared_is_no_default() -> None:
    top = 'tokens = "rows"\nscores = "Q K^T"\nsoftmax = "rows"\nscale = "none"'
    assert load(top, "[rounding]\nfigures = 3").defaults_used == (
        "rounding.steps",
        "rounding.ties",
        "rounding.shift",
    )


@pytest.mark.parametrize(
    ("declared", "kind", "factor", "text"),
    [
        ('scale = "none"', "none", Polynomial.constant(1), ""),
        ('scale = "1/sqrt(d_k)"', "1/sqrt(d_k)", Polynomial.sqrt(Fraction(1, 4)), ""),
        ('scale = "1 / sqrt(d_k)"', "1/sqrt(d_k)", Polynomial.sqrt(Fraction(1, 4)), ""),
        ("scale = 0.10", "number", Polynomial.constant(Fraction(1, 10)), "0.10"),
        ('scale = "1/sqrt(3)"', "number", Polynomial.sqrt(Fraction(1, 3)), "1/sqrt(3)"),
        ('scale = "2 1/2"', "number", Polynomial.constant(Fraction(5, 2)), "5/2"),
        ("scale = 1_0.5", "number", Polynomial.constant(Fraction(21, 2)), "21/2"),
        ("temperature = 2", "temperature", Polynomial.constant(Fraction(1, 2)), "2"),
        ('temperature = "sqrt(2)"', "temperature", Polynomial.sqrt(Fraction(1, 2)), "sqrt(2)"),
        ("beta = 3", "beta", Polynomial.constant(3), "3"),
        ('beta = "beta"\nsymbols = {beta = "positive"}', "beta", Polynomial.symbol("beta"), "beta"),
        ('beta = "beta"\nsymbols = {beta = "3/2"}', "beta", Polynomial.constant(Fraction(3, 2)), "beta"),
        ('temperature = "t"\nsymbols = {t = 0.5}', "temperature", Polynomial.constant(2), "t"),
    ],
)
def test_scales(declared: str, kind: str, factor: Polynomial, text: str) -> None:
    scale = load(declared).scale
    assert (scale.kind, scale.factor(4), scale.text) == (kind, factor, text)


def test_symbols_with_a_value_are_put_in_and_keep_their_name() -> None:
    inputs = '[symbols]\na = "1/2"\nb = "real"\n[inputs]\nQ = [["2*a", "b"]]\nK = [[1, 1]]\nV = [[1]]'
    problem = load(inputs=inputs)
    assert problem.symbols == {"a": Fraction(1, 2), "b": "real"}
    assert problem.inputs["Q"][0, 0].rational() == 1
    assert problem.inputs["Q"].symbols == {"b"}


def test_names_keep_the_words_of_the_sheet() -> None:
    problem = load(below='[names]\nA = "attention map"\nS = "z"\nO = "\\\\input{x}"')
    assert (problem.label("A"), problem.label("S"), problem.label("Q")) == ("attention map", "z", "Q")
    assert problem.label("O") == "\\input{x}"


def test_inputs_of_another_kind_leave_their_names_free() -> None:
    inputs = "[inputs]\nX_1 = [[1]]\nX_2 = [[1]]\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[1]]\n"
    problem = load(inputs=inputs, below='[names]\nX_1 = "X"\nX_2 = "Y"')
    assert problem.label("X_1") == "X"


def test_rounding_table() -> None:
    below = (
        '[rounding]\nplaces = 2\nsteps = ["outputs", "weights"]\nties = "half-even"\nshift = true\n'
        "[rounding.each]\nexponentials = {places = 3}\n"
    )
    policy = load("strict_rounding = true", below).policy
    assert policy.rounding == Rounding(places=2, ties="half-even")
    assert policy.steps == ("weights", "outputs")
    assert policy.each == (("exponentials", Rounding(places=3, ties="half-even")),)
    assert (policy.shift, policy.strict, policy.declared) == (True, True, True)


def test_parts() -> None:
    below = (
        '[[parts]]\nasks = "map"\n'
        '[[parts]]\nasks = ["prose", "prove:row-column"]\ntokens = [1]\npoints = 2.5\n'
        'title = "T"\ntext = "a\\nb"\nanswer = "c"\n'
    )
    assert load(below=below).parts == (
        Part(asks=("map",)),
        Part(("prose", "prove:row-column"), (1,), Fraction(5, 2), "T", "a\nb", "c"),
    )


BAD_KEYS = [
    ('titel = "x"', "", 'x.toml: unknown key "titel". Did you mean "title"?'),
    ("zzz = 1", "", 'x.toml: unknown key "zzz". Known '),
    (
        "",
        'Eingabe = [[1]]\n[names]\nX = "Eingabe"',
        "x.toml, [inputs] Eingabe is the name that [names] prints for X: write X = ... here.",
    ),
    ("", "[rounding]\nplace = 2", 'x.toml, [rounding]: unknown key "place". Did you mean "places"?'),
    (
        "",
        "[rounding.each]\nweight = {places = 2}",
        '[rounding.each]: unknown key "weight". Did you mean "weights"?',
    ),
    ("", "[rounding.each]\nweights = {}", "[rounding.each] weights has neither places nor figures"),
    ("", "[rounding.each]\nweights = 3", "[rounding.each] weights must be a table of keys, not the number 3"),
    ("", "[rounding]\nplaces = 2\nfigures = 3", "x.toml, rounding has both places and figures"),
    ("", "[rounding]\nplaces = 2.0", "[rounding] places must be a whole number, not the number 2.0"),
    ("", "[rounding]\nplaces = true", "[rounding] places must be a whole number, not true"),
    ("", "[rounding]\nplaces = -1", "[rounding] places must be a whole number from 0 to 900"),
    ("", "[rounding]\nfigures = 0", "[rounding] figures must be a whole number from 1"),
    ("", '[rounding]\nsteps = "weight"', '[rounding] steps: unknown value "weight". Did you mean "weights"?'),
    ("", '[rounding]\nsteps = ["end", "end"]', "has one entry twice"),
    ("", '[rounding]\nties = "half-evn"', 'Did you mean "half-even"?'),
    ("", "[rounding]\nshift = 1", "[rounding] shift must be true or false, not the number 1"),
    ("rounding = 2", "", "x.toml, rounding must be a table of keys, not the number 2"),
    (
        'positions = "rope"',
        "",
        'x.toml, positions must be a table of keys, as in {kind = "rope"}, not the text "rope".',
    ),
    ('rounding = "all"', "", 'x.toml, rounding must be a table of keys, as in {steps = "all"}, not the text "all".'),
    ('block = "layers"', "", 'x.toml, block must be a table of keys, not the text "layers".'),
    ('tokens = "row"', "", 'x.toml, tokens: unknown value "row". Did you mean "rows"?'),
    ("tokens = 1", "", 'x.toml, tokens must be one of "rows", "columns", not the number 1'),
    ("title = 1", "", "x.toml, title must be text in quotes, not the number 1"),
    ('title = "a\\nb"', "", "x.toml, title contains the control character U+000A"),
    ('text = "a\\u0000b"', "", "x.toml, text contains the control character U+0000"),
    ('text = "a\\u202Eb"', "", "x.toml, text contains the control character U+202E"),
    (f'title = "{"a" * 300}"', "", "x.toml, title must be at most 200 characters long"),
    ("title = 2024-01-01", "", "x.toml, title must be text in quotes, not a date"),
    ("strict_rounding = 0", "", "x.toml, strict_rounding must be true or false"),
    ("points = -1", "", "x.toml, points must be at least 0"),
    ("points = inf", "", 'x.toml, points: "inf" is not a number'),
    ("points = true", "", "x.toml, points must be a number, not true"),
    ("diagram_threshold = nan", "", 'x.toml, diagram_threshold: "nan" is not a number'),
    ('tokens = "columns"\nprojection = "X W"', "", "so projection has no effect"),
    ('scores = "K^T Q"', "", 'x.toml: With tokens = "rows"'),
    ('scale = "none"\nbeta = 2', "", "x.toml, beta: only one of scale and beta"),
    ('scale = "1/sqrt(d)"', "", "x.toml, scale"),
    ("temperature = 0", "", "x.toml, temperature: The temperature 0 divides the scores"),
    ('temperature = "t"\nsymbols = {t = "positive"}', "", "x.toml, temperature: The temperature t divides"),
    (
        'beta = "beta"',
        "",
        'x.toml, beta: unknown symbol "beta". Declare it under [symbols], e.g. beta = "real".',
    ),
    ('beta = "bta"\nsymbols = {beta = "real"}', "", 'Did you mean "beta"?'),
    ("symbols = 1", "", "x.toml, symbols must be a table of symbols"),
    ('symbols = {a = "negative"}', "", 'x.toml, [symbols] a must be "positive", "real" or a value'),
    ("symbols = {a = true}", "", "x.toml, [symbols] a must be a number, not true"),
    ('symbols = {Q = "real"}', "", "x.toml, symbols: the name Q is already taken"),
    ('symbols = {e = "real"}', "", "is already taken"),
    ('symbols = {"β" = "real"}', "", '"β" is not a symbol; write letters a to z'),
    ('symbols = {"a b" = "real"}', "", "is not a symbol"),
    ("", '[names]\nS = ""', "x.toml, [names] S is empty"),
    ("", '[names]\nS = "A"', "x.toml, [names] S: S cannot be called A while A has that name"),
    ("", '[names]\nS = "z"\nA = "z"', 'x.toml, [names] A: "z" already names S'),
    ("", '[names]\nB = "z"', 'x.toml, [names]: unknown name "B"'),
    ("", "[[parts]]\npoints = 1", "x.toml, [parts #1] asks is missing"),
    ("", "[[parts]]\nasks = []", "x.toml, [parts #1] asks is empty. Ask for something"),
    ("", '[[parts]]\nasks = "maps"', 'x.toml, [parts #1] asks: unknown value "maps". Did you mean "map"?'),
    ("", '[[parts]]\nasks = "prove:"', "x.toml, [parts #1] asks: unknown value"),
    (
        "",
        '[[parts]]\nasks = "map"\ntokens = [2]',
        "x.toml, [parts #1] tokens: there is no token 2. Tokens are counted",
    ),
    (
        "",
        '[[parts]]\nasks = "map"\ntokens = [0]',
        "x.toml, [parts #1] tokens: there is no token 0. Tokens are counted from 1 to 1 here.",
    ),
    ("", '[[parts]]\nasks = "map"\ntokens = 1', "x.toml, [parts #1] tokens must be a list in square brackets"),
    ("", '[[parts]]\nasks = "map"\n[[parts]]\nasks = "map"\npts = 1', '[parts #2]: unknown key "pts"'),
    ("parts = 1", "", "x.toml, parts must be a list in square brackets"),
]


@pytest.mark.parametrize(("top", "below", "words"), BAD_KEYS)
def test_bad_keys_are_named(top: str, below: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        load(top, below)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ("", "x.toml, inputs is missing: X, or X_1 and X_2"),
        ("[inputs]", "x.toml, inputs is missing or empty"),
        ("inputs = 3", "x.toml, inputs must be a table of keys"),
        ("[inputs]\nX = [[1]]", "x.toml, inputs lacks W_Q, W_K and W_V"),
        ("[inputs]\nQ = [[1]]\nK = [[1]]", "x.toml, inputs lacks V"),
        ("[inputs]\nX = [[1]]\nQ = [[1]]", "x.toml, inputs has X and Q, which do not go together"),
        ("[inputs]\nM = [[1]]", 'x.toml, [inputs]: unknown key "M"'),
        ("[inputs]\nQ = [[1, 2]]\nK = [[1]]\nV = [[1]]", "Q is 1×2 and K is 1×1"),
        (
            "[inputs]\nQ = [[1, 2], [3]]\nK = [[1]]\nV = [[1]]",
            "x.toml, [inputs] Q, row 2 has 1 entry and row 1 has 2",
        ),
        (
            "[inputs]\nQ = [[nan]]\nK = [[1]]\nV = [[1]]",
            'x.toml, [inputs] Q, row 1, column 1: "nan" is not a number',
        ),
        ("[inputs]\nQ = [[1e999999999]]\nK = [[1]]\nV = [[1]]", "x.toml, [inputs] Q, row 1, column 1"),
        ("[inputs]\nQ = [['1/0']]\nK = [[1]]\nV = [[1]]", "x.toml, [inputs] Q, row 1, column 1"),
        (
            "[inputs]\nQ = [['x']]\nK = [[1]]\nV = [[1]]",
            'unknown symbol "x". Declare it under [symbols], e.g. x = "real".',
        ),
        ("[inputs]\nQ = [[true]]\nK = [[1]]\nV = [[1]]", "row 1, column 1 must be a number, not true"),
        ("[inputs]\nQ = [[1979-05-27]]\nK = [[1]]\nV = [[1]]", "row 1, column 1 must be a number, not a date"),
        ("[inputs]\nQ = 1\nK = [[1]]\nV = [[1]]", "x.toml, [inputs] Q must be a matrix"),
    ],
)
def test_bad_inputs_are_named(inputs: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        load(inputs=inputs)


def test_json_floats_are_exact_and_its_nan_is_refused() -> None:
    text = json.dumps({"inputs": {**ONE, "Q": [[0.1]]}})
    assert Problem.from_text(text, "json").inputs["Q"][0, 0].rational() == Fraction(1, 10)
    for bad in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(InputError, match=r"row 1, column 1: .* is not a number"):
            Problem.from_text(json.dumps({"inputs": {**ONE, "Q": [[bad]]}}), "json")
    with pytest.raises(InputError, match="column 1 must be a number, not null"):
        Problem.from_text(json.dumps({"inputs": {**ONE, "Q": [[None]]}}), "json")
    with pytest.raises(InputError, match="title contains the control character U\\+D800"):
        Problem.from_text('{"title": "\\ud800", "inputs": {}}', "json")


def test_python_builds_the_same_problem_as_a_file() -> None:
    built = Problem.build(**ONE, scale="none", rounding={"places": 2, "steps": "all"}, names={"S": "z"})
    text = (
        'scale = "none"\nrounding = {places = 2, steps = "all"}\nnames = {S = "z"}\n'
        "inputs = {Q = [[1]], K = [[1]], V = [[1]]}"
    )
    assert built == Problem.from_text(text)
    assert built.source == "<python>"


def test_python_messages_name_the_matrix() -> None:
    with pytest.raises(InputError, match=r"^\[inputs\] Q, row 1, column 1") as caught:
        Problem.build(**{**ONE, "Q": [[0.5]]})
    assert "<python>" not in str(caught.value)
    with pytest.raises(ShapeError, match=r"^Q is 1×2 and K is 1×1: .* in K\.$"):
        Problem.build(**{**ONE, "Q": [[1, 2]]})
    with pytest.raises(InputError, match="Q is given twice"):
        Problem.build(**ONE, inputs={"Q": [[1]]})
    with pytest.raises(InputError, match=r'unknown key "scle"\. Did you mean "scale"'):
        Problem.build(**ONE, scle="none")


def test_python_takes_matrices_of_ours_and_of_sympy() -> None:
    import sympy  # start-up: only this test needs it

    scaled = Problem.build(**ONE, beta=2 * sympy.Symbol("b"), symbols={"b": "1/4"})
    assert (scaled.scale.factor(1), scaled.scale.text) == (Polynomial.constant(Fraction(1, 2)), "1/2")
    assert Problem.build(**ONE, beta=sympy.Symbol("b")).symbols == {"b": "real"}
    problem = Problem.build(Q=sympy.Matrix([[sympy.Symbol("a")]]), K=Matrix([[1]]), V=[["1/2"]])
    assert problem.symbols == {"a": "real"}
    with pytest.raises(InputError, match="Q is already taken"):
        Problem.build(**{**ONE, "Q": sympy.Matrix([[sympy.Symbol("Q")]])})


def test_a_problem_is_frozen_and_checks_itself_again_when_replaced() -> None:
    problem = load()
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.title = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        problem.inputs["Q"] = Matrix([[1]])  # type: ignore[index]
    with pytest.raises(ShapeError):
        dataclasses.replace(problem, inputs={**problem.inputs, "Q": Matrix([[1]])})
    with pytest.raises(InputError, match="has the inputs Q, K, V"):
        dataclasses.replace(problem, inputs={})
    assert hash(problem) == hash(dataclasses.replace(problem, source="elsewhere"))


def test_the_commented_problem_loads() -> None:
    problem = Problem.from_text(commented_problem(), source="new.toml")
    assert (problem.kind, problem.n_q, problem.d_k, problem.d_v, len(problem.parts)) == ("self", 2, 2, 2, 3)
    assert problem.defaults_used == ("scores", "softmax")


def test_every_commented_line_of_the_template_is_a_key_that_works() -> None:
    text = commented_problem()
    assert Problem.from_text(text.replace("# each =", "each =")).policy.each
    assert Problem.from_text(text.replace("# A =", "A =")).label("A") == "attention map"
    beta = text.replace("# beta =", "beta =").replace('scale = "1/sqrt(d_k)"', "# ")
    assert Problem.from_text(beta).scale.kind == "beta"


NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30),
    st.fractions().map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(lambda d: format(d, "f")),
)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20).filter(
    lambda text: not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)


def matrices(rows: int, columns: int) -> st.SearchStrategy[list[list[Any]]]:
    row = st.lists(NUMBERS, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def problem_tables(draw: st.DrawFn) -> dict[str, Any]:
    n_q, n_k, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(4))
    tables: dict[str, Any] = {
        "title": draw(WORDS),
        "scale": draw(st.sampled_from(["none", "1/sqrt(d_k)", "2/3", 5])),
        "rounding": {
            "places": draw(st.integers(0, 20)),
            "steps": draw(st.sampled_from(["end", "matrices", "all", ["weights", "products"]])),
            "shift": draw(st.booleans()),
        },
        "parts": [{"asks": ["map", "outputs"], "points": draw(st.integers(0, 9)), "text": draw(WORDS)}],
    }
    if draw(st.booleans()):
        tables["inputs"] = {
            "Q": draw(matrices(n_q, d_k)),
            "K": draw(matrices(n_k, d_k)),
            "V": draw(matrices(n_k, d_v)),
        }
    else:
        tables["tokens"] = "columns"
        tables["inputs"] = {
            "Q": draw(matrices(d_k, n_q)),
            "K": draw(matrices(d_k, n_k)),
            "V": draw(matrices(d_v, n_k)),
        }
    return tables


def toml(tables: dict[str, Any]) -> str:
    """TOML of plain tables: every value on one line, in JSON's strings, which TOML reads alike."""

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key} = {inline(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(inline, value)) + "]"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

    return "\n".join(f"{key} = {inline(value)}" for key, value in tables.items())


@given(problem_tables())
def test_toml_json_and_python_are_one_problem(tables: dict[str, Any]) -> None:
    from_toml = Problem.from_text(toml(tables), source="x.toml")
    assert from_toml == Problem.from_text(json.dumps(tables), source="x.json")
    assert from_toml == Problem.build(**tables)
