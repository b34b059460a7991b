"""Texts with labelled spans: the result of every reader of a corpus, and the input of every writer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deid_core.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True, order=True)
class LabelledSpan:
    """A range [start, end) in code points of a text, and its label in the corpus or after mapping."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text and its spans in the order of the file; spans may overlap where the format allows it.

    id: unique in its corpus. In column files: name of the document or stem of the file, and number of the first line.
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
    """Raise ConfigurationError if two texts of a source have the same id: one of them would be lost.

    source: the path or corpus that the message names. The message does not quote ids: ids may be file names, and file
    names may hold names of patients.
    """
    seen: set[str] = set()
    repeated: list[int] = []
    for number, text in enumerate(texts, 1):
        if text.id in seen:
            repeated.append(number)
        seen.add(text.id)
    if repeated:
        raise ConfigurationError(
            f"{source}: {len(repeated)} texts have the id of an earlier one, the first is text {repeated[0]}; rename "
            "the document or file that gives the id (of a file its name without the ending)"
        )
