"""The features of seed 004 ("Feature set") as one row of numbers for each token."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.lab.systems.headings import token_headings
from deid_core.lab.systems.token_classes import CLASSES, OUTSIDE
from deid_core.lab.systems.triggers import REACH, Variant, units
from deid_core.lab.systems.word_features import EDGE, LINE
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.keys import word_key
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.note_sequence import NO_TOKEN, sequence_types, sequence_words

_FORMS = tuple(
    re.compile(expression)
    for expression in (r"\d{1,3}", r"\d{1,2}\.(\d{1,2}\.?)?(\d\d){0,2}", r"[\d/+()-]{5,}", r"(?=.*\d)[A-Za-z\d/.-]{5,}")
)
"""Of ages, dates, phone numbers and IDs: the well-formed classes."""
_LISTS = (ListKind.FIRST_NAME, ListKind.SURNAME, ListKind.TOWN)
_WORD_LISTS = (ListKind.CLINIC_WORD, ListKind.TITLE)
_NEIGHBOURS = (-2, -1, 1, 2)
_SIMPLE = 5
"""Features of a neighbour besides the lists."""
_OPENING, _CLOSING = '„»“"', '“«”"'
_LONGEST = 20
_Array = npt.NDArray[Any]
Values = tuple[float, ...]


class TokenText(NamedTuple):
    """A text's words, line ends among them, with REACH edges on both sides, and facts about each token.

    places: of tokens in words; tokens: words as one would look them up, in lower case.
    """

    words: list[str]
    places: list[int]
    headings: list[str]
    tokens: list[str]
    from_line_start: list[int]
    is_quoted: list[bool]


class WordCounts(NamedTuple):
    """How often a word, in lower case, was seen; with a capital; with one at the start of a line."""

    total: int = 0
    capital: int = 0
    at_start: int = 0


class TokenFeatures(NamedTuple):
    """What the features know of the texts that a system was trained on. triggers: unit → class, by variant and side.

    endings: words that end entities, with their class; headings: the numbers of frequent ones.
    """

    counts: dict[str, WordCounts]
    endings: dict[str, int]
    headings: dict[str, int]
    triggers: dict[str, dict[str, dict[str, int]]]

    def word_values(self, gazetteer: Gazetteer) -> Callable[[str], tuple[Values, Values]]:
        """Return a function from a word to its own features, and to those that its neighbours look at."""
        from wordfreq import zipf_frequency

        names = [gazetteer.words(kind) for kind in _LISTS]
        others = [gazetteer.lowered(kind) for kind in _WORD_LISTS]

        @cache
        def values(word: str) -> tuple[Values, Values]:
            if word in (EDGE, LINE):
                return (), (-1.0 if word == EDGE else -2.0,) * (_SIMPLE + len(_LISTS) + len(_WORD_LISTS))
            lower, key = word.lower(), word_key(word)
            seen = WordCounts(*self.counts.get(lower, ()))
            capital, digit = word[0].isupper(), any(map(str.isdigit, word))
            frequency = zipf_frequency(lower, "de")
            lists = [float(key in words) for words in names] + [float(lower in words) for words in others]
            ending = float(self.endings.get(lower, OUTSIDE))
            orthography = (
                float(capital),
                float(word.isupper()),
                float(any(map(str.isupper, word[1:]))),
                float(len(word)),
                float(digit),
                float(word.isdigit()),
                float("-" in word),
                *(float(form.fullmatch(word) is not None) for form in _FORMS),
            )
            shares = (seen.capital / max(seen.total, 1), seen.at_start / max(seen.capital, 1))
            own = (*orthography, frequency, *shares, *lists, ending)
            return own, (float(capital), float(digit), float(len(word)), frequency, *lists, ending)

        return values

    def table(self, text: TokenText, values: Callable[[str], tuple[Values, Values]], variant: Variant) -> _Array:
        """Return float32 (tokens, columns). values: of `word_values`."""
        rows = []
        for number, at in enumerate(text.places):
            row = list(values(text.words[at])[0])
            for offset in _NEIGHBOURS:
                row += values(text.words[at + offset])[1]
            row.append(self.headings.get(text.headings[number], 0))
            row.append(text.from_line_start[number])
            row.append(text.is_quoted[number])
            row += self._nearest(text.words, at, variant)
            rows.append(row)
        return np.array(rows, np.float32).reshape(len(rows), -1)

    def _nearest(self, words: Sequence[str], at: int, variant: Variant) -> list[int]:
        """Return how near the nearest trigger of each class is on each side, 0 if there is none."""
        found = [0] * (2 * len(CLASSES))
        lists = self.triggers[variant]
        for side, unit, distance in units(words, at, variant):
            code = lists[side].get(unit.lower())
            if code is not None:
                place = code - 1 + (len(CLASSES) if side == "after" else 0)
                found[place] = max(found[place], REACH + 1 - distance)
        return found


def read_text(document: Document) -> TokenText:
    """Return the words of a document and what is known of each token's place."""
    tokens = document.tokens
    edges = [EDGE] * REACH
    sequence = sequence_words(tokens, document.vocabulary)
    numbers = sequence_types(tokens)[1]
    places = (np.flatnonzero(numbers != NO_TOKEN) + REACH).tolist()
    for at in np.flatnonzero(numbers == NO_TOKEN).tolist():
        sequence[at] = LINE
    words = [*edges, *sequence, *edges]
    from_start, quoted = [], []
    position, is_open = 0, False
    for at in places:
        position = 0 if words[at - 1] in (LINE, EDGE) else position + 1
        is_open = is_open and position > 0
        if is_open and words[at] in _CLOSING:
            is_open = False
        elif words[at] in _OPENING:
            is_open = True
        from_start.append(min(position, _LONGEST))
        quoted.append(is_open)
    of_tokens = [words[at].lower() for at in places]
    return TokenText(words, places, token_headings(document.text, tokens), of_tokens, from_start, quoted)


def count_words(texts: Sequence[TokenText]) -> dict[str, WordCounts]:
    """Return the counts of all words of the texts that occur more than once."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for text in texts:
        for at, lower, position in zip(text.places, text.tokens, text.from_line_start, strict=True):
            capital = text.words[at][0].isupper()
            found = counts[lower]
            found[0] += 1
            found[1] += capital
            found[2] += capital and position == 0
    return {word: WordCounts(*found) for word, found in counts.items() if found[0] > 1}


def common_endings(texts: Sequence[TokenText], codes: Sequence[Sequence[int]], least: int) -> dict[str, int]:
    """Return the last words of entities that occur so often as one, with their class."""
    found: Counter[tuple[str, int]] = Counter()
    for text, of_text in zip(texts, codes, strict=True):
        for word, code, after in zip(text.tokens, of_text, [*of_text[1:], OUTSIDE], strict=True):
            if code not in (OUTSIDE, after):
                found[word, code] += 1
    return {word: code for (word, code), count in reversed(found.most_common()) if count >= least}


def heading_numbers(texts: Sequence[TokenText], least: int) -> dict[str, int]:
    """Return numbers of the headings that so many texts have, the most frequent one first, from 1."""
    found = Counter(heading for text in texts for heading in set(text.headings) if heading)
    frequent = sorted((heading for heading, count in found.items() if count >= least), key=lambda h: (-found[h], h))
    return {heading: number for number, heading in enumerate(frequent, 1)}
