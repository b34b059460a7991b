"""Recogniser `suffix`: words that end like a street or a town, for names that no list has (seed 000, 5 and 6.1).

`ambiguous: accept` is the method of the seed: "if a token contained one of these suffixes, it was replaced by a LOC
placeholder", with the case of the suffix as the list has it and no further condition.

`ambiguous: context` asks for more. The word is capitalised, has letters before the suffix, and is no common, medical or
clinic word (Atemweg, Anfang). Up to two words before a suffix that stands alone ("Berliner Str. 5") belong to the
street. A town needs a postcode or a preposition before it. Only straße, gasse, allee and chaussee make a street without
a house number: other endings are as frequent in medicine (Druckanstieg, Monitoring). In lower case ("dorfstr. 40",
"wiesenburger straße 19") a street needs one of these endings and a house number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.lexicon.disambiguation.evidence import NameEvidence
from deid_core.lexicon.disambiguation.name_flags import NameFlag
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.gazetteer import STREET_NUMBER, STREET_NUMBER_IN_CONTEXT, check_lists
from deid_core.recognisers.settings import SuffixSettings
from deid_core.text.document import Document
from deid_core.text.tokens import GAP, WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_TYPES = {ListKind.STREET_SUFFIX: PhiType.STREET, ListKind.TOWN_SUFFIX: PhiType.TOWN}
_AMBIGUOUS = NameFlag.AMBIGUOUS.value
_POSTCODE = NameFlag.POSTCODE.value
_PLACE_CUE = (NameFlag.PREPOSITION | NameFlag.RESIDENCE).value
_STREET_WORDS = word_set("suffix/street-words")
_UNAMBIGUOUS_ENDINGS = ("straße", "strasse", "str.", "gasse", "gässchen", "allee", "chaussee", "promenade")
_LOWER_CASE_ENDINGS = (*_UNAMBIGUOUS_ENDINGS, "str")
_LOWER_CASE_WORDS = frozenset({"straße", "strasse", "str.", "str", "allee", "chaussee"})
"""Street words in lower case that may stand alone after another word."""
_MEASURED = re.compile(r"\d+[ ]?[x×][ ]?\d|\d+[ ]?[cm]m\b")
"""A size, not a house number: "Nekrosestr. 14 x 9 cm"."""
_MAX_GAP = 2


class SuffixRecogniser:
    """Finds words with a suffix of a street or town; see the module."""

    kind = "suffix"

    def __init__(self, settings: SuffixSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = check_lists(self.kind, settings.lists, _TYPES)
        self._min_stem = settings.min_stem
        self._suffixes = [tuple(sorted(gazetteer.words(kind))) for kind in self._kinds]
        self._list_of = TypeFeature(vocabulary, self._suffix_list, np.uint8)
        in_context = settings.ambiguous == "context"
        self._evidence = NameEvidence(gazetteer, vocabulary, ()) if in_context else None

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return LOC detections; `rule` is the list of the suffix and the evidence, e.g. "street_suffix.number"."""
        found = self._list_of.gather(document.tokens.types)
        places = np.flatnonzero(found)
        if self._evidence is not None:
            return list(self._in_context(document, places, found, self._evidence.flags_of(document)))
        return [self._detection(document, at, at, self._kinds[found[at] - 1], "", 1.0) for at in places.tolist()]

    def _in_context(
        self,
        document: Document,
        places: npt.NDArray[np.intp],
        found: npt.NDArray[np.uint8],
        flags: npt.NDArray[np.uint32],
    ) -> Iterator[Detection]:
        for at in places.tolist():
            kind = self._kinds[found[at] - 1]
            if document.word(at)[0].islower():
                if self._number_end(document, at) is not None:
                    start_token = self._lower_case_street_start(document, at)
                    yield self._detection(document, start_token, at, kind, "number", 0.8)
                continue
            before = int(flags[at - 1]) if at and self._is_near(document, at) else 0
            if kind is ListKind.STREET_SUFFIX:
                numbered = self._number_end(document, at) is not None
                if document.word(at) in _STREET_WORDS:
                    start_token = self._street_start(document, at)
                    if numbered and start_token < at:
                        yield self._detection(document, start_token, at, kind, "number", 0.9)
                elif numbered and not flags[at] & _AMBIGUOUS:
                    yield self._detection(document, at, at, kind, "number", 0.9)
                elif document.word(at).endswith(_UNAMBIGUOUS_ENDINGS) and not flags[at] & _AMBIGUOUS:
                    yield self._detection(document, at, at, kind, "", 0.6)
            elif not flags[at] & _AMBIGUOUS:
                if before & _POSTCODE:
                    yield self._detection(document, at, at, kind, "postcode", 0.95)
                elif before & _PLACE_CUE:
                    yield self._detection(document, at, at, kind, "in", 0.8)

    def _detection(
        self, document: Document, start_token: int, at: int, kind: ListKind, evidence: str, score: float
    ) -> Detection:
        """Return the detection from start_token to the word with the suffix, which is the token at `at`."""
        end = int(document.tokens.ends[at])
        if evidence == "number":
            end = self._number_end(document, at) or end
        phi = _TYPES[kind]
        rule = f"{kind}.{evidence}" if evidence else str(kind)
        return Detection(int(document.tokens.starts[start_token]), end, label_of(phi), phi, self.kind, rule, score)

    def _number_end(self, document: Document, at: int) -> int | None:
        """Return the end of the house number after the word, None if there is none."""
        expression = STREET_NUMBER if self._evidence is None else STREET_NUMBER_IN_CONTEXT
        tail = expression.match(document.text, int(document.tokens.ends[at]))
        if tail is None or not tail.group("digits") or _MEASURED.match(document.text, tail.start("digits")):
            return None
        return tail.end()

    def _street_start(self, document: Document, at: int) -> int:
        """Return the first of up to two capitalised words before a street word that stands alone, else `at`."""
        start_token = at
        while start_token > 0 and at - start_token < 2 and self._is_near(document, start_token):
            word = document.word(start_token - 1)
            if token_kind(word) != WORD or not word[0].isupper() or word.endswith("."):
                break
            start_token -= 1
        return start_token

    def _lower_case_street_start(self, document: Document, at: int) -> int:
        """Return the word before "straße" in lower case if it is formed like a town's: "wiesenburger straße"."""
        alone = document.word(at) in _LOWER_CASE_WORDS and at > 0 and self._is_near(document, at)
        return at - 1 if alone and document.word(at - 1).endswith("er") and len(document.word(at - 1)) > 4 else at

    def _is_near(self, document: Document, at: int) -> bool:
        """Return whether only blanks of the same line separate the token from the one before."""
        gap = document.text[document.tokens.ends[at - 1] : document.tokens.starts[at]]
        return len(gap) <= _MAX_GAP and not gap.strip(GAP)

    def _suffix_list(self, word: str) -> int:
        """Return 1 + the index of the first list with a suffix of the word and enough letters before it, else 0."""
        lower_case = self._evidence is not None and not word[0].isupper()
        if lower_case and not word.endswith(_LOWER_CASE_ENDINGS):
            return 0
        for number, suffixes in enumerate(self._suffixes, start=1):
            for suffix in suffixes:
                stem = len(word) - len(suffix)
                if word.endswith(suffix) and (
                    stem >= self._min_stem or self._stands_alone(word) or word in _LOWER_CASE_WORDS
                ):
                    return number if not lower_case or self._kinds[number - 1] is ListKind.STREET_SUFFIX else 0
        return 0

    def _stands_alone(self, word: str) -> bool:
        return self._evidence is not None and word in _STREET_WORDS
