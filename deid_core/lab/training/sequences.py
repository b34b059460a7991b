"""Annotated texts as training sequences: words and BIO2 tags of each text, with line breaks as in the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.labels import Label
from deid_core.crf.features.templates import Templates
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.corpora.bio import OUTSIDE, tags
from deid_core.lab.corpora.joining import join_texts
from deid_core.lab.corpora.named import read_named
from deid_core.lab.training.settings import TrainingCorpus
from deid_core.text.note_sequence import sequence_types, sequence_words
from deid_core.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Sequences:
    """words[i][j] has tags[i][j]."""

    words: list[list[str]]
    tags: list[list[str]]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def tokens(self) -> int:
        """Number of tokens of all sequences, line breaks included."""
        return sum(map(len, self.words))

    def __add__(self, other: Sequences) -> Sequences:
        return Sequences(self.words + other.words, self.tags + other.tags)

    def __mul__(self, times: int) -> Sequences:
        return Sequences(self.words * times, self.tags * times)


def sequences_of(texts: Iterable[AnnotatedText]) -> Sequences:
    """Return the sequences of texts. A line break is a word outside entities, as in the recogniser."""
    sequences = Sequences([], [])
    for text in texts:
        vocabulary = Vocabulary()
        tokens = vocabulary.tokenise(text.text)
        _, numbers = sequence_types(tokens)
        of_token = tags(tokens, text.spans)
        sequences.words.append(sequence_words(tokens, vocabulary))
        sequences.tags.append([of_token[number] if number >= 0 else OUTSIDE for number in numbers.tolist()])
    return sequences


def read_texts(
    corpus: TrainingCorpus, data: Path, labels: Sequence[str], text_tokens: int, *, dropped: Label | None = None
) -> list[AnnotatedText]:
    """Return the texts of a corpus, or its first share, each once, without the sentences of the `without` corpora.

    labels, dropped: as for `read_named`. Raises ConfigurationError if a corpus or one of its files does not exist.
    """
    if corpus.without:
        seen = {text.text for name in corpus.without for text in read_named(name, data, labels, text_tokens=None)}
        sentences = read_named(corpus.corpus, data, labels, text_tokens=None, dropped=dropped)
        texts = join_texts((text for text in sentences if text.text not in seen), text_tokens)
    else:
        texts = read_named(corpus.corpus, data, labels, text_tokens=text_tokens, dropped=dropped)
    return texts[: max(1, round(corpus.share * len(texts)))]


class AttributeSequences(Sequence[list[list[str]]]):
    """The attribute strings of sequences, computed one sequence at a time: all together they take gigabytes."""

    def __init__(self, templates: Templates, words: Sequence[Sequence[str]]) -> None:
        self._templates, self._words = templates, words

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[list[list[str]]]:
        return (list(self._templates.attributes(words)) for words in self._words)

    def __getitem__(self, at: int) -> list[list[str]]:  # type: ignore[override]
        return list(self._templates.attributes(self._words[at]))
