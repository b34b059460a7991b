"""The family `cue`: which of some word lists contain a word, or an ending of it.

Rules use most of these lists, too; the header of each names all its readers. They are those that say what a word
announces or heads: "Klinik", "gelernter", "Tochter", "GmbH", "wohnhaft". So the model knows of a head word that it
never read what it learned of the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from deid_core.core.word_lists import word_list

_WHOLE = {
    "institution": (
        "hospital-heads organisation-heads business-heads department-units ward-words ward-subjects insurers"
        " insurer-branches legal-forms qualifiers organisation-qualifiers place-heads employment-words origin-words"
        " waters-in-town-names hospital-abbreviations hospital-names organisation-names club-abbreviations employers"
    ),
    "cue_words": (
        "kinship clinical-roles civil-roles titles salutations name-fields signed dictation birth former-names aliases"
        " agents closing-starts"
    ),
    "profession": "announcing-words strong-announcing-words work-words copulas leading-words offices time-adverbs",
    "address": "residence-words site-heads street-prepositions",
    "staff_initials": "writer-cues reader-cues user-cues column-headings abbreviations never-initials units",
}
_ENDINGS = {
    "institution": (
        "hospital-heads organisation-heads business-heads department-units discipline-endings specialty-endings"
        " name-endings landscape-endings town-endings place-heads header-units term-endings"
    ),
    "cue_words": "clinical-role-endings civil-role-endings",
    "profession": "endings compound-heads not-profession-endings",
}
"""Lists by their folder: those that contain the whole word, and those that contain an ending of it."""
_SHORTEST_REST = 2
"""Least number of letters before an ending."""


class CueLists:
    """The lists of words; upper case does not matter."""

    def __init__(self) -> None:
        self._whole = _by_word(_WHOLE)
        self._endings = _by_word(_ENDINGS)
        self._fewest = min(map(len, self._endings))
        self._lengths: dict[str, list[int]] = {}
        """The lengths of the endings with the same last letters, the longest first."""
        for length, last in sorted({(len(ending), ending[-self._fewest :]) for ending in self._endings}, reverse=True):
            self._lengths.setdefault(last, []).append(length)

    def __call__(self, word: str) -> tuple[str, ...]:
        """Return the names of the lists of one word, with "~" where only an ending is in the list."""
        lower = word.lower()
        values = self._whole.get(lower, ()) or self._whole.get(lower.rstrip("."), ())
        found = list(values)
        longest = len(lower) - _SHORTEST_REST
        for length in self._lengths.get(lower[-self._fewest :], ()):
            if length <= longest and (of_ending := self._endings.get(lower[-length:])):
                found += [f"~{name}" for name in of_ending if f"~{name}" not in found]
        return tuple(found)


def _by_word(folders: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for folder, names in folders.items():
        for name in names.split():
            for word in _lowered(word_list(f"{folder}/{name}")):
                found[word] = (*found.get(word, ()), name)
    return found


def _lowered(words: Iterable[str]) -> Iterable[str]:
    return sorted({word.lower() for word in words})
