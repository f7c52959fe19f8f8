"""Measure the structure and the language of the source tree: `python -m tests.house`, `--write`, `--cycles`."""

from __future__ import annotations

import argparse
import ast
import gc
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "symattn"
CEILINGS = Path(__file__).parent / "data" / "house.json"

OPERATIONS = {
    "gelu": "gelu",
    "softcap": "softcap",
    "alibi": "alibi",
    "rms norm": "rms_?norm",
    "sinusoid": "sinusoid",
    "rotary": r"\brope\b|rotat",
    "cross entropy": "cross.entropy",
}
"""Words by which a file names an operation."""

NOT_COUNTED = ("symattn.proofs",)
"""Theorems speak of operations: that is their subject."""

TABLES = {
    "symattn": "symattn.",
    "symattn.cli.export": "symattn.courses.exports.",
    "symattn.cli.main": "symattn.cli.",
    "symattn.operations.table": "symattn.operations.",
    "symattn.proofs.catalogue.registry": "symattn.proofs.catalogue.",
    "symattn.proofs.lemmas.table": "symattn.proofs.lemmas.",
}
"""Files that list others: public names, commands, families of operations, theorems and lemmas.

A file in the folder of a table that only the table imports is not counted: to be listed there is its purpose.
"""

NOUN_CLAUSE = re.compile(r"(What|Whether|How|Where|Which|Who|That|Why|When)\b")

REMEDIES = {
    "files in import cycles": "`python -m tests.house --cycles` lists them",
    "imports inside functions": "import at the top, or through symattn/late.py",
    "files in the widest folder": "a folder holds one concept in at most 15 files",
    "modules with one importer": "a file that only one other needs is a part of it, or is missing its other users",
    "docstrings that begin with a noun clause": "functions begin with a verb, classes and modules with a noun",
}


@cache
def trees() -> Mapping[Path, ast.Module]:
    """Return the syntax tree of each file of the package; looking for garbage meanwhile would take most of the time."""
    gc.disable()
    try:
        return {path: ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / PACKAGE).rglob("*.py"))}
    finally:
        gc.freeze()
        gc.enable()


def sources() -> Mapping[str, ast.Module]:
    """Return the syntax tree of each file of the package, by dotted name; a package's is that of `__init__`."""
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): tree for path, tree in trees().items()}


def ceilings() -> dict[str, int]:
    """Return the figures that hold now."""
    found: dict[str, int] = json.loads(CEILINGS.read_text("utf-8"))
    return found


def remedy(name: str) -> str:
    """Return what to do about a figure that rose."""
    return REMEDIES.get(name, "an operation is named in its own file, the builders, the words and the documentation")


def imported(tree: ast.Module, known: frozenset[str]) -> Iterator[str]:
    """Iterate over the files that a file imports, late and for type checkers included, from absolute imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else str(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value  # a table of modules that are loaded by name


def graph(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return which files each file imports."""
    names = {name.removesuffix(".__init__"): tree for name, tree in trees.items()}
    known = frozenset(names)
    return {name: {other for other in imported(tree, known) if other in known} - {name} for name, tree in names.items()}


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of files that reach each other, largest first."""
    reach: dict[str, set[str]] = {}
    for start in edges:
        found: set[str] = set()
        ahead = list(edges[start])
        while ahead:
            name = ahead.pop()
            if name not in found:
                found.add(name)
                ahead.extend(edges[name])
        reach[start] = found
    groups = {
        frozenset(other for other in reach[name] if name in reach[other]) for name in edges if name in reach[name]
    }
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def docstrings(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Iterate over all docstrings."""
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
                text := ast.get_docstring(node)
            ):
                yield text


def imports_inside(tree: ast.Module) -> int:
    """Return the number of imports inside functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {
        id(node) for outer in functions for node in ast.walk(outer) if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return len(inside)


def measure(trees: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return every figure that may only fall."""
    edges = graph(trees)
    importers = Counter(other for others in edges.values() for other in others)
    listed = {other for table, folder in TABLES.items() for other in edges.get(table, ()) if other.startswith(folder)}
    width = Counter(name.rpartition(".")[0] for name in trees)
    texts = {name: ast.unparse(tree) for name, tree in trees.items() if not name.startswith(NOT_COUNTED)}
    figures = {
        "files in import cycles": sum(map(len, cycles(edges))),
        "imports inside functions": sum(map(imports_inside, trees.values())),
        "files in the widest folder": max(width.values()),
        "modules with one importer": sum(count == 1 for name, count in importers.items() if name not in listed),
        "docstrings that begin with a noun clause": sum(bool(NOUN_CLAUSE.match(text)) for text in docstrings(trees)),
    }
    for name, words in OPERATIONS.items():
        found = re.compile(words, re.IGNORECASE)
        figures[f"files that name {name}"] = sum(bool(found.search(text)) for text in texts.values())
    return figures


def main() -> None:
    """Print the figures, or the cycles, or keep the figures as the new ceilings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the present figures as ceilings")
    parser.add_argument("--cycles", action="store_true", help="list the files of each import cycle")
    options = parser.parse_args()
    if options.cycles:
        for group in cycles(graph(sources())):
            print(len(group), *group)  # noqa: T201 - a list for people
        return
    figures = measure(sources())
    for name, figure in figures.items():
        print(f"{name:45} {figure}")  # noqa: T201 - a list for people
    if options.write:
        CEILINGS.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
