"""Data files of the package: each is read by a module beside it, and reads from a zip as from a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from symattn.data_files import read_table, read_text

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "symattn").rglob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_read_by_a_module_beside_it(path: Path) -> None:
    package = ".".join(path.parent.relative_to(ROOT).parts)
    assert read_table(package, path.name)
    names = (f'"{path.name}"', 'f"{self.language}.toml"')
    texts = [module.read_text("utf-8") for module in path.parent.glob("*.py")]
    assert any(name in text for name in names for text in texts)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        read_text("symattn.notation", "names.toml")


def test_they_read_from_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "symattn.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for path in (ROOT / "symattn").rglob("*"):
            if path.suffix in {".py", ".toml", ".proof"}:
                made.write(path, path.relative_to(ROOT))
    code = (
        "from symattn.checking.mistake_catalogue import CODES\n"
        "from symattn.problem.schema.examples import commented_problem\n"
        "from symattn.proofs.catalogue.registry import theorem\n"
        "assert theorem('saturation').build({'D': 'D', 'level': '1/2'}).steps\n"
        "print(CODES['sign'], len(commented_problem()))"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(
        run, cwd=tmp_path, env={"PYTHONPATH": str(archive)}, capture_output=True, text=True, check=False
    )
    text = read_text("symattn.problem.schema", "template.toml")
    assert done.stderr == ""
    assert done.stdout.startswith("the sign is wrong ")
    assert int(done.stdout.split()[-1]) > len(text)


TABLE = "import made; from symattn.data_files import read_table; print(read_table('made', 'words.toml'))"


def test_bytecode_of_a_table_is_kept_beside_that_of_a_module_and_renewed(tmp_path: Path) -> None:
    package, cache = tmp_path / "made", tmp_path / "cache"
    package.mkdir()
    (package / "__init__.py").write_text("from made import words")
    (package / "words.py").write_text("x = 1")
    table = package / "words.toml"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    written = []
    for text, found in (("a = [1, 2.5]", {"a": [1, 2.5]}), ('a = "x"', {"a": "x"}), ('a = "x"', {"a": "x"})):
        table.write_text(text)
        os.utime(table, (len(text), len(text)))  # of other times, as those of later versions are
        run = [sys.executable, "-c", TABLE]
        done = subprocess.run(run, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == f"{found}\n"
        kept = {path.name.removesuffix(".pyc"): path.stat().st_mtime_ns for path in cache.rglob("words.*")}
        assert set(kept) == {f"words.{sys.implementation.cache_tag}", f"words.toml.{sys.implementation.cache_tag}"}
        written.append(kept[f"words.toml.{sys.implementation.cache_tag}"])
    assert written[0] != written[1] == written[2]


MADE = (
    "import made; from symattn.data_files import read_cached, read_text; "
    "print(read_cached('made', 'both', ('a.txt', 'b.txt'), "
    "lambda: print('made') or {read_text('made', 'a.txt'): (read_text('made', 'b.txt'), {1})}))"
)


def test_bytecode_of_a_value_is_renewed_with_each_of_its_files(tmp_path: Path) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text("")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "PYTHONPYCACHEPREFIX": str(tmp_path / "cache"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    texts, times = {"a": "x", "b": "y"}, {"a": 5, "b": 3}
    for changed, is_made in (("", True), ("", False), ("b", True), ("", False), ("a", True)):
        if changed:  # as long as before, and still the older of the two
            texts[changed], times[changed] = texts[changed].upper(), times[changed] + 1
        for name, text in texts.items():
            (package / f"{name}.txt").write_text(text)
            os.utime(package / f"{name}.txt", (times[name], times[name]))
        run = [sys.executable, "-c", MADE]
        done = subprocess.run(run, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == "made\n" * is_made + f"{ {texts['a']: (texts['b'], {1})} }\n"
