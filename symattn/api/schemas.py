"""JSON schemas (draft 2020-12) of all outputs for machines, built from one table; each has the number of its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import REVEALS, VERDICTS
from symattn.errors import InputError
from symattn.exact.rounding.floats import FORMATS
from symattn.exact.rounding.quotients import TIES
from symattn.problem.schema.json_schema import DRAFT, json_schema
from symattn.problem.settings.policy import NAMED_STEPS, STEPS
from symattn.problem.text.spelling import unknown
from symattn.proofs.language.scope import Kind, Sign
from symattn.proofs.submissions.verdicts.mistakes import SLIPS
from symattn.records import dataclass

Schema: TypeAlias = dict[str, Any]

PROBLEM = "problem"
"""The name of the schema of problem files."""


def schema(name: str = PROBLEM) -> Schema:
    """Return the schema of problem files, or of an output by the name of its command.

    Raises:
        InputError: an unknown schema.

    >>> schema("compare")["properties"]["format"]
    {'const': 1}
    """
    if name == PROBLEM:
        return json_schema()
    if name not in OUTPUTS:
        raise InputError(f"schema: {unknown('name', name, (PROBLEM, *OUTPUTS))}")
    output = OUTPUTS[name]
    head = {"$schema": DRAFT, "$id": f"urn:symattn:{name}:{output.format}", "title": output.title}
    return {**head, **output.build()}


# Parts of schemas ----------------------------------------------------------------------------------


_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_SWITCH: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "integer", "minimum": 1}
_DIGITS: Schema = {"type": ["integer", "null"], "minimum": 0}


def _table(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these keys and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _matrices(item: Schema) -> Schema:
    """Return the schema of a matrix, of one for each sequence or head, or of one for each head of each sequence."""
    matrix = _list(_list(item))
    return _any(matrix, _list(matrix), _list(_list(matrix)))


def _map(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _fixed(*items: Schema) -> Schema:
    """Return the schema of a list with one item of each kind."""
    return {"type": "array", "prefixItems": list(items), "items": False, "minItems": len(items)}


def _words(*words: str) -> Schema:
    return {"enum": list(words)}


def _or_null(one: Schema) -> Schema:
    return {"anyOf": [one, {"type": "null"}]}


def _any(*ones: Schema) -> Schema:
    return {"anyOf": list(ones)}


def _texts(**about: str) -> dict[str, Schema]:
    """Return text keys, each with its description."""
    return {name: {**_TEXT, "description": text} for name, text in about.items()}


_TEXTS = _list(_TEXT)
_ROWS = _list(_list(_TEXT_OR_NULL))
_PLACES = _list(_list(_NUMBER))
_FORMAT: Schema = {"const": 1}
_VERSIONS = {**_map(_TEXT_OR_NULL), "required": ["symattn", "python"], "description": "null for what is not installed"}
_TRANSCRIPT: dict[str, Schema] = {
    "format": _FORMAT,
    "versions": _VERSIONS,
    "digest": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
        "description": "SHA-256 of the canonical JSON of all but versions, digest and problem.source",
    },
}
_SHAPE = _fixed(_COUNT, _COUNT)


# Problems and policies -----------------------------------------------------------------------------


def _policy() -> dict[str, Schema]:
    """Return the keys of a rounding policy."""
    step = _words(*STEPS)
    digits = _any(_table({"places": _COUNT}), _table({"figures": _NUMBER}))
    return {
        "places": _DIGITS,
        "figures": _DIGITS,
        "steps": _any(_words(*NAMED_STEPS), _list(step)),
        "ties": _words(*TIES),
        "shift": _SWITCH,
        "each": {**_map(digits), "propertyNames": step},
        "strict": _SWITCH,
        "declared": _SWITCH,
    }


_PROBLEM = _table({"title": _TEXT, "source": _TEXT, "kind": _TEXT})
_WARNING = _table({"code": _TEXT, "where": _TEXT, "text": _TEXT})
_STATEMENTS = _table({"total": _COUNT, "proved": _COUNT})
_QUANTITY = _table(
    {
        "label": {**_TEXT, "description": "the declared name"},
        "shape": _SHAPE,
        "exact": {**_ROWS, "description": "closed forms in plain syntax; null where there is none"},
        "decimal": {**_ROWS, "description": "rounded once; null where undefined or symbolic"},
        "stepwise": {**_ROWS, "description": "under the rounding policy"},
    }
)
_QUANTITIES = _map(_QUANTITY)
_BLOCK = _table({"norm": _TEXT, "placement": _TEXT, "eps": _TEXT, "activation": _TEXT, "residual": _SWITCH})
_CONVENTION = _any(
    _table(
        {
            "tokens": _words("rows", "columns"),
            "projection": _TEXT_OR_NULL,
            "scores": _TEXT,
            "softmax": _words("rows", "columns"),
            "scale": _TEXT,
            "outputs": _TEXT,
            "defaults": _TEXTS,
        },
        {
            "temperature": _TEXT,
            "order": _TEXTS,
            "score": _TEXT,
            "mask": _TEXT_OR_NULL,
            "bias": _TEXT_OR_NULL,
            "softmax_one": _SWITCH,
            "fully_masked": _TEXT,
            "heads": _COUNT,
            "kv_heads": _COUNT,
            "combine": _TEXT,
            "positions": _TEXT,
            "cached": _COUNT,
            "online": _COUNT,
            "block": _BLOCK,
        },
    ),
    _table({"definitions": _map(_TEXT), "defaults": _TEXTS}),
)
_PATTERN = _table(
    {
        "solid": _PLACES,
        "dashed": _PLACES,
        "threshold": _TEXT,
        "ties": _PLACES,
        "second": _PLACES,
        "hub": _or_null(_NUMBER),
        "totals": _list(_TEXT_OR_NULL),
        "entropy": _list(_TEXT_OR_NULL),
        "coincide": _PLACES,
        "no_own": _SWITCH,
        "own_largest": _SWITCH,
    }
)
_PATTERNS = _any(_PATTERN, {"type": "null"}, _list(_any(_PATTERN, {"type": "null"}, _list(_or_null(_PATTERN)))))
_STEP = _table(
    {
        **_texts(
            id="what it makes; step-rounded values end in ~", rule="of the table of rules", before="in plain syntax"
        ),
        "arguments": _list(_fixed(_TEXT, _TEXT)),
        "premises": _TEXTS,
        "after": {**_list(_TEXTS), "description": "rows of values in plain syntax"},
    }
)
_THEOREM = _table(
    {
        "part": _NUMBER,
        "theorem": _TEXT,
        "as": _words("proof", "fact"),
        "parameters": _map(_TEXT),
        "statement": _TEXT,
        "claims": _list(_table({"id": _TEXT, "claim": _TEXT})),
        "steps": _COUNT,
        "proved": _SWITCH,
        "cites": _TEXTS,
    }
)


def _solve() -> Schema:
    """Return the schema of a solved problem: its numbers, or those of each sequence, or proofs alone."""
    numbers: dict[str, Schema] = {"convention": _CONVENTION, "policy": _table(_policy())}
    kinds = {"quantities": _QUANTITIES, "pattern": _PATTERNS}
    sequences = {"batch": _NUMBER, "sequences": _list(_table(kinds))}
    counts = _table({"products_with_cache": _COUNT, "products_without": _COUNT, "cached_numbers": _COUNT})
    whole = _table(
        {**_TRANSCRIPT, "problem": _PROBLEM, "statements": _STATEMENTS, "warnings": _list(_WARNING)},
        {
            **numbers,
            **kinds,
            **sequences,
            "blocks": _list(_CONVENTION),
            "counts": counts,
            "theorems": _list(_THEOREM),
            "derivation": _list(_STEP),
        },
    )
    without_inputs = {"properties": dict.fromkeys((*numbers, *kinds, *sequences), False)}
    needed = [{"required": [*numbers, *own]} for own in (kinds, sequences)]
    one = {**whole, "anyOf": [*needed, without_inputs]}
    several = _table({"format": _FORMAT, "title": _TEXT, "points": _TEXT_OR_NULL, "problems": _list(one)})
    return {"if": {"required": ["problems"]}, "then": several, "else": one}


# Reports -------------------------------------------------------------------------------------------


def _check() -> Schema:
    """Return the schema of the report on one work."""
    verdict = _words(*VERDICTS)
    answer: Schema = {"type": ["boolean", "null"]}
    place = {"line": _NUMBER, "column": _NUMBER}
    values = {"verdict": verdict, "value": _TEXT_OR_NULL, "expected": _TEXT_OR_NULL}
    diagnosis = _table({"code": _words(*{**CODES, **SLIPS}), "text": _TEXT})
    statement = _table(
        {
            **place,
            "end_line": _NUMBER,
            "end_column": _NUMBER,
            "text": _TEXT,
            "name": _TEXT_OR_NULL,
            **values,
            "checks": _table({"operands": answer, "arithmetic": answer, "value": answer}),
            "harmless": _SWITCH,
            "missing_hypotheses": _TEXTS,
            "explanation": _TEXT,
            "diagnosis": _or_null(diagnosis),
            "entries": _or_null(_list(_list(_table({**values, **place})))),
        },
        {"cell": _COUNT},
    )
    found = {"words": _TEXT, "explained": _COUNT, "of": _COUNT, "exceptions": _list(_COUNT)}
    first = {"statement": _COUNT, **place, "name": _TEXT_OR_NULL, "explanation": _TEXT}
    marks = {"points": _TEXT, "earned": _TEXT}
    part = _table({"part": _TEXT, **marks, "reasons": _TEXTS})
    return _table(
        {
            "format": _FORMAT,
            "source": _TEXT,
            "statements": _list(statement),
            "policy": _or_null(_table({**_policy(), **found})),
            "first_mistake": _or_null(_table(first)),
            "missing": _TEXTS,
            "marks": _or_null(_table({**marks, "scheme": _TEXT, "parts": _list(part)})),
            "remarks": _TEXTS,
            "summary": _table(dict.fromkeys(VERDICTS, _COUNT)),
        },
        {
            "reveal": {**_words(*REVEALS[:-1]), "description": "what --reveal leaves, where that is not everything"},
            "missing_count": {**_COUNT, "description": "of missing quantities, where these are not named"},
        },
    )


def _check_folder() -> Schema:
    """Return the schema of the line of one file in the results of a folder: a report, or why there is none."""
    digest: Schema = {"type": "string", "pattern": "^([0-9a-f]{64})?$"}
    report = _check()
    head = {"file": _TEXT, "work_digest": digest, "problem_digest": digest, "exit_status": {"enum": [0, 1, 2, 3, 4]}}
    return _any(
        _table({**head, "summary": report["properties"]["summary"], "report": report}),
        _table({**head, "error": _TEXT}),
    )


# Proofs --------------------------------------------------------------------------------------------


def _prove() -> Schema:
    """Return the schema of a proof's record, or of a counter-example without a hypothesis (--without)."""
    head = {**_TRANSCRIPT, "name": _TEXT}
    entries = _map(_list(_list(_TEXT)))
    refuted = {
        "says": _TEXT,
        "claim": _TEXT,
        "sizes": _map(_COUNT),
        "values": _map(_TEXT),
        "entries": entries,
        "law": _list(_table({"probability": _TEXT, "entries": entries})),
        "at": _map(_TEXT),
        "left": _TEXT,
        "right": _TEXT,
        "broken_hypotheses": _TEXTS,
        "instead": _TEXT,
    }
    sign = _words(*get_args(Sign))
    hypothesis = {"id": _TEXT, "text": _TEXT}
    declared = {"name": _TEXT, "sizes": _TEXTS, "sign": sign, "random": _SWITCH, "latex": _TEXT}
    defined = {"name": _TEXT, "indices": _TEXTS, "sizes": _TEXTS, "body": _TEXT, "sign": sign}
    names = {"fixed": _TEXTS, "permutations": _TEXTS, "functions": _TEXTS}
    sides = {"left": _TEXT, "relation": _TEXT, "right": _TEXT}
    step = {
        **_texts(id="its number", rule="a rule of the kernel", before="in plain syntax", relation="of the two sides"),
        "after": _TEXT,
        "hypotheses": _TEXTS,
        "premises": _TEXTS,
        "arguments": _map(_TEXT),
        "words": _TEXT,
        "proved": _SWITCH,
        "cites": _TEXTS,
    }
    proof = _table(
        {
            **head,
            "title": _TEXT,
            "parameters": _map(_TEXT),
            "statement": _TEXT,
            "source": _TEXT,
            "hypotheses": _list(
                _table({**hypothesis, "kind": _words(*get_args(Kind)), "about": _TEXTS, "values": _TEXTS})
            ),
            "names": _table({"declared": _list(_table(declared)), "defined": _list(_table(defined)), **names}),
            "claims": _list(_table({"id": _TEXT, **sides, "steps": _TEXTS, "words": _TEXT})),
            "steps": _list(_table(step)),
            "conclusion": _TEXTS,
            "checks": _list(_table({"text": _TEXT, "result": _TEXT, "agrees": _SWITCH})),
            "cites": _list(_table({"name": _TEXT, "statement": _TEXT, "source": _TEXT})),
            "falsehoods": _list(_table(refuted)),
        },
        {"instance": _list(_table({"text": _TEXT, "exact": _TEXT, "digits": _TEXT}))},
    )
    counterexample = {
        **head,
        "statement": _TEXT,
        "without": _TEXT,
        "hypotheses": _list(_table(hypothesis)),
        "counterexample": _table(refuted),
    }
    return _any(proof, _table(counterexample))


