"""Proofs in Coq of the relations of a record: certificates of equality, signs, derivatives, limits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations

from symattn.proofs.export.hypotheses import entry, facts_of, for_all, places_of
from symattn.proofs.export.names import Names
from symattn.proofs.export.normal_form import Normalizer
from symattn.proofs.export.polynomials import (
    Monomial,
    Polynomial,
    added,
    as_term,
    merged,
    monomial,
    monomial_term,
    ordered,
    power_term,
    product_term,
    sum_term,
)
from symattn.proofs.export.terms import (
    ONE,
    ZERO,
    Add,
    Delta,
    Diff,
    Div,
    Entry,
    Equation,
    Facts,
    Fn,
    Index,
    Lim,
    Mul,
    Neg,
    NotExportedError,
    Num,
    Pi,
    Pow,
    Size,
    Sum,
    Term,
    Use,
    free_indices,
    parts,
    rebuilt,
    walk,
    with_indices,
)
from symattn.records import dataclass

_MOST_OPENED = 4


@dataclass(frozen=True, slots=True)
class Known:
    """Values and signs that proofs in the second way use.

    Attributes:
        equations: what definitions are equal to by earlier steps; with them, hypotheses are stated anew with
            their definitions opened.
        signs: tactics that state signs with definitions opened; with them, denominators are rewritten like the goal,
            and with equations as well, roots stay names, whose squares are noted.
    """

    equations: Mapping[str, Equation] | None = None
    signs: str = ""


NOTHING_KNOWN = Known()


def certificate(
    names: Names,
    left: Term,
    right: Term,
    hypotheses: Collection[str],
    letters: str = "",
    moving: Mapping[str, str] | None = None,
    known: Known = NOTHING_KNOWN,
) -> str:
    """Return the proof that two terms are equal, for a goal that states it.

    Args:
        names: the names of the record.
        left: the left side.
        right: the right side.
        hypotheses: the hypotheses that may be used.
        letters: definitions that stay names, apart by blanks.
        moving: what stands in the place of declared quantities.
        known: values and signs for the second way.

    Raises:
        NotExportedError: the normal form takes too much.
    """
    best: str | None = None
    equations = known.equations
    roots = _roots(names, left, right) if known.signs and equations is not None else frozenset[str]()
    choices = [roots] if roots else _choices(names, left, right, letters)
    for kept in sorted(choices, key=lambda kept: not equations.keys() <= kept) if equations else choices:
        try:
            best, is_evident = _certified(names, left, right, hypotheses, kept, moving or {}, known)
        except NotExportedError as error:
            failure: NotExportedError = error
            continue
        if is_evident:
            break
    if best is None:
        raise failure
    return best


def _choices(names: Names, left: Term, right: Term, letters: str) -> list[frozenset[str]]:
    """Return which definitions may stay names: those of the step, all, all but some, and none."""
    every = frozenset(item.name for item in names.scope.defined)
    reached = _reached(names, left, right)
    found = [frozenset(letters.split()) & every] if letters else []
    if len(reached) <= _MOST_OPENED:
        found += [every - set(some) for size in range(len(reached)) for some in combinations(reached, size)]
    return list(dict.fromkeys([*found, frozenset[str]()]))


def _reached(names: Names, *terms: Term) -> list[str]:
    """Return the definitions to which terms come."""
    found: list[str] = []
    waiting = list(terms)
    while waiting:
        for part in walk(waiting.pop()):
            if isinstance(part, Use) and part.name not in found:
                found.append(part.name)
                waiting.append(names.body(part.name)[1])
    return found


def _roots(names: Names, *terms: Term) -> frozenset[str]:
    """Return the numbers to which terms come that are defined as roots."""
    every = ((name, *names.body(name)) for name in _reached(names, *terms))
    return frozenset(name for name, own, body in every if not own and isinstance(body, Fn) and body.name == "sqrt")


def _square(names: Names, normalizer: Normalizer, name: str) -> str:
    """Return the tactic that notes the square of a root that stays a name, without denominators of its letters."""
    opened = names.unfolded(Use(name, ()))
    (inner,) = parts(opened)
    value = normalizer.normal(inner)
    powers: dict[Term, int] = {}
    for term, power in (item for one in value for item in one):
        powers[term] = max(powers.get(term, 0), -power)
    below = monomial(powers)
    whole = normalizer.times(value, {below: Fraction(1)})
    say = normalizer.say
    left, right = (Mul(monomial_term(below), Pow(one, 2)) for one in (Use(name, ()), opened))
    end = f"rewrite sqrt_square by domain. {normalizer.rewrites(inner)}alg."
    says = f"{{}} = {say(as_term(whole))}"
    return f"assert (known_{name} : {says.format(say(left))}).\n  {{ change ({says.format(say(right))}). {end} }}\n"


def _certified(
    names: Names,
    left: Term,
    right: Term,
    hypotheses: Collection[str],
    kept: frozenset[str],
    moving: Mapping[str, str],
    known: Known,
) -> tuple[str, bool]:
    """Return a proof that two terms are equal, some definitions opened, and whether both have one normal form."""
    equations, signs = known.equations, known.signs
    one, other = names.unfolded(left, kept), names.unfolded(right, kept)
    outer = frozenset(places_of(left, right))
    facts = opened_facts(names, hypotheses, kept, equations)
    start, facts = ("", facts) if equations is None else _stated(names, facts)
    say = partial(names.printer.text, moving=moving)
    trial = Normalizer(say, facts, outer)
    trial.rewrites(one, other)
    final = Normalizer(say, facts, outer, trial.seen)
    rewrites = final.rewrites(one, other)
    is_evident = trial.vanishes(added(trial.normal(one), trial.normal(other), Fraction(-1)))
    zeros = _nonzero(final, [one, other], outer, rewrites if signs else "")
    first, then = "".join(item[0] for item in zeros), "".join(item[1] for item in zeros)
    roots = sorted(_roots(names, left, right) & kept) if signs else []
    squares = "".join(_square(names, final, name) for name in roots)
    noted = " ".join(f"known_{name}" for name in roots)
    end = f"first [ alg | field_simplify_eq; [ ring [{noted}] | nz ] ]" if noted else "alg"
    lines = "\n".join(final.lines) + f"\n{squares}"
    return f"{start}{signs}change ({say(one)} = {say(other)}).\n{first}{lines}{then}{rewrites}{end}.", is_evident


def _nonzero(
    normalizer: Normalizer, terms: Iterable[Term], outer: frozenset[Index], rewrites: str
) -> list[tuple[str, str]]:
    """Return tactics that note which denominators are not zero as they are written, and then in canonical letters.

    The rewriting of the goal, where it is given, reaches into roots, which are canonical letters.
    """
    found: dict[Term, None] = {}
    for term in terms:
        for part in walk(term):
            if isinstance(part, Div) and not isinstance(part.right, Num | Size) and free_indices(part.right) <= outer:
                found[part.right] = None
    notes = []
    for number, below in enumerate(found, 1):
        name = f"z{number}"
        turned = (rewrites or normalizer.rewrites(below)).replace(". try", f" in {name}. try").removesuffix(". ")
        then = f"try (pose proof {name} as y{number}). {turned} in {name}. " if turned else ""
        notes.append((f"try assert ({name} : {normalizer.say(below)} <> 0) by domain.\n", then))
    return notes


def opened_facts(
    names: Names, hypotheses: Collection[str], kept: frozenset[str], equations: Mapping[str, Equation] | None = None
) -> Facts:
    """Return the equations among hypotheses and of definitions that stay names, with other definitions opened."""
    found = facts_of(names, hypotheses)
    values = {**found.values, **{name: item for name, item in (equations or {}).items() if name in kept}}
    return Facts(
        {name: (own, names.unfolded(value, kept), label) for name, (own, value, label) in values.items()},
        {pair: (own, names.unfolded(value, kept), label) for pair, (own, value, label) in found.contractions.items()},
        found.positive,
    )


def _stated(names: Names, facts: Facts) -> tuple[str, Facts]:
    """Return the tactics that state values with their definitions opened, and the facts with their names."""
    lines, values = "", {}
    for name, (own, value, label) in facts.values.items():
        places = [*own, *(place for place in places_of(value) if place not in own)]
        standard, whole = entry(names, name)
        left = with_indices(whole, dict(zip(standard, own, strict=True)))
        equation = f"{for_all(places)}{names.printer.text(left)} = {names.printer.text(value)}"
        lines += f"assert (V_{name} : {equation}) by (intros; apply {label}).\n"
        values[name] = own, value, f"V_{name}"
    return lines, Facts(values, facts.contractions, facts.positive)


def negated(term: Term) -> Term:
    """Return the negative of a term, without a sign where it has one."""
    match term:
        case Neg(body):
            return body
        case Add(left, right):
            return Add(negated(left), negated(right))
        case Mul(left, right) if _has_sign(left):
            return Mul(negated(left), right)
        case Div(left, right) if _has_sign(left):
            return Div(negated(left), right)
        case Num(value):
            return Num(-value)
        case _:
            return Neg(term)


def _has_sign(term: Term) -> bool:
    match term:
        case Neg() | Num():
            return True
        case Mul(left, _) | Div(left, _):
            return _has_sign(left)
        case Add(left, right):
            return _has_sign(left) and _has_sign(right)
        case _:
            return False


def difference(names: Names, less: Term, more: Term, hypotheses: Collection[str]) -> Term:
    """Return the difference of two terms as a polynomial in canonical letters."""
    both = names.unfolded(Add(more, Neg(less)))
    return as_term(_normalizer(names, both, hypotheses).normal(both))


def _normalizer(names: Names, term: Term, hypotheses: Collection[str]) -> Normalizer:
    """Return normal forms under some hypotheses, with the scales of exponents that a term wants."""
    facts, outer = opened_facts(names, hypotheses, frozenset()), frozenset(places_of(term))
    trial = Normalizer(names.printer.text, facts, outer)
    trial.normal(term)
    return Normalizer(names.printer.text, facts, outer, trial.seen)


def slope(term: Term, variable: Entry) -> Term:
    """Return the derivative of a term, in the very form of the prelude's rules."""
    match term:
        case Entry(name, indices) if name == variable.name:
            return product_term(map(Delta, indices, variable.indices))
        case Num() | Size() | Entry() | Delta() | Pi():
            return ZERO
        case _ if variable.name not in {part.name for part in walk(term) if isinstance(part, Entry)}:
            return ZERO
        case Add(left, Neg(right)):
            return Add(slope(left, variable), Neg(slope(right, variable)))
        case Add(left, right):
            return Add(slope(left, variable), slope(right, variable))
        case Neg(body):
            return Neg(slope(body, variable))
        case Mul(left, right):
            return Add(Mul(slope(left, variable), right), Mul(left, slope(right, variable)))
        case Div(left, right):
            above = Add(Mul(slope(left, variable), right), Neg(Mul(left, slope(right, variable))))
            return Div(above, Pow(right, 2))
        case Pow(body, exponent):
            return Mul(Mul(Num(Fraction(exponent)), Pow(body, exponent - 1)), slope(body, variable))
        case Fn("exp", body):
            return Mul(term, slope(body, variable))
        case Fn("ln", body):
            return Mul(Div(ONE, body), slope(body, variable))
        case Fn("sqrt", body):
            return Mul(Div(ONE, Mul(Num(Fraction(2)), term)), slope(body, variable))
        case Fn("Phi", body):
            bell = Fn("exp", Div(Neg(Pow(body, 2)), Num(Fraction(2))))
            return Mul(Div(bell, Fn("sqrt", Mul(Num(Fraction(2)), Pi()))), slope(body, variable))
        case Fn("tanh", body):
            return Mul(Add(ONE, Neg(Pow(term, 2))), slope(body, variable))
        case Sum(index, body):
            return Sum(index, slope(body, variable))
    raise NotExportedError("A derivative of this form is not exported.")


