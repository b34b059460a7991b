"""Training: the same data give the same model, which scikit-learn's users can use as they are used to."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.corpora import AnnotatedText, LabelledSpan
from deid_core.corpora.named import load_corpora
from deid_core.errors import ConfigurationError
from deid_core.sequence.families import FeatureSettings
from deid_core.sequence.features import LINE
from deid_core.sequence.lexicon import Lexicon
from deid_core.sequence.model import CrfModel, load_model
from deid_core.training.card import card
from deid_core.training.experiments import learning_curve, transfer
from deid_core.training.measure import measure
from deid_core.training.search import search
from deid_core.training.sequences import sequences_of
from deid_core.training.settings import TrainingSettings, load_training

pytest.importorskip("sklearn_crfsuite")
from deid_core.training.crf import train, trained_estimator

NAMES = ["Albers", "Brückner", "Cordes", "Dressel", "Ewald", "Fechner", "Gerlach", "Hinrichs", "Ihde", "Jessen"]
TOWNS = ["Aukrug", "Brilon", "Calau", "Dahme", "Elze", "Forst", "Geldern", "Herne", "Ilmenau", "Jever"]
FEATURES = [
    FeatureSettings(family="word", window=[-1, 0, 1]),
    FeatureSettings(family="character_ngrams", window=[0], length=3),
]


def texts(count: int) -> list[AnnotatedText]:
    made = []
    for at in range(count):
        name, town = NAMES[at % 10], TOWNS[at * 3 % 10]
        text = f"Herr {name} kam aus\n{town} zur Aufnahme."
        spans = (
            LabelledSpan(5, 5 + len(name), "PER"),
            LabelledSpan(text.index(town), text.index(town) + len(town), "LOC"),
        )
        made.append(AnnotatedText(str(at), text, spans))
    return made


def small() -> TrainingSettings:
    settings = load_training()
    update = {"features": FEATURES, "labels": ["PER", "LOC"], "c1": 0.01, "c2": 0.01}
    return settings.model_copy(update=update)


def trained(count: int = 20) -> CrfModel:
    return train("small", FEATURES, Lexicon(), sequences_of(texts(count)), c1=0.01, c2=0.01, iterations=30)


def test_a_line_break_is_a_word_of_the_sequence() -> None:
    sequences = sequences_of(texts(1))
    assert sequences.words == [["Herr", "Albers", "kam", "aus", LINE, "Aukrug", "zur", "Aufnahme", "."]]
    assert sequences.tags == [["O", "B-PER", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    assert sequences.tokens == 9 and len(sequences + sequences) == 2


def test_training_again_gives_the_same_model() -> None:
    assert trained().to_bytes() == trained().to_bytes()
    assert trained().digest != trained(19).digest


def test_the_model_finds_names_that_it_has_not_seen_in_contexts_that_it_has(tmp_path: Path) -> None:
    unseen = "Herr Quandt kam aus\nQuern zur Aufnahme."
    gold = (LabelledSpan(5, 11, "PER"), LabelledSpan(20, 25, "LOC"))
    trained().save(tmp_path / "small")
    model = load_model(str(tmp_path / "small"))
    scores = measure(model, [AnnotatedText("x", unseen, gold)], ["PER", "LOC"])
    assert (scores.micro.f(1), set(scores.by_label)) == (1.0, {"PER", "LOC"})
    assert set(measure(model, [AnnotatedText("x", unseen, gold)], ["PER"]).by_label) == {"PER"}


def test_a_lower_threshold_finds_more() -> None:
    model, other = trained(), [AnnotatedText("x", "Dann kam Herr\nQuandt aus der Stadt Quern.", ())]
    found = [
        sum(scores.found for scores in measure(model, other, ["PER", "LOC"], threshold).by_label.values())
        for threshold in (None, 0.3, 0.01, 0.0001)
    ]
    assert found == sorted(found) and found[-1] > found[0]


def test_scikit_learns_estimator_predicts_with_the_model(tmp_path: Path) -> None:
    model = trained()
    sequences = sequences_of(texts(3))
    rows = [list(model.templates().attributes(words)) for words in sequences.words]
    assert [list(tags) for tags in trained_estimator(model, tmp_path / "model").predict(rows)] == sequences.tags


def test_a_search_draws_the_same_weights_and_logs_each_trial() -> None:
    settings = small()
    settings = settings.model_copy(
        update={"search": settings.search.model_copy(update={"trials": 3, "iterations": 10})}
    )
    first, second = list(search(settings, Lexicon(), texts(20))), list(search(settings, Lexicon(), texts(20)))
    low, high = settings.search.lowest, settings.search.highest
    assert [(t.c1, t.c2, t.f1) for t in first] == [(t.c1, t.c2, t.f1) for t in second]
    assert all(low <= t.c1 <= high and low <= t.c2 <= high for t in first)
    assert len({t.c1 for t in first}) == 3


def test_transfer_trains_on_each_domain_and_on_all() -> None:
    names = [trained.name for trained in transfer(small(), Lexicon(), {"a": texts(5), "b": texts(6)}, {"t": texts(2)})]
    assert names == ["a", "b", "a + b"]


def test_a_curve_grows() -> None:
    settings = small()
    curve = settings.curve.model_copy(update={"shares": [0.1, 1.0], "samples": 2, "iterations": 10})
    sizes = [
        point.tokens
        for point in learning_curve(settings.model_copy(update={"curve": curve}), Lexicon(), texts(20), {"t": texts(2)})
    ]
    assert len(sizes) == 3 and sizes[0] == sizes[1] < sizes[2] == sequences_of(texts(20)).tokens


def test_the_card_says_what_the_model_is_made_of() -> None:
    model = trained()
    sizes = {"germeval-test": (20, 180)}
    text = card(model, small(), load_corpora(), sizes, {"made": measure(model, texts(4), ["PER", "LOC"])})
    assert "| germeval-test | GermEval 2014, Wikipedia and news, test part | CC BY 4.0 | 20 | 180 |" in text
    assert "| made | PER | 4 | 1.000 | 1.000 | 1.000 |" in text
    assert "c1 0.01, c2 0.01" in text


def test_the_projects_own_settings_are_sound() -> None:
    settings, corpora = load_training(), load_corpora().corpora
    assert {c.corpus for c in settings.train} <= {name for name, corpus in corpora.items() if corpus.use == "train"}
    assert set(settings.develop) <= {name for name, corpus in corpora.items() if corpus.use == "develop"}
    assert set(settings.search.train) <= {c.corpus for c in settings.train}


def test_bad_settings_are_named_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "training.yaml"
    file.write_text("model: x\nlabels: [PER]\nc1: -1\nfeatures:\n  - {family: wort, window: [0]}\n")
    with pytest.raises(ConfigurationError) as caught:
        load_training(file)
    assert "training.yaml:3: c1" in str(caught.value) and "no family 'wort'" in str(caught.value)
