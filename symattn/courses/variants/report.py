"""The stress report of a course's variants: difficulty, rejected draws, distances; a page and a LaTeX document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from symattn.courses.variants.operations import counted_operations
from symattn.courses.variants.program import Program
from symattn.courses.variants.search import Found, distance
from symattn.files import write_atomically
from symattn.records import dataclass
from symattn.rendering.charts import Chart, chart_svg, chart_tikz
from symattn.rendering.html import page
from symattn.rendering.latex.compilation import compile_tex
from symattn.rendering.latex.templates import fill
from symattn.rendering.reports.latex import words

_MOST_PAIRS = 100_000
_BINS = 12
_HEADER = ("variant", "operations", "draws", "nearest")


@dataclass(frozen=True, slots=True)
class StressReport:
    """The stress report of variants.

    Attributes:
        title: of the problem.
        summary: what was drawn, in a sentence.
        charts: of difficulty, of rejected draws, of distances.
        rows: the number of each variant, its operations, its draws, and the distance to the nearest variant.
    """

    title: str
    summary: str
    charts: tuple[Chart, ...]
    rows: tuple[tuple[str, ...], ...]


def stress_report(program: Program, seed: int, found: Sequence[Found]) -> StressReport:
    """Return the report of variants; numbers stand for students, whose names are in the table of variants alone."""
    operations = [
        counted_operations(program.exact_numbers(program.graph, one.inputs)[0].graph).total() for one in found
    ]
    pairs = [
        (a, b, distance(found[a].inputs, found[b].inputs))
        for a in range(len(found)) for b in range(a) if len(found) ** 2 <= 2 * _MOST_PAIRS
    ]  # fmt: skip
    nearest = {number: min((far for a, b, far in pairs if number in {a, b}), default=0) for number in range(len(found))}
    rejected: Counter[str] = sum((Counter(one.rejected) for one in found), Counter())
    draws = sum(one.draws for one in found)
    charts = (
        Chart("Variants by operations of arithmetic", _bins(operations)),
        Chart(
            "Draws rejected by each constraint",
            tuple((name, rejected[name]) for name in (*program.constraints, "apart")),
        ),
        Chart("Pairs of variants by the number of entries in which they differ", _bins([far for *_, far in pairs])),
    )
    rows = tuple(
        (str(number + 1), str(operations[number]), str(one.draws), str(nearest[number]) if pairs else "-")
        for number, one in enumerate(found)
    )
    summary = f"{len(found)} variants, seed {seed}, {draws:,} draws, design {program.design.digest[:16]}."
    return StressReport(program.design.problem.title or "Variants", summary, charts, rows)


def _bins(values: Iterable[int]) -> tuple[tuple[str, int], ...]:
    """Return counts of values, by ranges of equal width where there are many values."""
    counts = Counter(values)
    if not counts:
        return ()
    low, high = min(counts), max(counts)
    width = (high - low) // _BINS + 1
    starts = range(low, high + 1, width)
    return tuple(
        (f"{start}" if width == 1 else f"{start} to {start + width - 1}", sum(counts[start + k] for k in range(width)))
        for start in starts
    )


def report_page(report: StressReport) -> str:
    """Return the report as a whole page."""
    head = page.header(escape(report.title), escape(report.summary))
    charts = (
        f"<h2>{escape(chart.title)}</h2>\n{page.scrolling(chart_svg(chart), label='chart')}"
        for chart in report.charts
        if chart.bars
    )
    caption = "Operations are multiplications, additions, exponentials and divisions by hand."
    table = page.table_html(caption, _HEADER, report.rows)
    return page.page(report.title, "\n".join([head, *charts, "<h2>Variants</h2>", table]))


def report_latex(report: StressReport) -> str:
    """Return the report as a LaTeX document."""
    charts = [
        (words(chart.title), chart_tikz(Chart("", tuple((words(label), count) for label, count in chart.bars))))
        for chart in report.charts
        if chart.bars
    ]
    return fill(
        "variants", title=words(report.title), summary=words(report.summary), charts=charts, header=_HEADER,
        rows=report.rows,
    )  # fmt: skip


def write_report(report: StressReport, folder: Path, *, pdf: bool) -> None:
    """Write `report.html` and `report.tex` into a folder, and `report.pdf` where PDFs are asked for.

    Raises:
        OutputError: a file cannot be written.
        EngineError: no engine makes the PDF.
    """
    tex = report_latex(report)
    write_atomically(folder / "report.html", report_page(report))
    write_atomically(folder / "report.tex", tex)
    if pdf:
        write_atomically(folder / "report.pdf", compile_tex(tex).pdf)
