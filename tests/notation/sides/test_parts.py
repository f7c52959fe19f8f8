"""The parser of sides is made of parts, none of which overrides another."""

from __future__ import annotations

from symattn.notation.sides.parser import SideParser


def test_no_part_overrides_what_another_defines() -> None:
    defined: dict[str, type] = {}
    for part in (SideParser, *SideParser.__bases__):
        for name in vars(part):
            if not name.startswith("__"):
                assert name not in defined, f"{part.__name__} and {defined[name].__name__} both define {name}"
                defined[name] = part


def test_every_operand_that_can_begin_has_a_reader_of_its_own() -> None:
    assert all(callable(read) for read in SideParser.readers.values())
    assert {"number", "name", "open", "brace", "matrix"} <= set(SideParser.readers)
