"""Proofs on paper: the theorem with its hypotheses, chains of steps with their reasons, what was checked besides.

Nothing is proved here: what is set was replayed before, and the page says what replay found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, prod
from typing import Literal

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Defined, Scope
from symattn.proofs.lemmas.table import LEMMAS
from symattn.proofs.replay import Replayed
from symattn.records import dataclass
from symattn.rendering.latex.templates import fill
from symattn.rendering.latex.typesetting import escape, listed, write_sign
from symattn.rendering.latex.widths import LINE, RELATION
from symattn.rendering.proofs.formulas import (
    displayed,
    formula,
    formulas,
    in_line,
    inline,
    pieces,
    room_of,
    side,
    words,
    words_or_formula,
    written,
)

Level = Literal["brief", "full"]

LEVELS: tuple[Level, ...] = ("brief", "full")

_MARGIN = 18.0
_GAP = 18.0
_HANG = 20.0
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
_CLAIM_ID = re.compile(r"C[0-9]+")
_EQUIVALENT = "⇔"
_NEGATED = {"≤": "\\le", "≥": "\\ge", "<": "<", ">": ">"}
"""Relations as they are denied beside a number."""
_DIGIT = 5.6
_IN_A_CELL = 0.92
_LEAST_WORD = 48.0
_TABLE_GAPS = 30.0
_LEAST_WORDS = 0.2
_LEAST_DIGITS = 30.0
_HEADER = 64.0
_EXACT = 0.4

_MAX_OUTCOMES = 8
_FEW_OUTCOMES = 4

_ENTRY = re.compile(r"\b(d?[A-Z](?:_[A-Z])?)\[(\d+),(\d+)\]")
_NO_NAMES = Scope(())
_NESTED = 2

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Refutation:
    """A false claim with its counter-example, worked out.

    Attributes:
        says: the claim in words.
        left: its left side in plain syntax.
        relation: its relation.
        right: its right side.
        scope: its names.
        numbers: lengths and numbers of the example by name, in plain syntax.
        entries: vectors (one row) and matrices.
        law: outcomes with their probabilities.
        place: values of the free indices where it fails.
        left_value: the left side, in plain syntax; `is_exact` or digits.
        right_value: the right side.
        left_digits: certified digits, unless the value is rational.
        right_digits: likewise.
        broken: the hypotheses that the example does not satisfy.
        instead: what holds.
    """

    says: str
    left: str
    relation: str
    right: str
    scope: Scope
    numbers: tuple[tuple[str, str], ...]
    entries: tuple[tuple[str, Rows], ...]
    law: tuple[tuple[str, tuple[tuple[str, Rows], ...]], ...]
    place: tuple[tuple[str, str], ...]
    left_value: str
    right_value: str
    left_digits: str
    right_digits: str
    broken: tuple[str, ...]
    instead: str


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a proof: what it is about, and its display."""

    title: str
    remark: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A falsehood as LaTeX: the claim in words and as a formula, the example, both sides, what holds instead."""

    says: str
    claim: str
    example: str
    values: str
    instead: str


@dataclass(frozen=True, slots=True)
class ProofPage:
    """A page, ready for the template: everything in it is LaTeX.

    Attributes:
        title: the theorem's name.
        label: what stands at the right of the title.
        parameters: what was chosen.
        head: what replay found.
        statement: the theorem in words.
        hypotheses: ids and hypotheses.
        defined: abbreviations.
        claims: what is proved, as displays with their numbers.
        parts: the proof.
        instance: rows of a worked case: what, closed form, digits.
        columns: the widths of its columns.
        checks: what was computed besides.
        falsehoods: what is often written, and is false.
        lemmas: the classical facts that are cited, with their sources.
        source: where the theorem comes from.
        rest: what is said of claims that are not shown.
    """

    title: str
    label: str
    parameters: str
    head: str
    statement: str
    hypotheses: tuple[tuple[str, str], ...]
    defined: str
    claims: str
    parts: tuple[Part, ...]
    instance: tuple[tuple[str, str, str], ...]
    columns: tuple[str, str, str]
    checks: tuple[str, ...]
    falsehoods: tuple[FalseClaim, ...]
    lemmas: tuple[tuple[str, str, str], ...]
    source: str
    rest: str = ""


def proof_latex(
    proof: Proof,
    replayed: Replayed,
    falsehoods: Sequence[Refutation] = (),
    instance: Sequence[tuple[str, str, str]] = (),
    detail: Level = "full",
) -> str:
    """Return a proof as a LaTeX document.

    Args:
        proof: the proof.
        replayed: what replay found of it.
        falsehoods: false variants with their counter-examples.
        instance: lines of a worked case: words with formulas between dollars, closed form, digits.
        detail: ``"full"``, or ``"brief"`` without remarks and with routine steps drawn together.
    """
    return fill("proof", page=proof_page(proof, replayed, falsehoods, instance, detail))


def counterexample_latex(title: str, without: str, statement: str, refutation: Refutation) -> str:
    """Return a counter-example that stands in the place of a proof, as a LaTeX document."""
    scope = refutation.scope
    hypotheses = tuple((item.id, words(item.text, scope)) for item in scope.hypotheses)
    return fill(
        "proof_without",
        title=escape(title),
        without=escape(without),
        statement=words(statement, scope),
        hypotheses=hypotheses,
        falsehood=false_claim(refutation),
    )


def proof_page(
    proof: Proof,
    replayed: Replayed,
    falsehoods: Sequence[Refutation] = (),
    instance: Sequence[tuple[str, str, str]] = (),
    detail: Level = "full",
    line: float = LINE,
) -> ProofPage:
    """Return the parts of the page as LaTeX, for lines of a width in points."""
    scope = proof.scope
    cited = {name: n for n, name in enumerate(replayed.cites, start=1)}
    return ProofPage(
        title=escape(proof.title),
        label=escape(proof.name),
        parameters=_parameters(proof),
        head=head_of(replayed, cited),
        statement=words(proof.statement, scope),
        hypotheses=hypotheses_of(proof),
        defined=definitions_of(scope.defined, scope, line),
        claims=claims_of(proof, line),
        parts=tuple(_Chains(proof, cited, detail, line).parts()),
        instance=tuple(_instance_row(row, scope, line) for row in instance),
        columns=_columns(instance, scope, line),
        checks=tuple(_checks(proof)),
        falsehoods=tuple(false_claim(item, scope) for item in falsehoods),
        lemmas=lemmas_of(cited),
        source=escape(proof.source),
    )


def mark_of(proof: Proof, place: str) -> str:
    """Return the comment at the end of a line that says which claim, and which of its steps, stands there.

    Lines of one formula bear one mark, so that a program can put them together and look the step up in the record.
    """
    chosen = ",".join(f"{name}={value}" for name, value in proof.parameters if name != value)
    return f"{MARK} {proof.name}{f'({chosen})' if chosen else ''} {place}"


# The head ------------------------------------------------------------------------------------------


def _parameters(proof: Proof) -> str:
    """Return the chosen values; a letter that stands for itself was not chosen."""
    chosen = [(name, value) for name, value in proof.parameters if name != value]
    return listed([_parameter(name, value, proof.scope) for name, value in chosen]) if chosen else ""


def _parameter(name: str, value: str, scope: Scope) -> str:
    """Return a number as an equation, a list in parentheses, a word as a word."""
    if any(letter.isdecimal() for letter in value):
        items = [formula(item.strip(), scope) for item in value.split(",")]
        shown = items[0] if len(items) == 1 else f"({', '.join(items)})"
        return f"${formula(name, scope)} = {shown}$"
    return f"{escape(name)}: {escape(value)}"


def head_of(replayed: Replayed, cited: dict[str, int]) -> str:
    """Describe in a sentence how the theorem was proved."""
    count = sum(item.proved for item in replayed.steps)
    steps = f"{count} steps, each recomputed from its record" if count != 1 else "1 step, recomputed from its record"
    if not cited:
        return f"{steps}; no classical fact is cited."
    resting = sum(bool(item.cites) for item in replayed.steps)
    names = listed([f"{escape(name)} [{n}]" for name, n in cited.items()])
    which = "1 of them cites" if resting == 1 else f"{resting} of them cite"
    fact = "a classical fact" if len(cited) == 1 else "classical facts"
    return f"{steps}; {'it cites' if count == 1 else which} {fact}: {names}."


def lemmas_of(cited: dict[str, int]) -> tuple[tuple[str, str, str], ...]:
    """Return the classical facts that are cited: number, statement and source."""
    return tuple(
        (str(n), words(LEMMAS[name].statement, _NO_NAMES), escape(LEMMAS[name].source)) for name, n in cited.items()
    )


def definitions_of(defined: Iterable[Defined], scope: Scope, line: float = LINE) -> str:
    """Return the abbreviations: in the sentence where they are short, else displayed."""
    short, long = [], []
    for item in defined:
        left, right = (side(text, scope) for text in (_named(item), item.body))
        has_sum = any(isinstance(node, t.SumOver | t.Division) for node in walk(right))
        equation = f"{written(left, scope)} = {written(right, scope)}"
        if has_sum or room_of(left) + room_of(right) > 0.5 * line:
            room = line - room_of(left) - RELATION - _MARGIN
            found = _fitting(right, room if room_of(right) <= room else room - _HANG, scope)
            body = " \\\\ &\\qquad ".join(found)
            is_whole = len(found) == 1
            long.append(
                equation if is_whole and room_of(right) <= room else
                f"\\begin{{aligned}} {written(left, scope)} &= {body} \\end{{aligned}}"
            )  # fmt: skip
        else:
            short.append(f"${in_line(equation)}$")
    sentence = f"Here {listed(short)}." if short else ""
    if not long:
        return sentence
    opening = f"Here {listed(short)}, and" if short else "Here"
    rows = " \\\\\n".join(long)
    return f"{opening}\n\\begin{{gather*}}\n{rows}\n\\end{{gather*}}"


def hypotheses_of(proof: Proof) -> tuple[tuple[str, str], ...]:
    """Return ids and hypotheses, and the claims that need each where some claims do without it."""
    needed = _needed(proof)
    found = []
    for item in proof.scope.hypotheses:
        claims = [name for name, own in needed.items() if item.id in own]
        if not claims:
            continue  # a key that shows some of the claims shows what they rest on
        where = f" {{\\symattnsoft (for {_listed_ids(claims)})}}" if len(claims) < len(needed) else ""
        found.append((item.id, f"{words(item.text, proof.scope)}{where}"))
    return tuple(found)


def _listed_ids(names: Sequence[str]) -> str:
    """Return ids of claims in words, three or more consecutive ones as a range."""
    return listed(_ranges(names)).replace("(", "").replace(")", "").replace("-", "--")


def _needed(proof: Proof) -> dict[str, set[str]]:
    """Return the hypotheses that each claim rests on, through the premises of its steps too."""
    steps = {step.id: step for step in proof.steps}
    rests: dict[str, set[str]] = {}
    for step in proof.steps:  # premises come before
        rests[step.id] = set(step.hypotheses).union(*(rests.get(name, set()) for name in step.premises))
    return {claim.id: set().union(*(rests[name] for name in claim.steps if name in steps)) for claim in proof.claims}


def claims_of(proof: Proof, line: float = LINE) -> str:
    """Display the claims; several are numbered."""
    many = len(proof.claims) > 1
    rows = [(claim_row(claim, proof.scope, line, many=many), mark_of(proof, claim.id)) for claim in proof.claims]
    return f"\\begin{{gather*}}\n{_marked(rows)}\n\\end{{gather*}}"


def _marked(rows: Sequence[tuple[str, str]]) -> str:
    """Return rows of a display, each with its mark behind it."""
    ends = [*(" \\\\" for _ in rows[1:]), ""]
    return "\n".join(f"{row}{end} {mark}" for (row, mark), end in zip(rows, ends, strict=True))


def claim_row(claim: Claim, scope: Scope, line: float = LINE, *, many: bool = False) -> str:
    """Return a claim as one row of a display, numbered where there are many."""
    left, right = (side(text, scope) for text in (claim.left, claim.right))
    room = line - _MARGIN - (_GAP + 24.0 if many else 0.0)
    number = f" \\tag*{{\\symattnlabel{{{escape(claim.id)}}}}}" if many else ""
    sign = _sign(claim.relation)
    if room_of(left) + RELATION + room_of(right) <= room:
        return f"{written(left, scope)} {sign} {written(right, scope)}{number}"
    rows = [f"&{piece}" for piece in _fitting(left, room, scope)]
    rows.extend(
        f"&\\quad {sign if n == 0 else ''} {piece}" for n, piece in enumerate(_fitting(right, room - _HANG - 24, scope))
    )
    body = " \\\\ ".join(rows)
    return f"\\begin{{aligned}} {body} \\end{{aligned}}{number}"


def _sign(relation: str) -> str:
    return "\\Longleftrightarrow" if relation == _EQUIVALENT else write_sign(relation)


def _fitting(node: t.Node, room: float, scope: Scope) -> list[str]:
    """Return the pieces of a formula; what cannot be broken is made smaller."""
    found = pieces(node, room, scope)
    if len(found) == 1 and room_of(node) > room:
        return [f"\\resizebox{{{room:.0f}pt}}{{!}}{{$\\displaystyle {found[0]}$}}"]
    return found


# Chains --------------------------------------------------------------------------------------------


class _Chains:
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
        told = (step.id for _, before, steps in self._told() for step in (*before, *steps))
        cited_steps = dict.fromkeys(name for name in told if name in self.referred)
        self.numbers = {name: str(n) for n, name in enumerate(cited_steps, start=1)}

    def _told(self) -> Iterable[tuple[Claim, list[Step], list[Step]]]:
        """Yield every claim with the steps that prepare it, and its own, in the order of the page."""
        position = {step.id: n for n, step in enumerate(self.proof.steps)}
        told = 0
        for claim in self.proof.claims:
            last = max((position[name] for name in claim.steps if name in position), default=-1)
            before = [s for s in self.proof.steps[told : last + 1] if s.id not in self.in_claims]
            told = max(told, last + 1)
            yield claim, before, [self.steps[name] for name in claim.steps]

    def parts(self) -> Iterable[Part]:
        for claim, before, steps in self._told():
            title = f"({escape(claim.id)})" if len(self.proof.claims) > 1 else ""
            remark = _sentence(words(claim.words, self.scope))
            prepared = tuple(text for run in _runs(before) for text in self._display(claim, run[0].before, run))
            if prepared:
                yield Part(title, f"{remark} First:".strip(), prepared)
                title, remark = "", "Then:"
            yield Part(title, remark, tuple(self._display(claim, claim.left, steps)))

    def _display(self, claim: Claim, left: str, steps: Sequence[Step]) -> list[str]:
        is_equivalence = any(step.relation == _EQUIVALENT for step in steps)
        rows = self._rows(claim, left, self._groups(steps), is_equivalence=is_equivalence)
        return [
            "\\begin{symattnchain}",
            "\\begin{align*}",
            _marked(rows),
            "\\end{align*}",
            "\\end{symattnchain}",
        ]

    def _groups(self, steps: Sequence[Step]) -> list[list[Step]]:
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
            rows.extend(f"&{piece}" for piece in _fitting(head, self.line - _MARGIN, self.scope))
            begin, used = "", 0.0
        else:
            begin = written(head, self.scope)
        marked = [(row, mark_of(self.proof, f"{claim.id} begins")) for row in rows]
        room = self.line - _MARGIN - used - RELATION
        for group in groups:
            mark = mark_of(self.proof, f"{claim.id} {','.join(step.id for step in group)}")
            marked.extend((row, mark) for row in self._row(begin, group, room))
            begin = ""
        return marked

    def _row(self, begin: str, group: Sequence[Step], room: float) -> list[str]:
        last = group[-1]
        node = side(last.after, self.scope)
        fits = room_of(node) <= room
        found = _fitting(node, room if fits else room - _HANG, self.scope)
        sign = _sign(last.relation)
        lines = [f"{begin} &{sign} {found[0]}", *(f"&\\qquad {piece}" for piece in found[1:])]
        free = room - (room_of(node) if fits else room) - _GAP
        lines[-1] = f"{lines[-1]} \\tag*{{{self._reason(group, free)}}}"
        return lines

    def _reason(self, group: Sequence[Step], free: float) -> str:
        """Return the rules with the hypotheses, and why, in the room that is free beside the formula."""
        last = group[-1]
        rule, plain = self._rules(group)
        number = f"\\symattnlabel{{{self.numbers[last.id]}}}" if last.id in self.numbers else ""
        room = free - (24.0 if number else 0.0)
        remark = words(last.words, self.scope) if self.detail == "full" and last.words else ""
        if not remark:
            return f"\\symattnwhy{{{rule}}}{number}"
        first = _LETTER * len(plain)
        length = _italic(last.words, self.scope)
        if first + length + _COLON <= room:
            return f"\\symattnwhy{{{rule}: \\symattnremark{{{remark}}}}}{number}"
        fits = room if room >= max(first, _LEAST_REASON) else _WIDEST_REASON
        box = max(first, min(_balanced(length, fits), _WIDEST_REASON))
        return f"\\symattnwhybox{{{box:.0f}pt}}{{{rule}\\\\ \\symattnremark{{{remark}}}}}{number}"

    def _rules(self, group: Sequence[Step]) -> tuple[str, str]:
        """Return the rules of a row as LaTeX, and as plain words to be measured."""
        found: list[str] = []
        for step in group:
            name = step.rule.removeprefix(_LEMMA)
            mark = f" [{self.cited[name]}]" if step.rule.startswith(_LEMMA) and name in self.cited else ""
            hypotheses = "".join(f", {item}" for item in sorted(step.hypotheses, key=_natural))
            told = [self.numbers.get(item, item) for item in step.premises]
            premises = f" from {listed(_ranges(told))}" if told else ""
            text = f"{name}{mark}{hypotheses}{premises}"
            if text not in found:
                found.append(text)
        plain = "; ".join(found)
        return escape(plain).replace(")-(", ")--("), plain


def _italic(text: str, scope: Scope) -> float:
    """Return the width of a remark in points: its words, and its formulas as they are set."""
    total = 0.0
    for n, part in enumerate(text.split("$")):
        try:
            total += _SMALL * room_of(displayed(read_text(part, scope), scope)) if n % 2 else _ITALIC * len(part)
        except NotationError:
            total += _ITALIC * len(part)
    return total


def _sentence(text: str) -> str:
    """Return a remark as a sentence; one that begins with a formula keeps its beginning.

    >>> _sentence("the mean of $q$")
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


