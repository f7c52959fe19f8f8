"""From the tables of a problem file to what a `Problem` is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from symattn.arrays import keys as array_keys
from symattn.errors import InputError, expect
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding
from symattn.languages.catalogue import LANGUAGES
from symattn.problem.components import gradients
from symattn.problem.reader import definitions, layers
from symattn.problem.schema.fields import (
    CANONICAL,
    DEFINED_FIELDS,
    DERIVED,
    FURTHER,
    GRADIENT,
    LAYER_KEYS,
    MAX_DEFINITIONS,
    MAX_LINE,
    MAX_SYMBOLS,
    OPTIONAL_INPUTS,
    REFUSED_WITH_DEFINITIONS,
    SYMBOL,
    THEORY_FIELDS,
    TOP_FIELDS,
)
from symattn.problem.schema.letters import LETTERS
from symattn.problem.settings.conventions import DEFINED, KINDS, THEORY, Convention, resolve
from symattn.problem.settings.parts import PROVE, Part
from symattn.problem.settings.policy import DEFAULT_PLACES, Policy, named_steps
from symattn.problem.settings.scale import Scale
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.problem.text import synonyms
from symattn.problem.text.document import Numeral, parse, read_file
from symattn.problem.text.spelling import listed, nearest, quoted, unknown
from symattn.problem.values import array_files
from symattn.problem.values.checks import (
    PYTHON,
    check_table,
    check_text,
    describe,
    exact_number,
    matches,
    misplaced,
    place_of,
    unknown_key,
)
from symattn.problem.values.matrix_input import is_batch, is_number, read_entry, read_matrix

_RESERVED = frozenset((*CANONICAL, "e", "T", "R", "pi"))
_SCALE_KEYS = ("scale", "temperature", "beta")
_NOT_SYMBOLS = frozenset(field.name for field in TOP_FIELDS) - {"beta"}
_SCALES = ("none", "1/sqrt(d_k)")
_CONVENTION_KEYS = ("tokens", "projection", "scores", "softmax")
_HOLD_TOKENS = ("X_1", "X_2", "Q", "K", "Q^1", "K^1")
_SETTINGS = ("blanks", "diagram_threshold", "diagram_widths", "forms", "method_share")
_ROUNDING_KEYS = ("places", "steps", "ties", "shift")

Symbols = dict[str, "str | Fraction"]


def load_tables(path: str | Path) -> tuple[dict[str, Any], str]:
    """Return the tables of a problem file, with the arrays that it names, and the name to call it by.

    Args:
        path: the file; ``"-"`` is standard input, beside which an array cannot lie.

    Raises:
        InputError: the file, or an array, cannot be read.
    """
    text, source = read_file(path)
    tables = parse(text, "", source)
    if "file" in text and str(path) != "-":
        tables = array_files.with_arrays(tables, Path(path).parent, source)
    return tables, source


def read_tables(tables: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the keyword arguments of a `Problem`, every value checked and exact.

    Raises:
        InputError: A key that is unknown, missing or contradicted, or a value that cannot be used.

    >>> sorted(read_tables({"inputs": {"Q": [[1]], "K": [[2]], "V": [[3]]}}, "x.toml")["inputs"])
    ['K', 'Q', 'V']
    """
    if "definitions" in tables:
        return _read_defined(tables, source)
    if _is_theory(tables):
        return _read_theory(tables, source)
    if isinstance(tables.get("heads"), (list, tuple)) and "inputs" not in tables:
        tables = {**tables, "inputs": {}}
    _refuse_printed_names(tables, source)
    checked = check_table(tables, TOP_FIELDS, source)
    raw = checked.get("inputs", {})
    if _is_plain(checked, raw):
        return _read_plain(checked, raw, source)
    return _read_layer(checked, raw, source)


def _refuse_printed_names(tables: Mapping[str, Any], source: str) -> None:
    """Refuse inputs whose keys are the names that the sheet prints for them."""
    names, inputs = tables.get("names"), tables.get("inputs")
    if not isinstance(names, Mapping) or not isinstance(inputs, Mapping):
        return
    for name, printed in names.items():
        if isinstance(printed, str) and printed in inputs and name not in inputs and printed not in CANONICAL:
            raise InputError(
                f"{place_of(source, f'inputs.{printed}')} is the name that [names] prints for {name}: "
                f"write {name} = ... here."
            )


