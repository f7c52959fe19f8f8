"""The benchmarks run at sizes that tell nothing; no time is asserted, the figures themselves are read by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import peers
from tests.benchmarks.cases import cases, certified
from tests.benchmarks.data import layer
from tests.benchmarks.results import Result
from tests.benchmarks.timing import Times

pytestmark = pytest.mark.unmeasured


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the processor time of a child")
@pytest.mark.parametrize(("only", "pictures"), [("key", 0), pytest.param("", 12, marks=pytest.mark.long)])
def test_all_of_it_runs(only: str, pictures: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, slower = benchmarks.main(["--quick", "--only", only, "-o", str(tmp_path / "out")])
    assert not slower
    names = [result.name for result in found]
    assert len(set(names)) == len(names)
    assert all(result.value is not None or result.missing for result in found)
    assert capsys.readouterr().out.count(" to reach ") == sum(result.value is not None for result in found)
    record = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [result["name"] for result in record["results"]] == names
    assert "key: the sympy script" in names
    curves = sorted((tmp_path / "out").glob("*.svg"))
    assert len(curves) == pictures
    assert all(ET.parse(curve).getroot().tag.endswith("svg") for curve in curves)  # noqa: S314 - written just now


def test_the_loop_over_arb_makes_the_same_texts() -> None:
    made = layer(6)
    rows = certified(made, 15)
    weights, outputs = peers.arb_layer(made, 15)
    assert rows == list(zip(weights, outputs, strict=True))


def test_names_are_unique() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names)


def test_what_is_missing_is_never_met() -> None:
    assert Result("a", "a", "typer", None, 0.5, missing="typer").word == "not measured"
    assert "not met" in Result("a", "a", "typer", None, 0.5, missing="typer").line({})
    assert [Result("a", "a", "b", value, 1).word for value in (1, 1.05, 1.2)] == ["met", "met within noise", "missed"]
    assert "slower" in Result("a", "a", "b", 2, 1).line({"a": 1})


def test_median_and_spread() -> None:
    assert Times((1, 2, 3, 4, 5)).median == 3
    assert Times((1, 2, 3, 4, 5)).spread == pytest.approx(1 / 3)
    assert Times((1,)).spread == 0


def test_stored_ratios_of_other_rows_are_kept(tmp_path: Path) -> None:
    stored = tmp_path / "baseline.json"
    stored.write_text(json.dumps({"layer-64-15: mpmath": 0.5}))
    benchmarks.main(["--quick", "--only", "growth-d", "--update-baseline"], stored)
    kept = json.loads(stored.read_text())
    assert kept.pop("layer-64-15: mpmath") == 0.5
    assert set(kept) == {"growth-d", "growth-denominators", "growth-digits"}


def test_quick_ratios_are_never_stored(capsys: pytest.CaptureFixture[str]) -> None:
    before = benchmarks.BASELINE.read_bytes()
    with pytest.raises(SystemExit):
        benchmarks.main(["--quick", "--only", "growth-d", "--update-baseline"])
    assert "leave it out" in capsys.readouterr().err
    assert benchmarks.BASELINE.read_bytes() == before


def test_the_check_fails_where_a_ratio_has_grown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = tmp_path / "baseline.json"
    arguments = ["--quick", "--only", "growth-d"]
    benchmarks.main([*arguments, "--update-baseline"], stored)
    (name, ratio), *_ = json.loads(stored.read_text()).items()
    for kept, slower in ((100 * ratio, []), (ratio / 100, [name])):
        stored.write_text(json.dumps({name: kept}))
        assert [result.name for result in benchmarks.main([*arguments, "--check"], stored)[1]] == slower
        assert f"1 compared with the baseline, {len(slower)} slower by more than 25%" in capsys.readouterr().out
