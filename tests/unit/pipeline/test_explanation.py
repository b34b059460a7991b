"""Why a span was removed or a word left: what is said is what decided, with places of the note as it is stored."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.explanation import Explained, Explanation, explain
from deid_core.pipeline.loading import load_engine
from deid_core.pipeline.settings_file import load_settings

LETTER = (
    "Herrn\nPeter Xylander\nGoethestr. 5\n69120 Heidelberg\n\nSehr geehrte Kollegen,\n"
    "wir berichten über Herrn Xylander, geb. am 1.2.1950, der am 3.4.2010 kam. Diagnose: Morbus Parkinson.\n"
    "Xylanders Befund: HB 12,3, Kreatinin 1,1. Stein im Ureter. Die Frau heißt Vogel.\n"
)
COMPARED = re.compile(r"(?P<value>0\.\d+|1\.0+) (?P<sign>>=|<=|>|<) (?P<setting>\w+) (?P<threshold>\d\.\d+)")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load_engine(load_pipeline("default"), load_settings())


def changed(engine: Engine, **stacking: float) -> Engine:
    """Return the engine with other thresholds."""
    pipeline = load_pipeline("default", {f"stacking.{key}": value for key, value in stacking.items()})
    return Engine(replace(engine.spec, pipeline=pipeline))


def explained(engine: Engine, text: str) -> Explanation:
    note = Note("n", text)
    return explain(engine, note, engine.deidentify(note))


def compared(item: Explained) -> tuple[float, str, str, float]:
    match = COMPARED.search(item.model)
    assert match is not None, item.model
    return float(match["value"]), match["sign"], match["setting"], float(match["threshold"])


def _is_outside(item: Explained) -> bool:
    return isinstance(item.found, Dropped) and item.found.reason is DropReason.DROP_ABOVE


def test_each_span_has_detections_or_the_model_behind_it(engine: Engine) -> None:
    found = explained(engine, LETTER)
    assert [item.found for item in found.spans] == list(engine.deidentify(Note("n", LETTER)).spans)
    for item in found.spans:
        assert item.support or item.model
        assert all(e.detection.start < item.found.end and item.found.start < e.detection.end for e in item.support)


def test_a_repeated_name_names_the_place_that_it_repeats(engine: Engine) -> None:
    found = explained(engine, LETTER)
    [item] = [item for item in found.spans if LETTER[item.found.start :].startswith("Xylanders")]
    [source] = [e.repeats for e in item.support if e.detection.recogniser == "propagation" and e.repeats]
    assert "Xylander" in LETTER[source.start : source.end]
    assert source.end <= item.found.start
    assert source.recogniser != "propagation" and source.score >= 0.9


def test_what_is_said_of_a_threshold_is_what_decided(engine: Engine) -> None:
    """A threshold above the probability that is told takes the entity away, one above that of outside keeps."""
    text = "Der Patient ist von Beruf Schlosser."
    [item] = [item for item in explained(engine, text).spans if not item.support]
    value, sign, setting, threshold = compared(item)
    assert (sign, setting) == (">=", "promote_above_others") and value >= threshold > 0.16
    assert explained(changed(engine, promote_above_others=1.0), text).nearly == [
        item._replace(found=Detection(*item.found), model=f"{value:.4f} < promote_above_others 1.0000")
    ]


def test_a_dropped_detection_says_by_which_probability(engine: Engine) -> None:
    text = "Befund: Stein im linken Ureter, Vogel und Krause unauffällig. Am 12/09 RR 120/80."
    items = [item for item in explained(engine, text).dropped if _is_outside(item)]
    assert items
    for item in items:
        value, sign, setting, threshold = compared(item)
        assert (sign, setting, threshold) == (">", "drop_above", 0.75) and value > threshold
        assert item.support
    kept = explained(changed(engine, drop_above=0.99999), text)
    assert {item.found[:2] for item in kept.spans} >= {item.found[:2] for item in items}
    assert any("not dropped" in item.model for item in kept.spans)


def test_places_are_those_of_the_note_as_it_is_stored(engine: Engine) -> None:
    text = "**Patient:** Herr **Peter Xylander**, geb. am 1.2.1950. X y l a n d e r kam."
    found = explained(engine, text)
    detected = {text[e.detection.start : e.detection.end] for item in found.spans for e in item.support}
    assert "1.2.1950" in detected
    assert any("Xylander" in word for word in detected)
    assert any(word.startswith("X y l") for word in detected)


def test_a_pipeline_without_a_model_has_rules_alone() -> None:
    found = explained(load_engine(load_pipeline("baseline"), load_settings()), LETTER)
    assert found.spans and not found.nearly
    assert {item.found.recogniser for item in found.spans if not item.support} <= {"sweep"}
    assert not any(item.model for item in found.spans)


def test_an_explanation_changes_no_result(engine: Engine) -> None:
    note = Note("n", LETTER)
    before = engine.deidentify(note)
    explain(engine, note, before)
    assert engine.deidentify(note) == before
