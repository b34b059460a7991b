"""Tables of values: for many words at once the same numbers as for one word after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_word_knowledge import likeness

from deid_core.crf.features.clusters import Clusters
from deid_core.crf.features.families import FAMILIES, FeatureSettings
from deid_core.crf.features.templates import FirstValue, Values
from deid_core.crf.features.value_tables import pack_edge_ngrams, single_table, value_table
from deid_core.crf.features.word_knowledge import CLUSTERS_FILE, LIKENESS_FILE, WordKnowledge
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.tokens import EDGE, LINE

LISTS = compile_lists({ListKind.SURNAME: ["Müller"], ListKind.COMMON_WORD: ["herz", "herzen"], ListKind.TOWN: ["Herz"]})
LEXICON = WordKnowledge(Clusters.of_words({"Herr": 944, "Müller": 40, "EKG": 7, "ß": 3}), likeness(), LISTS)
WORDS = st.one_of(
    st.sampled_from(
        [EDGE, LINE, "<", ">", "MÜLLER", "Müllers", "Vorhofherzen", "EKG", "Ekg", "03.4.2010", "ŉ" * 50, "Ǆ"]
    ),
    st.text(st.sampled_from("MüleßHrz19.-<>"), max_size=9),
    st.text(st.characters(), max_size=70),
)
ENTRIES = [
    *({"family": family, "window": [0]} for family in sorted(FAMILIES)),
    {"family": "word", "disjunction": 2},
    {"family": "character_ngrams", "window": [0], "length": 2},
    {"family": "cluster", "bits": 6, "window": [0]},
]


def naive(values: Values, known: dict[str, int], words: list[str]) -> list[list[int]]:
    return [[known[value] for value in values(word) if value in known] for word in words]


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
@settings(max_examples=60, deadline=None)
@given(words=st.lists(WORDS, max_size=12), draw=st.randoms(use_true_random=False))
def test_tables_have_the_numbers_of_each_words_values(entry: dict[str, object], words: list[str], draw: object) -> None:
    values = FAMILIES[str(entry["family"])](FeatureSettings.model_validate(entry), LEXICON)
    found = list(dict.fromkeys(value for word in words for value in values(word)))
    # Numbers in no order, and a half of the values that no model knows.
    known = {value: number for number, value in enumerate(sorted(found), 5) if draw.random() < 0.5}  # type: ignore[attr-defined]
    table = value_table(values, known)
    for asked in (words, words[::-1], words):
        numbers = table(tuple(asked))
        assert (numbers.dtype, len(numbers)) == (np.int32, len(asked))
        assert [list(filter(None, row)) for row in numbers.tolist()] == naive(values, known, asked)


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(WORDS, max_size=12),
    family=st.sampled_from(["word", "lower", "short_shape", "cluster", "likeliest", "number"]),
)
def test_a_pairs_value_has_one_column(words: list[str], family: str) -> None:
    value = FirstValue(FAMILIES[family](FeatureSettings(family=family, pair=(0, 1)), LEXICON))
    known = {value(word): number for number, word in enumerate(words[::2], 1) if value(word)}
    expected = [[known.get(value(word), 0)] for word in words]
    assert single_table(value, known)(tuple(words)).tolist() == expected


def test_ngrams_of_more_letters_than_fit_into_a_number_are_looked_up_one_by_one() -> None:
    syllables = [chr(0xAC00 + number) for number in range(2000)]
    known = {f"<{syllable}": number for number, syllable in enumerate(syllables, 1)}
    assert pack_edge_ngrams(known, 6) is None
    values = FAMILIES["character_ngrams"](FeatureSettings(family="character_ngrams", window=[0]), LEXICON)
    assert value_table(values, known)((syllables[7], "x")).tolist() == [[8], [0]]


def test_a_decision_shares_the_knowledge_of_words_of_its_pipelines_model() -> None:
    files = {CLUSTERS_FILE: LEXICON.clusters.to_bytes(), LIKENESS_FILE: likeness().to_bytes()}  # type: ignore[union-attr]
    one, other = WordKnowledge.from_files(files), WordKnowledge.from_files(dict(files))
    assert one.clusters is other.clusters
    assert one.likeness is other.likeness
