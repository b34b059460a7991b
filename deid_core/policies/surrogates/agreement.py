"""What the word before a name wants of it: the gender of its article, or none.

The name itself tells nothing: "bei der VBG", "beim SoVD", "ist der SoVD".
"""

from __future__ import annotations

import re
from enum import Enum, auto

from deid_core.core.word_lists import word_set

_BEFORE = 40
"""Characters before a name."""
_ARTICLE = re.compile(
    r"(?:(?P<word>[^\W\d_]+)(?P<mark>\W{1,3}))?"
    r"\b(?P<article>[ia]m|vom|zum|beim|dem|\w*(?:ein|ihr|unser)em|de[rns]|das|(?:in|an|auf|für|durch|über|um)s|die|zur|eine[rs]?)\s+"
    r"(?:[a-zäöüß]+e[nrs]?\s+)?$",
    re.IGNORECASE,
)
"""An article, an adjective in small letters after it, and the word before it."""
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?\s+$")
_VERB = re.compile(r"te$|^(?:sei|ist|war|wird|hat)$")
_OF_PLACES = ("in", "i", "nach", "n", "aus")
_BEFORE_PLURALS = ("bei", "von", "zu", "mit", "nach", "aus")
"""Prepositions before "den" and a plural; after others it is a masculine accusative more often."""
_JOINS = ("und", "oder", "sowie", "u")
_PREPOSITIONS, _STOP_WORDS = word_set("policies/prepositions"), word_set("stop-words")


class Agreement(Enum):
    """What a name agrees with. PREPOSITION, PLACE: a preposition without an article, the second one also of towns."""

    FEMININE = auto()
    MASCULINE = auto()
    """Nominative, dative or accusative; a dative may be a neuter's."""
    GENITIVE = auto()
    """Of a masculine or neuter."""
    NEUTER = auto()
    """Nominative or accusative."""
    PLURAL = auto()
    """Dative."""
    PREPOSITION = auto()
    PLACE = auto()
    NOTHING = auto()


def agreement(text: str, start: int) -> Agreement:
    """Return what a name that begins at `start` agrees with."""
    before = max(0, start - _BEFORE)
    found = _ARTICLE.search(text, before, start)
    if found is None:
        last = _LAST_WORD.search(text, before, start)
        word = last[1].lower() if last else ""
        if word in _OF_PLACES:
            return Agreement.PLACE
        return Agreement.PREPOSITION if word in _PREPOSITIONS else Agreement.NOTHING
    article, word = found["article"].lower(), (found["word"] or "").lower()
    if article in ("die", "zur", "eine", "einer"):
        return Agreement.FEMININE
    if article in ("des", "eines"):
        return Agreement.GENITIVE
    if article.endswith("s"):
        return Agreement.NEUTER
    if article == "den" and word in _BEFORE_PLURALS:
        return Agreement.PLURAL
    return Agreement.FEMININE if article == "der" and _is_feminine(found) else Agreement.MASCULINE


def _is_feminine(found: re.Match[str]) -> bool:
    """Return whether "der" is a feminine dative or genitive, not a masculine nominative.

    It is after a preposition or a noun ("Mitglied der", "Az. der"), but not where a sentence or clause begins, nor
    after a verb ("ist der", "teilte der"). Nouns may be written in small letters.
    """
    word = found["word"]
    if word is None or found["article"].istitle() or "," in found["mark"] or ":" in found["mark"]:
        return False
    lower = word.lower()
    return lower in _PREPOSITIONS or lower in _JOINS or not (lower in _STOP_WORDS or _VERB.search(lower))
