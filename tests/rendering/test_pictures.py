"""Pictures of attention maps: in TeX, where `check` reads their numbers back, and as SVG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.rendering.latex.typesetting import MARK
from symattn.rendering.latex.widths import width
from tests.cli.runner import refused, run
from tests.rendering.keys import EXAMPLES, example

SVG = "{http://www.w3.org/2000/svg}"
GIVEN = {"Q": [[1, 0], [0, 2]], "K": [[1, 0], [0, 1]], "V": [[1], [2]], "scale": "none"}


def drawn(result: sa.Result, only: str = "") -> dict[str, list[ET.Element]]:
    """Returns the pictures of an SVG text by their class."""
    found: dict[str, list[ET.Element]] = {}
    for picture in ET.fromstring(result.to_svg(only)).findall(f"{SVG}svg"):  # noqa: S314 - our own text
        found.setdefault(picture.get("class", ""), []).append(picture)
    return found


def texts(picture: ET.Element) -> list[str]:
    return [item.text or "" for item in picture.findall(f"{SVG}text")]


def verdicts(result: sa.Result, tex: str) -> list[dict[str, Any]]:
    report: Any = sa.check(result.problem, tex).as_json()
    return list(report["statements"])


def cells(tex: str) -> list[str]:
    return re.findall(r"\\symattn(?:heat|seen)\{([^{}]*)\}", tex.partition(r"\begin{document}")[2])


def test_the_key_shows_a_heat_map_of_weights_and_mask_beside_the_diagram() -> None:
    result = example("causal_two_heads")
    weights = [value for head in result.heads for row in head.A.rounded(2) for value in row]
    assert cells(result.to_latex()) == [*weights, *["0"] * 6]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["causal_two_heads", "ps4_self_attention", "nyu_columns"])
def test_numbers_of_heat_maps_are_read_back(name: str) -> None:
    result = example(name)
    tex = result.to_latex()
    lines = [number for number, line in enumerate(tex.split("\n"), 1) if "\\symattnheat" in line and MARK in line]
    findings = {finding.marked.line: finding for finding in result.read_back(tex)}
    assert lines
    assert all(findings[number].proved for number in lines)
    bare = re.sub(f"{MARK}.*", "", tex)
    judged = [item for item in verdicts(result, bare) if item["line"] in lines]
    assert judged
    assert {item["verdict"] for item in judged} <= {"right", "rounded", "carried"}


def test_a_changed_number_of_a_heat_map_is_found() -> None:
    result = example("ps4_self_attention")
    tex = result.to_latex().replace("\\symattnheat{0.38}", "\\symattnheat{0.39}")
    (refused,) = [finding for finding in result.read_back(tex) if not finding.proved]
    line = tex.split("\n")[refused.marked.line - 1]
    assert all("0.39" in line[low - 1 : high] for low, high in refused.places)
    assert "wrong" in {item["verdict"] for item in verdicts(result, tex)}


@pytest.mark.parametrize(("keys", "places"), [(2, 2), (2, 9), (7, 4), (8, 6), (8, 9)])
def test_cells_of_a_heat_map_are_as_wide_as_their_numbers(keys: int, places: int) -> None:
    result = sa.attention(Q=[[1]], K=[[n] for n in range(keys)], V=[[1]] * keys, rounding={"places": places})
    tex = result.to_latex()
    widths = [float(found) for found in re.findall(r"\\def\\symattncell\{(\d+)pt\}", tex)]
    needed = width(t.Number(f"0.{'3' * places}"))
    assert bool(widths) == bool(cells(tex)) == (keys * needed < 380)
    assert all(needed + 4 <= cell <= 420 / keys for cell in widths)


def test_hidden_keys_have_cells_of_the_same_width() -> None:
    tex = sa.attention(Q=[[1], [2]], K=[[1], [0], [2]], V=[[1], [2], [3]], mask={"length": 1}).to_latex()
    assert tex.count("\\symattnhidden{-\\infty}") == 4


def test_a_large_map_has_cells_without_numbers() -> None:
    many = [[row, row % 3] for row in range(12)]
    result = sa.attention(Q=many, K=many, V=many, parts=[{"asks": "diagram"}])
    tex = result.to_latex()
    assert tex.count("\\filldraw[") == 144
    assert not cells(tex)
    (heat,) = drawn(result)["symattn-heatmap"]
    assert len(heat.findall(f"{SVG}rect")) == 144


def test_svg_holds_the_numbers_of_the_key_and_says_them_in_words() -> None:
    found = drawn(example("causal_two_heads"))
    assert {kind: len(pictures) for kind, pictures in found.items()} == {
        "symattn-diagram": 2, "symattn-heatmap": 2, "symattn-mask": 1,
    }  # fmt: skip
    weights = [value for row in example("causal_two_heads").heads[1].A.rounded(2) for value in row]
    second = found["symattn-heatmap"][1]
    assert [text for text in texts(second) if "." in text] == weights
    described = second.findtext(f"{SVG}desc") or ""
    assert described == "row 1: 1.00 0.00 0.00; row 2: 0.50 0.50 0.00; row 3: 0.40 0.40 0.20."
    assert texts(found["symattn-mask"][0]).count("−∞") == 3
    lines = found["symattn-diagram"][1].findtext(f"{SVG}desc")
    assert lines == "output 1: input 1; output 2: inputs 1, 2; output 3: inputs 1, 2; second for output 3: input 3."


def test_svg_speaks_the_language_of_the_sheet() -> None:
    found = drawn(sa.attention(**GIVEN, mask="causal", language="de"))
    assert (
        found["symattn-diagram"][0].findtext(f"{SVG}desc")
        == "Ausgabe 1: Eingabe 1; Ausgabe 2: Eingabe 2; zweite für Ausgabe 2: Eingabe 1."
    )
    assert found["symattn-mask"][0].findtext(f"{SVG}title") == "Heatmap: Maske"


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
@pytest.mark.parametrize("places", [2, 4, 9])
def test_words_and_numbers_fit_where_they_stand(language: str, places: int) -> None:
    """A letter of a wide font of the page's size, 14, takes 9 pixels."""
    keys = [[number, 1] for number in range(11)]
    found = drawn(sa.attention(Q=[[1, 0]], K=keys, V=keys, language=language, rounding={"places": places}))
    for picture in [*found["symattn-diagram"], *found["symattn-heatmap"]]:
        for item in picture.findall(f"{SVG}text"):
            wide = 9 * len(item.text or "")
            before = {"start": 0.0, "middle": wide / 2, "end": float(wide)}[item.get("text-anchor", "")]
            left = float(item.get("x", "")) - before
            assert left >= 0 or item.get("text-anchor") == "middle"
            assert left + wide <= float(picture.get("width", "")) or item.get("text-anchor") == "middle"
    for picture in found["symattn-heatmap"]:
        widths = {float(cell.get("width", "")) for cell in picture.findall(f"{SVG}rect")}
        numbers = [text for text in texts(picture) if "." in text]
        assert not numbers or min(widths) >= 9 * max(map(len, numbers))


