"""Flags of word types for the recogniser `profession`: a profession and how sure, or a word of its context.

The list `profession` has the masculine forms in lower case. This module derives feminine forms ("Bäuerin", "Kauffrau"),
case endings and umlauts written out. A word that ends with an entry is a profession as well ("Betriebsschlosser"). OCR
errors are repaired if a word is in no list: "Lagerverwa1ter", "Kaufrnann". word_forms.py has the words in no list that
are formed like professions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deid_core.core.word_lists import word_list, word_set
from deid_core.lexicon import flags as word_lists
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.profession import flags
from deid_core.recognisers.profession.context_words import context_flags, mark_flags
from deid_core.recognisers.profession.word_forms import ends_like_a_profession
from deid_core.text.capitals import has_one_capital
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_AMBIGUOUS = dict.fromkeys(word_list("profession/surname-professions"), flags.SURNAME_PROFESSION) | dict.fromkeys(
    word_list("profession/staff-professions"), flags.STAFF_PROFESSION
)
"""Listed professions that need evidence; all others are SURE_PROFESSION."""
_NO_COMPOUND = word_set("profession/not-compound-endings")
_NEVER = word_list("profession/not-professions")
_OFFICES = word_list("profession/offices")
_HEADS = word_list("profession/compound-heads")
_SURE_HEADS = word_list("profession/sure-compound-heads")
_DECLINED = ("stellter", "beamter", "bediensteter", "ordneter", "ständiger", "bildender", "geistlicher", "leistender")
_ADJECTIVAL = tuple(
    stem[:-1] + ending for stem in (*_DECLINED, "ichtiger", "sandter", "ragter") for ending in ("", "r", "n")
)
_MIN_BASE, _MIN_STEM, _MIN_FEMININE = 5, 3, 7
_NO_FEMININE = frozenset({"arzt", "dozent", "mta", "mtra", "hilfskraft"})
"""Words that end no compound and whose feminine form ends none either ("Oberärztin")."""
_MIN_HEAD, _MIN_REPAIRED = 4, 7
_DIGITS = str.maketrans("015", "ols")
_MISREAD = (("rn", "m"), ("li", "h"), ("ii", "n"), ("rl", "ri"))
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


class ProfessionForms:
    """The forms of the gazetteer's professions with their ProfessionFlag values."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._forms: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        for entry in sorted(gazetteer.words("profession")):
            flag = _AMBIGUOUS.get(entry, flags.SURE_PROFESSION)
            whole_only = entry in _NO_COMPOUND or len(entry) < _MIN_BASE
            feminine_too = entry not in _NO_FEMININE
            for form in _forms(entry):
                # "Köchin", "Bäuerin": no family name has a feminine form.
                feminine_surname = flag == flags.SURNAME_PROFESSION and form.endswith(("in", "innen"))
                of_form = flags.SURE_PROFESSION if feminine_surname else flag
                self._forms.setdefault(form, of_form)
                if not whole_only or (feminine_too and len(form) >= _MIN_FEMININE and form.endswith("erin")):
                    self._endings.setdefault(form, of_form)
        for head in sorted(_HEADS):
            for form in _forms(head):
                self._endings.setdefault(form, flags.STAFF_PROFESSION)
        for head in _SURE_HEADS:
            self._endings.update(dict.fromkeys(_forms(head), flags.SURE_PROFESSION))
        self._longest_ending = max(map(len, self._endings))
        self._never = frozenset(form for word in _NEVER for form in _forms(word))
        self._offices = frozenset(form for word in _OFFICES for form in (word, *_forms(word)))

    def listed_flags(self, word: str) -> int:
        """Return the LISTED_PROFESSION flags of a word in any case."""
        return self.flags_of(word.lower()) & flags.LISTED_PROFESSION

    def flags_of(self, lower: str) -> int:
        """Return the ProfessionFlag values of a lower-case word, 0 if it is no profession."""
        if lower in self._never:
            return 0
        office = flags.OFFICE if lower.rstrip(".") in self._offices else 0
        return office | (self._listed(lower) or next(filter(None, map(self._listed, _repaired(lower))), 0))

    def _listed(self, lower: str) -> int:
        if found := self._forms.get(lower, 0):
            return found
        # A "word" may have megabytes, so only endings as long as an entry are looked up.
        for start in range(max(_MIN_STEM, len(lower) - self._longest_ending), len(lower) - _MIN_HEAD + 1):
            if found := self._endings.get(lower[start:], 0):
                return found
        return 0


