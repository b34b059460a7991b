"""A note as the page gets it: both texts, and the items that a reader accepts, rejects or marks.

An item is a range of the raw text with a type, where it comes from, and its state. Places count code points.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import LOW_SCORE
from deid_core.lake.inspection.show_note import BeforeAndAfter
from deid_core.lake.notes.reviews import Mark, Review, text_sha256
from deid_core.pipeline.sweep import KIND as SWEEP


class ItemState(StrEnum):
    """What a reader says of an item."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    """Identifies nobody."""
    OPEN = "open"
    """Two readers differ: to be decided."""


def note_json(note: BeforeAndAfter, mine: Review | None, others: Iterable[Review] = ()) -> dict[str, Any]:
    """Return the note with its items, ascending.

    mine: what the reader stored before; left out if it is of another raw text. others: of two readers who differ, for
    who decides between them; then what the pipeline found is no item.
    """
    others = list(others)
    if mine is not None and mine.raw_sha256 != text_sha256(note.before):
        mine = None
    items = _of_readers(others) if others else _of_pipeline(note)
    if mine is not None:
        _apply(items, mine.marks)
    return {
        "id": note.note_id,
        "year": note.year,
        "before": note.before,
        "after": note.after,
        "outputs": [list(place) for place in note.outputs],
        "spans": [[span.start, span.end, str(span.label)] for span in note.spans],
        "items": sorted(items, key=lambda item: (item["start"], item["end"], item["type"])),
        "read": mine is not None,
    }


def _of_pipeline(note: BeforeAndAfter) -> list[dict[str, Any]]:
    items = [
        _item(span.start, span.end, str(span.type), "span", ItemState.ACCEPTED)
        | {"recogniser": span.recogniser, "rule": span.rule, "score": span.score}
        | {"doubtful": span.score < LOW_SCORE or span.recogniser == SWEEP}
        for span in note.spans
    ]
    places = [(span.start, span.end) for span in note.spans]
    for row in note.dropped:
        # Where something was removed in its place, nothing is left to look at.
        if not any(start <= row["start"] and row["end"] <= end for start, end in places):
            items.append(
                _item(row["start"], row["end"], row["type"], "dropped", ItemState.WRONG)
                | {name: row[name] for name in ("recogniser", "rule", "score", "reason")}
                | {"doubtful": True}
            )
    return items


def _of_readers(reviews: list[Review]) -> list[dict[str, Any]]:
    by_place: dict[tuple[int, int, str, str], set[int]] = {}
    for number, review in enumerate(reviews, 1):
        for place in review.places:
            by_place.setdefault(place, set()).add(number)
    return [
        _item(start, end, phi, "reader", ItemState.ACCEPTED if len(numbers) == len(reviews) else ItemState.OPEN)
        | {"readers": sorted(numbers), "doubtful": len(numbers) < len(reviews)}
        for (start, end, _, phi), numbers in by_place.items()
    ]


def _apply(items: list[dict[str, Any]], marks: Iterable[Mark]) -> None:
    """Give the items the states that these marks say, and add the marks that are none of them."""
    by_place = {(item["start"], item["end"]): item for item in reversed(items)}
    for item in items:
        item["state"] = ItemState.WRONG
    for mark in marks:
        if (known := by_place.get((mark.start, mark.end))) is not None:
            known.update(type=str(mark.type), label=str(mark.label), state=ItemState.ACCEPTED)
        else:
            items.append(_item(mark.start, mark.end, str(mark.type), "reader", ItemState.ACCEPTED))


def _item(start: int, end: int, phi: str, source: str, state: ItemState) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "type": phi,
        "label": str(label_of(PhiType(phi))),
        "source": source,
        "state": state,
        "doubtful": False,
    }
