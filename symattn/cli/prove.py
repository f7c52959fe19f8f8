"""``symattn prove``, ``theorems`` and ``replay``: proofs written, listed, and recomputed from their records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.settings import check_writable, file_name, settings_of
from symattn.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symattn.api_proofs import CounterExample, Replay, TheoremDerivation
    from symattn.theorems.entry import Theorem

_STDIN = "-"
_SUFFIXES = {"", ".tex", ".ltx", ".pdf", ".json"}
_REFUSED = 1
_VACUOUS = 3
_COUNTEREXAMPLE = 3
_COLUMN = 34


@click.command(
    epilog="\b\nEnds with 0 if it is proved, 2 for bad input, 3 if a counter-example stands in the place of\n"
    "the proof (--without), 4 if a step of ours is not proved (nothing is written then)."
)
@click.argument("name")
@click.option(
    "-s", "--set", "settings", metavar="NAME=VALUE", multiple=True,
    help="Choose a parameter, e.g. --set mu=0 --set D=64; as often as you like.",
)  # fmt: skip
@click.option("--without", metavar="HYPOTHESIS", help="Drop a hypothesis; the counter-example is printed instead.")
@click.option("--instance", is_flag=True, help="Add a worked case in numbers.")
@click.option(
    "-d", "--detail", type=click.Choice(["brief", "full"]), default="full",
    show_default=True, help="Every step with its reason, or routine steps drawn together.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", callback=file_name, help="Write to FILE; .json implies --json, .pdf --pdf."
)
@click.option("--pdf", is_flag=True, help="Make the PDF too, beside the .tex.")
@click.option("--json", "as_json", is_flag=True, help="Print the record that symattn replay accepts.")
@click.pass_context
def prove(  # noqa: PLR0913 - one argument for each option
    context: click.Context,
    name: str,
    *,
    settings: tuple[str, ...],
    without: str | None,
    instance: bool,
    detail: str,
    output: str | None,
    pdf: bool,
    as_json: bool,
) -> None:
    """Prove the theorem NAME (symattn theorems lists them) and print it with its proof as LaTeX."""
    suffix = _check_output(output)
    as_json, pdf = as_json or suffix == ".json", pdf or suffix == ".pdf"
    if as_json and suffix not in {".json", ""} and not pdf:
        raise click.UsageError(f"--json is not written to a {suffix} file: name a .json file, or leave --json out.")
    stem = _stem(name, output) if pdf else None
    given = settings_of(settings)
    if without is not None and instance:
        raise click.UsageError("--instance belongs to a proof, and --without prints none: leave one of them out.")
    check_writable(output if stem is None or suffix == ".json" else None, stem)
    found = _counterexample(name, without, given) if without is not None else _proved(name, given, instance=instance)
    if as_json:
        _emit(_json(_record(found, instance=instance)), output if suffix == ".json" or not pdf else None)
    if stem is not None:
        _write_with_pdf(_tex(found, detail, instance=instance), stem)
    elif not as_json:
        _emit(_tex(found, detail, instance=instance), output)
    context.exit(_COUNTEREXAMPLE if without is not None else 0)


# What is asked -------------------------------------------------------------------------------------


def _check_output(output: str | None) -> str:
    """The ending of the output file; one that is not written here is refused."""
    if output is None or output == _STDIN:
        return ""
    suffix = Path(output).suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"{output} has the ending {suffix}, which is not written here: use .tex, .pdf or .json.")
    return suffix


def _stem(name: str, output: str | None) -> Path:
    """Where the .tex and the .pdf go, without their endings."""
    if output == _STDIN:
        raise InputError("A PDF is not written to standard output: name a file with -o proof.pdf.")
    if output is None:
        return Path(name)
    return Path(output).with_suffix("") if Path(output).suffix.lower() in _SUFFIXES else Path(output)


def _proved(name: str, given: Mapping[str, str], *, instance: bool) -> TheoremDerivation:
    # start-up: --help must not load the engine.
    from symattn import api_proofs

    found = api_proofs.proved(name, given)
    if instance and not found.instance:
        raise InputError(f"{name} has no worked case in numbers for these values: leave --instance out.")
    return found


def _counterexample(name: str, without: str, given: Mapping[str, str]) -> CounterExample:
    # start-up: likewise.
    from symattn import api_proofs

    return api_proofs.counterexample(name, without, **given)


# Showing -------------------------------------------------------------------------------------------


def _record(found: TheoremDerivation | CounterExample, *, instance: bool) -> dict[str, Any]:
    # start-up: likewise.
    from symattn.api_proofs import CounterExample

    return found.as_json() if isinstance(found, CounterExample) else found.as_json(instance=instance)


def _tex(found: TheoremDerivation | CounterExample, detail: str, *, instance: bool) -> str:
    # start-up: likewise.
    from symattn.api_proofs import CounterExample

    return found.to_latex() if isinstance(found, CounterExample) else found.to_latex(detail, instance=instance)


def _json(record: Mapping[str, Any]) -> str:
    # start-up: most runs make documents.
    import json

    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _emit(text: str, output: str | None) -> None:
    if output is None or output == _STDIN:
        click.echo(text, nl=False)
    else:
        _write(output, text)


def _write(path: str, data: bytes | str) -> None:
    from symattn.cli.output import write_atomically

    write_atomically(path, data)
    click.echo(f"wrote {path}", err=True)


def _write_with_pdf(tex: str, stem: Path) -> None:
    # start-up: only documents that are compiled need it.
    from symattn.rendering.pdf import compile_pdf

    _write(f"{stem}.tex", tex)
    if sys.stderr.isatty():
        click.echo("making the PDF ...", err=True)
    _write(f"{stem}.pdf", compile_pdf(tex))


# The catalogue -------------------------------------------------------------------------------------


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list for machines.")
def theorems(*, as_json: bool) -> None:
    """List the theorems that can be proved, with their parameters."""
    # start-up: likewise.
    from symattn.theorems.catalogue import theorems as catalogue

    entries = catalogue()
    if as_json:
        _emit(_json({"format": 1, "theorems": [_entry(item) for item in entries.values()]}), None)
        return
    group = ""
    for item in entries.values():
        if item.group != group:
            click.echo(f"{'' if not group else chr(10)}{item.group}")
            group = item.group
        click.echo(_line(item))


def _line(item: Theorem) -> str:
    """One theorem on a line: its name, what it says, what may be chosen or dropped."""
    names = [parameter.name for parameter in item.parameters]
    more = [f"set {', '.join(names)}"] if names else []
    dropped = [word for word, _ in item.without]
    more.extend([f"without {', '.join(dropped)}"] if dropped else [])
    more.extend(["instance"] if item.instance is not None else [])
    end = f"  [{'; '.join(more)}]" if more else ""
    gap = " " * max(2, _COLUMN - len(item.name))
    return f"  {item.name}{gap}{item.says}{end}"


def _entry(item: Theorem) -> dict[str, Any]:
    return {
        "name": item.name,
        "group": item.group,
        "says": item.says,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "kind": parameter.kind,
                "choices": list(parameter.choices),
                "says": parameter.says,
                "worked": parameter.worked,
            }
            for parameter in item.parameters
        ],
        "without": [word for word, _ in item.without],
        "instance": item.instance is not None,
        "falsehoods": [falsehood.says for falsehood in item.falsehoods],
    }


# Replay --------------------------------------------------------------------------------------------


@click.command(
    name="replay",
    epilog="\b\nEnds with 0 if all of it is recomputed, 1 if the record is refused,\n"
    "2 if it cannot be read, 3 if no model of its hypotheses was found.",
)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome of every step for machines.")
@click.pass_context
def replay_command(context: click.Context, file: str, *, as_json: bool) -> None:
    """Recompute FILE (what prove --json or solve --json wrote, - for standard input) from its record alone.

    Of a theorem of the catalogue, all that the record states is compared with it, and counter-examples, checks
    and worked cases are worked out again. Every step and claim is also evaluated in small models of its hypotheses,
    and the record is refused if it fails in one. The words beside single steps are for readers and are not looked at.
    Of a solved problem every step is recomputed, and the closed forms of its quantities are compared with them.
    What has a digest must have the right one.
    """
    # start-up: likewise.
    from symattn import api_proofs

    source = "<stdin>" if file == _STDIN else file
    found = api_proofs.replay_record(api_proofs.read_record(_bytes(file, api_proofs.MAX_RECORD), source))
    if as_json:
        _emit(_json(found.as_json()), None)
    else:
        click.echo(_verdict(found))
    context.exit(_REFUSED if not found.is_proved else _VACUOUS if found.vacuous else 0)


def _bytes(file: str, limit: int) -> bytes:
    try:
        if file == _STDIN:
            return sys.stdin.buffer.read(limit + 1)
        with Path(file).open("rb") as opened:
            return opened.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{_printable(file)} cannot be read: {reason}.") from error


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _verdict(found: Replay) -> str:
    """What replay found, in a few sentences."""
    if not found.is_proved:
        return f"refused: {_printable(found.reason)}"
    steps = f"{len(found.steps)} step{'s' if len(found.steps) != 1 else ''}"
    if not found.name:
        return " ".join([f"{steps} of a solved problem recomputed.", *found.notes])
    claims = f"{len(found.claims)} claim{'s' if len(found.claims) != 1 else ''}"
    cites = sorted({name for _, _, names, _ in found.steps for name in names})
    resting = f"citing {', '.join(cites)}" if cites else "no classical fact cited"
    models = f"{found.models} model{'s' if found.models != 1 else ''} tried"
    where = "" if found.catalogue else " The catalogue has no theorem of this name: what it states is its own."
    more = "".join(f" {note}" for note in found.notes)
    return f"{_printable(found.name)}: {steps} and {claims} recomputed, {models}, {resting}.{where}{more}"
