"""Independent reader of exported files: the statements of a Coq file, back in the plain syntax of records.

It shares no code with the export, and of its data only the statements of classical lemmas. What it reads is compared
with the record by `differences`, so that a claim that was written down wrongly is found although Coq proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Expr
from symattn.proofs.export.premises import premises
from symattn.proofs.kernel.record import Claim, Proof
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.values import Value
from symattn.records import dataclass

_TOKEN = re.compile(r"\s*(<->|/\\|=>|->|<=|>=|<>|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[()+\-*/^,:=<>])")
_THEOREM = re.compile(r"^(?:Theorem|Lemma) (\w+) : (.*?)\.\nProof\.", re.MULTILINE | re.DOTALL)
_DEFINITION = re.compile(r"^Definition d_(\w+)(.*?) : R := (.*)\.$", re.MULTILINE)
_HYPOTHESIS = re.compile(r"^Hypothesis (H_\w+|v_\w+_sign) : (.*)\.$", re.MULTILINE)
_PREMISE = re.compile(r"^Hypothesis L_(\w+) : (.*)\.$", re.MULTILINE)
_ASSUMPTION = re.compile(r"\b(?:Hypothes[ie]s|Axioms?|Parameters?|Conjectures?|Context|Admitted)\b.*")
_LENGTH = re.compile(r"Hypothesis n_(\w+)_pos : \(0 < n_\1\)%nat\.")
_APART = re.compile(r"Hypothesis apart_(\w+)_(?!\1_)(\w+)_(\w+) : f_\1_\3 <> f_\2_\3\.")
_VARIABLE = re.compile(r"^Variable (?:v_|r_)(\w+) : (?:W_ -> )?(.*)\.$", re.MULTILINE)
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RELATIONS = {"=": "=", "<=": "≤", "<": "<", ">=": "≥", ">": ">", "<>": "≠"}
_FUNCTIONS = {"exp": "exp", "ln": "ln", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tanh": "tanh", "Rabs": "abs"}
_FUNCTIONS |= {name: name for name in ("erf", "Phi")}
_CHANCES = {"mean": "E", "variance": "Var", "covariance": "Cov", "cdf": "cdf"}
_LAW = re.compile(
    r"^Hypothesis (H_\w+|r_\w+_random) : "
    r"((?:forall [^,]*, )?(?:(?:independent|apart|normal|measurable) P_|.* = position i_) ?.*)\.$",
    re.MULTILINE,
)
_LIMIT = re.compile(r"lim\((\w+), (oo|0), (.*)\)")
_PLACES = ("row", "column", "layer")


@dataclass(frozen=True, slots=True)
class Read:
    """A relation that a Coq file states, in plain syntax."""

    left: str
    relation: str
    right: str


class _Reader:
    """Reader of one statement, with letters for its sums that neither it nor the record has."""

    def __init__(self, text: str, scope: Scope) -> None:
        own = (word[2:] for word in re.findall(r"i_[A-Za-z]\b", text))
        taken = {*scope.sizes, *scope.fixed, *"eijkl", *own}
        self.tokens = _tokens(text)
        self.at = 0
        self.free = [letter for letter in _LETTERS if letter not in taken]
        self.bound: dict[str, str] = {}
        self.place = ""

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise InputError(f"The Coq file has {found or 'its end'} where {wanted or 'more'} is expected.")
        self.at += 1
        return found

    def words(self, *wanted: str) -> None:
        """Take some tokens that have to stand here."""
        for word in wanted:
            self.take(word)

    def statement(self) -> list[Read]:
        """Read quantifiers, premises about indices, and one relation or two."""
        if self.peek() == "forall":
            while self.take() != ",":
                pass
        while re.match("[if]_", self.peek()) and "->" in self.tokens[self.at :]:
            letters = set()
            while (word := self.take()) != "->":
                letters.add(word)
            if not {word for word in letters if word.startswith("i_")} <= set(self.tokens[self.at :]):
                raise InputError("The Coq file assumes something of an index that its claim does not show.")
        if self.peek() == "derivable_pt_lim":
            self.take()
            left = self.derivative()
            return [Read(left, "=", self.term())]
        if self.peek() == "tends":
            left = self.limit()
            return [Read(left, "=", self.term())]
        if self.peek() == "exists":
            return [self._exists()]
        if self.peek() == "(" and "<->" in self.tokens:
            self.take("(")
            first = self.relation()
            self.take("<->")
            second = self.relation()
            self.take(")")
            return [first, second]
        return [self.relation()]

    def _exists(self) -> Read:
        self.words("exists", "y_", ":", "R", ",", "derivable_pt_lim")
        left = self.derivative()
        self.words("y_", "/\\", "y_")
        return Read(left, _RELATIONS[self.take()], self.term())

    def relation(self) -> Read:
        left = self.term()
        return Read(left, _RELATIONS[self.take()], self.term())

    def derivative(self) -> str:
        """Read a function of one number and the place of its derivative."""
        start, count = self.at, 0
        while True:
            word = self.take()
            count += (word == "(") - (word == ")")
            if count == 0:
                break
        self.place = self.term()
        end, self.at = self.at, start
        self.words("(", "fun", "t_", "=>")
        body = self.term()
        self.take(")")
        self.at = end
        return f"diff({body}, {self.place})"

    def limit(self) -> str:
        """Read where a limit is taken, and the function of the number that moves."""
        self.take("tends")
        target = "oo"
        if self.peek() == "oo":
            self.take()
        else:
            self.take("(")
            if self.take() not in {"at_point", "right_of"}:
                raise InputError("The Coq file takes a limit where the export takes none.")
            target = self.term()
            self.take(")")
        self.words("(", "fun")
        variable = _plain(self.take())
        self.words(":", "R", "=>")
        body = self.term()
        self.take(")")
        return f"lim({variable}, {target}, {body})"

    def term(self) -> str:
        word = self.take()
        if word.isdigit():
            return word
        if word == "t_":
            return self.place
        if word != "(":
            return self.name(word, [])
        if self.peek() == "-":
            self.take()
            found = f"(-{self.term()})"
        elif self.peek().startswith("r_"):
            found = _plain(self.take())
            self.take("w_")
        elif self.peek() == "sum":
            found = self.sum()
        elif re.match("[A-Za-z]", self.peek()):
            head = self.take()
            if self.peek() not in "+-*/^":
                found = self.applied(head)
            else:
                found = self.infix(self.place if head == "t_" else self.name(head, []))
        else:
            inner = self.term()
            found = self.infix(inner) if self.peek() in "+-*/^" else self.name_at(inner)
        self.take(")")
        return found

    def name_at(self, base: str) -> str:
        """Read the indices of a quantity of which one entry moves."""
        indices = []
        while self.peek() != ")":
            indices.append(self.index())
        return f"({base})_{{{','.join(indices)}}}"

    def infix(self, left: str) -> str:
        operator = self.take()
        if operator not in set("+-*/^"):
            raise InputError(f"The Coq file has {operator} where an operator is expected.")
        return f"({left} {operator} {self.term()})"

    def sum(self) -> str:
        self.take("sum")
        size = _plain(self.take())
        self.words("(", "fun", "(")
        index = self.take()
        self.words(":", "ix")
        if _plain(self.take()) != size:
            raise InputError("A sum of the Coq file runs over another range than its index.")
        self.words(")", "=>")
        letter = self.free.pop(0)
        self.bound[index] = letter
        body = self.term()
        self.take(")")
        return f"(sum_{{{letter}=1}}^{{{size}}} ({body}))"

    def applied(self, head: str) -> str:
        if head in _CHANCES:
            return self.chance(_CHANCES[head])
        if head in _FUNCTIONS or head.startswith("g_"):
            return f"{_FUNCTIONS.get(head, head[2:])}({self.term()})"
        if head == "INR":
            return _plain(self.take())
        if head in {"upd", "upd2", "upd3"}:
            name = self.take()
            moved = [self.index() for _ in range(int(head[3:] or 1))]
            if f"({_plain(name)})_{{{','.join(moved)}}}" != self.place or self.take() != "t_":
                raise InputError("A derivative of the Coq file moves another entry than the one it is taken by.")
            return _plain(name)
        indices: list[str] = []
        while self.peek() != ")":
            if self.peek() == "(" and self.tokens[self.at + 1].startswith(("upd", "r_")):
                self.term()
            elif re.match("v_|t_", self.peek()):
                self.take()
            else:
                indices.append(self.index())
        return self.name(head, indices)

    def chance(self, name: str) -> str:
        """Read what random numbers have: a mean, say, of a number of the outcome."""
        self.take("P_")
        found = []
        while self.peek() != ")":
            if self.peek() == "(" and self.tokens[self.at + 1] == "fun":
                self.words("(", "fun", "w_", "=>")
                found.append(self.term())
                self.take(")")
            else:
                found.append(self.term())
        return f"{name}({', '.join(found)})"

    def index(self) -> str:
        word = self.take()
        if word == "(":
            move = _plain(self.take())
            found = f"{move}({self.index()})"
            self.take(")")
            return found
        if word in self.bound:
            return self.bound[word]
        return _plain(word) if word.startswith("i_") else word.split("_")[1]

    def name(self, word: str, indices: list[str]) -> str:
        if word == "PI" and not indices:
            return "pi"
        if not re.match("[vdn]_", word) and word != "delta":
            raise InputError(f"The Coq file has the name {word}, which the export does not write.")
        base = word if word == "delta" else _plain(word)
        if not indices:
            return base
        return f"{base if base == 'delta' else f'({base})'}_{{{','.join(indices)}}}"


def _plain(word: str) -> str:
    return word if word.isdigit() else word[2:]


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    text = text.strip()
    while at < len(text):
        matched = _TOKEN.match(text, at)
        if matched is None:
            raise InputError(f"The Coq file has {text[at : at + 20]!r}, which the export does not write.")
        found.append(matched[1])
        at = matched.end()
    return found


def claims(text: str, proof: Proof) -> dict[str, list[Read]]:
    """Return the claims that a Coq file states, by their ids: one relation each, or the two of an equivalence.

    Raises:
        InputError: a statement has a form that the export does not write.
    """
    return {
        name.removeprefix("claim_"): _Reader(statement, proof.scope).statement()
        for name, statement in _THEOREM.findall(text)
        if name.startswith("claim_")
    }


def definitions(text: str, proof: Proof) -> dict[str, str]:
    """Return the bodies of the definitions of a Coq file, by name, in plain syntax."""
    return {name: _Reader(body, proof.scope).term() for name, _, body in _DEFINITION.findall(text)}


def hypotheses(text: str, proof: Proof) -> Iterator[tuple[str, Read]]:
    """Iterate over the hypotheses of a Coq file by name; signs of declared quantities are named ``v_x_sign``."""
    for name, statement in _HYPOTHESIS.findall(_LAW.sub("", text)):
        yield name, _Reader(statement, proof.scope).statement()[0]


def _entry(name: str, rank: int, indices: str = "ijk") -> str:
    return f"({name})_{{{','.join(indices[:rank])}}}" if rank else name


def _stated(item: Hypothesis, sizes: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Return what a hypothesis of the record states, as relations in plain syntax."""

    def entry(name: str, indices: str = "ijk") -> str:
        return _entry(name, len(sizes[name]), indices)

    match item.kind:
        case "at-most":
            return [(item.values[0], "≤", item.values[1])]
        case "positive":
            return [("0", "<", value) for value in item.values or map(entry, item.about)]
        case "nonzero":
            return [(value, "≠", "0") for value in item.values or map(entry, item.about)]
        case "equal":
            return [(entry(name), "=", item.values[0]) for name in item.about]
        case "total":
            letters = {name: "ij"[: len(sizes[name]) - 1] + "l" for name in item.about}
            sums = (f"sum_{{l=1}}^{{{sizes[name][-1]}}} {entry(name, own)}" for name, own in letters.items())
            return [(one, "=", item.values[0]) for one in sums]
        case "dot-products":
            one, other = item.about
            first, second = (
                letter + "l" if len(sizes[name]) > 1 else "l" for letter, name in zip("ij", item.about, strict=True)
            )
            product = f"{entry(one, first)} {entry(other, second)}"
            return [(f"sum_{{l=1}}^{{{sizes[one][-1]}}} {product}", "=", item.values[0])]
        case _:
            return []


