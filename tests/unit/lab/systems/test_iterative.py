"""System `iterative` (seed 004): triggers, phrases, trees, and a training of a few notes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deid_core.core.note import Note
from deid_core.lab.evaluate.evaluation import Evaluation
from deid_core.lab.evaluate.evaluation_sets import generated_set
from deid_core.lab.systems.phrases import (
    acronyms,
    entities,
    occurrences,
    phrase_classes,
    standardised,
    trusted_headings,
    voted,
)
from deid_core.lab.systems.triggers import Unit, entropy, information_gain, trigger_classes, units
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

pytest.importorskip("sklearn")
pytest.importorskip("wordfreq")

from deid_core.core.errors import ConfigurationError
from deid_core.lab.systems.boosted_trees import train_boosted_trees, with_forecasts
from deid_core.lab.systems.iterative import Iterative, train_iterative
from deid_core.lab.systems.iterative_features import common_endings, count_words, heading_numbers, read_text
from deid_core.lab.systems.settings import IterativeSettings

SETTINGS = IterativeSettings(letters=[], rounds=3, min_count=2)
A, B = 1, 2


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return compile_lists({ListKind.SURNAME: ["Müller"], ListKind.TOWN: ["Ulm"]})


@pytest.fixture(scope="module")
def trained(gazetteer: Gazetteer) -> Iterative:
    made = generated_set("generated", 12, seed=1, split="train", with_header=True)
    return train_iterative(SETTINGS, gazetteer, zip(made.notes, made.gold, strict=True))


def document(text: str) -> Document:
    vocabulary = Vocabulary()
    return Document(Note("", text), vocabulary.tokenise(text), vocabulary)


def test_units_of_the_three_variants() -> None:
    words = [*"_____", *"abcdefg", *"_____"]
    assert set(units(words, 8, "token")) == {
        *(Unit("before", word, far) for word, far in (("c", 1), ("b", 2), ("a", 3))),
        *(Unit("after", word, far) for word, far in (("e", 1), ("f", 2), ("g", 3))),
    }
    assert len(list(units(words, 8, "phrase"))) == 10
    before = [unit.words for unit in units(words, 8, "ngram") if unit.side == "before"]
    assert before == ["c", "b\tc", "a\tb\tc"]


def test_information_gain_of_a_unit_that_tells_all_and_of_one_that_tells_nothing() -> None:
    total = np.array([8, 8])
    assert entropy(total) == pytest.approx(1)
    gains = information_gain(np.array([[0, 8], [4, 4], [0, 0]]), total)
    assert gains == pytest.approx([1, 0, 0])


def test_a_trigger_announces_the_class_after_it() -> None:
    words = [*"_____", "herr", "bolte", "kam", "heute", "herr", "kunz", "ging", *"_____"]
    text = (words, list(range(5, 12)), [0, A, 0, 0, 0, A, 0])
    for variant in ("token", "phrase", "ngram"):
        found = trigger_classes([text], variant, classes=3, least=2, most=9)
        assert found["before"]["herr"] == A


def test_words_inside_an_entity_are_triggers_of_variant_token_alone() -> None:
    words = [*"_____", "von", "bolte", *"xxxxxx", "von", "kunz", *"yyyyyyyyyy", *"_____"]
    text = (words, list(range(5, 25)), [A, A, *[0] * 6, A, A, *[0] * 10])
    assert "von" in trigger_classes([text], "token", classes=2, least=2, most=9)["before"]
    assert "von" not in trigger_classes([text], "phrase", classes=2, least=2, most=9)["before"]


def test_entities_end_at_a_line_and_at_another_class() -> None:
    codes = [A, A, B, 0, A, A]
    assert list(entities(codes, [True, False, False, False, False, True])) == [
        (0, 2, A), (2, 3, B), (4, 5, A), (5, 6, A),
    ]  # fmt: skip
    assert list(entities([], [])) == []


def test_a_heading_is_trusted_if_its_entities_are_of_one_class() -> None:
    counts = {"tel.": {A: 99}, "patient": {A: 5, B: 5}, "rare": {A: 1}, "nearly": {A: 99, B: 1}}
    assert entropy(np.array([99, 1])) == pytest.approx(0.0808, abs=1e-4)
    assert trusted_headings(counts, bits=0.1, least=5) == {"tel.", "nearly"}


def test_the_longest_phrase_gives_the_class() -> None:
    phrases = phrase_classes([(("ulm",), A), (("klinikum", "ulm"), B), (("ulm",), A), (("ulm",), B)])
    assert phrases == {("ulm",): A, ("klinikum", "ulm"): B}
    assert occurrences(["klinikum", "ulm", "in", "ulm", "klinikum"], phrases).tolist() == [B, B, 0, A, 0]
    assert acronyms({("klinikum", "am", "see"): B, ("ulm",): A}) == {("kas",): B}


def test_all_occurrences_get_the_class_of_the_longest_phrase() -> None:
    tokens = ["klinikum", "ulm", "heute", "klinikum", "ulm"]
    breaks = [True, False, False, True, False]
    # The second time the town alone was found.
    assert standardised(tokens, np.array([B, B, 0, 0, A]), breaks).tolist() == [B, B, 0, B, B]


def test_two_of_three_decide() -> None:
    forecasts = [np.array(codes) for codes in ([A, A, 0, A], [A, B, 0, B], [B, A, A, 0])]
    assert voted(forecasts).tolist() == [A, A, 0, 0]


def test_trees_say_what_scikit_learn_says() -> None:
    random = np.random.default_rng(4)
    table = random.integers(0, 5, (300, 4)).astype(np.float32)
    codes = ((table[:, 0] > 2) + 2 * (table[:, 1] > 3)).astype(np.int64)
    trees = train_boosted_trees(with_forecasts(table, codes), codes, rounds=5, leaf=5)
    assert (trees.predict(table, 4) == codes).mean() > 0.97


def test_forecasts_are_the_classes_before() -> None:
    table = with_forecasts(np.zeros((4, 1), np.float32), np.array([A, B, 0, A]))
    assert table[:, 1:].tolist() == [[0, 0, 0], [A, 0, 0], [B, A, 0], [0, B, A]]


def test_a_trees_own_forecast_is_its_next_feature() -> None:
    # Every second token is of the class: only the forecast of the token before tells it.
    codes = np.arange(1, 41) % 2
    table = np.zeros((40, 1), np.float32)
    trees = train_boosted_trees(with_forecasts(table, codes), codes, rounds=2, leaf=1)
    assert trees.predict(table, 2).tolist() == codes.tolist()


def test_what_is_read_of_a_text() -> None:
    text = read_text(document("Tel.: 0731\ner sagte „komm heute“ und\nging"))
    assert text.tokens[:3] == ["tel.", ":", "0731"]
    assert [t for t, quoted in zip(text.tokens, text.is_quoted, strict=True) if quoted][1:] == ["komm", "heute"]
    assert text.from_line_start[:4] == [0, 1, 2, 0]
    counts = count_words([text, text])
    assert (counts["tel."].total, counts["tel."].capital, counts["tel."].at_start) == (2, 2, 2)
    assert counts["ging"].capital == 0
    assert heading_numbers([text, text], 2) == {"tel.": 1}
    codes = [0] * len(text.tokens)
    codes[3:5] = [A, A]
    assert common_endings([text, text], [codes, codes], 2) == {"sagte": A}


def test_it_learns_and_is_the_same_from_its_files(trained: Iterative, gazetteer: Gazetteer, tmp_path: Path) -> None:
    other = generated_set("generated", 6, seed=2, split="train", with_header=True)
    evaluation = Evaluation()
    for note, gold in zip(other.notes, other.gold, strict=True):
        evaluation.add(note.text, gold, trained.annotate(note))
    assert evaluation.tokens.words.binary.f(1) > 0.75
    trained.save(tmp_path)
    loaded = Iterative.from_folder(tmp_path, gazetteer)
    assert loaded.fingerprint == trained.fingerprint
    assert all(loaded.annotate(note) == trained.annotate(note) for note in other.notes)
    assert trained.annotate(Note("", "")) == ()
    first = Iterative.from_folder(tmp_path, gazetteer, "first")
    assert first.name == "iterative-first"
    assert [span.rule for span in first.annotate(other.notes[0])][:1] == ["first"]


def test_a_folder_without_the_system_says_how_to_train_it(gazetteer: Gazetteer, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="deid train system iterative"):
        Iterative.from_folder(tmp_path, gazetteer)
