"""Pages of layers with masks, biases, heads and batches: all that questions need is given, nothing is told twice."""

from __future__ import annotations

import re
from typing import Any

import pytest

import symattn as sa
from symattn.api.solutions import Result, solve
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem
from symattn.rendering.latex.prose import latex_lines
from symattn.rendering.latex.typesetting import MARK
from symattn.rendering.latex.widths import LINE, width
from symattn.rendering.sections.document import Block
from tests.rendering.page_measures import SHEETS

QKV: dict[str, Any] = {"Q": [[1, 2], [2, 1]], "K": [[1, 1], [2, 1], [0, 1]], "V": [[1, 2], [2, 0], [-1, 1]]}
SELF: dict[str, Any] = {
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[1, 1], [0, 1]],
    "W_V": [[1, 2], [0, 1]],
}
BATCH: dict[str, Any] = {
    **SELF,
    "X": [[[1, 2], [0, 1], [1, 1]], [[1, 0], [2, 1], [0, 3]]],
    "parts": [{"asks": "scores"}],
}
TEMPLATES = ("sheet", "exam")

ADDED: dict[str, tuple[dict[str, Any], set[str]]] = {
    "keep": ({"mask": {"keep": [[1, 0, 1]]}}, {"M"}),
    "drop, by head": ({"heads": 2, "mask": {"drop": [[[1, 0, 0]], [[0, 0, 1]]]}}, {"M^((1))", "M^((2))"}),
    "add": ({"mask": {"add": [[0, "-inf", -2]]}}, {"M"}),
    "a bias matrix": ({"bias": {"add": [[0, 1, 2]]}}, {"B"}),
    "numbers by distance": ({"bias": {"relative": {"-1": 3, "0": 0, "1": 2, "2": 5}}}, {"B"}),
    "told in words": ({"mask": {"causal": True, "length": 2}, "bias": {"alibi": 1}}, set()),
}


def solved(**tables: Any) -> Result:
    return solve(Problem.build(**tables))


def questions(tex: str) -> str:
    """What stands before the first answer, and below the head of the document."""
    return (
        tex.partition("\\begin{document}")[2]
        .partition("\\symattnconventions")[2]
        .partition("\n}\n")[2]
        .partition("\\begin{solution}")[0]
    )


def told(tex: str) -> list[str]:
    """What the judged lines of a source are about."""
    return [line.partition(MARK)[2].partition("|")[0].strip() for line in tex.splitlines() if MARK in line]


@pytest.mark.sample(5)
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", ADDED)
def test_masks_and_biases_that_words_do_not_tell_are_given(name: str, template: str) -> None:
    keys, wanted = ADDED[name]
    given = told(questions(solved(**QKV, **keys).to_latex(template)))
    assert {"Q", "K", "V"} | wanted == set(given)