def derivative(names: Names, found: Diff, right: Term, hypotheses: Collection[str], known: Known) -> str:
    """Return the proof that a term has a derivative, for a goal that states it; `known` as for certificates."""
    body = names.unfolded(found.body)
    opened = names.printer.derivative(Diff(body, found.variable))
    rate = slope(body, found.variable)
    say = names.printer.text
    first = f"change (derivable_pt_lim {opened} {say(right)}). "
    rule = f"apply (slope_is {opened} {say(body)} {say(rate)}). "
    rules = "der_Phi" if _holds(body, "Phi") else "der"
    return f"{first}{rule}\n{{ {rules}. }}\n{certificate(names, rate, right, hypotheses, known=known)}"


_CONTINUOUS = {"exp", "ln", "sqrt", "sin", "cos", "tanh", "erf"}
_MOVING = "t_"


def limit(names: Names, found: Lim, right: Term, hypotheses: Collection[str]) -> str:
    """Return the proof of a limit, for a goal that states it.

    Raises:
        NotExportedError: the limit is not one that parts give.
    """
    moving = {found.variable.name: _MOVING}
    body = names.unfolded(found.body)
    form, rule, same = body, "tends_is", "intros; reflexivity."
    if found.target == "oo":
        form, rule = _decaying(names, found.variable, body, hypotheses), "tends_oo_is"
        same = f"intros {_MOVING} ?. {certificate(names, body, form, hypotheses, '', moving)}"
    elif isinstance(found.target, str):
        raise NotExportedError("A limit at minus infinity is not exported.")
    value = _value(form, found)
    say = names.printer.text
    where = neighbourhood(names, found)
    given, turned = (f"(fun {_MOVING} : R => {say(one, moving)})" for one in (body, form))
    return (
        f"change (tends {where} {given} {say(right)}).\n"
        f"apply ({rule} {where} {given} {turned} {say(value)}).\n"
        f"{{ first [ reflexivity | filt ]. }}\n{{ {same} }}\n{{ {'lims_erf' if _holds(form, 'erf') else 'lims'}. }}\n"
        f"{certificate(names, value, right, hypotheses)}"
    )