def _assumed(proof: Proof) -> dict[str, tuple[str, str, str]]:
    """Return what a file may assume: the hypotheses and the declared signs of the record."""
    found: dict[str, tuple[str, str, str]] = {}
    for item in proof.scope.hypotheses:
        stated = _stated(item, proof.scope.sizes)
        for number, relation in enumerate(stated, 1):
            found[f"H_{item.id}" + (f"_{number}" if len(stated) > 1 else "")] = relation
    for declared in proof.scope.declared:
        if declared.sign != "real":
            sign = "<" if declared.sign == "positive" else "≤"
            found[f"v_{declared.name}_sign"] = ("0", sign, _entry(declared.name, len(declared.sizes)))
    return found


def _laws(proof: Proof) -> dict[str, str]:
    """Return what a file may assume of laws: that entries, and quantities, are independent, and normal ones."""
    sizes = {
        name: tuple(one if one.isdigit() else f"n_{one}" for one in found) for name, found in proof.scope.sizes.items()
    }

    def bound(name: str) -> str:
        return " ".join(f"(i_U{number} : ix {size})" for number, size in enumerate(sizes[name], 1))

    def number(name: str) -> str:
        indices = "".join(f" i_U{number}" for number, _ in enumerate(sizes[name], 1))
        return f"((r_{name} w_){indices})" if indices else f"(r_{name} w_)"

    def family(name: str) -> str:
        kind = ("one", "row", "grid")[len(sizes[name])]
        return f"({kind} (fun {f'{bound(name)} ' if sizes[name] else ''}w_ => {number(name)}))"

    def shape(name: str) -> str:
        return " ".join((("One", "(Row", "(Grid")[len(sizes[name])], *sizes[name])) + (")" if sizes[name] else "")

    found: dict[str, str] = {}
    for declared in proof.scope.declared:
        if declared.random:
            every = f"forall {bound(declared.name)}, " if declared.sizes else ""
            found[f"r_{declared.name}_random"] = f"{every}measurable P_ (fun w_ => {number(declared.name)})"
    for item in proof.scope.hypotheses:
        match item.kind:
            case "coordinates":
                found |= {f"H_{item.id}_{name}": f"independent P_ {shape(name)} {family(name)}" for name in item.about}
            case "independent" if len(item.about) == len(_PLACES) - 1:
                both = " ".join([*map(shape, item.about), *map(family, item.about)])
                found[f"H_{item.id}"] = f"apart P_ {both}"
            case "positions":
                for name in item.about:
                    at = f"forall (i_i : ix {sizes[name][0]}), "
                    found[f"H_{item.id}_{name}"] = f"{at}(v_{name} i_i) = position i_i"
            case "law":
                for name in item.about:
                    every = f"forall {bound(name)}, " if sizes[name] else ""
                    found[f"H_{item.id}_{name}"] = f"{every}normal P_ (fun w_ => {number(name)}) "
    return found