def profession_flags(forms: ProfessionForms, gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """Return the ProfessionFlag values of the vocabulary's word types."""
    lists = word_lists.word_flags(gazetteer, vocabulary)
    no_name = word_lists.STOP | word_lists.COMMON
    towns = gazetteer.words("town")
    # Without a list of common words, an ending is no evidence: "als Verstärker eingesetzt".
    guesses = "common_word" in gazetteer.lists
    no_likely = no_name | word_lists.GIVEN_NAME | word_lists.SURNAME

    def compute(word: str) -> int:
        if token_kind(word) != WORD:
            return mark_flags(word)
        lower = word.lower()
        context, listed = context_flags(lower), forms.flags_of(lower)
        found = flags.WORD_CHARACTERS | context | listed
        if lower.endswith(_ADJECTIVAL):
            found |= flags.DECLINED_ADJECTIVE
        if (
            guesses
            and not (context or listed or lists.of(word) & no_likely or word in towns)
            and ends_like_a_profession(lower)
        ):
            found |= flags.PROFESSION_FORM
        if word[0].isupper():
            if not (context or listed & ~(flags.SURNAME_PROFESSION | flags.OFFICE)) and not lists.of(word) & no_name:
                found |= flags.UNLISTED_NAME
            found |= flags.INITIAL_CAPITAL | (flags.ONE_CAPITAL if has_one_capital(word) else 0)
        return found

    return TypeFeature(vocabulary, compute, np.int32)


def _repaired(lower: str) -> Iterator[str]:
    """Yield what OCR may have misread as this word: digits for letters, "rn" for "m", "li" for "h"."""
    if len(lower) < _MIN_REPAIRED:
        return
    if not lower.isalpha() and any(character.isdigit() for character in lower):
        yield lower.translate(_DIGITS)
    for read, written in _MISREAD:
        if read in lower:
            yield lower.replace(read, written)


def _forms(entry: str) -> Iterator[str]:
    """Yield the forms of a lower-case entry, with umlauts and written out."""
    for form in _gendered(entry):
        yield form
        if any(letter in form for letter in "äöüß"):
            yield form.translate(_UMLAUTS)
        if "ß" in form:
            yield form.replace("ß", "ss")


def _gendered(entry: str) -> Iterator[str]:
    if entry.endswith(_DECLINED):
        yield from (entry[:-1], entry, entry[:-1] + "n")
        if entry.endswith("beamter"):
            yield from (entry[:-2] + "in", entry[:-2] + "innen")
        return
    yield from (entry, entry + "s", entry + "n", entry + "en", entry + "es")
    if entry.endswith(("in", "frau", "hilfe", "kraft", "mädchen", "mutter", "schwester", "magd", "dame")):
        if entry.endswith("in"):
            yield entry + "nen"
        return
    feminine = [entry + "in"]
    if entry.endswith("e"):
        feminine = [entry[:-1] + "in"]
    for old, new in (
        ("mann", "frau"),
        ("koch", "köchin"),
        ("arzt", "ärztin"),
        ("anwalt", "anwältin"),
        ("rat", "rätin"),
    ):
        if entry.endswith(old):
            feminine = [entry[: -len(old)] + new]
    if entry.endswith("mann"):
        yield entry[:-4] + "leute"
    if entry.endswith("bauer"):
        feminine.append(entry[:-5] + "bäuerin")
    for form in feminine:
        yield form
        if form.endswith("in"):
            yield form + "nen"
