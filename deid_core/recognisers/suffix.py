"""Recogniser `suffix`: words that end like a street or a town, for names that no list has (seed 000, 5 and 6.1).

`ambiguous: accept` is the seed's way: "if a token contained one of these suffixes, it was replaced by a LOC
placeholder", with the case of the suffix as the list has it and no further condition.

`ambiguous: context` asks for more: the word is capitalised, has letters before the suffix, and is no common, medical
or clinic word (Atemweg, Anfang). Before a suffix that stands alone ("Berliner Str. 5") up to two words belong to the
street. A town needs a postcode or a preposition before it. Only straße, gasse, allee and chaussee make a street without
a house number: other endings are as frequent in medicine (Druckanstieg, Monitoring). In small letters ("dorfstr. 40",
"wiesenburger straße 19") a street needs one of these endings and a house number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.lexicon.disambiguation.evidence import NameEvidence
from deid_core.lexicon.disambiguation.flags import DOUBTFUL, POSTCODE, PREPOSITION, RESIDENCE
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.gazetteer import STREET_NUMBER, STREET_NUMBER_IN_CONTEXT, check_lists
from deid_core.recognisers.settings import SuffixSettings
from deid_core.text.document import Document
from deid_core.text.tokens import GAP, WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_TYPES = {ListKind.STREET_SUFFIX: PhiType.STREET, ListKind.TOWN_SUFFIX: PhiType.TOWN}
_STREET_WORDS = frozenset("Straße Strasse Str. Str Weg Gasse Allee Platz Ring Damm Ufer Chaussee Pfad Steig".split())
_SURE = ("straße", "strasse", "str.", "gasse", "gässchen", "allee", "chaussee", "promenade")
_SMALL = frozenset({"straße", "strasse", "str.", "str", "allee", "chaussee"})
"""Street words in small letters that may stand alone behind another."""
_MEASURED = re.compile(r"\d+[ ]?[x×][ ]?\d|\d+[ ]?[cm]m\b")
"""A size, and no house number: "Nekrosestr. 14 x 9 cm"."""
_MAX_GAP = 2


class SuffixRecogniser:
    """Words with a suffix of a street or town; see the module."""

    kind = "suffix"

    def __init__(self, settings: SuffixSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = check_lists(self.kind, settings.lists, _TYPES)
        self._min_stem = settings.min_stem
        self._suffixes = [tuple(sorted(gazetteer.words(kind))) for kind in self._kinds]
        self._column = TypeFeature(vocabulary, self._suffixed, np.uint8)
        in_context = settings.ambiguous == "context"
        self._evidence = NameEvidence(gazetteer, vocabulary, ()) if in_context else None

    def recognise(self, document: Document) -> Iterable[Detection]:
        """LOC detections; `rule` is the list of the suffix and the evidence, e.g. "street_suffix.number"."""
        found = self._column.gather(document.tokens.types)
        places = np.flatnonzero(found)
        if self._evidence is not None:
            return list(self._in_context(document, places, found, self._evidence.bits_of(document)))
        return [self._detection(document, at, at, self._kinds[found[at] - 1], "", 1.0) for at in places.tolist()]

    def _in_context(
        self,
        document: Document,
        places: npt.NDArray[np.intp],
        found: npt.NDArray[np.uint8],
        bits: npt.NDArray[np.uint32],
    ) -> Iterator[Detection]:
        for at in places.tolist():
            kind = self._kinds[found[at] - 1]
            if document.word(at)[0].islower():
                if self._number_end(document, at) is not None:
                    first = self._small_street_begins(document, at)
                    yield self._detection(document, first, at, kind, "number", 0.8)
                continue
            before = int(bits[at - 1]) if at and self._near(document, at) else 0
            if kind is ListKind.STREET_SUFFIX:
                numbered = self._number_end(document, at) is not None
                if document.word(at) in _STREET_WORDS:
                    first = self._street_begins(document, at)
                    if numbered and first < at:
                        yield self._detection(document, first, at, kind, "number", 0.9)
                elif numbered and not bits[at] & DOUBTFUL:
                    yield self._detection(document, at, at, kind, "number", 0.9)
                elif document.word(at).endswith(_SURE) and not bits[at] & DOUBTFUL:
                    yield self._detection(document, at, at, kind, "", 0.6)
            elif not bits[at] & DOUBTFUL:
                if before & POSTCODE:
                    yield self._detection(document, at, at, kind, "postcode", 0.95)
                elif before & (PREPOSITION | RESIDENCE):
                    yield self._detection(document, at, at, kind, "in", 0.8)

    def _detection(
        self, document: Document, first: int, last: int, kind: ListKind, evidence: str, score: float
    ) -> Detection:
        end = int(document.tokens.ends[last])
        if evidence == "number":
            end = self._number_end(document, last) or end
        phi = _TYPES[kind]
        rule = f"{kind}.{evidence}" if evidence else str(kind)
        return Detection(int(document.tokens.starts[first]), end, label_of(phi), phi, self.kind, rule, score)

    def _number_end(self, document: Document, at: int) -> int | None:
        """Where the house number behind the word ends, None if there is none."""
        expression = STREET_NUMBER if self._evidence is None else STREET_NUMBER_IN_CONTEXT
        tail = expression.match(document.text, int(document.tokens.ends[at]))
        if tail is None or not tail.group("digits") or _MEASURED.match(document.text, tail.start("digits")):
            return None
        return tail.end()

    def _street_begins(self, document: Document, at: int) -> int:
        """The first of up to two capitalised words before a street word that stands alone; `at` if there is none."""
        first = at
        while first > 0 and at - first < 2 and self._near(document, first):
            word = document.word(first - 1)
            if token_kind(word) != WORD or not word[0].isupper() or word.endswith("."):
                break
            first -= 1
        return first

    def _small_street_begins(self, document: Document, at: int) -> int:
        """The word before "straße" in small letters if it is formed like a town's: "wiesenburger straße"."""
        alone = document.word(at) in _SMALL and at > 0 and self._near(document, at)
        return at - 1 if alone and document.word(at - 1).endswith("er") and len(document.word(at - 1)) > 4 else at

    def _near(self, document: Document, at: int) -> bool:
        """Whether only blanks of the same line part the token from the one before."""
        gap = document.text[document.tokens.ends[at - 1] : document.tokens.starts[at]]
        return len(gap) <= _MAX_GAP and not gap.strip(GAP)

    def _suffixed(self, word: str) -> int:
        """1 + the place of the first list with a suffix of the word and enough letters before, 0 if none has one."""
        small = self._evidence is not None and not word[0].isupper()
        if small and not word.endswith((*_SURE, "str")):
            return 0
        for number, suffixes in enumerate(self._suffixes, start=1):
            for suffix in suffixes:
                stem = len(word) - len(suffix)
                if word.endswith(suffix) and (stem >= self._min_stem or self._stands_alone(word) or word in _SMALL):
                    return number if not small or self._kinds[number - 1] is ListKind.STREET_SUFFIX else 0
        return 0

    def _stands_alone(self, word: str) -> bool:
        return self._evidence is not None and word in _STREET_WORDS
