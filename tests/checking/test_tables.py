r"""Tables, rows of numbers and printed arrays are judged as the same numbers in ``bmatrix`` are."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.checking.report import Finding
from symattn.notation.documents.reader import Format
from tests.checking.sheets import HELD_AGAINST, Rows, checked, judged, names, numbers, place_of, spoilt, wrong_entries
from tests.checking.unmarked import example

LABELS = {
    "numbers": [str(k + 1) for k in range(3)], "letters": [f"$t_{k + 1}$" for k in range(3)],
    "typed": [f"q{k + 1}" for k in range(3)], "indices": [f"$j={k + 1}$" for k in range(3)],
    "words": [f"token {k + 1}" for k in range(3)], "tokens": ["the", "cat", "sat"],
}  # fmt: skip
HEADS = {"A": "Attention weights", "S": "Scores", "O": "Outputs", "Q": "Queries", "E": "Exponentials"}


def bmatrix(rows: Rows) -> str:
    return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{bmatrix}"


def display(rows: Rows) -> str:
    return f"$$\n{bmatrix(rows)}\n$$"


def pipes(header: list[str], rows: Rows) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tabular(header: list[str], rows: Rows, *, rule: str = "\\hline") -> str:
    lines = [" & ".join(line) + r" \\" for line in ([header] if header else []) + rows]
    inside = f"\n{rule}\n".join(lines[:1]) + ("\n" + rule if header else "") + "\n" + "\n".join(lines[1:])
    return f"\\begin{{tabular}}{{{'c' * len(rows[0])}}}\n{inside}\n{rule}\n\\end{{tabular}}"


def labelled(labels: str, rows: Rows) -> tuple[list[str], Rows]:
    names_ = LABELS[labels]
    header = ["", *(names_ if len(rows[0]) == 3 else ["1", "2"])]
    return header, [[name, *row] for name, row in zip(names_, rows, strict=True)]


def findings(text: str, form: Format) -> list[tuple[str | None, str, list[list[str]]]]:
    return [
        (f.name, f.verdict, [[entry.verdict for entry in row] for row in f.entries or ()])
        for f in judged(checked(text, form))
    ]


# One matrix -------------------------------------------------------------------------------------------


@pytest.mark.sample(10)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("wrong", [None, (2, 0)])
def test_a_table_is_judged_as_its_matrix(name: str, labels: str, wrong: tuple[int, int] | None) -> None:
    rows = numbers()[name] if wrong is None else spoilt(numbers()[name], *wrong)
    table = labelled(labels, rows)
    expected = findings(f"## {HEADS[name]}\n\n{display(rows)}\n", "md")
    assert len(expected) == 1
    assert findings(f"## {HEADS[name]}\n\n{pipes(*table)}\n", "md") == expected
    assert findings(f"{HEADS[name]}:\n\n{pipes(*table)}\n", "md") == expected
    assert findings(f"{HEADS[name]}:\n{pipes(*table)}\n", "txt") == expected
    assert findings(f"\\section{{{HEADS[name]}}}\n\n{tabular(*table)}\n", "tex") == expected
    assert (
        findings(f"{HEADS[name]}:\n\\begin{{center}}\n{tabular(*table, rule='')}\n\\end{{center}}", "tex") == expected
    )
    caption = f"\\begin{{table}}\n\\centering\n{tabular(*table)}\n\\caption{{{HEADS[name]}}}\n\\end{{table}}\n"
    assert findings(f"\\section{{Work}}\n{caption}", "tex") == expected


@pytest.mark.parametrize("form", ["md", "txt"])
def test_a_table_without_labels_is_a_matrix(form: Format) -> None:
    header, *rows = spoilt(numbers()["A"], 2, 2)
    text = f"Attention weights:\n\n{pipes(header, rows)}\n"
    report = checked(text, form)
    assert names(report) == ["A"]
    assert wrong_entries(report) == [place_of(text, rows[1][2])]


def test_a_tabular_without_labels_is_a_matrix() -> None:
    rows = spoilt(numbers()["A"], 2, 2)
    text = f"\\section{{Attention weights}}\n{tabular([], rows)}\n"
    assert wrong_entries(checked(text, "tex")) == [place_of(text, rows[2][2])]


@pytest.mark.parametrize("lead", ["A =", "$A =$", "$$A =$$", "Attention weights =", r"$A = \mathrm{softmax}(S) =$"])
def test_a_table_is_the_right_side_of_what_was_begun(lead: str) -> None:
    rows = spoilt(numbers()["A"], 1, 2)
    text = f"# Work\n\n{lead}\n\n{pipes(*labelled('letters', rows))}\n"
    report = checked(text)
    assert judged(report)[-1].name == "A"
    assert wrong_entries(report) == [place_of(text, rows[1][2])]


@pytest.mark.parametrize("lead", ["A = ", r"\mathbf{A} = ", ""])
def test_an_array_with_labels_is_a_matrix(lead: str) -> None:
    header, rows = labelled("letters", spoilt(numbers()["A"], 0, 0))
    plain = [[cell.strip("$") for cell in row] for row in [header, *rows]]
    body = " \\\\ ".join(" & ".join(row) for row in plain).replace(r"\\", r"\\ \hline", 1)
    text = f"\\section{{Weights}}\n\\[ {lead}\\begin{{array}}{{c|ccc}} {body} \\end{{array}} \\]\n"
    report = checked(text, "tex")
    assert names(report) == ["A"]
    assert wrong_entries(report) == [place_of(text, rows[0][1])]


@pytest.mark.parametrize("corner", ["$A$", "A", r"$\alpha_{ij}$", "weights", r"$\alpha$"])
def test_the_corner_may_name_the_matrix(corner: str) -> None:
    header, rows = labelled("typed", numbers()["A"])
    report = checked(pipes([corner, *header[1:]], rows))
    assert [(f.name, f.verdict) for f in judged(report)] == [("A", "rounded")]


@pytest.mark.parametrize("name", ["S", "A", "E"])
def test_keys_may_stand_beside_and_queries_above(name: str) -> None:
    turned_rows = [list(column) for column in zip(*numbers()[name], strict=True)]
    rows = [[f"$k_{i + 1}$", *row] for i, row in enumerate(spoilt(turned_rows, 0, 2))]
    text = f"## {HEADS[name]}\n\n{pipes(['', '$q_1$', '$q_2$', '$q_3$'], rows)}"
    report = checked(text)
    assert [f.name for f in judged(report)] == [name]
    assert wrong_entries(report) == [place_of(text, rows[0][3])]


def test_marks_in_cells_are_no_numbers() -> None:
    rows = [[f"**{row[0]}**", f"${row[1]}$", f"`{row[2]}`"] for row in numbers()["A"]]
    assert findings(f"## Weights\n\n{pipes(*labelled('numbers', rows))}", "md")[0][:2] == ("A", "rounded")
    rows = [[rf"\textbf{{{row[0]}}}", f"${row[1]}$", rf"$\mathbf{{{row[2]}}}$"] for row in numbers()["A"]]
    assert findings(f"\\section{{Weights}}\n{tabular(*labelled('letters', rows))}", "tex")[0][:2] == ("A", "rounded")


def test_sums_beside_a_matrix_are_no_entries() -> None:
    header, rows = labelled("tokens", numbers()["A"])
    report = checked(f"## Weights\n\n{pipes([*header, 'sum'], [[*row, '1'] for row in rows])}")
    assert [(f.name, f.verdict) for f in judged(report)] == [("A", "rounded")]
    assert [f.text for f in report.findings if f.verdict == "unchecked"].count("1") == 3


def test_one_row_of_a_matrix_is_found_by_its_label() -> None:
    header, rows = labelled("words", numbers()["A"])
    report = checked(f"## Attention weights\n\n{pipes(header, rows[2:])}")
    assert [(f.name, f.verdict) for f in judged(report)] == [("A[3,:]", "rounded")]


def test_an_empty_cell_is_told() -> None:
    header, rows = labelled("words", numbers()["A"])
    rows[1][2] = ""
    found = judged(checked(f"## Attention weights\n\n{pipes(header, rows)}"))
    assert [f.verdict for f in found] == ["unread"]
    assert "Row 2" in found[0].explanation


@pytest.mark.parametrize(
    "table",
    [
        pipes(["lr", "epochs"], [["0.1", "20"]]),
        pipes(["run", "loss"], [["1", "0.5"], ["2", "0.4"], ["3", "0.3"]]),
        pipes(["", "a", "b", "c"], [["x", "1", "2", "3"], ["y", "4", "5", "6"], ["z", "7", "8", "9"]]),
    ],
)
def test_numbers_of_nothing_known_are_unchecked_and_kept(table: str) -> None:
    report = checked(f"# Setting\n\n{table}\n")
    assert judged(report) == []
    shown = " ".join(finding.text for finding in report.findings)
    assert all(number in shown for number in ("0.1", "20") if number in table)


# A quantity in each column ----------------------------------------------------------------------------


def columns(query: int) -> dict[str, list[str]]:
    return {name: numbers()[name][query] for name in ("S", "E", "A")}


NAMED: list[Callable[[int], list[str]]] = [
    lambda q: [f"$s_{{{q}j}}$", f"$e^{{s_{{{q}j}}}}$", f"$\\alpha_{{{q}j}}$"],
    lambda q: [f"$S_{{{q},j}}$", "exp", "weight"],
    lambda q: [f"score $s_{{{q}j}}$", r"$e^{s}$", r"$\alpha$"],
    lambda q: [f"S_{q}j", f"exp(S_{q}j)", f"A_{q}j"],
]
"""Headers that say the query themselves."""

UNNAMED = [
    ["score", "exp", "weight"], ["Scores", "Exponential", "Softmax"], ["$s_j$", "$e^{s_j}$", r"$\alpha_j$"],
    ["$s$", "$e^{s}$", r"$\alpha$"], ["Dot product", "exp(score)", "attention weight"],
]  # fmt: skip
"""Headers under which another place says the query."""


def by_key(header: list[str], shown: dict[str, list[str]], labels: list[str], corner: str) -> tuple[list[str], Rows]:
    return [corner, *header], [[label, *row] for label, *row in zip(labels, *shown.values(), strict=True)]


def turned(header: list[str], rows: Rows) -> tuple[list[str], Rows]:
    first, *rest = [list(column) for column in zip(header, *rows, strict=True)]
    return first, rest


def held(found: list[Finding], query: int) -> None:
    assert {f.verdict for f in found} <= {"right", "rounded", "carried"}
    inside = {(f.name or "").partition("[")[0] for f in found}
    assert inside == {"S", "E", "A"}
    assert all(f"[{query}," in (f.name or "") for f in found)


@pytest.mark.sample(16)
@pytest.mark.parametrize("labels", ["numbers", "typed", "words", "tokens"])
@pytest.mark.parametrize("header", NAMED)
@pytest.mark.parametrize("query", [1, 2, 3])
def test_headers_name_the_quantity_and_the_query(header: Callable[[int], list[str]], labels: str, query: int) -> None:
    found = by_key(header(query), columns(query - 1), LABELS[labels], "$j$")
    held(judged(checked(f"# Work\n\n{pipes(*found)}")), query)
    held(judged(checked(f"# Work\n\n{pipes(*turned(*found))}")), query)
    if "S_" not in found[0][1][:2]:
        held(judged(checked(f"\\section{{Work}}\n{tabular(*found)}", "tex")), query)


@pytest.mark.parametrize("header", UNNAMED)
@pytest.mark.parametrize("query", [1, 3])
def test_a_heading_or_the_sheet_says_the_query(header: list[str], query: int) -> None:
    found = by_key(header, columns(query - 1), LABELS["typed"], "key")
    for lead in (f"## Token {query}", f"### Query {query}:", f"For token {query}:", f"## Row {query}"):
        held(judged(checked(f"{lead}\n\n{pipes(*found)}")), query)
        held(judged(checked(f"{lead}\n\n{pipes(*turned(*found))}")), query)
    held(judged(checked(pipes(*found), part=query)), query)
    unsaid = judged(checked(f"# Work\n\n{pipes(*found)}"))
    assert not HELD_AGAINST & {f.verdict for f in unsaid}


@pytest.mark.parametrize("word", ["att", "masked", r"\text{new}", "{}"])
@pytest.mark.parametrize("labels", ["numbers", "words"])
def test_words_below_a_name_are_no_places(word: str, labels: str) -> None:
    header = ["$s_{1j}$", "$e^{s_{1j}}$", f"$A_{{{word}}}_{{1j}}$"]
    found = judged(checked(f"# Work\n\n{pipes(*by_key(header, columns(0), LABELS[labels], '$j$'))}"))
    assert [f.name for f in found if (f.name or "").startswith("S")]
    assert not HELD_AGAINST & {f.verdict for f in found}


@pytest.mark.parametrize("name", ["S", "E", "A"])
@pytest.mark.parametrize("header", [NAMED[0](1), UNNAMED[0]])
def test_a_wrong_cell_is_found_at_its_place(header: list[str], name: str) -> None:
    shown = columns(0)
    shown[name] = spoilt([shown[name]], 0, 2)[0]
    text = f"## Token 1\n\n{pipes(*by_key(header, shown, LABELS['words'], 'key'))}"
    assert place_of(text, shown[name][2]) in wrong_entries(checked(text))


def test_rows_may_name_entries() -> None:
    rows = [[f"$S_{{{i + 1}{j + 1}}}$", numbers()["S"][i][j]] for i in range(3) for j in range(3)]
    found = judged(checked(pipes(["entry", "score"], rows)))
    assert [(f.name, f.verdict) for f in found] == [(f"S[{i},{j}]", "right") for i in (1, 2, 3) for j in (1, 2, 3)]
    rows = [[f"$q_1 \\cdot k_{j + 1}$", numbers()["S"][0][j]] for j in range(3)]
    found = judged(checked(pipes(["", "dot product"], rows)))
    assert [f.verdict for f in found] == ["right"] * 3


def test_headers_may_say_what_goes_where() -> None:
    header = ["token", "weight on 1", "weight on 2", "weight on 3"]
    rows = [[str(i + 1), *row] for i, row in enumerate(numbers()["A"])]
    found = judged(checked(f"## Weights\n\n{pipes(header, rows)}"))
    assert [(f.name, f.verdict) for f in found] == [("A", "rounded")]


def test_rows_may_name_lines() -> None:
    rows = [[f"$o_{i + 1}$", *numbers()["O"][i]] for i in range(3)]
    for table in (pipes(rows[0], rows[1:]), pipes(["", "1", "2"], rows)):
        found = judged(checked(table))
        assert [(f.name, f.verdict) for f in found] == [(f"O[{i},:]", "rounded") for i in (1, 2, 3)]


def test_a_table_of_all_queries() -> None:
    """One row for each query, one column for each key, with the sums between exponentials and weights."""
    header = ["Token", *(f"$e^{{s_{{i{j}}}}}$" for j in (1, 2, 3)), "Sum", *(rf"$\alpha_{{i{j}}}$" for j in (1, 2, 3))]
    sums = ["2985.5218", "403.4892", "7895.7268"]  # Σ_j e^{S_ij} by hand from the exponents of S
    rows = [[str(i + 1), *numbers()["E"][i], sums[i], *numbers()["A"][i]] for i in range(3)]
    rows[1][4] = "403.9892"
    text = pipes(header, rows)
    report = checked(text)
    assert len(judged(report)) == 21
    assert wrong_entries(report) == [place_of(text, "403.9892")]


def test_a_table_with_both_indices() -> None:
    rows = [[str(i + 1), str(j + 1), numbers()["S"][i][j], numbers()["A"][i][j]] for i in range(3) for j in range(3)]
    report = checked(pipes(["i", "j", "$S_{ij}$", "$A_{ij}$"], rows))
    assert {f.verdict for f in judged(report)} <= {"right", "rounded"}
    assert len(names(report)) == 18
    assert report.missing == ()


def test_lists_in_cells_are_lines() -> None:
    shown = [numbers()[name] for name in "QKVO"]
    rows = [[str(i + 1), *(f"[{', '.join(m[i])}]" for m in shown)] for i in range(3)]
    report = checked(pipes(["token", "q", "k", "v", "output"], rows))
    assert sorted(filter(None, names(report))) == sorted(f"{name}[{i},:]" for name in "QKVO" for i in (1, 2, 3))
    assert {f.verdict for f in judged(report)} <= {"right", "rounded"}


def test_cells_with_working_are_judged_link_by_link() -> None:
    rows = [[str(j + 1), f"$e^{{{numbers()['S'][0][j]}}} = {numbers()['E'][0][j]}$"] for j in range(3)]
    report = checked(pipes(["$j$", "$e^{s_{1j}}$"], rows))
    assert [f.name for f in judged(report)] == [f"E[1,{j}]" for j in (1, 1, 2, 2, 3, 3)]
    assert {f.verdict for f in judged(report)} <= {"right", "rounded"}


@pytest.mark.parametrize("name", ["ps4_self_attention", "ps4_cross_attention", "nyu_columns"])
def test_weights_in_the_table_of_a_key_are_found(name: str) -> None:
    key = example(name, "article", "brief")
    start, end = key.tex.index(r"\begin{tabular}"), key.tex.index(r"\end{tabular}")
    found = [f for f in key.check().findings if start < f.place.start < end and (f.name or "").startswith("A[")]
    assert len(found) == key.problem.n_q * key.problem.n_k
    assert {f.verdict for f in found} <= {"right", "rounded", "carried"}


# Rows of numbers --------------------------------------------------------------------------------------

ROWS = {
    "spaced": "{0} {1} {2}", "listed": "{0}, {1}, {2}", "bullets": "- {0}, {1}, {2}", "starred": "* {0} {1} {2}",
    "wide": "   {0}   {1}   {2}", "semicolons": "{0}; {1}; {2}", "ended": "{0}, {1}, {2},",
}  # fmt: skip


@pytest.mark.sample(20)
@pytest.mark.parametrize("style", ROWS)
@pytest.mark.parametrize("lead", ["Scores:", "S =", "## Scores", "S:", "Scores =", "The scores are:"])
@pytest.mark.parametrize("form", ["md", "txt"])
def test_rows_of_numbers_are_a_matrix(lead: str, style: str, form: Format) -> None:
    if form == "txt" and lead.startswith("#"):
        lead = "Scores"
    rows = spoilt(numbers()["S"], 1, 2)
    text = f"# Work\n\n{lead}\n" + "\n".join(ROWS[style].format(*row) for row in rows) + "\n"
    report = checked(text, form)
    assert [f.name for f in judged(report)] == ["S"]
    assert wrong_entries(report) == [place_of(text, rows[1][2])]


def test_rows_of_different_lengths_are_told() -> None:
    found = judged(checked("Scores:\n1.5 -2.5 8\n-3.5 -3.5\n8.5 8 -13.25\n"))
    assert [f.verdict for f in found] == ["unread"]
    assert "Row 2 has 2 entries" in found[0].explanation


@given(st.lists(st.lists(st.integers(-99, 99).map(str), min_size=2, max_size=4), min_size=2, max_size=5))
@settings(max_examples=50, deadline=None)
def test_rows_without_a_label_are_held_against_nobody(rows: Rows) -> None:
    text = "Some numbers of mine follow here without a word about them\n\n" + "\n".join(map(" ".join, rows))
    assert not {"wrong", "follows"} & {f.verdict for f in checked(text).findings}


# Notebooks --------------------------------------------------------------------------------------------


def numpy_print(rows: Rows) -> str:
    width = max(len(entry) for row in rows for entry in row)
    lines = ["[" + " ".join(entry.rjust(width) for entry in row) + "]" for row in rows]
    return "[" + "\n ".join(lines) + "]"


def numpy_repr(rows: Rows) -> str:
    return "array([" + ",\n       ".join("[" + ", ".join(row) + "]" for row in rows) + "])"


def notebook(*cells: tuple[str, list[tuple[str, str]]]) -> str:
    made = []
    for source, outputs in cells:
        shown = [
            {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
            if kind == "stream"
            else {"output_type": "execute_result", "data": {"text/plain": text}, "execution_count": 1}
            for kind, text in outputs
        ]
        made.append({"cell_type": "code", "source": source, "outputs": shown})
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# Work"}, *made], "nbformat": 4})


PRINTED: list[tuple[str, str, str]] = [
    ("print('A =')\nprint(A)", "stream", "A =\n{plain}\n"),
    ("print('A =', A)", "stream", "A = {plain}\n"),
    ("print('A', A)", "stream", "A {plain}\n"),
    ("print(f'A =\\n{{A}}')", "stream", "A =\n{plain}\n"),
    ("print('A:\\n', A)", "stream", "A:\n {plain}\n"),
    ("print('Attention weights:')\nprint(A)", "stream", "Attention weights:\n{plain}\n"),
    ("A = softmax(S)\nprint(A)", "stream", "{plain}\n"),
    ("print(np.round(A, 4))", "stream", "{plain}\n"),
    ("print(A.round(4))", "stream", "{plain}\n"),
    ("A = softmax(S)\nA", "result", "{repr}"),
    ("A.round(4)", "result", "{repr}"),
    ("np.round(A, 4)", "result", "{repr}"),
    ("attention_weights", "result", "{repr}"),
]


@pytest.mark.parametrize(("source", "kind", "shown"), PRINTED)
def test_printed_arrays_are_work(source: str, kind: str, shown: str) -> None:
    rows = spoilt(numbers()["A"], 2, 1)
    output = shown.format(plain=numpy_print(rows), repr=numpy_repr(rows))
    report = checked(notebook(("S = Q @ K.T", []), (source, [(kind, output)])), "ipynb")
    found = judged(report)
    assert [(f.name, f.verdict, f.place.cell) for f in found] == [("A", "wrong", 3)]
    assert wrong_entries(report) == [place_of(output, rows[2][1])]


def test_several_prints_of_a_cell_keep_their_names() -> None:
    text = f"{numpy_print(numbers()['S'])}\nfine\n{numpy_print(numbers()['A'])}\n"
    report = checked(notebook(("print(S)\nprint('fine')\nprint(A)", [("stream", text)])), "ipynb")
    assert [(f.name, f.place.cell) for f in judged(report)] == [("S", 2), ("A", 2)]


def test_an_array_that_nothing_names_is_held_against_nobody() -> None:
    text = f"{numpy_print(spoilt(numbers()['A'], 0, 0))}\n"
    report = checked(notebook(("for m in (A,):\n    print(m)", [("stream", text)])), "ipynb")
    assert {f.verdict for f in judged(report)} <= {"ambiguous"}
    assert any(f.text.startswith("[[") for f in report.findings)


def test_sources_are_not_the_mathematics_of_a_person() -> None:
    report = checked(notebook(("A = np.array([[9, 9, 9], [9, 9, 9], [9, 9, 9]])\nS_11 = 7", [])), "ipynb")
    assert judged(report) == []


def test_pictures_and_errors_are_left_out() -> None:
    cell = {
        "cell_type": "code", "source": "A",
        "outputs": [
            {"output_type": "display_data", "data": {"image/png": "A = 3"}},
            {"output_type": "error", "ename": "A", "evalue": "A = 3", "traceback": ["A = 3"]},
            {"output_type": "stream", "name": "stderr", "text": "A = 3"},
            7, {"output_type": "stream"}, {"output_type": "execute_result", "data": 3},
        ],
    }  # fmt: skip
    report = checked(json.dumps({"cells": [cell]}), "ipynb")
    assert [f.text for f in report.findings] == ["A"]