def _is_plain(checked: Mapping[str, Any], raw: Mapping[str, Any]) -> bool:
    """Return True if a problem is about the plain layer: no masks, no heads, no batch."""
    if any(key in checked for key in LAYER_KEYS) or any(name in OPTIONAL_INPUTS for name in raw):
        return False
    return not any(map(is_batch, raw.values()))


def _read_plain(checked: Mapping[str, Any], raw: Mapping[str, Any], source: str) -> dict[str, Any]:
    kind = _kind(raw, source)
    symbols = _symbols(checked.get("symbols", {}), source)
    inputs = _inputs(raw, KINDS[kind], symbols, source)
    scale = _scale(checked, symbols, source)
    _add_symbols_of((name for matrix in inputs.values() for name in matrix.names), symbols)
    _add_symbols_of(scale.value.symbols if scale.value is not None else (), symbols)
    return {
        "inputs": inputs,
        "kind": kind,
        **_as_keys(_convention(checked, kind, source)),
        "scale": scale,
        "symbols": symbols,
        "names": _names(checked.get("names", {}), kind, symbols, source),
        "tolerance": _tolerance(checked.get("tolerance", {}), (*CANONICAL, *_gradients(checked)), source),
        "defaults_used": _defaults_used(checked, kind),
        **_gradient(checked, symbols, source),
        **_common(checked, source),
    }


def _read_layer(checked: Mapping[str, Any], raw: Mapping[str, Any], source: str) -> dict[str, Any]:
    heads = layers.read_heads(checked, source)
    kind = _kind(heads.roles(raw), source, has_tables=bool(heads.tables))
    symbols = _symbols(checked.get("symbols", {}), source)
    convention = _convention(checked, kind, source)
    layer = layers.read_layer(checked, heads, kind, convention, symbols, source)
    scale = _scale(checked, symbols, source)
    batches = (matrix for matrices in layer["sequences"].values() for matrix in matrices)
    _add_symbols_of((name for matrix in (*layer["inputs"].values(), *batches) for name in matrix.names), symbols)
    _add_symbols_of(scale.value.symbols if scale.value is not None else (), symbols)
    own = layers.own_names(layer)
    return {
        **layer,
        "kind": kind,
        **_as_keys(convention),
        "scale": scale,
        "symbols": symbols,
        "names": _names(checked.get("names", {}), kind, symbols, source, own),
        "tolerance": _tolerance(checked.get("tolerance", {}), (*CANONICAL, *own, *_gradients(checked)), source),
        "defaults_used": (*_defaults_used(checked, kind), *_layer_defaults(checked, layer, scale, convention)),
        **_gradient(checked, symbols, source),
        **_common(checked, source),
    }


def _layer_defaults(
    checked: Mapping[str, Any], layer: Mapping[str, Any], scale: Scale, convention: Convention
) -> tuple[str, ...]:
    """Return the keys about masks and biases that were left open and that matter here."""
    mask, bias = layer["mask"], layer["bias"]
    side = 0 if convention.tokens == "rows" else 1
    counts = {matrix.shape[side] for name, matrix in layer["inputs"].items() if name in _HOLD_TOKENS}
    # A mask that only hides keys can come anywhere.
    settings = {**layer, "scale": scale, "mask": mask if mask and mask.add else None}
    changes = sum(step.is_used(settings.get(key)) for key, step in SCORE_STEPS.items())
    matters = {
        "order": changes > 1,
        "fully_masked": bool(mask and mask.hides),
        "mask.alignment": len(counts) > 1 and bool((mask and mask.by_place) or (bias and bias.by_place)),
        "combine": layer["heads"] > 1,
        **{f"positions.{key}": does for key, does in _open_positions(layer).items()},
    }
    said = {*checked}
    for name in ("mask", "positions"):
        table = checked.get(name, {})
        said |= {f"{name}.{key}" for key in table if isinstance(table, Mapping)}
    if "mask.past" in said:
        said.add("mask.alignment")
    return tuple(key for key, does in matters.items() if does and key not in said)


def _gradient(checked: Mapping[str, Any], symbols: Symbols, source: str) -> dict[str, Any]:
    if "gradient" not in checked:
        return {}
    return {"gradient": gradients.read_gradient(checked["gradient"], symbols, _known(symbols), source)}


