"""CITATION.cff, CONTRIBUTING.md, SECURITY.md and CHANGELOG.md say what is so: paths, versions, limits."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from symattn.api.proofs import MAX_RECORD
from symattn.api.submissions import MAX_WORK
from symattn.arrays.files import MAX_BYTES as MAX_ARRAY
from symattn.courses import roster
from symattn.courses.grading import submissions as archives
from symattn.notation.tree import limits
from symattn.problem.schema.fields import MAX_SIDE
from symattn.problem.settings import policy
from symattn.problem.text import document
from symattn.processes.limits import GIGABYTES, SECONDS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md"])
def test_paths_exist(name: str) -> None:
    prose = re.sub("```.*?```", "", text(name), flags=re.DOTALL)
    words = {word.rstrip(".,:") for span in re.findall("`([^`]+)`", prose) for word in span.split()}
    paths = {word for word in words if "/" in word and "*" not in word and not word.startswith(("-", "build"))}
    assert len(paths) > 1
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_modules_that_run_exist() -> None:
    modules = re.findall(r"python -m (tests[.\w]+)", text("CONTRIBUTING.md"))
    assert modules
    places = (ROOT / module.replace(".", "/") for module in modules)
    assert all((place / "__main__.py").exists() or place.with_suffix(".py").exists() for place in places)


def test_the_citation_is_that_of_the_package() -> None:
    found = yaml.safe_load(text("CITATION.cff"))
    assert found["cff-version"] == "1.2.0"
    assert found["title"] == PROJECT["name"]
    assert found["version"] == PROJECT["version"]
    assert found["license"] == PROJECT["license"]
    assert found["authors"] == PROJECT["authors"]
    assert set(found["keywords"]) == set(PROJECT["keywords"])


def test_the_changelog_has_its_form() -> None:
    versions = re.findall("^## (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == "Unreleased"
    assert all(re.fullmatch(r"[0-9.]+ - [0-9]{4}-[0-9]{2}-[0-9]{2}", version) for version in versions[1:])
    categories = re.findall("^### (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    assert set(categories) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_no_links_and_addresses_are_made_up() -> None:
    for name in ("CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        assert not re.search("https?://|mailto:|@[a-z]", text(name)), name


def test_places_of_a_policy_are_those_that_the_reader_takes() -> None:
    assert f"decimal places, 0 to {policy.MAX_DIGITS} |" in text("docs/reference/rounding.md")
    assert f"| places and figures of a rounding policy | {policy.MAX_DIGITS} |" in text("docs/reference/limits.md")


def test_limits_are_those_of_the_program() -> None:
    page = text("SECURITY.md")
    for row in (
        (
            f"{document.MAX_BYTES // 10**6} MB, {MAX_SIDE:,} tokens, numerals of {document.MAX_DIGITS:,} digits, "
            f"{document.MAX_DEPTH} levels"
        ),
        (
            f"{limits.MAX_LENGTH:,} characters, {limits.MAX_TOKENS:,} signs, {limits.MAX_DEPTH} levels, "
            f"numerals of {limits.MAX_DIGITS:,} characters, exponents up to {limits.MAX_EXPONENT:,}"
        ),
        f"| work | {MAX_WORK // 10**6} MB |",
        f"{roster.MAX_BYTES // 10**6} MB, {roster.MAX_ROWS:,} rows, {roster.MAX_CELL} characters of a cell",
        (
            f"{archives.MAX_ARCHIVE // 10**9} GB packed, {archives.MAX_DIRECTORY // 10**6} MB of directory, "
            f"{archives.MAX_UNPACKED // 10**9} GB unpacked, {MAX_WORK // 10**6} MB of an entry"
        ),
        f"| {MAX_ARRAY // 10**6} MB |",
        f"{MAX_RECORD // 10**6} MB, 5,000 steps",
        f"{SECONDS:g} s of processor time and {GIGABYTES:g} GB",
    ):
        assert row in page, row


def test_nothing_opens_a_connection() -> None:
    sources = ((path, path.read_text(encoding="utf-8")) for path in (ROOT / "symattn").rglob("*.py"))
    found = [
        path
        for path, source in sources
        if re.search(r"^\s*(import|from) (socket|urllib|http|ssl|ftplib)\b", source, re.MULTILINE)
    ]
    assert found == []