def neighbourhood(names: Names, found: Lim) -> str:
    """Return where a limit is taken, in Coq."""
    match found.target:
        case "oo":
            return "oo"
        case str():
            return "minus_oo"
        case target:
            return f"({'right_of' if found.one_sided else 'at_point'} {names.printer.text(target)})"


def _holds(term: Term, name: str) -> bool:
    return any(isinstance(part, Fn) and part.name == name for part in walk(term))


def _moves(term: Term, variable: Entry) -> bool:
    return any(part == variable for part in walk(term))


def _decaying(names: Names, variable: Entry, body: Term, hypotheses: Collection[str]) -> Term:
    """Return a form of a function in which no exponential grows: above and below its largest one is divided out."""
    normalizer = _normalizer(names, body, hypotheses)
    terms = []
    for one, value in ordered(normalizer.normal(body)):
        powers: dict[Term, int] = {}
        below: list[Term] = []
        for term, power in one:
            if isinstance(term, Div) and term.left == ONE and _moves(term, variable):
                core = normalizer.normal(term.right)
                largest = _largest(core, variable)
                turned = monomial({item: -exponent for item, exponent in largest.items()})
                powers = merged(
                    monomial(powers), monomial({item: -exponent * power for item, exponent in largest.items()})
                )
                divided = {monomial(merged(part, turned)): scale for part, scale in core.items()}
                below.extend([Div(ONE, _written(divided, variable))] * power)
            else:
                powers = merged(monomial(powers), ((term, power),))
        above = _written({monomial({term: power for term, power in powers.items() if power}): value}, variable)
        terms.append(product_term([above, *below]))
    return sum_term(terms)


