"""Links of a proof that follow from an earlier mistake of it: shown once what was wrongly found is put in.

A wrong equation is put in for its left side wherever that stands, also behind a valid step: where a formula of the
theorem's proof, of the work, or a usual rule writes a side out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.proofs.language.interpretation import Language, read_text
from symattn.proofs.language.values import Value
from symattn.proofs.submissions.attempts import attempt, otherwise
from symattn.proofs.submissions.evidence.numerals import numeral_of
from symattn.proofs.submissions.reading.domains import Domain
from symattn.proofs.submissions.reading.normalization import substitute_all
from symattn.proofs.submissions.verdicts.derivability import are_equal
from symattn.proofs.submissions.verdicts.findings import HOLDING, JudgedLink
from symattn.proofs.submissions.verdicts.link_verdicts import words_of
from symattn.proofs.submissions.verdicts.local_assumptions import LocalAssumptions
from symattn.proofs.submissions.verdicts.rewriting_steps import STEPS
from symattn.records import dataclass

_MOST_MISTAKES = 12
_MOST_EQUATIONS = 40
_MOST_FORMS = 24
_MOST_NODES = 200
_EQUALITIES = frozenset({"=", "≡", "≈"})
_STRENGTH = {"=": "", "≡": "", "≤": "up", "<": "up", "≥": "down", ">": "down"}


@dataclass(frozen=True, slots=True)
class FoundEquation:
    """An equation that the work found.

    Attributes:
        left: a side as the work writes it.
        right: what the work found it to be.
        domain: where it was meant to hold.
        place: where it stands, or where the mistake does that it comes from.
    """

    left: t.Node
    right: t.Node
    domain: Domain
    place: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Links before one in its chain.

    Attributes:
        heads: the sides that are equal to each other up to here, the first of the chain among them.
        operators: the relations since the first.
        mistake: where the chain went wrong; None where it did not.
        right: the side that the next link begins with, as far as that came from a wrong link.
    """

    heads: tuple[t.Node, ...] = ()
    operators: tuple[str, ...] = ()
    mistake: int | None = None
    right: t.Node | None = None