def _moments(proof: Proof, name: str, said: str) -> bool:
    """Return whether a mean and a variance, as Coq writes them, are those of the record."""
    item = next(item for item in proof.scope.hypotheses if item.kind == "law" and name.startswith(f"H_{item.id}_"))
    reader = _Reader(said, proof.scope)
    read = [reader.term() for _ in item.values[1:]]
    return reader.at == len(reader.tokens) and all(
        _is_relation(proof, value, "=", "0", Read(found, "=", "0"))
        for value, found in zip(item.values[1:], read, strict=True)
    )


def _wrong_laws(text: str, proof: Proof) -> Iterator[str]:
    """Iterate over hypotheses on laws that the record does not have."""
    known = _laws(proof)
    for name, statement in _LAW.findall(text):
        expected = known.get(name, "")
        if expected.endswith(" ") and statement.startswith(expected):
            if not _moments(proof, name, statement.removeprefix(expected)):
                yield f"hypothesis {name}"
        elif statement != expected:
            yield f"hypothesis {name}"


def _shapes(text: str, proof: Proof) -> Iterator[str]:
    """Iterate over declared quantities that the file gives another shape."""
    sizes = proof.scope.sizes
    for name, kind in _VARIABLE.findall(text):
        found = tuple(_plain(word) for word in re.findall(r"ix (\w+) ->", kind))
        if found != sizes[name]:
            yield f"the shape of {name}"


