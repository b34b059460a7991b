"""Surrogates of professions: another one of the same gender and case; adjectives before it stay."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.agreement import Agreement, agreement, in_case_at
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

OFFICE = "leiter"
"""A word of the group of offices."""
_NOUN = re.compile(r"[A-ZÄÖÜ].*$", re.DOTALL)
_FEMININE = re.compile(
    r"(?:(?<=\w\w)in|frau|schwester|hebamme|dame|mutter|magd|mädchen|ess|euse|hilfe|kraft|person|leitung)(?:en|nen)?(?!\w)",
    re.IGNORECASE,
)
"""By grammar: a "Heimhilfe" may be a man."""
_ADJECTIVE = re.compile(r"(?:nde|(?:tell|ftig|net|trag)te)$", re.IGNORECASE)
"""The end of "Vorsitzende" and "Angestellte", which is a woman unless "der" or the like is before it."""
_MASCULINE = re.compile(r"(?:er|eur|or|mann|wirt)(?P<genitive>e?s)?$", re.IGNORECASE)
_OF_A_MAN = (Agreement.MASCULINE, Agreement.OBLIQUE, Agreement.GENITIVE)
_SEVERAL = re.compile(r"\b(?:(?:groß)?eltern|brüder|söhne|beide)\W+$", re.IGNORECASE)
_BEFORE, _LONGEST_ABBREVIATION = 30, 4
_WHERE = "am", "an", "auf", "bei", "beim", "im", "in"
"""What begins a place of work that stands for a profession: "auf dem Bau"."""
_WEAK = ("ist", "ekt")
"""Nouns with these endings have -en in all cases but the nominative."""


@cache
def _professions(word: str, feminine: bool) -> tuple[str, ...]:
    """Return what a profession may become: others of its group, or of no group, of men or women."""
    lines = _groups().get(word) or word_list("policies/professions")
    return tuple(line.split(";")[feminine] for line in lines)


@lru_cache(20_000)
def _group_word(noun: str) -> str:
    """Return the word of a group that a profession begins with, "" for none."""
    first = noun.lower().replace(".", " ").split()[:1]
    found = (word for each in first for word in (each, each.removesuffix("s")) if word in _groups())
    return next(found, "")


@cache
def _groups() -> dict[str, list[str]]:
    lines = [line.split(":") for line in word_list("policies/profession-groups")]
    return {word: nouns.split() for words, nouns in lines for word in words.split()}


@cache
def _statuses() -> frozenset[str]:
    return word_set("policies/statuses")


@cache
def _for_several() -> tuple[str, ...]:
    """Return the professions whose plural is their singular."""
    return tuple(noun for noun in _professions("", False) if noun.endswith("er"))


class SurrogateProfession:
    """Gives a profession."""

    def replacement(self, index: int, note: NoteContext, word: str = "") -> str:
        """Return adjectives in small letters as they are, and another noun; a status stays.

        word: one of the group that the noun is of, "" if the noun tells it.
        """
        text = note.original(index)
        if text.lower() in _statuses():
            return text
        if text.partition(" ")[0].lower() in _WHERE:
            return in_case_of(f"als {note.choose('profession ', name_key(text), index, _professions('', False))}", text)
        noun = _NOUN.search(text)
        start = noun.start() if noun else 0
        old, key = text[start:], name_key(text[start:])
        word = word or _group_word(old)
        place = note.spans[index].start + start
        before = agreement(note.text, place)
        if _is_feminine(old, before):
            new = note.choose(f"profession {word}", key, index, _professions(word, True))
        elif _SEVERAL.search(note.text, max(0, place - _BEFORE), place):
            new = note.choose("profession of several", key, index, _for_several())
        else:
            new = note.choose(f"profession {word}", key, index, _professions(word, False))
            new = _declined(new, old, before)
        return text[:start] + in_case_at(new, note.text, place, place + len(old), _LONGEST_ABBREVIATION)


def _is_feminine(noun: str, before: Agreement) -> bool:
    """Return whether a noun is a woman's, by its ending, or by the article if it ends as "Nonne" does."""
    if _FEMININE.search(noun):
        return True
    if _ADJECTIVE.search(noun):
        return before not in _OF_A_MAN
    return before is Agreement.FEMININE and noun.lower().endswith("e")


def _declined(noun: str, old: str, before: Agreement) -> str:
    """Return a masculine noun in the singular with the ending that the old one or the article before it wants."""
    found = _MASCULINE.search(old)
    is_genitive = before is Agreement.GENITIVE or (found is not None and found["genitive"] is not None)
    if noun.endswith(_WEAK) and (is_genitive or before is Agreement.OBLIQUE):
        return f"{noun}en"
    return f"{noun}s" if is_genitive else noun
