"""Evidence of one place for the whole note: a name that is sure somewhere is looked for everywhere (seed 004).

"Herr Xylander kam. Xylander klagte": the second one is a name because the first one is. Sure are names behind a
salutation or title, before a birth date, signed, or in a field of the header, and what a list and its context, or the
CRF, say with a score of 0.9 and more; their words become search terms, and recognise/forms.py finds their forms. (The
CRF's share: on the letters to learn from 3 names more and 1 false one; on news recall of names 0.909 for 0.900 at the
same precision.) Beside them: names that a line's end breaks, names in small letters where the note writes them so, and
the initials of a full name. Not where a name stands as an eponym does. Runs after the recognisers, before the decision;
pipelines switch it on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.letterhead.name_forms import form_finder
from deid_core.lexicon.cue_words import ALSO_SURNAMES, NOT_A_NAME, CueFlag, cue_flags
from deid_core.lexicon.disambiguation.eponyms import eponym_flags, is_eponym
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, word_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts
from deid_core.text.token_ranges import token_ranges
from deid_core.text.tokens import DASHES
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_INITIAL = CueFlag.INITIAL.value

KIND = "whole_note"
_SURE_SCORE = 0.9
_MIN_LETTERS = 3
_MAX_RATIO = 0.2
"""Stricter than the header's: a body names more people than a header, and their names were not written for it."""
_SHORT = 5
"""Of a longer word the genitive is a variant by its R, unless it is a common word and has to be the very term."""
_INITIAL_CHARS = 2
_OF_LESS_RISK = frozenset((PhiType.CLINICIAN, PhiType.RELATIVE))
"""Of others, who may be the patient, every place of the name counts: one that stays readable harms more."""
_BROKEN = re.compile(rf"[-{DASHES}\u00ad][ \t]*\n[ \t]*")
"""A hyphen at a line's end, Word's soft one too, and the next line's indent."""
_BEFORE_ITEM = frozenset(") : - / •".split())
_Sure = tuple[int, int, PhiType]
"""A sure name's start, end and type."""


class NamePropagation:
    """Finds the other places of names that are sure in one."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_flags(gazetteer, vocabulary)
        self._forms = form_finder(gazetteer, vocabulary)
        self._eponyms = eponym_flags(vocabulary)
        self._terms = _NameTerms(self._bits, vocabulary)
        self._eponym_words = gazetteer.words("eponym")
        self._initials = TypeFeature(vocabulary, _is_initial, bool)

    def repeat(self, document: Document, detections: Iterable[Detection]) -> Iterator[Detection]:
        """Detections of forms of the sure names; `rule` is "repeat", or what is special about the form.

        Raises NoteError if there are too many words to compare.
        """
        name = Label.PER
        # Most sure names are found by several recognisers.
        sure = {(d.start, d.end, d.type) for d in detections if d.label is name and d.score >= _SURE_SCORE}
        if not sure:
            return
        names = _Names(document, sorted(sure), self._bits.gather(document.tokens.types), self._terms)
        yield from self._repeated(document, names)
        yield from _broken(document, names)
        yield from _small(document, names)
        yield from self._initialled(document, names)

    def _repeated(self, document: Document, names: _Names) -> Iterator[Detection]:
        """Forms of the names' words, neighbours joined, with the initials before them."""
        found = {form.index: form for form in self._forms.find(document, names.terms, _MAX_RATIO)}
        if not found:
            return
        tokens, joined = document.tokens, names.joined
        eponyms = self._eponyms.gather(tokens.types)
        is_initial = self._initials.gather(tokens.types)
        behind = -1
        for index, form in found.items():
            if index < behind:
                continue
            first, behind = index, index + 1
            while behind in found and joined[behind]:
                behind += 1
            if behind == first + 1 and names.bits[index] & COMMON:
                if is_eponym(eponyms, tokens.breaks, first, behind):
                    continue
                if form.type in _OF_LESS_RISK and self._is_doubtful(document, first):
                    continue
            while first and joined[first] and is_initial[first - 1]:
                first -= 1
            behind = _with_given(document, names, first, behind)
            rule = "variant" if form.ratio else "repeat"
            yield _detection(document, first, behind, form.type, rule, 0.9 - form.ratio)

    def _is_doubtful(self, document: Document, index: int) -> bool:
        """Whether an eponym that is somebody's name as well, or a common word among capitals, stands for itself."""
        word = document.word(index)
        return word in self._eponym_words or (word.isupper() and index > 0 and document.word(index - 1).isupper())

    def _initialled(self, document: Document, names: _Names) -> Iterator[Detection]:
        """Two initials that are those of a sure full name: "A. M." for Anna Muster."""
        if not names.initials:
            return
        is_initial = self._initials.gather(document.tokens.types)
        for index in np.flatnonzero(is_initial[:-1] & is_initial[1:]).tolist():
            phi = names.initials.get(document.word(index)[0] + document.word(index + 1)[0])
            if phi is not None and names.joined[index + 1]:
                yield _detection(document, index, index + 2, phi, "initials", 0.8)


