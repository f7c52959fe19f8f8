"""Theorems as text files: the reader of ``.proof``.

A file is a list of statements, one a line, their parts indented below them. The head of a theorem, its parameters and
its false variants are read once; names, hypotheses and chains are read for the chosen values, which stand in their
texts after ``@`` (`wording`). Nothing here is trusted: replay judges what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar, get_args

from symattn.errors import InputError
from symattn.proofs.catalogue.authoring.theorem import (
    Builder,
    Chain,
    CounterExample,
    Falsehood,
    Line,
    Parameter,
    Sentence,
    Theorem,
    Values,
)
from symattn.proofs.catalogue.authoring.wording import (
    Law,
    chosen,
    collected,
    evaluated,
    finite_law,
    holds,
    number,
    rooted,
)
from symattn.proofs.kernel.record import Proof
from symattn.proofs.kernel.rules import RULES
from symattn.proofs.language.scope import Kind, Scope, Sign
from symattn.records import dataclass

Instance = Callable[[Values], tuple[Line, ...]]
Rows = tuple[tuple[str, ...], ...]

_R = TypeVar("_R")
_T = TypeVar("_T", bound=str)
_SIGNS: tuple[Sign, ...] = get_args(Sign)
_KINDS: tuple[Kind, ...] = get_args(Kind)
_KINDS_OF_PARAMETERS = ("rational", "count", "list")
_RELATIONS = ("⇔", "=", "≤", "<", "≥", ">", "≠")
_ASCII = {"<=>": "⇔", "<=": "≤", ">=": "≥", "!=": "≠"}
_HEAD = ("theorem", "title", "summary", "source", "parameter", "scope", "false", "counterexample")
_NAMES = ("name", "define", "assume", "fixed", "permutation", "function")
_MAX_TEXT = 200_000
_MAX_STATEMENTS = 2_000
_MAX_DEPTH = 8
_MAX_ENTRIES = 6
_MAX_OUTCOMES = 4
_MAX_DIGITS = 6
_PART, _REST = 2, 4
_REMARK = "remark"
_AUXILIARY = "auxiliary"
_CLAIMS = ("claim", _AUXILIARY)
_OF_STEPS = frozenset({"self", "relation", "right", "rule", "words", "premises"})
"""Names that a step has for what is no argument of its rule."""
_MARK = rf"\[(definition|{_REMARK}|[0-9]{{1,3}}(?:(?:\.\.|, )[0-9]{{1,3}})*)\]"
"""What a sentence of the statement is, behind it: the claims that it tells, counted through the file."""


class FileError(InputError):
    """A file of statements that cannot be read; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Statement of a file, with the statements indented below it.

    Attributes:
        place: the file and the line, for messages.
        text: the statement; lines that continue it are joined by blanks.
        parts: the statements below it.
    """

    place: str
    text: str
    parts: tuple[Statement, ...] = ()

    @property
    def keyword(self) -> str:
        """The first word."""
        return self.text.partition(" ")[0]

    @property
    def rest(self) -> str:
        """The text after the first word."""
        return self.text.partition(" ")[2]

    def fault(self, problem: str) -> FileError:
        """Return an error about this statement."""
        return FileError(f"{self.place}: {problem}")

    def matched(self, pattern: str, form: str, *, whole: bool = False) -> re.Match[str]:
        """Return the match of the text after the first word, or of the whole text.

        Raises:
            FileError: it has another form; the message shows how it is written.
        """
        found = re.fullmatch(pattern, self.text if whole else self.rest)
        if found is None:
            raise self.fault(f"this line cannot be read. Write it as: {form}")
        return found


def parse_statements(text: str, file: str) -> tuple[Statement, ...]:
    r"""Return the statements of a text.

    Two blanks more than the line above begin a part of its statement, four or more continue it. Empty lines and lines
    that begin with ``#`` are left out.

    Raises:
        FileError: the text is too long or too deep, or a line is indented in another way.

    >>> [(item.text, len(item.parts)) for item in parse_statements("chain a\n  = b\n      + c\nname n", "x")]
    [('chain a', 1), ('name n', 0)]
    """
    if len(text) > _MAX_TEXT:
        raise FileError(f"{file}: the file has more than {_MAX_TEXT} characters. Split it into several theorems.")
    found = list(_joined(text, file))
    if len(found) > _MAX_STATEMENTS:
        raise FileError(f"{file}: the file has more than {_MAX_STATEMENTS} statements. Split it into several theorems.")
    levels: list[list[Statement]] = [[] for _ in range(_MAX_DEPTH + 2)]
    # From the end to the beginning, so that the parts of a statement are known when it is made.
    for depth, place, words in reversed(found):
        parts, levels[depth + 1] = tuple(reversed(levels[depth + 1])), []
        levels[depth].append(Statement(place, words, parts))
    return tuple(reversed(levels[0]))


def _joined(text: str, file: str) -> Iterator[tuple[int, str, str]]:
    """Iterate over depth, place and text of each statement."""
    depth, place, words = 0, "", ""
    for row, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if words and indent >= depth * _PART + _REST:
            words = f"{words} {line.strip()}"
            continue
        here = f"{file}, line {row}"
        if indent % _PART or indent > depth * _PART + (_PART if words else 0) or "\t" in line:
            raise FileError(
                f"{here}: the line is indented by {indent} blanks. Indent a part by {_PART} blanks more than the line "
                f"it belongs to, and the rest of a long line by {_REST} or more."
            )
        if words:
            yield depth, place, words
        depth, place, words = indent // _PART, here, line.strip()
        if depth > _MAX_DEPTH:
            raise FileError(f"{here}: statements are nested deeper than {_MAX_DEPTH}. Write some of them side by side.")
    if words:
        yield depth, place, words


# The theorem --------------------------------------------------------------------------------------


def read_theorem(text: str, file: str, group: str = "", instance: Instance | None = None) -> Theorem:
    """Return the theorem of a file.

    Args:
        text: the text of the file.
        file: its name, for messages.
        group: the group of the catalogue that it belongs to.
        instance: the worked case in numbers.

    Raises:
        FileError: a line cannot be read; the message names file and line, and how it is written.
    """
    return _TheoremFile(parse_statements(text, file), file).theorem(group, instance)


class _TheoremFile:
    """Statements of a file: the head is read at once, the body for chosen values."""

    def __init__(self, statements: Sequence[Statement], file: str) -> None:
        self.file = file
        self.head = [item for item in statements if item.keyword in _HEAD]
        self.body = [item for item in statements if item.keyword not in _HEAD]
        self.parameters = tuple(map(_parameter, self.all("parameter")))
        self.cases = [case for item in self.all("parameter") for case in _cases(item, self.parameters)]
        self.scopes = {item.rest: _scope(item.parts) for item in self.all("scope")}

    def all(self, *keywords: str) -> list[Statement]:
        """Return the statements of the head that begin with one of the keywords."""
        return [item for item in self.head if item.keyword in keywords]

    def one(self, keyword: str) -> str:
        """Return the text after a keyword that the head has once."""
        found = self.all(keyword)
        if len(found) != 1:
            raise FileError(f"{self.file}: {len(found)} lines begin with {keyword}. Write exactly one such line.")
        return found[0].rest

    def theorem(self, group: str, instance: Instance | None) -> Theorem:
        """Return the theorem, whose proof is read for the chosen values."""
        false = [(item, _falsehood(item, self.scopes)) for item in self.all("false", "counterexample")]
        drops = [(part.rest, found) for item, found in false for part in item.parts if part.keyword == "drops"]
        listed = tuple(found for item, found in false if item.keyword == "false")
        names = self.one("theorem"), group, self.one("summary")
        told = self.place, self.sentences, self.auxiliary
        return Theorem(*names, self.proof, self.parameters, listed, instance, tuple(drops), *told)

    def proof(self, values: Values) -> Proof:
        """Return the proof for chosen values."""
        return self._read(values).builder.proof(*sorted(values.items()))

    def place(self, values: Values, name: str) -> str:
        """Return file and line of a step or a claim, the file alone for anything else."""
        return self._read(values).places.get(name, self.file)

    def auxiliary(self, values: Values) -> frozenset[str]:
        """Return the ids of the claims that only prepare others."""
        return frozenset(self._read(values).auxiliary)

    def sentences(self, values: Values) -> tuple[Sentence, ...]:
        """Return the sentences of the statement, each with the ids of the claims that its mark counts."""
        body = self._read(values)
        head = body.statement
        lines = [item.place for item in _walk(self.body) if item.keyword in _CLAIMS]
        built = {body.places[claim.id]: claim.id for claim in body.builder.claims}
        found = []
        for text, mark in _marked(body.chosen(head, head.rest)):
            numbers = _numbers(mark)
            if numbers and not 0 < max(numbers) <= len(lines):
                raise head.fault(f"the mark [{mark}] counts claims, and the file has {len(lines)}. Count them from 1.")
            ids = (built.get(lines[number - 1], "") for number in numbers)
            kind = "claim" if numbers else mark
            found.append(Sentence(text, kind, tuple(filter(None, ids))))
        return tuple(found)

    def _read(self, values: Values) -> _Body:
        for name, key, case in self.cases:
            if values[key] != case and values[name] != name:
                raise InputError(f"{name} has no place in the {key} {values[key]}: set {key}={case} as well.")
        builder = Builder(self.one("theorem"), self.one("title"), "", self.one("source"))
        body = _Body(builder, values, self.parameters)
        body.labels.update(item.rest.partition(" ")[0] for item in _walk(self.body) if item.keyword == "assume")
        body.read(self.body)
        if not body.statement.text:
            raise FileError(f"{self.file}: no line begins with statement. Say in it what is proved.")
        sentences = list(_marked(body.chosen(body.statement, body.statement.rest)))
        proved = [text for text, mark in sentences if mark != _REMARK]
        remarks = [text for text, mark in sentences if mark == _REMARK]
        builder.statement = " ".join([*proved, *(["Remark:"] if remarks else []), *remarks])
        return body


def _walk(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Iterate over statements and all that is indented below them, in the order of the file."""
    for item in statements:
        yield item
        yield from _walk(item.parts)


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """Iterate over the sentences of a statement and their marks: claims, a definition, a remark, or nothing.

    >>> list(_marked("Let $a$ be $1$. [definition] Then $a^2$ is $1$. [1..2, 4]"))
    [('Let $a$ be $1$.', 'definition'), ('Then $a^2$ is $1$.', '1..2, 4')]
    """
    *pairs, rest = re.split(_MARK, text)
    yield from zip((text.strip() for text in pairs[::2]), pairs[1::2], strict=True)
    if rest.strip():
        yield rest.strip(), ""


