"""Reports in a terminal: what is shown, where the marks stand, and that nothing in a work is obeyed."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.checking.report import PartMarks
from symattn.rendering.reports.text import cells, excerpt, report_text, wrapped
from symattn.rendering.reports.view import clean, points
from tests.rendering.reports import EMPTY, FINDINGS, REPORT, WORK, single, with_finding


def block(text: str, where: str) -> list[str]:
    """The lines about the statement at a place."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.strip().startswith(f"{where}  "))
    end = next(number for number, line in enumerate([*lines, ""]) if number > start and not line.strip())
    return lines[start:end]


def under_marks(written: str, marks: str) -> str:
    """What stands above the carets."""
    return "".join(letter for letter, mark in zip(written, marks.ljust(len(written)), strict=False) if mark == "^")


# What is shown -------------------------------------------------------------------------------------


def test_the_whole_of_a_report() -> None:
    assert report_text(REPORT, width=100) == (
        "ps4_student_work.md    6 statements: 1 withdrawn, 1 unread, 1 right, 1 coarse, 2 wrong\n"
        "policy: every step to 2 places, half-up (inferred, explains 37 of 41), not 6:10\n"
        "\n"
        "  2:10  - Q_{31} = (-2·2) + (2·1) + (-1·-1/2) + (0·1) = 5/2\n"
        "                    ^^^^ wrong: W_Q[1,1] is 0, copied as 2. The value 5/2 is right; the sum as\n"
        "        written is -3/2. The factor was taken from another place.\n"
        "\n"
        "   3:3  ~~Q_{32} = 4~~\n"
        "          ^^^^^^^^^^ withdrawn\n"
        "\n"
        "   4:6  $$ S = \\begin{bmatrix} 1 & 2 \\\\\n"
        "                                   ^^^^ wrong: Entry (1,2) is 2, right is 7; entry (2,1) is 3, right\n"
        "        is 4.\n"
        "\n"
        "  6:10  so it is = 0.7 and then = 8, as asked\n"
        "                 ^^^^^ coarse: The sheet asks for two places.\n"
        "\n"
        "  6:25  so it is = 0.7 and then = 8, as asked\n"
        "                                ^^^ unread: Nothing was asked that this could be.\n"
        "\n"
        "missing: O[1,1], O[1,2]\n"
        "note: Rounded once at the end the answer is 1.18.\n"
        "first mistake: line 2, Q[3,1] · marks (a) 4.5/6, (b) 3/3, together 7.5/9\n"
        "  (a):\n"
        "    Q[3,1] has a wrong operand.\n"
        "  scheme (9 in all): one mark off for each mistake\n"
    )


def test_all_statements_are_shown_on_request() -> None:
    assert "= 5/2" in report_text(REPORT, verbose=True)
    assert "2:47" in report_text(REPORT, verbose=True)
    assert "2:47" not in report_text(REPORT)


@pytest.mark.parametrize("verdict", ["right", "rounded", "carried", "unchecked"])
def test_what_holds_is_not_shown(verdict: str) -> None:
    assert report_text(with_finding(verdict=verdict)).count("^") == 0


@pytest.mark.parametrize(
    "verdict", ["follows", "unread", "ambiguous", "undecided", "truncated", "coarse", "unstated", "wrong", "withdrawn"]
)
def test_what_does_not_hold_is_shown_with_its_reason(verdict: str) -> None:
    text = report_text(with_finding(verdict=verdict))
    assert f"^^^^ {verdict}: W_Q[1,1] is 0" in text


def test_an_empty_report() -> None:
    assert report_text(EMPTY) == "empty.md    0 statements\n"


def test_harmless_mistakes_say_so() -> None:
    assert "wrong (harmless): W_Q" in report_text(with_finding(harmless=True))


def test_a_diagnosis_is_not_said_twice() -> None:
    again = with_finding(explanation=f"So. {FINDINGS[0].diagnosis.text if FINDINGS[0].diagnosis else ''}")
    assert " ".join(report_text(again).split()).count("The factor was taken") == 1


def test_the_right_value_is_named_where_nothing_else_is_said() -> None:
    assert "wrong: The right value is 5/2." in report_text(with_finding(explanation="", diagnosis=None))


