"""Finds an expression where it can match alone: at the literal prefixes with which its matches begin.

The expressions name words and begin at the edge of one. To search for an edge of a word in a text costs ten times as
much as to search for some literal prefixes, which are in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_OTHER_S = "ſ"
"""With IGNORECASE it is an "s", but not in lower case."""


def prefix_matches(
    expression: re.Pattern[str], prefixes: Collection[str], text: str, start: int, end: int, lower: str
) -> Iterator[re.Match[str]]:
    """Yield what `expression.finditer(text, start, end)` does; lower: this range of the text in lower case."""
    if not are_alike(lower, start, end):
        yield from expression.finditer(text, start, end)
        return
    at = start
    found = [prefix for prefix in prefixes if prefix in lower]
    for place in sorted([start + place for prefix in found for place in places_of(prefix, lower)]) if found else ():
        if place >= at and (match := expression.match(text, place, end)):
            yield match
            at = match.end()


def are_alike(lower: str, start: int, end: int) -> bool:
    """Return whether a range of a text and its lower case have the same places and letters: seldom they do not."""
    return len(lower) == end - start and _OTHER_S not in lower


def places_of(prefix: str, text: str) -> list[int]:
    """Return where a prefix stands in a text, ascending."""
    places = []
    at = text.find(prefix)
    while at >= 0:
        places.append(at)
        at = text.find(prefix, at + 1)
    return places
