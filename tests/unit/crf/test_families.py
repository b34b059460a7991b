"""Feature families: what a configuration makes of a word, and which mistakes of it are named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError
from test_word_knowledge import likeness

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.clusters import Clusters
from deid_core.crf.features.families import FAMILIES, FeatureSettings, build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind

LISTS = compile_lists({ListKind.SURNAME: ["Müller", "Herz"], ListKind.COMMON_WORD: ["herz"]})
LEXICON = WordKnowledge(Clusters.of_words({"Herr": 944, "Müller": 40}), likeness(), LISTS)


def attributes(words: list[str], *features: dict[str, object]) -> list[set[str]]:
    templates = build_templates([FeatureSettings.model_validate(entry) for entry in features], LEXICON)
    return [set(found) for found in templates.attributes(words)]


def test_words_at_offsets_are_told_apart_and_digits_are_not() -> None:
    first, second = attributes(["Bett", "12"], {"family": "word", "window": [-1, 0]})
    assert first == {"word[-1]:", "word[0]:Bett"}
    assert second == {"word[-1]:Bett", "word[0]:00"}


def test_a_disjunction_forgets_the_distance() -> None:
    found = attributes(["a", "b", "c", "d"], {"family": "word", "disjunction": 2})
    assert found[0] == {"word>:b", "word>:c"}
    assert found[3] == {"word<:b", "word<:c"}


def test_ngrams_touch_the_beginning_or_the_end() -> None:
    (found,) = attributes(["Otto"], {"family": "character_ngrams", "window": [0], "length": 2})
    assert {value.partition(":")[2] for value in found} == {"<O", "<Ot", "o>", "to>"}


def test_affixes_have_no_capitals() -> None:
    (found,) = attributes(["Otto"], {"family": "affixes", "window": [0], "length": 1})
    assert {value.partition(":")[2] for value in found} == {"<o", "o>"}


def test_a_cluster_path_is_said_from_coarse_to_fine() -> None:
    (found,) = attributes(["Müller"], {"family": "cluster_path", "window": [0]})
    # 40 is 101000 from the lowest bit up: 4 bits give 8, more give all.
    assert {value.partition(":")[2] for value in found} == {"4:8", "6:40", "8:40", "10:40", "40"}


def test_a_pair_joins_the_values_of_two_words() -> None:
    found = attributes(["Herr", "Müller", "Xq"], {"family": "cluster", "bits": 6, "pair": [-1, 0]})
    assert found == [set(), {"cluster6[-1,0]:48\x1f40"}, {"cluster6[-1,0]:40\x1f?"}]


def test_lists_are_looked_up_without_case_and_ending() -> None:
    found = attributes(["MÜLLERS", "Herz", "Xq"], {"family": "listed", "window": [0]})
    assert found == [{"listed[0]:surname~"}, {"listed[0]:surname", "listed[0]:common_word"}, set()]


def test_of_a_compound_that_no_list_has_the_longest_known_last_part_is_looked_up() -> None:
    found = attributes(["Vorhofherzes", "Xherz", "Herz-Xq"], {"family": "listed", "window": [0]})
    assert found == [{"listed[0]:common_word+"}, {"listed[0]:common_word+"}, set()]
    (surname,) = attributes(["Obermüller"], {"family": "listed", "window": [0]})
    assert surname == set(), "a name is no last part"


def test_numbers_say_what_they_can_be_in_a_date() -> None:
    words = ["03.4.2010", "31/99", "68/27/42", "4101", "1234567890", "L4/5", "Bett", "x" * 70 + "1"]
    found = attributes(words, {"family": "number", "window": [0]})
    kinds = ["0m.m.Y", "d/y", "y/d/y", "4", "9", "Lm/m"]
    assert found == [*({f"number[0]:{kind}"} for kind in kinds), set(), set()]


def test_likeness_passes_all_lower_thresholds() -> None:
    (found,) = attributes(["Lehmann"], {"family": "likeness", "window": [0]})
    passed = sorted(float(value.partition(">")[2]) for value in found if "surname" in value)
    scores = likeness().scores("Lehmann")
    assert scores is not None
    assert passed == [t for t in (-3.0, -1.5, -0.5, 0.5, 1.5, 3.0) if scores[0] > t]


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("word", ["", "\n", "Müller", "M" * 300, "\ud800", "3,5", "z.B."])
def test_every_family_takes_every_word(family: str, word: str) -> None:
    found = attributes([word], {"family": family, "window": [0]})
    assert all(value.startswith(f"{family}[0]:") for value in found[0])


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"family": "word"}, "needs one of window, disjunction, pair"),
        ({"family": "word", "window": [0], "disjunction": 2}, "needs one of window, disjunction, pair"),
        ({"family": "wort", "window": [0]}, "there is no family 'wort'"),
        ({"family": "affixes", "pair": [-1, 0]}, "a pair needs"),
        ({"family": "word", "pair": [0, -1]}, "a pair needs"),
        ({"family": "word", "window": [0], "colour": 1}, "colour"),
    ],
)
def test_mistakes_are_refused(entry: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        FeatureSettings.model_validate(entry)


def test_what_the_model_lacks_and_what_stands_twice_is_named_at_once() -> None:
    features = [
        FeatureSettings(family="word", window=[0]),
        FeatureSettings(family="word", window=[0, 1]),
        FeatureSettings(family="likeness", window=[0]),
    ]
    with pytest.raises(ConfigurationError) as caught:
        build_templates(features, WordKnowledge())
    assert "word[0] occurs twice" in str(caught.value) and "likeness.npz" in str(caught.value)


def test_a_compound_of_listed_words_alone_is_told() -> None:
    lists = compile_lists({ListKind.SURNAME: ["Müller"], ListKind.COMMON_WORD: ["spange", "nagel", "zehe", "fabrik"]})
    templates = build_templates([FeatureSettings(family="listed", window=[0])], replace(LEXICON, gazetteer=lists))
    assert [set(found) for found in templates.attributes(["Zehennagelspange", "Xylafabrik"])] == [
        {"listed[0]:common_word+", "listed[0]:compound"},
        {"listed[0]:common_word+"},
    ]


def test_cue_words_are_told_by_the_lists_that_have_them_or_an_ending() -> None:
    found = attributes(["gelernter", "GMBH", "Reha-Klinik", "Xq"], {"family": "cue", "window": [0]})
    assert "cue[0]:legal-forms" in found[1]
    assert "cue[0]:~hospital-heads" in found[2]
    assert found[0]
    assert found[3] == set()
