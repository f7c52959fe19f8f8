"""False claims on paper, with their counter-examples worked out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from symattn.notation.tree import nodes as t
from symattn.proofs.cases.counterexamples import Refuted
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Defined, Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.records import dataclass
from symattn.rendering.latex.templates import fill
from symattn.rendering.latex.typesetting import escape, fitted, listed
from symattn.rendering.latex.widths import LINE, RELATION
from symattn.rendering.proofs.chains import (
    EQUIVALENT,
    relation_sign,
)
from symattn.rendering.proofs.formulas import (
    formula,
    in_line,
    inline,
    room_of,
    side,
    words,
    words_or_formula,
    written,
)

_NEGATED = {"≤": "\\le", "≥": "\\ge", "<": "<", ">": ">"}
"""Relations as they are denied beside a number."""
_MAX_OUTCOMES = 8
_FEW_OUTCOMES = 4
_NESTED = 2
Rows = tuple[tuple[str, ...], ...]
Law = tuple[tuple[str, tuple[tuple[str, Rows], ...]], ...]
_Marginal = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A falsehood as LaTeX: the claim in words and as a formula, the example, both sides, what holds instead."""

    says: str
    claim: str
    example: str
    values: str
    instead: str


def counterexample_latex(title: str, without: str, statement: str, refutation: Refuted) -> str:
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


def breakable_digits(text: str) -> str:
    """Return digits as they were certified; many of them may break after every fifth."""
    sign, mark, exponent = text.partition("e") if text[:1].isdigit() or text[:1] == "-" else (text, "", "")
    if mark and exponent.lstrip("-").isdigit():
        return f"${sign} \\times 10^{{{exponent}}}$"
    return f"${text}$" if text.replace("-", "").replace(".", "").isdigit() else escape(text)


def false_claim(item: Refuted, around: Scope | None = None) -> FalseClaim:
    """Return a falsehood as LaTeX; abbreviations that the page around it does not explain are explained."""
    scope = item.scope
    left, right = (side(text, scope) for text in (item.falsehood.left, item.falsehood.right))
    sides = f"{written(left, scope)} {relation_sign(item.falsehood.relation)} {written(right, scope)}"
    needed = room_of(left) + RELATION + room_of(right)
    is_short = needed < 0.8 * LINE and not _is_high(left) and not _is_high(right)
    known = () if around is None else around.defined
    where = [name for name in spoken_of(item) if name not in known]
    return FalseClaim(
        says=words_or_formula(item.falsehood.says, scope),
        claim=_claimed(sides, needed, _explained(where, scope), is_short=is_short),
        example=example_of(item),
        values=values_of(item, left, right),
        instead=words_or_formula(item.falsehood.right_version, scope),
    )


def spoken_of(item: Refuted) -> list[Defined]:
    """Return the abbreviations of a false claim, directly or through others."""
    bodies = {own.name: (own.body,) for own in item.scope.defined}
    sides = (read_text(text, item.scope) for text in (item.falsehood.left, item.falsehood.right))
    names = names_reached(sides, bodies, item.scope)
    return [own for own in item.scope.defined if own.name in names]


def _claimed(sides: str, needed: float, explained: str, *, is_short: bool) -> str:
    """Return the formula of a false claim with what explains its names, in the line or displayed."""
    if is_short:
        return f"${in_line(sides)}${', with ' if explained else ''}{explained}."
    end = "" if explained else "."
    shown = f"{sides}{end}" if needed < 0.85 * LINE else fitted(f"{sides}{end}", needed, 0.85 * LINE)
    return f"\\[ {shown} \\]{f' with {explained}.' if explained else ''}"


def _explained(items: Sequence[Defined], scope: Scope) -> str:
    return listed([f"${inline(named(item), scope)} = {inline(item.body, scope)}$" for item in items]) if items else ""


def named(item: Defined) -> str:
    """Return an abbreviation with its indices."""
    return item.name if not item.indices else f"{item.name}_{{{','.join(item.indices)}}}"


def _is_high(node: t.Node, inside: int = 0) -> bool:
    """Return whether quotients stand in quotients: too much for a line of text."""
    if inside >= _NESTED:
        return True
    return any(_is_high(child, inside + isinstance(node, t.Division)) for child in t.children(node))


def example_of(item: Refuted) -> str:
    """Return the sizes, numbers, matrices and laws of the example, as LaTeX."""
    scope = item.scope
    example = item.falsehood.example
    numbers = (*((name, str(size)) for name, size in example.sizes), *example.scalars)
    known = [f"${formula(name, scope)} = {inline(value, scope)}$" for name, value in numbers]
    known.extend(_entries(example.entries, scope))
    sentence = listed(known) if known else ""
    if example.law:
        laws = _law(example.law, scope)
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


