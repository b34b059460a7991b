"""Which country a note is of, by its own numbers, towns and words: Germany, Austria or Switzerland.

A postcode or phone number with a country's code, an IBAN, and an insurance number tell it, towns and plain postcodes a
little. Only where these tell nothing the words of a list count ("ÖGK", "Suva"). Without evidence it is Germany.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from deid_core.core.labels import Label, PhiType
from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.town_lists import AUSTRIA, GERMANY, SWITZERLAND, country_of_town

OWN_COUNTRIES = (GERMANY, AUSTRIA, SWITZERLAND)
_POSTCODE = re.compile(r"(?:\b([A-Z]{1,3})[-–\s]\s?)?([\dlIO]{4,5})(?!\w)")
"""Text recognition reads digits as letters."""
_LETTERS = {"D": GERMANY, "DE": GERMANY, "A": AUSTRIA, "AT": AUSTRIA, "CH": SWITZERLAND, "FL": SWITZERLAND}
_PHONE = re.compile(r"(?:\+|(?<!\d)00)\s?\(?(\d\d)")
_CODES = {"49": GERMANY, "43": AUSTRIA, "41": SWITZERLAND}
_SWISS_FORM = re.compile(r"(?<!\d)0\d\d[ /.-]\d{3} \d\d \d\d(?!\d)")
"""The groups of digits of a phone number that are usual in Switzerland."""
_IDENTIFIER = re.compile(r"(AT|CH|DE)\d\d\s?\d|756[. ]?\d{4}")
"""An IBAN, or Switzerland's insurance number."""
_NOUN = re.compile(r"[A-ZÄÖÜ](?<![^\W\d_].)[^\W\d_]+")
"""A word that begins with a capital, to which the search skips."""
_DIGITS, _BEFORE = 5, 4
_SURE = 2
"""Votes of what names its country, and of five digits."""


def note_country(note: NoteContext) -> str:
    """Return DE, AT or CH; operators of several types share it."""
    return note.shared(note_country, lambda: _note_country(note))


def postcode_country(note: NoteContext, index: int) -> str | None:
    """Return the country that the letters of a postcode, in the span or before it, or five digits tell.

    "" for four digits, None for what is no postcode.
    """
    span = note.spans[index]
    found = _POSTCODE.search(note.text, max(0, span.start - _BEFORE), span.end)
    if found is None:
        return None
    return GERMANY if len(found[2]) == _DIGITS else _LETTERS.get(found[1], "")


def phone_country(text: str) -> str:
    """Return the country that a phone number's code tells, the code of another country, "" without a code."""
    found = _PHONE.search(text)
    return _CODES.get(found[1], found[1]) if found else ""


def _note_country(note: NoteContext) -> str:
    texts, votes = note.texts, Counter[str]()
    for index in note.with_label(Label.PLZ):
        country = postcode_country(note, index)
        if country:
            votes[country] += _SURE
        elif country is not None:
            votes.update((AUSTRIA, SWITZERLAND))
    for index in note.with_label(Label.PHONE):
        votes[phone_country(texts[index])] += _SURE
        votes[SWITZERLAND] += _SWISS_FORM.search(texts[index]) is not None
    for index in note.with_label(Label.ID):
        if found := _IDENTIFIER.match(texts[index]):
            votes[found[1] or SWITZERLAND] += _SURE
    votes.update(country_of_town(name_key(texts[index])) for index in note.with_type(PhiType.TOWN))
    country = _winner(votes)
    if not country:
        votes.update(_country_words()[word] for word in _words_of(note.text))
        country = _winner(votes)
    return country or GERMANY


def _winner(votes: Counter[str]) -> str:
    """Return the country with most votes, "" if there is none."""
    first, second, *_ = sorted(OWN_COUNTRIES, key=lambda country: -votes[country])
    return first if votes[first] > votes[second] else ""


def _words_of(text: str) -> set[str]:
    """Return the list's words that a text has."""
    small = (word for word in _small_words() if word in text)
    found = {word for word in small if re.search(rf"(?<![^\W\d_]){word}(?![^\W\d_])", text)}
    return found | _country_words().keys() & set(_NOUN.findall(text))


@cache
def _small_words() -> list[str]:
    """Return the list's words that begin with a small letter; they are few."""
    return [word for word in _country_words() if word[0].islower()]


@cache
def _country_words() -> dict[str, str]:
    lines = (line.split(" ") for line in word_list("policies/country-words"))
    return {word: country for country, word in lines}