def _ranges(names: Sequence[str]) -> list[str]:
    """Return ids of steps in brackets, three or more consecutive ones as a range.

    >>> _ranges(("7", "4", "5", "6", "12"))
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


def _runs(steps: Sequence[Step]) -> list[list[Step]]:
    """Return steps that go on where the one before ended, together."""
    runs: list[list[Step]] = []
    for step in steps:
        if runs and runs[-1][-1].after == step.before:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _checks(proof: Proof) -> Iterable[str]:
    """Return the numerical checks; claims with the same one stand together."""
    together: dict[tuple[str, str], list[str]] = {}
    for item in proof.checks:
        found = _CLAIM_ID.match(item.text)
        name = found[0] if found else ""
        together.setdefault((item.text[len(name) :], item.result), []).append(name)
    for (text, result), names in together.items():
        is_only = len(proof.claims) == len(proof.checks) == 1
        said = _listed_ids(names) if names[0] and not is_only else ""
        shown = f"{said}{words(text, proof.scope)}".strip()
        yield f"{shown[:1].upper()}{shown[1:]}: {words(result, proof.scope)}."


# Instances and falsehoods --------------------------------------------------------------------------


def _instance_row(row: tuple[str, str, str], scope: Scope, line: float) -> tuple[str, str, str]:
    text, exact, digits = row
    shown = f"${formulas(exact, scope)}$" if exact else ""
    if _room(exact, scope) > line * _EXACT:
        shown = f"\\resizebox{{{line * _EXACT:.0f}pt}}{{!}}{{{shown}}}"
    return words_or_formula(_ENTRY.sub(r"$(\1)_{\2,\3}$", text), scope), shown, _digits(digits)


def _room(text: str, scope: Scope) -> float:
    """Return the width of a closed form, or a guess unless it is a single formula."""
    try:
        node = displayed(read_text(text, scope), scope) if text else None
    except NotationError:
        return _DIGIT * len(text)
    if node is None:
        return 0.0
    has_bar = any(isinstance(item, t.Division) for item in walk(node))
    return room_of(node) * (_IN_A_CELL if has_bar else 1.0)


def _columns(rows: Sequence[tuple[str, str, str]], scope: Scope, line: float) -> tuple[str, str, str]:
    """Return the widths of a worked case: what, closed form, digits; the words have what the others leave."""
    exact = min(max([_HEADER, *(_room(text, scope) for _, text, _ in rows)]), _EXACT * line)
    digits = max([_LEAST_DIGITS, *(_DIGIT * len(text) for _, _, text in rows)]) + _DIGIT
    words_need = max([_LEAST_WORD, *(_DIGIT * len(text.replace("$", "")) for text, _, _ in rows)])
    free = max(line - exact - digits - _TABLE_GAPS, _LEAST_WORDS * line)
    first, second, third = (f"{width:.0f}pt" for width in (min(words_need, free), exact, digits))
    return first, second, third


def _digits(text: str) -> str:
    """Return digits as they were certified; many of them may break after every fifth."""
    sign, mark, exponent = text.partition("e") if text[:1].isdigit() or text[:1] == "-" else (text, "", "")
    if mark and exponent.lstrip("-").isdigit():
        return f"${sign} \\times 10^{{{exponent}}}$"
    return f"${text}$" if text.replace("-", "").replace(".", "").isdigit() else escape(text)


def false_claim(item: Refutation, around: Scope | None = None) -> FalseClaim:
    """Return a falsehood as LaTeX; abbreviations that the page around it does not explain are explained."""
    scope = item.scope
    left, right = (side(text, scope) for text in (item.left, item.right))
    sides = f"{written(left, scope)} {_sign(item.relation)} {written(right, scope)}"
    needed = room_of(left) + RELATION + room_of(right)
    is_short = needed < 0.8 * LINE and not _is_high(left) and not _is_high(right)
    known = () if around is None else around.defined
    where = [name for name in _spoken_of(item) if name not in known]
    return FalseClaim(
        says=words_or_formula(item.says, scope),
        claim=_claimed(sides, needed, _explained(where, scope), is_short=is_short),
        example=_example(item),
        values=_values(item, left, right) + _broken(item),
        instead=words_or_formula(item.instead, scope),
    )


def _spoken_of(item: Refutation) -> list[Defined]:
    """Return the abbreviations of a false claim, directly or through others."""
    texts, waiting, found = [item.left, item.right], list(item.scope.defined), list[Defined]()
    while used := [own for own in waiting if any(_speaks_of(text, own.name, item.scope) for text in texts)]:
        found += used
        texts = [own.body for own in used]
        waiting = [own for own in waiting if own not in used]
    return [own for own in item.scope.defined if own in found]


def _speaks_of(text: str, name: str, scope: Scope) -> bool:
    return any(plain_name(node) == name for node in walk(read_text(text, scope)))


def _claimed(sides: str, needed: float, explained: str, *, is_short: bool) -> str:
    """Return the formula of a false claim with what explains its names, in the line or displayed."""
    if is_short:
        return f"${in_line(sides)}${', with ' if explained else ''}{explained}."
    end = "" if explained else "."
    shown = f"{sides}{end}" if needed < 0.85 * LINE else f"\\symattnfit{{{sides}{end}}}"
    return f"\\[ {shown} \\]{f' with {explained}.' if explained else ''}"


def _explained(items: Sequence[Defined], scope: Scope) -> str:
    return listed([f"${inline(_named(item), scope)} = {inline(item.body, scope)}$" for item in items]) if items else ""


def _named(item: Defined) -> str:
    """Return an abbreviation with its indices."""
    return item.name if not item.indices else f"{item.name}_{{{','.join(item.indices)}}}"


def _is_high(node: t.Node, inside: int = 0) -> bool:
    """Return whether quotients stand in quotients: too much for a line of text."""
    if inside >= _NESTED:
        return True
    return any(_is_high(child, inside + isinstance(node, t.Division)) for child in t.children(node))


def _example(item: Refutation) -> str:
    scope = item.scope
    known = [f"${formula(name, scope)} = {inline(value, scope)}$" for name, value in item.numbers]
    known.extend(_entries(item.entries, scope))
    sentence = listed(known) if known else ""
    if item.law:
        laws = _law(item, scope)
        sentence = f"{sentence}, and {laws}" if sentence else laws
    return sentence


def _entries(entries: Sequence[tuple[str, Rows]], scope: Scope) -> list[str]:
    return [f"${formula(name, scope)} = {_array(rows, scope)}$" for name, rows in entries]


def _array(rows: Rows, scope: Scope) -> str:
    if len(rows) == 1 and len(rows[0]) == 1:
        return formula(rows[0][0], scope)
    if len(rows) == 1:
        return f"({', '.join(formula(text, scope) for text in rows[0])})"
    body = " \\\\ ".join(" & ".join(formula(text, scope) for text in row) for row in rows)
    return f"\\begin{{bmatrix}} {body} \\end{{bmatrix}}"


def _law(item: Refutation, scope: Scope) -> str:
    """Return the outcomes with their probabilities; independent entries are told one by one."""
    if len(item.law) > _FEW_OUTCOMES:
        apart = _independent_entries(item, scope)
        if apart:
            return apart
    shown = item.law[:_MAX_OUTCOMES]
    outcomes = [", ".join(_entries(entries, scope)) for _, entries in shown]
    weights = [weight for weight, _ in shown]
    rest = "" if len(item.law) == len(shown) else f"; and {len(item.law) - len(shown)} further outcomes"
    if len(set(weights)) == 1 and len(weights) > 1 and not rest:
        each = f"with probability ${inline(weights[0], scope)}$ each"
        return f"{each}, {' or '.join(outcomes)}" if len(outcomes) == 2 else f"{each}, {'; '.join(outcomes)}"
    parts = [f"{text} with probability ${formula(w, scope)}$" for text, w in zip(outcomes, weights, strict=True)]
    return "; ".join(parts) + rest


_Marginal = tuple[tuple[str, Fraction], ...]


def _independent_entries(item: Refutation, scope: Scope) -> str:
    """Return the laws of the single entries, where the joint law is their product; nothing where it is not."""
    names = [name for name, _ in item.law[0][1]]
    places = [(name, i, j) for name, rows in item.law[0][1] for i, row in enumerate(rows) for j, _ in enumerate(row)]
    marginals: dict[tuple[str, int, int], dict[str, Fraction]] = {place: {} for place in places}
    for weight, entries in item.law:
        if [name for name, _ in entries] != names:
            return ""
        given = dict(entries)
        for name, i, j in places:
            law = marginals[name, i, j]
            law[given[name][i][j]] = law.get(given[name][i][j], Fraction(0)) + Fraction(weight)
    if prod(len(law) for law in marginals.values()) != len(item.law):
        return ""
    for weight, entries in item.law:
        given = dict(entries)
        if Fraction(weight) != prod((marginals[n, i, j][given[n][i][j]] for n, i, j in places), start=Fraction(1)):
            return ""
    groups: dict[_Marginal, list[str]] = {}
    shapes = {name: (len(rows), len(rows[0])) for name, rows in item.law[0][1]}
    for (name, i, j), law in marginals.items():
        index = "" if shapes[name] == (1, 1) else f"_{j + 1}" if shapes[name][0] == 1 else f"_{{{i + 1},{j + 1}}}"
        groups.setdefault(tuple(sorted(law.items())), []).append(f"${formula(name + index, scope)}$")
    told = [f"{listed(found)} {_chances(law, scope, len(found))}" for law, found in groups.items()]
    return f"independent entries, {'; '.join(told)}"


def _chances(law: _Marginal, scope: Scope, count: int) -> str:
    each = "each " if count > 1 else ""
    if len({weight for _, weight in law}) == 1 and len(law) > 1:
        values = " or ".join(f"${formula(value, scope)}$" for value, _ in law)
        return f"{each}{values} with equal probability"
    values = ", ".join(f"${formula(value, scope)}$ with probability ${formula(str(w), scope)}$" for value, w in law)
    return f"{each}{values}"


def _values(item: Refutation, left: t.Node, right: t.Node) -> str:
    scope = item.scope
    entry = [f"in the entry ({value})" for name, value in item.place if name == "entry"]
    indices = [f"${formula(name, scope)} = {value}$" for name, value in item.place if name != "entry"]
    where = " ".join([*entry, *([f"for {listed(indices)}"] if indices else [])])
    one, other = (_side(*pair, scope) for pair in (
        (item.left_value, item.left_digits), (item.right_value, item.right_digits),
    ))  # fmt: skip
    if item.relation == _EQUIVALENT:
        return f"Then the left relation is {item.left_value} and the right one {item.right_value}"
    place = f" {where}" if where else ""
    one, other, first, second = map(in_line, (one, other, written(left, scope), written(right, scope)))
    if room_of(left) + room_of(right) > 0.75 * LINE or _is_high(left) or _is_high(right):
        return f"Then the left side is ${one}$ and the right side ${other}${place}"
    if second == other and item.relation == "=":
        return f"Then ${first} = {one}$, not ${second}${place}"
    if first == one and item.relation == "=":
        return f"Then ${second} = {other}$, not ${first}${place}"
    if second == other and item.relation in _NEGATED:
        return f"Then ${_with_value(first, one)}$, which is not ${_NEGATED[item.relation]} {second}${place}"
    joined = " and" if item.relation == "≠" else ", but"
    return f"Then ${_with_value(first, one)}${joined} ${_with_value(second, other)}${place}"


def _broken(item: Refutation) -> str:
    """Name the hypotheses that the example does not satisfy."""
    if not item.broken:
        return ""
    return f"; {listed(list(map(escape, item.broken)))} {'fails' if len(item.broken) == 1 else 'fail'} there"


def _with_value(name: str, value: str) -> str:
    return name if name == value else f"{name} = {value}"


def _side(value: str, digits: str, scope: Scope) -> str:
    if not value:
        return f"{_digits(digits).strip('$')}\\ldots" if digits[:1] != "[" else escape(digits)
    exact = formula(value, scope)
    is_rational = all(letter in "0123456789-/ " for letter in value)
    return exact if is_rational else f"{exact} \\approx {_digits(digits).strip('$')}"
