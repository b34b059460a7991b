"""The feature families that a feature set may name, and how its configuration becomes templates.

| family | values of a word | source |
|---|---|---|
| word | the word, digits as 0 | seed 000, Table 3 (words); seed 003, Table 4 (bag of words) |
| lower | the same in small letters | |
| character_ngrams | n-grams to `length` letters that touch the word's beginning or end | seed 000, Table 3 |
| affixes | prefixes and suffixes to `length` letters | seed 003, Table 4 (1 to 5) |
| stanford_shape | shape chris2 | seed 000, Table 3 (chris2useLC) |
| short_shape | runs of character classes | |
| abstract_shape | "7534-Df" as "####-Aa" | seed 003, Table 4 |
| orthography | capitals, digits, marks | seed 003, Table 4 |
| cluster_path | beginnings of the word's path in the tree of Brown clusters, and the whole path | clusters.py |
| cluster | the path's first `bits` bits, for pairs | clusters.py |
| listed | kinds of list that have the word; "~": without its ending, "+": its last part | seed 001 (dictionaries) |
| number | what the word's numbers can be in a date: month, day, year of two or four digits, none of these | |
| likeness | for each class of name-likeness the thresholds its log odds pass | likeness.py |
| likeliest | the class with the highest log odds, for pairs | likeness.py |
| evidence | what recognisers say of a token; of a sequence of evidence, not of words | decide/evidence.py |

A family stands at the offsets of a `window`, told apart; or in a `disjunction` of so many words before and behind
(seed 000, Table 3: disjunctive words); or as a `pair` of two offsets (seed 003: bigrams; seed 000: sequences).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from deid_core.config import FrozenSettings
from deid_core.errors import ConfigurationError
from deid_core.sequence.clusters import UNKNOWN, Clusters
from deid_core.sequence.features import EDGE, PairTemplate, Template, Templates, Values, disjunction, window
from deid_core.sequence.lexicon import Lexicon
from deid_core.sequence.likeness import NameLikeness
from deid_core.sequence.shapes import abstract_shape, orthography, short_shape, stanford_shape

_PATH_BITS = (4, 6, 8, 10)
_THRESHOLDS = (-3.0, -1.5, -0.5, 0.5, 1.5, 3.0)
_STEPS = np.array(_THRESHOLDS, np.float32)
_LISTS = (
    "first_name",
    "surname",
    "town",
    "street",
    "region",
    "country",
    "profession",
    "common_word",
    "clinic_word",
    "medical_word",
    "eponym",
)
_WORD_LISTS = ("profession", "common_word", "clinic_word", "medical_word")
"""Those whose words are the last parts of compounds, of which no list has all."""
_SHORTEST_PART = 4
_ENDINGS = ("s", "es", "n", "en", "e")
_DIGITS = str.maketrans("123456789", "000000000")
_DIGIT_RUN = re.compile(r"[0-9]+")
_MONTHS, _DAYS, _YEARS = 12, 31, range(1900, 2040)
_LONG = 9
"""Longer numbers are told apart no more."""
MAX_LETTERS = 64
"""A longer word is cut before its features are taken."""


class FeatureSettings(FrozenSettings):
    """One entry of a feature set."""

    family: str
    window: list[int] | None = None
    disjunction: Annotated[int, Field(gt=0)] | None = None
    pair: tuple[int, int] | None = Field(None, strict=False)
    length: Annotated[int, Field(gt=0)] | None = None
    bits: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> FeatureSettings:
        if [self.window, self.disjunction, self.pair].count(None) != 2:
            raise ValueError("needs one of window, disjunction, pair")
        if self.family not in FAMILIES:
            raise ValueError(f"there is no family {self.family!r}; there are: {', '.join(sorted(FAMILIES))}")
        if self.pair is not None and not (self.family in _SINGLE and self.pair[0] < self.pair[1]):
            raise ValueError(f"a pair needs two ascending offsets and one of {', '.join(sorted(_SINGLE))}")
        return self


def build_templates(features: Iterable[FeatureSettings], lexicon: Lexicon) -> Templates:
    """The templates of a feature set.

    Raises ConfigurationError if a family needs a part of the lexicon that the model does not have, or stands twice
    in the same way.
    """
    single: list[Template] = []
    pairs: list[PairTemplate] = []
    problems: list[str] = []
    only: dict[tuple[str, int | None], Callable[[str], str]] = {}
    for settings in features:
        try:
            values = FAMILIES[settings.family](settings, lexicon)
        except LookupError as error:
            problems.append(f"features: {settings.family}: {error.args[0]}")
            continue
        name = settings.family + str(settings.bits or "")
        if settings.window is not None:
            single.append(Template(name, values, window(name, *settings.window)))
        elif settings.disjunction is not None:
            single.append(Template(name, values, disjunction(name, settings.disjunction)))
        elif settings.pair is not None:
            # One function for all pairs of a family: compile asks it once a word.
            value = only.setdefault((settings.family, settings.bits), _only(values))
            pairs.append(PairTemplate(name, value, *settings.pair))
    keys = [slot.key for template in single for slot in template.slots] + [pair.key for pair in pairs]
    problems += [f"features: {key} stands twice" for key in sorted({key for key in keys if keys.count(key) > 1})]
    if problems:
        raise ConfigurationError(problems)
    return Templates(tuple(single), tuple(pairs))


def _only(values: Values) -> Callable[[str], str]:
    return lambda word: next(iter(values(word)), "")


def _normal(word: str) -> str:
    return word[:MAX_LETTERS].translate(_DIGITS)


def _word(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    if settings.disjunction is not None:  # what stands outside is no word that could be near
        return lambda word: (_normal(word),) if word != EDGE else ()
    return lambda word: (_normal(word),)


def _lower(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    return lambda word: (_normal(word).lower(),) if word != EDGE else ()


def _touching(longest: int, normal: Callable[[str], str]) -> Callable[[FeatureSettings, Lexicon], Values]:
    """N-grams at the beginning ("<") and the end (">") of the word's normal form, to `length` letters or to these."""

    def family(settings: FeatureSettings, lexicon: Lexicon) -> Values:
        limit = settings.length or longest

        def values(word: str) -> tuple[str, ...]:
            word = normal(word)
            sizes = range(1, min(limit, len(word)) + 1)
            return (*[f"<{word[:size]}" for size in sizes], *[f"{word[-size:]}>" for size in sizes])

        return values

    return family


