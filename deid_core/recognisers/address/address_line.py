"""Streets that only their place shows: with a house number before a postcode and its town, or behind "wohnhaft".

"Gampelmoos 3 - A-6700 Musterstadt", "im brühl 4, 54321 musterdorf", "Bi de Kark 2, 25999 Musterby": neither a word for
streets nor a list is needed where a number of the house, a separator, a postcode and a word follow each other.
"""

from __future__ import annotations

import re

_WINDOW = 72
"""So many characters before a postcode are looked at."""
_WORD = r"[^\W\d_][\w.'’-]{2,25}"
_LIVES = "wh|wohnh|wohnhaft|wohnt|wohnend|anschrift|adr|adresse"
_NAME = rf"""
    (?:
        (?:im|am|an|in|auf|bei|bi|op|achter|zum|zur|unter|vor|hinter|ob)(?:[ ](?:der|dem|den|de|d'))?
        [ ]{_WORD}(?:[ ]{_WORD})?
      | (?!(?:geb|tel|fax|nr|zimmer|station|haus|alter|patient|postfach|am|vom|bis|seit|und|{_LIVES})\b)
        {_WORD}(?:[ ](?:(?:der|dem|den|de|d'|dal|am|im|an|zu|von)[ ])?{_WORD}){{0,2}}
      | nr\.
    )
"""
_NUMBER = r"[ ]{1,2}[\dlO]{1,3}(?:[ ]?[a-z](?!\w))?(?:[/-]\w{1,4}){0,2}"
"""A house's number; a scan reads l and O for 1 and 0."""
_STREET_END = re.compile(
    rf"""
    (?:^|[\n\t,;:(|•·]|[ ]{{2}})[ ]?(?:(?:{_LIVES})\b[.]?[ ])?
    (?P<street>{_NAME}{_NUMBER}
    (?:[ ]?[/,][ ]?(?:haus|whg\.?|top|tür)[ ]?\w{{1,3}})?)
    (?:[ ]{{0,2}}[,;|•·–-][ ]?\n?|[ ]{{2,8}}|[ ]?[\n\t])[ ]{{0,4}}
    (?:(?:d|a|ch|b|l|i|f|nl)[ ]?[–-][ ]?)?$
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A street, which a line, column or mark opens, up to the postcode and the country's letter before that."""
_LIVED_IN = re.compile(
    rf"""
    [.]?:?[ \t]{{1,3}}(?-i:in[ ](?!de[rmn]\b))?(?:\d{{4,5}}[ ]{_WORD}[ ]|{_WORD}(?:[ ]{_WORD}){{0,2}},[ ]{{1,2}})?
    (?P<street>{_NAME}{_NUMBER})
    (?=[ ]?[,;\n\t)]|[ ]{{2}}|[ ]in[ ]|\.\s|\Z)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A street behind a word of residence, with or without its town before it."""
_TOWN_BEHIND = re.compile(r"[ \u00a0]{1,2}(?:[A-Z]{2}[ ])?[^\W\d_]{3}")


def street_behind_residence(text: str, end: int) -> tuple[int, int] | None:
    """The place of the street behind a word of residence that ends at `end`: "wohnhaft Musterdorf, Obertor 6"."""
    found = _LIVED_IN.match(text, end)
    return None if found is None else found.span("street")


def street_before_postcode(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The place of the street before the postcode at [start, end); None if no word is behind or no street before."""
    if _TOWN_BEHIND.match(text, end) is None:
        return None
    first = max(0, start - _WINDOW)
    found = _STREET_END.search(text[first:start])
    return None if found is None else (first + found.start("street"), first + found.end("street"))
