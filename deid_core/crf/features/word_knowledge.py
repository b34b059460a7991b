"""What a model knows of words beyond its training text: clusters and likeness, stored with it, and the gazetteer."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.char_ngram_scorer import CharNgramScorer
from deid_core.crf.features.clusters import Clusters
from deid_core.lexicon.gazetteer.automaton import Gazetteer

CLUSTERS_FILE = "clusters.npz"
LIKENESS_FILE = "likeness.npz"
# Cached for the last file: the stacking model shares the word knowledge of recogniser `crf`, and its batch caches.
_clusters, _likeness = lru_cache(1)(Clusters.from_bytes), lru_cache(1)(CharNgramScorer.from_bytes)
DAMAGED = (
    ValueError, KeyError, OSError, EOFError, TypeError, RuntimeError,
    zipfile.BadZipFile, zlib.error, tokenize.TokenError,
)  # fmt: skip
"""The exceptions that reading a damaged .npz may raise."""


@dataclass(frozen=True, slots=True)
class WordKnowledge:
    """Clusters and name-likeness, None if a model has no such file, and the gazetteer, if given."""

    clusters: Clusters | None = None
    likeness: CharNgramScorer | None = None
    gazetteer: Gazetteer | None = None
    """For models that look words up in lists. The stacking model was trained with larger and smaller ones."""

    @staticmethod
    def from_files(files: Mapping[str, bytes], gazetteer: Gazetteer | None = None) -> WordKnowledge:
        """Return the word knowledge among the files of a model folder, by name, with the gazetteer.

        Raises ConfigurationError if one of its files is damaged.
        """
        readers: dict[str, Callable[[bytes], Any]] = {
            CLUSTERS_FILE: _clusters,
            LIKENESS_FILE: _likeness,
        }
        parts: dict[str, Any] = {}
        problems = []
        for name, read in readers.items():
            if name in files:
                try:
                    parts[name] = read(files[name])
                except DAMAGED as error:
                    problems.append(f"{name}: is damaged: {type(error).__name__}; train it again or restore the file")
        if problems:
            raise ConfigurationError(problems)
        return WordKnowledge(parts.get(CLUSTERS_FILE), parts.get(LIKENESS_FILE), gazetteer)

    def to_files(self) -> dict[str, bytes]:
        """Return the files by name; `from_files` reads them."""
        files = {}
        if self.clusters is not None:
            files[CLUSTERS_FILE] = self.clusters.to_bytes()
        if self.likeness is not None:
            files[LIKENESS_FILE] = self.likeness.to_bytes()
        return files