def _replay() -> Schema:
    """Return the schema of the outcome of a replay."""
    items = _list(_table({"id": _TEXT, "proved": _SWITCH, "cites": _TEXTS, "reason": _TEXT}))
    return _table(
        {
            "format": _FORMAT,
            "name": {**_TEXT, "description": "the theorem; empty for a solved problem"},
            "proved": _SWITCH,
            "catalogue": _SWITCH,
            "reason": {**_TEXT, "description": "the first refusal; empty where all is proved"},
            "notes": {**_TEXTS, "description": "what else was compared, and what was not"},
            "models": {**_COUNT, "description": "models of the hypotheses in which everything was evaluated"},
            "vacuous": {**_TEXTS, "description": "claims for whose hypotheses no model was found"},
            "steps": items,
            "claims": items,
        }
    )


def _theorems() -> Schema:
    """Return the schema of the catalogue of theorems."""
    parameter = {
        "name": _TEXT,
        "default": _TEXT,
        "kind": _TEXT,
        "choices": _TEXTS,
        "says": _TEXT,
        "worked": _SWITCH,
    }
    entry = {
        "name": _TEXT,
        "group": _TEXT,
        "says": _TEXT,
        "parameters": _list(_table(parameter)),
        "without": _TEXTS,
        "instance": _SWITCH,
        "falsehoods": _TEXTS,
        "statement": _list(_table({"text": _TEXT, "kind": _TEXT, "claims": _TEXTS})),
    }
    return _table({"format": _FORMAT, "theorems": _list(_table(entry))})


