"""Recogniser `crf`: entities, scores, threshold, and the model that travels with the engine."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.crf.crfsuite_file import round_weights
from deid_core.crf.features.families import FeatureSettings, build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import FEATURES_FILE, MODEL_FILE, CrfModel, load_model
from deid_core.crf.tagger import CrfTagger
from deid_core.lab.synthetic import iter_notes
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.pipeline.config import EngineSettings, PipelineSettings, load_pipeline, parse_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import load_spec
from deid_core.pipeline.settings_file import load_settings
from deid_core.recognisers.base import Resources
from deid_core.recognisers.crf import CrfRecogniser
from deid_core.recognisers.registry import build_recognisers
from deid_core.recognisers.settings import CrfSettings
from deid_core.text.document import Document
from deid_core.text.note_sequence import sequence_words
from deid_core.text.vocabulary import Vocabulary

FEATURES = [
    FeatureSettings(family="word", window=[-1, 0, 1]),
    FeatureSettings(family="affixes", window=[0], length=4),
    FeatureSettings(family="short_shape", window=[-1, 0, 1]),
    FeatureSettings(family="short_shape", pair=(-1, 0)),
]
TEMPLATES = build_templates(FEATURES, WordKnowledge())
GAZETTEER = compile_lists({})
NAMES = {"PER": ["Zorbinski", "Quandrath", "Welkenbach"], "LOC": ["Hintertupf", "Oberwalden", "Mittelsee"]}


def lesson(draw: random.Random) -> list[tuple[str, str]]:
    """A made-up sentence with labels: "Herr NAME NAME wohnt in PLACE ." """
    person = [(draw.choice(NAMES["PER"]), "B-PER"), (draw.choice(NAMES["PER"]), "I-PER")][: draw.randint(1, 2)]
    line = [("\n", "O")] if draw.random() < 0.3 else []
    words = [
        ("Herr", "O"),
        *person,
        *line,
        ("wohnt", "O"),
        ("in", "O"),
        (draw.choice(NAMES["LOC"]), "B-LOC"),
        (".", "O"),
    ]
    return words if draw.random() < 0.8 else [("Befund", "O"), ("ohne", "O"), ("Herzgeräusche", "O"), (".", "O")]


@cache
def model(prefixes: bool = True) -> CrfModel:
    """A model that knows three names and three places; without prefixes its labels are entity labels alone."""
    draw = random.Random(1)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.01, "c2": 0.01, "max_iterations": 60})
    for _ in range(200):
        pairs = lesson(draw)
        labels = [label if prefixes else label.rpartition("-")[2] for _, label in pairs]
        trainer.append(list(TEMPLATES.attributes([word for word, _ in pairs])), labels)
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        return CrfModel.from_crfsuite("toy", round_weights(Path(folder, "model").read_bytes()), FEATURES, {})


def settings_of(**changes: object) -> CrfSettings:
    return CrfSettings.model_validate({"kind": "crf", "model": "toy", "labels": ["PER", "LOC"], **changes})


def detections(text: str, *, prefixes: bool = True, **changes: object) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = CrfRecogniser(settings_of(**changes), model(prefixes).compiled(), vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    return list(recogniser.recognise(document))


def found(text: str, **changes: object) -> list[tuple[str, str]]:
    return [(text[d.start : d.end], str(d.label)) for d in detections(text, **changes)]  # type: ignore[arg-type]


def pipeline_of(model_name: str, **changes: object) -> PipelineSettings:
    crf = {"kind": "crf", "model": model_name, "labels": ["PER", "LOC"], **changes}
    return parse_pipeline({"name": "toy", "description": "", "recognisers": [crf], "order": ["crf"], "labels_from": []})


@pytest.mark.parametrize("prefixes", [True, False])
def test_entities_of_several_tokens(prefixes: bool) -> None:
    text = "Herr Zorbinski Welkenbach wohnt in Oberwalden ."
    assert found(text, prefixes=prefixes) == [("Zorbinski Welkenbach", "PER"), ("Oberwalden", "LOC")]


def test_detections_say_what_found_them() -> None:
    [person, place] = detections("Herr Quandrath wohnt in Mittelsee .")
    assert (person.label, person.type, person.recogniser, person.rule) == (Label.PER, PhiType.PERSON, "crf", "crf.PER")
    assert (place.label, place.type, place.recogniser, place.rule) == (Label.LOC, PhiType.PLACE, "crf", "crf.LOC")


def test_an_entity_ends_with_its_line_or_cell() -> None:
    assert found("Herr Zorbinski\nWelkenbach wohnt in Mittelsee .")[:2] == [("Zorbinski", "PER"), ("Welkenbach", "PER")]
    assert found("Herr Zorbinski\tWelkenbach wohnt")[:2] == [("Zorbinski", "PER"), ("Welkenbach", "PER")]


def test_labels_that_are_not_asked_for_are_left_out() -> None:
    assert found("Herr Quandrath wohnt in Mittelsee .", labels=["LOC"]) == [("Mittelsee", "LOC")]


@pytest.mark.parametrize("text", ["", " \n\t ", "Befund ohne Herzgeräusche."])
def test_text_without_names_gives_nothing(text: str) -> None:
    assert detections(text) == []


def test_scores_are_the_least_marginal_of_the_label() -> None:
    text = "Herr Zorbinski Welkenbach wohnt in Unbekannt ."
    vocabulary = Vocabulary()
    words = sequence_words(vocabulary.tokenise(text), vocabulary)
    file = model().crfsuite_bytes()  # CRFsuite reads from it as long as it tags
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(file)
    tagger.set(list(TEMPLATES.attributes(words)))
    person = [tagger.marginal("B-PER", at) + tagger.marginal("I-PER", at) for at in (1, 2)]
    scores = {d.rule: d.score for d in detections(text)}
    assert scores["crf.PER"] == pytest.approx(min(person), abs=1e-4)
    assert all(0 < score <= 1 for score in scores.values())


def test_a_lower_threshold_finds_more_and_loses_nothing() -> None:
    text = "Frau Abendroth war in Mittelsee . Herr Quandrath\nHerrn Odenstein wohnt ohne Befund in Oberwalden ."
    covered: list[set[int]] = []
    for threshold in (None, 0.9, 0.3, 0.05, 0.001):
        spans = detections(text, threshold=threshold)
        covered.append({at for d in spans for at in range(d.start, d.end)})
    assert all(fewer <= more for fewer, more in pairwise(covered))
    assert len(covered[-1]) > len(covered[0])


def test_a_raised_token_takes_the_likeliest_label_and_joins_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    crf = model().compiled()
    vocabulary = Vocabulary()
    recogniser = CrfRecogniser(settings_of(threshold=0.4), crf, vocabulary)
    text = "Xa Yb , Zc"
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    rows = {
        # Each PER label alone is less likely than B-LOC, both together are not.
        "Xa": {"O": 0.3, "B-PER": 0.2, "I-PER": 0.2, "B-LOC": 0.3},
        "Yb": {"B-PER": 0.9, "O": 0.1},
        ",": {"O": 0.3, "I-PER": 0.7},
        "Zc": {"O": 0.6, "I-PER": 0.4},
    }
    labels = recogniser._tagger.labels
    marginals = np.array([[row.get(label, 0.0) for label in labels] for row in rows.values()])
    best = np.array([labels.index(label) for label in ("O", "B-PER", "O", "O")], np.int8)
    monkeypatch.setattr(CrfTagger, "tag_with_marginals", lambda *_: (best, marginals))
    assert list(recogniser.recognise(document)) == [
        # The comma is no name, however likely.
        Detection(0, 5, Label.PER, PhiType.PERSON, "crf", "crf.PER", 0.4),
        Detection(8, 10, Label.PER, PhiType.PERSON, "crf", "crf.PER", 0.4),
    ]


def test_unknown_label_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match=r"has no ORG; it has: LOC, O, PER"):
        CrfRecogniser(settings_of(labels=["PER", "ORG"]), model().compiled(), Vocabulary())


def test_a_model_folder_survives_being_written_and_sent(tmp_path: Path) -> None:
    model().save(tmp_path / "toy")
    (tmp_path / "toy" / "card.md").write_text("for readers")
    loaded = load_model(f"{tmp_path}/toy")
    assert loaded.files == model().files
    again = CrfModel.from_bytes("toy", loaded.to_bytes())
    assert again.digest == loaded.digest == model().digest
    assert again.to_bytes() == loaded.to_bytes()


def test_files_of_different_trainings_are_refused(tmp_path: Path) -> None:
    model().save(tmp_path / "toy")
    (tmp_path / "toy" / "likeness.npz").write_bytes(b"of another model")
    with pytest.raises(ConfigurationError, match=r"not of one training: likeness\.npz"):
        load_model(f"{tmp_path}/toy").compiled()


def test_saving_again_replaces_a_model_whole_and_nothing_else(tmp_path: Path) -> None:
    model().save(tmp_path / "toy", card="for readers")
    (tmp_path / "toy" / "clusters.npz").write_bytes(b"of an older model")
    model().save(tmp_path / "toy")
    assert [path.name for path in sorted((tmp_path / "toy").iterdir())] == [FEATURES_FILE, MODEL_FILE]
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.doc").write_text("x")
    with pytest.raises(ConfigurationError, match="no model's"):
        model().save(tmp_path / "other")


def test_a_spec_carries_its_model(tmp_path: Path) -> None:
    model().save(tmp_path / "toy")
    spec = load_spec(pipeline_of(f"{tmp_path}/toy"), load_settings())
    again = EngineSpec.from_bytes(spec.to_bytes())
    assert again.fingerprint == spec.fingerprint
    assert again.to_bytes() == spec.to_bytes()
    note = Note("n", "Herr Zorbinski wohnt in Oberwalden.")
    assert Engine(again).deidentify(note).text == "Herr <PER> wohnt in <LOC>."
    other = EngineSpec(spec.pipeline, spec.settings, spec.gazetteer, model(False))
    assert other.fingerprint != spec.fingerprint


def test_the_engine_may_forget_its_vocabulary(tmp_path: Path) -> None:
    notes = [item.note for item in iter_notes(6, seed=3, split="test")]
    spec = EngineSpec(pipeline_of("toy", threshold=0.2), EngineSettings(), GAZETTEER, model())
    forgetful = EngineSpec(spec.pipeline, EngineSettings(max_word_types=10), GAZETTEER, model())
    one, other = Engine(spec), Engine(forgetful)
    assert [one.annotate(note) for note in notes] == [other.annotate(note) for note in notes]
    assert any(one.annotate(note) for note in notes)


def test_a_pipeline_without_its_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="given no model"):
        build_recognisers(pipeline_of("toy").recognisers, Resources(GAZETTEER, Vocabulary()))
    with pytest.raises(ConfigurationError, match="there is no model 'nowhere'; there are: "):
        load_spec(pipeline_of("nowhere"), load_settings())


def damaged(**files: bytes) -> CrfModel:
    names = {"model": MODEL_FILE, "features": FEATURES_FILE}
    changed = dict(model().files) | {names[name]: data for name, data in files.items()}
    return CrfModel("toy", tuple(sorted(changed.items())))


def test_damaged_models_are_refused_with_their_file() -> None:
    packed = dict(model().files)[MODEL_FILE]
    features = json.loads(dict(model().files)[FEATURES_FILE])
    cases = [
        (damaged(model=b"no gzip"), r"toy/model.crfsuite.gz: is damaged"),
        (damaged(model=packed[: len(packed) // 2]), r"toy/model.crfsuite.gz: is cut short"),
        (damaged(model=packed[:-5] + b"\0" + packed[-4:]), r"toy/model.crfsuite.gz: is damaged"),
        (damaged(features=b"{"), r"toy/features.json: is not JSON"),
        (damaged(features=json.dumps(features | {"format": 2}).encode()), r"toy/features.json: format: "),
        (damaged(features=json.dumps(features | {"features": features["features"][:1]}).encode()), "same training"),
        (CrfModel("toy", ((MODEL_FILE, packed),)), r"toy/features.json: is missing"),
    ]
    for broken, problem in cases:
        with pytest.raises(ConfigurationError, match=problem):
            broken.compiled()


def test_full_is_variants_and_the_crf() -> None:
    full, variants = load_pipeline("full"), load_pipeline("variants")
    assert [r for r in full.recognisers if r.kind != "crf"] == variants.recognisers
    assert [kind for kind in full.order if kind != "crf"] == variants.order
    assert full.crf is not None and "crf" in full.labels_from


def test_numba_is_loaded_with_the_first_engine_and_not_before() -> None:
    program = (
        "import sys; from deid_core.pipeline.config import load_pipeline\n"
        "from deid_core.pipeline.settings_file import load_settings\n"
        "from deid_core.pipeline.loading import load_spec\n"
        "from deid_core.pipeline.engine import Engine\n"
        "from deid_core.pipeline.engine_spec import EngineSpec\n"
        "load_spec(load_pipeline('variants'), load_settings())\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
