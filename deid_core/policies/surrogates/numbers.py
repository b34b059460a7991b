"""Surrogates of phone numbers and identifiers: other digits and letters in the same form."""

from __future__ import annotations

import re

from deid_core.policies.names.name_parts import surnames
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import note_country, phone_country
from deid_core.policies.surrogates.town_lists import AUSTRIA, SWITZERLAND, area_codes
from deid_core.policies.surrogates.towns import surrogate_town

_PREFIX = re.compile(
    r"\D*?(?:(?:\+|00)\s?\d{2}\D*)?(?:\(?[0O]\)?(?=[\dl]))?"
    r"(?:[1l][5-7](?=\d)|7[5-9](?=\D{1,3}\d{3}\D\d\d\D?\d\d)|6[5-9][02-9](?=\D))?"
)
"""Country code, the zero of the area code, and what tells a mobile number of Germany, Switzerland or Austria."""
_AREA = re.compile(r"(?:[1-9][\dlO]{1,4}|(?<!1[5-7])1)(?=\)?(?:\s|\s?[/-]))")
"""An area code after its zero or a country code; that of Vienna is 1."""
_WORD = re.compile(r"(?<!\w)(?![IVXLCM]+\b)[^\W\d_]{4,}(?!\w)")
"""A word, no Roman numeral, nor letters beside digits."""
_TOWN_WORD = re.compile(r"[^\W\d_]{4,}")
_DAYS, _MONTHS, _YEARS = 28, 12, 100
_BIRTH = re.compile(
    r"(?<!\d)(?:\d{4}[ /.-]?(?P<at>DATE)(?!\d)|\d\d[ .-]?(?P<german>DATE)[ .-]?[A-Z][ .-]?\d{3}(?!\d))".replace(
        "DATE", r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"
    )
)
"""A birth date in an Austrian or German social insurance number: "4417 190661", "65 190661 M 012"."""
_KEPT = re.compile(
    rf"{_WORD.pattern}|(?<!\d)756(?=[. ]?\d{{4}}[. ]?\d{{4}}[. ]?\d\d(?!\d))"
    r"|(?<![\w-])(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})(?![\w-])"
    r"|(?<![\d/.])(?<!\d-)(?P<year>(?:19|20)\d\d(?=[/-](?:[A-Z]-?)?\d{3})|[0-389]\d(?=[/-]\d{4}))"
)
"""A word, Switzerland's number in an insurance number, a Roman numeral ("XVII 318/04"), or a year before a slash or
hyphen ("92/06618", "2010-55102")."""
_YEARS_BACK = 5


class SurrogatePhone:
    """Gives a phone or fax number."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return other digits after the country code, a mobile number stays one; None for a number in words."""
        text = _TOWN_WORD.sub(lambda m: _other_town(m.group(), note, index), note.original(index))
        if not any(map(str.isdigit, text)):
            return None
        prefix = _PREFIX.match(text)
        kept = prefix.end() if prefix and any(map(str.isdigit, text[prefix.end() :])) else 0
        area = _AREA.match(text, kept) if any(map(str.isdigit, text[:kept])) else None
        end = area.end() if area else kept
        code = _area_code(text[kept:end], phone_country(text), note, index) if area else ""
        return text[:kept] + code + note.digits_like("phone", text[end:], index)


class SurrogateIdentifier:
    """Gives a number of the same form: digits for digits, letters for letters, words for words."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the identifier."""
        text = note.original(index)
        named = _WORD.sub(lambda m: _other_word(m.group(), note, index), text)
        # "XVII" alone is all that there is.
        kept = _KEPT if any(map(str.isdigit, text)) else _WORD
        out: list[str] = []
        at = 0
        for match in kept.finditer(named):
            year = match.groupdict().get("year")
            out.append(_other_characters(named[at : match.start()], note, index))
            out.append(_earlier_year(year, note, index) if year else match.group())
            at = match.end()
        return "".join((*out, _other_characters(named[at:], note, index)))


def _area_code(code: str, country: str, note: NoteContext, index: int) -> str:
    """Return another area code; in Austria and Switzerland that of a town."""
    country = country or note_country(note)
    if country in (AUSTRIA, SWITZERLAND):
        return note.choose(f"area code {country}", code, index, area_codes(country))
    new = note.digits_like("area code", code, index)
    # What begins with 01 is no area.
    return f"{4 if code[0] == '3' else 3}{new[1:]}" if new.startswith("1") else new


def _other_town(word: str, note: NoteContext, index: int) -> str:
    """Return the surrogate of a town of the note ("Salzungen 2204"); other words stay."""
    return surrogate_town(note, word, index).name if name_key(word) in note.originals else word


def _other_characters(text: str, note: NoteContext, index: int) -> str:
    """Return other digits and letters; those of a birth date become a possible date."""
    new = note.characters_like("identifier", text, index)
    for match in _BIRTH.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        rest, day = divmod(note.choose_number("birth date in a number", text[start:end], index), _DAYS)
        rest, month = divmod(rest, _MONTHS)
        new = f"{new[:start]}{day + 1:02d}{month + 1:02d}{rest % _YEARS:02d}{new[end:]}"
    return new


def _earlier_year(year: str, note: NoteContext, index: int) -> str:
    """Return a year some years before, so that none is after the note."""
    earlier = int(year) - 1 - note.choose_number("year in a number", year, index) % _YEARS_BACK
    return f"{earlier % 100 if len(year) == len('92') else earlier:02d}"


def _other_word(word: str, note: NoteContext, index: int) -> str:
    """Return a surname for a word, as of a call sign ("Florian Musterberg 10/82-1")."""
    return in_case_of(note.choose("identifier word", name_key(word), index, surnames(other=False)), word)
