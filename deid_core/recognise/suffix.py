"""Recogniser `suffix`: words that end like a street or a town, for names that no list has (seed 000, 5 and 6.1)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deid_core.config import SuffixSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.gazetteer.kinds import ListKind
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document, TypeColumn
from deid_core.recognise.gazetteer import check_lists
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

_TYPES = {ListKind.STREET_SUFFIX: PhiType.STREET, ListKind.TOWN_SUFFIX: PhiType.TOWN}


class SuffixRecogniser:
    """Words with a suffix of a street or town; see the module."""

    kind = "suffix"

    def __init__(self, settings: SuffixSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._kinds = check_lists(self.kind, settings.lists, _TYPES)
        self._min_stem = settings.min_stem
        self._suffixes = [tuple(sorted(gazetteer.words(kind))) for kind in self._kinds]
        self._column = TypeColumn(vocabulary, self._suffixed, np.uint8)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """A LOC detection a word; `rule` is the list of the suffix."""
        found = self._column.gather(document.tokens.types)
        places = np.flatnonzero(found)
        starts, ends = document.tokens.starts[places].tolist(), document.tokens.ends[places].tolist()
        for start, end, number in zip(starts, ends, found[places].tolist(), strict=True):
            kind = self._kinds[number - 1]
            phi = _TYPES[kind]
            yield Detection(start, end, label_of(phi), phi, self.kind, str(kind))

    def _suffixed(self, word: str) -> int:
        """1 + the place of the first of the lists with a suffix of the word, 0 if none has one."""
        for number, suffixes in enumerate(self._suffixes, start=1):
            if word.endswith(suffixes):
                return number
        return 0
