"""The feature families that a feature set may name, and how a configuration becomes templates.

| family | values of a word | source |
|---|---|---|
| word | the word, digits as 0 | seed 000, Table 3 (words); seed 003, Table 4 (bag of words) |
| lower | the same in small letters | |
| character_ngrams | n-grams of up to `length` letters at the word's beginning or end | seed 000, Table 3 |
| affixes | prefixes and suffixes of up to `length` letters | seed 003, Table 4 (1 to 5) |
| stanford_shape | shape chris2 | seed 000, Table 3 (chris2useLC) |
| short_shape | character classes without repetition | |
| abstract_shape | "7534-Df" as "####-Aa" | seed 003, Table 4 |
| orthography | capitals, digits, marks | seed 003, Table 4 |
| cluster_path | prefixes of the word's path in the tree of Brown clusters, and the whole path | clusters.py |
| cluster | the path's first `bits` bits, for pairs | clusters.py |
| listed | gazetteer lists that contain the word; "~": without its ending, "+": its last part | seed 001 |
| cue | the word lists of cue_lists.py that contain the word, "~" an ending of it | cue_lists.py |
| number | what its numbers can be in a date: month, day, year of two or four digits, or none of these | |
| likeness | for each class of name-likeness the thresholds that its log odds exceed | char_ngram_scorer.py |
| likeliest | the class with the highest log odds, for pairs | char_ngram_scorer.py |
| detections | detections at a token, for the stacking model alone | ensemble/stacking/detection_features.py |

A family is used at each offset of a `window`, or in a `disjunction` over that many words before and after (seed 000,
Table 3: disjunctive words), or as a `pair` of two offsets (seed 003: bigrams; seed 000: sequences).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated

from pydantic import Field, model_validator

from deid_core.core.errors import ConfigurationError
from deid_core.core.settings import FrozenSettings
from deid_core.crf.features.char_ngram_scorer import CharNgramScorer
from deid_core.crf.features.clusters import Clusters
from deid_core.crf.features.cue_lists import CueLists
from deid_core.crf.features.list_membership import GazetteerLists
from deid_core.crf.features.templates import FirstValue, PairTemplate, Template, Templates, Values, disjunction, window
from deid_core.crf.features.word_families import (
    MAX_LETTERS,
    BestClass,
    ClusterValues,
    EdgeNgrams,
    LikenessSteps,
    SingleValue,
    normal,
    normal_lower,
    path_beginnings,
    path_bits,
    short_shapes,
    stanford_shapes,
)
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.features.word_shapes import abstract_shape, orthography
from deid_core.text.tokens import EDGE

_DIGIT_RUN = re.compile(r"[0-9]+")
_MONTHS, _DAYS, _YEARS = 12, 31, range(1900, 2040)
_LONG = 9
"""Longer numbers are not distinguished."""


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


def build_templates(features: Iterable[FeatureSettings], word_knowledge: WordKnowledge) -> Templates:
    """Return the templates of a feature set.

    Raises ConfigurationError if a family needs word knowledge that the model does not have, or is used twice in the
    same way.
    """
    single: list[Template] = []
    pairs: list[PairTemplate] = []
    problems: list[str] = []
    only: dict[tuple[str, int | None], Callable[[str], str]] = {}
    for settings in features:
        try:
            values = FAMILIES[settings.family](settings, word_knowledge)
        except LookupError as error:
            problems.append(f"features: {settings.family}: {error.args[0]}")
            continue
        name = settings.family + str(settings.bits or "")
        if settings.window is not None:
            single.append(Template(name, values, window(name, *settings.window)))
        elif settings.disjunction is not None:
            single.append(Template(name, values, disjunction(name, settings.disjunction)))
        elif settings.pair is not None:
            # One function for all pairs of a family, so that it is called once per word.
            value = only.setdefault((settings.family, settings.bits), FirstValue(values))
            pairs.append(PairTemplate(name, value, *settings.pair))
    templates = Templates(tuple(single), tuple(pairs))
    keys = templates.keys
    problems += [f"features: {key} occurs twice" for key in sorted({key for key in keys if keys.count(key) > 1})]
    if problems:
        raise ConfigurationError(problems)
    return templates


def _word(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    # A position outside the sequence is no word in a disjunction.
    return SingleValue(normal, edge=settings.disjunction is None)


def _of(of_words: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Callable[[FeatureSettings, WordKnowledge], Values]:
    return lambda settings, word_knowledge: SingleValue(of_words)


def _touching(
    longest: int, of_words: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Callable[[FeatureSettings, WordKnowledge], Values]:
    return lambda settings, word_knowledge: EdgeNgrams(settings.length or longest, of_words)


def _abstract_shape(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return lambda word: (abstract_shape(word[:MAX_LETTERS]),) if word != EDGE else ()


def _orthography(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return lambda word: orthography(word[:MAX_LETTERS])


def _cluster_path(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return ClusterValues(_clusters_of(word_knowledge), path_beginnings)


def _cluster(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return ClusterValues(_clusters_of(word_knowledge), path_bits(settings.bits or 16))


def _likeness(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return LikenessSteps(_likeness_of(word_knowledge))


def _likeliest(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return BestClass(_likeness_of(word_knowledge))


def _listed(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    if word_knowledge.gazetteer is None:
        raise LookupError("no lists are given")
    return GazetteerLists(word_knowledge.gazetteer, MAX_LETTERS)


def _cue(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return _cue_lists()


@cache
def _cue_lists() -> CueLists:
    """Return the lists, which are the same for all models."""
    return CueLists()


def _number(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return _number_values


def _number_values(word: str) -> tuple[str, ...]:
    if word.isalpha():  # as most word types
        return ()
    kinds, numbers = _DIGIT_RUN.subn(_date_part, word[:MAX_LETTERS])
    return (kinds,) if numbers else ()


def _date_part(number: re.Match[str]) -> str:
    """Return the kind of a number (m, d, y, Y, else its number of digits), after a 0 if it begins with one."""
    digits = number[0]
    length, value = len(digits), int(digits)
    if length <= len("31"):
        kind = "m" if 0 < value <= _MONTHS else "d" if 0 < value <= _DAYS else "y"
    else:
        kind = "Y" if length == len("2000") and value in _YEARS else str(min(length, _LONG))
    return f"0{kind}" if digits[0] == "0" else kind


def _detections(settings: FeatureSettings, word_knowledge: WordKnowledge) -> Values:
    return lambda word: tuple(word.split(" ")) if word.strip() else ()


def _clusters_of(word_knowledge: WordKnowledge) -> Clusters:
    if word_knowledge.clusters is None:
        raise LookupError("the model has no clusters.npz")
    return word_knowledge.clusters


def _likeness_of(word_knowledge: WordKnowledge) -> CharNgramScorer:
    if word_knowledge.likeness is None:
        raise LookupError("the model has no likeness.npz")
    return word_knowledge.likeness


FAMILIES: dict[str, Callable[[FeatureSettings, WordKnowledge], Values]] = {
    "word": _word,
    "lower": _of(normal_lower),
    "character_ngrams": _touching(6, normal),
    "affixes": _touching(5, normal_lower),
    "stanford_shape": _of(stanford_shapes),
    "short_shape": _of(short_shapes),
    "abstract_shape": _abstract_shape,
    "orthography": _orthography,
    "cluster_path": _cluster_path,
    "cluster": _cluster,
    "listed": _listed,
    "cue": _cue,
    "number": _number,
    "likeness": _likeness,
    "likeliest": _likeliest,
    "detections": _detections,
}
_SINGLE = frozenset(FAMILIES) - {
    "character_ngrams",
    "affixes",
    "orthography",
    "cluster_path",
    "listed",
    "cue",
    "likeness",
    "detections",
}
