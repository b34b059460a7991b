"""Settings: conf/default.yaml and conf/pipelines/NAME.yaml, checked as a whole before any work starts.

Every mistake of a file is reported at once, as "file:line: setting: what is wrong", with the names that exist
where a name is unknown. Settings are frozen; their JSON is part of a pipeline's fingerprint.
"""

from deid_core.config.application import (
    GAZETTEER_DIR_VARIABLE,
    EngineSettings,
    GazetteerSettings,
    QuarantineSettings,
    ReadingSettings,
    RunSettings,
    Settings,
    YearSettings,
    load_settings,
    sources_path,
)
from deid_core.config.base import FrozenSettings, Share
from deid_core.config.pipeline import (
    AddressSettings,
    ContextSettings,
    CrfSettings,
    DecisionSettings,
    GazetteerRecogniserSettings,
    HeaderSettings,
    InstitutionSettings,
    PatternSettings,
    PipelineSettings,
    ProfessionSettings,
    RecogniserSettings,
    SuffixSettings,
    load_pipeline,
    pipeline_names,
)
from deid_core.config.yaml_file import load_yaml

__all__ = [
    "GAZETTEER_DIR_VARIABLE",
    "AddressSettings",
    "ContextSettings",
    "CrfSettings",
    "DecisionSettings",
    "EngineSettings",
    "FrozenSettings",
    "GazetteerRecogniserSettings",
    "GazetteerSettings",
    "HeaderSettings",
    "InstitutionSettings",
    "PatternSettings",
    "PipelineSettings",
    "ProfessionSettings",
    "QuarantineSettings",
    "ReadingSettings",
    "RecogniserSettings",
    "RunSettings",
    "Settings",
    "Share",
    "SuffixSettings",
    "YearSettings",
    "load_pipeline",
    "load_settings",
    "load_yaml",
    "pipeline_names",
    "sources_path",
]
