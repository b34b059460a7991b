"""Small regular expressions that header, introduction and context share: titles, salutations and person names."""

from __future__ import annotations

import re

UPPER = "A-ZÄÖÜÀÁÂÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝŁŚŞČŠŽĆĐİ"
NAME_WORD = rf"[{UPPER}][^\W\d_]*(?:[-‐'’][^\W\d_]+)*"
INITIAL = rf"[{UPPER}]\."
PARTICLES = frozenset(
    "von vom van zu zur zum de del della der den di da dos du la le al el bin ben ibn ter ten".split()
)
"""Small words that may stand inside a name."""
PARTICLE = rf"(?:von und zu|{'|'.join(sorted(PARTICLES, key=lambda word: (-len(word), word)))})"
SALUTE = r"(?:Herrn?|Hrn?\.|Frau|Fr\.|Fräulein|Familie|Fam\.|Eheleuten?|HERRN?|FRAU)"
TITLE = (
    r"(?:(?:Univ\.?[- ]?|apl\.\s?|a\.\s?o\.\s?)?Prof(?:\.|essor(?:in)?)|Dr(?:es)?\.|Doktor(?:in)?|"
    r"PD|P\.D\.|Priv\.[- ]?Doz\.|Privatdozent(?:in)?|"
    r"med\.|habil\.|h\.\s?c\.|dent\.|vet\.|univ\.|rer\.|nat\.|phil\.|jur\.|iur\.|Dipl\.-\w{2,12}\.?|MUDr\.|Mag\.|Doz\.)"
)
TITLES = rf"(?:{TITLE}[ \u00a0]*(?:/[ ]?)?){{1,6}}"
PERSON = (
    rf"(?:{INITIAL}[ \u00a0-]?){{0,3}}(?:{PARTICLE} ){{0,2}}{NAME_WORD}"
    rf"(?:[ \u00a0](?:{INITIAL}|(?:{PARTICLE} ){{0,3}}{NAME_WORD})){{0,4}}"
)
"""One to five words with initials and particles; never across a line or a comma."""

DATE = r"\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d)"
WHOLE_DATE = re.compile(rf"(?<![\d.]){DATE}(?![.,:]\d)")
BIRTH = re.compile(rf"[gG*](?:(?<=\b[gG])(?i:eb(?:oren)?\.?(?:\s+am)?)|(?<=\*))\s*:?\s*(?P<date>{DATE})")
"""A date of birth with what says that it is one."""
HOUSE_NUMBER = r"\d{1,4}\s?[a-zA-Z]?(?:\s?[-–/+]\s?\d{1,4}\s?[a-zA-Z]?)?"

# What follows a name on the same line and is none: roles, functions, what the letter says next.
ROLE_WORD = re.compile(
    r"(?:ärztliche[rn]?|stellv\w*|leitende[rn]?|direktor\w*|chef\w*|ober(?:arzt|ärztin)\w*|assistenz\w*|fach(?:arzt|ärztin)\w*|"
    r"(?:haus|stations|belegs?|funktions|vertrags)?(?:arzt|ärztin|ärzte)|internist\w*|kardiolog\w*|allgemein\w*|leiter\w*|"
    r"sekretariat|geschäftsführ\w*|facharzt\w*|innere|sprecher\w*|prokurist\w*|pflege\w*|tel\w*|fax)$",
    re.IGNORECASE,
)
