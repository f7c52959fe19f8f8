"""Normal form of terms with its certificate: every sum and function that is rewritten leaves an equation for Coq.

Nothing here is trusted: what is wrong is an equation that Coq does not accept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isqrt, lcm

from symattn.proofs.export import printing
from symattn.proofs.export.polynomials import (
    UNIT,
    Monomial,
    Multiple,
    Polynomial,
    added,
    as_term,
    constant,
    letter,
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
    Add,
    Chance,
    Delta,
    Div,
    Entry,
    Facts,
    Fn,
    Index,
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
    shape,
    walk,
    with_indices,
)

_MAX_EQUATIONS = 400
_MAX_TERMS = 400
_MAX_DENOMINATORS = 12
_SPECIAL = (Sum, Fn, Entry, Use, Delta, Size, Chance)


class Normalizer:
    """Normal forms within one lemma, and the equations that lead to them.

    Args:
        say: the writer of terms.
        facts: what may be rewritten.
        outer: the indices that the lemma is about.
        scales: for the exponents of exponentials, common denominators that an earlier pass found.
    """

    def __init__(
        self,
        say: Callable[[Term], str],
        facts: Facts,
        outer: frozenset[Index],
        scales: Mapping[Monomial, int] | None = None,
    ) -> None:
        self.facts = facts
        self.outer = outer
        self.say = say
        self.lines: list[str] = []
        self.scales = dict(scales or {})
        self.seen: dict[Monomial, int] = {}
        self.canonical: set[Term] = set()
        self._known: dict[Term, tuple[Polynomial, str]] = {}
        self._forms: dict[tuple[tuple[Monomial, Fraction], ...], Term] = {}
        self._names = itertools.count(1)
        self._indices = itertools.count(1)

    # Polynomials -----------------------------------------------------------------------------------

    def normal(self, term: Term) -> Polynomial:
        """Return the polynomial that a term comes to."""
        match term:
            case Num(value):
                return constant(value)
            case Size(name) if name not in self.facts.values:
                return letter(term)
            case Add(left, right):
                return added(self.normal(left), self.normal(right))
            case Neg(body):
                return added({}, self.normal(body), Fraction(-1))
            case Mul(left, right):
                return self.times(self.normal(left), self.normal(right))
            case Div(left, right):
                above = self.normal(left)
                return self.times(above, self.inverse(self.normal(right))) if above else {}
            case Pow(body, exponent):
                found = UNIT
                base = self.normal(body)
                for _ in range(exponent):
                    found = self.times(found, base)
                return found
            case _:
                return self.special(term)

    def times(self, first: Polynomial, second: Polynomial) -> Polynomial:
        """Return a product; squares of roots and of cosines are replaced."""
        found: Polynomial = {}
        for one, value in first.items():
            for other, scale in second.items():
                found = added(found, self._reduced(merged(one, other)), value * scale)
                if len(found) > _MAX_TERMS:
                    raise NotExportedError("A product has too many terms.")
        return found

    def _reduced(self, powers: dict[Term, int]) -> Polynomial:
        for term, power in powers.items():
            match term:
                case Fn("sqrt", inner) if power not in {0, 1}:
                    rest = self._reduced({**powers, term: power % 2})
                    base = self.normal(inner)
                    half = power // 2
                    base = base if half > 0 else self.inverse(base)
                    for _ in range(abs(half)):
                        rest = self.times(rest, base)
                    return rest
                case Fn("cos", inner) if power > 1:
                    rest = self._reduced({**powers, term: power - 2})
                    sine = letter(Fn("sin", inner))
                    return added(rest, self.times(rest, self.times(sine, sine)), Fraction(-1))
        return {monomial(powers): Fraction(1)}

    def inverse(self, found: Polynomial) -> Polynomial:
        """Return the inverse: of a monomial the monomial, of a sum a letter, less what its terms have in common."""
        if not found:
            raise NotExportedError("A denominator is zero.")
        terms = ordered(found)
        lead = terms[0][1]
        common = dict(terms[0][0])
        for one, _ in terms[1:]:
            other = dict(one)
            common = {term: min(power, other.get(term, 0)) for term, power in common.items()}
            common.update({term: power for term, power in other.items() if power < 0 and term not in common})
        common = {term: power for term, power in common.items() if power and not isinstance(term, Delta)}
        turned = monomial({term: -power for term, power in common.items()})
        core = {monomial(merged(one, turned)): value / lead for one, value in terms}
        outside = {one: value / lead for one, value in self._reduced(dict(turned)).items()}
        if core == UNIT:
            return outside
        return self.times(outside, letter(Div(ONE, as_term(core))))

    def vanishes(self, found: Polynomial) -> bool:
        """Return whether a polynomial is zero once its denominators are cleared, each at most once."""
        for _ in range(_MAX_DENOMINATORS):
            if not found or len(found) > _MAX_TERMS:
                return not found
            term = next((part for one in found for part, power in one if power < 0 or _is_inverse(part)), None)
            if term is None:
                return False
            powers = [dict(one).get(term, 0) for one in found]
            inverse = isinstance(term, Div)
            most = max(powers) if inverse else -min(powers)
            base = self.normal(term.right) if isinstance(term, Div) else letter(term)
            cleared: Polynomial = {}
            for one, value in found.items():
                power = dict(one).get(term, 0)
                rest = monomial({part: own for part, own in one if part != term})
                item: Polynomial = {rest: value}
                for _ in range(most - power if inverse else most + power):
                    item = self.times(item, base)
                cleared = added(cleared, item)
            found = cleared
        return False

    # Rewriting -------------------------------------------------------------------------------------

    def have(self, left: Term, right: Term, proof: str) -> str:
        """Note an equation for all values of the free indices, and return its name."""
        if len(self.lines) >= _MAX_EQUATIONS:
            raise NotExportedError("The normal form takes too many equations.")
        name = f"e{next(self._names)}"
        places = self.free(left, right)
        bound = f"forall {' '.join(map(printing.binder, places))}, " if places else ""
        intros = f"intros {' '.join(map(printing.index, places))}. " if places else ""
        self.lines.append(f"assert ({name} : {bound}{self.say(left)} = {self.say(right)}).\n  {{ {intros}{proof} }}")
        return self.applied(name, places)

    def free(self, *terms: Term) -> list[Index]:
        """Return the free indices of some terms in order, without those of the lemma."""
        found = frozenset[Index]().union(*map(free_indices, terms)) - self.outer
        return sorted(found, key=lambda item: item.name)

    @staticmethod
    def applied(name: str, places: Iterable[Index]) -> str:
        """Return an equation at its own indices."""
        words = " ".join(map(printing.index, places))
        return f"({name} {words})" if words else name

    def special(self, term: Term) -> Polynomial:
        """Return the polynomial of a sum, a function, an entry or a delta, and note the equation."""
        if term in self._known:
            return self._known[term][0]
        if term in self.canonical or _is_inverse(term):
            return letter(term)
        found, proof = self._special(term)
        result = as_term(found)
        name = "" if not proof or shape(term) == shape(result) else self.have(term, result, proof)
        self._known[term] = found, name
        return found

    def _special(self, term: Term) -> tuple[Polynomial, str]:
        match term:
            case Entry(name, indices) | Use(name, indices) if name in self.facts.values:
                own, value, hypothesis = self.facts.values[name]
                placed = with_indices(value, dict(zip(own, indices, strict=True)))
                found = self.normal(placed)
                arguments = [*indices, *sorted(free_indices(value) - set(own), key=lambda item: item.name)]
                return found, f"rewrite {self.applied(hypothesis, arguments)}. {self.close(placed)}"
            case Size(name):
                _, value, hypothesis = self.facts.values[name]
                return self.normal(value), f"rewrite {hypothesis}. {self.close(value)}"
            case Delta(first, second):
                return self._delta(first, second)
            case Sum():
                return self._sum(term)
            case Fn("exp", body):
                return self._exp(body)
            case Fn("ln", body):
                return self._ln(body)
            case Fn(name, body):
                return self._function(name, body)
            case _:
                return letter(term), ""

    def close(self, *terms: Term) -> str:
        """Return the tactic for a goal in some terms: rewrite what stands in them, then compare."""
        return f"{self.rewrites(*terms)}alg."

    def rewrites(self, *terms: Term) -> str:
        """Return the rewriting of the outermost sums and functions of terms, the largest first."""
        found: dict[Term, str] = {}

        def look(term: Term) -> None:
            if isinstance(term, _SPECIAL):
                self.normal(term)
                name = self._known.get(term, ({}, ""))[1]
                if name:
                    found[term] = name
                return
            for part in parts(term):
                look(part)

        for term in terms:
            look(term)
        names = sorted(found.items(), key=lambda item: -len(self.say(item[0])))
        return "".join(f"try rewrite {name}. " for _, name in names)

    # Deltas and functions --------------------------------------------------------------------------

    def _delta(self, first: Index, second: Index) -> tuple[Polynomial, str]:
        if first == second:
            return UNIT, "apply delta_same."
        if first.is_fixed and second.is_fixed and not first.moves and not second.moves:
            return {}, "apply delta_other; distinct."
        if first.moves and second.moves and first.moves[0] == second.moves[0]:
            inner = [Index(item.name, item.size, item.moves[1:], item.is_fixed) for item in (first, second)]
            return self.normal(Delta(*inner)), f"rewrite delta_perm. {self.close(Delta(*inner))}"
        if printing.index(first) > printing.index(second):
            return letter(Delta(second, first)), "apply delta_sym."
        return letter(Delta(first, second)), ""

    def _exp(self, body: Term) -> tuple[Polynomial, str]:
        if isinstance(body, Fn) and body.name == "ln":
            return self.normal(body.body), f"rewrite exp_ln by domain. {self.close(body.body)}"
        terms = ordered(self.normal(body))
        if not terms:
            return UNIT, f"apply exp_zero. {self.close(body)}"
        found, factors, proofs = UNIT, [], []
        for one, value in terms:
            value_of, factor, proof = self._exponential(one, value)
            found = self.times(found, value_of)
            factors.append(factor)
            proofs.append(proof)
        if len(terms) == 1 and found == letter(Fn("exp", body)):
            return found, ""
        items = [monomial_term(one, value) for one, value in terms]
        script = self._parted(body, items, proofs, sum_term, "exp_split", "")
        product = product_term(factors)
        return found, f"transitivity {self.say(product)}. {{ {script}. }} {self.close(product)}"

    def _parted(
        self,
        body: Term,
        items: list[Term],
        proofs: list[str],
        join: Callable[[Iterable[Term]], Term],
        lemma: str,
        signs: str,
    ) -> str:
        """Return the proof that takes a function of a sum or a product apart, item after item."""
        script, whole = "", f"{self.rewrites(body)}alg"
        if len(items) == 1:
            script = f"replace {self.say(body)} with {self.say(items[0])} by ({_in_one(whole)}). "
        for at, proof in enumerate(proofs[:-1]):
            both = f"{self.say(items[at])} {self.say(join(items[at + 1 :]))}"
            script += f"apply ({lemma} _ {both}); [ {_in_one(whole)} | {signs}{proof} | ]. "
            whole = "reflexivity"
        return script + proofs[-1]

    def _exponential(self, one: Monomial, value: Fraction) -> tuple[Polynomial, Term, str]:
        """Return the exponential of a monomial: its polynomial, the factor as it is written, and the proof."""
        switch = next((term for term, power in one if isinstance(term, Delta) and power == 1), None)
        if switch is not None:
            rest = Fn("exp", monomial_term(tuple(item for item in one if item[0] != switch), value))
            factor = Add(ONE, Mul(switch, Add(rest, Neg(ONE))))
            places = f"{printing.index(switch.first)} {printing.index(switch.second)}"
            return self.normal(factor), factor, f"apply (exp_delta _ {places} {self.say(rest.body)}); alg"
        self.seen[one] = lcm(self.seen.get(one, 1), value.denominator)
        scale = lcm(self.scales.get(one, 1), value.denominator)
        base, power = monomial_term(one, Fraction(1, scale)), int(value * scale)
        atom = Fn("exp", base)
        if not isinstance(base, Fn) or base.name != "ln":
            self.canonical.add(atom)
        written = power_term(atom, power)
        if power == 1:
            return self.normal(written), atom, "reflexivity"
        if power == -1:
            return self.normal(written), written, f"apply (exp_turn {self.say(base)}); alg"
        lemma = f"exp_nat {power}" if power > 0 else f"exp_neg {-power}"
        proof = f"apply ({lemma} {abs(power)} {self.say(base)}); [ simpl; ring | alg ]"
        return self.normal(written), written, proof

    def _ln(self, body: Term) -> tuple[Polynomial, str]:
        inner = self.normal(body)
        terms = ordered(inner)
        if inner == UNIT:
            return {}, f"apply ln_one. {self.close(body)}"
        if len(terms) != 1 or terms[0][1] <= 0:
            return self._function("ln", body)
        ((one, value),) = terms
        items: list[tuple[Term, Term, str]] = []
        if value != 1:
            items.append((Num(value), Fn("ln", Num(value)), "reflexivity"))
        for term, power in one:
            logarithm = term.body if isinstance(term, Fn) and term.name == "exp" else Fn("ln", term)
            size = Num(Fraction(abs(power)))
            written = logarithm if power == 1 else Mul(size, logarithm) if power > 0 else Neg(Mul(size, logarithm))
            own = "apply ln_exp" if isinstance(term, Fn) and term.name == "exp" else "reflexivity"
            rule = f"{'ln_nat' if power > 0 else 'ln_inv'} {abs(power)} {abs(power)} {self.say(term)} _"
            proof = own
            if power != 1:
                proof = f"apply ({rule} {self.say(logarithm)}); [ simpl; ring | alg | sgn | {own} ]"
            items.append((power_term(term, power), written, proof))
        for _, written, _ in items:
            for part in walk(written):
                if isinstance(part, Fn) and part.name == "ln":
                    self.canonical.add(part)
        found = self.normal(sum_term(item[1] for item in items))
        if len(items) == 1 and found == letter(Fn("ln", body)):
            return found, ""
        factors, logarithms, proofs = map(list, zip(*items, strict=True))
        script = self._parted(body, factors, proofs, product_term, "ln_split", "sgn | sgn | ")
        total = sum_term(logarithms)
        return found, f"transitivity {self.say(total)}. {{ {script}. }} {self.close(total)}"

    def _function(self, name: str, body: Term) -> tuple[Polynomial, str]:
        inner = self.normal(body)
        terms = ordered(inner)
        if name == "erf" and not terms:
            return {}, f"transitivity (erf 0). {{ f_equal. {self.close(body)} }} apply erf_zero."
        if name in {"sin", "cos"} and terms:
            return self._angle(name, body, terms)
        if name == "tanh":
            twice = Fn("exp", Mul(Num(Fraction(2)), body))
            value = Div(Add(twice, Neg(ONE)), Add(twice, ONE))
            return self.normal(value), f"rewrite tanh_exp. {self.close(value)}"
        if name == "sqrt":
            found = self._root(inner)
            if found is not None:
                return self._rooted(body, *found)
        # What has been seen first stands for all that are equal to it: its sign shows as it was written.
        atom = Fn(name, self._forms.setdefault(tuple(ordered(inner)), body))
        self._new_root(atom)
        if self.say(atom.body) == self.say(body):
            return letter(atom), ""
        return letter(atom), f"f_equal. {self.close(body, atom.body)}"

    def _new_root(self, atom: Fn) -> None:
        """Note a letter; the square of a root is noted as an equation."""
        if atom.name == "sqrt" and atom not in self.canonical and free_indices(atom) <= self.outer:
            name = f"q{next(self._names)}"
            square = f"{self.say(Pow(atom, 2))} = {self.say(as_term(self.normal(atom.body)))}"
            proof = f"rewrite sqrt_square by domain; {_in_one(self.close(atom.body))}"
            self.lines.append(f"try assert ({name} : {square}) by ({proof}).")
        self.canonical.add(atom)

    def _rooted(self, body: Term, outside: Term, inside: Term) -> tuple[Polynomial, str]:
        """Return a root of which a factor comes out, and the proof."""
        equal = _in_one(f"{self.rewrites(body)}alg")
        if inside == ONE:
            value, proof = outside, f"apply (sqrt_is _ {self.say(outside)}); [ sgn | {equal} ]"
        else:
            atom = Fn("sqrt", inside)
            self._new_root(atom)
            value = Mul(outside, atom)
            proof = f"apply (sqrt_out _ {self.say(outside)} {self.say(inside)}); [ sgn | sgn | {equal} ]"
        return self.normal(value), f"transitivity {self.say(value)}. {{ {proof}. }} {self.close(value)}"

    def _root(self, inner: Polynomial) -> tuple[Term, Term] | None:
        """Return what comes out of a root, and what stays in it, where something comes out."""
        if len(inner) != 1:
            return None
        ((one, value),) = inner.items()
        root = Fraction(isqrt(max(value.numerator, 0)), isqrt(value.denominator))
        if not one and root**2 == value:
            return Num(root), ONE
        outside = monomial({term: power // 2 for term, power in one if self._is_positive(term)})
        inside = monomial({term: power % 2 if self._is_positive(term) else power for term, power in one})
        if not outside or value <= 0:
            return None
        return monomial_term(outside), monomial_term(inside, value)

    def _is_positive(self, term: Term) -> bool:
        match term:
            case Entry(name) | Use(name):
                return name in self.facts.positive
            case Size() | Fn("exp") | Pi():
                return True
            case Sum(_, body):
                return all(
                    value > 0 and all(self._is_positive(part) for part, _ in one)
                    for one, value in self.normal(body).items()
                )
            case _:
                return False

    def _angle(self, name: str, body: Term, terms: list[tuple[Monomial, Fraction]]) -> tuple[Polynomial, str]:
        whole = self.rewrites(body) + "alg"
        if len(terms) == 1:
            ((one, value),) = terms
            atom = Fn(name, monomial_term(one, abs(value)))
            self.canonical.add(atom)
            if value > 0 and atom.body == body:
                return letter(atom), ""
            replaced = f"replace {self.say(body)} with {{}} by ({_in_one(whole)})."
            if value > 0:
                return letter(atom), replaced.format(self.say(atom.body)) + " reflexivity."
            sign = Fraction(-1 if name == "sin" else 1)
            turned = replaced.format(self.say(Neg(atom.body)))
            return added({}, letter(atom), sign), f"{turned} rewrite {name}_neg. reflexivity."
        first, rest = monomial_term(*terms[0]), sum_term(monomial_term(*item) for item in terms[1:])
        total: Term = Add(Mul(Fn("sin", first), Fn("cos", rest)), Mul(Fn("cos", first), Fn("sin", rest)))
        if name == "cos":
            total = Add(Mul(Fn("cos", first), Fn("cos", rest)), Neg(Mul(Fn("sin", first), Fn("sin", rest))))
        split = f"{name}_split _ {self.say(first)} {self.say(rest)}"
        start = f"transitivity {self.say(total)}. {{ apply ({split}); {_in_one(whole)}. }} "
        return self.normal(total), start + self.close(total)

    # Sums ------------------------------------------------------------------------------------------

    def _sum(self, term: Sum) -> tuple[Polynomial, str]:
        index, body = term.index, term.body
        found = ordered(self.normal(body))
        if not found:
            return {}, f"apply sum_zero. intros {printing.index(index)}. {self.close(body)}"
        items = [_divided(one, value, index) for one, value in found]
        if len(items) == 1 and items[0] == (ONE, body):
            return Multiple(self, term).result()
        total: Polynomial = {}
        sums: list[Term] = []
        for outside, inside in items:
            sums.append(Mul(outside, Sum(index, inside)))
            if inside == ONE:
                whole: Term = Num(Fraction(int(index.size))) if index.size.isdigit() else Size(index.size)
                self._known[Sum(index, ONE)] = (
                    self.normal(whole),
                    self.have(Sum(index, ONE), whole, "rewrite sum_const; simpl INR; ring."),
                )
            total = added(total, self.times(self.normal(outside), self.normal(Sum(index, inside))))
        written = sum_term(sums)
        proof = self._split(index, items, self.rewrites(body) + "alg")
        return total, f"transitivity {self.say(written)}. {{ {proof} }} {self.close(written)}"

    def _split(self, index: Index, items: list[tuple[Term, Term]], first: str) -> str:
        """Return the proof that takes one summand after the other out of a sum; `first` compares the summands."""
        mark, size, proof = printing.binder(index), printing.length(index.size), ""
        for at, (outside, inside) in enumerate(items[:-1]):
            rest = sum_term(Mul(*item) for item in items[at + 1 :])
            functions = f"(fun {mark} => {self.say(inside)}) (fun {mark} => {self.say(rest)})"
            proof += (
                f"apply (sum_split {size} {self.say(outside)} {functions}); "
                f"[ intros {printing.index(index)}; {_in_one(first)} | ]. "
            )
            first = "reflexivity"
        outside, inside = items[-1]
        proof += f"apply (sum_last {size} {self.say(outside)} (fun {mark} => {self.say(inside)})). "
        return proof + f"intros {printing.index(index)}. {first}."

    def fresh(self, size: str) -> Index:
        """Return an index that occurs nowhere else."""
        return Index(f"S{next(self._indices)}", size)


def _is_inverse(term: Term) -> bool:
    return isinstance(term, Div) and term.left == ONE


def _divided(one: Monomial, value: Fraction, index: Index) -> tuple[Term, Term]:
    """Return the factors of a monomial without an index, with its coefficient, and those with it."""
    inside = tuple(item for item in one if index in free_indices(item[0]))
    outside = tuple(item for item in one if item not in inside)
    return monomial_term(outside, value), monomial_term(inside)


def _in_one(tactics: str) -> str:
    """Return tactics in sequence as one tactic."""
    return tactics.strip().rstrip(".").replace(". ", "; ")
