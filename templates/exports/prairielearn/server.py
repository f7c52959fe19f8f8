"""One question of frozen variants: the numbers that count as right were judged when the question was exported."""

import json
import re
from fractions import Fraction
from pathlib import Path

_DECIMAL = re.compile(r"([+-]?)([0-9]{0,30})(?:[.,]([0-9]{0,60}))?(?:[eE]([+-]?[0-9]{1,2}))?")
_FRACTION = re.compile(r"([+-]?[0-9]{1,30})/([0-9]{1,30})")
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": None, " ": None})
_UNREADABLE = "Write one number, such as 0.62, -2 or 5/2."


def generate(data):
    """Choose a variant by the seed; its answers stay with it, whatever later exports say."""
    path = Path(data["options"]["question_path"]) / "variants.json"
    variants = json.loads(path.read_text(encoding="utf-8"))
    variant = variants[int(data["variant_seed"]) % len(variants)]
    data["params"].update(variant)
    for name, answer in variant["answers"].items():
        data["correct_answers"][name] = answer["texts"][0]


def parse(data):
    """Refuse what is no number; an empty field is an answer that earns nothing."""
    for name in data["params"]["answers"]:
        text = data["submitted_answers"].get(name) or ""
        if text.strip() and name not in data["format_errors"] and _number(text) is None:
            data["format_errors"][name] = _UNREADABLE


def grade(data):
    """Give each entry its share of the points."""
    earned = total = 0
    for name, answer in data["params"]["answers"].items():
        is_right = _accepts(answer, data["submitted_answers"].get(name) or "")
        data["partial_scores"][name] = {"score": float(is_right), "weight": answer["weight"]}
        earned += answer["weight"] * is_right
        total += answer["weight"]
    data["score"] = earned / total


def test(data):
    """Fill in right, wrong or unreadable answers for PrairieLearn's own test of questions."""
    kind = data["test_type"]
    for name, answer in data["params"]["answers"].items():
        right = answer["texts"][0]
        data["raw_submitted_answers"][name] = {"correct": right, "incorrect": "1000000.5", "invalid": "x"}[kind]
        if kind == "invalid":
            data["format_errors"][name] = _UNREADABLE
        else:
            data["partial_scores"][name] = {"score": float(kind == "correct"), "weight": answer["weight"]}
    data["gradable"] = kind != "invalid"
    data["score"] = float(kind == "correct")


def _accepts(answer, text):
    found = _number(text)
    if found is None:
        return False
    value, places = found
    texts = [_number(text) for text in answer["texts"]]
    if found in texts:
        return True
    if any(value == Fraction(number) for number in answer["equal"]) and (places is None or places >= texts[0][1]):
        return True
    if places is None or places <= max(known for _, known in texts):
        return False
    exact, unit = Fraction(answer["value"]), Fraction(1, 10**places)
    if 2 * abs(value - exact) <= unit:
        return True
    return answer["truncates"] and value * exact >= 0 and 0 <= abs(exact) - abs(value) < unit


def _number(text):
    """Return the value of a number and its decimal places, None for a fraction; None for what is no number."""
    text = text.translate(_SIGNS)
    found = _FRACTION.fullmatch(text)
    if found:
        return (Fraction(int(found[1]), int(found[2])), None) if int(found[2]) else None
    found = _DECIMAL.fullmatch(text)
    if not found or not (found[2] or found[3]):
        return None
    decimals = found[3] or ""
    places = len(decimals) - int(found[4] or 0)
    value = Fraction(int(found[2] + decimals), 1) / Fraction(10) ** places
    return (-value if found[1] == "-" else value), max(places, 0)
