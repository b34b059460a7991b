"""Charts of scores from 0 to 1 as SVG, for the papers' figures: bars in groups, and lines with bands."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

Band = tuple[float, float, float]
"""A score and the ends of its interval."""

_COLOURS = ("#b7cbdb", "#5f93bd", "#1f4e79", "#d9772b")
_INK, _GRID = "#1c2733", "#dde3e8"
_HEIGHT, _TOP, _LEFT, _BELOW = 200, 56, 36, 24
"""Of the area of the bars or lines in pixels, and what stands above, beside and below it."""
_BAR, _GAP = 16, 14
_LINES_WIDTH, _LETTER = 420, 7
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def bar_chart(title: str, series: Sequence[str], panels: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return panels of bars side by side; each panel has groups, and each group a score for each series."""
    parts, left = [], float(_LEFT)
    # Of two series the second is the last one of three, so that it looks the same in both charts.
    colours = _COLOURS[::2] if len(series) == 2 else _COLOURS
    for panel, groups in panels.items():
        width = sum(len(scores) * _BAR + _GAP for scores in groups.values()) + _GAP
        parts.append(_frame(left, width) + _text(left + width / 2, _TOP - 8, panel))
        at = left + _GAP
        for group, scores in groups.items():
            parts.append(_text(at + len(scores) * _BAR / 2, _TOP + _HEIGHT + 16, group))
            for number, score in enumerate(scores):
                label = f"{panel} {group}, {series[number]}: {score:.3f}".strip()
                parts.append(
                    f'<rect x="{at:g}" y="{_y(score):.1f}" width="{_BAR - 2}" height="{_HEIGHT * score:.1f}" '
                    f'fill="{colours[number]}"><title>{html.escape(label)}</title></rect>'
                )
                at += _BAR
            at += _GAP
        left += width + _GAP
    return _svg(title, dict(zip(series, colours, strict=False)), parts, left)


def line_chart(title: str, below: Sequence[str], series: Mapping[str, Sequence[Band]]) -> str:
    """Return a line for each series with its band. below: what stands below each point."""
    step = _LINES_WIDTH / max(len(below) - 1, 1)
    places = [_LEFT + number * step for number in range(len(below))]
    parts = [_frame(_LEFT, _LINES_WIDTH)]
    parts += (_text(x, _TOP + _HEIGHT + 16, name) for x, name in zip(places, below, strict=True))
    for colour, bands in zip(_COLOURS[1:], series.values(), strict=False):
        line, lows, highs = (
            [f"{x:g},{_y(value):.1f}" for x, value in zip(places, values, strict=True)]
            for values in zip(*bands, strict=True)
        )
        parts.append(f'<polygon points="{" ".join([*highs, *reversed(lows)])}" fill="{colour}" opacity=".2"/>')
        parts.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return _svg(title, dict(zip(series, _COLOURS[1:], strict=False)), parts, _LEFT + _LINES_WIDTH + _LEFT)


def write_chart(file: Path, chart: str) -> None:
    """Write a chart; its folder is made if it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(chart, encoding="utf-8")


def _y(score: float) -> float:
    return _TOP + _HEIGHT * (1 - min(max(score, 0.0), 1.0))


def _frame(left: float, width: float) -> str:
    """Return the grid; its numbers stand left of the first panel alone."""
    lines = "".join(f'<path d="M{left:g} {_y(tick):g}h{width:g}" stroke="{_GRID}"/>' for tick in _TICKS)
    numbers = (_text(left - 4, _y(tick) + 4, f"{tick:g}", "end") for tick in _TICKS)
    return lines + ("".join(numbers) if left == _LEFT else "")


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(title: str, colours: Mapping[str, str], parts: Sequence[str], width: float) -> str:
    """Return the chart with its title and a legend."""
    legend, at = "", float(_LEFT)
    for name, colour in colours.items():
        legend += f'<rect x="{at:g}" y="24" width="12" height="12" fill="{colour}"/>' + _text(
            at + 16, 34, name, "start"
        )
        at += 30 + _LETTER * len(name)
    width, height = max(width, at, _LEFT + _LETTER * len(title)), _TOP + _HEIGHT + _BELOW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height}" width="{width:g}" '
        f'height="{height}" font-family="system-ui,sans-serif" font-size="12" fill="{_INK}">'
        f'<title>{html.escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>'
        f"{_text(_LEFT, 14, title, 'start')}{legend}{''.join(parts)}</svg>\n"
    )
