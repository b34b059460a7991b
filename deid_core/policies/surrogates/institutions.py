"""Surrogates of hospitals, organisations and places: the same kind in a town or with a name that is a surrogate.

"Theresienkrankenhaus Ulm" becomes "Krankenhaus Kassel", where Kassel stands for Ulm in this note; "Spedition Lühmann
GmbH" becomes "Spedition Auer GmbH". The kind is the noun, so articles and endings still agree. What else is general
stays with it: "Gefäßzentrum", "Geriatrische Klinik", "Institut für Pathologie".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import takewhile

from deid_core.core.labels import Label, PhiType
from deid_core.core.word_lists import alternatives, word_list, word_set
from deid_core.policies.agreement import Agreement, agreement, has_plural_verb, in_case_at
from deid_core.policies.names.name_parts import listed_names, surnames
from deid_core.policies.normal_form import name_key, value_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.departments import is_medical, is_subject
from deid_core.policies.surrogates.insurers import known_body, surrogate_insurer
from deid_core.policies.surrogates.regions import surrogate_landscape
from deid_core.policies.surrogates.streets import chosen_stem
from deid_core.policies.surrogates.towns import surrogate_town
from deid_core.text.folding import folded

_LEGAL_FORM = re.compile(r"\s(?:g?GmbH(?:\s&\sCo\.?\sKG)?|AG|KG|OHG|SE|mbH|e\.\s?V\.|e\.\s?K\.)$")
_WORD = re.compile(r"[^\W\d_]{3,}")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]+-?)?$")
_IN_COMPOUND = re.compile(r"-[^\W\d_]")
"""After "Universitäts" in "Universitäts-Augenklinik"."""
_TOWN, _ADDRESS = PhiType.TOWN, (PhiType.STREET, PhiType.POSTCODE)
_PLACES = "place-heads"
_SHORT = 4
"""Letters of a short word."""
_LONGEST_ABBREVIATION, _BEFORE = 6, 30
_NOUN_BEFORE = re.compile(r"(\w+) [„»\"']?$")
_ROAD = re.compile(r"(?:[ABEFKLS]|(?:Bundes|Staats|Landes|Land|Kreis)stra(?:ß|ss)e|Autobahn)\s?\d+\w?", re.IGNORECASE)
_TO_TOWN = re.compile(r"[ ,;(]{1,3}(?:in |bei )?")
_LONGEST_ADDRESS = 3
"""Spans: street, postcode, town."""
_NAMED_CLINIC = re.compile(r"(?!(?:(?i:Uni|Kreis|Land|Bezirk|Stadt|Städt)|[A-ZÄÖÜ]{1,6}$))")
_NAMED_BODY = re.compile(r".*(?:kita|garten|krippe|hort|haus|heim|schule|gymnasium|stiftung|team|pflegedienst)", re.I)
"""Kinds that are named for people as often as for towns."""
_OF = re.compile(r"\s(?:der|des|für|fuer)\s", re.IGNORECASE)
_ADJECTIVE_BEFORE = re.compile(r"(?<!\w)(\w+)\s$")
_ADJECTIVE = re.compile(r"(?:isch|lich)(es?)$")
"""The end of "Städtisches" and "Kirchliche"."""
_HOUSE = re.compile(r"\w-(haus)(?!\w)", re.IGNORECASE)
"""As in "Muster-Haus"."""
_SUBJECTS = re.compile(r"\s(?:für|fuer|f\.)(?:\s\w[\w-]*)+", re.IGNORECASE)
_ABSTRACT = re.compile(r"(?:ung|schaft|ion|heit|keit|tat)s$")
"""The end of a word, as its key, that begins a compound and names nobody: "Vormundschaftsbehörde"."""
_UMLAUTS = re.compile("[äöüß]", re.IGNORECASE)
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
_COMPANIES = {Agreement.NEUTER: "Unternehmen", Agreement.PREPOSITION: "Firma"}
"""What stands before a town or a surname if a name has no kind."""


@cache
def _national_bodies() -> frozenset[str]:
    return frozenset(map(name_key, word_list("policies/national-bodies")))


@cache
def _heads(name: str) -> re.Pattern[str]:
    """Return a pattern of the kinds of a list, at the end of a word and with an ending of declension.

    Short ones without a hyphen begin a word: "Sandhausen" is no house. Abbreviations are words: "UKE" is no "UK". Those
    with ^ begin the name: "AG Musterstadt" is a court, "Muster AG" is none.
    """
    heads = "|".join(map(_head, sorted(word_list(f"policies/{name}"), key=len, reverse=True)))
    return re.compile(rf"(?P<head>{heads})(?P<ending>es|s|en|e|n)?(?!\w)", re.IGNORECASE)


def _head(kind: str) -> str:
    start = r"\A" if kind[0] == "^" else r"(?<!\w)" if len(kind) <= _SHORT and kind[0] != "-" else ""
    written = _UMLAUTS.sub(lambda match: f"(?:{match[0]}|{folded(match[0])})", re.escape(kind.lstrip("-^")))
    return start + written + (r"(?!\w)" if kind.isupper() else "")


@cache
def _abbreviations(name: str) -> frozenset[str]:
    return frozenset(kind.removeprefix("^") for kind in word_list(f"policies/{name}") if kind.isupper())


@cache
def _general_words() -> Mapping[str, frozenset[str]]:
    """Return the keys of words that name nobody where they begin an institution's name, by what is after them.

    " ": another word. "-": a hyphen. "": the rest of the same word. The list's words with a hyphen are surnames too, so
    they count within one word alone: "Herzzentrum".
    """
    names, words = listed_names(), word_list("policies/institution-beginnings")
    whole = frozenset(name_key(word) for word in words if word[-1] != "-") - names
    heads = frozenset(map(name_key, word_set("policies/hospital-heads", "policies/public-bodies")))
    # "caritas" of "Caritas-Sozialstation"
    long_heads = frozenset(head for head in heads if len(head) > _SHORT and head.isalpha())
    # "kreis" of "Kreiskrankenhaus": what begins compounds of two kinds.
    kinds = frozenset(head.lstrip("-^") for head in heads)
    parts = frozenset(
        kind[:at] for kind in kinds for at in range(_SHORT, len(kind) - _SHORT + 2) if kind[at:] in kinds
    ).difference(names, map(name_key, word_list("policies/street-stems")))
    within = (name_key(word.rstrip("-")) for word in words)
    return {" ": whole, "-": whole | (long_heads - names) | parts, "": long_heads.union(parts, within)}


def _begins_institutions(word: str) -> bool:
    """Return whether a word of its own is general and no name: "Freiwillige", but "Burger"."""
    return name_key(word.rstrip("-")) in _general_words()[" "]


def _is_general(beginning: str) -> bool:
    """Return whether the beginning of a compound names nobody: "Krebsregister", but "Krebs-Klinik"."""
    word = beginning.rstrip("-")
    key, has_hyphen = name_key(word), word != beginning
    if key in _general_words()["-" if has_hyphen else ""] or _ABSTRACT.search(key):
        return True
    # "HNO-Klinik", but also "Isar-Klinik", which is a medical abbreviation.
    return is_medical(word) and (not has_hyphen or key in word_set("clinic-words"))


def _subjects(text: str) -> str:
    """Return the general words that a text begins with, up to the last one that names a subject."""
    general = list(takewhile(lambda word: is_medical(word) or _begins_institutions(word), text.split()))
    while general and not (is_subject(general[-1]) or _begins_institutions(general[-1])):
        general.pop()
    begun = re.match(r"\s*" + r"\s+".join(map(re.escape, general)), text)
    return begun.group() if begun and general else ""


def _with_noun(general: str) -> str:
    """Return general words with a noun if the last is an adjective: "Evangelisches Krankenhaus"."""
    adjective = _ADJECTIVE.search(general)
    return general if adjective is None else f"{general} {'Krankenhaus' if adjective[1] == 'es' else 'Klinik'}"


def _with_general_words(text: str, start: int, end: int) -> str:
    """Return a kind in a text with what belongs to it and is general: the whole compound, an adjective, a subject."""
    begin = start - len(_WORD_BEFORE.search(text, 0, start).group())  # type: ignore[union-attr]
    if begin < start and _is_general(text[begin:start]):
        start = begin
    adjective = _ADJECTIVE_BEFORE.search(text, 0, start)
    if adjective and start == begin and (is_subject(adjective[1]) or _begins_institutions(adjective[1])):
        start = adjective.start()
    if subjects := _SUBJECTS.match(text, end):
        end += len(_subjects(subjects.group()))
    return text[start:end]


@lru_cache(20_000)
def _kind(name: str, text: str) -> str:
    """Return the longest kind as it is declined in the text, "" if the list has none of it.

    Of "Institut für Orientalistik der Universität" it is the institute.
    """
    whole = _heads(name)
    before = _OF.search(text)
    of_first = list(whole.finditer(text, 0, before.start())) if before else []
    short = _abbreviations(name)
    # "DRV Bund"
    found = max(
        of_first or whole.finditer(text),
        key=lambda match: (
            not match.start() and match["head"].upper() in short,
            # Of "Universitäts-Augenklinik" it is the clinic.
            not _IN_COMPOUND.match(text, match.end()),
            len(match["head"]),
        ),
        default=None,
    )
    if found is None:
        return ""
    head = found.group() if name == _PLACES else _with_general_words(text, *found.span())
    return head if found["head"].isupper() else head[0].upper() + head[1:]


def _town_of(text: str, note: NoteContext, index: int) -> str:
    """Return the surrogate of the town in the name, if the note has that town, else any town."""
    at = _note_town(text, note)
    if at is not None:
        return surrogate_town(note, note.original(at), at).name
    # "Klinikum Ulm" and "KLINIKUM ULM" are in one town also in a note without it.
    words = _WORD.findall(text)
    return surrogate_town(note, words[-1] if words else text, index).name


def _note_town(text: str, note: NoteContext) -> int | None:
    """Return the index of a town of the note that the name has in it."""
    known: dict[str, int] = note.shared(_note_town, lambda: _note_towns(note))
    name = f" {name_key(text)} "
    return next((at for town, at in known.items() if town in name), None)


def _note_towns(note: NoteContext) -> dict[str, int]:
    return {f" {name_key(note.texts[index])} ": index for index in note.with_type(_TOWN)}


def _own_town(text: str, note: NoteContext) -> int | None:
    """Return the index of the town that stands after a name with no town in it: "Klinik Muster in Ulm"."""
    known: dict[str, int] = note.shared(_own_town, lambda: _own_towns(note))
    at = known.get(value_key(text))
    return None if at is None or _note_town(text, note) is not None else at


def _own_towns(note: NoteContext) -> dict[str, int]:
    """Return the town after each hospital and organisation, by the name's key; a name is one also without its town."""
    indices = (*note.with_type(PhiType.HOSPITAL), *note.with_label(Label.ORG))
    return {value_key(note.texts[index]): at for index in indices if (at := _town_after(note, index)) is not None}


