"""Head words of institutions' names: "Klinik", "Krankenkasse", "Bäckerei", and compounds that end in one.

A head word is recognised by its ending, in any case and inflection. A compound whose first part is no generic word is
a name by itself: "Rheintalklinik", but not "Augenklinik".
"""

from __future__ import annotations

from collections.abc import Container

from deid_core.core.word_lists import flags_by_word, word_list, word_set
from deid_core.recognisers.institution import flags

_INFLECTIONS = ("", "s", "es", "en", "n", "e")
_IRREGULAR = {"krankenhäuser": "krankenhaus", "krankenhäusern": "krankenhaus", "zentren": "zentrum"}
_LISTED_HEADS = flags_by_word(
    {
        flags.ORGANISATION_HEAD: "institution/organisation-heads",
        flags.ORGANISATION_HEAD | flags.BUSINESS_HEAD: "institution/business-heads",
        flags.HOSPITAL_HEAD: "institution/hospital-heads",
        flags.HOSPITAL_HEAD | flags.STRONG_HEAD: "institution/hospital-heads-strong",
    }
)
_HEADS = {head + ending: flag for head, flag in _LISTED_HEADS.items() for ending in _INFLECTIONS}
_HEADS |= {form: _HEADS[head] for form, head in _IRREGULAR.items()}
_FEWEST_LETTERS = min(map(len, _HEADS))
_BY_LAST: dict[str, list[str]] = {}
"""Thousands of forms of head words by their last letters; forms with the same last letters, the longest first."""
for _head in sorted(_HEADS, key=lambda head: (-len(head), head)):
    _BY_LAST.setdefault(_head[-_FEWEST_LETTERS:], []).append(_head)
_WHOLE_FORMS = frozenset(word + ending for word in word_list("institution/whole-word-heads") for ending in _INFLECTIONS)
_MAY_BE_ENDINGS = frozenset("apotheke werft stift zeche fabrik hotel residenz verlag schule".split())
"""The whole-word heads that end a compound nevertheless."""
_NAME_GIVING = word_list("institution/name-giving-heads")
_CALLED = ("schule", "gymnasium", "apotheke", "berufsgenossenschaft", "gemeinde", "sparkasse")
"""The part of a compound before a hyphen and one of these is a name, common word or not: "Löwen-Apotheke"."""
_GENERIC_STEMS = word_set("institution/generic-stems")
_GENERIC_ROOTS = word_list("institution/generic-roots")
_GENERIC_ENDINGS = ("ologie", "ologien", "iatrie", "chirurgie", "medizin", "pädie", "therapie", "diagnostik")
_LINKS = ("", "s", "n", "en", "es", "e", "er")
_LANDSCAPES = ("tal", "thal", "wald", "see", "berg", "burg", "gau")
_MIN_LANDSCAPE = 5
"""Letters of a listed common word that names a clinic if it is a landscape's: Rheintalklinik."""


def head_of(lower: str) -> str:
    """Return the longest head word that a lower-case word ends with, "" if there is none."""
    return next(filter(lower.endswith, _BY_LAST.get(lower[-_FEWEST_LETTERS:], ())), "")


class HeadWords:
    """Computes the flags of head words.

    places, persons: as written in the gazetteer; common, medical: in lower case.
    """

    def __init__(
        self, places: Container[str], persons: Container[str], common: Container[str], medical: Container[str]
    ) -> None:
        self._places, self._persons, self._common, self._medical = places, persons, common, medical

    def flags_of(self, lower: str, word: str) -> int:
        """Return the flags of a head word or of a compound with one, 0 for any other word."""
        parts = lower.split("-")
        if parts[-1] == "haus" and len(parts) > 1 and any(part.capitalize() in self._persons for part in parts[:-1]):
            return flags.HOSPITAL_HEAD | flags.SELF_NAMING
        if len(parts) > 1 and parts[-1].endswith(_CALLED) and not any(self._generic(part) for part in parts[:-1]):
            kind = flags.HOSPITAL_HEAD if parts[-1].endswith("apotheke") else flags.ORGANISATION_HEAD
            return kind | flags.SELF_NAMING
        head = head_of(lower)
        if not head:
            return 0
        flag = _HEADS[head]
        if head in _WHOLE_FORMS and head not in _MAY_BE_ENDINGS and parts[-1] != head:
            return 0
        stems = [part for part in lower[: -len(head)].split("-") if part]
        free = head.startswith(_NAME_GIVING)
        shouted = word.isupper()
        if any(self._names(stem, word, free=free, shouted=shouted) for stem in stems):
            flag |= flags.SELF_NAMING
        elif (
            stems
            and not (flag & flags.ORGANISATION_HEAD)
            and not all(self._generic(stem) for stem in stems)
            and not free
        ):
            return 0 if head.startswith(("stift", "reha", "physio")) else flag
        return flag

    def _names(self, stem: str, word: str, *, free: bool, shouted: bool) -> bool:
        """Return whether the part before the head word is a name.

        free: any stem that is not generic makes a name with this head word.
        """
        if self._generic(stem):
            return False
        forms = {stem.removesuffix(link) for link in _LINKS}
        if any(form.capitalize() in self._places or form.capitalize() in self._persons for form in forms):
            return len(stem) > 3
        if any(form in self._common for form in forms):
            return free and len(stem) > _MIN_LANDSCAPE and stem.endswith(_LANDSCAPES)
        return free and (len(stem) > 3 or (not shouted and stem.upper() in word))

    def _generic(self, stem: str) -> bool:
        """Return whether the part before a head word tells its kind and not its name: "augen", "kardio"."""
        forms = {stem.removesuffix(link) for link in _LINKS}
        return (
            not forms.isdisjoint(_GENERIC_STEMS)
            or any(form in self._medical for form in forms)
            or stem.startswith(_GENERIC_ROOTS)
            or any(form.endswith(_GENERIC_ENDINGS) for form in forms)
        )
