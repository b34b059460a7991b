"""Find typed fields in the header and in the sentence that introduces the patient.

A field has a kind, and a PHI type that follows from its part: a name in the clinic's cell is a clinician's, one after
"Nachrichtlich: Frau" or in the subject line the patient's. segment_fields.py reads the segments of a part,
header_names.py the names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, islice

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.header_names import name_field
from deid_core.letterhead.parts import Part, Role, locate
from deid_core.letterhead.segment_fields import residence_field, segment_fields, segments
from deid_core.lexicon.name_regexes import BIRTH_DATE, PERSON, SALUTE, TITLES
from deid_core.text.header_end import introduction

_BIRTH_MARK = re.compile(r"[gG*](?:(?<=\b[gG])eb(?:oren)?\b|(?<=\*)\s?(?=\d))")
_NAME_AT_END = re.compile(rf"(?:(?P<last>{PERSON})\s*,\s*)?(?:{TITLES})?(?P<name>{PERSON})\s*[,;(]?\s*$")
_RESIDENCE = re.compile(r"\b(?:wohnhaft|wohnh\.|wh\.|wohnt)\s*(?:in|:)?\s*", re.IGNORECASE)
_PATIENT_AHEAD = re.compile(rf"{SALUTE}[ \u00a0](?P<titles>{TITLES})?(?P<name>{PERSON})")
_NO_NAME = re.compile(
    r"(?:ihre[nrms]?|unsere?[nrms]?|team|patient(?:in|en)?|kolleg\w+|allgemeine[rn]?|fmh)\b", re.IGNORECASE
)
_SALUTE_ALONE = re.compile(rf"(?:An\s+)?{SALUTE}")
_BEFORE_SALUTE = frozenset("AHFE")
"""First letters of _SALUTE_ALONE."""
_INTRODUCTION_CHARS = 400
_NAME_CHARS = 80
_RESIDENCE_SEGMENTS = 3
"""Segments after "wohnhaft" that may belong to the address."""


def header_fields(
    note: Note, header: Sequence[Part] | None = None, introductions: Sequence[tuple[int, int]] | None = None
) -> list[Field]:
    """Return all typed fields of the header and of the introducing sentence, ascending.

    header: its parts, if known. introductions: ranges in which the introducing sentence may begin, if known.
    """
    text = note.text
    found: list[Field] = []
    for part in locate(note) if header is None else header:
        if part.role is not Role.PROPERTY:
            found += part_fields(text, part)
    found += introduction_fields(text, ((0, len(text)),) if introductions is None else introductions)
    is_name = FieldKind.NAME
    return [f for f, _ in groupby(sorted(found)) if f.kind is not is_name or not _NO_NAME.match(text, f.start, f.end)]


def part_fields(text: str, part: Part) -> list[Field]:
    """Return the typed fields of one part of the header."""
    found: list[Field] = []
    if part.role in (Role.SUBJECT, Role.PAGE):
        found += _patient_fields(text, part.start, part.end, part.role)
    previous_salute = False
    for start, end in segments(text, part.start, part.end):
        found += segment_fields(text, start, end, part.role, after_salute=previous_salute)
        previous_salute = text[start] in _BEFORE_SALUTE and _SALUTE_ALONE.fullmatch(text, start, end) is not None
    return found


def introduction_fields(text: str, ranges: Sequence[tuple[int, int]]) -> list[Field]:
    """Return name, birth date and residence from "wir berichten über …, geboren am …, wohnhaft …".

    ranges: of the text in which the sentence may begin, ascending; the first match counts.
    """
    for range_start, range_end in ranges:
        if sentence := introduction(text, range_start, range_end):
            start, end = sentence.end(), min(len(text), sentence.end() + _INTRODUCTION_CHARS)
            person = _PATIENT_AHEAD.search(text, start, end)
            found = _patient_fields(text, start, end, Role.SUBJECT)
            if person:
                found.append(name_field(text, *person.span("name"), PhiType.PATIENT, Role.SUBJECT))
            return found
    return []


def _patient_fields(text: str, start: int, end: int, role: Role) -> list[Field]:
    """Return the name before a birth date, the date itself, and the residence after "wohnhaft"."""
    found: list[Field] = []
    for mark in _BIRTH_MARK.finditer(text, start, end):
        line = max(start, text.rfind("\n", start, mark.start()) + 1, mark.start() - _NAME_CHARS)
        if match := _NAME_AT_END.search(text, line, mark.start()):
            for group in ("last", "name"):
                if match.group(group):
                    found.append(name_field(text, *match.span(group), PhiType.PATIENT, role))
    for match in BIRTH_DATE.finditer(text, start, end):
        found.append(Field(*match.span("date"), FieldKind.BIRTH_DATE, PhiType.BIRTH_DATE, role))
    if residence := _residence(text, start, end):
        stop = text.find("\n", residence.end(), end)
        following = segments(text, residence.end(), end if stop < 0 else stop)
        for segment_start, segment_end in islice(following, _RESIDENCE_SEGMENTS):
            found += residence_field(text, segment_start, segment_end, role)
    return found


def _residence(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the match of "wohnhaft in", None if there is none."""
    before = text[start:end].lower()
    return _RESIDENCE.search(text, start, end) if "wohn" in before or "wh." in before else None
