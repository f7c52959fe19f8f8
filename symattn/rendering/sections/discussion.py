"""The discussion of the pattern of an attention map, in sentences that are each a judged claim or statement."""

from __future__ import annotations

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, decimal, magnitude
from symattn.graph.analysis.caveats import seen_by
from symattn.graph.analysis.pattern import Pattern, Query
from symattn.graph.builders.layer import Layer
from symattn.graph.key_judge.claims import Claim, weights_of
from symattn.graph.quantities.closed_forms import exponential_sum_tree, numeral
from symattn.graph.quantities.quantity import ZERO
from symattn.graph.quantities.scene import Entry, indexed
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail
from symattn.graph.statements.solution import Statements
from symattn.languages.catalogue import Span
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import term
from symattn.rendering.content import Claimed, Items, Line, Stated
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.conventions import rounding_words
from symattn.rendering.sections.diagram import weight
from symattn.rendering.sections.document import Block, Ledger
from symattn.rendering.sentences import tell

_MAX_QUERIES = 8
_MAX_KEYS = 10
_MAX_NAMED = 6
_MAX_MAGNITUDE = 1000
_WIDEST = 400.0
"""The width in points of a formula in a sentence, beyond which a line of a list may not hold it."""


def blocks(
    layer: Layer, pattern: Pattern, ledger: Ledger, detail: Detail = "full", tokens: tuple[int, ...] = ()
) -> list[Block]:
    """Discuss the largest weights and equal rows; but in brief hubs, own positions and the entropy of each row too."""
    return _Discussion(layer, pattern, ledger, tokens).blocks(detail)


