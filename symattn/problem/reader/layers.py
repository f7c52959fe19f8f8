"""From the tables of a problem file to what a layer has beyond the plain one: masks, biases, heads, scores, batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeVar

from symattn.errors import InputError, shown
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components.biases import read_bias
from symattn.problem.components.blocks import read_block
from symattn.problem.components.caches import positioned, read_further
from symattn.problem.components.data import group_of, needs_heads, refuse_groups
from symattn.problem.schema.fields import (
    BLOCK_QUANTITIES,
    CANONICAL,
    FURTHER,
    HEAD_FIELDS,
    INPUT_FIELDS,
    LAYER_KEYS,
    MASK_FIELDS,
    MAX_BATCH,
    MAX_HEADS,
    MAX_PLACES,
)
from symattn.problem.settings.conventions import KINDS, Convention
from symattn.problem.settings.masks import Grid, Mask, Tables
from symattn.problem.settings.score_steps import MADE, SCORE_STEPS
from symattn.problem.text.document import Numeral
from symattn.problem.text.spelling import listed, nearest
from symattn.problem.text.synonyms import synonyms_at
from symattn.problem.values.checks import check_table, describe, exact_number, is_plain, place_of
from symattn.problem.values.matrix_input import checked_rows, is_batch, read_matrix, split_matrix
from symattn.problem.values.polynomials import Symbols
from symattn.records import dataclass

Entry = TypeVar("Entry")
Read = Callable[[object, str], Entry]

_WITHOUT_POLARITY = ("matrix", "mask", "values", "boolean", "attn_mask")
_MINUS_INFINITY = ("-inf", "-infinity", "-∞", "-oo")
_FIELDS = {field.name: field for field in INPUT_FIELDS}
_OF_HEADS = ("Q", "K", "V", "S", *MADE, "Z", "A", "H")
_OF_KEYS = ("K", "V")


@dataclass(frozen=True, slots=True)
class Heads:
    """Number of heads, also of keys and values, and the tables of their own matrices if they have any.

    >>> read_heads({"heads": 4, "kv_heads": 2}, "x.toml")
    Heads(count=4, kv_count=2, tables=())
    """

    count: int = 0
    kv_count: int = 0
    tables: tuple[Mapping[str, Any], ...] = ()

    def roles(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs that say of which kind the problem is, those of the heads among them.

        >>> Heads(1, 1, ({"Q": 0, "K": 0, "V": 0},)).roles({"W_O": 0})
        {'Q': 0, 'K': 0, 'V': 0}
        """
        known = {name for names in KINDS.values() for name in names}
        together = dict(raw)
        for table in self.tables:
            together |= table
        return {name: value for name, value in together.items() if name in known}


def read_heads(checked: Mapping[str, Any], source: str) -> Heads:
    """Return the heads of a problem.

    Raises:
        InputError: What is neither a number nor a list of tables, or words about heads where there are none.

    >>> read_heads({}, "x.toml").count
    0
    """
    value, place = checked.get("heads"), place_of(source, "heads")
    if value is None:
        for key in ("kv_heads", "combine"):
            if key in checked:
                raise needs_heads(place_of(source, key))
        return Heads()
    tables: tuple[Mapping[str, Any], ...] = ()
    if isinstance(value, (list, tuple)):
        tables = tuple(check_table(table, HEAD_FIELDS, source, f"heads #{h}") for h, table in enumerate(value, 1))
        count = len(tables)
    elif isinstance(value, int) and not isinstance(value, bool):
        count = value
    else:
        raise InputError(
            f"{place} must be a whole number, or one table of matrices for each head, not {describe(value)}."
        )
    if not 1 <= count <= MAX_HEADS:
        raise InputError(f"{place}: there are from 1 to {MAX_HEADS} heads, not {shown(count)}.")
    kv_count = checked.get("kv_heads", count)
    refuse_groups(count, kv_count, place_of(source, "kv_heads"))
    return Heads(count, kv_count, tables)


