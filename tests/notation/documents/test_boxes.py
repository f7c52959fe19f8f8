"""A box around a formula says how large it is: what it holds is read, at its own place."""

from __future__ import annotations

import pytest

from symattn.notation.documents.reader import read_work
from symattn.notation.submission import Written

BOXES = [
    r"\[ \resizebox{0.9\linewidth}{!}{$ %s $} \]",
    r"\resizebox{\textwidth}{!}{$\displaystyle %s$}",
    r"\[\resizebox*{\textwidth}{!}{$\displaystyle %s$}\]",
    r"$$\scalebox{0.8}{$%s$}$$",
    r"\[\scalebox{0.8}[1]{$%s$}\]",
    r"\begin{equation*}\resizebox{.9\hsize}{!}{$%s$}\end{equation*}",
    r"\[\adjustbox{max width=\textwidth}{$%s$}\]",
    r"\[\makebox[\linewidth][c]{$%s$}\]",
    r"\begin{align}\fbox{ $%s$ }\end{align}",
    "\\newcommand{\\fit}[1]{\\resizebox{\\linewidth}{!}{$\\displaystyle #1$}}\n\\[\\fit{%s}\\]",
    "\\newcommand{\\fit}[1]{\\resizebox{\\linewidth}{!}{$#1$}}\nAs a picture: \\fit{%s}",
]


@pytest.mark.parametrize("box", BOXES)
def test_what_a_box_holds_is_read_at_its_place(box: str) -> None:
    text = box % r"S_{11} = \frac{3}{2} + 1 = 2.5"
    (written,) = (piece for piece in read_work(text, "tex").pieces if isinstance(piece, Written))
    sides = [side for side in written.sides if side is not None and side.node is not None]
    assert [text[slice(*side.span)].strip().removeprefix(r"\displaystyle ") for side in sides] == [
        "S_{11}",
        r"\frac{3}{2} + 1",
        "2.5",
    ]


@pytest.mark.parametrize(
    "wrong", [r"\[ \resizebox{1}{!}{$ S = 2 \]", r"$$\resizebox{$S = 2$}$$", r"\[\scalebox{$S$}\]"]
)
def test_a_box_that_is_written_wrongly_loses_nothing(wrong: str) -> None:
    pieces = read_work(f"{wrong}\n\n$T = 3$", "tex").pieces
    assert any(isinstance(piece, Written) and "T" in str(piece.sides[0]) for piece in pieces)
