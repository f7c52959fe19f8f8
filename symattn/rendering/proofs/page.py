"""Proofs on paper: the theorem with its hypotheses, chains of steps with their reasons, what was checked besides.

Nothing is proved here: what is set was replayed before, and the page says what replay found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.counterexamples import Refuted
from symattn.proofs.kernel.record import Claim, Proof
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Defined, Scope
from symattn.proofs.lemmas.statements import STATEMENTS
from symattn.proofs.proof_replay import Replayed
from symattn.records import dataclass
from symattn.rendering.content import Level
from symattn.rendering.latex.templates import fill
from symattn.rendering.latex.typesetting import escape, fitted, listed
from symattn.rendering.latex.widths import LEAST_SCALE, LINE, RELATION
from symattn.rendering.proofs.chains import (
    GAP,
    HANG,
    MARGIN,
    Chains,
    Part,
    fitting,
    mark_of,
    marked,
    relation_sign,
    step_ranges,
)
from symattn.rendering.proofs.formulas import (
    displayed,
    formula,
    formulas,
    in_line,
    room_of,
    side,
    words,
    words_or_formula,
    written,
)
from symattn.rendering.proofs.named_functions import meanings
from symattn.rendering.proofs.refutations import (
    FalseClaim,
    breakable_digits,
    false_claim,
    named,
)

_CLAIM_ID = re.compile(r"C[0-9]+")
_DIGIT = 5.6
_IN_A_CELL = 0.92
_BOX = 14.0
"""The width of both borders of a box with their distance from what is inside, in points."""
_LEAST_WORD = 48.0
_TABLE_GAPS = 30.0
_LEAST_WORDS = 0.2
_LEAST_DIGITS = 30.0
_HEADER = 64.0
_EXACT = 0.4
_ENTRY = re.compile(r"\b(d?[A-Z](?:_[A-Z])?)\[(\d+),(\d+)\]")
_NO_NAMES = Scope(())
_DOMAINS = {
    "whole": ("a positive whole number", "positive whole numbers"),
    "positive": ("positive", "positive"),
    "nonnegative": ("not negative", "not negative"),
}
_NAME = re.compile(r"[A-Za-z]\w*")
_UPPER = re.compile(r"sum_\{[^{}]*\}\^\{([^{}]*)\}")


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
        auxiliary: the claims that only prepare others, likewise.
        parts: the proof.
        instance: rows of a worked case: what, closed form, digits.
        columns: the widths of its columns.
        checks: what was computed besides.
        falsehoods: what is often written, and is false.
        lemmas: the classical facts that are cited, with their sources.
        source: where the theorem comes from.
        rest: what is said of claims that are not shown.
        foot: which claims Coq has checked.
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
    auxiliary: str = ""
    foot: str = ""

    def to_latex(self) -> str:
        """Return the page as a LaTeX document."""
        return fill("proof", page=self)


def proof_page(
    proof: Proof,
    replayed: Replayed,
    falsehoods: Sequence[Refuted] = (),
    instance: Sequence[tuple[str, str, str]] = (),
    detail: Level = "full",
    line: float = LINE,
    auxiliary: Collection[str] = (),
) -> ProofPage:
    """Return the parts of the page as LaTeX, for lines of a width in points.

    Args:
        proof: the proof.
        replayed: what replay found of it.
        falsehoods: false variants with their counter-examples.
        instance: lines of a worked case: words with formulas between dollars, closed form, digits.
        detail: ``"full"``, or ``"brief"`` without remarks and with routine steps drawn together.
        line: the width.
        auxiliary: the ids of the claims that only prepare others.
    """
    scope = proof.scope
    main, others = results(proof, auxiliary)
    cited = {name: n for n, name in enumerate(replayed.cites, start=1)}
    return ProofPage(
        title=escape(proof.title),
        label=escape(proof.name),
        parameters=_parameters(proof),
        head=head_of(replayed, cited),
        statement=words(proof.statement, scope),
        hypotheses=tuple((name, _hypothesis(text, which, scope)) for name, text, which in hypotheses_of(proof)),
        defined="\n".join(
            filter(None, (domains_of(proof), notation_of(proof), definitions_of(scope.defined, scope, line)))
        ),
        claims=claims_of(proof, line - _BOX, main),
        auxiliary=claims_of(proof, line, others) if others else "",
        parts=tuple(Chains(proof, cited, detail, line).parts()),
        instance=tuple(_instance_row(row, scope, line) for row in instance),
        columns=_columns(instance, scope, line),
        checks=tuple(_check(*item, scope) for item in checks_of(proof)),
        falsehoods=tuple(false_claim(item, scope) for item in falsehoods),
        lemmas=lemmas_of(cited),
        source=escape(proof.source),
    )


def _parameters(proof: Proof) -> str:
    """Return the chosen values; a letter that stands for itself was not chosen."""
    chosen = chosen_parameters(proof)
    return listed([_parameter(name, value, proof.scope) for name, value in chosen]) if chosen else ""


def chosen_parameters(proof: Proof) -> list[tuple[str, str]]:
    """Return the names and values that were chosen; a letter that stands for itself was not."""
    return [(name, value) for name, value in proof.parameters if name != value]


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


def foot_of(proof: Proof, checked: Mapping[str, tuple[str, ...]]) -> str:
    """Say which claims Coq has checked and which rest on replay alone; nothing where it has checked none.

    Args:
        proof: the record.
        checked: for each claim that Coq has checked the classical lemmas that it assumes.
    """
    if not checked:
        return ""
    claims: dict[tuple[str, ...], list[str]] = {}
    for claim, lemmas in checked.items():
        claims.setdefault(lemmas, []).append(claim)
    alone = claims.pop((), [])
    by_coq = "checked by Coq 8.16 (no axioms but those of its real numbers)"
    said = [f"{_listed_ids(alone)} {by_coq}"] if alone else []
    said += [
        f"{_listed_ids(ids)} {'so too' if said else by_coq}, with {listed(list(map(escape, lemmas)))} as "
        f"{'a premise' if len(lemmas) == 1 else 'premises'}"
        for lemmas, ids in claims.items()
    ]
    rest = [claim.id for claim in proof.claims if claim.id not in checked]
    return "; ".join([*said, *([f"{_listed_ids(rest)} recomputed by symattn alone"] if rest else [])]) + "."


def lemmas_of(cited: dict[str, int]) -> tuple[tuple[str, str, str], ...]:
    """Return the classical facts that are cited: number, statement and source."""
    return tuple(
        (str(n), words(STATEMENTS[name].statement, _NO_NAMES), escape(STATEMENTS[name].source))
        for name, n in cited.items()
    )


def domains_of(proof: Proof) -> str:
    r"""Return in a sentence which of the declared names are whole numbers, positive, or not negative.

    A length of a vector and an upper end of a sum are whole numbers from 1 on.
    """
    scope = proof.scope
    sizes = [size for item in scope.declared for size in item.sizes]
    sizes += [size for item in scope.defined for size in item.sizes]
    texts = [item.body for item in scope.defined] + [
        side for claim in proof.claims for side in (claim.left, claim.right)
    ]
    lengths = set(_NAME.findall(" ".join([*sizes, *_UPPER.findall(" ".join(texts))])))
    names: dict[str, list[str]] = {"whole": [], "positive": [], "nonnegative": []}
    for item in scope.declared:
        if item.sign != "real" and not item.random:
            index = f"_{{{'ij'[: len(item.sizes)]}}}" if item.sizes else ""
            names["whole" if item.name in lengths else item.sign].append(f"${formula(item.name + index, scope)}$")
    found = [
        f"{listed(of)} {'is' if len(of) == 1 else 'are'} {_DOMAINS[domain][len(of) > 1]}"
        for domain, of in names.items()
        if of
    ]
    return f"Throughout, {listed(found)}." if found else ""


def notation_of(proof: Proof) -> str:
    """Return in a sentence what the symbols in the claims and steps of a proof mean, where they need it."""
    steps = (text for step in proof.steps for text in (step.before, step.after))
    return meanings([*(text for claim in proof.claims for text in (claim.left, claim.right)), *steps])


def definitions_of(defined: Iterable[Defined], scope: Scope, line: float = LINE) -> str:
    """Return the abbreviations: in the sentence where they are short, else displayed."""
    short, long = [], []
    for item in defined:
        left, right = (side(text, scope) for text in (named(item), item.body))
        has_sum = any(isinstance(node, t.SumOver | t.Division) for node in walk(right))
        equation = f"{written(left, scope)} = {written(right, scope)}"
        if has_sum or room_of(left) + room_of(right) > 0.5 * line:
            room = line - room_of(left) - RELATION - MARGIN
            found = fitting(right, room if room_of(right) <= room else room - HANG, scope)
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


def hypotheses_of(proof: Proof) -> list[tuple[str, str, str]]:
    """Return ids and hypotheses, and the claims that need each where some claims do without it, as typed."""
    needed = {claim.id: proof.hypotheses_of(claim.steps) for claim in proof.claims}
    found = []
    for item in proof.scope.hypotheses:
        claims = [name for name, own in needed.items() if item.id in own]
        if not claims:
            continue  # a key that shows some of the claims shows what they rest on
        found.append((item.id, item.text, f"for {_listed_ids(claims)}" if len(claims) < len(needed) else ""))
    return found


def _hypothesis(text: str, which: str, scope: Scope) -> str:
    return words(text, scope) + (f" {{\\symattnsoft ({which})}}" if which else "")


def _listed_ids(names: Sequence[str]) -> str:
    """Return ids of claims in words, three or more consecutive ones as a range."""
    return listed(step_ranges(names)).replace("(", "").replace(")", "").replace("-", "--")


def results(proof: Proof, auxiliary: Collection[str]) -> tuple[list[Claim], list[Claim]]:
    """Return the main claims, and those that only prepare them; all are main ones where no other is shown."""
    main = [claim for claim in proof.claims if claim.id not in auxiliary] or list(proof.claims)
    return main, [claim for claim in proof.claims if claim not in main]


def claims_of(proof: Proof, line: float, claims: Iterable[Claim]) -> str:
    """Display claims of a proof; they are numbered where it has several."""
    many = len(proof.claims) > 1
    rows = [(claim_row(claim, proof.scope, line, many=many), mark_of(proof, claim.id)) for claim in claims]
    return f"\\begin{{gather*}}\n{marked(rows)}\n\\end{{gather*}}"


def claim_row(claim: Claim, scope: Scope, line: float = LINE, *, many: bool = False) -> str:
    """Return a claim as one row of a display, numbered where there are many."""
    left, right = (side(text, scope) for text in (claim.left, claim.right))
    room = line - MARGIN - (GAP + 24.0 if many else 0.0)
    number = f" \\tag*{{\\symattnlabel{{{escape(claim.id)}}}}}" if many else ""
    sign = relation_sign(claim.relation)
    if room_of(left) + RELATION + room_of(right) <= room:
        return f"{written(left, scope)} {sign} {written(right, scope)}{number}"
    rows = [f"&{piece}" for piece in fitting(left, room, scope)]
    rows.extend(
        f"&\\quad {sign if n == 0 else ''} {piece}" for n, piece in enumerate(fitting(right, room - HANG - 24, scope))
    )
    body = " \\\\ ".join(rows)
    return f"\\begin{{aligned}} {body} \\end{{aligned}}{number}"


def checks_of(proof: Proof) -> Iterable[tuple[str, str, str]]:
    """Return the numerical checks as typed: ids of claims, what was computed, the result; equal ones stand together."""
    together: dict[tuple[str, str], list[str]] = {}
    for item in proof.checks:
        found = _CLAIM_ID.match(item.text)
        name = found[0] if found else ""
        together.setdefault((item.text[len(name) :], item.result), []).append(name)
    for (text, result), names in together.items():
        is_only = len(proof.claims) == len(proof.checks) == 1
        said = _listed_ids(names) if names[0] and not is_only else ""
        yield said, text if said else text.removeprefix(", "), result


def _check(said: str, text: str, result: str, scope: Scope) -> str:
    shown = f"{said}{words(text, scope)}".strip()
    return f"{shown[:1].upper()}{shown[1:]}: {words(result, scope)}."


def _instance_row(row: tuple[str, str, str], scope: Scope, line: float) -> tuple[str, str, str]:
    text, exact, digits = row
    needed, room = _room(exact, scope), line * _EXACT
    # A closed form that no cell holds at a readable size is left to its digits.
    shown = formulas(exact, scope) if exact and needed <= room / LEAST_SCALE else ""
    shown = (fitted(shown, needed, room) if needed > room else f"${shown}$") if shown else ""
    return words_or_formula(instance_words(text), scope), shown, breakable_digits(digits)


def instance_words(text: str) -> str:
    """Return the words of a worked case, with entries of matrices as formulas.

    >>> instance_words("the entry dA[1,2]")
    'the entry $(dA)_{1,2}$'
    """
    return _ENTRY.sub(r"$(\1)_{\2,\3}$", text)


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
