"""The parts of a person's name as a span has it: given names, surnames, initials, signs of staff.

Particles and nobility ("von", "Graf") are no parts: they stay. The place in the span gives a part its role where it
can: "Müller, Peter", "Peter Müller", "P. Müller". A word that stands alone has none.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.normal_form import name_key

_CHUNK = re.compile(r"[^\s,;:/()]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?)+|[^\W\d_]")
_SIGN = re.compile(r"(?![A-ZÄÖÜ][a-zäöüß]{2,}\.?$)[^\W\d_]{1,3}(?:[-/.][^\W\d_]{1,3})?\.?")
"""Short, and not written as a name is ("Bum")."""
_PIECE = re.compile(r"\w+(?:['’](?=\w)\w+)*['’]?")
_PARTICLES = word_set("names/particles")
_NOBILITY = word_set("policies/nobility")


class NameKind(StrEnum):
    """What a part of a name is."""

    GIVEN = "given"
    SURNAME = "surname"
    INITIALS = "initials"
    SIGN = "sign"
    """Letters that a member of staff signs with: "wi-zi"."""
    UNKNOWN = "unknown"


class NamePart(NamedTuple):
    """A word [start, end) of the span's text; of a double surname each word, of a double given name both together."""

    start: int
    end: int
    role: NameKind


@cache
def given_names(*, female: bool, other: bool) -> tuple[str, ...]:
    """Return the given names of one sex, of German or other origin."""
    return word_list(f"policies/given-names-{'other-' if other else ''}{'female' if female else 'male'}")


@cache
def surnames(*, other: bool) -> tuple[str, ...]:
    """Return the surnames of German or other origin."""
    return word_list("policies/surnames-other" if other else "policies/surnames")


@cache
def listed_sex() -> dict[str, bool]:
    """Return whether a name, by its key, is a woman's."""
    return {
        name_key(name): female
        for female, other in ((False, True), (False, False), (True, True), (True, False))
        for name in given_names(female=female, other=other)
    }


@cache
def listed_surnames() -> frozenset[str]:
    """Return the keys of the surnames."""
    return frozenset(map(name_key, surnames(other=False) + surnames(other=True)))


@cache
def other_names() -> frozenset[str]:
    """Return the keys of given names and surnames that are of other than German origin."""

    def keys(other: bool) -> set[str]:
        given = (name for female in (False, True) for name in given_names(female=female, other=other))
        return {name_key(name) for name in (*surnames(other=other), *given)}

    # Michael and the Polish Michal have one key.
    return frozenset(keys(other=True) - keys(other=False))


@lru_cache(20_000)
def name_parts(text: str, known: NameKind | None = None) -> tuple[NamePart, ...]:
    """Return the parts of a name in the order of the text. known: the role of its words, as a field's label says it."""
    chunks = [(m.start(), m.end(), m.group()) for m in _CHUNK.finditer(text)]
    words = [chunk for number, chunk in enumerate(chunks) if not _is_kept(text, chunk, number == len(chunks) - 1)]
    names = [chunk for chunk in words if not _INITIALS.fullmatch(chunk[2])]
    if len(words) == 1 == len(names) and _SIGN.fullmatch(text) and not is_listed_name(text):
        return (NamePart(0, len(text), NameKind.SIGN),)
    comma = text.find(",")
    surname_first = 0 <= comma and any(start > comma for start, _, _ in words)
    if not surname_first and len(names) == 2 and comma < 0:
        first, last = (name_key(name) for _, _, name in names)
        surname_first = last in listed_sex() and last not in listed_surnames() and first not in listed_sex()
        comma = names[0][1] if surname_first else comma
    parts: list[NamePart] = []
    for start, end, chunk in words:
        if _INITIALS.fullmatch(chunk):
            parts.append(NamePart(start, end, NameKind.INITIALS))
            continue
        if known:
            role = known
        elif surname_first:
            role = NameKind.SURNAME if start < comma else NameKind.GIVEN
        elif len(words) == 1:
            role = NameKind.UNKNOWN
        else:
            role = NameKind.SURNAME if start == names[-1][0] else NameKind.GIVEN
        if role is NameKind.GIVEN or (role is NameKind.UNKNOWN and _is_double_given(chunk)):
            parts.append(NamePart(start, start + len(chunk.rstrip(".")), NameKind.GIVEN))
        else:
            parts += [NamePart(start + m.start(), start + m.end(), role) for m in _PIECE.finditer(chunk)]
    return tuple(parts)


def is_listed_name(word: str) -> bool:
    """Return whether a list of names has the word."""
    key = name_key(word)
    return key in listed_sex() or key in listed_surnames()


def _is_kept(text: str, chunk: tuple[int, int, str], is_last: bool) -> bool:
    """Return whether a word is a particle or title of nobility before a name: "von Stein", but "Ben Stein"."""
    start, end, word = chunk
    if is_last or text[end : end + 1] == ",":
        return False
    lower = word.lower()
    if lower in _NOBILITY:
        return True
    is_capital = text[start:].partition(",")[0].isupper()
    return lower in _PARTICLES and (word.islower() or (is_capital and name_key(word) not in listed_sex()))


def _is_double_given(chunk: str) -> bool:
    parts = chunk.split("-")
    return len(parts) > 1 and all(name_key(part) in listed_sex() for part in parts)