def _numbers(mark: str) -> list[int]:
    """Return the numbers of a mark, ranges written out.

    >>> _numbers("1..3, 5"), _numbers("remark")
    ([1, 2, 3, 5], [])
    """
    found: list[int] = []
    for part in mark.split(", ") if mark[:1].isdigit() else ():
        first, _, last = part.partition("..")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _parameter(item: Statement) -> Parameter:
    form = "parameter NAME count = DEFAULT: what it is (count, rational, list, or: one of A, B; worked before the =)"
    found = item.matched(r"(\w+) (one of .*?|\w+)(, worked)? = (.*?): (.*)", form)
    name, kind, worked, default, says = found.groups()
    if kind.startswith("one of "):
        choices = tuple(kind.removeprefix("one of ").split(", "))
        return Parameter(name, default, says, choices, "word", worked=bool(worked))
    return Parameter(name, default, says, (), _known(item, kind, _KINDS_OF_PARAMETERS), worked=bool(worked))


def _cases(item: Statement, parameters: Sequence[Parameter]) -> Iterator[tuple[str, str, str]]:
    """Iterate over name, other parameter and its value: the first is for that value of the second alone."""
    for part in item.parts:
        key, case = part.matched(r"only (\w+) = (\w+)", "only case = unequal", whole=True).groups()
        yield item.rest.split()[0], _known(part, key, [other.name for other in parameters]), case


