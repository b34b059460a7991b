"""A pipeline with one of its parts left out at a time, and all the rest as it is: how far it leans on each part.

Where the stacking model is not trained again, it weighs what recognisers say without one that it was trained with, so a
difference holds that mismatch too, and is not only what the part adds: trained without the part (lab/training/
retraining.py), the stacking model makes up for some of it.

A part is a recogniser, or a step that the pipeline's file switches on; with retraining also a recogniser's group of
rules, "pattern.date". A part that cannot do without another goes with
it. Others only lean on one another (the header takes labels that others gave): leaving one out changes both, and the
figures do not add up.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import BaseModel

from deid_core.core.data_folders import models_dir
from deid_core.core.word_lists import lists_dir, read_word_list
from deid_core.pipeline.config import PipelineSettings
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import spec_with_lists

_NEEDS = {"stacking": "crf"}
"""A step, and the recogniser it cannot do without."""
AND = " and "
_USED_BY = re.compile("^# used by: (.+)$", re.MULTILINE)
_AFTER_STACKING = frozenset({"boundary_trimming", "foreign_passages", "sweep"})
"""Steps that the stacking model's training does not depend on."""


def without_each_part(spec: EngineSpec) -> dict[str, EngineSpec]:
    """The spec without each of its parts, by what was left out: a part's name, or several with AND between them.

    The specs' pipelines are named "without …"; models are read again. Raises ConfigurationError as `spec_with_lists`.
    """
    pipeline = spec.pipeline
    kinds = [str(recogniser.kind) for recogniser in pipeline.recognisers]
    steps = _steps(pipeline)
    groups = [(part, *(step for step in steps if _NEEDS.get(step) == part)) for part in (*kinds, *steps)]
    return {
        AND.join(group): spec_with_lists(_without(pipeline, group), spec.settings, spec.gazetteer) for group in groups
    }


def retrainable_parts(pipeline: PipelineSettings) -> list[str]:
    """Return the parts of a pipeline with a stacking model that `without_part` leaves out."""
    groups = [f"{r.kind}.{group}" for r in pipeline.recognisers for group in getattr(r, "groups", ())]
    steps = [step for step in _steps(pipeline) if step != "stacking"]
    return [*pipeline.kinds, *steps, *groups]


def without_part(spec: EngineSpec, part: str) -> EngineSpec:
    """Return the spec without a part, with the same models; the model of recogniser `crf` holds word knowledge too."""
    return replace(spec, pipeline=_without(spec.pipeline, [part]))


class CodeSize(NamedTuple):
    """Lines of Python, and entries of the German word lists, that only one part of a pipeline has."""

    lines: int
    words: int


def code_size(part: str) -> CodeSize:
    """Return the size of the modules whose path begins with the part's name, and of the lists that they alone use."""
    names = tuple(f"{folder}/{part.replace('.', '/')}" for folder in ("recognisers", "ensemble", "text"))
    package = models_dir().parent
    lines = sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in package.rglob("*.py")
        if path.relative_to(package).as_posix().startswith(names)
    )
    words = 0
    for path in lists_dir().rglob("*.txt"):
        found = _USED_BY.search(path.read_text(encoding="utf-8"))
        if found and all(user.strip().startswith(names) for user in found[1].split(",")):
            words += len(read_word_list(path))
    return CodeSize(lines, words)


def needs_training(part: str) -> bool:
    """Return whether the stacking model depends on the part in training."""
    return part not in _AFTER_STACKING


def _steps(pipeline: PipelineSettings) -> list[str]:
    """Return what the pipeline switches on: settings that are true, and groups of settings that may be missing."""
    values = {name: (getattr(pipeline, name), field.default) for name, field in PipelineSettings.model_fields.items()}
    return [
        name
        for name, (value, default) in values.items()
        if value is True or (isinstance(value, BaseModel) and default is None)
    ]


def _without(pipeline: PipelineSettings, parts: Collection[str]) -> PipelineSettings:
    changed: dict[str, object] = {
        "name": f"without {AND.join(parts)}",
        "recognisers": [_without_groups(r, parts) for r in pipeline.recognisers if r.kind not in parts],
        "order": [name for name in pipeline.order if name not in parts],
        "labels_from": [name for name in pipeline.labels_from if name not in parts],
    }
    for step in PipelineSettings.model_fields.keys() & set(parts):
        changed[step] = False if getattr(pipeline, step) is True else None
    return pipeline.model_copy(update=changed)


def _without_groups(recogniser: Any, parts: Collection[str]) -> Any:
    groups = getattr(recogniser, "groups", [])
    left = [group for group in groups if f"{recogniser.kind}.{group}" not in parts]
    return recogniser if left == groups else recogniser.model_copy(update={"groups": left})
