"""Where the lines of a small chart lie. templates/page.html.j2 draws them as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 240, 84
"""Of a chart's area in pixels."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart of one value by year; places in pixels, (0, 0) top left.

    lines: `points` of SVG polylines, one for each series of years without a gap. dots: (x, y, whether it is marked).
    """

    lines: list[str]
    dots: list[tuple[float, float, bool]]


def line_chart(years: Sequence[int], values: Sequence[float], marked: Sequence[bool]) -> LineChart:
    """Return the chart of values from 0 to their maximum. years: ascending, as long as the others, not empty.

    Years that are missing keep their place, and no line crosses them: nothing is known of them.
    """
    most = max(values) or 1.0
    first, length = years[0], max(years[-1] - years[0], 1)
    points = [
        (round(WIDTH * (year - first) / length, 1), round(HEIGHT * (1 - value / most), 1))
        for year, value in zip(years, values, strict=True)
    ]
    series: list[list[tuple[float, float]]] = []
    for number, point in enumerate(points):
        if number and years[number] == years[number - 1] + 1:
            series[-1].append(point)
        else:
            series.append([point])
    lines = [" ".join(f"{x:g},{y:g}" for x, y in part) for part in series if len(part) > 1]
    return LineChart(lines, [(x, y, mark) for (x, y), mark in zip(points, marked, strict=True)])
