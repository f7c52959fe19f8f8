"""TRUSTED. Well-formedness: a scope and the formulas of a step mean one thing each, before anything is judged.

A record may declare a name twice, call a number ``exp``, let an abbreviation depend on an index that it does not
show, or have a hypothesis speak of what is not a quantity. Whatever a rule made of that would be no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import get_args

from symattn.errors import InputError, NotationError, ShapeError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import free_names
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.index_ranges import Assumed
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import names_of
from symattn.proofs.kernel.hypotheses import PLACES, is_about_entries, refuse_hidden_ranges, value_of
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.functions import PI
from symattn.proofs.language.interpretation import ELEMENTARY, FUNCTIONS, INFINITY, Language, plain_name, read_text
from symattn.proofs.language.scope import EQUATIONS, Defined, Hypothesis, Kind, Scope, Sign, formulas
from symattn.proofs.language.scope_cache import Memo
from symattn.proofs.language.tree_signs import TreeSigns
from symattn.proofs.language.values import an_entry, fresh_index
from symattn.records import dataclass

_EMPTY = Scope(())
_EQUIVALENT = "⇔"
_BETWEEN_SHAPES = {"=", "≠"}
_RESERVED = FUNCTIONS | ELEMENTARY | t.FUNCTIONS | {"delta", INFINITY}
_MAX_RANK = 4
_OF_TUPLES: frozenset[Kind] = frozenset({"coordinates", "same-law"})


def refuse_scope(scope: Scope) -> None:
    """Check the names and hypotheses of a proof.

    Raises:
        InputError: one of them is not what it has to be; the message says which and why.
    """
    _refuse_names(scope)
    for item in scope.declared:
        if item.sign not in get_args(Sign):
            raise InputError(f"The sign {item.sign!r} of {item.name} is not known here: write real for none.")
        _refuse_sizes(item.name, item.sizes, scope)
    for position, defined in enumerate(scope.defined):
        _refuse_abbreviation(defined, position, scope)
    for hypothesis in scope.hypotheses:
        _refuse_hypothesis(hypothesis, scope)


def _refuse_names(scope: Scope) -> None:
    own = [item.name for item in scope.items]
    seen: set[str] = set()
    for name in (*own, *scope.functions, *scope.permutations):
        if name in seen:
            raise InputError(f"The name {name} stands for two things: name them apart.")
        seen.add(name)
        if name in _RESERVED:
            raise InputError(f"The name {name} has a meaning of its own here: take another.")
    if PI in own:
        raise InputError(f"The name {PI} stands for the number here: take another.")
    for name in (*own, *scope.functions, *scope.permutations):
        if _name_read(name) != name:
            raise InputError(f"{name!r} is not a name of a quantity: use letters, with an index of letters or digits.")
    if len(set(scope.fixed)) != len(scope.fixed):
        raise InputError("An index is said to be fixed twice.")
    ids = [item.id for item in scope.hypotheses]
    if len(set(ids)) != len(ids):
        raise InputError("Two hypotheses have one id: number them apart.")


def _name_read(name: str) -> str | None:
    try:
        return plain_name(read_text(name, _EMPTY))
    except NotationError:
        return None


def _refuse_sizes(name: str, sizes: Sequence[str], scope: Scope) -> None:
    if len(sizes) > _MAX_RANK:
        raise InputError(f"{name} has more than {_MAX_RANK} indices.")
    bare = replace(scope, defined=(), hypotheses=())
    signs = TreeSigns.of(Language(bare, Facts()))
    for size in sizes:
        node = read_text(size, scope)
        if signs.of_tree(node) != "+":
            raise InputError(f"The length {size} of {name} is not evidently positive: declare its letters as positive.")
        signs.language.refuse_length(signs.language.number(node))


def _refuse_abbreviation(item: Defined, position: int, scope: Scope) -> None:
    """It shows what it depends on, rests on names that came before it, and has the sign that is said of it."""
    _refuse_sizes(item.name, item.sizes, scope)
    if len(item.indices) != len(item.sizes) or len(set(item.indices)) != len(item.indices):
        raise InputError(f"{item.name} has one letter for each of its indices, all different, and a length for each.")
    body = read_text(item.body, scope)
    later = {other.name for other in scope.defined[position:]} & set(names_of(body))
    if later:
        raise InputError(f"{item.name} abbreviates {min(later)}, which is not defined before it.")
    language = Language(scope, Facts(), {name: fresh_index() for name in item.indices})
    _refuse_letters(body, item.indices, scope)
    for index in free_indices(formed(body), language):
        raise InputError(f"{item.name} depends on the index {index}, which it does not show: give it that index.")
    if item.sign != "real":
        signs = TreeSigns.of(Language(scope, Facts()).under(*item.indices))
        found = signs.of_tree(body)
        if item.sign not in get_args(Sign) or (found != "+" and not (found == "0+" and item.sign == "nonnegative")):
            raise InputError(f"That {item.name} is {item.sign} is not evident from what it stands for, {item.body}.")


def free_indices(node: t.Node, language: Language) -> Iterator[str]:
    """Yield the letters of indices in a formula that stand for every value, those in entries of vectors included."""
    for index in an_entry(language.value(node)).indices:
        if len(index) == 1 and not ix.is_internal(index):
            yield ix.text(index)


def formed(node: t.Node) -> t.Node:
    """Return a formula with the arguments of means, limits and derivatives in their place."""
    node = rebuilt(node, formed)
    match node:
        case t.Call(t.Name("E"), (of, *_)):
            return t.Group(of)
        case t.Call(t.Name("diff"), (of, by)):
            return t.Product((t.Group(of), t.Group(by)), ("",))
        case t.Call(t.Name("Var"), (of,)):
            return t.Product((t.Group(of), t.Group(of)), ("",))
        case t.Call(t.Name("Cov"), (first, second)):
            return t.Product((t.Group(first), t.Group(second)), ("",))
        case t.Call(t.Name("lim"), (_, _, of)):
            return t.Group(of)
        case t.Call(t.Name("cdf" | "cumulant" | "density"), (of, at)) | t.Call(t.Name("coefficient"), (of, _, at)):
            return t.Sum((t.Group(of), t.Group(at)), ("+",))
        case _:
            return node


def _refuse_hypothesis(item: Hypothesis, scope: Scope) -> None:
    """It is of a known kind, speaks of quantities that there are, and has as many values as its kind wants."""
    if item.kind not in get_args(Kind):
        raise InputError(f"The hypothesis {item.id} has the kind {item.kind!r}, which is not known here.")
    declared = {other.name for other in scope.declared}
    defined = {other.name for other in scope.defined}
    if item.kind == "at-most" and len(item.values) != 2:
        raise InputError(f"The hypothesis {item.id} says what is at most what: it has two values.")
    if item.kind == "law" and not item.values:
        raise InputError(f"The hypothesis {item.id} names no law.")
    for name in item.about:
        if item.kind == "distinct":
            continue
        if item.kind == "nonzero":
            value_of(name, scope)
        elif name not in declared | defined:
            raise InputError(f"The hypothesis {item.id} speaks of {name}, which is not a quantity that is declared.")
    if item.kind in _OF_TUPLES and len({scope.sizes[name] for name in item.about}) > 1:
        raise InputError(
            f"The hypothesis {item.id} speaks of entries with one index, and its quantities differ in length."
        )
    for text in formulas(item):
        # Steps that use a hypothesis about entries compare the ranges of its indices with theirs.
        if not is_about_entries(item):
            refuse_hidden_ranges(text, scope)
        elif item.kind in EQUATIONS and declared.issuperset(item.about):
            _refuse_random_constant(item, value_of(text, scope), scope)
        else:
            value_of(text, scope)


def _refuse_random_constant(item: Hypothesis, value: Expr, scope: Scope) -> None:
    """Refuse an equation between a random number and quantities that are declared as not random."""
    found = free_names(value) & set(scope.random)
    if found and not {*item.about} & set(scope.random):
        name = item.about[0]
        raise InputError(f"The hypothesis {item.id} ties {name} to the random {min(found)}: declare {name} as random.")


@dataclass(frozen=True, slots=True)
class Shown:
    """Ranges that formulas show.

    Attributes:
        assumed: fixed indices with the length of each range of which they are taken to be values.
        letters: indices that stand for every value of a range, with its length.
        loose: indices that stand for every value of a range that is not shown.
        lengths: names of the numbers in lengths.
        used: the hypotheses that the formulas rest on.
    """

    assumed: frozenset[Assumed] = frozenset()
    letters: frozenset[Assumed] = frozenset()
    loose: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()

    def joined(self, others: Iterable[Shown]) -> Shown:
        """Return what these formulas show or others before them."""
        all_of = (self, *others)
        return Shown(
            frozenset().union(*(one.assumed for one in all_of)),
            frozenset().union(*(one.letters for one in all_of)),
            self.loose,
            frozenset().union(*(one.lengths for one in all_of)),
            frozenset().union(*(one.used for one in all_of)),
        )


def refuse_sides(first: t.Node, relation: str, second: t.Node, scope: Scope, memo: Memo | None = None) -> Shown:
    """Refuse sides that have no value for some value of their indices, an index with two ranges, or mixed shapes.

    Returns:
        The ranges that the sides show.

    Raises:
        InputError: there is such a side or index.
    """
    language = Language(scope, Facts(), memo=memo)
    for side in (first, second):
        if isinstance(side, t.Relation) != (relation == _EQUIVALENT):
            raise InputError(f"{_EQUIVALENT} stands between relations, and every other sign between quantities.")
    for operators, sides in _relations(first, relation, second):
        entries = [language.entry(formed(side)) for side in sides]
        if len({(entry.sizes, entry.is_row) for entry in entries}) > 1:
            ends = f"{describe(sides[0])} and {describe(sides[-1])}"
            raise ShapeError(f"{ends} have different shapes: compare their entries.")
        if entries[0].sizes and not operators <= _BETWEEN_SHAPES:
            raise ShapeError(f"{describe(sides[0])} is not a number, and has no order: compare entries.")
        for side in sides:
            _refuse_letters(side, {name for name, _ in language.ranges.letters()}, scope)
    return shown_by(language)


def _refuse_letters(node: t.Node, letters: Collection[str], scope: Scope) -> None:
    """Refuse a formula in which a letter stands for an index and for a quantity, by abbreviations too."""
    names = set(names_of(node))
    for item in reversed(scope.defined):
        if item.name in names:
            names |= set(names_of(read_text(item.body, scope)))
    for name in sorted(names.intersection(letters)):
        raise InputError(f"{name} is a quantity in {describe(node)}, and an index too: take another letter.")
    for part in walk(node):
        if isinstance(part, t.SumOver) and part.index.text in names:
            _refuse_letters(part.body, (part.index.text,), scope)


def shown_by(language: Language) -> Shown:
    """Return the ranges that formulas show which a language has read."""
    letters = dict(language.ranges.letters())
    return Shown(
        frozenset(language.ranges.assumed),
        frozenset((name, size) for name, size in letters.items() if size is not None),
        frozenset(name for name, size in letters.items() if size is None),
        frozenset(name for size in language.ranges.lengths for name in size.names),
    )


def _relations(first: t.Node, relation: str, second: t.Node) -> Iterator[tuple[set[str], list[t.Node]]]:
    """Iterate over the signs and the sides of a relation, or of the two relations of an equivalence."""
    if isinstance(first, t.Relation) and isinstance(second, t.Relation):
        for side in (first, second):
            yield set(side.operators), [part for part in side.sides if part is not None]
    else:
        yield {relation}, [first, second]


def assumed_by_hypotheses(scope: Scope) -> frozenset[Assumed]:
    """Return the fixed indices that the hypotheses speak of, with the length of each range."""
    found: set[Assumed] = set()
    for text in (text for item in scope.hypotheses for text in formulas(item)):
        language = Language(scope, Facts(), PLACES)
        language.text(text)
        found |= language.ranges.assumed
    return frozenset(found)


def loose_index(needed: Shown, own: Shown) -> str:
    """Return the index of which formulas do not show the range that steps before them gave it, in words, or nothing."""
    for name, size in sorted(needed.letters, key=lambda item: item[0]):
        if name in own.loose:
            return f"{name} runs to {size} in a step before, which is not shown here: write an entry of that length"
    return ""


def unseen_ranges(needed: Shown, own: Shown, scope: Scope) -> str:
    """Return what a claim rests on and does not show of ranges and lengths, in words, or nothing."""
    language = Language(scope, Facts())
    loose = loose_index(needed, own)
    if loose:
        return loose
    hidden = needed.lengths - own.lengths - language.lengths
    if hidden:
        return f"{min(hidden)} is taken to be a length, a whole number, which the claim does not show"
    distinct = (item for item in scope.hypotheses if item.kind == "distinct" and item.id in needed.used)
    names = {name for item in distinct for name in item.about}
    apart = {item for item in needed.letters if item[0] in names}
    seen = own.assumed | own.letters | assumed_by_hypotheses(scope)
    return _unseen_indices(needed.assumed | apart, seen, lambda size: _least_length(size, needed.used, language))


def _least_length(size: Expr, used: Collection[str], language: Language) -> int:
    """Return the least value of a length, by what is declared and by the hypotheses that are used."""
    least = language.least_length(size) or 0
    for item in language.scope.hypotheses:
        if item.kind == "at-most" and item.id in used:
            low, high = (value_of(text, language.scope) for text in item.values)
            number = low.rational()
            if high == size and number is not None:
                least = max(least, ceil(number))
    return least


def _unseen_indices(assumed: Iterable[Assumed], seen: Collection[Assumed], least: Callable[[Expr], int]) -> str:
    """Return the index that a claim rests on and does not show, in words, or nothing.

    That a fixed index is a value of a range says how long the range is at least; alone it says that there is a value.
    Indices that are kept apart say as much.
    """
    hidden: dict[Expr, set[str]] = {}
    for name, size in assumed:
        if (name, size) not in seen:
            hidden.setdefault(size, set()).add(name)
    for size, names in hidden.items():
        values = names | {name for name, length in seen if length == size}
        if len(values) > least(size):
            return f"{min(names)} is taken to be a value of a range of length {size}, which the claim does not show"
    return ""
