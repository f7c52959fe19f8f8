"""Data flows one way: who may import whom, read from the source, function-level imports included."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import house

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parent.parent / "symattn"

LAYERS: tuple[tuple[str, ...], ...] = (
    ("late",),
    ("errors", "records", "printable", "data_files"),
    ("files", "processes"),
    ("languages",),
    ("notation",),
    ("exact",),
    ("arrays",),
    ("operations",),
    ("problem",),
    ("graph",),
    ("proofs", "checking"),
    ("rendering",),
    ("api",),
    ("courses",),
    ("symbolic",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
"""A package imports only from layers above its own, and from itself."""

STRANGERS = {("rendering", "checking"), ("proofs", "graph"), ("proofs", "problem")}
"""Pairs that the layers would allow and the design does not."""

DATA = "symattn.checking.report"
"""Plain data of a report, which `rendering` shows."""

READ_PROBLEMS = ("builders", "analysis", "numeric")
"""Folders of `graph` that know problems; to the others quantities are handed."""

LATE = {"distributed", "flint", "gmpy2", "mpmath", "numpy", "rich", "sympy"}
"""Imported by no module at its top: each costs more start-up time than most work takes."""

NO_ASSERT = ("exact", "operations", "graph", "proofs")

EXECUTES_TEXT = {"eval", "exec", "sympify", "parse_expr"}

MAKES_METHODS = "records.py"
"""Compiles one method for each of our own classes, as the standard dataclasses do; it is given no text."""


def package_of(path: Path) -> str:
    """The first part of a module's name below `symattn`."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def rank(package: str) -> int:
    return next((number for number, layer in enumerate(LAYERS) if package in layer), -1)


