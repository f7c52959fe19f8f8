"""Chains of steps on paper: each step with its reason, in the room beside the formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import ceil

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.records import dataclass
from symattn.rendering.content import Level
from symattn.rendering.latex.typesetting import escape, fitted, listed, write_sign
from symattn.rendering.latex.widths import RELATION
from symattn.rendering.proofs.formulas import (
    displayed,
    pieces,
    room_of,
    side,
    words,
    written,
)

MARGIN = 18.0
GAP = 18.0
HANG = 20.0
_LETTER = 4.55
_ITALIC = 4.4
_SMALL = 0.85
_COLON = 9.0
_RAGGED = 1.15
_LEAST_REASON = 150.0
_WIDEST_REASON = 330.0
_WIDE_HEAD = 0.42
_ROUTINE = frozenset({"definition", "algebra", "sum of equal terms", "linearity of expectation"})
MARK = "% symattn-proof:"
"""What begins the comment behind a line of a proof."""
_LEMMA = "lemma:"
_SIGN = "evident sign"
_GROWING = re.compile(r"\\(?:left|right)(?![A-Za-z])\s?")
"""What makes brackets grow; between such brackets a remark cannot break its lines."""
EQUIVALENT = "⇔"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a proof: what it is about, and its display."""

    title: str
    remark: str
    lines: tuple[str, ...]


def mark_of(proof: Proof, place: str) -> str:
    """Return the comment at the end of a line that says which claim, and which of its steps, stands there.

    Lines of one formula bear one mark, so that a program can put them together and look the step up in the record.
    """
    chosen = ",".join(f"{name}={value}" for name, value in proof.parameters if name != value)
    return f"{MARK} {proof.name}{f'({chosen})' if chosen else ''} {place}"


def marked(rows: Sequence[tuple[str, str]]) -> str:
    """Return rows of a display, each with its mark behind it."""
    ends = [*(" \\\\" for _ in rows[1:]), ""]
    return "\n".join(f"{row}{end} {mark}" for (row, mark), end in zip(rows, ends, strict=True))


def relation_sign(relation: str) -> str:
    """Return the LaTeX sign of a relation, or of an equivalence."""
    return "\\Longleftrightarrow" if relation == EQUIVALENT else write_sign(relation)


def fitting(node: t.Node, room: float, scope: Scope) -> list[str]:
    """Return the pieces of a formula; one that cannot be broken is made smaller, to 8 points at least."""
    found = pieces(node, room, scope)
    return [fitted(found[0], room_of(node), room)] if len(found) == 1 and room_of(node) > room else found


