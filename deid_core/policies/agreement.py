"""What a surrogate has to agree with: the gender and case of the article before it, or a preposition without one.

Institutions, places, professions and feasts ask here. A name itself does not tell its gender: "bei der VBG", "beim
SoVD", "ist der SoVD".
"""

from __future__ import annotations

import re
from enum import Enum, auto

from deid_core.core.word_lists import word_set
from deid_core.policies.normal_form import in_case_of

_BEFORE = 40
"""Characters before a name."""
_WORDS, _WORD = re.compile(r"(\w+)(\W*)"), re.compile(r"\w+")
"""Words, and what is after each."""
_LONGEST_MARK = 3
_LONG_WORD = re.compile(r"[^\W\d_]{3}")
_ADJECTIVE = ("e", "en", "er", "es")
"""Endings."""
_VERB = re.compile(r"[a-zäöüß]+te|(?i:sei|ist|war|wird|hat)")
_PLURAL_VERB = re.compile(r"\s(?:sind|haben|hatten|waren|w[eü]rden|wurden|wollen|können|müssen|sollen)\b")
_OF_PLACES = ("in", "i", "nach", "n", "aus")
_BEFORE_PLURALS = ("bei", "von", "zu", "mit", "nach", "aus")
"""Prepositions before "den" and a plural; after others it is a masculine accusative more often."""
_JOINS = ("und", "oder", "sowie", "u")
_PREPOSITIONS, _STOP_WORDS = word_set("policies/prepositions"), word_set("stop-words")


class Agreement(Enum):
    """What a name agrees with. PREPOSITION, PLACE: a preposition without an article, the second one also of towns."""

    FEMININE = auto()
    MASCULINE = auto()
    """Nominative."""
    OBLIQUE = auto()
    """Dative or accusative of a masculine; a dative may be a neuter's."""
    GENITIVE = auto()
    """Of a masculine or neuter."""
    NEUTER = auto()
    """Nominative or accusative."""
    PLURAL = auto()
    """Dative."""
    PREPOSITION = auto()
    PLACE = auto()
    NOTHING = auto()


_ARTICLES = (
    dict.fromkeys(("die", "zur"), Agreement.FEMININE)
    | dict.fromkeys(("den", "dem", "im", "am", "vom", "zum", "beim"), Agreement.OBLIQUE)
    | {"der": Agreement.MASCULINE, "des": Agreement.GENITIVE}
    | dict.fromkeys(("das", "ins", "ans", "aufs", "fürs", "durchs", "übers", "ums"), Agreement.NEUTER)
)
_LIKE_ONE = re.compile(r"(?:[kmds]?ein|ihr|unser)(e[mnrs]?|)")
"""Articles in small letters that are declined as "ein" is."""
_ENDINGS = {
    "": Agreement.MASCULINE,
    "e": Agreement.FEMININE,
    "er": Agreement.MASCULINE,
    "em": Agreement.OBLIQUE,
    "en": Agreement.OBLIQUE,
    "es": Agreement.GENITIVE,
}


def agreement(text: str, start: int) -> Agreement:
    """Return what a name that begins at `start` agrees with, by the words before it."""
    words: list[tuple[str, str]] = _WORDS.findall(text, max(0, start - _BEFORE), start)
    if not words:
        return Agreement.NOTHING
    word, mark = words.pop()
    found = _of_article(word) if mark.isspace() else None
    if found is None and mark.isspace() and word.lower().endswith(_ADJECTIVE) and words and words[-1][1].isspace():
        found = _of_article(words[-1][0])
        if found:
            word, _ = words.pop()
    if found is None:
        return _of_preposition(word.lower(), mark)
    before, mark = words[-1] if words else ("", "")
    # "Mit einer", but "zwei Brüder, einer".
    if _may_be_feminine(word) and _is_feminine(before, mark):
        return Agreement.FEMININE
    return Agreement.PLURAL if word.lower() == "den" and before.lower() in _BEFORE_PLURALS else found


def _of_article(word: str) -> Agreement | None:
    lower = word.lower()
    if lower in _ARTICLES:
        return _ARTICLES[lower]
    found = _LIKE_ONE.fullmatch(lower)
    return _ENDINGS[found[1]] if found else None


def _may_be_feminine(article: str) -> bool:
    """Return whether a masculine article is a feminine dative too: "der", "einer", but not "Der" of a new sentence."""
    if article.lower() == "der":
        return article != "Der"
    found = _LIKE_ONE.fullmatch(article.lower())
    return found is not None and found[1] == "er"


def _of_preposition(word: str, mark: str) -> Agreement:
    if not mark.removeprefix(".").isspace():
        return Agreement.NOTHING
    if word in _OF_PLACES:
        return Agreement.PLACE
    return Agreement.PREPOSITION if word in _PREPOSITIONS else Agreement.NOTHING


def has_plural_verb(text: str, end: int) -> bool:
    """Return whether the word after a name that ends at `end` is a verb in the plural: "Die SBB haben"."""
    return _PLURAL_VERB.match(text, end) is not None


def in_case_at(new: str, text: str, start: int, end: int, longest_abbreviation: int) -> str:
    """Return what replaces text[start:end] in the case of that.

    Capitals of abbreviations, words of so many letters at most, tell nothing; the line around them does.
    """
    original = text[start:end]
    if not original.isupper() or max(map(len, _WORD.findall(original)), default=0) > longest_abbreviation:
        return in_case_of(new, original)
    line_end = text.find("\n", end)
    around = text[text.rfind("\n", 0, start) + 1 : start] + text[end : line_end if line_end >= 0 else len(text)]
    return new.upper() if around.isupper() and _LONG_WORD.search(around) else new


def _is_feminine(before: str, mark: str) -> bool:
    """Return whether "der" or "einer" is a feminine dative or genitive, not a masculine nominative.

    It is after a preposition or a noun ("Mitglied der", "Az. der", "Angestellte der"), but not where a sentence or
    clause begins, nor after a verb ("ist der", "teilte der"). Nouns may be written in small letters. mark: between
    both words.
    """
    if not before.isalpha() or len(mark) > _LONGEST_MARK or "," in mark or ":" in mark:
        return False
    lower = before.lower()
    return (
        lower in _PREPOSITIONS
        or lower in _JOINS
        or not (lower in _STOP_WORDS or _VERB.fullmatch(lower if before.isupper() else before))
    )
