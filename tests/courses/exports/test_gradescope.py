"""The autograder zip, laid out and run as Gradescope's documentation says.

gradescope-autograders.readthedocs.io, pages "specs" and "submission_metadata": the zip is unpacked into
/autograder/source, run_autograder is copied beside it, setup.sh runs once as the image is built, and each submission
lies in /autograder/submission with /autograder/submission_metadata.json beside it. Here a temporary folder is
/autograder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import symattn as sa
from symattn.courses.exports import autograder
from symattn.problem.model import Problem
from tests.cli.runner import run
from tests.courses.exports.course import ROWS, TEXT, values, work, write_problem, write_variants

RESULTS = {
    "type": "object",
    "required": ["score", "output", "tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
        "visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
        "stdout_visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": {"type": "string"},
                },
            },
        },
    },
}
"""The documented keys of results.json."""

EMAILS = ("ana@example.org", "Ben@Example.org", "cem@example.org")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Gradescope runs Linux")


class Image:
    """A folder laid out as /autograder."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        with zipfile.ZipFile(archive) as file:
            for entry in file.infolist():
                path = Path(file.extract(entry, root / "source"))
                path.chmod(entry.external_attr >> 16)
        shutil.copy(root / "source" / "run_autograder", root / "run_autograder")

    def without_setup(self) -> Image:
        """Make the environment that setup.sh makes, from the packages that run this test."""
        venv.create(self.root / "venv", with_pip=False)
        (packages,) = (self.root / "venv").glob("lib/python*/site-packages")
        here = [str(Path(__file__).parents[3]), *filter(lambda path: path.endswith("site-packages"), sys.path)]
        (packages / "here.pth").write_text("\n".join(here), encoding="utf-8")
        return self

    def grade(
        self, files: dict[str, str], emails: tuple[str, ...] = (EMAILS[0],), *, by_script: bool = False
    ) -> dict[str, Any]:
        """Return the results of a submission, of the script or, sooner, of what it calls."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        for name, text in files.items():
            path = self.root / "submission" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (self.root / "submission").mkdir(exist_ok=True)
        users = [{"email": email, "id": number, "name": "A Student"} for number, email in enumerate(emails)]
        metadata = {"users": users, "assignment": {"id": 1}, "previous_submissions": []}
        (self.root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
        (self.root / "results").mkdir(exist_ok=True)
        if by_script:
            subprocess.run([self.root / "run_autograder"], cwd=self.root, check=True, capture_output=True, timeout=120)
        else:
            autograder.main(self.root)
        found: dict[str, Any] = json.loads((self.root / "results" / "results.json").read_text("utf-8"))
        jsonschema.validate(found, RESULTS)
        return found


def export(folder: Path, *options: object) -> Path:
    path = folder / "autograder.zip"
    done = run("export", "gradescope", write_problem(folder), "-o", path, *options)
    assert (done.status, done.err) == (0, f"wrote {path}\n")
    return path


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    path = tmp_path_factory.mktemp("course")
    archive = export(path, "--variants", write_variants(path, EMAILS))
    return Image(tmp_path_factory.mktemp("autograder"), archive).without_setup()


def problem(number: int) -> Problem:
    return Problem.from_text(TEXT.format(rows=ROWS[number]))


@pytest.mark.parametrize("number", range(len(EMAILS)))
def test_the_email_picks_the_variant(image: Image, number: int) -> None:
    own = work(values(problem(number), "all"))
    found = image.grade({"work.md": own}, (EMAILS[number].upper(),), by_script=number == 0)
    marks = sa.check(problem(number), own, "md").marks
    assert marks is not None
    assert found["score"] == pytest.approx(float(marks.earned))
    assert [test["score"] for test in found["tests"]] == pytest.approx([float(part.earned) for part in marks.parts])
    assert [test["max_score"] for test in found["tests"]] == [4.0, 6.0]
    assert image.grade({"work.md": own}, (EMAILS[(number + 1) % 3],))["score"] < found["score"]


@pytest.mark.parametrize(
    ("files", "emails", "said"),
    [
        ({"work.md": "A_11 = 1"}, ("dan@example.org",), "no variant belongs to dan@example.org"),
        ({"work.md": "A_11 = 1"}, (), "no variant belongs to this submission"),
        ({"work.md": "A_11 = 1"}, EMAILS[:2], "several variants belong to"),
        ({}, EMAILS[:1], "has 0 files to grade"),
        ({"notes.pdf": "%PDF"}, EMAILS[:1], "has 0 files to grade"),
        ({"a.md": "1", "b/c.tex": "2"}, EMAILS[:1], "has 2 files to grade: a.md, c.tex"),
        ({"work.ipynb": "not a notebook"}, EMAILS[:1], "Not graded."),
    ],
)
def test_what_cannot_be_graded_is_told(image: Image, files: dict[str, str], emails: tuple[str, ...], said: str) -> None:
    found = image.grade(files, emails)
    assert found["score"] == 0
    assert said in found["output"]
    assert "Traceback" not in found["output"]


def test_the_report_tells_no_more_than_asked(image: Image) -> None:
    found = image.grade({"work.md": "A_{11} = 0.99\n\nO_{11} = 7.25"})
    assert "wrong" in found["output"]
    right = values(problem(0), "all")
    assert not {text for name in "AO" for row in right[name] for text in row} & set(
        re.findall(r"-?\d\.\d+", found["output"])
    )


def test_the_zip_holds_no_names_and_no_answers(tmp_path: Path) -> None:
    archive = export(tmp_path, "--variants", write_variants(tmp_path, EMAILS))
    with zipfile.ZipFile(archive) as file:
        names = file.namelist()
        assert names == ["run_autograder", "settings.json", "setup.sh", "variants.csv"] + [
            f"variants/000{number}.toml" for number in (1, 2, 3)
        ]
        assert "Student" not in file.read("variants.csv").decode()
        executable = [entry.filename for entry in file.infolist() if entry.external_attr >> 16 & stat.S_IXUSR]
    assert executable == ["run_autograder", "setup.sh"]


def test_bytes_do_not_depend_on_the_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = export(tmp_path).read_bytes()
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    os.utime(tmp_path / "problem.toml", (0, 0))
    assert export(tmp_path).read_bytes() == first
    with zipfile.ZipFile(tmp_path / "autograder.zip") as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize(
    ("wheel", "said"),
    [("other-1.0.whl", "is not a wheel of symattn"), ("symattn-1.0-py3-none-any.whl", "cannot be read")],
)
def test_wheels_that_are_none_are_refused(tmp_path: Path, wheel: str, said: str) -> None:
    done = run("export", "gradescope", write_problem(tmp_path), "-o", tmp_path / "a.zip", "--wheel", tmp_path / wheel)
    assert done.status == 2
    assert said in done.err
    assert not (tmp_path / "a.zip").exists()


def test_variants_without_email_are_refused(tmp_path: Path) -> None:
    table = write_variants(tmp_path, [""])
    done = run("export", "gradescope", write_problem(tmp_path), "-o", tmp_path / "a.zip", "--variants", table)
    assert (done.status, "has no e-mail" in done.err) == (2, True)


# The setup --------------------------------------------------------------------------------------------

PYTHON = """#!/bin/bash
echo "{name} $*" >> "$LOG"
case "$1" in
    -c) exit {status} ;;
    -m) if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi ;;
