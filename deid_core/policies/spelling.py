"""Surrogates in the spelling of their note: no ß in one that has none and is Swiss or writes "ae" for "ä"."""

from __future__ import annotations

import re

from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import note_country
from deid_core.policies.surrogates.town_lists import SWITZERLAND

_UMLAUT = re.compile("[äöü]", re.IGNORECASE)
_AE_WORD = re.compile(r"\b(?:fuer|ueber|waehrend|maerz|jaen|frueh|spaet|gruess|aerzt|moech|koenn|muess)", re.IGNORECASE)
_AE = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WORD = re.compile(r"\w+")


def spelled_as_note(new: str, note: NoteContext) -> str:
    """Return a surrogate with the letters that the note writes."""
    writes_ae, writes_ss = note.shared(spelled_as_note, lambda: _spelling(note))
    if writes_ae:
        new = _WORD.sub(lambda match: _with_ae(match.group()), new)
    return new.replace("ß", "ss") if writes_ss else new


def _with_ae(word: str) -> str:
    written = word.translate(_AE)
    return written.upper() if word.isupper() else written


def _spelling(note: NoteContext) -> tuple[bool, bool]:
    """Return whether a note writes "ae" for "ä" ("Maerz"), and "ss" for "ß"."""
    writes_ae = _UMLAUT.search(note.text) is None and _AE_WORD.search(note.text) is not None
    return writes_ae, "ß" not in note.text and (writes_ae or note_country(note) == SWITZERLAND)
