"""Proofs on paper: the theorem with its hypotheses, chains of steps with their reasons, what was checked besides.

Nothing is proved here: what is set was replayed before, and the page says what replay found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, prod
from typing import Literal

from symattn.derivation.proofs.language import read_text
from symattn.derivation.proofs.lemmas import LEMMAS
from symattn.derivation.proofs.record import Claim, Proof, Step
from symattn.derivation.proofs.replay import Replayed
from symattn.derivation.proofs.scope import Defined, Scope
from symattn.errors import NotationError
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.records import dataclass
from symattn.rendering.latex import escape, listed, write_sign
from symattn.rendering.measure import LINE, RELATION
from symattn.rendering.proof_math import displayed, formula, formulas, pieces, room_of, words, words_or_formula, written
from symattn.rendering.templates import _environment

Level = Literal["brief", "full"]

LEVELS: tuple[Level, ...] = ("brief", "full")

_MARGIN = 18.0
_GAP = 18.0
_HANG = 20.0
_LETTER = 4.55
_ITALIC = 4.75
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
_DIGIT = 5.8
_TABLE_GAPS = 40.0
_HEADER = 64.0
_EXACT = 0.4

_MAX_OUTCOMES = 8
_FEW_OUTCOMES = 4

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
        left_digits: certified digits, where the value is no rational number.
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
        column: the width of what they are, as a part of the line.
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
    column: str
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
    """A proof as a LaTeX document.

    Args:
        proof: the proof.
        replayed: what replay found of it.
        falsehoods: false variants with their counter-examples.
        instance: lines of a worked case: words with formulas between dollars, closed form, digits.
        detail: ``"full"``, or ``"brief"`` without remarks and with routine steps drawn together.
    """
    return (
        _environment()
        .get_template("proof.tex.j2")
        .render(page=proof_page(proof, replayed, falsehoods, instance, detail))
    )


def counterexample_latex(title: str, without: str, statement: str, refutation: Refutation) -> str:
    """A counter-example that stands in the place of a proof, as a LaTeX document."""
    scope = refutation.scope
    hypotheses = tuple((item.id, words(item.text, scope)) for item in scope.hypotheses)
    return (
        _environment()
        .get_template("proof_without.tex.j2")
        .render(
            title=escape(title),
            without=escape(without),
            statement=words(statement, scope),
            hypotheses=hypotheses,
            falsehood=false_claim(refutation),
        )
    )


def proof_page(
    proof: Proof,
    replayed: Replayed,
    falsehoods: Sequence[Refutation] = (),
    instance: Sequence[tuple[str, str, str]] = (),
    detail: Level = "full",
    line: float = LINE,
) -> ProofPage:
    """The parts of the page as LaTeX, for lines of a width in points."""
    scope = proof.scope
    cited = {name: n for n, name in enumerate(replayed.cites, start=1)}
    return ProofPage(
        title=escape(proof.title),
        label=escape(proof.name),
        parameters=_parameters(proof),
        head=head_of(replayed, cited),
        statement=words(proof.statement, scope),
        hypotheses=tuple((item.id, words(item.text, scope)) for item in scope.hypotheses),
        defined=definitions_of(scope.defined, scope, line),
        claims=claims_of(proof, line),
        parts=tuple(_Chains(proof, cited, detail, line).parts()),
        instance=tuple(_instance_row(row, scope) for row in instance),
        column=_column(instance, scope),
        checks=tuple(_checks(proof)),
        falsehoods=tuple(map(false_claim, falsehoods)),
        lemmas=tuple(
            (str(n), words(LEMMAS[name].statement, scope), escape(LEMMAS[name].source)) for name, n in cited.items()
        ),
        source=escape(proof.source),
    )


def mark_of(proof: Proof, place: str) -> str:
    """The comment at the end of a line that says which claim, and which of its steps, stands there.

    Lines of one formula bear one mark, so that a program can put them together and look the step up in the record.
    """
    chosen = ",".join(f"{name}={value}" for name, value in proof.parameters if name != value)
    return f"{MARK} {proof.name}{f'({chosen})' if chosen else ''} {place}"


# The head ------------------------------------------------------------------------------------------


def _parameters(proof: Proof) -> str:
    """Values that were chosen; a letter that stands for itself was not."""
    chosen = [(name, value) for name, value in proof.parameters if name != value]
    return listed([_parameter(name, value, proof.scope) for name, value in chosen]) if chosen else ""


def _parameter(name: str, value: str, scope: Scope) -> str:
    """A number as an equation, a word as a word."""
    if any(letter.isdecimal() for letter in value):
        return f"${formula(name, scope)} = {formula(value, scope)}$"
    return f"{escape(name)}: {escape(value)}"


def head_of(replayed: Replayed, cited: dict[str, int]) -> str:
    """How it was proved, in a sentence."""
    count = sum(item.proved for item in replayed.steps)
    steps = f"{count} step{'s' if count != 1 else ''}"
    if not cited:
        return f"{steps}, each recomputed from its record; no classical fact is cited."
    resting = sum(bool(item.cites) for item in replayed.steps)
    names = listed([f"{escape(name)} [{n}]" for name, n in cited.items()])
    which = "1 of them cites" if resting == 1 else f"{resting} of them cite"
    fact = "a classical fact" if len(cited) == 1 else "classical facts"
    return f"{steps}, each recomputed from its record; {which} {fact}: {names}."


def definitions_of(defined: Iterable[Defined], scope: Scope, line: float = LINE) -> str:
    """Abbreviations: in the sentence where they are short, else displayed."""
    short, long = [], []
    for item in defined:
        name = item.name if not item.indices else f"{item.name}_{{{','.join(item.indices)}}}"
        left, right = (displayed(read_text(text, scope), scope) for text in (name, item.body))
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
            short.append(f"${equation}$")
    sentence = f"Here {listed(short)}." if short else ""
    if not long:
        return sentence
    opening = f"Here {listed(short)}, and" if short else "Here"
    rows = " \\\\\n".join(long)
    return f"{opening}\n\\begin{{gather*}}\n{rows}\n\\end{{gather*}}"


def claims_of(proof: Proof, line: float = LINE) -> str:
    """What is proved, displayed; several claims are numbered."""
    many = len(proof.claims) > 1
    rows = [(claim_row(claim, proof.scope, line, many=many), mark_of(proof, claim.id)) for claim in proof.claims]
    return f"\\begin{{gather*}}\n{_marked(rows)}\n\\end{{gather*}}"


def _marked(rows: Sequence[tuple[str, str]]) -> str:
    """Rows of a display, each with its mark behind it."""
    ends = [*(" \\\\" for _ in rows[1:]), ""]
    return "\n".join(f"{row}{end} {mark}" for (row, mark), end in zip(rows, ends, strict=True))


def claim_row(claim: Claim, scope: Scope, line: float = LINE, *, many: bool = False) -> str:
    """A claim as one row of a display, numbered where there are many."""
    left, right = (displayed(read_text(text, scope), scope) for text in (claim.left, claim.right))
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
    """The pieces of a formula; what cannot be broken is made smaller."""
    found = pieces(node, room, scope)
    if len(found) == 1 and room_of(node) > room:
        return [f"\\resizebox{{{room:.0f}pt}}{{!}}{{$\\displaystyle {found[0]}$}}"]
    return found


# Chains --------------------------------------------------------------------------------------------


class _Chains:
    """The steps in displays: those of a claim together, those that only prepare it before."""

    def __init__(self, proof: Proof, cited: dict[str, int], detail: Level, line: float) -> None:
        self.line = line
        self.proof = proof
        self.scope = proof.scope
        self.cited = cited
        self.detail = detail
        self.steps = {step.id: step for step in proof.steps}
        self.referred = {name for step in proof.steps for name in step.premises}
        self.in_claims = {name for claim in proof.claims for name in claim.steps}

    def parts(self) -> Iterable[Part]:
        position = {step.id: n for n, step in enumerate(self.proof.steps)}
        told = 0
        for claim in self.proof.claims:
            last = max((position[name] for name in claim.steps if name in position), default=-1)
            before = [s for s in self.proof.steps[told : last + 1] if s.id not in self.in_claims]
            for run in _runs(before):
                first = f"First, for ({escape(claim.id)}):" if len(self.proof.claims) > 1 else "First:"
                yield Part("", first, tuple(self._display(claim, run[0].before, run)))
            told = max(told, last + 1)
            yield self._claim(claim)

    def _claim(self, claim: Claim) -> Part:
        title = f"({escape(claim.id)})" if len(self.proof.claims) > 1 else ""
        steps = [self.steps[name] for name in claim.steps]
        return Part(
            title, words(claim.words, self.scope) if claim.words else "", tuple(self._display(claim, claim.left, steps))
        )

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
        """The steps of each row: one, or in a brief proof routine ones with the one that follows."""
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
        """The rows of a chain with their marks."""
        head = displayed(read_text(left, self.scope), self.scope)
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
        node = displayed(read_text(last.after, self.scope), self.scope)
        fits = room_of(node) <= room
        found = _fitting(node, room if fits else room - _HANG, self.scope)
        sign = _sign(last.relation)
        lines = [f"{begin} &{sign} {found[0]}", *(f"&\\qquad {piece}" for piece in found[1:])]
        free = room - (room_of(node) if fits else room) - _GAP
        lines[-1] = f"{lines[-1]} \\tag*{{{self._reason(group, free)}}}"
        return lines

    def _reason(self, group: Sequence[Step], free: float) -> str:
        """The rules with the hypotheses, and why, in the room that is free beside the formula."""
        last = group[-1]
        rule, plain = self._rules(group)
        number = f"\\symattnlabel{{{escape(last.id)}}}" if last.id in self.referred else ""
        room = free - (24.0 if number else 0.0)
        remark = words(last.words, self.scope) if self.detail == "full" and last.words else ""
        if not remark:
            return f"\\symattnwhy{{{rule}}}{number}"
        first = _LETTER * len(plain)
        length = _ITALIC * len(last.words.replace("$", ""))
        if first + length + _COLON <= room:
            return f"\\symattnwhy{{{rule}: \\symattnremark{{{remark}}}}}{number}"
        box = max(first, _LEAST_REASON, min(_balanced(length, max(room, _LEAST_REASON)), _WIDEST_REASON))
        return f"\\symattnwhybox{{{box:.0f}pt}}{{{rule}\\\\ \\symattnremark{{{remark}}}}}{number}"

    def _rules(self, group: Sequence[Step]) -> tuple[str, str]:
        """The rules of a row as LaTeX, and as plain words to be measured."""
        found: list[str] = []
        for step in group:
            name = step.rule.removeprefix(_LEMMA)
            mark = f" [{self.cited[name]}]" if step.rule.startswith(_LEMMA) and name in self.cited else ""
            hypotheses = "".join(f", {item}" for item in sorted(step.hypotheses, key=_natural))
            premises = f" from {listed(_ranges(step.premises))}" if step.premises else ""
            text = f"{name}{mark}{hypotheses}{premises}"
            if text not in found:
                found.append(text)
        plain = "; ".join(found)
        return escape(plain).replace(")-(", ")--("), plain


def _balanced(length: float, room: float) -> float:
    """A width in which a text of some length makes lines that are about equally long."""
    lines = ceil(length / room)
    return length if lines <= 1 else length / lines * _RAGGED


def _natural(name: str) -> tuple[int, str]:
    """The order of names with numbers in them."""
    number = "".join(letter for letter in name if letter.isdecimal())
    return int(number) if number else 0, name


def _ranges(names: Sequence[str]) -> list[str]:
    """Ids of steps in brackets, three or more that follow each other as one range.

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
    """Steps that go on where the one before ended, together."""
    runs: list[list[Step]] = []
    for step in steps:
        if runs and runs[-1][-1].after == step.before:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _checks(proof: Proof) -> Iterable[str]:
    """What was computed besides; claims of which the same is said stand together."""
    together: dict[tuple[str, str], list[str]] = {}
    for item in proof.checks:
        found = _CLAIM_ID.match(item.text)
        name = found[0] if found else ""
        together.setdefault((item.text[len(name) :], item.result), []).append(name)
    for (text, result), names in together.items():
        said = listed(_ranges(names)).replace("(", "").replace(")", "").replace("-", "--") if names[0] else ""
        yield f"{said}{words(text, proof.scope)}: {words(result, proof.scope)}."