esac
"""

APT = """#!/bin/bash
echo "apt-get $*" >> "$LOG"
for name in "$@"; do
    if [ "$name" = "$THERE" ]; then cp "$FAKES/fitting" "$FAKES/$name"; exit 0; fi
done
[ "$1" = update ]
"""


@pytest.mark.parametrize(
    ("there", "python"),
    [("", "python3"), ("python3.12", "python3.12"), ("python3.11", "python3.11"), ("none", "")],
)
def test_setup_installs_a_python_where_the_image_has_an_old_one(tmp_path: Path, there: str, python: str) -> None:
    """Run setup.sh with a PATH of stand-ins: an old or a fitting python3, and an apt-get that has one other."""
    image = Image(tmp_path / "autograder", export(tmp_path, "--wheel", _wheel(tmp_path)))
    fakes, log = tmp_path / "fakes", tmp_path / "log"
    fakes.mkdir()
    scripts = {
        "python3": PYTHON.format(name="python3", status=int(bool(there))),
        "fitting": PYTHON.format(name=there, status=0),
        "apt-get": APT,
    }
    for name, text in scripts.items():
        (fakes / name).write_text(text, encoding="utf-8")
        (fakes / name).chmod(0o755)
    for name in ("bash", "dirname", "mkdir", "cp", "env"):
        (fakes / name).symlink_to(shutil.which(name) or "")
    environment = {"PATH": str(fakes), "LOG": str(log), "FAKES": str(fakes), "THERE": there}
    done = subprocess.run(
        [image.root / "source" / "setup.sh"], env=environment, check=False, capture_output=True, text=True
    )
    said = log.read_text("utf-8")
    assert ("apt-get" in said) is bool(there)
    if not python:
        assert (done.returncode, "no Python 3.11 or newer" in done.stderr) == (1, True)
        return
    assert done.returncode == 0, done.stderr
    assert f"{python} -m venv {image.root}/venv" in said
    assert said.rstrip().endswith("-m pip install --no-cache-dir ./symattn-0.0-py3-none-any.whl")
    assert (image.root / "source" / "symattn-0.0-py3-none-any.whl").is_file()


def _wheel(folder: Path) -> Path:
    path = folder / "symattn-0.0-py3-none-any.whl"
    path.write_bytes(b"")
    return path
