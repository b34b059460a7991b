"""Reads notes with spans from JSON lines: {"id", "text", "spans": [{"start", "end", "label", …}]}."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from deid_core.errors import ConfigurationError
from deid_core.labels import Label


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """A range and its label, as a file gives it."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One note of a spans file."""

    id: str
    text: str
    spans: tuple[LabelledSpan, ...]


def read_spans(path: Path) -> dict[str, SpanRow]:
    """The file's notes by id.

    Raises ConfigurationError with every bad line: no JSON, fields missing, offsets outside the text, unknown labels, an
    id twice. The messages quote no text.
    """
    rows: dict[str, SpanRow] = {}
    problems: list[str] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {type(error).__name__}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(f"{path}:{number}: {_problem(error)}")
            continue
        if row.id in rows:
            problems.append(f"{path}:{number}: an id stands twice")
        rows[row.id] = row
    if problems:
        raise ConfigurationError(problems)
    return rows


class _BadSpanError(ValueError):
    pass


def _row(data: dict[str, object]) -> SpanRow:
    text, spans = str(data["text"]), data["spans"]
    found = []
    for span in spans:  # type: ignore[attr-defined]
        start, end, label = int(span["start"]), int(span["end"]), str(span["label"])
        if not 0 <= start < end <= len(text):
            raise _BadSpanError(f"span [{start}, {end}) lies outside the text of {len(text)} characters")
        if label not in Label.__members__:
            raise _BadSpanError(f"a label does not exist; labels are {', '.join(Label)}")
        found.append(LabelledSpan(start, end, label))
    return SpanRow(str(data["id"]), text, tuple(found))


def _problem(error: Exception) -> str:
    if isinstance(error, _BadSpanError):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON: {error.msg}"
    return 'needs "id", "text" and "spans" with "start", "end" and "label"'