def _known(item: Statement, word: str, words: Collection[_T]) -> _T:
    """Return one of the words that may stand here."""
    for known in words:
        if known == word:
            return known
    near: list[str] = get_close_matches(word, words, 3) or [str(known) for known in words]
    raise item.fault(f"{word!r} is not known here. Write one of: {', '.join(near) or 'none, it must be left out'}.")


# Names, hypotheses and chains ----------------------------------------------------------------------


class _Body:
    """Reader of names, hypotheses and chains for chosen values."""

    def __init__(self, builder: Builder, values: Values, parameters: Sequence[Parameter] = ()) -> None:
        used = [item for item in parameters if not item.worked]
        self.builder = builder
        self.statement = Statement("", "", ())
        self.texts = {item.name: values[item.name] for item in used}
        self.numbers = {item.name for item in used if item.name == item.default != values[item.name]}
        self.labels: set[str] = set()
        self.hypotheses: dict[str, str] = {}
        self.steps: dict[str, int] = {}
        self.places: dict[str, str] = {}
        self.auxiliary: set[str] = set()

    def chosen(self, item: Statement, text: str) -> str:
        """Return a text of a statement with the chosen values."""
        return self._placed(item, chosen, text, self.texts)

    def _placed(self, item: Statement, read: Callable[..., _R], *arguments: object) -> _R:
        """Return what a function reads of a statement; an error names file and line."""
        try:
            return read(*arguments)
        except InputError as error:
            raise item.fault(str(error)) from None

    def read(self, statements: Iterable[Statement], chain: Chain | None = None) -> None:
        """Read statements one after the other; steps and claims belong to a chain."""
        is_settled = False
        for item in statements:
            if item.keyword not in {"when", "otherwise"}:
                self._read(item, chain)
                continue
            is_settled = is_settled and item.keyword == "otherwise"
            condition = item.rest.removeprefix("when ")
            if not is_settled and (not condition or self._placed(item, holds, condition, self.texts)):
                is_settled = True
                self.read(item.parts, chain)

    def _read(self, item: Statement, chain: Chain | None) -> None:
        if item.keyword in _LETS:
            name, text = item.matched(r"(\w+) = (.*)", f"{item.keyword} NAME = TEXT").groups()
            text = self.chosen(item, text.removeprefix('"').removesuffix('"'))
            self.texts[name] = self._placed(item, _LETS[item.keyword], text, self.texts)
        elif item.keyword == "refuse":
            condition, message = item.matched("when (.*?): (.*)", "refuse when sigma < 0: MESSAGE").groups()
            if self._placed(item, holds, condition, self.texts):
                raise InputError(self.chosen(item, message))
        elif item.keyword == "statement":
            self.statement = item
        elif item.keyword == "chain":
            self.read(item.parts, self.builder.chain(self.chosen(item, item.rest)))
        elif chain is None:
            self._name(item)
        elif item.keyword not in _CLAIMS:
            self._step(item, chain)
        elif chain.ids:
            chain.claim(self.chosen(item, item.rest))
            name = self.builder.claims[-1].id
            self.places[name] = item.place
            self.auxiliary.update({name} if item.keyword == _AUXILIARY else ())
        else:
            raise item.fault("a claim needs a step before it. Write the step, beginning with its relation.")

    # Names and hypotheses --------------------------------------------------------------------------

    def _name(self, item: Statement) -> None:
        b = self.builder
        if item.keyword == "name":
            self._declare(item)
        elif item.keyword == "define":
            self._define(item)
        elif item.keyword == "assume":
            self._assume(item)
        elif item.keyword in _NAMES:
            names = {"fixed": b.fixed, "permutation": b.permutations, "function": b.functions}[item.keyword]
            names.extend(self.chosen(item, item.rest).split(", "))
        elif item.keyword in _HEAD:
            raise item.fault(
                f"{item.keyword} is said once, whatever the case. Write the line without blanks before it."
            )
        else:
            known = ", ".join((*_HEAD, "statement", *_NAMES, "chain", *_LETS, "when", "otherwise", "refuse"))
            raise item.fault(f"a line may not begin with {item.keyword} here. Begin it with one of: {known}.")

    def _declare(self, item: Statement) -> None:
        """Declare names with their lengths; a parameter that is a number needs no name."""
        pattern = r"(NAME(?:, NAME)*)((?: positive| nonnegative| random)*)(?: latex (.*))?"
        form = "name q[D], k[D] random (after the names: positive, nonnegative, random, latex CODE)"
        names, words, latex = item.matched(pattern.replace("NAME", r"\w+(?:\[[^]]*\])?"), form).groups()
        sign: Sign = next((_known(item, word, _SIGNS) for word in words.split() if word != "random"), "real")
        is_random = "random" in words.split()
        for name, sizes in re.findall(r"(\w+)(?:\[([^]]*)\])?", names):
            if name not in self.numbers:
                lengths = self.chosen(item, sizes).split(", ") if sizes else ()
                self.builder.declare(name, *lengths, sign=sign, random=is_random, latex=latex or "")

    def _define(self, item: Statement) -> None:
        form = "define A[i: n, j: m] positive = TEXT"
        pattern = r"(\w+)(?:\[([^]]*)\])?( positive| nonnegative)? = (.*)"
        name, ranges, sign, body = item.matched(pattern, form).groups()
        pairs = [part.partition(": ") for part in self.chosen(item, ranges or "").split(", ") if part]
        indices, sizes = " ".join(pair[0] for pair in pairs), " ".join(pair[2] for pair in pairs)
        known = _known(item, (sign or "real").strip(), _SIGNS)
        self.builder.define(name, self.chosen(item, body), indices, sizes, known)

    def _assume(self, item: Statement) -> None:
        form = "assume H1 independent q k: TEXT (before the colon, values: with FIRST; SECOND)"
        pattern = r"(\w+) ([\w-]+)((?: \w+)*?)(?: with (.*?))?: (.*)"
        label, kind, about, values, text = item.matched(pattern, form).groups()
        said = [self.chosen(item, value) for value in (values or "").split("; ") if value]
        known = _known(item, kind, _KINDS)
        self.hypotheses[label] = self.builder.assume(known, about, self.chosen(item, text), *said)

    # Steps -----------------------------------------------------------------------------------------

    def _step(self, item: Statement, chain: Chain) -> None:
        form = "= TEXT by RULE using H1, H2 from LABEL with difference = TEXT: REASON"
        pattern = r"(?:\[(\w+)\] )?(\S+) (.*?) by (.*?)(?:: (.*))?"
        label, sign, after, said, words = item.matched(pattern, form, whole=True).groups()
        relation = _known(item, _ASCII.get(sign, sign), _RELATIONS)
        said, *arguments = said.split(" with ")
        said, _, premises = said.partition(" from ")
        rule, _, hypotheses = said.partition(" using ")
        if not rule.startswith("lemma:"):
            _known(item, rule, RULES)
        pairs = dict(_assigned(item, arguments))
        own = sorted(pairs.keys() & _OF_STEPS)
        if own:
            raise item.fault(f"no rule has an argument {own[0]}. Write a reason after a colon.")
        chain.then(
            relation,
            self.chosen(item, after),
            rule,
            *self._hypotheses(item, hypotheses),
            words=self.chosen(item, words or ""),
            premises=tuple(step for name in premises.split(", ") if name for step in self._premises(item, name)),
            **{name: self.chosen(item, text) for name, text in pairs.items()},
        )
        self.places[chain.last] = item.place
        if label:
            self.steps[label] = int(chain.last)

    def _hypotheses(self, item: Statement, labels: str) -> list[str]:
        """Return the ids of hypotheses; those of another case are left out."""
        found = [label for label in labels.split(", ") if label and label not in self.labels - self.hypotheses.keys()]
        return [self.hypotheses[_known(item, label, self.hypotheses)] for label in found]

    def _premises(self, item: Statement, labels: str) -> list[str]:
        """Return the numbers of a step, or of the steps from one label to another."""
        first, _, last = labels.partition("..")
        ends = [self.steps[_known(item, label, self.steps)] for label in (first, last or first)]
        return [str(number) for number in range(ends[0], ends[1] + 1)]


