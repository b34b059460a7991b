"""Training is deterministic, and scikit-learn code can use the model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import CrfModel, load_model
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.named import load_corpora, read_named
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.training.experiments import learning_curve, transfer
from deid_core.lab.training.measure import measure
from deid_core.lab.training.search import search
from deid_core.lab.training.sequences import read_texts, sequences_of
from deid_core.lab.training.settings import (
    CrfTrainingSettings,
    WordKnowledgeSettings,
    letter_folders,
    load_training,
)
from deid_core.lab.training.word_knowledge_training import _lists
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.tokens import LINE

pytest.importorskip("sklearn_crfsuite")
from deid_core.lab.training.crfsuite_trainer import train

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


def small() -> CrfTrainingSettings:
    settings = load_training().crf
    update = {"features": FEATURES, "labels": ["PER", "LOC"], "c1": 0.01, "c2": 0.01}
    return settings.model_copy(update=update)


def trained(count: int = 20) -> CrfModel:
    return train(small(), WordKnowledge(), sequences_of(texts(count)), iterations=30)


def test_a_line_break_is_a_word_of_the_sequence() -> None:
    sequences = sequences_of(texts(1))
    assert sequences.words == [["Herr", "Albers", "kam", "aus", LINE, "Aukrug", "zur", "Aufnahme", "."]]
    assert sequences.tags == [["O", "B-PER", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    assert sequences.tokens == 9 and len(sequences + sequences) == 2


def test_training_again_gives_the_same_model_in_any_process() -> None:
    code = "import test_training as t; print(t.trained().digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {trained().digest}
    assert trained(19).digest not in digests


def test_the_model_finds_unknown_names_in_known_contexts(tmp_path: Path) -> None:
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


def test_a_search_draws_the_same_weights_and_logs_each_trial() -> None:
    settings = small()
    settings = settings.model_copy(
        update={"search": settings.search.model_copy(update={"trials": 3, "iterations": 10})}
    )
    first, second = (
        list(search(settings, WordKnowledge(), texts(20))),
        list(search(settings, WordKnowledge(), texts(20))),
    )
    low, high = settings.search.lowest, settings.search.highest
    assert [(t.c1, t.c2, t.f1) for t in first] == [(t.c1, t.c2, t.f1) for t in second]
    assert all(low <= t.c1 <= high and low <= t.c2 <= high for t in first)
    assert len({t.c1 for t in first}) == 3


def test_transfer_trains_on_each_domain_and_on_all() -> None:
    names = [
        trained.name
        for trained in transfer(
            small(), WordKnowledge(), {"a": sequences_of(texts(5)), "b": sequences_of(texts(6))}, {"t": texts(2)}
        )
    ]
    assert names == ["a", "b", "a + b"]


def test_the_learning_curve_has_growing_shares() -> None:
    settings = small()
    curve = settings.curve.model_copy(update={"shares": [0.1, 1.0], "samples": 2, "iterations": 10})
    settings = settings.model_copy(update={"curve": curve})
    sizes = [
        point.tokens
        for point in learning_curve(
            settings.model_copy(update={"curve": curve}), WordKnowledge(), sequences_of(texts(20)), {"t": texts(2)}
        )
    ]
    assert len(sizes) == 3 and sizes[0] == sizes[1] < sizes[2] == sequences_of(texts(20)).tokens


def test_the_projects_settings_use_corpora_for_their_purpose() -> None:
    settings, corpora = load_training().crf, load_corpora().corpora
    assert {c.corpus for c in settings.train} <= {name for name, corpus in corpora.items() if corpus.use == "train"}
    assert set(settings.dev) <= {name for name, corpus in corpora.items() if corpus.use == "dev"}
    assert set(settings.search.train) <= {c.corpus for c in settings.train}


def test_a_dev_corpus_is_refused_for_training(tmp_path: Path, repository: Path) -> None:
    source = (repository / "conf" / "training.yaml").read_text(encoding="utf-8")
    file = tmp_path / "training.yaml"
    file.write_text(source.replace("corpus: germeval-test", "corpus: germeval-dev").replace("[ler-dev]", "[nobody]"))
    with pytest.raises(ConfigurationError) as caught:
        load_training(file)
    assert "crf.train: 'germeval-dev' is no corpus to train with" in str(caught.value)
    assert "without: there is no corpus 'nobody'" in str(caught.value)


def test_models_are_trained_on_the_train_letters() -> None:
    settings = load_training()
    for letters in (settings.stacking.letters, settings.subtypes.letters):
        assert letter_folders(letters) == [letters_dir() / "train/dense", letters_dir() / "train/long"]


def settings_with_letters(tmp_path: Path, repository: Path, letters: str, dev: bool = False) -> Path:
    source = (repository / "conf" / "training.yaml").read_text(encoding="utf-8")
    file = tmp_path / "training.yaml"
    source = source.replace("[letters-train, letters-train-long]", f"[letters-train, {letters}]")
    file.write_text(source.replace("train_on_dev_letters: false", f"train_on_dev_letters: {str(dev).lower()}"))
    return file


@pytest.mark.parametrize("letters", ["letters-dev", "letters-test", "uner-pud"])
def test_other_corpora_are_refused_as_training_letters(tmp_path: Path, repository: Path, letters: str) -> None:
    file = settings_with_letters(tmp_path, repository, letters)
    systems = yaml.safe_load(file.read_text(encoding="utf-8"))["systems"]
    with pytest.raises(ConfigurationError) as caught:
        load_training(file)
    assert caught.value.problems == [
        f"{file}: {of}.letters: {letters!r} is no corpus of letters to train with, nor a path of a folder; "
        "there are: letters-train, letters-train-long"
        for of in ("stacking", "subtypes", *(f"systems.{name}" for name in systems))
    ]


def test_a_folder_of_ones_own_letters_is_a_source_of_training(tmp_path: Path, repository: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "m1.txt").write_text("kind: x\n", encoding="utf-8")
    settings = load_training(settings_with_letters(tmp_path, repository, str(mine)))
    assert letter_folders(settings.stacking.letters) == [letters_dir() / "train/dense", mine]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigurationError, match="holds no letter"):
        load_training(settings_with_letters(tmp_path, repository, str(empty)))


@pytest.mark.parametrize("link", ["none", "folder", "file"])
@pytest.mark.parametrize(
    ("part", "problem"), [("test/dense", "holds test letters"), ("dev/dense", "holds dev letters")]
)
def test_dev_and_test_letters_are_refused_through_links_too(
    tmp_path: Path, repository: Path, part: str, problem: str, link: str
) -> None:
    folder = letters_dir() / part
    if link == "folder":
        (tmp_path / "mine").symlink_to(folder)
    elif link == "file":
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "m1.txt").symlink_to(next(folder.glob("*.txt")))
    path = folder if link == "none" else tmp_path / "mine"
    with pytest.raises(ConfigurationError, match=problem):
        load_training(settings_with_letters(tmp_path, repository, str(path)))
    file = settings_with_letters(tmp_path, repository, str(path), True)
    if part.startswith("dev"):
        assert letter_folders(load_training(file).subtypes.letters)[1] == path
    else:
        with pytest.raises(ConfigurationError, match=problem):
            load_training(file)


@pytest.mark.shared
def test_no_sentence_with_a_name_is_trained_on_and_measured(shared_dir: Path) -> None:
    settings = load_training().crf
    measured = {
        sentence.text
        for name in settings.dev
        for sentence in read_named(name, shared_dir, text_tokens=None)
        # Shorter ones, and formulas without a name within a longer sentence, say nothing.
        if sentence.spans and len(sentence.text.split(" ")) > 5
    }
    trained_on = "\n".join(
        text.text
        for corpus in settings.train
        if corpus.corpus != "synthetic-train"
        for text in read_texts(corpus, shared_dir, settings.labels, settings.text_tokens)
    )
    assert len(measured) > 2_000
    assert [sentence for sentence in sorted(measured) if sentence in trained_on] == []


def test_names_of_the_generator_are_left_out_of_the_likeness() -> None:
    made = lists_of("test").surnames
    settings = WordKnowledgeSettings(name_lists=["surname"], word_files={})
    known = _lists(settings, compile_lists({ListKind.SURNAME: [*made, "Xylander"]}))
    assert known == {"surname": {"Xylander"}}


def test_errors_in_settings_name_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "training.yaml"
    file.write_text("crf:\n  model: x\n  c1: -1\n  features:\n    - {family: wort, window: [0]}\nlabels: [PER]\n")
    with pytest.raises(ConfigurationError) as caught:
        load_training(file)
    assert "training.yaml:6: labels: is a setting of another place" in str(caught.value)
    assert "training.yaml:3: crf.c1" in str(caught.value) and "no family 'wort'" in str(caught.value)