def _largest(core: Polynomial, variable: Entry) -> dict[Term, int]:
    """Return the largest power of a growing exponential in a sum."""
    found: dict[Term, int] = {}
    for one in core:
        for term, power in one:
            if isinstance(term, Fn) and term.name == "exp" and _moves(term, variable) and power > found.get(term, 0):
                found[term] = power
    if len(found) > 1:
        raise NotExportedError("Several exponentials grow.")
    return found


def _written(found: Polynomial, variable: Entry) -> Term:
    """Return a polynomial as a term in which decaying exponentials have negative exponents."""
    return sum_term(_item(one, value, variable) for one, value in ordered(found))


def _item(one: Monomial, value: Fraction, variable: Entry) -> Term:
    still = tuple((term, power) for term, power in one if not _moves(term, variable))
    factors = [monomial_term(still, value)] if still or value != 1 else []
    for term, power in one:
        if _moves(term, variable):
            factors.append(_decayed(power_term(term, power)))
    return product_term(factors)


def _decayed(term: Term) -> Term:
    match term:
        case Div(left, Fn("exp", body)) if left == ONE:
            return Fn("exp", Neg(body))
        case Div(left, Pow(Fn("exp", body), exponent)) if left == ONE:
            return Fn("exp", Neg(Mul(Num(Fraction(exponent)), body)))
        case _:
            return rebuilt(term, _decayed)


def _value(term: Term, found: Lim) -> Term:
    """Return the limit that the parts of a term give, in the very form of the prelude's rules."""
    if term == found.variable and not isinstance(found.target, str):
        return found.target
    if not _moves(term, found.variable):
        return term
    match term:
        case Fn("exp", Neg()) if found.target == "oo":
            return ZERO
        case Add() | Neg() | Mul() | Div() | Pow() | Sum():
            return rebuilt(term, lambda part: _value(part, found))
        case Fn(name, body) if name in _CONTINUOUS:
            return Fn(name, _value(body, found))
    raise NotExportedError("A limit of this form is not exported.")
