"""The whole table of times, growths and memory: ``python -m tests.benchmarks``.

Everything is measured against its peers in the same process, in turn; only whole processes are processes of their
own. Times are processor times. A peer that is not installed is said to be missing, and never counts as met.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks import cases, curves, growth, processes, results, variants
from tests.benchmarks.peers import is_there
from tests.benchmarks.results import Result
from tests.benchmarks.timing import Times, in_turn

BASELINE = Path(__file__).parent / "baseline.json"
_MEMORY = (64, 256)


def main(arguments: list[str] | None = None, stored: Path = BASELINE) -> tuple[list[Result], list[Result]]:
    """Measures what is asked for, prints it, and writes it where it is wanted.

    Returns:
        All results; and with ``--check`` those that are slower than the stored ratios.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.quick and given.update_baseline and stored == BASELINE:
        parser.error("--quick measures other sizes under the same names: leave it out to store ratios.")
    known = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    baseline = known if given.check or not given.quick else {}
    found: list[Result] = []
    for title, part in _parts(given):
        print(title, flush=True)
        for result in part:
            print(result.line(baseline), flush=True)
            found.append(result)
    counts = {word: sum(result.word == word for result in found) for word in dict.fromkeys(r.word for r in found)}
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    if given.output is not None:
        _write(given.output, "results.json", json.dumps({"machine": _machine(), "results": results.as_json(found)}))
    if given.update_baseline:
        kept = {**known, **results.baseline_of(found)}
        stored.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    slower = [result for result in found if given.check and result.is_slower(baseline)]
    if given.check:
        print(_summary(found, slower, baseline))
    return found, slower


def _summary(found: list[Result], slower: list[Result], baseline: Mapping[str, float]) -> str:
    """Return what `--check` says: how many were compared, and which have grown beyond noise."""
    compared = sum(result.value is not None and result.name in baseline for result in found)
    lines = [f"{compared} compared with the baseline, {len(slower)} slower by more than {results.SLOWER - 1:.0%}"]
    return "\n".join(
        [*lines, *(f"  {result.name}: {baseline[result.name]} before, {result.value:.3g} now" for result in slower)]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", metavar="NAME", default="", help="what has NAME in its name")
    parser.add_argument(
        "--quick", action="store_true", help="sizes that take seconds together, and tell nothing of speed"
    )
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured (7)")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write results.json and curves as SVG there")
    parser.add_argument("--check", action="store_true", help="fail where a ratio has grown by more than a quarter")
    parser.add_argument("--update-baseline", action="store_true", help="keep the ratios for later runs")
    return parser


def _parts(given: argparse.Namespace) -> Iterator[tuple[str, Iterator[Result]]]:
    """Each case with its results, measured when they are asked for."""
    rounds = 0 if given.quick else given.rounds
    for case in cases.cases(quick=given.quick):
        if given.only in case.name:
            yield case.title, _measured(case, rounds)
    for process in processes.process_cases(quick=given.quick):
        if given.only in process.name:
            yield process.title, _processes(process, process.rounds * rounds)
    for item in growth.growths(quick=given.quick):
        if given.only in item.name:
            yield f"growth of {item.title} with {item.axis}", _grown(item, rounds, given.output)
    if given.only in "variants":
        yield "variants of a design", variants.drawn(quick=given.quick)
    if given.only in "memory":
        yield "memory of A and O as text", _memory(_MEMORY[:1] if given.quick else _MEMORY)


def _measured(case: cases.Case, rounds: int) -> Iterator[Result]:
    there = [peer for peer in case.peers if not peer.missing]
    ours, *theirs = in_turn([case.make(), *(peer.make() for peer in there)], rounds)
    for peer in case.peers:
        if peer.missing:
            yield Result(f"{case.name}: {peer.name}", case.title, peer.name, None, peer.reach, missing=peer.missing)
    for peer, times in zip(there, theirs, strict=True):
        yield _ratio(case.name, case.title, peer.name, peer.reach, ours, times, peer.factor)
    if case.limit is not None:
        took = 1000 * ours.median
        yield Result(
            f"{case.name}{results.MILLISECONDS}",
            case.title,
            "milliseconds",
            took,
            case.limit,
            took,
            spread=(ours.spread,),
        )


def _ratio(name: str, title: str, peer: str, reach: float, ours: Times, theirs: Times, factor: float = 1) -> Result:
    value = ours.median / (factor * theirs.median)
    milliseconds = (1000 * ours.median, 1000 * factor * theirs.median)
    return Result(f"{name}: {peer}", title, peer, value, reach, *milliseconds, (ours.spread, theirs.spread))


def _processes(case: processes.ProcessCase, rounds: int) -> Iterator[Result]:
    there = [peer for peer in case.peers if not peer.missing]
    for peer in case.peers:
        if peer.missing:
            yield Result(f"{case.name}: {peer.name}", case.title, peer.name, None, peer.reach, missing=peer.missing)
    commands = case.commands()
    ours, *theirs = processes.processes_in_turn(commands, rounds) if rounds else processes.processes_once(commands)
    for peer, times in zip(there, theirs, strict=True):
        yield _ratio(case.name, case.title, peer.name, peer.reach, ours, times)


def _grown(item: growth.Growth, rounds: int, output: Path | None) -> Iterator[Result]:
    times = item.measured(rounds)
    seconds = [found.median for found in times]
    yield Result(
        item.name, item.title, f"{item.axis} = {', '.join(map(str, item.sizes))}", item.factor(seconds), item.most
    )
    if output is not None:
        most = [seconds[0] * (item.most if item.whole else item.most**step) for step in range(len(seconds))]
        _write(output, f"{item.name}.svg", curves.curve_svg(item.title, item.axis, item.sizes, seconds, most))


def _memory(sizes: tuple[int, ...]) -> Iterator[Result]:
    for n in sizes:
        found = processes.peak_memory(n)
        if found is None:
            yield Result(f"memory-{n}", "memory", f"bytes, n = {n}", None, growth.MEMORY, missing="/proc")
            continue
        peak, length = found
        yield Result(f"memory-{n}", "memory", f"bytes, n = {n}", peak, growth.memory_limit(length))


def _write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text + ("" if text.endswith("\n") else "\n"), "utf-8")


def _machine() -> dict[str, object]:
    packages = ("flint", "gmpy2", "mpmath", "numpy", "sympy", "typer", "latex2sympy2_extended")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "there": list(filter(is_there, packages)),
    }


if __name__ == "__main__":
    sys.exit(bool(main()[1]))