_LETS: Mapping[str, Callable[[str, Values], str]] = {
    "let": lambda text, _: text,
    "collect": collected,
    "evaluate": evaluated,
    "root": rooted,
}
"""Keywords of texts that later ones use after ``@``, with what is made of them."""


def _scope(parts: Iterable[Statement]) -> Scope:
    """Return the names that some statements declare."""
    builder = Builder("", "", "")
    _Body(builder, {}).read(parts)
    return builder.proof().scope


# False variants ------------------------------------------------------------------------------------


def _falsehood(item: Statement, scopes: Mapping[str, Scope]) -> Falsehood:
    """Return a false variant with the numbers for which it fails."""
    given = {part.keyword: part for part in item.parts}
    claim, instead = (_part(item, given, name) for name in ("claim", "instead"))
    relation = next((sign for sign in _RELATIONS if f" {sign} " in claim), "")
    if not relation:
        raise given["claim"].fault(f"a claim needs one of these signs between its sides: {' '.join(_RELATIONS)}")
    left, _, right = claim.partition(f" {relation} ")
    scope = scopes[_known(given["in"], given["in"].rest, scopes)] if "in" in given else None
    names = [part for part in item.parts if part.keyword in _NAMES]
    return Falsehood(item.rest, left, relation, right, _example(item), instead, _scope(names) if names else scope)


