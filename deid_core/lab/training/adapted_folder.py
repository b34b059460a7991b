"""The folder that `deid adapt` writes: a pipeline, its models, and how good they are.

    pipeline.yaml   extends the pipeline that was adapted; names models and thresholds
    README.md       the tables of the trial, and how to use the pipeline
    stacking/       the stacking model, unless the shipped one is as good with other thresholds
    subtypes/       the subtypes, if they are better than the shipped ones

Only its owner may read it: models hold words of letters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from deid_core.core.errors import ConfigurationError
from deid_core.core.files import PRIVATE, write_whole
from deid_core.crf.model_folder import CrfModel, replace_model_folder
from deid_core.ensemble.settings import StackingSettings
from deid_core.ensemble.subtype.subtype_model import MODEL_FILE, SubtypeModel

PIPELINE_FILE, README_FILE = "pipeline.yaml", "README.md"
STACKING, SUBTYPES = "stacking", "subtypes"
_OWNER = 0o700


def check_folder(folder: Path) -> None:
    """Raise ConfigurationError if the folder is not new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(f"{folder}: is not empty; name a new folder")


def write_adapted(
    folder: Path,
    extends: str,
    before: StackingSettings,
    after: StackingSettings,
    stacking: CrfModel | None,
    subtypes: SubtypeModel | None,
    report: str,
) -> Path:
    """Write the folder and return the path of its pipeline, which is written last.

    extends: name or absolute path of the adapted pipeline. before, after: its settings and the chosen ones. stacking,
    subtypes: None for a model that stays.
    """
    folder.mkdir(mode=_OWNER, parents=True, exist_ok=True)
    folder.chmod(_OWNER)
    changed: dict[str, Any] = {
        name: value for name, value in after.model_dump(mode="json").items() if value != before.model_dump()[name]
    }
    settings: dict[str, Any] = {"extends": extends}
    if stacking is not None:
        replace_model_folder(folder / STACKING, dict(stacking.files))
        changed = {"model": f"./{STACKING}"} | changed
    if changed:
        settings["stacking"] = changed
    if subtypes is not None:
        replace_model_folder(folder / SUBTYPES, {MODEL_FILE: subtypes.data})
        settings["subtypes"] = f"./{SUBTYPES}"
    pipeline = folder / PIPELINE_FILE
    write_whole(folder / README_FILE, report.encode(), mode=PRIVATE)
    text = f"# Made by `deid adapt`; {README_FILE} says how good it is.\n{yaml.safe_dump(settings, sort_keys=False)}"
    write_whole(pipeline, text.encode(), mode=PRIVATE)
    return pipeline