def _open_positions(layer: Mapping[str, Any]) -> dict[str, bool]:
    positions = layer.get("positions")
    if positions is None or not positions.traits.has_angles:
        return {}
    return {"base": not positions.angles, "start": True, "pairs": True}


def _gradients(checked: Mapping[str, Any]) -> tuple[str, ...]:
    return GRADIENT if "gradient" in checked else ()


def _common(checked: Mapping[str, Any], source: str) -> dict[str, Any]:
    return {
        "language": checked.get("language", LANGUAGES[0]),
        "title": checked.get("title", ""),
        "text": checked.get("text", ""),
        "points": checked.get("points"),
        "policy": _policy(checked, source),
        **{key: checked[key] for key in _SETTINGS if key in checked},
        "parts": _parts(checked),
        "source": source,
    }


def _parts(checked: Mapping[str, Any]) -> tuple[Part, ...]:
    return tuple(
        Part(**{"settings" if key == "set" else key: value for key, value in table.items()})
        for table in checked.get("parts", ())
    )


def _is_theory(tables: Mapping[str, Any]) -> bool:
    """Return True if nothing is given and all parts ask for proofs and prose alone; their faults are reported later."""
    parts = tables.get("parts")
    if tables.get("inputs") or not isinstance(parts, (list, tuple)) or not parts:
        return False
    asked = [part.get("asks") for part in parts if isinstance(part, Mapping)]
    words = [word for asks in asked for word in (asks if isinstance(asks, (list, tuple)) else (asks,))]
    return bool(words) and all(isinstance(word, str) and (word == "prose" or word.startswith(PROVE)) for word in words)


def _read_theory(tables: Mapping[str, Any], source: str) -> dict[str, Any]:
    known = {field.name for field in THEORY_FIELDS}
    for field in TOP_FIELDS:
        if field.name in tables and field.name not in known and not (field.name == "inputs" and not tables["inputs"]):
            raise InputError(
                f"{place_of(source, field.name)} has no effect where parts ask for proofs and prose alone; "
                "leave it out, or give the inputs of a layer."
            )
    checked = check_table({key: value for key, value in tables.items() if key != "inputs"}, THEORY_FIELDS, source)
    return {
        "inputs": {},
        "kind": THEORY,
        "projection": "",
        "scale": Scale("none"),
        "language": checked.get("language", LANGUAGES[0]),
        "title": checked.get("title", ""),
        "text": checked.get("text", ""),
        "points": checked.get("points"),
        "parts": _parts(checked),
        "source": source,
    }


def _read_defined(tables: Mapping[str, Any], source: str) -> dict[str, Any]:
    for key in REFUSED_WITH_DEFINITIONS:
        if key in tables:
            raise InputError(
                f"{place_of(source, key)} cannot be used with [definitions], whose formulas say it. Leave it out."
            )
    checked = check_table(tables, DEFINED_FIELDS, source)
    symbols = _symbols(checked.get("symbols", {}), source)
    raw, place = checked["inputs"], place_of(source, "inputs")
    if not isinstance(raw, Mapping) or not raw:
        raise InputError(f"{place} must be a table with at least one matrix, since definitions start from inputs.")
    if len(raw) > MAX_DEFINITIONS:
        raise InputError(f"{place} has more than {MAX_DEFINITIONS} matrices.")
    for name, value in raw.items():
        if not isinstance(value, (list, tuple)) and (found := misplaced(str(name), source, "inputs")):
            raise InputError(found)
    inputs = _inputs(raw, tuple(definitions.check_name(name, symbols, place) for name in raw), symbols, source)
    _add_symbols_of((name for matrix in inputs.values() for name in matrix.names), symbols)
    shapes = {name: matrix.shape for name, matrix in inputs.items()}
    formulas = definitions.read_definitions(checked["definitions"], shapes, symbols, source)
    own = (*inputs, *formulas)
    return {
        "inputs": inputs,
        "kind": DEFINED,
        "projection": "",
        "scale": Scale("none"),
        "symbols": symbols,
        "names": _own_names(checked.get("names", {}), own, symbols, source),
        "definitions": formulas,
        "written": {name: " ".join(str(text).split()) for name, text in checked["definitions"].items()},
        "tolerance": _tolerance(checked.get("tolerance", {}), own, source),
        "defaults_used": _rounding_defaults(checked),
        **_common(checked, source),
    }


