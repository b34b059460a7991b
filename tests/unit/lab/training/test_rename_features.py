"""Renaming recognisers and rules in stored models: labels, probabilities and types stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Span
from deid_core.crf.compiled_crf import compile_crf
from deid_core.crf.model import load_model
from deid_core.crf.tagger import CrfTagger
from deid_core.ensemble.stacking.features import StackingFeatures
from deid_core.ensemble.subtype.classifier import SubtypeClassifier
from deid_core.ensemble.subtype.model import load_subtype_model
from deid_core.lab.training.rename_features import Renaming, rename_attributes, rename_stacking, rename_subtypes
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

TEXT = "Herr Zorbinski kam am 3.4.2010.\nZorbinski klagt. Dr. Quandrath\n"
RENAMING = Renaming(
    recognisers={"person_context": "names", "letterhead": "header", "propagation": "whole_note"},
    rules={("person_context", "salute"): "salutation", ("propagation", "repeat"): "exact"},
)


def detections() -> list[Detection]:
    name, person = "Zorbinski", (Label.PER, PhiType.PERSON)
    first, second = TEXT.index(name), TEXT.rindex(name)
    return [
        Detection(first, first + len(name), *person, "person_context", "salute", 0.95),
        Detection(second, second + len(name), *person, "propagation", "repeat", 0.9),
        Detection(second, second + len(name), *person, "letterhead", "word/salute", 0.5),
        Detection(TEXT.index("3.4."), TEXT.index(".\n"), Label.DATE, PhiType.DATE, "pattern", "date.numeric", 0.9),
    ]


def renamed(detection: Detection) -> Detection:
    return detection._replace(
        recogniser=RENAMING.recogniser(detection.recogniser), rule=RENAMING.rule(detection.recogniser, detection.rule)
    )


def document() -> Document:
    vocabulary = Vocabulary()
    return Document(Note("n", TEXT), vocabulary.tokenise(TEXT), vocabulary)


def test_the_stacking_model_scores_renamed_detections_as_before() -> None:
    model = load_model("stacking-de")
    emissions = []
    templates = model.detection_templates()
    of_words = model.with_word_knowledge_of(load_model("crf-de")).templates(compile_lists({}))
    for used, found in ((model, detections()), (rename_stacking(model, RENAMING), list(map(renamed, detections())))):
        features, note = StackingFeatures(), document()
        types = features.types(note, features.arrays(note, found))
        tagger = CrfTagger(compile_crf(used.weights(), templates, of_words), features.vocabulary)
        emissions.append(tagger.emissions(types + 2, np.array([0, len(types)], np.int64)))
    assert np.array_equal(*emissions)
    assert emissions[0].any()


def test_attributes_of_words_stay_and_those_of_detections_are_renamed() -> None:
    model = load_model("stacking-de")
    old, new = model.weights().attributes, rename_stacking(model, RENAMING).weights().attributes
    changed = dict(pair for pair in zip(old, new, strict=True) if pair[0] != pair[1])
    assert all(attribute.startswith("evidence[") for attribute in changed)
    assert changed["evidence[0]:Bperson_context:PER"] == "evidence[0]:Bnames:PER"
    assert changed["evidence[0]:person_context.salute"] == "evidence[0]:names.salutation"
    assert changed["evidence[0]:letterhead:PER+"] == "evidence[0]:header:PER+"
    assert "evidence[0]:in:header" in new
    assert not [
        name for name in new if name.startswith("evidence[") and ("propagation" in name or "Iperson_context" in name)
    ]


def test_the_subtypes_of_renamed_spans_are_the_same() -> None:
    note = document()
    spans = [Span(*detection) for detection in sorted(detections()) if detection.recogniser != "letterhead"]
    spans[-1] = spans[-1]._replace(recogniser="stacking", rule="person/propagation.repeat")
    before = load_subtype_model("subtypes-de")
    after = rename_subtypes(before, RENAMING)
    assert after.number_of("stacking person/whole_note.exact") == before.number_of("stacking person/propagation.repeat")
    assert after.number_of("names salutation") == before.number_of("person_context salute") > 0
    renamed_spans = [Span(*renamed(span)) for span in spans]
    types = SubtypeClassifier(before, note.vocabulary).decide(note, spans)
    renamed_types = SubtypeClassifier(after, note.vocabulary).decide(note, renamed_spans)
    assert [span.type for span in types] == [span.type for span in renamed_types]
    assert types != renamed_types


def test_two_names_must_not_become_one() -> None:
    with pytest.raises(ValueError, match="same name"):
        rename_attributes(load_model("stacking-de").weights(), lambda attribute: attribute[:8])
    with pytest.raises(ValueError, match="same name"):
        rename_stacking(load_model("stacking-de"), Renaming({"person_context": "letterhead"}))