def _of(shape: Callable[[str], str]) -> Callable[[FeatureSettings, Lexicon], Values]:
    return lambda settings, lexicon: lambda word: (shape(word[:MAX_LETTERS]),) if word != EDGE else ()


def _orthography(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    return lambda word: orthography(word[:MAX_LETTERS])


def _cluster_path(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    clusters = _clusters_of(lexicon)

    def values(word: str) -> tuple[str, ...]:
        if word == EDGE:
            return ()
        path = clusters.path(word)
        if path == UNKNOWN:
            return ("?",)
        return (*[f"{bits}:{path & ((1 << bits) - 1)}" for bits in _PATH_BITS], str(path))

    return values


def _cluster(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    clusters, mask = _clusters_of(lexicon), (1 << (settings.bits or 16)) - 1

    def values(word: str) -> tuple[str, ...]:
        if word == EDGE:
            return ()
        path = clusters.path(word)
        return ("?",) if path == UNKNOWN else (str(path & mask),)

    return values


def _likeness(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    likeness = _likeness_of(lexicon)
    scores_of = _remembering(likeness)
    # For each class what a word has that passes so many thresholds: all lower ones too.
    passed = [
        [tuple(f"{name}>{threshold:g}" for threshold in _THRESHOLDS[:count]) for count in range(len(_THRESHOLDS) + 1)]
        for name in likeness.classes
    ]

    def values(word: str) -> tuple[str, ...]:
        scores = scores_of(word)
        if scores is None:
            return ()
        counts = _STEPS.searchsorted(scores).tolist()
        return tuple(chain.from_iterable(of[count] for of, count in zip(passed, counts, strict=True)))

    return values


def _likeliest(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    likeness = _likeness_of(lexicon)
    scores_of = _remembering(likeness)

    def values(word: str) -> tuple[str, ...]:
        scores = scores_of(word)
        if scores is None:
            return ()
        best = int(scores.argmax())
        return (likeness.classes[best] + ("" if scores[best] > 0 else "?"),)

    return values


def _listed(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    if lexicon.gazetteer is None:
        raise LookupError("no lists are given")
    lists_of: dict[str, int] = {}
    for number, name in enumerate(_LISTS):
        for entry in map(str.lower, lexicon.gazetteer.words(name)):
            lists_of[entry] = lists_of.get(entry, 0) | 1 << number
    words = sum(1 << _LISTS.index(name) for name in _WORD_LISTS)

    @lru_cache(None)
    def names(bits: int, mark: str) -> tuple[str, ...]:
        return tuple(name + mark for number, name in enumerate(_LISTS) if bits >> number & 1)

    def without_ending(word: str, shortest: int = 1) -> int:
        bits = 0
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= shortest:
                bits |= lists_of.get(word[: -len(ending)], 0)
        return bits

    def last_part(word: str) -> int:
        for start in range(1, len(word) - _SHORTEST_PART + 1):
            part = word[start:]
            if bits := words & (lists_of.get(part, 0) | without_ending(part, _SHORTEST_PART)):
                return bits
        return 0

    def values(word: str) -> tuple[str, ...]:
        small = word[:MAX_LETTERS].lower()
        whole = lists_of.get(small, 0)
        stem = without_ending(small) & ~whole
        return (*names(whole, ""), *names(stem, "~")) if whole | stem else names(last_part(small), "+")

    return values


def _number(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    def values(word: str) -> tuple[str, ...]:
        kinds, numbers = _DIGIT_RUN.subn(_date_part, word[:MAX_LETTERS])
        return (kinds,) if numbers else ()

    return values


def _date_part(number: re.Match[str]) -> str:
    """The kind of a run of digits, behind a 0 if it begins with one: m, d, y, Y, else how many digits it has."""
    digits = number[0]
    length, value = len(digits), int(digits)
    if length <= len("31"):
        kind = "m" if 0 < value <= _MONTHS else "d" if 0 < value <= _DAYS else "y"
    else:
        kind = "Y" if length == len("2000") and value in _YEARS else str(min(length, _LONG))
    return f"0{kind}" if digits[0] == "0" else kind


def _evidence(settings: FeatureSettings, lexicon: Lexicon) -> Values:
    return lambda word: tuple(word.split(" ")) if word.strip() else ()


def _clusters_of(lexicon: Lexicon) -> Clusters:
    if lexicon.clusters is None:
        raise LookupError("the model has no clusters.npz")
    return lexicon.clusters


def _likeness_of(lexicon: Lexicon) -> NameLikeness:
    if lexicon.likeness is None:
        raise LookupError("the model has no likeness.npz")
    return lexicon.likeness


@lru_cache(1)
def _remembering(likeness: NameLikeness) -> Callable[[str], npt.NDArray[np.float32] | None]:
    """The model's scores, kept for the last words: two families ask for the same one."""
    return lru_cache(8192)(likeness.scores)


FAMILIES: dict[str, Callable[[FeatureSettings, Lexicon], Values]] = {
    "word": _word,
    "lower": _lower,
    "character_ngrams": _touching(6, _normal),
    "affixes": _touching(5, lambda word: _normal(word).lower()),
    "stanford_shape": _of(stanford_shape),
    "short_shape": _of(short_shape),
    "abstract_shape": _of(abstract_shape),
    "orthography": _orthography,
    "cluster_path": _cluster_path,
    "cluster": _cluster,
    "listed": _listed,
    "number": _number,
    "likeness": _likeness,
    "likeliest": _likeliest,
    "evidence": _evidence,
}
_SINGLE = frozenset(FAMILIES) - {
    "character_ngrams",
    "affixes",
    "orthography",
    "cluster_path",
    "listed",
    "likeness",
    "evidence",
}
