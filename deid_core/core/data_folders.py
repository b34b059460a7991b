"""Where the project's own data lies: conf/, gazetteers/ and the models.

In a checkout they are top-level folders beside `deid_core`; a wheel carries them in `deid_core/_resources`.
"""

from __future__ import annotations

from pathlib import Path

from deid_core.core.errors import ConfigurationError

DEFAULT_POLICY = "thesis"
_PACKAGE = Path(__file__).resolve().parent.parent


def data_root() -> Path:
    """The folder that holds conf/ and gazetteers/."""
    packaged = _PACKAGE / "_resources"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def conf_dir() -> Path:
    """The folder of settings.yaml, pipelines/ and Spark's settings."""
    return data_root() / "conf"


def pipeline_names() -> list[str]:
    """Names of the pipelines in conf/pipelines, sorted."""
    return sorted(path.stem for path in (conf_dir() / "pipelines").glob("*.yaml"))


def policy_names() -> list[str]:
    """Names of the policies in conf/policies, sorted."""
    return sorted(path.stem for path in (conf_dir() / "policies").glob("*.yaml"))


def gazetteer_dir() -> Path:
    """The folder of sources.yaml and the hand-made lists."""
    return data_root() / "gazetteers"


def models_dir() -> Path:
    """The folder of the trained models, which are part of the package."""
    return _PACKAGE / "models"


def model_folder(name: str, file: str) -> Path:
    """The folder of a model that has this file: in the package, or of that path if there is a slash in the name.

    Raises ConfigurationError, naming the models that exist if this one does not.
    """
    folder = Path(name) if "/" in name else models_dir() / name
    if not (folder / file).is_file():
        known = sorted(path.parent.name for path in models_dir().glob(f"*/{file}"))
        raise ConfigurationError(f"there is no model {name!r}; there are: {', '.join(known) or 'none'}")
    return folder


def letters_dir() -> Path:
    """The folder of the letters written one by one, which a checkout has and a wheel has not."""
    return _PACKAGE.parent / "data" / "letters"