def _town_after(note: NoteContext, index: int) -> int | None:
    end = note.spans[index].end
    for at, span in enumerate(note.spans[index + 1 : index + 1 + _LONGEST_ADDRESS], index + 1):
        if not _TO_TOWN.fullmatch(note.text, end, span.start):
            return None
        if span.type is _TOWN:
            return at
        if span.type not in _ADDRESS:
            return None
        end = span.end
    return None


def _with_name(kind: str, text: str, note: NoteContext, index: int, named: re.Pattern[str]) -> str:
    """Return a kind with a town. If the name has a town of its own after it, with a surname or with that town."""
    at = _own_town(text, note)
    if at is None:
        return f"{kind} {_town_of(text, note, index)}".lstrip()
    if kind.lower() == text.lower():
        return kind
    if named.match(kind):
        return f"{kind} {_surname(text, note, index)}"
    return f"{kind} {surrogate_town(note, note.original(at), at).name}"


def _surname(text: str, note: NoteContext, index: int) -> str:
    return note.choose("company", value_key(text), index, surnames(other=False))


def _begins_compound(note: NoteContext, index: int) -> bool:
    """Return whether a hyphen and a letter are after the name, as in "MHH-Labor"."""
    end = note.spans[index].end
    return note.text.startswith("-", end) and note.text[end + 1 : end + 2].isalpha()


