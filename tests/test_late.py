"""Modules that wait: nothing is imported before a name is read, and then the module itself answers."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path

import pytest

from symattn import late
from tests import house


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    return "colorsys"


def test_nothing_is_imported_before_a_name_is_read(unloaded: str) -> None:
    module = late.module(unloaded)
    assert unloaded not in sys.modules
    assert module.rgb_to_hsv is sys.modules[unloaded].rgb_to_hsv


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    unclosed, letters = late.pattern("("), late.pattern("a+b", re.IGNORECASE)
    assert letters.fullmatch("AAB") is not None
    assert letters.search("b") is None
    with pytest.raises(re.error):
        unclosed.search("")


def test_an_inspection_imports_nothing(unloaded: str) -> None:
    module = late.module(unloaded)
    assert inspect.unwrap(module) is module  # type: ignore[arg-type]
    assert unloaded not in sys.modules


def test_a_name_that_changes_in_the_module_changes_here(unloaded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = late.module(unloaded)
    assert module.ONE_THIRD == 1 / 3
    monkeypatch.setattr(sys.modules[unloaded], "ONE_THIRD", 0)
    assert module.ONE_THIRD == 0


def test_a_missing_name_is_named_before_and_after_the_import(unloaded: str) -> None:
    module = late.module(unloaded)
    for _ in range(2):
        with pytest.raises(AttributeError, match="nothing"):
            module.nothing  # noqa: B018


def test_a_missing_module_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"symattn\.nothing"):
        late.module("symattn.nothing").name  # noqa: B018


WAITS = """
import sys
from symattn import late

def wait(name):
    return type(sys.modules[name]) is late.WaitingModule

from symattn.problem.settings import scale
assert wait("symattn.problem.settings.scale")
%s
assert not wait("symattn.problem.settings.scale")
"""


@pytest.mark.parametrize(
    "use",
    [
        "scale.Scale",
        "scale.Scale = 1; assert scale.Scale == 1",
        "from symattn.problem.settings.scale import Scale",
        "assert 'Scale' in dir(scale)",
        "assert vars(scale)['Scale']",
        "assert scale.__doc__",
        "import importlib; importlib.reload(scale); assert scale.Scale",
        "import symattn.problem.settings.scale; symattn.problem.settings.scale.Scale",
    ],
)
def test_a_module_of_ours_runs_when_it_is_used(use: str) -> None:
    subprocess.run([sys.executable, "-c", WAITS % use], check=True, timeout=60)


@pytest.mark.parametrize("use", ["inspect.unwrap(scale)", "scale.__spec__", "scale.__file__", "repr(scale)"])
def test_a_look_from_outside_runs_no_module(use: str) -> None:
    code = f"import inspect\n{WAITS % use}".replace("assert not wait", "assert wait")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_threads_wait_until_a_module_has_run(tmp_path: Path) -> None:
    package = tmp_path / "symattn" / "slow"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("from symattn_late import install\ninstall()\n")
    shutil.copy(late.__file__, tmp_path / "symattn_late.py")
    (package / "__init__.py").write_text("")
    (package / "late.py").write_text("import time\nFIRST = 1\ntime.sleep(0.2)\nLAST = 2\n")
    code = (
        "from concurrent.futures import ThreadPoolExecutor as Pool\nfrom symattn.slow import late\n"
        "with Pool(4) as pool: assert list(pool.map(lambda _: late.LAST, range(4))) == [2] * 4"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=60, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
    )


def test_a_module_that_cannot_run_says_so_each_time(tmp_path: Path) -> None:
    loader = late._WaitingLoader(SourceFileLoader("symattn.broken", str(tmp_path / "broken.py")))
    (tmp_path / "broken.py").write_text("1 / 0")
    module = module_from_spec(ModuleSpec("symattn.broken", loader))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            module.name  # noqa: B018


def takers() -> list[str]:
    """Modules of packages that take names from their own modules."""
    trees = house.trees()
    packages = [path.parent for path, tree in trees.items() if path.name == "__init__.py" and _takes_own(path, tree)]
    inside = (path for path in trees if path.parent in packages and path.name != "__init__.py")
    return sorted(".".join(path.relative_to(house.ROOT).with_suffix("").parts) for path in inside)


def _takes_own(path: Path, tree: ast.Module) -> bool:
    own = ".".join(path.parent.relative_to(house.ROOT).parts)
    return own != "symattn" and any(
        isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{own}.") for node in tree.body
    )


@pytest.mark.parametrize("name", takers())
def test_a_module_may_be_the_first_of_its_package(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {name} as first; assert dir(first)"], check=True, timeout=60)


def stand_ins(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that are late modules in a file, each with the module that it loads."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        if ast.unparse(node.value.func) == "late.module":
            yield ast.unparse(node.targets[0]), ast.literal_eval(node.value.args[0])


def typed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that imports for type checkers bind, each with the module that it is for them."""
    for block in tree.body:
        if not (isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"):
            continue
        for node in block.body:
            if isinstance(node, ast.Import):
                yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def test_type_checkers_see_the_module_that_is_loaded() -> None:
    count, wrong = 0, []
    for path, tree in house.trees().items():
        loaded, types = list(stand_ins(tree)), dict(typed(tree))
        count += len(loaded)
        wrong += [(str(path), name, module, types.get(name)) for name, module in loaded if types.get(name) != module]
    assert count > 30
    assert not wrong