def test_missing_hypotheses_are_named() -> None:
    text = report_text(with_finding(verdict="unstated", missing_hypotheses=("independence", "mean zero")))
    assert "Not named: independence, mean zero." in " ".join(text.split())


def test_notebooks_name_the_cell() -> None:
    assert "cell 3, 1:1" in report_text(single("Q = 1", 0, 5, cell=3))


def test_a_declared_policy_is_not_called_inferred() -> None:
    policy = REPORT.policy
    assert policy is not None
    text = report_text(replace(REPORT, policy=replace(policy, declared=True, exceptions=())))
    assert "half-up (explains 37 of 41)\n" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"),
        ("6", "6"),
        ("10", "10"),
        ("100", "100"),
        ("5/2", "2.5"),
        ("1/4", "0.25"),
        ("1/3", "0.33"),
        ("-1/2", "-0.5"),
    ],
)
def test_points(value: str, shown: str) -> None:
    assert points(Fraction(value)) == shown


def test_no_scheme_where_no_mark_was_lost() -> None:
    marks = REPORT.marks
    assert marks is not None
    full = replace(REPORT, marks=replace(marks, parts=(PartMarks("a", Fraction(6), Fraction(6)),)))
    assert "scheme" not in report_text(full)
    assert "marks (a) 6/6\n" in report_text(full)


# Marks under lines ---------------------------------------------------------------------------------


def test_the_marks_stand_under_the_culprit() -> None:
    written, marks, *_ = block(report_text(REPORT, width=100), "2:10")
    assert under_marks(written, marks.split(" wrong")[0]) == "-2·2"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 500])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = "x + " * 500 + "= 7" + " + y" * 500
    for report in (REPORT, single(long, 2000, 2003), single(long, 0, len(long), explanation="a" * 999)):
        assert max(cells(line) for line in report_text(report, width=width).splitlines()) <= min(width, 100)


def test_a_long_line_is_cut_around_the_marks() -> None:
    long = "x + " * 500 + "= 7" + " + y" * 500
    written, marks, *_ = block(report_text(single(long, 2000, 2003)), "1:2001")
    assert written.count("…") == 2
    assert under_marks(written, marks.split(" wrong")[0]) == "= 7"


def test_wide_characters_take_two_cells() -> None:
    text = "注意力 = 7 ok"
    written, marks, *_ = block(report_text(single(text, 4, 7)), "1:5")
    assert cells(written[: written.index("= 7")]) == marks.index("^")
    assert marks.split(" wrong")[0].strip() == "^^^"


def test_tabs_and_combining_marks_do_not_move_the_marks() -> None:
    text = "\ta\u0301\t= 7"
    written, marks, *_ = block(report_text(single(text, 4, 7)), "1:5")
    assert "\t" not in written
    assert cells(written[: written.index("= 7")]) == marks.index("^")


def test_a_statement_over_several_lines_is_marked_on_its_first() -> None:
    text = "a\n = [1,\n 2]\n"
    written, marks, *_ = block(report_text(single(text, 1, len(text))), "1:2")
    assert under_marks(written, marks.split(" wrong")[0]) == "= [1,"


def test_a_culprit_on_another_line_is_named_by_that_line() -> None:
    assert "4:6  " in report_text(REPORT)
    entries = FINDINGS[3].entries
    assert entries is not None
    later = replace(REPORT, findings=(replace(FINDINGS[3], entries=entries[1:]),), policy=None)
    written, marks, *_ = block(report_text(later), "5:3")
    assert under_marks(written, marks.split(" wrong")[0]) == "3 &"


def test_marks_beyond_the_text_do_no_harm() -> None:
    assert "^ wrong" in report_text(replace(single(WORK, 5, 9), text=""))


