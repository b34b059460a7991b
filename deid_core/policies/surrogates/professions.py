"""Surrogates of professions: another one of the same gender and case; adjectives before it stay."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.agreement import Agreement, agreement, in_case_at
from deid_core.policies.names.sexes import listed_sex_of
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

OFFICE = "obmann"
"""The first word of the group of offices."""
_NOUN = re.compile(r"[A-ZÄÖÜ].*$", re.DOTALL)
_FEMININE = re.compile(
    r"(?:(?<=\w\w)in|frau|schwester|hebamme|dame|mutter|magd|mädchen|ess|euse|hilfe|kraft|person|leitung|\bm[fpt]a|\bpta|\bdgks|\bdirn)(?:en|nen)?(?!\w)",
    re.IGNORECASE,
)
"""By grammar: a "Heimhilfe" may be a man. Most of those that are called "MTA" are women."""
_ADJECTIVE = re.compile(r"(?:nde|(?:tell|ftig|net|trag)te)$", re.IGNORECASE)
"""The end of "Vorsitzende" and "Angestellte", which is a woman unless "der" or the like is before it."""
_MASCULINE = re.compile(r"(?:er|eur|or|mann|wirt)(?P<genitive>e?s)?$", re.IGNORECASE)
_OF_A_MAN = (Agreement.MASCULINE, Agreement.OBLIQUE, Agreement.GENITIVE)
_SEVERAL = re.compile(r"\b(?:(?:groß)?eltern|brüder|söhne|beide)\W+$", re.IGNORECASE)
_AFTER_HEAD = re.compile(
    r"\s(?:als|am|an|auf|bei|beim|de[rs]|eine[rs]|für|fuer|f\.|im|in|vo[nm]|zu[mr]?)\s", re.IGNORECASE
)
"""After what a profession is of: "Mechaniker für Pressen"."""
_BEFORE, _LONGEST_ABBREVIATION = 30, 4
_LETTERS, _MRS = re.compile(r"[^\W\d_]+"), ("frau", "fr")
_WHERE = "am", "an", "auf", "bei", "beim", "im", "in"
"""What begins a place of work that stands for a profession: "auf dem Bau"."""
_WEAK = ("ist", "ekt", "ant", "ent", "lot", "dat", "eut")
"""Nouns with these endings have -en in all cases but the nominative, those with -e have -n."""
_WEAK_CASE = re.compile(rf"(?<={'|'.join(_WEAK)})en$", re.IGNORECASE)
_CASE = re.compile(rf"(?<=er|or|rt|ch)e?s$|(?<=eur|ann)e?s$|{_WEAK_CASE.pattern}")
"""The ending of declension that a key loses, so that a profession has one surrogate in all cases."""
_INFLECTED = r"(?:(?:meister|gesell|gehilf|helfer)?(?:innen|in|er|e[ns]?|n|s)?)"
"""What a word of a group may end with: "Tischlermeisters", "Angestellter"."""


@lru_cache(20_000)
def _professions(group: str, feminine: bool, key: str = "") -> tuple[str, ...]:
    """Return what a profession, by its key, may become: others of its group, or of no group, of men or women.

    "Ortslandwirt" does not become a "Landwirt".
    """
    of_group = next((nouns for words, nouns in _groups() if words[0] == group), ())
    of_none = word_list("policies/professions")
    found = (
        tuple(noun for line in lines if name_key(noun := line.split(";")[feminine]) not in key)
        for lines in (of_group, of_none)
    )
    # "Polizist und Polizeimeister" may name all of its group.
    return next(nouns for nouns in found if nouns)


@lru_cache(20_000)
def _group(noun: str) -> str:
    """Return the first word of the group that a profession is of, "" for none; the longest word of a group counts.

    Of several words it is the last one: "Technischer Zeichner".
    """
    pattern, groups = _group_words()
    words = name_key(_AFTER_HEAD.split(noun)[0]).replace(".", " ").split()
    found = map(pattern.search, reversed(words))
    return next((groups[match["whole"] or f"-{match['end']}"] for match in found if match), "")


@lru_cache(20_000)
def _noun_alone(text: str) -> tuple[str, str]:
    """Return a profession without what follows it, which tells no gender ("für Hydraulikpressen"), and its key."""
    noun = _AFTER_HEAD.split(text, maxsplit=1)[0]
    return noun, _CASE.sub("", name_key(noun))


@cache
def _group_words() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of the words of all groups, and the first word of the group of each, by its key."""
    groups = {name_key(word): words[0] for words, _ in _groups() for word in words}
    whole = "|".join(re.escape(key) for key in groups if key[0] != "-")
    ends = "|".join(re.escape(key[1:]) for key in groups if key[0] == "-")
    return re.compile(rf"(?:\A(?P<whole>{whole})|(?P<end>{ends})){_INFLECTED}$"), groups


