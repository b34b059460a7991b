"""Builds texts from sentences of tokens: tokens joined by one blank, sentences alone or joined to about N tokens.

Nothing is detokenised: the original blanks of a pre-tokenised corpus are unknown. Sentences are joined since notes are
processed without sentence splitting (seed 000, section 5.2): a model that tags whole notes should not learn that every
text is one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan

SENTENCE_ENDS = frozenset(".!?")

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a column file, or a piece of one.

    id: of the text that begins with it. entities: (start word, end word, label), half-open and ascending.
    """

    id: str
    words: tuple[str, ...]
    entities: tuple[tuple[int, int, str], ...]


def texts_of(sentences: Iterable[Sentence], text_tokens: int | None) -> list[AnnotatedText]:
    """Return the sentences as texts.

    text_tokens: None returns one text a sentence. A number joins consecutive sentences, also across documents, up to
    this number of tokens. Longer sentences are cut, but never within an entity.
    """
    if text_tokens is None:
        return [_text([sentence]) for sentence in sentences]
    pieces = (piece for sentence in sentences for piece in _pieces(sentence, text_tokens))
    return [_text(held) for held in _groups(pieces, lambda piece: len(piece.words), text_tokens)]


def join_texts(texts: Iterable[AnnotatedText], text_tokens: int) -> list[AnnotatedText]:
    """Join consecutive texts by a blank, up to `text_tokens` tokens.

    Tokens are separated by blanks. A longer text is not cut and stays alone. Spans are shifted; a joined text has the
    id of its first text. If no sentence is longer than `text_tokens`, the result equals `texts_of` of the sentences, so
    a caller can remove sentences before joining.
    """
    return [_joined(held) for held in _groups(texts, lambda text: text.text.count(" ") + 1, text_tokens)]


def _groups(parts: Iterable[Part], tokens: Callable[[Part], int], max_tokens: int) -> Iterator[list[Part]]:
    """Yield groups of consecutive parts, as long as possible with at most `max_tokens`; a longer part stays alone."""
    held: list[Part] = []
    count = 0
    for part in parts:
        size = tokens(part)
        if held and count + size > max_tokens:
            yield held
            held, count = [], 0
        held.append(part)
        count += size
    if held:
        yield held


def _joined(texts: list[AnnotatedText]) -> AnnotatedText:
    starts = accumulate((len(text.text) + 1 for text in texts), initial=0)
    spans = tuple(
        LabelledSpan(start + span.start, start + span.end, span.label)
        for start, text in zip(starts, texts, strict=False)
        for span in text.spans
    )
    return AnnotatedText(texts[0].id, " ".join(text.text for text in texts), spans)


def _text(sentences: list[Sentence]) -> AnnotatedText:
    words = [word for sentence in sentences for word in sentence.words]
    ends = list(accumulate(len(word) + 1 for word in words))
    spans: list[LabelledSpan] = []
    before = 0
    for sentence in sentences:
        for start_word, end_word, label in sentence.entities:
            start = ends[before + start_word] - len(words[before + start_word]) - 1
            spans.append(LabelledSpan(start, ends[before + end_word - 1] - 1, label))
        before += len(sentence.words)
    return AnnotatedText(sentences[0].id, " ".join(words), tuple(spans))


def _pieces(sentence: Sentence, max_words: int) -> Iterator[Sentence]:
    """Yield the sentence in pieces of at most `max_words` words; a longer entity stays whole."""
    start = 0
    while len(sentence.words) - start > max_words:
        cut = _cut(sentence, start, max_words)
        if cut == len(sentence.words):
            break
        yield _piece(sentence, start, cut)
        start = cut
    yield _piece(sentence, start, len(sentence.words))


def _cut(sentence: Sentence, start: int, max_words: int) -> int:
    """Return the end of the piece that begins at `start`: a full stop in its second half, else the last possible."""
    inside = {p for start_word, end_word, _ in sentence.entities for p in range(start_word + 1, end_word)}
    places = [p for p in range(start + max_words, start, -1) if p not in inside]
    for place in places:
        if place - start > max_words // 2 and sentence.words[place - 1] in SENTENCE_ENDS:
            return place
    if places:
        return places[0]
    return next(p for p in range(start + max_words, len(sentence.words) + 1) if p not in inside)


def _piece(sentence: Sentence, start: int, end: int) -> Sentence:
    if (start, end) == (0, len(sentence.words)):
        return sentence
    entities = tuple((f - start, b - start, label) for f, b, label in sentence.entities if start <= f and b <= end)
    return Sentence(f"{sentence.id}+{start}" if start else sentence.id, sentence.words[start:end], entities)
