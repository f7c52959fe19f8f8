"""Scores the checker on a file of cases: ``python -m tests.conformance tests/data/cases.yaml``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from tests.conformance.cases import Case, load
from tests.conformance.score import Outcome, Total, score
from tests.conformance.written import NOTATIONS


def main(arguments: list[str] | None = None) -> int:
    """Reads the command line, scores, prints."""
    options = _parser().parse_args(arguments)
    notations = options.notation or list(NOTATIONS)
    cases = load(options.file)
    if options.show:
        cases = tuple(case for case in cases if case.id.startswith(options.show))
        if not cases:
            _write(f"There is no case {options.show} in {options.file}.")
            return 2
        if not options.json:
            for case in cases:
                _write(shown(case, notations))
    total = score(cases, notations)
    _write(json.dumps(as_json(total), indent=2, ensure_ascii=False) if options.json else as_text(total))
    return 0


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("file", type=Path, help="a YAML file of cases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--notation", choices=list(NOTATIONS), action="append", help="only this one; may be repeated")
    parser.add_argument("--show", metavar="CASE", help="only the case whose name starts so, with the work as written")
    return parser


def shown(case: Case, notations: list[str]) -> str:
    """A case as a problem and as work."""
    lines = [f"=== {case.id}"]
    if case.out_of_scope:
        return "\n".join([*lines, f"skipped: {case.out_of_scope}"])
    lines += [f"{name} is {matrix.shape[0]}×{matrix.shape[1]}" for name, matrix in case.problem.inputs.items()]
    lines += [f"{name} = {formula}" for name, formula in case.problem.definitions.items()]
    for notation in notations:
        lines += [f"--- {notation}", NOTATIONS[notation](case.handed_in).text.rstrip()]
    return "\n".join(lines)


def as_text(total: Total) -> str:
    """The scores for people: a line for each case, the disagreements, the sums."""
    lines = [f"{'case':34} {'notation':9} {'numbers':>7} {'agree':>6}  remarks"]
    lines += [_line(outcome) for outcome in total.outcomes]
    lines += ["", *(f"skipped {case}: {reason}" for case, reason in total.skipped)]
    lines += ["", *(str(one) for one in total.disagreements), ""]
    wrong = len(total.with_first_wrong)
    lines += [
        f"cases {total.cases} (skipped {len(total.skipped)}), written {len(total.outcomes)} times",
        f"numbers {total.numbers}, agree {total.agree} ({100 * total.agreement:.2f} %)",
        f"false alarms {len(total.false_alarms)}",
        f"first wrong found {wrong - len(total.first_wrong_missed)} of {wrong}",
        f"disagreements {len(total.disagreements)}",
    ]
    return "\n".join(lines)


def _line(outcome: Outcome) -> str:
    remarks = [*outcome.remarks]
    if outcome.false_alarm:
        remarks.insert(0, "FALSE ALARM")
    if outcome.first_wrong_found is False:
        remarks.insert(0, "FIRST WRONG MISSED")
    text = f"{outcome.case[:34]:34} {outcome.notation:9} {outcome.numbers:7} {outcome.agree:6}  {'; '.join(remarks)}"
    return text.rstrip()


def as_json(total: Total) -> dict[str, object]:
    """The scores for machines."""
    return {
        "cases": total.cases,
        "numbers": total.numbers,
        "agree": total.agree,
        "false_alarms": len(total.false_alarms),
        "first_wrong": len(total.with_first_wrong),
        "first_wrong_found": len(total.with_first_wrong) - len(total.first_wrong_missed),
        "skipped": [{"case": case, "reason": reason} for case, reason in total.skipped],
        "disagreements": [dataclasses.asdict(one) for one in total.disagreements],
        "outcomes": [
            {key: value for key, value in dataclasses.asdict(outcome).items() if key != "disagreements"}
            for outcome in total.outcomes
        ],
    }


if __name__ == "__main__":
    raise SystemExit(main())
