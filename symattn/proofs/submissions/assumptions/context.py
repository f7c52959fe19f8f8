"""Context of a submission: its letters for those of the theorem, and the hypotheses that it states.

A hypothesis is stated in words, or by a formula, perhaps with other letters for its indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.notation.submission import Heading, Work
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.kernel.hypotheses import facts_of
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.tree_parts import exponent_of
from symattn.proofs.language.values import Value, entrywise
from symattn.proofs.submissions.assumptions.abbreviations import other_meanings
from symattn.proofs.submissions.assumptions.letter_signs import open_signs, signed_letters
from symattn.proofs.submissions.assumptions.letter_values import LetterValue, LetterValues, OwnDefinitions
from symattn.proofs.submissions.assumptions.masks import OPEN_MASKS, MaskReader
from symattn.proofs.submissions.assumptions.number_values import NumberValue, number_assumptions, under_condition
from symattn.proofs.submissions.assumptions.rotations import write_in_pairs
from symattn.proofs.submissions.assumptions.softmax_limits import (
    constrained_letters,
    named_letters,
    says,
    suppositions_in_words,
)
from symattn.proofs.submissions.assumptions.stated_hypotheses import (
    Assumption,
    StatedAssumptions,
    StatedMoment,
    add_variances,
    stated_moments,
)
from symattn.proofs.submissions.assumptions.synonyms import resolve_synonyms, usual_letters
from symattn.proofs.submissions.attempts import attempt, otherwise
from symattn.proofs.submissions.evidence.counterexamples import Supposition
from symattn.proofs.submissions.evidence.inequalities import square_sides
from symattn.proofs.submissions.phrases import CUES
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.proofs.submissions.prose.polarity import Polarity
from symattn.proofs.submissions.prose.sentences import sentences_of
from symattn.proofs.submissions.reading.conditions import PlacedPiece, place_statements
from symattn.proofs.submissions.reading.domains import EVERYWHERE, Domain, Relation
from symattn.proofs.submissions.reading.index_cases import index_cases
from symattn.proofs.submissions.reading.name_binding import Names, names_of_work
from symattn.proofs.submissions.reading.normalization import substitute_all
from symattn.proofs.submissions.reading.softmax_quotients import softmax_of
from symattn.proofs.submissions.reading.spelling import declare_index_numbers, index_letters
from symattn.proofs.submissions.reading.statement_parts import free_letters, nodes_of, normalize_work, raw_links

EQUALITIES = frozenset({"=", "≡"})
_NEAR = 32
_MEAN_AND_VARIANCE = 2


class WorkContext:
    """The names and hypotheses of one work about a theorem, as they are while it is judged."""

    def __init__(self, work: Work, theorem: Theorem, settings: Mapping[str, str], *, is_given: bool) -> None:
        self.theorem = theorem
        nodes = list(nodes_of(work.pieces))
        self.proof, self.settings = _proof(theorem, settings, nodes)
        self.proof = replace(self.proof, scope=declare_index_numbers(self.proof.scope, tuple(nodes)))
        self.is_given = is_given
        self.text = work.text
        scope = self.proof.scope
        turned, scope = write_in_pairs(work, theorem.name, scope)
        usual, scope = resolve_synonyms(turned, theorem.name, scope)
        self.work = normalize_work(usual, scope)
        self.proof = replace(self.proof, scope=scope)
        self.letters = frozenset(letter for node in nodes_of(self.work.pieces) for letter in names_in_tree(node))
        self.indices = index_letters(tuple(nodes_of(self.work.pieces)), scope)
        self.placed = place_statements(self.work, self.indices.__contains__, self._may_go_to_a_limit)
        self.other_meanings = other_meanings(self.proof, self.placed, work.text)
        kept = tuple(item for item in scope.defined if item.name not in self.other_meanings)
        scope = replace(scope, defined=kept)
        self.proof = replace(self.proof, scope=scope)
        sides = [node for item in self.placed for node in self._speaking(item)]
        self.names: Names = replace(
            names_of_work(scope, sides, _main(self.proof), self.indices), taken=usual_letters(theorem.name)
        )
        self._free_weights()
        self.statements = self._statements(work)
        self.placed = tuple(
            replace(item, is_assumed=True) if self.statements.is_listed(item.piece.span[0]) else item
            for item in self.placed
        )
        self.mask = OPEN_MASKS.get(theorem.name)
        masks = None if self.mask is None else MaskReader(self.mask, work.text, self.statements)
        self.has_causal_mask = masks is not None and masks.is_causal()
        self.mask_spans = () if masks is None else masks.spans
        said = [item for one in self.placed for link in raw_links(one) for item in self._said(one, *link)]
        self.said = add_variances(said, self.statements)
        self._values, self._sides = self._all_settings(), sides
        self._numbers = tuple(self._number_values())
        self.collect()
        self.last: t.Node | None = None
        self.domain = EVERYWHERE
        self.here: tuple[Supposition, ...] = ()
        self.tied: frozenset[str] = frozenset()
        self.is_open = False
        self.is_vague = says(work.text, "equal")
        named = (name for name in named_letters(work.text) if self.names.may_be_any(t.Name(name)))
        self.constrained = constrained_letters(work.text).union(named)
        self.toward: tuple[tuple[str, t.Node], ...] = ()
        self.supposed = list(suppositions_in_words(work.text, self.names, self._used(sides)))
        self.is_careful = not self.supposed and says(work.text, "spoken")
        self.take_hypotheses()
        self._take_definitions()
        self.headings = tuple(one.piece.span[0] for one in self.placed if isinstance(one.piece, Heading))
        self.own_definitions = OwnDefinitions(self.placed, self.names, self.indices, self.statements, self.text)
        self._take_signs()
        self.values = LetterValues(self.statements)
        self._take_values()

    # What the work speaks of -----------------------------------------------------------------------

    def _may_go_to_a_limit(self, name: str) -> bool:
        base, _, index = name.partition("_")
        sizes = self.proof.scope.sizes
        is_entry = index in self.indices or index.isdecimal() or bool(sizes.get(base))
        return name not in self.indices and not sizes.get(name) and not is_entry

    def _take_signs(self) -> None:
        """Take the numbers that are positive in the theorem, and those that need not be in the work."""
        deviations = {name for one in self.pool for name in moment_letters(one.hypothesis)}
        self.signed = signed_letters(self.scope, self.scope.lengths | deviations)
        found = open_signs(self.signed, self.placed, self.statements.sentences, self.text)
        self.open_signs = frozenset() if self.is_given else found
        self.dropped_signs: frozenset[str] = frozenset()

    def _free_weights(self) -> None:
        """Leave the weights open where the work says that they may be any."""
        if says(self.text, "any_weights"):
            for item in self.names.scope.defined:
                if item.name in {"a", "A"}:
                    self.names.leave_open(t.Name(item.name))

    def _speaking(self, item: PlacedPiece) -> Iterator[t.Node]:
        """Yield the sides of a piece; an index that a condition is about is none."""
        for node in nodes_of((item.piece,)):
            is_bare = isinstance(node, t.Name) and node.text in {*self.indices, *self.proof.scope.fixed}
            if not (item.is_condition and (is_bare or isinstance(node, t.Vector | t.Number))):
                yield node

    def _statements(self, work: Work) -> Statements:
        """Return the statements of the work's words on the theorem's vectors."""
        scope = self.names.scope
        families = [*scope.random]
        symbols = {name: name for name in families}
        symbols |= {letter: name for letter, name in self.names.renamed.items() if name in families}
        return Statements(sentences_of(work, symbols), families, work.text)

    def collect(self) -> None:
        """Collect the assumptions as far as words and moments state them."""
        used, scope = self._used(self._sides), self.names.scope
        found = StatedAssumptions(scope, self.statements, self.said, used, self._values, is_given=self.is_given)
        self.scope = scope
        letters = {one.name: self.letters_of(one.name) for one in self._numbers}
        self.assume([*found.collect(), *number_assumptions(self._numbers, letters, self.statements)])
        self.unread_laws = tuple(sorted(self._unread_laws().items()))

    def _unread_laws(self) -> dict[str, int]:
        """Return the random quantities of unknown laws, with the degree up to which hypotheses give their moments."""
        known = {name for item in self.pool if item.hypothesis.kind == "law" for name in item.hypothesis.about}
        random = frozenset(self.names.scope.random)
        letters = {name: name for name in self.names.own - known}
        letters |= {letter: name for letter, name in self.names.renamed.items() if name not in random}
        own = {letters[one] for one in self.statements.letters_with_laws(letters)}
        unread = self.statements.unread_laws(random)
        return dict.fromkeys(unread, _MEAN_AND_VARIANCE) | dict.fromkeys(own | unread & self.names.own, 0)

    def assume(self, pool: Iterable[Assumption]) -> None:
        """Take other assumptions for those of the work, and their hypotheses into the scope."""
        self.pool = list(pool)
        self.scope = replace(self.scope, hypotheses=tuple(item.hypothesis for item in self.pool))

    def take_hypotheses(self) -> None:
        """Mark the hypotheses of the theorem that a formula of the work states, and take its letters for theirs."""
        for item in self.placed:
            for link in raw_links(item):
                found = self.hypothesis_of(item, *link)
                if found is None:
                    continue
                name, letters = found
                self._state(name, item)
                for letter, index in letters.items():
                    self.names.indices.setdefault(letter, t.Name(index))

    def _state(self, name: str, item: PlacedPiece) -> None:
        """Mark a hypothesis as stated by a formula, as far as the sentence of that does state it."""
        place = item.piece.span[0]
        polarity, scope = self.statements.polarity_at(place), self.statements.scope_at(place)
        if polarity is Polarity.STATED:
            self.pool = [replace(one, is_stated=True, stated_in=None) if one.id == name else one for one in self.pool]
        elif polarity is Polarity.CONDITIONAL and scope is not None:
            self.pool = [
                replace(one, stated_in=(*(one.stated_in or ()), scope)) if one.id == name else one for one in self.pool
            ]

    def stand_at(self, place: int, domain: Domain = EVERYWHERE) -> None:
        """Take the hypotheses, the definitions and the values of letters as they stand at a place of the work."""
        self.own_definitions.stand_at(place)
        known = domain.mapped(lambda side: attempt(self.names.bound, side) or side)
        self.pool = [under_condition(item.at(place), known) for item in self.pool]
        self.put_values(self.values.at(place))

    def put_values(self, values: Sequence[LetterValue]) -> None:
        """Give letters of the theorem some values, and no others."""
        self.names.end_passage()
        self.values_in_force: tuple[LetterValue, ...] = tuple(values)
        for item in values:
            self.names.define_in_passing(item.head, item.body)

    def is_concluded(self, place: int) -> bool:
        """Return whether words before a formula say that it follows."""
        return CUES["concluded"].search(self.text[max(0, place - _NEAR) : place]) is not None

    def value_name(self, head: t.Node, right: t.Node, place: int) -> str | None:
        """Return the free letter of the theorem's to which an equation gives a value, or None.

        A number is one where the words before it choose it: ``the best choice is c = 2``.
        """
        if not is_letter(head):
            return None
        names = {*names_in_tree(right)}
        name = describe(head.base if isinstance(head, t.Subscript) else head)
        is_chosen = bool(names) or CUES["chooses"].search(self.text[max(0, place - _NEAR) : place]) is not None
        return self.names.free_name(head) if is_chosen and name not in names else None

    def _take_values(self) -> None:
        """Take the values that formulas give to letters, so that those before them in a sentence stand under them."""
        for item in self.placed:
            if item.is_assumed or item.is_condition:
                continue
            for left, operator, right in raw_links(item):
                is_value = operator in EQUALITIES and not self.names.is_own(left)
                name = self.value_name(left, right, item.piece.span[0]) if is_value else None
                fixed = {one.hypothesis.about[0] for one in self.pool if one.hypothesis.kind == "equal"}
                if name is None or name in fixed or self.hypothesis_of(item, left, operator, right) is not None:
                    continue
                self.put_values(self.values.at(item.piece.span[0]))
                body = attempt(self.names.bound, right)
                if body is not None and softmax_of(body) is None:
                    self.values.add(left, name, body, item.piece.span)
        self.put_values(())

    def _take_definitions(self) -> None:
        """Take definitions that stand behind the formula that uses the name: ``where``, ``with``."""
        said = (item for item in self.placed if not item.is_condition)
        links = [(item, *link) for item in said for link in raw_links(item) if link[1] in EQUALITIES]
        changed = {name for item, left, _, _ in links if item.is_assumed and (name := self._of_theorem(left))}
        heads: set[t.Node] = set()
        stated = {name for _, left, _, _ in links if (name := self.names.target(left)) is not None}
        for item, left, _, right in links:
            is_first = left not in heads
            heads.add(left)
            if item.is_explained and is_first and self.names.is_own(left):
                body = attempt(self.names.bound, right)
                open_names = changed | (stated & self.names.own - set(self.names.defined))
                if body is not None and open_names.isdisjoint(names_in_tree(body)):
                    self.names.define(left, body)
        self.explained = self.names.own & {self.names.target(left) or "" for left in heads}

    def _of_theorem(self, head: t.Node) -> str | None:
        """Return the name of a side that the theorem defines, perhaps with an index."""
        base = head.base if isinstance(head, t.Subscript) else head
        name = self.names.renamed.get(describe(base), describe(base))
        return name if any(one.name == name for one in self.names.scope.defined) else None

    def hypothesis_of(
        self, item: PlacedPiece, left: t.Node, operator: str, right: t.Node
    ) -> tuple[str, dict[str, str]] | None:
        """Return the hypothesis that a link is, and which of its letters are chosen indices of the theorem's."""
        try:
            first, second = self.names.bound(left), self.names.bound(right)
            domain = item.domain.mapped(self.names.at_indices)
            matcher = HypothesisMatcher(self.pool, self.scope, self.indices, self.letters)
            found = matcher.match((first, operator, second), domain)
        except InputError:
            return None
        if found is None or item.is_assumed:
            return found
        kind = next(one.hypothesis.kind for one in self.pool if one.id == found[0])
        place = item.piece.span[0]
        if kind != "equal" and self.is_concluded(place):
            return None
        return None if self.statements.denies(kind, place) else found

    @otherwise(())
    def _said(self, item: PlacedPiece, left: t.Node, operator: str, right: t.Node) -> tuple[StatedMoment, ...]:
        place = item.piece.span[0]
        polarity = self.statements.polarity_at(place)
        if polarity not in {Polarity.STATED, Polarity.CONDITIONAL}:
            return ()
        scope = self.statements.scope_at(place) if polarity is Polarity.CONDITIONAL else None
        is_bare = not item.is_assumed
        second = right if operator == "∼" else self.names.bound(right)
        found = stated_moments(self.names.bound(left), operator, second, self.names.scope)
        return tuple(
            replace(one, scope=scope) for one in found if not (is_bare and self.statements.denies(one.kind, place))
        )

    def _used(self, sides: Sequence[t.Node]) -> frozenset[str]:
        found: set[str] = set()
        for side in sides:
            bound = attempt(self.names.bound, side)
            if bound is not None:
                found.update(describe(node) for node in walk(bound) if isinstance(node, t.Name | t.Subscript))
        return frozenset(found)

    def _all_settings(self) -> dict[str, str]:
        """Return the values of letters that the question fixes, ``d_k = 512``, or the work leaves out."""
        return self.settings if self.is_given else {**dict(self._left_out()), **self.settings}

    def _number_values(self) -> Iterator[NumberValue]:
        """Yield the values that the work gives to lengths: ``d_k = 64``."""
        letters = self.names.scope.lengths - set(self.settings)
        for item in self.placed:
            for left, operator, right in raw_links(item):
                bound = attempt(self.names.bound, left) if operator == "=" and isinstance(right, t.Number) else None
                if bound is not None and describe(bound) in letters and isinstance(right, t.Number):
                    yield NumberValue(describe(bound), right.text, item.piece.span[0])

    def letters_of(self, name: str) -> tuple[str, ...]:
        """Return the letters of the work for a name of the theorem."""
        return (name, *(letter for letter, other in self.names.renamed.items() if other == name))

    def _left_out(self) -> Iterator[tuple[str, str]]:
        """Yield numbers of the theorem's that the work leaves out, with the values that it then has for them.

        These are the factor of the scores in a softmax, and what is added to a variance below a root.
        """
        named = {*self.letters, *self.names.renamed.values()}
        nodes = [item for node in nodes_of(self.work.pieces) for item in walk(node)]
        is_softmax = any(isinstance(item, t.Call) and item.function.text == "softmax" for item in nodes)
        is_root = any(isinstance(item, t.Root) for item in nodes)
        for item in self.names.scope.declared:
            if item.name not in named and not item.sizes:
                if item.name == "beta" and is_softmax:
                    yield item.name, "1"
                elif item.name == "eps" and item.sign == "nonnegative" and is_root:
                    yield item.name, "0"

    def omits_factor(self, *sides: t.Node) -> bool:
        """Return whether weights ``e^{S_{ij}}`` are written without the theorem's factor of the scores.

        Whether it is 1, or in the scores already, is not known.
        """
        declared = {item.name for item in self.names.scope.declared}
        if "beta" not in declared - {*self.letters, *self.names.renamed.values(), *self.settings}:
            return False
        return any(self._is_score(exponent_of(item)) for side in sides for item in walk(side))

    def _is_score(self, exponent: t.Node | None) -> bool:
        """Return whether an exponent is an entry of a vector or a matrix of the theorem's alone: ``e^{S_{ij}}``."""
        if not isinstance(exponent, t.Subscript):
            return False
        name = plain_name(exponent.base)
        return bool(self.proof.scope.sizes.get(self.names.renamed.get(name or "", name or "")))

    @property
    def settings_of_work(self) -> frozenset[str]:
        """Letters to which a value is given."""
        return frozenset(
            item.hypothesis.about[0] for item in self.pool if item.hypothesis.kind == "equal" and item.is_special
        )

    @property
    def ids(self) -> list[str]:
        """Return all assumptions, stated or not."""
        return [item.id for item in self.pool]

    @property
    def stated_ids(self) -> list[str]:
        """Return the stated hypotheses, and those of the theorem."""
        return [item.id for item in self.pool if item.is_stated or not item.is_special]

    @property
    def is_changed(self) -> bool:
        """Return whether the work takes something else than a hypothesis of the theorem."""
        return any(item.id.startswith("work ") for item in self.pool)


