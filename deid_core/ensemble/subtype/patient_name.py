"""The patient's full name is the patient's in whatever line it stands, as "Nachrichtlich: Frau Eva Muster, …".

The classifiers go by the words around a name. In lines for copies and in signatures that is most often a clinician, and
one who shares the patient's surname is most often a relative. So two rules follow them, for names that no title and no
word of kinship introduces. A full name is the patient's if a name before a birth date has the same words. And it is if
the note has nothing but the patient's surname and initials besides, and it shares that surname, follows "Frau" or
"Herr" and is before an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.core.word_lists import word_set
from deid_core.text.folding import folded

_PATIENT, _BIRTH_DATE = PhiType.PATIENT, PhiType.BIRTH_DATE
_PER, _SALUTE, _TITLE = Label.PER, Label.SALUTE, Label.TITLE
_ADDRESS = (PhiType.STREET, PhiType.POSTCODE)
_BEFORE_BIRTH = 60
"""Characters between the patient's name and the birth date after it, at most."""
_GAP = 3
"""Characters between a salutation or title and the name, and between the name and an address."""
_BEFORE = 24
"""Characters before a name in which a word of kinship may stand."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_FULL = 2
"""Words of a full name, without initials."""
_KINSHIP = word_set("cue_words/kinship")


def patients_names(text: str, spans: Sequence[Span]) -> Iterator[int]:
    """Yield the numbers of spans that are a name of the patient and have another type.

    spans: ascending and disjoint.
    """
    known = {number: _words(text, span) for number, span in enumerate(spans) if span.type is _PATIENT}
    if not known:
        return
    full = {words for number, words in known.items() if len(words) >= _FULL and _is_before_birth(spans, number)}
    has_full = any(len(words) >= _FULL for words in known.values())
    surnames: frozenset[str] = frozenset() if has_full else frozenset().union(*known.values())
    for number, span in enumerate(spans):
        if span.label is not _PER or span.type is _PATIENT:
            continue
        words = _words(text, span)
        if len(words) < _FULL or not (words in full or not surnames.isdisjoint(words)):
            continue
        before = spans[number - 1] if number and span.start - spans[number - 1].end <= _GAP else None
        label = None if before is None else before.label
        is_copy = label is _SALUTE and _is_before_address(spans, number)
        if label is not _TITLE and (words in full or is_copy):
            start = before.start if before is not None and label is _SALUTE else span.start
            if not _follows_kin(text, start):
                yield number


def _words(text: str, span: Span) -> frozenset[str]:
    return frozenset(map(folded, _WORD.findall(text, span.start, span.end)))


def _is_before_birth(spans: Sequence[Span], number: int) -> bool:
    """Return whether a birth date follows, with no other name before it."""
    end = spans[number].end
    for span in spans[number + 1 :]:
        if span.label is _PER or span.start - end > _BEFORE_BIRTH:
            return False
        if span.type is _BIRTH_DATE:
            return True
    return False


def _is_before_address(spans: Sequence[Span], number: int) -> bool:
    after = spans[number + 1] if number + 1 < len(spans) else None
    return after is not None and after.type in _ADDRESS and after.start - spans[number].end <= _GAP


def _follows_kin(text: str, start: int) -> bool:
    """Return whether a word of kinship is near before a place of the text, on its line."""
    line = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    return not _KINSHIP.isdisjoint(word.lower() for word in _WORD.findall(line))