def _in_case_of(text: str, note: NoteContext, index: int) -> str:
    span = note.spans[index]
    return in_case_at(text, note.text, span.start, span.end, _LONGEST_ABBREVIATION)


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
        kind = _kind("hospital-heads", text)
        if (house := _HOUSE.search(text)) and kind.lower() == "haus":
            # "Haus Ulm" hardly reads as a hospital.
            town = f" {_town_of(text, note, index)}" if text[house.end() :].strip() else ""
            return _in_case_of(f"{_surname(text, note, index)}-{house[1]}{town}", note, index)
        if not kind or _begins_compound(note, index):
            before = agreement(note.text, note.spans[index].start)
            if _wants_town("hospital-heads", before, note, index) and _own_town(text, note) is None:
                return _in_case_of(_town_of(text, note, index), note, index)
            # "Rechtsmedizin Ulm"
            kind = _with_noun(_subjects(text)) or _CLINICS.get(before, "Klinikum")
        return _in_case_of(_with_name(kind, text, note, index, _NAMED_CLINIC), note, index)


class SurrogateOrganisation:
    """Gives an insurer, public body or business of the same kind."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the kind with a town or a surname, or a large insurer; without a kind an association or a company, as
        the word before it wants it. A body of a whole country names nobody and stays.
        """
        text = note.original(index)
        if name_key(" ".join(text.split())) in _national_bodies():
            return text
        return _in_case_of(self._organisation(text, note, index), note, index)

    def _organisation(self, text: str, note: NoteContext, index: int) -> str:
        is_compound, body = _begins_compound(note, index), _kind("public-bodies", text)
        legal = _LEGAL_FORM.search(text)
        if known := known_body(text, note, index):
            return known
        if is_compound and body == text:
            # "Suva-Kreisarzt"
            return text
        # "Pixelgrat AG" is no "Rat".
        if body and not is_compound and not (legal and "V" not in legal.group() and not text.startswith(body)):
            return _with_name(body, text, note, index, _NAMED_BODY)
        span = note.spans[index]
        before = agreement(note.text, span.start)
        if insurer := surrogate_insurer(text, note, index, before):
            return insurer
        business = "" if is_compound else _kind("businesses", text)
        if not (business or is_compound or legal) and (hospital := _kind("hospital-heads", text)):
            return _with_name(hospital, text, note, index, _NAMED_CLINIC)
        name = _surname(text, note, index)
        after = legal.group() if legal else ""
        if business:
            is_last = " " in text and text.removesuffix(after).lower().endswith(business.lower())
            return f"{name} {business}{after}" if is_last else f"{business} {name}{after}"
        if legal or is_compound:
            return name + after
        association = _ASSOCIATIONS.get(before, "")
        if before is Agreement.FEMININE and has_plural_verb(note.text, span.end):
            association = _PLURAL
        if _wants_town("public-bodies", before, note, index):
            return _town_of(text, note, index) if _own_town(text, note) is None else name
        if association:
            return _with_name(association, text, note, index, _NAMED_BODY)
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
        return _in_case_of(self._place(text, note, index), note, index)

    def _place(self, text: str, note: NoteContext, index: int) -> str:
        if landscape := surrogate_landscape(text, note, index):
            return landscape
        kind = _kind(_PLACES, text)
        if kind:
            return text if kind.lower() == text.lower() else f"{kind} {_town_of(text, note, index)}"
        if _ROAD.fullmatch(text):
            return note.digits_like("road", text, index)
        before = agreement(note.text, note.spans[index].start)
        preposition, ending = _BEFORE_LAND.match(text), _land_ending().search(text)
        if not (preposition or ending) and _wants_town(_PLACES, before, note, index):
            return _town_of(text, note, index)
        originals = note.shared(SurrogatePlace, lambda: _land_stems(note))
        after = _HILL if preposition else ending.group().lower() if ending else _LAND.get(before, _YARD)
        stem = chosen_stem("place", name_key(text), after, note, index, originals)
        return f"{preposition.group() if preposition else ''}{stem}{after}"


@cache
def _land_ending() -> re.Pattern[str]:
    """Return a pattern of the ends of compounds that name a place, with the genitive's ending."""
    return re.compile(rf"(?<=\w\w)(?:{alternatives('policies/place-endings')})(?:e?s)?$", re.IGNORECASE)


def _land_stems(note: NoteContext) -> frozenset[str]:
    """Return the note's names without the endings of land, so that no place is one of them."""
    found = {word.removesuffix(ending) for word in note.originals for ending in (_HILL, _YARD, *_LAND.values())}
    return frozenset(found.union(_land_ending().sub("", word) for word in note.originals))
