"""Departments that stand in a line, cell or address of a note's header by themselves.

"Kinderklinik mit Kinderschutzambulanz", "Zentrale Notaufnahme", "Gastroenterologie / Endoskopie", "Innere Abteilung":
what is no name in running text is one where a letter's head has nothing else in the line. The range must consist of
words of departments and what joins them, and one of them must be a unit or a subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution.ocr import repaired
from deid_core.text.token_line import TokenLine

_RANGE = re.compile(r"[^\n\t|]{6,90}")
_PARTS = re.compile(r"(?:[ ]{2,}|[ ]?[*·•,][ ]{0,3})")
_WORDS = re.compile(r"[^\W\d_](?:[\w-]*\w)?\.?-?")
_UNITS = (
    "klinik", "klinikum", "poliklinik", "abteilung", "abt.", "abtlg.", "zentrum", "ambulanz", "sprechstunde",
    "notaufnahme", "station", "dienst", "institut", "inst.", "departement", "department", "fachbereich", "sektion",
    "tagesklinik", "stroke", "board",
)  # fmt: skip
_HAS_UNIT = re.compile("|".join(sorted({unit.rstrip(".") for unit in _UNITS})))
_SOLE_UNITS = ("klinik", "abteilung")
"""Of these, those whose compound fills a line as a name: "Frauenklinik"; "Isolierstation" is only a place."""
_SUBJECTS = (
    "ologie", "chirurgie", "medizin", "iatrie", "pädie", "heilkunde", "hilfe", "radiologie", "endoskopie", "dialyse",
    "onkologie", "geriatrie", "ästhesie", "genetik", "therapie", "rehabilitation", "logisch", "ische", "ischer",
    "isches", "iatrische", "medizinische", "interne", "innere", "zentrale", "interdisziplinäre", "interdisziplinärer",
    "allgemeine", "its", "imc", "unit", "intensiv", "universitäre", "leitstelle", "kardiologie", "hygiene",
)  # fmt: skip
_OF_DEPARTMENTS = _UNITS + _SUBJECTS
_JOINTS = frozenset("für f. fuer und u. mit der des & sowie im am bei".split())
_MIN_LETTERS = 8
_GENERIC = frozenset(
    "klinik klinikum poliklinik abteilung abt. zentrum ambulanz sprechstunde notaufnahme institut station".split()
)
_SENT_TO = re.compile(r"(?i)(?:an|von|einsender|zuweiser)\b[ ]?:?[ ]?")


def may_be_unit(word: str) -> bool:
    """Whether a word type may be the word of a unit, without which nothing is a department."""
    return _HAS_UNIT.search(repaired(word).lower()) is not None


def header_units(line: TokenLine, header_end: int, units: Sequence[int]) -> Iterator[Detection]:
    """The departments that fill a line, cell or part of a line before `header_end`.

    units: the tokens that `may_be_unit`, ascending.
    """
    read = 0
    for at in units:
        place = line.start(at)
        if place >= header_end:
            return
        if place < read:
            continue
        # Rows end with their line, if not before: only this line has to be divided.
        line_start = line.text.rfind("\n", read, place) + 1 or read
        row = next((row for row in _RANGE.finditer(line.text, line_start, header_end) if row.end() > place), None)
        if row is not None and row.start() <= place:
            read = row.end()
            yield from _in_row(line, *row.span())


def _in_row(line: TokenLine, first: int, last: int) -> Iterator[Detection]:
    """The departments of a line or cell, of which each part is read by itself."""
    start = first
    for part in (*_PARTS.finditer(line.text[first:last]), None):
        end = first + part.start() if part else last
        found = _trimmed(line.text, start, end)
        if found is not None:
            yield line.detection_of(*found, PhiType.DEPARTMENT, "department.line", 0.6)
        start = first + part.end() if part else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range without its blanks and "an:", if it is a department's designation."""
    while start < end and text[start] in " \u00a0":
        start += 1
    while start < end and text[end - 1] in " \u00a0:;":
        end -= 1
    if sent := _SENT_TO.match(text, start, end):
        start = sent.end()
    return (start, end) if end - start >= _MIN_LETTERS and _designates(text[start:end]) else None


def _designates(text: str) -> bool:
    """Whether every word is of a department, and one says which; "Ambulanz" alone does not.

    Of three words and more one may be another.
    """
    if not text[0].isupper():
        return False
    found = _WORDS.findall(text)
    others = int(len(found) > 2)
    known: list[str] = []
    for word in map(repaired, found):
        lower = word.lower()
        if lower.endswith(_OF_DEPARTMENTS) or lower in _JOINTS:
            known.append(lower)
        elif others:
            others -= 1
        else:
            # Most lines of a header are names and addresses, which their first words show.
            return False
    if not known or (len(found) == 1 and not known[0].endswith(_SOLE_UNITS)):
        return False
    specific = any(word not in _JOINTS and word not in _GENERIC for word in known)
    return specific and any(word.endswith(_UNITS) for word in known)
