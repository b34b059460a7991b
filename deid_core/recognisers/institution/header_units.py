"""Departments that fill a line or cell of a letterhead.

"Kinderklinik mit Kinderschutzambulanz", "Zentrale Notaufnahme", "Gastroenterologie / Endoskopie" and "Innere Abteilung"
are no names in running text, but they are names where a letterhead's line holds nothing else. The line must consist of
words for departments and words that join them, and one of the words must be a unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_list, word_set
from deid_core.recognisers.institution.ocr import repaired
from deid_core.text.token_line import TokenLine

_ROW = re.compile(r"[^\n\t|]{6,90}")
_GAPS = re.compile(r"(?:[ ]{2,}|[ ]?[*·•,][ ]{0,3})")
_WORDS = re.compile(r"[^\W\d_](?:[\w-]*\w)?\.?-?")
_UNITS = word_list("institution/header-units")
_HAS_UNIT = re.compile("|".join(sorted({re.escape(unit.rstrip(".")) for unit in _UNITS})))
_SOLE_UNITS = ("klinik", "abteilung")
"""Units whose compound alone is a name: "Frauenklinik". "Isolierstation" is none."""
_UNITS_OR_SUBJECTS = _UNITS + word_list("institution/header-subjects")
_JOINTS = word_set("institution/header-joints")
_MIN_LETTERS = 8
_GENERIC = frozenset(
    "klinik klinikum poliklinik abteilung abt. zentrum ambulanz sprechstunde notaufnahme institut station".split()
)
_SENT_TO = re.compile(r"(?i)(?:an|von|einsender|zuweiser)\b[ ]?:?[ ]?")


def may_be_unit(word: str) -> bool:
    """Return whether the word may be a unit, which every department needs."""
    return _HAS_UNIT.search(repaired(word).lower()) is not None


def header_units(line: TokenLine, header_end: int, units: Sequence[int]) -> Iterator[Detection]:
    """Yield the departments that fill a line, cell or part of a line before `header_end`.

    header_end: a character offset; units: the tokens that `may_be_unit`, ascending.
    """
    read_to = 0
    for at in units:
        unit_start = line.start(at)
        if unit_start >= header_end:
            return
        if unit_start < read_to:
            continue
        # A row ends with its line at the latest, so only this line has to be divided.
        line_start = line.text.rfind("\n", read_to, unit_start) + 1 or read_to
        row = next((row for row in _ROW.finditer(line.text, line_start, header_end) if row.end() > unit_start), None)
        if row is not None and row.start() <= unit_start:
            read_to = row.end()
            yield from _in_row(line, *row.span())


def _in_row(line: TokenLine, row_start: int, row_end: int) -> Iterator[Detection]:
    """Yield the departments of a line or cell; each of its parts is checked by itself."""
    start = row_start
    for gap in (*_GAPS.finditer(line.text[row_start:row_end]), None):
        end = row_start + gap.start() if gap else row_end
        found = _trimmed(line.text, start, end)
        if found is not None:
            yield line.detection_of(*found, PhiType.DEPARTMENT, "department.line", 0.6)
        start = row_start + gap.end() if gap else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the range without blanks and "an:" around it, None if it is no department's designation."""
    while start < end and text[start] in " \u00a0":
        start += 1
    while start < end and text[end - 1] in " \u00a0:;":
        end -= 1
    if sent := _SENT_TO.match(text, start, end):
        start = sent.end()
    return (start, end) if end - start >= _MIN_LETTERS and _designates(text[start:end]) else None


def _designates(text: str) -> bool:
    """Return whether every word belongs to a department's designation, and one is more specific than "Ambulanz".

    Among three or more words, one may be any other word.
    """
    if not text[0].isupper():
        return False
    found = _WORDS.findall(text)
    others = int(len(found) > 2)
    known: list[str] = []
    for word in map(repaired, found):
        lower = word.lower()
        if lower.endswith(_UNITS_OR_SUBJECTS) or lower in _JOINTS:
            known.append(lower)
        elif others:
            others -= 1
        else:
            # Most lines of a letterhead are names and addresses, which the first words show.
            return False
    if not known or (len(found) == 1 and not known[0].endswith(_SOLE_UNITS)):
        return False
    specific = any(word not in _JOINTS and word not in _GENERIC for word in known)
    return specific and any(word.endswith(_UNITS) for word in known)
