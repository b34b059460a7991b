"""Each part of a pipeline left out: nothing of it is left, and all the rest is."""

from __future__ import annotations

import dataclasses

import pytest

from deid_core.core.note import Note
from deid_core.ensemble.settings import StackingSettings
from deid_core.lab.evaluate import ablation
from deid_core.lab.evaluate.ablation import code_size, retrainable_parts, without_each_part, without_part
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

NOTE = Note("n1", "Frau Erika Beispiel, geb. 1.4.1950, aus Heidelberg.\nBeispiel kam am 3.4.2010.")


def test_every_recogniser_and_step_is_left_out_once_and_the_rest_runs() -> None:
    spec = engine_spec("default")
    kinds = {recogniser.kind for recogniser in spec.pipeline.recognisers}
    without = without_each_part(spec)
    assert kinds | {"propagation"} <= {part for left_out in without for part in left_out.split(" and ")}
    for left_out, left in without.items():
        parts, pipeline = set(left_out.split(" and ")), left.pipeline
        assert {recogniser.kind for recogniser in pipeline.recognisers} == kinds - parts
        assert not parts & {*pipeline.order, *pipeline.labels_from}
        assert (pipeline.propagation is None) == ("propagation" in parts)
        assert (left.model is None) == ("crf" in parts)
        assert left.fingerprint != spec.fingerprint
        said_by = {name for span in Engine(left).annotate(NOTE) for name in span.recogniser.split("+")}
        assert said_by and not parts & said_by


def test_a_step_goes_with_the_recogniser_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = engine_spec("default")
    decided = spec.pipeline.model_copy(
        update={"stacking": StackingSettings(model="absent"), "order": [*spec.pipeline.order, "stacking"]}
    )
    monkeypatch.setattr(ablation, "spec_with_lists", lambda pipeline, *_: dataclasses.replace(spec, pipeline=pipeline))
    without = without_each_part(dataclasses.replace(spec, pipeline=decided))
    assert "crf" not in without
    for left_out in ("crf and stacking", "stacking"):
        assert without[left_out].pipeline.stacking is None
        assert "stacking" not in without[left_out].pipeline.order
    assert without["stacking"].pipeline.crf == spec.pipeline.crf


def test_a_group_of_rules_is_left_out_and_the_rest_of_its_recogniser_runs() -> None:
    spec = engine_spec("default")
    rules = {s.rule.partition(".")[0] for s in Engine(spec).annotate(NOTE) if s.recogniser == "pattern"}
    left = without_part(spec, "pattern.date")
    found = {s.rule.partition(".")[0] for s in Engine(left).annotate(NOTE) if s.recogniser == "pattern"}
    assert "date" in rules and "date" not in found and found
    assert left.pipeline.kinds == spec.pipeline.kinds and "pattern.date" in retrainable_parts(spec.pipeline)


def test_the_stacking_model_keeps_the_words_of_a_crf_that_is_left_out() -> None:
    left = without_part(engine_spec("default"), "crf")
    assert left.pipeline.stacking is not None and "crf" not in left.pipeline.kinds
    assert any("stacking" in span.recogniser for span in Engine(left).annotate(NOTE))


def test_the_size_of_a_part_is_that_of_its_modules_and_lists() -> None:
    whole, dates = code_size("pattern"), code_size("pattern.date")
    assert whole.lines > dates.lines > 0 and whole.words > dates.words > 0
    assert code_size("no_such_part") == (0, 0)
