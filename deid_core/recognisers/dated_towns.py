"""Finds a town and a date in brackets: where and when something was done, as in "Z.n. Bypass (Heidelberg 2013)".

Citations look alike ("(Muster 2013)"), and the stacking model has read many. So these are certain, and it drops neither
(ensemble/certain_forms.py): the town is one that no list has as another word or as a name of people, or a large one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_list
from deid_core.lexicon.disambiguation.name_flags import NameFlag
from deid_core.lexicon.gazetteer.kinds import ListKind, bit
from deid_core.lexicon.gazetteer.matcher import Matches
from deid_core.text.document import Document

TOWN, DATE = "town.dated", "town.date"
"""The rules' names."""
_SCORE = 0.95
_LARGE = frozenset(
    line.partition(";")[0]
    for name in ("towns", "towns-austria", "towns-switzerland")
    for line in word_list(f"policies/{name}")
)
_OPENS = re.compile(r"\((?:[^()\n]{0,60}[,;/][ \u00a0])?\Z")
_REACH = 64
_DATE = re.compile(r",?[ \u00a0](?P<date>(?:\d{1,2}[./]){0,2}(?:19|20)\d\d|\d{1,2}/\d\d)(?=[);,])")
_TOWN_LISTS, _NAME_LISTS = bit(ListKind.TOWN), bit(ListKind.FIRST_NAME) | bit(ListKind.SURNAME)


def dated_towns(
    document: Document, matches: Matches, flags: npt.NDArray[np.uint32], recogniser: str
) -> Iterator[Detection]:
    """Yield the towns, and the date after each. flags: NameFlag value of each token, shape (tokens,)."""
    text, tokens = document.text, document.tokens
    for number in ((matches.lists & _TOWN_LISTS) != 0).nonzero()[0].tolist():
        first, after = int(matches.start_token[number]), int(matches.end_token[number])
        start, end = int(tokens.starts[first]), int(tokens.ends[after - 1])
        date = _DATE.match(text, end)
        if date is None or not _OPENS.search(text, max(start - _REACH, 0), start):
            continue
        is_ambiguous = bool((flags[first:after] & NameFlag.AMBIGUOUS.value).all())
        if text[start:end] not in _LARGE and (is_ambiguous or int(matches.lists[number]) & _NAME_LISTS):
            continue
        for phi, rule, places in ((PhiType.TOWN, TOWN, (start, end)), (PhiType.DATE, DATE, date.span("date"))):
            yield Detection(*places, label_of(phi), phi, recogniser, rule, _SCORE)
