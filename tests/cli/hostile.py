"""Files that people, or chance, put into a folder of works: empty, garbled, huge, nested, of numbers of any size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

Maker = Callable[[Random], bytes]

_NUMERALS = ("300000", "3000000", "10^{100}", "1e999", "e^{e^{10}}", "9" * 900, "9^{9^{9}}", r"\frac{1}{0}", "-0")
_ENTRIES = ("Q_{11}", "S_{12}", "A_{11}", "O_{11}", "K", "x")
_PIECES = ("$", "$$", r"\[ ", r"\begin{bmatrix}", "{", "}", "^", "row 1: ", "|", "\n# ", "`", "\x00", "﻿", "é", "=")


def _number(random: Random) -> bytes:
    return f"${random.choice(_ENTRIES)} = {random.choice(_NUMERALS)}$".encode()


def _noise(random: Random) -> bytes:
    return random.randbytes(random.randrange(400))


def _repeated(random: Random) -> bytes:
    return (random.choice(_PIECES) * random.randrange(1, 1500)).encode()


def _mixed(random: Random) -> bytes:
    return "".join(random.choice((*_PIECES, *_NUMERALS, *_ENTRIES)) for _ in range(random.randrange(200))).encode()


def _nested(random: Random) -> bytes:
    depth = random.randrange(1, 3000)
    return ("$Q_{11} = " + "(" * depth + "1" + ")" * depth + "$").encode()


def _empty(_: Random) -> bytes:
    return b""


MAKERS: tuple[Maker, ...] = (_number, _number, _noise, _repeated, _mixed, _nested, _empty)


def hostile_folder(folder: Path, count: int, seed: int) -> None:
    """Fill a folder with so many files, drawn from a seed."""
    random = Random(seed)
    folder.mkdir()
    for number in range(count):
        ending = random.choice(("md", "tex", "txt", "ipynb"))
        (folder / f"w{number:03}.{ending}").write_bytes(random.choice(MAKERS)(random))
