"""Surrogates of hospitals, organisations and places: the same kind in a town or with a name that is a surrogate.

"Theresienkrankenhaus Ulm" becomes "Krankenhaus Kassel", where Kassel stands for Ulm in this note; "Spedition Lühmann
GmbH" becomes "Spedition Auer GmbH". The kind is the noun, so articles and endings still agree.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives, word_list, word_set
from deid_core.policies.agreement import Agreement, agreement, has_plural_verb
from deid_core.policies.names.name_parts import surnames
from deid_core.policies.normal_form import in_case_of, name_key, value_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.towns import surrogate_town

_LEGAL_FORM = re.compile(r"\s(?:g?GmbH(?:\s&\sCo\.?\sKG)?|AG|KG|OHG|SE|mbH|e\.\s?V\.|e\.\s?K\.)$")
_INSURANCE = re.compile(r"kasse\b|krankenkasse|versicherung|\bBG\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_TOWN = PhiType.TOWN
_SHORT = 4
"""Letters of a short word."""
_LONGEST_ABBREVIATION, _BEFORE = 6, 30
_NOUN_BEFORE = re.compile(r"(\w+) [„»\"']?$")
_ROAD = re.compile(r"(?:[ABEFKLS]|(?:Bundes|Staats|Landes|Land|Kreis)stra(?:ß|ss)e|Autobahn)\s?\d+\w?", re.IGNORECASE)
_OF = re.compile(r"\s(?:der|des|für)\s")
_BEFORE_LAND = re.compile(r"(?:Zum|Am|Beim|Im)\s+", re.IGNORECASE)
_CLINICS = {Agreement.FEMININE: "Klinik", Agreement.GENITIVE: "Klinikums"}
_YARD = "hof"
_LAND = {
    Agreement.FEMININE: "wiese",
    Agreement.GENITIVE: "hofs",
    Agreement.NEUTER: "feld",
    Agreement.PLURAL: "wiesen",
}
_HILL = "berg"
_ASSOCIATIONS = {
    Agreement.MASCULINE: "Verband",
    Agreement.OBLIQUE: "Verband",
    Agreement.GENITIVE: "Verbands",
    Agreement.PLURAL: "Stadtwerken",
}
_PLURAL = "Stadtwerke"
_NOT_FEMININE = (Agreement.OBLIQUE, Agreement.GENITIVE, Agreement.NEUTER, Agreement.PLURAL)
"""Before "der" a feminine noun may be a dative: "teilte der AOK mit"."""
_COMPANIES = {Agreement.NEUTER: "Unternehmen", Agreement.PREPOSITION: "Firma"}
"""What stands before a town or a surname if a name has no kind."""


@cache
def _insurers() -> frozenset[str]:
    """Return names of insurers in small letters."""
    return frozenset(map(str.lower, word_set("institution/insurers", "institution/ambiguous-insurers")))


@cache
def _heads(name: str) -> re.Pattern[str]:
    """Return a pattern of the kinds of a list, at the end of a word and with an ending of declension.

    Short ones without a hyphen begin a word: "Sandhausen" is no house. Abbreviations are words: "UKE" is no "UK".
    """
    heads = "|".join(map(_head, sorted(word_list(f"policies/{name}"), key=len, reverse=True)))
    return re.compile(rf"(?P<head>{heads})(?P<ending>es|s|en|e|n)?(?!\w)", re.IGNORECASE)


def _head(kind: str) -> str:
    start = r"(?<!\w)" if len(kind) <= _SHORT and kind[0] != "-" else ""
    return start + re.escape(kind.removeprefix("-")) + (r"(?!\w)" if kind.isupper() else "")


@lru_cache(20_000)
def _kind(name: str, text: str) -> str:
    """Return the longest kind as it is declined in the text, "" if the list has none of it.

    Of "Institut für Orientalistik der Universität" it is the institute.
    """
    whole = _heads(name)
    before = _OF.search(text)
    of_first = list(whole.finditer(text, 0, before.start())) if before else []
    found = max(of_first or whole.finditer(text), key=lambda match: len(match["head"]), default=None)
    if found is None:
        return ""
    head = found["head"] + (found["ending"] or "")
    return head if found["head"].isupper() else head[0].upper() + head[1:]


def _town_of(text: str, note: NoteContext, index: int) -> str:
    """Return the surrogate of the town in the name, if the note has that town, else any town."""
    known: dict[str, int] = note.shared(_town_of, lambda: _note_towns(note))
    name = f" {name_key(text)} "
    for town, at in known.items():
        if town in name:
            return surrogate_town(note, note.original(at), at).name
    # "Klinikum Ulm" and "KLINIKUM ULM" are in one town also in a note without it.
    words = _WORD.findall(text)
    return surrogate_town(note, words[-1] if words else text, index).name


def _note_towns(note: NoteContext) -> dict[str, int]:
    return {f" {name_key(note.texts[index])} ": index for index in note.with_type(_TOWN)}


def _begins_compound(note: NoteContext, index: int) -> bool:
    """Return whether a hyphen and a letter are after the name, as in "MHH-Labor"."""
    end = note.spans[index].end
    return note.text.startswith("-", end) and note.text[end + 1 : end + 2].isalpha()


def _in_case_of(text: str, original: str) -> str:
    return in_case_of(text, original, _LONGEST_ABBREVIATION)


def _wants_town(name: str, before: Agreement, note: NoteContext, index: int) -> bool:
    """Return whether a town alone stands well for a name without a kind: "nach Kreischa", "im Kindergarten Ulm".

    name: of the list of kinds.
    """
    if before is Agreement.PLACE or _begins_compound(note, index):
        return True
    start = note.spans[index].start
    noun = _NOUN_BEFORE.search(note.text, max(0, start - _BEFORE), start)
    return noun is not None and _kind(name, noun[1]) != ""


class SurrogateHospital:
    """Gives a hospital, practice or home of the same kind."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the kind with a town; a name without a kind becomes a clinic's, as the word before it wants it."""
        text = note.original(index)
        town, kind = _town_of(text, note, index), _kind("hospital-heads", text)
        if not kind or _begins_compound(note, index):
            before = agreement(note.text, note.spans[index].start)
            is_town = _wants_town("hospital-heads", before, note, index)
            kind = "" if is_town else _CLINICS.get(before, "Klinikum")
        return _in_case_of(f"{kind} {town}".lstrip(), text)


