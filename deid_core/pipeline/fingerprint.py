"""The fingerprint of an engine: what was made with another one is made again."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from deid_core.core.code_fingerprint import class_fingerprint, code_fingerprint
from deid_core.core.word_lists import word_lists_digest
from deid_core.pipeline.config import PipelineSettings
from deid_core.recognisers.registry import plugin_of

_DEPENDENCIES = ("numba", "numpy", "regex")
"""Packages whose version can change what is found."""


def spec_fingerprint(pipeline: PipelineSettings, data: Sequence[str]) -> str:
    """Return 16 hexadecimal digits over code, word lists, pipeline, plugins and data.

    data: digests of gazetteer and models.
    """
    digest = hashlib.sha256()
    plugins = [_plugin_digest(kind) for kind in pipeline.kinds if plugin_of(kind)]
    for part in (code_digest(), word_lists_digest(), pipeline.model_dump_json(), *data, *plugins):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


@cache
def code_digest() -> str:
    """Return a SHA-256 of the engine's code and of the versions of the packages that its results depend on."""
    versions = " ".join(f"{name} {version(name)}" for name in _DEPENDENCIES)
    code = code_fingerprint("deid_core.pipeline.engine", "deid_core.policies.patient_evidence")
    return hashlib.sha256(f"{versions} {unicodedata.unidata_version} {code}".encode()).hexdigest()


def _plugin_digest(kind: str) -> str:
    plugin = plugin_of(kind)
    return f"{plugin.distribution} {class_fingerprint(plugin.recogniser)}" if plugin else ""
