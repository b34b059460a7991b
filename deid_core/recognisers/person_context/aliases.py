"""Nicknames, other names and other spellings of a name, in quotation marks, in brackets or after a cue word.

"genannt Muster", "hieß dort »Muster, Anna«", "(auch: Muster, Ana)", "namens Muster", "der »Maro« genannt wird". The
cue is ALIAS.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_context.birth import name_start
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.person_names.names import name_at, with_given_name

_QUOTES = frozenset('"„»‚“«”‘')
_OPENING = _QUOTES | {":", "("}
_CLOSING_QUOTES = frozenset('"“”«»‘')
_MAX_QUOTED = 5
_FULL_NAME = 2
"""Minimum number of tokens of a full name."""
_BETWEEN = word_set("person_context/before-alias")
_MAX_BETWEEN = 3
_SURE = frozenset(("namens",))
_PASSIVE = frozenset(("genannt", "nennen", "nennt", "gerufen"))
"""The alias can also be before these: "die Maro genannt wurde"."""


def aliases(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the name after or before a word such as "genannt"."""
    word = line.word(index).lower()
    if (word == "auch" and not (line.word(index - 1) == "(" or line.word(index + 1) == ":")) or index == 0:
        return
    if line.word(index - 1) == "(":
        # "MUSTER, ANNA (auch: Musther, Ana)"
        start_token = name_start(line, index - 1)
        if index - 1 - start_token >= _FULL_NAME and line.opens_column(start_token) and line.is_rare(start_token):
            yield line.detection(start_token, index - 1, PhiType.PATIENT, "called", 0.75)
    at = index + 1
    while at < index + _MAX_BETWEEN and line.word(at) in _BETWEEN and line.adjacent(at):
        at += 1
    quoted = False
    for _ in range(2):
        if line.word(at) in _OPENING and at < line.count:
            quoted |= line.word(at) in _QUOTES
            at += 1
    found = _in_quotes(line, at) if quoted else _without_quotes(line, at, sure=word in _SURE)
    if found is None and word in _PASSIVE:
        found = _before(line, index)
    if found is not None:
        yield line.detection(*found, PhiType.PATIENT, "called", 0.75 if quoted else 0.7)


def nickname(line: NameLine, index: int, phi: PhiType) -> list[Detection]:
    """Return the name in quotation marks and brackets after a name: Egon ("Egi")."""
    if line.word(index) == "(" and line.word(index + 1) in _OPENING and line.word(index + 3) in _CLOSING_QUOTES:
        if line.flags[index + 2] & CAPITALISED:
            return [line.detection(index + 2, index + 3, phi, "called", 0.8)]
    return []


def _in_quotes(line: NameLine, start_token: int) -> tuple[int, int] | None:
    """Return the tokens up to the closing quotation mark if each can be part of a name."""
    at = start_token
    while at < min(line.count, start_token + _MAX_QUOTED) and line.word(at) not in _CLOSING_QUOTES:
        flags = line.flags[at]
        if flags & IS_WORD and not line.is_particle(at) and (not flags & CAPITALISED or flags & STOP):
            return None
        if not flags & IS_WORD and line.word(at) not in {",", "-", "."}:
            return None
        at += 1
    closed = at > start_token and line.word(at) in _CLOSING_QUOTES
    return (start_token, at) if closed and any(_may_be_alias(line, i) for i in range(start_token, at)) else None


def _without_quotes(line: NameLine, start_token: int, *, sure: bool) -> tuple[int, int] | None:
    if start_token >= line.count:
        return None
    name = name_at(line, start_token, lower=line.lower_case_note)
    if name is None or not line.is_likely(*name, listed=not sure):
        return None
    return with_given_name(line, name, lower=line.lower_case_note)


def _before(line: NameLine, index: int) -> tuple[int, int] | None:
    """Return the name that ends before the cue, with or without quotation marks."""
    end_token = index
    if end_token and line.word(end_token - 1) in _CLOSING_QUOTES:
        end_token -= 1
    start = end_token
    while (
        start and end_token - start < 3 and (start == index or line.adjacent(start)) and _may_be_alias(line, start - 1)
    ):
        start -= 1
    return (start, end_token) if start < end_token else None


def _may_be_alias(line: NameLine, index: int) -> bool:
    """Whether the token can be an alias: capitalised and no common word, or listed as a name."""
    flags = line.flags[index]
    if not flags & CAPITALISED or flags & STOP or line.cues[index]:
        return False
    return line.is_listed(index) or (line.is_rare(index) and not flags & COMMON)