def _law(law: Law, scope: Scope) -> str:
    """Return the outcomes with their probabilities; independent entries are told one by one."""
    if len(law) > _FEW_OUTCOMES:
        apart = _independent_entries(law, scope)
        if apart:
            return apart
    shown = law[:_MAX_OUTCOMES]
    outcomes = [", ".join(_entries(entries, scope)) for _, entries in shown]
    weights = [weight for weight, _ in shown]
    rest = "" if len(law) == len(shown) else f"; and {len(law) - len(shown)} further outcomes"
    if len(set(weights)) == 1 and len(weights) > 1 and not rest:
        each = f"with probability ${inline(weights[0], scope)}$ each"
        return f"{each}, {' or '.join(outcomes)}" if len(outcomes) == 2 else f"{each}, {'; '.join(outcomes)}"
    parts = [f"{text} with probability ${formula(w, scope)}$" for text, w in zip(outcomes, weights, strict=True)]
    return "; ".join(parts) + rest


def _independent_entries(whole: Law, scope: Scope) -> str:
    """Return the laws of the single entries, where the joint law is their product; nothing where it is not."""
    names = [name for name, _ in whole[0][1]]
    places = [(name, i, j) for name, rows in whole[0][1] for i, row in enumerate(rows) for j, _ in enumerate(row)]
    marginals: dict[tuple[str, int, int], dict[str, Fraction]] = {place: {} for place in places}
    for weight, entries in whole:
        if [name for name, _ in entries] != names:
            return ""
        given = dict(entries)
        for name, i, j in places:
            law = marginals[name, i, j]
            law[given[name][i][j]] = law.get(given[name][i][j], Fraction(0)) + Fraction(weight)
    if prod(len(law) for law in marginals.values()) != len(whole):
        return ""
    for weight, entries in whole:
        given = dict(entries)
        if Fraction(weight) != prod((marginals[n, i, j][given[n][i][j]] for n, i, j in places), start=Fraction(1)):
            return ""
    groups: dict[_Marginal, list[str]] = {}
    shapes = {name: (len(rows), len(rows[0])) for name, rows in whole[0][1]}
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


def values_of(item: Refuted, left: t.Node, right: t.Node) -> str:
    """Return both sides of a false claim at its example, and the hypotheses that fail there, as LaTeX."""
    return _values(item, left, right) + _broken(item)


def _values(item: Refuted, left: t.Node, right: t.Node) -> str:
    scope = item.scope
    entry = [f"in the entry ({value})" for name, value in item.sides.place if name == "entry"]
    indices = [f"${formula(name, scope)} = {value}$" for name, value in item.sides.place if name != "entry"]
    where = " ".join([*entry, *([f"for {listed(indices)}"] if indices else [])])
    one, other = (_side(*pair, scope) for pair in (
        (item.sides.left, item.sides.left_digits), (item.sides.right, item.sides.right_digits),
    ))  # fmt: skip
    if item.falsehood.relation == EQUIVALENT:
        return f"Then the left relation is {item.sides.left} and the right one {item.sides.right}"
    place = f" {where}" if where else ""
    one, other, first, second = map(in_line, (one, other, written(left, scope), written(right, scope)))
    if room_of(left) + room_of(right) > 0.75 * LINE or _is_high(left) or _is_high(right):
        return f"Then the left side is ${one}$ and the right side ${other}${place}"
    if second == other and item.falsehood.relation == "=":
        return f"Then ${first} = {one}$, not ${second}${place}"
    if first == one and item.falsehood.relation == "=":
        return f"Then ${second} = {other}$, not ${first}${place}"
    if second == other and item.falsehood.relation in _NEGATED:
        return f"Then ${_with_value(first, one)}$, which is not ${_NEGATED[item.falsehood.relation]} {second}${place}"
    if second == other and item.falsehood.relation == "≠":
        return f"Then ${_with_value(first, one)}${place}"
    joined = " and" if item.falsehood.relation == "≠" else ", but"
    return f"Then ${_with_value(first, one)}${joined} ${_with_value(second, other)}${place}"


def _broken(item: Refuted) -> str:
    """Name the hypotheses that the example does not satisfy."""
    if not item.broken:
        return ""
    return f"; {listed(list(map(escape, item.broken)))} {'fails' if len(item.broken) == 1 else 'fail'} there"


def _with_value(name: str, value: str) -> str:
    return name if name == value else f"{name} = {value}"


def _side(value: str, digits: str, scope: Scope) -> str:
    if not value:
        return f"{breakable_digits(digits).strip('$')}\\ldots" if digits[:1] != "[" else escape(digits)
    exact = formula(value, scope)
    is_rational = all(letter in "0123456789-/ " for letter in value)
    return exact if is_rational else f"{exact} \\approx {breakable_digits(digits).strip('$')}"
