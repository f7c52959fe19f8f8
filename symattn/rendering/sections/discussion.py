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
from symattn.graph.quantities.scene import Entry, indexed
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.solution import Statements
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import term
from symattn.rendering.content import Claimed, Items, Line, Stated
from symattn.rendering.latex.typesetting import listed, math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.conventions import rounding_words
from symattn.rendering.sections.diagram import weight
from symattn.rendering.sections.document import Block, Ledger

_MAX_QUERIES = 8
_MAX_KEYS = 10
_MAX_NAMED = 6
_MAX_MAGNITUDE = 1000
_WIDEST = 400.0
"""The width in points of a formula in a sentence, beyond which a line of a list may not hold it."""


def blocks(layer: Layer, pattern: Pattern, ledger: Ledger, tokens: tuple[int, ...] = ()) -> list[Block]:
    """Discuss the largest weights and their reasons, hubs, own positions, equal rows, and the entropy of each row."""
    return _Discussion(layer, pattern, ledger, tokens).blocks()


class _Discussion:
    def __init__(self, layer: Layer, pattern: Pattern, ledger: Ledger, tokens: tuple[int, ...]) -> None:
        self.layer = layer
        self.scene = layer.scene
        self.pattern = pattern
        self.ledger = ledger
        self.tokens = tokens
        self.write = Statements(layer)
        self.keys = layer.problem.n_k
        self.seen = seen_by(layer)
        self.digits = f"To {rounding_words(self.scene.quantities['A'].display)}"

    def blocks(self) -> list[Block]:
        paragraphs: list[list[Line]] = [self._query(query) for query in self._queries()]
        if self._without_weights():
            paragraphs.extend([text] for text in self._undefined())
        if len(self._queries()) < len(self.pattern.queries) and not self.tokens:
            paragraphs.append([f"The other outputs, {self._queries()[-1].number + 1} and on, are left out here."])
        paragraphs.extend(made for made in (self._own(), self._alike(), self._hub(), self._spread()) if made)
        return [Block("lines", (Items(tuple(map(tuple, paragraphs))),))]

    def _queries(self) -> list[Query]:
        chosen = [query for query in self.pattern.queries if not self.tokens or query.number in self.tokens]
        return chosen if len(chosen) <= _MAX_QUERIES else chosen[: _MAX_QUERIES - 2]

    def _without_weights(self) -> list[str]:
        """Return the discussed outputs without weights, whose queries have all keys masked."""
        known = {query.number for query in self.pattern.queries}
        numbers = self.tokens or range(1, self.layer.problem.n_q + 1)
        return [str(number) for number in numbers if number not in known]

    def _undefined(self) -> list[str]:
        """Return a sentence about the outputs that see nothing, and one about those with undefined scores."""
        weights = weights_of(self.layer.scene, self.layer.logits)
        numbers = self._without_weights()
        blind = [number for number in numbers if int(number) in weights.blind]
        vague = [number for number in numbers if int(number) not in weights.blind]
        said = []
        if blind:
            who, verb = _outputs(blind)
            said.append(
                f"{who} {'sees' if verb == 'has' else 'see'} no input and {verb} no weights: they are undefined."
            )
        if vague:
            who, verb = _outputs(vague)
            its = "its" if verb == "has" else "their"
            said.append(f"{who} {verb} no weights: scores among {its} own have no value.")
        return said

    # One output ------------------------------------------------------------------------------------

    def _query(self, query: Query) -> list[Line]:
        if len(self.seen[query.number - 1]) < self.keys and not query.second:
            return self._of_seen(query)
        if self.keys == 1:
            return self._said(f"Output {query.number} has a single input to attend to.", "uniform", query.number)
        if not query.second:
            return self._said(
                f"Output {query.number} gives every input the same weight: all its scores are equal.",
                "uniform",
                query.number,
            )
        if not query.nonzero:
            text = f"{self.digits} every weight of output {query.number} rounds to zero,"
            return [*self._said(text, "only", query.number), *self._first_two(query)]
        if len(query.nonzero) == 1:
            return self._alone(query)
        if len(query.nonzero) == self.keys:
            return [
                *self._said(f"Output {query.number} attends to every input,", "every", query.number),
                *self._first_two(query),
            ]
        if len(query.nonzero) > _MAX_NAMED:
            text = f"{self.digits} output {query.number} attends to {len(query.nonzero)} of the inputs,"
            return [*self._said(text, "spread", query.number, len(query.nonzero)), *self._first_two(query)]
        keys = listed([str(key) for key in query.nonzero])
        text = f"{self.digits} output {query.number} attends to inputs {keys} only,"
        return [*self._said(text, "only", query.number, *query.nonzero), *self._first_two(query)]

    def _of_seen(self, query: Query) -> list[Line]:
        """Return an output that sees one input alone, or only inputs of the same score, or none at all."""
        keys = self.seen[query.number - 1]
        if not keys:
            what = "every weight alike" if self.layer.problem.fully_masked == "uniform" else "no weight at all"
            return self._said(
                f"Output {query.number} sees no input, and has {what}, by definition.", "seen", query.number
            )
        if len(keys) == 1:
            return self._said(f"Output {query.number} sees input {keys[0]} alone.", "seen", query.number, *keys)
        text = f"Output {query.number} gives inputs {listed(list(map(str, keys)))}, the only ones that it sees,"
        return [*self._said(text, "alike", query.number, *keys), "the same weight: their scores are equal."]

    def _alone(self, query: Query) -> list[Line]:
        text = f"{self.digits} output {query.number} attends to input {query.nonzero[0]} alone:"
        lines = self._said(text, "only", query.number, query.nonzero[0])
        if not query.second:
            return self._of_seen(query)
        lines.append("its score leads the next by")
        share = weight(self.layer, self.write, query.number, query.largest[0])
        if share is None:
            return lines + self._inline(self._lead(query), ".") + self._tie_for_second(query)
        lines.extend(self._inline(self._lead(query), ", and its weight is"))
        lines.extend(self._inline(share, "."))
        return lines + self._tie_for_second(query)

    def _first_two(self, query: Query) -> list[Line]:
        """Return the largest weight, how it stands to the next, and ties among either."""
        if len(query.largest) > 1:
            keys = listed([str(key) for key in query.largest])
            lines: list[Line] = [f"most to inputs {keys}, whose scores are exactly equal:"]
            lines.extend(self._equal(query, query.largest, ";"))
        else:
            lines = self._said(f"most to input {query.largest[0]};", "largest", query.number, query.largest[0])
        second = self._said(f"next comes {_inputs(query.second)}:", "second", query.number, *query.second)
        lines.extend(second)
        lines.append("the scores differ by")
        lines.extend(self._inline(self._lead(query), ", so the ratio of the weights is"))
        lines.extend(self._inline(self._ratio(query), "."))
        return lines + self._tie_for_second(query)

    def _tie_for_second(self, query: Query) -> list[Line]:
        if len(query.second) < 2:
            return []
        lines: list[Line] = [f"Inputs {listed([str(key) for key in query.second])} tie exactly for second place:"]
        return lines + self._equal(query, query.second, ".")

    def _equal(self, query: Query, keys: tuple[int, ...], close: str) -> list[Line]:
        """Return ``S_{21} - S_{22} = … = 0`` for each of the tied keys after the first."""
        lines: list[Line] = []
        first, *others = keys
        for other in others:
            self.ledger.claim(Claim("tie", (query.number, first, other), self.layer.head))
            logits = self.layer.logits
            difference = self._difference(self._entry(logits, query, first), self._entry(logits, query, other))
            end = close if other == others[-1] else ","
            lines.extend(self._inline(difference, end))
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
        literals = [self.scene.literal(entry, "exact") for entry in (first, second)]
        sides: list[t.Node] = [subject]
        if literals[0] is not None and literals[1] is not None:
            first_literal = t.Group(literals[0]) if isinstance(literals[0], t.Sum) else literals[0]
            sides.append(t.Sum((first_literal, term(literals[1])), ("-",)))
        difference = self._exact(first) - self._exact(second)
        sides.append(self.scene.written(difference))
        return self._fitting(self.write.chain(subject, sides, "exact"), difference)

    def _fitting(self, statement: Statement, value: Quotient) -> Statement:
        """Return the statement; of values of tanh that no line holds, the name and the decimal alone."""
        if not value.has_constants or width(statement.written) <= _WIDEST:
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
        exponent = gap.polynomial()
        if exponent is None:
            raise ValueError("a gap of scores is a polynomial")
        closed = exponential_sum_tree(ExpSum.exp(exponent), decimals=self.scene.decimals)
        rounding = Rounding(figures=3)
        ratio = self._exact(first) / self._exact(second)
        if magnitude(ratio) > _MAX_MAGNITUDE:
            return self.write.chain(subject, [subject, closed], "exact")
        value = numeral(decimal(ratio, rounding))
        return self._fitting(self.write.chain(subject, [subject, closed, value], "exact", rounding), ratio)

    # All outputs -----------------------------------------------------------------------------------

    def _own(self) -> list[Line]:
        """Discuss the weight of each output at its own position, in self-attention."""
        numbers = [query.number for query in self.pattern.queries]
        count = len(numbers)
        if self.tokens or count <= 1 or self.layer.problem.kind != "self" or self.layer.problem.cached:
            return []
        lines: list[Line] = []
        if self.pattern.no_own:
            lines.extend(self._said(f"{self.digits} no output attends to the input of its own position.", "no-own"))
        elif self.pattern.own_largest:
            lines.extend(self._said("Each output attends most to the input of its own position.", "own-largest"))
        shares = [weight(self.layer, self.write, number, number) for number in numbers]
        if count > _MAX_QUERIES or any(share is None for share in shares):
            return lines
        lines.append("The weights at the own positions:")
        for number, share in enumerate(shares, 1):
            if share is not None:
                lines.extend(self._inline(share, "." if number == count else ","))
        return lines

    def _alike(self) -> list[Line]:
        lines: list[Line] = []
        if self.tokens:
            return lines
        alike = self.pattern.alike[:_MAX_QUERIES]
        lines.extend(self._exactly_alike([(first, second) for first, second, is_exact in alike if is_exact]))
        for first, second, is_exact in alike:
            text = f"{self.digits} the weights of outputs {first} and {second} are the same."
            lines.extend([] if is_exact else self._said(text, "coincide", first, second))
        return lines

    def _exactly_alike(self, pairs: list[tuple[int, int]]) -> list[Line]:
        """Return ``The weights of outputs 1 and 2 … are exactly the same.``, with a claim for each pair."""
        lines: list[Line] = []
        for position, (first, second) in enumerate(pairs, 1):
            begin = "The weights of" if position == 1 else "of" if position < len(pairs) else "and of"
            end = " are exactly the same." if position == len(pairs) else "," if len(pairs) > 2 else ""
            lines.extend(self._said(f"{begin} outputs {first} and {second}{end}", "same-line", first, second))
        return lines

    def _hub(self) -> list[Line]:
        """Return the total weight that each input gets, and which gets the most."""
        count = self.keys
        if not self.pattern.totals or "totals" not in self.scene.quantities:
            return []
        if self.tokens or count == 1 or count > _MAX_KEYS or len(self.pattern.queries) == 1:
            return []
        line, key = ("i", "j") if self.layer.axis == "rows" else ("j", "i")
        totals, entry = self.scene.quantities["totals"], self._running_weight()
        symbol = math(indexed(totals.entry_symbol, (t.Name(key),)))
        lines: list[Line] = [f"The total weight on each input, ${symbol} = \\sum_{line} {entry}$:"]
        lines.extend(self._digits("totals", list(enumerate(self.pattern.totals, 1))))
        if self.pattern.hub is not None:
            lines.extend(self._said(f"Input {self.pattern.hub} gets the most.", "hub", self.pattern.hub))
        return lines

    def _running_weight(self) -> str:
        pair = t.Product((t.Name("i"), t.Name("j")), ("",))
        return math(indexed(self.scene.quantities["A"].entry_symbol, (pair,)))

    def _digits(self, name: str, items: list[tuple[int, tuple[str, str]]]) -> list[Line]:
        """Return certified digits, one value after another; what did not settle is given as an enclosure."""
        lines: list[Line] = []
        for number, (low, high) in items:
            end = "." if number == items[-1][0] else ","
            reference = self.scene.reference(Entry(name, number, 1))
            if low != high:
                lines.append(f"${math(reference)}$ between {low} and {high} (not settled){end}")
                continue
            statement = Statement(reference, t.Relation((reference, numeral(low)), ("≈",)), "end")
            lines.extend(self._inline(statement, end))
        return lines

    def _spread(self) -> list[Line]:
        """Return the entropy of each row, from nothing (one input alone) to ln n (all alike)."""
        if self.keys == 1 or "entropy" not in self.scene.quantities:
            return []
        entropies = self.scene.quantities["entropy"]
        line, key = ("i", "j") if self.layer.axis == "rows" else ("j", "i")
        symbol, entry = math(indexed(entropies.entry_symbol, (t.Name(line),))), self._running_weight()
        lines: list[Line] = [
            f"How spread the weights are, by their entropy ${symbol} = -\\sum_{key} {entry} \\ln {entry}$"
        ]
        count = self.keys
        lines.append("(zero for one input alone,")
        lines.extend(self._said(f"$\\ln {count}$ for all alike):", "inputs", count))
        return lines + self._digits("entropy", [(query.number, query.entropy) for query in self._queries()])

    # Pieces ----------------------------------------------------------------------------------------

    def _said(self, text: str, kind: str, *numbers: int) -> list[Line]:
        return [Claimed(text, self.ledger.claim(Claim(kind, numbers, self.layer.head)))]

    def _inline(self, statement: Statement, after: str) -> list[Line]:
        return [Stated(self.ledger.state(statement), after)]


def _outputs(numbers: list[str]) -> tuple[str, str]:
    """Return outputs by their numbers, a few at most, and the verb that goes with them."""
    if len(numbers) == 1:
        return f"Output {numbers[0]}", "has"
    shown = numbers if len(numbers) <= _MAX_QUERIES else [*numbers[:_MAX_NAMED], "others"]
    return f"Outputs {listed(shown)}", "have"


def _inputs(keys: tuple[int, ...]) -> str:
    return f"input {keys[0]}" if len(keys) == 1 else f"inputs {listed([str(key) for key in keys])}"
