"""Tables of spans and dropped detections, for people who may see the note: they print its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from deid_core.core.spans import Detection, Dropped
from deid_core.core.text_tables import table

if TYPE_CHECKING:
    from deid_core.pipeline.explanation import Explained, Explanation, Support

_COLUMNS = ("label", "type", "start", "end", "recogniser", "rule", "score")


def found_table(text: str, found: Sequence[Detection | Dropped]) -> str:
    """Return a table of spans, or of dropped detections with the reason, and the text of each."""
    columns = (*_COLUMNS, "reason") if any(isinstance(item, Dropped) for item in found) else _COLUMNS
    rows = [(*(getattr(item, name) for name in columns), repr(text[item.start : item.end])) for item in found]
    return table([(*columns, "text"), *rows])


def explanation_lines(text: str, explanation: Explanation) -> Iterator[str]:
    """Yield the lines of `deid text --why`: a table of each kind of range, and below each range what speaks for it."""
    for title, explained in (
        ("Removed", explanation.spans),
        ("Found by a rule, then dropped", explanation.dropped),
        ("Nearly removed by the stacking model", explanation.nearly),
    ):
        if not explained:
            yield f"{title}: nothing"
            continue
        head, *rows = found_table(text, [item.found for item in explained]).splitlines()
        yield from (title, head)
        for row, item in zip(rows, explained, strict=True):
            yield row
            if item.support:
                yield "    found: " + "; ".join(_told(text, item, support) for support in item.support)
            if item.model:
                yield f"    stacking model: {item.model}"


def _told(text: str, item: Explained, support: Support) -> str:
    """Return recogniser, rule and score of a detection, and what differs from the range that it explains."""
    found, source = support
    parts: Iterable[str] = (
        _rule(found),
        "" if found.label is item.found.label else f"as {found.label}",
        "" if found[:2] == item.found[:2] else f"in {text[found.start : found.end]!r}",
        f"(repeats {_rule(source)}, {text[source.start : source.end]!r} at {source.start})" if source else "",
    )
    return " ".join(filter(None, parts))


def _rule(found: Detection) -> str:
    return f"{found.recogniser} {found.rule} {found.score:g}"
