"""Evidence of one place for the whole note: a name that is sure somewhere is looked for everywhere (seed 004).

"Herr Xylander kam. Xylander klagte": the second one is a name because the first one is. Sure are names behind a
salutation or title, before a birth date, signed, or in a field of the header, and what a list and its context, or the
CRF, say with a score of 0.9 and more; their words become search terms, and recognise/forms.py finds their forms. Beside
them: names that a line's end breaks, names in small letters where the note writes them so, and the initials of a full
name. Not where a name stands as an eponym does. Runs after the recognisers, before the decision; pipelines switch it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import Label, PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.eponyms import eponym_bits, is_eponym
from deid_core.recognise.forms import form_finder
from deid_core.recognise.terms import folded, parts, token_ranges
from deid_core.recognise.triggers import NOT_A_NAME, trigger_bits
from deid_core.recognise.wordlists import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, word_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

KIND = "whole_note"
_SURE_SCORE = 0.9
_MIN_LETTERS = 3
_MAX_RATIO = 0.2
"""Stricter than the header's: a body names more people than a header, and their names were not written for it."""
_USABLE = IS_WORD | STOP
_INITIAL_CHARS = 2


class WholeNote:
    """Finds the other places of names that are sure in one."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._forms = form_finder(gazetteer, vocabulary)
        self._eponyms = TypeColumn(vocabulary, eponym_bits)
        self._triggers = TypeColumn(vocabulary, lambda word: trigger_bits(word) != 0, bool)
        self._initials = TypeColumn(vocabulary, _is_initial, bool)

    def repeat(self, document: Document, detections: Iterable[Detection]) -> Iterator[Detection]:
        """Detections of forms of the sure names; `rule` is "repeat", or what is special about the form.

        Raises NoteError if there are too many words to compare.
        """
        sure = sorted(d for d in detections if d.label is Label.PER and d.score >= _SURE_SCORE)
        if not sure:
            return
        names = _Names(document, sure, self._bits.gather(document.tokens.types), self._triggers)
        yield from self._repeated(document, names)
        yield from _broken(document, names)
        yield from _small(document, names)
        yield from self._initialled(document, names)

    def _repeated(self, document: Document, names: _Names) -> Iterator[Detection]:
        """Forms of the names' words, neighbours joined, with the initials before them."""
        tokens = document.tokens
        eponyms = self._eponyms.gather(tokens.types)
        found = {form.index: form for form in self._forms.find(document, names.terms, _MAX_RATIO)}
        is_initial = self._initials.gather(tokens.types)
        behind = -1
        for index, form in found.items():
            if index < behind:
                continue
            first, behind = index, index + 1
            while behind in found and _adjacent(document, behind):
                behind += 1
            if names.bits[index] & COMMON and is_eponym(eponyms, tokens.breaks, first, behind):
                continue
            while first and is_initial[first - 1] and _adjacent(document, first):
                first -= 1
            comma = behind + 1
            if comma in found and document.word(behind) == "," and _adjacent(document, comma):
                if names.bits[comma] & GIVEN_NAME and (not first or tokens.breaks[first]):
                    behind = comma + 1
            rule = "variant" if form.ratio else "repeat"
            yield _detection(document, first, behind, form.type, rule, 0.9 - form.ratio)

    def _initialled(self, document: Document, names: _Names) -> Iterator[Detection]:
        """Two initials that are those of a sure full name: "A. M." for Anna Muster."""
        if not names.initials:
            return
        is_initial = self._initials.gather(document.tokens.types)
        for index in np.flatnonzero(is_initial[:-1] & is_initial[1:]).tolist():
            phi = names.initials.get(document.word(index)[0] + document.word(index + 1)[0])
            if phi is not None and _adjacent(document, index + 1):
                yield _detection(document, index, index + 2, phi, "initials", 0.8)


class _Names:
    """What the sure names of a document give to look for.

    terms: folded words and their type. small: words in small letters that no list of words has, and their type.
    initials: first letters of given name and surname, both ways round, of the patient's and relatives' full names.
    bits: wordlists' bits of each token.
    """

    def __init__(
        self, document: Document, sure: Sequence[Detection], bits: np.typing.NDArray[np.uint32], triggers: TypeColumn
    ) -> None:
        self.bits = bits
        self.terms: dict[str, PhiType] = {}
        self.small: dict[str, PhiType] = {}
        self.initials: dict[str, PhiType] = {}
        ranges = token_ranges(document, [(detection.start, detection.end) for detection in sure])
        usable = (((bits & _USABLE) == IS_WORD) & ~triggers.gather(document.tokens.types)).tolist()
        for detection, (first, behind) in zip(sure, ranges, strict=True):
            words = [index for index in range(first, behind) if usable[index]]
            for index in words:
                self._add(document.word(index), int(bits[index]), detection.type)
            if detection.type is PhiType.PATIENT and len(words) == 2:
                one, other = (document.word(index)[0].upper() for index in words)
                self.initials |= {one + other: detection.type, other + one: detection.type}

    def _add(self, word: str, bits: int, phi: PhiType) -> None:
        if bits & CAPITALISED:
            for part in parts(word):
                if len(part) >= _MIN_LETTERS and part.lower() not in NOT_A_NAME:
                    self.terms.setdefault(folded(part), phi)
        elif not bits & COMMON and len(word) >= _MIN_LETTERS:
            self.small.setdefault(word, phi)


def _broken(document: Document, names: _Names) -> Iterator[Detection]:
    """Names of which a hyphen breaks a word at a line's end."""
    text, tokens = document.text, document.tokens
    at = text.find("-\n")
    while at >= 0:
        hyphen = int(tokens.starts.searchsorted(at))
        before, after = hyphen - 1, hyphen + 1
        if 0 <= before and after < len(tokens) and tokens.ends[before] == at and tokens.starts[after] == at + 2:
            left, right = folded(document.word(before)), folded(document.word(after))
            phi = names.terms.get(left + right) or names.terms.get(f"{left}-{right}")
            if phi is not None:
                yield _detection(document, before, after + 1, phi, "broken", 0.9)
        at = text.find("-\n", at + 2)


def _small(document: Document, names: _Names) -> Iterator[Detection]:
    """Names in small letters, and their genitive, in a note that writes them so."""
    if not names.small:
        return
    for index in range(len(document.tokens)):
        word = document.word(index)
        phi = names.small.get(word) or names.small.get(word.removesuffix("s"))
        if phi is not None:
            yield _detection(document, index, index + 1, phi, "small", 0.8)


def _adjacent(document: Document, index: int) -> bool:
    tokens = document.tokens
    return bool(not tokens.breaks[index] and tokens.starts[index] - tokens.ends[index - 1] <= 1)


def _is_initial(word: str) -> bool:
    return len(word) == _INITIAL_CHARS and word[1] == "." and word[0].isupper()


def _detection(document: Document, first: int, behind: int, phi: PhiType, rule: str, score: float) -> Detection:
    start, end = int(document.tokens.starts[first]), int(document.tokens.ends[behind - 1])
    return Detection(start, end, label_of(phi), phi, KIND, rule, round(score, 3))
