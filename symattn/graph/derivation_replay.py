"""TRUSTED. Steps as plain data, and the replay that recomputes every one of them from the record alone.

A value in a record is plain text: rows of closed forms such as ``exp(3/2)/(exp(3/2) + 1)``, ``-`` where
undefined, ``-inf`` for minus infinity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symattn.errors import InputError, NotationError
from symattn.exact.evaluation import evaluate
from symattn.exact.field.closed_form_length import MAX_TERMS, length
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.interop import generators
from symattn.exact.reals import elementary
from symattn.graph.quantities import quantity, symbol_powers
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.rules import RULES
from symattn.notation.parser import plain
from symattn.notation.tree import nodes as t
from symattn.notation.tree.limits import MAX_LENGTH
from symattn.notation.writers.plain import symbol_key
from symattn.records import dataclass

UNDEFINED = "-"
_CERTIFIED = "certified "
"""How the text of a number without a closed form begins."""
_NOT_FREE = frozenset({"e", "pi", t.INFINITY.text, t.UNDEFINED.text})
_LONG_ROOT = r"sqrt\([0-9]{19,}\)"
"""A product of roots beyond what is searched for squares when it is read: such a number is known again by a digest."""
_SHORT = 200
"""Characters up to which every closed form is one to its reader too."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it makes, by which rule, from what, and what came out.

    Attributes:
        id: the name of what it makes; a carried (step-rounded) value ends in ``~``.
        rule: the name of a rule of the table, or ``given``.
        arguments: arguments of the rule, as pairs of words.
        premises: the ids of the steps that it rests on, in the rule's order.
        before: the expression that was worked out, in plain syntax.
        after: rows of values in plain syntax.
    """

    id: str
    rule: str
    arguments: tuple[tuple[str, str], ...]
    premises: tuple[str, ...]
    before: str
    after: tuple[tuple[str, ...], ...]

    def as_json(self) -> dict[str, object]:
        """Return the record as JSON holds it."""
        return {
            "id": self.id,
            "rule": self.rule,
            "arguments": [list(pair) for pair in self.arguments],
            "premises": list(self.premises),
            "before": self.before,
            "after": [list(row) for row in self.after],
        }


@dataclass(frozen=True, slots=True)
class Replayed:
    """Result of replaying one step."""

    id: str
    proved: bool
    reason: str


def before_text(name: str, rule: str, premises: tuple[str, ...]) -> str:
    """Return the expression that a step evaluates, in plain syntax.

    >>> before_text("S", "product", ("Q", "K")), before_text("X", "given", ())
    ('product(Q, K)', 'X')
    """
    return name if rule == GIVEN else f"{rule}({', '.join(premises)})"


def grid_text(values: quantity.Grid) -> tuple[tuple[str, ...], ...]:
    """Return a grid of values in plain syntax.

    >>> grid_text(((Quotient.of("1/2"), None),))
    (('1/2', '-'),)
    """
    return tuple(tuple(UNDEFINED if value is None else _text(value) for value in row) for row in values)


def _text(value: Quotient) -> str:
    if value.is_closed:
        text = str(value)
        is_read = value.symbols or not _may_be_long(value, text) or _is_read_back(value, text)
        if is_read and ("sqrt(" not in text or not re.search(_LONG_ROOT, text)):
            return text
    return elementary.text_of_step(value)


def _may_be_long(value: Quotient, text: str) -> bool:
    return len(text) > _SHORT and (value.has_constants or length(value) > MAX_TERMS or len(text) > MAX_LENGTH)


def _is_read_back(value: Quotient, text: str) -> bool:
    """Return whether reading a closed form gives it again: of long sums and exponents it gives enclosures."""
    try:
        return _same(value, _read_value(text))
    except (InputError, NotationError):
        return False


def replay(steps: tuple[Step, ...], values: dict[str, quantity.Grid] | None = None) -> tuple[Replayed, ...]:
    """Recompute every step from the values that the record gives for its premises, and put them all into `values`.

    Nothing but the record is used, and nothing in it is believed: a step is proved when the rule makes
    of its recorded premises exactly what it records.
    """
    known = {} if values is None else values
    found: list[Replayed] = []
    for step in steps:
        reason = _refusal(step, known)
        found.append(Replayed(step.id, not reason, reason))
    return tuple(found)


def _refusal(step: Step, known: dict[str, quantity.Grid]) -> str:
    """Return the reason why a step does not hold, or empty text; its result is known from then on."""
    if step.id in known:
        return f"{step.id} was made before"
    try:
        after = _read(step.after)
    except (InputError, NotationError) as error:
        return f"what {step.id} made cannot be read: {error}"
    missing = [name for name in step.premises if name not in known]
    if missing:
        return f"{step.id} rests on {missing[0]}, which no step before it makes"
    known[step.id] = after
    is_enclosed = any(text.startswith(_CERTIFIED) for row in step.after for text in row)
    if is_enclosed and step.rule == GIVEN:
        return f"{step.id} is given, and a number without a closed form is not"
    if step.before != before_text(step.id, step.rule, step.premises):
        return f"{step.before} is not what {step.id} was made of"
    if step.rule == GIVEN:
        return f"{step.id} is given and rests on nothing" if step.premises or step.arguments else ""
    rule = RULES.get(step.rule)
    if rule is None:
        return f"there is no rule {step.rule}"
    misfit = rule.misfit(len(step.premises), step.arguments)
    if misfit:
        return misfit
    return _recomputed(step, known, after, is_enclosed=is_enclosed)


def count_equal(step: Step, stated: Sequence[Sequence[str | None]]) -> int | None:
    """Count the entries of a step that equal the closed forms stated for them; None where one does not.

    A null states that an entry has no value or no closed form. An entry that the step knows by a digest alone, whatever
    is stated for it, is not counted.

    Raises:
        InputError, NotationError: a stated form cannot be read.

    >>> step = Step("S", "given", (), (), "S", (("1/2", "-"),))
    >>> count_equal(step, [["2/4", None]]), count_equal(step, [["1/3", None]]), count_equal(step, [[None, None]])
    (2, None, None)
    """
    if [len(row) for row in stated] != [len(row) for row in step.after]:
        return None
    pairs = [pair for rows in zip(step.after, stated, strict=True) for pair in zip(*rows, strict=True)]
    known = [(text, form) for text, form in pairs if not text.startswith(_CERTIFIED)]
    for text, form in known:
        if (form is None) != (text == UNDEFINED) or (form is not None and _read_value(form) != _read_value(text)):
            return None
    return len(known)


def _recomputed(step: Step, known: dict[str, quantity.Grid], after: quantity.Grid, *, is_enclosed: bool) -> str:
    """Return why the rule of a step does not make what the step records, or empty text.

    Of numbers without a closed form a record says no more than who they are, so what the rule makes is carried on.
    """
    try:
        again = RULES[step.rule].apply(tuple(known[name] for name in step.premises), dict(step.arguments))
    except (InputError, KeyError, IndexError, ValueError) as error:
        return f"the rule {step.rule} does not apply in {step.id}: {error}"
    if is_enclosed:
        known[step.id] = again
    same_size = [len(row) for row in again] == [len(row) for row in step.after]
    rows = zip(again, after, grid_text(again) if is_enclosed else step.after, step.after, strict=False)
    if same_size and all(
        mine == text if text.startswith(_CERTIFIED) else _same(value, read)
        for values, reads, mines, texts in rows
        for value, read, mine, text in zip(values, reads, mines, texts, strict=True)
    ):
        return ""
    return f"{step.rule} makes something else of the premises of {step.id}"


def _same(left: Quotient | None, right: Quotient | None) -> bool:
    if left is None or right is None:
        return left is right
    if left == right or not (left.symbols and right.symbols):
        return left == right
    first, second = generators.with_shared_generators(left, right)
    return first == second


def _read(rows: tuple[tuple[str, ...], ...]) -> quantity.Grid:
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise InputError("the rows are empty or of different lengths.")
    return tuple(
        tuple(None if text == UNDEFINED or text.startswith(_CERTIFIED) else _read_value(text) for text in row)
        for row in rows
    )


def _read_value(text: str) -> Quotient:
    node = plain.read_plain(text)
    if "/" in text or "sqrt" in text:
        node = symbol_powers.with_power_names(node, _is_free)
    value = evaluate(node, _symbol)
    if not isinstance(value, Quotient):
        raise InputError(f"{text} is not a number.")
    return value


def _symbol(node: t.Node, _: Mapping[str, int]) -> Quotient | None:
    """Return the value of a symbol; in a record every name but e and infinity is one."""
    is_name = isinstance(node, t.Name | t.Subscript) and node not in {t.Name("e"), t.INFINITY, t.UNDEFINED}
    return Quotient.of(Polynomial.symbol(symbol_key(node))) if is_name else None


def _is_free(name: str) -> bool:
    """Return whether a root or an inverse is one of a symbol; of constants, pi alone is written as a name."""
    return symbol_and_power(name)[0] not in _NOT_FREE
