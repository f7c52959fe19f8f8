"""The cause that is named for a false link of a proof is the slip that it commits, or none is named."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.notation.documents.reader import read_work
from symattn.notation.writers.latex import write_latex
from symattn.proofs.catalogue.authoring.theorem import Falsehood
from symattn.proofs.catalogue.registry import theorem, theorems
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.submissions.verdicts.judge import JudgedLink, judge_work
from symattn.proofs.submissions.verdicts.mistakes import SLIPS
from tests import tables

pytestmark = pytest.mark.unmeasured

DATA = tables.read("data/proof_slips.yaml")
LINKS: list[dict[str, Any]] = DATA["links"]


def judged(name: str, words: str, formula: str) -> JudgedLink:
    found = judge_work(read_work(f"{words}\n\n$${formula}$$", "md"), theorem(name))
    return [item for item in found if item.verdict != "unchecked" or item.explanation][-1]


@pytest.mark.sample(4)
@pytest.mark.parametrize("link", LINKS, ids=[f"{link['theorem']}: {link['formula']}" for link in LINKS])
def test_the_slip_is_the_one_that_was_made(link: dict[str, Any]) -> None:
    found = judged(link["theorem"], DATA["words"].get(link.get("words"), ""), link["formula"])
    assert (found.verdict, found.slip and found.slip.code) == ("wrong", link["slip"])
    assert "the left side is" in found.explanation
    assert found.example is not None


def test_every_slip_has_a_work_and_a_near_neighbour() -> None:
    """Behind the works that commit a slip stand those that nearly do, of each slip at least one."""
    codes = [link["slip"] for link in LINKS]
    assert set(SLIPS) == set(codes) - {None}
    for code in SLIPS:
        first = codes.index(code)
        assert any(other != code for other in codes[first : first + 14]), code


def falsehoods() -> list[tuple[str, Falsehood]]:
    """Falsehoods of the catalogue in the names of their theorems, as formulas that no theorem claims."""
    return [
        (name, item)
        for name, entry in theorems().items()
        for item in entry.falsehoods
        if item.scope is None
        and not {"E", "det", "diff"} & {item.left.partition("(")[0]}
        and all((item.left, item.right) != (claim.left, claim.right) for claim in entry.build(entry.values({})).claims)
    ]


@pytest.mark.parametrize(("name", "item"), falsehoods(), ids=[f"{name}: {item.says}" for name, item in falsehoods()])
def test_a_falsehood_of_the_catalogue_is_named_by_its_own_words_alone(name: str, item: Falsehood) -> None:
    scope = theorem(name).build(theorem(name).values({})).scope
    left, right = (write_latex(read_text(text, scope)) for text in (item.left, item.right))
    found = judge_work(read_work(f"$${left} {item.relation} {right}$$", "md"), theorem(name), is_given=True)[-1]
    assert (found.verdict, found.slip and found.slip.code) == ("wrong", "catalogue")
    assert found.slip is not None
    assert item.says in found.slip.text
    near = judge_work(read_work(f"$${left} {item.relation} 3({right})$$", "md"), theorem(name), is_given=True)[-1]
    assert near.slip is None or near.slip.code != "catalogue"
