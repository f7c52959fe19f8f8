"""Lemmas of an exported file: one for each step and claim of a record, with a proof for Coq to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from symattn.proofs.export import laws, printing, tactics
from symattn.proofs.export import premises as classical
from symattn.proofs.export.hypotheses import domain, entry, for_all, places_of, relation, statements
from symattn.proofs.export.lemma import Lemma
from symattn.proofs.export.names import Names, Sides
from symattn.proofs.export.printing import mangled
from symattn.proofs.export.terms import (
    ONE,
    ZERO,
    Add,
    Chance,
    Delta,
    Diff,
    Equation,
    Fn,
    Index,
    Lim,
    Mul,
    Neg,
    NotExportedError,
    Term,
    Use,
    fixed_indices,
    walk,
)
from symattn.proofs.kernel.record import Claim, Proof, Step

_RULES = {"combination", "earlier result", "evident sign"}
"""The rules of steps with means and probabilities that are exported, beside lemmas on them."""

_DOWN = {"≥", ">"}


class Derivation:
    """Lemmas of a proof on its way to Coq.

    Args:
        proof: the record.
        left_out: names of lemmas that are not written, because Coq does not accept them.
        second: names of lemmas that are proved in the second way: from inequalities and values of their premises, and
            from signs with definitions opened.
    """

    def __init__(self, proof: Proof, left_out: Collection[str] = (), second: Collection[str] = ()) -> None:
        self.proof = proof
        self.names = Names(proof.scope)
        self.left_out = frozenset(left_out)
        self.second = frozenset(second)
        self.steps = {step.id: step for step in proof.steps}
        self.refused: dict[str, str] = {}
        self.lemmas: list[Lemma] = []
        self._terms: list[Term] = []
        self._signatures: dict[str, tuple[list[Index], int]] = {}
        self._divisors: dict[tuple[str, frozenset[str]], str] = {}
        self._refuse_scope()
        self._hypotheses = list(self._said())
        self._laws = list(self._said_of_laws())
        self._build()
        self._refuse_crowded_ranges()

    # The parts -------------------------------------------------------------------------------------

    def _said(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Iterate over hypotheses: the id, their names and their lines."""
        for item in self.proof.scope.hypotheses:
            try:
                found = statements(self.names, item)
                lines = [self._hypothesis(one.name, one.places, one.left, one.relation, one.right) for one in found]
            except NotExportedError as error:
                if item.kind != "distinct":
                    self.refused[item.id] = str(error)
                continue
            yield item.id, [one.name for one in found], lines

    def _said_of_laws(self) -> Iterator[tuple[str, str, str]]:
        """Iterate over hypotheses on laws: the id, the name and the statement."""
        for item in self.proof.scope.hypotheses:
            if item.kind in laws.KINDS:
                try:
                    found = list(laws.statements(self.names, item))
                except NotExportedError as error:
                    self.refused[item.id] = str(error)
                    continue
                yield from ((item.id, name, statement) for name, statement in found)

    def _hypothesis(self, name: str, places: tuple[Index, ...], left: Term, sign: str, right: Term) -> str:
        self._refuse_names(left, right)
        self._terms.extend((left, right))
        say = self.names.printer.text
        return f"Hypothesis {name} : {for_all(places)}{say(left)} {sign} {say(right)}."

    def _build(self) -> None:
        for item in self.proof.scope.defined:
            if item.name in self.refused:
                continue
            try:
                self._terms.append(self.names.body(item.name)[1])
                if item.sign != "real":
                    self._sign_lemma(item.name, item.sign)
            except NotExportedError as error:
                self.refused[item.name] = str(error)
        for step in self.proof.steps:
            self._add(f"step_{step.id}", f"step {step.id}: {step.rule}", partial(self._step, step), self._behind(step))
        for claim in self.proof.claims:
            self._add(f"claim_{claim.id}", f"claim {claim.id}", partial(self._claim, claim), claim.steps)

    def _refuse_scope(self) -> None:
        """Refuse lengths that are not declared positive numbers, and definitions that rest on later ones."""
        scope, known, names = self.proof.scope, set[str](), Names(self.proof.scope)
        every = [*(item.name for item in scope.items), *scope.fixed, *scope.permutations, *scope.functions]
        if len(set(every)) != len(every):
            raise NotExportedError("A name stands for two things.")
        for item in scope.defined:
            if len(set(item.indices)) != len(item.indices):
                raise NotExportedError(f"{item.name} has one letter for two indices.")
            try:
                body = names.body(item.name)[1]
                used = {part.name for part in walk(body) if isinstance(part, Use)}
                if used <= known:
                    names.printer.text(body)
                    self._refuse_names(body)
            except NotExportedError as error:
                self.refused[item.name] = str(error)
                used = set()
            if not used <= known:
                raise NotExportedError(f"{item.name} rests on a later definition.")
            known.add(item.name)
        for size in {text for item in self.proof.scope.items for text in item.sizes}:
            length = self.names.elaborator.declared.get(size)
            is_number = size.isdigit() and size != "0"
            if not is_number and (length is None or length.sizes or length.random or length.sign != "positive"):
                raise NotExportedError(f"The length {size} is not declared as a positive number.")

    def _refuse_crowded_ranges(self) -> None:
        """Refuse a range of a given length with more fixed indices than values: they would not be different."""
        counts = Counter(index.size for index in frozenset[Index]().union(*map(fixed_indices, self._terms)))
        for size, count in counts.items():
            if size.isdigit() and count > int(size):
                raise NotExportedError(f"A range of length {size} has fewer values than fixed indices.")

    def _refuse_names(self, *terms: Term) -> None:
        """Refuse terms that name a definition that is not exported."""
        for term in terms:
            for part in walk(term):
                if isinstance(part, Use) and part.name in self.refused:
                    raise NotExportedError(f"The definition of {part.name} is not exported.")

    def _add(
        self, name: str, about: str, make: Callable[[], tuple[str, str, tuple[str, ...]]], steps: Iterable[str]
    ) -> None:
        try:
            statement, proof, needs = make()
        except NotExportedError as error:
            self.refused[name] = str(error)
            return
        self.lemmas.append(Lemma(name, statement, proof, about, needs, self.proof.resting_on(steps)))

    def _sign_lemma(self, name: str, sign: str) -> None:
        own, value = entry(self.names, name)
        order = "<" if sign == "positive" else "<="
        says = f"{for_all(own)}0 {order} {self.names.printer.text(value)}"
        proof = f"{self._clear((), only_own=True)}intros. {self._unfold()}sgn."
        self.lemmas.append(Lemma(f"sign_{name}", says, proof, f"the sign of {name}"))

    # Statements ------------------------------------------------------------------------------------

    def _domains(self, sides: Iterable[Term], claim: Claim) -> tuple[str, ...]:
        """Note that denominators and arguments of logarithms and roots are what they must be by a claim's hypotheses.

        Those in the definitions that the claim comes to are among them.
        """
        waiting, seen, found = list(sides), set[str](), list[str]()
        while waiting:
            for part in walk(waiting.pop()):
                if isinstance(part, Use) and part.name not in seen:
                    seen.add(part.name)
                    waiting.append(self.names.body(part.name)[1])
                text = domain(self.names, part)
                if text:
                    found.append(self._domain_lemma(text, claim))
        return tuple(dict.fromkeys(found))

    def _domain_lemma(self, text: str, claim: Claim) -> str:
        hypotheses = self.proof.hypotheses_of(claim.steps)
        mark = text, hypotheses
        if mark not in self._divisors:
            name = f"domain_{len(self._divisors) + 1}"
            self._divisors[mark] = name
            known = self._inequalities(self.proof.resting_on(claim.steps)) if name in self.second else ""
            proof = f"{self._clear(hypotheses)}{known}intros. first [ domain | {self._unfold(';')}domain ]."
            about, rests = "a denominator, or an argument of a logarithm or a root", self.proof.resting_on(claim.steps)
            self.lemmas.append(Lemma(name, text, proof, about, (), rests))
        return self._divisors[mark]

    def _inequalities(self, names: Collection[str]) -> str:
        """Return the tactics that bring in the inequalities among some steps."""
        found = [
            step
            for step in self.proof.steps
            if step.id in names and step.relation not in {"=", "⇔"} and f"step_{step.id}" in self._available()
        ]
        known = "".join(f"pose proof step_{step.id}. " for step in found)
        return known + ("rewrite exp_0 in *. " if any("exp(0)" in step.before + step.after for step in found) else "")

    def _distinct(self, hypotheses: Iterable[str], places: list[Index]) -> list[tuple[Index, Index]]:
        """Return the pairs of indices that differ by hypotheses, and add letters that stand nowhere else."""
        pairs: list[tuple[Index, Index]] = []
        for item in self.proof.scope.hypotheses:
            if item.kind != "distinct" or item.id not in hypotheses:
                continue
            size = next((place.size for place in places if place.name in item.about), "")
            if not size:
                continue
            letters = []
            for name in item.about:
                letter = Index(name, size, (), name in self.proof.scope.fixed)
                if not letter.is_fixed and letter not in places:
                    places.append(letter)
                letters.append(letter)
            pairs += [
                (one, other)
                for at, one in enumerate(letters)
                for other in letters[at + 1 :]
                if not (one.is_fixed and other.is_fixed)
            ]
        return pairs

    def _statement(self, sides: Sides, hypotheses: Iterable[str]) -> tuple[str, str, list[Index]]:
        """Return the quantified statement of a relation, the tactic that introduces its indices, and these."""
        quantifiers, intros, places = self._quantified((sides.left, sides.right), hypotheses)
        self.names.refuse_tied(sides.left)
        self.names.refuse_tied(sides.right)
        return quantifiers + self._assertion(sides), intros, places

    def _quantified(self, terms: tuple[Term, ...], hypotheses: Iterable[str]) -> tuple[str, str, list[Index]]:
        """Return the quantifiers and premises on the indices of terms, the tactic that introduces them, and these."""
        self._refuse_names(*terms)
        self._terms.extend(terms)
        places = list(places_of(*terms))
        pairs = self._distinct(hypotheses, places)
        self._terms.extend(Delta(*pair) for pair in pairs)
        premises = "".join(f"{printing.index(one)} <> {printing.index(other)} -> " for one, other in pairs)
        intros = f"intros {' '.join(map(printing.index, places))}. " if places else ""
        return for_all(places) + premises, intros + ("intros. " if pairs else ""), places

    def _assertion(self, sides: Sides) -> str:
        say = self.names.printer.text
        sign = relation(sides.relation)
        analytic = [part for side in (sides.left, sides.right) for part in walk(side) if isinstance(part, Diff | Lim)]
        if not analytic:
            return f"{say(sides.left)} {sign} {say(sides.right)}"
        match sides.left:
            case Diff() if len(analytic) == 1 and sign == "=":
                return f"derivable_pt_lim {self.names.printer.derivative(sides.left)} {say(sides.right)}"
            case Diff() if len(analytic) == 1:
                derivative = self.names.printer.derivative(sides.left)
                return f"exists y_ : R, derivable_pt_lim {derivative} y_ /\\ y_ {sign} {say(sides.right)}"
            case Lim() if len(analytic) == 1 and sign == "=":
                return f"{self._limit(sides.left)} {say(sides.right)}"
        raise NotExportedError("A derivative or a limit stands inside a formula.")

    def _limit(self, found: Lim) -> str:
        function = f"(fun {mangled('v', found.variable.name)} : R => {self.names.printer.text(found.body)})"
        return f"tends {tactics.neighbourhood(self.names, found)} {function}"

    # Proofs ----------------------------------------------------------------------------------------

    def _unfold(self, end: str = ".") -> str:
        kept = [mangled("d", item.name) for item in self.proof.scope.defined if item.name not in self.refused]
        return f"unfold {', '.join(reversed(kept))}{end} " if kept else ""

    def _clear(self, hypotheses: Iterable[str], *, only_own: bool = False) -> str:
        gone = [name for item, names, _ in self._hypotheses if item not in hypotheses for name in names]
        signs = "".join(
            f"pose proof {lemma.name}. "
            for lemma in self.lemmas
            if lemma.name.startswith("sign_") and lemma.name not in self.left_out and not only_own
        )
        return (f"clear {' '.join(gone)}. " if gone else "") + signs

    def _opened_signs(self, hypotheses: Collection[str]) -> str:
        """Return the tactics that state the signs among hypotheses with their definitions opened."""
        found = ""
        for item in self.proof.scope.hypotheses:
            if item.id not in hypotheses or item.id in self.refused or item.kind not in {"positive", "nonzero"}:
                continue
            for one in statements(self.names, item):
                say, both = self.names.printer.text, (one.left, one.right)
                left, right = (say(self.names.unfolded(side)) for side in both)
                if (left, right) != tuple(map(say, both)):
                    opened = f"{for_all(one.places)}{left} {one.relation} {right}"
                    found += f"assert (O_{one.name} : {opened}) by exact {one.name}. "
        return found

    def _step(self, step: Step) -> tuple[str, str, tuple[str, ...]]:
        hypotheses = self.proof.hypotheses_of(self._behind(step))
        if step.relation == "⇔":
            return self._equivalence(step, hypotheses)
        sides = self.names.elaborator.sides(step.before, step.relation, step.after)
        says, intros, places = self._statement(sides, hypotheses)
        self._signatures[f"step_{step.id}"] = places, says.count(" <> ") if "intros. " in intros else 0
        proof = self._proof_of(
            step, sides, hypotheses, self._premises(step), is_second=f"step_{step.id}" in self.second
        )
        return says, self._clear(hypotheses) + intros + proof, ()

    def _available(self) -> frozenset[str]:
        return frozenset(lemma.name for lemma in self.lemmas) - self.left_out

    def _premises(self, step: Step) -> str:
        """Return the tactics that bring in the premises of a step."""
        names = (f"step_{name}" for name in step.premises)
        return "".join(f"pose proof {name}. " for name in names if name in self._available())

    def _proof_of(self, step: Step, sides: Sides, hypotheses: frozenset[str], premises: str, *, is_second: bool) -> str:
        lemma = step.rule.removeprefix("lemma:")
        is_at_zero = isinstance(sides.left, Lim) and sides.left.target == ZERO
        if lemma in laws.STEPS and not is_at_zero:
            normals = laws.Normals(self.names, hypotheses)
            return premises + laws.STEPS[lemma](normals, classical.premise_name(lemma), sides)
        if step.rule == "lemma:monotone-mean" and sides.relation == "≤":
            return premises + self._mean_below(step, sides, hypotheses)
        if step.rule == "linearity of expectation":
            return laws.Normals(self.names, hypotheses).mean_of_rest(sides)
        if any(isinstance(part, Chance) for side in (sides.left, sides.right) for part in walk(side)):
            if step.rule not in _RULES:
                raise NotExportedError(f"Means and probabilities by {step.rule} are not exported.")
            if sides.relation == "=":
                return f"{premises}first [ lra | match goal with known : _ = _ |- _ => rewrite known; ring end ]."
        if is_second and lemma in classical.premises():
            return classical.instance(self.names, lemma, sides)
        if isinstance(sides.left, Diff):
            known = tactics.Known(None, self._opened_signs(hypotheses)) if is_second else tactics.NOTHING_KNOWN
            return tactics.derivative(self.names, sides.left, sides.right, hypotheses, known)
        if isinstance(sides.left, Lim):
            return tactics.limit(self.names, sides.left, sides.right, hypotheses)
        if sides.relation == "=":
            if step.rule == "absolute values":
                return f"{premises}{self._unfold()}order."
            if step.rule == "square root":
                return f"{self._unfold()}apply sqrt_is; [ sgn | relate; alg ]."
            if is_second:
                return self._by_premises(step, sides, hypotheses)
            letters = dict(step.arguments).get("letters", "")
            return tactics.certificate(self.names, sides.left, sides.right, hypotheses, letters)
        less, more = (sides.left, sides.right) if sides.relation in {"≤", "<"} else (sides.right, sides.left)
        strict = sides.relation in {"<", ">"}
        turn = {"≥": "apply Rle_ge. ", ">": "apply Rlt_gt. "}.get(sides.relation, "")
        match step.rule:
            case "growth of exp":
                lemma = "exp_increasing" if strict else "exp_ge"
                return f"{premises}{turn}apply {lemma}. " + self._inner_order(less, more, strict, hypotheses)
            case "term by term":
                if not step.premises:
                    raise NotExportedError(f"Step {step.id} names no premise.")
                name = f"step_{step.premises[0]}"
                return f"{turn}apply {'sum_lt; [ sgn | ]' if strict else 'sum_le'}. intros. apply {name}; assumption."
            case "absolute values" if step.premises:
                return f"{premises}{turn}apply square_le. first [ assumption | apply step_{step.premises[0]} ]."
            case "lemma:log-increasing" if step.premises:
                goal = "exp_lt_inv" if strict else "exp_ge_inv"
                sides_of = Fn("exp", less), Fn("exp", more)
                return f"{premises}{turn}apply {goal}. " + self._combined(step, *sides_of, strict, hypotheses)
            case "lemma:log-tangent":
                return f"{premises}{turn}apply ln_below. order."
            case "combination":
                return premises + turn + self._combined(step, less, more, strict, hypotheses)
        given = dict(step.arguments).get("difference")
        if given is None:
            return f"{premises}{turn}" + self._inner_order(less, more, strict, hypotheses)
        found = self.names.elaborator.term(given)
        found = tactics.negated(found) if sides.relation in _DOWN else found
        return f"{premises}{turn}" + self._by_difference(less, more, found, strict, hypotheses)

    def _mean_below(self, step: Step, sides: Sides, hypotheses: frozenset[str]) -> str:
        """Return the proof of an inequality of means; all that its claims rest on may show that they exist."""
        given = [dict(self.steps[name].arguments).get("difference") for name in step.premises if name in self.steps]
        if len(given) != 1 or given[0] is None:
            raise NotExportedError(f"Step {step.id} does not say the difference of its numbers.")
        premise = classical.premise_name("normal-exponential")
        difference = self.names.elaborator.term(given[0])
        return laws.Normals(self.names, hypotheses).monotone_mean(premise, sides, difference)

    def _behind(self, step: Step) -> frozenset[str]:
        """Return the steps on which a lemma may rest: its own, or those of its claim where a mean has to exist."""
        if step.rule in {"lemma:monotone-mean", "linearity of expectation"}:
            for claim in self.proof.claims:
                every = self.proof.resting_on(claim.steps)
                if step.id in every:
                    return every
        return self.proof.resting_on([step.id])

    def _by_premises(self, step: Step, sides: Sides, hypotheses: frozenset[str]) -> str:
        """Return the proof of an equation from the inequalities and the values that its premises give."""
        chain = [self.steps[name] for name in step.premises if name in self.steps and self._joins(step, name)]
        ends = [step.before, *(item.after for item in chain)]
        if chain and ends[-1] == step.after and [item.before for item in chain] == ends[:-1]:
            return self._chained(chain)
        match sides.left, sides.right:
            case Fn(name, _), Fn(other, _) if name == other and len(step.premises) == 1:
                lemma = f"step_{step.premises[0]}"
                if lemma in self._available():
                    last = "first [ exact known | apply sum_eq; intros; rewrite !known; reflexivity ]."
                    return f"pose proof {lemma} as known. f_equal. {last}"
        usable = [name for name in step.premises if f"step_{name}" in self._available()]
        equations = dict(filter(None, map(self._value_of, usable)))
        letters = dict(step.arguments).get("letters", "")
        values = tactics.Known(equations, self._opened_signs(hypotheses))
        found = tactics.certificate(self.names, sides.left, sides.right, hypotheses, letters, None, values)
        return self._inequalities(step.premises) + found

    def _joins(self, step: Step, name: str) -> bool:
        """Return whether a premise is an equation about the very indices of a step."""
        lemma = f"step_{name}"
        if self.steps[name].relation != "=" or lemma not in self._available():
            return False
        return set(self._signatures[lemma][0]) <= set(self._signatures[f"step_{step.id}"][0])

    def _value_of(self, name: str) -> tuple[str, Equation] | None:
        """Return the definition that a premise gives the value of, and the equation, where it is one."""
        premise = self.steps[name]
        if premise.relation != "=":
            return None
        sides = self.names.elaborator.sides(premise.before, premise.relation, premise.after)
        places, pairs = self._signatures[f"step_{name}"]
        match sides.left:
            case Use(defined, own) if not pairs and set(own) == set(places) and len(set(own)) == len(own):
                if not any(isinstance(part, Use) and part.name == defined for part in walk(sides.right)):
                    return defined, (own, sides.right, f"step_{name}")
        return None

    def _by_difference(self, less: Term, more: Term, found: Term, strict: bool, hypotheses: frozenset[str]) -> str:  # noqa: FBT001
        rule = "order_lt" if strict else "order_le"
        self._terms.append(found)
        say = self.names.printer.text
        written = Add(more, Neg(less))
        equal = tactics.certificate(self.names, written, found, hypotheses)
        start = f"assert (same : {say(written)} = {say(found)}).\n{{ {equal} }}\n"
        unfold = self._unfold(";")
        both = f"first [ apply ({rule} _ _ _ same); order | order ]"
        return f"{start}first [ {both} | {unfold} {both} | {unfold.replace('; ', ' in *; ')} {both} ]."

    def _inner_order(self, less: Term, more: Term, strict: bool, hypotheses: frozenset[str]) -> str:  # noqa: FBT001
        if isinstance(less, Fn) and isinstance(more, Fn) and less.name == more.name == "exp":
            less, more = less.body, more.body
        if less == ZERO:
            return f"first [ order | {self._unfold(';')} order ]."
        found = tactics.difference(self.names, less, more, hypotheses)
        return self._by_difference(less, more, found, strict, hypotheses)

    def _combined(self, step: Step, less: Term, more: Term, strict: bool, hypotheses: frozenset[str]) -> str:  # noqa: FBT001
        weights = dict(step.arguments).get("weights", ";".join("1" for _ in step.premises)).split(";")
        total: Term | None = None
        for name, weight in zip(step.premises, weights, strict=False):
            premise = self._named_step(name)
            sides = self.names.elaborator.sides(premise.before, premise.relation, premise.after)
            low, high = (sides.left, sides.right) if premise.relation in {"≤", "<", "="} else (sides.right, sides.left)
            if premise.relation == "=" and step.relation in _DOWN:
                low, high = sides.right, sides.left
            factor = self.names.elaborator.term(weight, {place.name: place.size for place in places_of(less, more)})
            item: Term = Add(high, Neg(low))
            item = item if factor == ONE else Mul(factor, item)
            total = item if total is None else Add(total, item)
        if total is None:
            raise NotExportedError("A combination names no premises.")
        return self._by_difference(less, more, total, strict, hypotheses)

    def _equivalence(self, step: Step, hypotheses: frozenset[str]) -> tuple[str, str, tuple[str, ...]]:
        one, other = (self.names.elaborator.relation(text) for text in (step.before, step.after))
        says, intros, places = self._iff(one, other, hypotheses)
        self._signatures[f"step_{step.id}"] = places, says.count(" <> ") if "intros. " in intros else 0
        start = self._clear(hypotheses) + intros + self._premises(step)
        factor = dict(step.arguments).get("factor")
        if factor is None:
            return says, f"{start}equivalent.", ()
        scale = self.names.elaborator.term(factor)
        first, second = (
            Add(item.left, Neg(item.right)) if item.relation in _DOWN else Add(item.right, Neg(item.left))
            for item in (one, other)
        )
        if (one.relation in _DOWN) != (other.relation in _DOWN):
            scale = tactics.negated(scale)
        say = self.names.printer.text
        equal = tactics.certificate(self.names, first, Mul(scale, second), hypotheses)
        proof = f"assert (same : {say(first)} = {say(Mul(scale, second))}).\n{{ {equal} }}\n"
        need = f"{say(scale)} <> 0" if one.relation in {"=", "≠"} else f"0 < {say(scale)}"
        signs = f"order | nz | {self._unfold(';')} order | {self._unfold(';')} nz"
        proof += f"assert (apart : {need}).\n{{ first [ {signs} ]. }}\n"
        proof += "first [ exact (equiv_le _ _ _ _ _ same apart) | exact (equiv_lt _ _ _ _ _ same apart) "
        proof += "| exact (equiv_eq _ _ _ _ _ same apart) | split; intros; nra ]."
        return says, start + proof, ()

    def _iff(self, one: Sides, other: Sides, hypotheses: frozenset[str]) -> tuple[str, str, list[Index]]:
        terms = (one.left, one.right, other.left, other.right)
        quantifiers, intros, places = self._quantified(terms, hypotheses)
        return f"{quantifiers}({self._assertion(one)} <-> {self._assertion(other)})", intros, places

    def _claim(self, claim: Claim) -> tuple[str, str, tuple[str, ...]]:
        chain = [self._named_step(name) for name in claim.steps]
        if not chain:
            raise NotExportedError(f"Claim {claim.id} names no steps.")
        hypotheses = self.proof.hypotheses_of(claim.steps)
        if claim.relation == "⇔":
            one, other = (self.names.elaborator.relation(text) for text in (claim.left, claim.right))
            says, intros, _ = self._iff(one, other, hypotheses)
            needs = self._domains((one.left, one.right, other.left, other.right), claim)
            applied = "".join(map(self._applied, chain))
            return says, f"{self._clear(hypotheses)}{intros}{applied}first [ tauto | intuition lra ].", needs
        sides = self.names.elaborator.sides(claim.left, claim.relation, claim.right)
        needs = self._domains((sides.left, sides.right), claim)
        says, intros, places = self._statement(sides, hypotheses)
        if set(places) != set(places_of(sides.left, sides.right)):
            raise NotExportedError("It assumes something of an index that the claim does not show.")
        start = self._clear(hypotheses) + intros
        is_cited = chain[-1].rule.removeprefix("lemma:") in laws.STEPS
        if isinstance(sides.left, Diff | Lim) and sides.relation == "=" and not is_cited:
            is_second = bool(self.second & {f"claim_{claim.id}", f"step_{chain[-1].id}"})
            return says, start + self._proof_of(chain[-1], sides, hypotheses, "", is_second=is_second), needs
        return says, start + self._chained(chain), needs

    def _named_step(self, name: str) -> Step:
        if name not in self.steps:
            raise NotExportedError(f"There is no step {name}.")
        return self.steps[name]

    def _applied(self, step: Step) -> str:
        """Return the tactic that brings a step in, at the indices of its own letters."""
        name = f"step_{step.id}"
        if name not in self._available():
            raise NotExportedError(f"Step {step.id}, which it rests on, is not exported.")
        places, pairs = self._signatures[name]
        words = [printing.index(place) for place in places] + ["ltac:(distinct)"] * pairs
        return f"pose proof ({' '.join([name, *words])}) as P{step.id}. "

    def _chained(self, chain: list[Step]) -> str:
        """Return the proof from a chain of steps; for a derivative, what is known of the value that a step gives."""
        first, last = chain[0], "first [ assumption | lra ]"
        if not first.before.startswith("diff("):
            return f"{''.join(map(self._applied, chain))}{last}."
        value = self.names.elaborator.sides(first.before, first.relation, first.after).right
        applied = "".join(map(self._applied, chain))
        return f"{applied}exists {self.names.printer.text(value)}. split; [ assumption | {last} ]."