class SurrogateOrganisation:
    """Gives an insurer, public body or business of the same kind."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the kind with a town or a surname, or a large insurer; without a kind an association or a company, as
        the word before it wants it.
        """
        text = note.original(index)
        return _in_case_of(self._organisation(text, note, index), text)

    def _organisation(self, text: str, note: NoteContext, index: int) -> str:
        is_compound = _begins_compound(note, index)
        if not is_compound and (body := _kind("public-bodies", text)):
            return f"{body} {_town_of(text, note, index)}"
        span = note.spans[index]
        before = agreement(note.text, span.start)
        words = _LETTERS.findall(text.lower())
        # All listed insurers are feminine: "im AMS" is none of them.
        is_insurer = before not in _NOT_FEMININE and (_INSURANCE.search(text) or not _insurers().isdisjoint(words))
        if is_insurer:
            return note.choose("insurer", value_key(text), index, word_list("policies/insurers"))
        legal = _LEGAL_FORM.search(text)
        business = "" if is_compound else _kind("businesses", text)
        if not (business or is_compound) and (hospital := _kind("hospital-heads", text)):
            return f"{hospital} {_town_of(text, note, index)}"
        name = note.choose("company", value_key(text), index, surnames(other=False))
        after = legal.group() if legal else ""
        if business:
            return f"{business} {name}{after}"
        if legal or is_compound:
            return name + after
        association = _ASSOCIATIONS.get(before, "")
        if before is Agreement.FEMININE and has_plural_verb(note.text, span.end):
            association = _PLURAL
        if _wants_town("public-bodies", before, note, index):
            return _town_of(text, note, index)
        if association:
            return f"{association} {_town_of(text, note, index)}"
        if before in _COMPANIES:
            return f"{_COMPANIES[before]} {name}"
        return f"{name} GmbH"


class SurrogatePlace:
    """Gives a place of the same kind: a station, cemetery, monastery."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the kind with a town; the kind alone names no place and stays.

        A road has another number. Other places become a name with the same ending ("Edersee"), or, as rivers, a name
        for a piece of land that the article fits.
        """
        text = note.original(index)
        return _in_case_of(self._place(text, note, index), text)

    def _place(self, text: str, note: NoteContext, index: int) -> str:
        kind = _kind("place-heads", text)
        if kind:
            return text if kind.lower() == text.lower() else f"{kind} {_town_of(text, note, index)}"
        if _ROAD.fullmatch(text):
            return note.digits_like("road", text, index)
        before = agreement(note.text, note.spans[index].start)
        preposition, ending = _BEFORE_LAND.match(text), _land_ending().search(text)
        if not (preposition or ending) and _wants_town("place-heads", before, note, index):
            return _town_of(text, note, index)
        originals = note.shared(SurrogatePlace, lambda: _land_stems(note))
        stem = note.choose("place", name_key(text), index, word_list("policies/street-stems"), originals)
        if preposition:
            return f"{preposition.group()}{stem}{_HILL}"
        return stem + (ending.group().lower() if ending else _LAND.get(before, _YARD))


@cache
def _land_ending() -> re.Pattern[str]:
    """Return a pattern of the ends of compounds that name a place, with the genitive's ending."""
    return re.compile(rf"(?<=\w\w)(?:{alternatives('policies/place-endings')})(?:e?s)?$", re.IGNORECASE)


def _land_stems(note: NoteContext) -> frozenset[str]:
    """Return the note's names without the endings of land, so that no place is one of them."""
    found = {word.removesuffix(ending) for word in note.originals for ending in (_HILL, _YARD, *_LAND.values())}
    return frozenset(found.union(_land_ending().sub("", word) for word in note.originals))