class Chains:
    """The steps in displays: those of a claim together, those that only prepare it before.

    Steps that later ones refer to are numbered as they stand on the page.
    """

    def __init__(self, proof: Proof, cited: dict[str, int], detail: Level, line: float) -> None:
        self.line = line
        self.proof = proof
        self.scope = proof.scope
        self.cited = cited
        self.detail = detail
        self.steps = {step.id: step for step in proof.steps}
        self.referred = {name for step in proof.steps for name in step.premises}
        self.in_claims = {name for claim in proof.claims for name in claim.steps}
        told = (step.id for _, before, steps in self.told() for step in (*before, *steps))
        cited_steps = dict.fromkeys(name for name in told if name in self.referred)
        self.numbers = {name: str(n) for n, name in enumerate(cited_steps, start=1)}

    def told(self) -> Iterable[tuple[Claim, list[Step], list[Step]]]:
        """Yield every claim with the steps that prepare it, and its own, in the order of the page."""
        position = {step.id: n for n, step in enumerate(self.proof.steps)}
        told = 0
        for claim in self.proof.claims:
            last = max((position[name] for name in claim.steps if name in position), default=-1)
            before = [s for s in self.proof.steps[told : last + 1] if s.id not in self.in_claims]
            told = max(told, last + 1)
            yield claim, before, [self.steps[name] for name in claim.steps]

    def parts(self) -> Iterable[Part]:
        """Yield the part of each claim: the rows of its chains."""
        for claim, before, steps in self.told():
            title = f"({escape(claim.id)})" if len(self.proof.claims) > 1 else ""
            remark = sentence(words(claim.words, self.scope))
            prepared = tuple(text for run in runs(before) for text in self._display(claim, run[0].before, run))
            if prepared:
                yield Part(title, f"{remark} First:".strip(), prepared)
                title, remark = "", "Then:"
            yield Part(title, remark, tuple(self._display(claim, claim.left, steps)))

    def _display(self, claim: Claim, left: str, steps: Sequence[Step]) -> list[str]:
        is_equivalence = any(step.relation == EQUIVALENT for step in steps)
        rows = self._rows(claim, left, self.groups(steps), is_equivalence=is_equivalence)
        return [
            "\\begin{symattnchain}",
            "\\begin{align*}",
            marked(rows),
            "\\end{align*}",
            "\\end{symattnchain}",
        ]

    def groups(self, steps: Sequence[Step]) -> list[list[Step]]:
        """Return the steps of each row: one, or in a brief proof routine ones with the one that follows."""
        if self.detail == "full":
            return [[step] for step in steps]
        groups: list[list[Step]] = []
        is_open = False
        for step in steps:
            is_routine = step.rule in _ROUTINE and step.relation == "=" and step.id not in self.referred
            if is_open and step.relation == "=":
                groups[-1].append(step)
            else:
                groups.append([step])
            is_open = is_routine
        if len(groups) > 1 and is_open and groups[-2][-1].id not in self.referred and groups[-2][-1].relation == "=":
            groups[-2:] = [[*groups[-2], *groups[-1]]]
        return groups

    def _rows(
        self, claim: Claim, left: str, groups: Sequence[Sequence[Step]], *, is_equivalence: bool
    ) -> list[tuple[str, str]]:
        """Return the rows of a chain with their marks."""
        head = side(left, self.scope)
        used = room_of(head)
        rows: list[str] = []
        if is_equivalence:
            rows.append(f"&\\phantom{{{{}}\\Longleftrightarrow{{}}}}\\; {written(head, self.scope)}")
            begin, used = "", 30.0
        elif used > _WIDE_HEAD * self.line:
            rows.extend(f"&{piece}" for piece in fitting(head, self.line - MARGIN, self.scope))
            begin, used = "", 0.0
        else:
            begin = written(head, self.scope)
        marked = [(row, mark_of(self.proof, f"{claim.id} begins")) for row in rows]
        room = self.line - MARGIN - used - RELATION
        for group in groups:
            mark = mark_of(self.proof, f"{claim.id} {','.join(step.id for step in group)}")
            marked.extend((row, mark) for row in self._row(begin, group, room))
            begin = ""
        return marked

    def _row(self, begin: str, group: Sequence[Step], room: float) -> list[str]:
        last = group[-1]
        node = side(last.after, self.scope)
        fits = room_of(node) <= room
        found = fitting(node, room if fits else room - HANG, self.scope)
        sign = relation_sign(last.relation)
        lines = [f"{begin} &{sign} {found[0]}", *(f"&\\qquad {piece}" for piece in found[1:])]
        free = room - (room_of(node) if fits else room) - GAP
        lines[-1] = f"{lines[-1]} \\tag*{{{self._reason(group, free)}}}"
        return lines

    def _reason(self, group: Sequence[Step], free: float) -> str:
        """Return the rules with the hypotheses, and why, in the room that is free beside the formula."""
        last = group[-1]
        plain = self.rules(group)
        rule = escape(plain).replace(")-(", ")--(")
        number = f"\\symattnlabel{{{self.numbers[last.id]}}}" if last.id in self.numbers else ""
        room = free - (24.0 if number else 0.0)
        why = _why(last) if self.detail == "full" else ""
        remark = _GROWING.sub("", words(why, self.scope))
        if not remark:
            return f"\\symattnwhy{{{rule}}}{number}"
        first = _LETTER * len(plain)
        length = _italic(why, self.scope)
        if first + length + _COLON <= room:
            return f"\\symattnwhy{{{rule}: \\symattnremark{{{remark}}}}}{number}"
        fits = room if room >= max(first, _LEAST_REASON) else _WIDEST_REASON
        box = max(first, min(_balanced(length, fits), _WIDEST_REASON))
        return f"\\symattnwhybox{{{box:.0f}pt}}{{{rule}\\\\ \\symattnremark{{{remark}}}}}{number}"

    def rules(self, group: Sequence[Step]) -> str:
        """Return the rules of a row in plain words."""
        found: list[str] = []
        for step in group:
            name = step.rule.removeprefix(_LEMMA)
            mark = f" [{self.cited[name]}]" if step.rule.startswith(_LEMMA) and name in self.cited else ""
            hypotheses = "".join(f", {item}" for item in sorted(step.hypotheses, key=_natural))
            told = [self.numbers.get(item, item) for item in step.premises]
            premises = f" from {listed(step_ranges(told))}" if told else ""
            text = f"{name}{mark}{hypotheses}{premises}"
            if text not in found:
                found.append(text)
        return "; ".join(found)


