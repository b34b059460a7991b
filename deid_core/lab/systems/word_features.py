"""The families of seed 001's features that depend on one word alone (sections 6.3 to 6.5), by name.

`neighbours` stands for the syntactic bigrams. The seed takes them from the Link Grammar Parser, which knows no German;
of a word without links they are the two words on each side (section 6.4.2), and so they are here for every word.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Literal, NamedTuple

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.keys import word_key
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind

EDGE, LINE = "\u2402", "\u2403"
"""Words that no text has: beyond the first and the last token, and the end of a line or cell."""
Family = Literal[
    "word",
    "neighbours",
    "bigrams",
    "capitalised",
    "punctuation",
    "number",
    "length",
    "part_of_speech",
    "dictionary",
    "medical",
    "heading",
]
Values = Callable[[str], tuple[str, ...]]
_DICTIONARIES = (*NAME_KINDS, ListKind.CLINIC_WORD, ListKind.TITLE, ListKind.SALUTATION, ListKind.MONTH)
_MEDICAL = (ListKind.MEDICAL_WORD, ListKind.EPONYM)
_MARKS = "-/."
_MAX_LENGTH = 25
_AROUND = (-2, -1, 1, 2)
_WINDOW = (-2, -1, 0, 1, 2)


class WordFamily(NamedTuple):
    """The offsets of the words that a family describes, and its values of a word."""

    window: tuple[int, ...]
    values: Values


def normal(word: str) -> str:
    """Return the word without what seed 001's normalisation drops; of UMLS's Norm only the case is dropped here."""
    return word.lower()


def word_family(family: Family, gazetteer: Gazetteer) -> WordFamily | None:
    """Return a family, None if it takes more than one word. Raises ConfigurationError if its package is missing."""
    match family:
        case "word":
            return WordFamily((0,), lambda word: (normal(word),))
        case "neighbours":
            return WordFamily(_AROUND, lambda word: (normal(word),))
        case "capitalised":
            return WordFamily((0,), lambda word: ("yes",) if word[0].isupper() else ())
        case "punctuation":
            return WordFamily((0,), lambda word: tuple(mark for mark in _MARKS if mark in word))
        case "number":
            return WordFamily((0,), lambda word: ("yes",) if any(map(str.isdigit, word)) else ())
        case "length":
            return WordFamily((0,), lambda word: (str(min(len(word), _MAX_LENGTH)),))
        case "part_of_speech":
            return WordFamily(_WINDOW, part_of_speech_tagger())
        case "dictionary":
            return WordFamily(_WINDOW, _in_lists(gazetteer, _DICTIONARIES))
        case "medical":
            return WordFamily((0,), _in_lists(gazetteer, _MEDICAL))
        case "bigrams" | "heading":
            return None


def part_of_speech_tagger() -> Values:
    """Return a function from a word to its likeliest STTS tag. Raises ConfigurationError if HanTa is missing."""
    try:
        library = importlib.import_module("HanTa.HanoverTagger")
    except ImportError as error:
        raise ConfigurationError(
            f"parts of speech need the extra 'systems': {how_to_install('systems')} ({error.name})"
        ) from None
    tagger = library.HanoverTagger("morphmodel_ger.pgz")

    def tag(word: str) -> tuple[str, ...]:
        if word in (EDGE, LINE):
            return (word,)
        # The tagger takes a millisecond, for a number as for a word.
        is_number = word[0].isdigit() and not any(map(str.isalpha, word))
        return ("CARD" if is_number else tagger.analyze(word)[1],)

    return tag


def _in_lists(gazetteer: Gazetteer, kinds: tuple[ListKind, ...]) -> Values:
    """Return a function from a word to the lists that have it; names are compared as written, other words are not."""
    of_names = [(str(kind), gazetteer.words(kind)) for kind in kinds if kind in NAME_KINDS]
    of_words = [(str(kind), gazetteer.lowered(kind)) for kind in kinds if kind not in NAME_KINDS]

    def lists(word: str) -> tuple[str, ...]:
        key, lower = word_key(word), word.lower()
        return (
            *(kind for kind, words in of_names if key in words),
            *(kind for kind, words in of_words if lower in words),
        )

    return lists
