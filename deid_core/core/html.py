"""Spans in a text as HTML: what a notebook shows, with a colour and a name for each label."""

from __future__ import annotations

import html
from collections.abc import Sequence

from deid_core.core.labels import Label
from deid_core.core.spans import Detection

LABEL_HUES = {label: 360 * number // len(Label) for number, label in enumerate(Label)}
"""Degrees on the colour wheel, the same for a label in every text."""


def highlighted_html(text: str, spans: Sequence[Detection]) -> str:
    """Return an HTML fragment: the text with coloured spans, below a legend with each label's number of spans.

    Colours are half transparent, so they suit light and dark pages. A span's tooltip has its type, recogniser and rule.

    spans: ascending and disjoint.
    """
    parts: list[str] = []
    at = 0
    for span in spans:
        parts.append(html.escape(text[at : span.start]))
        tooltip = html.escape(f"{span.label} ({span.type}), {span.recogniser}: {span.rule}, score {span.score:g}")
        shown = html.escape(text[span.start : span.end])
        parts.append(f'<mark title="{tooltip}" style="{_style(span.label)}">{shown}{_name(span.label)}</mark>')
        at = span.end
    parts.append(html.escape(text[at:]))
    body = "".join(parts)
    return (
        f'<div style="font-family:sans-serif;line-height:1.7">{_legend(spans)}'
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere">{body}</div></div>'
    )


def _legend(spans: Sequence[Detection]) -> str:
    counts = {label: sum(span.label == label for span in spans) for label in Label}
    entries = [
        f'<span style="{_style(label)};margin-right:.6em">{label} {count}</span>'
        for label, count in counts.items()
        if count
    ]
    return f'<div style="font-size:85%;margin-bottom:.6em">{"".join(entries) or "no spans"}</div>'


def _style(label: str) -> str:
    hue = LABEL_HUES.get(Label(label), 0)
    return (
        f"background:hsl({hue} 80% 55% / .28);border-bottom:2px solid hsl({hue} 80% 50%);"
        "color:inherit;border-radius:3px;padding:0 .2em"
    )


def _name(label: str) -> str:
    return f'<small style="opacity:.75;font-weight:600;margin-left:.35em;user-select:none">{label}</small>'