def read_layer(
    checked: Mapping[str, Any], heads: Heads, kind: str, convention: Convention, symbols: Symbols, source: str
) -> dict[str, Any]:
    """Return the keyword arguments of a `Problem` that make its layer, its inputs among them.

    Raises:
        InputError: A value that cannot be used; what only the whole shows, the `Problem` says itself.

    >>> convention = Convention("rows", "", "Q K^T", "rows")
    >>> inputs = {"Q": [[1]], "K": [[2]], "V": [[3]]}
    >>> read_layer({"inputs": inputs, "mask": "causal"}, Heads(), "given", convention, {}, "x.toml")["mask"].causal
    True
    """
    reader = _Inputs(symbols, convention.tokens == "columns", source)
    reader.joint(checked.get("inputs", {}))
    if heads.tables:
        reader.of_heads(heads, kind)
    batch = len(next(iter(reader.batches.values()), ()))
    depths = _Depths(heads.count, batch, source)
    found = {
        "inputs": reader.found,
        "sequences": reader.batches,
        "heads": heads.count,
        "kv_heads": heads.kv_count,
        "mask": _mask(checked["mask"], depths) if "mask" in checked else None,
        "bias": read_bias(checked["bias"], source, depths.numbers) if "bias" in checked else None,
    }
    if "block" in checked:
        found["block"] = read_block(checked["block"], source)
    if {"positions", "cache", "online"} & checked.keys():
        found |= read_further(checked, found, reader.matrix, convention.tokens, source)
    # A key that nothing above reads is taken as it is; a cache has become inputs.
    return {key: checked[key] for key in LAYER_KEYS if key in checked and key != "cache"} | found


