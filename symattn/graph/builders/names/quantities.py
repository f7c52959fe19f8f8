"""Written names of the quantities of a problem: declared names first, free letters for the rest."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.errors import InputError
from symattn.exact.field.power_names import symbol_and_power, symbol_head_and_index
from symattn.graph.quantities.closed_forms import symbol_name_key
from symattn.notation.lexer.escapes import printable
from symattn.notation.tree import nodes as t
from symattn.notation.tree.nodes import FUNCTIONS
from symattn.notation.tree.symbols import GREEK
from symattn.notation.writers.plain import write_plain
from symattn.problem.model import Problem
from symattn.problem.schema.fields import BLOCK_INPUTS
from symattn.records import dataclass

_GREEK = frozenset(GREEK)
_MAIN = ("X", "X_1", "X_2", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "O", "S_scaled", "Z")
_FURTHER = (
    *("W_O", "W_S", "W_1", "W_2", "w_S", "b_Q", "b_K", "b_V", "b_O"),
    *BLOCK_INPUTS,
    *("S_capped", "S_biased", "S_masked", "B", "M", "G", "H", "C"),
)
"""What only a layer with biases, masks, heads or a score function of its own has."""

_OF_POSITIONS = ("P", "X_p", "Q_rot", "K_rot", "K_cache", "V_cache", "K_new", "V_new")
_COUNTS = ("N_cache", "N_again", "N_kept")

_WITH_LINES = ("X", "Q", "K", "V", "O")
_ONLY_WHERE_USED: Mapping[str, tuple[str, ...]] = {
    "B": ("B", "I", "J"),
    "M": ("M", "T", "N"),
    "G": ("G", "F", "P"),
    "H": ("H", "Y", "U"),
    "C": ("C", "J", "R"),
    "Q_w": ("F", "P", "Y"),
    "K_w": ("P", "R", "U"),
    "norm_Q": ("n", "u", "g"),
    "norm_K": ("l", "h", "p"),
    "cap": ("kappa", "gamma", "tau"),
    "Phi": ("Phi", "Theta", "Psi"),
    "Phi_K": ("Psi", "Omega", "Lambda"),
    "l": ("l", "z", "h"),
    "g": ("g", "r", "t"),
    "o": ("o", "u", "y"),
    "S_capped": ("T", "Y", "U"),
    "S_biased": ("U", "Y", "T"),
    "S_masked": ("Y", "T", "J"),
}
_OF_NUMBERS = frozenset({"norm_Q", "norm_K", "cap", "l", "g"})
"""What is a number, or one for each token: no matrix, and not in bold."""

_AUXILIARY: Mapping[str, tuple[str, ...]] = {
    "S_scaled": ("L", "U", "Y"),
    "shifted": ("D", "G", "R"),
    "E": ("E", "F", "P"),
    "Z": ("Z", "N", "M"),
    "c": ("c", "f", "s"),
    "m": ("m", "g", "t"),
    "d_k": ("d_k",),
    "entropy": ("H", "I", "B"),
    "totals": ("C", "T", "J"),
}
_SPARE_LINES = tuple("uwypbhgnlztsafkmqvxo")
"""Letters for the rows of a matrix whose own are taken: more than a problem can have names for."""

_MEANS: Mapping[str, str] = {
    "d_k": "the length of a key",
    "e": "the base of the exponential",
    "i": "the number of a query",
    "j": "the number of a key",
    "r": "a running index",
}
"""What keys write in every problem, so that nothing else is called that."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Written names of one quantity: the symbol of the whole, that of its entries, and that of its lines."""

    symbol: t.Node
    entry: t.Node
    line: t.Node | None = None


def namings(problem: Problem) -> dict[str, Naming]:
    """Return the written names of every quantity that a problem can have; no two share a head.

    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"})
    >>> write_plain(namings(p)["S"].entry), write_plain(namings(p)["Q"].line)
    ('z', 'q')
    """
    given = {name.partition("^")[0] for name in problem.inputs}
    always = {*given, "Q", "K", "V", "S", "A", "O"}
    known = (*_MAIN, *_FURTHER) if problem.beyond else _MAIN
    if problem.positions is not None or problem.cached:
        # start-up: few problems have positions or a cache
        from symattn.problem.components.caches import positioned

        known = (*known, *_OF_POSITIONS)
        always |= set(positioned(problem.positions, problem.inputs))
    labels = {problem.label(name): name for name in known if name in always or name in problem.names}
    taken = {part for name in problem.symbols for part in (name, *_heads(name))}
    if problem.block is not None:
        taken |= {"R", "N", "Y", "F", "mu", "epsilon"}
    if problem.gradient is not None:
        kind = problem.gradient.loss
        taken |= {"D", *(() if kind == "given" else "L"), *{"squared": "T", "cross-entropy": "TP"}.get(kind, "")}
    found: dict[str, Naming] = {}
    for label, name in labels.items():
        _check(label, name, labels)
        found[name] = declared(label, taken | (labels.keys() - {label}))
        taken |= {write_plain(found[name].symbol), write_plain(found[name].entry)}
    taken |= {label.partition("_")[0] for label in labels if "_" in label}
    if problem.online:
        # Those who work by blocks call the running sum and the running output so; rows of O give way.
        for name in "lo":
            letter = next((item for item in _ONLY_WHERE_USED[name] if item not in taken), f"{name}'")
            found[name] = _auxiliary(name, letter)
            taken.add(letter)
    if problem.cached:
        for name in _COUNTS:
            count = t.Subscript(t.Name("N"), (t.Name(name.partition("_")[2], "roman"),))
            found[name] = Naming(count, count)
    for name in _WITH_LINES:
        if name in found:
            found[name] = _with_line(name, found[name], taken)
    letters = {**{name: _ONLY_WHERE_USED[name] for name in further(problem)}, **_AUXILIARY}
    for name, candidates in letters.items():
        if name in found:
            continue
        letter = next((candidate for candidate in candidates if candidate not in taken), f"{candidates[0]}'")
        found[name] = _auxiliary(name, letter)
        taken.add(letter)
        if name == "H":
            found[name] = _with_line(name, found[name], taken)
    if problem.block is not None:
        # start-up: few problems have blocks
        from symattn.graph.builders.names.blocks import block_namings

        found |= block_namings(problem)
    if problem.gradient is not None:
        # start-up: few problems have gradients
        from symattn.graph.builders.names.gradients import gradient_namings

        found |= gradient_namings(problem, found)
    if problem.scale.kind == "beta":
        symbol = _word(problem.scale.text if problem.scale.text in problem.symbols else "beta")
        found["c"] = Naming(symbol, symbol)
    return found