# Instances and falsehoods --------------------------------------------------------------------------


def _instance_row(line: tuple[str, str, str], scope: Scope) -> tuple[str, str, str]:
    text, exact, digits = line
    shown = f"${formulas(exact, scope)}$" if exact else ""
    if _room(exact, scope) > LINE * _EXACT:
        shown = f"\\resizebox{{{_EXACT}\\linewidth}}{{!}}{{{shown}}}"
    return words_or_formula(text, scope), shown, _digits(digits)


def _room(text: str, scope: Scope) -> float:
    """The width of a closed form, or a guess where it is no single formula."""
    try:
        return room_of(displayed(read_text(text, scope), scope)) if text else 0.0
    except NotationError:
        return _DIGIT * len(text)


def _column(lines: Sequence[tuple[str, str, str]], scope: Scope) -> str:
    """How much of the line is left for the words of a worked case."""
    exact = [_room(text, scope) for _, text, _ in lines]
    digits = [_DIGIT * len(text) for _, _, text in lines]
    free = LINE - min(max([*exact, _HEADER]), _EXACT * LINE) - max(digits, default=0.0) - _TABLE_GAPS
    return f"{min(max(free / LINE, 0.2), 0.6):.2f}"


def _digits(text: str) -> str:
    """Digits as they were certified; many of them may break after every fifth."""
    sign, mark, exponent = text.partition("e") if text[:1].isdigit() or text[:1] == "-" else (text, "", "")
    if mark and exponent.lstrip("-").isdigit():
        return f"${sign} \\times 10^{{{exponent}}}$"
    return f"${text}$" if text.replace("-", "").replace(".", "").isdigit() else escape(text)


