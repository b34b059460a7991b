"""A pipeline's own lists: words that are removed always, and words that are never removed.

Both come before whatever recognisers and models say. An entry is one or several words. It matches in any case, with ä
or ae, and in its German inflections: with -s, -'s, -es, -n, -en, -ns, -ens or -e, if at least four letters come before
them.

A word that is never removed is cut out of the spans, whatever found them. In these cases removal takes precedence:

- a word of a name that the note's letterhead, its introducing sentence, or the hospital's table of identities gives: it
  is surely a name in this note. Such words are counted;
- a part of what was removed always, or of an author;
- a part of a number, a date, an e-mail or a web address, such as the month of a date. The word is kept only if it is
  all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from deid_core.core.labels import LABELS, Label, general_type, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason, Span
from deid_core.ensemble.settings import ListsSettings
from deid_core.letterhead.field_kinds import FieldKind
from deid_core.letterhead.fields import header_fields
from deid_core.letterhead.parts import header_of
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts
from deid_core.text.vocabulary import TypeFeature, Vocabulary

KIND = "own_list"
_ALWAYS = "always"
_ENDINGS = ("'s", "’s", "ens", "en", "es", "ns", "n", "e", "s")
_MIN_STEM = 4
"""Least letters before an ending, so that "Hals" is not the name "Hal"."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


class OwnLists:
    """The lists for documents of one vocabulary; see the module.

    kept_words: further words that are never removed.
    """

    def __init__(self, settings: ListsSettings, kept_words: Iterable[str], vocabulary: Vocabulary) -> None:
        always = [(entry, label) for label, entries in settings.always.items() for entry in entries]
        self._labels = [label for _, label in always]
        self._always = _Matcher([entry for entry, _ in always], vocabulary, in_compounds=True)
        self._never = _Matcher([*settings.never, *kept_words], vocabulary)

    def always(self, document: Document) -> Iterator[Detection]:
        """Yield a detection for each entry that is removed always."""
        for found in self._always.find(document):
            label = self._labels[found.entry]
            yield Detection(found.start, found.end, label, general_type(label), KIND, _ALWAYS)

    def cut(
        self, document: Document, spans: Sequence[Span], first: Iterable[Detection]
    ) -> tuple[tuple[Span, ...], list[Dropped], int]:
        """Return the spans without what is never removed, what was cut out, and how many such words stay removed.

        first: detections that come before the words that are never removed.
        """
        taken = [(detection.start, detection.end) for detection in first]
        kept = [
            match
            for match in self._never.find(document)
            if any(span.start < match.end and match.start < span.end for span in spans)
            and not any(start < match.end and match.start < end for start, end in taken)
        ]
        if not kept:
            return tuple(spans), [], 0
        names = certain_names(document)
        allowed = [match for match in kept if names.isdisjoint(match.words)]
        cut: list[Span] = []
        dropped: list[Dropped] = []
        for span in spans:
            pieces, out = _cut(document.text, span, allowed)
            cut += pieces
            dropped += out
        return tuple(cut), dropped, len(kept) - len(allowed)


