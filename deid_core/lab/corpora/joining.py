"""Sentences of tokens to texts: tokens joined by one blank, sentences alone or joined to texts of about N tokens.

No detokenising: which blanks the writer of a pre-tokenised corpus took away cannot be known. Sentences are joined
because the notes are read without sentence splitting (seed 000, section 5.2): a model that is to tag whole notes
should not learn that every text is one sentence.
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
    """Words of a column file up to an empty line, or a piece of them.

    id: of the text that begins with it. entities: (first word, word behind the last, label), ascending.
    """

    id: str
    words: tuple[str, ...]
    entities: tuple[tuple[int, int, str], ...]


def texts_of(sentences: Iterable[Sentence], text_tokens: int | None) -> list[AnnotatedText]:
    """The sentences as texts.

    text_tokens: None makes a text of each sentence. A number joins sentences that follow each other, over the ends of
    documents too, as long as the text has no more than so many tokens; a longer sentence is cut, never in an entity.
    """
    if text_tokens is None:
        return [_text([sentence]) for sentence in sentences]
    pieces = (piece for sentence in sentences for piece in _pieces(sentence, text_tokens))
    return [_text(held) for held in _filled(pieces, lambda piece: len(piece.words), text_tokens)]


def join_texts(texts: Iterable[AnnotatedText], text_tokens: int) -> list[AnnotatedText]:
    """Texts that follow each other joined by a blank, as long as there are no more than `text_tokens` tokens in one.

    Tokens are what blanks part; a text with more of them is not cut, it stays alone. Spans move with their texts; a
    joined text has the id of its first. Where no sentence is longer than `text_tokens`, joining the texts of sentences
    gives what `texts_of` gives of the sentences: so some of them can be left out before.
    """
    return [_joined(held) for held in _filled(texts, lambda text: text.text.count(" ") + 1, text_tokens)]


def _filled(parts: Iterable[Part], tokens: Callable[[Part], int], limit: int) -> Iterator[list[Part]]:
    """The parts in runs of at most `limit` tokens, each run as long as it can be; a longer part is a run of its own."""
    held: list[Part] = []
    count = 0
    for part in parts:
        size = tokens(part)
        if held and count + size > limit:
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
        for first, behind, label in sentence.entities:
            start = ends[before + first] - len(words[before + first]) - 1
            spans.append(LabelledSpan(start, ends[before + behind - 1] - 1, label))
        before += len(sentence.words)
    return AnnotatedText(sentences[0].id, " ".join(words), tuple(spans))


def _pieces(sentence: Sentence, limit: int) -> Iterator[Sentence]:
    """The sentence in pieces of at most `limit` words, or as long as an entity of it if that is longer."""
    start = 0
    while len(sentence.words) - start > limit:
        cut = _cut(sentence, start, limit)
        if cut == len(sentence.words):
            break
        yield _piece(sentence, start, cut)
        start = cut
    yield _piece(sentence, start, len(sentence.words))


def _cut(sentence: Sentence, start: int, limit: int) -> int:
    """Where the piece that begins at `start` ends: at a full stop in its second half, else as late as it can."""
    inside = {p for first, behind, _ in sentence.entities for p in range(first + 1, behind)}
    places = [p for p in range(start + limit, start, -1) if p not in inside]
    for place in places:
        if place - start > limit // 2 and sentence.words[place - 1] in SENTENCE_ENDS:
            return place
    if places:
        return places[0]
    return next(p for p in range(start + limit, len(sentence.words) + 1) if p not in inside)


def _piece(sentence: Sentence, start: int, end: int) -> Sentence:
    if (start, end) == (0, len(sentence.words)):
        return sentence
    entities = tuple((f - start, b - start, label) for f, b, label in sentence.entities if start <= f and b <= end)
    return Sentence(f"{sentence.id}+{start}" if start else sentence.id, sentence.words[start:end], entities)
