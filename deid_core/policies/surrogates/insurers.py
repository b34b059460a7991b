"""Surrogates of insurers, parties, unions and large companies: each becomes another one of its own kind."""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import alternatives, word_list, word_set
from deid_core.policies.agreement import Agreement, agreement
from deid_core.policies.normal_form import name_key, value_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import note_country
from deid_core.policies.surrogates.town_lists import AUSTRIA, GERMANY, SWITZERLAND

_INSURERS = ("institution/insurers", "institution/ambiguous-insurers", "policies/other-insurers")
_LARGE_INSURERS = {
    GERMANY: "policies/insurers",
    AUSTRIA: "policies/insurers-austria",
    SWITZERLAND: "policies/insurers-switzerland",
}
_INSURANCE = re.compile(r"kasse\b|krankenkasse|versicherung|KK\b|\bBG\b|^Techniker$", re.IGNORECASE)
_INSURANCE_FIELD = re.compile(
    r"(?:(?:kasse|versicherung|kostenträger)\s*[:|\t]|versicher(?:ung(?:en)?|t)\s(?:bei|über)\s(?:der|die)?)\s*$",
    re.IGNORECASE,
)
_PRIVATE = re.compile(r"privat|(?:leben|reise|haftpflicht|zusatz|rechtsschutz)s?versicher", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_BEFORE = 30
_NOT_FEMININE = (Agreement.OBLIQUE, Agreement.GENITIVE, Agreement.NEUTER, Agreement.PLURAL)
"""Before "der" a feminine noun may be a dative: "teilte der AOK mit"."""
_NO_ARTICLE = (Agreement.PREPOSITION, Agreement.NOTHING)


@cache
def _insurers() -> frozenset[str]:
    """Return names of insurers in small letters."""
    return frozenset(map(str.lower, word_set(*_INSURERS)))


@cache
def _private_insurers() -> frozenset[str]:
    return frozenset(map(str.lower, word_set("policies/insurers-private", "policies/other-private-insurers")))


@cache
def _like_bodies() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return by the key of a party, union or large company its article and those that it may become."""
    lines = (line.split(":") for line in word_list("policies/like-bodies"))
    return {name_key(name): (article, tuple(names.split(";"))) for article, names in lines for name in names.split(";")}


@cache
def _accident_insurer() -> re.Pattern[str]:
    """Return a pattern of what begins with the name of a Berufsgenossenschaft."""
    return re.compile(rf"(?:{alternatives('policies/accident-insurers')})(?!\w)", re.IGNORECASE)


def known_body(text: str, note: NoteContext, index: int) -> str:
    """Return another Berufsgenossenschaft, party, union or large company for one that a list has, "" for others."""
    if accident_insurer := _accident_insurer().match(text):
        insurers = word_list("policies/accident-insurers")
        return note.choose("accident insurer", value_key(accident_insurer.group()), index, insurers)
    article, names = _like_bodies().get(name_key(text), ("", ()))
    if names and (article or agreement(note.text, note.spans[index].start) in _NO_ARTICLE):
        return _if_free(note.choose(f"body like {names[0]}", name_key(text), index, names), note)
    return ""


def _if_free(name: str, note: NoteContext) -> str:
    """Return the name, "" if the note names it: there may be no other of its kind."""
    return name if note.is_free(name) else ""


def surrogate_insurer(text: str, note: NoteContext, index: int, before: Agreement) -> str:
    """Return another health insurer or private insurer for a name of an insurer, "" for other names.

    before: what the name agrees with. All listed insurers are feminine: "im AMS" is none of them.
    """
    if before in _NOT_FEMININE:
        return ""
    words = (text.lower(), *_LETTERS.findall(text.lower()))
    start = note.spans[index].start
    begin = max(0, start - _BEFORE)
    # "Hotel Victoria" is no insurer, "Victoria" is one.
    is_named_so = _INSURANCE.search(text) or not _insurers().isdisjoint(words) or text.lower() in _private_insurers()
    if not (is_named_so or _INSURANCE_FIELD.search(note.text, begin, start)):
        return ""
    country = note_country(note)
    is_private = not _private_insurers().isdisjoint(words) or _PRIVATE.search(note.text, begin, start)
    if country == GERMANY and is_private:
        private = word_list("policies/insurers-private")
        return _if_free(note.choose("private insurer", value_key(text), index, private), note)
    return _if_free(note.choose("insurer", value_key(text), index, word_list(_LARGE_INSURERS[country])), note)