def false_claim(item: Refutation) -> FalseClaim:
    """A falsehood as LaTeX."""
    scope = item.scope
    left, right = (displayed(read_text(text, scope), scope) for text in (item.left, item.right))
    sides = f"{written(left, scope)} {_sign(item.relation)} {written(right, scope)}"
    claim = f"${sides}$" if room_of(left) + room_of(right) < 0.8 * LINE else f"\\newline\\symattnfit{{{sides}}}"
    return FalseClaim(
        says=words_or_formula(item.says, scope),
        claim=claim,
        example=_example(item),
        values=_values(item, left, right) + _broken(item),
        instead=words_or_formula(item.instead, scope),
    )


def _example(item: Refutation) -> str:
    scope = item.scope
    known = [f"${formula(name, scope)} = {formula(value, scope)}$" for name, value in item.numbers]
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
    """The outcomes with their probabilities; independent entries are told one by one."""
    if len(item.law) > _FEW_OUTCOMES:
        apart = _independent_entries(item, scope)
        if apart:
            return apart
    shown = item.law[:_MAX_OUTCOMES]
    outcomes = [", ".join(_entries(entries, scope)) for _, entries in shown]
    weights = [weight for weight, _ in shown]
    rest = "" if len(item.law) == len(shown) else f"; and {len(item.law) - len(shown)} further outcomes"
    if len(set(weights)) == 1 and len(weights) > 1 and not rest:
        each = f"each with probability ${formula(weights[0], scope)}$"
        return f"{each}: {' or '.join(outcomes)}" if len(outcomes) == 2 else f"{each}: {'; '.join(outcomes)}"
    parts = [f"{text} with probability ${formula(w, scope)}$" for text, w in zip(outcomes, weights, strict=True)]
    return "; ".join(parts) + rest


_Marginal = tuple[tuple[str, Fraction], ...]


def _independent_entries(item: Refutation, scope: Scope) -> str:
    """The laws of the single entries, where the joint law is their product; nothing where it is not."""
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
    where = ", ".join(
        f"in the entry ({value})" if name == "entry" else f"for ${formula(name, scope)} = {value}$"
        for name, value in item.place
    )
    one, other = (_side(*pair, scope) for pair in (
        (item.left_value, item.left_digits), (item.right_value, item.right_digits),
    ))  # fmt: skip
    if item.relation == _EQUIVALENT:
        return f"Then the left relation is {item.left_value} and the right one {item.right_value}"
    place = f" {where}" if where else ""
    first, second = written(left, scope), written(right, scope)
    if room_of(left) + room_of(right) > 0.75 * LINE:
        return f"Then the left side is ${one}$ and the right side ${other}${place}"
    if second == other and item.relation == "=":
        return f"Then ${first} = {one}$, not ${second}${place}"
    if first == one and item.relation == "=":
        return f"Then ${second} = {other}$, not ${first}${place}"
    return f"Then ${_with_value(first, one)}$, but ${_with_value(second, other)}${place}"


def _broken(item: Refutation) -> str:
    """Which hypotheses the example does not satisfy."""
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
