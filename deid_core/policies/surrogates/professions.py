"""Surrogates of professions: another one of the same gender and case; adjectives before it stay."""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_NOUN = re.compile(r"[A-ZÄÖÜ].*$", re.DOTALL)
_FEMININE = re.compile(
    r"(?:(?<=\w\w)in|frau|schwester|hebamme|dame|mutter|magd|ess|euse|hilfe|kraft|person|leitung)(?:en|nen)?(?!\w)",
    re.IGNORECASE,
)
"""By grammar: a "Heimhilfe" may be a man."""
_ADJECTIVE = re.compile(r"(?:nde|(?:tell|ftig|net|trag)te)$", re.IGNORECASE)
"""The end of "Vorsitzende" and "Angestellte", which is a woman unless "der" or the like is before it."""
_GENITIVE = re.compile(r"(?:er|eur|or|mann|wirt)e?s$", re.IGNORECASE)
_ARTICLE = re.compile(
    r"\b(de[rsmn]|zum|vom|beim|[ia]m|\w*(?:ein|ihr|unser)e[smn])\s+(?:[a-zäöüß]+\s+)?$", re.IGNORECASE
)
"""An article or the like of a man, or "der", and an adjective after it."""
_SEVERAL = re.compile(r"\b(?:(?:groß)?eltern|brüder|söhne|beide)\W+$", re.IGNORECASE)
_OF_WOMEN = re.compile(r"\b(?:k?eine|zur)\s+(?:[a-zäöüß]+\s+)?$", re.IGNORECASE)
_BEFORE, _LONGEST_ABBREVIATION = 30, 4
_WEAK = ("ist", "ekt")
"""Nouns with these endings have -en in all cases but the nominative."""


@cache
def _professions(feminine: bool) -> tuple[str, ...]:
    return tuple(line.split(";")[feminine] for line in word_list("policies/professions"))


@cache
def _for_several() -> tuple[str, ...]:
    """Return the professions whose plural is their singular."""
    return tuple(noun for noun in _professions(False) if noun.endswith("er"))


class SurrogateProfession:
    """Gives a profession."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return adjectives in small letters as they are, and another noun."""
        text = note.original(index)
        noun = _NOUN.search(text)
        start = noun.start() if noun else 0
        old, key = text[start:], name_key(text[start:])
        place = note.spans[index].start + start
        before = max(0, place - _BEFORE)
        found = _ARTICLE.search(note.text, before, place)
        article = found[1].lower() if found else ""
        feminine = _FEMININE.search(old) or (not article and _ADJECTIVE.search(old))
        if feminine or _OF_WOMEN.search(note.text, before, place):
            new = note.choose("profession", key, index, _professions(True))
        elif _SEVERAL.search(note.text, before, place):
            new = note.choose("profession of several", key, index, _for_several())
        else:
            new = note.choose("profession", key, index, _professions(False))
            is_genitive = article.endswith("s") or _GENITIVE.search(old) is not None
            new += _ending(new, is_genitive, is_genitive or article.endswith(("m", "n")))
        return text[:start] + in_case_of(new, old if len(old) > _LONGEST_ABBREVIATION else old.capitalize())


def _ending(noun: str, is_genitive: bool, is_oblique: bool) -> str:
    """Return the ending of a masculine noun in the singular."""
    if is_oblique and noun.endswith(_WEAK):
        return "en"
    return "s" if is_genitive else ""
