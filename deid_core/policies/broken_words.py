"""Words that are broken at a line's end, as "La-" and "ckierer": one surrogate, broken again.

Redaction joins both halves, so that no operator sees one alone. What is between them stays as it is. A span of both
halves is cut in two first; so is one of a double name, whose parts have a surrogate each ("Karl-" and "Friedrich").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.text.divided_words import HYPHENS, LINE_HYPHEN

_BREAK = re.compile(rf"[^\W\d_]{{2}}{LINE_HYPHEN.pattern}")
_BROKEN = re.compile(rf"(?<=[^\W\d_]{{2}}){LINE_HYPHEN.pattern}(?=[^\W\d_])")
_SYLLABLE = re.compile(
    r"(?<=[^\W\d_]{2})(?=(?:sch|(?<!s)ch|ck|ph|th|(?<![cpt])h|(?<!c)k|[bcdfgjlmnpqrstvwxzß])[aeiouyäöü][^\W\d_])",
    re.IGNORECASE,
)
"""Before the last consonant that a vowel follows, two letters from both ends."""
_WORD = re.compile(r"[^\W\d_]+")


def cut_at_line_ends(
    text: str, spans: Sequence[Span], types: Collection[PhiType]
) -> tuple[Sequence[Span], Sequence[int]]:
    """Return the spans, those of these types but dates cut where a line end breaks a word, and the span of each piece.

    What is between two pieces, the hyphen and the line end, is in neither.
    """
    if not types or LINE_HYPHEN.search(text) is None:
        return spans, range(len(spans))
    pieces: list[Span] = []
    owners: list[int] = []
    for number, span in enumerate(spans):
        start = span.start
        if span.type in types and span.label is not Label.DATE:
            for match in _BROKEN.finditer(text, span.start, span.end):
                pieces.append(span._replace(start=start, end=match.start()))
                start = match.end()
        pieces.append(span._replace(start=start))
        owners += [number] * (len(pieces) - len(owners))
    return pieces, owners


def joined(
    text: str, spans: Sequence[Span], types: Collection[PhiType]
) -> tuple[str, Sequence[Span], dict[int, tuple[int, str]]]:
    """Return the text and the spans with broken words of these types joined, and which spans of those were broken.

    Of these it gives, by index, the length of the first half and the hyphen, if that is in the first span.
    """
    if not types or LINE_HYPHEN.search(text) is None:
        return text, spans, {}
    firsts: set[int] = set()
    for at in range(len(spans) - 1):
        if at - 1 not in firsts and _is_broken(text, spans[at], spans[at + 1], types):
            firsts.add(at)
    if not firsts:
        return text, spans, {}
    parts: list[str] = []
    out: list[Span] = []
    halves: dict[int, tuple[int, str]] = {}
    at = moved = 0
    for number, span in enumerate(spans):
        if number - 1 in firsts:
            continue
        start, end = span.start - moved, span.end
        if number in firsts:
            second = spans[number + 1]
            cut = end - (text[end - 1] in HYPHENS)
            halves[len(out)] = cut - span.start, text[cut:end]
            parts.append(text[at:cut])
            at, moved, end = second.start, moved + second.start - cut, second.end
        out.append(span._replace(start=start, end=end - moved))
    return "".join((*parts, text[at:])), out, halves


def _is_broken(text: str, first: Span, second: Span, types: Collection[PhiType]) -> bool:
    """Return whether a word goes on in small letters in the next line; the text has it nowhere with its hyphen."""
    is_one = first.type is second.type or first.label is second.label is Label.PER
    if not (is_one and first.type in types and text[second.start : second.start + 1].islower()):
        return False
    before = max(first.start, first.end - 3)
    if not _BREAK.fullmatch(text, before, second.start) and not _BREAK.fullmatch(text, before + 1, second.start):
        return False
    word = text[first.start : first.end].rstrip(HYPHENS).rsplit(maxsplit=1)[-1]
    return f"{word}-{text[second.start : second.end]}" not in text


def broken(text: str, length: int, hyphen: str) -> tuple[str, str]:
    """Return two halves of a surrogate, broken where a first half of about this length ends; a placeholder twice."""
    if text.startswith("<"):
        return text, text
    places = [match.start() for match in _SYLLABLE.finditer(text)]
    if not places:
        longest = max(_WORD.finditer(text), key=lambda match: match.end() - match.start(), default=None)
        start, end = longest.span() if longest else (0, len(text))
        places = [(start + end) // 2]
    place = min(places, key=lambda at: abs(at - length))
    return text[:place] + hyphen, text[place:]