@cache
def _groups() -> tuple[tuple[list[str], list[str]], ...]:
    """Return the words and the surrogates of each group."""
    lines = [line.split(":") for line in word_list("policies/profession-groups")]
    return tuple((words.split(), nouns.split()) for words, nouns in lines)


@cache
def _statuses() -> frozenset[str]:
    return word_set("policies/statuses")


@cache
def _for_several(group: str) -> tuple[str, ...]:
    """Return the professions whose plural is their singular."""
    return tuple(noun for noun in _professions(group, False) if noun.endswith("er")) or _for_several("")


class SurrogateProfession:
    """Gives a profession."""

    def replacement(self, index: int, note: NoteContext, group: str = "") -> str:
        """Return adjectives in small letters as they are, and another noun; a status stays.

        group: the first word of the group that the noun is of, "" if the noun tells it.
        """
        text = note.original(index)
        first = text.partition(" ")[0].rstrip(",;")
        if text.lower() in _statuses():
            return text
        if first.lower() in _statuses():
            # "Studentin der Physik"
            return first
        if first.lower() in _WHERE:
            group = _group(text)
            return in_case_of(
                f"als {note.choose(f'profession {group}', name_key(text), index, _professions(group, False))}", text
            )
        noun = _NOUN.search(text)
        start = noun.start() if noun else 0
        old = text[start:]
        noun_alone, key = _noun_alone(old)
        group = group or _group(old)
        place = note.spans[index].start + start
        before = agreement(note.text, place)
        if _is_feminine(noun_alone, before) or _is_womans(noun_alone, note.text[max(0, place - _BEFORE) : place]):
            new = note.choose(f"profession {group}", key, index, _professions(group, True, key))
        elif _SEVERAL.search(note.text, max(0, place - _BEFORE), place):
            new = note.choose(f"profession of several {group}", key, index, _for_several(group))
        else:
            new = note.choose(f"profession {group}", key, index, _professions(group, False, key))
            new = _declined(new, noun_alone, before)
        return text[:start] + in_case_at(new, note.text, place, place + len(old), _LONGEST_ABBREVIATION)


def _is_feminine(noun: str, before: Agreement) -> bool:
    """Return whether a noun is a woman's, by its ending, or by the article if it ends as "Nonne" does."""
    if _FEMININE.search(noun):
        return True
    if _ADJECTIVE.search(noun):
        return before not in _OF_A_MAN
    return before is Agreement.FEMININE and noun.lower().endswith("e")


def _is_womans(noun: str, before: str) -> bool:
    """Return whether "Frau" is directly before a profession, or a word of women before one that is an abbreviation."""
    if len(noun) > _LONGEST_ABBREVIATION and "fr" not in before[-6:].lower():
        # Of most professions it is quick to see.
        return False
    words = [word.lower() for word in _LETTERS.findall(before)]
    if words and words[-1] in _MRS:
        return True
    if len(noun) > _LONGEST_ABBREVIATION:
        return False
    return next((sex for sex in map(listed_sex_of, reversed(words)) if sex is not None), False)


def _declined(noun: str, old: str, before: Agreement) -> str:
    """Return a masculine noun in the singular with the ending that the old one or the article before it wants."""
    found = _MASCULINE.search(old)
    is_genitive = before is Agreement.GENITIVE or (found is not None and found["genitive"] is not None)
    is_weak = noun.endswith((*_WEAK, "e"))
    if is_weak and (is_genitive or before is Agreement.OBLIQUE or _WEAK_CASE.search(old)):
        return f"{noun.removesuffix('e')}en"
    return noun + ("es" if noun.endswith("arzt") else "s") if is_genitive else noun