def _own_names(table: object, own: tuple[str, ...], symbols: Symbols, source: str) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise InputError(f"{place_of(source, 'names')} must be a table of names, not {describe(table)}.")
    for name in table:
        if name not in own:
            raise InputError(unknown_key(str(name), own, source, "names", "name"))
    fixed = {name: name for name in own if name not in table}
    return _declared(table, {name: f"the symbol {name}" for name in symbols} | fixed, source)


def _tolerance(table: object, names: tuple[str, ...], source: str) -> dict[str, Fraction]:
    if not isinstance(table, Mapping):
        raise InputError(f"{place_of(source, 'tolerance')} must be a table of numbers, not {describe(table)}.")
    found: dict[str, Fraction] = {}
    for name, value in table.items():
        if name not in names:
            raise InputError(unknown_key(str(name), names, source, "tolerance", "name"))
        place = place_of(source, f"tolerance.{name}")
        found[name] = exact_number(value, place)
        if found[name] < 0:
            raise InputError(f"{place} must be at least 0.")
    return found


def _as_keys(convention: Convention) -> dict[str, str]:
    return {key: getattr(convention, key) for key in _CONVENTION_KEYS}


def _kind(inputs: Mapping[str, Any], source: str, *, has_tables: bool = False) -> str:
    place = place_of(source, "inputs")
    wanted = "X with W_Q, W_K and W_V, or X_1 and X_2 with them, or Q, K and V"
    if not inputs:
        raise InputError(f"{place} is missing or empty; give {wanted}.")
    for kind, names in KINDS.items():
        if set(inputs) == set(names):
            return kind
    kind = next((kind for kind, names in KINDS.items() if set(inputs) < set(names)), "")
    if kind:
        missing = [name for name in KINDS[kind] if name not in inputs]
        of_heads = [name for name in missing if has_tables and not name.startswith("X")]
        if of_heads:
            place = place_of(source, f"heads #1.{of_heads[0]}")
            every = listed([name for name in KINDS[kind] if not name.startswith("X")])
            raise InputError(f"{place} is missing: every head has {every}.")
        raise InputError(f"{place} lacks {listed(missing)}; give {wanted}.")
    raise InputError(f"{place} has {listed(list(inputs))}, which do not go together; give {wanted}.")


def _symbols(table: Any, source: str) -> Symbols:
    if not isinstance(table, Mapping):
        raise InputError(f"{place_of(source, 'symbols')} must be a table of symbols, not {describe(table)}.")
    if len(table) > MAX_SYMBOLS:
        raise InputError(f"{place_of(source, 'symbols')} declares more than {MAX_SYMBOLS} symbols.")
    found: Symbols = {}
    for name, value in table.items():
        # "points = 6" could be the value of a symbol, and is meant as the points of the problem.
        if name in _NOT_SYMBOLS and value not in ("positive", "real") and source != PYTHON:
            raise InputError(misplaced(name, source, "symbols"))
        _check_symbol(name, place_of(source, "symbols"))
        place = place_of(source, f"symbols.{name}")
        found[name] = value if value in ("positive", "real") else _symbol_value(value, place)
    return found


_MAX_NESTING = 20
"""Lists within lists; no input has more than batches, heads, rows and entries."""


class CheckedSymbol(str):
    """The name of a symbol from Python, which is written and read as itself alone: no table can declare it."""

    __slots__ = ()


def _check_symbol(name: str, place: str) -> None:
    if isinstance(name, CheckedSymbol):
        return
    expect(name, str, f"{place}: the name of a symbol is text")
    if not matches(SYMBOL, name):
        raise InputError(
            f"{place}: {quoted(name)} is not a symbol; write letters a to z, "
            "with a number after an underscore if need be, as in beta or x_1."
        )
    if name in _RESERVED:
        raise InputError(f"{place}: the name {name} is already taken. Choose another one.")


def _symbol_value(value: object, place: str) -> Fraction:
    if isinstance(value, str) and not re.search("[0-9]", value):
        raise InputError(f'{place} must be "positive", "real" or a value such as "3/2", not {describe(value)}.')
    return exact_number(value, place)


