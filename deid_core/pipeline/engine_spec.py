"""The specification of an engine: pipeline, limits, lists and models, small enough to broadcast."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from deid_core.core.errors import ConfigurationError
from deid_core.crf.model_folder import CompiledStacking, CrfModel
from deid_core.ensemble.settings import StackingSettings
from deid_core.ensemble.subtype.subtype_model import SubtypeModel
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.config import EngineSettings, PipelineSettings, parse_pipeline
from deid_core.pipeline.fingerprint import spec_fingerprint
from deid_core.recognisers.registry import is_stacked_by_default

if TYPE_CHECKING:
    from deid_core.crf.compiled_crf import CompiledCrf

_DETECTION = "detections[0]:B"
"""Start of the stacking model's attributes that name a recogniser: "detections[0]:Bpattern:DATE"."""


@dataclass(frozen=True, slots=True)
class CompiledModels:
    """The models of a spec, ready for tagging.

    crf: of recogniser `crf`. stacking: of the stacking model.
    unstacked: `custom` and kinds of other packages that the pipeline has and the stacking model was not trained with.
    """

    crf: CompiledCrf | None
    stacking: CompiledStacking | None
    unstacked: frozenset[str]


@dataclass(frozen=True)
class EngineSpec:
    """All that an engine is made from; the same bytes on every worker. `pipeline.loading` makes it from files.

    model: of recogniser `crf`, None if the pipeline has none. stacking: of the stacking model, which uses the word
    knowledge of `model`. subtypes: of the subtype classifier.

    Raises ConfigurationError if the pipeline names a model and has none.
    """

    pipeline: PipelineSettings
    settings: EngineSettings
    gazetteer: Gazetteer
    model: CrfModel | None = None
    stacking: CrfModel | None = None
    subtypes: SubtypeModel | None = None

    def __post_init__(self) -> None:
        lacking = [
            f"pipeline {self.pipeline.name}: {part} has no model"
            for part, named, model in (
                ("recogniser crf", self.pipeline.crf, self.model),
                ("stacking", self.pipeline.stacking, self.stacking),
                ("subtypes", self.pipeline.subtypes, self.subtypes),
                ("stacking (it uses clusters and likeness of recogniser crf)", self.pipeline.stacking, self.model),
            )
            if named is not None and model is None
        ]
        if lacking:
            raise ConfigurationError(lacking)

    @cached_property
    def compiled(self) -> CompiledModels:
        """The models ready for tagging, compiled once however many engines are made from the spec.

        Raises ConfigurationError if a model's files are damaged or numba cannot be loaded.
        """
        crf = self.model.compiled(self.gazetteer) if self.model else None
        if self.stacking is None or self.model is None:
            return CompiledModels(crf, None, frozenset())
        stacking = self.stacking.with_word_knowledge_of(self.model).compiled_stacking(self.gazetteer)
        unstacked = frozenset(kind for kind in self.pipeline.kinds if not is_stacked_by_default(kind))
        if unstacked:
            attributes = self.stacking.weights().attributes
            trained = {a.removeprefix(_DETECTION).partition(":")[0] for a in attributes if a.startswith(_DETECTION)}
            unstacked -= trained
        return CompiledModels(crf, stacking, unstacked)

    def with_stacking_settings(self, stacking: StackingSettings) -> EngineSpec:
        """Return the spec with other thresholds; what is compiled of the models is shared."""
        other = replace(self, pipeline=self.pipeline.model_copy(update={"stacking": stacking}))
        other.__dict__["compiled"] = self.compiled
        return other

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with whatever can change a result; such notes are processed again."""
        models = [model.digest for model in (self.model, self.stacking, self.subtypes) if model]
        return spec_fingerprint(self.pipeline, [self.gazetteer.digest, *models])

    def to_bytes(self) -> bytes:
        """Return a zip of the settings as JSON, the compiled lists and the models; `from_bytes` reads it."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            # ZipInfo's date is fixed: the same spec gives the same bytes, and workers keep the engine they have.
            archive.writestr(zipfile.ZipInfo("pipeline.json"), self.pipeline.model_dump_json())
            archive.writestr(zipfile.ZipInfo("settings.json"), self.settings.model_dump_json())
            archive.writestr(zipfile.ZipInfo("gazetteer"), self.gazetteer.to_bytes())
            if self.model is not None:
                archive.writestr(zipfile.ZipInfo("model"), self.model.to_bytes())
            if self.stacking is not None:
                archive.writestr(zipfile.ZipInfo("stacking"), self.stacking.to_bytes())
            if self.subtypes is not None:
                archive.writestr(zipfile.ZipInfo("subtypes"), self.subtypes.data)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> EngineSpec:
        """Return the spec of `to_bytes`.

        Raises ConfigurationError if the pipeline names a recogniser of another package that is not installed here.
        """
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            pipeline = parse_pipeline(json.loads(archive.read("pipeline.json")))
            crf, stacking, subtypes = pipeline.crf, pipeline.stacking, pipeline.subtypes
            return EngineSpec(
                pipeline,
                EngineSettings.model_validate(json.loads(archive.read("settings.json"))),
                Gazetteer.from_bytes(archive.read("gazetteer")),
                CrfModel.from_bytes(crf.model, archive.read("model")) if crf else None,
                CrfModel.from_bytes(stacking.model, archive.read("stacking")) if stacking else None,
                SubtypeModel(subtypes, archive.read("subtypes")) if subtypes else None,
            )