class ErrorPropagation:
    """Judge of links that follow from an earlier mistake."""

    def __init__(self, assumptions: LocalAssumptions) -> None:
        self.context = assumptions.context
        self.prover = assumptions.prover
        self.relations = assumptions.relations
        self.assumptions = assumptions
        self.mistakes: tuple[FoundEquation, ...] = ()
        self.equations: tuple[FoundEquation, ...] = ()
        self.chain = Chain()

    _reader: Language
    _values_read: dict[t.Node, Value | None]

    # Keeping what was found --------------------------------------------------------------------------

    def record(self, link: JudgedLink, left: t.Node, operator: str, right: t.Node, domain: Domain) -> JudgedLink:
        """Keep the finding of a link for later ones; a right link behind a wrong one follows from it."""
        if self.chain.right is not left:
            self.chain = Chain((left,))
        chain = self.chain
        if link.verdict in HOLDING and chain.mistake is not None and self._is_off(operator, right):
            link = self._follows(link, chain.mistake)
        is_equation = operator in _EQUALITIES
        place = link.span[0] if link.origin is None else link.origin
        if is_equation and link.verdict in {"wrong", "follows"}:
            lefts = dict.fromkeys((left, *reversed(chain.heads)))
            found = tuple(FoundEquation(one, right, domain, place) for one in lefts)
            self.mistakes = (*found, *self.mistakes)[:_MOST_MISTAKES]
        elif is_equation and link.verdict in HOLDING:
            self.equations = (FoundEquation(left, right, domain, link.span[0]), *self.equations)[:_MOST_EQUATIONS]
        mistake = chain.mistake
        if mistake is None and link.verdict in {"wrong", "follows"}:
            mistake = place
        heads = (*chain.heads, right) if is_equation and mistake is None and link.verdict in HOLDING else chain.heads
        self.chain = Chain(heads, (*chain.operators, operator), mistake, right)
        return link

    @otherwise(default=False)
    def _is_off(self, operator: str, right: t.Node) -> bool:
        """Return whether the first side of a chain and the last do not stand in the relation of the whole chain."""
        operators = {*self.chain.operators, operator}
        if operators <= {"=", "≡"}:
            return True  # the wrong link was refuted, and this one was shown
        ways = {_STRENGTH.get(one, "?") for one in operators} - {""}
        if len(ways) != 1 or ways == {"?"}:
            return False
        relation = next(one for one in operators if _STRENGTH[one])
        first, last = self.assumptions.bind_sides(self.chain.heads[0], right)
        return self.prover.refute(first, relation, last) is not None

    def _follows(self, link: JudgedLink, place: int) -> JudgedLink:
        """Return the link as right given a mistake at a place."""
        words = f"It follows from the mistake in line {self.context.work.position(place)[0]}."
        return JudgedLink(
            link.span, "follows", words, value=link.value, expected=link.expected, is_valid=False, origin=place
        )

    # Putting it in -----------------------------------------------------------------------------------

    def explain(self, link: JudgedLink, domain: Domain, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        """Return a wrong link as one that follows from an earlier mistake; the link itself where none explains it."""
        nodes = sum(1 for side in (left, right) for _ in walk(side))
        if link.verdict != "wrong" or not self.mistakes or nodes > _MOST_NODES:
            return link
        first, second = self.assumptions.bind_sides(left, right)
        self._reader, self._values_read = self.prover.language(self.context.stated_ids), {}
        forms = tuple(self._forms(first, domain))
        for mistake in self.mistakes:
            if not mistake.domain.is_everywhere and mistake.domain != domain:
                continue
            sides = attempt(self._bound_sides, mistake)
            if sides is None:
                continue
            if self._is_repeated((first, second), sides) or any(
                self._holds_with(link, form, operator, second, sides) for form in forms
            ):
                return self._follows(link, mistake.place)
        return link

    def _bound_sides(self, equation: FoundEquation) -> tuple[t.Node, t.Node]:
        return self.context.names.bound(equation.left), self.context.names.bound(equation.right)

    def _is_repeated(self, sides: tuple[t.Node, t.Node], mistake: tuple[t.Node, t.Node]) -> bool:
        """Return whether matrices or vectors are an earlier mistake about their entries, or the other way round."""
        for wholes, entries in ((sides, mistake), (mistake, sides)):
            letters = list(dict.fromkeys(index for side in entries for index in self._indices_at(side)))
            rank = self._rank(wholes[0])
            if not letters or len(letters) != rank or self._rank(entries[0]):
                continue
            at = [t.Subscript(t.Group(side), tuple(letters)) for side in wholes]
            if all(self._same(one, other) for one, other in zip(at, entries, strict=True)):
                return True
        return False

    def _rank(self, node: t.Node) -> int:
        """Return the number of indices of an entry of an expression."""
        found = self._value_read(node)
        return 0 if found is None or isinstance(found, Expr) else len(found.sizes)

    def _value_read(self, node: t.Node) -> Value | None:
        """Return the value of an expression, which is asked for often; None where it has none."""
        if node not in self._values_read:
            self._values_read[node] = attempt(self._reader.value, node)
        return self._values_read[node]

    @otherwise(default=False)
    def _same(self, left: t.Node, right: t.Node) -> bool:
        """Return whether two expressions have one value under everything that may be assumed."""
        first, second = self._value_read(left), self._value_read(right)
        return first is not None and second is not None and are_equal(first, second)

    def _holds_with(
        self, link: JudgedLink, form: t.Node, operator: str, second: t.Node, mistake: tuple[t.Node, t.Node]
    ) -> bool:
        """Return whether a relation holds with a mistake put in on its left side, or on both."""
        put = self._put_in(form, *mistake)
        other = self._put_in(second, *mistake)
        if put != form and operator in _EQUALITIES and self._is_written_out(form, put, second):
            return True
        pairs = [(one, two) for one in (put, form) for two in (second, other) if (one, two) != (form, second)]
        for one, two in dict.fromkeys(pairs):
            number = numeral_of(two)
            try:
                if number is not None and (operator == "≈" or number.places):
                    found = self.relations.judge_number(
                        link.span, one, operator, number, is_negative=isinstance(two, t.Negative)
                    )
                    if found is not None and found.verdict in HOLDING:
                        return True
                elif self.prover.shows(one, "=" if operator == "≡" else operator, two, self.context.ids):
                    return True
            except InputError:
                continue
        return False

    def _is_written_out(self, form: t.Node, put: t.Node, second: t.Node) -> bool:
        """Return whether a step valid for a form leads from it, with the mistake put in, to the second side as written.

        A sum that reaches beyond the last entry has no value, so nothing is shown of it.
        """
        wanted = _without_groups(second)
        return any(
            _without_groups(step(_without_groups(put))) == wanted
            and step(form) != form
            and self._same(form, step(form))
            for step in STEPS
        )

    def _put_in(self, node: t.Node, old: t.Node, new: t.Node) -> t.Node:
        """Return a tree with one expression put in for another, wherever that stands, with any names of indices."""
        indices = self._indices_for(node, old)
        if indices is not None:
            return t.Group(substitute_all(new, indices))
        match node:
            case t.Product(factors, operators):
                for start, end in _parts(len(factors)):
                    part = t.Product(factors[start:end], operators[start : end - 1])
                    if self._indices_for(part, old) is not None:
                        rest = (*factors[:start], self._put_in(part, old, new), *factors[end:])
                        return t.Product(rest, (*operators[:start], *operators[end - 1 :]))
            case _:
                pass
        return rebuilt(node, lambda child: self._put_in(child, old, new))

    def _indices_for(self, node: t.Node, wanted: t.Node) -> Mapping[str, t.Node] | None:
        """Return the indices with which one expression is another; None where it is not that."""
        node, wanted = bare(node), bare(wanted)
        if node == wanted:
            return {}
        names = self._names_in(wanted)
        if not names or self._names_in(node) != names:
            return None
        theirs, mine = list(self._indices_at(wanted)), list(self._indices_at(node))
        if len(theirs) != len(mine):
            theirs, mine = list(dict.fromkeys(theirs)), list(dict.fromkeys(mine))
        indices: dict[str, t.Node] = {}
        for letter, index in zip(theirs, mine, strict=False):
            if not isinstance(letter, t.Name):
                if letter != index:
                    return None
            elif indices.setdefault(letter.text, index) != index:
                return None
        return indices if self._same(substitute_all(wanted, indices), node) else None

    def _names_in(self, node: t.Node) -> frozenset[str]:
        """Return the names of an expression but lengths and indices, which say little of what it is about."""
        return words_of(node) - self.context.scope.lengths - self.context.indices

    def _indices_at(self, node: t.Node) -> Iterator[t.Node]:
        """Yield the free letters and numbers in the places of indices, in their order."""
        bound = {item.index.text for item in walk(node) if isinstance(item, t.SumOver)}
        for item in walk(node):
            if isinstance(item, t.Subscript):
                for index in item.indices:
                    yield from (
                        part
                        for part in walk(index)
                        if isinstance(part, t.Number)
                        or (isinstance(part, t.Name) and part.text in self.context.indices and part.text not in bound)
                    )

    # What a side is otherwise ------------------------------------------------------------------------

    def _forms(self, side: t.Node, domain: Domain) -> Iterator[t.Node]:
        """Yield a side, and what it is equal to by one or two valid steps."""
        seen = {side: None}
        waiting = [side]
        yield side
        while waiting and len(seen) < _MOST_FORMS:
            here = waiting.pop(0)
            for form in self._steps_from(here, domain):
                if form in seen:
                    continue
                seen[form] = None
                yield form
                waiting.append(form)
                if len(seen) >= _MOST_FORMS:
                    return

    def _steps_from(self, side: t.Node, domain: Domain) -> Iterator[t.Node]:
        for step in STEPS:
            changed = step(side)
            if changed != side and self._same(side, changed):
                yield changed
        for one, other in self._known(domain):
            if self._names_in(one) == self._names_in(side) and one != side and self._same(one, side):
                yield one
                yield other
            elif one == side:
                yield other

    def _known(self, domain: Domain) -> Iterable[tuple[t.Node, t.Node]]:
        """Return the equations of the work and of the proof, each step with the side that begins its claim."""
        claims = [item for item in self.context.proof.claims if item.relation == "="]
        steps = {item.id: item for item in self.context.proof.steps}
        for claim in claims:
            here = [steps[name] for name in claim.steps if name in steps and steps[name].relation == "="]
            try:
                for step in here:
                    yield read_text(claim.left, self.context.scope), read_text(step.after, self.context.scope)
            except InputError:
                continue
        for equation in self.equations:
            sides = attempt(self._bound_sides, equation)
            if sides is not None and (equation.domain.is_everywhere or equation.domain == domain):
                yield sides


def _without_groups(node: t.Node) -> t.Node:
    """Return an expression without brackets, as far as they stand around no sum or product that they keep together."""
    match node:
        case t.Group(body) if not isinstance(body, t.Sum | t.Product | t.Division | t.Negative):
            return _without_groups(body)
        case t.Call(function, arguments):
            return t.Call(function, tuple(_without_groups(bare(item)) for item in arguments))
        case _:
            return rebuilt(node, _without_groups)


def _parts(length: int) -> Iterator[tuple[int, int]]:
    """Yield starts and ends of the proper parts of a product, the longest first."""
    for size in range(length - 1, 1, -1):
        for start in range(length - size + 1):
            yield start, start + size