def differences(text: str, proof: Proof) -> Iterator[str]:
    """Iterate over what a Coq file says otherwise than the record: shapes, definitions, assumptions, claims."""
    language = Language(proof.scope, Facts())
    for name, body in definitions(text, proof).items():
        item = language.defined[name]
        own = {index: ix.free(index) for index in item.indices}
        one, other = (Language(proof.scope, Facts(), own).text(written) for written in (body, item.body))
        if not _are_equal(one, other):
            yield f"the definition of {name}"
    yield from _shapes(text, proof)
    assumed = _assumed(proof)
    for name, read in hypotheses(text, proof):
        if name not in assumed or not _is_relation(proof, *assumed[name], read):
            yield f"hypothesis {name}"
    yield from _wrong_laws(text, proof)
    for line in _ASSUMPTION.findall(text):
        if not any(known.fullmatch(line) for known in (_HYPOTHESIS, _LAW, _PREMISE, _LENGTH, _APART)):
            yield f"assumption {line}"
    cited = {step.rule.removeprefix("lemma:").replace("-", "_"): step.rule for step in proof.steps}
    for name, statement in _PREMISE.findall(text):
        lemma = cited.get(name, "").removeprefix("lemma:")
        if premises().get(lemma) != statement:
            yield f"premise {name}"
    stated = {claim.id: claim for claim in proof.claims}
    for name, found in claims(text, proof).items():
        if not _is_claim(proof, stated[name], found):
            yield f"claim {name}"


