"""Words formed like professions that no list has: "Lautenbauer", "Pistenchef", "Manglerin".

German derives professions freely. The ending ("-erin", "-ist") only shows that a person is meant, so such a word needs
a word that announces a profession ("gelernte", "arbeitet als", "Beruf:").
"""

from __future__ import annotations

from deid_core.core.word_lists import word_list

_ENDINGS = word_list("profession/endings")
_OTHER_ENDINGS = word_list("profession/not-profession-endings")
_MIN_LETTERS = 6
_MIN_BEFORE_ENDING = 3


def ends_like_a_profession(lower: str) -> bool:
    """Return whether a lower-case word has the ending of a profession; it may still be another listed word."""
    return (
        len(lower) >= _MIN_LETTERS
        and (lower.isalpha() or "-" in lower)
        and lower[_MIN_BEFORE_ENDING:].endswith(_ENDINGS)
        and not lower.endswith(_OTHER_ENDINGS)
    )