class _Discussion:
    def __init__(self, layer: Layer, pattern: Pattern, ledger: Ledger, tokens: tuple[int, ...]) -> None:
        self.layer = layer
        self.scene = layer.scene
        self.pattern = pattern
        self.ledger = ledger
        self.tokens = tokens
        self.write = Statements(layer)
        self.keys = layer.problem.n_k
        self.in_decimals = layer.scene.quantities[layer.logits].style == "decimal"
        self.seen = seen_by(layer)
        self.words = layer.problem.words
        self.digits = rounding_words(self.words, self.scene.quantities["A"].display)

    def blocks(self, detail: Detail) -> list[Block]:
        paragraphs: list[list[Line]] = [self._query(query) for query in self._queries()]
        if self._without_weights():
            paragraphs.extend([text] for text in self._undefined())
        if len(self._queries()) < len(self.pattern.queries) and not self.tokens:
            paragraphs.append([self.words.say("pattern.left_out", first=self._queries()[-1].number + 1)])
        of_all = (self._alike,) if detail == "brief" else (self._own, self._alike, self._hub, self._spread)
        paragraphs.extend(filter(None, (said() for said in of_all)))
        return [Block("lines", (Items(tuple(map(tuple, paragraphs))),))]

    def _queries(self) -> list[Query]:
        chosen = [query for query in self.pattern.queries if not self.tokens or query.number in self.tokens]
        return chosen if len(chosen) <= _MAX_QUERIES else chosen[: _MAX_QUERIES - 2]

    def _without_weights(self) -> list[int]:
        """Return the discussed outputs without weights, whose queries have all keys masked."""
        known = {query.number for query in self.pattern.queries}
        numbers = self.tokens or range(1, self.layer.problem.n_q + 1)
        return [number for number in numbers if number not in known]

    def _undefined(self) -> list[Line]:
        """Return a sentence about the outputs that see nothing, and one about those with undefined scores."""
        weights = weights_of(self.layer.scene, self.layer.logits)
        numbers = self._without_weights()
        groups = {
            "pattern.blind": [number for number in numbers if number in weights.blind],
            "pattern.undefined": [number for number in numbers if number not in weights.blind],
        }
        return [
            self.words.say(kind, count=len(found), outputs=self._few(found)) for kind, found in groups.items() if found
        ]

    def _few(self, numbers: list[int]) -> list[int | str]:
        return [*numbers] if len(numbers) <= _MAX_QUERIES else [*numbers[:_MAX_NAMED], self.words.say("pattern.others")]

    # One output ------------------------------------------------------------------------------------

    def _query(self, query: Query) -> list[Line]:
        if len(self.seen[query.number - 1]) < self.keys and not query.second:
            return self._of_seen(query)
        if not query.second:
            return self._said("pattern.single" if self.keys == 1 else "pattern.uniform", "uniform", query.number)
        if not query.nonzero:
            return [*self._said("pattern.none", "only", query.number), *self._first_two(query)]
        if len(query.nonzero) == 1:
            return self._alone(query)
        if len(query.nonzero) == self.keys:
            return [*self._said("pattern.every", "every", query.number), *self._first_two(query)]
        is_all_seen = query.nonzero == self.seen[query.number - 1]
        if len(query.nonzero) > _MAX_NAMED:
            count, sentence = len(query.nonzero), "pattern.spread_seen" if is_all_seen else "pattern.spread"
            return [*self._said(sentence, "spread", query.number, count, inputs=count), *self._first_two(query)]
        sentence, kind = ("pattern.hidden", "seen") if is_all_seen else ("pattern.only", "only")
        said = self._said(sentence, kind, query.number, *query.nonzero, inputs=query.nonzero)
        return [*said, *self._first_two(query)]

    def _of_seen(self, query: Query) -> list[Line]:
        """Return an output that sees one input alone, or only inputs of the same score, or none at all."""
        keys = self.seen[query.number - 1]
        if not keys:
            kind = "pattern.sees_none_uniform" if self.layer.problem.fully_masked == "uniform" else "pattern.sees_none"
            return self._said(kind, "seen", query.number)
        if len(keys) == 1:
            return self._said("pattern.sees_one", "seen", query.number, *keys, input=keys[0])
        return self._said("pattern.sees_alike", "alike", query.number, *keys, inputs=keys)

    def _alone(self, query: Query) -> list[Line]:
        if not query.second:
            return self._of_seen(query)
        (key,) = query.nonzero
        share = weight(self.layer, self.write, query.number, query.largest[0])
        lead = {"input": key, "lead": self.ledger.state(self._lead(query))}
        if share is None:
            lines = self._said("pattern.alone", "only", query.number, key, **lead)
        else:
            lines = self._said(
                "pattern.alone_weight", "only", query.number, key, **lead, weight=self.ledger.state(share)
            )
        return lines + self._tie_for_second(query)

    def _first_two(self, query: Query) -> list[Line]:
        """Return the largest weight, how it stands to the next, and ties among either."""
        if len(query.largest) > 1:
            lines: list[Line] = [self.words.say("pattern.largest_tied", inputs=query.largest)]
            lines.extend(self._equal(query, query.largest, ";"))
        else:
            lines = self._said("pattern.largest", "largest", query.number, *query.largest, input=query.largest[0])
        stated = {"lead": self.ledger.state(self._lead(query)), "ratio": self.ledger.state(self._ratio(query))}
        count = len(query.second)
        lines += self._said(
            "pattern.second", "second", query.number, *query.second, count=count, inputs=query.second, **stated
        )
        return lines + self._tie_for_second(query)

    def _tie_for_second(self, query: Query) -> list[Line]:
        if len(query.second) < 2:
            return []
        return [self.words.say("pattern.second_tied", inputs=query.second), *self._equal(query, query.second, ".")]

    def _equal(self, query: Query, keys: tuple[int, ...], close: str) -> list[Line]:
        """Return ``S_{21} - S_{22} = … = 0`` for each of the tied keys after the first."""
        lines: list[Line] = []
        first, *others = keys
        for other in others:
            self.ledger.claim(Claim("tie", (query.number, first, other), self.layer.head))
            logits = self.layer.logits
            difference = self._difference(self._entry(logits, query, first), self._entry(logits, query, other))
            end = close if other == others[-1] else ","
            lines.append(Stated(self.ledger.state(difference), end))
            lines.append(Claimed("", Claim("tie", (query.number, first, other), self.layer.head)))
        return lines

    def _entry(self, name: str, query: Query, key: int) -> Entry:
        row, column = (query.number, key) if self.layer.axis == "rows" else (key, query.number)
        return Entry(name, row, column)

    def _lead(self, query: Query) -> Statement:
        logits = self.layer.logits
        return self._difference(
            self._entry(logits, query, query.largest[0]), self._entry(logits, query, query.second[0])
        )

    def _difference(self, first: Entry, second: Entry) -> Statement:
        """Return ``S_{13} - S_{11} = 8 - 3/2 = 13/2``, from exact scores."""
        names = [self.scene.reference(entry) for entry in (first, second)]
        subject = t.Sum((names[0], term(names[1])), ("-",))
        literals = [None if self.in_decimals else self.scene.literal(entry, "exact") for entry in (first, second)]
        sides: list[t.Node] = [subject]
        if literals[0] is not None and literals[1] is not None:
            first_literal = t.Group(literals[0]) if isinstance(literals[0], t.Sum) else literals[0]
            sides.append(t.Sum((first_literal, term(literals[1])), ("-",)))
        difference = self._exact(first) - self._exact(second)
        value = self.scene.written(difference)
        if len(sides) == 1 or width(value) < width(sides[-1]):  # else it says the same in another order
            sides.append(value)
        return self._fitting(self.write.chain(subject, sides, "exact"), difference)

    def _fitting(self, statement: Statement, value: Quotient) -> Statement:
        """Return the statement; the name and the decimal alone where scores are decimals, or no line holds it."""
        in_decimals = not value.is_closed or (self.in_decimals and value.rational() is None)
        if not in_decimals and (not value.has_constants or width(statement.written) <= _WIDEST):
            return statement
        rounding = statement.rounding or Rounding(figures=3)
        subject = statement.subject
        return self.write.chain(subject, [subject, numeral(decimal(value, rounding))], "exact", rounding)

    def _exact(self, entry: Entry) -> Quotient:
        return self.layer.exact(entry.name)[entry.row - 1, entry.column - 1]

    def _ratio(self, query: Query) -> Statement:
        """Return ``A_{31}/A_{32} = e^{1/2} ≈ 1.65``."""
        first, second = (self._entry("A", query, keys[0]) for keys in (query.largest, query.second))
        subject = t.Division(self.scene.reference(first), self.scene.reference(second), bar=False)
        logits = self.layer.logits
        gap = self._exact(self._entry(logits, query, query.largest[0])) - self._exact(
            self._entry(logits, query, query.second[0])
        )
        exponent, sides = gap.polynomial(), list[t.Node]([subject])
        if exponent is not None:
            sides.append(exponential_sum_tree(ExpSum.exp(exponent), decimals=self.scene.decimals))
        rounding = Rounding(figures=3)
        ratio = self._exact(first) / self._exact(second)
        if exponent is not None and magnitude(ratio) > _MAX_MAGNITUDE:
            return self.write.chain(subject, sides, "exact")
        sides.append(numeral(decimal(ratio, rounding)))
        return self._fitting(self.write.chain(subject, sides, "exact", rounding), ratio)

    # All outputs -----------------------------------------------------------------------------------

    def _own(self) -> list[Line]:
        """Discuss the weight of each output at its own position, in self-attention."""
        numbers = [query.number for query in self.pattern.queries]
        count = len(numbers)
        if self.tokens or count <= 1 or self.layer.problem.kind != "self" or self.layer.problem.cached:
            return []
        lines: list[Line] = []
        if self.pattern.no_own:
            lines.extend(self._said("pattern.no_own", "no-own"))
        elif self.pattern.own_largest:
            lines.extend(self._said("pattern.own_largest", "own-largest"))
        shares = [weight(self.layer, self.write, number, number) for number in numbers]
        if count > _MAX_QUERIES or any(share is None for share in shares):
            return lines
        stated = [self.ledger.state(share) for share in shares if share is not None]
        return [*lines, *tell(self.words, "pattern.own_weights", weights=stated)]

    def _alike(self) -> list[Line]:
        lines: list[Line] = []
        if self.tokens:
            return lines
        alike = self.pattern.alike[:_MAX_QUERIES]
        exact = [(first, second) for first, second, is_exact in alike if is_exact]
        lines.extend(self._exactly_alike(exact) if exact else [])
        for first, second in ((first, second) for first, second, is_exact in alike if not is_exact):
            lines.extend(self._said("pattern.coincide", "coincide", first, second, second=second))
        return lines

    def _exactly_alike(self, pairs: list[tuple[int, int]]) -> list[Line]:
        """Return ``The weights of outputs 1 and 2 … are exactly the same.``, with a claim for each pair."""
        spans = []
        comma = self.words.say("list.separator").strip() if len(pairs) > 2 else ""
        for first, second in pairs:
            text = self.words.say("pattern.pair", first=first, second=second)
            claim = self.ledger.claim(Claim("same-line", (first, second), self.layer.head))
            spans.append(Span(text if (first, second) == pairs[-1] else text + comma, claim))
        *others, last = spans
        if not others:
            return tell(self.words, "pattern.same_line", pair=last)
        return tell(self.words, "pattern.same_lines", pairs=others, pair=last)

    def _hub(self) -> list[Line]:
        """Return the total weight that each input gets, and which gets the most."""
        count = self.keys
        if not self.pattern.totals or "totals" not in self.scene.quantities:
            return []
        if self.tokens or count == 1 or count > _MAX_KEYS or len(self.pattern.queries) == 1:
            return []
        line, key = ("i", "j") if self.layer.axis == "rows" else ("j", "i")
        totals, entry = self.scene.quantities["totals"], self._running_weight()
        sum_of = f"${math(indexed(totals.entry_symbol, (t.Name(key),)))} = \\sum_{line} {entry}$"
        values = self._digits("totals", list(enumerate(self.pattern.totals, 1)))
        lines = tell(self.words, "pattern.totals", definition=sum_of, values=values)
        if self.pattern.hub is not None:
            lines.extend(self._said("pattern.hub", "hub", self.pattern.hub))
        return lines

    def _running_weight(self) -> str:
        pair = t.Product((t.Name("i"), t.Name("j")), ("",))
        return math(indexed(self.scene.quantities["A"].entry_symbol, (pair,)))

    def _digits(self, name: str, items: list[tuple[int, tuple[str, str]]]) -> list[Statement | str]:
        """Return certified digits, one value after another; what did not settle is given as an enclosure."""
        found: list[Statement | str] = []
        for number, (low, high) in items:
            reference = self.scene.reference(Entry(name, number, 1))
            if low != high:
                found.append(self.words.say("pattern.not_settled", entry=math(reference), low=low, high=high))
                continue
            digits = self.scene.quantities[name].digits[number - 1]
            relation = t.Relation((reference, numeral(digits)), ("=" if digits == ZERO else "≈",))
            statement = Statement(reference, relation, "end")
            found.append(self.ledger.state(statement))
        return found

    def _spread(self) -> list[Line]:
        """Return the entropy of each row, from nothing (one input alone) to ln n (all alike)."""
        if self.keys == 1 or "entropy" not in self.scene.quantities:
            return []
        entropies = self.scene.quantities["entropy"]
        line, key = ("i", "j") if self.layer.axis == "rows" else ("j", "i")
        symbol, entry = math(indexed(entropies.entry_symbol, (t.Name(line),))), self._running_weight()
        definition = f"${symbol} = -\\sum_{key} {entry} \\ln {entry}$"
        values = self._digits("entropy", [(query.number, query.entropy) for query in self._queries()])
        lines = self._said("pattern.entropy", "inputs", self.keys, definition=definition, values=values)
        if self.scene.quantities["A"].display.places is None:
            lines.append(self.words.say("pattern.in_decimals", digits=rounding_words(self.words, entropies.display)))
        return lines

    # Pieces ----------------------------------------------------------------------------------------

    def _said(self, sentence: str, kind: str, *numbers: int, **values: object) -> list[Line]:
        """Return a sentence with a claim; the first number of the claim is that of an output, of inputs or an input."""
        claim = self.ledger.claim(Claim(kind, numbers, self.layer.head))
        named = {"claim": claim, "number": numbers[0] if numbers else "", "digits": self.digits}
        return tell(self.words, sentence, **named, **values)
