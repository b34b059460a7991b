"""Recogniser `suffix`: words that end like a street or a town, for names that no list has (seed 000, 5 and 6.1).

"If a token contained one of these suffixes, it was replaced by a LOC placeholder": with the case of the suffix as the
list has it, and no further condition. So it finds the Atemweg, too.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.gazetteer import check_lists
from deid_core.recognisers.settings import SuffixSettings
from deid_core.text.document import Document
from deid_core.text.token_ranges import detection_of
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_TYPES = {ListKind.STREET_SUFFIX: PhiType.STREET, ListKind.TOWN_SUFFIX: PhiType.TOWN}


class SuffixRecogniser:
    """Finds words with a suffix of a street or town; see the module."""

    kind = "suffix"

    def __init__(self, settings: SuffixSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = check_lists(self.kind, settings.lists, _TYPES)
        self._suffixes = [tuple(gazetteer.words(kind)) for kind in self._kinds]
        self._list_of = TypeFeature(vocabulary, self._suffix_list, np.uint8)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Yield LOC detections; `rule` is the list of the suffix: "street_suffix"."""
        found = self._list_of.gather(document.tokens.types)
        for at in np.flatnonzero(found).tolist():
            kind = self._kinds[found[at] - 1]
            yield detection_of(document, at, at + 1, _TYPES[kind], self.kind, str(kind), 1.0)

    def _suffix_list(self, word: str) -> int:
        """Return 1 + the index of the first list with a suffix of the word, 0 if there is none."""
        return next((number for number, suffixes in enumerate(self._suffixes, 1) if word.endswith(suffixes)), 0)