# The theorem and the work --------------------------------------------------------------------------


def names_in_tree(node: t.Node) -> Iterator[str]:
    """Yield the texts of all names in a formula."""
    return (item.text for item in walk(node) if isinstance(item, t.Name))


def is_letter(head: t.Node) -> bool:
    """Return whether a side is a name, perhaps with indices."""
    return isinstance(head.base if isinstance(head, t.Subscript) else head, t.Name)


def moment_letters(item: Hypothesis) -> list[str]:
    """Return the letter that stands for a mean or a variance."""
    return [item.values[0].partition("^")[0]] if item.kind in {"mean", "variance"} else []


def _proof(theorem: Theorem, settings: Mapping[str, str], sides: Sequence[t.Node]) -> tuple[Proof, dict[str, str]]:
    """Return the theorem with letters, its cases as the work needs them, and the values that are set."""
    values = theorem.values(settings)
    words = {item.name for item in theorem.parameters if item.kind in {"word", "list"} or item.choices}
    chosen = {name: value for name, value in settings.items() if name in words}
    choices = {item.name: item.choices for item in theorem.parameters}
    if "case" in choices and "unequal" in choices["case"] and "case" not in chosen and _has_unequal(sides):
        chosen["case"] = "unequal"
    numbers = {name: values[name] for name in settings if name not in words}
    return theorem.build(theorem.values(chosen)), numbers


