"""Scores the checker on a file of cases: ``python -m tests.conformance tests/data/cases.yaml``.

With ``--works FOLDER`` it is scored on works in people's own layout instead.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from symattn.errors import InputError
from symattn.problem.components.formulas import text_of
from symattn.rendering.latex.compilation import compile_tex
from tests.conformance import resolution, works
from tests.conformance.cases import Case, load
from tests.conformance.keys import Keys, keys_of
from tests.conformance.score import Outcome, Total, score
from tests.conformance.written import NOTATIONS


def main(arguments: list[str] | None = None) -> int:
    """Reads the command line, scores, prints."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.file is None) == (options.works is None):
        parser.error("give a file of cases, or a folder with --works")
    if options.works:
        return _score_works(options)
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
    if options.keys:
        found = keys_of(cases)
        faults = compiled(found, options.tex)
        _write(keys_as_json(found) if options.json else keys_as_text(found, faults))
        return 1 if faults or any(one.disagreements for one in found) else 0
    total = score(cases, notations)
    _write(json.dumps(as_json(total), indent=2, ensure_ascii=False) if options.json else as_text(total))
    return 0


def _score_works(options: argparse.Namespace) -> int:
    chosen = [work for work in works.load(options.works) if work.name.startswith(options.show or "")]
    if not chosen:
        _write(f"There is no work {options.show} in {options.works}.")
        return 2
    if options.resolution:
        _write(resolution.table(chosen))
        return 0
    found = works.score(chosen)
    if options.write:
        file = options.works / "ratchet.json"
        rises = works.risen(found, json.loads(file.read_text("utf-8"))) if file.exists() else []
        if rises:
            _write("\n".join(["Figures rose, and nothing was kept:", *rises]))
            return 1
        lines = (f"{json.dumps(name)}: {json.dumps(figures)}" for name, figures in works.ratchet(found).items())
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    _write(works.as_json(found) if options.json else works.as_text(found, explained=options.show is not None))
    return 0


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="a YAML file of cases")
    parser.add_argument("--works", type=Path, metavar="FOLDER", help="a folder of works, with an index")
    parser.add_argument(
        "--resolution",
        action="store_true",
        help="with --works: what statements are about when digits are wrong, and without each kind of evidence",
    )
    parser.add_argument("--write", action="store_true", help="with --works: keep the present figures as its ratchet")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--notation", choices=list(NOTATIONS), action="append", help="only this one; may be repeated")
    parser.add_argument("--keys", action="store_true", help="make the key of each case instead, and compare its values")
    parser.add_argument("--tex", type=int, default=0, metavar="N", help="with --keys: run N of them through LaTeX")
    parser.add_argument("--show", metavar="CASE", help="only what starts so, with the work or the alarms")
    return parser


def shown(case: Case, notations: list[str]) -> str:
    """A case as a problem and as work."""
    lines = [f"=== {case.id}"]
    if case.out_of_scope:
        return "\n".join([*lines, f"skipped: {case.out_of_scope}"])
    lines += [f"{name} is {matrix.shape[0]}×{matrix.shape[1]}" for name, matrix in case.problem.inputs.items()]
    lines += [f"{name} = {text_of(formula)}" for name, formula in case.problem.definitions.items()]
    for notation in notations:
        lines += [f"--- {notation}", NOTATIONS[notation](case.handed_in).text.rstrip()]
    return "\n".join(lines)


def compiled(found: list[Keys], count: int) -> list[str]:
    """What LaTeX says against some of the keys, taken from the whole list at equal distances."""
    sources = [(one.case, source) for one in found for source in one.sources]
    chosen = sources[:: max(1, len(sources) // count)][:count] if count else []
    faults = []
    for case, source in chosen:
        try:
            compile_tex(source)
        except InputError as error:
            faults.append(f"{case}: {error}")
    return faults


def keys_as_text(found: list[Keys], faults: list[str]) -> str:
    """The keys for people: what disagrees, what has no key and why, the sums."""
    made = [one for one in found if one.keys]
    numbers, agree = sum(one.numbers for one in found), sum(one.agree for one in found)
    return "\n".join(
        [
            *(f"no key of {one.case} ({one.kind}): {one.no_numbers}" for one in found if one.no_numbers),
            *(text for one in found for text in one.disagreements),
            *(f"LaTeX: {fault}" for fault in faults),
            f"cases {len(found)}, of which {len(made)} have keys",
            f"keys {sum(one.keys for one in found)}, with {sum(one.statements for one in found)} statements read back",
            f"numbers {numbers}, agree {agree}",
            f"works with the number of another formula {sum(one.works for one in found)}",
            f"disagreements {sum(len(one.disagreements) for one in found) + len(faults)}",
        ]
    )


def keys_as_json(found: list[Keys]) -> str:
    """The same for machines, without the sources."""
    records = [{key: item for key, item in dataclasses.asdict(one).items() if key != "sources"} for one in found]
    return json.dumps(records, indent=2, ensure_ascii=False)


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
