"""JSON lines with spans, the project's own format: {"id", "text", "spans": [{"start", "end", "label", …}]}.

`deid annotate` and `deid generate` write further fields of spans, which are ignored here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.lines import read_lines


def read_jsonl(path: Path, labels: Iterable[str] | None = tuple(Label)) -> list[AnnotatedText]:
    """Return the texts of a file in order.

    labels: allowed labels; None allows any label, for corpora with their own scheme.
    Raises ConfigurationError with every bad line: invalid JSON, missing fields, offsets outside the text, unknown
    labels, a repeated id. Messages quote no text.
    """
    known = None if labels is None else list(labels)
    texts: list[AnnotatedText] = []
    ids: set[str] = set()
    problems: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            text = _text(json.loads(line), known)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            problems.append(f"{path}:{number}: {_problem(error)}")
            continue
        if text.id in ids:
            problems.append(f"{path}:{number}: the id of an earlier line")
        ids.add(text.id)
        texts.append(text)
    if problems:
        raise ConfigurationError(problems)
    return texts


def write_jsonl(path: Path, texts: Iterable[AnnotatedText]) -> None:
    """Write one text a line, with its spans in order."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for text in texts:
            spans = [{"start": span.start, "end": span.end, "label": span.label} for span in text.spans]
            file.write(json.dumps({"id": text.id, "text": text.text, "spans": spans}, ensure_ascii=False) + "\n")


class _BadSpanError(ValueError):
    pass


def _text(data: dict[str, object], known: list[str] | None) -> AnnotatedText:
    text, spans = str(data["text"]), data["spans"]
    found = []
    for span in spans:  # type: ignore[attr-defined]
        start, end, label = int(span["start"]), int(span["end"]), str(span["label"])
        if not 0 <= start < end <= len(text):
            raise _BadSpanError(f"span [{start}, {end}) lies outside the text of {len(text)} characters")
        if known is not None and label not in known:
            raise _BadSpanError(f"a label does not exist; labels are {', '.join(known)}")
        found.append(LabelledSpan(start, end, label))
    return AnnotatedText(str(data["id"]), text, tuple(found))


def _problem(error: Exception) -> str:
    if isinstance(error, _BadSpanError):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON: {error.msg}"
    return 'needs "id", "text" and "spans" with "start", "end" and "label"'