def further(problem: Problem) -> tuple[str, ...]:
    """Return the quantities that a problem has beyond those of a plain layer, apart from its inputs.

    >>> further(Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal"))
    ('M', 'S_masked')
    """
    joined = "W_O" in problem.inputs and problem.heads != 1
    has = {
        "B": problem.bias is not None,
        "M": "mask" in problem.used,
        "G": problem.score == "general",
        "H": problem.heads > 0,
        "C": joined and problem.combine == "concat",
        "Q_w": problem.score == "additive",
        "K_w": problem.score == "additive",
        "norm_Q": problem.score == "cosine",
        "norm_K": problem.score == "cosine",
        "cap": problem.softcap is not None,
        "Phi": problem.positions is not None and problem.positions.kind != "learned",
        "Phi_K": problem.positions is not None and problem.positions.kind == "rope",
        "l": problem.online > 0,
        "g": problem.online > 0 and problem.policy.shift,
        "o": problem.online > 0,
        "S_capped": problem.softcap is not None,
        "S_biased": problem.bias is not None,
        "S_masked": "mask" in problem.used,
    }
    return tuple(name for name, is_there in has.items() if is_there)


def of_head(naming: Naming, head: int) -> Naming:
    r"""Return the written names of one head's quantity, with its number above: ``Q^{(1)}``; 0 means no head.

    >>> write_plain(of_head(Naming(t.Name("Q"), t.Name("Q")), 2).symbol)
    'Q^((2))'
    """
    if not head:
        return naming
    number = t.Group(t.Number(str(head)))
    line = None if naming.line is None else t.Power(naming.line, number)
    return Naming(t.Power(naming.symbol, number), t.Power(naming.entry, number), line)


def _heads(symbol: str) -> tuple[str, str]:
    """Return the name of a symbol without its power, and the part that carries its index."""
    name, _ = symbol_and_power(symbol_name_key(symbol))
    return name, symbol_head_and_index(name)[0]


def _check(label: str, name: str, labels: Mapping[str, str]) -> None:
    """Refuse a name that would be read as something else of every key."""
    head, _, index = label.partition("_")
    if label in _MEANS:
        raise InputError(f'[names] {name}: "{label}" already names {_MEANS[label]}; choose another name.')
    if label in FUNCTIONS:
        raise InputError(f'[names] {name}: "{label}" already names a function; choose another name.')
    if index.isdigit() and head in labels:
        raise InputError(f'[names] {name}: "{label}" would be read as a part of {head}; choose another name.')


def declared(label: str, taken: set[str]) -> Naming:
    """Return the written names of a quantity with a declared name, given the names that are taken.

    >>> write_plain(declared("R_1", set()).entry)
    '(R_1)'
    """
    head, _, index = label.partition("_")
    if index and _is_letter(head):
        symbol = t.Subscript(t.Name(head, "bold"), (_index(index),))
        return Naming(symbol, t.Group(symbol))
    if not _is_letter(label):
        return Naming(_word(label), _word(label))
    if label in _GREEK or label.isupper() or label.upper() in taken:
        return Naming(t.Name(label, "bold"), t.Name(label))
    return Naming(t.Name(label.upper(), "bold"), t.Name(label))


def _is_letter(label: str) -> bool:
    return label in _GREEK or (len(label) == 1 and label.isalpha() and label.isascii())


def _word(label: str) -> t.Node:
    head, _, index = label.partition("_")
    if _is_letter(head):
        return t.Subscript(t.Name(head), (_index(index),)) if index else t.Name(head)
    return t.Name(printable(label), "text")


def _index(index: str) -> t.Node:
    return t.Number(index) if index.isdigit() else t.Name(index)


def _with_line(name: str, naming: Naming, taken: set[str]) -> Naming:
    """Return a lower-case letter for the rows (or columns): of the name itself where it is free, else another."""
    entry = naming.entry
    own = entry.text.lower() if isinstance(entry, t.Name) and len(entry.text) == 1 else ""
    letters = (own, name[0].lower(), *_SPARE_LINES)
    letter = next(letter for letter in letters if letter and letter not in taken and letter not in _MEANS)
    taken.add(letter)
    return Naming(naming.symbol, entry, t.Name(letter, "bold"))


def _auxiliary(name: str, letter: str) -> Naming:
    if name == "d_k":
        symbol = t.Subscript(t.Name("d"), (t.Name("k"),))
        return Naming(symbol, symbol)
    bold = name in {"S_scaled", "shifted", "E", *_ONLY_WHERE_USED} - _OF_NUMBERS
    return Naming(t.Name(letter, "bold" if bold else ""), t.Name(letter))