def _inputs(raw: Mapping[str, Any], names: tuple[str, ...], symbols: Symbols, source: str) -> dict[str, Matrix]:
    known = _known(symbols)
    batch = next((name for name in names if is_batch(raw[name])), None)
    if batch is not None:
        raise InputError(
            f"{place_of(source, f'inputs.{batch}')} is a batch of matrices, and a name in a formula stands for one; "
            "solve the sequences one by one."
        )
    found = {name: read_matrix(raw[name], symbols, place_of(source, f"inputs.{name}")) for name in names}
    return {name: matrix.with_values(known) if known else matrix for name, matrix in found.items()}


def _add_symbols_of(used: Iterable[str], symbols: Symbols) -> None:
    """Add the symbols of SymPy objects, which need no declaration."""
    for name in sorted(set(used) - set(symbols)):
        _check_symbol(name, "inputs")
        symbols[name] = "real"


def _known(symbols: Symbols) -> dict[str, Fraction]:
    return {name: value for name, value in symbols.items() if isinstance(value, Fraction)}


def _convention(checked: Mapping[str, Any], kind: str, source: str) -> Convention:
    tokens, projection, scores, softmax = (checked.get(key) for key in _CONVENTION_KEYS)
    try:
        return resolve(tokens, projection, scores, softmax, given=kind == "given")
    except InputError as error:
        raise InputError(f"{place_of(source, '')}: {error}") from error


def _scale(checked: Mapping[str, Any], symbols: Symbols, source: str) -> Scale:
    declared = [key for key in _SCALE_KEYS if key in checked]
    if len(declared) > 1:
        raise InputError(f"{place_of(source, declared[1])}: only one of {listed(declared)} can be declared.")
    if not declared:
        # 1/sqrt(d_k) belongs to the product of queries and keys; other score functions are defined without it.
        return Scale() if checked.get("score", "dot") == "dot" else Scale("none")
    key = declared[0]
    raw, place = checked[key], place_of(source, key)
    if key == "scale" and isinstance(raw, str) and (word := raw.replace(" ", "")) in _SCALES:
        return Scale(word)
    try:
        value = read_entry(raw, symbols, place).substitute(_known(symbols))
    except InputError as error:
        if key == "scale":
            raise InputError(_unknown_scale(raw, place, str(error))) from error
        raise
    scale = Scale("number" if key == "scale" else key, value, _scale_text(raw, value))
    try:
        scale.factor(1)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    return scale


def _unknown_scale(raw: object, place: str, reason: str) -> str:
    """Return the sentence for a scale that cannot be read: it suggests a word only where the text holds words."""
    word, meant = raw.strip() if isinstance(raw, str) else "", synonyms.synonyms_at("scale")
    if re.search("[a-z]", word.replace("sqrt", ""), re.IGNORECASE) and nearest(word, _SCALES, meant):
        return f"{place}: {unknown('value', word, _SCALES, meant)}"
    return f'{reason} The scale must be "none", "1/sqrt(d_k)", a number, or a polynomial in declared symbols.'