class _NameTerms(dict[int, tuple[str, ...] | None]):
    """What the word types of a vocabulary are searched as; of the few that stand in names, each taken apart once.

    The folded terms of a word type: the word, parts of it, and a genitive that its R would not find; () if it is
    written in small letters. The value is None if it is no word of a name.
    """

    def __init__(self, bits: TypeFeature, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._bits = bits
        self._vocabulary = vocabulary

    def __missing__(self, number: int) -> tuple[str, ...] | None:
        word = self._vocabulary.words[number]
        found = self[number] = tuple(self._made(word)) if self._is_usable(word) else None
        return found

    def small(self, number: int) -> list[int]:
        """The word types that a name in small letters is searched as: itself and its genitive ("knarls frau")."""
        word = self._vocabulary.words[number]
        if self._bits.of(word) & COMMON or len(word) < _MIN_LETTERS or word in NOT_A_NAME:
            return []
        # Which words there are changes with each note, so this is asked each time.
        genitive = self._vocabulary.known(f"{word}s") if word[-1] not in "sßxz" else None
        return [number] if genitive is None else [number, genitive]

    def _made(self, word: str) -> Iterator[str]:
        bits = self._bits.of(word)
        if not bits & CAPITALISED:
            return
        common = bits & COMMON
        for part in parts(word):
            if len(part) >= _MIN_LETTERS and part.lower() not in NOT_A_NAME:
                yield folded(part)
                if part[-1] not in "sßxz" and len(part) > _MIN_LETTERS and (common or len(part) <= _SHORT):
                    yield f"{folded(part)}s"

    def _is_usable(self, word: str) -> bool:
        is_trigger = cue_flags(word) & ~_INITIAL != 0 and word.lower() not in ALSO_SURNAMES
        return self._bits.of(word) & (IS_WORD | STOP) == IS_WORD and not is_trigger


class _Names:
    """What the sure names of a document give to look for.

    terms: folded words and their type. small: word types in small letters that no list of words has, and their type.
    initials: first letters of given name and surname, both ways round, of the patient's and relatives' full names.
    bits: wordlists' bits of each token. joined: bool by token, whether at most a blank parts it from the one before.
    """

    def __init__(
        self, document: Document, sure: Iterable[_Sure], bits: np.typing.NDArray[np.uint32], terms: _NameTerms
    ) -> None:
        tokens = document.tokens
        self.bits = bits
        self.joined = ~tokens.breaks
        self.joined[1:] &= tokens.starts[1:] - tokens.ends[:-1] <= 1
        self.terms: dict[str, PhiType] = {}
        self.small: dict[int, PhiType] = {}
        self.initials: dict[str, PhiType] = {}
        ranges = token_ranges(document, [(start, end) for start, end, _ in sure])
        # A view: names are few of a note's tokens.
        types, patient = tokens.types.data, PhiType.PATIENT
        strings = document.vocabulary.words
        seen: set[int] = set()
        for (_, _, phi), (first, behind) in zip(sure, ranges, strict=True):
            words = [number for number in types[first:behind].tolist() if terms[number] is not None]
            for number in words:
                # The first type of a word stands.
                if number in seen:
                    continue
                seen.add(number)
                if searched := terms[number]:
                    for term in searched:
                        self.terms.setdefault(term, phi)
                elif not strings[number][0].isupper():
                    self.small |= dict.fromkeys(terms.small(number), phi)
            if phi is patient and len(words) == 2:
                one, other = (strings[number][0].upper() for number in words)
                self.initials[one + other] = self.initials[other + one] = phi


def _with_given(document: Document, names: _Names, first: int, behind: int) -> int:
    """Where the name ends with the given name that a comma adds to it, at the beginning of a line or list's item."""
    given = behind + 1
    if given >= len(document.tokens) or not names.joined[given] or document.word(behind) != ",":
        return behind
    opens = not first or document.tokens.breaks[first] or document.word(first - 1) in _BEFORE_ITEM
    return given + 1 if opens and names.bits[given] & (GIVEN_NAME | STOP) == GIVEN_NAME else behind


def _broken(document: Document, names: _Names) -> Iterator[Detection]:
    """Names of which a hyphen breaks a word at a line's end."""
    tokens = document.tokens
    for line_end in _BROKEN.finditer(document.text):
        before = int(tokens.ends.searchsorted(line_end.start()))
        after = int(tokens.starts.searchsorted(line_end.end()))
        if after == len(tokens) or tokens.ends[before] != line_end.start() or tokens.starts[after] != line_end.end():
            continue
        left, right = folded(document.word(before)), folded(document.word(after))
        phi = names.terms.get(left + right) or names.terms.get(f"{left}-{right}")
        if phi is not None:
            yield _detection(document, before, before + 1, phi, "broken", 0.9)
            yield _detection(document, after, after + 1, phi, "broken", 0.9)


def _small(document: Document, names: _Names) -> Iterator[Detection]:
    """Names in small letters, in a note that writes them so."""
    types = document.tokens.types
    # One by one, since they are one or two.
    for number, phi in names.small.items():
        for index in np.flatnonzero(types == number).tolist():
            yield _detection(document, index, index + 1, phi, "small", 0.8)


def _is_initial(word: str) -> bool:
    return len(word) == _INITIAL_CHARS and word[1] == "." and word[0].isupper()


def _detection(document: Document, first: int, behind: int, phi: PhiType, rule: str, score: float) -> Detection:
    start, end = int(document.tokens.starts[first]), int(document.tokens.ends[behind - 1])
    return Detection(start, end, label_of(phi), phi, KIND, rule, round(score, 3))
