"""Regular expressions for titles, salutations, person names and dates in running text."""

from __future__ import annotations

import re

from deid_core.core.word_lists import alternatives, word_list, word_set

UPPER = "A-ZÄÖÜÀÁÂÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝŁŚŞČŠŽĆĐİ"
NAME_WORD = rf"[{UPPER}][^\W\d_]*(?:[-‐'’][^\W\d_]+)*"
INITIAL_LETTER = rf"[{UPPER}]\."
PARTICLES = word_set("names/particles")
"""Small words inside a name: "von", "de la"."""
_PARTICLE = rf"(?:von und zu|{alternatives('names/particles')})"
SALUTE = r"(?:Herrn?|Hrn?\.|Frau|Fr\.|Fräulein|Familie|Fam\.|Eheleuten?|HERRN?|FRAU)"
_TITLE_WORDS = word_list("names/title-words")
TITLE = (
    r"(?:(?:Univ\.?[- ]?|apl\.\s?|a\.\s?o\.\s?)?Prof(?:\.|essor(?:in)?)|Priv\.[- ]?Doz\.|h\.\s?c\.|Dipl\.-\w{2,12}\.?|"
    rf"{alternatives('names/title-words')})"
)
SALUTE_OR_TITLE_LETTERS = frozenset("HFEUaPhD") | {word[0] for word in _TITLE_WORDS}
"""First letters of SALUTE and TITLE."""
TITLES = rf"(?:{TITLE}[ \u00a0]*(?:/[ ]?)?){{1,6}}"
PERSON = (
    rf"(?:{INITIAL_LETTER}[ \u00a0-]?){{0,3}}(?:{_PARTICLE} ){{0,2}}{NAME_WORD}"
    rf"(?:[ \u00a0](?:{INITIAL_LETTER}|(?:{_PARTICLE} ){{0,3}}{NAME_WORD})){{0,4}}"
)
"""One to five words with initials and particles; never across a line or a comma."""

_DATE = r"\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d)"
WHOLE_DATE = re.compile(rf"(?<![\d.]){_DATE}(?![.,:]\d)")
BIRTH_DATE = re.compile(rf"[gG*](?:(?<=\b[gG])(?i:eb(?:oren)?\.?(?:\s+am)?)|(?<=\*))\s*:?\s*(?P<date>{_DATE})")
"""A date of birth with the word or mark before it: "geb. am 1.2.1950"."""
HOUSE_NUMBER = r"\d{1,4}\s?[a-zA-Z]?(?:\s?[-–/+]\s?\d{1,4}\s?[a-zA-Z]?)?"

ROLE_WORD = re.compile(
    rf"(?:{alternatives('names/role-words')}|(?:{alternatives('names/role-stems')})\w*)$", re.IGNORECASE
)
"""A word after a name on its line that is a role or a function, and no part of the name."""
