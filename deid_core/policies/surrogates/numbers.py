"""Surrogates of phone numbers and identifiers: other digits and letters in the same form."""

from __future__ import annotations

import re

from deid_core.policies.names.name_parts import surnames
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_PREFIX = re.compile(r"\D*?(?:(?:\+|00)\s?\d{2}\D*)?(?:\(?[0O]\)?(?=\d))?(?:1[5-7](?=\d))?")
"""Country code, the zero of the area code, and what tells a mobile number."""
_WORD = re.compile(r"(?<!\w)(?![IVXLCM]+\b)[^\W\d_]{4,}(?!\w)")
"""A word, no Roman numeral, nor letters beside digits."""
_DAYS, _MONTHS, _YEARS = 28, 12, 100
_BIRTH = re.compile(
    r"(?<!\d)(?:\d{4}[ /.-]?(?P<at>DATE)(?!\d)|\d\d[ .-]?(?P<german>DATE)[ .-]?[A-Z][ .-]?\d{3}(?!\d))".replace(
        "DATE", r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"
    )
)
"""A birth date in an Austrian or German social insurance number: "4417 190661", "65 190661 M 012"."""
_KEPT = re.compile(
    rf"{_WORD.pattern}|(?<![\w-])(?=[IVX]{{2}})X{{0,3}}(?:IX|IV|V?I{{0,3}})(?![\w-])"
    r"|(?<![\d/.])(?<!\d-)(?:(?:19|20)\d\d(?=/\d{3})|\d\d(?=/\d{4}))"
)
"""A word, a Roman numeral ("XVII 318/04"), or a year before a slash ("92/06618")."""


class SurrogatePhone:
    """Gives a phone or fax number."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return other digits after the country code, a mobile number stays one; None for a number in words."""
        text = note.original(index)
        if not any(map(str.isdigit, text)):
            return None
        prefix = _PREFIX.match(text)
        kept = prefix.end() if prefix and any(map(str.isdigit, text[prefix.end() :])) else 0
        return text[:kept] + note.digits_like("phone", text[kept:], index)


class SurrogateIdentifier:
    """Gives a number of the same form: digits for digits, letters for letters, words for words."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the identifier."""
        text = note.original(index)
        named = _WORD.sub(lambda m: _other_word(m.group(), note, index), text)
        # "XVII" alone is all that there is.
        kept = _KEPT if any(map(str.isdigit, text)) else _WORD
        words = [m.span() for m in kept.finditer(named)]
        out: list[str] = []
        at = 0
        for start, end in [*words, (len(named), len(named))]:
            out += (_other_characters(named[at:start], note, index), named[start:end])
            at = end
        return "".join(out)


def _other_characters(text: str, note: NoteContext, index: int) -> str:
    """Return other digits and letters; those of a birth date become a possible date."""
    new = note.characters_like("identifier", text, index)
    for match in _BIRTH.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        rest, day = divmod(note.choose_number("birth date in a number", text[start:end], index), _DAYS)
        rest, month = divmod(rest, _MONTHS)
        new = f"{new[:start]}{day + 1:02d}{month + 1:02d}{rest % _YEARS:02d}{new[end:]}"
    return new


def _other_word(word: str, note: NoteContext, index: int) -> str:
    """Return a surname for a word, as of a call sign ("Florian Musterberg 10/82-1")."""
    return in_case_of(note.choose("identifier word", name_key(word), index, surnames(other=False)), word)
