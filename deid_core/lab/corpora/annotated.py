"""Texts with labelled spans: what every reader of an annotated corpus gives and every writer takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deid_core.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True, order=True)
class LabelledSpan:
    """A range [start, end) in code points of a text, and its label as the corpus or its mapping names it."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text and its spans, in the order of the file; spans of one text may overlap where the format allows it.

    id: unique within its corpus; of a column file the document's name, or the file's stem, and the text's first line.
    """

    id: str
    text: str
    spans: tuple[LabelledSpan, ...]

    def __post_init__(self) -> None:
        if not all(span.label for span in self.spans):
            raise ValueError("a span has no label")
        for span in self.spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise ValueError(
                    f"span [{span.start}, {span.end}) lies outside the text of {len(self.text)} characters"
                )


def check_ids(source: object, texts: Iterable[AnnotatedText]) -> None:
    """Raises ConfigurationError if an id stands twice among the texts of a source: one of them would be lost.

    source: what the message names, a path or a corpus. It counts texts and does not quote ids: they are file names
    elsewhere, and file names hold names.
    """
    seen: set[str] = set()
    twice: list[int] = []
    for number, text in enumerate(texts, 1):
        if text.id in seen:
            twice.append(number)
        seen.add(text.id)
    if twice:
        raise ConfigurationError(
            f"{source}: {len(twice)} texts have the id of an earlier one, the first is text {twice[0]}; rename the "
            "document or file that gives the id (of a file its name without the ending)"
        )