def own_names(layer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the quantities that a layer has beyond those of every problem; one head's are named ``S^1`` and so on.

    >>> own_names({"inputs": {}, "heads": 0, "kv_heads": 0, "mask": Mask(causal=True), "bias": None})
    ('S_masked', 'M')
    """
    has = {
        **{step.made: step.is_used(layer.get(key)) for key, step in SCORE_STEPS.items()},
        "C": layer["heads"] > 0 or "W_O" in layer["inputs"],
        "H": layer["heads"] > 0,
    }
    has |= {"B": has["S_biased"], "M": has["S_masked"]}
    if layer.get("positions") is not None or "K_cache" in layer["inputs"]:
        has |= dict.fromkeys(positioned(layer.get("positions"), layer["inputs"]), True)
    has |= dict.fromkeys(BLOCK_QUANTITIES, layer.get("block") is not None)
    further = tuple(name for name in FURTHER if has.get(name) or name in layer["inputs"])
    if not layer["heads"]:
        return further
    base = [name for name in _OF_HEADS if name in CANONICAL or has.get(name)]
    counts = {name: layer["kv_heads"] if name in _OF_KEYS else layer["heads"] for name in base}
    of_heads = [f"{name}^{head}" for name in base for head in range(1, counts[name] + 1)]
    given = [name for name in layer["inputs"] if "^" in name and name not in of_heads]
    return (*further, *of_heads, *given)


class _Inputs:
    """Reads matrices, batches of them, and vectors, values of symbols put in."""

    def __init__(self, symbols: Symbols, is_upright: bool, source: str) -> None:  # noqa: FBT001 - one call, named there
        self.symbols = symbols
        self.known = {name: value for name, value in symbols.items() if isinstance(value, Fraction)}
        self.is_upright = is_upright
        self.source = source
        self.found: dict[str, Matrix] = {}
        self.batches: dict[str, tuple[Matrix, ...]] = {}

    def joint(self, raw: Mapping[str, Any]) -> None:
        for name, value in raw.items():
            self.add(name, value, name, place_of(self.source, f"inputs.{name}"))

    def of_heads(self, heads: Heads, kind: str) -> None:
        wanted = [name for name in KINDS[kind] if name in {field.name for field in HEAD_FIELDS}]
        for name in wanted:
            if name in self.found:
                raise InputError(
                    f"{place_of(self.source, f'inputs.{name}')} cannot be given beside tables of heads, "
                    "which have their own. Leave one of them out."
                )
        for number, table in enumerate(heads.tables, 1):
            self.of_head(number, table, wanted, heads)

    def of_head(self, number: int, table: Mapping[str, Any], wanted: list[str], heads: Heads) -> None:
        group = group_of(number, heads.count, heads.kv_count)
        first = (group - 1) * heads.count // heads.kv_count + 1
        for name in wanted:
            is_here = name.endswith("Q") or first == number
            if is_here and name not in table:
                raise InputError(f"{self.place(number, name)} is missing: every head has {listed(wanted)}.")
        for name, value in table.items():
            if not name.endswith("Q") and first != number:
                raise InputError(
                    f"{self.place(number, name)} stands in the table of head {first}, whose keys and values head "
                    f"{number} shares with kv_heads = {heads.kv_count}; leave it out here."
                )
            own = number if name.endswith("Q") else group
            self.add(f"{name}^{own}", value, name, self.place(number, name))

    def place(self, number: int, name: str) -> str:
        return place_of(self.source, f"heads #{number}.{name}")

    def add(self, name: str, value: object, base: str, place: str) -> None:
        kind = _FIELDS[base].kind
        if kind == "sequences" and is_batch(value):
            items = list(value)  # type: ignore[call-overload]  # is_batch has seen to it
            if len(items) > MAX_BATCH:
                raise InputError(f"{place} has {len(items)} sequences; a batch has at most {MAX_BATCH}.")
            matrices = tuple(self.matrix(item, f"{place}, sequence {s}") for s, item in enumerate(items, 1))
            self.batches[name], self.found[name] = matrices, matrices[0]
            return
        if kind == "vector" and isinstance(value, (list, tuple)) and not any(map(_is_row, value)):
            value = [[entry] for entry in value] if self.is_upright or base == "w_S" else [list(value)]
            if value == [[]]:
                value = []
        self.found[name] = self.matrix(value, place)

    def matrix(self, value: object, place: str) -> Matrix:
        matrix = read_matrix(value, self.symbols, place)
        return matrix.with_values(self.known) if self.known else matrix


@dataclass(frozen=True, slots=True)
class _Depths:
    """Meaning of the outer lists of a mask or a bias: sequences, heads, or both."""

    heads: int
    batch: int
    source: str

    def tables(self, value: object, place: str, entry: Read[Entry]) -> Tables[Entry]:
        value = _unfolded(value, place)
        match _depth(value):
            case 1:
                return ((self.grid([value], place, entry),),)
            case 2:
                return ((self.grid(value, place, entry),),)
            case 3 if self.heads:
                return (self.by_head(value, place, entry),)
            case 3 if self.batch:
                return tuple((self.grid(item, at, entry),) for item, at in _each(value, place, "sequence"))
            case 4 if self.heads and self.batch:
                return tuple(self.by_head(item, at, entry) for item, at in _each(value, place, "sequence"))
            case 0:
                raise InputError(
                    f"{place} must be a matrix, such as [[1, 0], [1, 1]] or one string, not {describe(value)}."
                )
            case _:
                raise InputError(
                    f"{place} has lists of matrices that are too deep; give one matrix, with heads a list of one "
                    "for each head, in a batch a list of such."
                )

    def numbers(self, value: object, place: str) -> Tables[Fraction]:
        return self.tables(value, place, _bias_entry)

    def by_head(self, value: object, place: str, entry: Read[Entry]) -> tuple[Grid[Entry], ...]:
        return tuple(self.grid(item, at, entry) for item, at in _each(value, place, "head"))

    def grid(self, value: object, place: str, entry: Read[Entry]) -> Grid[Entry]:
        rows = checked_rows(value, place)  # type: ignore[arg-type]  # it looks at the rows, and _each at what holds them
        return tuple(
            tuple(entry(item, f"{place}, row {i}, column {j}") for j, item in enumerate(row, 1))
            for i, row in enumerate(rows, 1)
        )


def _each(value: Any, place: str, what: str) -> list[tuple[Any, str]]:
    found = []
    for number, item in enumerate(value, 1):
        at = f"{place}, {what} {number}"
        if not isinstance(item, (list, tuple)):
            raise InputError(f"{at} must be a matrix like those beside it, not {describe(item)}.")
        found.append((item, at))
    return found


def _is_row(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _depth(value: object) -> int:
    """Return the nesting depth of lists at the start of the value."""
    depth = 0
    while isinstance(value, (list, tuple)) and depth < 6:
        depth += 1
        value = value[0] if value else None
    return depth


def _unfolded(value: object, place: str, depth: int = 0) -> object:
    """Return arrays of numpy, matrices of ours and matrices in strings as lists."""
    if isinstance(value, Matrix):
        return [list(row) for row in value.rows]
    if not is_plain(value) and hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, str) and "[" in value:
        return split_matrix(value, place)
    if isinstance(value, (list, tuple)) and depth < 2:
        return [_unfolded(item, place, depth + 1) if not isinstance(item, (int, Numeral)) else item for item in value]
    return value


# Masks -----------------------------------------------------------------------------------------------


def _mask(value: object, depths: _Depths) -> Mask | None:
    place = place_of(depths.source, "mask")
    if value == "causal":
        return Mask(causal=True)
    if isinstance(value, (list, tuple, Matrix)) or (not is_plain(value) and hasattr(value, "tolist")):
        raise _without_polarity(place)
    if not isinstance(value, Mapping):
        near = nearest(value, ("causal",), synonyms_at("mask")) if isinstance(value, str) else None
        meant = f' Did you mean "{near}"?' if near == "causal" else ""
        raise InputError(
            f'{place} must be "causal" or a table of keys, as in {{length = 3}}, not {describe(value)}.{meant}'
        )
    for name in _WITHOUT_POLARITY:
        if name in value:
            raise _without_polarity(place_of(depths.source, f"mask.{name}"))
    checked = check_table(value, MASK_FIELDS, depths.source, "mask")
    if not checked:
        raise InputError(f"{place} is empty; say what hides a key, as in causal = true, or leave the table out.")
    if "keep" in checked and "drop" in checked:
        raise InputError(
            f"{place_of(depths.source, 'mask.keep')} and drop contradict each other. Leave one of them out."
        )
    if "past" in checked and "alignment" in checked:
        raise InputError(
            f"{place_of(depths.source, 'mask.past')} and alignment both set the position of the queries. "
            "Leave one of them out."
        )
    at = {key: place_of(depths.source, f"mask.{key}") for key in checked}
    mask = Mask(
        causal=checked.get("causal", False),
        past=checked.get("past", 0),
        alignment=checked.get("alignment", ""),
        length=_lengths(checked["length"], at["length"]) if "length" in checked else (),
        window=_window(checked["window"], at["window"]) if "window" in checked else None,
        keep=depths.tables(checked["keep"], at["keep"], _flag) if "keep" in checked else (),
        drop=depths.tables(checked["drop"], at["drop"], _flag) if "drop" in checked else (),
        add=depths.tables(checked["add"], at["add"], _added) if "add" in checked else (),
    )
    return mask if mask.hides or mask.past or mask.alignment else None


def _without_polarity(place: str) -> InputError:
    return InputError(
        f"{place} does not say what a 1 means: under [mask] write keep (1 is seen), drop (1 is hidden) "
        'or add (numbers and "-inf" that are added).'
    )


def _lengths(value: object, place: str) -> tuple[int, ...]:
    items = value if isinstance(value, (list, tuple)) else (value,)
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= MAX_PLACES:
            raise InputError(
                f"{place} must be a whole number from 0 to {MAX_PLACES}, or one for each sequence of a batch, "
                f"not {describe(item)}."
            )
    if not items:
        raise InputError(f"{place} is empty; give the number of keys that are there.")
    return tuple(items)


def _window(value: tuple[int, ...], place: str) -> tuple[int, int]:
    if len(value) != 2:
        raise InputError(
            f"{place} must be two whole numbers, how many keys to the left and to the right are seen, as in [2, 0]."
        )
    return value[0], value[1]


def _flag(value: object, place: str) -> bool:
    value = _number_of(value)
    if isinstance(value, str):
        value = {"0": 0, "false": 0, "1": 1, "true": 1}.get(value.strip(), value)
    if type(value).__name__ == "bool_" or (isinstance(value, Rational) and value in (0, 1)):
        return bool(value)
    raise InputError(f"{place} must be 1 or 0, true or false, not {describe(value)}.")


def _number_of(value: object) -> object:
    """Return the rational that an entry of a matrix of ours is; other values as they are."""
    rational = getattr(value, "rational", None)
    return rational() if callable(rational) and not is_plain(value) else value


def _added(value: object, place: str) -> Fraction | None:
    return None if _is_minus_infinity(value) else _finite(value, place)


def _is_minus_infinity(value: object) -> bool:
    text = value.text if isinstance(value, Numeral) else str(value) if isinstance(value, (str, float)) else ""
    return text.strip().lower().replace("\N{MINUS SIGN}", "-").replace(" ", "") in _MINUS_INFINITY


def _finite(value: object, place: str) -> Fraction:
    return exact_number(_number_of(value), place)


# Biases ----------------------------------------------------------------------------------------------


def _bias_entry(value: object, place: str) -> Fraction:
    if _is_minus_infinity(value):
        raise InputError(f"{place} is minus infinity, which hides a key; a mask does that: put it under [mask] add.")
    return _finite(value, place)