def _scale_text(raw: object, value: Polynomial) -> str:
    """Return the scale as it was declared; in one unambiguous spelling where that has several readings (2 1/2)."""
    text = raw.text if isinstance(raw, Numeral) else str(raw).strip()
    plain = re.fullmatch(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", text) is not None
    expression = isinstance(raw, str) and not is_number(text)
    return text if plain or expression else str(value)


def _names(table: object, kind: str, symbols: Symbols, source: str, own: tuple[str, ...] = ()) -> dict[str, str]:
    place = place_of(source, "names")
    if not isinstance(table, Mapping):
        raise InputError(f"{place} must be a table of keys, not {describe(table)}.")
    known = (*CANONICAL, *own, *(name for name in LETTERS if name not in FURTHER))
    for name in table:
        if name not in known:
            base = tuple(one for one in known if "^" not in one)
            raise InputError(unknown_key(str(name), base, source, "names", "name"))
    for name in own:
        if name in symbols:
            raise InputError(
                f"{place_of(source, 'symbols')}: {name} is already the name of a quantity here. Rename the symbol."
            )
    taken = {name: f"the symbol {name}" for name in symbols}
    # Letters that a key chooses for itself (Z for sums) give way to declared names.
    fixed = (name for name in (*KINDS[kind], *DERIVED, *own) if name.partition("^")[0] not in LETTERS)
    return _declared(table, taken | {name: name for name in fixed if name not in table}, source)


def _declared(table: Mapping[str, Any], taken: Mapping[str, str], source: str) -> dict[str, str]:
    taken = dict(taken)
    found: dict[str, str] = {}
    for canonical, declared in table.items():
        place = place_of(source, f"names.{canonical}")
        name = check_text(declared, place, MAX_LINE, lines=False).strip()
        if not name:
            raise InputError(f"{place} is empty; leave the key out to keep the name {canonical}.")
        if taken.get(name) == name:
            raise InputError(
                f"{place}: {canonical} cannot be called {name} while {name} has that name. "
                f"Rename {name} under [names] as well."
            )
        if name in taken:
            raise InputError(
                f"{place}: {quoted(name)} already names {taken[name]}; choose another name for one of them."
            )
        taken[name] = canonical
        found[canonical] = name
    return found


def _policy(checked: Mapping[str, Any], source: str) -> Policy:
    table = checked.get("rounding", {})
    ties = table.get("ties", "half-up")
    place = place_of(source, "rounding")
    return Policy(
        rounding=_rounding(table, ties, place, default=DEFAULT_PLACES),
        steps=named_steps(table.get("steps", ("end",)), f"{place} steps"),
        shift=table.get("shift", False),
        each=tuple(
            (step, _rounding(own, ties, place_of(source, f"rounding.each.{step}"), default=None))
            for step, own in table.get("each", {}).items()
        ),
        strict=checked.get("strict_rounding", False),
        declared="rounding" in checked,
    )


def _rounding(table: Mapping[str, Any], ties: str, place: str, *, default: int | None) -> Rounding:
    places, figures = table.get("places"), table.get("figures")
    if places is not None and figures is not None:
        raise InputError(f"{place} has both places and figures. Leave one of them out.")
    if places is None and figures is None:
        if default is None:
            raise InputError(f"{place} has neither places nor figures; write e.g. {{places = 3}}.")
        places = default
    return Rounding(places=places, figures=figures, ties=ties)


def _defaults_used(checked: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    used = [key for key in _CONVENTION_KEYS if key not in checked and not (key == "projection" and kind == "given")]
    if not any(key in checked for key in _SCALE_KEYS):
        used.append("scale")
    return (*used, *_rounding_defaults(checked))


def _rounding_defaults(checked: Mapping[str, Any]) -> tuple[str, ...]:
    table = checked.get("rounding")
    if table is None:
        return ("rounding",)
    return tuple(
        f"rounding.{key}" for key in _ROUNDING_KEYS if key not in table and not (key == "places" and "figures" in table)
    )


def tables_of(keys: Mapping[str, object]) -> dict[str, Any]:
    """Return the tables that keys given from Python stand for: matrices move under ``inputs``.

    Raises:
        InputError: A matrix that is given twice.

    >>> tables_of({"X": [[1]], "scale": "none"})
    {'scale': 'none', 'inputs': {'X': [[1]]}}
    """
    if "floats" in keys or any(map(_holds_array, keys.values())):
        keys = array_keys.exact_keys(keys)
    names = {*OPTIONAL_INPUTS, *(name for inputs in KINDS.values() for name in inputs)}
    tables: dict[str, Any] = {key: value for key, value in keys.items() if key not in names}
    given = {key: value for key, value in keys.items() if key in names}
    inputs = tables.pop("inputs", {})
    if not isinstance(inputs, Mapping):
        raise InputError(f"inputs must be a table of matrices, not {describe(inputs)}.")
    for name in given:
        if name in inputs:
            raise InputError(f"{name} is given twice, once among the inputs; leave one of them out.")
    if not inputs and not given and isinstance(keys.get("heads"), (list, tuple)):
        return tables
    return {**tables, "inputs": {**inputs, **given}}


def _holds_array(value: object) -> bool:
    """Return True if a value is an array, or contains one in a table or first in a list."""
    depth = 0
    while isinstance(value, (list, tuple)) and value and depth < _MAX_NESTING:
        value, depth = value[0], depth + 1
    if isinstance(value, Mapping):
        return any(map(_holds_array, value.values()))
    return hasattr(value, "dtype") or isinstance(value, memoryview)
