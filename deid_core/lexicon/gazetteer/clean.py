"""Clean entries by the steps and filters of sources.yaml, with a reason for every dropped entry."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from deid_core.lexicon.gazetteer.sources import Filters, Source, Step

_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_SLASH = re.compile(r"\s*/\s*")
_COMMA = re.compile(r"\s*,\s*")
_DISTRICT = re.compile(r",?\s+OT\s+")
_DASHES = re.compile(r"\s+[-–—]+\s+")
_BLANKS = re.compile(r"\s+")

_STEPS: dict[Step, Callable[[str], list[str]]] = {
    Step.LOWER: lambda entry: [entry.lower()],
    Step.STRIP_BRACKETS: lambda entry: [_BRACKETS.sub("", entry)],
    Step.SPLIT_SLASH: _SLASH.split,
    Step.SPLIT_COMMA: _COMMA.split,
    Step.STRIP_DISTRICT: _DISTRICT.split,
    Step.DASHES: lambda entry: [_DASHES.sub(" ", entry)],
}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The remaining entries of a source, and the number of dropped ones by reason."""

    entries: frozenset[str]
    dropped: Mapping[str, int]


def clean(raw: Counter[str], source: Source, others: Mapping[str, Iterable[str]]) -> Cleaned:
    """Apply a source's steps and filters; `others` are the cleaned entries of the sources in `filters.without`."""
    counts: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for entry, count in raw.items():
        if source.count_column is None and count > 1:
            dropped["repeated"] += count - 1
        for form in _forms(entry, source.normalise):
            if form in counts and source.count_column is None:
                dropped["repeated"] += 1
            counts[form] += count
    known = {other.casefold() for name in source.filters.without for other in others[name]}
    pattern = re.compile(source.filters.drop_pattern) if source.filters.drop_pattern else None
    taken = set()
    for entry, count in counts.items():
        reason = _reason(entry, count, source.filters, pattern, known)
        if reason is None:
            taken.add(entry)
        else:
            dropped[reason] += 1
    return Cleaned(frozenset(taken), dict(sorted(dropped.items())))


def _forms(entry: str, steps: Iterable[Step]) -> list[str]:
    forms = [unicodedata.normalize("NFC", entry)]
    for step in steps:
        forms = [form for before in forms for form in _STEPS[step](before)]
    return list(dict.fromkeys(_BLANKS.sub(" ", form).strip() for form in forms))


def _reason(entry: str, count: int, filters: Filters, pattern: re.Pattern[str] | None, known: set[str]) -> str | None:
    """Return why an entry is dropped, None if it is accepted."""
    if not any(character.isalnum() for character in entry):
        return "empty after cleaning"
    if len(entry) < filters.min_length:
        return "too short"
    if filters.drop_digits and any(character.isdigit() for character in entry):
        return "has digits"
    if filters.capitalised and not (entry[0].isupper() or entry[0].isdigit()):
        return "not capitalised"
    if filters.max_words is not None and len(entry.split(" ")) > filters.max_words:
        return "too many words"
    if pattern is not None and pattern.search(entry):
        return "matches drop_pattern"
    if filters.min_count is not None and count < filters.min_count:
        return "too rare"
    if known and entry.casefold() in known:
        return "in another source"
    return None
