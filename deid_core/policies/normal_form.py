"""Normal forms of what is removed: equal for spellings of one name or number."""

from __future__ import annotations

import re
from functools import lru_cache

from deid_core.text.folding import folded

_MARKS = re.compile(r"[\W_]+")
_DOUBLED = re.compile(r"(.)\1+")
_SPELLINGS = (
    ("ie", "i"),
    ("y", "i"),
    ("j", "i"),
    ("th", "t"),
    ("dt", "t"),
    ("ph", "f"),
    ("ch", "k"),
    ("c", "k"),
)
_ASCII_MARKS = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())


@lru_cache(100_000)
def name_key(word: str) -> str:
    """Return the key that Müller, MÜLLER, Mueller and Muller share: small letters, umlauts as their base letter."""
    return folded(word).replace("ae", "a").replace("oe", "o").replace("ue", "u")


@lru_cache(100_000)
def spelling_key(key: str) -> str:
    """Return what spellings of a name, by their key, share: Philipp, Filip; Meyer, Meier; Jacobescu, Iacobesku."""
    for written, plain in _SPELLINGS:
        key = key.replace(written, plain)
    return _DOUBLED.sub(r"\1", key)


def value_key(text: str) -> str:
    """Return the letters and digits of a text in small letters: what "06221/56-12" and "06221 5612" share."""
    if not text.isascii():
        return _MARKS.sub("", folded(text))
    # Most are numbers, for which this is quicker.
    return text.lower() if text.isalnum() else text.lower().translate(_ASCII_MARKS)


def in_case_of(text: str, original: str) -> str:
    """Return the text in capitals or small letters if the original is; a single capital tells nothing."""
    # In capitals "GROß" is usual, since ß had none.
    if len(original) > 1 and (original.isupper() or ("ß" in original and original.replace("ß", "").isupper())):
        return text.upper()
    return text.lower() if original.islower() else text
