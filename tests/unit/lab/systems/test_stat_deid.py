"""System `stat-deid` (seed 001): its features, classes and files, and a training of a few notes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.evaluate.evaluation_sets import generated_set
from deid_core.lab.evaluate.pipeline_scores import measure
from deid_core.lab.systems.headings import token_headings
from deid_core.lab.systems.token_classes import CLASSES, CODE_OF, OUTSIDE, spans_of, token_codes
from deid_core.lab.systems.word_features import EDGE, LINE, Family, normal, part_of_speech_tagger, word_family
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

pytest.importorskip("sklearn")

from deid_core.lab.systems.settings import StatDeidSettings
from deid_core.lab.systems.stat_deid import StatDeid, _Words, train_stat_deid

WITHOUT_TAGGER: list[Family] = [
    *("word", "neighbours", "bigrams", "capitalised", "punctuation"),
    *("number", "length", "dictionary", "medical", "heading"),
]
SETTINGS = StatDeidSettings(letters=[], families=WITHOUT_TAGGER, min_count=1, c=0.1)


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return compile_lists(
        {
            ListKind.SURNAME: ["Müller", "Essen"],
            ListKind.TOWN: ["Essen", "Ulm"],
            ListKind.MONTH: ["mai"],
            ListKind.MEDICAL_WORD: ["sinusitis"],
        }
    )


@pytest.fixture(scope="module")
def trained(gazetteer: Gazetteer) -> StatDeid:
    made = generated_set("generated", 30, seed=1, split="train", with_header=True)
    return train_stat_deid(SETTINGS, gazetteer, zip(made.notes, made.gold, strict=True))


@pytest.mark.parametrize(
    ("family", "word", "values"),
    [
        ("word", "Müller", ("müller",)),
        ("neighbours", "Herr", ("herr",)),
        ("capitalised", "Müller", ("yes",)),
        ("capitalised", "kam", ()),
        ("punctuation", "03/10-1", ("-", "/")),
        ("punctuation", "12.03.2010", (".",)),
        ("number", "B12", ("yes",)),
        ("number", "B", ()),
        ("length", "Ulm", ("3",)),
        ("length", "x" * 99, ("25",)),
        ("dictionary", "Essen", ("surname", "town")),
        ("dictionary", "essen", ()),
        ("dictionary", "Mai", ("month",)),
        ("medical", "Sinusitis", ("medical_word",)),
        ("medical", "Müller", ()),
    ],
)
def test_values_of_a_word(family: Family, word: str, values: tuple[str, ...], gazetteer: Gazetteer) -> None:
    found = word_family(family, gazetteer)
    assert found is not None
    assert found.values(word) == values


def test_windows_are_those_of_the_seed(gazetteer: Gazetteer) -> None:
    families = {name: word_family(name, gazetteer) for name in WITHOUT_TAGGER}
    windows = {name: family.window for name, family in families.items() if family}
    assert windows.pop("dictionary") == (-2, -1, 0, 1, 2)
    assert windows.pop("neighbours") == (-2, -1, 1, 2)
    assert set(windows.values()) == {(0,)}
    assert {name for name, family in families.items() if not family} == {"bigrams", "heading"}


def test_bigrams_are_the_two_words_before_and_after(gazetteer: Gazetteer) -> None:
    words = _Words(["bigrams"], gazetteer)
    contexts = words.contexts(
        Document(Note("", ""), words.vocabulary.tokenise("Herr Müller kam\nheute"), words.vocabulary)
    )
    features = list(words.text_features(contexts))
    assert features[1] == [("bigrams", "before", normal(EDGE), "herr"), ("bigrams", "after", "kam", normal(LINE))]
    assert features[3] == [("bigrams", "before", "kam", normal(LINE)), ("bigrams", "after", normal(EDGE), normal(EDGE))]


def test_parts_of_speech_come_from_hanta() -> None:
    pytest.importorskip("HanTa")
    tag = part_of_speech_tagger()
    assert [tag(word) for word in ("Müller", "12.03.2010", "in", LINE)] == [("NE",), ("CARD",), ("APPR",), (LINE,)]


def test_without_the_tagger_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    with pytest.raises(ConfigurationError, match=r"need the extra 'systems': pip install .*\[systems\]'"):
        part_of_speech_tagger()


def test_headings_reach_to_the_next_one() -> None:
    text = "Herr Ulm\nDiagnosen\nGrippe, RR: 120\nTel.: 0731\nAnamnese: kam heute"
    tokens = Vocabulary().tokenise(text)
    words = [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    of = dict(zip(words, token_headings(text, tokens), strict=True))
    assert (of["Herr"], of["Grippe"], of["0731"], of["heute"]) == ("", "grippe, rr", "tel.", "anamnese")
    assert of["Diagnosen"] == "diagnosen"


def test_the_seeds_classes() -> None:
    assert CODE_OF[PhiType.RELATIVE] == CODE_OF[PhiType.PATIENT] != CODE_OF[PhiType.CLINICIAN]
    assert CODE_OF[PhiType.STREET] == CODE_OF[PhiType.TOWN] != CODE_OF[PhiType.HOSPITAL]
    assert set(CODE_OF.values()) == set(range(1, len(CLASSES) + 1))


def test_tokens_and_spans_are_the_same() -> None:
    text = "Dr. Anna Bolte, Ulm\nUlm"
    gold = [
        GoldSpan(0, 3, Label.TITLE, PhiType.TITLE),
        GoldSpan(4, 14, Label.PER, PhiType.CLINICIAN),
        GoldSpan(16, 19, Label.LOC, PhiType.TOWN),
        GoldSpan(20, 23, Label.LOC, PhiType.TOWN),
    ]
    tokens = Vocabulary().tokenise(text)
    codes = token_codes(tokens, gold)
    assert (codes != OUTSIDE).tolist() == [True, True, True, False, True, True]
    found = spans_of(tokens, codes, "stat-deid", "svm")
    assert [(s.start, s.end, s.label, s.type) for s in found] == [(g.start, g.end, g.label, g.type) for g in gold]


def test_it_learns_and_is_the_same_from_its_files(trained: StatDeid, gazetteer: Gazetteer, tmp_path: Path) -> None:
    other = generated_set("generated", 10, seed=2, split="train", with_header=True)
    measured = measure(trained, other)
    assert (measured.pipeline, measured.fingerprint) == ("stat-deid", trained.fingerprint)
    assert measured.evaluation.tokens.words.binary.f(1) > 0.9
    trained.save(tmp_path)
    assert trained.annotate(Note("", "")) == ()
    loaded = StatDeid.from_folder(tmp_path, gazetteer)
    assert loaded.fingerprint == trained.fingerprint
    assert all(loaded.annotate(note) == trained.annotate(note) for note in other.notes)


def test_the_table_of_word_types_gives_the_sum_of_weights(trained: StatDeid) -> None:
    document = trained.document(Note("", "Herr Müller kam am 12.03.2010 aus Ulm."))
    codes = trained.codes(document)
    words = trained._words
    contexts = words.contexts(document)
    of_text = list(words.text_features(contexts))
    for number, around in enumerate(contexts.types.tolist()):
        features = [*of_text[number]]
        for offset in range(-2, 3):
            features += words.word_features(around[offset + 2], offset)
        rows = [trained._row_of[feature] for feature in features if feature in trained._row_of]
        scores = trained._weights[rows].sum(0) + trained._weights[-1]
        assert codes[number] == int(np.argmax(scores))


def test_a_folder_without_the_system_says_how_to_train_it(gazetteer: Gazetteer, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="deid train system stat-deid"):
        StatDeid.from_folder(tmp_path, gazetteer)
    (tmp_path / "weights.npz").write_bytes(b"")
    (tmp_path / "features.json").write_text("[]")
    (tmp_path / "system.json").write_text('{"name": "other", "classes": []}')
    with pytest.raises(ConfigurationError, match="another system"):
        StatDeid.from_folder(tmp_path, gazetteer)


def test_notes_of_one_class_are_refused(gazetteer: Gazetteer) -> None:
    with pytest.raises(ConfigurationError, match="two classes"):
        train_stat_deid(SETTINGS, gazetteer, [(Note("", "ohne Namen"), ())])
