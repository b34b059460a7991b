"""Finds an expression where it can match alone: at the stems, in lower case, that each of its matches begins with.

The expressions name words and begin at the edge of one. To search for an edge of a word in a text costs ten times as
much as to search for some stems.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_OTHER_S = "ſ"
"""With IGNORECASE it is an "s", but not in lower case."""


def stem_matches(
    expression: re.Pattern[str], stems: Collection[str], text: str, start: int, end: int, lower: str
) -> Iterator[re.Match[str]]:
    """Yield what `expression.finditer(text, start, end)` does; lower: this range of the text in lower case."""
    if not are_alike(lower, start, end):
        yield from expression.finditer(text, start, end)
        return
    at = start
    found = [stem for stem in stems if stem in lower]
    for place in sorted([start + place for stem in found for place in places_of(stem, lower)]) if found else ():
        if place >= at and (match := expression.match(text, place, end)):
            yield match
            at = match.end()


def are_alike(lower: str, start: int, end: int) -> bool:
    """Return whether a range of a text and its lower case have the same places and letters: seldom they do not."""
    return len(lower) == end - start and _OTHER_S not in lower


def places_of(stem: str, text: str) -> list[int]:
    """Return where a stem stands in a text, ascending."""
    places = []
    at = text.find(stem)
    while at >= 0:
        places.append(at)
        at = text.find(stem, at + 1)
    return places
