"""A pipeline with one of its parts left out at a time, and all the rest as it is: how far it leans on each part.

The stacking model is not trained again. It then weighs what recognisers say without one that it was trained with,
so a difference holds that mismatch too, and is not only what the part adds: trained without the part, the stacking
model would make up for some of it.

A part is a recogniser, or a step that the pipeline's file switches on. A part that cannot do without another goes with
it. Others only lean on one another (the header takes labels that others gave): leaving one out changes both, and the
figures do not add up.
"""

from __future__ import annotations

from collections.abc import Collection

from pydantic import BaseModel

from deid_core.pipeline.build import spec_with_lists
from deid_core.pipeline.config import PipelineSettings
from deid_core.pipeline.spec import EngineSpec

_NEEDS = {"stacking": "crf"}
"""A step, and the recogniser it cannot do without."""
AND = " and "


def without_each_part(spec: EngineSpec) -> dict[str, EngineSpec]:
    """The spec without each of its parts, by what was left out: a part's name, or several with AND between them.

    The specs' pipelines are named "without …"; models are read again. Raises ConfigurationError as `spec_with_lists`.
    """
    pipeline = spec.pipeline
    kinds = [str(recogniser.kind) for recogniser in pipeline.recognisers]
    steps = [name for name in PipelineSettings.model_fields if _is_step(getattr(pipeline, name))]
    groups = [(part, *(step for step in steps if _NEEDS.get(step) == part)) for part in (*kinds, *steps)]
    return {
        AND.join(group): spec_with_lists(_without(pipeline, group), spec.settings, spec.gazetteer) for group in groups
    }


def _is_step(value: object) -> bool:
    return value is True or isinstance(value, BaseModel)


def _without(pipeline: PipelineSettings, parts: Collection[str]) -> PipelineSettings:
    changed: dict[str, object] = {
        "name": f"without {AND.join(parts)}",
        "recognisers": [recogniser for recogniser in pipeline.recognisers if recogniser.kind not in parts],
        "order": [name for name in pipeline.order if name not in parts],
        "naming": [name for name in pipeline.naming if name not in parts],
    }
    for step in PipelineSettings.model_fields.keys() & set(parts):
        changed[step] = False if getattr(pipeline, step) is True else None
    return pipeline.model_copy(update=changed)