@given(st.text(max_size=300).filter(lambda text: "\n" not in text), st.data())
def test_an_excerpt_fits_and_holds_what_is_marked(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    room = data.draw(st.integers(20, 90))
    shown, column, length = excerpt(line, start, end, room)
    assert cells(shown) <= room
    assert length >= 1
    assert column + length <= max(room, column + 1)
    if start < end and line[start].isprintable():
        position, used = 0, 0
        while used < column:
            used += cells(shown[position])
            position += 1
        assert line[start] in shown[position : position + 1 + len(shown)]


@given(st.text(max_size=200), st.integers(10, 60), st.integers(10, 60))
def test_wrapping_keeps_every_word_within_the_width(words: str, width: int, later: int) -> None:
    lines = wrapped(words, width, later)
    assert "".join("".join(lines).split()) == "".join(clean(words).split())
    assert all(cells(line) <= (later if number else width) for number, line in enumerate(lines))


# People's text -------------------------------------------------------------------------------------

HOSTILE = "\x1b[31m\x1b]0;title\x07 \u202e \u2066 \r \x00 \x7f \x9b31m \ud800 \u200b"


def obeyed(text: str) -> list[str]:
    """Characters that a terminal could obey."""
    return [letter for letter in text if not letter.isprintable() and letter != "\n"]


def test_control_characters_are_not_printed() -> None:
    report = single(HOSTILE + "= 7", len(HOSTILE), len(HOSTILE) + 3, explanation=f"Not {HOSTILE}.")
    named = replace(report.findings[0], name=HOSTILE)
    marks = REPORT.marks
    assert marks is not None
    everywhere = replace(
        report,
        findings=(named,),
        source=HOSTILE,
        missing=(HOSTILE,),
        remarks=(HOSTILE,),
        first_mistake=0,
        marks=replace(marks, parts=(PartMarks(HOSTILE, Fraction(2), Fraction(1), (HOSTILE,)),), scheme=HOSTILE),
    )
    assert obeyed(report_text(everywhere, verbose=True)) == []


@given(st.text(max_size=60))
def test_nothing_in_a_work_is_obeyed(text: str) -> None:
    shown = report_text(single(text, 0, len(text), explanation=text))
    assert obeyed(shown) == []
    assert not re.search("[\ud800-\udfff]", shown)


def test_words_are_painted_whole() -> None:
    painted = report_text(REPORT, width=100, paint=lambda words, role: f"<{role}:{words}>")
    assert "<title:ps4_student_work.md>" in painted
    assert "<wrong:^^^^> <wrong:wrong>: W_Q[1,1]" in painted
    assert re.sub(r"<(?:title|place|withdrawn|unread|coarse|wrong):([^>]*)>", r"\1", painted) == report_text(
        REPORT, width=100
    )


# Less than everything ------------------------------------------------------------------------------


def test_a_report_without_values_lists_the_places_of_entries() -> None:
    assert report_text(REPORT.redacted("place"), width=100) == (
        "ps4_student_work.md    6 statements: 1 withdrawn, 1 unread, 1 right, 1 coarse, 2 wrong\n"
        "policy: every step to 2 places, half-up (inferred, explains 37 of 41), not 6:10\n"
        "\n"
        "  2:10  - Q_{31} = (-2·2) + (2·1) + (-1·-1/2) + (0·1) = 5/2\n"
        "                    ^^^^ wrong\n"
        "\n"
        "   3:3  ~~Q_{32} = 4~~\n"
        "          ^^^^^^^^^^ withdrawn\n"
        "\n"
        "   4:6  $$ S = \\begin{bmatrix} 1 & 2 \\\\\n"
        "                                   ^^^^ wrong: Entries (1,2) wrong, (2,1) follows.\n"
        "\n"
        "  6:10  so it is = 0.7 and then = 8, as asked\n"
        "                 ^^^^^ coarse\n"
        "\n"
        "  6:25  so it is = 0.7 and then = 8, as asked\n"
        "                                ^^^ unread\n"
        "\n"
        "missing: O[1,1], O[1,2]\n"
        "first mistake: line 2, Q[3,1] · marks (a) 4.5/6, (b) 3/3, together 7.5/9\n"
        "  scheme (9 in all): one mark off for each mistake\n"
    )


def test_a_report_of_marks_counts_what_is_missing() -> None:
    assert report_text(REPORT.redacted("marks"), width=100) == (
        "ps4_student_work.md    6 statements: 1 withdrawn, 1 unread, 1 right, 1 coarse, 2 wrong\n"
        "\n"
        "missing: 2 required quantities\n"
        "marks (a) 4.5/6, (b) 3/3, together 7.5/9\n"
        "  scheme (9 in all): one mark off for each mistake\n"
    )
