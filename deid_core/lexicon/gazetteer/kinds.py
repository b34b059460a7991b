"""The kinds of list: lists of names, which are matched, and lists of words, which are looked up."""

from __future__ import annotations

from enum import StrEnum


class ListKind(StrEnum):
    """The content of a list."""

    FIRST_NAME = "first_name"
    SURNAME = "surname"
    TOWN = "town"
    STREET = "street"
    COUNTRY = "country"
    REGION = "region"
    POSTCODE = "postcode"
    HOSPITAL = "hospital"
    TITLE = "title"
    SALUTATION = "salutation"
    MONTH = "month"
    STREET_SUFFIX = "street_suffix"
    TOWN_SUFFIX = "town_suffix"
    EPONYM = "eponym"
    CLINIC_WORD = "clinic_word"
    STOP_WORD = "stop_word"
    COMMON_WORD = "common_word"
    MEDICAL_WORD = "medical_word"
    KEPT_WORD = "kept_word"
    """The medical words of the hospital's own lists: read as names never, whatever the recognisers say."""
    PROFESSION = "profession"


NAME_KINDS: tuple[ListKind, ...] = (
    ListKind.FIRST_NAME,
    ListKind.SURNAME,
    ListKind.TOWN,
    ListKind.STREET,
    ListKind.COUNTRY,
    ListKind.REGION,
    ListKind.POSTCODE,
    ListKind.HOSPITAL,
)
"""Kinds that the automaton matches in notes; the index in this tuple is the kind's bit in a mask of lists."""

WORD_KINDS: tuple[ListKind, ...] = tuple(kind for kind in ListKind if kind not in NAME_KINDS)
"""Kinds that recognisers look words up in; they never make a detection by themselves."""


_BITS: dict[str, int] = {str(kind): 1 << place for place, kind in enumerate(NAME_KINDS)}


def bit(kind: ListKind | str) -> int:
    """Return the mask of a name kind. Raises KeyError if it is not one of NAME_KINDS."""
    return _BITS[kind]


_LIST_BITS: dict[str, int] = {str(kind): 1 << place for place, kind in enumerate(ListKind)}


def list_bit(kind: ListKind | str) -> int:
    """Return the mask of any kind of list, where entries of all kinds are looked up together. Raises KeyError."""
    return _LIST_BITS[kind]
