"""Settings of the compiled lists."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.settings import FrozenSettings


class GazetteerSettings(FrozenSettings):
    """Which lists are compiled, and where their files are."""

    sources: str = "sources.yaml"
    """Relative to gazetteers/ or absolute."""
    lists_dir: str | None = None
    """Folder of the larger lists that sources.yaml marks `from: lists_dir`; None leaves them out."""
    cache_dir: str | None = None
    """Folder of compiled lists, but not of compiled models and expressions; None means gazetteers/compiled."""


def sources_path(settings: GazetteerSettings) -> Path:
    """Return the path of sources.yaml."""
    return gazetteer_dir() / settings.sources