def _is_claim(proof: Proof, claim: Claim, found: list[Read]) -> bool:
    if claim.relation == "⇔":
        pairs = zip((re.split(r"\s([=≤<≥>≠])\s", side) for side in (claim.left, claim.right)), found, strict=False)
        return len(found) == 2 and all(
            _is_relation(proof, left, sign, right, read) for (left, sign, right), read in pairs
        )
    return len(found) == 1 and _is_relation(proof, claim.left, claim.relation, claim.right, found[0])


def _is_relation(proof: Proof, left: str, relation: str, right: str, found: Read) -> bool:
    if relation != found.relation:
        return False
    scope = replace(proof.scope, functions=(*proof.scope.functions, "cdf"))
    return all(_say_the_same(scope, *sides) for sides in ((left, found.left), (right, found.right)))


def _say_the_same(scope: Scope, given: str, read: str) -> bool:
    """Return whether two texts are equal; limits of which the language knows no value, by their parts."""
    limits = [_LIMIT.fullmatch(text) for text in (given, read)]
    if limits[0] and limits[1] and "erf" in given:
        return limits[0].groups()[:-1] == limits[1].groups()[:-1] and _say_the_same(scope, limits[0][3], limits[1][3])
    one, other = (Language(scope, Facts()).text(text) for text in (given, read))
    return _are_equal(one, other)


def _are_equal(given: Value, read: Value) -> bool:
    if not isinstance(read, Expr):
        return False
    if not isinstance(given, Expr):
        given = given.at(*(ix.free(place) for place in _PLACES[: len(given.sizes)]))
    return given.equals(read)