def _why(step: Step) -> str:
    """Return the remark of a step, with what a sign rests on: the difference of the sides, in a form that shows it.

    >>> _why(Step("1", "evident sign", "2 x", "≤", "x^2 + 1", arguments=(("difference", "(x - 1)^2"),)))
    'right side minus left side: $(x - 1)^2$'
    """
    difference = dict(step.arguments).get("difference", "") if step.rule == _SIGN else ""
    if not difference or "0" in {step.before, step.after}:
        return step.words
    return "; ".join(filter(None, (step.words, f"right side minus left side: ${difference}$")))


def _italic(text: str, scope: Scope) -> float:
    """Return the width of a remark in points: its words, and its formulas as they are set."""
    total = 0.0
    for n, part in enumerate(text.split("$")):
        try:
            total += _SMALL * room_of(displayed(read_text(part, scope), scope)) if n % 2 else _ITALIC * len(part)
        except NotationError:
            total += _ITALIC * len(part)
    return total


def sentence(text: str) -> str:
    """Return a remark as a sentence; one that begins with a formula keeps its beginning.

    >>> sentence("the mean of $q$")
    'The mean of $q$.'
    """
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in {'.', ':'} else '.'}" if text else ""


def _balanced(length: float, room: float) -> float:
    """Return a width in which a text of some length makes lines that are about equally long."""
    lines = ceil(length / room)
    return length if lines <= 1 else length / lines * _RAGGED


def _natural(name: str) -> tuple[int, str]:
    """Return the order of names with numbers in them."""
    number = "".join(letter for letter in name if letter.isdecimal())
    return int(number) if number else 0, name


def step_ranges(names: Sequence[str]) -> list[str]:
    """Return ids of steps in brackets, three or more consecutive ones as a range.

    >>> step_ranges(("7", "4", "5", "6", "12"))
    ['(4)-(7)', '(12)']
    """
    found: list[list[str]] = []
    for name in sorted(names, key=_natural):
        if found and _natural(name)[0] == _natural(found[-1][-1])[0] + 1:
            found[-1].append(name)
        else:
            found.append([name])
    return [
        text
        for run in found
        for text in ([f"({run[0]})-({run[-1]})"] if len(run) > 2 else [f"({name})" for name in run])
    ]


def runs(steps: Sequence[Step]) -> list[list[Step]]:
    """Return steps that go on where the one before ended, together."""
    runs: list[list[Step]] = []
    for step in steps:
        if runs and runs[-1][-1].after == step.before:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs
