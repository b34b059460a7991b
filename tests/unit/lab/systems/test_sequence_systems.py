"""Systems that label sequences (`crfd`, `crf-liu`, `hmm`): features as the papers print them, and a small training."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.evaluate.evaluation import Level
from deid_core.lab.evaluate.evaluation_sets import generated_set
from deid_core.lab.evaluate.pipeline_scores import measure
from deid_core.lab.systems.base import TokenisingSystem
from deid_core.lab.systems.hmm import Hmm, form, train_hmm
from deid_core.lab.systems.sentences import sentences
from deid_core.lab.systems.settings import TokenCrfSettings
from deid_core.lab.systems.token_classes import bio_tags, spans_of_tags
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

pytest.importorskip("pycrfsuite")

from deid_core.lab.systems.crf_liu import LiuFeatures, sentence_features, shape
from deid_core.lab.systems.stat_deid import StatDeidFeatures
from deid_core.lab.systems.token_crf import TokenCrf, train_token_crf

SETTINGS = TokenCrfSettings(letters=[], c1=0.1, c2=0.1, iterations=20)


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return compile_lists({ListKind.SURNAME: ["Müller"], ListKind.TOWN: ["Ulm"]})


def noun(word: str) -> tuple[str, ...]:
    return ("N" if word[0].isupper() else "x",)


def test_sentences_end_at_lines_cells_and_final_marks() -> None:
    document = TokenisingSystem().document(Note("n", "Er kam ! Sie\tging\nheim ."))
    assert [sentence.words for sentence in sentences(document)] == [
        ["Er", "kam", "!"],
        ["Sie"],
        ["ging"],
        ["heim", "."],
    ]


def test_features_of_table_4(gazetteer: Gazetteer) -> None:
    vocabulary = Vocabulary()
    note = Note("n", "Herr Müller kam")
    document = Document(note, vocabulary.tokenise(note.text), vocabulary)
    ((start, end, features),) = LiuFeatures(gazetteer, vocabulary, noun).sequences(document)
    assert (start, end) == (0, 3)
    own = features[1]
    # Unigrams, bigrams and trigrams of a window of five words: 5 + 4 + 3, of tags as many, and seven with tags.
    assert [sum(feature.startswith(name) for feature in own) for name in ("w-", "w0", "w1", "w2")] == [6, 3, 2, 1]
    assert sum(feature.startswith("wp") for feature in own) == 7
    assert {"w-1:2=Herr|Müller", "p0:2=N|x", "wp-0+=Müller|N|N|x", "prefix=Mül", "suffix=ller", "capitalised"} <= {*own}
    assert {"shape=Aaaaaa", "ner=PER"} <= {*own}
    assert "ascii" not in own
    assert sentence_features(["(", "kam", "."]) == ["length=3", "end=True", "unmatched=True"]
    assert shape("7534-Df") == "####-Aa"


def test_tags_of_adjacent_entities_and_back() -> None:
    vocabulary = Vocabulary()
    text = "Anna Berta kam"
    tokens = vocabulary.tokenise(text)
    gold = [
        GoldSpan(0, 4, "PER", PhiType.PATIENT),
        GoldSpan(5, 10, "PER", PhiType.RELATIVE),
    ]
    tags = bio_tags(tokens, gold)
    assert tags == ["B-patient", "B-patient", "O"]
    assert [(s.start, s.end) for s in spans_of_tags(tokens, tags, "x", "y")] == [(0, 4), (5, 10)]
    # An I- that continues nothing begins an entity.
    assert [(s.start, s.end) for s in spans_of_tags(tokens, ["O", "I-town", "I-town"], "x", "y")] == [(5, 14)]


@pytest.mark.parametrize("word", ["12", "2010", "123", "3.4.2010", "A12", "K.", "CRP", "Müller", "kam"])
def test_each_word_has_a_form(word: str) -> None:
    assert form(word) != word
    assert len({form(w) for w in ("12", "2010", "123", "3.4.2010", "A12", "K.", "CRP", "Müller", "kam")}) == 9


def trained(name: str, gazetteer: Gazetteer, notes: int = 12) -> TokenCrf | Hmm:
    made = generated_set("generated", notes, seed=1, split="train", with_header=True)
    examples = zip(made.notes, made.gold, strict=True)
    if name == "hmm":
        return train_hmm(examples)
    vocabulary = Vocabulary()
    if name == "crf-liu":
        return train_token_crf(name, SETTINGS, LiuFeatures(gazetteer, vocabulary, noun), vocabulary, examples)
    features = StatDeidFeatures(["word", "neighbours", "bigrams", "capitalised", "number", "length"], gazetteer)
    return train_token_crf(name, SETTINGS, features, features.vocabulary, examples)


@pytest.mark.parametrize(("name", "least"), [("crf-liu", 0.6), ("crfd", 0.6), ("hmm", 0.4)])
def test_a_small_training_finds_entities_of_unseen_notes(
    name: str, least: float, gazetteer: Gazetteer, tmp_path: Path
) -> None:
    system = trained(name, gazetteer)
    of = generated_set("generated", 5, seed=9, split="test", with_header=True)
    assert measure(system, of).evaluation.score(Level.WORD, "f1") > least
    system.save(tmp_path)
    if isinstance(system, Hmm):
        assert Hmm.from_folder(tmp_path).fingerprint == system.fingerprint
        return
    vocabulary = Vocabulary()
    features = LiuFeatures(gazetteer, vocabulary, noun)
    again = TokenCrf.from_folder(tmp_path, name, features, vocabulary)
    assert again.fingerprint == system.fingerprint
    if name == "crf-liu":
        assert [again.annotate(note) for note in of.notes] == [system.annotate(note) for note in of.notes]
    with pytest.raises(ConfigurationError, match="holds another system"):
        TokenCrf.from_folder(tmp_path, "other", features, vocabulary)
