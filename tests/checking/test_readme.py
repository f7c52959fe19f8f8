"""What the README shows of a checked work is what the program says."""

from __future__ import annotations

from pathlib import Path

from symattn.api import check

ROOT = Path(__file__).parent.parent.parent


def test_the_readme_shows_what_check_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("```\nexamples/ps4_student_work.md\n")[2].partition("```")[0]
    report = check(ROOT / "examples" / "ps4_self_attention.toml", ROOT / "examples" / "ps4_student_work.md")
    said = report.to_text(width=100).splitlines()
    lines = [line for line in shown.splitlines() if line.strip()]
    assert len(lines) > 8
    assert [line for line in lines if line not in said] == []