def _part(item: Statement, given: Mapping[str, Statement], keyword: str) -> str:
    if keyword not in given:
        raise item.fault(f"a false variant needs a line that begins with {keyword}.")
    return given[keyword].rest


def _example(item: Statement) -> CounterExample:
    sizes: list[tuple[str, int]] = []
    scalars: list[tuple[str, str]] = []
    entries: list[tuple[str, Rows]] = []
    law: list[tuple[str, tuple[tuple[str, Rows], ...]]] = []
    for part in item.parts:
        if part.keyword == "sizes":
            sizes.extend((name, _size(part, value)) for name, value in _assigned(part, part.rest.split(", ")))
        elif part.keyword == "numbers":
            scalars.extend(_assigned(part, part.rest.split(", ")))
        elif part.keyword == "entries":
            entries.extend(_entries(part, part.rest))
        elif part.keyword == "outcome":
            weight, _, values = part.rest.partition(": ")
            law.append((weight, _entries(part, values)))
        elif part.keyword == "independent":
            law.extend(_independent(part))
        elif part.keyword not in {"claim", "instead", "drops", "in", *_NAMES}:
            raise part.fault(
                f"a line of a false variant may not begin with {part.keyword}. Begin it with claim, sizes, numbers, "
                "entries, outcome, independent, instead, drops, in, name or define."
            )
    return CounterExample(tuple(sizes), tuple(scalars), tuple(entries), tuple(law))


