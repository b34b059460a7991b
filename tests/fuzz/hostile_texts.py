"""Texts made to keep the engine busy, in any size: what each repeats."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

REPEATED: Mapping[str, str] = {
    "letters": "a",
    "capital letters": "A",
    "digits": "1",
    "full stops": ".",
    "commas": ",",
    "hyphens": "-",
    "underscores": "_",
    "slashes": "/",
    "colons": ":",
    "at signs": "@",
    "opening brackets": "(",
    "pairs of brackets": "()",
    "quotes": '"',
    "apostrophes": "'",
    "blanks": " ",
    "tabs": "\t",
    "new lines": "\n",
    "new lines and blanks": "\n ",
    "no-break spaces": "\u00a0",
    "soft hyphens": "\u00ad",
    "spaces without width": "\u200b",
    "combining marks": "\u0301",
    "letters with combining marks": "a\u0301",
    "names with combining marks": "Mu\u0308ller ",
    "emoji": "\U0001f600",
    "emoji and letters": "\U0001f600a",
    "Chinese": "\u4e2d",
    "mixed scripts": "aаα中ا",
    "right to left and no width": "\u202e\u200bMüller",
    "words of one letter": "a ",
    "letter-spaced words": "M ü l l e r  ",
    "letter-spaced words with hyphens": "a - b ",
    "words with hyphens at line ends": "mül-\nler",
    "letters that look like Latin ones": "Мüller ",
    "Cyrillic letters": "м",
    "full-width digits": "１２．０３．",
    "initials": "A. ",
    "initials with hyphens": "A.-",
    "letters and hyphens": "a-",
    "letters and full stops": "a.",
    "letters and digits": "a1",
    "letters and slashes": "a/",
    "letters and at signs": "a@",
    "digits and blanks": "1 ",
    "digits and full stops": "1.",
    "digits and hyphens": "1-",
    "digits and slashes": "1/",
    "digits, slashes, brackets": "(0)1/-",
    "digits that may be letters": "0158lOSB",
    "dates": "12.03.2011 ",
    "dates in one word": "12.03.2011",
    "months": "3. März 2011, ",
    "ranges of years": "2010-2011-",
    "telephone numbers": "06221/56-1234 ",
    "telephone labels": "Tel.: ",
    "post codes": "69120 ",
    "addresses": "Hauptstr. 5, 69120 Heidelberg, ",
    "addresses of mail": "a.b@c.de ",
    "half of a link": "http://a/",
    "www": "www.",
    "titles": "Dr. ",
    "titles of professors": "Prof. Dr. med. ",
    "salutations": "Herr ",
    "names": "Müller ",
    "names in one word": "Müller",
    "names with hyphens": "Müller-",
    "names and commas": "Müller, ",
    "a name on each line": "Peter Müller\n",
    "a title and a name": "Dr. Müller ",
    "streets in one word": "Straße",
    "kinship and roles": "Ehefrau Tochter Hausarzt ",
    "particles": "von der ",
    "a sentence": "Herr Müller kam am 12.03.2011. ",
    "the head of a letter": "An\tHerrn Dr. Müller, ",
    "signatures": "gez. Dr. A. Müller\nOberarzt\n",
    "births": "geb. am 1.2.1950 in ",
    "hospitals in one word": "Klinikum",
    "numbers of patients": "Pat.-Nr.: 1234567 ",
}
"""What a text repeats until it has its size, by the name of the text."""


def _random_from(characters: str, between: str = "", of: int = 10) -> Callable[[int], str]:
    """Return what makes a text of random characters, in words with `of` characters if there is something `between`."""

    def make(size: int) -> str:
        draw = random.Random(size)
        text = "".join(draw.choices(characters, k=size))
        return between.join(text[at : at + of] for at in range(0, size, of))[:size] if between else text

    return make


MADE: Mapping[str, Callable[[int], str]] = {
    "half of an address of mail": lambda size: ("a." * size)[: size - 1] + "@",
    "a link without an end": lambda size: ("http://" + "a/" * size)[:size],
    "base64": _random_from(_BASE64),
    "base64 in lines": _random_from(_BASE64, "\n", 76),
    "hexadecimal": _random_from("0123456789abcdef"),
    "hexadecimal bytes": _random_from("0123456789abcdef", " ", 2),
    "random digits": _random_from("0123456789"),
    "random digits in words": _random_from("0123456789", " "),
    "random words": _random_from(_LETTERS, " "),
    "random words of four letters": _random_from(_LETTERS, " ", 4),
    "random words of 240 characters": _random_from(_LETTERS + "01", " ", 240),
    "random marks": _random_from(".,;:-/()[]@'\"+ \n\t"),
    "random words and marks": _random_from(_LETTERS.upper() + _LETTERS + ".,;:-/()[]@'\"+ \n\t0123456789"),
    "random Unicode": _random_from("".join(map(chr, (*range(1, 0xD800, 7), *range(0xE000, sys.maxunicode, 97))))),
}
"""What makes a text of a size, by the name of the text."""


def hostile_texts(size: int) -> dict[str, str]:
    """Return all texts, by name, with `size` characters each."""
    repeated = {name: (part * (size // len(part) + 1))[:size] for name, part in REPEATED.items()}
    return repeated | {name: make(size) for name, make in MADE.items()}
