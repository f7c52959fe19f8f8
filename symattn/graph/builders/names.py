"""Written names of the quantities of a problem: declared names first, free letters for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.field.power_names import symbol_and_power, symbol_head_and_index
from symattn.graph.quantities.closed_forms import symbol_name_key
from symattn.notation.lexer.escapes import printable
from symattn.notation.tree import nodes as t
from symattn.notation.tree.nodes import FUNCTIONS
from symattn.notation.tree.symbols import GREEK
from symattn.notation.writers.plain import write_plain
from symattn.problem.components import blocks, caches, gradients
from symattn.problem.model import Problem
from symattn.problem.schema.fields import BLOCK_INPUTS
from symattn.problem.schema.letters import LETTERS
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.records import dataclass

_GREEK = frozenset(GREEK)
_MAIN = ("X", "X_1", "X_2", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "O")
_FURTHER = ("W_O", "W_S", "W_1", "W_2", "w_S", "b_Q", "b_K", "b_V", "b_O", *BLOCK_INPUTS)
"""The inputs that only a layer with biases, heads, a block or a score function of its own has."""

_OF_POSITIONS = ("P", "X_p", "Q_rot", "K_rot", "K_cache", "V_cache", "K_new", "V_new")
_COUNTS = ("N_cache", "N_again", "N_kept")

_WITH_LINES = ("X", "Q", "K", "V", "O", "H")
_OF_BLOCKS = frozenset({"R", "N", "Y", "F", "mu", "epsilon"})
"""Letters that every block has with numbers behind them."""

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
        known = (*known, *_OF_POSITIONS)
        always |= set(caches.positioned(problem.positions, problem.inputs))
    labels = {problem.label(name): name for name in known if name in always or name in problem.names}
    chosen = lettered(problem)
    labels |= {problem.names[name]: name for name in chosen if name in problem.names}
    taken = {part for name in problem.symbols for part in (name, *_heads(name))}
    taken |= _OF_BLOCKS if problem.block is not None else set()
    usual = {name: LETTERS[name].usual for name in chosen if name not in problem.names}
    found: dict[str, Naming] = {}
    for label, name in labels.items():
        _check(label, name, labels)
        found[name] = _in_font(name, declared(label, taken | (labels.keys() - {label})))
        taken |= {write_plain(found[name].symbol), write_plain(found[name].entry)}
    taken |= {label.partition("_")[0] for label in labels if "_" in label}
    for name in usual:
        others = {letter for other, letter in usual.items() if other != name}
        letter = next(item for item in LETTERS[name].candidates if item not in taken | others)
        found[name] = naming_of(name, letter)
        taken |= {letter, letter.partition("_")[0]}
    found["d_k"] = Naming(_word("d_k"), _word("d_k"))
    if problem.cached:
        for name in _COUNTS:
            count = t.Subscript(t.Name("N"), (t.Name(name.partition("_")[2], "roman"),))
            found[name] = Naming(count, count)
    for name in _WITH_LINES:
        if name in found:
            found[name] = _with_line(name, found[name], taken)
    if problem.block is not None:
        found |= _block_namings(problem)
    if problem.gradient is not None:
        found |= _gradient_namings(problem, found)
    if problem.scale.kind == "beta":
        symbol = _word(problem.scale.text if problem.scale.text in problem.symbols else "beta")
        found["c"] = Naming(symbol, symbol)
    return found


def lettered(problem: Problem) -> tuple[str, ...]:
    """Return the quantities of a problem that have a letter of the table unless `[names]` gives them one.

    >>> [name for name in lettered(Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal")) if name[0] in "SM"]
    ['S_scaled', 'S_masked', 'M']
    """
    joined = "W_O" in problem.inputs and problem.heads != 1
    is_additive, is_cosine, is_online = problem.score == "additive", problem.score == "cosine", problem.online > 0
    loss = "" if problem.gradient is None else problem.gradient.loss
    has = {
        **dict.fromkeys(("c", "S_scaled", "m", "shifted", "E", "Z", "entropy", "totals"), True),
        **{name: True for key in problem.used for name in (SCORE_STEPS[key].by, SCORE_STEPS[key].made)},
        "G": problem.score == "general",
        "H": problem.heads > 0,
        "C": joined and problem.combine == "concat",
        **dict.fromkeys(("Q_w", "K_w"), is_additive),
        **dict.fromkeys(("norm_Q", "norm_K"), is_cosine),
        "Phi": problem.positions is not None and problem.positions.traits.has_angles,
        "Phi_K": problem.positions is not None and not problem.positions.is_added,
        **dict.fromkeys(("l", "o"), is_online),
        "g": is_online and problem.policy.shift,
        "D": problem.gradient is not None,
        "L": bool(loss),
        "T": loss in {"squared", "cross-entropy"},
        "P_O": loss == "cross-entropy",
        **dict.fromkeys(("rho", "tau"), problem.gradient is not None and problem.block is not None),
    }
    return tuple(name for name in LETTERS if has.get(name))


def of_head(naming: Naming, head: int, block: int = 0) -> Naming:
    r"""Return the written names of one head's quantity, with its number above: ``Q^{(1)}``; 0 means no head.

    A number of a block of keys stands behind it: ``l^{(1,2)}`` is of head 1 after block 2.

    >>> write_plain(of_head(Naming(t.Name("Q"), t.Name("Q")), 2).symbol)
    'Q^((2))'
    >>> write_plain(of_head(Naming(t.Name("l"), t.Name("l")), 1, 2).symbol)
    'l^((1, 2))'
    """
    numbers = [t.Number(str(number)) for number in (head, block) if number]
    if not numbers:
        return naming
    number = t.Group(numbers[0]) if len(numbers) == 1 else t.Vector(tuple(numbers))
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
        return Naming(symbol, t.Group(_thin(symbol)))
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


def naming_of(name: str, letter: str) -> Naming:
    """Return the written names of a quantity with a letter of the table.

    >>> write_plain(naming_of("o", "o").symbol), write_plain(naming_of("Q_w", "Q_w").entry)
    ('o', '(Q_w)')
    """
    return _in_font(name, declared(letter, set() if "_" in letter else {letter.upper()}))


def _in_font(name: str, naming: Naming) -> Naming:
    """Return the names of a number, or of one for each token, alike for the whole and for entries, not in bold."""
    if name not in LETTERS or not LETTERS[name].is_number:
        return naming
    entry = _thin(naming.entry)
    return Naming(entry.body if isinstance(entry, t.Group) else entry, entry)


# Blocks ---------------------------------------------------------------------------------------------


_WORDS = frozenset({"var", "ms"})
"""What is written as a word: a variance, a mean square."""


def _block_namings(problem: Problem) -> dict[str, Naming]:
    """Return the written names of what a block takes and makes.

    >>> p = Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], block={"norm": "layer", "eps": 0})
    >>> [write_plain(naming.entry) for naming in _block_namings(p).values()]
    ['(R_1)', '(mu_1)', '(var_1)', '(N_1)']
    """
    given = [name for name in BLOCK_INPUTS if name in problem.inputs]
    return {name: _block_naming(problem, name) for name in (*given, *blocks.block_quantities(problem))}


def _block_naming(problem: Problem, name: str) -> Naming:
    label, (word, _, number) = problem.label(name), name.partition("_")
    if label == name and word in _WORDS:
        symbol = t.Subscript(t.Name(word, "roman"), (t.Number(number),))
        return Naming(symbol, t.Group(symbol))
    naming = declared("epsilon" if label == "eps" else label, set())
    if name.startswith(("mu", "var", "ms", "eps", "gamma", "beta", "b_")):
        return Naming(_thin(naming.symbol), _thin(naming.entry))
    return naming


def _thin(node: t.Node) -> t.Node:
    """Return the same not in bold: what is a number, or one for each token or entry."""
    match node:
        case t.Name(text):
            return t.Name(text)
        case t.Subscript(base, indices):
            return t.Subscript(_thin(base), indices)
        case t.Group(body):
            return t.Group(_thin(body))
    return node


# Gradients ------------------------------------------------------------------------------------------


def _gradient_namings(problem: Problem, names: Mapping[str, Naming]) -> dict[str, Naming]:
    """Return the written names of the gradients of a problem, of their row sums, and of what the loss is made of.

    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"}, gradient={"loss": "sum"})
    >>> [write_plain(namings(p)[name].entry) for name in ("dQ", "dS", "D")]
    ['dQ', 'dz', 'D']
    """
    found: dict[str, Naming] = {}
    for name in gradients.gradients_of(problem):
        own = names.get(name[1:], names["O"])
        found[name] = _uncapped(names["S"]) if name == "dS_uncapped" else _gradient_naming(own, name)
    if problem.block is not None:
        found |= _block_gradient_namings(problem, names)
    return found


def _uncapped(scores: Naming) -> Naming:
    """Return the names of the gradient before a soft cap, beside that of the capped scores: ``dS_0``."""
    marked = _gradient_naming(scores, "dS")
    symbol = t.Subscript(marked.symbol, (t.Number("0"),))
    return replace(marked, symbol=symbol, entry=t.Group(t.Subscript(marked.entry, (t.Number("0"),))))


def _gradient_naming(naming: Naming, name: str) -> Naming:
    symbol, entry = _marked(naming.symbol), _marked(naming.entry)
    if symbol is None or entry is None:
        base, _, index = name.partition("_")
        symbol, entry = t.Name(base, "bold"), t.Name(base)
        if index:
            symbol = t.Subscript(symbol, (t.Name(index) if index.isalpha() else t.Number(index),))
            entry = t.Group(_thin(symbol))
    return replace(naming, symbol=symbol, entry=entry, line=None)


def _marked(node: t.Node) -> t.Node | None:
    """Return a name with a ``d`` before its letter; None where it is not a letter."""
    match node:
        case t.Name(text) if len(text) == 1:
            return replace(node, text=f"d{text}")
        case t.Subscript(base):
            marked = _marked(base)
            return None if marked is None else replace(node, base=marked)
        case t.Group(body):
            marked = _marked(body)
            return None if marked is None else t.Group(marked)
    return None


def _block_gradient_namings(problem: Problem, names: Mapping[str, Naming]) -> dict[str, Naming]:
    """Return the written names of means of norms, slopes of an activation, and gradients at factors and terms.

    >>> keys = {"X": [[1]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]], "gamma_1": [2]}
    >>> p = Problem.build(**keys, block={"norm": "rms", "eps": 0}, gradient={"loss": "sum"})
    >>> [write_plain(naming.symbol) for naming in _block_gradient_namings(p, namings(p)).values()]
    ['dgamma_1', 'dX_A', 'F_slope', 'rho_1', 'tau_1', 'rho_2', 'tau_2']
    """
    found: dict[str, Naming] = {}
    for name in gradients.gradients_of(problem):
        base, _, index = name.partition("_")
        if base in {"dgamma", "dbeta"}:
            found[name] = _indexed(t.Name(base), t.Number(index))
        elif name == "dX_A":
            found[name] = _indexed(t.Name(base, "bold"), t.Name(index))
        elif name == "dF_0":
            found[name] = _indexed(t.Name(base, "bold"), t.Number(index))
    found["F_slope"] = _indexed(t.Name("F", "bold"), t.Name("slope"))
    for number in "12":
        found |= {f"{name}_{number}": _indexed(names[name].entry, t.Number(number)) for name in ("rho", "tau")}
    return found


def _indexed(letter: t.Node, index: t.Node) -> Naming:
    symbol = t.Subscript(letter, (index,))
    return Naming(symbol, t.Group(_thin(symbol)))
