"""The mark TRUSTED stands at the head of exactly the files on whose correctness a replayed record, a printed key and
a certified digit rest; verdicts on submissions rest on the readers and the checker as well."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import house

pytestmark = pytest.mark.unmeasured

PACKAGE = Path(__file__).parent.parent / "symattn"

REPLAY = ("symattn.api.proofs.record_replay",)
"""The reader of records, which calls the proof kernel."""

REFUSES = frozenset({"symattn.api.proofs.deviations", "symattn.proofs.model.verdict", "symattn.api.transcripts"})
"""Files that replay uses to refuse more than the kernel does: a fault in them proves nothing."""

FURTHER = (
    "symattn.graph.key_judge.judge",
    "symattn.exact.field.calculus",
    "symattn.exact.laws.gaussian_scores",
    "symattn.exact.laws.softmax_row",
    "symattn.exact.linear.matrix_input",
    "symattn.exact.rows.row_intervals",
    "symattn.exact.rows.ulp_errors",
    "symattn.exact.rounding.bounds_cache",
    "symattn.exact.rows.mixed_scores",
    "symattn.exact.equality",
)
"""The judge of keys, certified rounding and the comparison of expressions."""


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_module(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def running(node: ast.AST) -> Iterator[ast.AST]:
    """Iterate over a tree without what only type checkers read."""
    yield node
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children: Iterable[ast.AST] = node.orelse
    else:
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from running(child)


def imports_in(tree: ast.Module) -> Iterator[str]:
    """Iterate over what a file imports, inside of functions too, from absolute imports alone."""
    for node in running(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in FILES else str(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "late.module":
            yield ast.literal_eval(node.args[0])


@cache
def imports(module: str) -> frozenset[str]:
    """The files of the package that one of them imports."""
    return frozenset(imports_in(house.trees()[FILES[module]])) & FILES.keys()


def reached(roots: Iterable[str], refuses: frozenset[str] = frozenset()) -> set[str]:
    """All that some files rest on, themselves included."""
    found: set[str] = set()
    ahead = list(roots)
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += imports(module) - refuses
    return found


def marked() -> set[str]:
    heads = ('"""TRUSTED. ', 'r"""TRUSTED. ')
    return {name for name, path in FILES.items() if path.read_text(encoding="utf-8").startswith(heads)}


def test_the_marks_are_those_of_what_records_keys_and_digits_rest_on() -> None:
    trusted = reached(REPLAY, REFUSES) | reached(FURTHER)
    assert sorted(marked() - trusted) == [], "a mark to take away"
    assert sorted(trusted - marked()) == [], "a mark to set"


def test_every_further_root_is_needed() -> None:
    for root in FURTHER:
        others = [other for other in FURTHER if other != root]
        assert root not in reached(REPLAY, REFUSES) | reached(others), root


def test_every_exception_is_imported() -> None:
    assert {name for module in REPLAY for name in imports(module)} >= REFUSES


@pytest.mark.parametrize(
    "source",
    [
        "from symattn.exact import equality",
        "import symattn.exact.equality",
        "from symattn.exact.equality import equal",
        "def late():\n    from symattn.exact import equality",
        "if x:\n    pass\nelse:\n    import symattn.exact.equality as v",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import symattn.exact.equality as v",
        'verdict = late.module("symattn.exact.equality")',
    ],
)
def test_imports_are_found_wherever_they_stand(source: str) -> None:
    assert "symattn.exact.equality" in set(imports_in(ast.parse(source)))


def test_imports_for_types_alone_carry_nothing() -> None:
    assert not set(imports_in(ast.parse("if TYPE_CHECKING:\n    from symattn.exact import equality")))