def _version() -> Schema:
    """Return the schema of the versions of the program and of all libraries that it may use."""
    return _table({"format": _FORMAT, "versions": _VERSIONS})


# Arrays --------------------------------------------------------------------------------------------


def _compare() -> Schema:
    """Return the schema of a comparison with an array of floats."""
    texts = _texts(got="the computed float", certified="to 20 figures", rounded="the nearest float", error="in ulp")
    bits: Schema = {"type": "string", "pattern": "^0x[0-9a-f]+$"}
    worst = {"row": _NUMBER, "column": _NUMBER, **texts, "got_bits": bits, "rounded_bits": bits}
    return _table(
        {
            "format": _FORMAT,
            "quantity": _TEXT,
            "type": _words(*FORMATS),
            "shape": {**_list(_COUNT), "minItems": 2, "maxItems": 4},
            "correctly_rounded": _COUNT,
            "is_correctly_rounded": _SWITCH,
            "worst": _table({**worst, "is_correctly_rounded": _SWITCH}, {"part": _list(_NUMBER)}),
            "histogram": _list(_table({"above": _TEXT_OR_NULL, "up_to": _TEXT_OR_NULL, "count": _COUNT})),
            "errors": _matrices(_TEXT),
            "rounded": _matrices(_TEXT),
            "rounded_bits": _matrices(bits),
        }
    )


