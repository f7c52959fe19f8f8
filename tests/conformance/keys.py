"""The key of each case: made, read back strictly, and its values against the numbers that the source prints.

A number that is known to be right, exactly or rounded at the end, is a rounding of the key's value of that quantity;
a number that is wrong, cut off, or right only from rounded numbers before it, is none.

A case of claims has no work that somebody handed in, but many of its claims say a number: what a formula comes to, or
that two formulas differ at a point. Of these a problem is made, a quantity for each formula; a number of one that is
not that of the other is then handed in as work, where the checker must find it wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from symattn.api.solutions import Result, solve
from symattn.checking.check import check_text
from symattn.errors import SymattnError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding, round_exact
from symattn.problem.model import Problem
from tests.conformance.cases import Case

RIGHT = "BE"
"""The letters of numbers that are roundings of the exact value."""

_SIGNIFICANT = 12
_CONTEXT = Context(prec=_SIGNIFICANT)
_ROOT = re.compile(r"sqrt\((\w+)\)")
_TIMES = re.compile(r"\*(?!\*)")


def unit(printed: str) -> Fraction:
    """One unit of the last printed place.

    >>> unit("37%"), unit("2.50e-03")
    (Fraction(1, 100), Fraction(1, 100000))
    """
    exponent = Decimal(printed.rstrip("%")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(10) ** exponent / (100 if printed.endswith("%") else 1)


def value(printed: str) -> Fraction:
    """What a printed number is."""
    return Fraction(Decimal(printed.rstrip("%"))) / (100 if printed.endswith("%") else 1)


def is_rounding(printed: str, exact: Quotient) -> bool:
    """Return whether a printed number is a rounding of a value, half-way cases either way; nan stands for none."""
    if printed == "nan" or exact is UNDEFINED:
        return printed == "nan" and exact is UNDEFINED
    if printed == "-inf" or exact is MINUS_INFINITY:
        return printed == "-inf" and exact is MINUS_INFINITY
    step = unit(printed)
    scaled, wanted = exact * Quotient.of(1 / step), value(printed) / step
    down, up = (Rounding(places=0, ties=ties) for ties in ("half-even", "half-up"))
    if wanted in {round_exact(scaled, down), round_exact(scaled, up)}:
        return True
    exactly = scaled.rational()
    return exactly is not None and abs(exactly - wanted) * 2 == 1


@dataclass(frozen=True)
class Number:
    """A printed number of a quantity, and whether it is known to be a rounding of its value."""

    name: str
    row: int
    column: int
    printed: str
    code: str


@dataclass(frozen=True)
class Asked:
    """One problem of a case, the numbers that are known of it, and works with a number that is wrong, or right."""

    problem: Problem
    numbers: tuple[Number, ...]
    works: tuple[tuple[str, bool], ...] = ()


@dataclass
class Keys:
    """What was found of the keys of a case."""

    case: str
    kind: str
    keys: int = 0
    statements: int = 0
    numbers: int = 0
    agree: int = 0
    works: int = 0
    disagreements: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    no_numbers: str = ""


def keys_of(cases: Iterable[Case]) -> list[Keys]:
    """The keys of each case."""
    return [keys_of_one(case) for case in cases]


def keys_of_one(case: Case) -> Keys:
    """The keys of one case, or why there are none."""
    found = Keys(case.id, case.raw["kind"])
    asked, reasons = asked_of(case)
    if not asked:
        found.no_numbers = "; ".join(reasons) or "no numbers"
    for one in asked:
        _make(one, found)
    return found


def _make(asked: Asked, found: Keys) -> None:
    try:
        result = solve(asked.problem)
        source = result.to_latex()
        findings = result.read_back(source)
    except SymattnError as error:
        found.disagreements.append(f"{found.case}: no key: {error}")
        return
    found.keys += 1
    found.sources.append(source)
    found.statements += len(findings)
    refused = [finding for finding in findings if not finding.proved]
    found.disagreements.extend(f"{found.case}: read back: {item.marked.source}: {item.reasons}" for item in refused)
    found.disagreements.extend(f"{found.case}: {reason}" for reason in _ill_formed(source))
    for number in asked.numbers:
        found.numbers += 1
        said = _compare(number, result)
        found.agree += not said
        found.disagreements.extend([f"{found.case} {said}"] if said else [])
    for work, is_right in asked.works:
        found.works += 1
        report = check_text(asked.problem, work, "txt", "work")
        words = {item.verdict for item in report.findings}
        if ("wrong" in words) == is_right or not words:
            found.disagreements.append(
                f"{found.case}: the work {work} is found {', '.join(sorted(words)) or 'nothing'}"
            )


def _compare(number: Number, result: Result) -> str:
    """Why a number disagrees with what is known of it, or nothing."""
    exact = result[number.name].kernel[number.row, number.column]
    found = is_rounding(number.printed, exact)
    if found == (number.code in RIGHT):
        return ""
    place = f"{number.name}[{number.row + 1},{number.column + 1}]"
    truth = "it has no value" if exact is UNDEFINED else f"it {'is' if found else 'is no'} rounding of {exact}"
    return f"{place} = {number.printed}: known {number.code}, and {truth}"


def _ill_formed(source: str) -> list[str]:
    """Environments and braces of a LaTeX source that do not close."""
    body = source[source.index("\\begin{document}") :]
    begun, ended = (re.findall(rf"\\{word}\{{([a-z*]+)\}}", body) for word in ("begin", "end"))
    bare = re.sub(r"\\[\\{}%]|%[^\n]*", "", body)
    is_closed = sorted(begun) == sorted(ended) and bare.count("{") == bare.count("}")
    return [] if is_closed else ["environments or braces that do not close"]


# The problems of a case ------------------------------------------------------------------------------


def asked_of(case: Case) -> tuple[list[Asked], list[str]]:
    """The problems that a case has numbers of, and of what else it has why there are none."""
    if "claims" in case.raw:
        return _of_claims(case.raw["claims"])
    if case.out_of_scope:
        return [], [case.out_of_scope]
    known, numbers, seen = case.verdict(), [], dict[str, int]()
    for one in case.printed:
        item = seen.get(one.step, 0)
        seen[one.step] = item + 1
        if one.step not in case.problem.definitions:
            continue
        for i, row in enumerate(one.values):
            for j, printed in enumerate(row):
                if printed is not None:
                    numbers.append(Number(one.step, i, j, printed, known.code(one.step, item, i, j)))
    return [Asked(case.problem, tuple(numbers))], []


def _of_claims(claims: Iterable[Mapping[str, Any]]) -> tuple[list[Asked], list[str]]:
    asked: list[Asked] = []
    reasons: list[str] = []
    for claim in claims:
        check = claim["check"]
        made: list[Asked] | None = None
        try:
            made = {"value": _of_value, "ident": _of_identity}.get(check["type"], _of_nothing)(check, claim)
        except SymattnError as error:
            reasons.append(f"{check['type']}: {error}")
            continue
        asked.extend(made)
        reasons.extend([] if made else [f"{check['type']}: no number of attention is said"])
    return asked, reasons


def _of_nothing(_: Mapping[str, Any], __: Mapping[str, Any]) -> list[Asked]:
    return []


def _of_value(check: Mapping[str, Any], claim: Mapping[str, Any]) -> list[Asked]:
    """What a formula comes to, and the number that the source prints."""
    problem = Problem.build(inputs={"one": [[1]]}, definitions={"y": f"[{_formula(check['expr'])}]"})
    right = claim["computed"].get("code") in {"R", "="}
    printed = [Number("y", 0, 0, str(check["printed"]), "B" if right else "W")] if "printed" in check else []
    return [Asked(problem, (*printed, Number("y", 0, 0, _shortened(claim["computed"]["right"]), "B")))]


def _of_identity(check: Mapping[str, Any], claim: Mapping[str, Any]) -> list[Asked]:
    """Two formulas at points: the number of one is that of the other, or is wrong where it is handed in for it."""
    asked = []
    for point, (lhs, rhs) in zip(check["points"], claim["computed"]["lhs_rhs"], strict=True):
        inputs = {name: [[text]] for name, text in point.items()} or {"one": [[1]]}
        formulas = {side: f"[{_formula(_with_roots(check[side], point))}]" for side in ("lhs", "rhs")}
        problem = Problem.build(inputs=inputs, definitions=formulas)
        short = {"lhs": _shortened(lhs), "rhs": _shortened(rhs)}
        crossed = "B" if check["expect"] == "equal" else "W"
        numbers = [
            *(Number(name, 0, 0, text, "B") for name, text in short.items()),
            Number("rhs", 0, 0, short["lhs"], crossed),
        ]
        works = [(f"rhs = {short['rhs']}", True), (f"rhs = {short['lhs']}", crossed == "B")]
        asked.append(Asked(problem, tuple(numbers), tuple(works)))
    return asked


def _formula(text: str) -> str:
    """An expression in the words of a definition: single numbers are multiplied entry by entry."""
    return _TIMES.sub(" .* ", text.replace("**", "^"))


def _with_roots(text: str, point: Mapping[str, str]) -> str:
    """Roots are taken of numbers in a definition, so that those of a letter have its value in its place."""
    return _ROOT.sub(lambda found: f"sqrt({point.get(found[1], found[1])})", text)


def _shortened(text: str) -> str:
    """Twelve significant digits of a value that is known to fifty; a short one as it is."""
    found = Decimal(text)
    return text if len(found.as_tuple().digits) <= _SIGNIFICANT else format(found.normalize(_CONTEXT), "f")
