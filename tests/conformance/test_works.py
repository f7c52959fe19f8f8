"""The score on a folder of works: what counts as a false alarm, as missed, as unread, as bound elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import __main__ as command
from tests.conformance import works
from tests.conformance.works import Number, Outcome

PROBLEM = """
scale = "none"
[inputs]
Q = [[1,0]]
K = [[1,0],[0,1]]
V = [[2,4],[6,8]]
"""


def folder(path: Path, text: str, numbers: dict[str, Any] | None = None, **known: Any) -> Path:
    """Write a folder with one work, and an index that says of it what is given, or that it is right."""
    (path / "one").mkdir()
    (path / "one" / "problem.toml").write_text(PROBLEM, "utf-8")
    (path / "one" / "work.md").write_text(text, "utf-8")
    if numbers is not None:
        (path / "one" / "numbers.json").write_text(json.dumps(numbers), "utf-8")
    index = {"one": {"exit": 0, "first_mistake_line": None, **known}}
    (path / "index.json").write_text(json.dumps(index), "utf-8")
    return path


def scored(path: Path) -> Outcome:
    (found,) = works.score(works.load(path))
    return found


RIGHT = "A = [[0.731, 0.269]]\n\nO = [[3.076, 5.076]]\n"
WRONG = "A = [[0.731, 0.296]]\n\nO = [[3.076, 5.076]]\n"


def test_a_right_work_has_no_figures(tmp_path: Path) -> None:
    numbers = {
        "1": [["A[1,1]", "0.731"], ["A[1,2]", "0.269"]],
        "3": [["O[1,1]", "3.076"], ["O[1,2]", "5.076"]],
    }
    assert set(scored(folder(tmp_path, RIGHT, numbers)).figures.values()) == {0}


def test_an_alarm_on_a_right_work_is_false(tmp_path: Path) -> None:
    found = scored(folder(tmp_path, WRONG))
    assert [alarm.partition(":")[0] for alarm in found.false_alarms] == ["line 1, A"]
    assert (found.is_missed, found.is_wrong_first, found.status) == (False, True, (1, 0))


def test_a_mistake_is_found_where_it_stands(tmp_path: Path) -> None:
    found = scored(folder(tmp_path, WRONG, exit=1, first_mistake_line=1))
    assert set(found.figures.values()) == {0}
    assert found.is_planted


def test_a_mistake_that_is_named_elsewhere_is_missed(tmp_path: Path) -> None:
    found = scored(folder(tmp_path, WRONG, exit=1, first_mistake_line=3))
    assert (len(found.false_alarms), found.is_missed, found.is_wrong_first) == (1, True, True)


def test_an_entry_beside_the_mistaken_one_is_a_false_alarm(tmp_path: Path) -> None:
    numbers = {"1": [["A[1,1]", "0.731", True], ["A[1,2]", "0.296"]]}
    found = scored(folder(tmp_path, WRONG, numbers, exit=1, first_mistake_line=1))
    assert len(found.false_alarms) == 1


def test_more_wrong_entries_than_there_are_is_a_false_alarm(tmp_path: Path) -> None:
    text = "A = [[0.713, 0.296]]\n"
    found = scored(folder(tmp_path, text, exit=1, first_mistake_line=1, wrong_entries=1))
    assert found.false_alarms == ("2 entries are called wrong, and 1 is",)


@pytest.mark.parametrize(("known", "alarms"), [({}, ("missing: A",)), ({"missing": ["A"]}, ())])
def test_an_answer_that_is_told_missing(tmp_path: Path, known: dict[str, Any], alarms: tuple[str, ...]) -> None:
    path = folder(tmp_path, "O = [[3.076, 5.076]]\n", exit=1, **known)
    (path / "one" / "problem.toml").write_text(f'{PROBLEM}[[parts]]\nasks = ["map"]\n', "utf-8")
    assert scored(path).false_alarms == alarms


def test_numbers_that_nobody_judges_are_unread(tmp_path: Path) -> None:
    numbers = {"1": [["A[1,1]", "0.731"]], "3": [["S[1,1]", "1"], ["O[1,1]", "3.076"]]}
    found = scored(folder(tmp_path, "A_11 = 0.731\n\nfoo bar 1 and 3.076\n", numbers))
    assert (found.unread, found.elsewhere) == (2, 0)


def test_numbers_of_open_statements_are_unread_where_no_list_says_more(tmp_path: Path) -> None:
    found = scored(folder(tmp_path, "A_11 = 0.731\n\n$$frobnicate(0.5 = 1 + = 2$$\n"))
    assert (found.unread, found.elsewhere) == (3, None)


def test_a_number_that_is_judged_as_another_entry_is_bound_elsewhere(tmp_path: Path) -> None:
    numbers = {"1": [["A[1,1]", "0.731"], ["O[1,1]", "0.269"]]}
    assert scored(folder(tmp_path, RIGHT, numbers)).elsewhere == 1


def test_places_of_numbers_are_those_of_whole_numerals() -> None:
    text = "S: 0.33\nA: 10.33, 0.331, 0.33 and 0,33."
    numbers = [Number(1, "S[1,1]", "0.33"), Number(2, "A[1,1]", "0.33"), Number(2, "A[1,2]", "0,33")]
    assert [start for _, start, _ in works.places(numbers, text)] == [3, 25, 34]
    with pytest.raises(ValueError, match=r"line 2 does not show A\[1,1\] as 33"):
        list(works.places([Number(2, "A[1,1]", "33")], text))


def test_the_command_prints_both_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder(tmp_path, WRONG, exit=1, first_mistake_line=1, aside=True)
    assert command.main(["--works", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "=== at hand\n\nworks 0, with false alarms 0" in printed
    assert "=== kept aside" in printed
    assert "mistakes 1, found 1, named as the first 1" in printed
    assert command.main(["--works", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept aside"]["figures"]["missed mistakes"] == 0
    assert command.main(["--works", str(tmp_path), "--show", "two"]) == 2


def test_the_command_keeps_the_figures_of_works_that_have_any(tmp_path: Path) -> None:
    folder(tmp_path, WRONG)
    assert command.main(["--works", str(tmp_path), "--write"]) == 0
    kept = json.loads((tmp_path / "ratchet.json").read_text("utf-8"))
    assert kept == {"one": {"false alarms": 1, "wrong first mistakes": 1, "other exit statuses": 1}}


def test_the_command_takes_cases_or_works(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main([])
    assert "give a file of cases, or a folder with --works" in capsys.readouterr().err


def test_the_command_keeps_no_figures_that_rose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder(tmp_path, WRONG)
    (tmp_path / "ratchet.json").write_text("{}", "utf-8")
    assert command.main(["--works", str(tmp_path), "--write"]) == 1
    assert "one: false alarms 0 -> 1" in capsys.readouterr().out
    assert (tmp_path / "ratchet.json").read_text("utf-8") == "{}"
