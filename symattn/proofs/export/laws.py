"""Laws of random numbers: what hypotheses say of them in Coq, and proofs of steps on normal numbers.

A random quantity stands as a number of the outcome, ``r_z w_``; the premises are in `premises.toml`, and what the words
mean is in `Laws.v`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from functools import reduce

from symattn.proofs.export import printing
from symattn.proofs.export.hypotheses import entry, for_all
from symattn.proofs.export.names import Names, Sides
from symattn.proofs.export.polynomials import nested, sum_term
from symattn.proofs.export.printing import mangled
from symattn.proofs.export.tactics import certificate, difference, slope
from symattn.proofs.export.terms import (
    ONE,
    ZERO,
    Add,
    Chance,
    Delta,
    Div,
    Entry,
    Fn,
    Index,
    Lim,
    Mul,
    Neg,
    NotExportedError,
    Num,
    Pow,
    Sum,
    Term,
    Use,
    free_indices,
    rebuilt,
    walk,
)
from symattn.proofs.language.scope import Declared, Hypothesis
from symattn.records import dataclass

KINDS = frozenset({"coordinates", "independent", "law", "positions"})
"""The kinds of hypotheses on laws that are exported."""
_WORDS = {0: "one", 1: "row", 2: "grid"}
_PAIR = 2


def _entry(item: Declared) -> tuple[tuple[Index, ...], Entry]:
    """Return an entry of a random quantity, and its indices, which stand nowhere else."""
    own = tuple(Index(f"U{number}", size) for number, size in enumerate(item.sizes, 1))
    return own, Entry(item.name, own)


def _shape(item: Declared) -> str:
    words = [_WORDS[len(item.sizes)].capitalize(), *map(printing.length, item.sizes)]
    return words[0] if len(words) == 1 else f"({' '.join(words)})"


def _family(item: Declared, body: str, rest: str = "") -> str:
    """Return a function of the indices of a random quantity, and of the outcome where it is random."""
    own, _ = _entry(item)
    bound = " ".join([*map(printing.binder, own), *rest.split()])
    return f"({_WORDS[len(item.sizes)]} {f'(fun {bound} => {body})' if bound else body})"


def _numbers(names: Names, item: Declared) -> str:
    return _family(item, names.printer.text(_entry(item)[1], names.printer.outcome), "w_")


def statements(names: Names, item: Hypothesis) -> Iterator[tuple[str, str]]:
    """Iterate over the statements of a hypothesis on laws: their names in Coq and what they say.

    Raises:
        NotExportedError: it has a form that is not known.
    """
    if item.kind == "positions":
        for name in item.about:
            own, value = entry(names, name)
            if len(own) != 1:
                raise NotExportedError(f"{name} is not a list of positions.")
            at = printing.index(own[0])
            yield f"{mangled('H', item.id)}_{name}", f"{for_all(own)}{names.printer.text(value)} = position {at}"
        return
    about = [_random(names, name) for name in item.about]
    match item.kind:
        case "coordinates":
            for one in about:
                yield _label(item, one), f"independent P_ {_shape(one)} {_numbers(names, one)}"
        case "independent" if len(about) == _PAIR:
            shapes, numbers = " ".join(map(_shape, about)), " ".join(_numbers(names, one) for one in about)
            yield mangled("H", item.id), f"apart P_ {shapes} {numbers}"
        case "law" if item.values[:1] == ("gaussian",) and len(item.values) == _PAIR + 1:
            for one in about:
                own, number = _entry(one)
                moments = [names.elaborator.term(text) for text in item.values[1:]]
                if any(map(free_indices, moments)):
                    raise NotExportedError(f"{item.id} gives each entry a law of its own.")
                random = names.printer.text(number, names.printer.outcome)
                said = " ".join(map(names.printer.text, moments))
                yield _label(item, one), f"{for_all(own)}normal P_ (fun w_ => {random}) {said}"
        case _:
            raise NotExportedError(f"{item.id} is of a kind that is not exported.")


def variables(names: Names) -> Iterator[str]:
    """Iterate over the lines that declare random quantities, as measurable functions of the outcome."""
    yield "Variable W_ : Type. Variable P_ : space W_."
    for item in names.scope.declared:
        if item.random:
            name, kind = mangled("r", item.name), "".join(f"ix {printing.length(size)} -> " for size in item.sizes)
            own, number = _entry(item)
            random = names.printer.text(number, names.printer.outcome)
            yield f"Variable {name} : W_ -> {kind}R."
            yield f"Hypothesis {name}_random : {for_all(own)}measurable P_ (fun w_ => {random})."


def _random(names: Names, name: str) -> Declared:
    item = names.item(name)
    if not isinstance(item, Declared) or not item.random or item.sign != "real" or len(item.sizes) not in _WORDS:
        raise NotExportedError(f"{name} is not a random number, vector or matrix.")
    return item


def _label(item: Hypothesis, about: Declared) -> str:
    return f"{mangled('H', item.id)}_{about.name}"


def _tidy(term: Term) -> Term:
    """Return a term without products with zero and sums with zero."""
    match rebuilt(term, _tidy):
        case Mul(left, right) if ZERO in {left, right}:
            return ZERO
        case Mul(left, right) if left == ONE:
            return right
        case Mul(left, right) if right == ONE:
            return left
        case Add(left, right) if left == ZERO:
            return right
        case Add(left, Neg(right)) if right == ZERO:
            return left
        case Add(left, right) if right == ZERO:
            return left
        case Sum(_, body) | Neg(body) | Div(body, _) if body == ZERO:
            return ZERO
        case found:
            return found


def _replaced(term: Term, random: Collection[str], change: Callable[[Term], Term]) -> Term:
    """Return a term with its random entries changed."""
    if isinstance(term, Entry) and term.name in random:
        return change(term)
    return rebuilt(term, lambda part: _replaced(part, random, change))


@dataclass(frozen=True, slots=True)
class Combination:
    """A linear combination of independent normal entries, and a number.

    Attributes:
        families: the random quantities.
        factors: the factors of their entries.
        number: the number.
        means: the means of their entries.
        variances: the variances of their entries.
    """

    families: tuple[Declared, ...]
    factors: tuple[Term, ...]
    number: Term
    means: tuple[Term, ...]
    variances: tuple[Term, ...]

    def _total(self, terms: tuple[Term, ...]) -> Term:
        return sum_term(nested(_entry(item)[0], term) for item, term in zip(self.families, terms, strict=True))

    def itself(self) -> Term:
        """Return the combination, as the premises write it."""
        entries = (_entry(item)[1] for item in self.families)
        return Add(self._total(tuple(map(Mul, self.factors, entries))), self.number)

    def mean(self) -> Term:
        """Return its mean."""
        return Add(self._total(tuple(map(Mul, self.factors, self.means))), self.number)

    def variance(self) -> Term:
        """Return its variance."""
        squares = (Pow(factor, 2) for factor in self.factors)
        return self._total(tuple(map(Mul, squares, self.variances)))


class Normals:
    """Steps on linear combinations of independent normal entries.

    Args:
        names: the names of the record.
        hypotheses: the hypotheses that a step may use.
    """

    def __init__(self, names: Names, hypotheses: Collection[str]) -> None:
        self.names = names
        self.hypotheses = hypotheses
        self.say = names.printer.text
        self.outcome = names.printer.outcome

    def _hypotheses(self, kind: str) -> Iterator[Hypothesis]:
        """Iterate over the hypotheses of a kind that the step may use."""
        every = self.names.scope.hypotheses
        return (item for item in every if item.kind == kind and item.id in self.hypotheses)

    def _about(self, kind: str, name: str) -> Hypothesis:
        for item in self._hypotheses(kind):
            if name in item.about:
                return item
        raise NotExportedError(f"No hypothesis of the step says enough of {name}.")

    def combination(self, body: Term) -> Combination:
        """Return a random number as a linear combination.

        Raises:
            NotExportedError: it is not linear in normal entries, or a hypothesis on them is missing.
        """
        term = self._parted(self.names.unfolded(body))
        used = {part.name for part in walk(term) if isinstance(part, Entry) and part.name in self.outcome}
        families = tuple(item for item in self.names.scope.declared if item.name in used)
        if not families:
            raise NotExportedError("A random number was expected here.")
        factors = tuple(_tidy(slope(term, _entry(_random(self.names, item.name))[1])) for item in families)
        if any(isinstance(part, Entry) and part.name in used for factor in factors for part in walk(factor)):
            raise NotExportedError("A linear combination of random entries was expected here.")
        laws = [self._about("law", item.name).values for item in families]
        means, variances = (tuple(self.names.elaborator.term(law[at]) for law in laws) for at in (1, 2))
        return Combination(families, factors, _tidy(_replaced(term, used, lambda _: ZERO)), means, variances)

    def _parted(self, term: Term) -> Term:
        """Return a term in which indices that differ by a hypothesis of the step do."""
        apart = [set(item.about) for item in self._hypotheses("distinct")]

        def parted(part: Term) -> Term:
            if isinstance(part, Delta):
                both = {part.first.name, part.second.name}
                if len(both) == _PAIR and any(both <= names for names in apart):
                    return ZERO
            return rebuilt(part, parted)

        return _tidy(parted(term))

    def _joined(self, texts: list[str]) -> str:
        return reduce(lambda right, left: f"(joined {left} {right})", reversed(texts))

    def _parts(self, found: Combination) -> tuple[str, str, str, str, str]:
        """Return the shape, the entries, and their means, variances and factors."""
        shape = reduce(
            lambda right, left: f"(Both {left} {right})", reversed([_shape(item) for item in found.families])
        )
        numbers = self._joined([_numbers(self.names, item) for item in found.families])
        means, variances, factors = (
            self._joined([_family(item, self.say(term)) for item, term in zip(found.families, terms, strict=True)])
            for terms in (found.means, found.variances, found.factors)
        )
        return shape, numbers, means, variances, factors

    def _independent(self, families: tuple[Declared, ...]) -> str:
        own = [
            f"exact {_label(self._about('coordinates', item.name), item)}" if item.sizes else "apply independent_one"
            for item in families
        ]
        if len(own) == 1:
            return own[0]
        if len(own) > _PAIR:
            raise NotExportedError("More than two random quantities are not exported together.")
        both = self._about("independent", families[0].name)
        if set(both.about) != {item.name for item in families}:
            raise NotExportedError("The random quantities are not independent by one hypothesis.")
        return f"apply independent_join; [ exact {mangled('H', both.id)} | {' | '.join(own)} ]"

    def _normal(self, families: tuple[Declared, ...]) -> str:
        each = [
            f"apply normals_{_WORDS[len(item.sizes)]}; exact {_label(self._about('law', item.name), item)}"
            for item in families
        ]
        return each[0] if len(each) == 1 else f"apply normals_joined; [ {' | '.join(each)} ]"

    def _applied(self, name: str, found: Combination, point: str = "", rest: Sequence[str] = ()) -> str:
        """Return the tactic that applies a premise; `rest` proves what it wants beside independent normal entries."""
        given = f"{name} {' '.join(self._parts(found))} {self.say(found.number)} {point}{' _' * (2 + len(rest))}"
        wanted = [self._independent(found.families), self._normal(found.families), *("idtac" for _ in rest)]
        blocks = "".join(f"\n{{ {proof} }}" for proof in rest)
        return f"refine ({given}); [ {' | '.join(wanted)} ].{blocks}"

    def _equal(self, left: Term, right: Term, *, random: bool = False) -> str:
        moving = self.outcome if random else None
        return certificate(self.names, left, right, self.hypotheses, "", moving)

    def _simple(self, name: str, term: Term) -> tuple[Term, str]:
        """Return what a term comes to by the hypotheses, and the tactic that states the equation."""
        found = difference(self.names, ZERO, term, self.hypotheses)
        return found, f"assert ({name} : {self.say(term)} = {self.say(found)}).\n{{ {self._equal(term, found)} }}\n"

    def _over_root(self, above: Term, variance: Term, argument: Term) -> str:
        """Return the proof that a quotient by the root of a variance is one that is written otherwise."""
        match argument:
            case Div(_, below) | Neg(Div(_, below)):
                square, quotient = self._equal(variance, Pow(below, 2)), self._equal(Div(above, below), argument)
                return f"apply (over_root _ _ {self.say(below)}).\n{{ order. }}\n{{ {square} }}\n{{ {quotient} }}"
        raise NotExportedError("A quotient by a standard deviation was expected here.")

    def _same(self, rule: str, body: Term, written: Term) -> str:
        """Return the proof that two random numbers agree for each outcome."""
        one, other = self.say(body, self.outcome), self.say(written, self.outcome)
        equal = self._equal(body, written, random=True)
        return (
            f"{rule} intros w_. cbv beta. assert (same : {one} = {other}).\n{{ {equal} }}\nrewrite same. reflexivity."
        )

    def linear_image(self, name: str, sides: Sides) -> str:
        """Return the proof of the distribution function of a combination."""
        body, point = _cdf(sides.left)
        found = self.combination(body)
        itself, mean, variance = found.itself(), found.mean(), found.variance()
        written = self.say(itself, self.outcome)
        (centre, first), (spread, second) = self._simple("mean_is", mean), self._simple("spread", variance)
        law = f"normal P_ (fun w_ => {written}) {self.say(mean)} {self.say(variance)}"
        return (
            f"assert (law : {law}).\n{{ {self._applied(name, found)} }}\n"
            f"{first}{second}rewrite mean_is, spread in law.\n"
            f"transitivity (cdf P_ (fun w_ => {written}) {self.say(point)}).\n"
            f"{{ {self._same('apply cdf_is.', body, itself)} }}\n"
            f"apply (normal_is _ P_ _ _ _ _ _ law).\n"
            f"{{ order. }}\n{{ {self._over_root(Add(point, Neg(centre)), spread, _argument(sides.right))} }}"
        )

    def two_sided(self, name: str, sides: Sides) -> str:
        """Return the proof of the distribution function of the absolute value of a combination."""
        body, point = _cdf(sides.left)
        if not isinstance(body, Fn) or body.name != "abs":
            raise NotExportedError("The distribution function of an absolute value was expected here.")
        found = self.combination(body.body)
        itself, variance = Fn("abs", found.itself()), found.variance()
        spread, equal = self._simple("spread", variance)
        standard = Div(point, Fn("sqrt", Mul(Num(Fraction(2)), variance)))
        given = [
            self._equal(found.mean(), ZERO),
            f"change (0 < {self.say(variance)}). rewrite spread. order.",
            "first [ order | left; apply ln_gt0; order ].",
        ]
        return (
            f"{equal}transitivity (cdf P_ (fun w_ => {self.say(itself, self.outcome)}) {self.say(point)}).\n"
            f"{{ {self._same('apply cdf_is.', body, itself)} }}\n"
            f"transitivity (erf {self.say(standard)}).\n{{ {self._applied(name, found, self.say(point), given)} }}\n"
            f"rewrite spread. f_equal. {self._over_root(point, Mul(Num(Fraction(2)), spread), _argument(sides.right))}"
        )

    def exponential(self, name: str, sides: Sides) -> str:
        """Return the proof of the mean of the exponential of a combination."""
        match sides.left, sides.right:
            case Chance("mean", (Fn("exp", body) as number,)), Fn("exp", value):
                found = self.combination(body)
            case _:
                raise NotExportedError("The mean of an exponential was expected here.")
        itself = Fn("exp", found.itself())
        half = _exponent(found)
        random = self.say(itself, self.outcome)
        return (
            f"transitivity (mean P_ (fun w_ => {random})).\n"
            f"{{ {self._same('apply mean_is.', number, itself)} }}\n"
            f"transitivity (exp {self.say(half)}).\n"
            f"{{ apply (proj2 (A := integrable P_ (fun w_ => {random}))). {self._applied(name, found)} }}\n"
            f"f_equal. {self._equal(half, value)}"
        )

    def reflection(self, name: str, sides: Sides) -> str:
        """Return the proof that a share has one mean for normal entries of mean zero and for their negatives."""
        body, other = _mean(sides.left), _mean(sides.right)
        term = self.names.unfolded(body)
        used = {part.name for part in walk(term) if isinstance(part, Entry) and part.name in self.outcome}
        families = tuple(item for item in self.names.scope.declared if item.name in used)
        laws = [self._about("law", item.name).values for item in families]
        if not families or any(law[1] != "0" for law in laws):
            raise NotExportedError("Normal entries of mean zero were expected here.")
        variances = tuple(self.names.elaborator.term(law[2]) for law in laws)
        found = Combination(families, variances, ZERO, tuple(ZERO for _ in families), variances)
        shape, numbers, means, spreads, _ = self._parts(found)
        places = {item.name: self._place(families, number) for number, item in enumerate(families)}
        function = f"(fun x_ : at_ {shape} -> R => {self.say(term, places)})"
        turned = _replaced(term, used, Neg)
        return (
            f"transitivity (mean P_ (fun w_ => {self.say(turned, self.outcome)})).\n"
            f"{{ refine ({name} {shape} {numbers} {means} {spreads} {function} _ _ _ _ _); "
            f"[ {self._independent(families)} | {self._normal(families)} "
            f"| intros t; first [ reflexivity | destruct t; reflexivity ] | brl | exists 1; intros; share ]. }}\n"
            f"{self._same('apply mean_is.', turned, other)}"
        )

    def mean_of_rest(self, sides: Sides) -> str:
        """Return the proof that the mean of a number less a share is the number less its mean."""
        match sides.left, sides.right:
            case Chance("mean", (Add(number, Neg(body)),)), Add(same, Neg(Chance("mean", (other,)))):
                if number == same and body == other and not any(isinstance(part, Entry | Use) for part in walk(number)):
                    share = self.say(self.names.unfolded(body), self.outcome)
                    return (
                        f"apply (mean_from _ P_ {self.say(number)}).\n"
                        f"change (integrable P_ (fun w_ => {share})). {self._bounded(self.names.unfolded(body))}"
                    )
        raise NotExportedError("The mean of a number less a share was expected here.")

    def _bounded(self, share: Term) -> str:
        """Return the proof that a share is integrable."""
        used = {part.name for part in walk(share) if isinstance(part, Entry)}
        entries = " | ".join(f"apply {mangled('r', name)}_random" for name in self.outcome if name in used)
        return f"apply (integrable_bounded _ P_ _ 1); [ meas ltac:(first [ {entries} ]) | intros; share ]."

    def _place(self, families: tuple[Declared, ...], number: int) -> str:
        """Return the entries of a family within the argument of a function of all families."""
        own, _ = _entry(families[number])
        place = (
            f"({', '.join(map(printing.index, own))})" if len(own) > 1 else "".join(map(printing.index, own)) or "tt"
        )
        if number < len(families) - 1:
            place = f"(inl {place})"
        for _ in range(number):
            place = f"(inr {place})"
        bound = " ".join(map(printing.binder, own))
        return f"(fun {bound} => x_ {place})" if bound else f"(x_ {place})"

    def monotone_mean(self, name: str, sides: Sides, difference: Term) -> str:
        """Return the proof that a mean is at most another, where the numbers are so for each outcome.

        One is a share, the other the exponential of a combination.
        """
        less, more = _mean(sides.left), _mean(sides.right)
        if not isinstance(more, Fn) or more.name != "exp":
            raise NotExportedError("The mean of an exponential was expected here.")
        share, found = self.names.unfolded(less), self.combination(more.body)
        itself = Fn("exp", found.itself())
        random = self.say(itself, self.outcome)
        written = self.say(Add(more, Neg(less)), self.outcome)
        equal = self._equal(Add(more, Neg(less)), difference, random=True)
        return (
            f"apply mean_le.\n"
            f"{{ change (integrable P_ (fun w_ => {self.say(share, self.outcome)})). {self._bounded(share)} }}\n"
            f"{{ apply (integrable_is _ P_ _ (fun w_ => {random})).\n{{ {self._same('', more, itself)} }}\n"
            f"apply (proj1 (B := mean P_ (fun w_ => {random}) = exp {self.say(_exponent(found))})). "
            f"{self._applied(name, found)} }}\n"
            f"intros w_. cbv beta. assert (same : {written} = {self.say(difference, self.outcome)}).\n{{ {equal} }}\n"
            f"apply (order_le _ _ _ same). order."
        )

    def logistic_event(self, name: str, sides: Sides) -> str:
        """Return the proof that an event about the logistic function of a number is one about the number."""
        del name
        weight, _ = _cdf(sides.left)
        score, _ = _cdf(sides.right)
        rule = "logistic_at_most"
        match weight, score:
            case Fn("abs", Add(inner, Neg(_))), Fn("abs", number):
                weight, score, rule = inner, number, "logistic_within"
        logistic = Div(ONE, Add(ONE, Fn("exp", Neg(score))))
        equal = self._equal(weight, logistic, random=True)
        return f"apply cdf_is. intros w_. cbv beta. apply {rule}; [ | order | order ].\n{equal}"

    def error_function(self, name: str, sides: Sides) -> str:
        """Return the proof of the normal distribution function as an error function."""
        del name
        value = next((part for part in walk(sides.right) if isinstance(part, Fn) and part.name == "erf"), None)
        if value is None:
            raise NotExportedError("An error function was expected here.")
        return f"rewrite Phi_erf. half_root {self.say(_argument(sides.left))} {self.say(value.body)}."

    def far_error(self, name: str, sides: Sides) -> str:
        """Return the proof of the limit of an error function at infinity."""
        match sides.left:
            case Lim(variable, "oo", Fn("erf", Mul(factor, right))) if right == variable:
                far = f"(tends_far erf 1 {self.say(factor)}); [ exact {name} |"
                return f"apply {far} first [ order | apply ln_gt0; order ] | intros; reflexivity ]."
        raise NotExportedError("The limit of an error function was expected here.")

    def geometric_tail(self, name: str, sides: Sides) -> str:
        """Return the proof of the bound of a sum of exponentials of squared distances of positions."""
        about = [label for item in self._hypotheses("positions") for label, _ in statements(self.names, item)]
        match sides.left:
            case Sum(index, Mul(Add(_, Neg(Delta(_, at))), Fn("exp", Neg(Mul(rate, _)) | Mul(Neg(rate), _)))) if about:
                pass
            case _:
                raise NotExportedError("A sum over other positions was expected here.")
        here, there = printing.index(index), printing.index(at)
        square = f"exp (- {self.say(rate)} * (position {here} - position {there}) ^ 2)"
        written = f"(fun {printing.binder(index)} => (1 - delta {here} {there}) * {square})"
        return (
            f"apply Rle_trans with (sum {printing.length(index.size)} {written}).\n"
            f"{{ right. apply sum_eq. intros. do 2 f_equal. rewrite !{about[0]}. ring. }}\n"
            f"apply Rle_trans with (2 * exp (- {self.say(rate)}) / (1 - exp (- {self.say(rate)}))).\n"
            f"{{ apply {name}; order. }}\nright. unfold Rdiv. ring."
        )


def _exponent(found: Combination) -> Term:
    """Return the logarithm of the mean of the exponential of a combination."""
    return Add(found.mean(), Div(found.variance(), Num(Fraction(2))))


def _cdf(term: Term) -> tuple[Term, Term]:
    """Return the number and the point of a distribution function."""
    match term:
        case Chance("cdf", (body,), (point,)):
            return body, point
    raise NotExportedError("A distribution function was expected here.")


def _mean(term: Term) -> Term:
    """Return the number of which a term is the mean."""
    match term:
        case Chance("mean", (body,)):
            return body
    raise NotExportedError("A mean was expected here.")


def _argument(term: Term) -> Term:
    """Return the argument of a function."""
    if not isinstance(term, Fn):
        raise NotExportedError("A function of a number was expected here.")
    return term.body


STEPS: dict[str, Callable[[Normals, str, Sides], str]] = {
    "normal-linear-image": Normals.linear_image,
    "normal-two-sided": Normals.two_sided,
    "normal-exponential": Normals.exponential,
    "reflection": Normals.reflection,
    "logistic-event": Normals.logistic_event,
    "normal-and-error-function": Normals.error_function,
    "erf-limits": Normals.far_error,
    "geometric-tail": Normals.geometric_tail,
}
"""The proofs of steps that cite a lemma on laws, by its name."""
