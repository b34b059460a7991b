"""Training of the stacking model on partially annotated texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import load_model
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUPS
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.partial_annotation import (
    POSSIBLE,
    UNANNOTATED,
    UNCERTAIN,
    Fold,
    model_without,
    partially_annotated_sequences,
    read_folds,
)
from deid_core.lab.training.sequences import Sequences
from deid_core.lab.training.settings import TrainingCorpus, TrainingSettings, load_training
from deid_core.lab.training.stacking import AnnotatedRange, labelled_sequence
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import spec_with_lists
from deid_core.text.document import Document

SPEC = spec_with_lists(load_pipeline("baseline"), EngineSettings(), compile_lists({}))
NAMES = ("Albers", "Brückner", "Cordes", "Dressel", "Ewald", "Fechner")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a sentence for each name; GermEval's has a word derived from a name, too."""
    folder = tmp_path / "ner"
    folder.mkdir()
    words = [("Herr", "O"), ("NAME", "B-PER"), ("kam", "O"), ("aus", "O"), ("Ulmer", "B-LOCderiv"), ("Haft", "O")]
    lines = []
    for number, name in enumerate(NAMES[:4]):
        lines.append(f"#\t{number}")
        lines += [f"{at}\t{word.replace('NAME', name)}\t{tag}\tO" for at, (word, tag) in enumerate(words, 1)]
        lines.append("")
    (folder / "germeval14-test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pud = "".join(f"1\t{name}\tB-PER\n2\tkam\tO\n\n" for name in NAMES[4:])
    (folder / "uner-pud.iob2").write_text("# newdoc id = n1\n" + pud, encoding="utf-8")
    return tmp_path


def settings() -> TrainingSettings:
    """Settings for single sentences of GermEval, partially annotated and used twice, and for those of PUD."""
    ours = load_training()
    corpora = [TrainingCorpus(corpus="germeval-test", repeat=2), TrainingCorpus(corpus="uner-pud")]
    crf = ours.crf.model_copy(
        update={
            "train": corpora,
            "text_tokens": 6,
            "iterations": 20,
            "features": [FeatureSettings(family="word", window=[-1, 0])],
        }
    )
    stacking = ours.stacking.model_copy(update={"partially_annotated": ["germeval-test"], "detection_dropout": 0.0})
    return ours.model_copy(update={"crf": crf, "stacking": stacking})


def test_each_text_is_in_one_fold_and_its_model_has_not_seen_it(data: Path) -> None:
    folds = read_folds(settings(), data)
    assert [[text.text.split()[1] for text in fold.texts] for fold in folds] == [
        [*NAMES[:2]],
        [*NAMES[2:4]],
    ]
    for fold, others in zip(folds, (NAMES[2:4], NAMES[:2]), strict=True):
        seen = [word for words in fold.others.words for word in words if word in NAMES]
        assert sorted(seen) == sorted([*others * 2, *NAMES[4:]])
        model = model_without(fold, settings(), WordKnowledge()).weights()
        known = {attribute.partition(":")[2] for attribute in model.attributes}
        assert known & {*NAMES} <= {*others, *NAMES[4:]}
        assert known & {*NAMES}
        assert set(model.labels) == {"O", "B-PER"}


def test_a_derived_word_may_have_any_label_and_does_not_train_the_recogniser(data: Path) -> None:
    for fold in read_folds(settings(), data):
        assert [[span.label for span in text.spans] for text in fold.texts] == [["PER", UNCERTAIN]] * 2
        assert all(tag in ("O", "B-PER") for tags in fold.others.tags for tag in tags)
    assert set(POSSIBLE[UNCERTAIN]) == {OUTSIDE, *TYPE_GROUPS}


def test_words_may_have_the_labels_that_their_annotations_allow() -> None:
    text = AnnotatedText(
        "t",
        "Am 3. Mai kam Albers aus Ulm\nzu Kodak, Ulmer Werk",
        (
            LabelledSpan(14, 20, "PER"),
            LabelledSpan(25, 28, "LOC"),
            LabelledSpan(32, 37, "ORG"),
            LabelledSpan(39, 44, UNCERTAIN),
        ),
    )
    folds = [Fold([text], Sequences([], []))]
    [sequence] = partially_annotated_sequences(folds, [load_model("crf-de")], SPEC, settings().stacking, 0)
    of_words = dict(zip(sequence.words, sequence.labels, strict=True))
    assert of_words["Mai"] == of_words["kam"] == of_words["Werk"] == UNANNOTATED
    assert of_words["Albers"] == ("person", "title")
    assert of_words["Ulm"] == ("town", "hospital", "street")
    assert of_words["Kodak"] == ("organisation", "department", "hospital")
    assert of_words["Ulmer"] == POSSIBLE[UNCERTAIN]
    assert of_words["\n"] == (OUTSIDE,)
    assert "pattern:DATE" in " ".join(sequence.detections)


@given(
    st.lists(st.sampled_from(["Mül\u00adler", "B E F U N D", "kam", "mit", "Kodak", "Ulm", "Kra-\nnich"]), max_size=12)
)
def test_a_label_stays_with_its_word_where_the_text_is_normalised(words: list[str]) -> None:
    text, annotations = "", []
    for number, word in enumerate(words):
        if word != "kam" and word != "mit":
            annotations.append(AnnotatedRange(len(text), len(text) + len(word), (f"{number}",)))
        text += word + "\n"
    engine = Engine(SPEC)
    sequence = labelled_sequence(Note("n", text), annotations, (OUTSIDE,), engine, 0.0, Draw("0"))
    seen = [word.replace("\u00ad", "").replace("-\n", "").replace("B E F U N D", "BEFUND") for word in words]
    expected = [(word, (OUTSIDE,) if word in {"kam", "mit"} else (f"{n}",)) for n, word in enumerate(seen)]
    labelled = [pair for pair in zip(sequence.words, sequence.labels, strict=True) if pair[0] != "\n"]
    assert labelled == expected


def test_the_recogniser_of_a_fold_uses_the_model_trained_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, str]] = []

    class Reader(Engine):
        def document(self, note: Note) -> Document:
            assert self.spec.model
            read.append((self.spec.model.name, note.text))
            return super().document(note)

    monkeypatch.setattr("deid_core.lab.training.partial_annotation.Engine", Reader)
    folds = [Fold([AnnotatedText(name, name, ())], Sequences([], [])) for name in NAMES[:2]]
    models = [load_model("crf-de"), replace(load_model("crf-de"), name="other")]
    assert len(list(partially_annotated_sequences(folds, models, SPEC, settings().stacking, 0))) == 2
    assert read == [("crf-de", NAMES[0]), ("other", NAMES[1])]


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"germeval14-test\.tsv: does not exist"):
        read_folds(settings(), tmp_path)
