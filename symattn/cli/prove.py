"""``symattn prove``, ``theorems`` and ``replay``: proofs written, listed, and recomputed from their records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.api import proofs
from symattn.cli.options import Command, CommandLineError, OneOf, file_name, refuse, settings_of
from symattn.cli.output import emit, emit_json, ending_of, refuse_json, show, stem_of, tell, write_with_pdf
from symattn.errors import InputError
from symattn.files import STDIN, check_writable, read_bytes, read_stdin
from symattn.printable import visible
from symattn.proofs.catalogue import registry
from symattn.proofs.export import compiled as coq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symattn.api.proofs import CounterExample, Replay, TheoremDerivation
    from symattn.proofs.catalogue.authoring.theorem import Theorem

_PAGE = ".html"
_COQ = ".v"
_SUFFIXES = {"", ".tex", ".ltx", ".pdf", ".json", _PAGE, _COQ}
_FILE = ".proof"
_REFUSED = 1
_VACUOUS = 3
_COUNTEREXAMPLE = 3
_COLUMN = 34


@click.command(
    cls=Command,
    short_help="Prove a theorem and print it as LaTeX.",
    epilog="\b\nExit status:\n"
    "  0  proved\n"
    "  2  bad input\n"
    "  3  with --without: a counterexample was printed instead\n"
    "  4  internal fault: a step was not proved, nothing is written",
)
@click.argument("name")
@click.option(
    "-s", "--set", "settings", metavar="NAME=VALUE", multiple=True,
    help="Set a parameter, e.g. --set mu=0; may be repeated.",
)  # fmt: skip
@click.option(
    "--without", metavar="HYPOTHESIS", help="Drop a hypothesis, and print a counterexample instead of the proof."
)
@click.option("--instance", is_flag=True, help="Add an example worked out in numbers.")
@click.option(
    "-d", "--detail", type=OneOf(["brief", "full"]), default="full",
    show_default=True, help="Show every step with its reason, or combine routine steps.",
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=file_name,
    help="Write to FILE; .json implies --json, .pdf implies --pdf, .html is a web page, .v a file for Coq.",
)
@click.option(
    "--pdf",
    is_flag=True,
    help="Make a PDF too. Without -o it writes NAME.tex and NAME.pdf here, and replaces old ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the proof as JSON, which symattn replay recomputes.")
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
    """Prove the theorem NAME and print it with its proof as LaTeX.

    symattn theorems lists the names. NAME may also be a file of your own that ends in .proof.
    """
    suffix = ending_of(output, _SUFFIXES, ".tex, .pdf, .html, .json or .v")
    as_json, pdf = as_json or suffix == ".json", pdf or suffix == ".pdf"
    if as_json and not pdf:
        refuse_json(suffix)
    if suffix == _PAGE:
        refuse(f"A {suffix} file is a web page", {"--pdf": pdf})
    if suffix == _COQ:
        refuse(f"A {suffix} file is for Coq", {"--pdf": pdf, "--instance": instance, "--without": without is not None})
    default = Path(name).stem if name.endswith(_FILE) else name
    stem = stem_of(output, _SUFFIXES, default, "proof") if pdf else None
    given = settings_of(settings)
    if without is not None and instance:
        raise CommandLineError(
            "--instance belongs to a proof, but --without prints a counterexample. Leave one of them out."
        )
    check_writable(output if stem is None or suffix == ".json" else None, stem)
    entry = _theorem(name)
    found = _counterexample(entry, without, given) if without is not None else _proved(entry, given, instance=instance)
    if suffix == _COQ and output is not None and isinstance(found, proofs.TheoremDerivation):
        _write_coq(found, Path(output))
        return
    if as_json:
        emit_json(_record(found, instance=instance), output if suffix == ".json" or not pdf else None)
    if stem is not None:
        write_with_pdf(_tex(found, detail, instance=instance), stem)
    elif not as_json:
        emit((_page if suffix == _PAGE else _tex)(found, detail, instance=instance), output)
    context.exit(_COUNTEREXAMPLE if without is not None else 0)


# What is asked -------------------------------------------------------------------------------------


def _theorem(name: str) -> str | Theorem:
    """Return the name of a theorem of the catalogue, or the theorem of a file."""
    if not name.endswith(_FILE):
        return name
    return proofs.read_proof_file(_bytes(name, proofs.MAX_PROOF_FILE), name)


def _proved(entry: str | Theorem, given: Mapping[str, str], *, instance: bool) -> TheoremDerivation:
    theorem = registry.theorem(entry) if isinstance(entry, str) else entry
    idle = [item.name for item in theorem.parameters if item.worked and item.name in given and not instance]
    if idle:
        raise CommandLineError(f"--set {idle[0]} is for the example in numbers alone. Add --instance, or leave it out.")
    found = proofs.proved(theorem, given)
    if instance and not found.instance:
        raise InputError(f"{found.entry.name} has no example in numbers for these values. Leave --instance out.")
    return found


def _counterexample(entry: str | Theorem, without: str, given: Mapping[str, str]) -> CounterExample:
    return proofs.counterexample(entry, without, **given)


# Showing -------------------------------------------------------------------------------------------


def _write_prelude(path: Path, prelude: Path, text: str) -> None:
    if path.name == prelude.name:
        raise InputError(f"{path}: {path.name} is a file that exported proofs need beside them. Use another name.")
    there = prelude.read_text("utf-8", errors="replace") if prelude.exists() else text.partition("\n")[0]
    if not there.startswith(text.partition("\n")[0]):
        raise InputError(f"{prelude} is another file, and the proof needs its own {prelude.name}. Use another folder.")
    if there != text:
        emit(text, str(prelude))


def _write_coq(found: TheoremDerivation, path: Path) -> None:
    """Write the Coq file of a proof, and its preludes beside it where they are not there."""
    exported = found.to_coq()
    for name, text in coq.preludes(exported).items():
        _write_prelude(path, path.with_name(name), text)
    emit(exported, str(path))
    checked = coq.checked_claims(found.proof, exported)
    left_out = [claim.id for claim in found.proof.claims if claim.id not in checked]
    if not checked:
        tell("It has not been tried whether Coq accepts this file.")
    else:
        tell(f"Coq 8.16 has checked the claims of this file. Left out: {', '.join(left_out) or 'none'}.")
        for claim, lemmas in coq.claims_checked_by_coq(found.proof).items():
            if lemmas:
                tell(f"{claim} takes {' and '.join(lemmas)} as a premise.")


def _record(found: TheoremDerivation | proofs.CounterExample, *, instance: bool) -> dict[str, Any]:
    return found.as_json() if isinstance(found, proofs.CounterExample) else found.as_json(instance=instance)


def _tex(found: TheoremDerivation | proofs.CounterExample, detail: str, *, instance: bool) -> str:
    return found.to_latex() if isinstance(found, proofs.CounterExample) else found.to_latex(detail, instance=instance)


def _page(found: TheoremDerivation | proofs.CounterExample, detail: str, *, instance: bool) -> str:
    return found.to_html() if isinstance(found, proofs.CounterExample) else found.to_html(detail, instance=instance)


# The catalogue -------------------------------------------------------------------------------------


@click.command(cls=Command, short_help="List the theorems that can be proved.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def theorems(*, as_json: bool) -> None:
    """List the theorems that can be proved.

    Behind each name stand what it says, and in brackets the parameters of --set and the hypotheses of --without.
    """
    entries = registry.theorems()
    if as_json:
        emit_json({"format": 1, "theorems": [_entry(item) for item in entries.values()]}, None)
        return
    group = ""
    for item in entries.values():
        if item.group != group:
            show(f"{'' if not group else chr(10)}{item.group}")
            group = item.group
        show(_line(item))


def _line(item: Theorem) -> str:
    """Return one theorem on a line: its name, what it says, what may be chosen or dropped."""
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
        "statement": [
            {"text": sentence.text, "kind": sentence.kind, "claims": list(sentence.claims)}
            for sentence in item.sentences(item.values({}))
        ],
    }


# Replay --------------------------------------------------------------------------------------------


@click.command(
    name="replay",
    cls=Command,
    short_help="Recompute a record that prove or solve wrote.",
    epilog="\b\nExit status:\n"
    "  0  everything was recomputed\n"
    "  1  the record is refused\n"
    "  2  the record cannot be read\n"
    "  3  no model of its hypotheses was found",
)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, with the outcome of every step.")
@click.pass_context
def replay_command(context: click.Context, file: str, *, as_json: bool) -> None:
    """Recompute every step of FILE from its record alone.

    FILE is the output of prove --json or solve --json, or - for standard input.

    If the theorem is in the catalogue, its whole statement is compared with the record, and counterexamples, checks
    and examples are worked out again. Every step and claim is also evaluated in small models of the hypotheses; the
    record is refused if it fails in one. The explanations beside single steps are not checked. For a solved problem,
    every step is recomputed and compared with the closed forms of the quantities. Digests must match.
    """
    source = "<stdin>" if file == STDIN else file
    found = proofs.replay_record(proofs.read_record(_bytes(file, proofs.MAX_RECORD), source))
    if as_json:
        emit_json(found.as_json(), None)
    else:
        show(visible(_verdict(found)))
    context.exit(_REFUSED if not found.is_proved else _VACUOUS if found.vacuous else 0)


def _bytes(file: str, limit: int) -> bytes:
    return read_stdin(limit + 1) if file == STDIN else read_bytes(file, limit)


def _verdict(found: Replay) -> str:
    """Return the findings of replay in a few sentences."""
    if not found.is_proved:
        return f"refused: {found.reason}"
    steps = f"{len(found.steps)} step{'s' if len(found.steps) != 1 else ''}"
    if not found.name:
        return " ".join([f"{steps} of a solved problem recomputed.", *found.notes])
    claims = f"{len(found.claims)} claim{'s' if len(found.claims) != 1 else ''}"
    cites = sorted({name for _, _, names, _ in found.steps for name in names})
    resting = f"citing {', '.join(cites)}" if cites else "no classical fact cited"
    models = f"{found.models} model{'s' if found.models != 1 else ''} tried"
    where = "" if found.catalogue else " The catalogue has no theorem of this name: what it states is its own."
    more = "".join(f" {note}" for note in found.notes)
    return f"{found.name}: {steps} and {claims} recomputed, {models}, {resting}.{where}{more}"
