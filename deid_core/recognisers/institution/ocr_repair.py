"""Repairs OCR errors in a word before lookup: "K1inikum", "A0K", "lnstitut", "Zentrurn".

Detections keep the text as it is.
"""

from __future__ import annotations

import re

_DIGITS = str.maketrans({"1": "l", "0": "o", "5": "s", "8": "B"})
_CAPITAL_DIGITS = str.maketrans({"1": "I", "0": "O", "5": "S", "8": "B"})
_MISREAD = re.compile(r"[^\W\d_]*(?:(?<=[^\W\d_])[0158]|[0158](?=[^\W\d_]))[^\W\d_]*(?:[0158][^\W\d_]+)*")
"""Letters with a digit beside them that OCR reads for l, I, O, S or B. There is one way to match a word, so that a long
one that fails costs little."""
_MIN_LETTERS = 6
"""Shorter words with digits are codes ("C1", "B12a"), except for insurers."""
_INSURERS = frozenset({"A0K", "1KK", "A0k", "8KK", "0GK"})
_SPLIT_M = ("ikurn", "trurn", "iurn", "aturn")
"""Endings of "Klinikum", "Zentrum" and "Sanatorium" with "rn" for m."""
_SMALL_L_FIRST = re.compile(r"l(?=[nmdr][a-zäöüß])")
"""No German word begins like this: "lnnere", "lmmenstadt", "ldar"."""


def repaired(word: str) -> str:
    """Return the word without its OCR errors; a word without errors is returned unchanged."""
    if word in _INSURERS:
        return word.translate(_CAPITAL_DIGITS)
    if len(word) < _MIN_LETTERS:
        return word
    if not word.isalpha() and any(digit in word for digit in "0158") and _is_misread(word):
        word = word.translate(_CAPITAL_DIGITS if word.upper() == word else _DIGITS)
        word = word[0].upper() + word[1:]
    if _SMALL_L_FIRST.match(word):
        word = "I" + word[1:]
    return word.removesuffix("rn") + "m" if word.lower().endswith(_SPLIT_M) else word


def _is_misread(word: str) -> bool:
    """Return whether the word is letters with a few misread digits among them, and no code."""
    letters = sum(letter.isalpha() for letter in word)
    digits = sum(letter.isdigit() for letter in word)
    return 0 < digits <= 3 and letters >= 2 * digits + 3 and any(map(_MISREAD.fullmatch, word.split("-")))