def sources() -> list[tuple[Path, ast.Module]]:
    return list(house.trees().items())


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Dotted names that a module imports, `from symattn import x` as `symattn.x`, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names = [alias.name for alias in node.names] if module == "symattn" else [""]
            yield from ((f"{module}.{name}".rstrip(".") if name else module, node.lineno) for name in names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "late.module":
            yield ast.literal_eval(node.args[0]), node.lineno


def own_packages(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The packages of ours that a module imports; a public name stands for `symattn/__init__.py`."""
    for name, line in imported(tree):
        first, _, rest = name.partition(".")
        if first == "symattn" and name != DATA:
            package = rest.partition(".")[0]
            yield (package if rank(package) >= 0 else "__init__"), line


def upward(package: str, tree: ast.AST) -> list[str]:
    """The imports by which a module of `package` breaks the order."""
    return [
        f"line {line}: {package} imports {other}"
        for other, line in own_packages(tree)
        if other != package and (rank(other) >= rank(package) or (package, other) in STRANGERS)
    ]


def at_the_top(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run on import: not those in functions, nor those for type checkers only."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.stmt):
            found.append(node)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def test_every_package_has_its_layer() -> None:
    unknown = {package_of(path) for path, _ in sources() if rank(package_of(path)) < 0}
    assert not unknown, f"give {unknown} a place in LAYERS"


def test_imports_point_up() -> None:
    faults = [f"{path}, {fault}" for path, tree in sources() for fault in upward(package_of(path), tree)]
    assert not faults, "\n".join(faults)


def folders_of(package: Path) -> set[str]:
    return {init.parent.name for init in package.glob("*/__init__.py")}


def told_order(package: Path) -> list[str]:
    """The folders of a package in the order in which its docstring names them first."""
    text = ast.get_docstring(house.trees()[package / "__init__.py"]) or ""
    return list(dict.fromkeys(name for name in re.findall(r"`(\w+)", text) if name in folders_of(package)))


PACKAGES = [init.parent for init in sorted(ROOT.glob("**/*/__init__.py")) if len(folders_of(init.parent)) > 1]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_folders_import_in_the_order_of_the_docstring(package: Path) -> None:
    order = told_order(package)
    assert set(order) == folders_of(package)
    prefix = f"symattn.{'.'.join(package.relative_to(ROOT).parts)}."
    for path, tree in sources():
        if package in path.parents and (own := path.relative_to(package).parts[0]) in order:
            others = {
                name.removeprefix(prefix).partition(".")[0] for name, _ in imported(tree) if name.startswith(prefix)
            }
            later = others.intersection(order[order.index(own) + 1 :])
            assert not later, f"{path} imports {later}, which the docstring of {package.name} names after it"


BASICS = frozenset({"late", "errors", "records", "printable", "data_files", "files", "languages", "arrays", "__init__"})
"""What no docstring needs to say that it is imported."""

LISTED_ELSEWHERE = re.compile(r"\b(every|all|nothing|no other|up to|only those|each importing|what)\b")
"""Words of a sentence that says what is imported otherwise than name by name."""


def said_imports(package: Path) -> list[str]:
    """The sentences of a package's docstring that list what it imports."""
    text = " ".join((ast.get_docstring(house.trees()[package / "__init__.py"]) or "").split())
    said = [item for item in re.split(r"(?<=[.:;]) ", text) if re.search(r"\bimports?\b", item, re.IGNORECASE)]
    return [] if any(LISTED_ELSEWHERE.search(item) for item in said) else said


def neighbours(package: Path) -> set[str]:
    """The names beside a package, in its own folder, from which it imports."""
    prefix = ".".join(("symattn", *package.relative_to(ROOT).parent.parts)) + "."
    names = {
        name.removeprefix(prefix).partition(".")[0]
        for path, tree in sources()
        if package in path.parents
        for name, _ in imported(tree)
        if name.startswith(prefix)
    }
    return names - {package.name} - (BASICS if package.parent == ROOT else set())


@pytest.mark.parametrize(
    "package",
    [
        path.parent
        for path in house.trees()
        if path.name == "__init__.py" and path.parent != ROOT and said_imports(path.parent)
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_docstrings_name_what_is_imported(package: Path) -> None:
    named = set(re.findall(r"\w+", " ".join(said_imports(package))))
    assert neighbours(package) <= named


def test_quantities_do_not_know_problems() -> None:
    faults = [
        f"{path}:{line}"
        for path, tree in sources()
        if package_of(path) == "graph" and path.relative_to(ROOT).parts[1] not in READ_PROBLEMS
        for package, line in own_packages(tree)
        if package == "problem"
    ]
    assert not faults, "\n".join(faults)


def test_imports_are_absolute() -> None:
    relative = [f"{path}:{line}" for path, tree in sources() for name, line in imported(tree) if name[0] == "."]
    assert not relative, "\n".join(relative)


def test_slow_libraries_are_imported_late() -> None:
    early = [
        f"{path}:{line}: {name}"
        for path, tree in sources()
        for statement in at_the_top(tree)
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for name, line in imported(statement)
        if (first := name.partition(".")[0]) in LATE or (first == "jinja2" and package_of(path) != "rendering")
    ]
    assert not early, "\n".join(early)


def test_soundness_does_not_hang_on_assert() -> None:
    asserts = [
        f"{path}:{node.lineno}"
        for path, tree in sources()
        if package_of(path) in NO_ASSERT
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
    ]
    assert not asserts, "python -O drops them: " + ", ".join(asserts)


def executing_calls(tree: ast.AST) -> list[int]:
    """Lines that name something which executes text, called or handed on."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id in EXECUTES_TEXT)
        or (isinstance(node, ast.Attribute) and node.attr in EXECUTES_TEXT)
        or (isinstance(node, ast.ImportFrom) and any(alias.name in EXECUTES_TEXT for alias in node.names))
    ]


def test_no_text_is_executed() -> None:
    given = [(path, tree) for path, tree in sources() if path.name != MAKES_METHODS]
    found = [f"{path}:{line}" for path, tree in given for line in executing_calls(tree)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("package", "source", "faults"),
    [
        ("exact", "from symattn.notation.tree.nodes import Node", 0),
        ("exact", "def f():\n    from symattn.api.solutions import solve", 1),
        ("exact", "import symattn.graph.key_judge.judge", 1),
        ("exact", "from symattn import errors", 0),
        ("exact", "from symattn import solve", 1),
        ("exact", "import symattn", 1),
        ("exact", 'api = late.module("symattn.api.solutions")', 1),
        ("checking", "from symattn.rendering import pdf", 1),
        ("rendering", "from symattn.checking.report import Report", 0),
        ("rendering", "from symattn.checking import checker", 1),
        ("proofs", "if TYPE_CHECKING:\n    from symattn.problem.model import Problem", 1),
        ("cli", "from symattn.api.solutions import solve\nfrom symattn import __version__", 0),
    ],
)
def test_the_order_is_told_from_source(package: str, source: str, faults: int) -> None:
    assert len(upward(package, ast.parse(source))) == faults


@pytest.mark.parametrize("source", ["eval('1')", "sympy.sympify(x)", "from sympy import parse_expr", "f = exec"])
def test_executing_calls_are_told_from_source(source: str) -> None:
    assert executing_calls(ast.parse(source)) == [1]
