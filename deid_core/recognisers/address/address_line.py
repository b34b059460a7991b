"""Streets recognised by their position alone: a house number before a postcode and town, or after "wohnhaft".

"Gampelmoos 3 - A-6700 Musterstadt", "im brühl 4, 54321 musterdorf", "Bi de Kark 2, 25999 Musterby": a house number, a
separator, a postcode and a word in this order need neither a street word nor a list.
"""

from __future__ import annotations

import re

from deid_core.core.word_lists import alternatives

_WINDOW = 72
"""Characters before a postcode that may hold a street."""
_WORD = r"[^\W\d_][\w.'’-]{2,25}"
_RESIDENCE = "wh|wohnh|wohnhaft|wohnt|wohnend|anschrift|adr|adresse"
_NAME = rf"""
    (?:
        (?:{alternatives("address/street-prepositions")})(?:[ ](?:der|dem|den|de|d'))?
        [ ]{_WORD}(?:[ ]{_WORD})?
      | (?!(?:{alternatives("address/not-street-starts")}|{_RESIDENCE})\b)
        {_WORD}(?:[ ](?:(?:der|dem|den|de|d'|dal|am|im|an|zu|von)[ ])?{_WORD}){{0,2}}
      | nr\.
    )
"""
_NUMBER = r"[ ]{1,2}[\dlO]{1,3}(?:[ ]?[a-z](?!\w))?(?:[/-]\w{1,4}){0,2}"
"""A house number; OCR reads 1 and 0 as l and O."""
_STREET_END = re.compile(
    rf"""
    (?:^|[\n\t,;:(|•·]|[ ]{{2}})[ ]?(?:(?:{_RESIDENCE})\b[.]?[ ])?
    (?P<street>{_NAME}{_NUMBER}
    (?:[ ]?[/,][ ]?(?:haus|whg\.?|top|tür)[ ]?\w{{1,3}})?)
    (?:[ ]{{0,2}}[,;|•·–-][ ]?\n?|[ ]{{2,8}}|[ ]?[\n\t])[ ]{{0,4}}
    (?:(?:d|a|ch|b|l|i|f|nl)[ ]?[–-][ ]?)?$
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A street at the start of a line or column or after a mark, up to the country's letter before the postcode."""
_LIVED_IN = re.compile(
    rf"""
    [.]?:?[ \t]{{1,3}}(?-i:in[ ](?!de[rmn]\b))?(?:\d{{4,5}}[ ]{_WORD}[ ]|{_WORD}(?:[ ]{_WORD}){{0,2}},[ ]{{1,2}})?
    (?P<street>{_NAME}{_NUMBER})
    (?=[ ]?[,;\n\t)]|[ ]{{2}}|[ ]in[ ]|\.\s|\Z)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A street after a word of residence, with or without its town before it."""
_TOWN_AFTER = re.compile(r"[ \u00a0]{1,2}(?:[A-Z]{2}[ ])?[^\W\d_]{3}")


def street_after_residence(text: str, end: int) -> tuple[int, int] | None:
    """Return start and end of the street after a word of residence that ends at `end`: "wohnhaft Dorf, Obertor 6"."""
    found = _LIVED_IN.match(text, end)
    return None if found is None else found.span("street")


def street_before_postcode(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return start and end of the street before the postcode at [start, end), None without street or town."""
    if _TOWN_AFTER.match(text, end) is None:
        return None
    window = max(0, start - _WINDOW)
    found = _STREET_END.search(text[window:start])
    return None if found is None else (window + found.start("street"), window + found.end("street"))
