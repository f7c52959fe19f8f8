"""``symattn prove``, ``theorems`` and ``replay``: what they print, what they refuse, how they end."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.api import proofs
from symattn.errors import InputError, UnprovedError
from symattn.problem.model import Problem
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.registry import THEOREMS, theorem
from symattn.proofs.kernel.record import Check, Proof
from symattn.proofs.proof_replay import Replayed
from symattn.proofs.proof_replay import replay as replay_proof
from symattn.rendering.proofs.page import proof_page
from tests.cli.runner import refused, run

NAME = "dot-product-mean"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def record() -> Record:
    """What ``prove --json`` prints, without the digest, which would refuse every change by itself."""
    outcome = run("prove", NAME, "--json")
    assert outcome.status == 0
    found = json.loads(outcome.out)
    assert isinstance(found, dict)
    del found["digest"]
    return found


# From Python ---------------------------------------------------------------------------------------


def test_prove_gives_a_derivation_like_that_of_a_solved_problem() -> None:
    proved = sa.prove(NAME, mu=Fraction(1, 2))
    solved = sa.attention(Q=[[1]], K=[[2]], V=[[3]], scale="none").derivation
    for derivation in (proved, solved):
        assert isinstance(derivation, sa.Derivation)
        assert derivation.is_proved
        assert derivation.steps
        json.dumps(derivation.as_json())
    assert "mu" not in proved.proof.conclusion[0]
    assert proved.replay().is_proved
    assert proved._repr_latex_().startswith("$\\displaystyle")


def test_theorems_are_listed_by_name() -> None:
    assert NAME in sa.theorems()
    assert sa.theorems()[NAME].parameters[0].name == "mu"


@pytest.mark.parametrize("value", [[1, "ln 2", Fraction(1, 2)], (1, "ln 2", "0.5"), "1, ln 2, 1/2"])
def test_lists_are_given_as_lists_or_as_text(value: Any) -> None:
    proved = sa.prove("softmax-is-a-distribution", z=value)
    assert proved.values["z"] == "1, ln 2, 1/2"
    assert "Here $z" not in proved.to_latex()
    assert "for the scores 1, ln 2, 1/2" in proved.instance[0].text


def test_lists_in_a_problem_file() -> None:
    part = {"asks": "prove:positional-rotation", "set": {"q": [1, "1/2"], "k": ["0.5", 3]}, "instance": True}
    (item,) = proofs.part_proofs(Problem.build(parts=[part]))
    assert [row[0] for row in item.instance if "$q$ = ($1$, $1/2$)" in row[0]]
    refused_part = {**part, "set": {"q": []}}
    with pytest.raises(InputError, match=r"set\.q"):
        Problem.build(parts=[refused_part])


def test_every_parameter_that_is_a_list_can_be_printed() -> None:
    lists = [
        (name, item.name) for name, entry in sa.theorems().items() for item in entry.parameters if item.kind == "list"
    ]
    assert len(lists) >= 5
    for name, parameter in lists:
        entry = theorem(name)
        chosen = "3, -1/2" if parameter in {"q", "k"} else "3, 1, 0"
        proof = entry.build(entry.values({parameter: chosen}))
        assert proof_page(replace(proof, parameters=((parameter, chosen),)), Replayed((), ())).to_latex()


WORKED = [(name, item) for name, entry in sa.theorems().items() for item in entry.parameters if item.worked]


@pytest.mark.unmeasured
def test_what_the_worked_case_takes_does_not_stand_above_a_statement_without_it() -> None:
    assert len(WORKED) > 15
    for name, item in WORKED:
        entry = theorem(name)
        own = {"count": "7", "list": "5, 3"}.get(item.kind, "1/7")
        values = entry.values({item.name: own})
        plain, chosen = entry.build(entry.values({})), entry.build(values)
        assert replace(chosen, parameters=()) == replace(plain, parameters=()), (name, item.name)
    assert "s = 7" not in sa.prove("two-heads", s=7).to_latex()


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("layer-norm", "eps=-1"), ("layer-norm", "eps=-2"), ("positional-rotation", "q=1,2,3"),
        ("gaussian-keys", "eta=1/2"), ("gaussian-keys-long", "alpha=-1"), ("two-heads", "n=1"),
        ("softmax-is-a-distribution", "z=" + "1," * 12 + "1"),
    ],
)  # fmt: skip
def test_what_cannot_be_worked_out_is_refused(name: str, setting: str) -> None:
    parameter = setting.partition("=")[0]
    refused(run("prove", name, "--set", setting, "--instance"), parameter if parameter != "z" else "scores")


def test_the_features_may_be_equal_with_a_positive_eps() -> None:
    assert [line.exact for line in sa.prove("layer-norm", x=[2, 2], eps="1/4").instance] == ["0", "0"]


def test_a_list_is_no_number() -> None:
    with pytest.raises(InputError, match="not a list"):
        sa.prove(NAME, D=[3])
    with pytest.raises(InputError, match="binary float"):
        sa.prove("softmax-jacobian", z=[0.5, 1])


def test_a_hypothesis_is_dropped_from_python_too() -> None:
    for name, entry in sa.theorems().items():
        for word, _ in entry.without[:1]:
            found = sa.prove(name, without=word)
            assert found.refuted.sides.stands is False
            assert len(repr(found)) < 300
    with pytest.raises(InputError, match="independence"):
        sa.prove(NAME, without="the mean")


def test_a_float_is_refused_with_its_remedy() -> None:
    with pytest.raises(InputError, match="binary float"):
        sa.prove(NAME, mu=0.1)


def test_an_unproved_step_of_our_own_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = theorem(NAME)

    def spoilt(values: Any) -> Any:
        proof = entry.build(values)
        return replace(proof, steps=(replace(proof.steps[0], rule="algebra", hypotheses=("H1",)), *proof.steps[1:]))

    monkeypatch.setattr(proofs.derivations, "theorem", lambda _: replace(entry, build=spoilt))
    with pytest.raises(UnprovedError) as caught:
        sa.prove(NAME)
    assert caught.value.exit_status == 4


def test_a_check_that_disagrees_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs.instances, "check_claims", lambda _: (Check("C1: a sum", "1 and 2", agrees=False),))
    outcome = run("prove", NAME)
    assert outcome.status == 4
    assert outcome.out == ""
    assert "does not agree" in outcome.err


def test_a_counterexample_that_refutes_nothing_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs.counterexamples, "refuted", lambda *_: None)
    outcome = run("prove", NAME, "--without", "independence")
    assert (outcome.status, outcome.out) == (4, "")


# Proving -------------------------------------------------------------------------------------------


def test_prove_prints_latex() -> None:
    outcome = run("prove", NAME, "--set", "mu=0")
    assert outcome.status == 0
    assert r"\documentclass" in outcome.out
    assert r"$\mu = 0$" in outcome.out


def test_the_record_has_what_is_promised(record: Record) -> None:
    for key in ("format", "name", "parameters", "statement", "hypotheses", "steps", "conclusion", "checks"):
        assert key in record
    for step in record["steps"]:
        assert {"id", "rule", "arguments", "premises", "before", "after", "hypotheses", "proved", "cites"} <= set(step)
        assert step["proved"] is True
    assert record["format"] == 1
    assert record["conclusion"] == ["E(q^T k) = D mu^2"]
    assert all(check["agrees"] for check in record["checks"])


def test_prove_writes_files(tmp_path: Path) -> None:
    for name in ("proof.tex", "proof.json"):
        outcome = run("prove", NAME, "-o", tmp_path / name)
        assert (outcome.status, outcome.out) == (0, "")
        assert (tmp_path / name).stat().st_size > 500
    assert run("replay", tmp_path / "proof.json").status == 0


@pytest.mark.tex
def test_proofs_and_counterexamples_are_web_pages(tmp_path: Path) -> None:
    assert run("prove", NAME, "-o", tmp_path / "p.html", "--detail", "brief").status == 0
    assert (tmp_path / "p.html").read_text("utf-8") == sa.prove(NAME).to_html("brief")
    assert run("prove", NAME, "--without", "independence", "-o", tmp_path / "c.html").status == 3
    page = (tmp_path / "c.html").read_text("utf-8")
    assert page == sa.prove(NAME, without="independence").to_html()
    assert "is false" in page


def test_prove_makes_a_pdf(tmp_path: Path) -> None:
    assert run("prove", NAME, "-o", tmp_path / "proof.pdf", "--detail", "brief").status == 0
    assert (tmp_path / "proof.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "proof.tex").exists()


def test_without_a_hypothesis_there_is_a_counterexample() -> None:
    outcome = run("prove", NAME, "--without", "independence", "--json")
    assert outcome.status == 3
    found = json.loads(outcome.out)["counterexample"]
    assert found["left"] != found["right"]
    assert found["broken_hypotheses"]
    page = run("prove", NAME, "--without", "independence")
    assert page.status == 3
    assert r"\documentclass" in page.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dot-product-meen"], ["dot-product-mean", "symattn theorems"]),
        ([NAME, "--set", "nu=1"], ["nu", "mu"]),
        ([NAME, "--set", "mu"], ["--set"]),
        ([NAME, "--set", "mu="], ["--set"]),
        ([NAME, "--set", "mu=one"], ["mu", "rational"]),
        ([NAME, "--set", "mu=1", "--set", "mu=2"], ["twice"]),
        ([NAME, "--set", "mu=1/0"], ["mu"]),
        ([NAME, "--set", "mu=1e999999999"], ["mu"]),
        ([NAME, "--without", "everything"], ["independence"]),
        ([NAME, "--without", "independence", "--set", "mu=7"], ["mu"]),
        ([NAME, "-o", "proof.docx"], [".docx"]),
        ([NAME, "-o", "nowhere/proof.tex"], ["nowhere"]),
        ([NAME, "--pdf", "-o", "-"], ["standard output"]),
        ([NAME, "--pdf", "-o", "proof.html"], ["web page", "--pdf"]),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], words: list[str]) -> None:
    refused(run("prove", *arguments), *words)


@pytest.mark.parametrize(
    "arguments",
    [
        [NAME, "--json", "-o", "x.tex"],
        [NAME, "--without", "independence", "--instance"],
        [NAME, "--detail", "long"],
        [],
    ],
)
def test_usage_ends_with_two(arguments: list[str]) -> None:
    outcome = run("prove", *arguments)
    assert (outcome.status, outcome.out) == (2, "")


@pytest.mark.parametrize("entry", THEOREMS, ids=lambda entry: entry.name)
def test_no_setting_is_without_effect(entry: Theorem) -> None:
    """A parameter changes statement or proof, or is refused where it has no place."""
    plain = replace(entry.build(entry.values({})), parameters=())
    for parameter in entry.parameters:
        tried = parameter.choices or {"count": ("3",), "rational": ("1/2", "3"), "list": ("1, 0",)}[parameter.kind]
        for value in set(tried) - {parameter.default}:
            if parameter.worked:
                outcome = run("prove", entry.name, "--set", f"{parameter.name}={value}")
                assert (outcome.status, outcome.out) == (2, "")
                assert f"--set {parameter.name} is for the example in numbers alone" in outcome.err
                continue
            built = _built(entry, {parameter.name: value})
            assert "has no place" in built if isinstance(built, str) else built != plain


def _built(entry: Theorem, given: dict[str, str]) -> Proof | str:
    """The proof without its parameters, or why the values are refused."""
    try:
        return replace(entry.build(entry.values(given)), parameters=())
    except InputError as error:
        return str(error)


# Listing -------------------------------------------------------------------------------------------


def test_theorems_stand_under_their_groups() -> None:
    outcome = run("theorems")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "moments"
    (line,) = [line for line in lines if line.split()[:1] == [NAME]]
    assert "mu" in line
    assert "independence" in line


def test_theorems_for_machines() -> None:
    found = json.loads(run("theorems", "--json").out)
    names = [item["name"] for item in found["theorems"]]
    assert found["format"] == 1
    assert len(names) == len(set(names))
    assert NAME in names


# Replaying -----------------------------------------------------------------------------------------


def replayed(record: object, *more: str) -> Any:
    return run("replay", "-", *more, stdin=json.dumps(record))


def test_a_record_is_replayed(record: Record) -> None:
    outcome = replayed(record)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{NAME}: 5 steps and 1 claim recomputed")
    found = json.loads(replayed(record, "--json").out)
    assert found["proved"] is True
    assert found["catalogue"] is True
    assert [step["proved"] for step in found["steps"]] == [True] * 5


def test_what_a_record_says_of_itself_is_not_believed(record: Record) -> None:
    changed = copy.deepcopy(record)
    for step in changed["steps"]:
        step["proved"], step["cites"] = False, ["something"]
    assert replayed(changed).status == 0
    changed["steps"][3]["after"] = "sum_{i=1}^{D} (2 mu)^2"
    changed["steps"][3]["proved"] = True
    assert replayed(changed).status == 1


def _rule(record: Record) -> None:
    record["steps"][2]["rule"] = "linearity of expectation"


def _no_hypothesis(record: Record) -> None:
    record["steps"][2]["hypotheses"] = []


def _conclusion(record: Record) -> None:
    record["claims"][0]["right"] = record["claims"][0]["right"].replace("D", "2 D")
    record["steps"][4]["after"] = record["steps"][4]["after"].replace("D", "2 D")
    record["conclusion"] = [record["conclusion"][0].replace("= D", "= 2 D")]


def _weaker_claim(record: Record) -> None:
    record["claims"][0].update(left="D", right="D", steps=["6"])
    record["steps"].append({**record["steps"][4], "id": "6", "rule": "algebra", "before": "D", "after": "D"})
    record["conclusion"] = ["D = D"]


def _statement(record: Record) -> None:
    record["statement"] = "Every mean is 7."


def _more_hypotheses(record: Record) -> None:
    extra = {"id": "H3", "text": "$mu = 0$", "kind": "equal", "about": ["mu"], "values": ["0"]}
    record["hypotheses"].append(extra)


def _names(record: Record) -> None:
    record["names"]["declared"][0]["sign"] = "real"


def _parameters(record: Record) -> None:
    record["parameters"] = {"mu": "0"}


def _no_such_parameter(record: Record) -> None:
    record["parameters"] = {"nu": "0"}


def _no_claims(record: Record) -> None:
    record["claims"], record["conclusion"] = [], []


def _premise(record: Record) -> None:
    record["steps"][0]["premises"] = ["99"]


@pytest.mark.parametrize(
    "change",
    [
        _rule, _no_hypothesis, _conclusion, _weaker_claim, _statement, _more_hypotheses, _names, _parameters,
        _no_such_parameter, _no_claims, _premise,
    ],
)  # fmt: skip
def test_a_changed_record_is_refused(record: Record, change: Callable[[Record], None]) -> None:
    changed = copy.deepcopy(record)
    change(changed)
    outcome = replayed(changed)
    assert outcome.status == 1, outcome
    (line,) = outcome.out.splitlines()
    assert line.startswith("refused: ")
    assert line.endswith(".")
    found = replayed(changed, "--json")
    assert found.status == 1
    assert json.loads(found.out)["proved"] is False


@pytest.fixture(scope="module")
def whole_record() -> Record:
    """A record with everything that one can have but the digest."""
    found = json.loads(json.dumps(sa.prove(NAME, D=4).as_json()))
    assert isinstance(found, dict)
    del found["digest"]
    return found


def _places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every text, number and truth value of a record."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(item, (*path, key))
    else:
        yield path


def _is_left_alone(path: tuple[Any, ...]) -> bool:
    """What a step says of itself, its words, and the versions; under another name a theorem stands for itself."""
    return (
        path == ("name",) or path[0] == "versions" or (path[0] == "steps" and path[2] in {"words", "proved", "cites"})
    )


def test_no_part_of_a_record_can_be_changed(whole_record: Record) -> None:
    """One place of each kind: everything that a reader could take for true is worked out again or compared."""
    kinds = {tuple(key for key in path if isinstance(key, str)): path for path in _places(whole_record)}
    assert len(kinds) > 30
    for path in kinds.values():
        changed = copy.deepcopy(whole_record)
        here: Any = changed
        for key in path[:-1]:
            here = here[key]
        old = here[path[-1]]
        here[path[-1]] = (not old) if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old}1"
        try:
            accepted = proofs.replay_record(changed).is_proved
        except InputError:
            accepted = False
        assert accepted == _is_left_alone(path), path


def test_a_worked_case_is_worked_out_again() -> None:
    whole = json.loads(json.dumps(sa.prove("dot-product-variance", mu=0).as_json(instance=True)))
    assert proofs.replay_record(whole).is_proved
    for key in ("text", "exact", "digits"):
        changed = copy.deepcopy(whole)
        changed["instance"][-1][key] += "1"
        assert "instance" in proofs.replay_record(changed).reason


@pytest.mark.parametrize("key", ["falsehoods", "checks", "cites", "claims", "conclusion"])
def test_nothing_is_taken_out_of_a_record(whole_record: Record, key: str) -> None:
    changed = {**whole_record, key: whole_record[key][:-1] if whole_record[key] else [{}]}
    assert replayed(changed).status == 1
    if key in {"falsehoods", "cites"}:
        del changed[key]
        assert replayed(changed).status == 1


def test_a_theorem_that_the_catalogue_does_not_have_stands_for_itself(record: Record) -> None:
    outcome = replayed({**record, "name": "my-own"})
    assert outcome.status == 0
    assert "its own" in outcome.out
    assert json.loads(replayed({**record, "name": "my-own"}, "--json").out)["catalogue"] is False


def test_the_steps_of_a_solved_problem_are_replayed() -> None:
    steps = json.loads(json.dumps(sa.attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [3]]).derivation.as_json()))
    assert replayed(steps).status == 0
    steps[-1]["after"] = [["7"]]
    assert replayed(steps).status == 1


BROKEN: dict[str, str | bytes] = {
    "nothing": "",
    "no JSON": "{",
    "a number": "7",
    "a text": '"x"',
    "no table": "[1]",
    "another format": '{"format": 2}',
    "nothing in it": "{}",
    "no UTF-8": b"\xff\xfe",
    "a key twice": '{"format": 1, "format": 1}',
    "a constant": '{"format": NaN}',
    "a long number": '{"format": ' + "9" * 10_000 + "}",
    "too deep": "[" * 100_000 + "]" * 100_000,
    "too large": "[" + " " * (proofs.MAX_RECORD + 1) + "]",
    "a step of a solved problem without rows": '[{"id": "S", "rule": "given", "arguments": [], "premises": []}]',
    "pairs that are none": '[{"id": "S", "rule": "x", "arguments": [["a"]], "premises": [], "before": ""}]',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_record_that_cannot_be_read_is_refused(text: str | bytes) -> None:
    refused(run("replay", "-", stdin=text))


@pytest.mark.parametrize(
    "path",
    [("steps", 0, "id"), ("steps", 0, "before"), ("hypotheses", 0, "kind"), ("names", "declared"), ("claims",),
     ("conclusion",), ("statement",), ("steps", 1, "arguments"), ("checks", 0, "agrees")],
)  # fmt: skip
@pytest.mark.parametrize("value", [None, 7, [], {}, "x" * 30_000, [["a"]], True])
def test_a_field_of_another_form_is_refused(record: Record, path: tuple[Any, ...], value: object) -> None:
    changed = copy.deepcopy(record)
    here: Any = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    outcome = replayed(changed)
    assert outcome.status in {1, 2} or (path[-1], value) in [("agrees", True), ("arguments", {})]
    assert "Traceback" not in outcome.err


def test_a_file_that_is_not_there() -> None:
    refused(run("replay", "nowhere.json"), "nowhere.json")


SOME = (("temperature-limits", "C1"), ("temperature-limits", "C14"), ("copy", "C6"), ("key-perturbation", "C1"))


@pytest.mark.parametrize(("name", "claim"), SOME)
def test_some_claims_stand_with_what_they_need_and_no_more(name: str, claim: str) -> None:
    """Hypotheses and abbreviations of other claims are left out, and what stays is proved as it is."""
    (item,) = proofs.part_proofs(Problem.build(parts=[{"asks": f"prove:{name}", "claims": [claim]}]))
    used = {hypothesis for step in item.proof.steps for hypothesis in step.hypotheses}
    assert {hypothesis.id for hypothesis in item.proof.scope.hypotheses} == used
    assert len(item.proof.scope.hypotheses) < len(theorem(name).build(theorem(name).values({})).scope.hypotheses)
    assert len(item.proof.scope.defined) <= len(theorem(name).build(theorem(name).values({})).scope.defined)
    assert replay_proof(item.proof).is_proved