def _has_unequal(sides: Sequence[t.Node]) -> bool:
    unequal = {"mu_q", "mu_k", "sigma_q", "sigma_k"}
    return any(isinstance(node, t.Subscript) and plain_name(node) in unequal for side in sides for node in walk(side))


def _main(proof: Proof) -> t.Node | None:
    """Return the variance that a theorem is about."""
    for claim in proof.claims:
        node = read_text(claim.left, proof.scope)
        if isinstance(node, t.Call) and node.function.text == "Var":
            return node
    return None


_MOST_LETTERS = 3
_EQUATIONS = frozenset({"equal", "dot-products", "total"})

Found = tuple[str, dict[str, str]]


class HypothesisMatcher:
    """Matcher of relations of a work with the hypotheses that they state.

    Args:
        pool: the hypotheses.
        scope: the names.
        indices: letters that are indices in the work.
        used: all names that the work writes.
    """

    def __init__(self, pool: Sequence[Assumption], scope: Scope, indices: frozenset[str], used: frozenset[str]) -> None:
        self.pool = [item for item in pool if not item.is_special]
        self.scope, self.indices, self.used = scope, indices, used

    def match(self, relation: Relation, domain: Domain) -> Found | None:
        """Return the hypothesis that a relation between bound sides states, where it is meant to hold.

        With it come the theorem's chosen indices by the work's letters for them.
        """
        left, operator, right = relation
        for item in self.pool:
            known = item.hypothesis
            if operator == "=" and known.kind in _EQUATIONS and self._is_about(known, left, right):
                # It holds with the hypothesis, and not without.
                with_it, without = (Language(self.scope, facts_of(self.scope, ids)) for ids in ((known.id,), ()))
                if _agree(with_it, left, right) and not _agree(without, left, right):
                    return item.id, {}
            elif operator in {"≤", "≥", "<", ">"} and known.kind in {"at-most", "positive"}:
                letters = self._as_order(known, relation, domain)
                if letters is not None:
                    return item.id, letters
        return None

    def _is_about(self, item: Hypothesis, left: t.Node, right: t.Node) -> bool:
        """Return whether a side has the form of what a hypothesis gives a value to, or both are made of lengths."""
        match item.kind:
            case "equal":
                bases = (side.base if isinstance(side, t.Subscript) else side for side in (left, right))
                lengths = self.scope.lengths
                is_size = item.about[0] in lengths and isinstance(left, t.Name) and _names(left, right) <= lengths
                return item.about[0] in map(plain_name, bases) or is_size
            case "dot-products":
                return _is_product_of(left, item.about) or _is_product_of(right, item.about)
            case _:
                body = left.body if isinstance(left, t.SumOver) else None
                return isinstance(body, t.Subscript) and plain_name(body.base) in item.about

    def _as_order(self, item: Hypothesis, relation: Relation, domain: Domain) -> dict[str, str] | None:
        left, operator, right = relation
        sides = (right, left) if operator in {"≥", ">"} else (left, right)
        is_strict = operator in {"<", ">"}
        if item.kind == "at-most" and not is_strict:
            wanted = [read_text(text, self.scope) for text in item.values]
        elif item.kind == "positive" and is_strict and len(item.values) == 1:
            wanted = [t.Number("0"), read_text(item.values[0], self.scope)]
        else:
            return None
        if not _names(*sides) & _names(*wanted):
            return None
        for letters in self._matchings(sides, wanted):
            if self._is_same_order(sides, wanted, domain, letters):
                fixed = self.scope.fixed
                return {letter: index for letter, index in letters.items() if index in fixed and letter != index}
        return None

    def _matchings(self, sides: tuple[t.Node, t.Node], wanted: Sequence[t.Node]) -> Iterator[dict[str, str]]:
        """Yield every matching of the free letters of the work with those of the hypothesis."""
        fixed = {name for name in self.scope.fixed if any(t.Name(name) in walk(side) for side in wanted)}
        mine = sorted((free_letters(sides[0]) | free_letters(sides[1])) & (self.indices | fixed))
        theirs = sorted((free_letters(wanted[0]) | free_letters(wanted[1])) & set("ijlr") | fixed)
        if len(mine) != len(theirs) or len(mine) > _MOST_LETTERS:
            return
        for chosen in permutations(theirs):
            pairs = dict(zip(mine, chosen, strict=True))
            # A chosen index that the work calls by its own name is not another one as well.
            if all(index not in fixed or letter == index or index not in self.used for letter, index in pairs.items()):
                yield pairs

    def _is_same_order(
        self, sides: tuple[t.Node, t.Node], wanted: Sequence[t.Node], domain: Domain, letters: dict[str, str]
    ) -> bool:
        renamed = [_renamed(side, letters) for side in sides]
        here = domain.mapped(lambda side: _renamed(side, letters))
        ways = index_cases(here, self.scope)
        for way in ways:
            own = replace(self.scope, hypotheses=(*self.scope.hypotheses, *way.hypotheses))
            language = Language(own, facts_of(own, tuple(item.id for item in way.hypotheses)))
            try:
                squares = square_sides(renamed[0], renamed[1], own)
                found = [
                    _is_same_difference([language.value(way.at(side)) for side in (*written, *wanted)])
                    for written in (renamed, *(() if squares is None else (squares,)))
                ]
            except InputError:
                return False
            if not any(found):
                return False
        return bool(ways)


def _is_product_of(node: t.Node, names: tuple[str, ...]) -> bool:
    if not isinstance(node, t.Product) or len(node.factors) != 2:
        return False
    found = [item.base if isinstance(item, t.Transpose) else item for item in node.factors]
    return all(
        isinstance(item, t.Subscript) and plain_name(item.base) == name and isinstance(item.indices[0], t.Name)
        for item, name in zip(found, names, strict=False)
    ) and len(names) == len(found)


@otherwise(default=False)
def _agree(language: Language, left: t.Node, right: t.Node) -> bool:
    pairs = entrywise(language.value(left), language.value(right))
    return pairs is not None and all(one.equals(other) for one, other in pairs)


def _names(*sides: t.Node) -> frozenset[str]:
    return frozenset(name for side in sides for name in names_in_tree(side))


def _is_same_difference(values: Sequence[Value]) -> bool:
    low, high, least, most = values
    if not (isinstance(low, Expr) and isinstance(high, Expr) and isinstance(least, Expr) and isinstance(most, Expr)):
        return False
    return (high - low).equals(most - least)


def _renamed(node: t.Node, letters: dict[str, str]) -> t.Node:
    return substitute_all(node, {letter: t.Name(index) for letter, index in letters.items()})