# Classes -------------------------------------------------------------------------------------------


def _grade() -> Schema:
    """Return the schema of the summary of a graded class."""
    mark = {**_TEXT_OR_NULL, "description": "exact, such as 5/2; null where a person must give it"}
    counts = {**_map(_NUMBER), "description": "numbers of students, the largest first"}
    return _table(
        {
            "format": _FORMAT,
            "title": _TEXT,
            "points": _TEXT,
            "students": _COUNT,
            "graded": _COUNT,
            "mean": mark,
            "median": mark,
            "distribution": {**_list(_COUNT), "description": "numbers of students by tenths of the points"},
            "first_mistakes": counts,
            "wrong_entries": counts,
            "policies": counts,
            "marks": {**_map(mark), "description": "by the students' IDs, or else logins, or else e-mails"},
            "for_a_person": _map(_TEXTS),
            "unmatched": _TEXTS,
            "ambiguous": _map(_TEXTS),
            "left_out": _map(_TEXTS),
        }
    )


@dataclass(frozen=True, slots=True)
class Output:
    """One output for machines: the command that prints it, and the function that builds its schema."""

    command: str
    build: Callable[[], Schema]
    format: int = 1

    @property
    def title(self) -> str:
        """The command and the format."""
        return f"{self.command}, format {self.format}"


OUTPUTS: Mapping[str, Output] = {
    "solve": Output("symattn solve --json", _solve),
    "check": Output("symattn check --json", _check),
    "check-folder": Output("symattn check PROBLEM FOLDER (one line)", _check_folder),
    "prove": Output("symattn prove --json", _prove),
    "replay": Output("symattn replay --json", _replay),
    "theorems": Output("symattn theorems --json", _theorems),
    "compare": Output("symattn compare --json", _compare),
    "grade": Output("symattn grade --json", _grade),
    "version": Output("symattn --version --json", _version),
}
"""All outputs by the names of their schemas."""