@pytest.mark.parametrize("template", ["article", *TEMPLATES])
def test_the_head_of_a_batch_tells_the_mask_of_all_its_sequences(template: str) -> None:
    result = solved(**BATCH, mask={"length": [2, 3]})
    words = "of the sequences in their order only the first 2, 3 keys are there"
    assert result.to_latex(template).count(words) == 1
    convention = result.as_json()["convention"]
    assert isinstance(convention, dict)
    assert words in convention["mask"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_batch_gives_each_matrix_once_under_its_sequence(template: str) -> None:
    result = solved(**BATCH, mask={"keep": [[[1, 1, 0]], [[1, 1, 1]]]}, bias={"add": [[0, 1, 2]]})
    given = questions(result.to_latex(template))
    assert told(given) == ["X", "M", "X", "M", "W_Q", "W_K", "W_V", "B"]
    found = re.findall(r"Sequence \d:|All sequences:|symattn: \w+", given)
    assert [item for item in found if item.endswith(":")] == ["Sequence 1:", "Sequence 2:", "All sequences:"]
    assert found[:2] == ["Sequence 1:", "symattn: X"]


def test_a_question_in_words_is_answered_once_for_a_batch() -> None:
    parts = [{"asks": "prose", "answer": "Once."}, {"asks": ["map", "prose"], "answer": "Alone."}]
    result = solved(**{**BATCH, "parts": parts})
    labels = [section.label for section in result.document().sections]
    tex = result.to_latex()
    assert (labels, tex.count("Once."), tex.count("Alone.")) == (["a", "b1", "b2"], 1, 1)
    assert all(finding.proved for finding in result.read_back(tex))


@pytest.mark.parametrize(("tokens", "axes"), [("rows", "(b, l, d) = (2, 3, 2)"), ("columns", "(b, d, l) = (2, 2, 3)")])
def test_the_axes_of_a_batch_are_those_of_its_matrices(tokens: str, axes: str) -> None:
    turned = [[list(row) for row in zip(*matrix, strict=True)] for matrix in BATCH["X"]]
    inputs = {**BATCH, "X": BATCH["X"] if tokens == "rows" else turned}
    assert axes in solved(**inputs, tokens=tokens).to_latex("sheet")


@pytest.mark.sample(5)
@pytest.mark.parametrize("detail", ["full", "every-product"])
@pytest.mark.parametrize("policy", [{}, {"steps": "all", "places": 2}])
@pytest.mark.parametrize(("tokens", "projection"), [("columns", "W x"), ("rows", "W^T x"), ("rows", "X W")])
def test_projections_with_a_bias_are_worked_out(
    tokens: str, projection: str, policy: dict[str, Any], detail: Any
) -> None:
    """Numbers stand between the definition and the value; and every entry where every product is asked for."""
    bias = {"b_Q": ["-0.25", -1], "b_K": [1, "1/3"]}
    result = solved(X=[[1, 2], [3, 1]], **SELF, **bias, tokens=tokens, projection=projection, rounding=policy)
    statements = result.document(detail).ledger.statements
    lines = [item for item in statements if re.fullmatch("[qk]_[12]", item.note.partition(" ")[0])]
    whole = [item for item in statements if item.note.partition(" ")[0] in {"Q", "K"}]
    worked = lines if projection != "X W" else [item for item in whole if len(item.sides) > 2]
    assert worked
    assert all(any(isinstance(node, t.Matrix) for node in walk(item.sides[2])) for item in worked)
    entries = [item for item in statements if item.note.startswith(("Q_", "K_"))]
    assert bool(entries) == (projection == "X W" or detail == "every-product")


@pytest.mark.parametrize("steps", ["end", "all"])
@pytest.mark.parametrize("keys", [{}, {"heads": 2, "W_S": [[2]]}])
def test_general_scores_show_how_queries_are_mapped(steps: str, keys: dict[str, Any]) -> None:
    tables = {**QKV, "score": "general", "W_S": [[1, 2], [0, -1]], **keys, "rounding": {"steps": steps}}
    notes = [item.note.partition(" ")[0] for item in solved(**tables).document("every-product").ledger.statements]
    mapped = [note for note in notes if re.fullmatch(r"G(\^\(\(\d\)\))?_\d\d|G_\d\d\^\(?\(?\d\)?\)?", note)]
    assert len(set(mapped)) == 4


SHAPES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "all that is done to scores": (
        {"softcap": 2, "bias": {"add": [[0, 1, 2]]}, "mask": "causal"},
        {"Q", "K", "V", "S", "U", "Gamma", "B", "Theta", "M", "Lambda", "A", "O"},
    ),
    "projected once more": ({"W_O": [[1, 2], [0, 1]]}, {"Q", "K", "V", "S", "U", "A", "C", "O"}),
    "general": ({"score": "general", "W_S": [[1, 2], [0, 1]]}, {"Q", "K", "V", "G", "S", "A", "O"}),
    "two heads": (
        {"heads": 2, "W_O": [[1, 2], [0, 1]]},
        {"Q", "K", "V", "C", "O", *(f"{name}^(({head}))" for name in "QKVSUAH" for head in (1, 2))},
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_matrix_that_is_used_has_its_dimensions(name: str) -> None:
    keys, wanted = SHAPES[name]
    tex = solved(**QKV, **keys, parts=[{"asks": "shapes"}]).to_latex()
    assert {note for note in told(tex.partition("subsection*{(a)")[2]) if "|" not in note} == wanted


SIGNS: dict[str, dict[str, Any]] = {
    "a bias": {"b_Q": ["-0.2", -1], "b_V": [-1, -1]},
    "an output bias": {"W_O": [[1, 0], [0, -1]], "b_O": [-2, "-0.5"]},
    "one entry a key": {"heads": 2, "b_K": [-1, -2]},
}


@pytest.mark.parametrize("name", SIGNS)
def test_no_sign_stands_behind_a_sign_and_no_factor_of_one_before_a_matrix(name: str) -> None:
    result = solved(X=[[1, 2], [3, 1]], **SELF, **SIGNS[name])
    for statement in result.document("every-product").ledger.statements:
        for node in walk(statement.written):
            if isinstance(node, t.Sum):
                assert not any(isinstance(item, t.Negative) for item in node.terms[1:]), statement.note
            if isinstance(node, t.Product) and isinstance(node.factors[-1], t.Matrix):
                assert node.factors[0] != t.Number("1"), statement.note


@pytest.mark.parametrize("scale", ["none", 2])
def test_formulas_in_sentences_are_no_wider_than_a_line(scale: Any) -> None:
    keys = {
        "score": "additive",
        "W_1": [[1, 0], [0, 1]],
        "W_2": [[1, 1], [0, 1]],
        "w_S": [1, "1/2"],
        "softcap": "5/2",
        "bias": {"add": [[0, 1, 0], [1, "1/3", 1]]},
        "parts": [{"asks": "pattern"}],
    }
    document = solved(**QKV, **keys, scale=scale).document()
    assert [item.note for item in document.ledger.statements if width(item.written) > LINE] == []


def leading(blocks: tuple[Block, ...]) -> list[str]:
    return ["\n".join(latex_lines(block.lines)) for block in blocks if block.leads]


def test_what_leads_to_the_next_block_holds_on_to_it() -> None:
    """Heads, and sentences that end in a colon, are never the last line of a page; nor is a solution's title."""
    parts = [{"asks": ["diagram", "pattern"]}, {"asks": "shapes"}]
    result = solved(**QKV, heads=2, mask="causal", parts=parts)
    leads = [source for section in result.document().sections for source in leading(section.blocks)]
    assert leads[:2] == ["Head 1.", "Head 2."]
    tex = result.to_latex("exam")
    for source in leads:
        assert re.search(r"\\symattnwhole\s*" + re.escape(source) + r"\s*\\par}?\\symattnhold", tex), source
    assert r"\textbf{Solution.}}\symattnhold" in tex
    assert "\\begin{center}" not in tex, "it allows a break between a heading and its picture"
    # A colour before its paragraph would be a place to break.
    legend = r"\\par\\nopagebreak\\smallskip\{\\noindent\\symattnsoft"
    (pictures,) = re.findall(rf"\\begin\{{tikzpicture\}}.*{legend}", tex, re.DOTALL)
    assert pictures.count("\\par") == 1, "the legend stays with them"


SHEET_WORDS = {
    "encoder_block": (
        r"$\mathbf{Y}_{1}$ is $\mathbf{N}_{1}$ with each entry multiplied by that of $\gamma_{1}$ and shifted by",
        r"\gamma_{1} = \begin{bmatrix} 1 & 2 \end{bmatrix}",
        r"b_{\mathrm{F1}} = \begin{bmatrix} 0.3 & 0.2 & 0.1 \end{bmatrix}",
        r"before attention and before the network",
        r"$\mathbf{R}_{2}$ is the output of the block.",
    ),
    "decoder_block_german": (
        r"Block 2 geht von $\mathbf{X}_{1}$ aus, das Block 1 ergibt.",
        r"kommen von $\mathbf{X}_{2}$, der Ausgabe des Encoders",
        r"Jedes Token wird vor der Attention normiert",
        r"$\mathbf{R}_{1}$ ist die Ausgabe des Blocks.",
    ),
    "rotary": (r"a pair $(a, b)$ becomes $(a \cos\varphi - b \sin\varphi,",),
    "cached": (r"up to its own, $1 + \cdots + 4$ in all:", r"again, $1^2 + \cdots + 4^2$ in all:"),
    "gradient_german": ("Kopf 2}",),
}
"""What somebody who has a key alone would else have to guess."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SHEET_WORDS)
def test_a_key_says_what_cannot_be_guessed(name: str) -> None:
    tex = solve(Problem.load(SHEETS / f"{name}.toml")).to_latex()
    assert [words for words in SHEET_WORDS[name] if words not in tex] == []


def sheet(name: str) -> Result:
    return solve(Problem.load(SHEETS / f"{name}.toml"))


def test_a_later_block_repeats_no_convention_of_the_first() -> None:
    result, words = sheet("two_blocks_backward"), Problem.load(SHEETS / "two_blocks_backward.toml").words
    tex = result.to_latex()
    assert tex.count("So for every letter with a d before it.") == 1
    assert tex.count(words.say("stack.as_first")) == 1
    assert words.say("stack.as_first") not in sheet("decoder_block_german").to_latex()
    assert tex.count("The softmax runs over each row:") == 1


def test_figures_do_not_count_for_entropies_and_the_key_says_so() -> None:
    tex = sheet("temperature").to_latex()
    assert r"\eta_{1} \approx 1.0202" in tex
    assert "Entropies and total weights are given to 4 decimals." in tex
    assert "Entropies and total weights" not in sheet("two_heads").to_latex()


def test_answers_that_rounding_changes_are_shared_out_evenly_over_tables() -> None:
    """Seven beside each other break as 3 and 4, not as 6 and 1."""
    blocks = [block for section in sheet("six_tokens_every_step").document("full").sections for block in section.blocks]
    widths = [
        len(block.table.header) - 1
        for block in blocks
        if block.table is not None and any("rounded once at the end" in row for row in block.table.rows)
    ]
    assert widths == [1, 3, 4]


@pytest.mark.parametrize(("name", "shown"), [("cosine_batch", "0.446"), ("six_tokens_every_step", "0.4528")])
def test_weights_beside_the_diagram_have_the_places_of_the_sheet(name: str, shown: str) -> None:
    """Those of exact scores need digits that tell them from weights rounded at the steps."""
    result = sheet(name)
    weights = [item for item in result.document("full").ledger.statements if item.note.startswith("A_")]
    beside = [item.sides[-1] for item in weights if item.rounding is not None and item.rounding.places is not None]
    assert t.Number(shown) in beside
    assert {len(side.text.partition(".")[2]) for side in beside if isinstance(side, t.Number)} == {len(shown) - 2}


def test_differences_of_scores_are_not_written_twice() -> None:
    result = sheet("cosine_batch")
    gaps = [item for item in result.document("full").ledger.statements if " - " in item.note]
    assert gaps
    assert [item.note for item in gaps if len(item.sides) > 2] == []
    assert result.to_latex().count("{Lengths of the queries, then of the keys}") == 2


@pytest.mark.parametrize("name", ["backward", "two_heads", "cosine_batch"])
def test_outputs_in_closed_form_show_the_sum_that_they_are(name: str) -> None:
    """Like exponentials are put together in the closed form, which weight each came with is not to be seen in it."""
    shown = [item for item in sheet(name).document("full").ledger.statements if re.match(r"[OH]_\d\d", item.note)]
    closed = [item for item in shown if any(isinstance(side, t.Division) for side in item.sides)]
    assert closed
    assert [item.note for item in closed if not isinstance(item.sides[1], t.Sum)] == []


def test_a_table_headed_by_entries_is_no_matrix_of_its_shape() -> None:
    """Five answers before and after rounding look like the five outputs of two features, and are others."""
    result = sheet("course_names_french")
    bare = re.sub(r"(?<!\\)%.*", "", result.to_latex(detail="brief"))
    assert "lccccc" in bare
    assert sa.check(result.problem, bare, strict=True).counts["wrong"] == 0
