r"""The names of somebody's work, bound to those of a theorem: synonyms, ranges of sums, names that are the work's own.

A name that the theorem has stands for itself. Another one is a synonym where its role is plain (``d_k`` for the
length, ``\alpha`` for the weights), and otherwise a quantity of the work's own, about which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace

from symattn.errors import InputError, NotationError, ShapeError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import INFINITY, Language, plain_name, read_text, split_indices
from symattn.proofs.language.scope import Declared, Hypothesis, Scope, Sign
from symattn.proofs.language.tree_parts import exponent_of, names_reached
from symattn.proofs.submissions.reading.name_uses import (
    WORDS,
    Use,
    all_uses,
    calls_unknown,
    head_of,
    joined_differential,
    names_of,
    uses_in,
)
from symattn.proofs.submissions.reading.normalization import (
    averaged_names,
    constant_names,
    differentiated_names,
    name_tree,
    proof_forms,
    substitute,
    substitute_all,
)
from symattn.records import dataclass

_DIMENSIONS = ("D", "d_k", "D_k", "d", "d_q", "n", "N", "m", "p", "dim", "d_h", "d_head", "d_model")
_COUNTS = ("n", "m", "N", "T", "L", "J", "K")
_OF_WEIGHTS = frozenset({"a", "A"})
_WEIGHTS = ("a", "alpha", "w", "p", "s", "y", "A", "P", "sigma", "q")
_SCORES = ("z", "s", "x", "e", "l", "u", "v", "S")
_SCALES = ("beta", "b", "tau")
_LETTERS = {"mu": ("mu", "m", "bar x"), "sigma": ("sigma", "s")}
_MANY = 40


@dataclass(frozen=True, slots=True)
class _Definition:
    """Definition of a name by a work; for a vector that it defines as a whole, the form of an entry."""

    indices: tuple[str, ...]
    body: t.Node
    entry: _Definition | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a work in the scope of a theorem.

    Attributes:
        scope: the theorem's names and hypotheses, and the work's own names.
        renamed: names of the work by the theorem's.
        own: names that are the work's own.
        defined: those of them that the work defines.
        indices: letters of the work for indices that the theorem chooses.
        opened: names of the theorem of which the work says something else that is not read.
        passing: what is defined for a passage alone.
        taken: letters that mean outputs of the theorem by their entries, which no formula defines.
    """

    scope: Scope
    renamed: dict[str, str]
    own: frozenset[str]
    main: t.Node | None = None
    defined: dict[str, _Definition] = field(default_factory=dict)
    indices: dict[str, t.Node] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    passing: dict[str, _Definition | None] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    def is_random(self, node: t.Node) -> bool:
        """Return whether random quantities stand in an expression, outside its expectations."""
        families = {*self.scope.random}
        return any(
            self.renamed.get(key, key) in families for key, _, _, in_mean in uses_in(node, self._has) if not in_mean
        )

    def bound(self, node: t.Node) -> t.Node:
        """Return a side in the theorem's names and forms.

        Raises:
            NotationError: a form is not read here, or the range of a sum is not plain.
        """
        formed = proof_forms(node, self.is_random, frozenset(self.scope.functions))
        return self._ranged(self._renamed(self.at_indices(formed)))

    def at_indices(self, node: t.Node) -> t.Node:
        """Return a side with the theorem's chosen indices for the work's letters for them."""
        return substitute_all(node, self.indices)

    def own_in(self, node: t.Node) -> frozenset[str]:
        """Return the work's own names in a bound side."""
        return frozenset(key for key, _, _, _ in uses_in(node, self._has) if key in self.own)

    def define(self, head: t.Node, body: t.Node) -> bool:
        """Define a name of the work's own; return whether that was possible.

        Args:
            head: the name, perhaps with indices, as it was written.
            body: a bound side.
        """
        key, indices = head_of(head, self._has)
        if key is None or key not in self.own or key in self.defined or key in self.own_in(body):
            return False
        self.defined[key] = _Definition(indices, body)
        return True

    def define_again(self, head: t.Node, body: t.Node, entry: tuple[str, t.Node] | None = None) -> None:
        """Redefine a name of the theorem's as the work does, with the index and the form of an entry."""
        key, indices = head_of(head, self._has)
        if key is not None:
            self.defined[key] = _Definition(
                indices, body, None if entry is None else _Definition((entry[0],), entry[1])
            )
            if any(item.name == key and not item.sizes for item in self.scope.declared):
                self._carry(key, body)

    def define_in_passing(self, head: t.Node, body: t.Node) -> None:
        """Redefine a name of the theorem's until `end_passage`."""
        defined, opened = dict(self.defined), set(self.opened)
        self.define_again(head, body)
        self.passing.update({key: one for key, one in self.defined.items() if defined.get(key) is not one})
        self.passing.update(dict.fromkeys(self.opened - opened))

    def end_passage(self) -> None:
        """Forget what was defined for a passage alone."""
        for key, one in self.passing.items():
            if one is None:
                self.opened.discard(key)
            elif self.defined.get(key) is one:
                del self.defined[key]
        self.passing.clear()

    def _carry(self, number: str, value: t.Node) -> None:
        """Give abbreviations the value that a work sets for a number; leave open what is made of these."""
        changed = {number}
        for item in self.scope.defined:
            body = read_text(item.body, self.scope)
            spoken = changed & {key for key, *_ in uses_in(body, self._has)}
            if item.name in self.defined or not spoken:
                continue
            if spoken == {number}:
                self.defined[item.name] = _Definition(item.indices, substitute(body, number, t.Group(value)))
            else:
                self.opened.add(item.name)
            changed.add(item.name)

    def is_of_definition(self, head: t.Node, body: t.Node) -> bool:
        """Return whether a side is a name that the theorem defines, and another speaks of what that is made of.

        ``a = softmax(2 z)`` says what a is; ``a_i = 1/n`` says where its value is looked at.
        """
        target = self.target(head)
        made: set[str] = set()
        for item in reversed(self.scope.defined):
            if item.name == target or item.name in made:
                made |= set(_words_in(item.body, self.scope))
        sized = {item.name for item in self.scope.items if item.sizes}
        spoken = {key for key, _, _, _ in uses_in(body, self._has)}
        return target not in spoken and not spoken.isdisjoint(made & sized)

    def leave_open(self, head: t.Node) -> None:
        """Leave a name of the theorem's open: nothing is said of it from here on."""
        target = self.target(head)
        if target is not None:
            self.opened.add(target)

    def target(self, head: t.Node) -> str | None:
        """Return the theorem's name of a side, perhaps with indices."""
        key, _ = head_of(head, self._has)
        return self.renamed.get(key or "", key)

    def free_name(self, head: t.Node) -> str | None:
        """Return the theorem's name of a side of which neither the theorem nor the work says anything, or None."""
        key, _ = head_of(head, self._has)
        target = self.renamed.get(key or "", key)
        found = next((item for item in self.scope.declared if item.name == target), None)
        is_defined = key in self.defined and key not in self.passing
        is_free = found is not None and not found.random and not is_defined and target not in self.scope.lengths
        return target if is_free else None

    def may_be_any(self, head: t.Node) -> bool:
        """Return whether a side is a number of the work's own, or one that the theorem leaves open."""
        name = self.free_name(head)
        return name is not None and not self.scope.sizes.get(name)

    def size_of(self, body: t.Node, index: str) -> t.Node | None:
        """Return the end of the range of an index, by its place."""
        return next(self._sizes(body, index), None)

    def is_own(self, head: t.Node) -> bool:
        """Return whether a side is a name of the work's own that nothing is said of so far."""
        key, _ = head_of(head, self._has)
        return key is not None and key in self.own - self.taken and key not in self.defined

    def head(self, node: t.Node) -> tuple[str | None, tuple[str, ...]]:
        """Return the name of a defined side, with its indices; None for any other form."""
        return head_of(node, self._has)

    def meaning(self, name: str) -> tuple[tuple[str, ...], t.Node] | None:
        """Return the indices and the form of a name that the work defines, or else the theorem."""
        if name in self.defined:
            return self.defined[name].indices, self.defined[name].body
        target = self.renamed.get(name, name)
        known = next((item for item in self.scope.defined if item.name == target), None)
        return None if known is None else (known.indices, read_text(known.body, self.scope))

    def _has(self, name: str) -> bool:
        return name in self.renamed or name in names_of(self.scope)

    # Renaming ------------------------------------------------------------------------------------------

    def _renamed(self, node: t.Node) -> t.Node:
        match node:
            case t.Subscript(base, indices):
                return self._subscript(node, base, indices)
            case t.Name(text):
                return self._whole(text)
            case t.Power(t.Name("e") as base, exponent) if "e" not in self.renamed:
                return t.Power(base, self._renamed(exponent))
            case t.Product(factors, operators):
                return self._factors(factors, operators)
            case t.SumOver(index, lower, upper, body):
                # An index is a name by itself; what it is called does not matter.
                letters = frozenset("ijlrst") - names_of(self.scope) - self.own - set(self.renamed)
                first, last = (
                    limit
                    if limit is None or (isinstance(limit, t.Name) and limit.text in letters)
                    else self._renamed(limit)
                    for limit in (lower, upper)
                )
                return t.SumOver(index, first, last, self._renamed(body))
            case t.Call(function, arguments):
                found = tuple(map(self._renamed, arguments))
                return t.Call(function, self._by_a_letter(*found) if function == t.Name("diff") else found)
            case _:
                return rebuilt(node, self._renamed)

    def _factors(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
        """Join ``dS``, read as d times S, to one name where the theorem has it."""
        found: list[t.Node] = []
        signs: list[str] = []
        for position, factor in enumerate(factors):
            before = factors[position - 1] if position else None
            if calls_unknown(before, factor, self._has):
                raise NotationError(
                    f"{describe(factors[position - 1])} is not a function that is known here.", _at(factor)
                )
            is_beside = bool(found) and not operators[position - 1]
            joined = joined_differential(found[-1], factor, self._has) if is_beside else None
            if joined is not None:
                found[-1] = joined
                continue
            if position:
                signs.append(operators[position - 1])
            found.append(factor)
        parts = tuple(map(self._renamed, found))
        return parts[0] if len(parts) == 1 else t.Product(parts, tuple(signs))

    def _by_a_letter(self, body: t.Node, by: t.Node) -> tuple[t.Node, t.Node]:
        """Return what is differentiated and by what, ``b_j`` for ``z_j = ... + b_j``: both derivatives are the same.

        The letter has to stand alone in the sum, and what is differentiated speaks of it through the sum alone.
        """
        base = by.base if isinstance(by, t.Subscript) else by
        found = next((one for one in self.scope.defined if base == t.Name(one.name)), None)
        total = None if found is None else read_text(found.body, self.scope)
        if found is None or not isinstance(total, t.Sum) or set(total.operators) != {"+"}:
            return body, by
        bodies = {one.name: (one.body,) for one in self.scope.defined if one is not found}
        free = {one.name for one in self.scope.declared if not one.random}
        for place, term in enumerate(total.terms):
            if not isinstance(term, t.Subscript) or term.indices != tuple(map(t.Name, found.indices)):
                continue
            rest = (body, *total.terms[:place], *total.terms[place + 1 :])
            if plain_name(term.base) in free - names_reached(rest, bodies, self.scope):
                return body, replace(by, base=term.base) if isinstance(by, t.Subscript) else term.base
        return body, by

    def _whole(self, text: str) -> t.Node:
        if self.renamed.get(text, text) in self.opened:
            raise NotationError(f"What the work says of {text} here is not read.", 0)
        if text in self.defined:
            if self.defined[text].indices:
                raise NotationError(f"The work defines {text} by its entries: write this with entries, too.", 0)
            return t.Group(self.defined[text].body)
        if self.main is not None and text in {"std", "SD", "sd", "Std"}:
            return t.Root(self.main)
        if text == "infinity":
            return t.Name(INFINITY)
        if text == "e" and not self._has(text):
            return t.Call(t.Name("exp"), (t.Number("1"),))
        return name_tree(self.renamed.get(text, text))

    def _subscript(self, node: t.Subscript, base: t.Node, indices: tuple[t.Node, ...]) -> t.Node:
        full = plain_name(node)
        if full is not None and (self._has(full) or full in self.defined):
            return self._whole(full)
        if not isinstance(base, t.Name):
            return t.Subscript(self._renamed(base), indices)
        if self.renamed.get(base.text, base.text) in self.opened:
            return self._whole(base.text)
        if base.text in self.defined:
            found = self.defined[base.text]
            found = found if found.indices or found.entry is None else found.entry
            indices = split_indices(indices, len(found.indices))
            if len(found.indices) != len(indices):
                raise NotationError(f"The work defines {base.text} otherwise: write it as there.", 0)
            return t.Group(substitute_all(found.body, dict(zip(found.indices, indices, strict=True))))
        target = self.renamed.get(base.text, base.text)
        left = tuple(index for index in indices if index != t.Number("1"))
        if _rank(target, self.scope) == 1 and len(indices) == 2 and len(left) == 1:
            indices = left  # ``Q_{1,i}`` is an entry of a vector, and the other index that of the only row or column
        return t.Subscript(name_tree(target), indices)

    # Ranges --------------------------------------------------------------------------------------------

    def _ranged(self, node: t.Node) -> t.Node:
        if not isinstance(node, t.SumOver):
            return rebuilt(node, self._ranged)
        body = self._ranged(node.body)
        lower = node.lower or t.Number("1")
        if node.upper is not None:
            return t.SumOver(node.index, lower, node.upper, body)
        size = next(self._sizes(body, node.index.text), None)
        if size is None:
            raise NotationError(f"It is not said where the sum over {node.index.text} ends.", _at(node))
        return t.SumOver(node.index, lower, size, body)

    def _sizes(self, node: t.Node, index: str) -> Iterator[t.Node]:
        """Return the ends of the ranges of an index, by its places."""
        return (read_text(text, self.scope) for text in lengths_at(index, [node], self.scope))


def lengths_at(index: str, nodes: Iterable[t.Node], scope: Scope) -> Iterator[str]:
    """Yield the lengths to which an index runs, from the places where it stands."""
    sizes = scope.sizes
    for item in (item for node in nodes for item in walk(node)):
        base = plain_name(item.base) if isinstance(item, t.Subscript) else None
        if isinstance(item, t.Subscript) and base in sizes:
            places = zip(split_indices(item.indices, len(sizes[base])), sizes[base], strict=False)
            yield from (text for place, text in places if place == t.Name(index))


def names_of_work(
    scope: Scope, sides: Sequence[t.Node], main: t.Node | None = None, indices: frozenset[str] = frozenset()
) -> Names:
    """Bind the names of a work.

    Args:
        scope: the theorem's.
        sides: everything that the work writes.
        main: the variance that the theorem is about, which ``std`` alone is the root of.
        indices: letters that stand as indices, and so for no quantity of the work's own.
    """
    scope = _without_clashes(scope, sides)
    known = names_of(scope)
    uses = all_uses(scope, sides)
    ends = {
        node.upper.text
        for side in sides
        for node in walk(side)
        if isinstance(node, t.SumOver) and isinstance(node.upper, t.Name)
    }
    others = [key for key in uses if key not in known and key not in WORDS]
    unknown = sorted(others, key=lambda key: key not in ends)[:_MANY]  # what ends a sum is a length before others
    losses, lengths = differentiated_names(sides), _lengths(scope)
    found = _synonyms(scope, uses, unknown, _raised_names(sides))
    renamed = {key: name for key, name in found.items() if key not in losses or name not in lengths}
    own = [key for key in unknown if key not in renamed and key not in indices]
    extended = _with_own(scope, own, uses, constant_names(sides))
    return Names(extended, renamed, frozenset(own), main)


def _without_clashes(scope: Scope, sides: Sequence[t.Node]) -> Scope:
    """Return the scope without vectors whose letters the work uses for numbers: nothing that it writes fits otherwise.

    A matrix in a product that does not fit is not taken for a number: nothing would be known of the gradients that are
    made of it. Nor has it lengths that the work writes while it has nothing of that length: they are its word for
    another one.
    """
    uses = all_uses(scope, sides)
    lengths = set(_lengths(scope))
    needed = {size for item in scope.items if item.name in uses for size in item.sizes} & lengths
    gone = (lengths & set(uses)) - needed if needed - set(uses) else set()
    gone |= {item.name for item in scope.items if gone & set(item.sizes)}
    numbers = {item.name for item in scope.declared if not item.sizes and not item.random} - lengths
    used = {name for item in scope.hypotheses for text in item.values for name in _words_in(text, scope)}
    gone |= (numbers & averaged_names(sides)) - used  # what has a mean of its own is not a number of the theorem's
    known = names_of(scope).__contains__
    for key, use in uses.items():
        item = next((one for one in scope.items if one.name == key), None)
        if item is not None and len(item.sizes) == 1 and not use.rank and not use.is_whole and not use.in_mean:
            found = (side for side in sides if any(name == key for name, *_ in uses_in(side, known)))
            if not any(_has_meaning(side, scope) for side in found):
                gone.add(key)
    bodies = {item.name: (item.body,) for item in scope.defined}
    readings = {name: read_text(body, scope) for name, (body,) in bodies.items()}
    gone |= {name for name, body in readings.items() if gone & names_reached([body], bodies, scope)}
    return replace(
        scope,
        declared=tuple(item for item in scope.declared if item.name not in gone),
        defined=tuple(item for item in scope.defined if item.name not in gone),
        hypotheses=tuple(item for item in scope.hypotheses if not gone & set(item.about)),
    )


def _words_in(text: str, scope: Scope) -> list[str]:
    return [name for node in walk(read_text(text, scope)) if (name := plain_name(node)) is not None]


def _has_meaning(side: t.Node, scope: Scope) -> bool:
    """Return whether a side makes sense with the theorem's shapes, names that it does not know being numbers."""
    known = names_of(scope)
    others = {key for key, _, _, _ in uses_in(side, known.__contains__) if key not in known}
    wider = replace(scope, declared=(*scope.declared, *(Declared(name) for name in sorted(others))))
    try:
        Language(wider, Facts()).value(proof_forms(side, lambda _: False))
    except ShapeError:
        return False
    except InputError:
        return True  # what is not read says nothing about shapes
    return True


# Roles ---------------------------------------------------------------------------------------------


def _raised_names(sides: Sequence[t.Node]) -> frozenset[str]:
    """Return the names in exponents: these are scores, and no weights."""
    exponents = (body for side in sides for node in walk(side) if (body := exponent_of(node)) is not None)
    return frozenset(item.text for body in exponents for item in walk(body) if isinstance(item, t.Name))


def _synonyms(scope: Scope, uses: dict[str, Use], unknown: Sequence[str], raised: frozenset[str]) -> dict[str, str]:
    taken = {name for name in uses if name in names_of(scope)}
    renamed = {key: word for key in unknown if (word := _spelt(key)) in names_of(scope)}
    taken |= set(renamed.values())
    for targets, words in _roles(scope):
        for key in unknown:
            free = [target for target in targets if target not in taken]
            if not free or key in renamed or key not in words(free[0]) or _spelt(key) in names_of(scope):
                continue
            if key in raised and free[0] in _OF_WEIGHTS:
                continue
            if _fits(uses[key], free[0], scope):
                renamed[key] = free[0]
                taken.add(free[0])
    return {**renamed, **_families(scope, uses, unknown, renamed, taken)}


def _spelt(name: str) -> str:
    """Return the theorem's spelling of a name with an accent, or of a Greek letter: ``hat k`` is ``khat``."""
    accent, _, letter = name.partition(" ")
    if letter and accent in {"hat", "bar", "tilde"}:
        return f"{letter}{accent}"
    return {"epsilon": "eps", "varepsilon": "eps"}.get(name, name)


def _roles(scope: Scope) -> Iterator[tuple[list[str], Callable[[str], tuple[str, ...]]]]:
    sizes = _lengths(scope)
    means = [item.values[0] for item in scope.hypotheses if item.kind == "mean"]
    spreads = [item.values[0].partition("^")[0] for item in scope.hypotheses if item.kind == "variance"]
    declared = {item.name for item in scope.declared}
    letters = [name for name in dict.fromkeys([*means, *spreads]) if name in declared]
    yield letters, _letters
    yield sizes, lambda target: _lengths_called(target, alone=len(sizes) == 1)
    weights = [item.name for item in scope.defined if item.name in _OF_WEIGHTS]
    yield weights, lambda _: _WEIGHTS
    yield [name for name in ("z", "s") if _rank(name, scope) == 1], lambda _: _SCORES
    yield [name for name in ("beta",) if name in declared], lambda _: _SCALES


def _letters(target: str) -> tuple[str, ...]:
    base, _, index = target.partition("_")
    known = _LETTERS.get(base, (base,))
    return tuple(f"{name}_{index}" for name in known) if index else known


def _lengths(scope: Scope) -> list[str]:
    declared = {item.name for item in scope.declared if not item.sizes}
    own = [text for item in sorted(scope.declared, key=lambda item: not item.random) for text in item.sizes[::-1]]
    return [name for name in dict.fromkeys(own) if name in declared]


def _lengths_called(target: str, *, alone: bool) -> tuple[str, ...]:
    if alone:
        return (*_DIMENSIONS, *_COUNTS)
    return _DIMENSIONS if target[:1] in {"D", "d"} else _COUNTS


def _fits(use: Use, target: str, scope: Scope) -> bool:
    rank = _rank(target, scope)
    return use.rank <= rank and not (use.is_whole and rank == 0) and not (rank and not use.rank and not use.is_whole)


def _families(
    scope: Scope, uses: dict[str, Use], unknown: Sequence[str], renamed: dict[str, str], taken: set[str]
) -> dict[str, str]:
    """Return random vectors under other letters: as many as the theorem has, and none of its own."""
    families = [*scope.random]
    others = [
        key for key in unknown if key not in renamed and uses[key].in_mean and (uses[key].rank or uses[key].is_whole)
    ]
    if not others or len(others) > len(families) or any(name in taken for name in families):
        by_case = {name.lower(): name for name in families if name not in taken}
        return {key: by_case[key.lower()] for key in others if key.lower() in by_case}
    by_case = {name.lower(): name for name in families}
    if all(key.lower() in by_case for key in others):
        return {key: by_case[key.lower()] for key in others}
    return dict(zip(others, families, strict=False)) if len(others) == len(families) else {}


# Own names -----------------------------------------------------------------------------------------


def _with_own(scope: Scope, own: Sequence[str], uses: dict[str, Use], constants: frozenset[str]) -> Scope:
    sizes = _lengths(scope)
    length = sizes[0] if sizes else "n"
    count = sizes[1] if len(sizes) > 1 else "n"
    declared = list(scope.declared)
    names = names_of(scope)
    needed: set[str] = set()
    for key in own:
        use = uses[key]
        kind: tuple[str, ...] = ()
        if use.rank == 1 and use.is_whole and (use.whole_rank or not key.islower()):
            kind = (count, length)
        elif use.rank == 1 or use.is_whole:
            kind = (length,)
        elif use.rank > 1:
            kind = (count, length)
        needed.update(kind)
        sign: Sign = "positive" if key in _lengths_called("d", alone=True) and not kind else "real"
        is_constant = not kind and key in constants
        declared.append(Declared(key, kind, sign, random=use.in_mean and not is_constant))
    declared.extend(Declared(name, (), "positive") for name in sorted(needed - names - set(own)))
    random = tuple(item.name for item in declared if item.random and item.name in own)
    hypotheses = (*scope.hypotheses, *_own_hypotheses(random, declared))
    return replace(scope, declared=tuple(declared), hypotheses=hypotheses)


def _own_hypotheses(random: tuple[str, ...], declared: Sequence[Declared]) -> Iterator[Hypothesis]:
    """Yield the hypotheses that a work may state of its own random quantities."""
    if len(random) > 1:
        words = f"{', '.join(random[:-1])} and {random[-1]} are independent"
        yield Hypothesis("own independent", words, "independent", random)
    vectors = tuple(item.name for item in declared if item.name in random and item.sizes)
    if vectors:
        words = f"the components of {' and '.join(vectors)} are independent"
        yield Hypothesis("own coordinates", words, "coordinates", vectors)
        yield Hypothesis("own law", f"the components of {' and '.join(vectors)} have one law", "same-law", vectors)


# Trees ---------------------------------------------------------------------------------------------


def _rank(name: str, scope: Scope) -> int:
    return len(scope.sizes.get(name, ()))


def _at(node: t.Node) -> int:
    return node.span[0] if node.span is not None else 0