def test_svg_takes_colours_and_fonts_of_the_page() -> None:
    text = example("causal_two_heads").to_svg()
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', text)) == {"currentColor", "none"}
    assert "font-family" not in text
    opacities = [float(value) for value in re.findall(r'fill-opacity="([^"]*)"', text)]
    assert 0 <= min(opacities) < max(opacities) <= 0.4  # a number on the darkest cell keeps its contrast


def test_lines_are_as_thick_as_weights_are_large_where_the_sheet_says_so() -> None:
    widths = {}
    for choice in ("equal", "weight"):
        result = sa.attention(**GIVEN, diagram_widths=choice, parts=[{"asks": "diagram"}])
        tex = result.to_latex()
        drawn_in_tex = re.findall(r"line width=([0-9.]+)pt", tex)
        drawn_in_svg = re.findall(r'stroke-width="([0-9.]+)"', result.to_svg("diagram"))
        widths[choice] = len(set(drawn_in_tex)), len(set(drawn_in_svg))
        assert all(finding.proved for finding in result.read_back(tex))
    assert widths == {"equal": (0, 1), "weight": (4, 4)}


def test_one_kind_alone() -> None:
    assert set(drawn(sa.attention(**GIVEN, mask="causal"), "mask")) == {"symattn-mask"}


@pytest.mark.parametrize(
    ("only", "keys", "said"),
    [
        ("mask", GIVEN, "no mask"),
        ("cat", GIVEN, "Unknown picture 'cat'"),
        ("", {**GIVEN, "Q": [["a", 0], [0, 1]], "symbols": {"a": "real"}}, "no weights to draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused(only: str, keys: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sa.attention(**keys).to_svg(only)


def test_the_command_writes_pictures(tmp_path: Path) -> None:
    target = tmp_path / "map.svg"
    assert run("solve", EXAMPLES / "ps4_self_attention.toml", "-o", target, "--only", "heatmap").status == 0
    assert target.read_text(encoding="utf-8").count("<svg") == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "map.svg", "--only", "A"), "take diagram, heatmap or mask"),
        (("-o", "map.svg", "--pdf"), "leave --pdf out"),
        (("-o", "map.csv", "--only", "mask"), "take A, O or Y"),
        (("--only", "mask"), "name a .svg file"),
    ],
)
def test_options_that_do_not_go_with_a_picture_are_refused(options: tuple[str, ...], said: str) -> None:
    refused(run("solve", EXAMPLES / "ps4_self_attention.toml", *options), said)
