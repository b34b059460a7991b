"""Sentences as the sequence models of the papers see them: what a line, a cell or a final mark ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.systems.base import TokenisingSystem
from deid_core.text.document import Document
from deid_core.text.tokens import Tokens

END_MARKS = (".", "?", "!")
_Tag = TypeVar("_Tag")


class Sentence(NamedTuple):
    """The tokens [start, end) of a document and their words."""

    start: int
    end: int
    words: list[str]


def words_of(document: Document) -> list[str]:
    """Return the words of a document's tokens."""
    words = document.vocabulary.words
    return [words[kind] for kind in document.tokens.types.tolist()]


def sentences(document: Document) -> Iterator[Sentence]:
    """Yield the sentences of a document: up to the end of a line, of a cell, or after a final mark."""
    words = words_of(document)
    begins = document.tokens.breaks.copy()
    begins[1:] |= np.array([word in END_MARKS for word in words[:-1]], bool)
    bounds = [0, *np.flatnonzero(begins)[np.flatnonzero(begins) > 0].tolist(), len(words)]
    yield from (Sentence(start, end, words[start:end]) for start, end in pairwise(bounds) if start < end)


def tagged_sentences(
    examples: Iterable[tuple[Note, Sequence[GoldSpan]]],
    tags_of: Callable[[Tokens, Sequence[GoldSpan]], Sequence[_Tag]],
) -> Iterator[tuple[list[str], Sequence[_Tag]]]:
    """Yield words and tags of the sentences of annotated notes; tags_of: a tag for each token of a note."""
    reader = TokenisingSystem()
    for note, gold in examples:
        document = reader.document(note)
        tags = tags_of(document.tokens, gold)
        yield from ((sentence.words, tags[sentence.start : sentence.end]) for sentence in sentences(document))
