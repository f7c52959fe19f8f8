"""A theorem with its proof as a page, or as part of a key; and a counter-example in the place of a proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType

from symattn import late
from symattn.errors import NotationError
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import GREEK
from symattn.notation.tree.traversal import rebuilt
from symattn.proofs.cases.counterexamples import Refuted
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Defined, Scope
from symattn.proofs.lemmas.statements import STATEMENTS
from symattn.rendering.content import Level, Proved
from symattn.rendering.html import page
from symattn.rendering.latex.prose import split_at_commas
from symattn.rendering.proofs import in_key
from symattn.rendering.proofs.chains import Chains, mark_of, runs, sentence
from symattn.rendering.proofs.formulas import (
    displayed,
    functions_of,
    raw_names,
    side,
    with_dollars,
)
from symattn.rendering.proofs.page import (
    checks_of,
    chosen_parameters,
    domains_of,
    foot_of,
    head_of,
    hypotheses_of,
    instance_words,
    notation_of,
    results,
)
from symattn.rendering.proofs.refutations import example_of, named, spoken_of, values_of

_RAW = late.pattern(r'<mi mathvariant="normal">symattnraw(\d+)</mi>')
_ACCENT = late.pattern(r"\\(bar|hat|tilde)\{\\?([A-Za-z]+)\}")
_ACCENTS = {"bar": "¯", "hat": "^", "tilde": "~"}
_NUMERAL = late.pattern(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", re.ASCII)
_FACTORIAL = late.pattern(r"(\([^()]*\))!\\,")


def proof_page(
    item: Proved,
    falsehoods: Sequence[Refuted] = (),
    detail: Level = "full",
    checked: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> str:
    """Return a theorem with its proof as a page of one file, and the claims that Coq has checked at its foot."""
    proof = item.proof
    foot = [f'<p class="soft">{page.words(said)}</p>'] if (said := foot_of(proof, checked)) else []
    body = [
        page.header(page.plain(proof.title), f"{page.plain(proof.name)}. {_head(item)}"),
        *theorem(item, falsehoods, detail, "h2"),
        *foot,
        page.footer(page.plain(proof.source)),
    ]
    return page.page(proof.title, "\n".join(body))


def counterexample_page(title: str, without: str, statement: str, refutation: Refuted) -> str:
    """Return a counter-example that stands in the place of a proof as a page of one file."""
    scope = refutation.scope
    why = f"There is no proof without {without}: a counter-example, both sides worked out exactly."
    body = [
        page.header(page.plain(f"{title} without {without}"), page.plain(why)),
        f"<h2>The theorem says</h2>\n<p>{_words(statement, scope)}</p>",
        _terms([(item.id, _words(item.text, scope)) for item in scope.hypotheses]),
        f"<h2>Without {page.plain(without)} it is false</h2>",
        *_falsehood(refutation, None),
    ]
    return page.page(f"{title} without {without}", "\n".join(body))


def theorem(item: Proved, falsehoods: Sequence[Refuted], detail: Level, tag: str) -> Iterator[str]:
    """Yield the statement of a theorem, its proof, and what was computed besides, with headings of a tag."""
    proof, scope = item.proof, item.proof.scope
    yield f"<{tag}>Theorem</{tag}>\n<p>{_words(proof.statement, scope)}</p>"
    if not item.is_whole:
        name = f"<code>{escape(proof.name)}</code>"
        yield f"<p>Of this the following is shown here; <code>symattn prove</code> {name} shows all.</p>"
    main, others = results(proof, item.auxiliary)
    yield from ('<div class="results">', *_claims(proof, main), "</div>")
    for said in filter(None, (domains_of(proof), notation_of(proof))):
        yield f"<p>{_latex(said, scope)}</p>"
    yield _definitions(scope.defined if item.is_whole else in_key.shown_definitions(proof), scope)
    if hypotheses := hypotheses_of(proof):
        yield f"<{tag}>Hypotheses</{tag}>"
        yield _terms(
            [
                (name, _words(text, scope) + (page.plain(f" ({which})") if which else ""))
                for name, text, which in hypotheses
            ]
        )
    if others:
        yield f"<{tag}>Auxiliary claims</{tag}>"
        yield from _claims(proof, others)
    yield f"<{tag}>Proof</{tag}>"
    yield from _chains(item, item.detail or detail)
    if item.instance:
        yield f"<{tag}>In numbers</{tag}>"
        yield _instance(item.instance, scope)
    if falsehoods:
        yield f"<{tag}>What is often written, and is false</{tag}>"
        for refuted in falsehoods:
            yield from _falsehood(refuted, scope)
    if checks := list(checks_of(proof)):
        yield f"<{tag}>Computed besides</{tag}>"
        yield from (f"<p>{_check(*found, scope)}</p>" for found in checks)
    yield from _lemmas(item)


def fact(item: Proved) -> Iterator[str]:
    """Yield a fact with its claims and the manner of its proof."""
    proof, scope = item.proof, item.proof.scope
    title = f"<strong>{page.plain(proof.title)}.</strong>"
    if item.is_whole:
        yield f"<p>{title} {_words(proof.statement, scope)}</p>"
    else:
        said = _words(proof.claims[0].words, scope) if len(proof.claims) == 1 else ""
        yield f"<p>{title} {said[:1].upper()}{said[1:]}{':' if said else ''}</p>"
        yield from _claims(proof, proof.claims)
        hypotheses = in_key.used_hypotheses(proof)
        yield _definitions(in_key.spoken_of(proof, in_key.claimed(proof) + hypotheses), scope)
        given = "; ".join(_words(text, scope) for text in hypotheses)
        yield f"<p>Given: {given}.</p>" if given else ""
    yield f'<p class="soft">(<code>{escape(proof.name)}</code>: {_head(item)})</p>'
    yield from _lemmas(item)


def head(item: Proved) -> str:
    """Return the name of a theorem in a key with how it was proved."""
    return f'<p class="soft"><code>{escape(item.proof.name)}</code>: {_head(item)}</p>'


def _head(item: Proved) -> str:
    cited = {name: n for n, name in enumerate(item.replayed.cites, start=1)}
    chosen = " and ".join(_parameter(*pair, item.proof.scope) for pair in chosen_parameters(item.proof))
    return page.words(head_of(item.replayed, cited)) + (f" Here {chosen}." if chosen else "")


def _parameter(name: str, value: str, scope: Scope) -> str:
    """Return a number as an equation, a list in parentheses, a word as a word."""
    if not any(letter.isdecimal() for letter in value):
        return page.plain(f"{name}: {value}")
    return _words(
        f"${name}$ = ({', '.join(f'${one.strip()}$' for one in value.split(','))})"
        if "," in value
        else f"${name} = {value}$",
        scope,
    )


def _check(said: str, text: str, result: str, scope: Scope) -> str:
    shown = f"{page.plain(said)}{_words(text, scope)}".strip()
    return f"{shown[:1].upper()}{shown[1:]}: {_words(result, scope)}."


def _lemmas(item: Proved) -> Iterator[str]:
    for number, name in enumerate(item.replayed.cites, start=1):
        lemma = STATEMENTS[name]
        yield f'<p class="soft">[{number}] {_words(lemma.statement, Scope(()))} ({page.plain(lemma.source)})</p>'


def _terms(pairs: Iterable[tuple[str, str]]) -> str:
    items = "".join(f'<li><b class="id">{page.plain(name)}</b> {text}</li>' for name, text in pairs)
    return f'<ul class="plain">{items}</ul>'


def _claims(proof: Proof, claims: Iterable[Claim]) -> Iterator[str]:
    many = len(proof.claims) > 1
    for claim in claims:
        left, right = (side(text, proof.scope) for text in (claim.left, claim.right))
        label = f'<span class="id">({page.plain(claim.id)})</span>' if many else ""
        written = _related(left, claim.relation, right, proof.scope, mark_of(proof, claim.id))
        yield f'<div class="claim">{written}{label}</div>'


def _definitions(defined: Iterable[Defined], scope: Scope) -> str:
    rows = [_set(t.Relation((side(named(item), scope), side(item.body, scope)), ("=",)), scope) for item in defined]
    return f"<p>Here</p>\n{''.join(rows)}" if rows else ""


# The proof -----------------------------------------------------------------------------------------


def _chains(item: Proved, detail: Level) -> Iterator[str]:
    proof = item.proof
    cited = {name: n for n, name in enumerate(item.replayed.cites, start=1)}
    chains = Chains(proof, cited, detail, 0.0)
    for claim, before, steps in chains.told():
        label = f'<span class="id">({page.plain(claim.id)})</span> ' if len(proof.claims) > 1 else ""
        remark = sentence(_words(claim.words, proof.scope))
        if before:
            yield f"<p>{label}{remark} First:</p>"
            for run in runs(before):
                yield _chain(chains, claim.id, run[0].before, run)
            label, remark = "", "Then:"
        if label or remark:
            yield f"<p>{label}{remark}</p>"
        yield _chain(chains, claim.id, claim.left, steps)


def _chain(chains: Chains, claim: str, left: str, steps: Sequence[Step]) -> str:
    """Return a chain of steps: where it begins, then each relation with its reason."""
    scope, proof = chains.scope, chains.proof
    rows = [_set(side(left, scope), scope, mark_of(proof, f"{claim} begins"))]
    for group in chains.groups(steps):
        last = group[-1]
        note = mark_of(proof, f"{claim} {','.join(step.id for step in group)}")
        written = _related(None, last.relation, side(last.after, scope), scope, note)
        number = f' <span class="id">({chains.numbers[last.id]})</span>' if last.id in chains.numbers else ""
        remark = f": <em>{_words(last.words, scope)}</em>" if chains.detail == "full" and last.words else ""
        why = f"{page.plain(chains.rules(group)).replace(')-(', ')–(')}{remark}{number}"
        rows.append(f'<div class="step">{written}<span class="soft">{why}</span></div>')
    return "\n".join(['<div class="proof">', *rows, "</div>"])


def _instance(rows: Sequence[tuple[str, str, str]], scope: Scope) -> str:
    cells = (
        (
            _words(with_dollars(instance_words(text), scope), scope),
            _formulas(exact, scope) if exact else "",
            _digits(digits),
        )
        for text, exact, digits in rows
    )
    return page.table_html("A worked case", ("quantity", "closed form", "value"), cells)


def _falsehood(item: Refuted, around: Scope | None) -> Iterator[str]:
    scope, false = item.scope, item.falsehood
    yield f"<p><em>“{_words(with_dollars(false.says, scope), scope)}”</em></p>"
    sides = tuple(side(text, scope) for text in (false.left, false.right))
    yield f'<div class="indented">\n<p>As a formula,</p>\n{_related(sides[0], false.relation, sides[1], scope)}'
    yield _definitions([own for own in spoken_of(item) if around is None or own not in around.defined], scope)
    values = f"{values_of(item, *sides)}."
    yield f"<p>Take {_latex(example_of(item), scope)}. {_latex(values, scope)}</p>"
    yield f"<p>Instead: {_words(with_dollars(false.right_version, scope), scope)}.</p>\n</div>"


def _digits(text: str) -> str:
    """Return certified digits as a number, anything else as it is."""
    if not _NUMERAL.fullmatch(text):
        return page.plain(text)
    number = t.Number(text.removeprefix("-"))
    return page.formula(t.Negative(number) if text.startswith("-") else number)


# Formulas ------------------------------------------------------------------------------------------


def _set(node: t.Node, scope: Scope, note: str = "", *, display: bool = True) -> str:
    """Return a formula of a proof as it is set on paper."""
    written = page.formula(_means(node), note, display=display, functions=functions_of(scope))
    raw = list(raw_names(scope).values())
    return _RAW.sub(lambda found: _raw_name(raw[int(found[1])]), written)


def _means(node: t.Node) -> t.Node:
    """Return the tree with the letter of an expectation as it is set."""
    match node:
        case t.Call(t.Name("E"), (body,)):
            return t.Call(t.Name("E", font="blackboard"), (_means(body),))
        case _:
            return rebuilt(node, _means)


def _related(left: t.Node | None, sign: str, right: t.Node, scope: Scope, note: str = "") -> str:
    """Return a relation of two sides, which may be relations themselves."""
    if not isinstance(left, t.Relation) and not isinstance(right, t.Relation):
        return _set(t.Relation((left, right), (sign,)), scope, note)
    before = "" if left is None else _set(left, scope, note)
    return f'<div class="chain">{before}<span>{sign}</span>{_set(right, scope, note)}</div>'


def _raw_name(latex: str) -> str:
    r"""Return a name with a form of its own, ``\bar{z}`` or ``\varepsilon``."""
    found = _ACCENT.fullmatch(latex)
    if found is None:
        return f"<mi>{GREEK.get(latex.removeprefix(chr(92)), escape(latex))}</mi>"
    letter = GREEK.get(found[2], found[2])
    return f'<mover accent="true"><mi>{letter}</mi><mo stretchy="false">{_ACCENTS[found[1]]}</mo></mover>'


def _words(text: str, scope: Scope) -> str:
    """Return prose with formulas between dollar signs."""
    parts = text.split("$")
    return "".join(_formulas(part, scope) if n % 2 else page.plain(part) for n, part in enumerate(parts))


def _formulas(text: str, scope: Scope) -> str:
    """Return one formula, or several with commas between them; what cannot be read is shown as it is."""
    try:
        return _inline(read_text(text, scope), scope)
    except NotationError:
        parts = split_at_commas(text)
    try:
        return ", ".join(_inline(read_text(part, scope), scope) for part in parts)
    except NotationError:
        return f"<code>{escape(text)}</code>"


def _inline(node: t.Node, scope: Scope) -> str:
    return _set(displayed(node, scope), scope, display=False)


def _latex(text: str, scope: Scope) -> str:
    """Return a sentence of ours whose formulas are LaTeX already."""
    parts = text.split("$")
    return "".join(_read(part, scope) if n % 2 else page.words(part) for n, part in enumerate(parts))


def _read(source: str, scope: Scope) -> str:
    found = _FACTORIAL.sub(r"\\operatorname{factorial}\1", source.replace(r"\ldots", ""))
    return _inline(read_latex(found, functions_of(scope)), scope) + ("…" if r"\ldots" in source else "")