def _assigned(item: Statement, parts: Iterable[str]) -> list[tuple[str, str]]:
    pairs = [part.partition(" = ") for part in parts]
    if not all(name.isidentifier() and value for name, _, value in pairs):
        raise item.fault("a value is given as NAME = VALUE, with blanks around the sign.")
    return [(name, value) for name, _, value in pairs]


def _size(item: Statement, text: str) -> int:
    if not text.isdecimal() or len(text) > _MAX_DIGITS:
        raise item.fault(f"a size is a whole number of at most {_MAX_DIGITS} digits, not {text!r}.")
    return int(text)


def _entries(item: Statement, text: str) -> tuple[tuple[str, Rows], ...]:
    """Return vectors and matrices: entries with commas, rows with semicolons, one from the next by a bar."""
    return tuple(
        (name, tuple(tuple(row.split(", ")) for row in value.split("; ")))
        for name, value in _assigned(item, text.split(" | "))
    )


def _independent(item: Statement) -> Law:
    form = "independent q[2], k[2]: 1/2 of 1, 1/2 of -1 (then perhaps: also x = q)"
    pattern = r"(\w+\[\d\](?:, \w+\[\d\])*): (\S+ of \S+(?:, \S+ of \S+)*)(?: also (.*))?"
    names, outcomes, copies = item.matched(pattern, form).groups()
    families = {name: int(length) for name, length in re.findall(r"(\w+)\[(\d)\]", names)}
    pairs = [(number(weight), value) for weight, _, value in (part.partition(" of ") for part in outcomes.split(", "))]
    if sum(families.values()) > _MAX_ENTRIES or len(pairs) > _MAX_OUTCOMES:
        raise item.fault(f"a law has at most {_MAX_ENTRIES} independent entries with {_MAX_OUTCOMES} values each.")
    weights = [(weight, value) for weight, value in pairs if weight is not None]
    if len(weights) < len(pairs):
        raise item.fault("a probability is a number such as 1/2.")
    tied = dict(_assigned(item, copies.split(", "))) if copies else {}
    return finite_law(families, weights, {name: _known(item, other, families) for name, other in tied.items()})
