"""Theorems as text files: the reader of ``.proof``.

A file is a list of statements, one a line, their parts indented below them. The head of a theorem, its parameters and
its false variants are read once; names, hypotheses and chains are read for the chosen values, which stand in their
texts after ``@`` (`wording`). Nothing here is trusted: replay judges what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar, get_args

from symattn.errors import InputError
from symattn.proofs.catalogue.authoring.proof_builder import Builder, Chain
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import Law, chosen, collected, evaluated, finite_law, holds, rooted
from symattn.proofs.kernel.record import Proof
from symattn.proofs.kernel.rules import RULES
from symattn.proofs.language.scope import Declared, Kind, Scope, Sign
from symattn.records import dataclass

Instance = Callable[[Values], tuple[Line, ...]]
Rows = tuple[tuple[str, ...], ...]
Outcome = tuple[str, tuple[tuple[str, Rows], ...]]

_R = TypeVar("_R")
_T = TypeVar("_T", bound=str)
_SIGNS: tuple[Sign, ...] = get_args(Sign)
_KINDS: tuple[Kind, ...] = get_args(Kind)
_KINDS_OF_PARAMETERS = ("rational", "count", "list")
_RELATIONS = ("⇔", "=", "≤", "<", "≥", ">", "≠")
_ASCII = {"<=>": "⇔", "<=": "≤", ">=": "≥", "!=": "≠"}
_HEAD = ("theorem", "title", "summary", "source", "statement", "parameter", "scope", "false", "counterexample")
_MAX_TEXT = 200_000
_MAX_DEPTH = 8
_MAX_ENTRIES = 8
_PART, _REST = 2, 4


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
    levels: list[list[Statement]] = [[] for _ in range(_MAX_DEPTH + 2)]
    # From the end to the beginning, so that the parts of a statement are known when it is made.
    for depth, place, words in reversed(list(_joined(text, file))):
        parts, levels[depth + 1] = tuple(reversed(levels[depth + 1])), []
        levels[depth].append(Statement(place, words, parts))
    return tuple(reversed(levels[0]))


def _joined(text: str, file: str) -> Iterator[tuple[int, str, str]]:
    """Iterate over depth, place and text of each statement."""
    depth, place, words = 0, "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if words and indent >= depth * _PART + _REST:
            words = f"{words} {line.strip()}"
            continue
        here = f"{file}, line {number}"
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
        return Theorem(*names, self.proof, self.parameters, listed, instance, tuple(drops))

    def proof(self, values: Values) -> Proof:
        """Return the proof for chosen values."""
        self._refuse_other_cases(values)
        body = _Body(values, self.parameters)
        body.labels.update(_labels(self.body))
        body.read(self.body)
        texts = [chosen(self.one(keyword), body.texts) for keyword in ("theorem", "title", "statement", "source")]
        for name, value in sorted(values.items()):
            body.builder.parameter(name, value)
        name, title, statement, source = texts
        return replace(body.builder.proof(), name=name, title=title, statement=statement, source=source)

    def _refuse_other_cases(self, values: Values) -> None:
        """Refuse a parameter that was chosen for a case that was not."""
        for item in self.all("parameter"):
            for part in item.parts:
                name, (key, case) = item.rest.split()[0], part.matched(r"(\w+) = (\w+)", "only case = unequal").groups()
                if values[key] != case and values[name] != name:
                    raise InputError(f"{name} has no place in the {key} {values[key]}: set {key}={case} as well.")


def _parameter(item: Statement) -> Parameter:
    form = "parameter NAME count = DEFAULT: what it is (count, rational, list, or: one of A, B; worked before the =)"
    found = item.matched(r"(\w+) (one of .*?|\w+)(, worked)? = (.*?): (.*)", form)
    name, kind, worked, default, says = found.groups()
    if kind.startswith("one of "):
        choices = tuple(kind.removeprefix("one of ").split(", "))
        return Parameter(name, default, says, choices, "word", worked=bool(worked))
    return Parameter(name, default, says, (), _known(item, kind, _KINDS_OF_PARAMETERS), worked=bool(worked))


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

    def __init__(self, values: Values, parameters: Sequence[Parameter] = ()) -> None:
        used = [item for item in parameters if not item.worked]
        self.builder = Builder("", "", "")
        self.texts = {item.name: values[item.name] for item in used}
        self.numbers = {item.name for item in used if item.name == item.default != values[item.name]}
        self.labels: set[str] = set()
        self.hypotheses: dict[str, str] = {}
        self.steps: dict[str, int] = {}

    def read(self, statements: Iterable[Statement], chain: Chain | None = None) -> None:
        """Read statements one after the other; steps and claims belong to a chain."""
        was_true = True
        for item in statements:
            if item.keyword in {"when", "otherwise"}:
                was_true = not was_true if item.keyword == "otherwise" else self._is_true(item, item.rest)
                if was_true:
                    self.read(item.parts, chain)
            elif item.keyword == "refuse":
                condition, message = item.matched("when (.*?): (.*)", "refuse when sigma < 0: MESSAGE").groups()
                if self._is_true(item, condition):
                    raise InputError(chosen(message, self.texts))
            else:
                self._placed(item, self._read, item, chain)

    def _is_true(self, item: Statement, condition: str) -> bool:
        return self._placed(item, holds, condition, self.texts)

    def _placed(self, item: Statement, read: Callable[..., _R], *arguments: object) -> _R:
        """Return what a function reads of a statement; an error names file and line."""
        try:
            return read(*arguments)
        except FileError:
            raise
        except InputError as error:
            raise item.fault(str(error)) from None

    def _read(self, item: Statement, chain: Chain | None) -> None:
        if item.keyword in _LETS:
            name, text = item.matched(r"(\w+) = (.*)", f"{item.keyword} NAME = TEXT").groups()
            self.texts[name] = _LETS[item.keyword](text.removeprefix('"').removesuffix('"'), self.texts)
        elif item.keyword == "chain":
            self.read(item.parts, self.builder.chain(chosen(item.rest, self.texts)))
        elif chain is None:
            self._name(item)
        elif item.keyword == "claim":
            chain.claim(chosen(item.rest, self.texts))
        else:
            self._step(item, chain)

    # Names and hypotheses --------------------------------------------------------------------------

    def _name(self, item: Statement) -> None:
        b = self.builder
        if item.keyword == "name":
            self._declare(item)
        elif item.keyword == "define":
            self._define(item)
        elif item.keyword == "assume":
            self._assume(item)
        elif item.keyword in {"fixed", "permutation", "function"}:
            for name in chosen(item.rest, self.texts).split(", "):
                (
                    b.fixed
                    if item.keyword == "fixed"
                    else b.permutation
                    if item.keyword == "permutation"
                    else b.function
                )(name)
        else:
            raise item.fault(
                f"a line may not begin with {item.keyword} here. Begin it with chain, name, define, assume, let or "
                "another word of the format."
            )

    def _declare(self, item: Statement) -> None:
        """Declare names with their lengths; a parameter that is a number needs no name."""
        pattern = r"(NAME(?:, NAME)*)((?: positive| nonnegative| random)*)(?: latex (.*))?"
        form = "name q[D], k[D] random (after the names: positive, nonnegative, random, latex CODE)"
        names, words, latex = item.matched(pattern.replace("NAME", r"\w+(?:\[[^]]*\])?"), form).groups()
        sign: Sign = next((_known(item, word, _SIGNS) for word in words.split() if word != "random"), "real")
        for name, sizes in re.findall(r"(\w+)(?:\[([^]]*)\])?", names):
            if name not in self.numbers:
                lengths = tuple(chosen(sizes, self.texts).split(", ")) if sizes else ()
                self.builder.declare(Declared(name, lengths, sign, "random" in words.split(), latex or ""))

    def _define(self, item: Statement) -> None:
        form = "define A[i: n, j: m] positive = TEXT"
        pattern = r"(\w+)(?:\[([^]]*)\])?( positive| nonnegative)? = (.*)"
        name, ranges, sign, body = item.matched(pattern, form).groups()
        pairs = [part.partition(": ") for part in chosen(ranges or "", self.texts).split(", ") if part]
        indices, sizes = " ".join(pair[0] for pair in pairs), " ".join(pair[2] for pair in pairs)
        known = _known(item, (sign or "real").strip(), _SIGNS)
        self.builder.define(name, chosen(body, self.texts), indices, sizes, known)

    def _assume(self, item: Statement) -> None:
        form = "assume H1 independent q k: TEXT (before the colon, values: with FIRST; SECOND)"
        label, kind, about, values, text = item.matched(
            r"(\w+) ([\w-]+)((?: \w+)*?)(?: with (.*?))?: (.*)", form
        ).groups()
        said = [chosen(value, self.texts) for value in (values or "").split("; ") if value]
        known = _known(item, kind, _KINDS)
        self.hypotheses[label] = self.builder.assume(known, about, chosen(text, self.texts), *said)

    # Steps -----------------------------------------------------------------------------------------

    def _step(self, item: Statement, chain: Chain) -> None:
        form = "= TEXT by RULE using H1, H2 from LABEL with difference = TEXT: REASON"
        label, sign, after, said, words = item.matched(
            r"(?:\[(\w+)\] )?(\S+) (.*?) by (.*?)(?:: (.*))?", form, whole=True
        ).groups()
        relation = _known(item, _ASCII.get(sign, sign), _RELATIONS)
        said, *arguments = said.split(" with ")
        said, _, premises = said.partition(" from ")
        rule, _, hypotheses = said.partition(" using ")
        if not rule.startswith("lemma:"):
            _known(item, rule, RULES)
        pairs = dict(argument.split(" = ", 1) for argument in arguments)
        chain.then(
            relation,
            chosen(after, self.texts),
            rule,
            *self._hypotheses(item, hypotheses),
            words=chosen(words or "", self.texts),
            premises=tuple(step for name in premises.split(", ") if name for step in self._premises(item, name)),
            **{name: chosen(text, self.texts) for name, text in pairs.items()},
        )
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


_LETS = {"let": chosen, "collect": collected, "evaluate": evaluated, "root": rooted}
"""Keywords of texts that later ones use after ``@``, with what is made of them."""


def _labels(statements: Iterable[Statement]) -> Iterator[str]:
    """Iterate over the labels of all hypotheses, whatever the case."""
    for item in statements:
        if item.keyword == "assume":
            yield item.rest.partition(" ")[0]
        yield from _labels(item.parts)


def _scope(parts: Iterable[Statement]) -> Scope:
    """Return the names that some statements declare."""
    body = _Body({})
    body.read(parts)
    return body.builder.proof().scope


# False variants ------------------------------------------------------------------------------------

_NAMES = ("name", "define", "assume", "fixed", "permutation", "function")


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
    law: list[Outcome] = []
    for part in item.parts:
        if part.keyword == "sizes":
            sizes.extend((name, int(value)) for name, value in _assigned(part, part.rest, ", ") if value.isdecimal())
        elif part.keyword == "numbers":
            scalars.extend(_assigned(part, part.rest, ", "))
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
                "entries, outcome, independent, instead, drops or in."
            )
    return CounterExample(tuple(sizes), tuple(scalars), tuple(entries), tuple(law))


def _assigned(item: Statement, text: str, between: str) -> list[tuple[str, str]]:
    pairs = [part.partition(" = ") for part in text.split(between)]
    if not all(name and value for name, _, value in pairs):
        raise item.fault(f"values are written as n = 2{between}m = 3.")
    return [(name, value) for name, _, value in pairs]


def _entries(item: Statement, text: str) -> tuple[tuple[str, Rows], ...]:
    """Return vectors and matrices: entries with commas, rows with semicolons, one from the next by a bar."""
    return tuple(
        (name, tuple(tuple(row.split(", ")) for row in value.split("; ")))
        for name, value in _assigned(item, text, " | ")
    )


def _independent(item: Statement) -> Law:
    form = "independent q[2], k[2]: 1/2 of 1, 1/2 of -1 (then perhaps: also x = q)"
    names, outcomes, copies = item.matched(r"(.*?): (.*?)(?: also (.*))?", form).groups()
    families = {name: int(length) for name, length in re.findall(r"(\w+)\[([0-9]+)\]", names)}
    pairs = [(weight, value) for weight, _, value in (part.partition(" of ") for part in outcomes.split(", "))]
    if sum(families.values()) > _MAX_ENTRIES:
        raise item.fault(f"a law has at most {_MAX_ENTRIES} independent entries. Take shorter vectors.")
    return finite_law(families, pairs, dict(_assigned(item, copies, ", ")) if copies else None)
