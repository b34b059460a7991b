"""Which words of a note's names are one name.

Words are one name if their keys are equal (Müller, MUELLER), if one is the other's genitive (Müllers), or if one that
no list has is another with a typing error: R < 0.21 (letterhead/fuzzy_match.py; seed 000, section 4.3) or two letters
exchanged. The base is the more frequent one, else the listed one, else the first. All names of the patient are of one
person, so a word of them that is another one with a typing error is that name, also if it is short or listed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from deid_core.letterhead.fuzzy_match import closest
from deid_core.policies.names.name_parts import listed_names
from deid_core.policies.normal_form import spelling_key

_MAX_RATIO = 0.21
"""One error in five letters. Of pairs of shorter names of one letter ("Enno", "Onno") most were two names."""
_SHORTEST = 5
"""Letters of a word that a typing error may be in."""
_SHORTEST_OF_PATIENT = 3
_APOSTROPHES = "'’"
_SIBILANTS = ("s", "x", "z")
"""Names that end so have an apostrophe in the genitive; keys have no ß."""


class NameBase(NamedTuple):
    """The name that a word is a form of: its key, and whether the word is the genitive."""

    key: str
    genitive: bool = False


class PatientMention(NamedTuple):
    """The keys of the words of a name of the patient, and whether they stand in a full name or a field of their own."""

    keys: tuple[str, ...]
    is_placed: bool


def name_bases(
    counted: Mapping[str, int], alone: Container[str], before_word: Container[str], of_patient: Sequence[PatientMention]
) -> dict[str, NameBase]:
    """Return the bases of keys; a key that is left out is its own base.

    counted: how often a key stands. alone: keys that never stand beside another name.
    before_word: those of them that stand before another word somewhere.
    """
    bases = _patients_bases(of_patient)
    listed = listed_names().intersection(counted)
    known: list[str] = []
    for key in sorted(counted, key=lambda key: (-counted[key], key not in listed)):
        if key in bases:
            known += [key] if bases[key].key == key else []
            continue
        # "Heinrichs" is a surname too, and the genitive where the note has a Heinrich.
        may_be = key not in listed or (key in alone and key[:-1] in counted)
        genitive = _nominative(key, counted, before_word) if may_be else ""
        if genitive:
            bases[key] = NameBase(genitive, True)
        elif key not in listed and (name := misspelt_name(key, known)):
            bases[key] = NameBase(name)
        else:
            known.append(key)
    return {
        key: NameBase(bases[base.key].key, base.genitive or bases[base.key].genitive) if base.key in bases else base
        for key, base in bases.items()
    }


def _patients_bases(mentions: Sequence[PatientMention]) -> dict[str, NameBase]:
    """Return the bases of words of the patient's names; names that stand together in a mention are two names.

    The base is the more frequent one, where full names and fields count twice: most typing errors are in other places.
    """
    if not mentions:
        return {}
    # Of equally frequent ones those that are placed come first.
    placed = dict.fromkeys([key for keys, is_placed in mentions if is_placed for key in keys], 0)
    counted = dict(placed)
    together: set[tuple[str, str]] = set()
    for keys, is_placed in mentions:
        for key in keys:
            counted[key] = counted.get(key, 0) + 1 + is_placed
        if len(keys) > 1:
            together.update(permutations(keys, 2))
    bases: dict[str, NameBase] = {}
    known: list[str] = []
    listed = listed_names()
    # "Krugs" that stands in no full name is the genitive of Krug, however frequent.
    late = {key for key in counted if key not in placed and key[-1] == "s" and key[:-1] in placed}
    for key in sorted(counted, key=lambda key: (key in late, -counted[key], key not in listed)):
        others = [name for name in known if (name, key) not in together]
        nominative = key.rstrip(_APOSTROPHES)
        if nominative == key and not key[:-1].endswith(_SIBILANTS):
            nominative = key.removesuffix("s")
        if nominative != key and nominative in others:
            bases[key] = NameBase(nominative, True)
        elif name := _like_patients(key, others):
            bases[key] = NameBase(name)
        elif key[-1] == "s" and key not in placed and (name := _like_patients(key[:-1], others)):
            bases[key] = NameBase(name, True)
        else:
            known.append(key)
            if key in placed:
                bases[key] = NameBase(key)
    return bases


def _like_patients(key: str, names: Sequence[str]) -> str:
    """Return the one of the patient's names that a key is with a typing error, "" for none."""
    return next((name for name in names if _is_one_error(name, key)), "") or _spelled_otherwise(key, names)


def _nominative(key: str, counted: Container[str], before_word: Container[str]) -> str:
    """Return the name that a key is the genitive of, "" if of none.

    If the note does not have the name itself, a list must, and a word must follow: "Müllers Sohn", but neither
    "(Dr. Bruhns)" nor "Peter Heinrichs".
    """
    if key[-1] in _APOSTROPHES:
        return key[:-1]
    name = key[:-1].rstrip(_APOSTROPHES)
    is_name = name in counted or (key in before_word and name in listed_names())
    if key[-1] == "s" and len(name) >= _SHORTEST - 2 and is_name:
        return name
    return ""


def misspelt_name(key: str, known: Iterable[str]) -> str:
    """Return the known name that a key is with a typing error or in another spelling, "" if there is none."""
    if len(key) < _SHORTEST:
        return ""
    known = list(known)
    if same := _spelled_otherwise(key, known):
        return same
    # Comparing costs more than looking for a reason to compare: one error leaves one half of a word as it was.
    half = len(key) // 2
    start, end = key[:half], key[-half:]
    fitting = [name for name in known if (name.startswith(start) or name.endswith(end)) and _are_as_long(name, key)]
    if not fitting:
        return ""
    found, _ = closest(fitting, [key], _MAX_RATIO)
    return fitting[found[0]] if found[0] >= 0 else next((name for name in fitting if _is_swapped(name, key)), "")


def _spelled_otherwise(key: str, names: Sequence[str]) -> str:
    """Return the name that a long key is in another spelling: "Meybeier" and "Meibeyer"; "" for none."""
    if len(key) <= _SHORTEST:
        return ""
    sound = spelling_key(key)
    return next((name for name in names if spelling_key(name) == sound), "")


def _are_as_long(name: str, key: str) -> bool:
    """Return whether the lengths of two keys alone leave room for a typing error."""
    return abs(len(name) - len(key)) < _MAX_RATIO * min(len(name), len(key))


def _is_swapped(name: str, key: str) -> bool:
    """Return whether two neighbouring letters are exchanged."""
    at = next((at for at, (a, b) in enumerate(zip(name, key, strict=False)) if a != b), 0)
    return name == f"{key[:at]}{key[at + 1 : at + 2]}{key[at : at + 1]}{key[at + 2 :]}"


def _is_one_error(name: str, key: str) -> bool:
    """Return whether two keys differ by one letter or an exchange; short ones not by the first letter."""
    shorter = min(len(name), len(key))
    if shorter < _SHORTEST_OF_PATIENT or (name[0] != key[0] and shorter < _SHORTEST):
        return False
    # R of one letter is below this, that of two is not.
    found, _ = closest([name], [key], 2 / shorter)
    return found[0] >= 0 or _is_swapped(name, key)