class NeverRemoved:
    """Finds words that are never removed in any text, as `OwnLists` does."""

    def __init__(self, entries: Sequence[str], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._matcher = _Matcher(entries, vocabulary)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return their (start, end), ascending."""
        document = Document(Note("", text), self._vocabulary.tokenise(text), self._vocabulary)
        return [(match.start, match.end) for match in self._matcher.find(document)]


def refused_message(count: int) -> str:
    """Return in words that so many entries of `lists.never` stay removed."""
    return f"removed all the same, since letterhead or hospital names them: words of lists.never, {count:,} times"


def certain_names(document: Document) -> frozenset[str]:
    """Return the words of the names that the letterhead gives or the hospital knows, and their parts, folded."""
    text = document.text
    fields = header_fields(document.note, header_of(document))
    names = [text[field.start : field.end] for field in fields if field.kind is FieldKind.NAME]
    names += [known for known, phi in document.known if label_of(phi) is Label.PER]
    return frozenset(folded(part) for name in names for word in _WORD.findall(name) for part in parts(word))


class _Match(NamedTuple):
    """An entry's place in the text, [start, end). words: of the entry and of the text, folded."""

    start: int
    end: int
    entry: int
    words: frozenset[str]


class _Matcher:
    """Finds entries as whole words; of several at one word the longest."""

    def __init__(self, entries: Sequence[str], vocabulary: Vocabulary, *, in_compounds: bool = False) -> None:
        """in_compounds: an entry of one word is also found as a part of a hyphenated word."""
        self._forms: Callable[[str], frozenset[str]] = _forms_of_parts if in_compounds else _forms
        self._entries: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        own = Vocabulary()
        for number, entry in enumerate(entries):
            words = tuple(_key(own.words[word]) for word in own.tokenise(entry).types.tolist())
            if words:
                self._entries.setdefault(words[0], []).append((words, number))
        for listed in self._entries.values():
            listed.sort(key=lambda item: -len(item[0]))
        self._begins = TypeFeature(vocabulary, self._may_begin, bool)

    def find(self, document: Document) -> Iterator[_Match]:
        """Yield the entries of a document, ascending and disjoint; none goes over a line's end."""
        if not self._entries:
            return
        tokens, after = document.tokens, -1
        for index in np.flatnonzero(self._begins.gather(tokens.types)).tolist():
            if index >= after and (found := self._at(document, index)):
                length, entry, words = found
                after = index + length
                start, end = int(tokens.starts[index]), int(tokens.ends[after - 1])
                text = (document.word(at) for at in range(index, after))
                yield _Match(start, end, entry, words.union(_key(part) for word in text for part in parts(word)))

    def _at(self, document: Document, index: int) -> tuple[int, int, frozenset[str]] | None:
        """Return number of tokens, entry and the entry's words of the longest entry that begins at a token."""
        tokens = document.tokens
        found = [item for form in self._forms(document.word(index)) for item in self._entries.get(form, ())]
        for words, entry in sorted(found, key=lambda item: (-len(item[0]), item[1])):
            rest = range(index + 1, index + len(words))
            if rest.stop <= len(tokens) and all(
                not tokens.breaks[at] and word in _forms(document.word(at))
                for word, at in zip(words[1:], rest, strict=True)
            ):
                return len(words), entry, frozenset(words)
        return None

    def _may_begin(self, word: str) -> bool:
        return not self._entries.keys().isdisjoint(self._forms(word))


def _key(word: str) -> str:
    """Return the word as it is compared: folded, without the full stop of an abbreviation."""
    return folded(word.rstrip(".") or word)


def _forms(word: str) -> frozenset[str]:
    """Return the entries that a word of the text is a form of."""
    key = _key(word)
    stems = (key[: -len(ending)] for ending in _ENDINGS if key.endswith(ending))
    return frozenset([key, *(stem for stem in stems if len(stem) >= _MIN_STEM)])


def _forms_of_parts(word: str) -> frozenset[str]:
    return frozenset().union(*map(_forms, parts(word)))


def _cut(text: str, span: Span, kept: Sequence[_Match]) -> tuple[list[Span], list[Dropped]]:
    """Return what is left of a span without the ranges that are kept, and these ranges."""
    inside = [(max(span.start, m.start), min(span.end, m.end)) for m in kept if m.start < span.end > span.start < m.end]
    if LABELS[span.label].has_form and inside != [(span.start, span.end)]:
        return [span], []
    dropped = [Dropped.from_detection(span._replace(start=a, end=b), DropReason.NEVER) for a, b in inside]
    starts, ends = [span.start, *(end for _, end in inside)], [*(start for start, _ in inside), span.end]
    pieces = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        while start < end and number and not text[start].isalnum():
            start += 1
        while start < end and number < len(inside) and not text[end - 1].isalnum():
            end -= 1
        if start < end:
            pieces.append(span._replace(start=start, end=end))
    return pieces, dropped
